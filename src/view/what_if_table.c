/* SPDX-License-Identifier: MIT */
/*
 * what_if_table - the rows of the tab "what-if": peaks of the device, of tiles and of the IPUs, then, under a line of
 * their own, the changes; and what their figures are.
 */
#include "config.h"

#include <stdio.h>
#include <string.h>

#include "tilescope/base/mem.h"
#include "tilescope/view/explain.h"
#include "tilescope/view/explain_common.h"
#include "tilescope/view/live_heat.h"

#include "what_if_tab_internal.h"

enum { BYTES_WIDE = 15 };

static struct what_if_tab *
tab_of(const struct ts_tab *t)
{
	return t->own;
}

/* --- which rows there are --------------------------------------------------------------------- */

static void
add_other(struct what_if_tab *s, enum what_if_row kind, int i)
{
	s->other[s->others++] = (struct what_if_other){kind, i};
}

/* Has a tile a row of its own already, whatever it is then? */
static bool
has_row(const struct what_if_tab *s, int64_t tile)
{
	const struct ts_what_if *w = s->w;

	return tile == w->fullest.before.tile ||
		(tile == w->worst.before.tile && tile == w->worst.after.tile);
}

static void
choose_rows(struct what_if_tab *s, int touches)
{
	const struct ts_what_if *w = s->w;

	s->others = 0;
	add_other(s, WHAT_IF_WORST, 0);
	if (w->fullest.before.tile != TS_UNKNOWN)
		add_other(s, WHAT_IF_FULLEST, 0);
	if (w->next_tile.after.tile != TS_UNKNOWN)
		add_other(s, WHAT_IF_NEXT_TILE, 0);
	if (w->next_peak.before.bytes != TS_UNKNOWN || w->next_peak.after.bytes != TS_UNKNOWN)
		add_other(s, WHAT_IF_NEXT_PEAK, 0);
	for (int i = 0; i < touches; i++)
		if (!has_row(s, w->touched[i].before.tile))
			add_other(s, WHAT_IF_TOUCHED_TILE, i);
}

/* What the changes are called, once for each answer. */
void
what_if_labels(struct what_if_tab *s)
{
	for (int i = 0; s->w && i < s->w->changes.count; i++) {
		const struct ts_what_if_change *x = &s->w->changes.item[i];
		const char *kind = "";

		/* a piece that was typed says it by itself */
		if (x->of == TS_WHAT_IF_LOWERED && strncmp(x->text, "piece ", 6) != 0)
			kind = "piece ";
		else if (x->of == TS_WHAT_IF_GROUP || x->of == TS_WHAT_IF_PATTERN)
			kind = s->group[i] ? "group " : "pattern ";
		snprintf(s->label[i], sizeof(s->label[i]), "%s%s", kind, x->text);
	}
}

/* Of the tiles that lose most so many that all rows fit, one at least; where that is too many all: they scroll. */
void
what_if_fit(struct what_if_tab *s, int room)
{
	int touches = s->w ? s->w->touches : 0;

	if (!s->w)
		return;
	do
		choose_rows(s, touches);
	while (what_if_rows(s) > room && --touches > 0);
	if (what_if_rows(s) > room)
		choose_rows(s, s->w->touches);
	ts_list_set_count(&s->list, what_if_rows(s));
}

static int
ipu_rows(const struct what_if_tab *s)
{
	return s->w->ipus > 1 ? s->w->ipus : 0;
}

/* Rows of peaks; behind them are a line and the changes, if there are any. */
static int
peak_rows(const struct what_if_tab *s)
{
	return 1 + ipu_rows(s) + s->others;
}

int
what_if_rows(const struct what_if_tab *s)
{
	if (!s->w)
		return 0;
	return peak_rows(s) + (s->w->changes.count > 0 ? 1 + s->w->changes.count : 0);
}

