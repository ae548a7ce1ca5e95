# SPDX-License-Identifier: MIT
"""`:write FILE`, the box of `=`, the columns of tables: in the real program."""

import csv
import json
import os
import re
import sqlite3
import subprocess
import xml.dom.minidom

from ..cli.oracle_operations import Operations
from .harness import FULL, case, expect

NAMES = ['comma, "quoted"', "line\nfeed", "pipe|and\\back`tick*", "<b>&amp;</b>", "it's\x1b[31mred",
         "ünïcode \u202e\ufeff", "=1+2", ""]


def hostile(ctx):
    """A small report in which the variables of tile 0 have the names above, the first one the largest."""
    path = ctx.copy("hostile")
    db = sqlite3.connect(path)
    ids = [r[0] for r in db.execute("SELECT var_id FROM vars_info WHERE tile = 0 AND bitset & 1")]
    db.execute("DELETE FROM vars_info WHERE tile = 0 AND NOT bitset & 1")
    db.executemany("DELETE FROM vars_info WHERE var_id = ?", [(i,) for i in ids[len(NAMES):]])
    db.executemany("INSERT INTO vars_string_table VALUES (?, ?)", [(10 ** 6 + k, n) for k, n in enumerate(NAMES)])
    db.executemany("UPDATE vars_info SET name_base_id = ?, name_prefix__vertex_field_ = NULL, name_suffix = '', size_bytes = ? "
                   "WHERE var_id = ?", [(10 ** 6 + k, 9000 - k, i) for k, i in enumerate(ids[:len(NAMES)])])
    db.commit()
    db.close()
    expect(len(ids) >= len(NAMES), "the report is too small")
    return path


def command(t, line, said):
    t.press(":")
    t.type(line)
    t.press("\r")
    t.wait(said)


def gone(t, words):
    """However long it takes on a busy machine."""
    t.wait(lambda text: words not in text)


def read(path, newline=""):
    with open(path, encoding="utf-8", newline=newline) as f:
        return f.read()


@case()
def rows_of_hostile_names(ctx):
    """Whatever names say, CSV, JSON and Markdown have them whole: all rows, exact bytes."""
    t = ctx.pty("--at", "memory?tile=0&pane=tabs&tab=variables", hostile(ctx), size=(80, 40),
                wait="comma,")
    for end in ("csv", "json", "md"):
        command(t, "write v.%s" % end, "wrote %d rows" % len(NAMES))
    t.quit()
    rows = list(csv.reader(read(ctx.path("v.csv")).splitlines(keepends=True)))
    expect(rows[0][0] == "variable" and "bytes" in rows[0], "no header: %r" % rows[0])
    expect([r[0] for r in rows[1:]] == NAMES, "csv: %r" % [r[0] for r in rows])
    at = rows[0].index("bytes")
    expect([int(r[at]) for r in rows[1:]] == [9000 - k for k in range(len(NAMES))], "bytes")
    objects = json.loads(read(ctx.path("v.json")))
    expect([o["variable"] for o in objects] == NAMES, "json: %r" % [o["variable"] for o in objects])
    expect(objects[0]["bytes"] == 9000, "json bytes")
    table = [line for line in read(ctx.path("v.md")).split("\n") if line.startswith("|")]
    expect(len(table) == 2 + len(NAMES) + 1, "md: %d lines" % len(table))  # with the total
    bars = {len(re.findall(r"(?<!\\)(?:\\\\)*\|", line)) for line in table}
    expect(len(bars) == 1, "md: rows of %r cells" % bars)
    expect("\x1b" not in read(ctx.path("v.md")), "md: an escape")
    expect("total" in table[-1], "md: no total: %r" % table[-1])


