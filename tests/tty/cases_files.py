# SPDX-License-Identifier: MIT
"""Files of the user's, hostile names, reports that are half there or change underneath."""

import json
import os
import random
import re
import shutil
import sqlite3
import subprocess

from .cases_views import tabs
from .harness import FULL, VIEWS, Failed, case, expect

from ..cli import reports as builder


# ---- configuration, keymaps, themes ----

def said(t):
    """The bottom line and the list of messages."""
    first = t.bottom()
    t.press("M")
    text = t.text()
    t.press("esc")
    return first, text


@case()
def config_with_errors(ctx):
    path = ctx.write(os.path.join(ctx.config, "config"),
                     "# mine\nset units bytes\nset nosuch 1\nfrobnicate\nset units furlong\n"
                     "set theme \"unclosed\nset mouse on\n\x1b[31mset time us\nset time us\n")
    t = ctx.pty(ctx.demo, wait="MEMORY", size=(250, 40))
    first, log = said(t)
    expect(re.search(r"config:3: .*nosuch", first), "the first error: %r" % first)
    for n in (3, 4, 5, 6, 8):
        expect("%s:%d: " % (path, n) in log, "line %d is not reported:\n%s" % (n, log))
    for n in (1, 2, 7, 9):
        expect("%s:%d: " % (path, n) not in log, "line %d is reported:\n%s" % (n, log))
    worst = ctx.summary(ctx.demo)["memory"]["worst_tile_bytes"]
    t.has("{:,}".format(worst))
    expect("1000" in t.screen.modes, "the mouse is not on")
    t.clean()
    t.quit()


@case()
def wrong_keymap_and_theme(ctx):
    """Both are said."""
    t = ctx.pty("--keymap", "nokeys", "--theme", "nolooks", ctx.demo, wait="MEMORY",
                size=(120, 40))
    first, log = said(t)
    for word in ('there is no keymap "nokeys"', 'there is no theme "nolooks"'):
        expect(word in first and word in log, "%s: %r" % (word, first))
    t.press(":")
    t.type("theme nowhere")
    t.press("enter")
    expect(t.bottom().strip() == 'there is no theme "nowhere"', "with others: %r" % t.bottom())
    t.quit()


@case(depth=FULL)
def config_that_is_none(ctx):
    for text in (os.urandom(5000), b"", b"\n" * 100, b"x" * 100000, b"set units bytes"):
        ctx.write(os.path.join(ctx.config, "config"), text)
        t = ctx.pty(ctx.demo, wait="MEMORY")
        t.press("M", "esc")
        t.clean()
        t.quit()
        t.close()
    os.unlink(os.path.join(ctx.config, "config"))
    os.mkdir(os.path.join(ctx.config, "config"))
    t = ctx.pty(ctx.demo, wait="MEMORY")
    t.quit()


@case()
def keymap_with_errors(ctx):
    ctx.write(os.path.join(ctx.config, "keymaps", "mine.keys"),
              "inherit default\nbind global x view memory -- my own\nbind global y nosuchcommand\n"
              "bind nowhere z up\nbind global\nbind global Hyper-x up\nunbind global r\nnonsense\n"
              "bind global C-x view\nbind trace x view summary\n")
    t = ctx.pty("--keymap", "mine", ctx.demo, wait="MEMORY", size=(160, 40))
    first, log = said(t)
    expect(re.search(r"mine\.keys:3: .*nosuchcommand", first), "the first error: %r" % first)
    for n in (3, 4, 5, 6, 8, 9):
        expect("mine.keys:%d: " % n in log, "line %d is not reported:\n%s" % (n, log))
    for n in (1, 2, 7, 10):
        expect("mine.keys:%d: " % n not in log, "line %d is reported:\n%s" % (n, log))
    t.press("x")
    tabs(t, "memory")
    t.press("r")
    expect("not bound" in t.bottom(), "r is still bound: %r" % t.bottom())
    t.press("7")
    tabs(t, "trace")
    t.press("x")
    tabs(t, "summary")
    t.press("C-x")
    t.clean()
    t.quit()


