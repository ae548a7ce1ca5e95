/* SPDX-License-Identifier: MIT */
/*
 * summary - the first screen: does it fit, where do the cycles go, what is this report?
 *
 * The view is one list of lines. Each line is drawn by a function from what has arrived so far; which
 * lines there are follows from that too. Four questions go to the workers: the figures of one row per
 * tile (at once: the verdict), the small relations, and the two passes over large relations, which take
 * as long as the report is large and show their progress in the title.
 */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tilescope/base/mem.h"
#include "tilescope/base/utf8.h"
#include "tilescope/report/rows.h"
#include "tilescope/report/summary.h"
#include "tilescope/ui/chart.h"
#include "tilescope/ui/list.h"
#include "tilescope/view/fetch.h"
#include "tilescope/view/summary.h"

enum { PAIRS_MAX = 300, PAIR_TEXT = 300, LINES_MAX = 1200, LABEL_W = 15, CATEGORIES_SHOWN = 8 };

/* --- what has to be fetched ------------------------------------------------------------------- */

enum { ASK_VERDICT, ASK_SMALL, ASK_CATEGORIES, ASK_EXECUTION, ASK_COUNT };

struct pair {
	char key[64];
	char value[PAIR_TEXT];
};

struct verdict {
	struct ts_fetch fetch;
	struct ts_tiles tiles;
	struct ts_about about;
	struct ts_target target;
};

struct small {
	struct ts_fetch fetch;
	struct ts_graph graph;
	struct ts_peak peak;
	int64_t always_live, runs;
	struct pair *option, *host; /* PAIRS_MAX each */
	int options, hosts;
};

struct categories {
	struct ts_fetch fetch;
	struct ts_categories sums;
};

struct execution {
	struct ts_fetch fetch;
	struct ts_execution sums;
	int64_t steps;
};

/* --- lines ------------------------------------------------------------------------------------ */

struct summary_view;

/* Where Enter on a line leads. */
enum goal { GO_NOWHERE, GO_TILE, GO_PEAK, GO_IPU };

struct line {
	void (*draw)(struct summary_view *s, struct ts_canvas *c, struct ts_rect r, int arg);
	int arg;
	enum goal goal;
	int64_t object; /* tile, step or IPU */
};

struct summary_view {
	struct ts_view base;
	struct verdict *verdict; /* answers; NULL = not here yet */
	struct small *small;
	struct categories *categories;
	struct execution *execution;
	const struct ts_fetch *asked[ASK_COUNT];
	struct ts_pane_data state[ASK_COUNT];
	struct line line[LINES_MAX];
	int lines;
	struct ts_list list;
	bool placed; /* the cursor has been put on the first line that says something */
	struct ts_rect area;
	char sought[200];
};

static struct summary_view *
self(struct ts_view *v)
{
	return (struct summary_view *)v;
}

static enum ts_units
units(const struct summary_view *s)
{
	return s->base.env->options->units;
}

/* A label in the left margin; returns where the value begins. */
static int
label(struct ts_canvas *c, struct ts_rect r, const char *text)
{
	ts_canvas_field(c, r, 1, 0, LABEL_W, TS_ROLE_LABEL, text, strlen(text), TS_FIELD_ELLIPSIS);
	return LABEL_W + 2;
}

static int
put_bytes(const struct summary_view *s, struct ts_canvas *c, struct ts_rect r, int x,
	const char *before, int64_t bytes)
{
	char buf[TS_FMT_MAX];

	x = ts_canvas_text(c, r, x, 0, TS_ROLE_LABEL, before);
	if (bytes < 0)
		return ts_canvas_text(c, r, x, 0, TS_ROLE_DIM, "not known");
	return ts_canvas_text(c, r, x, 0, TS_ROLE_VALUE, ts_fmt_bytes(buf, bytes, units(s)));
}

