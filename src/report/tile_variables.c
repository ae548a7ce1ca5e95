/* SPDX-License-Identifier: MIT */
/*
 * tile_variables - see the header.
 *
 * The largest are kept in a heap whose root is the smallest of them. Texts of a row are read only when it
 * enters, texts of another table only for those that stay.
 */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "tilescope/base/mem.h"
#include "tilescope/report/index_variables.h"
#include "tilescope/report/names.h"
#include "tilescope/report/rows.h"
#include "tilescope/report/tile_variables.h"

enum { V_TILE, V_BYTES, V_CATEGORY, V_NAME, V_OFFSET, V_ID, V_VARIABLE, V_CLASS, V_COLUMNS };

static const int variable_columns[V_COLUMNS] = {TS_LOWERED_VARIABLE_TILE, TS_LOWERED_VARIABLE_BYTES,
	TS_LOWERED_VARIABLE_CATEGORY, TS_LOWERED_VARIABLE_NAME, TS_LOWERED_VARIABLE_OFFSET,
	TS_LOWERED_VARIABLE_ID, TS_LOWERED_VARIABLE_VARIABLE, TS_LOWERED_VARIABLE_CLASS};

enum { PROGRESS_ROWS = 8192, CLOSE = 8, NAME_TEXT = 1 << 20, LOOK = 16 };

struct variables_pass {
	struct ts_tile_variables *v;
	struct ts_rows *rows;
	bool looked_up; /* a name is a number of another table's row */
};

/* --- where the rows are ----------------------------------------------------------------------- */

static const struct ts_column_binding *
name_binding(const struct ts_report *r)
{
	return &r->binding[TS_LOWERED_VARIABLE].column[TS_LOWERED_VARIABLE_NAME];
}

static bool
is_keyed(const struct ts_report *r)
{
	return ts_report_has(r, TS_LOWERED_VARIABLE) &&
		r->binding[TS_LOWERED_VARIABLE].reach.key != TS_REACH_NONE;
}

/* Row ids from the first to the last of a tile: how many, at most. */
static int64_t
row_span(const struct ts_tile_rows *t)
{
	uint64_t span = (uint64_t)t->last - (uint64_t)t->first;

	return t->first > t->last ? 0 : span < INT64_MAX ? (int64_t)span + 1 : INT64_MAX;
}

/* May they be read one after the other, without a key? */
static bool
stand_close(const struct ts_tile_rows *t)
{
	return t->flags & TS_TILE_ROWS_TOGETHER || row_span(t) / CLOSE <= (int64_t)t->rows;
}

bool
ts_tile_variables_quick(const struct ts_report *r, const struct ts_index *x, int64_t tile)
{
	struct ts_index_variables v;
	const struct ts_tile_rows *t;

	if (is_keyed(r))
		return true;
	if (!ts_index_variables(&v, x) || !v.has_row_ids)
		return false;
	t = ts_index_variables_tile(&v, tile);
	return !t || stand_close(t);
}

/* With the index that is where they stand, but for a tile whose rows are strewn about and have a key. */
bool
ts_tile_variables_plan(struct ts_rows_query *q, int64_t *total, const struct ts_reader *rd,
	int64_t tile)
{
	const struct ts_reach *reach = &rd->report->binding[TS_LOWERED_VARIABLE].reach;
	struct ts_index_variables v;
	const struct ts_tile_rows *t = NULL;

	*total = ts_reach_span(reach);
	if (ts_index_variables(&v, rd->index)) {
		t = ts_index_variables_tile(&v, tile);
		if (!t)
			return false;
	}
	if (t && v.has_row_ids && t->last < INT64_MAX &&
		(stand_close(t) || reach->key == TS_REACH_NONE ||
			reach->key == TS_REACH_MONOTONE)) {
		q->range = TS_RANGE_ROWID;
		q->from = t->first;
		q->to = t->last + 1;
		*total = row_span(t);
	} else if (is_keyed(rd->report) && tile < TS_NUMBER_MAX) {
		q->range = TS_RANGE_KEY;
		q->from = tile;
		q->to = tile + 1;
	}
	return true;
}

