# SPDX-License-Identifier: MIT
"""
cases_agree - one model in three layouts: the store, the tables of a profile.pop, and what the stand-in for
libpva said of it.  What a relation has in two of them is the same in both.
"""

import csv
import io
import itertools

from .cases_import import env, reports
from .harness import FULL, case, expect, parse

# Numbers that an import gives anew: compared by what they stand for.
BY_NAME = {"category": "memory_category", "vertex_type": "vertex_type"}
# libpva tells of these only what something refers to, and its store is made by ourselves.
SOME_OF_THEM = {"memory_category", "vertex_type", "class_interval"}
ITS_OWN = {"report", "engine_option", "host"}
MADE_UP_APART = {"context": {"function", "details"}}   # by the demo, for store and debug.cbor
LEAST = {("store", "profile"): 6, ("store", "import"): 20, ("profile", "import"): 6}


def schema(ctx, path):
    """{relation: columns that something is bound to}"""
    res = ctx.run("schema", "-f", "json", "--cache", "none", path)
    expect(res.rc == 0, res, "schema")
    return {r["name"]: [c for c, source in r["columns"].items() if source]
            for r in parse(res)["relations"] if r["bound"]}


def column(relation, name):
    if name in BY_NAME and relation != BY_NAME[name]:
        return '(SELECT n.name FROM %s n WHERE n.%s = r.%s)' % (BY_NAME[name], name, name)
    return 'r."%s"' % name


def rows(ctx, path, relation, columns):
    """All rows of a relation through tilescope, as text."""
    res = ctx.run("query", "-f", "csv", "--cache", "none", path, "SELECT %s FROM %s r" % (
        ", ".join(column(relation, c) for c in columns), relation))
    expect(res.rc == 0 and res.err == b"", res, "query")
    return list(csv.reader(io.StringIO(res.out.decode("utf-8"))))[1:]


def known(*several):
    """
    Without the columns that are NULL throughout in one of them; in order, those first that are never NULL
    (a row is found again by them).
    """
    some = [[any(cells) for cells in zip(*rows)] for rows in several]
    always = [[all(cells) for cells in zip(*rows)] for rows in several]
    keep = [i for i, has in enumerate(zip(*some)) if all(has)]
    keep.sort(key=lambda i: not all(a[i] for a in always))
    return keep, [sorted(tuple(row[i] for i in keep) for row in rows) for rows in several]


def same(a, b):
    """Where both say something they say the same."""
    return len(a) == len(b) and all(x == y or not x or not y for x, y in zip(a, b))


@case(depth=FULL)
def layouts_agree(ctx):
    """Every relation and column that two of the three have holds the same rows in both."""
    profile, store = reports(ctx)
    out = ctx.path("out.tilescope")
    res = ctx.run("import", profile, "--complete", "-o", out, env=env(store))
    expect(res.rc == 0, res, "import")
    path = {"store": store, "profile": profile, "import": out}
    bound = {name: schema(ctx, p) for name, p in path.items()}
    for pair in itertools.combinations(("store", "profile", "import"), 2):
        compared = 0
        for relation in sorted(set(bound[pair[0]]) & set(bound[pair[1]]) - ITS_OWN):
            columns = [c for c in bound[pair[0]][relation] if c in bound[pair[1]][relation] and not (
                relation in BY_NAME.values() and c in BY_NAME or
                c in MADE_UP_APART.get(relation, ()))]
            keep, (a, b) = known(*(rows(ctx, path[p], relation, columns) for p in pair))
            expect(keep and a and b, ctx.last, "%s has nothing in common" % relation)
            if relation in SOME_OF_THEM and "import" in pair:
                a = [row for row in a if row in set(b)]
            expect(len(a) == len(b) and all(map(same, a, b)), ctx.last, "%s of %s and %s (%s): %d and %d rows, first difference: %r" % (
                (relation,) + pair + (", ".join(columns[i] for i in keep), len(a), len(b),
                                      next((p for p in zip(a, b) if not same(*p)), None))))
            compared += 1
        expect(compared >= LEAST[pair], ctx.last, "%s and %s have only %d relations in common" % (
            pair + (compared,)))


@case(depth=FULL)
def versions_agree(ctx):
    """Poplar's version and its hash are two things, also where libpva says both in one text."""
    profile, store = reports(ctx)
    out = ctx.path("out.tilescope")
    ctx.run("import", profile, "--complete", "-o", out, env=env(store))
    for p in (store, out):
        got = parse(ctx.run("summary", "-f", "json", p))
        expect((got["poplar_version"], got["package_hash"]) == ("3.1.0", "demo000000"), ctx.last, p)
    ctx.run("import", profile, "--complete", "-o", out, env=env(store, STANDIN_LACK="Version.string"))
    expect(parse(ctx.run("summary", "-f", "json", out))["poplar_version"] is None, ctx.last,
           "a version without text")
