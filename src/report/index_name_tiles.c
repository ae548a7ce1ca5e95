/* SPDX-License-Identifier: MIT */
/*
 * index_name_tiles - see the header.
 *
 * The section columns is gone through twice: first it is counted how many bytes the runs of each name take, then they are
 * put where they belong. So nothing is sorted, and what is kept meanwhile is a line a name. Left to the columns where the
 * tiles of a name fall from one of its rows to the next, and where the section would be large.
 *
 * A run is the distance from the end of the one before (of the first one: from tile 0), doubled, and 1 more where it is
 * longer than a tile; then by how much it is longer than two. Both have seven bits a byte, the low ones first.
 */
#include "config.h"

#include <string.h>

#include "tilescope/base/mem.h"
#include "tilescope/base/varint.h"
#include "tilescope/report/index_build.h"
#include "tilescope/report/index_columns.h"
#include "tilescope/report/index_name_tiles.h"
#include "tilescope/report/memory.h"

enum {
	LEFT_TO_THE_COLUMNS = 1,
	SHARE = 64,    /* the section is at most so much of the report, ... */
	ROW_BYTES = 2, /* ... or so many bytes a row */
	SHARE_LEAST = 64 << 10,
	LOOK = 256, /* blocks from one look at the token to the next */
	RUN_BYTES = 8,
};

struct head {
	uint64_t flags;
	int64_t names, tiles, covered;
	uint64_t at_at, runs_at, runs_size;
};

/* --- making it -------------------------------------------------------------------------------- */

/* The last run of a name, [from, to); `to` 0: there is none. */
struct line {
	uint32_t from, to;
	uint32_t before; /* where the run before ended */
	uint32_t at;	 /* bytes of all runs before; the second time, where it belongs */
};

struct part {
	struct ts_columns columns;
	struct ts_pile line; /* struct line by name */
	struct ts_pile at, runs;
	struct ts_tile_set tiles; /* on which there is a name */
	int64_t rows;
	bool second, fits;
};

static bool
can(const struct ts_report *r)
{
	return ts_columns_can(r) &&
		ts_report_has_column(r, TS_LOWERED_VARIABLE, TS_LOWERED_VARIABLE_NAME);
}

/* The run is whole. */
static void
end_run(struct part *p, struct line *l, int64_t name)
{
	uint32_t more = l->to - l->from - 1, most = UINT32_MAX;
	unsigned char run[RUN_BYTES];
	size_t n = ts_varint_put(run, (l->from - l->before) << 1 | (more > 0));

	if (more > 0)
		n += ts_varint_put(run + n, more - 1);
	if (p->second)
		most = ((const uint32_t *)p->at.memory)[name + 1];
	p->fits = p->fits && l->at <= most && n <= most - l->at;
	if (!p->fits)
		return;
	if (p->second)
		memcpy((unsigned char *)p->runs.memory + l->at, run, n);
	l->at += (uint32_t)n;
	l->before = l->to;
}

static void
take_row(struct part *p, int64_t name, int64_t tile)
{
	struct line *l = (struct line *)p->line.memory + name;
	uint32_t t = (uint32_t)tile;

	if (l->to > 0 && t + 1 == l->to)
		return;
	if (l->to > 0 && t == l->to) {
		l->to++;
		return;
	}
	if (l->to > 0) {
		p->fits = p->fits && t > l->to;
		end_run(p, l, name);
	}
	l->from = t;
	l->to = t + 1;
}

/* All rows, once. */
static enum ts_code
take_rows(struct part *p, const struct ts_cancel *cancel, struct ts_progress *progress,
	struct ts_err *err)
{
	const struct ts_columns *c = &p->columns;
	int64_t name[TS_COLUMN_ROWS], tile[TS_COLUMN_ROWS];

	for (int64_t b = 0; b < c->blocks && p->fits; b++) {
		int rows = ts_columns_rows(c, b);

		if (b % LOOK == 0 && ts_cancelled(cancel))
			return ts_err_set(err, TS_E_CANCELLED, "cancelled");
		p->fits = rows > 0 && ts_columns_read(c, TS_COLUMN_NAME, b, name) &&
			ts_columns_read(c, TS_COLUMN_TILE, b, tile);
		for (int k = 0; k < rows && p->fits; k++) {
			if (name[k] < 0 || name[k] >= c->texts || tile[k] < 0 ||
				tile[k] >= TS_TILES_MAX)
				continue;
			ts_tile_set_add(&p->tiles, tile[k], tile[k] + 1);
			take_row(p, name[k], tile[k]);
		}
		p->rows += rows;
		ts_progress_set(progress, p->rows / 2, c->rows);
	}
	for (int64_t i = 0; i < c->texts && p->fits; i++) {
		struct line *l = (struct line *)p->line.memory + i;

		if (l->to > 0)
			end_run(p, l, i);
	}
	return TS_OK;
}

/* Where the runs of each name belong, and room for them. */
static enum ts_code
make_room(struct part *p, const struct ts_report *r, const struct ts_cache *cache,
	struct ts_err *err)
{
	int64_t names = p->columns.names, size = 0;
	int64_t most = ts_max_i64(r->identity.bytes / SHARE,
		ts_max_i64(p->columns.rows * ROW_BYTES, SHARE_LEAST));
	struct line *line = p->line.memory;
	uint32_t *at;
	enum ts_code code;

