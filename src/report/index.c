/* SPDX-License-Identifier: MIT */
/*
 * index - snapshots: which sections of a report are mapped.
 *
 * A section is mapped once and shared by all snapshots that have it; the last one to go unmaps it. A file
 * that is replaced or removed meanwhile stays what it was for who has it mapped.
 */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "tilescope/base/mem.h"
#include "tilescope/report/index_contexts.h"
#include "tilescope/report/index_operations.h"
#include "tilescope/report/index_stacks.h"

#include "index_internal.h"

/* Raised when the rows of relations, or classes of steps, come to mean something else: all sections are built again. */
enum { MEANING = 3 };

/* A new version whenever the layout of a payload changes: what is on disk is then built again. */
static const struct {
	const char *name;
	uint32_t version;

	/* where it is made of another file than the report: is that still the same? */
	enum ts_code (*current)(bool *yes, const void *payload, size_t size,
		const struct ts_report *r, struct ts_err *err);
} sections[TS_SECTION_COUNT] = {
	[TS_SECTION_CATEGORIES] = {"categories", 1, NULL},
	[TS_SECTION_VARIABLES] = {"variables", 1, NULL},
	[TS_SECTION_LIVENESS] = {"liveness", 1, NULL},
	[TS_SECTION_STEPS] = {"steps", 2, NULL},
	[TS_SECTION_LANES] = {"lanes", 4, NULL},
	[TS_SECTION_CONTEXTS] = {"contexts", 1, ts_contexts_section_current},
	[TS_SECTION_LIVES] = {"lives", 2, NULL},
	[TS_SECTION_TILE_LIVES] = {"tile-lives", 2, NULL},
	[TS_SECTION_PIECES] = {"pieces", 2, NULL},
	[TS_SECTION_LABELS] = {"labels", 1, NULL},
	[TS_SECTION_IPU_LIVES] = {"ipu-lives", 1, NULL},
	[TS_SECTION_IPU_STEPS] = {"ipu-steps", 1, NULL},
	[TS_SECTION_RUNS] = {"runs", 1, NULL},
	[TS_SECTION_PROGRAMS] = {"programs", 1, NULL},
	[TS_SECTION_OPERATIONS] = {"operations", 2, ts_operations_section_current},
	[TS_SECTION_WORK] = {"work", 2, NULL},
	[TS_SECTION_USES] = {"uses", 1, NULL},
	[TS_SECTION_COLUMNS] = {"columns", 6, NULL},
	[TS_SECTION_TILE_ROWS] = {"tile-rows", 4, NULL},
	[TS_SECTION_LARGEST] = {"largest", 1, NULL},
	[TS_SECTION_LAYERS] = {"layers", 1, NULL},
	[TS_SECTION_STACKS] = {"stacks", 1, ts_stacks_section_current},
	[TS_SECTION_NAME_TILES] = {"name-tiles", 1, NULL},
	[TS_SECTION_NAMES] = {"names", 2, NULL},
	[TS_SECTION_ORDER_BYTES] = {"order-bytes", 1, NULL},
	[TS_SECTION_ORDER_NAME] = {"order-name", 1, NULL},
	[TS_SECTION_ORDER_TILE] = {"order-tile", 1, NULL},
	[TS_SECTION_ORDER_CATEGORY] = {"order-category", 1, NULL},
	[TS_SECTION_ORDER_TYPE] = {"order-type", 1, NULL},
	[TS_SECTION_ORDER_OFFSET] = {"order-offset", 1, NULL},
	[TS_SECTION_ORDER_ALIGNMENT] = {"order-alignment", 1, NULL},
	[TS_SECTION_ORDER_ALWAYS] = {"order-always", 1, NULL},
	[TS_SECTION_ORDER_FROM] = {"order-from", 1, NULL},
	[TS_SECTION_ORDER_TO] = {"order-to", 1, NULL},
	[TS_SECTION_ORDER_STEPS] = {"order-steps", 1, NULL},
	[TS_SECTION_ORDER_TILES] = {"order-tiles", 1, NULL},
	[TS_SECTION_ORDER_FULLEST] = {"order-fullest", 1, NULL},
	[TS_SECTION_ORDER_BALANCE] = {"order-balance", 1, NULL},
	[TS_SECTION_ORDER_ID] = {"order-id", 1, NULL},
	[TS_SECTION_ORDER_VARIABLE] = {"order-variable", 1, NULL},
	[TS_SECTION_ORDER_CLASS] = {"order-class", 1, NULL},
};

const char *
ts_section_name(enum ts_section s)
{
	return sections[s].name;
}

uint32_t
ts_section_version(enum ts_section s)
{
	return (uint32_t)MEANING << 16 | sections[s].version;
}

void
ts_section_file(char name[TS_FILE_NAME], enum ts_section s)
{
	snprintf(name, TS_FILE_NAME, "%s.idx", sections[s].name);
}

static enum ts_code
new_snapshot(struct ts_index **out, const struct ts_index *x, struct ts_err *err)
{
	struct ts_index *n = ts_alloc(1, sizeof(*n));

	*out = NULL;
	if (!n)
		return ts_err_nomem(err);
	atomic_init(&n->uses, 1);
	for (int s = 0; x && s < TS_SECTION_COUNT; s++) {
		n->map[s] = x->map[s];
		if (n->map[s])
			atomic_fetch_add(&n->map[s]->uses, 1);
	}
	*out = n;
	return TS_OK;
}

struct ts_index *
ts_index_hold(struct ts_index *x)
{
	if (x)
		atomic_fetch_add(&x->uses, 1);
	return x;
}

