/* SPDX-License-Identifier: MIT */
/* summary_draw - the lines of the Summary view: the verdict, memory and cycles; summary_facts.c has those below. */
#include "config.h"

#include <stdio.h>
#include <string.h>

#include "tilescope/base/mem.h"
#include "tilescope/base/utf8.h"
#include "tilescope/ui/chart.h"

#include "summary_internal.h"

enum { CATEGORIES_SHOWN = 8 };

static enum ts_units
units(const struct summary_view *s)
{
	return s->base.env->options->units;
}

/* A label in the left margin; returns where the value begins. */
int
summary_label(struct ts_canvas *c, struct ts_rect r, const char *text)
{
	ts_canvas_field(c, r, 1, 0, SUMMARY_LABEL, TS_ROLE_LABEL, text, strlen(text),
		TS_FIELD_ELLIPSIS);
	return SUMMARY_LABEL + 2;
}

/* Words from x, with an ellipsis where the line is too short; returns the column behind them. */
int
summary_say(struct ts_canvas *c, struct ts_rect r, int x, enum ts_role role, const char *text)
{
	if (r.w > 0 && x >= r.w - 1 && *text) { /* also where the words before fill the line */
		text = x >= r.w || text[1] ? "…" : text;
		x = r.w - 1;
	}
	return x +
		ts_canvas_field(c, r, x, 0, r.w - x, role, text, strlen(text), TS_FIELD_ELLIPSIS);
}

int
summary_put_bytes(const struct summary_view *s, struct ts_canvas *c, struct ts_rect r, int x,
	const char *before, int64_t bytes)
{
	char buf[TS_FMT_MAX];

	x = summary_say(c, r, x, TS_ROLE_LABEL, before);
	if (bytes < 0)
		return summary_say(c, r, x, TS_ROLE_DIM, "not known");
	return summary_say(c, r, x, TS_ROLE_VALUE, ts_fmt_bytes(buf, bytes, units(s)));
}

int
summary_put_count(struct ts_canvas *c, struct ts_rect r, int x, const char *before, int64_t n)
{
	char buf[TS_FMT_MAX];

	x = summary_say(c, r, x, TS_ROLE_LABEL, before);
	return summary_say(c, r, x, n < 0 ? TS_ROLE_DIM : TS_ROLE_VALUE,
		n < 0 ? "not known" : ts_fmt_count(buf, n));
}

static void
draw_blank(struct summary_view *s, struct ts_canvas *c, struct ts_rect r, int arg)
{
	(void)s;
	(void)c;
	(void)r;
	(void)arg;
}

static const char *const headings[] = {"MEMORY", "CYCLES", "TARGET", "REPORT", "HOST", "NOTES",
	"ENGINE OPTIONS", "CHANGE since the last load"};

/* Does the filter leave this engine option? */
bool
summary_option_passes(const struct summary_view *s, int i)
{
	const struct summary_pair *p = &s->small->option[i];

	return ts_contains_nocase(p->key, s->filter) || ts_contains_nocase(p->value, s->filter);
}

static void
draw_heading(struct summary_view *s, struct ts_canvas *c, struct ts_rect r, int arg)
{
	char filter[SUMMARY_SOUGHT + 16];
	bool filtered = arg == HEAD_OPTIONS && s->filter[0];

	snprintf(filter, sizeof(filter), "with \"%s\"", s->filter);
	ts_canvas_rule(c, r, TS_ROLE_BORDER, headings[arg], filtered ? filter : NULL);
}

/* Why there is no execution part: a program that does not fit is never run. */
static bool
could_not_run(const struct summary_view *s, int arg)
{
	const struct summary_verdict *v = s->verdict;

	return arg == ASK_EXECUTION && v && ts_tiles_over(&v->tiles, v->target.bytes_per_tile) > 0;
}

