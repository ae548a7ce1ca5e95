/* SPDX-License-Identifier: MIT */
/*
 * liveness_data - what the Liveness view asks of the report; liveness_answers.c takes the answers.
 *
 * Fetches: the timeline of the source, what a set of tiles has of each variable (sums), the lives of its variables, what each
 * of them is for (labels), whether the figures agree (checks), each once per source; and who is alive at the cursor's step and at the marks,
 * again after every move (the queue lets the newest win). The timeline stays in memory, so zoom and pan ask
 * nobody. Lives and labels are shared, read-only, with the worker that answers the last. Tabs ask for themselves.
 *
 * A question is asked once: when it is stopped or fails it is not asked again until the cursor moves,
 * the source changes or the report is read anew.
 */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tilescope/base/mem.h"
#include "tilescope/report/index_ipu_lives.h"
#include "tilescope/report/index_ipu_steps.h"
#include "tilescope/report/rows.h"
#include "tilescope/report/tile_variables.h"

#include "liveness_fetch.h"

enum {
	BULK_ROWS = 1 << 20, /* more rows than this are no work for what the screen waits for */
	FEW_ROWS = 1 << 17,  /* of some tiles, joined: the same */
	SUMMED_ROWS = 200,   /* the largest, before lives are read: a few screens */
	KEPT_ROWS = 1 << 16, /* more lives than this are kept in the index */
	HEAD_ALONE = 1024,   /* bytes of a section without anything in it, at most */
	PATH_LIMIT = 1 << 14,
};

/* --- questions -------------------------------------------------------------------------------- */

/* The tile that Memory begins with; without one the first number there is. */
static enum ts_code
find_fullest(struct ts_live_source *source, struct ts_reader *rd, struct ts_err *err)
{
	struct ts_tiles t;
	enum ts_code code = ts_tiles_read(&t, rd, err);

	source->number = t.count > 0 ? t.tile[t.worst].tile : 0;
	ts_tiles_fini(&t);
	return code == TS_E_CANCELLED || code == TS_E_NOMEM ? code : TS_OK;
}

static enum ts_code
read_line(struct ts_fetch *f, struct ts_reader *rd, struct ts_err *err)
{
	struct line_fetch *l = (struct line_fetch *)f;
	bool fullest = l->source.where == TS_LIVE_TILE && l->source.number == LIVE_FULLEST;
	enum ts_code code = fullest ? find_fullest(&l->source, rd, err) : TS_OK;

	if (code)
		return code;
	return ts_source_line_read(&l->src, rd, &l->source, &f->job.progress, err);
}

static void
fini_line(struct ts_fetch *f)
{
	struct line_fetch *l = (struct line_fetch *)f;

	ts_source_line_fini(&l->src);
	ts_live_source_fini(&l->source);
}

static enum ts_code
read_sums(struct ts_fetch *f, struct ts_reader *rd, struct ts_err *err)
{
	struct sums_fetch *s = (struct sums_fetch *)f;

	return ts_source_sums_read(&s->sums, rd, &s->source, s->tiles, err);
}

static void
fini_sums(struct ts_fetch *f)
{
	struct sums_fetch *s = (struct sums_fetch *)f;

	ts_kind_sums_close(s->sums);
	ts_tile_lives_close(s->tiles);
	ts_live_source_fini(&s->source);
}

static enum ts_code
read_lives(struct ts_fetch *f, struct ts_reader *rd, struct ts_err *err)
{
	struct lives_fetch *l = (struct lives_fetch *)f;

	if (l->source.where == TS_LIVE_ALL)
		return ts_lives_read(&l->lives, rd, &f->job.progress, err);
	return ts_lives_read_source(&l->lives, rd, &l->source, l->tiles, l->sums, NULL,
		&f->job.progress, err);
}

static void
fini_lives(struct ts_fetch *f)
{
	struct lives_fetch *l = (struct lives_fetch *)f;

	ts_lives_close(l->lives);
	ts_tile_lives_close(l->tiles);
	ts_kind_sums_close(l->sums);
	ts_live_source_fini(&l->source);
}

