# SPDX-License-Identifier: MIT
"""Files of an open report that change: named, read again when asked or with --watch; the place is kept."""

import os
import re
import shutil
import sqlite3

from .harness import case, expect

OFFER = "r reads the report again"


def other(ctx, *more, name="new"):
    """Another report, to be put in the place of the one that is open."""
    ctx.run("demo", ctx.path(name), "--seed", "5", *more)
    return ctx.path(name)


def banner(t):
    return t.screen.line(1)


def change(t):
    """The lines of Summary that say what has changed: old, new, difference."""
    found = {}
    for line in t.text().split("\n"):
        m = re.match(r" (worst tile|total memory|peak of the rest|cycles) +(.*\S) +-> +(.*)$", line)
        if m:
            found[m.group(1)] = (m.group(2).strip(),) + tuple(re.split(r"  +", m.group(3).strip(), 1))
    return found


def figures(ctx, report):
    s = ctx.summary(report)
    return {"worst tile": s["memory"]["worst_tile_bytes"],
            "cycles": max(i["cycles"] for i in s["execution"]["ipus"])}


@case(cost=3, smoke=1)
def change_is_offered(ctx):
    """Named, not read before somebody says so; then the difference is in Summary."""
    path = ctx.copy()
    report = os.path.dirname(path)
    t = ctx.pty(report, size=(100, 40), env={"LC_ALL": "C.UTF-8"})
    t.wait(lambda text: "cycles" in text and "being" not in text)
    before, after = figures(ctx, report), figures(ctx, other(ctx, "--tiles", "1216"))
    expect(before["worst tile"] != after["worst tile"], "the test's own reports are alike")
    os.replace(os.path.join(ctx.path("new"), os.path.basename(path)), path)
    ctx.write(os.path.join(report, "app.json"), "{}")
    t.wait(OFFER)
    expect(os.path.basename(path) in banner(t) and "app.json (new)" in banner(t), banner(t))
    expect("CHANGE" not in t.text(), "it was read again without being asked")
    t.press("r")
    t.wait(lambda text: OFFER not in text and "CHANGE since" in text and "being" not in text)
    t.send(":set units bytes\r")
    t.wait("{:,} B".format(after["worst tile"]))
    shown = change(t)
    for what, old in before.items():
        unit = " B" if what != "cycles" else ""
        diff = after[what] - old
        expect(shown[what][:2] == ("{:,}{}".format(old, unit), "{:,}{}".format(after[what], unit)),
               "%s: %r, not %d -> %d" % (what, shown[what], old, after[what]))
        expect(shown[what][2].startswith("%s%s" % ("+" if diff > 0 else "-", "{:,}".format(abs(diff)))),
               "%s: the difference is %r, not %d" % (what, shown[what], diff))
    t.clean()
    t.quit()


@case(cost=3)
def unknown_stays_unknown(ctx):
    """What the report does not record any more is not 0, and has no difference."""
    path = ctx.copy()
    t = ctx.pty("--watch", os.path.dirname(path), size=(100, 40))
    t.wait(lambda text: "cycles" in text and "being" not in text)
    new = other(ctx)
    db = sqlite3.connect(os.path.join(new, os.path.basename(path)))
    for name in ("steps_by_ipu", "steps"):
        db.execute("DROP TABLE %s" % name)
    db.commit()
    db.close()
    os.replace(os.path.join(new, os.path.basename(path)), path)
    t.wait(lambda text: "CHANGE since" in text and "being" not in text)
    shown = change(t)
    expect(shown["cycles"][1:] == ("not known",), "cycles: %r" % (shown["cycles"],))
    expect("not known" not in shown["worst tile"], "worst tile: %r" % (shown["worst tile"],))
    t.quit()


