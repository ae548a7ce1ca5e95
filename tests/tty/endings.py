#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""
endings - end the program at any moment, in any way; by hand, not in `make check`.

    endings.py [--tilescope PATH] [--rounds N] [--seed N] [-j N] [--ms N] [--slow] [REPORT...]

Starts the program (one with the sanitizers, best of all) on a pseudo-terminal with a report and a
cache - empty, complete, none, one that was left by an earlier round - types keys that begin work in
every view, and after a random time sends a signal, types Q, or closes the terminal.  Now and then a
verb instead.  What has to hold: it ends, with a status that is one of its own, the terminal is given
back, and no sanitizer has spoken (they write files of their own: a terminal that is gone hears
nothing).  --slow: each round on one processor, beside a loop that never rests.

Two small reports it makes itself.  Closes with `N passed, N failed`; what failed says how to do it again.
"""

import argparse
import concurrent.futures
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
from tests.tty.terminal import Failed, Pty  # noqa: E402

LIMIT = 120
SANITIZER = 97                          # its exit status
LEAVE = "\x07Q"                         # also out of a prompt
CACHES = ["none", "empty", "left", "whole"]
WAYS = ["SIGTERM", "SIGHUP", "SIGINT", "SIGQUIT", "Q", "q", "hang-up", "twice"]
WORK = ["1", "3", "4", "7", "8", "9", "J", "M", "?", "o", "O", "b", "s", "+", "+", "]", "[", "w", "p", "t", "z",
        "G", "\x1b[6~", "\t", "\r", "n", "N", "r", "\x1bOB", "\x1bOA", "\x0c", "\x03", "y", "gm", "gl",
        "gt", "/a\r", "/sync\r", "/no such thing\r", "&a\r", "&bytes>100\r", "&\r", ":index\r",
        ":sort name\r", ":sort bytes\r", ":sort tile\r", ":filter name~a\r", ":set index off\r",
        ":set index on\r", ":help sort\r", ":tile 5\r", ":cancel\r", ":reload\r", ":",
        ":set theme mono\r", "/", "0", "L", "H", "e", "d", "i",
        ":sql SELECT * FROM lowered_variable\r", ":sql SELECT count(*) FROM step a, step b\r"]
VERBS = [["summary"], ["summary", "-f", "json"], ["schema"], ["schema", "-f", "json"], ["cache", "list"],
         ["cache", "clear"], ["demo"], ["query"], ["query", "-f", "json"]]
STATEMENTS = ["SELECT * FROM lowered_variable", "SELECT count(*) FROM step a, step b"]


def environment(where):
    """What a program gets: a home of its own; sanitizers write files."""
    env = dict(os.environ, HOME=where, XDG_CACHE_HOME=os.path.join(where, "xdg"),
               XDG_CONFIG_HOME=os.path.join(where, "config"), LC_ALL="C.UTF-8", TZ="UTC",
               TERM="xterm-256color", EDITOR="true")
    for name in ("ASAN_OPTIONS", "UBSAN_OPTIONS"):
        env[name] = ":".join(filter(None, [
            os.environ.get(name), "log_path=%s" % os.path.join(where, "said"), "exitcode=%d" % SANITIZER,
            "print_stacktrace=1"]))
    return env


def threads(pid):
    """What the threads of a process that hangs are doing."""
    said = [os.readlink("/proc/%d/exe" % pid)]
    for task in sorted(os.listdir("/proc/%d/task" % pid)):
        for name in ("wchan", "syscall", "stat"):
            with open("/proc/%d/task/%s/%s" % (pid, task, name)) as f:
                said.append(f.read()[:100])
    if shutil.which("gdb"):
        said.append(subprocess.run(["gdb", "-p", str(pid), "-batch", "-ex", "thread apply all bt"],
                                   stdin=subprocess.DEVNULL, capture_output=True).stdout.decode())
    return "\n".join(said)


class Round:
    """One start and one end: all that is random follows from its number."""

    def __init__(self, a, top, number):
        self.a, self.number = a, number
        self.rng = random.Random(a.seed * 1000003 + number)
        self.where = os.path.join(top, "round-%d" % number)
        os.mkdir(self.where)
        self.env = environment(self.where)
        self.told = []
        self.wrap = [shutil.which("taskset"), "-c", str(self.rng.randrange(os.cpu_count() or 1))] if a.slow else []

    def report(self):
        odd = self.rng.random()
        if odd < 0.06:
            return os.path.join(self.where, "missing")
        if odd < 0.14:
            return self.a.below
        return self.rng.choice(self.a.reports)

    def cache(self, report):
        """Arguments for one of CACHES; `left` and `whole` belong to this process."""
        kind = self.rng.choice(CACHES)
        if kind == "none":
            return ["--cache", "none"]
        path = os.path.join(self.where, "cache")
        kept = os.path.join(self.a.top, "%s-%d-%s" % (kind, os.getpid(), os.path.basename(report)))
        if kind == "left":
            path = kept
        if kind == "whole":
            path = kept
            if not os.path.exists(kept):
                self.build(report, kept)
        return ["--cache", path]

    def build(self, report, cache):
        """A complete index, in peace."""
        t = Pty([self.a.tilescope, "--cache", cache, report], self.env)
        try:
            end = time.monotonic() + 5
            while time.monotonic() < end and t.poll() is None:
                t.pump(0.05)
            t.send(LEAVE)
            t.end()
        except OSError:
            pass
        finally:
            t.close()

    def some_time(self):
        return self.rng.choice([0.02, 0.1, 0.4, 1, 1]) * self.rng.random() * self.a.ms / 1000

    def run(self):
        if self.rng.random() < 0.15:
            self.verb()
        else:
            self.app()

    def app(self):
        report = self.report()
        self.told = [report]
        args = self.cache(report) + [report]
        size = self.rng.choice([(80, 24), (120, 40), (20, 5), (200, 60)])
        way = self.rng.choice(WAYS)
        self.told = args + [way]
        t = Pty(self.wrap + [self.a.tilescope] + args, self.env, size=size)
        try:
            self.type_and_wait(t)
            self.end(t, way)
        finally:
            t.close()

    def type_and_wait(self, t):
        typed = [self.rng.choice(WORK) for _ in range(self.rng.choice([0, 0, 1, 2, 4, 8, 20]))]
        self.told += typed
        for keys in typed:
            self.pause(t, self.some_time() / (1 + len(typed)) * 2)
            t.send(keys)
            if self.rng.random() < 0.05:
                t.resize(*self.rng.choice([(80, 24), (132, 50), (30, 8)]), settle=False)
        self.pause(t, self.some_time())

    def pause(self, t, seconds):
        end = time.monotonic() + seconds
        while True:
            t.pump(max(0, min(0.01, end - time.monotonic())))
            if time.monotonic() >= end:
                return

    def end(self, t, way):
        drawn = b"\x1b[?1049h" in t.raw
        if way in ("Q", "q"):
            t.send(LEAVE)
        elif way == "hang-up":
            t.hang_up()
        elif way == "twice":
            for _ in range(2):
                if t.poll() is None:
                    t.kill(signal.SIGTERM)
                    self.pause(t, self.some_time() / 10)
        elif t.poll() is None:
            t.kill(getattr(signal, way))
        end = time.monotonic() + LIMIT
        asked = time.monotonic() + 2
        while t.poll() is None:
            t.pump(0.02)
            if way in ("Q", "q") and time.monotonic() > asked:   # a prompt, a screen still to come
                asked = time.monotonic() + 2
                t.send(LEAVE)
            if time.monotonic() > end:
                why = "does not end after %s: %s" % (way, threads(t.pid))
                t.kill(signal.SIGABRT)
                raise Failed(why)
        early = () if drawn else (-signal.SIGTERM, -signal.SIGHUP, -signal.SIGINT, -signal.SIGQUIT)
        # 2: there is no terminal any more when it begins
        if t.status not in (0, 3, 4, 130) + early + ((2,) if way == "hang-up" else ()):
            raise Failed("status %s after %s" % (t.status, way))
        if way != "hang-up" and t.status not in early:
            while t.pump(0.01):
                pass
            t.restored()

    def verb(self):
        words = list(self.rng.choice(VERBS))
        report = self.report()
        if words[0] == "demo":
            words += [os.path.join(self.where, "demo"), "--layout", self.rng.choice(["store", "sdk"])]
        elif words[0] != "cache":
            words.append(report)
        way = self.rng.choice(["SIGTERM", "SIGHUP", "SIGINT", "twice", "pipe"])
        if words[0] == "query":         # one whose first row is the last hears of no pipe
            words.append(STATEMENTS[0] if way == "pipe" else self.rng.choice(STATEMENTS))
        if words[0] in ("summary", "schema", "cache"):
            words[1:1] = [] if words[0] == "schema" else self.cache(report)
        self.told = words + [way]
        p = subprocess.Popen(self.wrap + [self.a.tilescope] + words, env=self.env, stdin=subprocess.DEVNULL,
                             stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        time.sleep(self.some_time())
        if way == "pipe":
            p.stdout.close()
            p.stdout = None
        else:
            for _ in range(2 if way == "twice" else 1):
                p.send_signal(getattr(signal, way, signal.SIGTERM))
                time.sleep(self.some_time() / 20)
        try:
            p.communicate(timeout=LIMIT)
        except subprocess.TimeoutExpired:
            why = "%s does not end after %s: %s" % (words[0], way, threads(p.pid))
            p.send_signal(signal.SIGABRT)
            p.communicate()
            raise Failed(why)
        if p.returncode not in (0, 2, 3, 4, 130, -signal.SIGTERM, -signal.SIGHUP, -signal.SIGINT):
            raise Failed("status %s" % p.returncode)


def heed_signals():
    """A child that has not begun yet ends by a signal, too, instead of going on as one of us."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def one(job):
    """(number, None or what is wrong)"""
    a, top, number = job
    r = Round(a, top, number)
    why = None
    try:
        r.run()
    except (Failed, OSError) as e:
        why = str(e)
    for name in sorted(os.listdir(r.where)):
        if name.startswith("said"):
            with open(os.path.join(r.where, name), errors="replace") as f:
                why = "%s\n%s" % (why or "a sanitizer's report:", f.read()[:6000])
    shutil.rmtree(r.where, ignore_errors=True)
    return number, why and "%r\n%s" % (r.told, why)


