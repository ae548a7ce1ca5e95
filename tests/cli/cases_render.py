# SPDX-License-Identifier: MIT
"""cases_render - pictures of views, and the addresses of places."""

import os
import re
import signal
import sqlite3
import subprocess
import xml.etree.ElementTree

from .harness import case, expect, one_line, plain, snapshot, unsafe, untouched
from .profile_oracle import relations

VIEWS = ("summary", "memory", "liveness", "trace", "variables", "tables")
SVG = "{http://www.w3.org/2000/svg}"


def demo(ctx):
    """A small report."""
    path = ctx.path("demo")
    if not os.path.exists(path):
        res = ctx.run("demo", "-q", path, "--ipus", "2", "--tiles", "64", "--steps", "400")
        expect(res.rc == 0, res, "no demo")
    return path


def render(ctx, path, *args, rc=0, **more):
    res = ctx.run("render", path, "--cache", "none", *args, **more)
    expect(res.rc == rc, res, "exit status %s, expected %d" % (res.rc, rc))
    return res


def text_of(svg):
    """Words of an SVG by their line."""
    lines = {}
    for e in svg.iter(SVG + "text"):
        lines.setdefault(int(e.get("y")), []).append((int(e.get("x")), e.text))
    return [" ".join(t for _, t in sorted(words)) for _, words in sorted(lines.items())]


@case(params=VIEWS, sample=1, smoke=1)
def picture_of_a_view(ctx, view):
    """txt, ansi and svg: the same words, the size that was asked for, the same bytes each time."""
    path = demo(ctx)
    before = snapshot(path)
    out = {k: ctx.path("p." + k) for k in ("txt", "ansi", "svg")}
    for kind, name in out.items():
        for _ in range(2):
            res = render(ctx, path, "--at", view, "-o", name, "--size", "100x30")
            expect(res.out == b"" and res.err == b"", res, "something was said")
            with open(name, "rb") as f:
                data = f.read()
            expect(_ == 0 or data == last, res, "not the same picture twice")
            last = data
        out[kind] = data.decode("utf-8")
    untouched(before, path, res)
    lines = out["txt"].split("\n")
    expect(len(lines) == 31 and lines[-1] == "" and max(map(len, lines)) <= 100, res, "its size")
    expect(not unsafe(out["txt"]), res, "control characters in text")
    expect(lines[0].split()[0] == "tilescope" and lines[0].split()[-1].lower() == view, res,
           "the caption")
    expect("being read" not in out["txt"] and "\u22ef" not in out["txt"], res,
           "something is still loading")
    on_stdout = render(ctx, path, "--at", view, "--size", "100x30")
    expect(on_stdout.out.decode() == out["txt"], on_stdout, "text on standard output")
    bare = re.sub(r"\033\[[0-9;]*m", "", out["ansi"])
    expect("\033[" in out["ansi"] and not unsafe(bare), res, "ANSI has more than SGR")
    expect(len(bare.split("\n")) == 31, res, "lines of ANSI")
    svg = xml.etree.ElementTree.fromstring(out["svg"])
    expect(svg.tag == SVG + "svg" and svg.get("viewBox") == "0 0 1600 960", res, "size of the SVG")
    words = "\n".join(text_of(svg))
    expect(words.split()[0] == "tilescope", res, "words of the SVG")
    for figure in re.findall(r"\d[\d,.]{3,}", "\n".join(lines[1:])):
        expect(figure in words and figure in bare, res, "%s is missing in another format" % figure)


@case()
def ascii_and_colours(ctx):
    """--ascii, a locale without UTF-8, themes, --no-color."""
    path = demo(ctx)
    for args, env in ((("--ascii",), {}), ((), {"LC_ALL": "C"})):
        res = render(ctx, path, "--at", "memory", *args, env=env)
        expect(res.out.isascii(), res, "not ASCII")
    plain_svg = render(ctx, path, "--at", "memory", "-f", "svg").out
    expect(render(ctx, path, "--at", "memory", "-f", "svg", env={"LC_ALL": "C"}).out == plain_svg,
           ctx.last, "an SVG does not depend on the locale")
    other = render(ctx, path, "--at", "memory", "-f", "svg", "--theme", "colour-blind").out
    none = render(ctx, path, "--at", "memory", "-f", "svg", "--no-color").out
    expect(len({plain_svg, other, none}) == 3, ctx.last, "themes make no difference")
    expect(len(set(re.findall(rb"#[0-9a-f]{6}", none))) <= 2, ctx.last, "colours without colours")
    res = render(ctx, path, "--theme", "no-such", rc=2)
    one_line(res, "no-such", rc=2)


