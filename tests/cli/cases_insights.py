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

SHAPE = ("--ipus", "2", "--tiles", "120", "--steps", "80")
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


def profile_of(d):
    return os.path.join(d, "profile.pop")


def change(d, *statements):
    """SQL on the profile of a directory."""
    db = sqlite3.connect(profile_of(d))
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


OF_TILES = ("worst-tile-share", "overflowed-bytes", "tile-imbalance", "gaps-share", "code-share", "exchange-code-share",
            "profiling-share")


def agree(res, got, want, partial=False):
    """
    Every measure that is known, known and the same; every severity as the rules say.  partial: not all tiles are known,
    so what would be good of them is not known.
    """
    rules = insights.rules()
    found = {f["id"]: f for f in got["findings"]}
    unknown = {f["id"] for f in got["not_known"]}
    expect(set(found) | unknown | set(got["off"]) == set(rules), res, "every rule is there once")
    for name, (measure, limits) in rules.items():
        if measure not in want or name in got["off"]:
            continue
        if want[measure] is None or (partial and measure in OF_TILES and
                                     insights.severity(limits, want[measure]) == "ok"):
            expect(name in unknown, res, "%s: what it needs is not there" % name)
            continue
        expect(name in found, res, "%s is not known" % name)
        f = found[name]
        expect(f["measure"] == measure, res, "measure of %s" % name)
        expect(math.isclose(f["value"], want[measure], rel_tol=1e-9, abs_tol=1e-12), res,
               "%s: %r, expected %r" % (measure, f["value"], want[measure]))
        expect(f["severity"] == insights.severity(limits, want[measure]), res,
               "%s is %s" % (name, f["severity"]))


@case(params=["demo", "oom", "uneven"], sample=2)
def check_against_oracle(ctx, kind):
    """Reports of the demo: figures, severities, places that open, the same in every format."""
    d = demo(ctx, *(["--oom"] if kind == "oom" else []))
    if kind == "uneven":
        change(d, "UPDATE memory_by_tile SET total = total / 5, total_including_gaps = total_including_gaps / 4 WHERE tile > 9",
               *("UPDATE memory_not_always_live_by_step_and_ipu SET delta_bytes = delta_bytes %s 50000000 WHERE ipu IS NULL AND "
                 "step_id = (SELECT m%s(step_id) FROM memory_not_always_live_by_step_and_ipu WHERE ipu IS NULL AND step_id > 500)"
                 % pair for pair in (("+", "in"), ("-", "ax"))))
    got, res = look(ctx, d)
    agree(res, got, insights.of_report(profile_of(d)))
    expect(got["warnings"] == [], res, "warnings")
    unknown = {f["id"] for f in got["not_known"]}
    expect(unknown <= {"M11", "X08", "X09"} or kind == "oom" and all(i[0] == "X" or i == "M11" for i in unknown), res,
           "all but types is known: %s" % unknown)
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
    "overlap": ("2", "2000", ["UPDATE steps_by_ipu SET active_cycles_to_max = active_cycles_to_max + cycles / 2 WHERE step_id % 5 = 0"]),
    "estimated": ("2", "2000", ["DELETE FROM compute_set_cycles_by_tile WHERE compute_set_id % 3"]),
    "no_runs": ("3", "800", ["DELETE FROM runs"]),
    "idle": ("2", "2000", ["UPDATE compute_sets SET name = 'Copy_' || name WHERE compute_set % 4 = 0"]),
}


@case(params=sorted(EXECUTIONS), sample=2, smoke=1)
def check_execution(ctx, kind):
    """Rules of the execution against plain Python over the rows: with the index, and without one."""
    ipus, steps, sql = EXECUTIONS[kind]
    d = ctx.path("report")
    res = ctx.run("demo", d, "--no-archive", "--ipus", ipus, "--tiles", "60", "--steps", steps)
    expect(res.rc == 0, res, "demo")
    change(d, *sql)
    want = oracle_trace.measures(profile_of(d))
    expect(sum(v is not None for v in want.values()) >= 8, res, "most is known: %s" % want)
    for args in ((), ("--cache", "none")):
        got, res = look(ctx, d, *args, rc=ctx.run("check", d).rc)
        agree(res, got, want)


@case(params=range(12), sample=2, smoke=1)
def check_seed(ctx, seed):
    """Profiles drawn from a seed, hostile numbers and names among them."""
    rep = reports.build(ctx.path("report"), 4000 + seed)
    partial = ctx.run("summary", rep.dir).rc == 4       # tiles that are not known
    got, res = look(ctx, rep.dir, **({"rc": 4} if partial else {}))
    agree(res, got, insights.of_profile(rep), partial)
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


