/* SPDX-License-Identifier: MIT */
/* memory_set_table - the table of the variables of several tiles: columns, what stands in them, files. */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>

#include "tilescope/base/mem.h"
#include "tilescope/base/utf8.h"
#include "tilescope/view/what_if.h"

#include "memory_set_internal.h"

static struct memory_view *
memory_of(const struct ts_tab *t)
{
	return t->host;
}

/* --- the table -------------------------------------------------------------------------------- */

static const struct ts_column set_columns[S_COLUMNS] = {
	[S_NAME] = {"variable", 24, 0, 6, 0, TS_FIELD_TAIL},
	[S_CATEGORY] = {"category", 10, 22, 1, 5, TS_FIELD_ELLIPSIS},
	[S_BYTES] = {"bytes", 10, 10, 0, 0, TS_FIELD_RIGHT},
	[S_SHARE] = {"share", 6, 6, 0, 2, TS_FIELD_RIGHT},
	[S_TILES] = {"tiles", 6, 7, 0, 1, TS_FIELD_RIGHT},
	[S_PIECES] = {"pieces", 9, 9, 0, 6, TS_FIELD_RIGHT},
	[S_FULLEST] = {"most", 9, 10, 0, 3, TS_FIELD_RIGHT},
	[S_FULLEST_TILE] = {"on tile", 7, 8, 0, 4, TS_FIELD_RIGHT},
	[S_TICK] = {"what if", 7, 8, 0, 1, TS_FIELD_LEFT},
};

#define SET_FACTS                                                                  \
	[S_NAME] = {.name = "variable"}, [S_CATEGORY] = {.name = "category"},      \
	[S_BYTES] = {.name = "bytes", .unit = "bytes", .sum = TS_SUM_BYTES},       \
	[S_SHARE] = {.name = "share", .unit = "%"}, [S_TILES] = {.name = "tiles"}, \
	[S_PIECES] = {.name = "pieces", .sum = TS_SUM_COUNT},                      \
	[S_FULLEST] = {.name = "most", .unit = "bytes"}, [S_FULLEST_TILE] = {.name = "on_tile"}

/* The column of what-if is there while there are changes. */
static const struct ts_column_facts set_facts[2][S_COLUMNS] = {
	{SET_FACTS, [S_TICK] = {.name = "", .extra = true}},
	{SET_FACTS, [S_TICK] = {.name = ""}},
};

/* What shares are of: the memory of the tiles where it is known, else the sum of their variables. */
int64_t
memory_set_whole(const struct ts_tab *t)
{
	int64_t bytes = memory_set_of(t)->some > 0
		? TS_UNKNOWN
		: memory_scope_bytes(memory_of(t), &memory_set_of(t)->ask.of);

	return bytes >= 0 ? bytes : memory_set_variables_of(t)->bytes;
}

/* Totals are of all variables of the tiles, also where not all names are listed. */
static int64_t
total_of(const struct ts_tab *t, int column)
{
	return column == S_BYTES     ? memory_set_whole(t)
		: column == S_PIECES ? memory_set_variables_of(t)->found
				     : TS_UNKNOWN;
}

static int64_t
figure_of(const struct ts_set_variable *r, int column)
{
	switch (column) {
	case S_BYTES:
		return r->bytes;
	case S_TILES:
		return r->tiles;
	case S_PIECES:
		return r->pieces;
	case S_FULLEST:
		return r->fullest;
	default:
		return column == S_FULLEST_TILE ? r->fullest_tile : TS_UNKNOWN;
	}
}

const char *
memory_set_name(const struct ts_set_variables *v, const struct ts_set_variable *r)
{
	const char *name = ts_set_variable_name(v, r);

	return *name ? name : v->has_names ? "(no name)" : "(names are not recorded)";
}

enum { NAMES = 40 };

static void
say_names(const struct ts_set_variables *v, char out[NAMES])
{
	char n[TS_FMT_MAX];

	snprintf(out, NAMES, "%s%.24s name%s", v->others > 0 ? "over " : "",
		ts_fmt_count(n, (int64_t)v->names), v->names == 1 ? "" : "s");
}

/* The largest only? */
static bool
is_cut(const struct ts_set_variables *v)
{
	return v->names > v->count;
}

static void
total_name(const struct ts_tab *t, struct ts_table_cell *out)
{
	const struct set_tab *s = memory_set_of(t);
	const struct ts_set_variables *v = memory_set_variables_of(t);
	struct ts_table table = memory_set_table(t);
	char names[NAMES], here[TS_FMT_MAX], of[TS_FMT_MAX + NAMES];
	const char *const count[] = {of};
	int width[TS_TABLE_COLUMNS];

	ts_table_layout(width, &table, t->r.w);
	say_names(v, names);
	snprintf(of, sizeof(of), "%s%s%s", is_cut(v) ? ts_fmt_count(here, (int64_t)v->count) : "",
		is_cut(v) ? " of " : "", names);
	if (s->some > 0) {
		snprintf(out->buf, sizeof(out->buf), "%.60s on %d of the tiles", of, (int)s->some);
		return;
	}
	memory_total_words(memory_of(t), out, width[S_NAME], count, 1, v->bytes,
		memory_scope_whole(memory_of(t), &s->ask.of));
}

