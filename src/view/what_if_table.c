/* SPDX-License-Identifier: MIT */
/*
 * what_if_table - the rows of the tab "what-if": peaks of the device, of tiles and of the IPUs, then the changes. All have the
 * same columns, so that they can be sorted, filtered and written as one table: of a change they are the bytes of its pieces,
 * what is left of them, and how many pieces there are.
 */
#include "config.h"

#include <stdio.h>
#include <string.h>

#include "tilescope/base/mem.h"

#include "what_if_tab_internal.h"

enum { BYTES_WIDE = 15 };

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
	if (w->selected.before.tile != TS_UNKNOWN)
		add_other(s, WHAT_IF_SELECTED, 0);
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
	if (s->others != s->fitted) { /* other rows */
		s->fitted = s->others;
		s->l.of++;
	}
}

static int
ipu_rows(const struct what_if_tab *s)
{
	return s->w->ipus > 1 ? s->w->ipus : 0;
}

/* Rows of peaks; behind them are the changes. */
int
what_if_peak_rows(const struct what_if_tab *s)
{
	return 1 + ipu_rows(s) + s->others;
}

int
what_if_rows(const struct what_if_tab *s)
{
	if (!s->w)
		return 0;
	return what_if_peak_rows(s) + s->w->changes.count;
}

