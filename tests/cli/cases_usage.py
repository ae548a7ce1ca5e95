# SPDX-License-Identifier: MIT
"""cases_usage - options, exit status, streams, help, locale, configuration."""

import os
import re
import shutil
import signal
import subprocess

from . import oracle
from . import reports
from .harness import (Result, TIMEOUT, case, compare, expect, manners, one_line, parse, plain,
                     snapshot, summarise, unsafe, untouched)


@case()
def several_paths(ctx):
    """An array in the order given; the first of 5, 3, 2, 4, 1 as exit status."""
    a, b = plain(ctx, 70, "a"), plain(ctx, 71, "b", ipus=1)
    part = plain(ctx, 72, "part")
    with open(part.profile + "-wal", "wb") as f:
        f.write(b"x" * 100)
    res = ctx.run("summary", "-f", "json", a.dir, b.dir)
    got = parse(res)
    expect(isinstance(got, list) and len(got) == 2, res, "expected an array of two")
    for rep, obj in zip((a, b), got):
        compare(res, oracle.summary(rep), obj)
    res = ctx.run("summary", "-f", "json", a.dir, part.dir)
    expect(res.rc == 4, res, "exit status %d, expected 4" % res.rc)
    expect(len(parse(res)) == 2, res, "array of two")
    for paths in ((a.dir, "/nowhere", part.dir), (part.dir, "/nowhere"), ("/nowhere", a.dir)):
        res = ctx.run("summary", "-f", "json", *paths)
        expect(res.rc == 3, res, "exit status %d, expected 3" % res.rc)
        got = parse(res)
        expect(isinstance(got, list), res, "several paths: expected an array")
        seen = [o.get("path") for o in got if isinstance(o, dict)]
        for p in paths:
            expect((p in seen) or p == "/nowhere", res, "%s is missing" % p)
        errors = [ln for ln in res.err.decode().splitlines() if "/nowhere" in ln]
        expect(len(errors) == 1, res, "one line for the path that cannot be read")
    res = ctx.run("summary", a.dir, b.dir)
    expect(res.rc == 0 and a.dir.encode() in res.out and b.dir.encode() in res.out, res,
           "one block per report")
    one_line_each = ctx.run("summary", "/nowhere", "/nothing")
    expect(one_line_each.rc == 3 and len(one_line_each.err.splitlines()) == 2, one_line_each,
           "a line for each")


@case()
def several_bad_options(ctx):
    """A line for each, in their order, and the status of one."""
    res = ctx.run("summary", "-f", "xml", "--units", "miles", "--bogus", "-q", ".")
    expect(res.rc == 2 and not res.out, res, "exit 2, nothing on standard output")
    lines = res.err.decode().splitlines()
    expect(len(lines) == 3, res, "a line for each")
    for line, word in zip(lines, ("--format", "--units", "--bogus")):
        expect(line.startswith("tilescope: ") and word in line, res, "%s in its line" % word)
    res = ctx.run("summary", "-qyw", ".")       # letters of one word
    for line, word in zip(res.err.decode().splitlines(), ("-y", "-w")):
        expect("unknown option %s " % word in line, res, "%s in its line" % word)


@case(params=[("nonsense-verb",), ("summary",), ("summary", "--bogus", "."),
              ("summary", "-f", "xml", "."),
              ("summary", "-f"), ("summary", "-Z", "."), ("schema",), ("--bogus",), (),
              ("help", "nonsense"), ("demo", "--scale", "enormous", "x"),
              ("demo", "--ipus", "abc", "x"), ("demo", "--ipus", "-1", "x"),
              ("demo", "--layout", "what", "x"), ("demo", "a", "b"), ("summary", "-o", ""),
              ("summary", "--form", "."), ("version", "extra")], smoke=2)
def usage(ctx, args):
    """Exit 2, one line, standard output empty."""
    res = ctx.run(*args)
    if args in (("nonsense-verb",),):
        expect(res.rc in (2, 3), res, "exit status")
    elif args == ("summary", "--form", "."):
        expect(res.rc in (2,), res, "an abbreviated option without its value")
    elif args == ("version", "extra"):
        expect(res.rc in (0, 2), res, "exit status")
        return
    else:
        expect(res.rc == 2, res, "exit status %d, expected 2" % res.rc)
    expect(res.out == b"", res, "something on standard output")
    expect(res.err, res, "nothing on standard error")
    expect(res.err.startswith(b"tilescope: "), res, "standard error does not begin with our name")
    expect(len(res.err.splitlines()) <= 2, res, "more than a line and a hint")


