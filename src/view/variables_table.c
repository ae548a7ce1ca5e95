/* SPDX-License-Identifier: MIT */
/*
 * variables_table - the columns of the Variables view, of both levels.
 *
 * Columns that are not recorded do not appear; of the others some are shown only when they are asked for
 * (`extra`), and what there is no room for goes by priority.
 */
#include "config.h"

#include <stdio.h>
#include <string.h>

#include "variables_internal.h"

#include "tilescope/base/mem.h"

enum {
	BYTES_WIDE = 13,    /* of units=bytes: "206,225,824 B" */
	TOTAL_WIDE = 15,    /* and of their sum, from LIFE_FROM on: "1,363,870,072 B" */
	CATEGORY_WIDE = 19, /* from LIFE_FROM on */
	LIFE_FROM = 120,    /* columns from which on there is room for lifetimes */
	TOTAL_FROM = 10,    /* rows of the table from which on it has a total */
};

/* On which level a column is, and where it is only shown when it is asked for. */
enum { LOWERED = 1, UNLOWERED = 2, EXTRA = 4, EXTRA_LOWERED = 8, WIDE = 16 };

static const struct {
	struct ts_column column;
	struct ts_column_facts facts;
	int field; /* enum ts_variable_field; -1: none */
	int level;
} about[C_COUNT] = {
	[C_MARK] = {{"", 1, 1, 0, 0, 0}, {"", NULL, TS_SUM_NONE, false}, -1, LOWERED | UNLOWERED},
	[C_VARIABLE_ID] = {{"variable", 8, 10, 0, 4, TS_FIELD_RIGHT},
		{"variable", NULL, TS_SUM_NONE, false}, TS_VARIABLE_FIELD_VARIABLE, UNLOWERED},
	[C_TILE] = {{"tile", 6, 7, 0, 0, TS_FIELD_RIGHT}, {"tile", NULL, TS_SUM_NONE, false},
		TS_VARIABLE_FIELD_TILE, LOWERED},
	[C_IPU] = {{"ipu", 3, 3, 0, 5, TS_FIELD_RIGHT}, {"ipu", NULL, TS_SUM_NONE, false},
		TS_VARIABLE_FIELD_IPU, LOWERED},
	[C_BYTES] = {{"bytes", 9, 9, 0, 0, TS_FIELD_RIGHT}, {"bytes", "bytes", TS_SUM_BYTES, false},
		TS_VARIABLE_FIELD_BYTES, LOWERED | UNLOWERED},
	[C_TILES] = {{"tiles", 7, 9, 0, 1, TS_FIELD_RIGHT}, {"tiles", NULL, TS_SUM_NONE, false},
		TS_VARIABLE_FIELD_TILES, LOWERED | UNLOWERED | EXTRA_LOWERED},
	[C_FULLEST] = {{"fullest", 9, 9, 0, 3, TS_FIELD_RIGHT},
		{"fullest", "bytes", TS_SUM_NONE, false}, TS_VARIABLE_FIELD_FULLEST,
		LOWERED | UNLOWERED | EXTRA_LOWERED},
	[C_BALANCE] = {{"balance", 7, 7, 0, 3, TS_FIELD_RIGHT},
		{"balance", "%", TS_SUM_NONE, false}, TS_VARIABLE_FIELD_BALANCE,
		LOWERED | UNLOWERED | EXTRA_LOWERED},
	[C_PIECES] = {{"pieces", 7, 10, 0, 7, TS_FIELD_RIGHT}, {"pieces", NULL, TS_SUM_NONE, false},
		TS_VARIABLE_FIELD_PIECES, LOWERED | UNLOWERED | EXTRA},
	[C_CATEGORY] = {{"category", 12, 24, 1, 2, TS_FIELD_ELLIPSIS},
		{"category", NULL, TS_SUM_NONE, false}, TS_VARIABLE_FIELD_CATEGORY, LOWERED},
	[C_TYPE] = {{"type", 6, 10, 1, 4, TS_FIELD_ELLIPSIS}, {"type", NULL, TS_SUM_NONE, false},
		TS_VARIABLE_FIELD_TYPE, LOWERED | UNLOWERED},
	[C_OFFSET] = {{"offset", 9, 10, 0, 3, TS_FIELD_RIGHT},
		{"offset", "bytes", TS_SUM_NONE, false}, TS_VARIABLE_FIELD_OFFSET, LOWERED},
	[C_ALIGNMENT] = {{"align", 5, 5, 0, 7, TS_FIELD_RIGHT},
		{"alignment", "bytes", TS_SUM_NONE, false}, TS_VARIABLE_FIELD_ALIGNMENT,
		LOWERED | EXTRA},
	[C_ALWAYS] = {{"always", 6, 6, 0, 6, TS_FIELD_RIGHT},
		{"always_live", NULL, TS_SUM_NONE, false}, TS_VARIABLE_FIELD_ALWAYS,
		LOWERED | UNLOWERED | EXTRA},
	[C_STEPS] = {{"steps", 7, 9, 0, 2, TS_FIELD_RIGHT}, {"steps", "steps", TS_SUM_NONE, false},
		TS_VARIABLE_FIELD_STEPS, LOWERED | UNLOWERED | WIDE},
	[C_FROM] = {{"from", 7, 9, 0, 3, TS_FIELD_RIGHT}, {"from", NULL, TS_SUM_NONE, false},
		TS_VARIABLE_FIELD_FROM, LOWERED | UNLOWERED | WIDE},
	[C_TO] = {{"to", 7, 9, 0, 3, TS_FIELD_RIGHT}, {"to", NULL, TS_SUM_NONE, false},
		TS_VARIABLE_FIELD_TO, LOWERED | UNLOWERED | WIDE},
	[C_ID] = {{"id", 9, 11, 0, 7, TS_FIELD_RIGHT}, {"id", NULL, TS_SUM_NONE, false},
		TS_VARIABLE_FIELD_ID, LOWERED | EXTRA},
	[C_VARIABLE] = {{"variable", 9, 11, 0, 7, TS_FIELD_RIGHT},
		{"variable", NULL, TS_SUM_NONE, false}, TS_VARIABLE_FIELD_VARIABLE,
		LOWERED | EXTRA},
	[C_CLASS] = {{"class", 7, 9, 0, 7, TS_FIELD_RIGHT}, {"class", NULL, TS_SUM_NONE, false},
		TS_VARIABLE_FIELD_CLASS, LOWERED | EXTRA},
	[C_CONTEXT] = {{"context", 9, 11, 0, 7, TS_FIELD_RIGHT},
		{"context", NULL, TS_SUM_NONE, false}, TS_VARIABLE_FIELD_CONTEXT,
		LOWERED | UNLOWERED | EXTRA},
	[C_NAME] = {{"name", 16, 0, 8, 0, TS_FIELD_TAIL}, {"name", NULL, TS_SUM_NONE, false},
		TS_VARIABLE_FIELD_NAME, LOWERED | UNLOWERED},
};

