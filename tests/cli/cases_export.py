# SPDX-License-Identifier: MIT
"""cases_export - `tilescope export`: every kind of data in every format, held against SQL on the file itself."""

import collections
import csv
import functools
import io
import json
import os
import shutil
import sqlite3
import subprocess
import sys

from . import oracle
from . import reports
from .profile_oracle import relations, tiles as numbers
from .harness import case, expect, one_line, parse, plain, snapshot, unsafe, untouched

HERE = os.path.dirname(os.path.abspath(__file__))
CLASSES = {"OnTileExecute": "compute", "DoExchange": "exchange", "GlobalExchange": "global_exchange",
           "Sans": "sync", "SyncAns": "sync_ans", "StreamCopyBegin": "host_wait",
           "StreamCopyMid": "host_copy", "StreamCopyEnd": "host_end"}


def demo(ctx, *args, name="demo"):
    where = ctx.path(name)
    res = ctx.run("demo", where, "--ipus", "2", "--tiles", "16", "--steps", "200", "--no-archive", *args)
    expect(res.rc == 0, res, "demo")
    return where


def profile(where):
    return os.path.join(where, "profile.pop")


def change(where, *statements):
    """SQL on the profile of a directory."""
    with sqlite3.connect(profile(where)) as db:
        for s in statements:
            db.execute(*s) if isinstance(s, tuple) else db.execute(s)
    db.close()


def export(ctx, path, what, form, *args, rc=0):
    before = snapshot(path) if os.path.isdir(path) else None
    res = ctx.run("export", path, "--what", what, "--format", form, *args)
    if before:
        untouched(before, path, res)
    expect(res.rc == rc, res, "exit status %s, expected %s" % (res.rc, rc))
    return res


def rows(ctx, path, what, rc=0):
    """Of the CSV; the other formats of rows say the same."""
    res = export(ctx, path, what, "csv", rc=rc)
    got = list(csv.DictReader(io.StringIO(res.out.decode("utf-8"), newline=""), strict=True))
    whole = json.loads(export(ctx, path, what, "json", rc=rc).out)
    lines = [json.loads(x) for x in export(ctx, path, what, "jsonl", rc=rc).out.splitlines()]
    expect(whole == lines, ctx.last, "json and jsonl differ")
    expect(len(whole) == len(got), ctx.last, "json and csv differ in length")
    for a, b in zip(got, whole):
        expect(list(a) == list(b), ctx.last, "columns")
        for k, v in b.items():
            said = a[k]
            expect(said == ("" if v is None else said if isinstance(v, float) else str(v)) and
                   (not isinstance(v, float) or float(said) == v), ctx.last, "%s: %r, %r" % (k, v, said))
    return whole


def class_of(kind, sync_type):
    if kind == "Sync":
        return "external_sync" if sync_type == "External" else "sync"
    return CLASSES.get(kind, "control")


@case()
def trace_rows(ctx):
    """One row for each step and IPU, with the step's name and run."""
    where = demo(ctx)
    got = rows(ctx, where, "trace")
    want = relations(profile(where)).execute(
        'SELECT s.step, s.run, i.ipu, s.type, p.name, s.program, s.compute_set, i.cycles, i.start, i."end", '
        'i.active_tiles, i.active_start_max, i.active_end_min, i.data_in, i.data_out, i.tile_balance, '
        'i.active_tile_balance, s.sync_type FROM step_ipu i JOIN step s USING (step) LEFT JOIN program_name p ON '
        'p.program = s.program ORDER BY s.step, i.ipu').fetchall()
    expect(len(got) == len(want) > 200, ctx.last, "%d rows, expected %d" % (len(got), len(want)))
    for g, w in zip(got, want):
        v = list(g.values())
        expect(v[:4] + v[5:] == list(w[:-1]), ctx.last, "%r\n%r" % (v, w))
        expect(g["class"] == class_of(w[3], w[-1]), ctx.last, "class of %r" % (w,))


