#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""
test_run - does `make bench` run: every row of the table is there, with figures that can be
figures.

Runs it at the size `tiny`, whose figures mean nothing, and looks at its JSON; nothing is said
about how fast anything was.  Closes with `N passed, N failed`.
"""

import json
import os
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
TOOLS = os.path.join(os.environ.get("builddir", "."), "tests", "bench")
sys.path.insert(0, os.path.dirname(os.path.dirname(HERE)))
import engine  # noqa: E402
from tests.remote import server  # noqa: E402

# rows that may have no figure: nothing to cancel in a report this small, no index of everything; no sshd here
MAY_LACK = {"cancel-inside", "cancel-app"}
if server.obstacle():
    MAY_LACK |= {"remote-" + n for n in ("first-screen", "first-moved", "first-time", "first-again", "timeline",
                                         "timeline-time", "jump", "jump-time", "trace", "bulk")}


def bench(*args):
    return subprocess.run([sys.executable, os.path.join(HERE, "run.py"), "--size", "tiny",
                           "--tools", TOOLS, *args], stdin=subprocess.DEVNULL,
                          capture_output=True, text=True)


def problems_of(line):
    """What is wrong with one row of the JSON."""
    if line["unit"] is None:
        return [] if line["verdict"] == "not built" and not line["scales"] else ["it has figures"]
    found = []
    at = line["scales"].get("100x", {})
    if "ours" not in at and line["id"] not in MAY_LACK and "not built yet" not in at.get("notes", []):
        found.append("no figure of ours; notes: %s" % at.get("notes"))
    for party, cell in [("ours", at.get("ours"))] + list(at.get("peers", {}).items()):
        if cell and not (0 <= cell["min"] <= cell["max"] and cell["value"] >= 0):
            found.append("%s: %s" % (party, cell))
    if line["verdict"] not in ("met", "not met", "no goal", "not measured"):
        found.append("verdict %r" % line["verdict"])
    if (line["verdict"] in ("met", "not met")) != (line["goal"] is not None and "ours" in at):
        found.append("verdict %r, goal %s" % (line["verdict"], line["goal"]))
    return found


def problems_left_out():
    """What was measured while the machine's host had a processor counts where there is nothing else, and is said."""
    found = []
    row = type("Row", (), {"stat": "max", "floor": None})
    for kept, left, value, word in (([1, 2], [9], 2, "1 of 3 left out"), ([], [9, 4], 9, "all while"),
                                    ([1, 2], [], 2, None)):
        figures = engine.Figures()
        figures.add({"ours": kept, "left_out": left})
        got = figures.result(row)
        if got["ours"]["value"] != value:
            found.append("%s, %s: %s" % (kept, left, got))
        if (word or "") not in " ".join(got["notes"]) or bool(word) != bool(got["notes"]):
            found.append("%s, %s: notes %s" % (kept, left, got["notes"]))
    return found


def main():
    passed = failed = 0

    def check(what, problems):
        nonlocal passed, failed
        passed, failed = passed + (not problems), failed + bool(problems)
        if problems:
            print("FAIL %s: %s" % (what, "; ".join(problems)))

    if not os.path.exists(os.path.join(TOOLS, "inside")):
        print("SKIP the bench programs are not built (make check builds them)")
        print("0 passed, 0 failed, 1 skipped")
        return 0
    listed = bench("--list").stdout.splitlines()
    with tempfile.TemporaryDirectory() as folder:
        r = bench("--json", "--folder", folder)
    try:
        out = json.loads(r.stdout)
    except ValueError as e:
        out = {"rows": [], "errors": ["no JSON: %s" % e], "machine": {}}
    check("exit status", [] if r.returncode == 0 else ["%d: %s" % (r.returncode, r.stderr[-2000:])])
    check("errors", out["errors"])
    check("machine", [k for k in ("cpus", "memory_gib", "kernel") if not out["machine"].get(k)])
    check("rows", [] if [x["id"] for x in out["rows"]] == [x.split()[0] for x in listed] and
          len(listed) > 30 else ["not those of --list"])
    check("left out", problems_left_out())
    for line in out["rows"]:
        check(line["id"], problems_of(line))
    print("%d passed, %d failed" % (passed, failed))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
