/* SPDX-License-Identifier: MIT */
/*
 * variables_draw - the Variables view on the canvas: what is shown and how much of it, the table, and
 * all that is recorded of the row under the cursor.
 */
#include "config.h"

#include <stdio.h>
#include <string.h>

#include "variables_internal.h"

#include "tilescope/base/mem.h"
#include "tilescope/base/utf8.h"

enum {
	DETAILS_LEAST = 14, /* rows of the area from which on there are details */
	DETAILS_MORE = 18,
	DETAILS_MOST = 40,
	BYTES_WIDE = 11,
	CATEGORY_WIDE = 19, /* from TYPE_FROM on */
	LONG_BYTES = 1000,  /* are told in units, too */
	TYPE_FROM = 120,    /* columns from which on the type has one of its own */
};

static enum ts_units
units(const struct variables_view *t)
{
	return t->view.env->options->units;
}

/* --- table ------------------------------------------------------------------------------------ */

enum { C_TILE, C_IPU, C_BYTES, C_CATEGORY, C_TYPE, C_OFFSET, C_NAME, C_COUNT };

static const struct ts_column columns[C_COUNT] = {
	[C_TILE] = {"tile", 6, 7, 0, 0, TS_FIELD_RIGHT},
	[C_IPU] = {"ipu", 3, 3, 0, 5, TS_FIELD_RIGHT},
	[C_BYTES] = {"bytes", 9, 9, 0, 0, TS_FIELD_RIGHT},
	[C_CATEGORY] = {"category", 12, 24, 1, 2, TS_FIELD_ELLIPSIS},
	[C_TYPE] = {"type", 6, 10, 1, 4, TS_FIELD_ELLIPSIS},
	[C_OFFSET] = {"offset", 9, 10, 0, 3, TS_FIELD_RIGHT},
	[C_NAME] = {"name", 16, 0, 8, 0, TS_FIELD_TAIL},
};

/* Columns that are recorded and for which there is room; the others do not appear. */
static const struct {
	int column; /* of lowered_variable, -1 = always */
	enum ts_variable_sort sort;
} about[C_COUNT] = {
	[C_TILE] = {-1, TS_SORT_TILE},
	[C_IPU] = {-1, TS_SORT_ROW},
	[C_BYTES] = {-1, TS_SORT_BYTES},
	[C_CATEGORY] = {TS_LOWERED_VARIABLE_CATEGORY, TS_SORT_CATEGORY},
	[C_TYPE] = {TS_LOWERED_VARIABLE_ELEMENT_TYPE, TS_SORT_ROW},
	[C_OFFSET] = {TS_LOWERED_VARIABLE_OFFSET, TS_SORT_ROW},
	[C_NAME] = {-1, TS_SORT_NAME},
};

static bool
has_column(const struct variables_view *t, int column)
{
	if (column == C_IPU)
		return t->v->tiles_per_ipu != TS_UNKNOWN;
	if (column == C_TYPE && t->area.w < TYPE_FROM)
		return false;
	return about[column].column < 0 || t->v->has[about[column].column];
}

static const char *
number_or_dash(char out[TS_FMT_MAX], int64_t v)
{
	return v == TS_UNKNOWN ? "-" : ts_fmt_count(out, v);
}

static void
name_cell(const struct variables_view *t, const struct ts_variable *x, struct ts_table_cell *out)
{
	if (x->has_name) {
		out->s = t->window.text.s + x->name;
		out->n = x->name_n;
		return;
	}
	out->role = TS_ROLE_DIM;
	out->s = t->v->has[TS_LOWERED_VARIABLE_NAME] ? "(no name)" : "(names are not recorded)";
}