@case()
def theme_with_errors(ctx):
    ctx.write(os.path.join(ctx.config, "themes", "mine.theme"),
              "inherit default\nrole tab_active #123456/red\nrole nosuch red\nrole text #12\n"
              "role text red green blue\nfrob\nrole\nrole title \"open\nrole label cyan\n")
    t = ctx.pty("--theme", "mine", ctx.demo, wait="MEMORY", size=(160, 40))
    first, log = said(t)
    expect(re.search(r"mine\.theme:3: .*nosuch", first), "the first error: %r" % first)
    for n in (3, 4, 5, 6, 7, 8):
        expect("mine.theme:%d: " % n in log, "line %d is not reported:\n%s" % (n, log))
    for n in (1, 2, 9):
        expect("mine.theme:%d: " % n not in log, "line %d is reported:\n%s" % (n, log))
    t.clean()
    t.quit()


@case(depth=FULL)
def files_that_are_not_there(ctx):
    for option, says in (("--theme", "theme"), ("--keymap", "keymap")):
        t = ctx.pty(option, "nosuch", ctx.demo, wait="MEMORY", size=(120, 30))
        expect("nosuch" in t.bottom() and says in t.bottom(), "%r" % t.bottom())
        t.press("3")
        tabs(t, "memory")
        t.quit()
        t.close()
    for option in ("theme", "keymap"):
        ctx.write(os.path.join(ctx.config, "config"), "set %s nosuch\n" % option)
        t = ctx.pty(ctx.demo, wait="MEMORY", size=(120, 30))
        expect("nosuch" in t.bottom(), "%r" % t.bottom())
        t.quit()
        t.close()


@case(depth=FULL)
def inherit_in_a_circle(ctx):
    ctx.write(os.path.join(ctx.config, "keymaps", "a.keys"), "inherit b\nbind global x quit\n")
    ctx.write(os.path.join(ctx.config, "keymaps", "b.keys"), "inherit a\ninherit default\n")
    ctx.write(os.path.join(ctx.config, "themes", "a.theme"), "inherit a\nrole text red\n")
    t = ctx.pty("--keymap", "a", "--theme", "a", ctx.demo, wait="MEMORY")
    t.press("M", "esc")
    t.send("x")
    t.expect_end(0)
    t.restored()


@case()
def own_default_keymap(ctx):
    """A user's default.keys stands before the program's, and may inherit it."""
    ctx.write(os.path.join(ctx.config, "keymaps", "default.keys"),
              "inherit default\nbind global x view memory\n")
    t = ctx.pty(ctx.demo, wait="MEMORY")
    t.press("x")
    tabs(t, "memory")
    t.press("1")
    tabs(t, "summary")
    t.quit()


@case()
def settings_are_kept(ctx):
    """What :set changed is there again at the next start; what the user wrote after that wins."""
    kept = ctx.path("home", ".local", "state", "tilescope", "settings")
    worst = ctx.summary(ctx.demo)["memory"]["worst_tile_bytes"]
    exact = "{:,}".format(worst)

    def shows_bytes(*args):
        t = ctx.pty(*args, ctx.demo, wait="MEMORY")
        t.wait(lambda text: "worst tile" in text)
        t.settle()
        found = exact in t.text()
        return t, found

    def say(t, line):
        t.press(":")
        t.type(line)
        t.press("enter")

    t, found = shows_bytes("--cache", "none")
    say(t, "set units bytes")
    t.has(exact)
    t.quit()
    expect(not os.path.exists(kept), "--cache none leaves traces")
    t, found = shows_bytes()
    expect(not found, "bytes are shown before anybody said so")
    say(t, "set units bytes")
    say(t, "set clock 1.5GHz")
    t.quit()
    with open(kept) as f:
        lines = f.read()
    expect("clock" not in lines, "the clock of a report was kept: %r" % lines)
    expect(os.stat(os.path.dirname(kept)).st_mode & 0o777 == 0o700, "others may look at %s" % kept)
    t, found = shows_bytes()
    expect(found, "units were not kept")
    t.quit()
    t, found = shows_bytes("--units", "kb")
    expect(not found, "the command line does not win")
    t.quit()
    ctx.write(ctx.config + "/config", "set units kib\n")
    os.utime(ctx.config + "/config", (2 ** 32, 2 ** 32))
    t, found = shows_bytes()
    expect(not found, "a newer configuration file does not win")
    t.quit()
    for bad in (os.urandom(3000), b"set units furlong\n", b"set\n" * 5000, b"\"open"):
        ctx.write(kept, bad)
        t, found = shows_bytes()
        t.clean()
        t.quit()


