/* SPDX-License-Identifier: MIT */
/*
 * memory_marks - tiles that are selected, in the Memory view.
 *
 * The set is shared by all views (view/selection.h). Here a tile is taken into it and out of it, a range of the
 * graph is, and what the selected tiles use together is summed up: once for each change, not for each frame.
 */
#include "config.h"

#include <stdio.h>

#include "memory_internal.h"
#include "tilescope/base/mem.h"

static struct ts_selection *
selection_of(const struct memory_view *m)
{
	return m->view.env->selection;
}

/* --- what they use ---------------------------------------------------------------------------- */

static void
add_tile(struct memory_selected *s, const struct memory_tiles *t, int gaps, int64_t i)
{
	int64_t bytes = t->value[gaps][i];

	s->first = s->tiles == 0 ? i : s->first;
	s->last = i;
	s->tiles++;
	if (bytes < 0)
		return;
	if (s->known == 0 || bytes > t->value[gaps][s->fullest])
		s->fullest = i;
	if (s->known == 0 || bytes < t->value[gaps][s->emptiest])
		s->emptiest = i;
	s->known++;
	if (t->value[0][i] >= 0)
		s->gap_bytes += bytes - t->value[0][i]; /* at most what `bytes` is */
	if (s->bytes != TS_UNKNOWN && !ts_add_i64(&s->bytes, bytes))
		s->bytes = TS_UNKNOWN;
}

void
memory_sum_selected(struct memory_view *m)
{
	const struct ts_selected_tiles *set = &selection_of(m)->tiles;
	struct memory_selected *s = &m->selected;
	const struct memory_tiles *t = m->tiles;

	if (s->version == set->version && s->data == m->data && s->gaps == m->gaps)
		return;
	*s = (struct memory_selected){.version = set->version, .data = m->data, .gaps = m->gaps};
	for (int64_t tile = set->count > 0 ? ts_tile_set_next(&set->set, 0) : -1; tile >= 0;
		tile = ts_tile_set_next(&set->set, tile + 1)) {
		ptrdiff_t at = ts_tiles_find(&t->tiles, tile);

		if (at >= 0)
			add_tile(s, t, m->gaps, at);
	}
}

bool
memory_is_selected(const struct memory_view *m, int64_t from, int64_t to)
{
	const struct ts_selected_tiles *set = &selection_of(m)->tiles;

	if (m->selected.tiles == 0)
		return false;
	for (int64_t i = from; i < to && m->axis.place; i++)
		if (ts_tile_set_has(&set->set, m->tiles->tiles.tile[m->axis.place[i]].tile))
			return true;
	if (m->axis.place)
		return false;
	from = ts_max_i64(from, m->selected.first);
	to = ts_min_i64(to, m->selected.last + 1);
	for (int64_t i = from; i < to; i++)
		if (ts_tile_set_has(&set->set, m->tiles->tiles.tile[i].tile))
			return true;
	return false;
}

/* --- commands --------------------------------------------------------------------------------- */

/* What the selection becomes: places are added one by one, and it is made once. */
struct change {
	struct memory_view *m;
	struct ts_tile_set set;
	bool beyond; /* a tile has a number that no set has */
};

static bool
begin_change(struct change *c, struct memory_view *m)
{
	const struct ts_tile_set *set = &selection_of(m)->tiles.set;
	int64_t end = m->tiles->tiles.tile[m->tiles->n - 1].tile;

	*c = (struct change){.m = m};
	end = ts_min_i64(end, TS_TILES_MAX - 1) + 1;
	if (ts_tile_set_copy(&c->set, set, ts_max_i64(end, set->tiles)))
		return true;
	ts_view_say_error(m->view.env, "out of memory");
	return false;
}

/* The tile at a place of the list. */
static void
take_place(struct change *c, int64_t i)
{
	int64_t tile = c->m->tiles->tiles.tile[i].tile;

	if (tile < TS_TILES_MAX)
		ts_tile_set_add(&c->set, tile, tile + 1);
	else
		c->beyond = true;
}

static enum ts_effect
end_change(struct change *c)
{
	if (c->beyond && ts_tile_set_count(&c->set) == selection_of(c->m)->tiles.count)
		ts_tile_set_fini(&c->set); /* it stays what it is */
	else
		ts_select_tiles(selection_of(c->m), &c->set, NULL);
	if (!c->beyond)
		return (enum ts_effect)(TS_EFFECT_REPAINT | TS_EFFECT_RECALC);
	ts_view_say_error(c->m->view.env, "tiles from %lld on cannot be selected",
		(long long)TS_TILES_MAX);
	return TS_EFFECT_BELL;
}

enum ts_effect
memory_mark(struct memory_view *m, const struct ts_call *call)
{
	int64_t i = memory_at(m), tile = m->tiles->tiles.tile[i].tile;
	struct change c;

	(void)call;
	if (!begin_change(&c, m))
		return TS_EFFECT_BELL;
	if (ts_is_selected(selection_of(m), tile))
		ts_tile_set_flip(&c.set, tile);
	else
		take_place(&c, i);
	return end_change(&c);
}

/* Whole columns, from where it began to the cursor. */
void
memory_range(const struct memory_view *m, int64_t *from, int64_t *to)
{
	int64_t begun = memory_position(m, m->range_from), unused;
	int64_t a = ts_min_i64(begun, m->span.cursor), b = ts_max_i64(begun, m->span.cursor);
	int column;

	*from = a;
	*to = b + 1;
	if (!m->plot.several)
		return;
	column = ts_span_column(&m->span, a);
	if (column >= 0)
		ts_span_bucket(&m->span, column, from, &unused);
	column = ts_span_column(&m->span, b);
	if (column >= 0)
		ts_span_bucket(&m->span, column, &unused, to);
}

