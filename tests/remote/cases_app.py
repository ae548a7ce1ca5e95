# SPDX-License-Identifier: MIT
"""The real program on a pseudo-terminal, with a report of another host: questions, loss, and its end."""

import os
import re
import resource
import shutil
import socket
import tempfile
import time

from . import proxy
from . import server
from .cases_hosts import fingerprint
from .harness import FULL, LIMIT, Failed, Skipped, case, expect

from ..tty import terminal

SECRET = "correct horse battery"
WAYS = ["libssh", "ssh"]
NAMED = ("esc", "C-c")


def workers(text):
    """Of the shown Jobs: what each does, and how many jobs it did."""
    return re.findall(r"^ *(?:screen|question|pool \d+) +(\S+).* (\S+) *$", text.split("waiting:")[0], re.M)


class Seen:
    """The program while somebody waits for a host: it never rests then, so a text is waited for, not rest."""

    def __init__(self, pty):
        self.pty = pty

    def see(self, what):
        test = what if callable(what) else lambda text: what in text
        end = time.monotonic() + LIMIT
        while not test(self.pty.text()):
            if time.monotonic() > end:
                self.pty.fail("never showed %s" % what)
            if not self.pty.pump(0.05) and self.pty.poll() is not None and not self.pty.pump(0.05):
                self.pty.fail("ended (%s) before it showed %s" % (self.pty.status, what))

    def keys(self, *keys):
        for k in keys:
            self.pty.send(terminal.code(k) if len(k) < 6 and k in NAMED else k)

    def taken(self):
        """Until the program has handled all keys, whatever it shows: none waits, and its first thread sleeps."""
        end = time.monotonic() + LIMIT
        while terminal.unread(self.pty.slave) or (terminal.pulse([self.pty.pid]) or [("", "R")])[0][1] != "S":
            self.pty.pump(0.02)
            if time.monotonic() > end:
                self.pty.fail("never took its keys")

    def rests(self):
        """While Jobs is shown: until no worker has anything to do, and the first thread, drawing twice, gave them nothing more."""
        last = None
        while True:
            self.see(lambda text: "connected" in text and "waiting: 0 for the screen, 0 for the others" in text
                     and {does for does, _ in workers(text)} == {"idle"})
            now = workers(self.pty.text())
            if now == last:
                return
            last = now
            self.keys("\f")
            self.taken()
            self.pty.pump(0.05)

    def ends(self, status):
        self.pty.expect_end(status, LIMIT)
        self.pty.restored()

    def leaves(self):
        self.keys("q")
        self.ends(0)


def report(ctx, variables=400, tiles=16):
    """A small one, as another host has it."""
    path = ctx.path("report")
    res = ctx.run(os.path.join(ctx.builddir, "tilescope"), "demo", "--no-archive", "--ipus", "1", "--tiles", str(tiles),
                  "--layout", "sdk" if variables > 1000 else "store", "--steps", "60", "--variables", str(variables), path)
    expect(res.rc == 0, res, "no report")
    return path


def words(ctx, way, config, path, *more, host="there:"):
    """What opens it; of host "" a report that is here."""
    return ["--cache", "none", "--transport", way, "--ssh-config", config, *more, host + path]


class App:
    """Ended, whatever happens; and no secret was drawn."""

    def __init__(self, ctx, way, config, path, *more, size=(80, 24), program="tilescope", env=None, host="there:"):
        self.ctx = ctx
        self.pty = terminal.Pty([os.path.join(ctx.builddir, program)] + words(ctx, way, config, path, *more, host=host),
                                ctx.env(TERM="xterm-256color", **(env or {})), size=size, cwd=ctx.dir)

    def __enter__(self):
        return Seen(self.pty)

    def __exit__(self, kind, error, _):
        self.pty.close()
        if isinstance(error, terminal.Failed):
            raise Failed(str(error))
        for secret in self.ctx.secrets:
            if secret.encode() in self.pty.raw:
                raise Failed("a secret is on the screen")
            for where, _, names in os.walk(self.ctx.home):       # settings, caches, logs
                for name in names:
                    path = os.path.join(where, name)
                    if os.path.isfile(path) and secret.encode() in open(path, "rb").read():
                        raise Failed("a secret stands in %s" % path)


def known_to(ctx, sshd, way=None, **more):
    """A server that takes our key; the client's configuration."""
    path, line = ctx.key("key", **more)
    sshd.allow(line)
    return ctx.client(sshd, keys=[path])


def through(ctx, sshd, p, *lines, **more):
    """As known_to(), by way of a proxy."""
    path, line = ctx.key("key", **more)
    sshd.allow(line)
    config = ctx.client(sshd, *lines, known=sshd.known(name="[127.0.0.1]:%d" % p.port), keys=[path])
    server.write(config, server.read(config).replace("Port %d" % sshd.port, "Port %d" % p.port) + "\n")
    return config


@case(params=WAYS, sample=1, smoke=1)
def app_same_summary(ctx, way):
    path = report(ctx)
    with server.Sshd(ctx.dir) as sshd:
        config = known_to(ctx, sshd)
        program = os.path.join(ctx.builddir, "tilescope")
        for verb in ("summary", "schema"):
            here = ctx.run(program, verb, "--cache", "none", path)
            there = ctx.run(program, verb, *words(ctx, way, config, path))
            expect(there.out.startswith("there:"), there, "the host is not named")
            expect(there.rc == here.rc and there.out == "there:" + here.out, there,
                   "other words than here:\n" + here.show())


def name_in(text):
    """What the first line calls the report."""
    return re.split(r" \d:?[A-Z]| \d ", text.split("\n")[0])[0].strip().replace("tilescope  ", "")


@case(params=["%s-%d" % (word, columns) for word in ("scp", "url") for columns in (80, 100, 120, 240)], sample=2, smoke=1)
def app_title(ctx, how):
    """It names the host, once, however narrow the screen is; a path that is cut says so: no other report is called like that."""
    short = report(ctx)
    path = os.path.join(ctx.path("runs", "monday"), "report")
    os.makedirs(os.path.dirname(path))
    os.rename(short, path)
    word, columns = how.split("-")
    with server.Sshd(ctx.dir) as sshd:
        host = "there:" if word == "scp" else "sftp://there:%d" % sshd.port
        called = "there:" if word == "scp" else "there:%d:" % sshd.port
        with App(ctx, "libssh", known_to(ctx, sshd), path, size=(int(columns), 24), host=host) as t:
            t.see("tiles 16")
            name = name_in(t.pty.text())
            expect(name.startswith((called, host)) and name.count("there") == 1, None, "the title is %r" % name)
            rest = name[len(host):] if name.startswith(host) else name[len(called):]
            expect(rest in ("", path) or (rest.startswith("…/") and path.endswith(rest[1:])), None, "the title is %r" % name)
            expect(rest or word == "url" or columns == "120", None, "no name in %r" % name)
            t.leaves()
        if word == "url":
            return
        res = ctx.run(os.path.join(ctx.builddir, "tilescope"), "render", "--size", "%sx24" % columns,
                      *words(ctx, "libssh", ctx.path("config"), path))
        expect(res.out.splitlines()[0].startswith(" tilescope  there:"), res, "the caption")
        expect("report" in res.out.splitlines()[0], res, "the caption")