static enum ts_code
read_alive(struct ts_fetch *f, struct ts_reader *rd, struct ts_err *err)
{
	struct alive_fetch *a = (struct alive_fetch *)f;

	if (a->sums)
		return ts_alive_read_set(&a->alive, rd, a->sums, a->tiles, &a->q, err);
	a->q.labels = a->labels;
	return ts_alive_read(&a->alive, rd, a->lives, &a->q, a->before, err);
}

static void
fini_alive(struct ts_fetch *f)
{
	struct alive_fetch *a = (struct alive_fetch *)f;

	ts_alive_close(a->alive);
	ts_alive_close(a->before);
	ts_lives_close(a->lives);
	ts_kind_sums_close(a->sums);
	ts_tile_lives_close(a->tiles);
	ts_live_labels_close(a->labels);
}

static enum ts_code
read_labels(struct ts_fetch *f, struct ts_reader *rd, struct ts_err *err)
{
	struct labels_fetch *l = (struct labels_fetch *)f;
	enum ts_code code = TS_OK;
	struct ts_strbuf file;

	ts_strbuf_init(&file, PATH_LIMIT);
	if (l->rules)
		ts_strbuf_printf(&file, "%s/groups.rules", l->rules);
	if (!l->groups)
		code = ts_groups_open(&l->groups, file.len > 0 ? file.s : NULL, err);
	ts_strbuf_fini(&file);
	if (code)
		return code;
	return ts_live_labels_read(&l->labels, rd, l->lives, l->groups, l->cache, &f->job.progress,
		err);
}

static void
fini_labels(struct ts_fetch *f)
{
	struct labels_fetch *l = (struct labels_fetch *)f;

	ts_lives_close(l->lives);
	ts_groups_close(l->groups);
	ts_live_labels_close(l->labels);
	free(l->rules);
}

/* What sums of selected tiles would have to look through first, where it is there already: nobody waits now. */
static void
look_through_rows(const struct ts_reader *rd)
{
	struct ts_kinds rows;

	if (!ts_cancelled(rd->cancel))
		(void)ts_tile_rows_of(&rows, rd->index);
}

static enum ts_code
read_checks(struct ts_fetch *f, struct ts_reader *rd, struct ts_err *err)
{
	struct checks_fetch *c = (struct checks_fetch *)f;
	struct ts_source_line src;
	enum ts_code code = ts_source_line_read(&src, rd, &c->source, NULL, err);

	if (!code)
		code = ts_live_checks_read(&c->checks, rd, &c->source, &src, c->lives,
			&f->job.progress, err);
	ts_source_line_fini(&src);
	if (!code)
		look_through_rows(rd);
	return code;
}

static void
fini_checks(struct ts_fetch *f)
{
	struct checks_fetch *c = (struct checks_fetch *)f;

	ts_lives_close(c->lives);
	ts_live_source_fini(&c->source);
}

static void
fini_gone(struct ts_fetch *f)
{
	struct gone_fetch *g = (struct gone_fetch *)f;

	ts_lives_close(g->lives);
	ts_kind_sums_close(g->sums);
	ts_alive_close(g->alive);
	ts_live_labels_close(g->labels);
	g->lives = NULL;
	g->sums = NULL;
	g->alive = NULL;
	g->labels = NULL;
}

static enum ts_code
read_gone(struct ts_fetch *f, struct ts_reader *rd, struct ts_err *err)
{
	(void)rd;
	(void)err;
	fini_gone(f);
	return TS_OK;
}

