# SPDX-License-Identifier: MIT
"""
terminal - two ways of running the real program: on a pseudo-terminal of our own, whose every byte
is looked at and which knows its modes, and in tmux, a terminal that others wrote.

When is a screen at rest?  Not when nothing has come for a while: on a busy machine the program may
not have had its turn.  It is at rest when the program has taken every key, all of its threads sleep,
none of them has run in between two looks (QUIET apart), nothing came, and no row is loading.  Where
a screen is waited for it may also have a timer that ticks soon: the tick is waited for, but not what
is done every other second.
"""

import errno
import fcntl
import glob
import os
import pty
import re
import select
import signal
import struct
import subprocess
import termios
import time

from . import vt
from ..case import LIMIT, Failed, Skipped  # noqa: F401

# seconds between two looks at a program that seems to rest; what it does later than SOON is no tick
QUIET = 0.04
SOON = 0.4
PPOLL = {"x86_64": "271", "aarch64": "73"}.get(os.uname().machine)
NAMED = {"up": "\x1bOA", "down": "\x1bOB", "right": "\x1bOC", "left": "\x1bOD", "home": "\x1bOH",
         "end": "\x1bOF", "pgup": "\x1b[5~", "pgdn": "\x1b[6~", "enter": "\r", "tab": "\t",
         "esc": "\x1b", "space": " ", "backspace": "\x7f", "s-tab": "\x1b[Z", "f1": "\x1bOP"}


# rows that are not there yet: the glyph, or where there are only ASCII glyphs this
LOADING = re.compile(r"(^|\s\s)\.\.\.(\s\s|$)")


def code(key):
    """The bytes of a key: a character, a name, C-x or M-x."""
    if key.lower() in NAMED and len(key) > 1:
        return NAMED[key.lower()].encode()
    m = re.fullmatch("([CM])-(.)", key)
    if m:
        return bytes([ord(m.group(2).lower()) & 31]) if m.group(1) == "C" else \
            b"\x1b" + m.group(2).encode()
    return key.encode()


def loading(rows):
    """Is a row not there yet?"""
    return any("\u22ef" in row or LOADING.search(row) for row in rows)


def unread(terminal):
    """Has a terminal input that nobody has read?  (Asking also moves what the kernel holds back.)"""
    return bool(select.select([terminal], [], [], 0)[0])


def pulse(pids):
    """How often each thread of these processes has run; None while one of them runs or will."""
    beats = []
    for pid in pids:
        try:
            for task in sorted(os.listdir("/proc/%d/task" % pid)):
                with open("/proc/%d/task/%s/status" % (pid, task)) as f:
                    text = f.read()
                state = re.search(r"State:\s+(.)", text).group(1)
                if state not in "STtZX":
                    return None
                beats.append((task, state, re.findall(r"ctxt_switches:\s+(\d+)", text)))
        except (FileNotFoundError, ProcessLookupError):
            beats.append((pid, "gone"))
    return beats


def timer(pid):
    """In how many seconds a program that sleeps wants to be woken; 0: never; SOON: not known."""
    try:
        with open("/proc/%d/syscall" % pid) as f:
            words = f.read().split()
        if not words or words[0] != PPOLL:
            return SOON
        if int(words[3], 16) == 0:
            return 0
        with open("/proc/%d/mem" % pid, "rb") as f:
            f.seek(int(words[3], 16))
            seconds, ns = struct.unpack("qq", f.read(16))
        # when it has woken up meanwhile that is anything
        return seconds + ns / 1e9 if seconds >= 0 and 0 <= ns < 10 ** 9 else SOON
    except (OSError, OverflowError, struct.error):
        return SOON


def offspring(pid):
    """A process and all below it."""
    children = {}
    for name in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open("/proc/%s/stat" % name) as f:
                parent = int(f.read().rsplit(")", 1)[1].split()[1])
        except (FileNotFoundError, ProcessLookupError):
            continue
        children.setdefault(parent, []).append(int(name))
    found = [pid]
    for p in found:
        found += children.get(p, [])
    return found


def show(text):
    return "\n".join("    |%s" % row for row in text.rstrip("\n").split("\n"))