@case()
def stacks_are_those_of_the_export(ctx):
    """What the merged flame graph shows of an IPU is what `export --format folded` writes of it."""
    t = ctx.pty("--at", "trace?drawing=merged", ctx.demo, size=(100, 30), wait="Engine::run")
    command(t, "write s.folded", "wrote")
    command(t, "write s.csv", "wrote")
    t.press("z", "f")
    command(t, "drawing lanes", "a lane for each")
    command(t, "write t.folded", "not written")
    t.quit()
    out = ctx.run("export", "--format", "folded", ctx.demo, stdin=subprocess.DEVNULL).stdout.decode()
    want = [line[len("IPU 0;"):] for line in out.split("\n") if line.startswith("IPU 0;")]
    expect(sorted(read(ctx.path("s.folded")).splitlines()) == sorted(want), "stacks differ")
    expect(len(want) > 20, "no stacks")
    frames = list(csv.DictReader(read(ctx.path("s.csv")).splitlines()))
    top = [f for f in frames if f["stack"] == "Engine::run"]
    own = next(k for k in frames[0] if k.startswith("own"))
    cycles = next(k for k in frames[0] if k.startswith("cycles"))
    expect(len(top) == 1 and int(top[0][cycles]) == sum(int(f[own]) for f in frames), "frames of the csv")


@case()
def shares_have_six_digits(ctx):
    """Bytes are exact; a share has six significant digits, and is that of the bytes."""
    t = ctx.pty("--at", "memory?tile=0&pane=tabs&tab=details", ctx.demo, size=(80, 40),
                wait="total")
    for end in ("csv", "json", "md"):
        command(t, "write v.%s" % end, "wrote ")
    t.quit()
    rows = list(csv.DictReader(read(ctx.path("v.csv")).splitlines()))
    objects = json.loads(read(ctx.path("v.json")))
    db = ctx.relations()
    whole = db.execute("SELECT coalesce(total_gaps, total) FROM tile_memory WHERE tile = 0").fetchone()[0]
    db.close()
    for row, other in zip(rows, objects):
        text, share = row["share [%]"], 100 * int(row["bytes"]) / whole
        expect(float(text) == float("%.6g" % share), "%s of %s is no %s" % (row["bytes"], whole, text))
        expect(repr(float(text)) == text, "%s is another text when it is read and written" % text)
        expect(other["share_percent"] == float(text), "json: %r" % other)
    expect("| share (%) |" in read(ctx.path("v.md")), "md: no title")


@case()
def writing_is_stopped(ctx):
    """C-c while a long table is written: all of the file or none of it, whenever that comes; so does the end."""
    rows = 200000
    os.makedirs(ctx.path("data"))
    path = ctx.path("data", "long.db")      # into the directory of a report nothing is written
    db = sqlite3.connect(path)
    db.execute("CREATE TABLE t(a, b)")
    db.executemany("INSERT INTO t VALUES(?, 'row')", ((i,) for i in range(rows)))
    db.commit()
    db.close()
    t = ctx.pty("--at", "tables", path, size=(100, 30), wait="row 1 of")
    for i in range(4):
        t.press("tab" if i == 0 else "esc")
        t.press(":")
        t.type("write %d.csv" % i)
        t.press("\r")
        for _ in range(i):
            t.pump(0.02)
        t.press("C-c")
        t.wait(lambda text: "stopped: %d.csv" % i in text or "to %d.csv" % i in text or
               "nothing is running" in text)    # it had been written
        stopped = "stopped" in t.text()
        expect(os.path.exists(ctx.path("%d.csv" % i)) != stopped, "half a file, or none")
        if not stopped:
            expect(read(ctx.path("%d.csv" % i)).count("\n") == rows + 1, "rows are missing")
    t.press(":")
    t.type("write last.csv")
    t.press("\r")
    t.quit()
    if os.path.exists(ctx.path("last.csv")):
        expect(read(ctx.path("last.csv")).count("\n") == rows + 1, "rows are missing")
    left = [n for n in os.listdir(ctx.dir) if ".tmp" in n]
    expect(not left, "left over: %r" % left)


@case(params=["memory", "liveness", "trace", "memory?map=yes", "memory?pane=tabs&tab=addresses",
              "liveness?pane=tab&tab=lifetimes"], sample=1, smoke=1)
