#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""
run - hosts over SSH: a private sshd on loopback, and servers that lie.

    run.py [--builddir DIR] [-k PATTERN] [-j N] [--keep] [--list] [-v]

The cases are in cases_*.py, what they share in harness.py; the servers are server.py, proxy.py, hostile.py and
auth_server.c.  Skipped, with the reason, when there is no sshd.  Closes with `N passed, N failed, N skipped`; exit
1 on failure.
"""

import argparse
import concurrent.futures
import fnmatch
import importlib
import os
import re
import shutil
import sys
import tempfile
import time
import traceback

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import harness  # noqa: E402
import server  # noqa: E402

MODULES = ("cases_app", "cases_ask", "cases_auth", "cases_browse", "cases_budget", "cases_config", "cases_hostile", "cases_hosts",
           "cases_link", "cases_parts")
for _name in MODULES:
    importlib.import_module(_name)


def work(job):
    """One case in a directory of its own: (name, error or None, why it was skipped or None, directory kept, seconds)."""
    builddir, top, name, module, fn, param, keep = job
    where = tempfile.mkdtemp(prefix=re.sub(r"[^a-z0-9-]+", "_", name.lower())[:30] + ".", dir=top)
    began = time.monotonic()
    error = skipped = None
    try:
        ctx = harness.Ctx(builddir, where)
        f = getattr(sys.modules[module], fn)
        f(ctx) if param is None else f(ctx, param)
    except harness.Skipped as e:
        skipped = str(e)
    except harness.Failed as e:
        error = str(e)
    except Exception:                                       # a defect of the test itself
        error = traceback.format_exc()
    if not (error and keep):
        shutil.rmtree(where, ignore_errors=True)
        where = None
    return name, error, skipped, where, time.monotonic() - began


def main():
    ap = argparse.ArgumentParser(description="tests of hosts over SSH")
    ap.add_argument("--builddir", default=os.environ.get("builddir", "."))
    ap.add_argument("-k", metavar="PATTERN", help="cases whose name contains or matches it")
    ap.add_argument("-j", type=int, default=os.cpu_count() or 2)
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
    why = server.obstacle()
    if why:
        print("skipped: %s" % why)
        print("0 passed, 0 failed, %d skipped" % len(cases))
        return 0
    passed = failed = skips = 0
    top = tempfile.mkdtemp(prefix="ts-remote.")     # short: a socket's path has 107 bytes
    kept = False
    try:
        jobs = [(os.path.abspath(a.builddir), top) + c + (a.keep,) for c in cases]
        with concurrent.futures.ProcessPoolExecutor(max_workers=max(1, a.j)) as pool:
            for name, error, skipped, where, took in pool.map(work, jobs):
                if skipped:
                    skips += 1
                    print("skip  %s: %s" % (name, skipped))
                    continue
                if error is None:
                    passed += 1
                    if a.v:
                        print("ok    %-40s %5.2f s" % (name, took))
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
    print("%d passed, %d failed, %d skipped" % (passed, failed, skips))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
