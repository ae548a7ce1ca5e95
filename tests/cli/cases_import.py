# SPDX-License-Identifier: MIT
"""
cases_import - `tilescope import` with a stand-in for libpva (standin/pva.py), which is not libpva.

The stand-in answers from a store of the demo report through the documented properties; what comes out has
to be that store again, as far as those properties go.
"""

import importlib
import os
import signal
import sqlite3
import subprocess
import sys
import time

from .harness import FULL, at_full_depth, case, expect, one_line, parse

STANDIN = os.path.join(os.path.dirname(os.path.abspath(__file__)), "standin")
SHAPE = ("--ipus", "2", "--tiles", "4", "--steps", "300", "--variables", "300")

# Columns that the documented properties give, of every relation that they give.
GIVEN = {
    "target": "*", "graph_count": "*", "ipu": "*",
    "tile_memory": "tile, ipu, total, total_gaps, non_interleaved, interleaved, overflowed, "
                   "always_live, not_always_live_peak",
    "tile_category": "tile, (SELECT name FROM memory_category m WHERE m.category = r.category), region, "
                     "not_overlapped, overlapped",
    "tile_vertex": "tile, (SELECT name FROM vertex_type v WHERE v.vertex_type = r.vertex_type), code_bytes",
    "program": "program, type, name, compute_set, control_code_by_tile, code_by_tile, "
               "estimated_cycles_by_tile",
    "program_child": "*",
    "compute_set": "compute_set, name, estimated_cycles_by_tile",
    "compute_set_vertex": "compute_set, (SELECT name FROM vertex_type v WHERE v.vertex_type = "
                          "r.vertex_type), count_by_tile",
    "liveness_step": "*", "liveness_step_ipu": "*", "variable": "variable, name, bytes, always_live",
    "liveness_variable": "*", "tile_always_live": "*",
    "lowered_variable": "id, tile, name, bytes, class, variable, always_live",
    "run": "*", "step": "step, run, type, program, compute_set",
    "step_ipu": "step, ipu, cycles, start, \"end\", active_start_max, active_end_min, data_in, data_out, "
                "tile_balance, active_tile_balance",
    "block": "tile, seq, program, kind, cycles_from, cycles_to",
    "operation": "operation, layer, name, debug_name, first_step, last_step",
    "operation_program": "*", "operation_variable": "*",
}
RENUMBERED = {  # and only what a tile has of them
    "memory_category": ("name", "category IN (SELECT category FROM tile_category)"),
    "vertex_type": ("name, state_bytes", "vertex_type IN (SELECT vertex_type FROM tile_vertex UNION "
                                         "SELECT vertex_type FROM compute_set_vertex)"),
    "class_interval": ("*", "class IN (SELECT class FROM lowered_variable)"),
}


def reports(ctx):
    """A profile, and the store that the stand-in answers from."""
    for layout, name in (("sdk", "profile"), ("store", "store")):
        res = ctx.run("demo", ctx.path(name), "--layout", layout, *SHAPE)
        expect(res.rc == 0, res, "the demo report cannot be written")
    return ctx.path("profile", "profile.pop"), ctx.path("store", "report.tilescope")


def env(store, **more):
    return dict({"PYTHONPATH": STANDIN, "STANDIN_STORE": store}, **more)


def rows(path, sql):
    with sqlite3.connect("file:%s?mode=ro" % path, uri=True) as db:
        db.text_factory = bytes
        return db.execute(sql).fetchall()


def tables(path):
    return {name.decode() for name, in rows(path, "SELECT name FROM sqlite_master")}


def skipped(path):
    return [v.decode() for v, in rows(path, "SELECT value FROM report WHERE key = 'import_skipped'")]


def same(res, path, store, relation, columns, where="1"):
    sql = "SELECT %s FROM \"%s\" r WHERE %s" % (columns, relation, where)
    got, want = (sorted(rows(p, sql), key=repr) for p in (path, store))
    expect(got == want and got, res, "%s: %d rows, expected %d; first difference: %r" % (
        relation, len(got), len(want), next((p for p in zip(got, want) if p[0] != p[1]), None)))