class Pty:
    """The program as leader of a session on a pseudo-terminal."""

    def __init__(self, argv, env, size=(80, 24), cwd=None, redirect=None, ignore=()):
        """redirect: {0: path} opens that instead of the terminal; ignore: signals to ignore."""
        self.master, self.slave = pty.openpty()
        # of the types that are tested only this one is said to wrap at once (am without xenl)
        self.screen = vt.Screen(*size, wrap_at_once=env.get("TERM") == "ansi")
        self.raw = b""
        self.status = None
        self.ended = False
        self.reaped = False
        fcntl.ioctl(self.slave, termios.TIOCSWINSZ, struct.pack("HHHH", size[1], size[0], 0, 0))
        self.before = termios.tcgetattr(self.slave)
        self.pid = os.fork()
        if self.pid == 0:
            try:
                self.child(argv, env, cwd, redirect or {}, ignore)
            finally:
                os._exit(127)
        os.set_blocking(self.master, False)

    def child(self, argv, env, cwd, redirect, ignore):
        os.setsid()
        fcntl.ioctl(self.slave, termios.TIOCSCTTY, 0)
        for s in ignore:
            signal.signal(s, signal.SIG_IGN)
        for fd in range(3):
            if fd in redirect:
                other = os.open(redirect[fd], os.O_RDWR | os.O_CREAT, 0o600)
                os.dup2(other, fd)
                os.close(other)
            else:
                os.dup2(self.slave, fd)
        os.close(self.slave)
        os.close(self.master)
        if cwd:
            os.chdir(cwd)
        os.execve(argv[0], argv, env)

    # ---- reading ----

    def pump(self, seconds):
        """Read what is there within so many seconds; the number of bytes."""
        if self.ended:
            time.sleep(seconds)
            return 0
        ready = select.select([self.master], [], [], seconds)[0]
        if not ready:
            return 0
        try:
            data = os.read(self.master, 1 << 16)
        except OSError as e:
            if e.errno in (errno.EAGAIN, errno.EINTR):
                return 0
            data = b""
        if not data:
            self.ended = True
            return 0
        self.raw += data
        self.screen.feed(data)
        return len(data)

    def settle(self, quiet=QUIET, timers=False):
        """Read until the program is at rest; the number of bytes.  timers: and none will tick soon."""
        end = time.monotonic() + LIMIT
        n = 0
        while time.monotonic() < end:
            before = self.pulse()
            tick = timer(self.pid) if before and timers else 0
            got = self.pump(0.005 if not before else tick + QUIET if tick <= SOON else quiet)
            n += got
            if self.ended and not got:
                return n
            if before and not got and self.pulse() == before and not self.loading():
                return n
        self.fail("the screen does not come to rest")

    def pulse(self):
        """As pulse(); None also while a key waits to be read."""
        beats = pulse([self.pid])
        if beats and beats[0][1] == "S" and self.slave >= 0 and unread(self.slave):
            return None
        return beats

    def loading(self):
        """Is a row not there yet?  (Not counted: a file that is being written.)"""
        if "looking again every 2 s" in self.screen.line(min(1, self.screen.h - 1)):
            return False
        return loading(map(self.screen.line, range(self.screen.h)))

    def wait(self, what, limit=None):
        """Until the screen shows a text (or a predicate of it holds), and then rest."""
        end = time.monotonic() + (limit or LIMIT)
        test = what if callable(what) else lambda text: what in text
        while True:
            if test(self.screen.text()):
                self.settle(timers=True)
                if test(self.screen.text()):
                    return
            if time.monotonic() > end:
                self.fail("never showed %s" % (what if isinstance(what, str) else
                                               what.__doc__ or "what it should"))
            if not self.pump(0.05) and self.poll() is not None and not self.pump(0.01):
                if test(self.screen.text()):
                    return
                self.fail("ended (%s) before it showed %s" % (self.status, what))

    def has(self, *texts):
        for t in texts:
            if t not in self.screen.text():
                self.fail("the screen has no %r" % t)

    def lacks(self, *texts):
        for t in texts:
            if t in self.screen.text():
                self.fail("the screen has %r" % t)

    def clean(self):
        """Nothing came that is no drawing."""
        if self.screen.unknown:
            self.fail("sent to the terminal: %s" % ", ".join(self.screen.unknown[:8]))

    def text(self):
        return self.screen.text()

    def bottom(self):
        return self.screen.line(self.screen.h - 1)

    # ---- writing ----

    def send(self, data):
        if isinstance(data, str):
            data = data.encode()
        while data:
            try:
                data = data[os.write(self.master, data):]
            except BlockingIOError:
                self.pump(0.01)

    def press(self, *keys):
        """Keys one after another, each to its end; bytes of the last."""
        n = 0
        for k in keys:
            self.send(code(k))
            n = self.settle(2 * QUIET if k == "esc" else QUIET)
        return n

    def type(self, text):
        self.send(text)
        self.settle()

    def resize(self, columns, rows, settle=True):
        self.screen.resize(columns, rows)
        fcntl.ioctl(self.master, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
        if settle:
            self.settle()

    # ---- the process ----

    def poll(self):
        """Exit status (negative: signal), None while it runs."""
        if not self.reaped:
            pid, st = os.waitpid(self.pid, os.WNOHANG)
            if pid:
                self.reaped = True
                self.status = os.waitstatus_to_exitcode(st)
        return self.status

    def shows(self):
        """
        Has it a screen?  False: it has ended, or is about to: the terminal has been given back, and
        what it does behind that (a sanitizer looks for leaks) may well look like rest.
        """
        end = time.monotonic() + LIMIT
        while time.monotonic() < end:
            self.settle()
            if self.poll() is not None:
                return False
            if not termios.tcgetattr(self.slave)[3] & termios.ICANON:
                return True
        self.fail("has neither a screen nor an end")

    def end(self, limit=None):
        """Its exit status, once it has ended; all output read."""
        end = time.monotonic() + (limit or LIMIT)
        while self.poll() is None:
            if time.monotonic() > end:
                self.fail("does not end")
            self.pump(0.02)
        while self.pump(0.02):
            pass
        return self.status

    def expect_end(self, status=0, limit=None):
        got = self.end(limit)
        if got != status:
            self.fail("exit status %s, expected %s" % (got, status))

    def quit(self):
        """Escape, and Q; on a busy machine the program may get both at once, which is another key: Q again."""
        end = time.monotonic() + LIMIT
        self.press("esc")
        self.send("Q")
        while self.poll() is None and time.monotonic() < end and "M-Q is not" not in self.text():
            self.pump(0.02)
        if self.poll() is None:
            self.send("Q")
        self.expect_end(0)
        self.restored()
        self.clean()

    def restored(self):
        """The terminal is as it was, and no sanitizer has spoken."""
        for mark in (b"Sanitizer", b"runtime error:"):
            if mark in self.raw:
                self.fail("a sanitizer's report: %s" % self.raw[self.raw.index(mark):].decode(
                    errors="replace")[:3000])
        now = termios.tcgetattr(self.slave)
        if now != self.before:
            self.fail("terminal modes differ: %r, were %r" % (now[:4], self.before[:4]))
        left = self.screen.modes & {"1049", "1047", "47", "1000", "1002", "1003", "1006", "2004",
                                    "1"}
        if left:
            self.fail("modes left on: %s" % sorted(left))
        if "25" not in self.screen.modes:
            self.fail("the cursor is hidden")
        if self.screen.keypad:
            self.fail("the keypad is left in application mode")
        if self.screen.attr not in ("", "0"):
            self.fail("attributes left on: %s" % self.screen.attr)
        if self.screen.graphics or self.screen.shifted:
            self.fail("the character set is left switched")

    def ticks(self):
        """What its threads have used of the CPU, in hundredths of a second."""
        used = 0
        for path in glob.glob("/proc/%d/task/*/schedstat" % self.pid):
            try:
                with open(path) as f:
                    used += int(f.read().split()[0])
            except (FileNotFoundError, ProcessLookupError):
                pass
        return used // 10000000

    def wakeups(self):
        """How often its threads have waited for something, and gone on."""
        waits = 0
        for path in glob.glob("/proc/%d/task/*/status" % self.pid):
            try:
                with open(path) as f:
                    waits += int(re.search(r"^voluntary_ctxt_switches:\s+(\d+)", f.read(), re.M).group(1))
            except (FileNotFoundError, ProcessLookupError):
                pass
        return waits

    def is_idle(self, seconds):
        """
        It comes to rest: what was begun before may take its time on a loaded machine, then nothing spins or wakes up for
        nothing.  Nothing is sent meanwhile.
        """
        end = time.monotonic() + LIMIT
        while True:
            ticks, wakeups = self.ticks(), self.wakeups()
            sent = sum(self.pump(0.25) for _ in range(int(seconds * 4)))
            used, woken = self.ticks() - ticks, self.wakeups() - wakeups
            if sent:
                raise Failed("%d bytes sent while idle" % sent)
            if used <= 5 * seconds and woken <= 50 * seconds:
                return
            if time.monotonic() > end:
                raise Failed("%d ticks of CPU and %d wakeups in %g s while idle" % (used, woken, seconds))

    def peak_kib(self):
        with open("/proc/%d/status" % self.pid) as f:
            return int(re.search(r"VmHWM:\s+(\d+)", f.read()).group(1))

    def kill(self, signal_number):
        os.kill(self.pid, signal_number)

    def hang_up(self):
        """The window is closed."""
        os.close(self.slave)
        os.close(self.master)
        self.slave = self.master = -1
        self.ended = True

    def close(self):
        if not self.reaped and self.poll() is None:
            for s in (signal.SIGCONT, signal.SIGKILL):
                try:
                    os.kill(self.pid, s)
                except ProcessLookupError:
                    pass
            os.waitpid(self.pid, 0)
            self.reaped = True
        for fd in (self.master, self.slave):
            if fd >= 0:
                os.close(fd)
        self.master = self.slave = -1

    def fail(self, why):
        raise Failed("%s\n%s\n    raw end: %r" % (why, show(self.screen.text()), self.raw[-160:]))


class Tmux:
    """A shell command in a tmux server of its own."""

    count = 0

    def __init__(self, command, env, directory, size=(80, 24), cwd=None, inner_term=None):
        Tmux.count += 1
        self.name = "ts-%d-%d" % (os.getpid(), Tmux.count)
        self.size = size
        self.env = dict(env, TMUX_TMPDIR=directory)
        for k in ("TMUX", "TMUX_PANE"):
            self.env.pop(k, None)
        conf = os.path.join(directory, "tmux.conf")
        with open(conf, "w") as f:
            f.write("set -g status off\nset -sg escape-time 10\nset -g default-terminal %s\n"
                    "set -g remain-on-exit on\nset -g history-limit 200\n"
                    % (inner_term or "tmux-256color"))
        self.run("-f", conf, "new-session", "-d", "-s", "s", "-x", str(size[0]), "-y", str(size[1]),
                 "-c", cwd or directory, command)

    def run(self, *args, check=True):
        r = subprocess.run(["tmux", "-L", self.name, *args], capture_output=True, env=self.env)
        if check and r.returncode:
            raise Failed("tmux %s: %s" % (args[0], r.stderr.decode(errors="replace").strip()))
        return r.stdout.decode("utf-8", "replace")

    def text(self, attributes=False):
        return self.run("capture-pane", "-t", "s", "-p", *(["-e"] if attributes else []))

    def ask(self, what):
        """Formats of tmux, by name, one or more."""
        what = " ".join("#{%s}" % w for w in what.split())
        return self.run("display-message", "-t", "s", "-p", what).strip()

    def wait(self, what, limit=None):
        end = time.monotonic() + (limit or LIMIT)
        test = what if callable(what) else lambda text: what in text
        while not test(self.text()):
            if time.monotonic() > end:
                self.fail("never showed %s" % what)
            time.sleep(0.03)

    def rest(self):
        """Until what runs in the pane is at rest, and shown."""
        end = time.monotonic() + LIMIT
        shell, terminal = self.ask("pane_pid pane_tty").split()
        terminal = os.open(terminal, os.O_RDONLY | os.O_NOCTTY | os.O_NONBLOCK)
        try:
            while time.monotonic() < end:
                text = self.text(True)          # the server has passed on the keys before it answers
                before = pulse(offspring(int(shell)))
                quiet = before and not unread(terminal)
                time.sleep(3 * QUIET if quiet else 0.01)
                if quiet and self.text(True) == text and not loading(self.text().split("\n")) and \
                        pulse(offspring(int(shell))) == before:
                    return
        finally:
            os.close(terminal)
        self.fail("the screen does not come to rest")

    def keys(self, *keys):
        """tmux's names of keys."""
        self.run("send-keys", "-t", "s", *keys)

    def type(self, text):
        self.run("send-keys", "-t", "s", "-l", text)

    def resize(self, columns, rows):
        self.size = (columns, rows)
        self.run("resize-window", "-t", "s", "-x", str(columns), "-y", str(rows))

    def has(self, *texts):
        now = self.text()
        for t in texts:
            if t not in now:
                self.fail("the screen has no %r" % t)

    def lacks(self, *texts):
        now = self.text()
        for t in texts:
            if t in now:
                self.fail("the screen has %r" % t)

    def fail(self, why):
        try:
            text = self.text()
        except Failed as e:
            text = str(e)
        raise Failed("%s\n%s" % (why, show(text)))

    def close(self):
        subprocess.run(["tmux", "-L", self.name, "kill-server"], capture_output=True, env=self.env)
