/* SPDX-License-Identifier: MIT */
/*
 * rect - rectangles of the canvas.
 *
 * The arithmetic is done in 64 bits: a rectangle may hold any numbers, and what comes out is
 * inside of what went in.
 */
#include "config.h"

#include <limits.h>

#include "tilescope/base/mem.h"
#include "tilescope/ui/canvas.h"

struct ts_rect
ts_rect_clip(struct ts_rect a, struct ts_rect b)
{
	int64_t x0 = ts_max_i64(a.x, b.x), y0 = ts_max_i64(a.y, b.y);
	int64_t x1 = ts_min_i64((int64_t)a.x + a.w, (int64_t)b.x + b.w);
	int64_t y1 = ts_min_i64((int64_t)a.y + a.h, (int64_t)b.y + b.h);

	if (x1 <= x0 || y1 <= y0)
		return (struct ts_rect){(int)x0, (int)y0, 0, 0};
	return (struct ts_rect){(int)x0, (int)y0, (int)(x1 - x0), (int)(y1 - y0)};
}

/* a + b, at the ends of what an int holds no further */
static int
add(int a, int b)
{
	int sum;

	if (__builtin_add_overflow(a, b, &sum))
		return b > 0 ? INT_MAX : INT_MIN;
	return sum;
}

struct ts_rect
ts_rect_row(struct ts_rect r, int i)
{
	if (i < 0 || i >= r.h)
		return (struct ts_rect){r.x, r.y, 0, 0};
	return (struct ts_rect){r.x, add(r.y, i), r.w, 1};
}

static int
cut(int *size, int n)
{
	int have = *size > 0 ? *size : 0;

	n = n < 0 ? 0 : n > have ? have : n;
	*size = have - n;
	return n;
}

struct ts_rect
ts_rect_cut_top(struct ts_rect *r, int n)
{
	struct ts_rect out = *r;

	out.h = cut(&r->h, n);
	r->y = add(r->y, out.h);
	return out;
}

struct ts_rect
ts_rect_cut_bottom(struct ts_rect *r, int n)
{
	struct ts_rect out = *r;

	out.h = cut(&r->h, n);
	out.y = add(r->y, r->h);
	return out;
}

struct ts_rect
ts_rect_cut_left(struct ts_rect *r, int n)
{
	struct ts_rect out = *r;

	out.w = cut(&r->w, n);
	r->x = add(r->x, out.w);
	return out;
}

struct ts_rect
ts_rect_cut_right(struct ts_rect *r, int n)
{
	struct ts_rect out = *r;

	out.w = cut(&r->w, n);
	out.x = add(r->x, r->w);
	return out;
}
