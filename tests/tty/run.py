#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""
run - the real program on real terminals.

    run.py [--tilescope PATH] [-k PATTERN] [-j N] [--keep] [--list] [-v]

Makes two demo reports in a temporary directory, runs the program on pseudo-terminals of our own
(terminal.py, vt.py) and in tmux servers with private sockets, presses keys, resizes, suspends,
kills, and looks at the screens and at every byte that was sent.  The cases are in cases_*.py, what
they share in harness.py.  The program is --tilescope, else $TILESCOPE, else ./tilescope.

Nothing asserts how fast something is: limits are there for what hangs.  Closes with
`N passed, N failed` (and how many were skipped, without tmux); exit 1 on failure.
"""

import argparse
import concurrent.futures
import fnmatch
import importlib
import os
import re
import resource
import shutil
import subprocess
import sys
import tempfile
import time
import traceback

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import harness  # noqa: E402

MODULES = tuple(sorted(n[:-3] for n in os.listdir(os.path.dirname(os.path.abspath(__file__)))
                       if n.startswith("cases_") and n.endswith(".py")))
for _name in MODULES:
    importlib.import_module(_name)


def processor():
    """Seconds that this process and what it has waited for have used."""
    return sum(r.ru_utime + r.ru_stime for r in map(resource.getrusage, (
        resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)))


def work(job):
    """
    One case in a directory of its own: (name, error or None, why skipped or None, directory kept,
    seconds, seconds of a processor).
    """
    program, top, reports, name, module, fn, param, keep = job
    where = tempfile.mkdtemp(prefix=re.sub(r"[^a-z0-9-]+", "_", name.lower())[:24] + ".", dir=top)
    began, used = time.monotonic(), processor()
    error, skipped, ctx = None, None, None
    try:
        ctx = harness.Ctx(program, where, reports)
        f = getattr(sys.modules[module], fn)
        f(ctx) if param is None else f(ctx, param)
    except harness.Skipped as e:
        skipped = str(e)
    except harness.Failed as e:
        error = str(e)
    except Exception:                                       # a defect of the test itself
        error = traceback.format_exc()
    if ctx:
        ctx.close()
    if not (error and keep):
        shutil.rmtree(where, ignore_errors=True)
        where = None
    return name, error, skipped, where, time.monotonic() - began, processor() - used


def make_reports(program, top):
    """The reports that cases share."""
    made = {}
    for kind, args in {"store": [], "sdk": ["--layout", "sdk"]}.items():
        made[kind] = os.path.join(top, kind)
        subprocess.run([program, "demo", made[kind], *args], check=True, capture_output=True,
                       stdin=subprocess.DEVNULL, timeout=120)
    return made


def main():
    ap = argparse.ArgumentParser(description="tests of the program on real terminals")
    ap.add_argument("--tilescope", default=os.environ.get("TILESCOPE", "./tilescope"))
    ap.add_argument("-k", metavar="PATTERN", help="cases whose name contains or matches it")
    ap.add_argument("-j", type=int, default=8 * (os.cpu_count() or 2), help="most cases wait")
    ap.add_argument("--keep", action="store_true", help="keep the directories of failing cases")
    ap.add_argument("--list", action="store_true")
    ap.add_argument("-v", action="store_true", help="a line for each case")
    a = ap.parse_args()

    cases = harness.CASES
    if a.k:
        cases = [c for c in cases if a.k in c[0] or fnmatch.fnmatch(c[0], a.k)]
    if a.list:
        print("\n".join(c[0] for c in cases))
        return 0
    program = os.path.abspath(a.tilescope)
    if not os.access(program, os.X_OK):
        print("%s: not a program (give --tilescope)" % a.tilescope, file=sys.stderr)
        return 2
    skipped = 0
    if not shutil.which("tmux"):
        skipped = sum(c[4] for c in cases)
        cases = [c for c in cases if not c[4]]
    cases = sorted(cases, key=lambda c: -c[5])
    passed = failed = 0
    # short: the path of a socket has 108 bytes
    top = tempfile.mkdtemp(prefix="ts-tty.", dir="/tmp")
    kept = False
    try:
        reports = make_reports(program, top)
        jobs = [(program, top, reports) + c[:4] + (a.keep,) for c in cases]
        with concurrent.futures.ProcessPoolExecutor(max_workers=max(1, a.j)) as pool:
            for name, error, why_not, where, took, used in pool.map(work, jobs):
                if why_not:
                    skipped += 1
                    print("skip  %s: %s" % (name, why_not))
                    continue
                if error is None:
                    passed += 1
                    if a.v:
                        print("ok    %-40s %6.2f s, of a processor %5.2f s" % (name, took, used))
                    continue
                failed += 1
                print("FAIL  %s" % name)
                print("      " + error.replace("\n", "\n      "))
                if where:
                    kept = True
                    print("      kept: %s" % where)
                sys.stdout.flush()
    finally:
        if not kept:
            shutil.rmtree(top, ignore_errors=True)
    print("%d passed, %d failed%s" % (passed, failed,
                                      ", %d skipped" % skipped if skipped else ""))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
