/* SPDX-License-Identifier: MIT */
/*
 * liveness_groups - the tab of what the bytes at a step are for, by groups of variables. What is not always live comes
 * from who is alive, with labels; what is always live from the list of the tab before.
 */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tilescope/base/mem.h"
#include "tilescope/report/always.h"
#include "tilescope/view/what_if.h"

#include "liveness_tabs.h"

enum { BYTES_WIDE = 16 };

struct groups_tab {
	struct ts_held_list l; /* first */
	struct liveness *s;
	uint64_t of[2]; /* answers that its rows were made of */
	int rows;
	int group[TS_GROUPS_MAX];
	struct ts_rect body, total;
	int columns;
	struct ts_column column[16];
	struct ts_column_facts facts[16];
	char title[TS_ALIVE_MARKS][24];
};

enum { G_NAME, G_BYTES, G_SHARE, G_COUNT, G_ALWAYS, G_SUM, G_TICK, G_FIXED, G_MARK = G_FIXED };

static const struct ts_column group_columns[G_FIXED] = {
	{"group, by rules", 14, 40, 1, 0, TS_FIELD_ELLIPSIS},
	{"not always live", BYTES_WIDE, 0, 0, 0, TS_FIELD_RIGHT},
	{"share", 6, 0, 0, 3, TS_FIELD_RIGHT},
	{"variables", 9, 0, 0, 4, TS_FIELD_RIGHT},
	{"always live", BYTES_WIDE, 0, 0, 1, TS_FIELD_RIGHT},
	{"sum", BYTES_WIDE, 0, 0, 2, TS_FIELD_RIGHT},
	{"what if", 7, 0, 0, 1, TS_FIELD_LEFT},
};

static const struct ts_column_facts group_facts[G_FIXED] = {
	{"group", NULL, TS_SUM_COUNT, false},
	{"not_always_live", "bytes", TS_SUM_BYTES, false},
	{"share", "%", TS_SUM_NONE, false},
	{"variables", "variables", TS_SUM_NONE, false},
	{"always_live", "bytes", TS_SUM_BYTES, false},
	{"sum", "bytes", TS_SUM_BYTES, false},
	{"what_if", NULL, TS_SUM_NONE, true},
};

/* The always-live list, which the tab beside this one reads. */
static struct ts_tab *
always_tab(const struct groups_tab *g)
{
	return &g->s->tabs.tab[LIVE_TAB_ALWAYS];
}

static const struct ts_always *
always_of(const struct groups_tab *g)
{
	uint64_t version;

	return live_always(always_tab(g), &version);
}

/* Bytes of a group: column 0 is the step, then the marks. */
static int64_t
group_bytes(const struct groups_tab *g, int64_t row, int column)
{
	return ts_live_total_bytes(&g->s->alive->group[g->group[row]][column]);
}

static int64_t
group_always(const struct groups_tab *g, int64_t row)
{
	const struct ts_always *a = always_of(g);

	return a ? live_always_scaled(g->s, a->bytes, a->group[g->group[row]].bytes) : TS_UNKNOWN;
}

static int64_t
group_scaled(const struct groups_tab *g, int64_t row, int column)
{
	int64_t bytes = group_bytes(g, row, column);

	return bytes == TS_UNKNOWN ? TS_UNKNOWN : live_scaled(g->s, bytes);
}

static int64_t
group_sum(const struct groups_tab *g, int64_t row)
{
	int64_t sum = group_scaled(g, row, 0), always = group_always(g, row);

	return sum == TS_UNKNOWN || always == TS_UNKNOWN || !ts_add_i64(&sum, always) ? TS_UNKNOWN
										      : sum;
}

static int64_t
group_figure(const struct groups_tab *g, int64_t row, int column)
{
	switch (column) {
	case G_BYTES:
		return group_scaled(g, row, 0);
	case G_COUNT:
		return g->s->alive->group[g->group[row]][0].count;
	case G_ALWAYS:
		return group_always(g, row);
	case G_SUM:
		return group_sum(g, row);
	default:
		return group_scaled(g, row, column - G_MARK + 1);
	}
}

