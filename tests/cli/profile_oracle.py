# SPDX-License-Identifier: MIT
"""
profile_oracle - what has to hold in a profile.pop, computed apart from the program: sqlite3, and the codecs again.

`broken(path)` gives a dict: the name of each identity, and the first things that break it (none: it holds).  As a
script it prints them and fails when there are any.  `relations(path)` gives the relations of the report model, as
tables of an SQLite connection.
"""

import array
import bisect
import collections
import functools
import itertools
import os
import re
import sqlite3
import sys

FIRST = 5                               # so many breaks of one identity are told
RUNS = {("programs", "control_code_bytes_by_tile"), ("vertex_instances", "instances_by_tile")}
IPU_TILES = {"cycles_by_tile", "compilation_cycles_by_tile"}


def numbers(blob):
    """A list."""
    out, v = [], 0
    for byte in blob:
        v = v << 7 | byte & 127
        if byte & 128:
            out.append(v)
            v = 0
    if blob and not blob[-1] & 128:
        raise ValueError("ends within a number")
    return out


def runs(blob):
    """A run-length list."""
    raw, out, at = numbers(blob), [], 0
    while at < len(raw):
        n, at = raw[at] >> 1, at + 1
        if n == 0:
            raise ValueError("a run of nothing")
        if raw[at - 1] & 1:
            out += raw[at:at + n]
            at += n
        else:
            out += [raw[at]] * n
            at += 1
    if at != len(raw):
        raise ValueError("ends within a run")
    return out


def differences(blob):
    out, v = [], 0
    for d in runs(blob):
        v += d
        out.append(v)
    return out


def codec(table, column):
    if column.endswith("_diff_rle"):
        return differences
    if column.endswith("_rle") or table == "memory_by_compute_set" or (table, column) in RUNS:
        return runs
    return numbers


def regions_bytes(text):
    return sum(int(b) - int(a) for a, b in re.findall(r"\[(\d+),(\d+)\)", text))


class Row:
    """A lowered variable."""

    def __init__(self, var, tile, size, alignment, offset, category, cls, constraints, bits):
        self.var, self.tile, self.size, self.alignment, self.offset = var, tile, size, alignment, offset
        self.category, self.cls, self.bits = category, cls, bits
        self.constraints = numbers(constraints) if constraints is not None else []
        self.end = offset + size