static bool
has_column(const struct variables_view *t, int column)
{
	int level = about[column].level;

	if (!(level & (t->v->lowered ? LOWERED : UNLOWERED)))
		return false;
	if (column == C_MARK)
		return t->view.env->selection->marked.count > 0;
	if (column == C_NAME || column == C_BYTES || column == C_TILE)
		return true;
	return ts_variable_field_can(t->v, (enum ts_variable_field)about[column].field);
}

static bool
is_extra(const struct variables_view *t, int column)
{
	int level = about[column].level;

	return (level & EXTRA) || ((level & EXTRA_LOWERED) && t->v->lowered);
}

/* There is no room for it on a narrow screen, which is nothing to a file. */
static bool
is_too_wide(const struct variables_view *t, int column)
{
	return (about[column].level & WIDE) && t->v->lowered && t->area.w < LIFE_FROM;
}

/* --- cells -------------------------------------------------------------------------------------- */

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

bool
variables_mark_of(const struct variables_view *t, const struct ts_variable *x,
	struct ts_marked_variable *out)
{
	if (!x || x->state != TS_VARIABLE_OK || (!t->v->lowered && x->variable == TS_UNKNOWN))
		return false;
	*out = (struct ts_marked_variable){.lowered = t->v->lowered,
		.variable = x->variable,
		.row = !t->v->lowered		 ? TS_UNKNOWN
			: x->rowid != TS_UNKNOWN ? x->rowid
						 : x->place,
		.id = t->v->lowered ? x->id : TS_UNKNOWN,
		.tile = x->tile,
		.class_of = x->class_of,
		.bytes = x->bytes};
	if (x->has_name)
		snprintf(out->name, sizeof(out->name), "%.*s",
			(int)ts_min_i64(x->name_n, TS_MARKED_NAME - 1), t->window.text.s + x->name);
	return true;
}

