# SPDX-License-Identifier: MIT
"""
timeline - put a real timeline into a profile, and work out apart what of it is exclusive time.

The desktop tool's cache of an executed profile has every block: its tag, IPU, name, cycles and steps.  A profile
without an execution part gets steps, cycles by IPU, runs and programs of these.
"""

import sqlite3

from .profile_oracle import numbers

TABLE = "execution_trace_blocks_v3_101111"
TAGS = {"StreamCopy": ("StreamCopyMid", None), "ExternalSync": ("Sync", "External"), "InternalSync": ("Sync", "Internal")}
ORDER = ("compute", "exchange", "global_exchange", "host_copy", "host_end", "host_wait", "external_sync", "sync",
         "control", "sync_ans")
CLASSES = {"OnTileExecute": "compute", "DoExchange": "exchange", "CodeCopy": "exchange",
           "GlobalExchange": "global_exchange", "Sans": "sync", "SyncAns": "sync_ans", "StreamCopyBegin": "host_wait",
           "StreamCopyMid": "host_copy", "StreamCopyEnd": "host_end"}


def blocks(path):
    """(type, sync type, name, ipu, start, end, steps) of each block that stands for steps."""
    db = sqlite3.connect("file:%s?mode=ro&immutable=1" % path, uri=True)
    for tag, ipu, name, start, end, ids in db.execute(
            "SELECT tag, ipu, name, cycles_from, cycles_to, step_ids FROM %s WHERE tag <> 'FlameGraphNode' "
            "ORDER BY id" % TABLE):
        kind, sync = TAGS.get(tag, (tag, None))
        yield kind, sync, name, ipu, start, end, numbers(ids)
    db.close()


def put(path, cache, steps=2704, runs=2):
    """Give the profile `path` the steps of a cache; its tables of executed things and programs are made anew."""
    db = sqlite3.connect(path)
    for table in ("steps", "steps_by_ipu", "runs", "programs", "program_types", "program_type_sync", "function_programs",
                  "control_programs", "program_trace"):
        db.execute("DELETE FROM " + table)
    programs, kinds, syncs = {}, {}, {}
    for kind, sync, name, ipu, start, end, ids in blocks(cache):
        if (kind, sync, name) not in programs:
            at = programs[kind, sync, name] = len(programs)
            if kind not in kinds:
                kinds[kind] = len(kinds)
                db.execute("INSERT INTO program_types VALUES (?, ?, ?)",
                           (kinds[kind], kind, "program_type_sync" if kind == "Sync" else None))
            if sync and sync not in syncs:
                syncs[sync] = len(syncs)
                db.execute("INSERT INTO program_type_sync VALUES (?, ?)", (syncs[sync], sync))
            db.execute("INSERT INTO programs(id, variant, variant_index, name) VALUES (?, ?, ?, ?)",
                       (at, kinds[kind], syncs.get(sync), name))
        program = programs[kind, sync, name]
        for step in ids:
            db.execute("INSERT OR IGNORE INTO steps(id, type, program, sync_type) VALUES (?, ?, ?, ?)",
                       (step, kind, program, sync))
            idle = kind in ("Sync", "SyncAns")      # no tile is active: the end is that of all cycles
            active = (0, 0, 0, 0, 0, 0) if idle else (0, 0, 0, end - start, end - start, end - start)
            db.execute("INSERT OR REPLACE INTO steps_by_ipu VALUES (" + ", ".join("?" * 18) + ")",
                       (step, ipu, start) + active + (end - start,) * 4 + (0 if idle else 1, 1, None, 1, None))
    for run in range(runs):
        db.execute("INSERT INTO runs(id, start_epoch_time_microseconds, elapsed_microseconds, name, num_programs, "
                   "num_steps) VALUES (?, ?, ?, ?, ?, ?)", (run, 10 ** 15 + run, 1, "run %d" % run, 1, steps))
    db.commit()
    db.close()


def classes(path):
    """(class, ipu, start, end) of each row of a profile."""
    db = sqlite3.connect("file:%s?mode=ro&immutable=1" % path, uri=True)
    for kind, sync, ipu, start, end in db.execute(
            "SELECT s.type, s.sync_type, i.ipu, cycles_base + CASE WHEN active_tiles THEN active_cycles_from_min ELSE 0 "
            "END, cycles_base + CASE WHEN active_tiles THEN active_cycles_to_max ELSE all_cycles_to_max END "
            "FROM steps_by_ipu i JOIN steps s ON s.id = i.step_id"):
        if kind == "Sync":
            yield "external_sync" if sync == "External" else "sync", ipu, start, end
        else:
            yield CLASSES.get(kind, "control"), ipu, start, end
    db.close()


def exclusive(path):
    """Of a profile, as exclusive_of()."""
    return exclusive_of(list(classes(path)))


def exclusive_of(rows):
    """{ipu: {class: cycles, "idle": cycles}}: each cycle counts for the first class that runs in it."""
    out = {}
    for ipu in {r[1] for r in rows}:
        mine = [r for r in rows if r[1] == ipu]
        events = sorted([(r[2], 1, r[0]) for r in mine if r[3] > r[2]] +
                        [(r[3], -1, r[0]) for r in mine if r[3] > r[2]])
        running, time = dict.fromkeys(ORDER, 0), dict.fromkeys(ORDER + ("idle",), 0)
        at = first = min(r[2] for r in mine)
        for cycles, change, name in events:
            time[next((c for c in ORDER if running[c]), "idle")] += cycles - at
            at = cycles
            running[name] += change
        time["idle"] = max(r[3] for r in mine) - first - sum(time[c] for c in ORDER)
        out[ipu] = time
    return out
