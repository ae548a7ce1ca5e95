# SPDX-License-Identifier: MIT
"""Keys as terminals send them, the prompt, search, help, messages, back and forward."""

import os
import re

from .cases_views import tabs
from .harness import VIEWS, case, expect


@case()
def escape_alone(ctx):
    t = ctx.pty(ctx.demo)
    shown = t.text()
    t.press("esc")
    expect(t.text() == shown and t.poll() is None, "Escape did something")
    t.press("?")
    expect(t.text() != shown, "no help")
    t.press("esc")
    if t.text() != shown:
        t.fail("Escape does not close the help")
    t.press("M")
    t.press("esc")
    if t.text() != shown:
        t.fail("Escape does not close the messages")
    t.press(":")
    t.type("abc")
    t.press("esc")
    if t.text() != shown:
        t.fail("Escape does not leave the prompt")
    t.press("g", "esc")
    t.press("esc", "esc", "esc")
    t.press("3")
    tabs(t, "memory")
    t.quit()


# sequence, what the prompt holds afterwards when it held "ab" with the cursor at the end, then X
LEFTS = {"application": "\x1bOD", "normal": "\x1b[D", "C-b": "\x02"}
RIGHTS = {"application": "\x1bOC", "normal": "\x1b[C", "C-f": "\x06"}
HOMES = {"ss3": "\x1bOH", "csi": "\x1b[H", "vt": "\x1b[1~", "rxvt": "\x1b[7~", "C-a": "\x01"}
ENDS = {"ss3": "\x1bOF", "csi": "\x1b[F", "vt": "\x1b[4~", "rxvt": "\x1b[8~", "C-e": "\x05"}


def edit(ctx, t, keys, result):
    t.press(":")
    t.type("ab")
    for k in keys:
        t.send(k)
        t.settle()
    t.type("X")
    if t.bottom() != ":" + result:
        t.fail("%r gave %r, expected %r" % (keys, t.bottom(), ":" + result))
    t.press("C-c")


@case(params=["xterm-256color", "tmux-256color", "vt100", "linux", "screen"], sample=1, smoke=1)
def arrows(ctx, term):
    """Application and normal mode, whatever TERM says."""
    t = ctx.pty(ctx.demo, env={"TERM": term})
    for left in LEFTS.values():
        edit(ctx, t, [left], "aXb")
    for right in RIGHTS.values():
        edit(ctx, t, [LEFTS["normal"], LEFTS["normal"], right], "aXb")
    for home in HOMES.values():
        edit(ctx, t, [home], "Xab")
    for end in ENDS.values():
        edit(ctx, t, [HOMES["csi"], end], "abX")
    t.quit()


@case()
def alt_keys(ctx):
    t = ctx.pty(ctx.demo)
    t.press(":")
    t.type("one two")
    t.send("\x1bb")
    t.settle()
    t.type("X")
    expect(t.bottom() == ":one Xtwo", "M-b: %r" % t.bottom())
    t.send("\x1b[1;5D")
    t.settle()
    t.type("Y")
    expect(t.bottom() == ":one YXtwo", "C-Left: %r" % t.bottom())
    t.send("\x1b\x7f")
    t.settle()
    expect(t.bottom() == ":one Xtwo", "M-Backspace: %r" % t.bottom())
    t.press("C-c")
    t.press("M-x")
    expect("M-x" in t.bottom() and "not bound" in t.bottom(), "M-x: %r" % t.bottom())
    t.quit()


@case()
def odd_sequences(ctx):
    """Focus reports, answers to queries, unknown keys, lone bytes: never taken for commands."""
    t = ctx.pty(ctx.demo)
    t.press("1")
    for s in ("\x1b[I", "\x1b[O", "\x1b[?62;c", "\x1b[24;80R", "\x1b[99~", "\x1b[1;99Q",
              "\x1b[<0;10;10M", "\x1b[<0;10;10m", "\x1b[M !!", "\x1b[200~q:quit\rQ\x1b[201~",
              "\x1b[57399u", "\x1b[>0;276;0c", "\x1bO5", "\x00", "\x80", "\xff", "\xc3", "\u00e9",
              "\u4e2d", "\U0001f600", "\x1b[1;2;3;4;5;6;7;8;9q"):
        t.send(s.encode("latin-1") if s in ("\x80", "\xff", "\xc3") else s)
        t.settle()
        if t.poll() is not None:
            t.fail("ended after %r" % s)
    t.press("esc")
    tabs(t, "summary")
    t.clean()
    t.quit()


