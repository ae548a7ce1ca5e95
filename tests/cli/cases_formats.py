# SPDX-License-Identifier: MIT
"""cases_formats - text, CSV and Markdown beside JSON, and the verb schema."""

import csv
import io
import os
import re
import sqlite3

from . import oracle
from . import reports
from .harness import case, compare, every_format, expect, one_line, parse, plain, schema_ok


@case()
def formats(ctx):
    every_format(ctx, plain(ctx, 32))


@case()
def formats_empty(ctx):
    """Nothing recorded but programs: every format stands it."""
    every_format(ctx, plain(ctx, 33, missing_tables=["memory_by_tile", "steps", "steps_by_ipu",
                                                     "vars_info"]))


@case()
def text_verdict(ctx):
    """The text says whether the report fits."""
    a = ctx.run("summary", plain(ctx, 34, "fits", fits=True).dir)
    b = ctx.run("summary", plain(ctx, 34, "over", fits=False).dir)
    expect(a.rc == 0 and b.rc == 0, b, "exit status")
    expect(re.search(rb"fits", a.out, re.I), a, "no verdict")
    expect(re.search(rb"does not fit|over|out of memory", b.out, re.I), b, "no verdict")


@case()
def csv_several(ctx):
    """One row per report."""
    reps = [plain(ctx, s, "r%d" % s) for s in (1, 2, 3)]
    res = ctx.run("summary", "-f", "csv", *[r.dir for r in reps])
    expect(res.rc == 0, res, "exit status")
    rows = list(csv.reader(io.StringIO(res.out.decode()), strict=True))
    expect(len(rows) == 4 and len({len(r) for r in rows}) == 1, res, "rows")
    for r, row in zip(reps, rows[1:]):
        expect(any(r.dir in c for c in row), res, "no path in the row")


@case()
def schema_says_why(ctx):
    """What did not bind is named, with the table or column that is missing."""
    rep = plain(ctx, 35, missing_tables=["var_categories"],
                missing_columns=[("steps_by_ipu", "cycles_base"), ("memory_by_tile", "total")])
    got, out = schema_ok(ctx, rep)
    for word in ("var_categories", "cycles_base", "total"):
        expect(word in out, ctx.last, "schema does not say that %s is missing" % word)


@case()
def schema_names_the_ipu_column(ctx):
    rep = plain(ctx, 36, ipus=2, ipu="renamed")
    db = sqlite3.connect(rep.profile)
    cols = [r[1] for r in db.execute("PRAGMA table_info(steps_by_ipu)")]
    db.close()
    name = [c for c in cols if c in ("chip", "q_dev", "which")][0]
    got, out = schema_ok(ctx, rep)
    expect(name in out, ctx.last, "schema does not say where the IPU comes from")


MAP = """# names of another SDK
map mine "An SDK that names things differently"
recognise exec_steps
relation tile_memory mem
column tile position
column total bytes
relation program progs
column program no
column name title
relation compute_set sets
column compute_set no
column name title
relation step exec_steps
column step no
column type kind
column program prog
column compute_set cset
relation step_ipu exec_by_ipu
column step step_no
column ipu by-values(step_no) order-in(step_no)
column cycles cyc
column start base+a
column end base+b
"""


@case(params=["map", "none", "damaged-map"])
def users_schema_map(ctx, p):
    """Other names: `schema` shows what is there; a map of the user's binds it, its errors named."""
    rep = plain(ctx, 37, ipus=2, vars=0)
    db = sqlite3.connect(rep.profile, isolation_level=None)
    for sql in ("CREATE TABLE mem AS SELECT total AS bytes FROM memory_by_tile ORDER BY rowid",
                "CREATE TABLE progs AS SELECT id AS no, name AS title FROM programs",
                "CREATE TABLE sets AS SELECT compute_set AS no, name AS title FROM compute_sets",
                "CREATE TABLE exec_steps AS SELECT id AS no, type AS kind, program AS prog, "
                "compute_set AS cset FROM steps ORDER BY rowid",
                "CREATE TABLE exec_by_ipu AS SELECT step_id AS step_no, ipu AS chip, cycles AS "
                "cyc, cycles_base AS base, active_cycles_from_min AS a, active_cycles_to_max AS b "
                "FROM steps_by_ipu ORDER BY rowid"):
        db.execute(sql)
    for t in reports.COLUMNS:
        db.execute("DROP TABLE %s" % t)
    db.execute("VACUUM")
    db.close()
    rep.sql = {
        "memory_by_tile": "SELECT bytes AS total FROM mem ORDER BY rowid",
        "programs": "SELECT no AS id, title AS name FROM progs",
        "compute_sets": "SELECT no AS compute_set, title AS name FROM sets",
        "steps": "SELECT no AS id, kind AS type, prog AS program, cset AS compute_set "
                 "FROM exec_steps ORDER BY rowid",
        "steps_by_ipu": "SELECT step_no AS step_id, chip AS ipu, cyc AS cycles, base AS "
                        "cycles_base, a AS active_cycles_from_min, b AS active_cycles_to_max "
                        "FROM exec_by_ipu ORDER BY rowid",
        "vars_info": None, "var_categories": None}
    rep.columns["memory_by_tile"] = ["total"]
    if p == "none":
        res = ctx.run("schema", rep.dir)
        for word in (b"exec_by_ipu", b"chip", b"progs", b"title"):
            expect(word in res.out, res, "schema does not name %s" % word.decode())
        one_line(ctx.run("summary", rep.dir), "exec_steps", rc=3)
        return
    where = os.path.join(ctx.home, "config", "tilescope", "schemas")
    os.makedirs(where)
    broken = "nonsense \x1b[31m here\n" if p == "damaged-map" else ""
    with open(os.path.join(where, "mine.schema"), "w") as f:
        f.write(MAP + broken)
    exp = oracle.summary(rep)
    res = ctx.run("summary", "-f", "json", rep.dir)
    got = parse(res)
    if broken:
        expect(any("mine.schema:%d:" % (MAP.count("\n") + 1) in w for w in
                   got["warnings"] + res.err.decode().splitlines()), res, "no file:line: reason")
        exp.maybe = True
    compare(res, exp, got)
    res = ctx.run("schema", rep.dir)
    expect(res.rc == 0 and b"mine" in res.out and b"chip" in res.out, res, "schema")
