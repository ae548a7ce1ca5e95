/* SPDX-License-Identifier: MIT */
/*
 * summary_facts - the lower lines of the Summary view: the target, the report and its parts, what was assumed or left
 * out, the host and the engine options. They are no verdict: what was recorded, as it stands.
 */
#include "config.h"

#include <stdio.h>
#include <string.h>

#include "tilescope/base/mem.h"
#include "tilescope/base/utf8.h"

#include "summary_internal.h"

/* --- drawing ---------------------------------------------------------------------------------- */

static void
draw_target(struct summary_view *s, struct ts_canvas *c, struct ts_rect r, int arg)
{
	enum { ROOM = 36 };
	const struct ts_target *g = &s->verdict->target;
	int x = summary_label(c, r, "machine");

	(void)arg;
	x = ts_canvas_text(c, r, x, 0, TS_ROLE_VALUE, g->type[0] ? g->type : "");
	x = ts_canvas_printf(c, r, x, 0, TS_ROLE_VALUE, "%s%s", g->type[0] ? " " : "",
		g->architecture[0] ? g->architecture : "architecture not known");
	x = summary_put_count(c, r, x, "   IPUs ", g->ipus);
	x = summary_put_count(c, r, x, "   replicas ", g->replicas);
	if (g->assumed)
		summary_say(c, r, x + 3, TS_ROLE_NOTE,
			r.w - x > ROOM ? "assumed: the report does not say" : "assumed");
}

static void
draw_tile(struct summary_view *s, struct ts_canvas *c, struct ts_rect r, int arg)
{
	static const char no_clock[] = "   clock not known (:set clock=1.85GHz)";
	const struct ts_target *g = &s->verdict->target;
	int64_t ipu;
	int x = summary_label(c, r, "memory");

	(void)arg;
	x = summary_put_bytes(s, c, r, x, "tile ", g->bytes_per_tile);
	if (g->bytes_per_tile > 0 && g->tiles_per_ipu > 0 &&
		!__builtin_mul_overflow(g->bytes_per_tile, g->tiles_per_ipu, &ipu)) {
		x = summary_put_bytes(s, c, r, x, "   IPU ", ipu);
		x = summary_put_count(c, r, x, "   tiles per IPU ", g->tiles_per_ipu);
	}
	if (g->clock_hz > 0)
		ts_canvas_printf(c, r, x, 0, TS_ROLE_VALUE, "   %.4g GHz", g->clock_hz / 1e9);
	else if (r.w - x >= (int)strlen(no_clock))
		ts_canvas_text(c, r, x, 0, TS_ROLE_DIM, no_clock);
	else
		summary_say(c, r, x, TS_ROLE_DIM, "   no clock");
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
	int x = summary_label(c, r, arg ? "" : "graph");

	if (arg) {
		x = summary_put_count(c, r, x, "vertices ", g->vertices);
		summary_put_count(c, r, x, "   edges ", g->edges);
		return;
	}
	x = summary_put_count(c, r, x, "compute sets ", g->compute_sets);
	x = summary_put_count(c, r, x, "   programs ", g->programs);
	if (!has_lowered_only(s))
		summary_put_count(c, r, x, "   variables ", g->variables);
}

static void
draw_lowered(struct summary_view *s, struct ts_canvas *c, struct ts_rect r, int arg)
{
	int x = summary_label(c, r, "variables");

	(void)s;
	(void)arg;
	x = summary_say(c, r, x, TS_ROLE_LABEL, "lowered: see Variables");
	summary_say(c, r, x, TS_ROLE_DIM, "   unlowered ones are not recorded");
}

static void
draw_about(struct summary_view *s, struct ts_canvas *c, struct ts_rect r, int arg)
{
	const struct ts_about *a = &s->verdict->about;
	int x = summary_label(c, r, "Poplar");

	(void)arg;
	x = summary_say(c, r, x, a->poplar_version[0] ? TS_ROLE_VALUE : TS_ROLE_DIM,
		a->poplar_version[0] ? a->poplar_version : "not known");
	if (a->package_hash[0])
		x = ts_canvas_printf(c, r, x, 0, TS_ROLE_DIM, " %s", a->package_hash);
	x = summary_say(c, r, x, TS_ROLE_LABEL, "   instrumentation ");
	summary_say(c, r, x, a->compute_instrumentation[0] ? TS_ROLE_VALUE : TS_ROLE_DIM,
		a->compute_instrumentation[0] ? a->compute_instrumentation : "not known");
}