	code = ts_pile_room(&p->at, ((size_t)names + 1) * sizeof(*at), cache, err);
	if (code)
		return code;
	at = p->at.memory;
	p->at.used = ((size_t)names + 1) * sizeof(*at);
	for (int64_t i = 0; i < names; i++) {
		at[i] = (uint32_t)size;
		size += line[i].at;
		line[i] = (struct line){.at = at[i]};
		p->fits = p->fits && size <= UINT32_MAX;
	}
	at[names] = (uint32_t)size;
	p->fits = p->fits && (int64_t)p->at.used + size <= most;
	if (!p->fits)
		return TS_OK;
	code = ts_pile_room(&p->runs, (size_t)size + 1, cache, err);
	if (!code)
		p->runs.used = (size_t)size;
	return code;
}

static enum ts_code
read_part(struct ts_pass_part *part, struct ts_reader *rd, struct ts_progress *progress,
	struct ts_err *err)
{
	const struct ts_cache *cache = part->run->cache;
	struct part *p = part->state;
	enum ts_code code;

	if (!(ts_index_sections(part->run->index) & ts_section_bit(TS_SECTION_COLUMNS)))
		return ts_err_set(err, TS_E_ABSENT, "the index has no columns of variables");
	p->fits = ts_columns_of(&p->columns, part->run->index) && p->columns.block[TS_COLUMN_NAME];
	if (!p->fits)
		return TS_OK;
	if (!ts_tile_set_init(&p->tiles, TS_TILES_MAX))
		return ts_err_nomem(err);
	code = ts_pile_room(&p->line, ((size_t)p->columns.names + 1) * sizeof(struct line), cache,
		err);
	if (!code)
		code = take_rows(p, rd->cancel, progress, err);
	if (!code && p->fits)
		code = make_room(p, part->run->report, cache, err);
	p->second = true;
	if (!code && p->fits)
		code = take_rows(p, rd->cancel, progress, err);
	return code;
}

static void
part_fini(struct ts_pass_part *part)
{
	struct part *p = part->state;

	ts_tile_set_fini(&p->tiles);
	ts_pile_fini(&p->line);
	ts_pile_fini(&p->at);
	ts_pile_fini(&p->runs);
}

/* Numbers of tiles of a set are below. */
static int64_t
end_of(const struct ts_tile_set *s)
{
	int64_t end = 0;

	for (int64_t t = 0; (t = ts_tile_set_next(s, t)) >= 0; t++)
		end = t + 1;
	return end;
}

static enum ts_code
finish(struct ts_pass_run *run, struct ts_pass_part *parts, int count, struct ts_reader *rd,
	struct ts_progress *progress, struct ts_err *err)
{
	const struct part *p = parts[0].state;
	struct head h = {.flags = p->fits ? 0 : LEFT_TO_THE_COLUMNS,
		.names = p->columns.names,
		.tiles = end_of(&p->tiles),
		.covered = ts_tile_set_count(&p->tiles),
		.runs_size = p->runs.used};
	const struct ts_section_array array[] = {
		{&h.at_at, p->at.memory, p->at.used},
		{&h.runs_at, p->runs.memory, p->runs.used},
	};

	(void)count;
	(void)rd;
	(void)progress;
	return ts_section_put_arrays(run->writer[0], &h, sizeof(h), array,
		p->fits ? TS_COUNT(array) : 0, err);
}

const struct ts_pass ts_pass_name_tiles = {
	.what = "tiles of names",
	.relation = TS_LOWERED_VARIABLE,
	.section = {TS_SECTION_NAME_TILES, TS_SECTION_COUNT},
	.can = can,
	.part_size = sizeof(struct part),
	.part = read_part,
	.finish = finish,
	.part_fini = part_fini,
	.whole = true,
};

/* --- reading it ------------------------------------------------------------------------------- */

bool
ts_name_tiles_of(struct ts_name_tiles *t, const struct ts_index *x, int64_t names)
{
	size_t size;
	const void *payload = ts_index_section(x, TS_SECTION_NAME_TILES, &size);
	const struct head *h = payload ? ts_section_at(payload, size, 0, 1, sizeof(*h)) : NULL;

	*t = (struct ts_name_tiles){0};
	if (!h || h->flags & LEFT_TO_THE_COLUMNS || h->names != names || names < 0 ||
		h->tiles < 0 || h->tiles > TS_TILES_MAX)
		return false;
	t->at = ts_section_at(payload, size, h->at_at, (uint64_t)names + 1, sizeof(*t->at));
	t->runs = ts_section_at(payload, size, h->runs_at, h->runs_size, 1);
	t->names = names;
	t->tiles = h->tiles;
	t->covered = h->covered;
	t->size = (size_t)h->runs_size;
	return t->at && t->runs;
}

static inline bool
take_number(uint32_t *v, const unsigned char **at, const unsigned char *end)
{
	*v = 0;
	for (int shift = 0; *at < end && shift < 28; shift += 7) {
		unsigned char byte = *(*at)++;

		*v |= (uint32_t)(byte & 0x7f) << shift;
		if (byte < 0x80)
			return true;
	}
	return false;
}

bool
ts_name_tiles_add(struct ts_tile_set *to, const struct ts_name_tiles *t, int64_t name)
{
	size_t from = t->at[name], end = t->at[name + 1];
	const unsigned char *p, *stop;
	int64_t tile = 0;

	if (from > end || end > t->size)
		return false;
	p = t->runs + from;
	stop = t->runs + end;
	while (p < stop) {
		uint32_t far, more = 0;

		if (!take_number(&far, &p, stop) || (far & 1 && !take_number(&more, &p, stop)))
			return false;
		tile += far >> 1;
		more += 1 + (far & 1);
		if (tile + more > t->tiles)
			return false;
		ts_tile_set_add(to, tile, tile + more);
		tile += more;
	}
	return true;
}