@case(params=[("--cache", "none"), ("--cache=none", "-q"), ("-q", "--cac", "none"), ("-qf", "json"),
              ("-fjson",), ("--no-color", "-u", "kb", "--format", "json")])
def options_before_the_verb(ctx, options):
    """The first word that is no option is the verb, also when options with a value stand before it."""
    rep = plain(ctx, 75)
    want = ctx.run("summary", *options, rep.dir)
    res = ctx.run(*options, "summary", rep.dir)
    expect(want.rc == 0 and (res.rc, res.out, res.err) == (want.rc, want.out, want.err), res,
           "differs from options behind the verb")


@case()
def directory_named_like_a_verb(ctx):
    """It is reached as ./summary, and behind --."""
    shutil.copytree(plain(ctx, 76).dir, ctx.path("summary"))
    want = ctx.run("summary", "./summary")
    for args in (("./summary",), ("--cache", "none", "./summary"), ("--", "summary")):
        res = ctx.run(*args)
        expect(want.rc == 0 and res.rc == 0 and res.out.split(b"\n", 1)[1] == want.out.split(b"\n", 1)[1],
               res, "is not the report")
    res = ctx.run("summary")
    expect(res.rc == 2, res, "the word alone is the verb")
    res = ctx.run("--cache", "none", "nothing-of-this-name")
    expect(res.rc == 2 and b"neither a verb nor a path" in res.err, res, "what is said")


@case(params=["check", "diff", "assert", "query", "export", "render"])
def not_built_yet(ctx, p):
    """What is not built is an unknown verb, not a stub: in help, or exit 2."""
    listed = re.search(rb"^\s+%s\b" % p.encode(), ctx.run("help").out, re.M)
    rep = plain(ctx, 72)
    res = ctx.run(p, rep.dir)
    if not listed:
        expect(res.rc == 2, res, "exit status %d, expected 2" % res.rc)
        expect(p.encode() in res.err, res, "the verb is not named")


@case(params=["summary", "schema"])
def options_forms(ctx, p):
    """GNU style: long and short, joined and apart, after the operands, -- ends them."""
    rep = plain(ctx, 73)
    outs = [ctx.run(p, *a) for a in (
        ("-f", "json", rep.dir), ("-fjson", rep.dir), ("--format", "json", rep.dir),
        ("--format=json", rep.dir), (rep.dir, "-f", "json"), ("-f", "json", "--", rep.dir),
        ("--cache", "none", "-f", "json", rep.dir), ("--cache=none", "-f", "json", rep.dir),
        ("-q", "-f", "json", rep.dir), ("--no-color", "-f", "json", rep.dir),
        ("--color=never", "-f", "json", rep.dir), ("--cache", ctx.path("c"), "-f", "json", rep.dir),
        ("-f", "text", "-f", "json", rep.dir))]
    for res in outs:
        expect(res.rc == 0, res, "exit status")
        expect(res.out == outs[0].out, res, "differs from the first")
    os.rename(rep.dir, ctx.path("-dash"))
    res = ctx.run(p, "-f", "json", "--", "-dash")
    expect(res.rc == 0, res, "-- does not end the options")


@case()
def output_file(ctx):
    """-o writes to a temporary name and renames."""
    rep = plain(ctx, 74)
    want = ctx.run("summary", "-f", "json", rep.dir).out
    os.makedirs(ctx.path("out"))
    f, other = ctx.path("out", "s.json"), ctx.path("out", "linked")
    with open(f, "w") as h:
        h.write("old")
    os.link(f, other)
    res = ctx.run("summary", "-f", "json", "-o", f, rep.dir)
    expect(res.rc == 0 and res.out == b"", res, "exit status, or something on standard output")
    with open(f, "rb") as h:
        expect(h.read() == want, res, "the file differs from standard output")
    with open(other) as h:
        expect(h.read() == "old", res, "written in place, not renamed")
    expect(sorted(os.listdir(ctx.path("out"))) == ["linked", "s.json"], res, "left-overs")
    res = ctx.run("summary", "-f", "json", "-o", f, "/nowhere")
    expect(res.rc == 3, res, "exit status")
    with open(f, "rb") as h:
        expect(h.read() == want, res, "the old file is gone although there was no answer")
    expect(sorted(os.listdir(ctx.path("out"))) == ["linked", "s.json"], res, "left-overs")
    res = ctx.run("summary", "-o", ctx.path("no", "dir", "x"), rep.dir)
    expect(res.rc not in (0, 1, 130), res, "exit status")
    one_line(res)
    res = ctx.run("summary", "-f", "json", "--output=" + f, rep.dir)
    if res.rc == 0:
        with open(f, "rb") as h:
            expect(h.read() == want, res, "--output")
    res = ctx.run("summary", "-f", "json", "-o", "here.json", rep.dir)
    expect(res.rc == 0 and os.path.exists(ctx.path("here.json")), res, "a name without directory")
    res = ctx.run("summary", "-o", ctx.path("out"), rep.dir)
    expect(res.rc not in (0, 1, 130) and os.path.isdir(ctx.path("out")), res, "-o DIRECTORY")