@case(params=WAYS + ["auto"], sample=1)
def app_verbs_never_ask(ctx, way):
    """Exit 5, and why."""
    path = report(ctx)
    with server.Sshd(ctx.dir) as sshd:
        config = known_to(ctx, sshd, passphrase=SECRET)
        program = os.path.join(ctx.builddir, "tilescope")
        res = ctx.run(program, "summary", *words(ctx, way, config, path))
        expect(res.rc == 5 and "denied" in res.err.lower(), res, "not refused")
        os.unlink(ctx.known)
        res = ctx.run(program, "summary", *words(ctx, way, config, path))
        said = "unknown host, its key is %s" % fingerprint(sshd.keys["ed25519"])
        expect(res.rc == 5 and said in res.err and "nobody may be asked here (ssh to it once)" in res.err, res, "not refused so")
        expect(len(res.err.splitlines()) == 1, res, "not one line")
        expect(not os.path.exists(ctx.known), res, "a key was kept")
        config = ctx.client(sshd, "StrictHostKeyChecking yes", known=False)
        res = ctx.run(program, "summary", *words(ctx, way, config, path))
        expect(res.rc == 5 and ("strict checking" in res.err or "StrictHostKeyChecking is yes" in res.err), res, "not refused")
        expect(not os.path.exists(ctx.known), res, "a key was kept")


@case(params=WAYS)
def app_nobody_there(ctx, way):
    """A name that nobody knows, a port where nobody listens: one line, and exit status 5."""
    program = os.path.join(ctx.builddir, "tilescope")
    config = ctx.path("config")
    server.write(config, "")
    with socket.socket() as s:          # bound, and nobody listens
        s.bind(("127.0.0.1", 0))
        for where, why in (("no-such-host.invalid:x", "no-such-host.invalid"),
                           ("sftp://127.0.0.1:%d/x" % s.getsockname()[1], "refused")):
            res = ctx.run(program, "summary", "--cache", "none", "--transport", way,
                          "--ssh-config", config, where)
            expect(res.rc == 5, res, "exit status %d" % res.rc)
            expect(len(res.err.splitlines()) == 1 and why in res.err, res, "not a line that says why")


@case()
def app_falls_back(ctx):
    """auto is libssh, and ssh where the host agrees on nothing that libssh knows; in a configuration file, too."""
    path = report(ctx)
    program = os.path.join(ctx.builddir, "tilescope")
    with server.Sshd(ctx.dir, options=["KexAlgorithms sntrup761x25519-sha512@openssh.com"]) as sshd:
        config = known_to(ctx, sshd)
        res = ctx.run(program, "summary", *words(ctx, "libssh", config, path))
        expect(res.rc == 5 and "no match" in res.err, res, "libssh knows it now: another test is wanted")
        res = ctx.run(program, "summary", *words(ctx, "auto", config, path))
        expect(res.rc == 0, res, "not by ssh")
        os.makedirs(ctx.path("home", "config", "tilescope"))
        for way, rc in (("libssh", 5), ("ssh", 0), ("auto", 0)):
            server.write(ctx.path("home", "config", "tilescope", "config"), "set transport %s\n" % way)
            res = ctx.run(program, "summary", "--cache", "none", "--ssh-config", config, "there:" + path)
            expect(res.rc == rc, res, "exit status %d, not %d" % (res.rc, rc))


@case(params=WAYS, sample=1, smoke=1)
def app_opens(ctx, way):
    """The figures, how the host is reached, and the end."""
    path = report(ctx)
    with server.Sshd(ctx.dir) as sshd:
        config = known_to(ctx, sshd)
        with App(ctx, way, config, path, size=(120, 40)) as t:
            t.see(lambda text: way + " " in text.split("\n")[0] and "tiles 16" in text)
            t.keys("3")
            t.see("tiles 16")
            t.leaves()


@case()
def app_opens_another(ctx):
    """:open HOST:PATH from a report here, and back."""
    path = report(ctx)
    shutil.copytree(path, ctx.path("other"))
    with server.Sshd(ctx.dir) as sshd:
        config = known_to(ctx, sshd)
        with App(ctx, "libssh", config, path, size=(120, 40)) as t:
            t.see("tiles 16")
            t.keys(":open there:%s\r" % ctx.path("other"))
            t.see(lambda text: "other" in text.split("\n")[0])
            t.keys(":open %s\r" % path)
            t.see(lambda text: "libssh" not in text.split("\n")[0])
            t.keys(":open there:/nowhere/at/all\r")
            t.see("no such file")
            t.leaves()
        expect(sshd.said().count("Accepted publickey") == 1, None, "more than one connection")


@case()
def app_password(ctx):
    """In a box, as marks; a wrong one is asked for again."""
    path = report(ctx)
    ctx.secrets.append(SECRET)
    with server.AuthServer(ctx, "password=" + SECRET) as host:
        with App(ctx, "libssh", ctx.client(host), path) as t:
            t.see("Password of")
            t.keys("wrong")
            t.see("password: *****")
            t.keys("\r")
            t.see("not accepted")
            t.keys(SECRET + "\r")
            t.see("tiles 16")
            t.leaves()


def said_at_the_end(t):
    """What the program has said when the screen was gone: lines."""
    text = t.pty.raw.decode("utf-8", "replace")
    return re.findall(r"tilescope: [^\r\n]*", text[text.rfind("\x1b[?1049l"):])


def gives_up(t, reason, leave):
    """A box that says why it was in vain, then the end, with that line and exit status 5."""
    t.see(reason)
    t.see("Esc: leave  (other keys do nothing here)")
    t.keys("Q\rq:quit\r")                           # of an answer, perhaps
    t.taken()
    t.see("Esc: leave")
    t.keys(leave)
    t.ends(5)
    said = said_at_the_end(t)
    expect(len(said) == 1 and said[0].startswith("tilescope: there:") and reason in said[0], None, "it says %r" % said)


@case(params=NAMED)
def app_wrong_passwords(ctx, leave):
    """Three wrong ones before the first screen: what is typed on goes to nobody, then it ends as with any other failure to connect."""
    path = report(ctx)
    ctx.secrets.append(SECRET)
    with server.AuthServer(ctx, "password=" + SECRET) as host:
        with App(ctx, "libssh", ctx.client(host), path, size=(300, 40)) as t:
            for wrong in ("one", "two", "three"):
                t.see("Password of")
                t.keys(wrong)
                t.see("password: " + "*" * len(wrong) + " ")
                t.keys("\r")
                t.see(lambda text: "*" not in text)
            gives_up(t, "denied", leave)


