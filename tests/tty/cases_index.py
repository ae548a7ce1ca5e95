# SPDX-License-Identifier: MIT
"""
The index behind the screen: progress, cancelling, sharing, dying, and a report that changes meanwhile.

Where a build has to last while the test looks, its threads are held by ptrace(2), and let go on to their
next system call: that is as far as they come, however long the test itself has to wait for a processor.
"""

import ctypes
import glob
import os
import re
import shutil
import signal
import sqlite3
import subprocess
import time

from .harness import FULL, case, expect
from .terminal import LIMIT, Skipped, code

from ..cli import reports as builder

CORE = {"categories", "variables", "liveness", "steps", "lanes"}
SCHED_IDLE = 5


def unbuilt(ctx, *args, **more):
    """The program with an index that is not being built: that begins when its pool is held."""
    config = ctx.write(os.path.join(ctx.config, "config"), "set index off\n")
    t = ctx.pty(*args, **more)
    os.unlink(config)
    return t


class Held:
    """The pool of a program runs from one system call to the next, and only when it is let."""

    SEIZE, INTERRUPT, SYSCALL, DETACH, WALL = 0x4206, 0x4207, 24, 17, 0x40000000

    def __init__(self, t):
        self.t = t
        self.libc = ctypes.CDLL(None, use_errno=True)
        self.threads = []
        pool = min(len(os.sched_getaffinity(0)), 4)
        end = time.monotonic() + LIMIT
        while len(self.threads) < pool and time.monotonic() < end:
            self.threads = [n for n in map(int, os.listdir("/proc/%d/task" % t.pid))
                            if os.sched_getscheduler(n) == SCHED_IDLE]
        for n in self.threads:
            if self.trace(self.SEIZE, n) != 0:
                raise Skipped("no ptrace: %s" % os.strerror(ctypes.get_errno()))
        self.hold()
        t.send(":set index on\r")

    def trace(self, request, thread):
        return self.libc.ptrace(request, thread, None, None)

    def stands(self, n, how=0):
        """Does it stand?  (A thread that has ended does, too.)"""
        try:
            return os.waitpid(n, self.WALL | how)[0] == n
        except ChildProcessError:
            return True

    def hold(self):
        for n in self.threads:
            if not self.stands(n, os.WNOHANG) and self.trace(self.INTERRUPT, n) == 0:
                self.stands(n)

    def let(self, calls=16):
        for _ in range(calls):
            for n in self.threads:
                self.trace(self.SYSCALL, n)
            self.t.pump(0.001)
            self.hold()

    def until(self, test, what, patience=0.05):
        """Until the screen is so; patience: between the moments in which it is built on."""
        end = time.monotonic() + LIMIT
        while not test():
            self.let()
            self.t.pump(patience)
            if time.monotonic() > end or self.t.poll() is not None:
                self.t.fail("never: %s" % what)

    def until_title(self):
        self.until(lambda: re.search(r"index +\d+ ?%", self.t.screen.line(0)), "progress")
        expect(not self.built(), "there is no more to be built")

    def built(self):
        with open("/proc/%d/environ" % self.t.pid) as f:
            cache = dict(v.split("=", 1) for v in f.read().split("\0") if "=" in v)["XDG_CACHE_HOME"]
        names = {os.path.basename(p)[:-4] for p in glob.glob(
            os.path.join(cache, "tilescope", "index", "*", "*.idx"))}
        return names >= CORE

    def end(self):
        """The program ends: its threads are ours to bury."""
        end = time.monotonic() + LIMIT
        while self.t.poll() is None and time.monotonic() < end:
            for n in self.threads:
                try:
                    os.waitpid(n, self.WALL | os.WNOHANG)
                except ChildProcessError:
                    pass
            self.t.pump(0.02)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for n in self.threads:
            self.trace(self.DETACH, n)


def folders(ctx):
    return glob.glob(os.path.join(ctx.home, "cache", "tilescope", "index", "*"))


def sections(ctx):
    """Name -> what tells one file from another."""
    found = {}
    for path in glob.glob(os.path.join(ctx.home, "cache", "tilescope", "index", "*", "*.idx")):
        st = os.stat(path)
        found[os.path.basename(path)[:-4]] = (st.st_ino, st.st_mtime_ns, st.st_size)
    return found


def nothing_left_over(ctx):
    for folder in folders(ctx):
        odd = [n for n in os.listdir(folder)
               if not n.endswith(".idx") and n not in ("lock", "used", "path")]
        expect(not odd, "left over in the cache: %s" % odd)


