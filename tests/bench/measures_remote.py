# SPDX-License-Identifier: MIT
"""
A report on another host: a private sshd on loopback behind a proxy that delays, questions asked by far_try (tests/remote).

Round trips of the first screen are those that the proxy sees, with connecting; those of later questions are the waits for blocks.
Time on a loopback with a delay is that of a line without an end to its bandwidth.
"""

import contextlib
import os
import shutil
import subprocess
import sys
import tempfile
import time

from engine import Skip, measure

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
from tests.remote import proxy, server  # noqa: E402

RTT = 0.050
BULK = 256 << 20        # as far_try's


class Far:
    """The server, the way to it, and a client's configuration."""

    def __init__(self, b):
        why = server.obstacle()
        if why:
            raise Skip("%s" % why)
        self.tool = os.path.join(os.path.dirname(b.tools), "remote", "far_try")
        if not os.path.exists(self.tool):
            raise Skip("far_try is not built")
        self.b = b
        self.where = tempfile.mkdtemp(prefix="ts-bench.")

    def __enter__(self):
        key = os.path.join(self.where, "key")
        self.sshd = server.Sshd(self.where)
        self.sshd.allow(server.make_key(key))
        self.sshd.start()
        self.way = proxy.Proxy(self.sshd.port, RTT)
        known = os.path.join(self.where, "known")
        server.write(known, self.sshd.known(name="[127.0.0.1]:%d" % self.way.port))
        self.config = os.path.join(self.where, "config")
        server.write(self.config, "Host there\n  HostName 127.0.0.1\n  Port %d\n  User %s\n  UserKnownHostsFile %s\n"
                     "  GlobalKnownHostsFile /dev/null\n  IdentityFile %s\n  IdentityAgent none\n"
                     % (self.way.port, server.user(), known, key))
        return self

    def __exit__(self, *_):
        self.way.stop()
        self.sshd.stop()
        shutil.rmtree(self.where, ignore_errors=True)

    def ask(self, path, *questions):
        """What each question took, and what went through the proxy in all."""
        before = self.way.counts()
        r = subprocess.run([self.tool, "there", path, "--config", self.config, "--keep", os.path.join(self.where, "keep"),
                            "--seed", "7", *questions], env=self.b.env(), stdin=subprocess.DEVNULL,
                           capture_output=True, text=True)
        if r.returncode:
            raise RuntimeError("far_try: %s" % r.stderr.strip())
        after = self.way.counts()
        took = {}
        for line in r.stdout.splitlines():
            words = line.split()
            took[words[0]] = {k: int(v) for k, v in (w.split("=") for w in words[1:]) if k != "answer"}
        return took, {k: after[k] - before[k] for k in after}

    def sftp(self, path):
        """Seconds for a copy by OpenSSH's sftp."""
        began = time.perf_counter()
        r = subprocess.run(["sftp", "-q", "-F", self.config, "there:" + path, "/dev/null"], env=self.b.env(),
                           stdin=subprocess.DEVNULL, capture_output=True)
        return time.perf_counter() - began if r.returncode == 0 else None

    @contextlib.contextmanager
    def sshfs(self):
        """Where all of the host is to be seen by way of sshfs, nothing of it read yet; None where that cannot be."""
        at = os.path.join(self.where, "seen")
        if not self.b.have("sshfs") or not self.b.have("fusermount3"):
            yield None
            return
        os.makedirs(at, exist_ok=True)
        r = subprocess.run(["sshfs", "-F", self.config, "-o", "ro", "there:/", at], env=self.b.env(),
                           stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=60)
        try:
            yield at if r.returncode == 0 else None
        finally:
            if r.returncode == 0:
                subprocess.run(["fusermount3", "-u", "-z", at], env=self.b.env(), check=True)


def read_through(path):
    """Seconds to read a file."""
    began = time.perf_counter()
    with open(path, "rb", buffering=0) as f:
        while f.read(1 << 20):
            pass
    return time.perf_counter() - began


def ms(took):
    return took["us"] / 1e3


# of the Trace, at places here and there: far_try says what they are
TRACE = ("at", "class", "longest", "flame", "stacks", "columns", "bsp", "places")


@measure("remote-first-screen", "remote-first-moved", "remote-first-time", "remote-first-again", "remote-timeline",
         "remote-timeline-time", "remote-jump", "remote-jump-time", "remote-trace")
def questions(b):
    path = b.report()
    with Far(b) as far:
        first, moved = far.ask(path, "--parts", "later", "tiles")
        _, again = far.ask(path, "--parts", "later", "tiles")
        later, _ = far.ask(path, "trace", "interior", "timeline", "jump")
        searches, _ = far.ask(path, "trace", *TRACE)
    return {"remote-first-screen": {"ours": moved["waits"]},
            "remote-first-moved": {"ours": moved["received"] / (1 << 20)},
            "remote-first-time": {"ours": ms(first["open"]) + ms(first["tiles"])},
            "remote-first-again": {"ours": again["waits"]},
            "remote-timeline": {"ours": later["timeline"]["trips"]},
            "remote-timeline-time": {"ours": ms(later["timeline"])},
            "remote-jump": {"ours": later["jump"]["trips"]},
            "remote-jump-time": {"ours": ms(later["jump"]) / 10},
            "remote-trace": {"ours": max(searches[q]["trips"] for q in TRACE)}}


def beginning(b, path):
    """A file with as many bytes as far_try reads of the report."""
    part = os.path.join(b.folder, "bulk-" + b.size)
    want = min(BULK, os.stat(path).st_size)
    if not os.path.exists(part) or os.stat(part).st_size != want:
        with open(path, "rb") as src, open(part, "wb") as dst:
            for _ in range(0, want, 1 << 20):
                dst.write(src.read(1 << 20)[:want - dst.tell()])
    return part, want


@measure("remote-bulk", scales=("100x",))
def bulk(b):
    path = b.report()
    part, n = beginning(b, path)
    scale = BULK / n / 1e3
    with Far(b) as far:
        took, _ = far.ask(path, "bulk")
        peer = far.sftp(part) if b.have("sftp") else None
        with far.sshfs() as seen:
            mounted = read_through(seen + os.path.abspath(part)) if seen else None
    return {"remote-bulk": {"ours": ms(took["bulk"]) * scale, "sftp": peer * scale * 1e3 if peer else None,
                            "sshfs": mounted * scale * 1e3 if mounted else None}}
