/* SPDX-License-Identifier: MIT */
/*
 * liveness_data - what the Liveness view asks of the report, and what it does with the answers.
 *
 * Five fetches: the timeline of the source, the lives of its variables, what each of them is for (labels), whether the
 * figures agree (checks), each once per source; and who is alive at the cursor's step and at the marks,
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
#include "tilescope/report/rows.h"
#include "tilescope/report/tile_variables.h"
#include "tilescope/view/fetch.h"

#include "liveness_internal.h"

enum {
	BULK_ROWS = 1 << 20, /* more rows than this are no work for what the screen waits for */
	LARGE_BASE = 8,
	HEAD_ALONE = 1024, /* bytes of a section without anything in it, at most */
	PATH_LIMIT = 1 << 14,
	SENTENCE = 512,
};

/* --- questions -------------------------------------------------------------------------------- */

struct line_fetch {
	struct ts_fetch f;
	struct ts_live_source source;
	struct ts_source_line src;
};

struct lives_fetch {
	struct ts_fetch f;
	struct ts_live_source source;
	struct ts_tile_lives *tiles; /* held, or NULL */
	struct ts_lives *lives;
};

struct alive_fetch {
	struct ts_fetch f;
	struct ts_lives *lives;	       /* held, or NULL */
	struct ts_live_labels *labels; /* held, or NULL */
	struct ts_alive_query q;
	struct ts_alive *before; /* held, or NULL */
	struct ts_alive *alive;
};

struct labels_fetch {
	struct ts_fetch f;
	struct ts_lives *lives; /* held */
	char *rules;		/* directory of the user's rules, or NULL */
	struct ts_groups *groups;
	struct ts_live_labels *labels;
};

struct checks_fetch {
	struct ts_fetch f;
	struct ts_live_source source;
	struct ts_lives *lives; /* held, or NULL */
	struct ts_live_checks checks;
};

