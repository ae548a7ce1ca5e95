/* SPDX-License-Identifier: MIT */
/*
 * operations_variables - variables of operations: those whose debug context is theirs, and lowered ones that recorded operations
 * name.
 */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "tilescope/base/mem.h"
#include "tilescope/report/memory.h"
#include "tilescope/report/rows.h"

#include "operations_climb.h"

/* Variables of a node: how many, and their bytes. Their context's, or `said`. */
struct op_bytes {
	int64_t variables, bytes;
};

static void
add_bytes(struct ts_operation_figures *f, const void *item)
{
	const struct op_bytes *b = item;

	ts_op_add_known(&f->variables, b->variables);
	ts_op_add_known(&f->bytes, b->bytes);
}

static void
add_said(struct ts_operation_figures *f, const void *item)
{
	const struct op_bytes *b = item;

	ts_op_add_known(&f->said_variables, b->variables);
	ts_op_add_known(&f->said_bytes, b->bytes);
}

static enum ts_code
take_variable(struct op_making *k, struct ts_rows *rows, struct ts_err *err)
{
	struct op_bytes b = {1, ts_rows_known(rows, 1)};
	struct op_bytes *at;
	uint32_t context = TS_NO_OPERATION;
	uint64_t id;
	enum ts_code code = TS_OK;

	if (b.bytes == TS_UNKNOWN)
		return TS_OK;
	if (ts_rows_bits(rows, 0, &id) == TS_VALUE_OK)
		code = ts_op_context(&context, k, id, err);
	if (code)
		return code;
	/* by context first: doors of those that only variables name are not known yet; that of none stands first */
	context = context == TS_NO_OPERATION ? 0 : context + 1;
	while (!code && k->sums.used / sizeof(b) <= context) {
		struct op_bytes none = {0, 0};

		code = ts_pile_add(&k->sums, &none, sizeof(none), k->cache, err);
	}
	if (code)
		return code;
	at = (struct op_bytes *)k->sums.memory + context;
	at->variables++;
	ts_op_add_known(&at->bytes, b.bytes);
	return TS_OK;
}

/* Variables count where their context is, or the nearest operation above it. */
enum ts_code
ts_op_count_variables(struct op_climbing *c, struct ts_err *err)
{
	static const int before[] = {TS_VARIABLE_CONTEXT, TS_VARIABLE_BYTES};
	static const int lowered[] = {TS_LOWERED_VARIABLE_CONTEXT, TS_LOWERED_VARIABLE_BYTES};
	struct op_making *k = c->k;
	const struct ts_report *r = k->rd->report;
	bool pass = !ts_report_has_column(r, TS_VARIABLE, TS_VARIABLE_CONTEXT);
	struct op_bytes *b;
	enum ts_code code;

	if (!k->steps.any ||
		(pass &&
			!ts_report_has_column(r, TS_LOWERED_VARIABLE, TS_LOWERED_VARIABLE_CONTEXT)))
		return TS_OK;
	if (pass && !k->trace)
		return TS_OK; /* of millions of rows: later */
	k->o->bytes_lowered = pass;
	k->sums = (struct ts_pile){0};
	code = pass ? ts_op_each(k, TS_LOWERED_VARIABLE, lowered, 2, take_variable, err)
		    : ts_op_each(k, TS_VARIABLE, before, 2, take_variable, err);
	if (!code) {
		ts_op_contexts_settle(k);
		ts_op_contexts_doors(k);
	}
	b = k->sums.memory;
	for (size_t i = 0; !code && i < k->sums.used / sizeof(*b); i++) {
		uint32_t door = i == 0 ? TS_NO_OPERATION
				       : ts_op_context_at(k, (uint32_t)i - 1)->door;

		if (b[i].variables == 0)
			continue;
		while (door != TS_NO_OPERATION && ts_op_raw_at(k, door)->place == TS_NO_OPERATION)
			door = ts_op_raw_at(k, door)->parent;
		ts_op_next_item(c);
		c->member++;
		if (door != TS_NO_OPERATION)
			code = ts_op_climb(c, ts_op_raw_at(k, door)->place, false, add_bytes, &b[i],
				err);
		ts_op_end_item(c, add_bytes, NULL, &b[i]);
	}
	ts_pile_fini(&k->sums);
	return code;
}

