# SPDX-License-Identifier: MIT
"""
session - a terminal program on a pseudo-terminal, timed from outside.

Output is stamped where it arrives; the screen is modelled (../tty/vt.py) only once the terminal
has been quiet, so that modelling delays no stamp.  An answer is over when nothing has come for a
while and no row shows the glyph of rows that are still loading; what changes nothing but the
title row (progress) does not count as part of an answer.
"""

import fcntl
import os
import pty
import re
import select
import signal
import struct
import sys
import termios
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
from tests.tty import vt  # noqa: E402

NAMED = {"up": "\x1bOA", "down": "\x1bOB", "right": "\x1bOC", "left": "\x1bOD", "home": "\x1bOH",
         "end": "\x1bOF", "pgup": "\x1b[5~", "pgdn": "\x1b[6~", "enter": "\r", "tab": "\t",
         "esc": "\x1b", "space": " "}
PENDING = "\u22ef"
QUIET = 0.025           # seconds without output after which an answer is over
SILENT = 0.3            # a key that has drawn nothing by then draws nothing


class Gone(Exception):
    """The program ended, or never showed what it should."""


def keys(spec):
    """'down*3 + C-c ::goto|10' as (word, bytes); *N repeats, '::' begins a text, '|' is a space."""
    out = []
    for word in spec.split():
        m = re.fullmatch(r"(.+?)\*(\d+)", word)
        name, n = (m.group(1), int(m.group(2))) if m else (word, 1)
        if name.startswith("::"):
            code = name[1:].replace("|", " ")
        elif re.fullmatch("C-.", name):
            code = chr(ord(name[2].lower()) & 31)
        else:
            code = NAMED.get(name, name)
        out += [(name, code.encode())] * n
    return out


def schedstat(pid, task):
    """(seconds on a processor, seconds in wait of one) of a thread."""
    try:
        with open("/proc/%s/task/%s/schedstat" % (pid, task)) as f:
            ran, waited = f.read().split()[:2]
        return int(ran) / 1e9, int(waited) / 1e9
    except OSError:
        return 0.0, 0.0


def stolen():
    """Seconds that the host of a virtual machine has taken of its processors, in ticks of a hundredth; else 0."""
    with open("/proc/stat") as f:
        return int(f.readline().split()[8]) / os.sysconf("SC_CLK_TCK")


class Answer:
    def __init__(self, first, last, size, ready):
        self.first, self.last, self.bytes, self.ready = first, last, size, ready
        self.working = False    # did the title tell of work under way when the key was pressed
        self.own = 0.0          # seconds of CPU of the thread that draws
        self.waited = 0.0       # seconds that its threads were ready and had no processor, added up
        self.stolen = 0.0       # seconds of all processors that the host of this machine took meanwhile