@case(depth=FULL)
def import_complete(ctx):
    """Everything through the documented properties comes out as it went in."""
    profile, store = reports(ctx)
    out = ctx.path("out.tilescope")
    res = ctx.run("import", profile, "--complete", "-o", out, env=env(store))
    expect(res.rc == 0 and res.out.decode().strip() == out and res.err == b"", res, "import")
    for relation, columns in GIVEN.items():
        same(res, out, store, relation, columns)
    for relation, (columns, where) in RENUMBERED.items():
        same(res, out, store, relation, columns, where)
    expect(tables(out) == set(GIVEN) | set(RENUMBERED) | {"report"}, res,
           "tables: %s" % tables(out))
    expect(skipped(out) == [], res, "skipped: %s" % skipped(out))


@case(depth=FULL)
def import_in_sql(ctx):
    """Names and IPUs that the profile does not have are the store's; the overlay's own tables can be read."""
    profile, store = reports(ctx)
    for sql in ("SELECT step, type, name FROM step ORDER BY 1", "SELECT tile, ipu FROM tile_memory ORDER BY 1",
                "SELECT name, count(*) FROM step WHERE name LIKE '%a%' GROUP BY 1 ORDER BY 1"):
        got = [parse(ctx.run("query", "-f", "json", path, sql)) for path in (profile, store)]
        expect(got[0] == got[1] and got[0], ctx.last, "%s: %r, in the store %r" % (
            sql, got[0][:3], got[1][:3]))
    rows = parse(ctx.run("query", "--relations", "-f", "json", profile))
    note = {(r["relation"], r["column"]): r["note"] for r in rows}
    expect("compute set" in note["step", "name"] and "assumed" in note["tile_memory", "ipu"], ctx.last, "notes")
    one_line(ctx.run("query", profile, "SELECT 1 FROM overlay.liveness_step"), "no such table", rc=2)
    ctx.run("import", profile, env=env(store))
    got = parse(ctx.run("query", "-f", "json", profile, "SELECT (SELECT count(*) FROM liveness_step) a, "
                        "(SELECT count(*) FROM overlay.liveness_step) b, (SELECT count(*) FROM main.steps) c"))
    want = parse(ctx.run("query", "-f", "json", store, "SELECT (SELECT count(*) FROM liveness_step) a, "
                         "(SELECT count(*) FROM step) c"))
    expect(got[0]["a"] == got[0]["b"] == want[0]["a"] and got[0]["c"] == want[0]["c"], ctx.last, "counts")
    for sql in ("DELETE FROM overlay.liveness_step", "DETACH overlay", "ATTACH 'x' AS y",
                "CREATE TABLE overlay.x(y)", "PRAGMA overlay.user_version = 3"):
        one_line(ctx.run("query", profile, sql), rc=2)


@case(smoke=1)
def import_summary_agrees(ctx):
    """The same questions get the same answers from the store, from the import and from the profile."""
    profile, store = reports(ctx)
    out = ctx.path("out.tilescope")
    ctx.run("import", profile, "--complete", "-o", out, env=env(store))
    got = {}
    for name, path in (("store", store), ("import", out), ("sdk", profile)):
        res = ctx.run("summary", "-f", "json", path)
        expect(res.rc == 0, res, "summary")
        got[name] = parse(res)
    for name in ("import", "sdk"):
        for block in ("memory", "execution", "graph", "target"):
            for key, want in got["store"][block].items():
                have = got[name][block][key]
                known = have is not None and not (name == "sdk" and key in ("assumed", "measured"))
                if key == "ipus" or (name == "sdk" and key in SDK_DIFFERS):    # an import has no sync types
                    continue
                if isinstance(want, dict) and name == "sdk":
                    known = False
                expect(not known or have == want, res, "%s of %s.%s: %r, of the store %r" % (
                    name, block, key, have, want))


# What gaps are is not known of a profile, so its worst tile is the one without them.
SDK_DIFFERS = {"worst_tile", "worst_tile_bytes", "mean_tile_bytes", "gaps", "variables", "clock_hz",
               "architecture", "ipus"}


