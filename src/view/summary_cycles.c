/* SPDX-License-Identifier: MIT */
/*
 * summary_cycles - the lines of CYCLES in Summary: of each IPU its cycles, where they go, how much of its tiles works, and
 * how many bytes it moves.
 *
 * Steps of one IPU may overlap: the bar deals each cycle out to one class, and what is left of it is cycles in which
 * nothing runs. That, and bytes, come from the index, or from the rows of a small report (report/proportions.h). Without an
 * index the cycles of the steps of a large one are added up instead, and the title says so.
 */
#include "config.h"

#include <stdio.h>
#include <string.h>

#include "tilescope/base/mem.h"
#include "tilescope/ui/chart.h"
#include "tilescope/view/explain_common.h"
#include "tilescope/view/explain_work.h"

#include "summary_internal.h"

enum { FEW_ROWS = 1 << 17, WIDE = 100 };

/* --- what is read --------------------------------------------------------------------------------- */

/* Are bytes or balance of steps recorded? */
bool
summary_has_work(const struct ts_report *r)
{
	return ts_report_has(r, TS_STEP_IPU) &&
		(ts_proportions_has_balance(r) || ts_proportions_has_bytes(r));
}

/* Are there so few rows that going over them takes no time? Their ids may lie far apart: they are counted, until there are more. */
static enum ts_code
has_few_rows(bool *few, struct ts_reader *rd, struct ts_err *err)
{
	struct ts_rows_query q = {.column_count = 1,
		.columns = {TS_STEP_IPU_STEP},
		.past_damage = true};
	struct ts_rows_block b;
	struct ts_rows *rows;
	int64_t n = 0;
	enum ts_code code;

	*few = ts_reach_span(&rd->report->binding[TS_STEP_IPU].reach) <= FEW_ROWS;
	if (*few)
		return TS_OK;
	code = ts_reader_rows(&rows, rd, TS_STEP_IPU, &q, err);
	if (code)
		return code;
	while (n <= FEW_ROWS && !(code = ts_rows_block(rows, &b, err)) && b.rows > 0)
		n += b.rows;
	ts_rows_close(rows);
	*few = n <= FEW_ROWS;
	return code == TS_E_DAMAGED ? TS_OK : code; /* who reads them says so */
}

/* Does it take no pass over a large relation? */
static enum ts_code
is_cheap(bool *cheap, struct ts_reader *rd, unsigned what, struct ts_err *err)
{
	*cheap = what == TS_PROPORTIONS_TIME ? ts_proportions_indexed(rd)
					     : ts_proportions_work_indexed(rd);
	return *cheap ? TS_OK : has_few_rows(cheap, rd, err);
}

enum ts_code
summary_read_cycles(struct ts_fetch *f, struct ts_reader *rd, struct ts_err *err)
{
	struct summary_cycles *x = (struct summary_cycles *)f;
	unsigned what = f->job.kind == ASK_TIMES ? TS_PROPORTIONS_TIME : TS_PROPORTIONS_WORK;
	const struct ts_report *r = rd->report;
	struct ts_trace *t;
	enum ts_code code, more;
	bool cheap;

	if (what == TS_PROPORTIONS_WORK && !summary_has_work(r))
		return TS_OK;
	code = is_cheap(&cheap, rd, what, err);
	if (code || !cheap)
		return code;
	code = ts_trace_open(&t, rd, &f->job.progress, err);
	if (!t)
		return code;
	more = ts_proportions_read(&x->p, rd, t, t->from, t->to, what, NULL, &f->job.progress,
		code ? NULL : err);
	ts_trace_release(t);
	return code ? code : more;
}

void
summary_fini_cycles(struct ts_fetch *f)
{
	ts_proportions_fini(&((struct summary_cycles *)f)->p);
}

/* Of an IPU; NULL: it is not known. */
static const struct ts_proportion *
find(const struct summary_cycles *x, int64_t ipu)
{
	for (int i = 0; x && x->p.has && i < x->p.count; i++)
		if (x->p.ipu[i].ipu == ipu)
			return &x->p.ipu[i];
	return NULL;
}

/* --- lines ---------------------------------------------------------------------------------------- */

/* Where things stand in a line; 0: there is no room, or nothing is known. */
struct columns {
	int cycles, time, compute, bar, bar_w, utilised, host, global;
};

enum { CYCLES_W = 14, TIME_W = 8, SHARE_W = 9, BYTES_W = 12, BAR_LEAST = 12, GAP = 2 };

