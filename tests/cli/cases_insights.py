# SPDX-License-Identifier: MIT
"""cases_insights - `tilescope check PATH...`: measures and severities against the oracle, rules of users, what is not known."""

import csv
import io
import json
import math
import os
import shutil
import sqlite3

from . import oracle_insights as insights
from . import oracle_trace
from . import reports
from .harness import case, expect, one_line, parse, plain, snapshot, unsafe, untouched

SHAPE = ("--ipus", "2", "--tiles", "1472", "--steps", "80", "--variables", "6000")
KEYS = {"path", "host", "verdict", "findings", "not_known", "off", "warnings"}
FINDING = {"id", "measure", "severity", "value", "title", "evidence", "place", "saving_bytes",
           "saving_cycles",
           "saving_of", "advice"}
UNKNOWN = {"id", "measure", "title", "reason"}
MEMORY = "off " + " ".join("X%02d" % (i + 1) for i in range(11)) + "\n"      # rules of the memory alone
DUE = {"ok": 0, "note": 1, "warn": 2, "bad": 3}


def demo(ctx, *args, name="report"):
    d = ctx.path(name)
    res = ctx.run("demo", d, "--no-archive", *SHAPE, *args)
    expect(res.rc == 0, res, "demo")
    return d


def store_of(d):
    return os.path.join(d, "report.tilescope")


def change(d, *statements):
    """SQL on the store of a directory."""
    db = sqlite3.connect(store_of(d))
    for s in statements:
        db.execute(s)
    db.commit()
    db.close()
    return d


def configure(ctx, text):
    """The user's own file of rules."""
    d = os.path.join(ctx.home, "config", "tilescope", "rules")
    os.makedirs(d, exist_ok=True)
    path = os.path.join(d, "insights.rules")
    with open(path, "w") as f:
        f.write(text)
    return path


def look(ctx, path, *args, rc=None, least="bad"):
    """The object of `check`: its keys, its order, its verdict, its exit status."""
    before = snapshot(path)
    res = ctx.run("check", "-f", "json", *args, path)
    untouched(before, path, res)
    got = parse(res)
    expect(set(got) == KEYS, res, "keys: %s" % sorted(set(got) ^ KEYS))
    for f in got["findings"]:
        expect(set(f) == FINDING, res, "keys of a finding: %s" % sorted(set(f) ^ FINDING))
        expect((f["saving_bytes"] is None and f["saving_cycles"] is None) == (f["saving_of"] is None), res, "saving of what")
        expect((f["saving_cycles"] is not None) == (f["saving_of"] == "runs"), res, "saving of cycles")
    for f in got["not_known"]:
        expect(set(f) == UNKNOWN, res, "keys of what is not known")
        expect(f["reason"], res, "%s: no reason" % f["id"])
    found = [f["severity"] for f in got["findings"]]
    expect(found == sorted(found, key=DUE.get, reverse=True), res, "the worse come first")
    expect(got["verdict"] == (found[0] if found else "not known"), res, "verdict")
    due = any(DUE[s] >= DUE[least] for s in found)
    expect(res.rc == (int(due) if rc is None else rc), res, "exit status")
    return got, res


def agree(res, got, want):
    """Every measure that is known, known and the same; every severity as the rules say."""
    rules = insights.rules()
    found = {f["id"]: f for f in got["findings"]}
    unknown = {f["id"] for f in got["not_known"]}
    expect(set(found) | unknown | set(got["off"]) == set(rules), res, "every rule is there once")
    for name, (measure, limits) in rules.items():
        if measure not in want or name in got["off"]:
            continue
        if want[measure] is None:
            expect(name in unknown, res, "%s: what it needs is not there" % name)
            continue
        expect(name in found, res, "%s is not known" % name)
        f = found[name]
        expect(f["measure"] == measure, res, "measure of %s" % name)
        expect(math.isclose(f["value"], want[measure], rel_tol=1e-9, abs_tol=1e-12), res,
               "%s: %r, expected %r" % (measure, f["value"], want[measure]))
        expect(f["severity"] == insights.severity(limits, want[measure]), res,
               "%s is %s" % (name, f["severity"]))