# ---- hostile names ----

MARKS = ["\x1b[31mred\x1b[0m", "\x1b]0;owned\x07", "\x1b]52;c;ZXZpbA==\x07", "\x1bc", "\x1b[2J",
         "\x1bP+q544e\x1b\\", "\x1b[6n", "tab\tname", "new\nline", "cr\rback", "\x7fdel\x08\x08",
         "c1 \u009b31m csi", "\u0085next", b"bad \xff\xfe\x80 utf8", b"cut \xe2\x82",
         b"over \xc0\xaf long", b"surrogate \xed\xa0\x80 half", b"raw c1 \x9b31m \x90q \x9d",
         "bidi \u202e evil \u2066 iso \u200f", "x" * 5000, "\u4e2d" * 3000, "e" + "\u0301" * 4000,
         "%s%n%1000d", "\ufeffbom", "line\u2028sep\u2029", "\u00ad\u200b\u200d\u2060 invisible",
         "\U0001f468\u200d\U0001f469\u200d\U0001f467", "\ue000private", "\U000e0041tag", "", " "]


def hostile_text(rng):
    m = rng.choice(MARKS)
    return builder.text(m) if isinstance(m, bytes) else m


def spoil(db, table, column, key):
    """Names of a table replaced by hostile ones, each of them at least once where there is room."""
    ids = [r[0] for r in db.execute("SELECT %s FROM %s ORDER BY 1" % (key, table))]
    for i, k in enumerate(ids):
        m = MARKS[i % len(MARKS)]
        value = "CAST(? AS TEXT)" if isinstance(m, bytes) else "?"
        db.execute("UPDATE %s SET %s = %s WHERE %s IS ?" % (table, column, value, key), [m, k])


def hostile_report(ctx):
    path = ctx.copy()
    db = sqlite3.connect(path, isolation_level=None)
    db.execute("PRAGMA journal_mode=OFF")
    db.execute("BEGIN")
    names = {}
    tables = db.execute("SELECT name FROM sqlite_master WHERE type='table'").fetchall()
    for name, in tables:
        cols = db.execute("PRAGMA table_info(%s)" % builder.q(name)).fetchall()
        names[name] = [(c[1], c[2]) for c in cols]
    done = 0
    for table, cols in names.items():
        for c, decl in cols:
            if c in ("name", "s", "text", "value", "path") and not table.startswith("sqlite"):
                spoil(db, builder.q(table), builder.q(c), "rowid")
                done += 1
    db.execute("COMMIT")
    db.close()
    expect(done > 0, "no names found in %s" % names)
    return path