def charts_and_screens(ctx, at):
    """The chart as SVG has axes, a legend and a title; .txt and .ansi are the screen."""
    t = ctx.pty("--at", at, ctx.demo, size=(120, 40))
    for end in ("svg", "txt", "ansi"):
        command(t, "write c.%s" % end, "wrote ")
    t.quit()
    svg = xml.dom.minidom.parse(ctx.path("c.svg"))
    words = " ".join(n.firstChild.data for n in svg.getElementsByTagName("text") if n.firstChild)
    expect(svg.getElementsByTagName("title"), "no title")
    expect(svg.getElementsByTagName("path"), "nothing is drawn")
    expect(svg.documentElement.getElementsByTagName("rect")[0].getAttribute("fill") == "#ffffff",
           "%s: a picture of the screen, no chart" % at)
    for word in {"memory": ("tile", "limit"), "liveness": ("step",), "trace": ("cycles", "compute"),
                 "memory?map=yes": (), "memory?pane=tabs&tab=addresses": ("variable", "0x10000"),
                 "liveness?pane=tab&tab=lifetimes": ("step", "idle")}[at]:
        expect(word in words, "no \"%s\" in %r" % (word, words))
    expect("\x1b" not in read(ctx.path("c.txt")), "txt: an escape")
    expect("\x1b[" in read(ctx.path("c.ansi")), "ansi: no colours")
    expect("tilescope" in read(ctx.path("c.txt")).split("\n")[0], "txt: no caption")


@case(params=["memory?pane=tabs&tab=details", "liveness?pane=tab&tab=variables",
              "insights", "insights?pane=tabs&tab=peak", "variables?level=unlowered"], sample=2)
def a_tab_without_a_chart(ctx, at):
    """It writes neither another pane's chart nor the screen: it says what it can be written as."""
    t = ctx.pty("--at", at, ctx.demo, size=(120, 40), wait="4:Live")
    command(t, "write c.svg", " has no chart: write .csv, .json, .md (its rows), .txt or .ansi")
    t.quit()
    expect(not os.path.exists(ctx.path("c.svg")), "a chart of something else")


@case()
def figures_of_a_view_without_tables(ctx):
    """Summary has no table: its figures are written, and the query of each prints the value."""
    t = ctx.pty("--at", "summary", ctx.demo, size=(100, 30))
    for end in ("csv", "json", "md"):
        command(t, "write f.%s" % end, "wrote ")
    t.quit()
    objects = json.loads(read(ctx.path("f.json")))
    expect(len(objects) > 5 and all(o["figure"] and o["known"] for o in objects), "%r" % objects[:3])
    db = ctx.relations()
    most = db.execute("SELECT max(coalesce(total_gaps, total)) FROM tile_memory").fetchone()[0]
    db.close()
    expect(any(o["value"] == most and o["unit"] == "bytes" for o in objects), "no worst tile")


@case()
def where_it_may_write(ctx):
    """A file that is there needs `!`, so does the report's directory; a report's file is never touched."""
    report = ctx.copy()
    before = open(report, "rb").read()
    t = ctx.pty("--at", "memory", report, size=(100, 30))
    there = ctx.write("there.csv", "mine\n")
    command(t, "write there.csv", "there already")
    expect(read(there) == "mine\n", "it was written to")
    command(t, "write! there.csv", "wrote ")
    expect(read(there).startswith("tile,"), "it was not written to")
    inside = os.path.join(os.path.dirname(report), "inside.csv")
    command(t, "write %s" % os.path.relpath(inside, ctx.dir), "report's own directory")
    expect(not os.path.exists(inside), "it was written")
    command(t, "write! %s" % os.path.relpath(inside, ctx.dir), "wrote ")
    os.symlink(report, ctx.path("link.csv"))
    command(t, "write! link.csv", "a file of the report")
    os.mkdir(ctx.path("dir.csv"))
    command(t, "write! dir.csv", "no ordinary file")
    command(t, "write nowhere/a.csv", "No such file")
    command(t, "write a.docx", "(rows), .svg (chart)")
    command(t, "write", "usage")
    command(t, 'write "with blank.csv"', "wrote ")
    t.quit()
    expect(open(report, "rb").read() == before, "the report is another one")
    expect(os.path.exists(ctx.path("with blank.csv")), "no file with a blank in its name")
    left = [n for n in os.listdir(ctx.dir) + os.listdir(os.path.dirname(report)) if ".tmp" in n]
    expect(not left, "left over: %r" % left)


