/* SPDX-License-Identifier: MIT */
/*
 * trace_sheet - what the figures of the step under the cursor are, the list of steps as a file, the lanes as a chart.
 *
 * A file of the steps is read by a worker, a window after the other, as the list itself: with the figures of the
 * selected IPU.
 */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "trace_internal.h"

#include "tilescope/base/mem.h"
#include "tilescope/ui/chart_page.h"
#include "tilescope/view/explain_common.h"
#include "tilescope/view/sheet.h"

/* --- explain ---------------------------------------------------------------------------------- */

static enum ts_known
known_of(const struct trace_view *t, const struct ts_trace_row *row)
{
	return ts_known_of_mark(ts_honesty_step(&t->trace->honest, row->step, row->class_of));
}

/* One column of the step's row of this IPU. */
static struct ts_explained *
add_part(const struct trace_view *t, struct ts_explain *out, const struct ts_trace_row *row,
	const char *title, const char *column)
{
	struct ts_explained *x = ts_explain_add(out, "%s of step %lld on ipu %lld", title,
		(long long)row->step, (long long)t->window.ipu);

	ts_explain_from(x, known_of(t, row), "step_ipu.%s", column);
	ts_explain_note(x, "%s",
		ts_mark_sentence(ts_honesty_step(&t->trace->honest, row->step, row->class_of)));
	ts_explain_query(x, "SELECT \"%s\" FROM step_ipu WHERE step = %lld AND ipu = %lld", column,
		(long long)row->step, (long long)t->window.ipu);
	return x;
}

static void
explain_share(const struct trace_view *t, struct ts_explain *out, const struct ts_trace_row *row)
{
	int i = ts_trace_run_of(t->trace, row->step);
	const struct ts_trace_run *r = i >= 0 ? &t->trace->run[i] : NULL;
	char query[400], title[80];

	if (r && r->start != TS_UNKNOWN && r->end > r->start) {
		snprintf(title, sizeof(title), "its share of run %lld", (long long)r->run);
		snprintf(query, sizeof(query),
			"SELECT 100.0 * cycles / ((SELECT max(\"end\") FROM step_ipu WHERE step = %lld) - "
			"(SELECT min(start) FROM step_ipu WHERE step = %lld)) FROM step_ipu WHERE step = "
			"%lld AND ipu = %lld",
			(long long)(r->first_step + r->steps - 1), (long long)r->first_step,
			(long long)row->step, (long long)t->window.ipu);
		ts_explain_share(out, title, row->cycles, r->end - r->start,
			"step_ipu.cycles, run.first_step, run.step_count", query);
		return;
	}
	snprintf(query, sizeof(query),
		"SELECT 100.0 * (SELECT cycles FROM step_ipu WHERE step = %lld AND ipu = %lld) / "
		"(max(\"end\") - min(start)) FROM step_ipu",
		(long long)row->step, (long long)t->window.ipu);
	ts_explain_share(out, "its share of all cycles", row->cycles, t->trace->to - t->trace->from,
		"step_ipu.cycles, step_ipu.start, step_ipu.\"end\"", query);
}

static void
explain_step(const struct trace_view *t, struct ts_explain *out, const struct ts_trace_row *row)
{
	struct ts_explained *x;
	char text[TS_FMT_MAX];

	if (row->here && t->window.ipu == trace_ipu(t)) {
		x = add_part(t, out, row, "cycles", "cycles");
		ts_explain_integer(x, row->cycles, "cycles");
		ts_explain_shown(x, "%s", trace_fmt_length(t, text, row->cycles));
		if (trace_in_time(t))
			ts_explain_formula(x, "%lld cycles / %.6g Hz", (long long)row->cycles,
				trace_clock(t));
		explain_share(t, out, row);
		x = add_part(t, out, row, "start", "start");
		ts_explain_integer(x, row->start, "cycles");
		x = add_part(t, out, row, "end", "end");
		ts_explain_integer(x, row->end, "cycles");
		if (row->balance >= 0) {
			x = add_part(t, out, row, "balance of the tiles", "tile_balance");
			ts_explain_real(x, row->balance, NULL);
			ts_explain_formula(x, "mean over maximum of the cycles of all tiles");
		}
		if (row->active_tiles != TS_UNKNOWN) {
			x = add_part(t, out, row, "active tiles", "active_tiles");
			ts_explain_integer(x, row->active_tiles, "tiles");
		}
	}
	x = ts_explain_add(out, "class of step %lld", (long long)row->step);
	ts_explain_text(x, ts_step_class_key(row->class_of));
	ts_explain_from(x, TS_KNOWN_DERIVED, "step.type, step.name");
	ts_explain_formula(x, "type %.*s", (int)ts_min_i64(row->type_n, 60),
		t->window.text + row->type);
	ts_explain_query(x, "SELECT step_class(type, sync_type) FROM step WHERE step = %lld",
		(long long)row->step);
}