@case(params=[("--at", "nowhere"), ("--at", ""), ("--at", "memory?"), ("--at", "memory?tile"),
              ("--at", "memory?tile="), ("--at", "memory?tile=x"), ("--at", "memory?tile=-1"),
              ("--at", "memory?tile=1&tile=2"), ("--at", "memory?bogus=1"),
              ("--at", "memory?by=colour"), ("--at", "memory?zoom=5-5"), ("--at", "memory?tile=%3"),
              ("--at", "memory?tile=1&"), ("--at", "variables?filter=%00"),
              ("--at", "memory?tile=999999999999999999999"), ("--at", "help"),
              ("--at", "memory?tile=7777777"), ("--at", "variables?row=7777777"),
              ("--at", "tables?table=nowhere"), ("--at", "variables?sort=colour"),
              ("--at", "memory?pane=tabs&tab=variables&columns=nonsense"),
              ("--at", "memory?pane=tabs&tab=variables&sort=nonsense"),
              ("--at", "memory?pane=tabs&tab=variables&filter=nonsense>1"),
              ("--at", "variables?filter=name~("), ("--at", "variables?filter=colour>3"),
              ("--size", "10x10"), ("--size", "0x0"), ("--size", "80"), ("--size", "80x24x3"),
              ("--size", "9999x9999"), ("-o", "picture.png"), ("-o", "picture"), ("-f", "png")], sample=15, smoke=3)
def refused(ctx, args):
    """One line, exit 2, no file."""
    path = demo(ctx)
    before = set(os.listdir(ctx.dir))
    res = render(ctx, path, *args, rc=2)
    expect(res.out == b"" and len(res.err.splitlines()) == 1, res, "one line on standard error")
    expect(set(os.listdir(ctx.dir)) == before, res, "a file was written")


PLACES = (
    ("insights?rule=M03&tab=tiles&pane=tabs&row=2", "FINDINGS", "the 5 fullest of 128", "median tile"),
    ("insights?tab=fp32&full=yes&pane=tabs", "of the variables alive at the peak are FP32"),
    ("insights?tab=largest&pane=tabs&row=3", "the model", "exchange code"),
    ("memory?by=category&tile=70", "tile 70 ipu 1", "by category"),
    ("memory?tiles=over(50%)&tile=70", "over(50%)"),   # a % that is no escape
    ("memory?gaps=no&tile=3", "tile 3 ipu 0", "without gaps"),
    ("memory?zoom=10-30&tile=12&tab=variables&pane=tabs&full=yes", "tile 12, largest first"),
    ("memory?pane=tabs&tab=variables&full=yes&columns=variable,bytes&sort=-bytes", "bytes\u25b4"),
    ("memory?pane=tabs&tab=variables&full=yes&filter=bytes>1", " rows"),
    ("insights?tab=tiles&pane=tabs&full=yes&columns=tile,category", "Above median"),
    ("trace?step=57&pane=steps&full=yes&columns=name,start", "start"),
    ("variables?columns=name,bytes", "bytes\u25be name"),
    ("liveness?step=7&base=no", "step 7 ", "base hidden"),
    ("liveness?step=400&pane=tab&full=yes&row=2", "not always live at step 400"),
    ("liveness?steps=type%3dDoExchange&step=395", "248 of 1,043 steps with type=DoExchange", "step 395 "),
    ("liveness?source=tile%203&steps=step:10-19&tab=variables&full=yes&pane=tab&sort=-steps", "at step 1"),
    ("liveness?step=529&group=gradients&pane=tab&full=yes", "live at step 529", "in gradients, of "),
    ("liveness?step=529&sort=steps&filter=bytes<1K%20matMul&pane=tab&full=yes", "of the ", "listed"),
    ("liveness?step=529&tab=lifetimes&sort=steps&filter=steps>20&pane=tab&full=yes", "steps\u25be"),
    ("trace?step=57&ipu=1", "step 57 ", "ipu 1 "),
    ("trace?step=57&pane=steps&full=yes", "step 57 "),
    ("variables?filter=tile:5%20bytes%3e1&sort=bytes", "& tile:5 bytes>1", "bytes\u25be"),
    ("variables?row=1000", "row 1,000 of"),
    ("variables?filter=not%20(bytes<100%20or%20name~x$)&sort=from", "& not (bytes<100 or", "by from"),
    ("variables?filter=tile%20in%20worst(2)%20alive:5", "& tile in worst(2) alive:5"),
    ("variables?level=unlowered&sort=tiles&row=2", "Variables before lowering", "by tiles, largest", "row 2 of"),
    ("tables?table=memory_by_tile&row=9", "row 9 of 128", "is tile_memory"),
    ("tables?table=programs&filter=Exch&pane=rows&row=2", "row 2 of"),
)


