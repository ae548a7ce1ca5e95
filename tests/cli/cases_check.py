# SPDX-License-Identifier: MIT
"""cases_check - `check --files`: every part sound, broken in every way, alone, and of another run."""

import csv
import io
import json
import os
import random
import resource
import shutil
import signal
import sqlite3
import subprocess
import time

from . import reports
from .harness import (Result, at_full_depth, case, expect, manners, one_line, parse, snapshot, unsafe,
                      untouched)

SHAPE = ("--ipus", "1", "--tiles", "40", "--steps", "80")
LOOKED_AT = 40000        # bytes of debug.cbor that are looked at whenever a report is opened, at least
MEMORY = 1 << 30            # bytes of address space that are enough for whatever a file says
FILES = {"profile": "profile.pop", "archive": "archive.a", "debug": "debug.cbor",
         "framework": "framework.json", "app": "app.json", "vars": "vars.json"}
KEYS = {"path", "host", "verdict", "source", "deep", "parts", "warnings"}
PART = {"part", "state", "path", "kind", "bytes", "modified", "read", "damage", "notes"}
READ = {"what", "name", "relation", "count", "damage"}


def whole(ctx, name="report"):
    """A report with every part."""
    d = ctx.path(name)
    res = ctx.run("demo", d, *SHAPE)
    expect(res.rc == 0, res, "demo")
    for n in ("framework", "app"):
        with open(os.path.join(d, FILES[n]), "w") as f:
            json.dump({"a": [1, {"b": None}], "version": "2.6"}, f)
    with open(os.path.join(d, "vars.json"), "w") as f:
        json.dump({"numTiles": 40, "vars": [
            {"var": i, "info": {"tile": i % 40, "sizeBytes": 4, "allocated": True}}
            for i in range(300)]}, f)
    return d


def limited(ctx, *args):
    """Run within a bound of memory (sanitizers take more for themselves)."""
    if os.environ.get("TS_SANITIZE"):
        return ctx.run(*args)
    soft = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, soft[1]))
    try:
        return ctx.run(*args)
    finally:
        resource.setrlimit(resource.RLIMIT_AS, soft)


def check(ctx, path, *args, rc=0):
    """The object of `check`, which has the keys that are promised and agrees with the exit status."""
    res = limited(ctx, "check", "--files", "-f", "json", *args, path)
    expect(res.rc == rc, res, "exit status %s, expected %s" % (res.rc, rc))
    got = parse(res)
    expect(set(got) == KEYS, res, "keys: %s" % sorted(set(got) ^ KEYS))
    expect(got["verdict"] == {0: "ok", 3: "unusable", 4: "partial"}[rc], res, "verdict")
    for p in got["parts"]:
        expect(set(p) == PART, res, "keys of a part: %s" % sorted(set(p) ^ PART))
        bad = p["state"] in ("damaged", "unreadable")
        expect(bad == bool(p["damage"]), res, "%s is %s: %s" % (p["part"], p["state"], p["damage"]))
        expect(p["state"] == "absent" or p["path"], res, "%s has no path" % p["part"])
        for r in p["read"]:
            expect(set(r) == READ, res, "keys of what was read")
    return got, res


def part(got, name):
    return [p for p in got["parts"] if p["part"] == name][0]


def count(p, what, name=None):
    return [r["count"] for r in p["read"] if r["what"] == what and r["name"] == name][0]


