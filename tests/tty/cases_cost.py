# SPDX-License-Identifier: MIT
"""What the program sends and uses: counted in bytes, keys and wakeups, never in milliseconds."""

from .harness import VIEWS, case, expect

SCROLL_BYTES = 600          # budget of one line at 200x60; twice that fails


@case(params=[(v, s) for v in VIEWS for s in (80, 200)], cost=3, sample=2)
def idle(ctx, p):
    """Nothing happens: nothing is sent, no CPU is used."""
    view, w = p
    t = ctx.pty("--at", view, ctx.demo, size=(w, w * 3 // 10))
    t.settle(timers=True)
    t.is_idle(2)
    t.quit()


@case(params=["prompt", "help", "messages", "pending-key", "too-small", "list"], cost=3, sample=1)
def idle_elsewhere(ctx, where):
    if where == "list":
        ctx.copy("all/one")
        t = ctx.pty(ctx.path("all"), wait="one")
    else:
        t = ctx.pty(ctx.demo)
    keys = {"prompt": ":", "help": "?", "messages": "M", "pending-key": "g"}
    if where in keys:
        t.press(keys[where])
    elif where == "too-small":
        t.resize(30, 8)
    t.settle(timers=True)
    t.is_idle(1.5)


def bytes_of(t, key, times):
    """The most that a key sent."""
    return max(t.press(key) for _ in range(times))


@case(params=["help", "summary", "memory", "liveness", "trace"], sample=1)
def scroll_bytes(ctx, view):
    """A line down at 200x60, in the list of a view."""
    t = ctx.pty(*(["--at", view] if view != "help" else []), ctx.demo, size=(200, 60))
    t.settle()
    if view == "help":
        t.press("?")
    elif view != "summary":
        t.press("tab")
    t.press("down")
    most = bytes_of(t, "down", 12)
    # beside the steps of the Trace stands what all IPUs and tiles did in the one under the cursor
    budget = SCROLL_BYTES * (3 if view == "trace" else 1)
    expect(most <= 2 * budget, "%d bytes for a line down, budget %d" % (most, budget))
    t.quit()


@case()
def page_bytes(ctx):
    t = ctx.pty(ctx.demo, size=(200, 60))
    t.press("?")
    most = bytes_of(t, "pgdn", 3)
    expect(most <= 2 * 30000, "%d bytes for a page" % most)
    t.quit()


@case(params=VIEWS, sample=1)
def unchanged_bytes(ctx, view):
    """A key that changes nothing on the screen sends nothing (but a bell)."""
    t = ctx.pty("--at", view, ctx.demo, size=(200, 60))
    t.settle()
    t.press(VIEWS[view])
    for key in ("esc", VIEWS[view], VIEWS[view]):
        n = t.press(key)
        expect(n == 0, "%d bytes for %s, which changes nothing: %r" % (n, key, t.raw[-n:][:200]))
    t.press("home")
    n = t.press("home")
    expect(n <= 1, "%d bytes for a second Home: %r" % (n, t.raw[-n:][:200]))
    t.quit()


@case()
def slow_terminal(ctx):
    """A terminal that does not read: keys are still taken, and it catches up."""
    t = ctx.pty(ctx.demo, size=(200, 60))
    for _ in range(30):
        t.send("1347?M\x1b")            # nothing is read meanwhile
    t.send("\x1b")
    import time
    time.sleep(0.5)
    t.send("1")
    t.settle()
    t.press("C-l")
    t.has("MEMORY", "CYCLES")
    t.clean()
    t.quit()


@case()
def first_screen_bytes(ctx):
    t = ctx.pty(ctx.demo, size=(200, 60))
    expect(len(t.raw) <= 60000, "%d bytes for the first screen" % len(t.raw))
    t.quit()
