/* SPDX-License-Identifier: MIT */
/*
 * alive - who is alive at a step.
 *
 * The lives of the largest variables come first (lives.h): once as many are found as are kept, or as there
 * are, the rest need not be looked at.
 *
 * Names are not kept with the lives: those of the largest are looked up by number, or in one pass over
 * the variables where a row cannot be reached by its number.
 */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "tilescope/base/mem.h"
#include "tilescope/report/lives.h"
#include "tilescope/report/rows.h"

/* --- alive at a step -------------------------------------------------------------------------- */

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

/* Steps of all intervals of the variable whose interval i is. */
static int64_t
steps_alive(const struct ts_lives *l, size_t i)
{
	uint32_t variable = l->life[i].variable;
	int64_t total = 0;

	while (i > 0 && l->life[i - 1].variable == variable)
		i--;
	for (; i < l->count && l->life[i].variable == variable; i++)
		total += (int64_t)l->life[i].end - l->life[i].start;
	return total;
}

/* What is alive at the step, where it was summed up. */
static bool
known_total(struct ts_alive *a, const struct ts_lives *l)
{
	const struct ts_live_total *t;

	if (l->totals == 0 || a->step >= UINT32_MAX)
		return false;
	t = &l->total[a->step < (int64_t)l->totals ? (size_t)a->step : l->totals - 1];
	a->count = t->count;
	a->bytes = t->bytes;
	return true;
}

/* The lives that hold the step; with totals only as many as are kept. */
static void
find_alive(struct ts_alive *a, const struct ts_lives *l)
{
	uint32_t step = a->step > UINT32_MAX ? UINT32_MAX : (uint32_t)a->step;
	bool known = known_total(a, l);
	int64_t most = known ? ts_min_i64(a->count, TS_ALIVE_MAX) : TS_ALIVE_MAX;

	for (size_t i = 0; i < l->count && (!known || a->rows < most); i++) {
		const struct ts_life *life = &l->life[i];
		const struct ts_live_variable *v;

		if (step < life->start || step >= life->end || life->variable >= l->variables)
			continue;
		v = &l->variable[life->variable];
		if (!known) {
			a->count++;
			a->bytes = v->bytes > TS_NUMBER_MAX - a->bytes ? TS_NUMBER_MAX
								       : a->bytes + v->bytes;
		}
		if (a->rows < most)
			a->row[a->rows++] = (struct ts_alive_row){.variable = v->variable,
				.bytes = v->bytes,
				.start = life->start,
				.end = life->end,
				.total = steps_alive(l, i)};
	}
}

static void
list_alive(struct ts_alive *a, const struct ts_lives *l)
{
	int64_t sum = 0;

	a->listed = true;
	find_alive(a, l);
	for (int i = 0; i < a->rows; i++) {
		sum = a->row[i].bytes > TS_NUMBER_MAX - sum ? TS_NUMBER_MAX : sum + a->row[i].bytes;
		a->row[i].cumulative = sum;
	}
}

static void
keep_name(struct ts_alive *a, struct ts_alive_row *row, const char *s, size_t n)
{
	n = n < TS_ALIVE_NAME ? n : TS_ALIVE_NAME;
	if (row->length > 0 || a->text.len + n + 1 > a->text.max)
		return;
	row->at = (uint32_t)a->text.len;
	row->length = (uint32_t)n;
	ts_strbuf_add(&a->text, s, n);
	ts_strbuf_putc(&a->text, '\0');
	if (a->text.cut)
		row->length = 0;
}

static void
read_name(struct ts_alive *a, struct ts_alive_row *row, struct ts_rows *rows, int column)
{
	const char *s;
	size_t n;

	if (ts_rows_text(rows, column, &s, &n) == TS_VALUE_OK)
		keep_name(a, row, s, n);
}

/* Take over names from an answer of before. Returns how many rows stay without one. */
static int
take_names(struct ts_alive *a, const struct ts_alive *before)
{
	int without = a->rows;

	for (int i = 0; i < a->rows && before && before->rows > 0; i++) {
		const struct ts_alive_row *known = bsearch(&a->row[i], before->row,
			(size_t)before->rows, sizeof(*before->row), largest_first);

		if (!known || known->length == 0)
			continue;
		keep_name(a, &a->row[i], before->text.s + known->at, known->length);
		without -= a->row[i].length > 0;
	}
	return without;
}

enum { N_ID, N_NAME, N_COLUMNS };