enum ts_effect
memory_set_tick(struct ts_tab *t)
{
	const struct ts_set_variables *v = memory_set_variables_of(t);
	int64_t row = memory_set_row(t);

	if (row < 0 || row >= (int64_t)v->count)
		return TS_EFFECT_BELL;
	return ts_what_if_tick_name(t->view, ts_set_variable_name(v, &v->row[row]));
}

static bool
set_cell(void *ctx, int64_t row, int column, struct ts_table_cell *out)
{
	const struct ts_tab *t = ctx;
	const struct ts_set_variables *v = memory_set_variables_of(t);
	bool total = row == TS_TABLE_TOTAL;
	const struct ts_set_variable *r = total ? NULL : &v->row[row];
	int64_t x;

	if (!total && (row < 0 || row >= (int64_t)v->count))
		return false;
	x = total ? total_of(t, column) : figure_of(r, column);
	out->s = out->buf;
	out->buf[0] = '\0';
	if (column == S_NAME && total)
		total_name(t, out);
	else if (column == S_NAME)
		out->s = memory_set_name(v, r);
	else if (column == S_CATEGORY && !total)
		out->s = ts_set_variable_category(v, r);
	else if (column == S_TICK && !total)
		ts_what_if_name_sign(t->view->env, ts_set_variable_name(v, r), out->buf);
	else if (column == S_SHARE && memory_set_whole(t) > 0 && (total || r->bytes >= 0))
		ts_fmt_percent(out->buf, (double)(total ? memory_set_whole(t) : r->bytes),
			(double)memory_set_whole(t));
	else if (x != TS_UNKNOWN && (column == S_BYTES || column == S_FULLEST))
		ts_fmt_bytes(out->buf, x, memory_units(memory_of(t)));
	else if (x != TS_UNKNOWN)
		(column == S_FULLEST_TILE ? ts_fmt_number : ts_fmt_count)(out->buf, x);
	return true;
}

static void
row_value(const struct ts_set_variables *v, int64_t whole, int64_t row, int column,
	struct ts_table_value *out)
{
	const struct ts_set_variable *r = &v->row[row];

	if (column == S_NAME)
		ts_table_value_text(out, ts_set_variable_name(v, r));
	else if (column == S_CATEGORY)
		ts_table_value_text(out, ts_set_variable_category(v, r));
	else if (column == S_SHARE && whole > 0 && r->bytes >= 0)
		ts_table_value_real(out, 100 * (double)r->bytes / (double)whole);
	else
		ts_table_value_known(out, figure_of(r, column));
}

static bool
set_value(void *ctx, int64_t row, int column, struct ts_table_value *out)
{
	const struct ts_set_variables *v = memory_set_variables_of(ctx);
	int64_t whole = memory_set_whole(ctx);

	if (row != TS_TABLE_TOTAL && (row < 0 || row >= (int64_t)v->count))
		return false;
	if (row != TS_TABLE_TOTAL)
		row_value(v, whole, row, column, out);
	else if (column == S_NAME)
		ts_table_value_text(out, "total");
	else if (column == S_SHARE && whole > 0)
		ts_table_value_real(out, 100);
	else
		ts_table_value_known(out, total_of(ctx, column));
	return true;
}

/* Numbers of names rise as the names do. */
static bool
row_rank(const struct ts_set_variables *v, int64_t row, int column, int64_t *rank)
{
	if (column != S_NAME || !v->ranked || row < 0 || row >= (int64_t)v->count)
		return false;
	*rank = v->row[row].key == TS_SET_NAMELESS ? -1 : v->row[row].key;
	return true;
}

static bool
set_rank(void *ctx, int64_t row, int column, int64_t *rank)
{
	return row_rank(memory_set_variables_of(ctx), row, column, rank);
}

bool
memory_set_is_hit(const struct ts_tab *t, int64_t row, const char *needle)
{
	const struct ts_set_variables *v = memory_set_variables_of(t);

	return needle[0] && row >= 0 && row < (int64_t)v->count &&
		ts_contains_nocase(ts_set_variable_name(v, &v->row[row]), needle);
}

static enum ts_role
set_row_role(void *ctx, int64_t row)
{
	const struct ts_tab *t = ctx;

	return memory_set_is_hit(t, row, memory_of(t)->search) ? TS_ROLE_MATCH : TS_ROLE_TEXT;
}

struct ts_table
memory_set_table(const struct ts_tab *t)
{
	const struct ts_set_variables *v = memory_set_variables_of(t);

	return (struct ts_table){.column = set_columns,
		.columns = S_COLUMNS,
		.cell = set_cell,
		.row = set_row_role,
		.needle = memory_of(t)->search,
		.ctx = (void *)(uintptr_t)t,
		.header = true,
		.total = true,
		.focus = memory_tab_focus(memory_of(t), TAB_VARIABLES),
		.sorted = S_BYTES,
		.descending = true,
		.empty = "No variables on these tiles.",
		.missing = (int64_t)(v->names - v->count) + v->others,
		.id = "memory.set",
		.facts = set_facts[t->view->env->selection->what_if.count > 0],
		.value = set_value,
		.rank = set_rank,
		.looks = t->view->env->looks,
		.order = &memory_set_of(t)->order,
		.units = memory_units(memory_of(t))};
}

