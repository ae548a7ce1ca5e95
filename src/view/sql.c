/* SPDX-License-Identifier: MIT */
/* sql - see the header. */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tilescope/base/clock.h"
#include "tilescope/base/fmt.h"
#include "tilescope/base/mem.h"
#include "tilescope/report/query.h"
#include "tilescope/view/fetch.h"
#include "tilescope/view/grid.h"
#include "tilescope/view/grid_source.h"
#include "tilescope/view/sql.h"
#include "tilescope/view/what_if.h"

enum { ASK_ROWS, STATEMENT_LINES = 3, DETAILS_FROM = 14, NAMES_MAX = 1 << 20 };

struct sql_fetch {
	struct ts_fetch fetch; /* first */
	char *sql;
	struct ts_tile_set selected; /* a copy */
	char *rules;		     /* file of the user's groups; or NULL */
	/* answers */
	struct ts_row_block block;
	struct ts_strbuf names; /* of the columns, NUL behind each */
	bool more;		/* there are more rows */
	char partial[160];	/* a relation is damaged; or "" */
	int64_t took_us;
};

struct sql_view {
	struct ts_view view; /* first */
	struct ts_rect area, rule, statement, status, table, details_rule, details;
	bool in_details, zoomed;
	char *sql; /* asked last; or NULL */
	struct ts_fetch *under_way;
	int64_t began_us;	  /* of it */
	struct sql_fetch *answer; /* or NULL */
	struct ts_pane_data data;
	struct ts_grid grid;
	struct ts_grid_column *columns;
	struct ts_column_facts facts[TS_SHEET_COLUMNS]; /* of these, for a file */
};

/* --- in a worker ---------------------------------------------------------------------------------- */

static enum ts_code
take_rows(struct sql_fetch *f, struct ts_query *q, struct ts_err *err)
{
	int columns = ts_query_columns(q);
	int most = TS_SQL_VALUES / (columns > 0 ? columns : 1);
	struct ts_sql_value *values = ts_alloc((size_t)columns, sizeof(*values));
	bool *by_tile = ts_alloc((size_t)columns, sizeof(*by_tile)), row = false;
	enum ts_code code = values && by_tile ? TS_OK : ts_err_nomem(err);

	ts_row_block_init(&f->block, columns);
	for (int i = 0; !code && i < columns; i++) {
		const char *name = ts_query_name(q, i);

		by_tile[i] = ts_is_by_tile(name);
		ts_strbuf_add(&f->names, name, strlen(name) + 1);
	}
	while (!code && !(code = ts_query_step(q, &row, err)) && row) {
		for (int i = 0; i < columns; i++)
			ts_query_value(&values[i], q, i);
		f->more = f->block.rows == TS_SQL_ROWS || f->block.rows >= most ||
			!ts_row_block_add(&f->block, values, by_tile);
		if (f->block.nomem)
			code = ts_err_nomem(err);
		if (f->more)
			break;
	}
	free(values);
	free(by_tile);
	return code;
}

static enum ts_code
read_rows(struct ts_fetch *fetch, struct ts_reader *rd, struct ts_err *err)
{
	struct sql_fetch *f = (struct sql_fetch *)fetch;
	int64_t began = ts_clock_us();
	struct ts_query *q;
	enum ts_code code = ts_query_open(&q, rd->report, err);

	if (code)
		return code;
	ts_query_set_cancel(q, &fetch->job.cancel);
	ts_query_set_progress(q, &fetch->job.progress);
	ts_query_set_selected(q, &f->selected);
	ts_query_set_rules(q, f->rules);
	code = ts_query_prepare(q, f->sql, TS_SQL_SECONDS, err);
	if (!code)
		code = take_rows(f, q, err);
	if (ts_query_partial(q))
		snprintf(f->partial, sizeof(f->partial), "%.159s", ts_query_partial(q));
	ts_query_close(q);
	f->took_us = ts_clock_us() - began;
	return code;
}

static void
fini(struct ts_fetch *fetch)
{
	struct sql_fetch *f = (struct sql_fetch *)fetch;

	free(f->sql);
	free(f->rules);
	ts_tile_set_fini(&f->selected);
	ts_row_block_fini(&f->block);
	ts_strbuf_fini(&f->names);
}

/* --- life ----------------------------------------------------------------------------------------- */

static bool
row_at(void *ctx, int64_t position, const struct ts_row_block **block, int *row)
{
	const struct sql_view *s = ctx;

	if (!s->answer || position < 0 || position >= s->answer->block.rows)
		return false;
	*block = &s->answer->block;
	*row = (int)position;
	return true;
}

