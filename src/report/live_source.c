/* SPDX-License-Identifier: MIT */
/*
 * live_source - timelines of the device, an IPU, a tile, a set of tiles.
 *
 * What is recorded is read; what is not is added up over spans (tile_live.h) and given the steps of the recorded
 * timeline, with the programs that run there, so that all sources have the same x axis.
 */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "tilescope/base/mem.h"
#include "tilescope/report/index_ipu_steps.h"
#include "tilescope/report/live_source.h"
#include "tilescope/report/rows.h"
#include "tilescope/report/summary.h"
#include "tilescope/report/tile_ipus.h"

#include "liveness_internal.h"

enum { CHUNK = 4096 };

/* --- sources ---------------------------------------------------------------------------------- */

bool
ts_live_source_copy(struct ts_live_source *to, const struct ts_live_source *from)
{
	*to = (struct ts_live_source){.where = from->where, .number = from->number};
	if (from->where != TS_LIVE_SET)
		return true;
	if (!ts_tile_set_init(&to->set, from->set.tiles)) {
		*to = (struct ts_live_source){.where = TS_LIVE_ALL};
		return false;
	}
	if (from->set.tiles > 0)
		memcpy(to->set.bits, from->set.bits,
			(size_t)(from->set.tiles + 63) / 64 * sizeof(uint64_t));
	return true;
}

void
ts_live_source_fini(struct ts_live_source *s)
{
	if (s->where == TS_LIVE_SET)
		ts_tile_set_fini(&s->set);
	*s = (struct ts_live_source){.where = TS_LIVE_ALL};
}

bool
ts_live_source_same(const struct ts_live_source *a, const struct ts_live_source *b)
{
	if (a->where != b->where)
		return false;
	if (a->where != TS_LIVE_SET)
		return a->where == TS_LIVE_ALL || a->number == b->number;
	return a->set.tiles == b->set.tiles &&
		(a->set.tiles == 0 ||
			memcmp(a->set.bits, b->set.bits,
				(size_t)(a->set.tiles + 63) / 64 * sizeof(uint64_t)) == 0);
}

bool
ts_live_source_has(const struct ts_live_source *s, const struct ts_tile_lives *tiles, int64_t tile)
{
	ptrdiff_t i;

	switch (s->where) {
	case TS_LIVE_ALL:
		return true;
	case TS_LIVE_TILE:
		return tile == s->number;
	case TS_LIVE_SET:
		return ts_tile_set_has(&s->set, tile);
	default:
		i = ts_tile_lives_find(tiles, tile);
		return i >= 0 && (int64_t)tiles->tile[i].ipu == s->number;
	}
}

/* --- what the report says of its tiles -------------------------------------------------------- */

struct world {
	struct ts_tiles tiles;
	struct ts_target target;
	struct ts_tile_ipus ipus;
};

static void
fini_world(struct world *w)
{
	ts_tiles_fini(&w->tiles);
	ts_tile_ipus_fini(&w->ipus);
}

/* What cannot be read is not known; only what ends all is an error. */
static enum ts_code
read_world(struct world *w, struct ts_reader *rd, struct ts_err *err)
{
	enum ts_code code;

	memset(w, 0, sizeof(*w));
	code = ts_tiles_read(&w->tiles, rd, err);
	if (liveness_ends_all(code))
		return code;
	code = ts_target_read(&w->target, rd, code ? 0 : w->tiles.rows, ts_step_ipus(rd->report),
		err);
	if (liveness_ends_all(code))
		return code;
	return ts_tile_ipus_of(&w->ipus, &w->tiles, &w->target, rd, err);
}

static bool
world_has(const struct world *w, const struct ts_live_source *s, int64_t tile)
{
	return s->where == TS_LIVE_IPU ? ts_tile_ipus_find(&w->ipus, tile) == s->number
				       : ts_live_source_has(s, NULL, tile);
}

/* What is always live on the tiles of a source; TS_UNKNOWN: of one of them it is not known. */
static int64_t
recorded_base(const struct world *w, bool (*has)(const struct world *, const void *, int64_t),
	const void *of, int64_t *tiles)
{
	int64_t sum = 0;

	*tiles = 0;
	for (size_t i = 0; i < w->tiles.count; i++) {
		const struct ts_tile *t = &w->tiles.tile[i];

		if (!has(w, of, t->tile))
			continue;
		++*tiles;
		if (sum != TS_UNKNOWN &&
			(t->always_live == TS_UNKNOWN || !ts_add_i64(&sum, t->always_live)))
			sum = TS_UNKNOWN;
	}
	return *tiles > 0 && !w->tiles.partial ? sum : TS_UNKNOWN;
}

