/* SPDX-License-Identifier: MIT */
/*
 * liveness_alive - the tab of the variables that are not always live: who is alive at the step
 * under the cursor and at the marked steps, a column for each.
 *
 * Lists are of the largest thousand, of all where one looks further (more than some thousand are
 * arranged and searched by a worker, liveness_far.c); the pinned totals are of all, with a line for
 * what is not listed. Bytes in the table are of one replica, the sum below it says of what it is.
 */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tilescope/base/mem.h"
#include "tilescope/base/utf8.h"

#include "tilescope/view/help.h"
#include "tilescope/view/what_if.h"

#include "liveness_alive.h"
#include "liveness_tabs.h"

enum { TOTALS_FROM = 9 }; /* rows of the pane from which all totals are drawn */

static struct alive_tab *
tab_of(const struct ts_tab *t)
{
	return t->own;
}

const char *
live_alive_name(const struct ts_alive *a, int64_t row, char buf[LIVE_NAME])
{
	const char *name = ts_alive_name(a, (int)row);
	int64_t variable = a->row[row].variable;

	if (*name)
		return name;
	if (variable < 0 || a->lowered)
		snprintf(buf, LIVE_NAME, "lowered variable in row %lld",
			(long long)(variable < 0 ? -1 - variable : variable));
	else
		snprintf(buf, LIVE_NAME, "variable %lld", (long long)variable);
	return buf;
}

const char *
live_name(const struct liveness *s, int row, char buf[LIVE_NAME])
{
	return live_alive_name(s->alive, row, buf);
}

/* --- totals ----------------------------------------------------------------------------------- */

/* What is beyond the rows, what they are with it, and all of the source. Where there is little room, the second alone. */
enum { TOTAL_LEFT, TOTAL_NOT_ALWAYS, TOTAL_ALWAYS, TOTAL_SUM, TOTALS };

/* The variables that the list is of: all, or those that were chosen. */
static void
chosen_name(const struct alive_tab *t, char *out, size_t size)
{
	static const char *const only[TS_ALIVE_ONLY_COUNT] = {"", " born", " died",
		" born or died"};
	const struct liveness *s = t->s;
	const struct ts_alive *a = s->alive;
	char n[TS_FMT_MAX], of[TS_FMT_MAX];

	if (s->group >= 0)
		snprintf(out, size, "%s%s in %s, of %s here", ts_fmt_count(n, a->found),
			only[s->only], live_group_name(s, s->group), ts_fmt_count(of, a->count));
	else if (s->only != TS_ALIVE_EVERY)
		snprintf(out, size, "%s%s, of %s here", ts_fmt_count(n, a->found), only[s->only],
			ts_fmt_count(of, a->count));
	else if (a->asked.marks > 0)
		snprintf(out, size, "%s variable%s, %s here", ts_fmt_count(n, a->found),
			a->found == 1 ? "" : "s", ts_fmt_count(of, a->count));
	else
		snprintf(out, size, "%s variable%s", ts_fmt_count(n, a->count),
			a->count == 1 ? "" : "s");
}

/* What is beyond the rows, and the key that leads there: "24,000 smaller ones (G lists them)". */
static void
left_name(const struct alive_tab *t, char *out, size_t size)
{
	char n[TS_FMT_MAX], keys[TS_KEYS_TEXT];

	ts_fmt_count(n, t->s->alive->left_rows);
	if (t->l.order.filtered || !*ts_help_key(keys, t->s->v.env, TS_CONTEXT_LIST, TS_CMD_LAST))
		snprintf(out, size, "%s smaller ones, not %s yet", n,
			t->l.order.filtered ? "looked at" : "listed");
	else
		snprintf(out, size, "%s smaller ones (%s lists them)", n, keys);
}

