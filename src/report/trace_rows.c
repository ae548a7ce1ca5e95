/* SPDX-License-Identifier: MIT */
/*
 * trace_rows - windows of the list of steps, and finding a step.
 *
 * A window is one bounded read of `step` and one of `step_ipu`, joined here by step. Where row ids
 * are missing rows have no number of their own: a window is read from a row that is known, and
 * says whether it reached an end of the list.
 */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "trace_internal.h"

#include "tilescope/base/mem.h"
#include "tilescope/base/strbuf.h"

enum {
	NAME_MAX_BYTES = 8192,
	BACK_TURNS = 6,
	SEARCH_ROWS = 4096 /* rows before a time in which the IPU has to do something */
};

int64_t
ts_trace_row_at(const struct ts_trace *t, int64_t row)
{
	return t->step.range == TS_RANGE_ALL ? row : trace_add(t->step.first, row);
}

/* --- steps ------------------------------------------------------------------------------------ */

enum { W_RUN = TS_STEP_Q_COUNT, W_COLUMNS };

struct filling {
	struct ts_trace_window *w;
	const struct ts_trace *t;
	struct ts_strbuf text;
	int cap;
};

static void
add_text(struct filling *f, uint32_t *at, uint32_t *n, const char *s, size_t bytes)
{
	*at = (uint32_t)f->text.len;
	*n = 0;
	if (!s)
		return;
	ts_strbuf_add(&f->text, s, bytes < NAME_MAX_BYTES ? bytes : NAME_MAX_BYTES);
	*n = (uint32_t)(f->text.len - *at);
}

static void
fill_row(struct filling *f, struct ts_trace_row *row, struct ts_rows *rows)
{
	const char *s;
	size_t n;
	int i;

	*row = (struct ts_trace_row){.active_tiles = TS_UNKNOWN,
		.balance = -1,
		.active_balance = -1,
		.data_in = TS_UNKNOWN,
		.data_out = TS_UNKNOWN,
		.active_start_max = TS_UNKNOWN,
		.active_end_min = TS_UNKNOWN};
	row->program = ts_rows_known(rows, TS_STEP_Q_PROGRAM);
	row->compute_set = ts_rows_known(rows, TS_STEP_Q_COMPUTE_SET);
	row->step = ts_rows_known(rows, TS_STEP_Q_STEP);
	row->run = ts_rows_known(rows, W_RUN);
	row->program = ts_rows_known(rows, TS_STEP_Q_PROGRAM);
	if (f->t->step.range != TS_RANGE_ROWID || !ts_rows_rowid(rows, &row->at))
		row->at = row->step;
	i = row->run == TS_UNKNOWN ? ts_trace_run_of(f->t, row->step) : -1;
	if (i >= 0)
		row->run = f->t->run[i].run;
	row->class_of = ts_step_class_row(rows);
	if (ts_rows_text(rows, TS_STEP_Q_TYPE, &s, &n) != TS_VALUE_OK)
		s = NULL;
	add_text(f, &row->type, &row->type_n, s, n);
	s = ts_step_name(rows, &f->t->names, &n);
	add_text(f, &row->name, &row->name_n, s, n);
}

/*
 * Read steps at the addresses [from, to), without the first `skip`; at most f->cap of them are
 * kept, and of those the last when `last`. *more: there were more.
 */
static enum ts_code
read_steps(struct filling *f, struct ts_reader *rd, int64_t from, int64_t to, int64_t skip,
	bool last, bool *more, struct ts_err *err)
{
	struct ts_rows_query q = {.column_count = W_COLUMNS,
		.range = f->t->step.range,
		.from = from,
		.to = to,
		.limit = last || skip > 0 ? 0 : f->cap + 1};
	struct ts_trace_window *w = f->w;
	struct ts_rows *rows;
	enum ts_code code;
	bool there;

	memcpy(q.columns, ts_step_columns, sizeof(ts_step_columns));
	q.columns[W_RUN] = TS_STEP_RUN;
	*more = false;
	code = ts_reader_rows(&rows, rd, TS_STEP, &q, err);
	if (code)
		return code;
	while (!(code = ts_rows_next(rows, &there, err)) && there) {
		if (skip-- > 0)
			continue;
		if (w->count == f->cap) {
			*more = true;
			if (!last)
				break;
			memmove(w->row, w->row + 1, (size_t)(w->count - 1) * sizeof(*w->row));
			w->count--;
		}
		fill_row(f, &w->row[w->count++], rows);
	}
	ts_rows_close(rows);
	return code;
}

