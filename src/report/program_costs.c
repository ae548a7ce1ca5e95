/* SPDX-License-Identifier: MIT */
/*
 * program_costs - a row for each program, filled in by one pass over each relation that knows something of it.
 *
 * Blobs are looked at one at a time. The trace is joined by number: a table of the programs by their number stands in a
 * pile, and rows of steps that follow on each other mostly ask for the same or the next one.
 */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "tilescope/base/mem.h"
#include "tilescope/report/index_programs.h"
#include "tilescope/report/rows.h"
#include "tilescope/report/slices.h"
#include "tilescope/report/step_cycles.h"

enum { BLOB_EACH = 4, PROGRESS_ROWS = 8192 };

/* Figures of a compute set. */
struct set_cost {
	int64_t set;
	struct ts_program_cycles measured, estimated;
};

struct costing {
	struct ts_program_costs *c;
	struct ts_reader *rd;
	const struct ts_cache *cache;
	struct ts_progress *progress;
	struct ts_pile set; /* struct set_cost, by number */
	size_t sets;
	size_t hint; /* place of the program that was asked for last */
};

static const struct ts_program_cycles no_cycles = {TS_UNKNOWN, TS_UNKNOWN, TS_UNKNOWN};

static struct ts_program_cost *
cost_at(const struct ts_program_costs *c, size_t i)
{
	return (struct ts_program_cost *)c->cost.memory + i;
}

/* --- blobs ------------------------------------------------------------------------------------------ */

/* Numbers of tiles; false: it is not recorded, or (counted) none. */
static bool
read_blob(struct ts_program_cycles *to, struct ts_rows *rows, int column, int64_t *bad)
{
	const unsigned char *p;
	const void *bytes;
	size_t n;
	enum ts_value is = ts_rows_blob(rows, column, &bytes, &n);

	*to = no_cycles;
	*bad += is == TS_VALUE_BAD || (is == TS_VALUE_OK && n % BLOB_EACH != 0);
	if (is != TS_VALUE_OK || n % BLOB_EACH != 0)
		return false;
	*to = (struct ts_program_cycles){0, 0, TS_UNKNOWN};
	p = bytes;
	for (size_t i = 0; i + BLOB_EACH <= n; i += BLOB_EACH) {
		int64_t v = (int64_t)((uint32_t)p[i] | (uint32_t)p[i + 1] << 8 |
			(uint32_t)p[i + 2] << 16 | (uint32_t)p[i + 3] << 24);

		to->sum += v; /* fits: a blob has less than 2^31 numbers */
		if (v > to->most) {
			to->most = v;
			to->tile = (int64_t)(i / BLOB_EACH);
		}
	}
	return true;
}

static int64_t
blob_sum(struct ts_rows *rows, int column, int64_t *bad)
{
	struct ts_program_cycles all;

	return read_blob(&all, rows, column, bad) ? all.sum : TS_UNKNOWN;
}

/* --- passes ----------------------------------------------------------------------------------------- */

/* Each row of a relation that is there; damage is noted, and the next relation comes. */
static enum ts_code
each_row(struct costing *k, enum ts_relation relation, const int *columns, int n,
	enum ts_code (*each)(struct costing *k, struct ts_rows *rows, struct ts_err *err),
	struct ts_err *err)
{
	struct ts_rows_query q = {.column_count = n, .past_damage = true};
	const struct ts_reach *reach = &k->rd->report->binding[relation].reach;
	struct ts_rows *rows;
	enum ts_code code;
	int64_t seen = 0;
	bool there;

	if (!ts_report_has(k->rd->report, relation))
		return TS_OK;
	memcpy(q.columns, columns, (size_t)n * sizeof(*columns));
	code = ts_reader_rows(&rows, k->rd, relation, &q, err);
	while (!code && !(code = ts_rows_next(rows, &there, err)) && there) {
		if (++seen % PROGRESS_ROWS == 0)
			ts_progress_set(k->progress, seen, ts_reach_span(reach));
		code = each(k, rows, err);
	}
	ts_rows_close(rows);
	k->c->partial |= code == TS_E_DAMAGED;
	return code == TS_E_DAMAGED ? TS_OK : code;
}