@case(params=WAYS, sample=1)
def app_wrong_passphrases(ctx, way):
    """The same of a key's passphrase."""
    path = report(ctx)
    with server.Sshd(ctx.dir) as sshd:
        with App(ctx, way, known_to(ctx, sshd, passphrase=SECRET), path, size=(200, 40)) as t:
            for i in range(3):
                t.see("passphrase: ")
                t.keys("wrong%d" % i)
                t.see("passphrase: " + "*" * 6 + " ")
                t.keys("\r")
                t.see(lambda text: "*" not in text)
            gives_up(t, "ermission denied", "esc")


# --- whose keys they are

def asks_on_loss(ctx, host, p):
    """A client's configuration by way of the proxy, to a server that wants a password each time."""
    config = ctx.client(host, known=host.known(name="[127.0.0.1]:%d" % p.port))
    server.write(config, server.read(config).replace("Port %d" % host.port, "Port %d" % p.port) + "\n")
    return config


@case(params=WAYS, sample=1)
def app_loss_asks(ctx, way):
    """A lost link that wants a password again takes no key of the view: a line says it, and r opens the box."""
    path = report(ctx)
    ctx.secrets.append(SECRET)
    with server.AuthServer(ctx, "password=" + SECRET) as host, proxy.Proxy(host.port) as p:
        config = asks_on_loss(ctx, host, p)
        with App(ctx, way, config, path, size=(120, 40)) as t:
            t.see("assword")
            t.keys(SECRET + "\r")
            t.see("tiles 16")
            p.cut()
            t.see("there wants a password  r: answer  C-c: stop")
            expect("password: " not in t.pty.text(), None, "a box has opened by itself")
            t.keys("8")                             # the view's
            t.see("400 variables")
            t.keys("j", "3")
            t.see(lambda text: "Memory of each tile" in text and "wants a password" in text)
            t.keys("r")
            t.see("password: ")
            t.keys("wrong\r")
            t.see("not accepted" if way == "libssh" else "once more")
            t.keys(SECRET + "\r")
            t.see(lambda text: way + " " in text.split("\n")[0] and "assword" not in text)
            p.cut()
            t.see("there wants a password")
            t.keys("C-c")                           # nobody has to answer
            t.see("No connection, r: connect again")
            t.keys("r")                             # asked for: a box
            t.see("password: ")
            t.keys("esc")
            t.see(lambda text: "password: " not in text)
            t.leaves()


@case()
def app_keys_behind_an_answer(ctx):
    """While the host has not said what becomes of an answer, and when that was in vain, what is typed is nobody's."""
    path = report(ctx)
    ctx.secrets.append(SECRET)
    with server.AuthServer(ctx, "password=" + SECRET) as host, proxy.Proxy(host.port) as p:
        config = asks_on_loss(ctx, host, p)
        with App(ctx, "libssh", config, path, size=(120, 40), host="") as t:
            t.see("tiles 16")
            t.keys(":open there:%s\r" % path)
            t.see("password: ")
            for i in range(3):
                p.stall()
                t.keys("wrong\r")
                t.see("Esc: do not connect")
                t.see(lambda text: "password: " not in text)
                t.keys("Q\rq:quit\r")               # a view would end the program
                t.taken()
                p.resume()
                t.see("password: " if i < 2 else "Esc: go on without")
                expect("*" not in t.pty.text(), None, "typed before it was asked")
            t.see("denied")
            t.keys("Q\rq:quit\r")
            t.taken()
            t.see("Esc: go on without")
            t.keys("esc")
            t.see(lambda text: "Esc: go on without" not in text and "tiles 16" in text)
            t.keys(":open there:%s\r" % path)
            t.see("password: ")
            t.keys(SECRET + "\r")
            t.see(lambda text: text.startswith(" there:") and "tiles 16" in text)
            t.leaves()


@case()
def app_hangs_up_while_asked(ctx):
    """A host that does not wait for the answer: the rest of it is nobody's."""
    path = report(ctx)
    with server.Sshd(ctx.dir, options=["LoginGraceTime 600"]) as sshd, proxy.Proxy(sshd.port) as p:
        with App(ctx, "libssh", through(ctx, sshd, p, passphrase=SECRET), path) as t:
            t.see("passphrase: ")
            t.keys("correct")
            t.see("passphrase: *******")
            p.cut()
            gives_up(t, "did not wait", "esc")


def core_limit(t):
    """Bytes of core that the running program may leave: words of /proc."""
    with open("/proc/%d/limits" % t.pty.pid) as f:
        return [line.split()[4:6] for line in f if line.startswith("Max core file size")][0]


@case()
def app_no_core(ctx):
    """From the first secret on no file gets what is in memory."""
    path = report(ctx)
    ctx.secrets.append(SECRET)
    if resource.getrlimit(resource.RLIMIT_CORE)[1] == 0:
        try:
            resource.setrlimit(resource.RLIMIT_CORE, (resource.RLIM_INFINITY,) * 2)
        except (ValueError, OSError):
            raise Skipped("no core can be written here, whatever the program does (ulimit -H -c is 0)")
    with server.AuthServer(ctx, "password=" + SECRET) as host:
        with App(ctx, "libssh", ctx.client(host), path) as t:
            t.see("Password of")
            expect(core_limit(t) == ["0", "0"], None, "a core may be written: %s" % core_limit(t))
            t.keys(SECRET + "\r")
            t.see("tiles 16")
            expect(core_limit(t) == ["0", "0"], None, "a core may be written: %s" % core_limit(t))
            t.leaves()
    os.unlink(ctx.known)
    with server.Sshd(ctx.dir) as sshd:              # nobody types anything
        with App(ctx, "libssh", known_to(ctx, sshd), path) as t:
            t.see("tiles 16")
            expect(core_limit(t) != ["0", "0"], None, "no core though there is no secret")
            t.leaves()


@case(depth=FULL)
def app_fifth_host(ctx):
    """The place of one whose agent hangs is taken without waiting for it."""
    path = report(ctx)
    key, line = ctx.key("key")
    with server.Sshd(ctx.dir) as sshd, socket.socket(socket.AF_UNIX) as agent:
        sshd.allow(line)
        agent.bind(ctx.path("agent"))
        agent.listen(8)                             # and nobody ever answers
        config = ctx.client(sshd, keys=[key])
        text = server.read(config)
        hosts = ["there"] + ["there%d" % i for i in range(2, 6)]
        server.write(config, "\n".join(
            text.replace("Host there\n", "Host %s\n" % h).replace(
                "IdentityAgent none", "IdentityAgent %s" % ctx.path("agent") if h == "there" else "IdentityAgent none")
            for h in hosts) + "\n")
        with App(ctx, "libssh", config, path, size=(120, 40)) as t:
            t.see("Connecting to there")
            agent.settimeout(20)
            held = [agent.accept()]                 # it asks its agent
            t.keys("C-c")
            t.see("cancelled")
            for h in hosts[1:]:
                t.keys(":open %s:%s\r" % (h, path))
                t.see(lambda text: "libssh " in text.split("\n")[0] and ":open" not in text)
            t.keys("3")
            t.see("Memory of each tile")
            t.keys("Q")
            t.ends(0)