static bool
cell(void *ctx, int64_t at, int column, struct ts_table_cell *out)
{
	const struct variables_view *t = ctx;
	const struct ts_variable *x = variables_row(t, at);

	if (!x)
		return false;
	column = t->column[column];
	out->s = "";
	if (x->state == TS_VARIABLE_DAMAGED) {
		out->role = TS_ROLE_BAD;
		out->s = column == C_NAME ? "(damaged)" : "-";
		return true;
	}
	switch (column) {
	case C_TILE:
		out->s = number_or_dash(out->buf, x->tile);
		break;
	case C_IPU:
		out->s = number_or_dash(out->buf, x->ipu);
		break;
	case C_BYTES:
		out->s = x->bytes == TS_UNKNOWN ? "-" : ts_fmt_bytes(out->buf, x->bytes, units(t));
		out->role = TS_ROLE_VALUE;
		break;
	case C_CATEGORY:
		out->s = t->window.text.s + x->category_name;
		out->n = x->category_name_n;
		break;
	case C_TYPE:
		out->s = t->window.text.s + x->type;
		out->n = x->type_n;
		break;
	case C_OFFSET:
		out->s = "-";
		if (x->offset != TS_UNKNOWN) {
			snprintf(out->buf, sizeof(out->buf), "0x%llx",
				(unsigned long long)x->offset);
			out->s = out->buf;
		}
		break;
	default:
		name_cell(t, x, out);
	}
	return true;
}

static enum ts_role
row_role(void *ctx, int64_t at)
{
	const struct variables_view *t = ctx;
	const struct ts_variable *x = variables_row(t, at);

	return x && t->hits && ts_variable_list_has(t->hits, x->place) ? TS_ROLE_MATCH
								       : TS_ROLE_TEXT;
}

/* The order of what is shown, which may not be what is wished for yet. */
static enum ts_variable_sort
shown_sort(const struct variables_view *t)
{
	return t->list ? t->list->sort : t->wish.sort;
}

static bool
shown_backwards(const struct variables_view *t)
{
	return t->list ? atomic_load(&t->list->reverse) : t->wish.reverse;
}

static bool
is_descending(const struct variables_view *t)
{
	return ts_variable_sort_falls(shown_sort(t)) != shown_backwards(t);
}

/* Why there are no rows. That none matches is said when all were looked at, and not before. */
static void
empty_text(struct variables_view *t)
{
	const struct ts_variable_list *l = t->list;
	char percent[TS_FMT_MAX];

	if (!l || l->filter.count == 0) {
		snprintf(t->empty, sizeof(t->empty), "No variables.");
	} else if (atomic_load(&l->ready)) {
		snprintf(t->empty, sizeof(t->empty), "No variable matches. & and Enter shows all.");
	} else {
		ts_fmt_percent(percent, (double)atomic_load(&l->scanned),
			(double)ts_max_i64(t->v->rows, 1));
		snprintf(t->empty, sizeof(t->empty),
			t->stopped ? "None among the %s of the rows that were looked at."
				   : "None yet: %s of the rows are looked at.",
			percent);
	}
}

void
variables_table(struct ts_table *table, struct variables_view *t)
{
	empty_text(t);
	*table = (struct ts_table){.column = t->columns,
		.cell = cell,
		.row = row_role,
		.ctx = t,
		.header = true,
		.focus = !t->debug_focus,
		.sorted = -1,
		.descending = is_descending(t),
		.empty = t->empty};
	for (int i = 0; t->v && i < C_COUNT; i++) {
		if (!has_column(t, i))
			continue;
		if (shown_sort(t) != TS_SORT_ROW && about[i].sort == shown_sort(t))
			table->sorted = table->columns;
		t->column[table->columns] = i;
		t->columns[table->columns] = columns[i];
		if (i == C_BYTES && units(t) == TS_UNITS_BYTES)
			t->columns[table->columns].min = BYTES_WIDE;
		if (i == C_CATEGORY && t->area.w >= TYPE_FROM)
			t->columns[table->columns].min = CATEGORY_WIDE;
		table->columns++;
	}
}

void
variables_layout(struct variables_view *t)
{
	struct ts_rect r = t->area;
	struct ts_table table;
	int details = r.h < DETAILS_LEAST || t->zoomed ? 0
		: r.h < DETAILS_MORE		       ? 3
		: r.h < DETAILS_MOST		       ? 5
						       : 8;

	t->at = (struct variables_places){0};
	t->at.title = ts_rect_cut_top(&r, 1);
	t->at.status = ts_rect_cut_top(&r, r.h > 3 ? 1 : 0);
	if (t->debug.shown && !t->zoomed) {
		t->at.details = ts_rect_cut_bottom(&r, (r.h + 1) / 2);
	} else if (details > 0) {
		t->at.details = ts_rect_cut_bottom(&r, details);
		t->at.rule = ts_rect_cut_bottom(&r, 1);
	}
	ts_debug_resize(&t->debug, t->at.details);
	t->at.table = r;
	variables_table(&table, t);
	ts_list_resize(&t->rows, t->v ? ts_table_rows(&table, r) : r.h);
}