@case(params=range(8))
def trace_of_any_layout(ctx, seed):
    """Sums of the rows are those of the summary, whatever the tables are like; nothing is lost on the way."""
    rep = reports.build(ctx.path("report"), 4000 + seed, steps=80, shuffle=seed % 2 == 0)
    exp = oracle.summary(rep)
    res = ctx.run("export", rep.dir, "-f", "jsonl")
    ipus = exp.object["execution"]["ipus"]
    if ipus is None:
        expect(res.rc in (2, 4), res, "exit status without an execution")
        return
    expect(res.rc in (0, 4), res, "exit status")
    sums = collections.defaultdict(lambda: collections.Counter())
    for line in res.out.splitlines():
        r = json.loads(line)
        sums[r["ipu"]][r["class"]] += r["cycles"]
    for i in ipus:
        if isinstance(i["ipu"], int) and isinstance(i["classes"], dict):
            for k, v in i["classes"].items():
                if isinstance(v, int):
                    expect(sums[i["ipu"]][k] == v, res, "ipu %d %s: %d, expected %d" % (
                        i["ipu"], k, sums[i["ipu"]][k], v))


@case()
def trace_out_of_order(ctx):
    """Steps that stand in any order, rows of no step: names are found, orphans are counted."""
    where = demo(ctx)
    straight = {(r["step"], r["ipu"]): r for r in rows(ctx, where, "trace")}
    change(where, *sum((["CREATE TABLE t AS SELECT * FROM %s ORDER BY (%s * %d) %% %d" % (table, key, a, b),
                         "DROP TABLE " + table, "ALTER TABLE t RENAME TO " + table] for table, key, a, b in
                        (("steps", "id", 7919, 1009), ("steps_by_ipu", "step_id", 104729, 1013))), []),
           "INSERT INTO steps_by_ipu(step_id, ipu, cycles, cycles_base, active_cycles_from_min, active_cycles_to_max) "
           "VALUES (1000000, 0, 5, 5, 0, 5)")
    res = export(ctx, where, "trace", "jsonl")
    crooked = {}
    for line in res.out.splitlines():
        r = json.loads(line)
        crooked[r["step"], r["ipu"]] = r
    for r in [*straight.values(), *crooked.values()]:
        del r["data_in"], r["data_out"]     # are found by the key of `steps`, which it has no more
    expect(crooked == straight, res, "rows differ")
    expect(b"1 row" in res.err, res, "the orphan is not counted")


def goes_on(path, name):
    """A path of names, and what of `name` it does not end with already."""
    more = [p for p in (name or "").split("/") if p]
    over = max(k for k in range(min(len(path), len(more)) + 1) if path[len(path) - k:] == more[:k])
    return path + more[over:]


@case(smoke=1)
def folded(ctx):
    """Sums of cycles by IPU and stack: the run, the names of debug contexts, the parts of the name, what the step does."""
    where = demo(ctx)
    ask = lambda sql: json.loads(ctx.run("query", "--format", "json", where, sql).out)
    contexts = {r["context"]: (r["parent"], r["name"]) for r in ask("SELECT context, parent, name FROM context")}
    of_program = {r["program"]: r["context"] for r in ask("SELECT program, context FROM program")}
    expect(len(contexts) > 50, ctx.last, "the demo has no contexts")

    def around(program):
        path, up = [], of_program.get(program)
        while up is not None:
            path.insert(0, contexts[up][1])
            up = contexts[up][0]
        return functools.reduce(goes_on, path, [])

    want = collections.Counter()
    for r in rows(ctx, where, "trace"):
        frames = ["IPU %d" % r["ipu"], "Engine::run"] + goes_on(around(r["program"]), r["name"])
        want[";".join(f.replace(";", ":") for f in frames + ["External Sync" if r["class"] == "external_sync" else r["type"]])] += r["cycles"]
    res = export(ctx, where, "trace", "folded")
    got = {}
    for line in res.out.decode().splitlines():
        stack, cycles = line.rsplit(" ", 1)
        expect(stack not in got, res, "a stack stands twice")
        got[stack] = int(cycles)
    expect(got == {k: v for k, v in want.items() if v > 0}, res, "stacks differ")


