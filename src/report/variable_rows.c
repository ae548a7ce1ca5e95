/* SPDX-License-Identifier: MIT */
/*
 * variable_rows - windows of rows of variables; see variables.h.
 *
 * A window is put together of runs: places that follow each other, up or down, are one query over a
 * range of row ids; a window of a sorted list is as many queries of one row. Without row ids it is one
 * reading from the begin that picks what was asked for.
 */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "tilescope/base/mem.h"
#include "tilescope/report/variables.h"

enum { PROGRESS_ROWS = 8192 };

/* --- windows ---------------------------------------------------------------------------------- */

enum {
	Q_ID,
	Q_TILE,
	Q_NAME,
	Q_BYTES,
	Q_OFFSET,
	Q_ALIGNMENT,
	Q_CATEGORY,
	Q_CLASS,
	Q_VARIABLE,
	Q_ALWAYS_LIVE,
	Q_TYPE,
	Q_CONTEXT,
	Q_COUNT
};

static const int columns[Q_COUNT] = {
	[Q_ID] = TS_LOWERED_VARIABLE_ID,
	[Q_TILE] = TS_LOWERED_VARIABLE_TILE,
	[Q_NAME] = TS_LOWERED_VARIABLE_NAME,
	[Q_BYTES] = TS_LOWERED_VARIABLE_BYTES,
	[Q_OFFSET] = TS_LOWERED_VARIABLE_OFFSET,
	[Q_ALIGNMENT] = TS_LOWERED_VARIABLE_ALIGNMENT,
	[Q_CATEGORY] = TS_LOWERED_VARIABLE_CATEGORY,
	[Q_CLASS] = TS_LOWERED_VARIABLE_CLASS,
	[Q_VARIABLE] = TS_LOWERED_VARIABLE_VARIABLE,
	[Q_ALWAYS_LIVE] = TS_LOWERED_VARIABLE_ALWAYS_LIVE,
	[Q_TYPE] = TS_LOWERED_VARIABLE_ELEMENT_TYPE,
	[Q_CONTEXT] = TS_LOWERED_VARIABLE_CONTEXT,
};

/* Which member of a row a number goes to. */
static const struct {
	int column;
	size_t offset;
} numbers[] = {
	{Q_ID, offsetof(struct ts_variable, id)},
	{Q_TILE, offsetof(struct ts_variable, tile)},
	{Q_BYTES, offsetof(struct ts_variable, bytes)},
	{Q_OFFSET, offsetof(struct ts_variable, offset)},
	{Q_ALIGNMENT, offsetof(struct ts_variable, alignment)},
	{Q_CATEGORY, offsetof(struct ts_variable, category)},
	{Q_CLASS, offsetof(struct ts_variable, class_of)},
	{Q_VARIABLE, offsetof(struct ts_variable, variable)},
	{Q_CONTEXT, offsetof(struct ts_variable, context)},
};

struct filling {
	struct ts_variable_window *w;
	const struct ts_variables *v;
	struct ts_reader *rd;
	const int64_t *place;
	struct ts_progress *progress;
	int slot[Q_COUNT]; /* column of the query, or -1 */
};

/* Places that follow each other: window rows [at, at + count), the lowest place first or last. */
struct run {
	int at, count;
	int64_t low;
	bool down;
};

static void
add_text(struct filling *f, uint32_t *at, uint32_t *n, const char *s, size_t bytes)
{
	*at = (uint32_t)f->w->text.len;
	ts_strbuf_add(&f->w->text, s, bytes < TS_VARIABLE_NAME_MAX ? bytes : TS_VARIABLE_NAME_MAX);
	*n = (uint32_t)(f->w->text.len - *at);
}

static bool
number_at(const struct filling *f, struct ts_rows *rows, int column, int64_t *v)
{
	return f->slot[column] >= 0 && ts_rows_number(rows, f->slot[column], v) == TS_VALUE_OK;
}

static bool
text_at(const struct filling *f, struct ts_rows *rows, int column, const char **s, size_t *n)
{
	return f->slot[column] >= 0 && ts_rows_text(rows, f->slot[column], s, n) == TS_VALUE_OK;
}

