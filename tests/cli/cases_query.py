# SPDX-License-Identifier: MIT
"""cases_query - `tilescope query`: rows in every format, statuses, what is refused, large and damaged."""

import csv
import io
import json
import os
import signal
import sqlite3
import subprocess
import time

from .harness import FULL, case, expect, manners, one_line, plain, snapshot, unsafe, untouched, Result

# text that formats and terminals trip over, one row each
ODD = ["plain", "", "a,b", 'say "x"', "two\nlines", "cr\r\nlf", "\x1b[31mred\x07", "tab\there",
       "\u202eback", "\u00e4\u4e2d\U0001f600", "pipe|and\\", "<b>&amp;", "'; DROP TABLE t; --"]


def odd_file(ctx, name="odd.db"):
    """A database that is no report."""
    path = ctx.path(name)
    db = sqlite3.connect(path)
    db.execute("CREATE TABLE t(i INTEGER, s TEXT, r REAL, b BLOB, n)")
    for i, s in enumerate(ODD):
        db.execute("INSERT INTO t VALUES(?,?,?,?,NULL)", (i - 2, s, i / 4, bytes(range(i))))
    db.execute("INSERT INTO t VALUES(9223372036854775807, CAST(x'ff41' AS TEXT), 9e999, x'', NULL)")
    db.commit()
    db.close()
    return path


def ask(ctx, path, sql, *args, rc=0):
    res = ctx.run("query", *args, path, sql)
    expect(res.rc == rc, res, "exit status %s, expected %s" % (res.rc, rc))
    return res


@case(smoke=1)
def json_rows(ctx):
    """An array of objects; numbers, NULL and blobs as docs say; a name that stands twice."""
    path = odd_file(ctx)
    before = snapshot(ctx.dir)
    res = ask(ctx, path, "SELECT *, i AS s FROM t", "-f", "json")
    untouched(before, ctx.dir, res)
    rows = json.loads(res.out)
    expect(len(rows) == len(ODD) + 1, res, "rows")
    for i, s in enumerate(ODD):
        want = {"i": i - 2, "s": s, "r": i / 4, "b": bytes(range(i)).hex(), "n": None, "s_2": i - 2}
        expect(rows[i] == want, res, "row %d is %r" % (i, rows[i]))
    last = rows[-1]
    expect(last["i"] == 2 ** 63 - 1 and last["r"] is None and last["s"] == "\ufffdA", res, "last row")
    expect(json.loads(ask(ctx, path, "SELECT 1 WHERE 0", "-f", "json").out) == [], ctx.last, "empty")


@case(smoke=1)
def csv_rows(ctx):
    """RFC 4180; NULL is an empty field, an empty text is quoted."""
    path = odd_file(ctx)
    res = ask(ctx, path, "SELECT s, i, n, b FROM t LIMIT %d" % len(ODD), "-f", "csv")
    text = res.out.decode()
    rows = list(csv.reader(io.StringIO(text, newline=""), strict=True))
    expect(rows[0] == ["s", "i", "n", "b"], res, "header")
    for i, s in enumerate(ODD):
        expect(rows[i + 1] == [s, str(i - 2), "", bytes(range(i)).hex()], res,
               "row %d is %r" % (i, rows[i + 1]))
    expect('\r\n"",-1,,' in text and text.endswith("\r\n"), res, "empty text, line ends")


@case(params=["text", "md"])
def safe_rows(ctx, form):
    """Text and Markdown: a line for each row, nothing that drives a terminal."""
    res = ask(ctx, odd_file(ctx), "SELECT * FROM t", "-f", form)
    text = res.out.decode()
    expect(unsafe(text) is None, res, "has %r" % unsafe(text))
    lines = text.splitlines()
    expect(len(lines) == len(ODD) + 3, res, "%d lines" % len(lines))
    if form == "md":
        bars = [len(l.replace("\\|", "")) - len(l.replace("\\|", "").replace("|", "")) for l in lines]
        expect(set(bars) == {6}, res, "bars: %s" % bars)
    else:
        expect(lines[1].replace(" ", "").strip("-") == "", res, "no rule below the header")
        expect("NULL" in text and "12 bytes: 000102030405060708090a0b" in text, res, "NULL, blobs")


@case()
def output_file(ctx):
    """-o: the file is complete or not there."""
    path, to = odd_file(ctx), ctx.path("out.csv")
    res = ask(ctx, path, "SELECT i FROM t", "-f", "csv", "-o", to)
    expect(res.out == b"" and open(to, "rb").read().startswith(b"i\r\n-2\r\n"), res, "the file")
    os.unlink(to)
    ask(ctx, path, "SELECT nonsense FROM t", "-o", to, rc=2)
    expect(not os.path.exists(to), ctx.last, "a file in spite of an error")
    ask(ctx, path, "SELECT abs(-9223372036854775808 + (i - i)) FROM t", "-o", to, rc=2)
    expect(os.listdir(ctx.dir).count("out.csv") == 0, ctx.last, "a file in spite of a late error")
    expect(not [n for n in os.listdir(ctx.dir) if n.endswith(".tmp")], ctx.last, "a temporary file stays")
    res = ctx.run("query", "-o", ctx.path("no", "where"), path, "SELECT 1")
    one_line(res, "cannot write", rc=3)


