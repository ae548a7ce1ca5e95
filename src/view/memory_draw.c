/* SPDX-License-Identifier: MIT */
/*
 * memory_draw - the Memory view on the canvas.
 *
 * From top to bottom: the strip over all tiles, what the graph shows, its legend, the graph with IPUs
 * and tile numbers below, the figures of the tile under the cursor, and the two tables of that
 * tile, side by side where there is room. Everything is drawn from figures that memory_data.c made;
 * the work is bounded by cells.
 */
#include "config.h"

#include <stdio.h>
#include <string.h>

#include "memory_internal.h"
#include "tilescope/base/mem.h"
#include "tilescope/base/utf8.h"

enum {
	TITLE_LONG = 90,
	FEW_TILES = 16,
	TRIANGLE_UP = 0x25b2,
	DIAMOND = 0x25c6,
	LINE_HIGH = 0x23bb,
	MIDDLE_DOT = 0xb7
};

/* --- numbers ---------------------------------------------------------------------------------- */

const char *
memory_bytes_tick(void *ctx, double v, char out[TS_FMT_MAX])
{
	return memory_value(ctx, out, (int64_t)v, false);
}

int
memory_tick_base(const struct memory_view *m)
{
	return memory_units(m) == TS_UNITS_KIB && ts_metric_defs[m->metric.id].unit == TS_UNIT_BYTES
		? 2
		: 10;
}

/* Numbers below the axis: of the tile where the numbers are not those of the list. */
const char *
memory_tile_tick(void *ctx, double v, char out[TS_FMT_MAX])
{
	const struct memory_view *m = ctx;
	int64_t i = (int64_t)v;

	out[0] = '\0';
	if (v < 0 || v != (double)i)
		return out;
	if (m->axis.place)
		return i < m->tiles->n
			? ts_fmt_number(out, m->tiles->tiles.tile[m->axis.place[i]].physical)
			: out;
	if (m->tiles->dense)
		return ts_fmt_number(out, i);
	return i < m->tiles->n ? ts_fmt_number(out, m->tiles->tiles.tile[i].tile) : out;
}

static int
axis_rows(int h)
{
	return h > AXIS_ROWS + 2 ? AXIS_ROWS : 1;
}

int
memory_gutter(const struct memory_view *m)
{
	int h = m->pane[PANE_GRAPH].h - axis_rows(m->pane[PANE_GRAPH].h);
	bool compared = memory_other(m) != NULL;
	int w = ts_chart_y_width(h, compared ? m->most_different : m->top, memory_tick_base(m),
			memory_bytes_tick, (void *)(uintptr_t)m) +
		(compared ? 2 : 0); /* a sign, and numbers that are not round */

	return w < m->pane[PANE_GRAPH].w / 3 ? w : 0;
}

/* --- strip, title, legend --------------------------------------------------------------------- */

static void
draw_strip(struct ts_canvas *c, const struct memory_view *m)
{
	struct ts_rect r = m->pane[PANE_STRIP];
	const struct memory_plot *p = &m->plot;
	int n = p->strip_columns, cursor = ts_span_overview(&m->span, n, m->span.cursor);
	int from, to;

	if (ts_rect_empty(r) || n <= 0)
		return;
	from = ts_span_overview(&m->span, n, m->span.from);
	to = m->span.to == m->span.count ? n : ts_span_overview(&m->span, n, m->span.to);
	ts_chart_strip(c, r, p->strip, n, memory_strip_top(m), from, to > from ? to : from + 1,
		m->hits.count > 0 ? p->strip_hit : NULL);
	for (int i = 0; i < n; i++)
		if (p->strip_bad[i])
			ts_canvas_overlay(c, (struct ts_rect){r.x + i, r.y, 1, 1}, TS_ROLE_BAD);
	if (cursor >= 0 && cursor < n && !p->strip_bad[cursor])
		ts_canvas_overlay(c, (struct ts_rect){r.x + cursor, r.y, 1, 1}, TS_ROLE_MARK);
}

