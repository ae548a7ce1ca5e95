/* SPDX-License-Identifier: MIT */
/*
 * summary_findings - the first lines of what the rules find, each one key from its place. They are asked for behind the other
 * questions, and only where that goes through no large relation: else Insights (2) asks when it is shown.
 */
#include "config.h"

#include <stdio.h>
#include <string.h>

#include "tilescope/base/mem.h"
#include "tilescope/base/utf8.h"

#include "summary_internal.h"

enum { SHOWN = 3, SHOWN_LOW = 1, LOW = 30, SEVERITY_W = 5, ID_W = 5 };

/* Those that say something: they come first. */
static int
count_said(const struct ts_insights *in)
{
	int n = 0;

	while (n < in->count && in->finding[n].known && in->finding[n].severity)
		n++;
	return n;
}

void
summary_findings_request(struct summary_view *s)
{
	struct summary_findings *f = &s->findings;
	enum ts_units units = s->base.env->options->units;

	if (f->there && f->found.units != units)
		f->there = false;
	if (f->there && !f->running && !f->not_running &&
		ts_findings_can_execution(&f->found, s->base.env, true))
		f->running = ts_findings_ask_execution(&s->base, ASK_FOUND_RUNNING);
	if (f->there || f->asked || f->failed || !s->verdict ||
		s->state[ASK_CATEGORIES].state == TS_PANE_LOADING ||
		!ts_findings_can(s->base.env, true))
		return;
	f->asked = ts_findings_ask(&s->base, ASK_FINDINGS, true);
}

void
summary_findings_deliver(struct summary_view *s, struct ts_fetch *fetch)
{
	struct summary_findings *f = &s->findings;

	if (f->running == fetch) {
		f->running = NULL;
		f->not_running = ts_fetch_in_vain(fetch, s->base.env->generation) || fetch->code;
		if (!f->not_running)
			ts_findings_take_execution(&f->found, fetch);
	}
	if (f->asked != fetch)
		return;
	f->asked = NULL;
	f->failed = ts_fetch_in_vain(fetch, s->base.env->generation) || fetch->code;
	if (f->failed)
		return;
	ts_findings_take(&f->found, fetch);
	f->there = true;
}

void
summary_findings_drop(struct summary_findings *f)
{
	ts_findings_fini(&f->found);
	*f = (struct summary_findings){0};
}

/* Those with a line of their own: where there are few lines the verdict comes first. */
static int
most_shown(const struct summary_view *s)
{
	return s->area.h < LOW ? SHOWN_LOW : SHOWN;
}

/* They would take a pass over all variables, which nobody has asked for. */
static bool
are_dear(const struct summary_view *s)
{
	const struct summary_findings *f = &s->findings;

	return !f->there && !f->asked && !f->failed && ts_findings_can(s->base.env, false) &&
		!ts_findings_can(s->base.env, true);
}

/* There is a trace, and its rules were not asked yet. */
static bool
lacks_execution(const struct summary_view *s)
{
	return !s->findings.found.has_execution && ts_report_has(s->base.env->report, TS_STEP_IPU);
}

const struct ts_rule *
summary_findings_rule(const struct summary_view *s, int line)
{
	const struct ts_insights *in = &s->findings.found.insights;
	int n = (int)ts_min_i64(count_said(in), most_shown(s));

	return line < n ? in->finding[line].rule : NULL;
}

int
summary_findings_lines(const struct summary_view *s)
{
	int n = count_said(&s->findings.found.insights), most = most_shown(s);

	if (!s->findings.there)
		return are_dear(s);
	return n > most ? most + 1 : n > 0 ? n + lacks_execution(s) : 1;
}

void
summary_findings_place(const struct summary_view *s, int line, char *out, size_t size)
{
	const struct ts_insights *in = &s->findings.found.insights;
	int n = (int)ts_min_i64(count_said(in), most_shown(s));

	if (line < n && in->finding[line].place[0])
		snprintf(out, size, "%s", in->finding[line].place);
	else if (line < n)
		snprintf(out, size, "insights?rule=%s", in->finding[line].rule->id);
	else
		snprintf(out, size, "insights");
}

/* Behind the findings, or in their place: how many rules there are besides, and which were not asked. */
static void
draw_rest(const struct summary_view *s, struct ts_canvas *c, struct ts_rect r)
{
	const struct ts_insights *in = &s->findings.found.insights;
	int n = count_said(in), most = most_shown(s), x = SUMMARY_LABEL + 2;

	if (n > most)
		x = ts_canvas_printf(c, r, x, 0, TS_ROLE_DIM, "and %d more in Insights", n - most);
	else if (n == 0)
		x = ts_canvas_printf(c, r, x, 0, TS_ROLE_DIM,
			"none: %d rules look fine, %d are not known",
			in->by_severity[TS_SEVERITY_NONE], in->unknown);
	if (lacks_execution(s))
		ts_canvas_printf(c, r, x, 0, TS_ROLE_DIM,
			"%sthe rules of the execution were not asked yet%s",
			x > SUMMARY_LABEL + 2 ? "; " : "",
			s->findings.running ? "" : " (Insights asks)");
}

/* Bytes of the evidence that w columns hold: all of it, its first clauses, or its share alone ("10.8%"). */
static size_t
evidence_bytes(const char *evidence, int w)
{
	size_t n = strlen(evidence), less, share = strcspn(evidence, " ");

	while (ts_utf8_columns(evidence, n) > w && (less = ts_text_shorten(evidence, n)) > 0)
		n = less;
	if (ts_utf8_columns(evidence, n) > w)
		n = strcspn(evidence, ":");
	if (ts_utf8_columns(evidence, n) <= w || share == 0 || evidence[share - 1] != '%')
		return n;
	return share;
}

void
summary_findings_draw(struct summary_view *s, struct ts_canvas *c, struct ts_rect r, int line)
{
	const struct ts_insights *in = &s->findings.found.insights;
	const struct ts_finding *f;
	int x = SUMMARY_LABEL + 2, most = most_shown(s);

	if (line == 0)
		ts_canvas_text(c, r, 1, 0, TS_ROLE_LABEL, "findings");
	if (!s->findings.there) {
		ts_canvas_text(c, r, x, 0, TS_ROLE_DIM,
			"in Insights: without an index they take a while");
		return;
	}
	if (line >= most || line >= count_said(in)) {
		draw_rest(s, c, r);
		return;
	}
	f = &in->finding[line];
	ts_canvas_text(c, r, x, 0, ts_severity_role(f->severity), ts_severity_word(f->severity));
	ts_canvas_field(c, r, x + SEVERITY_W, 0, ID_W - 1, TS_ROLE_DIM, f->rule->id,
		strlen(f->rule->id), TS_FIELD_ELLIPSIS);
	x += SEVERITY_W + ID_W;
	x = ts_canvas_printf(c, r, x, 0, TS_ROLE_TEXT, "%s: ", f->rule->title);
	ts_canvas_field(c, r, x, 0, r.w - x - 1, TS_ROLE_TEXT, f->evidence,
		evidence_bytes(f->evidence, r.w - x - 1), TS_FIELD_ELLIPSIS);
}
