# SPDX-License-Identifier: MIT
"""
harness - what the cases of the terminal share.

What a case started is ended after it.
"""

import json
import os
import re
import shlex
import shutil
import subprocess

from .. import case as case_module
from ..case import FULL, LIMIT, Failed, Skipped, case  # noqa: F401
from ..cli.profile_oracle import relations
from .terminal import Pty, Tmux

VIEWS = {"summary": "1", "memory": "3", "liveness": "4", "programs": "5", "operations": "6", "trace": "7", "variables": "8"}
TITLES = {"summary": "Summary", "memory": "Memory", "liveness": "Liveness", "programs": "Programs",
          "operations": "Operations", "trace": "Trace"}
SIZES = [(80, 24), (120, 40), (200, 60), (250, 80)]
# what stands in the bottom line when nothing else does
HINT = "help"


class Ctx(case_module.Ctx):
    """One case: its directory, the program, the reports (made once for all: not to be changed)."""

    term = "xterm-256color"

    def __init__(self, *more):
        super().__init__(*more)
        self.config = os.path.join(self.home, "config", "tilescope")
        os.makedirs(self.config)

    @property
    def demo(self):
        """The report that cases share: of two IPUs with few tiles, for it is opened some hundred times."""
        return self.shared("demo", "--tiles", "368", "--steps", "1500")

    def relations(self, path=None):
        """The relations of a profile, of the shared report when none is named, made apart from the program."""
        return relations(path or os.path.join(self.demo, "profile.pop"))

    def write(self, path, text):
        path = os.path.join(self.dir, path)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "wb") as f:
            f.write(text.encode() if isinstance(text, str) else text)
        return path

    def copy(self, name="report"):
        """A report of one's own, to be changed; the path of its file."""
        to = self.path(name)
        shutil.copytree(self.demo, to)
        return os.path.join(to, "profile.pop")

    def pty(self, *args, size=(80, 24), env=None, wait="help", program=None, **more):
        """The program on a pseudo-terminal; waits until it shows `wait` (None: does not)."""
        t = Pty([program or self.program] + [os.fspath(a) for a in args], self.env(**(env or {})),
                size=size, cwd=more.pop("cwd", self.dir), **more)
        self.running.append(t)
        if wait:
            t.wait(wait)
        return t

    def tmux(self, *args, size=(80, 24), env=None, wait="help", shell=None, before="", **more):
        """
        The program in tmux, in a shell that afterwards says `[exit N]` and the terminal's modes;
        `shell`: an interactive shell instead, where tests type for themselves.
        """
        words = " ".join(shlex.quote(a) for a in [self.program] + [os.fspath(a) for a in args])
        sh = shell or "stty -g >modes-before; %s%s; s=$?; stty -g >modes-after; " \
            "echo \"[exit $s]\"; exec sleep 1000" % (before, words)
        t = Tmux("exec sh -c %s" % shlex.quote(sh) if not shell else shell,
                 self.env(TERM=None, **(env or {})), self.dir, size=size, cwd=self.dir, **more)
        self.running.append(t)
        if wait:
            t.wait(wait)
        return t

    def run(self, *args, env=None, **more):
        return subprocess.run([self.program] + [os.fspath(a) for a in args],
                              env=self.env(**(env or {})), cwd=self.dir, capture_output=True,
                              timeout=LIMIT, **more)

    def summary(self, report):
        r = self.run("summary", "-f", "json", report, stdin=subprocess.DEVNULL)
        expect(r.returncode == 0, "summary: %r" % r.stderr)
        return json.loads(r.stdout)


def expect(truth, why):
    if not truth:
        raise Failed(why)


def digits(text):
    """The numbers on a screen, grouping marks taken out."""
    return set(re.findall(r"\d+(?:\.\d+)?", re.sub(r"(?<=\d),(?=\d{3})", "", text)))


def not_ascii(text):
    return [c for c in text if ord(c) > 126]
