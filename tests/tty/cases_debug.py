# SPDX-License-Identifier: MIT
"""The Debug tab: where steps and variables come from; the editor that opens their source."""

import os
import sqlite3

from .harness import case, expect

EDITOR = """#!/bin/sh
for word in "$@"; do printf '%s\\n' "$word"; done >"$0.words"
stty -g <&1 >"$0.modes"
printf 'the editor has the terminal\\n'
read -r line
printf '%s\\n' "$line" >"$0.read"
exit ${line:-0}
"""
SOURCE = "poplar/Graph.cpp"


def step_with_context(profile, wanted=True):
    """A step of a compute set; wanted False: one whose program says no context."""
    db = sqlite3.connect(profile)
    found = db.execute("SELECT s.id FROM steps s LEFT JOIN programs p ON p.id = s.program WHERE "
                       "coalesce(p.debug_id, 0) > 0 IS %s AND s.compute_set IS %s NULL ORDER BY 1 LIMIT 1"
                       % (("1", "NOT") if wanted else ("0", ""))).fetchone()
    db.close()
    return found[0]


def go(t, step):
    t.press(":")
    t.type("goto %d" % step)
    t.press("enter")


@case(params=[(80, 24), (160, 45), (40, 12)], sample=1, smoke=1)
def debug_tab(ctx, size):
    """From the leaf to the root, folded; the tab goes with the cursor, and goes away."""
    profile = ctx.copy()
    t = ctx.pty("--at", "trace", profile, size=size, wait="step 0")
    t.press("tab")
    go(t, step_with_context(profile))
    t.press("d")
    if size[1] < 20:                        # no room beside the list: it has the keys at once
        t.press("end")
    else:
        t.wait("leaf to root")
        t.wait("poplar ")
        t.has("Debug")
        t.press("tab", "end")
        t.has("context", "BertForPreTraining")
        t.press("home", "left")             # folded
        t.press("right", "right")
    t.press("/")
    t.type("category")
    t.press("enter")
    t.has("category  computeSet")
    t.clean()
    t.press("tab", "d")
    t.lacks("leaf to root")
    go(t, step_with_context(profile, False))
    t.press("d")
    if size[1] >= 20:
        t.wait("this step has no debug context")
    t.quit()


@case()
def debug_of_variables(ctx):
    """A variable's context, in the place of its fields."""
    t = ctx.pty("--at", "variables?level=unlowered&sort=bytes", ctx.demo, size=(100, 40))
    t.wait("Variables before lowering")
    t.press("d")
    t.wait("leaf to root")
    t.has("poptorch")
    t.press("tab", "down", "down", "tab", "d")
    t.lacks("leaf to root")
    t.quit()


@case(params=["memory?pane=tabs&tab=sets", "liveness"])
def debug_elsewhere(ctx, view):
    """The same tab in the other views that have objects with contexts."""
    t = ctx.pty("--at", view, ctx.demo, size=(100, 40))
    t.press("d")
    t.wait("Debug: ")
    t.wait("leaf to root")
    t.has("context  ")
    t.press("d")
    t.lacks("leaf to root")
    t.quit()


@case()
def debug_is_not_there(ctx):
    profile = ctx.copy()
    os.unlink(os.path.join(os.path.dirname(profile), "debug.cbor"))
    t = ctx.pty("--at", "trace", profile, size=(100, 40))
    t.press("d")
    t.wait("there is no debug.cbor")
    t.press("e")
    expect("no file" in t.bottom(), "e says %r" % t.bottom())
    t.quit()


@case()
def debug_is_damaged(ctx):
    """What is whole is shown, and what is wrong is said with its offset."""
    profile = ctx.copy()
    debug = os.path.join(os.path.dirname(profile), "debug.cbor")
    with open(debug, "rb") as f:
        os.truncate(debug, f.read().index(b"stringTable") + 60)   # of the names none is left
    t = ctx.pty("--at", "trace", profile, size=(120, 40), wait="step 0")
    t.press("tab")
    go(t, step_with_context(profile))
    t.press("d")
    t.wait("leaf to root")
    t.has("debug.cbor, which is damaged: offset ")
    t.quit()


@case()
def editor(ctx):
    """e gives the terminal to the editor and takes it back; no shell looks at the name."""
    profile = ctx.copy()
    tool = ctx.write("ed.sh", EDITOR)
    os.chmod(tool, 0o755)
    t = ctx.pty("--at", "trace", profile, size=(120, 40), env={"EDITOR": tool + " --flag  -x"})
    t.press("tab")
    go(t, step_with_context(profile))
    t.press("d")
    t.wait("leaf to root")
    t.press("e")
    expect(SOURCE + " is not here" in t.bottom(), "e says %r" % t.bottom())
    source = ctx.write(os.path.join(os.path.dirname(profile), SOURCE), "int main;\n")
    for status in ("", "3"):
        t.send("e")
        t.wait(lambda text: "the editor has the terminal" in text)
        t.type(status + "\r")
        t.wait("leaf to root")
        words = open(tool + ".words").read().split("\n")
        expect(words[:2] == ["--flag", "-x"] and words[2][:1] == "+" and words[2][1:].isdigit() and
               os.path.samefile(words[3], source), "the editor was given %r" % words)
        expect(open(tool + ".read").read() == status + "\n", "what was typed did not arrive")
        t.press("down", "up")
        t.has("leaf to root")
    t.clean()
    t.quit()


@case()
def editor_that_is_none(ctx):
    profile = ctx.copy()
    ctx.write(os.path.join(os.path.dirname(profile), SOURCE), "int main;\n")
    t = ctx.pty("--at", "trace", profile, size=(120, 40), env={"VISUAL": "/nowhere/ed"})
    t.press("tab")
    go(t, step_with_context(profile))
    t.press("d")
    t.wait("leaf to root")
    t.press("e")
    t.wait("/nowhere/ed cannot be run")
    t.has("leaf to root")
    t.quit()