@case()
def app_codes(ctx):
    """Several prompts: what may be seen is."""
    path = report(ctx)
    with server.AuthServer(ctx, "questions=alpha:beta:gamma") as host:
        with App(ctx, "libssh", ctx.client(host), path) as t:
            t.see("Code one")
            t.keys("alpha")
            t.see("answer: *****")
            t.keys("\r")
            t.see("Code two")
            t.keys("beta")
            t.see("answer: beta")
            t.keys("\r")
            t.see("Code three")
            t.keys("gamma\r")
            t.see("tiles 16")
            t.leaves()


@case(params=WAYS, sample=1, smoke=1)
def app_passphrase(ctx, way):
    path = report(ctx)
    with server.Sshd(ctx.dir) as sshd:
        config = known_to(ctx, sshd, passphrase=SECRET)
        with App(ctx, way, config, path) as t:
            t.see("Passphrase")
            t.keys("wrong\r")
            t.see("not accepted")
            t.keys(SECRET + "\r")
            t.see("tiles 16")
            t.leaves()


@case()
def app_asked_once_more(ctx):
    """ssh asks for a passphrase that was wrong in the same words; the box says that it is once more."""
    path = report(ctx)
    with server.Sshd(ctx.dir) as sshd:
        config = known_to(ctx, sshd, passphrase=SECRET)
        with App(ctx, "ssh", config, path) as t:
            t.see("passphrase")
            expect("once more" not in t.pty.text(), None, "once more though it is the first time")
            t.keys("wrong\r")
            t.see("Asked once more: it was not accepted")
            t.keys(SECRET + "\r")
            t.see("tiles 16")
            t.leaves()


@case(params=WAYS, sample=1, smoke=1)
def app_unknown_host(ctx, way):
    """Enter is no, and so is no; another word is asked for again; yes, or the fingerprint as a whole, is kept."""
    path = report(ctx)
    key, line = ctx.key("key")
    with server.Sshd(ctx.dir) as sshd:
        sshd.allow(line)
        config = ctx.client(sshd, known=False, keys=[key])
        for text in ("", "no"):
            with App(ctx, way, config, path) as t:
                t.see("SHA256:")
                t.see(lambda text: "Unknown host" in text and "[no]" in text)
                t.keys(text + "\r")
                t.ends(5)
        shown = fingerprint(sshd.keys["ed25519"])
        with App(ctx, way, config, path) as t:
            t.see("[no]")
            for text in ("y", "yes please", shown[:-1], shown.lower(), shown + "x", "SHA256:"):
                t.keys(text)
                t.see("[no]: " + text[:20])
                t.keys("\r")
                t.see(lambda text: "Please type 'yes', 'no' or the fingerprint" in text and "[no]:   " in text)
            t.keys("esc")
            t.see(lambda text: "[no]" not in text)
            t.leaves()
        expect(not os.path.exists(ctx.known), None, "a key was kept")
        expect("Accepted" not in sshd.said(), None, "logged in: %s" % sshd.said())
        for text in ("yes", " " + shown + " "):
            with App(ctx, way, config, path) as t:
                t.see("[no]")
                t.keys("maybe\r")
                t.see("Please type")
                t.keys(text + "\r")
                t.see("tiles 16")
                t.leaves()
            expect(sshd.keys["ed25519"].split()[1] in server.read(ctx.known), None, "not kept")
            if text == "yes":
                os.unlink(ctx.known)
        with App(ctx, way, config, path) as t:
            t.see("tiles 16")
            t.leaves()


@case(params=WAYS, sample=1)
def app_changed_key(ctx, way):
    """Refused, with the line of the old one."""
    path = report(ctx)
    other = server.make_key(ctx.path("other"))
    key, line = ctx.key("key")
    with server.Sshd(ctx.dir) as sshd:
        sshd.allow(line)
        config = ctx.client(sshd, known="# one\n[127.0.0.1]:%d %s\n" % (sshd.port, other), keys=[key])
        with App(ctx, way, config, path) as t:
            t.ends(5)
            expect("known_hosts:2" in t.pty.raw.decode("utf-8", "replace").replace("\r\n", ""), None,
                   "not said where: %r" % t.pty.raw[-600:])


@case(params=WAYS, sample=1)
def app_question_given_up(ctx, way):
    """Esc ends the attempt; r asks anew; the program leaves while it is asked."""
    path = report(ctx)
    with server.Sshd(ctx.dir) as sshd:
        config = known_to(ctx, sshd, passphrase=SECRET)
        with App(ctx, way, config, path) as t:
            t.see("Passphrase")
            t.keys("esc")
            t.see("cancelled")
            t.keys("r")
            t.see("Passphrase")
            t.pty.kill(15)
            t.ends(130)


@case(params=WAYS, sample=1)
def app_leaves_while_connecting(ctx, way):
    """A host that says nothing: C-c, r, and q do what they say."""
    path = report(ctx)
    with server.Sshd(ctx.dir) as sshd, proxy.Proxy(sshd.port) as p:
        config = through(ctx, sshd, p)
        p.stall()
        with App(ctx, way, config, path) as t:
            t.see("Connecting to there")
            t.keys("C-c")
            t.see("cancelled")
            p.resume()
            t.keys("r")
            t.see("tiles 16")
            t.leaves()
        p.stall()
        with App(ctx, way, config, path) as t:
            t.see("Connecting to there")
            t.keys("q")
            t.ends(0)


@case()
def app_tiles_while_connecting(ctx):
    """Tiles and changes that are asked for before the report is there come into force when it is."""
    path = report(ctx)
    with server.Sshd(ctx.dir) as sshd, proxy.Proxy(sshd.port) as p:
        config = through(ctx, sshd, p)
        p.stall()
        with App(ctx, "libssh", config, path, size=(120, 40)) as t:
            t.see("Connecting to there")
            t.keys(":", "tiles 0-3", "\r")
            t.taken()
            p.resume()
            t.keys("3")
            t.see("selected 4 tiles")
            t.leaves()


