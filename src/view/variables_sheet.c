/* SPDX-License-Identifier: MIT */
/*
 * variables_sheet - the table of the Variables view for files: all rows of the list that is shown, read in a
 * worker a window at a time.
 */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "variables_internal.h"

#include "tilescope/base/mem.h"

enum { BATCH = 1024 };

struct source {
	struct ts_row_source base; /* first */
	struct ts_variable_list *list;
	int column[C_COUNT], columns;
	int64_t bytes; /* of all rows of the list */
	int64_t position;
	int at; /* row of the window */
	struct ts_variable_window window;
};

static void
source_free(struct ts_row_source *base)
{
	struct source *s = (struct source *)base;

	ts_variable_window_fini(&s->window);
	ts_variable_list_release(s->list);
	free(s);
}

static enum ts_code
read_more(struct source *s, struct ts_reader *rd, struct ts_err *err)
{
	int64_t place[BATCH];
	int n = (int)ts_min_i64(BATCH, ts_variable_list_count(s->list) - s->position);

	for (int i = 0; i < n; i++)
		place[i] = ts_variable_list_place(s->list, s->position + i);
	s->position += n;
	s->at = 0;
	ts_variable_window_fini(&s->window);
	return ts_variables_read(&s->window, rd, s->list->v, place, n, NULL, err);
}

static enum ts_code
source_next(struct ts_row_source *base, struct ts_reader *rd, struct ts_table_value *values,
	bool *more, struct ts_err *err)
{
	struct source *s = (struct source *)base;
	enum ts_code code = TS_OK;

	*more = false;
	if (s->at >= s->window.count && s->position < ts_variable_list_count(s->list))
		code = read_more(s, rd, err);
	if (code || s->at >= s->window.count)
		return code;
	for (int i = 0; i < s->columns; i++)
		variables_value(NULL, &s->window, &s->window.row[s->at], s->column[i], &values[i]);
	s->at++;
	*more = true;
	return TS_OK;
}

static bool
source_total(struct ts_row_source *base, struct ts_table_value *values)
{
	struct source *s = (struct source *)base;

	for (int i = 0; i < s->columns; i++)
		if (s->column[i] == C_BYTES)
			ts_table_value_known(&values[i], s->bytes);
	return true;
}

static struct ts_row_source *
make_source(struct ts_view *v)
{
	struct variables_view *t = (struct variables_view *)v;
	struct source *s = ts_alloc(1, sizeof(*s));
	struct ts_table table;

	if (!s)
		return NULL;
	variables_table(&table, t);
	s->base = (struct ts_row_source){source_next, source_total, source_free,
		ts_variable_list_count(t->list)};
	s->list = ts_variable_list_hold(t->list);
	s->columns = table.columns;
	memcpy(s->column, t->column, sizeof(s->column));
	s->bytes = t->list->filter.count > 0 ? atomic_load(&t->list->bytes) : t->bytes;
	return &s->base;
}

bool
variables_sheet(struct ts_view *v, struct ts_sheet *out)
{
	struct variables_view *t = (struct variables_view *)v;

	if (!t->v || !t->list)
		return false;
	variables_table_of_file(&out->table, t);
	snprintf(out->title, sizeof(out->title), "%s%s%.160s",
		t->unlowered ? "Variables before lowering" : "Variables",
		t->list->filter.count > 0 ? ": " : "",
		t->list->filter.count > 0 ? t->list->filter.line : "");
	out->list = &t->rows;
	out->rows = t->rows.count;
	out->source = make_source;
	if (!atomic_load(&t->list->ready))
		out->wait = "the rows are still being put together";
	return true;
}