/* --- the largest ------------------------------------------------------------------------------ */

/* Is x to be shown behind y? */
static bool
behind(const struct ts_tile_variable *x, const struct ts_tile_variable *y)
{
	return x->bytes != y->bytes ? x->bytes < y->bytes : x->row > y->row;
}

static void
forget(struct ts_tile_variable *x)
{
	free(x->name);
	*x = (struct ts_tile_variable){0};
}

static void
swap(struct ts_tile_variable *x, struct ts_tile_variable *y)
{
	struct ts_tile_variable t = *x;

	*x = *y;
	*y = t;
}

static void
sift_up(struct ts_tile_variable *heap, int i)
{
	for (; i > 0 && behind(&heap[i], &heap[(i - 1) / 2]); i = (i - 1) / 2)
		swap(&heap[i], &heap[(i - 1) / 2]);
}

static void
sift_down(struct ts_tile_variable *heap, int n, int i)
{
	for (;;) {
		int child = 2 * i + 1;

		if (child >= n)
			return;
		if (child + 1 < n && behind(&heap[child + 1], &heap[child]))
			child++;
		if (!behind(&heap[child], &heap[i]))
			return;
		swap(&heap[child], &heap[i]);
		i = child;
	}
}

/* A name, as long as there is room for whole ones. */
static char *
copy_name(struct ts_tile_variables *v, const char *s, size_t n, bool *no_memory)
{
	static const char cut[] = "\xe2\x80\xa6";
	size_t most = v->named > TS_TILE_VARIABLES_TEXT ? TS_TILE_VARIABLE_SHORT
							: TS_TILE_VARIABLE_NAME;
	bool is_short = n > most && most == TS_TILE_VARIABLE_SHORT;
	char *copy;

	n = n < most ? n : most;
	copy = ts_alloc(n + sizeof(cut), 1);
	*no_memory |= !copy;
	if (!copy)
		return NULL;
	memcpy(copy, s, n);
	if (is_short)
		memcpy(copy + n, cut, sizeof(cut));
	v->named += strlen(copy) + 1;
	return copy;
}

/* Count the row for its category; its index, or negative. */
static int
add_category(struct variables_pass *p, int64_t bytes)
{
	struct ts_tile_variables *v = p->v;
	int category = ts_category_of(v->categories, p->rows, V_CATEGORY);

	if (category >= 0 && v->category_bytes[category] != TS_UNKNOWN &&
		!ts_add_i64(&v->category_bytes[category], bytes))
		v->category_bytes[category] = TS_UNKNOWN;
	return category;
}

static int64_t
number_of(const struct variables_pass *p, int column)
{
	int64_t v;

	return ts_rows_number(p->rows, column, &v) == TS_VALUE_OK ? v : TS_UNKNOWN;
}

/* For one more. */
static bool
make_room(struct ts_tile_variables *v)
{
	void *p = v->variable;
	bool made = ts_room(&p, &v->room, (size_t)v->count, sizeof(*v->variable));

	v->variable = p;
	return made;
}

/* Keep the cursor's row if it is among the largest. */
static enum ts_code
keep(struct variables_pass *p, int64_t bytes, int category, struct ts_err *err)
{
	struct ts_tile_variables *v = p->v;
	struct ts_tile_variable x = {.bytes = bytes, .row = v->found};
	bool no_memory = false;
	const char *s;
	size_t n;

	if (v->count == TS_TILE_VARIABLES && !behind(&v->variable[0], &x))
		return TS_OK;
	if (p->looked_up)
		x.unnamed = ts_rows_number(p->rows, V_NAME, &x.key) == TS_VALUE_OK;
	else if (ts_rows_text(p->rows, V_NAME, &s, &n) == TS_VALUE_OK)
		x.name = copy_name(v, s, n, &no_memory);
	if (category >= 0)
		x.category = v->categories->name[category];
	x.offset = number_of(p, V_OFFSET);
	x.id = number_of(p, V_ID);
	x.variable = number_of(p, V_VARIABLE);
	x.class_of = number_of(p, V_CLASS);
	if (!ts_rows_rowid(p->rows, &x.rowid))
		x.rowid = TS_UNKNOWN;
	if (no_memory || (v->count < TS_TILE_VARIABLES && !make_room(v))) {
		forget(&x);
		return ts_err_nomem(err);
	}
	if (v->count < TS_TILE_VARIABLES) {
		v->variable[v->count] = x;
		sift_up(v->variable, v->count++);
	} else {
		v->named -= v->variable[0].name ? strlen(v->variable[0].name) + 1 : 0;
		forget(&v->variable[0]);
		v->variable[0] = x;
		sift_down(v->variable, v->count, 0);
	}
	return TS_OK;
}

