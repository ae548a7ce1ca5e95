# SPDX-License-Identifier: MIT
"""What ~/.ssh/config says: held against `ssh -G`, which is OpenSSH's own answer."""

import os
import random
import subprocess

from . import proxy
from . import server
from .harness import FULL, case, expect

SAME = ("hostname", "user", "port", "stricthostkeychecking", "batchmode", "pubkeyauthentication",
        "kbdinteractiveauthentication", "passwordauthentication", "numberofpasswordprompts",
        "hashknownhosts", "connecttimeout")
TRUTH = {"yes": "1", "true": "1", "no": "0", "false": "0"}


def by_ssh(ctx, config, host, *args):
    p = subprocess.run([server.program("ssh"), "-G", "-F", config] + list(args) + [host],
                       stdout=subprocess.PIPE, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL,
                       env=ctx.env())
    if p.returncode:
        return None, p.stderr.decode()
    out = {}
    for line in p.stdout.decode().splitlines():
        k, _, v = line.partition(" ")
        out.setdefault(k, []).append(v)
    return out, ""


def by_us(ctx, config, host, *args):
    res = ctx.run(ctx.tool("transport_try"), "config", host, "--config", config, *args)
    expect(res.rc == 0, res, "exit status")
    out = {}
    for line in res.out.splitlines():
        k, _, v = line.partition(" ")
        out.setdefault(k, []).append(v)
    return out, res


def compare(ctx, text, host, user=None, port=None):
    """The same as ssh's, where we say that ssh is not needed."""
    config = ctx.path("config")
    server.write(config, text)
    theirs, why = by_ssh(ctx, config, host, *(["-l", user] if user else []), *(["-p", str(port)] if port else []))
    ours, res = by_us(ctx, config, host, *(["--user", user] if user else []),
                      *(["--port", str(port)] if port else []))
    needs = ours["needs_ssh"][0]
    if theirs is None:
        expect(needs, res, "ssh refuses this, and we take it: %s\n%s" % (why, text))
        return needs
    if needs:
        return needs
    for k in SAME:
        want = theirs[k][0]
        got = ours[k][0]
        if k in ("batchmode", "pubkeyauthentication", "kbdinteractiveauthentication",
                 "passwordauthentication", "hashknownhosts"):
            want = TRUTH[want]
        if k == "connecttimeout":
            want = "0" if want == "none" else want
        if k == "stricthostkeychecking" and want == "false":
            want = "accept-new"     # with us a changed key is refused all the same
        expect(got == want, res, "%s is %r, ssh says %r of %s in\n%s" % (k, got, want, host, text))
    if "~" not in theirs["identityfile"][0]:        # else: the usual ones
        expect(ours.get("identityfile", []) == theirs["identityfile"], res,
               "identities: ssh has %s in\n%s" % (theirs["identityfile"], text))
    expect(ours["userknownhostsfile"] == theirs["userknownhostsfile"][0].split()
           or "~" in theirs["userknownhostsfile"][0], res, "known hosts, in\n%s" % text)
    return ""


LINES = ("HostName 10.0.0.%d", "HostName %%h.example", "User u%d", "Port 2%d", "BatchMode yes",
         "BatchMode no", "StrictHostKeyChecking yes", "StrictHostKeyChecking accept-new",
         "StrictHostKeyChecking off", "StrictHostKeyChecking ask", "IdentityFile /k/%d",
         "IdentityFile \"/k with blank/%d\"", "UserKnownHostsFile /kh%d /kh2", "ConnectTimeout %d1",
         "PubkeyAuthentication no", "PasswordAuthentication no", "KbdInteractiveAuthentication no",
         "NumberOfPasswordPrompts 1%d", "HashKnownHosts yes", "ForwardAgent yes", "SendEnv LANG LC_*",
         "ServerAliveInterval 1%d", "LogLevel QUIET", "  Compression   yes  ", "# comment %d", "",
         "port = 3%d", "User=v%d", "GlobalKnownHostsFile /g%d", "LocalForward 80%d a:80")
NEEDS = ("ProxyJump j%d", "ProxyCommand nc %%h %%p", "ControlPath /c%d", "IdentitiesOnly yes",
         "CertificateFile /cert%d", "HostKeyAlias a%d", "Ciphers aes128-ctr", "BindAddress 127.0.0.%d")
BLOCKS = ("Host *", "Host a b", "Host c*", "Host !a *", "Host ?", "Match all", "Match host a,b*",
          "Match originalhost c user u1", "Match user u*", "Match !host a", "Host \"a\" cc", "Host a,b",
          "Match host 10.0.0.*", "Match localuser nobody-here", "Match user v* host *")
HOSTS = ("a", "b", "c", "cc", "dd", "A", "a.example")


