# SPDX-License-Identifier: MIT
"""cases_archive - archive.a alone, beside a profile, instead of a part of it, and broken."""

import os
import shutil
import sqlite3
import struct
import subprocess

from .harness import case, expect, one_line, parse, untouched, snapshot


def elf(text, machine=248, width=1, order=1):
    """An ELF file: .text of `text` bytes that are not in the file, and two functions."""
    names = b"\0.text\0.symtab\0.strtab\0.shstrtab\0"
    strings = b"\0main\0other\0"
    symbols = bytes(16) + struct.pack("<IIIBBH", 1, 0x4c000, 64, 0x12, 0, 1)
    symbols += struct.pack("<IIIBBH", 6, 0x4c040, 16, 0x12, 0, 1)
    body = symbols + strings + names
    body += bytes(-len(body) % 4)
    at = 52 + len(symbols)
    sections = [(0,) * 10, (1, 8, 6, 0x4c000, 52, text, 0, 0, 4, 0),
                (7, 2, 0, 0, 52, len(symbols), 3, 1, 4, 16),
                (15, 3, 0, 0, at, len(strings), 0, 0, 1, 0),
                (23, 3, 0, 0, at + len(strings), len(names), 0, 0, 1, 0)]
    head = b"\x7fELF" + bytes([width, order, 1, 255]) + bytes(8)
    head += struct.pack("<HHIIIIIHHHHHH", 2, machine, 1, 0x4c000, 0, 52 + len(body), 0, 52, 0, 0,
                        40, 5, 4)
    return head + body + b"".join(struct.pack("<10I", *s) for s in sections)


def member(name, data, size=None):
    """A member of an archive; `size`: what its header says."""
    size = len(data) if size is None else size
    return b"%-16s%-12d%-6d%-6d%-8s%-10d`\n" % (name, 0, 0, 0, b"644", size) + data + \
        b"\n" * (len(data) & 1)


def put(path, *members, magic=b"!<arch>\n"):
    """Write an archive."""
    with open(path, "wb") as f:
        f.write(magic + b"".join(members))


def tiles(sizes):
    """Members for tiles of these sizes."""
    return [member(b"tile%d.elf/" % i, elf(n)) for i, n in enumerate(sizes)]


def names(got, *words):
    """Is there a warning with all the words?"""
    return any(all(w in text for w in words) for text in got["warnings"])


@case(smoke=1)
def archive_alone(ctx):
    """It is the report: by its directory, by its name, under another name."""
    d = ctx.path("r")
    os.makedirs(d)
    sizes = [300000 + 7 * i for i in range(1216)]
    put(os.path.join(d, "archive.a"), member(b"//", b"a_tile_with_a_long_name.elf/\n"),
        member(b"/0", elf(sizes[0])), member(b"#1/12", b"a BSD name\0\0" + elf(sizes[1])),
        *tiles(sizes)[2:], member(b"readme/", b"hello"), member(b"x86.o/", elf(5, machine=62)),
        member(b"wide.o/", elf(5, machine=62, width=2)), member(b"ipu_host_0.elf/", elf(5, width=2)), member(b"big.o/", elf(5, order=2)),
        member(b"in.a/", b"!<arch>\n"))
    os.symlink(os.path.join(d, "archive.a"), ctx.path("other.name"))
    for path in (d, os.path.join(d, "archive.a"), ctx.path("other.name")):
        before = snapshot(d)
        res = ctx.run("summary", "-f", "json", path)
        untouched(before, d, res)
        got = parse(res)
        expect(res.rc == 0, res, "exit status")
        expect(got["source"] == "archive", res, "source")
        mem = got["memory"]
        want = {"tiles": 1216, "total_bytes": sum(sizes), "worst_tile": 1215,
                "worst_tile_bytes": sizes[-1], "limit_bytes": 262144, "tiles_over": 1216,
                "fits": False, "gaps": None, "total_gaps_bytes": None, "categories": None}
        expect({k: mem[k] for k in want} == want, res, "memory: %s" % mem)
        expect(got["target"]["architecture"] == "Mk1" and got["target"]["assumed"], res, "target")
        expect(got["parts"]["archive"] == "ok" and got["parts"]["profile"] == "absent", res,
               "parts")
        for words in (("1 member", "not an ELF file"), ("another machine",), ("64-bit",),
                      ("big-endian",), ("an archive",)):
            expect(names(got, *words), res, "no word of %s" % (words,))
    res = ctx.run("summary", d)
    expect(res.rc == 0 and b"archive" in res.out and b"DOES NOT FIT" in res.out, res, "text")
    res = ctx.run("schema", "-f", "json", d)
    bound = [r for r in parse(res)["relations"] if r["bound"]]
    expect([r["name"] for r in bound] == ["tile_memory"], res, "what is bound")
    expect(bound[0]["source"].endswith("archive.a"), res, "its source")


