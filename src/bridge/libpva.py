# SPDX-License-Identifier: MIT
"""
libpva - write what libpva says about a profile into a store.

Run by `tilescope import`, which gives it the store's DDL and the names of the relations that are wanted:

    python3 libpva.py PROFILE STORE DDL CATEGORIES RELATION,RELATION,... OF [DEBUG]

    python3 libpva.py --probe                    can `pva` be imported? exit status 0, or 3

CATEGORIES is a file with a line "NUMBER NAME" for each category whose number is given. OF is kept in the store: which bytes it was made of. Tables without a row are dropped, so that a relation
is either there or absent.

Only the standard library and `pva` (Poplar SDK) are used; Python 3.6 or later. Every list of libpva is
asked for once and walked once, rows go to the store as they come, and nothing is kept that grows with
the report, but for what SQLite keeps on disk. A property that is missing or raises is left out (NULL, or
no rows), and said in the store: rows "import_skipped" of the relation `report`.

Standard output is for the caller, a line each:
    total N          rows are unknown beforehand: so many relations are wanted
    relation NAME    this one begins
    rows N           so many rows were written, of all relations
    skipped TEXT     a property that could not be had
    done
Errors go to standard error in one line, with exit status 1; 3 when `pva` cannot be imported.
SIGTERM and SIGINT end it at once; the store is then not complete (the caller removes it).

Properties that the documentation names are used as it names them; `size` of liveness variables,
`hasUnloweredVar` of lowered ones and the `_id` of programs and variables as public code uses them.
"""
import itertools
import os
import re
import signal
import sqlite3
import sys
import time
from array import array

BATCH = 20000
SKIPS = 200
TEXT = 32768
OWN_VARIABLES = 1 << 40    # numbers of variables that have none of their own begin here


MISSING = type('Missing', (), {'__bool__': lambda self: False,
                               '__doc__': 'What get() gives when a property is not there.'})()


def text_of(value):
    """A name; None when there is none."""
    return value[:TEXT] if isinstance(value, str) and value else None


def number(value):
    """An integer that SQLite can hold, or None."""
    if isinstance(value, bool):
        return int(value)
    if isinstance(value, float):
        if value != value or value in (float('inf'), float('-inf')) or value != int(value):
            return None
        value = int(value)
    if isinstance(value, int) and -(1 << 63) <= value < 1 << 63:
        return value
    return None


def real(value):
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return float(value)
    return None


def attribute(obj, name):
    """What it has by that name; None when it has none, or raises."""
    try:
        return getattr(obj, name, None)
    except Exception:  # whatever libpva raises
        return None


def by_tile(values):
    """A `_by_tile` blob: little-endian 32-bit numbers, zeros at the end cut; None when it is no such list."""
    out = array('I')
    if out.itemsize != 4:
        out = array('L')
    try:
        for value in values:
            value = number(value)
            out.append(value)
    except Exception:  # no list, no numbers, or whatever libpva raises
        return None
    while out and out[-1] == 0:
        out.pop()
    if sys.byteorder == 'big':
        out.byteswap()
    return out.tobytes()


class Store(object):
    """Rows into tables, with progress."""

    def __init__(self, path, ddl):
        self.db = sqlite3.connect(path, isolation_level=None)
        for pragma in ('journal_mode=OFF', 'synchronous=OFF', 'cache_size=-16384', 'temp_store=FILE',
                       'locking_mode=EXCLUSIVE'):
            self.db.execute('PRAGMA ' + pragma)
        self.db.executescript(ddl)
        self.db.execute('BEGIN')
        self.rows = 0
        self.said = 0.0
        self.columns = {}

    def width(self, table):
        if table not in self.columns:
            self.columns[table] = len(self.db.execute('PRAGMA table_info("%s")' % table).fetchall())
        return self.columns[table]

    def add(self, table, row, ignore=False):
        """One row; what is missing at its end is NULL. Was it new?"""
        width = self.width(table)
        row = tuple(row) + (None,) * (width - len(row))
        sql = 'INSERT %sINTO "%s" VALUES (%s)' % ('OR IGNORE ' if ignore else '', table,
                                                  ','.join('?' * width))
        cursor = self.db.execute(sql, row)
        self.count()
        return cursor.rowcount > 0

    def count(self):
        self.rows += 1
        if self.rows % BATCH == 0:
            self.db.execute('COMMIT')
            self.db.execute('BEGIN')
        if self.rows % 256 == 0:
            now = time.time()
            if now - self.said > 0.2:
                self.said = now
                say('rows', self.rows)

    def close(self):
        self.db.execute('COMMIT')
        for table in [row[0] for row in self.db.execute(
                "SELECT name FROM sqlite_master WHERE type = 'table'")]:
            if not self.db.execute('SELECT 1 FROM "%s" LIMIT 1' % table).fetchone():
                self.db.execute('DROP TABLE "%s"' % table)
        self.db.close()


