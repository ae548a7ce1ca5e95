# SPDX-License-Identifier: MIT
"""The connection itself."""

import os
import socket

from . import proxy
from . import server
from .harness import case, expect, reached, refused


def ready(ctx, sshd, *lines):
    path, line = ctx.key("key")
    sshd.allow(line)
    return ctx.client(sshd, *lines, keys=[path])


def total(data):
    """What transport_try sums up."""
    return sum((i + 1) * b for i, b in enumerate(data)) & 0xffffffff


@case()
def which_way(ctx):
    """libssh, unless the configuration says what only ssh can do."""
    with server.Sshd(ctx.dir) as sshd:
        config = ready(ctx, sshd)
        res = reached(ctx.transport(config=config, kind="auto"))
        expect(res.lines("by ") == ["libssh"], res, "not libssh")
        server.write(config, server.read(config) + "\n  HostKeyAlias another\n")
        server.write(ctx.known, sshd.known(name="another"))
        res = reached(ctx.transport(config=config, kind="auto"))
        expect(res.lines("by ") == ["ssh"], res, "not ssh")
        res = ctx.transport(config=config)
        refused(res, "unknown host")


@case(params=["libssh/1", "libssh/3", "libssh/8", "ssh/1", "ssh/3"], sample=2, smoke=1)
def channels(ctx, way):
    """Channels read a file together: of one session, or each a child."""
    kind, count = way.split("/")
    count = int(count)
    data = os.urandom(3 * 1000 * 1000 + 17)
    with server.Sshd(ctx.dir) as sshd:
        with open(os.path.join(sshd.home, "data"), "wb") as f:
            f.write(data)
        config = ready(ctx, sshd)
        res = reached(ctx.transport("--channels", str(count), "--read", "data", config=config, kind=kind), count)
        expect(res.lines("read ") == ["%d %d" % (len(data), total(data))], res, "other bytes")
        expect(sshd.said().count("Accepted publickey") == (1 if kind == "libssh" else count), res, "more than one session")


@case()
def few_sessions(ctx):
    """A server that allows two channels: the others end, the transport does not."""
    with server.Sshd(ctx.dir, options=["MaxSessions 2"]) as sshd:
        res = ctx.transport("--channels", "5", config=ready(ctx, sshd))
        expect(res.rc == 0, res, "exit status")
        expect(sum(" version 3" in line for line in res.lines("channel")) == 2, res, "two channels")
        expect(sum(" ended: " in line for line in res.lines("channel")) == 3, res, "three have ended")


@case()
def no_sftp(ctx):
    """A host without an SFTP server: said, not waited for."""
    with server.Sshd(ctx.dir, options=["Subsystem sftp /nowhere/sftp"]) as sshd:
        res = ctx.transport(config=ready(ctx, sshd))
        expect(res.rc == 0 and "ready" in res.out, res, "the session is there")
        expect(any(" ended: " in line for line in res.lines("channel")), res, "the channel has not ended")


@case()
def nobody_listens(ctx):
    port = server.free_port()
    server.write(ctx.path("config"), "Host there\nHostName 127.0.0.1\nPort %d\n" % port)
    refused(ctx.transport(config=ctx.path("config")), "refused", good=False)


@case()
def no_such_name(ctx):
    # the C library's answer to a look-up that has ended late may be in nobody's hands: a leak of its own
    server.write(ctx.path("leaks"), "leak:__res_context_send\n")
    lenient = {"LSAN_OPTIONS": "print_suppressions=0:suppressions=" + ctx.path("leaks")}
    server.write(ctx.path("config"), "Host there\nHostName no-such-host.invalid\n")
    refused(ctx.transport(config=ctx.path("config"), env=lenient), "looked up", good=False)


@case()
def second_address(ctx):
    """localhost has two addresses; the server listens on one of them."""
    path, line = ctx.key("key")
    with server.Sshd(ctx.dir) as sshd:
        sshd.allow(line)
        config = ctx.client(sshd, known=sshd.known(name="[localhost]:%d" % sshd.port), keys=[path])
        server.write(config, server.read(config).replace("HostName 127.0.0.1", "HostName localhost"))
        reached(ctx.transport(config=config))


@case(params=["silent", "noise", "closes", "endless", "http"], sample=2)
def no_ssh_server(ctx, how):
    """Something else answers there, or nothing."""
    listener = socket.socket()
    listener.bind(("127.0.0.1", 0))
    listener.listen(5)
    pid = os.fork()
    if pid == 0:
        try:
            peer, _ = listener.accept()
            if how == "noise":
                peer.sendall(os.urandom(5000))
            elif how == "http":
                peer.sendall(b"HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n")
            elif how == "endless":
                while True:
                    peer.sendall(b"A" * 65536)
            elif how == "silent":
                peer.recv(1 << 16)
                while peer.recv(1 << 16):
                    pass
        finally:
            os._exit(0)
    port = listener.getsockname()[1]
    listener.close()
    server.write(ctx.path("config"), "Host there\nHostName 127.0.0.1\nPort %d\n" % port)
    res = ctx.transport("--timeout", "2", config=ctx.path("config"))
    refused(res, *(["no answer in time"] if how == "silent" else []), good=False)
    os.kill(pid, 9)
    os.waitpid(pid, 0)


