# SPDX-License-Identifier: MIT
"""cases_figures - the figures of a summary, over shapes of tables, bad numbers and seeds."""

import collections
import csv
import io
import json
import os
import random
import signal
import sqlite3
import subprocess
import time

from . import oracle
from . import reports
from .harness import (FULL, TIMEOUT, Result, case, every_format, expect, one_line, parse, plain, schema_ok,
                     snapshot, summarise, unsafe, untouched)


@case(params=range(200), sample=24, smoke=12)
def seed(ctx, seed):
    """A report drawn whole from its seed."""
    rep = reports.build(ctx.path("report"), seed)
    summarise(ctx, rep)
    if seed % 4 == 0:
        every_format(ctx, rep)
    if seed % 4 == 1:
        schema_ok(ctx, rep)
    if seed % 4 == 2:
        summarise(ctx, rep, "--cache", "none", path=rep.profile)


@case()
def by_hand(ctx):
    """A report small enough for a pencil: holds the oracle, too."""
    rep = reports.Report(ctx.path("hand"))
    os.makedirs(rep.dir)
    db = sqlite3.connect(rep.profile)
    db.executescript("""
        CREATE TABLE memory_by_tile (total);
        INSERT INTO memory_by_tile VALUES (500), (700), (700), (NULL), (100);
        CREATE TABLE programs (id, name);
        INSERT INTO programs VALUES (10, 'mul'), (11, 'External'), (12, 'Internal');
        CREATE TABLE compute_sets (compute_set, name);
        INSERT INTO compute_sets VALUES (0, 'mul/Convolve');
        CREATE TABLE steps (id, type, program, compute_set, sync_type);
        INSERT INTO steps VALUES (0, 'OnTileExecute', 10, 0, NULL), (1, 'Sync', 11, NULL, 'External'),
            (2, 'Sync', 12, NULL, 'Internal'), (3, 'StreamCopyBegin', NULL, NULL, NULL),
            (4, 'Warp', NULL, NULL, NULL), (6, 'Call', NULL, NULL, NULL);
        CREATE TABLE steps_by_ipu (step_id, cycles, active_tiles, cycles_base,
            active_cycles_from_min, active_cycles_to_max);
        INSERT INTO steps_by_ipu VALUES (0, 100, 5, 1000, 5, 100), (1, 7, 5, 1100, 0, 7),
            (2, 3, 5, 1107, 0, 3), (3, 1000, 1, 1110, 10, 1000), (4, 9, 1, 2110, 0, 9),
            (5, 1, 1, 9000, 0, 1), (6, -9, 1, 2110, 0, 9);
        CREATE TABLE var_categories (id, name);
        INSERT INTO var_categories VALUES (1, 'variable'), (2, 'stack');
        CREATE TABLE vars_info (tile, size_bytes, category);
        INSERT INTO vars_info VALUES (0, 4, 1), (2, 8, 1), (1, 8, 1), (0, 1, 3), (0, 1, NULL);
    """)
    db.commit()
    db.close()
    res = ctx.run("summary", "-f", "json", rep.dir)
    got = parse(res)
    classes = dict.fromkeys(oracle.ALL_CLASSES, 0)
    classes.update(compute=100, external_sync=7, sync=3, host_wait=1000, control=9)
    time = dict(classes, compute=95, host_wait=990, idle=10)    # from begin to end, not the steps' cycles
    want = {
        "target": dict(type=None, architecture=None, ipus=1, replicas=1, tiles_per_ipu=5,
                       bytes_per_tile=None, clock_hz=None, assumed=True),
        "memory": dict(tiles=4, total_bytes=2000, total_gaps_bytes=None, worst_tile=1,
                       worst_tile_bytes=700, limit_bytes=None, tiles_over=None, fits=None,
                       mean_tile_bytes=500.0, gaps=None, always_live_bytes=None,
                       peak_not_always_live_bytes=None, peak_step=None, categories={
                           "variable": dict(bytes=20, worst_tile=1, worst_tile_bytes=8),
                           "category 3": dict(bytes=1, worst_tile=0, worst_tile_bytes=1)}),
        "graph": dict(compute_sets=1, programs=3, variables=None, edges=None, vertices=None),
        "execution": dict(runs=None, steps=6, measured=None, ipus=[
            dict(ipu=0, cycles=2119 - 1005, step_cycles=1119, classes=classes, time=time)])}
    diff = oracle.differences(want, {k: got[k] for k in want})
    expect(not diff, res, "\n".join(diff))
    expect(len(got["warnings"]) >= 1, res, "four rows were left out")


@case(params=[(1, 0), (1, 1), (1, 1472), (2, 1472), (1, 1216), (3, 100), (4, 1472), (1, 2944),
              (3, 2944), (1, 100000), (4, 3), (2, 7), (0, 2944), (0, 2432), (0, 100)], sample=6, smoke=1)
def tiles(ctx, shape):
    """IPUs and tiles in all: 0 tiles, 1 tile, several IPUs, replicas, 100,000 tiles."""
    ipus, count = shape
    rep = plain(ctx, ipus=max(1, ipus), tiles=count, style="plain", fits=count % 3 == 0,
                missing_tables=[] if ipus else ["steps_by_ipu"])
    summarise(ctx, rep)