@case()
def key_in_pieces(ctx):
    """An arrow whose bytes come one by one, quickly, is an arrow."""
    t = ctx.pty(ctx.demo, env={"ESCDELAY": "10000"})
    t.press(":")
    t.type("ab")
    for b in "\x1b[D":
        t.send(b)
        t.pump(0.03)
    t.settle()
    t.type("X")
    expect(t.bottom() == ":aXb", "%r" % t.bottom())
    t.press("C-c")
    t.send("Q")
    t.expect_end(0)


@case()
def key_flood(ctx):
    """Ten thousand keys at once: all are taken, the end is what the last ones say."""
    t = ctx.pty(ctx.demo)
    for _ in range(20):
        t.send("jjjjkkkk\x1b[B\x1b[A" * 40)
    t.send("\x1b[6~\x1b[5~" * 200)
    t.send("4")
    t.settle()
    tabs(t, "liveness")
    t.quit()


@case(needs="tmux")
def keys_in_tmux(ctx):
    t = ctx.tmux(ctx.demo)
    t.keys(":")
    t.type("ab")
    t.keys("Left")
    t.type("X")
    t.wait(":aXb")
    t.keys("Home")
    t.type("Y")
    t.wait(":YaXb")
    t.keys("End", "M-b", "DC")
    t.wait(":aXb")
    t.keys("Escape")
    t.wait(lambda text: ":aXb" not in text)
    t.keys("F1")
    t.wait("KEYS")
    t.keys("Escape")
    t.wait("MEMORY")
    t.keys("M-x")
    t.wait("M-x is not bound")
    t.keys("q")
    t.wait("[exit 0]")


# ---- the prompt ----

@case()
def prompt_runs(ctx):
    t = ctx.pty(ctx.demo, size=(100, 30))
    for name in VIEWS:
        t.press(":")
        t.type("view " + name)
        t.press("enter")
        tabs(t, name)
    t.press(":")
    t.type("set units=bytes")
    t.press("enter")
    t.press("1")
    worst = ctx.summary(ctx.demo)["memory"]["worst_tile_bytes"]
    t.has("{:,}".format(worst))
    t.press(":")
    t.type("set units")
    t.press("enter")
    t.has("units is bytes")
    t.press(":")
    t.type("help reload")
    t.press("enter")
    t.has("read the report again")
    t.press(":")
    t.type("help capture")
    t.press("enter")
    t.wait("WHAT RECORDS WHAT")
    for topic, head in (("filter", "FILTERS"), ("tiles", "SETS OF TILES"), ("whatif", "WHAT IF"), ("hosts", "REPORTS ON")):
        t.press(":")
        t.type("help " + topic)
        t.press("enter")
        t.wait(lambda text: text.splitlines()[1].startswith(head))
    t.press("q")
    for key, view in (("4", "liveness"), ("3", "memory")):
        t.press(key)
        t.press("?")
        t.wait(lambda text: text.splitlines()[1].startswith("KEYS  %s:" % view))
        t.press("q")
    t.quit()


