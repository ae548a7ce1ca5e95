# SPDX-License-Identifier: MIT
"""cases_damage - paths, parts, files that are no reports, damage, files being written."""

import os
import random
import shutil
import sqlite3

from . import oracle
from . import reports
from .harness import (FULL, case, compare, expect, one_line, parse, plain, snapshot, summarise, unsafe,
                     untouched)


@case()
def paths_of_one_report(ctx):
    """The directory, the profile, any file of the report, a link to it, a relative path."""
    rep = plain(ctx, 40)
    with open(os.path.join(rep.dir, "framework.json"), "w") as f:
        f.write('{"TensorFlow": {"Version": "2.6"}}\n')
    parts = {"framework": "ok"}
    summarise(ctx, rep, parts=parts)
    summarise(ctx, rep, parts=parts, path=rep.dir + "/")
    os.symlink(rep.dir, ctx.path("link"))
    for p in (rep.profile, os.path.join(rep.dir, "framework.json"), ctx.path("link"), "report",
              "./report/../report", "report/profile.pop"):
        exp = oracle.summary(rep, path=p, parts=parts)
        res = ctx.run("summary", "-f", "json", p)
        got = parse(res)
        exp.object["path"] = got.get("path")
        expect(isinstance(got.get("path"), str) and got["path"], res, "path")
        compare(res, exp, got)


@case()
def profile_under_any_name(ctx):
    """A profile by another name, given as the file."""
    rep = plain(ctx, 41)
    other = os.path.join(rep.dir, "my model (old).db")
    os.rename(rep.profile, other)
    rep.profile = other
    summarise(ctx, rep, path=other)


@case(params=["missing", "empty", "random", "text", "short-magic", "empty-dir", "dir-as-profile",
              "fifo-as-profile", "dangling", "loop-link", "fifo", "devnull", "devzero", "noaccess",
              "magic-only", "zeros"], sample=6, smoke=1)
def unreadable(ctx, p):
    """Not a report: exit 3, one line, nothing on standard output."""
    d = ctx.path("r")
    os.makedirs(d)
    f = os.path.join(d, "profile.pop")
    path = d
    data = {"empty": b"", "random": random.Random(1).randbytes(10000), "text": b"hello\n" * 1000,
            "short-magic": b"SQLite for", "magic-only": b"SQLite format 3\0",
            "zeros": bytes(8192)}.get(p)
    if data is not None:
        with open(f, "wb") as out:
            out.write(data)
    elif p == "missing":
        path = ctx.path("nowhere", "at", "all")
    elif p == "dir-as-profile":
        os.mkdir(f)
    elif p == "fifo-as-profile":
        os.mkfifo(f)
    elif p == "dangling":
        os.symlink("/nowhere/profile.pop", f)
    elif p == "loop-link":
        os.symlink("profile.pop", f)
    elif p == "fifo":
        path = ctx.path("pipe")
        os.mkfifo(path)
    elif p == "devnull":
        path = "/dev/null"
    elif p == "devzero":
        path = "/dev/zero"
    elif p == "noaccess":
        if os.geteuid() == 0:
            return
        with open(f, "wb") as out:
            out.write(b"SQLite format 3\0" + bytes(4080))
        os.chmod(f, 0)
    for args in (("summary", path), ("summary", "-f", "json", path), ("schema", path), (path,)):
        before = snapshot(d)
        res = ctx.run(*args)
        untouched(before, d, res)
        one_line(res, rc=3)
        expect(res.out == b"", res, "something on standard output")
    if data is not None:
        one_line(ctx.run("summary", f), rc=3)


@case(depth=FULL)
def something_else(ctx):
    """SQLite, but not a profile: the tables that were found are named."""
    os.makedirs(ctx.path("r"))
    db = sqlite3.connect(ctx.path("r", "profile.pop"))
    db.execute("CREATE TABLE moz_places (id, url)")
    db.execute("CREATE TABLE moz_cookies (id, url)")
    db.execute('CREATE TABLE "evil\x1b[31m\n\u202e" (a)')
    db.commit()
    db.close()
    for path in (ctx.path("r"), ctx.path("r", "profile.pop")):
        res = ctx.run("summary", path)
        one_line(res, "moz_places", "moz_cookies", rc=3)
        expect(res.out == b"", res, "something on standard output")
    db = sqlite3.connect(ctx.path("r", "profile.pop"))
    db.execute("PRAGMA synchronous=OFF")
    for i in range(2000):
        db.execute("CREATE TABLE t%d (a)" % i)
    db.commit()
    db.close()
    one_line(ctx.run("summary", ctx.path("r")), rc=3)
    db = sqlite3.connect(ctx.path("none.pop"))
    db.execute("PRAGMA user_version=1")
    db.commit()
    db.close()
    one_line(ctx.run("summary", ctx.path("none.pop")), rc=3)


