# SPDX-License-Identifier: MIT
"""What happens inside, timed by the C programs beside this file; the floors are other programs of
them."""

import os
import statistics

from engine import BERT, Skip, measure

STEP_IPU = "steps_by_ipu"
# the same four columns by both their names, and the six that the pyramid is made of
FOUR = ("step_id, ipu, cycles, active_tiles", "step,ipu,cycles,active_tiles")
SIX = ("step_id, ipu, cycles, cycles_base, active_cycles_from_min, active_cycles_to_max",
       "step,ipu,cycles,start,end")
TWO = ("equivalence_class, size_bytes", "class,bytes")    # of a row that has no place both are 0
VARIABLES = "vars_info"
BIG = 20e6          # rows that the index is built for, of steps by IPU
TOTALS = 80e6       # rows that are totalled
DEBUG = {"full": 375000000, "small": 40000000, "tiny": 400000}      # bytes of debug.cbor


def group_by(b, path):
    """The timeline as SQL alone would have it: busy cycles by column. Once: it takes long."""
    if b.round > 0:
        return None
    sql = ("SELECT cycles_base / (SELECT max(cycles_base) / 200 + 1 FROM %s), sum(cycles) "
           "FROM %s WHERE ipu = 0 GROUP BY 1" % (STEP_IPU, STEP_IPU))
    return b.timed(b.have("sqlite3"), "-readonly", path, sql)[0] if b.have("sqlite3") else None


@measure("timeline-index", "timeline-index-lanes", "timeline-sampled")
def timeline(b):
    path = b.report()
    cache = b.indexed(path)
    n = 3 if b.tiny else 400
    peer = group_by(b, path)
    out = {}
    for name, where, lanes in (("timeline-index", cache, 1), ("timeline-index-lanes", cache, 0),
                               ("timeline-sampled", "none", 1)):
        if where is None:
            out[name] = {"note": "no index yet"}
            continue
        got = b.run_tool("inside", "chart", path, where, n if where != "none" else n // 4 + 1,
                         b.round, lanes)
        out[name] = {"ours": got["ms"], "GROUP BY": peer, "the first": got["ms"][:1],
                     "median": statistics.median(got["ms"])}
        if where != "none" and got["sampled"]:
            out[name]["note"] = "%s: %d of %d were sampled" % (b.scale, got["sampled"],
                                                              len(got["ms"]))
    return out


@measure("jump", "longest", "flame")
def jump(b):
    path = b.report()
    cache = b.indexed(path)
    if cache is None:
        return {name: {"note": "no index yet"} for name in ("jump", "longest", "flame")}
    out = {}
    for name, n in (("jump", 400), ("longest", 40)):
        got = b.run_tool("inside", "jump", path, cache, 4 if b.tiny else n, b.round, name)
        out[name] = {"ours": got["ms"], "median": statistics.median(got["ms"])}
    got = b.run_tool("inside_trace", path, cache, 4 if b.tiny else 200, b.round, "flame")
    out["flame"] = {"ours": got["ms"], "median": statistics.median(got["ms"])}
    return out


@measure("bsp", "balance-times", "balance-work", "merged")
def ranges(b):
    path = b.bert()
    cache = b.cache("ranges")
    b.run_tool("inside_build", path, cache, "steps,lanes,work", b.cpus)
    out = {}
    for name, word in (("bsp", "bsp"), ("balance-times", "times"), ("balance-work", "work")):
        out[name] = {"ours": b.run_tool("inside_trace", path, cache, 3 if b.tiny else 200, b.round, word)["ms"]}
    whole = b.run_tool("inside_trace", path, cache, 1, b.round, "merged")["ms"][0]
    out["merged"] = {"ours": whole / 1e3 / BERT[b.size][0] * 1e6}
    return out


@measure("merged-index")
def merged(b):
    path, cache = b.report(), b.cache("stacks")
    b.run_tool("inside_build", path, cache, "steps,lanes,stacks", b.cpus)
    got = b.run_tool("inside_trace", path, cache, 3 if b.tiny else 200, b.round, "merged")["ms"]
    return {"merged-index": {"ours": got[1:], "everything": got[:1], "median": statistics.median(got)}}


@measure("check-new", "check")
def check(b):
    path, cache = b.report(), b.cache("check", empty=True)
    args = (b.program, "check", "-f", "json", "--cache", cache, path)
    first, _, new = b.timed(*args)
    again, _, old = b.timed(*args)
    if new != old:
        raise RuntimeError("another answer with the index")
    return {"check-new": {"ours": first / 1e3}, "check": {"ours": again / 1e3}}