@case(params=["store", "sdk", "store-oom", "store-uneven"], sample=2)
def check_against_oracle(ctx, kind):
    """Reports of the demo: figures, severities, places that open, the same in every format."""
    layout = kind.split("-")[0]
    d = demo(ctx, "--layout", layout, *(["--oom"] if kind == "store-oom" else []))
    if kind == "store-uneven":
        change(d, "UPDATE tile_memory SET total = total / 5, total_gaps = total_gaps / 4 WHERE tile > 9",
               "UPDATE tile_category SET not_overlapped = not_overlapped * 9 WHERE category IN (SELECT"
               " category FROM memory_category WHERE name LIKE '%Code' OR name LIKE 'instr%')",
               "UPDATE liveness_step SET not_always_live = not_always_live / 50 WHERE live_step > 3")
    got, res = look(ctx, d)
    if layout == "store":
        agree(res, got, insights.of_store(store_of(d)))
    else:
        agree(res, got, insights.of_profile(insights.oracle.foreign(d)))
    expect(got["warnings"] == [], res, "warnings")
    unknown = {f["id"] for f in got["not_known"]}
    expect(layout == "sdk" or unknown <= {"X08", "X09"} or kind == "store-oom" and
           all(i[0] == "X" for i in unknown), res, "all is known of a store")
    for place in {f["place"] for f in got["findings"]} - {None}:
        shown = ctx.run("render", d, "--at", place)
        expect(shown.rc == 0 and not shown.err, shown, "the place opens")
    text = ctx.run("check", d).out.decode()
    expect(unsafe(text) is None, ctx.last, "text")
    for f in got["findings"]:
        if f["severity"] != "ok":
            expect("%-4s  %s  %s" % (f["severity"], f["id"], f["title"]) in text, ctx.last, f["id"])
    rows = list(csv.DictReader(io.StringIO(ctx.run("check", "-f", "csv", d).out.decode())))
    want = {(f["id"], f["severity"], f["evidence"], f["place"] or "") for f in got["findings"]}
    want |= {(f["id"], "not known", f["reason"], "") for f in got["not_known"]}
    have = {(r["id"], r["severity"], r["evidence"], r["place"]) for r in rows}
    expect(want == have, ctx.last, "csv: %s" % sorted(want ^ have))
    md = ctx.run("check", "-f", "md", d).out.decode()
    expect(len(md.splitlines()) == 2 + len(rows), ctx.last, "md")


EXECUTIONS = {
    "one": ("1", "400", []),
    "stages": ("4", "3000", []),
    # steps of an IPU that overlap: what comes behind begins before what stands before it ends
    "overlap": ("2", "2000", ['UPDATE step_ipu SET "end" = "end" + cycles / 2 WHERE step % 5 = 0']),
    "estimated": ("2", "2000", ["UPDATE compute_set SET cycles_by_tile = NULL WHERE compute_set % 3"]),
    "one_run": ("3", "800", ["DELETE FROM run WHERE run > 0"]),
    "idle": ("2", "2000", ["UPDATE compute_set SET cycles_by_tile = substr(cycles_by_tile, 1, 40), "
                           "name = 'Copy_' || name WHERE compute_set % 4 = 0"]),
}


@case(params=sorted(EXECUTIONS), sample=2, smoke=1)
def check_execution(ctx, kind):
    """Rules of the execution against plain Python over the rows: with the index, and without one."""
    ipus, steps, sql = EXECUTIONS[kind]
    d = ctx.path("report")
    res = ctx.run("demo", d, "--no-archive", "--layout", "store", "--ipus", ipus, "--tiles", "60", "--steps", steps,
                  "--variables", "900")
    expect(res.rc == 0, res, "demo")
    change(d, *sql)
    want = oracle_trace.measures(store_of(d))
    expect(sum(v is not None for v in want.values()) >= 8, res, "most is known of a store: %s" % want)
    for args in ((), ("--cache", "none")):
        got, res = look(ctx, d, *args, rc=ctx.run("check", d).rc)
        agree(res, got, want)