@case(cost=4)
def parts_are_named(ctx):
    """Every part; debug.cbor one directory up through a link; a directory that is replaced."""
    path = ctx.copy("top/report")
    report = os.path.dirname(path)
    os.makedirs(ctx.path("far"))
    os.replace(os.path.join(report, "debug.cbor"), ctx.path("far", "debug.cbor"))
    os.symlink("../far/debug.cbor", ctx.path("top", "debug.cbor"))
    t = ctx.pty(report, size=(120, 30))
    ctx.write(os.path.join(report, "vars.json"), "{}")
    t.wait("vars.json (new)")
    os.utime(os.path.join(report, "archive.a"), (1e9, 1e9))
    t.wait(lambda text: "archive.a" in banner(t))
    with open(ctx.path("far", "debug.cbor"), "ab") as f:
        f.write(b"\0")
    t.wait(lambda text: "debug.cbor" in banner(t))
    os.unlink(os.path.join(report, "vars.json"))
    t.wait(lambda text: "vars.json" not in banner(t) and "archive.a" in banner(t))
    os.rename(report, ctx.path("old"))
    t.wait("archive.a (gone)")
    shutil.copytree(ctx.path("old"), report)
    t.wait(lambda text: "(gone)" not in banner(t) and OFFER in banner(t))
    expect(os.path.basename(path) in banner(t), banner(t))
    t.press("r")
    t.wait(lambda text: OFFER not in text and "MEMORY" in text)
    t.clean()
    t.quit()


@case()
def another_file_is_named(ctx):
    """The file is gone, and another of the directory is read in its place: that is said."""
    path = ctx.copy()
    report = os.path.dirname(path)
    t = ctx.pty(report, size=(100, 40))
    t.wait(lambda text: "cycles" in text and "being" not in text)
    os.rename(path, os.path.join(report, "profile_other.pop"))
    t.wait("r reads it as it is")
    t.press("r")
    t.wait("profile.pop is gone: profile_other.pop is shown")
    t.clean()
    t.quit()


@case(cost=4, smoke=1)
def half_written_waits(ctx):
    """--watch: half a file is named, and read when it is whole; a profile whose engine ends, too."""
    path = ctx.copy()
    t = ctx.pty("--watch", "--at", "memory", os.path.dirname(path), size=(100, 30))
    t.press("tab", "down", "down", "tab", "right", "right", "right")
    new = os.path.join(other(ctx), os.path.basename(path))
    whole = open(new, "rb").read()
    with open(path, "wb") as f:
        f.write(whole[:len(whole) // 2])
        f.flush()
        t.wait("not complete yet")
        expect("read again" not in t.bottom(), "half a file was read")
        f.write(whole[len(whole) // 2:])
    t.wait(lambda text: "read again" in t.bottom() and "Chang" not in banner(t))
    t.press("M")
    expect(t.text().count("it was read again") == 1, "read more than once:\n%s" % t.text())
    t.press("M", "1")
    t.has("worst tile %d" % ctx.summary(os.path.dirname(path))["memory"]["worst_tile"])
    # the next run: under a temporary name, then renamed over the old one
    temporary = ctx.write(os.path.join(os.path.dirname(path), "profile_abc.pop"), b"")
    with open(ctx.demo + "/profile.pop", "rb") as f, open(temporary, "wb") as to:
        shutil.copyfileobj(f, to)
    expect("Chang" not in banner(t), banner(t))
    os.replace(temporary, path)
    worst = ctx.summary(ctx.demo)["memory"]["worst_tile"]
    t.wait(lambda text: "worst tile %d" % worst in text and "Chang" not in banner(t))
    t.clean()
    t.quit()


@case()
def idle_is_idle(ctx):
    """Nothing happens to the files: no byte, no wake-up; what others do beside them does not count."""
    path = ctx.copy()
    t = ctx.pty("--cache", "none", os.path.dirname(path), size=(100, 30))
    t.wait(lambda text: "being" not in text)
    t.settle()
    ctx.write("beside", "x")
    before = len(t.raw)
    t.pump(1.5)
    expect(len(t.raw) == before, "%d bytes while nothing happens" % (len(t.raw) - before))
    t.quit()
