# SPDX-License-Identifier: MIT
"""
cases_real - files that the Poplar SDK wrote, where there are some: they are not part of the tree.

TILESCOPE_REAL names their folder, else it is shared/real beside the checkout.  The figures were computed apart.
"""

import os

from .harness import Skipped, case, expect, parse

REAL = os.environ.get("TILESCOPE_REAL") or os.path.join(
    os.path.dirname(os.path.abspath(__file__)), "..", "..", "..", "shared", "real")


def real(name):
    path = os.path.join(REAL, name)
    if not os.path.exists(path):
        raise Skipped("no %s: TILESCOPE_REAL names the folder of real files" % path)
    return path


def asked(ctx, path, sql):
    """What a query answers, as rows of values."""
    res = ctx.run("query", "-f", "json", path, sql)
    expect(res.rc == 0, res, "the query fails")
    return [list(row.values()) for row in parse(res)]


@case(smoke=1)
def real_summary(ctx):
    """The target and the memory verdict of a compiled program are the recorded ones."""
    path = real("qr-c600")
    got = parse(ctx.run("summary", "-f", "json", path))
    want = {
        "target": {"type": "IPU", "architecture": "ipu2", "ipus": 1, "replicas": 1, "tiles_per_ipu": 1472,
                   "bytes_per_tile": 638976, "clock_hz": 1.85e9, "assumed": False},
        "memory": {"tiles": 1472, "total_bytes": 3465355, "total_gaps_bytes": 25621116, "worst_tile": 0,
                   "worst_tile_bytes": 32804, "limit_bytes": 638976, "tiles_over": 0, "fits": True, "gaps": True,
                   "always_live_bytes": 2705487},
        "graph": {"compute_sets": 27, "programs": 111}}
    for part, members in want.items():
        for name, value in members.items():
            expect(got[part][name] == value, ctx.last, "%s.%s is %r, not %r" % (part, name, got[part][name], value))


@case()
def real_relations(ctx):
    """What is in the tables of a real file is in the relations."""
    path = real("qr-c600")
    for sql, want in (
            ("SELECT count(*) FROM engine_option WHERE scope = 'compilation'", 131),
            ("SELECT sum(total) FROM tile_memory", 3465355),
            ("SELECT total FROM tile_memory WHERE tile = 0", 8281),
            ("SELECT sum(interleaved + non_interleaved + overflowed) FROM tile_memory", 3465355),
            ("SELECT count(*) FROM vertex_type", 15),
            ("SELECT clock_hz FROM target", 1.85e9)):
        got = asked(ctx, path, sql)
        expect(got == [[want]], ctx.last, "%r, not %r" % (got, want))