REFUSED = {
    "attach": "ATTACH 'other.db' AS o", "write": "DELETE FROM t", "pragma": "PRAGMA journal_mode=WAL",
    "two": "SELECT 1; SELECT 2", "none": " ;", "syntax": "SELEKT 1", "column": "SELECT x FROM t",
    "relation": "SELECT * FROM step", "function": "SELECT load_extension('x')",
    "into": "VACUUM INTO 'copy.db'", "parameter": "SELECT ?", "escape": "SELECT \"\x1b[31m\"",
}


@case(params=sorted(REFUSED), sample=15, smoke=3)
def refused(ctx, p):
    path = odd_file(ctx)
    before = snapshot(ctx.dir)
    res = ctx.run("query", path, REFUSED[p])
    untouched(before, ctx.dir, res)
    one_line(res, rc=2)
    expect(res.out == b"", res, "output in spite of an error")


@case()
def words(ctx):
    path = odd_file(ctx)
    one_line(ctx.run("query", path), "SQL is missing", rc=2)
    one_line(ctx.run("query", "--relations", path, "SELECT 1"), "no SQL", rc=2)
    for seconds in ("soon", "-1", "nan", "1e99"):
        res = ctx.run("query", "--timeout", seconds, path, "SELECT 1")
        expect(res.rc == 2 and b"seconds" in res.err and res.out == b"", res, "a timeout that is none")
    one_line(ctx.run("query", ctx.path("nowhere"), "SELECT 1"), rc=3)
    expect(b"--relations" in ctx.run("help", "query").out, ctx.last, "help")


@case(params=range(6))
def same_as_sqlite(ctx, seed):
    """Relations of reports of many shapes: what the oracle's own SQL says of the tables behind them."""
    rep = plain(ctx, 300 + seed)
    db = sqlite3.connect("file:%s?immutable=1" % rep.profile, uri=True)
    sql = {"SELECT count(*), sum(cycles) FROM step_ipu":
           "SELECT count(*), sum(cycles) FROM steps_by_ipu",
           "SELECT type, count(*) FROM step GROUP BY 1 ORDER BY 1":
           "SELECT type, count(*) FROM steps GROUP BY 1 ORDER BY 1",
           "SELECT step, max(ipu), count(*) FROM step_ipu WHERE step BETWEEN 7 AND 19 GROUP BY 1":
           "SELECT step_id, count(*)-1, count(*) FROM steps_by_ipu WHERE step_id BETWEEN 7 AND 19"
           " GROUP BY 1 ORDER BY 1",
           "SELECT sum(bytes), max(tile) FROM lowered_variable":
           "SELECT sum(size_bytes), max(tile) FROM vars_info",
           "SELECT step, name FROM step WHERE step < 500 ORDER BY 1":
           "SELECT s.id, coalesce((SELECT name FROM compute_sets c WHERE c.compute_set = s.compute_set"
           " ORDER BY rowid LIMIT 1), (SELECT name FROM programs p WHERE p.id = s.program ORDER BY rowid"
           " LIMIT 1)) FROM steps s WHERE s.id < 500 ORDER BY 1",
           "SELECT max(total), count(*) FROM tile_memory": "SELECT max(total), count(*) FROM memory_by_tile",
           "SELECT s.step, sum(i.cycles) FROM step s JOIN step_ipu i USING (step) WHERE s.type ="
           " 'DoExchange' GROUP BY 1 ORDER BY 1":
           "SELECT s.id, sum(cycles) FROM steps s JOIN steps_by_ipu ON step_id = s.id WHERE s.type ="
           " 'DoExchange' GROUP BY 1 ORDER BY 1"}
    for ours, theirs in sql.items():
        res = ask(ctx, rep.dir, ours, "-f", "json")
        got = [tuple(r.values()) for r in json.loads(res.out)]
        expect(got == db.execute(theirs).fetchall(), res, "differs from %s" % theirs)
    db.close()


