/* SPDX-License-Identifier: MIT */
/*
 * metric_sums - metrics that are sums over `_by_tile` blobs.
 *
 * A metric is one or two passes over a relation: which blob of a row is added, which one stands for it where
 * it is not recorded, which rows count and how often. One blob is looked at at a time, and of it only the
 * numbers of tiles that are asked for; how often a compute set runs, which programs have children and
 * what a vertex's state takes are small tables by id, made before.
 */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "metric_internal.h"
#include "tilescope/base/mem.h"
#include "tilescope/calc/step_class.h"
#include "tilescope/report/rows.h"
#include "tilescope/report/step_runs.h"
#include "tilescope/report/summary.h"
#include "tilescope/report/tile_slots.h"

enum { BYTES_EACH = 4 };

enum which { ALL_ROWS, EXCHANGES, LEAVES };
enum times { ONCE, RUNS, STATE };

static const struct pass {
	enum ts_metric_id id;
	enum ts_relation relation;
	int key, blob, instead; /* columns; instead: -1 = none */
	enum which which;
	enum times times;
} passes[] = {
#define COMPUTE_SETS                                                               \
	TS_COMPUTE_SET, TS_COMPUTE_SET_COMPUTE_SET, TS_COMPUTE_SET_CYCLES_BY_TILE, \
		TS_COMPUTE_SET_ESTIMATED_CYCLES_BY_TILE, ALL_ROWS
#define PROGRAM_CYCLES                                             \
	TS_PROGRAM, TS_PROGRAM_PROGRAM, TS_PROGRAM_CYCLES_BY_TILE, \
		TS_PROGRAM_ESTIMATED_CYCLES_BY_TILE, EXCHANGES
#define VERTICES                                                  \
	TS_COMPUTE_SET_VERTEX, TS_COMPUTE_SET_VERTEX_VERTEX_TYPE, \
		TS_COMPUTE_SET_VERTEX_COUNT_BY_TILE, -1, ALL_ROWS
#define OF_EXCHANGES(column) TS_PROGRAM, TS_PROGRAM_PROGRAM, column, -1, EXCHANGES, ONCE
	{TS_METRIC_CYCLES, COMPUTE_SETS, RUNS},
	{TS_METRIC_CYCLES, PROGRAM_CYCLES, RUNS},
	{TS_METRIC_CYCLES_ONCE, COMPUTE_SETS, ONCE},
	{TS_METRIC_CYCLES_ONCE, PROGRAM_CYCLES, ONCE},
	{TS_METRIC_ACTIVE_CYCLES, COMPUTE_SETS, RUNS},
	{TS_METRIC_ACTIVE_CYCLES_ONCE, COMPUTE_SETS, ONCE},
	{TS_METRIC_EXCHANGE_CODE, OF_EXCHANGES(TS_PROGRAM_CODE_BY_TILE)},
	{TS_METRIC_CONTROL_CODE, TS_PROGRAM, TS_PROGRAM_PROGRAM, TS_PROGRAM_CONTROL_CODE_BY_TILE,
		-1, LEAVES, ONCE},
	{TS_METRIC_BYTES_IN, OF_EXCHANGES(TS_PROGRAM_BYTES_IN_BY_TILE)},
	{TS_METRIC_BYTES_OUT, OF_EXCHANGES(TS_PROGRAM_BYTES_OUT_BY_TILE)},
	{TS_METRIC_VERTEX_COUNT, VERTICES, ONCE},
	{TS_METRIC_VERTEX_STATE, VERTICES, STATE},
};

/* --- small tables by id ----------------------------------------------------------------------- */

struct counts {
	struct ts_tile_slots slots; /* of ids */
	int64_t *count;
	size_t cap, known;
	bool cut;
};

static void
counts_fini(struct counts *k)
{
	ts_tile_slots_fini(&k->slots);
	free(k->count);
}

/* The count of an id, made (0) if need be; NULL: no memory, or (cut) too many. */
static int64_t *
counts_make(struct counts *k, int64_t id, struct ts_err *err)
{
	ptrdiff_t slot = ts_tile_slot(&k->slots, id);

	while (slot >= 0 && (size_t)slot >= k->known) {
		void *p = k->count;

		if (!ts_room(&p, &k->cap, k->known, sizeof(*k->count))) {
			slot = TS_SLOT_NOMEM;
			break;
		}
		k->count = p;
		k->count[k->known++] = 0;
	}
	if (slot >= 0)
		return &k->count[slot];
	k->cut |= slot == TS_SLOT_FULL;
	if (slot == TS_SLOT_NOMEM)
		(void)ts_err_nomem(err);
	return NULL;
}

