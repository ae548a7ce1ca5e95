# SPDX-License-Identifier: MIT
"""The connection itself."""

import os
import socket

import server
from harness import case, expect, reached, refused


def ready(ctx, sshd, *lines):
    path, line = ctx.key("key")
    sshd.allow(line)
    return ctx.client(sshd, *lines, keys=[path])


def total(data):
    """What transport_try sums up."""
    return sum((i + 1) * b for i, b in enumerate(data)) & 0xffffffff


@case(params=[1, 3, 8])
def channels(ctx, count):
    """Channels of one session read a file together."""
    data = os.urandom(3 * 1000 * 1000 + 17)
    with server.Sshd(ctx.dir) as sshd:
        with open(os.path.join(sshd.home, "data"), "wb") as f:
            f.write(data)
        config = ready(ctx, sshd)
        res = reached(ctx.transport("--channels", str(count), "--read", "data", config=config), count)
        expect(res.lines("read ") == ["%d %d" % (len(data), total(data))], res, "other bytes")
        expect(sshd.said().count("Accepted publickey") == 1, res, "more than one session")


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
    server.write(ctx.path("config"), "Host there\nHostName no-such-host.invalid\n")
    refused(ctx.transport(config=ctx.path("config")), "looked up", good=False)


@case()
def second_address(ctx):
    """localhost has two addresses; the server listens on one of them."""
    path, line = ctx.key("key")
    with server.Sshd(ctx.dir) as sshd:
        sshd.allow(line)
        config = ctx.client(sshd, known=sshd.known(name="[localhost]:%d" % sshd.port), keys=[path])
        server.write(config, server.read(config).replace("HostName 127.0.0.1", "HostName localhost"))
        reached(ctx.transport(config=config))


@case(params=["silent", "noise", "closes", "endless", "http"])
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
