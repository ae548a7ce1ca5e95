/* SPDX-License-Identifier: MIT */
/*
 * memory_rows - the rows below the graph of the Memory view: the read-out of the tile (or the IPU) under the cursor, its
 * parts as figures, and what the selected tiles use together.
 */
#include "config.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "memory_internal.h"
#include "tilescope/base/strbuf.h"
#include "tilescope/base/utf8.h"

enum { DIAMOND = 0x25c6, WORDS = 400 };

/* --- read-out --------------------------------------------------------------------------------- */

/* A figure of this view: long where there is room. */
static const char *
bytes_text(const struct memory_view *m, char out[TS_FMT_MAX], int64_t bytes, bool wide)
{
	return wide || memory_units(m) == TS_UNITS_BYTES
		? ts_fmt_bytes(out, bytes, memory_units(m))
		: ts_fmt_bytes_short(out, bytes, memory_units(m));
}

/*
 * How much is said: MIDDLE is all but the column's tiles in full, SHORT fits 80 columns in most reports,
 * BRIEF is without the column. What does not fit even then is left out word by word.
 */
enum length { BRIEF, SHORT, MIDDLE, LONG };

void
memory_piece(struct memory_readout *o, enum ts_role role, const char *fmt, ...)
{
	char text[200];
	va_list ap;
	int w;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	w = ts_utf8_columns(text, strlen(text));
	if (!o->measure && o->x + w <= o->r.w)
		ts_canvas_text(o->c, o->r, o->x, 0, role, text);
	else if (!o->measure)
		ts_canvas_cut(o->c, o->r, o->x, 0, TS_ROLE_LABEL);
	o->x += w;
}

static enum ts_role
fullness(const struct memory_tiles *t, int64_t i, int64_t used)
{
	enum { WARN_PERCENT = 90 };
	int64_t limit = t->target.bytes_per_tile;

	/* gaps count for the verdict even where they are not shown */
	if (memory_does_not_fit(t, i))
		return TS_ROLE_BAD;
	if (limit != TS_UNKNOWN && (double)used * 100 >= (double)limit * WARN_PERCENT)
		return TS_ROLE_WARN;
	return TS_ROLE_VALUE;
}

static void
gaps_piece(struct memory_readout *o, const struct memory_view *m, const struct ts_tile *tile,
	bool wide)
{
	char text[TS_FMT_MAX];
	int64_t gaps = tile->total_gaps - tile->total;

	if (tile->total_gaps == TS_UNKNOWN && m->tiles->tiles.gaps == 0)
		memory_piece(o, TS_ROLE_NOTE, wide ? "  gaps not recorded" : "  no gaps");
	else if (tile->total_gaps == TS_UNKNOWN)
		memory_piece(o, TS_ROLE_NOTE,
			wide ? "  whether it includes gaps is not known" : "  gaps not known");
	else if (!m->gaps)
		memory_piece(o, TS_ROLE_LABEL, "  without gaps");
	else if (wide && gaps >= 0)
		memory_piece(o, TS_ROLE_LABEL, "  with gaps (%s)", bytes_text(m, text, gaps, wide));
	else
		memory_piece(o, TS_ROLE_LABEL, "  with gaps");
}

/* Which of the column's tiles it is. */
static void
column_piece(struct memory_readout *o, const struct memory_view *m, bool wide)
{
	int column = ts_span_column(&m->span, m->span.cursor);
	const struct ts_bucket *b;
	const struct ts_tile *tile = m->tiles->tiles.tile;
	int64_t n;

	if (column < 0 || column >= m->plot.columns)
		return;
	b = &m->plot.bucket[column];
	n = b->to - b->from;
	if (n <= 1)
		return;
	if (b->max_at == m->span.cursor && wide && !m->axis.place)
		memory_piece(o, TS_ROLE_LABEL,
			"  the fullest of the %lld tiles of this column (%lld to %lld)",
			(long long)n, (long long)tile[memory_place_at(m, b->from)].tile,
			(long long)tile[memory_place_at(m, b->to - 1)].tile);
	else if (b->max_at == m->span.cursor)
		memory_piece(o, TS_ROLE_LABEL, "  top of %lld here", (long long)n);
	else if (b->max_at >= 0 && wide)
		memory_piece(o, TS_ROLE_NOTE, "  one of %lld in this column, the fullest is %lld",
			(long long)n, (long long)tile[memory_place_at(m, b->max_at)].tile);
	else if (b->max_at >= 0)
		memory_piece(o, TS_ROLE_NOTE, "  top here: %lld",
			(long long)tile[memory_place_at(m, b->max_at)].tile);
}

