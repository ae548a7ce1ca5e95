#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""
run - the command line against an independent oracle.

    run.py [--tilescope PATH] [-k PATTERN] [--seeds N] [-j N] [--keep] [--list]

Makes reports in a temporary directory (reports.py), runs the real program on them with a time
limit, and compares what it says with what oracle.py computed.  Every run is also held to the
manners of the program: no signal, no sanitizer's report, standard error safe for a terminal,
nothing written beside the report.  The program is --tilescope, else $TILESCOPE, else ./tilescope.

A case is a function here marked @case; `defect=` marks one that fails for a known reason, which is
printed beside it (it still counts as failed).  Closes with `N passed, N failed`; exit 1 on failure.
"""

import argparse
import concurrent.futures
import csv
import fnmatch
import hashlib
import io
import json
import os
import random
import re
import shutil
import signal
import sqlite3
import stat
import subprocess
import sys
import tempfile
import time
import traceback

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import oracle  # noqa: E402
import reports  # noqa: E402

TIMEOUT = 20
CASES = []
PASS_ENV = ("TILESCOPE_", "ASAN_", "UBSAN_", "TSAN_", "LSAN_", "LLVM_", "GCOV", "LD_LIBRARY_PATH")


class Failed(Exception):
    pass


def case(defect=None, params=None, slow=False):
    """Mark a test function; `params`: one case for each, given as second argument."""
    def mark(fn):
        name = fn.__name__.replace("_", "-")
        if params is None:
            CASES.append((name, fn.__name__, None, defect))
        else:
            for p in params:
                label = p if isinstance(p, str) else "-".join(map(str, p)) \
                    if isinstance(p, tuple) else str(p)
                CASES.append(("%s/%s" % (name, label), fn.__name__, p, defect))
        return fn
    return mark


class Result:
    def __init__(self, args, rc, out, err):
        self.args, self.rc, self.out, self.err = args, rc, out, err

    def show(self):
        return "$ tilescope %s\nexit %s\nstdout: %.1500r\nstderr: %.1500r" % (
            " ".join("%.200r" % a for a in self.args), self.rc, self.out, self.err)


class Ctx:
    """One case: its directory, and the program."""

    def __init__(self, program, where):
        self.program = program
        self.dir = where
        self.home = os.path.join(where, "home")
        os.makedirs(self.home)
        self.last = None

    def path(self, *names):
        return os.path.join(self.dir, *names)

    def env(self, **more):
        env = {k: v for k, v in os.environ.items() if k.startswith(PASS_ENV)}
        env.update({"PATH": os.environ.get("PATH", "/usr/bin:/bin"), "HOME": self.home,
                    "XDG_CACHE_HOME": os.path.join(self.home, "cache"),
                    "XDG_CONFIG_HOME": os.path.join(self.home, "config"),
                    "LC_ALL": "C.UTF-8", "TZ": "UTC", "TERM": "dumb"})
        env.update(more)
        return env

    def run(self, *args, timeout=TIMEOUT, env=None, stdin=subprocess.DEVNULL, cwd=None,
            stdout=subprocess.PIPE):
        args = [os.fspath(a) for a in args]
        proc = subprocess.Popen([self.program] + args, stdin=stdin, stdout=stdout,
                                stderr=subprocess.PIPE, env=self.env(**(env or {})),
                                cwd=cwd or self.dir, start_new_session=True)
        try:
            out, err = proc.communicate(timeout=timeout)
        except subprocess.TimeoutExpired:
            proc.kill()
            proc.communicate()
            raise Failed("no answer within %d s: tilescope %s" % (timeout, " ".join(args)))
        res = Result(args, proc.returncode, out, err)
        self.last = res
        manners(res)
        return res


def fail(res, why):
    raise Failed("%s\n%s" % (why, res.show() if res is not None else ""))


def expect(cond, res, why):
    if not cond:
        fail(res, why)


def unsafe(text, keep="\n"):
    """The first character that must not reach a terminal, or None."""
    for c in text:
        o = ord(c)
        if c in keep:
            continue
        if o < 32 or 127 <= o < 160 or o in (0x2028, 0x2029, 0xfeff) or 0x202a <= o <= 0x202e or \
                0x2066 <= o <= 0x2069 or o in (0x200e, 0x200f, 0x61c):
            return c
    return None


def manners(res):
    """What holds for every run, whatever it was asked."""
    if res.rc is not None and res.rc < 0:
        fail(res, "died of signal %s" % signal.Signals(-res.rc).name)
    for mark in (b"Sanitizer", b"runtime error:", b"Assertion"):
        expect(mark not in res.err, res, "%s on standard error" % mark.decode())
    expect(res.rc in (0, 1, 2, 3, 4, 5, 130), res, "exit status %s is none of ours" % res.rc)
    try:
        err = res.err.decode("utf-8")
    except UnicodeDecodeError:
        fail(res, "standard error is not UTF-8")
    bad = unsafe(err)
    expect(bad is None, res, "standard error has %r" % bad)
    expect(not err or err.endswith("\n"), res, "standard error does not end in a newline")


def one_line(res, *words, rc=None):
    """Standard error is one line of the known form, standard output empty."""
    lines = res.err.decode("utf-8").splitlines()
    if rc is not None:
        rcs = rc if isinstance(rc, tuple) else (rc,)
        expect(res.rc in rcs, res, "exit status %s, expected %s" % (res.rc, rc))
    expect(len(lines) == 1, res, "standard error has %d lines, expected one" % len(lines))
    expect(re.match(r"tilescope: .+: .+", lines[0]), res, "not `tilescope: PATH: ...`")
    expect(not lines[0].endswith("."), res, "the message ends in a period")
    expect(len(lines[0]) < 2000, res, "the message is endless")
    for w in words:
        expect(w.lower() in lines[0].lower(), res, "the message does not say %r" % w)


def snapshot(path):
    """Names, sizes, times and kinds below a path."""
    out = {}
    for root, dirs, files in os.walk(path):
        for n in dirs + files + ["."]:
            p = os.path.join(root, n)
            s = os.lstat(p)
            out[p] = (s.st_mode, s.st_size, s.st_mtime_ns, s.st_ino, s.st_ctime_ns)
    return out


def untouched(before, path, res):
    after = snapshot(path)
    if after != before:
        what = [k for k in set(before) | set(after) if before.get(k) != after.get(k)]
        fail(res, "the report's directory changed: %s" % what[:5])


def parse(res):
    try:
        return oracle.parse(res.out)
    except ValueError as e:
        fail(res, "standard output is not the JSON it should be: %s" % e)


def compare(res, exp, got, status=None):
    """An object against the oracle's, its warnings and the exit status."""
    want = dict(exp.object)
    got = dict(got)
    warnings = got.pop("warnings", None)
    diff = oracle.differences(want, got)
    if diff:
        fail(res, "differs from the oracle:\n  " + "\n  ".join(diff[:25]))
    expect(isinstance(warnings, list) and all(isinstance(w, str) for w in warnings), res,
           "warnings is not a list of text")
    due = exp.left_out or exp.reversed
    if due:
        expect(warnings, res, "no warning (left out %d, reversed %d)" % (exp.left_out,
                                                                         exp.reversed))
    elif not exp.maybe:
        expect(not warnings, res, "warnings without a reason: %s" % warnings)
    if status is None:
        status = (0, 4) if due or exp.maybe else (0,)
    expect(res.rc in status, res, "exit status %s, expected %s" % (res.rc, status))
    return warnings