/* --- what is shown, and how much of it ---------------------------------------------------------- */

static void
order_text(const struct variables_view *t, char *out, size_t size)
{
	enum ts_variable_sort sort = shown_sort(t);
	bool back = shown_backwards(t), falls = ts_variable_sort_falls(sort);

	if (sort == TS_SORT_ROW)
		snprintf(out, size, "as in the report%s", back ? ", backwards" : "");
	else if (falls || sort == TS_SORT_TILE)
		snprintf(out, size, "by %s%s", ts_variable_sort_name(sort),
			falls != back	? ", largest first"
				: falls ? ", smallest first"
				: back	? ", last first"
					: "");
	else
		snprintf(out, size, "by %s%s", ts_variable_sort_name(sort),
			back ? ", backwards" : "");
}

/* "1,234 of 8,000,000 variables, 45.2 MiB, 3.1%" */
static void
count_text(const struct variables_view *t, char *out, size_t size)
{
	const struct ts_variable_list *l = t->list;
	char found[TS_FMT_MAX], rows[TS_FMT_MAX], bytes[TS_FMT_MAX], percent[TS_FMT_MAX];
	int64_t all = t->v->rows, sum = l ? atomic_load(&l->bytes) : TS_UNKNOWN;
	bool ready = l && atomic_load(&l->ready), filtered = l && l->filter.count > 0;

	if (!l) {
		snprintf(out, size, "%s variables",
			ts_variables_placed(t->v) ? ts_fmt_count(rows, all) : "counting the");
		return;
	}
	if (!filtered) {
		sum = t->bytes;
		snprintf(out, size, "%s variable%s%s%s", ts_fmt_count(rows, all),
			all == 1 ? "" : "s", sum >= 0 ? ", " : "",
			sum >= 0 ? ts_fmt_bytes(bytes, sum, units(t)) : "");
		return;
	}
	if (ready && l->count == 0) {
		snprintf(out, size, "none of %s variables", ts_fmt_count(rows, all));
		return;
	}
	snprintf(out, size, "%s of %s variables%s%s%s%s",
		ts_fmt_count(found, atomic_load(&l->found)), ts_fmt_count(rows, all),
		sum >= 0 ? ", " : "", sum >= 0 ? ts_fmt_bytes(bytes, sum, units(t)) : "",
		ready && sum >= 0 && t->bytes > 0 ? ", " : "",
		ready && sum >= 0 && t->bytes > 0
			? ts_fmt_percent(percent, (double)sum, (double)t->bytes)
			: "");
}

/* What is shown is not what is wished for yet: how far that is. */
static void
wait_text(const struct variables_view *t, char *out, size_t size)
{
	const struct ts_variable_list *l = t->making;
	int64_t scanned = atomic_load(&l->scanned);
	char percent[TS_FMT_MAX], what[40];

	if (t->list && strcmp(t->list->filter.line, l->filter.line) == 0)
		snprintf(what, sizeof(what), "sorting by %s", ts_variable_sort_name(l->sort));
	else if (l->filter.count == 0)
		snprintf(what, sizeof(what), "still filtered");
	else if (t->list && t->list->filter.count > 0)
		snprintf(what, sizeof(what), "still the filter before");
	else
		snprintf(what, sizeof(what), "not filtered yet");
	ts_fmt_percent(percent, (double)scanned, (double)ts_max_i64(t->v->rows, 1));
	snprintf(out, size, "%s: %s%s", what, scanned > 0 ? percent : "waiting",
		scanned > 0 ? " of the rows" : "");
}

