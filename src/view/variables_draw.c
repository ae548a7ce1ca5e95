/* SPDX-License-Identifier: MIT */
/*
 * variables_draw - the Variables view on the canvas: what is shown and how much of it, and where.
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
};

static enum ts_units
units(const struct variables_view *t)
{
	return t->view.env->options->units;
}

/* --- places ----------------------------------------------------------------------------------- */

void
variables_layout(struct variables_view *t)
{
	struct ts_rect r = t->area;
	struct ts_table table;
	int details = r.h < DETAILS_LEAST || t->zoomed ? 0
		: r.h < DETAILS_MORE		       ? 3
		: r.h < DETAILS_MOST		       ? 6
						       : 9;

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
	enum ts_variable_sort sort = variables_shown_sort(t);
	bool back = variables_shown_backwards(t), falls = ts_variable_sort_falls(sort);

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
		snprintf(out, size, "none of %s variable%s", ts_fmt_count(rows, all),
			all == 1 ? "" : "s");
		return;
	}
	snprintf(out, size, "%s of %s variable%s%s%s%s%s",
		ts_fmt_count(found, atomic_load(&l->found)), ts_fmt_count(rows, all),
		all == 1 ? "" : "s", sum >= 0 ? ", " : "",
		sum >= 0 ? ts_fmt_bytes(bytes, sum, units(t)) : "",
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

	if (t->list ? strcmp(t->list->filter.line, l->filter.line) == 0 : l->filter.count == 0)
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
	if (t->making && atomic_load(&t->making->scanned) >= t->v->rows) {
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
	} else if (ts_variable_facts_partial(t->v->facts)) {
		snprintf(out, size, "partial: lifetimes or tiles: the report is damaged");
	} else if (t->list && atomic_load(&t->list->costly) > 0) {
		snprintf(out, size, "%s names took the expression too long: left out",
			ts_fmt_count(n, atomic_load(&t->list->costly)));
	} else if (t->unsized > 0 && t->list && t->list->filter.count == 0) {
		snprintf(out, size, "%s without a size", ts_fmt_count(n, t->unsized));
	} else if (t->v->lowered && t->view.env->selection->tiles.count > 0 &&
		!ts_filter_uses(&t->wish.filter, TS_VARIABLE_FIELD_TILE) &&
		!ts_filter_uses(&t->wish.filter, TS_VARIABLE_FIELD_IPU)) {
		snprintf(out, size, "of all tiles%s",
			t->wish.filter.count == 0 ? "; & tile in selected" : "");
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

void
variables_draw(struct ts_view *v, struct ts_canvas *c)
{
	struct variables_view *t = (struct variables_view *)v;
	struct ts_table table;
	char order[60];

	order_text(t, order, sizeof(order));
	ts_canvas_rule(c, t->at.title, TS_ROLE_BORDER_ACTIVE,
		t->unlowered ? "Variables before lowering" : "Variables", t->v ? order : NULL);
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
		variables_details(c, t);
}
