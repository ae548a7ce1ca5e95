# SPDX-License-Identifier: MIT
"""A report with all its parts through sshd and a delay: the same words as here, its directory listed once."""

import json
import os
import re

from . import proxy
from . import server
from .harness import case, expect
from .cases_budget import connection

# names and attributes, of a report with archive.a, debug.cbor, framework.json and app.json; blocks of files are not in it
LOOKS = 32


def make(ctx):
    path = ctx.path("sshd-report")
    program = os.path.join(ctx.builddir, "tilescope")
    res = ctx.run(program, "demo", path, "--layout", "sdk", "--steps", "2000", "--variables", "5000", "--ipus", "1",
                  "--tiles", "64", "--quiet")
    expect(res.rc == 0, res, "the demo report was not made")
    for name in ("framework.json", "app.json"):
        with open(os.path.join(path, name), "w") as f:
            json.dump({"a": {"b": [1, 2, name]}}, f)
    return program, path


def said(res, when):
    """Counts of --stats: {what: {count: number}}."""
    return {what: dict((k, int(v)) for k, v in re.findall(r"(\w+)=(\d+)", rest))
            for what, rest in re.findall(r"^stats %s (\w+) (.*)$" % when, res.err, re.M)}


@case(params=["ssh/0", "ssh/50", "libssh/50"], sample=1, smoke=1)
def all_parts(ctx, how):
    by, rtt = how.split("/")
    program, path = make(ctx)
    with server.Sshd(ctx.dir) as sshd, proxy.Proxy(sshd.port, int(rtt) / 1000) as way:
        config = connection(ctx, sshd, way)
        for verb in (["summary", "-f", "json"], ["check", "--files", "--deep", "-f", "json"], ["schema"]):
            here = ctx.run(program, *verb, "--cache", "none", path)
            there = ctx.run(program, *verb, "--cache", "none", "--transport", by, "--ssh-config", config,
                            "there:" + path)
            expect(there.rc == here.rc, there, "exit status %d here" % here.rc)
            expect(there.out.replace("there:", "").replace('"host": "there"', '"host": null') == here.out, there,
                   "other words than here")
            if "json" in verb:
                expect(json.loads(there.out)["host"] == "there" and json.loads(here.out)["host"] is None, there,
                       "the host is not said")
        res = ctx.run(program, "summary", "--cache", "none", "--stats", "--transport", by, "--ssh-config", config,
                      "there:" + path)
        n = said(res, "opened")
        looks = n["host"]["trips"] - n["blocks"]["trips"]
        expect(looks <= LOOKS, res, "%d round trips for names, more than %d" % (looks, LOOKS))


@case()
def second_summary(ctx):
    """What is read in bulk is kept on disk, too: the second summary of a trace of 240,000 rows moves next to nothing."""
    program = os.path.join(ctx.builddir, "tilescope")
    path = ctx.path("sshd-report")
    res = ctx.run(program, "demo", path, "--layout", "sdk", "--steps", "60000", "--variables", "20000", "--ipus", "4",
                  "--tiles", "64", "--no-archive", "--quiet")
    expect(res.rc == 0, res, "the demo report was not made")
    here = ctx.run(program, "summary", "--cache", "none", path)
    with server.Sshd(ctx.dir) as sshd, proxy.Proxy(sshd.port, 0.01) as way:
        config = connection(ctx, sshd, way)
        took = []
        for _ in range(2):
            before = way.counts()
            res = ctx.run(program, "summary", "--cache", ctx.path("cache"), "--stats", "--ssh-config", config,
                          "there:" + path)
            after = way.counts()
            expect(res.out.replace("there:", "") == here.out, res, "other words than here")
            took.append((after["received"] - before["received"], said(res, "all")["blocks"]["trips"]))
        size = os.stat(os.path.join(path, "profile.pop")).st_size
        expect(took[0][0] > size // 2, res, "the first one moved %d bytes of %d" % (took[0][0], size))
        expect(took[1][0] < 200000, res, "the second one moved %d bytes" % took[1][0])
        expect(took[1][1] <= 2, res, "the second one took %d round trips for blocks" % took[1][1])


@case(params=["summary"], cost=50)
def lost_on_the_way(ctx, verb):
    """The host goes while it is read: exit status 5 and one line, not a report without its parts."""
    program, path = make(ctx)
    with server.Sshd(ctx.dir) as sshd:
        key, line = ctx.key("key")
        sshd.allow(line)
        config = ctx.client(sshd, keys=[key])
        script = ctx.path("ssh")
        # so many bytes come through, then nothing more, ever
        server.write(script, "#!/bin/sh\n[ -e %s ] && exit 255\ntouch %s\n%s -F %s \"$@\" | dd bs=1 count=20000 status=none\n"
                     % (ctx.path("once"), ctx.path("once"), server.program("ssh"), config), 0o700)
        res = ctx.run(program, *verb.split(), "--cache", "none", "there:" + path, env={"TS_SSH": script})
        expect(res.rc == 5, res, "exit status %d" % res.rc)
        expect(len(res.err.splitlines()) == 1, res, "not one line")