def state(t):
    """The line of the Jobs view that says how the index stands."""
    t.press("J")
    line = [row for row in t.text().split("\n") if row.startswith(" all of it")]
    t.press("J")
    expect(line, "no line about the index:\n%s" % t.text())
    return line[0]


def complete(ctx, t):
    expect("complete" in state(t), "the index is not complete: %r" % state(t))
    expect(set(sections(ctx)) >= CORE, "sections: %s" % sorted(sections(ctx)))


@case()
def index_is_built(ctx):
    t = ctx.pty(ctx.demo)
    complete(ctx, t)
    nothing_left_over(ctx)
    expect("index" not in t.screen.line(0), "the title: %r" % t.screen.line(0))
    before = sections(ctx)
    t.quit()
    t.close()
    t = ctx.pty(ctx.demo)
    complete(ctx, t)
    expect(sections(ctx) == before, "it was built again")
    t.quit()


@case(params=["summary", "jobs"], cost=3, sample=1)
def index_idle(ctx, view):
    """When it is there nothing is sent any more, not in the Jobs view either."""
    t = ctx.pty(ctx.demo, size=(120, 40))
    t.settle()
    if view == "jobs":
        t.press("J")
        t.has("complete", "resident")
        t.pump(0.4)                     # the last tick of what was busy
        t.settle()
    t.is_idle(2.25)
    t.quit()


# How far the whole build is: at each width, in as many words as there is room for.
TITLES = {80: r"index +\d+ ?%",
          120: r"index +\d+ % +[\d.]+[kMG]?/s +\d+ (s|min|h) left",
          130: r"index +\d+ % +[\d.]+( [kMG])? rows/s +\d+ (s|min|h) left",
          200: r"index +\d+ % +[\d.]+( [kMG])? of +[\d.]+( [kMG])? rows +[\d.]+( [kMG])? rows/s +\d+ (s|min|h) left"}


@case(params=TITLES, cost=4, sample=1, smoke=1)
def index_progress_and_cancel(ctx, width):
    # of the real layout's no progress is seen here: its sections are there before the title says so
    report = shutil.copytree(ctx.shared("store", "--layout", "store"), ctx.path("report"))
    t = unbuilt(ctx, report, size=(width, 30))
    with Held(t) as held:
        held.until_title()
        tabs, shown = t.screen.line(0).index("1:Sum"), [0]

        def all_of_it():
            line = t.screen.line(0)
            now = re.search(r"index +(\d+) ?%", line)
            expect(now or not held.built(), "built before all of it stood in the title")
            if not now:                 # other work that takes long is told there, too
                return None
            expect(line.index("1:Sum") == tabs, "the tabs have moved: %r" % line)
            shown.append(int(now.group(1)))
            expect(shown[-1] >= shown[-2], "went backwards: %s, %r" % (shown, line))
            return re.search(TITLES[width], line)

        held.until(all_of_it, "progress, rate and time left", 0.6)
        for _ in range(5):              # questions of the view are cancelled first
            before, sent = t.bottom(), time.monotonic()
            t.send(code("C-c"))         # one more only when this one is answered: it may say the same again
            held.until(lambda: t.bottom() != before or time.monotonic() > sent + 2, "an answer to C-c")
            if "any further" in t.bottom():
                break
    t.settle()
    t.has("any further")
    expect(not re.search(r"index +\d", t.screen.line(0)), "the title: %r" % t.screen.line(0))
    expect("stopped" in state(t), "not stopped: %r" % state(t))
    nothing_left_over(ctx)
    t.send(":index\r")
    t.settle()
    complete(ctx, t)
    expect("cancelled (r" not in t.text(), "what was cancelled is not asked again: " + t.text())
    t.send(":index\r")
    t.settle()
    t.has("the index is complete")
    t.quit()


@case(cost=3)
def index_off_and_on(ctx):
    ctx.write(os.path.join(ctx.config, "config"), "set index off\n")
    t = ctx.pty(ctx.demo)
    expect(not sections(ctx), "it was built although it is switched off")
    t.send(":set index on\r")
    t.settle()
    complete(ctx, t)
    t.send(":index stop\r")
    t.settle()
    t.has("no index is being built")
    t.quit()


