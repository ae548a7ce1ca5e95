/* SPDX-License-Identifier: MIT */
/*
 * index_tile_live - what is alive on each tile, in the index: a head and the arrays of struct ts_tile_lives.
 *
 * Each part gathers the pairs of the rows that it reads; a tile at which two parts meet has a fragment of both. It is made
 * when somebody asks for it, and left to the rows where it would be large: about 3 bytes a pair, and
 * a hundredth of the report where a tile has hundreds of classes.
 */
#include "config.h"

#include <stdlib.h>

#include "tilescope/base/mem.h"
#include "tilescope/report/index_build.h"
#include "tilescope/report/rows.h"

#include "tile_live_internal.h"

enum { LEFT_TO_THE_ROWS = 1, SHARE = 32, SHARE_LEAST = 64 << 10 };

struct head {
	uint64_t flags, points, classes, intervals, tiles, bytes;
	uint64_t point_at, class_at, interval_at, tile_at, pairs_at, crest_tiles, crests, crest_at;
	int64_t steps, rows, bad_rows, too_large, unplaced, bad_intervals, reversed, beyond;
};

/* --- writing ---------------------------------------------------------------------------------- */

static enum ts_code
begin(struct ts_pass_run *run, struct ts_err *err)
{
	struct ts_reader *rd;
	enum ts_code code = ts_reader_open(&rd, run->report, err);

	if (code)
		return code;
	code = ts_live_axis_read(run->state, rd, run->cache, err);
	ts_reader_close(rd);
	return code;
}

static enum ts_code
read_part(struct ts_pass_part *p, struct ts_reader *rd, struct ts_progress *progress,
	struct ts_err *err)
{
	struct ts_rows_query q = ts_live_query();
	enum ts_code code = ts_live_gather_begin(p->state, p->run->state, p->run->cache, err);

	q.past_damage = false;
	q.range = p->range;
	q.from = p->from;
	q.to = p->to;
	if (code)
		return code;
	return ts_live_gather_read(p->state, rd, &q, NULL, NULL, 0, progress, err);
}

static enum ts_code
leave(struct ts_section_writer *w, struct ts_err *err)
{
	struct head h = {.flags = LEFT_TO_THE_ROWS};

	return ts_section_append(w, NULL, &h, sizeof(h), err);
}

static size_t
groups_of(size_t tiles, size_t each)
{
	return each > 0 ? (tiles + each - 1) / each : 0;
}

static enum ts_code
write_table(struct ts_section_writer *w, const struct ts_tile_lives *l, int64_t most,
	struct ts_err *err)
{
	struct head h = {.points = l->points,
		.classes = l->classes,
		.intervals = l->intervals,
		.tiles = l->tiles,
		.bytes = l->bytes,
		.crest_tiles = l->crest_tiles,
		.crests = groups_of(l->tiles, l->crest_tiles) * l->points,
		.steps = l->steps,
		.rows = l->rows,
		.bad_rows = l->bad_rows,
		.too_large = l->too_large,
		.unplaced = l->unplaced,
		.bad_intervals = l->bad_intervals,
		.reversed = l->reversed,
		.beyond = l->beyond};
	const struct ts_section_array array[] = {
		{&h.point_at, l->point, l->points * sizeof(*l->point)},
		{&h.class_at, l->class, l->classes * sizeof(*l->class)},
		{&h.interval_at, l->interval, l->intervals * sizeof(*l->interval)},
		{&h.tile_at, l->tile, l->tiles * sizeof(*l->tile)},
		{&h.pairs_at, l->pairs, l->bytes},
		{&h.crest_at, l->crest, h.crests * sizeof(*l->crest)},
	};
	size_t all = sizeof(h);

	for (size_t i = 0; i < TS_COUNT(array); i++)
		all += array[i].n;
	if ((int64_t)all > most)
		return leave(w, err);
	return ts_section_put_arrays(w, &h, sizeof(h), array, TS_COUNT(array), err);
}

static enum ts_code
finish(struct ts_pass_run *run, struct ts_pass_part *parts, int count, struct ts_reader *rd,
	struct ts_progress *progress, struct ts_err *err)
{
	struct ts_live_gather *all = parts[0].state;
	int64_t most = ts_max_i64(run->report->identity.bytes / SHARE, SHARE_LEAST);
	struct ts_tile_lives *l;
	bool fits = all->too_large == 0;
	enum ts_code code = TS_OK;