def generated(ctx):
    """Where protoc put its code and a Python that can run it; None where there is none."""
    if not shutil.which("protoc"):
        return None
    where = ctx.path("generated")
    os.makedirs(where, exist_ok=True)
    subprocess.run(["protoc", "-I", HERE, "--python_out", where, os.path.join(HERE, "perfetto.proto")],
                   check=True)
    for python in (sys.executable, "/usr/bin/python3"):
        found = subprocess.run([python, "-c", "import google.protobuf"], stderr=subprocess.DEVNULL)
        if found.returncode == 0:
            return python, where
    return None


def decode(ctx, data):
    tools = generated(ctx)
    if not tools:
        return None
    path = ctx.path("trace.pftrace")
    with open(path, "wb") as f:
        f.write(data)
    out = subprocess.run([tools[0], os.path.join(HERE, "decode_perfetto.py"), tools[1], path],
                         stdout=subprocess.PIPE, check=True).stdout
    return json.loads(out)


def nested(res, events, tracks):
    """Slices of each track, by time: they follow on each other or nest; (track, from, to, event) of all."""
    slices, open_ones = [], collections.defaultdict(list)
    for e in sorted(events, key=lambda e: e["at"]):     # stable, as readers sort
        expect(e["track"] in tracks, res, "an event on no track")
        if e["type"] == 1:
            open_ones[e["track"]].append(e)
        elif e["type"] == 2:
            expect(open_ones[e["track"]], res, "a slice ends that did not begin")
            b = open_ones[e["track"]].pop()
            slices.append((e["track"], b["at"], e["at"], b))
    expect(not any(open_ones.values()), res, "a slice does not end")
    return slices


@case(smoke=1)
def perfetto(ctx):
    """Every step of every IPU is a slice with its arguments; counters; nothing that the format does not know."""
    where = demo(ctx)
    want = rows(ctx, where, "trace")
    res = export(ctx, where, "trace", "perfetto")
    got = decode(ctx, res.out)
    if got is None:
        return
    expect(got["unknown"] == 0, res, "unknown fields")
    expect(got["flags"][0] == 1 and set(got["flags"][1:]) == {2}, res, "sequence flags")
    expect(set(got["sequences"]) == {1}, res, "sequence ids")
    tracks = {int(t["uuid"]): t for t in got["tracks"]}
    expect(len(tracks) == len(got["tracks"]), res, "a track is described twice")
    for t in tracks.values():
        expect("process" in t or int(t["parent_uuid"]) in tracks, res, "a track without a process")
    slices = nested(res, [e for e in got["events"] if e["type"] in (1, 2)], tracks)
    hz, runs = relations(profile(where)).execute("SELECT clock_hz, (SELECT count(*) FROM run) FROM target").fetchone()
    seen = {}
    for track, begin, end, e in slices:
        if e["categories"] == ["run"]:
            continue
        ipu = tracks[int(tracks[track]["parent_uuid"])]["process"]["process_name"]
        key = (e["args"]["step"], int(ipu.split()[1]))
        expect(key not in seen, res, "a step stands twice")
        seen[key] = (begin, end, e)
    for w in want:
        begin, end, e = seen.pop((w["step"], w["ipu"]))
        for at, cycles in ((begin, w["start"]), (end, w["end"])):
            expect(abs(at - cycles * 1e9 / hz) <= 1, res, "time of step %d" % w["step"])
        expect(e["categories"] == [w["class"]], res, "category")
        expect(e["name"] == (w["name"] or w["type"]), res, "name %r" % e["name"])
        for k in ("step", "run", "type", "program", "compute_set", "cycles", "active_tiles", "data_in",
                  "data_out", "tile_balance", "active_tile_balance"):
            expect(e["args"].get(k) == w[k], res, "%s of step %d: %r, expected %r" % (
                k, w["step"], e["args"].get(k), w[k]))
    expect(not seen, res, "slices of no step")
    counters = {u for u, t in tracks.items() if "counter" in t}
    values = [e for e in got["events"] if e["type"] == 4]
    expect({e["track"] for e in values} == counters, res, "counters without values, or the reverse")
    expect(bool(counters) == any(w["data_in"] is not None or w["tile_balance"] is not None for w in want),
           res, "counters")
    expect(sum(s[3]["categories"] == ["run"] for s in slices) == runs, res, "runs")