@case(smoke=1)
def relations(ctx):
    """--relations: what is bound to what, and why something is not."""
    rep = plain(ctx, 310, missing_tables=["var_categories"])
    res = ctx.run("query", "--relations", "-f", "json", rep.dir)
    expect(res.rc == 0, res, "exit status")
    rows = json.loads(res.out)
    step = {r["column"]: r for r in rows if r["relation"] == "step_ipu"}
    expect(step["cycles"]["table"] == "steps_by_ipu" and step["cycles"]["from"] == "cycles", res, "cycles")
    expect(step["data_in"]["from"] is None and step["data_in"]["note"], res, "data_in")
    absent = [r for r in rows if r["relation"] == "memory_category"]
    expect(len(absent) == 1 and "var_categories" in absent[0]["note"], res, "absent: %s" % absent)
    res = ctx.run("query", rep.dir, "SELECT * FROM memory_category")
    one_line(res, "memory_category is not in this report", "var_categories", rc=2)


@case()
def many_rows(ctx):
    """A million rows in the memory of a few; a pipe that is closed ends it without a word."""
    path = odd_file(ctx)
    sql = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM n WHERE i<%d) SELECT i, 'name ' || i FROM n"
    for form in ("text", "csv", "json", "md"):
        res = ask(ctx, path, sql % 100000, "-f", form)
        expect(b"name 100000" in res.out and res.out.count(b"\n") >= 100000, res, "rows")
    p = subprocess.Popen([ctx.program, "query", path, sql % 100000000], stdout=subprocess.PIPE,
                         stderr=subprocess.PIPE, env=ctx.env())
    first = p.stdout.readline()
    p.stdout.close()
    err = p.stderr.read()
    expect(p.wait(120) == 0 and err == b"" and b"i" in first, None, "broken pipe: %r %s" % (err, p.returncode))


@case(depth=FULL)
def sorting_spills(ctx):
    """A sort of more than the memory that is allowed."""
    sql = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM n WHERE i<250000)" \
          " SELECT i, hex(randomblob(500)) AS x FROM n ORDER BY x LIMIT 2 OFFSET 249990"
    res = ask(ctx, odd_file(ctx), sql, "-f", "csv")
    expect(res.out.count(b"\r\n") == 3, res, "rows")


@case()
def stopped(ctx):
    """--timeout: what there is, and 4; SIGINT: 130, at once."""
    path = odd_file(ctx)
    endless = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM n) SELECT count(*) FROM n"
    res = ctx.run("query", "--timeout", "0.2", path, endless)
    one_line(res, "stopped after 0.2 seconds", rc=4)
    p = subprocess.Popen([ctx.program, "query", path, endless], stdout=subprocess.PIPE,
                         stderr=subprocess.PIPE, env=ctx.env())
    while "State:\tR" not in open("/proc/%d/status" % p.pid).read() or \
            not busy(p.pid):                # it is in the statement, no more at its begin
        time.sleep(0.01)
    p.send_signal(signal.SIGINT)
    out, err = p.communicate(timeout=120)
    res = Result(["query", path, endless], p.returncode, out, err)
    manners(res)
    expect(res.rc == 130, res, "exit status")


def busy(pid):
    """Has it used a tenth of a second of the processor?"""
    fields = open("/proc/%d/stat" % pid).read().rpartition(")")[2].split()
    return int(fields[11]) + int(fields[12]) >= os.sysconf("SC_CLK_TCK") / 10


