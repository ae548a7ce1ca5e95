/* SPDX-License-Identifier: MIT */
/* live_checks - see the header. Rows of a step stand together; those that do not are added up all the same. */
#include "config.h"

#include <stdlib.h>

#include "tilescope/base/mem.h"
#include "tilescope/report/live_checks.h"
#include "tilescope/report/rows.h"
#include "tilescope/report/variables.h"

enum { PROGRESS_ROWS = 8192 };

static bool
ends_all(enum ts_code code)
{
	return code == TS_E_NOMEM || code == TS_E_CANCELLED;
}

static void
differs(struct ts_live_differ *d, int64_t step, int64_t one, int64_t other)
{
	if (one == other)
		return;
	if (d->steps++ == 0) {
		d->step = step;
		d->one = one;
		d->other = other;
	}
}

/* --- by IPU ----------------------------------------------------------------------------------- */

static enum ts_code
add_ipus(int64_t *sum, struct ts_reader *rd, const struct ts_liveness *l,
	struct ts_progress *progress, bool *whole, struct ts_err *err)
{
	struct ts_rows_query q = {.columns = {TS_LIVENESS_STEP_IPU_LIVE_STEP,
					  TS_LIVENESS_STEP_IPU_NOT_ALWAYS_LIVE},
		.column_count = 2};
	const struct ts_reach *reach = &rd->report->binding[TS_LIVENESS_STEP_IPU].reach;
	struct ts_rows *rows;
	enum ts_code code = ts_reader_rows(&rows, rd, TS_LIVENESS_STEP_IPU, &q, err);
	int64_t seen = 0;
	size_t at = 0;
	bool there;

	if (code)
		return code;
	while (!(code = ts_rows_next(rows, &there, err)) && there) {
		int64_t step, bytes;

		if (++seen % PROGRESS_ROWS == 0)
			ts_progress_set(progress, seen, ts_reach_span(reach));
		if (ts_rows_number(rows, 0, &step) != TS_VALUE_OK ||
			ts_rows_number(rows, 1, &bytes) != TS_VALUE_OK) {
			*whole = false;
			continue;
		}
		if (l->step[at] != step)
			at = ts_liveness_find(l, step);
		if (l->step[at] == step)
			sum[at] = bytes > TS_NUMBER_MAX - sum[at] ? TS_NUMBER_MAX : sum[at] + bytes;
	}
	ts_rows_close(rows);
	return code;
}

static enum ts_code
check_ipus(struct ts_live_differ *d, struct ts_reader *rd, const struct ts_liveness *l,
	struct ts_progress *progress, struct ts_err *err)
{
	bool whole = true;
	int64_t *sum;
	enum ts_code code;

	if (l->count == 0 || l->per > 1 || !ts_report_has(rd->report, TS_LIVENESS_STEP_IPU))
		return TS_OK;
	sum = ts_alloc(l->count, sizeof(*sum));
	if (!sum)
		return ts_err_nomem(err);
	code = add_ipus(sum, rd, l, progress, &whole, err);
	d->looked = !code && whole;
	for (size_t i = 0; d->looked && i < l->count; i++)
		differs(d, l->step[i], sum[i], l->bytes[i]);
	free(sum);
	return ends_all(code) ? code : TS_OK;
}

/* --- by lives --------------------------------------------------------------------------------- */

static void
check_lives(struct ts_live_differ *d, const struct ts_liveness *l, const struct ts_lives *lives)
{
	if (!lives || lives->totals == 0 || l->per > 1 || lives->left_out > 0)
		return;
	d->looked = true;
	for (size_t i = 0; i < l->count; i++) {
		size_t at = l->step[i] < (int64_t)lives->totals ? (size_t)l->step[i]
								: lives->totals - 1;

		differs(d, l->step[i], lives->total[at].bytes, l->bytes[i]);
	}
}

/* --- always-live variables -------------------------------------------------------------------- */