@case()
def figures_are_explained(ctx):
    """`=` opens a box, its query prints the figure; y copies the words, Escape closes it."""
    t = ctx.pty(ctx.demo, size=(120, 40))
    t.press("j", "=")
    t.wait("What this figure is")
    t.wait("tilescope query")
    t.has("known", "from", "query")
    t.press("j", "j", "k", "G", "g", "g", "pgdn", "pgup")
    t.wait("What this figure is")
    t.clean()
    t.press("y")
    t.wait("clipboard")
    t.press("esc")
    gone(t, "What this figure is")
    t.press("=", "=")
    gone(t, "What this figure is")
    t.press("=", "3")               # another command closes it and is done
    gone(t, "What this figure is")
    t.wait("Memory")
    t.resize(60, 14)
    t.press("=")
    t.wait("What this figure is")
    t.clean()
    t.quit()


@case()
def columns_are_kept(ctx):
    """Columns that are hidden stay hidden in the next run; a box chooses them."""
    t = ctx.pty("--at", "trace", ctx.demo, size=(120, 40))
    t.wait("bal.")
    t.press("C")
    t.wait("[x] tile_balance")
    t.press("esc")
    command(t, "columns -tile_balance,+start", "start")
    gone(t, "bal.")
    command(t, "columns nonsense", "no \"nonsense\" here")
    t.quit()
    t = ctx.pty("--at", "trace", ctx.demo, size=(120, 40))
    t.wait("start")
    gone(t, "bal.")
    t.press("C", "space")           # the first one: the class
    t.wait("[ ] class")
    t.press("esc")
    t.quit()


@case(depth=FULL)
def any_table(ctx):
    """All rows of a table of the file, and of an answer of SQL."""
    path = ctx.copy()
    db = sqlite3.connect(path)
    names = [r[0] for r in db.execute("SELECT name FROM sqlite_master WHERE type = 'table' AND name"
                                      " NOT LIKE 'sqlite\\_%' ESCAPE '\\'")]
    want = [["" if v is None else str(v) for v in r]
            for r in db.execute("SELECT * FROM eq_class_step ORDER BY rowid")]
    steps, = db.execute("SELECT count(*) FROM depth_first_steps").fetchone()
    db.close()
    t = ctx.pty("--at", "tables", path, size=(120, 40))
    t.press(*["down"] * names.index("eq_class_step"))
    t.press("tab")
    command(t, "write t.csv", "wrote ")
    command(t, "sql SELECT %s" % ", ".join("%d AS c%d" % (i, i) for i in range(70)), "c1")
    command(t, "write wide.csv", "wrote ")
    t.press("q")
    command(t, "sql SELECT live_step AS s, 'a|b' AS t FROM liveness_step", "a|b")
    command(t, "write s.json", "wrote ")
    t.quit()
    rows = list(csv.reader(read(ctx.path("t.csv")).splitlines(keepends=True)))
    expect(rows[0][0] == "eq_class_id" and rows[1:] == want, "%d rows, %r" % (len(rows), rows[:3]))
    wide = list(csv.reader(read(ctx.path("wide.csv")).splitlines()))
    expect(wide == [["c%d" % i for i in range(70)], ["%d" % i for i in range(70)]], "%r" % wide)
    objects = json.loads(read(ctx.path("s.json")))
    expect(len(objects) == steps and objects[1] == {"s": 1, "t": "a|b"}, "%r" % objects[:2])


