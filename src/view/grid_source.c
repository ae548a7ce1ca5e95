/* SPDX-License-Identifier: MIT */
/* grid_source - see the header. */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "tilescope/base/mem.h"
#include "tilescope/report/query.h"
#include "tilescope/view/grid_source.h"

enum { WINDOW_ROWS = 1000, CELL_MOST = 1 << 20 };

/* A text for each column, of at most so many bytes; NULL: no memory. */
static struct ts_strbuf *
new_texts(int columns, size_t most)
{
	struct ts_strbuf *text = ts_alloc((size_t)columns + 1, sizeof(*text));

	for (int i = 0; text && i < columns; i++)
		ts_strbuf_init(&text[i], most);
	return text;
}

static void
free_texts(struct ts_strbuf *text, int columns)
{
	for (int i = 0; text && i < columns; i++)
		ts_strbuf_fini(&text[i]);
	free(text);
}

/* --- a table of the file ------------------------------------------------------------------------ */

struct table_source {
	struct ts_row_source source; /* first */
	struct ts_browse_table table;
	struct ts_browse_wish wish;
	struct ts_browse_order *order; /* held */
	struct ts_browse_window window;
	bool has_window, end;
	int columns, at;
	int64_t from;
	struct ts_strbuf *text; /* of each column: blobs, and texts that were cut */
};

static void
cell_value(struct ts_table_value *out, struct ts_strbuf *text, const struct ts_row_block *b,
	const struct ts_row_cell *c)
{
	if (c->type == TS_SQL_INTEGER)
		ts_table_value_integer(out, c->integer);
	else if (c->type == TS_SQL_REAL)
		ts_table_value_real(out, c->real);
	if (c->type != TS_SQL_TEXT && c->type != TS_SQL_BLOB)
		return;
	ts_strbuf_reset(text);
	if (c->type == TS_SQL_TEXT)
		ts_strbuf_add(text, b->text.s + c->at, c->n);
	else
		ts_sql_add_hex(text, b->text.s + c->at, c->n);
	ts_strbuf_puts(text, c->size > (int64_t)c->n ? "…" : "");
	out->type = TS_VALUE_TEXT;
	out->s = text->s;
	out->n = text->len;
}

/* The rows behind those that were given. */
static enum ts_code
next_window(struct table_source *s, struct ts_reader *rd, struct ts_err *err)
{
	enum ts_code code;

	if (s->has_window)
		ts_browse_window_fini(&s->window);
	s->at = 0;
	code = ts_browse_read(&s->window, rd, &s->table, &s->wish, s->order, s->from,
		s->from + WINDOW_ROWS, NULL, err);
	s->has_window = true;
	s->from += s->window.block.rows;
	s->end = code || s->window.ended || s->window.block.rows == 0;
	return s->window.block.rows > 0 ? TS_OK : code;
}

static enum ts_code
table_next(struct ts_row_source *source, struct ts_reader *rd, struct ts_table_value *values,
	bool *more, struct ts_err *err)
{
	struct table_source *s = (struct table_source *)source;
	const struct ts_row_block *b = &s->window.block;
	enum ts_code code = TS_OK;

	if (!s->end && (!s->has_window || s->at == b->rows))
		code = next_window(s, rd, err);
	*more = !code && s->has_window && s->at < b->rows;
	for (int i = 0; *more && i < s->columns && i < b->columns; i++)
		cell_value(&values[i], &s->text[i], b, ts_row_block_at(b, s->at, i));
	s->at += *more;
	return code;
}

static void
table_free(struct ts_row_source *source)
{
	struct table_source *s = (struct table_source *)source;

	if (s->has_window)
		ts_browse_window_fini(&s->window);
	free_texts(s->text, s->columns);
	ts_browse_order_release(s->order);
	free(s);
}

struct ts_row_source *
ts_grid_table_source(const struct ts_browse_table *table, const struct ts_browse_wish *wish,
	struct ts_browse_order *order, int columns, int64_t count)
{
	struct table_source *s = ts_alloc(1, sizeof(*s));

	if (!s)
		return NULL;
	s->source = (struct ts_row_source){.next = table_next,
		.free = table_free,
		.expected = ts_max_i64(count, 0)};
	s->table = *table;
	s->wish = *wish;
	s->order = order ? ts_browse_order_hold(order) : NULL;
	s->columns = columns;
	s->text = new_texts(columns, CELL_MOST);
	if (!s->text) {
		table_free(&s->source);
		return NULL;
	}
	return &s->source;
}