@case(params=[(s, t) for s in ("plain", "pk", "gaps", "norowid", "indexed", "view", "view_rename",
                               "view_filter", "view_compute", "view_union", "view_join",
                               "view_view", "generated") for t in ("named", "absent")], sample=13, smoke=2)
def style(ctx, p):
    """Every relation in one form: tables, views, keys, indexes; IPU and tile column or not."""
    s, names = p
    rep = plain(ctx, 7, style=s, ipu="ipu" if names == "named" else "absent",
                tile="tile" if names == "named" else "absent")
    summarise(ctx, rep)


@case(params=["ipu", "renamed", "absent", "hostile", "first"])
def ipu_column(ctx, p):
    """By name, by its values, or by the row's order within its step; with 1 to 4 IPUs."""
    for n in (1, 2, 3, 4):
        rep = plain(ctx, n, "r%d" % n, ipus=n, ipu=p, shuffle=False)
        summarise(ctx, rep)


@case()
def ipu_column_beside_decoys(ctx):
    """Columns that look a little like an IPU: constant, step number, counter."""
    rep = plain(ctx, 3, ipus=3, ipu="renamed")
    db = sqlite3.connect(rep.profile)
    for c in ("aaa_const", "zzz_step", "mmm_count", "ipu_time"):
        db.execute("ALTER TABLE steps_by_ipu ADD COLUMN %s" % c)
    db.execute("UPDATE steps_by_ipu SET aaa_const=0, zzz_step=step_id, mmm_count=rowid, "
               "ipu_time=rowid*7")
    db.commit()
    db.close()
    summarise(ctx, rep)


@case()
def rows_by_ipu(ctx):
    """steps_by_ipu stored IPU after IPU."""
    rep = plain(ctx, 5, ipus=3)
    db = sqlite3.connect(rep.profile)
    db.execute("CREATE TABLE t AS SELECT * FROM steps_by_ipu ORDER BY ipu, step_id")
    db.execute("DROP TABLE steps_by_ipu")
    db.execute("ALTER TABLE t RENAME TO steps_by_ipu")
    db.commit()
    db.close()
    rep.sql["steps_by_ipu"] = "SELECT * FROM steps_by_ipu ORDER BY rowid"
    summarise(ctx, rep)


@case(params=["tile", "renamed", "absent"])
def tile_column(ctx, p):
    summarise(ctx, plain(ctx, 2, tile=p, shuffle=p == "tile"))


@case()
def position_despite_index(ctx):
    """An index on `total` must not change the order that numbers the tiles."""
    rep = plain(ctx, 4, tile="absent", style="gaps")
    db = sqlite3.connect(rep.profile)
    db.execute("CREATE INDEX by_total ON memory_by_tile (total)")
    db.commit()
    db.close()
    summarise(ctx, rep)


@case()
def order_in_despite_index(ctx):
    """Nor an index on step_id and cycles the order that numbers the IPUs."""
    rep = plain(ctx, 4, ipus=4, ipu="absent")
    db = sqlite3.connect(rep.profile)
    db.execute("CREATE INDEX cover ON steps_by_ipu (step_id, cycles, cycles_base, "
               "active_cycles_from_min, active_cycles_to_max, active_tiles)")
    db.commit()
    db.close()
    summarise(ctx, rep)


@case(params=["as-written", "ipu-after-ipu", "backwards", "indexed", "without-rowid", "view"])
def order_in_apart(ctx, p):
    """Without a number of the IPU it is the row's order within its step, also where those rows lie apart."""
    rep = plain(ctx, 5, ipus=3, ipu="absent", style="plain")
    db = sqlite3.connect(rep.profile)
    names = ["step_id", "cycles", "cycles_base", "active_cycles_from_min", "active_cycles_to_max"]
    rows = db.execute("SELECT %s FROM steps_by_ipu ORDER BY rowid" % ", ".join(names)).fetchall()
    step = names.index("step_id")
    want = json.loads(ctx.run("summary", "-f", "json", rep.dir).out)["execution"]
    seen = collections.Counter()
    place = []
    for row in rows:
        place.append((seen[row[step]], row[step], row))
        seen[row[step]] += 1
    if p != "as-written":
        place.sort(key=lambda r: (r[0], -r[1] if p == "backwards" else r[1]))
    db.execute("DROP TABLE steps_by_ipu")
    table = "lies" if p == "view" else "steps_by_ipu"
    tail = ", n INTEGER PRIMARY KEY) WITHOUT ROWID" if p == "without-rowid" else ")"
    db.execute("CREATE TABLE %s (%s%s" % (table, ", ".join(names), tail))
    for i, (_, _, row) in enumerate(place):
        db.execute("INSERT INTO %s VALUES (%s)" % (table, ", ".join("?" * (len(row) + (p == "without-rowid")))),
                   row + ((i,) if p == "without-rowid" else ()))
        if p == "as-written" and i % 7 == 3:    # a row of no step parts nothing
            db.execute("INSERT INTO %s (cycles) VALUES (5)" % table)
    if p == "indexed":
        db.execute("CREATE INDEX by_step ON steps_by_ipu (step_id DESC)")
    if p == "view":
        db.execute("CREATE VIEW steps_by_ipu AS SELECT * FROM lies WHERE cycles < 1 OR cycles IS NOT NULL")
    db.commit()
    db.close()
    res = ctx.run("summary", "-f", "json", rep.dir)
    got = json.loads(res.out)["execution"]
    expect(got == want, res, "%r is not %r" % (got, want))
    res = ctx.run("query", "-f", "csv", rep.dir, "SELECT max(ipu), count(DISTINCT ipu), count(*) FROM step_ipu "
                  "WHERE step = 7")
    expect(res.out.split()[-1] == b"2,3,3", res, "the IPUs of a step")