static enum ts_code
check_always(struct ts_live_differ *d, struct ts_reader *rd, const struct ts_liveness *l,
	struct ts_err *err)
{
	int column = ts_variable_always_column(rd->report);
	struct ts_rows_query q = {.columns = {TS_VARIABLE_BYTES, column}, .column_count = 2};
	struct ts_rows *rows;
	enum ts_code code;
	int64_t sum = 0, found = 0;
	bool there;

	if (l->always_live == TS_UNKNOWN || !ts_report_has(rd->report, TS_VARIABLE))
		return TS_OK;
	code = ts_reader_rows(&rows, rd, TS_VARIABLE, &q, err);
	if (code)
		return ends_all(code) ? code : TS_OK;
	while (!(code = ts_rows_next(rows, &there, err)) && there) {
		int64_t bytes, always;

		if (ts_rows_number(rows, 1, &always) != TS_VALUE_OK || always == 0)
			continue;
		found++;
		if (ts_rows_number(rows, 0, &bytes) != TS_VALUE_OK ||
			!ts_add_i64(&sum, ts_variable_always_bytes(column, always, bytes)))
			break;
	}
	ts_rows_close(rows);
	d->looked = !code && !there && found > 0;
	d->step = TS_UNKNOWN;
	/* variables may be of one replica, tiles are of the device */
	if (d->looked &&
		(l->replicas < 2 || sum > l->always_live / l->replicas ||
			sum * l->replicas != l->always_live))
		differs(d, TS_UNKNOWN, sum, l->always_live);
	return ends_all(code) ? code : TS_OK;
}

/* --- all of it -------------------------------------------------------------------------------- */

enum ts_code
ts_live_checks_read(struct ts_live_checks *c, struct ts_reader *rd,
	const struct ts_live_source *source, const struct ts_source_line *line,
	const struct ts_lives *lives, struct ts_progress *progress, struct ts_err *err)
{
	const struct ts_liveness *l = &line->line;
	struct ts_live_differ *peak = &c->differ[TS_CHECK_PEAK];
	enum ts_code code = TS_OK;

	*c = (struct ts_live_checks){0};
	if (source->where == TS_LIVE_ALL && !line->derived)
		code = check_ipus(&c->differ[TS_CHECK_IPUS], rd, l, progress, err);
	if (!code && source->where == TS_LIVE_ALL)
		code = check_always(&c->differ[TS_CHECK_ALWAYS], rd, l, err);
	check_lives(&c->differ[TS_CHECK_LIVES], l, lives);
	if (source->where == TS_LIVE_TILE && line->recorded_peak != TS_UNKNOWN && line->derived &&
		l->count > 0) {
		peak->looked = true;
		differs(peak, l->peak.step, l->peak.bytes, line->recorded_peak);
	}
	for (int i = 0; i < TS_LIVE_CHECKS; i++)
		c->broken += c->differ[i].steps > 0;
	return code;
}

void
ts_live_check_say(struct ts_strbuf *out, const struct ts_live_checks *c, enum ts_live_check check)
{
	static const struct {
		const char *one, *other;
	} sides[TS_LIVE_CHECKS] = {
		[TS_CHECK_IPUS] = {"the IPUs of liveness_step_ipu add up to", "liveness_step says"},
		[TS_CHECK_LIVES] = {"the variables that are alive add up to", "the timeline says"},
		[TS_CHECK_PEAK] = {"the tile's highest step, from classes and intervals, has",
			"tile_memory.not_always_live_peak says"},
		[TS_CHECK_ALWAYS] = {"the always-live variables add up to",
			"the tiles always need"},
	};
	const struct ts_live_differ *d = &c->differ[check];

	if (d->step != TS_UNKNOWN)
		ts_strbuf_printf(out, "at step %lld ", (long long)d->step);
	ts_strbuf_printf(out, "%s %lld bytes, %s %lld", sides[check].one, (long long)d->one,
		sides[check].other, (long long)d->other);
	if (d->steps > 1)
		ts_strbuf_printf(out, "; they differ at %lld steps", (long long)d->steps);
}
