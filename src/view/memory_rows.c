/* SPDX-License-Identifier: MIT */
/*
 * memory_rows - the rows around the read-out of the Memory view: the IPU in place of the tile, the parts of what has
 * the cursor as figures, and what the selected tiles use together.
 */
#include "config.h"

#include <stdlib.h>

#include "memory_internal.h"
#include "tilescope/base/strbuf.h"

enum { DIAMOND = 0x25c6, WORDS = 400 };

/* Parts have figures of their own: those of categories stand in the tabs. */
static bool
has_parts(const struct memory_view *m)
{
	return m->plot.bands > 0 &&
		(memory_by_ipu(m) ||
			(m->breakdown != BY_CATEGORY && m->breakdown != BY_CATEGORY_MEAN));
}

int
memory_rows_wanted(const struct memory_view *m)
{
	return has_parts(m) + (m->selected.tiles > 0);
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

void
memory_draw_ipu(struct ts_canvas *c, const struct memory_view *m)
{
	struct memory_readout o = {c, ts_rect_row(m->pane[PANE_READOUT], 0), 0, false};
	struct ts_strbuf words;

	ts_strbuf_init(&words, WORDS);
	memory_ipu_words(m, &words);
	memory_piece(&o, TS_ROLE_LABEL, "ipu ");
	memory_piece(&o, TS_ROLE_ACCENT, "%lld", (long long)m->tiles->ipu[m->span.cursor]);
	memory_pieces(&o, words.s);
	ts_strbuf_fini(&words);
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
	const struct memory_ipu *x = memory_by_ipu(m) ? memory_ipu_of(m, m->span.cursor) : NULL;

	if (memory_by_ipu(m))
		return x ? x->part[band] : 0;
	return memory_drawn_bytes(m, memory_parts(m), m->plot.band[band].part, m->span.cursor);
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
		memory_piece(&o, TS_ROLE_LABEL, "  %.60s", part[i].name);
		memory_piece(&o, TS_ROLE_VALUE, " %s",
			ts_fmt_bytes_short(text, part[i].bytes, memory_units(m)));
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

	if (has_parts(m) && r.h > row)
		draw_parts(c, m, ts_rect_row(r, row++));
	if (m->selected.tiles > 0 && r.h > row)
		draw_selected(c, m, ts_rect_row(r, row));
}