@case()
def prompt_completes(ctx):
    t = ctx.pty(ctx.demo)
    t.press(":")
    t.type("rel")
    t.press("tab")
    expect(t.bottom().startswith(":reload"), "completion: %r" % t.bottom())
    t.press("C-u")
    t.type("goto-")
    t.press("tab")
    t.press("tab")
    first = t.bottom()
    expect(re.match(":goto-(memory|liveness|trace)", first), "a candidate: %r" % first)
    t.press("tab")
    expect(t.bottom() != first, "the next candidate: %r" % t.bottom())
    t.press("s-tab")
    expect(t.bottom() == first, "the candidate before: %r" % t.bottom())
    t.press("C-u")
    t.type("view li")
    t.press("tab")
    expect(t.bottom().startswith(":view liveness"), "views: %r" % t.bottom())
    t.press("enter")
    tabs(t, "liveness")
    t.press(":")
    t.type("set un")
    t.press("tab")
    expect(t.bottom().startswith(":set units"), "options: %r" % t.bottom())
    t.press("C-u")
    t.press("tab")
    t.press("tab", "tab", "s-tab")
    t.type("zzzzzz")
    t.press("tab")
    t.clean()
    t.press("C-g")
    t.quit()


@case()
def prompt_remembers(ctx):
    t = ctx.pty(ctx.demo)
    for line in ("help reload", "help redraw", "help copy"):
        t.press(":")
        t.type(line)
        t.press("enter")
    t.press(":")
    t.type("he")
    t.press("up")
    expect(t.bottom() == ":help copy", "the last line: %r" % t.bottom())
    t.press("up", "up")
    expect(t.bottom() == ":help reload", "the first line: %r" % t.bottom())
    t.press("up")
    expect(t.bottom() == ":help reload", "before the first: %r" % t.bottom())
    t.press("down")
    expect(t.bottom() == ":help redraw", "down: %r" % t.bottom())
    t.press("down", "down")
    expect(t.bottom() in (":he", ":"), "back at what was typed: %r" % t.bottom())
    t.press("C-c")
    t.press("/")
    t.press("up")
    expect("help" not in t.bottom(), "searches have their own: %r" % t.bottom())
    t.press("esc")
    t.quit()


@case()
def prompt_errors(ctx):
    t = ctx.pty(ctx.demo, size=(120, 30))
    for line, says in (("nonsense", "nonsense"), ("view", "view"), ("view nowhere", "nowhere"),
                       ("set", "set"), ("set colour blue", "colour"),
                       ("set units furlong", "kib|kb|bytes"), ("set clock fast", "clock"),
                       ("theme nosuch", "nosuch"), ("keymap nosuch", "nosuch"),
                       ("help nonsense", "nonsense"), ("accept", "accept"),
                       ("set units 'open", ""), ("quit now", "")):
        t.press(":")
        t.type(line)
        t.press("enter")
        if t.poll() is not None:
            t.fail("ended after :%s" % line)
        if says not in t.bottom() or not t.bottom() or "q quit" in t.bottom():
            t.fail(":%s said %r" % (line, t.bottom()))
    t.press(":")
    t.press("enter")
    t.press(":")
    t.type("x" * 3000)
    t.press("enter")
    t.clean()
    t.press(":")
    t.press("backspace")
    t.press("esc")
    tabs(t, "summary")
    t.quit()


@case()
def prompt_wide_text(ctx):
    t = ctx.pty(ctx.demo)
    t.press(":")
    t.type("a\u4e2d\u6587e\u0301b")
    t.clean()
    t.press("backspace")
    t.press("left", "left", "left")
    t.press("C-k")
    t.clean()
    t.press("C-c")
    t.quit()


@case()
def paste(ctx):
    t = ctx.pty(ctx.demo)
    t.press(":")
    t.send("\x1b[200~view memory\r:quit\r\x1b[201~")
    t.settle()
    expect(t.poll() is None and t.bottom().startswith(":view memory"), "%r" % t.bottom())
    t.press("C-c")
    t.quit()


# a name that the view has, and what `:goto 100` leads to
HITS = {"memory": "partials", "liveness": "matMul", "trace": "LayerNorm"}
GOES = {"memory": "tile", "liveness": "step", "trace": "step", "variables": "row"}