@case()
def perfetto_overlap(ctx):
    """Steps that overlap stand on tracks of their own; one that ends before it begins has no length."""
    where = demo(ctx)
    change(where, "UPDATE steps_by_ipu SET active_cycles_to_max = 4 * active_cycles_to_max - 3 * active_cycles_from_min + 7 "
           "WHERE step_id % 5 = 0", "UPDATE steps_by_ipu SET active_cycles_to_max = active_cycles_from_min - 1 "
           "WHERE step_id % 17 = 3")
    res = export(ctx, where, "trace", "perfetto")
    got = decode(ctx, res.out)
    if got is None:
        return
    tracks = {int(t["uuid"]): t for t in got["tracks"]}
    slices = nested(res, [e for e in got["events"] if e["type"] in (1, 2)], tracks)
    by_track = collections.defaultdict(list)
    for track, begin, end, e in slices:
        by_track[track].append((begin, end))
    for spans in by_track.values():
        spans.sort()
        expect(all(a[1] <= b[0] for a, b in zip(spans, spans[1:])), res, "slices of a track overlap")
    expect(any("overlap" in t["name"] for t in tracks.values()), res, "no further track")
    steps = len(rows(ctx, where, "trace"))
    expect(sum(e["type"] == 1 and e["categories"] != ["run"] for e in got["events"]) == steps, res, "slices")


@case(smoke=1)
def tiles(ctx):
    """One row for each tile, a column for each category."""
    where = demo(ctx)
    got = rows(ctx, where, "tiles")
    summary = parse(ctx.run("summary", "-f", "json", where))
    memory = summary["memory"]
    expect(len(got) == memory["tiles"] == 32, ctx.last, "tiles")
    expect(sum(r["total"] for r in got) == memory["total_bytes"], ctx.last, "total")
    for name, figures in memory["categories"].items():
        expect(sum(r[name] or 0 for r in got) == figures["bytes"], ctx.last, name)
    worst = [r for r in got if r["tile"] == memory["worst_tile"]][0]
    expect(worst["total_gaps"] == memory["worst_tile_bytes"], ctx.last, "worst tile")


@case(smoke=1)
def liveness(ctx):
    where = demo(ctx)
    got = rows(ctx, where, "liveness")
    db = relations(profile(where))
    want = db.execute("SELECT l.live_step, NULL, l.program, p.type, p.name, l.not_always_live FROM "
                      "liveness_step l LEFT JOIN program p USING (program) ORDER BY 1").fetchall()
    want += db.execute("SELECT live_step, ipu, NULL, NULL, NULL, not_always_live FROM liveness_step_ipu "
                       "ORDER BY 1, 2").fetchall()
    expect([tuple(r.values()) for r in got] == want, ctx.last, "rows")


@case(smoke=1)
def variables(ctx):
    where = demo(ctx)
    got = rows(ctx, where, "variables")
    want = relations(profile(where)).execute(
        'SELECT v.id, v.tile, v.name, v.bytes, v."offset", v.alignment, c.name, v.class, v.variable, '
        'v.always_live, NULL FROM lowered_variable v LEFT JOIN memory_category c USING (category) '
        'ORDER BY v.id').fetchall()
    expect([tuple(r.values()) for r in got] == want and len(want) >= 600, ctx.last, "rows")


