/* SPDX-License-Identifier: MIT */
/*
 * liveness - state, questions and commands of the Liveness view; liveness_draw.c draws it.
 *
 * Three fetches: the timeline and the lives of the variables, each once per report, and who is alive at
 * the cursor's step, again after every move (the queue lets the newest win). The timeline stays in
 * memory, so zoom and pan ask nobody. The lives are shared, read-only, with the worker that answers
 * the third.
 *
 * A question is asked once: when it is stopped or fails it is not asked again until the cursor moves
 * or the report is read anew.
 */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tilescope/base/mem.h"
#include "tilescope/base/utf8.h"
#include "tilescope/report/rows.h"
#include "tilescope/view/fetch.h"

#include "liveness_internal.h"

enum {
	LEAST_STEPS = 4,     /* zooming in stops here */
	BULK_ROWS = 1 << 20, /* more rows than this are no work for what the screen waits for */
	WHEEL_ROWS = 3,
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

/* Rows that have to be read: none where the index has it (one that leaves it to the rows is a head alone). */
static int64_t
rows_to_read(const struct liveness *s, enum ts_section section, int64_t rows)
{
	size_t size;

	return ts_index_section(s->v.env->index, section, &size) && size > HEAD_ALONE ? 0 : rows;
}

/* What is being read by a pass is in the index now: ask again, which ends the reading. */
static void
indexed(struct ts_view *v)
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

static void
request(struct ts_view *v)
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
}

/* --- places ----------------------------------------------------------------------------------- */

int64_t
live_step(const struct liveness *s)
{
	return s->line.count > 0 ? s->line.step[s->span.cursor] : TS_UNKNOWN;
}

const char *
live_name(const struct liveness *s, int row, char buf[LIVE_NAME])
{
	const char *name = ts_alive_name(s->alive, row);

	if (*name)
		return name;
	snprintf(buf, LIVE_NAME, "variable %lld", (long long)s->alive->row[row].variable);
	return buf;
}

/* The cursor has moved: tell the others. */
static enum ts_effect
moved(struct liveness *s, enum ts_effect effect)
{
	if (s->line.count > 0)
		s->v.env->selection->live_step = live_step(s);
	return effect;
}

static enum ts_effect
go_point(struct liveness *s, size_t point)
{
	return moved(s, ts_span_go(&s->span, (int64_t)point));
}

