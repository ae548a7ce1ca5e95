# SPDX-License-Identifier: MIT
"""
oracle_insights - the measures behind `tilescope check`, computed without tilescope.

A measure is a float, or None where the report does not say what it is made of.  Written from the definitions of
the report model and of docs/model.md alone; rules() reads src/rules/insights.rules by itself.
"""

import os
import re
import shlex

from . import oracle
from .profile_oracle import relations

CODE = ("vertexCode", "controlCode", "internalExchangeCode", "globalExchangeCode",
        "hostExchangeCode", "sharedCodeStorage")
SIGNS = {">=": lambda v, x: v >= x, "<=": lambda v, x: v <= x, ">": lambda v, x: v > x,
         "<": lambda v, x: v < x}
RANK = ("ok", "note", "warn", "bad")


def ratio(a, b):
    return a / b if b else None


def measures(tiles, limit, categories, steps, alive=None):
    """
    tiles: (tile, total, total_gaps or None, overflowed or None); categories: name -> bytes or None; steps:
    not-always-live bytes of each liveness step.  alive: (bytes, element type) of what is alive at the highest.
    """
    used = [t[1] if t[2] is None else t[2] for t in tiles]
    total = sum(t[1] for t in tiles)
    gaps = sum(t[2] for t in tiles) if tiles and all(t[2] is not None for t in tiles) else None
    out = dict.fromkeys(("worst-tile-share", "overflowed-bytes", "tile-imbalance", "gaps-share",
                         "code-share", "exchange-code-share", "profiling-share",
                         "peak-over-steady", "fp32-share", "half-of-peak", "fp32-of-fullest-tile"))
    if used and limit:
        out["worst-tile-share"] = max(used) / limit
    if used and (limit or any(t[3] is not None for t in tiles)):
        out["overflowed-bytes"] = float(sum(
            max(u - limit if limit else 0, t[3] or 0, 0) for u, t in zip(used, tiles)))
    if sum(used) > 0:
        out["tile-imbalance"] = max(used) * len(used) / sum(used)
    if gaps and gaps >= total:
        out["gaps-share"] = (gaps - total) / gaps
    # what nobody names may be code
    if categories and not any(n and re.fullmatch("category -?[0-9]+", c) for c, n in categories.items()):
        whole = total or sum(categories.values())
        out["code-share"] = ratio(sum(categories.get(c, 0) for c in CODE), whole)
        out["exchange-code-share"] = ratio(categories.get("internalExchangeCode", 0), whole)
        out["profiling-share"] = ratio(categories.get("instrumentationResults", 0), whole)
    if steps and sum(steps) > 0:
        out["peak-over-steady"] = max(steps) * len(steps) / sum(steps)
    whole = sum(b for b, _ in alive or [])
    if whole:
        out["fp32-share"] = sum(b for b, t in alive if t == "float") / whole
        most, so_far = sorted((b for b, _ in alive), reverse=True), 0
        for k, b in enumerate(most):
            so_far += b
            if 2 * so_far >= whole:
                out["half-of-peak"] = float(min(k + 1, 501))
                break
    return out


def of_profile(report):
    """Of a Report that reports.py wrote."""
    rows, exp = oracle.Rows(report), oracle.Expected()
    try:
        _, ipus = oracle.execution(rows, exp)
        _, kept, seen = oracle.memory(rows, exp)
        found = oracle.categories(rows, exp)
        limit = oracle.target(seen, ipus)["bytes_per_tile"]
    finally:
        rows.close()
    return measures([(tile, size, None, None) for size, tile in kept], limit,
                    found and {n: c["bytes"] for n, c in found.items()}, [])


def of_report(path):
    """Of a profile that is sound."""
    db = relations(path)
    have = {r[0] for r in db.execute("SELECT name FROM sqlite_temp_master")}

    def rows(table, sql):
        return list(db.execute(sql)) if table in have else []

    tiles = rows("tile_memory", "SELECT tile, total, total_gaps, overflowed FROM tile_memory")
    names = dict(rows("memory_category", "SELECT category, name FROM memory_category"))
    table, size = (("tile_category", "not_overlapped + ifnull(overlapped, 0)")
                   if "tile_category" in have else ("lowered_variable", "bytes"))
    found = {}
    for cat, n in rows(table, "SELECT category, %s FROM %s WHERE category IS NOT NULL" % (size, table)):
        name = names.get(cat, "category %d" % cat)
        found[name] = found.get(name, 0) + n
    limit = rows("target", "SELECT bytes_per_tile FROM target")
    if not limit and len(tiles) % 1472 == 0 and tiles:
        limit = [(638976,)]
    steps = rows("liveness_step", "SELECT live_step, not_always_live FROM liveness_step")
    alive = None
    replicas = max([r or 1 for r, in rows("target", "SELECT replicas FROM target")] + [1])
    if steps and {"variable", "liveness_variable"} <= have:
        peak = min(steps, key=lambda r: (-r[1], r[0]))[0]
        # what is always live is recorded of the device, what is not of one replica
        then = {}
        for v, b, a in db.execute("SELECT variable, bytes, always_live FROM liveness_variable WHERE start <= ? AND"
                                  " ? < \"end\"", (peak, peak)):
            then[v] = then.get(v, 0) + (b if a else b * replicas)
        alive = [(then[v], t) for v, a, n, t in db.execute("SELECT variable, always_live, name, element_type FROM variable")
                 if v in then and not (a and n in found)]       # code and state are no variables
    out = measures(tiles, limit[0][0] if limit else None, found, [r[1] for r in steps], alive)
    db.close()
    return out


def rules(text=None):
    """id -> (measure, [(severity, sign, value)]) of the file of rules in the tree."""
    if text is None:
        here = os.path.dirname(os.path.abspath(__file__))
        with open(os.path.join(here, "../../src/rules/insights.rules")) as f:
            text = f.read()
    out = {}
    for line in text.splitlines():
        word = shlex.split(line, comments=True)
        if not word:
            continue
        limits = []
        for name, limit in zip(word[3:-2:2], word[4:-2:2]):
            sign = limit[:2] if limit[:2] in SIGNS else limit[:1]
            number = limit[len(sign):]
            limits.append((name, sign, float(number[:-1]) / 100 if number.endswith("%")
                           else float(number)))
        out[word[1]] = (word[2], limits)
    return out


def severity(limits, value):
    """The worst of the limits that hold; "ok" when none does."""
    worst = "ok"
    for name, sign, x in limits:
        if SIGNS[sign](value, x):
            worst = max(worst, name, key=RANK.index)
    return worst
