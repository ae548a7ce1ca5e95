# SPDX-License-Identifier: MIT
"""cases_operations - operations as `tilescope export` writes them, held against sets made of the file itself."""

import os

from .cases_export import change, demo, export, profile, rows
from .cases_query import cbor
from .harness import case, expect, unsafe
from .oracle_operations import Operations
from .profile_oracle import items, relations


def key_of(row):
    if row["operation"] is not None:
        return "o", row["operation"]
    return ("c", row["context"]) if row["context"] is not None else ("n", tuple(row["path"].split("/")))


def compare(ctx, where):
    """Every operation, its place, and its figures."""
    should = Operations(relations(profile(where)))
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


def contexts(where, edit):
    """Change what debug.cbor says: edit(contexts by id, names)."""
    path = os.path.join(where, "debug.cbor")
    with open(path, "rb") as f:
        whole = items(f.read())
    edit({c["id"]: c for c in whole["contexts"]}, whole["stringTable"])
    with open(path, "wb") as f:
        f.write(cbor(whole))


@case(smoke=1)
def operations(ctx):
    """As the demo has them: contexts of three layers."""
    got = compare(ctx, demo(ctx))
    layers = {r["layer"] for r in got.values() if r["from"] == "from contexts"}
    expect({"poptorch", "popart", "poplibs"} <= layers, ctx.last, "contexts of debug.cbor: %s" % layers)


@case()
def operations_of_names(ctx):
    """Without debug.cbor they are made of names alone."""
    where = demo(ctx)
    os.remove(os.path.join(where, "debug.cbor"))
    expect({k[0] for k in compare(ctx, where)} == {"n"}, ctx.last, "names alone")


@case()
def operations_circles(ctx):
    """Contexts above themselves, or that are not there."""
    where = demo(ctx)
    contexts(where, lambda by_id, _: [c.update(parentId=999999) for c in by_id.values() if c["layer"] == "poptorch"])
    change(where, "UPDATE programs SET debug_id = 888888 WHERE id % 5 = 0")
    got = compare(ctx, where)
    ids = [c for kind, c in sorted(got) if kind == "c" and got[kind, c]["layer"] == "popart"][:3]
    contexts(where, lambda by_id, _: [by_id[at].update(parentId=above) for at, above in zip(ids, ids[1:] + ids[:1])])
    of = {r["context"]: r for r in rows(ctx, where, "operations")}
    expect(of[ids[0]]["parent"] is None, ctx.last, "the lowest of a circle is on top")
    expect(of[ids[1]]["parent"] == of[ids[2]]["node"], ctx.last, "the others are below")


@case()
def operations_dot(ctx):
    """A graph: a node for each operation, a line to what is above it, arrows for variables."""
    where = demo(ctx)
    odd = next(c for kind, c in sorted(Operations(relations(profile(where))).nodes) if kind == "c")
    contexts(where, lambda by_id, texts: texts.__setitem__(by_id[odd]["name"], 'say "x" \\ \x1b[31m\nline'))
    nodes = rows(ctx, where, "operations")
    res = export(ctx, where, "operations", "dot")
    text = res.out.decode("utf-8")
    lines = text.splitlines()
    expect("digraph operations {" in lines and lines[-1] == "}", res, "no graph")
    expect(lines[0].startswith("// tilescope") and lines[1] == "// all layers, %d operations" % len(nodes), res, "its head")
    expect(sum(" [label=" in x and " -> " not in x for x in lines) == len(nodes), res, "nodes")
    expect(sum("arrowhead=none" in x for x in lines) == sum(r["parent"] is not None for r in nodes), res, "lines")
    expect(unsafe(text) is None and r'say \"x\" \\' in text, res, "a label")


def number(n):
    """As profiles have it: seven bits a byte, the most significant first, the last byte marked."""
    return bytes([n >> s & 127 for s in range(63, 0, -7) if n >> s]) + bytes([n & 127 | 128])


@case()
def operations_flows(ctx):
    """Arrows go from who made a variable, as its context says, to the operations of the programs that name it."""
    where = demo(ctx)
    db = relations(profile(where))
    should = Operations(db)
    (maker, _), (user, which) = [(p["context"], p["set"]) for _, p in sorted(should.program.items())
                                 if p["set"] is not None and should.layer(("c", p["context"])) == "poplar"][3:5]
    variable, size = db.execute("SELECT variable, bytes FROM variable WHERE bytes > 0 AND context IS NOT NULL").fetchone()
    lowered, = db.execute("SELECT max(id) FROM lowered_variable").fetchone()
    change(where, "DELETE FROM exchange_regions", "UPDATE compute_sets SET var_ids_diff_rle = NULL",
           ("UPDATE vars_info SET unlowered_var_id = ? WHERE var_id = ?", (variable, lowered)),
           ("UPDATE debug_ids SET ids = ? WHERE variable_id = ?", (number(maker), variable)),
           ("UPDATE compute_sets SET var_ids_diff_rle = ? WHERE compute_set = ?", (number(3) + number(lowered), which)))
    node = {r["context"]: r["node"] for r in rows(ctx, where, "operations")}
    arrows = [x for x in export(ctx, where, "operations", "dot").out.decode().splitlines() if "tooltip" in x]
    expect(arrows == ['  n%d -> n%d [label="1 variable\\n%d bytes", tooltip="context"];' % (node[maker], node[user], size)],
           ctx.last, "arrows: %s" % arrows)


@case()
def operations_absent(ctx):
    """Programs without contexts and without names of parts are in no operation."""
    where = demo(ctx)
    change(where, "UPDATE programs SET name = 'x'", "UPDATE compute_sets SET name = ''")
    os.remove(os.path.join(where, "debug.cbor"))
    res = export(ctx, where, "operations", "csv", rc=2)
    expect(not res.out and len(res.err.decode().splitlines()) == 1, res, "one line")
    change(where, "DROP TABLE programs")
    export(ctx, where, "operations", "csv", rc=2)
