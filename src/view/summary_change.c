/* SPDX-License-Identifier: MIT */
/*
 * summary_change - the figures that a report is known by, and how they differ from those of the last load.
 *
 * A figure of which only part could be read is not known: it would differ because of the damage.
 */
#include "config.h"

#include <stdio.h>
#include <string.h>

#include "tilescope/base/mem.h"

#include "summary_internal.h"

enum { LABEL_W = 17, VALUE_W = 14 };

static const struct {
	const char *label;
	size_t offset;
	bool bytes;
} changes[SUMMARY_CHANGES] = {
	{"worst tile", offsetof(struct ts_figures, worst_tile_bytes), true},
	{"total memory", offsetof(struct ts_figures, total_bytes), true},
	{"peak of the rest", offsetof(struct ts_figures, peak_bytes), true},
	{"cycles", offsetof(struct ts_figures, cycles), false},
};

/* --- the figures ------------------------------------------------------------------------------ */

/* There will be no more of it: it is whole, or it is not there. */
static bool
is_settled(const struct summary_view *s, int kind)
{
	enum ts_pane_state state = s->state[kind].state;

	return state != TS_PANE_EMPTY && state != TS_PANE_LOADING && state != TS_PANE_STALE;
}

static void
memory_figures(struct ts_figures *f, const struct summary_verdict *v)
{
	const struct ts_tiles *t = &v->tiles;
	bool known, fits = ts_summary_fits(t, &v->target, &known);

	snprintf(f->poplar_version, sizeof(f->poplar_version), "%s", v->about.poplar_version);
	if (t->partial || t->count == 0)
		return;
	f->fits = known ? fits : -1;
	f->worst_tile_bytes = ts_tile_used(&t->tile[t->worst]);
	f->limit_bytes = v->target.bytes_per_tile > 0 ? v->target.bytes_per_tile : TS_UNKNOWN;
	f->total_bytes = t->total;
}

/* Of the IPU that takes longest. */
static int64_t
longest(const struct ts_execution *x)
{
	int64_t most = TS_UNKNOWN, cycles;

	for (int i = 0; i < x->count; i++) {
		cycles = x->ipu[i].last_end - x->ipu[i].first_start;
		if (cycles >= 0) /* of intervals that end before they start nothing is known */
			most = ts_max_i64(most, cycles);
	}
	return most;
}

void
summary_figures(struct summary_view *s)
{
	struct ts_figures *f = &s->figures;

	*f = TS_FIGURES_NONE;
	if (s->verdict && s->state[ASK_VERDICT].state == TS_PANE_READY)
		memory_figures(f, s->verdict);
	if (s->small && s->state[ASK_SMALL].state == TS_PANE_READY)
		f->peak_bytes = s->small->peak.bytes;
	if (s->execution && s->state[ASK_EXECUTION].state == TS_PANE_READY)
		f->cycles = longest(&s->execution->sums);
	s->base.env->figures = *f;
	s->base.env->figures_known = is_settled(s, ASK_VERDICT) && is_settled(s, ASK_SMALL) &&
		is_settled(s, ASK_EXECUTION);
}

/* --- the change ------------------------------------------------------------------------------- */

static int64_t
figure(const struct ts_figures *f, int i)
{
	return *(const int64_t *)(const void *)((const char *)f + changes[i].offset);
}

void
summary_keep_figures(struct summary_view *s)
{
	if (s->base.env->reload == TS_RELOAD_SAME)
		return;
	s->changed = false;
	s->before = s->figures;
	for (int i = 0; i < SUMMARY_CHANGES && s->base.env->reload == TS_RELOAD_CHANGED; i++)
		s->changed |= figure(&s->before, i) != TS_UNKNOWN;
}

static const char *
value(char out[TS_FMT_MAX], const struct summary_view *s, int i, int64_t v)
{
	if (v == TS_UNKNOWN)
		return "not known";
	return changes[i].bytes ? ts_fmt_bytes(out, v, s->base.env->options->units)
				: ts_fmt_count(out, v);
}

static bool
is_coming(const struct summary_view *s, int i)
{
	static const int asked[SUMMARY_CHANGES] = {ASK_VERDICT, ASK_VERDICT, ASK_SMALL,
		ASK_EXECUTION};

	return !is_settled(s, asked[i]);
}

/* The signed difference, and what it is of the old figure. */
static void
draw_difference(const struct summary_view *s, struct ts_canvas *c, struct ts_rect r, int x, int i)
{
	int64_t a = figure(&s->before, i), b = figure(&s->figures, i);
	char buf[TS_FMT_MAX], text[2 * TS_FMT_MAX], share[TS_FMT_MAX] = "";
	char sign = b < a ? '-' : '+';
	int64_t d = b < a ? a - b : b - a;

	if (d == 0) {
		ts_canvas_text(c, r, x, 0, TS_ROLE_DIM, "the same");
		return;
	}
	if (a > 0)
		ts_fmt_percent(share, (double)d, (double)a);
	if (share[0] == '<') /* "<0.1%" is no figure that a sign can stand before */
		snprintf(text, sizeof(text), "%c%s  %s", sign, value(buf, s, i, d), share);
	else
		snprintf(text, sizeof(text), "%c%s%s%.*s%s", sign, value(buf, s, i, d),
			*share ? "  " : "", *share ? 1 : 0, &sign, share);
	ts_canvas_text(c, r, x, 0, b < a ? TS_ROLE_GOOD : TS_ROLE_BAD, text);
}

void
summary_draw_change(struct summary_view *s, struct ts_canvas *c, struct ts_rect r, int i)
{
	int64_t a = figure(&s->before, i), b = figure(&s->figures, i);
	bool coming = b == TS_UNKNOWN && is_coming(s, i);
	const char *text;
	char buf[TS_FMT_MAX];
	int x = LABEL_W + 1;

	ts_canvas_text(c, r, 1, 0, TS_ROLE_LABEL, changes[i].label);
	text = value(buf, s, i, a);
	ts_canvas_field(c, r, x, 0, VALUE_W, a == TS_UNKNOWN ? TS_ROLE_DIM : TS_ROLE_TEXT, text,
		strlen(text), TS_FIELD_RIGHT);
	ts_canvas_text(c, r, x + VALUE_W + 1, 0, TS_ROLE_LABEL, "->");
	text = coming ? "being read" : value(buf, s, i, b);
	ts_canvas_field(c, r, x + VALUE_W + 4, 0, VALUE_W,
		b == TS_UNKNOWN ? TS_ROLE_DIM : TS_ROLE_VALUE, text, strlen(text), TS_FIELD_RIGHT);
	if (a != TS_UNKNOWN && b != TS_UNKNOWN)
		draw_difference(s, c, r, x + 2 * VALUE_W + 7, i);
}
