# SPDX-License-Identifier: MIT
"""Tiles that are selected by expressions and by keys, and what the plot of Memory is divided by."""

import urllib.parse

from .harness import FULL, case


def command(t, line, word):
    """Type a line at the prompt, wait for what comes of it."""
    t.press(":")
    t.type(line)
    t.press("\r")
    t.wait(word)


def worst(ctx, n):
    """The fullest tiles of the report, and what they use together."""
    return ctx.relations().execute(
        "SELECT tile, coalesce(total_gaps, total) FROM tile_memory ORDER BY 2 DESC, 1 LIMIT ?",
        (n,)).fetchall()


@case()
def selected_everywhere(ctx):
    """What is selected in one view is selected in all, and named by the address."""
    t = ctx.pty(ctx.demo, size=(120, 40))
    t.press("8")
    t.wait(" variables, ")
    command(t, "tiles worst(3), 0-1", "selected 5 tiles, ")
    t.press("3")
    t.wait("selected 5 tiles, ")
    command(t, "goto selected & worst(1)", "tile %d ipu" % worst(ctx, 1)[0][0])
    t.press("m")
    t.wait("selected 4 tiles, ")
    command(t, "tiles 10-12", "selected 3 tiles, ")
    t.press("v")
    t.wait("a range begins here")
    t.press("l", "l", "v", "Z", "h")
    t.wait("selected ")
    t.press("esc")
    t.wait(lambda text: "selected " not in text)
    command(t, "tiles", "no tiles are selected")
    t.quit()


@case(params=[(80, 24), (120, 40)], sample=1, smoke=1)
def marked_in_every_view(ctx, size):
    """The first line of every view says what is selected, the last one whether its figures are of that; Esc."""
    t = ctx.pty(ctx.demo, size=size)
    t.press("3")
    t.wait("Memory: mean")
    command(t, "tiles worst(5)", "selected 5 tiles, ")
    for key, word in (("1", "figures of all tiles"), ("2", "figures of all tiles"),
                      ("3", "5 selected tiles"), ("4", "Live bytes of all tiles"),
                      ("5", "figures of all tiles"), ("7", "figures of whole IPUs"), ("8", "of all tiles; & tile in selected"),
                      ("9", "Tables")):
        t.press(key)
        t.wait(word)
        t.wait(lambda text: "worst(5): 5" in text.splitlines()[0])
    for key in "124578":
        t.press(key, "esc")
        t.wait("no tiles are selected any more")
        t.wait(lambda text: "worst(5)" not in text.splitlines()[0])
        command(t, "tiles ipu(1) & worst(40) - 1,2", "selected ")
        t.wait(lambda text: "ipu(1) &" in text.splitlines()[0])
    t.quit()


@case()
def variables_of_the_selection(ctx):
    """`tile in selected` follows the selection, and is given up with it; SQL in the app knows it, too."""
    con = ctx.relations()

    def rows(tiles):
        return "{:,} of ".format(con.execute(
            "SELECT count(*) FROM lowered_variable WHERE tile IN (%s)" % tiles).fetchone()[0])

    t = ctx.pty(ctx.demo, size=(120, 40))
    t.press("8")
    t.wait(" variables, ")
    t.press("&")
    t.type("tile in selected")
    t.press("\r")
    t.wait("no tiles are selected: ")
    command(t, "tiles 3", "selected 1 tile, ")
    t.press("&")
    t.type("tile in selected")
    t.press("\r")
    t.wait(rows("3"))
    command(t, "tiles 5-7", "selected 3 tiles, ")
    t.wait(rows("5,6,7"))
    command(t, "sql SELECT sum(tile) AS found FROM tiles('selected')", "found")
    t.wait("18")
    t.press("q", "8", "esc")           # the filter is nearer than the selection
    t.wait("the filter is taken back")
    t.has("tiles 5-7")
    t.press("esc")
    t.wait("no tiles are selected any more")
    t.press("&")
    t.type("tile in (1 , worst(0))")
    t.press("\r")
    t.wait("character 20: worst(0) would be no tile")
    t.quit()


@case()
def wrong_tiles(ctx):
    """What is wrong with an expression is said with its place, and what was selected stays."""
    t = ctx.pty(ctx.demo, size=(120, 40), wait=None)
    t.wait("tilescope")
    t.press("3")
    t.wait("Memory: mean")
    command(t, "tiles 1-2", "selected 2 tiles, ")
    for line, word in (("tiles 12,", "character 4: a tile is missing"),
                       ("tiles using(/a(/)", "missing closing parenthesis"),
                       ("tiles 99999", "character 1: there is no tile 99999"),
                       ("goto under(0)", "no tile is like that")):
        command(t, line, word)
    t.press("down")
    t.wait("selected 2 tiles, ")
    t.quit()


@case(params=["12,40-45", "worst(9), ipu(1) & under(99%)", 'using("stack") - 7'], depth=FULL)
def tiles_at(ctx, expr):
    """An address selects tiles; the same words come out of it."""
    words = urllib.parse.quote(expr, safe="")
    t = ctx.pty(ctx.demo, "--at", "memory?tiles=" + words, size=(120, 40),
                wait="selected ")
    t.settle()
    t.press("Y")
    t.wait("sent to the terminal")
    t.quit()


@case(depth=FULL)
def parts_of_the_plot(ctx):
    """Every breakdown by its key, series hidden by the prompt with completion."""
    t = ctx.pty(ctx.demo, size=(120, 40))
    t.press("3")
    t.wait("Memory: mean")
    for name in ("by category", "by category", "by liveness", "by region", "by layer",
                 "by vertex family"):
        t.press("b")
        t.wait("Memory " + name)
    t.wait("hidden: ")
    command(t, "breakdown region", "Memory by region")
    t.wait("interleaved")
    t.press("s")
    t.type("over")
    t.press("tab")
    t.wait("series overflowed")
    t.press("\r")
    t.wait("hidden: overflowed")
    command(t, "series all", "Memory by region: fullest tile")
    t.settle()
    t.lacks("hidden:")
    command(t, "set layer-pattern layer(", "missing closing parenthesis")
    command(t, "breakdown layer", "layer 1")
    command(t, "set layer-pattern (embeddings|pooler)", "embeddings")
    t.quit()


@case(depth=FULL)
def tile_map(ctx):
    """The map is where the plot was: figures, scales, a rectangle, an address that opens it again."""
    t = ctx.pty(ctx.demo, size=(80, 24))
    t.press("3", "f")
    t.wait("Tile map: memory with gaps")
    t.wait("rank 1 of ")
    t.press("w")                # from the fullest tile on
    t.wait("rank 2 of ")
    t.press("c")
    t.wait(" log")
    t.press("F")
    t.wait("Tile map: memory without gaps")
    command(t, "metric category:stack", "Tile map: memory of category stack")
    t.press("v", "l", "j", "v")
    t.wait("selected ")
    t.press("esc")
    t.wait(lambda text: "selected " not in text)
    command(t, "metric nonsense", 'there is no metric "nonsense"')
    t.press("f")
    t.wait("Memory of category stack of each tile")
    t.quit()
    t = ctx.pty(ctx.demo, "--at", "memory?metric=gaps&scale=limit&map=yes", size=(120, 40))
    t.wait("Tile map: gaps")
    t.wait("0 to limit")
    t.quit()
