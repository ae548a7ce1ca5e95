# SPDX-License-Identifier: MIT
"""
oracle_trace - the measures of the execution behind `tilescope check`, computed without tilescope.

Plain Python over the rows of a profile that is sound, cycle by cycle where it can be: which classes run at once is worked
out between any two ends of steps.  Written from the report model and docs/model.md alone.
"""

import re

from .profile_oracle import relations, tiles as numbers

PRIORITY = ("compute", "exchange", "global_exchange", "host_copy", "host_end", "host_wait", "external_sync", "sync",
            "control", "sync_ans")
CLASSES = {"OnTileExecute": "compute", "DoExchange": "exchange", "CodeCopy": "exchange", "GlobalExchange": "global_exchange",
           "Sans": "sync", "SyncAns": "sync_ans", "StreamCopyBegin": "host_wait",
           "StreamCopyMid": "host_copy", "StreamCopyEnd": "host_end"}
MOVES = re.compile("Transpose|preRegroup|OnTileCopy|PreArrange|Copy_")
LARGE = 0.01
LEAST_BYTES = 1024


class Trace:
    """The rows, put together by hand."""

    def __init__(self, path):
        db = relations(path)
        programs = {r[0]: r[1:] for r in db.execute("SELECT program, name, compute_set, type FROM program")}
        self.sets = {r[0]: r[1:] for r in db.execute(
            "SELECT compute_set, name, cycles_by_tile, estimated_cycles_by_tile FROM compute_set")}
        self.steps = {}
        for step, run, kind, sync, program in db.execute("SELECT step, run, type, sync_type, program FROM step"):
            name, which, _ = programs.get(program, (None, None, None))
            klass = CLASSES.get(kind, "control")
            if kind == "Sync":
                klass = "external_sync" if sync == "External" else "sync"
            self.steps[step] = (run, klass, which, name)
        self.parts = {}         # ipu -> [(start, end, class, step, in, out)]
        for step, ipu, start, end, a, b in db.execute(
                'SELECT step, ipu, start, "end", data_in, data_out FROM step_ipu'):
            self.parts.setdefault(ipu, []).append((start, end, self.steps[step][1], step, a, b))
        self.bytes = any(p[4] is not None for ps in self.parts.values() for p in ps)
        self.runs = list(db.execute("SELECT run, first_step, step_count FROM run ORDER BY run"))
        self.recorded = bool(self.runs)
        self.runs = self.runs or [(None, 0, max(self.steps) + 1)]
        each, ipus, replicas = db.execute("SELECT tiles_per_ipu, ipus, replicas FROM target").fetchone()
        self.tiles = {i: range(i * each, (i + 1) * each) for i in range(ipus)}
        self.replicas = replicas or 1
        db.close()

    def ends(self, first, last):
        """Of the begin of the first step of these that is on any IPU, and the end of the last one."""
        here = [(p[3], p[0], p[1]) for ps in self.parts.values() for p in ps if first <= p[3] <= last]
        if not here:
            return None
        if not self.recorded:           # all of the trace
            return min(p[1] for p in here), max(p[2] for p in here)
        first, last = min(here)[0], max(here)[0]
        return min(p[1] for p in here if p[0] == first), max(p[2] for p in here if p[0] == last)

    def places(self):
        """Each run's first and last cycle."""
        return [e for e in (self.ends(f, f + n - 1) for _, f, n in self.runs) if e and e[1] > e[0]]

    def artefact(self):
        """The first wait for the host in the second run: the profiler's own work."""
        if len(self.runs) < 2:
            return None
        _, first, n = self.runs[1]
        waits = [s for s in range(first, first + n) if s in self.steps and self.steps[s][1] == "host_wait"]
        return self.ends(waits[0], waits[0]) if waits else None

    def within(self):
        """Cycles of the runs as stretches without overlap and without the artefact."""
        hole, done, out = self.artefact() or (0, 0), 0, []
        for start, end in sorted(self.places()):
            for a, b in ((start, min(end, hole[0])), (max(start, hole[1]), end)) if hole[1] else ((start, end),):
                a = max(a, done)
                if a < b:
                    out.append((a, b))
            done = max(done, end)
        return out


def at_once(parts, start, end):
    """(cycles, classes that run) of [start, end), between any two ends of steps."""
    here = [(max(p[0], start), min(p[1], end), p[2]) for p in parts if p[0] < end and p[1] > start and p[1] > p[0]]
    change = {}
    for a, b, klass in here:
        change.setdefault(a, []).append((klass, 1))
        change.setdefault(b, []).append((klass, -1))
    running, at = {}, start
    for cycle in sorted(change) + [end]:
        if cycle > at:
            yield cycle - at, {k for k, n in running.items() if n > 0}
            at = cycle
        for klass, n in change.get(cycle, ()):
            running[klass] = running.get(klass, 0) + n


