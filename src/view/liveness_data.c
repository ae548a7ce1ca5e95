/* SPDX-License-Identifier: MIT */
/*
 * liveness_data - what the Liveness view asks of the report, and what becomes of the answers.
 *
 * Three fetches: the timeline and the lives of the variables, each once per report, and who is alive at
 * the cursor's step, again after every move (the queue lets the newest win). The timeline stays in
 * memory, so zoom and pan ask nobody. The lives are shared, read-only, with the worker that answers
 * the third. The Debug tab asks for itself.
 *
 * A question is asked once: when it is stopped or fails it is not asked again until the cursor moves
 * or the report is read anew.
 */
#include "config.h"

#include <stdio.h>

#include "tilescope/base/mem.h"
#include "tilescope/report/rows.h"
#include "tilescope/view/fetch.h"

#include "liveness_internal.h"

enum {
	BULK_ROWS = 1 << 20, /* more rows than this are no work for what the screen waits for */
	LARGE_BASE = 8,
	HEAD_ALONE = 1024, /* bytes of a section without anything in it, at most */
};

/* --- questions -------------------------------------------------------------------------------- */

struct line_fetch {
	struct ts_fetch f;
	struct ts_liveness line;
};

struct lives_fetch {
	struct ts_fetch f;
	struct ts_lives *lives;
};

struct alive_fetch {
	struct ts_fetch f;
	struct ts_lives *lives; /* held, or NULL */
	int64_t step, program;
	struct ts_alive *before; /* held, or NULL */
	struct ts_alive *alive;
};

static enum ts_code
read_line(struct ts_fetch *f, struct ts_reader *rd, struct ts_err *err)
{
	return ts_liveness_read(&((struct line_fetch *)f)->line, rd, &f->job.progress, err);
}

static void
fini_line(struct ts_fetch *f)
{
	ts_liveness_fini(&((struct line_fetch *)f)->line);
}

static enum ts_code
read_lives(struct ts_fetch *f, struct ts_reader *rd, struct ts_err *err)
{
	return ts_lives_read(&((struct lives_fetch *)f)->lives, rd, &f->job.progress, err);
}

static void
fini_lives(struct ts_fetch *f)
{
	ts_lives_close(((struct lives_fetch *)f)->lives);
}

static enum ts_code
read_alive(struct ts_fetch *f, struct ts_reader *rd, struct ts_err *err)
{
	struct alive_fetch *a = (struct alive_fetch *)f;

	return ts_alive_read(&a->alive, rd, a->lives, a->step, a->program, a->before, err);
}