static struct ts_view *
view_open(struct ts_view_env *env)
{
	struct sql_view *s = ts_alloc(1, sizeof(*s));

	if (!s)
		return NULL;
	s->view.ops = &ts_view_sql;
	s->view.env = env;
	ts_grid_init(&s->grid);
	s->grid.row = row_at;
	s->grid.ctx = s;
	s->grid.empty = "No rows.";
	return &s->view;
}

static void
leave(struct sql_view *s)
{
	if (s->under_way)
		ts_cancel_set(&s->under_way->job.cancel);
	s->under_way = NULL;
}

static void
drop_answer(struct sql_view *s)
{
	if (s->answer)
		ts_fetch_free(&s->answer->fetch);
	s->answer = NULL;
	free(s->columns);
	s->columns = NULL;
	ts_grid_set(&s->grid, NULL, 0);
	s->data = (struct ts_pane_data){.state = TS_PANE_EMPTY};
}

static void
view_close(struct ts_view *v)
{
	struct sql_view *s = (struct sql_view *)v;

	drop_answer(s);
	ts_grid_fini(&s->grid);
	free(s->sql);
	free(v);
}

/* It is asked again of the new report, when it is looked at. */
static void
view_reload(struct ts_view *v)
{
	struct sql_view *s = (struct sql_view *)v;

	leave(s);
	drop_answer(s);
}

/* What the statement takes, and a line for what has to be known about the answer. */
static int
statement_lines(const struct sql_view *s)
{
	int64_t n = s->sql ? (int64_t)strlen(s->sql) : 0;
	int w = s->area.w > 4 ? s->area.w - 4 : 1;

	return (int)ts_clamp_i64(n / w + 1, 1, STATEMENT_LINES) +
		(s->answer && s->data.reason[0] ? 1 : 0);
}

static void
layout(struct sql_view *s)
{
	struct ts_rect r = s->area;
	int details = s->zoomed && s->in_details  ? r.h - 2
		: r.h < DETAILS_FROM || s->zoomed ? 0
						  : r.h / 3;

	s->details = s->details_rule = (struct ts_rect){0};
	s->rule = ts_rect_cut_top(&r, 1);
	s->statement = ts_rect_cut_top(&r, r.h > DETAILS_FROM ? statement_lines(s) : 1);
	if (details > 0) {
		s->details = ts_rect_cut_bottom(&r, details < r.h ? details : r.h - 1);
		s->details_rule = ts_rect_cut_bottom(&r, 1);
	}
	s->table = r;
	if (!(s->zoomed && s->in_details))
		ts_grid_resize(&s->grid, r);
}

static void
view_resize(struct ts_view *v, struct ts_rect area)
{
	struct sql_view *s = (struct sql_view *)v;

	s->area = area;
	layout(s);
}

/* --- asking, answers ------------------------------------------------------------------------------ */

static void
view_request(struct ts_view *v)
{
	struct sql_view *s = (struct sql_view *)v;
	const struct ts_tile_set *selected = &v->env->selection->tiles.set;
	struct sql_fetch *f;

	if (!s->sql || s->under_way || s->data.state != TS_PANE_EMPTY)
		return;
	f = ts_alloc(1, sizeof(*f));
	if (!f)
		return;
	f->fetch.read = read_rows;
	f->fetch.fini = fini;
	ts_strbuf_init(&f->names, NAMES_MAX);
	f->sql = ts_strdup(s->sql);
	f->rules = ts_what_if_rules(v->env);
	if (!f->sql || !ts_tile_set_copy(&f->selected, selected, selected->tiles)) {
		ts_fetch_free(&f->fetch);
		return;
	}
	s->data.state = TS_PANE_LOADING;
	s->under_way = &f->fetch;
	s->began_us = ts_clock_us();
	ts_fetch_send(v, &f->fetch, ASK_ROWS, TS_WORKER_BULK, "running SQL");
}

static void
show_columns(struct sql_view *s)
{
	const struct sql_fetch *f = s->answer;
	const char *name = f->names.s;

	s->columns = ts_alloc((size_t)f->block.columns, sizeof(*s->columns));
	if (!s->columns || f->names.cut)
		return;
	for (int i = 0; i < f->block.columns; i++) {
		s->columns[i].name = name;
		name += strlen(name) + 1;
	}
	ts_grid_set(&s->grid, s->columns, f->block.columns);
	ts_grid_measure(&s->grid, &f->block);
	ts_list_set_count(&s->grid.list, f->block.rows);
}

