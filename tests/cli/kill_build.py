#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""
kill_build - kill the program at random moments while it builds an index; by hand, not in `make check`.

    kill_build.py [--tilescope PATH] [--times N] [--seed N] REPORT

Runs the app on a terminal with a cache of its own and kills it (SIGKILL) after a random time, sometimes
with what an earlier kill left behind, sometimes from nothing, now and then two of them at once.  After
each kill `summary -f json` has to be the same with that cache as without any; every tenth time the
app, with what is there, has to show the same screens as with an index that was built in peace.
Closes with `N passed, N failed`; the cache of a failure is kept.
"""

import argparse
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
from tests.tty.terminal import Failed, Pty  # noqa: E402

KEYS = ["1", "3", "tab", "down", "4", "p", "down", "7", "+", "tab", "pgdn", "end", "7", "down"]


class Bench:
    def __init__(self, program, report, top):
        self.program, self.report, self.top = program, report, top
        self.env = dict(os.environ, HOME=top, XDG_CACHE_HOME=os.path.join(top, "xdg"),
                        XDG_CONFIG_HOME=os.path.join(top, "config"), LC_ALL="C.UTF-8", TZ="UTC",
                        TERM="xterm-256color")

    def app(self, cache):
        return Pty([self.program, "--cache", cache, self.report], self.env, size=(120, 40))

    def summary(self, cache):
        r = subprocess.run([self.program, "summary", "-f", "json", "--cache", cache, self.report],
                           env=self.env, stdin=subprocess.DEVNULL, capture_output=True)
        return r.returncode, r.stdout, r.stderr

    def screens(self, cache):
        """What the views show once the index is whole."""
        t = self.app(cache)
        t.wait("MEMORY")
        seen = []
        for key in KEYS:
            t.press(key)
            seen.append(t.text())
        t.quit()
        t.close()
        return seen


def left(cache):
    return sorted(n for _, _, names in os.walk(cache) for n in names if n.endswith((".idx", ".tmp")))


def round_of(b, rng, cache, longest, number):
    """One kill (or two); None, or what is wrong."""
    if rng.random() < 0.4:
        shutil.rmtree(cache, ignore_errors=True)
    apps = [b.app(cache) for _ in range(2 if rng.random() < 0.2 else 1)]
    end = time.monotonic() + rng.uniform(0, longest)
    while time.monotonic() < end:
        for t in apps:
            t.pump(0.002)
    for t in apps:
        t.kill(9)
        t.close()
    if b.summary(cache) != b.wanted:
        return "the summary differs"
    if number % 10 == 9 and b.screens(cache) != b.shown:
        return "screens differ"
    return None


def main():
    ap = argparse.ArgumentParser(description="kill the program while it builds an index")
    ap.add_argument("--tilescope", default=os.environ.get("TILESCOPE", "./tilescope"))
    ap.add_argument("--times", type=int, default=200)
    ap.add_argument("--seed", type=int, default=1)
    ap.add_argument("report")
    a = ap.parse_args()
    rng = random.Random(a.seed)
    top = tempfile.mkdtemp(prefix="ts-kill.")
    b = Bench(os.path.abspath(a.tilescope), os.path.abspath(a.report), top)
    b.wanted = b.summary("none")
    began = time.monotonic()
    t = b.app(os.path.join(top, "peace"))
    t.wait("MEMORY")                # and rest: it is built
    longest = time.monotonic() - began
    t.quit()
    t.close()
    b.shown = b.screens(os.path.join(top, "peace"))
    whole = left(os.path.join(top, "peace"))
    cache = os.path.join(top, "cache")
    passed = failed = incomplete = halves = 0
    for n in range(a.times):
        try:
            why = round_of(b, rng, cache, longest, n)
        except Failed as e:
            why = str(e)
        now = left(cache)
        incomplete += now != whole
        halves += any(f.endswith(".tmp") for f in now)
        if not why:
            passed += 1
            continue
        failed += 1
        keep = os.path.join(top, "failed-%d" % n)
        shutil.move(cache, keep)
        print("FAIL  kill %d: %s\n      kept: %s: %s" % (n, why, keep, " ".join(now)))
    print("killed with sections missing: %d, with a half of one: %d" % (incomplete, halves))
    if not failed:
        shutil.rmtree(top, ignore_errors=True)
    print("%d passed, %d failed" % (passed, failed))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