struct op_said {
	int64_t lowered, bytes;
	uint32_t node, spare;
};

static int
by_lowered(const void *a, const void *b)
{
	const struct op_said *x = a, *y = b;

	if (x->lowered != y->lowered)
		return x->lowered < y->lowered ? -1 : 1;
	return (x->node > y->node) - (x->node < y->node);
}

static enum ts_code
take_said(struct op_making *k, struct ts_rows *rows, struct ts_err *err)
{
	int64_t operation = ts_rows_known(rows, 0);
	const struct op_row *r = operation == TS_UNKNOWN ? NULL : ts_op_row_find(k, operation);
	struct op_said s = {.lowered = ts_rows_known(rows, 1), .bytes = TS_UNKNOWN};

	if (!r || s.lowered == TS_UNKNOWN) {
		k->o->bad_rows++;
		return TS_OK;
	}
	if (k->sums.used / sizeof(s) >= TS_OPERATION_ROWS) {
		k->o->left_out++;
		return TS_OK;
	}
	s.node = ts_op_raw_at(k, r->node)->place;
	return ts_pile_add(&k->sums, &s, sizeof(s), k->cache, err);
}

/* The bytes of a lowered variable, to all that say it. */
static enum ts_code
take_lowered(struct op_making *k, struct ts_rows *rows, struct ts_err *err)
{
	struct op_said *s = k->sums.memory, wanted = {.lowered = ts_rows_known(rows, 0)};
	size_t n = k->sums.used / sizeof(*s), low = 0, high = n;

	(void)err;
	while (wanted.lowered != TS_UNKNOWN && low < high) {
		size_t middle = low + (high - low) / 2;

		if (by_lowered(&s[middle], &wanted) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	for (; low < n && s[low].lowered == wanted.lowered; low++)
		s[low].bytes = ts_rows_known(rows, 1);
	return TS_OK;
}

/* Of millions of rows, which no key leads to: later. */
static enum ts_code
look_up_lowered(struct op_making *k, struct ts_err *err)
{
	static const int columns[] = {TS_LOWERED_VARIABLE_ID, TS_LOWERED_VARIABLE_BYTES};

	if (!k->trace || k->sums.used == 0 ||
		!ts_report_has_column(k->rd->report, TS_LOWERED_VARIABLE, TS_LOWERED_VARIABLE_ID))
		return TS_OK;
	return ts_op_each(k, TS_LOWERED_VARIABLE, columns, TS_COUNT(columns), take_lowered, err);
}

/* Lowered variables that operations name: in each of these, and above. */
enum ts_code
ts_op_count_said(struct op_climbing *c, struct ts_err *err)
{
	static const int columns[] = {TS_OPERATION_VARIABLE_OPERATION,
		TS_OPERATION_VARIABLE_LOWERED_VARIABLE};
	struct op_making *k = c->k;
	const struct op_said *s;
	enum ts_code code = TS_OK;

	if (k->rows == 0 || !ts_report_has(k->rd->report, TS_OPERATION_VARIABLE))
		return TS_OK;
	code = ts_op_each(k, TS_OPERATION_VARIABLE, columns, 2, take_said, err);
	if (!code)
		code = ts_pile_sort(&k->sums, k->sums.used / sizeof(*s), sizeof(*s), by_lowered,
			k->cache, k->rd->cancel, err);
	if (!code)
		code = look_up_lowered(k, err);
	s = k->sums.memory;
	for (size_t i = 0, end, n = k->sums.used / sizeof(*s); !code && i < n; i = end) {
		struct op_bytes b = {1, s[i].bytes};

		ts_op_next_item(c);
		c->member++;
		for (end = i; !code && end < n && s[end].lowered == s[i].lowered; end++)
			code = ts_op_climb(c, s[end].node, true, add_said, &b, err);
		ts_op_end_item(c, add_said, NULL, &b);
	}
	ts_pile_fini(&k->sums);
	return code;
}
