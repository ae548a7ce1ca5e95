/* SPDX-License-Identifier: MIT */
/* summary_draw - the lines of the Summary view. */
#include "config.h"

#include <stdio.h>
#include <string.h>

#include "tilescope/base/mem.h"
#include "tilescope/base/utf8.h"
#include "tilescope/ui/chart.h"

#include "summary_internal.h"

enum { LABEL_W = 15, CATEGORIES_SHOWN = 8 };

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

/* Words from x, with an ellipsis where the line is too short; returns the column behind them. */
static int
say(struct ts_canvas *c, struct ts_rect r, int x, enum ts_role role, const char *text)
{
	if (r.w > 0 && x >= r.w - 1 && *text) { /* also where the words before fill the line */
		text = x >= r.w || text[1] ? "…" : text;
		x = r.w - 1;
	}
	return x +
		ts_canvas_field(c, r, x, 0, r.w - x, role, text, strlen(text), TS_FIELD_ELLIPSIS);
}

static int
put_bytes(const struct summary_view *s, struct ts_canvas *c, struct ts_rect r, int x,
	const char *before, int64_t bytes)
{
	char buf[TS_FMT_MAX];

	x = say(c, r, x, TS_ROLE_LABEL, before);
	if (bytes < 0)
		return say(c, r, x, TS_ROLE_DIM, "not known");
	return say(c, r, x, TS_ROLE_VALUE, ts_fmt_bytes(buf, bytes, units(s)));
}

static int
put_count(struct ts_canvas *c, struct ts_rect r, int x, const char *before, int64_t n)
{
	char buf[TS_FMT_MAX];

	x = say(c, r, x, TS_ROLE_LABEL, before);
	return say(c, r, x, n < 0 ? TS_ROLE_DIM : TS_ROLE_VALUE,
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

enum {
	HEAD_MEMORY,
	HEAD_CYCLES,
	HEAD_TARGET,
	HEAD_REPORT,
	HEAD_HOST,
	HEAD_NOTES,
	HEAD_OPTIONS,
	HEAD_CHANGE
};

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

static void
draw_state(struct summary_view *s, struct ts_canvas *c, struct ts_rect r, int arg)
{
	const struct ts_pane_data *d = &s->state[arg];
	char text[300];
	enum ts_role role = TS_ROLE_DIM;

	if (arg == ASK_CATEGORIES && !s->categories)
		label(c, r, "categories");
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
						    : "could not be read",
			d->reason);
		role = TS_ROLE_ERROR;
	} else {
		ts_canvas_text(c, r, LABEL_W + 2, 0, TS_ROLE_DIM,
			arg == ASK_CATEGORIES || arg == ASK_EXECUTION ? "being counted"
								      : "being read");
		return;
	}
	ts_canvas_field(c, r, LABEL_W + 2, 0, r.w - LABEL_W - 3, role, text, strlen(text),
		TS_FIELD_ELLIPSIS);
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
		!known	       ? "limit unknown"
			: fits ? "fits"
			       : "DOES NOT FIT");
	x = x < LABEL_W + 2 ? LABEL_W + 2 : x + 2;
	x = ts_canvas_printf(c, r, x, 0, TS_ROLE_LABEL, "worst tile ");
	x = ts_canvas_printf(c, r, x, 0, TS_ROLE_ACCENT, "%lld", (long long)worst->tile);
	if (ts_tile_ipu(worst, g) != TS_UNKNOWN)
		x = ts_canvas_printf(c, r, x, 0, TS_ROLE_LABEL, " (ipu %lld)",
			(long long)ts_tile_ipu(worst, g));
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
	int64_t room;
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
	put_bytes(s, c, r, x, "   mean ", t->used / (int64_t)t->count);
}

static void
draw_over(struct summary_view *s, struct ts_canvas *c, struct ts_rect r, int arg)
{
	int64_t limit = s->verdict->target.bytes_per_tile;
	int64_t over = (int64_t)ts_tiles_over(&s->verdict->tiles, limit);
	char buf[TS_FMT_MAX];

	(void)arg;
	ts_canvas_printf(c, r, label(c, r, "over the limit"), 0, TS_ROLE_BAD, "%s tile%s",
		ts_fmt_count(buf, over), over == 1 ? "" : "s");
}

