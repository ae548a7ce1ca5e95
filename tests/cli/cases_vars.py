# SPDX-License-Identifier: MIT
"""cases_vars - vars.json as the source of lowered variables, whole, in disorder, damaged."""

import json
import os
import sqlite3

from .harness import case, expect, parse

SHAPE = ("--ipus", "1", "--tiles", "6", "--steps", "100", "--variables", "400", "--no-archive")
ROWS = ("SELECT id, tile, name, bytes, \"offset\", alignment, category_name(category) AS category, class, always_live "
        "FROM lowered_variable ORDER BY id")
KEYS = ("tile", "name", "sizeBytes", "offset", "alignment", "category", "equivalenceClass", "alwaysLive")


def rows_of(ctx, profile, sql=ROWS, **env):
    res = ctx.run("query", "-f", "json", profile, sql, env=env)
    expect(res.rc == 0, res, "query")
    return [tuple(r.values()) for r in json.loads(res.out)]


def report(ctx, disorder=False):
    """A profile without lowered variables, vars.json with them beside it, and what they are."""
    res = ctx.run("demo", ctx.path("profile"), *SHAPE)
    expect(res.rc == 0, res, "the demo report cannot be written")
    profile = ctx.path("profile", "profile.pop")
    rows = rows_of(ctx, profile)
    with sqlite3.connect(profile) as db:
        db.execute("DROP TABLE vars_info")
        db.execute("ALTER TABLE target_info RENAME COLUMN memoryElementOffsets TO x")
    listed = [{"var": r[0], "info": dict(zip(KEYS, r[1:]), alwaysLive=bool(r[8]), allocated=True)} for r in rows]
    listed.append({"var": 10 ** 6, "info": {"allocated": False, "name": "never", "sizeBytes": 1 << 40}})
    if disorder:
        listed.sort(key=lambda v: v["var"] * 7919 % 1009)
    with open(ctx.path("profile", "vars.json"), "w") as f:
        json.dump({"numTiles": 6, "vars": listed, "equivalenceClassInterference": [[1], [0]],
                   "targetMemoryInfo": {"tileMemory": 638976, "interleavedMemoryStart": 32768,
                                        "memoryElementOffsets": [0, 16384, 32768]}}, f)
    return profile, rows


@case(params=["order", "disorder"])
def vars_json_stands_in(ctx, p):
    """Its variables are rows like others; nothing is written beside the report, and no temporary file is left."""
    profile, want = report(ctx, p == "disorder")
    before = sorted(os.listdir(ctx.path("profile")))
    os.mkdir(ctx.path("tmp"))
    got = rows_of(ctx, profile, TMPDIR=ctx.path("tmp"))
    expect(got == want and len(want) > 400, ctx.last, "rows")
    expect(rows_of(ctx, profile, "SELECT * FROM memory_element") ==
           [(0, 0, 16384, 0), (1, 16384, 16384, 0), (2, 32768, 606208, 1)], ctx.last, "elements")
    res = ctx.run("summary", "-f", "json", profile)
    expect(res.rc == 0 and parse(res)["parts"]["vars"] == "ok", res, "summary")
    expect(sorted(os.listdir(ctx.path("profile"))) == before and os.listdir(ctx.path("tmp")) == [], res,
           "what is left")


@case()
def vars_json_of_no_use(ctx):
    """A profile that has lowered variables is asked, not vars.json."""
    res = ctx.run("demo", ctx.path("profile"), *SHAPE)
    with open(ctx.path("profile", "vars.json"), "w") as f:
        f.write('{"vars": [')
    expect(len(rows_of(ctx, ctx.path("profile"))) > 400 and ctx.last.err == b"", ctx.last, "rows")
    res = ctx.run("summary", "-f", "json", ctx.path("profile"))
    expect(res.rc == 0, res, "summary")


@case(params=["cut", "empty", "junk", "deep", "changed"], sample=2, smoke=1)
def vars_json_damaged(ctx, p):
    """Damage is said with its place, exit 4; what comes before it is shown."""
    profile, want = report(ctx)
    path = ctx.path("profile", "vars.json")
    with open(path) as f:
        text = f.read()
    if p == "changed":
        ctx.run("summary", profile)
        with open(path, "w") as f:
            f.write(text.replace('"category": "stack"', '"category": "heap"'))
        got = {r[6] for r in rows_of(ctx, profile)}
        expect("heap" in got and "stack" not in got, ctx.last, "the old one was shown")
        return
    with open(path, "w") as f:
        f.write({"cut": text[:len(text) // 2], "empty": "", "junk": "\0\1\2" * 999,
                 "deep": "[" * 100000}[p])
    res = ctx.run("summary", "-f", "json", profile)
    got = parse(res)
    expect(res.rc == 4 and got["parts"]["vars"] == "damaged", res, "the part's state")
    expect(any("vars.json" in w for w in got["warnings"]), res, "the warning")
    if p == "cut":
        for sql, rc in ((ROWS, 4), ("SELECT * FROM target", 0)):
            res = ctx.run("query", "-f", "json", profile, sql)
            expect(res.rc == rc and (b"vars.json" in res.err) == (rc == 4), res, "what a query says of it")
    res = ctx.run("query", "-f", "json", profile, ROWS)
    if p == "cut":
        got = [tuple(r.values()) for r in json.loads(res.out)]
        expect(0 < len(got) < len(want) and set(got) <= set(want), res, "rows before it")
    else:
        expect(res.rc == 2 and b"lowered_variable" in res.err, res, "no rows")
