/* SPDX-License-Identifier: MIT */
/*
 * memory_parts - what the plot is divided by, in the Memory view.
 *
 * The parts of every breakdown have one shape (struct memory_categories): bytes by tile and part, of which the
 * largest, or the first by name, are bands. The category's come with the tables below the graph; others
 * are asked for when the plot is first divided by them, and kept. Those that take a pass over all variables come
 * in pieces: what a piece has left lies in the fetch, which is sent again for the next one, and the plot shows
 * what there is so far.
 */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "memory_internal.h"
#include "tilescope/base/mem.h"
#include "tilescope/base/strbuf.h"
#include "tilescope/report/breakdown.h"
#include "tilescope/ui/prompt.h"
#include "tilescope/view/arg.h"

enum { FIRST_ROWS = 1 << 17, PIECE_ROWS = 1 << 20 };

static const struct {
	const char *name;
	enum ts_breakdown_by by; /* of those that have a source */
	const char *what;	 /* its job */
} kinds[BY_COUNT] = {
	[BY_TOTAL] = {"total", TS_BREAKDOWN_COUNT, NULL},
	[BY_CATEGORY] = {"category", TS_BREAKDOWN_COUNT, NULL},
	[BY_CATEGORY_MEAN] = {"mean", TS_BREAKDOWN_COUNT, NULL},
	[BY_LIVENESS] = {"liveness", TS_BREAKDOWN_LIVENESS, "working out what is alive"},
	[BY_REGION] = {"region", TS_BREAKDOWN_REGION, "reading regions"},
	[BY_LAYER] = {"layer", TS_BREAKDOWN_LAYER, "looking for layers"},
	[BY_FAMILY] = {"family", TS_BREAKDOWN_FAMILY, "reading vertices"},
	[BY_MARKED] = {"marked", TS_BREAKDOWN_NAMES, "looking for marked variables"},
};

const char *
memory_breakdown_name(enum memory_breakdown by)
{
	return kinds[by].name;
}

static bool
has_source(enum memory_breakdown by)
{
	return kinds[by].by != TS_BREAKDOWN_COUNT;
}

/* --- asking ----------------------------------------------------------------------------------- */

struct parts_fetch {
	struct ts_fetch fetch;
	enum memory_breakdown by;
	struct ts_breakdown *b; /* as far as it has come; NULL: it is to be begun */
	struct ts_breakdown_query query;
	char pattern[TS_OPTION_PATTERN];
	const struct ts_cache *cache;
	int64_t n;
	int64_t *tile; /* the axis */
	uint64_t marks;
	bool end;
	struct memory_categories *k;
};

static bool
is_by_name(enum memory_breakdown by)
{
	return by == BY_LAYER || by == BY_LIVENESS;
}

static enum ts_code
read_parts(struct ts_fetch *f, struct ts_reader *rd, struct ts_err *err)
{
	struct parts_fetch *pf = (struct parts_fetch *)f;
	struct memory_categories *k;
	int64_t rows = pf->b ? PIECE_ROWS : FIRST_ROWS; /* the first tiles soon */
	enum ts_code code = TS_OK, end;

	pf->query.pattern = pf->pattern;
	if (!pf->b)
		code = ts_breakdown_new(&pf->b, rd->report, &pf->query, pf->cache, err);
	if (!code)
		code = ts_breakdown_read(pf->b, &pf->end, rd, rows, &f->job.progress, err);
	if (code && (code != TS_E_DAMAGED || !pf->b))
		return code;
	if (!pf->end && ts_breakdown_is_large(pf->b))
		return TS_OK; /* what there is so far is not shown */
	k = ts_alloc(1, sizeof(*k));
	if (!k)
		return ts_err_nomem(err);
	end = ts_breakdown_look(&k->c, pf->b, code ? NULL : err);
	if (!end)
		end = memory_bands_make(k, pf->tile, pf->n, MEMORY_BANDS, is_by_name(pf->by),
			code ? NULL : err);
	k->whole = pf->end;
	k->rows = ts_breakdown_rows(pf->b, &k->of);
	if (end)
		memory_bands_free(k);
	else
		pf->k = k;
	return end ? end : code;
}

