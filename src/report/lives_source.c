/* SPDX-License-Identifier: MIT */
/*
 * lives_source - the lives of the variables of one tile, of a set of tiles or of an IPU.
 *
 * Nobody records these: a lowered variable's class says when it is alive (tile_live.h has the classes), its row how
 * many bytes it has on its tile. On one tile each lowered variable is a variable of its own. On several those that
 * were lowered from the same variable are one, with the bytes of all of them, where that is recorded
 * (lives_join.h). So the list of an IPU is as long as that of the device, not as the rows of its tiles. Of whole IPUs
 * it is kept in the index.
 */
#include "config.h"

#include <stdlib.h>

#include "tilescope/base/mem.h"
#include "tilescope/report/index_ipu_lives.h"
#include "tilescope/report/index_variables.h"
#include "tilescope/report/live_source.h"

#include "lives_join.h"

enum { PROGRESS_BLOCKS = 64, LOOK = 1 << 14 /* names from one look at the token to the next */ };

struct source_work {
	struct lives_join j;
	struct ts_reader *rd;
	const struct ts_live_source *source;
	const struct ts_tile_lives *tiles;
	int64_t rows; /* that were read */
	struct ts_progress *progress;
};

/* The IPU whose tiles are those of a set, or -1. */
static int64_t
whole_ipu(const struct ts_live_source *s, const struct ts_tile_lives *l)
{
	uint32_t ipu = TS_LIVE_NO_IPU;

	if (s->where != TS_LIVE_SET || l->some)
		return -1;
	for (size_t i = 0; i < l->tiles; i++)
		if (ipu == TS_LIVE_NO_IPU && ts_tile_set_has(&s->set, l->tile[i].tile))
			ipu = l->tile[i].ipu;
	for (size_t i = 0; ipu != TS_LIVE_NO_IPU && i < l->tiles; i++)
		if (ts_tile_set_has(&s->set, l->tile[i].tile) != (l->tile[i].ipu == ipu))
			return -1;
	return ipu == TS_LIVE_NO_IPU ? -1 : (int64_t)ipu;
}

/* --- rows ------------------------------------------------------------------------------------- */

/* Tiles [from, to), and where their rows stand. */
struct run {
	int64_t from, to;
	enum ts_range range;
	int64_t first, end; /* row ids or keys */
};

static enum ts_code
read_run(struct source_work *s, const struct run *run, struct ts_err *err)
{
	struct ts_rows_query q = lives_join_query();
	int64_t total = lives_rows_of(s->rd, TS_LOWERED_VARIABLE), blocks = 0, tile = -1;
	struct ts_rows_block b;
	struct ts_rows *rows;
	enum ts_code code;
	bool has = false;

	q.range = run->range;
	q.from = run->first;
	q.to = run->end;
	code = ts_reader_rows(&rows, s->rd, TS_LOWERED_VARIABLE, &q, err);
	if (code)
		return code;
	while (!(code = ts_rows_block(rows, &b, err)) && b.rows > 0) {
		if (++blocks % PROGRESS_BLOCKS == 0)
			ts_progress_set(s->progress, s->rows, total);
		for (int i = 0; i < b.rows && !code; i++, s->rows++) {
			if (b.is[LIVES_TILE] != TS_VALUE_OK)
				continue;
			if (b.v[LIVES_TILE][i] != tile) {
				tile = b.v[LIVES_TILE][i];
				has = tile >= run->from && tile < run->to &&
					ts_live_source_has(s->source, s->tiles, tile);
			}
			if (has)
				code = lives_join_row(&s->j, &b, i, s->rows, err);
		}
		if (code)
			break;
	}
	ts_rows_close(rows);
	return code;
}

/*
 * Tiles from place *at on that belong to the source and follow each other; false: there are none any more. *place goes through
 * what the index knows of tiles, as *at through the tiles.
 */
static bool
next_run(struct run *run, size_t *at, size_t *place, const struct source_work *s,
	const struct ts_index_variables *v)
{
	const struct ts_tile_lives *l = s->tiles;
	int64_t last = -1;

	while (*at < l->tiles && !ts_live_source_has(s->source, l, l->tile[*at].tile))
		++*at;
	if (*at == l->tiles)
		return false;
	*run = (struct run){.from = l->tile[*at].tile, .range = TS_RANGE_KEY};
	while (*at < l->tiles && ts_live_source_has(s->source, l, l->tile[*at].tile))
		run->to = l->tile[(*at)++].tile + 1;
	run->first = run->from;
	run->end = run->to;
	if (!v)
		return true;
	run->range = TS_RANGE_ROWID;
	run->first = INT64_MAX;
	for (; *place < v->tiles && v->tile[*place].tile < run->to; ++*place)
		if (v->tile[*place].tile >= run->from && v->tile[*place].rows > 0) {
			run->first = ts_min_i64(run->first, v->tile[*place].first);
			last = ts_max_i64(last, v->tile[*place].last);
		}
	run->end = last < INT64_MAX ? last + 1 : last;
	return true;
}

/* One run after the other; rows that stand anyhow (runs would go over the same ones): by their key, else all of them, once. */
static enum ts_code
read_all(struct source_work *s, struct ts_err *err)
{
	const struct ts_reach *reach = &s->rd->report->binding[TS_LOWERED_VARIABLE].reach;
	struct ts_index_variables v;
	bool known = ts_index_variables(&v, s->rd->index) && v.has_row_ids;
	struct run run, all = {0, INT64_MAX, TS_RANGE_ALL, 0, 0};
	enum ts_code code = TS_OK, damage = TS_OK;
	int64_t before = INT64_MIN;
	size_t at = 0, place = 0;
	bool apart = known || reach->key != TS_REACH_NONE;

	while (apart && known && next_run(&run, &at, &place, s, &v)) {
		apart = run.end <= run.first || run.first >= before;
		before = run.end > run.first ? run.end : before;
	}
	if (!apart && reach->key == TS_REACH_NONE)
		return read_run(s, &all, err);
	known = known && apart;
	at = place = 0;
	while (!code && next_run(&run, &at, &place, s, known ? &v : NULL)) {
		if (run.end <= run.first)
			continue;
		code = read_run(s, &run, err);
		damage = code == TS_E_DAMAGED ? code : damage;
		code = code == TS_E_DAMAGED ? TS_OK : code;
	}
	return code ? code : damage;
}