@case(params=PLACES, sample=7, smoke=2)
def place(ctx, p):
    """An address leads to its place."""
    address, words = p[0], p[1:]
    res = render(ctx, demo(ctx), "--at", address, "--size", "120x40")
    expect(res.err == b"", res, "something was said")
    text = res.out.decode()
    for w in words:
        expect(w in text, res, "%r is not in the picture" % w)


@case()
def output_that_cannot_be_written(ctx):
    path = demo(ctx)
    res = render(ctx, path, "-o", ctx.path("nowhere", "p.svg"), rc=3)
    one_line(res, "nowhere", rc=3)
    res = render(ctx, ctx.path("nothing"), rc=3)
    one_line(res, "nothing", rc=3)


@case()
def tables_of_any_database(ctx):
    """A database that is no report has tables, and nothing else."""
    name = ctx.path("other.db")
    with sqlite3.connect(name) as db:
        db.execute("CREATE TABLE friends (name TEXT, age INTEGER)")
        db.execute("INSERT INTO friends VALUES ('Ada', 36)")
    res = render(ctx, name, "--at", "tables?table=friends")
    expect(b"friends" in res.out and b"Ada" in res.out, res, "its rows")
    one_line(render(ctx, name, "--at", "memory", rc=3), "friends", rc=3)


@case()
def hostile_names_in_svg(ctx):
    """Names with tags, control characters and broken UTF-8 leave the XML well-formed."""
    rep = plain(ctx, 5, hostile_names=True, hostile_idents=True)
    for view in VIEWS:
        res = ctx.run("render", rep.dir, "--cache", "none", "--at", view, "-f", "svg")
        expect(res.rc in (0, 4), res, "exit status")
        svg = xml.etree.ElementTree.fromstring(res.out.decode("utf-8"))
        for line in text_of(svg):
            expect(not unsafe(line), res, "a control character")


@case()
def cancelled(ctx):
    """SIGINT ends it with 130 and leaves no file."""
    path = demo(ctx)
    proc = subprocess.Popen([ctx.program, "render", path, "--cache", "none", "--at", "variables",
                             "-o", ctx.path("c.svg")], env=ctx.env(), stdout=subprocess.PIPE,
                            stderr=subprocess.PIPE, cwd=ctx.dir)
    proc.send_signal(signal.SIGINT)
    out, err = proc.communicate(timeout=120)
    # it may have been before or behind everything
    if proc.returncode == 130:
        expect(not os.path.exists(ctx.path("c.svg")), None, "a picture of half a view")
    expect(proc.returncode in (0, 130, -signal.SIGINT), None, "exit status %d: %r" % (
        proc.returncode, err))
    expect(not [n for n in os.listdir(ctx.dir) if n.endswith(".tmp")], None, "a temporary file")


@case(params=(("memory", "memory_by_tile"), ("liveness", "depth_first_steps"), ("trace", "steps_by_ipu"),
              ("variables", "vars_info"), ("summary", "memory_by_tile"),
              ("insights?tab=largest", "vertex_instances"),
              ("liveness?tab=lifetimes", "eq_class_step")), sample=3, smoke=1)