static enum ts_code
add_set(struct costing *k, struct ts_rows *rows, struct ts_err *err)
{
	struct set_cost s = {.set = ts_rows_known(rows, 0)};

	if (s.set == TS_UNKNOWN)
		return TS_OK; /* counted where figures are of compute sets */
	read_blob(&s.measured, rows, 1, &k->c->bad_rows);
	read_blob(&s.estimated, rows, 2, &k->c->bad_rows);
	k->sets++;
	return ts_pile_add(&k->set, &s, sizeof(s), k->cache, err);
}

static const int set_columns[] = {TS_COMPUTE_SET_COMPUTE_SET, TS_COMPUTE_SET_CYCLES_BY_TILE,
	TS_COMPUTE_SET_ESTIMATED_CYCLES_BY_TILE};

enum {
	P_PROGRAM,
	P_TYPE,
	P_SYNC,
	P_SET,
	P_REPEAT,
	P_CONTEXT,
	P_CONTROL,
	P_CODE,
	P_MEASURED,
	P_ESTIMATED,
	P_COLUMNS
};

static const int program_columns[P_COLUMNS] = {
	[P_PROGRAM] = TS_PROGRAM_PROGRAM,
	[P_TYPE] = TS_PROGRAM_TYPE,
	[P_SYNC] = TS_PROGRAM_SYNC_TYPE,
	[P_SET] = TS_PROGRAM_COMPUTE_SET,
	[P_REPEAT] = TS_PROGRAM_REPEAT_COUNT,
	[P_CONTEXT] = TS_PROGRAM_CONTEXT,
	[P_CONTROL] = TS_PROGRAM_CONTROL_CODE_BY_TILE,
	[P_CODE] = TS_PROGRAM_CODE_BY_TILE,
	[P_MEASURED] = TS_PROGRAM_CYCLES_BY_TILE,
	[P_ESTIMATED] = TS_PROGRAM_ESTIMATED_CYCLES_BY_TILE,
};

static enum ts_code
set_type(struct costing *k, struct ts_program_cost *p, struct ts_rows *rows, struct ts_err *err)
{
	const char *type, *sync;
	size_t n, sync_n;
	uint32_t entry;
	enum ts_code code;

	p->type = TS_DICTIONARY_NONE;
	p->class_of = TS_CLASS_CONTROL;
	if (ts_rows_text(rows, P_TYPE, &type, &n) != TS_VALUE_OK)
		return TS_OK;
	if (ts_rows_text(rows, P_SYNC, &sync, &sync_n) != TS_VALUE_OK)
		sync = NULL;
	p->class_of = (uint16_t)ts_step_class_of(type, n, sync, sync_n);
	code = ts_dictionary_text(&k->c->types, &entry, type, n, err);
	if (!code && entry <= INT32_MAX)
		p->type = (int32_t)entry;
	return code;
}

static enum ts_code
add_program(struct costing *k, struct ts_rows *rows, struct ts_err *err)
{
	struct ts_program_costs *c = k->c;
	struct ts_program_cost p = {.program = ts_rows_known(rows, P_PROGRAM),
		.compute_set = ts_rows_known(rows, P_SET),
		.repeat_count = ts_rows_known(rows, P_REPEAT),
		.context = ts_rows_known(rows, P_CONTEXT),
		.steps = c->has_steps ? 0 : TS_UNKNOWN,
		.executed = c->has_executed ? 0 : TS_UNKNOWN,
		.first_step = TS_UNKNOWN,
		.live_step = TS_UNKNOWN,
		.live_steps = ts_report_has_column(k->rd->report, TS_LIVENESS_STEP,
				      TS_LIVENESS_STEP_PROGRAM)
			? 0
			: TS_UNKNOWN,
		.live = TS_UNKNOWN};
	enum ts_code code;

	if (p.program == TS_UNKNOWN) {
		c->bad_rows++;
		return TS_OK;
	}
	code = set_type(k, &p, rows, err);
	if (code)
		return code;
	p.control_code = blob_sum(rows, P_CONTROL, &c->bad_rows);
	p.exchange_code = blob_sum(rows, P_CODE, &c->bad_rows);
	read_blob(&p.measured, rows, P_MEASURED, &c->bad_rows);
	read_blob(&p.estimated, rows, P_ESTIMATED, &c->bad_rows);
	c->count++;
	return ts_pile_add(&c->cost, &p, sizeof(p), k->cache, err);
}