@case()
def app_filter_while_connecting(ctx):
    """A filter may be typed before there are rows: its letters are no keys, and it is in force when they are there."""
    path = report(ctx)
    with server.Sshd(ctx.dir) as sshd, proxy.Proxy(sshd.port) as p:
        config = through(ctx, sshd, p)
        p.stall()
        with App(ctx, "libssh", config, path, size=(80, 24)) as t:
            t.see("Connecting to there")
            t.keys("3", ")", "\t", "&", "weightDecay", "\r")
            t.see("3 keys wait for what is being read")
            p.resume()
            t.see("weightDecay")
            t.leaves()


@case(params=WAYS, sample=1, smoke=1)
def app_loss(ctx, way):
    """The screen stays; what was asked meanwhile comes when the link is back; attempts are stopped and begun by keys."""
    path = report(ctx)
    shutil.copytree(path, ctx.path("other"))
    with server.Sshd(ctx.dir) as sshd, proxy.Proxy(sshd.port) as p:
        config = through(ctx, sshd, p)
        with App(ctx, way, config, path, size=(120, 40)) as t:
            t.see("tiles 16")
            p.refuse()
            p.cut()
            t.see("Reconnecting to there, attempt")
            t.see(lambda text: "tiles 16" in text and "C-c: stop" in text)
            t.keys("8")
            t.see(lambda text: "400 variables" in text and "Reconnecting" in text)
            t.keys(":open there:%s\r" % ctx.path("other"))
            t.see(lambda text: ":open" not in text)
            p.resume()
            t.see(lambda text: "Reconnecting" not in text and "other" in text.split("\n")[0])
            p.refuse()
            p.cut()
            t.see("Reconnecting to there, attempt")
            t.keys("C-c")
            t.see("No connection, r: connect again")
            t.keys("r")
            t.see("Reconnecting to there, attempt ")
            expect("attempt 0" not in t.pty.text(), None, "an attempt of number 0")
            p.resume()
            t.see(lambda text: "No connection" not in text and "Reconnecting" not in text and way + " " in text.split("\n")[0])
            p.refuse()
            p.cut()
            t.see("Reconnecting to there, attempt")
            t.keys("q")
            t.ends(0)


@case()
def app_index_is_asked_for(ctx):
    """Nothing reads a far report whole until somebody says so; then it is kept, and used the next time."""
    path = report(ctx)
    cache = ctx.path("kept")
    with server.Sshd(ctx.dir) as sshd:
        config = known_to(ctx, sshd)
        with App(ctx, "libssh", config, path, "--cache", cache, size=(120, 40)) as t:
            t.see("until :index")
            t.keys("J")
            t.see(":index does it")
            t.see("round trips")
            t.keys(":index\r")
            t.see(lambda text: text.count("ready") >= 3)
            t.see("the index is there")
            t.keys("Q")
            t.ends(0)
        with App(ctx, "libssh", config, path, "--cache", cache, size=(120, 40)) as t:
            t.see("tiles 16")
            t.keys("J")
            t.see(lambda text: text.count("ready") >= 3)
            t.keys("Q")
            t.ends(0)


@case()
def app_cache_cleared(ctx):
    """cache clear leaves the blocks that the running program uses, and says so; it reads on, and they go when it has ended."""
    path, cache = report(ctx, 150000), ctx.path("kept")
    program = os.path.join(ctx.builddir, "tilescope")
    with server.Sshd(ctx.dir) as sshd:
        with App(ctx, "libssh", known_to(ctx, sshd), path, "--cache", cache, size=(120, 40)) as t:
            t.see("tiles 16")
            t.keys("J")
            t.rests()
            res = ctx.run(program, "cache", "clear", "--cache", cache)
            expect(res.rc == 0 and "left: 1, in use or not removable" in res.out, res, "not said that it is left")
            res = ctx.run(program, "cache", "list", "--cache", cache)
            expect("there:" + path in res.out, res, "not there any more")
            t.keys("8", "G")
            t.see(lambda text: "150,000 variables" in text and "⋯" not in text and "could not be read" not in text)
            t.keys("Q")
            t.ends(0)
        res = ctx.run(program, "cache", "clear", "--cache", cache)
        expect("blocks of 1 file of other hosts" in res.out and "left" not in res.out, res, "not removed")
        res = ctx.run(program, "cache", "list", "--cache", cache)
        expect("nothing is kept" in res.out, res, "something is left")


@case(params=["replaced", "gone"], sample=1)
def app_another_file(ctx, what):
    """What happened to the file while the link was cut is said."""
    path = report(ctx)
    file = os.path.join(path, "report.tilescope")
    with server.Sshd(ctx.dir) as sshd, proxy.Proxy(sshd.port) as p:
        config = through(ctx, sshd, p)
        with App(ctx, "libssh", config, path, size=(120, 40)) as t:
            t.see("tiles 16")
            t.keys("J")
            t.rests()               # the other parts are read in the background: that reading would find the new file
            p.refuse()
            p.cut()
            t.see("Reconnecting to there, attempt")
            if what == "replaced":
                with open(file, "ab") as f:
                    f.write(b"more")
                os.utime(file, (1, 1))
            else:
                os.rename(file, file + ".x")
            p.resume()
            t.see("Chang")
            t.see("report.tilescope" if what == "replaced" else "report.tilescope (gone)")
            t.keys("Q")
            t.ends(0)


def replaced(path, other):
    """The files of a report become those of another one, as a run that ends makes them."""
    for name in os.listdir(other):
        os.replace(os.path.join(other, name), os.path.join(path, name))


@case(params=WAYS, depth=FULL)
def app_replaced_variables(ctx, way):
    """What needed the old file says why it is not there, instead of waiting for ever; r reads the new one."""
    path = report(ctx, 1500000, 64)
    os.rename(path, ctx.path("first"))
    other = report(ctx, 160000)
    os.rename(other, ctx.path("second"))
    os.rename(ctx.path("first"), path)
    with server.Sshd(ctx.dir) as sshd, proxy.Proxy(sshd.port) as p:
        with App(ctx, way, through(ctx, sshd, p), path, size=(120, 40)) as t:
            t.see("tiles 64")
            t.keys("J")
            t.rests()
            p.refuse()
            p.cut()
            t.see("Reconnecting to there, attempt")
            replaced(path, ctx.path("second"))
            p.resume()
            t.see("Changed, r reads the report again: profile.pop")
            t.keys("8")
            t.see("The report was replaced on its host, r: read it again  (the file was changed or replaced meanwhile)")
            t.see("This could not be read: the file was changed or replaced meanwhile")
            t.taken()
            expect("waiting" not in t.pty.text() and "filtered" not in t.pty.text(), None, "still waiting:\n" + t.pty.text())
            t.keys("r")
            t.see(lambda text: "replaced" not in text and "160,000 variables" in text)
            t.leaves()


