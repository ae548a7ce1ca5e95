/* SPDX-License-Identifier: MIT */
/*
 * liveness_alive - the tab of the variables that are not always live: who is alive at the step under the cursor and
 * at the marked steps, a column for each.
 *
 * Lists are of the largest thousand; the pinned totals are of all. Bytes in the table are of one replica, the
 * sum below it says of what it is.
 */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tilescope/base/mem.h"
#include "tilescope/base/utf8.h"

#include "tilescope/view/what_if.h"

#include "liveness_internal.h"

enum {
	BYTES_WIDE = 16, /* where they are written out */
	TOTALS_FROM = 9, /* rows of the pane from which all totals are drawn */
	ALL_BUT = 100,	 /* alive but for one step in so many: said so */
	TITLE = 24,
	HEADING = 80,
};

/* What a column shows; C_MARK + i is mark i. */
enum {
	C_NAME,
	C_BYTES,
	C_SHARE,
	C_CUMULATIVE,
	C_GROUP,
	C_LIVES,
	C_STEPS,
	C_PRODUCT,
	C_TICK,
	C_FIXED,
	C_CHANGE = C_FIXED,
	C_MARK,
};

static const struct ts_column fixed[C_FIXED] = {
	[C_NAME] = {NULL, 31, 110, 1, 0, TS_FIELD_TAIL}, /* make_columns() names it */
	[C_BYTES] = {"bytes", 9, 0, 0, 0, TS_FIELD_RIGHT},
	[C_SHARE] = {"share", 6, 0, 0, 12, TS_FIELD_RIGHT},
	[C_CUMULATIVE] = {"cumul.", 6, 0, 0, 11, TS_FIELD_RIGHT},
	[C_GROUP] = {"group", 15, 0, 0, 13, TS_FIELD_ELLIPSIS},
	[C_LIVES] = {"alive in steps", 17, 0, 0, 10, TS_FIELD_RIGHT},
	[C_STEPS] = {"steps", 7, 0, 0, 14, TS_FIELD_RIGHT},
	[C_PRODUCT] = {"bytes x steps", 13, 0, 0, 15, TS_FIELD_RIGHT},
	[C_TICK] = {"what if", 7, 0, 0, 1, TS_FIELD_LEFT},
};

static const struct ts_column_facts fixed_facts[C_FIXED] = {
	[C_NAME] = {"variable", NULL, TS_SUM_COUNT, false},
	[C_BYTES] = {"bytes", "bytes", TS_SUM_BYTES, false},
	[C_SHARE] = {"share", "%", TS_SUM_NONE, false},
	[C_CUMULATIVE] = {"cumulative", "%", TS_SUM_NONE, false},
	[C_GROUP] = {"group", NULL, TS_SUM_NONE, false},
	[C_LIVES] = {"lifetime", NULL, TS_SUM_NONE, false},
	[C_STEPS] = {"steps", "steps", TS_SUM_NONE, true},
	[C_PRODUCT] = {"bytes_x_steps", "bytes x steps", TS_SUM_NONE, true},
	[C_TICK] = {"what_if", NULL, TS_SUM_NONE, true},
};

struct alive_tab {
	struct live_list l; /* first */
	struct liveness *s;
	struct ts_rect body, totals;
	int64_t variable; /* under the cursor; -1 = none */
	int columns;
	struct ts_column column[C_MARK + TS_ALIVE_MARKS];
	struct ts_column_facts facts[C_MARK + TS_ALIVE_MARKS];
	char title[TS_ALIVE_MARKS][TITLE], heading[HEADING];
};

static const char *const letters[TS_ALIVE_MARKS] = {"A", "B", "C", "D", "E", "F"};

static struct alive_tab *
tab_of(const struct ts_tab *t)
{
	return t->own;
}

const char *
live_name(const struct liveness *s, int row, char buf[LIVE_NAME])
{
	const char *name = ts_alive_name(s->alive, row);
	int64_t variable = s->alive->row[row].variable;

	if (*name)
		return name;
	if (variable < 0 || s->alive->lowered)
		snprintf(buf, LIVE_NAME, "lowered variable in row %lld",
			(long long)(variable < 0 ? -1 - variable : variable));
	else
		snprintf(buf, LIVE_NAME, "variable %lld", (long long)variable);
	return buf;
}