def blob_sum(blob):
    return None if blob is None else sum(numbers(blob))


@case(smoke=1)
def programs(ctx):
    where = demo(ctx)
    got = {r["program"]: r for r in rows(ctx, where, "programs")}
    db = relations(profile(where))
    of_set = {r[0]: tuple(map(blob_sum, r[1:])) for r in db.execute(
        "SELECT compute_set, cycles_by_tile, estimated_cycles_by_tile FROM compute_set")}
    n = 0
    for r in db.execute("SELECT program, type, name, compute_set, control_code_by_tile, code_by_tile, "
                        "cycles_by_tile, estimated_cycles_by_tile FROM program"):
        g = got[r[0]]
        n += 1
        expect((g["type"], g["name"], g["compute_set"]) == r[1:4], ctx.last, "program %d" % r[0])
        cycles = [blob_sum(own) if own is not None else of_set.get(r[3], (None, None))[i]
                  for i, own in enumerate(r[6:8])]
        expect((g["control_code_bytes"], g["exchange_code_bytes"]) == tuple(map(blob_sum, r[4:6])),
               ctx.last, "code of %d" % r[0])
        expect([g["cycles_sum"], g["estimated_cycles_sum"]] == cycles, ctx.last, "cycles of %d" % r[0])
        executed = db.execute("SELECT count(DISTINCT step), coalesce(sum(cycles), 0) FROM step LEFT JOIN step_ipu "
                              "USING (step) WHERE program = ?", r[:1]).fetchone()
        expect((g["steps"], g["executed_cycles"]) == executed, ctx.last, "steps of %d" % r[0])
        uses = db.execute("SELECT (SELECT count(*) FROM program_child WHERE child = ?1) + (SELECT count(*) FROM "
                          "program_root WHERE program = ?1), (SELECT count(*) FROM program_child WHERE parent = "
                          "?1)", r[:1]).fetchone()
        expect((g["uses"], g["children"]) == uses, ctx.last, "uses of %d" % r[0])
        live = db.execute("SELECT min(live_step), max(not_always_live) FROM liveness_step WHERE program = ?",
                          r[:1]).fetchone()
        expect((g["live_step"], g["live_bytes"]) == live, ctx.last, "liveness of %d" % r[0])
    expect(n == len(got), ctx.last, "programs")


@case()
def programs_dot(ctx):
    """A graph that Graphviz reads: a node for each program, an edge for each child."""
    where = demo(ctx)
    change(where, ("UPDATE programs SET name = ? WHERE id = 2", ('say "x" \\ \x1b[31m\nline',)))
    db = relations(profile(where))
    nodes = db.execute("SELECT count(*) FROM program").fetchone()[0]
    edges = db.execute("SELECT count(*) FROM program_child").fetchone()[0]
    res = export(ctx, where, "programs", "dot")
    text = res.out.decode("utf-8")
    lines = text.splitlines()
    expect(lines[0].startswith("digraph") and lines[-1] == "}", res, "no graph")
    expect(sum(" -> " in x for x in lines) == edges > 0, res, "edges")
    expect(sum(" [label=" in x and " -> " not in x for x in lines) == nodes, res, "nodes")
    expect(unsafe(text) is None, res, "has %r" % unsafe(text))
    expect(r'say \"x\" \\' in text, res, "the label is not quoted")
    if shutil.which("dot"):
        subprocess.run(["dot", "-Tcanon"], input=res.out, stdout=subprocess.DEVNULL, check=True)