@case(params=[(k, t) for k in ("demo", "built") for t in ("xterm-256color", "C")], cost=3, sample=1, smoke=1)
def hostile_names(ctx, p):
    kind, term = p
    env = {"TERM": "vt100", "LC_ALL": "C"} if term == "C" else {"TERM": term}
    if kind == "built":
        rep = builder.build(ctx.path("built"), 3, hostile_names=True, hostile_idents=True,
                            categories=21, programs=60, compute_sets=40, steps=200, vars=800,
                            per_ipu=100, extra_tables=4)
        path = rep.profile
    else:
        path = hostile_report(ctx)
    for size in ((80, 24), (200, 60)):
        t = ctx.pty(os.path.dirname(path), env=env, size=size, wait=None)
        t.wait(lambda text: "MEMORY" in text)
        strings = list(t.screen.strings)
        for key in ("1", "3", "4", "7"):
            t.press(key)
            t.press("tab", "down", "down", "pgdn", "right", "right", "end", "tab", "pgdn", "pgdn",
                    "end", "left")
            t.press("y")
            t.clean()
        t.press("M", "end", "home")
        t.clean()
        t.press("esc")
        for s in t.screen.strings[len(strings):]:
            if not re.fullmatch(rb"\]52;c;[A-Za-z0-9+/=]*", s) or b"ZXZpbA==" == s[6:]:
                t.fail("a string got through: %r" % s[:80])
        expect(b"owned" not in b"".join(t.screen.strings), "a title was set")
        if term == "C":
            expect(all(b < 0x80 for b in t.raw), "bytes beyond ASCII were sent")
        for bad in ("\u202e", "\u2066", "\u009b"):
            expect(bad.encode() not in t.raw, "%r was sent" % bad)
        t.quit()
        t.close()


@case(depth=FULL)
def hostile_path(ctx):
    """The directory's own name is shown in the title."""
    for name in ("a\x1b[31mb", "new\nline", "bidi\u202e", "x" * 200, "\u4e2d" * 60, "tab\there"):
        path = ctx.copy(name)
        t = ctx.pty(os.path.dirname(path), wait="MEMORY", size=(120, 30))
        t.clean()
        t.quit()
        t.close()
        t = ctx.pty(ctx.path(name + "-missing"), wait=None, size=(120, 30))
        t.expect_end(3)
        t.clean()
        t.close()
    bad = os.fsencode(ctx.path("")) + b"bad\xff\xfe"
    shutil.copytree(ctx.demo.encode(), bad)
    t = ctx.pty(bad, wait="MEMORY")
    t.clean()
    t.quit()


@case()
def hostile_arguments(ctx):
    """What is refused ends by itself; names of things that are not there are only said."""
    for args, status in ((["--theme", "\x1b[31m"], 0), (["--at", "\x1b]0;x\x07"], 2),
                         (["--\x1b[31m"], 2), (["--keymap", "a\nb"], 0)):
        t = ctx.pty(*args, ctx.demo, wait=None, size=(120, 30))
        if status == 0:
            t.wait("MEMORY")
            t.quit()
        else:
            t.expect_end(status)
        t.clean()
        t.close()


# ---- directories of reports ----

@case()
def list_of_reports(ctx):
    """A directory without a report: those below it, Enter opens."""
    for name in ("one", "two/deep", "three"):
        ctx.copy(os.path.join("all", name))
    ctx.write("all/other/readme.txt", "nothing")
    t = ctx.pty(ctx.path("all"), wait=lambda text: "one" in text and "deep" in text)
    t.has("three", "Reports below", "none yet")
    t.clean()
    t.press("down", "down", "down", "up", "G", "g", "g")
    t.resize(120, 40)
    t.resize(30, 5)
    t.resize(80, 24)
    t.has("three", "one", "deep")
    rows = [line for line in t.text().split("\n") if "MiB" in line]
    expect(len(rows) == 3, "the list has %d rows" % len(rows))
    at = [i for i, line in enumerate(rows) if "three" in line][0]
    t.press("g", "g", *["down"] * at)
    t.press("enter")
    t.wait("MEMORY")
    t.has("CYCLES")
    expect("three" in t.screen.line(0), "the title: %r" % t.screen.line(0))
    t.press("3")
    tabs(t, "memory")
    t.quit()


