/* SPDX-License-Identifier: MIT */
/*
 * memory_variables - the variables of the tile under the cursor in the Memory view.
 *
 * A tile of a large report has tens of thousands of them, and reading them takes milliseconds: as long
 * as all the rest of a key. Held-down keys go on where they went: when a tile's variables are there
 * those of the tile where the same key would go next are read ahead, by a worker that no screen waits
 * for, and lie on a shelf when the key comes. The shelf also keeps the tiles that were left last, for
 * whoever goes back. A tile that is not on it is read at once, as without it; nothing is read ahead
 * where that takes a pass over other rows.
 *
 * Names that stand in another table are looked up for the rows in sight and half a screen around them;
 * for all only when somebody searches.
 */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "memory_internal.h"
#include "tilescope/base/mem.h"

struct variables_fetch {
	struct ts_fetch fetch;
	int64_t tile;
	int names;    /* that are looked up at once */
	int from, to; /* names: of these variables of the list */
	struct ts_tile_variables variables;
};

static enum ts_code
read_variables(struct ts_fetch *f, struct ts_reader *rd, struct ts_err *err)
{
	struct variables_fetch *vf = (struct variables_fetch *)f;
	struct ts_tile_variables *v = &vf->variables;
	enum ts_code code = ts_tile_variables_list(v, rd, vf->tile, vf->names, &f->job.progress,
		err);

	v->text = 0;
	for (int i = 0; i < v->count; i++)
		v->text += v->variable[i].name ? strlen(v->variable[i].name) + 1 : 0;
	return code;
}

/* The names of those that came without: `variables` has copies of these. */
static enum ts_code
read_names(struct ts_fetch *f, struct ts_reader *rd, struct ts_err *err)
{
	struct variables_fetch *vf = (struct variables_fetch *)f;

	return ts_tile_variables_name(&vf->variables, rd, 0, vf->variables.count, err);
}

static void
fini_variables(struct ts_fetch *f)
{
	ts_tile_variables_fini(&((struct variables_fetch *)f)->variables);
}

/* --- the shelf -------------------------------------------------------------------------------- */

/* Where a tile lies, or -1. */
static int
place_on_shelf(const struct memory_view *m, int64_t tile)
{
	for (int i = 0; i < MEMORY_SHELF; i++)
		if (m->shelf[i].variable && m->shelf[i].tile == tile)
			return i;
	return -1;
}

static struct ts_tile_variables
take_from_shelf(struct memory_view *m, int at)
{
	struct ts_tile_variables v = m->shelf[at];

	memmove(m->shelf + at, m->shelf + at + 1,
		(size_t)(MEMORY_SHELF - 1 - at) * sizeof(m->shelf[0]));
	m->shelf[MEMORY_SHELF - 1] = (struct ts_tile_variables){0};
	return v;
}

/* To the front; what lies there longest falls off. */
static void
put_on_shelf(struct memory_view *m, struct ts_tile_variables *v)
{
	ts_tile_variables_fini(&m->shelf[MEMORY_SHELF - 1]);
	memmove(m->shelf + 1, m->shelf, (MEMORY_SHELF - 1) * sizeof(m->shelf[0]));
	m->shelf[0] = *v;
	*v = (struct ts_tile_variables){0};
}

/* What is shown and what lies on the shelf. */
static void
hold(struct memory_view *m)
{
	int64_t rows = m->variables.count, text = (int64_t)m->variables.text;

	for (int i = 0; i < MEMORY_SHELF; i++) {
		rows += m->shelf[i].count;
		text += (int64_t)m->shelf[i].text;
	}
	ts_window_hold(&m->view, TS_WINDOW_MEMORY, rows,
		rows * (int64_t)sizeof(struct ts_tile_variable) + text);
}