@case()
def index_nowhere(ctx):
    t = ctx.pty("--cache", "none", ctx.demo)
    expect(not os.path.exists(os.path.join(ctx.home, "cache")), "a cache was made")
    expect("index" not in t.bottom(), "the bottom line: %r" % t.bottom())
    t.quit()
    t.close()
    t = ctx.pty("--cache", ctx.write("file", "x") + "/below", ctx.demo, wait="MEMORY",
                size=(120, 30))
    expect("index" in t.bottom(), "not told: %r" % t.bottom())
    t.press("3", "1", "M")
    expect(len(re.findall("index: ", t.text())) == 1, "not told once:\n%s" % t.text())
    t.quit()


@case(cost=3, depth=FULL)
def index_quit_while_building(ctx):
    t = unbuilt(ctx, ctx.demo)
    with Held(t) as held:
        held.until(lambda: folders(ctx), "a folder")
        expect(not held.built(), "there is no more to be built")
        t.send("Q")
    t.expect_end(0)
    t.restored()
    t = ctx.pty(ctx.demo)
    complete(ctx, t)
    nothing_left_over(ctx)
    t.quit()


@case(cost=6, depth=FULL)
def index_shared(ctx):
    """Two programs: one builds, the other takes what comes; nobody writes a section twice."""
    report = ctx.shared("store", "--layout", "store")
    a = unbuilt(ctx, report)
    with Held(a) as held:
        held.until_title()
        b = ctx.pty(report, wait="MEMORY")
        expect("another program builds it" in state(b), state(b))
    a.settle()
    complete(ctx, a)
    made = sections(ctx)
    b.press("J")
    b.wait("complete")
    expect(sections(ctx) == made, "the second program has written")
    nothing_left_over(ctx)
    b.quit()
    a.quit()


@case(cost=6, depth=FULL)
def index_builder_dies(ctx):
    """The one that builds is killed: the one that waits goes on."""
    report = ctx.shared("store", "--layout", "store")
    a = unbuilt(ctx, report)
    with Held(a) as held:
        held.until_title()
        b = ctx.pty(report, wait="MEMORY")
        a.kill(signal.SIGKILL)
        held.end()
    b.press("J")
    b.wait("complete")
    b.press("J")
    complete(ctx, b)
    nothing_left_over(ctx)
    b.quit()


def screens(t):
    """What the views show, the title left out."""
    shown = []
    for key in ("3", "4", "7", "1"):
        t.press(key, "end")
        shown.append(t.text().split("\n", 1)[1])
    return shown


@case(cost=6, depth=FULL)
def index_killed(ctx):
    """Killed at several moments of a build, what is then shown is what is shown without an index."""
    t = ctx.pty("--cache", "none", ctx.demo, size=(100, 30))
    wanted = screens(t)
    t.quit()
    t.close()
    for patience in (0, 1, 3):
        t = unbuilt(ctx, ctx.demo)
        with Held(t) as held:
            held.until(lambda: len(folders(ctx)) == 1, "a folder")
            held.until(lambda: len(sections(ctx)) >= patience, "%d sections" % patience)
            t.kill(signal.SIGKILL)
            held.end()
        t.close()
    t = ctx.pty(ctx.demo, size=(100, 30))
    complete(ctx, t)
    expect(screens(t) == wanted, "the screens differ after a kill")
    nothing_left_over(ctx)
    t.quit()


# ---- the report changes ----

def replace(ctx, path):
    ctx.run("demo", ctx.path("new"), "--seed", "5")
    os.replace(os.path.join(ctx.path("new"), "profile.pop"), path)