@case(params=VIEWS, sample=2, smoke=1)
def search_and_goto(ctx, name):
    t = ctx.pty("--at", name, ctx.demo, size=(120, 40))
    t.press("/")
    expect(t.bottom().startswith("/"), "no prompt: %r" % t.bottom())
    t.type(HITS.get(name, "encoder"))
    t.press("enter")
    expect(t.poll() is None, "ended")
    if name in HITS:
        expect(re.search(r"\d+ of [1-9]|[1-9]\d* hits", t.bottom()), "hits: %r" % t.bottom())
    t.press("n", "n", "N")
    t.clean()
    t.press("/")
    t.type("qqqqqqqq-not-there")
    t.press("enter")
    expect("help" not in t.bottom() or "no" in t.bottom(), "no word of it: %r" % t.bottom())
    if name in GOES:
        t.press(":")
        t.type("goto 100")
        t.press("enter")
        t.has(GOES[name] + " 100 ")
    t.press("\\")
    t.type("a")
    t.press("enter")
    for n in ("0", "100", "999999999999999999999", "-5", "x"):
        t.press(":")
        t.type("goto " + n)
        t.press("enter")
        expect(t.poll() is None, "ended after goto %s" % n)
    t.clean()
    tabs(t, name)
    t.press("C-l")
    t.quit()


@case()
def unbound(ctx):
    t = ctx.pty(ctx.demo)
    t.press("g")
    t.has("g")
    t.press("x")
    expect("not bound" in t.bottom(), "gx: %r" % t.bottom())
    t.press("\u00e9")
    expect("not bound" in t.bottom() and "\u00e9" in t.bottom(), "%r" % t.bottom())
    t.quit()


# ---- help and messages ----

def all_text(t):
    """Everything that a list or text shows from its first to its last row."""
    t.press("home")
    seen = [t.text()]
    for _ in range(60):
        t.press("pgdn")
        if t.text() == seen[-1]:
            break
        seen.append(t.text())
    return "\n".join(seen)


@case(params=[(80, 24), (200, 60)], sample=1)
def help_lists_every_binding(ctx, p):
    source = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "keymaps",
                          "default.keys")
    bound = []
    with open(source) as f:
        for line in f:
            m = re.match(r'bind\s+(\S+)\s+("[^"]+"|\S+)\s+(\S+)', line)
            if m:
                bound.append((m.group(1), m.group(2).strip('"'), m.group(3)))
    expect(len(bound) > 60, "the keymap was not understood")
    t = ctx.pty(ctx.demo, size=p)
    t.press("?")
    text = all_text(t)
    words = set(text.split())
    for context, keys, cmd in bound:
        if keys not in words:
            t.fail("the help has no %s of %s (%s)" % (keys, context, cmd))
    for context in {b[0] for b in bound}:
        expect(context.lower() in text.lower(), "no section %s" % context)
    t.press("home")
    t.press("/")
    t.type("suspend")
    t.press("enter")
    t.clean()
    t.press("?")
    tabs(t, "summary")
    t.has("MEMORY")
    t.quit()


@case()
def messages(ctx):
    t = ctx.pty(ctx.demo, size=(100, 30))
    shown = t.text()
    t.press("M")
    expect(t.text() != shown, "nothing happened")
    t.press("M")
    if t.text() != shown:
        t.fail("M does not close it")
    t.quit()


@case()
def back_and_forward(ctx):
    t = ctx.pty(ctx.demo)
    for key in ("3", "4", "7"):
        t.press(key)
    for view in ("liveness", "memory", "summary"):
        t.press("backspace")
        tabs(t, view)
    t.press("C-o")
    expect(t.screen.bells > 0, "no bell before the first place")
    tabs(t, "summary")
    for view in ("memory", "liveness", "trace"):
        t.press("M-o")
        tabs(t, view)
    t.press("M-o")
    tabs(t, "trace")
    t.send("\x1b[1;3D")                 # M-Left
    t.settle()
    tabs(t, "liveness")
    t.send("\x1b[1;3C")
    t.settle()
    tabs(t, "trace")
    t.press("backspace", "1", "backspace")
    tabs(t, "liveness")
    t.quit()


@case()
def close_of_a_cover(ctx):
    """q in help leads back to the view, q there ends."""
    t = ctx.pty(ctx.demo)
    t.press("3", "?")
    t.press("q")
    tabs(t, "memory")
    t.press("M", "?")
    t.press("q")
    t.press("q")
    if t.shows():
        t.press("q")
    t.expect_end(0)
    t.restored()