@case()
def rows_without_place(ctx):
    """What is always live on no tile is left out; cycles of steps that were not recorded are no defect."""
    path = ctx.path("r.store")
    db = sqlite3.connect(path)
    db.executescript("CREATE TABLE report(key, value); INSERT INTO report VALUES ('store_version', '1');"
                     "CREATE TABLE tile_always_live(tile, name, bytes);"
                     "INSERT INTO tile_always_live VALUES (0, 'a', 5), (NULL, 'b', 7), (1, 'c', -1);"
                     "CREATE TABLE step_ipu(step, ipu, cycles, start, end);"
                     "INSERT INTO step_ipu VALUES (0, 0, 5, 0, 5);"
                     "CREATE TABLE tile_memory(tile, total, overflowed); INSERT INTO tile_memory VALUES (0, 9, 3);"
                     "CREATE TABLE run(run, name, first_step, step_count);"
                     "INSERT INTO run VALUES (0, 'a', 0, 5), (1, 'b', NULL, 5), (2, 'c', 5, -1), (3, 'd', 5, 0);")
    db.close()
    res = ctx.run("summary", "-f", "json", path)
    got = json.loads(res.out)
    expect(got["memory"]["always_live_bytes"] == 5, res, "bytes that are always live")
    expect(got["execution"]["ipus"] is None, res, "cycles without steps")
    expect(got["memory"]["fits"] is None and got["memory"]["tiles_over"] is None, res, "no limit is known")
    expect(got["execution"]["runs"] == 2, res, "runs")
    expect(sorted(w.split(" left")[0] for w in got["warnings"]) == ["always-live memory: 2 rows", "runs: 2 rows"],
           res, "warnings")


@case()
def ipu_of_some_rows(ctx):
    """A column called ipu is one also where every step has a row without a number of it: that is left out."""
    rep = plain(ctx, 5, ipus=4, ipu="ipu", style="plain")
    db = sqlite3.connect(rep.profile)
    db.execute("UPDATE steps_by_ipu SET ipu = NULL WHERE (step_id + ipu) % 4 = 0")
    lost = db.execute("SELECT count(*) FROM steps_by_ipu WHERE ipu IS NULL").fetchone()[0]
    db.commit()
    want = dict(db.execute("SELECT ipu, sum(cycles) FROM steps_by_ipu WHERE ipu IS NOT NULL GROUP BY ipu"))
    db.close()
    res = ctx.run("summary", "-f", "json", rep.dir)
    got = json.loads(res.out)
    expect({k["ipu"]: k["step_cycles"] for k in got["execution"]["ipus"]} == want, res, "cycles")
    expect(any("steps by IPU: %d rows left out" % lost in w for w in got["warnings"]), res, "what is left out")


@case(params=["where", "union", "expression", "far-apart"])
def names_in_a_view(ctx, p):
    """Names of variables come from a view too, also where it is no table's rows as they stand."""
    path = ctx.path("profile.pop")
    db = sqlite3.connect(path)
    db.executescript("CREATE TABLE texts(k INTEGER, t TEXT); CREATE TABLE more(k, t);"
                     "CREATE TABLE vars_info(tile, size_bytes, category, name);")
    db.executemany("INSERT INTO texts VALUES (?, ?)", [((i * 7) % 50, "n%d" % ((i * 7) % 50)) for i in range(50)])
    db.executemany("INSERT INTO vars_info VALUES (0, 4, 1, ?)", [(i,) for i in range(60)])
    if p == "far-apart":
        db.execute("UPDATE texts SET rowid = rowid * 100000")
    db.execute("CREATE VIEW vars_string_table AS SELECT " + {
        "far-apart": "k AS id, t AS string FROM texts",
        "where": "k AS id, t AS string FROM texts WHERE k < 100",
        "union": "k AS id, t AS string FROM texts UNION ALL SELECT * FROM more",
        "expression": "k + 0 AS id, t || '' AS string FROM texts"}[p])
    db.commit()
    db.close()
    res = ctx.run("query", "-f", "csv", path, "SELECT name FROM lowered_variable")
    expect(res.out.decode().split("\r\n")[1:-1] == ["n%d" % i for i in range(50)] + [""] * 10, res, "names")


@case()
def upper_case_names(ctx):
    """SQLite's names have no case."""
    summarise(ctx, plain(ctx, 4, upper=True))


@case(params=sorted(reports.COLUMNS) + ["vars_string_table", "execution_cycle_totals"])
def missing_table(ctx, p):
    rep = plain(ctx, 8, missing_tables=[p])
    got, res = summarise(ctx, rep, status=(0,), maybe=True)
    schema_ok(ctx, rep)


@case(params=[(r, c) for r in sorted(reports.COLUMNS) for c in reports.COLUMNS[r]
              if c not in ("ipu",) and (r, c) != ("memory_by_tile", "tile")], sample=8, smoke=2)
