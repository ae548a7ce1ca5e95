/* SPDX-License-Identifier: MIT */
/*
 * memory_why - why the tile under the cursor is as full as it is, in one row: its largest category, its largest
 * variable, and for the fullest tile that another one has more live at once, where that is so. Then it is not what
 * lives together but what lies beside each other that fills it.
 */
#include "config.h"

#include <stdio.h>
#include <string.h>

#include "memory_internal.h"
#include "tilescope/base/utf8.h"
#include "tilescope/view/explain_common.h"

#define LARGEST "  largest "

/* The largest category of the tile; -1: not known, or there is none. */
static int
largest_category(const struct memory_view *m, int64_t *bytes)
{
	for (int i = 0; i < m->rows && m->rows_counted && m->rows_of == memory_tile(m)->tile; i++)
		if (m->row[i].category >= 0) {
			*bytes = m->row[i].bytes;
			return m->row[i].category;
		}
	return -1;
}

/* NULL: not here. */
const struct ts_tile_variable *
memory_largest_variable(const struct memory_view *m)
{
	return m->variables_of == memory_tile(m)->tile && ts_pane_has(&m->variables_state) &&
			m->variables.count > 0
		? &m->variables.variable[0]
		: NULL;
}

int64_t
memory_more_live(const struct memory_view *m)
{
	const struct memory_tiles *t = m->tiles;
	int64_t i = memory_at(m), most = t->most_live;

	return most >= 0 && most != i && t->rank[m->gaps][i] == 0 && t->live[0][i] != TS_UNKNOWN &&
			t->live[1][i] != TS_UNKNOWN &&
			memory_live_at_once(t, i) < memory_live_at_once(t, most)
		? most
		: -1;
}

/* In fewer and fewer words; the last are none. */
enum length { LONG, SHORT, BRIEF, NONE };

static void
live_text(const struct memory_view *m, enum length length, char *out, size_t size)
{
	int64_t more = memory_more_live(m);
	char a[TS_FMT_MAX], b[TS_FMT_MAX];

	out[0] = '\0';
	if (more < 0 || length == NONE)
		return;
	ts_fmt_bytes_short(a, memory_live_at_once(m->tiles, memory_at(m)), memory_units(m));
	ts_fmt_bytes_short(b, memory_live_at_once(m->tiles, more), memory_units(m));
	if (length == LONG)
		snprintf(out, size, "  less is live at once (%s) than on tile %lld (%s)", a,
			(long long)m->tiles->tiles.tile[more].tile, b);
	else if (length == SHORT)
		snprintf(out, size, "  live %s, on %lld %s", a,
			(long long)m->tiles->tiles.tile[more].tile, b);
	else
		snprintf(out, size, "  live %s", a);
}

static void
draw_category(struct memory_readout *o, const struct memory_view *m)
{
	int64_t used = m->tiles->value[m->gaps][memory_at(m)], bytes = 0;
	int category = largest_category(m, &bytes);
	char a[TS_FMT_MAX], b[TS_FMT_MAX];

	if (category < 0)
		return;
	memory_piece(o, TS_ROLE_LABEL, "mostly ");
	memory_piece(o, TS_ROLE_TEXT, "%.40s", memory_category_name(m, category));
	memory_piece(o, TS_ROLE_VALUE, " %s %s", ts_fmt_bytes_short(a, bytes, memory_units(m)),
		ts_fmt_percent(b, (double)bytes, (double)used));
}

/* The name has what the others leave, from its end: they are as long as it has enough. */
static void
draw_largest(struct memory_readout *o, const struct memory_view *m)
{
	static const int enough[] = {[LONG] = 24, [SHORT] = 10, [BRIEF] = 10, [NONE] = 0};
	const struct ts_tile_variable *v = memory_largest_variable(m);
	enum length length = LONG;
	char bytes[TS_FMT_MAX], live[120];
	int w, room;

	w = v && v->name ? ts_utf8_columns(v->name, strlen(v->name)) : 0;
	ts_fmt_bytes_short(bytes, v ? v->bytes : 0, memory_units(m));
	for (;; length++) {
		live_text(m, length, live, sizeof(live));
		room = o->r.w - o->x - (int)strlen(live);
		if (w > 0)
			room -= (int)strlen(LARGEST) + (int)strlen(bytes) + 1;
		if (length == NONE || room >= (w < enough[length] ? w : enough[length]))
			break;
	}
	if (w > 0 && room > 0) {
		memory_piece(o, TS_ROLE_LABEL, LARGEST);
		o->x += ts_canvas_field(o->c, o->r, o->x, 0, w < room ? w : room, TS_ROLE_TEXT,
			v->name, strlen(v->name), TS_FIELD_TAIL);
		memory_piece(o, TS_ROLE_VALUE, " %s", bytes);
	}
	memory_piece(o, TS_ROLE_NOTE, "%s", live);
}

