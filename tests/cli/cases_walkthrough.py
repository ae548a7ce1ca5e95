# SPDX-License-Identifier: MIT
"""
cases_walkthrough - docs/walkthrough.md: its commands are run, and its answers worked out apart.

With TS_WRITE_DOCS=1 in the environment what the commands print is written into the document.
"""

import os
import re
import subprocess
import xml.etree.ElementTree

from .harness import Failed, case
from .profile_oracle import relations

HERE = os.path.dirname(os.path.abspath(__file__))
PAGE = os.path.join(HERE, "..", "..", "docs", "walkthrough.md")
BLOCK = re.compile(r"^```console\n(.*?)^```\n", re.M | re.S)


def blocks(text):
    """[(command, what is printed)] of each fenced block."""
    for match in BLOCK.finditer(text):
        commands = []
        for line in match.group(1).splitlines(True):
            if line.startswith("$ "):
                commands.append([line[2:].rstrip("\n"), ""])
            elif line.startswith("> ") and not commands[-1][1]:
                commands[-1][0] += "\n" + line[2:].rstrip("\n")
            else:
                commands[-1][1] += line
        yield match, commands


def sh(ctx, command):
    """Run a line of the page: tilescope is the one under test."""
    where = ctx.path("bin")
    if not os.path.exists(where):
        os.makedirs(where)
        os.symlink(os.path.abspath(ctx.program), os.path.join(where, "tilescope"))
    env = ctx.env()
    env["PATH"] = where + os.pathsep + env["PATH"]
    p = subprocess.run(["sh", "-c", command], cwd=ctx.dir, env=env, stdin=subprocess.DEVNULL,
                       stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=300)
    if p.returncode or p.stderr:
        raise Failed("$ %s\nexit %d\n%r" % (command, p.returncode, p.stderr))
    return "\n".join(line.rstrip() for line in p.stdout.decode("utf-8").split("\n"))


def figures(printed):
    """The rows of a printed table, without its two head lines."""
    return [line.split() for line in printed.splitlines()[2:]]


MIXED = """SELECT s.step, count(DISTINCT v.vertex_type) FROM step s, compute_set_vertex v
           WHERE s.compute_set = v.compute_set AND s.type = 'OnTileExecute'
           GROUP BY s.step HAVING count(DISTINCT v.vertex_type) > 1 ORDER BY s.step"""


def answers(db):
    """What the page's queries have to give, by a piece of their text: other SQL, on the tables themselves."""
    one = lambda sql: db.execute(sql).fetchall()
    sets = one("SELECT count(DISTINCT compute_set) FROM compute_set")
    types = dict(one("SELECT vertex_type, name FROM vertex_type"))
    mixed = one(MIXED)
    gaps = one("SELECT tile, total_gaps FROM tile_memory ORDER BY tile")
    largest = max(one("SELECT bytes, -id FROM lowered_variable WHERE tile = 10 AND always_live = 0"))
    ipus = one("SELECT count(DISTINCT ipu) FROM tile_memory")[0][0]
    return {
        "FROM graph_count": sets, "AS compute_sets FROM compute_set": sets,
        "FROM target": [(ipus, len(gaps) // ipus, len(gaps))],
        "'poplar_version'": one("SELECT key, value FROM report WHERE key IN "
                                "('package_hash', 'poplar_version')"),
        "sum(cycles)": [(sum(c for c, in one("SELECT cycles FROM step_ipu WHERE ipu = 0")),)],
        "types, c.name": mixed,
        "s.step = 44": [(types[t], n) for t, n in one(
            "SELECT vertex_type, instances FROM compute_set_vertex WHERE compute_set = "
            "(SELECT compute_set FROM step WHERE step = 44)")],
        "AS bytes FROM tile_memory ORDER": gaps,
        "SELECT id, bytes FROM lowered_variable": [(-largest[1], largest[0])],
    }


def peak_of(db, tile, halved):
    """(bytes, step) of the most live bytes on a tile, one of its lowered variables halved; a cell for each step."""
    base, = db.execute("SELECT always_live FROM tile_memory WHERE tile = ?", (tile,)).fetchone()
    alive = {}
    for i, size, start, end in db.execute(
            'SELECT v.id, v.bytes, c.start, c."end" FROM lowered_variable v JOIN class_interval c USING (class) '
            "WHERE v.tile = ? AND v.always_live = 0", (tile,)):
        for step in range(start, end):
            alive.setdefault(step, {})[i] = (size + 1) // 2 if i == halved else size
    at = {step: sum(pieces.values()) for step, pieces in alive.items()}
    step = min(at, key=lambda s: (-at[s], s))
    return base + at[step], step


def what_if(db, printed):
    """The fullest tile of the page's picture: before, after, where."""
    row = [line for line in printed.splitlines() if line.startswith("fullest ")]
    before, (after, step) = peak_of(db, 10, None)[0], peak_of(db, 10, 1724)
    want = "%.0f KiB  %.0f KiB tile 10 step %d" % (before / 1024, after / 1024, step)
    if len(row) != 1 or want not in row[0]:
        raise Failed("what if: %s, right: %s" % (row, want))


@case(smoke=1)
def walkthrough(ctx):
    """The page is what its commands print, and what they print is right."""
    with open(PAGE, encoding="utf-8") as f:
        text = f.read()
    made, end, wrong, checked = "", 0, [], set()
    for match, commands in blocks(text):
        made += text[end:match.start()] + "```console\n"
        end = match.end()
        for command, expected in commands:
            printed = sh(ctx, command)
            made += "$ %s\n%s" % (command.replace("\n", "\n> "), printed)
            if printed != expected:
                wrong.append("$ %s\nprinted:\n%s\nin the document:\n%s" % (command, printed, expected))
            if "what-if=" in command:
                what_if(relations(ctx.path("walk", "profile.pop")), printed)
            if " query " not in command:
                continue
            known = answers(relations(ctx.path(command.split()[2], "profile.pop")))
            key = [k for k in known if k in command]
            if len(key) != 1:
                raise Failed("nobody knows the answer of %s" % command)
            want = sorted(" ".join(map(str, row)).split() for row in known[key[0]])
            got = [row[:len(w)] for row, w in zip(sorted(figures(printed)), want)]
            checked.add(key[0])
            if got != want or len(want) != len(figures(printed)):
                raise Failed("$ %s\nprinted: %s\nright: %s" % (command, got, want))
        made += "```\n"
    if len(checked) != len(known):
        raise Failed("not asked: %s" % (set(known) - checked))
    xml.etree.ElementTree.parse(ctx.path("plot.svg"))
    if os.environ.get("TS_WRITE_DOCS"):
        with open(PAGE, "w", encoding="utf-8") as f:
            f.write(made + text[end:])
    elif wrong:
        raise Failed("docs/walkthrough.md is not current (TS_WRITE_DOCS=1 make check ONLY=cli/walkthrough "
                     "writes it)\n" + "\n".join(wrong[:3]))