static int
put_count(struct ts_canvas *c, struct ts_rect r, int x, const char *before, int64_t n)
{
	char buf[TS_FMT_MAX];

	x = ts_canvas_text(c, r, x, 0, TS_ROLE_LABEL, before);
	return ts_canvas_text(c, r, x, 0, n < 0 ? TS_ROLE_DIM : TS_ROLE_VALUE,
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
	"ENGINE OPTIONS"};

enum { HEAD_MEMORY, HEAD_CYCLES, HEAD_TARGET, HEAD_REPORT, HEAD_HOST, HEAD_NOTES, HEAD_OPTIONS };

static void
draw_heading(struct summary_view *s, struct ts_canvas *c, struct ts_rect r, int arg)
{
	(void)s;
	ts_canvas_rule(c, r, TS_ROLE_BORDER, headings[arg], NULL);
}

static void
draw_state(struct summary_view *s, struct ts_canvas *c, struct ts_rect r, int arg)
{
	const struct ts_pane_data *d = &s->state[arg];
	int x = LABEL_W + 2;

	if (d->state == TS_PANE_ABSENT)
		x = ts_canvas_printf(c, r, x, 0, TS_ROLE_DIM, "not in this report: %s", d->reason);
	else if (d->state == TS_PANE_FAILED || d->state == TS_PANE_PARTIAL)
		x = ts_canvas_printf(c, r, x, 0, TS_ROLE_ERROR, "%s: %s",
			d->state == TS_PANE_PARTIAL ? "only part could be read"
						    : "could not be read",
			d->reason);
	else
		ts_canvas_pending(c, r, x, 0);
	if (d->state == TS_PANE_ABSENT && d->option)
		ts_canvas_printf(c, r, x + 2, 0, TS_ROLE_NOTE, "(recorded by %s)", d->option);
}

/* --- memory ----------------------------------------------------------------------------------- */

static const char *const gaps_words[] = {"whether this includes gaps is not known", "without gaps",
	"gaps included"};

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
		!known	       ? "limit unknown"
			: fits ? "fits"
			       : "DOES NOT FIT");
	x = x < LABEL_W + 2 ? LABEL_W + 2 : x + 2;
	x = ts_canvas_printf(c, r, x, 0, TS_ROLE_LABEL, "worst tile ");
	x = ts_canvas_printf(c, r, x, 0, TS_ROLE_ACCENT, "%lld", (long long)worst->tile);
	if (g->tiles_per_ipu > 0)
		x = ts_canvas_printf(c, r, x, 0, TS_ROLE_LABEL, " (ipu %lld)",
			(long long)(worst->tile / g->tiles_per_ipu));
	x = put_bytes(s, c, r, x, "  ", used);
	if (g->bytes_per_tile > 0) {
		struct ts_segment segment = {(double)used,
			used > g->bytes_per_tile		    ? TS_ROLE_BAD
				: used > g->bytes_per_tile / 10 * 9 ? TS_ROLE_WARN
								    : TS_ROLE_BAR,
			0};

		x = put_bytes(s, c, r, x, " of ", g->bytes_per_tile);
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
	int64_t over = (int64_t)ts_tiles_over(t, g->bytes_per_tile), room;
	int x = label(c, r, "total");

	(void)arg;
	x = put_bytes(s, c, r, x, "", t->total);
	if (g->bytes_per_tile > 0 &&
		!__builtin_mul_overflow(g->bytes_per_tile, (int64_t)t->count, &room)) {
		x = put_bytes(s, c, r, x, " of ", room);
		x = ts_canvas_printf(c, r, x, 0, TS_ROLE_VALUE, "  %s",
			ts_fmt_percent(buf, (double)t->total, (double)room));
	}
	x = put_count(c, r, x, "   tiles ", (int64_t)t->count);
	x = put_bytes(s, c, r, x, "   mean ", t->used / (int64_t)t->count);
	if (over > 0) {
		ts_canvas_printf(c, r, x, 0, TS_ROLE_BAD, "   %s over the limit",
			ts_fmt_count(buf, over));
	}
}

static void
draw_gaps(struct summary_view *s, struct ts_canvas *c, struct ts_rect r, int arg)
{
	const struct ts_tiles *t = &s->verdict->tiles;
	int x = label(c, r, "gaps");

	(void)arg;
	if (t->total_gaps != TS_UNKNOWN && t->total_gaps >= t->total)
		x = put_bytes(s, c, r, x, "", t->total_gaps - t->total) + 2;
	x = ts_canvas_printf(c, r, x, 0, TS_ROLE_NOTE, "worst tile and mean: %s",
		gaps_words[t->gaps + 1]);
	if (s->verdict->target.assumed)
		ts_canvas_text(c, r, x + 2, 0, TS_ROLE_NOTE, "limit assumed");
}

