# SPDX-License-Identifier: MIT
"""Who one is: keys, agents, factors, questions; against OpenSSH's server."""

import os

from . import server
from .harness import case, expect, reached, refused

KINDS = ("ed25519", "rsa", "ecdsa")


@case(params=KINDS, sample=1)
def key_without_passphrase(ctx, kind):
    path, line = ctx.key("key", kind)
    with server.Sshd(ctx.dir) as sshd:
        sshd.allow(line)
        res = reached(ctx.transport(config=ctx.client(sshd, keys=[path])))
        expect(not res.lines("question"), res, "a question")
        expect(res.lines("channel 0 stands at") == [sshd.home], res, "it stands elsewhere")


@case(params=["ed25519", "rsa", "rsa-pem", "rsa-pkcs8"], sample=1, smoke=1)
def key_with_passphrase(ctx, kind):
    form = {"rsa-pem": "PEM", "rsa-pkcs8": "PKCS8"}.get(kind)
    path, line = ctx.key("key", kind.split("-")[0], "open sesame, please", form)
    with server.Sshd(ctx.dir) as sshd:
        sshd.allow(line)
        config = ctx.client(sshd, keys=[path])
        res = reached(ctx.transport("--ask", config=config,
                                    answers=[("passphrase", "open sesame, please")]))
        expect(len(res.lines("question passphrase:")) == 1, res, "not one question")
        expect(path in res.lines("question passphrase:")[0], res, "which key?")
        res = reached(ctx.transport("--ask", config=config, answers=[
            ("passphrase", "wrong"), ("passphrase", "open sesame, please")]))
        expect(len(res.lines("question passphrase:")) == 2, res, "not two questions")
        os.unlink(path + ".pub")
        before = sorted(os.listdir(ctx.dir))
        reached(ctx.transport("--ask", config=config, answers=[("passphrase", "open sesame, please")]))
        expect(sorted(os.listdir(ctx.dir)) == before, None, "it wrote a file beside the key")


@case()
def passphrase_refused(ctx):
    path, line = ctx.key("key", passphrase="open sesame, please")
    other, other_line = ctx.key("other")
    with server.Sshd(ctx.dir) as sshd:
        sshd.allow(line)
        res = ctx.transport("--ask", config=ctx.client(sshd, keys=[path]), answers=[("passphrase", None)])
        refused(res, "permission denied", "publickey")
        res = ctx.transport("--ask", config=ctx.client(sshd, keys=[path]),
                            answers=[("passphrase", "wrong%d" % i) for i in range(9)])
        refused(res, "permission denied", "publickey")
        expect(len(res.lines("question")) == 3, res, "not three questions")
        sshd.allow(other_line)      # the next key goes in without it
        reached(ctx.transport("--ask", config=ctx.client(sshd, keys=[path, other]),
                              answers=[("passphrase", None)]))


@case()
def nobody_may_be_asked(ctx):
    path, line = ctx.key("key", passphrase="open sesame, please")
    with server.Sshd(ctx.dir) as sshd:
        sshd.allow(line)
        res = ctx.transport(config=ctx.client(sshd, keys=[path]))
        refused(res, "permission denied", "passphrase")
        expect(not res.lines("question"), res, "a question")
        res = ctx.transport("--ask", config=ctx.client(sshd, "BatchMode yes", keys=[path]))
        refused(res, "permission denied", "passphrase")
        expect(not res.lines("question"), res, "a question")


@case()
def no_key_fits(ctx):
    path, _ = ctx.key("key")
    with server.Sshd(ctx.dir) as sshd:
        res = ctx.transport(config=ctx.client(sshd, keys=[path, ctx.path("nothing")]))
        refused(res, "permission denied (publickey)", server.user())


@case()
def keys_in_the_way(ctx):
    """Files that are no keys, keys that are not wanted, then the right one."""
    path, line = ctx.key("key")
    wrong, _ = ctx.key("wrong", "rsa")
    server.write(ctx.path("noise"), "no key\n")
    server.write(ctx.path("noise.pub"), "ssh-ed25519 AAAA broken\n")
    server.write(ctx.path("empty"), "")
    os.mkdir(ctx.path("folder"))
    with server.Sshd(ctx.dir) as sshd:
        sshd.allow(line)
        keys = [ctx.path(n) for n in ("noise", "empty", "folder", "missing")] + [wrong, path]
        reached(ctx.transport(config=ctx.client(sshd, keys=keys)))