def missing_column(ctx, p):
    rep = plain(ctx, 9, missing_columns=[p])
    summarise(ctx, rep, status=(0,), maybe=True)


@case(params=["parts", "only_memory", "only_steps", "only_programs", "only_vars"])
def few_tables(ctx, p):
    """Reports that recorded only a part."""
    keep = {"parts": ["memory_by_tile", "programs"], "only_memory": ["memory_by_tile"],
            "only_steps": ["steps", "steps_by_ipu"], "only_programs": ["programs"],
            "only_vars": ["vars_info", "var_categories"]}[p]
    away = [r for r in reports.COLUMNS if r not in keep]
    rep = plain(ctx, 10, missing_tables=away + ["vars_string_table", "execution_cycle_totals"])
    summarise(ctx, rep, status=(0,), maybe=True)


@case(params=["all"] + sorted(reports.COLUMNS))
def empty_table(ctx, p):
    rep = plain(ctx, 11)
    db = sqlite3.connect(rep.profile)
    for r in reports.COLUMNS if p == "all" else [p]:
        db.execute("DELETE FROM %s" % r)
    db.commit()
    db.close()
    summarise(ctx, rep, maybe=True)


@case(params=["UTF-8", "UTF-16le", "UTF-16be"], sample=1, smoke=1)
def hostile_names(ctx, p):
    rep = plain(ctx, 12, hostile_names=True, hostile_idents=True, categories=30, extra_tables=13,
                encoding=p, vars=800)
    summarise(ctx, rep)
    every_format(ctx, rep)
    schema_ok(ctx, rep)


@case()
def hostile_path(ctx):
    """A directory whose name has control characters, invalid UTF-8, quotes and URI characters."""
    for i, name in enumerate([b"tab\there", b"new\nline", b"\x1b[31m", b"bad\xff\xfe",
                              b"per%20cent",
                              b"q?mode=rw#x", b"quo\"te'", b"-dash", "bidi\u202e".encode(),
                              b"n" * 200, b"pi|pe", b"co,mma"]):
        where = os.path.join(os.fsencode(ctx.dir), name)
        rep = plain(ctx, 13, "src%d" % i)
        os.rename(os.fsencode(rep.dir), where)
        rep.profile = None
        before = snapshot(where)
        res = ctx.run("summary", "-f", "json", os.fsdecode(where))
        untouched(before, where, res)
        expect(res.rc == 0, res, "exit status")
        got = parse(res)
        expect(isinstance(got["path"], str), res, "path is not text")
        expect(got["memory"]["tiles"] == 2944, res, "figures")
        res = ctx.run("summary", os.fsdecode(where))
        text = res.out.decode("utf-8")
        expect(unsafe(text) is None, res, "text has %r" % unsafe(text))
        res = ctx.run("summary", "-f", "csv", os.fsdecode(where))
        rows = list(csv.reader(io.StringIO(res.out.decode("utf-8"), newline=""), strict=True))
        expect(len(rows) == 2 and len(rows[0]) == len(rows[1]), res, "csv")
        expect(os.fsdecode(where).isprintable() is False or os.fsdecode(where) in rows[1], res,
               "csv: no path")
        res = ctx.run("summary", "-f", "md", os.fsdecode(where))
        text = res.out.decode("utf-8")
        expect(unsafe(text) is None, res, "md has %r" % unsafe(text))
        expect(all(ln.startswith("|") for ln in text.splitlines() if ln), res, "md: table broken")
        res = ctx.run("summary", os.fsdecode(where) + "/nothing")
        one_line(res, rc=3)


@case(params=[(r, c, i) for (r, c) in reports.USED for i in (0, 1)], sample=8, smoke=2)
def bad_number(ctx, p):
    """Each bad value in each column that a figure uses."""
    rel, col, part = p
    values = reports.BAD_NUMBERS[part::2]
    if (rel, col) == ("vars_info", "category"):
        values = [v for v in values if not isinstance(v, (str, bytes))]
    rep = plain(ctx, 14)
    db = sqlite3.connect(rep.profile)
    rows = [r[0] for r in db.execute("SELECT rowid FROM %s" % rel)]
    rng = random.Random("%s%s" % (rel, col))
    for value in values:
        db.execute("UPDATE %s SET %s=? WHERE rowid=?" % (rel, col), [value, rng.choice(rows)])
    db.commit()
    db.close()
    summarise(ctx, rep)


@case(params=[(r, c) for (r, c) in reports.UNUSED])
def bad_number_unused(ctx, p):
    """A bad value where no figure looks costs nothing."""
    rel, col = p
    rep = plain(ctx, 15)
    db = sqlite3.connect(rep.profile)
    for i, value in enumerate(reports.BAD_NUMBERS):
        db.execute("UPDATE %s SET %s=? WHERE rowid=?" % (rel, col), [value, 3 * i + 2])
    db.commit()
    db.close()
    summarise(ctx, rep, maybe=True)


@case(params=sorted({r for r, c in reports.USED}), smoke=1)
def all_bad(ctx, p):
    """Every row of a relation is bad."""
    col = dict((r, c) for r, c in reversed(reports.USED))[p]
    rep = plain(ctx, 16)
    db = sqlite3.connect(rep.profile)
    db.execute("UPDATE %s SET %s=-1" % (p, col))
    db.commit()
    db.close()
    summarise(ctx, rep, maybe=True)