/* --- an answer of SQL --------------------------------------------------------------------------- */

struct query_source {
	struct ts_row_source source; /* first */
	struct ts_report *report;    /* held */
	struct ts_query *query;
	char *sql;
	struct ts_tile_set selected; /* a copy */
	char *rules;		     /* or NULL */
	int columns;		     /* 0: not asked yet */
	struct ts_strbuf *text;
};

static enum ts_code
ask(struct query_source *s, struct ts_reader *rd, struct ts_err *err)
{
	enum ts_code code = ts_query_open(&s->query, s->report, err);

	if (code)
		return code;
	ts_query_set_cancel(s->query, rd->cancel);
	ts_query_set_selected(s->query, &s->selected);
	ts_query_set_rules(s->query, s->rules);
	code = ts_query_prepare(s->query, s->sql, 0, err);
	if (code)
		return code;
	s->columns = (int)ts_min_i64(ts_query_columns(s->query), TS_SHEET_COLUMNS);
	s->text = new_texts(s->columns, CELL_MOST * 16);
	return s->text ? TS_OK : ts_err_nomem(err);
}

static enum ts_code
query_next(struct ts_row_source *source, struct ts_reader *rd, struct ts_table_value *values,
	bool *more, struct ts_err *err)
{
	struct query_source *s = (struct query_source *)source;
	enum ts_code code = TS_OK;

	*more = false;
	if (!s->query)
		code = ask(s, rd, err);
	if (!code)
		code = ts_query_step(s->query, more, err);
	for (int i = 0; !code && *more && i < s->columns; i++) {
		struct ts_sql_value v;

		ts_query_value(&v, s->query, i);
		if (v.type == TS_SQL_INTEGER)
			ts_table_value_integer(&values[i], v.integer);
		else if (v.type == TS_SQL_REAL)
			ts_table_value_real(&values[i], v.real);
		if (v.type != TS_SQL_TEXT && v.type != TS_SQL_BLOB)
			continue;
		ts_strbuf_reset(&s->text[i]);
		if (v.type == TS_SQL_TEXT)
			ts_strbuf_add(&s->text[i], v.bytes, v.n);
		else
			ts_sql_add_hex(&s->text[i], v.bytes, v.n);
		values[i].type = TS_VALUE_TEXT;
		values[i].s = s->text[i].s;
		values[i].n = s->text[i].len;
	}
	if (!code && !*more && ts_query_partial(s->query))
		code = ts_err_set(err, TS_E_DAMAGED, "%s", ts_query_partial(s->query));
	return code;
}

static void
query_free(struct ts_row_source *source)
{
	struct query_source *s = (struct query_source *)source;

	ts_query_close(s->query);
	ts_report_close(s->report);
	free_texts(s->text, s->columns);
	ts_tile_set_fini(&s->selected);
	free(s->rules);
	free(s->sql);
	free(s);
}

struct ts_row_source *
ts_grid_query_source(struct ts_report *report, const char *sql, const struct ts_tile_set *selected,
	char *rules)
{
	struct query_source *s = ts_alloc(1, sizeof(*s));

	if (!s) {
		free(rules);
		return NULL;
	}
	s->rules = rules;
	s->source = (struct ts_row_source){.next = query_next, .free = query_free};
	s->report = ts_report_hold(report);
	s->sql = ts_strdup(sql);
	if (!ts_tile_set_copy(&s->selected, selected, selected->tiles) || !s->sql) {
		query_free(&s->source);
		return NULL;
	}
	return &s->source;
}

void
ts_grid_sheet(const struct ts_grid *g, struct ts_column_facts *facts, struct ts_sheet *out)
{
	int n = g->columns < TS_SHEET_COLUMNS ? g->columns : TS_SHEET_COLUMNS;

	for (int i = 0; i < n; i++)
		facts[i] = (struct ts_column_facts){g->column[i].name, NULL, TS_SUM_NONE, false};
	out->table = (struct ts_table){.columns = n, .sorted = -1, .id = "grid", .facts = facts};
	out->rows = g->list.count;
}