@measure("operations", "operations-new")
def operations(b):
    """What each operation of each layer comes to: worked out and kept, then as it is kept."""
    got = b.run_tool("inside", "operations", b.bert(), b.cache("operations", empty=True))
    new, kept = got["ms"]
    return {"operations": {"ours": kept, "note": "%d operations" % got["operations"]},
            "operations-new": {"ours": new / 1e3}}


@measure("export-perfetto", "export-rss")
def export(b):
    path = b.bert()
    where = os.path.join(b.folder, "trace.pftrace")
    ms, kib, _ = b.timed(b.program, "export", "-q", "-o", where, path)
    os.unlink(where)
    slices = BERT[b.size][0]    # a step is on one IPU, nearly always
    return {"export-perfetto": {"ours": ms / 1e3 / slices * 1e6}, "export-rss": {"ours": kib / 1024}}


@measure("search", "search-all")
def search(b):
    path = b.report()
    got = b.run_tool("inside", "search", path, b.indexed(path) or "none", "Convolve")
    return {"search": {"ours": got["piece_ms"]},
            "search-all": {"ours": got["all_ms"] / 1000 / got["steps"] * 20e6,
                           "note": "%.2f s of a processor; its share of the cycles of an IPU %.1f s later"
                           % (got["cpu_ms"] / 1000 / got["steps"] * 20e6, got["cost_ms"] / 1000)}}


@measure("query")
def query(b):
    """A relation by `tilescope query`, and the table behind it by sqlite3."""
    path, columns = b.report(), "count(*) AS n, sum(cycles) AS c"
    ms, _, ours = b.timed(b.program, "query", "-f", "csv", path, "SELECT %s FROM step_ipu" % columns)
    n = int(ours.split()[1].split(b",")[0])
    out = {"ours": ms / 1000 / n * TOTALS}
    if b.have("sqlite3"):
        ms, _, theirs = b.timed(b.have("sqlite3"), "-readonly", "-csv", path,
                                "SELECT %s FROM %s" % (columns, STEP_IPU))
        if ours.split()[1] != theirs.split()[0]:
            raise RuntimeError("query says %r, sqlite3 %r" % (ours, theirs))
        out["sqlite3"] = ms / 1000 / n * TOTALS
    return {"query": out}


def floors(b, path, table, relation, columns, threads):
    """A bare scan by SQLite's API and by the decoder of pages: ms per million rows."""
    bare = b.run_tool("floor_scan", "scan", path, table, columns[0], threads, int(BIG))
    raw = b.run_tool("inside", "table", path, relation, columns[1], int(BIG), threads)
    out = {"bare scan": bare["ms"] / bare["rows"] * 1e6}
    if (raw["rows"], raw["sum"]) == (bare["rows"], bare["sum"]):  # else it knows no such table
        out["decoder"] = raw["ms"] / raw["rows"] * 1e6
    out["best floor"] = min(out.values())
    return out, bare


@measure("scan-4", "scan-2")
def scan(b):
    path = b.report()
    out = {}
    for name, table, relation, columns in (("scan-4", STEP_IPU, "step_ipu", FOUR),
                                           ("scan-2", VARIABLES, "lowered_variable", TWO)):
        got = b.run_tool("inside", "rows", path, relation, columns[1], int(BIG))
        out[name], bare = floors(b, path, table, relation, columns, 1)
        if got["sum"] != bare["sum"]:
            raise RuntimeError("%s, the floor has %s" % (got, bare))
        out[name]["ours"] = got["ms"] / got["rows"] * 1e6
    return out


@measure("tile-totals")
def totals(b):
    path = b.report()
    ours = b.run_tool("inside", "totals", path, "none")
    bare = b.run_tool("floor_scan", "totals", path, VARIABLES, "tile", "size_bytes")
    out = {"ours": ours["ms"] / ours["rows"] * TOTALS / 1e3,
           "arrays over the API": bare["ms"] / bare["rows"] * TOTALS / 1e3}
    if ours["sum"] != bare["sum"]:
        raise RuntimeError("%d bytes, the floor has %d" % (ours["sum"], bare["sum"]))
    if b.have("sqlite3") and b.round == 0:      # some 30 s on the large report: once will do
        sql = "SELECT tile, sum(size_bytes) FROM %s GROUP BY tile" % VARIABLES
        out["GROUP BY"] = b.timed(b.have("sqlite3"), "-readonly", path, sql)[0] / bare["rows"] * \
            TOTALS / 1e3
    return {"tile-totals": out}