@case()
def integral_floats(ctx):
    """Floats that are whole numbers count, up to 2^53."""
    rep = plain(ctx, 17)
    db = sqlite3.connect(rep.profile)
    db.execute("CREATE TABLE m2 (tile REAL, total REAL)")
    db.execute("INSERT INTO m2 SELECT tile, total FROM memory_by_tile ORDER BY rowid")
    db.execute("UPDATE m2 SET total=9007199254740992.0 WHERE tile=5")
    db.execute("UPDATE m2 SET total=9007199254740994.0 WHERE tile=6")
    db.execute("UPDATE m2 SET total=17.25 WHERE tile=7")
    db.execute("DROP TABLE memory_by_tile")
    db.execute("ALTER TABLE m2 RENAME TO memory_by_tile")
    db.commit()
    db.close()
    rep.sql["memory_by_tile"] = "SELECT tile, total FROM memory_by_tile ORDER BY rowid"
    summarise(ctx, rep, warn=True)


@case(params=["tile_memory", "cycles", "start", "end", "vars"])
def overflow(ctx, p):
    """Sums that would leave 64 bits: the row that would do it is left out."""
    rep = plain(ctx, 18, ipus=2)
    big = 1 << 62
    db = sqlite3.connect(rep.profile)
    if p == "tile_memory":
        db.execute("UPDATE memory_by_tile SET total=? WHERE tile IN (3, 4, 900)", [big])
    elif p == "cycles":
        db.execute("UPDATE steps_by_ipu SET cycles=? WHERE rowid IN (1, 2, 3, 5, 9)", [big])
    elif p == "start":
        db.execute("UPDATE steps_by_ipu SET cycles_base=?, active_cycles_from_min=? "
                   "WHERE rowid=7", [big, big])
        db.execute("UPDATE steps_by_ipu SET cycles_base=?, active_cycles_from_min=? "
                   "WHERE rowid=8", [big, big - 1])
    elif p == "end":
        db.execute("UPDATE steps_by_ipu SET cycles_base=?, active_cycles_to_max=? "
                   "WHERE rowid=7", [big, big])
        db.execute("UPDATE steps_by_ipu SET cycles_base=?, active_cycles_to_max=? "
                   "WHERE rowid=8", [big, big - 1])
    else:
        db.execute("UPDATE vars_info SET size_bytes=? WHERE rowid < 60", [big])
    db.commit()
    db.close()
    summarise(ctx, rep)


@case(params=["tile_memory", "vars", "ipu", "step", "category", "program"])
def huge_ids(ctx, p):
    """Valid but absurd numbers where a reader may want to size an array by them."""
    rep = plain(ctx, 19, ipus=1, vars=50)
    db = sqlite3.connect(rep.profile)
    n = (1 << 40) + 3
    db.execute({"tile_memory": "UPDATE memory_by_tile SET tile=? WHERE rowid=5",
                "vars": "UPDATE vars_info SET tile=? WHERE rowid=5",
                "ipu": "UPDATE steps_by_ipu SET ipu=? WHERE rowid=5",
                "step": "UPDATE steps SET id=? WHERE rowid=(SELECT max(rowid) FROM steps)",
                "category": "UPDATE vars_info SET category=? WHERE rowid=5",
                "program": "UPDATE programs SET id=? WHERE rowid=5"}[p], [n])
    db.commit()
    db.close()
    if p in ("tile_memory", "vars", "category", "step", "program"):
        # whether such a tile is one is open; that nothing dies of it is not
        res = ctx.run("summary", "-f", "json", rep.dir)
        parse(res)
        expect(res.rc in (0, 4), res, "exit status")
    if p in ("category", "step", "program"):
        summarise(ctx, rep)
    if p == "ipu":
        res = ctx.run("summary", "-f", "json", rep.dir)
        parse(res)
        expect(res.rc in (0, 4), res, "exit status")


@case()
def reversed_intervals(ctx):
    """Steps that end before they start are kept as they are, and said."""
    got, res = summarise(ctx, plain(ctx, 20, reversed=True))
    expect(any("before" in w or "start" in w for w in got["warnings"]), res, "warning's words")
    rep = plain(ctx, 21, "all", ipus=1)
    db = sqlite3.connect(rep.profile)
    db.execute("UPDATE steps_by_ipu SET cycles_base=1000, active_cycles_from_min=rowid*10, "
               "active_cycles_to_max=0")
    db.commit()
    db.close()
    summarise(ctx, rep)


@case()
def orphans(ctx):
    """Rows that join nothing, categories without names."""
    got, res = summarise(ctx, plain(ctx, 22, orphans=True, vars=800))
    expect(any(k.startswith("category ") for k in got["memory"]["categories"]), res, "category N")


@case()
def types_all(ctx):
    """Every type of step, and some that nobody knows, one by one."""
    rep = plain(ctx, 23, ipus=1, steps=60)
    types = reports.KNOWN_TYPES + reports.ODD_TYPES + ["Unknown%d" % i for i in range(3)]
    db = sqlite3.connect(rep.profile)
    for i, t in enumerate(types):
        db.execute("UPDATE steps SET type=? WHERE rowid=?", [t, i + 1])
        db.execute("UPDATE steps_by_ipu SET cycles=? WHERE rowid=?", [1 << i, i + 1])
    db.execute("UPDATE steps SET type=x'446f45786368616e6765' WHERE rowid=58")   # a blob
    db.commit()
    db.close()
    summarise(ctx, rep, maybe=True)