/* Facts that are still being read are dots, those that are not there a dash. */
static const char *
not_known(const struct variables_view *t, int column)
{
	bool spread = ts_variable_field_needs_spread((enum ts_variable_field)about[column].field);
	bool life = ts_variable_field_needs_life((enum ts_variable_field)about[column].field);
	const struct ts_variable_facts *f = t->v->facts;

	if (t->facts_failed)
		return "-";
	if (spread && !atomic_load(&f->spreads))
		return "..";
	return life && !atomic_load(&f->alive) ? ".." : "-";
}

static void
number_cell(const struct variables_view *t, const struct ts_variable *x, int column,
	struct ts_table_cell *out)
{
	int64_t v;

	if (!ts_variable_field_number(x, (enum ts_variable_field)about[column].field, &v)) {
		out->s = not_known(t, column);
		return;
	}
	out->s = out->buf;
	switch (column) {
	case C_BYTES:
		out->role = TS_ROLE_VALUE;
		ts_fmt_bytes(out->buf, v, t->view.env->options->units);
		break;
	case C_FULLEST:
		ts_fmt_bytes(out->buf, v, t->view.env->options->units);
		break;
	case C_BALANCE:
		ts_fmt_percent(out->buf, (double)v, 100000);
		break;
	case C_OFFSET:
		snprintf(out->buf, sizeof(out->buf), "0x%llx", (unsigned long long)v);
		break;
	case C_ALWAYS:
		out->s = v ? "yes" : "no";
		break;
	case C_VARIABLE_ID:
	case C_TILE:
	case C_ID:
	case C_VARIABLE:
	case C_CLASS:
	case C_CONTEXT:
		ts_fmt_number(out->buf, v);
		break;
	default:
		ts_fmt_count(out->buf, v);
	}
}

/* All rows of the list together; below 0: not known. */
static int64_t
total_bytes(const struct variables_view *t)
{
	const struct ts_variable_list *l = t->list;

	return !l ? TS_UNKNOWN : l->filter.count > 0 ? atomic_load(&l->bytes) : t->bytes;
}

static bool
total_cell(const struct variables_view *t, int column, struct ts_table_cell *out)
{
	const struct ts_variable_list *l = t->list;
	int64_t bytes = total_bytes(t);

	out->s = "";
	if (column == C_BYTES && bytes >= 0)
		out->s = ts_fmt_bytes(out->buf, bytes, t->view.env->options->units);
	if (column == C_NAME && l) {
		char n[TS_FMT_MAX];

		ts_fmt_count(n, l->filter.count > 0 ? atomic_load(&l->found) : t->v->rows);
		snprintf(out->buf, sizeof(out->buf), "%s variable%s", n,
			strcmp(n, "1") == 0 ? "" : "s");
		out->s = out->buf;
	}
	return true;
}

static bool
cell(void *ctx, int64_t at, int shown, struct ts_table_cell *out)
{
	const struct variables_view *t = ctx;
	int column = t->column[shown];
	struct ts_marked_variable mark;
	const struct ts_variable *x;

	if (at == TS_TABLE_TOTAL)
		return total_cell(t, column, out);
	x = variables_row(t, at);
	if (!x)
		return false;
	out->s = "";
	if (x->state == TS_VARIABLE_DAMAGED) {
		out->role = TS_ROLE_BAD;
		out->s = column == C_NAME ? "(damaged)" : "-";
		return true;
	}
	switch (column) {
	case C_MARK:
		if (variables_mark_of(t, x, &mark) &&
			ts_marked_find(&t->view.env->selection->marked, &mark) >= 0)
			out->s = "*";
		out->role = TS_ROLE_MARK;
		break;
	case C_CATEGORY:
		out->s = t->window.text.s + x->category_name;
		out->n = x->category_name_n;
		break;
	case C_TYPE:
		out->s = t->window.text.s + x->type;
		out->n = x->type_n;
		break;
	case C_NAME:
		name_cell(t, x, out);
		break;
	default:
		number_cell(t, x, column, out);
	}
	return true;
}

static void
text_value(struct ts_table_value *out, const struct ts_variable_window *w, uint32_t at, uint32_t n,
	bool known)
{
	if (!known)
		return;
	out->type = TS_VALUE_TEXT;
	out->s = w->text.s + at;
	out->n = n;
}

void
variables_value(const struct variables_view *t, const struct ts_variable_window *w,
	const struct ts_variable *x, int column, struct ts_table_value *out)
{
	int64_t v;

	(void)t;
	if (x->state != TS_VARIABLE_OK || about[column].field < 0)
		return;
	if (column == C_NAME)
		text_value(out, w, x->name, x->name_n, x->has_name);
	else if (column == C_CATEGORY)
		text_value(out, w, x->category_name, x->category_name_n, x->category_name_n > 0);
	else if (column == C_TYPE)
		text_value(out, w, x->type, x->type_n, x->type_n > 0);
	else if (!ts_variable_field_number(x, (enum ts_variable_field)about[column].field, &v))
		return;
	else if (column == C_BALANCE)
		ts_table_value_real(out, (double)v / 1000);
	else
		ts_table_value_integer(out, v);
}

