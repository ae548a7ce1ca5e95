/* SPDX-License-Identifier: MIT */
/* program_users - see the header. */
#include "config.h"

#include <stdlib.h>

#include "tilescope/report/program_users.h"

#include "tilescope/base/mem.h"
#include "tilescope/report/lifetimes.h"
#include "tilescope/report/rows.h"

enum { PROGRESS_BLOCKS = 64 };

struct users {
	struct ts_reader *rd;
	const struct ts_cache *cache;
	struct ts_progress *progress;
	bool damaged;
};

static int
by_number(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return (x > y) - (x < y);
}

/* Sorted, each once. */
static enum ts_code
put_in_order(const struct users *u, struct ts_pile *p, struct ts_err *err)
{
	size_t n = p->used / sizeof(int64_t), kept = 0;
	enum ts_code code = ts_pile_sort(p, n, sizeof(int64_t), by_number, u->cache, u->rd->cancel,
		err);
	int64_t *v = p->memory;

	for (size_t i = 0; !code && i < n; i++)
		if (kept == 0 || v[kept - 1] != v[i])
			v[kept++] = v[i];
	if (!code)
		p->used = kept * sizeof(*v);
	return code;
}

static bool
is_among(const struct ts_pile *p, int64_t v)
{
	size_t n = p->used / sizeof(v);

	return n > 0 && bsearch(&v, p->memory, n, sizeof(v), by_number);
}

/* Column b of the rows whose column a is among `wanted` (sorted). */
static enum ts_code
pick(struct users *u, struct ts_pile *out, enum ts_relation relation, int a, int b,
	const struct ts_pile *wanted, struct ts_err *err)
{
	struct ts_rows_query q = {.columns = {a, b}, .column_count = 2, .past_damage = true};
	int64_t total = ts_reach_span(&u->rd->report->binding[relation].reach), seen = 0;
	struct ts_rows_block block;
	struct ts_rows *rows;
	enum ts_code code = ts_reader_rows(&rows, u->rd, relation, &q, err);
	int blocks = 0;

	if (code)
		return code;
	while (!(code = ts_rows_block(rows, &block, err)) && block.rows > 0) {
		seen += block.rows;
		if (++blocks % PROGRESS_BLOCKS == 0)
			ts_progress_set(u->progress, seen, total);
		if (block.is[0] != TS_VALUE_OK || block.is[1] != TS_VALUE_OK)
			continue;
		for (int i = 0; i < block.rows && !code; i++)
			if (is_among(wanted, block.v[0][i]))
				code = ts_pile_add(out, &block.v[1][i], sizeof(int64_t), u->cache,
					err);
		if (code)
			break;
	}
	ts_rows_close(rows);
	u->damaged |= code == TS_E_DAMAGED;
	if (code == TS_E_DAMAGED)
		code = TS_OK;
	return code ? code : put_in_order(u, out, err);
}

/* Those that name one of these lowered variables. */
static enum ts_code
users_of(struct users *u, struct ts_pile *out, const struct ts_pile *lowered, struct ts_err *err)
{
	return pick(u, out, TS_PROGRAM_VARIABLE, TS_PROGRAM_VARIABLE_LOWERED_VARIABLE,
		TS_PROGRAM_VARIABLE_PROGRAM, lowered, err);
}

/* By the lists that Lifetimes keeps; TS_E_ABSENT: it needs more than is recorded. */
static enum ts_code
take_uses(struct users *u, struct ts_pile *out, int64_t variable, struct ts_err *err)
{
	struct ts_uses *uses;
	enum ts_code code = ts_uses_read(&uses, u->rd, u->cache, u->progress, err);
	const struct ts_use *use;
	size_t low = 0, high;

	if (!uses)
		return code;
	u->damaged |= code == TS_E_DAMAGED;
	use = uses->named.memory;
	high = uses->names;
	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (use[middle].variable < variable)
			low = middle + 1;
		else
			high = middle;
	}
	for (code = TS_OK; !code && low < uses->names && use[low].variable == variable; low++)
		code = ts_pile_add(out, &use[low].program, sizeof(int64_t), u->cache, err);
	ts_uses_close(uses);
	return code;
}

static enum ts_code
missing(const struct ts_report *r, bool lowered, struct ts_err *err)
{
	if (!ts_report_has_column(r, TS_PROGRAM_VARIABLE, TS_PROGRAM_VARIABLE_LOWERED_VARIABLE) ||
		!ts_report_has_column(r, TS_PROGRAM_VARIABLE, TS_PROGRAM_VARIABLE_PROGRAM))
		return ts_err_set(err, TS_E_ABSENT,
			"which programs name which variables (program_variable) is not recorded");
	if (!lowered &&
		(!ts_report_has_column(r, TS_LOWERED_VARIABLE, TS_LOWERED_VARIABLE_ID) ||
			!ts_report_has_column(r, TS_LOWERED_VARIABLE,
				TS_LOWERED_VARIABLE_VARIABLE)))
		return ts_err_set(err, TS_E_ABSENT,
			"which lowered variables a variable became is not recorded");
	return TS_OK;
}

enum ts_code
ts_program_users_read(struct ts_pile *program, struct ts_reader *rd, bool lowered, int64_t number,
	const struct ts_cache *cache, struct ts_progress *progress, struct ts_err *err)
{
	struct users u = {.rd = rd, .cache = cache, .progress = progress};
	struct ts_pile one = {0}, pieces = {0};
	enum ts_code code = missing(rd->report, lowered, err);

	if (!code)
		code = ts_pile_add(&one, &number, sizeof(number), cache, err);
	if (!code && lowered)
		code = users_of(&u, program, &one, err);
	else if (!code &&
		ts_report_has_column(rd->report, TS_LIVENESS_STEP, TS_LIVENESS_STEP_PROGRAM))
		code = take_uses(&u, program, number, err);
	else if (!code)
		code = pick(&u, &pieces, TS_LOWERED_VARIABLE, TS_LOWERED_VARIABLE_VARIABLE,
			TS_LOWERED_VARIABLE_ID, &one, err);
	if (!code && pieces.used > 0)
		code = users_of(&u, program, &pieces, err);
	ts_pile_fini(&one);
	ts_pile_fini(&pieces);
	if (!code && u.damaged)
		code = ts_err_set(err, TS_E_DAMAGED, "not all of what programs name could be read");
	return code;
}
