/* SPDX-License-Identifier: MIT */
/* tile_ipus - see the header. Runs of tiles, so that a tile is found by bisection whatever the report says. */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "tilescope/base/mem.h"
#include "tilescope/report/rows.h"
#include "tilescope/report/tile_ipus.h"

static bool
ends_all(enum ts_code code)
{
	return code == TS_E_CANCELLED || code == TS_E_NOMEM;
}

static enum ts_code
add_run(struct ts_ipu_run **to, size_t *count, size_t *cap, struct ts_ipu_run run,
	struct ts_err *err)
{
	void *p = *to;

	if (!ts_room(&p, cap, *count, sizeof(run)))
		return ts_err_nomem(err);
	*to = p;
	(*to)[(*count)++] = run;
	return TS_OK;
}

/* Rows of tiles are in order: those that follow each other on one IPU are one run. */
static enum ts_code
take_rows(struct ts_tile_ipus *m, const struct ts_tiles *tiles, struct ts_err *err)
{
	enum ts_code code = TS_OK;

	for (size_t i = 0; i < tiles->count && !code; i++) {
		const struct ts_tile *t = &tiles->tile[i];
		struct ts_ipu_run *last = m->rows > 0 ? &m->row[m->rows - 1] : NULL;

		if (t->ipu == TS_UNKNOWN || (last && last->to > t->tile))
			continue;
		if (last && last->to == t->tile && last->ipu == t->ipu)
			last->to++;
		else
			code = add_run(&m->row, &m->rows, &m->row_cap,
				(struct ts_ipu_run){t->tile, t->tile + 1, t->ipu}, err);
	}
	return code;
}

/* --- the relation ----------------------------------------------------------------------------- */

static enum ts_code
take_range(struct ts_tile_ipus *m, struct ts_rows *rows, struct ts_err *err)
{
	int64_t ipu, first, count, replica;

	if (ts_rows_number(rows, 0, &ipu) != TS_VALUE_OK || ipu >= TS_TILE_IPUS_MAX ||
		ts_rows_number(rows, 1, &first) != TS_VALUE_OK ||
		ts_rows_number(rows, 2, &count) != TS_VALUE_OK)
		return TS_OK;
	if (ts_rows_number(rows, 3, &replica) != TS_VALUE_OK)
		replica = TS_UNKNOWN;
	if (!m->replica)
		m->replica = ts_alloc(TS_TILE_IPUS_MAX, sizeof(*m->replica));
	if (!m->replica)
		return ts_err_nomem(err);
	while (m->ipus <= ipu)
		m->replica[m->ipus++] = TS_UNKNOWN;
	m->replica[ipu] = replica;
	if (count == 0 || m->ranges == TS_TILE_IPUS_MAX)
		return TS_OK;
	return add_run(&m->range, &m->ranges, &m->range_cap,
		(struct ts_ipu_run){first, first + ts_min_i64(count, INT64_MAX - first), ipu}, err);
}

static int
by_first(const void *a, const void *b)
{
	const struct ts_ipu_run *x = a, *y = b;

	if (x->from != y->from)
		return x->from < y->from ? -1 : 1;
	return (x->ipu > y->ipu) - (x->ipu < y->ipu);
}

/* What overlaps begins behind the one before. */
static void
part_ranges(struct ts_tile_ipus *m)
{
	size_t kept = 0;

	if (m->ranges > 1)
		qsort(m->range, m->ranges, sizeof(*m->range), by_first);
	for (size_t i = 0; i < m->ranges; i++) {
		struct ts_ipu_run run = m->range[i];

		if (kept > 0)
			run.from = ts_max_i64(run.from, m->range[kept - 1].to);
		if (run.from < run.to)
			m->range[kept++] = run;
	}
	m->ranges = kept;
}

enum ts_code
ts_tile_ipus_recorded(struct ts_tile_ipus *m, struct ts_reader *rd, struct ts_err *err)
{
	struct ts_rows_query q = {.columns = {TS_IPU_IPU, TS_IPU_FIRST_TILE, TS_IPU_TILE_COUNT,
					  TS_IPU_REPLICA},
		.column_count = 4,
		.past_damage = true};
	struct ts_rows *rows;
	enum ts_code code;
	bool there;

	*m = (struct ts_tile_ipus){.tiles_per_ipu = TS_UNKNOWN};
	if (!ts_report_has(rd->report, TS_IPU))
		return TS_OK;
	code = ts_reader_rows(&rows, rd, TS_IPU, &q, err);
	if (code)
		return code;
	while (!(code = ts_rows_next(rows, &there, err)) && there)
		if ((code = take_range(m, rows, err)))
			break;
	ts_rows_close(rows);
	part_ranges(m);
	return code;
}