@case(depth=FULL)
def import_overlay(ctx):
    """Without --complete: only what the profile lacks, and the report's directory stays as it is."""
    profile, store = reports(ctx)
    before = sorted(os.listdir(ctx.path("profile")))
    res = ctx.run("import", profile, env=env(store))
    path = res.out.decode().strip()
    expect(res.rc == 0 and path.startswith(ctx.home), res, "not below the cache directory")
    schema = parse(ctx.run("schema", "-f", "json", "--cache", "none", profile))
    bound = {r["name"] for r in schema["relations"] if r["bound"]}
    expect(not tables(path) & bound, res, "bound ones, too: %s" % (tables(path) & bound))
    expect({"program_child", "variable", "liveness_step", "run"} <= tables(path), res, "what it lacks")
    expect(sorted(os.listdir(ctx.path("profile"))) == before, res, "something lies in the report")
    again = ctx.run("import", profile, env=env(store))
    expect(again.out == res.out and again.rc == 0, again, "a second time")
    expect(len(os.listdir(os.path.dirname(path))) == 2, again, "something was left behind")
    listed = parse(ctx.run("cache", "list", "-f", "json"))
    got = listed["stores"][0]
    expect(len(listed["stores"]) == 1 and got["kind"] == "import" and not got["gone"] and
           got["path"] == os.path.realpath(profile) and got["bytes"] == os.path.getsize(path) ==
           listed["bytes"], ctx.last, "what is listed")
    os.rename(profile, profile + ".away")
    expect(b"import      " in ctx.run("cache", "list").out and b"(gone," in ctx.last.out, ctx.last, "gone")
    os.rename(profile + ".away", profile)
    res = ctx.run("cache", "clear")
    expect(res.out.endswith(b"the indexes of 0 reports and 1 store\n") and
           os.listdir(os.path.dirname(path)) == [], res, "cleared")


@case(depth=FULL)
def import_overlay_is_used(ctx):
    """The profile with its overlay answers what the store answers; another profile at its place does not."""
    profile, store = reports(ctx)
    want = parse(ctx.run("summary", "-f", "json", store))
    keys = ("always_live_bytes", "peak_not_always_live_bytes", "peak_step")
    before = parse(ctx.run("summary", "-f", "json", profile))["memory"]
    expect([before[k] for k in keys] == [None] * 3, ctx.last, "known without it")
    path = ctx.run("import", profile, env=env(store)).out.decode().strip()
    got = parse(ctx.run("summary", "-f", "json", profile))
    expect([got["memory"][k] for k in keys] == [want["memory"][k] for k in keys], ctx.last, "liveness")
    expect(got["execution"]["runs"] == want["execution"]["runs"] and got["source"] == "sdk", ctx.last, "runs")
    schema = parse(ctx.run("schema", "-f", "json", profile))
    source = {r["name"]: r["source"] for r in schema["relations"]}
    expect(source["liveness_step"] == path and source["step"].endswith("profile.pop"), ctx.last, "sources")
    again = ctx.run("import", profile, env=env(store)).out.decode().strip()
    expect(again == path and "liveness_step" in tables(path), ctx.last, "what an overlay has is asked again")
    for spoilt in (b"", b"SQLite format 3\0" + bytes(range(256)) * 20, b"x" * 5000):
        with open(path, "wb") as f:
            f.write(spoilt)
        res = ctx.run("summary", "-f", "json", profile)
        expect(res.rc in (0, 4) and parse(res)["memory"]["total_bytes"] == before["total_bytes"], res,
               "a spoilt overlay")
    ctx.run("import", profile, env=env(store))
    with sqlite3.connect(profile) as db:
        db.execute("UPDATE memory_by_tile SET total = total + 4")
    got = parse(ctx.run("summary", "-f", "json", profile))["memory"]
    expect([got[k] for k in keys] == [None] * 3, ctx.last, "the overlay of another profile is used")
    ctx.run("import", profile, env=env(store))
    expect(len(os.listdir(os.path.dirname(path))) == 2, ctx.last, "the old overlay is still there")


