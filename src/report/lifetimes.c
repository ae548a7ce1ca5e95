/* SPDX-License-Identifier: MIT */
/*
 * lifetimes - see the header.
 *
 * Uses are two sorted lists, variable to program and program to steps, which are put together only for the variables
 * that somebody looks at: a program of a loop runs at many steps and names many variables.
 */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "tilescope/base/mem.h"
#include "tilescope/report/lifetimes.h"
#include "tilescope/report/rows.h"

enum { PROGRESS_BLOCKS = 64, USE_STEPS = 1 << 20 };

/* --- uses ------------------------------------------------------------------------------------- */

struct pair {
	int64_t a, b;
};

_Static_assert(sizeof(struct pair) == sizeof(struct ts_use), "a use is a pair");
_Static_assert(sizeof(struct pair) == sizeof(struct ts_run_of), "a run is a pair");

static int
by_pair(const void *x, const void *y)
{
	const struct pair *p = x, *q = y;

	if (p->a != q->a)
		return p->a < q->a ? -1 : 1;
	return (p->b > q->b) - (p->b < q->b);
}

struct uses_work {
	struct ts_uses *u;
	struct ts_reader *rd;
	const struct ts_lives *lives; /* whose pieces are meant; NULL: whole variables */
	const struct ts_cache *cache;
	struct ts_progress *progress;
	struct ts_pile wanted; /* pairs: lowered variable, program; of pieces: its id, row id */
	size_t pairs;
};

static enum ts_code
add_pair(struct uses_work *w, struct ts_pile *p, size_t *n, struct pair pair, struct ts_err *err)
{
	enum ts_code code;

	if (*n == TS_USES_MAX) {
		w->u->left_out++;
		return TS_OK;
	}
	code = ts_pile_add(p, &pair, sizeof(pair), w->cache, err);
	*n += !code;
	return code;
}

