/* SPDX-License-Identifier: MIT */
/*
 * memory_variables_draw - the table of the largest variables of a tile, and what keys do with a row of it.
 *
 * Its total is the tile's memory, as that of Details is: what its variables come to, the gaps between them, and what is
 * counted more than once, or in none of them, are named in the total's row, so that both tables come to the same.
 */
#include "config.h"

#include <stdio.h>
#include <string.h>

#include "memory_internal.h"
#include "tilescope/base/mem.h"
#include "tilescope/base/utf8.h"
#include "tilescope/view/what_if.h"

/* --- what they come to ------------------------------------------------------------------------ */

/* What rows come to is not the whole: "760 KiB, overlaps -37 KiB, gaps 3.1 KiB", or "760K -37K overlaps +3.1K gaps". */
static void
difference_words(const struct memory_view *m, char out[64], bool brief, int64_t sum,
	struct memory_whole whole)
{
	int64_t rest = whole.bytes - whole.gaps - sum, part = rest < 0 ? -rest : rest;
	const char *(*fmt)(char *, int64_t, enum ts_units) = brief ? ts_fmt_bytes_short
								   : ts_fmt_bytes;
	const char *other = rest < 0 ? "overlaps" : "others";
	char text[TS_FMT_MAX];
	struct ts_strbuf b;

	ts_strbuf_init(&b, 63);
	ts_strbuf_puts(&b, fmt(text, sum, memory_units(m)));
	if (rest != 0 && brief)
		ts_strbuf_printf(&b, " %c%s %s", rest < 0 ? '-' : '+',
			fmt(text, part, memory_units(m)), other);
	else if (rest != 0)
		ts_strbuf_printf(&b, ", %s %s%s", other, rest < 0 ? "-" : "",
			fmt(text, part, memory_units(m)));
	if (whole.gaps > 0)
		ts_strbuf_printf(&b, brief ? " +%s gaps" : ", gaps %s",
			fmt(text, whole.gaps, memory_units(m)));
	snprintf(out, 64, "%s", b.s);
	ts_strbuf_fini(&b);
}

void
memory_total_words(const struct memory_view *m, struct ts_table_cell *out, int width,
	const char *const count[], int counts, int64_t sum, struct memory_whole whole)
{
	bool differs = sum >= 0 && whole.bytes >= 0 && whole.bytes != sum;
	char words[2][64] = {"", ""};
	int room = width < (int)sizeof(out->buf) ? width : (int)sizeof(out->buf) - 1;

	for (int i = 0; differs && i < 2; i++)
		difference_words(m, words[i], i == 1, sum, whole);
	for (int i = 0; i < counts; i++)
		if (snprintf(out->buf, sizeof(out->buf), "%.60s%s%.60s", count[i],
			    differs ? ": " : "", words[0]) <= room)
			return;
	for (int i = 0; differs && i < 2; i++) /* rather than how many there are */
		if (snprintf(out->buf, sizeof(out->buf), "%.60s", words[i]) <= room)
			return;
	snprintf(out->buf, sizeof(out->buf), "%s%.40s", /* what is cut is the end */
		!differs				 ? ""
			: whole.bytes - whole.gaps < sum ? "overlapping, "
			: whole.gaps > 0		 ? "with gaps, "
							 : "with others, ",
		count[counts - 1]);
}

static struct memory_whole
whole_of(const struct memory_view *m)
{
	struct memory_scope of = {.tile = m->variables_of};

	return memory_scope_whole(m, &of);
}

int64_t
memory_variables_whole(const struct memory_view *m)
{
	struct memory_whole whole = whole_of(m);

	return whole.bytes >= 0 ? whole.bytes : m->variables.bytes;
}

/* --- the table -------------------------------------------------------------------------------- */

enum { V_MARK, V_NAME, V_CATEGORY, V_BYTES, V_SHARE, V_TICK, V_OFFSET, V_COLUMNS };

static const struct ts_column variable_columns[V_COLUMNS] = {
	[V_MARK] = {"", 1, 1, 0, 6, TS_FIELD_LEFT},
	[V_NAME] = {"variable", 16, 0, 6, 0, TS_FIELD_TAIL},
	[V_CATEGORY] = {"category", 10, 22, 1, 3, TS_FIELD_ELLIPSIS},
	[V_BYTES] = {"bytes", 10, 10, 0, 0, TS_FIELD_RIGHT},
	[V_SHARE] = {"share", 6, 6, 0, 2, TS_FIELD_RIGHT},
	[V_TICK] = {"what if", 7, 8, 0, 1, TS_FIELD_LEFT},
	[V_OFFSET] = {"offset", 8, 10, 0, 4, TS_FIELD_RIGHT},
};

/* The columns of marks and of what-if are there while there are some. */
static const struct ts_column_facts variable_facts[2][V_COLUMNS] = {
	{[V_MARK] = {.name = "", .extra = true},
		[V_BYTES] = {.unit = "bytes", .sum = TS_SUM_BYTES},
		[V_SHARE] = {.unit = "%"},
		[V_TICK] = {.name = "", .extra = true}},
	{[V_MARK] = {.name = ""},
		[V_BYTES] = {.unit = "bytes", .sum = TS_SUM_BYTES},
		[V_SHARE] = {.unit = "%"},
		[V_TICK] = {.name = ""}},
};