/* What a row is; *i: which IPU, touched tile or change. IPUs stand behind the tiles: it is a tile that does not fit. */
static enum what_if_row
kind_of(const struct what_if_tab *s, int64_t row, int *i)
{
	int at = (int)row - 1;

	*i = 0;
	if (at < 0)
		return WHAT_IF_DEVICE;
	if (row >= peak_rows(s)) {
		*i = (int)row - peak_rows(s) - 1;
		return *i < 0 ? WHAT_IF_LINE : WHAT_IF_CHANGE;
	}
	if (at >= s->others) {
		*i = at - s->others;
		return WHAT_IF_IPU;
	}
	*i = s->other[at].i;
	return s->other[at].kind;
}

/* --- the table -------------------------------------------------------------------------------- */

static const struct ts_column columns[WHAT_IF_COLUMNS] = {
	[C_HOW] = {"peak of", 12, 13, 0, 0, TS_FIELD_LEFT},
	[C_WHAT] = {"live bytes", 18, 60, 3, 0, TS_FIELD_TAIL},
	[C_BEFORE] = {"before", 8, 11, 0, 0, TS_FIELD_RIGHT},
	[C_BEFORE_AT] = {"where", 21, 24, 1, 3, TS_FIELD_ELLIPSIS},
	[C_AFTER] = {"after", 8, 11, 0, 0, TS_FIELD_RIGHT},
	[C_AFTER_AT] = {"where then", 21, 24, 1, 1, TS_FIELD_ELLIPSIS},
	[C_LESS] = {"less", 8, 11, 0, 2, TS_FIELD_RIGHT},
	[C_SHARE] = {"", 6, 6, 0, 4, TS_FIELD_RIGHT},
};

static const struct ts_column_facts facts[WHAT_IF_COLUMNS] = {
	[C_HOW] = {.name = "of"},
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
	int i;

	return s->w && row >= 0 && row < what_if_rows(s) && kind_of(s, row, &i) == WHAT_IF_CHANGE
		? i
		: -1;
}

/* The peaks of a row; NULL: it is a change, or the line above the changes. */
const struct ts_what_if_pair *
what_if_pair_at(const struct what_if_tab *s, int64_t row)
{
	const struct ts_what_if *w = s->w;
	const struct ts_what_if_pair *one[] = {[WHAT_IF_DEVICE] = &w->device,
		[WHAT_IF_WORST] = &w->worst,
		[WHAT_IF_FULLEST] = &w->fullest,
		[WHAT_IF_NEXT_TILE] = &w->next_tile,
		[WHAT_IF_NEXT_PEAK] = &w->next_peak,
		[WHAT_IF_CHANGE] = NULL};
	enum what_if_row kind;
	int i;

	if (row < 0 || row >= what_if_rows(s))
		return NULL;
	kind = kind_of(s, row, &i);
	return kind == WHAT_IF_IPU	       ? &w->ipu[i]
		: kind == WHAT_IF_TOUCHED_TILE ? &w->touched[i]
					       : one[kind];
}

bool
what_if_is_of_device(const struct what_if_tab *s, int64_t row)
{
	int i;
	enum what_if_row kind = kind_of(s, row, &i);

	return kind == WHAT_IF_DEVICE || kind == WHAT_IF_NEXT_PEAK;
}

static bool
is_line(const struct what_if_tab *s, int64_t row)
{
	return row == peak_rows(s);
}

/* "ipu 3", "worst tile", "halve". */
static void
how_text(const struct what_if_tab *s, int64_t row, char *out, size_t size)
{
	static const char *const words[] = {[WHAT_IF_DEVICE] = "device",
		[WHAT_IF_IPU] = "no ipu",
		[WHAT_IF_WORST] = "worst tile",
		[WHAT_IF_FULLEST] = "fullest tile",
		[WHAT_IF_NEXT_TILE] = "next tile",
		[WHAT_IF_NEXT_PEAK] = "next peak",
		[WHAT_IF_TOUCHED_TILE] = "touched tile",
		[WHAT_IF_LINE] = "change"};
	char how[32];
	int i;
	enum what_if_row kind = kind_of(s, row, &i);

	if (kind == WHAT_IF_CHANGE) {
		ts_what_if_how_text(how, &s->w->changes.item[i], false);
		snprintf(out, size, "%s", how);
	} else if (kind == WHAT_IF_IPU && s->w->ipu[i].ipu != TS_UNKNOWN) {
		snprintf(out, size, "ipu %lld", (long long)s->w->ipu[i].ipu);
	} else {
		snprintf(out, size, "%s", words[kind]);
	}
}

