/* SPDX-License-Identifier: MIT */
/*
 * what_if_table - the rows of the tab "what-if": peaks of the device, of the worst tile and of the IPUs, then, under a line of
 * their own, the changes; and what their figures are.
 */
#include "config.h"

#include <stdio.h>
#include <string.h>

#include "tilescope/base/mem.h"
#include "tilescope/view/explain.h"
#include "tilescope/view/live_heat.h"

#include "what_if_tab_internal.h"

enum { DEVICE_ROW, WORST_ROW, BYTES_WIDE = 15 };

static struct what_if_tab *
tab_of(const struct ts_tab *t)
{
	return t->own;
}

/* What the changes are called, once for each answer. */
void
what_if_labels(struct what_if_tab *s)
{
	for (int i = 0; s->w && i < s->w->changes.count; i++) {
		const struct ts_what_if_change *x = &s->w->changes.item[i];

		snprintf(s->label[i], sizeof(s->label[i]), "%s%s",
			x->of == TS_WHAT_IF_LOWERED ? "piece " : "", x->text);
	}
}

/* Rows of peaks; behind them are a line and the changes, if there are any. */
static int
peak_rows(const struct what_if_tab *s)
{
	return WHAT_IF_PEAKS + (s->w->ipus > 1 ? s->w->ipus : 0);
}

int
what_if_rows(const struct what_if_tab *s)
{
	if (!s->w)
		return 0;
	return peak_rows(s) + (s->w->changes.count > 0 ? 1 + s->w->changes.count : 0);
}

/* --- the table -------------------------------------------------------------------------------- */

static const struct ts_column columns[WHAT_IF_COLUMNS] = {
	[C_HOW] = {"", 7, 8, 0, 0, TS_FIELD_LEFT},
	[C_WHAT] = {"peak live bytes", 16, 60, 3, 0, TS_FIELD_TAIL},
	[C_BEFORE] = {"before", 8, 11, 0, 0, TS_FIELD_RIGHT},
	[C_BEFORE_AT] = {"where", 21, 24, 1, 3, TS_FIELD_ELLIPSIS},
	[C_AFTER] = {"after", 8, 11, 0, 0, TS_FIELD_RIGHT},
	[C_AFTER_AT] = {"where then", 21, 24, 1, 1, TS_FIELD_ELLIPSIS},
	[C_LESS] = {"less", 8, 11, 0, 2, TS_FIELD_RIGHT},
	[C_SHARE] = {"", 6, 6, 0, 2, TS_FIELD_RIGHT},
};

static const struct ts_column_facts facts[WHAT_IF_COLUMNS] = {
	[C_HOW] = {.name = "change"},
	[C_WHAT] = {.name = "what"},
	[C_BEFORE] = {.name = "before", .unit = "bytes"},
	[C_BEFORE_AT] = {.name = "where"},
	[C_AFTER] = {.name = "after", .unit = "bytes"},
	[C_AFTER_AT] = {.name = "where then"},
	[C_LESS] = {.name = "less", .unit = "bytes"},
	[C_SHARE] = {.name = "share", .unit = "%"},
};

/* The change of a row, or -1. */
int
what_if_change_at(const struct what_if_tab *s, int64_t row)
{
	int first = s->w ? peak_rows(s) + 1 : 0;

	return s->w && row >= first && row < first + s->w->changes.count ? (int)row - first : -1;
}

/* The peaks of a row; NULL: it is a change, or the line above the changes. */
const struct ts_what_if_pair *
what_if_pair_at(const struct what_if_tab *s, int64_t row)
{
	if (row == DEVICE_ROW)
		return &s->w->device;
	if (row == WORST_ROW)
		return &s->w->worst;
	return row >= WHAT_IF_PEAKS && row < peak_rows(s) ? &s->w->ipu[row - WHAT_IF_PEAKS] : NULL;
}

static bool
is_line(const struct what_if_tab *s, int64_t row)
{
	return row == peak_rows(s);
}

/* Texts are of the tab, or in `buf`. */
static const char *
what_text(const struct what_if_tab *s, int64_t row, char *buf, size_t size)
{
	const struct ts_what_if_pair *pair = what_if_pair_at(s, row);
	int change = what_if_change_at(s, row);

	if (change >= 0)
		return s->label[change];
	if (row == DEVICE_ROW)
		return s->w->times > 1 ? "device, all replicas" : "device";
	if (row == WORST_ROW)
		return "worst tile";
	if (pair->ipu == TS_UNKNOWN)
		return "tiles of no known ipu";
	snprintf(buf, size, "ipu %lld", (long long)pair->ipu);
	return buf;
}