static enum ts_code
read_line(struct ts_fetch *f, struct ts_reader *rd, struct ts_err *err)
{
	struct line_fetch *l = (struct line_fetch *)f;

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
read_lives(struct ts_fetch *f, struct ts_reader *rd, struct ts_err *err)
{
	struct lives_fetch *l = (struct lives_fetch *)f;
	enum ts_code code = TS_OK;

	if (l->source.where == TS_LIVE_ALL)
		return ts_lives_read(&l->lives, rd, &f->job.progress, err);
	if (!l->tiles)
		code = ts_tile_lives_read(&l->tiles, rd, &f->job.progress, err);
	if (!l->tiles)
		return code;
	return ts_lives_read_source(&l->lives, rd, &l->source, l->tiles, NULL, &f->job.progress,
		err);
}

static void
fini_lives(struct ts_fetch *f)
{
	struct lives_fetch *l = (struct lives_fetch *)f;

	ts_lives_close(l->lives);
	ts_tile_lives_close(l->tiles);
	ts_live_source_fini(&l->source);
}

static enum ts_code
read_alive(struct ts_fetch *f, struct ts_reader *rd, struct ts_err *err)
{
	struct alive_fetch *a = (struct alive_fetch *)f;

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
	return ts_live_labels_read(&l->labels, rd, l->lives, l->groups, NULL, &f->job.progress,
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
	return code;
}

static void
fini_checks(struct ts_fetch *f)
{
	struct checks_fetch *c = (struct checks_fetch *)f;

	ts_lives_close(c->lives);
	ts_live_source_fini(&c->source);
}

static const struct {
	size_t size;
	enum ts_code (*read)(struct ts_fetch *f, struct ts_reader *rd, struct ts_err *err);
	void (*fini)(struct ts_fetch *f);
	const char *what;
} fetches[LIVE_FETCHES] = {
	[LIVE_FETCH_LINE] = {sizeof(struct line_fetch), read_line, fini_line,
		"reading liveness steps"},
	[LIVE_FETCH_LIVES] = {sizeof(struct lives_fetch), read_lives, fini_lives,
		"reading lives of variables"},
	[LIVE_FETCH_ALIVE] = {sizeof(struct alive_fetch), read_alive, fini_alive,
		"looking who is alive"},
	[LIVE_FETCH_LABELS] = {sizeof(struct labels_fetch), read_labels, fini_labels,
		"grouping variables"},
	[LIVE_FETCH_CHECKS] = {sizeof(struct checks_fetch), read_checks, fini_checks,
		"comparing figures of liveness"},
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
live_send(struct ts_tab *t, struct ts_fetch *f, int kind, int64_t rows, const char *what)
{
	ts_fetch_send(t->view, f, t->kind + kind,
		rows > BULK_ROWS ? TS_WORKER_BULK : TS_WORKER_SCREEN, what);
}

static void
no_memory(struct ts_pane_data *pane)
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
	return reach->has_rowid ? ts_reach_span(reach) : BULK_ROWS;
}

/* Rows that have to be read: none where the index has it (one that leaves it to the rows is a head alone). */
static int64_t
rows_to_read(const struct liveness *s, enum ts_section section, int64_t rows)
{
	size_t size;

	return ts_index_section(s->v.env->index, section, &size) && size > HEAD_ALONE ? 0 : rows;
}

/* Lowered variables that a question about the source goes through. */
static int64_t
lowered_rows(const struct liveness *s, bool by_class)
{
	const struct ts_report *r = s->v.env->report;
	int64_t all = rows_of(r, TS_LOWERED_VARIABLE);

	if (by_class && ts_tile_lives_quick(s->v.env->index))
		return 0;
	if (s->source.where == TS_LIVE_TILE &&
		ts_tile_variables_quick(r, s->v.env->index, s->source.number))
		return 0;
	return all;
}

static int64_t
line_rows(const struct liveness *s)
{
	const struct ts_report *r = s->v.env->report;
	int64_t line = rows_to_read(s, TS_SECTION_LIVENESS, rows_of(r, TS_LIVENESS_STEP));

	if (s->source.where == TS_LIVE_ALL && ts_report_has(r, TS_LIVENESS_STEP))
		return line;
	if (s->source.where == TS_LIVE_IPU && ts_report_has(r, TS_LIVENESS_STEP_IPU))
		return line + rows_of(r, TS_LIVENESS_STEP_IPU);
	return line + lowered_rows(s, true);
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
		no_memory(&s->graph);
		return;
	}
	if (!ts_pane_has(&s->graph))
		s->graph.state = TS_PANE_LOADING;
	if (s->source.where != TS_LIVE_ALL) /* for the next time */
		s->v.env->wanted |= 1u << TS_SECTION_TILE_LIVES;
	send(s, &l->f, LIVE_FETCH_LINE, line_rows(s));
}

static void
ask_lives(struct liveness *s)
{
	const struct ts_report *r = s->v.env->report;
	int64_t rows = rows_of(r, TS_VARIABLE) + rows_of(r, TS_LIVENESS_VARIABLE);
	struct lives_fetch *l;

	if (s->shown.where == TS_LIVE_ALL && rows > BULK_ROWS)
		s->v.env->wanted |= 1u << TS_SECTION_LIVES;
	if (!s->lives_wanted || s->v.env->looking)
		return;
	s->lives_wanted = false;
	l = (struct lives_fetch *)new_fetch(LIVE_FETCH_LIVES);
	if (!l || !ts_live_source_copy(&l->source, &s->shown)) {
		free(l);
		no_memory(&s->table);
		return;
	}
	l->tiles = s->src.tiles ? ts_tile_lives_hold(s->src.tiles) : NULL;
	rows = s->shown.where == TS_LIVE_ALL ? rows_to_read(s, TS_SECTION_LIVES, rows)
					     : lowered_rows(s, false);
	s->table.state = TS_PANE_LOADING;
	s->table.absent = s->shown.where == TS_LIVE_ALL ? TS_ABSENT_LIVE_VARIABLES
							: TS_ABSENT_VARIABLES;
	send(s, &l->f, LIVE_FETCH_LIVES, rows);
}

static bool
same_query(const struct ts_alive_query *a, const struct ts_alive_query *b)
{
	return a->step == b->step && a->program == b->program && a->marks == b->marks &&
		memcmp(a->mark, b->mark, (size_t)a->marks * sizeof(*a->mark)) == 0 &&
		a->against == b->against && a->to == b->to && a->only == b->only &&
		a->group == b->group;
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
		.group = s->group};

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
	bool listed = s->lives != NULL, grouped = listed && s->labels;
	struct ts_alive_query q;
	struct alive_fetch *a;

	if (s->src.line.count == 0)
		return;
	q = query_of(s);
	if (same_query(&s->asked, &q) && s->asked_listed == listed && s->asked_grouped == grouped)
		return;
	a = (struct alive_fetch *)new_fetch(LIVE_FETCH_ALIVE);
	if (!a)
		return;
	a->q = q;
	a->lives = listed ? ts_lives_hold(s->lives) : NULL;
	a->labels = grouped ? ts_live_labels_hold(s->labels) : NULL;
	a->before = s->alive ? ts_alive_hold(s->alive) : NULL;
	s->asked = q;
	s->asked_listed = listed;
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
		no_memory(&s->labels_pane);
		return;
	}
	l->lives = ts_lives_hold(s->lives);
	l->groups = s->groups ? ts_groups_hold(s->groups) : NULL;
	l->rules = s->v.env->rules ? ts_strdup(s->v.env->rules) : NULL;
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
	c = (struct checks_fetch *)new_fetch(LIVE_FETCH_CHECKS);
	if (!c || !ts_live_source_copy(&c->source, &s->shown)) {
		free(c);
		return;
	}
	c->lives = s->lives ? ts_lives_hold(s->lives) : NULL;
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
	ask_lives(s);
	ask_alive(s);
	ask_labels(s);
	ask_checks(s);
	ts_tabs_request(&s->tabs);
}

