# SPDX-License-Identifier: MIT
"""Each view at each size, resizing at any moment, too small a window."""

import base64
import os
import re
import shutil
import sqlite3

from .harness import FULL, SIZES, VIEWS, case, digits, expect


def tabs(t, view):
    """The tab line names all views; the one that is shown looks different from the others."""
    line = t.screen.line(0)
    expect("tilescope" in line, "no title: %r" % line)
    looks = {}
    for v, key in VIEWS.items():
        at = line.find(key + ":")
        if at < 0:
            t.fail("no tab %s in %r" % (v, line))
        looks[v] = t.screen.cells[0][at][1]
    others = {looks[v] for v in VIEWS if v != view}
    if len(others) != 1 or looks[view] in others:
        t.fail("the tab of %s does not stand out: %r" % (view, looks))


def sane(t):
    """What holds for every screen that is large enough."""
    t.clean()
    t.lacks("too small")
    expect(t.bottom(), "the bottom line is empty")
    t.settle(timers=True)           # what a pass has found may be drawn a little after a key
    t.restless = t.settle()
    if t.restless:
        t.fail("an idle screen sent %d bytes" % t.restless)


@case(params=[(v,) + s for v in VIEWS for s in SIZES], sample=7, smoke=7)
def view(ctx, p):
    name, w, h = p
    t = ctx.pty(ctx.demo, size=(w, h))
    t.press(VIEWS[name])
    tabs(t, name)
    if name == "variables":
        t.wait(" variables, ")  # the sum comes behind the first frame
    sane(t)
    t.press("down", "up", "pgdn", "pgup", "end", "home", "right", "left", "tab", "tab")
    tabs(t, name)
    sane(t)
    t.quit()


@case(params=[(v, w, h) for v in VIEWS for w, h in ((80, 24), (200, 60))], depth=FULL)
def view_sdk(ctx, p):
    name, w, h = p
    t = ctx.pty("--at", name, ctx.demo, size=(w, h))
    tabs(t, name)
    sane(t)
    t.press("G", "g", "g", "+", "-", "0")
    sane(t)
    t.quit()


@case()
def title_tells_which_report(ctx):
    """The file of every report is called alike: where there is little room its directory is named."""
    t = ctx.pty(ctx.copy("tuesday"), size=(80, 24))
    expect(" tilescope  " in t.screen.line(0) and "tuesday " in t.screen.line(0),
           "the title: %r" % t.screen.line(0))
    t.quit()


@case(params=VIEWS, sample=1, smoke=1)
def at_starts_there(ctx, name):
    t = ctx.pty("--at", name, ctx.demo, size=(100, 30))
    tabs(t, name)
    t.press("q")
    t.expect_end(0)
    t.restored()


@case(params=[(39, 24), (80, 9), (39, 9), (1, 1), (2, 80), (200, 1)], sample=2, smoke=1)
def too_small(ctx, p):
    w, h = p
    t = ctx.pty(ctx.demo, size=(w, h), wait=None)
    t.settle()
    if w >= 10:
        t.has("too small")
        t.lacks("MEMORY")
    t.press("3", "down", "?", "esc")
    t.clean()
    t.resize(80, 24)
    t.wait("help")
    t.lacks("too small")
    t.quit()


@case()
def smallest(ctx):
    t = ctx.pty(ctx.demo, size=(40, 10), wait="1:")
    for key in "1347?M":
        t.press(key)
        t.lacks("too small")
        t.clean()
    t.quit()


@case(params=VIEWS, sample=1, smoke=1)
def resize(ctx, name):
    """To every size and back: what is there at the end is what a fresh start shows."""
    t = ctx.pty("--at", name, ctx.demo, size=(80, 24))
    t.settle()
    before = t.text()
    for w, h in [(200, 60), (79, 23), (40, 10), (39, 9), (10, 3), (1, 1), (300, 20), (41, 100),
                 (120, 40), (250, 80), (80, 24)]:
        t.resize(w, h)
        t.clean()
        if w >= 40 and h >= 10:
            t.lacks("too small")
            expect(t.screen.line(0).startswith(" tilescope"), "no title at %dx%d" % (w, h))
            expect(" %s:" % VIEWS[name] in t.screen.line(0), "no tab at %dx%d" % (w, h))
            if w >= 79:  # the report's name, not the end of its path in the midst of a word
                whole = os.path.basename(ctx.demo.rstrip("/"))
                expect(re.search(r"[ /]%s " % re.escape(whole), t.screen.line(0)), "no name")
            if not t.bottom():
                t.fail("no bottom line at %dx%d" % (w, h))
    t.settle()
    if t.text() != before:
        t.fail("after resizing back the screen differs from\n%s" % before)
    t.quit()