static const char *
group_sign(const struct groups_tab *g, int64_t row, char out[TS_WHAT_IF_SIGN])
{
	return ts_what_if_group_sign(g->s->v.env, ts_groups_name(g->s->groups, g->group[row]), out);
}

static bool
group_cell(void *ctx, int64_t row, int column, struct ts_table_cell *out)
{
	const struct groups_tab *g = ctx;
	const struct liveness *s = g->s;
	char sign[TS_WHAT_IF_SIGN];
	int64_t v;

	if (row < 0 || row >= g->rows)
		return false;
	out->role = column == G_BYTES ? TS_ROLE_VALUE : TS_ROLE_TEXT;
	out->s = out->buf;
	if (column == G_NAME) {
		out->s = ts_groups_name(s->groups, g->group[row]);
		if (g->group[row] == s->group)
			out->role = TS_ROLE_ACCENT;
		return true;
	}
	if (column == G_SHARE) {
		if (group_bytes(g, row, 0) > 0)
			ts_fmt_percent(out->buf, (double)group_bytes(g, row, 0),
				(double)s->alive->bytes);
		return true;
	}
	if (column == G_TICK) {
		snprintf(out->buf, sizeof(out->buf), "%s", group_sign(g, row, sign));
		return true;
	}
	v = group_figure(g, row, column);
	if (v == TS_UNKNOWN)
		snprintf(out->buf, sizeof(out->buf), "?");
	else if (v > 0 && column == G_COUNT)
		ts_fmt_count(out->buf, v);
	else if (v > 0)
		ts_fmt_bytes(out->buf, v, live_units(s));
	return true;
}

/* What is nothing, or not known, has no value, as it is blank on the screen: variables are those that are not always live. */
static bool
group_value(void *ctx, int64_t row, int column, struct ts_table_value *out)
{
	const struct groups_tab *g = ctx;
	const struct liveness *s = g->s;

	if (row < 0 || row >= g->rows)
		return false;
	if (column == G_NAME)
		ts_table_value_text(out, ts_groups_name(s->groups, g->group[row]));
	else if (column == G_TICK)
		ts_table_value_text(out, group_sign(g, row, out->buf));
	else if (column == G_SHARE && group_bytes(g, row, 0) > 0 && s->alive->bytes > 0)
		ts_table_value_real(out,
			100.0 * (double)group_bytes(g, row, 0) / (double)s->alive->bytes);
	else if (column != G_SHARE && group_figure(g, row, column) > 0)
		ts_table_value_integer(out, group_figure(g, row, column));
	return true;
}

/* A row for each group that has something alive, or always live. */
static void
make_rows(struct groups_tab *g)
{
	const struct ts_alive *a = g->s->alive;
	uint64_t of[2] = {g->s->alive_data, 0};
	const struct ts_always *always = live_always(always_tab(g), &of[1]);

	if (memcmp(g->of, of, sizeof(of)) == 0)
		return;
	memcpy(g->of, of, sizeof(of));
	g->l.of++;
	g->rows = 0;
	for (int i = 0; a && a->grouped && g->s->groups && i < ts_groups_count(g->s->groups); i++) {
		bool some = always && always->group[i].count > 0;

		for (int k = 0; k <= a->asked.marks; k++)
			some |= a->group[i][k].count > 0;
		if (some)
			g->group[g->rows++] = i;
	}
}

static void
groups_begin(struct groups_tab *g, const struct ts_tab *t)
{
	int marks = g->s->alive ? g->s->alive->asked.marks : 0;
	struct ts_held_table what = {.id = "liveness.groups",
		.column = g->column,
		.facts = g->facts,
		.cell = group_cell,
		.value = group_value,
		.empty = "nothing is alive"};

	memcpy(g->column, group_columns, sizeof(group_columns));
	memcpy(g->facts, group_facts, sizeof(group_facts));
	g->facts[G_TICK].extra = g->s->v.env->selection->what_if.count == 0;
	for (int i = 0; i < marks; i++) {
		char n[TS_FMT_MAX];
		static const char *const letters[] = {"A", "B", "C", "D", "E", "F"};

		snprintf(g->title[i], sizeof(g->title[i]), "%s %s", letters[i],
			ts_fmt_count(n, g->s->alive->asked.mark[i]));
		g->column[G_MARK + i] = (struct ts_column){g->title[i], BYTES_WIDE, 0, 0, 5 + i,
			TS_FIELD_RIGHT};
		g->facts[G_MARK + i] = (struct ts_column_facts){letters[i], "bytes", TS_SUM_BYTES,
			false};
	}
	what.columns = g->columns = G_FIXED + marks;
	if (g->l.order.sorted >= g->columns)
		g->l.order.sorted = G_BYTES;
	make_rows(g);
	g->body = t->r;
	g->total = ts_rect_cut_bottom(&g->body, t->r.h >= 3);
	ts_held_list_begin(&g->l, t, &what, g->body, g->rows);
}