void
memory_set_note(const struct ts_tab *t, char out[TS_TAB_NOTE])
{
	const struct set_tab *s = memory_set_of(t);
	const struct ts_set_variables *v = memory_set_variables_of(t);
	struct memory_scope scope = memory_scope(memory_of(t));
	char of[80], names[NAMES], here[TS_FMT_MAX], listed[TS_FMT_MAX + NAMES + 20];

	say_names(v, names);
	snprintf(listed, sizeof(listed), "%s", names);
	if (is_cut(v))
		snprintf(listed, sizeof(listed), "the %s largest of %s",
			ts_fmt_count(here, (int64_t)v->count), names);
	memory_scope_say(s->ask.here ? &s->ask.of : &scope, of, sizeof(of));
	if (s->some > 0)
		snprintf(out, TS_TAB_NOTE, "%lld of %.60s so far%s", (long long)s->some, of,
			s->ask.sent ? "" : ": stopped");
	else if (s->ask.state.state == TS_PANE_STALE)
		snprintf(out, TS_TAB_NOTE, "%.60s (others are being read)", of);
	else if (!s->ask.here)
		snprintf(out, TS_TAB_NOTE, "%.60s, by name", of);
	else if (v->bad_rows > 0)
		snprintf(out, TS_TAB_NOTE, "%.60s, %s (rows without a size left out)", of, listed);
	else
		snprintf(out, TS_TAB_NOTE, "%.60s, %s", of, listed);
}

/* --- rows for a worker -------------------------------------------------------------------------- */

enum { AHEAD = 8 /* rows */ };

struct held_rows {
	struct set_names *names;
	int64_t whole; /* that shares are of */
};

static bool
far_value(void *ctx, int64_t row, int column, struct ts_table_value *out)
{
	const struct held_rows *r = ctx;
	const struct ts_set_variables *v = &r->names->v;

	/* rows come by size, so names lie anywhere: that of one behind is under way while this one is looked at */
	if (column == S_NAME && row < (int64_t)v->count - AHEAD)
		__builtin_prefetch(ts_set_variable_name(v, &v->row[row + AHEAD]));
	row_value(&r->names->v, r->whole, row, column, out);
	return true;
}

static bool
far_rank(void *ctx, int64_t row, int column, int64_t *rank)
{
	return row_rank(&((const struct held_rows *)ctx)->names->v, row, column, rank);
}

static void
free_rows(void *ctx)
{
	memory_set_close_names(((struct held_rows *)ctx)->names);
	free(ctx);
}

bool
memory_set_arrangeable(struct ts_arrangeable *out, struct set_names *n, int64_t whole)
{
	struct held_rows *r = ts_alloc(1, sizeof(*r));

	if (!r)
		return false;
	atomic_fetch_add(&n->uses, 1);
	r->names = n;
	r->whole = whole >= 0 ? whole : n->v.bytes;
	*out = (struct ts_arrangeable){.rows = (int64_t)n->v.count,
		.free = free_rows,
		.table = {.column = set_columns,
			.columns = S_COLUMNS,
			.facts = set_facts[0],
			.value = far_value,
			.rank = far_rank,
			.shared = true,
			.ctx = r}};
	return true;
}

/* --- files ------------------------------------------------------------------------------------ */

static struct ts_row_source *
make_source(struct ts_view *v)
{
	const struct ts_tab *t = &((struct memory_view *)v)->tabs.tab[TAB_VARIABLES];
	const struct set_tab *set = memory_set_of(t);
	struct ts_table table = memory_set_table(t);
	struct ts_arrangeable rows;

	return memory_set_arrangeable(&rows, set->names, memory_set_whole(t))
		? ts_arranged_source(&rows, &table, set->arranging.shown)
		: NULL;
}

/* Why it cannot be written yet, or NULL. */
static const char *
waits_for(const struct ts_tab *t)
{
	const struct set_tab *s = memory_set_of(t);

	if (s->some > 0 || s->ask.state.state == TS_PANE_STALE)
		return "other tiles are being read";
	if (memory_set_waits_for_names(t))
		return "the smaller names are being read";
	return s->arranging.sent ? "its rows are being put in order" : NULL;
}

bool
memory_set_sheet(struct ts_tab *t, struct ts_sheet *out)
{
	struct set_tab *s = memory_set_of(t);
	char of[80];

	if (!s->ask.here)
		return false;
	memory_scope_say(&s->ask.of, of, sizeof(of));
	snprintf(out->title, sizeof(out->title), "Variables of %s, by name", of);
	out->table = memory_set_table(t);
	out->list = &s->list;
	out->rows = (int64_t)memory_set_variables_of(t)->count;
	out->source = s->order.elsewhere ? make_source : NULL;
	out->wait = waits_for(t);
	return true;
}
