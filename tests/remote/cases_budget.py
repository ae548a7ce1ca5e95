# SPDX-License-Identifier: MIT
"""
What questions to a report on another host take: round trips and bytes, never time.

The counts are far_try's own (trips: somebody waited for blocks; host_trips: with those of names and attributes) and are held
against what went through the proxy.
"""

import os

from . import proxy
from . import server
from .harness import FULL, case, expect

QUESTIONS = ("tiles", "trace", "timeline", "interior", "zoom", "jump")

# the most round trips: on a first visit, on the next one
TRIPS = {"open": (6, 1), "tiles": (1, 0), "trace": (3, 1), "timeline": (5, 2), "interior": (4, 0), "zoom": (8, 2),
         "jump": (2, 2)}
# ... of the Trace, each asked of a report of which nothing is here but what opening took
COLD = {"tile": 8, "jump": 4, "at": 5, "class": 7, "longest": 9, "flame": 7, "stacks": 7, "columns": 7, "bsp": 8, "places": 10}
LAYOUTS = {"sdk": ("--layout", "sdk"), "keys": ("--layout", "sdk", "--sdk-keys"),
           "blobs": ("--layout", "store", "--tiles", "1472", "--ipus", "1")}
MOVED = (8 << 20, 1 << 20)     # bytes, of all questions together


def make(ctx):
    """A report of an SDK: 60,000 steps on 4 IPUs, 200,000 variables."""
    path = ctx.path("sshd-report")
    res = ctx.run(os.path.join(ctx.builddir, "tilescope"), "demo", path, "--layout", "sdk", "--steps", "60000",
                  "--variables", "200000", "--ipus", "4", "--tiles", "64", "--no-archive", "--quiet")
    expect(res.rc == 0, res, "the demo report was not made")
    return path


def ask(ctx, host, path, *more):
    """Lines of far_try by question: a dictionary each."""
    res = ctx.run(ctx.tool("far_try"), host, path, *more, "--seed", "3", *QUESTIONS)
    expect(res.rc == 0, res, "exit status")
    found = {}
    for line in res.out.splitlines():
        words = line.split()
        found[words[0]] = dict(w.split("=") for w in words[1:])
    for q in ("open",) + QUESTIONS:
        expect(q in found, res, "no answer to %s" % q)
    return res, found


def connection(ctx, sshd, way):
    """A client's configuration through a proxy."""
    key, line = ctx.key("key")
    sshd.allow(line)
    port, sshd.port = sshd.port, way.port
    config = ctx.client(sshd, keys=[key])
    sshd.port = port
    return config


@case(params=["ssh/0", "ssh/25", "ssh/50", "ssh/100", "libssh/50"], sample=1, smoke=1)
def budget(ctx, how):
    """So many round trips and bytes at any delay, the same answers as here, and next to nothing on the second visit."""
    by, rtt = how.split("/")
    path = make(ctx)
    _, here = ask(ctx, "-", path)
    with server.Sshd(ctx.dir) as sshd, proxy.Proxy(sshd.port, int(rtt) / 1000) as way:
        config = connection(ctx, sshd, way)
        for visit in (0, 1):
            before = way.counts()
            res, there = ask(ctx, "there", path, "--config", config, "--keep", ctx.path("keep"), "--by", by)
            after = way.counts()
            for q, most in TRIPS.items():
                trips = int(there[q]["trips"])
                expect(trips <= most[visit], res, "visit %d: %s took %d round trips, more than %d"
                       % (visit + 1, q, trips, most[visit]))
            moved = after["received"] - before["received"]
            expect(moved <= MOVED[visit], res, "visit %d: %d bytes" % (visit + 1, moved))
            for q in ("open", "tiles", "trace", "jump"):
                expect(there[q]["answer"] == here[q]["answer"], res, "another answer to %s" % q)
            expect((int(there["open"]["kept"]) > 0) == (visit == 1), res, "visit %d: blocks on disk" % (visit + 1))


@case(params=list(LAYOUTS), depth=FULL)
def trace_questions(ctx, layout):
    """Searches in the Trace, flame graphs and BSP name what they will read: a few round trips each, where rows are reached
    by row id, by an index, and where what is drawn stands in overflow pages; the same answers as here."""
    path = ctx.path("sshd-report")
    res = ctx.run(os.path.join(ctx.builddir, "tilescope"), "demo", path, "--steps", "60000", "--variables", "20000",
                  "--ipus", "4", "--tiles", "64", *LAYOUTS[layout], "--no-archive", "--quiet")
    expect(res.rc == 0, res, "the demo report was not made")
    with server.Sshd(ctx.dir) as sshd, proxy.Proxy(sshd.port, 0.01) as way:
        config = connection(ctx, sshd, way)
        for q, most in COLD.items():
            lines = []
            for more in (("-", path), ("there", path, "--config", config)):
                res = ctx.run(ctx.tool("far_try"), *more, "--seed", "3", "trace", q)
                expect(res.rc == 0, res, "exit status")
                lines.append(dict(w.split("=") for w in res.out.splitlines()[-1].split()[1:]))
            expect(0 < int(lines[1]["trips"]) <= most, res, "%s took %s round trips, more than %d"
                   % (q, lines[1]["trips"], most))
            expect(lines[0]["answer"] == lines[1]["answer"], res, "another answer to %s" % q)