@case()
def check_with_index(ctx):
    """The index is built first, where --cache says, and not where it says none; figures are those of the rows."""
    d = demo(ctx, "--ipus", "4", "--steps", "900")
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
    "target_info": {"M01"},
    "memory_by_tile": {"M01", "M02", "M03", "M04"},
    "eq_class_step": {"M10"},
    "memory_by_category": set(),                    # from the lowered variables
    "var_categories": set(),
    "depth_first_steps": {"M07", "M10"},
    "var_bytes_by_eq_class": {"M10"},
    "unlowered_vars": {"M10"},
}


@case(params=sorted(ABSENT), sample=3, smoke=1)
def check_absent(ctx, table):
    """A relation that is not there: what needs it is not known, with the reason; the rest as ever."""
    configure(ctx, MEMORY)
    d = change(demo(ctx), "DROP TABLE %s" % table)
    got, res = look(ctx, d, rc=0)
    gone = {f["id"] for f in got["not_known"]}
    expect(gone >= ABSENT[table], res, "not known: %s" % gone)
    if table != "var_categories":
        agree(res, got, insights.of_report(profile_of(d)))


@case()
def check_nothing(ctx):
    """An archive alone; a profile without memory; a store of nothing: nothing passes silently."""
    d = ctx.path("whole")
    configure(ctx, MEMORY)
    ctx.run("demo", d, *SHAPE)
    os.mkdir(ctx.path("alone"))
    alone = shutil.move(os.path.join(d, "archive.a"), ctx.path("alone", "archive.a"))
    got, res = look(ctx, alone, rc=0)
    known = {f["id"] for f in got["findings"]}
    expect("M03" in known and "M05" not in known, res, "archive alone: %s" % sorted(known))
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
    pages = reports.leaves(profile_of(d), "memory_by_tile")
    reports.noise_page(profile_of(d), pages[len(pages) // 2][0])
    got, res = look(ctx, d, rc=4)
    unknown = {f["id"]: f["reason"] for f in got["not_known"]}
    expect(got["warnings"] and "warning" in res.err.decode(), res, "a warning")
    for f in got["findings"]:
        expect(f["severity"] != "ok" or f["id"] not in ("M01", "M02", "M03", "M04", "M05", "M06"), res,
               "%s is fine" % f["id"])
    expect("not all of it can be read" in unknown["M02"], res, "M02")


EXTREMES = {
    "zero": "UPDATE memory_by_tile SET total = 0, total_including_gaps = 0, overflowed = 0",
    "huge": "UPDATE memory_by_tile SET total = 1 << 51, total_including_gaps = 1 << 51, overflowed = 1 << 51",
    "one-huge": "UPDATE memory_by_tile SET total_including_gaps = 1 << 62, overflowed = 1 << 62 WHERE tile = 7",
    "negative": "UPDATE memory_by_tile SET total = -1 WHERE tile % 2",
    "no-limit": "UPDATE target_info SET bytes_per_tile = 0",
    "beyond": "UPDATE memory_by_tile SET tile = tile + 1000000 WHERE tile > 5",
    "steps": "UPDATE memory_not_always_live_by_step_and_ipu SET delta_bytes = 1 << 61 WHERE step_id = 3",
    "variables": "UPDATE var_bytes_by_eq_class SET bytes = 1 << 62",
    "still": "UPDATE memory_not_always_live_by_step_and_ipu SET delta_bytes = 0",
    # 2^60 on each tile
    "categories": "UPDATE memory_by_category SET non_interleaved_non_overlapped = "
                  "CAST(replace(hex(zeroblob(120)), '00', x'1000000000000080') AS BLOB)",
}


@case(params=sorted(EXTREMES), sample=2)
def check_extremes(ctx, what):
    """Numbers at their ends: an answer in every format, finite and without a crash."""
    d = change(demo(ctx), EXTREMES[what])
    res = ctx.run("check", "-f", "json", d)
    got = parse(res)
    expect(res.rc in ((4,) if what == "negative" else (0, 1)) and all(math.isfinite(f["value"]) for f in got["findings"]), res, "figures")
    expect(all((f["saving_bytes"] or 0) >= 0 for f in got["findings"]), res, "savings")
    for form in ("text", "csv", "md"):
        expect(ctx.run("check", "-f", form, d).rc == res.rc, ctx.last, form)