/* --- columns ---------------------------------------------------------------------------------- */

/* Whose bytes these are: of which step, while another one is being read. */
static void
make_heading(struct alive_tab *a)
{
	const struct liveness *s = a->s;
	char n[TS_FMT_MAX], m[TS_FMT_MAX];

	if (!s->alive || s->alive->step == live_step(s))
		snprintf(a->heading, HEADING, "not always live at step %s",
			ts_fmt_count(n, live_step(s)));
	else
		snprintf(a->heading, HEADING, "step %s (%s is being read)",
			ts_fmt_count(n, s->alive->step), ts_fmt_count(m, live_step(s)));
}

/* The columns of the marks stand behind the others: a sort by one of those stays what it is. */
static void
make_columns(struct alive_tab *a)
{
	const struct ts_alive *alive = a->s->alive;
	int marks = alive ? alive->asked.marks : 0, wide = BYTES_WIDE;

	if (live_units(a->s) != TS_UNITS_BYTES)
		wide = fixed[C_BYTES].min;
	memcpy(a->column, fixed, sizeof(fixed));
	memcpy(a->facts, fixed_facts, sizeof(fixed_facts));
	make_heading(a);
	a->column[C_NAME].title = a->heading;
	a->column[C_BYTES].min = wide;
	a->facts[C_GROUP].extra = marks > 0 || !alive || !alive->grouped;
	a->facts[C_SHARE].extra = a->facts[C_CUMULATIVE].extra = marks > 0;
	a->facts[C_TICK].extra = a->s->v.env->selection->what_if.count == 0;
	a->columns = C_FIXED;
	if (marks > 0) {
		a->column[C_CHANGE] = (struct ts_column){"change", wide + 1, 0, 0, 1,
			TS_FIELD_RIGHT};
		a->facts[C_CHANGE] = (struct ts_column_facts){"change", "bytes", TS_SUM_BYTES,
			false};
		a->columns = C_MARK + marks;
	}
	for (int i = 0; i < marks; i++) {
		char n[TS_FMT_MAX];

		snprintf(a->title[i], TITLE, "%s %s", letters[i],
			ts_fmt_count(n, alive->asked.mark[i]));
		a->column[C_MARK + i] = (struct ts_column){a->title[i], wide, 0, 0, 2 + i,
			TS_FIELD_RIGHT};
		a->facts[C_MARK + i] = (struct ts_column_facts){letters[i], "bytes", TS_SUM_BYTES,
			false};
	}
	if (a->l.order.sorted >= a->columns)
		a->l.order.sorted = C_BYTES;
}

/* Bytes that came (above 0) or went between the steps that are compared. */
static int64_t
change_of(const struct ts_alive_row *row)
{
	return row->against == 1 ? row->bytes : row->against == 2 ? -row->bytes : 0;
}

static int64_t
bytes_at(const struct ts_alive_row *row, int column)
{
	return row->alive >> column & 1u ? row->bytes : 0;
}

static void
lives_text(const struct liveness *s, const struct ts_alive_row *row, char *out, size_t size)
{
	const struct ts_liveness *l = &s->src.line;
	int64_t missing = l->last_step - l->first_step + 1 - row->total;
	char first[TS_FMT_MAX], last[TS_FMT_MAX];

	if (missing <= 0)
		snprintf(out, size, "all");
	else if (missing <= l->steps / ALL_BUT)
		snprintf(out, size, "all but %s", ts_fmt_count(first, missing));
	else
		snprintf(out, size, "%s..%s%s", ts_fmt_count(first, row->start),
			ts_fmt_count(last, row->end - 1),
			row->total > row->end - row->start ? " +" : "");
}

static int64_t
product(const struct ts_alive_row *row)
{
	return row->total > 0 && row->bytes > TS_NUMBER_MAX / row->total ? TS_NUMBER_MAX
									 : row->bytes * row->total;
}

static const char *
group_name(const struct liveness *s, int group)
{
	return group >= 0 && s->groups ? ts_groups_name(s->groups, group) : "";
}