def some(rng, needs):
    text = []
    for _ in range(rng.randrange(1, 14)):
        kind = rng.random()
        line = rng.choice(BLOCKS if kind < 0.3 else NEEDS if needs and kind < 0.4 else LINES)
        if kind >= 0.3 and "%" in line:
            line = line.replace("%d", str(rng.randrange(1, 5))).replace("%%", "%")
        text.append(line)
    return "\n".join(text) + "\n"


@case(params=range(8), sample=1, smoke=1)
def drawn(ctx, seed):
    """Drawn configurations: the same values, for each host."""
    rng = random.Random(seed)
    free = 0
    for i in range(15):
        text = some(rng, needs=i % 3 == 0)
        host = rng.choice(HOSTS)
        free += not compare(ctx, text, host, user=rng.choice([None, None, "u1"]),
                            port=rng.choice([None, None, 99]))
    expect(free >= 3, None, "nearly all need ssh: nothing was compared")


@case()
def needs_ssh(ctx):
    """What only ssh can do is named, with file and line; what it does not change is not."""
    named = {"ProxyJump j": "ProxyJump", "ProxyCommand x y z": "ProxyCommand", "ControlPath /c": "ControlPath",
             "IdentitiesOnly yes": "IdentitiesOnly", "CertificateFile /c": "CertificateFile",
             "HostKeyAlias x": "HostKeyAlias", "CanonicalizeHostname yes": "CanonicalizeHostname",
             "Match exec true": "Match exec", "Match final": "Match final",
             "PKCS11Provider /x.so": "PKCS11Provider", "MACs hmac-sha2-256": "MACs",
             "PreferredAuthentications password": "PreferredAuthentications", "NoSuchKeyword 1": "NoSuchKeyword",
             "AddressFamily inet6": "AddressFamily", "User \"open": "open quote", "Port x": "Port",
             "IdentityFile %C": "IdentityFile", "IdentityFile ~other/x": "IdentityFile",
             "IdentityFile ${NO_SUCH}": "IdentityFile"}
    config = ctx.path("config")
    for line, want in named.items():
        server.write(config, "# one\nHost a\n%s\n" % line)
        got, res = by_us(ctx, config, "a")
        needs = got["needs_ssh"][0]
        expect(want in needs, res, "%s: %r" % (line, needs))
        if want not in ("Port", "IdentityFile"):        # those are known at the end only
            expect("%s:3" % config in needs, res, "no line: %r" % needs)
        server.write(config, "Host b\n%s\n" % (line if "Match" not in line else "User x"))
        got, res = by_us(ctx, config, "a")
        expect(got["needs_ssh"][0] == "" or "open" in line, res, "a block that is not in force: %s" % line)
    for line in ("ProxyJump none", "ProxyCommand none", "ControlPath none", "ControlMaster auto",
                 "IdentitiesOnly no", "CanonicalizeHostname no", "AddressFamily any", "ForwardX11 yes",
                 "IgnoreUnknown Foo*\nFooBar 1", "GSSAPIAuthentication yes"):
        server.write(config, line + "\n")
        got, res = by_us(ctx, config, "a")
        expect(got["needs_ssh"][0] == "", res, "%s: %r" % (line, got["needs_ssh"]))


@case()
def left_out(ctx):
    """All of it by name, each once; what leads to the host apart."""
    for text, names, way in (("ProxyJump j\nMACs x\nUser u\nIdentitiesOnly yes\n", "ProxyJump, MACs, IdentitiesOnly", "ProxyJump"),
                             ("ProxyCommand a b\nProxyJump j\n", "ProxyCommand, ProxyJump", "ProxyCommand"),
                             ("ProxyCommand none\nProxyJump none\n", "", ""),
                             ("ProxyJump none\nProxyJump j\nProxyCommand a b\n", "ProxyCommand", "ProxyCommand"),
                             ("Match exec true\nProxyJump j\n", "Match exec", ""),
                             ("One 1\nOneMore 2\nOne 3\nMore 4\n", "One, OneMore, More", "")):
        server.write(ctx.path("config"), text)
        got, res = by_us(ctx, ctx.path("config"), "a")
        expect(got["left_out"][0] == names, res, "left out: %r" % got["left_out"])
        expect(got["way"][0].split(" (")[0] == way, res, "the way: %r" % got["way"])
        theirs, _ = by_ssh(ctx, ctx.path("config"), "a")
        if theirs:
            led = [k for k in ("proxyjump", "proxycommand") if theirs.get(k, ["none"]) != ["none"]]
            expect("exec" in text or bool(led) == bool(way), res, "ssh goes %s" % led)
    server.write(ctx.path("config"), "".join("Keyword%d 1\n" % i for i in range(100)))
    got, res = by_us(ctx, ctx.path("config"), "a")
    expect(got["left_out"][0].startswith("Keyword0, Keyword1, ") and got["left_out"][0].endswith(", ..."), res, "a long list")
    expect(got["left_out"][0].count("...") == 1, res, "a long list")