def say(*words):
    text = ' '.join(str(w) for w in words)
    sys.stdout.write(text.replace('\n', ' ') + '\n')
    sys.stdout.flush()


class Bridge(object):
    def __init__(self, report, store, wanted):
        self.report = report
        self.store = store
        self.wanted = wanted
        self.skips = {}
        self.counters = {}
        self.has_ipu_lives = True
        self.tiles_per_ipu = None
        self.tiles = None

    # --- reading libpva ---------------------------------------------------------------------

    def skip(self, path, why):
        """Say once that a property could not be had."""
        if path in self.skips or len(self.skips) >= SKIPS:
            return
        if isinstance(why, BaseException):
            why = '%s: %s' % (type(why).__name__, why)
        text = '%s: %s' % (path, str(why)[:200])
        self.skips[path] = text
        say('skipped', text)

    def get(self, obj, path, prefix='', quiet=False):
        """obj.a.b for the path "a.b", or MISSING."""
        for word in path.split('.'):
            if obj is None or obj is MISSING:
                return MISSING
            try:
                obj = getattr(obj, word)
            except Exception as why:  # whatever libpva raises
                if not quiet:
                    self.skip(prefix + path, why)
                return MISSING
        return obj

    def name_of(self, value, path):
        """Text of an enumeration's value, or of what is text or a number itself; None when there is none."""
        if type(value) in (str, bool, int, float):
            return str(value)[:TEXT]
        name = self.get(value, 'name', path + '.')
        return name[:TEXT] if isinstance(name, str) else None

    def call(self, obj, method, arguments, prefix):
        function = self.get(obj, method, prefix)
        if function is MISSING:
            return MISSING
        try:
            return function(*arguments)
        except Exception as why:
            self.skip('%s%s()' % (prefix, method), why)
            return MISSING

    def walk(self, values, path):
        """The values of a list, once; ends where it raises."""
        if values is MISSING or values is None:
            return
        try:
            iterator = iter(values)
        except Exception as why:
            self.skip(path, why)
            return
        while True:
            try:
                value = next(iterator)
            except StopIteration:
                return
            except Exception as why:
                self.skip(path, why)
                return
            yield value

    def num(self, obj, path, prefix):
        value = self.get(obj, path, prefix)
        return None if value is MISSING else number(value)

    def blob(self, obj, path, prefix):
        value = self.get(obj, path, prefix)
        if value is MISSING or value is None:
            return None
        blob = by_tile(value)
        if blob is None:
            self.skip(prefix + path, 'not a list of numbers of 32 bits')
        return blob

    # --- report and target ------------------------------------------------------------------

    def write_report(self):
        r = self.report
        for key, path in (('poplar_version', 'poplarVersion'), ('format_version', 'version')):
            value = self.get(r, path, 'report.')
            if value is MISSING or value is None:
                continue
            text, package = self.version(value)
            if text is None:
                self.skip('report.' + path, 'neither text nor an object that has it as `string`')
                continue
            self.pair(key, text)
            if package and key == 'poplar_version':
                self.pair('package_hash', package)
        settings = self.get(r, 'instrumentationSettings', 'report.')
        if settings is not MISSING and settings is not None:
            for attribute in public(settings):
                path = 'report.instrumentationSettings.'
                value = self.get(settings, attribute, path)
                if value is not MISSING and not callable(value):
                    self.pair('instrumentation.' + attribute, self.name_of(value, path + attribute))

    def pair(self, key, value):
        self.store.add('report', (key, value))

    def version(self, value):
        """A version and its hash, or None: text, or an object with `string`: "3.1.0 (1234567890)"."""
        text = value if isinstance(value, str) else attribute(value, 'string')
        if not isinstance(text, str):
            parts = [number(attribute(value, part)) for part in ('major', 'minor', 'point')]
            if None in parts:
                return None, None
            text = '.'.join(str(p) for p in parts)
        found = re.match(r'(\S+) \((\w+)\)$', text)
        return found.groups() if found else (text[:TEXT], None)

    def write_target(self, compilation):
        t = self.get(compilation, 'target', 'compilation.')
        if t is MISSING:
            return
        p = 'compilation.target.'
        self.tiles_per_ipu = self.num(t, 'tilesPerIpu', p)
        self.tiles = self.num(t, 'numTiles', p)
        kind = self.name_of(self.get(t, 'type', p), p + 'type')
        architecture = self.name_of(self.get(t, 'architecture', p), p + 'architecture')
        clock = self.get(t, 'clockFrequency', p)
        ipus = self.num(t, 'numIPUs', p)
        replicas = self.num(t, 'numReplicas', p)
        if 'target' in self.wanted:
            self.store.add('target', (kind, architecture, ipus, replicas, self.tiles_per_ipu,
                                      self.num(t, 'bytesPerTile', p),
                                      None if clock is MISSING else real(clock)))
        if 'ipu' in self.wanted and ipus and self.tiles_per_ipu and ipus <= 65536:
            each = self.num(t, 'ipusPerReplica', p)
            for i in range(ipus):
                self.store.add('ipu', (i, i // each if each else None, i * self.tiles_per_ipu,
                                       self.tiles_per_ipu))

    def write_graph(self, compilation):
        g = self.get(compilation, 'graph', 'compilation.')
        for name, path in (('compute_sets', 'numComputeSets'), ('edges', 'numEdges'),
                           ('variables', 'numVars'), ('vertices', 'numVertices')):
            value = self.num(g, path, 'compilation.graph.')
            if value is not None:
                self.store.add('graph_count', (name, value))

    # --- tiles ------------------------------------------------------------------------------

    def write_tiles(self, compilation):
        tiles = self.get(compilation, 'tiles', 'compilation.')
        for t, tile in enumerate(self.walk(tiles, 'compilation.tiles')):
            memory = self.get(tile, 'memory', 'compilation.tiles[].')
            if memory is MISSING:
                continue
            p = 'compilation.tiles[].memory.'
            if 'tile_memory' in self.wanted:
                self.write_tile_memory(t, memory, p)
            if 'tile_category' in self.wanted:
                self.write_tile_categories(t, memory, p)
            if 'tile_vertex' in self.wanted:
                self.write_tile_vertices(t, memory, p)

    def write_tile_memory(self, t, memory, p):
        row = [t, t // self.tiles_per_ipu if self.tiles_per_ipu else None, None]
        for path in ('total.excludingGaps', 'total.includingGaps', 'nonInterleaved.excludingGaps',
                     'interleaved.excludingGaps', 'overflowed.excludingGaps', 'alwaysLiveBytes',
                     'notAlwaysLiveBytes'):
            row.append(self.num(memory, path, p))
        self.store.add('tile_memory', row)

    def write_tile_categories(self, t, memory, p):
        category = self.get(memory, 'category', p)
        if category is MISSING:
            return
        for name in public(category):
            value = self.get(category, name, p + 'category.')
            if value is MISSING or callable(value):
                continue
            q = p + 'category.[].'
            rows = 0
            for region, path in (('non_interleaved', 'nonInterleaved'), ('interleaved', 'interleaved'),
                                 ('overflowed', 'overflowed')):
                here = self.get(value, path, q)
                if here is MISSING:
                    continue
                alone = self.num(here, 'nonOverlapped', q + path + '.')
                shared = self.num(here, 'overlapped', q + path + '.')
                if alone or shared:
                    self.store.add('tile_category', (t, self.id_of('category', name), region, alone or 0,
                                                     shared))
                    rows += 1
            total = None if rows else self.num(value, 'total', q)
            if total:
                self.store.add('tile_category', (t, self.id_of('category', name), None, total, None))

    def write_tile_vertices(self, t, memory, p):
        vertices = self.get(memory, 'vertices', p)
        for vertex in self.walk(vertices, p + 'vertices'):
            q = p + 'vertices[].'
            kind = self.vertex_type(self.get(vertex, 'type', q), q + 'type.')
            code = self.num(vertex, 'codeBytes', q)
            if kind is not None and code is not None:
                self.store.add('tile_vertex', (t, kind, code))

    # --- small dictionaries: in the store, so that they cannot outgrow memory ------------------

    def id_of(self, space, key, size=None):
        """A dense number for a key of a space, made when it is new."""
        db = self.store.db
        row = db.execute('SELECT number FROM temp.key WHERE space = ? AND key = ?', (space, key)).fetchone()
        if row:
            return row[0]
        number_ = self.counters.get(space, 0)
        self.counters[space] = number_ + 1
        db.execute('INSERT INTO temp.key VALUES (?, ?, ?)', (space, key, number_))
        if space == 'category' and 'memory_category' not in self.wanted:
            self.skip('name of category %d' % number_, key)
        elif space == 'category':
            self.store.add('memory_category', (number_, key))
        elif space == 'vertex':
            self.store.add('vertex_type', (number_, key, size))
        return number_

    def vertex_type(self, kind, p):
        name = self.get(kind, 'name', p)
        if not isinstance(name, str):
            return None
        return self.id_of('vertex', name[:TEXT], self.num(kind, 'size', p))

    # --- programs ---------------------------------------------------------------------------

    def compute_set_number(self, compute_set, p):
        """Its place among the compute sets of that name; None when it cannot be told."""
        name = self.get(compute_set, 'name', p)
        if not isinstance(name, str):
            return None
        rows = self.store.db.execute('SELECT number FROM temp.named WHERE name = ? LIMIT 2',
                                     (name[:TEXT],)).fetchall()
        if len(rows) == 1:
            return rows[0][0]
        if rows:
            self.skip(p + 'number', 'several compute sets are named alike: "%s"' % name[:80])
        return None

    def write_compute_sets(self, compilation):
        p = 'compilation.computeSets[].'
        for i, cs in enumerate(self.walk(self.get(compilation, 'computeSets', 'compilation.'),
                                         'compilation.computeSets')):
            name = self.get(cs, 'name', p)
            name = text_of(name)
            self.store.db.execute('INSERT INTO temp.named VALUES (?, ?)', (name, i))
            if 'compute_set' in self.wanted:
                self.store.add('compute_set', (i, name, None,
                                               self.blob(cs, 'estimatedCyclesByTile', p)))
            if 'compute_set_vertex' not in self.wanted:
                continue
            for vertex in self.walk(self.get(cs, 'vertices', p), p + 'vertices'):
                kind = self.vertex_type(self.get(vertex, 'type', p + 'vertices[].'),
                                        p + 'vertices[].type.')
                counts = self.blob(vertex, 'countByTile', p + 'vertices[].')
                total = sum(array_of(counts)) if counts is not None else None
                if kind is not None:
                    self.store.add('compute_set_vertex', (i, kind, total, counts))

    def write_programs(self, compilation):
        p = 'compilation.programs[].'
        for program in self.walk(self.get(compilation, 'programs', 'compilation.'),
                                 'compilation.programs'):
            number_ = self.num(program, '_id', p)
            if number_ is None:
                continue
            if 'program' in self.wanted:
                self.write_program(program, number_, p)
            if 'program_child' in self.wanted:
                children = self.get(program, 'children', p)
                for i, child in enumerate(self.walk(children, p + 'children')):
                    child_number = self.num(child, '_id', p + 'children[].')
                    if child_number is not None:
                        self.store.add('program_child', (number_, i, child_number))

    def write_program(self, program, number_, p):
        kind = self.name_of(self.get(program, 'type', p), p + 'type')
        name = self.get(program, 'name', p)
        compute_set = None
        if kind == 'OnTileExecute':
            compute_set = self.compute_set_number(self.get(program, 'computeset', p), p + 'computeset.')
        self.store.add('program', (number_, kind, text_of(name),
                                   compute_set, None, None, self.blob(program, 'controlCodeByTile', p),
                                   self.blob(program, 'codeBytesByTile', p),
                                   self.blob(program, 'estimatedCyclesByTile', p)), ignore=True)

    # --- liveness ---------------------------------------------------------------------------

    def variable_key(self, var, p):
        """What an unlowered variable is known by: its own number, else its size and name."""
        own = number(self.get(var, '_id', p, quiet=True))
        return own if own is not None else self.variable_figures(var, p)

    def variable_figures(self, var, p):
        name = self.get(var, 'name', p)
        size = self.get(var, 'size', p, quiet=True)
        if size is MISSING:
            size = self.get(var, 'bytes', p)
        return (text_of(name),
                None if size is MISSING else number(size))

    def variable(self, key, var, always, p):
        """The number of an unlowered variable; its row is written when it is new."""
        name, size = key if isinstance(key, tuple) else self.variable_figures(var, p)
        number_ = key
        if isinstance(key, tuple):
            number_ = OWN_VARIABLES + self.id_of('variable', '%s/%s' % (size, name))
        if 'variable' in self.wanted:
            self.store.add('variable', (number_, name, size, always), ignore=True)
        return number_

    def write_always_live(self, compilation):
        p = 'compilation.alwaysLiveVariables[].'
        for var in self.walk(self.get(compilation, 'alwaysLiveVariables', 'compilation.'),
                             'compilation.alwaysLiveVariables'):
            self.variable(self.variable_key(var, p), var, 1, p)

    def write_tile_always_live(self, compilation):
        p = 'compilation.alwaysLiveVariablesForTile()[].'
        if self.get(compilation, 'alwaysLiveVariablesForTile', 'compilation.') is MISSING:
            return
        for t in range(self.tiles or 0):
            found = self.call(compilation, 'alwaysLiveVariablesForTile', (t,), 'compilation.')
            if found is MISSING:
                return
            for var in self.walk(found, 'compilation.alwaysLiveVariablesForTile()'):
                name = self.get(var, 'name', p)
                size = self.num(var, 'size', p)
                if isinstance(name, str) and size is not None:
                    self.store.add('tile_always_live', (t, name[:TEXT], size))

    def write_liveness(self, compilation):
        """Steps in order; a variable's interval ends at the first step that does not name it."""
        p = 'compilation.livenessProgramSteps[].'
        alive = {}
        last = -1
        lives = 'liveness_variable' in self.wanted or 'variable' in self.wanted
        for i, step in enumerate(self.walk(self.get(compilation, 'livenessProgramSteps', 'compilation.'),
                                           'compilation.livenessProgramSteps')):
            last = i
            program = self.num(self.get(step, 'program', p), '_id', p + 'program.')
            memory = self.get(step, 'notAlwaysLiveMemory', p)
            if 'liveness_step' in self.wanted:
                self.store.add('liveness_step', (i, program, self.num(memory, 'bytes',
                                                                      p + 'notAlwaysLiveMemory.')))
            if 'liveness_step_ipu' in self.wanted:
                self.write_liveness_ipus(i, step, p)
            if lives:
                now = {}
                q = p + 'notAlwaysLiveMemory.'
                for var in self.walk(self.get(memory, 'variables', q), q + 'variables'):
                    key = self.variable_key(var, q + 'variables[].')
                    if key not in now:
                        now[key] = alive.pop(key, None) or (
                            self.variable(key, var, 0, q + 'variables[].'), i)
                self.end_lives(alive, i)
                alive = now
        self.end_lives(alive, last + 1)

    def end_lives(self, ended, step):
        if 'liveness_variable' in self.wanted:
            for number_, start in sorted(ended.values()):
                self.store.add('liveness_variable', (number_, start, step))

    def write_liveness_ipus(self, i, step, p):
        if not self.tiles or not self.tiles_per_ipu or not self.has_ipu_lives:
            return
        for ipu in range(min(self.tiles // self.tiles_per_ipu, 65536)):
            memory = self.call(step, 'notAlwaysLiveMemoryForIpu', (ipu,), p)
            if memory is MISSING:
                self.has_ipu_lives = False
                return
            size = self.num(memory, 'bytes', p + 'notAlwaysLiveMemoryForIpu().')
            if size is not None:
                self.store.add('liveness_step_ipu', (i, ipu, size))

    # --- lowered variables ------------------------------------------------------------------

    def write_lowered(self, compilation):
        lowered = self.get(compilation, 'loweredVariables', 'compilation.')
        if lowered is MISSING:
            return
        self.write_brief(lowered)
        if 'lowered_variable' in self.wanted:
            self.write_named(lowered)

    def write_brief(self, lowered):
        p = 'compilation.loweredVariables.allBriefVars[].'
        classes = 'class_interval' in self.wanted
        variables = 'lowered_variable' in self.wanted
        for var in self.walk(self.get(lowered, 'allBriefVars', 'compilation.loweredVariables.'),
                             'compilation.loweredVariables.allBriefVars'):
            kind = self.get(var, 'equivalenceClass', p)
            class_ = self.num(kind, 'id', p + 'equivalenceClass.')
            if variables:
                number_ = self.num(var, 'id', p)
                if number_ is not None:
                    self.store.add('lowered_variable',
                                   (number_, self.num(var, 'tileId', p), None, self.num(var, 'bytes', p),
                                    None, None, None, class_), ignore=True)
            if classes and class_ is not None and self.is_new_class(class_):
                for interval in self.walk(self.get(kind, 'steps', p + 'equivalenceClass.'),
                                          p + 'equivalenceClass.steps'):
                    q = p + 'equivalenceClass.steps[].'
                    start, end = self.num(interval, 'start', q), self.num(interval, 'end', q)
                    if start is not None and end is not None:
                        self.store.add('class_interval', (class_, start, end))

    def is_new_class(self, class_):
        cursor = self.store.db.execute('INSERT OR IGNORE INTO temp.class VALUES (?)', (class_,))
        return cursor.rowcount > 0

    def write_named(self, lowered):
        """Names and the like come by tile; rows are those of allBriefVars where it was there."""
        p = 'compilation.loweredVariables.forTile()[].'
        update = 'UPDATE lowered_variable SET name = ?, always_live = ?, variable = ? WHERE id = ? ' \
                 'AND tile = ?'
        for t in range(self.tiles or 0):
            found = self.call(lowered, 'forTile', (t,), 'compilation.loweredVariables.')
            if found is MISSING:
                return
            for var in self.walk(found, 'compilation.loweredVariables.forTile()'):
                number_ = self.num(var, '_id', p)
                name = self.get(var, 'name', p)
                name = text_of(name)
                always = self.num(var, 'alwaysLive', p)
                unlowered = self.unlowered(var, p)
                if number_ is None:
                    continue
                cursor = self.store.db.execute(update, (name, always, unlowered, number_, t))
                self.store.count()
                if cursor.rowcount == 0:
                    self.store.add('lowered_variable', (number_, t, name, self.num(var, 'bytes', p), None,
                                                        None, None, None, unlowered, always),
                                   ignore=True)

    def unlowered(self, var, p):
        has = self.get(var, 'hasUnloweredVar', p, quiet=True)
        if has is not MISSING and not has:
            return None
        whole = self.get(var, 'unloweredVar', p)
        if whole is MISSING or whole is None:
            return None
        return self.variable(self.variable_key(whole, p + 'unloweredVar.'), whole, None,
                             p + 'unloweredVar.')

    # --- execution --------------------------------------------------------------------------

    def write_execution(self):
        execution = self.get(self.report, 'execution', 'report.')
        if execution is MISSING or execution is None:
            return
        step = 0
        if self.wanted & {'run', 'step', 'step_ipu'}:
            for i, run in enumerate(self.walk(self.get(execution, 'runs', 'execution.'), 'execution.runs')):
                step = self.write_run(i, run, step)
            if step == 0 and self.wanted & {'step', 'step_ipu'}:
                for value in self.walk(self.get(execution, 'steps', 'execution.'), 'execution.steps'):
                    self.write_step(step, None, value)
                    step += 1
        if 'block' in self.wanted:
            self.write_blocks(execution)

    def write_run(self, i, run, first):
        p = 'execution.runs[].'
        step = first
        for value in self.walk(self.get(run, 'steps', p), p + 'steps'):
            self.write_step(step, i, value)
            step += 1
        if 'run' in self.wanted:
            name = self.get(run, 'name', p)
            self.store.add('run', (i, text_of(name),
                                   self.num(run, 'microseconds.start', p),
                                   self.num(run, 'microseconds.end', p), first, step - first))
        return step

    def write_step(self, number_, run, step):
        p = 'execution.steps[].'
        if 'step' in self.wanted:
            program = self.get(step, 'program', p)
            compute_set, name = self.step_compute_set(step, p)
            if name is None:
                name = self.get(program, 'name', p + 'program.')
            kind = self.name_of(self.get(program, 'type', p + 'program.'), p + 'program.type')
            self.store.add('step', (number_, run, kind,
                                    self.num(program, '_id', p + 'program.'), compute_set,
                                    text_of(name)))
        if 'step_ipu' in self.wanted:
            for i, ipu in enumerate(self.walk(self.get(step, 'ipus', p), p + 'ipus')):
                self.write_step_ipu(number_, i, ipu, p + 'ipus[].')

    def step_compute_set(self, step, p):
        sets = list(itertools.islice(self.walk(self.get(step, 'computeSets', p), p + 'computeSets'), 1))
        if not sets:
            return None, None
        name = self.get(sets[0], 'name', p + 'computeSets[].')
        return (self.compute_set_number(sets[0], p + 'computeSets[].'),
                name if isinstance(name, str) else None)

    def write_step_ipu(self, step, i, ipu, p):
        active = self.get(ipu, 'activeCycles', p)
        q = p + 'activeCycles.'
        balance = self.get(ipu, 'tileBalance', p)
        active_balance = self.get(ipu, 'activeTileBalance', p)
        self.store.add('step_ipu', (step, i, self.num(ipu, 'cycles', p),
                                    self.num(active, 'cyclesFrom.min', q),
                                    self.num(active, 'cyclesTo.max', q), None,
                                    self.num(active, 'cyclesFrom.max', q),
                                    self.num(active, 'cyclesTo.min', q), self.num(ipu, 'dataIn', p),
                                    self.num(ipu, 'dataOut', p),
                                    None if balance is MISSING else real(balance),
                                    None if active_balance is MISSING else real(active_balance)))

    def write_blocks(self, execution):
        p = 'execution.blocks()[].'
        kinds = (('isOverflow', 'overflow'), ('isBlockFlush', 'flush'), ('isStreamCopy', 'stream_copy'),
                 ('isCommon', 'common'))
        if self.get(execution, 'blocks', 'execution.') is MISSING:
            return
        for t in range(self.tiles or 0):
            found = self.call(execution, 'blocks', (t,), 'execution.')
            if found is MISSING:
                return
            for i, block in enumerate(self.walk(found, 'execution.blocks()')):
                program = self.get(block, 'program', p)
                kind = next((word for path, word in kinds if self.get(block, path, p)), None)
                name = self.get(program, 'name', p + 'program.', quiet=True)
                self.store.add('block', (t, i, self.num(program, '_id', p + 'program.'),
                                         text_of(name), kind,
                                         self.num(block, 'cyclesFrom', p), self.num(block, 'cyclesTo', p)))

    # --- operations -------------------------------------------------------------------------

    def write_operations(self, pva):
        try:
            operations = pva.OperationAnalysis(self.report).operations
        except Exception as why:
            self.skip('OperationAnalysis(report).operations', why)
            return
        p = 'operations[].'
        for i, op in enumerate(self.walk(operations, 'operations')):
            context = self.get(op, 'debugContext', p)
            name = self.get(op, 'name', p)
            name = text_of(name)
            if 'operation' in self.wanted:
                layer = self.get(context, 'layer', p + 'debugContext.', quiet=True)
                said = self.get(context, 'name', p + 'debugContext.', quiet=True)
                self.store.add('operation', (i, self.name_of(layer, p + 'debugContext.layer'),
                                             name, text_of(said), None,
                                             self.num(op, 'firstStepIndex', p),
                                             self.num(op, 'lastStepIndex', p)))
            if 'operation_program' in self.wanted:
                for program in self.walk(self.call(op, 'programs', (), p), p + 'programs()'):
                    number_ = self.num(program, '_id', p + 'programs()[].')
                    if number_ is not None:
                        self.store.add('operation_program', (i, number_))
            if 'operation_variable' in self.wanted:
                for var in self.walk(self.get(op, 'vars', p), p + 'vars'):
                    number_ = self.num(var, '_id', p + 'vars[].')
                    if number_ is not None:
                        self.store.add('operation_variable', (i, number_))

    # --- all of it --------------------------------------------------------------------------

    def run(self, pva, categories):
        db = self.store.db
        db.execute('CREATE TEMP TABLE key (space TEXT, key TEXT, number INTEGER, '
                   'PRIMARY KEY (space, key)) WITHOUT ROWID')
        db.execute('CREATE TEMP TABLE class (class INTEGER PRIMARY KEY)')
        db.execute('CREATE TEMP TABLE named (name TEXT, number INTEGER)')
        db.execute('CREATE INDEX temp.named_name ON named (name)')
        for number_, name in categories:
            db.execute('INSERT OR IGNORE INTO temp.key VALUES (?, ?, ?)', ('category', name, number_))
            self.counters['category'] = max(self.counters.get('category', 0), number_ + 1)
        compilation = self.get(self.report, 'compilation', 'report.')
        self.write_report()
        if compilation is not MISSING:
            self.write_target(compilation)
            for names, write in self.parts(compilation):
                if self.wanted & set(names):
                    say('relation', names[0])
                    write()
        say('relation', 'step')
        self.write_execution()
        if self.wanted & {'operation', 'operation_program', 'operation_variable'}:
            say('relation', 'operation')
            self.write_operations(pva)
        for text in self.skips.values():
            self.pair('import_skipped', text)

    def parts(self, compilation):
        """Which relations each walk gives. Names of compute sets come before what joins them."""
        every = (
            (('compute_set', 'compute_set_vertex', 'program', 'step', 'vertex_type'),
             self.write_compute_sets),
            (('graph_count',), self.write_graph),
            (('tile_memory', 'tile_category', 'memory_category', 'tile_vertex', 'vertex_type'),
             self.write_tiles),
            (('program', 'program_child'), self.write_programs),
            (('variable', 'liveness_variable'), self.write_always_live),
            (('tile_always_live',), self.write_tile_always_live),
            (('liveness_step', 'liveness_step_ipu', 'liveness_variable', 'variable'), self.write_liveness),
            (('lowered_variable', 'class_interval'), self.write_lowered),
        )
        return [(names, lambda w=write: w(compilation)) for names, write in every]


def public(obj):
    """Names of what an object has to show, in order."""
    try:
        return sorted(n for n in dir(obj) if not n.startswith('_'))
    except Exception:
        return []


def array_of(blob):
    out = array('I')
    if out.itemsize != 4:
        out = array('L')
    out.frombytes(blob)
    if sys.byteorder == 'big':
        out.byteswap()
    return out


def read_categories(path):
    """(number, name) of each category that has a number already."""
    with open(path, encoding='utf-8', errors='replace') as f:
        for line in f:
            head, _, name = line.rstrip('\n').partition(' ')
            if 0 <= int(head) < 1 << 62:
                yield int(head), name


def fail(text, status):
    sys.stderr.write(text.replace('\n', ' ')[:500] + '\n')
    sys.exit(status)


def import_pva():
    """libpva; never from the current directory, which may be that of a report from anywhere."""
    here = os.path.realpath('.')
    sys.path[:] = [p for p in sys.path if os.path.realpath(p or '.') != here]
    try:
        import pva
    except Exception as why:
        fail('%s: %s' % (type(why).__name__, why), 3)
    return pva


def main(argv):
    for end in (signal.SIGTERM, signal.SIGINT, signal.SIGPIPE):
        signal.signal(end, signal.SIG_DFL)
    if argv[1:] == ['--probe']:
        import_pva()
        return
    profile, path, ddl, categories, wanted, made_of = argv[1:7]
    pva = import_pva()
    try:
        report = pva.openReport(*([profile] + argv[7:8]))
    except Exception as why:
        fail('libpva cannot open it: %s: %s' % (type(why).__name__, why), 1)
    with open(ddl) as f:
        text = f.read()
    try:
        store = Store(path, text)
        wanted = set(wanted.split(','))
        say('total', len(wanted))
        bridge = Bridge(report, store, wanted)
        bridge.pair('store_version', '1')
        bridge.pair('source', 'libpva')
        bridge.pair('made_of', made_of)
        bridge.run(pva, read_categories(categories))
        store.close()
    except Exception as why:  # the caller shows one line: no traceback
        fail('%s: %s' % (type(why).__name__, why), 1)
    say('rows', store.rows)
    say('done')


if __name__ == '__main__':
    main(sys.argv)
