/* SPDX-License-Identifier: MIT */
/*
 * lives - the lives of variables, and who is alive at a step.
 *
 * No join is left to SQL: both relations are read once, forwards, into compact arrays (16 bytes a
 * variable, 12 an interval), and a step is answered by one look over the intervals with a heap of the
 * largest. For 300,000 variables that is a few megabytes and less than a millisecond; an index by time
 * would only pay for more cursor moves a second than there are keys.
 *
 * Names are not kept: those of the largest are looked up by number, or in one pass over the variables
 * where a row cannot be reached by its number.
 */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "tilescope/base/mem.h"
#include "tilescope/report/lives.h"
#include "tilescope/report/rows.h"

enum { PROGRESS_ROWS = 8192 };

/* Rows that a relation may have, for progress; 0 = not known. */
static int64_t
rows_of(const struct ts_reader *rd, enum ts_relation relation)
{
	return ts_reach_span(&rd->report->binding[relation].reach);
}

/* --- lives ------------------------------------------------------------------------------------ */

/* Room for one more of `count`, at most TS_LIVES_MAX: TS_E_LIMIT without a message beyond. */
static enum ts_code
lives_room(void **array, size_t *cap, size_t count, size_t size, struct ts_err *err)
{
	if (count == TS_LIVES_MAX)
		return TS_E_LIMIT;
	return ts_room(array, cap, count, size) ? TS_OK : ts_err_nomem(err);
}

/* While they are read: always-live variables are kept too, with this mark. */
enum { ALWAYS_LIVE = -1 };

static int
by_variable(const void *a, const void *b)
{
	const struct ts_live_variable *x = a, *y = b;

	return (x->variable > y->variable) - (x->variable < y->variable);
}

enum { V_ID, V_BYTES, V_ALWAYS, V_COLUMNS };

static enum ts_code
add_variable(struct ts_lives *l, size_t *cap, struct ts_rows *rows, struct ts_err *err)
{
	struct ts_live_variable v;
	int64_t always;
	void *room = l->variable;
	enum ts_code code;

	if (ts_rows_number(rows, V_ID, &v.variable) != TS_VALUE_OK ||
		ts_rows_number(rows, V_BYTES, &v.bytes) != TS_VALUE_OK ||
		ts_rows_number(rows, V_ALWAYS, &always) == TS_VALUE_BAD) {
		l->bad_rows++;
		return TS_OK;
	}
	code = lives_room(&room, cap, l->variables, sizeof(v), err);
	if (code == TS_E_LIMIT) {
		l->left_out++;
		return TS_OK;
	}
	if (code)
		return code;
	l->variable = room;
	v.bytes = always ? ALWAYS_LIVE : v.bytes;
	l->variable[l->variables++] = v;
	return TS_OK;
}

static void
sort_variables(struct ts_lives *l)
{
	bool sorted = true;
	size_t kept = 0;

	for (size_t i = 1; i < l->variables && sorted; i++)
		sorted = l->variable[i - 1].variable < l->variable[i].variable;
	if (sorted)
		return;
	qsort(l->variable, l->variables, sizeof(*l->variable), by_variable);
	for (size_t i = 0; i < l->variables; i++)
		if (kept == 0 || l->variable[kept - 1].variable != l->variable[i].variable)
			l->variable[kept++] = l->variable[i];
	l->variables = kept;
}

/* Index of a variable, tried at *hint first; -1 when there is none. */
static ptrdiff_t
find_variable(const struct ts_lives *l, int64_t id, size_t *hint)
{
	struct ts_live_variable key = {id, 0}, *found;

	for (int i = 0; i < 2 && *hint < l->variables && l->variable[*hint].variable <= id; i++) {
		if (l->variable[*hint].variable == id)
			return (ptrdiff_t)*hint;
		++*hint;
	}
	if (l->variables == 0)
		return -1;
	found = bsearch(&key, l->variable, l->variables, sizeof(key), by_variable);
	if (!found)
		return -1;
	*hint = (size_t)(found - l->variable);
	return (ptrdiff_t)*hint;
}

enum { I_VARIABLE, I_START, I_END, I_COLUMNS };

