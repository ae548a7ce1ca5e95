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

/* What is alive at a step, where it was summed up. */
static bool
known_total(struct ts_live_total *out, const struct ts_lives *l, int64_t step)
{
	if (l->totals == 0 || step < 0 || step >= UINT32_MAX)
		return false;
	*out = l->total[step < (int64_t)l->totals ? (size_t)step : l->totals - 1];
	return true;
}

static void
add_total(struct ts_live_total *t, int64_t bytes)
{
	t->count++;
	t->bytes = bytes > TS_NUMBER_MAX - t->bytes ? TS_NUMBER_MAX : t->bytes + bytes;
}

/* What is looked for: the steps, and what need not be counted. */
struct scan {
	struct ts_alive *a;
	const struct ts_lives *l;
	const struct ts_alive_query *q;
	uint32_t step[TS_ALIVE_COLUMNS], against;
	int steps;
	bool known;   /* all totals are: there is nothing to count */
	int64_t most; /* rows to keep */
};

static uint32_t
cut_step(int64_t step)
{
	return step > UINT32_MAX ? UINT32_MAX : (uint32_t)step;
}

static void
begin_scan(struct scan *s, struct ts_alive *a, const struct ts_lives *l,
	const struct ts_alive_query *q)
{
	bool whole = q->against != TS_UNKNOWN || q->labels || q->group >= 0 || q->marks > 0 ||
		q->only != TS_ALIVE_EVERY;

	*s = (struct scan){.a = a, .l = l, .q = q, .steps = 1 + q->marks, .known = true};
	s->step[0] = cut_step(q->step);
	for (int i = 0; i < q->marks; i++)
		s->step[i + 1] = cut_step(q->mark[i]);
	s->against = q->against == TS_UNKNOWN ? 0 : cut_step(q->against);
	for (int i = 0; i < s->steps; i++)
		s->known &= known_total(&a->at[i], l, i == 0 ? q->step : q->mark[i - 1]);
	s->most = a->asked.most;
	if (!s->known)
		memset(a->at, 0, sizeof(a->at));
	else if (!whole)
		s->most = ts_min_i64(a->at[0].count, a->asked.most);
	if (whole) { /* every life has to be looked at */
		s->known = false;
		memset(a->at, 0, sizeof(a->at));
	}
}

/* Which of the steps a variable's lives [i, end) hold. */
static struct ts_alive_row
look_at(const struct scan *s, size_t i, size_t end)
{
	const struct ts_live_variable *v = &s->l->variable[s->l->life[i].variable];
	struct ts_alive_row row = {.variable = v->variable,
		.bytes = v->bytes,
		.group = -1,
		.id = TS_UNKNOWN,
		.unlowered = TS_UNKNOWN,
		.index = s->l->life[i].variable};
	bool compare = s->q->against != TS_UNKNOWN;

	for (; i < end; i++) {
		const struct ts_life *life = &s->l->life[i];
		unsigned alive = 0;

		for (int k = 0; k < s->steps && k < TS_ALIVE_COLUMNS; k++)
			alive |= (unsigned)(s->step[k] >= life->start && s->step[k] < life->end)
				<< k;
		row.total += (int64_t)life->end - life->start;
		if (alive & 1u || (alive && !row.alive)) {
			row.start = life->start;
			row.end = life->end;
		}
		row.alive |= alive;
		if (compare && s->against >= life->start && s->against < life->end)
			row.against |= 2;
	}
	row.against |= row.alive >> s->q->to & 1u;
	return row;
}

static bool
is_listed(const struct scan *s, const struct ts_alive_row *row)
{
	if (s->q->group >= 0 && row->group != s->q->group)
		return false;
	switch (s->q->only) {
	case TS_ALIVE_BORN:
		return row->against == 1;
	case TS_ALIVE_DIED:
		return row->against == 2;
	case TS_ALIVE_CHANGED:
		return row->against == 1 || row->against == 2;
	default:
		return row->alive != 0;
	}
}

/* Alive at one of the two moments that are compared. */
static void
count_change(struct ts_alive_sums *sums, const struct ts_alive_row *row)
{
	if (row->against == 1)
		add_total(&sums->born, row->bytes);
	if (row->against == 2)
		add_total(&sums->died, row->bytes);
}

static void
count_row(const struct scan *s, const struct ts_alive_row *row)
{
	struct ts_alive *a = s->a;

	for (int k = 0; k < s->steps; k++)
		if (row->alive >> k & 1u) {
			add_total(&a->at[k], row->bytes);
			if (row->group >= 0)
				add_total(&a->group[row->group][k], row->bytes);
		}
	if (s->q->against != TS_UNKNOWN)
		count_change(&a->change, row);
}

