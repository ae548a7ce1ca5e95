/* SPDX-License-Identifier: MIT */
/*
 * memory_addresses_page - the address map on paper: a lane for each row of the map, of the whole tile, with the shares that
 * categories, overlaps and gaps have of the bytes of each column; what stands beyond the end of the memory, behind a line;
 * and names of variables where there is room. Rows are as long as on the screen; where they would
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
	double *overlap, *beyond, *gap;
	uint8_t *pale; /* every other variable */
};

static bool
make_bands(const struct memory_view *m, struct ts_chart_page *page, struct paper *b)
{
	int n = m->categories ? m->categories->bands : 0;

	for (int i = 0; i < n && i < MEMORY_BANDS; i++)
		b->category[i] = ts_chart_page_band(page, m->categories->name[i],
			TS_ROLE_SERIES_0 + (unsigned)i % TS_ROLE_SERIES);
	b->category[MEMORY_BANDS] = ts_chart_page_band(page, "variable", TS_ROLE_FILL);
	b->overlap = ts_chart_page_band(page, "overlap", TS_ROLE_WARN);
	b->beyond = ts_chart_page_band(page, "beyond the end", TS_ROLE_BAD);
	b->gap = ts_chart_page_band(page, "gap", TS_ROLE_GAPS);
	ts_chart_page_hatch(page);
	b->pale = ts_chart_page_pale(page, "paler: every second variable");
	return b->category[MEMORY_BANDS] && b->overlap && b->beyond && b->gap && b->pale;
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
		to_band = row->element >= s->a.inside ? b->beyond
						      : b->category[band < 0 ? MEMORY_BANDS : band];
		b->pale[at] = k.variable >= 0 && k.variable % 2;
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

/* What a row is, and what of the variables has no room in the memory. */
static void
say_rows(const struct ts_tab *t, struct ts_chart_page *page, int64_t from, int64_t to, int64_t rows)
{
	const struct address_tab *s = t->own;
	enum ts_units units = t->view->env->options->units;
	char a[TS_FMT_MAX], b[TS_FMT_MAX], n[TS_FMT_MAX];
	struct ts_strbuf out;

	ts_strbuf_init(&out, sizeof(page->subtitle) - 1);
	if (to - from < rows)
		ts_strbuf_printf(&out, "rows %s to %s of %s; ", ts_fmt_count(a, from + 1),
			ts_fmt_count(b, to), ts_fmt_count(n, rows));
	ts_strbuf_printf(&out, "a row: %s of addresses; two shades in turn tell variables apart",
		ts_fmt_bytes(a, (int64_t)page->x.to, units));
	if (s->a.map.beyond > 0)
		ts_strbuf_printf(&out, "; %s beyond the end",
			ts_fmt_bytes(b, s->a.map.beyond, units));
	snprintf(page->subtitle, sizeof(page->subtitle), "%s", out.s);
	ts_strbuf_fini(&out);
}

/*
 * Each variable is named once: in the row in which it begins, or in the next one where it has more of that.
 */
static void
name_row(const struct address_tab *s, struct ts_chart_page *page, int lane,
	const struct address_row *row, int32_t *named)
{
	ptrdiff_t first = ts_address_map_find(&s->a.map, row->from);

	for (size_t i = first < 0 ? 0 : (size_t)first; i < s->a.map.count; i++) {
		const struct ts_address_piece *p = &s->a.map.piece[i];
		int64_t from = ts_max_i64(p->from, row->from), to = ts_min_i64(p->to, row->to);
		int64_t behind = ts_min_i64(p->to - row->to, row->to - row->from);

		if (p->from >= row->to)
			break;
		if (p->kind != TS_ADDRESS_VARIABLE || p->variable == *named || to <= from ||
			(behind > to - from && lane + 1 < page->lanes))
			continue;
		*named = p->variable;
		ts_chart_page_note(page, lane, (double)(from - row->from), (double)(to - row->from),
			ts_address_name(&s->a, p->variable));
	}
}

/* The line behind the last row of the memory. */
static void
draw_end(const struct ts_tab *t, struct ts_chart_page *page, int lane)
{
	const struct address_tab *s = t->own;
	char n[TS_FMT_MAX];

	ts_chart_page_level(page, lane, TS_ROLE_LIMIT, "end of the memory, %s",
		ts_fmt_bytes(n, s->a.end - s->a.begin, t->view->env->options->units));
}

bool
memory_addresses_chart(struct ts_tab *t, struct ts_chart_page *page)
{
	struct address_tab whole = *(const struct address_tab *)t->own, *s = &whole;
	int64_t most = 0, from = 0, to, rows = zoom_out(s);
	struct paper bands = {0};
	bool ends = s->a.end != TS_UNKNOWN && s->a.inside < s->a.elements;
	int32_t named = -1;

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
	say_rows(t, page, from, to, rows);
	snprintf(page->x.title, sizeof(page->x.title),
		"distance from the address of the row (bytes)");
	if (!make_bands(t->host, page, &bands))
		return false;
	for (int64_t i = from; i < to; i++) {
		struct address_row row = memory_address_row(s, i);

		snprintf(page->lane[i - from], TS_PAGE_LANE, "0x%05llx",
			(unsigned long long)row.from);
		if (ends && row.element >= s->a.inside) {
			draw_end(t, page, (int)(i - from));
			ends = false;
		}
		fill_row(t, page, &bands, (int)(i - from), &row);
		name_row(s, page, (int)(i - from), &row, &named);
	}
	ts_chart_page_forget_empty(page);
	return true;
}
