# SPDX-License-Identifier: MIT
"""
Keys whose answer has to be worked out: from the key to the frame that holds the first screen of it.

What is behind the first screen may come later (the lives of all variables of a set of tiles, say), so an answer is known
by what stands on the screen: a word, or a figure that is another one than before the key.
"""

import re
import time

from engine import measure
from measures_screen import WARM as VIEWS, app, at_rest, ms, worst

LIMIT = 5
WARM = ("3 tab ::tab|variables enter ::tiles|using(\"layer_0/\") enter ::tiles|worst(64) enter 2 ::tab|largest enter 8 "
        "::sort|name enter ::sort|tile enter ::sort|bytes enter 4 ::source|ipu|1 enter ::source|all enter "
        "::tab|lifetimes enter "
        "3 f ::metric|cycles enter")


def rows_with(word):
    """Rows of a list that have it: three, one below the other."""
    return r"[^\n]*".join([word] * 3).replace(r"[^\n]*", r"[^\n]*\n[^\n]*")


def filters(*lines):
    """(what is typed, a word of the rows that are then there; None: there are none)."""
    return [("::filter|%s enter" % line.replace(" ", "|"),
             "& " + re.escape(line) +
             (r".*" + rows_with(word) if word else " *\n.*No variable matches"))
            for line, word in lines]


# row: keys before, [(keys, the last of which is measured; what the answer is known by)]
LINE = r"Live bytes of %s[,:]"
SET = LINE + ".*sum at step"
FIRST_ROWS = r"variable[ \u25b4\u25be]+category +bytes[^\n]*\n[^\n]*\n[^\n]*"   # of names on selected tiles
FEW = (12, 64, 500, 24, 128, 400, 32, 256, 48)
MANY = (1472, 1000, 1400)


def sources(pattern, numbers):
    return ("4", [("::source|worst(%d) enter" % n, pattern % "{:,} tiles".format(n)) for n in numbers])


ANSWERS = {
    "sets": sources(LINE, FEW),
    "sets-list": sources(SET, FEW),
    "scattered": sources(LINE, MANY),
    "scattered-list": sources(SET, MANY),
    "selected": ("3 tab ::tab|variables enter",
                 [("::tiles|%s enter" % t, r"[\d,]+ names") for t in
                  ("worst(12)", "worst(64)", "worst(500)", "worst(24)", "worst(128)", "ipu(1)",
                   "worst(256)", "ipu(2)", "worst(1472)")]),
    # names on 500 tiles, 76,543 of them
    "selected-list": ("3 tab ::tab|variables enter ::tiles|0-499 enter",
                      [(line, FIRST_ROWS) for line in
                       ("::search|mask_19 enter", "home ::sort|tiles enter", "O", "home ::sort|variable enter", "home O",
                        "home ::sort|bytes enter", "home O", "home ::filter|layer_3/ enter",
                        "home ::filter|bytes>10K enter", "home ::filter|variable~l.*_1[0-4]$ enter")] +
                      [("home ::filter|nowhere enter", "No row matches")]),
    "ipus": ("4", [("::source|ipu|%d enter" % n, SET % ("ipu %d" % n)) for n in (1, 2, 3, 0)]),
    "insights": ("3", [("2", r"M11"),
                       ("::tab|largest enter", r"\[Largest\].*vertex state.*exchange code"),
                       ("::tab|fp32 enter", r"\[FP32\]"),
                       ("::tab|peak enter", r"\[Peak\]")]),
    "always": ("3", [("4", r"variable, always live")]),   # beside who is alive
    "alive": ("4 tab", [("o", r"^(?!.*smaller ones).*share[\u25be\u25b4]")]),
    # many rows have the word, few, none; expressions with and without a word that tells names apart
    "filters": ("8", filters(
        ("attention", "attention"), ("gradSum_41", "gradSum_41"), ("nowhere", None),
        ("mask", "mask"), ("layer_3/", "layer_3/"), ("name~l.*_1[0-4]$", r"_1[0-4]\b"),
        ("name~[qv]\\w+/.*_3[0-9]$", r"_3[0-9]\b"), ("name~^[a-z]+/[^/]*/.*_7$", r"_7\b"),
        ("name~nowhere.*_[0-9]+$", None),
        ("size>80K and category=internalExchangeCode", "internalExchangeCode"),
        ("attention and size>1K and category=variable", "attention"), ("category=stack", "stack"))),
    "search": ("8", [("::search|%s enter" % w, r'%s "%s"' % (said, w)) for w, said in
                     (("attention", "match(es)?"), ("nowhere", "no variable matches"),
                      ("gradSum_41", "match(es)?"), ("mask_19", "match(es)?"))]),
    "sort": ("8", [("::sort|name enter", "name +\u25b4"), ("::sort|tile enter", "tile\u25b4"),
                   ("::sort|bytes enter", "bytes\u25be"), ("O", "bytes\u25b4")]),
    "using": ("3", [("::tiles|using(%s) enter" % w, said) for w, said in
                    (('"layer_3/"', r"selected [\d,]+ tile"), ('"nowhere"', "no tile is like that"),
                     ('"mask_19"', r"selected [\d,]+ tile"), ('"layer_7/"', r"selected [\d,]+ tile"),
                     ('/l.*_1[0-4]$/', r"selected [\d,]+ tile"))]),
    "alive-filters": ("4 tab o", [("::filter|%s enter" % line.replace(" ", "|"), rows_with(word))
                                  for line, word in
                                  # names are shortened beside the second tab: "layer_3/", or "…3/"
                                  (("layer_3/", "[_\u2026]3/"), ("bytes>10K", "[KM]iB +[0-9<]"),
                                   ("layer_4/ and bytes>1K and group=activations", "[_\u2026]4/"),
                                   ("variable~l.*_1[0-4]$", r"_1[0-4]\b"))]),
    "lifetimes": ("4", [("::tab|lifetimes enter", r"lifetime of[^\n]*\n[^\n]*\w")]),
    "metrics": ("3 f", [("::metric|%s enter" % m, "Tile map: %s" % m.replace("-", " "))
                        for m in ("cycles", "exchange-code", "vertices", "active-cycles")]),
}