static const struct {
	size_t size;
	enum ts_code (*read)(struct ts_fetch *f, struct ts_reader *rd, struct ts_err *err);
	void (*fini)(struct ts_fetch *f);
	const char *what;
} fetches[] = {
	[LIVE_FETCH_LINE] = {sizeof(struct line_fetch), read_line, fini_line,
		"reading liveness steps"},
	[LIVE_FETCH_SUMS] = {sizeof(struct sums_fetch), read_sums, fini_sums,
		"adding up variables of tiles"},
	[LIVE_FETCH_LIVES] = {sizeof(struct lives_fetch), read_lives, fini_lives,
		"reading lives of variables"},
	[LIVE_FETCH_ALIVE] = {sizeof(struct alive_fetch), read_alive, fini_alive,
		"looking who is alive"},
	[LIVE_FETCH_LABELS] = {sizeof(struct labels_fetch), read_labels, fini_labels,
		"grouping variables"},
	[LIVE_FETCH_CHECKS] = {sizeof(struct checks_fetch), read_checks, fini_checks,
		"comparing figures of liveness"},
	[LIVE_FETCH_GONE] = {sizeof(struct gone_fetch), read_gone, fini_gone, "freeing memory"},
};

/* A new question, not sent yet; NULL: no memory. */
static struct ts_fetch *
new_fetch(int kind)
{
	struct ts_fetch *f = ts_alloc(1, fetches[kind].size);

	if (f) {
		f->read = fetches[kind].read;
		f->fini = fetches[kind].fini;
	}
	return f;
}

static void
send(struct liveness *s, struct ts_fetch *f, int kind, int64_t rows)
{
	s->under_way[kind] = f;
	ts_fetch_send(&s->v, f, kind, rows > BULK_ROWS ? TS_WORKER_BULK : TS_WORKER_SCREEN,
		fetches[kind].what);
}

void
live_let_go(struct liveness *s)
{
	struct gone_fetch *g = s->lives || s->sums || s->alive || s->labels
		? (struct gone_fetch *)new_fetch(LIVE_FETCH_GONE)
		: NULL;

	if (!g)
		return;
	g->lives = s->lives;
	g->sums = s->sums;
	g->alive = s->alive;
	g->labels = s->labels;
	s->lives = NULL;
	s->sums = NULL;
	s->alive = NULL;
	s->labels = NULL;
	g->f.job.patient = true;
	ts_fetch_send(&s->v, &g->f, LIVE_FETCH_GONE, TS_WORKER_BULK, fetches[LIVE_FETCH_GONE].what);
}

void
live_send(struct ts_tab *t, struct ts_fetch *f, int kind, int64_t rows, const char *what)
{
	ts_fetch_send(t->view, f, t->kind + kind,
		rows > BULK_ROWS ? TS_WORKER_BULK : TS_WORKER_SCREEN, what);
}

void
live_no_memory(struct ts_pane_data *pane)
{
	pane->state = TS_PANE_FAILED;
	snprintf(pane->reason, sizeof(pane->reason), "out of memory");
}

/* Rows that a relation seems to have. */
static int64_t
rows_of(const struct ts_report *r, enum ts_relation relation)
{
	const struct ts_reach *reach = &r->binding[relation].reach;

	if (!r->binding[relation].bound)
		return 0;
	return reach->has_rowid ? ts_reach_work(reach) : BULK_ROWS;
}

/* Rows that have to be read: none where the index has it (one that leaves it to the rows is a head alone). */
static int64_t
rows_to_read(const struct liveness *s, enum ts_section section, int64_t rows)
{
	size_t size;

	return ts_index_section(s->v.env->index, section, &size) && size > HEAD_ALONE ? 0 : rows;
}

/* Rows of the tiles of a set, about; `all` where they are not reached without the others. */
static int64_t
rows_of_set(const struct liveness *s, const struct ts_tile_set *set, int64_t all)
{
	int64_t tiles = ts_tile_set_count(set), of = s->src.tiles_per_ipu;

	if (of <= 0 || s->src.ipus <= 0 || s->src.ipus > INT64_MAX / of)
		return all;
	of *= s->src.ipus;
	for (int64_t t = 0; (t = ts_tile_set_next(set, t)) >= 0; t++)
		if (!ts_tile_variables_quick(s->v.env->report, s->v.env->index, t))
			return all;
	return tiles < of ? all / of * tiles : all;
}