/* The count of an id; 0 where nobody named it. */
static int64_t
counts_find(struct counts *k, int64_t id)
{
	ptrdiff_t slot = ts_tile_slot(&k->slots, id);

	return slot >= 0 && (size_t)slot < k->known ? k->count[slot] : 0;
}

/* --- one reading ------------------------------------------------------------------------------ */

struct sum_read {
	struct metric_read *m;
	const struct pass *pass;
	struct counts of_sets, of_programs; /* steps that execute them */
	struct counts parents;
	struct counts state; /* bytes of a vertex type + 1 */
	struct ts_err *err;
};

static enum ts_code
add_count(struct counts *k, int64_t id, int64_t by, struct ts_err *err)
{
	struct ts_err why = {0};
	int64_t *count = counts_make(k, id, &why);

	if (count && !ts_add_i64(count, by))
		*count = TS_NUMBER_MAX;
	if (count || !why.code)
		return TS_OK; /* cut: it says so */
	if (err)
		*err = why;
	return why.code;
}

/* The first that is said of an id. */
static enum ts_code
note_first(struct counts *k, int64_t id, int64_t what, struct ts_err *err)
{
	return counts_find(k, id) == 0 ? add_count(k, id, what, err) : TS_OK;
}

/* Steps by what they execute: a compute set where they name one, else a program. */
static enum ts_code
count_steps(struct sum_read *s, struct ts_err *err)
{
	struct ts_step_runs runs;
	enum ts_code code = ts_step_runs_read(&runs, s->m->rd, NULL, s->m->progress, err);
	enum ts_code added = TS_OK;

	for (size_t i = 0; i < runs.count && !added; i++) {
		const struct ts_step_run *r = &runs.run[i];

		if (r->compute_set != TS_UNKNOWN)
			added = add_count(&s->of_sets, r->compute_set, r->steps, err);
		else if (r->program != TS_UNKNOWN)
			added = add_count(&s->of_programs, r->program, r->steps, err);
	}
	s->of_sets.cut |= runs.cut;
	ts_step_runs_fini(&runs);
	return added ? added : code;
}

/* What an absent or damaged small relation would have said is not known; the rest goes on. */
static enum ts_code
each_row(struct sum_read *s, enum ts_relation relation, int a, int b,
	enum ts_code (*each)(struct sum_read *s, struct ts_rows *rows, struct ts_err *err),
	struct ts_err *err)
{
	struct ts_rows_query q = {.columns = {a, b}, .column_count = 2, .past_damage = true};
	struct ts_rows *rows;
	enum ts_code code;
	bool there;

	if (!ts_report_has(s->m->rd->report, relation))
		return TS_OK;
	code = ts_reader_rows(&rows, s->m->rd, relation, &q, err);
	if (code)
		return code;
	while (!(code = ts_rows_next(rows, &there, err)) && there)
		if ((code = each(s, rows, err)))
			break;
	ts_rows_close(rows);
	return code;
}

/* Steps that name a program alone execute its compute set. */
static enum ts_code
pass_on(struct sum_read *s, struct ts_rows *rows, struct ts_err *err)
{
	int64_t program, set, steps;

	if (ts_rows_number(rows, 0, &program) != TS_VALUE_OK ||
		ts_rows_number(rows, 1, &set) != TS_VALUE_OK)
		return TS_OK;
	steps = counts_find(&s->of_programs, program);
	return steps > 0 ? add_count(&s->of_sets, set, steps, err) : TS_OK;
}

static enum ts_code
note_parent(struct sum_read *s, struct ts_rows *rows, struct ts_err *err)
{
	int64_t parent;

	return ts_rows_number(rows, 0, &parent) == TS_VALUE_OK
		? add_count(&s->parents, parent, 1, err)
		: TS_OK;
}

static enum ts_code
note_state(struct sum_read *s, struct ts_rows *rows, struct ts_err *err)
{
	int64_t type, bytes;

	return ts_rows_number(rows, 0, &type) == TS_VALUE_OK &&
			ts_rows_number(rows, 1, &bytes) == TS_VALUE_OK
		? note_first(&s->state, type, bytes + 1, err)
		: TS_OK;
}

