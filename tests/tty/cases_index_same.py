# SPDX-License-Identifier: MIT
"""The same screens with an index and without, whatever the layout, the damage, the room for it."""

import os
import random
import re

from .cases_files import builder
from .harness import FULL, case, expect

# over every view, with what an index changes: zooms, ends of lists, orders
WALK = ["3", "+", "end", "b", "tab", "end", "4", "p", "+", "tab", "end", "7", "+", "+", "end", "tab",
        "end", "8", "end", "pgup", "o", "end"]
FEW = ["3", "tab", "4", "7", "+", "8", "end"]
LAYOUTS = ["plain", "gaps", "pk", "indexed", "norowid", "view", "view_filter", "view_compute"]


def shown(ctx, report, cache, keys=FEW):
    """The screens after each key, everything built that will be."""
    t = ctx.pty("--cache", cache, report, size=(120, 40), wait="REPORT")
    seen = [t.text()]
    for key in keys:
        t.press(key)
        t.settle(timers=True)       # what a pass has found may be drawn a little after a key
        seen.append("%s:\n%s" % (key, t.text()))
    t.clean()
    t.quit()
    t.close()
    return seen


def without_operations(text):
    """
    Summary names the dearest operations where the index keeps them: the panes as they are without those lines, and
    without the sign that the last of them goes on below.
    """
    lines, kept = [re.sub(r" +\u2193$", "", line) for line in text.split("\n")], []
    for line in lines:
        cost = re.match(r" +(operations +)?[0-9.]+[kMG]? +[0-9.]+%  \S", line)
        if cost and (cost[1] or len(kept) < len(lines) and kept[-1] is None):
            kept.append(None)
        else:
            kept.append(line)
    rule = next((i for i, line in enumerate(kept) if line and "FRAMEWORK.JSON" in line), len(kept))
    return [line for line in kept[:rule] if line is not None], kept[rule:], None in kept


def same_but_operations(a, b):
    upper, lower, _ = without_operations(a)
    above, below, named = without_operations(b)
    return named and above == upper[:len(above)] and lower == below


def same(ctx, report, cache, wanted, keys=FEW, what=""):
    """
    What is sampled without an index, and says so, may be exact with it; the sum of all variables may be known, and
    which operations are the dearest.
    """
    for a, b in zip(wanted, shown(ctx, report, cache, keys)):
        a, b = (re.sub(r"(?m)^.*?([0-9,]+ variables)(, [0-9.]+ \w+)?\s*$", r"\1", x) for x in (a, b))
        expect(a == b or "sampled" in a or same_but_operations(a, b), "%s: not the same screen, after %s\n------ wanted\n%s" % (
            what, b, a))


def sections(cache):
    """Paths of the sections that are there, by name."""
    return {n: os.path.join(root, n) for root, _, names in os.walk(cache) for n in names
            if n.endswith(".idx")}


def contents(cache):
    return {n: open(p, "rb").read() for n, p in sections(cache).items()}


def layout(ctx, style):
    return builder.build(ctx.path(style), 3, style=style, ipus=2, steps=900, vars=3000, per_ipu=64,
                         categories=9, programs=60, compute_sets=40, hostile_numbers=0,
                         hostile_names=False, hostile_idents=False, fits=True, ipu="ipu",
                         tile="tile").dir


@case(params=["demo"] + LAYOUTS, cost=3, sample=1)
def same_with_index(ctx, kind):
    """Without, when it was built, and from what an earlier run has left: the same screens."""
    report = ctx.demo if kind == "demo" else layout(ctx, kind)
    wanted = shown(ctx, report, "none", WALK)
    same(ctx, report, ctx.path("cache"), wanted, WALK, "built")
    before = sections(ctx.path("cache"))
    expect(before, "no index was built")
    same(ctx, report, ctx.path("cache"), wanted, WALK, "found")
    expect(sections(ctx.path("cache")) == before, "built again: %s" % sorted(before))


# ---- damage ----

def flip(data, rng):
    data = bytearray(data)
    data[rng.randrange(len(data))] ^= 1 << rng.randrange(8)
    return bytes(data)


SPOIL = {
    "truncated": lambda data, other, rng: data[:rng.randrange(len(data))],
    "flipped": lambda data, other, rng: flip(data, rng),
    "grown": lambda data, other, rng: data + b"\0" * rng.randrange(1, 9000),
    "empty": lambda data, other, rng: b"",
    "noise": lambda data, other, rng: rng.randbytes(len(data)),
    "foreign": lambda data, other, rng: other,
    "newer": lambda data, other, rng: data[:12] + b"\x63" + data[13:],      # the layout's number
}


