# SPDX-License-Identifier: MIT
"""The Open view: recent reports with what was known of them, the picker, :open, --latest."""

import os
import shutil
import stat
import time

from .harness import case, expect
from .terminal import LIMIT


def state_file(ctx):
    return os.path.join(ctx.home, ".local", "state", "tilescope", "recent")


def line_with(t, text):
    found = [line for line in t.text().split("\n") if text in line]
    expect(len(found) == 1, "%d lines with %r:\n%s" % (len(found), text, t.text()))
    return found[0]


def until(t, text, *keys):
    """What a worker writes or says: looked at until it is there."""
    end = time.monotonic() + LIMIT
    while text not in t.text():
        expect(time.monotonic() < end, "never showed %r:\n%s" % (text, t.text()))
        t.press(*keys)


def opened(ctx, report, *more):
    """Open a report, and leave when its figures are kept."""
    t = ctx.pty(*more, report, size=(120, 40))
    t.wait(lambda text: "cycles" in text and "being" not in text)
    t.send("R")
    t.wait(lambda text: "Recent reports" in text)
    until(t, "%", "r")
    t.quit()


@case(cost=4, smoke=1)
def recent_reports(ctx):
    """The last first, with the verdict; Enter opens; what has changed or gone is marked."""
    one, two = ctx.copy("one"), ctx.copy("two")
    opened(ctx, os.path.dirname(one))
    second = int(time.time())           # the list knows seconds
    while int(time.time()) == second:
        time.sleep(0.05)
    opened(ctx, os.path.dirname(two))
    expect(stat.S_IMODE(os.stat(state_file(ctx)).st_mode) == 0o600, "the list can be read by others")
    expect(os.listdir(os.path.dirname(state_file(ctx))).count("recent") == 1, "no list")
    s = ctx.summary(os.path.dirname(one))
    t = ctx.pty(size=(120, 40), wait=lambda text: "/one" in text and "/two" in text)
    text = t.text()
    expect(text.index("/two") < text.index("/one"), "not the last first:\n%s" % text)
    line = line_with(t, "/one ")
    share = 100.0 * s["memory"]["worst_tile_bytes"] / s["memory"]["limit_bytes"]
    cycles = max(i["cycles"] for i in s["execution"]["ipus"])
    for said in ("fits", "%.1f%%" % share, "{:,}".format(cycles), s["poplar_version"].split()[0]):
        expect(said in line, "no %r in %r" % (said, line))
    shutil.rmtree(os.path.dirname(two))
    os.utime(one, (1e9, 1e9))
    t.press("r")
    t.wait(lambda text: "gone" in text and "changed" in line_with(t, "/one "))
    expect("gone" in line_with(t, "/two "), line_with(t, "/two "))
    t.press("enter")                    # the cursor is on the one that is gone
    t.wait("no such file")
    t.press("down", "enter")
    t.wait("MEMORY")
    expect("one" in t.screen.line(0), t.screen.line(0))
    t.clean()
    t.quit()


@case()
def recent_not_kept(ctx):
    """--cache none: nothing is written; a directory that cannot be written is told in the log."""
    report = os.path.dirname(ctx.copy())
    t = ctx.pty("--cache", "none", report, size=(120, 40))
    t.wait(lambda text: "cycles" in text and "being" not in text)
    t.press("R")
    t.wait("none yet")
    t.quit()
    expect(not os.path.exists(os.path.dirname(state_file(ctx))), "something was written")
    ctx.write(os.path.join(ctx.home, ".local", "state", "tilescope"), "a file")
    t = ctx.pty(report, size=(120, 40))
    t.wait(lambda text: "cycles" in text and "being" not in text)
    t.press("M")
    until(t, "recent reports are not kept", "M", "M")
    t.quit()


@case(params=["noise", "huge", "lines", "link", "fifo"], sample=1, smoke=1)
def recent_hostile(ctx, what):
    """Whatever lies where the list should be: it opens, and the next report is kept."""
    report = os.path.dirname(ctx.copy())
    path = state_file(ctx)
    os.makedirs(os.path.dirname(path))
    if what == "noise":
        ctx.write(path, os.urandom(60000))
    elif what == "huge":
        ctx.write(path, b"5 1 1 1 - - - - - - - /first\n" * 200000)
    elif what == "lines":
        ctx.write(path, "".join("%d 1 1 1 1 1 1 1 1 1 %%1B%%5B31m /no%%0A%%1B%%5B2J/r%d\n" % (i, i)
                                for i in range(500)))
    elif what == "link":
        os.symlink("/dev/zero", path)
    else:
        os.mkfifo(path)
    t = ctx.pty(size=(120, 40), wait="Recent reports", cwd=report)
    t.wait("MiB")
    t.clean()
    t.send(":open %s\r" % report)
    t.wait(lambda text: "cycles" in text and "being" not in text)
    t.press("R")
    until(t, "%", "r")
    t.clean()
    t.quit()
    expect(stat.S_ISREG(os.lstat(path).st_mode), "the list is no plain file")