@case(params=VIEWS, sample=1, smoke=1)
def resize_equals_start(ctx, name):
    t = ctx.pty("--at", name, ctx.demo, size=(80, 24))
    t.resize(132, 43)
    t.settle()
    u = ctx.pty("--at", name, ctx.demo, size=(132, 43))
    u.settle()
    for x in (t, u) if name == "variables" else ():
        x.wait(" variables, ")  # the sum comes with the index, behind the first frame
        x.settle()
    if t.text() != u.text():
        t.fail("a fresh start at that size shows\n%s" % u.text())
    t.quit()
    u.quit()


@case()
def resize_storm(ctx):
    """Many at once, with keys between them, none waited for."""
    t = ctx.pty(ctx.demo, size=(80, 24))
    for i in range(60):
        t.resize(20 + i * 7 % 180, 5 + i * 11 % 60, settle=False)
        if i % 3 == 0:
            t.send("1347jk?M"[i // 3 % 8])
    t.resize(100, 30)
    t.wait("tilescope")
    t.clean()
    t.press("esc", "esc", "1")
    t.has("MEMORY", "CYCLES")
    u = ctx.pty(ctx.demo, size=(100, 30))
    t.press("g", "g")
    u.press("g", "g")
    expect(t.text().splitlines()[1:-1] == u.text().splitlines()[1:-1],
           "differs from a fresh start\n%s\n-----\n%s" % (t.text(), u.text()))
    t.quit()


@case(smoke=1)
def resize_while_loading(ctx):
    for pause in (0, 0.002, 0.005, 0.01, 0.02, 0.05):
        t = ctx.pty(ctx.demo, size=(80, 24), wait=None)
        t.pump(pause)
        t.resize(120, 40, settle=False)
        t.pump(pause)
        t.resize(100, 33, settle=False)
        t.wait(lambda text: "MEMORY" in text and "help" in text)
        t.clean()
        if "help" not in t.bottom():
            t.fail("the bottom line is elsewhere")
        t.quit()


@case()
def resize_under_prompt(ctx):
    t = ctx.pty(ctx.demo, size=(80, 24))
    t.press(":")
    t.type("view me")
    for w, h in ((120, 40), (39, 9), (60, 12), (200, 50), (80, 24)):
        t.resize(w, h)
        t.clean()
        if w >= 40:
            expect(t.bottom().startswith(":view me"), "the prompt is not at %dx%d: %r" % (
                w, h, t.bottom()))
    t.type("mory")
    t.press("enter")
    tabs(t, "memory")
    t.quit()


@case(needs="tmux", depth=FULL)
def tmux_sizes(ctx):
    """In tmux: the same, drawn by someone else's terminal; splits as users make them."""
    t = ctx.tmux(ctx.demo, size=(80, 24))
    for w, h in ((120, 40), (200, 60), (250, 80), (30, 8), (80, 24)):
        t.resize(w, h)
        t.wait(lambda text, small=w < 40: ("too small" in text) == small and
               (small or "help" in text.rstrip().split("\n")[-1]))
    t.run("split-window", "-t", "s", "-h", "exec sleep 100")
    t.run("select-pane", "-t", "s.0")
    t.run("kill-pane", "-t", "s.1")
    t.wait("help")
    t.rest()
    for key in "347":
        t.keys(key)
        t.rest()
        expect("tilescope" in t.text().split("\n")[0], "no title")
    t.keys("q")
    t.wait("[exit 0]")
    expect(t.ask("alternate_on") == "0" and t.ask("cursor_flag") == "1", "the screen is not back")


@case(needs="tmux", depth=FULL)
def tmux_agrees(ctx):
    """tmux and our own model of a terminal show the same: neither is fooled alone."""
    t = ctx.tmux(ctx.demo, size=(100, 30))
    u = ctx.pty(ctx.demo, size=(100, 30), env={"TERM": "tmux-256color"})
    for key in ("1", "3", "4", "7", "?", "M"):
        t.keys(key)
        u.press(key)
        t.rest()
        a = [r.rstrip() for r in t.text().rstrip("\n").split("\n")]
        b = u.text().rstrip("\n").split("\n")
        if key != "M" and a != b:
            at = [i for i in range(min(len(a), len(b))) if a[i] != b[i]]
            u.fail("after %s tmux shows otherwise, first in row %s\n%r\n%r" % (
                key, at[:1], a[at[0]] if at else len(a), b[at[0]] if at else len(b)))
    u.quit()


def figures(name, s):
    """Numbers of `tilescope summary` that a view shows when it opens, in bytes."""
    m, x = s["memory"], s["execution"]
    if name == "summary":
        return [m["worst_tile"], m["worst_tile_bytes"], m["limit_bytes"], m["tiles"], x["steps"]] \
            + [i["cycles"] for i in x["ipus"]]
    if name == "memory":
        return [m["worst_tile"], m["worst_tile_bytes"], m["limit_bytes"], m["tiles"]]
    if name == "liveness":
        return [m["peak_step"], m["peak_not_always_live_bytes"], m["always_live_bytes"],
                m["peak_not_always_live_bytes"] + m["always_live_bytes"]]
    if name == "variables":
        return []  # the summary has none of its figures: see variables()
    return [x["steps"]]


@case(params=[(v,) + s for v in VIEWS for s in SIZES[:3]], sample=2, smoke=1)
def figures_on_screen(ctx, p):
    """The views show the figures that the command line computes."""
    name, w, h = p
    ctx.write(ctx.config + "/config", "set units bytes\n")
    t = ctx.pty("--at", name, ctx.demo, size=(w, h))
    found = digits(t.text())
    if name == "trace" and w < 100:         # its tabs leave no room for how many steps there are
        t.press("=")
        t.wait("steps")
        found = digits(t.text())
    due = figures(name, ctx.summary(ctx.demo))
    if name in ("programs", "operations"):                  # steps of no program are of none
        due = ctx.relations().execute("SELECT count(program) FROM step").fetchone()
    for n in due:
        if str(n) not in found:
            t.fail("no %s on the screen" % n)
    t.quit()


@case(params=SIZES[:3], sample=1)
def absent_liveness(ctx, p):
    """What a profile lacks: what, why, what would record it, what to look at instead."""
    path = ctx.copy()
    with sqlite3.connect(path) as db:
        for table in ("depth_first_steps", "eq_class_step", "vars_info"):
            db.execute("DROP TABLE %s" % table)
    t = ctx.pty("--at", "liveness", path, size=p)
    t.has("autoReport.outputGraphProfile", "live", "Memory")
    t.press("p", "down", "end", "+", "/", "esc", "tab")
    t.has("autoReport.outputGraphProfile")
    t.quit()


@case(params=[(80, 24), (120, 40)], sample=1, smoke=1)
def code_of_a_tile(ctx, p):
    """archive.a beside the profile: read behind the screen, its functions in a tab."""
    w, h = p
    t = ctx.pty("--at", "summary", ctx.demo, size=(w, 60))
    t.wait("parts")
    t.resize(w, h)
    t.press("3")
    tabs(t, "memory")
    t.press("(")    # the last one
    t.wait("[Code]")
    t.wait("supervisor.control_")
    t.has(".text", "functions")
    sane(t)
    t.press("right")
    t.wait("supervisor.control_")
    sane(t)
    t.quit()


@case(params=[(80, 24), (120, 40)], sample=1)
def archive_alone(ctx, p):
    """An archive without a profile is a report."""
    where = ctx.path("alone")
    os.makedirs(where)
    shutil.copy(os.path.join(ctx.demo, "archive.a"), where)
    t = ctx.pty("--at", "memory", where, size=p)
    t.wait("[Code]")
    t.wait("supervisor.control_")
    t.has("tile", "of archive.a")
    for key in "1347":
        t.press(key)
        sane(t)
    t.quit()


@case(params=[(500, 150), (1200, 20), (60, 400), (2000, 1000)], cost=2, depth=FULL)
def enormous(ctx, p):
    t = ctx.pty(ctx.demo, size=p, wait="MEMORY")
    for key in "347?1":
        t.press(key)
        t.clean()
        expect(re.search(r"\b1\b.*\b9\b", t.screen.line(0)), "no tabs after %s" % key)
    t.resize(80, 24)
    t.press("1")
    t.has("MEMORY")
    t.quit()


@case(smoke=1)
def typed_ahead(ctx):
    """Keys from before the first screen count."""
    t = ctx.pty(ctx.demo, wait=None)
    t.send("3:view trace\r")
    t.wait("tilescope")
    t.settle()
    tabs(t, "trace")
    t.quit()


@case()
def variables(ctx):
    """Sorted, turned round, filtered, searched, and any row at once."""
    t = ctx.pty(ctx.demo, size=(120, 40))
    rows = ctx.relations().execute("SELECT count(*) FROM lowered_variable").fetchone()[0]
    t.press("8")
    t.wait("by bytes, largest first")
    t.wait("row 1 of {:,} ".format(rows))
    t.has("{:,} variables".format(rows))
    t.press("O")
    t.has("by bytes, smallest first")
    t.press("G")
    t.press("gg")
    t.press(":")
    t.type("sort name")
    t.press("\r")
    t.has("by name")
    t.press("&")
    t.type("bytes>1KiB tile:0-3")
    t.press("\r")
    t.has(" of ", "& bytes>1KiB tile:0-3", "by name")
    t.press("&", "\r")
    t.lacks("& bytes")
    t.press(":")
    t.type("goto 100")
    t.press("\r")
    t.has("row 100 of ")
    t.press("/")
    t.type("tile:5")
    t.press("\r")
    t.has("match", "tile 5 ")
    t.press("&")
    t.type("tile:x")
    t.press("\r")
    t.has("cannot be understood")
    t.press("g", "m")
    tabs(t, "memory")
    t.has("tile 5")
    t.press("8", "g", "l")
    tabs(t, "liveness")
    t.wait("where the life of the variable begins")
    t.quit()


@case()
def tab_filter(ctx):
    """A filter of a tab is shown; Escape takes it away first, then the selected tiles."""
    t = ctx.pty(ctx.demo, size=(120, 40))
    t.press("3")
    t.wait("tile 480")
    t.press("\t")
    t.press(":")
    t.type("tab sets")
    t.press("\r")
    t.wait("[Sets]")
    t.press(":")
    t.type("tiles 0-3")
    t.press("\r")
    t.wait("4 tiles")
    t.press("&")
    t.type("cycles>0")
    t.press("\r")
    t.wait("& cycles>0 ")
    t.has("all rows")
    t.press("\x1b")
    t.lacks("& cycles>0")
    t.has("tiles 0-3")
    t.press("\x1b")
    t.wait(lambda text: "tiles 0-3" not in text)
    t.quit()


@case()
def summary_options(ctx):
    """& asks what the engine options that are shown have in them."""
    t = ctx.pty(ctx.demo, size=(80, 24))
    t.press("1")
    t.wait("fits")
    t.press("&")
    t.type("profiler")
    t.press("\r")
    t.wait('with "profiler"')
    t.has("profiler.perExecution")
    t.lacks("autoReport.directory")
    t.press("&", "\r")
    t.wait("autoReport.directory")
    t.quit()


@case(depth=FULL)
def variables_words(ctx):
    """What may be typed is said where it is typed, and what is wrong with it afterwards."""
    def line(text, keys=("\r",)):
        t.press(":")
        t.type(text)
        t.press(*keys)

    t = ctx.pty(ctx.demo)
    t.press("8")
    line("sort ", ("tab", "tab", "tab"))
    t.has(":sort bytes", "category")
    t.press("\r")
    t.has("by bytes, largest first")
    line("help sort")
    t.has("row|bytes|name|tile|category")
    line("help filter")
    t.has("FILTERS", "size>1M", "always_live")
    t.press("esc", "&")
    t.has("text bytes>64KiB and (tile:1,4-9 or name~REGEX)")
    t.type("cat")
    t.press("tab")
    expect(t.bottom() == "&category:", "not completed: %r" % t.bottom())
    t.type("VAR")
    t.press("tab", "tab")
    expect(t.bottom().startswith("&category:var"), "not completed: %r" % t.bottom())
    t.press("C-u")
    t.type("tile:0-3")
    t.press("\r")
    t.has("& tile:0-3")
    t.lacks("name~REGEX")
    line("filter")
    expect(not t.bottom().startswith("&"), "asks: %r" % t.bottom())
    t.lacks("& tile")
    for text, answer in (("name~(a", "regular expression"), ("sise>64", "no field"), ("\"open", "not closed"),
                         ("category:foo", "no category"), ("colour:64", "no field")):
        line("filter " + text)
        t.has(answer)
    line("filter")
    line("goto 1,000")
    t.has("row 1,000 of ")
    t.press("?", "/")
    t.lacks("name~REGEX")
    t.press("esc")
    t.quit()


def copied(t):
    """What Y sends to the clipboard."""
    before = len(t.screen.strings)
    t.press("Y")
    t.wait("sent to the terminal")
    sent = [s for s in t.screen.strings[before:] if s.startswith(b"]52;c;")]
    expect(len(sent) == 1, "not one text for the clipboard: %r" % sent)
    return base64.b64decode(sent[0][6:]).decode("utf-8")


PLACES = {
    "insights": ("rule=M04&tab=peak&pane=tabs&row=3", "FINDINGS"),
    "memory": ("tile=70&by=category&gaps=no&tab=variables&pane=tabs&row=2", "tile 70"),
    "liveness": ("step=30&base=no&zoom=0-40", "step 30 "),
    "programs": ("order=-cycles&threshold=1&program=12&pane=tabs", "program 12 "),
    "operations": ("layer=poplibs&order=-code&filter=cycles>0&tab=programs&pane=tabs", "poplibs"),
    "trace": ("step=57&ipu=1&pane=tab", "step 57 "),
    "variables": ("filter=tile:5&sort=bytes&row=2", "row 2 of"),
    "tables": ("table=memory_by_tile&pane=rows&row=9", "row 9 of"),
}


@case(params=sorted(PLACES), sample=1)
def place(ctx, view):
    """--at leads to a place, Y copies words that lead there again, and these stay the same."""
    args, word = PLACES[view]
    path = ctx.demo
    t = ctx.pty(path, "--at", "%s?%s" % (view, args), size=(100, 40), wait=word)
    t.settle()
    first = copied(t)
    expect(first.startswith("tilescope %s --at '%s?" % (path, view)), "copied: %r" % first)
    for arg in args.split("&"):
        expect(arg in first, "%s is not in %r" % (arg, first))
    sane(t)
    t.quit()
    again = ctx.pty(path, "--at", first.split("'")[1], size=(100, 40), wait=word)
    again.settle()
    second = copied(again)
    expect(second == first, "another address: %r, then %r" % (first, second))
    again.quit()


@case()
def findings(ctx):
    """Enter on a finding leads to its place, Backspace back to it; the same from Summary."""
    t = ctx.pty("--at", "insights?rule=M01", ctx.demo, size=(100, 40), wait="M01")
    t.press("enter")
    t.wait("limit 624K")
    t.press("backspace")
    t.wait("FINDINGS")
    sane(t)
    t.press("1")
    t.wait("findings")
    t.press("/")
    t.type("M01\r")
    t.press("enter")
    t.wait("limit 624K")
    sane(t)
    t.quit()


@case(depth=FULL)
def no_place(ctx):
    """A place that the report does not have is said in the bottom line, and a key ends the waiting for it."""
    t = ctx.pty(ctx.demo, "--at", "memory?tile=7777777", wait="there is no tile 7777777")
    t.press("w")
    t.lacks("7777777")
    sane(t)
    t.quit()
