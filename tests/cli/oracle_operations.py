# SPDX-License-Identifier: MIT
"""
oracle_operations - operations of a profile and what each comes to, computed without tilescope: sqlite3 and sets.

An operation is ("o", number) when it is recorded, ("c", id) when it is a context, ("n", parts) when it is a name.
"""

import collections

from .profile_oracle import tiles as numbers


def tables(db):
    return {r[0] for r in db.execute("SELECT name FROM sqlite_temp_master")}


class Operations:
    def __init__(self, db):
        self.db, self.has = db, tables(db)
        self.context = {r[0]: r[1:] for r in self.rows("context", "context, parent, layer, name")}
        self.recorded = {r[0]: r[1:] for r in self.rows(
            "operation", "operation, layer, name, context, first_step, last_step")}
        self.stands = {}  # context -> the first operation that names it
        for number in sorted(self.recorded, reverse=True):
            if self.recorded[number][2] in self.context:
                self.stands[self.recorded[number][2]] = number
        self.read_programs()
        self.attach()

    def rows(self, table, columns):
        return self.db.execute("SELECT %s FROM %s" % (columns, table)).fetchall() if table in self.has else []

    def read_programs(self):
        sets = {r[0]: r[1:] for r in self.rows("compute_set", "compute_set, context, name, cycles_by_tile, "
                                               "estimated_cycles_by_tile")}
        parents = {r[0] for r in self.rows("program_child", "parent")}
        steps, executed = collections.Counter(), collections.Counter()
        for program, cycles in self.db.execute(
                "SELECT program, sum(cycles) FROM step LEFT JOIN step_ipu USING (step) GROUP BY step"):
            steps[program] += 1
            executed[program] += cycles or 0
        live = collections.defaultdict(list)
        for r in self.rows("liveness_step", "program, live_step, not_always_live"):
            live[r[0]].append(r[1:])
        self.program = {}
        for r in self.rows("program", "program, name, compute_set, context, control_code_by_tile, code_by_tile, "
                           "cycles_by_tile, estimated_cycles_by_tile"):
            own = sets.get(r[2], (None,) * 4)
            measured, estimated = (numbers(mine) if mine is not None else None if his is None else numbers(his)
                                   for mine, his in zip(r[6:8], own[2:4]))
            self.program[r[0]] = {
                "name": r[1] if r[1] is not None else own[1], "set": r[2],
                "context": r[3] if r[3] in self.context else own[0],
                "control": sum(numbers(r[4])) if r[4] is not None and r[0] not in parents else None,
                "exchange": None if r[5] is None else sum(numbers(r[5])),
                "cycles": measured, "estimated": estimated,
                "steps": steps[r[0]], "executed": executed[r[0]], "live": live[r[0]]}

    # --- the forest
    def door(self, context):
        return ("o", self.stands[context]) if context in self.stands else ("c", context)

    def up(self, node):
        kind, key = node
        if kind == "n":
            return ("n", key[:-1]) if len(key) > 1 else None
        if kind == "o":
            context = self.recorded[key][2]
            if context not in self.context:
                return None
            if self.stands[context] != key:
                return self.door(context)
            if self.context[context][1] != self.recorded[key][0]:
                return ("c", context)
            key = context
        parent = self.context[key][0]
        return self.door(parent) if parent in self.context else None

    def chain(self, node):
        while node:
            yield node
            node = self.up(node)

    def layer(self, node):
        return {"n": lambda: "names", "o": lambda: self.recorded[node[1]][0],
                "c": lambda: self.context[node[1]][1]}[node[0]]()

    def attach(self):
        """self.of, self.below: programs (and variables) by node; those of operation_program alone where it is there."""
        to = collections.defaultdict(set)
        for p, r in self.program.items():
            if r["context"] in self.context:
                to[p].add((self.door(r["context"]), False))
        for operation, program in self.rows("operation_program", "operation, program"):
            if program in self.program:
                to[program].add((("o", operation), True))
        loose = {p: tuple(x for x in (r["name"] or "").split("/") if x)
                 for p, r in self.program.items() if p not in to}
        first = {parts[0] for parts in loose.values() if len(parts) > 1}
        for p, parts in loose.items():
            if len(parts) > 1 or (parts and parts[0] in first):
                to[p].add((("n", parts), False))
        self.of, self.below = collections.defaultdict(set), collections.defaultdict(set)
        for p, where in to.items():
            for node, said in where:
                layers = set()
                for at in self.chain(node):
                    others = at[0] == "o" and "operation_program" in self.has and not (said and at == node)
                    self.below[at].add(p)
                    if self.layer(at) not in layers and not others:
                        self.of[at].add(p)
                    layers.add(self.layer(at))
        self.nodes = set(self.below)
        for number in self.recorded:
            self.nodes.update(self.chain(("o", number)))
        self.variables()

    def variables(self):
        self.of_bytes, self.below_bytes = collections.defaultdict(list), collections.defaultdict(list)
        for context, size in self.rows("variable", "context, bytes"):
            layers = set()
            for at in self.chain(self.door(context)) if context in self.context else ():
                if at in self.nodes:
                    self.below_bytes[at].append(size)
                    if self.layer(at) not in layers:
                        self.of_bytes[at].append(size)
                    layers.add(self.layer(at))

    # --- figures
    def figures(self, programs, sizes):
        def known(values):
            values = [v for v in values if v is not None]
            return sum(values) if values else None

        rows = [self.program[p] for p in programs]
        sets = {r["set"] for r in rows if r["set"] is not None}
        instances, types, users, code = self.vertices()
        run = set().union(*(types[s] for s in sets)) if sets else set()
        alone = {t for t in run if users[t] <= set(programs)}
        live = [x for r in rows for x in r["live"]]
        control, exchange = known(r["control"] for r in rows), known(r["exchange"] for r in rows)
        own = known(code.get(t) for t in alone)
        return {
            "programs": len(rows), "steps": known(r["steps"] for r in rows),
            "executed_cycles": known(r["executed"] for r in rows),
            "cycles": known(None if r["cycles"] is None else max(r["cycles"], default=0) for r in rows),
            "tile_cycles": known(None if r["cycles"] is None else sum(r["cycles"]) for r in rows),
            "estimated_cycles": known(None if r["estimated"] is None else max(r["estimated"], default=0)
                                      for r in rows),
            "control_code_bytes": control, "exchange_code_bytes": exchange,
            "vertex_code_bytes": known(code.get(t) for t in run), "vertex_code_alone_bytes": own,
            "code_bytes": known((control, exchange, own)),
            "compute_sets": len(sets) or None, "vertices": known(instances.get(s) for s in sets),
            "live_bytes": max((x[1] for x in live), default=None),
            "variables": len(sizes) or None, "variable_bytes": sum(sizes) if sizes else None}

    def vertices(self):
        if not hasattr(self, "kept"):
            instances, types = collections.Counter(), collections.defaultdict(set)
            for s, t, n in self.rows("compute_set_vertex", "compute_set, vertex_type, instances"):
                instances[s] += n
                types[s].add(t)
            users = collections.defaultdict(set)
            for p, r in self.program.items():
                for t in types.get(r["set"], ()):
                    users[t].add(p)
            code = dict(self.db.execute("SELECT vertex_type, sum(code_bytes) FROM tile_vertex GROUP BY 1")) \
                if "tile_vertex" in self.has else {}
            self.kept = instances, types, users, code
        return self.kept