/* From the index, where the tiles are those of an IPU; *out NULL: it has none of it. */
static enum ts_code
read_indexed(struct ts_lives **out, struct ts_reader *rd, const struct ts_live_source *source,
	const struct ts_tile_lives *tiles, struct ts_err *err)
{
	int64_t ipu = source->where == TS_LIVE_IPU ? source->number : -1;

	*out = NULL;
	if (tiles && source->where == TS_LIVE_SET && ts_ipu_lives_quick(rd->index))
		ipu = whole_ipu(source, tiles);
	return ipu < 0 ? TS_OK : ts_ipu_lives_indexed(out, rd->index, ipu, err);
}

static enum ts_code
read_joined(struct ts_lives **out, struct ts_reader *rd, const struct ts_live_source *source,
	const struct ts_tile_lives *tiles, const struct ts_cache *cache,
	struct ts_progress *progress, struct ts_err *err)
{
	struct source_work s = {.rd = rd, .source = source, .tiles = tiles, .progress = progress};
	enum ts_code damage = TS_OK;
	enum ts_code code = lives_join_begin(&s.j, rd, tiles,
		source->where != TS_LIVE_TILE && lives_can_join(rd->report), cache, err);

	if (!code) {
		lives_join_in_memory(&s.j);
		s.j.w.l->lowered = !s.j.joined;
		damage = read_all(&s, err);
		code = damage == TS_E_DAMAGED ? TS_OK : damage;
	}
	if (!code)
		code = lives_join_order(&s.j, err);
	return lives_join_finish(out, &s.j, code ? code : damage);
}

/* --- from the rows by tile of the index ---------------------------------------------------------- */

static bool
in_set(const void *source, int64_t tile)
{
	return ts_live_source_has(source, NULL, tile);
}

enum ts_code
ts_source_sums_read(struct ts_kind_sums **out, struct ts_reader *rd,
	const struct ts_live_source *source, const struct ts_tile_lives *tiles, struct ts_err *err)
{
	enum ts_code code;

	*out = NULL;
	if (source->where != TS_LIVE_SET || !ts_tile_rows_quick(rd->index) ||
		(ts_ipu_lives_quick(rd->index) && whole_ipu(source, tiles) >= 0))
		return TS_OK;
	code = ts_kind_sums_read(out, rd->index, in_set, source, rd->cancel, err);
	if (*out && !(*out)->rows.joined) {
		ts_kind_sums_close(*out);
		*out = NULL;
	}
	return code == TS_E_ABSENT ? TS_OK : code;
}

/* Variables come by their numbers, each whole. */
static enum ts_code
join_sums(struct lives_join *j, const struct ts_kind_sums *s, const struct ts_live_class **class,
	const struct ts_cancel *cancel, struct ts_err *err)
{
	struct ts_lives *l = j->w.l;
	enum ts_code code = TS_OK;
	size_t i = 0, first, seen = 0;
	int64_t bytes;

	for (size_t k = 0; k < s->rows.classes; k++)
		class[k] = lives_join_class(j->tiles, s->rows.class[k]);
	while (!code && ts_kind_sums_next(s, &i, &first, &bytes)) {
		if (seen++ % LOOK == 0 && ts_cancelled(cancel))
			return ts_err_set(err, TS_E_CANCELLED, "cancelled");
		code = lives_join_whole(j, s->rows.kind[first].id, class[s->rows.kind[first].class],
			bytes, err);
	}
	l->bad_rows += s->bad;
	l->always += s->always;
	j->orphans += s->classless;
	return code;
}

static enum ts_code
read_sums(struct ts_lives **out, struct ts_reader *rd, const struct ts_kind_sums *s,
	const struct ts_tile_lives *tiles, const struct ts_cache *cache, struct ts_err *err)
{
	const struct ts_live_class **class = ts_alloc(s->rows.classes + 1, sizeof(*class));
	struct lives_join j;
	enum ts_code code = lives_join_begin(&j, rd, tiles, false, cache, err);

	if (!code && !class)
		code = ts_err_nomem(err);
	if (!code) {
		lives_join_in_memory(&j);
		code = join_sums(&j, s, class, rd->cancel, err);
	}
	if (!code)
		code = lives_join_order(&j, err);
	free(class);
	return lives_join_finish(out, &j, code);
}

enum ts_code
ts_lives_read_source(struct ts_lives **out, struct ts_reader *rd,
	const struct ts_live_source *source, const struct ts_tile_lives *tiles,
	const struct ts_kind_sums *sums, const struct ts_cache *cache, struct ts_progress *progress,
	struct ts_err *err)
{
	struct ts_tile_lives *all = NULL;
	enum ts_code code = read_indexed(out, rd, source, tiles, err);

	if (code || *out)
		return code;
	if (sums && tiles)
		return read_sums(out, rd, sums, tiles, cache, err);
	if (!tiles) {
		code = ts_tile_lives_read(&all, rd, progress, err);
		if (!all)
			return code;
	}
	code = read_joined(out, rd, source, tiles ? tiles : all, cache, progress, err);
	ts_tile_lives_close(all);
	return code;
}
