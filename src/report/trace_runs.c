/* SPDX-License-Identifier: MIT */
/* trace_runs - the runs of a trace: their steps, when they begin and end, and the profiler's artefact. */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "trace_internal.h"

#include "tilescope/base/mem.h"

enum {
	BEGIN_STEPS = 4096, /* of the second run, in which its StreamCopyBegin is looked for */
	EDGE_STEPS = 64,    /* looked at from either end of a run: some steps have no IPU */
};

static void
keep_run(struct ts_trace *t, struct ts_rows *rows)
{
	struct ts_trace_run *r = &t->run[t->runs];
	const char *name;
	size_t n;

	*r = (struct ts_trace_run){.start = TS_UNKNOWN, .end = TS_UNKNOWN};
	if (ts_rows_number(rows, 0, &r->run) != TS_VALUE_OK ||
		ts_rows_number(rows, 1, &r->first_step) != TS_VALUE_OK ||
		ts_rows_number(rows, 2, &r->steps) != TS_VALUE_OK)
		return;
	if (ts_rows_text(rows, 3, &name, &n) == TS_VALUE_OK)
		snprintf(r->name, sizeof(r->name), "%.*s",
			(int)ts_min_i64((int64_t)n, TS_TRACE_RUN_NAME), name);
	t->runs++;
}

static int
by_first_step(const void *a, const void *b)
{
	const struct ts_trace_run *x = a, *y = b;

	return x->first_step < y->first_step ? -1 : x->first_step > y->first_step;
}

/*
 * Of the `steps` steps from `from`, take the first (`latest`: the last) that has a row for any IPU: its first start and its
 * last end over all IPUs. TS_UNKNOWN: none has one.
 */
static enum ts_code
ends_of_step(int64_t *first, int64_t *last, const struct ts_trace *t, struct ts_reader *rd,
	int64_t from, int64_t steps, bool latest, struct ts_err *err)
{
	struct ts_rows_query q = {.columns = {TS_STEP_IPU_STEP, TS_STEP_IPU_START, TS_STEP_IPU_END},
		.column_count = 3};
	int64_t step, start, end, at = TS_UNKNOWN;
	struct ts_rows *rows;
	enum ts_code code;
	bool there;

	*first = *last = TS_UNKNOWN;
	code = trace_keys_open(&rows, rd, t, TS_STEP_IPU, &q, from, trace_add(from, steps), err);
	if (code)
		return code;
	while (!(code = ts_rows_next(rows, &there, err)) && there) {
		if (ts_rows_number(rows, 0, &step) != TS_VALUE_OK ||
			ts_rows_number(rows, 1, &start) != TS_VALUE_OK ||
			ts_rows_number(rows, 2, &end) != TS_VALUE_OK || step < from)
			continue;
		if (step - from >= steps || (at != TS_UNKNOWN && step != at && !latest))
			break;
		if (step != at)
			*first = *last = TS_UNKNOWN;
		at = step;
		if (*first == TS_UNKNOWN || start < *first)
			*first = start;
		*last = ts_max_i64(*last, end);
	}
	ts_rows_close(rows);
	return code;
}

static enum ts_code
place_run(struct ts_trace_run *r, struct ts_trace *t, struct ts_reader *rd, struct ts_err *err)
{
	int64_t ignored, near = ts_min_i64(r->steps, EDGE_STEPS);
	enum ts_code code;

	if (!t->has_parts || t->forwards || r->steps == 0)
		return TS_OK;
	code = ends_of_step(&r->start, &ignored, t, rd, r->first_step, near, false, err);
	if (!code)
		code = ends_of_step(&ignored, &r->end, t, rd,
			trace_add(r->first_step, r->steps - near), near, true, err);
	return code;
}

/* The first StreamCopyBegin of the second run. */
static enum ts_code
find_artefact(struct ts_trace *t, struct ts_reader *rd, struct ts_err *err)
{
	struct ts_rows_query q = {.column_count = TS_STEP_Q_COUNT};
	int64_t from = t->run[1].first_step, to = from + ts_min_i64(t->run[1].steps, BEGIN_STEPS),
		step;
	struct ts_rows *rows;
	enum ts_code code;
	bool there;

	memcpy(q.columns, ts_step_columns, sizeof(ts_step_columns));
	code = trace_keys_open(&rows, rd, t, TS_STEP, &q, from, to, err);
	if (code)
		return code;
	while (!(code = ts_rows_next(rows, &there, err)) && there) {
		if (ts_rows_number(rows, TS_STEP_Q_STEP, &step) != TS_VALUE_OK || step < from)
			continue;
		if (step >= to)
			break;
		if (ts_step_class_row(rows) == TS_CLASS_HOST_WAIT) {
			t->honest.artefact = step;
			break;
		}
	}
	ts_rows_close(rows);
	if (!code && t->honest.artefact != TS_UNKNOWN && t->has_parts && !t->forwards)
		code = ends_of_step(&t->artefact_start, &t->artefact_end, t, rd, t->honest.artefact,
			1, false, err);
	return code;
}

enum ts_code
trace_open_runs(struct ts_trace *t, struct ts_reader *rd, struct ts_err *err)
{
	struct ts_rows_query q = {.columns = {TS_RUN_RUN, TS_RUN_FIRST_STEP, TS_RUN_STEP_COUNT,
					  TS_RUN_NAME},
		.column_count = 4,
		.limit = TS_TRACE_RUNS};
	struct ts_rows *rows;
	enum ts_code code;
	bool there;

	t->honest.artefact = t->artefact_start = t->artefact_end = TS_UNKNOWN;
	t->has_run = ts_report_has_column(rd->report, TS_STEP, TS_STEP_RUN);
	if (!ts_report_has(rd->report, TS_RUN))
		return TS_OK;
	t->run = ts_alloc(TS_TRACE_RUNS, sizeof(*t->run));
	if (!t->run)
		return ts_err_nomem(err);
	code = ts_reader_rows(&rows, rd, TS_RUN, &q, err);
	if (code)
		return code;
	while (t->runs < TS_TRACE_RUNS && !(code = ts_rows_next(rows, &there, err)) && there)
		keep_run(t, rows);
	ts_rows_close(rows);
	if (t->runs > 0) {
		t->has_run = true;
		qsort(t->run, (size_t)t->runs, sizeof(*t->run), by_first_step);
	}
	for (int i = 0; i < t->runs && !code; i++)
		code = place_run(&t->run[i], t, rd, err);
	if (!code && t->runs > 1)
		code = find_artefact(t, rd, err);
	return code;
}