@case(params=KINDS, sample=1)
def agent(ctx, kind):
    path, line = ctx.key("key", kind)
    with server.Sshd(ctx.dir) as sshd, server.Agent(ctx.dir, path) as a:
        os.unlink(path)
        os.unlink(path + ".pub")
        sshd.allow(line)
        config = ctx.client(sshd, "IdentityAgent %s" % a.socket)
        reached(ctx.transport(config=config))
        config = ctx.client(sshd, "IdentityAgent SSH_AUTH_SOCK")
        reached(ctx.transport(config=config, env={"SSH_AUTH_SOCK": a.socket}))
        refused(ctx.transport(config=config), "permission denied")
        config = ctx.client(sshd, "IdentityAgent none")
        refused(ctx.transport(config=config, env={"SSH_AUTH_SOCK": a.socket}), "permission denied")


@case()
def agent_without_the_key(ctx):
    """An agent that is empty, gone, or has other keys: files are tried."""
    path, line = ctx.key("key")
    others = [ctx.key("other%d" % i)[0] for i in range(2)]
    with server.Sshd(ctx.dir) as sshd:
        sshd.allow(line)
        with server.Agent(ctx.dir) as a:
            config = ctx.client(sshd, "IdentityAgent %s" % a.socket, keys=[path])
            reached(ctx.transport(config=config))
        reached(ctx.transport(config=config))       # its socket is not there any more
        with server.Agent(ctx.dir, *others) as a:
            config = ctx.client(sshd, "IdentityAgent %s" % a.socket, keys=[path])
            reached(ctx.transport(config=config))


@case(params=["files", "agent", "agent-and-file", "same-key"], sample=1)
def two_keys(ctx, how):
    """Two factors: the server wants two different keys."""
    # libssh 0.10.6 asks an agent for its keys anew, and forgets the list that it had: a leak of its own
    server.write(ctx.path("leaks"), "leak:ssh_buffer_new\n")
    lenient = {"LSAN_OPTIONS": "print_suppressions=0:suppressions=" + ctx.path("leaks")}
    first, line1 = ctx.key("first")
    second, line2 = ctx.key("second", "ecdsa")
    with server.Sshd(ctx.dir, options=["AuthenticationMethods publickey,publickey"]) as sshd:
        sshd.allow(line1, line2)
        if how == "files":
            reached(ctx.transport(config=ctx.client(sshd, keys=[first, second]), env=lenient))
        elif how == "same-key":
            refused(ctx.transport(config=ctx.client(sshd, keys=[first])), "permission denied")
        else:
            keys = [first, second] if how == "agent" else [first]
            with server.Agent(ctx.dir, *keys) as a:
                config = ctx.client(sshd, "IdentityAgent %s" % a.socket,
                                    keys=[] if how == "agent" else [second])
                reached(ctx.transport(config=config, env=lenient))


@case()
def key_and_its_passphrase_second(ctx):
    first, line1 = ctx.key("first")
    second, line2 = ctx.key("second", passphrase="open sesame, please")
    with server.Sshd(ctx.dir, options=["AuthenticationMethods publickey,publickey"]) as sshd:
        sshd.allow(line1, line2)
        reached(ctx.transport("--ask", config=ctx.client(sshd, keys=[first, second]),
                              answers=[("passphrase", "open sesame, please")]))


@case()
def password_refused_by_the_server(ctx):
    """A server without passwords never gets one: none is asked for."""
    with server.Sshd(ctx.dir) as sshd:
        res = ctx.transport("--ask", config=ctx.client(sshd), answers=[("password", "secret words")])
        refused(res, "permission denied (publickey)")
        expect(not res.lines("question"), res, "a question")


@case()
def too_many_keys(ctx):
    """The server hangs up at the sixth: it is said, and nothing hangs."""
    keys = [ctx.key("key%d" % i)[0] for i in range(8)]
    with server.Sshd(ctx.dir) as sshd:
        res = ctx.transport(config=ctx.client(sshd, keys=keys))
        expect(res.rc == 5 and "too many authentication failures" in res.out.lower(), res,
               "why is not said")