def through(ctx, sshd, proxy, *lines):
    """As ready(), by way of a proxy."""
    path = ctx.path("key")
    if not os.path.exists(path):
        sshd.allow(ctx.key("key")[1])
    config = ctx.client(sshd, *lines, known=sshd.known(name="[127.0.0.1]:%d" % proxy.port), keys=[path])
    server.write(config, server.read(config).replace("Port %d" % sshd.port, "Port %d" % proxy.port))
    return config


@case(params=[0.05])
def turns(ctx, rtt):
    """How often somebody waits for the host, from the connection to the first answer of its SFTP server."""
    with server.Sshd(ctx.dir) as sshd, proxy.Proxy(sshd.port, rtt) as p:
        reached(ctx.transport(config=through(ctx, sshd, p)))
        n = p.counts()
        expect(n["turns"] <= 11, None, "%d turns" % n["turns"])
        expect(n["connections"] == 1, None, "%d connections" % n["connections"])
        reached(ctx.transport("--channels", "8", config=through(ctx, sshd, p)), 8)
        more = p.counts()["turns"] - n["turns"]
        expect(more <= 20, None, "%d turns with eight channels" % more)


@case(params=["libssh", "ssh"], sample=1)
def slow_and_thin(ctx, kind):
    """30 ms and 4 MB/s: the same bytes."""
    data = os.urandom(1 << 20)
    with server.Sshd(ctx.dir) as sshd, proxy.Proxy(sshd.port, 0.03, 4e6) as p:
        with open(os.path.join(sshd.home, "data"), "wb") as f:
            f.write(data)
        res = reached(ctx.transport("--channels", "2", "--read", "data", config=through(ctx, sshd, p),
                                    kind=kind), 2)
        expect(res.lines("read ") == ["%d %d" % (len(data), total(data))], res, "other bytes")


@case(params=[0, 50, 1000, 2500, 5000, 200000], sample=2, smoke=1)
def cut(ctx, after):
    """The link is cut after so many bytes, in the midst of whatever that is: said, not for good."""
    with server.Sshd(ctx.dir) as sshd, proxy.Proxy(sshd.port) as p:
        with open(os.path.join(sshd.home, "data"), "wb") as f:
            f.write(bytes(1 << 22))
        config = through(ctx, sshd, p)
        p.cut_when(after)
        res = ctx.transport("--read", "data", "--hold", "20", config=config)
        expect(res.rc == 5 and len(res.lines("failed:")) == 1, res, "it did not fail so")
        reached(ctx.transport(config=config))


@case()
def stall(ctx):
    """A host that says nothing more while one logs in: the time is over."""
    with server.Sshd(ctx.dir) as sshd, proxy.Proxy(sshd.port) as p:
        config = through(ctx, sshd, p)
        p.stall()
        refused(ctx.transport("--timeout", "1", config=config), "no answer in time", good=False)
        p.resume()
        reached(ctx.transport("--timeout", "60", config=config))


@case()
def hangs_up_at_a_question(ctx):
    """Nobody answers, and the host does not wait any longer."""
    path, line = ctx.key("key", passphrase="open sesame, please")
    with server.Sshd(ctx.dir, options=["LoginGraceTime 2"]) as sshd:
        sshd.allow(line)
        config = ctx.client(sshd, keys=[path])
        res = ctx.transport("--ask", "--late", config=config)
        refused(res, "did not wait", good=False)
        expect(len(res.lines("question")) == 1, res, "not one question")


MODES = ("honest", "length-0", "length-huge", "length-short", "version-2", "no-version", "noise", "closes",
         "endless", "unknown-id", "twice", "wrong-type", "errors", "data-long", "silent")


@case(params=MODES, sample=4, smoke=2)
def hostile_bytes(ctx, mode):
    """Whatever an SFTP server sends, the transport carries it; it ends when it is left."""
    with server.AuthServer(ctx, "password=x", sftp=os.path.join(os.path.dirname(__file__), "hostile.py"),
                           env={"TS_HOSTILE": mode}) as host:
        res = ctx.transport("--ask", "--give-up", "3", config=ctx.client(host), answers=[("password", "x")], measure=True)
        expect("ready" in res.out.splitlines(), res, "not ready")
        # a sanitizer keeps what is freed
        expect(os.environ.get("TS_SANITIZE") or res.kib < 150 * 1024, res, "%d KiB of memory" % res.kib)
