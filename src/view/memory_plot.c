/* SPDX-License-Identifier: MIT */
/*
 * memory_plot - figures of what the Memory view has in sight: a bucket per column, the layers of a
 * breakdown, the categories of the tile under the cursor.
 *
 * memory_update() is called after everything that may have changed what is in sight, and remembers
 * what it made its figures for: moving the cursor within the graph costs the rows of one tile.
 */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "memory_internal.h"
#include "tilescope/base/mem.h"
#include "tilescope/report/breakdown.h"
#include "tilescope/report/rows.h"

const struct ts_tile *
memory_tile(const struct memory_view *m)
{
	return memory_has_tiles(m) ? &m->tiles->tiles.tile[memory_at(m)] : NULL;
}

static bool
any_does_not_fit(const struct memory_view *m, const struct ts_bucket *b)
{
	for (int64_t i = b->from; i < b->to && m->tiles->over > 0; i++)
		if (memory_does_not_fit(m->tiles, memory_place_at(m, i)))
			return true;
	return false;
}

/* Does an IPU begin in the column (and not with the very first tile)? */
static bool
ipu_begins(const struct memory_tiles *t, const struct ts_bucket *b)
{
	for (int64_t i = ts_max_i64(b->from, 1); i < b->to; i++)
		if (t->ipu[i] != t->ipu[i - 1])
			return true;
	return false;
}

/* --- bands ------------------------------------------------------------------------------------ */

/* Bytes of what is drawn as a band, on tile i of the list; not below 0. */
int64_t
memory_drawn_bytes(const struct memory_view *m, const struct memory_categories *k, int part,
	int64_t i)
{
	const struct ts_tile *tile = &m->tiles->tiles.tile[i];
	int64_t bytes = part == PART_GAPS ? tile->total_gaps - tile->total
		: part != PART_REST	  ? memory_band(k, part, i)
		: k->sum[i] < 0		  ? 0
					  : tile->total - k->sum[i];

	return ts_max_i64(bytes, 0);
}

static void
add_band(struct memory_view *m, int part, const char *name, enum ts_role role, char letter)
{
	struct memory_plot *p = &m->plot;
	/* vertices and single variables are little of a tile: what they are not would leave them no room */
	bool few = m->breakdown == BY_FAMILY || m->breakdown == BY_MARKED;
	bool hidden = memory_is_turned(m, name) != (part < 0 && few);

	p->hidden |= hidden;
	p->band[p->bands++] = (struct memory_drawn){part, name, role, letter, hidden};
}

/* What of a tile is in no part, or in several. */
static void
compare_sums(struct memory_view *m, const struct memory_categories *k, bool *rest)
{
	*rest = false;
	m->plot.beyond = false;
	for (int64_t i = 0; i < m->tiles->n; i++) {
		int64_t total = m->tiles->value[0][i];

		*rest |= k->sum[i] >= 0 && k->sum[i] < total;
		m->plot.beyond |= k->sum[i] < 0 || k->sum[i] > total;
	}
}

/* What of a tile is in no part, by what it is divided by. */
static const char *const rest_names[BY_COUNT] = {
	[BY_TOTAL] = "",
	[BY_CATEGORY] = "in no category",
	[BY_CATEGORY_MEAN] = "in no category",
	[BY_LIVENESS] = "not live at its peak",
	[BY_REGION] = "in no region",
	[BY_LAYER] = "in no variable",
	[BY_FAMILY] = "no vertex code",
	[BY_MARKED] = "not marked",
};

static void
make_bands(struct memory_view *m)
{
	const struct memory_categories *k = memory_parts(m);
	static const enum ts_role live[] = {TS_ROLE_BASE, TS_ROLE_FILL};
	bool rest;

	m->plot.bands = 0;
	m->plot.hidden = m->plot.beyond = false;
	if (!k || !memory_is_of_tiles(m)) /* another figure has no parts */
		return;
	compare_sums(m, k, &rest);
	for (int b = 0; b < k->bands; b++)
		add_band(m, b, k->name[b],
			m->breakdown == BY_LIVENESS && b < (int)TS_COUNT(live) ? live[b]
				: strcmp(k->name[b], TS_NO_LAYER) == 0
				? TS_ROLE_REST
				: TS_ROLE_SERIES_0 + (unsigned)b % TS_ROLE_SERIES,
			k->letter[b]);
	if (rest)
		add_band(m, PART_REST, k->whole ? rest_names[m->breakdown] : "not counted yet",
			m->breakdown == BY_LAYER ? TS_ROLE_DIM : TS_ROLE_REST,
			'?'); /* beside "no layer" */
	if (m->gaps && m->tiles->has_gaps)
		add_band(m, PART_GAPS, "gaps", TS_ROLE_GAPS, '-');
}