@case(smoke=1)
def damaged(ctx):
    """A relation has the rows behind the damage, a table those before it, and 4; what does not touch it, and 0."""
    rep = plain(ctx, 320, steps=20000)
    size = os.path.getsize(rep.profile)
    db = sqlite3.connect("file:%s?immutable=1" % rep.profile, uri=True)
    whole = db.execute("SELECT count(*) FROM steps_by_ipu").fetchone()[0]
    tiles = db.execute("SELECT count(*), sum(total) FROM memory_by_tile").fetchone()
    root = db.execute("SELECT name, rootpage FROM sqlite_master WHERE rootpage > 0 ORDER BY 2").fetchall()
    page = db.execute("PRAGMA page_size").fetchone()[0]
    db.close()
    with open(rep.profile, "r+b") as f:
        f.seek(dict(root)["steps_by_ipu"] * page - page)
        interior = f.read(page)
        expect(interior[0] == 5, None, "the table has one page")
        cell = int.from_bytes(interior[12 + 20:12 + 22], "big")    # its 11th leaf
        leaf = int.from_bytes(interior[cell:cell + 4], "big")
        f.seek((leaf - 1) * page)
        f.write(b"\xff" * page)
    res = ctx.run("query", "-f", "json", rep.dir, "SELECT count(*) AS n FROM step_ipu")
    expect(res.rc == 4 and b"step_ipu" in res.err, res, "a relation")
    n = json.loads(res.out)[0]["n"]
    expect(whole // 2 < n < whole, res, "%d of %d rows" % (n, whole))
    res = ctx.run("query", "-f", "json", "-q", rep.dir, "SELECT * FROM main.steps_by_ipu")
    expect(res.rc == 4 and 0 < len(json.loads(res.out)) < n, res, "the table itself")
    res = ask(ctx, rep.dir, "SELECT count(*) AS n, sum(total) AS s FROM tile_memory", "-f", "json")
    expect(json.loads(res.out) == [{"n": tiles[0], "s": tiles[1]}] and res.err == b"", res, "another table")
    expect(os.path.getsize(rep.profile) == size, res, "the file")


def cbor(v, indefinite=False):
    """CBOR of numbers, texts, lists, maps, True, False and None."""
    def head(major, n):
        if n < 24:
            return bytes([major << 5 | n])
        size = next(size for size in (1, 2, 4, 8) if n < 256 ** size)
        return bytes([major << 5 | 23 + size.bit_length()]) + n.to_bytes(size, "big")
    if v is None or v is True or v is False:
        return {None: b"\xf6", True: b"\xf5", False: b"\xf4"}[v]
    if isinstance(v, int):
        return head(0, v) if v >= 0 else head(1, -1 - v)
    if isinstance(v, str):
        return head(3, len(v.encode())) + v.encode()
    inner = [x for kv in v.items() for x in kv] if isinstance(v, dict) else v
    major, body = 5 if isinstance(v, dict) else 4, b"".join(cbor(x, indefinite) for x in inner)
    return (bytes([major << 5 | 31]) + body + b"\xff") if indefinite else head(major, len(v)) + body


@case(params=["strings-first", "indefinite", "cut", "one-up", "own"], sample=2, smoke=1)
def contexts(ctx, p):
    """The relation `context` is debug.cbor's where the report has none; ids of 64 bits join."""
    path = ctx.path("d")
    os.mkdir(path)
    db = sqlite3.connect(os.path.join(path, "profile.pop"))
    db.executescript("CREATE TABLE programs(id, name, debug_context); INSERT INTO programs VALUES (1, 'p', 7), "
                     "(2, 'q', -3), (3, 'r', 9223372036854775807), (4, 's', 'x');")
    if p == "own":
        db.executescript("CREATE TABLE report(key, value); INSERT INTO report VALUES ('store_version', 1);"
                         "CREATE TABLE context(context, layer, name); INSERT INTO context VALUES (5, 'l', 'mine');")
    db.close()
    odd = {"t": 'say "x"\n', "n": [1, -5, [], {}, {"a": None}], "b": True}
    all = [{"id": 7, "parentId": "2", "name": 1, "layer": "popart", **odd,
            "location": {"fileName": 2, "functionName": 0, "lineNumber": 12}},
           {"id": 2 ** 64 - 3, "name": 0, "layer": "x"}, {"name": 0}, {"id": 2 ** 63 - 1, "name": "2", "layer": "x"}]
    strings = ["zero", "one \u4e2d", "two"]
    bytes_ = cbor({"stringTable": strings, "contexts": all} if p == "strings-first"
                  else {"contexts": all, "stringTable": strings}, p == "indefinite")
    with open(os.path.join(ctx.dir if p == "one-up" else path, "debug.cbor"), "wb") as f:
        f.write(bytes_[:-7] if p == "cut" else bytes_)
    res = ask(ctx, path, "SELECT * FROM context ORDER BY context", "-f", "json", rc=4 if p == "cut" else 0)
    rows = json.loads(res.out)
    if p == "own":
        expect([r["name"] for r in rows] == ["mine"], res, "the report's own")
        return
    expect([r["context"] for r in rows] == [-3, 7, 2 ** 63 - 1], res, "ids")
    got = rows[1]
    expect(json.loads(got.pop("details")) == odd and rows[0]["details"] is None, res, "details")
    want = {"context": 7, "parent": 2, "layer": "popart", "name": "one \u4e2d", "file": "two", "function": "zero",
            "line": 12}
    expect(got == dict(want, **{"name": None, "file": None} if p == "cut" else {}), res, "a context")
    res = ask(ctx, path, "SELECT program, c.name FROM program JOIN context c USING (context) ORDER BY 1", "-f", "csv",
              rc=4 if p == "cut" else 0)
    want = ["1,one \u4e2d", "2,zero", "3,two"]
    expect(p == "cut" or res.out.decode().split("\r\n")[1:-1] == want, res, "joined by id")
    res = ctx.run("query", "--relations", "-f", "csv", path)
    expect(b"context,line,integer,debug,contexts,contexts[].location.lineNumber," in res.out, res, "--relations")
    got = json.loads(ctx.run("schema", "-f", "json", path).out)
    one, = [r for r in got["relations"] if r["name"] == "context"]
    expect(one["bound"] and one["source"].endswith("debug.cbor") and one["reason"] is None, ctx.last, "schema")
    expect(b"contexts, index, of " in ctx.run("schema", path).out, ctx.last, "schema as text")