	(void)progress;
	for (int i = 1; !code && fits && i < count; i++) {
		const struct ts_live_gather *from = parts[i].state;

		fits = from->too_large == 0;
		if (fits)
			code = ts_live_gather_merge(&fits, all, from, err);
	}
	if (code)
		return code;
	if (!fits)
		return leave(run->writer[0], err);
	code = ts_live_table(&l, run->state, all, rd, true, err);
	if (!code)
		code = write_table(run->writer[0], l, most, err);
	ts_tile_lives_close(l);
	return code;
}

static void
part_fini(struct ts_pass_part *p)
{
	ts_live_gather_fini(p->state);
}

static void
fini(struct ts_pass_run *run)
{
	ts_live_axis_fini(run->state);
}

const struct ts_pass ts_pass_tile_lives = {
	.what = "lives by tile",
	.relation = TS_LOWERED_VARIABLE,
	.section = {TS_SECTION_TILE_LIVES, TS_SECTION_COUNT},
	.can = ts_tile_lives_can,
	.state_size = sizeof(struct ts_live_axis),
	.part_size = sizeof(struct ts_live_gather),
	.begin = begin,
	.part = read_part,
	.finish = finish,
	.part_fini = part_fini,
	.fini = fini,
};

/* --- reading ---------------------------------------------------------------------------------- */

/* Do indices point where something is? */
static bool
is_sound(const void *of)
{
	const struct ts_tile_lives *l = of;
	bool ok = l->points <= TS_TILE_LIVES_POINTS;

	for (size_t i = 0; ok && i < l->intervals; i++)
		ok = l->interval[i].from < l->interval[i].to && l->interval[i].to < l->points;
	for (size_t i = 0; ok && i < l->classes; i++)
		ok = l->class[i].first <= l->intervals &&
			l->class[i].count <= l->intervals - l->class[i].first;
	for (size_t i = 0; ok && i < l->tiles; i++)
		ok = l->tile[i].at <= l->bytes && l->tile[i].base >= 0 && l->tile[i].peak >= 0 &&
			(i == 0 || l->tile[i - 1].tile < l->tile[i].tile);
	return ok;
}

static bool
map_arrays(struct ts_tile_lives *l, const void *payload, size_t size, const struct head *h)
{
	l->points = h->points;
	l->point = ts_section_at(payload, size, h->point_at, h->points, sizeof(*l->point));
	l->classes = h->classes;
	l->class = ts_section_at(payload, size, h->class_at, h->classes, sizeof(*l->class));
	l->intervals = h->intervals;
	l->interval = ts_section_at(payload, size, h->interval_at, h->intervals,
		sizeof(*l->interval));
	l->tiles = h->tiles;
	l->tile = ts_section_at(payload, size, h->tile_at, h->tiles, sizeof(*l->tile));
	l->bytes = h->bytes;
	l->pairs = ts_section_at(payload, size, h->pairs_at, h->bytes, 1);
	l->crest_tiles = h->crest_tiles;
	l->crest = ts_section_at(payload, size, h->crest_at, h->crests, sizeof(*l->crest));
	l->steps = h->steps;
	l->rows = h->rows;
	l->bad_rows = h->bad_rows;
	l->too_large = h->too_large;
	l->unplaced = h->unplaced;
	l->bad_intervals = h->bad_intervals;
	l->reversed = h->reversed;
	l->beyond = h->beyond;
	return l->point && l->class && l->interval && l->tile && l->pairs && l->crest &&
		h->crests == groups_of(l->tiles, l->crest_tiles) * l->points &&
		ts_index_is_sound(l->index, TS_SECTION_TILE_LIVES, is_sound, l);
}

/* NULL: it is not there, or left to the rows. */
static const struct head *
find_head(const void **payload, size_t *size, const struct ts_index *x)
{
	const struct head *h;

	*payload = ts_index_section(x, TS_SECTION_TILE_LIVES, size);
	h = *payload ? ts_section_at(*payload, *size, 0, 1, sizeof(*h)) : NULL;
	return h && !(h->flags & LEFT_TO_THE_ROWS) ? h : NULL;
}

bool
ts_tile_lives_quick(const struct ts_index *x)
{
	const void *payload;
	size_t size;

	return find_head(&payload, &size, x) != NULL;
}

enum ts_code
ts_tile_lives_indexed(struct ts_tile_lives **out, struct ts_index *x, struct ts_err *err)
{
	const void *payload;
	size_t size;
	const struct head *h = find_head(&payload, &size, x);
	struct ts_tile_lives *l;

	*out = NULL;
	if (!h)
		return TS_OK;
	l = ts_alloc(1, sizeof(*l));
	if (!l)
		return ts_err_nomem(err);
	atomic_init(&l->uses, 1);
	l->index = ts_index_hold(x);
	if (map_arrays(l, payload, size, h))
		*out = l;
	else
		ts_tile_lives_close(l);
	return TS_OK;
}