@case(smoke=1)
def export_of_each_view(ctx):
    """:export writes what `tilescope export` writes of what the view shows; a graph by :write, too."""
    path = ctx.demo
    t = ctx.pty(path, size=(100, 30), wait="CYCLES")
    for key, what, name in (("3", "tiles", "t.csv"), ("4", "liveness", "l.jsonl"), ("5", "programs", "p.csv"),
                            ("5", "programs", "p.dot"), ("8", "variables", "v.json")):
        t.press(key)
        command(t, "export " + name, "wrote " + name)
        want = ctx.run("export", "--what", what, "--format", name.split(".")[1], path, stdin=subprocess.DEVNULL).stdout
        expect(read(ctx.path(name)) == want.decode(), "%s is not what the command line writes" % name)
    t.press("5")
    command(t, "write w.dot", "wrote w.dot")
    expect(read(ctx.path("w.dot")) == read(ctx.path("p.dot")), ":write of a graph")
    command(t, "export v.folded", "the name ends in .csv, .json, .jsonl, .dot")
    t.quit()


def graph(ctx, name):
    """Of a graph of operations: what its head says; its nodes, boxes; arrows and dashed lines."""
    lines = read(ctx.path(name)).splitlines()
    head = [line for line in lines if line.startswith("//")]
    edges = [re.match(r"  n(\d+) -> n(\d+) \[(.*)\];$", line) for line in lines if "->" in line]
    return {"head": head, "text": "\n".join(lines),
            "nodes": {m[1]: m[2] for m in (re.match(r'  n(\d+) \[label="(.*?)"', line) for line in lines) if m},
            "boxes": sum("subgraph cluster" in line for line in lines),
            "dashed": [(m[1], m[2]) for m in edges if "dashed" in m[3]],
            "arrows": [(m[1], m[2]) for m in edges if "dashed" not in m[3]]}


@case(smoke=1)
def graph_of_what_is_shown(ctx):
    """`:write FILE.dot` in Operations: the layer, the filter, groups, the tree, producers and consumers; its head says which."""
    path = ctx.copy("graph")
    should = Operations(ctx.relations())
    names = [should.context[key][2] for kind, key in should.nodes if kind == "c" and should.context[key][1] == "poplar"]
    layer, kinds = len(names), sum(n.split("/")[-1] == "Convolve" for n in names)
    t = ctx.pty(path, size=(120, 40), wait="CYCLES")
    t.press("6")
    t.wait("from contexts")
    said = {}
    for name, keys in (("layer", ["layer poplar"]), ("filter", ["filter name~Convolve$"]), ("group", ["filter", "rollup layer_(.)"]),
                       ("tree", ["layer-tree on"])):
        for key in keys:
            command(t, key, "")
        gone(t, "arranging")
        command(t, "write %s.dot" % name, "wrote %s.dot" % name)
        said[name] = graph(ctx, name + ".dot")
    command(t, "export all.dot", "wrote all.dot")
    t.quit()
    every = graph(ctx, "all.dot")
    linked = ctx.run("query", "-f", "csv", path, "SELECT node, count(DISTINCT other) FROM operation_node n JOIN "
                     "operation_link USING (node) WHERE layer = 'poplar' AND way <> 'shared' GROUP BY node LIMIT 1",
                     stdin=subprocess.DEVNULL).stdout.decode().splitlines()[1].split(",")
    t = ctx.pty("--at", "operations?node=%s&tab=links&pane=tabs" % linked[0], path, size=(120, 40), wait="named")
    command(t, "write links.dot", "wrote links.dot")
    t.quit()
    links = graph(ctx, "links.dot")
    for name, g in said.items():
        expect(all(a in g["nodes"] and b in g["nodes"] for a, b in g["arrows"] + g["dashed"]), "%s: lines from nowhere" % name)
        expect(any("figures of each" in line for line in g["head"]), "%s: %r" % (name, g["head"]))
    expect(len(said["layer"]["nodes"]) == layer, "%d of the layer, not %d" % (len(said["layer"]["nodes"]), layer))
    expect("layer poplar: %d of %d operations" % (layer, layer) in said["layer"]["text"], "%r" % said["layer"]["head"])
    expect(len(said["filter"]["nodes"]) == kinds, "%d that pass, not %d" % (len(said["filter"]["nodes"]), kinds))
    expect(set(said["filter"]["arrows"]) <= set(said["layer"]["arrows"]), "arrows between those that pass")
    expect(said["layer"]["arrows"], "arrows of the layer")
    expect("filter name~Convolve$" in said["filter"]["text"], "%r" % said["filter"]["head"])
    expect(said["group"]["boxes"] > 2 and len(said["group"]["nodes"]) == layer, "%d boxes" % said["group"]["boxes"])
    expect(said["tree"]["nodes"] == every["nodes"] and len(said["tree"]["nodes"]) > layer, "the tree is all of them")
    expect(said["tree"]["dashed"] == every["dashed"] and said["tree"]["dashed"], "what stands below what")
    expect(linked[0] in links["nodes"] and len(links["nodes"]) == int(linked[1]) + 1, "%r" % links["nodes"])
    expect(links["arrows"] and all(linked[0] in a for a in links["arrows"]), "all lines are of it: %r" % links["arrows"])
    expect("producers and consumers of " in links["text"], "%r" % links["head"])


