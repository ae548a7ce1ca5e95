# SPDX-License-Identifier: MIT
"""
harness - what the cases of remote hosts share: a directory, a client's configuration, the programs.

Every run is held to these manners: no signal, no sanitizer's report, no secret in what is written.
"""

import os
import signal
import subprocess
import sys

from .. import case as case_module
from ..case import FULL, LIMIT, Failed, Skipped, case  # noqa: F401
from . import server

TIMEOUT = LIMIT
# A process of its own, whose only child is the program: the most memory of that one, in KiB, goes to a file.
MEASURE = """
import os, resource, signal, subprocess, sys
rc = subprocess.call(sys.argv[2:])
with open(sys.argv[1], "w") as out:
    out.write(str(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss))
if rc < 0:
    signal.signal(-rc, signal.SIG_DFL) if -rc != signal.SIGKILL else None
    os.kill(os.getpid(), -rc)
sys.exit(rc)
"""


class Result:
    def __init__(self, args, rc, out, err):
        self.args, self.rc, self.out, self.err = args, rc, out, err

    def lines(self, begin):
        """The rest of the lines that begin so."""
        return [line[len(begin):].strip() for line in self.out.splitlines() if line.startswith(begin)]

    def show(self):
        return "$ %s\nexit %s\n%s%s" % (" ".join(self.args), self.rc, self.out[-3000:], self.err[-1500:])


class Ctx(case_module.Ctx):
    """One case: its directory, and the programs."""

    def __init__(self, *more):
        super().__init__(*more)
        self.known = os.path.join(self.dir, "known_hosts")
        self.secrets = []       # texts that nothing may write

    def client(self, sshd, *lines, known=True, keys=()):
        """A client's configuration for that server, as `Host there`; returns the file."""
        path = self.path("config")
        text = ["Host there", "  HostName 127.0.0.1", "  Port %d" % sshd.port,
                "  User %s" % server.user(), "  UserKnownHostsFile %s" % self.known,
                "  GlobalKnownHostsFile /dev/null"]
        text += ["  IdentityFile %s" % k for k in keys] or ["  IdentityFile none"]
        if not any("IdentityAgent" in line for line in lines):
            text.append("  IdentityAgent none")
        text += ["  " + line for line in lines]
        server.write(path, "\n".join(text) + "\n")
        if known is True:
            known = "".join(sshd.known(k) for k in sshd.keys)
        if known is not False and not os.path.exists(self.known):
            server.write(self.known, known)
        return path

    def key(self, name, kind="ed25519", passphrase="", form=None):
        """A key pair; returns its path, and its public line."""
        path = self.path(name)
        line = server.make_key(path, kind, passphrase, form)
        if passphrase:
            self.secrets.append(passphrase)
        return path, line

    def run(self, *args, timeout=TIMEOUT, env=None, measure=False):
        """Run a program; measure: the most memory that it had, in KiB, is `kib` of the result."""
        args = [os.fspath(a) for a in args]
        before = [sys.executable, "-c", MEASURE, self.path("memory")] if measure else []
        proc = subprocess.Popen(before + args, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE, env=self.env(**(env or {})), cwd=self.dir,
                                start_new_session=True)
        try:
            out, err = proc.communicate(timeout=timeout)
        except subprocess.TimeoutExpired:
            proc.kill()
            proc.communicate()
            raise Failed("no answer within %d s: %s" % (timeout, " ".join(args)))
        res = Result(args, proc.returncode, out.decode("utf-8", "replace"), err.decode("utf-8", "replace"))
        if measure:
            res.kib = int(server.read(self.path("memory")))
        return self.judge(res)

    def judge(self, res):
        if res.rc is not None and res.rc < 0:
            fail(res, "died of signal %s" % signal.Signals(-res.rc).name)
        for mark in ("Sanitizer", "runtime error:", "Assertion"):
            expect(mark not in res.err, res, "%s on standard error" % mark)
        for secret in self.secrets:
            expect(secret not in res.out + res.err, res, "a secret is written")
        return res

    def tool(self, name):
        return os.path.join(self.builddir, "tests", "remote", name)

    def transport(self, *args, config=None, env=None, kind="libssh", host="there", answers=(),
                  measure=False):
        """Connect through a transport from outside; answers: (kind, text), text None: refused."""
        more = ["--config", config] if config else []
        for k, text in answers:
            more += ["--answer", k if text is None else "%s=%s" % (k, text)]
        res = self.run(self.tool("transport_try"), kind, host, *more, *args, env=env, measure=measure)
        res.args = [a for a in res.args if not any(s in a for s in self.secrets)]
        return res


def fail(res, why):
    raise Failed("%s\n%s" % (why, res.show() if res is not None else ""))


def expect(cond, res, why):
    if not cond:
        fail(res, why)


def reached(res, channels=1):
    """It was ready, and so many channels spoke."""
    expect(res.rc == 0, res, "exit status %s, expected 0" % res.rc)
    expect("ready" in res.out.splitlines(), res, "not ready")
    spoke = sum(" version 3" in line for line in res.lines("channel"))
    expect(spoke == channels, res, "%d channels spoke, expected %d" % (spoke, channels))
    return res


def refused(res, *words, good=True):
    """It failed, for good or not, and said these words."""
    expect(res.rc == 5, res, "exit status %s, expected 5" % res.rc)
    lines = res.lines("failed for good:" if good else "failed:")
    expect(len(lines) == 1, res, "it did not fail %s" % ("for good" if good else "so"))
    for w in words:
        expect(w.lower() in lines[0].lower(), res, "the message does not say %r" % w)
    expect("ready" not in res.out.splitlines(), res, "it was ready")
    if "libssh" in res.args:
        expect(lines[0].startswith(("there: ", "there (", server.user() + "@there: ")), res,
               "the host is not called as it was typed")
    return lines[0]