/* The `before` rows before an address: read an ever longer piece and keep its end. */
static enum ts_code
read_before(struct filling *f, struct ts_reader *rd, int64_t at, int before, struct ts_err *err)
{
	int64_t first = f->t->step.first, reach = before;
	enum ts_code code = TS_OK;
	bool more = false;

	f->cap = before;
	for (int turn = 0; turn < BACK_TURNS && before > 0; turn++, reach *= 8) {
		int64_t from = at - first > reach ? at - reach : first;

		f->w->count = 0;
		ts_strbuf_reset(&f->text);
		code = read_steps(f, rd, from, at, 0, true, &more, err);
		if (code || f->w->count == before || from == first)
			break;
	}
	return code;
}

/* A row that cannot be read but is known to be there. */
static void
fill_damaged(struct filling *f, int64_t at)
{
	f->w->row[f->w->count++] = (struct ts_trace_row){.at = at,
		.step = f->t->first_step + (at - f->t->step.first),
		.run = TS_UNKNOWN,
		.program = TS_UNKNOWN,
		.class_of = TS_CLASS_CONTROL,
		.damaged = true,
		.active_tiles = TS_UNKNOWN,
		.balance = -1};
}

/* Rows [from, to) one by one, behind damage; where steps are dense all of them are known to be there. */
static enum ts_code
read_singly(struct filling *f, struct ts_reader *rd, int64_t from, int64_t to)
{
	int cap = f->cap;
	enum ts_code code = TS_OK;
	bool more;

	for (int64_t at = from; at < to && f->w->count < cap; at++) {
		int count = f->w->count;

		f->cap = count + 1;
		code = read_steps(f, rd, at, at + 1, 0, false, &more, NULL);
		if (code && code != TS_E_DAMAGED)
			break;
		code = TS_OK;
		if (f->w->count == count)
			fill_damaged(f, at);
	}
	f->cap = cap;
	return code;
}

/* The index knows the row id of every row. */
static enum ts_code
read_numbered(struct filling *f, struct ts_reader *rd, int64_t row, int before, int after,
	struct ts_err *err)
{
	int64_t from = ts_max_i64(row - before, 0), at;
	bool more = false;
	enum ts_code code = ts_steps_rowid(&at, &f->t->steps, rd, from, err);

	f->w->first_row = from;
	f->w->at_begin = from == 0;
	f->cap = (int)(row - from) + after;
	if (!code && from < f->t->rows)
		code = read_steps(f, rd, at, trace_add(f->t->step.last, 1), 0, false, &more, err);
	f->w->at_end = !more && !code;
	return code;
}