@case()
def sync_kinds(ctx):
    """Internal, External or neither."""
    rep = plain(ctx, 24, ipus=1, steps=60, programs=20, compute_sets=20)
    db = sqlite3.connect(rep.profile)
    kinds = ["External", "Internal", "eXTERNAL", " External", "External ", "", None, "External\x00x", b"External", 7]
    for i, kind in enumerate(kinds, 1):
        db.execute("UPDATE steps SET type='Sync', sync_type=? WHERE rowid=?", [kind, i])
        db.execute("UPDATE steps_by_ipu SET cycles=? WHERE rowid=?", [1 << i, i])
    db.commit()
    db.close()
    summarise(ctx, rep, maybe=True)


@case()
def categories_of_one_name(ctx):
    """Two ids, one name: one category (a key may not stand twice in JSON)."""
    rep = plain(ctx, 25, categories=8, vars=800)
    db = sqlite3.connect(rep.profile)
    db.execute("UPDATE var_categories SET name=(SELECT name FROM var_categories "
               "ORDER BY rowid LIMIT 1) WHERE rowid IN (3, 5)")
    db.commit()
    db.close()
    summarise(ctx, rep)


@case()
def categories_of_long_names(ctx):
    """Names that differ only far behind: whatever is cut, no key stands twice, nothing is lost."""
    rep = plain(ctx, 25, categories=8, vars=800)
    db = sqlite3.connect(rep.profile)
    db.execute("UPDATE var_categories SET name=printf('%.*c', 5000, 'x') || id")
    db.commit()
    total = db.execute("SELECT sum(size_bytes) FROM vars_info").fetchone()[0]
    db.close()
    res = ctx.run("summary", "-f", "json", rep.dir)
    cats = parse(res)["memory"]["categories"]
    expect(sum(c["bytes"] for c in cats.values()) == total, res, "bytes were lost")


@case(params=[(True, "UTF-8"), (False, "UTF-8"), (True, "UTF-16le")])
def category_text(ctx, p):
    """Category as text, with the table of names or without it."""
    with_table, enc = p
    rep = plain(ctx, 26, category_text=True, encoding=enc, vars=800, hostile_names=True,
                missing_tables=[] if with_table else ["var_categories"])
    summarise(ctx, rep, maybe=not with_table)


@case()
def sparse_ids(ctx):
    """Ids of dictionaries that are neither dense nor in order."""
    rep = plain(ctx, 27, dense_ids=False, shuffle=True, step_gaps=True)
    db = sqlite3.connect(rep.profile)
    f = 1 << 41
    db.execute("UPDATE programs SET id=id+?", [f])
    db.execute("UPDATE steps SET program=program+?", [f])
    db.execute("UPDATE var_categories SET id=id*1000003+?", [f])
    db.execute("UPDATE vars_info SET category=category*1000003+?", [f])
    db.commit()
    db.close()
    summarise(ctx, rep)


@case(params=[512, 1024, 2048, 8192, 32768, 65536])
def page_sizes(ctx, p):
    summarise(ctx, plain(ctx, 28, page_size=p))


@case()
def broken_views(ctx):
    """A view over a table that is gone, over itself, over a pragma, one that fails at run time."""
    for i, sql in enumerate([
            "CREATE VIEW programs AS SELECT id, name FROM nowhere",
            "CREATE VIEW programs AS SELECT id, name FROM programs",
            "CREATE VIEW programs AS SELECT cid AS id, name FROM pragma_table_info('steps')",
            "CREATE VIEW programs AS SELECT no_such_function(1) AS id, 'x' AS name",
            "CREATE VIEW programs AS SELECT load_extension('x') AS id, 'x' AS name"]):
        rep = plain(ctx, 29, "v%d" % i, missing_tables=["programs"])
        db = sqlite3.connect(rep.profile)
        db.execute(sql)
        db.commit()
        db.close()
        summarise(ctx, rep, status=(0, 4), maybe=True)
        schema_ok(ctx, rep, bindings=False)
    rep = plain(ctx, 30, "late", missing_tables=["programs"])
    db = sqlite3.connect(rep.profile)
    db.execute("CREATE VIEW programs AS SELECT abs(-9223372036854775807 - column1) AS id, 'x' AS "
               "name FROM (VALUES (0), (1), (2))")
    db.commit()
    db.close()
    res = ctx.run("summary", "-f", "json", rep.dir)
    parse(res)
    expect(res.rc == 4, res, "a relation failed half way: exit status %d, expected 4" % res.rc)


@case(depth=FULL)
def endless_view(ctx):
    """A view without end must not hang a verb for ever (nor eat the memory)."""
    rep = plain(ctx, 31, missing_tables=["var_categories"])
    db = sqlite3.connect(rep.profile)
    db.execute("CREATE VIEW var_categories AS WITH RECURSIVE n(id) AS (SELECT 0 UNION ALL SELECT "
               "id+1 FROM n) SELECT id, 'n' || id AS name FROM n LIMIT 3000000")
    db.commit()
    db.close()
    res = ctx.run("summary", "-f", "json", rep.dir)
    parse(res)
    expect(res.rc in (0, 4), res, "exit status")


