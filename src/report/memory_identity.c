/* SPDX-License-Identifier: MIT */
/* memory_identity - see the header. */
#include "config.h"

#include <stdlib.h>

#include "tilescope/base/mem.h"
#include "tilescope/report/memory_identity.h"
#include "tilescope/report/rows.h"
#include "tilescope/report/tile_live.h"

static void
check(struct ts_memory_identities *m, enum ts_identity_kind kind, bool holds, int64_t tile,
	int64_t found, int64_t wanted)
{
	struct ts_identity_check *k = &m->check[kind];

	k->checked++;
	if (holds)
		return;
	if (k->broken++ == 0) {
		k->tile = tile;
		k->found = found;
		k->wanted = wanted;
	}
}

/* --- of one tile ------------------------------------------------------------------------------ */

static void
check_target(struct ts_memory_identities *m, const struct ts_tiles *tiles,
	const struct ts_target *t)
{
	bool sane = t->tiles_per_ipu <= TS_TILES_MAX && t->ipus <= TS_TILES_MAX;

	if (t->assumed || t->ipus <= 0 || t->tiles_per_ipu < 0 || tiles->partial)
		return;
	check(m, TS_IDENTITY_TILES, sane && t->ipus * t->tiles_per_ipu == tiles->rows, t->ipus,
		tiles->rows, t->tiles_per_ipu);
	for (size_t i = 0; i < tiles->count && t->tiles_per_ipu > 0; i++) {
		const struct ts_tile *k = &tiles->tile[i];

		if (k->ipu != TS_UNKNOWN)
			check(m, TS_IDENTITY_IPU, k->tile / t->tiles_per_ipu == k->ipu, k->tile,
				k->ipu, k->tile / t->tiles_per_ipu);
	}
}

static void
check_gaps(struct ts_memory_identities *m, const struct ts_tiles *tiles)
{
	for (size_t i = 0; i < tiles->count; i++) {
		const struct ts_tile *k = &tiles->tile[i];

		if (k->total_gaps != TS_UNKNOWN)
			check(m, TS_IDENTITY_GAPS, k->total_gaps >= k->total, k->tile,
				k->total_gaps, k->total);
	}
}

/* --- regions ---------------------------------------------------------------------------------- */

enum { R_TILE, R_TOTAL, R_FIRST, R_COLUMNS = R_FIRST + 3 };

static const int region_columns[R_COLUMNS] = {TS_TILE_MEMORY_TILE, TS_TILE_MEMORY_TOTAL,
	TS_TILE_MEMORY_NON_INTERLEAVED, TS_TILE_MEMORY_INTERLEAVED, TS_TILE_MEMORY_OVERFLOWED};

static void
check_region(struct ts_memory_identities *m, struct ts_rows *rows)
{
	int64_t v[R_COLUMNS], sum = 0;

	for (int i = 0; i < R_COLUMNS; i++)
		if (ts_rows_number(rows, i, &v[i]) != TS_VALUE_OK ||
			(i >= R_FIRST && !ts_add_i64(&sum, v[i])))
			return;
	check(m, TS_IDENTITY_REGIONS, sum == v[R_TOTAL], v[R_TILE], sum, v[R_TOTAL]);
}

static enum ts_code
check_regions(struct ts_memory_identities *m, struct ts_reader *rd, struct ts_err *err)
{
	struct ts_rows_query q = {.column_count = R_COLUMNS};
	struct ts_rows *rows;
	enum ts_code code;
	bool there;

	for (int i = 0; i < R_COLUMNS; i++) {
		q.columns[i] = region_columns[i];
		if (!ts_report_has_column(rd->report, TS_TILE_MEMORY, region_columns[i]))
			return TS_OK;
	}
	code = ts_reader_rows(&rows, rd, TS_TILE_MEMORY, &q, err);
	if (code)
		return code;
	while (!(code = ts_rows_next(rows, &there, err)) && there)
		check_region(m, rows);
	ts_rows_close(rows);
	return code;
}

/* --- categories ------------------------------------------------------------------------------- */

/* Of each tile: the sum of its categories; TS_UNKNOWN when something overlaps, or is no number. */
struct sums {
	const struct ts_tiles *tiles;
	int64_t *sum;
	bool *any;
	ptrdiff_t last;
};

static ptrdiff_t
place_of(struct sums *s, int64_t tile)
{
	if (s->last < 0 || s->tiles->tile[s->last].tile != tile)
		s->last = ts_tiles_find(s->tiles, tile);
	return s->last;
}