# Passes over relations, without an index: each on its own, of a report of which nothing is here but what opening took
PASSES = {"programs": 5, "operations": 5, "variables": 2, "sorted": 2, "filtered": 2, "facts": 6}
GRAPHS = {"sdk": ("--layout", "sdk"), "store": ("--layout", "store"), "blobs": ("--layout", "store", "--tiles", "1472", "--ipus", "1")}


@case(params=list(GRAPHS), depth=FULL)
def passes(ctx, layout):
    """A relation of up to 4 MiB that is gone through is named at once, with what of its rows stands in overflow pages and with the
    names that they refer to: a few round trips, the same answers as here."""
    path = ctx.path("sshd-report")
    res = ctx.run(os.path.join(ctx.builddir, "tilescope"), "demo", path, "--steps", "2000", "--variables", "60000",
                  "--ipus", "1", "--tiles", "64", *GRAPHS[layout], "--no-archive", "--quiet")
    expect(res.rc == 0, res, "the demo report was not made")
    with server.Sshd(ctx.dir) as sshd, proxy.Proxy(sshd.port, 0.01) as way:
        config = connection(ctx, sshd, way)
        for q, most in PASSES.items():
            lines = []
            for more in (("-", path), ("there", path, "--config", config)):
                res = ctx.run(ctx.tool("far_try"), *more, "--seed", "3", q)
                expect(res.rc == 0, res, "exit status")
                lines.append(dict(w.split("=") for w in res.out.splitlines()[-1].split()[1:]))
            expect(int(lines[1]["trips"]) <= most, res, "%s took %s round trips, more than %d"
                   % (q, lines[1]["trips"], most))
            expect(lines[0]["answer"] == lines[1]["answer"], res, "another answer to %s" % q)


FIRST_SCREEN = {"ssh": (15, 13), "libssh": (14, 11)}     # on a first visit, on the next one
# of these are the host's: names, the file (opened, looked at and begun to be read at once), three levels of pages
FIRST_TRIPS = (5, 2)


@case(params=["ssh/25", "ssh/50", "libssh/50"], sample=1, smoke=1)
def first_screen(ctx, how):
    """With connecting, as the proxy counts it: opening the profile, and the memory of the tiles.  Without a delay
    a burst whose first answers are there before its last request would count as several."""
    by, rtt = how.split("/")
    path = make(ctx)
    with server.Sshd(ctx.dir) as sshd, proxy.Proxy(sshd.port, int(rtt) / 1000) as way:
        config = connection(ctx, sshd, way)
        for visit, moved in enumerate((2 << 20, 1 << 19)):
            before = way.counts()
            res = ctx.run(ctx.tool("far_try"), "there", path, "--config", config, "--keep", ctx.path("keep"),
                          "--by", by, "--parts", "later", "tiles")
            after = way.counts()
            expect(res.rc == 0, res, "exit status")
            waits = FIRST_SCREEN[by][visit]
            opened = dict(w.split("=") for w in res.out.splitlines()[0].split()[1:])
            expect(int(opened["host_trips"]) <= FIRST_TRIPS[visit], res, "visit %d: %s round trips of opening, more than %d"
                   % (visit + 1, opened["host_trips"], FIRST_TRIPS[visit]))
            took = {k: after[k] - before[k] for k in after}
            expect(took["waits"] <= waits, res, "%d round trips, more than %d" % (took["waits"], waits))
            expect(took["received"] <= moved, res, "%d bytes, more than %d" % (took["received"], moved))
            expect(took["connections"] == 1, res, "%d connections" % took["connections"])


@case(depth=FULL)
def other_state(ctx):
    """Another file at that path: nothing of the old one is used."""
    path = make(ctx)
    with server.Sshd(ctx.dir) as sshd, proxy.Proxy(sshd.port) as way:
        config = connection(ctx, sshd, way)
        more = ("--config", config, "--keep", ctx.path("keep"))
        ask(ctx, "there", path, *more)
        profile = os.path.join(path, "profile.pop")
        os.utime(profile, (1000, 1000))
        res, there = ask(ctx, "there", path, *more)
        expect(int(there["open"]["kept"]) == 0, res, "blocks of the old state were used")
        _, there = ask(ctx, "there", path, *more)
        expect(int(there["open"]["kept"]) > 0, res, "blocks of the new state were not kept")


@case(params=["cut", "changed", "table"], depth=FULL)
def damaged_store(ctx, how):
    """A store that somebody has damaged costs round trips, no answers."""
    path = make(ctx)
    _, here = ask(ctx, "-", path)
    with server.Sshd(ctx.dir) as sshd, proxy.Proxy(sshd.port) as way:
        config = connection(ctx, sshd, way)
        more = ("--config", config, "--keep", ctx.path("keep"))
        ask(ctx, "there", path, *more)
        names = [n for n in os.listdir(ctx.path("keep")) if n.endswith(".blocks")]
        expect(names, None, "no store")
        for name in names:
            store = ctx.path("keep", name)
            expect("sshd-report" not in name and b"there:" in open(store, "rb").read(4096), None,
                   "whose blocks they are stands in it, not in its name")
            size = os.stat(store).st_size
            with open(store, "r+b") as f:
                if how == "cut":
                    f.truncate(size * 2 // 3)
                else:
                    for at in range(4096 + 24 if how == "table" else 300000, size, 1009 if how == "table" else 5000):
                        f.seek(at)
                        f.write(b"\xa5\x5a")
        res, there = ask(ctx, "there", path, *more)
        for q in ("open", "tiles", "trace", "jump"):
            expect(there[q]["answer"] == here[q]["answer"], res, "another answer to %s" % q)