static uint32_t
cut_step(int64_t step)
{
	return step > UINT32_MAX ? UINT32_MAX : (uint32_t)step;
}

static enum ts_code
add_life(struct ts_lives *l, size_t *cap, size_t *hint, struct ts_rows *rows, struct ts_err *err)
{
	int64_t id, start, end;
	ptrdiff_t variable;
	void *room = l->life;
	enum ts_code code;

	if (ts_rows_number(rows, I_VARIABLE, &id) != TS_VALUE_OK ||
		ts_rows_number(rows, I_START, &start) != TS_VALUE_OK ||
		ts_rows_number(rows, I_END, &end) != TS_VALUE_OK) {
		l->bad_rows++;
		return TS_OK;
	}
	variable = find_variable(l, id, hint);
	if (end <= start || variable < 0 || l->variable[variable].bytes == ALWAYS_LIVE) {
		++*(end <= start ? &l->reversed : variable < 0 ? &l->orphans : &l->always);
		return TS_OK;
	}
	code = lives_room(&room, cap, l->count, sizeof(*l->life), err);
	if (code == TS_E_LIMIT) {
		l->left_out++;
		return TS_OK;
	}
	if (code)
		return code;
	l->life = room;
	l->life[l->count++] = (struct ts_life){(uint32_t)variable, cut_step(start), cut_step(end)};
	return TS_OK;
}

static int
by_life(const void *a, const void *b)
{
	const struct ts_life *x = a, *y = b;

	if (x->variable != y->variable)
		return x->variable < y->variable ? -1 : 1;
	return (x->start > y->start) - (x->start < y->start);
}

/* By variable and start, and what overlaps or touches put together. */
static void
sort_lives(struct ts_lives *l)
{
	bool sorted = true;
	size_t kept = 0;

	for (size_t i = 1; i < l->count && sorted; i++)
		sorted = by_life(&l->life[i - 1], &l->life[i]) <= 0;
	if (!sorted)
		qsort(l->life, l->count, sizeof(*l->life), by_life);
	for (size_t i = 0; i < l->count; i++) {
		struct ts_life *before = kept > 0 ? &l->life[kept - 1] : NULL;

		if (!before || before->variable != l->life[i].variable ||
			before->end < l->life[i].start)
			l->life[kept++] = l->life[i];
		else if (l->life[i].end > before->end)
			before->end = l->life[i].end;
	}
	l->count = kept;
}

/* One pass over `variable` (intervals false) or `liveness_variable`. */
static enum ts_code
read_lives(struct ts_lives *l, struct ts_reader *rd, bool intervals, struct ts_progress *progress,
	struct ts_err *err)
{
	enum ts_relation relation = intervals ? TS_LIVENESS_VARIABLE : TS_VARIABLE;
	struct ts_rows_query of_variables = {.columns = {TS_VARIABLE_VARIABLE, TS_VARIABLE_BYTES,
						     TS_VARIABLE_ALWAYS_LIVE},
		.column_count = V_COLUMNS};
	struct ts_rows_query of_lives = {.columns = {TS_LIVENESS_VARIABLE_VARIABLE,
						 TS_LIVENESS_VARIABLE_START,
						 TS_LIVENESS_VARIABLE_END},
		.column_count = I_COLUMNS};
	int64_t before = intervals ? rows_of(rd, TS_VARIABLE) : 0, seen = before;
	int64_t total = rows_of(rd, TS_VARIABLE) + rows_of(rd, TS_LIVENESS_VARIABLE);
	struct ts_rows *rows;
	enum ts_code code;
	size_t cap = 0, hint = 0;
	bool there;

	code = ts_reader_rows(&rows, rd, relation, intervals ? &of_lives : &of_variables, err);
	if (code)
		return code;
	while (!(code = ts_rows_next(rows, &there, err)) && there) {
		if (++seen % PROGRESS_ROWS == 0)
			ts_progress_set(progress, seen, total);
		code = intervals ? add_life(l, &cap, &hint, rows, err)
				 : add_variable(l, &cap, rows, err);
		if (code)
			break;
	}
	ts_rows_close(rows);
	return code;
}