/* --- in order --------------------------------------------------------------------------------------- */

static int
by_program(const void *a, const void *b)
{
	const struct ts_program_cost *x = a, *y = b;

	return (x->program > y->program) - (x->program < y->program);
}

static int
by_set(const void *a, const void *b)
{
	const struct set_cost *x = a, *y = b;

	return (x->set > y->set) - (x->set < y->set);
}

static struct set_cost *
set_at(const struct costing *k, size_t i)
{
	return (struct set_cost *)k->set.memory + i;
}

/* By number; of equal ones the first row counts. */
static enum ts_code
put_in_order(struct costing *k, struct ts_err *err)
{
	struct ts_program_costs *c = k->c;
	size_t n = 0;
	enum ts_code code = ts_pile_sort(&k->set, k->sets, sizeof(struct set_cost), by_set,
		k->cache, k->rd->cancel, err);

	if (!code)
		code = ts_pile_sort(&c->cost, c->count, sizeof(struct ts_program_cost), by_program,
			k->cache, k->rd->cancel, err);
	for (size_t i = 0; !code && i < k->sets; i++)
		if (n == 0 || set_at(k, n - 1)->set != set_at(k, i)->set)
			*set_at(k, n++) = *set_at(k, i);
	k->sets = code ? 0 : n;
	n = 0;
	for (size_t i = 0; !code && i < c->count; i++)
		if (n == 0 || cost_at(c, n - 1)->program != cost_at(c, i)->program)
			*cost_at(c, n++) = *cost_at(c, i);
	c->count = code ? 0 : n;
	c->cost.used = c->count * sizeof(struct ts_program_cost);
	return code;
}

/* What the compute set of a program knows, where the program itself does not. */
static void
take_sets(struct costing *k)
{
	for (size_t i = 0; i < k->c->count; i++) {
		struct ts_program_cost *p = cost_at(k->c, i);
		struct set_cost key = {.set = p->compute_set};
		const struct set_cost *s = p->compute_set == TS_UNKNOWN || k->sets == 0
			? NULL
			: bsearch(&key, k->set.memory, k->sets, sizeof(key), by_set);

		if (s && p->measured.sum == TS_UNKNOWN)
			p->measured = s->measured;
		if (s && p->estimated.sum == TS_UNKNOWN)
			p->estimated = s->estimated;
	}
}