static void
total_name(const struct alive_tab *t, int64_t line, char *out, size_t size)
{
	const struct liveness *s = t->s;
	const struct ts_alive *a = s->alive;
	bool all = s->shown.where == TS_LIVE_ALL && s->src.line.replicas > 1;
	char n[TS_FMT_MAX], of[TS_FMT_MAX], chosen[100];

	chosen_name(t, chosen, sizeof(chosen));
	if (line == TOTAL_LEFT)
		left_name(t, out, size);
	else if (line == TOTAL_NOT_ALWAYS && s->table.state == TS_PANE_PARTIAL)
		snprintf(out, size, "damaged: what could be read, %s", chosen);
	else if (line == TOTAL_ALWAYS)
		snprintf(out, size, "always live%s",
			!all			 ? ""
				: s->one_replica ? ", one replica"
						 : ", device");
	else if (line == TOTAL_SUM && all && !s->one_replica)
		snprintf(out, size, "sum, device of %s replicas",
			ts_fmt_count(n, s->src.line.replicas));
	else if (line == TOTAL_SUM)
		snprintf(out, size, "sum at step %s%s%s", ts_fmt_count(n, a->step),
			t->l.order.filtered || s->group >= 0 || s->only != TS_ALIVE_EVERY
				? " of all variables"
				: "",
			all ? ", one replica" : "");
	else if (t->l.order.filtered)
		snprintf(out, size, "%s of the %s%s listed", ts_fmt_count(n, t->l.list.count),
			a->left_rows > 0 ? "largest " : "", ts_fmt_count(of, a->rows));
	else if (t->first != TOTAL_LEFT && a->left_rows > 0)
		snprintf(out, size, "%s, largest %s listed", chosen, ts_fmt_count(n, a->rows));
	else
		snprintf(out, size, "%s%s", chosen, all ? " of one replica" : "");
}

static void
total_change(const struct alive_tab *t, char out[64])
{
	const struct ts_alive_sums *c = &t->s->alive->chosen;

	live_alive_change(t->s, c->born.bytes - c->died.bytes, out);
}

/* Bytes of a line at the step (column 0) or at a mark, at most TS_NUMBER_MAX; TS_UNKNOWN. */
static int64_t
total_sum(const struct alive_tab *t, int64_t line, int column)
{
	const struct liveness *s = t->s;
	const struct ts_alive *a = s->alive;
	int64_t bytes = a->shown[column].bytes, always = live_base(s);

	switch (line) {
	case TOTAL_LEFT:
		return a->left[column].bytes;
	case TOTAL_NOT_ALWAYS:
		if (a->left[column].bytes == TS_UNKNOWN ||
			!ts_add_i64(&bytes, a->left[column].bytes))
			return a->at[column].bytes;
		return bytes;
	case TOTAL_ALWAYS:
		return always;
	default:
		bytes = live_scaled(s, a->at[column].bytes);
		return always != TS_UNKNOWN && ts_add_i64(&bytes, always) ? bytes : TS_UNKNOWN;
	}
}

/* A sum that goes beyond the numbers of the model is not known. */
static int64_t
total_bytes(const struct alive_tab *t, int64_t line, int column)
{
	int64_t bytes = total_sum(t, line, column);

	return bytes >= TS_NUMBER_MAX && t->s->alive->at[column].count > 1 ? TS_UNKNOWN : bytes;
}

/* What stands in a column of bytes. */
static int64_t
total_figure(const struct alive_tab *t, int64_t line, int column)
{
	return line == TOTAL_NOT_ALWAYS && t->l.order.filtered
		? (int64_t)t->l.order.sum[column]
		: total_bytes(t, line, column >= C_MARK ? column - C_MARK + 1 : 0);
}

static bool
total_value(void *ctx, int64_t row, int column, struct ts_table_value *out)
{
	const struct alive_tab *t = ctx;

	if (column == C_BYTES || column >= C_MARK)
		ts_table_value_known(out, total_figure(t, row + t->first, column));
	return true;
}