@measure("index-steps", "index-steps-ratio", "index-all", "index-size")
def index(b):
    path = b.report()
    if not os.path.exists(b.tool("inside_build")):
        raise Skip("no index yet")
    cache = b.cache("timed", empty=True)
    got = b.run_tool("inside_build", path, cache, "core", b.cpus)
    figures, _ = floors(b, path, STEP_IPU, "step_ipu", SIX, b.cpus)
    figures = {party: ms * BIG / 1e9 for party, ms in figures.items()}
    lanes = [s for s in got["stages"] if "lanes" in s["sections"]]
    if lanes:
        figures["ours"] = lanes[0]["ms"] / lanes[0]["rows"] * BIG / 1e3
    else:
        figures["note"] = "not built yet"
    return {"index-steps": figures, "index-steps-ratio": figures,
            "index-all": {"ours": got["ms"] / 1e3,
                          "note": ", ".join("%s %.1f s" % (s["what"], s["ms"] / 1e3)
                                            for s in got["stages"]) if b.round == 0 else None},
            "index-size": {"ours": got["bytes"] * 100 / os.path.getsize(path)}}


@measure("heat-first", "heat-sample", "heat-zoom", "what-if")
def live_by_tile(b):
    path = b.bert()
    cache = b.cache("tile-lives")
    b.run_tool("inside_build", path, cache, "variables,tile-lives", b.cpus)
    got = b.run_tool("inside", "heat", path, cache, 5 if b.tiny else 200, b.round)
    ms = b.run_tool("inside", "what-if", path, cache)["ms"]
    sample = b.run_tool("inside", "heat-sample", path, "none")["ms"]
    return {"heat-first": {"ours": got["first"]}, "heat-sample": {"ours": sample},
            "heat-zoom": {"ours": got["ms"]},
            "what-if": {"ours": [m / 1e3 * 8e6 / BERT[b.size][1] for m in ms]}}


@measure("contexts", "contexts-anon")
def contexts(b):
    path = os.path.join(b.folder, "debug-%s.cbor" % b.size)
    if not os.path.exists(path):
        b.say("writing %s" % os.path.basename(path))
        b.run_tool("contexts", "make", path + ".tmp", DEBUG[b.size])
        os.rename(path + ".tmp", path)
    bare = b.run_tool("contexts", "bare", path)
    got = b.run_tool("contexts", "read", path)
    if got["wrong"] or got["bytes"] != bare["bytes"]:
        raise RuntimeError("%s, the floor has %s" % (got, bare))
    return {"contexts": {"ours": got["ms"] / got["bytes"] * 375e3, "libcbor":
                         bare["ms"] / bare["bytes"] * 375e3},
            "contexts-anon": {"ours": got["anonymous_kib"] / 1024}}


@measure("row-window", "trace-window")
def window(b):
    path = b.report()
    cache = b.indexed(path) or "none"
    n = 5 if b.tiny else 100
    columns = "id, program, compute_set"
    return {"row-window": {
                "ours": b.run_tool("inside", "keys", path, cache, n, b.round)["ms"],
                "OFFSET": b.run_tool("floor_scan", "offset", path, "steps", columns, 3,
                                     b.round)["ms"],
                "bare": b.run_tool("floor_scan", "window", path, "steps", columns, n,
                                   b.round)["ms"]},
            "trace-window": {
                "ours": b.run_tool("inside", "window", path, cache, n, b.round)["ms"]}}


@measure("row-window-cold")
def window_cold(b):
    path = b.report()
    cache = b.indexed(path) or "none"
    out = {}
    for party, args in (("ours", ("inside", "keys", path, cache, 1, b.round)),
                        ("OFFSET", ("floor_scan", "offset", path, "steps",
                                    "id, program, compute_set", 1, b.round))):
        out["note"] = b.forget(path)
        out[party] = b.run_tool(*args)["ms"]
    return {"row-window-cold": out}


@measure("cancel-inside")
def cancel(b):
    n = 4 if b.tiny else 16
    got = b.run_tool("inside", "cancel", b.report(), "none", n, b.round)["ms"]
    return {"cancel-inside": {"ours": got} if got else {"note": "all was through before"}}