def summarise(ctx, rep, *args, path=None, parts=None, status=None, maybe=False, warn=False,
              env=None):
    """Run `summary -f json` on a report and hold it to the oracle."""
    exp = oracle.summary(rep, path=path, parts=parts)
    exp.maybe = exp.maybe or maybe
    if warn:
        exp.left_out += 1
    before = snapshot(rep.dir)
    res = ctx.run("summary", "-f", "json", *args, path or rep.dir, env=env)
    untouched(before, rep.dir, res)
    got = parse(res)
    expect(isinstance(got, dict), res, "one path: expected one object")
    compare(res, exp, got, status)
    return got, res


def plain(ctx, seed=1, name="report", **options):
    """A report with nothing odd in it."""
    fixed = dict(ipus=2, replicas=1, per_ipu=1472, steps=60, vars=200, programs=20, compute_sets=20,
                 categories=8, fits=True, hostile_names=False, hostile_idents=False,
                 hostile_numbers=0, orphans=False, reversed=False, style="plain", ipu="ipu",
                 tile="tile", category_text=False, page_size=4096, encoding="UTF-8",
                 extra_tables=0, shuffle=False, analyze=False, vacuum=None)
    fixed.update(options)
    return reports.build(ctx.path(name), seed, **fixed)


# ---- the figures, over seeds --------------------------------------------------------------------

def seed_case(ctx, seed):
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
        CREATE TABLE steps (id, type, program, compute_set);
        INSERT INTO steps VALUES (0, 'OnTileExecute', 10, 0), (1, 'Sync', 11, NULL),
            (2, 'Sync', 12, NULL), (3, 'StreamCopyBegin', NULL, NULL), (4, 'Warp', NULL, NULL),
            (6, 'Call', NULL, NULL);
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
    want = {
        "target": dict(type=None, architecture=None, ipus=1, replicas=1, tiles_per_ipu=4,
                       bytes_per_tile=None, clock_hz=None, assumed=True),
        "memory": dict(tiles=4, total_bytes=2000, total_gaps_bytes=None, worst_tile=1,
                       worst_tile_bytes=700, limit_bytes=None, tiles_over=None, fits=None,
                       mean_tile_bytes=500.0, gaps=None, always_live_bytes=None,
                       peak_not_always_live_bytes=None, peak_step=None, categories={
                           "variable": dict(bytes=20, worst_tile=1, worst_tile_bytes=8),
                           "category 3": dict(bytes=1, worst_tile=0, worst_tile_bytes=1)}),
        "graph": dict(compute_sets=1, programs=3, variables=None, edges=None, vertices=None),
        "execution": dict(runs=None, steps=6, measured=None, ipus=[
            dict(ipu=0, cycles=2119 - 1005, step_cycles=1119, classes=classes)])}
    diff = oracle.differences(want, {k: got[k] for k in want})
    expect(not diff, res, "\n".join(diff))
    expect(len(got["warnings"]) >= 1, res, "four rows were left out")


@case(params=[(1, 0), (1, 1), (1, 1472), (2, 1472), (1, 1216), (3, 100), (4, 1472), (1, 2944),
              (3, 2944), (1, 100000), (4, 3), (2, 7), (0, 2944), (0, 2432), (0, 100)])
def tiles(ctx, shape):
    """IPUs and tiles in all: 0 tiles, 1 tile, several IPUs, replicas, 100,000 tiles."""
    ipus, count = shape
    rep = plain(ctx, ipus=max(1, ipus), tiles=count, style="plain", fits=count % 3 == 0,
                missing_tables=[] if ipus else ["steps_by_ipu"])
    summarise(ctx, rep)


@case(params=[(s, t) for s in ("plain", "pk", "gaps", "norowid", "indexed", "view", "view_rename",
                               "view_filter", "view_compute", "view_union", "view_join",
                               "view_view", "generated") for t in ("named", "absent")])
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
              if c not in ("ipu",) and (r, c) != ("memory_by_tile", "tile")])
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


@case(params=["UTF-8", "UTF-16le", "UTF-16be"])
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
                              b"n" * 200]):
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
        res = ctx.run("summary", os.fsdecode(where) + "/nothing")
        one_line(res, rc=3)


@case(params=[(r, c, i) for (r, c) in reports.USED for i in (0, 1)])
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


@case(params=sorted({r for r, c in reports.USED}))
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


@case(params=["tables", "no_programs", "no_sets"])
def sync_kinds(ctx, p):
    """Internal, External or neither; the compute set's name before the program's."""
    away = {"tables": [], "no_programs": ["programs"], "no_sets": ["compute_sets"]}[p]
    rep = plain(ctx, 24, ipus=1, steps=60, programs=20, compute_sets=20)
    db = sqlite3.connect(rep.profile)
    names = ["External", "Internal", "eXTERNAL", " External", "External ", "", None,
             "External\x00x"]
    pids = [r[0] for r in db.execute("SELECT id FROM programs ORDER BY rowid")]
    sids = [r[0] for r in db.execute("SELECT compute_set FROM compute_sets ORDER BY rowid")]
    for ids, table, key in ((pids, "programs", "id"), (sids, "compute_sets", "compute_set")):
        for i, n in zip(ids, names):
            db.execute("UPDATE %s SET name=? WHERE %s=?" % (table, key), [n, i])
    i = 0
    for a in [None] + pids[:6]:
        for b in [None] + sids[:5] + [10 ** 9]:
            i += 1
            db.execute("UPDATE steps SET type='Sync', program=?, compute_set=? WHERE rowid=?",
                       [a, b, i])
            db.execute("UPDATE steps_by_ipu SET cycles=? WHERE rowid=?", [1 << i, i])
    for t in away:
        db.execute("DROP TABLE %s" % t)
        rep.sql[t] = None
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
        schema_ok(ctx, rep)
    rep = plain(ctx, 30, "late", missing_tables=["programs"])
    db = sqlite3.connect(rep.profile)
    db.execute("CREATE VIEW programs AS SELECT abs(-9223372036854775807 - column1) AS id, 'x' AS "
               "name FROM (VALUES (0), (1), (2))")
    db.commit()
    db.close()
    res = ctx.run("summary", "-f", "json", rep.dir)
    parse(res)
    expect(res.rc == 4, res, "a relation failed half way: exit status %d, expected 4" % res.rc)


@case()
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


# ---- other formats, schema ----------------------------------------------------------------------

def figures(obj):
    """Figures that every format has to carry."""
    m = obj["memory"]
    return {k: m[k] for k in ("tiles", "total_bytes", "worst_tile", "worst_tile_bytes")}


def digits(text):
    """Numbers in a text, grouping marks taken out."""
    flat = re.sub(r"(?<=\d)[,_'\u202f\u00a0](?=\d{3})", "", text)
    return set(re.findall(r"\d+", flat))


