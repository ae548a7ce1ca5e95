/* SPDX-License-Identifier: MIT */
/*
 * span - the visible part of an axis.
 *
 * Column i of C shows the units from + floor(i * n / C) up to from + floor((i + 1) * n / C), where
 * n units are visible: exact for any size in 128 bits, so neither a unit nor a column is ever
 * lost to rounding.
 */
#include "config.h"

#include <string.h>

#include "tilescope/base/mem.h"
#include "tilescope/ui/span.h"

__extension__ typedef __int128 i128;

void
ts_span_init(struct ts_span *s)
{
	memset(s, 0, sizeof(*s));
	s->least = 1;
}

static int64_t
visible(const struct ts_span *s)
{
	return s->to - s->from;
}

static int
width(const struct ts_span *s)
{
	return s->columns > 0 ? s->columns : 1;
}

/* a * b / c, rounded down; a, b >= 0, c > 0 */
static int64_t
scale(int64_t a, int64_t b, int64_t c)
{
	return (int64_t)((i128)a * b / c);
}

/* Show n units from `from` on: clamped to the axis. */
static void
show(struct ts_span *s, int64_t from, int64_t n)
{
	int64_t least = ts_clamp_i64(s->least, 1, ts_max_i64(s->count, 1));

	n = ts_clamp_i64(n, ts_min_i64(least, s->count), s->count);
	s->from = ts_clamp_i64(from, 0, s->count - n);
	s->to = s->from + n;
}

static enum ts_effect
changed(const struct ts_span *s, const struct ts_span *before)
{
	int effect = TS_EFFECT_NONE;

	if (s->cursor != before->cursor)
		effect |= TS_EFFECT_SELECT | TS_EFFECT_REPAINT;
	if (s->from != before->from || s->to != before->to)
		effect |= TS_EFFECT_RECALC | TS_EFFECT_REPAINT;
	return (enum ts_effect)effect;
}

void
ts_span_set_count(struct ts_span *s, int64_t count)
{
	bool whole = ts_span_whole(s);
	int64_t n = visible(s);

	s->count = ts_clamp_i64(count, 0, TS_SPAN_MAX);
	show(s, whole ? 0 : s->from, whole ? s->count : n);
	s->cursor = ts_clamp_i64(s->cursor, s->from, ts_max_i64(s->to - 1, s->from));
}

void
ts_span_resize(struct ts_span *s, int columns)
{
	s->columns = columns > 0 ? columns : 0;
}

/* The range moves so that the cursor is inside. */
static void
follow(struct ts_span *s)
{
	s->cursor = ts_clamp_i64(s->cursor, 0, ts_max_i64(s->count - 1, 0));
	if (s->cursor < s->from)
		show(s, s->cursor, visible(s));
	else if (s->cursor >= s->to)
		show(s, s->cursor - visible(s) + 1, visible(s));
}

enum ts_effect
ts_span_show(struct ts_span *s, int64_t from, int64_t to)
{
	struct ts_span before = *s;

	from = ts_clamp_i64(from, 0, s->count);
	to = ts_clamp_i64(to, from, s->count);
	show(s, from, to - from);
	s->cursor = ts_clamp_i64(s->cursor, s->from, ts_max_i64(s->to - 1, s->from));
	return changed(s, &before);
}

enum ts_effect
ts_span_go(struct ts_span *s, int64_t unit)
{
	struct ts_span before = *s;
	int64_t n = visible(s);

	s->cursor = ts_clamp_i64(unit, 0, ts_max_i64(s->count - 1, 0));
	if (s->cursor < s->from || s->cursor >= s->to)
		show(s, s->cursor - n / 2, n);
	return changed(s, &before);
}

/* The cursor by columns: to the begin of the next bucket, or one column out of the range. */
static void
step(struct ts_span *s, int by)
{
	int64_t n = visible(s), unit = ts_max_i64(n / width(s), 1), a, b;
	int column = ts_span_column(s, s->cursor);

	if (n <= width(s) || column + by < 0 || column + by >= width(s)) {
		s->cursor += by * unit;
	} else {
		ts_span_bucket(s, column + by, &a, &b);
		s->cursor = a;
	}
	follow(s);
}

/* The range by n units, the cursor with it. */
static void
pan(struct ts_span *s, int64_t n)
{
	s->cursor = ts_clamp_i64(s->cursor + n, 0, ts_max_i64(s->count - 1, 0));
	show(s, s->from + n, visible(s));
	follow(s);
}

/* n units are visible; the cursor keeps its place on the screen. */
static void
zoom(struct ts_span *s, int64_t n)
{
	int64_t old = ts_max_i64(visible(s), 1);

	n = ts_clamp_i64(n, 1, ts_max_i64(s->count, 1));
	show(s, s->cursor - scale(s->cursor - s->from, n, old), n);
	follow(s);
}

enum ts_effect
ts_span_command(struct ts_span *s, enum ts_cmd cmd)
{
	struct ts_span before = *s;
	int64_t n = visible(s), half = ts_max_i64(n / 2, 1);
	enum ts_effect effect;

	switch (cmd) {
	case TS_CMD_LEFT:
		step(s, -1);
		break;
	case TS_CMD_RIGHT:
		step(s, 1);
		break;
	case TS_CMD_PAGE_LEFT:
	case TS_CMD_PAGE_UP:
		pan(s, -n);
		break;
	case TS_CMD_PAGE_RIGHT:
	case TS_CMD_PAGE_DOWN:
		pan(s, n);
		break;
	case TS_CMD_HALF_UP:
		pan(s, -half);
		break;
	case TS_CMD_HALF_DOWN:
		pan(s, half);
		break;
	case TS_CMD_FIRST:
		pan(s, -s->cursor);
		break;
	case TS_CMD_LAST:
		pan(s, s->count - s->cursor);
		break;
	case TS_CMD_ZOOM_IN:
		zoom(s, half);
		break;
	case TS_CMD_ZOOM_OUT:
		zoom(s, n * 2);
		break;
	case TS_CMD_ZOOM_FIT:
		show(s, 0, s->count);
		break;
	default:
		return TS_EFFECT_UNKNOWN;
	}
	effect = changed(s, &before);
	return effect == TS_EFFECT_NONE ? TS_EFFECT_BELL : effect;
}

void
ts_span_bucket(const struct ts_span *s, int i, int64_t *a, int64_t *b)
{
	int64_t n = visible(s);

	*a = *b = s->from;
	if (n <= 0 || i < 0 || i >= width(s))
		return;
	*a = s->from + scale(i, n, width(s));
	*b = ts_max_i64(s->from + scale((int64_t)i + 1, n, width(s)), *a + 1);
}

int
ts_span_column(const struct ts_span *s, int64_t unit)
{
	int64_t n = visible(s), at = unit - s->from;

	if (unit < s->from || unit >= s->to)
		return -1;
	if (n < width(s)) /* the first column that begins at this unit or behind */
		return (int)(((i128)at * width(s) + n - 1) / n);
	return (int)(((i128)(at + 1) * width(s) - 1) / n);
}

int
ts_span_overview(const struct ts_span *s, int columns, int64_t unit)
{
	struct ts_span all = {s->count, 0, s->count, 0, 1, columns};

	return columns > 0 ? ts_span_column(&all, unit) : -1;
}

bool
ts_span_whole(const struct ts_span *s)
{
	return s->from == 0 && s->to == s->count;
}
