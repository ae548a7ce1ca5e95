/* SPDX-License-Identifier: MIT */
/*
 * list - cursor and scrolling.
 *
 * Every change ends in settle(), which holds the one invariant: 0 <= top <= cursor < top + rows,
 * within the list, with no blank lines below the last row unless the list is shorter than the
 * screen. Effects are found by comparing the state before and after.
 */
#include "config.h"

#include <string.h>

#include "tilescope/base/mem.h"
#include "tilescope/ui/list.h"

enum { LEFT_STEP = 8, WHEEL_ROWS = 3 };

void
ts_list_init(struct ts_list *l)
{
	memset(l, 0, sizeof(*l));
	l->count = TS_LIST_UNKNOWN;
}

static int64_t
limit(const struct ts_list *l)
{
	return l->count < 0 ? TS_LIST_MAX : l->count;
}

static int64_t
height(const struct ts_list *l)
{
	return l->rows > 0 ? l->rows : 1;
}

static void
settle(struct ts_list *l)
{
	int64_t last_top = ts_max_i64(limit(l) - height(l), 0);

	l->cursor = ts_clamp_i64(l->cursor, 0, ts_max_i64(limit(l) - 1, 0));
	l->top = ts_clamp_i64(l->top, l->cursor - height(l) + 1, l->cursor);
	l->top = ts_clamp_i64(l->top, 0, last_top);
}

static enum ts_effect
changed(struct ts_list *l, const struct ts_list *before)
{
	int effect = TS_EFFECT_NONE;

	settle(l);
	if (l->cursor != before->cursor)
		effect |= TS_EFFECT_SELECT | TS_EFFECT_REPAINT;
	if (l->top != before->top)
		effect |= TS_EFFECT_RECALC | TS_EFFECT_REPAINT;
	if (l->left != before->left)
		effect |= TS_EFFECT_REPAINT;
	if (l->cursor != before->cursor || l->top != before->top)
		l->travel = l->cursor + l->top > before->cursor + before->top ? 1 : -1;
	return (enum ts_effect)effect;
}

void
ts_list_set_count(struct ts_list *l, int64_t count)
{
	l->count = count < 0 ? TS_LIST_UNKNOWN : ts_min_i64(count, TS_LIST_MAX);
	settle(l);
}

void
ts_list_resize(struct ts_list *l, int rows)
{
	l->rows = rows > 0 ? rows : 0;
	settle(l);
}

enum ts_effect
ts_list_go(struct ts_list *l, int64_t row)
{
	struct ts_list before = *l;

	l->cursor = ts_clamp_i64(row, 0, TS_LIST_MAX);
	return changed(l, &before);
}

enum ts_effect
ts_list_jump(struct ts_list *l, int64_t row)
{
	struct ts_list before = *l;

	l->cursor = ts_clamp_i64(row, 0, TS_LIST_MAX);
	if (l->cursor < l->top || l->cursor >= l->top + height(l))
		l->top = l->cursor - height(l) / 2;
	return changed(l, &before);
}

void
ts_list_follow(struct ts_list *l, int64_t row)
{
	int64_t line = l->cursor - l->top;

	l->cursor = ts_clamp_i64(row, 0, TS_LIST_MAX);
	l->top = l->cursor - line;
	settle(l);
}

/* Cursor and screen move together: the cursor keeps its line until the list ends. */
static void
page(struct ts_list *l, int64_t n)
{
	l->cursor += n;
	l->top += n;
	settle(l);
}