int64_t
memory_range_tiles(const struct memory_view *m)
{
	int64_t from, to, n = 0;

	if (m->range_from < 0 || m->range_from >= m->tiles->n)
		return 0;
	if (!m->map.shown) {
		memory_range(m, &from, &to);
		return to - from;
	}
	for (int64_t i = 0; i < m->tiles->n; i++)
		n += memory_map_in_range(m, i);
	return n;
}

enum ts_effect
memory_mark_range(struct memory_view *m, const struct ts_call *call)
{
	struct change c;
	int64_t from, to;

	(void)call;
	if (m->range_from < 0 || m->range_from >= m->tiles->n) {
		m->range_from = memory_at(m);
		ts_view_say(m->view.env,
			"a range begins here: move, then v marks it, Esc does not");
		return TS_EFFECT_REPAINT;
	}
	if (!begin_change(&c, m))
		return TS_EFFECT_BELL;
	if (m->map.shown) { /* what the map shows between the two corners */
		for (int64_t i = 0; i < m->tiles->n; i++)
			if (memory_map_in_range(m, i))
				take_place(&c, i);
	} else {
		memory_range(m, &from, &to);
		for (; from < to; from++)
			take_place(&c, m->axis.place ? m->axis.place[from] : from);
	}
	m->range_from = -1;
	return end_change(&c);
}

enum ts_effect
memory_no_marks(struct memory_view *m, const struct ts_call *call)
{
	(void)call;
	if (m->range_from >= 0)
		m->range_from = -1;
	else if (selection_of(m)->tiles.count > 0)
		ts_select_no_tiles(selection_of(m));
	else if (m->hits.count > 0 || m->hits.sent)
		memory_hits_drop(m);
	else
		return TS_EFFECT_NONE;
	return TS_EFFECT_REPAINT | TS_EFFECT_RECALC;
}

/* Positions of the first and of the last that are selected. */
static void
find_ends(const struct memory_view *m, int64_t *first, int64_t *last)
{
	const struct ts_selected_tiles *set = &selection_of(m)->tiles;

	*first = m->selected.first;
	*last = m->selected.last;
	if (!m->axis.place)
		return;
	*first = *last = memory_position(m, *first);
	for (int64_t i = m->selected.first; i <= m->selected.last; i++)
		if (ts_tile_set_has(&set->set, m->tiles->tiles.tile[i].tile)) {
			*first = ts_min_i64(*first, m->axis.position[i]);
			*last = ts_max_i64(*last, m->axis.position[i]);
		}
}

enum ts_effect
memory_fit_marks(struct memory_view *m, const struct ts_call *call)
{
	int64_t first, last;

	(void)call;
	memory_sum_selected(m);
	if (m->selected.tiles == 0) {
		ts_view_say_error(m->view.env,
			"no tiles are selected (m marks one, :tiles several)");
		return TS_EFFECT_BELL;
	}
	find_ends(m, &first, &last);
	ts_span_show(&m->span, first, last + 1);
	if (m->span.cursor < first || m->span.cursor > last)
		ts_span_go(&m->span, memory_position(m, m->selected.fullest));
	return TS_EFFECT_REPAINT | TS_EFFECT_SELECT;
}

/* --- words ------------------------------------------------------------------------------------ */

void
memory_selected_title(const struct memory_view *m, char *out, size_t size)
{
	const struct memory_selected *s = &m->selected;
	char n[TS_FMT_MAX], bytes[TS_FMT_MAX];

	if (s->known == 0 || s->bytes == TS_UNKNOWN)
		snprintf(out, size, "selected %s tile%s", ts_fmt_count(n, s->tiles),
			s->tiles == 1 ? "" : "s");
	else
		snprintf(out, size, "selected %s tile%s, %s", ts_fmt_count(n, s->tiles),
			s->tiles == 1 ? "" : "s", ts_fmt_bytes(bytes, s->bytes, memory_units(m)));
}

static void
tile_piece(const struct memory_view *m, struct ts_strbuf *out, const char *what, int64_t i)
{
	char bytes[TS_FMT_MAX];

	ts_strbuf_printf(out, "  %s %s (tile %lld)", what,
		ts_fmt_bytes_short(bytes, m->tiles->value[m->gaps][i], memory_units(m)),
		(long long)m->tiles->tiles.tile[i].tile);
}

/* "selected 12 tiles (40-51)  5.1 MiB  mean 435K  least 400K (tile 41)  most 512K (tile 40)  all but ..." */
void
memory_selected_words(const struct memory_view *m, struct ts_strbuf *out)
{
	const struct memory_selected *s = &m->selected;
	const struct memory_tiles *t = m->tiles;
	char text[TS_FMT_MAX], percent[TS_FMT_MAX];
	int64_t limit = t->target.bytes_per_tile;

	if (s->known == 0 || s->bytes == TS_UNKNOWN) {
		ts_strbuf_puts(out, "  bytes not known");
		return;
	}
	ts_strbuf_printf(out, "  mean %s",
		ts_fmt_bytes_short(text, s->bytes / s->known, memory_units(m)));
	if (limit > 0)
		ts_strbuf_printf(out, " %s of a tile",
			ts_fmt_percent(percent, (double)s->bytes,
				(double)limit * (double)s->known));
	tile_piece(m, out, "least", s->emptiest);
	tile_piece(m, out, "most", s->fullest);
	if (s->known < s->tiles)
		ts_strbuf_printf(out, "  %s not known", ts_fmt_count(text, s->tiles - s->known));
}
