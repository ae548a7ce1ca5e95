# SPDX-License-Identifier: MIT
"""cases_remote - HOST:PATH in the place of a path: what a verb says of a report there, and of a host that is not reached.

In the place of ssh stands a script that starts OpenSSH's SFTP server, or fails as ssh does.
"""

import os

from harness import case, expect, one_line, plain

SERVER = "/usr/lib/openssh/sftp-server"


def ssh(ctx, *lines):
    path = ctx.path("ssh")
    with open(path, "w") as f:
        f.write("\n".join(("#!/bin/sh",) + lines) + "\n")
    os.chmod(path, 0o700)
    return {"TS_SSH": path}


@case(params=["summary", "schema", "check"])
def remote_same(ctx, verb):
    """The same words as of the report here."""
    if not os.access(SERVER, os.X_OK):
        return
    env = ssh(ctx, "exec " + SERVER)
    rep = plain(ctx, 7)
    here = ctx.run(verb, "--cache", "none", rep.dir)
    there = ctx.run(verb, "--cache", "none", "box:" + rep.dir, env=env)
    expect(there.rc == here.rc, there, "exit status %d here" % here.rc)
    expect(there.out.replace(b"box:", b"") == here.out, there, "other words than here")
    expect(there.err.replace(b"box:", b"") == here.err, there, "other warnings than here")


@case(params=["Connection refused", "Permission denied (publickey).", "Host key verification failed."])
def remote_refused(ctx, why):
    env = ssh(ctx, "echo 'me@box: %s' >&2" % why, "exit 255")
    one_line(ctx.run("summary", "box:report", env=env), why.rstrip("."), rc=5)


@case()
def remote_not_there(ctx):
    if os.access(SERVER, os.X_OK):
        res = ctx.run("summary", "box:/nowhere/at/all", env=ssh(ctx, "exec " + SERVER))
        one_line(res, "no such file", rc=3)


@case(params=["-oProxyCommand=x:y", "ho st:x", "http://box/x", "sftp://me:secret@box/x", "box:~other/x"])
def remote_address(ctx, word):
    """Refused before anything is started."""
    env = ssh(ctx, "touch %s" % ctx.path("started"))
    res = ctx.run("summary", "--", word, env=env)
    one_line(res, rc=2)
    expect(b"secret" not in res.err.replace(word.encode(), b""), res, "a secret is repeated")
    expect(not os.path.exists(ctx.path("started")), res, "ssh was started")
