/* SPDX-License-Identifier: MIT */
/*
 * liveness_steps - searching and filtering the steps of the Liveness graph: by the name of the program that runs there, its
 * type, the number of the step, its bytes.
 *
 * A search marks its hits on the overview strip, and n and N go from one to the next. A filter leaves a timeline of
 * the steps that pass, which takes the place of the whole one: cursor, zoom, peaks and files are those of what is
 * left, what is known of lifetimes stays that of all steps. Both are asked again when another timeline comes.
 */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tilescope/base/mem.h"

#include "liveness_fetch.h"

struct hits_fetch {
	struct ts_fetch f;
	struct ts_liveness points;
	bool searching;
	char needle[LIVE_NEEDLE];
	struct ts_filter filter;
	struct ts_live_hits hits;
	struct ts_liveness kept;
};

static enum ts_code
read_hits(struct ts_fetch *f, struct ts_reader *rd, struct ts_err *err)
{
	struct hits_fetch *h = (struct hits_fetch *)f;
	enum ts_code code = ts_live_hits_find(&h->hits, rd, &h->points,
		h->searching ? h->needle : NULL, &h->filter, &f->job.progress, err);

	if (!code && !h->searching && h->hits.hits > 0)
		code = ts_live_hits_keep(&h->kept, &h->points, &h->hits, err);
	return code;
}

static void
fini_hits(struct ts_fetch *f)
{
	struct hits_fetch *h = (struct hits_fetch *)f;

	ts_liveness_fini(&h->points);
	ts_liveness_fini(&h->kept);
	ts_live_hits_fini(&h->hits);
}

const struct ts_liveness *
live_whole(const struct liveness *s)
{
	return s->steps.filtered ? &s->steps.whole : &s->src.line;
}

/* Ask about the points of the timeline that is shown, or, for a filter, of the whole one. */
static void
ask(struct liveness *s, bool searching)
{
	struct hits_fetch *h = ts_alloc(1, sizeof(*h));
	int kind = searching ? LIVE_FETCH_HITS : LIVE_FETCH_KEPT;

	if (!h)
		return;
	h->f.read = read_hits;
	h->f.fini = fini_hits;
	h->searching = searching;
	snprintf(h->needle, sizeof(h->needle), "%s", s->steps.needle);
	h->filter = s->steps.wanted;
	if (!ts_live_points_copy(&h->points, searching ? &s->src.line : live_whole(s))) {
		fini_hits(&h->f);
		free(h);
		return;
	}
	s->under_way[kind] = &h->f;
	ts_fetch_send(&s->v, &h->f, kind, TS_WORKER_SCREEN,
		searching ? "searching steps" : "filtering steps");
}

void
live_ask_steps(struct liveness *s)
{
	struct live_steps *t = &s->steps;

	if (s->src.line.count == 0)
		return;
	if (t->filter_wanted) {
		t->filter_wanted = false;
		ask(s, false);
	}
	if (t->search_wanted && !live_steps_filtering(s)) {
		t->search_wanted = false;
		ask(s, true);
	}
}

bool
live_steps_filtering(const struct liveness *s)
{
	return s->steps.filter_wanted || s->under_way[LIVE_FETCH_KEPT];
}

bool
live_steps_hit(const struct liveness *s, size_t point)
{
	const struct live_steps *t = &s->steps;

	return t->needle[0] && t->of == s->data && point < t->hits.points && t->hits.hit[point];
}

/* What has to be said of an answer: names that are not there. */
static const char *
but(const struct ts_live_hits *h)
{
	return h->partial	  ? " (partial: not all names can be read)"
		: h->absent	  ? " (names of programs are not recorded here)"
		: h->nameless > 0 ? " (not all steps have a name)"
				  : "";
}

/* --- searching -------------------------------------------------------------------------------- */

/* The next hit from the cursor on, `here` with its own point; around the end. */
static enum ts_effect
go_hit(struct liveness *s, int step, bool here)
{
	const struct live_steps *t = &s->steps;
	int64_t n = (int64_t)s->src.line.count, at = s->span.cursor + (here ? 0 : step), before = 0;

	if (t->hits.hits == 0) {
		if (t->hits.absent)
			ts_view_say_error(s->v.env, "names of programs are not recorded here");
		else
			ts_view_say_error(s->v.env, "no step runs a program of this name: %s%s",
				t->needle, but(&t->hits));
		return TS_EFFECT_BELL;
	}
	for (int64_t i = 0; i < n && !live_steps_hit(s, (size_t)((at % n + n) % n)); i++)
		at += step;
	at = (at % n + n) % n;
	for (int64_t i = 0; i < at; i++)
		before += live_steps_hit(s, (size_t)i);
	ts_view_say(s->v.env, "hit %lld of %lld step%s%s", (long long)before + 1,
		(long long)t->hits.hits, t->hits.hits == 1 ? "" : "s", but(&t->hits));
	live_go_step(s, s->src.line.step[at]);
	return (enum ts_effect)(TS_EFFECT_REPAINT | TS_EFFECT_RECALC);
}

enum ts_effect
live_search_steps(struct liveness *s, const struct ts_call *call)
{
	struct live_steps *t = &s->steps;
	const char *text = ts_call_arg(call, 0);

	if (!text)
		return TS_EFFECT_UNKNOWN; /* the program asks for it first */
	if (s->src.line.count == 0)
		return TS_EFFECT_BELL;
	snprintf(t->needle, sizeof(t->needle), "%s", text);
	t->direction = call->cmd == TS_CMD_SEARCH ? 1 : -1;
	t->search_wanted = t->jump = t->needle[0] != '\0';
	return TS_EFFECT_REPAINT;
}