/* Place of the first program that is not below. */
static size_t
place_of(const struct ts_program_costs *c, int64_t program)
{
	size_t low = 0, high = c->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (cost_at(c, middle)->program < program)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* The program of a row; rows ask for the same or the next one more often than not. */
static struct ts_program_cost *
find_near(struct costing *k, int64_t program)
{
	struct ts_program_costs *c = k->c;

	for (size_t i = k->hint; i < c->count && i < k->hint + 2; i++)
		if (cost_at(c, i)->program == program) {
			k->hint = i;
			return cost_at(c, i);
		}
	k->hint = place_of(c, program);
	return k->hint < c->count && cost_at(c, k->hint)->program == program ? cost_at(c, k->hint)
									     : NULL;
}

/* --- what runs, and what is alive then --------------------------------------------------------------- */

static const int live_columns[] = {TS_LIVENESS_STEP_LIVE_STEP, TS_LIVENESS_STEP_PROGRAM,
	TS_LIVENESS_STEP_NOT_ALWAYS_LIVE};

static enum ts_code
add_live(struct costing *k, struct ts_rows *rows, struct ts_err *err)
{
	int64_t step = ts_rows_known(rows, 0), program = ts_rows_known(rows, 1);
	int64_t bytes = ts_rows_known(rows, 2);
	struct ts_program_cost *p = program == TS_UNKNOWN ? NULL : find_near(k, program);

	(void)err;
	if (step == TS_UNKNOWN || !p)
		return TS_OK;
	p->live_steps++;
	if (p->live_step == TS_UNKNOWN || step < p->live_step)
		p->live_step = step;
	p->live = ts_max_i64(p->live, bytes);
	return TS_OK;
}

static const int step_columns[] = {TS_STEP_PROGRAM, TS_STEP_COMPUTE_SET, TS_STEP_STEP,
	TS_STEP_TYPE};

/* Programs whose own type is not recorded have that of the steps that execute them. */
static enum ts_code
take_type(struct costing *k, struct ts_program_cost *p, struct ts_rows *rows, struct ts_err *err)
{
	const char *type;
	uint32_t entry;
	size_t n;
	enum ts_code code;

	if (ts_rows_text(rows, 3, &type, &n) != TS_VALUE_OK)
		return TS_OK;
	code = ts_dictionary_text(&k->c->types, &entry, type, n, err);
	if (code || entry > INT32_MAX)
		return code;
	p->type = (int32_t)entry;
	p->class_of = (uint16_t)ts_step_class_of(type, n, NULL, 0);
	return TS_OK;
}

static enum ts_code
add_step(struct costing *k, struct ts_rows *rows, struct ts_err *err)
{
	int64_t program = ts_rows_known(rows, 0), set = ts_rows_known(rows, 1);
	int64_t step = ts_rows_known(rows, 2);
	struct ts_program_cost *p = program == TS_UNKNOWN ? NULL : find_near(k, program);

	if (!p) {
		k->c->orphans += program != TS_UNKNOWN;
		k->c->unnamed += program == TS_UNKNOWN;
		return TS_OK;
	}
	p->steps++;
	if (step != TS_UNKNOWN && (p->first_step == TS_UNKNOWN || step < p->first_step))
		p->first_step = step;
	if (p->compute_set == TS_UNKNOWN && set != TS_UNKNOWN) {
		p->compute_set = set;
		p->set_by_steps = 1;
	}
	if (p->type == TS_DICTIONARY_NONE)
		return take_type(k, p, rows, err);
	return TS_OK;
}

/* Sums while they are made: where the program that was asked for last stands, and what does not fit. */
struct executing {
	struct costing *k;
	int64_t program;
	struct ts_program_cost *cost; /* of it, or NULL */
	int64_t beyond;
};

static void
take_cycles(void *ctx, int64_t program, int64_t cycles)
{
	struct executing *x = ctx;

	if (program != x->program) {
		x->program = program;
		x->cost = find_near(x->k, program);
	}
	if (program != TS_UNKNOWN && x->cost)
		x->beyond += !ts_add_i64(&x->cost->executed, cycles);
}

/* Where both relations stand in the order of their steps; *whole false: they do not. */
static enum ts_code
add_executed_in_order(bool *whole, struct costing *k, struct ts_err *err)
{
	struct executing x = {.k = k, .program = TS_UNKNOWN};
	int64_t bad;
	enum ts_code code = ts_step_cycles_read(whole, &bad, take_cycles, &x, k->rd, k->progress,
		err);

	k->c->bad_parts = bad + x.beyond;
	for (size_t i = 0; !code && !*whole && i < k->c->count; i++)
		cost_at(k->c, i)->executed = 0;
	return code;
}

static enum ts_code
add_executed(struct costing *k, struct ts_err *err)
{
	static const struct ts_step_names no_names = {0};
	const struct ts_slice *s = NULL;
	struct ts_slices *slices;
	int64_t beyond = 0; /* with them a sum would not fit */
	enum ts_code code = ts_slices_open(&slices, k->rd, &no_names, k->cache, k->progress, err);

	while (!code && !(code = ts_slices_next(&s, slices, err)) && s) {
		struct ts_program_cost *p = s->program == TS_UNKNOWN ? NULL
								     : find_near(k, s->program);

		beyond += p && !ts_add_i64(&p->executed, s->cycles);
	}
	if (slices) {
		struct ts_slices_left_out left = ts_slices_left_out(slices);

		k->c->bad_parts = left.bad_rows + left.orphans + beyond;
	}
	ts_slices_close(slices);
	k->c->partial |= code == TS_E_DAMAGED;
	return code == TS_E_DAMAGED ? TS_OK : code;
}

static enum ts_code
read_costs(struct costing *k, struct ts_err *err)
{
	struct ts_program_costs *c = k->c;
	bool whole = true;
	enum ts_code code;

	code = each_row(k, TS_COMPUTE_SET, set_columns, TS_COUNT(set_columns), add_set, err);
	if (!code)
		code = each_row(k, TS_PROGRAM, program_columns, P_COLUMNS, add_program, err);
	if (!code)
		code = put_in_order(k, err);
	if (!code)
		code = each_row(k, TS_LIVENESS_STEP, live_columns, TS_COUNT(live_columns), add_live,
			err);
	if (!code && c->has_steps)
		code = each_row(k, TS_STEP, step_columns, TS_COUNT(step_columns), add_step, err);
	if (!code)
		take_sets(k);
	if (!code && c->has_executed)
		code = add_executed_in_order(&whole, k, err);
	if (!code && !whole)
		code = add_executed(k, err);
	return code;
}

enum ts_code
ts_program_costs_read(struct ts_program_costs **out, struct ts_reader *rd,
	const struct ts_cache *cache, bool trace, struct ts_progress *progress, struct ts_err *err)
{
	const struct ts_report *r = rd->report;
	struct costing k = {.rd = rd, .cache = cache, .progress = progress};
	struct ts_err why;
	enum ts_code code;

	*out = NULL;
	if (!ts_report_has(r, TS_PROGRAM))
		return ts_err_set(err, TS_E_ABSENT, "program: %s", r->binding[TS_PROGRAM].reason);
	k.c = ts_alloc(1, sizeof(*k.c));
	if (!k.c)
		return ts_err_nomem(err);
	atomic_init(&k.c->uses, 1);
	k.c->types.cache = cache;
	if (ts_program_costs_kept(k.c, rd, cache)) {
		k.c->traced = true;
		*out = k.c;
		return TS_OK;
	}
	k.c->has_steps = trace && ts_report_has_column(r, TS_STEP, TS_STEP_PROGRAM);
	k.c->has_executed = k.c->has_steps && ts_report_has(r, TS_STEP_IPU);
	code = read_costs(&k, err);
	ts_pile_fini(&k.set);
	if (code) {
		ts_program_costs_close(k.c);
		return code;
	}
	k.c->traced = trace || !ts_report_has_column(r, TS_STEP, TS_STEP_PROGRAM);
	if (k.c->traced && !k.c->partial && cache && cache->dir &&
		ts_program_costs_keep(rd, cache, k.c, &why) == TS_E_CANCELLED) {
		ts_program_costs_close(k.c);
		return ts_err_set(err, TS_E_CANCELLED, "cancelled");
	}
	*out = k.c;
	return TS_OK;
}

struct ts_program_costs *
ts_program_costs_hold(struct ts_program_costs *c)
{
	atomic_fetch_add(&c->uses, 1);
	return c;
}

void
ts_program_costs_close(struct ts_program_costs *c)
{
	if (!c || atomic_fetch_sub(&c->uses, 1) > 1)
		return;
	if (c->index)
		c->cost = (struct ts_pile){0};
	ts_pile_fini(&c->cost);
	ts_dictionary_fini(&c->types);
	ts_index_release(c->index);
	free(c);
}

const struct ts_program_cost *
ts_program_costs_find(const struct ts_program_costs *c, int64_t program)
{
	size_t i = place_of(c, program);

	return i < c->count && cost_at(c, i)->program == program ? cost_at(c, i) : NULL;
}

const char *
ts_program_type(size_t *n, const struct ts_program_costs *c, const struct ts_program_cost *cost)
{
	const struct ts_dictionary_entry *e;

	*n = 0;
	if (cost->type == TS_DICTIONARY_NONE)
		return NULL;
	e = ts_dictionary_at(&c->types, (uint32_t)cost->type);
	*n = e->n;
	return (const char *)c->types.text.memory + e->at;
}