static int
variable_column_count(const struct memory_view *m)
{
	return m->variables.has_offsets ? V_COLUMNS : V_OFFSET;
}

/* The totals are of all variables of the tile, also where not all are listed. */
static void
total_name(const struct memory_view *m, struct ts_table_cell *out)
{
	const struct ts_tile_variables *v = &m->variables;
	struct ts_table table = memory_variable_table(m);
	char found[TS_FMT_MAX], longest[80], shorter[64], alone[64];
	const char *const some[] = {longest, shorter, alone}, *const all[] = {longest};
	int width[TS_TABLE_COLUMNS];

	ts_fmt_count(found, v->found);
	ts_table_layout(width, &table, memory_tab_rect(m, TAB_VARIABLES).w);
	if (v->found <= v->count) {
		snprintf(longest, sizeof(longest), "%s variable%s", found,
			v->found == 1 ? "" : "s");
		memory_total_words(m, out, width[V_NAME], all, 1, v->bytes, whole_of(m));
		return;
	}
	snprintf(longest, sizeof(longest), "all %s variables (the largest 1,000 listed)", found);
	snprintf(shorter, sizeof(shorter), "all %s (1,000 listed)", found);
	snprintf(alone, sizeof(alone), "all %s", found);
	memory_total_words(m, out, width[V_NAME], some, TS_COUNT(some), v->bytes, whole_of(m));
}

static bool
mark_of(const struct memory_view *m, const struct ts_tile_variable *x,
	struct ts_marked_variable *out)
{
	if (x->rowid < 0)
		return false;
	*out = (struct ts_marked_variable){.lowered = true,
		.variable = x->variable,
		.row = x->rowid,
		.id = x->id,
		.tile = m->variables_of,
		.class_of = x->class_of,
		.bytes = x->bytes};
	snprintf(out->name, sizeof(out->name), "%s", x->name ? x->name : "");
	return true;
}

static bool
is_marked(const struct memory_view *m, const struct ts_tile_variable *x)
{
	struct ts_marked_variable mark;

	return mark_of(m, x, &mark) && ts_marked_find(&m->view.env->selection->marked, &mark) >= 0;
}

static void
name_cell(const struct memory_view *m, const struct ts_tile_variable *x, struct ts_table_cell *out)
{
	if (!x) {
		total_name(m, out);
	} else if (x->unnamed) {
		out->s = "⋯";
		out->role = TS_ROLE_DIM;
	} else if (x->name) {
		out->s = x->name;
	} else {
		out->s = m->variables.has_names ? "(no name)" : "(names are not recorded)";
	}
}

static void
sign_cell(const struct memory_view *m, const struct ts_tile_variable *x, int column,
	struct ts_table_cell *out)
{
	char sign[TS_WHAT_IF_SIGN];

	if (column == V_MARK) {
		out->role = TS_ROLE_MARK;
		snprintf(out->buf, sizeof(out->buf), "%s", is_marked(m, x) ? "*" : "");
	} else if (x->id != TS_UNKNOWN) {
		out->role = TS_ROLE_ACCENT;
		snprintf(out->buf, sizeof(out->buf), "%s",
			ts_what_if_sign(m->view.env, TS_WHAT_IF_LOWERED, x->id, sign));
	}
}

static bool
variable_cell(void *ctx, int64_t row, int column, struct ts_table_cell *out)
{
	const struct memory_view *m = ctx;
	const struct ts_tile_variables *v = &m->variables;
	const struct ts_tile_variable *x = row >= 0 && row < v->count ? &v->variable[row] : NULL;
	int64_t whole = memory_variables_whole(m), bytes = x ? x->bytes : whole;

	if (!x && row != TS_TABLE_TOTAL)
		return false;
	out->s = out->buf;
	out->buf[0] = '\0';
	if (column == V_NAME)
		name_cell(m, x, out);
	else if (column == V_BYTES && bytes >= 0)
		ts_fmt_bytes(out->buf, bytes, memory_units(m));
	else if (column == V_SHARE && bytes >= 0)
		ts_fmt_percent(out->buf, (double)bytes, (double)whole);
	else if (column == V_CATEGORY && x && x->category)
		out->s = x->category;
	else if (column == V_OFFSET && x && x->offset != TS_UNKNOWN)
		snprintf(out->buf, sizeof(out->buf), "0x%llx", (unsigned long long)x->offset);
	else if ((column == V_MARK || column == V_TICK) && x)
		sign_cell(m, x, column, out);
	return true;
}

bool
memory_variable_value(const struct ts_tile_variables *v, int64_t whole, int64_t row, int column,
	struct ts_table_value *out)
{
	const struct ts_tile_variable none = {.bytes = whole, .offset = TS_UNKNOWN};
	const struct ts_tile_variable *x = row == TS_TABLE_TOTAL ? &none : &v->variable[row];

