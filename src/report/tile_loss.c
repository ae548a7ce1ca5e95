/* SPDX-License-Identifier: MIT */
/* tile_loss - see the header. One pass over the compute sets, one blob at a time. */
#include "config.h"

#include <stdlib.h>

#include "tilescope/base/mem.h"
#include "tilescope/report/bsp.h"
#include "tilescope/report/kept_text.h"
#include "tilescope/report/step_runs.h"
#include "tilescope/report/summary.h"
#include "tilescope/report/tile_loss.h"
#include "tilescope/report/tile_slots.h"

enum { BYTES_EACH = 4 };

/* How often each compute set is executed, by slot. */
struct counts {
	struct ts_tile_slots slots;
	int64_t *count;
	size_t cap, known;
};

struct loss_read {
	struct ts_tile_loss *l;
	struct ts_reader *rd;
	struct ts_bsp_tiles *ipu; /* of each IPU, as far as they are known */
	int ipus;
	struct counts sets;
	struct ts_progress *progress;
	int64_t seen;
};

bool
ts_tile_loss_recorded(const struct ts_report *r)
{
	return ts_report_has_column(r, TS_COMPUTE_SET, TS_COMPUTE_SET_CYCLES_BY_TILE) ||
		ts_report_has_column(r, TS_COMPUTE_SET, TS_COMPUTE_SET_ESTIMATED_CYCLES_BY_TILE);
}

double
ts_loss_share(const struct ts_tile_loss *l, const struct ts_loss_row *row)
{
	return row->saves != TS_UNKNOWN && l->span > 0 ? (double)row->saves / (double)l->span : -1;
}

/* --- executions --------------------------------------------------------------------------------------- */

/* The count of a compute set, made (0) if need be; NULL: no memory, or too many of them. */
static int64_t *
count_of(struct counts *k, int64_t set)
{
	ptrdiff_t slot = ts_tile_slot_make(&k->slots, set);

	while (slot >= 0 && (size_t)slot >= k->known) {
		void *p = k->count;

		if (!ts_room(&p, &k->cap, k->known, sizeof(*k->count)))
			return NULL;
		k->count = p;
		k->count[k->known++] = 0;
	}
	return slot >= 0 ? &k->count[slot] : NULL;
}

static enum ts_code
add_steps(struct loss_read *r, int64_t set, int64_t steps, struct ts_err *err)
{
	int64_t *count = count_of(&r->sets, set);

	if (!count)
		return r->sets.slots.count >= r->sets.slots.most ? TS_OK : ts_err_nomem(err);
	if (!ts_add_i64(count, steps))
		*count = TS_NUMBER_MAX;
	return TS_OK;
}

/* Steps that name a program alone execute its compute set. `runs` are by program. */
static enum ts_code
add_programs(struct loss_read *r, const struct ts_step_runs *runs, struct ts_err *err)
{
	struct ts_rows_query q = {.columns = {TS_PROGRAM_PROGRAM, TS_PROGRAM_COMPUTE_SET},
		.column_count = 2,
		.past_damage = true};
	struct ts_rows *rows;
	enum ts_code code;
	bool there;

	if (!ts_report_has_column(r->rd->report, TS_PROGRAM, TS_PROGRAM_COMPUTE_SET))
		return TS_OK;
	code = ts_reader_rows(&rows, r->rd, TS_PROGRAM, &q, err);
	if (code)
		return code;
	while (!(code = ts_rows_next(rows, &there, err)) && there) {
		int64_t program = ts_rows_known(rows, 0), set = ts_rows_known(rows, 1);
		size_t low = 0, high = runs->count;

		while (low < high) {
			size_t middle = low + (high - low) / 2;

			if (runs->run[middle].program < program)
				low = middle + 1;
			else
				high = middle;
		}
		for (; program >= 0 && set >= 0 && low < runs->count && !code &&
			runs->run[low].program == program;
			low++)
			if (runs->run[low].compute_set == TS_UNKNOWN)
				code = add_steps(r, set, runs->run[low].steps, err);
		if (code)
			break;
	}
	ts_rows_close(rows);
	return code;
}

static enum ts_code
count_executions(struct loss_read *r, const struct ts_cache *cache, struct ts_err *err)
{
	struct ts_step_runs runs = {0};
	enum ts_code code = ts_step_runs_read(&runs, r->rd, cache, r->progress, err), damage;

	damage = code == TS_E_DAMAGED ? code : TS_OK;
	code = damage ? TS_OK : code;
	for (size_t i = 0; i < runs.count && !code; i++)
		if (runs.run[i].compute_set != TS_UNKNOWN)
			code = add_steps(r, runs.run[i].compute_set, runs.run[i].steps, err);
	if (!code)
		code = add_programs(r, &runs, err);
	ts_step_runs_fini(&runs);
	return code ? code : damage;
}

/* --- compute sets ------------------------------------------------------------------------------------- */

