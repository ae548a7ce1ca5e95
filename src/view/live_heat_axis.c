/* SPDX-License-Identifier: MIT */
/* live_heat_axis - the axes of the tab "heat": what of the tiles is in sight, the cursor, zooming; steps in words. */
#include "config.h"

#include <stdio.h>

#include "tilescope/base/fmt.h"
#include "tilescope/base/mem.h"

#include "live_heat_internal.h"

int64_t
heat_cell(const struct heat_axis *a, int64_t unit)
{
	return a->from + (unit - a->from) / a->each * a->each;
}

static int64_t
fit(const struct heat_axis *a)
{
	return (int64_t)ts_live_heat_fit((size_t)a->count, a->cells, (size_t)a->group);
}

/* Units to a cell as they may be: a multiple of the group, or fewer than it. */
static int64_t
rounded(const struct heat_axis *a, int64_t each)
{
	each = ts_clamp_i64(each, 1, fit(a));
	return a->group > 1 && each > a->group ? each / a->group * a->group : each;
}

/* Begin at a multiple of what a cell or a group has, no empty cells at the end where it can be. */
static void
settle(struct heat_axis *a)
{
	int64_t align = a->group > 1 && a->each >= a->group ? a->group : 1;
	int64_t most = a->count - a->each * a->cells;

	a->cursor = ts_clamp_i64(a->cursor, 0, ts_max_i64(a->count - 1, 0));
	most = most > 0 ? (most + align - 1) / align * align : 0;
	a->from = ts_clamp_i64(a->from / align * align, 0, most);
}

/* The cursor is in sight. */
void
heat_follow(struct heat_axis *a)
{
	int64_t seen = a->each * a->cells;

	settle(a);
	if (a->cursor < a->from)
		a->from = a->cursor / a->each * a->each;
	else if (a->cursor >= a->from + seen)
		a->from = a->cursor - a->cursor % a->each - seen + a->each;
	settle(a);
	if (a->cursor >= a->from + seen) /* alignment took its cell away */
		a->from += a->each;
}

void
heat_zoom_to(struct heat_axis *a, int64_t each)
{
	int64_t at = (a->cursor - a->from) / a->each; /* its cell of the screen stays */

	a->each = rounded(a, each);
	a->from = ts_max_i64(a->cursor - at * a->each, 0);
	heat_follow(a);
}

void
heat_resize_axis(struct heat_axis *a, int cells)
{
	bool whole = a->each == 0 || (a->from == 0 && a->each * a->cells >= a->count);

	if (cells == a->cells && a->each > 0)
		return;
	a->cells = cells > 0 ? cells : 1;
	a->each = whole ? fit(a) : rounded(a, a->each);
	heat_follow(a);
}

void
heat_move_axis(struct heat_axis *a, int64_t cells)
{
	a->cursor = heat_cell(a, a->cursor) + cells * a->each;
	heat_follow(a);
}

void
heat_steps(const struct heat *h, int64_t *from, int64_t *to)
{
	ts_span_bucket(&h->x, ts_span_column(&h->x, h->x.cursor), from, to);
}

const char *
heat_steps_text(char out[HEAT_STEPS_TEXT], int64_t steps, int columns)
{
	int64_t least = columns > 0 && steps > columns ? steps / columns : 1;
	bool more = columns > 0 && steps > columns && steps % columns > 0;
	char n[TS_FMT_MAX], m[TS_FMT_MAX];

	if (more)
		snprintf(out, HEAT_STEPS_TEXT, "%s-%s steps", ts_fmt_count(n, least),
			ts_fmt_count(m, least + 1));
	else
		snprintf(out, HEAT_STEPS_TEXT, "%s step%s", ts_fmt_count(n, least),
			least == 1 ? "" : "s");
	return out;
}

int64_t
heat_tile(const struct heat *h, int64_t place)
{
	return h->l && place >= 0 && place < (int64_t)h->l->tiles ? h->l->tile[place].tile
								  : TS_UNKNOWN;
}

int64_t
heat_ipu(const struct heat *h, int64_t place)
{
	if (heat_tile(h, place) == TS_UNKNOWN || h->l->tile[place].ipu == TS_LIVE_NO_IPU)
		return TS_UNKNOWN;
	return h->l->tile[place].ipu;
}