static bool
groups_open(struct ts_tab *t)
{
	struct groups_tab *g = ts_alloc(1, sizeof(*g));

	if (!g)
		return false;
	g->s = t->host;
	ts_held_list_init(&g->l, G_SUM);
	t->own = g;
	return true;
}

static void
groups_close(struct ts_tab *t)
{
	ts_held_list_fini(&((struct groups_tab *)t->own)->l);
	free(t->own);
}

static bool
groups_absent(const struct ts_tab *t)
{
	const struct liveness *s = t->host;

	return s->table.state == TS_PANE_ABSENT || s->labels_pane.state == TS_PANE_ABSENT;
}

static void
groups_request(struct ts_tab *t)
{
	live_ask_always(always_tab(t->own));
}

static void
groups_resize(struct ts_tab *t)
{
	groups_begin(t->own, t);
}

static void
groups_note(const struct ts_tab *t, char out[TS_TAB_NOTE])
{
	const struct liveness *s = t->host;
	char n[TS_FMT_MAX];

	snprintf(out, TS_TAB_NOTE, "step %s, by name: derived%s", ts_fmt_count(n, live_step(s)),
		s->group >= 0 ? "; Enter: all again" : "");
}

/* Of how many replicas the figures are, and what had to be assumed for that; whether rules are missing. */
static void
draw_total(struct ts_canvas *c, const struct groups_tab *g)
{
	struct ts_rect at = ts_held_list_below(&g->l, g->body, g->total);
	const struct liveness *s = g->s;
	const struct ts_always *a = always_of(g);
	char n[TS_FMT_MAX], m[TS_FMT_MAX];
	const char *problem;
	int x;

	ts_canvas_fill(c, at, TS_ROLE_TOTAL, ' ');
	x = ts_canvas_printf(c, at, 0, 0, TS_ROLE_TOTAL, "%s not always live in %s variable%s%s",
		s->alive->bytes == TS_UNKNOWN
			? "?"
			: ts_fmt_bytes(n, live_scaled(s, s->alive->bytes), live_units(s)),
		ts_fmt_count(m, s->alive->count), s->alive->count == 1 ? "" : "s",
		!live_has_replicas(s)	 ? ""
			: s->one_replica ? ", one replica"
					 : ", device");
	if (a && live_has_replicas(s) && live_always_of_device(s, a->bytes) == s->one_replica)
		x = ts_canvas_printf(c, at, x, 0, TS_ROLE_NOTE, "; always live: %s %s, assumed",
			s->one_replica ? "device /" : "one x",
			ts_fmt_count(n, s->src.line.replicas));
	if (s->groups && ts_groups_wrong(s->groups, &problem) > 0)
		x = ts_canvas_text(c, at, x, 0, TS_ROLE_NOTE, "; not all rules: see Log");
	ts_canvas_text(c, at, x, 0, TS_ROLE_TOTAL, "; Enter lists a group");
}

static void
groups_draw(struct ts_tab *t, struct ts_canvas *c, bool focus)
{
	struct groups_tab *g = t->own;
	struct liveness *s = g->s;

	(void)focus;
	if (!ts_pane_has(&s->table)) {
		ts_pane_draw(c, t->r, s->v.env, &s->table);
		return;
	}
	if (!ts_pane_has(&s->labels_pane) && s->labels_pane.state != TS_PANE_EMPTY) {
		ts_pane_draw(c, t->r, s->v.env, &s->labels_pane);
		return;
	}
	if (!s->alive || !s->alive->grouped) {
		ts_canvas_pending(c, t->r, 2, 0);
		return;
	}
	groups_begin(g, t);
	ts_held_list_draw(&g->l, c, g->body);
	draw_total(c, g);
}