/* "Memory by layer: fullest tile per column" */
void
memory_graph_title(const struct memory_view *m, char *out, size_t size)
{
	static const char *const by[BY_COUNT] = {"", " by category", " by category", " by liveness",
		" by region", " by layer", " by vertex family", " of marked variables"};
	const struct memory_plot *p = &m->plot;
	const char *how = m->breakdown == BY_TOTAL ? "mean and fullest tile per column"
		: m->breakdown == BY_CATEGORY_MEAN ? "mean per column"
		: p->shown			   ? "tile with most of it per column"
						   : "fullest tile per column";
	const char *gaps = !m->tiles->has_gaps || p->shown ? ""
		: !m->gaps				   ? ", without gaps"
		: m->area.w >= TITLE_LONG		   ? ", with gaps"
							   : "";

	if (!memory_is_of_tiles(m) || memory_other(m)) {
		struct ts_strbuf title;

		ts_strbuf_init(&title, 200);
		if (memory_other(m))
			ts_strbuf_puts(&title, "difference of ");
		memory_metric_title(m, &title);
		ts_strbuf_puts(&title, " of each tile");
		if (m->area.w >= TITLE_LONG) {
			ts_strbuf_puts(&title, " (");
			memory_metric_kind(m, &title);
			ts_strbuf_putc(&title, ')');
		}
		snprintf(out, size, "%c%s%s",
			title.s[0] >= 'a' ? title.s[0] - 'a' + 'A' : title.s[0], title.s + 1,
			!p->several		  ? ""
				: memory_other(m) ? ": most more and less per column"
						  : ": mean and most per column");
		ts_strbuf_fini(&title);
	} else if (memory_by_ipu(m))
		snprintf(out, size, "Memory of each IPU%s%s", by[m->breakdown], gaps);
	else if (p->several)
		snprintf(out, size, "Memory%s: %s%s", by[m->breakdown], how, gaps);
	else
		snprintf(out, size, "Memory of each tile%s%s", by[m->breakdown], gaps);
}

/* How far the parts are that the graph is divided into: "(looking for layers, 12%)"; empty when all is there. */
static void
parts_note(const struct memory_view *m, char *out, size_t size)
{
	const struct ts_pane_data *d = memory_parts_state(m);
	const struct memory_categories *k = memory_parts(m);
	char percent[TS_FMT_MAX];

	out[0] = '\0';
	if (!d)
		return;
	if (d->state == TS_PANE_FAILED || d->state == TS_PANE_ABSENT)
		snprintf(out, size, "%.120s", d->reason);
	else if (!k)
		snprintf(out, size, "being counted");
	else if (!k->whole && k->of > 0)
		snprintf(out, size, "so far: %s of all variables",
			ts_fmt_percent(percent, (double)k->rows, (double)k->of));
	else if (!k->whole)
		snprintf(out, size, "so far");
	else if (d->state == TS_PANE_PARTIAL)
		snprintf(out, size, "partial: %.100s", d->reason);
	else if (m->plot.beyond)
		snprintf(out, size, "parts overlap");
	else if (k->c.cut)
		snprintf(out, size, "too many to tell apart");
}

static void
draw_title(struct ts_canvas *c, const struct memory_view *m)
{
	const struct memory_tiles *t = m->tiles;
	char title[120], right[160], n[TS_FMT_MAX], over[TS_FMT_MAX], cut[TS_FMT_MAX];

	memory_graph_title(m, title, sizeof(title));
	if (m->range_from >= 0)
		snprintf(right, sizeof(right), "range of %s tile%s",
			ts_fmt_count(n, memory_range_tiles(m)),
			memory_range_tiles(m) == 1 ? "" : "s");
	else if (m->selected.tiles > 0)
		memory_selected_title(m, right, sizeof(right));
	else if (t->over > 0)
		snprintf(right, sizeof(right), "%s of %s over the limit",
			ts_fmt_count(over, (int64_t)t->over), ts_fmt_count(n, t->n));
	else
		snprintf(right, sizeof(right), "%s tile%s", ts_fmt_count(n, t->n),
			t->n == 1 ? "" : "s");
	if ((double)t->top[m->gaps] > m->top && !m->plot.shown)
		snprintf(right + strlen(right), sizeof(right) - strlen(right), ", cut at %s",
			ts_fmt_bytes_short(cut, (int64_t)m->top, memory_units(m)));
	ts_canvas_rule(c, m->pane[PANE_TITLE], memory_rule_role(m, PANE_GRAPH), title, right);
}

