/* SPDX-License-Identifier: MIT */
/*
 * liveness_answers - what the Liveness view does with the answers to its questions.
 *
 * While another source is being read the old one stays on the screen; what cannot be had leaves it there.
 */
#include "config.h"

#include <stdio.h>
#include <string.h>

#include "liveness_fetch.h"

enum {
	LARGE_BASE = 8, /* times the rest: it begins hidden */
	SENTENCE = 512,
};

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
	s->under_way[LIVE_FETCH_SUMS] = NULL;
	s->under_way[LIVE_FETCH_LABELS] = s->under_way[LIVE_FETCH_CHECKS] = NULL;
	live_drop_steps(s);
	ts_source_line_fini(&s->src);
	ts_live_source_fini(&s->shown);
	ts_lives_close(s->lives);
	ts_kind_sums_close(s->sums);
	ts_alive_close(s->alive);
	ts_live_labels_close(s->labels);
	s->lives = NULL;
	s->sums = NULL;
	s->alive = NULL;
	s->labels = NULL;
	s->checks = (struct ts_live_checks){0};
	s->asked = (struct ts_alive_query){.step = -1};
	s->table.state = s->labels_pane.state = TS_PANE_EMPTY;
	s->sums_wanted = false;
}

/* On a base that is many times as high nothing of the rest could be seen: begin without it. */
static void
hide_large_base(struct liveness *s)
{
	const struct ts_liveness *l = &s->src.line;
	int64_t highest = l->peaks.count > 0 ? l->peaks.peak[0].height : 0;

	if (!s->base_chosen && highest > 0 && l->always_live != TS_UNKNOWN)
		s->no_base = l->always_live / LARGE_BASE > ts_liveness_device(l, highest);
}

/* Tiles that the target has; INT64_MAX: that is not known. */
static int64_t
tiles_of(const struct ts_source_line *src)
{
	if (src->ipus <= 0 || src->tiles_per_ipu <= 0 || src->ipus > INT64_MAX / src->tiles_per_ipu)
		return INT64_MAX;
	return src->ipus * src->tiles_per_ipu;
}

/* A tile or an IPU that the target does not have, and no variable lies on. */
static bool
is_nowhere(const struct ts_source_line *src, const struct ts_live_source *source)
{
	const struct ts_liveness *l = &src->line;
	int64_t most = source->where == TS_LIVE_TILE		? tiles_of(src)
		: source->where == TS_LIVE_IPU && src->ipus > 0 ? src->ipus
								: INT64_MAX;

	return source->number >= most && (l->peaks.count == 0 || l->peaks.peak[0].height == 0) &&
		(l->always_live == 0 || l->always_live == TS_UNKNOWN);
}

static void
say_nowhere(struct liveness *s, const struct line_fetch *f)
{
	bool tile = f->source.where == TS_LIVE_TILE;
	char n[TS_FMT_MAX], m[TS_FMT_MAX];

	ts_view_say_error(s->v.env, "there is no %s %s: the device has %s, and nothing lies there",
		tile ? "tile" : "ipu", ts_fmt_count(n, f->source.number),
		ts_fmt_count(m, tile ? tiles_of(&f->src) : f->src.ipus));
}

/* What is shown is what is asked for again. */
static void
keep_shown(struct liveness *s)
{
	ts_live_source_fini(&s->source);
	memcpy(s->source_text, s->shown_text, sizeof(s->source_text));
	if (!ts_live_source_copy(&s->source, &s->shown))
		live_no_memory(&s->graph);
}

/* What was asked for cannot be shown: the old source stays; where there was none yet, all tiles are. */
static void
keep_source(struct liveness *s, const struct ts_pane_data *before)
{
	s->follow = false;
	s->graph = *before;
	if (before->state != TS_PANE_STALE) {
		ts_live_source_fini(&s->source);
		s->line_wanted = true;
		return;
	}
	s->graph.state = TS_PANE_READY;
	keep_shown(s);
}

