#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""
run - how fast, how small and how quiet the program is; what `make bench` calls.

    run.py [--json] [--list] [-k PATTERN] [--size full|small|tiny] [--rounds N] [--folder DIR]

Writes its reports once (with `tilescope demo`, at three sizes, each ten times the one before),
measures every row of the table five times, ours and the peer's or floor's next to each other, and
prints the table: ours, peer or floor, ratio (median, least and greatest of the rounds), goal, met
or not, and how it grows with the report.  Timing is measured, never asserted: a goal that is not
met is a word in the table; the exit status is 1 only when something could not be run.

Sizes: full takes up to 15 minutes and 8 GB of disk; small a minute and 1 GB, in two rounds; tiny
a few seconds (its figures mean nothing: it shows that everything runs).  --size defaults to
$BENCH_SCALE, else full.

Cold means that the system was asked to forget the report and its index; --drop-caches, as root,
has it forget everything, the program too, and slows down whatever else runs.
"""

import argparse
import datetime
import fnmatch
import gc
import json
import os
import sys
import time
import traceback

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import engine  # noqa: E402
import measures_answers  # noqa: E402,F401
import measures_inside  # noqa: E402,F401
import measures_remote  # noqa: E402,F401
import measures_screen  # noqa: E402,F401
import rows  # noqa: E402,F401
import session  # noqa: E402


def figure(v):
    """Three significant digits, grouped."""
    if v is None:
        return "-"
    if v == 0 or abs(v) >= 100:
        return "{:,.0f}".format(v)
    return "%.*f" % (0 if abs(v) >= 100 else 1 if abs(v) >= 10 else 2 if abs(v) >= 1 else 3, v)


def run(bench, wanted, rounds, errors):
    """Measure: {id: {scale: Figures}}."""
    got = {i: {} for i in wanted}
    for fn, ids, scales in engine.MEASURES:
        mine = [i for i in ids if i in got]
        if not mine:
            continue
        for scale in scales[-1:] if bench.tiny else scales:
            bench.scale = scale
            for n in range(rounds):
                bench.round = n
                began = time.monotonic()
                try:
                    for i, figures in fn(bench).items():
                        if i in got:
                            got[i].setdefault(scale, engine.Figures()).add(figures)
                except engine.Skip as e:
                    for i in mine:
                        got[i].setdefault(scale, engine.Figures()).add({"note": str(e)})
                    break
                except Exception as e:          # one row fails, the others go on
                    errors.append("%s at %s: %s" % (", ".join(mine), scale, e))
                    sys.stderr.write(traceback.format_exc())
                    break
                bench.say("%-24s %5s  round %d  %.1f s" % (fn.__name__, scale, n + 1,
                                                         time.monotonic() - began))
    return got


def verdict(r, at):
    """met, not met, or why there is nothing to say."""
    if r.goal is None:
        return "no goal"
    if at is None or "ours" not in at:
        return "not measured"
    value = at["ours"]["value"] if r.on == "ours" else at.get("ratio", {}).get("median")
    if value is None:
        return "not measured"
    return "met" if value <= r.goal else "not met"


def table(got, wanted):
    out = []
    for i in wanted:
        r = engine.ROWS[i]
        line = {"id": r.id, "title": r.title, "unit": r.unit, "stat": r.stat, "goal": r.goal,
                "goal_is_for": r.on, "floor": r.floor, "note": r.note, "scales": {}}
        if r.unit is None:
            line["verdict"] = "not built"
            out.append(line)
            continue
        for scale, figures in got[i].items():
            line["scales"][scale] = figures.result(r)
        line["verdict"] = verdict(r, line["scales"].get("100x"))
        out.append(line)
    return out


def goal_text(r):
    if r["goal"] is None:
        return "-"
    if r["goal_is_for"] == "ratio":
        return "%s x" % figure(r["goal"])
    return figure(r["goal"])


def cells(line):
    """One row of the printed table."""
    at = line["scales"].get("100x", {})
    ours = at.get("ours")
    peers = at.get("peers", {})
    floor = peers.get(line["floor"])
    ratio = at.get("ratio")
    grows = " / ".join(figure(line["scales"].get(s, {}).get("ours", {}).get("value"))
                       for s in engine.SCALES) if len(line["scales"]) > 1 else ""
    others = ", ".join("%s %s" % (p, figure(c["value"])) for p, c in sorted(peers.items())
                       if p != line["floor"])
    return [line["title"], line["unit"] or "", figure(ours["value"]) if ours else "-",
            "%s %s" % (line["floor"], figure(floor["value"])) if floor else "-",
            "%s (%s-%s)" % tuple(map(figure, (ratio["median"], ratio["min"], ratio["max"])))
            if ratio else "-", goal_text(line), line["verdict"], grows,
            "; ".join([t for t in [others] if t] + at.get("notes", []) +
                      [t for t in [line["note"]] if t])]


HEAD = ["measure", "unit", "ours", "floor or peer", "ratio (rounds)", "goal", "verdict",
        "1x / 10x / 100x", "others, notes"]


def print_table(lines, markdown):
    rows = [cells(x) for x in lines]
    if markdown:
        print("| " + " | ".join(HEAD) + " |")
        print("|" + " --- |" * len(HEAD))
        for r in rows:
            print("| " + " | ".join(r) + " |")
        return
    w = [max(len(r[i]) for r in rows + [HEAD]) for i in range(len(HEAD) - 1)]
    for r in [HEAD] + rows:
        print("  ".join(c.rjust(n) if i == 2 else c.ljust(n) for i, (c, n) in
                        enumerate(zip(r, w))) + "  " + r[-1])


def main():
    here = os.path.dirname(os.path.abspath(__file__))
    a = argparse.ArgumentParser(usage=__doc__)
    a.add_argument("--json", action="store_true")
    a.add_argument("--markdown", action="store_true")
    a.add_argument("--list", action="store_true")
    a.add_argument("-k", metavar="PATTERN", action="append")
    a.add_argument("--size", choices=engine.SIZES, default=os.environ.get("BENCH_SCALE") or "full")
    a.add_argument("--rounds", type=int)
    a.add_argument("--drop-caches", action="store_true")
    a.add_argument("--folder", default=os.environ.get("BENCH_FOLDER") or "bench-cache")
    a.add_argument("--tilescope", default=os.environ.get("TILESCOPE", "./tilescope"))
    a.add_argument("--tools", default=os.environ.get("BENCH_TOOLS", "tests/bench"))
    o = a.parse_args()
    wanted = [i for i in engine.ROWS if not o.k or
              any(fnmatch.fnmatch(i, p) or p in i for p in o.k)]
    if o.list:
        for i in wanted:
            r = engine.ROWS[i]
            print("%-22s %s" % (i, r.title))
        return 0
    began = time.time()

    def say(text):
        sys.stderr.write("bench: %5.0f s  %s\n" % (time.time() - began, text))
        sys.stderr.flush()
    gc.disable()
    if o.size == "tiny":
        session.SILENT = 0.04
    errors = []
    bench = engine.Bench(os.path.abspath(o.tilescope), os.path.abspath(o.tools),
                         os.path.dirname(os.path.dirname(here)), os.path.abspath(o.folder), o.size,
                         say, o.drop_caches)
    rounds = o.rounds or {"full": 5, "small": 2, "tiny": 1}[o.size]
    lines = table(run(bench, wanted, rounds, errors), wanted)
    result = {"date": datetime.datetime.fromtimestamp(began, datetime.timezone.utc).isoformat(
                  timespec="seconds"),
              "machine": engine.machine(), "size": o.size, "rounds": rounds,
              "seconds": round(time.time() - began, 1), "errors": errors, "rows": lines}
    if o.json:
        json.dump(result, sys.stdout, indent=1)
        print()
    else:
        m = result["machine"]
        print("%s; %d cpus of %s, %s GiB, %s, %s; size %s, %d rounds, %.0f s" % (
            result["date"], m["cpus"], m["cpu"] or "a kind not told", m["memory_gib"], m["system"],
            m["kernel"], o.size, rounds, result["seconds"]))
        print_table(lines, o.markdown)
        for e in errors:
            print("could not be run: %s" % e)
    return 1 if errors else 0


if __name__ == "__main__":
    sys.exit(main())