static void
draw_gaps(struct summary_view *s, struct ts_canvas *c, struct ts_rect r, int arg)
{
	const struct ts_tiles *t = &s->verdict->tiles;
	int x = label(c, r, "gaps");

	(void)arg;
	if (t->total_gaps != TS_UNKNOWN && t->total_gaps >= t->total) {
		x = put_bytes(s, c, r, x, "", t->total_gaps - t->total);
		x = put_bytes(s, c, r, x, "   total with gaps ", t->total_gaps);
		say(c, r, x + 3, TS_ROLE_NOTE, "worst, mean: with gaps");
		return;
	}
	x = say(c, r, x, TS_ROLE_NOTE, gaps_words[t->gaps + 1]);
	if (s->verdict->target.assumed)
		say(c, r, x + 3, TS_ROLE_NOTE, "limit assumed");
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
	enum { ROOM = 36 }; /* columns that the first of them needs */
	const struct ts_about *a = s->verdict ? &s->verdict->about : NULL;
	int x = LABEL_W + 2;

	(void)arg;
	x = put_count(c, r, x, "steps ", s->execution->steps);
	x = put_count(c, r, x, "   runs ", s->small ? s->small->runs : TS_UNKNOWN);
	if ((!a || a->measured < 0) && r.w - x < ROOM)
		say(c, r, x + 3, TS_ROLE_NOTE, "measured: not known");
	else
		say(c, r, x + 3, TS_ROLE_NOTE, words[(a ? a->measured : -1) + 1]);
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
	say(c, r, LABEL_W + 38, TS_ROLE_HEADER, "where the steps' cycles go");
}

/* --- facts ------------------------------------------------------------------------------------ */

static void
draw_target(struct summary_view *s, struct ts_canvas *c, struct ts_rect r, int arg)
{
	enum { ROOM = 36 };
	const struct ts_target *g = &s->verdict->target;
	int x = label(c, r, "machine");

	(void)arg;
	x = ts_canvas_text(c, r, x, 0, TS_ROLE_VALUE, g->type[0] ? g->type : "");
	x = ts_canvas_printf(c, r, x, 0, TS_ROLE_VALUE, "%s%s", g->type[0] ? " " : "",
		g->architecture[0] ? g->architecture : "architecture not known");
	x = put_count(c, r, x, "   IPUs ", g->ipus);
	x = put_count(c, r, x, "   replicas ", g->replicas);
	if (g->assumed)
		say(c, r, x + 3, TS_ROLE_NOTE,
			r.w - x > ROOM ? "assumed: the report does not say" : "assumed");
}

static void
draw_tile(struct summary_view *s, struct ts_canvas *c, struct ts_rect r, int arg)
{
	static const char no_clock[] = "   clock not known (:set clock=1.85GHz)";
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
	else if (r.w - x >= (int)strlen(no_clock))
		ts_canvas_text(c, r, x, 0, TS_ROLE_DIM, no_clock);
	else
		say(c, r, x, TS_ROLE_DIM, "   no clock");
}

/* Where the variables themselves are not recorded, those that they were lowered to may be. */
static bool
has_lowered_only(const struct summary_view *s)
{
	return s->small && s->small->graph.variables < 0 &&
		ts_report_has(s->base.env->report, TS_LOWERED_VARIABLE);
}

static void
draw_graph(struct summary_view *s, struct ts_canvas *c, struct ts_rect r, int arg)
{
	const struct ts_graph *g = &s->small->graph;
	int x = label(c, r, arg ? "" : "graph");

	if (arg) {
		x = put_count(c, r, x, "vertices ", g->vertices);
		put_count(c, r, x, "   edges ", g->edges);
		return;
	}
	x = put_count(c, r, x, "compute sets ", g->compute_sets);
	x = put_count(c, r, x, "   programs ", g->programs);
	if (!has_lowered_only(s))
		put_count(c, r, x, "   variables ", g->variables);
}

static void
draw_lowered(struct summary_view *s, struct ts_canvas *c, struct ts_rect r, int arg)
{
	int x = label(c, r, "variables");

	(void)s;
	(void)arg;
	x = say(c, r, x, TS_ROLE_LABEL, "lowered: see Variables");
	say(c, r, x, TS_ROLE_DIM, "   unlowered ones are not recorded");
}

static void
draw_about(struct summary_view *s, struct ts_canvas *c, struct ts_rect r, int arg)
{
	const struct ts_about *a = &s->verdict->about;
	int x = label(c, r, "Poplar");

	(void)arg;
	x = say(c, r, x, a->poplar_version[0] ? TS_ROLE_VALUE : TS_ROLE_DIM,
		a->poplar_version[0] ? a->poplar_version : "not known");
	if (a->package_hash[0])
		x = ts_canvas_printf(c, r, x, 0, TS_ROLE_DIM, " %s", a->package_hash);
	x = say(c, r, x, TS_ROLE_LABEL, "   instrumentation ");
	say(c, r, x, a->compute_instrumentation[0] ? TS_ROLE_VALUE : TS_ROLE_DIM,
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
		ts_fmt_bytes(buf, report->part[report->part_of[0]].bytes, units(s)));
}