static enum ts_code
read_window_steps(struct filling *f, struct ts_reader *rd, int64_t row, int64_t at, int before,
	int after, struct ts_err *err)
{
	struct ts_trace_window *w = f->w;
	const struct ts_trace_axis *a = &f->t->step;
	enum ts_code code = TS_OK;
	bool more = false;
	int64_t end;

	if (a->range == TS_RANGE_ALL) {
		row = ts_max_i64(row - before, 0);
		f->cap = before + after;
		code = read_steps(f, rd, 0, 0, row, false, &more, err);
		w->first_row = row;
		w->at_begin = row == 0;
		w->at_end = !more && !code;
		return code;
	}
	if (f->t->numbered)
		return read_numbered(f, rd, ts_clamp_i64(row, 0, f->t->rows), before, after, err);
	end = trace_add(a->last, 1);
	at = ts_clamp_i64(at, a->first, end);
	code = read_before(f, rd, at, before, err);
	w->first_row = row - w->count;
	f->cap = w->count + after;
	if (!code && after > 0)
		code = read_steps(f, rd, at, end, 0, false, &more, err);
	if (code == TS_E_DAMAGED && f->t->dense && a->range == TS_RANGE_ROWID) {
		enum ts_code single = read_singly(f, rd, at + w->count, end);

		code = single ? single : code;
	}
	w->at_begin = w->count > 0 && (w->row[0].at == a->first || w->first_row < 0);
	w->at_end = !more && !code;
	return code;
}

/* --- joined with an IPU's rows ---------------------------------------------------------------- */

enum {
	P_STEP,
	P_IPU,
	P_CYCLES,
	P_START,
	P_END,
	P_TILES,
	P_BALANCE,
	P_ACTIVE_BALANCE,
	P_IN,
	P_OUT,
	P_START_MAX,
	P_END_MIN,
	P_COLUMNS
};

static const int part_columns[P_COLUMNS] = {TS_STEP_IPU_STEP, TS_STEP_IPU_IPU, TS_STEP_IPU_CYCLES,
	TS_STEP_IPU_START, TS_STEP_IPU_END, TS_STEP_IPU_ACTIVE_TILES, TS_STEP_IPU_TILE_BALANCE,
	TS_STEP_IPU_ACTIVE_TILE_BALANCE, TS_STEP_IPU_DATA_IN, TS_STEP_IPU_DATA_OUT,
	TS_STEP_IPU_ACTIVE_START_MAX, TS_STEP_IPU_ACTIVE_END_MIN};

/* A share of 0 .. 1; else -1. */
static double
share_at(struct ts_rows *rows, int column)
{
	double v;

	return ts_rows_real(rows, column, &v) == TS_VALUE_OK && v >= 0 && v <= 1 ? v : -1;
}

static void
join_row(struct ts_trace_row *row, struct ts_rows *rows)
{
	if (row->here || ts_rows_number(rows, P_CYCLES, &row->cycles) != TS_VALUE_OK ||
		ts_rows_number(rows, P_START, &row->start) != TS_VALUE_OK ||
		ts_rows_number(rows, P_END, &row->end) != TS_VALUE_OK)
		return;
	row->here = true;
	row->active_tiles = ts_rows_known(rows, P_TILES);
	row->balance = share_at(rows, P_BALANCE);
	row->active_balance = share_at(rows, P_ACTIVE_BALANCE);
	row->data_in = ts_rows_known(rows, P_IN);
	row->data_out = ts_rows_known(rows, P_OUT);
	row->active_start_max = ts_rows_known(rows, P_START_MAX);
	row->active_end_min = ts_rows_known(rows, P_END_MIN);
}

static int
by_step(const void *a, const void *b)
{
	const struct ts_trace_row *const *x = a, *const *y = b;

	return (*x)->step < (*y)->step ? -1 : (*x)->step > (*y)->step;
}

/* Rows of step_ipu for the steps of order[0..n), which rise. */
static enum ts_code
join_range(struct ts_trace_row **order, size_t n, struct ts_reader *rd, const struct ts_trace *t,
	int64_t ipu, struct ts_err *err)
{
	struct ts_rows_query q = {.column_count = P_COLUMNS};
	int64_t to = order[n - 1]->step + 1, step, who;
	struct ts_rows *rows;
	enum ts_code code;
	size_t i = 0;
	bool there, sorted = trace_rises(t, rd, TS_STEP_IPU);

	memcpy(q.columns, part_columns, sizeof(part_columns));
	code = trace_keys_open(&rows, rd, t, TS_STEP_IPU, &q, order[0]->step, to, err);
	if (code)
		return code;
	while (!(code = ts_rows_next(rows, &there, err)) && there) {
		if (ts_rows_number(rows, P_STEP, &step) != TS_VALUE_OK)
			continue;
		if (step >= to && sorted)
			break;
		if (ts_rows_number(rows, P_IPU, &who) != TS_VALUE_OK || who != ipu)
			continue;
		if (!sorted)
			i = 0;
		while (i < n && order[i]->step < step)
			i++;
		for (size_t k = i; k < n && order[k]->step == step; k++)
			join_row(order[k], rows);
	}
	ts_rows_close(rows);
	return code;
}

