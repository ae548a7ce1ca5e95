# SPDX-License-Identifier: MIT
"""Which host it is: known_hosts in all its forms, against OpenSSH's server."""

import hashlib
import base64
import os
import subprocess

from . import server
from .harness import case, expect, reached, refused


def fingerprint(line):
    digest = hashlib.sha256(base64.b64decode(line.split()[1])).digest()
    return "SHA256:" + base64.b64encode(digest).decode().rstrip("=")


def ready(ctx, sshd):
    path = ctx.path("key")
    if not os.path.exists(path):
        sshd.allow(ctx.key("key")[1])
    return path


def found(ctx, sshd):
    """Does OpenSSH find the host's key in the file?"""
    p = subprocess.run([server.program("ssh-keygen"), "-F", "[127.0.0.1]:%d" % sshd.port, "-f", ctx.known],
                       stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    return p.stdout.decode()


@case(params=["plain", "hashed"], sample=1)
def unknown_host_accepted(ctx, how):
    """Asked once; what is written OpenSSH reads; a file without a last newline is no trap."""
    with server.Sshd(ctx.dir) as sshd:
        server.write(ctx.known, "# a comment without an end")
        config = ctx.client(sshd, "HashKnownHosts %s" % ("yes" if how == "hashed" else "no"),
                            known=False, keys=[ready(ctx, sshd)])
        res = reached(ctx.transport("--ask", config=config, answers=[("host-key", "yes")]))
        asked = res.lines("question host-key seen %s:" % fingerprint(sshd.keys["ed25519"]))
        expect(len(asked) == 1 and "there (127.0.0.1) (port" in asked[0] and "ssh-ed25519" in asked[0], res,
               "not asked so")
        text = server.read(ctx.known)
        expect(text.startswith("# a comment without an end\n"), res, "what was there: %r" % text)
        expect(("|1|" in text) == (how == "hashed"), res, "hashed or not: %r" % text)
        expect(sshd.keys["ed25519"].split()[1] in found(ctx, sshd), res, "ssh-keygen does not find it")
        res = reached(ctx.transport("--ask", config=config))
        expect(not res.lines("question"), res, "asked again")


@case()
def directory_is_made(ctx):
    with server.Sshd(ctx.dir) as sshd:
        ctx.known = ctx.path("new", "known_hosts")
        config = ctx.client(sshd, known=False, keys=[ready(ctx, sshd)])
        reached(ctx.transport("--ask", config=config, answers=[("host-key", "yes")]))
        expect(os.stat(ctx.path("new")).st_mode & 0o777 == 0o700, None, "mode of the directory")
        expect(os.stat(ctx.known).st_mode & 0o777 == 0o600, None, "mode of the file")


@case(params=["refused", "no", "empty", "Yes"], sample=1)
def unknown_host_refused(ctx, how):
    """Anything but yes is no: nothing is written, nobody logs in."""
    with server.Sshd(ctx.dir) as sshd:
        config = ctx.client(sshd, known=False, keys=[ready(ctx, sshd)])
        text = {"refused": None, "no": "no", "empty": "", "Yes": "Yes"}[how]
        refused(ctx.transport("--ask", config=config, answers=[("host-key", text)]), "given up")
        expect(not os.path.exists(ctx.known), None, "a file was written")
        expect("Accepted" not in sshd.said(), None, "logged in: %s" % sshd.said())


@case()
def unknown_host_of_a_verb(ctx):
    with server.Sshd(ctx.dir) as sshd:
        config = ctx.client(sshd, known=False, keys=[ready(ctx, sshd)])
        res = ctx.transport(config=config)
        refused(res, "unknown host", fingerprint(sshd.keys["ed25519"]))
        expect(not res.lines("question"), res, "a question")


@case(params=["yes", "accept-new", "no"], sample=1)
def strict(ctx, how):
    with server.Sshd(ctx.dir) as sshd:
        config = ctx.client(sshd, "StrictHostKeyChecking %s" % how, known=False, keys=[ready(ctx, sshd)])
        res = ctx.transport("--ask", config=config, answers=[("host-key", "yes")])
        if how == "yes":
            refused(res, "unknown host", "StrictHostKeyChecking")
        else:
            reached(res)
            expect(found(ctx, sshd), res, "not kept")
        expect(not res.lines("question"), res, "a question")


@case(params=["ask", "no"])
def changed(ctx, how):
    """Another key of this type: refused with file and line, whatever StrictHostKeyChecking says."""
    other = server.make_key(ctx.path("other"))
    with server.Sshd(ctx.dir) as sshd:
        name = "[127.0.0.1]:%d" % sshd.port
        known = "# one\n\nelsewhere %s\n%s %s\n" % (other, name, other)
        config = ctx.client(sshd, "StrictHostKeyChecking %s" % how, known=known, keys=[ready(ctx, sshd)])
        res = ctx.transport("--ask", config=config, answers=[("host-key", "yes")])
        refused(res, "changed", "%s:4" % ctx.known, "ssh-keygen -R '%s'" % name)
        expect(server.read(ctx.known) == known.strip(), res, "the file changed")
        expect("Accepted" not in sshd.said(), None, "logged in")


@case()
def other_type(ctx):
    """Known by a key that the host does not have any more, of another type."""
    other = server.make_key(ctx.path("other"), "rsa")
    with server.Sshd(ctx.dir) as sshd:
        known = "[127.0.0.1]:%d %s\n" % (sshd.port, other)
        config = ctx.client(sshd, known=known, keys=[ready(ctx, sshd)])
        refused(ctx.transport("--ask", config=config, answers=[("host-key", "yes")]), "another type",
                "%s:1" % ctx.known)


@case(params=["ed25519", "rsa", "ecdsa"], sample=1)
def known_by_one_of_several(ctx, kind):
    """A host with keys of three types shows the one that is known."""
    with server.Sshd(ctx.dir, host_keys=("ed25519", "rsa", "ecdsa")) as sshd:
        config = ctx.client(sshd, known=sshd.known(kind), keys=[ready(ctx, sshd)])
        reached(ctx.transport(config=config))


@case(params=["same", "other", "both", "elsewhere"], sample=1)
def revoked(ctx, how):
    """@revoked is about one key: that one is refused wherever else it stands."""
    other = server.make_key(ctx.path("other"))
    with server.Sshd(ctx.dir) as sshd:
        name = "[127.0.0.1]:%d" % sshd.port
        good = sshd.known()
        text = {"same": sshd.known(mark="@revoked "), "both": good + sshd.known(mark="@revoked "),
                "other": good + "@revoked %s %s\n" % (name, other),
                "elsewhere": good + sshd.known(name="elsewhere", mark="@revoked ")}[how]
        config = ctx.client(sshd, known=text, keys=[ready(ctx, sshd)])
        res = ctx.transport("--ask", config=config, answers=[("host-key", "yes")])
        if how in ("same", "both"):
            refused(res, "revoked", "%s:%d" % (ctx.known, 1 if how == "same" else 2))
        else:
            reached(res)


@case(params=["hashed", "pattern", "many", "excluded", "alone", "tabs", "global", "second-file", "authority"], sample=3, smoke=1)
def forms(ctx, how):
    """Lines as OpenSSH has them."""
    with server.Sshd(ctx.dir) as sshd:
        key = " ".join(sshd.keys["ed25519"].split()[:2])
        name = "[127.0.0.1]:%d" % sshd.port
        path = ready(ctx, sshd)
        texts = {"pattern": "[127.0.?.*]:* %s\n" % key, "many": "a,b,%s,c %s comment here\n" % (name, key),
                 "excluded": "!%s,[127.* %s\n" % (name, key), "alone": "127.0.0.1 %s\n" % key,
                 "tabs": "  %s\t%s \r\n" % (name, key.replace(" ", "\t")),
                 "authority": "@cert-authority * %s\n" % key, "global": "", "second-file": ""}
        options = []
        if how == "hashed":
            server.write(ctx.known, sshd.known())
            subprocess.run([server.program("ssh-keygen"), "-q", "-H", "-f", ctx.known], check=True,
                           stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            expect("|1|" in server.read(ctx.known), None, "not hashed")
        server.write(ctx.path("second"), sshd.known())
        if how == "global":
            options = ["GlobalKnownHostsFile /nowhere %s" % ctx.path("second")]
        config = ctx.client(sshd, known=texts.get(how, False) if how != "hashed" else False, keys=[path])
        text = open(config).read()
        if how == "global":
            text = text.replace("GlobalKnownHostsFile /dev/null", options[0])
        if how == "second-file":
            text = text.replace("UserKnownHostsFile ", "UserKnownHostsFile /nowhere/at/all ")
            text = text.replace(ctx.known, ctx.path("second"))
        server.write(config, text)
        res = ctx.transport(config=config)
        if how == "authority":
            refused(res, "signed", "%s:1" % ctx.known)
        elif how == "excluded":
            refused(res, "unknown host")
        else:
            reached(res)


@case()
def odd_lines(ctx):
    """What is no line of the format is passed over; a line of a megabyte, too."""
    with server.Sshd(ctx.dir) as sshd:
        name = "[127.0.0.1]:%d" % sshd.port
        noise = ["", " ", "@", "@revoked", "x", name, name + " ssh-ed25519", name + " ssh-ed25519 !!!!",
                 name + " ssh-ed25519 AAAA", "|1|", "|1|a|b ssh-ed25519 AAAA", name + " " + "A" * 1000000,
                 "\xff\xfe", "@unknown %s %s" % (name, sshd.keys["ed25519"])]
        config = ctx.client(sshd, known="\n".join(noise) + "\n" + sshd.known(), keys=[ready(ctx, sshd)])
        reached(ctx.transport(config=config))