static bool
total_cell(void *ctx, int64_t row, int column, struct ts_table_cell *out)
{
	const struct alive_tab *t = ctx;
	const struct liveness *s = t->s;
	int64_t line = row + t->first, bytes;
	bool filtered = t->l.order.filtered;

	out->role = TS_ROLE_TOTAL;
	out->s = out->buf;
	if (column == C_NAME) {
		out->s = t->total[line];
		return true;
	}
	if (column == C_SHARE && line <= TOTAL_NOT_ALWAYS && s->alive->bytes > 0 && !filtered)
		ts_fmt_percent(out->buf, (double)total_bytes(t, line, 0), (double)s->alive->bytes);
	if (line == TOTAL_NOT_ALWAYS && column == C_CHANGE && !filtered)
		total_change(t, out->buf);
	if (column != C_BYTES && column < C_MARK)
		return true;
	bytes = total_figure(t, line, column);
	if (bytes == TS_UNKNOWN)
		snprintf(out->buf, sizeof(out->buf), "?");
	else
		ts_fmt_bytes(out->buf, bytes, live_units(s));
	return true;
}

static void
draw_totals(struct ts_canvas *c, struct alive_tab *a)
{
	struct ts_rect at = ts_held_list_below(&a->l, a->body, a->totals);
	struct ts_table t = a->l.table;
	struct ts_list lines;

	t.cell = total_cell;
	t.value = total_value;
	t.row = NULL;
	t.order = NULL;
	t.header = false;
	t.plain = true;
	for (int i = 0; i < TOTALS; i++)
		total_name(a, i, a->total[i], sizeof(a->total[i]));
	ts_list_init(&lines);
	ts_list_set_count(&lines, TOTALS - a->first);
	ts_list_resize(&lines, at.h);
	ts_canvas_fill(c, at, TS_ROLE_TOTAL, ' ');
	ts_table_draw(c, at, &t, &lines);
}

/* --- the tab ---------------------------------------------------------------------------------- */

static bool
open_tab(struct ts_tab *t)
{
	struct alive_tab *a = ts_alloc(1, sizeof(*a));

	if (!a)
		return false;
	a->s = t->host;
	ts_held_list_init(&a->l, C_BYTES);
	t->own = a;
	return true;
}

static void
close_tab(struct ts_tab *t)
{
	ts_held_list_fini(&tab_of(t)->l);
	live_far_fini(tab_of(t));
	free(t->own);
}

static bool
is_absent(const struct ts_tab *t)
{
	return tab_of(t)->s->table.state == TS_PANE_ABSENT;
}

/* Whose the table is, and whether its figures are what they should be. */
static void
note(const struct ts_tab *t, char out[TS_TAB_NOTE])
{
	const struct liveness *s = tab_of(t)->s;
	const struct ts_alive *a = s->alive;
	static const char *const only[TS_ALIVE_ONLY_COUNT] = {"", "born, ", "died, ",
		"born or died, "};
	char n[TS_FMT_MAX], m[TS_FMT_MAX];
	size_t point;

	if (!a || !a->listed) {
		snprintf(out, TS_TAB_NOTE, "step %s", ts_fmt_count(n, live_step(s)));
		return;
	}
	point = ts_liveness_find(&s->src.line, a->step);
	if (a->step != live_step(s))
		snprintf(out, TS_TAB_NOTE, "step %s is being read", ts_fmt_count(n, live_step(s)));
	else if (s->table.state == TS_PANE_PARTIAL)
		snprintf(out, TS_TAB_NOTE, "damaged: what could be read");
	else if (a->bytes != TS_UNKNOWN && a->bytes != s->src.line.bytes[point])
		snprintf(out, TS_TAB_NOTE, "%s; the timeline says %s",
			ts_fmt_bytes(n, a->bytes, live_units(s)),
			ts_fmt_bytes(m, s->src.line.bytes[point], live_units(s)));
	else
		snprintf(out, TS_TAB_NOTE, "%s%s%sstep %s, %s variable%s%s", only[s->only],
			s->group >= 0 ? live_group_name(s, s->group) : "",
			s->group >= 0 ? ", " : "", ts_fmt_count(n, a->step),
			ts_fmt_count(m, a->count), a->count == 1 ? "" : "s",
			s->shown.where == TS_LIVE_ALL && s->src.line.replicas > 1 ? ", one replica"
										  : "");
}