/* Lowered variables that a question about a source goes through. */
static int64_t
lowered_rows(const struct liveness *s, const struct ts_live_source *source, bool by_class)
{
	const struct ts_report *r = s->v.env->report;
	const struct ts_index *x = s->v.env->index;
	int64_t all = rows_of(r, TS_LOWERED_VARIABLE), rows;

	if (by_class && ts_tile_lives_quick(x))
		return 0;
	if (source->where == TS_LIVE_TILE && ts_tile_variables_quick(r, x, source->number))
		return 0;
	if (source->where == TS_LIVE_IPU && !by_class && ts_ipu_lives_quick(x))
		return 0;
	if (source->where != TS_LIVE_SET)
		return all;
	rows = rows_of_set(s, &source->set, all);
	return rows <= FEW_ROWS ? 0 : INT64_MAX;
}

static int64_t
line_rows(const struct liveness *s)
{
	const struct ts_report *r = s->v.env->report;
	int64_t line = rows_to_read(s, TS_SECTION_LIVENESS, rows_of(r, TS_LIVENESS_STEP)), rows;

	if (s->source.where == TS_LIVE_ALL && ts_report_has(r, TS_LIVENESS_STEP))
		return line;
	if (s->source.where == TS_LIVE_IPU && ts_report_has(r, TS_LIVENESS_STEP_IPU))
		return ts_ipu_lines_quick(s->v.env->index)
			? line
			: line + rows_of(r, TS_LIVENESS_STEP_IPU);
	rows = lowered_rows(s, &s->source, true);
	return rows < BULK_ROWS ? line + rows : rows;
}

static void
ask_line(struct liveness *s)
{
	struct line_fetch *l;

	if (!s->line_wanted || s->v.env->looking)
		return;
	s->line_wanted = false;
	l = (struct line_fetch *)new_fetch(LIVE_FETCH_LINE);
	if (!l || !ts_live_source_copy(&l->source, &s->source)) {
		free(l);
		live_no_memory(&s->graph);
		return;
	}
	if (!ts_pane_has(&s->graph))
		s->graph.state = TS_PANE_LOADING;
	if (s->source.where == TS_LIVE_IPU) /* for the next time */
		s->v.env->wanted |= ts_section_bit(TS_SECTION_IPU_STEPS);
	if (s->source.where != TS_LIVE_ALL)
		s->v.env->wanted |= ts_section_bit(TS_SECTION_TILE_LIVES);
	send(s, &l->f, LIVE_FETCH_LINE, line_rows(s));
}

/* Of a set of tiles: the lists below the timeline come from these, where the index has them. */
static void
ask_sums(struct liveness *s)
{
	struct sums_fetch *f;

	if (!s->sums_wanted || s->v.env->looking)
		return;
	s->sums_wanted = false;
	f = (struct sums_fetch *)new_fetch(LIVE_FETCH_SUMS);
	if (!f || !ts_live_source_copy(&f->source, &s->shown)) {
		free(f);
		live_no_memory(&s->table);
		return;
	}
	f->tiles = ts_tile_lives_hold(s->src.tiles);
	s->table.state = TS_PANE_LOADING;
	s->table.absent = TS_ABSENT_VARIABLES;
	send(s, &f->f, LIVE_FETCH_SUMS, 0);
}

static bool
sums_may_come(const struct liveness *s)
{
	return s->sums_wanted || s->under_way[LIVE_FETCH_SUMS];
}

bool
live_awaits_alive(const struct liveness *s)
{
	return sums_may_come(s) || s->under_way[LIVE_FETCH_ALIVE];
}

/* Is it an IPU, or may the tiles that are selected be those of one? */
static bool
is_ipus(const struct liveness *s)
{
	return s->shown.where == TS_LIVE_IPU ||
		(s->shown.where == TS_LIVE_SET && s->src.tiles_per_ipu > 0 &&
			ts_tile_set_count(&s->shown.set) >= s->src.tiles_per_ipu);
}