@case()
def check_sound(ctx):
    """All is there and sound: what was read of each, in every format, deep or not; no warning."""
    d = whole(ctx)
    before = snapshot(d)
    for args in ((), ("--deep",)):
        got, res = check(ctx, d, *args)
        expect(got["source"] == "sdk" and got["warnings"] == [], res, "source, warnings")
        expect([p["part"] for p in got["parts"]] == list(FILES), res, "parts")
        expect(all(p["state"] == "ok" and not p["notes"] for p in got["parts"]), res, "states")
        expect(count(part(got, "archive"), "tiles") == 40, res, "tiles")
        expect(count(part(got, "vars"), "variables") == 300, res, "variables")
        expect(count(part(got, "debug"), "contexts") > 100, res, "contexts")
        path = part(got, "profile")["path"]
        with sqlite3.connect("file:%s?immutable=1" % path, uri=True) as db:
            for r in part(got, "profile")["read"]:
                rows = db.execute("SELECT count(*) FROM %s" % reports.q(r["name"])).fetchone()[0]
                expect(r["count"] == rows, res, "%s has %d rows" % (r["name"], rows))
    text = ctx.run("check", "--files", d).out.decode()
    expect(unsafe(text) is None and " ok " in text and "DAMAGE" not in text, ctx.last, "text")
    rows = list(csv.DictReader(io.StringIO(ctx.run("check", "--files", "-f", "csv", d).out.decode())))
    want = {(p["part"], r["what"], r["name"] or "", str(r["count"]))
            for p in check(ctx, d)[0]["parts"] for r in p["read"]}
    have = {(r["part"], r["what"], r["name"], r["count"]) for r in rows if r["what"]}
    expect(want == have, ctx.last, "csv: %s" % sorted(want ^ have)[:5])
    expect({r["part"] for r in rows} == set(FILES), ctx.last, "csv: parts")
    untouched(before, d, ctx.last)
    out = ctx.path("out.json")
    res = ctx.run("check", "--files", "-f", "json", "-o", out, d, d)
    with open(out) as f:
        expect(res.out == b"" and len(json.load(f)) == 2, res, "two paths, -o")


@case()
def check_words(ctx):
    """Formats; a path that is not there; several paths."""
    d = whole(ctx)
    one_line(ctx.run("check", "--files"), rc=2)
    expect(ctx.run("check", "--files", "-f", "perfetto", d).rc == 2, ctx.last, "a format it does not know")
    expect(b"| profile | ok |" in ctx.run("check", "--files", "-f", "md", d).out, ctx.last, "md")
    one_line(ctx.run("check", "--files", ctx.path("nowhere")), rc=3)
    os.symlink("/nowhere", ctx.path("dangling"))
    one_line(ctx.run("check", "--files", ctx.path("dangling")), rc=3)
    bad = whole(ctx, "bad")
    reports.truncate(os.path.join(bad, "app.json"), 3)
    for paths, rc in (((d, bad), 4), ((bad, ctx.path("nowhere"), d), 3), ((d, d), 0)):
        res = ctx.run("check", "--files", *paths)
        expect(res.rc == rc, res, "exit status of %s" % (paths,))


# ---- every part, broken in every way ---------------------------------------------------------------

