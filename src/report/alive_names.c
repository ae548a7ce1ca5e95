/* SPDX-License-Identifier: MIT */
/*
 * alive_names - what those who are alive are called, and the program that runs.
 *
 * Names are not kept with the lives. With the index those of variables before lowering are numbers, of which the texts lie
 * there (index_names.h): nothing is read. Else those of the largest are looked up by number, or in one pass over
 * the variables where a row cannot be reached by its number. What an answer from the same lives knows is taken over.
 */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "tilescope/base/mem.h"
#include "tilescope/report/rows.h"

#include "alive_internal.h"

/* Is row a to stand below row b? */
static bool
smaller(const struct ts_alive_row *a, const struct ts_alive_row *b)
{
	return a->bytes != b->bytes ? a->bytes < b->bytes : a->variable > b->variable;
}

static int
largest_first(const void *a, const void *b)
{
	return smaller(a, b) ? 1 : smaller(b, a) ? -1 : 0;
}

static enum ts_code
keep_name(struct ts_alive *a, struct ts_alive_row *row, const char *s, size_t n, struct ts_err *err)
{
	struct ts_pile *text = &a->pile[1];
	size_t at = text->used;
	enum ts_code code;

	n = n < TS_ALIVE_NAME ? n : TS_ALIVE_NAME;
	if (row->length > 0 || n == 0 || at + n + 1 > TS_ALIVE_TEXT)
		return TS_OK;
	code = ts_pile_add(text, s, n, NULL, err);
	if (!code)
		code = ts_pile_add(text, "", 1, NULL, err);
	if (code)
		return code;
	row->at = (uint32_t)at;
	row->length = (uint32_t)n;
	return TS_OK;
}

static enum ts_code
read_name(struct ts_alive *a, struct ts_alive_row *row, struct ts_rows *rows, int column,
	struct ts_err *err)
{
	const char *s;
	size_t n;

	if (ts_rows_text(rows, column, &s, &n) != TS_VALUE_OK)
		return TS_OK;
	return keep_name(a, row, s, n, err);
}

/* Is nothing to be read for its name? */
static bool
is_named(const struct ts_alive *a, const struct ts_alive_row *row)
{
	return row->length > 0 || (a->index && row->variable >= 0);
}

/* Names that the index has. */
static void
number_names(struct ts_alive *a, struct ts_reader *rd)
{
	if (a->lowered || !ts_variable_names_of(&a->names, rd->index))
		return;
	a->index = ts_index_hold(rd->index);
	a->ranked = true;
	for (int i = 0; i < a->rows; i++) {
		a->row[i].name = ts_variable_names_find(&a->names, a->row[i].variable);
		a->ranked = a->ranked && a->row[i].name > 0;
	}
}

/* Take over names from an answer of before. *without: how many rows stay without one. */
static enum ts_code
take_names(struct ts_alive *a, const struct ts_alive *before, int *without, struct ts_err *err)
{
	enum ts_code code = TS_OK;

	*without = 0;
	for (int i = 0; !code && i < a->rows; i++) {
		const struct ts_alive_row *known = NULL;

		if (is_named(a, &a->row[i]))
			continue;
		if (before && before->rows > 0)
			known = bsearch(&a->row[i], before->row, (size_t)before->rows,
				sizeof(*before->row), largest_first);
		if (known && known->length > 0) {
			a->row[i].id = known->id;
			a->row[i].unlowered = known->unlowered;
			code = keep_name(a, &a->row[i],
				(const char *)before->pile[1].memory + known->at, known->length,
				err);
		}
		*without += a->row[i].length == 0;
	}
	return code;
}

enum { N_ID, N_NAME, N_COLUMNS, N_LOWERED_ID = N_COLUMNS, N_UNLOWERED, N_LOWERED };

static const struct ts_rows_query names_query = {.columns = {TS_VARIABLE_VARIABLE,
							 TS_VARIABLE_NAME},
	.column_count = N_COLUMNS,
	.past_damage = true};

