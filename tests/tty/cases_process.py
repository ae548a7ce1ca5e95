# SPDX-License-Identifier: MIT
"""Start and end: suspending, closing the window, signals, redirected input and output."""

import os
import re
import signal
import termios
import time

from .harness import FULL, LIMIT, Failed, case, expect


@case(smoke=1)
def quit_restores(ctx):
    for keys in (["q"], ["Q"], [":", "q", "u", "i", "t", "enter"], ["?", "Q"], ["?", "esc", "q"]):
        t = ctx.pty(ctx.demo)
        expect("1049" in t.screen.modes, "not on the alternate screen")
        for k in keys:
            t.press(k)
        t.expect_end(0)
        t.restored()
        t.clean()
        t.close()


@case(needs="tmux")
def quit_in_tmux(ctx):
    t = ctx.tmux(ctx.demo)
    expect(t.ask("alternate_on") == "1", "not on the alternate screen")
    t.keys("q")
    t.wait("[exit 0]")
    expect(t.ask("alternate_on") == "0", "still on the alternate screen")
    expect(t.ask("cursor_flag") == "1", "the cursor is hidden")
    expect(t.ask("keypad_cursor_flag") == "0" and t.ask("mouse_any_flag") == "0", "modes left on")
    a, b = open(ctx.path("modes-before")).read(), open(ctx.path("modes-after")).read()
    expect(a == b, "stty differs: %s %s" % (a, b))


@case(params=["SIGTERM", "SIGHUP", "SIGINT", "SIGQUIT"], sample=2, smoke=1)
def signal_ends(ctx, name):
    t = ctx.pty(ctx.demo)
    t.press(":")
    t.type("set the")
    t.kill(getattr(signal, name))
    t.expect_end(130)
    t.restored()
    t.clean()


@case(params=["SIGSEGV", "SIGABRT", "SIGBUS", "SIGFPE", "SIGILL"], sample=1)
def crash_restores(ctx, name):
    if os.environ.get("TS_SANITIZE"):
        return                          # the sanitizer has handlers of its own
    t = ctx.pty(ctx.demo)
    t.press(":")
    t.kill(getattr(signal, name))
    t.expect_end(-getattr(signal, name))
    t.restored()
    t.has("a mapped file cannot be had" if name == "SIGBUS" else "this is a bug")


@case(needs="tmux")
def killed_in_tmux(ctx):
    for name, says in (("TERM", "[exit 130]"), ("SEGV", "this is a bug")):
        if name == "SEGV" and os.environ.get("TS_SANITIZE"):
            continue
        t = ctx.tmux(ctx.demo)
        t.run("run-shell", "kill -%s $(pgrep -P $(tmux -L %s display -p -t s '#{pane_pid}'))" % (
            name, t.name))
        t.wait(says)
        t.wait("[exit ")
        expect(t.ask("alternate_on") == "0", "still on the alternate screen")
        expect(t.ask("cursor_flag") == "1", "the cursor is hidden")
        a, b = open(ctx.path("modes-before")).read(), open(ctx.path("modes-after")).read()
        expect(a == b, "stty differs after %s: %s %s" % (name, a, b))
        t.close()


def state(pid):
    try:
        with open("/proc/%d/stat" % pid) as f:
            return f.read().rsplit(")", 1)[1].split()[0]
    except FileNotFoundError:
        return None


@case(params=["heeded", "ignored", "under-prompt", "too-small", "other-view"], sample=2, smoke=1)
def window_closed(ctx, how):
    """The terminal goes away: so does the program, and does not spin meanwhile."""
    t = ctx.pty(ctx.demo, ignore=[signal.SIGHUP] if how == "ignored" else (),
                size=(39, 9) if how == "too-small" else (80, 24),
                wait="too small" if how == "too-small" else "help")
    if how == "under-prompt":
        t.press(":")
    if how == "other-view":
        t.press("7")
    t.hang_up()
    end = time.monotonic() + LIMIT
    used = t.ticks()
    while t.poll() is None:
        expect(t.ticks() - used < 200, "spins after the window was closed")
        if time.monotonic() > end:
            raise Failed("still there %d s after the window was closed" % LIMIT)
        time.sleep(0.02)
    expect(t.status is not None and t.status >= 0, "died of signal %s" % t.status)


@case(needs="tmux")
def pane_closed(ctx):
    t = ctx.tmux(ctx.demo, shell="trap '' HUP; exec %s %s" % (
        ctx.program, ctx.demo))
    pid = int(t.ask("pane_pid"))
    t.run("kill-server")
    end = time.monotonic() + LIMIT
    while state(pid) not in (None, "Z"):
        if time.monotonic() > end:
            os.kill(pid, signal.SIGKILL)
            raise Failed("still there after its pane was closed")
        time.sleep(0.02)