static void
where_text(const struct ts_what_if_peak *p, char *out, size_t size)
{
	char tile[32] = "", step[40] = "never";

	if (p->tile != TS_UNKNOWN)
		snprintf(tile, sizeof(tile), "tile %lld ", (long long)p->tile);
	if (p->step != TS_UNKNOWN)
		snprintf(step, sizeof(step), "step %lld", (long long)p->step);
	snprintf(out, size, "%s%s", tile, step);
}

/* Bytes of a row before and after, and whole bytes for its share. */
static void
bytes_at(const struct what_if_tab *s, int64_t row, int64_t *before, int64_t *after)
{
	const struct ts_what_if_pair *pair = what_if_pair_at(s, row);
	int change = what_if_change_at(s, row);

	*before = pair ? pair->before.bytes : s->w->sum[change].bytes;
	*after = pair ? pair->after.bytes : *before - s->w->sum[change].less;
}

static void
pieces_text(const struct what_if_tab *s, int change, char *out, size_t size)
{
	char count[TS_FMT_MAX], more[TS_FMT_MAX];
	int64_t n = s->w->sum[change].variables, unplaced = s->w->sum[change].unplaced;

	if (unplaced > 0)
		snprintf(out, size, "%s pieces, %s unplaced", ts_fmt_count(count, n),
			ts_fmt_count(more, unplaced));
	else
		snprintf(out, size, "%s piece%s", ts_fmt_count(count, n), n == 1 ? "" : "s");
}

/* Titles of the columns, for the changes. */
static const char *
line_text(int column)
{
	static const char *const titles[WHAT_IF_COLUMNS] = {[C_HOW] = "change",
		[C_WHAT] = "of",
		[C_BEFORE] = "bytes",
		[C_BEFORE_AT] = "pieces",
		[C_AFTER] = "left",
		[C_LESS] = "less"};

	return titles[column] ? titles[column] : "";
}

static bool
cell(void *ctx, int64_t row, int column, struct ts_table_cell *out)
{
	const struct ts_tab *t = ctx;
	const struct what_if_tab *s = tab_of(t);
	enum ts_units units = t->view->env->options->units;
	const struct ts_what_if_pair *pair;
	int64_t before, after;
	char how[32];

	if (!s->w || row >= what_if_rows(s))
		return false;
	if (is_line(s, row)) {
		out->s = line_text(column);
		out->role = TS_ROLE_HEADER;
		return true;
	}
	pair = what_if_pair_at(s, row);
	bytes_at(s, row, &before, &after);
	out->s = out->buf;
	out->buf[0] = '\0';
	switch (column) {
	case C_HOW:
		if (!pair)
			ts_what_if_how_text(how, &s->w->changes.item[what_if_change_at(s, row)],
				false);
		snprintf(out->buf, sizeof(out->buf), "%s", pair ? "" : how);
		break;
	case C_WHAT:
		out->s = what_text(s, row, out->buf, sizeof(out->buf));
		out->role = pair ? TS_ROLE_LABEL : TS_ROLE_TEXT;
		break;
	case C_BEFORE:
		ts_fmt_bytes(out->buf, before, units);
		break;
	case C_BEFORE_AT:
		if (pair)
			where_text(&pair->before, out->buf, sizeof(out->buf));
		else
			pieces_text(s, what_if_change_at(s, row), out->buf, sizeof(out->buf));
		out->role = TS_ROLE_DIM;
		break;
	case C_AFTER:
		ts_fmt_bytes(out->buf, after, units);
		out->role = after < before ? TS_ROLE_GOOD : TS_ROLE_TEXT;
		break;
	case C_AFTER_AT:
		if (pair)
			where_text(&pair->after, out->buf, sizeof(out->buf));
		else if (s->w->sum[what_if_change_at(s, row)].variables == 0)
			snprintf(out->buf, sizeof(out->buf), "nothing is called so");
		out->role = TS_ROLE_DIM;
		break;
	case C_LESS:
		if (after < before)
			ts_fmt_bytes(out->buf, before - after, units);
		break;
	default:
		if (after < before)
			ts_fmt_percent(out->buf, (double)(before - after), (double)before);
		break;
	}
	return true;
}