/* The small tables that a pass needs. */
static enum ts_code
prepare(struct sum_read *s, struct ts_err *err)
{
	enum ts_code code = TS_OK;

	if (s->pass->times == RUNS) {
		code = count_steps(s, err);
		if (!code)
			code = each_row(s, TS_PROGRAM, TS_PROGRAM_PROGRAM, TS_PROGRAM_COMPUTE_SET,
				pass_on, err);
	}
	if (s->pass->which == LEAVES)
		code = each_row(s, TS_PROGRAM_CHILD, TS_PROGRAM_CHILD_PARENT,
			TS_PROGRAM_CHILD_CHILD, note_parent, err);
	if (s->pass->times == STATE)
		code = each_row(s, TS_VERTEX_TYPE, TS_VERTEX_TYPE_VERTEX_TYPE,
			TS_VERTEX_TYPE_STATE_BYTES, note_state, err);
	return code;
}

/* --- blobs ------------------------------------------------------------------------------------ */

static void
add_blob(struct metric_read *m, const unsigned char *p, size_t count, int64_t times)
{
	for (size_t i = 0; i < m->n && (uint64_t)m->tile[i] < count; i++) {
		const unsigned char *at = p + (size_t)m->tile[i] * BYTES_EACH;
		int64_t v = (int64_t)((uint32_t)at[0] | (uint32_t)at[1] << 8 |
			(uint32_t)at[2] << 16 | (uint32_t)at[3] << 24);

		if (__builtin_mul_overflow(v, times, &v))
			m->v->value[i] = TS_UNKNOWN;
		else
			metric_add(m->v, i, v);
	}
}

enum { Q_KEY, Q_BLOB, Q_TYPE, Q_SET, Q_INSTEAD };

/* A program that executes a compute set has its cycles there; of the others only exchanges have any. */
static bool
executes(struct ts_rows *rows)
{
	int64_t set;

	return ts_rows_number(rows, Q_SET, &set) == TS_VALUE_OK;
}

static bool
is_exchange(struct ts_rows *rows)
{
	const char *type;
	size_t n;
	enum ts_step_class k;

	if (ts_rows_text(rows, Q_TYPE, &type, &n) != TS_VALUE_OK)
		return false;
	k = ts_step_class_of(type, n, NULL, 0);
	return k == TS_CLASS_EXCHANGE || k == TS_CLASS_GLOBAL_EXCHANGE;
}

static bool
counts_here(struct sum_read *s, struct ts_rows *rows, int64_t key)
{
	if (s->pass->which == EXCHANGES)
		return !executes(rows);
	return s->pass->which != LEAVES || counts_find(&s->parents, key) == 0;
}

static int64_t
times_of(struct sum_read *s, int64_t key)
{
	if (s->pass->times == ONCE)
		return 1;
	if (s->pass->times == STATE)
		return counts_find(&s->state, key) - 1;
	return counts_find(s->pass->relation == TS_COMPUTE_SET ? &s->of_sets : &s->of_programs,
		key);
}

static void
add_row(struct sum_read *s, struct ts_rows *rows)
{
	struct ts_tile_values *v = s->m->v;
	const void *p;
	int64_t key;
	size_t n;
	enum ts_value is;

	if (ts_rows_number(rows, Q_KEY, &key) != TS_VALUE_OK) {
		v->bad_rows++;
		return;
	}
	if (!counts_here(s, rows, key))
		return;
	is = ts_rows_blob(rows, Q_BLOB, &p, &n);
	if (is == TS_VALUE_NULL && s->pass->instead >= 0) {
		is = ts_rows_blob(rows, Q_INSTEAD, &p, &n);
		v->estimated += is == TS_VALUE_OK;
	}
	if (is == TS_VALUE_NULL) /* of a Sequence there is nothing to record */
		v->lacking += s->pass->which != EXCHANGES || is_exchange(rows);
	else if (is == TS_VALUE_BAD || n % BYTES_EACH != 0)
		v->bad_rows++;
	else if (times_of(s, key) < 0) /* what one takes is not recorded */
		v->lacking++;
	else {
		v->parts++;
		add_blob(s->m, p, n / BYTES_EACH, times_of(s, key));
	}
}

/* The type and compute set of other relations are any column twice: they are not looked at. */
static enum ts_code
run_pass(struct sum_read *s, struct ts_err *err)
{
	const struct pass *p = s->pass;
	bool program = p->relation == TS_PROGRAM;
	struct ts_rows_query q = {.columns = {p->key, p->blob, program ? TS_PROGRAM_TYPE : p->key,
					  program ? TS_PROGRAM_COMPUTE_SET : p->key, p->instead},
		.column_count = p->instead >= 0 ? Q_INSTEAD + 1 : Q_INSTEAD,
		.past_damage = true};
	const struct ts_reach *reach = &s->m->rd->report->binding[p->relation].reach;
	struct ts_rows *rows;
	enum ts_code code = ts_reader_rows(&rows, s->m->rd, p->relation, &q, err);
	int64_t seen = 0;
	bool there;

	if (code)
		return code;
	while (!(code = ts_rows_next(rows, &there, err)) && there) {
		add_row(s, rows);
		ts_progress_set(s->m->progress, ++seen, ts_reach_span(reach));
	}
	ts_rows_close(rows);
	return code;
}

