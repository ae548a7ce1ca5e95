# SPDX-License-Identifier: MIT
"""
rows - the table, in its order: what is measured, in which unit, and what the goal is.

p50, p99 and max are taken over all figures of all rounds; a median is that of the rounds.  A goal
for the ratio bounds ours over the floor.  Unit None: cannot be measured, since it is not built.
"""

from engine import row

# ---- the first screen, memory ----

row("first-screen-warm", "first screen, warm", "ms", 30, floor="curses+sqlite",
    note="until the worst tile's figure stands there, with an index")
row("first-screen-new", "first screen, warm, first time", "ms", 30, floor="curses+sqlite",
    note="no index yet; its building begins")
row("first-screen-cold", "first screen, cold", "ms", 100, floor="curses+sqlite")
row("memory-anon", "memory, anonymous, most", "MiB", 64, stat="max", floor="sqlite3",
    note="all views visited while the index is built")
row("memory-peak", "memory, resident, most", "MiB", stat="max", floor="sqlite3",
    note="mapped files included")

# ---- timelines, the index ----

row("timeline-index", "timeline of 200 columns, index, p99", "ms", 1, "p99", "GROUP BY",
    note="one IPU, any zoom")
row("timeline-index-lanes", "the same, lanes of all IPUs, p99", "ms", 1, "p99", "GROUP BY")
row("timeline-sampled", "timeline of 200 columns, no index, p99", "ms", 25, "p99", "GROUP BY",
    note="one IPU, any zoom")
row("jump", "next step, class, gap of a lane, p99", "ms", 16, "p99",
    note="from anywhere, with the index")
row("longest", "the 200 longest steps of any range, p99", "ms", None, "p99",
    note="in the background, with the index")
row("flame", "flame graph of 200 columns, any zoom, p99", "ms", 16, "p99",
    note="one IPU; with the index")
row("bsp", "tiles (BSP) of one screen, any zoom, p99", "ms", 50, "p99",
    note="200 columns by 60 rows of one IPU, 1 M steps on 4 IPUs, with the index")
row("balance-times", "proportions of all IPUs, any range, p99", "ms", 16, "p99",
    note="the same report")
row("balance-work", "bytes and balance of all IPUs, any range, p99", "ms", 16, "p99",
    note="the same report")
row("merged", "merged flame graph of everything, per 1 M steps", "s",
    note="steps on 4 IPUs; in the background, one thread")
row("merged-index", "the same with the index, any range, p99", "ms", 16, "p99",
    note="the report of the steps; frames and sums, and the tree of an IPU")
row("check-new", "check, the first time", "s", note="the index is built first")
row("check", "check, with the index", "s")
row("operations", "operations of all layers, kept", "ms", 50,
    note="every figure of every operation, from the index's section, mapped anew")
row("operations-new", "the same, from nothing", "s",
    note="programs, contexts, variables and a pass over the trace; one thread, in the background")
row("export-perfetto", "export of a Perfetto trace, per 1 M slices", "s", 1,
    note="goal: a million a second")
row("export-rss", "the same, memory, resident, most", "MiB", 64, stat="max")
row("search", "search of steps: the piece with the cursor", "ms", 50,
    note="half a million steps: the next hit is shown behind it")
row("search-all", "search of steps by name, per 20 M", "s", 1, note="two threads")
row("index-steps", "index: steps, per 20 M rows", "s", 1, floor="best floor",
    note="pyramid of steps by IPU")
row("index-steps-ratio", "index: steps, against a bare scan", "s", 1.3, floor="best floor",
    on="ratio", note="same columns, as many threads")
row("index-all", "index: all of it", "s", note="everything that is built without being asked for")
row("index-size", "index: size, of the report's", "%", 3)
row("contexts", "debug.cbor read, 375 MB", "s", 2, floor="libcbor", on="ratio",
    note="every context and string, sorted; the floor is the bare decoder over the same bytes")
row("contexts-anon", "the same, memory, anonymous", "MiB", 64, stat="max")
row("tile-totals", "per-tile totals of lowered variables, per 80 M rows", "s", 2, floor="arrays over the API",
    note="one thread")
row("scan-4", "scan rate, 4 integer columns", "ms/M rows", 1.3, floor="best floor", on="ratio")
row("scan-2", "scan rate, 2 integer columns", "ms/M rows", 1.3, floor="best floor", on="ratio")

row("heat-first", "heat map tile x step, first time", "ms", 200,
    note="190 x 100 cells of all tiles and steps, the table mapped anew")
row("heat-sample", "the same without its section: a sample of tiles", "ms", 200,
    note="no index at all; all tiles come when they are read")
row("heat-zoom", "the same, any zoom, p99", "ms", 16, "p99")
row("what-if", "what if, per 8 M lowered variables", "s", 1, stat="max",
    note="a variable; a pattern besides; a group besides")

row("query", "query: sum and count, per 80 M rows", "s", 1.5, floor="sqlite3", on="ratio",
    note="the whole program; the relation of the steps by IPU, one thread")

# ---- rows ----

row("row-window", "200 rows by key, p99", "ms", 2, "p99", "OFFSET")
row("row-window-cold", "200 rows by key, cold", "ms", 2, floor="OFFSET")
row("trace-window", "200 steps with an IPU's figures, p99", "ms", 2, "p99")

# ---- keys ----