static void
add_category(struct sums *s, const struct ts_rows_block *b, int k)
{
	ptrdiff_t at = b->is[0] == TS_VALUE_OK ? place_of(s, b->v[0][k]) : -1;
	bool apart = b->is[1] == TS_VALUE_OK && b->is[2] == TS_VALUE_OK && b->v[2][k] == 0;

	if (at < 0)
		return;
	s->any[at] = true;
	if (s->sum[at] != TS_UNKNOWN && (!apart || !ts_add_i64(&s->sum[at], b->v[1][k])))
		s->sum[at] = TS_UNKNOWN;
}

static enum ts_code
sum_categories(struct sums *s, struct ts_reader *rd, struct ts_progress *progress,
	struct ts_err *err)
{
	struct ts_rows_query q = {.columns = {TS_TILE_CATEGORY_TILE,
					  TS_TILE_CATEGORY_NOT_OVERLAPPED,
					  TS_TILE_CATEGORY_OVERLAPPED},
		.column_count = 3};
	const struct ts_reach *reach = &rd->report->binding[TS_TILE_CATEGORY].reach;
	struct ts_rows_block b;
	struct ts_rows *rows;
	enum ts_code code = ts_reader_rows(&rows, rd, TS_TILE_CATEGORY, &q, err);
	int64_t seen = 0;

	if (code)
		return code;
	while (!(code = ts_rows_block(rows, &b, err)) && b.rows > 0) {
		for (int k = 0; k < b.rows; k++)
			add_category(s, &b, k);
		ts_progress_set(progress, seen += b.rows, ts_reach_span(reach));
	}
	ts_rows_close(rows);
	return code;
}

static enum ts_code
check_categories(struct ts_memory_identities *m, struct ts_reader *rd, const struct ts_tiles *tiles,
	struct ts_progress *progress, struct ts_err *err)
{
	struct sums s = {.tiles = tiles, .last = -1};
	enum ts_code code = TS_OK;

	if (!ts_report_has(rd->report, TS_TILE_CATEGORY) ||
		!ts_report_has_column(rd->report, TS_TILE_CATEGORY, TS_TILE_CATEGORY_OVERLAPPED))
		return TS_OK;
	s.sum = ts_alloc(tiles->count, sizeof(*s.sum));
	s.any = ts_alloc(tiles->count, sizeof(*s.any));
	code = s.sum && s.any ? sum_categories(&s, rd, progress, err) : ts_err_nomem(err);
	for (size_t i = 0; !code && i < tiles->count; i++)
		if (s.any[i] && s.sum[i] != TS_UNKNOWN)
			check(m, TS_IDENTITY_CATEGORIES, s.sum[i] == tiles->tile[i].total,
				tiles->tile[i].tile, s.sum[i], tiles->tile[i].total);
	free(s.sum);
	free(s.any);
	return code;
}

/* --- the peak of a tile ----------------------------------------------------------------------- */

static bool
has_peaks(const struct ts_reader *rd, int64_t rows)
{
	const struct ts_report *r = rd->report;

	if (!ts_report_has_column(r, TS_TILE_MEMORY, TS_TILE_MEMORY_NOT_ALWAYS_LIVE_PEAK) ||
		!ts_tile_lives_can(r))
		return false;
	/* of another host only what the index has: a pass would read most of the file */
	return ts_tile_lives_quick(rd->index) ||
		(!r->files && ts_reach_span(&r->binding[TS_LOWERED_VARIABLE].reach) <= rows);
}

/* Rows that were left out, and those of which no step is known, may be what is missing. */
static void
check_peak(struct ts_memory_identities *m, const struct ts_tile *t, const struct ts_tile_lives *l)
{
	ptrdiff_t at = t->not_always_live_peak == TS_UNKNOWN ? -1 : ts_tile_lives_find(l, t->tile);

	if (at >= 0 && l->tile[at].unplaced == 0)
		check(m, TS_IDENTITY_PEAK, l->tile[at].peak == t->not_always_live_peak, t->tile,
			t->not_always_live_peak, l->tile[at].peak);
}

static enum ts_code
check_peaks(struct ts_memory_identities *m, struct ts_reader *rd, const struct ts_tiles *tiles,
	int64_t rows, struct ts_progress *progress, struct ts_err *err)
{
	struct ts_tile_lives *l = NULL;
	enum ts_code code;

	if (!has_peaks(rd, rows))
		return TS_OK;
	code = ts_tile_lives_read(&l, rd, progress, err);
	for (size_t i = 0; !code && i < tiles->count; i++)
		if (l->bad_rows + l->too_large + l->bad_intervals == 0)
			check_peak(m, &tiles->tile[i], l);
	ts_tile_lives_close(l);
	return code;
}

