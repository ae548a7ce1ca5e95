/* SPDX-License-Identifier: MIT */
/*
 * memory_data - what the Memory view asks of the report.
 *
 * Three questions, in the order in which they matter: the tiles (one row each, at once), the variables
 * of the tile under the cursor (memory_variables.c), the categories (one pass). Answers are moved out of
 * the fetch, never copied.
 */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "memory_internal.h"
#include "tilescope/base/mem.h"

/* Bytes at most of a section that leaves what it is about to the rows. */
enum { HEAD_ALONE = 1024 };

/* --- tiles ------------------------------------------------------------------------------------ */

struct tiles_fetch {
	struct ts_fetch fetch;
	struct memory_tiles *tiles;
};

static void
free_tiles(struct memory_tiles *t)
{
	if (!t)
		return;
	for (int i = 0; i < 2; i++) {
		free(t->value[i]);
		free(t->order[i]);
		free(t->rank[i]);
		free(t->live[i]);
	}
	free(t->ipu);
	ts_tiles_fini(&t->tiles);
	free(t);
}

static bool
allocate(struct memory_tiles *t)
{
	size_t n = t->tiles.count;
	bool ok = true;

	for (int i = 0; i < 2; i++) {
		t->value[i] = ts_alloc(n, sizeof(int64_t));
		t->order[i] = ts_alloc(n, sizeof(uint32_t));
		t->rank[i] = ts_alloc(n, sizeof(uint32_t));
		t->live[i] = ts_alloc(n, sizeof(int64_t));
		ok = ok && t->value[i] && t->order[i] && t->rank[i] && t->live[i];
	}
	t->ipu = ts_alloc(n, sizeof(int64_t));
	return ok && t->ipu;
}

static void
fill_axis(struct memory_tiles *t)
{
	t->dense = true;
	t->most_live = -1;
	for (int64_t i = 0; i < t->n; i++) {
		const struct ts_tile *tile = &t->tiles.tile[i];

		t->value[0][i] = tile->total;
		t->value[1][i] = ts_tile_used(tile);
		for (int g = 0; g < 2; g++)
			t->top[g] = ts_max_i64(t->top[g], t->value[g][i]);
		t->live[0][i] = tile->always_live;
		t->live[1][i] = tile->not_always_live_peak;
		t->ipu[i] = ts_tile_ipu(tile, &t->target);
		t->has_gaps |= tile->total_gaps != TS_UNKNOWN;
		t->has_live |= tile->always_live != TS_UNKNOWN;
		if (tile->always_live != TS_UNKNOWN && tile->not_always_live_peak != TS_UNKNOWN &&
			(t->most_live < 0 ||
				memory_live_at_once(t, i) > memory_live_at_once(t, t->most_live)))
			t->most_live = i;
		t->dense = t->dense && tile->tile - t->tiles.tile[0].tile == i;
	}
	t->over = ts_tiles_over(&t->tiles, t->target.bytes_per_tile);
}

static bool
rank_tiles(struct memory_tiles *t)
{
	for (int g = 0; g < 2; g++) {
		if (!ts_buckets_order(t->order[g], t->value[g], (uint32_t)t->n))
			return false;
		for (int64_t i = 0; i < t->n; i++)
			t->rank[g][t->order[g][i]] = (uint32_t)i;
	}
	return true;
}

static void
read_target(struct memory_tiles *t, struct ts_reader *rd, int64_t rows)
{
	int64_t ipus = ts_step_ipus(rd->report);
	struct ts_err err = {0};

	if (ts_target_read(&t->target, rd, rows, ipus, &err)) {
		ts_target_assume(&t->target, rows, ipus);
		snprintf(t->target_note, sizeof(t->target_note), "target: %.60s", err.msg);
	}
	if (t->target.bytes_per_tile <= 0)
		t->target.bytes_per_tile = TS_UNKNOWN;
}

static enum ts_code
read_tiles(struct ts_fetch *f, struct ts_reader *rd, struct ts_err *err)
{
	struct tiles_fetch *tf = (struct tiles_fetch *)f;
	struct memory_tiles *t = ts_alloc(1, sizeof(*t));
	enum ts_code code;

	if (!t)
		return ts_err_nomem(err);
	code = ts_tiles_read(&t->tiles, rd, err);
	t->n = (int64_t)t->tiles.count;
	if (code && t->n == 0) {
		free_tiles(t);
		return code;
	}
	read_target(t, rd, code ? 0 : t->tiles.rows);
	if (!allocate(t)) {
		free_tiles(t);
		return ts_err_nomem(err);
	}
	fill_axis(t);
	if (!rank_tiles(t)) {
		free_tiles(t);
		return ts_err_nomem(err);
	}
	tf->tiles = t;
	return code;
}

static void
fini_tiles(struct ts_fetch *f)
{
	free_tiles(((struct tiles_fetch *)f)->tiles);
}