/* Another figure than the tiles' memory; nothing while it is not here. */
static void
show_metric(struct memory_view *m)
{
	const int64_t *value = memory_metric_values(m);
	struct memory_plot *p = &m->plot;

	for (int64_t i = 0; i < m->tiles->n; i++) {
		p->shown[i] = value ? value[i] : TS_UNKNOWN;
		p->shown_top = ts_max_i64(p->shown_top, p->shown[i]);
	}
}

/*
 * Where bands are hidden the plot is of the others: a tile's height is what it has of them, and the tile that a
 * column shows is the one that has most.
 */
static void
make_shown(struct memory_view *m)
{
	const struct memory_categories *k = memory_parts(m);
	struct memory_plot *p = &m->plot;
	int64_t n = m->tiles->n;

	free(p->shown);
	p->shown = p->hidden || !memory_is_of_tiles(m) ? ts_alloc((size_t)n, sizeof(*p->shown))
						       : NULL;
	p->shown_top = 0;
	if (p->shown && !memory_is_of_tiles(m)) {
		show_metric(m);
		return;
	}
	for (int64_t i = 0; p->shown && i < n; i++) {
		for (int b = 0; b < p->bands; b++)
			if (!p->band[b].hidden &&
				!ts_add_i64(&p->shown[i],
					memory_drawn_bytes(m, k, p->band[b].part, i)))
				p->shown[i] = TS_NUMBER_MAX;
		p->shown_top = ts_max_i64(p->shown_top, p->shown[i]);
	}
}

const int64_t *
memory_values(const struct memory_view *m)
{
	return m->plot.shown ? m->plot.shown : m->tiles->value[m->gaps];
}

/* One band; `bytes` is room for a value of every tile, by position. */
static void
make_layer(struct memory_view *m, int band, enum ts_stack how, int64_t *bytes)
{
	const struct memory_categories *k = memory_parts(m);
	struct memory_plot *p = &m->plot;
	int part = p->band[band].part;

	for (int i = 0; i < p->columns; i++) {
		const struct ts_bucket *b = &p->bucket[i];

		if (how == TS_STACK_MAX && b->max_at >= 0)
			bytes[b->max_at] = memory_drawn_bytes(m, k, part,
				memory_place_at(m, b->max_at));
		for (int64_t j = b->from; how == TS_STACK_MEAN && j < b->to; j++)
			bytes[j] = memory_drawn_bytes(m, k, part, memory_place_at(m, j));
	}
	ts_buckets_layer(p->layer[band], p->columns, p->bucket, bytes, m->tiles->n, how);
}

static void
make_layers(struct memory_view *m)
{
	struct memory_plot *p = &m->plot;
	int64_t *bytes = p->bands > 0 ? ts_alloc((size_t)m->tiles->n, sizeof(*bytes)) : NULL;

	for (int b = 0; b < p->bands; b++) {
		memset(p->layer[b], 0, sizeof(p->layer[b]));
		if (bytes && !p->band[b].hidden)
			make_layer(m, b,
				m->breakdown == BY_CATEGORY_MEAN ? TS_STACK_MEAN : TS_STACK_MAX,
				bytes);
	}
	free(bytes);
}

/* --- columns ---------------------------------------------------------------------------------- */

void
memory_make_plot(struct memory_view *m)
{
	const struct memory_tiles *t = m->tiles;
	struct memory_plot *p = &m->plot;

	ts_buckets(p->bucket, p->columns, memory_on_axis(m, memory_values(m)), t->n, p->from,
		p->to);
	p->several = p->to - p->from > p->columns;
	for (int i = 0; i < p->columns; i++) {
		const struct ts_bucket *b = &p->bucket[i];

		p->bad[i] = any_does_not_fit(m, b);
		p->over[i] = p->bad[i] && memory_is_of_tiles(m) ? b->mean : 0;
		p->fill[i] = p->over[i] > 0 ? 0 : b->mean;
		p->outline[i] = (double)ts_max_i64(b->max, 0);
		/* a tile that takes several columns begins in the first */
		p->ipu[i] = (i == 0 || b->from != p->bucket[i - 1].from) && ipu_begins(t, b);
	}
	memory_make_difference(m);
	if (memory_by_ipu(m))
		memory_plot_ipus(m);
	else
		make_layers(m);
}

static void
make_strip(struct memory_view *m)
{
	const struct memory_tiles *t = m->tiles;
	struct memory_plot *p = &m->plot;
	struct ts_bucket *b = ts_alloc((size_t)ts_max_i64(p->strip_columns, 1), sizeof(*b));

	for (int i = 0; b && i < p->strip_columns; i++) {
		if (i == 0)
			ts_buckets(b, p->strip_columns,
				memory_on_axis(m,
					memory_is_of_tiles(m) ? t->value[m->gaps]
							      : memory_values(m)),
				t->n, 0, t->n);
		p->strip[i] = (double)ts_max_i64(b[i].max, 0);
		p->strip_bad[i] = memory_is_of_tiles(m) && any_does_not_fit(m, &b[i]);
		p->strip_hit[i] = false;
		for (int64_t k = b[i].from; m->hits.count > 0 && k < b[i].to; k++)
			p->strip_hit[i] |= memory_is_hit_at(m, k);
	}
	p->hits = m->hits.version;
	free(b);
}