static enum ts_code
add_row(struct variables_pass *p, struct ts_err *err)
{
	struct ts_tile_variables *v = p->v;
	enum ts_code code;
	int64_t bytes;

	if (ts_rows_number(p->rows, V_BYTES, &bytes) != TS_VALUE_OK) {
		v->bad_rows++;
		return TS_OK;
	}
	code = keep(p, bytes, add_category(p, bytes), err);
	if (v->categories->nomem)
		code = ts_err_nomem(err);
	v->found++;
	if (v->bytes != TS_UNKNOWN && !ts_add_i64(&v->bytes, bytes))
		v->bytes = TS_UNKNOWN;
	return code;
}

static enum ts_code
read_rows(struct variables_pass *p, int64_t total, struct ts_progress *progress, struct ts_err *err)
{
	int64_t rows = 0, tile;
	enum ts_code code;
	bool there;

	while (!(code = ts_rows_next(p->rows, &there, err)) && there) {
		if (++rows % PROGRESS_ROWS == 0)
			ts_progress_set(progress, rows, total);
		if (ts_rows_number(p->rows, V_TILE, &tile) == TS_VALUE_OK && tile == p->v->tile &&
			(code = add_row(p, err)))
			break;
	}
	return code;
}

/* From a heap to a list: the smallest to the end, again and again. */
static void
sort_heap(struct ts_tile_variables *v)
{
	for (int n = v->count; n > 1; n--) {
		swap(&v->variable[0], &v->variable[n - 1]);
		sift_down(v->variable, n - 1, 0);
	}
}

/* --- names ------------------------------------------------------------------------------------ */

/* Look up one name; *damage is set where that cannot be read. */
static enum ts_code
look_up(struct ts_tile_variables *v, struct ts_tile_variable *x, struct ts_reader *rd,
	struct ts_strbuf *text, enum ts_code *damage, struct ts_err *err)
{
	const struct ts_binding *b = &rd->report->binding[TS_LOWERED_VARIABLE];
	const struct ts_column_binding *cb = name_binding(rd->report);
	struct ts_err why;
	enum ts_code code;
	bool found, no_memory = false;

	ts_strbuf_reset(text);
	code = ts_reach_text(text, &found, &cb->dict, rd->db[b->source], x->key, cb->dict_text,
		&why);
	if (code && code != TS_E_DAMAGED) {
		if (err)
			*err = why;
		return code;
	}
	if (code) {
		*damage = code;
		if (err)
			*err = why;
	}
	x->unnamed = false;
	if (!code && found)
		x->name = copy_name(v, text->s, text->len, &no_memory);
	return no_memory ? ts_err_nomem(err) : TS_OK;
}

enum ts_code
ts_tile_variables_name(struct ts_tile_variables *v, struct ts_reader *rd, int from, int to,
	struct ts_err *err)
{
	enum ts_code code = TS_OK, damage = TS_OK;
	struct ts_strbuf text;

	ts_strbuf_init(&text, NAME_TEXT);
	for (int i = from; !code && i < to && i < v->count; i++)
		if (i % LOOK == 0 && ts_cancelled(rd->cancel))
			code = ts_err_set(err, TS_E_CANCELLED, "cancelled");
		else if (v->variable[i].unnamed)
			code = look_up(v, &v->variable[i], rd, &text, &damage, err);
	ts_strbuf_fini(&text);
	return code ? code : damage;
}

