# SPDX-License-Identifier: MIT
"""Terminal types, locales, glyphs, colours, themes."""

import os
import re

from .cases_views import tabs
from .harness import FULL, VIEWS, case, digits, expect, not_ascii

COLOUR = re.compile("(3[0-8]|4[0-8]|9[0-7]|10[0-7])$")
# what each has: colours, an alternate screen, application keys
TERMS = {
    "xterm-256color": dict(colours=256, alternate=True),
    "tmux-256color": dict(colours=256, alternate=True),
    "screen-256color": dict(colours=256, alternate=True),
    "screen": dict(colours=8, alternate=True),
    "linux": dict(colours=8, alternate=False),
    "xterm": dict(colours=8, alternate=True),
    "vt100": dict(colours=0, alternate=False),
    "vt220": dict(colours=0, alternate=False),
    "ansi": dict(colours=8, alternate=False),
}


def colours_of(t):
    return {s for s in t.screen.seen_sgr if COLOUR.match(s)} - {"39", "49"}


def no_junk(t):
    """No remains of escape sequences as text."""
    for y in range(t.screen.h):
        line = t.screen.line(y)
        if re.search(r"\[\?\d|\[\d+;\d+[Hmr]|\[0?m|\]52;|\x1b", line):
            t.fail("remains of an escape sequence: %r" % line)


@case(params=TERMS, sample=1)
def terminal_type(ctx, term):
    has = TERMS[term]
    t = ctx.pty(ctx.demo, env={"TERM": term})
    t.has("tilescope", "MEMORY", "worst tile", "CYCLES")
    no_junk(t)
    t.clean()
    expect(("1049" in t.screen.modes) == has["alternate"], "alternate screen")
    seen = colours_of(t)
    if has["colours"] == 0:
        expect(not seen, "colours on a terminal without: %s" % seen)
    else:
        expect(seen, "no colours")
    if has["colours"] == 8:
        expect("38" not in seen and "48" not in seen, "256 colours where there are 8")
    for key in ("3", "4", "7", "?", "M"):
        t.press(key, "down", "pgdn")
        no_junk(t)
        t.clean()
        expect("tilescope" in t.screen.line(0), "no title after %s" % key)
    t.press("1", "1")
    t.press(":")
    t.type("view trace")
    t.press("enter")
    t.resize(120, 40)
    t.press("1")
    t.has("MEMORY", "worst tile")
    t.press("C-l")
    t.has("MEMORY", "worst tile")
    t.quit()


@case(needs="tmux", params=[t for t in TERMS if t != "vt220"], depth=FULL)
def terminal_type_in_tmux(ctx, term):
    """The same within tmux with the other TERM: what a wrong setting looks like is not junk."""
    t = ctx.tmux(ctx.demo, before="TERM=%s " % term)
    t.wait(lambda text: "MEMORY" in text and "worst tile" in text)
    t.rest()
    t.lacks("[?", "[0m", "\x1b")
    first = t.text()
    for key in "347":
        t.keys(key)
        t.rest()
        t.lacks("[?", "[0m")
    t.keys("1")
    t.wait("MEMORY")
    t.rest()
    if [r.rstrip() for r in t.text().split("\n")] != [r.rstrip() for r in first.split("\n")]:
        t.fail("coming back the screen is not\n%s" % first)
    t.keys("q")
    t.wait("[exit 0]")
    expect(t.ask("cursor_flag") == "1", "the cursor is hidden")


@case(params=["dumb", "unknown", "lpr"], sample=1)
def hopeless_type(ctx, term):
    """A type that cannot place the cursor: one line and no screen, or another type is used."""
    if term == "lpr" and os.environ.get("TS_SANITIZE"):
        return                          # curses itself leaks the description that was tried first
    t = ctx.pty(ctx.demo, env={"TERM": term}, wait=None)
    if t.shows():
        t.wait("MEMORY")
        no_junk(t)
        t.quit()
        return
    expect(t.status in (2, 3), "exit status %s" % t.status)
    t.restored()
    said = t.text().replace("\n", "")
    expect(re.match("tilescope: .*TERM", said), "no word of TERM: %r" % said)
    expect(b"\x1b" not in t.raw, "escape sequences to a terminal that has none: %r" % t.raw)


@case(params=["nonsense-term", "xterm-kitty-of-tomorrow", "foot-extra", "x" * 300, "../../etc", "",
              "xterm-256color ", "unset"], sample=1)