/* The answer is kept as it is: the loop gets an empty one to free. */
static bool
keep(struct sql_view *s, struct sql_fetch *f)
{
	struct sql_fetch *own = ts_alloc(1, sizeof(*own));

	if (!own)
		return false;
	own->fetch.fini = fini;
	own->sql = f->sql;
	own->block = f->block;
	own->names = f->names;
	own->more = f->more;
	own->took_us = f->took_us;
	memcpy(own->partial, f->partial, sizeof(own->partial));
	own->selected = f->selected;
	f->selected = (struct ts_tile_set){0};
	f->sql = NULL;
	f->block = (struct ts_row_block){0};
	ts_strbuf_init(&f->names, NAMES_MAX);
	s->answer = own;
	return true;
}

static enum ts_effect
view_deliver(struct ts_view *v, struct ts_fetch *fetch)
{
	struct sql_view *s = (struct sql_view *)v;
	struct sql_fetch *f = (struct sql_fetch *)fetch;
	bool some = f->block.rows > 0;

	if (s->under_way != fetch)
		return TS_EFFECT_NONE;
	s->under_way = NULL;
	if (fetch->job.generation != v->env->generation)
		return TS_EFFECT_RECALC;
	if (fetch->job.dropped)
		fetch->code = ts_err_set(&fetch->err, TS_E_CANCELLED, "cancelled");
	drop_answer(s);
	ts_pane_result(&s->data, fetch->code, &fetch->err, some);
	if ((!fetch->code || some) && keep(s, f)) {
		if (!fetch->code && s->answer->partial[0]) {
			s->data.state = TS_PANE_PARTIAL;
			snprintf(s->data.reason, sizeof(s->data.reason), "%s", s->answer->partial);
		}
		show_columns(s);
	}
	layout(s);
	return TS_EFFECT_REPAINT;
}

/* --- drawing -------------------------------------------------------------------------------------- */

static void
status_text(const struct sql_view *s, char *out, size_t size)
{
	char rows[TS_FMT_MAX], took[TS_FMT_MAX];
	const struct sql_fetch *f = s->answer;

	if (!f && s->under_way) {
		ts_fmt_count(rows, atomic_load(&s->under_way->job.progress.done));
		snprintf(out, size, "%s rows read in %s (C-c stops it)", rows,
			ts_fmt_time(took, (double)(ts_clock_us() - s->began_us)));
		return;
	}
	if (!f) {
		snprintf(out, size, "%s", "");
		return;
	}
	snprintf(out, size, "%s%s row%s, %s", f->more ? "the first " : "",
		ts_fmt_count(rows, f->block.rows), f->block.rows == 1 ? "" : "s",
		ts_fmt_time(took, (double)f->took_us));
}

static void
draw_failure(struct ts_canvas *c, struct sql_view *s)
{
	struct ts_rect r = s->table;

	ts_rect_cut_top(&r, 1);
	ts_rect_cut_left(&r, 2);
	if (s->data.state == TS_PANE_FAILED || s->data.state == TS_PANE_ABSENT)
		ts_canvas_wrap(c, r, 0, TS_ROLE_ERROR, s->data.reason);
	else if (s->data.state == TS_PANE_LOADING)
		ts_canvas_text(c, r, 0, 0, TS_ROLE_DIM, "Being run. C-c stops it.");
	else
		ts_canvas_text(c, r, 0, 0, TS_ROLE_DIM, ":sql SELECT ... asks the report.");
}

static void
view_draw(struct ts_view *v, struct ts_canvas *c)
{
	struct sql_view *s = (struct sql_view *)v;
	char status[120], row[TS_FMT_MAX], rows[TS_FMT_MAX], right[80];
	struct ts_rect statement = s->statement;

	status_text(s, status, sizeof(status));
	ts_canvas_rule(c, s->rule, TS_ROLE_BORDER_ACTIVE, "SQL", status);
	statement.x++;
	statement.w -= 2;
	if (s->data.reason[0] && s->answer && statement.h > 1) {
		struct ts_rect note = ts_rect_cut_bottom(&statement, 1);

		ts_canvas_field(c, note, 0, 0, note.w, TS_ROLE_NOTE, s->data.reason,
			strlen(s->data.reason), TS_FIELD_ELLIPSIS);
	}
	ts_canvas_wrap(c, statement, 0, TS_ROLE_ACCENT, s->sql ? s->sql : "");
	if (!s->answer) {
		draw_failure(c, s);
		return;
	}
	ts_grid_draw(&s->grid, c, s->table, !s->in_details);
	if (ts_rect_empty(s->details))
		return;
	snprintf(right, sizeof(right), "row %s of %s",
		ts_fmt_count(row, s->grid.list.count > 0 ? s->grid.list.cursor + 1 : 0),
		ts_fmt_count(rows, s->grid.list.count));
	ts_canvas_rule(c, s->details_rule, s->in_details ? TS_ROLE_BORDER_ACTIVE : TS_ROLE_BORDER,
		"Row", right);
	ts_grid_draw_details(&s->grid, c, s->details);
}

