# SPDX-License-Identifier: MIT
"""cases_demo - the reports that `tilescope demo` writes, held to the oracle."""

import hashlib
import itertools
import os
import sqlite3

from . import oracle
from . import reports
from .harness import (FULL, case, compare, every_format, expect, one_line, parse, schema_ok, snapshot,
                     summarise, untouched)
from .profile_oracle import relations


def demo_report(ctx, layout, *more, name="demo"):
    d = ctx.path(name)
    res = ctx.run("demo", d, "--layout", layout, "--scale", "small", *more)
    expect(res.rc == 0, res, "exit status")
    f = os.path.join(d, "report.tilescope" if layout == "store" else "profile.pop")
    expect(os.path.exists(f), res, "%s was not written" % f)
    left = [n for n in os.listdir(d) if n.endswith(("-wal", "-journal", ".tmp", "-shm"))]
    expect(not left, res, "left-overs: %s" % left)
    return d, f


@case(params=[(), ("--ipus", "1", "--tiles", "1216"), ("--ipus", "4", "--seed", "9"), ("--oom",),
              ("--ipus", "2", "--tiles", "100", "--steps", "50", "--variables", "500")], sample=1, smoke=1)
def demo_sdk(ctx, more):
    """The demo in the SDK's layout against the oracle."""
    d, f = demo_report(ctx, "sdk", *more)
    rep = oracle.foreign(d)
    got, res = summarise(ctx, rep, parts=parts_there(d))
    expect(got["memory"]["fits"] is (None if "100" in more else "--oom" not in more), res,
           "verdict of the demo")
    schema_ok(ctx, rep)
    every_format(ctx, rep)


@case(params=[(), ("--ipus", "1", "--tiles", "1216"), ("--ipus", "4", "--seed", "9"), ("--oom",),
              ("--ipus", "2", "--tiles", "100", "--steps", "50", "--variables", "500")], sample=1, smoke=1)
def demo_store(ctx, more):
    """The demo as a store against the relations in it."""
    d, f = demo_report(ctx, "store", *more)
    exp = oracle.store_summary(f, d)
    for path in (d, f):
        before = snapshot(d)
        res = ctx.run("summary", "-f", "json", path)
        untouched(before, d, res)
        got = parse(res)
        exp.object["path"] = oracle.OneOf(path, d, f)
        exp.object["parts"] = got["parts"]
        exp.maybe = True
        compare(res, exp, got, (0,))


STORE = ["report", "target", "engine_option", "host", "graph_count", "ipu", "tile_memory",
         "memory_category", "tile_category", "vertex_type", "tile_vertex", "lowered_variable",
         "class_interval", "program", "program_variable", "program_child", "program_root",
         "compute_set", "compute_set_vertex", "liveness_step", "liveness_step_ipu", "variable",
         "liveness_variable", "tile_always_live", "run", "step", "step_ipu", "block"]
SMALL = ("--ipus", "2", "--tiles", "100", "--steps", "50", "--variables", "500")


@case(smoke=1)
def store_without_indexes(ctx):
    """A store without indexes must work, and say the same; under any name."""
    d, f = demo_report(ctx, "store", *SMALL)
    want = parse(ctx.run("summary", "-f", "json", f))
    db = sqlite3.connect(f)
    for name, in list(db.execute("SELECT name FROM sqlite_master WHERE type='index' AND sql "
                                 "IS NOT NULL")):
        db.execute('DROP INDEX "%s"' % name)
    db.commit()
    db.close()
    other = ctx.path("some other name")
    os.rename(f, other)
    res = ctx.run("summary", "-f", "json", other)
    expect(res.rc == 0, res, "exit status")
    got = parse(res)
    want["path"] = got["path"]
    want["parts"] = got["parts"]
    diff = oracle.differences(want, got)
    expect(not diff, res, "\n".join(diff))


@case(params=STORE, sample=7, smoke=1)
def store_without(ctx, relation):
    """A relation less switches off what needs it and nothing else."""
    d, f = demo_report(ctx, "store", "--no-archive", *SMALL)   # which would stand in
    want = parse(ctx.run("summary", "-f", "json", f))
    db = sqlite3.connect(f)
    kinds = dict(db.execute("SELECT name, type FROM sqlite_master"))
    expect(relation in kinds or relation in ("block", "host"), ctx.last,
           "the store has no relation %s" % relation)
    if relation in kinds:
        db.execute('DROP %s "%s"' % (kinds[relation], relation))
    db.commit()
    db.close()
    res = ctx.run("summary", "-f", "json", f)
    if relation == "report":        # what made it a store
        expect(res.rc in (0, 3), res, "exit status")
        return
    expect(res.rc == 0, res, "exit status")
    got = parse(res)
    gone = {"tile_memory": ["memory"], "target": ["target", "memory"], "step": ["execution"],
            "step_ipu": ["execution"], "run": ["execution"], "program": ["graph", "execution"],
            "compute_set": ["graph", "execution"], "graph_count": ["graph"],
            "variable": ["graph"], "memory_category": ["memory"], "tile_category": ["memory"],
            "liveness_step": ["memory"], "ipu": ["target"]}.get(relation, [])
    for k in ("memory", "execution", "graph", "target"):
        if k not in gone:
            diff = oracle.differences(want[k], got[k], k)
            expect(not diff, res, "\n".join(diff))
    if relation in ("step", "step_ipu"):
        expect(got["execution"]["ipus"] is None, res, "execution.ipus")
    if relation == "tile_memory":
        expect(got["memory"]["total_bytes"] is None and got["memory"]["fits"] is None, res,
               "memory without tile_memory")