void
ts_variables_add_facts(const struct ts_variables *v, struct ts_variable *x)
{
	struct ts_variable_spread s;
	bool spread = ts_variable_spread(&s, v->facts, x->variable);
	struct ts_variable_life life;
	bool alive = ts_variable_life(&life, v->facts, x->class_of, x->variable, x->always_live);

	x->from = alive ? life.from : TS_UNKNOWN;
	x->to = alive ? life.to : TS_UNKNOWN;
	x->steps = alive ? life.steps : TS_UNKNOWN;
	x->tiles = spread ? s.tiles : TS_UNKNOWN;
	x->pieces = spread ? s.pieces : TS_UNKNOWN;
	x->fullest = spread ? s.fullest : TS_UNKNOWN;
	x->fullest_tile = spread ? s.fullest_tile : TS_UNKNOWN;
	x->balance = spread ? ts_variable_balance(&s) : TS_UNKNOWN;
}

static void
fill_row(struct filling *f, struct ts_variable *x, struct ts_rows *rows)
{
	char unnamed[40];
	const char *s;
	int64_t v;
	size_t n;

	for (size_t i = 0; i < TS_COUNT(numbers); i++) {
		int64_t *to = (int64_t *)(void *)((char *)x + numbers[i].offset);

		*to = number_at(f, rows, numbers[i].column, &v) ? v : TS_UNKNOWN;
	}
	x->state = TS_VARIABLE_OK;
	if (!ts_rows_rowid(rows, &x->rowid))
		x->rowid = TS_UNKNOWN;
	x->ipu = ts_variables_ipu(f->v, x->tile);
	x->always_live = number_at(f, rows, Q_ALWAYS_LIVE, &v) ? v != 0 : -1;
	x->has_name = text_at(f, rows, Q_NAME, &s, &n);
	if (x->has_name)
		add_text(f, &x->name, &x->name_n, s, n);
	if (text_at(f, rows, Q_CATEGORY, &s, &n))
		add_text(f, &x->category_name, &x->category_name_n, s, n);
	else if (x->category != TS_UNKNOWN) {
		s = ts_variables_category(f->v, x->category, unnamed, &n);
		add_text(f, &x->category_name, &x->category_name_n, s, n);
	}
	if (text_at(f, rows, Q_TYPE, &s, &n))
		add_text(f, &x->type, &x->type_n, s, n);
	ts_variables_add_facts(f->v, x);
}

static enum ts_code
open_rows(struct ts_rows **rows, struct filling *f, int64_t from, int64_t to, int64_t limit,
	struct ts_err *err)
{
	struct ts_rows_query q = {.range = f->v->range,
		.from = from,
		.to = to,
		.limit = limit,
		.past_damage = true};

	for (int i = 0; i < Q_COUNT; i++) {
		int column = ts_variables_column(f->v, columns[i]);

		f->slot[i] = column < 0 ? -1 : q.column_count;
		if (column >= 0)
			q.columns[q.column_count++] = column;
	}
	return ts_reader_rows(rows, f->rd, f->v->relation, &q, err);
}

/* Row ids [from, to) that hold the run, and how many rows before its first are to be skipped. */
static void
run_range(const struct ts_variables *v, const struct run *r, int64_t *from, int64_t *to,
	int64_t *skip)
{
	const int64_t *anchor = v->anchor.memory;

	*skip = 0;
	*from = v->first + r->low;
	*to = *from + r->count;
	if (v->anchor.used == 0)
		return;
	*skip = r->low % TS_VARIABLES_ANCHOR;
	*from = anchor[r->low / TS_VARIABLES_ANCHOR];
	*to = INT64_MAX;
}

static enum ts_code
read_run(struct filling *f, const struct run *r, struct ts_err *err)
{
	int64_t from, to, skip, place, limit, rowid;
	struct ts_rows *rows;
	enum ts_code code;
	bool there;

	run_range(f->v, r, &from, &to, &skip);
	limit = skip + r->count;
	code = open_rows(&rows, f, from, to, limit, err);
	if (code)
		return code;
	for (place = r->low - skip; !(code = ts_rows_next(rows, &there, err)) && there; place++) {
		int64_t i = place - r->low;

		if (f->v->anchor.used == 0 && ts_rows_rowid(rows, &rowid))
			i = rowid - from;
		if (i >= 0 && i < r->count)
			fill_row(f, &f->w->row[r->down ? r->at + r->count - 1 - i : r->at + i],
				rows);
	}
	ts_rows_close(rows);
	return code;
}

/* What a damaged page left out, row by row. */
static enum ts_code
read_singly(struct filling *f, const struct run *r, struct ts_err *err)
{
	enum ts_code code = TS_OK;

	for (int i = 0; i < r->count && !code; i++) {
		struct run one = {r->at + i, 1, f->place[r->at + i], false};

		if (f->w->row[one.at].state != TS_VARIABLE_MISSING)
			continue;
		code = read_run(f, &one, err);
		if (code == TS_E_DAMAGED) {
			f->w->row[one.at].state = TS_VARIABLE_DAMAGED;
			code = TS_OK;
		}
	}
	return code;
}