def with_archive(ctx, name, tiles):
    """A report whose archive.a is large and has no symbol table: of a host it is read when somebody asks for it."""
    path = ctx.path(name)
    res = ctx.run(os.path.join(ctx.builddir, "tilescope"), "demo", "--ipus", "1", "--tiles", str(tiles), "--layout", "store",
                  "--steps", "60", "--variables", "400", path)
    expect(res.rc == 0, res, "no report")
    size = 9 << 20
    with open(os.path.join(path, "archive.a"), "ab") as f:
        f.write(b"%-16s%-12s%-6s%-6s%-8s%-10d`\n" % (b"large/", b"0", b"0", b"0", b"644", size))
        f.truncate(f.tell() + size)
    return path


@case(params=["same", "replaced"], sample=1)
def app_archive_of_another(ctx, what):
    """archive.a is read when the report was replaced: it is not compared with the profile that is still shown. Of the same report it is."""
    path, other = with_archive(ctx, "report", 16), with_archive(ctx, "other", 24)
    if what == "same":
        shutil.copy(os.path.join(other, "archive.a"), os.path.join(path, "archive.a"))
    with server.Sshd(ctx.dir) as sshd:
        with App(ctx, "libssh", known_to(ctx, sshd), path, size=(120, 40)) as t:
            t.see("tiles 16")
            t.keys("J")
            t.rests()
            t.keys("3", ":tab code\r")
            t.see("archive.a has no symbol table: ")
            if what == "replaced":
                replaced(path, other)
            t.keys("\t", "\r")
            t.see(lambda text: "no symbol table: " not in text and "being read" not in text)
            t.keys("J")
            t.rests()
            t.keys("M")
            t.see(lambda text: "archive.a" in text)
            compared = "not in the profile" in t.pty.text()
            expect(compared == (what == "same"), None, "compared: %s\n%s" % (compared, t.pty.text()))
            t.keys("Q")
            t.ends(0)


def as_another(ctx, sshd, p):
    """A client's configuration for a user of that host who may not read everything; root may."""
    path, line = ctx.key("key")
    sshd.allow(line)
    config = ctx.client(sshd, known=sshd.known(name="[127.0.0.1]:%d" % p.port), keys=[path])
    text = server.read(config).replace("Port %d" % sshd.port, "Port %d" % p.port)
    if os.getuid() == 0:
        for d in (ctx.dir, sshd.dir, sshd.authorized):
            os.chmod(d, 0o755)
        above = os.path.dirname(ctx.dir)
        while above.startswith("/tmp/"):    # of the tests, and closed to others
            os.chmod(above, os.stat(above).st_mode & 0o7777 | 0o011)
            above = os.path.dirname(above)
        text = text.replace("User %s" % server.user(), "User nobody")
    server.write(config, text + "\n")
    return config


@case(params=[80, 120], sample=1)
def app_permission_withdrawn(ctx, columns):
    """By a host that runs on: its line says so in full, however long the path; with the permission r reads again."""
    short = report(ctx, 150000)
    path = ctx.path(*["a-directory-with-a-long-name-%d" % i for i in range(5)], "report")
    os.makedirs(os.path.dirname(path))
    os.rename(short, path)
    file = [os.path.join(path, n) for n in os.listdir(path) if n.endswith((".pop", ".tilescope"))][0]
    # slow at first: what is ahead of the screen must not all be here before the way is cut
    with server.Sshd(ctx.dir) as sshd, proxy.Proxy(sshd.port, rate=3e5) as p:
        config = as_another(ctx, sshd, p)
        with App(ctx, "libssh", config, path, size=(columns, 24)) as t:
            t.see("tiles 16")
            p.refuse()
            p.cut()
            t.see("Reconnecting to there, attempt")
            os.chmod(file, 0)
            p.rate = None
            p.resume()
            t.see(lambda text: "Reconnecting" not in text)
            t.keys("8", "G")
            t.see("Permission for the report was withdrawn, r: read it again")
            t.see("denied)")
            expect("gone" not in t.pty.text(), None, "called gone")
            os.chmod(file, 0o644)
            t.keys("r")
            t.see(lambda text: "was withdrawn, r" not in text and "150,000 variables" in text)   # the path has that word, too
            t.leaves()


@case()
def app_directory_closed(ctx):
    """Whether files behind a closed directory are there cannot be told: not gone, but withdrawn; then they are as they were."""
    path = report(ctx)
    file = [n for n in os.listdir(path) if n.endswith((".pop", ".tilescope"))][0]
    with server.Sshd(ctx.dir) as sshd, proxy.Proxy(sshd.port) as p:
        config = as_another(ctx, sshd, p)
        with App(ctx, "libssh", config, path, size=(240, 24)) as t:
            t.see("tiles 16")
            t.keys("J")
            t.rests()               # as in app_another_file
            p.refuse()
            p.cut()
            t.see("Reconnecting to there, attempt")
            os.chmod(path, 0)
            p.resume()
            t.see("Changed, r tries to read it again: %s (permission withdrawn)" % file)
            t.keys("r")
            t.see("denied")
            os.chmod(path, 0o755)
            t.keys("r")
            t.see(lambda text: "withdrawn" not in text and "denied" not in text)
            t.keys("Q")
            t.ends(0)


@case(params=WAYS, sample=1)
def app_server_rebooted(ctx, way):
    """It is away, then nobody listens there, then it is there again: the line says so, and the same report goes on."""
    path = report(ctx)
    with server.Sshd(ctx.dir) as sshd:
        config = known_to(ctx, sshd)
        with App(ctx, way, config, path, size=(160, 24)) as t:
            t.see("tiles 16")
            sshd.stop()
            t.see("Reconnecting to there, attempt")
            t.see("refused)")
            sshd.start()
            t.see(lambda text: "Reconnecting" not in text and way + " " in text.split("\n")[0])
            t.keys("8")
            t.see(lambda text: "400 variables" in text and "Chang" not in text)
            t.leaves()


def by_ssh(text):
    """Whether the first line says that it is connected, by OpenSSH's program."""
    return re.search(r"(?<!lib)ssh ", text.split("\n")[0]) is not None