@case(params=[("tile_memory", "tile"), ("tile_memory", "total"), ("tile_memory", "total_gaps"),
              ("tile_memory", "overflowed"), ("tile_memory", "always_live"), ("target", "ipus"),
              ("target", "tiles_per_ipu"), ("target", "bytes_per_tile"), ("target", "clock_hz"),
              ("target", "type"), ("graph_count", "value"), ("tile_category", "not_overlapped"),
              ("tile_category", "category"), ("memory_category", "name"), ("step", "step"),
              ("step", "type"), ("step_ipu", "ipu"), ("step_ipu", "cycles"), ("step_ipu", "start"),
              ("step_ipu", "end"), ("liveness_step", "live_step"), ("run", "run"),
              ("liveness_step", "not_always_live"), ("variable", "bytes"), ("report", "value"),
              ("program", "program"), ("compute_set", "compute_set")], sample=6, smoke=1)
def store_bad_numbers(ctx, p):
    """Bad values in a store: nothing dies, and what does not need the column stays."""
    rel, col = p
    d, f = demo_report(ctx, "store", *SMALL)
    want = parse(ctx.run("summary", "-f", "json", f))
    db = sqlite3.connect(f, isolation_level=None)
    db.execute("CREATE TABLE z AS SELECT * FROM %s" % rel)
    db.execute("DROP TABLE %s" % rel)
    db.execute("ALTER TABLE z RENAME TO %s" % rel)
    rows = [r[0] for r in db.execute("SELECT rowid FROM %s" % rel)]
    for i, value in enumerate(reports.BAD_NUMBERS):
        where = " AND key <> 'store_version'" if rel == "report" else ""
        db.execute('UPDATE %s SET "%s"=? WHERE rowid=?%s' % (rel, col, where),
                   [value, rows[i * 7 % len(rows)]])
    db.close()
    before = snapshot(d)
    for args in (("-f", "json"), (), ("-f", "csv"), ("-f", "md")):
        res = ctx.run("summary", *args, f)
        untouched(before, d, res)
        expect(res.rc in ((0, 4) if rel in ("tile_memory", "target") else (0,)), res, "exit status")
        if args == ("-f", "json"):
            got = parse(res)
    gone = {"tile_memory": ["memory"], "target": ["target", "memory"], "step": ["execution"],
            "step_ipu": ["execution"], "run": ["execution"], "program": ["graph", "execution"],
            "compute_set": ["graph", "execution"], "graph_count": ["graph"],
            "variable": ["graph"], "memory_category": ["memory"], "tile_category": ["memory"],
            "liveness_step": ["memory"], "report": ["execution", "target"]}[rel]
    for k in ("memory", "execution", "graph", "target"):
        if k not in gone:
            diff = oracle.differences(want[k], got[k], k)
            expect(not diff, res, "\n".join(diff))
    if (rel, col) in (("tile_memory", "total"), ("step_ipu", "cycles"), ("step_ipu", "start"),
                      ("tile_category", "not_overlapped"), ("liveness_step", "not_always_live")):
        expect(got["warnings"], res, "no warning")


@case()
def demo_by_seed(ctx):
    """One seed, one file; another seed, another."""
    sums = []
    for i, seed in enumerate(("5", "5", "6")):
        _, f = demo_report(ctx, "profile", "--seed", seed, name="d%d" % i)
        with open(f, "rb") as h:
            sums.append(hashlib.sha256(h.read()).hexdigest())
    expect(sums[0] == sums[1], ctx.last, "the same seed gave two files")
    expect(sums[0] != sums[2], ctx.last, "two seeds gave the same file")