@case()
def formats_by_name(ctx):
    """The format of -o FILE is that of its name; what cannot be is refused before anything is read."""
    where = demo(ctx)
    for name, begin in (("a.json", b"["), ("a.jsonl", b"{"), ("a.csv", b"step,"), ("a.folded", b"IPU "),
                        ("a.pftrace", b"\x0a")):
        res = ctx.run("export", where, "-o", ctx.path(name))
        expect(res.rc == 0 and not res.out, res, "exit status")
        with open(ctx.path(name), "rb") as f:
            expect(f.read().startswith(begin), res, name)
    for words in (["--what", "tiles", "-f", "perfetto"], ["--what", "variables", "-f", "dot"],
                  ["--what", "nothing"], ["-f", "xml"], ["-f", "text"]):
        one_line_usage(ctx.run("export", where, *words))


def one_line_usage(res):
    expect(res.rc == 2 and not res.out, res, "exit status %s" % res.rc)
    expect(len(res.err.decode().splitlines()) == 1, res, "one line")


@case()
def absent(ctx):
    """What is not in the report is said, with the reason, and nothing is written."""
    rep = plain(ctx, 5, missing_tables=["steps", "steps_by_ipu", "memory_by_tile"])
    for what, form in (("trace", "csv"), ("trace", "perfetto"), ("trace", "folded"), ("tiles", "json"),
                       ("liveness", "csv"), ("programs", "dot")):
        res = ctx.run("export", rep.dir, "--what", what, "-f", form, "-o", ctx.path("out"))
        one_line(res, rc=2)
        expect(not os.path.exists(ctx.path("out")), res, "a file was written")


@case(smoke=1)
def damaged(ctx):
    """What can be read is written; exit status 4 says that it is not all."""
    where = demo(ctx, "--steps", "4000")
    path = profile(where)
    pages = reports.leaves(path, "steps_by_ipu")
    total = relations(path).execute("SELECT count(*) FROM step_ipu").fetchone()[0]
    reports.noise_page(path, pages[len(pages) // 2][0])
    for form in ("csv", "perfetto", "folded"):
        res = ctx.run("export", where, "-f", form)
        expect(res.rc == 4 and res.err, res, "exit status %s" % res.rc)
        expect(res.out, res, "nothing was written")
    n = len(ctx.run("export", where, "-f", "jsonl").out.splitlines())
    expect(total * 0.8 < n < total, ctx.last, "%d rows of %d" % (n, total))


@case()
def damaged_names(ctx):
    """Names that cannot be read are missing in the rows: that is said, too."""
    where = demo(ctx)
    reports.noise_page(profile(where), reports.leaves(profile(where), "compute_sets")[-1][0])
    for form in ("csv", "perfetto", "folded"):
        res = ctx.run("export", where, "-f", form)
        expect(res.rc == 4 and res.err and res.out, res, "exit status %s" % res.rc)


@case()
def what_is_in_no_program(ctx):
    """Steps of no program are counted, a category or a program that stands twice gives no row twice."""
    where = demo(ctx)
    variables, steps = len(rows(ctx, where, "variables")), len(rows(ctx, where, "liveness"))
    change(where, "UPDATE steps SET program = NULL WHERE id < 10", "UPDATE steps SET program = 999999 WHERE id BETWEEN 10 AND 14",
           *sum((["CREATE TABLE t AS SELECT * FROM {0} UNION ALL SELECT * FROM {0}".format(t), "DROP TABLE " + t,
                  "ALTER TABLE t RENAME TO " + t] for t in ("var_categories", "programs")), []))
    none, = relations(profile(where)).execute("SELECT count(*) FROM steps WHERE program IS NULL").fetchone()
    res = export(ctx, where, "programs", "csv")
    expect(b"%d rows left out" % none in res.err and b"5 rows left out" in res.err, res, "they are not counted")
    expect(len(rows(ctx, where, "variables")) == variables, ctx.last, "variables")
    expect(len(rows(ctx, where, "liveness")) == steps, ctx.last, "liveness steps")