static void
fini_parts(struct ts_fetch *f)
{
	struct parts_fetch *pf = (struct parts_fetch *)f;

	ts_breakdown_free(pf->b);
	free(pf->tile);
	memory_bands_free(pf->k);
}

/* What is known at once needs no worker for whole tables. */
static enum ts_worker_id
worker_of(const struct memory_view *m, enum memory_breakdown by)
{
	bool layers = by == BY_LAYER && strcmp(m->layer_pattern, TS_LAYER_PATTERN) == 0 &&
		ts_index_sections(m->view.env->index) & ts_section_bit(TS_SECTION_LAYERS);

	return layers || by == BY_REGION || (by == BY_LIVENESS && m->tiles->has_live)
		? TS_WORKER_SCREEN
		: TS_WORKER_BULK;
}

static void
send(struct memory_view *m, struct parts_fetch *f)
{
	f->fetch.read = read_parts;
	f->fetch.fini = fini_parts;
	m->source[f->by].sent = &f->fetch;
	ts_fetch_send(&m->view, &f->fetch, FETCH_PARTS + (int)f->by, worker_of(m, f->by),
		kinds[f->by].what);
}

static void
ask_names(const struct memory_view *m, struct parts_fetch *f)
{
	const struct ts_marked_variables *marked = &m->view.env->selection->marked;

	f->marks = marked->version;
	for (int i = 0; i < marked->count && f->query.count < TS_BREAKDOWN_NAMES_MAX; i++)
		if (marked->item[i].name[0])
			snprintf(f->query.name[f->query.count++], TS_BREAKDOWN_NAME, "%s",
				marked->item[i].name);
}

static void
ask(struct memory_view *m, enum memory_breakdown by)
{
	struct memory_source *s = &m->source[by];
	struct parts_fetch *f = ts_alloc(1, sizeof(*f));

	if (f)
		f->tile = ts_alloc((size_t)m->tiles->n, sizeof(*f->tile));
	if (!f || !f->tile) {
		free(f);
		memory_out_of_memory(&s->state);
		return;
	}
	f->by = by;
	f->query.by = kinds[by].by;
	f->cache = m->view.env->cache;
	f->n = m->tiles->n;
	for (int64_t i = 0; i < f->n; i++)
		f->tile[i] = m->tiles->tiles.tile[i].tile;
	snprintf(f->pattern, sizeof(f->pattern), "%s", m->view.env->options->layer_pattern);
	if (by == BY_LAYER)
		snprintf(m->layer_pattern, sizeof(m->layer_pattern), "%s", f->pattern);
	if (by == BY_MARKED)
		ask_names(m, f);
	if (by == BY_LAYER || by == BY_MARKED)
		ts_view_wants_columns(m->view.env);
	f->query.keep = by == BY_LAYER &&
		ts_reach_span(&m->view.env->report->binding[TS_LOWERED_VARIABLE].reach) >
			TS_VIEW_MANY_VARIABLES;
	s->state.state = s->k ? TS_PANE_STALE : TS_PANE_LOADING;
	s->marks = f->marks;
	send(m, f);
}

/* Was it asked for of something that is not so any more? */
static bool
is_old(const struct memory_view *m, enum memory_breakdown by)
{
	if (by == BY_MARKED)
		return m->source[by].marks != m->view.env->selection->marked.version;
	return by == BY_LAYER && strcmp(m->layer_pattern, m->view.env->options->layer_pattern) != 0;
}

void
memory_ask_parts(struct memory_view *m)
{
	struct memory_source *s = &m->source[m->breakdown];

	if (!m->tiles || !has_source(m->breakdown))
		return;
	if (s->state.state != TS_PANE_EMPTY && is_old(m, m->breakdown)) {
		if (s->sent)
			ts_cancel_set(&s->sent->job.cancel);
		s->sent = NULL;
		s->state.state = TS_PANE_EMPTY;
	}
	if (s->state.state == TS_PANE_EMPTY)
		ask(m, m->breakdown);
}

const struct memory_categories *
memory_parts(const struct memory_view *m)
{
	if (m->breakdown == BY_CATEGORY || m->breakdown == BY_CATEGORY_MEAN)
		return m->categories;
	return m->source[m->breakdown].k;
}

const struct ts_pane_data *
memory_parts_state(const struct memory_view *m)
{
	if (m->breakdown == BY_TOTAL)
		return NULL;
	return has_source(m->breakdown) ? &m->source[m->breakdown].state : &m->categories_state;
}