def unknown_type(ctx, term):
    """Said in the bottom line, and it works."""
    term = None if term == "unset" else term
    t = ctx.pty(ctx.demo, env={"TERM": term}, wait="MEMORY", size=(120, 30))
    expect("terminal type" in t.bottom() and "not known" in t.bottom(), "the bottom line says %r" %
           t.bottom())
    t.press("3")
    tabs(t, "memory")
    expect("terminal type" not in t.bottom(), "still said after a key")
    t.press("M")
    t.has("not known")
    t.quit()


# ---- locales ----

@case(params=[("C", False), ("POSIX", False), ("C.UTF-8", True), ("C.utf8", True),
              ("xx_YY", None), ("xx_YY.UTF-8", True), ("en_US.ISO-8859-1", None)], sample=2)
def locale(ctx, p):
    """ASCII glyphs unless the locale has more; one that is missing is no catastrophe."""
    name, unicode = p
    for variable in ("LC_ALL", "LANG"):
        env = {"LC_ALL": None, "LANG": None, variable: name}
        t = ctx.pty(ctx.demo, env=env, wait="MEMORY")
        odd = not_ascii(t.text())
        if unicode is not None:
            expect(bool(odd) == unicode, "%s=%s: characters beyond ASCII: %s" % (
                variable, name, "".join(odd[:20])))
        for key in ("3", "4", "7", "?"):
            t.press(key)
            t.clean()
            if unicode is False and not_ascii(t.text()):
                t.fail("beyond ASCII after %s: %s" % (key, not_ascii(t.text())[:20]))
        if unicode is False:
            expect(all(b < 0x80 for b in t.raw), "bytes beyond ASCII were sent")
        t.quit()


@case(params=VIEWS, sample=2)
def ascii(ctx, name):
    t = ctx.pty("--ascii", "--at", name, ctx.demo, size=(120, 40))
    expect(not not_ascii(t.text()), "beyond ASCII: %s" % not_ascii(t.text())[:20])
    t.press("tab", "pgdn")
    expect(not not_ascii(t.text()), "beyond ASCII: %s" % not_ascii(t.text())[:20])
    t.quit()


# ---- colours ----

@case(params=["NO_COLOR", "--no-color", "--color=never", "mono-theme"], sample=1)
def no_colour(ctx, how):
    args = {"NO_COLOR": [], "mono-theme": ["--theme", "mono"]}.get(how, [how])
    t = ctx.pty(*args, ctx.demo, env={"NO_COLOR": "1"} if how == "NO_COLOR" else {})
    for key in ("3", "4", "7", "?", "1", "1"):
        t.press(key)
    if how == "mono-theme":             # a theme may still name grey
        return
    expect(not colours_of(t), "colours: %s" % sorted(colours_of(t)))
    tabs(t, "summary")                  # attributes still tell the tabs apart
    t.quit()


@case()
def no_colour_empty(ctx):
    t = ctx.pty(ctx.demo, env={"NO_COLOR": ""})
    expect(colours_of(t), "an empty NO_COLOR is none")
    t.quit()


@case(params=[(theme, term) for theme in ("default", "light", "mono", "high-contrast", "colour-blind")
              for term in ("xterm-256color", "screen", "vt100")], sample=2)
def theme(ctx, p):
    name, term = p
    t = ctx.pty("--theme", name, ctx.demo, env={"TERM": term}, size=(120, 40))
    for key in ("3", "4", "7", "1"):
        t.press(key)
        t.clean()
        tabs(t, {"3": "memory", "4": "liveness", "7": "trace", "1": "summary"}[key])
    t.quit()


@case()
def theme_at_run_time(ctx):
    t = ctx.pty(ctx.demo)
    text = t.text()
    looks = {}
    for name in ("mono", "colour-blind", "default"):
        t.press(":")
        t.type("theme " + name)
        t.press("enter")
        looks[name] = [t.screen.attributes(y) for y in range(23)]
        # charts may tell by letters and glyphs what they no longer tell by colour
        expect(digits(t.text()) == digits(text), "the figures differ with %s" % name)
    expect(looks["mono"] != looks["default"] != looks["colour-blind"], "themes look alike")
    t.quit()


@case()
def direct_colour(ctx):
    t = ctx.pty(ctx.demo, env={"TERM": "xterm-direct"}, wait="MEMORY")
    t.press("7", "4", "3")
    no_junk(t)
    t.quit()