@case(depth=FULL)
def export_of_a_range(ctx):
    """What is in sight of the Trace, row for row as the report has it; other formats; never over a file."""
    path = ctx.copy("range")
    db = ctx.relations(path)
    first, last = db.execute("SELECT min(start), max(\"end\") FROM step_ipu").fetchone()
    a, b = first + (last - first) // 3, first + (last - first) // 2
    rows = db.execute("SELECT step, ipu, cycles, start, \"end\" FROM step_ipu WHERE start < ? AND (\"end\" > ? "
                      "OR (start = \"end\" AND start >= ?)) ORDER BY 1, 2", (b, a, a)).fetchall()
    db.close()
    t = ctx.pty("--at", "trace?zoom=%d-%d" % (a, b), path, size=(100, 30), wait="ipu 0")
    command(t, "export r.csv", "wrote ")
    command(t, "export r.folded", "r.folded")
    command(t, "export r.perfetto", "r.perfetto")
    command(t, "export r.csv", "there already")
    command(t, "export r.png", "the name ends in")
    t.press("1")
    command(t, "export r.json", "go to Memory")
    t.quit()
    table = list(csv.DictReader(read(ctx.path("r.csv")).splitlines()))
    names = ("step", "ipu", "cycles", "start", "end")
    got = sorted(tuple(int(r[n]) for n in names) for r in table)
    expect(got == rows, "%d rows, not %d" % (len(got), len(rows)))
    expect(all(line.startswith("IPU ") for line in read(ctx.path("r.folded")).splitlines()), "folded")
    expect(os.path.getsize(ctx.path("r.perfetto")) > 100 * len(rows) // 10, "perfetto")


@case()
def not_of_the_tiles_before(ctx):
    """While tiles are looked for what is shown is of those that were selected before: it is not written as if it were theirs."""
    t = ctx.pty("--at", "memory?tiles=2-9&pane=tabs&tab=variables", ctx.demo,
                size=(120, 40), wait="8 selected tiles")
    command(t, "write few.csv", "wrote ")
    t.send(":tiles using(/./)\r:write all.csv\r")
    t.wait(lambda text: "not written: " in text or "wrote " in text)
    if not os.path.exists(ctx.path("all.csv")):
        t.settle(timers=True)
        command(t, "write all.csv", "wrote ")
    t.quit()
    rows = {n: len(read(ctx.path(n + ".csv")).splitlines()) for n in ("few", "all")}
    expect(rows["few"] < rows["all"], "%r" % rows)
