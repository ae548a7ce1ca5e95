# SPDX-License-Identifier: MIT
"""
engine - rows of the table, what measures them, and what came out.

A measure is a function marked @measure; it is called once a round and scale with the Bench and
gives, for each of its rows, the figures of that round: {row: {"ours": one or many, "a peer": one
or many}}.  Ours and the peers are thus measured next to each other, round after round.  A row
says what is made of many figures (median, p99, ...), what the goal is, and which peer the ratio
is to.
"""

import ctypes
import json
import os
import re
import shutil
import statistics
import subprocess
import sys
import time

ROWS = {}               # id -> Row, in the order of the table
MEASURES = []           # (function, ids, scales)
SCALES = ("1x", "10x", "100x")
# steps and lowered variables of each report
SIZES = {
    "full": {"1x": (200000, 600000), "10x": (2000000, 6000000), "100x": (20000000, 60000000)},
    "small": {"1x": (20000, 96000), "10x": (200000, 960000), "100x": (2000000, 9600000)},
    "tiny": {"1x": (200, 6000), "10x": (2000, 9000), "100x": (20000, 12000)},
}
BERT = {"full": (1000000, 10000000), "small": (100000, 1000000), "tiny": (2000, 8000)}


class Skip(Exception):
    """Why a measure has no figure here."""


class Row:
    def __init__(self, ident, title, unit, goal=None, stat="median", floor=None, on="ours",
                 note=""):
        """floor: the peer that the ratio is to; on: what the goal bounds, `ours` or `ratio`."""
        self.id, self.title, self.unit, self.goal, self.stat = ident, title, unit, goal, stat
        self.floor, self.on, self.note = floor, on, note


def row(*args, **more):
    r = Row(*args, **more)
    ROWS[r.id] = r
    return r.id


def measure(*ids, scales=SCALES):
    def mark(fn):
        MEASURES.append((fn, ids, scales))
        return fn
    return mark


def quantile(values, q):
    v = sorted(values)
    return v[min(len(v) - 1, int(q * len(v)))]


STATS = {"median": statistics.median, "p50": statistics.median, "max": max,
         "p99": lambda v: quantile(v, 0.99), "mean": statistics.fmean}


def many(x):
    return list(x) if isinstance(x, (list, tuple)) else [x]


class Figures:
    """Of one row at one scale: for each party a list of rounds, each a list of figures."""

    def __init__(self):
        self.rounds = {}
        self.notes = []
        self.slowest = []
        self.left_out = []      # of ours: what was measured while the host of this machine had a processor

    def add(self, got):
        for party, value in got.items():
            if party == "slowest":
                self.slowest += value
            elif party == "left_out":
                self.left_out += value
            elif party == "note":
                if value and value not in self.notes:
                    self.notes.append(value)
            elif value is not None and many(value):
                self.rounds.setdefault(party, []).append(many(value))

    def settle_left_out(self, stat):
        """How many were, and what the figure is with them: the slower a key, the likelier it is met."""
        kept = [x for v in self.rounds.get("ours", []) for x in v]
        if not kept and self.left_out:
            self.rounds["ours"] = [self.left_out]
            return ["all while the host of this machine had a processor"]
        if not self.left_out:
            return []
        return ["%d of %d left out, the host of this machine had a processor meanwhile; with them %.3g" %
                (len(self.left_out), len(self.left_out) + len(kept), stat(kept + self.left_out))]

    def result(self, r):
        stat = STATS[r.stat]
        notes = self.notes + self.settle_left_out(stat)
        each = {p: [stat(v) for v in rounds] for p, rounds in self.rounds.items()}
        out = {"notes": notes, "slowest": self.slowest, "peers": {}}
        for party, rounds in self.rounds.items():
            value = stat([x for v in rounds for x in v]) if r.stat != "median" else \
                statistics.median(each[party])
            cell = {"value": value, "min": min(each[party]), "max": max(each[party]),
                    "rounds": len(rounds)}
            if party == "ours":
                out["ours"] = cell
            else:
                out["peers"][party] = cell
        if r.floor in each and "ours" in each:
            floor = each[r.floor] + [statistics.median(each[r.floor])] * len(each["ours"])
            ratios = [a / b for a, b in zip(each["ours"], floor) if b > 0]
            if ratios:
                out["ratio"] = {"median": statistics.median(ratios), "min": min(ratios),
                                "max": max(ratios)}
        return out