static void
change_text(const struct liveness *s, int64_t change, char out[64])
{
	char n[TS_FMT_MAX];

	if (change == 0)
		out[0] = '\0';
	else
		snprintf(out, 64, "%c%s", change > 0 ? '+' : '-',
			ts_fmt_bytes(n, change > 0 ? change : -change, live_units(s)));
}

/* A row may be a piece on a tile: its place among the rows, -1 = it is a whole variable. */
static int64_t
place_of(const struct liveness *s, const struct ts_alive_row *r)
{
	const struct ts_reach *reach = &s->v.env->report->binding[TS_LOWERED_VARIABLE].reach;
	int64_t row = r->variable < 0 ? -1 - r->variable : r->variable;

	if (!s->alive->lowered && r->variable >= 0)
		return -1;
	return row >= reach->first_rowid ? row - reach->first_rowid : 0;
}

/* What-if of the row: *of and *id; false: it has no number to go by. */
static bool
ticked(const struct liveness *s, int64_t row, enum ts_what_if_of *of, int64_t *id)
{
	const struct ts_alive_row *r = &s->alive->row[row];
	bool piece = place_of(s, r) >= 0;

	*of = piece ? TS_WHAT_IF_LOWERED : TS_WHAT_IF_VARIABLE;
	*id = piece ? r->id : r->variable;
	return *id != TS_UNKNOWN;
}

static void
tick_text(const struct liveness *s, int64_t row, char out[64])
{
	enum ts_what_if_of of;
	char sign[TS_WHAT_IF_SIGN];
	int64_t id;

	out[0] = '\0';
	if (ticked(s, row, &of, &id))
		snprintf(out, 64, "%s", ts_what_if_sign(s->v.env, of, id, sign));
}

static bool
alive_cell(void *ctx, int64_t i, int column, struct ts_table_cell *out)
{
	const struct alive_tab *t = ctx;
	const struct liveness *s = t->s;
	const struct ts_alive_row *row;
	double whole;

	if (!s->alive || i < 0 || i >= s->alive->rows)
		return false;
	row = &s->alive->row[i];
	whole = (double)s->alive->bytes;
	out->role = column == C_BYTES ? TS_ROLE_VALUE : TS_ROLE_TEXT;
	out->s = out->buf;
	switch (column) {
	case C_NAME:
		out->s = live_name(s, (int)i, out->buf);
		break;
	case C_BYTES:
		if (row->alive & 1u)
			ts_fmt_bytes(out->buf, row->bytes, live_units(s));
		break;
	case C_SHARE:
		if (row->alive & 1u)
			ts_fmt_percent(out->buf, (double)row->bytes, whole);
		break;
	case C_CUMULATIVE:
		if (!s->alive->asked.marks)
			ts_fmt_percent(out->buf, (double)row->cumulative, whole);
		break;
	case C_GROUP:
		out->s = group_name(s, row->group);
		break;
	case C_LIVES:
		lives_text(s, row, out->buf, sizeof(out->buf));
		break;
	case C_STEPS:
		ts_fmt_count(out->buf, row->total);
		break;
	case C_PRODUCT:
		ts_fmt_count(out->buf, product(row));
		break;
	case C_TICK:
		tick_text(s, i, out->buf);
		out->role = TS_ROLE_ACCENT;
		break;
	case C_CHANGE:
		change_text(s, change_of(row), out->buf);
		out->role = change_of(row) > 0 ? TS_ROLE_BAD : TS_ROLE_GOOD;
		break;
	default:
		if (bytes_at(row, column - C_MARK + 1) > 0)
			ts_fmt_bytes(out->buf, row->bytes, live_units(s));
	}
	return true;
}