/* What was shown is whole: it may be wanted again. */
static void
put_away(struct memory_view *m)
{
	if (m->variables_of >= 0 && m->variables_were == TS_PANE_READY)
		put_on_shelf(m, &m->variables);
	ts_tile_variables_fini(&m->variables);
	m->variables_of = -1;
}

/* The pane shows these from now on; its state is set. */
static void
show(struct memory_view *m, struct ts_tile_variables *v)
{
	put_away(m);
	m->variables = *v;
	*v = (struct ts_tile_variables){0};
	m->variables_of = ts_pane_has(&m->variables_state) ? m->variables.tile : -1;
	m->variables_were = m->variables_state.state;
	m->names_stopped = false;
	m->names_sent = NULL;
	m->find = 0;
	if (!m->categories)
		m->rows_data = m->data - 1; /* they tell the categories of the tile */
	m->variables_version++;
	memory_order_variables(m);
	ts_list_go(&m->variable_list, 0);
	memory_show_hit(m);
	hold(m);
}

static void
show_from_shelf(struct memory_view *m, int at)
{
	struct ts_tile_variables v = take_from_shelf(m, at);

	m->variables_state = (struct ts_pane_data){.state = TS_PANE_READY};
	show(m, &v);
	memory_update(m);
}

/* --- asking for a tile ------------------------------------------------------------------------ */

static void
are_absent(struct memory_view *m)
{
	m->variables_state = (struct ts_pane_data){.state = TS_PANE_ABSENT,
		.absent = TS_ABSENT_TILE_VARIABLES};
	snprintf(m->variables_state.reason, sizeof(m->variables_state.reason), "%.199s",
		m->view.env->report->binding[TS_LOWERED_VARIABLE].reason);
}

static struct variables_fetch *
new_fetch(const struct memory_view *m, int64_t tile)
{
	struct variables_fetch *f = ts_alloc(1, sizeof(*f));

	if (!f)
		return NULL;
	f->tile = tile;
	f->names = 2 * m->pane[PANE_TABS].h; /* the next page, too */
	f->fetch.read = read_variables;
	f->fetch.fini = fini_variables;
	return f;
}

void
memory_ask_variables(struct memory_view *m, int64_t tile)
{
	const struct ts_report *r = m->view.env->report;
	struct variables_fetch *f;
	int at;

	if (!ts_report_has(r, TS_LOWERED_VARIABLE)) {
		are_absent(m);
		return;
	}
	if (m->variables_wanted == tile)
		return;
	m->variables_wanted = tile;
	m->variables_sent = NULL;
	if (m->variables_of == tile) {
		m->variables_state.state = m->variables_were; /* back before the other came */
		return;
	}
	at = place_on_shelf(m, tile);
	if (at >= 0) {
		show_from_shelf(m, at);
		return;
	}
	f = new_fetch(m, tile);
	if (!f) {
		memory_out_of_memory(&m->variables_state);
		return;
	}
	m->variables_state.state = m->variables_of >= 0 ? TS_PANE_STALE : TS_PANE_LOADING;
	m->variables_sent = &f->fetch;
	ts_fetch_send(&m->view, &f->fetch, FETCH_VARIABLES,
		ts_tile_variables_quick(r, m->view.env->index, tile) ? TS_WORKER_SCREEN
								     : TS_WORKER_BULK,
		"reading variables of a tile");
}

void
memory_variables_indexed(struct memory_view *m)
{
	const struct ts_view_env *env = m->view.env;

	if (!m->variables_sent || !env->report ||
		ts_tile_variables_quick(env->report, NULL, m->variables_wanted) ||
		!ts_tile_variables_quick(env->report, env->index, m->variables_wanted))
		return;
	ts_cancel_set(&m->variables_sent->job.cancel);
	m->variables_wanted = -1;
}

/* --- ahead ------------------------------------------------------------------------------------ */

