#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""
decode_perfetto - a Perfetto trace as JSON, read with what protoc generates of perfetto.proto.

    decode_perfetto.py DIR_OF_GENERATED_CODE TRACE

Prints {"packets": N, "unknown": N, "categories": {}, "names": {}, "args": {}, "tracks": [], "events": []}.
Exit status 77: google.protobuf is not installed for this Python.
"""

import json
import sys

try:
    from google.protobuf import json_format
except ImportError:
    sys.exit(77)
sys.path.insert(0, sys.argv[1])
import perfetto_pb2  # noqa: E402


def main():
    trace = perfetto_pb2.Trace()
    with open(sys.argv[2], "rb") as f:
        trace.ParseFromString(f.read())
    out = {"packets": len(trace.packet), "categories": {}, "names": {}, "args": {}, "tracks": [],
           "events": [], "flags": [], "sequences": []}
    known = len(trace.SerializeToString())
    trace.DiscardUnknownFields()
    out["unknown"] = known - len(trace.SerializeToString())
    for p in trace.packet:
        out["flags"].append(p.sequence_flags)
        out["sequences"].append(p.trusted_packet_sequence_id)
        for into, entries in (("categories", p.interned_data.event_categories),
                              ("names", p.interned_data.event_names),
                              ("args", p.interned_data.debug_annotation_names)):
            for e in entries:
                if e.iid in out[into]:
                    raise SystemExit("interned twice: %s %d" % (into, e.iid))
                out[into][e.iid] = e.name
        if p.HasField("track_descriptor"):
            out["tracks"].append(json_format.MessageToDict(p.track_descriptor,
                                                           preserving_proto_field_name=True))
        if p.HasField("track_event"):
            e = p.track_event
            args = {}
            for a in e.debug_annotations:
                field = [f.name for f, _ in a.ListFields() if f.name != "name_iid"]
                args[out["args"][a.name_iid]] = getattr(a, field[0])
            out["events"].append({
                "at": p.timestamp, "type": e.type, "track": e.track_uuid,
                "name": e.name if e.HasField("name") else out["names"].get(e.name_iid),
                "categories": [out["categories"][c] for c in e.category_iids], "args": args,
                "value": e.double_counter_value if e.HasField("double_counter_value") else None})
    json.dump(out, sys.stdout)


main()
