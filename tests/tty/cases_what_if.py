# SPDX-License-Identifier: MIT
"""What if: by names, in any view."""

from harness import case


@case()
def groups_and_patterns(ctx):
    """whatif in any view; what is wrong is said; clear takes all back."""
    t = ctx.pty(ctx.reports["store"], size=(120, 40))
    for line, word in (("whatif", "0 changes are asked for"),
                       ("whatif halve", "whatif remove|halve|split N PATTERN"),
                       ("whatif split 1 x", "whatif remove|halve|split N PATTERN"),
                       ("whatif remove marked", "no variable is marked"),
                       ("whatif halve activations", "what if: halve activations"),
                       ("whatif split 8 grad.*", "what if: split 8 grad.*"),
                       ("whatif", "2 changes are asked for")):
        t.press(":")
        t.type(line)
        t.press("\r")
        t.wait(word)
    t.press("4", "w")
    t.wait("[What-if]")
    t.wait("split 8")
    t.wait("activations")
    t.press(":")
    t.type("whatif remove (")
    t.press("\r")
    t.wait("missing closing parenthesis")
    t.press(":")
    t.type("whatif clear")
    t.press("\r")
    t.wait("nothing is changed yet")
    t.quit()
