#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""
reports - write small reports in the SDK's layout, in as many shapes as the field may have.

A report is made from a seed and from options that a test may fix; what is not fixed is drawn from
the seed.  The shapes follow docs: profile.pop is SQLite, its tables and columns are those that are
known of the SDK, but any of them may be a view, lack its IPU or tile column, carry keys, indexes,
further columns, or values that no sane writer would put there.

For every relation the builder keeps the SQL that reads the rows back *in the order in which they
were meant* (`Report.sql`); the oracle computes from those and not from what a reader might guess.
A relation that cannot be bound has None there.

Run alone it writes one report:  reports.py DIR [SEED [KEY=VALUE...]]
"""

import os
import random
import sqlite3
import struct
import sys

KNOWN_TYPES = [
    "OnTileExecute", "DoExchange", "GlobalExchange", "Sync", "SyncAns", "Sans", "StreamCopyBegin",
    "StreamCopyMid", "StreamCopyEnd", "Sequence", "Repeat", "RepeatWhile", "If", "Switch", "Call",
    "OnEveryTileSwitch", "OnTileSwitch", "WriteUndef", "Block", "Copy", "CrossReplicaCopy",
    "AssumeEqualAcrossReplicas",
]
# Unknown to the model, or known in another spelling: they are control.
ODD_TYPES = ["Teleport", "onTileExecute", "DoExchange ", "", "\x1b[31mSync", "Sync\n", None]

CATEGORIES = [
    "variable", "constant", "stack", "message", "vertexCode", "vertexInstanceState",
    "vertexFieldData", "copyDescriptor", "vectorListDescriptor", "controlCode", "controlTable",
    "controlId", "internalExchangeCode", "globalExchangeCode", "hostExchangeCode",
    "globalExchangePacketHeader", "hostExchangePacketHeader", "instrumentationResults",
    "sharedCodeStorage", "sharedDataStorage", "brandNewCategory",
]

# Blobs are written through CAST(? AS TEXT): text that need not be UTF-8.
HOSTILE_TEXT = [
    "\x1b[31mred\x1b[0m", "\x1b]0;owned\x07", "tab\tname", "new\nline", "cr\rback", "\x7fdel\x08",
    "c1 \u009b31m csi", b"bad \xff\xfe\x80 utf8", b"cut \xe2\x82", b"over \xc0\xaf long",
    b"surrogate \xed\xa0\x80 half", "bidi \u202e evil \u2066 iso", "x" * 5000,
    '"quoted"; DROP TABLE steps; --', "it's; a 'name'", "%s%n%1000d", "\\u0041 \\ back",
    "wide \u4e2d\u6587 \U0001f600", "combining e\u0301\u0301\u0301", "line\u2028sep",
    "comma, \"csv\"", "| pipe `md` <b>", "=cmd()", " lead and trail ",
]

HOSTILE_IDENT = ['x"y', "semi;colon", "new\nline", "it's", "\x1b[31m", "ta\tb", "select",
                 "bidi\u202e",
                 "%s", "a]b", "`tick`", " ", "n" * 300]

# Never valid, whatever the column means.
BAD_NUMBERS = [None, -1, -(1 << 63), (1 << 63) - 1, (1 << 62) + 1, 1e300, -1e300, 0.5, -2.0, "text",
               "12abc", "", b"\x00\xff", float("inf"), float(1 << 54)]

STYLES = ["plain", "plain", "pk", "gaps", "norowid", "indexed", "view", "view_rename",
          "view_filter", "view_compute", "view_union", "view_join", "view_view", "generated"]
# Views over a join have no row order of their own: not for relations that need one.
ORDERED = [s for s in STYLES if s not in ("view_join", "norowid")]

COLUMNS = {
    "steps": ["id", "type", "program", "compute_set", "sync_type"],
    "steps_by_ipu": ["step_id", "ipu", "cycles", "active_tiles", "cycles_base",
                     "active_cycles_from_min", "active_cycles_from_max", "active_cycles_to_min",
                     "active_cycles_to_max"],
    "programs": ["id", "name"],
    "compute_sets": ["compute_set", "name"],
    "vars_info": ["tile", "size_bytes", "category"],
    "var_categories": ["id", "name"],
    "memory_by_tile": ["tile", "total"],
}
TEXT_COLUMNS = {("steps", "type"), ("steps", "sync_type"), ("programs", "name"), ("compute_sets", "name"),
                ("var_categories", "name")}
KEYS = {
    "steps": ["id"], "steps_by_ipu": ["step_id", "ipu"], "programs": ["id"],
    "compute_sets": ["compute_set"], "vars_info": None, "var_categories": ["id"],
    "memory_by_tile": ["tile"],
}
# Without one of these the relation is absent (MODEL.md: columns without a question mark; what
# profile.pop cannot have, such as a program's type, and what is found otherwise, an IPU or a tile
# of memory_by_tile, is not required).
REQUIRED = {
    "steps": ["id", "type"],
    "steps_by_ipu": ["step_id", "cycles", "cycles_base", "active_cycles_from_min",
                     "active_cycles_to_max"],
    "programs": ["id"],
    "compute_sets": ["compute_set", "name"],
    "vars_info": ["tile", "size_bytes"],
    "var_categories": ["id", "name"],
    "memory_by_tile": ["total"],
}
# (relation, column): numbers a bad value of which costs the row.
USED = [("steps", "id"), ("steps_by_ipu", "cycles"), ("steps_by_ipu", "cycles_base"),
        ("steps_by_ipu", "active_cycles_from_min"), ("steps_by_ipu", "active_cycles_to_max"),
        ("programs", "id"), ("compute_sets", "compute_set"), ("vars_info", "tile"),
        ("vars_info", "size_bytes"), ("vars_info", "category"), ("memory_by_tile", "total")]
UNUSED = [("steps", "program"), ("steps", "compute_set"), ("steps_by_ipu", "active_tiles"),
          ("steps_by_ipu", "active_cycles_from_max"), ("steps_by_ipu", "active_cycles_to_min")]


def q(name):
    """A name as an SQL identifier."""
    return '"' + name.replace('"', '""') + '"'


class Report:
    """What was written: where, and how to read it back."""

    def __init__(self, path):
        self.dir = path
        self.profile = os.path.join(path, "profile.pop")
        self.sql = {}       # relation -> SQL in canonical columns and in the meant order, or None
        self.columns = {}   # relation -> canonical columns that exist
        self.options = {}
        self.category_text = False
        self.position = {"ipu": False, "tile": False}   # found by the row's order


def connect(path, page_size=4096, encoding="UTF-8"):
    db = sqlite3.connect(path, isolation_level=None)
    db.execute("PRAGMA page_size=%d" % page_size)
    db.execute("PRAGMA encoding='%s'" % encoding)
    db.execute("PRAGMA journal_mode=OFF")
    db.execute("PRAGMA synchronous=OFF")
    return db


def insert(db, table, names, rows):
    """Rows of dicts or tuples; blobs in text columns go through CAST, marked ('text', blob)."""
    plain, odd = [], []
    for row in rows:
        if any(isinstance(v, tuple) for v in row):
            if plain:
                db.executemany("INSERT INTO %s (%s) VALUES (%s)" % (
                    q(table), ",".join(map(q, names)), ",".join("?" * len(names))), plain)
                plain = []
            marks = ",".join("CAST(? AS TEXT)" if isinstance(v, tuple) else "?" for v in row)
            db.execute("INSERT INTO %s (%s) VALUES (%s)" % (
                q(table), ",".join(map(q, names)), marks),
                [v[1] if isinstance(v, tuple) else v for v in row])
            odd.append(row)
        else:
            plain.append(row)
    if plain:
        db.executemany("INSERT INTO %s (%s) VALUES (%s)" % (
            q(table), ",".join(map(q, names)), ",".join("?" * len(names))), plain)


def text(value):
    """Bytes as a text value of the database; everything else as it is."""
    return ("text", value) if isinstance(value, bytes) else value


class Builder:
    """One profile.pop being written."""

    def __init__(self, rng, db):
        self.rng = rng
        self.db = db
        self.serial = 0

    def fresh(self, stem):
        self.serial += 1
        return "%s_%d" % (stem, self.serial)

    def decl(self, rel, col):
        if (rel, col) in TEXT_COLUMNS:
            return self.rng.choice(["TEXT", "VARCHAR(20)", "", "TEXT"])
        return self.rng.choice(["INTEGER", "INT", "BIGINT", "", "UNSIGNED BIG INT", "INTEGER"])

    def extras(self, n, hostile):
        """Unknown columns: name, declaration and a function that gives values."""
        out = []
        for i in range(n):
            name = self.fresh("extra")
            if hostile:
                name = self.rng.choice(HOSTILE_IDENT) + name
            out.append((name, self.rng.choice(["TEXT", "REAL", "BLOB", ""]),
                        lambda: self.rng.choice([None, "z", 1e9 + self.rng.random(), b"\x00",
                                                 text(b"\xff\xfe")])))
        return out

    def table(self, name, cols, rows, key=None, norowid=False, gaps=False, extras=(), shuffle=True):
        """cols: (physical name, declaration).  Returns the table's order expression."""
        rng = self.rng
        names = [c for c, _ in cols]
        order = list(range(len(cols)))
        if shuffle:
            rng.shuffle(order)
        parts = [q(cols[i][0]) + " " + cols[i][1] for i in order]
        for ename, edecl, _ in extras:
            parts.insert(rng.randrange(len(parts) + 1), q(ename) + " " + edecl)
        single = key is not None and len(key) == 1 and not norowid
        if single:
            parts = [q(key[0]) + " INTEGER PRIMARY KEY" if p.startswith(q(key[0]) + " ") else p
                     for p in parts]
        if key is not None and not single:
            parts.append("PRIMARY KEY (%s)" % ",".join(map(q, key)))
        defs = ", ".join(parts)
        self.db.execute("CREATE TABLE %s (%s)%s" % (q(name), defs,
                                                    " WITHOUT ROWID" if norowid else ""))
        names = names + [e[0] for e in extras]
        data = [tuple(r) + tuple(e[2]() for e in extras) for r in rows]
        if gaps:
            at, out = rng.choice([1, 0, -500, 10 ** 6]), []
            for r in data:
                at += rng.choice([1, 1, 1, 2, 7, 1000])
                out.append((at,) + r)
            insert(self.db, name, ["rowid"] + names, out)
        else:
            insert(self.db, name, names, data)
        if norowid:
            return ",".join(map(q, key))
        return "rowid"

    def relation(self, rel, cols, names, rows, style, hostile=False, index=False):
        """
        Write relation `rel` in a style.  cols: canonical columns, names: canonical -> visible name,
        rows: tuples in the order of cols.  Returns SQL that reads canonical columns in row order.
        """
        rng, db = self.rng, self.db
        extras = self.extras(rng.choice([0, 0, 1, 3]), hostile)
        decls = [(names[c], self.decl(rel, c)) for c in cols]
        pick = ", ".join("%s AS %s" % (q(names[c]), q(c)) for c in cols)
        key = KEYS[rel]
        if key is not None and not all(k in cols for k in key):
            key = None
        if key is not None:
            at = [cols.index(k) for k in key]
            seen = set()
            for r in rows:
                k = tuple(r[i] for i in at)
                if k in seen or any(not isinstance(v, int) for v in k):
                    key = None
                    break
                seen.add(k)
        if style in ("pk", "norowid") and key is None:
            style = "plain"
        if style in ("pk", "norowid"):
            order = self.table(rel, decls, rows, key=[names[k] for k in key],
                               norowid=style == "norowid", extras=extras)
            if style == "pk" and len(key) == 1:
                order = q(names[key[0]])
            return "SELECT %s FROM %s ORDER BY %s" % (pick, q(rel), order)
        if style in ("plain", "gaps", "indexed"):
            self.table(rel, decls, rows, gaps=style == "gaps", extras=extras)
            if style == "indexed" or index:
                for c in cols:
                    if rng.random() < 0.7:
                        db.execute("CREATE INDEX %s ON %s (%s)" % (
                            q(self.fresh("ix")), q(rel), q(names[c])))
            return "SELECT %s FROM %s NOT INDEXED ORDER BY rowid" % (pick, q(rel))
        if style == "generated":
            # a column computed by the table itself: table_info does not list it
            c = [x for x in cols if (rel, x) not in TEXT_COLUMNS][-1]
            i = cols.index(c)
            rest = [d for j, d in enumerate(decls) if j != i]
            stored = self.fresh("half")
            parts = ["%s %s" % (q(n), d) for n, d in rest]
            parts.append("%s" % q(stored))
            parts.append("%s INTEGER GENERATED ALWAYS AS (%s) %s" % (
                q(names[c]), q(stored), rng.choice(["VIRTUAL", "STORED"])))
            db.execute("CREATE TABLE %s (%s)" % (q(rel), ", ".join(parts)))
            insert(db, rel, [n for n, _ in rest] + [stored],
                   [tuple(v for j, v in enumerate(r) if j != i) + (r[i],) for r in rows])
            return "SELECT %s FROM %s ORDER BY rowid" % (pick, q(rel))
        return self.view(rel, cols, names, rows, style, extras)

    def view(self, rel, cols, names, rows, style, extras):
        rng, db = self.rng, self.db
        base = self.fresh("raw_" + rel)
        raw = {c: names[c] for c in cols}
        if style != "view":
            raw = {c: self.fresh("c") for c in cols}
        decls = [(raw[c], self.decl(rel, c)) for c in cols]
        expr = {c: q(raw[c]) for c in cols}
        where = ""
        source = q(base)
        if style == "view_filter":
            flag = self.fresh("dead")
            data = []
            for r in rows:
                if rng.random() < 0.2:
                    data.append(r + (1,))       # a row that the view must not show
                data.append(r + (0,))
            self.table(base, decls + [(flag, "INTEGER")], data)
            where = " WHERE %s = 0" % q(flag)
            order = "rowid"
        elif style == "view_union":
            half = len(rows) // 2
            other = self.fresh("raw_" + rel)
            self.table(base, decls, rows[:half], extras=extras)
            self.table(other, decls, rows[half:])
            shown = ", ".join("%s AS %s" % (expr[c], q(names[c])) for c in cols)
            db.execute("CREATE VIEW %s AS SELECT %s FROM %s UNION ALL SELECT %s FROM %s" % (
                q(rel), shown, q(base), shown, q(other)))
            canon = ", ".join("%s AS %s" % (expr[c], q(c)) for c in cols)
            names_only = ", ".join(q(c) for c in cols)
            return ("SELECT %s FROM (SELECT 0 AS part, rowid AS r, %s FROM %s UNION ALL "
                    "SELECT 1, rowid, %s FROM %s) ORDER BY part, r" % (
                        names_only, canon, q(base), canon, q(other)))
        elif style == "view_join":
            other, link = self.fresh("raw_" + rel), self.fresh("k")
            cut = max(1, len(cols) // 2)
            ids = rng.sample(range(1, 4 * len(rows) + 1), len(rows))
            self.table(base, [(link, "INTEGER PRIMARY KEY")] + decls[:cut],
                       [(i,) + r[:cut] for i, r in zip(sorted(ids), rows)], shuffle=False)
            self.table(other, [(link, "INTEGER PRIMARY KEY")] + decls[cut:] + [("pad", "")],
                       [(i,) + r[cut:] + (None,) for i, r in zip(sorted(ids), rows)], shuffle=False)
            source = "%s AS a JOIN %s AS b USING (%s)" % (q(base), q(other), q(link))
            order = q(link)
        else:
            self.table(base, decls, rows, gaps=rng.random() < 0.3, extras=extras)
            order = "rowid"
            if style == "view_compute":
                for c in cols:
                    if (rel, c) not in TEXT_COLUMNS and rng.random() < 0.6:
                        expr[c] = rng.choice(["(%s + 0)", "(%s * 1)", "max(%s, 0)"]) % q(raw[c])
        shown = ", ".join("%s AS %s" % (expr[c], q(names[c])) for c in cols)
        target = rel
        if style == "view_view":
            target = self.fresh("inner_" + rel)
        db.execute("CREATE VIEW %s AS SELECT %s FROM %s%s" % (q(target), shown, source, where))
        if style == "view_view":
            db.execute("CREATE VIEW %s AS SELECT * FROM %s" % (q(rel), q(target)))
        canon = ", ".join("%s AS %s" % (expr[c], q(c)) for c in cols)
        return "SELECT %s FROM %s%s ORDER BY %s" % (canon, source, where, order)


def sample_rows(rng, o):
    """The logical rows of every relation, before anything odd is done to them."""
    ipus, tiles = o["ipus"], o["tiles"]
    limit = 262144 if tiles and tiles % 1472 and tiles % 1216 == 0 else 638976
    mem = [rng.randrange(limit // 3, limit) for _ in range(tiles)]
    for t in {rng.randrange(tiles), rng.randrange(tiles)} if tiles else ():     # often a tie
        mem[t] = limit if o["fits"] else limit + 4321
    if not o["fits"] and tiles > 9:
        mem[rng.randrange(tiles)] = limit + 1
    mem = list(enumerate(mem))

    names = list(CATEGORIES)
    if o["hostile_names"]:
        names = names[:6] + [text(h) for h in HOSTILE_TEXT]
    rng.shuffle(names)
    names = names[:o["categories"]]
    stride = rng.choice([1, 1, 3, 1000]) if not o["dense_ids"] else 1
    first = rng.choice([0, 0, 1, 50]) if not o["dense_ids"] else 0
    cats = [(first + i * stride, n) for i, n in enumerate(names)]
    ids = [c for c, _ in cats]
    if o["orphans"]:
        ids.append(first + len(cats) * stride + 17)
    variables = []
    for _ in range(o["vars"] if tiles and ids else 0):
        variables.append((rng.randrange(min(tiles, 3000)), rng.choice([0, 4, 8, 64, 4096, 100000]),
                          rng.choice(ids)))
    variables.sort()

    prog_names = ["Internal", "External", "external", "EXTERNAL", "matMul/Conv_1/Convolve", "",
                  None, "Externals", "host"]
    if o["hostile_names"]:
        prog_names += [text(h) for h in HOSTILE_TEXT]
    programs = [(first + i * stride, rng.choice(prog_names)) for i in range(o["programs"])]
    sets = [(first + i * stride, rng.choice(prog_names[:2] + prog_names[4:5] * 3 +
                                            prog_names[9:])) for i in range(o["compute_sets"])]

    steps, rows = [], []
    base = [rng.randrange(0, 10000) for _ in range(ipus)]
    types = KNOWN_TYPES + ODD_TYPES
    at = rng.choice([0, 0, 1, 77])
    for _ in range(o["steps"]):
        kind = rng.choice(types) if rng.random() < 0.6 else rng.choice(types[:9])
        prog = rng.choice(programs)[0] if programs and rng.random() < 0.9 else None
        cset = None
        if sets and (kind == "OnTileExecute" or rng.random() < 0.2):
            cset = rng.choice(sets)[0]
        if kind == "Sync" and rng.random() < 0.5:
            cset = None
        if o["orphans"] and rng.random() < 0.05:
            prog, cset = 10 ** 7, rng.choice([None, 10 ** 7])
        sync = rng.choice(prog_names[:4] + [None]) if kind == "Sync" else None
        steps.append((at, kind, prog, cset, sync))
        for i in range(ipus):
            cycles = rng.choice([0, 1, 100, 5000, 123456])
            start = rng.randrange(0, 50)
            end = start + max(0, cycles - rng.randrange(0, 3))
            if o["reversed"] and rng.random() < 0.1:
                start, end = end + 5, start
            rows.append((at, i, cycles, rng.randrange(0, tiles + 1), base[i], start, start + 3,
                         max(0, end - 2), end))
            base[i] += cycles + rng.randrange(0, 100)
        at += 1 if not o["step_gaps"] else rng.choice([1, 1, 2, 10])
    if o["orphans"] and steps:
        for _ in range(3):                  # a step that `steps` does not know
            for i in range(ipus):
                rows.append((at + 1000, i, 1000, 1, base[i] + 10 ** 6, 0, 0, 0, 1000))
            at += 1
    return {"steps": steps, "steps_by_ipu": rows, "programs": programs, "compute_sets": sets,
            "vars_info": variables, "var_categories": cats, "memory_by_tile": mem}


def draw(seed, **fixed):
    """All options of a report: those given, the rest from the seed."""
    rng = random.Random(seed)
    o = {
        "ipus": rng.choice([1, 1, 2, 3, 4]),
        "replicas": rng.choice([1, 1, 1, 2]),
        "per_ipu": rng.choice([1472, 1472, 1216, 100, 7]),
        "tiles": None,
        "steps": rng.choice([0, 1, 5, 60, 200]),
        "vars": rng.choice([0, 1, 50, 800]),
        "programs": rng.choice([0, 1, 20, 60]),
        "compute_sets": rng.choice([0, 1, 20]),
        "categories": rng.choice([1, 8, 21]),
        "fits": rng.random() < 0.5,
        "hostile_names": rng.random() < 0.3,
        "hostile_idents": rng.random() < 0.3,
        "hostile_numbers": rng.choice([0, 0, 0, 1, 6]),
        "only_numbers": None,
        "orphans": rng.random() < 0.2,
        "reversed": rng.random() < 0.15,
        "dense_ids": rng.random() < 0.5,
        "step_gaps": rng.random() < 0.3,
        "shuffle": rng.random() < 0.2,
        "style": None,
        "styles": {},
        "ipu": rng.choice(["ipu", "ipu", "renamed", "absent", "hostile", "first"]),
        "tile": rng.choice(["tile", "tile", "renamed", "absent"]),
        "missing_tables": [],
        "missing_columns": [],
        "category_text": rng.random() < 0.15,
        "rename": {},
        "extra_tables": rng.choice([0, 1, 4]),
        "page_size": rng.choice([512, 1024, 4096, 4096, 4096, 16384, 65536]),
        "encoding": rng.choice(["UTF-8"] * 6 + ["UTF-16le", "UTF-16be"]),
        "analyze": rng.random() < 0.1,
        "vacuum": rng.choice([None, None, None, 1, 2]),
        "upper": False,
    }
    for k in fixed:
        if k not in o:
            raise KeyError(k)
    o.update(fixed)
    if o["tiles"] is None:
        o["tiles"] = o["ipus"] * o["replicas"] * o["per_ipu"]
    return o


def build(path, seed=0, **fixed):
    """Write DIR/profile.pop; returns the Report."""
    o = draw(seed, **fixed)
    rng = random.Random("build %s" % seed)
    os.makedirs(path, exist_ok=True)
    rep = Report(path)
    rep.options = o
    rep.category_text = o["category_text"]
    rows = sample_rows(rng, o)
    by_position = {"steps_by_ipu": o["ipu"] == "absent", "memory_by_tile": o["tile"] != "tile"}
    rep.position = {"ipu": o["ipu"] == "absent", "tile": o["tile"] != "tile"}

    if o["category_text"]:
        names = dict(rows["var_categories"])
        rows["vars_info"] = [(t, b, names.get(c, "orphanCategory"))
                             for t, b, c in rows["vars_info"]]
    if o["shuffle"]:
        for rel in ("steps", "programs", "compute_sets", "vars_info", "var_categories"):
            rng.shuffle(rows[rel])
        if o["tile"] == "tile":
            rng.shuffle(rows["memory_by_tile"])
    sprinkle(rng, rows, o)

    rep.rows = rows
    db = connect(rep.profile, o["page_size"], o["encoding"])
    if o["vacuum"]:
        db.execute("PRAGMA auto_vacuum=%d" % o["vacuum"])
    db.execute("BEGIN")
    b = Builder(rng, db)
    order = list(COLUMNS)
    rng.shuffle(order)
    for rel in order:
        if rel in o["missing_tables"]:
            rep.sql[rel] = None
            continue
        cols = [c for c in COLUMNS[rel] if (rel, c) not in o["missing_columns"]]
        if rel == "steps_by_ipu" and o["ipu"] == "absent":
            cols.remove("ipu")
        if rel == "memory_by_tile" and o["tile"] == "absent":
            cols.remove("tile")
        if not cols:
            rep.sql[rel] = None
            continue
        visible = {c: c.upper() if o["upper"] else c for c in cols}
        if rel == "steps_by_ipu" and "ipu" in cols:
            visible["ipu"] = {"ipu": "ipu", "renamed": rng.choice(["chip", "q_dev", "which"]),
                              "hostile": 'i"p;u\n\x1b[1m', "first": "ipu"}[o["ipu"]]
        if rel == "memory_by_tile" and "tile" in cols and o["tile"] == "renamed":
            visible["tile"] = rng.choice(["whereabouts", 't"i;le', "zzz"])
        for (r, c), n in o["rename"].items():
            if r == rel and c in visible:
                visible[c] = n
        keep = [COLUMNS[rel].index(c) for c in cols]
        data = [tuple(r[i] for i in keep) for r in rows[rel]]
        style = o["styles"].get(rel) or o["style"] or rng.choice(STYLES)
        if by_position.get(rel):
            while style not in ORDERED:
                style = rng.choice(ORDERED)
        sql = b.relation(rel, cols, visible, data, style, hostile=o["hostile_idents"])
        bound = all(c in cols and visible[c].lower() == c for c in REQUIRED[rel])
        rep.sql[rel] = sql if bound else None
        rep.columns[rel] = cols
    if "vars_string_table" not in o["missing_tables"]:
        db.execute("CREATE TABLE vars_string_table (id INTEGER PRIMARY KEY, s TEXT)")
        insert(db, "vars_string_table", ["id", "s"],
               [(i, text(h)) for i, h in enumerate(HOSTILE_TEXT[:6])])
    if "execution_cycle_totals" not in o["missing_tables"]:
        db.execute("CREATE TABLE execution_cycle_totals (a, b)")
        insert(db, "execution_cycle_totals", ["a", "b"], [(0, 1 << 60)])
    for i in range(o["extra_tables"]):
        name = b.fresh("other")
        if o["hostile_idents"]:
            name = HOSTILE_IDENT[(seed + i if isinstance(seed, int) else i) % len(HOSTILE_IDENT)] \
                + name
        db.execute("CREATE TABLE %s (%s, %s TEXT)" % (q(name), q("a b;\"c"), q("d")))
        insert(db, name, ["a b;\"c", "d"], [(i, text(HOSTILE_TEXT[i % len(HOSTILE_TEXT)]))])
    db.execute("COMMIT")
    if o["analyze"]:
        db.execute("ANALYZE")
    db.close()
    return rep


def sprinkle(rng, rows, o):
    """Bad numbers in columns that are used, and in some that are not."""
    for _ in range(o["hostile_numbers"]):
        rel, col = rng.choice(o["only_numbers"] or USED + UNUSED)
        if not rows[rel] or (o["category_text"] and (rel, col) == ("vars_info", "category")):
            continue
        # order within a step is how an absent IPU column is found: steps stay whole
        at = rng.randrange(len(rows[rel]))
        value = rng.choice(BAD_NUMBERS)
        if (rel, col) == ("vars_info", "category"):
            value = rng.choice([None, -1, (1 << 63) - 1, 1e300, 0.5])
        row = list(rows[rel][at])
        row[COLUMNS[rel].index(col)] = value
        rows[rel][at] = tuple(row)


# ---- damage -------------------------------------------------------------------------------------

def page_size(path):
    with open(path, "rb") as f:
        head = f.read(100)
    n = struct.unpack(">H", head[16:18])[0]
    return 65536 if n == 1 else n


def truncate(path, size):
    with open(path, "r+b") as f:
        f.truncate(size)


def noise_page(path, page, seed=1):
    """Overwrite page number `page` (from 1) with noise."""
    size = page_size(path)
    with open(path, "r+b") as f:
        f.seek((page - 1) * size)
        f.write(random.Random(seed).randbytes(size))


def root_page(path, table):
    db = sqlite3.connect("file:%s?immutable=1" % path, uri=True)
    try:
        return db.execute("SELECT rootpage FROM sqlite_master WHERE name=?", [table]).fetchone()[0]
    finally:
        db.close()


def leaves(path, table):
    """The leaves of a table's b-tree: page, the least and the greatest row id that may stand there."""
    size = page_size(path)
    with open(path, "rb") as f:
        data = f.read()

    def varint(at):
        value = 0
        for i in range(9):
            byte = data[at + i]
            if i == 8:
                return value << 8 | byte
            value = value << 7 | byte & 0x7f
            if byte < 0x80:
                return value

    def below(page, low, high):
        at = (page - 1) * size
        cells = int.from_bytes(data[at + 3:at + 5], "big")
        if data[at] == 0x0d:
            return [(page, low, high)]
        out = []
        for i in range(cells):
            cell = at + int.from_bytes(data[at + 12 + 2 * i:at + 14 + 2 * i], "big")
            key = varint(cell + 4)
            out += below(int.from_bytes(data[cell:cell + 4], "big"), low, key)
            low = key + 1
        return out + below(int.from_bytes(data[at + 8:at + 12], "big"), low, high)

    return below(root_page(path, table), None, None)


def main(argv):
    if len(argv) < 2:
        print(__doc__)
        return 2
    fixed = {}
    for a in argv[3:]:
        k, v = a.split("=", 1)
        fixed[k] = int(v) if v.lstrip("-").isdigit() else v
    rep = build(argv[1], int(argv[2]) if len(argv) > 2 else 0, **fixed)
    for k, v in sorted(rep.options.items()):
        print("%-16s %s" % (k, v))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv))