static uint32_t
number_at(const unsigned char *p)
{
	return (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

/* What one IPU does of it. */
static void
measure(struct ts_loss_row *one, const struct ts_bsp_tiles *tiles, const unsigned char *p, size_t n)
{
	int64_t end = ts_min_i64(tiles->first + tiles->count, (int64_t)n);

	for (int64_t t = tiles->first; t < end; t++) {
		uint32_t v = number_at(p + t * BYTES_EACH);

		one->sum += v;
		one->active += v > 0;
		if (v > one->most) {
			one->most = v;
			one->slowest = t;
		}
	}
	one->tiles = tiles->count;
	one->lost_once = one->tiles * one->most - one->sum; /* below 2^52 */
}

/* Times its executions; what does not fit is not known. */
static int64_t
times(int64_t v, int64_t executions)
{
	int64_t r;

	return executions == TS_UNKNOWN || __builtin_mul_overflow(v, executions, &r) ? TS_UNKNOWN
										     : r;
}

/* The row of a blob of n numbers; false: it does nothing anywhere. */
static bool
fill_row(struct loss_read *r, struct ts_loss_row *row, const unsigned char *p, size_t n)
{
	int64_t lost = 0, known = 0, all = 0;
	int busy = 0;

	for (int i = 0; i < r->ipus; i++) {
		struct ts_loss_row one = *row;

		one.ipu = i;
		one.tiles = one.active = one.most = one.sum = 0;
		measure(&one, &r->ipu[i], p, n);
		known += one.active;
		if (one.active == 0)
			continue;
		lost += one.lost_once;
		if (busy++ == 0 || one.lost_once / one.tiles > row->lost_once / row->tiles)
			*row = one;
	}
	for (size_t t = 0; t < n; t++)
		all += number_at(p + t * BYTES_EACH) > 0;
	r->l->beyond += all > known;
	if (busy == 0)
		return false;
	row->saves = times(row->lost_once, row->executions);
	if (row->saves != TS_UNKNOWN)
		row->saves /= row->tiles;
	row->single = busy == 1;
	row->lost_once = lost;
	row->lost = times(lost, row->executions);
	return true;
}

enum { Q_SET, Q_NAME, Q_MEASURED, Q_ESTIMATED, Q_COUNT };

/* The numbers of a row: NULL, and it is counted, where there are none. */
static const unsigned char *
numbers_of(struct loss_read *r, struct ts_rows *rows, size_t *n, bool *estimated)
{
	enum ts_value is = TS_VALUE_NULL;
	const void *p = NULL;

	if (!r->l->one_tile)
		is = ts_rows_blob(rows, Q_MEASURED, &p, n);
	*estimated = is == TS_VALUE_NULL;
	if (*estimated)
		is = ts_rows_blob(rows, Q_ESTIMATED, &p, n);
	if (is == TS_VALUE_NULL) {
		r->l->lacking++;
		return NULL;
	}
	if (is != TS_VALUE_OK || *n % BYTES_EACH != 0) {
		r->l->bad_rows++;
		return NULL;
	}
	*n /= BYTES_EACH;
	return p ? p : (const unsigned char *)"";
}

static enum ts_code
add_row(struct loss_read *r, struct ts_rows *rows, struct ts_err *err)
{
	struct ts_tile_loss *l = r->l;
	struct ts_loss_row row = {.compute_set = ts_rows_known(rows, Q_SET),
		.executions = TS_UNKNOWN};
	const unsigned char *p;
	void *bigger = l->row;
	size_t n;

	l->bad_rows += row.compute_set == TS_UNKNOWN;
	if (row.compute_set == TS_UNKNOWN)
		return TS_OK;
	p = numbers_of(r, rows, &n, &row.estimated);
	if (l->has_steps) {
		int64_t *count = p ? count_of(&r->sets, row.compute_set) : NULL;

		row.executions = count ? *count : 0;
	}
	if (!p || !fill_row(r, &row, p, n))
		return TS_OK;
	l->cut |= l->count >= TS_LOSS_ROWS;
	if (l->cut)
		return TS_OK;
	if (!ts_room(&bigger, &l->cap, l->count, sizeof(*l->row)))
		return ts_err_nomem(err);
	l->row = bigger;
	row.name = ts_kept_text(&l->text, TS_LOSS_TEXT, rows, Q_NAME, TS_LOSS_NAME);
	l->row[l->count++] = row;
	return TS_OK;
}

static enum ts_code
read_sets(struct loss_read *r, struct ts_err *err)
{
	struct ts_rows_query q = {.columns = {TS_COMPUTE_SET_COMPUTE_SET, TS_COMPUTE_SET_NAME,
					  TS_COMPUTE_SET_CYCLES_BY_TILE,
					  TS_COMPUTE_SET_ESTIMATED_CYCLES_BY_TILE},
		.column_count = Q_COUNT,
		.past_damage = true};
	const struct ts_reach *reach = &r->rd->report->binding[TS_COMPUTE_SET].reach;
	struct ts_rows *rows;
	enum ts_code code = ts_reader_rows(&rows, r->rd, TS_COMPUTE_SET, &q, err);
	bool there;

	if (code)
		return code;
	while (!(code = ts_rows_next(rows, &there, err)) && there) {
		ts_progress_set(r->progress, ++r->seen, ts_reach_span(reach));
		if ((code = add_row(r, rows, err)))
			break;
	}
	ts_rows_close(rows);
	return code;
}

/* --- together ----------------------------------------------------------------------------------------- */

static int
by_loss(const void *a, const void *b)
{
	const struct ts_loss_row *x = a, *y = b;

	if (x->lost != y->lost)
		return x->lost > y->lost ? -1 : 1;
	if (x->lost_once != y->lost_once)
		return x->lost_once > y->lost_once ? -1 : 1;
	return x->compute_set < y->compute_set ? -1 : x->compute_set > y->compute_set;
}

/* Which tiles each IPU has. */
static enum ts_code
find_ipus(struct loss_read *r, struct ts_err *err)
{
	struct ts_tile_ipus m;
	enum ts_code code = ts_tile_ipus_read(&m, r->rd, err);

	r->ipu = ts_alloc(TS_IPUS_MAX, sizeof(*r->ipu));
	if (!r->ipu && !code)
		code = ts_err_nomem(err);
	for (int i = 0; !code && i < TS_IPUS_MAX; i++) {
		r->ipu[i] = ts_bsp_tiles_of(&m, i);
		if (r->ipu[i].count > 0)
			r->ipus = i + 1;
	}
	ts_tile_ipus_fini(&m);
	if (!code && r->ipus == 0)
		return ts_err_set(err, TS_E_ABSENT, "it is not recorded which tiles an IPU has");
	return code;
}

/* Cycles of all runs, where begins and ends of all of them are known; else of all that there is. */
static void
set_span(struct ts_tile_loss *l, const struct ts_trace *t)
{
	int64_t sum = 0;
	int runs = 0;

	while (runs < t->runs && t->run[runs].start != TS_UNKNOWN &&
		t->run[runs].end >= t->run[runs].start &&
		ts_add_i64(&sum, t->run[runs].end - t->run[runs].start))
		runs++;
	l->runs = runs == t->runs ? runs : 0;
	l->span = l->runs > 0 ? sum : t->to - t->from;
}

static void
sum_up(struct ts_tile_loss *l)
{
	int64_t estimated = 0;

	l->lost = l->has_steps ? 0 : TS_UNKNOWN;
	for (size_t i = 0; i < l->count; i++) {
		estimated += l->row[i].estimated;
		if (l->lost != TS_UNKNOWN &&
			(l->row[i].lost == TS_UNKNOWN || !ts_add_i64(&l->lost, l->row[i].lost)))
			l->lost = TS_UNKNOWN;
	}
	l->mark = estimated == 0		? TS_MARK_REPEATED
		: estimated < (int64_t)l->count ? TS_MARK_PARTLY
						: TS_MARK_ESTIMATED;
	if (l->count > 1)
		qsort(l->row, l->count, sizeof(*l->row), by_loss);
}

static enum ts_code
read_all(struct loss_read *r, const struct ts_cache *cache, struct ts_err *err)
{
	enum ts_code code = find_ipus(r, err), damage = TS_OK;

	if (!code && r->l->has_steps)
		code = count_executions(r, cache, err);
	if (code == TS_E_DAMAGED) {
		damage = code;
		code = TS_OK;
	}
	if (!code)
		code = read_sets(r, err);
	if (!code && r->l->text.nomem) /* names are missing */
		return ts_err_nomem(err);
	return code ? code : damage;
}

enum ts_code
ts_tile_loss_read(struct ts_tile_loss *l, struct ts_reader *rd, const struct ts_trace *t,
	const struct ts_cache *cache, struct ts_progress *progress, struct ts_err *err)
{
	struct loss_read r = {.l = l, .rd = rd, .progress = progress};
	enum ts_code code;

	*l = (struct ts_tile_loss){.span = TS_UNKNOWN, .lost = TS_UNKNOWN};
	ts_strbuf_init(&l->text, TS_LOSS_TEXT);
	ts_strbuf_add(&l->text, "", 1); /* place 0: no name */
	if (!ts_tile_loss_recorded(rd->report))
		return ts_err_set(err, TS_E_ABSENT,
			"cycles of compute sets by tile are not recorded");
	l->has_steps = t && ts_report_has(rd->report, TS_STEP);
	l->one_tile = t && t->honest.one_tile;
	if (t && t->has_parts)
		set_span(l, t);
	r.sets.slots.most = TS_LOSS_ROWS;
	code = read_all(&r, cache, err);
	l->partial = code == TS_E_DAMAGED;
	sum_up(l);
	ts_tile_slots_fini(&r.sets.slots);
	free(r.sets.count);
	free(r.ipu);
	return code;
}

void
ts_tile_loss_fini(struct ts_tile_loss *l)
{
	free(l->row);
	ts_strbuf_fini(&l->text);
	*l = (struct ts_tile_loss){0};
}