void
summary_draw_state(struct summary_view *s, struct ts_canvas *c, struct ts_rect r, int arg)
{
	const struct ts_pane_data *d = &s->state[arg];
	char text[300];
	enum ts_role role = TS_ROLE_DIM;

	if (arg == ASK_CATEGORIES && !s->categories)
		summary_label(c, r, "categories");
	if (d->state == TS_PANE_ABSENT && could_not_run(s, arg))
		snprintf(text, sizeof(text), "no execution part: the program does not fit");
	else if (d->state == TS_PANE_ABSENT && d->absent)
		snprintf(text, sizeof(text), "not found (recorded by %s)",
			ts_absent_texts[d->absent].option);
	else if (d->state == TS_PANE_ABSENT)
		snprintf(text, sizeof(text), "not found: %s", d->reason);
	else if (d->state == TS_PANE_FAILED || d->state == TS_PANE_PARTIAL) {
		snprintf(text, sizeof(text), "%s: %s",
			d->state == TS_PANE_PARTIAL ? "only part could be read"
				: s->later[arg]	    ? "not read yet"
						    : "could not be read",
			d->reason);
		role = s->later[arg] ? TS_ROLE_DIM : TS_ROLE_ERROR;
	} else {
		ts_canvas_text(c, r, SUMMARY_LABEL + 2, 0, TS_ROLE_DIM,
			arg == ASK_CATEGORIES || arg == ASK_EXECUTION ? "being counted"
								      : "being read");
		return;
	}
	ts_canvas_field(c, r, SUMMARY_LABEL + 2, 0, r.w - SUMMARY_LABEL - 3, role, text,
		strlen(text), TS_FIELD_ELLIPSIS);
}

/* --- memory ----------------------------------------------------------------------------------- */

static const char *const gaps_words[] = {"whether figures include them is not known",
	"not included", "included"};

static void
draw_fits(struct summary_view *s, struct ts_canvas *c, struct ts_rect r, int arg)
{
	const struct ts_tiles *t = &s->verdict->tiles;
	const struct ts_target *g = &s->verdict->target;
	const struct ts_tile *worst = &t->tile[t->worst];
	bool known, fits = ts_summary_fits(t, g, &known);
	char buf[TS_FMT_MAX];
	int64_t used = ts_tile_used(worst);
	int x = 1;

	(void)arg;
	x = ts_canvas_text(c, r, x, 0,
		!known	       ? TS_ROLE_NOTE
			: fits ? TS_ROLE_GOOD
			       : TS_ROLE_BAD,
		ts_summary_verdict(t, g));
	x = x < SUMMARY_LABEL + 2 ? SUMMARY_LABEL + 2 : x + 2;
	x = ts_canvas_printf(c, r, x, 0, TS_ROLE_LABEL, "worst tile ");
	x = ts_canvas_printf(c, r, x, 0, TS_ROLE_ACCENT, "%lld", (long long)worst->tile);
	if (ts_tile_ipu(worst, g) != TS_UNKNOWN)
		x = ts_canvas_printf(c, r, x, 0, TS_ROLE_LABEL, " (ipu %lld)",
			(long long)ts_tile_ipu(worst, g));
	x = summary_put_bytes(s, c, r, x, "  ", used);
	if (g->bytes_per_tile > 0) {
		struct ts_segment segment = {(double)used,
			used > g->bytes_per_tile		    ? TS_ROLE_BAD
				: used > g->bytes_per_tile / 10 * 9 ? TS_ROLE_WARN
								    : TS_ROLE_BAR,
			0};

		x = summary_put_bytes(s, c, r, x, " of ", g->bytes_per_tile);
		x = ts_canvas_printf(c, r, x, 0, TS_ROLE_ACCENT, "  %s",
			ts_fmt_percent(buf, (double)used, (double)g->bytes_per_tile));
		if (r.w - x > 14)
			ts_chart_bar(c,
				(struct ts_rect){r.x + x + 2, r.y, (int)ts_min_i64(r.w - x - 4, 40),
					1},
				&segment, 1, (double)g->bytes_per_tile);
	}
}

static void
draw_total(struct summary_view *s, struct ts_canvas *c, struct ts_rect r, int arg)
{
	const struct ts_tiles *t = &s->verdict->tiles;
	const struct ts_target *g = &s->verdict->target;
	char buf[TS_FMT_MAX];
	int64_t room;
	int x = summary_label(c, r, "total");

	(void)arg;
	x = summary_put_bytes(s, c, r, x, "", t->total);
	if (g->bytes_per_tile > 0 &&
		!__builtin_mul_overflow(g->bytes_per_tile, (int64_t)t->count, &room)) {
		x = summary_put_bytes(s, c, r, x, " of ", room);
		x = ts_canvas_printf(c, r, x, 0, TS_ROLE_VALUE, "  %s",
			ts_fmt_percent(buf, (double)t->total, (double)room));
	}
	x = summary_put_count(c, r, x, "   tiles ", (int64_t)t->count);
	summary_put_bytes(s, c, r, x, "   mean ", t->used / (int64_t)t->count);
}

static void
draw_over(struct summary_view *s, struct ts_canvas *c, struct ts_rect r, int arg)
{
	int64_t limit = s->verdict->target.bytes_per_tile;
	int64_t over = (int64_t)ts_tiles_over(&s->verdict->tiles, limit);
	char buf[TS_FMT_MAX];

	(void)arg;
	ts_canvas_printf(c, r, summary_label(c, r, "over the limit"), 0, TS_ROLE_BAD, "%s tile%s",
		ts_fmt_count(buf, over), over == 1 ? "" : "s");
}