/* Some of the rows are damaged: step by step, those that can be read. */
static enum ts_code
join_singly(struct ts_trace_row **order, size_t n, struct ts_reader *rd, const struct ts_trace *t,
	int64_t ipu)
{
	for (size_t i = 0; i < n; i++) {
		enum ts_code code = order[i]->here ? TS_OK
						   : join_range(order + i, 1, rd, t, ipu, NULL);

		if (code && code != TS_E_DAMAGED)
			return code;
		order[i]->damaged |= code == TS_E_DAMAGED;
	}
	return TS_OK;
}

static enum ts_code
join(struct ts_trace_window *w, struct ts_reader *rd, const struct ts_trace *t, struct ts_err *err)
{
	struct ts_trace_row **order = ts_alloc((size_t)w->count, sizeof(*order));
	int64_t gap = trace_rises(t, rd, TS_STEP_IPU) ? 4 * (int64_t)w->count : INT64_MAX;
	enum ts_code code = TS_OK, damaged = TS_OK;
	size_t n = 0;

	if (!order)
		return ts_err_nomem(err);
	for (int i = 0; i < w->count; i++)
		if (w->row[i].step != TS_UNKNOWN)
			order[n++] = &w->row[i];
	if (n > 0)
		qsort(order, n, sizeof(*order), by_step);
	for (size_t i = 0, k; i < n && !code; i += k) {
		for (k = 1; i + k < n && order[i + k]->step - order[i + k - 1]->step <= gap;)
			k++;
		code = join_range(order + i, k, rd, t, w->ipu, err);
		if (code == TS_E_DAMAGED && !t->forwards) {
			damaged = code;
			code = join_singly(order + i, k, rd, t, w->ipu);
		}
	}
	free(order);
	return code ? code : damaged;
}

static int
by_ipu(const void *a, const void *b)
{
	const struct ts_trace_part *x = a, *y = b;

	return x->ipu < y->ipu ? -1 : x->ipu > y->ipu;
}

/* The cursor's row, if it is one of the step; false: it is of a later one. */
static bool
keep_part(struct ts_trace_part *part, int *n, struct ts_rows *rows, int64_t wanted)
{
	struct ts_trace_part *p = &part[*n];
	int64_t step, ipu;

	if (ts_rows_number(rows, P_STEP, &step) != TS_VALUE_OK || step < wanted)
		return true;
	if (step > wanted)
		return false;
	if (ts_rows_number(rows, P_IPU, &ipu) != TS_VALUE_OK || *n == TS_IPUS_MAX)
		return true;
	for (int i = 0; i < *n; i++)
		if (part[i].ipu == ipu)
			return true;
	*p = (struct ts_trace_part){.ipu = ipu, .of.step = step};
	join_row(&p->of, rows);
	*n += p->of.here;
	return true;
}