/* An archive beside the profile is looked at more closely later. */
static enum ts_part_state
part_state(const struct summary_view *s, int part)
{
	return part == TS_PART_ARCHIVE ? s->base.env->archive_state
				       : s->base.env->report->part[part].state;
}

/* The parts in this state, by name; x stays where there are none. */
static int
list_parts(const struct summary_view *s, struct ts_canvas *c, struct ts_rect r, int x,
	enum ts_part_state state)
{
	const char *before = state == TS_PART_ABSENT ? "no files: " : "";
	enum ts_role role = state == TS_PART_ABSENT ? TS_ROLE_DIM : TS_ROLE_LABEL;

	for (int i = 0; i < TS_PART_COUNT; i++) {
		if (part_state(s, i) != state)
			continue;
		x = say(c, r, x, role, before);
		x = say(c, r, x, role, ts_part_name((enum ts_part)i));
		before = ", ";
	}
	return x;
}

/* Those that are there by their states, then those that are not: in 80 columns. */
static void
draw_parts(struct summary_view *s, struct ts_canvas *c, struct ts_rect r, int arg)
{
	static const enum ts_part_state there[] = {TS_PART_OK, TS_PART_DAMAGED, TS_PART_UNREADABLE};
	int x = label(c, r, "parts");

	(void)arg;
	for (size_t i = 0; i < TS_COUNT(there); i++) {
		int to = list_parts(s, c, r, x, there[i]);

		if (to == x)
			continue;
		x = say(c, r, to + 1, there[i] == TS_PART_OK ? TS_ROLE_GOOD : TS_ROLE_BAD,
			    ts_part_state_name(there[i])) +
			2;
	}
	list_parts(s, c, r, x, TS_PART_ABSENT);
}