static void
ask_lives(struct liveness *s)
{
	const struct ts_report *r = s->v.env->report;
	int64_t rows = rows_of(r, TS_VARIABLE) + rows_of(r, TS_LIVENESS_VARIABLE);
	struct lives_fetch *l;

	if (s->shown.where == TS_LIVE_ALL && rows > KEPT_ROWS)
		s->v.env->wanted |= ts_section_bit(TS_SECTION_LIVES);
	if (s->shown.where != TS_LIVE_TILE && rows_of(r, TS_VARIABLE) > KEPT_ROWS)
		s->v.env->wanted |= ts_section_bit(TS_SECTION_NAMES);
	if (is_ipus(s) && rows_of(r, TS_LOWERED_VARIABLE) > KEPT_ROWS) /* for the next one */
		s->v.env->wanted |= ts_section_bit(TS_SECTION_IPU_LIVES);
	if (s->shown.where == TS_LIVE_SET) /* for the next one */
		ts_view_wants_tile_rows(s->v.env);
	if (!s->lives_wanted || s->v.env->looking || sums_may_come(s))
		return;
	if (s->sums &&
		s->under_way[LIVE_FETCH_ALIVE]) /* the list that comes from sums is there at once */
		return;
	s->lives_wanted = false;
	l = (struct lives_fetch *)new_fetch(LIVE_FETCH_LIVES);
	if (!l || !ts_live_source_copy(&l->source, &s->shown)) {
		free(l);
		live_no_memory(&s->table);
		return;
	}
	l->tiles = s->src.tiles ? ts_tile_lives_hold(s->src.tiles) : NULL;
	l->sums = s->sums ? ts_kind_sums_hold(s->sums) : NULL;
	rows = s->shown.where == TS_LIVE_ALL ? rows_to_read(s, TS_SECTION_LIVES, rows)
					     : lowered_rows(s, &s->shown, false);
	s->table.state = TS_PANE_LOADING;
	s->table.absent = s->shown.where == TS_LIVE_ALL ? TS_ABSENT_LIVE_VARIABLES
							: TS_ABSENT_VARIABLES;
	/* what has sums has its list from them, at once */
	l->f.job.behind = l->sums;
	send(s, &l->f, LIVE_FETCH_LIVES, l->sums ? INT64_MAX : rows);
}

static bool
same_query(const struct ts_alive_query *a, const struct ts_alive_query *b)
{
	return a->step == b->step && a->program == b->program && a->marks == b->marks &&
		memcmp(a->mark, b->mark, (size_t)a->marks * sizeof(*a->mark)) == 0 &&
		a->against == b->against && a->to == b->to && a->only == b->only &&
		a->group == b->group && a->most == b->most;
}

/* What is compared: the first mark with the last one, a mark with the cursor, a peak with the valley before it. */
static struct ts_alive_query
query_of(const struct liveness *s)
{
	struct ts_alive_query q = {.step = live_step(s),
		.program = live_program(s),
		.marks = s->marks,
		.against = TS_UNKNOWN,
		.only = s->only,
		.group = s->group,
		.most = live_alive_looks_further(s) ? TS_LIVES_MAX : TS_ALIVE_MAX};

	memcpy(q.mark, s->mark, (size_t)s->marks * sizeof(*s->mark));
	if (s->marks > 0) {
		q.against = s->mark[0];
		q.to = s->marks > 1 ? s->marks : 0;
	} else if (ts_peaks_rank(&s->src.line.peaks, (size_t)s->span.cursor) >= 0) {
		q.against = live_valley(s, (size_t)s->span.cursor);
	}
	if (q.against == TS_UNKNOWN)
		q.only = TS_ALIVE_EVERY;
	return q;
}