def every_format(ctx, rep):
    """text, csv and md beside json: they parse, are safe, and say the same."""
    before = snapshot(rep.dir)
    got = parse(ctx.run("summary", "-f", "json", rep.dir))
    want = figures(got)
    for form in ("text", "md", "csv"):
        res = ctx.run("summary", "-f", form, rep.dir)
        untouched(before, rep.dir, res)
        expect(res.rc in (0, 4), res, "exit status")
        try:
            text = res.out.decode("utf-8")
        except UnicodeDecodeError:
            fail(res, "%s is not UTF-8" % form)
        if form != "csv":
            bad = unsafe(text)
            expect(bad is None, res, "%s has %r" % (form, bad))
        expect(text.endswith("\n"), res, "%s does not end in a newline" % form)
        if form == "csv":
            rows = list(csv.reader(io.StringIO(text, newline=""), strict=True))
            expect(len(rows) == 2, res, "csv: %d lines, expected a header and a row" % len(rows))
            expect(len(rows[0]) == len(rows[1]), res, "csv: row and header differ in length")
            expect(len(set(rows[0])) == len(rows[0]), res, "csv: a column's name stands twice")
            row = dict(zip((re.split(r"[./]", h)[-1] for h in rows[0]), rows[1]))
            for k, v in want.items():
                at = [i for i, h in enumerate(rows[0])
                      if h in (k, "memory." + k, "memory_" + k, "memory/" + k)]
                expect(at, res, "csv: no column %s in %s" % (k, rows[0]))
                expect(rows[1][at[0]] == ("" if v is None else str(v)), res,
                       "csv: %s is %r, JSON says %r" % (k, rows[1][at[0]], v))
            del row
        elif form == "md":
            expect("|" in text, res, "md: no table")
        if form != "csv" and want["worst_tile"] is not None:
            expect(str(want["worst_tile"]) in digits(text), res,
                   "%s: the worst tile %d is not there" % (form, want["worst_tile"]))


def schema_ok(ctx, rep):
    """`schema` in text and JSON names every table and what bound."""
    before = snapshot(rep.dir)
    db = sqlite3.connect("file:%s?immutable=1" % rep.profile, uri=True)
    tables = [r[0] for r in db.execute("SELECT name FROM sqlite_master WHERE type IN "
                                       "('table','view') AND name NOT LIKE 'sqlite_%'")]
    db.close()
    res = ctx.run("schema", "-f", "json", rep.dir)
    untouched(before, rep.dir, res)
    expect(res.rc in (0, 4), res, "exit status")
    got = parse(res)
    flat = set()

    def walk(v):
        if isinstance(v, dict):
            for k, x in v.items():
                flat.add(k)
                walk(x)
        elif isinstance(v, list):
            for x in v:
                walk(x)
        elif isinstance(v, str):
            flat.add(v)
    walk(got)
    for t in tables:
        expect(t in flat, res, "schema json does not name the table %.60r" % t)
    text = ctx.run("schema", rep.dir)
    expect(text.rc == res.rc, text, "exit status differs between formats")
    out = text.out.decode("utf-8")
    expect(unsafe(out, "\n") is None, text, "schema text has %r" % unsafe(out))
    for t in tables:
        if t.isidentifier() and len(t) < 30:
            expect(t in out, text, "schema text does not name the table %s" % t)
    for rel in ("tile_memory", "step", "step_ipu", "program", "compute_set", "lowered_variable",
                "memory_category"):
        expect(rel in out and rel in flat, text, "schema does not name the relation %s" % rel)
    return got, out


@case()
def formats(ctx):
    every_format(ctx, plain(ctx, 32))


@case()
def formats_empty(ctx):
    """Nothing recorded but programs: every format stands it."""
    every_format(ctx, plain(ctx, 33, missing_tables=["memory_by_tile", "steps", "steps_by_ipu",
                                                     "vars_info"]))


@case()
def text_verdict(ctx):
    """The text says whether the report fits."""
    a = ctx.run("summary", plain(ctx, 34, "fits", fits=True).dir)
    b = ctx.run("summary", plain(ctx, 34, "over", fits=False).dir)
    expect(a.rc == 0 and b.rc == 0, b, "exit status")
    expect(re.search(rb"fits", a.out, re.I), a, "no verdict")
    expect(re.search(rb"does not fit|over|out of memory", b.out, re.I), b, "no verdict")


@case()
def csv_several(ctx):
    """One row per report."""
    reps = [plain(ctx, s, "r%d" % s) for s in (1, 2, 3)]
    res = ctx.run("summary", "-f", "csv", *[r.dir for r in reps])
    expect(res.rc == 0, res, "exit status")
    rows = list(csv.reader(io.StringIO(res.out.decode()), strict=True))
    expect(len(rows) == 4 and len({len(r) for r in rows}) == 1, res, "rows")
    for r, row in zip(reps, rows[1:]):
        expect(any(r.dir in c for c in row), res, "no path in the row")


@case()
def schema_says_why(ctx):
    """What did not bind is named, with the table or column that is missing."""
    rep = plain(ctx, 35, missing_tables=["var_categories"],
                missing_columns=[("steps_by_ipu", "cycles_base"), ("memory_by_tile", "total")])
    got, out = schema_ok(ctx, rep)
    for word in ("var_categories", "cycles_base", "total"):
        expect(word in out, ctx.last, "schema does not say that %s is missing" % word)


@case()
def schema_names_the_ipu_column(ctx):
    rep = plain(ctx, 36, ipus=2, ipu="renamed")
    db = sqlite3.connect(rep.profile)
    cols = [r[1] for r in db.execute("PRAGMA table_info(steps_by_ipu)")]
    db.close()
    name = [c for c in cols if c in ("chip", "q_dev", "which")][0]
    got, out = schema_ok(ctx, rep)
    expect(name in out, ctx.last, "schema does not say where the IPU comes from")


# ---- paths, damage ------------------------------------------------------------------------------

@case()
def paths_of_one_report(ctx):
    """The directory, the profile, any file of the report, a link to it, a relative path."""
    rep = plain(ctx, 40)
    with open(os.path.join(rep.dir, "framework.json"), "w") as f:
        f.write('{"TensorFlow": {"Version": "2.6"}}\n')
    parts = {"framework": "ok"}
    summarise(ctx, rep, parts=parts)
    summarise(ctx, rep, parts=parts, path=rep.dir + "/")
    os.symlink(rep.dir, ctx.path("link"))
    for p in (rep.profile, os.path.join(rep.dir, "framework.json"), ctx.path("link"), "report",
              "./report/../report", "report/profile.pop"):
        exp = oracle.summary(rep, path=p, parts=parts)
        res = ctx.run("summary", "-f", "json", p)
        got = parse(res)
        exp.object["path"] = got.get("path")
        expect(isinstance(got.get("path"), str) and got["path"], res, "path")
        compare(res, exp, got)


@case()
def profile_under_any_name(ctx):
    """A profile by another name, given as the file."""
    rep = plain(ctx, 41)
    other = os.path.join(rep.dir, "my model (old).db")
    os.rename(rep.profile, other)
    rep.profile = other
    summarise(ctx, rep, path=other)


@case(params=["missing", "empty", "random", "text", "short-magic", "empty-dir", "dir-as-profile",
              "fifo-as-profile", "dangling", "loop-link", "fifo", "devnull", "devzero", "noaccess",
              "magic-only", "zeros"])