def ticks(pid):
    """What a process has used of the CPU, in ticks."""
    with open("/proc/%d/stat" % pid) as f:
        words = f.read().rsplit(")", 1)[1].split()
    return int(words[11]) + int(words[12])


@case()
def interrupted(ctx):
    """A read without end, and Ctrl-C: exit 130, soon and quietly."""
    rep = plain(ctx, 39, missing_tables=["memory_by_tile"])
    db = sqlite3.connect(rep.profile)
    db.execute("CREATE VIEW memory_by_tile AS WITH RECURSIVE n(x) AS (SELECT 0 UNION ALL SELECT "
               "x+1 FROM n) SELECT 1 AS total FROM n")
    db.commit()
    db.close()
    before = snapshot(rep.dir)
    proc = subprocess.Popen([ctx.program, "summary", "-f", "json", rep.dir], env=ctx.env(),
                            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                            stderr=subprocess.PIPE)
    while proc.poll() is None and ticks(proc.pid) < 10:
        time.sleep(0.02)
    alive = proc.poll() is None
    proc.send_signal(signal.SIGINT)
    try:
        out, err = proc.communicate(timeout=TIMEOUT)
    except subprocess.TimeoutExpired:
        proc.kill()
        proc.communicate()
        expect(False, None, "not ended %d s after SIGINT" % TIMEOUT)
    res = Result(["summary", "(interrupted)"], proc.returncode, out, err)
    untouched(before, rep.dir, res)
    if alive:
        expect(res.rc in (130, -signal.SIGINT), res, "exit status")
        expect(out == b"" and len(err.splitlines()) <= 1, res, "not quiet")
    else:
        expect(res.rc == 4, res, "a view without end passed for whole")


def alter(rep, *sqls, writable=False):
    """Change a report by SQL."""
    db = sqlite3.connect(rep.profile, isolation_level=None)
    if writable:
        db.execute("PRAGMA writable_schema=ON")
    for sql in sqls:
        db.execute(sql)
    db.close()


@case(params=["virtual", "malformed", "nested", "wide", "trigger", "report-table", "many-tables",
              "case", "check", "strict", "autoincrement", "partial-index", "expr-index",
              "without-rowid-text-key", "default-expr"], sample=8, smoke=2)
def odd_schema(ctx, p):
    """Schemas that a reader of SQLite may stumble over."""
    rep = plain(ctx, 45)
    if p == "virtual":
        alter(rep, "DROP TABLE programs", "INSERT INTO sqlite_master VALUES ('table', 'programs', "
              "'programs', 0, 'CREATE VIRTUAL TABLE programs USING nosuchmodule(id, name)')",
              writable=True)
        rep.sql["programs"] = None
        summarise(ctx, rep, status=(0, 4), maybe=True)
        schema_ok(ctx, rep, bindings=False)
        return
    if p == "malformed":
        alter(rep, "UPDATE sqlite_master SET sql='CREATE TABLE programs (id name' "
              "WHERE name='programs'", writable=True)
        res = ctx.run("summary", rep.dir)
        expect(res.rc in (3, 4), res, "exit status")
        if res.rc == 3:
            one_line(res)
        return
    if p == "nested":
        alter(rep, "ALTER TABLE programs RENAME TO v0",
              *["CREATE VIEW v%d AS SELECT * FROM v%d" % (i + 1, i) for i in range(60)],
              "CREATE VIEW programs AS SELECT * FROM v60")
        rep.sql["programs"] = "SELECT id, name FROM v0 ORDER BY rowid"
    if p == "wide":
        alter(rep, "CREATE TABLE w (%s, id, name)" % ",".join("c%d" % i for i in range(500)),
              "INSERT INTO w (id, name) SELECT id, name FROM programs ORDER BY rowid",
              "DROP TABLE programs", "ALTER TABLE w RENAME TO programs")
        rep.sql["programs"] = "SELECT id, name FROM programs ORDER BY rowid"
    if p == "trigger":
        alter(rep, "CREATE TRIGGER t AFTER INSERT ON programs BEGIN SELECT load_extension('x'); "
              "END", "ALTER TABLE compute_sets RENAME TO c0",
              "CREATE VIEW compute_sets AS SELECT * FROM c0",
              "CREATE TRIGGER u INSTEAD OF UPDATE ON compute_sets BEGIN SELECT 1; END")
        rep.sql["compute_sets"] = "SELECT compute_set, name FROM c0 ORDER BY rowid"
    if p == "report-table":
        alter(rep, "CREATE TABLE report (key, value)",
              "INSERT INTO report VALUES ('version', '1'), (NULL, NULL), (x'00ff', 1e300)")
    if p == "many-tables":
        alter(rep, "BEGIN", *["CREATE TABLE t%d (a, b)" % i for i in range(800)], "COMMIT")
    if p == "case":
        alter(rep, "ALTER TABLE programs RENAME TO x", "ALTER TABLE x RENAME TO Programs")
    if p == "check":
        alter(rep, "CREATE TABLE c (id INTEGER CHECK (id > 100000), name NOT NULL COLLATE NOCASE)",
              "PRAGMA ignore_check_constraints=ON",
              "INSERT INTO c SELECT id, coalesce(name, '') FROM programs ORDER BY rowid",
              "DROP TABLE programs", "ALTER TABLE c RENAME TO programs")
    if p == "strict":
        alter(rep, "CREATE TABLE c (id INT, name ANY) STRICT",
              "INSERT INTO c SELECT id, name FROM programs ORDER BY rowid",
              "DROP TABLE programs", "ALTER TABLE c RENAME TO programs")
    if p == "autoincrement":
        alter(rep, "CREATE TABLE c (id INTEGER PRIMARY KEY AUTOINCREMENT, name)",
              "INSERT INTO c SELECT id, name FROM programs ORDER BY rowid",
              "DROP TABLE programs", "ALTER TABLE c RENAME TO programs")
    if p == "partial-index":
        # an index that does not hold every row must not be read for all
        alter(rep, "CREATE INDEX i1 ON memory_by_tile (total) WHERE tile > 1000",
              "CREATE INDEX i2 ON steps (id) WHERE type='Sync'",
              "CREATE INDEX i3 ON programs (id DESC, name)",
              "CREATE INDEX i4 ON steps_by_ipu (step_id DESC)")
    if p == "expr-index":
        alter(rep, "CREATE INDEX i1 ON steps (abs(id))",
              "CREATE UNIQUE INDEX i2 ON steps_by_ipu (ipu, step_id)")
    if p == "without-rowid-text-key":
        alter(rep, "CREATE TABLE c (id INTEGER, name TEXT, PRIMARY KEY (name, id)) WITHOUT ROWID",
              "INSERT INTO c SELECT id, coalesce(name, 'none') FROM programs",
              "DROP TABLE programs", "ALTER TABLE c RENAME TO programs")
        rep.sql["programs"] = "SELECT id, name FROM programs"
    if p == "default-expr":
        # a column added later: rows written before do not hold it
        alter(rep, "CREATE TABLE c (id)", "INSERT INTO c SELECT id FROM programs ORDER BY rowid",
              "DROP TABLE programs", "ALTER TABLE c RENAME TO programs",
              "ALTER TABLE programs ADD COLUMN name TEXT DEFAULT 'External'")
        rep.sql["programs"] = "SELECT id, name FROM programs ORDER BY rowid"
    summarise(ctx, rep)
    schema_ok(ctx, rep)