static void
take_line(struct liveness *s, struct ts_fetch *f)
{
	struct line_fetch *answer = (struct line_fetch *)f;
	struct ts_pane_data before = s->graph;
	const struct ts_liveness *l;

	ts_pane_result(&s->graph, f->code, &f->err, answer->src.line.count > 0);
	if (ts_pane_has(&s->graph) && is_nowhere(&answer->src, &answer->source)) {
		say_nowhere(s, answer);
		keep_source(s, &before);
		return;
	}
	if (!ts_pane_has(&s->graph) && before.state == TS_PANE_STALE) {
		/* it cannot be had of this source: the old one stays */
		ts_view_say_error(s->v.env, "%s", s->graph.reason);
		keep_source(s, &before);
		return;
	}
	live_let_go(s);
	drop_source(s);
	s->src = answer->src;
	answer->src = (struct ts_source_line){0};
	s->shown = answer->source;
	memcpy(s->shown_text, s->source_text, sizeof(s->shown_text));
	if (s->source.where == TS_LIVE_TILE && s->source.number == LIVE_FULLEST) {
		s->source.number = s->shown.number;
		s->v.env->selection->tile = s->shown.number;
	}
	answer->source = (struct ts_live_source){.where = TS_LIVE_ALL};
	s->data++;
	l = &s->src.line;
	log_left_out(s, "steps", l->bad_rows, "a number is missing, negative or too large");
	log_left_out(s, "steps", l->repeated, "the step stands there twice");
	log_left_out(s, "steps", l->unsorted, "not in order");
	s->sums_wanted = s->shown.where == TS_LIVE_SET && s->src.tiles;
	s->lives_wanted = s->labels_wanted = s->checks_wanted = true;
	if (l->replicas < 2)
		s->one_replica = false;
	ts_span_set_count(&s->span, (int64_t)l->count);
	hide_large_base(s);
	live_take_selection(s);
	s->to_peak = false;
}

/* Without them lives are read from rows, and say what fails. */
static void
take_sums(struct liveness *s, struct ts_fetch *f)
{
	struct sums_fetch *answer = (struct sums_fetch *)f;

	s->sums = answer->sums;
	answer->sums = NULL;
}

static void
take_lives(struct liveness *s, struct ts_fetch *f)
{
	struct lives_fetch *answer = (struct lives_fetch *)f;

	ts_lives_close(s->lives);
	s->lives = answer->lives;
	s->lives_data++;
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
	log_left_out(s, "ends of lives", s->lives->beyond, "they lie behind the last step");
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
		s->alive->rows * (int64_t)sizeof(*s->alive->row) + (int64_t)s->alive->pile[1].used);
}

static void
take_labels(struct liveness *s, struct ts_fetch *f)
{
	struct labels_fetch *answer = (struct labels_fetch *)f;

	ts_pane_result(&s->labels_pane, f->code, &f->err, answer->labels != NULL);
	if (!s->groups && answer->groups) {
		const char *problem;
		int wrong = ts_groups_wrong(answer->groups, &problem);

		s->groups = ts_groups_hold(answer->groups);
		ts_view_say_rules(s->v.env, wrong, problem);
	}
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
	if (s->shown.where == TS_LIVE_ALL && ((struct checks_fetch *)f)->lives) {
		s->device = s->checks;
		s->device_checked = true;
	}
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
		keep_shown(s);
		s->follow = false;
	} else if (kind == LIVE_FETCH_SUMS ||
		(kind == LIVE_FETCH_ALIVE && s->sums && s->lives_wanted)) {
		/* what waits for it to be answered is stopped, too */
		s->lives_wanted = false;
		stopped(&s->table);
		live_stop_always(&s->tabs.tab[LIVE_TAB_ALWAYS]);
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
		take_sums, take_lives, take_alive, take_labels, take_checks, live_take_hits,
		live_take_kept};
	struct liveness *s = (struct liveness *)v;
	enum ts_effect effect = ts_tabs_deliver(&s->tabs, f);
	int kind = f->job.kind;
	bool soon = false, later = false;

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
		soon = kind == LIVE_FETCH_LINE &&
			s->sums_wanted;		 /* the graph: its variables take longer */
		later = kind == LIVE_FETCH_SUMS; /* who is alive is asked next */
	} else {
		stopped_fetch(s, kind);
	}
	return (enum ts_effect)(TS_EFFECT_RECALC | (later ? TS_EFFECT_LATER : TS_EFFECT_REPAINT) |
		(soon ? TS_EFFECT_SOON : TS_EFFECT_NONE));
}

/* --- another report --------------------------------------------------------------------------- */

void
live_drop(struct liveness *s)
{
	for (int i = 0; i < LIVE_FETCHES; i++)
		s->under_way[i] = NULL;
	drop_source(s);
	s->device_checked = false;
	ts_groups_close(s->groups);
	s->groups = NULL;
	ts_tabs_drop(&s->tabs);
	s->graph.state = TS_PANE_EMPTY;
	s->line_wanted = true;
}