/* The place that the selection names, else the highest peak. */
static void
take_selection(struct liveness *s)
{
	int64_t step = s->v.env->selection->live_step;

	if (s->line.count == 0)
		return;
	if (step >= 0)
		go_point(s, ts_liveness_find(&s->line, step));
	else
		go_point(s, s->line.peaks.count > 0 ? s->line.peaks.peak[0].at : 0);
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
	take_selection(s);
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

static enum ts_effect
deliver(struct ts_view *v, struct ts_fetch *f)
{
	static void (*const take[LIVE_FETCHES])(struct liveness *, struct ts_fetch *) = {take_line,
		take_lives, take_alive};
	struct liveness *s = (struct liveness *)v;
	int kind = f->job.kind;

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

/* --- commands --------------------------------------------------------------------------------- */

/*
 * With several steps to a column the cursor stands on the highest of them; of those behind `old`, where it
 * comes from: at the edge of the screen the range moves, and the column may hold that one again.
 */
static void
prefer_highest(struct liveness *s, int64_t old)
{
	int column = ts_span_column(&s->span, s->span.cursor);
	struct ts_live_range range;
	int64_t a, b;

	if (column < 0 || s->line.count == 0)
		return;
	ts_span_bucket(&s->span, column, &a, &b);
	if (old < s->span.cursor)
		a = ts_max_i64(a, old + 1);
	if (b - a < 2)
		return;
	ts_liveness_range(&range, &s->line, (size_t)a, (size_t)b);
	s->span.cursor = (int64_t)range.highest;
}

static enum ts_effect
along_chart(struct liveness *s, const struct ts_call *call)
{
	int64_t old = s->span.cursor;
	enum ts_effect effect;

	if (s->line.count == 0)
		return TS_EFFECT_BELL;
	effect = ts_span_command(&s->span, call->cmd);
	if ((call->cmd == TS_CMD_LEFT || call->cmd == TS_CMD_RIGHT) && s->span.cursor != old)
		prefer_highest(s, old);
	return moved(s, effect);
}

static enum ts_effect
along_list(struct liveness *s, const struct ts_call *call)
{
	return s->alive ? ts_list_command(&s->list, call->cmd) : TS_EFFECT_BELL;
}

static enum ts_effect
along_focus(struct liveness *s, const struct ts_call *call)
{
	return (s->focus == LIVE_TABLE ? along_list : along_chart)(s, call);
}

static enum ts_effect
walk_peaks(struct liveness *s, const struct ts_call *call)
{
	const struct ts_peaks *peaks = &s->line.peaks;
	ptrdiff_t rank, step = call->cmd == TS_CMD_PEAK_NEXT ? 1 : -1;

	if (peaks->count == 0)
		return TS_EFFECT_BELL;
	rank = ts_peaks_rank(peaks, (size_t)s->span.cursor);
	if (rank >= 0)
		rank += step;
	else /* from anywhere: to the highest, or back to the one before */
		rank = step > 0 || s->rank >= (ptrdiff_t)peaks->count ? 0 : s->rank;
	if (rank < 0 || rank >= (ptrdiff_t)peaks->count) {
		ts_view_say(s->v.env, rank < 0 ? "this is the highest peak" : "no more peaks");
		return TS_EFFECT_BELL;
	}
	s->rank = rank;
	return (enum ts_effect)(go_point(s, peaks->peak[rank].at) | TS_EFFECT_REPAINT);
}

static enum ts_effect
go_to(struct liveness *s, const struct ts_call *call)
{
	const char *text = ts_call_arg(call, 0);
	char *end;
	long long step;
	size_t point;

	if (!text || s->line.count == 0)
		return TS_EFFECT_BELL;
	step = strtoll(text, &end, 10);
	if (end == text || *end || step < 0) {
		ts_view_say_error(s->v.env, "not a liveness step: %s", text);
		return TS_EFFECT_BELL;
	}
	point = ts_liveness_find(&s->line, step);
	if (s->line.step[point] != step)
		ts_view_say(s->v.env, "no step %lld here; the nearest is %lld", step,
			(long long)s->line.step[point]);
	return (enum ts_effect)(go_point(s, point) | TS_EFFECT_REPAINT);
}

static enum ts_effect
toggle_base(struct liveness *s, const struct ts_call *call)
{
	(void)call;
	if (s->line.always_live == TS_UNKNOWN) {
		ts_view_say(s->v.env, "how much is always live is not recorded");
		return TS_EFFECT_BELL;
	}
	s->no_base = !s->no_base;
	live_lay_out(s);
	ts_view_say(s->v.env,
		s->no_base ? "always-live memory is hidden in the graph"
			   : "always-live memory is shown");
	return (enum ts_effect)(TS_EFFECT_REPAINT | TS_EFFECT_RECALC);
}

static enum ts_effect
change_pane(struct liveness *s, const struct ts_call *call)
{
	unsigned wants = 1u << LIVE_GRAPH | 1u << LIVE_TABLE;
	int step = call->cmd == TS_CMD_PANE_NEXT ? 1 : -1, focus = s->focus;

	if (s->zoomed)
		s->focus = s->focus == LIVE_GRAPH ? LIVE_TABLE : LIVE_GRAPH;
	else
		s->focus = ts_layout_next(s->pane, wants, s->focus, step);
	live_lay_out(s);
	return s->focus == focus ? TS_EFFECT_BELL : TS_EFFECT_REPAINT;
}

static enum ts_effect
zoom_pane(struct liveness *s, const struct ts_call *call)
{
	(void)call;
	s->zoomed = !s->zoomed;
	live_lay_out(s);
	return (enum ts_effect)(TS_EFFECT_REPAINT | TS_EFFECT_REFLOW);
}

/* The next row from the cursor in a direction whose name holds the needle, around the end; -1. */
static int
find_row(const struct liveness *s, int from, int step)
{
	int n = s->alive->rows;

	for (int i = 0; i < n; i++, from += step) {
		char buf[LIVE_NAME];
		int row = ((from % n) + n) % n;

		if (ts_contains_nocase(live_name(s, row, buf), s->needle))
			return row;
	}
	return -1;
}

static enum ts_effect
find(struct liveness *s, int step, bool here)
{
	int hits = 0, before = 0, row;
	char buf[LIVE_NAME];

	if (!s->alive || s->alive->rows == 0 || !s->needle[0]) {
		ts_view_say(s->v.env,
			s->needle[0] ? "no variables to search" : "nothing to search for");
		return TS_EFFECT_BELL;
	}
	row = find_row(s, (int)s->list.cursor + (here ? 0 : step), step);
	if (row < 0) {
		ts_view_say_error(s->v.env,
			"no variable alive at step %lld has this in its name: %s",
			(long long)s->alive->step, s->needle);
		return TS_EFFECT_BELL;
	}
	for (int i = 0; i < s->alive->rows; i++) {
		bool hit = ts_contains_nocase(live_name(s, i, buf), s->needle);

		hits += hit;
		before += hit && i < row;
	}
	ts_view_say(s->v.env, "hit %d of %d%s", before + 1, hits,
		s->alive->rows < s->alive->count ? " in the largest variables" : "");
	return (enum ts_effect)(ts_list_jump(&s->list, row) | TS_EFFECT_REPAINT);
}

static enum ts_effect
search(struct liveness *s, const struct ts_call *call)
{
	const char *text = ts_call_arg(call, 0);

	if (!text)
		return TS_EFFECT_UNKNOWN; /* the program asks for it first */
	snprintf(s->needle, sizeof(s->needle), "%s", text);
	return find(s, call->cmd == TS_CMD_SEARCH ? 1 : -1, true);
}

static enum ts_effect
search_again(struct liveness *s, const struct ts_call *call)
{
	return find(s, call->cmd == TS_CMD_SEARCH_NEXT ? 1 : -1, false);
}

static enum ts_effect
copy(struct liveness *s, const struct ts_call *call)
{
	struct ts_view_env *env = s->v.env;
	struct ts_strbuf text;
	char buf[LIVE_NAME];

	(void)call;
	if (s->line.count == 0)
		return TS_EFFECT_BELL;
	ts_strbuf_init(&text, sizeof(env->copy) - 1);
	if (s->focus == LIVE_TABLE && s->alive && s->list.cursor < s->alive->rows) {
		const struct ts_alive_row *row = &s->alive->row[s->list.cursor];
		const char *name = live_name(s, (int)s->list.cursor, buf);

		ts_strbuf_printf(&text, "%lld\t%lld\t%lld\t", (long long)row->bytes,
			(long long)row->start, (long long)row->end - 1);
		ts_utf8_safe(&text, name, strlen(name));
	} else {
		ts_strbuf_printf(&text, "%lld\t%lld", (long long)live_step(s),
			(long long)s->line.bytes[s->span.cursor]);
	}
	snprintf(env->copy, sizeof(env->copy), "%s", text.s);
	ts_strbuf_fini(&text);
	return TS_EFFECT_NONE;
}

static const struct {
	enum ts_cmd cmd;
	enum ts_effect (*run)(struct liveness *s, const struct ts_call *call);
} commands[] = {
	{TS_CMD_LEFT, along_focus},
	{TS_CMD_RIGHT, along_focus},
	{TS_CMD_FIRST, along_focus},
	{TS_CMD_LAST, along_focus},
	{TS_CMD_PAGE_UP, along_focus},
	{TS_CMD_PAGE_DOWN, along_focus},
	{TS_CMD_HALF_UP, along_focus},
	{TS_CMD_HALF_DOWN, along_focus},
	{TS_CMD_UP, along_list}, /* a chart has no rows: the keys go to the table in any case */
	{TS_CMD_DOWN, along_list},
	{TS_CMD_PAGE_LEFT, along_chart},
	{TS_CMD_PAGE_RIGHT, along_chart},
	{TS_CMD_ZOOM_IN, along_chart},
	{TS_CMD_ZOOM_OUT, along_chart},
	{TS_CMD_ZOOM_FIT, along_chart},
	{TS_CMD_PEAK_NEXT, walk_peaks},
	{TS_CMD_PEAK_PREVIOUS, walk_peaks},
	{TS_CMD_GOTO, go_to},
	{TS_CMD_SERIES, toggle_base},
	{TS_CMD_PANE_NEXT, change_pane},
	{TS_CMD_PANE_PREVIOUS, change_pane},
	{TS_CMD_PANE_ZOOM, zoom_pane},
	{TS_CMD_SEARCH, search},
	{TS_CMD_SEARCH_BACK, search},
	{TS_CMD_SEARCH_NEXT, search_again},
	{TS_CMD_SEARCH_PREVIOUS, search_again},
	{TS_CMD_COPY, copy},
};

static enum ts_effect
command(struct ts_view *v, const struct ts_call *call)
{
	for (size_t i = 0; i < TS_COUNT(commands); i++)
		if (commands[i].cmd == call->cmd)
			return commands[i].run((struct liveness *)v, call);
	return TS_EFFECT_UNKNOWN;
}

static enum ts_context
pane_context(struct ts_view *v)
{
	return ((struct liveness *)v)->focus == LIVE_TABLE ? TS_CONTEXT_LIST : TS_CONTEXT_CHART;
}

/* --- mouse ------------------------------------------------------------------------------------ */

static enum ts_effect
mouse_chart(struct liveness *s, int x, int wheel, bool strip)
{
	struct ts_span all = s->span;
	struct live_parts parts;
	int64_t a, b;

	live_parts(&parts, s);
	x -= parts.frame.plot.x;
	if (s->line.count == 0 || x < 0 || x >= parts.frame.plot.w)
		return TS_EFFECT_NONE;
	if (strip)
		ts_span_show(&all, 0, all.count);
	ts_span_bucket(&all, x, &a, &b);
	if (wheel == 0) {
		enum ts_effect effect = go_point(s, (size_t)a);

		if (!strip)
			prefer_highest(s, INT64_MAX);
		return moved(s, (enum ts_effect)(effect | TS_EFFECT_REPAINT));
	}
	return moved(s, ts_span_command(&s->span, wheel < 0 ? TS_CMD_ZOOM_IN : TS_CMD_ZOOM_OUT));
}

static enum ts_effect
mouse_table(struct liveness *s, int y, int wheel)
{
	struct ts_column columns[TS_TABLE_COLUMNS];
	struct ts_rect totals, body = live_table_body(s, &totals);
	struct ts_table t;
	int64_t row;

	if (!s->alive)
		return TS_EFFECT_NONE;
	if (wheel != 0)
		return ts_list_scroll(&s->list, wheel * WHEEL_ROWS);
	live_table(&t, columns, s);
	row = ts_list_at(&s->list, ts_table_line(&t, body, y));
	return row < 0 ? TS_EFFECT_NONE : ts_list_go(&s->list, row);
}

static enum ts_effect
mouse(struct ts_view *v, int x, int y, int wheel)
{
	struct liveness *s = (struct liveness *)v;
	int pane = ts_layout_at(s->pane, x, y);
	enum ts_effect effect = TS_EFFECT_NONE;

	if (pane == LIVE_STRIP || pane == LIVE_GRAPH)
		effect = mouse_chart(s, x, wheel, pane == LIVE_STRIP);
	else if (pane == LIVE_TABLE)
		effect = mouse_table(s, y, wheel);
	if (wheel == 0 && (pane == LIVE_GRAPH || pane == LIVE_TABLE))
		s->focus = pane;
	return (enum ts_effect)(effect | TS_EFFECT_REPAINT);
}

/* --- life ------------------------------------------------------------------------------------- */

static void
drop_data(struct liveness *s)
{
	for (int i = 0; i < LIVE_FETCHES; i++)
		s->under_way[i] = NULL;
	ts_liveness_fini(&s->line);
	ts_lives_close(s->lives);
	ts_alive_close(s->alive);
	s->lives = NULL;
	s->alive = NULL;
	s->asked_step = -1;
	s->graph.state = s->table.state = TS_PANE_EMPTY;
}

static struct ts_view *
open_view(struct ts_view_env *env)
{
	struct liveness *s = ts_alloc(1, sizeof(*s));

	if (!s)
		return NULL;
	s->v.ops = &ts_view_liveness;
	s->v.env = env;
	s->focus = LIVE_GRAPH;
	s->asked_step = -1;
	s->graph = (struct ts_pane_data){.what = "how much memory is live at each step",
		.option = "autoReport.outputGraphProfile (or autoReport.all)",
		.cost = "compile time and file size, no IPU memory",
		.instead =
			"tilescope import asks the Poplar SDK's libpva for it; Memory (key 3) shows how "
			"full each tile is"};
	s->table = s->graph;
	s->table.what = "which variables are live at each step";
	ts_span_init(&s->span);
	s->span.least = LEAST_STEPS;
	ts_list_init(&s->list);
	return &s->v;
}

static void
close_view(struct ts_view *v)
{
	drop_data((struct liveness *)v);
	free(v);
}

static void
reload(struct ts_view *v)
{
	drop_data((struct liveness *)v);
}

static void
shown(struct ts_view *v)
{
	take_selection((struct liveness *)v);
}

static void
resize(struct ts_view *v, struct ts_rect area)
{
	struct liveness *s = (struct liveness *)v;

	s->area = area;
	live_lay_out(s);
}

const struct ts_view_ops ts_view_liveness = {
	.name = "liveness",
	.title = "Liveness",
	.number = 4,
	.context = TS_CONTEXT_LIVENESS,
	.open = open_view,
	.close = close_view,
	.reload = reload,
	.indexed = indexed,
	.shown = shown,
	.resize = resize,
	.draw = live_draw,
	.request = request,
	.deliver = deliver,
	.command = command,
	.pane_context = pane_context,
	.mouse = mouse,
};
