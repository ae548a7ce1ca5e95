#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""
oracle - what `tilescope summary -f json` must say of a report, computed without tilescope.

Written from the definitions of the command line and of the report model alone.  `summary(report)`
reads the rows of a report that reports.py wrote, through the SQL kept there, and returns an
Expected: the object, which members are tolerated to differ and whether warnings are due.

Decisions where the definitions are silent:
 * A row is left out, and counted in warnings, when a number of it that a figure uses is NULL,
   negative, text, a blob, not integral (floats that are integral count up to 2^53) or above 2^62;
   when start = cycles_base + active_cycles_from_min (or end) overflows 64 bits or is negative; or
   when it would make a running sum overflow.  For step_ipu the numbers used are the four raw cycles
   columns, of which those that are added to the base may be negative.
 * A step_ipu row whose step joins no row of `steps` is left out and counted.
 * end < start is kept literally; a warning says how many.
 * Without a tile column a tile's number is its row's position, rows left out count too.
 * A Sync is external when its sync type is "External" in any case.
 * An unknown type, or NULL, is control.
 * target: type null; architecture Mk2 for 1,472 and Mk1 for 1,216 tiles per IPU, else null; clock
   null; assumed always.  Without IPUs in the steps: ipus = the quotient, replicas null.  Where
   tiles per IPU is neither, bytes per tile is not known, nor is the verdict.
 * A category whose id has no name is "category 17"; rows without a category are left out and
   counted.
   Two ids of one name are one category.
 * The tiles that the target is inferred from are the rows of memory_by_tile, those left out too:
   one bad row does not change the hardware.  The steps' IPUs likewise: of all rows of steps_by_ipu,
   left out or not, with `steps` or without.  No tile left in: no verdict.
 * A name may be cut after 1,000 characters.
 * Tile and step numbers are numbers like others: a variable on a tile that memory_by_tile does not
   have is counted.
"""

import json
import math
import sqlite3
import sys
import tempfile

from . import reports, timeline

INT_MAX = (1 << 63) - 1
BIG = 1 << 62

CLASSES = {"OnTileExecute": "compute", "DoExchange": "exchange", "CodeCopy": "exchange",
           "GlobalExchange": "global_exchange", "Sync": "sync", "Sans": "sync",
           "SyncAns": "sync_ans", "StreamCopyBegin": "host_wait",
           "StreamCopyMid": "host_copy", "StreamCopyEnd": "host_end"}
ALL_CLASSES = ["compute", "exchange", "global_exchange", "sync", "external_sync", "sync_ans", "host_wait",
               "host_copy", "host_end", "control"]
PER_IPU = {1472: ("Mk2", 638976), 1216: ("Mk1", 262144)}


class OneOf:
    """A figure that the definitions leave open between these."""

    def __init__(self, *values):
        self.values = values

    def __repr__(self):
        return "one of %s" % (self.values,)


ANY = OneOf()


class Expected:
    def __init__(self):
        self.object = None
        self.left_out = 0       # rows
        self.reversed = 0       # intervals
        self.maybe = False      # warnings may be there or not
        self.partial = False    # tiles are not known: exit status 4
        self.notes = []


def number(value):
    """The integer that a database value stands for, or None."""
    if isinstance(value, bool) or value is None:
        return None
    if isinstance(value, float):
        if not math.isfinite(value) or value != int(value) or abs(value) > 2.0 ** 53:
            return None
        value = int(value)
    if not isinstance(value, int) or value < 0 or value > BIG:
        return None
    return value


def relative(value):
    """The same of cycles relative to a step's base, which may be before it."""
    if isinstance(value, int) and not isinstance(value, bool) and -BIG <= value < 0:
        return value
    return number(value)


def words(value):
    """Text as it leaves the program: UTF-8, what is not becomes U+FFFD."""
    if isinstance(value, bytes):
        return value.decode("utf-8", "replace")
    return value


class Rows:
    """Read-only look at a report's rows in their canonical columns."""

    def __init__(self, report):
        self.report = report
        self.db = sqlite3.connect("file:%s?immutable=1&mode=ro" % report.profile.replace(
            "%", "%25").replace("?", "%3f").replace("#", "%23"), uri=True)
        self.db.text_factory = Text

    def bound(self, rel):
        return self.report.sql.get(rel) is not None

    def read(self, rel):
        """Dicts; columns that are not there are not in them."""
        cur = self.db.execute(self.report.sql[rel])
        names = [d[0].decode() if isinstance(d[0], bytes) else str(d[0]) for d in cur.description]
        return (dict(zip(names, row)) for row in cur)

    def close(self):
        self.db.close()