def vacuum(rep):
    """Lay the file out anew: the schema first, then table after table."""
    db = sqlite3.connect(rep.profile)
    db.execute("VACUUM")
    db.close()


def damaged(ctx, rep, exp):
    """What holds for a damaged report: never wrong in silence, never dead."""
    before = snapshot(rep.dir)
    res = ctx.run("summary", "-f", "json", rep.dir)
    untouched(before, rep.dir, res)
    if res.rc == 3:
        one_line(res)
        expect(res.out == b"", res, "something on standard output")
        return res, None
    got = parse(res)
    keys = set(exp.object) | {"warnings"}
    expect(set(got) == keys, res, "members: %s" % sorted(set(got) ^ keys))
    if res.rc == 0:
        compare(res, exp, got)          # nothing that matters was hurt
    else:
        expect(res.rc == 4, res, "exit status %d" % res.rc)
        expect(got["warnings"], res, "partial without a warning")
        no_guess(res, exp.object, got)
    for args in (("summary", rep.dir), ("schema", rep.dir)):
        other = ctx.run(*args)
        expect(other.rc in (0, 3, 4), other, "exit status")
        text = other.out.decode("utf-8")
        expect(unsafe(text) is None, other, "unsafe text")
    return res, got


def no_guess(res, want, got):
    """Tiles or IPUs that could not be read must not make up hardware, or a verdict."""
    for k, v in want["target"].items():
        if isinstance(v, oracle.OneOf):
            continue
        expect(got["target"][k] in (None, v), res, "target.%s: %r made up from a part, whole: %r"
               % (k, got["target"][k], v))
    if got["memory"]["tiles"] != want["memory"]["tiles"]:
        expect(got["memory"]["fits"] is not True, res, "\"fits\" although %s of %s tiles were read"
               % (got["memory"]["tiles"], want["memory"]["tiles"]))