@case(params=["ssh", "auto"], sample=1)
def app_proxy_jump(ctx, way):
    """Through another host, whose key is another, too: the same report; when that host is gone so is the connection, until it is back."""
    path = report(ctx)
    jump_key, jump_line = ctx.key("jump_key")
    os.makedirs(ctx.path("jump"))
    with server.Sshd(ctx.dir) as sshd, server.Sshd(ctx.path("jump"), options=["PermitOpen 127.0.0.1:%d" % sshd.port]) as jump:
        jump.allow(jump_line)
        key, line = ctx.key("key")
        sshd.allow(line)
        there = server.read(ctx.client(sshd, "ProxyJump jump", known=sshd.known() + jump.known(), keys=[key]))
        config = ctx.client(jump, keys=[jump_key])
        server.write(config, there + "\n" + server.read(config).replace("Host there", "Host jump") + "\n")
        with App(ctx, way, config, path, size=(160, 40)) as t:
            t.see(lambda text: by_ssh(text) and "tiles 16" in text)
            expect("Accepted publickey" in jump.said() and "Accepted publickey" in sshd.said(), None,
                   "not through it:\n%s\n%s" % (jump.said(), sshd.said()))
            behind = sshd.said().count("Accepted publickey")
            before = jump.said().count("Accepted publickey")
            expect(before >= behind, None, "%d times at the first host, %d times behind it" % (before, behind))
            jump.stop()
            t.see("Reconnecting to there, attempt")
            t.see("Connection refused)")        # of the first host, not that ssh's own way there has ended
            jump.start()
            t.see(lambda text: "Reconnecting" not in text)
            t.keys("8")
            t.see(lambda text: "400 variables" in text and "Chang" not in text)
            t.leaves()
        expect(jump.said().count("Accepted publickey") > before, None, "connected anew without the first host")


def master(ctx, config, what):
    """What OpenSSH says of the master of that configuration: `check`, `exit`; None when there is none."""
    res = ctx.run(server.program("ssh"), "-F", config, "-O", what, "there")
    return res.err if res.rc == 0 else None


def told_of(ctx):
    """A file that gets a line with its arguments whenever the ssh returned beside it is run, and that ssh."""
    said, program = ctx.path("said"), ctx.path("ssh")
    server.write(program, "#!/bin/sh\nprintf '%%s ' \"$@\" >>'%s'; echo >>'%s'\nexec %s \"$@\"\n" %
                 (said, said, server.program("ssh")), 0o700)
    return said, program


@case()
def app_dead_master(ctx):
    """A master may be as dead as the link: from the second attempt on ssh is told to connect by itself."""
    path = report(ctx)
    said, program = told_of(ctx)
    with server.Sshd(ctx.dir) as sshd, proxy.Proxy(sshd.port) as p:
        config = through(ctx, sshd, p)
        with App(ctx, "ssh", config, path, size=(160, 40), env={"TS_SSH": program}) as t:
            t.see("tiles 16")
            t.keys("J")
            t.rests()
            before = server.read(said).splitlines()
            p.refuse()
            p.cut()
            t.see("Reconnecting to there, attempt 3")
            p.resume()
            t.see(lambda text: "Reconnecting" not in text)
            t.keys("8")
            t.see(lambda text: "400 variables" in text and "Chang" not in text)
            t.leaves()
        after = server.read(said).splitlines()[len(before):]
    expect(not [line for line in before + after[:1] if "ControlPath" in line], None, "no master may be used: %s" % (before + after[:1]))
    expect(len(after) > 1 and all("-oControlPath=none" in line for line in after[1:]), None, "a master may be used: %s" % after)


@case(params=["ssh", "auto"], sample=1, smoke=1)
def app_master_over_a_loss(ctx, way):
    """All channels are one connection, by the master of the configuration; with the link it ends, and the next one begins another."""
    path = report(ctx, 150000)
    said, program = told_of(ctx)
    # a socket's path has 107 bytes, with what ssh puts behind it while it makes one
    short = tempfile.mkdtemp(prefix="ts-master.", dir=None if len(ctx.dir) < 80 else "/tmp")
    try:
        with server.Sshd(ctx.dir) as sshd, proxy.Proxy(sshd.port) as p:
            config = through(ctx, sshd, p, "ControlMaster auto", "ControlPath %s/m" % short, "ControlPersist 60")
            try:
                with App(ctx, way, config, path, size=(160, 40), env={"TS_SSH": program}) as t:
                    t.see(lambda text: by_ssh(text) and "tiles 16" in text)
                    t.keys("J")
                    t.rests()
                    first = master(ctx, config, "check")
                    expect(first, None, "no master")
                    expect(p.counts()["connections"] == 1, None, "%d connections" % p.counts()["connections"])
                    p.cut()
                    t.see(lambda text: p.counts()["connections"] > 1 and "Reconnecting" not in text)
                    t.keys("8", "G")
                    t.see(lambda text: "150,000 variables" in text and "Chang" not in text and "could not be read" not in text)
                    t.keys("J")
                    t.rests()
                    second = master(ctx, config, "check")
                    # where the first attempt came to the old master's socket, a later one was told to use none (app_dead_master)
                    alone = "ControlPath=none" in server.read(said).splitlines()[-1]
                    expect(second is None if alone else second and second != first, None,
                           "the master is %r, before it was %r; alone: %r" % (second, first, alone))
                    t.keys("Q")
                    t.ends(0)
                accepted = sshd.said().count("Accepted publickey")
                expect(accepted == 2, None, "%d connections, not 2" % accepted)
                expect(master(ctx, config, "check") == second, None, "the master did not outlive the program")
            finally:
                master(ctx, config, "exit")
            end = time.monotonic() + LIMIT
            while os.listdir(short):
                expect(time.monotonic() < end, None, "the master did not end")
                time.sleep(0.02)
    finally:
        shutil.rmtree(short, ignore_errors=True)


@case(params=[way + link for way in WAYS for link in ("-link-cut", "-link-there")], sample=1)
def app_asleep(ctx, how):
    """An hour of sleep, in which the link was cut or not: it is said, the host is connected anew, and work goes on from what is here."""
    way, link = how.split("-", 1)
    path = report(ctx, 150000)
    clock = ctx.path("slept")
    server.write(clock, "0")
    with server.Sshd(ctx.dir) as sshd, proxy.Proxy(sshd.port) as p:
        config = through(ctx, sshd, p)
        with App(ctx, way, config, path, size=(80 if link == "link-cut" else 160, 40), program="tests/remote/asleep", env={"TILESCOPE_TEST_SLEPT": clock}) as t:
            t.see("tiles 16")
            t.keys("8")
            t.see("150,000 variables")
            t.keys("J")
            t.rests()
            before = p.counts()
            p.refuse()
            server.write(clock, "3600")
            if link == "link-cut":
                p.cut()
            else:
                t.keys("8", "G")                # who comes back presses a key
            t.see(lambda text: re.search(r"^ ?Reconnecting to there, attempt \d+( in \d+ s)?  C-c: stop  \(this machine slept 60 min\)",
                                         text.split("\n")[1]))
            p.resume()
            t.see("this machine slept 60 min: connected to there again")
            t.keys("8", "J")
            t.rests()
            t.keys("8", "G")
            t.see(lambda text: "Reconnecting" not in text and "150,000" in text and "Chang" not in text)
            t.keys("M")
            t.see("the connection was lost: this machine slept 60 min")
            t.keys("Q")
            t.ends(0)
        after = p.counts()
        expect(after["connections"] > before["connections"], None, "on the same connection")
        expect(after["received"] - before["received"] < before["received"], None,
               "%d bytes came anew, after %d" % (after["received"] - before["received"], before["received"]))


