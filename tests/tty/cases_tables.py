# SPDX-License-Identifier: MIT
"""Tables of any file, and the answers of :sql."""

import os
import sqlite3
import time

from .harness import FULL, case, expect
from .terminal import LIMIT


def other(ctx):
    """A database that is no report: row ids with gaps, no row ids, a view, wide, blobs."""
    path = ctx.path("other.db")
    db = sqlite3.connect(path)
    wide = ", ".join("column_%02d INT" % i for i in range(40))
    db.executescript("""
        CREATE TABLE gaps(id INTEGER PRIMARY KEY, name TEXT, part REAL, cycles_by_tile BLOB);
        CREATE TABLE keyed(k TEXT PRIMARY KEY, v) WITHOUT ROWID;
        CREATE VIEW names AS SELECT name, count(*) AS n FROM gaps GROUP BY name;
        CREATE TABLE wide(%s);
        CREATE TABLE empty(x);
        """ % wide)
    db.executemany("INSERT INTO gaps VALUES(?,?,?,?)", (
        (i * 3, "name %d" % (i % 100), i / 8, bytes((i % 7, 0, 0, 0)) * 4) for i in range(2000)))
    db.execute("INSERT INTO keyed SELECT 'k' || id, part FROM gaps")
    db.execute("INSERT INTO wide(column_00, column_39) VALUES(7, 4711)")
    db.commit()
    db.close()
    return path


def command(t, line):
    t.press(":")
    t.type(line)
    t.press("\r")


def while_busy(t, text):
    """Until a text is there, though the program does not come to rest."""
    end = time.monotonic() + LIMIT
    while text not in t.text():
        t.pump(0.05)
        if time.monotonic() > end:
            t.fail("never showed %r" % text)


@case(params=[(80, 24), (120, 40), (200, 60)], sample=1, smoke=1)
def tables_of_a_report(ctx, size):
    path = os.path.join(ctx.demo, "profile.pop")
    db = sqlite3.connect("file:%s?mode=ro" % path, uri=True)
    rows = db.execute("SELECT count(*) FROM steps_by_ipu").fetchone()[0]
    last = db.execute("SELECT step_id FROM steps_by_ipu ORDER BY rowid DESC LIMIT 1").fetchone()[0]
    t = ctx.pty(ctx.demo, size=size)
    t.press("9")
    t.wait("is report")
    t.has("package_hash", "row 1 of ")
    names = [r[0] for r in db.execute("SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'")]
    t.press(*["down"] * names.index("steps_by_ipu"))
    t.wait("{:,} rows".format(rows))
    t.press("tab", "G")
    t.wait("row {0:,} of {0:,}".format(rows))
    t.has(str(last))
    command(t, "goto 2")
    t.wait("row 2 of {:,}".format(rows))
    t.press("z")
    t.lacks("Tables ─")
    t.press("z", "\r")
    t.wait("active_tile_balance")
    t.has("Row ")
    t.press("\r")
    t.clean()
    t.quit()


@case()
def tables_of_anything(ctx):
    """What is no report opens in Tables; gaps are counted, rows without row ids read forwards."""
    t = ctx.pty(other(ctx), size=(120, 40), wait="nothing is known of this database but its tables")
    t.wait("2,000 rows")
    t.has("nothing is bound to it", "4 tiles, sum 0, most 0")
    t.press("tab", "G")
    t.wait("row 2,000 of 2,000")
    t.has("5997", "249.875")
    t.press("&")
    t.type("id>30 name:7 part<100")
    t.press("\r")
    t.wait("rows match")
    t.has("& id>30 name:7 part<100")
    t.press("right", "o")
    t.wait("row 1 of ")
    t.press("O")
    t.wait("name 97")
    t.press("&")
    t.type("nosuch=1")
    t.press("\r")
    t.wait('there is no column "nosuch": id, ')
    t.press("&", "\r")
    t.wait("2,000 rows")
    command(t, "sort id")
    t.wait("row 1 of 2,000")
    t.press("tab", "tab", "down")
    t.wait("rows are read forwards")
    t.has("k0")
    t.press("down")
    t.wait("name 0")
    t.press("down")
    t.wait("40 columns")
    t.press("tab", *["right"] * 39)
    t.wait("[column_39]")
    t.has("4711")
    t.press("down", "tab", "tab", "down")
    t.wait("0 rows")
    t.has("No rows.")
    for key in ("1", "3", "4", "7", "8", "9"):
        t.press(key)
        t.clean()
    t.quit()