def opened(ctx, way, config, path, verb="schema", *more):
    return ctx.run(os.path.join(ctx.builddir, "tilescope"), verb, "--cache", "none", "--transport", way, "--ssh-config", config,
                   *more, "there:" + path)


@case(depth=FULL)
def libssh_says_what_it_leaves_out(ctx):
    """One line of a verb; nothing where nothing is left out, or with --quiet."""
    path, line = ctx.key("key")
    rep = ctx.path("report")
    ctx.run(os.path.join(ctx.builddir, "tilescope"), "demo", "--no-archive", "--ipus", "1", "--tiles", "16", "--steps", "60", rep)
    with server.Sshd(ctx.dir) as sshd:
        sshd.allow(line)
        for verb in ("schema", "check"):
            res = opened(ctx, "libssh", ctx.client(sshd, "IdentitiesOnly yes", "CheckHostIP yes", keys=[path]), rep, verb)
            said = [one for one in res.err.splitlines() if "leaves out" in one]
            expect(res.rc in (0, 1) and len(said) == 1 and "libssh leaves out of the configuration of SSH: IdentitiesOnly, CheckHostIP" in said[0],
                   res, "not said so")
            res = opened(ctx, "libssh", ctx.client(sshd, "IdentitiesOnly yes", keys=[path]), rep, verb, "--quiet")
            expect(res.rc in (0, 1) and res.err == "", res, "not quiet")
        for way, lines in (("libssh", ()), ("auto", ("IdentitiesOnly yes",)), ("ssh", ("IdentitiesOnly yes",))):
            res = opened(ctx, way, ctx.client(sshd, *lines, keys=[path]), rep)
            expect(res.rc == 0 and "leaves out" not in res.err, res, "%s leaves out something" % way)


@case(params=["ProxyJump nobody@127.0.0.1:1", "ProxyCommand false"])
def libssh_goes_no_other_way(ctx, line):
    """Where a way is configured, none is gone past it: exit status 5, one line that names it, and no connection."""
    path, key = ctx.key("key")
    with server.Sshd(ctx.dir) as sshd, proxy.Proxy(sshd.port) as p:
        sshd.allow(key)
        config = ctx.client(sshd, line, keys=[path])
        server.write(config, server.read(config).replace("Port %d" % sshd.port, "Port %d" % p.port))
        res = opened(ctx, "libssh", config, "report")
        expect(res.rc == 5 and len(res.err.splitlines()) == 1, res, "exit status %d" % res.rc)
        at = server.read(config).splitlines().index("  " + line) + 1
        expect("the way to it is %s (%s:%d), which takes transport=ssh, or auto" % (line.split()[0], config, at) in res.err, res,
               "it is not named")
        expect(p.counts()["connections"] == 0, None, "a connection past it")
        res = opened(ctx, "auto", config, "report")
        expect(res.rc == 5 and "the way to it" not in res.err, res, "auto is not ssh")


@case()
def keys_that_only_ssh_can_use(ctx):
    """A certificate beside a key, a key in hardware."""
    path, line = ctx.key("key")
    config = ctx.path("config")
    server.write(config, "IdentityFile %s\n" % path)
    got, res = by_us(ctx, config, "a")
    expect(got["needs_ssh"][0] == "", res, "a plain key")
    server.write(path + "-cert.pub", "x")
    got, res = by_us(ctx, config, "a")
    expect("certificate" in got["needs_ssh"][0], res, "a certificate")
    os.unlink(path + "-cert.pub")
    server.write(path + ".pub", "sk-ssh-ed25519@openssh.com AAAA\n")
    got, res = by_us(ctx, config, "a")
    expect("hardware" in got["needs_ssh"][0], res, "a key in hardware")


@case()
def include(ctx):
    """Include: patterns, nesting, blocks that end with the file; one that includes itself ends."""
    os.mkdir(ctx.path("d"))
    server.write(ctx.path("d", "1.conf"), "Host b\nUser from-b\n")
    server.write(ctx.path("d", "2.conf"), "Host a\nUser from-a\nInclude %s\n" % ctx.path("deep"))
    server.write(ctx.path("deep"), "Port 77\n")
    text = "Include %s/*.conf\nHostName 10.9.9.9\nUser late\n" % ctx.path("d")
    for host in ("a", "b", "c"):
        expect(compare(ctx, text, host) == "", None, "needs ssh")
    server.write(ctx.path("loop"), "Include %s\n" % ctx.path("loop"))
    server.write(ctx.path("config"), "Include %s\n" % ctx.path("loop"))
    got, res = by_us(ctx, ctx.path("config"), "a")
    expect("Include" in got["needs_ssh"][0] or "read" in got["needs_ssh"][0], res, "a loop")
    os.mkfifo(ctx.path("fifo"))
    server.write(ctx.path("config"), "Include %s\n" % ctx.path("d"))
    got, res = by_us(ctx, ctx.path("config"), "a")
    expect(got["needs_ssh"][0], res, "a directory")