# Properties that raise or are missing, several in a run that do not hide each other.
LIES = {
    "compilation": ["RAISE Report.compilation", "RAISE Report.poplarVersion", "RAISE Execution.blocks"],
    "tiles": ["RAISE Compilation.tiles", "RAISE Program.children", "LACK Variable.size",
              "RAISE Run.steps"],
    "tile": ["RAISE Tile.memory", "LACK Program.codeBytesByTile", "RAISE LiveMemory.variables",
             "LACK Execution.runs"],
    "memory": ["RAISE Memory.category", "RAISE Memory.vertices", "LACK Compilation.computeSets",
               "LACK LoweredVariables.forTile", "LACK Step.ipus"],
    "region": ["RAISE Region.overlapped", "RAISE ComputeSet.vertices", "RAISE Report.execution",
               "LACK LivenessStep.notAlwaysLiveMemoryForIpu", "RAISE LoweredVariables.allBriefVars"],
    "target": ["RAISE Compilation.target", "RAISE Compilation.programs",
               "LACK Compilation.loweredVariables", "LACK StepIpu.activeCycles",
               "RAISE Operation.programs"],
    "names": ["RAISE Named.name"],
    "no-names": ["LACK Named.name"],
    "numbers": ["LACK Variable._id", "RAISE LoweredVar.unloweredVar", "RAISE Operation.vars"],
}
SILENT = {"Variable._id"}       # not a documented one: done without


@case(params=sorted(LIES), depth=FULL)
def import_lacks(ctx, which):
    """A property that is missing, or raises, costs what it gives, is listed, and breaks nothing else."""
    profile, store = reports(ctx)
    out = ctx.path("out.tilescope")
    lies = [lie.split() for lie in LIES[which]]
    told = {"STANDIN_" + how: ",".join(p for h, p in lies if h == how) for how, _ in lies}
    res = ctx.run("import", profile, "--complete", "-o", out, env=env(store, **told))
    expect(res.rc == 0, res, "import")
    said = skipped(out)
    for _, path in lies:
        word = path.split(".")[-1]
        expect(path in SILENT or any(word in s for s in said), res, "%s is not listed: %s" % (path, said))
        expect(path in SILENT or word.encode() in res.err, res, "%s is not said" % path)
    left = {t for t in GIVEN if t in tables(out)}
    expect({"operation"} <= left and (which == "compilation" or {"graph_count", "tile_always_live"} -
                                      {"tile_always_live" if which in ("target", "tiles") else ""} <=
                                      left), res,
           "only these are left: %s" % sorted(left))
    res = ctx.run("summary", "-f", "json", out)
    expect(res.rc in (0, 4), res, "the store does not open")


def properties():
    """Every property and method that the stand-in documents, as Class.name."""
    sys.path.insert(0, STANDIN)
    try:
        pva = importlib.import_module("pva")
    finally:
        sys.path.remove(STANDIN)
    return sorted("%s.%s" % (c.__name__, name) for c in vars(pva).values() if isinstance(c, type)
                  for name in vars(c) if not name.startswith("_"))


@case(params=range(6), depth=FULL)
def import_each_raises(ctx, part):
    """Each property in turn: it costs what it gives, and the store can be opened."""
    shape = ("--ipus", "1", "--tiles", "8", "--steps", "60", "--variables", "60")
    for layout in ("sdk", "store"):
        expect(ctx.run("demo", ctx.path(layout), "--layout", layout, *shape).rc == 0, None, "demo")
    store, out = ctx.path("store", "report.tilescope"), ctx.path("out.tilescope")
    some = properties()[part::6 * (1 if at_full_depth() else 4)]
    expect(some, None, "no properties")
    for path in some:
        res = ctx.run("import", ctx.path("sdk", "profile.pop"), "--complete", "-o", out,
                      env=env(store, STANDIN_RAISE=path))
        expect(res.rc == 0, res, "%s raises" % path)
        res = ctx.run("summary", "-f", "json", out)
        expect(res.rc in (0, 4), res, "%s raises: the store does not open" % path)