/* The SDK's libpva, when it is here and would bring something: Enter asks it. */
static void
draw_offer(struct summary_view *s, struct ts_canvas *c, struct ts_rect r, int arg)
{
	(void)arg;
	say(c, r, label(c, r, "libpva"), TS_ROLE_NOTE,
		s->base.env->offer ? s->base.env->offer : "");
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

/* Rows that were left out of the figures above, by relation; 0 = none, or not counted yet. */
static int64_t
left_out(const struct summary_view *s, int which, const char **what)
{
	static const char *const names[] = {"tile memory", "memory categories", "steps by IPU",
		"steps by IPU that name no step", "liveness"};
	const int64_t counts[] = {s->verdict ? s->verdict->tiles.bad_rows : 0,
		s->categories ? s->categories->sums.bad_rows : 0,
		s->execution ? s->execution->sums.bad_rows : 0,
		s->execution ? s->execution->sums.orphans : 0,
		s->small ? s->small->peak.bad_rows : 0};

	if (which < 0 || which >= (int)TS_COUNT(counts))
		return -1;
	*what = names[which];
	return counts[which];
}

static void
draw_left_out(struct summary_view *s, struct ts_canvas *c, struct ts_rect r, int arg)
{
	const char *what = "";
	int64_t rows = left_out(s, arg, &what);
	char buf[TS_FMT_MAX];

	ts_canvas_printf(c, r, 1, 0, TS_ROLE_WARN,
		"%s: %s rows left out (a number is missing, negative or too large)", what,
		ts_fmt_count(buf, rows));
}

static void
draw_note(struct summary_view *s, struct ts_canvas *c, struct ts_rect r, int arg)
{
	const char *note = s->base.env->report->notes.note[arg];

	ts_canvas_field(c, r, 1, 0, r.w - 2, TS_ROLE_WARN, note, strlen(note), TS_FIELD_ELLIPSIS);
}

/* What does not fit together. */
static void
draw_joined(struct summary_view *s, struct ts_canvas *c, struct ts_rect r, int arg)
{
	const char *note = s->parts->notes.note[arg];

	ts_canvas_field(c, r, 1, 0, r.w - 2, TS_ROLE_WARN, note, strlen(note), TS_FIELD_ELLIPSIS);
}

static void
draw_pair(struct ts_canvas *c, struct ts_rect r, const struct summary_pair *p, int key_w)
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

enum summary_figure
summary_figure_of(const struct summary_line *l)
{
	static const struct {
		void (*draw)(struct summary_view *, struct ts_canvas *, struct ts_rect, int);
		enum summary_figure figure;
	} figures[] = {
		{draw_fits, FIGURE_FITS},
		{draw_total, FIGURE_TOTAL},
		{draw_over, FIGURE_OVER},
		{draw_gaps, FIGURE_GAPS},
		{draw_live, FIGURE_LIVE},
		{draw_category, FIGURE_CATEGORY},
		{draw_runs, FIGURE_RUNS},
		{draw_ipu, FIGURE_IPU},
		{draw_target, FIGURE_TARGET},
		{draw_tile, FIGURE_TILE},
		{draw_graph, FIGURE_GRAPH},
		{draw_about, FIGURE_ABOUT},
	};

	for (size_t i = 0; i < TS_COUNT(figures); i++)
		if (figures[i].draw == l->draw)
			return figures[i].figure;
	return FIGURE_NONE;
}

/* --- which lines there are -------------------------------------------------------------------- */

static struct summary_line *
add(struct summary_view *s,
	void (*draw)(struct summary_view *, struct ts_canvas *, struct ts_rect, int), int arg)
{
	struct summary_line *l = &s->line[s->lines];

	if (s->lines < SUMMARY_LINES - 1)
		s->lines++;
	*l = (struct summary_line){.draw = draw, .arg = arg};
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
lead(struct summary_line *l, enum summary_goal goal, int64_t object)
{
	l->goal = goal;
	l->object = object;
}

static void
memory_lines(struct summary_view *s)
{
	const struct summary_verdict *v = s->verdict;

	heading(s, HEAD_MEMORY);
	if (v && v->tiles.count > 0) {
		int64_t worst = v->tiles.tile[v->tiles.worst].tile;

		lead(add(s, draw_fits, 0), GO_TILE, worst);
		if (ts_tiles_over(&v->tiles, v->target.bytes_per_tile) > 0)
			lead(add(s, draw_over, 0), GO_TILE, worst);
		lead(add(s, draw_total, 0), GO_TILE, worst);
		lead(add(s, draw_gaps, 0), GO_TILE, worst);
	}
	if (!v || s->state[ASK_VERDICT].state != TS_PANE_READY)
		lead(add(s, draw_state, ASK_VERDICT), GO_ABSENT, ASK_VERDICT);
	if (s->small && (s->small->always_live != TS_UNKNOWN || s->small->peak.bytes != TS_UNKNOWN))
		lead(add(s, draw_live, 0), GO_PEAK, s->small->peak.step);
	for (int i = 0; i < summary_findings_lines(s); i++)
		lead(add(s, summary_findings_draw, i), GO_FINDING, i);
	for (int i = 0; s->categories && i < s->categories->sums.count && i < CATEGORIES_SHOWN; i++)
		lead(add(s, draw_category, i), GO_TILE, s->categories->sums.category[i].worst_tile);
	if (!s->categories || s->state[ASK_CATEGORIES].state != TS_PANE_READY)
		lead(add(s, draw_state, ASK_CATEGORIES), GO_ABSENT, ASK_CATEGORIES);
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
		lead(add(s, draw_state, ASK_EXECUTION), GO_ABSENT, ASK_EXECUTION);
}

static void
note_lines(struct summary_view *s)
{
	const struct ts_report *report = s->base.env->report;
	const char *what;
	int joined = s->parts ? s->parts->notes.count : 0;
	bool any = report->notes.count > 0 || joined > 0;

	if (any)
		heading(s, HEAD_NOTES);
	for (int i = 0; i < report->notes.count; i++)
		add(s, draw_note, i);
	for (int i = 0; i < joined; i++)
		add(s, draw_joined, i);
	for (int i = 0; left_out(s, i, &what) >= 0; i++) {
		if (left_out(s, i, &what) == 0)
			continue;
		if (!any)
			heading(s, HEAD_NOTES);
		any = true;
		add(s, draw_left_out, i);
	}
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
	if (s->small && (s->small->graph.vertices >= 0 || s->small->graph.edges >= 0))
		add(s, draw_graph, 1);
	if (has_lowered_only(s))
		add(s, draw_lowered, 0);
	add(s, draw_parts, 0);
	if (s->base.env->offer)
		lead(add(s, draw_offer, 0), GO_IMPORT, 0);
	for (size_t i = 0; i < TS_COUNT(assumed); i++)
		if (is_assumed(report, i))
			add(s, draw_assumed, (int)i);
	note_lines(s);
	if (s->small && s->small->hosts > 0)
		heading(s, HEAD_HOST);
	for (int i = 0; s->small && i < s->small->hosts; i++)
		add(s, draw_host, i);
	if (s->small && s->small->options > 0)
		heading(s, HEAD_OPTIONS);
	for (int i = 0; s->small && i < s->small->options; i++)
		if (summary_option_passes(s, i))
			add(s, draw_option, i);
}

static void
change_lines(struct summary_view *s)
{
	if (!s->changed)
		return;
	heading(s, HEAD_CHANGE);
	for (int i = 0; i < SUMMARY_CHANGES; i++)
		add(s, summary_draw_change, i);
}

void
summary_make_lines(struct summary_view *s)
{
	s->lines = 0;
	if (s->base.env->report) {
		change_lines(s);
		memory_lines(s);
		cycle_lines(s);
		fact_lines(s);
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
