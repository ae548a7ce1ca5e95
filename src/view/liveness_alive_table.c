/* SPDX-License-Identifier: MIT */
/*
 * liveness_alive_table - the table of who is alive: its columns, one more for each marked step, and what stands in them.
 */
#include "config.h"

#include <stdio.h>
#include <string.h>

#include "tilescope/base/mem.h"
#include "tilescope/view/what_if.h"

#include "liveness_alive.h"

enum {
	BYTES_WIDE = 16, /* where they are written out */
	ALL_BUT = 100,	 /* alive but for one step in so many: said so */
	A_FEW = 3,	 /* in a short timeline, too, but for so many */
	SHORT = 10,	 /* ... unless it is so short */
};

static const struct ts_column fixed[C_FIXED] = {
	[C_NAME] = {NULL, 31, 110, 1, 0, TS_FIELD_TAIL}, /* make_columns() names it */
	[C_SIGN] = {"", 1, 1, 0, 1, TS_FIELD_LEFT},
	[C_BYTES] = {"bytes", 9, 0, 0, 0, TS_FIELD_RIGHT},
	[C_SHARE] = {"share", 6, 0, 0, 12, TS_FIELD_RIGHT},
	[C_CUMULATIVE] = {"cumul.", 6, 0, 0, 11, TS_FIELD_RIGHT},
	[C_GROUP] = {"group", 15, 0, 0, 13, TS_FIELD_ELLIPSIS},
	[C_LIVES] = {"alive in steps", 17, 0, 0, 10, TS_FIELD_RIGHT},
	[C_STEPS] = {"steps", 7, 0, 0, 14, TS_FIELD_RIGHT},
	[C_PRODUCT] = {"bytes x steps", 13, 0, 0, 15, TS_FIELD_RIGHT},
	[C_DEAD] = {"not in", 7, 0, 0, 16, TS_FIELD_RIGHT},
	[C_TICK] = {"what if", 7, 0, 0, 1, TS_FIELD_LEFT},
};

static const struct ts_column_facts fixed_facts[C_FIXED] = {
	[C_NAME] = {"variable", NULL, TS_SUM_COUNT, false},
	[C_SIGN] = {"", NULL, TS_SUM_NONE, true},
	[C_BYTES] = {"bytes", "bytes", TS_SUM_BYTES, false},
	[C_SHARE] = {"share", "%", TS_SUM_NONE, false},
	[C_CUMULATIVE] = {"cumulative", "%", TS_SUM_NONE, false},
	[C_GROUP] = {"group", NULL, TS_SUM_NONE, false},
	[C_LIVES] = {"lifetime", NULL, TS_SUM_NONE, false},
	[C_STEPS] = {"steps", "steps", TS_SUM_NONE, true},
	[C_PRODUCT] = {"bytes_x_steps", "bytes x steps", TS_SUM_NONE, true},
	[C_DEAD] = {"not_in", "steps", TS_SUM_NONE, true},
	[C_TICK] = {"what_if", NULL, TS_SUM_NONE, true},
};

static const char *const letters[TS_ALIVE_MARKS] = {"A", "B", "C", "D", "E", "F"};