@case()
def reload(ctx):
    t = ctx.pty(ctx.demo)
    shown = t.text()
    for _ in range(3):
        t.press("r")
    t.wait(lambda text: text == shown)      # work that takes long stands in the title meanwhile
    t.quit()


@case()
def reload_of_a_vanished_file(ctx):
    path = ctx.copy()
    t = ctx.pty(os.path.dirname(path))
    os.rename(path, path + ".away")
    t.press("r")
    t.has("MEMORY")
    expect("help" not in t.bottom(), "not a word: %r" % t.bottom())
    os.rename(path + ".away", path)
    t.press("r")
    # the second line where it was seen meanwhile that the file has changed
    expect("help" in t.bottom() or "was read again" in t.bottom(), "not well again: %r" % t.bottom())
    t.quit()


@case()
def keymap_vim(ctx):
    t = ctx.pty("--keymap", "vim", ctx.demo)
    t.press("4")
    t.send("\x17w")
    t.settle()
    tabs(t, "liveness")
    t.press("C-f", "C-b", "$", "^")
    t.clean()
    t.press("?")
    expect("C-f" in all_text(t).split(), "the help does not show vim's keys")
    t.press("esc")
    t.send("ZQ")
    t.expect_end(0)
    t.restored()


@case()
def keymap_emacs_searches_on(ctx):
    """C-s again: the next hit, C-r the one before, with the line still there; Enter and C-g leave it on the hit."""
    t = ctx.pty("--keymap", "emacs", "--at", "variables", ctx.demo, size=(120, 40))

    def line(*keys):
        t.press(*keys)
        t.settle()
        return t.screen.line(38).strip(), t.bottom().strip()

    hits = []
    line("C-s")
    t.type("matMul")
    for keys in (("C-s",), ("C-s",), ("C-s",), ("C-r",)):
        above, bottom = line(*keys)
        expect(bottom == "/matMul", "the line is gone: %r" % bottom)
        found = re.match(r"hit ([\d,]+) of [\d,]+", above)
        expect(found, "no hit: %r" % above)
        hits.append(int(found.group(1)))
    expect([h - hits[0] for h in hits] == [0, 1, 2, 1], "from hit to hit: %r" % hits)
    shown = t.screen.line(10)
    expect("matMul" not in line("enter")[1] and t.screen.line(10) == shown, "Enter goes on")
    above, bottom = line("C-s", "C-s")          # an empty line is the last pattern
    expect(bottom == "/matMul" and above.startswith("hit %d of" % hits[2]), (above, bottom))
    above, bottom = line("C-r", "C-r")
    expect(above.startswith("hit %d of" % hits[0]), (above, bottom))
    line("C-g")
    line("C-s")
    t.type("nothing-of-that-name")
    above, bottom = line("C-s")
    expect("not found" in above or "no " in above, "no hit is not said: %r" % above)
    line("C-g", "M-x")
    t.type("view trace")
    expect(line("C-s")[1] == ":view trace", "C-s in another line")
    line("enter", "C-r")                        # there n goes the way that the search went
    t.type("a")
    first = int(re.match(r"hit ([\d,]+) of", line("C-r")[0]).group(1).replace(",", ""))
    second = int(re.match(r"hit ([\d,]+) of", line("C-r")[0]).group(1).replace(",", ""))
    third = int(re.match(r"hit ([\d,]+) of", line("C-s")[0]).group(1).replace(",", ""))
    expect((second == first - 1 or first == 1 < second) and third == first, "the way of hits: %r" % [first, second, third])
    line("C-g")
    t.quit()


def hit_of(line):
    return int(re.match(r"hit ([\d,]+) of", line).group(1).replace(",", ""))