def unreadable(ctx, p):
    """Not a report: exit 3, one line, nothing on standard output."""
    d = ctx.path("r")
    os.makedirs(d)
    f = os.path.join(d, "profile.pop")
    path = d
    data = {"empty": b"", "random": random.Random(1).randbytes(10000), "text": b"hello\n" * 1000,
            "short-magic": b"SQLite for", "magic-only": b"SQLite format 3\0",
            "zeros": bytes(8192)}.get(p)
    if data is not None:
        with open(f, "wb") as out:
            out.write(data)
    elif p == "missing":
        path = ctx.path("nowhere", "at", "all")
    elif p == "dir-as-profile":
        os.mkdir(f)
    elif p == "fifo-as-profile":
        os.mkfifo(f)
    elif p == "dangling":
        os.symlink("/nowhere/profile.pop", f)
    elif p == "loop-link":
        os.symlink("profile.pop", f)
    elif p == "fifo":
        path = ctx.path("pipe")
        os.mkfifo(path)
    elif p == "devnull":
        path = "/dev/null"
    elif p == "devzero":
        path = "/dev/zero"
    elif p == "noaccess":
        if os.geteuid() == 0:
            return
        with open(f, "wb") as out:
            out.write(b"SQLite format 3\0" + bytes(4080))
        os.chmod(f, 0)
    for args in (("summary", path), ("summary", "-f", "json", path), ("schema", path), (path,)):
        before = snapshot(d)
        res = ctx.run(*args)
        untouched(before, d, res)
        one_line(res, rc=3)
        expect(res.out == b"", res, "something on standard output")
    if data is not None:
        one_line(ctx.run("summary", f), rc=3)


@case()
def something_else(ctx):
    """SQLite, but not a profile: the tables that were found are named."""
    os.makedirs(ctx.path("r"))
    db = sqlite3.connect(ctx.path("r", "profile.pop"))
    db.execute("CREATE TABLE moz_places (id, url)")
    db.execute("CREATE TABLE moz_cookies (id, url)")
    db.execute('CREATE TABLE "evil\x1b[31m\n\u202e" (a)')
    db.commit()
    db.close()
    for path in (ctx.path("r"), ctx.path("r", "profile.pop")):
        res = ctx.run("summary", path)
        one_line(res, "moz_places", "moz_cookies", rc=3)
        expect(res.out == b"", res, "something on standard output")
    db = sqlite3.connect(ctx.path("r", "profile.pop"))
    for i in range(2000):
        db.execute("CREATE TABLE t%d (a)" % i)
    db.commit()
    db.close()
    one_line(ctx.run("summary", ctx.path("r")), rc=3)
    db = sqlite3.connect(ctx.path("none.pop"))
    db.execute("PRAGMA user_version=1")
    db.commit()
    db.close()
    one_line(ctx.run("summary", ctx.path("none.pop")), rc=3)


def damaged(ctx, rep, exp):
    """What holds for a damaged report: never wrong in silence, never dead."""
    before = snapshot(rep.dir)
    res = ctx.run("summary", "-f", "json", rep.dir)
    untouched(before, rep.dir, res)
    if res.rc == 3:
        one_line(res)
        expect(res.out == b"", res, "something on standard output")
        return res, None
    got = parse(res)
    keys = set(exp.object) | {"warnings"}
    expect(set(got) == keys, res, "members: %s" % sorted(set(got) ^ keys))
    if res.rc == 0:
        compare(res, exp, got)          # nothing that matters was hurt
    else:
        expect(res.rc == 4, res, "exit status %d" % res.rc)
        expect(got["warnings"], res, "partial without a warning")
    for args in (("summary", rep.dir), ("schema", rep.dir)):
        other = ctx.run(*args)
        expect(other.rc in (0, 3, 4), other, "exit status")
        text = other.out.decode("utf-8")
        expect(unsafe(text) is None, other, "unsafe text")
    return res, got


