/* SPDX-License-Identifier: MIT */
/* tables_draw - the Tables view on the canvas. */
#include "config.h"

#include <stdio.h>
#include <string.h>

#include "tables_internal.h"

#include "tilescope/base/mem.h"

enum {
	SIDE_LEAST = 22,
	SIDE_MOST = 64,
	SIDE_FROM = 64, /* columns of the screen; else one side at a time */
	DETAILS_LEAST = 12,
	NAME_LEAST = 12,
	NAME_MOST = 24,
};

static const char *const kind_names[] = {
	[TS_OBJECT_TABLE] = "table",
	[TS_OBJECT_VIEW] = "view",
	[TS_OBJECT_VIRTUAL] = "virtual",
};

enum { C_NAME, C_KIND, C_COLUMNS, C_ROWS, C_RELATION, C_COUNT };

/* The less it says the sooner it goes when it gets narrow. */
static const struct ts_column columns[] = {
	[C_NAME] = {"table", 12, 40, 4, 0, TS_FIELD_ELLIPSIS},
	[C_KIND] = {"kind", 7, 7, 0, 3, TS_FIELD_LEFT},
	[C_COLUMNS] = {"cols", 4, 4, 0, 2, TS_FIELD_RIGHT},
	[C_ROWS] = {"rows", 7, 7, 0, 0, TS_FIELD_RIGHT},
	[C_RELATION] = {"relation", 14, 22, 1, 1, TS_FIELD_ELLIPSIS},
};

static void
relation_cell(const struct ts_browse_table *b, struct ts_table_cell *out)
{
	out->role = TS_ROLE_LABEL;
	if (b->relations > 1) {
		snprintf(out->buf, sizeof(out->buf), "%.40s +%d", b->relation, b->relations - 1);
		out->s = out->buf;
	} else if (b->relation) {
		out->s = b->relation;
	} else {
		out->s = "-";
		out->role = TS_ROLE_DIM;
	}
}

/* What the row ids say is marked: it may be fewer. */
static void
rows_cell(const struct ts_browse_table *b, struct ts_table_cell *out)
{
	char n[TS_FMT_MAX];
	bool counted = b->counted >= 0;

	out->s = "?";
	out->role = TS_ROLE_VALUE;
	if (!counted && b->estimate < 0)
		return;
	ts_fmt_cycles_short(n, counted ? b->counted : b->estimate);
	snprintf(out->buf, sizeof(out->buf), "%s%s", counted || b->estimate == 0 ? "" : "~", n);
	out->s = out->buf;
}

static bool
cell(void *ctx, int64_t at, int column, struct ts_table_cell *out)
{
	const struct tables_view *t = ctx;
	const struct ts_browse_table *b;

	if (at < 0 || at >= t->tables.count)
		return false;
	b = &t->tables.table[at];
	switch (column) {
	case C_NAME:
		out->s = b->object->name;
		out->role = b->problem[0] ? TS_ROLE_BAD : TS_ROLE_TEXT;
		break;
	case C_KIND:
		out->s = b->source > 0 ? ts_source_name(t->report, b->source)
				       : kind_names[b->object->kind];
		out->role = TS_ROLE_DIM;
		break;
	case C_COLUMNS:
		snprintf(out->buf, sizeof(out->buf), "%d", b->object->column_count);
		out->s = out->buf;
		break;
	case C_ROWS:
		rows_cell(b, out);
		break;
	default:
		relation_cell(b, out);
	}
	return true;
}

void
tables_list(struct ts_table *table, struct tables_view *t)
{
	memcpy(t->look, columns, sizeof(columns));
	t->look[C_NAME].min = (int)ts_clamp_i64(t->name_width, NAME_LEAST, NAME_MOST);
	*table = (struct ts_table){.column = t->look,
		.columns = C_COUNT,
		.cell = cell,
		.ctx = t,
		.header = true,
		.focus = t->pane == PANE_TABLES,
		.sorted = -1,
		.empty = "This file has no tables."};
}

bool
tables_has(const struct tables_view *t, enum tables_pane pane)
{
	if (pane == PANE_DETAILS)
		return !ts_rect_empty(t->at.details);
	return t->area.w < SIDE_FROM || pane == PANE_ROWS || !ts_rect_empty(t->at.tables);
}

