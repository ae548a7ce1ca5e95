/* SPDX-License-Identifier: MIT */
/*
 * trace_steps - the list of steps as the first tab of the Trace view. Its cursor is the view's: whoever moves
 * it leaves a note for the cursor of the drawing to follow.
 */
#include "config.h"

#include <stdio.h>
#include <string.h>

#include "trace_internal.h"

#include "tilescope/view/sheet.h"

enum { WHEEL_ROWS = 3 };

static struct trace_view *
view_of(const struct ts_tab *tab)
{
	return tab->host;
}

static void
steps_resize(struct ts_tab *tab)
{
	struct trace_view *t = view_of(tab);
	struct ts_table table;

	t->at.table = tab->r;
	t->at.total = trace_cut_marked(t, &t->at.table);
	trace_table(&table, t);
	if (tab->r.h > 0)
		ts_list_resize(&t->list, ts_table_rows(&table, t->at.table));
}

/* What was found, and of how many. */
static void
steps_note(const struct ts_tab *tab, char out[TS_TAB_NOTE])
{
	const struct trace_view *t = view_of(tab);
	char of[TS_FMT_MAX], hits[TS_FMT_MAX], share[TS_FMT_MAX];
	bool damaged = t->trace && (t->trace->cut || t->data.state == TS_PANE_PARTIAL);

	if (!t->trace || t->trace->rows == 0)
		return;
	if (t->has_hits && t->needle[0])
		snprintf(out, TS_TAB_NOTE, "%s %s%s%s", ts_fmt_count(hits, t->hits.count),
			t->hits.count == 1 ? "hit" : "hits",
			t->has_cost		    ? ", "
				: trace_searched(t) ? ""
						    : " so far",
			t->has_cost
				? ts_fmt_percent(share, (double)t->cost.hits, (double)t->cost.all)
				: "");
	else if (t->needle[0] && t->fetch[ASK_SEARCH])
		snprintf(out, TS_TAB_NOTE, "searching");
	else
		snprintf(out, TS_TAB_NOTE, "%s%s steps%s", t->trace->gaps ? "about " : "",
			ts_fmt_count(of, t->list.count), damaged ? " (damaged)" : "");
	if (trace_ipu(t) != TS_UNKNOWN) {
		size_t n = strlen(out);

		snprintf(out + n, TS_TAB_NOTE - n, " of ipu %lld", (long long)trace_ipu(t));
	}
}

static void
steps_draw(struct ts_tab *tab, struct ts_canvas *c, bool focus)
{
	struct trace_view *t = view_of(tab);
	struct ts_table table;

	if (t->steps.state == TS_PANE_ABSENT ||
		(t->steps.state == TS_PANE_FAILED && !t->fetch[ASK_WINDOW] &&
			!trace_row(t, t->list.cursor))) {
		ts_pane_draw(c, tab->r, t->view.env, &t->steps);
		return;
	}
	trace_table(&table, t);
	table.focus = focus;
	ts_table_draw(c, t->at.table, &table, &t->list);
	trace_draw_marked(t, c, t->at.total);
}

/* Millions of steps stand in their order; those with the most cycles in sight are a list of their own. */
static enum ts_effect
by_cycles(struct ts_tab *tab, const struct ts_call *call)
{
	const char *column = ts_call_arg(call, 0);

	if (column && strcmp(column, "cycles") != 0) {
		ts_view_say_error(tab->view->env,
			"steps are in their order; sort cycles lists the longest in sight");
		return TS_EFFECT_BELL;
	}
	for (int i = 0; i < tab->tabs->count; i++)
		if (tab->tabs->tab[i].ops == &trace_tab_longest)
			ts_tabs_show(tab->tabs, i);
	return (enum ts_effect)(TS_EFFECT_REPAINT | TS_EFFECT_RECALC | TS_EFFECT_REFLOW);
}

static enum ts_effect
steps_command(struct ts_tab *tab, const struct ts_call *call)
{
	struct trace_view *t = view_of(tab);
	enum ts_effect effect;

	switch (call->cmd) {
	case TS_CMD_UP:
	case TS_CMD_DOWN:
	case TS_CMD_PAGE_UP:
	case TS_CMD_PAGE_DOWN:
	case TS_CMD_HALF_UP:
	case TS_CMD_HALF_DOWN:
	case TS_CMD_FIRST:
	case TS_CMD_LAST:
	case TS_CMD_LEFT:
	case TS_CMD_RIGHT:
		effect = ts_list_command(&t->list, call->cmd);
		break;
	case TS_CMD_SORT:
		return by_cycles(tab, call);
	default:
		return TS_EFFECT_UNKNOWN;
	}
	if (effect & TS_EFFECT_SELECT)
		t->follow = FOLLOW_LIST;
	return effect;
}

static enum ts_effect
steps_mouse(struct ts_tab *tab, int x, int y, int wheel)
{
	struct trace_view *t = view_of(tab);
	struct ts_table table;
	int64_t row;

	(void)x;
	if (wheel) {
		ts_list_scroll(&t->list, WHEEL_ROWS * (int64_t)wheel);
	} else {
		trace_table(&table, t);
		row = ts_list_at(&t->list, ts_table_line(&table, t->at.table, y));
		if (row >= 0)
			ts_list_go(&t->list, row);
	}
	t->follow = FOLLOW_LIST;
	return (enum ts_effect)(TS_EFFECT_REPAINT | TS_EFFECT_RECALC | TS_EFFECT_SELECT);
}

/* Where the list's step comes from. */
static bool
steps_about(const struct ts_tab *tab, struct ts_debug_about *out)
{
	struct trace_view *t = view_of(tab);
	const struct ts_trace_row *row = t->trace ? trace_row(t, t->list.cursor) : NULL;

	if (row) /* while rows are read that of the step before stays */
		t->about = (struct ts_debug_about){.relation = TS_STEP,
			.key = row->step,
			.what = "step"};
	*out = t->about;
	return t->about.relation == TS_STEP;
}

static void
steps_explain(struct ts_tab *tab, struct ts_explain *out)
{
	trace_explain_step(view_of(tab), out);
}

static bool
steps_sheet(struct ts_tab *tab, struct ts_sheet *out)
{
	return trace_steps_sheet(view_of(tab), out);
}

const struct ts_tab_ops trace_tab_steps = {
	.name = "steps",
	.title = "Steps",
	.note = steps_note,
	.resize = steps_resize,
	.draw = steps_draw,
	.command = steps_command,
	.mouse = steps_mouse,
	.about = steps_about,
	.explain = steps_explain,
	.sheet = steps_sheet,
};