@case(params=[0.02, 0.1, 0.3, 0.5, 0.7, 0.9, 0.97, "odd", "page1", "minus1"])
def truncated(ctx, p):
    """Cut off: what can be read is shown, with exit 4; or exit 3."""
    rep = plain(ctx, 50, page_size=1024, style="indexed", vars=2000, steps=200)
    exp = oracle.summary(rep)
    size = os.path.getsize(rep.profile)
    cut = {"odd": size // 2 // 1024 * 1024 + 333, "page1": 1024, "minus1": size - 1}.get(p)
    if cut is None:
        cut = int(size * p) // 1024 * 1024
    reports.truncate(rep.profile, cut)
    res, got = damaged(ctx, rep, exp)
    if not isinstance(p, str) or p == "odd":
        expect(res.rc in (3, 4), res, "a truncated file passed for whole")


@case(params=list(range(1, 41)))
def noise(ctx, p):
    """One page overwritten with noise, each page of a small report in turn."""
    rep = plain(ctx, 51, page_size=1024, ipus=1, tiles=100, vars=400, steps=60)
    exp = oracle.summary(rep)
    if p > os.path.getsize(rep.profile) // 1024:
        return
    reports.noise_page(rep.profile, p)
    res, got = damaged(ctx, rep, exp)
    if p == 1:
        expect(res.rc == 3, res, "without a header: exit status")


@case()
def damage_stays_local(ctx):
    """A page of the variables is gone: categories are partial, the rest is exact."""
    rep = plain(ctx, 52, page_size=1024, vars=3000)
    exp = oracle.summary(rep)
    reports.noise_page(rep.profile, reports.root_page(rep.profile, "vars_info"))
    res, got = damaged(ctx, rep, exp)
    expect(res.rc == 4, res, "exit status")
    for k in ("target", "graph", "execution", "parts"):
        if k == "parts":
            continue
        diff = oracle.differences(exp.object[k], got[k], k)
        expect(not diff, res, "\n".join(diff))
    want = dict(exp.object["memory"])
    have = dict(got["memory"])
    want.pop("categories"), have.pop("categories")
    diff = oracle.differences(want, have, "memory")
    expect(not diff, res, "\n".join(diff))


@case(params=list(range(24)))
def flipped(ctx, p):
    """Bytes changed here and there."""
    rng = random.Random("flip%d" % p)
    rep = plain(ctx, 53, page_size=512, ipus=1, tiles=60, vars=200, steps=30, style="indexed",
                hostile_names=True)
    with open(rep.profile, "r+b") as f:
        size = os.path.getsize(rep.profile)
        for _ in range(rng.choice([1, 4, 30, 300])):
            f.seek(rng.randrange(16, size))
            f.write(bytes([rng.choice([0, 1, 0x7f, 0x80, 0xff, rng.randrange(256)])]))
    for args in (("summary", "-f", "json", rep.dir), ("summary", rep.dir), ("schema", rep.dir)):
        res = ctx.run(*args)
        expect(res.rc in (0, 3, 4), res, "exit status")
        if res.rc == 3:
            one_line(res)
        elif args[1] == "-f":
            got = parse(res)
            if res.rc == 4:
                expect(got["warnings"], res, "partial without a warning")


@case(params=["-wal", "-journal"])
def side_file(ctx, p):
    """Being written: what it holds, a warning, exit 4; an empty one means nothing."""
    rep = plain(ctx, 54)
    side = rep.profile + p
    with open(side, "wb"):
        pass
    summarise(ctx, rep, status=(0,))
    with open(side, "wb") as f:
        f.write(random.Random(3).randbytes(4000))
    got, res = summarise(ctx, rep, status=(4,), warn=True,
                         parts={"profile": oracle.OneOf("ok", "partial", "writing", "incomplete",
                                                        got_state(ctx, rep))})
    expect(any(p[1:] in w for w in got["warnings"]), res, "the warning does not name the %s" % p)
    summarise(ctx, rep, path=rep.profile, status=(4,), warn=True,
              parts={"profile": got["parts"]["profile"]})


def got_state(ctx, rep):
    res = ctx.run("summary", "-f", "json", rep.dir)
    return parse(res)["parts"]["profile"] if res.rc in (0, 4) else None


@case()
def wal_in_use(ctx):
    """A real WAL with frames: the figures are those of the main file."""
    rep = plain(ctx, 55, "live")
    db = sqlite3.connect(rep.profile, isolation_level=None)
    db.execute("PRAGMA journal_mode=WAL")
    db.execute("PRAGMA wal_autocheckpoint=0")
    db.execute("UPDATE memory_by_tile SET total=1")
    os.makedirs(ctx.path("copy"))
    for n in os.listdir(rep.dir):
        if not n.endswith("-shm"):
            shutil.copyfile(os.path.join(rep.dir, n), ctx.path("copy", n))
    db.close()
    rep.dir, rep.profile = ctx.path("copy"), ctx.path("copy", "profile.pop")
    expect(os.path.getsize(rep.profile + "-wal") > 0, None, "no wal")
    summarise(ctx, rep, status=(4,), warn=True,
              parts={"profile": oracle.OneOf("ok", got_state(ctx, rep))})


@case()
def wal_mode_header(ctx):
    """WAL mode and no -wal: complete; no side file may appear."""
    rep = plain(ctx, 56)
    db = sqlite3.connect(rep.profile)
    db.execute("PRAGMA journal_mode=WAL")
    db.close()
    with open(rep.profile, "rb") as f:
        expect(f.read(20)[18:20] == b"\x02\x02", None, "not WAL mode")
    expect(sorted(os.listdir(rep.dir)) == ["profile.pop"], None, "side files")
    summarise(ctx, rep, status=(0, 4), maybe=True)


@case()
def half_written_name(ctx):
    """profile_<random>.pop: the engine is still alive."""
    rep = plain(ctx, 57)
    other = os.path.join(rep.dir, "profile_x7Gk2a.pop")
    os.rename(rep.profile, other)
    rep.profile = other
    for path in (rep.dir, other):
        res = ctx.run("summary", "-f", "json", path)
        expect(res.rc in (3, 4), res, "exit status")
        if res.rc == 4:
            got = parse(res)
            expect(any("profile_x7Gk2a.pop" in w or "written" in w for w in got["warnings"]), res,
                   "no warning that it is being written")
        else:
            one_line(res, "profile_x7Gk2a.pop")


@case(params=["graph.json", "execution.json", "profile_info.json", "graph.cbor", "execution.cbor",
              "vars.capnp"])
def dropped_formats(ctx, p):
    """Said what they are, and that they are not read."""
    os.makedirs(ctx.path("old"))
    with open(ctx.path("old", p), "w") as f:
        f.write("{}")
    for path in (ctx.path("old"), ctx.path("old", p)):
        res = ctx.run("summary", path)
        one_line(res, p, rc=3)
    rep = plain(ctx, 58)
    shutil.copy(ctx.path("old", p), rep.dir)
    exp = oracle.summary(rep)
    res = ctx.run("summary", "-f", "json", rep.dir)
    got = parse(res)
    exp.maybe = True
    exp.object["parts"] = got["parts"]
    compare(res, exp, got)


@case(params=[1, 2, 3, 4])
def reports_below(ctx, depth):
    """A directory without a profile: those below it are named, three levels deep."""
    names = ["training", "inference"]
    for n in names:
        where = os.path.join("top", *["d%d" % i for i in range(depth - 1)], n)
        plain(ctx, 59, where, steps=1, vars=0, tiles=1)
    os.symlink(ctx.path("top"), ctx.path("top", "loop"))
    if depth > 1:
        os.symlink("..", ctx.path("top", "d0", "up"))
    res = ctx.run("summary", ctx.path("top"))
    expect(res.rc in (2, 3), res, "exit status %d" % res.rc)
    one_line(res)
    for n in names:
        expect((n.encode() in res.err) == (depth <= 3), res,
               "%s named at depth %d" % (n, depth))


@case()
def many_below(ctx):
    """Hundreds below: still one line."""
    rep = plain(ctx, 60, "seed", steps=1, vars=0, tiles=1)
    for i in range(300):
        d = ctx.path("many", "tf_report__2021-06-07__10-%02d__%d\x1b[1m" % (i, i))
        os.makedirs(d)
        os.link(rep.profile, os.path.join(d, "profile.pop"))
    one_line(ctx.run("summary", ctx.path("many")))


@case()
def loops(ctx):
    """Directories that contain themselves."""
    d = ctx.path("a", "b", "c")
    os.makedirs(d)
    for i in range(5):
        os.symlink(ctx.path("a"), os.path.join(d, "l%d" % i))
        os.symlink("..", ctx.path("a", "b", "u%d" % i))
    os.symlink("self", ctx.path("a", "self"))
    one_line(ctx.run("summary", ctx.path("a")), rc=3)
    os.symlink("x", ctx.path("y"))
    os.symlink("y", ctx.path("x"))
    one_line(ctx.run("summary", ctx.path("x")), rc=3)


@case(params=["dangling", "present", "parent", "archive", "framework", "app", "bad-framework",
              "vars", "archive-only"])
def parts(ctx, p):
    """The other files of a report, present, dangling or broken."""
    rep = plain(ctx, 61, "m/training")
    debug = os.path.join(rep.dir, "debug.cbor")
    name = {"dangling": "debug", "present": "debug", "parent": "debug",
            "bad-framework": "framework", "archive-only": "archive"}.get(p, p)
    if p == "dangling":
        os.symlink("/nowhere/debug.cbor", debug)
    elif p in ("present", "parent"):
        with open(debug if p == "present" else ctx.path("m", "debug.cbor"), "wb") as f:
            f.write(b"\xa2hcontexts\x80kstringTable\x80")
    elif p == "archive":
        with open(os.path.join(rep.dir, "archive.a"), "wb") as f:
            f.write(b"!<arch>\n")
    elif p == "archive-only":
        os.remove(rep.profile)
        with open(os.path.join(rep.dir, "archive.a"), "wb") as f:
            f.write(b"!<arch>\n")
        res = ctx.run("summary", "-f", "json", rep.dir)
        expect(res.rc in (0, 3, 4), res, "exit status")
        return
    elif p in ("framework", "app", "bad-framework"):
        with open(os.path.join(rep.dir, name + ".json"), "w") as f:
            f.write('{"a": ' if p == "bad-framework" else '{"a": 1}')
    elif p == "vars":
        with open(os.path.join(rep.dir, "vars.json"), "w") as f:
            f.write('{"numTiles": 4, "vars": []}')
    exp = oracle.summary(rep)
    res = ctx.run("summary", "-f", "json", rep.dir)
    got = parse(res)
    state = got["parts"].get(name)
    expect(isinstance(state, str), res, "parts.%s" % name)
    expect(p == "dangling" or state != "absent", res, "%s is there, parts says absent" % name)
    if p in ("present", "framework", "app"):
        expect(state == "ok", res, "parts.%s is %s" % (name, state))
    if p in ("dangling", "bad-framework"):
        expect(state != "ok", res, "parts.%s is ok" % name)
    exp.object["parts"][name] = state
    exp.maybe = True
    compare(res, exp, got, (0, 4))


# ---- the command line itself --------------------------------------------------------------------

@case()
def several_paths(ctx):
    """An array in the order given; the first of 5, 3, 2, 4, 1 as exit status."""
    a, b = plain(ctx, 70, "a"), plain(ctx, 71, "b", ipus=1)
    part = plain(ctx, 72, "part")
    with open(part.profile + "-wal", "wb") as f:
        f.write(b"x" * 100)
    res = ctx.run("summary", "-f", "json", a.dir, b.dir)
    got = parse(res)
    expect(isinstance(got, list) and len(got) == 2, res, "expected an array of two")
    for rep, obj in zip((a, b), got):
        compare(res, oracle.summary(rep), obj)
    res = ctx.run("summary", "-f", "json", a.dir, part.dir)
    expect(res.rc == 4, res, "exit status %d, expected 4" % res.rc)
    expect(len(parse(res)) == 2, res, "array of two")
    for paths in ((a.dir, "/nowhere", part.dir), (part.dir, "/nowhere"), ("/nowhere", a.dir)):
        res = ctx.run("summary", "-f", "json", *paths)
        expect(res.rc == 3, res, "exit status %d, expected 3" % res.rc)
        got = parse(res)
        expect(isinstance(got, list), res, "several paths: expected an array")
        seen = [o.get("path") for o in got if isinstance(o, dict)]
        for p in paths:
            expect((p in seen) or p == "/nowhere", res, "%s is missing" % p)
        errors = [ln for ln in res.err.decode().splitlines() if "/nowhere" in ln]
        expect(len(errors) == 1, res, "one line for the path that cannot be read")
    res = ctx.run("summary", a.dir, b.dir)
    expect(res.rc == 0 and a.dir.encode() in res.out and b.dir.encode() in res.out, res,
           "one block per report")
    one_line_each = ctx.run("summary", "/nowhere", "/nothing")
    expect(one_line_each.rc == 3 and len(one_line_each.err.splitlines()) == 2, one_line_each,
           "a line for each")


@case(params=[("nonsense-verb",), ("summary",), ("summary", "--bogus", "."),
              ("summary", "-f", "xml", "."),
              ("summary", "-f"), ("summary", "-Z", "."), ("schema",), ("--bogus",), (),
              ("help", "nonsense"), ("demo", "--scale", "enormous", "x"),
              ("demo", "--ipus", "abc", "x"), ("demo", "--ipus", "-1", "x"),
              ("demo", "--layout", "what", "x"), ("demo", "a", "b"), ("summary", "-o", ""),
              ("summary", "--form", "."), ("version", "extra")])
def usage(ctx, args):
    """Exit 2, one line, standard output empty."""
    res = ctx.run(*args)
    if args in (("nonsense-verb",),):
        expect(res.rc in (2, 3), res, "exit status")
    elif args == ("summary", "--form", "."):
        expect(res.rc in (2,), res, "an abbreviated option without its value")
    elif args == ("version", "extra"):
        expect(res.rc in (0, 2), res, "exit status")
        return
    else:
        expect(res.rc == 2, res, "exit status %d, expected 2" % res.rc)
    expect(res.out == b"", res, "something on standard output")
    expect(res.err, res, "nothing on standard error")
    expect(res.err.startswith(b"tilescope: "), res, "standard error does not begin with our name")
    expect(len(res.err.splitlines()) <= 2, res, "more than a line and a hint")


@case(params=["check", "diff", "assert", "query", "export", "import", "render", "cache"])
def not_built_yet(ctx, p):
    """What is not built is an unknown verb, not a stub: in help, or exit 2."""
    listed = re.search(rb"^\s+%s\b" % p.encode(), ctx.run("help").out, re.M)
    res = ctx.run(p, ".", ".")
    if not listed:
        expect(res.rc == 2, res, "exit status %d, expected 2" % res.rc)
        expect(p.encode() in res.err, res, "the verb is not named")


@case(params=["summary", "schema"])
def options_forms(ctx, p):
    """GNU style: long and short, joined and apart, after the operands, -- ends them."""
    rep = plain(ctx, 73)
    outs = [ctx.run(p, *a) for a in (
        ("-f", "json", rep.dir), ("-fjson", rep.dir), ("--format", "json", rep.dir),
        ("--format=json", rep.dir), (rep.dir, "-f", "json"), ("-f", "json", "--", rep.dir),
        ("--cache", "none", "-f", "json", rep.dir), ("--cache=none", "-f", "json", rep.dir),
        ("-q", "-f", "json", rep.dir), ("--no-color", "-f", "json", rep.dir),
        ("--color=never", "-f", "json", rep.dir), ("--cache", ctx.path("c"), "-f", "json", rep.dir),
        ("-f", "text", "-f", "json", rep.dir))]
    for res in outs:
        expect(res.rc == 0, res, "exit status")
        expect(res.out == outs[0].out, res, "differs from the first")
    os.rename(rep.dir, ctx.path("-dash"))
    res = ctx.run(p, "-f", "json", "--", "-dash")
    expect(res.rc == 0, res, "-- does not end the options")


@case()
def output_file(ctx):
    """-o writes to a temporary name and renames."""
    rep = plain(ctx, 74)
    want = ctx.run("summary", "-f", "json", rep.dir).out
    os.makedirs(ctx.path("out"))
    f, other = ctx.path("out", "s.json"), ctx.path("out", "linked")
    with open(f, "w") as h:
        h.write("old")
    os.link(f, other)
    res = ctx.run("summary", "-f", "json", "-o", f, rep.dir)
    expect(res.rc == 0 and res.out == b"", res, "exit status, or something on standard output")
    with open(f, "rb") as h:
        expect(h.read() == want, res, "the file differs from standard output")
    with open(other) as h:
        expect(h.read() == "old", res, "written in place, not renamed")
    expect(sorted(os.listdir(ctx.path("out"))) == ["linked", "s.json"], res, "left-overs")
    res = ctx.run("summary", "-f", "json", "-o", f, "/nowhere")
    expect(res.rc == 3, res, "exit status")
    with open(f, "rb") as h:
        expect(h.read() == want, res, "the old file is gone although there was no answer")
    expect(sorted(os.listdir(ctx.path("out"))) == ["linked", "s.json"], res, "left-overs")
    res = ctx.run("summary", "-o", ctx.path("no", "dir", "x"), rep.dir)
    expect(res.rc not in (0, 1, 130), res, "exit status")
    one_line(res)
    res = ctx.run("summary", "-f", "json", "--output=" + f, rep.dir)
    if res.rc == 0:
        with open(f, "rb") as h:
            expect(h.read() == want, res, "--output")
    res = ctx.run("summary", "-f", "json", "-o", "here.json", rep.dir)
    expect(res.rc == 0 and os.path.exists(ctx.path("here.json")), res, "a name without directory")
    res = ctx.run("summary", "-o", ctx.path("out"), rep.dir)
    expect(res.rc not in (0, 1, 130) and os.path.isdir(ctx.path("out")), res, "-o DIRECTORY")


@case()
def broken_pipe(ctx):
    """A reader that has gone: quiet."""
    rep = plain(ctx, 75)
    for args in (("summary", rep.dir), ("summary", "-f", "json", rep.dir), ("schema", rep.dir),
                 ("help",), ("help", "capture"), ("version",)):
        r, w = os.pipe()
        os.close(r)
        proc = subprocess.Popen([ctx.program, *args], stdout=w, stderr=subprocess.PIPE,
                                stdin=subprocess.DEVNULL, env=ctx.env())
        os.close(w)
        _, err = proc.communicate(timeout=TIMEOUT)
        res = Result(list(args), proc.returncode, b"", err)
        expect(err == b"", res, "not quiet")
        expect(proc.returncode in (0, 141, -signal.SIGPIPE), res, "exit status")


@case()
def full_disk(ctx):
    """Data that cannot be written is not passed over."""
    rep = plain(ctx, 76)
    with open("/dev/full", "wb") as full:
        proc = subprocess.Popen([ctx.program, "summary", "-f", "json", rep.dir], stdout=full,
                                stderr=subprocess.PIPE, stdin=subprocess.DEVNULL, env=ctx.env())
        _, err = proc.communicate(timeout=TIMEOUT)
    res = Result(["summary", ">/dev/full"], proc.returncode, b"", err)
    expect(proc.returncode != 0, res, "exit 0 although nothing was written")
    expect(err.startswith(b"tilescope: "), res, "no message")


@case()
def closed_streams(ctx):
    """Started with its standard streams closed."""
    rep = plain(ctx, 77)
    before = snapshot(rep.dir)
    proc = subprocess.run(["sh", "-c", 'exec "$0" summary -f json "$1" <&- 2>&-', ctx.program,
                           rep.dir], stdout=subprocess.PIPE, env=ctx.env(), timeout=TIMEOUT)
    res = Result(["summary", "<&-", "2>&-"], proc.returncode, proc.stdout, b"")
    expect(proc.returncode == 0, res, "exit status")
    parse(res)
    proc = subprocess.run(["sh", "-c", 'exec "$0" summary -f json "$1" >&- <&- 2>&-', ctx.program,
                           rep.dir], env=ctx.env(), timeout=TIMEOUT)
    res = Result(["summary", ">&-"], proc.returncode, b"", b"")
    expect(proc.returncode >= 0, res, "died")
    untouched(before, rep.dir, res)


@case()
def headless_path(ctx):
    """`tilescope PATH` without a terminal prints the summary."""
    rep = plain(ctx, 78)
    res = ctx.run(rep.dir)
    want = ctx.run("summary", rep.dir)
    expect(res.rc == 0, res, "exit status")
    expect(res.out == want.out, res, "differs from `summary`")


@case()
def help_texts(ctx):
    """help, help VERB, -h, --help, version: status 0, 80 columns, the verbs that there are."""
    outs = {}
    for args in (("help",), ("--help",), ("-h",), ("help", "summary"), ("summary", "--help"),
                 ("summary", "-h"), ("help", "schema"), ("help", "demo"), ("help", "help"),
                 ("help", "version"), ("help", "capture"), ("version",), ("--version",)):
        res = ctx.run(*args)
        outs[args] = res
        expect(res.rc == 0, res, "exit status")
        expect(res.out and not res.err, res, "output")
        text = res.out.decode("utf-8")
        expect(unsafe(text) is None, res, "has %r" % unsafe(text))
        for line in text.splitlines():
            expect(len(line) <= 80, res, "a line of %d columns: %r" % (len(line), line))
    expect(outs[("help",)].out == outs[("--help",)].out == outs[("-h",)].out, outs[("-h",)],
           "help, -h and --help differ")
    expect(outs[("help", "summary")].out == outs[("summary", "--help")].out,
           outs[("summary", "--help")], "help summary and summary --help differ")
    for verb in (b"summary", b"schema", b"demo", b"help", b"version"):
        expect(verb in outs[("help",)].out, outs[("help",)], "%s is not listed" % verb.decode())
    expect(b"tilescope" in outs[("version",)].out, outs[("version",)], "name")
    expect(re.search(rb"\d+\.\d+", outs[("version",)].out), outs[("version",)], "number")
    expect(outs[("version",)].out == outs[("--version",)].out, outs[("--version",)], "differ")


CAPTURE_NAMES = """autoReport.all autoReport.directory autoReport.outputGraphProfile
autoReport.outputExecutionProfile autoReport.outputLoweredVars autoReport.outputDebugInfo
autoReport.outputArchive autoReport.executionProfileProgramRunCount debug.instrument
debug.computeInstrumentationLevel debug.branchRecordTile profiler.replicaToProfile
profiler.blocks.filter profiler.programs.filter debug.allowOutOfMemory POPLAR_PROFILER_LOG_LEVEL
POPLAR_ENGINE_OPTIONS""".split()


@case()
def help_capture(ctx):
    res = ctx.run("help", "capture")
    expect(res.rc == 0, res, "exit status")
    for n in CAPTURE_NAMES:
        expect(n.encode() in res.out, res, "%s is not there" % n)


@case(params=["C", "C.UTF-8", "xx_YY.nonsense"])
def locales(ctx, p):
    """JSON and CSV do not depend on the locale; text in the C locale is ASCII."""
    rep = plain(ctx, 79)
    want = ctx.run("summary", "-f", "json", rep.dir).out
    env = {"LC_ALL": p}
    res = ctx.run("summary", "-f", "json", rep.dir, env=env)
    expect(res.rc == 0 and res.out == want, res, "differs")
    res = ctx.run("summary", rep.dir, env=env)
    expect(res.rc == 0, res, "exit status")
    if p == "C":
        expect(res.out.isascii(), res, "not ASCII in the C locale")


@case()
def colour(ctx):
    """No colour into a pipe, unless it is asked for; never with --no-color."""
    rep = plain(ctx, 80, fits=False)
    for args in ((), ("--no-color",), ("--color=never",), ("--color=auto",)):
        res = ctx.run("summary", *args, rep.dir, env={"TERM": "xterm-256color"})
        expect(res.rc == 0 and b"\x1b" not in res.out, res, "escape sequences")


@case()
def hostile_config(ctx):
    """A broken schema map of the user's: said as file:line, the rest used."""
    rep = plain(ctx, 81)
    d = os.path.join(ctx.home, "config", "tilescope", "schemas")
    os.makedirs(d)
    with open(os.path.join(d, "mine.schema"), "wb") as f:
        f.write(b"relation \xff\x1b[31m {{{\nnonsense here\n" + b"x" * 100000)
    exp = oracle.summary(rep)
    res = ctx.run("summary", "-f", "json", rep.dir)
    got = parse(res)
    exp.maybe = True
    compare(res, exp, got, (0, 4))
    expect(b"mine.schema:" in res.err or any("mine.schema:" in w for w in got["warnings"]), res,
           "not reported as file:line")


@case()
def no_home(ctx):
    """HOME and XDG unset, or a cache that cannot be written."""
    rep = plain(ctx, 82)
    env = ctx.env()
    for k in ("HOME", "XDG_CACHE_HOME", "XDG_CONFIG_HOME"):
        env.pop(k)
    proc = subprocess.run([ctx.program, "summary", "-f", "json", rep.dir], env=env,
                          stdin=subprocess.DEVNULL, capture_output=True, timeout=TIMEOUT)
    res = Result(["summary"], proc.returncode, proc.stdout, proc.stderr)
    manners(res)
    compare(res, oracle.summary(rep), parse(res))
    res = ctx.run("summary", "-f", "json", rep.dir, env={"XDG_CACHE_HOME": "/dev/null/x"})
    compare(res, oracle.summary(rep), parse(res), (0,))


@case()
def read_only_directory(ctx):
    """Nothing is needed beside the report: a directory without write permission will do."""
    rep = plain(ctx, 83)
    os.chmod(rep.profile, 0o444)
    os.chmod(rep.dir, 0o555)
    try:
        summarise(ctx, rep)
    finally:
        os.chmod(rep.dir, 0o755)


@case()
def twice_the_same(ctx):
    """The same bytes each time, cache or not."""
    rep = reports.build(ctx.path("report"), 84, hostile_names=True, vars=800, steps=60)
    outs = {ctx.run("summary", "-f", "json", *a, rep.dir).out
            for a in ((), (), ("--cache", "none"), ("--cache", ctx.path("c")), ())}
    expect(len(outs) == 1, ctx.last, "differs from run to run")


# ---- the demo -----------------------------------------------------------------------------------

def demo_report(ctx, layout, *more, name="demo"):
    d = ctx.path(name)
    res = ctx.run("demo", d, "--layout", layout, "--scale", "small", *more, timeout=60)
    expect(res.rc == 0, res, "exit status")
    f = os.path.join(d, "profile.pop" if layout == "sdk" else "report.tilescope")
    expect(os.path.exists(f), res, "%s was not written" % f)
    left = [n for n in os.listdir(d) if n.endswith(("-wal", "-journal", ".tmp", "-shm"))]
    expect(not left, res, "left-overs: %s" % left)
    return d, f


@case(params=[(), ("--ipus", "1", "--tiles", "1216"), ("--ipus", "4", "--seed", "9"), ("--oom",),
              ("--ipus", "2", "--tiles", "100", "--steps", "50", "--variables", "500")])
def demo_sdk(ctx, more):
    """The demo in the SDK's layout against the oracle."""
    d, f = demo_report(ctx, "sdk", *more)
    rep = oracle.foreign(d)
    got, res = summarise(ctx, rep, parts=parts_there(d))
    expect(got["memory"]["fits"] is (None if "100" in more else "--oom" not in more), res,
           "verdict of the demo")
    schema_ok(ctx, rep)
    every_format(ctx, rep)


@case(params=[(), ("--ipus", "1", "--tiles", "1216"), ("--ipus", "4", "--seed", "9"), ("--oom",),
              ("--ipus", "2", "--tiles", "100", "--steps", "50", "--variables", "500")])
def demo_store(ctx, more):
    """The demo as a store against the relations in it."""
    d, f = demo_report(ctx, "store", *more)
    exp = oracle.store_summary(f, d)
    for path in (d, f):
        before = snapshot(d)
        res = ctx.run("summary", "-f", "json", path)
        untouched(before, d, res)
        got = parse(res)
        exp.object["path"] = oracle.OneOf(path, d, f)
        exp.object["parts"] = got["parts"]
        exp.maybe = True
        compare(res, exp, got, (0,))


@case(params=["sdk", "store"])
def demo_by_seed(ctx, p):
    """One seed, one file; another seed, another."""
    sums = []
    for i, seed in enumerate(("5", "5", "6")):
        _, f = demo_report(ctx, p, "--seed", seed, name="d%d" % i)
        with open(f, "rb") as h:
            sums.append(hashlib.sha256(h.read()).hexdigest())
    expect(sums[0] == sums[1], ctx.last, "the same seed gave two files")
    expect(sums[0] != sums[2], ctx.last, "two seeds gave the same file")


@case()
def demo_layouts_agree(ctx):
    """Both layouts of a seed tell the same story."""
    a, _ = demo_report(ctx, "sdk", name="a")
    b, _ = demo_report(ctx, "store", name="b")
    one = parse(ctx.run("summary", "-f", "json", a))
    two = parse(ctx.run("summary", "-f", "json", b))
    for k in ("tiles", "total_bytes"):
        expect(one["memory"][k] == two["memory"][k], ctx.last, "memory.%s" % k)
    expect(one["execution"]["steps"] == two["execution"]["steps"], ctx.last, "steps")
    expect(one["execution"]["ipus"] == two["execution"]["ipus"], ctx.last, "ipus")
    expect(one["graph"]["compute_sets"] == two["graph"]["compute_sets"], ctx.last, "compute_sets")


@case()
def demo_sdk_names(ctx):
    """--sdk-names varies the names that were not seen; the figures stay."""
    base, _ = demo_report(ctx, "sdk", name="base")
    want = parse(ctx.run("summary", "-f", "json", base))
    for i in ("1", "2"):
        d = ctx.path("n" + i)
        res = ctx.run("demo", d, "--layout", "sdk", "--scale", "small", "--sdk-names", i,
                      timeout=60)
        if res.rc == 2:
            break
        expect(res.rc == 0, res, "exit status")
        got = parse(ctx.run("summary", "-f", "json", d))
        for k in ("memory", "execution", "graph", "target"):
            diff = oracle.differences(want[k], got[k], k)
            expect(not diff, ctx.last, "\n".join(diff[:10]))


@case()
def demo_default(ctx):
    """Without DIR: below the cache directory, nowhere else."""
    res = ctx.run("demo", "--scale", "small", timeout=60)
    expect(res.rc == 0, res, "exit status")
    found = [os.path.join(r, n) for r, _, ns in os.walk(ctx.home) for n in ns
             if n in ("profile.pop", "report.tilescope")]
    expect(len(found) == 1 and "/cache/" in found[0], res, "written to %s" % found)
    expect(os.listdir(ctx.dir) == ["home"], res, "something in the working directory")


@case()
def demo_errors(ctx):
    """A place that cannot be written."""
    with open(ctx.path("file"), "w"):
        pass
    res = ctx.run("demo", ctx.path("file", "x"), "--scale", "small")
    one_line(res)
    expect(res.rc in (2, 3), res, "exit status")


def parts_there(d):
    """States of parts by the files in a directory that the demo wrote whole."""
    names = {"archive": "archive.a", "debug": "debug.cbor", "framework": "framework.json",
             "app": "app.json", "vars": "vars.json"}
    return {k: "ok" for k, n in names.items() if os.path.exists(os.path.join(d, n))}


# ---- running ------------------------------------------------------------------------------------

def work(job):
    program, top, name, fn, param, keep = job
    where = tempfile.mkdtemp(prefix=re.sub(r"[^a-z0-9-]+", "_", name.lower())[:40] + ".", dir=top)
    began = time.monotonic()
    error = None
    try:
        ctx = Ctx(program, where)
        f = globals()[fn]
        f(ctx) if param is None else f(ctx, param)
    except Failed as e:
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
    ap.add_argument("--seeds", type=int, default=200, help="reports drawn from seeds")
    ap.add_argument("--first-seed", type=int, default=0)
    ap.add_argument("-j", type=int, default=os.cpu_count() or 2)
    ap.add_argument("--keep", action="store_true", help="keep the reports of failing cases")
    ap.add_argument("--list", action="store_true")
    ap.add_argument("-v", action="store_true", help="a line for each case")
    a = ap.parse_args()

    cases = [("seed/%d" % s, "seed_case", s, None)
             for s in range(a.first_seed, a.first_seed + a.seeds)] + CASES
    if a.k:
        cases = [c for c in cases if a.k in c[0] or fnmatch.fnmatch(c[0], a.k)]
    if a.list:
        print("\n".join(c[0] for c in cases))
        return 0
    program = os.path.abspath(a.tilescope)
    if not os.access(program, os.X_OK):
        print("%s: not a program (give --tilescope)" % a.tilescope, file=sys.stderr)
        return 2
    defects = {c[0]: c[3] for c in cases}
    passed = failed = 0
    top = tempfile.mkdtemp(prefix="tilescope-cli.")
    kept = False
    try:
        jobs = [(program, top, c[0], c[1], c[2], a.keep) for c in cases]
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