static void
ask_alive(struct liveness *s)
{
	bool whole = s->lives != NULL, grouped = whole && s->labels;
	bool summed = !whole && s->sums && s->src.tiles && s->group < 0;
	bool listed = whole || summed;
	struct ts_alive_query q;
	struct alive_fetch *a;

	if (s->src.line.count == 0 || sums_may_come(s))
		return;
	q = query_of(s);
	if (same_query(&s->asked, &q) && s->asked_listed == listed && s->asked_whole == whole &&
		s->asked_grouped == grouped)
		return;
	a = (struct alive_fetch *)new_fetch(LIVE_FETCH_ALIVE);
	if (!a)
		return;
	a->q = q;
	a->lives = whole ? ts_lives_hold(s->lives) : NULL;
	a->sums = summed ? ts_kind_sums_hold(s->sums) : NULL;
	a->tiles = summed ? ts_tile_lives_hold(s->src.tiles) : NULL;
	a->labels = grouped ? ts_live_labels_hold(s->labels) : NULL;
	a->before = s->alive ? ts_alive_hold(s->alive) : NULL;
	if (summed)
		a->q.most = SUMMED_ROWS;
	s->asked = q;
	s->asked_listed = listed;
	s->asked_whole = whole;
	s->asked_grouped = grouped;
	send(s, &a->f, LIVE_FETCH_ALIVE, 0);
}

/* What variables are for: when the lives are there, by a worker that nobody waits for. */
static void
ask_labels(struct liveness *s)
{
	struct labels_fetch *l;

	if (!s->labels_wanted || !s->lives)
		return;
	s->labels_wanted = false;
	l = (struct labels_fetch *)new_fetch(LIVE_FETCH_LABELS);
	if (!l) {
		live_no_memory(&s->labels_pane);
		return;
	}
	l->lives = ts_lives_hold(s->lives);
	l->groups = s->groups ? ts_groups_hold(s->groups) : NULL;
	l->rules = s->v.env->rules ? ts_strdup(s->v.env->rules) : NULL;
	l->cache = s->lives->variables > KEPT_ROWS ? s->v.env->cache : NULL;
	s->labels_pane.state = TS_PANE_LOADING;
	send(s, &l->f, LIVE_FETCH_LABELS, INT64_MAX);
}

static void
ask_checks(struct liveness *s)
{
	struct checks_fetch *c;

	if (!s->checks_wanted || s->table.state == TS_PANE_LOADING)
		return;
	s->checks_wanted = false;
	if (s->shown.where == TS_LIVE_ALL && s->device_checked) {
		s->checks = s->device;
		return;
	}
	c = (struct checks_fetch *)new_fetch(LIVE_FETCH_CHECKS);
	if (!c || !ts_live_source_copy(&c->source, &s->shown)) {
		free(c);
		return;
	}
	c->lives = s->lives ? ts_lives_hold(s->lives) : NULL;
	c->f.job.patient = true;
	send(s, &c->f, LIVE_FETCH_CHECKS, INT64_MAX);
}

/* What is being read by a pass is in the index now: ask again, which ends the reading. */
void
live_indexed(struct ts_view *v)
{
	struct liveness *s = (struct liveness *)v;
	size_t size;

	if (s->graph.state == TS_PANE_LOADING && s->source.where == TS_LIVE_ALL &&
		ts_index_section(v->env->index, TS_SECTION_LIVENESS, &size))
		s->line_wanted = true;
	if (s->under_way[LIVE_FETCH_LINE] && s->source.where != TS_LIVE_ALL &&
		ts_tile_lives_quick(v->env->index))
		s->line_wanted = true;
	if (s->table.state == TS_PANE_LOADING && s->shown.where == TS_LIVE_ALL &&
		ts_index_section(v->env->index, TS_SECTION_LIVES, &size))
		s->lives_wanted = true;
	if (s->table.state == TS_PANE_LOADING && s->shown.where == TS_LIVE_IPU &&
		ts_ipu_lives_quick(v->env->index))
		s->lives_wanted = true;
	ts_tabs_indexed(&s->tabs);
}

void
live_request(struct ts_view *v)
{
	struct liveness *s = (struct liveness *)v;

	if (!v->env->report)
		return;
	live_follow_selection(s);
	ask_line(s);
	if (!ts_pane_has(&s->graph))
		return;
	live_ask_steps(s);
	ask_sums(s);
	ask_alive(s);
	ask_lives(s);
	ask_labels(s);
	ask_checks(s);
	live_align_heat(s);
	ts_tabs_request(&s->tabs);
}