static void
readout_pieces(struct memory_readout *o, const struct memory_view *m, const struct ts_tile *tile,
	enum length length)
{
	const struct memory_tiles *t = m->tiles;
	int64_t i = memory_at(m), used = t->value[m->gaps][i], limit = t->target.bytes_per_tile;
	enum ts_role role = fullness(t, i, used);
	bool wide = length > SHORT;
	char a[TS_FMT_MAX], b[TS_FMT_MAX];

	memory_piece(o, TS_ROLE_LABEL, "tile ");
	memory_piece(o, TS_ROLE_ACCENT, "%lld", (long long)tile->tile);
	if (t->ipu[i] != TS_UNKNOWN)
		memory_piece(o, TS_ROLE_LABEL, " ipu %lld", (long long)t->ipu[i]);
	if (m->axis.place)
		memory_piece(o, TS_ROLE_LABEL, " physical %lld", (long long)tile->physical);
	memory_piece(o, TS_ROLE_LABEL, "  ");
	memory_piece(o, role, "%s", bytes_text(m, a, used, wide));
	if (limit != TS_UNKNOWN)
		memory_piece(o, role, " of %s  %s", bytes_text(m, a, limit, wide),
			ts_fmt_percent(b, (double)used, (double)limit));
	else
		memory_piece(o, TS_ROLE_NOTE, "  limit not known");
	if (limit != TS_UNKNOWN && t->target.assumed && length == LONG)
		memory_piece(o, TS_ROLE_NOTE, " (limit assumed)");
	if (tile->overflowed > 0 && (wide || limit == TS_UNKNOWN))
		memory_piece(o, TS_ROLE_BAD, "  overflowed %s",
			bytes_text(m, a, tile->overflowed, wide));
	gaps_piece(o, m, tile, wide);
	memory_piece(o, TS_ROLE_LABEL, "  rank %s",
		ts_fmt_count(a, (int64_t)t->rank[m->gaps][i] + 1));
	if (wide)
		memory_piece(o, TS_ROLE_LABEL, " of %s", ts_fmt_count(a, t->n));
	if (length > BRIEF)
		column_piece(o, m, length == LONG);
}

/* Word by word, as far as there is room. */
void
memory_pieces(struct memory_readout *o, const char *words)
{
	while (*words) {
		const char *next = strstr(words + 1, "  ");
		size_t n = next ? (size_t)(next - words) : strlen(words);

		memory_piece(o, TS_ROLE_VALUE, "%.*s", (int)n, words);
		words += n;
	}
}

/* The IPU under the cursor in place of the tile. */
static void
draw_ipu(struct ts_canvas *c, const struct memory_view *m)
{
	struct memory_readout o = {c, ts_rect_row(m->pane[PANE_READOUT], 0), 0, false};
	struct ts_strbuf words;

	ts_strbuf_init(&words, WORDS);
	memory_ipu_words(m, &words);
	memory_piece(&o, TS_ROLE_LABEL, "ipu ");
	memory_piece(&o, TS_ROLE_ACCENT, "%lld", (long long)m->tiles->ipu[memory_at(m)]);
	memory_pieces(&o, words.s);
	ts_strbuf_fini(&words);
}

/* In whole sentences where they fit. */
void
memory_draw_readout(struct ts_canvas *c, const struct memory_view *m, const struct ts_tile *tile)
{
	struct memory_readout o = {c, ts_rect_row(m->pane[PANE_READOUT], 0), 0, true};
	enum length length = LONG;

	if (memory_by_ipu(m)) {
		draw_ipu(c, m);
		return;
	}
	for (; length > BRIEF; length--) {
		o.x = 0;
		readout_pieces(&o, m, tile, length);
		if (o.x <= o.r.w)
			break;
	}
	o.x = 0;
	o.measure = false;
	readout_pieces(&o, m, tile, length);
}

/* --- rows below it ---------------------------------------------------------------------------- */

/* Parts have figures of their own: those of categories stand in the tabs. */
static bool
has_parts(const struct memory_view *m)
{
	return m->plot.bands > 0 &&
		(memory_by_ipu(m) ||
			(m->breakdown != BY_CATEGORY && m->breakdown != BY_CATEGORY_MEAN));
}