def grow(ctx, path):
    db = sqlite3.connect(path)
    tables = [r[0] for r in db.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
    db.execute("CREATE TABLE more(bytes)")
    db.execute("INSERT INTO more VALUES (zeroblob(300000))")
    expect(len(tables) > 1, "no report: %s" % tables)
    db.commit()
    db.close()


def truncate(ctx, path):
    builder.truncate(path, os.path.getsize(path) * 9 // 10)


CHANGES = {"replaced": replace, "grown": grow, "truncated": truncate}


@case(params=CHANGES, cost=5, sample=1, smoke=1)
def changed_while_open(ctx, what):
    """It is noticed, said, read again once it is complete, and the place is kept."""
    path = ctx.copy()
    t = ctx.pty("--watch", "--at", "memory", os.path.dirname(path), size=(100, 30))
    t.press("tab", "down", "down", "down", "tab")
    t.press(*["right"] * 5)
    old = sections(ctx)
    CHANGES[what](ctx, path)
    if what == "truncated":
        t.wait("not complete yet")
        t.press("r")
    # truncated: what is worst with it stands in the bottom line
    t.wait(lambda text: "has changed" in t.bottom() or "truncated" in text)
    t.press("M")
    t.has("the report has changed: it was read again")
    t.press("M")
    expect("3:Mem" in t.screen.line(0) and "MEMORY" not in t.text(), "not in Memory any more")
    if what != "truncated":
        for key in ("1", "3", "4", "7"):
            t.press(key)
        expect("complete" in state(t), state(t))
        new = sections(ctx)
        expect(new and not set(old.values()) & set(new.values()), "an old section was kept")
        t.press("1")
        worst = ctx.summary(os.path.dirname(path))["memory"]["worst_tile"]
        t.has("worst tile %d" % worst)
    else:
        t.has("truncated")
    t.clean()
    t.quit()


@case(params=CHANGES, cost=6, depth=FULL)
def changed_while_indexing(ctx, what):
    path = os.path.join(shutil.copytree(ctx.shared("store", "--layout", "store"), ctx.path("report")), "report.tilescope")
    t = unbuilt(ctx, "--watch", os.path.dirname(path), size=(100, 30))
    with Held(t) as held:
        held.until_title()
        CHANGES[what](ctx, path)
        if what == "truncated":
            held.until(lambda: "not complete yet" in t.text(), "not complete")
            t.send("r")
        held.until(lambda: "has changed" in t.bottom() or "truncated" in t.text(), "has changed")
    t.settle()
    t.press("M")
    t.has("the report has changed: it was read again")
    t.press("M")
    if what != "truncated":
        complete(ctx, t)
        worst = ctx.summary(os.path.dirname(path))["memory"]["worst_tile"]
        t.has("worst tile %d" % worst)
    for key in ("3", "4", "7", "1"):
        t.press(key, "end")
        t.clean()
    nothing_left_over(ctx)
    t.quit()


@case(cost=6, depth=FULL)
def changed_into_nothing(ctx):
    """It cannot be read any more: said once, what was there stays; when it is back it is read."""
    path = ctx.copy()
    t = ctx.pty(os.path.dirname(path), size=(100, 30))
    worst = ctx.summary(os.path.dirname(path))["memory"]["worst_tile"]
    shutil.copy(path, ctx.path("kept"))
    os.rename(path, path + ".gone")
    with open(path, "wb") as f:
        f.write(b"no database\n" * 1000)
    t.wait("not complete yet")
    t.press("r")
    t.wait(lambda text: "cannot be read" in t.bottom())
    t.has("worst tile %d" % worst)
    t.press("3")
    for _ in range(10):                 # two more looks: nothing is said again
        t.pump(0.25)
    expect("cannot be read" not in t.bottom(), "said again: %r" % t.bottom())
    t.press("M")
    expect(t.text().count("cannot be read") == 1, "logged again:\n%s" % t.text())
    t.press("M")
    os.replace(ctx.path("kept"), path)
    t.wait("r reads the report again")
    t.press("r")
    t.wait(lambda text: "read again" in t.bottom())
    t.press("1")
    t.has("worst tile %d" % worst)
    complete(ctx, t)
    t.quit()


# ---- where it may be kept ----

def mounted(ctx, options, where):
    """Words that run the program where a file system of one's own is mounted; others do not see it."""
    os.makedirs(where, exist_ok=True)
    probe = ctx.path("probe")
    os.makedirs(probe)
    words = ["unshare", "-m", "sh", "-c", "mount -t tmpfs -o \"$1\" none \"$2\" && shift 2 && exec \"$@\"",
             "sh", options]
    try:
        may = subprocess.run(words + [probe, "true"], capture_output=True, timeout=LIMIT).returncode == 0
    except OSError:
        may = False
    if not may:
        raise Skipped("no mounts of one's own")
    return words + [where]


def told(t, *texts):
    """The log says it once; the program works."""
    t.settle()
    t.press("M")
    lines = [line for line in t.text().split("\n") if "index" in line]
    expect(lines and len(lines) == len(set(lines)), "said %d times:\n%s" % (len(lines), t.text()))
    for text in texts:
        expect(any(text in line for line in lines), "does not say %r:\n%s" % (text, t.text()))
    t.press("M", "3", "4", "7", "1")
    t.clean()
    t.lacks("being counted")
    t.has("worst tile")


MOUNTS = {"read-only": ("ro", "Read-only file system"), "full": ("size=16k", "No space left on device"),
          "nearly-full": ("size=64k", "No space left on device")}


@case(params=MOUNTS, cost=2, sample=1)
def index_on_a_mount(ctx, how):
    options, why = MOUNTS[how]
    where = ctx.path("mount")
    first, *rest = mounted(ctx, options, where)
    t = ctx.pty(*rest, ctx.program, "--cache", where, ctx.demo, program=shutil.which(first),
                size=(200, 40), wait="REPORT")
    told(t, why)
    t.quit()


@case(params=["no-home", "relative-home", "relative-cache", "empty-cache"], cost=2, depth=FULL)
def index_by_environment(ctx, how):
    """A relative directory is none, an empty one is not set (the XDG base directory specification)."""
    env = {"no-home": {"HOME": None, "XDG_CACHE_HOME": None},
           "relative-home": {"HOME": "here", "XDG_CACHE_HOME": "here/cache"},
           "relative-cache": {"XDG_CACHE_HOME": "here"},
           "empty-cache": {"XDG_CACHE_HOME": ""}}[how]
    t = ctx.pty(ctx.demo, env=env, size=(120, 40), wait="REPORT")
    if "home" in how:
        told(t, "there is no home directory")
    else:
        expect("complete" in state(t), "the index is not complete: %r" % state(t))
        kept = os.listdir(os.path.join(ctx.home, ".cache", "tilescope", "index"))
        expect(len(kept) == 1, "kept: %s" % kept)
    expect(not os.path.exists(ctx.path("here")), "a relative directory was made")
    t.quit()


@case(params=["cache", "index", "folder"], sample=1)
def index_of_somebody_else(ctx, what):
    """What belongs to another user is not trusted and not touched."""
    if os.geteuid() != 0:
        raise Skipped("not root: nothing can be given away")
    report = ctx.demo
    index = ctx.path("theirs", "index")
    t = ctx.pty("--cache", ctx.path("theirs"), report)
    t.quit()
    t.close()
    mine = os.path.join(index, os.listdir(index)[0])
    before = {n: os.stat(os.path.join(mine, n)).st_mtime_ns for n in os.listdir(mine)}
    os.chown({"cache": ctx.path("theirs"), "index": index, "folder": mine}[what], 12345, 12345)
    t = ctx.pty("--cache", ctx.path("theirs"), report, size=(200, 40), wait="REPORT")
    if what == "cache":                 # what lies in it is ours
        expect("complete" in state(t), state(t))
    else:
        told(t, "belongs to somebody else" if what == "index" else "cannot be")
        after = {n: os.stat(os.path.join(mine, n)).st_mtime_ns for n in os.listdir(mine)}
        expect(after == before, "touched: %s %s" % (before, after))
    t.quit()


@case(cost=3, depth=FULL)
def index_of_the_future(ctx):
    """The clock was set back: nothing is built again, and what is used now counts as used last."""
    report = ctx.copy()
    t = ctx.pty(os.path.dirname(report))
    complete(ctx, t)
    t.quit()
    t.close()
    later = time.time() + 10 * 365 * 86400
    for path in glob.glob(os.path.join(folders(ctx)[0], "*")) + folders(ctx):
        os.utime(path, (later, later))
    before = sections(ctx)
    t = ctx.pty(os.path.dirname(report))
    complete(ctx, t)
    expect(sections(ctx) == before, "it was built again")
    used = os.stat(os.path.join(folders(ctx)[0], "used")).st_mtime
    expect(used < later - 86400, "not used now")
    t.quit()


@case(cost=2)
def index_is_enough(ctx):
    """With a complete index no view counts anything from rows: little of the report is read."""
    report = ctx.copy()          # alone: what is compared with archive.a comes from rows
    con = sqlite3.connect(report)       # a recorded peak is held against lowered variables: a pass where they are few
    con.execute("ALTER TABLE memory_by_tile DROP COLUMN not_always_live_max_bytes")
    con.commit()
    con.close()
    t = ctx.pty(report, size=(120, 40))
    complete(ctx, t)
    t.quit()
    t.close()
    # Summary would have findings: those name variables that are alive at the peak, from their rows
    t = ctx.pty("--at", "memory", report, size=(120, 40))
    t.press("J")
    t.wait("complete")
    read = re.search(r"waited for ([\d.]+) (\w+) in", t.text())
    expect(read, "no figure:\n%s" % t.text())
    size = float(read.group(1)) * {"B": 1, "KiB": 1024, "MiB": 1 << 20}[read.group(2)]
    all_of_it = os.path.getsize(report)
    # which worker has which page already is chance
    expect(size < all_of_it / 2, "%d of %d bytes were read" % (size, all_of_it))
    t.quit()