static void
resize(struct ts_tab *t)
{
	struct alive_tab *a = tab_of(t);

	a->body = t->r;
	a->first = a->s->alive && a->s->alive->left_rows > 0 && t->r.h + 1 > TOTALS_FROM
		? TOTAL_LEFT
		: TOTAL_NOT_ALWAYS;
	a->totals = ts_rect_cut_bottom(&a->body,
		t->r.h + 1 >= TOTALS_FROM ? TOTALS - a->first : t->r.h >= 3);
	live_alive_begin(a, t);
}

bool
live_alive_there(const struct liveness *s)
{
	return ts_pane_has(&s->table) ||
		(s->table.state == TS_PANE_LOADING && s->alive && s->alive->listed);
}

static void
draw(struct ts_tab *t, struct ts_canvas *c, bool focus)
{
	struct alive_tab *a = tab_of(t);
	struct liveness *s = a->s;

	(void)focus;
	if (!live_alive_there(s)) {
		ts_pane_draw(c, t->r, s->v.env, &s->table);
	} else if (!s->alive || !s->alive->listed) {
		ts_canvas_pending(c, t->r, 2, 0);
	} else {
		live_alive_begin(a, t);
		ts_held_list_draw(&a->l, c, a->body);
		draw_totals(c, a);
	}
}

bool
live_alive_looks_further(const struct liveness *s)
{
	const struct alive_tab *a = s->tabs.tab[0].own;
	const struct ts_table_order *o = &a->l.order;

	return o->filter[0] || a->l.needle[0] || o->sorted != C_BYTES || !o->descending ||
		a->l.list.cursor + a->l.list.rows >= TS_ALIVE_MAX;
}

int64_t
live_alive_cursor(const struct liveness *s)
{
	const struct alive_tab *a = s->tabs.tab[0].own;
	int64_t row = s->alive && a ? ts_held_list_row(&a->l) : -1;

	return row >= 0 && row < s->alive->rows ? row : -1;
}

/* Mark the variable for all views: Memory draws it over the tiles, Lifetimes its life, what-if takes it away. */
static enum ts_effect
mark_variable(struct liveness *s)
{
	int64_t row = live_alive_cursor(s);
	struct ts_marked_variable v;
	char buf[LIVE_NAME];

	if (row < 0)
		return TS_EFFECT_BELL;
	v = live_alive_mark(s, row);
	snprintf(v.name, sizeof(v.name), "%s", live_name(s, (int)row, buf));
	return ts_view_mark(&s->v, &v);
}

static enum ts_effect
tick_variable(struct liveness *s)
{
	int64_t row = live_alive_cursor(s);
	struct ts_what_if_change x = {0};
	char buf[LIVE_NAME];
	const char *name;

	if (row < 0)
		return TS_EFFECT_BELL;
	if (!live_alive_ticked(s->alive, row, &x.of, &x.id)) {
		ts_view_say(s->v.env,
			"lowered variables have no numbers in this report: "
			":whatif remove PATTERN goes by name");
		return TS_EFFECT_BELL;
	}
	name = live_name(s, (int)row, buf);
	ts_what_if_name(&x, name, strlen(name));
	return ts_what_if_tick(&s->v, &x);
}

static enum ts_effect
command(struct ts_tab *t, const struct ts_call *call)
{
	struct alive_tab *a = tab_of(t);
	enum ts_effect effect;

	live_alive_begin(a, t);
	if (call->cmd == TS_CMD_MARK)
		return mark_variable(a->s);
	if (call->cmd == TS_CMD_TICK)
		return tick_variable(a->s);
	effect = live_far_search(a, call);
	if (!(effect & TS_EFFECT_UNKNOWN))
		return effect;
	return ts_held_list_command(&a->l, t, call);
}

