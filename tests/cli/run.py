#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""
run - the command line against an independent oracle.

    run.py [--tilescope PATH] [-k PATTERN] [--seeds N] [-j N] [--keep] [--list] [-v]

Makes reports in a temporary directory (reports.py), runs the real program on them with a time
limit, and compares what it says with what oracle.py computed.  The cases are in cases_*.py, what
they share in harness.py.  The program is --tilescope, else $TILESCOPE, else ./tilescope.

A case marked `defect=` fails for a known reason, which is printed beside it; it still counts as
failed.  Closes with `N passed, N failed`; exit 1 on failure.
"""

import argparse
import concurrent.futures
import fnmatch
import importlib
import os
import re
import shutil
import stat
import sys
import tempfile
import time
import traceback

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import harness  # noqa: E402

MODULES = ("cases_figures", "cases_formats", "cases_damage", "cases_usage", "cases_demo",
           "cases_cache", "cases_query", "cases_import", "cases_archive", "cases_vars", "cases_check",
           "cases_render", "cases_walkthrough", "cases_agree", "cases_insights", "cases_export",
           "cases_operations", "cases_remote")
for _name in MODULES:
    importlib.import_module(_name)


def work(job):
    """One case in a directory of its own: (name, error or None, directory kept, seconds)."""
    program, top, name, module, fn, param, keep = job
    where = tempfile.mkdtemp(prefix=re.sub(r"[^a-z0-9-]+", "_", name.lower())[:40] + ".", dir=top)
    began = time.monotonic()
    error = None
    try:
        ctx = harness.Ctx(program, where)
        f = getattr(sys.modules[module], fn)
        f(ctx) if param is None else f(ctx, param)
    except harness.Failed as e:
        error = str(e)
    except Exception:                                       # a defect of the test itself
        error = traceback.format_exc()
    if not (error and keep):
        for root, dirs, _ in os.walk(where):
            for n in dirs:
                p = os.path.join(root, n)
                if not os.path.islink(p):
                    os.chmod(p, stat.S_IRWXU)
        shutil.rmtree(where, ignore_errors=True)
        where = None
    return name, error, where, time.monotonic() - began


def main():
    ap = argparse.ArgumentParser(description="tests of the command line against an oracle")
    ap.add_argument("--tilescope", default=os.environ.get("TILESCOPE", "./tilescope"))
    ap.add_argument("-k", metavar="PATTERN", help="cases whose name contains or matches it")
    ap.add_argument("--seeds", type=int, default=50 if os.environ.get("TS_SANITIZE") else 200,
                    help="reports drawn from seeds")
    ap.add_argument("--first-seed", type=int, default=0)
    ap.add_argument("-j", type=int, default=os.cpu_count() or 2)
    ap.add_argument("--keep", action="store_true", help="keep the reports of failing cases")
    ap.add_argument("--list", action="store_true")
    ap.add_argument("-v", action="store_true", help="a line for each case")
    a = ap.parse_args()

    cases = [("seed/%d" % s, "cases_figures", "seed_case", s, None)
             for s in range(a.first_seed, a.first_seed + a.seeds)] + harness.CASES
    if a.k:
        cases = [c for c in cases if a.k in c[0] or fnmatch.fnmatch(c[0], a.k)]
    if a.list:
        print("\n".join(c[0] for c in cases))
        return 0
    program = os.path.abspath(a.tilescope)
    if not os.access(program, os.X_OK):
        print("%s: not a program (give --tilescope)" % a.tilescope, file=sys.stderr)
        return 2
    defects = {c[0]: c[4] for c in cases}
    passed = failed = 0
    top = tempfile.mkdtemp(prefix="tilescope-cli.")
    kept = False
    try:
        jobs = [(program, top) + c[:4] + (a.keep,) for c in cases]
        with concurrent.futures.ProcessPoolExecutor(max_workers=max(1, a.j)) as pool:
            for name, error, where, took in pool.map(work, jobs, chunksize=4):
                if error is None:
                    passed += 1
                    if a.v:
                        print("ok    %-40s %5.2f s" % (name, took))
                    continue
                failed += 1
                print("FAIL  %s%s" % (name, " [known: %s]" % defects[name] if defects[name]
                                      else ""))
                print("      " + error.replace("\n", "\n      "))
                if where:
                    kept = True
                    print("      kept: %s" % where)
                sys.stdout.flush()
    finally:
        if not kept:
            shutil.rmtree(top, ignore_errors=True)
    print("%d passed, %d failed" % (passed, failed))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())