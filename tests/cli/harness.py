# SPDX-License-Identifier: MIT
"""
harness - what the cases of the command line share: running the program, its manners, comparing.

Every run through Ctx.run() is held to the manners of
the program: no signal, no sanitizer's report, standard error safe for a terminal.
"""

import csv
import io
import os
import re
import signal
import sqlite3
import subprocess

from .. import case as case_module
from ..case import FULL, LIMIT, Failed, Skipped, at_full_depth, case  # noqa: F401
from . import oracle
from . import reports

TIMEOUT = LIMIT


class Result:
    def __init__(self, args, rc, out, err):
        self.args, self.rc, self.out, self.err = args, rc, out, err

    def show(self):
        return "$ tilescope %s\nexit %s\nstdout: %.1500r\nstderr: %.1500r" % (
            " ".join("%.200r" % a for a in self.args), self.rc, self.out, self.err)


class Ctx(case_module.Ctx):
    """One case: its directory, and the program."""

    last = None

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
    for root, dirs, files in os.walk(os.fsdecode(path)):
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
        status = (4,) if exp.partial else (0,)      # other rows left out are a warning, no failure to read
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
        more = ["--units", "bytes"] if form == "text" else []
        res = ctx.run("summary", "-f", form, *more, rep.dir)
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
            for k in want:
                expect(str(want[k]) in digits(text), res, "%s: no %s %d" % (form, k, want[k]))


RELATIONS = {"memory_by_tile": "tile_memory", "var_categories": "memory_category",
             "vars_info": "lowered_variable", "programs": "program", "compute_sets": "compute_set",
             "steps": "step", "steps_by_ipu": "step_ipu"}


def schema_bindings(res, rep, got):
    """The JSON of `schema`: what bound, what did not and why."""
    found = {r["name"]: r for r in got["relations"]}
    for rel, name in RELATIONS.items():
        expect(name in found, res, "no relation %s" % name)
        r = found[name]
        bound = rep.sql[rel] is not None
        expect(r["bound"] is bound, res, "%s: bound is %r" % (name, r["bound"]))
        if r["bound"]:
            expect(r["object"].lower() == rel, res, "%s: from %r" % (name, r["object"]))
        else:
            expect(isinstance(r["reason"], str) and r["reason"], res, "%s: no reason" % name)


def schema_ok(ctx, rep, bindings=True):
    """`schema` in text and JSON names every table, its columns, and what bound."""
    before = snapshot(rep.dir)
    db = sqlite3.connect("file:%s?immutable=1" % rep.profile, uri=True)
    tables = [r[0] for r in db.execute("SELECT name FROM sqlite_master WHERE type IN "
                                       "('table','view') AND name NOT LIKE 'sqlite_%'")]
    columns = {}
    for t in tables:
        try:
            columns[t] = [r[1] for r in db.execute("PRAGMA table_xinfo(%s)" % reports.q(t))]
        except sqlite3.OperationalError:
            pass            # a broken view
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
    shown = {o["name"]: [c["name"] for c in o["columns"]] for o in got["objects"]
             if not o["problem"]}
    for t in columns:
        expect(t not in shown or sorted(shown[t]) == sorted(columns[t]), res,
               "columns of %.60r" % t)
    if bindings:
        schema_bindings(res, rep, got)
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