	if (row != TS_TABLE_TOTAL && (row < 0 || row >= v->count))
		return false;
	if (column == V_NAME)
		ts_table_value_text(out, row == TS_TABLE_TOTAL ? "total" : x->name);
	else if (column == V_CATEGORY)
		ts_table_value_text(out, x->category);
	else if (column == V_BYTES)
		ts_table_value_known(out, x->bytes);
	else if (column == V_SHARE && x->bytes >= 0 && whole > 0)
		ts_table_value_real(out, 100 * (double)x->bytes / (double)whole);
	else if (column == V_OFFSET)
		ts_table_value_known(out, x->offset);
	return true;
}

static bool
variable_value(void *ctx, int64_t row, int column, struct ts_table_value *out)
{
	const struct memory_view *m = ctx;

	return memory_variable_value(&m->variables, memory_variables_whole(m), row, column, out);
}

static enum ts_role
variable_row(void *ctx, int64_t row)
{
	const struct memory_view *m = ctx;
	const char *name = row >= 0 && row < m->variables.count ? m->variables.variable[row].name
								: NULL;

	return m->search[0] && name && ts_contains_nocase(name, m->search) ? TS_ROLE_MATCH
									   : TS_ROLE_TEXT;
}

struct ts_table
memory_variable_table(const struct memory_view *m)
{
	const struct ts_selection *selection = m->view.env->selection;
	bool signs = selection->marked.count + selection->what_if.count > 0;

	return (struct ts_table){.column = variable_columns,
		.columns = variable_column_count(m),
		.cell = variable_cell,
		.row = variable_row,
		.needle = m->search,
		.ctx = (void *)(uintptr_t)m,
		.header = true,
		.total = true,
		.focus = memory_tab_focus(m, TAB_VARIABLES),
		.sorted = V_BYTES,
		.descending = true,
		.empty = "No variables on this tile.",
		.id = "memory.variables",
		.facts = variable_facts[signs],
		.value = variable_value,
		.looks = m->view.env->looks,
		.order = (struct ts_table_order *)(uintptr_t)&m->variable_order,
		.units = memory_units(m)};
}

void
memory_order_variables(struct memory_view *m)
{
	struct ts_table t = memory_variable_table(m);

	ts_table_order_make(&m->variable_order, &t, &m->variable_list, m->variables.count,
		m->variables_version);
}

const struct ts_tile_variable *
memory_variable(const struct memory_view *m)
{
	struct ts_table t = memory_variable_table(m);
	int64_t row = ts_table_row(&t, m->variable_list.cursor);

	return row >= 0 && row < m->variables.count ? &m->variables.variable[row] : NULL;
}

void
memory_variables_note(const struct memory_view *m, char *out, size_t size)
{
	const struct ts_tile *tile = memory_tile(m);
	long long shown = m->variables_of >= 0 ? (long long)m->variables_of
		: tile			       ? (long long)tile->tile
					       : 0;

	if (!tile)
		out[0] = '\0';
	else if (m->variables_state.state == TS_PANE_STALE)
		snprintf(out, size, "tile %lld (reading tile %lld)", shown, (long long)tile->tile);
	else if (m->variables_state.state == TS_PANE_PARTIAL)
		snprintf(out, size, "tile %lld, partial: the report is damaged", shown);
	else if (m->variables.bad_rows > 0)
		snprintf(out, size, "tile %lld (%lld without size)", shown,
			(long long)m->variables.bad_rows);
	else
		snprintf(out, size, "tile %lld%s", shown,
			m->variable_order.row ? "" : ", largest first");
}

void
memory_draw_variables(struct ts_canvas *c, const struct memory_view *m)
{
	struct ts_rect r = memory_tab_rect(m, TAB_VARIABLES);
	struct ts_table t = memory_variable_table(m);

	if (ts_pane_has(&m->variables_state))
		ts_table_draw(c, r, &t, &m->variable_list);
	else
		ts_pane_draw(c, r, m->view.env, &m->variables_state);
}

/* --- keys --------------------------------------------------------------------------------------- */

static enum ts_effect
no_number(struct memory_view *m, const char *instead)
{
	ts_view_say_error(m->view.env, "variables have no numbers in this report: %s", instead);
	return TS_EFFECT_BELL;
}

enum ts_effect
memory_mark_variable(struct memory_view *m)
{
	const struct ts_tile_variable *x = memory_variable(m);
	struct ts_marked_variable mark;

	if (!x)
		return TS_EFFECT_BELL;
	return mark_of(m, x, &mark) ? ts_view_mark(&m->view, &mark)
				    : no_number(m, "none can be marked");
}

enum ts_effect
memory_tick_variable(struct memory_view *m)
{
	const struct ts_tile_variable *x = memory_variable(m);
	struct ts_what_if_change change = {.of = TS_WHAT_IF_LOWERED};

	if (!x)
		return TS_EFFECT_BELL;
	if (x->id == TS_UNKNOWN)
		return no_number(m, ":whatif remove PATTERN goes by name");
	change.id = x->id;
	ts_what_if_name(&change, x->name, x->name ? strlen(x->name) : 0);
	return ts_what_if_tick(&m->view, &change);
}