static bool
has_bytes(const struct summary_view *s)
{
	const struct ts_traffic_sum *t = s->work && s->work->p.has ? s->work->p.sum.work.traffic
								   : NULL;

	return t &&
		(t[TS_TRAFFIC_STREAM].in != TS_UNKNOWN || t[TS_TRAFFIC_STREAM].out != TS_UNKNOWN ||
			t[TS_TRAFFIC_GLOBAL].in != TS_UNKNOWN ||
			t[TS_TRAFFIC_GLOBAL].out != TS_UNKNOWN);
}

static struct columns
columns_of(const struct summary_view *s, int w)
{
	struct columns k = {.cycles = w >= WIDE ? SUMMARY_LABEL + 2 : 8};
	bool work = s->work && s->work->p.has, utilised = work && s->work->p.sum.work.compute.steps;
	int end = w - 1, x;

	k.time = k.cycles + CYCLES_W;
	x = k.time + TIME_W;
	if (w >= WIDE || !utilised) {
		k.compute = x;
		x += SHARE_W;
	}
	if (has_bytes(s) && end - 2 * BYTES_W - x > BAR_LEAST) {
		k.global = end -= BYTES_W;
		k.host = end -= BYTES_W;
	}
	if (utilised && end - SHARE_W - x > BAR_LEAST)
		k.utilised = end -= SHARE_W;
	k.bar = x + GAP;
	k.bar_w = end - 1 - k.bar;
	return k;
}

static void
put(struct ts_canvas *c, struct ts_rect r, int x, int w, enum ts_role role, const char *text)
{
	if (x > 0)
		ts_canvas_field(c, r, x, 0, w, role, text, strlen(text), TS_FIELD_RIGHT);
}

static void
draw_titles(struct summary_view *s, struct ts_canvas *c, struct ts_rect r, int arg)
{
	struct columns k = columns_of(s, r.w);
	bool times = s->times && s->times->p.has;

	(void)arg;
	put(c, r, k.cycles, CYCLES_W, TS_ROLE_HEADER, "cycles");
	put(c, r, k.time, TIME_W, TS_ROLE_HEADER, "time");
	put(c, r, k.compute, SHARE_W, TS_ROLE_HEADER, "compute");
	put(c, r, k.utilised, SHARE_W, TS_ROLE_HEADER, "util");
	put(c, r, k.host, BYTES_W, TS_ROLE_HEADER, "host in/out");
	put(c, r, k.global, BYTES_W, TS_ROLE_HEADER, "glob in/out");
	if (k.bar_w > 0)
		ts_canvas_field(c, r, k.bar, 0, k.bar_w, TS_ROLE_HEADER,
			times ? "where they go" : "steps, added up", times ? 13 : 15,
			TS_FIELD_ELLIPSIS);
}

/* "1.1M/27k" */
static void
put_bytes(const struct summary_view *s, struct ts_canvas *c, struct ts_rect r, int x,
	const struct ts_traffic_sum *t)
{
	enum ts_units units = s->base.env->options->units;
	char in[TS_FMT_MAX] = "-", to[TS_FMT_MAX] = "-", text[2 * TS_FMT_MAX];

	if (t->in != TS_UNKNOWN)
		ts_fmt_bytes_short(in, t->in, units);
	if (t->out != TS_UNKNOWN)
		ts_fmt_bytes_short(to, t->out, units);
	snprintf(text, sizeof(text), "%s/%s", in, to);
	put(c, r, x, BYTES_W, TS_ROLE_VALUE, text);
}

static double
clock_of(const struct summary_view *s)
{
	double clock = s->base.env->options->clock_hz;

	return clock <= 0 && s->verdict ? s->verdict->target.clock_hz : clock;
}

static void
draw_bar(struct summary_view *s, struct ts_canvas *c, struct ts_rect r,
	const struct ts_ipu_cycles *k, int64_t cycles)
{
	const struct ts_proportion *p = find(s->times, k->ipu);
	struct ts_segment segment[TS_CLASS_COUNT];

	for (int i = 0; i < TS_CLASS_COUNT; i++)
		segment[i] = (struct ts_segment){(double)(p ? p->part[i] : k->by_class[i]),
			(enum ts_role)(TS_ROLE_COMPUTE + i),
			ts_step_class_letter((enum ts_step_class)i)};
	ts_chart_bar(c, r, segment, TS_CLASS_COUNT, (double)(p ? cycles : k->step_cycles));
}

