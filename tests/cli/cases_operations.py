# SPDX-License-Identifier: MIT
"""cases_operations - operations as `tilescope export` writes them, held against sets made of the file itself."""

import os

from .cases_export import demo, export, rows, store
from .harness import case, expect, unsafe
from .oracle_operations import Operations


def key_of(row):
    if row["operation"] is not None:
        return "o", row["operation"]
    return ("c", row["context"]) if row["context"] is not None else ("n", tuple(row["path"].split("/")))


def compare(ctx, where):
    """Every operation, its place, and its figures."""
    should = Operations(store(where))
    got = {key_of(r): r for r in rows(ctx, where, "operations")}
    by_node = {r["node"]: k for k, r in got.items()}
    expect(set(got) == should.nodes, ctx.last, "operations: %s" % sorted(set(got) ^ should.nodes)[:5])
    for key, r in got.items():
        expect(by_node.get(r["parent"]) == should.up(key), ctx.last, "what is above %s %s" % key)
        expect(r["layer"] == should.layer(key), ctx.last, "layer of %s %s" % key)
        for prefix, programs, sizes in (("", should.of, should.of_bytes), ("below_", should.below, should.below_bytes)):
            for name, value in should.figures(programs.get(key, ()), sizes.get(key, ())).items():
                if name == "live_bytes" and not programs.get(key):
                    continue
                expect(r[prefix + name] == value, ctx.last,
                       "%s%s of %s: %r, not %r" % (prefix, name, key, r[prefix + name], value))
    return got


@case(smoke=1)
def operations(ctx):
    """As the demo has them: recorded ones of a layer, contexts of three."""
    got = compare(ctx, demo(ctx))
    expect({r["from"] for r in got.values()} == {"recorded", "from contexts", "from names"}, ctx.last, "from")


@case()
def operations_derived(ctx):
    """Without the relation operation; then without who belongs to which; then of names alone."""
    where = demo(ctx)
    db = store(where)
    db.execute("DROP TABLE operation_program")
    db.commit()
    compare(ctx, where)
    db.execute("DROP TABLE operation")
    db.commit()
    compare(ctx, where)
    db.execute("DROP TABLE context")
    db.commit()
    layers = {r["layer"] for r in rows(ctx, where, "operations") if r["from"] == "from contexts"}
    expect({"poptorch", "popart", "poplibs"} <= layers, ctx.last, "contexts of debug.cbor: %s" % layers)
    os.remove(os.path.join(where, "debug.cbor"))
    expect({k[0] for k in compare(ctx, where)} == {"n"}, ctx.last, "names alone")


@case()
def operations_circles(ctx):
    """Contexts above themselves, or that are not there."""
    where = demo(ctx)
    db = store(where)
    db.execute("UPDATE context SET parent = 999999 WHERE layer = 'poptorch'")
    db.execute("UPDATE program SET context = 888888 WHERE program % 5 = 0")
    db.commit()
    compare(ctx, where)
    ids = [r[0] for r in db.execute("SELECT context FROM context WHERE layer = 'popart' ORDER BY 1 LIMIT 3")]
    for at, above in zip(ids, ids[1:] + ids[:1]):
        db.execute("UPDATE context SET parent = ? WHERE context = ?", (above, at))
    db.commit()
    got = rows(ctx, where, "operations")
    of = {r["context"]: r for r in got}
    expect(of[ids[0]]["parent"] is None, ctx.last, "the lowest of a circle is on top")
    expect(of[ids[1]]["parent"] == of[ids[2]]["node"], ctx.last, "the others are below")


@case()
def operations_dot(ctx):
    """A graph: a node for each operation, a line to what is above it, arrows for variables."""
    where = demo(ctx)
    db = store(where)
    db.execute("UPDATE operation SET name = ? WHERE operation = 2", ('say "x" \\ \x1b[31m\nline',))
    db.commit()
    nodes = rows(ctx, where, "operations")
    res = export(ctx, where, "operations", "dot")
    text = res.out.decode("utf-8")
    lines = text.splitlines()
    expect("digraph operations {" in lines and lines[-1] == "}", res, "no graph")
    expect(lines[0].startswith("// tilescope") and lines[1] == "// all layers, %d operations" % len(nodes), res, "its head")
    expect(sum(" [label=" in x and " -> " not in x for x in lines) == len(nodes), res, "nodes")
    expect(sum("arrowhead=none" in x for x in lines) == sum(r["parent"] is not None for r in nodes), res, "lines")
    expect(unsafe(text) is None and r'say \"x\" \\' in text, res, "a label")


@case()
def operations_flows(ctx):
    """Arrows go from who made a variable, as its context says, to the operations of the programs that name it."""
    where = demo(ctx)
    db = store(where)
    should = Operations(db)
    first, second = sorted(k[1] for k in should.nodes if k[0] == "o")[3:5]
    context = db.execute("SELECT context FROM operation WHERE operation = ?", (first,)).fetchone()[0]
    lowered, size = db.execute(
        "SELECT id, variable.bytes FROM lowered_variable JOIN variable USING (variable) WHERE variable.context = ?",
        (context,)).fetchone()
    program = db.execute("SELECT program FROM operation_program WHERE operation = ?", (second,)).fetchone()[0]
    db.execute("DELETE FROM program_variable")
    db.execute("INSERT INTO program_variable VALUES(?, ?)", (program, lowered))
    db.commit()
    node = {r["operation"]: r["node"] for r in rows(ctx, where, "operations")}
    arrows = [x for x in export(ctx, where, "operations", "dot").out.decode().splitlines() if "tooltip" in x]
    expect(arrows == ['  n%d -> n%d [label="1 variable\\n%d bytes", tooltip="context"];' % (node[first], node[second], size)],
           ctx.last, "arrows: %s" % arrows)
    db.execute("DROP TABLE program_variable")
    db.commit()
    res = export(ctx, where, "operations", "dot")
    expect(b"tooltip" not in res.out and not res.err, res, "nobody says who uses what")


@case()
def operations_absent(ctx):
    """Programs without contexts and without names of parts are in no operation."""
    where = demo(ctx)
    db = store(where)
    for table in ("operation", "operation_program", "operation_variable", "context"):
        db.execute("DROP TABLE %s" % table)
    db.execute("UPDATE program SET name = 'x'")
    db.execute("UPDATE compute_set SET name = NULL")
    db.commit()
    os.remove(os.path.join(where, "debug.cbor"))
    res = export(ctx, where, "operations", "csv", rc=2)
    expect(not res.out and len(res.err.decode().splitlines()) == 1, res, "one line")
    db.execute("DROP TABLE program")
    db.commit()
    export(ctx, where, "operations", "csv", rc=2)