static void
fullest_text(const struct what_if_tab *s, enum ts_units units, char *out, size_t size)
{
	char used[TS_FMT_MAX], limit[TS_FMT_MAX];

	ts_fmt_bytes(used, s->w->fullest_used, units);
	if (s->limit > 0)
		snprintf(out, size, "%s of %s", used, ts_fmt_bytes(limit, s->limit, units));
	else
		snprintf(out, size, "%s used", used);
}

/* Texts are of the tab, or in `buf`. */
static const char *
what_text(const struct what_if_tab *s, int64_t row, enum ts_units units, char *buf, size_t size)
{
	char lost[TS_FMT_MAX];
	int i;

	buf[0] = '\0';
	switch (kind_of(s, row, &i)) {
	case WHAT_IF_CHANGE:
		return s->label[i];
	case WHAT_IF_DEVICE:
		if (s->w->times > 1)
			snprintf(buf, size, "all %lld replicas", (long long)s->w->times);
		return buf;
	case WHAT_IF_IPU:
		return s->w->ipu[i].ipu == TS_UNKNOWN ? "tiles of no known ipu" : "";
	case WHAT_IF_FULLEST:
		fullest_text(s, units, buf, size);
		return buf;
	case WHAT_IF_NEXT_PEAK:
		return "of the device";
	case WHAT_IF_TOUCHED_TILE:
		snprintf(buf, size, "loses %s", ts_fmt_bytes(lost, s->w->lost[i], units));
		return buf;
	default:
		return "by live bytes";
	}
}

static void
where_text(const struct ts_what_if_peak *p, char *out, size_t size)
{
	char tile[28] = "", step[28] = "never"; /* a number has 20 digits at most */

	if (p->tile != TS_UNKNOWN)
		snprintf(tile, sizeof(tile), "tile %lld ", (long long)p->tile);
	if (p->step != TS_UNKNOWN)
		snprintf(step, sizeof(step), "step %lld", (long long)p->step);
	if (p->bytes == TS_UNKNOWN)
		snprintf(step, sizeof(step), "none");
	snprintf(out, size, "%s%s", tile, step);
}

/* Bytes of a row before and after, and whole bytes for its share; TS_UNKNOWN: there are none. */
static void
bytes_at(const struct what_if_tab *s, int64_t row, int64_t *before, int64_t *after)
{
	const struct ts_what_if_pair *pair = what_if_pair_at(s, row);
	int change = what_if_change_at(s, row);
	int i;

	*before = pair ? pair->before.bytes : s->w->sum[change].bytes;
	*after = pair ? pair->after.bytes : *before - s->w->sum[change].less;
	if (kind_of(s, row, &i) == WHAT_IF_FULLEST && pair->after.tile == TS_UNKNOWN)
		*before = *after = TS_UNKNOWN; /* nothing is known to live on it */
}

static int64_t
less_of(int64_t before, int64_t after)
{
	return before == TS_UNKNOWN || after == TS_UNKNOWN ? TS_UNKNOWN : before - after;
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
		[C_AFTER] = "left",
		[C_AFTER_AT] = "pieces",
		[C_LESS] = "less"};

	return titles[column] ? titles[column] : "";
}

static void
where_cell(const struct what_if_tab *s, int64_t row, int column, struct ts_table_cell *out)
{
	const struct ts_what_if_pair *pair = what_if_pair_at(s, row);
	int change = what_if_change_at(s, row);

	if (pair)
		where_text(column == C_AFTER_AT ? &pair->after : &pair->before, out->buf,
			sizeof(out->buf));
	else if (column == C_AFTER_AT && s->w->sum[change].variables == 0)
		snprintf(out->buf, sizeof(out->buf), "nothing is called so");
	else if (column == C_AFTER_AT) /* the one that is there at 80 columns, too */
		pieces_text(s, change, out->buf, sizeof(out->buf));
	out->role = TS_ROLE_DIM;
}