enum ts_code
ts_trace_step_read(struct ts_trace_part **part, int *n, struct ts_reader *rd,
	const struct ts_trace *t, int64_t step, struct ts_err *err)
{
	struct ts_rows_query q = {.column_count = P_COLUMNS};
	bool there, sorted = t->has_parts && trace_rises(t, rd, TS_STEP_IPU);
	struct ts_rows *rows;
	enum ts_code code;

	*n = 0;
	*part = ts_alloc(TS_IPUS_MAX + 1, sizeof(**part));
	if (!*part)
		return ts_err_nomem(err);
	if (!t->has_parts)
		return TS_OK;
	memcpy(q.columns, part_columns, sizeof(part_columns));
	code = trace_keys_open(&rows, rd, t, TS_STEP_IPU, &q, step, trace_add(step, 1), err);
	if (code)
		return code;
	while (!(code = ts_rows_next(rows, &there, err)) && there)
		if (!keep_part(*part, n, rows, step) && sorted)
			break;
	ts_rows_close(rows);
	qsort(*part, (size_t)*n, sizeof(**part), by_ipu);
	return code;
}

enum ts_code
ts_trace_window_read(struct ts_trace_window *w, struct ts_reader *rd, const struct ts_trace *t,
	int64_t ipu, int64_t row, int64_t at, int before, int after, struct ts_err *err)
{
	struct filling f = {.w = w, .t = t};
	enum ts_code code, bad;

	*w = (struct ts_trace_window){.ipu = ipu};
	before = (int)ts_clamp_i64(before, 0, TS_TRACE_WINDOW / 2);
	after = (int)ts_clamp_i64(after, 0, TS_TRACE_WINDOW / 2);
	w->row = ts_alloc((size_t)before + (size_t)after + 1, sizeof(*w->row));
	if (!w->row)
		return ts_err_nomem(err);
	ts_strbuf_init(&f.text, TS_TRACE_TEXT);
	code = t->numbered ? TS_OK : trace_ahead_window(rd, t, at, before, after, err);
	if (!code)
		code = read_window_steps(&f, rd, row, at, before, after, err);
	if (w->count > 0 && t->has_parts && (!code || code == TS_E_DAMAGED)) {
		bad = join(w, rd, t, code ? NULL : err);
		code = code ? code : bad;
	}
	w->text_n = f.text.len;
	w->text = ts_strbuf_take(&f.text);
	if (!w->text && !code)
		code = ts_err_nomem(err);
	if (!w->text)
		w->count = 0;
	ts_strbuf_fini(&f.text);
	return code;
}

void
ts_trace_window_fini(struct ts_trace_window *w)
{
	free(w->row);
	free(w->text);
	*w = (struct ts_trace_window){0};
}

/* --- finding ---------------------------------------------------------------------------------- */

enum ts_code
ts_trace_find_step(int64_t *row, int64_t *at, bool *found, struct ts_reader *rd,
	const struct ts_trace *t, int64_t step, struct ts_err *err)
{
	struct ts_rows_query q = {.columns = {TS_STEP_STEP}, .column_count = 1};
	int64_t key, position = -1;
	struct ts_rows *rows;
	enum ts_code code;
	bool there;

	*found = false;
	if (t->dense && step >= t->first_step && step <= t->last_step) {
		*row = step - t->first_step;
		*at = ts_trace_row_at(t, *row);
		*found = true;
		return TS_OK;
	}
	if (t->step.range == TS_RANGE_ALL)
		code = ts_reader_rows(&rows, rd, TS_STEP, &q, err);
	else
		code = trace_keys_open(&rows, rd, t, TS_STEP, &q, step, trace_add(step, 1), err);
	if (code)
		return code;
	while (!*found && !(code = ts_rows_next(rows, &there, err)) && there) {
		position++;
		if (ts_rows_number(rows, 0, &key) != TS_VALUE_OK || key != step)
			continue;
		*found = true;
		if (t->step.range == TS_RANGE_ALL)
			*at = position;
		else if (t->step.range != TS_RANGE_ROWID || !ts_rows_rowid(rows, at))
			*at = step;
		*row = t->step.range == TS_RANGE_ALL ? position : *at - t->step.first;
	}
	ts_rows_close(rows);
	if (!code && *found && t->numbered)
		code = ts_steps_row(row, &t->steps, rd, *at, err);
	return code;
}

/* --- the step at a time ------------------------------------------------------------------------ */