/* The same where tile_memory does not say it: tile_always_live by the tiles that belong to it. */
static enum ts_code
listed_base(int64_t *sum, const struct world *w,
	bool (*has)(const struct world *, const void *, int64_t), const void *of,
	struct ts_reader *rd, struct ts_err *err)
{
	struct ts_rows_query q = {.columns = {TS_TILE_ALWAYS_LIVE_TILE, TS_TILE_ALWAYS_LIVE_BYTES},
		.column_count = 2};
	struct ts_rows *rows;
	enum ts_code code;
	bool there;

	if (*sum != TS_UNKNOWN || !ts_report_has(rd->report, TS_TILE_ALWAYS_LIVE))
		return TS_OK;
	code = ts_reader_rows(&rows, rd, TS_TILE_ALWAYS_LIVE, &q, err);
	if (code)
		return liveness_ends_all(code) ? code : TS_OK;
	*sum = 0;
	while (!(code = ts_rows_next(rows, &there, err)) && there) {
		int64_t tile, bytes;

		/* a row that cannot be read may be one of them */
		if (ts_rows_number(rows, 0, &tile) != TS_VALUE_OK)
			break;
		if (has(w, of, tile) &&
			(ts_rows_number(rows, 1, &bytes) != TS_VALUE_OK || !ts_add_i64(sum, bytes)))
			break;
	}
	if (code || there)
		*sum = TS_UNKNOWN;
	ts_rows_close(rows);
	return liveness_ends_all(code) ? code : TS_OK;
}

static bool
source_has(const struct world *w, const void *of, int64_t tile)
{
	return world_has(w, of, tile);
}

static bool
replica_has(const struct world *w, const void *of, int64_t tile)
{
	(void)of;
	return ts_tile_ipus_replica(&w->ipus, ts_tile_ipus_find(&w->ipus, tile)) == 0;
}

/* bytes_per_tile x tiles, or TS_UNKNOWN. */
static int64_t
memory_of(const struct world *w, int64_t tiles)
{
	int64_t each = w->target.bytes_per_tile;

	return each != TS_UNKNOWN && tiles > 0 && each <= TS_NUMBER_MAX / tiles ? each * tiles
										: TS_UNKNOWN;
}

/* --- the device ------------------------------------------------------------------------------- */

/* What one replica has of what is always live, and of memory. */
static enum ts_code
split_replicas(struct ts_source_line *out, const struct world *w, struct ts_reader *rd,
	struct ts_err *err)
{
	const struct ts_liveness *l = &out->line;
	int64_t tiles, base = recorded_base(w, replica_has, NULL, &tiles);
	enum ts_code code = TS_OK;
	bool known = false;

	for (int64_t u = 0; u < w->ipus.ipus; u++)
		known |= w->ipus.replica[u] > 0; /* all 0: it does not tell replicas apart */
	if (known) {
		code = listed_base(&base, w, replica_has, NULL, rd, err);
		out->always_replica = base;
		out->memory_replica = memory_of(w, tiles);
	} else if (l->always_live != TS_UNKNOWN) {
		out->always_replica = l->always_live / l->replicas;
		out->always_divided = true;
	}
	if (out->memory_replica == TS_UNKNOWN && l->memory != TS_UNKNOWN)
		out->memory_replica = l->memory / l->replicas;
	return code;
}

/* --- derived timelines ------------------------------------------------------------------------ */

struct members {
	const struct ts_live_source *source;
	const struct ts_tile_lives *tiles;
};

static bool
member(const void *set, int64_t tile)
{
	const struct members *m = set;

	return ts_live_source_has(m->source, m->tiles, tile);
}