@case()
def keymap_emacs_searches_back(ctx):
    """C-r first, then C-r and C-s, in Variables: each goes its way; and an empty line searches for what it shows."""
    t = ctx.pty("--keymap", "emacs", "--at", "variables", ctx.demo, size=(120, 40))

    def above(*keys):
        t.press(*keys)
        t.settle()
        return t.screen.line(38).strip()
    above("C-s")
    t.type("matMul")
    start = hit_of(above("C-s", "C-s", "C-s", "C-s", "C-s"))
    above("C-g")
    above("C-r")
    t.type("matMul")
    hits = [hit_of(above(k)) for k in ("C-r", "C-r", "C-r", "C-s")]
    expect([h - hits[0] for h in hits] == [0, -1, -2, -1] and hits[0] <= start, "the way of hits: %r" % hits)
    above("C-g")
    t.press(":")
    t.type("search partials")
    t.press("enter")
    t.settle()
    t.press("/")
    above("C-s")
    expect(t.bottom().strip() == "/partials", "an empty line is the word of before: %r" % t.bottom())
    above("C-g")
    t.quit()


@case()
def mouse(ctx):
    """Off unless asked for; off again at the end."""
    t = ctx.pty(ctx.demo)
    expect("1000" not in t.screen.modes and "1002" not in t.screen.modes, "on from the start")
    t.press(":")
    t.type("mouse on")
    t.press("enter")
    expect("1000" in t.screen.modes or "1002" in t.screen.modes, "not switched on")
    t.send("\x1b[<65;10;10M\x1b[<64;10;10M\x1b[<0;10;10M\x1b[<0;10;10m")
    t.settle()
    t.clean()
    x = t.screen.line(0).index("3:Mem") + 2
    t.send("\x1b[<0;%d;1M\x1b[<0;%d;1m" % (x, x))
    t.settle()
    t.has("Memory: mean and fullest tile")
    t.press(":")
    t.type("mouse off")
    t.press("enter")
    expect("1000" not in t.screen.modes, "not switched off")
    t.press(":")
    t.type("mouse")
    t.press("enter")
    t.quit()
    t = ctx.pty("--mouse", ctx.demo)
    expect("1000" in t.screen.modes, "--mouse")
    t.kill(15)
    t.expect_end(130)
    t.restored()


@case()
def copy_row(ctx):
    """y writes OSC 52 and nothing else out of the way."""
    t = ctx.pty("--at", "trace", ctx.demo, size=(120, 40))
    t.press("tab")
    t.press("y")
    for s in t.screen.strings:
        expect(s.startswith(b"]52;c;") and re.fullmatch(rb"\]52;c;[A-Za-z0-9+/=]*", s),
               "a string of another kind: %r" % s[:60])
    t.clean()
    t.quit()


@case(smoke=1)
def typed_ahead(ctx):
    """All in one write: keys for rows that are not read yet go to these rows, in the view that a key leads to."""
    t = ctx.pty(ctx.demo, size=(120, 40))
    t.send("4)jjx")
    t.wait("removed: ")
    burst = t.bottom()
    t.quit()
    t = ctx.pty(ctx.demo, size=(120, 40))
    for key in ("4", ")", "j", "j", "x"):
        t.press(key)
        t.settle()
    t.wait("removed: ")
    expect(t.bottom() == burst, "%r typed at once, %r one by one" % (burst, t.bottom()))
    t.quit()


@case()
def escape_is_for_what_is_nearest(ctx):
    """The filter of what has the keys, then the tiles that are selected."""
    t = ctx.pty(ctx.demo, size=(120, 40))
    t.press(":")
    t.type("tiles 2-9")
    t.press("enter")
    t.wait("tiles 2-9: 8")
    for view, keys in (("3", ("tab", "tab")), ("4", ("tab",)), ("5", ()), ("6", ()), ("8", ())):
        t.press(view, *keys)
        t.settle()
        whole = t.text()
        t.press("&")
        t.type("matMul")
        t.press("enter")
        t.settle()
        expect(t.text() != whole, "nothing is filtered in view %s" % view)
        t.press("esc")
        t.settle()
        t.has("the filter is taken back: all rows")
        t.has("tiles 2-9: 8")
    t.press("3", "esc")
    t.settle()
    expect("tiles 2-9: 8" not in t.text(), "tiles are selected")
    t.quit()