/* --- all of them ------------------------------------------------------------------------------ */

/* What is damaged is told elsewhere, and not checked. */
static enum ts_code
pass_over(struct ts_memory_identities *m, enum ts_identity_kind kind, enum ts_code code)
{
	if (code == TS_OK || code == TS_E_CANCELLED || code == TS_E_NOMEM || code == TS_E_SYS)
		return code;
	m->check[kind] = (struct ts_identity_check){0};
	return TS_OK;
}

/* rows: of lowered variables that may be gone through. */
static enum ts_code
check_all(struct ts_memory_identities *m, struct ts_reader *rd, const struct ts_tiles *tiles,
	const struct ts_target *target, int64_t rows, struct ts_progress *progress,
	struct ts_err *err)
{
	enum ts_code code;

	*m = (struct ts_memory_identities){0};
	check_target(m, tiles, target);
	check_gaps(m, tiles);
	code = pass_over(m, TS_IDENTITY_REGIONS, check_regions(m, rd, err));
	if (!code)
		code = pass_over(m, TS_IDENTITY_CATEGORIES,
			check_categories(m, rd, tiles, progress, err));
	if (!code)
		code = pass_over(m, TS_IDENTITY_PEAK,
			check_peaks(m, rd, tiles, rows, progress, err));
	return code;
}

enum ts_code
ts_memory_identities_read(struct ts_memory_identities *m, struct ts_reader *rd,
	const struct ts_tiles *tiles, const struct ts_target *target, struct ts_progress *progress,
	struct ts_err *err)
{
	return check_all(m, rd, tiles, target, 0, progress, err);
}

enum ts_code
ts_memory_identities_look(struct ts_memory_identities *m, struct ts_reader *rd,
	struct ts_progress *progress, struct ts_err *err)
{
	struct ts_tiles tiles = {0};
	struct ts_target target;
	enum ts_code code;

	*m = (struct ts_memory_identities){0};
	if (!ts_report_has(rd->report, TS_TILE_MEMORY))
		return TS_OK;
	code = ts_tiles_read(&tiles, rd, err);
	ts_target_assume(&target, 0, 0);
	if (pass_over(m, TS_IDENTITY_TILES, code) == TS_OK)
		code = pass_over(m, TS_IDENTITY_TILES,
			ts_target_read(&target, rd, tiles.partial ? 0 : tiles.rows, 0, err));
	if (!code)
		code = check_all(m, rd, &tiles, &target, TS_IDENTITY_ROWS, progress, err);
	ts_tiles_fini(&tiles);
	return code;
}

int
ts_memory_identities_note(struct ts_notes *notes, const struct ts_memory_identities *m)
{
	static const char *const words[TS_IDENTITY_COUNT][2] = {
		[TS_IDENTITY_IPU] = {"tiles are on another IPU than their numbers say", "ipu"},
		[TS_IDENTITY_GAPS] = {"tiles have less memory with gaps than without", "bytes"},
		[TS_IDENTITY_REGIONS] = {"tiles have regions that do not add up to their total",
			"bytes"},
		[TS_IDENTITY_CATEGORIES] = {"tiles have categories that do not add up to their "
					    "total, though nothing overlaps",
			"bytes"},
		[TS_IDENTITY_PEAK] = {"tiles have another not_always_live_peak than their lowered "
				      "variables say",
			"bytes"},
	};
	const struct ts_identity_check *k = &m->check[TS_IDENTITY_TILES];
	int broken = k->broken > 0;

	if (broken)
		ts_notes_add(notes, "the target says %lld x %lld tiles, the report has %lld",
			(long long)k->tile, (long long)k->wanted, (long long)k->found);
	for (int i = TS_IDENTITY_TILES + 1; i < TS_IDENTITY_COUNT; i++) {
		k = &m->check[i];
		if (k->broken == 0)
			continue;
		broken++;
		ts_notes_add(notes, "%lld of %lld %s: %s %lld, not %lld, on tile %lld",
			(long long)k->broken, (long long)k->checked, words[i][0], words[i][1],
			(long long)k->found, (long long)k->wanted, (long long)k->tile);
	}
	return broken;
}
