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

enum {
	SETTLE_ROWS = 4096, /* rows behind the end in which IPUs have to pass it */
	BACK_TURNS = 6,	    /* how often more is looked at where addresses have gaps, */
	BACK_MORE = 8,	    /* and how many times as many of them each time */
};

/* Addresses between which the first IPU goes through the range. */
static enum ts_code
range_of(struct trace_stretch *s, struct ts_reader *rd, const struct ts_trace *t,
	const struct trace_anchors *k, int64_t ipu, int64_t from, int64_t to, int64_t width,
	struct ts_err *err)
{
	struct trace_place other = trace_place_end(t);
	enum ts_code code;

	s->low = trace_place_first(t);
	s->high = trace_place_end(t);
	trace_anchors_tighten(k, ipu, from, &s->low, &other);
	code = trace_locate(&s->low, &other, rd, t, ipu, from, width, err);
	if (code)
		return code;
	other = s->low;
	trace_anchors_tighten(k, ipu, to, &other, &s->high);
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

/* How many rows stand at addresses [from, to), of the first `most`. */
static enum ts_code
count_rows(int64_t *n, struct ts_reader *rd, const struct ts_trace *t, int64_t from, int64_t to,
	int64_t most, struct ts_err *err)
{
	struct ts_rows_block b;
	struct ts_rows *rows;
	enum ts_code code = trace_parts_open(&rows, rd, t, from, to, err);

	*n = 0;
	if (code)
		return code;
	while (*n < most && !(code = ts_rows_block(rows, &b, err)) && b.rows > 0)
		*n += b.rows;
	ts_rows_close(rows);
	return code == TS_E_DAMAGED ? TS_OK : code; /* whoever reads them says so */
}

/*
 * Begin TS_TRACE_LOOK_BACK rows before, or at the first one. Where addresses have gaps that takes more of them, and as
 * many times more behind the end.
 */
static enum ts_code
look_back(struct trace_stretch *s, struct ts_reader *rd, const struct ts_trace *t,
	struct ts_err *err)
{
	int64_t back = TS_TRACE_LOOK_BACK / t->part.per + 1, end = s->begin, n;

	for (int turn = 0;; turn++, back *= BACK_MORE, s->settle *= BACK_MORE) {
		bool all = end - t->part.first <= back;
		enum ts_code code;

		s->begin = all ? t->part.first : end - back;
		if (all || turn == BACK_TURNS)
			return TS_OK;
		code = count_rows(&n, rd, t, s->begin, end, TS_TRACE_LOOK_BACK, err);
		if (code || n >= TS_TRACE_LOOK_BACK)
			return code;
	}
}

static enum ts_code
find(struct trace_stretch *s, struct ts_reader *rd, const struct ts_trace *t,
	const struct trace_anchors *k, const int64_t *ipu, int ipus, int64_t from, int64_t to,
	int64_t most, struct ts_err *err)
{
	int64_t per = t->part.per, width = ts_max_i64(64 / per, 1);
	enum ts_code code = range_of(s, rd, t, k, ipu[0], from, to, width, err);

	s->begin = s->low.at;
	s->settle = SETTLE_ROWS / per + 1;
	if (code || __builtin_mul_overflow(s->high.at - s->low.at, per, &s->rows))
		s->rows = INT64_MAX;
	if (code || s->rows > most)
		return code;
	code = trace_ahead_parts(rd, t, trace_add(s->begin, -(TS_TRACE_LOOK_BACK / per + 1)),
		ts_min_i64(trace_add(s->high.at, s->settle),
			trace_add(s->begin, TS_TRACE_EXACT / per)),
		err);
	if (!code)
		code = lowest_begin(s, rd, t, ipu, ipus, from, width, err);
	if (code)
		return code;
	s->rows = trace_add(s->rows, (s->low.at - s->begin) * per);
	return look_back(s, rd, t, err);
}

enum ts_code
trace_stretch_find(struct trace_stretch *s, struct ts_reader *rd, const struct ts_trace *t,
	const struct trace_anchors *k, const int64_t *ipu, int ipus, int64_t from, int64_t to,
	int64_t most, struct ts_err *err)
{
	struct trace_anchors own = {0};
	enum ts_code code = TS_OK;

	if (!k)
		code = trace_anchors_range(&own, rd, t, ipu[0], from, to, err);
	if (!code)
		code = find(s, rd, t, k ? k : &own, ipu, ipus, from, to, most, err);
	trace_anchors_fini(&own);
	return code;
}