/* One that `only` and `group` leave: a row of the list, or beyond it. */
static void
count_listed(const struct scan *s, const struct ts_alive_row *row)
{
	struct ts_alive *a = s->a;
	struct ts_live_total *t = a->rows < a->asked.most ? a->shown : a->left;

	for (int k = 0; k < s->steps && k < TS_ALIVE_COLUMNS; k++)
		if (row->alive >> k & 1u)
			add_total(&t[k], row->bytes);
	if (s->q->against != TS_UNKNOWN)
		count_change(&a->chosen, row);
}

/* Not all were looked at, for the totals of the step are known: what is not in the rows is the rest of them. */
static void
leave_rest(const struct scan *s)
{
	struct ts_alive *a = s->a;
	const struct ts_live_total *all = &a->at[0], *shown = &a->shown[0];

	a->found = all->count;
	a->left[0].count = all->count - shown->count;
	a->left[0].bytes = all->bytes < TS_NUMBER_MAX ? all->bytes - shown->bytes : TS_UNKNOWN;
}

/* Variables come by size: with totals that are known only as many are looked at as are kept. */
static void
find_alive(struct scan *s)
{
	const struct ts_lives *l = s->l;
	struct ts_alive *a = s->a;
	size_t i = 0, end;

	for (; i < l->count && (!s->known || a->rows < s->most); i = end) {
		struct ts_alive_row row;
		size_t variable = l->life[i].variable;

		for (end = i + 1; end < l->count && l->life[end].variable == variable; end++)
			;
		if (variable >= l->variables)
			continue;
		row = look_at(s, i, end);
		if (s->q->labels)
			row.group = s->q->labels->group[variable];
		if (!s->known)
			count_row(s, &row);
		if (!is_listed(s, &row))
			continue;
		a->found++;
		count_listed(s, &row);
		if (a->rows < a->asked.most) {
			if (a->born < 0 && row.against == 1 && s->q->against != TS_UNKNOWN)
				a->born = a->rows;
			a->row[a->rows++] = row;
		}
	}
	if (i < l->count)
		leave_rest(s);
	a->left_rows = a->found - a->rows;
}

static void
list_alive(struct ts_alive *a, const struct ts_lives *l, const struct ts_alive_query *q)
{
	struct scan scan;
	int64_t sum = 0;

	a->listed = true;
	a->lowered = l->lowered;
	a->grouped = q->labels != NULL;
	begin_scan(&scan, a, l, q);
	find_alive(&scan);
	a->count = a->at[0].count;
	a->bytes = a->at[0].bytes;
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
		a->row[i].id = known->id;
		a->row[i].unlowered = known->unlowered;
		keep_name(a, &a->row[i], before->text.s + known->at, known->length);
		without -= a->row[i].length > 0;
	}
	return without;
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
		read_name(a, row, rows, N_NAME);
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

		if (a->row[i].length > 0)
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

static enum ts_code
name_rows(struct ts_alive *a, struct ts_reader *rd, const struct ts_alive *before,
	struct ts_err *err)
{
	enum ts_code code;

	if (before && before->lowered != a->lowered)
		before = NULL;
	if (take_names(a, before) == 0)
		return TS_OK;
	code = name_by_key(a, rd, err);
	if (!code && !a->lowered && ts_report_has(rd->report, TS_VARIABLE) &&
		!can_reach(rd->report, TS_VARIABLE))
		code = name_by_pass(a, rd, err);
	return code;
}

enum ts_code
ts_alive_read(struct ts_alive **out, struct ts_reader *rd, const struct ts_lives *lives,
	const struct ts_alive_query *q, const struct ts_alive *before, struct ts_err *err)
{
	struct ts_alive *a = ts_alloc(1, sizeof(*a));
	enum ts_code code;

	*out = NULL;
	if (!a)
		return ts_err_nomem(err);
	atomic_init(&a->uses, 1);
	ts_strbuf_init(&a->text, TS_ALIVE_TEXT);
	ts_strbuf_init(&a->program, 3 * TS_ALIVE_NAME);
	a->asked = *q;
	a->asked.labels = NULL;
	if (a->asked.most <= 0 || a->asked.most > TS_ALIVE_SEARCHED)
		a->asked.most = TS_ALIVE_MAX;
	a->step = q->step;
	a->born = -1;
	a->row = ts_alloc((size_t)a->asked.most, sizeof(*a->row));
	if (!a->row) {
		ts_alive_close(a);
		return ts_err_nomem(err);
	}
	code = name_program(a, rd, q->program, err);
	if (lives && code != TS_E_CANCELLED && code != TS_E_NOMEM) {
		list_alive(a, lives, q);
		code = name_rows(a, rd, before, err);
	}
	if (a->text.nomem || a->program.nomem)
		code = ts_err_nomem(err);
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