static bool
alive_value(void *ctx, int64_t i, int column, struct ts_table_value *out)
{
	const struct alive_tab *t = ctx;
	const struct liveness *s = t->s;
	const struct ts_alive_row *row;

	if (!s->alive || i < 0 || i >= s->alive->rows)
		return false;
	row = &s->alive->row[i];
	switch (column) {
	case C_NAME:
		ts_table_value_text(out, live_name(s, (int)i, out->buf));
		break;
	case C_BYTES:
		ts_table_value_integer(out, bytes_at(row, 0));
		break;
	case C_SHARE:
	case C_CUMULATIVE:
		if (s->alive->bytes > 0)
			ts_table_value_real(out,
				100.0 *
					(double)(column == C_SHARE ? bytes_at(row, 0)
								   : row->cumulative) /
					(double)s->alive->bytes);
		break;
	case C_GROUP:
		ts_table_value_text(out, group_name(s, row->group));
		break;
	case C_LIVES:
		lives_text(s, row, out->buf, sizeof(out->buf));
		ts_table_value_text(out, out->buf);
		break;
	case C_STEPS:
		ts_table_value_integer(out, row->total);
		break;
	case C_PRODUCT:
		ts_table_value_integer(out, product(row));
		break;
	case C_TICK:
		tick_text(s, i, out->buf);
		ts_table_value_text(out, out->buf[0] ? out->buf : NULL);
		break;
	case C_CHANGE:
		ts_table_value_integer(out, change_of(row));
		break;
	default:
		ts_table_value_integer(out, bytes_at(row, column - C_MARK + 1));
	}
	return true;
}

/* Other rows: the cursor stays on the variable where that is still listed, unless it is on the first row. */
static void
follow(struct alive_tab *a)
{
	const struct ts_alive *alive = a->s->alive;

	for (int i = 0; alive && a->l.list.cursor > 0 && i < alive->rows; i++) {
		int64_t place = alive->row[i].variable == a->variable
			? ts_table_place(&a->l.table, i)
			: -1;

		if (place < 0)
			continue;
		ts_list_follow(&a->l.list, place);
		return;
	}
}

static void
begin_table(struct alive_tab *a, const struct ts_tab *t)
{
	struct live_table what;
	int64_t row;
	bool others;

	make_columns(a);
	what = (struct live_table){.id = "liveness.variables",
		.column = a->column,
		.facts = a->facts,
		.columns = a->columns,
		.cell = alive_cell,
		.value = alive_value,
		.empty = a->s->group >= 0 || a->s->only != TS_ALIVE_EVERY
			? "no variable is such"
			: "nothing but what is always live"};
	others = a->l.of != a->s->alive_data + 1;
	a->l.of = a->s->alive_data + 1;
	live_list_begin(&a->l, t, &what, a->body, a->s->alive ? a->s->alive->rows : 0);
	if (others)
		follow(a);
	row = live_list_row(&a->l);
	a->variable = row >= 0 && a->s->alive ? a->s->alive->row[row].variable : -1;
}

/* --- totals ----------------------------------------------------------------------------------- */

/* The first line alone where there is little room. */
enum { TOTAL_NOT_ALWAYS, TOTAL_ALWAYS, TOTAL_SUM, TOTALS };

static void
total_name(const struct alive_tab *t, int64_t line, char *out, size_t size)
{
	const struct liveness *s = t->s;
	const struct ts_alive *a = s->alive;
	bool all = s->shown.where == TS_LIVE_ALL && s->src.line.replicas > 1;
	char n[TS_FMT_MAX], of[TS_FMT_MAX];

	if (line == TOTAL_NOT_ALWAYS && s->table.state == TS_PANE_PARTIAL)
		snprintf(out, size, "%s variables (damaged: what could be read)",
			ts_fmt_count(n, a->count));
	else if (line == TOTAL_ALWAYS)
		snprintf(out, size, "always live%s",
			!all			 ? ""
				: s->one_replica ? ", one replica"
						 : ", device");
	else if (line == TOTAL_SUM && all && !s->one_replica)
		snprintf(out, size, "sum, device of %s replicas",
			ts_fmt_count(n, s->src.line.replicas));
	else if (line == TOTAL_SUM)
		snprintf(out, size, "sum at step %s%s", ts_fmt_count(n, a->step),
			all ? ", one replica" : "");
	else if (t->l.order.filtered)
		snprintf(out, size, "%s of the %s listed", ts_fmt_count(n, t->l.list.count),
			ts_fmt_count(of, a->rows));
	else if (a->asked.marks > 0 || s->only != TS_ALIVE_EVERY || s->group >= 0)
		snprintf(out, size, "%s%s listed, %s alive here",
			a->rows < a->found || a->more ? "largest " : "", ts_fmt_count(n, a->rows),
			ts_fmt_count(of, a->count));
	else if (a->rows < a->found || a->more)
		snprintf(out, size, "%s variables, largest %s listed", ts_fmt_count(n, a->count),
			ts_fmt_count(of, a->rows));
	else
		snprintf(out, size, "%s variable%s%s", ts_fmt_count(n, a->count),
			a->count == 1 ? "" : "s", all ? " of one replica" : "");
}

