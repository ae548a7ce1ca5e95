# SPDX-License-Identifier: MIT
"""cases_profile - profiles in the SDK's layout, the demo's and a real one, held to identities computed apart."""

import os

from . import profile_oracle, timeline
from .cases_real import real
from .harness import case, expect, fail, parse


def demo(ctx, *more):
    """A demo report in the layout of a real profile: its directory and profile."""
    d = ctx.path("demo")
    res = ctx.run("demo", d, "--layout", "profile", *more)
    expect(res.rc == 0, res, "exit status")
    f = os.path.join(d, "profile.pop")
    expect(os.path.exists(f), res, "%s was not written" % f)
    return d, f


def holds(ctx, path):
    broken = {name: found for name, found in profile_oracle.broken(path).items() if found}
    if broken:
        fail(ctx.last, "broken: %r" % broken)


def summary_agrees(ctx, where, path):
    res = ctx.run("summary", "-f", "json", where)
    got = parse(res)
    for part, members in profile_oracle.figures(path).items():
        for name, value in members.items():
            expect(got[part][name] == value, res, "%s.%s is %r, not %r" % (part, name, got[part][name], value))
    for ipu in got["execution"]["ipus"] or []:
        want = timeline.exclusive(path)[ipu["ipu"]]
        expect(ipu["time"] == want, res, "time of IPU %d is %r, not %r" % (ipu["ipu"], ipu["time"], want))


@case(params=[("--tiles", "40"), ("--tiles", "40", "--seed", "3"), ("--ipus", "1", "--tiles", "1", "--steps", "1"),
              ("--ipus", "4", "--tiles", "16", "--seed", "9", "--steps", "9000"), ("--tiles", "40", "--oom"),
              ("--ipus", "1", "--tiles", "50", "--no-execution"),
              ("--scale", "bert", "--ipus", "2", "--tiles", "12", "--steps", "20000", "--variables", "1")],
      sample=1, smoke=1)
def profile_demo(ctx, more):
    """A demo report keeps every identity, and the summary tells its figures."""
    d, f = demo(ctx, *more)
    holds(ctx, f)
    summary_agrees(ctx, d, f)


@case()
def profile_real(ctx):
    """A real profile keeps them, too."""
    path = os.path.join(real("qr-c600"), "profile.pop")
    holds(ctx, path)
    summary_agrees(ctx, real("qr-c600"), path)