class Profile:
    def __init__(self, path):
        self.db = sqlite3.connect("file:%s?immutable=1" % path, uri=True)
        self.tables = [n for n, in self.db.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        (self.tiles, self.ipus, self.per_ipu, self.bytes, self.interleaved, elements), = self.db.execute(
            "SELECT num_tiles, num_ipus, tiles_per_ipu, bytes_per_tile, interleavedMemoryStart, "
            "memoryElementOffsets FROM target_info")
        self.elements = numbers(elements)
        self.categories = dict(self.db.execute("SELECT id, name FROM var_categories"))
        self.by_tile = [[] for _ in range(self.tiles)]
        self.first = [None] * self.tiles
        for row in self.db.execute("SELECT var_id, tile, size_bytes, alignment, offset, category, equivalence_class, "
                                   "element_constraints, bitset FROM vars_info ORDER BY var_id"):
            r = Row(*row)
            if self.first[r.tile] is None:
                self.first[r.tile] = r.var
            self.by_tile[r.tile].append(r)
        self.intervals = {}
        for cls, start, end in self.db.execute("SELECT * FROM eq_class_step"):
            self.intervals.setdefault(cls, []).append((start, end))
        self.always = {c for c, in self.db.execute("SELECT id FROM eq_classes WHERE is_always_live")}
        self.steps, = self.db.execute("SELECT count(*) FROM depth_first_steps").fetchone()

    def placed(self, tile):
        return [r for r in self.by_tile[tile] if r.bits & 1]

    def element(self, at):
        return bisect.bisect_right(self.elements, at) - 1

    def tile_of(self, var):
        return self.tile_starts()[1][bisect.bisect_right(self.tile_starts()[0], var) - 1]

    def tile_starts(self):
        if not hasattr(self, "starts"):
            tiles = [t for t in range(self.tiles) if self.first[t] is not None]
            self.starts = [self.first[t] for t in tiles], tiles
        return self.starts

    def vectors(self, table, key, column, where="1"):
        read = codec(table, column)
        return {k: read(b) for k, b in self.db.execute(
            'SELECT "%s", "%s" FROM %s WHERE "%s" IS NOT NULL AND %s' % (key, column, table, column, where))}


def peak(p, amounts):
    """The most that is alive at one step: {class: bytes}."""
    delta = {}
    for cls, n in amounts.items():
        for start, end in p.intervals.get(cls, []):
            delta[start] = delta.get(start, 0) + n
            delta[end] = delta.get(end, 0) - n
    now = most = 0
    for step in sorted(delta):
        now += delta[step]
        most = max(most, now)
    return most


def union(rows, low=0, high=1 << 62):
    """Bytes of [low, high) that rows cover."""
    total, upto = 0, low
    for start, end in sorted((r.offset, r.end) for r in rows):
        start, end = max(start, upto), min(end, high)
        if end > start:
            total += end - start
            upto = end
    return total


def coverage(rows):
    """(edges, shared bytes below each edge)."""
    events = sorted([(r.offset, 1) for r in rows if r.size] + [(r.end, -1) for r in rows if r.size])
    edges, shared, covers, sum_ = [0], [0], 0, 0
    for at, d in events:
        if covers > 1:
            sum_ += at - edges[-1]
        edges.append(at)
        shared.append(sum_)
        covers += d
    return edges, shared


def shared_below(cover, at):
    edges, shared = cover
    i = bisect.bisect_right(edges, at) - 1
    if i + 1 == len(edges):
        return shared[i]
    return shared[i] + (at - edges[i] if shared[i + 1] > shared[i] else 0)


# ---- identities: generators of what breaks them

def blobs_decode(p):
    """Every blob decodes; vectors by tile and by IPU have their length."""
    for table in p.tables:
        for _, column, type_, _, _, _ in p.db.execute('PRAGMA table_info("%s")' % table).fetchall():
            if type_ != "BLOB":
                continue
            n = None
            if "_by_ipu" in column or column.endswith("_ids") and column not in ("interference_class_ids", "ids"):
                n = p.ipus
            elif table in IPU_TILES and column.startswith("cycles_by_tile"):
                n = p.per_ipu
            elif "by_tile" in column or table.startswith("memory_by_"):
                n = p.tiles
            read = codec(table, column)
            for rowid, blob in p.db.execute('SELECT rowid, "%s" FROM "%s" WHERE "%s" IS NOT NULL'
                                            % (column, table, column)):
                try:
                    got = len(read(blob))
                except (ValueError, IndexError) as e:
                    yield "%s.%s row %d: %s" % (table, column, rowid, e)
                    continue
                if n is not None and got != n:
                    yield "%s.%s row %d has %d numbers, not %d" % (table, column, rowid, got, n)


def memory_by_tile(p):
    """Totals are the union of places, gaps included the highest end, by region too; what is always alive, the peak."""
    for row in p.db.execute("SELECT tile, interleaved, non_interleaved, overflowed, total, total_including_gaps, "
                            "always_live_bytes, not_always_live_max_bytes FROM memory_by_tile"):
        rows = p.placed(row[0])
        amounts = {}
        for r in rows:
            amounts[r.cls] = amounts.get(r.cls, 0) + r.size
        want = (union(rows, p.interleaved, p.bytes), union(rows, 0, p.interleaved), union(rows, p.bytes),
                union(rows), max([r.end for r in rows], default=0),
                sum(n for c, n in amounts.items() if c in p.always),
                peak(p, {c: n for c, n in amounts.items() if c not in p.always}))
        if row[1:] != want:
            yield "tile %d: %r, not %r" % (row[0], row[1:], want)
        if row[4] != row[1] + row[2] + row[3]:
            yield "tile %d: regions do not add up" % row[0]


def categories(p):
    """Bytes alone and bytes shared of each category, tile and region are those of its variables."""
    recorded = {}
    names = {n: c for c, n in p.categories.items()}
    regions = (("non_interleaved", 0, p.interleaved), ("interleaved", p.interleaved, p.bytes),
               ("overflowed", p.bytes, 1 << 62))
    for name, _, _ in regions:
        for kind in ("non_overlapped", "overlapped"):
            column = "%s_%s" % (name, kind)
            for c, v in p.vectors("memory_by_category", "category_id", column).items():
                for tile, n in enumerate(v):
                    if n:
                        recorded[names[c], name, kind, tile] = n
    want = {}
    for tile in range(p.tiles):
        rows = p.placed(tile)
        cover = coverage(rows)
        for r in rows:
            for name, low, high in regions:
                a, b = max(r.offset, low), min(r.end, high)
                if a >= b:
                    continue
                shared = shared_below(cover, b) - shared_below(cover, a)
                for kind, n in (("overlapped", shared), ("non_overlapped", b - a - shared)):
                    if n:
                        key = r.category, name, kind, tile
                        want[key] = want.get(key, 0) + n
    for key in sorted(set(recorded) | set(want)):
        if recorded.get(key) != want.get(key):
            yield "%r: %r, not %r" % (key, recorded.get(key), want.get(key))


def places(p):
    """Variables that share a place are never alive together."""
    clash = {}

    def clashes(a, b):
        key = min(a, b), max(a, b)
        if key not in clash:
            clash[key] = any(s < f and e < t for s, t in p.intervals.get(a, []) for e, f in p.intervals.get(b, []))
        return clash[key]

    for tile in range(p.tiles):
        active = []
        for r in sorted((r for r in p.placed(tile) if r.size), key=lambda r: r.offset):
            active = [q for q in active if q.end > r.offset]
            for q in active:
                if q.cls == r.cls or clashes(q.cls, r.cls):
                    yield "tile %d: variables %d and %d" % (tile, q.var, r.var)
            active.append(r)


def interference(p):
    """The classes that interfere are those whose intervals overlap, itself among them."""
    for cls, blob in p.db.execute("SELECT class_id, interference_class_ids FROM equivalence_class_interference"):
        mine = p.intervals.get(cls, [])
        want = [c for c in sorted(p.intervals) if
                any(s < f and e < t for s, t in mine for e, f in p.intervals[c])]
        if sorted(numbers(blob)) != want:
            yield "class %d" % cls


def constraints(p):
    """Constraints are symmetric positions in the tile, and never within one memory element."""
    for tile in range(p.tiles):
        rows = p.by_tile[tile]
        for i, r in enumerate(rows):
            for k in r.constraints:
                if k >= len(rows) or i not in rows[k].constraints:
                    yield "tile %d: %d has %d, not the other way round" % (tile, i, k)
                elif r.size and rows[k].size and r.bits & rows[k].bits & 1 and \
                        p.element(r.offset) <= p.element(rows[k].end - 1) and \
                        p.element(rows[k].offset) <= p.element(r.end - 1):
                    yield "tile %d: %d and %d are in one element" % (tile, i, k)


def gaps(p):
    """A gap is the reserved start, or due to alignment, or to the start of an element because of a constraint."""
    for tile in range(p.tiles):
        rows = p.by_tile[tile]
        upto = 0
        for r in sorted((r for r in p.placed(tile) if r.size), key=lambda r: r.offset):
            if r.offset > upto and (upto, r.offset) != (0, 16):
                at = [q for q in rows if q.offset == r.offset and q.bits & 1 and q.size]
                if not any(r.offset - upto < q.alignment for q in at) and not (
                        r.offset in p.elements and any(
                            p.element(rows[k].offset) <= p.element(r.offset - 1) <= p.element(rows[k].end - 1)
                            for q in at for k in q.constraints)):
                    yield "tile %d: [%d, %d)" % (tile, upto, r.offset)
            upto = max(upto, r.end)


def allocation_order(p):
    """Every allocated variable once."""
    for tile, blob in p.db.execute('SELECT tile, "order" FROM allocation_order_by_tile'):
        if sorted(numbers(blob)) != [r.var for r in p.placed(tile)]:
            yield "tile %d" % tile


def variable_bytes(p):
    """Tiles sum to the device's rows; a tile's are those of its lowered variables, by class."""
    device, tiles, by_class = {}, {}, {}
    for variable, cls, n, tile in p.db.execute("SELECT * FROM var_bytes_by_eq_class"):
        if tile is None:
            device[variable, cls] = device.get((variable, cls), 0) + n
        else:
            tiles[variable, cls] = tiles.get((variable, cls), 0) + n
            by_class[tile, cls] = by_class.get((tile, cls), 0) + n
    for key in sorted(set(device) | set(tiles)):
        if device.get(key, 0) != tiles.get(key, 0):
            yield "variable %d class %d: %r, tiles %r" % (key + (device.get(key), tiles.get(key)))
    want = {}
    for tile in range(p.tiles):
        for r in p.placed(tile):
            want[tile, r.cls] = want.get((tile, r.cls), 0) + r.size
    for key in sorted(set(want) | set(by_class)):
        if want.get(key) != by_class.get(key):
            yield "tile %d class %d: %r, lowered %r" % (key + (by_class.get(key), want.get(key)))


def liveness(p):
    """The running sum of the deltas is what is alive, of the device and of each IPU; rows of 0 are left out."""
    want = {}

    def add(ipu, cls, n):
        for start, end in p.intervals.get(cls, []):
            for step, d in ((start, n), (end, -n)):
                if step < p.steps:
                    want[ipu, step] = want.get((ipu, step), 0) + d

    for cls, n in p.db.execute("SELECT eq_class_id, sum(bytes) FROM var_bytes_by_eq_class WHERE tile IS NULL GROUP BY 1"):
        if cls not in p.always:
            add(-1, cls, n)
    for ipu, cls, n in p.db.execute("SELECT tile / %d, eq_class_id, sum(bytes) FROM var_bytes_by_eq_class "
                                    "WHERE tile IS NOT NULL GROUP BY 1, 2" % p.per_ipu):
        if cls not in p.always:
            add(ipu, cls, n)
    want = {k: n for k, n in want.items() if n}
    got = {}
    for ipu, step, n in p.db.execute("SELECT * FROM memory_not_always_live_by_step_and_ipu"):
        if (-1 if ipu is None else ipu, step) in got or n == 0:
            yield "IPU %r step %d" % (ipu, step)
        got[-1 if ipu is None else ipu, step] = n
    for key in sorted(set(want) | set(got)):
        if want.get(key) != got.get(key):
            yield "IPU %d step %d: %r, not %r" % (key + (got.get(key), want.get(key)))


def steps_walk(p):
    """Liveness steps are the programs in depth-first order, through calls."""
    children = {i: numbers(c) if c is not None else [] for i, c in p.db.execute("SELECT id, children FROM programs")}
    functions = dict(p.db.execute("SELECT id, program FROM function_programs"))
    calls = {i: functions[f] for i, f in p.db.execute(
        "SELECT p.id, c.function_id FROM programs p JOIN program_types t ON t.id = p.variant JOIN program_type_call c "
        "ON c.id = p.variant_index WHERE t.program_type_table = 'program_type_call'")}
    want = []
    todo = [(r, None) for r, in p.db.execute("SELECT program FROM control_programs ORDER BY id DESC")]
    while todo:
        program, parent = todo.pop()
        at = len(want)
        want.append((at, program, parent))
        below = children[program] + ([calls[program]] if program in calls else [])
        todo += [(c, at) for c in reversed(below)]
    got = p.db.execute("SELECT id, program_id, parent_step_id FROM depth_first_steps ORDER BY id").fetchall()
    if got != want:
        yield "%d steps, not %d; or in another order" % (len(got), len(want))


def control_code(p):
    """Own control code is never negative, and that of all programs is the category's but for a constant of each tile.

    Tile 0 leads, and may have more.
    """
    totals = p.vectors("programs", "id", "control_code_bytes_by_tile")
    own_sum = [0] * p.tiles
    for program, blob in p.db.execute("SELECT id, children FROM programs"):
        own = list(totals.get(program, [0] * p.tiles))
        for c in numbers(blob or b""):
            own = [a - b for a, b in zip(own, totals[c])]
        if min(own) < 0:
            yield "program %d has less than its children" % program
        own_sum = [a + b for a, b in zip(own_sum, own)]
    rest = [c - o for c, o in zip(category(p, "controlCode"), own_sum)]
    if min(rest) < 0 or len(set(rest[1:])) > 1:
        yield "beyond programs: %r" % sorted(set(rest))[:FIRST]


def category(p, name):
    """Bytes of a category by tile, of the lowered variables."""
    number = next(c for c, n in p.categories.items() if n == name)
    return [sum(r.size for r in p.placed(t) if r.category == number) for t in range(p.tiles)]


def vertex_code(p):
    """Code by vertex type and a constant of each tile are vertexCode."""
    by_type = [0] * p.tiles
    for v in p.vectors("memory_by_vertex_type", "vertex_type", "code_bytes").values():
        by_type = [a + b for a, b in zip(by_type, v)]
    rest = {c - t for c, t in zip(category(p, "vertexCode"), by_type)}
    if len(rest) != 1 or min(rest) < 0:
        yield "beyond types: %r" % sorted(rest)[:FIRST]


def vertex_memory(p):
    """State is count times size; what types and compute sets tell is state, fields, lists and descriptors."""
    size = dict(p.db.execute("SELECT id, size FROM vertex_types"))
    state = [0] * p.tiles
    for vertex, blob in p.db.execute("SELECT vertex_type, instances_by_tile FROM vertex_instances"):
        state = [a + n * size[vertex] for a, n in zip(state, runs(blob))]
    if state != category(p, "vertexInstanceState"):
        yield "vertexInstanceState is not count times size"
    uses = ("copy_ptr_bytes", "edge_ptr_bytes", "padding_bytes", "vertex_data_bytes")
    whole = [a + b + c for a, b, c in zip(state, category(p, "vertexFieldData"), category(p, "vectorListDescriptor"))]
    for table, key in (("memory_by_vertex_type", "vertex_type"), ("memory_by_compute_set", "compute_set")):
        for columns, want in ((uses, whole), (("descriptor_bytes",), category(p, "copyDescriptor"))):
            got = [0] * p.tiles
            for column in columns:
                for v in p.vectors(table, key, column).values():
                    got = [a + b for a, b in zip(got, v)]
            if got != want:
                yield "%s: %s" % (table, ", ".join(columns))


def graph_info(p):
    """Compute sets, edges, lowered variables and vertices are as many as told."""
    vertices = edges = 0
    instances = {}
    for cs, vertex, blob in p.db.execute("SELECT compute_set, vertex_type, instances_by_tile FROM vertex_instances"):
        instances[cs, vertex] = sum(runs(blob))
    for cs, types, counts, e in p.db.execute("SELECT compute_set, vertex_types, vertex_counts, edge_count FROM compute_sets"):
        edges += e
        for vertex, n in zip(numbers(types), numbers(counts)):
            vertices += n
            if instances.get((cs, vertex)) != n:
                yield "compute set %d: instances of type %d" % (cs, vertex)
    want = (len(p.db.execute("SELECT 1 FROM compute_sets").fetchall()), edges,
            sum(map(len, p.by_tile)), vertices)
    got = p.db.execute("SELECT num_compute_sets, num_edges, num_vars, num_vertices FROM graph_info").fetchone()
    if got != want:
        yield "%r, not %r" % (got, want)


def region_sums(p):
    """{regions id: {tile: bytes}}"""
    out = {}
    for id_, var, text in p.db.execute("SELECT id, var_id, regions FROM exchange_regions"):
        tiles = out.setdefault(id_, {})
        tile = p.tile_of(var)
        tiles[tile] = tiles.get(tile, 0) + regions_bytes(text)
    return out


def exchanges(p):
    """Bytes of an exchange's regions are those that tiles send and receive; sums by IPU; the most of a tile."""
    sums = region_sums(p)
    size = {r.var: r.size for rows in p.by_tile for r in rows}
    for var, text in p.db.execute("SELECT var_id, regions FROM exchange_regions"):
        if any(int(b) > size[var] for _, b in re.findall(r"\[(\d+),(\d+)\)", text)):
            yield "a region beyond variable %d" % var
    recorded = {}
    for table in ("program_type_do_exchange", "program_type_global_exchange", "program_type_stream_copy_mid"):
        ids = ", source_regions_id, destination_regions_id" if "exchange" in table else ", NULL, NULL"
        for id_, received, sent, in_ipu, out_ipu, most, source, target in p.db.execute(
                "SELECT id, bytes_received_by_tile_rle, bytes_sent_by_tile_rle, bytes_received_by_ipu_rle, "
                "bytes_sent_by_ipu_rle, max_data_sent_and_received_by_ipu_rle%s FROM %s" % (ids, table)):
            where = "%s %d" % (table, id_)
            received, sent = runs(received), runs(sent)
            for name, v, regions in (("received", received, target), ("sent", sent, source)):
                if regions is not None:
                    got = sums.get(regions, {})
                    if any(got.get(t, 0) != n for t, n in enumerate(v)):
                        yield "%s: %s" % (where, name)
            both = [a + b for a, b in zip(received, sent)]
            for name, v, f, got in (("received", received, sum, in_ipu), ("sent", sent, sum, out_ipu),
                                    ("most", both, max, most)):
                want = [f(v[i * p.per_ipu:(i + 1) * p.per_ipu]) for i in range(p.ipus)]
                if runs(got) != want:
                    yield "%s: %s by IPU: %r, not %r" % (where, name, runs(got), want)
            if table.endswith("mid"):
                recorded[id_] = received, sent
    moved = {}
    for way, table in enumerate(("host_exchange_from_host", "host_exchange_to_host")):
        for id_, regions in p.db.execute("SELECT stream_copy_mid_id, regions_id FROM %s" % table):
            for tile, n in sums.get(regions, {}).items():
                moved[id_, way, tile] = moved.get((id_, way, tile), 0) + n
    for id_, ways in recorded.items():
        for way, v in enumerate(ways):
            if any(moved.get((id_, way, t), 0) != n for t, n in enumerate(v)):
                yield "stream copy %d: %s" % (id_, ("received", "sent")[way])


def references(p):
    """Ids resolve."""
    for sql in ("SELECT eq_class_id FROM var_bytes_by_eq_class WHERE eq_class_id <> 0 AND eq_class_id NOT IN "
                "(SELECT id FROM eq_classes)",
                "SELECT unlowered_var_id FROM var_bytes_by_eq_class WHERE unlowered_var_id NOT IN "
                "(SELECT id FROM unlowered_vars)",
                "SELECT name_base_id FROM vars_info WHERE name_base_id NOT IN (SELECT id FROM vars_string_table)",
                "SELECT variant FROM programs WHERE variant NOT IN (SELECT id FROM program_types)",
                "SELECT program_id FROM depth_first_steps WHERE program_id NOT IN (SELECT id FROM programs)",
                "SELECT compute_set FROM program_type_on_tile_execute WHERE compute_set NOT IN "
                "(SELECT compute_set FROM compute_sets)",
                "SELECT program FROM steps WHERE program IS NOT NULL AND program NOT IN (SELECT id FROM programs)",
                "SELECT tile_cycles_id FROM steps_by_ipu WHERE tile_cycles_id IS NOT NULL AND tile_cycles_id NOT IN "
                "(SELECT id FROM cycles_by_tile)",
                "SELECT step_id FROM steps_by_ipu WHERE step_id NOT IN (SELECT id FROM steps)"):
        got = p.db.execute(sql).fetchone()
        if got:
            yield "%s: %r" % (sql, got[0])
    known = {i for i, in p.db.execute("SELECT id FROM compilation_cycles_by_tile")}
    for table, column in (("program_type_do_exchange", "cycles_by_tile_ids"), ("compute_sets", "cycles_by_tile_ids"),
                          ("program_type_stream_copy_mid", "estimated_cycles_by_tile_ids")):
        for blob, in p.db.execute("SELECT %s FROM %s WHERE %s IS NOT NULL" % (column, table, column)):
            if not set(numbers(blob)) <= known:
                yield "%s.%s" % (table, column)


def execution(p):
    """Runs have all steps; the vector of a step's tiles agrees with its figures; times are in order."""
    steps = p.db.execute("SELECT count(*) FROM steps").fetchone()[0]
    told = p.db.execute("SELECT coalesce(sum(num_steps), 0) FROM runs").fetchone()[0]
    if told != steps:
        yield "%d steps, runs have %d" % (steps, told)
    vectors = p.vectors("cycles_by_tile", "id", "cycles_by_tile_rle")
    for row in p.db.execute(
            "SELECT step_id, ipu, cycles_base, active_cycles_from_min, active_cycles_from_mean, active_cycles_from_max, "
            "active_cycles_to_min, active_cycles_to_mean, active_cycles_to_max, all_cycles_to_max, cycles, active_tiles, "
            "active_tile_balance, tile_balance, tile_cycles_id FROM steps_by_ipu"):
        where = "step %d IPU %d" % row[:2]
        base, from_min, from_mean, from_max, to_min, to_mean, to_max, all_max, cycles, tiles, active, balance, id_ = row[2:]
        if not 0 <= row[1] < p.ipus or base + from_min < 0:
            yield where + ": where it is"
        if tiles and not (from_min <= from_mean <= from_max and to_min <= to_mean <= to_max and from_min <= to_max):
            yield where + ": order of times"
        if tiles and to_max - from_min != cycles or not tiles and all_max != cycles:
            yield where + ": length"
        if id_ is None:
            continue
        v = vectors[id_]
        if max(v) != cycles or sum(1 for n in v if n) != tiles or abs(sum(v) / len(v) / max(v) - balance) > 1e-6 or \
                abs(sum(v) / tiles / max(v) - active) > 1e-6:
            yield where + ": cycles of tiles"
    at = 0
    for id_, n, start, end in p.db.execute("SELECT id, num_steps, start_cycles_by_ipu, end_cycles_by_ipu FROM runs ORDER BY id"):
        start, end = numbers(start), numbers(end)
        for ipu, low, high in p.db.execute(
                "SELECT ipu, min(cycles_base + iif(active_tiles, active_cycles_from_min, 0)), "
                "max(cycles_base + iif(active_tiles, active_cycles_to_max, all_cycles_to_max)) "
                "FROM steps_by_ipu WHERE step_id >= ? AND step_id < ? GROUP BY ipu", (at, at + n)):
            if low < start[ipu] or high > end[ipu]:
                yield "run %d IPU %d: [%d, %d) is not within [%d, %d)" % (id_, ipu, low, high, start[ipu], end[ipu])
        at += n


IDENTITIES = (blobs_decode, memory_by_tile, categories, places, interference, constraints, gaps, allocation_order,
              variable_bytes, liveness, steps_walk, control_code, vertex_code, vertex_memory, graph_info, exchanges,
              references, execution)


def broken(path):
    p = Profile(path)
    out = {}
    for check in IDENTITIES:
        found = []
        for what in check(p):
            found.append(what)
            if len(found) == FIRST:
                break
        out[check.__name__] = found
    p.db.close()
    return out


def figures(path):
    """What `summary` has to say."""
    db = sqlite3.connect("file:%s?immutable=1" % path, uri=True)
    total, gaps_, always = db.execute("SELECT sum(total), sum(total_including_gaps), sum(always_live_bytes) "
                                      "FROM memory_by_tile").fetchone()
    worst, most = db.execute("SELECT tile, total_including_gaps FROM memory_by_tile "
                             "ORDER BY total_including_gaps DESC, tile LIMIT 1").fetchone()
    limit, = db.execute("SELECT bytes_per_tile FROM target_info").fetchone()
    over, = db.execute("SELECT count(*) FROM memory_by_tile WHERE total_including_gaps > ? OR overflowed > 0",
                       (limit,)).fetchone()
    sets, = db.execute("SELECT count(*) FROM compute_sets").fetchone()
    programs, = db.execute("SELECT count(*) FROM programs").fetchone()
    db.close()
    return {"memory": {"total_bytes": total, "total_gaps_bytes": gaps_, "worst_tile": worst, "worst_tile_bytes": most,
                       "always_live_bytes": always, "tiles_over": over, "fits": over == 0},
            "graph": {"compute_sets": sets, "programs": programs}}


# ---- relations

def items(blob):
    """Of a blob of CBOR, one value; (value, offset behind it)."""
    def one(at):
        major, low = blob[at] >> 5, blob[at] & 31
        at += 1
        if low in (24, 25, 26, 27):
            size = 1 << low - 24
            low, at = int.from_bytes(blob[at:at + size], "big"), at + size
        endless = low == 31
        if major in (0, 1):
            return (low if major == 0 else -1 - low), at
        if major in (2, 3):
            text = blob[at:at + low]
            return (text.decode() if major == 3 else text), at + low
        if major in (4, 5):
            out = []
            while endless or len(out) < low * (major - 3):
                if endless and blob[at] == 255:
                    at += 1
                    break
                v, at = one(at)
                out.append(v)
            return (out if major == 4 else dict(zip(out[::2], out[1::2]))), at
        return {20: False, 21: True}.get(low), at
    return one(0)[0]


def contexts(path):
    """Rows of `context`, of the debug.cbor beside a profile: (context, parent, layer, name, file, function, line)."""
    where = os.path.join(os.path.dirname(path), "debug.cbor")
    if not os.path.exists(where):
        return []
    with open(where, "rb") as f:
        whole = items(f.read())
    text = lambda i: None if i is None else whole["stringTable"][i]
    out = []
    for c in whole["contexts"]:
        at = c.get("location", {})
        out.append((c["id"], c.get("parentId"), c["layer"], text(c.get("name")), text(at.get("fileName")),
                    text(at.get("functionName")), at.get("lineNumber")))
    return out


def tiles(blob):
    """The numbers of an array of a relation."""
    return list(array.array("Q", blob))


def relations(path):
    """
    A connection whose tables are the relations of the report model, made of the tables that the profile has; those are
    there, too.  Arrays by tile are 64-bit numbers: see tiles().
    """
    db = sqlite3.connect("file:%s?immutable=1" % path, uri=True)
    has = {n: {r[1] for r in db.execute('PRAGMA table_info("%s")' % n)} for n, in
           db.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall()}
    count, = db.execute("SELECT num_tiles FROM target_info").fetchone() if "target_info" in has else (0,)

    def pack(values):
        return None if values is None else array.array("Q", values).tobytes()

    def minus(a, *others):
        out = tiles(a)
        for b in others:
            out = [x - y for x, y in zip(out, tiles(b))]
        return pack(out)

    def add(table, columns, rows):
        db.execute("CREATE TEMP TABLE %s (%s)" % (table, ", ".join('"%s"' % c for c in columns.split())))
        db.executemany("INSERT INTO temp.%s VALUES (%s)" % (table, ", ".join("?" * len(columns.split()))), rows)

    def view(name, sql, *needs):
        if all(t in has for t in needs):
            db.execute("CREATE TEMP VIEW %s AS %s" % (name, sql))
            return True

    db.create_function("runs", 1, lambda b: None if b is None else pack(runs(b)))
    db.create_function("list", 1, lambda b: None if b is None else pack(numbers(b)))
    db.create_function("total", 1, lambda b: None if b is None else sum(tiles(b)))
    db.create_function("regions_bytes", 1, regions_bytes)
    db.create_function("first", 1, lambda b: (numbers(b)[:1] or [None])[0] if b is not None else None)

    # who and what
    view("report", """SELECT 'poplar_version' AS key, string AS value FROM poplar_version
        UNION ALL SELECT 'package_hash', package_hash FROM poplar_version
        UNION ALL SELECT 'compute_instrumentation', CASE WHEN compute THEN coalesce(lower(compute_level), 'on') ELSE 'off' END
        FROM instrumentation_settings""", "poplar_version", "instrumentation_settings")
    view("target", """SELECT type_ AS type, architecture, num_ipus AS ipus, num_replicas AS replicas, tiles_per_ipu,
        bytes_per_tile, clock_frequency AS clock_hz, tileMemoryBaseAddress AS memory_base,
        interleavedMemoryStart AS interleaved_start FROM target_info""", "target_info")
    view("graph_count", " UNION ALL ".join("SELECT '%s' AS name, %s AS value FROM graph_info" % pair for pair in (
        ("compute_sets", "num_compute_sets"), ("edges", "num_edges"), ("variables", "num_vars"),
        ("vertices", "num_vertices"))), "graph_info")

    # memory
    view("tile_memory", """SELECT tile, tile / %s AS ipu, total,
        total_including_gaps AS total_gaps, non_interleaved, interleaved, overflowed, always_live_bytes AS always_live,
        not_always_live_max_bytes AS not_always_live_peak FROM memory_by_tile""" %
         ("(SELECT tiles_per_ipu FROM target_info)" if "target_info" in has else "NULL"), "memory_by_tile")
    view("memory_category", "SELECT id AS category, name, description FROM var_categories", "var_categories")
    if {"memory_by_category", "var_categories"} <= set(has):
        ids = {n: i for i, n in db.execute("SELECT id, name FROM var_categories")}
        rows = []
        for region in ("non_interleaved", "interleaved", "overflowed"):
            for name, alone, shared in db.execute("SELECT category_id, {0}_non_overlapped, {0}_overlapped FROM "
                                                  "memory_by_category".format(region)):
                rows += [(tile, ids[name], region, a, b) for tile, (a, b) in
                         enumerate(zip(numbers(alone), numbers(shared))) if a or b]
        add("tile_category", "tile category region not_overlapped overlapped", rows)
    view("vertex_type", "SELECT id AS vertex_type, name, size AS state_bytes, source FROM vertex_types", "vertex_types")
    if "memory_by_vertex_type" in has:
        rows = []
        for kind, *uses in db.execute("SELECT vertex_type, code_bytes, vertex_data_bytes, edge_ptr_bytes, copy_ptr_bytes, "
                                      "descriptor_bytes, padding_bytes FROM memory_by_vertex_type"):
            rows += [(tile, kind) + n for tile, n in enumerate(zip(*map(numbers, uses))) if any(n)]
        add("tile_vertex", "tile vertex_type code_bytes data_bytes edge_pointer_bytes copy_pointer_bytes descriptor_bytes "
            "padding_bytes", rows)

    # lowered variables
    view("lowered_variable", """SELECT var_id AS id, tile, CASE WHEN name_prefix__vertex_field_ IS NULL THEN '' ELSE
        '__vertexField_' || name_prefix__vertex_field_ END || string || coalesce(name_suffix, '') AS name,
        size_bytes AS bytes, offset, alignment, category, equivalence_class AS class, unlowered_var_id AS variable,
        is_always_live AS always_live, bitset >> 1 & 1 AS constant, bitset >> 3 & 1 AS executable FROM vars_info v
        LEFT JOIN vars_string_table s ON s.id = name_base_id LEFT JOIN eq_classes c ON c.id = equivalence_class
        WHERE bitset & 1""", "vars_info", "vars_string_table", "eq_classes")
    view("equivalence_class", "SELECT id AS class, is_always_live AS always_live FROM eq_classes", "eq_classes")
    view("class_interval", 'SELECT eq_class_id AS class, step_id_from AS start, step_id_to AS "end" FROM eq_class_step',
         "eq_class_step")

    # programs
    kinds = {i: (name, table) for i, name, table in db.execute("SELECT id, name, program_type_table FROM program_types")} \
        if "program_types" in has else {}
    # one table of them is named without its last word
    of_table = lambda name: [i for i, (_, t) in kinds.items() if t and t in (name, re.sub("_mid$", "", name))]
    ids_of = lambda name: "(%s)" % ", ".join(map(str, of_table("program_type_" + name)))
    which = lambda name, as_: "LEFT JOIN program_type_{0} {1} ON {1}.id = p.variant_index AND p.variant IN {2}".format(
        name, as_, ids_of(name))
    other = sqlite3.connect("file:%s?immutable=1" % path, uri=True)

    @functools.lru_cache(None)
    def vector(table, i):
        return runs(other.execute("SELECT cycles_by_tile_rle FROM %s WHERE id = ?" % table, (i,)).fetchone()[0])

    def by_ids(table, ids):
        """One vector an IPU, under ids of a table."""
        return None if ids is None else pack(itertools.chain(*(vector(table, i) for i in numbers(ids))))
    db.create_function("by_ids", 2, by_ids)
    if view("stream_copy", """SELECT p.id AS program, h.direction, h.stream, h.is_remote_buffer AS remote_buffer,
            (SELECT sum(regions_bytes(regions)) FROM exchange_regions g WHERE g.id = h.regions_id) AS bytes
            FROM (SELECT 'from_host' AS direction, stream_copy_mid_id, stream, is_remote_buffer, regions_id FROM
            host_exchange_from_host UNION ALL SELECT 'to_host', stream_copy_mid_id, stream, is_remote_buffer, regions_id FROM
            host_exchange_to_host) h JOIN programs p ON p.variant_index = h.stream_copy_mid_id WHERE p.variant IN %s""" %
            ids_of("stream_copy_mid"), "host_exchange_from_host", "host_exchange_to_host", "programs"):
        pass
    children = {}
    if "programs" in has:
        functions = dict(db.execute("SELECT id, program FROM function_programs")) if "function_programs" in has else {}
        for p, blob in db.execute("SELECT id, children FROM programs"):
            children[p] = numbers(blob or b"")
        for p, function in db.execute("SELECT p.id, function_id FROM programs p JOIN program_type_call c ON "
                                      "c.id = variant_index WHERE variant IN " + ids_of("call")):
            children[p] = [functions[function]]
        add("program_child", "parent position child",
            [(p, i, c) for p, below in children.items() for i, c in enumerate(below)])
        control = dict(db.execute("SELECT id, runs(control_code_bytes_by_tile) FROM programs"))
        db.create_function("own_code", 1, lambda p: minus(control[p], *(control[c] for c in numbers(
            other.execute("SELECT children FROM programs WHERE id = ?", (p,)).fetchone()[0] or b""))))
        add("program_name", "program name named_by", program_names(db, kinds, path))
        view("program", """SELECT p.id AS program, t.name AS type, n.name, n.named_by, x.compute_set,
            l.function_id AS function, r.repeat_count, y.sync_type, nullif(p.debug_id, 0) AS context,
            runs(p.control_code_bytes_by_tile) AS control_code_by_tile, own_code(p.id) AS own_control_code_by_tile,
            runs(e.code_bytes_by_tile_rle) AS code_by_tile,
            by_ids('compilation_cycles_by_tile', coalesce(e.cycles_by_tile_ids, g.estimated_cycles_by_tile_ids, m.estimated_cycles_by_tile_ids)) AS
            estimated_cycles_by_tile, NULL AS cycles_by_tile,
            runs(coalesce(e.bytes_received_by_tile_rle, g.bytes_received_by_tile_rle, m.bytes_received_by_tile_rle)) AS
            bytes_in_by_tile, runs(coalesce(e.bytes_sent_by_tile_rle, g.bytes_sent_by_tile_rle, m.bytes_sent_by_tile_rle)) AS
            bytes_out_by_tile FROM programs p LEFT JOIN program_types t ON t.id = p.variant JOIN temp.program_name n ON
            n.program = p.id """ + " ".join(which(*pair) for pair in (
                ("on_tile_execute", "x"), ("call", "l"), ("repeat", "r"), ("sync", "y"), ("do_exchange", "e"),
                ("global_exchange", "g"), ("stream_copy_mid", "m"))))
    view("program_root", "SELECT 'control' AS kind, id AS position, program FROM control_programs UNION ALL "
         "SELECT 'function', id, program FROM function_programs", "control_programs", "function_programs")
    view("compute_set", """SELECT c.compute_set, c.name, nullif(c.debug_id, 0) AS context, c.edge_count AS edges,
        by_ids('compilation_cycles_by_tile', c.cycles_by_tile_ids) AS estimated_cycles_by_tile, by_ids('cycles_by_tile',
        m.cycles_by_tile_ids) AS cycles_by_tile, list(c.estimated_flops_by_tile) AS estimated_flops_by_tile FROM compute_sets c
        LEFT JOIN compute_set_cycles_by_tile m ON m.compute_set_id = c.compute_set""",
         "compute_sets", "compute_set_cycles_by_tile")
    view("compute_set_vertex", "SELECT compute_set, vertex_type, total(runs(instances_by_tile)) AS instances, "
         "runs(instances_by_tile) AS count_by_tile FROM vertex_instances", "vertex_instances")
    if {"programs", "exchange_regions"} <= set(has):
        rows = []
        for p, blob in db.execute("SELECT p.id, var_ids_diff_rle FROM programs p %s JOIN compute_sets c USING (compute_set)" %
                                  which("on_tile_execute", "x").replace("LEFT ", "")):
            rows += [(p, v, "uses", None) for v in differences(blob or b"")]
        for table in ("do_exchange", "global_exchange"):
            for side, direction in (("destination", "in"), ("source", "out")):
                rows += db.execute("SELECT p.id, g.var_id, '%s', regions_bytes(g.regions) FROM programs p %s "
                                   "JOIN exchange_regions g ON g.id = x.%s_regions_id" % (
                                       direction, which(table, "x").replace("LEFT ", ""), side)).fetchall()
        for table, direction in (("from", "in"), ("to", "out")):
            rows += db.execute("SELECT p.id, g.var_id, '%s', regions_bytes(g.regions) FROM programs p JOIN "
                               "host_exchange_%s_host h ON h.stream_copy_mid_id = p.variant_index JOIN exchange_regions g "
                               "ON g.id = h.regions_id WHERE p.variant IN %s" % (direction, table, ids_of("stream_copy_mid"))
                               ).fetchall()
        add("program_variable", "program lowered_variable direction bytes", rows)

    # liveness
    if {"depth_first_steps", "memory_not_always_live_by_step_and_ipu"} <= set(has):
        change = collections.defaultdict(dict)
        for ipu, step, delta in db.execute("SELECT ipu, step_id, delta_bytes FROM memory_not_always_live_by_step_and_ipu"):
            change[ipu][step] = change[ipu].get(step, 0) + delta
        now = dict.fromkeys(change, 0)
        device, each, depth = [], [], {None: -1}
        for step, program, parent in db.execute("SELECT id, program_id, parent_step_id FROM depth_first_steps ORDER BY id"):
            for ipu in now:
                now[ipu] += change[ipu].get(step, 0)
            depth[step] = depth[parent] + 1
            device.append((step, program, parent, depth[step], now[None] if None in now else sum(now.values())))
            each += [(step, ipu, now[ipu]) for ipu in sorted(set(now) - {None})]
        add("liveness_step", "live_step program parent depth not_always_live", device)
        add("liveness_step_ipu", "live_step ipu not_always_live", each)
    if {"unlowered_vars", "var_bytes_by_eq_class", "eq_classes"} <= set(has):
        said = {c[0]: c for c in contexts(path)}
        typed = context_types(path)
        of = dict(db.execute("SELECT variable_id, first(ids) FROM debug_ids")) if "debug_ids" in has else {}
        size = {v: pair for v, *pair in db.execute(
            "SELECT unlowered_var_id, sum(bytes), sum(bytes * is_always_live) FROM var_bytes_by_eq_class JOIN eq_classes ON "
            "id = eq_class_id WHERE tile IS NULL GROUP BY 1")}
        add("variable", "variable name bytes always_live_bytes always_live element_type shape context", [
            (v, name, *size.get(v, (0, 0)), int(bool(size.get(v) and 0 < size[v][0] == size[v][1])),
             *typed.get(of.get(v), (None, None)), of.get(v) if of.get(v) in said else of.get(v) or None)
            for v, name in db.execute("SELECT id, name FROM unlowered_vars")])
        add("context", "context parent layer name file function line", said.values())
    view("liveness_variable", """SELECT unlowered_var_id AS variable, eq_class_id AS class, bytes, is_always_live AS
        always_live, step_id_from AS start, step_id_to AS "end" FROM var_bytes_by_eq_class JOIN eq_class_step USING
        (eq_class_id) LEFT JOIN eq_classes c ON c.id = eq_class_id WHERE tile IS NULL""",
         "var_bytes_by_eq_class", "eq_class_step", "eq_classes")
    view("tile_variable", "SELECT tile, unlowered_var_id AS variable, eq_class_id AS class, bytes FROM var_bytes_by_eq_class "
         "WHERE tile IS NOT NULL", "var_bytes_by_eq_class")

    # execution
    view("run", """SELECT id AS run, name, start_epoch_time_microseconds AS start_us, elapsed_microseconds AS elapsed_us,
        coalesce((SELECT sum(num_steps) FROM runs b WHERE b.id < a.id), 0) AS first_step, num_steps AS step_count,
        num_programs AS program_count FROM runs a""", "runs")
    if {"steps", "programs"} <= set(has):
        ends = [(f + n, r) for r, f, n in db.execute("SELECT run, first_step, step_count FROM run ORDER BY first_step")]
        sets = dict(db.execute("SELECT program, compute_set FROM program"))
        add("step", "step run type sync_type program compute_set name", [
            (s, next((r for end, r in ends if s < end), None), kind, sync, p, sets.get(p), None)
            for s, kind, sync, p in db.execute("SELECT id, type, sync_type, program FROM steps ORDER BY id")])
    moved = {}      # {program: numbers by IPU received, sent}
    for kind in ("do_exchange", "global_exchange", "stream_copy_mid"):
        if {"program_type_" + kind, "programs", "program_types"} <= set(has):
            for p, *two in db.execute("SELECT p.id, bytes_received_by_ipu_rle, bytes_sent_by_ipu_rle FROM programs p JOIN "
                                      "program_type_%s x ON x.id = variant_index WHERE variant IN %s" % (kind, ids_of(kind))):
                moved[p] = [dict(enumerate(runs(b))) if b is not None else {} for b in two]
    if "steps" in has:
        program = dict(db.execute("SELECT id, program FROM steps"))
        db.create_function("moved", 3, lambda s, ipu, i: moved.get(program.get(s), ({}, {}))[i].get(ipu))
    else:
        db.create_function("moved", 3, lambda s, ipu, i: None)
    # where no tile is active: from the base, to the end of all cycles
    view("step_ipu", """SELECT step_id AS step, ipu, cycles,
        cycles_base + iif(active_tiles, active_cycles_from_min, 0) AS start,
        cycles_base + iif(active_tiles, active_cycles_to_max, all_cycles_to_max) AS "end", active_tiles,
        cycles_base + iif(active_tiles, active_cycles_from_max, 0) AS active_start_max,
        cycles_base + iif(active_tiles, active_cycles_to_min, all_cycles_to_max) AS active_end_min,
        tile_balance, active_tile_balance, thread_balance,
        moved(step_id, ipu, 0) AS data_in, moved(step_id, ipu, 1) AS data_out FROM steps_by_ipu WHERE ipu IS NOT NULL""", "steps_by_ipu")
    return db


def context_types(path):
    """{context: (element type, shape)} of those that are variables."""
    where = os.path.join(os.path.dirname(path), "debug.cbor")
    if not os.path.exists(where):
        return {}
    with open(where, "rb") as f:
        return {c["id"]: (c.get("type"), "[%s]" % ", ".join(map(str, c["shape"])) if "shape" in c else None)
                for c in items(f.read())["contexts"] if c.get("category") in ("var", "varConst")}


def context_names(path):
    """A function: (name, place) of a context: the first name from it to the root, or poplibs' api; function:line."""
    where = os.path.join(os.path.dirname(path), "debug.cbor")
    whole = {"contexts": [], "stringTable": []}
    if os.path.exists(where):
        with open(where, "rb") as f:
            whole = items(f.read())
    by_id = {c["id"]: c for c in whole["contexts"]}
    text = lambda i: "" if i is None else whole["stringTable"][i]

    def up(c):
        while c in by_id:
            yield by_id[c]
            c = by_id[c].get("parentId")

    def place(c):
        at = c.get("location", {})
        return text(at.get("functionName")) and "%s:%d" % (text(at["functionName"]), at["lineNumber"])

    return lambda c: (next((n for n in (text(x.get("name")) or x.get("api") for x in up(c)) if n), None),
                      next((n for n in map(place, up(c)) if n), None))


def program_names(db, kinds, path):
    """
    (program, name, named_by): its own, its compute set's, the streams' of a copy, which name what begins and ends it,
    too; that of the function it calls; its contexts', or their place.
    """
    sets = {p: name for p, name in db.execute(
        "SELECT p.id, c.name FROM programs p JOIN program_types t ON t.id = p.variant AND t.program_type_table = "
        "'program_type_on_tile_execute' JOIN program_type_on_tile_execute x ON x.id = p.variant_index JOIN compute_sets c "
        "USING (compute_set)")}
    streams = collections.defaultdict(set)
    for p, stream in db.execute("SELECT program, stream FROM stream_copy"):
        streams[p].add(stream)
    called = dict(db.execute("SELECT p.id, f.name FROM programs p JOIN program_types t ON t.id = p.variant AND "
                             "t.program_type_table = 'program_type_call' JOIN program_type_call c ON c.id = p.variant_index "
                             "JOIN function_programs r ON r.id = c.function_id JOIN programs f ON f.id = r.program"))
    told_of = context_names(path)
    for p, variant, name, context in db.execute("SELECT id, variant, name, debug_id FROM programs").fetchall():
        of_set = None if re.match("-[0-9]", sets.get(p) or "") else sets.get(p) or None
        beside = streams.get(p + {"StreamCopyBegin": 1, "StreamCopyEnd": -1}.get(kinds[variant][0], 0))
        above, place = told_of(context)
        for told, by in ((name, "own"), (of_set, "compute_set"), (", ".join(sorted(beside or ())), "stream"),
                         (called.get(p), "function"), (above, "context"), (place, "location"), (None, "type")):
            if told or by == "type":
                yield p, told, by
                break


def main():
    bad = 0
    for path in sys.argv[1:]:
        for name, found in broken(path).items():
            print("%s: %s: %s" % (path, name, "; ".join(found) if found else "holds"))
            bad += bool(found)
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