static void
fini_alive(struct ts_fetch *f)
{
	struct alive_fetch *a = (struct alive_fetch *)f;

	ts_alive_close(a->alive);
	ts_alive_close(a->before);
	ts_lives_close(a->lives);
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
	if (f)
		ts_fetch_send(&s->v, f, kind, rows > BULK_ROWS ? TS_WORKER_BULK : TS_WORKER_SCREEN,
			fetches[kind].what);
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

static void
ask_whole(struct liveness *s, int kind, struct ts_pane_data *pane, int64_t rows)
{
	struct ts_fetch *f;

	if (pane->state != TS_PANE_EMPTY || s->v.env->looking)
		return;
	f = new_fetch(kind);
	pane->state = TS_PANE_LOADING;
	if (!f) {
		pane->state = TS_PANE_FAILED;
		snprintf(pane->reason, sizeof(pane->reason), "out of memory");
	}
	send(s, f, kind, rows);
}

static void
ask_alive(struct liveness *s)
{
	bool listed = s->lives != NULL;
	int64_t step = live_step(s);
	struct alive_fetch *a;

	if (s->line.count == 0 || (s->asked_step == step && s->asked_listed == listed))
		return;
	a = (struct alive_fetch *)new_fetch(LIVE_FETCH_ALIVE);
	if (!a)
		return;
	a->step = step;
	a->program = s->line.program[s->span.cursor];
	a->lives = listed ? ts_lives_hold(s->lives) : NULL;
	a->before = s->alive ? ts_alive_hold(s->alive) : NULL;
	s->asked_step = step;
	s->asked_listed = listed;
	send(s, &a->f, LIVE_FETCH_ALIVE, 0);
}

static void
want_rows(struct liveness *s)
{
	bool here = s->alive && s->alive->step == s->asked_step;

	if (s->lives && s->list.rows > 0)
		ts_window_want(&s->v, TS_WINDOW_LIVENESS, &s->list, (uint64_t)s->asked_step, 0,
			here ? s->alive->rows : 0);
}

/* Rows that have to be read: none where the index has it (one that leaves it to the rows is a head alone). */
static int64_t
rows_to_read(const struct liveness *s, enum ts_section section, int64_t rows)
{
	size_t size;

	return ts_index_section(s->v.env->index, section, &size) && size > HEAD_ALONE ? 0 : rows;
}

/* What is being read by a pass is in the index now: ask again, which ends the reading. */
void
live_indexed(struct ts_view *v)
{
	struct liveness *s = (struct liveness *)v;
	size_t size;

	if (s->graph.state == TS_PANE_LOADING &&
		ts_index_section(v->env->index, TS_SECTION_LIVENESS, &size))
		s->graph.state = TS_PANE_EMPTY;
	if (s->table.state == TS_PANE_LOADING &&
		ts_index_section(v->env->index, TS_SECTION_LIVES, &size))
		s->table.state = TS_PANE_EMPTY;
}

/* Where what is under the cursor comes from: of the step its program, of a row its variable. */
static void
ask_debug(struct liveness *s)
{
	struct ts_debug_about about = {.relation = TS_RELATION_COUNT};

	if (s->source == LIVE_GRAPH && s->line.count > 0)
		about = (struct ts_debug_about){.relation = TS_PROGRAM,
			.key = s->line.program[s->span.cursor],
			.what = "step"};
	else if (s->source == LIVE_TABLE && s->alive && s->list.cursor < s->alive->rows)
		about = (struct ts_debug_about){.relation = TS_VARIABLE,
			.key = s->alive->row[s->list.cursor].variable,
			.what = "variable"};
	ts_debug_request(&s->debug, &s->v, &about);
}

void
live_request(struct ts_view *v)
{
	struct liveness *s = (struct liveness *)v;
	const struct ts_report *r = v->env->report;
	int64_t rows = r ? rows_of(r, TS_VARIABLE) + rows_of(r, TS_LIVENESS_VARIABLE) : 0;

	if (!r)
		return;
	if (rows > BULK_ROWS) /* for the next time that the report is opened */
		v->env->wanted |= 1u << TS_SECTION_LIVES;
	ask_whole(s, LIVE_FETCH_LINE, &s->graph,
		rows_to_read(s, TS_SECTION_LIVENESS, rows_of(r, TS_LIVENESS_STEP)));
	if (!ts_pane_has(&s->graph))
		return;
	ask_whole(s, LIVE_FETCH_LIVES, &s->table, rows_to_read(s, TS_SECTION_LIVES, rows));
	ask_alive(s);
	want_rows(s);
	ask_debug(s);
}

/* --- answers ---------------------------------------------------------------------------------- */

static void
log_left_out(struct liveness *s, const char *what, int64_t n, const char *why)
{
	if (n > 0)
		ts_log_add(s->v.env->log, "liveness: %lld %s left out: %s", (long long)n, what,
			why);
}

/* On a base that is many times as high nothing of the rest could be seen: begin without it. */
static void
hide_large_base(struct liveness *s)
{
	int64_t highest = s->line.peaks.count > 0 ? s->line.peaks.peak[0].height : 0;

	if (s->data == 1 && highest > 0 && s->line.always_live != TS_UNKNOWN)
		s->no_base = s->line.always_live / LARGE_BASE >
			ts_liveness_device(&s->line, highest);
}

static void
take_line(struct liveness *s, struct ts_fetch *f)
{
	struct line_fetch *answer = (struct line_fetch *)f;

	ts_liveness_fini(&s->line);
	s->line = answer->line;
	answer->line = (struct ts_liveness){0};
	s->data++;
	ts_pane_result(&s->graph, f->code, &f->err, s->line.count > 0);
	log_left_out(s, "steps", s->line.bad_rows, "a number is missing, negative or too large");
	log_left_out(s, "steps", s->line.repeated, "the step stands there twice");
	log_left_out(s, "steps", s->line.unsorted, "not in order");
	ts_span_set_count(&s->span, (int64_t)s->line.count);
	hide_large_base(s);
	live_take_selection(s);
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
	log_left_out(s, "variables or lives", s->lives->bad_rows,
		"a number is missing, negative or too large");
	log_left_out(s, "lives", s->lives->reversed, "they end before they start");
	log_left_out(s, "lives", s->lives->orphans, "there is no such variable");
	log_left_out(s, "lives", s->lives->left_out, "more than are kept");
}

/* The row under the cursor stays the same variable where that is still alive. */
static void
take_alive(struct liveness *s, struct ts_fetch *f)
{
	struct alive_fetch *answer = (struct alive_fetch *)f;
	int64_t variable = s->alive && s->list.cursor < s->alive->rows
		? s->alive->row[s->list.cursor].variable
		: -1;
	int64_t row = 0;

	if (f->code || !answer->alive)
		return;
	ts_alive_close(s->alive);
	s->alive = answer->alive;
	answer->alive = NULL;
	while (row < s->alive->rows && s->alive->row[row].variable != variable)
		row++;
	ts_list_set_count(&s->list, s->alive->rows);
	ts_window_hold(&s->v, TS_WINDOW_LIVENESS, s->alive->rows,
		s->alive->rows * (int64_t)sizeof(*s->alive->row) + (int64_t)s->alive->text.len);
	if (s->list.cursor > 0 && row < s->alive->rows)
		ts_list_follow(&s->list, row);
}

static void
stopped(struct ts_pane_data *pane)
{
	if (pane->state != TS_PANE_LOADING)
		return;
	pane->state = TS_PANE_FAILED;
	snprintf(pane->reason, sizeof(pane->reason), "it was stopped; reload to try again");
}

enum ts_effect
live_deliver(struct ts_view *v, struct ts_fetch *f)
{
	static void (*const take[LIVE_FETCHES])(struct liveness *, struct ts_fetch *) = {take_line,
		take_lives, take_alive};
	struct liveness *s = (struct liveness *)v;
	int kind = f->job.kind;

	if (kind == TS_DEBUG_KIND) {
		enum ts_effect effect = ts_debug_deliver(&s->debug, v, f);

		live_lay_out(s);
		return effect;
	}
	if (kind < 0 || kind >= LIVE_FETCHES || s->under_way[kind] != f)
		return TS_EFFECT_NONE;
	s->under_way[kind] = NULL;
	if (!ts_fetch_in_vain(f, v->env->generation)) {
		take[kind](s, f);
		live_lay_out(s);
	} else if (kind == LIVE_FETCH_LINE) {
		stopped(&s->graph);
	} else if (kind == LIVE_FETCH_LIVES) {
		stopped(&s->table);
	}
	return (enum ts_effect)(TS_EFFECT_REPAINT | TS_EFFECT_RECALC);
}

/* --- another report --------------------------------------------------------------------------- */

void
live_drop(struct liveness *s)
{
	for (int i = 0; i < LIVE_FETCHES; i++)
		s->under_way[i] = NULL;
	ts_liveness_fini(&s->line);
	ts_lives_close(s->lives);
	ts_alive_close(s->alive);
	s->lives = NULL;
	s->alive = NULL;
	s->asked_step = -1;
	ts_debug_drop(&s->debug);
	s->graph.state = s->table.state = TS_PANE_EMPTY;
}
