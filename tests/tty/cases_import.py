# SPDX-License-Identifier: MIT
"""
The app's offer to import what libpva knows, with the stand-in of tests/cli/standin, which is not libpva.
"""

import os

from .cases_tables import while_busy
from .cases_views import tabs
from .harness import FULL, case, expect

STANDIN = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "cli", "standin")
OFFER = "is here: :import asks it for"


def small(ctx):
    """A profile, and the environment in which the stand-in answers for it from a store."""
    shape = ("--ipus", "2", "--tiles", "4", "--steps", "300", "--variables", "300", "--no-archive")
    for layout in ("sdk", "store"):
        r = ctx.run("demo", ctx.path(layout), "--layout", layout, *shape)
        expect(r.returncode == 0, "demo: %r" % r.stderr)
    return ctx.path("sdk", "profile.pop"), {
        "PYTHONPATH": os.path.abspath(STANDIN), "STANDIN_STORE": ctx.path("store", "report.tilescope")}


def opened(ctx, *args, **more):
    path, env = small(ctx)
    return ctx.pty(*args, path, size=(120, 50), env=dict(env, **more), wait="MEMORY")


def kept(ctx):
    where = os.path.join(ctx.home, "cache", "tilescope", "import")
    names = os.listdir(where) if os.path.isdir(where) else []
    return sorted(n for n in names if not n.endswith(".path"))


@case(depth=FULL)
def import_is_offered(ctx):
    """Offered in Summary and where something is absent; the report is opened with it, the place kept."""
    t = opened(ctx)
    t.wait(OFFER)
    t.press("4")
    t.wait("Not in this report")
    t.has(OFFER)
    t.type(":import\r")
    t.wait(lambda text: "imported:" in text and "Not in this report" not in text)
    tabs(t, "liveness")
    expect(len(kept(ctx)) == 1, "below the caches: %s" % kept(ctx))
    t.press("1")
    t.lacks("libpva")
    t.quit()


@case(depth=FULL)
def import_by_enter(ctx):
    """Enter on the line of the offer; with --python instead of $PATH."""
    python = ctx.write("bin/python", "#!/bin/sh\nexec python3 \"$@\"\n")
    os.chmod(python, 0o755)
    t = opened(ctx, "--python", python)
    t.wait(OFFER)
    t.type("/" + OFFER + "\r")
    t.press("\r")
    t.wait(lambda text: "imported:" in text and OFFER not in text)
    t.quit()


@case()
def import_is_stopped(ctx):
    """What it has written shows while it runs; C-c ends it and says so; nothing is left behind."""
    t = opened(ctx, STANDIN_HANG="1")
    t.wait(OFFER)
    t.send(":import\r")
    while_busy(t, "is being asked")
    t.send(":import\r")
    while_busy(t, "an import is under way")
    while_busy(t, " rows, ")                # it has begun
    t.send("\x03")
    t.wait("the import was stopped")
    t.wait(OFFER)
    expect(kept(ctx) == [], "left behind: %s" % kept(ctx))
    t.send(":import\r")
    while_busy(t, "is being asked")
    t.send("q")
    t.expect_end(0)
    expect(kept(ctx) == [], "left behind: %s" % kept(ctx))


@case()
def import_fails(ctx):
    """One line says why, and Summary keeps it."""
    t = opened(ctx, STANDIN_OPEN="no such profile")
    t.wait(OFFER)
    t.type(":import\r")
    t.wait("import: libpva cannot open it")
    t.press("down")
    t.wait("could not be asked (:import tries again): libpva cannot open it")
    t.quit()


@case(depth=FULL)
def import_is_not_offered(ctx):
    """Without libpva there is no offer, from the report's own directory either; asked for, it says why."""
    path, _ = small(ctx)
    ctx.write(os.path.join(os.path.dirname(path), "pva.py"), "open(%r, 'w')\n" % ctx.path("owned"))
    t = ctx.pty(path, size=(160, 50), wait="MEMORY", cwd=os.path.dirname(path),
                env={"PYTHONPATH": ":"})
    t.type(":import\r")
    t.wait("import: no libpva:")
    t.wait("could not be asked")
    t.quit()
    expect(not os.path.exists(ctx.path("owned")), "a pva.py of the report's directory was run")
    t = ctx.pty(ctx.reports["store"], size=(160, 50), wait="MEMORY")
    t.type(":import\r")
    t.wait("libpva reads profiles of the SDK")
    t.lacks("could not be asked")
    t.quit()