static void
draw_gaps(struct summary_view *s, struct ts_canvas *c, struct ts_rect r, int arg)
{
	const struct ts_tiles *t = &s->verdict->tiles;
	int x = summary_label(c, r, "gaps");

	(void)arg;
	if (t->total_gaps != TS_UNKNOWN && t->total_gaps >= t->total) {
		x = summary_put_bytes(s, c, r, x, "", t->total_gaps - t->total);
		x = summary_put_bytes(s, c, r, x, "   total with gaps ", t->total_gaps);
		summary_say(c, r, x + 3, TS_ROLE_NOTE, "worst, mean: with gaps");
		return;
	}
	x = summary_say(c, r, x, TS_ROLE_NOTE, gaps_words[t->gaps + 1]);
	if (s->verdict->target.assumed)
		summary_say(c, r, x + 3, TS_ROLE_NOTE, "limit assumed");
}

static void
draw_live(struct summary_view *s, struct ts_canvas *c, struct ts_rect r, int arg)
{
	const struct ts_peak *p = &s->small->peak;
	int x = summary_label(c, r, "always live");

	(void)arg;
	x = summary_put_bytes(s, c, r, x, "", s->small->always_live);
	x = summary_put_bytes(s, c, r, x, "   peak of the rest ", p->bytes);
	if (p->step != TS_UNKNOWN) {
		x = summary_put_count(c, r, x, " at step ", p->step);
		summary_put_count(c, r, x, " of ", p->steps);
	}
}

static void
draw_category(struct summary_view *s, struct ts_canvas *c, struct ts_rect r, int arg)
{
	const struct ts_categories *all = &s->categories->sums;
	const struct ts_category *k = &all->category[arg];
	double sum = 0;
	char buf[TS_FMT_MAX];
	struct ts_segment segment;
	int name_w = r.w >= 100 ? 28 : 22, x = SUMMARY_LABEL + 2;

	for (int i = 0; i < all->count; i++)
		sum += (double)all->category[i].bytes;
	if (arg == 0)
		summary_label(c, r, "categories");
	ts_canvas_field(c, r, x, 0, name_w, TS_ROLE_TEXT, k->name, strlen(k->name),
		TS_FIELD_ELLIPSIS);
	x += name_w + 1;
	ts_fmt_bytes(buf, k->bytes, units(s));
	ts_canvas_field(c, r, x, 0, 13, TS_ROLE_VALUE, buf, strlen(buf), TS_FIELD_RIGHT);
	ts_fmt_percent(buf, (double)k->bytes, sum);
	ts_canvas_field(c, r, x + 14, 0, 6, TS_ROLE_VALUE, buf, strlen(buf), TS_FIELD_RIGHT);
	segment = (struct ts_segment){(double)k->bytes, TS_ROLE_BAR, 0};
	if (r.w - x - 22 > 6)
		ts_chart_bar(c,
			(struct ts_rect){r.x + x + 22, r.y, (int)ts_min_i64(r.w - x - 24, 40), 1},
			&segment, 1, sum);
}

/* --- cycles ----------------------------------------------------------------------------------- */

static void
draw_runs(struct summary_view *s, struct ts_canvas *c, struct ts_rect r, int arg)
{
	static const char *const words[] = {"measured or estimated: not known", "estimated",
		"measured"};
	enum { ROOM = 36 }; /* columns that the first of them needs */
	const struct ts_about *a = s->verdict ? &s->verdict->about : NULL;
	int x = SUMMARY_LABEL + 2;

	(void)arg;
	x = summary_put_count(c, r, x, "steps ", s->execution->steps);
	x = summary_put_count(c, r, x, "   runs ", s->small ? s->small->runs : TS_UNKNOWN);
	if ((!a || a->measured < 0) && r.w - x < ROOM)
		summary_say(c, r, x + 3, TS_ROLE_NOTE, "measured: not known");
	else
		summary_say(c, r, x + 3, TS_ROLE_NOTE, words[(a ? a->measured : -1) + 1]);
}

/* --- which lines there are -------------------------------------------------------------------- */

struct summary_line *
summary_add(struct summary_view *s,
	void (*draw)(struct summary_view *, struct ts_canvas *, struct ts_rect, int), int arg)
{
	struct summary_line *l = &s->line[s->lines];

	if (s->lines < SUMMARY_LINES - 1)
		s->lines++;
	*l = (struct summary_line){.draw = draw, .arg = arg};
	return l;
}

