# SPDX-License-Identifier: MIT
"""
Keys whose answer has to be worked out: from the key to the frame that holds the first screen of it.

What is behind the first screen may come later (the lives of all variables of a set of tiles, say), so an answer is known
by what stands on the screen: a word, or a figure that is another one than before the key.
"""

import re
import time

from engine import measure
from measures_screen import app, at_rest, known, ms, worst

LIMIT = 5
WARM = "3 tab ::tab|variables enter ::tiles|worst(64) enter 2 ::tab|largest enter"

# row: keys before, [(keys, the last of which is measured; what the answer is known by)]
SET = r"Live bytes of %s[,:].*sum at step"
ANSWERS = {
    "sets": ("4", [("::source|worst(%d) enter" % n, SET % ("%d tiles" % n))
                   for n in (12, 64, 500, 24, 128, 400, 32, 256, 48)]),
    "selected": ("3 tab ::tab|variables enter",
                 [("::tiles|%s enter" % t, r"[\d,]+ names") for t in
                  ("worst(12)", "worst(64)", "worst(500)", "worst(24)", "worst(128)", "ipu(1)",
                   "worst(256)", "ipu(2)")]),
    "ipus": ("4", [("::source|ipu|%d enter" % n, SET % ("ipu %d" % n)) for n in (1, 2, 3, 0)]),
    "insights": ("3", [("2", r"M11"), ("::tab|largest enter", r"\[Largest\].*vertex state.*exchange code"),
                       ("::tab|fp32 enter", r"\[FP32\]"),
                       ("::tab|peak enter", r"\[Peak\]")]),
    "always": ("4 tab", [(")", r"variable, always live")]),
    "alive": ("4 tab", [("o", r"^(?!.*smaller ones).*share[\u25be\u25b4]")]),
}


def text_of(screen):
    return "\n".join(screen.line(y) for y in range(screen.h))


def is_there(pattern, before):
    """Found, nothing of it pending, and not what was found before the key."""
    find = re.compile(pattern, re.S)

    def ready(screen):
        text = text_of(screen)
        found = find.search(text)
        return bool(found) and "\u22ef" not in text and found.group(0) != before
    return ready


def answer(b, s, spec, pattern):
    """Milliseconds from the last key of `spec`, and CPU of the thread that draws."""
    words = spec.split()
    if len(words) > 1:
        s.play(" ".join(words[:-1]))
    at_rest(b, s, limit=5)
    found = re.search(pattern, text_of(s.screen), re.S)
    own = s.own_cpu()
    a = s.press({"enter": b"\r"}.get(words[-1], words[-1].encode()),
                ready=is_there(pattern, found.group(0) if found else None), limit=LIMIT,
                pending=False)
    return ms(a.ready), ms(s.own_cpu() - own)


def kept(b):
    """As known(), with what sets of tiles keep."""
    path, cache = known(b)
    if cache != "none" and not b.tiny and not getattr(b, "answers_known", False):
        with app(b, path, cache=cache) as s:
            s.start(worst)
            for key in WARM.split():
                s.play(key)
                if key == "enter":
                    at_rest(b, s)
        b.answers_known = True
    return path, cache


@measure(*["answer-" + name for name in ANSWERS], scales=("100x",))
def answers(b):
    path, cache = kept(b)
    out = {}
    for name, (before, lines) in ANSWERS.items():
        figures = []
        with app(b, path, cache=cache) as s:
            s.start(worst)
            s.settle()
            s.play(before)
            at_rest(b, s)
            for spec, pattern in [("?", ".*")] if b.tiny else lines:
                began = time.perf_counter()
                took, own = answer(b, s, spec, pattern)
                if took is None:
                    b.say("no answer to %s in %.1f s" % (spec, time.perf_counter() - began))
                else:
                    figures.append((took, "%s: %.1f ms, CPU of the thread that draws %.1f" %
                                    (spec.replace("|", " ").replace("::", ":"), took, own)))
        out["answer-" + name] = {"ours": [t for t, _ in figures],
                                 "slowest": [w for _, w in sorted(figures, reverse=True)[:3]]}
    return out
