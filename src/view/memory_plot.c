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

const struct ts_tile *
memory_tile(const struct memory_view *m)
{
	return memory_has_tiles(m) ? &m->tiles->tiles.tile[m->span.cursor] : NULL;
}

bool
memory_can(const struct memory_view *m, enum memory_breakdown by)
{
	switch (by) {
	case BY_CATEGORY:
	case BY_CATEGORY_MEAN:
		return m->categories_state.state != TS_PANE_ABSENT &&
			m->categories_state.state != TS_PANE_FAILED;
	case BY_LIVENESS:
		return m->tiles && m->tiles->has_live;
	default:
		return true;
	}
}

static bool
does_not_fit(const struct memory_tiles *t, int64_t i)
{
	const struct ts_tile *tile = &t->tiles.tile[i];

	return tile->overflowed > 0 ||
		(t->target.bytes_per_tile != TS_UNKNOWN &&
			ts_tile_used(tile) > t->target.bytes_per_tile);
}

static bool
any_does_not_fit(const struct memory_tiles *t, const struct ts_bucket *b)
{
	for (int64_t i = b->from; i < b->to && t->over > 0; i++)
		if (does_not_fit(t, i))
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

/* The bands of the categories; `bytes` is room for a value of every tile. */
static void
make_bands(struct memory_view *m, enum ts_stack how, int64_t *bytes)
{
	struct memory_plot *p = &m->plot;

	for (int b = 0; b < m->categories->bands; b++) {
		for (int i = 0; i < p->columns; i++) {
			const struct ts_bucket *k = &p->bucket[i];

			if (how == TS_STACK_MAX && k->max_at >= 0)
				bytes[k->max_at] = memory_band(m->categories, b, k->max_at);
			for (int64_t j = k->from; how == TS_STACK_MEAN && j < k->to; j++)
				bytes[j] = memory_band(m->categories, b, j);
		}
		ts_buckets_layer(p->layer[b], p->columns, p->bucket, bytes, m->tiles->n, how);
	}
}

static void
make_layers(struct memory_view *m)
{
	struct memory_plot *p = &m->plot;
	enum ts_stack how = m->breakdown == BY_CATEGORY_MEAN ? TS_STACK_MEAN : TS_STACK_MAX;

	memset(p->layer, 0, sizeof(p->layer));
	if (m->breakdown == BY_LIVENESS) {
		for (int i = 0; i < 2; i++)
			ts_buckets_layer(p->layer[i], p->columns, p->bucket, m->tiles->live[i],
				m->tiles->n, TS_STACK_MAX);
	} else if (m->breakdown != BY_TOTAL && m->categories) {
		int64_t *bytes = ts_alloc((size_t)m->tiles->n, sizeof(*bytes));

		if (bytes)
			make_bands(m, how, bytes);
		free(bytes);
	}
}

static void
make_plot(struct memory_view *m)
{
	const struct memory_tiles *t = m->tiles;
	struct memory_plot *p = &m->plot;

	ts_buckets(p->bucket, p->columns, t->value[m->gaps], t->n, p->from, p->to);
	p->several = p->to - p->from > p->columns;
	for (int i = 0; i < p->columns; i++) {
		const struct ts_bucket *b = &p->bucket[i];

		p->bad[i] = any_does_not_fit(t, b);
		p->fill[i] = p->bad[i] ? 0 : b->mean;
		p->over[i] = p->bad[i] ? b->mean : 0;
		p->outline[i] = (double)ts_max_i64(b->max, 0);
		/* a tile that takes several columns begins in the first */
		p->ipu[i] = (i == 0 || b->from != p->bucket[i - 1].from) && ipu_begins(t, b);
	}
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
			ts_buckets(b, p->strip_columns, t->value[m->gaps], t->n, 0, t->n);
		p->strip[i] = (double)ts_max_i64(b[i].max, 0);
		p->strip_bad[i] = any_does_not_fit(t, &b[i]);
	}
	free(b);
}

/* Upper end of the y axis: the limit and all tiles, but a few mad ones do not flatten the rest. */
static double
find_top(const struct memory_view *m)
{
	enum { HIGHEST = 4 };
	double limit = (double)m->tiles->target.bytes_per_tile,
	       top = (double)m->tiles->top[m->gaps];

	if (limit > 0 && top > HIGHEST * limit)
		top = HIGHEST * limit;
	if (limit > top)
		top = limit;
	return top > 0 ? top * 1.04 : 1;
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
	ts_list_set_count(&m->category_list, m->rows);
	if (tile->tile != m->rows_of)
		ts_list_go(&m->category_list, 0);
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
	m->top = find_top(m);
	m->gutter = memory_gutter(m);
	columns = m->pane[PANE_GRAPH].w - m->gutter;
	columns = columns < TS_CANVAS_MAX_W ? columns : TS_CANVAS_MAX_W;
	ts_span_resize(&m->span, columns);
	if (p->data != m->data || p->gaps != m->gaps || p->strip_columns != strip) {
		p->strip_columns = strip;
		make_strip(m);
		p->columns = -1;
	}
	if (p->columns != columns || p->from != m->span.from || p->to != m->span.to ||
		p->breakdown != (int)m->breakdown) {
		p->columns = columns;
		p->from = m->span.from;
		p->to = m->span.to;
		p->breakdown = (int)m->breakdown;
		p->gaps = m->gaps;
		p->data = m->data;
		make_plot(m);
	}
	if (m->rows_of != tile->tile || m->rows_data != m->data || m->rows_gaps != m->gaps)
		make_rows(m, tile);
}
