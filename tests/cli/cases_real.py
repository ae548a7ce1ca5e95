# SPDX-License-Identifier: MIT
"""
cases_real - files that the Poplar SDK wrote, where there are some: they are not part of the tree.

TILESCOPE_REAL names their folder, else it is shared/real beside the checkout.  The figures were computed apart.
"""

import os

from . import timeline
from .harness import Skipped, case, expect, parse

REAL = os.environ.get("TILESCOPE_REAL") or os.path.join(
    os.path.dirname(os.path.abspath(__file__)), "..", "..", "..", "shared", "real")


def real(name):
    path = os.path.join(REAL, name)
    if not os.path.exists(path):
        raise Skipped("no %s: TILESCOPE_REAL names the folder of real files" % path)
    return path


def asked(ctx, path, sql):
    """What a query answers, as rows of values."""
    res = ctx.run("query", "-f", "json", path, sql)
    expect(res.rc == 0, res, "the query fails")
    return [list(row.values()) for row in parse(res)]


@case(smoke=1)
def real_summary(ctx):
    """The target and the memory verdict of a compiled program are the recorded ones."""
    path = real("qr-c600")
    got = parse(ctx.run("summary", "-f", "json", path))
    want = {
        "target": {"type": "IPU", "architecture": "ipu2", "ipus": 1, "replicas": 1, "tiles_per_ipu": 1472,
                   "bytes_per_tile": 638976, "clock_hz": 1.85e9, "assumed": False},
        "memory": {"tiles": 1472, "total_bytes": 3465355, "total_gaps_bytes": 25621116, "worst_tile": 0,
                   "worst_tile_bytes": 32804, "limit_bytes": 638976, "tiles_over": 0, "fits": True, "gaps": True,
                   "always_live_bytes": 2705487},
        "graph": {"compute_sets": 27, "programs": 111}}
    for part, members in want.items():
        for name, value in members.items():
            expect(got[part][name] == value, ctx.last, "%s.%s is %r, not %r" % (part, name, got[part][name], value))


# What was computed apart from the project, from the tables of the file.
FIGURES = [
    ("SELECT value FROM report WHERE key = 'poplar_version'", "3.3.0 (de1f8de2a7)"),
    ("SELECT value FROM report WHERE key = 'package_hash'", "b67b751185"),
    ("SELECT value FROM report WHERE key = 'format_version'", "3.8.0"),
    ("SELECT value FROM report WHERE key = 'created'", "2024-04-09 08:23:39"),
    ("SELECT value FROM report WHERE key = 'compute_instrumentation'", "tile"),
    ("SELECT value FROM report WHERE key = 'exchange_instrumentation'", "on"),
    ("SELECT value FROM report WHERE key = 'control_flow_instrumentation'", "on"),
    ("SELECT clock_hz FROM target", 1.85e9),
    ("SELECT architecture FROM target", "ipu2"),
    ("SELECT interleaved_start FROM target", 212992),
    ("SELECT value FROM graph_count WHERE name = 'compute_sets'", 27),
    ("SELECT value FROM graph_count WHERE name = 'edges'", 6033),
    ("SELECT value FROM graph_count WHERE name = 'variables'", 51880),
    ("SELECT value FROM graph_count WHERE name = 'vertices'", 2990),
    ("SELECT count(*) FROM lowered_variable", 50409),
    ("SELECT count(*) FROM program", 111),
    ("SELECT count(*) FROM program_child", 110),
    ("SELECT count(*) FROM variable", 1522),
    ("SELECT sum(total) FROM tile_memory", 3465355),
    ("SELECT sum(total_gaps) FROM tile_memory", 25621116),
    ("SELECT max(total_gaps) FROM tile_memory", 32804),
    ("SELECT total FROM tile_memory WHERE tile = 0", 8281),
    ("SELECT sum(always_live) FROM tile_memory", 2705487),
    ("SELECT sum(interleaved + non_interleaved + overflowed) FROM tile_memory", 3465355),
    ("SELECT max(not_always_live) FROM liveness_step", 759828),
    ("SELECT live_step FROM liveness_step ORDER BY not_always_live DESC LIMIT 1", 107),
    ("SELECT count(*) FROM liveness_step", 111),
    ("SELECT count(*) FROM engine_option WHERE scope = 'compilation'", 131),
    ("SELECT count(*) FROM engine_option WHERE scope = 'compilation' AND NOT is_default", 13),
    ("SELECT count(*) FROM compile_pass", 60),
    ("SELECT name FROM compile_pass ORDER BY duration_us DESC LIMIT 1", "createCompiledGraphBinary"),
    ("SELECT max(duration_us) FROM compile_pass", 6160586),
    ("SELECT count(*) FROM stream_copy WHERE direction = 'from_host'", 3),
    ("SELECT count(*) FROM stream_copy WHERE direction = 'to_host'", 15),
    ("SELECT count(DISTINCT stream) FROM stream_copy WHERE direction = 'to_host'", 12),
    ("SELECT sum(remote_buffer) FROM stream_copy", 0),
    ("SELECT count(*) FROM vertex_type", 15),
    ("SELECT sum(instances) FROM compute_set_vertex", 2990),
    ("SELECT sum(edges) FROM compute_set", 6033),
    ("SELECT count(*) FROM memory_element", 26),
    ("SELECT count(*) FROM memory_element WHERE interleaved", 13),
    ("SELECT sum(bytes) FROM memory_element", 638976),
    ("SELECT sum(tile_sum(own_control_code_by_tile)) <= (SELECT tile_sum(control_code_by_tile) FROM program "
     "WHERE program = 0) FROM program", 1),
    ("SELECT sum(bytes) FROM variable", 3472255),
    # who is alive at the peak, on the device and added up over its tiles
    ("SELECT sum(bytes) FROM liveness_variable WHERE NOT always_live AND start <= 107 AND \"end\" > 107", 759828),
    ("SELECT sum(v.bytes) FROM tile_variable v JOIN class_interval i USING (class) JOIN equivalence_class c "
     "USING (class) WHERE NOT c.always_live AND i.start <= 107 AND i.\"end\" > 107", 759828),
    # with the profiler's own buffers left out
    ("SELECT sum(bytes) FROM lowered_variable l JOIN class_interval i USING (class) WHERE NOT always_live AND "
     "start <= 107 AND \"end\" > 107 AND name NOT LIKE 'instrumentation%'", 6164),
    ("SELECT count(*) FROM step", 0),
    ("SELECT count(*) FROM run", 0)]

