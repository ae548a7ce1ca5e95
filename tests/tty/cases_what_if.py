# SPDX-License-Identifier: MIT
"""From the start to "this variable on this tile at this step, and what if it were halved", against an oracle."""

import collections

from .harness import FULL, case


def read(ctx):
    """Lowered variables by tile, steps of classes, what is always live: as the report's rows say."""
    db = ctx.relations()
    lives = collections.defaultdict(set)
    for c, start, end in db.execute('SELECT class, start, "end" FROM class_interval'):
        lives[c].update(range(start, end))
    pieces = collections.defaultdict(list)
    for tile, size, c, name in db.execute("SELECT tile, bytes, class, name FROM lowered_variable "
                                          "WHERE always_live = 0"):
        pieces[tile].append((size, c, name))
    return dict(db.execute("SELECT tile, always_live FROM tile_memory")), pieces, lives


def peak(base, pieces, lives):
    """The most of a tile and its first step."""
    steps = collections.Counter()
    for size, c, _ in pieces:
        for s in lives[c]:
            steps[s] += size
    if not steps:
        return base, 0
    most = max(steps.values())
    return base + most, min(s for s, v in steps.items() if v == most)


def worst(always, pieces, lives):
    """The fullest tile, the lowest of equals: (bytes, tile, step)."""
    best = (-1, 0, 0)
    for tile in sorted(always):
        size, step = peak(always[tile], pieces[tile], lives)
        if size > best[0]:
            best = (size, tile, step)
    return best


@case(smoke=1)
def halved_in_six_keys(ctx):
    always, pieces, lives = read(ctx)
    size, tile, step = worst(always, pieces, lives)
    alive = [p for p in pieces[tile] if step in lives[p[1]]]
    largest = max(p[0] for p in alive)
    after = set()       # of equals any may stand first
    for p in (p for p in alive if p[0] == largest):
        changed = dict(pieces)
        changed[tile] = list(pieces[tile])
        changed[tile].remove(p)
        changed[tile].append(((p[0] + 1) // 2, p[1], p[2]))
        after.add(worst(always, changed, lives))
    t = ctx.pty(ctx.demo, size=(160, 40))
    t.press(":")
    t.type("set units bytes")
    t.press("\r")
    t.press("4")
    t.wait("Live bytes")
    t.press("B")
    t.wait("most live: tile %d at step %d, %s B" % (tile, step, format(size, ",")))
    t.wait("tile %d (ipu" % tile)
    t.press("\r")
    t.wait("tile %d at liveness step %d" % (tile, step))
    t.wait("[Not always live]")
    t.wait("%s B" % format(largest, ","))
    t.press("x")
    t.wait("removed: ")
    t.wait("gw: What-if")
    t.press("x")
    t.wait("halved: ")
    t.press("w")
    t.wait("[What-if]")
    t.wait("by live bytes")
    t.wait(lambda text: any("%s B" % format(a[0], ",") in text and
                            "tile %d step %d" % a[1:] in text for a in after))
    t.lacks("fits")
    t.quit()


@case()
def fullest_in_eight_keys(ctx):
    """docs/walkthrough.md: the largest variable of the fullest tile, halved."""
    db = ctx.relations()
    tile, = db.execute("SELECT tile FROM tile_memory ORDER BY ifnull(total_gaps, total) DESC, tile").fetchone()
    size, = db.execute("SELECT max(bytes) FROM lowered_variable WHERE tile = ?", (tile,)).fetchone()
    t = ctx.pty(ctx.demo, size=(120, 40))
    t.press("3")
    t.wait("tile %d ipu" % tile)
    t.press(")", "\t")
    t.wait("[Vars]" if "[Vars]" in t.screen.text() else "[Variables]")
    t.wait("what if")
    t.press("x", "x")
    t.wait("halved: ")
    t.press("g", "w")
    t.wait("[What-if]")
    t.wait("tile %d is fullest: " % tile)
    t.press("z")
    t.wait("halve        ")
    t.wait("%.1f KiB" % (size / 1024) if size < 102400 else "%.0f KiB" % (size / 1024))
    t.lacks("fits")
    t.quit()


@case(depth=FULL)
def groups_and_patterns(ctx):
    """whatif in any view; what is wrong is said; clear takes all back."""
    t = ctx.pty(ctx.demo, size=(120, 40))
    for line, word in (("whatif", "0 changes; gw: What-if"),
                       ("whatif halve", "whatif remove|halve|split N PATTERN"),
                       ("whatif split 1 x", "whatif remove|halve|split N PATTERN"),
                       ("whatif remove marked", "no variable is marked"),
                       ("whatif halve activations", "halve activations (1 change; gw: What-if)"),
                       ("whatif split 8 grad.*", "split 8 grad.* (2 changes; gw: What-if)"),
                       ("whatif", "2 changes; gw: What-if"),
                       ("whatif halve xyzzy", "not taken: no variable matches xyzzy"),
                       ("whatif halve variable 4611686018427387903", "not taken: there is no variable"),
                       ("whatif remove (", "missing closing parenthesis (at offset 1)"),
                       ("whatif", "2 changes; gw: What-if")):
        t.press(":")
        t.type(line)
        t.press("\r")
        t.wait(word)
    t.press("g", "w")
    t.wait("[What-if]")
    t.wait("split 8")
    t.wait("group activations")
    t.wait("pattern grad.*")
    t.press("\x1b")
    t.wait("2 changes taken away; the same key undoes that")
    t.wait("nothing is changed yet")
    t.press("\x1b")
    t.wait("2 changes again")
    t.wait("group activations")
    t.press(":")
    t.type("whatif clear")
    t.press("\r")
    t.wait("nothing is changed yet")
    t.quit()


@case()
def from_anywhere(ctx):
    """gw leads to the peaks from each view; C-o leads back."""
    t = ctx.pty(ctx.demo, size=(120, 40))
    for key in "1237894":
        if key != "4":
            t.press(key)
            t.wait(lambda text: "[What-if]" not in text)
        t.press("g", "w")
        t.wait("[What-if]")
        t.wait("nothing is changed yet")
    t.quit()


@case()
def a_group_or_nothing(ctx):
    """x ticks a group; where there is nothing to tick it says so."""
    t = ctx.pty("--at", "liveness?tab=groups&pane=tab", ctx.demo, size=(80, 24), wait=None)
    t.wait("[Groups]")
    t.wait("always live")
    t.wait("activations")
    t.press("x")
    t.wait("removed: ")
    t.wait("(1 change; x: halve; gw: What-if)")
    t.press("x")
    t.wait("halved: ")
    t.press(":")
    t.type("tab heat")
    t.press("\r")
    t.wait("[Heat]")
    t.wait(" KiB live")
    t.press("x")
    t.wait("x: what if a variable or a group were less? None is under the cursor")
    t.quit()


@case()
def an_address_of_nothing(ctx):
    """A change of an address that names nothing is not taken; the others are."""
    t = ctx.pty("--at", "liveness?tab=what-if&what-if=halve xyzzy; halve activations",
                ctx.demo, size=(120, 40), wait=None)
    t.wait("not taken: no variable matches xyzzy")
    t.wait("[What-if]")
    t.wait("halve        group activations")
    t.lacks("halve        xyzzy")
    t.quit()