/* What is not whole about the tiles, at the right end of the legend; returns its columns. */
static int
draw_note(struct ts_canvas *c, const struct memory_view *m)
{
	struct ts_rect r = m->pane[PANE_LEGEND];
	char text[160] = "", n[TS_FMT_MAX];

	if (m->tiles_state.state == TS_PANE_PARTIAL)
		snprintf(text, sizeof(text), "partial: %.140s", m->tiles_state.reason);
	else if (m->tiles->tiles.bad_rows > 0)
		snprintf(text, sizeof(text), "%s row%s left out: bad numbers",
			ts_fmt_count(n, m->tiles->tiles.bad_rows),
			m->tiles->tiles.bad_rows == 1 ? "" : "s");
	else if (!memory_is_of_tiles(m))
		memory_metric_note(m, text, sizeof(text));
	else
		parts_note(m, text, sizeof(text));
	if (!text[0] && m->tiles->target_note[0])
		snprintf(text, sizeof(text), "%s", m->tiles->target_note);
	if (!text[0])
		snprintf(text, sizeof(text), "%.159s", memory_identity_note(m));
	if (m->axis.place)
		snprintf(text + strlen(text), sizeof(text) - strlen(text), "%sphysical order",
			text[0] ? "; " : "");
	if (text[0])
		ts_canvas_right(c, r, 0, 0, TS_ROLE_NOTE, text);
	return (int)strlen(text);
}

/* The bands of the graph, their names; returns how many. Hidden ones have a place in the legend alone. */
int
memory_graph_bands(const struct memory_view *m, struct ts_band band[MEMORY_DRAWN],
	const char *name[MEMORY_DRAWN], bool hidden)
{
	const struct memory_plot *p = &m->plot;
	int n = 0;

	if (p->bands == 0) {
		/* the second band only where it is needed: one band has finer blocks in ASCII */
		band[0] = (struct ts_band){p->fill, TS_ROLE_FILL, 0};
		band[1] = (struct ts_band){p->over, TS_ROLE_BAD, '!'};
		name[0] = memory_by_ipu(m)	? "used"
			: p->several		? "mean of the column"
			: memory_is_of_tiles(m) ? "used"
						: "of the tile";
		name[1] = "over the limit";
		return m->tiles->over > 0 && memory_is_of_tiles(m) ? 2 : 1;
	}
	for (int b = 0; b < p->bands; b++) {
		if (p->band[b].hidden != hidden)
			continue;
		band[n] = (struct ts_band){p->layer[b], p->band[b].role, p->band[b].letter};
		name[n++] = p->band[b].name;
	}
	return n;
}

/* Is the fullest tile drawn as a line? Where the area is that tile there is nothing to add. */
bool
memory_has_outline(const struct memory_view *m)
{
	if ((m->plot.shown && memory_is_of_tiles(m)) || memory_by_ipu(m))
		return false;
	return m->plot.bands > 0 ? m->plot.beyond || m->breakdown == BY_CATEGORY_MEAN
				 : m->plot.several;
}