static enum ts_effect
mouse(struct ts_tab *t, int x, int y, int wheel)
{
	struct alive_tab *a = tab_of(t);

	(void)x;
	live_alive_begin(a, t);
	return ts_held_list_mouse(&a->l, a->body, y, wheel);
}

/* Of a variable its own context; of a piece on a tile that of its row. */
static bool
about(const struct ts_tab *t, struct ts_debug_about *out)
{
	const struct liveness *s = tab_of(t)->s;
	int64_t row = live_alive_cursor(s), program = live_program(s);

	if (s->about_step || row < 0 || s->alive->lowered || s->alive->row[row].variable < 0) {
		*out = (struct ts_debug_about){.relation = TS_PROGRAM,
			.key = program,
			.what = "step"};
		return program >= 0;
	}
	*out = (struct ts_debug_about){.relation = TS_VARIABLE,
		.key = s->alive->row[row].variable,
		.what = "variable"};
	return true;
}

/* A piece on a tile is known by its id, where that was looked up. */
static void
object(const struct ts_tab *t, struct ts_at_cursor *out)
{
	const struct liveness *s = tab_of(t)->s;
	int64_t row = live_alive_cursor(s);

	if (s->about_step || row < 0)
		return;
	out->variable = s->alive->lowered ? s->alive->row[row].unlowered
					  : s->alive->row[row].variable;
	if (s->alive->lowered)
		out->lowered = s->alive->row[row].id;
}

static struct ts_list *
list(struct ts_tab *t, bool *there)
{
	struct alive_tab *a = tab_of(t);
	struct liveness *s = a->s;

	*there = s->alive && s->asked.step == live_step(s) && s->asked_listed &&
		!s->under_way[LIVE_FETCH_ALIVE] && !live_far_busy(a);
	return &a->l.list;
}

/* Rows of the step that is shown: keys are for them while lives are read, or rows put in order. */
static bool
some(const struct ts_tab *t)
{
	const struct liveness *s = tab_of(t)->s;

	return live_alive_there(s) && s->alive && s->alive->listed && s->asked_listed &&
		s->asked.step == live_step(s) && s->alive->step == s->asked.step;
}

/* Rows are asked for by the view; what the list wants and has is counted. */
static void
request(struct ts_tab *t)
{
	struct alive_tab *a = tab_of(t);
	const struct liveness *s = a->s;
	bool here = s->alive && s->alive->step == s->asked.step;

	if (s->lives && a->l.list.rows > 0)
		ts_window_want(t->view, TS_WINDOW_LIVENESS, &a->l.list, (uint64_t)s->asked.step, 0,
			here ? s->alive->rows : 0);
	live_far_request(a, t);
}

static void
drop(struct ts_tab *t)
{
	live_far_drop(tab_of(t));
}

static const struct ts_hint hints[] = {
	{TS_CMD_TICK, "what if"},
	{TS_CMD_MARK, "mark"},
	{TS_CMD_SORT, "sort"},
	{TS_CMD_FILTER, "filter"},
	{TS_CMD_GOTO_MEMORY, "memory"},
	{TS_CMD_COUNT, NULL},
};

const struct ts_tab_ops live_tab_alive = {
	.name = "variables",
	.title = "Not always live",
	.brief = "Alive",
	.open = open_tab,
	.close = close_tab,
	.absent = is_absent,
	.note = note,
	.drop = drop,
	.resize = resize,
	.request = request,
	.deliver = live_far_deliver,
	.draw = draw,
	.command = command,
	.mouse = mouse,
	.about = about,
	.object = object,
	.list = list,
	.some = some,
	.sheet = live_alive_sheet,
	.hints = hints,
	.explain = live_explain_alive,
};