static void
explain_hits(const struct trace_view *t, struct ts_explain *out)
{
	struct ts_explained *x;
	char needle[2 * TS_TRACE_NEEDLE + 4];

	if (!t->has_hits || !t->needle[0] || !trace_searched(t))
		return;
	x = ts_explain_add(out, "steps with \"%s\" in their name", t->needle);
	ts_explain_integer(x, t->hits.count, "steps");
	ts_explain_from(x, TS_KNOWN_DERIVED, "step.name, else step.type");
	if (strncmp(t->needle, "type:", 5) == 0 ||
		!ts_explain_quote(needle, sizeof(needle), t->needle))
		ts_explain_note(x, "no query for this search");
	else
		ts_explain_query(x,
			"SELECT count(*) FROM step WHERE instr(lower(coalesce(nullif(name, ''), type)), "
			"lower(%s))",
			needle);
}

void
trace_explain_step(struct trace_view *t, struct ts_explain *out)
{
	const struct ts_trace_row *row = t->trace ? trace_row(t, t->list.cursor) : NULL;
	struct ts_explained *x;

	if (!t->trace)
		return;
	if (row && row->step != TS_UNKNOWN)
		explain_step(t, out, row);
	explain_hits(t, out);
	x = ts_explain_add(out, "steps");
	ts_explain_integer(x, t->list.count, "steps");
	ts_explain_from(x, TS_KNOWN_RECORDED, "step");
	if (t->trace->gaps && !t->trace->numbered)
		ts_explain_note(x,
			"about so many: row ids are missing, and nothing has counted them");
	else
		ts_explain_query(x, "SELECT count(*) FROM step");
	if (t->trace->ipus == 0)
		return;
	x = ts_explain_add(out, "cycles of the whole trace");
	ts_explain_integer(x, t->trace->to - t->trace->from, "cycles");
	ts_explain_from(x, TS_KNOWN_DERIVED, "step_ipu.start, step_ipu.\"end\"");
	ts_explain_formula(x, "last end %lld - first start %lld, of all IPUs",
		(long long)t->trace->to, (long long)t->trace->from);
	ts_explain_query(x, "SELECT max(max(start, \"end\")) - min(start) FROM step_ipu");
}

/* --- the steps as a file ------------------------------------------------------------------------ */

struct step_source {
	struct ts_row_source source; /* first */
	struct ts_trace *trace;	     /* held */
	int64_t ipu;
	struct ts_trace_window window;
	int at;
	int64_t row, address; /* of the next window */
	bool end;
};

static void
value_text(struct ts_table_value *out, const char *s, size_t n)
{
	out->type = n > 0 ? TS_VALUE_TEXT : TS_VALUE_NONE;
	out->s = s;
	out->n = n;
}

static void
step_values(const struct ts_trace_window *w, const struct ts_trace_row *row,
	const struct ts_honesty *honest, struct ts_table_value *values)
{
	ts_table_value_known(&values[C_STEP], row->step);
	ts_table_value_known(&values[C_RUN], row->run);
	ts_table_value_text(&values[C_CLASS], ts_step_class_key(row->class_of));
	value_text(&values[C_TYPE], w->text + row->type, row->type_n);
	value_text(&values[C_NAME], w->text + row->name, row->name_n);
	ts_table_value_known(&values[C_PROGRAM], row->program);
	ts_table_value_known(&values[C_SET], row->compute_set);
	if (!row->here)
		return;
	ts_table_value_text(&values[C_MARK],
		ts_mark_word(ts_honesty_step(honest, row->step, row->class_of)));
	ts_table_value_known(&values[C_CYCLES], row->cycles);
	ts_table_value_known(&values[C_START], row->start);
	ts_table_value_known(&values[C_END], row->end);
	if (row->balance >= 0)
		ts_table_value_real(&values[C_BALANCE], row->balance);
	ts_table_value_known(&values[C_TILES], row->active_tiles);
	if (row->active_balance >= 0)
		ts_table_value_real(&values[C_ACTIVE_BALANCE], row->active_balance);
	ts_table_value_known(&values[C_IN], row->data_in);
	ts_table_value_known(&values[C_OUT], row->data_out);
	if (row->cycles > 0 && row->data_in != TS_UNKNOWN)
		ts_table_value_real(&values[C_IN_RATE], (double)row->data_in / (double)row->cycles);
	if (row->cycles > 0 && row->data_out != TS_UNKNOWN)
		ts_table_value_real(&values[C_OUT_RATE],
			(double)row->data_out / (double)row->cycles);
}