/* "hidden: gaps, stack" at the right end of the legend, in a third of it at most; returns its columns. */
static int
draw_hidden(struct ts_canvas *c, const struct memory_view *m, struct ts_rect r)
{
	struct ts_band band[MEMORY_DRAWN];
	const char *name[MEMORY_DRAWN];
	int n = memory_graph_bands(m, band, name, true), w;
	struct ts_strbuf text;

	ts_strbuf_init(&text, 1000);
	for (int i = 0; i < n; i++)
		ts_strbuf_printf(&text, "%s%.60s", i > 0 ? ", " : "hidden: ", name[i]);
	w = (int)ts_min_i64(ts_utf8_columns(text.s, text.len), r.w / 3);
	ts_canvas_field(c, ts_rect_cut_right(&r, w), 0, 0, w, TS_ROLE_NOTE, text.s, text.len,
		TS_FIELD_ELLIPSIS);
	ts_strbuf_fini(&text);
	return w;
}

static void
draw_legend(struct ts_canvas *c, const struct memory_view *m)
{
	struct ts_rect r = m->pane[PANE_LEGEND];
	struct ts_band band[MEMORY_DRAWN];
	const char *name[MEMORY_DRAWN];
	int n = memory_graph_bands(m, band, name, false), x;

	if (ts_rect_empty(r))
		return;
	ts_rect_cut_right(&r, draw_note(c, m) + 1);
	ts_rect_cut_left(&r, m->gutter);
	if (memory_other(m)) {
		static const struct ts_band signs[] = {{NULL, TS_ROLE_MORE_2, '#'},
			{NULL, TS_ROLE_LESS_2, '#'}};
		static const char *const names[] = {"more than before (above)", "less (below)"};

		ts_chart_legend(c, r, signs, names, 2);
		return;
	}
	if (memory_has_outline(m)) {
		ts_canvas_glyph(c, r, 0, 0, TS_ROLE_OUTLINE, LINE_HIGH);
		x = ts_canvas_text(c, r, 2, 0, TS_ROLE_LABEL,
			!memory_is_of_tiles(m)	  ? "tile with most"
				: m->plot.several ? "fullest tile"
						  : "used");
		ts_rect_cut_left(&r, x + 2);
	}
	if (m->plot.hidden)
		ts_rect_cut_right(&r, draw_hidden(c, m, r) + 2);
	ts_chart_legend(c, r, band, name, n);
}

/* --- graph ------------------------------------------------------------------------------------ */

static void
draw_ipus(struct ts_canvas *c, const struct memory_view *m, const struct ts_chart_frame *f)
{
	const struct memory_plot *p = &m->plot;
	struct ts_chart_label label[MEMORY_IPUS];
	char text[MEMORY_IPUS][40];
	int n = 0, begins = 0;

	for (int i = 0; i < p->columns; i++)
		begins += p->ipu[i];
	for (int i = 0; i < p->columns && n < MEMORY_IPUS; i++) {
		int64_t at = p->bucket[i].from;

		if (!p->ipu[i] && i > 0)
			continue;
		while (i > 0 && at + 1 < p->bucket[i].to &&
			m->tiles->ipu[at] == m->tiles->ipu[at - 1])
			at++;
		if (at >= m->tiles->n || m->tiles->ipu[at] == TS_UNKNOWN)
			continue;
		if (i > 0 && begins * 4 <= p->columns)
			ts_chart_divider(c, f->plot, i, TS_ROLE_BOUNDARY);
		snprintf(text[n], sizeof(text[n]), "ipu %lld", (long long)m->tiles->ipu[at]);
		label[n] = (struct ts_chart_label){i, text[n], TS_ROLE_BOUNDARY};
		n++;
	}
	if (f->x.h > 1)
		ts_chart_labels(c, f, 0, label, n);
}

/* The limit of what the graph shows; TS_UNKNOWN: it has none, or none is drawn. */
static int64_t
limit_drawn(const struct memory_view *m)
{
	const struct memory_ipu *x = memory_by_ipu(m) ? memory_ipu_of(m, memory_at(m)) : NULL;

	if (!ts_metric_defs[m->metric.id].of_limit || m->no_limit || (memory_by_ipu(m) && !x))
		return TS_UNKNOWN;
	return x ? memory_ipu_limit(m, x) : m->tiles->target.bytes_per_tile;
}