static void
total_change(const struct alive_tab *t, char out[64])
{
	const struct ts_alive_sums *c = &t->s->alive->change;

	change_text(t->s, c->born.bytes - c->died.bytes, out);
}

static bool
total_cell(void *ctx, int64_t line, int column, struct ts_table_cell *out)
{
	const struct alive_tab *t = ctx;
	const struct liveness *s = t->s;
	int64_t always = live_base(s), bytes = s->alive->bytes;
	bool filtered = t->l.order.filtered;

	out->role = TS_ROLE_TOTAL;
	out->s = out->buf;
	if (column == C_NAME) {
		total_name(t, line, out->buf, sizeof(out->buf));
		return true;
	}
	if (line == TOTAL_NOT_ALWAYS && column == C_CUMULATIVE && bytes > 0 && !filtered)
		ts_fmt_percent(out->buf,
			s->alive->rows > 0 ? (double)s->alive->row[s->alive->rows - 1].cumulative
					   : 0,
			(double)bytes);
	if (line == TOTAL_NOT_ALWAYS && column == C_CHANGE && !filtered)
		total_change(t, out->buf);
	if (column != C_BYTES && column < C_MARK)
		return true;
	if (column >= C_MARK)
		bytes = s->alive->at[column - C_MARK + 1].bytes;
	if (line == TOTAL_NOT_ALWAYS && filtered)
		bytes = (int64_t)t->l.order.sum[column];
	if (line == TOTAL_ALWAYS)
		bytes = always;
	else if (line == TOTAL_SUM) {
		bytes = live_scaled(s, bytes);
		if (always == TS_UNKNOWN || !ts_add_i64(&bytes, always))
			bytes = TS_UNKNOWN;
	}
	if (bytes == TS_UNKNOWN)
		snprintf(out->buf, sizeof(out->buf), "?");
	else
		ts_fmt_bytes(out->buf, bytes, live_units(s));
	return true;
}

static void
draw_totals(struct ts_canvas *c, struct alive_tab *a)
{
	struct ts_table t = a->l.table;
	struct ts_list lines;

	t.cell = total_cell;
	t.row = NULL;
	t.order = NULL;
	t.header = false;
	t.plain = true;
	ts_list_init(&lines);
	ts_list_set_count(&lines, TOTALS);
	ts_list_resize(&lines, a->totals.h);
	ts_canvas_fill(c, a->totals, TS_ROLE_TOTAL, ' ');
	ts_table_draw(c, a->totals, &t, &lines);
}

/* --- the tab ---------------------------------------------------------------------------------- */

static bool
open_tab(struct ts_tab *t)
{
	struct alive_tab *a = ts_alloc(1, sizeof(*a));

	if (!a)
		return false;
	a->s = t->host;
	live_list_init(&a->l, C_BYTES);
	t->own = a;
	return true;
}

static void
close_tab(struct ts_tab *t)
{
	live_list_fini(&tab_of(t)->l);
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
	else if (a->bytes != s->src.line.bytes[point])
		snprintf(out, TS_TAB_NOTE, "%s; the timeline says %s",
			ts_fmt_bytes(n, a->bytes, live_units(s)),
			ts_fmt_bytes(m, s->src.line.bytes[point], live_units(s)));
	else
		snprintf(out, TS_TAB_NOTE, "%s%s%sstep %s: %s variables%s", only[s->only],
			s->group >= 0 ? group_name(s, s->group) : "", s->group >= 0 ? ", " : "",
			ts_fmt_count(n, a->step), ts_fmt_count(m, a->count),
			s->shown.where == TS_LIVE_ALL && s->src.line.replicas > 1 ? ", one replica"
										  : "");
}

static void
resize(struct ts_tab *t)
{
	struct alive_tab *a = tab_of(t);

	a->body = t->r;
	a->totals = ts_rect_cut_bottom(&a->body, t->r.h + 1 >= TOTALS_FROM ? TOTALS : t->r.h >= 3);
	begin_table(a, t);
}