/* Of a tile, and of its memory; where nothing is known of it but its bytes there is nothing to say. */
static bool
has_why(const struct memory_view *m)
{
	return memory_is_of_tiles(m) && !memory_by_ipu(m) &&
		(m->categories_state.state != TS_PANE_ABSENT ||
			m->variables_state.state != TS_PANE_ABSENT);
}

int
memory_rows_wanted(const struct memory_view *m)
{
	return has_why(m) + has_parts(m) + (m->selected.tiles > 0);
}

void
memory_room_for_rows(struct memory_view *m)
{
	enum { LEAST = 8 };
	struct ts_rect *graph = &m->pane[PANE_GRAPH], *readout = &m->pane[PANE_READOUT];

	m->rows_below = memory_rows_wanted(m);
	for (int i = 0; i < m->rows_below && graph->h >= LEAST && readout->h > 0; i++) {
		graph->h--;
		readout->y--;
		readout->h++;
	}
}

struct part {
	const char *name;
	int64_t bytes;
};

static int
most_first(const void *a, const void *b)
{
	const struct part *x = a, *y = b;

	return (x->bytes < y->bytes) - (x->bytes > y->bytes);
}

/* Bytes of a band, of the tile or the IPU under the cursor. */
static int64_t
part_bytes(const struct memory_view *m, int band)
{
	const struct memory_ipu *x = memory_by_ipu(m) ? memory_ipu_of(m, memory_at(m)) : NULL;

	if (memory_by_ipu(m))
		return x ? x->part[band] : 0;
	return memory_drawn_bytes(m, memory_parts(m), m->plot.band[band].part, memory_at(m));
}

/* "  no layer", " 120K": both, or none of them. */
static bool
part_fits(const struct memory_readout *o, const char *name, const char *figure)
{
	struct memory_readout both = {o->c, o->r, o->x, true};

	memory_piece(&both, TS_ROLE_LABEL, "%s", name);
	memory_piece(&both, TS_ROLE_VALUE, "%s", figure);
	return both.x <= o->r.w;
}

/* "layer 2 203K  no layer 120K  gaps 2K": the largest first, as far as there is room. */
static void
draw_parts(struct ts_canvas *c, const struct memory_view *m, struct ts_rect row)
{
	struct memory_readout o = {c, row, 0, false};
	struct part part[MEMORY_DRAWN];
	char text[TS_FMT_MAX];
	int n = 0;

	for (int b = 0; b < m->plot.bands; b++)
		if (!m->plot.band[b].hidden && part_bytes(m, b) > 0)
			part[n++] = (struct part){m->plot.band[b].name, part_bytes(m, b)};
	qsort(part, (size_t)n, sizeof(part[0]), most_first);
	memory_piece(&o, TS_ROLE_LABEL, "of it:");
	for (int i = 0; i < n; i++) {
		char name[80], figure[TS_FMT_MAX + 1];

		snprintf(name, sizeof(name), "  %.60s", part[i].name);
		snprintf(figure, sizeof(figure), " %s",
			ts_fmt_bytes_short(text, part[i].bytes, memory_units(m)));
		if (!part_fits(&o, name, figure)) {
			ts_canvas_cut(c, row, o.x, 0, TS_ROLE_LABEL);
			break;
		}
		memory_piece(&o, TS_ROLE_LABEL, "%s", name);
		memory_piece(&o, TS_ROLE_VALUE, "%s", figure);
	}
	if (n == 0)
		memory_piece(&o, TS_ROLE_NOTE, "  nothing of what is shown");
}

static void
draw_selected(struct ts_canvas *c, const struct memory_view *m, struct ts_rect row)
{
	struct memory_readout o = {c, row, 2, false};
	struct ts_strbuf words;
	char title[160];

	ts_strbuf_init(&words, WORDS);
	memory_selected_title(m, title, sizeof(title));
	memory_selected_words(m, &words);
	ts_canvas_glyph(c, row, 0, 0, TS_ROLE_MARK, DIAMOND);
	memory_piece(&o, TS_ROLE_LABEL, "%s", title);
	memory_pieces(&o, words.s);
	ts_strbuf_fini(&words);
}

void
memory_draw_rows(struct ts_canvas *c, const struct memory_view *m)
{
	struct ts_rect r = m->pane[PANE_READOUT];
	int row = 1;

	if (has_why(m) && r.h > row)
		memory_draw_why(c, m, ts_rect_row(r, row++));
	if (has_parts(m) && r.h > row)
		draw_parts(c, m, ts_rect_row(r, row++));
	if (m->selected.tiles > 0 && r.h > row)
		draw_selected(c, m, ts_rect_row(r, row));
}