static enum ts_code
step_next(struct ts_row_source *source, struct ts_reader *rd, struct ts_table_value *values,
	bool *more, struct ts_err *err)
{
	struct step_source *s = (struct step_source *)source;

	if (s->at == s->window.count && !s->end) {
		enum ts_code code;

		ts_trace_window_fini(&s->window);
		s->at = 0;
		code = ts_trace_window_read(&s->window, rd, s->trace, s->ipu, s->row, s->address, 0,
			TS_TRACE_WINDOW, err);
		s->end = code || s->window.at_end || s->window.count == 0;
		if (s->window.count > 0)
			s->address = s->window.row[s->window.count - 1].at + 1;
		s->row += s->window.count;
		if (code && s->window.count == 0)
			return code;
	}
	*more = s->at < s->window.count;
	if (*more)
		step_values(&s->window, &s->window.row[s->at++], &s->trace->honest, values);
	return TS_OK;
}

static void
step_free(struct ts_row_source *source)
{
	struct step_source *s = (struct step_source *)source;

	ts_trace_window_fini(&s->window);
	ts_trace_release(s->trace);
	free(s);
}

static struct ts_row_source *
step_source(struct ts_view *v)
{
	struct trace_view *t = (struct trace_view *)v;
	struct step_source *s = ts_alloc(1, sizeof(*s));

	if (!s)
		return NULL;
	s->source = (struct ts_row_source){.next = step_next,
		.free = step_free,
		.expected = t->list.count};
	s->trace = ts_trace_hold(t->trace);
	s->ipu = trace_ipu(t);
	s->address = ts_trace_row_at(t->trace, 0);
	return &s->source;
}

bool
trace_steps_sheet(struct trace_view *t, struct ts_sheet *out)
{
	if (!t->trace)
		return false;
	if (trace_ipu(t) != TS_UNKNOWN)
		snprintf(out->title, sizeof(out->title), "Steps, and what ipu %lld did in them",
			(long long)trace_ipu(t));
	else
		snprintf(out->title, sizeof(out->title), "Steps");
	trace_table(&out->table, t);
	out->list = &t->list;
	out->rows = t->list.count;
	out->source = step_source;
	out->wait = t->trace->forwards
		? "these steps can only be read from the first one on (tilescope query does that)"
		: NULL;
	return true;
}

/* --- the lanes as a chart ----------------------------------------------------------------------- */

static const char *
place_tick(void *ctx, double v, char out[TS_FMT_MAX])
{
	(void)ctx;
	return ts_fmt_cycles_short(out, (int64_t)v);
}

static const char *
time_tick(void *ctx, double v, char out[TS_FMT_MAX])
{
	(void)ctx;
	return ts_fmt_time(out, v);
}

bool
trace_lanes_chart(struct trace_drawing *d, struct ts_chart_page *page)
{
	struct trace_view *t = d->trace;
	const struct ts_trace_chart *k = &t->chart;
	bool time = trace_in_time(t);
	double scale = time ? 1e6 / trace_clock(t) : 1;

	if (!t->trace || k->columns == 0 || k->lanes == 0 || k->columns > TS_PAGE_COLUMNS)
		return false;
	page->kind = TS_PAGE_LANES;
	page->columns = k->columns;
	page->lanes = k->lanes < TS_PAGE_LANES_MAX ? k->lanes : TS_PAGE_LANES_MAX;
	snprintf(page->title, sizeof(page->title), "What each IPU does");
	snprintf(page->subtitle, sizeof(page->subtitle), "%s%s",
		ts_mark_sentence(ts_honesty_step(&t->trace->honest, TS_UNKNOWN, TS_CLASS_COMPUTE)),
		k->sampled ? "; sampled" : "");
	page->x = (struct ts_page_axis){.from = (double)k->from * scale,
		.to = (double)k->to * scale,
		.base = 10,
		.tick = time ? time_tick : place_tick};
	snprintf(page->x.title, sizeof(page->x.title), time ? "time" : "tile clock cycles");
	for (int l = 0; l < page->lanes; l++)
		snprintf(page->lane[l], sizeof(page->lane[l]), "ipu %lld", (long long)k->ipu[l]);
	for (int c = 0; c < TS_CLASS_COUNT; c++) {
		double *to = ts_chart_page_band(page, ts_step_class_label((enum ts_step_class)c),
			(enum ts_role)(TS_ROLE_COMPUTE + c));

		for (int l = 0; to && l < page->lanes; l++)
			memcpy(to + (size_t)l * (size_t)k->columns,
				ts_trace_share(k, l, (enum ts_step_class)c),
				(size_t)k->columns * sizeof(double));
	}
	for (int i = 0; i < t->trace->runs; i++)
		if (t->trace->run[i].start != TS_UNKNOWN)
			ts_chart_page_label(page, (double)t->trace->run[i].start * scale,
				TS_ROLE_BOUNDARY, true, "run %lld",
				(long long)t->trace->run[i].run);
	return true;
}