@case(params=SPOIL, cost=2, sample=1, smoke=1)
def index_damaged(ctx, how):
    """Sections that are not what they were: the same screens, and sound sections afterwards."""
    rng = random.Random(how)
    report, cache = ctx.demo, ctx.path("cache")
    ctx.copy("other")
    shown(ctx, ctx.path("other"), ctx.path("cache-of-other"))
    other = contents(ctx.path("cache-of-other"))
    wanted = shown(ctx, report, cache)
    good = contents(cache)
    expect(len(good) >= 4, "no index was built: %s" % sorted(good))
    bad = {}
    for name in good:
        if rng.random() < 0.7:
            bad[name] = SPOIL[how](good[name], other.get(name, b""), rng)
            with open(sections(cache)[name], "wb") as f:
                f.write(bad[name])
    got = ctx.run("summary", "-f", "json", "--cache", cache, report)
    want = ctx.run("summary", "-f", "json", "--cache", "none", report)
    expect((got.returncode, got.stdout, got.stderr) == (0, want.stdout, b""),
           "the summary differs: %r" % got)
    same(ctx, report, cache, wanted, what=how)
    now = contents(cache)
    lost = set(good) - set(now) - {"pieces.idx"}    # made only where a selected row is slow to come
    expect(not lost, "sections: %s, not %s" % (sorted(now), sorted(good)))
    expect(all(now[n] != bad[n] for n in bad), "a spoilt section was left")


@case(params=["past", "future"], depth=FULL)
def index_times(ctx, when):
    """Times of the cache's files mean nothing but what to evict."""
    report, cache = ctx.demo, ctx.path("cache")
    wanted = shown(ctx, report, cache)
    stamp = 1 if when == "past" else 1 << 33
    for root, dirs, names in os.walk(cache):
        for n in dirs + names:
            os.utime(os.path.join(root, n), (stamp, stamp))
    before = {p: os.stat(p).st_ino for p in sections(cache).values()}
    same(ctx, report, cache, wanted, what=when)
    expect({p: os.stat(p).st_ino for p in sections(cache).values()} == before, "built again")


@case(cost=2, depth=FULL)
def index_of_three_at_once(ctx):
    report, cache = ctx.demo, ctx.path("cache")
    wanted = shown(ctx, report, "none")
    apps = [ctx.pty("--cache", cache, report, size=(120, 40), wait=None) for _ in range(3)]
    for t in apps:
        t.wait("REPORT")
        for i, key in enumerate(FEW):
            t.press(key)
            t.settle(timers=True)
            expect("%s:\n%s" % (key, t.text()) == wanted[i + 1],
                   "not the same screen after %s\n%s" % (key, t.text()))
        t.quit()
    left = [n for _, _, names in os.walk(cache) for n in names if not n.endswith(".idx")]
    expect(sorted(left) == ["lock", "used"], "left behind: %s" % left)


# ---- where nothing can be kept ----

@case(params=["file", "below-a-file", "read-only", "full", "full-later", "dangling"], sample=1)
def index_has_no_room(ctx, how):
    """It works without, says so once, and the screens are the same."""
    report, cache, limit = ctx.demo, ctx.path("cache"), "unlimited"
    wanted = shown(ctx, report, "none")
    if how == "file":
        ctx.write(cache, "mine")
    elif how == "below-a-file":
        cache = os.path.join(ctx.write(ctx.path("file"), "mine"), "cache")
    elif how == "read-only":
        os.mkdir(cache, 0o500)
        if os.geteuid() == 0:
            return                      # root writes everywhere
    elif how == "dangling":
        os.symlink(ctx.path("nowhere", "at", "all"), cache)
    else:
        limit = "0" if how == "full" else "20"      # of half a KiB: a section fits, not all
    t = ctx.pty("-c", "ulimit -f %s; exec \"$@\"" % limit, "sh", ctx.program, "--cache", cache,
                report, program="/bin/sh", size=(120, 40), wait="REPORT")
    for i, key in enumerate(FEW):
        t.press(key)
        t.settle(timers=True)
        body = t.text().split("\n")[:-1]            # the bottom line may say it
        expect(body == wanted[i + 1].split("\n")[1:-1],
               "not the same screen after %s\n%s" % (key, t.text()))
    t.press("M")
    said = [line for line in t.text().split("\n") if "index" in line]
    expect(said and len(said) == len(set(said)), "said %d times:\n%s" % (len(said), t.text()))
    t.press("esc")
    t.quit()
    if how == "file":
        expect(open(cache).read() == "mine", "the file was touched")


@case(params=["operations", "programs"], cost=2, sample=1)
def export_with_index(ctx, what):
    """What the app has added up is not added up again by `export`, and is the same, byte for byte."""
    report, cache = ctx.demo, ctx.path("cache")
    t = ctx.pty("--cache", cache, "--at", "operations?tab=links&pane=tabs", report, size=(120, 40), wait="variables named")
    t.settle(timers=True)
    t.quit()
    expect({"operations.idx", "programs.idx"} <= set(sections(cache)), "kept: %s" % sorted(sections(cache)))
    for form in ("csv", "dot"):
        done = [ctx.run("export", "--what", what, "-f", form, "--stats", "--cache", c, report) for c in ("none", cache)]
        expect(done[0].returncode == 0 and done[0].stdout, "export: %r" % done[0].stderr)
        expect(done[0].stdout == done[1].stdout, "%s of %s differs with the index" % (form, what))
        pages = [sum(map(int, re.search(rb"stats all pages hits=(\d+) misses=(\d+)", d.stderr).groups())) for d in done]
        expect(form == "dot" or pages[1] < pages[0], "pages looked at without and with the index: %s" % pages)
