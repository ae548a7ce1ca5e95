# SPDX-License-Identifier: MIT
"""
cases_agree - one model in two layouts: the store, and the tables of a profile.pop.  What a relation has in both is
the same in both.
"""

import csv
import io

from .harness import FULL, case, expect, parse

SHAPE = ("--ipus", "2", "--tiles", "4", "--steps", "300", "--variables", "300")
ITS_OWN = {"report", "engine_option", "host"}
MADE_UP_APART = {"context": {"function", "details"}}   # by the demo, for store and debug.cbor
LEAST = 6


def schema(ctx, path):
    """{relation: columns that something is bound to}"""
    res = ctx.run("schema", "-f", "json", "--cache", "none", path)
    expect(res.rc == 0, res, "schema")
    return {r["name"]: [c for c, source in r["columns"].items() if source]
            for r in parse(res)["relations"] if r["bound"]}


def rows(ctx, path, relation, columns):
    """All rows of a relation through tilescope, as text."""
    res = ctx.run("query", "-f", "csv", "--cache", "none", path, "SELECT %s FROM %s" % (
        ", ".join('"%s"' % c for c in columns), relation))
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
    """Every relation and column that both have holds the same rows in both."""
    path = {"store": ctx.path("store", "report.tilescope"), "sdk": ctx.path("sdk", "profile.pop")}
    for layout in path:
        res = ctx.run("demo", ctx.path(layout), "--layout", layout, *SHAPE)
        expect(res.rc == 0, res, "the demo report cannot be written")
    store, sdk = (schema(ctx, p) for p in path.values())
    compared = 0
    for relation in sorted(set(store) & set(sdk) - ITS_OWN):
        columns = [c for c in store[relation] if c in sdk[relation] and
                   c not in MADE_UP_APART.get(relation, ())]
        keep, (a, b) = known(*(rows(ctx, p, relation, columns) for p in path.values()))
        expect(keep and a and b, ctx.last, "%s has nothing in common" % relation)
        expect(len(a) == len(b) and all(map(same, a, b)), ctx.last, "%s (%s): %d and %d rows, first difference: %r" % (
            relation, ", ".join(columns[i] for i in keep), len(a), len(b),
            next((p for p in zip(a, b) if not same(*p)), None)))
        compared += 1
    expect(compared >= LEAST, ctx.last, "they have only %d relations in common" % compared)