def of_time(t, out):
    stretches = t.within()
    span = sum(b - a for a, b in stretches)
    figures = dict.fromkeys(("host_wait", "exchange", "global_exchange"), 0)
    bare = 0
    for parts in t.parts.values():
        own, alone = {}, 0
        for a, b in stretches:
            for cycles, running in at_once(parts, a, b):
                for klass in running:
                    own[klass] = own.get(klass, 0) + cycles
                if "host_copy" in running and "compute" not in running:
                    alone += cycles
        bare = max(bare, alone)
        figures = {k: max(v, own.get(k, 0)) for k, v in figures.items()}
    if not span:
        return
    out["host-wait-share"] = figures["host_wait"] / span
    out["host-copy-share"] = bare / span
    out["exchange-share"] = figures["exchange"] / span
    single = len(t.parts) == 1 and t.replicas == 1
    out["global-exchange-alone"] = figures["global_exchange"] / span if single else 0.0
    start, end = t.artefact() or (0, 0)
    out["artefact-share"] = (end - start) / (span + end - start) if t.recorded else None


def of_tiles(t, out):
    """Tiles that wait for the slowest one of their IPU."""
    times = {}
    for _, _, which, _ in t.steps.values():
        times[which] = times.get(which, 0) + 1
    span = sum(b - a for a, b in t.places())
    worst, balance, active = (0, 0.0), [], []
    for which, (_, measured, estimated) in t.sets.items():
        blob = measured if measured is not None else estimated
        if blob is None or not times.get(which):
            continue
        cycles, lost, best = numbers(blob), 0, None
        for tiles in t.tiles.values():
            own = [cycles[i] if i < len(cycles) else 0 for i in tiles]
            if not any(own):
                continue
            waits = len(own) * max(own) - sum(own)
            lost += waits
            if best is None or waits // len(own) > best[0]:
                best = (waits // len(own), own, waits)
        if best is None:
            continue
        _, own, waits = best
        worst = max(worst, (lost * times[which], waits * times[which] // len(own) / span))
        if max(own) * times[which] / span >= LARGE:
            balance.append(sum(own) / (max(own) * len(own)))
            active.append(sum(c > 0 for c in own) / len(own))
    out["balance-saving"] = worst[1]
    out["tile-balance"] = min(balance, default=1.0)
    out["active-tiles"] = min(active, default=1.0)


def phases(t, ipu):
    """
    Of each run with a large global exchange: from its begin, or such an exchange, to the next, or its end.  An IPU that
    has no part in an exchange ends with the last one that has.
    """
    moved, ends, out = {}, {}, []
    for parts in t.parts.values():
        for p in parts:
            if p[2] == "global_exchange":       # where nobody says how much, each counts
                moved[p[3]] = moved.get(p[3], 0) + (max(p[4] or 0, p[5] or 0) if t.bytes else LEAST_BYTES + 1)
                ends[p[3]] = max(ends.get(p[3], 0), p[1])
    own = {p[3]: p[1] for p in t.parts[ipu]}
    for _, first, n in t.runs:
        large = {s for s in range(first, first + n) if moved.get(s, 0) > LEAST_BYTES}
        start, end = t.ends(first, first + n - 1)
        cuts = sorted({own.get(s, ends[s]) for s in large} | {end})
        out += zip([start] + cuts, cuts) if large else []
    return out


def of_stages(t, out):
    """Each IPU is a stage; each cycle counts once."""
    work, waits, span = {}, 0, 0
    for ipu, parts in t.parts.items():
        for start, end in phases(t, ipu):
            busy, wait = 0, 0
            a, b = (min(max(at, start), end) for at in t.artefact() or (end, end))
            for cycles, running in list(at_once(parts, start, a)) + list(at_once(parts, b, end)):
                klass = next((k for k in PRIORITY if k in running), None)
                busy += cycles * (klass in PRIORITY[:3])
                wait += cycles * (klass in (None, "sync", "external_sync", "sync_ans"))
            span += a - start + end - b
            waits += wait
            if busy:
                work.setdefault(ipu, []).append(busy)
    if len(work) > 1:
        most = max(map(len, work.values()))
        means = [sum(w) / len(w) for w in work.values() if 2 * len(w) >= most]
        out["slow-stage"] = max(means) * len(means) / sum(means)
        out["bubble-share"] = waits / span


def of_names(t, out):
    whole = moved = 0
    for parts in t.parts.values():
        for _, _, klass, step, _, _ in parts:
            if klass == "compute":
                cycles = t.cycles[step, id(parts)]
                whole += cycles
                moved += cycles if MOVES.search(t.steps[step][3] or "") else 0
    if whole:
        out["rearrangement-share"] = moved / whole


def measures(path):
    t = Trace(path)
    db = relations(path)
    t.cycles = {(s, id(t.parts[i])): c for s, i, c in db.execute("SELECT step, ipu, cycles FROM step_ipu")}
    db.close()
    out = dict.fromkeys(("host-wait-share", "host-copy-share", "exchange-share", "global-exchange-alone",
                         "tile-balance", "balance-saving", "active-tiles", "rearrangement-share", "artefact-share",
                         "slow-stage", "bubble-share"))
    of_time(t, out)
    of_tiles(t, out)
    of_names(t, out)
    of_stages(t, out)
    return out