/* Points of the timeline: those of `all` where it has every step, else all steps up to the last. */
static enum ts_code
add_steps(struct ts_liveness *l, const struct ts_liveness *all, const struct ts_tile_lives *tiles,
	const int64_t *by_span, struct ts_err *err)
{
	bool same = all->count > 0 && all->per == 1;
	int64_t bytes[CHUNK], last = tiles->points > 0 ? tiles->point[tiles->points - 1] : 0;
	int64_t from = all->count > 0 ? all->first_step : 0;
	int64_t to = all->count > 0 ? all->last_step + 1 : last;
	enum ts_code code = TS_OK;
	size_t at = 0;

	if (to - from > (int64_t)TS_TILE_LIVES_POINTS * 16)
		return ts_err_set(err, TS_E_LIMIT, "steps up to %lld are too many to derive",
			(long long)to);
	for (; from < to && !code; from += CHUNK) {
		int64_t end = ts_min_i64(to, from + CHUNK);

		ts_tile_lives_steps(bytes, from, end, tiles, by_span);
		for (int64_t i = from; i < end && !same && !code; i++)
			code = liveness_add(l, i, bytes[i - from], -1, err);
		for (; same && at < all->count && all->step[at] < end && !code; at++)
			code = liveness_add(l, all->step[at], bytes[all->step[at] - from],
				all->program[at], err);
	}
	return code;
}

static enum ts_code
derive_line(struct ts_source_line *out, const struct ts_liveness *all,
	const struct ts_live_source *source, struct ts_reader *rd, struct ts_err *err)
{
	struct members members = {source, out->tiles};
	int64_t *by_span = ts_alloc(out->tiles->points + 1, sizeof(*by_span));
	enum ts_code code;

	if (!by_span)
		return ts_err_nomem(err);
	code = ts_tile_lives_sum(by_span, out->tiles, member, &members, rd->cancel, err);
	if (!code)
		code = add_steps(&out->line, all, out->tiles, by_span, err);
	if (!code)
		code = liveness_finish(&out->line, err);
	free(by_span);
	out->derived = true;
	return code;
}

/* The tiles that a derived line needs. */
static enum ts_code
read_tiles(struct ts_source_line *out, const struct world *w, const struct ts_live_source *source,
	struct ts_reader *rd, struct ts_progress *progress, struct ts_err *err)
{
	size_t n = 0, room = source->where == TS_LIVE_TILE ? 1 : (size_t)source->set.tiles;
	enum ts_code code;
	int64_t *tile;

	if (source->where == TS_LIVE_ALL || ts_tile_lives_quick(rd->index))
		return ts_tile_lives_read(&out->tiles, rd, progress, err);
	if (source->where == TS_LIVE_IPU)
		room = w->tiles.count;
	if (source->where == TS_LIVE_IPU && room == 0)
		return ts_tile_lives_read(&out->tiles, rd, progress, err);
	tile = ts_alloc(room + 1, sizeof(*tile));
	if (!tile)
		return ts_err_nomem(err);
	if (source->where == TS_LIVE_TILE)
		tile[n++] = source->number;
	for (size_t i = 0; source->where == TS_LIVE_IPU && i < w->tiles.count; i++)
		if (world_has(w, source, w->tiles.tile[i].tile))
			tile[n++] = w->tiles.tile[i].tile;
	for (int64_t t = 0;
		source->where == TS_LIVE_SET && (t = ts_tile_set_next(&source->set, t)) >= 0; t++)
		tile[n++] = t;
	code = ts_tile_lives_read_tiles(&out->tiles, rd, tile, n, progress, err);
	free(tile);
	return code;
}

/* What is always live on the tiles that were derived; TS_UNKNOWN where there are none. */
static int64_t
derived_base(const struct ts_source_line *l, const struct ts_live_source *source, int64_t *tiles)
{
	int64_t sum = 0;

	*tiles = 0;
	for (size_t i = 0; i < l->tiles->tiles; i++) {
		if (!ts_live_source_has(source, l->tiles, l->tiles->tile[i].tile))
			continue;
		++*tiles;
		if (sum != TS_UNKNOWN && !ts_add_i64(&sum, l->tiles->tile[i].base))
			sum = TS_UNKNOWN;
	}
	return *tiles > 0 ? sum : TS_UNKNOWN;
}

/* --- one IPU, as recorded --------------------------------------------------------------------- */

static enum ts_code
read_ipu_line(struct ts_source_line *out, const struct ts_liveness *all, int64_t ipu,
	struct ts_reader *rd, struct ts_progress *progress, struct ts_err *err)
{
	struct ipu_lines lines = {.line = &out->line,
		.first = ipu,
		.count = 1,
		.most = SIZE_MAX,
		.past_damage = true};