@case()
def demo_layouts_agree(ctx):
    """Both layouts of a seed tell the same story."""
    a, _ = demo_report(ctx, "sdk", name="a")
    b, _ = demo_report(ctx, "store", name="b")
    one = parse(ctx.run("summary", "-f", "json", a))
    two = parse(ctx.run("summary", "-f", "json", b))
    for k in ("tiles", "total_bytes"):
        expect(one["memory"][k] == two["memory"][k], ctx.last, "memory.%s" % k)
    expect(one["execution"]["steps"] == two["execution"]["steps"], ctx.last, "steps")
    expect(one["execution"]["ipus"] == two["execution"]["ipus"], ctx.last, "ipus")
    expect(one["graph"]["compute_sets"] == two["graph"]["compute_sets"], ctx.last, "compute_sets")


@case()
def demo_sdk_names(ctx):
    """--sdk-names varies the names that were not seen; the figures stay."""
    base, _ = demo_report(ctx, "sdk", name="base")
    want = parse(ctx.run("summary", "-f", "json", base))
    for i in ("1", "2"):
        d = ctx.path("n" + i)
        res = ctx.run("demo", d, "--layout", "sdk", "--scale", "small", "--sdk-names", i)
        if res.rc == 2:
            break
        expect(res.rc == 0, res, "exit status")
        got = parse(ctx.run("summary", "-f", "json", d))
        for k in ("memory", "execution", "graph", "target"):
            diff = oracle.differences(want[k], got[k], k)
            expect(not diff, ctx.last, "\n".join(diff[:10]))


@case()
def demo_default(ctx):
    """Without DIR: below the cache directory, nowhere else."""
    res = ctx.run("demo", "--scale", "small")
    expect(res.rc == 0, res, "exit status")
    found = [os.path.join(r, n) for r, _, ns in os.walk(ctx.home) for n in ns
             if n in ("profile.pop", "report.tilescope")]
    expect(len(found) == 1 and "/cache/" in found[0], res, "written to %s" % found)
    expect(os.listdir(ctx.dir) == ["home"], res, "something in the working directory")


@case()
def demo_errors(ctx):
    """A place that cannot be written."""
    with open(ctx.path("file"), "w"):
        pass
    res = ctx.run("demo", ctx.path("file", "x"), "--scale", "small")
    one_line(res)
    expect(res.rc in (2, 3), res, "exit status")


def parts_there(d):
    """States of parts by the files in a directory that the demo wrote whole."""
    names = {"archive": "archive.a", "debug": "debug.cbor", "framework": "framework.json",
             "app": "app.json", "vars": "vars.json"}
    return {k: "ok" for k, n in names.items() if os.path.exists(os.path.join(d, n))}


@case(params=[("--ipus", "1", "--tiles", "40", "--steps", "200", "--seed", "3"), ("--ipus", "2", "--tiles", "64", "--steps", "400")], depth=FULL)
def lives_do_not_overlap(ctx, more):
    """Nothing is alive twice at one time, so that a step's bytes are the sum of what is alive then; nothing is warned of."""
    d, f = demo_report(ctx, "store", "--variables", "2500", "--no-archive", *more)
    db = sqlite3.connect(f)
    for table, key in (("class_interval", "class"), ("liveness_variable", "variable")):
        rows = db.execute("SELECT {1}, start, end FROM {0} WHERE start < end ORDER BY 1, 2".format(table, key)).fetchall()
        twice = sum(a[0] == b[0] and b[1] < a[2] for a, b in zip(rows, rows[1:]))
        expect(twice == 0, None, "%d pairs of %s overlap" % (twice, table))
    steps = dict(db.execute("SELECT live_step, not_always_live FROM liveness_step"))
    change = [0] * (max(steps) + 2)
    for start, end, size in db.execute("SELECT start, end, bytes FROM liveness_variable JOIN variable USING (variable) "
                                       "WHERE NOT always_live"):
        change[min(start, len(change) - 1)] += size
        change[min(end, len(change) - 1)] -= size
    alive = list(itertools.accumulate(change))
    wrong = sum(alive[step] != size for step, size in steps.items())
    db.close()
    expect(wrong == 0, None, "%d steps have other bytes than what is alive" % wrong)
    res = ctx.run("summary", "-f", "json", d)
    expect(parse(res)["warnings"] == [], res, "it warns of the demo")


@case()
def code_lies_where_its_variables_lie(ctx):
    """Functions of the archive are where the profile's variables of that name are."""
    d, f = demo_report(ctx, "profile", "--ipus", "2", "--tiles", "16", "--steps", "60")
    at, base = relations(f).execute("SELECT \"offset\", memory_base FROM lowered_variable, target WHERE tile = 5 AND "
                                    "name = '.text.supervisor.control_main'").fetchone()
    res = ctx.run("render", d, "--cache", "none", "--size", "120x40", "--at", "memory?tile=5&pane=tabs&tab=code")
    line = [n for n in res.out.decode().split("\n") if "supervisor.control_main" in n]
    expect(len(line) == 1 and line[0].rstrip().endswith(hex(base + at)), res, "control code lies at %s" % hex(base + at))