@case(params=["no-libpva", "no-python", "not-python", "open", "missing", "store", "unwritable"], depth=FULL)
def import_cannot(ctx, why):
    """One line that says what is wrong, its exit status, and nothing left behind."""
    profile, store = reports(ctx)
    out = ctx.path("out.tilescope")
    with open(out, "w") as f:
        f.write("before")
    what = {"no-libpva": ((profile,), {"PYTHONPATH": ""}, 3, "libpva"),
            "no-python": ((profile, "--python", "/nowhere/python3"), {}, 3, "--python"),
            "not-python": ((profile, "--python", "/bin/false"), {}, 3, "does not say why"),
            "open": ((profile,), {"STANDIN_OPEN": "bad\nnews\x1b[31m"}, 3, "cannot open"),
            "missing": ((ctx.path("nothing"),), {}, (2, 3), "nothing"),
            "store": ((store,), {}, 2, "store already"),
            "unwritable": ((profile, "-o", "/proc/nowhere"), {}, 3, "cannot write")}[why]
    args = what[0] if "-o" in what[0] else what[0] + ("-o", out)
    before = sorted(os.listdir(ctx.dir))
    res = ctx.run("import", *args, env=dict(env(store), **what[1]))
    one_line(res, what[3], rc=what[2])
    expect(res.out == b"" and sorted(os.listdir(ctx.dir)) == before, res, "something was left behind")
    with open(out) as f:
        expect(f.read() == "before", res, "the old store is gone")


@case(params=["INT", "TERM"], depth=FULL)
def import_cancelled(ctx, name):
    """Interrupted in the midst: exit 130, the old store stays, the other program is gone."""
    profile, store = reports(ctx)
    out = ctx.path("out.tilescope")
    with open(out, "w") as f:
        f.write("before")
    proc = subprocess.Popen([ctx.program, "import", profile, "--complete", "-o", out],
                            env=ctx.env(**env(store, STANDIN_HANG="1")), stdout=subprocess.PIPE,
                            stderr=subprocess.PIPE, start_new_session=True)
    while not any(f.endswith(".tmp") for f in os.listdir(ctx.dir)):
        expect(proc.poll() is None, None, "it ended by itself: %r" % (proc.stderr.read()
                                                                       if proc.poll() else b""))
        time.sleep(0.02)
    proc.send_signal(getattr(signal, "SIG" + name))
    said, complaint = proc.communicate(timeout=120)
    expect(proc.returncode == 130, None, "exit status %s: %r" % (proc.returncode, complaint))
    expect(not [f for f in os.listdir(ctx.dir) if f.endswith(".tmp")], None, "a temporary file")
    with open(out) as f:
        expect(f.read() == "before" and said == b"", None, "the old store is gone")


PEAK = """#!/usr/bin/env python3
import resource, runpy, sys
sys.argv = sys.argv[2:]
try:
    runpy.run_path(sys.argv[0], run_name='__main__')
finally:
    with open(%r, 'w') as f:
        f.write(str(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss))
"""


@case(depth=FULL)
def import_bounded(ctx):
    """Ten times the variables take as much memory (8 million of them: by hand)."""
    profile, store = reports(ctx)
    python = ctx.path("python")
    peaks = []
    with open(python, "w") as f:
        f.write(PEAK % ctx.path("peak"))
    os.chmod(python, 0o755)
    for n in (10000, 100000):
        res = ctx.run("import", profile, "--complete", "-o", ctx.path("out"), "--python", python,
                      env=env(store, STANDIN_VARS=str(n)))
        expect(res.rc == 0, res, "import")
        expect(rows(ctx.path("out"), "SELECT COUNT(*) FROM lowered_variable") == [(n,)], res, "rows")
        with open(ctx.path("peak")) as f:
            peaks.append(int(f.read()))
    expect(peaks[1] - peaks[0] < 24 << 10, res, "KiB at most: %s" % peaks)