@case()
def broken_pipe(ctx):
    """A reader that has gone: quiet."""
    rep = plain(ctx, 75)
    for args in (("summary", rep.dir), ("summary", "-f", "json", rep.dir), ("schema", rep.dir),
                 ("help",), ("help", "capture"), ("version",)):
        r, w = os.pipe()
        os.close(r)
        proc = subprocess.Popen([ctx.program, *args], stdout=w, stderr=subprocess.PIPE,
                                stdin=subprocess.DEVNULL, env=ctx.env())
        os.close(w)
        _, err = proc.communicate(timeout=TIMEOUT)
        res = Result(list(args), proc.returncode, b"", err)
        expect(err == b"", res, "not quiet")
        expect(proc.returncode in (0, 141, -signal.SIGPIPE), res, "exit status")


@case()
def full_disk(ctx):
    """Data that cannot be written is not passed over."""
    rep = plain(ctx, 76)
    with open("/dev/full", "wb") as full:
        proc = subprocess.Popen([ctx.program, "summary", "-f", "json", rep.dir], stdout=full,
                                stderr=subprocess.PIPE, stdin=subprocess.DEVNULL, env=ctx.env())
        _, err = proc.communicate(timeout=TIMEOUT)
    res = Result(["summary", ">/dev/full"], proc.returncode, b"", err)
    expect(proc.returncode != 0, res, "exit 0 although nothing was written")
    expect(err.startswith(b"tilescope: "), res, "no message")


@case()
def closed_streams(ctx):
    """Started with its standard streams closed."""
    rep = plain(ctx, 77)
    before = snapshot(rep.dir)
    proc = subprocess.run(["sh", "-c", 'exec "$0" summary -f json "$1" <&- 2>&-', ctx.program,
                           rep.dir], stdout=subprocess.PIPE, env=ctx.env(), timeout=TIMEOUT)
    res = Result(["summary", "<&-", "2>&-"], proc.returncode, proc.stdout, b"")
    expect(proc.returncode == 0, res, "exit status")
    parse(res)
    proc = subprocess.run(["sh", "-c", 'exec "$0" summary -f json "$1" >&- <&- 2>&-', ctx.program,
                           rep.dir], env=ctx.env(), timeout=TIMEOUT)
    res = Result(["summary", ">&-"], proc.returncode, b"", b"")
    expect(proc.returncode >= 0, res, "died")
    untouched(before, rep.dir, res)


@case()
def latest(ctx):
    """--latest DIR: the newest report below."""
    for i, n in enumerate(("a", "b/inference", "c")):
        rep = plain(ctx, 85 + i, "top/" + n, tiles=100 + i)
        age = {"a": 100, "b/inference": 10, "c": 1000}[n]
        os.utime(rep.profile, (10 ** 9 - age, 10 ** 9 - age))
    res = ctx.run("summary", "-f", "json", "--latest", ctx.path("top"))
    if res.rc == 2:
        res = ctx.run("--latest", ctx.path("top"))
        expect(res.rc == 0 and b"b/inference" in res.out, res, "not the newest")
        return
    expect(res.rc == 0 and parse(res)["memory"]["tiles"] == 101, res, "not the newest")
    one_line(ctx.run("--latest", ctx.path("home")), rc=3)


@case()
def headless_path(ctx):
    """`tilescope PATH` without a terminal prints the summary."""
    rep = plain(ctx, 78)
    res = ctx.run(rep.dir)
    want = ctx.run("summary", rep.dir)
    expect(res.rc == 0, res, "exit status")
    expect(res.out == want.out, res, "differs from `summary`")