def damaged(ctx, p):
    """A page that cannot be read: the picture shows what can be, the exit status is 4, a line says why."""
    view, table = p
    path = demo(ctx)
    name = os.path.join(path, "profile.pop")
    with sqlite3.connect(name) as db:
        size = db.execute("PRAGMA page_size").fetchone()[0]
        pages = [n for n, in db.execute(
            "SELECT pageno FROM dbstat WHERE name = ? AND pagetype = 'leaf' ORDER BY path", (table,))] \
            if has_dbstat(db) else [db.execute("SELECT rootpage FROM sqlite_master WHERE name = ?",
                                               (table,)).fetchone()[0]]
    with open(name, "r+b") as f:
        f.seek((pages[-1] - 1) * size)
        f.write(b"\xa5" * size)
    res = ctx.run("render", path, "--cache", "none", "--at", view)
    expect(res.rc == 4 and res.out, res, "exit status %s, expected 4" % res.rc)
    expect(len(res.err.splitlines()) == 1, res, "not a line")
    quiet = ctx.run("render", path, "--cache", "none", "-q", "--at", view)
    expect(quiet.rc == 4 and quiet.err == b"" and quiet.out == res.out, quiet, "quiet")


def has_dbstat(db):
    try:
        db.execute("SELECT 1 FROM dbstat LIMIT 1")
    except sqlite3.Error:
        return False
    return True


@case(smoke=1)
def truncated(ctx):
    """Half of a file is opened, and said to be half."""
    path = demo(ctx)
    name = os.path.join(path, "profile.pop")
    os.truncate(name, os.path.getsize(name) // 2 // 4096 * 4096)
    res = ctx.run("render", path, "--cache", "none", "--at", "memory")
    expect(res.rc in (3, 4) and len(res.err.splitlines()) == 1, res, "exit status")
    expect(res.rc == 3 or b"truncated" in res.out, res, "the picture does not say so")


def with_bytes(ctx, size, count):
    """The demo whose `count` first variables of step 200 have so many bytes: its path, and what is always live."""
    path = demo(ctx)
    db = relations(os.path.join(path, "profile.pop"))
    chosen = db.execute("SELECT variable, class FROM liveness_variable WHERE NOT always_live AND start <= 200 AND "
                        "\"end\" > 200 AND variable IN (SELECT variable FROM liveness_variable GROUP BY 1 HAVING count(*) = 1) "
                        "ORDER BY 1 LIMIT ?", (count,)).fetchall()
    always, = db.execute("SELECT sum(always_live) FROM tile_memory").fetchone()
    with sqlite3.connect(os.path.join(path, "profile.pop")) as db:
        db.executemany("UPDATE var_bytes_by_eq_class SET bytes = ? WHERE unlowered_var_id = ? AND eq_class_id = ? AND tile IS NULL",
                       [(size, *key) for key in chosen])
    db.close()
    return path, always


def totals(res):
    """The pinned lines below the list of who is alive: what stands in the column of bytes."""
    lines = [n for n in res.out.decode().split("\n") if n.strip()]
    return [re.match(r"(\d+ variables|always live|sum at step 200) +(.*?)( +100%)?$", n.rstrip()) for n in lines[-3:]]


@case()
def totals_of_wide_figures(ctx):
    """A total that has no room in bytes is said short; it is the total, not what stands in a row of the list."""
    path, always = with_bytes(ctx, 60_000_000_000, 2)
    res = render(ctx, path, "--units", "bytes", "--size", "120x40", "--at", "liveness?step=200&pane=tab&full=yes")
    said = [m and m.group(2) for m in totals(res)]
    expect(said == ["120 GB", "{:,} B".format(always), "120 GB"], res, "totals %s" % said)


@case()
def bytes_beyond_machines(ctx):
    """Variables with more bytes than any machine has are left out; the others and their sums stand."""
    path, _ = with_bytes(ctx, 1 << 62, 2)
    res = render(ctx, path, "--size", "120x40", "--at", "liveness?step=200&pane=tab&full=yes")
    said = [m and m.group(2) for m in totals(res)]
    expect(all(re.fullmatch(r"[\d.]+ MiB", s or "") for s in said), res, "totals %s" % said)
    expect(b"EiB" not in res.out, res, "they are listed")
