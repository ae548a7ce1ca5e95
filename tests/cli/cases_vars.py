# SPDX-License-Identifier: MIT
"""cases_vars - vars.json as the source of lowered variables, whole, in disorder, damaged."""

import json
import os
import sqlite3

from .harness import case, expect, parse
from .profile_oracle import relations

SHAPE = ("--ipus", "1", "--tiles", "6", "--steps", "100")


def report(ctx, disorder=False):
    """A profile without lowered variables, vars.json with them beside it, and what they are."""
    res = ctx.run("demo", ctx.path("profile"), *SHAPE)
    expect(res.rc == 0, res, "the demo report cannot be written")
    profile = ctx.path("profile", "profile.pop")
    whole = parse(ctx.run("summary", "-f", "json", profile))
    rows = relations(profile).execute(
        'SELECT id, tile, v.name, bytes, "offset", alignment, c.name, class, always_live FROM lowered_variable v JOIN '
        'memory_category c USING (category) ORDER BY id').fetchall()
    with sqlite3.connect(profile) as db:
        db.execute("DROP TABLE vars_info")
        db.execute("DROP TABLE memory_by_category")     # which says what they come to
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


def stores(where):
    """What is kept there, but for the notes of which file it was made."""
    return [n for n in os.listdir(where) if not n.endswith(".path")]


@case(params=["cache", "none", "disorder"])
def vars_json_stands_in(ctx, p):
    """Its variables are rows like others; a second time they are found in the cache."""
    profile, want, whole = report(ctx, p == "disorder")
    args = ("--cache", "none") if p == "none" else ()
    res = ctx.run("summary", "-f", "json", profile, *args)
    got = parse(res)
    expect(res.rc == 0 and got["parts"]["vars"] == "ok", res, "summary")
    expect(got["memory"]["categories"] == whole["memory"]["categories"], res, "categories")
    sql = ("SELECT id, tile, name, bytes, \"offset\", alignment, class, always_live "
           "FROM lowered_variable ORDER BY id")
    if p != "none":     # a query has no --cache
        expect(rows_of(ctx, profile, sql) == [r[:6] + r[7:] for r in want], ctx.last, "rows")
        expect(len(rows_of(ctx, profile, "SELECT * FROM memory_element")) == 26, ctx.last, "the profile's own elements")
    kept = os.path.join(ctx.home, "cache", "tilescope", "import")
    expect(len(stores(kept)) == 1 if p != "none" else not os.path.exists(kept), res, "what is kept")
    expect(sorted(os.listdir(ctx.path("profile"))) == sorted(
        {"profile.pop", "vars.json"} | set(os.listdir(ctx.path("profile")))), res, "beside the report")


@case()
def vars_json_of_no_use(ctx):
    """A profile that has lowered variables is asked, not vars.json."""
    profile, _, whole = report(ctx)
    other = ctx.path("other")
    ctx.run("demo", other, *SHAPE)
    os.rename(ctx.path("profile", "vars.json"), os.path.join(other, "vars.json"))
    res = ctx.run("summary", "-f", "json", other)
    expect(parse(res)["memory"]["categories"] == whole["memory"]["categories"], res, "categories")
    expect(not os.path.exists(os.path.join(ctx.home, "cache")), res, "it was read")


@case(params=["cut", "empty", "junk", "deep", "changed"], sample=2, smoke=1)
def vars_json_damaged(ctx, p):
    """Damage is said with its place, exit 4; what comes before it is shown; nothing of it is kept."""
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
        kept = os.path.join(ctx.home, "cache", "tilescope", "import")
        expect(len(stores(kept)) == 1, ctx.last, "the store of the old one is kept for ever")
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
    kept = os.path.join(ctx.home, "cache", "tilescope", "import")
    expect(not os.path.exists(kept) or stores(kept) == [], res, "something is kept")


@case(params=["empty", "cut", "junk"])
def vars_json_kept_store_damaged(ctx, p):
    """What was kept is a file that anybody may have damaged: then it is made again."""
    profile, _, whole = report(ctx)
    ctx.run("summary", profile)
    kept = os.path.join(ctx.home, "cache", "tilescope", "import")
    path = os.path.join(kept, stores(kept)[0])
    with open(path, "rb") as f:
        good = f.read()
    bad = {"empty": b"", "cut": good[:len(good) // 2], "junk": good[:100] + b"\xff" * (len(good) - 100)}[p]
    with open(path, "wb") as f:
        f.write(bad)
    res = ctx.run("summary", "-f", "json", profile)
    got = parse(res)
    expect(res.rc == 0 and got["parts"]["vars"] == "ok", res, "the part's state")
    expect(got["memory"]["categories"] == whole["memory"]["categories"], res, "categories")
    with open(path, "rb") as f:
        expect(f.read() == good, res, "it was not made again")
