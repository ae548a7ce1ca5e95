# SPDX-License-Identifier: MIT
"""
A stand-in for Graphcore's libpva, for tests: this is NOT the real module and knows nothing of real profiles.

It has the documented surface that src/bridge/libpva.py walks, and answers from a store that `tilescope
demo` wrote. Lists can be walked once, so that whoever relies on more is found out. From the environment:

    STANDIN_STORE    the store
    STANDIN_RAISE    properties that raise, as Class.property ("Tile.memory,Report.version")
    STANDIN_LACK     properties that do not exist, likewise
    STANDIN_VARS     so many lowered variables instead of the store's
    STANDIN_OPEN     openReport() raises with this text
    STANDIN_HANG     allBriefVars never ends
"""
import os
import sqlite3
import struct

RAISE, LACK = (frozenset(os.environ.get(name, '').split(',')) for name in ('STANDIN_RAISE', 'STANDIN_LACK'))


def once(generate):
    """A property that gives a list which can be walked once, and has a length like libpva's."""
    return property(lambda self: generate(self))


class Base(object):
    def __init__(self, db, row=None, **more):
        self.__dict__['_db'] = db
        self.__dict__['_row'] = row
        self.__dict__.update(('_' + k, v) for k, v in more.items())

    def __getattribute__(self, name):
        if not name.startswith('__'):
            path = '%s.%s' % (object.__getattribute__(self, '__class__').__name__, name)
            if path in RAISE:
                raise RuntimeError('the stand-in was told to')
            if path in LACK:
                raise AttributeError("'%s' object has no attribute '%s'" % tuple(path.split('.')))
        return object.__getattribute__(self, name)


def rows(db, sql, *args):
    cursor = db.execute(sql, args)
    while True:
        row = cursor.fetchone()
        if row is None:
            return
        yield row


