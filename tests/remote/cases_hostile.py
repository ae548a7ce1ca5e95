# SPDX-License-Identifier: MIT
"""The program against an SFTP server that lies (hostile.py, in the place of ssh): what it says and when it ends."""

import os
import sys

from . import server
from .harness import case, expect
from .cases_app import App, report

MODES = {
    # right in spite of what else comes: exit status (every name is there, and is the profile)
    "honest": (4,), "sparse": (0, 4), "shrinks": (0, 3, 4),
    # packets that make no sense: the host is left for good
    "length-0": (5,), "length-huge": (5,), "length-short": (5,), "version-2": (5,), "no-version": (5,), "noise": (5,),
    "closes": (5,), "endless": (5,), "unknown-id": (5,), "twice": (5,), "wrong-type": (5,), "data-long": (5,),
    # answers that are well-formed
    "errors": (3,), "size-absurd": (3,), "fifo": (3,), "directory": (3,), "names": (3,), "endless-names": (3,),
}
# "silent" ends too, after as many attempts as are allowed, of 30 s each: tests/unit/test_host (mute)
MEMORY = 600 << 10      # KiB; sanitizers keep what is freed
PATIENCE = 120          # seconds, for what hangs: the watchdog takes 30


def liar(ctx, mode, path=None):
    """Stands in for ssh: what the program's environment needs."""
    program = ctx.path("liar")
    server.write(program, "#!/bin/sh\nexec %s %s\n"
                 % (sys.executable, os.path.join(os.path.dirname(os.path.abspath(__file__)), "hostile.py")))
    os.chmod(program, 0o700)
    env = {"TS_SSH": program, "TS_HOSTILE": mode}
    if path:
        env["TS_HOSTILE_FILE"] = path
    return env


@case(params=list(MODES), sample=3, smoke=2)
def hostile_host(ctx, mode):
    """No signal, no end of memory, no hang; one line that says why, without what the server put into it."""
    path = report(ctx)
    profile = [os.path.join(path, n) for n in os.listdir(path) if n.endswith((".pop", ".tilescope"))][0]
    program = os.path.join(ctx.builddir, "tilescope")
    here = ctx.run(program, "summary", "--cache", "none", profile)
    for verb in (["summary"], ["check", "--files"]):
        res = ctx.run(program, *verb, "--cache", "none", "--transport", "ssh", "there:/r/" + os.path.basename(profile),
                      env=liar(ctx, mode, profile), timeout=PATIENCE, measure=True)
        wanted = MODES[mode] if verb[0] == "summary" or mode == "honest" else MODES[mode] + (3, 4)
        expect(res.rc in wanted, res, "exit status %s" % res.rc)
        expect("\x1b" not in res.out + res.err, res, "what the server wrote reaches the terminal")
        expect(res.rc in (0, 4) or len(res.err.splitlines()) == 1 or verb[0] == "check", res, "not one line")
        expect(os.environ.get("TS_SANITIZE") or res.kib < MEMORY, res, "%d KiB of memory" % res.kib)
        if mode == "honest" and verb[0] == "summary":
            for word in ("CYCLES", "GRAPH", "MEMORY"):
                line = [x for x in here.out.splitlines() if x.startswith(word)][0]
                expect(line in res.out, res, "other words than here: %s" % line)


@case(params=["names", "endless-names"], sample=1, smoke=1)
def hostile_names(ctx, mode):
    """10,000 entries, some of them made to harm, and entries without end: a picker that stands, and can be left."""
    env = liar(ctx, mode)
    ctx.env = lambda env_of=ctx.env, **more: env_of(**more, **env)
    with App(ctx, "ssh", "none", "", size=(120, 40)) as t:
        t.see("-rf" if mode == "names" else "not all are shown")
        text = t.pty.text()
        expect("passwd" not in text and "\x1b" not in text, None, "a name is not safe:\n" + text)
        t.keys("Q")
        t.ends(0)