def text_of(screen):
    return "\n".join(screen.line(y) for y in range(screen.h))


BELOW = ("sets", "scattered")   # what stands below the answer may still come


def is_there(pattern, before, below):
    """Found, nothing of it pending, and not what was found before the key."""
    find = re.compile(pattern, re.S)

    def ready(screen):
        text = text_of(screen)
        found = find.search(text)
        return bool(found) and (below or "\u22ef" not in text) and found.group(0) != before
    return ready


def answer(b, s, spec, pattern, below=False):
    """Milliseconds from the last key of `spec`, CPU of the thread that draws, wait for a processor; what the host took."""
    words = spec.split()
    if len(words) > 1:
        s.play(" ".join(words[:-1]))
    at_rest(b, s, limit=5)
    found = re.search(pattern, text_of(s.screen), re.S)
    own = s.own_cpu()
    a = s.press({"enter": b"\r"}.get(words[-1], words[-1].encode()),
                ready=is_there(pattern, found.group(0) if found else None, below), limit=LIMIT,
                pending=False)
    return ms(a.ready), ms(s.own_cpu() - own), ms(a.waited), ms(a.stolen)


def kept(b):
    """The report at bert scale, and a cache with all that its views keep of it."""
    path = b.bert()
    cache = b.indexed(path) or "none"
    if cache != "none" and not b.tiny and not getattr(b, "answers_known", False):
        with app(b, path, cache=cache) as s:
            s.start(worst)
            for key in (VIEWS + " " + WARM).split():
                s.play(key)
                if key in ("enter", "o"):
                    at_rest(b, s)
        b.answers_known = True
    return path, cache


@measure(*["answer-" + name for name in ANSWERS], scales=("100x",))
def answers(b):
    path, cache = kept(b)
    out = {}
    for name, (before, lines) in ANSWERS.items():
        figures, left_out = [], []
        with app(b, path, cache=cache) as s:
            s.start(worst)
            s.settle()
            s.play(before)
            at_rest(b, s)
            for spec, pattern in [("?", ".*")] if b.tiny else lines:
                began = time.perf_counter()
                took, own, waited, taken = answer(b, s, spec, pattern, name in BELOW)
                if took is None:
                    b.say("no answer to %s in %.1f s" % (spec, time.perf_counter() - began))
                elif taken:
                    left_out.append(took)
                else:
                    figures.append((took, "%s: %.1f ms, CPU of the thread that draws %.1f, waited for a processor %.1f" %
                                    (spec.replace("|", " ").replace("::", ":"), took, own, waited)))
        out["answer-" + name] = {"ours": [t for t, _ in figures], "left_out": left_out,
                                 "slowest": [w for _, w in sorted(figures, reverse=True)[:3]]}
    return out