def sizes(name, data):
    """Where the file is cut: at the edges of what it is made of, and between."""
    n = len(data)
    if name == "profile":
        return [1, 15, 16, 99, 100, 4096, 3 * 4096, n // 2 // 4096 * 4096, n // 2 + 7, n - 4096, n - 1]
    if name == "archive":
        return [1, 7, 8 + 30, 8 + 60, 8 + 60 + 52, n // 2 + 1, n - 1]
    if name == "debug":
        return [1, 2, 9, 10, n // 3, n // 2, n - 1]
    return [1, 2, 3, 4, n // 2, n - 2, n - 1]


DEEP = {"debug": b"\xa1\x68contexts" + 1000 * b"\x81", "framework": b'{"a":' + 10 ** 5 * b"[",
        "app": 10 ** 5 * b'{"a":', "vars": b'{"vars":' + 10 ** 5 * b"[", "profile": None, "archive": None}
LONG = {"debug": b"\xa1\x68contexts\x9b\x10" + 7 * b"\0" + b"\xa0",
        "framework": b'{"a": "' + 5 * 2 ** 20 * b"x", "app": b'{"' + 5 * 2 ** 20 * b"x",
        "vars": b'{"vars": [{"var": ' + 5 * 2 ** 20 * b"1"}


def bomb(name, data):
    """A length that cannot be."""
    if name == "profile":           # two thousand million pages
        return data[:28] + b"\x7f\xff\xff\xff" + data[32:]
    if name == "archive":
        return data[:8] + b"%-16s%-12d%-6d%-6d%-8s%-10d`\n" % (b"t/", 0, 0, 0, b"644", 9999999999) + b"abcd"
    return LONG[name]


def ways(name, data):
    """(what, bytes) for every way in which this file is broken."""
    yield "empty", b""
    for n in sizes(name, data):
        yield "cut at %d" % n, data[:n]
    for seed in range(3):
        yield "random %d" % seed, random.Random(seed).randbytes(1000 + 3000 * seed)
    yield "zeros", bytes(5000)
    if DEEP[name]:
        yield "deep", DEEP[name]
    yield "long", bomb(name, data)


def depths(what):
    """Without and with --deep; one of them where not everything is wanted."""
    both = ((), ("--deep",))
    return both if at_full_depth() else both[len(what) % 2:][:1]


def told(ctx, d, name, what, absent=False):
    """`summary` and `check --files` say it of this part and of no other, with the right exit status."""
    gone = name == "profile"
    res = limited(ctx, "summary", "-f", "json", d)
    rc = 0 if absent and not gone else res.rc
    if res.rc == 3 and gone:
        one_line(res)
    else:
        got = parse(res)
        expect(res.rc == (0 if absent else 4), res, "%s: exit status %s" % (what, res.rc))
        named = FILES[name] if not gone else ""
        expect(any(named in w for w in got["warnings"]), res, "%s: no warning names it" % what)
    if gone and not absent:
        rc = res.rc if res.rc == 3 else 4
    elif gone:
        rc = 3
    elif not absent:
        rc = 4
    for deep in depths(what):
        got, res = check(ctx, d, *deep, rc=rc)
        p = part(got, name)
        state = ("absent",) if absent else ("damaged", "unreadable")
        expect(p["state"] in state, res, "%s: %s is %s" % (what, name, p["state"]))
        for line in p["damage"] + p["notes"] + got["warnings"]:
            expect("\n" not in line and len(line) < 500 and not line.endswith("."), res, "a line")
        expect(not absent or p["notes"] == ["a symbolic link that leads nowhere"], res, "notes")
        for other in set(FILES) - {name}:
            expect(part(got, other)["state"] == "ok", res, "%s: %s is not ok" % (what, other))


def broken(ctx, d, name, what):
    """By its bytes; the summary has no need of vars.json, and looks at the begin of debug.cbor only."""
    first = name == "debug" and os.path.getsize(os.path.join(d, FILES[name])) > LOOKED_AT
    if name != "vars" and not first:
        told(ctx, d, name, what)
        return
    for deep in depths(what):
        got, res = check(ctx, d, *deep, rc=4)
        expect(part(got, name)["state"] in ("damaged", "unreadable"), res, what)
    expect(limited(ctx, "summary", d).rc in (0, 4), ctx.last, what)


@case(params=list(FILES), sample=2, smoke=1)
def check_broken(ctx, name):
    """Empty, cut, random, nested without end, lengths that cannot be: one part after the other."""
    d = whole(ctx)
    path = os.path.join(d, FILES[name])
    with open(path, "rb") as f:
        data = f.read()
    for what, wrong in ways(name, data):
        with open(path, "wb") as f:
            f.write(wrong)
        broken(ctx, d, name, what)


@case(params=list(FILES), sample=2)
def check_no_file(ctx, name):
    """A link that leads nowhere, a directory or a pipe in its place, a file that nobody may read."""
    d = whole(ctx)
    path = os.path.join(d, FILES[name])
    os.remove(path)
    os.symlink("/nowhere/" + FILES[name], path)
    told(ctx, d, name, "dangling", absent=True)
    os.remove(path)
    os.mkdir(path)
    told(ctx, d, name, "a directory")
    os.rmdir(path)
    os.mkfifo(path)
    told(ctx, d, name, "a pipe")
    if os.geteuid() != 0:
        os.remove(path)
        with open(path, "wb") as f:
            f.write(b"{}")
        os.chmod(path, 0)
        told(ctx, d, name, "not readable")


@case()
def check_damaged_page(ctx):
    """A page of noise: which table, what could be read; deep: SQLite's own words, with the table's name."""
    d = whole(ctx)
    path = os.path.join(d, "profile.pop")
    rows = {r["name"]: r["count"] for r in part(check(ctx, d)[0], "profile")["read"]}
    reports.noise_page(path, reports.root_page(path, "steps_by_ipu"))
    for deep in ((), ("--deep",)):
        got, res = check(ctx, d, *deep, rc=4)
        p = part(got, "profile")
        have = {r["name"]: r["count"] for r in p["read"]}
        expect(have.pop("steps_by_ipu") < rows["steps_by_ipu"], res, "rows of a table without a root")
        expect(all(rows[t] == n for t, n in have.items()), res, "rows of the other tables")
        bad = [r["name"] for r in p["read"] if r["damage"]]
        expect(bad == ["steps_by_ipu"], res, "damaged: %s" % bad)
        expect(any("table steps_by_ipu" in w for w in p["damage"]), res, "its name")
    expect(any("steps_by_ipu: page" in w for w in p["damage"]), res, "no page is named")


@case()
def check_damaged_leaf(ctx):
    """The first of several pages of a table: it is named with its row ids, and the rows behind it are read."""
    d = whole(ctx)
    path = os.path.join(d, "profile.pop")
    rows = {r["name"]: r["count"] for r in part(check(ctx, d)[0], "profile")["read"]}
    with open(path, "rb") as f:
        f.seek((reports.root_page(path, "vars_info") - 1) * 4096)
        root = f.read(4096)
    expect(root[0] == 5, None, "the table is one page: the test says nothing")
    cell = int.from_bytes(root[12:14], "big")
    page = int.from_bytes(root[cell:cell + 4], "big")
    reports.noise_page(path, page)
    for deep in ((), ("--deep",)):
        got, res = check(ctx, d, *deep, rc=4)
        bad = [r for r in part(got, "profile")["read"] if r["damage"]]
        expect([r["name"] for r in bad] == ["vars_info"], res, "which table")
        expect("row ids" in bad[0]["damage"] and "page %d" % page in bad[0]["damage"], res, "where")
        lost = rows["vars_info"] - bad[0]["count"]
        expect(0 < lost < rows["vars_info"], res, "%d rows are lost" % lost)


@case()
def check_alone(ctx):
    """One part by itself, by its name and by its directory; everything broken; nothing at all."""
    d = whole(ctx)
    for name, n in FILES.items():
        alone = ctx.path("alone-" + name)
        os.mkdir(alone)
        shutil.copy(os.path.join(d, n), alone)
        usable = name in ("profile", "archive")
        got, res = check(ctx, alone, rc=0 if usable else 3)
        expect(part(got, name)["state"] == "ok", res, "state")
        expect(bool(got["source"]) == usable, res, "source")
        got, res = check(ctx, os.path.join(alone, n))
        expect([p["part"] for p in got["parts"] if p["state"] != "absent"] == [name], res, "parts")
        for args in ((), ("-f", "csv")):
            expect(ctx.run("check", "--files", *args, alone).rc == (0 if usable else 3), ctx.last, "rc")
    for n in FILES.values():
        reports.truncate(os.path.join(d, n), 5)
    got, res = check(ctx, d, rc=3)
    expect(all(p["state"] in ("damaged", "unreadable") for p in got["parts"]), res, "states")
    os.mkdir(ctx.path("empty"))
    got, res = check(ctx, ctx.path("empty"), rc=3)
    expect(all(p["state"] == "absent" for p in got["parts"]) and got["warnings"], res, "nothing")


@case()
def check_unsupported(ctx):
    """Formats that are known and not read: named, with what they are, and no failure."""
    d = whole(ctx)
    names = ["graph.json", "graph.cbor", "execution.json", "execution.cbor", "profile_info.json", "vars.capnp"]
    for n in names:
        with open(os.path.join(d, n), "w") as f:
            f.write("{}")
    got, res = check(ctx, d)
    for n in names:
        p = part(got, n)
        expect(p["state"] == "unsupported" and len(p["notes"]) == 1, res, n)


# ---- parts of different runs -----------------------------------------------------------------------

@case(params=list(FILES)[1:], sample=2)
def check_ages(ctx, name):
    """Much older than the profile: said once by summary and by check; a copy within the hour is not."""
    d = whole(ctx)
    stamp = os.stat(os.path.join(d, "profile.pop")).st_mtime
    for age, due in ((3000, False), (40 * 86400, True)):
        os.utime(os.path.join(d, FILES[name]), (stamp - age, stamp - age))
        for warnings in (check(ctx, d)[0]["warnings"],
                         parse(ctx.run("summary", "-f", "json", d))["warnings"]):
            said = [w for w in warnings if FILES[name] in w and "older" in w]
            expect(len(said) == due and len(warnings) == due, ctx.last, "warnings: %s" % warnings)


@case()
def check_other_runs(ctx):
    """Counts that differ and ids that lead nowhere, with figures; exit status 0."""
    d = whole(ctx)
    path = os.path.join(d, "profile.pop")
    with open(os.path.join(d, "vars.json"), "w") as f:
        f.write('{"numTiles": 41, "vars": []}')
    with sqlite3.connect(path) as db:
        db.execute("UPDATE programs SET debug_id = debug_id + 1000000 WHERE debug_id > 0")
        db.execute("UPDATE steps SET program = program + 1000000 WHERE id < 40 AND program IS NOT NULL")
        db.execute("DELETE FROM memory_by_tile WHERE rowid = (SELECT max(rowid) FROM memory_by_tile)")
    got, res = check(ctx, d)
    for words in (("vars.json", "41 tiles", "39"), ("archive.a", "40 tiles"),
                  ("sampled steps", "program that is not there"),
                  ("debug.cbor", "debug contexts of programs")):
        expect(any(all(w in line for w in words) for line in got["warnings"]), res, "%s" % (words,))


# ---- in the midst of it ----------------------------------------------------------------------------

def slow(ctx, mib):
    """A report of so many MiB, in a directory of its own: reading it deeply takes a while."""
    d = ctx.path("slow%d" % mib)
    os.mkdir(d)
    path = os.path.join(d, "profile.pop")
    with sqlite3.connect(path) as db:
        db.execute("PRAGMA synchronous=OFF")
        db.execute("CREATE TABLE memory_by_tile (tile INTEGER, total INTEGER)")
        db.execute("INSERT INTO memory_by_tile VALUES (0, 1)")
        db.execute("CREATE TABLE slow (a)")
        db.executemany("INSERT INTO slow VALUES (?)", [("x" * 65536,)] * (16 * mib))
    db.close()
    return d, path


def opened(proc, path):
    """How often the process has the file open."""
    fds = "/proc/%d/fd" % proc.pid
    try:
        return sum(os.readlink(os.path.join(fds, n)) == path for n in os.listdir(fds))
    except OSError:
        return 0


def begin(ctx, args):
    return subprocess.Popen([ctx.program] + args, env=ctx.env(), stdout=subprocess.PIPE,
                            stderr=subprocess.PIPE, stdin=subprocess.DEVNULL)


def end(args, proc):
    text, err = proc.communicate(timeout=300)
    res = Result(args, proc.returncode, text, err)
    manners(res)
    return res


SIZES = (16, 64, 256)   # MiB: the next one where the program was through before anybody could act


@case()
def check_interrupted(ctx):
    """SIGINT while it reads: 130, nothing is printed, no file."""
    for mib in SIZES:
        d, path = slow(ctx, mib)
        out = ctx.path("out%d" % mib)
        args = ["check", "--files", "--deep", "-o", out, d]
        proc = begin(ctx, args)
        while proc.poll() is None and not opened(proc, path):   # then signals are waited for
            time.sleep(0.002)
        if proc.poll() is None:
            proc.send_signal(signal.SIGINT)
        res = end(args, proc)
        shutil.rmtree(d)
        if res.rc:
            break
    expect(res.rc == 130, res, "exit status")
    expect(res.out == b"" and not os.path.exists(out), res, "something was written")


def change_while_read(ctx, d, path, attempt):
    """The answer, and whether the program was stopped in the midst of the file, which then changed."""
    args = ["check", "--files", "--deep", "-f", "json", d]
    proc = begin(ctx, args)
    while proc.poll() is None and opened(proc, path) < 2:
        time.sleep(0.002)
    if proc.poll() is None:
        proc.send_signal(signal.SIGSTOP)
        os.waitid(os.P_PID, proc.pid, os.WSTOPPED | os.WEXITED | os.WNOWAIT)
    caught = opened(proc, path) >= 2
    if caught:
        os.utime(path, (attempt, attempt))
    if proc.poll() is None:
        proc.send_signal(signal.SIGCONT)
    return end(args, proc), caught


@case()
def check_changed_meanwhile(ctx):
    """A file that is written to while it is read: said, exit status 4."""
    for mib in SIZES:
        d, path = slow(ctx, mib)
        for attempt in range(20):
            res, caught = change_while_read(ctx, d, path, attempt)
            if caught:
                break
        shutil.rmtree(d)
        if caught:
            break
    expect(caught, res, "it was never caught reading")
    p = part(parse(res), "profile")
    expect(res.rc == 4 and p["state"] == "damaged", res, "exit status, state")
    expect(any("changed while it was read" in w for w in p["damage"]), res, "what is wrong")