void
ts_index_release(struct ts_index *x)
{
	if (!x || atomic_fetch_sub(&x->uses, 1) > 1)
		return;
	for (int s = 0; s < TS_SECTION_COUNT; s++)
		ts_section_map_release(x->map[s]);
	free(x);
}

/* It is no use to anybody: away with it, unless it is we who are behind the times. */
static void
reject(int folder, enum ts_section s, const struct ts_report *r, const char *why,
	struct ts_log *log)
{
	char name[TS_FILE_NAME];

	ts_log_add(log, "index: %s is not used and built again: %s", ts_section_name(s), why);
	ts_section_file(name, s);
	if (!ts_report_changed(r))
		unlinkat(folder, name, 0);
}

/* Without a folder there are no sections: no error, unless there is no memory to tell. */
static enum ts_code
without_folder(struct ts_index **out, int why, struct ts_err *err)
{
	if (why != ENOMEM)
		return TS_OK;
	ts_index_release(*out);
	*out = NULL;
	return ts_err_nomem(err);
}

static enum ts_code
read_section(struct ts_index *x, int folder, enum ts_section s, const struct ts_report *r,
	struct ts_log *log, const struct ts_cancel *cancel, struct ts_err *err)
{
	char why[TS_WHY_MAX] = "";
	struct ts_err unknown = {0}; /* it cannot be read now: perhaps later */
	bool current = true;
	struct ts_section_map *map;
	enum ts_code code = ts_section_map_open(&map, folder, s, r, cancel, why, err);

	if (code)
		return code;
	if (map && sections[s].current) {
		code = sections[s].current(&current, map->payload, map->payload_size, r, &unknown);
		if (!code && !current)
			snprintf(why, sizeof(why), "the file that it was made of has changed");
		if (code || !current) {
			ts_section_map_release(map);
			map = NULL;
		}
	}
	if (code == TS_E_NOMEM)
		return ts_err_nomem(err);
	if (*why)
		reject(folder, s, r, why, log);
	if (map) {
		ts_section_map_release(x->map[s]);
		x->map[s] = map;
	}
	return TS_OK;
}

/* A snapshot of what `x` (or NULL) has and the sections of `wanted`, as they are in the folder now. */
static enum ts_code
open_sections(struct ts_index **out, const struct ts_index *x, const struct ts_cache *cache,
	const struct ts_report *r, uint64_t wanted, struct ts_log *log,
	const struct ts_cancel *cancel, struct ts_err *err)
{
	enum ts_code code = new_snapshot(out, x, err);
	int folder;

	if (code)
		return code;
	folder = ts_cache_folder(cache, r, false);
	if (folder < 0)
		return without_folder(out, errno, err);
	if (!x)
		ts_folder_touch(folder);
	for (int s = 0; !code && s < TS_SECTION_COUNT; s++)
		if (wanted & ts_section_bit(s))
			code = read_section(*out, folder, (enum ts_section)s, r, log, cancel, err);
	close(folder);
	if (code) {
		ts_index_release(*out);
		*out = NULL;
	}
	return code;
}

enum ts_code
ts_index_open_some(struct ts_index **out, const struct ts_cache *cache, const struct ts_report *r,
	uint64_t wanted, struct ts_log *log, const struct ts_cancel *cancel, struct ts_err *err)
{
	return open_sections(out, NULL, cache, r, wanted, log, cancel, err);
}

enum ts_code
ts_index_open(struct ts_index **out, const struct ts_cache *cache, const struct ts_report *r,
	struct ts_log *log, const struct ts_cancel *cancel, struct ts_err *err)
{
	return open_sections(out, NULL, cache, r, ts_section_bit(TS_SECTION_ORDER_BYTES) - 1, log,
		cancel, err);
}

enum ts_code
ts_index_with(struct ts_index **out, const struct ts_index *x, enum ts_section s,
	const struct ts_cache *cache, const struct ts_report *r, struct ts_err *err)
{
	return open_sections(out, x, cache, r, ts_section_bit(s), NULL, NULL, err);
}

const void *
ts_index_section(const struct ts_index *x, enum ts_section s, size_t *size)
{
	const struct ts_section_map *m = x ? x->map[s] : NULL;

	*size = m ? m->payload_size : 0;
	return m ? m->payload : NULL;
}

uint64_t
ts_index_sections(const struct ts_index *x)
{
	uint64_t bits = 0;
	size_t size;

	for (int s = 0; s < TS_SECTION_COUNT; s++)
		if (ts_index_section(x, (enum ts_section)s, &size))
			bits |= ts_section_bit(s);
	return bits;
}

bool
ts_index_is_sound(const struct ts_index *x, enum ts_section s, bool (*sound)(const void *of),
	const void *of)
{
	struct ts_section_map *m = x ? x->map[s] : NULL;
	bool is;

	if (m && atomic_load(&m->sound))
		return true;
	is = sound(of);
	if (m && is)
		atomic_store(&m->sound, true);
	return is;
}

const void *
ts_section_at(const void *payload, size_t payload_size, uint64_t offset, uint64_t count,
	size_t size)
{
	uint64_t bytes;

	if (!payload || offset % 8 != 0 || offset > payload_size ||
		__builtin_mul_overflow(count, (uint64_t)size, &bytes) ||
		bytes > payload_size - offset)
		return NULL;
	return (const char *)payload + offset;
}

int64_t
ts_index_bytes(const struct ts_index *x)
{
	int64_t sum = 0;

	for (int s = 0; x && s < TS_SECTION_COUNT; s++)
		if (x->map[s])
			sum += (int64_t)x->map[s]->size;
	return sum;
}