@case()
def help_texts(ctx):
    """help, help VERB, -h, --help, version: status 0, 80 columns, the verbs that there are."""
    outs = {}
    for args in (("help",), ("--help",), ("-h",), ("help", "summary"), ("summary", "--help"),
                 ("summary", "-h"), ("help", "schema"), ("help", "demo"), ("help", "help"),
                 ("help", "check"), ("help", "query"), ("help", "cache"), ("help", "render"), ("help", "version"), ("help", "capture"), ("version",)):
        res = ctx.run(*args)
        outs[args] = res
        expect(res.rc == 0, res, "exit status")
        expect(res.out and not res.err, res, "output")
        text = res.out.decode("utf-8")
        expect(unsafe(text) is None, res, "has %r" % unsafe(text))
        for line in text.splitlines():
            expect(len(line) <= 80, res, "a line of %d columns: %r" % (len(line), line))
    expect(outs[("help",)].out == outs[("--help",)].out == outs[("-h",)].out, outs[("-h",)],
           "help, -h and --help differ")
    expect(outs[("help", "summary")].out == outs[("summary", "--help")].out,
           outs[("summary", "--help")], "help summary and summary --help differ")
    for verb in (b"summary", b"schema", b"demo", b"help", b"version"):
        expect(verb in outs[("help",)].out, outs[("help",)], "%s is not listed" % verb.decode())
    expect(b"tilescope" in outs[("version",)].out, outs[("version",)], "name")
    expect(re.search(rb"\d+\.\d+", outs[("version",)].out), outs[("version",)], "number")


CAPTURE_NAMES = """autoReport.all autoReport.directory autoReport.outputGraphProfile
autoReport.outputExecutionProfile autoReport.outputLoweredVars autoReport.outputDebugInfo
autoReport.outputArchive autoReport.executionProfileProgramRunCount debug.instrument
debug.computeInstrumentationLevel debug.branchRecordTile profiler.replicaToProfile
profiler.blocks.filter profiler.programs.filter debug.allowOutOfMemory POPLAR_PROFILER_LOG_LEVEL
POPLAR_ENGINE_OPTIONS""".split()


@case()
def help_hosts(ctx):
    res = ctx.run("help", "hosts")
    expect(res.rc == 0 and b"HOST:PATH" in res.out and b"sftp://" in res.out, res, "how hosts are written")
    expect(max(len(line) for line in res.out.splitlines()) <= 80, res, "a line is too long")


@case()
def help_capture(ctx):
    res = ctx.run("help", "capture")
    expect(res.rc == 0, res, "exit status")
    for n in CAPTURE_NAMES:
        expect(n.encode() in res.out, res, "%s is not there" % n)


@case(params=["C", "C.UTF-8", "xx_YY.nonsense"])
def locales(ctx, p):
    """JSON and CSV do not depend on the locale; text in the C locale is ASCII."""
    rep = plain(ctx, 79)
    want = ctx.run("summary", "-f", "json", rep.dir).out
    env = {"LC_ALL": p}
    res = ctx.run("summary", "-f", "json", rep.dir, env=env)
    expect(res.rc == 0 and res.out == want, res, "differs")
    res = ctx.run("summary", rep.dir, env=env)
    expect(res.rc == 0, res, "exit status")
    if p == "C":
        expect(res.out.isascii(), res, "not ASCII in the C locale")


@case()
def colour(ctx):
    """No colour into a pipe, unless it is asked for; never with --no-color."""
    rep = plain(ctx, 80, fits=False)
    for args in ((), ("--no-color",), ("--color=never",), ("--color=auto",)):
        res = ctx.run("summary", *args, rep.dir, env={"TERM": "xterm-256color"})
        expect(res.rc == 0 and b"\x1b" not in res.out, res, "escape sequences")


@case()
def no_home(ctx):
    """HOME and XDG unset, or a cache that cannot be written."""
    rep = plain(ctx, 82)
    env = ctx.env()
    for k in ("HOME", "XDG_CACHE_HOME", "XDG_CONFIG_HOME"):
        env.pop(k)
    proc = subprocess.run([ctx.program, "summary", "-f", "json", rep.dir], env=env,
                          stdin=subprocess.DEVNULL, capture_output=True, timeout=TIMEOUT)
    res = Result(["summary"], proc.returncode, proc.stdout, proc.stderr)
    manners(res)
    compare(res, oracle.summary(rep), parse(res))
    res = ctx.run("summary", "-f", "json", rep.dir, env={"XDG_CACHE_HOME": "/dev/null/x"})
    compare(res, oracle.summary(rep), parse(res), (0,))


@case()
def read_only_directory(ctx):
    """Nothing is needed beside the report: a directory without write permission will do."""
    rep = plain(ctx, 83)
    os.chmod(rep.profile, 0o444)
    os.chmod(rep.dir, 0o555)
    try:
        summarise(ctx, rep)
    finally:
        os.chmod(rep.dir, 0o755)


@case()
def twice_the_same(ctx):
    """The same bytes each time, cache or not."""
    rep = reports.build(ctx.path("report"), 84, hostile_names=True, vars=800, steps=60)
    outs = {ctx.run("summary", "-f", "json", *a, rep.dir).out
            for a in ((), (), ("--cache", "none"), ("--cache", ctx.path("c")), ())}
    expect(len(outs) == 1, ctx.last, "differs from run to run")