/* The first pair whose `a` is not below. */
static size_t
first_of(const struct ts_pile *pile, size_t n, int64_t a)
{
	const struct pair *p = pile->memory;
	size_t low = 0, high = n;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (p[middle].a < a)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* Two columns of a relation, each row to `take`. */
static enum ts_code
read_pairs(struct uses_work *w, enum ts_relation relation, int a, int b,
	enum ts_code (*take)(struct uses_work *, struct pair, struct ts_err *), struct ts_err *err)
{
	struct ts_rows_query q = {.columns = {a, b}, .column_count = 2, .past_damage = true};
	int64_t total = ts_reach_span(&w->rd->report->binding[relation].reach), seen = 0;
	struct ts_rows *rows;
	enum ts_code code = ts_reader_rows(&rows, w->rd, relation, &q, err);
	struct ts_rows_block block;
	int blocks = 0;

	if (code)
		return code;
	while (!(code = ts_rows_block(rows, &block, err)) && block.rows > 0) {
		seen += block.rows;
		if (++blocks % PROGRESS_BLOCKS == 0)
			ts_progress_set(w->progress, seen, total);
		if (block.is[0] != TS_VALUE_OK || block.is[1] != TS_VALUE_OK)
			continue;
		for (int i = 0; i < block.rows && !code; i++)
			code = take(w, (struct pair){block.v[0][i], block.v[1][i]}, err);
		if (code)
			break;
	}
	ts_rows_close(rows);
	return code;
}

static enum ts_code
take_named(struct uses_work *w, struct pair p, struct ts_err *err)
{
	return add_pair(w, &w->wanted, &w->pairs, p, err);
}

static enum ts_code
take_lowered(struct uses_work *w, struct pair p, struct ts_err *err)
{
	const struct pair *wanted = w->wanted.memory;
	enum ts_code code = TS_OK;

	for (size_t i = first_of(&w->wanted, w->pairs, p.a);
		i < w->pairs && wanted[i].a == p.a && !code; i++)
		code = add_pair(w, &w->u->named, &w->u->names, (struct pair){p.b, wanted[i].b},
			err);
	return code;
}

static enum ts_code
take_step(struct uses_work *w, struct pair p, struct ts_err *err)
{
	return add_pair(w, &w->u->runs, &w->u->steps, p, err);
}

static enum ts_code
missing(const struct ts_report *r, struct ts_err *err)
{
	static const struct {
		enum ts_relation relation;
		int column;
		const char *says;
	} needs[] = {{TS_PROGRAM_VARIABLE, TS_PROGRAM_VARIABLE_LOWERED_VARIABLE,
			     "which programs use which variables (program_variable)"},
		{TS_LOWERED_VARIABLE, TS_LOWERED_VARIABLE_ID, "lowered_variable.id"},
		{TS_LOWERED_VARIABLE, TS_LOWERED_VARIABLE_VARIABLE, "lowered_variable.variable"},
		{TS_LIVENESS_STEP, TS_LIVENESS_STEP_PROGRAM, "liveness_step.program"}};

	for (size_t i = 0; i < TS_COUNT(needs); i++)
		if (!ts_report_has_column(r, needs[i].relation, needs[i].column))
			return ts_err_set(err, TS_E_ABSENT, "%s is not recorded", needs[i].says);
	return TS_OK;
}

static enum ts_code
sort_pairs(struct uses_work *w, struct ts_pile *p, size_t *n, struct ts_err *err)
{
	enum ts_code code = ts_pile_sort(p, *n, sizeof(struct pair), by_pair, w->cache,
		w->rd->cancel, err);
	struct pair *pair = p->memory;
	size_t kept = 0;

	for (size_t i = 0; !code && i < *n; i++)
		if (kept == 0 || by_pair(&pair[kept - 1], &pair[i]) != 0)
			pair[kept++] = pair[i];
	*n = code ? *n : kept;
	return code;
}

static enum ts_code
read_runs(struct uses_work *w, struct ts_err *err)
{
	enum ts_code code = read_pairs(w, TS_LIVENESS_STEP, TS_LIVENESS_STEP_PROGRAM,
			     TS_LIVENESS_STEP_LIVE_STEP, take_step, err),
		     sorted = TS_OK;

	if (!code || code == TS_E_DAMAGED)
		sorted = sort_pairs(w, &w->u->runs, &w->u->steps, err);
	return sorted ? sorted : code;
}

static enum ts_code
read_all(struct uses_work *w, struct ts_err *err)
{
	enum ts_code code = read_pairs(w, TS_PROGRAM_VARIABLE, TS_PROGRAM_VARIABLE_LOWERED_VARIABLE,
			     TS_PROGRAM_VARIABLE_PROGRAM, take_named, err),
		     damage = code;

	code = code == TS_E_DAMAGED ? TS_OK : code;
	if (!code)
		code = sort_pairs(w, &w->wanted, &w->pairs, err);
	if (!code && w->pairs > 0)
		code = read_pairs(w, TS_LOWERED_VARIABLE, TS_LOWERED_VARIABLE_ID,
			TS_LOWERED_VARIABLE_VARIABLE, take_lowered, err);
	damage = code == TS_E_DAMAGED ? code : damage;
	code = code == TS_E_DAMAGED ? TS_OK : code;
	if (!code)
		code = sort_pairs(w, &w->u->named, &w->u->names, err);
	if (!code)
		code = read_runs(w, err);
	return code ? code : damage;
}

/* --- uses of pieces ----------------------------------------------------------------------------- */

/* Numbers of the pieces: pairs of lowered_variable.id and row id, looked up row by row. */
static enum ts_code
find_pieces(struct uses_work *w, struct ts_err *err)
{
	struct ts_rows_query q = {.columns = {TS_LOWERED_VARIABLE_ID},
		.column_count = 1,
		.range = TS_RANGE_ROWID};
	enum ts_code code = TS_OK;

	for (size_t i = 0; i < w->lives->variables && !code; i++) {
		struct ts_rows *rows;
		int64_t id;
		bool there;

		q.from = w->lives->variable[i].variable;
		if (q.from < 0 || q.from == INT64_MAX)
			continue;
		q.to = q.from + 1;
		code = ts_reader_rows(&rows, w->rd, TS_LOWERED_VARIABLE, &q, err);
		if (code)
			return code;
		code = ts_rows_next(rows, &there, err);
		if (!code && there && ts_rows_number(rows, 0, &id) == TS_VALUE_OK)
			code = add_pair(w, &w->wanted, &w->pairs, (struct pair){id, q.from}, err);
		ts_rows_close(rows);
	}
	return code ? code : sort_pairs(w, &w->wanted, &w->pairs, err);
}

/* A piece that a program names. */
static enum ts_code
take_piece(struct uses_work *w, struct pair p, struct ts_err *err)
{
	const struct pair *pieces = w->wanted.memory;
	enum ts_code code = TS_OK;

	for (size_t i = first_of(&w->wanted, w->pairs, p.a);
		i < w->pairs && pieces[i].a == p.a && !code; i++)
		code = add_pair(w, &w->u->named, &w->u->names, (struct pair){pieces[i].b, p.b},
			err);
	return code;
}

static enum ts_code
read_pieces(struct uses_work *w, struct ts_err *err)
{
	enum ts_code code = find_pieces(w, err), damage;

	if (!code)
		code = read_pairs(w, TS_PROGRAM_VARIABLE, TS_PROGRAM_VARIABLE_LOWERED_VARIABLE,
			TS_PROGRAM_VARIABLE_PROGRAM, take_piece, err);
	damage = code == TS_E_DAMAGED ? code : TS_OK;
	code = code == TS_E_DAMAGED ? TS_OK : code;
	if (!code)
		code = sort_pairs(w, &w->u->named, &w->u->names, err);
	if (!code)
		code = read_runs(w, err);
	return code ? code : damage;
}

static enum ts_code
read_uses(struct ts_uses **out, struct uses_work work,
	enum ts_code (*read)(struct uses_work *, struct ts_err *), struct ts_err *err)
{
	struct uses_work w = work;
	enum ts_code code = missing(w.rd->report, err);

	*out = NULL;
	if (code)
		return code;
	w.u = ts_alloc(1, sizeof(*w.u));
	if (!w.u)
		return ts_err_nomem(err);
	atomic_init(&w.u->holders, 1);
	w.u->pieces = w.lives != NULL;
	code = read(&w, err);
	ts_pile_fini(&w.wanted);
	if (code && code != TS_E_DAMAGED) {
		ts_uses_close(w.u);
		return code;
	}
	*out = w.u;
	return code;
}

enum ts_code
ts_uses_read(struct ts_uses **out, struct ts_reader *rd, const struct ts_cache *cache,
	struct ts_progress *progress, struct ts_err *err)
{
	struct uses_work w = {.rd = rd, .cache = cache, .progress = progress};

	return read_uses(out, w, read_all, err);
}

enum ts_code
ts_uses_read_pieces(struct ts_uses **out, struct ts_reader *rd, const struct ts_lives *lives,
	const struct ts_cache *cache, struct ts_progress *progress, struct ts_err *err)
{
	struct uses_work w = {.rd = rd, .lives = lives, .cache = cache, .progress = progress};

	return read_uses(out, w, read_pieces, err);
}

struct ts_uses *
ts_uses_hold(struct ts_uses *u)
{
	atomic_fetch_add(&u->holders, 1);
	return u;
}

void
ts_uses_close(struct ts_uses *u)
{
	if (!u || atomic_fetch_sub(&u->holders, 1) > 1)
		return;
	ts_pile_fini(&u->named);
	ts_pile_fini(&u->runs);
	free(u);
}

/* --- lifetimes -------------------------------------------------------------------------------- */

struct life_work {
	struct ts_lifetimes *l;
	const struct ts_lives *lives;
	const struct ts_uses *uses;
	size_t room;
	uint32_t *step; /* at which the variable is used */
	size_t steps;
};

static bool
add_piece(struct life_work *w, uint32_t start, uint32_t end)
{
	struct ts_lifetimes *l = w->l;
	void *room = l->piece;

	if (l->pieces == TS_LIFETIME_PIECES) {
		l->cut = true;
		return true;
	}
	if (!ts_room(&room, &w->room, l->pieces, sizeof(*l->piece)))
		return false;
	l->piece = room;
	l->piece[l->pieces++] = (struct ts_live_piece){start, end};
	return true;
}

/* The first life of the variable: lives stand in the order of the variables. */
static size_t
first_life(const struct ts_lives *l, uint32_t variable)
{
	size_t low = 0, high = l->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (l->life[middle].variable < variable)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static int
by_step(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return (x > y) - (x < y);
}

/* Steps at which a program runs that names the variable, in order, each once. False: none does, or too many. */
static bool
find_uses(struct life_work *w, int64_t variable)
{
	const struct ts_uses *u = w->uses;
	const struct pair *named, *runs;
	size_t kept = 0;

	w->steps = 0;
	if (!u || variable < 0 || w->lives->lowered != u->pieces)
		return false;
	named = u->named.memory;
	runs = u->runs.memory;
	for (size_t i = first_of(&u->named, u->names, variable);
		i < u->names && named[i].a == variable; i++)
		for (size_t k = first_of(&u->runs, u->steps, named[i].b);
			k < u->steps && runs[k].a == named[i].b; k++) {
			if (w->steps == USE_STEPS)
				return false;
			if (runs[k].b < UINT32_MAX)
				w->step[w->steps++] = (uint32_t)runs[k].b;
		}
	qsort(w->step, w->steps, sizeof(*w->step), by_step);
	for (size_t i = 0; i < w->steps; i++)
		if (kept == 0 || w->step[kept - 1] != w->step[i])
			w->step[kept++] = w->step[i];
	w->steps = kept;
	return first_of(&u->named, u->names, variable) < u->names &&
		named[first_of(&u->named, u->names, variable)].a == variable;
}

/* Uses inside one life; idle steps between them. */
static bool
count_idle(struct life_work *w, struct ts_lifetime *row, const struct ts_life *life, size_t *at)
{
	uint32_t from = life->start;

	while (*at < w->steps && w->step[*at] < life->start)
		++*at;
	while (*at < w->steps && w->step[*at] < life->end) {
		uint32_t start = w->step[*at], end = start;

		row->longest = ts_max_i64(row->longest, (int64_t)start - from);
		while (*at < w->steps && w->step[*at] == end && end < life->end) {
			end++;
			++*at;
		}
		row->used += end - start;
		from = end;
		if (!add_piece(w, start, end))
			return false;
	}
	row->longest = ts_max_i64(row->longest, (int64_t)life->end - from);
	return true;
}

static bool
make_row(struct life_work *w, struct ts_lifetime *row, uint32_t index)
{
	const struct ts_lives *l = w->lives;
	size_t first = first_life(l, index), at = 0, i;
	bool known;

	*row = (struct ts_lifetime){.variable = l->variable[index].variable,
		.bytes = l->variable[index].bytes,
		.life = (uint32_t)w->l->pieces};
	for (i = first; i < l->count && l->life[i].variable == index; i++) {
		row->steps += (int64_t)l->life[i].end - l->life[i].start;
		if (!add_piece(w, l->life[i].start, l->life[i].end))
			return false;
	}
	row->lives = (uint32_t)w->l->pieces - row->life;
	row->use = (uint32_t)w->l->pieces;
	known = find_uses(w, row->variable);
	for (i = first; known && i < l->count && l->life[i].variable == index; i++)
		if (!count_idle(w, row, &l->life[i], &at))
			return false;
	row->uses = (uint32_t)w->l->pieces - row->use;
	row->idle = known ? row->steps - row->used : TS_UNKNOWN;
	if (!known)
		row->used = row->longest = TS_UNKNOWN;
	return true;
}

enum ts_code
ts_lifetimes_make(struct ts_lifetimes *l, const struct ts_lives *lives, const struct ts_uses *uses,
	const uint32_t *index, int n, const struct ts_cancel *cancel, struct ts_err *err)
{
	struct life_work w = {.l = l, .lives = lives, .uses = uses};
	bool ok;

	*l = (struct ts_lifetimes){0};
	l->row = ts_alloc((size_t)n + 1, sizeof(*l->row));
	w.step = uses ? ts_alloc(USE_STEPS, sizeof(*w.step)) : NULL;
	ok = l->row && (w.step || !uses);
	for (int i = 0; ok && i < n && !ts_cancelled(cancel); i++)
		if (index[i] < lives->variables)
			ok = make_row(&w, &l->row[l->rows++], index[i]);
	free(w.step);
	if (ts_cancelled(cancel))
		return ts_err_set(err, TS_E_CANCELLED, "cancelled");
	return ok ? TS_OK : ts_err_nomem(err);
}

/* --- the idlest --------------------------------------------------------------------------------- */

struct idler {
	uint32_t index;
	bool known;
	double product; /* bytes x idle steps; of one that is not known, its bytes */
};

static int
idlest_first(const void *a, const void *b)
{
	const struct idler *x = a, *y = b;

	if (x->known != y->known)
		return x->known ? -1 : 1;
	if (x->product != y->product)
		return x->product > y->product ? -1 : 1;
	return (x->index > y->index) - (x->index < y->index);
}

/* Idle steps of a variable, whose lives are [from, to). */
static bool
idle_steps(struct life_work *w, uint32_t index, size_t from, size_t to, int64_t *idle)
{
	size_t at = 0;

	*idle = 0;
	if (!find_uses(w, w->lives->variable[index].variable))
		return false;
	for (size_t i = from; i < to; i++) {
		const struct ts_life *life = &w->lives->life[i];

		*idle += (int64_t)life->end - life->start;
		for (; at < w->steps && w->step[at] < life->end; at++)
			*idle -= w->step[at] >= life->start;
	}
	return true;
}

/* All that are alive at the step, the largest first. */
static bool
find_idlers(struct life_work *w, struct idler *idler, size_t *n, int64_t *alive, int64_t step,
	const struct ts_cancel *cancel)
{
	const struct ts_lives *l = w->lives;
	size_t end;

	for (size_t i = 0; i < l->count; i = end) {
		uint32_t index = l->life[i].variable;
		struct idler *one = &idler[*n];
		bool is = false;
		int64_t idle;

		for (end = i; end < l->count && l->life[end].variable == index; end++)
			is |= step >= l->life[end].start && step < l->life[end].end;
		if (!is || index >= l->variables)
			continue;
		++*alive;
		if (*n == TS_LIFETIMES_LOOKED)
			continue;
		if (ts_cancelled(cancel))
			return false;
		one->index = index;
		one->known = idle_steps(w, index, i, end, &idle);
		one->product = (double)l->variable[index].bytes * (one->known ? (double)idle : 1);
		++*n;
	}
	return true;
}

enum ts_code
ts_lifetimes_idlest(uint32_t *index, int *n, int64_t *alive, const struct ts_lives *lives,
	const struct ts_uses *uses, int64_t step, int most, const struct ts_cancel *cancel,
	struct ts_err *err)
{
	struct life_work w = {.lives = lives, .uses = uses};
	size_t room = lives->variables < TS_LIFETIMES_LOOKED ? lives->variables
							     : TS_LIFETIMES_LOOKED,
	       found = 0;
	struct idler *idler = ts_alloc(room + 1, sizeof(*idler));
	bool ok;

	*n = 0;
	*alive = 0;
	w.step = uses ? ts_alloc(USE_STEPS, sizeof(*w.step)) : NULL;
	ok = idler && (w.step || !uses);
	if (ok && find_idlers(&w, idler, &found, alive, step, cancel))
		qsort(idler, found, sizeof(*idler), idlest_first);
	for (; ok && *n < most && (size_t)*n < found; ++*n)
		index[*n] = idler[*n].index;
	free(w.step);
	free(idler);
	if (ts_cancelled(cancel))
		return ts_err_set(err, TS_E_CANCELLED, "cancelled");
	return ok ? TS_OK : ts_err_nomem(err);
}

void
ts_lifetimes_fini(struct ts_lifetimes *l)
{
	free(l->row);
	free(l->piece);
	*l = (struct ts_lifetimes){0};
}

void
ts_lives_find(uint32_t *index, const struct ts_lives *lives, const int64_t *variable, int n)
{
	for (int k = 0; k < n; k++)
		index[k] = UINT32_MAX;
	for (size_t i = 0; i < lives->variables; i++)
		for (int k = 0; k < n; k++)
			if (lives->variable[i].variable == variable[k] && index[k] == UINT32_MAX &&
				lives->variable[i].bytes >= 0)
				index[k] = (uint32_t)i;
}