/* What has to be known about it: that it is not all, or not sure. */
static void
note_text(const struct variables_view *t, char *out, size_t size)
{
	const struct ts_variable_list *busy = t->making ? t->making : t->stopped ? t->list : NULL;
	char percent[TS_FMT_MAX], n[TS_FMT_MAX];
	bool sorted = busy && busy->sort != TS_SORT_ROW && busy == t->list &&
		atomic_load(&busy->top) != NULL;

	out[0] = '\0';
	if (t->making && atomic_load(&busy->scanned) >= t->v->rows) {
		snprintf(out, size, "all rows are read, putting them in order");
	} else if (busy && busy != t->list) {
		wait_text(t, out, size);
	} else if (busy) {
		ts_fmt_percent(percent, (double)atomic_load(&busy->scanned),
			(double)ts_max_i64(t->v->rows, 1));
		snprintf(out, size, "partial: %s of the rows%s%s", percent,
			sorted ? ", the first 1,000" : "", t->making ? "" : ", stopped");
	} else if (t->list && t->list->partial) {
		snprintf(out, size, "partial: the report is damaged");
	} else if (t->unsized > 0 && t->list && t->list->filter.count == 0) {
		snprintf(out, size, "%s without a size", ts_fmt_count(n, t->unsized));
	}
}

static void
draw_status(struct ts_canvas *c, const struct variables_view *t)
{
	struct ts_rect r = t->at.status;
	char text[160], note[100];
	int x;

	if (ts_rect_empty(r))
		return;
	count_text(t, text, sizeof(text));
	note_text(t, note, sizeof(note));
	x = ts_canvas_text(c, r, 1, 0, TS_ROLE_VALUE, text);
	if (note[0])
		x += 2 +
			ts_canvas_field(c, r, x + 2, 0, r.w - x - 3, TS_ROLE_NOTE, note,
				strlen(note), TS_FIELD_ELLIPSIS);
	if (t->wish.filter.count > 0 && r.w - x > 8) {
		x = ts_canvas_text(c, r, x + 2, 0, TS_ROLE_LABEL, "&");
		ts_canvas_field(c, r, x + 1, 0, r.w - x - 2, TS_ROLE_ACCENT, t->wish.filter.line,
			strlen(t->wish.filter.line), TS_FIELD_ELLIPSIS);
	}
}

/* --- details ---------------------------------------------------------------------------------- */

struct flow {
	struct ts_canvas *c;
	struct ts_rect r;
	int x, y;
};

/* A label and its figure, on this line or the next. */
static void
put(struct flow *f, const char *label, const char *value)
{
	int w = (int)strlen(label) + 1 + (int)strlen(value);

	if (f->x > 1 && f->x + w > f->r.w) {
		f->x = 1;
		f->y++;
	}
	if (f->y >= f->r.h)
		return;
	f->x = ts_canvas_text(f->c, f->r, f->x, f->y, TS_ROLE_LABEL, label);
	f->x = ts_canvas_text(f->c, f->r, f->x + 1, f->y, TS_ROLE_VALUE, value) + 3;
}

static void
put_number(struct flow *f, const char *label, int64_t v)
{
	char text[TS_FMT_MAX];

	if (v != TS_UNKNOWN)
		put(f, label, ts_fmt_count(text, v));
}

/* Text of the report in a figure's place. */
static void
put_text(struct flow *f, const struct variables_view *t, const char *label, uint32_t at, uint32_t n)
{
	struct ts_strbuf safe;

	if (n == 0)
		return;
	ts_strbuf_init(&safe, 200);
	ts_utf8_safe(&safe, t->window.text.s + at, n);
	put(f, label, safe.s);
	ts_strbuf_fini(&safe);
}

static void
put_bytes(struct flow *f, const struct variables_view *t, const struct ts_variable *x)
{
	char exact[TS_FMT_MAX], text[TS_FMT_MAX], percent[TS_FMT_MAX], all[120];

	if (x->bytes == TS_UNKNOWN)
		return;
	ts_fmt_percent(percent, (double)x->bytes, (double)t->v->bytes_per_tile);
	ts_fmt_count(exact, x->bytes);
	ts_fmt_bytes(text, x->bytes, units(t));
	if (t->v->bytes_per_tile <= 0)
		snprintf(all, sizeof(all), x->bytes < LONG_BYTES ? "%s" : "%s (%s)", exact, text);
	else if (x->bytes < LONG_BYTES)
		snprintf(all, sizeof(all), "%s (%s of a tile)", exact, percent);
	else
		snprintf(all, sizeof(all), "%s (%s, %s of a tile)", exact, text, percent);
	put(f, "bytes", all);
}