/* What a row is; *i: which IPU, touched tile or change. IPUs stand behind the tiles: it is a tile that does not fit. */
enum what_if_row
what_if_kind(const struct what_if_tab *s, int64_t row, int *i)
{
	int at = (int)row - 1;

	*i = 0;
	if (at < 0)
		return WHAT_IF_DEVICE;
	if (row >= what_if_peak_rows(s)) {
		*i = (int)row - what_if_peak_rows(s);
		return WHAT_IF_CHANGE;
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
	[C_HOW] = {"peak, change", 12, 13, 0, 0, TS_FIELD_LEFT},
	[C_WHAT] = {"of live bytes", 18, 60, 3, 0, TS_FIELD_TAIL},
	[C_CHANGED] = {"changed", 12, 40, 1, 6, TS_FIELD_TAIL},
	[C_REPLICAS] = {"replicas", 8, 11, 0, 6, TS_FIELD_RIGHT},
	[C_WORST_OF] = {"worst of", 8, 11, 0, 6, TS_FIELD_RIGHT},
	[C_OVER] = {"over limit", 10, 11, 0, 6, TS_FIELD_RIGHT},
	[C_ABOVE] = {"still above", 11, 11, 0, 6, TS_FIELD_RIGHT},
	[C_LOSES] = {"loses", 8, 11, 0, 6, TS_FIELD_RIGHT},
	[C_BEFORE] = {"before", 8, 11, 0, 0, TS_FIELD_RIGHT},
	[C_BEFORE_AT] = {"where", 21, 24, 1, 3, TS_FIELD_ELLIPSIS},
	[C_TILE] = {"tile", 7, 11, 0, 6, TS_FIELD_RIGHT},
	[C_STEP] = {"step", 7, 11, 0, 6, TS_FIELD_RIGHT},
	[C_AFTER] = {"after", 8, 11, 0, 0, TS_FIELD_RIGHT},
	[C_AFTER_AT] = {"where then", 21, 24, 1, 1, TS_FIELD_ELLIPSIS},
	[C_TILE_THEN] = {"tile then", 9, 11, 0, 6, TS_FIELD_RIGHT},
	[C_STEP_THEN] = {"step then", 9, 11, 0, 6, TS_FIELD_RIGHT},
	[C_LESS] = {"less", 8, 11, 0, 2, TS_FIELD_RIGHT},
	[C_SHARE] = {"", 6, 6, 0, 4, TS_FIELD_RIGHT},
	[C_PIECES] = {"pieces", 8, 11, 0, 5, TS_FIELD_RIGHT},
	[C_UNPLACED] = {"unplaced", 8, 11, 0, 6, TS_FIELD_RIGHT},
};

static const struct ts_column_facts facts[WHAT_IF_COLUMNS] = {
	[C_HOW] = {.name = "what"},
	[C_WHAT] = {.name = "of"},
	[C_CHANGED] = {.name = "changed", .extra = true},
	[C_REPLICAS] = {.name = "replicas", .unit = "replicas", .extra = true},
	[C_WORST_OF] = {.name = "worst_of", .unit = "tiles", .extra = true},
	[C_OVER] = {.name = "over_limit", .unit = "bytes", .extra = true},
	[C_ABOVE] = {.name = "still_above", .unit = "bytes", .extra = true},
	[C_LOSES] = {.name = "loses", .unit = "bytes", .extra = true},
	[C_BEFORE] = {.name = "before", .unit = "bytes"},
	[C_BEFORE_AT] = {.name = "where"},
	[C_TILE] = {.name = "tile", .extra = true},
	[C_STEP] = {.name = "step", .extra = true},
	[C_AFTER] = {.name = "after", .unit = "bytes"},
	[C_AFTER_AT] = {.name = "where_then"},
	[C_TILE_THEN] = {.name = "tile_then", .extra = true},
	[C_STEP_THEN] = {.name = "step_then", .extra = true},
	[C_LESS] = {.name = "less", .unit = "bytes"},
	[C_SHARE] = {.name = "share", .unit = "%"},
	[C_PIECES] = {.name = "pieces", .unit = "pieces", .extra = true},
	[C_UNPLACED] = {.name = "unplaced", .unit = "pieces", .extra = true},
};

/* What the words of a column say, one value each. */
static const struct {
	int words, part;
} parts[] = {
	{C_WHAT, C_CHANGED},
	{C_WHAT, C_REPLICAS},
	{C_WHAT, C_WORST_OF},
	{C_WHAT, C_OVER},
	{C_WHAT, C_ABOVE},
	{C_WHAT, C_LOSES},
	{C_BEFORE_AT, C_TILE},
	{C_BEFORE_AT, C_STEP},
	{C_AFTER_AT, C_TILE_THEN},
	{C_AFTER_AT, C_STEP_THEN},
	{C_AFTER_AT, C_PIECES},
	{C_AFTER_AT, C_UNPLACED},
};

bool
what_if_in_file(const struct ts_table *t, int column)
{
	bool in = ts_table_column_wanted(t, column);

	for (size_t i = 0; i < TS_COUNT(parts); i++) {
		if (parts[i].words == column)
			return false;
		in = in || (parts[i].part == column && ts_table_column_wanted(t, parts[i].words));
	}
	return in;
}

/* The change of a row, or -1. */
int
what_if_change_at(const struct what_if_tab *s, int64_t row)
{
	int i;

	return s->w && row >= 0 && row < what_if_rows(s) &&
			what_if_kind(s, row, &i) == WHAT_IF_CHANGE
		? i
		: -1;
}

/* The peaks of a row; NULL: it is a change. */
const struct ts_what_if_pair *
what_if_pair_at(const struct what_if_tab *s, int64_t row)
{
	const struct ts_what_if *w = s->w;
	const struct ts_what_if_pair *one[] = {[WHAT_IF_DEVICE] = &w->device,
		[WHAT_IF_WORST] = &w->worst,
		[WHAT_IF_FULLEST] = &w->fullest,
		[WHAT_IF_NEXT_TILE] = &w->next_tile,
		[WHAT_IF_NEXT_PEAK] = &w->next_peak,
		[WHAT_IF_SELECTED] = &w->selected,
		[WHAT_IF_CHANGE] = NULL};
	enum what_if_row kind;
	int i;

	if (row < 0 || row >= what_if_rows(s))
		return NULL;
	kind = what_if_kind(s, row, &i);
	return kind == WHAT_IF_IPU	       ? &w->ipu[i]
		: kind == WHAT_IF_TOUCHED_TILE ? &w->touched[i]
					       : one[kind];
}

bool
what_if_is_of_device(const struct what_if_tab *s, int64_t row)
{
	int i;
	enum what_if_row kind = what_if_kind(s, row, &i);

	return kind == WHAT_IF_DEVICE || kind == WHAT_IF_NEXT_PEAK;
}

/* "ipu 3", "worst tile", "halve". */
void
what_if_row_name(const struct what_if_tab *s, int64_t row, char *out, size_t size)
{
	static const char *const words[] = {[WHAT_IF_DEVICE] = "device",
		[WHAT_IF_IPU] = "no ipu",
		[WHAT_IF_WORST] = "worst tile",
		[WHAT_IF_FULLEST] = "fullest tile",
		[WHAT_IF_NEXT_TILE] = "next tile",
		[WHAT_IF_NEXT_PEAK] = "next peak",
		[WHAT_IF_SELECTED] = "selected",
		[WHAT_IF_TOUCHED_TILE] = "no tile",
		[WHAT_IF_CHANGE] = "no change"};
	char how[32];
	int i;
	enum what_if_row kind = what_if_kind(s, row, &i);

	if (kind == WHAT_IF_CHANGE) {
		ts_what_if_how_text(how, &s->w->changes.item[i], false);
		snprintf(out, size, "%s", how);
	} else if (kind == WHAT_IF_TOUCHED_TILE) {
		snprintf(out, size, "%s", i == 0 ? "most changed" : "also changed");
	} else if (kind == WHAT_IF_IPU && s->w->ipu[i].ipu != TS_UNKNOWN) {
		snprintf(out, size, "ipu %lld", (long long)s->w->ipu[i].ipu);
	} else {
		snprintf(out, size, "%s", words[kind]);
	}
}

/* What is allocated on the fullest tile beyond the limit. */
static int64_t
over_limit(const struct what_if_tab *s)
{
	return s->limit > 0 ? ts_max_i64(s->w->fullest_used - s->limit, 0) : 0;
}

static void
fullest_text(const struct what_if_tab *s, enum ts_units units, char *out, size_t size)
{
	char bytes[TS_FMT_MAX];

	snprintf(out, size, "%s allocated", ts_fmt_bytes(bytes, s->w->fullest_used, units));
}

const char *
what_if_row_of(const struct what_if_tab *s, int64_t row, enum ts_units units, char *buf,
	size_t size)
{
	char lost[TS_FMT_MAX];
	int i;

	buf[0] = '\0';
	switch (what_if_kind(s, row, &i)) {
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
	case WHAT_IF_SELECTED:
		if (s->w->selected_tiles == 1)
			return "tile";
		snprintf(buf, size, "the worst of %s", ts_fmt_count(lost, s->w->selected_tiles));
		return buf;
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

void
what_if_row_bytes(const struct what_if_tab *s, int64_t row, int64_t *before, int64_t *after)
{
	const struct ts_what_if_pair *pair = what_if_pair_at(s, row);
	int change = what_if_change_at(s, row);
	int i;

	*before = pair ? pair->before.bytes : s->w->sum[change].bytes;
	*after = pair ? pair->after.bytes : *before - s->w->sum[change].less;
	if (what_if_kind(s, row, &i) == WHAT_IF_FULLEST && pair->after.tile == TS_UNKNOWN)
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
int64_t
what_if_limit(const struct what_if_tab *s, int64_t row)
{
	int i;

	switch (what_if_kind(s, row, &i)) {
	case WHAT_IF_DEVICE:
	case WHAT_IF_NEXT_PEAK:
		return s->device_limit;
	case WHAT_IF_IPU:
		return s->w->ipu[i].ipu == TS_UNKNOWN ? TS_UNKNOWN : s->ipu_limit;
	case WHAT_IF_WORST:
	case WHAT_IF_NEXT_TILE:
	case WHAT_IF_SELECTED:
		return s->limit;
	default:
		return TS_UNKNOWN;
	}
}

/*
 * Live bytes that would have to go beyond the changes before a peak is no more above what its memory holds; 0: it is not, or
 * what it holds is not known. That it fits then nobody says: gaps count, too, and it is a tile that is full, not the device.
 */
int64_t
what_if_above(const struct what_if_tab *s, int64_t row)
{
	const struct ts_what_if_pair *pair = what_if_pair_at(s, row);
	int64_t limit = what_if_limit(s, row);

	if (limit <= 0 || !pair || pair->after.bytes == TS_UNKNOWN)
		return 0;
	return ts_max_i64(pair->after.bytes - limit, 0);
}

/* Of a change, or of a peak of some kind. */
static int64_t
about_row(const struct what_if_tab *s, int64_t row, int column)
{
	const struct ts_what_if *w = s->w;
	int i;
	enum what_if_row kind = what_if_kind(s, row, &i);

	if (kind == WHAT_IF_CHANGE && column == C_PIECES)
		return w->sum[i].variables;
	if (kind == WHAT_IF_CHANGE && column == C_UNPLACED && w->sum[i].unplaced > 0)
		return w->sum[i].unplaced;
	if (kind == WHAT_IF_DEVICE && column == C_REPLICAS && w->times > 1)
		return w->times;
	if (kind == WHAT_IF_SELECTED && column == C_WORST_OF && w->selected_tiles > 1)
		return w->selected_tiles;
	if (kind == WHAT_IF_FULLEST && column == C_OVER && over_limit(s) > 0)
		return over_limit(s);
	if (kind == WHAT_IF_TOUCHED_TILE && column == C_LOSES)
		return w->lost[i];
	return column == C_ABOVE && what_if_above(s, row) > 0 ? what_if_above(s, row) : TS_UNKNOWN;
}

/* A number of those that words are made of; TS_UNKNOWN: the row has none. */
static int64_t
part_of(const struct what_if_tab *s, int64_t row, int column)
{
	const struct ts_what_if_pair *pair = what_if_pair_at(s, row);
	bool then = column == C_TILE_THEN || column == C_STEP_THEN;
	const struct ts_what_if_peak *peak = !pair ? NULL : then ? &pair->after : &pair->before;

	if (column == C_TILE || column == C_TILE_THEN)
		return peak ? peak->tile : TS_UNKNOWN;
	if (column == C_STEP || column == C_STEP_THEN)
		return peak && peak->bytes != TS_UNKNOWN ? peak->step : TS_UNKNOWN;
	return about_row(s, row, column);
}

static bool
is_part(int column)
{
	size_t i = 0;

	while (i < TS_COUNT(parts) && parts[i].part != column)
		i++;
	return i < TS_COUNT(parts);
}

static bool
is_bytes(int column)
{
	return facts[column].unit && strcmp(facts[column].unit, "bytes") == 0;
}

/* Columns that are not on the screen until they are asked for. */
static void
part_cell(const struct what_if_tab *s, int64_t row, int column, struct ts_table_cell *out)
{
	enum ts_units units = s->t->view->env->options->units;
	int change = what_if_change_at(s, row);
	int64_t v = column == C_CHANGED ? TS_UNKNOWN : part_of(s, row, column);

	if (column == C_CHANGED && change >= 0)
		out->s = s->label[change];
	else if (v != TS_UNKNOWN && is_bytes(column))
		ts_fmt_bytes(out->buf, v, units);
	else if (v != TS_UNKNOWN && facts[column].unit)
		ts_fmt_count(out->buf, v);
	else if (v != TS_UNKNOWN)
		ts_fmt_number(out->buf, v);
	out->role = TS_ROLE_DIM;
}

static bool
cell(void *ctx, int64_t row, int column, struct ts_table_cell *out)
{
	const struct what_if_tab *s = ctx;
	enum ts_units units = s->t->view->env->options->units;
	int64_t before, after, less;
	char above[TS_FMT_MAX];
	int i;

	if (!s->w || row < 0 || row >= what_if_rows(s))
		return false;
	what_if_row_bytes(s, row, &before, &after);
	less = less_of(before, after);
	out->s = out->buf;
	out->buf[0] = '\0';
	if (column == C_HOW) {
		what_if_row_name(s, row, out->buf, sizeof(out->buf));
		out->role = what_if_pair_at(s, row) ? TS_ROLE_TEXT : TS_ROLE_ACCENT;
	} else if (column == C_WHAT) {
		out->s = what_if_row_of(s, row, units, out->buf, sizeof(out->buf));
		out->role = what_if_pair_at(s, row) ? TS_ROLE_LABEL : TS_ROLE_TEXT;
		if (what_if_kind(s, row, &i) == WHAT_IF_FULLEST && over_limit(s) > 0)
			out->role = TS_ROLE_BAD;
		if (what_if_above(s, row) > 0) {
			snprintf(out->buf, sizeof(out->buf), "%s too much",
				ts_fmt_bytes(above, what_if_above(s, row), units));
			out->s = out->buf;
			out->role = TS_ROLE_BAD;
		}
	} else if (is_part(column)) {
		part_cell(s, row, column, out);
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
	const struct what_if_tab *s = ctx;
	struct ts_table_cell text = {.n = (size_t)-1};
	int64_t before, after, less;

	if (!s->w || row < 0 || row >= what_if_rows(s))
		return false;
	what_if_row_bytes(s, row, &before, &after);
	less = less_of(before, after);
	if (column == C_CHANGED) {
		if (what_if_change_at(s, row) >= 0)
			ts_table_value_text(out, s->label[what_if_change_at(s, row)]);
	} else if (is_part(column)) {
		ts_table_value_known(out, part_of(s, row, column));
	} else if (column == C_BEFORE || column == C_AFTER) {
		ts_table_value_known(out, column == C_BEFORE ? before : after);
	} else if (column == C_LESS && before != TS_UNKNOWN && after != TS_UNKNOWN) {
		ts_table_value_integer(out, less);
	} else if (column == C_SHARE && before > 0 && after != TS_UNKNOWN) {
		ts_table_value_real(out, 100. * (double)less / (double)before);
	} else if (column == C_HOW || column == C_WHAT || column == C_BEFORE_AT ||
		column == C_AFTER_AT) {
		cell(ctx, row, column, &text);
		if (text.s == text.buf)
			memcpy(out->buf, text.buf, sizeof(out->buf));
		ts_table_value_text(out, text.s == text.buf ? out->buf : text.s);
	}
	return true;
}

void
what_if_begin(struct what_if_tab *s, const struct ts_tab *t, struct ts_rect r)
{
	static const struct ts_held_table table = {.id = "what-if",
		.facts = facts,
		.columns = WHAT_IF_COLUMNS,
		.cell = cell,
		.value = value,
		.empty = "no row passes the filter"};
	struct ts_held_table what = table;

	memcpy(s->column, columns, sizeof(columns));
	for (int i = 0; i < WHAT_IF_COLUMNS; i++)
		if (t->view->env->options->units == TS_UNITS_BYTES && is_bytes(i))
			s->column[i].min = BYTES_WIDE;
	what.column = s->column;
	what_if_fit(s, r.h - 1);
	ts_held_list_begin(&s->l, t, &what, r, what_if_rows(s));
}