static void
draw_limit(struct ts_canvas *c, const struct memory_view *m, const struct ts_chart_frame *f,
	int64_t limit)
{
	const struct ts_target *t = &m->tiles->target;
	char label[64], text[TS_FMT_MAX];

	if (limit == TS_UNKNOWN)
		return;
	snprintf(label, sizeof(label), "limit %s%s",
		ts_fmt_bytes_short(text, limit, memory_units(m)), t->assumed ? " (assumed)" : "");
	ts_chart_level(c, f->plot, (double)limit, m->top, TS_ROLE_LIMIT, label);
	ts_chart_level_tick(c, f, (double)limit, m->top, TS_ROLE_LIMIT, text);
}

/* Columns with a tile that does not fit: red, and a sign on the axis. */
static void
draw_bad(struct ts_canvas *c, const struct memory_view *m, const struct ts_chart_frame *f)
{
	for (int i = 0; i < m->plot.columns; i++) {
		if (!m->plot.bad[i])
			continue;
		if (m->breakdown == BY_TOTAL && memory_is_of_tiles(m))
			ts_chart_tint(c, f->plot, i, i + 1, TS_ROLE_BAD);
		if (f->x.h > 1)
			ts_canvas_glyph(c, f->x, i, 0, TS_ROLE_BAD, '!');
	}
}

/* Columns of the tile under the cursor, half-open: several when there are fewer tiles than columns. */
static bool
cursor_columns(const struct memory_view *m, int *from, int *to)
{
	*from = ts_span_column(&m->span, m->span.cursor);
	*to = *from + 1;
	while (*from >= 0 && !m->plot.several && *to < m->plot.columns &&
		m->plot.bucket[*to].from == m->span.cursor)
		(*to)++;
	return *from >= 0;
}

/* A sign on the axis, below IPUs' labels where they meet. */
static void
draw_mark(struct ts_canvas *c, const struct memory_view *m, const struct ts_chart_frame *f)
{
	int from, to;

	if (cursor_columns(m, &from, &to) && f->x.h > 1)
		ts_canvas_glyph(c, f->x, from + (to - from) / 2, 0,
			m->plot.bad[from] ? TS_ROLE_BAD : TS_ROLE_MARK, TRIANGLE_UP);
}

/*
 * Dots above the column of the cursor. The column keeps its colours: it is what the user looks at, and
 * on most days the fullest tile.
 */
static void
draw_cursor(struct ts_canvas *c, const struct memory_view *m, const struct ts_chart_frame *f)
{
	enum ts_role role = m->focus == PANE_GRAPH ? TS_ROLE_MARK : TS_ROLE_DIM;
	int from, to;

	if (!cursor_columns(m, &from, &to))
		return;
	for (int x = from; x < to; x++)
		for (int y = 0; y < f->plot.h; y++) {
			const struct ts_cell *cell = ts_canvas_at(c, f->plot.x + x, f->plot.y + y);

			if (cell && cell->cp == ' ' && cell->back == TS_ROLE_TEXT)
				ts_canvas_glyph(c, f->plot, x, y, role, MIDDLE_DOT);
		}
}

/* On the axis: columns with a selected tile, and those of a range that was begun. */
static void
draw_selected(struct ts_canvas *c, const struct memory_view *m, const struct ts_chart_frame *f)
{
	int64_t from = 0, to = 0;

	if (m->range_from >= 0)
		memory_range(m, &from, &to);
	for (int i = 0; i < m->plot.columns && f->x.h > 1; i++) {
		const struct ts_bucket *b = &m->plot.bucket[i];

		if (b->from < to && b->to > from)
			ts_canvas_glyph(c, f->x, i, 0, TS_ROLE_SELECTION, DIAMOND);
		else if (memory_is_selected(m, b->from, b->to))
			ts_canvas_glyph(c, f->x, i, 0, TS_ROLE_MARK, DIAMOND);
	}
}