@case()
def list_keys(ctx):
    for name in ("one", "two"):
        ctx.copy(os.path.join("all", name))
    t = ctx.pty(ctx.path("all"), wait="one")
    for key in ("3", "1", "/", "esc", "?", "?", "M", "M", "r", "y", "gm", "tab", "+", "n"):
        for k in ([key] if len(key) != 2 else list(key)):
            t.press(k)
        if t.poll() is not None:
            t.fail("ended after %s" % key)
        t.clean()
    for key in ("Q", "q"):
        if key != "Q":
            t = ctx.pty(ctx.path("all"), wait="one")
        t.press(key)
        t.expect_end(0)
        t.restored()
        t.lacks("tilescope: ")          # who leaves the list knows that nothing was opened
        t.close()


@case()
def list_by_default(ctx):
    """Without a path: what was opened last, and the working directory; it may be a report itself."""
    ctx.copy("here/below")
    t = ctx.pty(cwd=ctx.path("here"), wait="MiB")
    t.has("below", "none yet")
    t.press("enter")
    t.wait("MEMORY")
    t.quit()
    t = ctx.pty("--cache", "none", cwd=ctx.path("here", "below"), wait="MiB")
    t.press("tab", "enter")
    t.wait("MEMORY")
    t.quit()


@case()
def newest_report(ctx):
    old, new = ctx.copy("all/old"), ctx.copy("all/new")
    os.utime(old, (1e9, 1e9))
    os.utime(new, (2e9, 2e9))
    t = ctx.pty("--latest", ctx.path("all"), wait="MEMORY", size=(120, 30))
    expect("new" in t.screen.line(0), "the title: %r" % t.screen.line(0))
    t.quit()


@case()
def no_report_below(ctx):
    os.makedirs(ctx.path("all", "a", "b"))
    os.symlink("..", ctx.path("all", "a", "up"))
    t = ctx.pty(ctx.path("all"), wait=None)
    t.expect_end(3)
    t.restored()
    t.has("tilescope: ")


# ---- files that are half there, or change ----

@case(cost=5, smoke=1)
def being_written(ctx):
    """A -wal beside the profile: a banner; when it has gone and the file is there: the report."""
    path = ctx.copy()
    ctx.write(path + "-wal", b"7\x7f\x06\x82" + b"\0" * 5000)
    t = ctx.pty(os.path.dirname(path), wait="written", size=(100, 30))
    t.has("looking again every 2 s")
    t.press("3")
    t.press("?")
    t.press("?")
    t.resize(80, 24)
    t.press("1")
    t.has("looking again every 2 s")
    t.is_idle(1)
    before = ctx.summary(ctx.demo)["memory"]["worst_tile"]
    ctx.run("demo", ctx.path("new"), "--seed", "5")
    now = ctx.summary(ctx.path("new"))["memory"]["worst_tile"]
    expect(before != now, "the test's own reports are alike")
    t.has("worst tile %d" % before)
    os.replace(os.path.join(ctx.path("new"), os.path.basename(path)), path)
    os.unlink(path + "-wal")
    t.wait(lambda text: "looking again" not in text and "worst tile %d" % now in text)
    t.clean()
    t.quit()


@case(cost=5)
def written_while_unreadable(ctx):
    """Half a file with a -journal: wait for it; it comes."""
    path = ctx.copy()
    whole = open(path, "rb").read()
    ctx.write(path, whole[:50])
    ctx.write(path + "-journal", b"\xd9\xd5\x05\xf9" + b"\0" * 600)
    t = ctx.pty(os.path.dirname(path), wait="written", size=(100, 30))
    t.press("3", "7", "1", "j")
    t.clean()
    ctx.write(path, whole)
    os.unlink(path + "-journal")
    t.wait(lambda text: "looking again" not in text and "MEMORY" in text)
    t.quit()