static bool
value(void *ctx, int64_t at, int shown, struct ts_table_value *out)
{
	const struct variables_view *t = ctx;
	const struct ts_variable *x = at == TS_TABLE_TOTAL ? NULL : variables_row(t, at);

	if (at == TS_TABLE_TOTAL && t->column[shown] == C_BYTES)
		ts_table_value_known(out, total_bytes(t));
	if (!x)
		return at == TS_TABLE_TOTAL;
	variables_value(t, &t->window, x, t->column[shown], out);
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

/* --- the table ---------------------------------------------------------------------------------- */

/* The order of what is shown, which may not be what is wished for yet. */
enum ts_variable_sort
variables_shown_sort(const struct variables_view *t)
{
	return t->list ? t->list->sort : t->wish.sort;
}

bool
variables_shown_backwards(const struct variables_view *t)
{
	return t->list ? atomic_load(&t->list->reverse) : t->wish.reverse;
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
	enum ts_variable_sort sort = variables_shown_sort(t);

	empty_text(t);
	*table = (struct ts_table){.column = t->columns,
		.cell = cell,
		.row = row_role,
		.needle = t->needle.line,
		.ctx = t,
		.header = true,
		.total = t->at.table.h >= TOTAL_FROM,
		.focus = !t->debug_focus,
		.sorted = -1,
		.descending = ts_variable_sort_falls(sort) != variables_shown_backwards(t),
		.empty = t->empty,
		.id = t->unlowered ? "variables.unlowered" : "variables.lowered",
		.facts = t->facts,
		.value = value,
		.looks = t->view.env->looks,
		.units = t->view.env->options->units};
	for (int i = 0; t->v && i < C_COUNT; i++) {
		int at = table->columns;

		if (!has_column(t, i))
			continue;
		if (sort != TS_SORT_ROW && about[i].field == ts_variable_sort_field(sort))
			table->sorted = at;
		t->column[at] = i;
		t->columns[at] = about[i].column;
		t->facts[at] = about[i].facts;
		t->facts[at].extra = is_extra(t, i) || is_too_wide(t, i);
		if ((i == C_BYTES || i == C_FULLEST) &&
			t->view.env->options->units == TS_UNITS_BYTES)
			t->columns[at].min = t->columns[at].max =
				i == C_BYTES && t->area.w >= LIFE_FROM ? TOTAL_WIDE : BYTES_WIDE;
		if (i == C_CATEGORY && t->area.w >= LIFE_FROM)
			t->columns[at].min = CATEGORY_WIDE;
		table->columns++;
	}
}

void
variables_table_of_file(struct ts_table *table, struct variables_view *t)
{
	variables_table(table, t);
	for (int i = 0; i < table->columns; i++)
		t->facts[i].extra = is_extra(t, t->column[i]);
}

bool
variables_wants_spread(struct variables_view *t)
{
	struct ts_table table;

	variables_table(&table, t);
	for (int i = 0; i < table.columns; i++) {
		int field = about[t->column[i]].field;

		if (field >= 0 && ts_variable_field_needs_spread((enum ts_variable_field)field) &&
			ts_table_column_wanted(&table, i))
			return true;
	}
	return false;
}

/* The order by a column, where there is one and it is on the screen; TS_SORT_ROW: there is none. */
static enum ts_variable_sort
sort_by_column(struct variables_view *t, const struct ts_table *table, int column)
{
	int sort = ts_variable_sort_of(about[t->column[column]].field);

	return sort >= 0 && ts_table_column_wanted(table, column) &&
			ts_variable_sort_can(t->v, (enum ts_variable_sort)sort)
		? (enum ts_variable_sort)sort
		: TS_SORT_ROW;
}

enum ts_variable_sort
variables_sort_after(struct variables_view *t, enum ts_variable_sort sort)
{
	struct ts_table table;
	enum ts_variable_sort next = TS_SORT_ROW;
	int at = 0;

	variables_table(&table, t);
	while (sort != TS_SORT_ROW && at < table.columns && sort_by_column(t, &table, at) != sort)
		at++;
	for (at += sort != TS_SORT_ROW; at < table.columns && next == TS_SORT_ROW; at++)
		next = sort_by_column(t, &table, at);
	return next;
}