CATEGORIES = {"vertexCode": (979192, 3186), "controlCode": (772760, None), "variable": (760016, None),
              "stack": (486176, None), "hostExchangeCode": (213704, None), "hostMessage": (94408, None)}


@case()
def real_relations(ctx):
    """What is in the tables of a real file is in the relations."""
    path = real("qr-c600")
    whole = "SELECT " + ", ".join("(%s) AS c%d" % (sql, k) for k, (sql, _) in enumerate(FIGURES))
    for value, (sql, want) in zip(asked(ctx, path, whole)[0], FIGURES):
        expect(value == want, ctx.last, "%s: %r, not %r" % (sql, value, want))


@case()
def real_categories(ctx):
    """Bytes of a category are those of its variables, and of the fullest tile."""
    rows = asked(ctx, real("qr-c600"),
                 "SELECT name, sum(b), max(b) FROM (SELECT name, tile, sum(not_overlapped + overlapped) AS b FROM "
                 "tile_category JOIN memory_category USING (category) GROUP BY 1, 2) GROUP BY name")
    got = {name: (total, most) for name, total, most in rows}
    for name, (total, most) in CATEGORIES.items():
        expect(got[name][0] == total and most in (None, got[name][1]), ctx.last,
               "%s: %r, not %r" % (name, got[name], (total, most)))


@case()
def real_identities(ctx):
    """Every identity that was found in the file holds, and none of its blobs is damaged."""
    res = ctx.run("check", "--files", "-f", "json", real("qr-c600"))
    expect(res.rc == 0 and parse(res)["warnings"] == [], res, "there are warnings")


# Exclusive time by class of the timeline, in cycles, computed apart.
EXCLUSIVE = {
    0: {"host_wait": 1393162, "compute": 512088, "host_end": 421398, "host_copy": 136436, "sync": 55512,
        "global_exchange": 12120, "exchange": 5624, "external_sync": 2442, "sync_ans": 1968, "idle": 0},
    1: {"host_wait": 1428442, "host_end": 532116}}


@case(smoke=1)
def real_timeline(ctx):
    """The steps of an executed program: what overlaps counts once, with the index and without."""
    cache = os.path.join(real("mnist-2ipu"), "profile.pop_cache")
    d = ctx.path("demo")
    ctx.run("demo", d, "--layout", "profile", "--no-execution", "--ipus", "2", "--tiles", "20")
    path = os.path.join(d, "profile.pop")
    timeline.put(path, cache)
    want = timeline.exclusive(path)
    for more in ((), ("--cache", "none")):
        ipus = parse(ctx.run("summary", "-f", "json", *more, d))["execution"]["ipus"]
        for ipu in ipus:
            expect(ipu["cycles"] == 2540750, ctx.last, "the span")
            expect(ipu["time"] == dict(want[ipu["ipu"]]), ctx.last, "%r, not %r" % (ipu["time"], want[ipu["ipu"]]))
            for name, cycles in EXCLUSIVE[ipu["ipu"]].items():
                expect(ipu["time"][name] == cycles, ctx.last, "%s of IPU %d" % (name, ipu["ipu"]))
        expect(len(ipus) == 2, ctx.last, "two IPUs")