void
memory_draw_why(struct ts_canvas *c, const struct memory_view *m, struct ts_rect row)
{
	struct memory_readout o = {c, row, 0, false};

	draw_category(&o, m);
	draw_largest(&o, m);
}

/* --- what its figures are --------------------------------------------------------------------- */

static void
explain_category(const struct memory_view *m, struct ts_explain *out)
{
	const struct ts_tile *tile = memory_tile(m);
	bool stored = ts_report_has(m->view.env->report, TS_TILE_CATEGORY);
	int64_t bytes = 0;
	int category = largest_category(m, &bytes);
	struct ts_explained *x;

	if (category < 0)
		return;
	x = ts_explain_add(out, "largest category of tile %lld: %s", (long long)tile->tile,
		memory_category_name(m, category));
	ts_explain_bytes(x, bytes, memory_units(m));
	ts_explain_from(x, stored ? TS_KNOWN_RECORDED : TS_KNOWN_DERIVED, "%s",
		stored ? "tile_category.not_overlapped + overlapped"
		       : "lowered_variable.bytes, lowered_variable.category");
	ts_explain_query(x,
		stored ? "SELECT max(b) FROM (SELECT sum(not_overlapped + coalesce(overlapped, 0)) AS b "
			 "FROM tile_category WHERE tile = %lld GROUP BY category_name(category))"
		       : "SELECT max(b) FROM (SELECT sum(bytes) AS b FROM lowered_variable WHERE tile = "
			 "%lld AND category IS NOT NULL GROUP BY category_name(category))",
		(long long)tile->tile);
}

void
memory_explain_why(const struct memory_view *m, struct ts_explain *out)
{
	const struct ts_tile_variable *v = memory_largest_variable(m);
	const struct ts_tile *tile = memory_tile(m);
	int64_t more = memory_more_live(m);
	struct ts_explained *x;

	if (!memory_is_of_tiles(m))
		return;
	explain_category(m, out);
	if (v) {
		x = ts_explain_add(out, "largest variable of tile %lld", (long long)tile->tile);
		ts_explain_bytes(x, v->bytes, memory_units(m));
		ts_explain_from(x, TS_KNOWN_RECORDED, "lowered_variable.bytes");
		ts_explain_formula(x, "%.200s", v->name ? v->name : "its name is not recorded");
		ts_explain_query(x, "SELECT max(bytes) FROM lowered_variable WHERE tile = %lld",
			(long long)tile->tile);
	}
	if (more < 0)
		return;
	x = ts_explain_add(out, "live at once on tile %lld", (long long)tile->tile);
	ts_explain_bytes(x, memory_live_at_once(m->tiles, memory_at(m)), memory_units(m));
	ts_explain_from(x, TS_KNOWN_DERIVED,
		"tile_memory.always_live, tile_memory.not_always_live_peak");
	ts_explain_formula(x, "always live + the most at any step that is not");
	ts_explain_query(x,
		"SELECT always_live + not_always_live_peak FROM tile_memory WHERE tile = %lld",
		(long long)tile->tile);
	x = ts_explain_add(out, "most live at once on any tile: tile %lld",
		(long long)m->tiles->tiles.tile[more].tile);
	ts_explain_bytes(x, memory_live_at_once(m->tiles, more), memory_units(m));
	ts_explain_from(x, TS_KNOWN_DERIVED,
		"tile_memory.always_live, tile_memory.not_always_live_peak");
	ts_explain_query(x, "SELECT max(always_live + not_always_live_peak) FROM tile_memory");
}