enum ts_effect
live_search_again(struct liveness *s, const struct ts_call *call)
{
	struct live_steps *t = &s->steps;
	if (!t->needle[0]) {
		ts_view_say(s->v.env, "nothing to search for: / and a part of a program's name");
		return TS_EFFECT_BELL;
	}
	if (t->of != s->data || t->search_wanted || s->under_way[LIVE_FETCH_HITS]) {
		ts_view_say(s->v.env, "the steps are being searched");
		return TS_EFFECT_BELL;
	}
	return go_hit(s, ts_search_step(call, t->direction), false);
}

bool
live_forget_hits(struct liveness *s)
{
	bool had = s->steps.needle[0] != '\0';

	ts_live_hits_fini(&s->steps.hits);
	s->steps.needle[0] = '\0';
	s->steps.of = 0;
	s->steps.search_wanted = false;
	return had;
}

void
live_take_hits(struct liveness *s, struct ts_fetch *f)
{
	struct hits_fetch *answer = (struct hits_fetch *)f;
	struct live_steps *t = &s->steps;

	if (f->code) {
		ts_view_say_error(s->v.env, "%s", f->err.msg);
		return;
	}
	if (answer->hits.points != s->src.line.count || !t->needle[0])
		return;
	ts_live_hits_fini(&t->hits);
	t->hits = answer->hits;
	answer->hits = (struct ts_live_hits){0};
	t->of = s->data;
	t->asked++;
	s->v.env->partial |= t->hits.partial;
	if (t->jump)
		go_hit(s, t->direction, true);
	t->jump = false;
}

/* --- filtering -------------------------------------------------------------------------------- */

/* Another timeline in the place of the one that is shown. */
static void
changed(struct liveness *s)
{
	int64_t step = live_step(s);

	s->data++;
	ts_span_set_count(&s->span, (int64_t)s->src.line.count);
	ts_span_show(&s->span, 0, (int64_t)s->src.line.count);
	s->steps.search_wanted = s->steps.needle[0] != '\0';
	live_lay_out(s);
	if (step != TS_UNKNOWN)
		live_go_step(s, step);
}

/* All steps again. */
static void
show_whole(struct liveness *s)
{
	struct live_steps *t = &s->steps;
	int64_t step = live_step(s);

	t->line.count = 0;
	t->line.line[0] = '\0';
	t->filter_wanted = false;
	s->under_way[LIVE_FETCH_KEPT] = NULL;
	if (!t->filtered)
		return;
	ts_liveness_fini(&s->src.line);
	s->src.line = t->whole;
	t->whole = (struct ts_liveness){0};
	t->filtered = false;
	s->span.cursor = (int64_t)ts_liveness_find(&s->src.line, step);
	changed(s);
}

enum ts_effect
live_filter_steps(struct liveness *s, const struct ts_call *call)
{
	const char *text = ts_call_arg(call, 0);
	struct ts_filter wanted; /* a bad line leaves alone what is asked for already */
	struct ts_err err = {0};

	if (!text)
		return TS_EFFECT_UNKNOWN; /* the program asks for it first */
	if (ts_filter_parse(&wanted, text, ts_live_step_fields, NULL, &err)) {
		ts_view_say_error(s->v.env, "%s", err.msg);
		return TS_EFFECT_BELL;
	}
	s->steps.wanted = wanted;
	if (s->steps.wanted.count == 0)
		show_whole(s);
	else
		s->steps.filter_wanted = true;
	return (enum ts_effect)(TS_EFFECT_REPAINT | TS_EFFECT_RECALC);
}

void
live_take_kept(struct liveness *s, struct ts_fetch *f)
{
	struct hits_fetch *answer = (struct hits_fetch *)f;
	struct live_steps *t = &s->steps;
	char n[TS_FMT_MAX], m[TS_FMT_MAX];
	int64_t step = live_step(s);

	if (f->code) {
		ts_view_say_error(s->v.env, "%s", f->err.msg);
		return;
	}
	if (answer->hits.points != live_whole(s)->count)
		return;
	s->v.env->partial |= answer->hits.partial;
	if (answer->kept.count == 0) {
		if (answer->hits.absent)
			ts_view_say_error(s->v.env,
				"names of programs are not recorded here: %.200s",
				answer->filter.line);
		else
			ts_view_say_error(s->v.env, "no step passes: %.200s%s", answer->filter.line,
				but(&answer->hits));
		return;
	}
	if (t->filtered)
		ts_liveness_fini(&s->src.line);
	else
		t->whole = s->src.line;
	s->src.line = answer->kept;
	answer->kept = (struct ts_liveness){0};
	t->filtered = true;
	t->partial = answer->hits.partial;
	t->line = answer->filter;
	s->span.cursor = (int64_t)ts_liveness_find(&s->src.line, step);
	changed(s);
	ts_view_say(s->v.env, "%s of %s step%s%s%s", ts_fmt_count(n, s->src.line.steps),
		ts_fmt_count(m, t->whole.steps), t->whole.steps == 1 ? "" : "s",
		t->whole.per > 1 ? " (of groups of steps the highest was asked)" : "",
		but(&answer->hits));
}

/* --- another source, another report ------------------------------------------------------------- */

void
live_drop_steps(struct liveness *s)
{
	struct live_steps *t = &s->steps;

	if (t->filtered)
		ts_liveness_fini(&t->whole);
	t->filtered = false;
	t->whole = (struct ts_liveness){0};
	ts_live_hits_fini(&t->hits);
	t->of = 0;
	t->search_wanted = t->needle[0] != '\0';
	t->wanted = t->line;
	t->filter_wanted = t->line.count > 0;
	s->under_way[LIVE_FETCH_HITS] = s->under_way[LIVE_FETCH_KEPT] = NULL;
}