/* Which panes there are: all that fit, or the one that has the keys. */
static void
cut_sides(struct tables_view *t, struct ts_rect *r)
{
	bool alone = t->zoomed || r->w < SIDE_FROM;
	int side = (int)ts_clamp_i64((int64_t)r->w * 7 / 20, SIDE_LEAST, SIDE_MOST);

	if (alone && t->pane != PANE_TABLES)
		return;
	if (alone)
		side = r->w;
	t->at.tables = ts_rect_cut_left(r, side);
	t->at.tables_rule = ts_rect_cut_top(&t->at.tables, 1);
	if (!alone)
		t->at.line = ts_rect_cut_left(r, 1);
}

void
tables_layout(struct tables_view *t)
{
	struct ts_rect r = t->area;
	struct ts_table table;
	bool only = t->zoomed && t->pane == PANE_DETAILS;
	int details = only	      ? r.h - 2
		: r.h < DETAILS_LEAST ? 0
		: t->zoomed	      ? 0
		: r.h / 3 < 12	      ? r.h / 3
				      : 12;

	t->at = (struct tables_places){0};
	cut_sides(t, &r);
	tables_list(&table, t);
	ts_list_resize(&t->list, ts_table_rows(&table, t->at.tables));
	t->at.rule = ts_rect_cut_top(&r, 1);
	t->at.status = ts_rect_cut_top(&r, r.h > 3 ? 1 : 0);
	if (details > 0) {
		t->at.details = ts_rect_cut_bottom(&r, details);
		t->at.details_rule = only ? t->at.status : ts_rect_cut_bottom(&r, 1);
	}
	if (only)
		return; /* the list keeps the rows that it had */
	t->at.table = r;
	ts_grid_resize(&t->grid, r);
}

/* --- the rows ------------------------------------------------------------------------------------- */

static void
progress_text(const struct tables_view *t, char *out, size_t size)
{
	const struct ts_fetch *f = t->fetch[ASK_ORDER] ? t->fetch[ASK_ORDER] : t->fetch[ASK_WINDOW];
	char percent[TS_FMT_MAX], rows[TS_FMT_MAX];
	int64_t done = f ? f->job.progress.done : 0, total = f ? f->job.progress.total : 0;

	out[0] = '\0';
	if (!f || done <= 0)
		return;
	ts_fmt_count(rows, done);
	ts_fmt_percent(percent, (double)done, (double)total);
	snprintf(out, size, "%s rows looked at%s%s", rows, total > 0 ? ", " : "",
		total > 0 ? percent : "");
}

/* "8,000,000 rows", "the first 1,000 rows that match", "rows are read forwards" */
static void
count_text(const struct tables_view *t, const struct ts_browse_table *b, char *out, size_t size)
{
	char n[TS_FMT_MAX];
	int64_t count = t->grid.list.count;
	bool filtered = t->wish.filter[0];

	if (count == TS_LIST_UNKNOWN)
		snprintf(out, size, "rows are read forwards");
	else if (t->by_order && !t->order)
		snprintf(out, size,
			t->order_failed		    ? "no rows"
				: filtered	    ? "looking for rows that match"
				: t->wish.sort >= 0 ? "sorting"
						    : "counting rows");
	else if (t->by_order && (!t->whole || t->order->cut))
		snprintf(out, size, "the first %s rows%s", ts_fmt_count(n, count),
			filtered ? " that match" : "");
	else if (filtered)
		snprintf(out, size, count == 1 ? "%s row matches" : "%s rows match",
			ts_fmt_count(n, count));
	else
		snprintf(out, size, count == 1 ? "%s row" : "%s rows", ts_fmt_count(n, count));
	(void)b;
}

static void
draw_status(struct ts_canvas *c, struct tables_view *t, const struct ts_browse_table *b)
{
	struct ts_rect r = t->at.status;
	char text[120], note[240];
	int x;

	if (ts_rect_empty(r))
		return;
	count_text(t, b, text, sizeof(text));
	x = ts_canvas_text(c, r, 1, 0, TS_ROLE_VALUE, text);
	x = ts_canvas_printf(c, r, x, 0, TS_ROLE_LABEL, ", %d column%s", b->object->column_count,
		b->object->column_count == 1 ? "" : "s");
	progress_text(t, note, sizeof(note));
	if (!note[0] && t->rows.reason[0])
		snprintf(note, sizeof(note), "%s", t->rows.reason);
	if (note[0])
		x += 2 +
			ts_canvas_field(c, r, x + 2, 0, r.w - x - 3, TS_ROLE_NOTE, note,
				strlen(note), TS_FIELD_ELLIPSIS);
	if (t->wish.filter[0] && r.w - x > 6) {
		x = ts_canvas_text(c, r, x + 2, 0, TS_ROLE_LABEL, "&");
		ts_canvas_field(c, r, x + 1, 0, r.w - x - 2, TS_ROLE_ACCENT, t->wish.filter,
			strlen(t->wish.filter), TS_FIELD_ELLIPSIS);
	}
}

