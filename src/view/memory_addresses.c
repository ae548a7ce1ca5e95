/* SPDX-License-Identifier: MIT */
/*
 * memory_addresses - the tab Address map of the Memory view: which variable stands where on the tile under the cursor.
 *
 * A row for each memory element (where they are recorded), the variables by address in it. The cursor is an address, at
 * first that of the largest variable; below the rows it is said what stands there. `+` divides the rows, `w` walks the
 * gaps from the largest down, `a` the variables, `/` finds one, Enter shows it in Variables.
 */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "memory_addresses.h"
#include "tilescope/base/mem.h"
#include "tilescope/base/utf8.h"

enum { ZOOM_MOST = 12, ROW_LEAST = 64 };

static struct memory_view *
memory_of(const struct ts_tab *t)
{
	return t->host;
}

static struct address_tab *
tab_of(const struct ts_tab *t)
{
	return t->own;
}

/* --- rows ------------------------------------------------------------------------------------- */

/* i of n parts of `bytes`, without overflow. */
static int64_t
part_at(int64_t bytes, int64_t n, int64_t i)
{
	return bytes / n * i + bytes % n * i / n;
}

struct address_row
memory_address_row(const struct address_tab *s, int64_t i)
{
	size_t element = (size_t)(i >> s->zoom);
	int64_t parts = (int64_t)1 << s->zoom, k = i & (parts - 1);
	const struct ts_address_element *e = &s->a.element[element];

	return (struct address_row){e->offset + part_at(e->bytes, parts, k),
		e->offset + part_at(e->bytes, parts, k + 1), element};
}

int
memory_address_columns(const struct address_row *row, int w)
{
	return (int)ts_clamp_i64(row->to - row->from, 1, w > 1 ? w : 1);
}

void
memory_address_cell(const struct address_row *row, int columns, int i, int64_t *from, int64_t *to)
{
	*from = row->from + part_at(row->to - row->from, columns, i);
	*to = row->from + part_at(row->to - row->from, columns, i + 1);
}

static int64_t
row_count(const struct address_tab *s)
{
	return s->here ? (int64_t)s->a.elements << s->zoom : 0;
}

