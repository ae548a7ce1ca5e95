/* SPDX-License-Identifier: MIT */
/*
 * memory_metric - which figure of the tiles the Memory view's graph and map show.
 *
 * The memory of the tiles is what the view has anyway; any other metric (report/tile_metric.h) is one more
 * question. Its values are kept until another one is chosen or the report is read again.
 */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "memory_internal.h"
#include "tilescope/base/mem.h"
#include "tilescope/ui/prompt.h"

enum { KEPT_STEPS = 1 << 17 }; /* fewer steps are counted as quickly as they are looked up */

struct metric_fetch {
	struct ts_fetch fetch;
	struct ts_metric metric;
	int64_t n;
	int64_t *tile;
	struct memory_metric *values;
};

/* --- what there is ---------------------------------------------------------------------------- */

const int64_t *
memory_metric_values(const struct memory_view *m)
{
	if (memory_is_of_tiles(m))
		return m->tiles ? m->tiles->value[m->gaps] : NULL;
	return m->values ? m->values->v.value : NULL;
}

const uint32_t *
memory_fullest_first(const struct memory_view *m)
{
	return m->values ? m->values->order : m->tiles->order[m->gaps];
}

const uint32_t *
memory_rank(const struct memory_view *m)
{
	return m->values ? m->values->rank : m->tiles->rank[m->gaps];
}

int64_t
memory_metric_known(const struct memory_view *m)
{
	return m->tiles->n - (m->values ? (int64_t)m->values->v.unknown : 0);
}

const char *
memory_value(const struct memory_view *m, char out[TS_FMT_MAX], int64_t v, bool wide)
{
	if (ts_metric_defs[m->metric.id].unit != TS_UNIT_BYTES)
		return wide ? ts_fmt_count(out, v) : ts_fmt_cycles_short(out, v);
	return wide ? ts_fmt_bytes(out, v, memory_units(m))
		    : ts_fmt_bytes_short(out, v, memory_units(m));
}

void
memory_metric_title(const struct memory_view *m, struct ts_strbuf *out)
{
	if (m->values)
		ts_tile_values_title(out, &m->values->v);
	else
		ts_metric_title(out, &m->metric);
	if (memory_is_of_tiles(m) && m->tiles && m->tiles->has_gaps)
		ts_strbuf_puts(out, m->gaps ? " with gaps" : " without gaps");
}

/* "bytes, recorded": what its numbers are, and how they are known. */
void
memory_metric_kind(const struct memory_view *m, struct ts_strbuf *out)
{
	static const char *const units[] = {"bytes", "cycles", "vertices"};
	const struct ts_metric_def *def = &ts_metric_defs[m->metric.id];

	ts_strbuf_puts(out, units[def->unit]);
	if (m->values || memory_is_of_tiles(m))
		ts_strbuf_printf(out, ", %s",
			ts_metric_known_name(m->values ? m->values->v.known : def->known));
}

void
memory_metric_note(const struct memory_view *m, char *out, size_t size)
{
	struct ts_strbuf b;

	ts_strbuf_init(&b, size - 1);
	if (m->values)
		ts_tile_values_note(&b, &m->values->v);
	else if (m->metric_state.state <= TS_PANE_LOADING)
		ts_strbuf_puts(&b, "being added up");
	else
		ts_strbuf_puts(&b, m->metric_state.reason);
	snprintf(out, size, "%s", b.s);
	ts_strbuf_fini(&b);
}

/* --- asking ----------------------------------------------------------------------------------- */

static void
free_metric(struct memory_metric *k)
{
	if (!k)
		return;
	ts_tile_values_fini(&k->v);
	free(k->order);
	free(k->rank);
	free(k);
}

static bool
rank_values(struct memory_metric *k)
{
	uint32_t n = (uint32_t)k->v.n;

	k->order = ts_alloc(n, sizeof(*k->order));
	k->rank = ts_alloc(n, sizeof(*k->rank));
	if (!k->order || !k->rank || !ts_buckets_order(k->order, k->v.value, n))
		return false;
	for (uint32_t i = 0; i < n; i++)
		k->rank[k->order[i]] = i;
	return true;
}