static void
put_place(struct flow *f, const struct ts_variable *x)
{
	char text[80];

	if (x->offset == TS_UNKNOWN)
		return;
	if (x->bytes == TS_UNKNOWN)
		snprintf(text, sizeof(text), "0x%llx", (unsigned long long)x->offset);
	else
		snprintf(text, sizeof(text), "0x%llx-0x%llx", (unsigned long long)x->offset,
			(unsigned long long)(x->offset + x->bytes));
	put(f, "offset", text);
}

/* The name, broken where the line ends; how many lines it takes. */
static int
draw_name(struct ts_canvas *c, struct ts_rect r, const struct variables_view *t,
	const struct ts_variable *x)
{
	struct ts_strbuf name;
	int lines;

	ts_strbuf_init(&name, TS_VARIABLE_NAME_MAX * 3);
	ts_utf8_safe(&name, t->window.text.s + x->name, x->name_n);
	lines = ts_canvas_wrap(c, r, 0, TS_ROLE_TITLE, name.s);
	ts_strbuf_fini(&name);
	return lines < r.h ? lines : r.h;
}

static void
draw_fields(struct ts_canvas *c, struct ts_rect r, const struct variables_view *t,
	const struct ts_variable *x)
{
	struct flow f = {c, r, 1, 0};

	put_number(&f, "tile", x->tile);
	put_number(&f, "ipu", x->ipu);
	put_bytes(&f, t, x);
	put_place(&f, x);
	put_text(&f, t, "category", x->category_name, x->category_name_n);
	put_text(&f, t, "type", x->type, x->type_n);
	put_number(&f, "alignment", x->alignment);
	if (x->always_live >= 0)
		put(&f, "always live", x->always_live ? "yes" : "no");
	put_number(&f, "id", x->id);
	put_number(&f, "unlowered variable", x->variable);
	put_number(&f, "equivalence class", x->class_of);
	put_number(&f, "debug context", x->context);
}

static void
draw_details(struct ts_canvas *c, const struct variables_view *t)
{
	const struct ts_variable *x = variables_row(t, t->rows.cursor);
	struct ts_rect r = t->at.details, name = r;
	char row[TS_FMT_MAX], rows[TS_FMT_MAX], right[80];

	if (ts_rect_empty(r))
		return;
	snprintf(right, sizeof(right), "row %s of %s",
		ts_fmt_count(row, t->rows.count > 0 ? t->rows.cursor + 1 : 0),
		ts_fmt_count(rows, t->rows.count));
	ts_canvas_rule(c, t->at.rule, TS_ROLE_BORDER, "Variable", t->rows.count > 0 ? right : NULL);
	if (!x) {
		if (t->rows.count > 0)
			ts_canvas_pending(c, r, 1, 0);
		return;
	}
	if (x->state == TS_VARIABLE_DAMAGED) {
		ts_canvas_text(c, r, 1, 0, TS_ROLE_BAD, "this row is damaged");
		return;
	}
	name.x += 1;
	name.w -= 2;
	name.h = r.h > 4 ? r.h - 3 : 1;
	if (x->has_name)
		ts_rect_cut_top(&r, draw_name(c, name, t, x));
	draw_fields(c, r, t, x);
}

void
variables_draw(struct ts_view *v, struct ts_canvas *c)
{
	struct variables_view *t = (struct variables_view *)v;
	struct ts_table table;
	char order[60];

	order_text(t, order, sizeof(order));
	ts_canvas_rule(c, t->at.title, TS_ROLE_BORDER_ACTIVE, "Variables", t->v ? order : NULL);
	if (!t->v || (!ts_pane_has(&t->data) && !t->list && t->data.state != TS_PANE_LOADING)) {
		struct ts_rect r = t->area;

		ts_rect_cut_top(&r, 1);
		ts_pane_draw(c, r, t->view.env, &t->data);
		return;
	}
	draw_status(c, t);
	if (!t->list) {
		ts_canvas_text(c, t->at.table, 1, 0, TS_ROLE_DIM, "The rows are being counted.");
		return;
	}
	variables_table(&table, t);
	ts_table_draw(c, t->at.table, &table, &t->rows);
	if (t->debug.shown)
		ts_debug_draw(c, t->at.details, &t->debug, t->debug_focus);
	else
		draw_details(c, t);
}