/* Upper end of the y axis: the limit and all tiles, but a few mad ones do not flatten the rest. */
static double
tiles_top(const struct memory_view *m)
{
	enum { HIGHEST = 4 };
	double limit = m->no_limit ? 0 : (double)m->tiles->target.bytes_per_tile,
	       top = (double)m->tiles->top[m->gaps];

	if (limit > 0 && top > HIGHEST * limit)
		top = HIGHEST * limit;
	if (limit > top)
		top = limit;
	return top > 0 ? top * 1.04 : 1;
}

static double
find_top(const struct memory_view *m)
{
	if (memory_by_ipu(m))
		return memory_ipus_top(m);
	if (m->plot.shown)
		return m->plot.shown_top > 0 ? (double)m->plot.shown_top * 1.04 : 1;
	return tiles_top(m);
}

double
memory_strip_top(const struct memory_view *m)
{
	return memory_is_of_tiles(m) ? tiles_top(m) : m->top;
}

static int
most_bytes_first(const void *a, const void *b)
{
	const struct memory_row *x = a, *y = b;

	if (x->bytes != y->bytes)
		return x->bytes < y->bytes ? 1 : -1;
	return (x->category > y->category) - (x->category < y->category);
}

/*
 * While all tiles are being counted the variables of this one tell its categories, where categories are
 * summed over variables: how many there are.
 */
static int
own_categories(const struct memory_view *m, const struct ts_tile *tile)
{
	return m->variables_of == tile->tile && m->variables.categories &&
			!ts_report_has(m->view.env->report, TS_TILE_CATEGORY)
		? m->variables.categories->count
		: 0;
}

static void
make_rows(struct memory_view *m, const struct ts_tile *tile)
{
	int count = m->categories ? m->categories->c.count : own_categories(m, tile);

	m->rows = 0;
	m->rows_bytes = 0;
	m->rows_counted = m->categories || count > 0;
	for (int i = 0; i < count; i++) {
		int64_t bytes = m->categories
			? ts_categories_on_tile(&m->categories->c, i, tile->tile)
			: m->variables.category_bytes[i];

		if (bytes > 0 && ts_add_i64(&m->rows_bytes, bytes))
			m->row[m->rows++] = (struct memory_row){i, bytes};
	}
	if (m->gaps && tile->total_gaps > tile->total && m->rows_counted &&
		ts_add_i64(&m->rows_bytes, tile->total_gaps - tile->total))
		m->row[m->rows++] = (struct memory_row){-1, tile->total_gaps - tile->total};
	qsort(m->row, (size_t)m->rows, sizeof(m->row[0]), most_bytes_first);
	m->rows_of = tile->tile;
	m->rows_data = m->data;
	m->rows_gaps = m->gaps;
}

void
memory_update(struct memory_view *m)
{
	struct memory_plot *p = &m->plot;
	const struct ts_tile *tile = memory_tile(m);
	int strip = m->pane[PANE_STRIP].w < TS_CANVAS_MAX_W ? m->pane[PANE_STRIP].w
							    : TS_CANVAS_MAX_W;
	int columns;

	if (!tile)
		return;
	memory_sum_selected(m);
	memory_map_update(m);
	if (p->data != m->data || p->gaps != m->gaps)
		p->columns = -1;
	if (p->columns < 0 || p->breakdown != (int)m->breakdown || p->hides != m->hides) {
		make_bands(m);
		make_shown(m);
		if (memory_by_ipu(m))
			memory_sum_ipus(m);
		p->columns = -1;
	}
	if (p->data != m->data || p->gaps != m->gaps || p->strip_columns != strip ||
		p->hits != m->hits.version) {
		p->strip_columns = strip;
		make_strip(m);
		p->columns = -1;
	}
	if (m->rows_below != memory_rows_wanted(m))
		memory_layout(m);
	m->top = find_top(m);
	m->gutter = memory_gutter(m);
	columns = m->pane[PANE_GRAPH].w - m->gutter;
	columns = columns < TS_CANVAS_MAX_W ? columns : TS_CANVAS_MAX_W;
	ts_span_resize(&m->span, columns);
	if (p->columns != columns || p->from != m->span.from || p->to != m->span.to) {
		p->columns = columns;
		p->from = m->span.from;
		p->to = m->span.to;
		p->breakdown = (int)m->breakdown;
		p->hides = m->hides;
		p->gaps = m->gaps;
		p->data = m->data;
		memory_make_plot(m);
	}
	if (m->rows_of != tile->tile || m->rows_data != m->data || m->rows_gaps != m->gaps)
		make_rows(m, tile);
}
