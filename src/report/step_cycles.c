/* SPDX-License-Identifier: MIT */
/* step_cycles - two cursors by blocks; the one over the steps only ever goes on. Of equal steps the last one counts. */
#include "config.h"

#include "tilescope/report/memory.h"
#include "tilescope/report/rows.h"
#include "tilescope/report/step_cycles.h"

enum { STEP, PROGRAM, STEP_COLUMNS };
enum { P_STEP, P_IPU, P_CYCLES, P_START, P_END, P_COLUMNS };

static const int step_columns[STEP_COLUMNS] = {TS_STEP_STEP, TS_STEP_PROGRAM};
static const int part_columns[P_COLUMNS] = {TS_STEP_IPU_STEP, TS_STEP_IPU_IPU, TS_STEP_IPU_CYCLES,
	TS_STEP_IPU_START, TS_STEP_IPU_END};

struct cursor {
	struct ts_rows *rows;
	struct ts_rows_block b;
	int at; /* in the block */
	bool ended;
};

struct reading {
	struct cursor parts, steps;
	int64_t step, program; /* the step that was come to; TS_UNKNOWN: none yet */
	bool falls;	       /* the steps do, behind it */
};

static enum ts_code
open(struct cursor *c, struct ts_reader *rd, enum ts_relation relation, const int *columns, int n,
	struct ts_err *err)
{
	struct ts_rows_query q = {.column_count = n, .past_damage = true};

	for (int i = 0; i < n; i++)
		q.columns[i] = columns[i];
	return ts_reader_rows(&c->rows, rd, relation, &q, err);
}

/* A row is at hand, else the cursor has ended. */
static enum ts_code
fill(struct cursor *c, struct ts_err *err)
{
	enum ts_code code = TS_OK;

	if (c->ended || c->at < c->b.rows)
		return TS_OK;
	c->at = 0;
	code = ts_rows_block(c->rows, &c->b, err);
	c->ended = code || c->b.rows == 0;
	if (c->ended)
		c->b.rows = 0;
	return code;
}

static int64_t
known(const struct cursor *c, int column)
{
	return c->b.is[column] == TS_VALUE_OK ? c->b.v[column][c->at] : TS_UNKNOWN;
}

/* Go on to the last step that is not behind `step`. */
static enum ts_code
go_on(struct reading *r, int64_t step, struct ts_err *err)
{
	struct cursor *c = &r->steps;
	enum ts_code code;

	while (!(code = fill(c, err)) && !c->ended) {
		int64_t next = known(c, STEP);

		if (next != TS_UNKNOWN && (next > step || (r->falls = next < r->step)))
			break;
		if (next != TS_UNKNOWN) {
			r->step = next;
			r->program = known(c, PROGRAM);
		}
		c->at++;
	}
	return code;
}

/* The rows of a block of step_ipu; *whole false: a step is not where it should be. */
static enum ts_code
take_block(bool *whole, struct reading *r, ts_step_cycles_fn take, void *ctx, struct ts_err *err)
{
	struct cursor *c = &r->parts;
	const int64_t *step = c->b.v[P_STEP], *cycles = c->b.v[P_CYCLES];
	enum ts_code code = TS_OK;

	for (; c->at < c->b.rows && !code; c->at++) {
		if (step[c->at] != r->step || !r->steps.ended)
			code = go_on(r, step[c->at], err);
		*whole = !r->falls && step[c->at] == r->step;
		if (code || !*whole)
			break;
		take(ctx, r->program, cycles[c->at]);
	}
	return code;
}

static bool
all_known(const struct ts_rows_block *b)
{
	for (int i = 0; i < P_COLUMNS; i++)
		if (b->is[i] != TS_VALUE_OK)
			return false;
	return true;
}

static enum ts_code
read_all(bool *whole, int64_t *bad_rows, struct reading *r, ts_step_cycles_fn take, void *ctx,
	struct ts_reader *rd, struct ts_progress *progress, struct ts_err *err)
{
	int64_t span = ts_reach_span(&rd->report->binding[TS_STEP_IPU].reach), rows = 0;
	struct cursor *c = &r->parts;
	enum ts_code code = open(c, rd, TS_STEP_IPU, part_columns, P_COLUMNS, err);

	if (!code)
		code = open(&r->steps, rd, TS_STEP, step_columns, STEP_COLUMNS, err);
	while (!code && *whole && !(code = fill(c, err)) && !c->ended) {
		rows += c->b.rows;
		ts_progress_set(progress, rows, span);
		if (all_known(&c->b)) {
			code = take_block(whole, r, take, ctx, err);
			continue;
		}
		*bad_rows += c->b.rows;
		c->at = c->b.rows;
	}
	return code;
}

enum ts_code
ts_step_cycles_read(bool *whole, int64_t *bad_rows, ts_step_cycles_fn take, void *ctx,
	struct ts_reader *rd, struct ts_progress *progress, struct ts_err *err)
{
	struct reading r = {.step = TS_UNKNOWN, .program = TS_UNKNOWN};
	enum ts_code code;

	*whole = true;
	*bad_rows = 0;
	code = read_all(whole, bad_rows, &r, take, ctx, rd, progress, err);
	ts_rows_close(r.parts.rows);
	ts_rows_close(r.steps.rows);
	if (code == TS_E_DAMAGED) {
		*whole = false;
		code = TS_OK;
	}
	return code;
}