/* --- the metric ------------------------------------------------------------------------------- */

static bool
pass_recorded(const struct ts_report *r, const struct pass *p)
{
	if (!ts_report_has(r, p->relation) ||
		!(ts_report_has_column(r, p->relation, p->blob) ||
			(p->instead >= 0 && ts_report_has_column(r, p->relation, p->instead))))
		return false;
	return (p->times != RUNS || ts_report_has(r, TS_STEP)) &&
		(p->times != STATE ||
			(ts_report_has(r, TS_VERTEX_TYPE) &&
				ts_report_has_column(r, TS_VERTEX_TYPE,
					TS_VERTEX_TYPE_STATE_BYTES))) &&
		(p->which != LEAVES || ts_report_has(r, TS_PROGRAM_CHILD));
}

bool
metric_is_sum(enum ts_metric_id id)
{
	for (size_t i = 0; i < TS_COUNT(passes); i++)
		if (passes[i].id == id)
			return true;
	return false;
}

bool
metric_sum_recorded(const struct ts_report *r, enum ts_metric_id id)
{
	for (size_t i = 0; i < TS_COUNT(passes); i++)
		if (passes[i].id == id && pass_recorded(r, &passes[i]))
			return true;
	return false;
}

/* How the sum is known: measured, estimated or partly, as its parts are. */
static enum ts_code
judge(struct sum_read *s, struct ts_err *err)
{
	struct ts_tile_values *v = s->m->v;
	struct ts_about about;
	enum ts_code code;

	if (v->estimated > 0)
		v->known = v->estimated < v->parts ? TS_METRIC_PARTLY : TS_METRIC_ESTIMATED;
	if (ts_metric_defs[v->metric.id].unit != TS_UNIT_CYCLES || v->estimated == v->parts)
		return TS_OK;
	code = ts_about_read(&about, s->m->rd, err);
	if (strcmp(about.compute_instrumentation, "ipu") == 0 ||
		strcmp(about.compute_instrumentation, "device") == 0)
		snprintf(v->level, sizeof(v->level), "%s",
			about.compute_instrumentation[0] == 'i' ? "ipu" : "device");
	return code;
}

static void
sum_fini(struct sum_read *s)
{
	counts_fini(&s->of_sets);
	counts_fini(&s->of_programs);
	counts_fini(&s->parents);
	counts_fini(&s->state);
}

/* Damage of one relation is told when all are read. */
static bool
goes_on(enum ts_code code, enum ts_code *damage)
{
	if (code == TS_E_DAMAGED)
		*damage = code;
	return code == TS_OK || code == TS_E_DAMAGED;
}

/* What a pass adds up, where a metric has two. */
static const char *
summed(const struct pass *p)
{
	return p->which == EXCHANGES ? "exchanges" : "compute sets";
}

enum ts_code
metric_sum_read(struct metric_read *m, enum ts_metric_id id, struct ts_err *err)
{
	struct sum_read s = {.m = m};
	enum ts_code code = TS_OK, damage = TS_OK;
	const char *alone = "", *without = "";
	int64_t parts, lacking;
	bool prepared = false;

	for (size_t i = 0; goes_on(code, &damage) && i < TS_COUNT(passes); i++) {
		s.pass = &passes[i];
		if (passes[i].id != id)
			continue;
		if (!pass_recorded(m->rd->report, s.pass)) {
			without = summed(s.pass);
			continue;
		}
		if (!prepared)
			code = prepare(&s, err);
		prepared = true;
		parts = m->v->parts;
		lacking = m->v->lacking;
		if (goes_on(code, &damage))
			code = run_pass(&s, err);
		if (m->v->parts > parts)
			alone = summed(s.pass);
		else if (m->v->lacking > lacking)
			without = summed(s.pass);
	}
	if (alone[0] && without[0]) {
		m->v->alone = alone;
		m->v->without = without;
	}
	if (goes_on(code, &damage) && m->v->parts > 0)
		code = judge(&s, err);
	m->v->cut = s.of_sets.cut || s.of_programs.cut || s.parents.cut || s.state.cut;
	sum_fini(&s);
	if (!goes_on(code, &damage))
		return code;
	if (m->v->parts == 0 && !damage)
		return ts_err_set(err, TS_E_ABSENT, "not in this report: %s has no row with it",
			ts_metric_defs[id].columns);
	return damage;
}