/* Nothing of it is alive but always: the list of that, of this group. */
static enum ts_effect
list_always(struct groups_tab *g, const char *group)
{
	struct ts_tab *t = &g->s->tabs.tab[LIVE_TAB_ALWAYS];
	char line[80], *word = line;
	struct ts_call call;
	struct ts_err err = {0};

	snprintf(line, sizeof(line), "group=\"%.60s\"", group);
	ts_tabs_show(&g->s->tabs, LIVE_TAB_ALWAYS);
	if (ts_call_make(&call, TS_CMD_FILTER, &word, 1, &err))
		return TS_EFFECT_BELL;
	ts_view_say(g->s->v.env, "all of %s is always live", group);
	return (enum ts_effect)(t->ops->command(t, &call) | TS_EFFECT_REPAINT | TS_EFFECT_RECALC);
}

static enum ts_effect
groups_command(struct ts_tab *t, const struct ts_call *call)
{
	struct groups_tab *g = t->own;
	struct liveness *s = g->s;
	int64_t row;

	groups_begin(g, t);
	if (call->cmd != TS_CMD_TICK && (call->cmd != TS_CMD_OPEN || ts_call_arg(call, 0)))
		return ts_held_list_command(&g->l, t, call);
	row = ts_held_list_row(&g->l);
	if (row < 0)
		return call->cmd == TS_CMD_TICK ? TS_EFFECT_UNKNOWN : TS_EFFECT_BELL;
	if (call->cmd == TS_CMD_TICK)
		return ts_what_if_tick_group(&s->v, ts_groups_name(s->groups, g->group[row]));
	if (s->group != g->group[row] && s->alive && s->alive->group[g->group[row]][0].count == 0 &&
		group_always(g, row) > 0)
		return list_always(g, ts_groups_name(s->groups, g->group[row]));
	s->group = s->group == g->group[row] ? -1 : g->group[row];
	if (s->group >= 0)
		ts_tabs_show(&s->tabs, 0);
	ts_view_say(s->v.env, s->group >= 0 ? "only %s is listed" : "all groups are listed",
		ts_groups_name(s->groups, g->group[row]));
	return (enum ts_effect)(TS_EFFECT_REPAINT | TS_EFFECT_RECALC);
}

static enum ts_effect
groups_mouse(struct ts_tab *t, int x, int y, int wheel)
{
	struct groups_tab *g = t->own;

	(void)x;
	groups_begin(g, t);
	return ts_held_list_mouse(&g->l, g->body, y, wheel);
}

static struct ts_list *
groups_list(struct ts_tab *t, bool *there)
{
	struct groups_tab *g = t->own;

	*there = g->s->alive && g->s->alive->grouped && always_of(g);
	return &g->l.list;
}

static void
groups_explain(struct ts_tab *t, struct ts_explain *out)
{
	const struct groups_tab *g = t->own;
	int64_t row = ts_held_list_row(&g->l);

	if (row >= 0 && row < g->rows && g->s->groups && g->s->alive && g->s->alive->grouped)
		live_explain_group(g->s, out, g->group[row], always_of(g));
}

static const struct ts_hint hints[] = {
	{TS_CMD_OPEN, "list group"},
	{TS_CMD_TICK, "what if"},
	{TS_CMD_SORT, "sort"},
	{TS_CMD_COLUMNS, "columns"},
	{TS_CMD_COUNT, NULL},
};

const struct ts_tab_ops live_tab_groups = {
	.name = "groups",
	.title = "Groups",
	.hints = hints,
	.explain = groups_explain,
	.open = groups_open,
	.close = groups_close,
	.absent = groups_absent,
	.note = groups_note,
	.resize = groups_resize,
	.request = groups_request,
	.draw = groups_draw,
	.command = groups_command,
	.mouse = groups_mouse,
	.list = groups_list,
	.sheet = live_tab_sheet,
};
