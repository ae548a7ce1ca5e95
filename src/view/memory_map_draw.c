/* SPDX-License-Identifier: MIT */
/*
 * memory_map_draw - the tile map of the Memory view on the canvas: what it shows, its scale, the tiles, and the
 * figures of the tile under the cursor.
 */
#include "config.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "memory_internal.h"
#include "tilescope/base/mem.h"
#include "tilescope/base/utf8.h"

enum { TITLE_WIDE = 120 }; /* columns that the title of any metric has room in */

static const char *
value_text(void *ctx, int64_t v, char out[TS_FMT_MAX])
{
	return memory_value(ctx, out, v, false);
}

static bool
is_marked(void *ctx, int64_t i)
{
	const struct memory_view *m = ctx;

	return ts_is_selected(m->view.env->selection, m->tiles->tiles.tile[i].tile) ||
		memory_map_in_range(m, i);
}

/* "7 of 2,944 over the limit, page 1 of 2", in full or short. */
static void
right_of_title(const struct memory_view *m, bool full, struct ts_strbuf *out)
{
	const struct ts_tile_map *k = &m->map.map;
	int pages = k->level ? ts_floor_pages(&k->seen, &k->floor) : 1;
	char text[160], n[TS_FMT_MAX];

	if (m->selected.tiles > 0) {
		memory_selected_title(m, text, sizeof(text));
		ts_strbuf_puts(out, text);
	}
	if (m->tiles->over > 0) {
		ts_strbuf_printf(out, "%s%s", out->len > 0 ? ", " : "",
			ts_fmt_count(n, (int64_t)m->tiles->over));
		if (full && m->selected.tiles == 0)
			ts_strbuf_printf(out, " of %s", ts_fmt_count(n, m->tiles->n));
		ts_strbuf_puts(out, m->selected.tiles == 0 ? " over the limit" : " over");
	} else if (m->selected.tiles == 0 && full)
		ts_strbuf_printf(out, "%s tile%s", ts_fmt_count(n, m->tiles->n),
			m->tiles->n == 1 ? "" : "s");
	if (pages > 1)
		ts_strbuf_printf(out, full ? "%spage %d of %d" : "%spage %d/%d",
			out->len > 0 ? ", " : "",
			k->seen.first / (k->seen.across * k->seen.down) + 1, pages);
}

static void
draw_title(struct ts_canvas *c, const struct memory_view *m)
{
	enum { AROUND = 9 }; /* columns of the rule that no text has */
	struct ts_rect r = m->pane[PANE_TITLE];
	struct ts_strbuf title, right;
	char text[301];
	int named;

	ts_strbuf_init(&title, 300);
	ts_strbuf_init(&right, 300);
	ts_strbuf_puts(&title, memory_other(m) ? "Tile map: difference of " : "Tile map: ");
	memory_metric_title(m, &title);
	named = (int)title.len;
	ts_strbuf_puts(&title, " (");
	memory_metric_kind(m, &title);
	ts_strbuf_puts(&title,
		!memory_is_of_tiles(m) && !m->values && m->metric_state.state <= TS_PANE_LOADING
			? "; being added up)"
			: ")");
	right_of_title(m, true, &right);
	if ((int)(title.len + right.len) + AROUND > r.w) {
		ts_strbuf_reset(&right);
		right_of_title(m, false, &right);
	}
	if ((int)(title.len + right.len) + AROUND <= r.w)
		named = (int)title.len;
	snprintf(text, sizeof(text), "%.*s", named, title.s);
	ts_canvas_rule(c, r, memory_rule_role(m, PANE_GRAPH), text, right.s);
	ts_strbuf_fini(&title);
	ts_strbuf_fini(&right);
}

/* How it is known stands in the title, if there is room: what else there is to say. */
static const char *
behind_kind(const struct memory_view *m, const char *note)
{
	const char *known = m->values ? ts_metric_known_name(m->values->v.known) : "";
	size_t n = strlen(known);

	if (n == 0 || m->area.w < TITLE_WIDE || strncmp(note, known, n) != 0)
		return note;
	return note[n] == '\0' ? "" : strncmp(note + n, "; ", 2) == 0 ? note + n + 2 : note;
}

/* What has to be said of the figures, and of the order. */
static void
map_note(const struct memory_view *m, struct ts_strbuf *out)
{
	if (!memory_is_of_tiles(m)) {
		char text[200];

		memory_metric_note(m, text, sizeof(text));
		ts_strbuf_puts(out, behind_kind(m, text));
	} else if (m->tiles_state.state == TS_PANE_PARTIAL)
		ts_strbuf_printf(out, "partial: %s", m->tiles_state.reason);
	else if (m->tiles->tiles.bad_rows > 0)
		ts_strbuf_printf(out, "%lld rows left out: bad numbers",
			(long long)m->tiles->tiles.bad_rows);
	if (out->len == 0)
		ts_strbuf_puts(out, memory_identity_note(m));
	if (m->map.physical)
		ts_strbuf_printf(out, "%sphysical order%s", out->len ? "; " : "",
			m->map.map.floor.ranked ? " (ranks)" : "");
}

static void
draw_legend(struct ts_canvas *c, const struct memory_view *m, struct ts_tile_map_marks *k)
{
	struct ts_rect r = m->pane[PANE_LEGEND];
	struct ts_strbuf note;

	if (ts_rect_empty(r))
		return;
	ts_strbuf_init(&note, 300);
	map_note(m, &note);
	if (r.h > 1) {
		k->note = note.s;
		ts_tile_map_side(&m->map.map, c, r, k);
		ts_strbuf_fini(&note);
		return;
	}
	ts_rect_cut_left(&r, ts_tile_map_legend(&m->map.map, c, r, k) + 2);
	if (note.len > 0)
		ts_canvas_field(c, r, 0, 0, r.w, TS_ROLE_NOTE, note.s, note.len,
			TS_FIELD_RIGHT | TS_FIELD_ELLIPSIS);
	ts_strbuf_fini(&note);
}