static enum ts_code
read_metric(struct ts_fetch *f, struct ts_reader *rd, struct ts_err *err)
{
	struct metric_fetch *mf = (struct metric_fetch *)f;
	struct memory_metric *k = ts_alloc(1, sizeof(*k));
	enum ts_code code;

	if (!k)
		return ts_err_nomem(err);
	code = ts_tile_values_read(&k->v, rd, &mf->metric, mf->tile, (size_t)mf->n,
		&f->job.progress, err);
	if ((code && code != TS_E_DAMAGED) || !rank_values(k)) {
		free_metric(k);
		return code && code != TS_E_DAMAGED ? code : ts_err_nomem(err);
	}
	mf->values = k;
	return code;
}

static void
fini_metric(struct ts_fetch *f)
{
	struct metric_fetch *mf = (struct metric_fetch *)f;

	free(mf->tile);
	free_metric(mf->values);
}

/* Those of one row a tile are read at once; sums over blobs take a while. */
static enum ts_worker_id
worker_of(const struct memory_view *m)
{
	size_t size;

	if (m->metric.id == TS_METRIC_CATEGORY)
		return ts_index_section(m->view.env->index, TS_SECTION_CATEGORIES, &size)
			? TS_WORKER_SCREEN
			: TS_WORKER_BULK;
	if (m->metric.id > TS_METRIC_OVERFLOWED && m->metric.id <= TS_METRIC_PEAK &&
		!ts_report_has_column(m->view.env->report, TS_TILE_MEMORY,
			TS_TILE_MEMORY_NOT_ALWAYS_LIVE_PEAK))
		return TS_WORKER_BULK;
	return m->metric.id <= TS_METRIC_PEAK ? TS_WORKER_SCREEN : TS_WORKER_BULK;
}

/* Of many steps what they execute is counted once: the next figure finds it in the index. */
static void
want_runs(const struct memory_view *m)
{
	struct ts_view_env *env = m->view.env;

	if (ts_report_has(env->report, TS_STEP) &&
		ts_reach_span(&env->report->binding[TS_STEP].reach) > KEPT_STEPS)
		env->wanted |= ts_section_bit(TS_SECTION_RUNS);
}

void
memory_ask_metric(struct memory_view *m)
{
	struct metric_fetch *f;

	if (m->map.shown || !memory_is_of_tiles(m))
		want_runs(m);
	if (memory_is_of_tiles(m) || m->metric_state.state != TS_PANE_EMPTY)
		return;
	f = ts_alloc(1, sizeof(*f));
	if (f)
		f->tile = ts_alloc((size_t)m->tiles->n, sizeof(*f->tile));
	if (!f || !f->tile) {
		free(f);
		memory_out_of_memory(&m->metric_state);
		return;
	}
	f->metric = m->metric;
	f->n = m->tiles->n;
	for (int64_t i = 0; i < f->n; i++)
		f->tile[i] = m->tiles->tiles.tile[i].tile;
	f->fetch.read = read_metric;
	f->fetch.fini = fini_metric;
	m->metric_state.state = TS_PANE_LOADING;
	m->metric_sent = &f->fetch;
	ts_fetch_send(&m->view, &f->fetch, FETCH_METRIC, worker_of(m), "adding up by tile");
}

enum ts_effect
memory_take_metric(struct memory_view *m, struct ts_fetch *f)
{
	struct metric_fetch *mf = (struct metric_fetch *)f;

	m->metric_sent = NULL;
	if (ts_fetch_in_vain(f, m->view.env->generation)) {
		memory_stopped(&m->metric_state);
		return TS_EFFECT_REPAINT;
	}
	ts_pane_result(&m->metric_state, f->code, &f->err, mf->values != NULL);
	free_metric(m->values);
	m->values = mf->values;
	mf->values = NULL;
	m->walk = -1;
	m->data++;
	memory_update(m);
	return TS_EFFECT_REPAINT | TS_EFFECT_RECALC;
}