/* What the memory of a row holds: a tile's, that of an IPU's tiles, that of all; TS_UNKNOWN: not known, or not said there. */
static int64_t
limit_of(const struct what_if_tab *s, int64_t row)
{
	int i;

	switch (kind_of(s, row, &i)) {
	case WHAT_IF_DEVICE:
	case WHAT_IF_NEXT_PEAK:
		return s->device_limit;
	case WHAT_IF_IPU:
		return s->w->ipu[i].ipu == TS_UNKNOWN ? TS_UNKNOWN : s->ipu_limit;
	case WHAT_IF_WORST:
	case WHAT_IF_NEXT_TILE:
		return s->limit;
	default:
		return TS_UNKNOWN;
	}
}

/*
 * Live bytes that would have to go beyond the changes before a peak is no more above what its memory holds; 0: it is not, or
 * what it holds is not known. That it fits then nobody says: gaps count, too, and it is a tile that is full, not the device.
 */
static int64_t
still_above(const struct what_if_tab *s, int64_t row)
{
	const struct ts_what_if_pair *pair = what_if_pair_at(s, row);
	int64_t limit = limit_of(s, row);

	if (limit <= 0 || !pair || pair->after.bytes == TS_UNKNOWN)
		return 0;
	return ts_max_i64(pair->after.bytes - limit, 0);
}

static bool
cell(void *ctx, int64_t row, int column, struct ts_table_cell *out)
{
	const struct ts_tab *t = ctx;
	const struct what_if_tab *s = tab_of(t);
	enum ts_units units = t->view->env->options->units;
	int64_t before, after, less;
	char above[TS_FMT_MAX];

	if (!s->w || row >= what_if_rows(s))
		return false;
	if (is_line(s, row)) {
		out->s = line_text(column);
		out->role = TS_ROLE_HEADER;
		return true;
	}
	bytes_at(s, row, &before, &after);
	less = less_of(before, after);
	out->s = out->buf;
	out->buf[0] = '\0';
	if (column == C_HOW) {
		how_text(s, row, out->buf, sizeof(out->buf));
	} else if (column == C_WHAT) {
		out->s = what_text(s, row, units, out->buf, sizeof(out->buf));
		out->role = what_if_pair_at(s, row) ? TS_ROLE_LABEL : TS_ROLE_TEXT;
		if (still_above(s, row) > 0) {
			snprintf(out->buf, sizeof(out->buf), "live, still %s above",
				ts_fmt_bytes(above, still_above(s, row), units));
			out->s = out->buf;
			out->role = TS_ROLE_BAD;
		}
	} else if (column == C_BEFORE_AT || column == C_AFTER_AT) {
		where_cell(s, row, column, out);
	} else if (column == C_BEFORE) {
		out->s = before == TS_UNKNOWN ? "" : ts_fmt_bytes(out->buf, before, units);
	} else if (column == C_AFTER) {
		out->s = after == TS_UNKNOWN ? "" : ts_fmt_bytes(out->buf, after, units);
		out->role = less > 0 ? TS_ROLE_GOOD : TS_ROLE_TEXT;
	} else if (less > 0) {
		out->s = column == C_LESS ? ts_fmt_bytes(out->buf, less, units)
					  : ts_fmt_percent(out->buf, (double)less, (double)before);
	}
	return true;
}

