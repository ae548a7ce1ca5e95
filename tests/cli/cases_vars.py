# SPDX-License-Identifier: MIT
"""cases_vars - vars.json as the source of lowered variables, whole, in disorder, damaged."""

import json
import os
import sqlite3

from .harness import case, expect, parse

SHAPE = ("--ipus", "1", "--tiles", "6", "--steps", "100", "--variables", "400")


def variables(store):
    with sqlite3.connect(store) as db:
        return db.execute("SELECT id, tile, v.name, bytes, \"offset\", alignment, c.name, class, always_live "
                          "FROM lowered_variable v JOIN memory_category c USING (category) "
                          "ORDER BY id").fetchall()


def report(ctx, disorder=False):
    """A profile without lowered variables, vars.json with them beside it, and what they are."""
    for layout, name in (("sdk", "profile"), ("store", "store")):
        res = ctx.run("demo", ctx.path(name), "--layout", layout, *SHAPE)
        expect(res.rc == 0, res, "the demo report cannot be written")
    profile = ctx.path("profile", "profile.pop")
    whole = parse(ctx.run("summary", "-f", "json", profile))
    rows = variables(ctx.path("store", "report.tilescope"))
    with sqlite3.connect(profile) as db:
        db.execute("DROP TABLE vars_info")
    keys = ("tile", "name", "sizeBytes", "offset", "alignment", "category", "equivalenceClass", "alwaysLive")
    listed = [{"var": r[0], "info": dict(zip(keys, r[1:]), alwaysLive=bool(r[8]), allocated=True)}
              for r in rows]
    listed.append({"var": 10 ** 6, "info": {"allocated": False, "name": "never", "sizeBytes": 1 << 40}})
    if disorder:
        listed.sort(key=lambda v: v["var"] * 7919 % 1009)
    with open(ctx.path("profile", "vars.json"), "w") as f:
        json.dump({"numTiles": 6, "vars": listed, "equivalenceClassInterference": [[1], [0]],
                   "targetMemoryInfo": {"tileMemory": 638976, "interleavedMemoryStart": 32768,
                                        "memoryElementOffsets": [0, 16384, 32768]}}, f)
    return profile, rows, whole


def rows_of(ctx, profile, sql, *args):
    res = ctx.run("query", "-f", "json", *args, profile, sql)
    expect(res.rc == 0, res, "query")
    return [tuple(r.values()) for r in json.loads(res.out)]


@case(params=["order", "disorder"])
def vars_json_stands_in(ctx, p):
    """Its variables are rows like others; nothing is written beside the report, and no temporary file is left."""
    profile, want, whole = report(ctx, p == "disorder")
    before = sorted(os.listdir(ctx.path("profile")))
    os.mkdir(ctx.path("tmp"))
    res = ctx.run("summary", "-f", "json", profile, env={"TMPDIR": ctx.path("tmp")})
    got = parse(res)
    expect(res.rc == 0 and got["parts"]["vars"] == "ok", res, "summary")
    expect(got["memory"]["categories"] == whole["memory"]["categories"], res, "categories")
    sql = ("SELECT id, tile, name, bytes, \"offset\", alignment, class, always_live "
           "FROM lowered_variable ORDER BY id")
    expect(rows_of(ctx, profile, sql) == [r[:6] + r[7:] for r in want], ctx.last, "rows")
    expect(rows_of(ctx, profile, "SELECT * FROM memory_element") ==
           [(0, 0, 16384, 0), (1, 16384, 16384, 0), (2, 32768, 606208, 1)], ctx.last, "elements")
    expect(sorted(os.listdir(ctx.path("profile"))) == before and os.listdir(ctx.path("tmp")) == [], res,
           "what is left")


@case()
def vars_json_of_no_use(ctx):
    """A profile that has lowered variables is asked, not vars.json."""
    profile, _, whole = report(ctx)
    other = ctx.path("other")
    ctx.run("demo", other, "--layout", "sdk", *SHAPE)
    with open(os.path.join(other, "vars.json"), "w") as f:
        f.write('{"vars": [')
    res = ctx.run("summary", "-f", "json", other)
    expect(res.rc == 0 and parse(res)["memory"]["categories"] == whole["memory"]["categories"], res, "categories")


@case(params=["cut", "empty", "junk", "deep", "changed"], sample=2, smoke=1)
def vars_json_damaged(ctx, p):
    """Damage is said with its place, exit 4; what comes before it is shown."""
    profile, want, whole = report(ctx)
    path = ctx.path("profile", "vars.json")
    with open(path) as f:
        text = f.read()
    if p == "changed":
        ctx.run("summary", profile)
        with open(path, "w") as f:
            f.write(text.replace('"category": "stack"', '"category": "heap"'))
        got = parse(ctx.run("summary", "-f", "json", profile))["memory"]["categories"]
        expect("heap" in got and "stack" not in got, ctx.last, "the old one was shown")
        return
    with open(path, "w") as f:
        f.write({"cut": text[:len(text) // 2], "empty": "", "junk": "\0\1\2" * 999,
                 "deep": "[" * 100000}[p])
    res = ctx.run("summary", "-f", "json", profile)
    got = parse(res)
    expect(res.rc == 4 and got["parts"]["vars"] == "damaged", res, "the part's state")
    expect(any("vars.json" in w for w in got["warnings"]), res, "the warning")
    expect(bool(got["memory"]["categories"]) == (p == "cut"), res, "what is shown")
    expect(got["memory"]["total_bytes"] == whole["memory"]["total_bytes"], res, "the rest")
