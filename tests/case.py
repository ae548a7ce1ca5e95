# SPDX-License-Identifier: MIT
"""
case - what the cases of tests/cli, tests/tty and tests/remote share; tests/run.py runs them.

A case is a function marked @case in a module cases_*.py of one of these packages.  It gets a Ctx (each package has its
own, in harness.py): a directory of its own, the program, and reports that are made once for all.  It raises Failed or
Skipped.  Several run at once.
"""

import fcntl
import os
import subprocess

# Depths, each with all that the ones before it have: a smoke set for slow builds, what guards every change, everything.
SMOKE, CHECK, FULL = "smoke", "check", "full"
DEPTHS = (SMOKE, CHECK, FULL)
LIMIT = 300         # seconds after which something hangs; nothing else is asserted about time
PASS_ENV = ("ASAN_", "UBSAN_", "TSAN_", "LSAN_", "LLVM_", "GCOV", "LD_LIBRARY_PATH", "TS_SANITIZE", "TS_DEPTH")
CASES = []


class Failed(Exception):
    pass


class Skipped(Exception):
    """It cannot be tried here; why."""


class Case:
    def __init__(self, function, param, depth, cost, needs, defect):
        self.suite = function.__module__.split(".")[1]                  # of tests.SUITE.cases_MODULE
        name = function.__name__.replace("_", "-")
        if param is not None:
            name += "/" + ("-".join(map(str, param)) if isinstance(param, tuple) else str(param))
        self.name = "%s/%s" % (self.suite, name)
        self.function, self.param, self.depth = function, param, depth
        self.cost, self.needs, self.defect = cost, needs, defect

    def run(self, ctx):
        if self.param is None:
            self.function(ctx)
        else:
            self.function(ctx, self.param)


def case(params=None, sample=None, smoke=0, depth=CHECK, cost=1, needs=None, defect=None):
    """
    Mark a test.  params: a case for each, given as second argument.  Depths: `sample` of them, evenly spread (all, when
    it is left out), run from `depth` on, the first `smoke` of these in the smoke set, too; the rest at full depth only.
    cost: long ones start first.  needs: a program without which it is skipped.  defect: why it is known to fail, or a
    dict of that by parameter; it counts as failed all the same.
    """
    def mark(function):
        every = [None] if params is None else list(params)
        few = len(every) if sample is None else min(sample, len(every))
        chosen = [n * len(every) // few for n in range(few)]
        for n, p in enumerate(every):
            d = FULL if n not in chosen else SMOKE if n in chosen[:smoke] else depth
            why = defect.get(p) if isinstance(defect, dict) else defect
            CASES.append(Case(function, p, d, cost, needs, why))
        return function
    return mark


def at_full_depth():
    """Is everything wanted?  Otherwise a sweep looks at a sample."""
    return os.environ.get("TS_DEPTH", CHECK) == FULL


class Ctx:
    """One case: its directory, the program, and what was started for it."""

    term = "dumb"

    def __init__(self, builddir, where, shared_dir):
        self.builddir = builddir
        self.program = os.path.join(builddir, "tilescope")
        self.dir = where
        self.shared_dir = shared_dir
        self.home = os.path.join(where, "home")
        self.running = []
        os.makedirs(self.home)

    def path(self, *names):
        return os.path.join(self.dir, *names)

    def env(self, **more):
        """The environment of what is started: `more` is added, a name with None is left out."""
        env = {k: v for k, v in os.environ.items() if k.startswith(PASS_ENV)}
        env.update({"PATH": os.environ.get("PATH", "/usr/bin:/bin"), "HOME": self.home,
                    "XDG_CACHE_HOME": os.path.join(self.home, "cache"),
                    "XDG_CONFIG_HOME": os.path.join(self.home, "config"),
                    "LC_ALL": "C.UTF-8", "TZ": "UTC", "TERM": self.term})
        env.update(more)
        return {k: v for k, v in env.items() if v is not None}

    def shared(self, name, *args):
        """A demo report with these options, called `name` by all; its directory.  Made once: never change it."""
        path = os.path.join(self.shared_dir, name)
        with open(path + ".lock", "w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            if not os.path.exists(path):
                subprocess.run([self.program, "demo", *args, path + ".new"], check=True, capture_output=True,
                               stdin=subprocess.DEVNULL, env=self.env(), timeout=LIMIT)
                os.rename(path + ".new", path)
        return path

    def close(self):
        for r in self.running:
            r.close()
