# SPDX-License-Identifier: MIT
"""The picker of the Open view on a host, at 100 ms: badges as they come, in and up, a report is opened."""

import os
import shutil

from . import proxy
from . import server
from .harness import case, expect
from .cases_app import App, report, through


def line_of(text, words):
    """The first line with these words, or ""."""
    return next((line for line in text.split("\n") if words in line), "")


@case(params=["ssh", "libssh"], sample=1, smoke=1)
def browse(ctx, way):
    top = ctx.path("top")
    os.makedirs(os.path.join(top, "deep", "empty"))
    os.makedirs(os.path.join(top, "coming"))
    open(os.path.join(top, "coming", "debug.cbor"), "w").close()
    os.makedirs(os.path.join(top, "evil\033[31m"))
    os.symlink("nowhere", os.path.join(top, "dangling"))
    shutil.copytree(report(ctx), os.path.join(top, "run"))
    with server.Sshd(ctx.dir) as sshd, proxy.Proxy(sshd.port, 0.1) as p:
        config = through(ctx, sshd, p)
        with App(ctx, way, config, top, size=(120, 40)) as t:
            t.see(lambda text: "incomplete" in line_of(text, "coming/") and "S" in line_of(text, " run "))
            text = t.pty.text()
            expect("dangling" not in text, None, "a link that leads nowhere:\n" + text)
            expect("evil" in text and "\033" not in text, None, "a name is not safe:\n" + text)
            t.keys("/", "d", "e", "e", "p", "\r", "\r")
            t.see(lambda text: "empty/" in text and not line_of(text, " run "))
            t.keys("\x7f")
            t.see(lambda text: "empty/" not in text and "S" in line_of(text, " run "))
            t.keys("/", "/", "r", "u", "n", "\r", "\r")
            t.see(lambda text: "MEMORY" in text and "cycles" in text)
            t.leaves()


@case(params=["ssh", "libssh"], sample=1)
def search(ctx, way):
    """A directory of a host without a report is searched three levels deep, as one here: forty directories take a few round trips;
    reports are named so that they can be opened."""
    top = ctx.path("top")
    for i in range(40):
        os.makedirs(os.path.join(top, "d%d" % i, "x"))
    rep = report(ctx)
    shutil.copytree(rep, os.path.join(top, "d7", "x", "run"))
    shutil.copytree(rep, os.path.join(top, "d9", "x", "y", "deeper"))
    os.symlink("x/run", os.path.join(top, "d7", "latest"))
    os.symlink("..", os.path.join(top, "d3", "up"))
    waits = {}
    with server.Sshd(ctx.dir) as sshd, proxy.Proxy(sshd.port, 0.05) as p:
        config = through(ctx, sshd, p)
        for where in (os.path.join(top, "d0", "x"), top):
            before = p.counts()
            res = ctx.run(os.path.join(ctx.builddir, "tilescope"), "summary", "--transport", way, "--ssh-config", config,
                          "there:" + where)
            waits[where] = p.counts()["waits"] - before["waits"]
            expect(res.rc == 3, res, "exit status")
            expect(res.err.count("\n") == 1, res, "not one line")
            if where != top:
                expect("no graph profile found" in res.err and "below it" not in res.err, res, "what is not there")
        expect("open one below it: there:%s\n" % os.path.join(top, "d7", "latest") in res.err, res, "what is named")
    more = waits[top] - min(waits.values())
    expect(more <= 24, res, "%d round trips for 84 directories: %s" % (more, waits))