@case(params=[0.02, 0.1, 0.3, 0.5, 0.7, 0.9, 0.97, "odd", "page1", "minus1"], sample=4, smoke=1)
def truncated(ctx, p):
    """Cut off: what can be read is shown, with exit 4; or exit 3."""
    rep = plain(ctx, 50, page_size=1024, style="indexed", vars=2000, steps=200)
    vacuum(rep)
    exp = oracle.summary(rep)
    size = os.path.getsize(rep.profile)
    cut = {"odd": size // 2 // 1024 * 1024 + 333, "page1": 1024, "minus1": size - 1}.get(p)
    if cut is None:
        cut = int(size * p) // 1024 * 1024
    reports.truncate(rep.profile, cut)
    res, got = damaged(ctx, rep, exp)
    expect(res.rc in (3, 4), res, "a truncated file passed for whole")
    if cut > size // 2:
        expect(res.rc == 4, res, "exit status %s: what can be read is to be shown" % res.rc)


@case()
def truncated_last_table(ctx):
    """Only the end of the variables is lost: the rest is exact."""
    rep = plain(ctx, 49, page_size=1024, vars=3000)
    db = sqlite3.connect(rep.profile)
    db.execute("CREATE TABLE z AS SELECT * FROM vars_info ORDER BY rowid")
    db.execute("DROP TABLE vars_info")
    db.execute("ALTER TABLE z RENAME TO vars_info")
    db.commit()
    db.close()
    vacuum(rep)
    rep.sql["vars_info"] = "SELECT * FROM vars_info ORDER BY rowid"
    exp = oracle.summary(rep)
    reports.truncate(rep.profile, os.path.getsize(rep.profile) - 5 * 1024)
    res, got = damaged(ctx, rep, exp)
    expect(res.rc == 4, res, "exit status")
    for k in ("target", "graph", "execution"):
        diff = oracle.differences(exp.object[k], got[k], k)
        expect(not diff, res, "\n".join(diff))
    expect(got["memory"]["total_bytes"] == exp.object["memory"]["total_bytes"], res, "total_bytes")


@case(params=[1, 2, 3])
def verdict_of_a_part(ctx, p):
    """Half of the tiles or IPUs cannot be read: no verdict, no hardware from what is left."""
    rep = plain(ctx, 48, page_size=1024, ipus=2, tiles=2944)
    if p == 3:
        rep = plain(ctx, 48, "four", ipus=4, tiles=28, steps=1)
    exp = oracle.summary(rep)
    db = sqlite3.connect(rep.profile)
    if p == 1:      # the second half fails
        db.execute("UPDATE memory_by_tile SET total=NULL WHERE tile >= 1472")
        db.execute("ALTER TABLE memory_by_tile RENAME TO m")
        db.execute("CREATE VIEW memory_by_tile AS SELECT tile, CASE WHEN tile < 1472 THEN total "
                   "ELSE abs(-9223372036854775807 - 1) END AS total FROM m")
    elif p == 3:    # two IPUs of four
        db.execute("ALTER TABLE steps_by_ipu RENAME TO s")
        db.execute("CREATE VIEW steps_by_ipu AS SELECT step_id, ipu, active_tiles, cycles_base, "
                   "active_cycles_from_min, active_cycles_to_max, CASE WHEN ipu < 2 THEN cycles "
                   "ELSE abs(-9223372036854775807 - 1) END AS cycles FROM s")
    else:           # a step in the middle fails
        db.execute("ALTER TABLE steps_by_ipu RENAME TO s")
        db.execute("CREATE VIEW steps_by_ipu AS SELECT step_id, ipu, active_tiles, cycles_base, "
                   "active_cycles_from_min, active_cycles_to_max, CASE WHEN rowid < 20 THEN cycles "
                   "ELSE abs(-9223372036854775807 - 1) END AS cycles FROM s ORDER BY ipu, step_id")
    db.commit()
    db.close()
    res = ctx.run("summary", "-f", "json", rep.dir)
    got = parse(res)
    expect(res.rc == 4, res, "exit status")
    no_guess(res, exp.object, got)


@case(params=list(range(1, 41)), sample=10, smoke=3)
def noise(ctx, p):
    """One page overwritten with noise, each page of a small report in turn."""
    rep = plain(ctx, 51, page_size=1024, ipus=1, tiles=100, vars=400, steps=60)
    exp = oracle.summary(rep)
    if p > os.path.getsize(rep.profile) // 1024:
        return
    reports.noise_page(rep.profile, p)
    res, got = damaged(ctx, rep, exp)
    if p == 1:
        expect(res.rc == 3, res, "without a header: exit status")


@case()
def damage_stays_local(ctx):
    """A page of the variables is gone: categories are partial, the rest is exact."""
    rep = plain(ctx, 52, page_size=1024, vars=3000)
    exp = oracle.summary(rep)
    reports.noise_page(rep.profile, reports.root_page(rep.profile, "vars_info"))
    res, got = damaged(ctx, rep, exp)
    expect(res.rc == 4, res, "exit status")
    for k in ("target", "graph", "execution", "parts"):
        if k == "parts":
            continue
        diff = oracle.differences(exp.object[k], got[k], k)
        expect(not diff, res, "\n".join(diff))
    want = dict(exp.object["memory"])
    have = dict(got["memory"])
    want.pop("categories"), have.pop("categories")
    diff = oracle.differences(want, have, "memory")
    expect(not diff, res, "\n".join(diff))


def where(page, low, high):
    """The words for rows that are missing with a page."""
    rows = ("all rows" if low is None and high is None else "row ids up to %d" % high if low is None
            else "row ids from %d on" % low if high is None
            else "row id %d" % low if low == high else "row ids %d to %d" % (low, high))
    return "%s (page %d)" % (rows, page)


@case(params=["memory_by_tile", "vars_info", "steps", "steps_by_ipu"], sample=2, smoke=1)
def behind_a_page(ctx, table):
    """Leaves of a table, each in turn: figures of all other rows, which are missing, exit 4."""
    rep = plain(ctx, 55, page_size=1024, ipus=1, tiles=600, vars=1500, steps=300)
    vacuum(rep)
    db = sqlite3.connect(rep.profile)
    db.text_factory = bytes
    rows = db.execute("SELECT rowid, * FROM %s" % table).fetchall()
    db.text_factory = str
    names = [d[0] for d in db.execute("SELECT * FROM %s" % table).description]
    categories = dict(db.execute("SELECT id, name FROM var_categories"))
    db.close()
    leaves = reports.leaves(rep.profile, table)
    expect(len(leaves) > 4, None, "%s has %d leaves" % (table, len(leaves)))
    with open(rep.profile, "rb") as f:
        whole = f.read()
    for page, low, high in leaves[::max(1, len(leaves) // 5)] + leaves[-1:]:
        reports.noise_page(rep.profile, page)
        res = ctx.run("summary", "-f", "json", rep.dir)
        got = parse(res)
        left = [dict(zip(names, r[1:])) for r in rows
                if low is not None and r[0] < low or high is not None and r[0] > high]
        expect(0 < len(left) < len(rows), res, "rows left: %d of %d" % (len(left), len(rows)))
        expect(res.rc == 4, res, "exit status")
        words = "table %s: %s cannot be read" % (table, where(page, low, high))
        expect(any(words in w for w in got["warnings"]), res, "no warning: %s" % words)
        if table == "memory_by_tile":
            expect(got["memory"]["tiles"] == len(left), res, "tiles")
            expect(got["memory"]["total_bytes"] == sum(r["total"] for r in left), res, "total")
            expect(got["memory"]["fits"] is not True, res, "fits, of a part")
        elif table == "vars_info":
            want = {}
            for r in left:
                name = categories[r["category"]]
                want[name] = want.get(name, 0) + r["size_bytes"]
            have = {k: v["bytes"] for k, v in got["memory"]["categories"].items()}
            expect({k: v for k, v in have.items() if v} == {k: v for k, v in want.items() if v},
                   res, "categories: %r, expected %r" % (have, want))
            res = ctx.run("query", "-f", "csv", rep.dir, "SELECT count(*) FROM lowered_variable")
            expect(res.rc == 4 and res.out.split() == [b"count(*)", b"%d" % len(left)], res, "query")
            expect(words.encode() in res.err, res, "query: no warning: %s" % words)
        elif table == "steps":
            expect(got["execution"]["steps"] == len(left), res, "steps")
            expect(not any("there is no such step" in w for w in got["warnings"]), res,
                   "steps that cannot be read are said not to be there")
        else:
            expect(sum(i["step_cycles"] for i in got["execution"]["ipus"]) ==
                   sum(r["cycles"] for r in left), res, "cycles of steps")
        with open(rep.profile, "wb") as f:
            f.write(whole)


@case(params=list(range(24)), sample=8, smoke=3)
def flipped(ctx, p):
    """Bytes changed here and there."""
    rng = random.Random("flip%d" % p)
    rep = plain(ctx, 53, page_size=512, ipus=1, tiles=60, vars=200, steps=30, style="indexed",
                hostile_names=True)
    with open(rep.profile, "r+b") as f:
        size = os.path.getsize(rep.profile)
        for _ in range(rng.choice([1, 4, 30, 300])):
            f.seek(rng.randrange(16, size))
            f.write(bytes([rng.choice([0, 1, 0x7f, 0x80, 0xff, rng.randrange(256)])]))
    for args in (("summary", "-f", "json", rep.dir), ("summary", rep.dir), ("schema", rep.dir)):
        res = ctx.run(*args)
        expect(res.rc in (0, 3, 4), res, "exit status")
        if res.rc == 3:
            one_line(res)
        elif args[1] == "-f":
            got = parse(res)
            if res.rc == 4:
                expect(got["warnings"], res, "partial without a warning")


@case(params=["-wal", "-journal"])
def side_file(ctx, p):
    """Being written: what it holds, a warning, exit 4; an empty one means nothing."""
    rep = plain(ctx, 54)
    side = rep.profile + p
    with open(side, "wb"):
        pass
    summarise(ctx, rep, status=(0,))
    with open(side, "wb") as f:
        f.write(random.Random(3).randbytes(4000))
    got, res = summarise(ctx, rep, status=(4,), warn=True,
                         parts={"profile": oracle.OneOf("ok", "partial", "writing", "incomplete",
                                                        got_state(ctx, rep))})
    expect(any(p[1:] in w for w in got["warnings"]), res, "the warning does not name the %s" % p)
    summarise(ctx, rep, path=rep.profile, status=(4,), warn=True,
              parts={"profile": got["parts"]["profile"]})


@case(params=["-wal", "-journal"])
def side_file_of_a_link(ctx, p):
    """profile.pop is a symbolic link: what is being written lies beside the file it leads to."""
    rep = plain(ctx, 91, "real")
    os.makedirs(ctx.path("linked"))
    os.symlink(rep.profile, ctx.path("linked", "profile.pop"))
    with open(rep.profile + p, "wb") as f:
        f.write(b"x" * 100)
    for path in (ctx.path("linked"), ctx.path("linked", "profile.pop")):
        res = ctx.run("summary", "-f", "json", path)
        expect(res.rc == 4, res, "exit status")
        expect(any(p[1:] in w for w in parse(res)["warnings"]), res, "no warning")


@case(params=["-wal", "-journal"])
def side_file_of_a_store(ctx, p):
    """The same of a store."""
    res = ctx.run("demo", ctx.path("s"), "--layout", "store", "--ipus", "1", "--tiles", "100",
                  "--steps", "20", "--variables", "100")
    expect(res.rc == 0, res, "demo")
    with open(ctx.path("s", "report.tilescope") + p, "wb") as f:
        f.write(b"x" * 100)
    res = ctx.run("summary", "-f", "json", ctx.path("s"))
    expect(res.rc == 4, res, "exit status")
    expect(any(p[1:] in w for w in parse(res)["warnings"]), res, "no warning")


def got_state(ctx, rep):
    res = ctx.run("summary", "-f", "json", rep.dir)
    return parse(res)["parts"]["profile"] if res.rc in (0, 4) else None


@case()
def wal_in_use(ctx):
    """A real WAL with frames: the figures are those of the main file."""
    rep = plain(ctx, 55, "live")
    db = sqlite3.connect(rep.profile, isolation_level=None)
    db.execute("PRAGMA journal_mode=WAL")
    db.execute("PRAGMA wal_autocheckpoint=0")
    db.execute("UPDATE memory_by_tile SET total=1")
    os.makedirs(ctx.path("copy"))
    for n in os.listdir(rep.dir):
        if not n.endswith("-shm"):
            shutil.copyfile(os.path.join(rep.dir, n), ctx.path("copy", n))
    db.close()
    rep.dir, rep.profile = ctx.path("copy"), ctx.path("copy", "profile.pop")
    expect(os.path.getsize(rep.profile + "-wal") > 0, None, "no wal")
    summarise(ctx, rep, status=(4,), warn=True,
              parts={"profile": oracle.OneOf("ok", got_state(ctx, rep))})


@case()
def wal_mode_header(ctx):
    """WAL mode and no -wal: complete; no side file may appear."""
    rep = plain(ctx, 56)
    db = sqlite3.connect(rep.profile)
    db.execute("PRAGMA journal_mode=WAL")
    db.close()
    with open(rep.profile, "rb") as f:
        expect(f.read(20)[18:20] == b"\x02\x02", None, "not WAL mode")
    expect(sorted(os.listdir(rep.dir)) == ["profile.pop"], None, "side files")
    summarise(ctx, rep, status=(0, 4), maybe=True)


@case()
def half_written_name(ctx):
    """profile_<random>.pop: the engine is still alive."""
    rep = plain(ctx, 57)
    other = os.path.join(rep.dir, "profile_x7Gk2a.pop")
    os.rename(rep.profile, other)
    rep.profile = other
    for path in (rep.dir, other):
        res = ctx.run("summary", "-f", "json", path)
        expect(res.rc in (0, 3, 4), res, "exit status")
        if res.rc != 3:
            got = parse(res)
            expect(any("profile_x7Gk2a.pop" in w or "written" in w for w in got["warnings"]), res,
                   "no warning that it is being written")
        else:
            one_line(res, "profile_x7Gk2a.pop")


@case(params=["graph.json", "execution.json", "profile_info.json", "graph.cbor", "execution.cbor",
              "vars.capnp"])
def dropped_formats(ctx, p):
    """Said what they are, and that they are not read."""
    os.makedirs(ctx.path("old"))
    with open(ctx.path("old", p), "w") as f:
        f.write("{}")
    for path in (ctx.path("old"), ctx.path("old", p)):
        res = ctx.run("summary", path)
        one_line(res, p, "not public" if p == "vars.capnp" else "dropped", rc=3)
    rep = plain(ctx, 58)
    shutil.copy(ctx.path("old", p), rep.dir)
    exp = oracle.summary(rep)
    res = ctx.run("summary", "-f", "json", rep.dir)
    got = parse(res)
    exp.maybe = True
    exp.object["parts"] = got["parts"]
    expect(any(p + " is there: " in w for w in got["warnings"]), res, "not named")
    compare(res, exp, got)


@case(params=[1, 2, 3, 4])
def reports_below(ctx, depth):
    """A directory without a profile: those below it are named, three levels deep."""
    names = ["training", "inference"]
    for n in names:
        where = os.path.join("top", *["d%d" % i for i in range(depth - 1)], n)
        plain(ctx, 59, where, steps=1, vars=0, tiles=1)
    os.symlink(ctx.path("top"), ctx.path("top", "loop"))
    if depth > 1:
        os.symlink("..", ctx.path("top", "d0", "up"))
    res = ctx.run("summary", ctx.path("top"))
    expect(res.rc in (2, 3), res, "exit status %d" % res.rc)
    one_line(res)
    for n in names:
        expect((n.encode() in res.err) == (depth <= 3), res,
               "%s named at depth %d" % (n, depth))


@case()
def many_below(ctx):
    """Hundreds below: still one line."""
    rep = plain(ctx, 60, "seed", steps=1, vars=0, tiles=1)
    for i in range(300):
        d = ctx.path("many", "tf_report__2021-06-07__10-%02d__%d\x1b[1m" % (i, i))
        os.makedirs(d)
        os.link(rep.profile, os.path.join(d, "profile.pop"))
    one_line(ctx.run("summary", ctx.path("many")))


@case()
def loops(ctx):
    """Directories that contain themselves."""
    d = ctx.path("a", "b", "c")
    os.makedirs(d)
    for i in range(5):
        os.symlink(ctx.path("a"), os.path.join(d, "l%d" % i))
        os.symlink("..", ctx.path("a", "b", "u%d" % i))
    os.symlink("self", ctx.path("a", "self"))
    one_line(ctx.run("summary", ctx.path("a")), rc=3)
    os.symlink("x", ctx.path("y"))
    os.symlink("y", ctx.path("x"))
    one_line(ctx.run("summary", ctx.path("x")), rc=3)


@case(params=["dangling", "present", "parent", "archive", "framework", "app", "bad-framework",
              "vars", "archive-only"])
def parts(ctx, p):
    """The other files of a report, present, dangling or broken."""
    rep = plain(ctx, 61, "m/training")
    debug = os.path.join(rep.dir, "debug.cbor")
    name = {"dangling": "debug", "present": "debug", "parent": "debug",
            "bad-framework": "framework", "archive-only": "archive"}.get(p, p)
    if p == "dangling":
        os.symlink("/nowhere/debug.cbor", debug)
    elif p in ("present", "parent"):
        with open(debug if p == "present" else ctx.path("m", "debug.cbor"), "wb") as f:
            f.write(b"\xa2hcontexts\x80kstringTable\x80")
    elif p == "archive":
        with open(os.path.join(rep.dir, "archive.a"), "wb") as f:
            f.write(b"!<arch>\n")
    elif p == "archive-only":
        os.remove(rep.profile)
        with open(os.path.join(rep.dir, "archive.a"), "wb") as f:
            f.write(b"!<arch>\n")
        res = ctx.run("summary", "-f", "json", rep.dir)
        expect(res.rc in (0, 3, 4), res, "exit status")
        return
    elif p in ("framework", "app", "bad-framework"):
        with open(os.path.join(rep.dir, name + ".json"), "w") as f:
            f.write('{"a": ' if p == "bad-framework" else '{"a": 1}')
    elif p == "vars":
        with open(os.path.join(rep.dir, "vars.json"), "w") as f:
            f.write('{"numTiles": 4, "vars": []}')
    exp = oracle.summary(rep)
    res = ctx.run("summary", "-f", "json", rep.dir)
    got = parse(res)
    state = got["parts"].get(name)
    expect(isinstance(state, str), res, "parts.%s" % name)
    expect(p == "dangling" or state != "absent", res, "%s is there, parts says absent" % name)
    if p in ("present", "framework", "app"):
        expect(state == "ok", res, "parts.%s is %s" % (name, state))
    if p in ("dangling", "bad-framework"):
        expect(state != "ok", res, "parts.%s is ok" % name)
    exp.object["parts"][name] = state
    exp.maybe = True
    compare(res, exp, got, (0, 4))


@case(params=["tiles", "steps"])
def damaged_table_sound_index(ctx, p):
    """
    A table that numbers its rows by their order is damaged, an index that covers it is not: what
    the index gives is in another order, and must not number tiles or IPUs.
    """
    rep = plain(ctx, 90, ipus=2, tile="absent", ipu="absent", page_size=1024)
    db = sqlite3.connect(rep.profile)
    db.execute("CREATE INDEX i1 ON memory_by_tile (total)")
    db.execute("CREATE INDEX i2 ON steps_by_ipu (cycles, step_id, cycles_base, "
               "active_cycles_from_min, active_cycles_to_max, active_tiles, "
               "active_cycles_from_max, active_cycles_to_min)")
    db.commit()
    db.close()
    exp = oracle.summary(rep)
    reports.noise_page(rep.profile, reports.root_page(
        rep.profile, {"tiles": "memory_by_tile", "steps": "steps_by_ipu"}[p]))
    damaged(ctx, rep, exp)


@case()
def debug_of_another_run(ctx):
    """debug.cbor much older than the profile: said; a dangling link: one directory up."""
    rep = plain(ctx, 92, "m/training")
    old = ctx.path("m", "debug.cbor")
    with open(old, "wb") as f:
        f.write(b"\xa2hcontexts\x80kstringTable\x80")
    os.symlink("/nowhere/debug.cbor", os.path.join(rep.dir, "debug.cbor"))
    for age in (0, 40 * 86400):
        stamp = os.stat(rep.profile).st_mtime - age
        os.utime(old, (stamp, stamp))
        res = ctx.run("summary", "-f", "json", rep.dir)
        got = parse(res)
        expect(res.rc == 0 and got["parts"]["debug"] == "ok", res, "parts.debug")
        expect(any("older" in w for w in got["warnings"]) == (age > 0), res, "warning of its age")


DEBUG = [(b"", "empty"), (b"\x80", "offset 0: not a CBOR map"), (b"\xa1\x68contexts", "offset "),
         (b"\xa1\x68contexts\x9b\x10" + 7 * b"\0", "offset 10: an array is said to have"),
         (b"\xa1\x68contexts" + 100 * b"\x81", "offset 73: nested deeper than 64 levels"),
         (b"\xbf\x68contexts\x9f\xff\x61a\x7b" + 8 * b"\xff", "offset 14: a string is said to have"),
         (b"\xa1\x68contexts\xff", "offset 10: a break"), (bytes(range(255, 0, -1)), "offset ")]


@case(params=range(len(DEBUG)), sample=4, smoke=1)
def debug_damaged(ctx, i):
    """What is wrong with debug.cbor, and at which offset; everything else is as without it."""
    rep = plain(ctx, 93)
    with open(os.path.join(rep.dir, "debug.cbor"), "wb") as f:
        f.write(DEBUG[i][0])
    exp = oracle.summary(rep)
    res = ctx.run("summary", "-f", "json", rep.dir)
    got = parse(res)
    expect(res.rc == 4 and got["parts"]["debug"] == "damaged", res, "parts.debug")
    expect(any("debug.cbor" in w and DEBUG[i][1] in w for w in got["warnings"]), res, "what is wrong")
    exp.object["parts"]["debug"] = "damaged"
    exp.maybe = True
    compare(res, exp, got, (4,))