static void
bound_text(const struct tables_view *t, const struct ts_browse_table *b, char *out, size_t size)
{
	const char *of = b->source > 0 ? ts_source_name(t->report, b->source) : "";
	const char *colon = *of ? ": " : "";

	if (b->relation && b->relations > 1)
		snprintf(out, size, "%s%sis %s and %d more", of, colon, b->relation,
			b->relations - 1);
	else if (b->relation)
		snprintf(out, size, "%s%sis %s", of, colon, b->relation);
	else
		snprintf(out, size, "%s%s%s, nothing is bound to it", of, colon,
			kind_names[b->object->kind]);
}

static void
empty_text(struct tables_view *t)
{
	bool busy = t->by_order && !t->order && !t->order_failed;

	snprintf(t->empty, sizeof(t->empty), "%s",
		busy			    ? "Being read."
			: t->wish.filter[0] ? "No row matches. & and Enter shows all."
					    : "No rows.");
	t->grid.empty = t->empty;
}

static void
draw_rows(struct ts_canvas *c, struct tables_view *t, const struct ts_browse_table *b)
{
	char bound[80];

	bound_text(t, b, bound, sizeof(bound));
	ts_canvas_rule(c, t->at.rule,
		t->pane == PANE_TABLES ? TS_ROLE_BORDER : TS_ROLE_BORDER_ACTIVE, b->object->name,
		bound);
	if (t->rows.state == TS_PANE_FAILED) {
		ts_pane_draw(c, t->at.table, t->view.env, &t->rows);
		return;
	}
	if (!(t->zoomed && t->pane == PANE_DETAILS))
		draw_status(c, t, b);
	empty_text(t);
	ts_grid_draw(&t->grid, c, t->at.table, t->pane == PANE_ROWS);
}

static void
draw_details(struct ts_canvas *c, struct tables_view *t)
{
	const struct ts_list *l = &t->grid.list;
	char row[TS_FMT_MAX], rows[TS_FMT_MAX], right[80];

	if (ts_rect_empty(t->at.details))
		return;
	ts_fmt_count(row, l->count == 0 ? 0 : l->cursor + 1);
	if (l->count >= 0)
		snprintf(right, sizeof(right), "row %s of %s", row, ts_fmt_count(rows, l->count));
	else
		snprintf(right, sizeof(right), "row %s", row);
	ts_canvas_rule(c, t->at.details_rule,
		t->pane == PANE_DETAILS ? TS_ROLE_BORDER_ACTIVE : TS_ROLE_BORDER, "Row", right);
	ts_grid_draw_details(&t->grid, c, t->at.details);
}

void
tables_draw(struct ts_view *v, struct ts_canvas *c)
{
	struct tables_view *t = (struct tables_view *)v;
	const struct ts_browse_table *b = tables_shown(t);
	struct ts_table table;
	char count[40];

	if (!b && t->tables.count == 0) {
		struct ts_rect r = t->area;

		ts_canvas_rule(c, ts_rect_cut_top(&r, 1), TS_ROLE_BORDER_ACTIVE, "Tables", NULL);
		if (t->data.state == TS_PANE_READY)
			ts_canvas_text(c, r, 2, 1, TS_ROLE_TEXT, "This file has no tables.");
		else
			ts_pane_draw(c, r, t->view.env, &t->data);
		return;
	}
	if (!ts_rect_empty(t->at.tables)) {
		snprintf(count, sizeof(count), "%d", t->tables.count);
		ts_canvas_rule(c, t->at.tables_rule,
			t->pane == PANE_TABLES ? TS_ROLE_BORDER_ACTIVE : TS_ROLE_BORDER, "Tables",
			count);
		tables_list(&table, t);
		ts_table_draw(c, t->at.tables, &table, &t->list);
		ts_canvas_vline(c, t->at.line, 0, 0, t->at.line.h, TS_ROLE_BORDER);
	}
	if (!b)
		return;
	if (!ts_rect_empty(t->at.rule))
		draw_rows(c, t, b);
	draw_details(c, t);
}