@case(params=range(12), sample=2, smoke=1)
def check_seed(ctx, seed):
    """Profiles drawn from a seed, hostile numbers and names among them."""
    rep = reports.build(ctx.path("report"), 4000 + seed)
    got, res = look(ctx, rep.dir)
    agree(res, got, insights.of_profile(rep))
    from_rows(ctx, rep.dir, got, res.rc)


def indexes(where):
    """Sections that a cache has, by name."""
    return {f[:-4] for _, _, files in os.walk(os.path.join(where, "index")) for f in files if f.endswith(".idx")}


def from_rows(ctx, path, want, rc):
    """What the rows alone say, and an index of its own when it is made and when it is there: all the same."""
    cache = ctx.path("index-of-its-own")
    for option in ("none", cache, cache):
        got, res = look(ctx, path, "--cache", option, rc=rc)
        expect(got == want, res, "with --cache %s: %s" % (os.path.basename(option), [(k, got[k], want[k]) for k in ("warnings", "not_known", "off") if got[k] != want[k]] + [
            (a, b) for a, b in zip(got["findings"], want["findings"]) if a != b]))
    return indexes(cache)


@case(params=["store", "sdk"], sample=1)
def check_with_index(ctx, layout):
    """The index is built first, where --cache says, and not where it says none; figures are those of the rows."""
    d = demo(ctx, "--layout", layout, "--ipus", "4", "--steps", "900")
    got, res = look(ctx, d, "--cache", "none")
    expect(not os.path.exists(os.path.join(ctx.home, "cache")), res, "--cache none keeps nothing")
    made = from_rows(ctx, d, got, res.rc)
    expect({"steps", "lanes", "runs", "programs", "variables"} <= made, res, "sections: %s" % sorted(made))
    look(ctx, d)
    expect(indexes(os.path.join(ctx.home, "cache", "tilescope")) == made, ctx.last, "where it is kept by itself")
    no = ctx.path("no-directory")
    with open(no, "w"):
        pass
    res = ctx.run("check", "-f", "json", "--cache", os.path.join(no, "below"), d)
    expect(parse(res) == got and not res.err, res, "a cache that cannot be made is no error")


@case()
def check_stages(ctx):
    """--stages: stages by the names of steps; said in the evidence, the same with the index and without."""
    d = demo(ctx, "--ipus", "4", "--steps", "900")
    by_exchange, _ = look(ctx, d)
    by_name, res = look(ctx, d, "--stages", "layer[/_.]?(\\d+)")
    again, _ = look(ctx, d, "--cache", "none", "--stages", "layer[/_.]?(\\d+)")
    expect(again == by_name, ctx.last, "without the index")
    named = {f["id"]: f["evidence"] for f in by_name["findings"]}
    expect("(named by layer[/_.]?(\\d+))" in named["X09"], res, "the evidence names the expression")
    expect(all("named by" not in f["evidence"] for f in by_exchange["findings"]), res, "by exchange nothing is named")
    none, res = look(ctx, d, "--stages", "no step is called so")
    expect({"X08", "X09"} <= {f["id"] for f in none["not_known"]}, res, "no stage")
    one_line(ctx.run("check", "--stages", "(", d), rc=2)
    one_line(ctx.run("check", "--files", "--stages", "a", d), rc=2)