static void
ask_ahead(struct memory_view *m)
{
	struct variables_fetch *f;
	int64_t tile;

	if (m->ahead < 0 || m->ahead >= m->tiles->n || m->ahead_sent || m->variables_sent ||
		m->variables_of != m->variables_wanted)
		return;
	tile = m->tiles->tiles.tile[m->ahead].tile;
	if (tile == m->variables_of || tile == m->ahead_read - 1 || place_on_shelf(m, tile) >= 0 ||
		!ts_tile_variables_quick(m->view.env->report, m->view.env->index, tile))
		return;
	f = new_fetch(m, tile);
	if (!f)
		return;
	m->ahead_sent = &f->fetch;
	m->ahead_read = tile + 1;
	ts_fetch_send(&m->view, &f->fetch, FETCH_AHEAD, TS_WORKER_BULK, "reading ahead");
}

/* --- names ------------------------------------------------------------------------------------ */

static int
count_unnamed(const struct memory_view *m, int64_t from, int64_t to)
{
	int n = 0;

	for (int64_t i = from; i < to && i < m->variables.count; i++)
		n += m->variables.variable[i].unnamed;
	return n;
}

bool
memory_is_named(const struct memory_view *m)
{
	return m->names_stopped || count_unnamed(m, 0, m->variables.count) == 0;
}

static void
send_names(struct memory_view *m, int64_t from, int64_t to, enum ts_worker_id worker)
{
	struct variables_fetch *f = ts_alloc(1, sizeof(*f));

	if (f)
		f->variables.variable = ts_alloc((size_t)(to - from),
			sizeof(*f->variables.variable));
	if (!f || !f->variables.variable) {
		free(f);
		return;
	}
	f->tile = m->variables_of;
	f->from = (int)from;
	f->to = (int)to;
	f->variables.count = (int)(to - from);
	for (int64_t i = from; i < to; i++) {
		f->variables.variable[i - from].unnamed = m->variables.variable[i].unnamed;
		f->variables.variable[i - from].key = m->variables.variable[i].key;
	}
	f->fetch.read = read_names;
	f->fetch.fini = fini_variables;
	m->names_sent = &f->fetch;
	ts_fetch_send(&m->view, &f->fetch, FETCH_NAMES, worker, "reading names");
}

static void
ask_names(struct memory_view *m)
{
	const struct variables_fetch *sent = (const struct variables_fetch *)m->names_sent;
	bool all = m->find || m->variable_order.row; /* an order or a filter may be of names */
	int64_t first, end, from, to, n = m->variables.count, page;

	if (m->variables_of < 0 || m->variables_of != m->variables_wanted || m->names_stopped)
		return;
	ts_list_window(&m->variable_list, &first, &end);
	page = end - first;
	from = all ? 0 : ts_max_i64(first - page / 2, 0);
	to = all ? n : ts_min_i64(end + page / 2, n);
	if (count_unnamed(m, from, to) == 0 || (sent && sent->from <= from && sent->to >= to))
		return;
	from = all ? from : ts_max_i64(first - page, 0);
	to = all ? to : ts_min_i64(end + page, n);
	send_names(m, from, to,
		all || count_unnamed(m, first, end) > 0 ? TS_WORKER_SCREEN : TS_WORKER_BULK);
}

static void
want_rows(struct memory_view *m)
{
	bool here = m->variables_of >= 0 && m->variables_of == m->variables_wanted;

	if (m->variables_wanted >= 0 && m->variable_list.rows > 0)
		ts_window_want(&m->view, TS_WINDOW_MEMORY, &m->variable_list,
			(uint64_t)m->variables_wanted, 0, here ? m->variable_list.count : 0);
}

void
memory_ask_more(struct memory_view *m)
{
	want_rows(m);
	ask_names(m);
	ask_ahead(m);
}

/* --- answers ---------------------------------------------------------------------------------- */

