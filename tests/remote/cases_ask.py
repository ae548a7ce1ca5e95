# SPDX-License-Identifier: MIT
"""What a host asks: passwords, codes, several factors; against a server of our own, since OpenSSH's needs PAM."""

import os

from . import server
from .harness import case, expect, reached, refused

SECRET = "correct horse battery"


@case()
def password(ctx):
    ctx.secrets.append(SECRET)
    with server.AuthServer(ctx, "password=" + SECRET) as host:
        config = ctx.client(host)
        res = reached(ctx.transport("--ask", config=config, answers=[("password", SECRET)]))
        asked = res.lines("question password:")
        expect(len(asked) == 1 and server.user() + "@there (127.0.0.1)" in asked[0], res, "not asked so")
        res = reached(ctx.transport("--ask", config=config,
                                    answers=[("password", "wrong"), ("password", SECRET)]))
        asked = res.lines("question password:")
        expect(len(asked) == 2 and "not accepted" in asked[1], res, "not asked twice")


@case()
def password_given_up(ctx):
    with server.AuthServer(ctx, "password=" + SECRET) as host:
        config = ctx.client(host)
        refused(ctx.transport("--ask", config=config, answers=[("password", None)]), "given up")
        res = ctx.transport("--ask", config=config, answers=[("password", "w%d" % i) for i in range(9)])
        refused(res, "permission denied (password)")
        expect(len(res.lines("question")) == 3, res, "not three questions")
        res = ctx.transport("--ask", config=ctx.client(host, "NumberOfPasswordPrompts 1"),
                            answers=[("password", "w%d" % i) for i in range(9)])
        expect(len(res.lines("question")) == 1, res, "not one question")
        res = ctx.transport("--ask", config=ctx.client(host, "PasswordAuthentication no"),
                            answers=[("password", SECRET)])
        refused(res, "permission denied")
        expect(not res.lines("question"), res, "a question")
        res = ctx.transport(config=ctx.client(host), answers=[("password", SECRET)])
        refused(res, "nobody may be asked")
        expect(not res.lines("question"), res, "a question")


@case(params=["questions", "rounds"])
def codes(ctx, how):
    """All in one go, or round by round; text and echo are the host's."""
    with server.AuthServer(ctx, "%s=alpha:beta:gamma" % how) as host:
        config = ctx.client(host)
        res = reached(ctx.transport("--ask", config=config, answers=[
            ("text", "alpha"), ("text", "beta"), ("text", "gamma")]))
        hidden, seen = res.lines("question text:"), res.lines("question text seen:")
        expect(len(hidden) == 1 and len(seen) == 2, res, "what may be seen")
        expect("Code one" in hidden[0] and "Instruction" in hidden[0] and "Name of it" in hidden[0], res,
               "not the host's words")
        expect("Code two" in seen[0] and "Code three" in seen[1], res, "other questions")
        res = ctx.transport("--ask", config=config, answers=[("text", "alpha"), ("text", None)])
        refused(res, "given up")
        res = ctx.transport("--ask", config=config, answers=[("text", "x")] * 30)
        refused(res, "permission denied (keyboard-interactive)")


@case()
def rounds_without_a_question(ctx):
    with server.AuthServer(ctx, "rounds=:alpha:") as host:
        res = reached(ctx.transport("--ask", config=ctx.client(host), answers=[("text", "alpha")]))
        expect(len(res.lines("question")) == 1, res, "not one question")


@case(params=["password-code", "code-password", "key-code", "key-password-code"], sample=2)
def factors(ctx, how):
    """Partial success goes on to the next factor, in the host's order."""
    path, line = ctx.key("key")
    ctx.secrets.append(SECRET)
    stages = {"password": "password=" + SECRET, "code": "questions=123456", "key": "key=" + line.split()[1]}
    answers = [("password", SECRET), ("text", "123456")]
    with server.AuthServer(ctx, *[stages[w] for w in how.split("-")]) as host:
        config = ctx.client(host, keys=[path])
        res = reached(ctx.transport("--ask", config=config, answers=answers))
        expect(host.said().count("passed") == how.count("-") + 1, res, "stages: " + host.said())
        if "code" in how:
            refused(ctx.transport("--ask", config=config, answers=answers[:1]), "given up")


@case()
def long_answers(ctx):
    """As long as an answer may be; empty ones too."""
    long = "x" * 1024
    with server.AuthServer(ctx, "questions=%s" % long) as host:
        reached(ctx.transport("--ask", config=ctx.client(host), answers=[("text", long)]))
    os.unlink(ctx.known)        # another port
    with server.AuthServer(ctx, "password=") as host:
        reached(ctx.transport("--ask", config=ctx.client(host), answers=[("password", "")]))


@case(params=[1, 8])
def channels_of_another_server(ctx, count):
    with server.AuthServer(ctx, "password=" + SECRET) as host:
        reached(ctx.transport("--ask", "--channels", str(count), config=ctx.client(host),
                              answers=[("password", SECRET)]), count)