/* --- categories ------------------------------------------------------------------------------- */

struct categories_fetch {
	struct ts_fetch fetch;
	int64_t n;
	int64_t *tile; /* the axis */
	struct memory_categories *categories;
};

static enum ts_code
read_categories(struct ts_fetch *f, struct ts_reader *rd, struct ts_err *err)
{
	struct categories_fetch *cf = (struct categories_fetch *)f;
	struct memory_categories *k = ts_alloc(1, sizeof(*k));
	enum ts_code code, end = TS_OK;

	if (!k)
		return ts_err_nomem(err);
	code = ts_categories_read(&k->c, rd, &f->job.progress, err);
	if (code == TS_OK || (code == TS_E_DAMAGED && k->c.count > 0))
		end = memory_bands_make(k, cf->tile, cf->n, MEMORY_CATEGORIES, false,
			code ? NULL : err);
	k->whole = true;
	if (end || (code && code != TS_E_DAMAGED) || (code && k->c.count == 0)) {
		memory_bands_free(k);
		return end ? end : code;
	}
	cf->categories = k;
	return code;
}

static void
fini_categories(struct ts_fetch *f)
{
	struct categories_fetch *cf = (struct categories_fetch *)f;

	free(cf->tile);
	memory_bands_free(cf->categories);
}

/* --- asking ----------------------------------------------------------------------------------- */

void
memory_out_of_memory(struct ts_pane_data *d)
{
	d->state = TS_PANE_FAILED;
	snprintf(d->reason, sizeof(d->reason), "out of memory");
}

static void
ask_tiles(struct memory_view *m)
{
	struct tiles_fetch *f = ts_alloc(1, sizeof(*f));

	if (!f) {
		memory_out_of_memory(&m->tiles_state);
		return;
	}
	f->fetch.read = read_tiles;
	f->fetch.fini = fini_tiles;
	m->tiles_state.state = TS_PANE_LOADING;
	m->tiles_sent = &f->fetch;
	ts_fetch_send(&m->view, &f->fetch, FETCH_TILES, TS_WORKER_SCREEN, "reading tiles");
}

static void
ask_categories(struct memory_view *m)
{
	struct categories_fetch *f = ts_alloc(1, sizeof(*f));
	size_t size;

	if (f)
		f->tile = ts_alloc((size_t)m->tiles->n, sizeof(*f->tile));
	if (!f || !f->tile) {
		free(f);
		memory_out_of_memory(&m->categories_state);
		return;
	}
	f->n = m->tiles->n;
	for (int64_t i = 0; i < f->n; i++)
		f->tile[i] = m->tiles->tiles.tile[i].tile;
	f->fetch.read = read_categories;
	f->fetch.fini = fini_categories;
	if (m->categories_state.state != TS_PANE_READY)
		m->categories_state.state = TS_PANE_LOADING;
	m->categories_sent = &f->fetch;
	ts_fetch_send(&m->view, &f->fetch, FETCH_CATEGORIES,
		ts_index_section(m->view.env->index, TS_SECTION_CATEGORIES, &size) &&
				size > HEAD_ALONE
			? TS_WORKER_SCREEN
			: TS_WORKER_BULK,
		"counting categories");
}

/* Is the index going to have the categories soon? */
static bool
categories_come(const struct ts_view_env *env)
{
	return !ts_report_has(env->report, TS_TILE_CATEGORY) &&
		ts_view_waits(env, TS_SECTION_CATEGORIES, TS_LOWERED_VARIABLE);
}

static bool
is_indexed(const struct ts_view_env *env, enum ts_section section)
{
	size_t size;

	return ts_index_section(env->index, section, &size) != NULL;
}

/* What is being read by a pass, and what lies in memory, is in the index now. */
void
memory_indexed(struct ts_view *v)
{
	struct memory_view *m = (struct memory_view *)v;
	const struct memory_categories *k = m->categories;

	if (is_indexed(v->env, TS_SECTION_CATEGORIES)) {
		if (m->categories_state.state == TS_PANE_LOADING)
			m->categories_state.state = TS_PANE_EMPTY;
		else if (m->tiles && k && !k->c.index && !m->categories_sent &&
			m->categories_state.state == TS_PANE_READY)
			ask_categories(m);
	}
	memory_variables_indexed(m);
	ts_tabs_indexed(&m->tabs);
}

void
memory_request(struct ts_view *v)
{
	struct memory_view *m = (struct memory_view *)v;
	const struct ts_tile *tile;

	if (!v->env->report)
		return;
	if (m->tiles_state.state == TS_PANE_EMPTY)
		ask_tiles(m);
	tile = memory_tile(m);
	if (!tile)
		return;
	memory_update(m); /* others may have selected tiles */
	memory_ask_metric(m);
	memory_ask_identity(m);
	memory_ask_variables(m, tile->tile);
	if (m->categories_state.state == TS_PANE_EMPTY && !categories_come(v->env))
		ask_categories(m);
	memory_ask_parts(m);
	memory_ask_more(m);
	ts_tabs_request(&m->tabs);
}