static bool
value(void *ctx, int64_t row, int column, struct ts_table_value *out)
{
	const struct ts_tab *t = ctx;
	const struct what_if_tab *s = tab_of(t);
	struct ts_table_cell text = {.n = (size_t)-1};
	int64_t before, after, less;

	if (!s->w || row < 0 || row >= what_if_rows(s))
		return false;
	if (is_line(s, row)) {
		ts_table_value_text(out, line_text(column));
		return true;
	}
	bytes_at(s, row, &before, &after);
	less = less_of(before, after);
	if (column == C_BEFORE || column == C_AFTER) {
		ts_table_value_known(out, column == C_BEFORE ? before : after);
	} else if (column == C_LESS && before != TS_UNKNOWN && after != TS_UNKNOWN) {
		ts_table_value_integer(out, less);
	} else if (column == C_SHARE && before > 0 && after != TS_UNKNOWN) {
		ts_table_value_real(out, 100. * (double)less / (double)before);
	} else if (column < C_BEFORE || column == C_BEFORE_AT || column == C_AFTER_AT) {
		cell(ctx, row, column, &text);
		if (text.s == text.buf)
			memcpy(out->buf, text.buf, sizeof(out->buf));
		ts_table_value_text(out, text.s == text.buf ? out->buf : text.s);
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

/* The peak of the device, of which the report says the same. */
static bool
is_recorded(const struct ts_tab *t, const struct ts_what_if_pair *pair)
{
	const struct ts_what_if *w = tab_of(t)->w;

	return pair == &w->device && w->times == 1 && w->recorded != TS_UNKNOWN &&
		w->recorded == w->derived &&
		ts_report_has_column(t->view->env->report, TS_TILE_MEMORY,
			TS_TILE_MEMORY_ALWAYS_LIVE);
}

static void
explain_peak(struct ts_explain *out, const struct ts_tab *t, const struct ts_what_if_pair *pair,
	const char *of)
{
	enum ts_units units = t->view->env->options->units;
	struct ts_explained *x = ts_explain_add(out, "%s, as it is", of);

	ts_explain_bytes(x, pair->before.bytes, units);
	if (pair->before.tile != TS_UNKNOWN && pair->before.step != TS_UNKNOWN) {
		ts_live_explain(x, t->view->env->report, pair->before.tile, pair->before.step);
	} else {
		ts_explain_from(x, TS_KNOWN_DERIVED,
			"tile_memory, lowered_variable, class_interval");
		ts_explain_note(x,
			"the most over all steps of what is alive on its tiles, with what is always live%s",
			is_recorded(t, pair) ? "; liveness_step says the same"
					     : ": no query goes over all steps");
		if (is_recorded(t, pair))
			ts_explain_query(x,
				"SELECT (SELECT sum(always_live) FROM tile_memory) + max(not_always_live) FROM "
				"liveness_step");
	}
	x = ts_explain_add(out, "%s, with the changes", of);
	ts_explain_bytes(x, pair->after.bytes, units);
	ts_explain_from(x, TS_KNOWN_DERIVED, "tile_memory, lowered_variable, class_interval");
	if (pair->before.bytes != TS_UNKNOWN && pair->after.bytes != TS_UNKNOWN)
		ts_explain_formula(x, "%lld - %lld = %lld bytes", (long long)pair->before.bytes,
			(long long)(pair->before.bytes - pair->after.bytes),
			(long long)pair->after.bytes);
	ts_explain_note(x,
		"worked out over all tiles and steps with the changed sizes, which no query knows; exact "
		"for live bytes, gaps and overlaps of the allocator are not predicted");
}

static void
explain_less(struct ts_explain *out, const struct ts_tab *t, const struct ts_what_if_pair *pair,
	const char *of)
{
	int64_t less = less_of(pair->before.bytes, pair->after.bytes);
	char share[TS_FMT_MAX], bytes[TS_FMT_MAX];
	struct ts_explained *x;

	if (less <= 0) /* its cell is empty */
		return;
	x = ts_explain_add(out, "%s, less", of);
	ts_explain_bytes(x, less, t->view->env->options->units);
	ts_explain_shown(x, "%s, %s", ts_fmt_bytes(bytes, less, t->view->env->options->units),
		ts_fmt_percent(share, (double)less, (double)pair->before.bytes));
	ts_explain_from(x, TS_KNOWN_DERIVED, "the two figures before");
	ts_explain_formula(x, "%lld - %lld bytes; %lld / %lld", (long long)pair->before.bytes,
		(long long)pair->after.bytes, (long long)less, (long long)pair->before.bytes);
	ts_explain_note(x, "no query: what is left is worked out with the changed sizes");
}

/* What is left to go, of the row that says it. */
static void
explain_above(struct ts_explain *out, const struct ts_tab *t, int64_t row, const char *of)
{
	const struct what_if_tab *s = tab_of(t);
	int64_t above = still_above(s, row);
	struct ts_explained *x;
	const char *memory = "a tile has";
	int i;

	if (above == 0)
		return;
	if (what_if_is_of_device(s, row))
		memory = "all tiles have";
	else if (kind_of(s, row, &i) == WHAT_IF_IPU)
		memory = "the tiles of an ipu have";
	x = ts_explain_add(out, "%s, still above what %s", of, memory);
	ts_explain_bytes(x, above, t->view->env->options->units);
	ts_explain_from(x, TS_KNOWN_DERIVED, "the figure with the changes; target");
	ts_explain_formula(x, "%lld - %lld bytes", (long long)what_if_pair_at(s, row)->after.bytes,
		(long long)limit_of(s, row));
	ts_explain_note(x,
		"so much more has to go in live bytes alone; gaps and overlaps of the allocator are not predicted");
}

/* The row under the cursor, or another one that the tab is about. */
static void
explain_row(struct ts_explain *out, const struct ts_tab *t, int64_t row)
{
	const struct what_if_tab *s = tab_of(t);
	const struct ts_what_if_pair *pair = what_if_pair_at(s, row);
	char how[32], what[64], name[120];
	const char *words;
	int64_t before, after;

	bytes_at(s, row, &before, &after);
	if (before == TS_UNKNOWN && after == TS_UNKNOWN)
		return;
	how_text(s, row, how, sizeof(how));
	words = what_text(s, row, t->view->env->options->units, what, sizeof(what));
	snprintf(name, sizeof(name), "%s%s%s%s", pair == &s->w->next_peak ? "" : "peak of ", how,
		words[0] ? " " : "", words);
	explain_peak(out, t, pair, name);
	explain_less(out, t, pair, name);
	explain_above(out, t, row, name);
}

/* "tile 1921 is fullest: 604 KiB of 624 KiB allocated" */
static void
explain_fullest(struct ts_explain *out, const struct ts_tab *t)
{
	const struct ts_what_if *w = tab_of(t)->w;
	struct ts_explained *x;

	if (w->fullest.before.tile == TS_UNKNOWN)
		return;
	x = ts_explain_add(out, "allocated on tile %lld, the fullest",
		(long long)w->fullest.before.tile);
	ts_explain_bytes(x, w->fullest_used, t->view->env->options->units);
	ts_explain_from(x, TS_KNOWN_RECORDED, "tile_memory");
	ts_explain_note(x, "with gaps, where they are recorded; changes do not predict it");
	ts_explain_query(x, "SELECT " TS_EXPLAIN_USED " FROM tile_memory WHERE tile = %lld",
		(long long)w->fullest.before.tile);
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
	ts_explain_formula(x, "%lld piece%s with %lld bytes would have %lld",
		(long long)sum->variables, sum->variables == 1 ? "" : "s", (long long)sum->bytes,
		(long long)(sum->bytes - sum->less));
	ts_explain_note(x,
		"sizes are divided piece by piece and rounded up; where several changes "
		"name a variable the last one counts");
}

/* The row under the cursor; then what the tab is there for: the device, its next peak, the worst tile. */
void
what_if_explain(struct ts_tab *t, struct ts_explain *out)
{
	const struct what_if_tab *s = tab_of(t);
	int64_t row = s->list.cursor;

	if (!s->w || row < 0 || row >= what_if_rows(s))
		return;
	if (what_if_change_at(s, row) >= 0)
		explain_change(out, t, what_if_change_at(s, row));
	else if (!is_line(s, row))
		explain_row(out, t, row);
	for (int64_t i = 0; i < peak_rows(s); i++) {
		int of;
		enum what_if_row kind = kind_of(s, i, &of);

		if (i != row &&
			(kind == WHAT_IF_DEVICE || kind == WHAT_IF_NEXT_PEAK ||
				kind == WHAT_IF_WORST))
			explain_row(out, t, i);
	}
	explain_fullest(out, t);
}