struct summary_line *
summary_figure(struct summary_view *s,
	void (*draw)(struct summary_view *, struct ts_canvas *, struct ts_rect, int), int arg,
	enum summary_figure figure)
{
	struct summary_line *l = summary_add(s, draw, arg);

	l->figure = figure;
	return l;
}

void
summary_heading(struct summary_view *s, int which)
{
	if (s->lines > 0)
		summary_add(s, draw_blank, 0);
	summary_add(s, draw_heading, which);
}

void
summary_lead(struct summary_line *l, enum summary_goal goal, int64_t object)
{
	l->goal = goal;
	l->object = object;
}

static void
memory_lines(struct summary_view *s)
{
	const struct summary_verdict *v = s->verdict;

	summary_heading(s, HEAD_MEMORY);
	if (v && v->tiles.count > 0) {
		int64_t worst = v->tiles.tile[v->tiles.worst].tile;

		summary_lead(summary_figure(s, draw_fits, 0, FIGURE_FITS), GO_TILE, worst);
		if (ts_tiles_over(&v->tiles, v->target.bytes_per_tile) > 0)
			summary_lead(summary_figure(s, draw_over, 0, FIGURE_OVER), GO_TILE, worst);
		summary_lead(summary_figure(s, draw_total, 0, FIGURE_TOTAL), GO_TILE, worst);
		summary_lead(summary_figure(s, draw_gaps, 0, FIGURE_GAPS), GO_TILE, worst);
	}
	if (!v || s->state[ASK_VERDICT].state != TS_PANE_READY)
		summary_lead(summary_add(s, summary_draw_state, ASK_VERDICT), GO_ABSENT,
			ASK_VERDICT);
	if (s->small && (s->small->always_live != TS_UNKNOWN || s->small->peak.bytes != TS_UNKNOWN))
		summary_lead(summary_figure(s, draw_live, 0, FIGURE_LIVE), GO_PEAK,
			s->small->peak.step);
	for (int i = 0; i < summary_findings_lines(s); i++)
		summary_lead(summary_add(s, summary_findings_draw, i), GO_FINDING, i);
	for (int i = 0; s->categories && i < s->categories->sums.count && i < CATEGORIES_SHOWN; i++)
		summary_lead(summary_figure(s, draw_category, i, FIGURE_CATEGORY), GO_TILE,
			s->categories->sums.category[i].worst_tile);
	if (!s->categories || s->state[ASK_CATEGORIES].state != TS_PANE_READY)
		summary_lead(summary_add(s, summary_draw_state, ASK_CATEGORIES), GO_ABSENT,
			ASK_CATEGORIES);
}

static void
cycle_lines(struct summary_view *s)
{
	summary_heading(s, HEAD_CYCLES);
	if (s->execution && s->execution->sums.count > 0) {
		summary_figure(s, draw_runs, 0, FIGURE_RUNS);
		summary_cycle_lines(s);
		for (int i = 0; i < s->operations.count; i++)
			summary_lead(summary_add(s, summary_operations_draw, i), GO_OPERATION, i);
	}
	if (!s->execution || s->state[ASK_EXECUTION].state != TS_PANE_READY)
		summary_lead(summary_add(s, summary_draw_state, ASK_EXECUTION), GO_ABSENT,
			ASK_EXECUTION);
}

static void
change_lines(struct summary_view *s)
{
	if (!s->changed)
		return;
	summary_heading(s, HEAD_CHANGE);
	for (int i = 0; i < SUMMARY_CHANGES; i++)
		summary_add(s, summary_draw_change, i);
}

void
summary_make_lines(struct summary_view *s)
{
	s->lines = 0;
	if (s->base.env->report) {
		change_lines(s);
		memory_lines(s);
		cycle_lines(s);
		summary_fact_lines(s);
	}
	ts_list_set_count(&s->list, s->lines);
	summary_arrange(s);
	if (s->kept >= 0 && s->lines > s->kept) {
		ts_list_follow(&s->list, s->kept);
		s->kept = -1;
	}
	if (s->lines > 1 && !s->placed) {
		s->placed = true;
		ts_list_go(&s->list, 1); /* the verdict, below its heading */
	}
}

/* The text of a line, as it would be drawn. */
void
summary_line_text(struct summary_view *s, int i, struct ts_strbuf *out)
{
	struct ts_canvas *c = ts_canvas_new(200, 1, TS_GLYPHS_FULL);

	if (!c)
		return;
	s->line[i].draw(s, c, ts_canvas_rect(c), s->line[i].arg);
	ts_canvas_dump(c, out);
	ts_canvas_free(c);
}