/* They stay as long as the report does: give back what they grew beyond. */
static void
shrink(struct ts_lives *l)
{
	void *p;

	p = l->count > 0 ? ts_resize(l->life, l->count, sizeof(*l->life)) : NULL;
	l->life = p ? p : l->life;
	p = l->variables > 0 ? ts_resize(l->variable, l->variables, sizeof(*l->variable)) : NULL;
	l->variable = p ? p : l->variable;
}

enum ts_code
ts_lives_read(struct ts_lives **out, struct ts_reader *rd, struct ts_progress *progress,
	struct ts_err *err)
{
	struct ts_lives *l;
	struct ts_err second;
	enum ts_code code, more;

	*out = NULL;
	l = ts_alloc(1, sizeof(*l));
	if (!l)
		return ts_err_nomem(err);
	atomic_init(&l->uses, 1);
	code = read_lives(l, rd, false, progress, err);
	if (code && code != TS_E_DAMAGED) {
		ts_lives_close(l);
		return code;
	}
	sort_variables(l);
	more = read_lives(l, rd, true, progress, code ? &second : err);
	if (more && more != TS_E_DAMAGED) {
		if (code && err)
			*err = second;
		ts_lives_close(l);
		return more;
	}
	sort_lives(l);
	shrink(l);
	*out = l;
	return code ? code : more;
}

struct ts_lives *
ts_lives_hold(struct ts_lives *l)
{
	atomic_fetch_add(&l->uses, 1);
	return l;
}

void
ts_lives_close(struct ts_lives *l)
{
	if (!l || atomic_fetch_sub(&l->uses, 1) > 1)
		return;
	free(l->life);
	free(l->variable);
	free(l);
}

/* --- alive at a step -------------------------------------------------------------------------- */

/* Is row a to stand below row b? */
static bool
smaller(const struct ts_alive_row *a, const struct ts_alive_row *b)
{
	return a->bytes != b->bytes ? a->bytes < b->bytes : a->variable > b->variable;
}

static void
swap_rows(struct ts_alive_row *a, struct ts_alive_row *b)
{
	struct ts_alive_row t = *a;

	*a = *b;
	*b = t;
}

/* The smallest is at the root: let row i sink. */
static void
sink(struct ts_alive_row *row, int n, int i)
{
	for (;;) {
		int least = i;

		for (int child = 2 * i + 1; child <= 2 * i + 2 && child < n; child++)
			if (smaller(&row[child], &row[least]))
				least = child;
		if (least == i)
			return;
		swap_rows(&row[i], &row[least]);
		i = least;
	}
}

static void
offer(struct ts_alive *a, const struct ts_alive_row *candidate)
{
	int i = a->rows;

	if (a->rows == TS_ALIVE_MAX) {
		if (!smaller(&a->row[0], candidate))
			return;
		a->row[0] = *candidate;
		sink(a->row, a->rows, 0);
		return;
	}
	a->row[a->rows++] = *candidate;
	for (; i > 0 && smaller(&a->row[i], &a->row[(i - 1) / 2]); i = (i - 1) / 2)
		swap_rows(&a->row[i], &a->row[(i - 1) / 2]);
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

static void
list_alive(struct ts_alive *a, const struct ts_lives *l)
{
	uint32_t step = cut_step(a->step);
	int64_t sum = 0;

	a->listed = true;
	for (size_t i = 0; i < l->count; i++) {
		const struct ts_life *life = &l->life[i];
		const struct ts_live_variable *v = &l->variable[life->variable];
		struct ts_alive_row row;

		if (step < life->start || step >= life->end)
			continue;
		a->count++;
		a->bytes = v->bytes > TS_NUMBER_MAX - a->bytes ? TS_NUMBER_MAX
							       : a->bytes + v->bytes;
		row = (struct ts_alive_row){.variable = v->variable,
			.bytes = v->bytes,
			.start = life->start,
			.end = life->end,
			.total = (int64_t)i}; /* turned into steps below, for those that stay */
		offer(a, &row);
	}
	qsort(a->row, (size_t)a->rows, sizeof(*a->row), largest_first);
	for (int i = 0; i < a->rows; i++) {
		a->row[i].total = steps_alive(l, (size_t)a->row[i].total);
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