static void
draw_ipu(struct summary_view *s, struct ts_canvas *c, struct ts_rect r, int arg)
{
	const struct ts_ipu_cycles *k = &s->execution->sums.ipu[arg];
	const struct ts_proportion *p = find(s->times, k->ipu), *w = find(s->work, k->ipu);
	struct columns at = columns_of(s, r.w);
	int64_t cycles = k->last_end - k->first_start;
	double clock = clock_of(s);
	char buf[TS_FMT_MAX];

	ts_canvas_printf(c, r, 1, 0, TS_ROLE_LABEL, "ipu %lld", (long long)k->ipu);
	put(c, r, at.cycles, CYCLES_W, TS_ROLE_VALUE, ts_fmt_count(buf, cycles));
	if (clock > 0)
		put(c, r, at.time, TIME_W, TS_ROLE_VALUE,
			ts_fmt_time(buf, (double)cycles / clock * 1e6));
	put(c, r, at.compute, SHARE_W, TS_ROLE_VALUE,
		p ? ts_fmt_percent(buf, (double)p->time.all[TS_CLASS_COMPUTE], (double)cycles)
		  : ts_fmt_percent(buf, (double)k->by_class[TS_CLASS_COMPUTE],
			    (double)k->step_cycles));
	if (at.bar_w > 0)
		draw_bar(s, c, (struct ts_rect){r.x + at.bar, r.y, at.bar_w, 1}, k, cycles);
	if (!w)
		return;
	if (w->work.compute.steps > 0)
		put(c, r, at.utilised, SHARE_W, TS_ROLE_VALUE,
			ts_fmt_percent(buf, (double)w->work.compute.mean, (double)cycles));
	if (at.host) {
		put_bytes(s, c, r, at.host, &w->work.traffic[TS_TRAFFIC_STREAM]);
		put_bytes(s, c, r, at.global, &w->work.traffic[TS_TRAFFIC_GLOBAL]);
	}
}

static void
draw_legend(struct summary_view *s, struct ts_canvas *c, struct ts_rect r, int arg)
{
	static const char *const brief[TS_CLASS_COUNT] = {"compute", "exch.", "global", "sync",
		"ext.", "async", "wait", "copy", "end", "control"};
	struct ts_band band[TS_CLASS_COUNT];
	const char *names[TS_CLASS_COUNT];

	(void)s;
	(void)arg;
	for (int i = 0; i < TS_CLASS_COUNT; i++) {
		band[i] = (struct ts_band){NULL, (enum ts_role)(TS_ROLE_COMPUTE + i),
			ts_step_class_letter((enum ts_step_class)i)};
		names[i] = r.w < 130 ? brief[i] : ts_step_class_label((enum ts_step_class)i);
	}
	ts_chart_legend(c, (struct ts_rect){r.x + 1, r.y, r.w - 2, 1}, band, names, TS_CLASS_COUNT);
}

void
summary_cycle_lines(struct summary_view *s)
{
	summary_add(s, draw_titles, 0);
	for (int i = 0; i < s->execution->sums.count; i++)
		summary_lead(summary_figure(s, draw_ipu, i, FIGURE_IPU), GO_IPU,
			s->execution->sums.ipu[i].ipu);
	summary_add(s, draw_legend, 0);
}

/* --- what the figures are -------------------------------------------------------------------------- */

/* Cycles of the steps of each class: there is a query for those, and they may come to more than the IPU has. */
static void
explain_sums(struct summary_view *s, struct ts_explain *out, const struct ts_ipu_cycles *k)
{
	char query[400];

	snprintf(query, sizeof(query),
		"SELECT 100.0 * sum(CASE WHEN step_class(type, sync_type) = 'compute' THEN cycles END) / "
		"sum(cycles) FROM step_ipu JOIN step USING (step) WHERE ipu = %lld",
		(long long)k->ipu);
	ts_explain_share(out, "share of compute in the steps' cycles",
		k->by_class[TS_CLASS_COMPUTE], k->step_cycles,
		"step_ipu.cycles, step.type, step.name", query);
	for (int i = 0; i < TS_CLASS_COUNT; i++) {
		struct ts_explained *x;

		if (k->by_class[i] == 0)
			continue;
		x = ts_explain_add(out, "cycles of %s steps",
			ts_step_class_label((enum ts_step_class)i));
		ts_explain_integer(x, k->by_class[i], "cycles");
		ts_explain_from(x, summary_cycles_known(s),
			"step_ipu.cycles, step.type, step.name");
		ts_explain_formula(x, "the sum over the steps of that class on ipu %lld",
			(long long)k->ipu);
		ts_explain_query(x,
			"SELECT sum(cycles) FROM step_ipu JOIN step USING (step) WHERE ipu = %lld AND "
			"step_class(type, sync_type) = '%s'",
			(long long)k->ipu, ts_step_class_key((enum ts_step_class)i));
	}
}