/* --- answers ---------------------------------------------------------------------------------- */

/* The same fetch for the next piece: what it holds moves on. */
static void
go_on(struct memory_view *m, struct parts_fetch *f)
{
	struct parts_fetch *next = ts_alloc(1, sizeof(*next));

	if (!next) {
		memory_out_of_memory(&m->source[f->by].state);
		return;
	}
	next->by = f->by;
	next->b = f->b;
	next->query = f->query;
	next->cache = f->cache;
	next->n = f->n;
	next->tile = f->tile;
	next->marks = f->marks;
	memcpy(next->pattern, f->pattern, sizeof(next->pattern));
	f->b = NULL;
	f->tile = NULL;
	send(m, next);
}

enum ts_effect
memory_take_parts(struct memory_view *m, struct ts_fetch *fetch)
{
	struct parts_fetch *f = (struct parts_fetch *)fetch;
	struct memory_source *s = &m->source[f->by];

	if (fetch != s->sent)
		return TS_EFFECT_NONE;
	s->sent = NULL;
	if (ts_fetch_in_vain(fetch, m->view.env->generation)) {
		memory_stopped(&s->state);
		return TS_EFFECT_REPAINT;
	}
	if (!fetch->code && !f->end && !f->k) { /* nothing to show of this piece */
		go_on(m, f);
		return TS_EFFECT_NONE;
	}
	ts_pane_result(&s->state, fetch->code, &fetch->err, f->k != NULL);
	memory_bands_free(s->k);
	s->k = f->k;
	f->k = NULL;
	if (!fetch->code && !f->end)
		go_on(m, f);
	m->data++;
	memory_update(m);
	return TS_EFFECT_REPAINT;
}

void
memory_drop_parts(struct memory_view *m)
{
	for (int i = 0; i < BY_COUNT; i++) {
		memory_bands_free(m->source[i].k);
		m->source[i] = (struct memory_source){0};
	}
	free(m->plot.shown);
	m->plot.shown = NULL;
	m->plot.bands = 0;
	m->plot.columns = -1;
}

/* --- commands --------------------------------------------------------------------------------- */

bool
memory_can(const struct memory_view *m, enum memory_breakdown by)
{
	switch (by) {
	case BY_TOTAL:
		return true;
	case BY_CATEGORY:
	case BY_CATEGORY_MEAN:
		return m->categories_state.state != TS_PANE_ABSENT &&
			m->categories_state.state != TS_PANE_FAILED;
	case BY_MARKED:
		if (m->view.env->selection->marked.count == 0)
			return false;
		break;
	default:
		break;
	}
	return ts_breakdown_can(m->view.env->report, kinds[by].by, NULL) == TS_OK;
}

static enum ts_effect
cannot(struct memory_view *m, enum memory_breakdown by)
{
	struct ts_err err = {0};

	if (by == BY_MARKED && m->view.env->selection->marked.count == 0)
		ts_view_say_error(m->view.env,
			"no variables are marked (m marks one in Variables)");
	else if (has_source(by) &&
		ts_breakdown_can(m->view.env->report, kinds[by].by, &err) != TS_OK)
		ts_view_say_error(m->view.env, "memory by %s: %s", kinds[by].name, err.msg);
	else
		ts_view_say_error(m->view.env, "memory by %s is not in this report",
			by == BY_TOTAL ? "anything else" : kinds[by].name);
	return TS_EFFECT_BELL;
}

enum ts_effect
memory_break_down(struct memory_view *m, const struct ts_call *call)
{
	const char *name = ts_call_arg(call, 0);
	int by = (int)m->breakdown;

	if (name) {
		by = ts_arg_word(MEMORY_BREAKDOWNS, name);
		if (by < 0) {
			ts_view_say_error(m->view.env,
				"breakdown is one of total, category, mean, liveness, region, layer, "
				"family, marked");
			return TS_EFFECT_BELL;
		}
		if (!memory_can(m, (enum memory_breakdown)by))
			return cannot(m, (enum memory_breakdown)by);
	} else {
		do
			by = (by + 1) % BY_COUNT;
		while (!memory_can(m, (enum memory_breakdown)by));
		if (by == (int)m->breakdown)
			return cannot(m, BY_TOTAL);
	}
	m->breakdown = (enum memory_breakdown)by;
	return TS_EFFECT_REPAINT;
}

