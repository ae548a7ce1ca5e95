/* SPDX-License-Identifier: MIT */
/*
 * memory_moves - how the cursor of Memory's graph goes from tile to tile.
 *
 * By columns, each of which has its fullest tile; by IPUs; from the fullest tile down; to a number. Every move ends in
 * memory_settle(), which makes the figures anew for what is in sight and tells the selection.
 */
#include "config.h"

#include <errno.h>
#include <stdlib.h>

#include "memory_internal.h"
#include "tilescope/base/mem.h"

/* --- the cursor ------------------------------------------------------------------------------- */

/* The tile under the cursor becomes what all views look at. */
void
memory_select_tile(struct memory_view *m)
{
	const struct ts_tile *tile = memory_tile(m);

	if (!tile)
		return;
	m->view.env->selection->tile = tile->tile;
	m->view.env->selection->ipu = m->tiles->ipu[memory_at(m)];
}

enum ts_effect
memory_settle(struct memory_view *m, enum ts_effect effect)
{
	memory_update(m);
	if (effect & TS_EFFECT_SELECT)
		memory_select_tile(m);
	return effect;
}

enum ts_effect
memory_go(struct memory_view *m, int64_t place)
{
	enum ts_effect effect = ts_span_go(&m->span, memory_position(m, place));

	return memory_settle(m, effect == TS_EFFECT_NONE ? TS_EFFECT_REPAINT : effect);
}

/* The position of the fullest tile of those at [a, b), the first of equals. */
static int64_t
fullest_of(const struct memory_view *m, int64_t a, int64_t b)
{
	const int64_t *v = memory_values(m);
	int64_t best = a;

	for (int64_t i = a; i < b; i++)
		if (v[memory_place_at(m, i)] > v[memory_place_at(m, best)])
			best = i;
	return best;
}

/*
 * After a move by columns: on the fullest tile of the column, of those in [from, to): a column that
 * comes into sight at the edge may hold tiles again that the cursor has left.
 */
void
memory_snap(struct memory_view *m, int64_t from, int64_t to)
{
	int column;

	memory_update(m);
	column = ts_span_column(&m->span, m->span.cursor);
	if (!m->plot.several || column < 0 || column >= m->plot.columns)
		return;
	from = ts_max_i64(from, m->plot.bucket[column].from);
	to = ts_min_i64(to, m->plot.bucket[column].to);
	if (from < to)
		m->span.cursor = fullest_of(m, from, to);
}

/* Where a column has several tiles, leave it from its edge: the cursor stands anywhere in it. */
static void
leave_column(struct memory_view *m, enum ts_cmd cmd, int64_t *from, int64_t *to)
{
	int64_t a, b;

	*from = 0;
	*to = m->tiles->n;
	if (!m->plot.several || (cmd != TS_CMD_LEFT && cmd != TS_CMD_RIGHT))
		return;
	ts_span_bucket(&m->span, ts_span_column(&m->span, m->span.cursor), &a, &b);
	m->span.cursor = cmd == TS_CMD_LEFT ? a : b - 1;
	*(cmd == TS_CMD_LEFT ? to : from) = cmd == TS_CMD_LEFT ? a : b;
}

/* Where the same command goes from here, or -1. */
static int64_t
place_after(struct memory_view *m, enum ts_cmd cmd)
{
	const struct ts_span kept = m->span;
	int64_t from, to, a, b, place = -1;
	enum ts_effect effect;
	int column;

	leave_column(m, cmd, &from, &to);
	effect = ts_span_command(&m->span, cmd);
	column = ts_span_column(&m->span, m->span.cursor);
	if (effect != TS_EFFECT_UNKNOWN && effect != TS_EFFECT_BELL && column >= 0) {
		place = memory_at(m);
		ts_span_bucket(&m->span, column, &a, &b);
		from = ts_max_i64(from, a);
		to = ts_min_i64(to, b);
		if (m->plot.several && from < to)
			place = memory_place_at(m, fullest_of(m, from, to));
	}
	m->span = kept;
	return place;
}

bool
memory_is_of_graph_only(enum ts_cmd cmd)
{
	return cmd == TS_CMD_ZOOM_IN || cmd == TS_CMD_ZOOM_OUT || cmd == TS_CMD_ZOOM_FIT ||
		cmd == TS_CMD_PAGE_LEFT || cmd == TS_CMD_PAGE_RIGHT;
}

/* The fullest tile of the IPU before or behind; tiles of an IPU stand together in the list. */
static enum ts_effect
ipu_step(struct memory_view *m, int step)
{
	const struct memory_tiles *t = m->tiles;
	const int64_t *value = memory_values(m);
	int64_t i = memory_at(m), ipu = t->ipu[i], best;

	while (i >= 0 && i < t->n && t->ipu[i] == ipu)
		i += step;
	if (i < 0 || i >= t->n)
		return TS_EFFECT_BELL;
	best = i;
	for (ipu = t->ipu[i]; i >= 0 && i < t->n && t->ipu[i] == ipu; i += step)
		if (value[i] > value[best] || (value[i] == value[best] && i < best))
			best = i;
	return memory_go(m, best);
}