/* Cycles in which each class runs. */
static void
explain_times(struct ts_explain *out, const struct ts_proportion *p, int64_t cycles)
{
	for (int i = 0; i < TS_CLASS_COUNT; i++) {
		struct ts_explained *x;
		char n[TS_FMT_MAX];

		if (p->time.all[i] == 0)
			continue;
		x = ts_explain_add(out, "part of its cycles in which ipu %lld runs %s",
			(long long)p->ipu, ts_step_class_label((enum ts_step_class)i));
		ts_explain_real(x, 100 * (double)p->time.all[i] / (double)cycles, "%");
		ts_explain_shown(x, "%s",
			ts_fmt_percent(n, (double)p->time.all[i], (double)cycles));
		ts_explain_from(x, TS_KNOWN_DERIVED, "step_ipu.start, end; step.type");
		ts_explain_formula(x,
			"100 x %lld / %lld; %lld of them are drawn in the bar, where each cycle is that of "
			"one class",
			(long long)p->time.all[i], (long long)cycles, (long long)p->part[i]);
		ts_explain_note(x,
			"Steps of an IPU may overlap: they are intersected, not added, for which there is "
			"no query; sums of their lengths may be larger.");
	}
}

void
summary_explain_ipu(struct summary_view *s, struct ts_explain *out, int arg)
{
	const struct ts_ipu_cycles *k = &s->execution->sums.ipu[arg];
	const struct ts_proportion *p = find(s->times, k->ipu), *w = find(s->work, k->ipu);
	int64_t cycles = k->last_end - k->first_start;
	struct ts_explained *x = ts_explain_add(out, "cycles of ipu %lld", (long long)k->ipu);
	double clock = clock_of(s);
	enum ts_units units = s->base.env->options->units;
	char text[TS_FMT_MAX];

	ts_explain_integer(x, cycles, "cycles");
	ts_explain_shown(x, "%s", ts_fmt_count(text, cycles));
	ts_explain_from(x, summary_cycles_known(s), "step_ipu.start, step_ipu.\"end\"");
	ts_explain_formula(x, "last end %lld - first start %lld", (long long)k->last_end,
		(long long)k->first_start);
	ts_explain_query(x, "SELECT max(\"end\") - min(start) FROM step_ipu WHERE ipu = %lld",
		(long long)k->ipu);
	if (summary_cycles_known(s) == TS_KNOWN_DERIVED)
		ts_explain_note(x, "whether cycles are measured or estimated is not recorded");
	if (clock > 0) {
		x = ts_explain_add(out, "time of ipu %lld", (long long)k->ipu);
		ts_explain_real(x, (double)cycles / clock * 1e6, "us");
		ts_explain_shown(x, "%s", ts_fmt_time(text, (double)cycles / clock * 1e6));
		ts_explain_from(x, summary_cycles_known(s), "step_ipu, %s",
			s->base.env->options->clock_hz > 0 ? "the clock that was set"
							   : "target.clock_hz");
		ts_explain_formula(x, "%lld cycles / %.6g Hz x 1,000,000", (long long)cycles,
			clock);
		ts_explain_query(x,
			"SELECT (max(\"end\") - min(start)) * 1e6 / %.17g FROM step_ipu WHERE ipu = "
			"%lld",
			clock, (long long)k->ipu);
	}
	if (p && cycles > 0)
		explain_times(out, p, cycles);
	else
		explain_sums(s, out, k);
	if (!w)
		return;
	ts_explain_utilisation(out, w->ipu, s->work->p.from, s->work->p.to, &w->work, cycles);
	for (int i = 0; i < 4; i++)
		ts_explain_traffic(out, w->ipu, s->work->p.from, s->work->p.to, &w->work,
			i < 2 ? TS_TRAFFIC_STREAM : TS_TRAFFIC_GLOBAL, i % 2 == 0, units);
}