def main():
    ap = argparse.ArgumentParser(description="end the program at any moment")
    ap.add_argument("--tilescope", default=os.environ.get("TILESCOPE", "./tilescope"))
    ap.add_argument("--rounds", type=int, default=300)
    ap.add_argument("--from", type=int, default=0, dest="first", help="the first round")
    ap.add_argument("--seed", type=int, default=1)
    ap.add_argument("--ms", type=float, default=400, help="a round lasts about so long at most")
    ap.add_argument("--slow", action="store_true")
    ap.add_argument("-j", type=int, default=os.cpu_count() or 2)
    ap.add_argument("reports", nargs="*")
    a = ap.parse_args()
    a.tilescope = os.path.abspath(a.tilescope)
    if not os.access(a.tilescope, os.X_OK):
        ap.error("%s: not a program" % a.tilescope)
    a.top = top = tempfile.mkdtemp(prefix="ts-end.", dir="/tmp")
    a.below = os.path.join(top, "below")
    os.mkdir(a.below)
    a.reports = [os.path.abspath(r) for r in a.reports]
    for layout in ("store", "sdk"):
        a.reports.append(os.path.join(top, layout))
        subprocess.run([a.tilescope, "demo", a.reports[-1], "--layout", layout], check=True,
                       capture_output=True, stdin=subprocess.DEVNULL)
    for r in a.reports:
        os.symlink(r, os.path.join(a.below, os.path.basename(r)))
    busy = [subprocess.Popen(["taskset", "-c", str(i), sys.executable, "-c", "while True: pass"])
            for i in range(os.cpu_count() or 1)] if a.slow else []
    failed = 0
    try:
        with concurrent.futures.ProcessPoolExecutor(
                max_workers=max(1, a.j), initializer=heed_signals) as pool:
            jobs = [(a, top, a.first + n) for n in range(a.rounds)]
            for number, why in pool.map(one, jobs):
                if why:
                    failed += 1
                    print("FAIL  --seed %d --from %d --rounds 1: %s" % (a.seed, number, why))
                    sys.stdout.flush()
    finally:
        for p in busy:
            p.kill()
        shutil.rmtree(top, ignore_errors=True)
    print("%d passed, %d failed" % (a.rounds - failed, failed))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