enum ts_effect
ts_list_command(struct ts_list *l, enum ts_cmd cmd)
{
	struct ts_list before = *l;
	int64_t half = ts_max_i64(height(l) / 2, 1);
	enum ts_effect effect;

	switch (cmd) {
	case TS_CMD_UP:
		l->cursor--;
		break;
	case TS_CMD_DOWN:
		l->cursor++;
		break;
	case TS_CMD_PAGE_UP:
		page(l, -height(l));
		break;
	case TS_CMD_PAGE_DOWN:
		page(l, height(l));
		break;
	case TS_CMD_HALF_UP:
		page(l, -half);
		break;
	case TS_CMD_HALF_DOWN:
		page(l, half);
		break;
	case TS_CMD_FIRST:
		l->cursor = 0;
		break;
	case TS_CMD_LAST:
		if (l->count > 0)
			l->cursor = l->count - 1;
		break;
	case TS_CMD_LEFT:
		l->left = l->left > LEFT_STEP ? l->left - LEFT_STEP : 0;
		break;
	case TS_CMD_RIGHT:
		l->left = l->left + LEFT_STEP < TS_LIST_LEFT ? l->left + LEFT_STEP : TS_LIST_LEFT;
		break;
	default:
		return TS_EFFECT_UNKNOWN;
	}
	effect = changed(l, &before);
	return effect == TS_EFFECT_NONE ? TS_EFFECT_BELL : effect;
}

enum ts_effect
ts_list_scroll(struct ts_list *l, int64_t n)
{
	struct ts_list before = *l;
	int64_t last_top = ts_max_i64(limit(l) - height(l), 0);

	n = ts_clamp_i64(n, -TS_LIST_MAX, TS_LIST_MAX);
	l->top = ts_clamp_i64(l->top + n, 0, last_top);
	l->cursor = ts_clamp_i64(l->cursor, l->top, l->top + height(l) - 1);
	return changed(l, &before);
}

enum ts_effect
ts_list_mouse(struct ts_list *l, int line, int wheel)
{
	int64_t row = ts_list_at(l, line);

	if (wheel)
		return ts_list_scroll(l, WHEEL_ROWS * (int64_t)wheel);
	return row < 0 ? TS_EFFECT_NONE : ts_list_go(l, row);
}

void
ts_list_window(const struct ts_list *l, int64_t *from, int64_t *to)
{
	*from = l->top;
	*to = ts_min_i64(l->top + (l->rows > 0 ? l->rows : 0), limit(l));
}

bool
ts_list_enough(const struct ts_list *l, int64_t have_from, int64_t have_to, int64_t *from,
	int64_t *to)
{
	int64_t rows = height(l), half = ts_max_i64(rows / 2, 1);
	int64_t need_from = l->top - (l->travel < 0 ? half : 0);
	int64_t need_to = l->top + rows + (l->travel > 0 ? half : 0);
	int64_t above = l->travel < 0 ? 3 * half : l->travel > 0 ? half : rows;
	int64_t below = l->travel > 0 ? 3 * half : l->travel < 0 ? half : rows;

	need_from = ts_max_i64(need_from, 0);
	need_to = ts_min_i64(need_to, limit(l));
	*from = ts_max_i64(l->top - above, 0);
	*to = ts_min_i64(l->top + rows + below, limit(l));
	return need_from >= need_to || (have_from <= need_from && have_to >= need_to);
}

int64_t
ts_list_at(const struct ts_list *l, int y)
{
	if (y < 0 || y >= l->rows || l->top + y >= limit(l))
		return -1;
	return l->top + y;
}

/* How far a place is from the first one that is looked at, in the direction of the search. */
static int64_t
way_to(int64_t place, int64_t first, int64_t n, int step)
{
	return ((place - first) * step % n + n) % n;
}

struct ts_list_hit
ts_list_find(const struct ts_list *l, int step, bool here, ts_list_is_fn *is, void *ctx)
{
	struct ts_list_hit hit = {.at = -1};
	int64_t first = l->cursor + (here ? 0 : step);

	for (int64_t i = 0; i < l->count; i++) {
		if (!is(ctx, i))
			continue;
		hit.count++;
		if (hit.at < 0 ||
			way_to(i, first, l->count, step) < way_to(hit.at, first, l->count, step)) {
			hit.at = i;
			hit.number = hit.count;
		}
	}
	return hit;
}