class Bench:
    """Where things are: the program, the programs beside it, reports, caches."""

    def __init__(self, program, tools, srcdir, folder, size, say, drop_caches=False):
        self.program, self.tools, self.srcdir = program, tools, srcdir
        self.folder, self.size, self.say = folder, size, say
        self.drop_caches = drop_caches and os.geteuid() == 0
        self.scale = self.round = None
        self.tiny = size == "tiny"
        self.libc = ctypes.CDLL(None, use_errno=True)
        os.makedirs(folder, exist_ok=True)
        self.home = os.path.join(folder, "home")
        os.makedirs(self.home, exist_ok=True)
        self.cpus = len(os.sched_getaffinity(0))

    def env(self, **more):
        env = {"PATH": os.environ.get("PATH", "/usr/bin:/bin"), "HOME": self.home,
               "XDG_CONFIG_HOME": os.path.join(self.home, "config"),
               "XDG_CACHE_HOME": os.path.join(self.home, "cache"),
               "LC_ALL": "C.UTF-8", "TZ": "UTC", "TERM": "xterm-256color"}
        env.update({k: v for k, v in os.environ.items() if k.startswith(("ASAN_", "UBSAN_"))})
        env.update(more)
        return env

    # ---- reports ----

    def demo(self, name, *options):
        """A demo report, written once; the path of its file."""
        where = os.path.join(self.folder, name)
        want = " ".join(options)
        mark = os.path.join(where, "options")
        if not os.path.exists(mark) or open(mark).read() != want:
            shutil.rmtree(where, ignore_errors=True)
            self.say("writing the report %s" % name)
            r = subprocess.run([self.program, "demo", where, *options], env=self.env(),
                               stdin=subprocess.DEVNULL, capture_output=True)
            if r.returncode:
                raise RuntimeError("demo: %s" % r.stderr.decode(errors="replace"))
            with open(mark, "w") as f:
                f.write(want)
        return os.path.join(where, "profile.pop")

    def shape(self):
        return ["--ipus", "2", "--tiles", "64"] if self.tiny else \
            ["--ipus", "4", "--tiles", "1472"]

    def report(self, scale=None):
        scale = scale or self.scale
        steps, variables = SIZES[self.size][scale]
        return self.demo("%s-%s" % (self.size, scale), *self.shape(),
                         "--steps", str(steps), "--variables", str(variables))

    def bert(self):
        """As large as a BERT on four IPUs, and with as many names; smaller ones when not at full size."""
        steps, variables = BERT[self.size]
        more = [] if self.size == "full" else ["--steps", str(steps), "--variables", str(variables)]
        return self.demo(self.size + "-bert", "--scale", "small" if self.tiny else "bert", *self.shape(), *more)

    def cache(self, name, empty=False):
        where = os.path.join(self.folder, "cache", name)
        if empty:
            shutil.rmtree(where, ignore_errors=True)
        os.makedirs(where, exist_ok=True)
        return where

    def indexed(self, report):
        """A cache directory with the whole index of a report; None: it cannot be built."""
        if not os.path.exists(self.tool("inside_build")):
            return None
        where = self.cache("whole-" + os.path.basename(os.path.dirname(report)))
        mark = where + ".built"
        st = os.stat(report)
        want = "%d %d %d" % (st.st_size, st.st_mtime_ns,
                             os.stat(self.tool("inside_build")).st_mtime_ns)
        if not os.path.exists(mark) or open(mark).read() != want:
            self.say("building the index of %s" % os.path.basename(os.path.dirname(report)))
            shutil.rmtree(where, ignore_errors=True)
            os.makedirs(where)
            self.run_tool("inside_build", report, where, "core", str(self.cpus))
            with open(mark, "w") as f:
                f.write(want)
        return where

    def steps(self, scale=None):
        return SIZES[self.size][scale or self.scale][0]

    def forget(self, *paths):
        """Have the system forget what it cached of files; a note when it does not."""
        kept = total = 0
        if self.drop_caches:
            os.sync()
            with open("/proc/sys/vm/drop_caches", "w") as f:
                f.write("3")
        for top in paths:
            files = [top] if os.path.isfile(top) else \
                [os.path.join(d, n) for d, _, names in os.walk(top) for n in names]
            for path in files:
                fd = os.open(path, os.O_RDONLY)
                os.fsync(fd)
                os.posix_fadvise(fd, 0, 0, os.POSIX_FADV_DONTNEED)
                os.close(fd)
                r = subprocess.run(["fincore", "-b", "-n", "-r", "-o", "RES,SIZE", path],
                                   capture_output=True, text=True) if shutil.which("fincore") \
                    else None
                if r and r.returncode == 0 and r.stdout.split():
                    kept += int(r.stdout.split()[0])
                    total += int(r.stdout.split()[1])
        if not total:
            return "whether it was cold is not known: no fincore"
        return "%.0f %% stayed cached" % (kept * 100 / total) if kept > total / 10 else None

    # ---- programs ----

    def tool(self, name):
        return os.path.join(self.tools, name)

    def run_tool(self, name, *args):
        """One of our C programs: its line of JSON."""
        r = subprocess.run([self.tool(name), *map(str, args)], env=self.env(),
                           stdin=subprocess.DEVNULL, capture_output=True)
        if r.returncode:
            raise RuntimeError("%s %s: %s" % (name, " ".join(map(str, args)),
                                              r.stderr.decode(errors="replace").strip()))
        return json.loads(r.stdout)

    def timed(self, *argv):
        """A program from start to end: (milliseconds, peak resident KiB, output)."""
        began = time.perf_counter()
        r = subprocess.Popen(argv, env=self.env(), stdin=subprocess.DEVNULL,
                             stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        out = r.stdout.read()
        _, status, usage = os.wait4(r.pid, 0)
        r.returncode = os.waitstatus_to_exitcode(status)
        r.stdout.close()
        return (time.perf_counter() - began) * 1e3, usage.ru_maxrss, out

    def have(self, name):
        return shutil.which(name, path=self.env()["PATH"])


def machine():
    """What it is measured on, in a few words."""
    model = ""
    try:
        with open("/proc/cpuinfo") as f:
            m = re.search(r"model name\s*:\s*(.*)", f.read())
            model = m.group(1) if m else ""
    except OSError:
        pass
    with open("/proc/meminfo") as f:
        kib = int(re.search(r"MemTotal:\s+(\d+)", f.read()).group(1))
    system = ""
    try:
        with open("/etc/os-release") as f:
            m = re.search(r'PRETTY_NAME="(.*)"', f.read())
            system = m.group(1) if m else ""
    except OSError:
        pass
    return {"cpu": model, "cpus": len(os.sched_getaffinity(0)), "memory_gib": round(kib / 2**20, 1),
            "system": system, "kernel": os.uname().release, "python": sys.version.split()[0]}
