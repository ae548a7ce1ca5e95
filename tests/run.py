#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""
run - run tests and sum them up; what `make check` and `make check-full` call.

    run.py [--depth smoke|check|rest|full] [--only PATTERN]... [-j N] [-x] [--list] [-v] SUITE...

A SUITE is a path below the top of the tree:
  a Check program          from the build directory; a program that includes depth.h does more at full depth
  a script (.sh, .py)      closes with `N passed, N failed[, N skipped]`
  a package of cases       tests/cli, tests/tty, tests/remote: functions marked @case (tests/case.py)
--depth rest is what full has and check has not.  --only names what to run: `tty`, `unit/test_base`,
`unit/test_base/TCASE`, `remote/app-master`, `cli/seed/*`; of cases the beginning of a name is enough, and those
of all depths are looked at.

As many processor-bound items run at once as there are processors (-j), beside them a few of tty and remote, which
mostly wait.  No test may depend on how fast it is.  What an item said goes to check-logs/ in the build directory;
what failed is shown.  The ten slowest cases are listed, the last line is the sum of all.

Environment of a test (paths are absolute): srcdir, builddir, TILESCOPE (the program), TS_DEPTH, TS_SANITIZE (1 in a
sanitizer build), LC_ALL=C.UTF-8, TZ=UTC; HOME, XDG_* and TMPDIR are private and empty; standard input is /dev/null.
"""

import argparse
import collections
import concurrent.futures
import fnmatch
import importlib
import multiprocessing
import os
import re
import resource
import shutil
import signal
import stat
import subprocess
import sys
import tempfile
import time
import traceback

SRCDIR = os.path.abspath(os.environ.get("srcdir") or os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
BUILDDIR = os.path.abspath(os.environ.get("builddir") or ".")
sys.path.insert(0, SRCDIR)
from tests import case  # noqa: E402

REST = "rest"
PACKAGES = ("tests/cli", "tests/tty", "tests/remote")
WAITING = ("tty", "remote")             # groups whose items mostly wait
FULL_ONLY = ("tests/bench/", "tests/lint/headers.sh")
LIMIT = 1800                            # seconds for a program or script, for what hangs
SHOWN = 200                             # lines of what failed
# What is set outside and would change what a test sees.
UNSET = ("LANG", "LANGUAGE", "COLUMNS", "LINES", "NO_COLOR", "COLORFGBG", "TMUX", "TMUX_PANE", "MAKEFLAGS", "MFLAGS",
         "MAKELEVEL", "POPLAR_ENGINE_OPTIONS", "TILESCOPE_OPTS")

Outcome = collections.namedtuple("Outcome", "passed failed skipped seconds processor times text")


class Item:
    """What is run as one: a program, a script, or one case."""

    def __init__(self, name, group, run, cost=1, waits=False):
        self.name, self.group, self.run, self.cost, self.waits = name, group, run, cost, waits


# ---- running one item, in a process of its own ----

def processor():
    """Seconds of a processor that this process and what it has waited for have used."""
    return sum(r.ru_utime + r.ru_stime for r in map(resource.getrusage, (
        resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)))


def remove(where):
    """Delete a directory in which a test may have taken rights away."""
    for root, dirs, _ in os.walk(where):
        for d in dirs:
            if not os.path.islink(os.path.join(root, d)):
                os.chmod(os.path.join(root, d), stat.S_IRWXU)
    shutil.rmtree(where, ignore_errors=True)


def tally(text):
    """Passed, failed, skipped: what closing lines in an output come to; None when there is none."""
    said = None
    for line in text.splitlines():
        m = re.fullmatch(r"(\d+) passed, (\d+) failed(?:, (\d+) skipped)?", line)
        if m:
            said = [int(n or 0) for n in m.groups()]
        m = re.fullmatch(r"\d+%: Checks: (\d+), Failures: (\d+), Errors: (\d+)", line)
        if m:
            checks, failures, errors = map(int, m.groups())
            said = said or [0, 0, 0]
            said = [said[0] + checks - failures - errors, said[1] + failures + errors, said[2]]
    return said


def check_times(path, name):
    """What Check wrote about each test: (name, seconds)."""
    try:
        with open(path, encoding="utf-8", errors="replace") as f:
            text = f.read()             # of a message it may be no XML
    except OSError:
        return []
    found = re.findall(r"<id>(\w+)</id>\s*<iteration>(\d+)</iteration>\s*<duration>([\d.]+)</duration>", text)
    return [("%s/%s %s" % (name, test, n), float(seconds)) for test, n, seconds in found]


def log_name(name):
    return os.path.join(BUILDDIR, "check-logs", re.sub(r"[^\w.-]+", "-", name)[:120] + ".log")


def run_command(argv, name, tcase, where):
    """A program or script: its outcome."""
    home, log = os.path.join(where, "home"), log_name(name)
    for d in ("config", "cache", "tmp"):
        os.makedirs(os.path.join(home, d))
    env = dict(os.environ, HOME=home, TMPDIR=os.path.join(home, "tmp"), CK_XML_LOG_FILE_NAME=os.path.join(where, "xml"))
    env.update({"XDG_%s_HOME" % d.upper(): os.path.join(home, d) for d in ("config", "cache", "state", "data")})
    if tcase:
        env["CK_RUN_CASE"] = tcase
    began, note = time.monotonic(), None
    with open(log, "wb") as out:
        p = subprocess.Popen(argv, stdin=subprocess.DEVNULL, stdout=out, stderr=subprocess.STDOUT, env=env,
                             start_new_session=True)
        try:
            status = p.wait(LIMIT)
        except subprocess.TimeoutExpired:
            os.killpg(p.pid, signal.SIGKILL)
            status, note = p.wait(), "stopped after %d s" % LIMIT
    with open(log, encoding="utf-8", errors="replace") as f:
        text = f.read()
    said = tally(text)
    if not note and status and not (said and said[1]):
        note = "exit status %d" % status
    if not note and tcase and not any(said or ()):
        note = "no test case is called " + tcase
    if not note and not said:
        note = "no closing line"
    said = said or [0, 0, 0]
    if note:
        said[1] += 1
    lines = text.splitlines()
    if len(lines) > SHOWN:
        lines[SHOWN:] = ["... %d more lines in %s" % (len(lines) - SHOWN, log)]
    took = time.monotonic() - began
    times = check_times(env["CK_XML_LOG_FILE_NAME"], name) or [(name, took)]
    return said, took, times, "\n".join(lines + ([note] if note else []))


def run_case(c, where, shared, keep):
    """One case: its outcome."""
    began, ctx, error, skipped = time.monotonic(), None, None, None
    try:
        if c.needs and not shutil.which(c.needs):
            raise case.Skipped("no " + c.needs)
        ctx = sys.modules["tests.%s.harness" % c.suite].Ctx(BUILDDIR, where, shared)
        c.run(ctx)
    except case.Skipped as e:
        skipped = str(e)
    except case.Failed as e:
        error = str(e)
    except Exception:                                       # a defect of the test itself
        error = traceback.format_exc()
    if ctx:
        ctx.close()
    text = skipped or error or ""
    if error and c.defect:
        text = "known: %s\n%s" % (c.defect, text)
    if error:
        with open(log_name(c.name), "w", encoding="utf-8", errors="replace") as f:
            f.write(text + "\n")
        if keep:
            text += "\nkept: " + where
    took = time.monotonic() - began
    return [not error and not skipped, bool(error), bool(skipped)], took, [(c.name, took)], text


def work(run, top, keep):
    """What a worker does with an item."""
    # short: the path of a socket has 108 bytes
    where = tempfile.mkdtemp(prefix="", dir=top)
    used = processor()
    kind, *args = run
    if kind == "case":
        said, took, times, text = run_case(case.CASES[args[0]], where, os.path.join(top, "r"), keep)
    else:
        said, took, times, text = run_command(*args, where)
    if not (keep and said[1]):
        remove(where)
    return Outcome(*map(int, said), took, processor() - used, times, text)


# ---- what there is to run ----

def wanted(name, only):
    """Do patterns name it?  A name, its beginning, or a glob."""
    return not only or any(name.startswith(p) or fnmatch.fnmatch(name, p) for p in only)


def has_depth(path):
    """Does a Check program do more at full depth?"""
    with open(os.path.join(SRCDIR, path + ".c"), encoding="utf-8") as f:
        return "depth.h\"" in f.read()


def items_of_package(path, depth, only):
    group = path.split("/")[1]
    for n in sorted(os.listdir(os.path.join(SRCDIR, path))):
        if n.startswith("cases_") and n.endswith(".py"):
            importlib.import_module("tests.%s.%s" % (group, n[:-3]))
    for i, c in enumerate(case.CASES):
        if c.suite != group or not wanted(c.name, only):
            continue
        full = c.depth == case.FULL
        if only or (full if depth == REST else case.DEPTHS.index(c.depth) <= case.DEPTHS.index(depth)):
            yield Item(c.name, group, ("case", i), c.cost, group in WAITING)


def items_of(path, depth, only):
    """The items of a suite."""
    if path in PACKAGES:
        yield from items_of_package(path, depth, only)
        return
    name = re.sub(r"\.(sh|py)$", "", path.removeprefix("tests/"))
    script, parts = path != "tests/" + name, [None]
    if only:
        # unit/test_base/TCASE names a part of a Check program
        whole = [p for p in only if not p.startswith(name + "/")]
        if not (whole and wanted(name, whole)):
            parts = [] if script else [p[len(name) + 1:] for p in only if p.startswith(name + "/")]
    elif script and depth == case.SMOKE:
        return
    elif path.startswith(FULL_ONLY) and depth not in (case.FULL, REST):
        return
    elif depth == REST and not path.startswith(FULL_ONLY) and (script or not has_depth(path)):
        return
    if path.endswith(".sh"):
        argv = ["sh", os.path.join(SRCDIR, path)]
    elif path.endswith(".py"):
        argv = [sys.executable, os.path.join(SRCDIR, path)]
    else:
        argv = [os.path.join(BUILDDIR, path)]
    # programs and scripts run long: before the cases
    for part in parts:
        yield Item(name if part is None else name + "/" + part, name.split("/")[0], ("command", argv, name, part), 100)


def prepare_environment(depth):
    for k in UNSET:
        os.environ.pop(k, None)
    os.environ.update({
        "srcdir": SRCDIR, "builddir": BUILDDIR, "TILESCOPE": os.path.join(BUILDDIR, "tilescope"), "LC_ALL": "C.UTF-8",
        "TZ": "UTC", "PYTHONDONTWRITEBYTECODE": "1", "TS_DEPTH": case.FULL if depth == REST else depth})
    os.environ.setdefault("TS_SANITIZE", "")
    os.environ.setdefault("UBSAN_OPTIONS", "print_stacktrace=1")
    # a sanitizer slows down, and so does a loaded machine
    os.environ.setdefault("CK_DEFAULT_TIMEOUT", "60")
    os.environ.setdefault("CK_TIMEOUT_MULTIPLIER", "10")
    if depth == case.SMOKE:
        # a process for each test costs more than the test where a sanitizer's memory is copied with it; a program
        # that needs it says so (srunner_set_fork_status)
        os.environ.setdefault("CK_FORK", "no")


def main():
    ap = argparse.ArgumentParser(description="run tests and sum them up")
    ap.add_argument("suites", nargs="+", metavar="SUITE")
    ap.add_argument("--depth", choices=case.DEPTHS + (REST,), default=case.CHECK)
    ap.add_argument("--only", action="append", default=[], metavar="PATTERN")
    ap.add_argument("-j", type=int, default=os.cpu_count() or 2)
    ap.add_argument("-x", action="store_true", help="stop at the first failure")
    ap.add_argument("--keep", action="store_true", help="keep the directories of what failed")
    ap.add_argument("--list", action="store_true")
    ap.add_argument("-v", action="store_true", help="a line for each item")
    a = ap.parse_args()

    sys.dont_write_bytecode = True
    only = [p for words in a.only for p in words.split()]
    depth = a.depth
    prepare_environment(depth)
    items = [i for s in a.suites for i in items_of(s, depth, only)]
    if a.list:
        print("\n".join(i.name for i in items))
        return 0
    if not items:
        print("nothing to run%s" % (": no test is called %s" % " or ".join(only) if only else ""), file=sys.stderr)
        return 2
    top = tempfile.mkdtemp(prefix="ts-", dir="/tmp")
    os.mkdir(os.path.join(top, "r"))
    shutil.rmtree(os.path.join(BUILDDIR, "check-logs"), ignore_errors=True)
    os.makedirs(os.path.join(BUILDDIR, "check-logs"))
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    try:
        return run_all(items, a, top)
    finally:
        if not a.keep:
            remove(top)


def show(word, name, text):
    print("%-5s %s" % (word, name))
    for line in text.splitlines():
        print("    | " + line)
    sys.stdout.flush()


def run_all(items, a, top):
    left = collections.Counter(i.group for i in items)
    sums = {g: [0, 0, 0, 0.0] for g in left}
    began, times, stopped = time.monotonic(), [], False
    fork = multiprocessing.get_context("fork")
    pools = {waits: concurrent.futures.ProcessPoolExecutor(n, mp_context=fork)
             for waits, n in ((False, max(1, a.j)), (True, 3 * max(1, a.j)))}
    order = sorted(items, key=lambda i: -i.cost)
    pending = {pools[i.waits].submit(work, i.run, top, a.keep): i for i in order}
    try:
        for future in concurrent.futures.as_completed(pending):
            item, out = pending[future], future.result()
            total = sums[item.group]
            for n, value in enumerate((out.passed, out.failed, out.skipped, out.processor)):
                total[n] += value
            times += out.times
            left[item.group] -= 1
            if out.failed:
                show("FAIL", item.name, out.text)
            elif out.skipped and not out.passed:
                print("skip  %s: %s" % (item.name, out.text))
            elif a.v:
                print("ok    %-60s %6.2f s, %6.2f s of a processor" % (item.name, out.seconds, out.processor))
            if not left[item.group]:
                print("%-5s %-7s %d passed, %d failed, %d skipped, %d s of a processor" % (
                    "FAIL" if total[1] else "ok", item.group, *total))
            sys.stdout.flush()
            if out.failed and a.x:
                stopped = True
                break
    finally:
        for pool in pools.values():
            pool.shutdown(wait=True, cancel_futures=True)
    with open(os.path.join(BUILDDIR, "check-logs", "times"), "w", encoding="utf-8") as f:
        for name, seconds in sorted(times, key=lambda t: -t[1]):
            f.write("%9.3f %s\n" % (seconds, name))
    if len(times) > 10:
        print("the slowest of %d s:" % (time.monotonic() - began))
        for name, seconds in sorted(times, key=lambda t: -t[1])[:10]:
            print("    %6.1f s  %s" % (seconds, name))
    if stopped:
        print("stopped at the first failure")
    passed, failed, skipped = (sum(s[n] for s in sums.values()) for n in range(3))
    print("%d passed, %d failed, %d skipped" % (passed, failed, skipped))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