def numbers(blob):
    return None if blob is None else list(struct.unpack('<%dI' % (len(blob) // 4), blob))


class Named(Base):
    name = property(lambda self: self._row)


class Bytes(Base):
    includingGaps = property(lambda self: self._row[1])
    excludingGaps = property(lambda self: self._row[0])


class Region(Base):
    nonOverlapped = property(lambda self: self._row[0])
    overlapped = property(lambda self: self._row[1])


class Category(Base):
    def _region(self, name):
        return Region(self._db, self._row.get(name, (0, 0)))

    nonInterleaved = property(lambda self: self._region('non_interleaved'))
    interleaved = property(lambda self: self._region('interleaved'))
    overflowed = property(lambda self: self._region('overflowed'))
    total = property(lambda self: sum(a + (b or 0) for a, b in self._row.values()))


class Categories(object):
    """Its attributes are the categories of the report."""


class VertexType(Base):
    name = property(lambda self: self._row[0])
    size = property(lambda self: self._row[1])


class Vertex(Base):
    type = property(lambda self: VertexType(self._db, self._row[:2]))
    codeBytes = property(lambda self: self._row[2])
    countByTile = property(lambda self: numbers(self._row[2]))


class Memory(Base):
    total = property(lambda self: Bytes(self._db, self._row[1:3]))
    nonInterleaved = property(lambda self: Bytes(self._db, (self._row[3], None)))
    interleaved = property(lambda self: Bytes(self._db, (self._row[4], None)))
    overflowed = property(lambda self: Bytes(self._db, (self._row[5], None)))
    alwaysLiveBytes = property(lambda self: self._row[6])
    notAlwaysLiveBytes = property(lambda self: self._row[7])

    @property
    def category(self):
        found = {}
        for name, region, alone, shared in rows(
                self._db, 'SELECT m.name, region, not_overlapped, overlapped FROM tile_category c '
                'JOIN memory_category m USING (category) WHERE tile = ?', self._row[0]):
            found.setdefault(name, {})[region or 'non_interleaved'] = (alone, shared)
        out = Categories()
        for name, regions in found.items():
            setattr(out, name, Category(self._db, regions))
        return out

    @once
    def vertices(self):
        return (Vertex(self._db, row) for row in rows(
            self._db, 'SELECT name, state_bytes, code_bytes FROM tile_vertex JOIN vertex_type '
            'USING (vertex_type) WHERE tile = ?', self._row[0]))


class Tile(Base):
    memory = property(lambda self: Memory(self._db, self._row))


class Target(Base):
    type = property(lambda self: Named(self._db, self._row[0]))
    architecture = property(lambda self: Named(self._db, self._row[1]))
    numIPUs = property(lambda self: self._row[2])
    numReplicas = property(lambda self: self._row[3])
    ipusPerReplica = property(lambda self: self._row[2] // self._row[3])
    tilesPerIpu = property(lambda self: self._row[4])
    numTiles = property(lambda self: self._row[2] * self._row[4])
    bytesPerTile = property(lambda self: self._row[5])
    clockFrequency = property(lambda self: self._row[6])


class Graph(Base):
    def _count(self, name):
        return next(rows(self._db, 'SELECT value FROM graph_count WHERE name = ?', name))[0]

    numComputeSets = property(lambda self: self._count('compute_sets'))
    numEdges = property(lambda self: self._count('edges'))
    numVars = property(lambda self: self._count('variables'))
    numVertices = property(lambda self: self._count('vertices'))


class Program(Base):
    _id = property(lambda self: self._row[0])
    type = property(lambda self: Named(self._db, self._row[1]))
    name = property(lambda self: self._row[2] or '')
    controlCodeByTile = property(lambda self: numbers(self._row[4]))
    codeBytesByTile = property(lambda self: numbers(self._row[5]))
    estimatedCyclesByTile = property(lambda self: numbers(self._row[6]))

    @property
    def computeset(self):
        return ComputeSet(self._db, next(rows(self._db, COMPUTE_SET + ' WHERE compute_set = ?',
                                              self._row[3])))

    @once
    def children(self):
        return (Program(self._db, row) for row in rows(
            self._db, PROGRAM + ' JOIN program_child ON child = program WHERE parent = ? '
            'ORDER BY position', self._row[0]))


PROGRAM = ('SELECT program, type, name, compute_set, control_code_by_tile, code_by_tile, '
           'estimated_cycles_by_tile FROM program')
COMPUTE_SET = 'SELECT compute_set, name, estimated_cycles_by_tile FROM compute_set'
VARIABLE = 'SELECT variable, name, bytes FROM variable'


class ComputeSet(Base):
    name = property(lambda self: self._row[1])
    estimatedCyclesByTile = property(lambda self: numbers(self._row[2]))

    @once
    def vertices(self):
        return (Vertex(self._db, row) for row in rows(
            self._db, 'SELECT name, state_bytes, count_by_tile FROM compute_set_vertex JOIN vertex_type '
            'USING (vertex_type) WHERE compute_set = ?', self._row[0]))


class Variable(Base):
    _id = property(lambda self: self._row[0])
    name = property(lambda self: self._row[1])
    size = property(lambda self: self._row[2])


class LiveMemory(Base):
    bytes = property(lambda self: self._row[1])

    @once
    def variables(self):
        return (Variable(self._db, row) for row in rows(
            self._db, VARIABLE + ' JOIN liveness_variable USING (variable) WHERE start <= ? AND "end" > ?',
            self._row[0], self._row[0]))


class LivenessStep(Base):
    notAlwaysLiveMemory = property(lambda self: LiveMemory(self._db, (self._row[0], self._row[2])))

    @property
    def program(self):
        return Program(self._db, next(rows(self._db, PROGRAM + ' WHERE program = ?', self._row[1])))

    def notAlwaysLiveMemoryForIpu(self, ipu):
        found = next(rows(self._db, 'SELECT not_always_live FROM liveness_step_ipu WHERE live_step = ? '
                          'AND ipu = ?', self._row[0], ipu))
        return LiveMemory(self._db, (self._row[0], found[0]))


class Interval(Base):
    start = property(lambda self: self._row[0])
    end = property(lambda self: self._row[1])


class EquivalenceClass(Base):
    id = property(lambda self: self._row)

    @once
    def steps(self):
        return (Interval(self._db, row) for row in rows(
            self._db, 'SELECT start, "end" FROM class_interval WHERE class = ?', self._row))


class BriefVar(Base):
    id = property(lambda self: self._row[0])
    bytes = property(lambda self: self._row[1])
    tileId = property(lambda self: self._row[2])
    equivalenceClass = property(lambda self: EquivalenceClass(self._db, self._row[3]))


class LoweredVar(Base):
    _id = property(lambda self: self._row[0])
    name = property(lambda self: self._row[1])
    bytes = property(lambda self: self._row[2])
    alwaysLive = property(lambda self: bool(self._row[3]))
    hasUnloweredVar = property(lambda self: self._row[4] is not None)

    @property
    def unloweredVar(self):
        if self._row[4] is None:
            raise RuntimeError('it has none')
        return Variable(self._db, next(rows(self._db, VARIABLE + ' WHERE variable = ?', self._row[4])))


class LoweredVariables(Base):
    @once
    def allBriefVars(self):
        many = int(os.environ.get('STANDIN_VARS', 0))
        while 'STANDIN_HANG' in os.environ:
            yield BriefVar(self._db, (0, 4, 0, None))
        for i in range(many):
            yield BriefVar(self._db, (i, 64, i * 64 // many, i % 1000))
        if not many:
            for row in rows(self._db, 'SELECT id, bytes, tile, class FROM lowered_variable'):
                yield BriefVar(self._db, row)

    def forTile(self, tile):
        if 'STANDIN_VARS' in os.environ:
            return iter(())
        return (LoweredVar(self._db, row) for row in rows(
            self._db, 'SELECT id, name, bytes, always_live, variable FROM lowered_variable '
            'WHERE tile = ?', tile))


class Compilation(Base):
    target = property(lambda self: Target(self._db, next(rows(
        self._db, 'SELECT type, architecture, ipus, replicas, tiles_per_ipu, bytes_per_tile, clock_hz '
        'FROM target'))))
    graph = property(lambda self: Graph(self._db))
    loweredVariables = property(lambda self: LoweredVariables(self._db))

    @once
    def tiles(self):
        return (Tile(self._db, row) for row in rows(
            self._db, 'SELECT tile, total, total_gaps, non_interleaved, interleaved, overflowed, '
            'always_live, not_always_live_peak FROM tile_memory ORDER BY tile'))

    @once
    def programs(self):
        return (Program(self._db, row) for row in rows(self._db, PROGRAM))

    @once
    def computeSets(self):
        return (ComputeSet(self._db, row) for row in rows(self._db, COMPUTE_SET))

    @once
    def livenessProgramSteps(self):
        return (LivenessStep(self._db, row) for row in rows(
            self._db, 'SELECT live_step, program, not_always_live FROM liveness_step'))

    @once
    def alwaysLiveVariables(self):
        return (Variable(self._db, row) for row in rows(self._db, VARIABLE + ' WHERE always_live'))

    def alwaysLiveVariablesForTile(self, tile):
        return (Variable(self._db, (None, name, size)) for name, size in rows(
            self._db, 'SELECT name, bytes FROM tile_always_live WHERE tile = ?', tile))


class Ends(Base):
    min = property(lambda self: self._row[0])
    max = property(lambda self: self._row[1])


class ActiveCycles(Base):
    cyclesFrom = property(lambda self: Ends(self._db, (self._row[2], self._row[4])))
    cyclesTo = property(lambda self: Ends(self._db, (self._row[5], self._row[3])))


class StepIpu(Base):
    cycles = property(lambda self: self._row[1])
    activeCycles = property(lambda self: ActiveCycles(self._db, self._row))
    dataIn = property(lambda self: self._row[6])
    dataOut = property(lambda self: self._row[7])
    tileBalance = property(lambda self: self._row[8])
    activeTileBalance = property(lambda self: self._row[9])


class Step(Base):
    @property
    def program(self):
        return Program(self._db, next(rows(self._db, PROGRAM + ' WHERE program = ?', self._row[1])))

    @once
    def computeSets(self):
        return (ComputeSet(self._db, row) for row in rows(
            self._db, COMPUTE_SET + ' WHERE compute_set = ?', self._row[2]))

    @once
    def ipus(self):
        return (StepIpu(self._db, row) for row in rows(
            self._db, 'SELECT ipu, cycles, start, "end", active_start_max, active_end_min, data_in, '
            'data_out, tile_balance, active_tile_balance FROM step_ipu WHERE step >= ? AND step <= ? '
            'ORDER BY ipu', self._row[0], self._row[0]))


class Microseconds(Base):
    start = property(lambda self: self._row[0])
    end = property(lambda self: self._row[1])


class Run(Base):
    name = property(lambda self: self._row[1])
    microseconds = property(lambda self: Microseconds(self._db, self._row[2:4]))

    @once
    def steps(self):
        return (Step(self._db, row) for row in rows(
            self._db, 'SELECT step, program, compute_set FROM step WHERE run = ?', self._row[0]))


class Block(Base):
    cyclesFrom = property(lambda self: self._row[1])
    cyclesTo = property(lambda self: self._row[2])
    isCommon = property(lambda self: self._row[3] == 'common')
    isStreamCopy = property(lambda self: self._row[3] == 'stream_copy')
    isBlockFlush = property(lambda self: self._row[3] == 'flush')
    isOverflow = property(lambda self: self._row[3] == 'overflow')

    @property
    def program(self):
        return None if self._row[0] is None else Program(
            self._db, next(rows(self._db, PROGRAM + ' WHERE program = ?', self._row[0])))


class Execution(Base):
    @once
    def runs(self):
        return (Run(self._db, row) for row in rows(
            self._db, 'SELECT run, name, start_us, end_us FROM run'))

    @once
    def steps(self):
        return (Step(self._db, row) for row in rows(
            self._db, 'SELECT step, program, compute_set FROM step'))

    def blocks(self, tile):
        return (Block(self._db, row) for row in rows(
            self._db, 'SELECT program, cycles_from, cycles_to, kind FROM block WHERE tile = ? '
            'ORDER BY seq', tile))


class Context(Base):
    layer = property(lambda self: self._row[0])
    name = property(lambda self: self._row[1])


class Operation(Base):
    name = property(lambda self: self._row[1])
    debugContext = property(lambda self: Context(self._db, self._row[2:4]))
    firstStepIndex = property(lambda self: self._row[4])
    lastStepIndex = property(lambda self: self._row[5])

    def programs(self):
        return (Program(self._db, row) for row in rows(
            self._db, PROGRAM + ' JOIN operation_program USING (program) WHERE operation = ?',
            self._row[0]))

    @once
    def vars(self):
        return (Variable(self._db, (i, None, None)) for i, in rows(
            self._db, 'SELECT lowered_variable FROM operation_variable WHERE operation = ?', self._row[0]))


class OperationAnalysis(object):
    def __init__(self, report):
        self._db = report._db

    @property
    def operations(self):
        return (Operation(self._db, row) for row in rows(
            self._db, 'SELECT operation, name, layer, debug_name, first_step, last_step FROM operation'))


class Settings(Base):
    computeInstrumentationLevel = property(lambda self: 'tile')


class Version(Base):
    string = property(lambda self: '%s (%s)' % tuple(v for v, in rows(
        self._db, "SELECT value FROM report WHERE key IN ('poplar_version', 'package_hash') "
        "ORDER BY key DESC")))


class Report(Base):
    poplarVersion = property(lambda self: Version(self._db))
    version = property(lambda self: '3.1.0')
    instrumentationSettings = property(lambda self: Settings(self._db))
    compilation = property(lambda self: Compilation(self._db))
    execution = property(lambda self: Execution(self._db))


def openReport(profile, debug=None):
    if 'STANDIN_OPEN' in os.environ:
        raise RuntimeError(os.environ['STANDIN_OPEN'])
    with open(profile, 'rb'):
        pass
    db = sqlite3.connect(':memory:')
    with sqlite3.connect('file:%s?mode=ro' % os.environ['STANDIN_STORE'], uri=True) as store:
        db.executescript('\n'.join(store.iterdump()))
    for table, column in (('tile_category', 'tile'), ('tile_vertex', 'tile'), ('lowered_variable', 'tile'),
                          ('tile_always_live', 'tile'), ('compute_set_vertex', 'compute_set'),
                          ('class_interval', 'class'), ('program_child', 'parent'), ('step_ipu', 'step'),
                          ('liveness_step_ipu', 'live_step'), ('liveness_variable', '"end"'),
                          ('operation_program', 'operation'), ('operation_variable', 'operation')):
        db.execute('CREATE INDEX of_%s ON %s (%s)' % (table, table, column))
    return Report(db)