/* A row of lowered_variable by its row id, or of `variable` by its number. */
static enum ts_relation
query_of(struct ts_rows_query *q, const struct ts_alive *a, int64_t variable)
{
	*q = names_query;
	q->range = TS_RANGE_KEY;
	q->from = variable;
	if (a->lowered || variable < 0) {
		*q = (struct ts_rows_query){.columns = {TS_LOWERED_VARIABLE_TILE,
						    TS_LOWERED_VARIABLE_NAME,
						    TS_LOWERED_VARIABLE_ID,
						    TS_LOWERED_VARIABLE_VARIABLE},
			.column_count = N_LOWERED,
			.range = TS_RANGE_ROWID,
			.from = a->lowered ? variable : -1 - variable};
	}
	q->to = q->from < INT64_MAX ? q->from + 1 : q->from;
	return a->lowered || variable < 0 ? TS_LOWERED_VARIABLE : TS_VARIABLE;
}

/* Can rows of this relation be reached one by one? */
static bool
can_reach(const struct ts_report *r, enum ts_relation relation)
{
	const struct ts_reach *reach = &r->binding[relation].reach;

	if (!r->binding[relation].bound)
		return false;
	return relation == TS_VARIABLE ? reach->key != TS_REACH_NONE : reach->has_rowid;
}

static void
read_numbers(struct ts_alive_row *row, struct ts_rows *rows)
{
	if (ts_rows_number(rows, N_LOWERED_ID, &row->id) != TS_VALUE_OK)
		row->id = TS_UNKNOWN;
	if (ts_rows_number(rows, N_UNLOWERED, &row->unlowered) != TS_VALUE_OK)
		row->unlowered = TS_UNKNOWN;
}

/* The name of one row; what is damaged of it is no matter of the others. */
static enum ts_code
name_row(struct ts_alive *a, struct ts_alive_row *row, struct ts_reader *rd,
	enum ts_relation relation, const struct ts_rows_query *q, struct ts_err *err)
{
	struct ts_rows *rows;
	enum ts_code code = ts_reader_rows(&rows, rd, relation, q, err);
	bool there;

	if (code)
		return code;
	code = ts_rows_next(rows, &there, err);
	if (!code && there)
		code = read_name(a, row, rows, N_NAME, err);
	if (!code && there && relation == TS_LOWERED_VARIABLE)
		read_numbers(row, rows);
	ts_rows_close(rows);
	return code;
}

/* Names one by one, where a row can be reached. */
static enum ts_code
name_by_key(struct ts_alive *a, struct ts_reader *rd, struct ts_err *err)
{
	enum ts_code code = TS_OK;

	for (int i = 0; i < a->rows && !code; i++) {
		enum ts_relation relation;
		struct ts_rows_query q;

		if (is_named(a, &a->row[i]))
			continue;
		relation = query_of(&q, a, a->row[i].variable);
		if (can_reach(rd->report, relation))
			code = name_row(a, &a->row[i], rd, relation, &q, err);
		if (code == TS_E_DAMAGED)
			code = TS_OK;
	}
	return code;
}

static int
by_number(const void *a, const void *b)
{
	const struct ts_alive_row *x = *(struct ts_alive_row *const *)a;
	const struct ts_alive_row *y = *(struct ts_alive_row *const *)b;

	return (x->variable > y->variable) - (x->variable < y->variable);
}

