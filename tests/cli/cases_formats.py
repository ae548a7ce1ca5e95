# SPDX-License-Identifier: MIT
"""cases_formats - text, CSV and Markdown beside JSON, and the verb schema."""

import csv
import io
import re
import sqlite3

from . import reports
from .harness import case, every_format, expect, one_line, parse, plain, schema_ok


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


@case()
def names_of_another_kind(ctx):
    """No table has a known name: no report, but `schema` shows what is there."""
    rep = plain(ctx, 37, ipus=2, vars=0)
    with sqlite3.connect(rep.profile) as db:
        for t in reports.COLUMNS:
            db.execute("ALTER TABLE %s RENAME TO my_%s" % (t, t))
    res = ctx.run("schema", rep.dir)
    for word in (b"my_steps_by_ipu", b"step_id", b"my_programs", b"no report"):
        expect(word in res.out, res, "schema does not name %s" % word.decode())
    one_line(ctx.run("summary", rep.dir), "my_", rc=3)