/* Whose bytes these are: of which step, while another one is being read. */
static void
make_heading(struct alive_tab *a)
{
	const struct liveness *s = a->s;
	char n[TS_FMT_MAX], m[TS_FMT_MAX];

	if (!s->alive || s->alive->step == live_step(s))
		snprintf(a->heading, ALIVE_HEADING, "not always live at step %s",
			ts_fmt_count(n, live_step(s)));
	else
		snprintf(a->heading, ALIVE_HEADING, "step %s (%s is being read)",
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
	a->facts[C_SIGN].extra = a->s->v.env->selection->marked.count == 0;
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

		snprintf(a->title[i], ALIVE_TITLE, "%s %s", letters[i],
			ts_fmt_count(n, alive->asked.mark[i]));
		a->column[C_MARK + i] = (struct ts_column){a->title[i], wide, 0, 0, 2 + i,
			TS_FIELD_RIGHT};
		a->facts[C_MARK + i] = (struct ts_column_facts){letters[i], "bytes", TS_SUM_BYTES,
			false};
	}
	if (alive && a->l.order.sorted >= a->columns) /* else they may come again */
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

/* Steps of the timeline in which it is not alive. */
static int64_t
not_alive(const struct alive_look *k, const struct ts_alive_row *row)
{
	return ts_max_i64(0, k->range - row->total);
}

/* Append s from `at` on, as far as there is room; returns where it ends. */
static size_t
append(char *out, size_t size, size_t at, const char *s)
{
	while (*s && at + 1 < size)
		out[at++] = *s++;
	out[at] = '\0';
	return at;
}

/* Asked of each row by a filter: a format would cost more than all the rest of that. */
static void
lives_text(const struct alive_look *k, const struct ts_alive_row *row, char *out, size_t size)
{
	int64_t missing = not_alive(k, row), few = k->steps / ALL_BUT;
	char first[TS_FMT_MAX], last[TS_FMT_MAX];

	if (k->steps > SHORT)
		few = ts_max_i64(few, A_FEW);
	if (missing <= 0) {
		append(out, size, 0, "all");
	} else if (missing <= few) {
		size_t at = append(out, size, 0, "all but ");

		at = append(out, size, at, ts_fmt_count(first, missing));
		append(out, size, at, missing == 1 ? " step" : " steps");
	} else {
		size_t at = append(out, size, 0, ts_fmt_count(first, row->start));

		at = append(out, size, at, "..");
		at = append(out, size, at, ts_fmt_count(last, row->end - 1));
		append(out, size, at, row->total > row->end - row->start ? " +" : "");
	}
}

static int64_t
product(const struct ts_alive_row *row)
{
	return row->total > 0 && row->bytes > TS_NUMBER_MAX / row->total ? TS_NUMBER_MAX
									 : row->bytes * row->total;
}

static const char *
group_name(const struct ts_groups *groups, int group)
{
	return group >= 0 && groups ? ts_groups_name(groups, group) : "";
}

const char *
live_group_name(const struct liveness *s, int group)
{
	return group_name(s->groups, group);
}

void
live_alive_change(const struct liveness *s, int64_t change, char out[64])
{
	char n[TS_FMT_MAX];

	if (change == 0)
		out[0] = '\0';
	else
		snprintf(out, 64, "%c%s", change > 0 ? '+' : '-',
			ts_fmt_bytes(n, change > 0 ? change : -change, live_units(s)));
}

/* By their row ids; without, both count rows: the list all of them, lives those that a key leads to. */
bool
live_same_rows(const struct liveness *s)
{
	const struct ts_reach *reach = &s->v.env->report->binding[TS_LOWERED_VARIABLE].reach;

	return reach->has_rowid || reach->key == TS_REACH_NONE;
}

/* A row may be a piece on a tile, or a whole variable. */
static bool
is_piece(const struct ts_alive *a, const struct ts_alive_row *r)
{
	return a->lowered || r->variable < 0;
}

/* What marks call a piece; TS_UNKNOWN: it has no number. */
static int64_t
row_of(const struct liveness *s, const struct ts_alive_row *r)
{
	if (!live_same_rows(s) || r->variable == INT64_MIN)
		return TS_UNKNOWN;
	return s->alive->lowered ? r->variable : -1 - r->variable;
}

/* What-if of the row: *of and *id; false: it has no number to go by. */
bool
live_alive_ticked(const struct ts_alive *a, int64_t row, enum ts_what_if_of *of, int64_t *id)
{
	const struct ts_alive_row *r = &a->row[row];
	bool piece = is_piece(a, r);

	*of = piece ? TS_WHAT_IF_LOWERED : TS_WHAT_IF_VARIABLE;
	*id = piece ? r->id : r->variable;
	return *id != TS_UNKNOWN;
}

struct ts_marked_variable
live_alive_mark(const struct liveness *s, int64_t i)
{
	const struct ts_alive_row *r = &s->alive->row[i];
	struct ts_marked_variable v = {.variable = r->variable,
		.row = TS_UNKNOWN,
		.id = r->id,
		.tile = -1,
		.class_of = -1,
		.bytes = r->bytes};

	if (is_piece(s->alive, r)) {
		v.lowered = true;
		v.row = row_of(s, r);
		v.variable = r->unlowered;
		v.tile = s->shown.where == TS_LIVE_TILE ? s->shown.number : -1;
	}
	return v;
}

static const char *
mark_sign(const struct liveness *s, int64_t row)
{
	const struct ts_marked_variables *marked = &s->v.env->selection->marked;
	struct ts_marked_variable v;

	if (marked->count == 0)
		return "";
	v = live_alive_mark(s, row);
	return ts_marked_find(marked, &v) >= 0 ? "*" : "";
}

static void
tick_text(const struct alive_look *k, int64_t row, char out[64])
{
	enum ts_what_if_of of;
	char sign[TS_WHAT_IF_SIGN];
	int64_t id;

	out[0] = '\0';
	if (live_alive_ticked(k->alive, row, &of, &id))
		snprintf(out, 64, "%s", ts_what_if_sign_in(k->what_if, of, id, sign));
}

void
live_alive_look(struct alive_look *k, const struct liveness *s)
{
	const struct ts_liveness *l = live_whole(s);

	*k = (struct alive_look){.alive = s->alive,
		.groups = s->groups,
		.what_if = &s->v.env->selection->what_if,
		.range = l->last_step - l->first_step + 1,
		.steps = l->steps};
}

static bool
alive_cell(void *ctx, int64_t i, int column, struct ts_table_cell *out)
{
	const struct alive_tab *t = ctx;
	const struct liveness *s = t->s;
	const struct ts_alive_row *row;
	struct alive_look k;
	double whole;

	if (!s->alive || i < 0 || i >= s->alive->rows)
		return false;
	live_alive_look(&k, s);
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
		out->s = live_group_name(s, row->group);
		break;
	case C_LIVES:
		lives_text(&k, row, out->buf, sizeof(out->buf));
		break;
	case C_STEPS:
		ts_fmt_count(out->buf, row->total);
		break;
	case C_PRODUCT:
		ts_fmt_count(out->buf, product(row));
		break;
	case C_DEAD:
		ts_fmt_count(out->buf, not_alive(&k, row));
		break;
	case C_SIGN:
		out->s = mark_sign(s, i);
		out->role = TS_ROLE_MARK;
		break;
	case C_TICK:
		tick_text(&k, i, out->buf);
		out->role = TS_ROLE_ACCENT;
		break;
	case C_CHANGE:
		live_alive_change(s, change_of(row), out->buf);
		out->role = change_of(row) > 0 ? TS_ROLE_BAD : TS_ROLE_GOOD;
		break;
	default:
		if (bytes_at(row, column - C_MARK + 1) > 0)
			ts_fmt_bytes(out->buf, row->bytes, live_units(s));
	}
	return true;
}