@case()
def sql_answers(ctx):
    t = ctx.pty(ctx.demo, size=(120, 40))
    command(t, "sql SELECT type, count(*) AS n FROM step GROUP BY type ORDER BY n DESC")
    t.wait("DoExchange")
    t.has("type", "row 1 of ", "SELECT type, count(*)")
    t.press("\r")
    t.wait("row 1 of ")
    t.press("\r")
    command(t, "sql SELECT * FROM host")
    t.wait("the relation host is not in this report")
    command(t, "sql DELETE FROM steps")
    t.wait("writing is not allowed")
    command(t, "sql SELEKT")
    t.wait("syntax error")
    t.press(":", "up", "up", "up", "up", "\r")          # the first of them, from the history
    t.wait("DoExchange")
    command(t, "sql")
    t.wait(":sql SELECT type")
    t.press("esc")
    command(t, "sql SELECT a.step FROM step a, step b")
    t.wait("the first 10,000 rows")
    t.press("G")
    t.wait("row 10,000 of 10,000")
    command(t, "sql SELECT %s FROM step a, step b" % ",".join(["a.step"] * 64))  # memory is bounded by values
    t.wait("the first 4,096 rows")
    t.send(":sql WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM n) SELECT max(i) FROM n\r")
    while_busy(t, "rows read in")
    t.send("\x03")
    t.wait("cancelled")
    t.press("q")
    t.lacks("SQL ─")
    t.quit()


@case(params=[(2000, 80, 24), (1999, 200, 100)], depth=FULL)
def tables_of_many_columns(ctx, p):
    """As many columns as SQLite has: a window has fewer rows, and at least those in sight."""
    columns, size = p[0], p[1:]
    path = ctx.path("wide.db")
    db = sqlite3.connect(path)
    names = ["c%d" % i for i in range(columns)]
    db.execute("CREATE TABLE wide(%s)" % ",".join(names))
    for i in range(0, 300):
        db.execute("INSERT INTO wide(c0, c1, c1998) VALUES(?, ?, ?)", (i, "row-%d." % i, "end-%d." % i))
    db.commit()
    db.close()
    t = ctx.pty(path, size=size, wait="row-0.")
    t.press("tab")
    if columns == 1999:                 # else it is read forwards: no column is left for the row id
        t.press("G")
        t.wait("row-299.")
    t.press("pgdn", "pgdn", "pgup", "pgdn", "pgdn")
    t.wait(lambda text: "row-299." in text or "row-40." in text)
    t.press("g", "g")
    t.wait("row-0.")
    t.quit()


@case()
def tables_reloaded(ctx):
    """A report that is changed while a table is shown: the table and the row are kept."""
    path = ctx.copy()
    t = ctx.pty(path, size=(120, 40))
    t.press("9")
    command(t, "sort row")
    t.wait("row 1 of ")
    t.press("G", "tab")
    command(t, "goto 3")
    t.wait("row 3 of ")
    shown = t.screen.line(1)
    db = sqlite3.connect(path)
    db.execute("CREATE TABLE another(x)")
    db.commit()
    db.close()
    t.press("r")
    t.wait("row 3 of ")
    expect(t.screen.line(1).split()[-4:] == shown.split()[-4:], "another table: %r" % t.screen.line(1))
    t.quit()