static const struct ts_rows_query names_query = {.columns = {TS_VARIABLE_VARIABLE,
							 TS_VARIABLE_NAME},
	.column_count = N_COLUMNS};

/* Names one by one, where a row can be reached by its number. */
static enum ts_code
name_by_key(struct ts_alive *a, struct ts_reader *rd, struct ts_err *err)
{
	enum ts_code code = TS_OK;

	for (int i = 0; i < a->rows && !code; i++) {
		struct ts_rows_query q = names_query;
		struct ts_rows *rows;
		bool there;

		if (a->row[i].length > 0)
			continue;
		q.range = TS_RANGE_KEY;
		q.from = a->row[i].variable;
		q.to = q.from + 1;
		code = ts_reader_rows(&rows, rd, TS_VARIABLE, &q, err);
		if (code)
			return code;
		code = ts_rows_next(rows, &there, err);
		if (!code && there)
			read_name(a, &a->row[i], rows, N_NAME);
		ts_rows_close(rows);
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

static struct ts_alive_row *
row_of(struct ts_alive_row *const *sorted, int n, int64_t variable)
{
	int low = 0, high = n;

	while (low < high) {
		int middle = low + (high - low) / 2;

		if (sorted[middle]->variable < variable)
			low = middle + 1;
		else
			high = middle;
	}
	return low < n && sorted[low]->variable == variable ? sorted[low] : NULL;
}

/* Names in one pass over all variables. */
static enum ts_code
name_by_pass(struct ts_alive *a, struct ts_reader *rd, struct ts_err *err)
{
	struct ts_alive_row **sorted = ts_alloc((size_t)a->rows, sizeof(struct ts_alive_row *));
	struct ts_rows *rows = NULL;
	enum ts_code code;
	bool there;

	if (!sorted)
		return ts_err_nomem(err);
	for (int i = 0; i < a->rows; i++)
		sorted[i] = &a->row[i];
	qsort(sorted, (size_t)a->rows, sizeof(*sorted), by_number);
	code = ts_reader_rows(&rows, rd, TS_VARIABLE, &names_query, err);
	while (!code && !(code = ts_rows_next(rows, &there, err)) && there) {
		struct ts_alive_row *row;
		int64_t id;

		if (ts_rows_number(rows, N_ID, &id) != TS_VALUE_OK)
			continue;
		row = row_of(sorted, a->rows, id);
		if (row)
			read_name(a, row, rows, N_NAME);
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

/* Type and name of a program; without a name that of its compute set. */
static enum ts_code
name_program(struct ts_alive *a, struct ts_reader *rd, int64_t program, struct ts_err *err)
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

enum ts_code
ts_alive_read(struct ts_alive **out, struct ts_reader *rd, const struct ts_lives *lives,
	int64_t step, int64_t program, const struct ts_alive *before, struct ts_err *err)
{
	struct ts_alive *a = ts_alloc(1, sizeof(*a));
	enum ts_code code;

	*out = NULL;
	if (!a)
		return ts_err_nomem(err);
	atomic_init(&a->uses, 1);
	ts_strbuf_init(&a->text, TS_ALIVE_TEXT);
	ts_strbuf_init(&a->program, 3 * TS_ALIVE_NAME);
	a->step = step;
	a->row = ts_alloc(TS_ALIVE_MAX, sizeof(*a->row));
	if (!a->row) {
		ts_alive_close(a);
		return ts_err_nomem(err);
	}
	code = name_program(a, rd, program, err);
	if (lives && code != TS_E_CANCELLED && code != TS_E_NOMEM) {
		list_alive(a, lives);
		code = TS_OK;
		if (take_names(a, before) > 0)
			code = rd->report->binding[TS_VARIABLE].reach.key == TS_REACH_NONE
				? name_by_pass(a, rd, err)
				: name_by_key(a, rd, err);
	}
	if (code == TS_E_CANCELLED || code == TS_E_NOMEM) {
		ts_alive_close(a);
		return code;
	}
	*out = a;
	return TS_OK;
}

struct ts_alive *
ts_alive_hold(struct ts_alive *a)
{
	atomic_fetch_add(&a->uses, 1);
	return a;
}

void
ts_alive_close(struct ts_alive *a)
{
	if (!a || atomic_fetch_sub(&a->uses, 1) > 1)
		return;
	free(a->row);
	ts_strbuf_fini(&a->text);
	ts_strbuf_fini(&a->program);
	free(a);
}

const char *
ts_alive_name(const struct ts_alive *a, int row)
{
	return a->row[row].length > 0 ? a->text.s + a->row[row].at : "";
}