class Session:
    """A program as the leader of a session; give it back with close()."""

    def __init__(self, argv, size=(200, 60), env=None, ignore_rows=(0,), quiet=QUIET):
        self.screen = vt.Screen(*size)
        self.ignore = set(ignore_rows)
        self.quiet = quiet
        self.chunks = []
        self.shown = [list(row) for row in self.screen.cells]
        self.ended = False
        self.reaped = None
        self.master, slave = pty.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", size[1], size[0], 0, 0))
        os.set_inheritable(self.master, False)
        name = os.ttyname(slave)
        null = {k: v for k, v in (env or os.environ).items() if v is not None}
        # the first terminal that the leader of a session opens becomes its own
        actions = [(os.POSIX_SPAWN_OPEN, 0, name, os.O_RDWR, 0),
                   (os.POSIX_SPAWN_DUP2, 0, 1), (os.POSIX_SPAWN_DUP2, 0, 2)]
        self.began = time.perf_counter()
        self.pid = os.posix_spawn(argv[0], argv, null, file_actions=actions, setsid=True)
        os.close(slave)

    # ---- reading ----

    def read(self, seconds):
        """Take what comes within so many seconds; False: nothing."""
        if self.ended or not select.select([self.master], [], [], max(0, seconds))[0]:
            return False
        try:
            data = os.read(self.master, 1 << 16)
        except OSError:
            data = b""
        if not data:
            self.ended = True
            return False
        self.chunks.append((time.perf_counter(), data))
        return True

    def model(self, ready=None):
        """Feed what came to the screen: first and last stamp that count, bytes, when `ready`."""
        first = last = when = None
        size = 0
        for stamp, data in self.chunks:
            size += len(data)
            self.screen.feed(data)
            changed = {y for y, row in enumerate(self.screen.cells) if row != self.shown[y]}
            for y in changed:
                self.shown[y] = list(self.screen.cells[y])
            if changed - self.ignore:
                first, last = first or stamp, stamp
            if ready and when is None and ready(self.screen):
                when = stamp
        self.chunks = []
        return first, last, size, when

    def loading(self):
        return any(any(c[0] == PENDING for c in row) for y, row in enumerate(self.screen.cells)
                   if y not in self.ignore)

    def answer(self, since, ready=None, limit=30, silent=None, pending=True):
        """Until it is quiet, was `ready` (a predicate of the screen), and nothing is loading."""
        first = last = when = None
        size = 0
        while time.perf_counter() < since + limit:
            if self.read(self.quiet):
                continue
            f, l, n, w = self.model(None if when else ready)
            first, last, when, size = first or f, l or last, when or w, size + n
            if self.ended:
                break
            if ready and when is None:
                continue
            if ready and not pending:
                break
            if first is None and time.perf_counter() < since + (silent or SILENT):
                continue
            if not self.loading():
                break
        return Answer(first - since if first else None, last - since if last else None, size,
                      when - since if when else None)

    def start(self, ready, limit=60, pending=False):
        """Until the first screen is there; seconds."""
        a = self.answer(self.began, ready, limit, pending=pending)
        if a.ready is None:
            raise Gone("never ready: %s" % self.text()[:600])
        return a.ready

    def settle(self, limit=60):
        return self.answer(time.perf_counter(), limit=limit, silent=0.1)

    def working(self):
        """Does the title tell how far some work is?"""
        return bool(re.search(r"\d ?%", self.screen.line(0)))

    def text(self):
        return self.screen.text()

    # ---- writing ----

    def press(self, code, **more):
        while self.read(0):
            pass
        self.model()
        waited, taken = self.waited(), stolen()
        since = time.perf_counter()
        os.write(self.master, code)
        a = self.answer(since, **more)
        a.waited, a.stolen = self.waited() - waited, stolen() - taken
        return a

    def play(self, spec, limit=30):
        """Keys one after another: a list of (name, Answer, seconds of CPU)."""
        out = []
        for name, code in keys(spec):
            before, own, working = self.cpu(), self.own_cpu(), self.working()
            a = self.press(code, limit=limit)
            a.working, a.own = working, self.own_cpu() - own
            if self.ended:
                raise Gone("ended at %s: %s" % (name, self.text()[-400:]))
            out.append((name, a, self.cpu() - before))
        return out

    # ---- the process ----

    def cpu(self):
        """Seconds of CPU of all its threads."""
        try:
            return time.clock_gettime((~self.pid << 3) | 2)
        except OSError:
            return 0.0

    def own_cpu(self):
        """Seconds of CPU of its first thread, the one that draws."""
        return schedstat(self.pid, self.pid)[0]

    def waited(self):
        """Seconds that its threads were ready to run and did not, added up."""
        try:
            return sum(schedstat(self.pid, task)[1] for task in os.listdir("/proc/%d/task" % self.pid))
        except OSError:
            return 0.0

    def memory(self):
        """(peak resident, anonymous now), KiB."""
        with open("/proc/%d/status" % self.pid) as f:
            text = f.read()
        return tuple(int(re.search(name + r":\s+(\d+)", text).group(1))
                     for name in ("VmHWM", "RssAnon"))

    def end(self, limit=20):
        """Read until it has ended; seconds since the call, or None."""
        since = time.perf_counter()
        while time.perf_counter() < since + limit:
            pid, status = os.waitpid(self.pid, os.WNOHANG)
            if pid:
                self.reaped = status
                return time.perf_counter() - since
            if not self.read(0.0005) and self.ended:
                time.sleep(0.0005)
        return None

    def close(self):
        if self.reaped is None:
            try:
                os.kill(self.pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
            os.waitpid(self.pid, 0)
            self.reaped = -1
        os.close(self.master)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()