static struct run
next_run(const int64_t *place, int at, int count)
{
	struct run r = {at, 1, place[at], false};

	while (at + r.count < count && place[at] <= INT64_MAX - r.count &&
		place[at + r.count] == place[at] + r.count)
		r.count++;
	if (r.count > 1)
		return r;
	while (at + r.count < count && place[at] >= r.count &&
		place[at + r.count] == place[at] - r.count)
		r.count++;
	r.down = r.count > 1;
	r.low = place[at] - (r.down ? r.count - 1 : 0);
	return r;
}

static enum ts_code
read_runs(struct filling *f, int count, struct ts_err *err)
{
	enum ts_code code = TS_OK;

	for (int at = 0; at < count && !code;) {
		struct run r = next_run(f->place, at, count);

		at += r.count;
		if (r.low < 0 || r.low >= f->v->rows || r.count > f->v->rows - r.low)
			continue;
		code = read_run(f, &r, err);
		if (code == TS_E_DAMAGED)
			code = read_singly(f, &r, err);
	}
	return code;
}

/* --- forwards --------------------------------------------------------------------------------- */

struct wanted {
	int64_t place;
	int at;
};

static int
by_place(const void *a, const void *b)
{
	const struct wanted *x = a, *y = b;

	return x->place < y->place ? -1 : x->place > y->place;
}

static enum ts_code
pick_rows(struct filling *f, const struct wanted *want, int count, struct ts_err *err)
{
	struct ts_rows *rows;
	enum ts_code code = open_rows(&rows, f, 0, 0, want[count - 1].place + 1, err);
	bool there;
	int k = 0;

	if (code)
		return code;
	for (int64_t i = 0; !(code = ts_rows_next(rows, &there, err)) && there; i++) {
		for (; k < count && want[k].place < i; k++)
			;
		for (; k < count && want[k].place == i; k++)
			fill_row(f, &f->w->row[want[k].at], rows);
		if (i % PROGRESS_ROWS == 0)
			ts_progress_set(f->progress, i, want[count - 1].place + 1);
	}
	ts_rows_close(rows);
	for (; code == TS_E_DAMAGED && k < count; k++)
		f->w->row[want[k].at].state = TS_VARIABLE_DAMAGED;
	return code == TS_E_DAMAGED ? TS_OK : code;
}

static enum ts_code
read_forwards(struct filling *f, int count, struct ts_err *err)
{
	struct wanted *want = ts_alloc((size_t)count, sizeof(*want));
	enum ts_code code = TS_OK;
	int n = 0;

	if (!want)
		return ts_err_nomem(err);
	for (int i = 0; i < count; i++)
		if (f->place[i] >= 0)
			want[n++] = (struct wanted){f->place[i], i};
	qsort(want, (size_t)n, sizeof(*want), by_place);
	if (n > 0)
		code = pick_rows(f, want, n, err);
	free(want);
	return code;
}

enum ts_code
ts_variables_read(struct ts_variable_window *w, struct ts_reader *rd, const struct ts_variables *v,
	const int64_t *place, int count, struct ts_progress *progress, struct ts_err *err)
{
	struct filling f = {.w = w, .v = v, .rd = rd, .place = place, .progress = progress};
	enum ts_code code;

	*w = (struct ts_variable_window){0};
	ts_strbuf_init(&w->text, TS_VARIABLES_TEXT);
	if (count <= 0 || count > TS_VARIABLES_WINDOW)
		return TS_OK;
	w->row = ts_alloc((size_t)count, sizeof(*w->row));
	if (!w->row)
		return ts_err_nomem(err);
	w->count = count;
	for (int i = 0; i < count; i++)
		w->row[i].place = place[i];
	code = v->range == TS_RANGE_ALL ? read_forwards(&f, count, err) : read_runs(&f, count, err);
	if (!code && w->text.nomem)
		code = ts_err_nomem(err);
	for (int i = 0; !code && i < count; i++)
		w->gap |= !v->counted && place[i] >= 0 && place[i] < v->rows &&
			w->row[i].state == TS_VARIABLE_MISSING;
	return code;
}

void
ts_variable_window_fini(struct ts_variable_window *w)
{
	free(w->row);
	ts_strbuf_fini(&w->text);
	*w = (struct ts_variable_window){0};
}