static bool
value(void *ctx, int64_t row, int column, struct ts_table_value *out)
{
	const struct ts_tab *t = ctx;
	const struct what_if_tab *s = tab_of(t);
	struct ts_table_cell text = {.n = (size_t)-1};
	int64_t before, after;

	if (!s->w || row < 0 || row >= what_if_rows(s))
		return false;
	if (is_line(s, row)) {
		ts_table_value_text(out, line_text(column));
		return true;
	}
	bytes_at(s, row, &before, &after);
	if (column == C_BEFORE || column == C_AFTER || column == C_LESS) {
		ts_table_value_integer(out,
			column == C_BEFORE	    ? before
				: column == C_AFTER ? after
						    : before - after);
	} else if (column == C_SHARE) {
		if (before > 0)
			ts_table_value_real(out, 100. * (double)(before - after) / (double)before);
	} else if (cell(ctx, row, column, &text)) {
		if (text.s == text.buf)
			memcpy(out->buf, text.buf, sizeof(out->buf));
		ts_table_value_text(out,
			text.s == text.buf ? out->buf : text.s + strspn(text.s, " "));
	}
	return true;
}

struct ts_table
what_if_table(struct ts_tab *t, bool focus)
{
	struct what_if_tab *s = tab_of(t);
	enum ts_units units = t->view->env->options->units;

	memcpy(s->column, columns, sizeof(columns));
	if (units == TS_UNITS_BYTES)
		s->column[C_BEFORE].min = s->column[C_AFTER].min = s->column[C_LESS].min =
			BYTES_WIDE;
	return (struct ts_table){.column = s->column,
		.columns = WHAT_IF_COLUMNS,
		.cell = cell,
		.ctx = t,
		.header = true,
		.focus = focus,
		.sorted = -1,
		.id = "what-if",
		.facts = facts,
		.value = value,
		.looks = t->view->env->looks,
		.units = units};
}

/* --- what a figure is ------------------------------------------------------------------------- */

static void
explain_peak(struct ts_explain *out, const struct ts_tab *t, const struct ts_what_if_pair *pair,
	const char *of)
{
	enum ts_units units = t->view->env->options->units;
	struct ts_explained *x = ts_explain_add(out, "peak of %s, as it is", of);

	ts_explain_bytes(x, pair->before.bytes, units);
	if (pair->before.tile != TS_UNKNOWN && pair->before.step != TS_UNKNOWN) {
		ts_live_explain(x, t->view->env->report, pair->before.tile, pair->before.step);
	} else {
		ts_explain_from(x, TS_KNOWN_DERIVED,
			"tile_memory, lowered_variable, class_interval");
		ts_explain_note(x,
			"the most over all steps of what is alive on its tiles, with what is always "
			"live: no query goes over all steps");
	}
	x = ts_explain_add(out, "peak of %s, with the changes", of);
	ts_explain_bytes(x, pair->after.bytes, units);
	ts_explain_from(x, TS_KNOWN_DERIVED, "tile_memory, lowered_variable, class_interval");
	ts_explain_formula(x, "%lld - %lld = %lld bytes", (long long)pair->before.bytes,
		(long long)(pair->before.bytes - pair->after.bytes), (long long)pair->after.bytes);
	ts_explain_note(x,
		"worked out over all tiles and steps with the changed sizes, which no query knows; exact "
		"for live bytes, gaps and overlaps of the allocator are not predicted");
}

static void
explain_change(struct ts_explain *out, const struct ts_tab *t, int i)
{
	const struct what_if_tab *s = tab_of(t);
	const struct ts_what_if_sum *sum = &s->w->sum[i];
	struct ts_explained *x;
	char how[32];

	ts_what_if_how_text(how, &s->w->changes.item[i], false);
	x = ts_explain_add(out, "%s %s: less", how, s->label[i]);

	ts_explain_bytes(x, sum->less, t->view->env->options->units);
	ts_explain_from(x, TS_KNOWN_DERIVED, "lowered_variable.bytes");
	ts_explain_formula(x, "%lld pieces with %lld bytes would have %lld",
		(long long)sum->variables, (long long)sum->bytes,
		(long long)(sum->bytes - sum->less));
	ts_explain_note(x,
		"sizes are divided piece by piece and rounded up; where several changes "
		"name a variable the last one counts");
}

void
what_if_explain(struct ts_tab *t, struct ts_explain *out)
{
	const struct what_if_tab *s = tab_of(t);
	int i = what_if_change_at(s, s->list.cursor);
	char name[64];

	if (!s->w)
		return;
	if (i >= 0)
		explain_change(out, t, i);
	else if (!is_line(s, s->list.cursor))
		explain_peak(out, t, what_if_pair_at(s, s->list.cursor),
			what_text(s, s->list.cursor, name, sizeof(name)));
}