	if (ts_ipu_line_indexed(&out->line, rd->index, ipu))
		return TS_OK;
	return ipu_lines_read(&lines, all, rd, progress, err);
}

/* --- all of it -------------------------------------------------------------------------------- */

static void
begin(struct ts_source_line *out)
{
	*out = (struct ts_source_line){.tile_count = TS_UNKNOWN,
		.ipus = TS_UNKNOWN,
		.tiles_per_ipu = TS_UNKNOWN,
		.recorded_peak = TS_UNKNOWN,
		.always_replica = TS_UNKNOWN,
		.memory_replica = TS_UNKNOWN};
	liveness_begin(&out->line);
}

static enum ts_code
read_part(struct ts_source_line *out, const struct ts_liveness *all, const struct world *w,
	const struct ts_live_source *source, struct ts_reader *rd, struct ts_progress *progress,
	struct ts_err *err)
{
	bool recorded = source->where == TS_LIVE_IPU &&
		ts_report_has(rd->report, TS_LIVENESS_STEP_IPU);
	int64_t listed, *base = &out->line.always_live;
	enum ts_code code, end;

	if (recorded) {
		code = read_ipu_line(out, all, source->number, rd, progress, err);
	} else {
		code = read_tiles(out, w, source, rd, progress, err);
		if (!out->tiles)
			return code;
		end = derive_line(out, all, source, rd, code ? NULL : err);
		code = end ? end : code;
	}
	if (code && code != TS_E_DAMAGED)
		return code;
	*base = recorded_base(w, source_has, source, &listed);
	if (*base == TS_UNKNOWN && out->tiles)
		*base = derived_base(out, source, &out->tile_count);
	end = listed_base(base, w, source_has, source, rd, NULL);
	if (end)
		return end;
	out->tile_count = source->where == TS_LIVE_TILE ? 1
		: source->where == TS_LIVE_SET		? ts_tile_set_count(&source->set)
		: listed > 0				? listed
		: w->target.tiles_per_ipu > 0		? w->target.tiles_per_ipu
							: out->tile_count;
	out->line.memory = memory_of(w, out->tile_count);
	out->line.memory_assumed = w->target.assumed;
	return code;
}

enum ts_code
ts_source_line_read(struct ts_source_line *out, struct ts_reader *rd,
	const struct ts_live_source *source, struct ts_progress *progress, struct ts_err *err)
{
	struct ts_liveness all;
	struct world w;
	enum ts_code code, end;

	begin(out);
	code = ts_liveness_read(&all, rd, progress, err);
	end = read_world(&w, rd, NULL);
	if (!end) {
		out->ipus = w.ipus.ipus > 0 ? w.ipus.ipus : w.target.ipus;
		out->tiles_per_ipu = w.target.tiles_per_ipu;
	}
	if (source->where == TS_LIVE_ALL && code != TS_E_ABSENT) {
		out->line = all;
		out->tile_count = w.tiles.count > 0 ? (int64_t)w.tiles.count : TS_UNKNOWN;
		if (!end && (!code || code == TS_E_DAMAGED) && all.replicas > 1)
			end = split_replicas(out, &w, rd, NULL);
	} else if (!end && !liveness_ends_all(code)) {
		struct ts_err why = err ? *err : (struct ts_err){0};

		code = read_part(out, &all, &w, source, rd, progress, err);
		if (code == TS_E_ABSENT && source->where == TS_LIVE_ALL && err)
			*err = why; /* it is not recorded, first of all */
		ts_liveness_fini(&all);
	} else {
		ts_liveness_fini(&all);
	}
	if (source->where == TS_LIVE_TILE && ts_tiles_find(&w.tiles, source->number) >= 0)
		out->recorded_peak =
			w.tiles.tile[ts_tiles_find(&w.tiles, source->number)].not_always_live_peak;
	fini_world(&w);
	if (liveness_ends_all(end) && !code)
		code = ts_err_set(err, end, "%s",
			end == TS_E_NOMEM ? "out of memory" : "cancelled");
	return code;
}

void
ts_source_line_fini(struct ts_source_line *l)
{
	ts_liveness_fini(&l->line);
	ts_tile_lives_close(l->tiles);
	*l = (struct ts_source_line){0};
}
