# SPDX-License-Identifier: MIT
"""cases_cache - cache list and clear, and what a cache directory may hold that is not ours."""

import os

from . import oracle
from .harness import case, compare, expect, one_line, parse, plain

NAME = "0123456789abcdef" * 2


def folder(ctx, name=NAME, root="c"):
    """A report's folder with a section that is none."""
    where = ctx.path(root, "index", name)
    os.makedirs(where)
    for f, text in (("lock", ""), ("used", ""), ("steps.idx", "x" * 500),
                    ("lanes.0011223344556677.tmp", "y" * 24)):
        with open(os.path.join(where, f), "w") as h:
            h.write(text)
    return where


def listed(ctx, *args):
    res = ctx.run("cache", "list", "-f", "json", *args)
    expect(res.rc == 0 and res.err == b"", res, "exit status %d" % res.rc)
    got = parse(res)
    expect(sorted(got) == ["bytes", "dir", "files", "reports"], res, "members of the object")
    for r in got["reports"]:
        expect(sorted(r) == ["bytes", "gone", "last_used", "path", "sections"], res,
               "members of a report")
    return got


@case(params=["unset", "none", "empty-dir", "missing-dir"])
def cache_empty(ctx, p):
    """Nothing is kept: said so, exit 0, and nothing is made."""
    os.makedirs(ctx.path("empty-dir"))
    args = () if p == "unset" else ("--cache", p if p == "none" else ctx.path(p))
    got = listed(ctx, *args)
    expect(got["reports"] == [] and got["bytes"] == 0, ctx.last, "not empty")
    res = ctx.run("cache", "list", *args)
    expect(res.rc == 0 and b"nothing is kept" in res.out, res, "what list says")
    res = ctx.run("cache", "clear", *args)
    expect(res.rc == 0 and res.out == b"nothing was removed\n", res, "what clear says")
    got = parse(ctx.run("cache", "clear", "-f", "json", *args))
    expect([got[k] for k in ("removed_reports", "removed_bytes", "left_reports", "removed_files",
                             "left_files")] == [0] * 5, ctx.last, "figures")
    expect(not os.path.exists(ctx.path("missing-dir")) and not os.listdir(ctx.path("empty-dir")) and
           not os.path.exists(os.path.join(ctx.home, "cache")), res, "a directory was made")


@case(params=[(), ("what",), ("list", "more"), ("list", "-f", "csv"), ("clear", "-f", "md"),
              ("list", "--cache"), ("list", "--units", "kb"), ("list", "--cache", "")])
def cache_usage(ctx, args):
    res = ctx.run("cache", *args)
    expect(res.rc == 2 and res.out == b"" and res.err.startswith(b"tilescope: "), res, "usage")


@case(params=["list", "clear"])
def cache_is_a_file(ctx, p):
    """--cache FILE: one line that says so, and what to do."""
    with open(ctx.path("file"), "w") as f:
        f.write("mine")
    res = ctx.run("cache", p, "--cache", ctx.path("file"))
    one_line(res, rc=2)
    expect(b"file: Not a directory" in res.err and b"--cache DIR" in res.err, res, "the reason")
    with open(ctx.path("file")) as f:
        expect(f.read() == "mine", res, "the file was touched")


@case(params=["file", "dangling", "none"])
def cache_of_no_use(ctx, p):
    """A cache that cannot be is no reason for a verb not to answer, nor for a word about it."""
    rep = plain(ctx, 90)
    with open(ctx.path("file"), "w"):
        pass
    os.symlink("/nowhere/at/all", ctx.path("dangling"))
    res = ctx.run("summary", "-f", "json", "--cache", p if p == "none" else ctx.path(p), rep.dir)
    compare(res, oracle.summary(rep), parse(res), (0,))
    expect(res.err == b"", res, "something on standard error")


@case()
def cache_list_and_clear(ctx):
    """What cannot be read is listed without a path, and cleared; what is not ours stays."""
    where = folder(ctx)
    for other in (ctx.path("c", "demo", "small-store"), ctx.path("c", "index", "mine"),
                  ctx.path("c", "index", NAME[:-1])):
        os.makedirs(other)
    os.utime(os.path.join(where, "used"), (1700000000, 1700000000))
    got = listed(ctx, "--cache", ctx.path("c"))
    expect(got["dir"] == ctx.path("c") and got["bytes"] == 524, ctx.last, "dir and bytes")
    expect(got["reports"] == [{"path": None, "bytes": 524, "last_used": 1700000000,
                               "sections": ["steps"], "gone": False}], ctx.last, "the report")
    res = ctx.run("cache", "list", "--cache", ctx.path("c"))
    expect(b"524 B" in res.out and b"2023-11-14 22:13" in res.out and b"(not known)" in res.out,
           res, "the table")
    expect(max(map(len, res.out.decode().splitlines()[1:])) <= 80, res, "wider than 80 columns")
    res = ctx.run("cache", "clear", "--cache", ctx.path("c"))
    expect(res.rc == 0 and res.out == b"removed: 524 B, the indexes of 1 report\n", res, "what clear says")
    expect(sorted(os.listdir(ctx.path("c", "index"))) == sorted(["mine", NAME[:-1]]), res,
           "what is left")
    expect(os.path.isdir(ctx.path("c", "demo", "small-store")), res, "the demo is gone")


@case()
def cache_foreign_files(ctx):
    """A folder with files that are not ours keeps them, and is told."""
    where = folder(ctx)
    with open(os.path.join(where, "notes.txt"), "w"):
        pass
    got = parse(ctx.run("cache", "clear", "-f", "json", "--cache", ctx.path("c")))
    expect(os.listdir(where) == ["notes.txt"] and got["left_reports"] == 1, ctx.last, "what is left")


@case()
def cache_links(ctx):
    """Links are not followed: neither the folder, nor a report's, nor a file in it."""
    outside = folder(ctx, root="outside")
    os.makedirs(ctx.path("c", "index"))
    os.symlink(outside, ctx.path("c", "index", "f" * 32))
    inside = folder(ctx)
    os.remove(os.path.join(inside, "steps.idx"))
    os.symlink(os.path.join(outside, "steps.idx"), os.path.join(inside, "steps.idx"))
    os.remove(os.path.join(inside, "lock"))
    before = sorted(os.listdir(outside))
    got = listed(ctx, "--cache", ctx.path("c"))
    expect(sum(r["bytes"] for r in got["reports"]) == 24, ctx.last, "sizes of what links lead to")
    res = ctx.run("cache", "clear", "--cache", ctx.path("c"))
    expect(res.rc == 0 and sorted(os.listdir(outside)) == before, res, "removed through a link")
    expect(not os.path.exists(inside), res, "the folder that is ours is still there")
    os.symlink(ctx.path("outside", "index"), ctx.path("index"))
    res = ctx.run("cache", "clear", "--cache", ctx.dir)
    expect(res.rc == 2 and sorted(os.listdir(outside)) == before, res, "removed through a link")


@case()
def cache_output(ctx):
    """-o FILE, and a cache named by XDG_CACHE_HOME."""
    folder(ctx, root=os.path.join("xdg", "tilescope"))
    env = {"XDG_CACHE_HOME": ctx.path("xdg")}
    res = ctx.run("cache", "list", "-f", "json", "-o", ctx.path("o"), env=env)
    expect(res.rc == 0 and res.out == b"", res, "-o")
    with open(ctx.path("o"), "rb") as f:
        res.out = f.read()
    expect(parse(res)["dir"] == ctx.path("xdg", "tilescope"), res, "dir")
    expect(len(parse(res)["reports"]) == 1, res, "reports")