@case()
def subset_of_ipus(ctx):
    """Steps that run on some IPUs only: a column by the name of ipu is believed."""
    rep = plain(ctx, 46, ipus=3, steps=200)
    alter(rep, "DELETE FROM steps_by_ipu WHERE step_id % 3 <> ipu AND step_id % 5 <> 0")
    summarise(ctx, rep)


@case()
def names_with_nul(ctx):
    """A NUL inside a name; two names that differ behind it only."""
    rep = plain(ctx, 47, vars=800)
    ids = [r[0] for r in sqlite3.connect(rep.profile).execute("SELECT id FROM var_categories")]
    alter(rep, "UPDATE var_categories SET name=CAST(x'610062' AS TEXT) WHERE id=%d" % ids[0],
          "UPDATE var_categories SET name=CAST(x'610063' AS TEXT) WHERE id=%d" % ids[1],
          "UPDATE var_categories SET name=CAST(x'00' AS TEXT) WHERE id=%d" % ids[2])
    res = ctx.run("summary", "-f", "json", rep.dir)
    expect(res.rc == 0, res, "exit status")
    got = sum(c["bytes"] for c in parse(res)["memory"]["categories"].values())
    db = sqlite3.connect(rep.profile)
    want = db.execute("SELECT sum(size_bytes) FROM vars_info").fetchone()[0]
    db.close()
    expect(got == want, res, "bytes were lost")
    every_format(ctx, rep)


@case(params=["random", "by-ipu-backwards", "twice", "one-step"])
def order_of_step_rows(ctx, p):
    """Rows of steps_by_ipu in no order at all, backwards, or twice."""
    rep = plain(ctx, 44, ipus=3, steps=1 if p == "one-step" else 200)
    order = {"random": "random()", "by-ipu-backwards": "ipu DESC, step_id DESC",
             "twice": "step_id, ipu", "one-step": "ipu DESC"}[p]
    alter(rep, "CREATE TABLE z AS SELECT * FROM steps_by_ipu ORDER BY %s" % order,
          "DROP TABLE steps_by_ipu", "ALTER TABLE z RENAME TO steps_by_ipu")
    if p == "twice":
        alter(rep, "INSERT INTO steps_by_ipu SELECT * FROM steps_by_ipu WHERE step_id % 7 = 3")
    rep.sql["steps_by_ipu"] = "SELECT * FROM steps_by_ipu ORDER BY rowid"
    summarise(ctx, rep)


@case(params=["gap", "reverse", "from-one", "far"])
def tile_numbers(ctx, p):
    """Tile numbers with a gap, backwards, from 1, or far apart."""
    rep = plain(ctx, 43, ipus=1, tiles=101, vars=0)
    alter(rep, {"gap": "DELETE FROM memory_by_tile WHERE tile=50",
                "reverse": "UPDATE memory_by_tile SET tile=100 - tile",
                "from-one": "UPDATE memory_by_tile SET tile=tile + 1",
                "far": "UPDATE memory_by_tile SET tile=tile * 1000"}[p])
    summarise(ctx, rep)