static void
draw(struct ts_tab *t, struct ts_canvas *c, bool focus)
{
	struct alive_tab *a = tab_of(t);
	struct liveness *s = a->s;

	(void)focus;
	if (!ts_pane_has(&s->table)) {
		ts_pane_draw(c, t->r, s->v.env, &s->table);
	} else if (!s->alive || !s->alive->listed) {
		ts_canvas_pending(c, t->r, 2, 0);
	} else {
		begin_table(a, t);
		live_list_draw(&a->l, c, a->body);
		draw_totals(c, a);
	}
}

int64_t
live_alive_cursor(const struct liveness *s)
{
	const struct alive_tab *a = s->tabs.tab[0].own;
	int64_t row = s->alive && a ? live_list_row(&a->l) : -1;

	return row >= 0 && row < s->alive->rows ? row : -1;
}

/* Mark the variable for all views: Memory draws it over the tiles, Lifetimes its life, what-if takes it away. */
static enum ts_effect
mark_variable(struct liveness *s)
{
	struct ts_marked_variables *marked = &s->v.env->selection->marked;
	int64_t row = live_alive_cursor(s);
	const struct ts_alive_row *r;
	struct ts_marked_variable v;
	char buf[LIVE_NAME];

	if (row < 0)
		return TS_EFFECT_BELL;
	r = &s->alive->row[row];
	v = (struct ts_marked_variable){.variable = r->variable,
		.place = place_of(s, r),
		.id = r->id,
		.tile = -1,
		.class_of = -1,
		.bytes = r->bytes};
	if (v.place >= 0) {
		v.lowered = true;
		v.variable = r->unlowered;
		v.tile = s->shown.where == TS_LIVE_TILE ? s->shown.number : -1;
	}
	snprintf(v.name, sizeof(v.name), "%s", live_name(s, (int)row, buf));
	if (!ts_marked_toggle(marked, &v)) {
		ts_view_say_error(s->v.env, "%d variables are marked: there is room for no more",
			TS_MARKED_VARIABLES);
		return TS_EFFECT_BELL;
	}
	ts_view_say(s->v.env, "%d variable%s marked", marked->count,
		marked->count == 1 ? " is" : "s are");
	return (enum ts_effect)(TS_EFFECT_REPAINT | TS_EFFECT_RECALC);
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
	if (!ticked(s, row, &x.of, &x.id)) {
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

	begin_table(a, t);
	if (call->cmd == TS_CMD_MARK)
		return mark_variable(a->s);
	if (call->cmd == TS_CMD_TICK)
		return tick_variable(a->s);
	return live_list_command(&a->l, t, call);
}

static enum ts_effect
mouse(struct ts_tab *t, int x, int y, int wheel)
{
	struct alive_tab *a = tab_of(t);

	(void)x;
	begin_table(a, t);
	return live_list_mouse(&a->l, a->body, y, wheel);
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

static struct ts_list *
list(struct ts_tab *t, bool *there)
{
	struct alive_tab *a = tab_of(t);
	struct liveness *s = a->s;

	*there = s->alive && s->asked.step == live_step(s) && s->asked_listed &&
		!s->under_way[LIVE_FETCH_ALIVE];
	return &a->l.list;
}

/* Nothing is asked for here: what the list wants and has is counted. */
static void
request(struct ts_tab *t)
{
	struct alive_tab *a = tab_of(t);
	const struct liveness *s = a->s;
	bool here = s->alive && s->alive->step == s->asked.step;

	if (s->lives && a->l.list.rows > 0)
		ts_window_want(t->view, TS_WINDOW_LIVENESS, &a->l.list, (uint64_t)s->asked.step, 0,
			here ? s->alive->rows : 0);
}

const struct ts_tab_ops live_tab_alive = {
	.name = "variables",
	.title = "Not always live",
	.brief = "Alive",
	.open = open_tab,
	.close = close_tab,
	.absent = is_absent,
	.note = note,
	.resize = resize,
	.request = request,
	.draw = draw,
	.command = command,
	.mouse = mouse,
	.about = about,
	.list = list,
	.sheet = live_tab_sheet,
};