/* --- commands ------------------------------------------------------------------------------------- */

static enum ts_effect
run(struct sql_view *s, const char *sql)
{
	char *copy = ts_strdup(sql);

	if (!copy)
		return TS_EFFECT_BELL;
	leave(s);
	drop_answer(s);
	free(s->sql);
	s->sql = copy;
	s->in_details = s->zoomed = false;
	layout(s);
	return TS_EFFECT_REPAINT | TS_EFFECT_RECALC;
}

static enum ts_effect
focus(struct sql_view *s, bool details, bool zoomed)
{
	s->in_details = details;
	s->zoomed = zoomed;
	layout(s);
	return TS_EFFECT_REPAINT;
}

static enum ts_effect
go_to(struct sql_view *s, const char *word)
{
	char *end;
	long long row = strtoll(word ? word : "", &end, 10);

	if (row < 1 || row > s->grid.list.count || *end)
		return TS_EFFECT_BELL;
	return ts_list_jump(&s->grid.list, row - 1) | TS_EFFECT_REPAINT;
}

static enum ts_effect
view_command(struct ts_view *v, const struct ts_call *call)
{
	struct sql_view *s = (struct sql_view *)v;

	switch (call->cmd) {
	case TS_CMD_SQL:
		return call->argc > 0 ? run(s, ts_call_arg(call, 0)) : TS_EFFECT_UNKNOWN;
	case TS_CMD_PANE_NEXT:
	case TS_CMD_PANE_PREVIOUS:
		return focus(s, !s->in_details, s->zoomed);
	case TS_CMD_PANE_ZOOM:
		return focus(s, s->in_details, !s->zoomed);
	case TS_CMD_OPEN:
		return focus(s, !s->in_details, !s->in_details);
	case TS_CMD_GOTO:
		return go_to(s, ts_call_arg(call, 0));
	case TS_CMD_COPY:
		return ts_grid_copy(&s->grid, v->env->copy, sizeof(v->env->copy)) ? TS_EFFECT_NONE
										  : TS_EFFECT_BELL;
	default:
		return ts_grid_command(&s->grid, call->cmd, s->in_details, s->details.h);
	}
}

static enum ts_effect
view_mouse(struct ts_view *v, int x, int y, int wheel)
{
	struct sql_view *s = (struct sql_view *)v;

	if (!ts_rect_has(s->table, x, y))
		return TS_EFFECT_NONE;
	return ts_list_mouse(&s->grid.list, y - s->table.y - 1, wheel);
}

const char *
ts_view_sql_last(const struct ts_view *v)
{
	return v ? ((const struct sql_view *)v)->sql : NULL;
}

static const struct ts_hint hints[] = {
	{TS_CMD_PANE_NEXT, "pane"},
	{TS_CMD_COUNT, NULL},
};

static struct ts_row_source *
all_rows(struct ts_view *v)
{
	const struct sql_view *s = (const struct sql_view *)v;

	return ts_grid_query_source(v->env->report, s->sql, &s->answer->selected,
		ts_what_if_rules(v->env));
}

static bool
view_sheet(struct ts_view *v, struct ts_sheet *out)
{
	struct sql_view *s = (struct sql_view *)v;

	if (!s->sql || !s->answer || s->grid.columns == 0)
		return false;
	snprintf(out->title, sizeof(out->title), "%.190s", s->sql);
	ts_grid_sheet(&s->grid, s->facts, out);
	out->source = all_rows;
	return true;
}

const struct ts_view_ops ts_view_sql = {
	.name = "sql",
	.title = "SQL",
	.context = TS_CONTEXT_TABLES,
	.open = view_open,
	.close = view_close,
	.reload = view_reload,
	.resize = view_resize,
	.draw = view_draw,
	.sheet = view_sheet,
	.request = view_request,
	.deliver = view_deliver,
	.command = view_command,
	.mouse = view_mouse,
	.hints = hints,
};