/* --- answers ---------------------------------------------------------------------------------- */

static void
log_left_out(struct liveness *s, const char *what, int64_t n, const char *why)
{
	if (n > 0)
		ts_log_add(s->v.env->log, "liveness: %lld %s left out: %s", (long long)n, what,
			why);
}

/* What was read of the source that is shown. Questions about it are answered in vain. */
static void
drop_source(struct liveness *s)
{
	s->under_way[LIVE_FETCH_LIVES] = s->under_way[LIVE_FETCH_ALIVE] = NULL;
	s->under_way[LIVE_FETCH_LABELS] = s->under_way[LIVE_FETCH_CHECKS] = NULL;
	ts_source_line_fini(&s->src);
	ts_live_source_fini(&s->shown);
	ts_lives_close(s->lives);
	ts_alive_close(s->alive);
	ts_live_labels_close(s->labels);
	s->lives = NULL;
	s->alive = NULL;
	s->labels = NULL;
	s->checks = (struct ts_live_checks){0};
	s->asked = (struct ts_alive_query){.step = -1};
	s->table.state = s->labels_pane.state = TS_PANE_EMPTY;
}

/* On a base that is many times as high nothing of the rest could be seen: begin without it. */
static void
hide_large_base(struct liveness *s)
{
	const struct ts_liveness *l = &s->src.line;
	int64_t highest = l->peaks.count > 0 ? l->peaks.peak[0].height : 0;

	if (highest > 0 && l->always_live != TS_UNKNOWN)
		s->no_base = l->always_live / LARGE_BASE > ts_liveness_device(l, highest);
}

static void
take_line(struct liveness *s, struct ts_fetch *f)
{
	struct line_fetch *answer = (struct line_fetch *)f;
	struct ts_pane_data before = s->graph;
	const struct ts_liveness *l;

	ts_pane_result(&s->graph, f->code, &f->err, answer->src.line.count > 0);
	if (!ts_pane_has(&s->graph) && before.state == TS_PANE_STALE) {
		/* it cannot be had of this source: the old one stays */
		ts_view_say_error(s->v.env, "%s", s->graph.reason);
		s->graph = before;
		s->graph.state = TS_PANE_READY;
		ts_live_source_fini(&s->source);
		if (!ts_live_source_copy(&s->source, &s->shown))
			no_memory(&s->graph);
		s->follow = false;
		return;
	}
	drop_source(s);
	s->src = answer->src;
	answer->src = (struct ts_source_line){0};
	s->shown = answer->source;
	answer->source = (struct ts_live_source){.where = TS_LIVE_ALL};
	s->data++;
	l = &s->src.line;
	log_left_out(s, "steps", l->bad_rows, "a number is missing, negative or too large");
	log_left_out(s, "steps", l->repeated, "the step stands there twice");
	log_left_out(s, "steps", l->unsorted, "not in order");
	s->lives_wanted = s->labels_wanted = s->checks_wanted = true;
	if (l->replicas < 2)
		s->one_replica = false;
	ts_span_set_count(&s->span, (int64_t)l->count);
	if (s->data == 1)
		hide_large_base(s);
	live_take_selection(s);
	s->to_peak = false;
}

static void
take_lives(struct liveness *s, struct ts_fetch *f)
{
	struct lives_fetch *answer = (struct lives_fetch *)f;

	ts_lives_close(s->lives);
	s->lives = answer->lives;
	answer->lives = NULL;
	ts_pane_result(&s->table, f->code, &f->err, s->lives && s->lives->count > 0);
	if (!s->lives)
		return;
	if (!s->src.tiles && answer->tiles) { /* for those who ask about the tiles of the source */
		s->src.tiles = answer->tiles;
		answer->tiles = NULL;
	}
	log_left_out(s, "variables or lives", s->lives->bad_rows,
		"a number is missing, negative or too large");
	log_left_out(s, "lives", s->lives->reversed, "they end before they start");
	log_left_out(s, "lives", s->lives->orphans, "there is no such variable, or no such class");
	log_left_out(s, "lives", s->lives->left_out, "more than are kept");
}