@case(cost=4)
def written_and_gone(ctx):
    path = ctx.copy()
    ctx.write(path, b"SQLite format 3\0")
    ctx.write(path + "-journal", b"\xd9\xd5\x05\xf9" + b"\0" * 600)
    t = ctx.pty(os.path.dirname(path), wait="written", size=(100, 30))
    shutil.rmtree(os.path.dirname(path))
    t.expect_end(3)
    t.restored()
    t.has("tilescope: ")


@case()
def temporary_name(ctx):
    """profile_<random>.pop: the engine is still alive."""
    path = ctx.copy()
    os.rename(path, os.path.join(os.path.dirname(path), "profile_a1b2c3.pop"))
    t = ctx.pty(os.path.dirname(path), wait=None, size=(120, 30))
    t.settle()
    expect(t.poll() is None, "ended: %r" % t.text())
    t.wait("written")
    t.clean()
    t.quit()


@case(params=[0.5, 0.9, 0.05, 0.02], sample=1, smoke=1)
def truncated(ctx, share):
    path = ctx.copy()
    builder.truncate(path, int(os.path.getsize(path) * share))
    t = ctx.pty(os.path.dirname(path), wait=None, size=(100, 30))
    if not t.shows():
        expect(t.status == 3, "exit status %s" % t.status)
        t.restored()
        t.has("tilescope: ")
        return
    t.wait("truncated")
    for key in ("3", "4", "7", "1"):
        t.press(key, "tab", "end", "home")
        t.clean()
        t.has("truncated")
    t.quit()


@case(params=range(6), sample=2, smoke=2)
def noise(ctx, seed):
    """Pages overwritten with noise: no crash, no hang, no junk on any view."""
    path = ctx.copy()
    rng = random.Random(seed)
    pages = os.path.getsize(path) // builder.page_size(path)
    for _ in range(1 + seed * 3):
        builder.noise_page(path, rng.randrange(2, pages), rng.random())
    t = ctx.pty(os.path.dirname(path), wait=None, size=(120, 40))
    if not t.shows():
        expect(t.status in (3, 4), "exit status %s" % t.status)
        t.restored()
        return
    for key in ("3", "4", "7", "1"):
        t.press(key)
        t.press("tab", "end", "home", "tab", "pgdn")
        t.clean()
    t.quit()