bool
live_alive_value(const struct alive_look *k, int64_t i, int column, struct ts_table_value *out)
{
	const struct ts_alive_row *row;

	if (!k->alive || i < 0 || i >= k->alive->rows)
		return false;
	row = &k->alive->row[i];
	switch (column) {
	case C_NAME:
		ts_table_value_text(out, live_alive_name(k->alive, i, out->buf));
		break;
	case C_BYTES:
		ts_table_value_integer(out, bytes_at(row, 0));
		break;
	case C_SHARE:
	case C_CUMULATIVE:
		if (k->alive->bytes > 0)
			ts_table_value_real(out,
				100.0 *
					(double)(column == C_SHARE ? bytes_at(row, 0)
								   : row->cumulative) /
					(double)k->alive->bytes);
		break;
	case C_GROUP:
		ts_table_value_text(out, group_name(k->groups, row->group));
		break;
	case C_LIVES:
		lives_text(k, row, out->buf, sizeof(out->buf));
		ts_table_value_text(out, out->buf);
		break;
	case C_STEPS:
		ts_table_value_integer(out, row->total);
		break;
	case C_PRODUCT:
		ts_table_value_integer(out, product(row));
		break;
	case C_DEAD:
		ts_table_value_integer(out, not_alive(k, row));
		break;
	case C_SIGN:
		break;
	case C_TICK:
		if (k->what_if->count > 0)
			tick_text(k, i, out->buf);
		ts_table_value_text(out, k->what_if->count > 0 && out->buf[0] ? out->buf : NULL);
		break;
	case C_CHANGE:
		ts_table_value_integer(out, change_of(row));
		break;
	default:
		ts_table_value_integer(out, bytes_at(row, column - C_MARK + 1));
	}
	return true;
}

bool
live_alive_rank(const struct ts_alive *a, int64_t i, int column, int64_t *rank)
{
	if (!a || i < 0 || i >= a->rows)
		return false;
	switch (column) {
	case C_NAME:
		*rank = a->row[i].name;
		return a->ranked;
	case C_SHARE:
		*rank = bytes_at(&a->row[i], 0);
		return a->bytes > 0;
	case C_CUMULATIVE:
		*rank = a->row[i].cumulative;
		return a->bytes > 0;
	default:
		return false;
	}
}

static bool
alive_rank(void *ctx, int64_t i, int column, int64_t *rank)
{
	const struct alive_tab *t = ctx;

	return live_alive_rank(t->s->alive, i, column, rank);
}

static bool
alive_value(void *ctx, int64_t i, int column, struct ts_table_value *out)
{
	const struct alive_tab *t = ctx;
	struct alive_look k;

	live_alive_look(&k, t->s);
	if (!live_alive_value(&k, i, column, out))
		return false;
	if (column == C_SIGN)
		ts_table_value_text(out, *mark_sign(t->s, i) ? "*" : NULL);
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

void
live_alive_begin(struct alive_tab *a, const struct ts_tab *t)
{
	struct ts_held_table what;
	int64_t row;
	bool others;

	make_columns(a);
	what = (struct ts_held_table){.id = "liveness.variables",
		.column = a->column,
		.facts = a->facts,
		.columns = a->columns,
		.cell = alive_cell,
		.value = alive_value,
		.rank = alive_rank,
		.empty = a->s->group >= 0 || a->s->only != TS_ALIVE_EVERY
			? "no variable is such"
			: "nothing but what is always live"};
	others = a->l.of != a->s->alive_data + 1;
	a->l.of = a->s->alive_data + 1;
	a->l.order.elsewhere = a->s->alive && a->s->alive->rows > TS_ARRANGED_FROM;
	ts_held_list_begin(&a->l, t, &what, a->body, a->s->alive ? a->s->alive->rows : 0);
	if (others)
		follow(a);
	row = ts_held_list_row(&a->l);
	a->variable = row >= 0 && a->s->alive ? a->s->alive->row[row].variable : -1;
}