/* --- all of it -------------------------------------------------------------------------------- */

enum ts_code
ts_tile_variables_list(struct ts_tile_variables *v, struct ts_reader *rd, int64_t tile, int names,
	struct ts_progress *progress, struct ts_err *err)
{
	const struct ts_report *r = rd->report;
	struct ts_rows_query q = {.column_count = V_COLUMNS, .past_damage = true};
	struct variables_pass p = {.v = v, .looked_up = name_binding(r)->op == TS_OP_DICT};
	struct ts_err why;
	enum ts_code code, more;
	int64_t total;

	*v = (struct ts_tile_variables){.tile = tile};
	v->has_names = ts_report_has_column(r, TS_LOWERED_VARIABLE, TS_LOWERED_VARIABLE_NAME);
	v->has_categories = ts_report_has_column(r, TS_LOWERED_VARIABLE,
		TS_LOWERED_VARIABLE_CATEGORY);
	v->has_offsets = ts_report_has_column(r, TS_LOWERED_VARIABLE, TS_LOWERED_VARIABLE_OFFSET);
	v->categories = ts_alloc(1, sizeof(*v->categories));
	if (!v->categories)
		return ts_err_nomem(err);
	if (!ts_tile_variables_plan(&q, &total, rd, tile))
		return TS_OK;
	memcpy(q.columns, variable_columns, sizeof(variable_columns));
	code = ts_reader_rows(&p.rows, rd, TS_LOWERED_VARIABLE, &q, err);
	if (code)
		return code;
	/* names that cannot be read are not worth losing the variables for */
	code = ts_category_names_read(v->categories, rd, err);
	if (code == TS_OK || code == TS_E_DAMAGED)
		code = read_rows(&p, total, progress, err);
	sort_heap(v);
	ts_names_fini(&v->categories->read);
	ts_rows_close(p.rows);
	if (code && code != TS_E_DAMAGED)
		return code;
	more = ts_tile_variables_name(v, rd, 0, names, &why);
	if (more && !code && err)
		*err = why;
	return code ? code : more;
}

enum ts_code
ts_tile_variables_read(struct ts_tile_variables *v, struct ts_reader *rd, int64_t tile,
	struct ts_progress *progress, struct ts_err *err)
{
	return ts_tile_variables_list(v, rd, tile, TS_TILE_VARIABLES, progress, err);
}

void
ts_tile_variables_fini(struct ts_tile_variables *v)
{
	for (int i = 0; i < v->count; i++)
		forget(&v->variable[i]);
	free(v->variable);
	if (v->categories)
		ts_category_names_fini(v->categories);
	free(v->categories);
	*v = (struct ts_tile_variables){0};
}

enum ts_code
ts_tile_variable_bits(uint64_t *v, bool *found, struct ts_reader *rd, int64_t tile, int64_t row,
	int column, struct ts_err *err)
{
	enum { TILE, BYTES, BITS, COLUMNS };
	struct ts_rows_query q = {.columns = {TS_LOWERED_VARIABLE_TILE, TS_LOWERED_VARIABLE_BYTES,
					  column},
		.column_count = COLUMNS};
	struct ts_rows *rows;
	int64_t total, of, bytes;
	enum ts_code code;
	bool there;

	*found = false;
	if (!ts_report_has_column(rd->report, TS_LOWERED_VARIABLE, column) ||
		!ts_tile_variables_plan(&q, &total, rd, tile))
		return TS_OK;
	code = ts_reader_rows(&rows, rd, TS_LOWERED_VARIABLE, &q, err);
	if (code)
		return code;
	while (row >= 0 && !(code = ts_rows_next(rows, &there, err)) && there)
		if (ts_rows_number(rows, TILE, &of) == TS_VALUE_OK && of == tile &&
			ts_rows_number(rows, BYTES, &bytes) == TS_VALUE_OK)
			row--;
	*found = !code && row < 0 && ts_rows_bits(rows, BITS, v) == TS_VALUE_OK;
	ts_rows_close(rows);
	return code;
}