@case(cost=2, depth=FULL)
def behind_a_page(ctx):
    """A page of each large table is damaged: the views have the rows behind it, and say which are missing."""
    path = ctx.copy()
    names = ("memory_by_tile", "vars_info", "steps")
    gone = {}
    for table in names:
        leaves = builder.leaves(path, table)
        gone[table] = leaves[len(leaves) // 2]
        builder.noise_page(path, gone[table][0])
    t = ctx.pty(os.path.dirname(path), wait="MEMORY", size=(160, 40))
    page, low, high = gone[names[0]]
    t.wait("table %s: row ids %d to %d (page %d) cannot be read" % (names[0], low, high, page))
    t.press("3")
    t.wait("table %s: row ids %d to %d (page %d) cannot be read" % (names[0], low, high, page))
    t.press("8")
    t.wait("damaged")
    t.press("end")
    t.clean()
    t.press("7", "end")
    t.clean()
    t.quit()


@case(cost=2)
def replaced_underneath(ctx):
    """The file is overwritten and cut while it is shown: never a crash."""
    path = ctx.copy()
    t = ctx.pty(os.path.dirname(path), size=(100, 30))
    builder.truncate(path, 8192)
    for key in ("3", "4", "7", "1", "r"):
        t.press(key, "end")
        if t.poll() is not None:
            raise Failed("ended after %s: %s\n%s" % (key, t.status, t.text()))
        t.clean()
    ctx.write(path, os.urandom(100000))
    for key in ("3", "4", "7", "1", "r"):
        t.press(key, "end")
        expect(t.poll() is None, "ended after %s" % key)
    t.press("esc")
    t.send("Q")
    t.end()
    expect(t.status >= 0, "died of signal %s" % t.status)
    t.restored()


@case(params=VIEWS, sample=2, smoke=1)
def empty_report(ctx, name):
    """Nothing in it but the tables."""
    rep = builder.build(ctx.path("none"), 5, steps=0, vars=0, programs=0, compute_sets=0, tiles=0,
                        categories=1, hostile_numbers=0)
    t = ctx.pty("--at", name, rep.dir, size=(100, 30))
    t.press("tab", "down", "end", "home", "+", "-", "0", "pgdn", "n", "w", "p")
    t.clean()
    tabs(t, name)
    t.quit()


@case(params=[(m, v) for m in ("memory_by_tile", "vars_info", "steps", "steps_by_ipu", "all")
              for v in ("memory", "liveness", "trace")], sample=2, smoke=1)
def tables_missing(ctx, p):
    missing, view = p
    every = ["steps", "steps_by_ipu", "programs", "compute_sets", "vars_info", "var_categories",
             "memory_by_tile"]
    rep = builder.build(ctx.path("none"), 6, ipus=2, steps=60, vars=200, per_ipu=100,
                        hostile_numbers=0,
                        missing_tables=every[:-2] if missing == "all" else [missing])
    t = ctx.pty("--at", view, rep.dir, size=(100, 30))
    t.press("tab", "down", "end", "home", "+", "-", "pgdn", "w", "p")
    t.clean()
    tabs(t, view)
    t.quit()


# ---- framework.json, app.json, vars.json ----

@case(params=[(80, 24), (200, 60)], sample=1, smoke=1)
def framework_tree(ctx, size):
    """The lower pane of Summary: folded, searched, read again; hostile texts are harmless."""
    report = ctx.copy()
    path = os.path.join(os.path.dirname(report), "framework.json")
    values = ", ".join('{"layer": "layer%d"}' % i for i in range(300))
    with open(path, "w", encoding="utf-8") as f:
        f.write('{"TensorFlow": {"Version": "2.5.2"}, "evil": "\\u001b]0;x\\u0007\\u202e\\u0000", '
                '"all": [%s]}\n' % values)
    t = ctx.pty("--at", "summary", report, size=size, wait="only framework.json is there")
    t.has("worst tile")
    t.press("tab")
    t.wait("[ 300 items ]")
    t.has("worst tile")                     # the verdict stays
    t.lacks("layer299")
    t.press("/")
    t.type('layer1"')
    t.press("enter")
    t.wait("not found")                     # quotes are the screen's
    t.press("/")
    t.type("layer29")
    t.press("enter")
    t.wait("hit 1 of 11")
    t.has("layer29")
    t.press("N")
    t.wait("hit 11 of 11")
    t.has("layer299")
    t.press("_")
    t.lacks("layer299", "Version")
    t.press("home", "right", "right")
    t.has("evil")
    t.clean()
    with open(path + ".new", "w") as f:
        f.write('{"TensorFlow":\n  {"Version": nonsense}}')
    os.rename(path + ".new", path)
    t.press("r")
    t.wait("damaged: line 2, near byte ")
    t.has("worst tile")
    t.quit()


@case()
def vars_json_comes_behind(ctx):
    """A profile without lowered variables opens at once; those of vars.json are shown when it has been read."""
    report = ctx.path("report")
    r = ctx.run("demo", report, "--layout", "profile", "--ipus", "1", "--tiles", "4", "--steps", "20",
                "--variables", "50", "--no-archive", stdin=subprocess.DEVNULL)
    expect(r.returncode == 0, "demo: %r" % r.stderr)
    with sqlite3.connect(os.path.join(report, "profile.pop")) as db:
        db.execute("DROP TABLE vars_info")
    ctx.write("report/vars.json", json.dumps({"vars": [{"var": i, "info": {
        "tile": i % 4, "name": "mine/%d" % i, "sizeBytes": 8, "allocated": True}} for i in range(9)]}))
    t = ctx.pty("--at", "variables", report)
    t.wait(lambda text: "mine/8" in text)
    t.quit()