static void
draw_file(struct summary_view *s, struct ts_canvas *c, struct ts_rect r, int arg)
{
	const struct ts_report *report = s->base.env->report;
	char buf[TS_FMT_MAX];
	int x = summary_label(c, r, "file");

	(void)arg;
	x += ts_canvas_field(c, r, x, 0, r.w - x - 14, TS_ROLE_VALUE, report->file,
		strlen(report->file), TS_FIELD_TAIL);
	ts_canvas_printf(c, r, x + 2, 0, TS_ROLE_DIM, "%s",
		ts_fmt_bytes(buf, report->part[report->part_of[0]].bytes,
			s->base.env->options->units));
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
		x = summary_say(c, r, x, role, before);
		x = summary_say(c, r, x, role, ts_part_name((enum ts_part)i));
		before = ", ";
	}
	return x;
}

/* Those that are there by their states, then those that are not: in 80 columns. */
static void
draw_parts(struct summary_view *s, struct ts_canvas *c, struct ts_rect r, int arg)
{
	static const enum ts_part_state there[] = {TS_PART_OK, TS_PART_DAMAGED, TS_PART_UNREADABLE};
	int x = summary_label(c, r, "parts");

	(void)arg;
	for (size_t i = 0; i < TS_COUNT(there); i++) {
		int to = list_parts(s, c, r, x, there[i]);

		if (to == x)
			continue;
		x = summary_say(c, r, to + 1, there[i] == TS_PART_OK ? TS_ROLE_GOOD : TS_ROLE_BAD,
			    ts_part_state_name(there[i])) +
			2;
	}
	list_parts(s, c, r, x, TS_PART_ABSENT);
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
	ts_canvas_text(c, r, summary_label(c, r, "assumed"), 0, TS_ROLE_NOTE, assumed[arg].words);
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

/* --- which lines there are -------------------------------------------------------------------- */

static void
note_lines(struct summary_view *s)
{
	const struct ts_report *report = s->base.env->report;
	const char *what;
	int joined = s->parts ? s->parts->notes.count : 0;
	bool any = report->notes.count > 0 || joined > 0;

	if (any)
		summary_heading(s, HEAD_NOTES);
	for (int i = 0; i < report->notes.count; i++)
		summary_add(s, draw_note, i);
	for (int i = 0; i < joined; i++)
		summary_add(s, draw_joined, i);
	for (int i = 0; left_out(s, i, &what) >= 0; i++) {
		if (left_out(s, i, &what) == 0)
			continue;
		if (!any)
			summary_heading(s, HEAD_NOTES);
		any = true;
		summary_add(s, draw_left_out, i);
	}
}

void
summary_fact_lines(struct summary_view *s)
{
	const struct ts_report *report = s->base.env->report;

	summary_heading(s, HEAD_TARGET);
	if (s->verdict) {
		summary_figure(s, draw_target, 0, FIGURE_TARGET);
		summary_figure(s, draw_tile, 0, FIGURE_TILE);
	}
	summary_heading(s, HEAD_REPORT);
	summary_add(s, draw_file, 0);
	if (s->verdict)
		summary_figure(s, draw_about, 0, FIGURE_ABOUT);
	if (s->small)
		summary_figure(s, draw_graph, 0, FIGURE_GRAPH);
	else
		summary_add(s, summary_draw_state, ASK_SMALL);
	if (s->small && (s->small->graph.vertices >= 0 || s->small->graph.edges >= 0))
		summary_figure(s, draw_graph, 1, FIGURE_GRAPH);
	if (has_lowered_only(s))
		summary_add(s, draw_lowered, 0);
	summary_add(s, draw_parts, 0);
	for (size_t i = 0; i < TS_COUNT(assumed); i++)
		if (is_assumed(report, i))
			summary_add(s, draw_assumed, (int)i);
	note_lines(s);
	if (s->small && s->small->hosts > 0)
		summary_heading(s, HEAD_HOST);
	for (int i = 0; s->small && i < s->small->hosts; i++)
		summary_add(s, draw_host, i);
	if (s->small && s->small->options > 0)
		summary_heading(s, HEAD_OPTIONS);
	for (int i = 0; s->small && i < s->small->options; i++)
		if (summary_option_passes(s, i))
			summary_add(s, draw_option, i);
}
