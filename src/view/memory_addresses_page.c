/* SPDX-License-Identifier: MIT */
/*
 * memory_addresses_page - the address map on paper: a lane for each row of the map, of the whole tile, with the shares that
 * categories, overlaps and gaps have of the bytes of each column. Rows are as long as on the screen; where they would
 * be more than a page has lanes they are longer, and where that is not enough the page says which there are.
 */
#include "config.h"

#include <stdio.h>

#include "memory_addresses.h"
#include "tilescope/base/mem.h"
#include "tilescope/ui/chart_page.h"

/* Bands of a page: categories of variables, then what is no variable. */
struct paper {
	double *category[MEMORY_BANDS + 1]; /* the last: variables without one */
	double *overlap, *gap;
};

static bool
make_bands(const struct memory_view *m, struct ts_chart_page *page, struct paper *b)
{
	int n = m->categories ? m->categories->bands : 0;

	for (int i = 0; i < n && i < MEMORY_BANDS; i++)
		b->category[i] = ts_chart_page_band(page, m->categories->name[i],
			TS_ROLE_SERIES_0 + (unsigned)i % TS_ROLE_SERIES);
	b->category[MEMORY_BANDS] = ts_chart_page_band(page, "variable", TS_ROLE_FILL);
	b->overlap = ts_chart_page_band(page, "overlap", TS_ROLE_BAD);
	b->gap = ts_chart_page_band(page, "gap", TS_ROLE_GAPS);
	return b->category[MEMORY_BANDS] && b->overlap && b->gap;
}

/* Shares of the bytes of each column; those that are free have none. */
static void
fill_row(const struct ts_tab *t, struct ts_chart_page *page, const struct paper *b, int lane,
	const struct address_row *row)
{
	const struct address_tab *s = t->own;
	int n = (int)((double)page->columns * (double)(row->to - row->from) / page->x.to);
	size_t piece = 0;

	for (int x = 0; x < n; x++) {
		int64_t from, to;
		struct address_cell k;
		double *to_band, bytes;
		int band, at = lane * page->columns + x;

		memory_address_cell(row, n, x, &from, &to);
		to = ts_max_i64(to, from + 1);
		k = memory_address_look(&s->a.map, &piece, from, to);
		band = k.variable < 0 ? -1 : memory_address_band(t->host, &s->a, k.variable);
		to_band = b->category[band < 0 ? MEMORY_BANDS : band];
		bytes = (double)(to - from);
		if (to_band && k.variable >= 0)
			to_band[at] = (double)k.bytes[TS_ADDRESS_VARIABLE] / bytes;
		b->overlap[at] = (double)k.bytes[TS_ADDRESS_OVERLAP] / bytes;
		b->gap[at] = (double)k.bytes[TS_ADDRESS_GAP] / bytes;
	}
}

/* The map at the zoom of the screen, or the nearest one at which all rows are on the page; how many rows it has. */
static int64_t
zoom_out(struct address_tab *s)
{
	int64_t rows = s->list.count;

	for (; s->zoom > 0 && rows > TS_PAGE_LANES_MAX; rows /= 2)
		s->zoom--;
	return rows;
}

static void
say_rows(struct ts_chart_page *page, int64_t from, int64_t to, int64_t rows)
{
	char a[TS_FMT_MAX], b[TS_FMT_MAX], n[TS_FMT_MAX];

	if (to - from < rows)
		snprintf(page->subtitle, sizeof(page->subtitle),
			"rows %s to %s of %s; a column: the share of its bytes that variables and gaps have",
			ts_fmt_count(a, from + 1), ts_fmt_count(b, to), ts_fmt_count(n, rows));
	else
		snprintf(page->subtitle, sizeof(page->subtitle),
			"a column: the share of its bytes that variables and gaps have");
}

bool
memory_addresses_chart(struct ts_tab *t, struct ts_chart_page *page)
{
	struct address_tab whole = *(const struct address_tab *)t->own, *s = &whole;
	int64_t most = 0, from = 0, to, rows = zoom_out(s);
	struct paper bands = {0};

	if (rows > TS_PAGE_LANES_MAX) { /* from what is in sight on */
		ts_list_window(&s->list, &from, &to);
		from = ts_clamp_i64(from >> (((const struct address_tab *)t->own)->zoom - s->zoom),
			0, rows - TS_PAGE_LANES_MAX);
	}
	to = ts_min_i64(rows, from + TS_PAGE_LANES_MAX);
	for (int64_t i = from; i < to; i++) {
		struct address_row row = memory_address_row(s, i);

		most = ts_max_i64(most, row.to - row.from);
	}
	if (most <= 0)
		return false;
	page->kind = TS_PAGE_LANES;
	page->columns = (int)ts_min_i64(page->columns, most);
	page->lanes = (int)(to - from);
	page->x = (struct ts_page_axis){.to = (double)most,
		.base = 2,
		.tick = memory_bytes_tick,
		.ctx = t->host};
	snprintf(page->title, sizeof(page->title), "Addresses of tile %lld", (long long)s->wanted);
	say_rows(page, from, to, rows);
	snprintf(page->x.title, sizeof(page->x.title), "bytes behind the address of the row");
	if (!make_bands(t->host, page, &bands))
		return false;
	for (int64_t i = from; i < to; i++) {
		struct address_row row = memory_address_row(s, i);

		snprintf(page->lane[i - from], TS_PAGE_LANE, "0x%05llx",
			(unsigned long long)row.from);
		fill_row(t, page, &bands, (int)(i - from), &row);
	}
	ts_chart_page_forget_empty(page);
	return true;
}