@case()
def app_nap(ctx):
    """Ten seconds of sleep are outlived: nothing is said, and nothing connected anew."""
    path = report(ctx, 150000)
    clock = ctx.path("slept")
    server.write(clock, "0")
    with server.Sshd(ctx.dir) as sshd, proxy.Proxy(sshd.port) as p:
        with App(ctx, "libssh", through(ctx, sshd, p), path, program="tests/remote/asleep",
                 env={"TILESCOPE_TEST_SLEPT": clock}, size=(160, 40)) as t:
            t.see("tiles 16")
            t.keys("J")
            t.rests()
            server.write(clock, "10")
            t.keys("8", "G")
            t.see("150,000 variables")
            expect("slept" not in t.pty.text(), None, "said though it was short")
            t.keys("Q")
            t.ends(0)
        expect(p.counts()["connections"] == 1, None, "connected anew")


@case()
def app_read_again_after_refused(ctx):
    """A file that could not be opened again, and is there again as it was: r reads it, on the same connection."""
    path = report(ctx, 800000)      # so many that nobody reads them all unasked: they cannot be here already
    file = os.path.join(path, "profile.pop")
    with server.Sshd(ctx.dir) as sshd, proxy.Proxy(sshd.port) as p:
        config = through(ctx, sshd, p)
        with App(ctx, "libssh", config, path, size=(120, 40)) as t:
            t.see("tiles 16")
            p.refuse()
            p.cut()
            t.see("Reconnecting to there, attempt")
            os.rename(file, file + ".x")
            p.resume()
            t.see("profile.pop (gone)")
            t.keys("8", "G")
            t.see("The report is not on its host any more")
            os.rename(file + ".x", file)
            t.keys("r")
            t.see(lambda text: "not on its host" not in text and "(gone)" not in text and " variables, " in text)
            t.see("the report was read again")
            t.leaves()
        expect(p.counts()["connections"] <= 4, None, "it has connected anew to read it again")


@case()
def app_verb_says_something(ctx):
    """A line that a verb writes while it shows progress takes the place of that."""
    path = report(ctx, 800000)
    with server.Sshd(ctx.dir) as sshd, proxy.Proxy(sshd.port, rate=4e6) as p:
        config = through(ctx, sshd, p, "CheckHostIP yes")
        pty = terminal.Pty([os.path.join(ctx.builddir, "tilescope"), "check"] + words(ctx, "libssh", config, path) + ["there:" + path],
                           ctx.env(TERM="xterm-256color"), size=(240, 24), cwd=ctx.dir, redirect={1: "/dev/null"})
        t = Seen(pty)
        try:
            t.see(" rows")
            t.see(lambda text: text.count("leaves out") == 2)       # of the second path, behind the progress of the first
            said = [line for line in pty.text().split("\n") if "leaves out" in line]
            expect(all(line.startswith("tilescope: there:") for line in said), None, "behind progress: %s" % said)
        finally:
            pty.close()


@case(params=WAYS, sample=1, cost=40)
def app_verb_connects(ctx, way):
    """On a terminal a verb says that it connects, and that it connects again; why it ends stands on a line of its own. Not in a pipe."""
    path = report(ctx, 800000)
    with server.Sshd(ctx.dir) as sshd, proxy.Proxy(sshd.port, rate=1e6) as p:
        config = through(ctx, sshd, p)
        p.stall()
        pty = terminal.Pty([os.path.join(ctx.builddir, "tilescope"), "summary"] + words(ctx, way, config, path),
                           ctx.env(TERM="xterm-256color"), size=(120, 24), cwd=ctx.dir, redirect={1: "/dev/null"})
        t = Seen(pty)
        try:
            t.see(lambda text: re.search(r"tilescope  connecting to there, \d+ s \(C-c stops\)", text))
            p.resume()
            t.see(" rows")
            expect("connecting" not in pty.text(), None, "it still says so: %s" % pty.text())
            p.refuse()
            p.cut()
            t.see("tilescope  connecting to there again, ")
            pty.expect_end(5, LIMIT)
            lines = [line.split(b"\r")[-1].replace(b"\x1b[K", b"") for line in pty.raw.replace(b"\r\n", b"\n").split(b"\n")]
            said = [line for line in lines if b"tilescope: there:" in line]
            expect(len(said) == 1 and said[0].startswith(b"tilescope: there:"), None, "on one line: %r" % pty.raw[-300:])
        except terminal.Failed as e:
            raise Failed(str(e))
        finally:
            pty.close()
        p.resume()
        p.rate, p.rtt = None, 0.3
        res = ctx.run(os.path.join(ctx.builddir, "tilescope"), "schema", *words(ctx, way, config, path))
        expect(res.rc == 0 and res.err == "", res, "progress in a pipe")


@case()
def app_verb_is_stopped(ctx):
    """C-c in a verb: the line of its progress is ended, and why it ends has a line of its own."""
    path = report(ctx, 800000)
    with server.Sshd(ctx.dir) as sshd, proxy.Proxy(sshd.port, rate=1e6) as p:
        config = through(ctx, sshd, p)
        pty = terminal.Pty([os.path.join(ctx.builddir, "tilescope"), "summary"] + words(ctx, "libssh", config, path),
                           ctx.env(TERM="xterm-256color"), size=(120, 24), cwd=ctx.dir, redirect={1: "/dev/null"})
        t = Seen(pty)
        try:
            t.see(" rows")
            p.stall()
            pty.kill(2)
            pty.expect_end(130, LIMIT)
            lines = [line.split(b"\r")[-1] for line in pty.raw.replace(b"\r\n", b"\n").split(b"\n")]
            said = [line for line in lines if line.startswith(b"tilescope: there:")]
            expect(len(said) >= 1 and b" rows" not in said[-1], None, "on one line: %r" % pty.raw[-300:])
            expect(any(b" rows" in line for line in lines), None, "no line of it is left: %r" % pty.raw[-300:])
        except terminal.Failed as e:
            raise Failed(str(e))
        finally:
            pty.close()


@case(depth=FULL)
def app_large_passes_are_not_begun(ctx):
    """Of many variables categories are not counted by themselves; the index that was asked for has them."""
    path = report(ctx, 150000)
    with server.Sshd(ctx.dir) as sshd:
        config = known_to(ctx, sshd)
        with App(ctx, "libssh", config, path, "--cache", ctx.path("kept"), size=(120, 40)) as t:
            t.see("not read yet: most of the file would have to come")
            t.see("until :index")
            t.keys(":index\r")
            t.see(lambda text: "most of the file" not in text and "internalExchangeCode" in text)
            t.keys("Q")
            t.ends(0)