/* The first row of that number, or where it would be. */
static int
place_of(struct ts_alive_row *const *sorted, int n, int64_t variable)
{
	int low = 0, high = n;

	while (low < high) {
		int middle = low + (high - low) / 2;

		if (sorted[middle]->variable < variable)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* Names in one pass over all variables. */
static enum ts_code
name_by_pass(struct ts_alive *a, struct ts_reader *rd, struct ts_err *err)
{
	struct ts_alive_row **sorted = ts_alloc((size_t)a->rows, sizeof(struct ts_alive_row *));
	struct ts_rows *rows = NULL;
	enum ts_code code;
	int at = 0;
	bool there;

	if (!sorted)
		return ts_err_nomem(err);
	for (int i = 0; i < a->rows; i++)
		sorted[i] = &a->row[i];
	qsort(sorted, (size_t)a->rows, sizeof(*sorted), by_number);
	code = ts_reader_rows(&rows, rd, TS_VARIABLE, &names_query, err);
	while (!code && !(code = ts_rows_next(rows, &there, err)) && there) {
		int64_t id;

		if (ts_rows_number(rows, N_ID, &id) != TS_VALUE_OK)
			continue;
		while (at < a->rows && sorted[at]->variable < id) /* they mostly come by number */
			at++;
		if (at > 0 && sorted[at - 1]->variable >= id)
			at = place_of(sorted, a->rows, id);
		if (at < a->rows && sorted[at]->variable == id)
			code = read_name(a, sorted[at], rows, N_NAME, err);
		if (code)
			break;
	}
	ts_rows_close(rows);
	free(sorted);
	return code;
}

/*
 * Append the first `texts` columns of the row with that key, blanks between. *named says whether the last
 * of them is there; *number is the column behind them, TS_UNKNOWN when there is none.
 */
static enum ts_code
append_row(struct ts_strbuf *out, bool *named, int64_t *number, struct ts_reader *rd,
	enum ts_relation relation, struct ts_rows_query q, int64_t key, int texts,
	struct ts_err *err)
{
	struct ts_rows *rows;
	enum ts_code code;
	bool there;

	*named = false;
	*number = TS_UNKNOWN;
	q.range = TS_RANGE_KEY;
	q.from = key;
	q.to = key + 1;
	code = ts_reader_rows(&rows, rd, relation, &q, err);
	if (code)
		return code;
	code = ts_rows_next(rows, &there, err);
	for (int i = 0; !code && there && i < texts; i++) {
		const char *s;
		size_t n;

		*named = ts_rows_text(rows, i, &s, &n) == TS_VALUE_OK && n > 0;
		if (*named && out->len > 0)
			ts_strbuf_putc(out, ' ');
		ts_strbuf_add(out, s, n < TS_ALIVE_NAME ? n : TS_ALIVE_NAME);
	}
	if (!code && there && q.column_count > texts &&
		ts_rows_number(rows, texts, number) != TS_VALUE_OK)
		*number = TS_UNKNOWN;
	ts_rows_close(rows);
	return code;
}

enum ts_code
alive_name_program(struct ts_alive *a, struct ts_reader *rd, int64_t program, struct ts_err *err)
{
	static const struct ts_rows_query of_program = {.columns = {TS_PROGRAM_TYPE,
								TS_PROGRAM_NAME,
								TS_PROGRAM_COMPUTE_SET},
		.column_count = 3};
	static const struct ts_rows_query of_compute_set = {.columns = {TS_COMPUTE_SET_NAME},
		.column_count = 1};
	int64_t compute_set, none;
	enum ts_code code;
	bool named;

	if (program < 0 || !ts_report_has(rd->report, TS_PROGRAM))
		return TS_OK;
	code = append_row(&a->program, &named, &compute_set, rd, TS_PROGRAM, of_program, program, 2,
		err);
	if (!code && !named && compute_set != TS_UNKNOWN &&
		ts_report_has(rd->report, TS_COMPUTE_SET))
		code = append_row(&a->program, &named, &none, rd, TS_COMPUTE_SET, of_compute_set,
			compute_set, 1, err);
	return code;
}

/* Are so many variables without a name that a pass over all takes less than to look each up? A look is worth 16 rows. */
static bool
many_of_all(const struct ts_alive *a, const struct ts_report *r, int without)
{
	enum { LOOK_ROWS = 16 };

	return !a->lowered && !a->index && ts_report_has(r, TS_VARIABLE) &&
		can_reach(r, TS_VARIABLE) &&
		ts_reach_work(&r->binding[TS_VARIABLE].reach) < (int64_t)without * LOOK_ROWS;
}

enum ts_code
alive_name_rows(struct ts_alive *a, struct ts_reader *rd, const struct ts_alive *before,
	struct ts_err *err)
{
	enum ts_code code;
	int without;

	if (before && before->lowered != a->lowered)
		before = NULL;
	number_names(a, rd);
	code = take_names(a, before, &without, err);
	if (code || without == 0)
		return code;
	if (many_of_all(a, rd->report, without))
		code = name_by_pass(a, rd, err);
	if (!code || code == TS_E_DAMAGED)
		code = name_by_key(a, rd, err);
	if (!code && !a->lowered && !a->index && ts_report_has(rd->report, TS_VARIABLE) &&
		!can_reach(rd->report, TS_VARIABLE))
		code = name_by_pass(a, rd, err);
	return code;
}
