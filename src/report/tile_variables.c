/* SPDX-License-Identifier: MIT */
/*
 * tile_variables - see the header.
 *
 * The largest are kept in a heap whose root is the smallest of them. Texts are read only for rows that
 * enter it: a name may cost a look-up in another table.
 */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tilescope/base/mem.h"
#include "tilescope/report/names.h"
#include "tilescope/report/rows.h"
#include "tilescope/report/tile_variables.h"

enum { V_TILE, V_BYTES, V_CATEGORY, V_NAME, V_OFFSET, V_COLUMNS };

static const int variable_columns[V_COLUMNS] = {TS_LOWERED_VARIABLE_TILE, TS_LOWERED_VARIABLE_BYTES,
	TS_LOWERED_VARIABLE_CATEGORY, TS_LOWERED_VARIABLE_NAME, TS_LOWERED_VARIABLE_OFFSET};

enum { PROGRESS_ROWS = 8192 };

struct variables_pass {
	struct ts_tile_variables *v;
	struct ts_names categories;
	struct ts_rows *rows;
};

bool
ts_tile_variables_keyed(const struct ts_report *r)
{
	return ts_report_has(r, TS_LOWERED_VARIABLE) &&
		r->binding[TS_LOWERED_VARIABLE].reach.key != TS_REACH_NONE;
}

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
	free(x->category);
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

static char *
copy_text(const char *s, size_t n, bool *no_memory)
{
	char *copy = ts_strndup(s, (size_t)ts_min_i64((int64_t)n, TS_TILE_VARIABLE_NAME));

	*no_memory |= !copy;
	return copy;
}

/* The category's name, whether the row has a number for it or the text itself. */
static char *
category_of(struct variables_pass *p, bool *no_memory)
{
	const char *s;
	char unnamed[40];
	int64_t id;
	size_t n;

	if (ts_rows_text(p->rows, V_CATEGORY, &s, &n) == TS_VALUE_OK)
		return copy_text(s, n, no_memory);
	if (ts_rows_number(p->rows, V_CATEGORY, &id) != TS_VALUE_OK)
		return NULL;
	s = ts_names_find(&p->categories, id, &n);
	if (!s) {
		n = (size_t)snprintf(unnamed, sizeof(unnamed), "category %lld", (long long)id);
		s = unnamed;
	}
	return copy_text(s, n, no_memory);
}

/* Keep the cursor's row if it is among the largest. */
static enum ts_code
keep(struct variables_pass *p, int64_t bytes, struct ts_err *err)
{
	struct ts_tile_variables *v = p->v;
	struct ts_tile_variable x = {.bytes = bytes, .row = v->found, .offset = TS_UNKNOWN};
	bool no_memory = false;
	const char *s;
	int64_t offset;
	size_t n;

	if (v->count == TS_TILE_VARIABLES && !behind(&v->variable[0], &x))
		return TS_OK;
	if (ts_rows_text(p->rows, V_NAME, &s, &n) == TS_VALUE_OK)
		x.name = copy_text(s, n, &no_memory);
	x.category = category_of(p, &no_memory);
	if (ts_rows_number(p->rows, V_OFFSET, &offset) == TS_VALUE_OK)
		x.offset = offset;
	if (no_memory) {
		forget(&x);
		return ts_err_nomem(err);
	}
	if (v->count < TS_TILE_VARIABLES) {
		v->variable[v->count] = x;
		sift_up(v->variable, v->count++);
	} else {
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
	code = keep(p, bytes, err);
	v->found++;
	if (v->bytes != TS_UNKNOWN && !ts_add_i64(&v->bytes, bytes))
		v->bytes = TS_UNKNOWN;
	return code;
}

static enum ts_code
read_rows(struct variables_pass *p, const struct ts_reach *reach, struct ts_progress *progress,
	struct ts_err *err)
{
	int64_t rows = 0, tile;
	int64_t total = ts_reach_span(reach);
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

enum ts_code
ts_tile_variables_read(struct ts_tile_variables *v, struct ts_reader *rd, int64_t tile,
	struct ts_progress *progress, struct ts_err *err)
{
	const struct ts_report *r = rd->report;
	const struct ts_reach *reach = &r->binding[TS_LOWERED_VARIABLE].reach;
	struct ts_rows_query q = {.column_count = V_COLUMNS};
	struct variables_pass p = {.v = v};
	enum ts_code code;

	*v = (struct ts_tile_variables){.tile = tile};
	v->has_names = ts_report_has_column(r, TS_LOWERED_VARIABLE, TS_LOWERED_VARIABLE_NAME);
	v->has_categories = ts_report_has_column(r, TS_LOWERED_VARIABLE,
		TS_LOWERED_VARIABLE_CATEGORY);
	v->has_offsets = ts_report_has_column(r, TS_LOWERED_VARIABLE, TS_LOWERED_VARIABLE_OFFSET);
	v->variable = ts_alloc(TS_TILE_VARIABLES, sizeof(*v->variable));
	if (!v->variable)
		return ts_err_nomem(err);
	memcpy(q.columns, variable_columns, sizeof(variable_columns));
	if (ts_tile_variables_keyed(r) && tile < TS_NUMBER_MAX) {
		q.range = TS_RANGE_KEY;
		q.from = tile;
		q.to = tile + 1;
	}
	code = ts_reader_rows(&p.rows, rd, TS_LOWERED_VARIABLE, &q, err);
	if (code)
		return code;
	/* names that cannot be read are not worth losing the variables for */
	code = ts_names_read(&p.categories, rd, TS_MEMORY_CATEGORY, TS_MEMORY_CATEGORY_CATEGORY,
		TS_MEMORY_CATEGORY_NAME, err);
	if (code == TS_OK || code == TS_E_DAMAGED)
		code = read_rows(&p, reach, progress, err);
	sort_heap(v);
	ts_names_fini(&p.categories);
	ts_rows_close(p.rows);
	return code;
}

void
ts_tile_variables_fini(struct ts_tile_variables *v)
{
	for (int i = 0; i < v->count; i++)
		forget(&v->variable[i]);
	free(v->variable);
	*v = (struct ts_tile_variables){0};
}