@case(cost=2)
def picker(ctx):
    """Into directories and up again; search, filter, order; both panes."""
    for name in ("top/alpha/run1", "top/alpha/run2", "top/beta"):
        ctx.copy(name)
    ctx.write("top/gamma/readme", "nothing")
    os.symlink("..", ctx.path("top", "gamma", "up"))
    os.utime(ctx.path("top/beta/profile.pop"), (2e9, 2e9))
    t = ctx.pty(size=(120, 40), cwd=ctx.path("top"), wait="gamma/")
    t.has("alpha/run1", "alpha/run2", "beta", "2 reports below", "2033-05-18")
    expect("PAD...." in line_with(t, "beta "), line_with(t, "beta "))
    text = t.text()
    expect(text.index("beta") < text.index("run1") < text.index("gamma/"), text)
    t.send("/gamma\r")
    t.press("enter")
    t.wait("/top/gamma")
    t.press("backspace")
    t.wait(lambda text: "alpha/run2" in text)
    t.press("enter")                    # the cursor is on where we came from
    t.wait("/top/gamma")
    t.press("backspace")
    t.wait("alpha/run2")
    t.send("&run2\r")
    t.wait(lambda text: "filter: run2" in text and "gamma/" not in text and "run1" not in text)
    t.send("&\r")
    t.wait("gamma/")
    t.send(":sort name\r")
    t.wait(lambda text: text.index("alpha/run1") < text.index("beta"))
    t.press("O")
    text = t.text()
    expect(text.index("gamma/") < text.index("beta") < text.index("alpha/run1"), text)
    t.press("tab", "z")
    t.lacks("Reports below")
    t.press("z", "tab")
    t.send("/beta\r")
    t.press("enter")
    t.wait("MEMORY")
    t.clean()
    t.quit()


@case(cost=2)
def open_another(ctx):
    """:open PATH and R from a report; what is no report leaves the one that is shown."""
    one, two = (os.path.dirname(ctx.copy(n)) for n in ("one", "two words"))
    ctx.write("text", "no report\n" * 100)
    t = ctx.pty("--at", "memory", one, size=(120, 40))
    t.send(":open %s\r" % ctx.path("text"))
    t.wait("not an SQLite database")
    expect("one" in t.screen.line(0), t.screen.line(0))
    t.send(":open %s\r" % ctx.path("nowhere"))
    t.wait("no such file")
    t.send(":open %s\r" % two)
    t.wait(lambda text: "two words" in t.screen.line(0))
    t.send(":open %s\r" % ctx.dir)
    t.wait(lambda text: "Reports below" in text and "one" in text)
    t.press("esc")
    expect("two words" in t.screen.line(0) and "Reports below" not in t.text(), t.text())
    t.press("R", "R")
    expect("Reports below" not in t.text(), t.text())
    t.quit()


@case()
def escape_without_a_report(ctx):
    """Escape behind a search that is over leaves nothing: without a report the list is all that there is; q leaves."""
    ctx.copy("all/a-run")
    t = ctx.pty(size=(120, 40), cwd=ctx.path("all"), wait="a-run")
    t.send("/a\r")
    t.press("esc")
    t.wait("no report is open (q leaves)")
    t.press("esc")
    expect("a-run" in t.text(), t.text())
    t.send("q")
    t.expect_end(0)


@case()
def latest_here(ctx):
    """--latest alone: below the working directory."""
    old, new = ctx.copy("all/old"), ctx.copy("all/new")
    os.utime(old, (1e9, 1e9))
    os.utime(new, (2e9, 2e9))
    t = ctx.pty("--latest", cwd=ctx.path("all"), wait="MEMORY", size=(120, 30))
    expect("new" in t.screen.line(0), t.screen.line(0))
    t.quit()