/* So few tiles that each can have its number below its columns. */
static void
number_tiles(struct ts_canvas *c, const struct memory_view *m, const struct ts_chart_frame *f)
{
	struct ts_chart_label label[FEW_TILES];
	char text[FEW_TILES][TS_FMT_MAX];
	int n = 0;

	if (f->x.h > 1)
		ts_canvas_hline(c, f->x, 0, 0, f->x.w, TS_ROLE_AXIS);
	for (int64_t i = m->span.from; i < m->span.to; i++, n++) {
		const struct ts_tile *tile = &m->tiles->tiles.tile[memory_place_at(m, i)];

		ts_fmt_number(text[n], m->axis.place ? tile->physical : tile->tile);
		label[n] = (struct ts_chart_label){ts_span_column(&m->span, i), text[n],
			TS_ROLE_AXIS};
	}
	ts_chart_labels(c, f, f->x.h - 1, label, n);
}

static void
draw_axes(struct ts_canvas *c, struct memory_view *m, const struct ts_chart_frame *f)
{
	double first = m->tiles->dense && !m->axis.place ? (double)m->tiles->tiles.tile[0].tile : 0;

	if (m->gutter > 0 && !memory_other(m))
		ts_chart_y_axis(c, f, m->top, memory_tick_base(m), memory_bytes_tick, m);
	if (m->span.to - m->span.from <= FEW_TILES)
		number_tiles(c, m, f);
	else
		ts_chart_x_axis(c, f, first + (double)m->span.from, first + (double)m->span.to, 10,
			memory_tile_tick, m);
}

static void
draw_graph(struct ts_canvas *c, struct memory_view *m)
{
	struct ts_rect r = m->pane[PANE_GRAPH];
	struct ts_chart_frame f = ts_chart_frame(r, m->gutter, axis_rows(r.h));
	struct ts_band band[MEMORY_DRAWN];
	const char *name[MEMORY_DRAWN];
	struct ts_area a = {.columns = m->plot.columns,
		.bands = memory_graph_bands(m, band, name, false),
		.band = band,
		.top = m->top,
		.outline = memory_has_outline(m) ? m->plot.outline : NULL};
	int64_t limit = limit_drawn(m);

	if (ts_rect_empty(r))
		return;
	if (limit != TS_UNKNOWN)
		a.line = (double)limit;
	draw_axes(c, m, &f);
	if (memory_other(m)) {
		memory_draw_difference(c, m, &f);
	} else {
		ts_chart_area(c, f.plot, &a);
		draw_limit(c, m, &f, limit);
		draw_bad(c, m, &f);
	}
	draw_selected(c, m, &f);
	draw_mark(c, m, &f);
	draw_cursor(c, m, &f);
	draw_ipus(c, m, &f);
}

/* --- all of it -------------------------------------------------------------------------------- */

void
memory_draw(struct ts_view *v, struct ts_canvas *c)
{
	struct memory_view *m = (struct memory_view *)v;
	const struct ts_tile *tile = memory_tile(m);

	if (!m->tiles) {
		ts_pane_draw(c, m->area, m->view.env, &m->tiles_state);
		return;
	}
	if (!tile) {
		ts_canvas_wrap(c, m->area, 0, TS_ROLE_TEXT,
			"This report has a table of the tiles' memory, but no tile in it.");
		return;
	}
	if (m->map.shown) {
		memory_draw_map(c, m);
	} else {
		draw_strip(c, m);
		draw_title(c, m);
		draw_legend(c, m);
		draw_graph(c, m);
		if (memory_is_of_tiles(m) && !memory_other(m))
			memory_draw_readout(c, m, tile);
		else
			memory_draw_metric(c, m);
	}
	memory_draw_rows(c, m);
	ts_tabs_draw(&m->tabs, c, m->focus == PANE_TABS);
}
