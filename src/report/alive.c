/* SPDX-License-Identifier: MIT */
/*
 * alive - who is alive at a step.
 *
 * The lives of the largest variables come first (lives.h): once as many are found as are kept, or as there
 * are, the rest need not be looked at. Names are looked up afterwards (alive_names.c).
 */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "tilescope/base/mem.h"
#include "tilescope/report/lives.h"
#include "tilescope/report/rows.h"

#include "alive_internal.h"

enum {
	LOOK = 1
		<< 16 /* lives that are looked at, at most, from one look at the token to the next */
};

/* --- alive at a step -------------------------------------------------------------------------- */

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

int64_t
ts_live_total_bytes(const struct ts_live_total *t)
{
	return t->bytes < TS_NUMBER_MAX || t->count <= 1 ? t->bytes : TS_UNKNOWN;
}

static uint32_t
cut_step(int64_t step)
{
	return step > UINT32_MAX ? UINT32_MAX : (uint32_t)step;
}

void
alive_begin(struct alive_scan *s, struct ts_alive *a, const struct ts_lives *l,
	const struct ts_alive_query *q)
{
	bool whole = q->against != TS_UNKNOWN || q->labels || q->group >= 0 || q->marks > 0 ||
		q->only != TS_ALIVE_EVERY;

	*s = (struct alive_scan){.a = a, .l = l, .q = q, .steps = 1 + q->marks, .known = true};
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
struct ts_alive_row
alive_look(const struct alive_scan *s, size_t i, size_t end)
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

bool
alive_listed(const struct alive_scan *s, const struct ts_alive_row *row)
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

void
alive_count(const struct alive_scan *s, const struct ts_alive_row *row)
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
void
alive_count_listed(const struct alive_scan *s, const struct ts_alive_row *row, bool shown)
{
	struct ts_alive *a = s->a;
	struct ts_live_total *t = shown ? a->shown : a->left;

	for (int k = 0; k < s->steps && k < TS_ALIVE_COLUMNS; k++)
		if (row->alive >> k & 1u)
			add_total(&t[k], row->bytes);
	if (s->q->against != TS_UNKNOWN)
		count_change(&a->chosen, row);
}

/* Not all were looked at, for the totals of the step are known: what is not in the rows is the rest of them. */
static void
leave_rest(const struct alive_scan *s)
{
	struct ts_alive *a = s->a;
	const struct ts_live_total *all = &a->at[0], *shown = &a->shown[0];

	a->found = all->count;
	a->left[0].count = all->count - shown->count;
	a->left[0].bytes = all->bytes < TS_NUMBER_MAX ? all->bytes - shown->bytes : TS_UNKNOWN;
}

enum ts_code
alive_add(struct ts_alive *a, const struct ts_alive_row *row, struct ts_err *err)
{
	enum ts_code code = ts_pile_add(&a->pile[0], row, sizeof(*row), NULL, err);

	a->row = a->pile[0].memory;
	a->rows += code == TS_OK;
	return code;
}

void
alive_end(struct ts_alive *a)
{
	int64_t sum = 0;

	a->listed = true;
	a->count = a->at[0].count;
	a->bytes = ts_live_total_bytes(&a->at[0]);
	for (int i = 0; i < a->rows; i++) {
		sum = a->row[i].bytes > TS_NUMBER_MAX - sum ? TS_NUMBER_MAX : sum + a->row[i].bytes;
		a->row[i].cumulative = sum;
	}
}

/* The steps and what they are compared with: only lives that hold one of them say anything. */
struct moments {
	uint32_t at[TS_ALIVE_COLUMNS + 1];
	int count;
};

static struct moments
moments_of(const struct alive_scan *s)
{
	struct moments m = {.count = 0};

	for (int k = 0; k < s->steps; k++)
		m.at[m.count++] = s->step[k];
	if (s->q->against != TS_UNKNOWN)
		m.at[m.count++] = s->against;
	return m;
}

/* The first of the lives [i, end) that holds one of the moments; `end`: none does. */
static size_t
find_life(const struct ts_life *life, size_t i, size_t end, const struct moments *m)
{
	for (; i < end; i++)
		for (int k = 0; k < m->count; k++)
			if (m->at[k] >= life[i].start && m->at[k] < life[i].end)
				return i;
	return end;
}

/* One variable, with lives [i, end). */
static enum ts_code
take_alive(struct alive_scan *s, size_t i, size_t end, struct ts_err *err)
{
	struct ts_alive *a = s->a;
	struct ts_alive_row row = alive_look(s, i, end);

	if (s->q->labels)
		row.group = s->q->labels->group[row.index];
	if (!s->known)
		alive_count(s, &row);
	if (!alive_listed(s, &row))
		return TS_OK;
	a->found++;
	alive_count_listed(s, &row, a->rows < a->asked.most);
	if (a->rows >= a->asked.most)
		return TS_OK;
	if (a->born < 0 && row.against == 1 && s->q->against != TS_UNKNOWN)
		a->born = a->rows;
	return alive_add(a, &row, err);
}

/* Variables come by size: with totals that are known only as many are looked at as are kept. */
static enum ts_code
find_alive(struct alive_scan *s, struct ts_err *err)
{
	enum ts_code code = TS_OK;
	const struct ts_lives *l = s->l;
	const struct moments m = moments_of(s);
	struct ts_alive *a = s->a;
	size_t i = 0, end, stop;

	for (; !code && i < l->count && (!s->known || a->rows < s->most); i = end) {
		size_t variable;

		stop = i + (size_t)ts_min_i64((int64_t)(l->count - i), LOOK);
		end = find_life(l->life, i, stop, &m);
		if (ts_cancelled(s->cancel))
			return ts_err_set(err, TS_E_CANCELLED, "cancelled");
		if (end == stop)
			continue;
		variable = l->life[end].variable;
		for (i = end; i > 0 && l->life[i - 1].variable == variable; i--)
			;
		while (++end < l->count && l->life[end].variable == variable)
			;
		if (variable < l->variables)
			code = take_alive(s, i, end, err);
	}
	if (i < l->count)
		leave_rest(s);
	a->left_rows = a->found - a->rows;
	return code;
}

/* Rows there may be, at most: what is alive at one of the moments. 0: it is not known. */
static int64_t
rows_most(const struct alive_scan *s)
{
	const struct ts_alive_query *q = s->q;
	int64_t most = 0;

	for (int k = -1; k < s->steps; k++) {
		int64_t step = k < 0 ? q->against : k == 0 ? q->step : q->mark[k - 1];
		struct ts_live_total t = {0};

		if (step != TS_UNKNOWN && !known_total(&t, s->l, step))
			return 0;
		most += ts_min_i64(ts_max_i64(t.count, 0), (int64_t)s->l->variables);
	}
	return ts_min_i64(ts_min_i64(most, (int64_t)s->l->variables), s->a->asked.most);
}

static enum ts_code
list_alive(struct ts_alive *a, const struct ts_lives *l, const struct ts_alive_query *q,
	const struct ts_cancel *cancel, struct ts_err *err)
{
	struct alive_scan scan;
	enum ts_code code;

	a->lowered = l->lowered;
	a->grouped = q->labels != NULL;
	alive_begin(&scan, a, l, q);
	scan.cancel = cancel;
	code = ts_pile_room(&a->pile[0], (size_t)rows_most(&scan) * sizeof(struct ts_alive_row),
		NULL, err);
	if (!code)
		code = find_alive(&scan, err);
	alive_end(a);
	return code;
}

static struct ts_alive *
new_alive(void)
{
	struct ts_alive *a = ts_alloc(1, sizeof(*a));

	if (!a)
		return NULL;
	atomic_init(&a->uses, 1);
	ts_strbuf_init(&a->program, 3 * TS_ALIVE_NAME);
	a->born = -1;
	a->pile[0].small = TS_PILE_SHOWN;
	a->pile[1].small = TS_PILE_LARGE;
	return a;
}

struct ts_alive *
alive_new(const struct ts_alive_query *q)
{
	struct ts_alive *a = new_alive();

	if (!a)
		return NULL;
	a->asked = *q;
	a->asked.labels = NULL;
	a->asked.most = q->most <= 0 ? TS_ALIVE_MAX : (int)ts_min_i64(q->most, TS_LIVES_MAX);
	a->step = q->step;
	return a;
}

enum ts_code
alive_give(struct ts_alive **out, struct ts_alive *a, enum ts_code code, struct ts_err *err)
{
	if (a->program.nomem)
		code = ts_err_nomem(err);
	if (code == TS_E_CANCELLED || code == TS_E_NOMEM) {
		ts_alive_close(a);
		return code;
	}
	*out = a;
	return TS_OK;
}

enum ts_code
ts_alive_read(struct ts_alive **out, struct ts_reader *rd, const struct ts_lives *lives,
	const struct ts_alive_query *q, const struct ts_alive *before, struct ts_err *err)
{
	struct ts_alive *a = alive_new(q);
	enum ts_code code;

	*out = NULL;
	if (!a)
		return ts_err_nomem(err);
	code = alive_name_program(a, rd, q->program, err);
	if (lives && code != TS_E_CANCELLED && code != TS_E_NOMEM) {
		code = list_alive(a, lives, q, rd->cancel, err);
		if (code) {
			ts_alive_close(a);
			return code;
		}
		code = alive_name_rows(a, rd, before, err);
	}
	return alive_give(out, a, code, err);
}

enum ts_code
ts_alive_pick(struct ts_alive **out, struct ts_reader *rd, const struct ts_lives *lives,
	const uint32_t *index, int n, struct ts_err *err)
{
	struct ts_alive *a = new_alive();
	enum ts_code code = TS_OK;

	*out = NULL;
	if (!a)
		return ts_err_nomem(err);
	a->asked.step = a->step = -1;
	a->lowered = lives->lowered;
	for (int i = 0; i < n && !code; i++) {
		const struct ts_live_variable *v;

		if (index[i] >= lives->variables)
			continue;
		v = &lives->variable[index[i]];
		code = alive_add(a,
			&(struct ts_alive_row){.variable = v->variable,
				.bytes = v->bytes,
				.group = -1,
				.id = TS_UNKNOWN,
				.unlowered = TS_UNKNOWN,
				.index = index[i]},
			err);
	}
	if (!code)
		code = alive_name_rows(a, rd, NULL, err);
	return alive_give(out, a, code, err);
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
	ts_pile_fini(&a->pile[0]);
	ts_pile_fini(&a->pile[1]);
	ts_index_release(a->index);
	ts_strbuf_fini(&a->program);
	free(a);
}

const char *
ts_alive_name(const struct ts_alive *a, int row)
{
	const struct ts_alive_row *r = &a->row[row];

	if (r->name > 0)
		return ts_variable_names_text(&a->names, r->name);
	return r->length > 0 ? (const char *)a->pile[1].memory + r->at : "";
}