/* --- taking answers --------------------------------------------------------------------------- */

/* A fetch that came back in vain although nobody asked anew: somebody stopped it. */
void
memory_stopped(struct ts_pane_data *d)
{
	d->state = TS_PANE_FAILED;
	snprintf(d->reason, sizeof(d->reason), "stopped (r reads the report again)");
}

static int64_t
first_place(const struct memory_view *m)
{
	const struct memory_tiles *t = m->tiles;
	int64_t wanted[] = {m->want_tile, m->view.env->selection->tile};

	for (size_t i = 0; i < TS_COUNT(wanted); i++) {
		ptrdiff_t at = memory_place(m, wanted[i]);

		if (at >= 0)
			return at;
	}
	return t->n > 0 ? t->order[m->gaps][0] : 0;
}

static enum ts_effect
take_tiles(struct memory_view *m, struct ts_fetch *f)
{
	struct tiles_fetch *tf = (struct tiles_fetch *)f;

	m->tiles_sent = NULL;
	if (ts_fetch_in_vain(f, m->view.env->generation)) {
		memory_stopped(&m->tiles_state);
		return TS_EFFECT_REPAINT;
	}
	ts_pane_result(&m->tiles_state, f->code, &f->err, tf->tiles != NULL);
	m->tiles_state.absent = TS_ABSENT_TILES;
	memory_axis_drop(m);
	free_tiles(m->tiles);
	m->tiles = tf->tiles;
	tf->tiles = NULL;
	m->data++;
	if (!m->tiles)
		return TS_EFFECT_REPAINT;
	if (!m->tiles->has_gaps)
		m->gaps = 1;
	ts_span_set_count(&m->span, m->tiles->n);
	memory_axis_make(m);
	ts_span_go(&m->span, memory_position(m, first_place(m)));
	m->want_tile = -1;
	memory_update(m);
	return (enum ts_effect)(TS_EFFECT_REPAINT | TS_EFFECT_RECALC | TS_EFFECT_SELECT);
}

static enum ts_effect
take_categories(struct memory_view *m, struct ts_fetch *f)
{
	struct categories_fetch *cf = (struct categories_fetch *)f;

	m->categories_sent = NULL;
	if (ts_fetch_in_vain(f, m->view.env->generation)) {
		if (m->categories)
			return TS_EFFECT_NONE;
		memory_stopped(&m->categories_state);
		return TS_EFFECT_REPAINT;
	}
	ts_pane_result(&m->categories_state, f->code, &f->err, cf->categories != NULL);
	m->categories_state.absent = m->view.env->report->kind == TS_KIND_SDK
		? TS_ABSENT_LOWERED_CATEGORIES
		: TS_ABSENT_CATEGORIES;
	memory_bands_free(m->categories);
	m->categories = cf->categories;
	cf->categories = NULL;
	m->data++;
	memory_update(m);
	return TS_EFFECT_REPAINT;
}

enum ts_effect
memory_deliver(struct ts_view *v, struct ts_fetch *f)
{
	struct memory_view *m = (struct memory_view *)v;

	enum ts_effect effect = ts_tabs_deliver(&m->tabs, f);

	if (!(effect & TS_EFFECT_UNKNOWN))
		return effect;
	if (f == m->tiles_sent)
		return take_tiles(m, f);
	if (f == m->categories_sent)
		return take_categories(m, f);
	if (f->job.kind == FETCH_IDENTITY)
		return memory_take_identity(m, f);
	if (f->job.kind >= FETCH_PARTS && f->job.kind < FETCH_PARTS + BY_COUNT)
		return memory_take_parts(m, f);
	if (f == m->metric_sent)
		return memory_take_metric(m, f);
	if (f == m->code_sent)
		return memory_take_code(m, f);
	if (f->job.kind == FETCH_HITS)
		return memory_take_hits(m, f);
	return memory_take_variables(m, f);
}

void
memory_drop(struct memory_view *m)
{
	memory_drop_code(m);
	memory_drop_metric(m);
	memory_drop_identity(m);
	memory_map_drop(m);
	memory_axis_drop(m);
	free_tiles(m->tiles);
	memory_bands_free(m->categories);
	memory_drop_variables(m);
	memory_drop_parts(m);
	memory_hits_drop(m);
	m->tiles = NULL;
	m->categories = NULL;
	m->tiles_sent = m->categories_sent = NULL;
	m->tiles_state = m->categories_state = (struct ts_pane_data){0};
	m->rows_of = -1;
	m->rows = 0;
	m->data++;
}