@case(needs="tmux", params=["summary", "prompt", "resized"], sample=1)
def suspend(ctx, how):
    """C-z, the shell, fg: the screen as before, the shell's modes in between."""
    t = ctx.tmux(shell="exec sh -i", wait=None, env={"ENV": ""})
    t.wait(lambda text: text.strip() != "")
    t.type("PS1='at-the-shell '\n")
    t.wait("\nat-the-shell")
    t.type("stty -g >before; %s %s; stty -g >after; echo ended\n" % (
        ctx.program, ctx.demo))
    t.wait("help")
    t.rest()
    if how == "prompt":
        t.keys("3")
        t.rest()
    shown = t.text()
    modes = [t.ask(m) for m in ("keypad_cursor_flag", "keypad_flag", "cursor_flag",
                                "alternate_on")]
    for again in range(2):
        t.keys("C-z")
        t.wait("at-the-shell")
        t.wait(lambda text: "Stopped" in text or "Suspended" in text)
        expect(t.ask("alternate_on") == "0", "stopped: still on the alternate screen")
        expect(t.ask("cursor_flag") == "1", "stopped: the cursor is hidden")
        expect(t.ask("keypad_cursor_flag") == "0", "stopped: keypad in application mode")
        # dash stores the modes of a stopped job and sets its own
        t.type("stty -g >between%d; echo x-$((40+%d))\n" % (again, again))
        t.wait("x-4%d" % again)
        a, b = open(ctx.path("before")).read(), open(ctx.path("between%d" % again)).read()
        expect(a == b, "stopped: stty differs: %s %s" % (a, b))
        if how == "resized":
            t.resize(100, 30)
            time.sleep(0.1)
        t.type("fg\n")
        t.wait("help")
        t.rest()
        now = [t.ask(m) for m in ("keypad_cursor_flag", "keypad_flag", "cursor_flag",
                                  "alternate_on")]
        expect(now == modes, "modes after fg: %s, before: %s" % (now, modes))
        if how == "resized":
            bottom = t.text().rstrip("\n").split("\n")
            expect(len(bottom) == 30 and "help" in bottom[-1], "not drawn at the new size")
        elif t.text() != shown:
            a, b = shown.split("\n"), t.text().split("\n")
            t.fail("after fg rows differ: %s" % [(i, a[i], b[i]) for i in range(24)
                                                 if a[i] != b[i]][:3])
    t.keys("q")
    t.wait("ended")
    expect(open(ctx.path("after")).read() == open(ctx.path("before")).read(), "stty differs")


@case(needs="tmux", params=["TSTP", "STOP"], depth=FULL)
def stopped_in_a_shell(ctx, name):
    """kill -TSTP or -STOP: the shell has the terminal meanwhile, fg gives it back."""
    t = ctx.tmux(shell="exec sh -i", wait=None, env={"ENV": ""})
    t.wait(lambda text: text.strip() != "")
    t.type("PS1='at-the-shell '\n")
    t.wait("\nat-the-shell")
    t.type("%s %s\n" % (ctx.program, ctx.demo))
    t.wait("help")
    t.rest()
    shown = t.text()
    t.run("run-shell", "kill -%s $(pgrep -P $(tmux -L %s display -p -t s '#{pane_pid}'))" % (
        name, t.name))
    t.wait(lambda text: "at-the-shell" in text.replace("\n", ""))      # it stands where the cursor was left, also over an edge
    t.type("fg\n")
    t.wait(lambda text: text == shown)
    expect(t.ask("alternate_on") == "1" and t.ask("cursor_flag") == "0", "not taken again")
    t.keys("3")
    t.rest()
    t.keys("q")
    t.wait(lambda text: text.rstrip().endswith("at-the-shell"))
    t.type("echo ended-$?\n")
    t.wait("\nended-0")
    expect(t.ask("alternate_on") == "0" and t.ask("cursor_flag") == "1", "not given back")


@case()
def stopped_from_outside(ctx):
    """kill -STOP and -CONT, as a debugger or a batch system does."""
    t = ctx.pty(ctx.demo)
    shown = t.text()
    t.kill(signal.SIGSTOP)
    t.resize(100, 30, settle=False)
    t.resize(80, 24, settle=False)
    t.screen.feed(b"\x1b[5;5H[1]+ Stopped\x1b[?2004l\x1b[?1l")
    modes = termios.tcgetattr(t.slave)
    termios.tcsetattr(t.slave, termios.TCSANOW, t.before)       # as a shell does
    t.kill(signal.SIGCONT)
    t.settle()
    if t.text() != shown:
        t.fail("the screen differs")
    expect(termios.tcgetattr(t.slave) == modes, "the modes are not back")
    expect({"1", "2004", "1049"} <= t.screen.modes and "25" not in t.screen.modes,
           "modes of the terminal: %s" % t.screen.modes)
    t.quit()