/* --- read-out --------------------------------------------------------------------------------- */

struct said {
	struct ts_canvas *c;
	struct ts_rect r;
	int x;
	bool cut;
};

/* A word of the line; what has no room is left out, and what is behind it may still have some. */
static void TS_PRINTF(3, 4) say(struct said *s, enum ts_role role, const char *fmt, ...)
{
	char text[200];
	va_list ap;
	int w;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	w = ts_utf8_columns(text, strlen(text));
	s->cut |= s->x + w > s->r.w;
	if (s->x + w > s->r.w)
		return;
	ts_canvas_text(s->c, s->r, s->x, 0, role, text);
	s->x += w;
}

int64_t
memory_fuller_than(const struct memory_view *m, int64_t i)
{
	const int64_t *value = memory_metric_values(m);
	const uint32_t *order = memory_fullest_first(m);
	int64_t low = 0, high = memory_rank(m)[i];

	while (low < high) {
		int64_t middle = low + (high - low) / 2;

		if (value[order[middle]] > value[i])
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* Equals have the same rank; the percentile is the share of the known tiles that have as much or less. */
static void
say_rank(struct said *s, const struct memory_view *m, int64_t i, int64_t known)
{
	int64_t rank = memory_fuller_than(m, i);
	char a[TS_FMT_MAX], b[TS_FMT_MAX];

	say(s, TS_ROLE_LABEL, "  rank %s", ts_fmt_count(a, rank + 1));
	say(s, TS_ROLE_LABEL, " of %s", ts_fmt_count(b, known));
	if (known > 0)
		say(s, TS_ROLE_LABEL, "  percentile %.1f",
			floor(1000.0 * (double)(known - rank) / (double)known) / 10);
}

static enum ts_role
value_role(const struct memory_view *m, int64_t i)
{
	uint8_t level = m->map.shown && m->map.map.level ? m->map.map.level[i] : 0;

	return level == TS_HEAT_OVER ? TS_ROLE_BAD : TS_ROLE_VALUE;
}

void
memory_draw_metric(struct ts_canvas *c, const struct memory_view *m)
{
	const struct memory_tiles *t = m->tiles;
	const int64_t *value = memory_metric_values(m);
	int64_t i = memory_at(m), limit = t->target.bytes_per_tile;
	int64_t v = value ? value[i] : TS_UNKNOWN;
	struct said s = {c, m->pane[PANE_READOUT], 0, false};
	bool of_limit = ts_metric_defs[m->metric.id].of_limit && limit != TS_UNKNOWN;
	bool wide = s.r.w >= 100;
	struct ts_strbuf words;
	char a[TS_FMT_MAX], b[TS_FMT_MAX];

	say(&s, TS_ROLE_LABEL, "tile ");
	say(&s, TS_ROLE_ACCENT, "%lld", (long long)t->tiles.tile[i].tile);
	if (t->ipu[i] != TS_UNKNOWN)
		say(&s, TS_ROLE_LABEL, " ipu %lld", (long long)t->ipu[i]);
	if (m->map.physical && m->map.shown)
		say(&s, TS_ROLE_LABEL, " physical %lld", (long long)t->tiles.tile[i].physical);
	if (!value)
		return;
	if (v == TS_UNKNOWN) {
		say(&s, TS_ROLE_NOTE, "  not known");
		return;
	}
	say(&s, TS_ROLE_LABEL, "  ");
	say(&s, value_role(m, i), "%s", memory_value(m, a, v, wide));
	if (!wide && ts_metric_defs[m->metric.id].unit == TS_UNIT_CYCLES)
		say(&s, TS_ROLE_LABEL, " cycles");
	if (of_limit)
		say(&s, value_role(m, i), " of %s  %s", memory_value(m, a, limit, wide),
			ts_fmt_percent(b, (double)v, (double)limit));
	if (of_limit && t->target.assumed)
		say(&s, TS_ROLE_NOTE, " (limit assumed)");
	ts_strbuf_init(&words, 120);
	memory_difference_words(m, &words);
	say(&s, TS_ROLE_VALUE, "%s", words.s);
	ts_strbuf_fini(&words);
	say_rank(&s, m, i, memory_metric_known(m));
	if (s.cut)
		ts_canvas_cut(c, s.r, s.x, 0, TS_ROLE_LABEL);
}

/* --- all of it -------------------------------------------------------------------------------- */

void
memory_draw_map(struct ts_canvas *c, struct memory_view *m)
{
	struct ts_tile_map_marks k = {.cursor = memory_at(m),
		.is_marked = m->selected.tiles > 0 || m->range_from >= 0 ? is_marked : NULL,
		.text = value_text,
		.ctx = m};

	if (m->map.whole ==
		ts_heat_halves(c)) { /* not known before there is something to draw on */
		m->map.whole = !ts_heat_halves(c);
		memory_layout(m);
		memory_update(m);
	}
	draw_title(c, m);
	if (!memory_is_of_tiles(m) && !m->values) {
		if (m->metric_state.state == TS_PANE_ABSENT)
			ts_canvas_wrap(c, m->pane[PANE_GRAPH], 0, TS_ROLE_TEXT,
				m->metric_state.reason);
		else
			ts_pane_draw(c, m->pane[PANE_GRAPH], m->view.env, &m->metric_state);
	} else {
		draw_legend(c, m, &k);
		ts_tile_map_draw(&m->map.map, c, memory_map_rect(m), &k);
	}
	memory_draw_metric(c, m);
}
