/* SPDX-License-Identifier: MIT */
/*
 * memory_scope - what the tabs of the Memory view are about: the tiles that are selected, else the one under the cursor.
 */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>

#include "memory_internal.h"
#include "tilescope/base/mem.h"
#include "tilescope/view/explain.h"

struct memory_scope
memory_scope(const struct memory_view *m)
{
	const struct ts_selected_tiles *set = &m->view.env->selection->tiles;
	const struct ts_tile *tile = memory_tile(m);

	if (m->selected.tiles > 0)
		return (struct memory_scope){.tile = -1,
			.count = m->selected.tiles,
			.version = set->version};
	return (struct memory_scope){.tile = tile ? tile->tile : -1};
}

void
memory_object(struct ts_view *v, struct ts_at_cursor *out)
{
	struct memory_view *m = (struct memory_view *)v;
	const struct ts_tile *tile = memory_tile(m);
	struct ts_at_cursor of_tab;

	if (tile) {
		out->tile = tile->tile;
		out->ipu = m->tiles->ipu[memory_at(m)];
	}
	if (m->focus != PANE_TABS)
		return;
	ts_tabs_object(&m->tabs, &of_tab);
	ts_at_cursor_add(out, &of_tab);
}

bool
memory_same_scope(const struct memory_scope *a, const struct memory_scope *b)
{
	return a->tile == b->tile && a->count == b->count && a->version == b->version;
}

void
memory_scope_say(const struct memory_scope *s, char *out, size_t size)
{
	char n[TS_FMT_MAX];

	if (s->count > 0)
		snprintf(out, size, "%s selected tile%s", ts_fmt_count(n, s->count),
			s->count == 1 ? "" : "s");
	else
		snprintf(out, size, "tile %lld", (long long)s->tile);
}

bool
memory_scope_tiles(const struct memory_view *m, const struct memory_scope *s, int64_t **tiles,
	size_t *n)
{
	const struct ts_tile_set *set = &m->view.env->selection->tiles.set;
	const struct memory_tiles *t = m->tiles;

	*n = 0;
	*tiles = ts_alloc(s->count > 0 ? (size_t)t->n : 1, sizeof(**tiles));
	if (!*tiles)
		return false;
	if (s->count == 0)
		(*tiles)[(*n)++] = s->tile;
	for (int64_t i = 0; s->count > 0 && i < t->n; i++)
		if (ts_tile_set_has(set, t->tiles.tile[i].tile))
			(*tiles)[(*n)++] = t->tiles.tile[i].tile;
	return true;
}

int64_t
memory_scope_bytes(const struct memory_view *m, const struct memory_scope *s)
{
	struct memory_scope now = memory_scope(m);
	ptrdiff_t at;

	if (s->count > 0)
		return memory_same_scope(s, &now) ? m->selected.bytes : TS_UNKNOWN;
	at = m->tiles ? ts_tiles_find(&m->tiles->tiles, s->tile) : -1;
	return at >= 0 ? m->tiles->value[m->gaps][at] : TS_UNKNOWN;
}

struct memory_whole
memory_scope_whole(const struct memory_view *m, const struct memory_scope *s)
{
	struct memory_whole whole = {memory_scope_bytes(m, s), 0};
	ptrdiff_t at = m->tiles && s->count == 0 ? ts_tiles_find(&m->tiles->tiles, s->tile) : -1;

	if (whole.bytes >= 0 && s->count > 0)
		whole.gaps = m->selected.gap_bytes;
	else if (whole.bytes >= 0 && at >= 0 && m->tiles->value[0][at] >= 0)
		whole.gaps = whole.bytes - m->tiles->value[0][at];
	return whole;
}

bool
memory_scope_sql(const struct memory_view *m, const struct memory_scope *s,
	struct memory_scope_sql *out, const char **why)
{
	const struct ts_selected_tiles *set = &m->view.env->selection->tiles;
	char text[TS_TILE_SET_TEXT];

	*out = (struct memory_scope_sql){.tile = "s.tile"};
	*why = NULL;
	if (s->count == 0) {
		snprintf(out->tile, sizeof(out->tile), "%lld", (long long)s->tile);
		snprintf(out->where, sizeof(out->where), "tile = %lld", (long long)s->tile);
		return true;
	}
	if (s->version != set->version)
		*why = "of tiles that are not selected any more";
	else if (!set->text[0] || !ts_explain_quote(text, sizeof(text), set->text))
		*why = "so many tiles that they do not fit into a query";
	else {
		/* DISTINCT: the set is worked out once, not for each row of the relation */
		snprintf(out->join, sizeof(out->join),
			" CROSS JOIN (SELECT DISTINCT tile FROM tiles(%s)) s", text);
		snprintf(out->where, sizeof(out->where), "tile IN (SELECT tile FROM tiles(%s))",
			text);
	}
	return !*why;
}

void *
memory_scope_fetch_new(const struct memory_view *m, const struct memory_scope *scope, size_t size)
{
	struct memory_scope_fetch *f = ts_alloc(1, size);

	if (!f || !memory_scope_tiles(m, scope, &f->tile, &f->n)) {
		free(f);
		return NULL;
	}
	f->scope = *scope;
	return f;
}

/* --- what was asked about one --------------------------------------------------------------------- */

bool
memory_asked_needs(struct memory_asked *a, const struct memory_scope *scope)
{
	if (a->asked && memory_same_scope(&a->wanted, scope))
		return false;
	a->asked = true;
	a->wanted = *scope;
	a->sent = NULL;
	if (!a->here || !memory_same_scope(&a->of, scope))
		return true;
	a->state.state = a->were; /* back before the other came */
	return false;
}

void
memory_asked_sent(struct memory_asked *a, struct ts_fetch *f)
{
	a->sent = f;
	if (f)
		a->state.state = a->here ? TS_PANE_STALE : TS_PANE_LOADING;
	else
		memory_out_of_memory(&a->state);
}

bool
memory_asked_take(struct memory_asked *a, const struct ts_view *v, struct ts_fetch *f,
	const struct memory_scope *scope, enum ts_absent absent, bool some)
{
	a->sent = NULL;
	if (ts_fetch_in_vain(f, v->env->generation)) {
		memory_stopped(&a->state);
		return false;
	}
	ts_pane_result(&a->state, f->code, &f->err, some);
	a->state.absent = absent;
	a->were = a->state.state;
	a->here = ts_pane_has(&a->state);
	a->of = *scope;
	return true;
}

void
memory_asked_drop(struct memory_asked *a)
{
	*a = (struct memory_asked){.asked = false};
}