class Text(bytes):
    """A text value, undecoded: a blob stays plain bytes."""


def as_name(value):
    return words(bytes(value)) if isinstance(value, Text) else None


def find_ipus(rows, exp):
    """step_ipu rows with their IPU: from its column, else by their order within the step."""
    seen = {}
    for r in rows:
        if "ipu" in r:
            yield r, number(r["ipu"])
        else:
            key = r["step_id"]
            seen[key] = seen.get(key, -1) + 1
            yield r, seen[key]


def target(tiles, ipus):
    out = {"type": None, "architecture": None, "ipus": None, "replicas": None,
           "tiles_per_ipu": None, "bytes_per_tile": None, "clock_hz": None, "assumed": True}
    if not tiles:
        if ipus:
            out["ipus"] = OneOf(None, ipus)
        return out
    per = 1472 if tiles % 1472 == 0 else 1216 if tiles % 1216 == 0 else None
    if per and (not ipus or (tiles // per) % ipus == 0):
        out["tiles_per_ipu"] = per
        out["ipus"] = tiles // per
        out["replicas"] = tiles // per // ipus if ipus else None
    elif ipus and tiles % ipus == 0:
        out["tiles_per_ipu"] = tiles // ipus
        out["ipus"] = ipus
        out["replicas"] = 1
    else:
        out["ipus"] = OneOf(None, ipus or None)     # the tiles do not say how many replicas
    if out["tiles_per_ipu"] in PER_IPU:
        out["architecture"], out["bytes_per_tile"] = PER_IPU[out["tiles_per_ipu"]]
    return out


def memory(rows, exp):
    out = {"tiles": None, "total_bytes": None, "total_gaps_bytes": None, "worst_tile": None,
           "worst_tile_bytes": None, "limit_bytes": None, "tiles_over": None, "fits": None,
           "mean_tile_bytes": None, "gaps": None, "always_live_bytes": None,
           "peak_not_always_live_bytes": None, "peak_step": None, "categories": None}
    kept = []
    count = None
    seen = None
    if rows.bound("memory_by_tile"):
        count = total = seen = 0
        for position, r in enumerate(rows.read("memory_by_tile")):
            # a tile column under a name that says nothing is not found: position
            seen += 1
            named = "tile" in r and not rows.report.position["tile"]
            tile = number(r["tile"]) if named else position
            size = number(r["total"])
            if tile is None or size is None or total + size > INT_MAX:
                exp.left_out += 1
                exp.partial = True
                continue
            total += size
            count += 1
            kept.append((size, tile))
        out["tiles"] = count
        out["total_bytes"] = total
        if kept:
            worst = min(kept, key=lambda k: (-k[0], k[1]))
            out["worst_tile_bytes"], out["worst_tile"] = worst
            out["mean_tile_bytes"] = total / count
    return out, kept, seen


def categories(rows, exp):
    if not rows.bound("vars_info") or "category" not in rows.report.columns["vars_info"]:
        return None
    names = {}
    if rows.bound("var_categories"):
        for r in rows.read("var_categories"):
            if number(r["id"]) is None:
                exp.maybe = True        # no figure uses the row, so a warning is not due
                continue
            names.setdefault(number(r["id"]), as_name(r["name"]))
    sums, tiles = {}, {}
    for r in rows.read("vars_info"):
        tile, size = number(r["tile"]), number(r["size_bytes"])
        if isinstance(r["category"], Text):
            name = as_name(r["category"])
        else:
            cat = number(r["category"])
            name = None if cat is None else names.get(cat)
            if cat is not None and name is None:
                name = "category %d" % cat
        if tile is None or size is None or name is None or sums.get(name, 0) + size > INT_MAX:
            exp.left_out += 1
            continue
        sums[name] = sums.get(name, 0) + size
        per = tiles.setdefault(name, {})
        per[tile] = per.get(tile, 0) + size
    out = {}
    for name, total in sums.items():
        size, tile = min(((b, t) for t, b in tiles[name].items()), key=lambda k: (-k[0], k[1]))
        if total == 0:
            tile = ANY      # of nothing, no tile has the most
        out[name] = {"bytes": total, "worst_tile": tile, "worst_tile_bytes": size}
    return out


def count_ids(rows, rel, column, exp):
    """How many rows with a valid id; those without are left out."""
    if not rows.bound(rel):
        return None
    n = 0
    for r in rows.read(rel):
        if number(r[column]) is None:
            exp.left_out += 1
        else:
            n += 1
    return n


def execution(rows, exp):
    out = {"runs": None, "steps": None, "measured": None, "ipus": None}
    names = {}
    for rel, key in (("programs", "id"), ("compute_sets", "compute_set")):
        names[rel] = {}
        if rows.bound(rel):
            for r in rows.read(rel):
                if number(r[key]) is not None and "name" in r:
                    names[rel].setdefault(number(r[key]), as_name(r["name"]))
    steps = {}
    if rows.bound("steps"):
        out["steps"] = 0
        for r in rows.read("steps"):
            step = number(r["id"])
            if step is None:
                exp.left_out += 1
                continue
            out["steps"] += 1
            kind = as_name(r["type"])
            cls = CLASSES.get(kind, "control")
            if kind == "Sync":
                sync = as_name(r.get("sync_type"))
                if sync is not None and sync.lower() == "external":
                    cls = "external_sync"
            steps.setdefault(step, cls)
    if not rows.bound("steps_by_ipu"):
        return out, 0
    known, figures, kept = set(), {}, []
    joined = rows.bound("steps")
    for r, ipu in find_ipus(rows.read("steps_by_ipu"), exp):
        if ipu is not None:
            known.add(ipu)
        step = number(r["step_id"])
        four = [number(r["cycles"]), number(r["cycles_base"]),
                relative(r["active_cycles_from_min"]), relative(r["active_cycles_to_max"])]
        if not joined:
            continue
        if None not in (ipu, step) + tuple(four[1:]) and max(four[1] + four[2], four[1] + four[3]) <= BIG:
            kept.append((steps.get(step, "control"), ipu, four[1] + four[2], four[1] + four[3]))
        if ipu is None or step is None or None in four or step not in steps:
            exp.left_out += 1
            continue
        cycles, start, end = four[0], four[1] + four[2], four[1] + four[3]
        f = figures.setdefault(ipu, {"first": None, "last": None, "sum": 0,
                                     "classes": dict.fromkeys(ALL_CLASSES, 0)})
        if not (0 <= start <= INT_MAX and 0 <= end <= INT_MAX and f["sum"] + cycles <= INT_MAX):
            exp.left_out += 1
            continue
        if end < start:
            exp.reversed += 1
        f["first"] = start if f["first"] is None else min(f["first"], start)
        f["last"] = end if f["last"] is None else max(f["last"], end)
        f["sum"] += cycles
        f["classes"][steps[step]] += cycles
    if rows.bound("steps"):
        times = times_of(kept, {i: (f["first"], f["last"]) for i, f in figures.items() if f["first"] is not None})
        out["ipus"] = [{"ipu": i, "cycles": f["last"] - f["first"], "step_cycles": f["sum"],
                        "time": times[i], "classes": f["classes"]}
                       for i, f in sorted(figures.items()) if f["first"] is not None]
    return out, len(known)


def times_of(rows, spans):
    """
    Exclusive time by IPU within spans[ipu]; not known where no step has a length.  Every row with a place counts: what has
    no step is control.
    """
    if not spans or min(s[0] for s in spans.values()) >= max(s[1] for s in spans.values()):
        return dict.fromkeys(spans)
    low, high = min(s[0] for s in spans.values()), max(s[1] for s in spans.values())
    found = timeline.exclusive_of([(c, i, max(a, low), min(b, high)) for c, i, a, b in rows if a < high and b > low])
    for ipu, (first, last) in spans.items():
        time = found.setdefault(ipu, dict.fromkeys(timeline.ORDER, 0))
        time["idle"] = last - first - sum(time[c] for c in timeline.ORDER)
    return found


def summary(report, path=None, parts=None):
    """Expected object of the report; `parts`: name -> state where it is not "absent"."""
    exp = Expected()
    rows = Rows(report)
    try:
        run, ipus = execution(rows, exp)
        mem, kept, tiles = memory(rows, exp)
        mem["categories"] = categories(rows, exp)
        tgt = target(tiles, ipus)
        if tgt["bytes_per_tile"] is not None and tiles:
            mem["limit_bytes"] = tgt["bytes_per_tile"]
            if kept:
                mem["tiles_over"] = sum(1 for size, _ in kept if size > mem["limit_bytes"])
                if exp.partial and not mem["tiles_over"]:
                    mem["tiles_over"] = None        # those that are not known may be
                else:
                    mem["fits"] = mem["tiles_over"] == 0
        graph = {"compute_sets": count_ids(rows, "compute_sets", "compute_set", exp),
                 "programs": count_ids(rows, "programs", "id", exp),
                 "variables": None, "edges": None, "vertices": None}
    finally:
        rows.close()
    state = {"profile": "ok", "archive": "absent", "debug": "absent", "framework": "absent",
             "app": "absent", "vars": "absent"}
    state.update(parts or {})
    exp.object = {"path": OneOf(path or report.dir, report.profile), "host": None, "source": "sdk",
                  "poplar_version": None, "package_hash": None, "target": tgt,
                  "memory": mem, "graph": graph, "execution": run, "parts": state}
    return exp


# ---- reports that others wrote ------------------------------------------------------------------

def foreign(path, profile=None):
    """A Report for a profile.pop that reports.py did not write: columns found by their values."""
    rep = reports.Report(path)
    if profile:
        rep.profile = profile
    db = sqlite3.connect("file:%s?immutable=1&mode=ro" % rep.profile, uri=True)
    db.text_factory = lambda b: b.decode("utf-8", "replace")
    kinds = dict(db.execute("SELECT name, type FROM sqlite_master WHERE type IN ('table','view')"))
    for rel, known in reports.COLUMNS.items():
        rep.sql[rel] = None
        if rel not in kinds:
            continue
        info = list(db.execute("PRAGMA table_xinfo(%s)" % quoted(rel)))
        have = {r[1].lower(): r[1] for r in info}
        names = {c: have[c] for c in known if c in have}
        if rel == "steps_by_ipu" and "ipu" not in names:
            names.update(ipu_by_values(db, [c for c in have.values() if c.lower() not in known]))
        if rel == "memory_by_tile" and "tile" not in names:
            names.update(tile_by_values(db, [c for c in have.values() if c.lower() not in known]))
        order = ""
        if kinds[rel] != "view":
            order = " NOT INDEXED ORDER BY %s" % row_order(db, rel, info)
        rep.columns[rel] = list(names)
        if all(c in names for c in reports.REQUIRED[rel]):
            rep.sql[rel] = "SELECT %s FROM %s%s" % (
                ", ".join("%s AS %s" % (quoted(n), c) for c, n in names.items()),
                quoted(rel), order)
    db.close()
    return rep


def quoted(name):
    return '"' + name.replace('"', '""') + '"'


def row_order(db, table, info):
    """rowid, or the primary key of a table without one."""
    try:
        db.execute("SELECT rowid FROM %s LIMIT 1" % quoted(table))
        return "rowid"
    except sqlite3.OperationalError:
        return ", ".join(quoted(r[1]) for r in sorted(info, key=lambda r: r[5]) if r[5])


def ipu_by_values(db, names):
    """The column that is 0..k-1 within every step."""
    for n in names:
        sets, bad = {}, False
        for step, value in db.execute("SELECT step_id, %s FROM steps_by_ipu" % quoted(n)):
            group = sets.setdefault(step, set())
            if not isinstance(value, int) or value in group:
                bad = True
                break
            group.add(value)
        shapes = {frozenset(g) for g in sets.values()}
        if not bad and len(shapes) == 1 and sorted(*shapes) == list(range(len(*shapes))):
            return {"ipu": n}
    return {}


def tile_by_values(db, names):
    """The column that is 0..n-1 over all rows."""
    for n in names:
        values = [r[0] for r in db.execute("SELECT %s FROM memory_by_tile" % quoted(n))]
        if all(isinstance(v, int) for v in values) and sorted(values) == list(range(len(values))):
            return {"tile": n}
    return {}


def store_summary(profile, path):
    """
    Expected object of a sound store: MODEL.md's relations as they stand in it.

    Silent there, decided here: figures of tile_memory that are NULL in a row make the sum unknown;
    peak_not_always_live_bytes is the largest liveness_step.not_always_live (one replica's).
    """
    db = sqlite3.connect("file:%s?immutable=1&mode=ro" % profile, uri=True)
    tables = {r[0] for r in db.execute("SELECT name FROM sqlite_master")}

    def rows(sql, need):
        return list(db.execute(sql)) if need in tables else None

    def one(sql, need):
        got = rows(sql, need)
        return got[0][0] if got else None

    report = dict(rows("SELECT key, value FROM report", "report") or [])
    t = rows("SELECT type, architecture, ipus, replicas, tiles_per_ipu, bytes_per_tile, clock_hz "
             "FROM target", "target")
    keys = ["type", "architecture", "ipus", "replicas", "tiles_per_ipu", "bytes_per_tile",
            "clock_hz"]
    tgt = dict(zip(keys, t[0])) if t else dict.fromkeys(keys)
    if isinstance(tgt["clock_hz"], (int, float)):
        tgt["clock_hz"] = float(tgt["clock_hz"])
    tgt["assumed"] = not t
    limit = tgt["bytes_per_tile"]

    mem = rows("SELECT tile, total, total_gaps, overflowed, always_live FROM tile_memory",
               "tile_memory")
    gaps = all(m[2] is not None for m in mem)
    size = {m[0]: m[2] if gaps else m[1] for m in mem}
    worst = min(size, key=lambda k: (-size[k], k))
    over = sum(1 for m in mem if size[m[0]] > limit or (m[3] or 0) > 0)
    live = rows("SELECT live_step, not_always_live FROM liveness_step", "liveness_step")
    peak = min(live, key=lambda r: (-r[1], r[0])) if live else (None, None)
    cats = {}
    regions = rows("SELECT name, tile, sum(not_overlapped), sum(ifnull(overlapped, 0)) FROM "
                   "tile_category JOIN memory_category USING (category) GROUP BY name, tile",
                   "tile_category") or []
    for name, tile, alone, both in regions:
        cats.setdefault(name, []).append((tile, alone, both))
    categories = {}
    for name, per in cats.items():
        tile, most, _ = min(per, key=lambda p: (-p[1], p[0]))
        total = sum(p[1] for p in per)
        tile2, most2, _ = min(per, key=lambda p: (-p[1] - p[2], p[0]))
        categories[name] = {
            "bytes": OneOf(total, total + sum(p[2] for p in per)),
            "worst_tile": OneOf(tile, tile2) if most else OneOf(tile, 0, None),
            "worst_tile_bytes": OneOf(most, most2 + min(p[2] for p in per if p[0] == tile2))}
    memory_ = {
        "tiles": len(mem), "total_bytes": sum(m[1] for m in mem),
        "total_gaps_bytes": sum(m[2] for m in mem) if gaps else None,
        "worst_tile": worst, "worst_tile_bytes": size[worst], "limit_bytes": limit,
        "tiles_over": over, "fits": over == 0, "mean_tile_bytes": sum(size.values()) / len(size),
        "gaps": gaps,
        "always_live_bytes": sum(m[4] for m in mem) if all(m[4] is not None for m in mem) else None,
        "peak_not_always_live_bytes": peak[1], "peak_step": peak[0], "categories": categories}

    counts = dict(rows("SELECT name, value FROM graph_count", "graph_count") or [])
    graph = {
        "compute_sets": counts.get("compute_sets", one("SELECT count(*) FROM compute_set",
                                                       "compute_set")),
        "programs": one("SELECT count(*) FROM program", "program"),
        "variables": counts.get("variables", one("SELECT count(*) FROM variable", "variable")),
        "edges": counts.get("edges"), "vertices": counts.get("vertices")}

    names = {r: dict(rows("SELECT %s, name FROM %s" % (r, r), r) or [])
             for r in ("program", "compute_set")}
    classes = {}
    for step, kind, sync in rows("SELECT step, type, sync_type FROM step", "step") or []:
        cls = CLASSES.get(kind, "control")
        if kind == "Sync" and sync is not None and sync.lower() == "external":
            cls = "external_sync"
        classes[step] = cls
    ipus, kept = {}, []
    for step, ipu, cycles, start, end in rows(
            'SELECT step, ipu, cycles, start, "end" FROM step_ipu', "step_ipu") or []:
        f = ipus.setdefault(ipu, {"ipu": ipu, "cycles": (start, end), "step_cycles": 0,
                                  "classes": dict.fromkeys(ALL_CLASSES, 0)})
        f["cycles"] = (min(start, f["cycles"][0]), max(end, f["cycles"][1]))
        f["step_cycles"] += cycles
        f["classes"][classes[step]] += cycles
        kept.append((classes[step], ipu, start, end))
    times = times_of(kept, {i: f["cycles"] for i, f in ipus.items()})
    for f in ipus.values():
        f["time"] = times[f["ipu"]]
        f["cycles"] = f["cycles"][1] - f["cycles"][0]
    level = report.get("compute_instrumentation")
    both = "step" in tables and "step_ipu" in tables
    exp = Expected()
    exp.object = {
        "path": path, "host": None, "source": OneOf("store", report.get("source")),
        "poplar_version": report.get("poplar_version"), "package_hash": report.get("package_hash"),
        "target": tgt, "memory": memory_, "graph": graph,
        "execution": {"runs": one("SELECT count(*) FROM run", "run"),
                      "steps": one("SELECT count(*) FROM step", "step"),
                      "measured": OneOf(None if not both or level in (None, "unknown")
                                        else level != "off"),
                      "ipus": [ipus[i] for i in sorted(ipus)] if both else None},
        "parts": None}
    db.close()
    return exp


# ---- comparing ----------------------------------------------------------------------------------

def loose(name):
    """A key cut, and runs of U+FFFD made one: how many stand for broken bytes is not defined."""
    out = []
    for c in name:
        if c != "\ufffd" or not out or out[-1] != c:
            out.append(c)
    return "".join(out)[:1000]


def differences(want, got, at=""):
    """Lines that say where `got` differs from `want`; empty when it does not."""
    if want is ANY:
        return []
    if isinstance(want, OneOf):
        return [] if any(not differences(w, got, at) for w in want.values) else [
            "%s: expected %r, got %r" % (at, want, got)]
    if isinstance(want, dict):
        if not isinstance(got, dict):
            return ["%s: expected an object, got %r" % (at, got)]
        got = {loose(k): v for k, v in got.items()}
        want = {loose(k): v for k, v in want.items()}
        out = ["%s.%s: missing" % (at, show(k)) for k in want if k not in got]
        out += ["%s.%s: not expected (%.80r)" % (at, show(k), got[k]) for k in got if k not in want]
        for k in want:
            if k in got:
                out += differences(want[k], got[k], "%s.%s" % (at, show(k)))
        return out
    if isinstance(want, list):
        if not isinstance(got, list):
            return ["%s: expected a list, got %r" % (at, got)]
        out = []
        if len(want) != len(got):
            out.append("%s: expected %d elements, got %d" % (at, len(want), len(got)))
        for i, (w, g) in enumerate(zip(want, got)):
            out += differences(w, g, "%s[%d]" % (at, i))
        return out
    if isinstance(want, bool) or want is None or isinstance(want, str):
        same = type(want) is type(got) and want == got
    elif isinstance(want, float):
        same = isinstance(got, (int, float)) and not isinstance(got, bool) and math.isclose(
            want, got, rel_tol=1e-9, abs_tol=1e-9)
    else:
        same = isinstance(got, int) and not isinstance(got, bool) and want == got
    return [] if same else ["%s: expected %r, got %.200r" % (at, want, got)]


def show(key):
    return key if key.isascii() and key.isprintable() and len(key) < 60 else "%.60r" % key


def no_duplicates(pairs):
    out = {}
    for k, v in pairs:
        if k in out:
            raise ValueError("key %.60r twice" % k)
        out[k] = v
    return out


def parse(data):
    """Strict JSON: UTF-8, no key twice, no NaN."""
    def never(name):
        raise ValueError("%s is not JSON" % name)
    return json.loads(data.decode("utf-8"), object_pairs_hook=no_duplicates, parse_constant=never)


def main(argv):
    with tempfile.TemporaryDirectory() as d:
        rep = reports.build(d, int(argv[1]) if len(argv) > 1 else 0)
        exp = summary(rep)
        print(json.dumps(exp.object, indent=1, default=repr))
        print("left out: %d, reversed: %d" % (exp.left_out, exp.reversed))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv))