static void
draw_live(struct summary_view *s, struct ts_canvas *c, struct ts_rect r, int arg)
{
	const struct ts_peak *p = &s->small->peak;
	int x = label(c, r, "always live");

	(void)arg;
	x = put_bytes(s, c, r, x, "", s->small->always_live);
	x = put_bytes(s, c, r, x, "   peak of the rest ", p->bytes);
	if (p->step != TS_UNKNOWN) {
		x = put_count(c, r, x, " at step ", p->step);
		put_count(c, r, x, " of ", p->steps);
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
	int name_w = r.w >= 100 ? 28 : 22, x = LABEL_W + 2;

	for (int i = 0; i < all->count; i++)
		sum += (double)all->category[i].bytes;
	if (arg == 0)
		label(c, r, "categories");
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

static enum ts_role
class_role(int c)
{
	return (enum ts_role)(TS_ROLE_COMPUTE + c);
}

static void
draw_runs(struct summary_view *s, struct ts_canvas *c, struct ts_rect r, int arg)
{
	static const char *const words[] = {"measured or estimated: not known", "estimated",
		"measured"};
	const struct ts_about *a = s->verdict ? &s->verdict->about : NULL;
	int x = LABEL_W + 2;

	(void)arg;
	x = put_count(c, r, x, "steps ", s->execution->steps);
	x = put_count(c, r, x, "   runs ", s->small ? s->small->runs : TS_UNKNOWN);
	ts_canvas_printf(c, r, x + 3, 0, TS_ROLE_NOTE, "%s", words[(a ? a->measured : -1) + 1]);
}

static void
draw_ipu(struct summary_view *s, struct ts_canvas *c, struct ts_rect r, int arg)
{
	const struct ts_ipu_cycles *k = &s->execution->sums.ipu[arg];
	struct ts_segment segment[TS_CLASS_COUNT];
	double clock = s->base.env->options->clock_hz;
	char buf[TS_FMT_MAX];
	int64_t cycles = k->last_end - k->first_start;
	int x = LABEL_W + 2;

	if (clock <= 0 && s->verdict)
		clock = s->verdict->target.clock_hz;
	for (int i = 0; i < TS_CLASS_COUNT; i++)
		segment[i] = (struct ts_segment){(double)k->by_class[i], class_role(i),
			ts_step_class_letter((enum ts_step_class)i)};
	ts_canvas_printf(c, r, 1, 0, TS_ROLE_LABEL, "ipu %lld", (long long)k->ipu);
	ts_fmt_count(buf, cycles);
	ts_canvas_field(c, r, x, 0, 16, TS_ROLE_VALUE, buf, strlen(buf), TS_FIELD_RIGHT);
	x += 17;
	if (clock > 0) {
		ts_fmt_time(buf, (double)cycles / clock * 1e6);
		ts_canvas_field(c, r, x, 0, 9, TS_ROLE_VALUE, buf, strlen(buf), TS_FIELD_RIGHT);
	}
	x += 10;
	ts_canvas_printf(c, r, x, 0, TS_ROLE_VALUE, "%7s",
		ts_fmt_percent(buf, (double)k->by_class[TS_CLASS_COMPUTE], (double)k->step_cycles));
	x += 9;
	if (r.w - x > 4)
		ts_chart_bar(c, (struct ts_rect){r.x + x, r.y, r.w - x - 2, 1}, segment,
			TS_CLASS_COUNT, (double)k->step_cycles);
}

static void
draw_legend(struct summary_view *s, struct ts_canvas *c, struct ts_rect r, int arg)
{
	static const char *const brief[TS_CLASS_COUNT] = {"compute", "exch.", "global", "sync",
		"ext.", "wait", "copy", "end", "control"};
	struct ts_band band[TS_CLASS_COUNT];
	const char *names[TS_CLASS_COUNT];

	(void)s;
	(void)arg;
	for (int i = 0; i < TS_CLASS_COUNT; i++) {
		band[i] = (struct ts_band){NULL, class_role(i),
			ts_step_class_letter((enum ts_step_class)i)};
		names[i] = r.w < 116 ? brief[i] : ts_step_class_label((enum ts_step_class)i);
	}
	ts_chart_legend(c, (struct ts_rect){r.x + 1, r.y, r.w - 2, 1}, band, names, TS_CLASS_COUNT);
}

static void
draw_cycle_titles(struct summary_view *s, struct ts_canvas *c, struct ts_rect r, int arg)
{
	(void)s;
	(void)arg;
	ts_canvas_field(c, r, LABEL_W + 2, 0, 16, TS_ROLE_HEADER, "cycles", 6, TS_FIELD_RIGHT);
	ts_canvas_field(c, r, LABEL_W + 19, 0, 9, TS_ROLE_HEADER, "time", 4, TS_FIELD_RIGHT);
	ts_canvas_text(c, r, LABEL_W + 29, 0, TS_ROLE_HEADER, "compute");
	ts_canvas_text(c, r, LABEL_W + 38, 0, TS_ROLE_HEADER, "where the steps' cycles go");
}

/* --- facts ------------------------------------------------------------------------------------ */

static void
draw_target(struct summary_view *s, struct ts_canvas *c, struct ts_rect r, int arg)
{
	const struct ts_target *g = &s->verdict->target;
	int x = label(c, r, "machine");

	(void)arg;
	x = ts_canvas_text(c, r, x, 0, TS_ROLE_VALUE, g->type[0] ? g->type : "");
	x = ts_canvas_printf(c, r, x, 0, TS_ROLE_VALUE, "%s%s", g->type[0] ? " " : "",
		g->architecture[0] ? g->architecture : "architecture not known");
	x = put_count(c, r, x, "   IPUs ", g->ipus);
	x = put_count(c, r, x, "   replicas ", g->replicas);
	if (g->assumed)
		ts_canvas_text(c, r, x + 3, 0, TS_ROLE_NOTE, "assumed: the report does not say");
}

static void
draw_tile(struct summary_view *s, struct ts_canvas *c, struct ts_rect r, int arg)
{
	const struct ts_target *g = &s->verdict->target;
	int64_t ipu;
	int x = label(c, r, "memory");

	(void)arg;
	x = put_bytes(s, c, r, x, "tile ", g->bytes_per_tile);
	if (g->bytes_per_tile > 0 && g->tiles_per_ipu > 0 &&
		!__builtin_mul_overflow(g->bytes_per_tile, g->tiles_per_ipu, &ipu)) {
		x = put_bytes(s, c, r, x, "   IPU ", ipu);
		x = put_count(c, r, x, "   tiles per IPU ", g->tiles_per_ipu);
	}
	if (g->clock_hz > 0)
		ts_canvas_printf(c, r, x, 0, TS_ROLE_VALUE, "   %.4g GHz", g->clock_hz / 1e9);
	else
		ts_canvas_text(c, r, x, 0, TS_ROLE_DIM, "   clock not known (:set clock=1.85GHz)");
}

static void
draw_graph(struct summary_view *s, struct ts_canvas *c, struct ts_rect r, int arg)
{
	const struct ts_graph *g = &s->small->graph;
	int x = label(c, r, "graph");

	(void)arg;
	x = put_count(c, r, x, "compute sets ", g->compute_sets);
	x = put_count(c, r, x, "  programs ", g->programs);
	x = put_count(c, r, x, "  variables ", g->variables);
	if (g->vertices != TS_UNKNOWN)
		x = put_count(c, r, x, "  vertices ", g->vertices);
	if (g->edges != TS_UNKNOWN)
		put_count(c, r, x, "  edges ", g->edges);
}

static void
draw_about(struct summary_view *s, struct ts_canvas *c, struct ts_rect r, int arg)
{
	const struct ts_about *a = &s->verdict->about;
	int x = label(c, r, "Poplar");

	(void)arg;
	x = ts_canvas_text(c, r, x, 0, a->poplar_version[0] ? TS_ROLE_VALUE : TS_ROLE_DIM,
		a->poplar_version[0] ? a->poplar_version : "not known");
	if (a->package_hash[0])
		x = ts_canvas_printf(c, r, x, 0, TS_ROLE_DIM, " %s", a->package_hash);
	x = ts_canvas_text(c, r, x, 0, TS_ROLE_LABEL, "   instrumentation ");
	ts_canvas_text(c, r, x, 0, a->compute_instrumentation[0] ? TS_ROLE_VALUE : TS_ROLE_DIM,
		a->compute_instrumentation[0] ? a->compute_instrumentation : "not known");
}

static void
draw_file(struct summary_view *s, struct ts_canvas *c, struct ts_rect r, int arg)
{
	const struct ts_report *report = s->base.env->report;
	char buf[TS_FMT_MAX];
	int x = label(c, r, "file");

	(void)arg;
	x += ts_canvas_field(c, r, x, 0, r.w - x - 14, TS_ROLE_VALUE, report->file,
		strlen(report->file), TS_FIELD_TAIL);
	ts_canvas_printf(c, r, x + 2, 0, TS_ROLE_DIM, "%s",
		ts_fmt_bytes(buf, report->part[TS_PART_PROFILE].bytes, units(s)));
}

static void
draw_parts(struct summary_view *s, struct ts_canvas *c, struct ts_rect r, int arg)
{
	static const enum ts_role roles[] = {TS_ROLE_DIM, TS_ROLE_GOOD, TS_ROLE_BAD, TS_ROLE_BAD};
	const struct ts_report *report = s->base.env->report;
	int x = label(c, r, "parts");

	(void)arg;
	for (int i = 0; i < TS_PART_COUNT; i++) {
		enum ts_part_state state = report->part[i].state;

		x = ts_canvas_printf(c, r, x, 0, TS_ROLE_LABEL, "%s ",
			ts_part_name((enum ts_part)i));
		x = ts_canvas_text(c, r, x, 0, roles[state], ts_part_state_name(state)) + 2;
	}
}

/* What decides which tile or IPU a figure belongs to and stands in no column. */
static const struct {
	enum ts_relation relation;
	int column;
	enum ts_op op;
	const char *words;
} assumed[] = {
	{TS_TILE_MEMORY, TS_TILE_MEMORY_TILE, TS_OP_POSITION, "tiles are numbered by row order"},
	{TS_STEP_IPU, TS_STEP_IPU_IPU, TS_OP_ORDER_IN, "IPUs of a step are numbered by row order"},
};

static bool
is_assumed(const struct ts_report *report, size_t i)
{
	const struct ts_binding *b = &report->binding[assumed[i].relation];

	return b->bound && b->column[assumed[i].column].op == assumed[i].op;
}

static void
draw_assumed(struct summary_view *s, struct ts_canvas *c, struct ts_rect r, int arg)
{
	(void)s;
	ts_canvas_text(c, r, label(c, r, "assumed"), 0, TS_ROLE_NOTE, assumed[arg].words);
}

static void
draw_note(struct summary_view *s, struct ts_canvas *c, struct ts_rect r, int arg)
{
	const char *note = s->base.env->report->notes.note[arg];

	ts_canvas_field(c, r, 1, 0, r.w - 2, TS_ROLE_WARN, note, strlen(note), TS_FIELD_ELLIPSIS);
}

static void
draw_pair(struct ts_canvas *c, struct ts_rect r, const struct pair *p, int key_w)
{
	ts_canvas_field(c, r, 1, 0, key_w, TS_ROLE_LABEL, p->key, strlen(p->key),
		TS_FIELD_ELLIPSIS);
	ts_canvas_field(c, r, key_w + 2, 0, r.w - key_w - 3, TS_ROLE_VALUE, p->value,
		strlen(p->value), TS_FIELD_ELLIPSIS);
}

static void
draw_option(struct summary_view *s, struct ts_canvas *c, struct ts_rect r, int arg)
{
	draw_pair(c, r, &s->small->option[arg], r.w >= 100 ? 50 : 44);
}

static void
draw_host(struct summary_view *s, struct ts_canvas *c, struct ts_rect r, int arg)
{
	draw_pair(c, r, &s->small->host[arg], 20);
}

/* --- which lines there are -------------------------------------------------------------------- */

static struct line *
add(struct summary_view *s,
	void (*draw)(struct summary_view *, struct ts_canvas *, struct ts_rect, int), int arg)
{
	struct line *l = &s->line[s->lines];

	if (s->lines < LINES_MAX - 1)
		s->lines++;
	*l = (struct line){.draw = draw, .arg = arg};
	return l;
}

static void
heading(struct summary_view *s, int which)
{
	if (s->lines > 0)
		add(s, draw_blank, 0);
	add(s, draw_heading, which);
}

static void
lead(struct line *l, enum goal goal, int64_t object)
{
	l->goal = goal;
	l->object = object;
}

static void
memory_lines(struct summary_view *s)
{
	const struct verdict *v = s->verdict;

	heading(s, HEAD_MEMORY);
	if (v && v->tiles.count > 0) {
		int64_t worst = v->tiles.tile[v->tiles.worst].tile;

		lead(add(s, draw_fits, 0), GO_TILE, worst);
		lead(add(s, draw_total, 0), GO_TILE, worst);
		lead(add(s, draw_gaps, 0), GO_TILE, worst);
	}
	if (!v || s->state[ASK_VERDICT].state != TS_PANE_READY)
		add(s, draw_state, ASK_VERDICT);
	if (s->small && (s->small->always_live != TS_UNKNOWN || s->small->peak.bytes != TS_UNKNOWN))
		lead(add(s, draw_live, 0), GO_PEAK, s->small->peak.step);
	for (int i = 0; s->categories && i < s->categories->sums.count && i < CATEGORIES_SHOWN; i++)
		lead(add(s, draw_category, i), GO_TILE, s->categories->sums.category[i].worst_tile);
	if (!s->categories || s->state[ASK_CATEGORIES].state != TS_PANE_READY)
		add(s, draw_state, ASK_CATEGORIES);
}

static void
cycle_lines(struct summary_view *s)
{
	heading(s, HEAD_CYCLES);
	if (s->execution && s->execution->sums.count > 0) {
		add(s, draw_runs, 0);
		add(s, draw_cycle_titles, 0);
		for (int i = 0; i < s->execution->sums.count; i++)
			lead(add(s, draw_ipu, i), GO_IPU, s->execution->sums.ipu[i].ipu);
		add(s, draw_legend, 0);
	}
	if (!s->execution || s->state[ASK_EXECUTION].state != TS_PANE_READY)
		add(s, draw_state, ASK_EXECUTION);
}

static void
fact_lines(struct summary_view *s)
{
	const struct ts_report *report = s->base.env->report;

	heading(s, HEAD_TARGET);
	if (s->verdict) {
		add(s, draw_target, 0);
		add(s, draw_tile, 0);
	}
	heading(s, HEAD_REPORT);
	add(s, draw_file, 0);
	if (s->verdict)
		add(s, draw_about, 0);
	if (s->small)
		add(s, draw_graph, 0);
	else
		add(s, draw_state, ASK_SMALL);
	add(s, draw_parts, 0);
	for (size_t i = 0; i < TS_COUNT(assumed); i++)
		if (is_assumed(report, i))
			add(s, draw_assumed, (int)i);
	if (report->notes.count > 0)
		heading(s, HEAD_NOTES);
	for (int i = 0; i < report->notes.count; i++)
		add(s, draw_note, i);
	if (s->small && s->small->hosts > 0)
		heading(s, HEAD_HOST);
	for (int i = 0; s->small && i < s->small->hosts; i++)
		add(s, draw_host, i);
	if (s->small && s->small->options > 0)
		heading(s, HEAD_OPTIONS);
	for (int i = 0; s->small && i < s->small->options; i++)
		add(s, draw_option, i);
}

static void
make_lines(struct summary_view *s)
{
	s->lines = 0;
	if (s->base.env->report) {
		memory_lines(s);
		cycle_lines(s);
		fact_lines(s);
	}
	ts_list_set_count(&s->list, s->lines);
	if (s->lines > 1 && !s->placed) {
		s->placed = true;
		ts_list_go(&s->list, 1); /* the verdict, below its heading */
	}
}

/* --- fetching --------------------------------------------------------------------------------- */

static enum ts_code
read_verdict(struct ts_fetch *f, struct ts_reader *rd, struct ts_err *err)
{
	struct verdict *v = (struct verdict *)f;
	const struct ts_binding *steps = &rd->report->binding[TS_STEP_IPU];
	struct ts_err second = {0};
	enum ts_code code = ts_tiles_read(&v->tiles, rd, err), more;

	more = ts_about_read(&v->about, rd, &second);
	if (!more)
		more = ts_target_read(&v->target, rd, code ? 0 : v->tiles.rows,
			steps->bound ? steps->group : 0, &second);
	if (!code && more && err)
		*err = second;
	return code ? code : more;
}

static void
fini_verdict(struct ts_fetch *f)
{
	ts_tiles_fini(&((struct verdict *)f)->tiles);
}

static void
copy_text(char *out, size_t size, struct ts_rows *rows, int i)
{
	const char *text;
	size_t n;

	out[0] = '\0';
	if (ts_rows_text(rows, i, &text, &n) == TS_VALUE_OK)
		snprintf(out, size, "%.*s", (int)ts_min_i64((int64_t)n, (int64_t)size - 1), text);
}

/* Two text columns of a relation, at most PAIRS_MAX rows. */
static enum ts_code
read_pairs(struct pair **out, int *count, struct ts_reader *rd, enum ts_relation relation, int key,
	int value, struct ts_err *err)
{
	struct ts_rows_query q = {.columns = {key, value}, .column_count = 2, .limit = PAIRS_MAX};
	struct ts_rows *rows;
	enum ts_code code;
	bool there;

	if (!ts_report_has(rd->report, relation))
		return TS_OK;
	*out = ts_alloc(PAIRS_MAX, sizeof(**out));
	if (!*out)
		return ts_err_nomem(err);
	code = ts_reader_rows(&rows, rd, relation, &q, err);
	if (code)
		return code;
	while (*count < PAIRS_MAX && !(code = ts_rows_next(rows, &there, err)) && there) {
		struct pair *p = &(*out)[(*count)++];

		copy_text(p->key, sizeof(p->key), rows, 0);
		copy_text(p->value, sizeof(p->value), rows, 1);
	}
	ts_rows_close(rows);
	return code;
}

static enum ts_code
read_small(struct ts_fetch *f, struct ts_reader *rd, struct ts_err *err)
{
	struct small *s = (struct small *)f;
	struct ts_tiles tiles = {.always_live = TS_UNKNOWN};
	struct ts_step_names names;
	enum ts_code code;

	code = ts_step_names_read(&names, rd, err);
	if (!code)
		code = ts_graph_read(&s->graph, rd, &names, err);
	ts_step_names_fini(&names);
	if (!code)
		code = ts_peak_read(&s->peak, rd, err);
	if (!code && ts_report_has(rd->report, TS_TILE_MEMORY))
		code = ts_tiles_read(&tiles, rd, err);
	if (!code)
		code = ts_always_live_read(&s->always_live, &tiles, rd, err);
	ts_tiles_fini(&tiles);
	if (!code)
		code = ts_count_rows(&s->runs, rd, TS_RUN, TS_RUN_RUN, err);
	if (!code)
		code = read_pairs(&s->option, &s->options, rd, TS_ENGINE_OPTION,
			TS_ENGINE_OPTION_KEY, TS_ENGINE_OPTION_VALUE, err);
	if (!code)
		code = read_pairs(&s->host, &s->hosts, rd, TS_HOST, TS_HOST_KEY, TS_HOST_VALUE,
			err);
	return code;
}

static void
fini_small(struct ts_fetch *f)
{
	struct small *s = (struct small *)f;

	free(s->option);
	free(s->host);
}

static enum ts_code
read_categories(struct ts_fetch *f, struct ts_reader *rd, struct ts_err *err)
{
	return ts_categories_read(&((struct categories *)f)->sums, rd, &f->job.progress, err);
}

static void
fini_categories(struct ts_fetch *f)
{
	ts_categories_fini(&((struct categories *)f)->sums);
}

static enum ts_code
read_execution(struct ts_fetch *f, struct ts_reader *rd, struct ts_err *err)
{
	struct execution *x = (struct execution *)f;
	struct ts_step_names names;
	struct ts_step_classes classes;
	enum ts_code code = ts_step_names_read(&names, rd, err);

	if (!code) {
		code = ts_step_classes_read(&classes, rd, &names, &f->job.progress, err);
		x->steps = classes.steps;
		if (!code)
			code = ts_execution_read(&x->sums, rd, &classes, &f->job.progress, err);
		ts_step_classes_fini(&classes);
	}
	ts_step_names_fini(&names);
	return code;
}

static void
fini_execution(struct ts_fetch *f)
{
	ts_execution_fini(&((struct execution *)f)->sums);
}

static const struct {
	size_t size;
	enum ts_code (*read)(struct ts_fetch *f, struct ts_reader *rd, struct ts_err *err);
	void (*fini)(struct ts_fetch *f);
	enum ts_worker_id worker;
	const char *what;
	const char *option; /* that records it */
} questions[ASK_COUNT] = {
	[ASK_VERDICT] = {sizeof(struct verdict), read_verdict, fini_verdict, TS_WORKER_SCREEN,
		"reading the tiles", "autoReport.outputGraphProfile"},
	[ASK_SMALL] = {sizeof(struct small), read_small, fini_small, TS_WORKER_SCREEN,
		"reading the graph", NULL},
	[ASK_CATEGORIES] = {sizeof(struct categories), read_categories, fini_categories,
		TS_WORKER_BULK, "summing categories", "autoReport.outputLoweredVars"},
	[ASK_EXECUTION] = {sizeof(struct execution), read_execution, fini_execution, TS_WORKER_BULK,
		"summing cycles", "autoReport.outputExecutionProfile"},
};

static void
summary_request(struct ts_view *v)
{
	struct summary_view *s = self(v);

	for (int i = 0; i < ASK_COUNT; i++) {
		struct ts_fetch *f;

		if (s->state[i].state != TS_PANE_EMPTY)
			continue;
		f = ts_alloc(1, questions[i].size);
		if (!f)
			return;
		f->read = questions[i].read;
		f->fini = questions[i].fini;
		s->asked[i] = f;
		s->state[i].state = TS_PANE_LOADING;
		s->state[i].option = questions[i].option;
		ts_fetch_send(v, f, i, questions[i].worker, questions[i].what);
	}
}

/* The answers live in their fetches: one is swapped for the other's emptied copy. */
static void **
slot(struct summary_view *s, int kind)
{
	void **slots[ASK_COUNT] = {(void **)&s->verdict, (void **)&s->small,
		(void **)&s->categories, (void **)&s->execution};

	return slots[kind];
}

/* Keep what a fetch found: the view gets a copy, and the fetch is left with nothing to free. */
static void
keep(struct summary_view *s, struct ts_fetch *f)
{
	void **to = slot(s, f->job.kind);
	void *copy = ts_alloc(1, questions[f->job.kind].size);

	if (!copy)
		return;
	memcpy(copy, f, questions[f->job.kind].size);
	((struct ts_fetch *)copy)->report = NULL;
	f->fini = NULL;
	*to = copy;
}

static void
drop(struct summary_view *s, int kind)
{
	void **at = slot(s, kind);

	if (*at)
		ts_fetch_free(*at);
	*at = NULL;
	s->asked[kind] = NULL;
	s->state[kind] = (struct ts_pane_data){0};
}

static enum ts_effect
summary_deliver(struct ts_view *v, struct ts_fetch *f)
{
	struct summary_view *s = self(v);
	int kind = f->job.kind;

	if (s->asked[kind] != f)
		return TS_EFFECT_NONE;
	s->asked[kind] = NULL;
	if (ts_fetch_in_vain(f, v->env->generation)) {
		s->state[kind].state = TS_PANE_FAILED;
		snprintf(s->state[kind].reason, sizeof(s->state[kind].reason),
			"cancelled (r reads it again)");
	} else {
		ts_pane_result(&s->state[kind], f->code, &f->err, true);
		if (f->code != TS_E_ABSENT)
			keep(s, f);
	}
	make_lines(s);
	return TS_EFFECT_REPAINT;
}

/* --- the view --------------------------------------------------------------------------------- */

static struct ts_view *
summary_open(struct ts_view_env *env)
{
	struct summary_view *s = ts_alloc(1, sizeof(*s));

	(void)env;
	if (!s)
		return NULL;
	ts_list_init(&s->list);
	return &s->base;
}

static void
summary_close(struct ts_view *v)
{
	for (int i = 0; i < ASK_COUNT; i++)
		drop(self(v), i);
	free(v);
}

static void
summary_reload(struct ts_view *v)
{
	for (int i = 0; i < ASK_COUNT; i++)
		drop(self(v), i);
	make_lines(self(v));
}

static void
summary_resize(struct ts_view *v, struct ts_rect area)
{
	self(v)->area = area;
	ts_list_resize(&self(v)->list, area.h);
	make_lines(self(v));
}

static void
summary_draw(struct ts_view *v, struct ts_canvas *c)
{
	struct summary_view *s = self(v);
	int64_t from, to;

	if (!v->env->report) {
		ts_canvas_pending(c, s->area, 2, 1);
		return;
	}
	ts_list_window(&s->list, &from, &to);
	for (int64_t i = from; i < to && i < s->lines; i++) {
		struct ts_rect row = ts_rect_row(s->area, (int)(i - from));

		s->line[i].draw(s, c, row, s->line[i].arg);
		if (i == s->list.cursor)
			ts_canvas_overlay(c, row, TS_ROLE_CURSOR);
	}
}

/* The text of a line, as it would be drawn. */
static void
line_text(struct summary_view *s, int i, struct ts_strbuf *out)
{
	struct ts_canvas *c = ts_canvas_new(200, 1, TS_GLYPHS_FULL);

	if (!c)
		return;
	s->line[i].draw(s, c, ts_canvas_rect(c), s->line[i].arg);
	ts_canvas_dump(c, out);
	ts_canvas_free(c);
}

static enum ts_effect
search(struct summary_view *s, const char *text, int step)
{
	struct ts_strbuf line;
	int64_t found = -1;

	ts_strbuf_init(&line, 4096);
	for (int i = 1; i <= s->lines && found < 0; i++) {
		int64_t at = ((s->list.cursor + (int64_t)step * i) % s->lines + s->lines) %
			s->lines;

		ts_strbuf_reset(&line);
		line_text(s, (int)at, &line);
		if (ts_contains_nocase(line.s, text))
			found = at;
	}
	ts_strbuf_fini(&line);
	if (found >= 0)
		return ts_list_jump(&s->list, found) | TS_EFFECT_REPAINT;
	ts_view_say_error(s->base.env, "not found: %s", text);
	return TS_EFFECT_BELL;
}

/* Enter: put what the line speaks of into the selection; the program goes to its view. */
static enum ts_effect
follow(struct summary_view *s)
{
	const struct line *l = s->lines ? &s->line[s->list.cursor] : NULL;
	struct ts_selection *selection = s->base.env->selection;

	if (!l || l->goal == GO_NOWHERE || l->object < 0)
		return TS_EFFECT_BELL;
	if (l->goal == GO_TILE)
		selection->tile = l->object;
	else if (l->goal == GO_PEAK)
		selection->live_step = l->object;
	else
		selection->ipu = l->object;
	s->base.env->go = l->goal == GO_TILE ? TS_CMD_GOTO_MEMORY
		: l->goal == GO_PEAK	     ? TS_CMD_GOTO_LIVENESS
					     : TS_CMD_GOTO_TRACE;
	return TS_EFFECT_REPAINT;
}

static enum ts_effect
copy_line(struct summary_view *s)
{
	struct ts_strbuf line;

	if (s->lines == 0)
		return TS_EFFECT_BELL;
	ts_strbuf_init(&line, 1000);
	line_text(s, (int)s->list.cursor, &line);
	snprintf(s->base.env->copy, sizeof(s->base.env->copy), "%s", line.s);
	ts_strbuf_fini(&line);
	return TS_EFFECT_REPAINT;
}

static enum ts_effect
summary_command(struct ts_view *v, const struct ts_call *call)
{
	struct summary_view *s = self(v);
	const char *text = ts_call_arg(call, 0);

	switch (call->cmd) {
	case TS_CMD_SEARCH:
		snprintf(s->sought, sizeof(s->sought), "%s", text ? text : "");
		return search(s, s->sought, 1);
	case TS_CMD_SEARCH_BACK:
		snprintf(s->sought, sizeof(s->sought), "%s", text ? text : "");
		return search(s, s->sought, -1);
	case TS_CMD_SEARCH_NEXT:
		return *s->sought ? search(s, s->sought, 1) : TS_EFFECT_BELL;
	case TS_CMD_SEARCH_PREVIOUS:
		return *s->sought ? search(s, s->sought, -1) : TS_EFFECT_BELL;
	case TS_CMD_OPEN:
		return follow(s);
	case TS_CMD_COPY:
		return copy_line(s);
	default:
		return ts_list_command(&s->list, call->cmd);
	}
}

static enum ts_context
summary_context(struct ts_view *v)
{
	(void)v;
	return TS_CONTEXT_LIST;
}

static enum ts_effect
summary_mouse(struct ts_view *v, int x, int y, int wheel)
{
	struct summary_view *s = self(v);
	int64_t row = ts_list_at(&s->list, y - s->area.y);

	(void)x;
	if (wheel)
		return ts_list_scroll(&s->list, wheel * 3);
	return row >= 0 ? ts_list_go(&s->list, row) : TS_EFFECT_NONE;
}

const struct ts_view_ops ts_view_summary = {
	.name = "summary",
	.title = "Summary",
	.number = 1,
	.context = TS_CONTEXT_SUMMARY,
	.open = summary_open,
	.close = summary_close,
	.reload = summary_reload,
	.resize = summary_resize,
	.draw = summary_draw,
	.request = summary_request,
	.deliver = summary_deliver,
	.command = summary_command,
	.pane_context = summary_context,
	.mouse = summary_mouse,
};
