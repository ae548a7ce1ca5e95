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

enum { NAME_LEAST = 8, ROOM = 100 };

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
	int64_t i = m->span.cursor, most = t->most_live;

	return most >= 0 && most != i && t->rank[m->gaps][i] == 0 && t->live[0][i] != TS_UNKNOWN &&
			t->live[1][i] != TS_UNKNOWN &&
			memory_live_at_once(t, i) < memory_live_at_once(t, most)
		? most
		: -1;
}

static void
live_text(const struct memory_view *m, char *out, size_t size)
{
	int64_t more = memory_more_live(m);
	char a[TS_FMT_MAX], b[TS_FMT_MAX];

	out[0] = '\0';
	if (more < 0)
		return;
	ts_fmt_bytes_short(a, memory_live_at_once(m->tiles, m->span.cursor), memory_units(m));
	ts_fmt_bytes_short(b, memory_live_at_once(m->tiles, more), memory_units(m));
	if (m->area.w >= ROOM)
		snprintf(out, size, "  less is live at once (%s) than on tile %lld (%s)", a,
			(long long)m->tiles->tiles.tile[more].tile, b);
	else
		snprintf(out, size, "  live %s < %s on %lld", a, b,
			(long long)m->tiles->tiles.tile[more].tile);
}

/* The name has what the others leave, from its end. */
static void
draw_largest(struct memory_readout *o, const struct memory_view *m, int behind)
{
	const struct ts_tile_variable *v = memory_largest_variable(m);
	char bytes[TS_FMT_MAX];
	int w, room;

	if (!v || !v->name)
		return;
	ts_fmt_bytes_short(bytes, v->bytes, memory_units(m));
	memory_piece(o, TS_ROLE_LABEL, "  largest ");
	room = o->r.w - o->x - (int)strlen(bytes) - 1 - behind;
	w = ts_utf8_columns(v->name, strlen(v->name));
	w = w < room ? w : room;
	if (w < NAME_LEAST && room < NAME_LEAST)
		return;
	o->x += ts_canvas_field(o->c, o->r, o->x, 0, w, TS_ROLE_TEXT, v->name, strlen(v->name),
		TS_FIELD_TAIL);
	memory_piece(o, TS_ROLE_VALUE, " %s", bytes);
}

void
memory_draw_why(struct ts_canvas *c, const struct memory_view *m, struct ts_rect row)
{
	struct memory_readout o = {c, row, 0, false};
	int64_t used = m->tiles->value[m->gaps][m->span.cursor], bytes = 0;
	int category = largest_category(m, &bytes);
	char a[TS_FMT_MAX], b[TS_FMT_MAX], live[120];

	live_text(m, live, sizeof(live));
	if (category >= 0) {
		memory_piece(&o, TS_ROLE_LABEL, "mostly ");
		memory_piece(&o, TS_ROLE_TEXT, "%.40s", memory_category_name(m, category));
		memory_piece(&o, TS_ROLE_VALUE, " %s %s",
			ts_fmt_bytes_short(a, bytes, memory_units(m)),
			ts_fmt_percent(b, (double)bytes, (double)used));
	}
	draw_largest(&o, m, (int)strlen(live));
	memory_piece(&o, TS_ROLE_NOTE, "%s", live);
}