static void
take_alive(struct liveness *s, struct ts_fetch *f)
{
	struct alive_fetch *answer = (struct alive_fetch *)f;

	if (f->code || !answer->alive)
		return;
	ts_alive_close(s->alive);
	s->alive = answer->alive;
	answer->alive = NULL;
	s->alive_data++;
	ts_window_hold(&s->v, TS_WINDOW_LIVENESS, s->alive->rows,
		s->alive->rows * (int64_t)sizeof(*s->alive->row) + (int64_t)s->alive->text.len);
}

static void
take_labels(struct liveness *s, struct ts_fetch *f)
{
	struct labels_fetch *answer = (struct labels_fetch *)f;

	ts_pane_result(&s->labels_pane, f->code, &f->err, answer->labels != NULL);
	if (!s->groups && answer->groups)
		s->groups = ts_groups_hold(answer->groups);
	ts_live_labels_close(s->labels);
	s->labels = answer->labels;
	answer->labels = NULL;
	if (f->code && f->code != TS_E_DAMAGED && f->code != TS_E_CANCELLED)
		ts_log_add(s->v.env->log, "groups of variables: %s", f->err.msg);
}

static void
take_checks(struct liveness *s, struct ts_fetch *f)
{
	if (f->code)
		return;
	s->checks = ((struct checks_fetch *)f)->checks;
	for (int i = 0; i < TS_LIVE_CHECKS; i++) {
		struct ts_strbuf say;

		if (s->checks.differ[i].steps == 0)
			continue;
		ts_strbuf_init(&say, SENTENCE);
		ts_live_check_say(&say, &s->checks, (enum ts_live_check)i);
		ts_log_add(s->v.env->log, "liveness: %s", say.s);
		ts_strbuf_fini(&say);
	}
}

static void
stopped(struct ts_pane_data *pane)
{
	if (pane->state == TS_PANE_STALE)
		pane->state = TS_PANE_READY;
	if (pane->state != TS_PANE_LOADING)
		return;
	pane->state = TS_PANE_FAILED;
	snprintf(pane->reason, sizeof(pane->reason), "it was stopped; reload to try again");
}

static void
stopped_fetch(struct liveness *s, int kind)
{
	if (kind == LIVE_FETCH_LINE) {
		stopped(&s->graph);
		ts_live_source_fini(&s->source);
		if (!ts_live_source_copy(&s->source, &s->shown))
			no_memory(&s->graph);
		s->follow = false;
	} else if (kind == LIVE_FETCH_LIVES) {
		stopped(&s->table);
	} else if (kind == LIVE_FETCH_LABELS) {
		stopped(&s->labels_pane);
	}
}

enum ts_effect
live_deliver(struct ts_view *v, struct ts_fetch *f)
{
	static void (*const take[LIVE_FETCHES])(struct liveness *, struct ts_fetch *) = {take_line,
		take_lives, take_alive, take_labels, take_checks};
	struct liveness *s = (struct liveness *)v;
	enum ts_effect effect = ts_tabs_deliver(&s->tabs, f);
	int kind = f->job.kind;

	if (!(effect & TS_EFFECT_UNKNOWN)) {
		live_lay_out(s);
		return effect;
	}
	if (kind < 0 || kind >= LIVE_FETCHES || s->under_way[kind] != f)
		return TS_EFFECT_NONE;
	s->under_way[kind] = NULL;
	if (!ts_fetch_in_vain(f, v->env->generation)) {
		take[kind](s, f);
		live_lay_out(s);
	} else {
		stopped_fetch(s, kind);
	}
	return (enum ts_effect)(TS_EFFECT_REPAINT | TS_EFFECT_RECALC);
}

/* --- another report --------------------------------------------------------------------------- */

void
live_drop(struct liveness *s)
{
	for (int i = 0; i < LIVE_FETCHES; i++)
		s->under_way[i] = NULL;
	drop_source(s);
	ts_groups_close(s->groups);
	s->groups = NULL;
	ts_tabs_drop(&s->tabs);
	s->graph.state = TS_PANE_EMPTY;
	s->line_wanted = true;
}