/* The best row of a piece: one that runs at the time, else the last one before. */
static const struct trace_part *
best_part(const struct trace_parts *parts, int64_t ipu, int64_t cycles)
{
	const struct trace_part *running = NULL, *before = NULL;

	for (size_t i = 0; i < parts->n; i++) {
		const struct trace_part *p = &parts->p[i];

		if (p->ipu != ipu || p->start > cycles || p->end <= p->start)
			continue;
		if (p->end > cycles && (!running || p->start >= running->start))
			running = p;
		if (!before || p->start >= before->start)
			before = p;
	}
	return running ? running : before;
}

static enum ts_code
part_at_forwards(struct trace_part *part, bool *found, struct ts_reader *rd,
	const struct ts_trace *t, int64_t ipu, int64_t cycles, struct ts_err *err)
{
	struct trace_part two[2];
	struct trace_parts best = {0, 2, two};
	struct ts_rows *rows;
	enum ts_code code = trace_parts_open(&rows, rd, t, 0, 0, err);
	bool there;

	if (code)
		return code;
	while (!(code = ts_rows_next(rows, &there, err)) && there) {
		const struct trace_part *p;

		if (!trace_part_get(&two[best.n], rows, t))
			continue;
		best.n++;
		p = best_part(&best, ipu, cycles);
		if (p) {
			two[0] = *p;
			*found = true;
			*part = *p;
		}
		best.n = p ? 1 : 0;
	}
	ts_rows_close(rows);
	return code;
}

/* What stands between two places of which one is at or before the time; more before it until there is a row. */
static enum ts_code
part_near(struct trace_part *part, bool *found, struct ts_reader *rd, const struct ts_trace *t,
	const struct trace_anchors *k, int64_t ipu, int64_t cycles, struct ts_err *err)
{
	struct trace_place low = trace_place_first(t), high = trace_place_end(t);
	int64_t back = 128 / t->part.per + 1, ignored = 0;
	enum ts_code code;

	trace_anchors_tighten(k, ipu, cycles, &low, &high);
	code = trace_locate(&low, &high, rd, t, ipu, cycles, ts_max_i64(64 / t->part.per, 1), err);
	while (!code && !*found) {
		int64_t from = low.at - t->part.first > back ? low.at - back : t->part.first;
		struct trace_parts parts = {0};
		const struct trace_part *p;

		code = trace_parts_read(&parts, rd, t, from, high.at, 0, &ignored, err);
		p = best_part(&parts, ipu, cycles);
		if ((!code || code == TS_E_DAMAGED) && p) {
			*found = true;
			*part = *p;
			code = TS_OK;
		}
		trace_parts_fini(&parts);
		if (from == t->part.first || back * t->part.per > SEARCH_ROWS)
			break;
		back *= 8;
	}
	return code;
}

enum ts_code
trace_part_at(struct trace_part *part, bool *found, struct ts_reader *rd, const struct ts_trace *t,
	const struct trace_anchors *k, int64_t ipu, int64_t cycles, struct ts_err *err)
{
	struct trace_anchors own = {0};
	enum ts_code code = TS_OK;

	*found = false;
	if (!t->has_parts)
		return TS_OK;
	if (t->part.range == TS_RANGE_ALL)
		return part_at_forwards(part, found, rd, t, ipu, cycles, err);
	if (!k)
		code = trace_anchors_range(&own, rd, t, ipu, cycles, trace_add(cycles, 1), err);
	if (!code)
		code = part_near(part, found, rd, t, k ? k : &own, ipu, cycles, err);
	trace_anchors_fini(&own);
	return code;
}

enum ts_code
ts_trace_step_at(int64_t *step, bool *found, struct ts_reader *rd, const struct ts_trace *t,
	int64_t ipu, int64_t cycles, struct ts_err *err)
{
	struct trace_part part;
	enum ts_code code = trace_part_at(&part, found, rd, t, NULL, ipu, cycles, err);

	if (*found)
		*step = part.step;
	return code;
}