/* --- all of it -------------------------------------------------------------------------------- */

enum ts_code
ts_tile_ipus_of(struct ts_tile_ipus *m, const struct ts_tiles *tiles,
	const struct ts_target *target, struct ts_reader *rd, struct ts_err *err)
{
	enum ts_code code = ts_tile_ipus_recorded(m, rd, err);

	m->unread = code == TS_E_ABSENT ? TS_OK : code;
	if (target->tiles_per_ipu > 0)
		m->tiles_per_ipu = target->tiles_per_ipu;
	return ends_all(code) ? code : take_rows(m, tiles, err);
}

enum ts_code
ts_tile_ipus_read(struct ts_tile_ipus *m, struct ts_reader *rd, struct ts_err *err)
{
	struct ts_tiles tiles;
	struct ts_target target;
	enum ts_code code = ts_tiles_read(&tiles, rd, err);
	enum ts_code unread = code == TS_E_ABSENT ? TS_OK : code;
	int64_t rows = code || tiles.partial ? 0 : tiles.rows;

	*m = (struct ts_tile_ipus){.tiles_per_ipu = TS_UNKNOWN};
	ts_target_assume(&target, 0, 0);
	if (!ends_all(code))
		code = ts_target_read(&target, rd, rows, ts_step_ipus(rd->report), err);
	if (!unread && code != TS_E_ABSENT)
		unread = code;
	if (!ends_all(code))
		code = ts_tile_ipus_of(m, &tiles, &target, rd, err);
	if (unread)
		m->unread = unread;
	ts_tiles_fini(&tiles);
	return ends_all(code) ? code : TS_OK;
}

static void *
copy_of(const void *from, size_t n, size_t size, bool *ok)
{
	void *to = n > 0 ? ts_alloc(n, size) : NULL;

	if (to)
		memcpy(to, from, n * size);
	*ok = *ok && (to || n == 0);
	return to;
}

bool
ts_tile_ipus_copy(struct ts_tile_ipus *to, const struct ts_tile_ipus *from)
{
	bool ok = true;

	*to = *from;
	to->row = copy_of(from->row, from->rows, sizeof(*from->row), &ok);
	to->range = copy_of(from->range, from->ranges, sizeof(*from->range), &ok);
	to->replica = copy_of(from->replica, (size_t)from->ipus, sizeof(*from->replica), &ok);
	to->row_cap = to->rows;
	to->range_cap = to->ranges;
	if (!ok)
		ts_tile_ipus_fini(to);
	return ok;
}

void
ts_tile_ipus_fini(struct ts_tile_ipus *m)
{
	free(m->row);
	free(m->range);
	free(m->replica);
	*m = (struct ts_tile_ipus){.tiles_per_ipu = TS_UNKNOWN};
}

static int64_t
find_run(const struct ts_ipu_run *run, size_t count, int64_t tile)
{
	size_t low = 0, high = count;

	while (low < high) { /* the first that ends behind the tile */
		size_t middle = low + (high - low) / 2;

		if (run[middle].to > tile)
			high = middle;
		else
			low = middle + 1;
	}
	return low < count && run[low].from <= tile ? run[low].ipu : TS_UNKNOWN;
}

int64_t
ts_tile_ipus_find(const struct ts_tile_ipus *m, int64_t tile)
{
	int64_t ipu = find_run(m->row, m->rows, tile);

	if (tile < 0)
		return TS_UNKNOWN;
	if (ipu == TS_UNKNOWN)
		ipu = find_run(m->range, m->ranges, tile);
	return ipu == TS_UNKNOWN && m->tiles_per_ipu > 0 ? tile / m->tiles_per_ipu : ipu;
}

int64_t
ts_tile_ipus_replica(const struct ts_tile_ipus *m, int64_t ipu)
{
	return ipu >= 0 && ipu < m->ipus ? m->replica[ipu] : TS_UNKNOWN;
}