static enum ts_effect
take_variables(struct memory_view *m, struct variables_fetch *f)
{
	m->variables_sent = NULL;
	if (ts_fetch_in_vain(&f->fetch, m->view.env->generation)) {
		memory_stopped(&m->variables_state);
		return TS_EFFECT_REPAINT;
	}
	ts_pane_result(&m->variables_state, f->fetch.code, &f->fetch.err, f->variables.found > 0);
	show(m, &f->variables);
	return TS_EFFECT_REPAINT;
}

/* What was read ahead may be what is wanted by now. */
static enum ts_effect
take_ahead(struct memory_view *m, struct variables_fetch *f)
{
	m->ahead_sent = NULL;
	if (ts_fetch_in_vain(&f->fetch, m->view.env->generation) || f->fetch.code) {
		m->ahead = -1;
		return TS_EFFECT_NONE;
	}
	put_on_shelf(m, &f->variables);
	hold(m);
	if (m->variables_wanted != f->tile || m->variables_of == f->tile)
		return TS_EFFECT_NONE;
	if (m->variables_sent)
		ts_cancel_set(&m->variables_sent->job.cancel);
	m->variables_sent = NULL;
	show_from_shelf(m, 0);
	return TS_EFFECT_REPAINT;
}

/* When somebody stopped it they are not asked for again. */
static enum ts_effect
take_names(struct memory_view *m, struct variables_fetch *f)
{
	int64_t first, end;
	bool seen = false;

	m->names_sent = NULL;
	ts_list_window(&m->variable_list, &first, &end);
	m->names_stopped = ts_fetch_in_vain(&f->fetch, m->view.env->generation);
	for (int i = f->from; !m->names_stopped && i < f->to && f->tile == m->variables_of; i++) {
		struct ts_tile_variable *from = &f->variables.variable[i - f->from];
		struct ts_tile_variable *to = &m->variables.variable[i];

		if (!to->unnamed)
			continue;
		to->name = from->name;
		to->unnamed = from->unnamed;
		m->variables.text += from->name ? strlen(from->name) + 1 : 0;
		from->name = NULL;
		m->names_stopped |= to->unnamed; /* they could not be read */
		seen |= m->variable_order.row || (i >= first && i < end);
	}
	if (seen && m->variable_order.row) {
		m->variables_version++;
		memory_order_variables(m);
	}
	if (m->find && memory_is_named(m))
		return memory_find(m);
	return seen ? TS_EFFECT_REPAINT : TS_EFFECT_NONE;
}

enum ts_effect
memory_take_variables(struct memory_view *m, struct ts_fetch *f)
{
	if (f == m->variables_sent)
		return take_variables(m, (struct variables_fetch *)f);
	if (f == m->ahead_sent)
		return take_ahead(m, (struct variables_fetch *)f);
	if (f == m->names_sent)
		return take_names(m, (struct variables_fetch *)f);
	return TS_EFFECT_NONE;
}

void
memory_drop_variables(struct memory_view *m)
{
	for (int i = 0; i < MEMORY_SHELF; i++)
		ts_tile_variables_fini(&m->shelf[i]);
	ts_tile_variables_fini(&m->variables);
	hold(m);
	m->variables_sent = m->ahead_sent = m->names_sent = NULL;
	m->ahead_read = 0;
	m->variables_state = (struct ts_pane_data){0};
	m->variables_of = m->variables_wanted = m->ahead = -1;
	m->names_stopped = false;
	m->find = 0;
}

/* --- where one comes from --------------------------------------------------------------------- */

bool
memory_about_variable(const struct memory_view *m, struct ts_debug_about *out)
{
	const struct ts_view_env *env = m->view.env;

	const struct ts_tile_variable *x = memory_variable(m);

	if (!x || m->variables_of != m->variables_wanted ||
		!ts_tile_variables_quick(env->report, env->index, m->variables_of))
		return false;
	*out = (struct ts_debug_about){.relation = TS_LOWERED_VARIABLE,
		.key = m->variables_of,
		.row = x->row,
		.what = "variable"};
	return true;
}
