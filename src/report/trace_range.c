/* SPDX-License-Identifier: MIT */
/*
 * trace_range - between which addresses of step_ipu the rows of some IPUs stand that lie in a range of cycles.
 *
 * The starts of an IPU rise along its rows (trace_parts.c), so both ends are bisected on the first IPU; the others may
 * begin earlier in the table. Steps that overlap others may have begun before the range: some rows before
 * it belong to it, too. Behind the end the IPUs pass it one after the other, within `settle` addresses.
 */
#include "config.h"

#include "trace_internal.h"

#include "tilescope/base/mem.h"

enum { SETTLE_ROWS = 4096 /* rows behind the end in which IPUs have to pass it */ };

/* Addresses between which the first IPU goes through the range. */
static enum ts_code
range_of(struct trace_stretch *s, struct ts_reader *rd, const struct ts_trace *t, int64_t ipu,
	int64_t from, int64_t to, int64_t width, struct ts_err *err)
{
	struct trace_place other = trace_place_end(t);
	enum ts_code code;

	s->low = trace_place_first(t);
	s->high = trace_place_end(t);
	code = trace_locate(&s->low, &other, rd, t, ipu, from, width, err);
	if (code)
		return code;
	other = s->low;
	return trace_locate(&other, &s->high, rd, t, ipu, to, width, err);
}

/* Other lanes may begin earlier in the table than the first one. */
static enum ts_code
lowest_begin(struct trace_stretch *s, struct ts_reader *rd, const struct ts_trace *t,
	const int64_t *ipu, int ipus, int64_t from, int64_t width, struct ts_err *err)
{
	enum ts_code code = TS_OK;

	for (int i = 1; i < ipus && !code; i++) {
		struct trace_place low = trace_place_first(t), high = trace_place_end(t);

		if (s->begin <= low.at)
			break;
		code = trace_locate(&low, &high, rd, t, ipu[i], from, width, err);
		s->begin = ts_min_i64(s->begin, low.at);
	}
	return code;
}

enum ts_code
trace_stretch_find(struct trace_stretch *s, struct ts_reader *rd, const struct ts_trace *t,
	const int64_t *ipu, int ipus, int64_t from, int64_t to, int64_t most, struct ts_err *err)
{
	int64_t per = t->part.per, width = ts_max_i64(64 / per, 1), back;
	enum ts_code code = range_of(s, rd, t, ipu[0], from, to, width, err);

	s->begin = s->low.at;
	s->settle = SETTLE_ROWS / per + 1;
	if (code || __builtin_mul_overflow(s->high.at - s->low.at, per, &s->rows))
		s->rows = INT64_MAX;
	if (code || s->rows > most)
		return code;
	code = lowest_begin(s, rd, t, ipu, ipus, from, width, err);
	if (code)
		return code;
	s->rows = trace_add(s->rows, (s->low.at - s->begin) * per);
	back = TS_TRACE_LOOK_BACK / per + 1;
	s->begin = s->begin - t->part.first > back ? s->begin - back : t->part.first;
	return TS_OK;
}