bool
memory_is_turned(const struct memory_view *m, const char *name)
{
	for (int i = 0; i < m->turned; i++)
		if (strncmp(m->turned_name[i], name, MEMORY_PART_NAME - 1) == 0)
			return true;
	return false;
}

/* Hide it, or show it again. */
static void
turn(struct memory_view *m, const char *name)
{
	m->hides++;
	for (int i = 0; i < m->turned; i++)
		if (strncmp(m->turned_name[i], name, MEMORY_PART_NAME - 1) == 0) {
			m->turned--;
			memmove(m->turned_name[i], m->turned_name[i + 1],
				(size_t)(m->turned - i) * sizeof(m->turned_name[0]));
			return;
		}
	if (m->turned < MEMORY_HIDDEN)
		snprintf(m->turned_name[m->turned++], MEMORY_PART_NAME, "%s", name);
}

/* A band by its name, its letter, or a beginning that only one has; -1: none, -2: several. */
static int
find_band(const struct memory_plot *p, const char *name)
{
	int found = -1;
	size_t n = strlen(name);

	for (int i = 0; i < p->bands; i++)
		if (strcasecmp(p->band[i].name, name) == 0)
			return i;
	for (int i = 0; i < p->bands && n == 1; i++)
		if (p->band[i].letter == name[0])
			return i;
	for (int i = 0; i < p->bands; i++)
		if (strncasecmp(p->band[i].name, name, n) == 0)
			found = found == -1 ? i : -2;
	return found;
}

static enum ts_effect
toggle_gaps(struct memory_view *m)
{
	if (!m->tiles->has_gaps) {
		ts_view_say_error(m->view.env, "gaps are not recorded in this report");
		return TS_EFFECT_BELL;
	}
	m->gaps = !m->gaps;
	m->walk = -1;
	return TS_EFFECT_REPAINT;
}

/* `series gaps` counts gaps or leaves them out; of a breakdown `series NAME` hides that, `series all` nothing. */
enum ts_effect
memory_series(struct memory_view *m, const struct ts_call *call)
{
	const char *name = ts_call_arg(call, 0);
	int band;

	if (!name)
		return TS_EFFECT_UNKNOWN; /* the program asks for it */
	if (strcmp(name, "gaps") == 0)
		return toggle_gaps(m);
	if (strcmp(name, "all") == 0) {
		m->turned = 0;
		m->hides++;
		return TS_EFFECT_REPAINT;
	}
	band = find_band(&m->plot, name);
	if (band < 0) {
		ts_view_say_error(m->view.env,
			band == -1
				? "there is no series \"%.60s\" here (gaps, all, or one of the legend)"
				: "several series begin with \"%.60s\"",
			name);
		return TS_EFFECT_BELL;
	}
	turn(m, m->plot.band[band].name);
	return TS_EFFECT_REPAINT;
}

void
memory_complete(struct ts_view *v, enum ts_cmd cmd, const char *line, struct ts_candidates *out)
{
	const struct memory_view *m = (const struct memory_view *)v;
	const char *word = strchr(line, ' ');
	size_t n;

	if (!word || (cmd != TS_CMD_SERIES && cmd != TS_CMD_BREAKDOWN && cmd != TS_CMD_METRIC))
		return;
	word++;
	n = strlen(word);
	out->start = (size_t)(word - line);
	if (cmd == TS_CMD_METRIC) {
		memory_complete_metric(m, word, out);
		return;
	}
	if (cmd == TS_CMD_BREAKDOWN) {
		for (int i = 0; i < BY_COUNT; i++)
			if (strncmp(kinds[i].name, word, n) == 0 &&
				memory_can(m, (enum memory_breakdown)i))
				ts_candidates_add(out, kinds[i].name);
		return;
	}
	for (int i = 0; i < m->plot.bands; i++)
		if (strncasecmp(m->plot.band[i].name, word, n) == 0)
			ts_candidates_add(out, m->plot.band[i].name);
	if (strncmp("gaps", word, n) == 0)
		ts_candidates_add(out, "gaps");
	if (strncmp("all", word, n) == 0)
		ts_candidates_add(out, "all");
}