/* The row that has the address, else the last that begins before it. */
static int64_t
row_of(const struct address_tab *s, int64_t address)
{
	int64_t low = 0, high = row_count(s);

	while (low < high) {
		int64_t middle = low + (high - low) / 2;

		if (memory_address_row(s, middle).from <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low > 0 ? low - 1 : 0;
}

static int
width_of(const struct ts_tab *t)
{
	return t->r.w - ADDRESS_LABEL;
}

static int
column_of(const struct ts_tab *t, const struct address_row *row, int64_t address)
{
	int n = memory_address_columns(row, width_of(t)), low = 0, high = n;

	while (low + 1 < high) {
		int middle = low + (high - low) / 2;
		int64_t from, to;

		memory_address_cell(row, n, middle, &from, &to);
		if (from <= address)
			low = middle;
		else
			high = middle;
	}
	return low;
}

/* Put the cursor on an address. */
static enum ts_effect
go(struct address_tab *s, int64_t address)
{
	if (row_count(s) == 0)
		return TS_EFFECT_BELL;
	s->at = address;
	s->moved = true;
	ts_list_jump(&s->list, row_of(s, address));
	return TS_EFFECT_REPAINT;
}

void
memory_addresses_go(struct ts_tab *t, int64_t address)
{
	tab_of(t)->at = address; /* also for what is yet to come */
	tab_of(t)->moved = true;
	go(tab_of(t), address);
}

/* Does variable x stand in front of y, where the largest is first? Of equals the one with the lower address. */
static bool
is_larger(const struct ts_tile_addresses *a, int32_t x, int32_t y)
{
	const struct ts_address_variable *v = &a->variable[x], *w = &a->variable[y];

	if (v->bytes != w->bytes)
		return v->bytes > w->bytes;
	return v->offset != w->offset ? v->offset < w->offset : x < y;
}

/* The largest variable that is smaller than v (v < 0: the largest of all), or the smallest larger one; -1 = none. */
static int32_t
next_in_size(const struct ts_tile_addresses *a, int32_t v, int step)
{
	int32_t best = -1;

	for (int32_t i = 0; i < (int32_t)a->count; i++) {
		if (i == v || a->variable[i].bytes <= 0 ||
			(v >= 0 && is_larger(a, v, i) != (step > 0)))
			continue;
		if (best < 0 || is_larger(a, i, best) == (step > 0))
			best = i;
	}
	return best;
}

/* --- asking ----------------------------------------------------------------------------------- */

struct address_fetch {
	struct ts_fetch fetch;
	int64_t tile, limit;
	struct ts_tile_addresses a;
};

static enum ts_code
read_addresses(struct ts_fetch *f, struct ts_reader *rd, struct ts_err *err)
{
	struct address_fetch *a = (struct address_fetch *)f;

	return ts_tile_addresses_read(&a->a, rd, a->tile, a->limit, &f->job.progress, err);
}

static void
fini_addresses(struct ts_fetch *f)
{
	ts_tile_addresses_fini(&((struct address_fetch *)f)->a);
}

static void
addresses_request(struct ts_tab *t)
{
	struct memory_view *m = memory_of(t);
	struct address_tab *s = tab_of(t);
	const struct ts_view_env *env = t->view->env;
	int64_t tile = memory_tile(m)->tile;
	struct address_fetch *f;

	/* who put the cursor on a row means its first address */
	if (row_count(s) > 0 && row_of(s, s->at) != s->list.cursor)
		s->at = memory_address_row(s, s->list.cursor).from;
	if (s->wanted == tile)
		return;
	s->wanted = tile;
	s->sent = NULL;
	if (s->here && s->a.tile == tile) {
		s->state.state = s->were; /* back before the other came */
		return;
	}
	f = ts_alloc(1, sizeof(*f));
	if (!f) {
		memory_out_of_memory(&s->state);
		return;
	}
	f->tile = tile;
	f->limit = m->tiles->target.bytes_per_tile;
	f->fetch.read = read_addresses;
	f->fetch.fini = fini_addresses;
	s->state.state = s->here ? TS_PANE_STALE : TS_PANE_LOADING;
	s->sent = &f->fetch;
	ts_fetch_send(t->view, &f->fetch, t->kind,
		ts_tile_variables_quick(env->report, env->index, tile) ? TS_WORKER_SCREEN
								       : TS_WORKER_BULK,
		"reading addresses of a tile");
}

static enum ts_effect
addresses_deliver(struct ts_tab *t, struct ts_fetch *f)
{
	struct address_tab *s = tab_of(t);
	struct address_fetch *a = (struct address_fetch *)f;

	if (f != s->sent)
		return TS_EFFECT_NONE;
	s->sent = NULL;
	if (ts_fetch_in_vain(f, t->view->env->generation)) {
		memory_stopped(&s->state);
		return TS_EFFECT_REPAINT;
	}
	ts_pane_result(&s->state, f->code, &f->err, a->a.elements > 0);
	s->state.absent = TS_ABSENT_OFFSETS;
	s->were = s->state.state;
	ts_tile_addresses_fini(&s->a);
	s->a = a->a;
	a->a = (struct ts_tile_addresses){0};
	s->here = ts_pane_has(&s->state);
	s->walk = s->walked = -1;
	ts_list_set_count(&s->list, row_count(s));
	if (!s->moved && next_in_size(&s->a, -1, 1) >= 0)
		s->at = s->a.variable[next_in_size(&s->a, -1, 1)].offset;
	if (row_count(s) > 0) /* the same address, for who compares tiles */
		ts_list_jump(&s->list, row_of(s, s->at));
	return TS_EFFECT_REPAINT;
}

/* --- life ------------------------------------------------------------------------------------- */

static bool
addresses_open(struct ts_tab *t)
{
	struct address_tab *s = ts_alloc(1, sizeof(*s));

	if (!s)
		return false;
	s->wanted = s->walk = s->walked = -1;
	ts_list_init(&s->list);
	t->own = s;
	return true;
}

static void
addresses_drop(struct ts_tab *t)
{
	struct address_tab *s = tab_of(t);

	ts_tile_addresses_fini(&s->a);
	s->here = false;
	s->sent = NULL;
	s->wanted = s->walk = s->walked = -1;
	s->state = (struct ts_pane_data){0};
	ts_list_set_count(&s->list, 0);
}

static void
addresses_close(struct ts_tab *t)
{
	if (!t->own)
		return;
	addresses_drop(t);
	free(t->own);
	t->own = NULL;
}

/* --- commands --------------------------------------------------------------------------------- */

/* From cell to cell, over the ends of rows. */
static enum ts_effect
go_columns(struct ts_tab *t, int step)
{
	struct address_tab *s = tab_of(t);
	int64_t i = s->list.cursor, from, to;
	struct address_row row = memory_address_row(s, i);
	int n = memory_address_columns(&row, width_of(t)),
	    column = column_of(t, &row, s->at) + step;

	if (column < 0 || column >= n) {
		i += step < 0 ? -1 : 1;
		if (i < 0 || i >= row_count(s))
			return TS_EFFECT_BELL;
		row = memory_address_row(s, i);
		n = memory_address_columns(&row, width_of(t));
		column = step < 0 ? n - 1 : 0;
	}
	memory_address_cell(&row, n, column, &from, &to);
	ts_list_go(&s->list, i);
	s->at = from;
	s->moved = true;
	return TS_EFFECT_REPAINT;
}

/* Rows up and down: in the same column. */
static enum ts_effect
go_rows(struct ts_tab *t, enum ts_cmd cmd)
{
	struct address_tab *s = tab_of(t);
	struct address_row row = memory_address_row(s, s->list.cursor);
	int column = column_of(t, &row, s->at), n;
	enum ts_effect effect = ts_list_command(&s->list, cmd);
	int64_t from, to;

	if (effect & (TS_EFFECT_UNKNOWN | TS_EFFECT_BELL))
		return effect;
	row = memory_address_row(s, s->list.cursor);
	n = memory_address_columns(&row, width_of(t));
	memory_address_cell(&row, n, column < n ? column : n - 1, &from, &to);
	s->at = from;
	s->moved = true;
	return TS_EFFECT_REPAINT;
}

static enum ts_effect
zoom(struct address_tab *s, int to)
{
	int64_t largest = 0;

	for (size_t i = 0; i < s->a.elements; i++)
		largest = ts_max_i64(largest, s->a.element[i].bytes);
	if (to < 0 || to > ZOOM_MOST || (to > s->zoom && largest >> to < ROW_LEAST))
		return TS_EFFECT_BELL;
	s->zoom = to;
	ts_list_set_count(&s->list, row_count(s));
	return go(s, s->at);
}

/* Gaps from the largest down: the next behind the one with `bytes` at `at`; -1: none. */
static ptrdiff_t
gap_after(const struct ts_address_map *m, int64_t bytes, int64_t at, int step)
{
	ptrdiff_t best = -1;

	for (size_t i = 0; i < m->count; i++) {
		const struct ts_address_piece *p = &m->piece[i],
					      *b = best < 0 ? NULL : &m->piece[best];
		int64_t n = p->to - p->from;
		bool behind = n < bytes || (n == bytes && p->from > at);
		bool before = n > bytes || (n == bytes && p->from < at);

		if (p->kind != TS_ADDRESS_GAP || !(step > 0 ? behind : before))
			continue;
		if (!b ||
			(step > 0 ? n > b->to - b->from
				  : n < b->to - b->from ||
						(n == b->to - b->from && p->from > b->from)))
			best = (ptrdiff_t)i;
	}
	return best;
}

static enum ts_effect
walk_gaps(struct ts_tab *t, int step)
{
	struct address_tab *s = tab_of(t);
	ptrdiff_t at = ts_address_map_find(&s->a.map, s->at), next;
	const struct ts_address_piece *p = at >= 0 ? &s->a.map.piece[at] : NULL;
	bool on_gap = p && p->kind == TS_ADDRESS_GAP && p->from == s->walk;
	char n[TS_FMT_MAX];

	next = on_gap ? gap_after(&s->a.map, p->to - p->from, p->from, step)
		      : gap_after(&s->a.map, INT64_MAX, -1, 1);
	if (next < 0) {
		ts_view_say(t->view->env,
			s->a.map.gap_count == 0 ? "there are no gaps between variables"
						: "no more gaps");
		return TS_EFFECT_BELL;
	}
	s->walk = s->a.map.piece[next].from;
	ts_view_say(t->view->env, "gaps from the largest down, of %s",
		ts_fmt_count(n, s->a.map.gap_count));
	return go(s, s->walk);
}

/* A walk begins at the largest variable; on it already, at the next. */
static enum ts_effect
walk_variables(struct ts_tab *t, int step)
{
	struct address_tab *s = tab_of(t);
	const struct ts_tile_addresses *a = &s->a;
	int32_t v = s->walked, first = next_in_size(a, -1, 1);

	if (v < 0 || a->variable[v].offset != s->at)
		v = first >= 0 && a->variable[first].offset == s->at ? first : -1;
	if (v >= 0 || step > 0)
		v = next_in_size(a, v, step);
	if (v < 0) {
		ts_view_say(t->view->env,
			first < 0	   ? "no variable of this tile has an address"
				: step > 0 ? "no smaller variable"
					   : "no larger variable");
		return TS_EFFECT_BELL;
	}
	s->walked = v;
	ts_view_say(t->view->env, "variables from the largest down");
	return go(s, a->variable[v].offset);
}

/* --- search ----------------------------------------------------------------------------------- */

/* The next piece behind the cursor (before it) whose variable has this in its name. */
static enum ts_effect
find(struct ts_tab *t, int step, bool from_here)
{
	struct memory_view *m = memory_of(t);
	struct address_tab *s = tab_of(t);
	ptrdiff_t n = (ptrdiff_t)s->a.map.count, at = ts_address_map_find(&s->a.map, s->at);

	at = at < 0 ? 0 : at;
	for (ptrdiff_t i = from_here ? 0 : 1; n > 0 && m->search[0] && i <= n; i++) {
		const struct ts_address_piece *p = &s->a.map.piece[((at + step * i) % n + n) % n];

		if (p->kind <= TS_ADDRESS_OVERLAP &&
			ts_contains_nocase(ts_address_name(&s->a, p->variable), m->search))
			return go(s, p->from);
	}
	ts_view_say_error(t->view->env,
		m->search[0] ? "no variable here has \"%.60s\" in its name"
			     : "nothing was searched for",
		m->search);
	return TS_EFFECT_BELL;
}

static enum ts_effect
search(struct ts_tab *t, const struct ts_call *call)
{
	if (!memory_take_search(memory_of(t), call))
		return TS_EFFECT_UNKNOWN; /* the program asks for it */
	return find(t, call->cmd == TS_CMD_SEARCH ? 1 : -1, true);
}

/* --- the rest --------------------------------------------------------------------------------- */

static int32_t
variable_at(const struct address_tab *s)
{
	ptrdiff_t at = s->here ? ts_address_map_find(&s->a.map, s->at) : -1;

	return at >= 0 && s->a.map.piece[at].kind != TS_ADDRESS_FREE ? s->a.map.piece[at].variable
								     : -1;
}

static enum ts_effect
show_variable(struct ts_tab *t)
{
	struct address_tab *s = tab_of(t);
	int32_t v = variable_at(s);

	if (v < 0) {
		ts_view_say(t->view->env, "there is no variable at this address");
		return TS_EFFECT_BELL;
	}
	return memory_show_variable(memory_of(t), s->a.tile, s->a.name[v].row);
}

static enum ts_effect
copy(struct ts_tab *t)
{
	struct address_tab *s = tab_of(t);
	int32_t v = variable_at(s);

	snprintf(t->view->env->copy, sizeof(t->view->env->copy), "%lld\t0x%llx\t%.800s",
		(long long)s->a.tile, (unsigned long long)s->at, ts_address_name(&s->a, v));
	return TS_EFFECT_REPAINT;
}

static enum ts_effect
addresses_command(struct ts_tab *t, const struct ts_call *call)
{
	struct address_tab *s = tab_of(t);

	if (row_count(s) == 0)
		return TS_EFFECT_UNKNOWN;
	switch (call->cmd) {
	case TS_CMD_LARGEST:
	case TS_CMD_LARGEST_BACK:
		return walk_variables(t, call->cmd == TS_CMD_LARGEST ? 1 : -1);
	case TS_CMD_LEFT:
	case TS_CMD_RIGHT:
		return go_columns(t, call->cmd == TS_CMD_RIGHT ? 1 : -1);
	case TS_CMD_ZOOM_IN:
	case TS_CMD_ZOOM_OUT:
		return zoom(s, s->zoom + (call->cmd == TS_CMD_ZOOM_IN ? 1 : -1));
	case TS_CMD_ZOOM_FIT:
		return zoom(s, 0);
	case TS_CMD_FULLEST:
	case TS_CMD_FULLEST_BACK:
		return walk_gaps(t, call->cmd == TS_CMD_FULLEST ? 1 : -1);
	case TS_CMD_SEARCH:
	case TS_CMD_SEARCH_BACK:
		return search(t, call);
	case TS_CMD_SEARCH_NEXT:
	case TS_CMD_SEARCH_PREVIOUS:
		return find(t, call->cmd == TS_CMD_SEARCH_NEXT ? 1 : -1, false);
	case TS_CMD_OPEN:
		return show_variable(t);
	case TS_CMD_COPY:
		return copy(t);
	case TS_CMD_FIRST:
		return go(s, s->a.element[0].offset);
	default:
		return go_rows(t, call->cmd);
	}
}

static enum ts_effect
addresses_mouse(struct ts_tab *t, int x, int y, int wheel)
{
	struct address_tab *s = tab_of(t);
	int64_t i = ts_list_at(&s->list, y - t->r.y), from, to;
	struct address_row row;
	int n, column = x - t->r.x - ADDRESS_LABEL;

	if (row_count(s) == 0)
		return TS_EFFECT_NONE;
	if (wheel)
		return go_rows(t, wheel < 0 ? TS_CMD_UP : TS_CMD_DOWN);
	if (i < 0 || column < 0)
		return TS_EFFECT_NONE;
	row = memory_address_row(s, i);
	n = memory_address_columns(&row, width_of(t));
	memory_address_cell(&row, n, column < n ? column : n - 1, &from, &to);
	ts_list_go(&s->list, i);
	s->at = from;
	s->moved = true;
	return TS_EFFECT_REPAINT;
}

static bool
addresses_hidden(const struct ts_tab *t)
{
	return memory_only_code(memory_of(t));
}

static bool
addresses_absent(const struct ts_tab *t)
{
	return t->view->env->report && !ts_tile_addresses_recorded(t->view->env->report);
}

/* The last row says what is under the cursor, the one above it what the fills are. */
static void
addresses_resize(struct ts_tab *t)
{
	ts_list_resize(&tab_of(t)->list, t->r.h - (t->r.h >= ADDRESS_LEGEND ? 2 : 1));
}

static bool
addresses_about(const struct ts_tab *t, struct ts_debug_about *out)
{
	const struct address_tab *s = tab_of(t);
	const struct ts_view_env *env = t->view->env;
	int32_t v = variable_at(s);

	if (v < 0 || !ts_tile_variables_quick(env->report, env->index, s->a.tile))
		return false;
	*out = (struct ts_debug_about){.relation = TS_LOWERED_VARIABLE,
		.key = s->a.tile,
		.row = s->a.name[v].row,
		.what = "variable"};
	return true;
}

static struct ts_list *
addresses_list(struct ts_tab *t, bool *there)
{
	struct address_tab *s = tab_of(t);
	const struct ts_tile *tile = memory_tile(memory_of(t));

	*there = s->here && tile && s->a.tile == tile->tile;
	return &s->list;
}

static const struct ts_hint hints[] = {
	{TS_CMD_LARGEST, "largest"},
	{TS_CMD_FULLEST, "gaps"},
	{TS_CMD_ZOOM_IN, "zoom"},
	{TS_CMD_OPEN, "variable"},
	{TS_CMD_COUNT, NULL},
};

const struct ts_tab_ops memory_tab_addresses = {
	.name = "addresses",
	.title = "Address map",
	.brief = "Addr",
	.open = addresses_open,
	.close = addresses_close,
	.drop = addresses_drop,
	.hidden = addresses_hidden,
	.absent = addresses_absent,
	.note = memory_addresses_note,
	.resize = addresses_resize,
	.request = addresses_request,
	.deliver = addresses_deliver,
	.draw = memory_addresses_draw,
	.command = addresses_command,
	.mouse = addresses_mouse,
	.about = addresses_about,
	.explain = memory_addresses_explain,
	.sheet = memory_addresses_sheet,
	.chart = memory_addresses_chart,
	.list = addresses_list,
	.hints = hints,
};
