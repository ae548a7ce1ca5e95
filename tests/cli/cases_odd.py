# SPDX-License-Identifier: MIT
"""cases_odd - reports that are nearly sound: tiles that are not known, files that lie beside, JSON as Python writes it."""

import json
import os
import shutil

from .cases_export import change, demo, profile
from .harness import case, expect

UNSOUND = {
    "text": ["UPDATE memory_by_tile SET total = 'x', total_including_gaps = 'y' WHERE tile = 5"],
    "missing": ["DELETE FROM memory_by_tile WHERE tile = 5"],
    "null": ["CREATE TABLE t AS SELECT * FROM memory_by_tile", "DROP TABLE memory_by_tile",
             "ALTER TABLE t RENAME TO memory_by_tile",
             "UPDATE memory_by_tile SET total = NULL, total_including_gaps = NULL WHERE tile = 5"],
}


@case(params=UNSOUND)
def not_all_tiles(ctx, how):
    """No tile is known to be too full, but one is not known: then it is not known whether the program fits."""
    where = demo(ctx)
    change(where, *UNSOUND[how])
    res = ctx.run("summary", "-f", "json", where)
    expect(res.rc == 4 and json.loads(res.out)["memory"]["fits"] is None, res, "fits")
    res = ctx.run("summary", where)
    expect(res.rc == 4 and b"MEMORY  not all tiles known" in res.out and b"NOTE    tile memory: 1 " in res.out, res, "words")
    found = json.loads(ctx.run("check", "-f", "json", where).out)
    fine = {f["id"] for f in found["findings"] if f["severity"] == "ok"}
    expect("M01" not in fine and "M02" not in fine, ctx.last, "a rule takes it for good: %s" % fine)


@case()
def tiles_listed_twice(ctx):
    """Each counts once, with its fuller row, and that is said."""
    where = demo(ctx)
    sound = json.loads(ctx.run("summary", "-f", "json", where).out)["memory"]
    change(where, "CREATE TABLE t AS SELECT * FROM memory_by_tile", "DROP TABLE memory_by_tile", "ALTER TABLE t RENAME TO "
           "memory_by_tile", "INSERT INTO memory_by_tile SELECT * FROM memory_by_tile WHERE tile IN (3, 4)",
           "UPDATE memory_by_tile SET total = total / 2, total_including_gaps = total_including_gaps / 2 WHERE rowid = "
           "(SELECT min(rowid) FROM memory_by_tile WHERE tile = 4)")
    res = ctx.run("summary", "-f", "json", where)
    now = json.loads(res.out)["memory"]
    for key in ("tiles", "total_bytes", "worst_tile", "worst_tile_bytes", "fits"):
        expect(key in now and now[key] == sound[key], res, "%s: %s, not %s" % (key, now.get(key), sound[key]))
    res = ctx.run("summary", where)
    expect(b"2 rows of a tile that has a fuller one: each tile counts once" in res.out, res, "words")


@case()
def two_targets(ctx):
    """One machine is meant: the first row counts, and that is said."""
    where = demo(ctx)
    sound = json.loads(ctx.run("summary", "-f", "json", where).out)["target"]
    change(where, "INSERT INTO target_info SELECT * FROM target_info", "UPDATE target_info SET bytes_per_tile = 77 WHERE rowid = "
           "(SELECT max(rowid) FROM target_info)")
    res = ctx.run("summary", "-f", "json", where)
    expect(json.loads(res.out)["target"] == sound, res, "the first row")
    expect(any("target: 2 rows where one is meant" in w for w in json.loads(res.out)["warnings"]), res, "it is said")


@case(params=["empty", "text"])
def stray_profiles(ctx, kind):
    """A temporary profile that is no database hides neither the report beside it nor those below."""
    where = demo(ctx)
    below = ctx.path("below")
    os.makedirs(below)
    shutil.copytree(where, os.path.join(below, "run"))
    for d in (where, below):
        with open(os.path.join(d, "profile_a1b2.pop"), "w") as f:
            f.write("" if kind == "empty" else "no database at all\n")
    expect(ctx.run("summary", where).rc == 0, ctx.last, "beside")
    res = ctx.run("summary", below)
    expect(res.rc == 3 and os.path.join(below, "run").encode() in res.err, res, "which lies below is said")
    expect(ctx.run("summary", "--latest", below).rc == 0, ctx.last, "the newest below")
    os.rename(profile(where), os.path.join(where, "profile_zz.pop"))
    expect(ctx.run("summary", where).rc == 0, ctx.last, "of two temporary ones the one that is a database")


@case()
def json_as_python_writes_it(ctx):
    """A byte order mark, NaN and Infinity are read, in texts they are texts; other words are damage."""
    where = demo(ctx)
    path = os.path.join(where, "framework.json")
    sound = '\ufeff{"a": NaN, "b": [1, -Infinity, Infinity], "c": "NaN \\" Infinity", "d": -3}'
    for text, rc in ((sound, 0), (sound.replace("NaN,", "Nan,"), 4), (sound.replace("-3", "--3"), 4), ('{"a": NaN', 4)):
        with open(path, "w", encoding="utf-8") as f:
            f.write(text)
        res = ctx.run("summary", where)
        expect(res.rc == rc, res, "%s: exit status %d, not %d" % (text, res.rc, rc))
    with open(path, "w") as f:
        f.write('{"a": [%s]}' % ", ".join(["NaN", "-Infinity"] * 100000))       # more than is read at once
    expect(ctx.run("summary", where).rc == 0, ctx.last, "a long one")


@case()
def places_of_rules(ctx):
    """Each rule has a place that opens it, those that are found behind the others too."""
    where = demo(ctx)
    found = [f["id"] for f in json.loads(ctx.run("check", "-f", "json", where).out)["findings"]]
    expect(sum(f[0] == "X" for f in found) > 5, ctx.last, "rules of the execution: %s" % found)
    for rule in found:
        res = ctx.run("render", where, "--at", "insights?rule=" + rule, "--size", "120x40", "--cache", "none")
        title = next(line for line in res.out.decode().splitlines() if "[Finding]" in line)
        expect(res.rc == 0 and " %s " % rule in title.split("\u2502")[0], res, "%s: %s" % (rule, title))


@case()
def unknown_endings(ctx):
    """What a file's name does not say is not guessed."""
    where = demo(ctx)
    for name in ("o.xyz", "o"):
        res = ctx.run("export", where, "--what", "trace", "-o", ctx.path(name))
        expect(res.rc == 2 and b".csv" in res.err and not os.path.exists(ctx.path(name)), res, name)
    expect(ctx.run("export", where, "--what", "trace", "-f", "csv", "-o", ctx.path("o.xyz")).rc == 0, ctx.last, "--format")