@case()
def redraw(ctx):
    """C-l mends a screen that someone else wrote over."""
    t = ctx.pty(ctx.demo)
    shown = t.text()
    t.screen.feed(b"\x1b[5;5Hsomebody was here\x1b[10;1H\x1b[J")
    expect(t.text() != shown, "the test's own damage")
    t.press("C-l")
    if t.text() != shown:
        t.fail("not the same as before")
    t.quit()


@case()
def input_elsewhere(ctx):
    """Standard input is no terminal: the keys come from /dev/tty."""
    data = ctx.write("input", "this is not for the program q q q\n")
    for source in ("/dev/null", data):
        t = ctx.pty(ctx.demo, redirect={0: source})
        t.press("3", "?")
        t.press("esc")
        t.press("q")
        t.expect_end(0)
        t.restored()
        t.close()


@case(needs="tmux")
def input_from_a_pipe(ctx):
    t = ctx.tmux(ctx.demo, before="echo q | ")
    t.rest()
    t.keys("3")
    t.rest()
    t.keys("q")
    t.wait("[exit 0]")


@case()
def output_elsewhere(ctx):
    """Standard output is no terminal: the summary, and nothing for the screen."""
    out = ctx.path("out")
    t = ctx.pty(ctx.demo, redirect={1: out}, wait=None)
    t.expect_end(0)
    text = open(out, "rb").read()
    expect(b"worst tile" in text.lower() or b"MEMORY" in text, "no summary: %r" % text[:300])
    expect(b"\x1b" not in text, "escape sequences in a file")
    expect(b"?1049" not in t.raw and not t.text().strip(), "on the terminal: %r" % t.raw[:200])
    t = ctx.pty(redirect={1: out}, wait=None)
    t.expect_end(2)


@case()
def errors_elsewhere(ctx):
    """Standard error is a file: it stays empty while all is well."""
    err = ctx.path("err")
    t = ctx.pty(ctx.demo, redirect={2: err})
    t.quit()
    expect(open(err).read() == "", "standard error is not empty")


@case()
def no_terminal_at_all(ctx):
    r = ctx.run(ctx.demo, stdin=-3, start_new_session=True)
    expect(r.returncode == 0 and b"MEMORY" in r.stdout, "no summary: %r" % (r,))


@case()
def bad_usage_on_a_terminal(ctx):
    for args, says in ((["--at", "nonsense", ctx.demo], "--at takes"),
                       (["--wrong"], "--wrong")):
        t = ctx.pty(*args, wait=None)
        t.expect_end(2)
        t.has(says)
        t.restored()
        expect("\x1b[?1049h" not in t.raw.decode(), "the screen was taken")
        t.close()


# ---- paths that cannot be opened: one line, after the terminal is back ----

@case()
def other_database(ctx):
    """SQLite of something else has tables all the same: they are shown, and that it is no report is said."""
    import sqlite3
    path = ctx.path("it")
    db = sqlite3.connect(path)
    db.execute("CREATE TABLE cookbook (dish)")
    db.execute("INSERT INTO cookbook VALUES ('soup')")
    db.commit()
    db.close()
    t = ctx.pty(path, wait="cookbook")
    t.settle()
    expect("soup" in t.text() and "no report" in t.text(), "what it is, and its rows:\n" + t.text())
    t.press("q")
    t.expect_end(0)


@case(params=["missing", "empty-file", "random", "text", "empty-dir", "unreadable",
              "fifo", "loop"])
def bad_path(ctx, kind):
    path, status = ctx.path("it"), 3
    if kind == "empty-file":
        open(path, "w").close()
    elif kind == "random":
        ctx.write("it", os.urandom(100000))
    elif kind == "text":
        ctx.write("it", "hello\n" * 1000)
    elif kind == "empty-dir":
        os.mkdir(path)
    elif kind == "unreadable":
        ctx.write("it", "x")
        os.chmod(path, 0)
        if os.geteuid() == 0:
            return                      # root reads everything
    elif kind == "fifo":
        os.mkfifo(path)
    elif kind == "loop":
        os.symlink(path, path)
    t = ctx.pty(path, wait=None)
    t.expect_end(status)
    t.restored()
    t.clean()
    shown = [r for r in t.text().split("\n") if r]
    joined = "".join(r.ljust(80) if len(r) == 80 else r for r in shown)
    expect(joined.startswith("tilescope: "), "no message: %r" % shown)
    expect("it" in joined, "the path is not named: %r" % shown)
    lines = re.findall(r"tilescope: ", t.raw.decode())
    expect(len(lines) == 1, "%d messages: %r" % (len(lines), t.raw))
    tail = t.raw.decode()[t.raw.decode().rindex("tilescope: "):]
    expect(tail.count("\n") == 1 and tail.endswith("\r\n"), "not one line: %r" % tail)
    if b"\x1b[?1049h" in t.raw:
        expect(t.raw.rindex(b"\x1b[?1049l") < t.raw.index(b"tilescope: "),
               "said while the screen was taken")