enum ts_effect
memory_graph_command(struct memory_view *m, enum ts_cmd cmd)
{
	int64_t n = m->tiles->n, cursor = m->span.cursor, from, to;
	enum ts_effect effect;

	if (memory_by_ipu(m) && (cmd == TS_CMD_LEFT || cmd == TS_CMD_RIGHT))
		return ipu_step(m, cmd == TS_CMD_LEFT ? -1 : 1);
	if (memory_by_ipu(m) && memory_is_of_graph_only(cmd))
		return TS_EFFECT_BELL; /* all IPUs are in sight */
	if (cmd == TS_CMD_FIRST || cmd == TS_CMD_LAST)
		return m->span.cursor == (cmd == TS_CMD_FIRST ? 0 : n - 1)
			? TS_EFFECT_BELL
			: memory_go(m, memory_place_at(m, cmd == TS_CMD_FIRST ? 0 : n - 1));
	leave_column(m, cmd, &from, &to);
	effect = ts_span_command(&m->span, cmd);
	if (effect == TS_EFFECT_UNKNOWN || effect == TS_EFFECT_BELL) {
		m->span.cursor = cursor;
		return effect;
	}
	if (cmd != TS_CMD_ZOOM_IN && cmd != TS_CMD_ZOOM_OUT && cmd != TS_CMD_ZOOM_FIT) {
		memory_snap(m, from, to);
		m->ahead = place_after(m, cmd);
	}
	return memory_settle(m, (enum ts_effect)(effect | TS_EFFECT_SELECT));
}

ptrdiff_t
memory_place(const struct memory_view *m, int64_t tile)
{
	const struct memory_tiles *t = m->tiles;

	if (tile >= 0)
		return ts_tiles_find(&t->tiles, tile);
	for (int64_t i = 0; tile == TS_SELECT_OF_IPU && i < t->n; i++)
		if (t->ipu[t->order[m->gaps][i]] == m->view.env->selection->ipu)
			return t->order[m->gaps][i];
	return -1;
}

/* --- walks ------------------------------------------------------------------------------------ */

/* A walk begins at the fullest tile; on it already, at the next. */
static enum ts_effect
walk(struct memory_view *m, int step)
{
	const uint32_t *order = memory_fullest_first(m);
	bool walking = m->walk >= 0 && m->walk < m->tiles->n && order[m->walk] == memory_at(m);
	int64_t to = walking ? m->walk + step
		: step > 0   ? order[0] == memory_at(m)
			     : memory_rank(m)[memory_at(m)] - 1;
	enum ts_effect effect;
	char n[TS_FMT_MAX], of[TS_FMT_MAX];

	if (to < 0 || to >= m->tiles->n)
		return TS_EFFECT_BELL;
	m->walk = to;
	effect = memory_go(m, order[to]);
	m->ahead = to + step >= 0 && to + step < m->tiles->n ? (int64_t)order[to + step] : -1;
	ts_view_say(m->view.env, "fullest tile %s of %s", ts_fmt_count(n, to + 1),
		ts_fmt_count(of, m->tiles->n));
	return effect;
}

enum ts_effect
memory_fullest(struct memory_view *m, const struct ts_call *call)
{
	return walk(m, call->cmd == TS_CMD_FULLEST ? 1 : -1);
}

enum ts_effect
memory_next_ipu(struct memory_view *m, const struct ts_call *call)
{
	return ipu_step(m, call->cmd == TS_CMD_IPU_NEXT ? 1 : -1);
}

/* The number of a tile, or an expression: the fullest of those that it names. */
enum ts_effect
memory_goto_tile(struct memory_view *m, const struct ts_call *call)
{
	const char *word = ts_call_arg(call, 0);
	char *end = NULL;
	long long tile;
	ptrdiff_t at;

	errno = 0;
	tile = word ? strtoll(word, &end, 10) : -1;
	if (word && (end == word || *end)) {
		ts_view_ask_tiles(m->view.env, word, true);
		return TS_EFFECT_REPAINT;
	}
	if (!word || errno) {
		ts_view_say_error(m->view.env, "goto wants the number of a tile");
		return TS_EFFECT_BELL;
	}
	at = ts_tiles_find(&m->tiles->tiles, tile);
	if (at < 0) {
		ts_view_say_error(m->view.env, "there is no tile %lld", tile);
		return TS_EFFECT_BELL;
	}
	return memory_go(m, at);
}