void
memory_drop_metric(struct memory_view *m)
{
	free_metric(m->values);
	m->values = NULL;
	m->metric_sent = NULL;
	m->metric_state = (struct ts_pane_data){0};
}

/* --- choosing --------------------------------------------------------------------------------- */

static enum ts_effect
choose(struct memory_view *m, const struct ts_metric *metric)
{
	struct ts_strbuf words;

	if (!ts_metric_recorded(m->view.env->report, metric->id)) {
		ts_view_say_error(m->view.env, "not in this report: %s",
			ts_metric_defs[metric->id].columns);
		return TS_EFFECT_BELL;
	}
	if (!ts_metric_same(metric, &m->metric)) {
		m->metric = *metric;
		memory_drop_metric(m);
		m->walk = -1;
		m->data++;
		memory_update(m);
	}
	ts_strbuf_init(&words, 160);
	memory_metric_title(m, &words);
	ts_view_say(m->view.env, "%s", words.s);
	ts_strbuf_fini(&words);
	return TS_EFFECT_REPAINT | TS_EFFECT_RECALC;
}

/* The metrics in the order of the walk: those of the table, behind them the categories, the largest first. */
static int
metric_count(const struct memory_view *m)
{
	return TS_METRIC_COUNT + (m->categories ? m->categories->c.count : 0);
}

/* False: there is no such metric in this report. */
static bool
nth_metric(const struct memory_view *m, int n, struct ts_metric *out)
{
	*out = (struct ts_metric){.id = (enum ts_metric_id)n};
	if (n < TS_METRIC_COUNT)
		return out->id != TS_METRIC_CATEGORY &&
			ts_metric_recorded(m->view.env->report, out->id);
	out->id = TS_METRIC_CATEGORY;
	return (size_t)snprintf(out->category, sizeof(out->category), "%s",
		       m->categories->c.category[n - TS_METRIC_COUNT].name) < sizeof(out->category);
}

/* The next one that this report has, or the one before. What the plot shows by itself does not come twice. */
static struct ts_metric
walk_metrics(const struct memory_view *m, int step)
{
	enum ts_metric_id twice = m->gaps ? TS_METRIC_TOTAL_GAPS : TS_METRIC_TOTAL;
	int n = metric_count(m), at = (int)m->metric.id;
	struct ts_metric metric = m->metric;

	for (int i = TS_METRIC_COUNT; i < n && m->metric.id == TS_METRIC_CATEGORY; i++)
		if (nth_metric(m, i, &metric) && ts_metric_same(&metric, &m->metric))
			at = i;
	for (int i = 0; i < n; i++) {
		at = (at + n + step) % n;
		if (at != (int)twice && nth_metric(m, at, &metric))
			return metric;
	}
	return m->metric;
}

enum ts_effect
memory_set_metric(struct memory_view *m, const struct ts_call *call)
{
	const char *name = ts_call_arg(call, 0);
	struct ts_metric metric;
	struct ts_err err = {0};

	if (name && ts_metric_parse(&metric, name, &err)) {
		ts_view_say_error(m->view.env, "%s", err.msg);
		return TS_EFFECT_BELL;
	}
	if (!name)
		metric = walk_metrics(m, call->cmd == TS_CMD_METRIC_BACK ? -1 : 1);
	return choose(m, &metric);
}

void
memory_metric_memory(struct memory_view *m)
{
	const struct ts_metric memory = {.id = TS_METRIC_USED};

	(void)choose(m, &memory);
}

static void
add(struct ts_candidates *out, const char *word, const char *typed)
{
	if (strncmp(word, typed, strlen(typed)) == 0)
		ts_candidates_add(out, word);
}

void
memory_complete_metric(const struct memory_view *m, const char *word, struct ts_candidates *out)
{
	for (int i = 0; m->view.env->report && i < metric_count(m); i++) {
		struct ts_metric metric;
		struct ts_strbuf b;

		if (!nth_metric(m, i, &metric))
			continue;
		ts_strbuf_init(&b, 2 * TS_METRIC_NAME);
		ts_metric_say(&b, &metric);
		add(out, b.s, word);
		ts_strbuf_fini(&b);
	}
}