@case()
def check_fail(ctx):
    """--fail says from which severity on; several paths; -o; what is not there."""
    configure(ctx, MEMORY)
    d = demo(ctx)
    got, _ = look(ctx, d, "--fail", "bad")
    expect([f["severity"] for f in got["findings"]].count("warn") > 0, ctx.last, "a warning")
    expect(got["verdict"] == "warn", ctx.last, "no more than a warning")
    look(ctx, d, "--fail", "warn", least="warn")
    look(ctx, d, "--fail", "note", least="note")
    expect(ctx.run("check", "--fail", "worse", d).rc == 2, ctx.last, "no such severity")
    one_line(ctx.run("check", "--fail", "bad", "--files", d), "--fail", rc=2)
    one_line(ctx.run("check", "--deep", d), "--files", rc=2)
    one_line(ctx.run("check"), rc=2)
    bad = demo(ctx, "--oom", name="bad")
    out = ctx.path("out.json")
    res = ctx.run("check", "-f", "json", "-o", out, d, bad)
    with open(out) as f:
        both = json.load(f)
    expect(res.rc == 1 and res.out == b"" and [b["verdict"] for b in both] == ["warn", "bad"], res,
           "two paths, -o")
    res = ctx.run("check", ctx.path("nowhere"), bad)
    expect(res.rc == 3 and b"CHECK bad" in res.out, res, "the one that is there is checked")
    kib = ctx.run("check", d).out.decode()
    expect("KiB" in kib and "KiB" not in ctx.run("check", "--units", "bytes", d).out.decode(), ctx.last,
           "units")


@case()
def check_rules(ctx):
    """The user's own file: off, other limits, rules of one's own; what is wrong in it; help."""
    d = demo(ctx)
    path = configure(ctx, "off M01 M08\nlimit M03 bad >=1\n"
                     "rule X1 tile-imbalance note >0 \"Mine \x1b[1m\" \"Of mine\"\n"
                     "rule X2 no-such-thing bad >0 \"t\" \"a\"\n")
    got, res = look(ctx, d, rc=1)
    found = {f["id"]: f for f in got["findings"]}
    expect(got["off"] == ["M01", "M08"] and not {"M01", "M08"} & set(found), res, "off")
    expect(found["M03"]["severity"] == "bad" and found["X1"]["severity"] == "note", res, "limits")
    expect(found["X1"]["advice"] == "Of mine", res, "advice")
    expect([f["id"] for f in got["not_known"] if "no-such-thing" in f["reason"]] == ["X2"], res,
           "a measure that does not exist")
    text = ctx.run("check", d).out.decode()
    expect(unsafe(text) is None and "off         M01, M08" in text, ctx.last, "text")
    helped = ctx.run("help", "check").out.decode()
    expect("(off)" in helped and "bad >=1\n" in helped and "insights.rules" in helped, ctx.last, "help")
    for m in insights.measures([], None, None, []):
        expect(m in helped, ctx.last, "help names %s" % m)
    configure(ctx, "of M01\nlimit M99 bad >1\nlimit M01 bad >nan\nrule Y worst-tile-share warn >1e999 t a\n"
              + MEMORY)
    res = ctx.run("check", d)
    lines = res.err.decode().splitlines()
    expect(res.rc == 0 and len(lines) == 4, res, "a line for each that is wrong")
    expect(all("line %d is passed over" % (i + 1) in x for i, x in enumerate(lines)), res, "its number")
    expect(ctx.run("check", "-q", d).err == b"", ctx.last, "-q")
    os.remove(path)
    os.mkdir(path)
    one_line(ctx.run("check", d), "insights.rules", rc=3)


ABSENT = {
    "target": set(),                                # follows from 2 x 1,472 tiles
    "tile_memory": {"M01", "M02", "M03", "M04", "M11"},
    "class_interval": {"M11"},
    "tile_category": set(),                         # from the lowered variables
    "memory_category": set(),
    "liveness_step": {"M07", "M09", "M10"},
    "liveness_variable": {"M09", "M10"},
    "variable": {"M09", "M10"},
}


@case(params=sorted(ABSENT), sample=3, smoke=1)
def check_absent(ctx, table):
    """A relation that is not there: what needs it is not known, with the reason; the rest as ever."""
    configure(ctx, MEMORY)
    d = change(demo(ctx), "DROP TABLE %s" % table)
    got, res = look(ctx, d, rc=0)
    gone = {f["id"] for f in got["not_known"]}
    expect(gone >= ABSENT[table], res, "not known: %s" % gone)
    if table != "memory_category":
        agree(res, got, insights.of_store(store_of(d)))