@case(params=["cut", "elf", "bomb", "empty", "other", "thin", "dangling", "header"], sample=4, smoke=1)
def archive_broken(ctx, p):
    """What can be read is shown with exit status 4; what is no archive of tiles is no report."""
    d = ctx.path("r")
    os.makedirs(d)
    path = os.path.join(d, "archive.a")
    good = tiles([1000, 2000, 3000])
    if p == "cut":
        put(path, *good)
        os.truncate(path, os.path.getsize(path) - 100)
    elif p == "elf":
        put(path, good[0], member(b"t1/", elf(2000)[:90]), good[2])
    elif p == "bomb":
        put(path, *good, member(b"t3/", b"abcd", size=9999999999))
    elif p == "header":
        put(path, *good, b"no header at all " * 10)
    elif p == "empty":
        put(path)
    elif p == "other":
        put(path, member(b"a.o/", b"hello"))
    elif p == "thin":
        put(path, *good, magic=b"!<thin>\n")
    else:
        os.symlink("/nowhere/archive.a", path)
    res = ctx.run("summary", "-f", "json", d)
    if p in ("empty", "other", "thin", "dangling"):
        one_line(res, rc=3)
        return
    got = parse(res)
    expect(res.rc == 4, res, "exit status")
    expect(got["parts"]["archive"] == "damaged", res, "parts")
    total = {"cut": 3000, "elf": 4000, "bomb": 6000, "header": 6000}[p]
    expect(got["memory"]["total_bytes"] == total, res, "total")
    expect(names(got, "archive.a"), res, "warnings")
    if p in ("cut", "elf"):
        expect(names(got, "1 of 3 tiles could not be read"), res, "which tile")


@case()
def archive_by_size(ctx):
    """binutils' size adds up the same sections, where it is there."""
    d = ctx.path("r")
    ctx.run("demo", d, "--ipus", "1", "--tiles", "64", "--steps", "50")
    size = shutil.which("size")
    if not size:
        return
    out = subprocess.run([size, "-A", os.path.join(d, "archive.a")], capture_output=True,
                         text=True, env={"LC_ALL": "C"}).stdout
    found = [int(line.split()[1]) for line in out.splitlines() if line.startswith(".text ")]
    if not found:                                           # a size that does not know ELF
        return
    os.remove(os.path.join(d, "profile.pop"))
    res = ctx.run("summary", "-f", "json", d)
    mem = parse(res)["memory"]
    expect(len(found) == 64 and mem["total_bytes"] == sum(found), res, "size says %s" % sum(found))
    expect(mem["worst_tile_bytes"] == max(found), res, "size says %d" % max(found))


@case()
def archive_beside(ctx):
    """The demo's archive agrees with its profile; another one's does not; a broken one is told."""
    small = ("--ipus", "1", "--tiles", "100", "--steps", "50")
    d = ctx.path("a")
    for where, more in (("a", ()), ("b", ("--seed", "7"))):
        expect(ctx.run("demo", ctx.path(where), *small, *more).rc == 0,
               ctx.last, "demo")
    path = os.path.join(d, "archive.a")
    res = ctx.run("summary", "-f", "json", d)
    got = parse(res)
    expect(res.rc == 0 and got["parts"]["archive"] == "ok", res, "parts")
    expect(not names(got, "archive.a"), res, "warnings")
    expect(got["source"] == "sdk", res, "source")
    os.replace(ctx.path("b", "archive.a"), path)
    res = ctx.run("summary", "-f", "json", d)
    got = parse(res)
    expect(res.rc == 0, res, "exit status")
    expect(names(got, "differ by more than 1 %", "of 100 tiles"), res, "warnings")
    os.truncate(path, os.path.getsize(path) - 400)     # within the last member
    res = ctx.run("summary", "-f", "json", d)
    got = parse(res)
    expect(res.rc == 4 and got["parts"]["archive"] == "damaged", res, "exit status and parts")
    expect(got["memory"]["tiles"] == 100, res, "the profile's own tiles")
    os.remove(path)
    expect(ctx.run("demo", d, "--no-archive", *small).rc == 0, ctx.last,
           "demo --no-archive")
    expect(not os.path.exists(path), ctx.last, "an archive")


@case()
def archive_stands_in(ctx):
    """A profile without memory of its tiles takes that of the archive."""
    d = ctx.path("a")
    ctx.run("demo", d, "--ipus", "1", "--tiles", "100", "--steps", "50")
    before = parse(ctx.run("summary", "-f", "json", d))
    db = sqlite3.connect(os.path.join(d, "profile.pop"))
    db.execute("DROP TABLE memory_by_tile")
    db.commit()
    db.close()
    res = ctx.run("summary", "-f", "json", d)
    got = parse(res)
    expect(res.rc == 0 and got["source"] == "sdk", res, "exit status")
    # a tile's .text is its image with gaps, without the 16 bytes before it
    mem, was = got["memory"], before["memory"]
    expect(mem["total_bytes"] == was["total_gaps_bytes"] - 16 * 100, res, "total: %s\n%s" % (mem, was))
    for name in ("tiles", "worst_tile", "fits", "peak_not_always_live_bytes", "peak_step", "categories"):
        expect(mem[name] == was[name], res, "%s: %s, not %s" % (name, mem[name], was[name]))
    res = ctx.run("schema", "-f", "json", d)
    of = {r["name"]: r["source"] for r in parse(res)["relations"] if r["bound"]}
    expect(of["tile_memory"].endswith("archive.a") and of["step"].endswith("profile.pop"), res,
           "sources: %s" % of)
    res = ctx.run("query", "-f", "json", d, "SELECT count(*) AS n, sum(total) AS t FROM tile_memory")
    expect(res.rc == 0 and str(mem["total_bytes"]).encode() in res.out, res, "query")
