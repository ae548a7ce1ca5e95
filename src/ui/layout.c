/* SPDX-License-Identifier: MIT */
/*
 * layout - from a table of panes to rectangles.
 *
 * Each split works on its own children only: leave out what cannot have its minimum, give the
 * rest its minimum, share what is left by weight (rounded so that the parts add up), then descend.
 */
#include "config.h"

#include "tilescope/base/mem.h"
#include "tilescope/ui/layout.h"

struct layout {
	struct ts_rect *out;
	const struct ts_layout_item *item;
	int n;
};

/* One child of a split while sizes are worked out. */
struct part {
	int item; /* index */
	int size;
	bool shown;
	bool full; /* has its maximum, or is fixed */
};

static int
least(const struct ts_layout_item *item)
{
	int min = item->fixed > 0 ? item->fixed : item->min;

	return min > 0 ? min : 1;
}

static int
weight_of(const struct ts_layout_item *item)
{
	return item->weight > 0 ? item->weight : 1;
}

/* The one to leave out next: lowest keep, of these the last. */
static int
weakest(const struct layout *l, const struct part *part, int n)
{
	int found = -1;

	for (int i = 0; i < n; i++)
		if (part[i].shown &&
			(found < 0 || l->item[part[i].item].keep <= l->item[part[found].item].keep))
			found = i;
	return found;
}

/* Give everybody the minimum; leave out until it fits. Returns what is left over. */
static int
give_minimum(const struct layout *l, struct part *part, int n, int gap, int size)
{
	for (;;) {
		int64_t need = 0;
		int shown = 0;

		for (int i = 0; i < n; i++) {
			if (!part[i].shown)
				continue;
			part[i].size = least(&l->item[part[i].item]);
			need += part[i].size + (shown > 0 ? gap : 0);
			shown++;
		}
		if (need <= size)
			return (int)(size - need);
		if (shown == 1) {
			part[weakest(l, part, n)].size = size;
			return 0;
		}
		part[weakest(l, part, n)].shown = false;
	}
}

/* Share `left` by weight; who would exceed a maximum gets that, and the others share again. */
static void
share_rest(const struct layout *l, struct part *part, int n, int left)
{
	for (bool again = true; again && left > 0;) {
		int64_t total = 0, before = 0;

		again = false;
		for (int i = 0; i < n; i++)
			if (part[i].shown && !part[i].full)
				total += weight_of(&l->item[part[i].item]);
		for (int i = 0; i < n && !again; i++) {
			const struct ts_layout_item *item = &l->item[part[i].item];
			int64_t after = before + weight_of(item), extra;

			if (!part[i].shown || part[i].full)
				continue;
			extra = left * after / total - left * before / total;
			before = after;
			if (item->max <= 0 || part[i].size + extra <= item->max)
				continue;
			if (item->max > part[i].size) {
				left -= item->max - part[i].size;
				part[i].size = item->max;
			}
			part[i].full = again = true;
		}
		if (again)
			continue;
		before = 0;
		for (int i = 0; i < n; i++) {
			int64_t after = before + weight_of(&l->item[part[i].item]);

			if (!part[i].shown || part[i].full)
				continue;
			part[i].size += (int)(left * after / total - left * before / total);
			before = after;
		}
	}
}

/* The children of item i: one deeper, up to the next that is not deeper than i. */
static int
children(const struct layout *l, int i, struct part part[TS_LAYOUT_ITEMS])
{
	int n = 0;

	for (int k = i + 1; k < l->n && l->item[k].depth > l->item[i].depth; k++)
		if (l->item[k].depth == l->item[i].depth + 1 && n < TS_LAYOUT_ITEMS)
			part[n++] = (struct part){k, 0, true, l->item[k].fixed > 0};
	return n;
}

static void
place(const struct layout *l, int i, struct ts_rect r)
{
	const struct ts_layout_item *item = &l->item[i];
	struct part part[TS_LAYOUT_ITEMS];
	bool rows = item->kind == TS_SPLIT_ROWS, first = true;
	int n, left, gap = item->gap > 0 ? item->gap : 0;

	if (item->kind == TS_PANE) {
		if (item->id >= 0 && item->id < TS_LAYOUT_PANES && !ts_rect_empty(r))
			l->out[item->id] = r;
		return;
	}
	n = children(l, i, part);
	if (n == 0 || ts_rect_empty(r))
		return;
	left = give_minimum(l, part, n, gap, rows ? r.h : r.w);
	share_rest(l, part, n, left);
	for (int k = 0; k < n; k++) {
		if (!part[k].shown)
			continue;
		if (!first)
			(void)(rows ? ts_rect_cut_top(&r, gap) : ts_rect_cut_left(&r, gap));
		first = false;
		place(l, part[k].item,
			rows ? ts_rect_cut_top(&r, part[k].size)
			     : ts_rect_cut_left(&r, part[k].size));
	}
}

void
ts_layout(struct ts_rect out[TS_LAYOUT_PANES], const struct ts_layout_item *items, int n,
	struct ts_rect area, int zoomed)
{
	struct layout l = {out, items, n < TS_LAYOUT_ITEMS ? n : TS_LAYOUT_ITEMS};

	for (int i = 0; i < TS_LAYOUT_PANES; i++)
		out[i] = (struct ts_rect){area.x, area.y, 0, 0};
	if (ts_rect_empty(area) || n <= 0)
		return;
	for (int i = 0; i < l.n; i++) {
		if (items[i].kind == TS_PANE && items[i].id == zoomed && zoomed >= 0) {
			place(&l, i, area);
			return;
		}
	}
	place(&l, 0, area);
}

int
ts_layout_next(const struct ts_rect panes[TS_LAYOUT_PANES], unsigned wants, int id, int step)
{
	int from = id >= 0 && id < TS_LAYOUT_PANES ? id : 0;

	step = step < 0 ? TS_LAYOUT_PANES - 1 : 1;
	for (int i = 1; i <= TS_LAYOUT_PANES; i++) {
		int next = (from + i * step) % TS_LAYOUT_PANES;

		if (wants >> next & 1 && !ts_rect_empty(panes[next]))
			return next;
	}
	return id;
}

int
ts_layout_at(const struct ts_rect panes[TS_LAYOUT_PANES], int x, int y)
{
	for (int i = 0; i < TS_LAYOUT_PANES; i++)
		if (ts_rect_has(panes[i], x, y))
			return i;
	return TS_LAYOUT_NONE;
}