@case()
def check_nothing(ctx):
    """An archive alone; a profile without memory; a store of nothing: nothing passes silently."""
    d = ctx.path("whole")
    configure(ctx, MEMORY)
    ctx.run("demo", d, "--layout", "sdk", *SHAPE)
    os.mkdir(ctx.path("alone"))
    alone = shutil.move(os.path.join(d, "archive.a"), ctx.path("alone", "archive.a"))
    got, res = look(ctx, alone, rc=0)
    known = {f["id"] for f in got["findings"]}
    expect({"M01", "M02", "M03"} <= known and "M05" not in known, res, "archive alone")
    rep = plain(ctx)
    db = sqlite3.connect(rep.profile)
    for t in ("memory_by_tile", "vars_info"):
        db.execute("DROP TABLE %s" % t)
    db.commit()
    db.close()
    got, res = look(ctx, rep.dir, rc=0)
    there = len(insights.rules()) - 11
    expect(got["findings"] == [] and len(got["not_known"]) == there, res,
           "nothing is known")
    text = ctx.run("check", rep.dir).out.decode()
    lines = [x for x in text.splitlines() if x.startswith("not known   ")]
    named = [i for x in lines for i in x[12:].split(", ")]
    expect("0 fine" in text and sorted(named) == sorted(f["id"] for f in got["not_known"]), ctx.last, "text: each rule once")
    reasons = [f["reason"] for f in got["not_known"]]
    expect(len(lines) == sum(1 for i, r in enumerate(reasons) if i == 0 or r != reasons[i - 1]), ctx.last, "each reason once")


@case()
def check_damaged(ctx):
    """Of what cannot be read to its end nothing is fine; what is bad in the rest stays bad."""
    d = demo(ctx)
    pages = reports.leaves(store_of(d), "tile_memory")
    reports.noise_page(store_of(d), pages[len(pages) // 2][0])
    got, res = look(ctx, d, rc=4)
    unknown = {f["id"]: f["reason"] for f in got["not_known"]}
    expect(got["warnings"] and "warning" in res.err.decode(), res, "a warning")
    for f in got["findings"]:
        expect(f["severity"] != "ok" or f["id"] not in ("M01", "M02", "M03", "M04", "M05", "M06"), res,
               "%s is fine" % f["id"])
    expect("not all of it can be read" in unknown["M02"], res, "M02")


EXTREMES = {
    "zero": "UPDATE tile_memory SET total = 0, total_gaps = 0, overflowed = 0",
    "huge": "UPDATE tile_memory SET total = 1 << 51, total_gaps = 1 << 51, overflowed = 1 << 51",
    "one-huge": "UPDATE tile_memory SET total_gaps = 1 << 62, overflowed = 1 << 62 WHERE tile = 7",
    "negative": "UPDATE tile_memory SET total = -1 WHERE tile % 2",
    "no-limit": "UPDATE target SET bytes_per_tile = 0",
    "beyond": "UPDATE tile_memory SET tile = tile + 1000000 WHERE tile > 5",
    "steps": "UPDATE liveness_step SET not_always_live = 1 << 62 WHERE live_step > 2",
    "variables": "UPDATE variable SET bytes = 1 << 62",
    "still": "UPDATE liveness_step SET not_always_live = 0",
    "categories": "UPDATE tile_category SET not_overlapped = 1 << 62 WHERE rowid % 100 = 0",
}


@case(params=sorted(EXTREMES), sample=2)
def check_extremes(ctx, what):
    """Numbers at their ends: an answer in every format, finite and without a crash."""
    d = change(demo(ctx), EXTREMES[what])
    res = ctx.run("check", "-f", "json", d)
    got = parse(res)
    expect(res.rc in (0, 1) and all(math.isfinite(f["value"]) for f in got["findings"]), res, "figures")
    expect(all((f["saving_bytes"] or 0) >= 0 for f in got["findings"]), res, "savings")
    for form in ("text", "csv", "md"):
        expect(ctx.run("check", "-f", form, d).rc == res.rc, ctx.last, form)