row("keys-text-p50", "key to last byte, text, p50", "ms", 2, "p50", "less")
row("keys-text-p99", "key to last byte, text, p99", "ms", 16, "p99", "less")
row("keys-chart-p50", "key to last byte, charts, p50", "ms", 2, "p50")
row("keys-chart-p99", "key to last byte, charts, p99", "ms", 16, "p99")
row("keys-new-p50", "the same, all, while indexing, p50", "ms", 2, "p50", "lnav")
row("keys-new-p99", "the same, all, while indexing, p99", "ms", 16, "p99", "lnav")
row("keys-start-p50", "the same, from 50 ms after the start, p50", "ms", 2, "p50",
    note="no index yet; switches to views counted")
row("keys-start-p99", "the same, from 50 ms after the start, p99", "ms", 16, "p99")
row("keys-busy-p50", "the same, a slow query runs, p50", "ms", 2, "p50")
row("keys-busy-p99", "the same, a slow query runs, p99", "ms", 16, "p99")
row("keys-views-first", "key to first byte, views of memory, p99", "ms", 16, "p99",
    note="Insights, tile map, address map, tabs, sources, heat map, Variables; 8 M variables, index")
row("keys-views-own", "CPU of the thread that draws, a key of these, p99", "ms", 8, "p99")
for view, what in (("insights", "Insights"), ("map", "tile map"), ("addresses", "address map"),
                   ("tabs", "tabs of Memory"), ("sources", "Liveness of a tile"),
                   ("heat", "heat map"), ("variables", "Variables, orders too")):
    row("keys-" + view, "the same to the last byte, %s, p99" % what, "ms", 16, "p99")
for name, what in (("zoom", "any zoom"), ("pan", "pan"), ("hit", "next search hit"),
                   ("step", "next step, class, gap, longest"), ("draw", "another drawing"),
                   ("tab", "tabs below")):
    row("keys-trace-" + name, "key to last byte, Trace, %s, p99" % what, "ms", 16, "p99",
        note="with the index")
for name, what in (("sets", "timeline of 12 to 500 tiles"),
                   ("sets-list", "who is alive on 12 to 500 tiles"),
                   ("selected", "variables of 12 to 500 selected tiles, of an IPU"),
                   ("selected-list", "these 76,543 names sorted, filtered, searched"),
                   ("ipus", "Liveness of an IPU"), ("insights", "Insights and its tabs"),
                   ("always", "what always lives"),
                   ("scattered", "timeline of 1,000 to 1,472 tiles that are no IPU"),
                   ("scattered-list", "who is alive on these"),
                   ("alive", "all variables alive at a step, sorted"),
                   ("alive-filters", "filters of all variables alive at a step"),
                   ("filters", "filters of variables: words, expressions, comparisons"),
                   ("search", "search of variables"), ("sort", "orders of variables, kept"),
                   ("using", "tiles with using()"), ("lifetimes", "lifetimes"),
                   ("metrics", "metrics on the tile map")):
    row("answer-" + name, "key to the first screen of the answer, %s, p99" % what, "ms", 16, "p99",
        note="8 M variables, index")
row("keys-what-if", "what if: from the key to the last figure, most", "s", 1, "max",
    note="a group of 8 M lowered variables")
row("keys-filter", "filter of 8 M variables, key to the last row, most", "s", stat="max")
row("keys-jump", "jump anywhere (End, Home, :goto), p99", "ms", 16, "p99", "less")
row("scroll-bytes", "bytes, one line, text", "bytes", 600, floor="less",
    note="200x60, the median key")
row("scroll-bytes-chart", "bytes, one column, chart", "bytes", 2200, note="the median key")
row("page-bytes", "bytes, a page, text, most", "bytes", 30000, "max", "less")
row("page-bytes-chart", "bytes, a page, chart, most", "bytes", 64000, "max")
row("cpu-frame", "CPU per frame, UI and workers, p99", "ms", 8, "p99", "less",
    note="all threads, a key each")
row("idle-cpu", "idle, of one processor, most", "%", 0, "max", note="2 s, to a tenth of a percent")
row("idle-bytes", "idle, bytes of 2 s, most", "bytes", 0, "max")

# ---- ending ----

row("cancel-inside", "cancel, inside, most", "ms", 50, "max",
    note="classes of steps, totals, search, lanes")
row("cancel-app", "C-c to the screen's word, most", "ms", 50, "max", note="a search over all steps")
row("quit", "quit while it works, most", "ms", 500, "max")

# ---- remote: at 50 ms of delay ----

row("remote-first-screen", "remote first screen, with connecting", "round trips", 15, stat="max",
    note="opening and the tiles, by ssh, nothing kept yet")
row("remote-first-moved", "the same, moved", "MiB", 2)
row("remote-first-time", "the same, time", "ms")
row("remote-first-again", "the same, second visit", "round trips", 15, stat="max")
row("remote-timeline", "remote timeline of 200 columns", "round trips", 4, stat="max",
    note="no index; the pages that lead to rows are here")
row("remote-timeline-time", "the same, time", "ms")
row("remote-jump", "remote jump anywhere, 60 rows with names", "round trips", 2, stat="max",
    note="the most of ten")
row("remote-jump-time", "the same, time, mean", "ms")
row("remote-trace", "remote searches, flame graphs, BSP of the Trace", "round trips", stat="max",
    note="the most of eight; ranges of a thousandth, at 100x 80,000 rows")
row("remote-bulk", "remote bulk, 256 MiB", "s", 1, floor="sftp", on="ratio")
