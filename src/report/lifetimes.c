/* SPDX-License-Identifier: MIT */
/* lifetimes - see the header. */
#include "config.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "tilescope/base/beside.h"
#include "tilescope/base/mem.h"
#include "tilescope/calc/top.h"

#include "lifetimes_internal.h"

enum { USE_STEPS = 1 << 20 };

/* --- lifetimes -------------------------------------------------------------------------------- */

struct life_work {
	struct ts_lifetimes *l;
	const struct ts_lives *lives;
	const struct ts_uses *uses;
	const struct ts_cache *cache;
	struct ts_err *err;
	uint32_t *step; /* at which the variable is used */
	size_t steps;
};

static enum ts_code
add_piece(struct life_work *w, uint32_t start, uint32_t end)
{
	struct ts_lifetimes *l = w->l;
	struct ts_live_piece piece = {start, end};
	enum ts_code code;

	l->cut |= l->pieces == TS_LIFETIME_PIECES;
	if (l->pieces == TS_LIFETIME_PIECES)
		return TS_OK;
	code = ts_pile_add(&l->pile[1], &piece, sizeof(piece), w->cache, w->err);
	l->pieces += !code;
	return code;
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
	size_t kept = 0, first;

	w->steps = 0;
	if (!u || variable < 0 || w->lives->lowered != u->pieces)
		return false;
	named = u->named.memory;
	runs = u->runs.memory;
	first = pair_first(named, u->names, variable);
	for (size_t i = first; i < u->names && named[i].a == variable; i++)
		for (size_t k = pair_first(runs, u->steps, named[i].b);
			k < u->steps && runs[k].a == named[i].b; k++) {
			if (w->steps == USE_STEPS)
				return false;
			if (runs[k].b < UINT32_MAX)
				w->step[w->steps++] = (uint32_t)runs[k].b;
		}
	if (w->steps > 1)
		qsort(w->step, w->steps, sizeof(*w->step), by_step);
	for (size_t i = 0; i < w->steps; i++)
		if (kept == 0 || w->step[kept - 1] != w->step[i])
			w->step[kept++] = w->step[i];
	w->steps = kept;
	return first < u->names && named[first].a == variable;
}

/* Uses inside one life; idle steps between them. */
static enum ts_code
count_idle(struct life_work *w, struct ts_lifetime *row, const struct ts_life *life, size_t *at)
{
	uint32_t from = life->start;
	enum ts_code code;

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
		code = add_piece(w, start, end);
		if (code)
			return code;
	}
	row->longest = ts_max_i64(row->longest, (int64_t)life->end - from);
	return TS_OK;
}

static enum ts_code
make_row(struct life_work *w, struct ts_lifetime *row, uint32_t index)
{
	const struct ts_lives *l = w->lives;
	size_t first = first_life(l, index), at = 0, i;
	enum ts_code code = TS_OK;
	bool known;

	*row = (struct ts_lifetime){.variable = l->variable[index].variable,
		.bytes = l->variable[index].bytes,
		.index = index,
		.life = (uint32_t)w->l->pieces};
	for (i = first; !code && i < l->count && l->life[i].variable == index; i++) {
		row->steps += (int64_t)l->life[i].end - l->life[i].start;
		code = add_piece(w, l->life[i].start, l->life[i].end);
	}
	row->lives = (uint32_t)w->l->pieces - row->life;
	row->use = (uint32_t)w->l->pieces;
	known = find_uses(w, row->variable);
	for (i = first; !code && known && i < l->count && l->life[i].variable == index; i++)
		code = count_idle(w, row, &l->life[i], &at);
	row->uses = (uint32_t)w->l->pieces - row->use;
	row->idle = known ? row->steps - row->used : TS_UNKNOWN;
	if (!known)
		row->used = row->longest = TS_UNKNOWN;
	return code;
}

enum ts_code
ts_lifetimes_make(struct ts_lifetimes *l, const struct ts_lives *lives, const struct ts_uses *uses,
	const uint32_t *index, int n, const struct ts_cache *cache, const struct ts_cancel *cancel,
	struct ts_err *err)
{
	struct life_work w = {.l = l, .lives = lives, .uses = uses, .cache = cache, .err = err};
	struct ts_lifetime *row;
	enum ts_code code;

	*l = (struct ts_lifetimes){0};
	code = ts_pile_room(&l->pile[0], ((size_t)n + 1) * sizeof(*row), cache, err);
	row = l->pile[0].memory;
	w.step = uses ? ts_alloc(USE_STEPS, sizeof(*w.step)) : NULL;
	if (!code && uses && !w.step)
		code = ts_err_nomem(err);
	for (int i = 0; !code && i < n && !ts_cancelled(cancel); i++)
		if (index[i] < lives->variables)
			code = make_row(&w, &row[l->rows++], index[i]);
	free(w.step);
	l->row = row;
	l->piece = l->pile[1].memory;
	return !code && ts_cancelled(cancel) ? ts_err_set(err, TS_E_CANCELLED, "cancelled") : code;
}

/* --- the idlest --------------------------------------------------------------------------------- */

enum { LIVES_PIECE = 1 << 13, NAMED_BITS = 1 << 24 };

/* What one thread has of it. */
struct idlers {
	struct life_work w;
	struct ts_top top; /* tie: the index */
	int64_t alive;
};

struct idlest {
	const struct ts_lives *lives;
	uint64_t *
		named; /* bits: of a variable that is named the one of its number, cut to `bits` - 1 */
	uint64_t bits; /* a power of two; 0: nothing is known of uses */
	int64_t step;
	const struct ts_cancel *cancel;
	_Atomic size_t next; /* life */
	struct idlers by[TS_BESIDE];
};

/*
 * A number in the order of bytes x idle steps; of a variable of which nothing is known in that of its bytes, below all others.
 * Real numbers that are not negative are in the order of their bits.
 */
static int64_t
place_of(bool known, double product)
{
	int64_t bits;

	memcpy(&bits, &product, sizeof(bits));
	return known ? bits : INT64_MIN + bits;
}

/* Idle steps of a variable, whose lives are [from, to) and have `steps` in all. */
static bool
idle_steps(struct life_work *w, uint32_t index, size_t from, size_t to, int64_t *steps)
{
	size_t at = 0;

	if (!find_uses(w, w->lives->variable[index].variable))
		return false;
	for (size_t i = from; i < to; i++) {
		const struct ts_life *life = &w->lives->life[i];

		for (; at < w->steps && w->step[at] < life->end; at++)
			*steps -= w->step[at] >= life->start;
	}
	return true;
}

/* A bit for each that is named and one or two of others: most that nothing names are not looked up. False: no memory. */
static bool
mark_named(struct idlest *x, const struct ts_uses *uses)
{
	const struct pair *named = uses ? uses->named.memory : NULL;

	if (!uses)
		return true;
	for (x->bits = 64; x->bits < NAMED_BITS && x->bits / 16 < uses->names;)
		x->bits *= 2;
	x->named = ts_alloc((size_t)(x->bits / 64), sizeof(*x->named));
	for (size_t i = 0; x->named && i < uses->names; i++) {
		uint64_t bit = (uint64_t)named[i].a & (x->bits - 1);

		x->named[bit / 64] |= UINT64_C(1) << bit % 64;
	}
	return x->named;
}

static bool
may_be_named(const struct idlest *x, int64_t variable)
{
	uint64_t bit = (uint64_t)variable & (x->bits - 1);

	return x->bits > 0 && (x->named[bit / 64] >> bit % 64 & 1);
}

/* One with lives [from, to), of `steps`. One that would be too little if it were idle all the time is not looked up. */
static void
offer_idler(const struct idlest *x, struct idlers *by, size_t from, size_t to, int64_t steps)
{
	const struct ts_lives *l = by->w.lives;
	uint32_t index = l->life[from].variable;
	double bytes = (double)ts_max_i64(l->variable[index].bytes, 0);
	bool known;

	by->alive++;
	if (!ts_top_takes(&by->top, place_of(true, bytes * (double)steps), index))
		return;
	known = may_be_named(x, l->variable[index].variable) &&
		idle_steps(&by->w, index, from, to, &steps);
	ts_top_offer(&by->top, place_of(known, known ? bytes * (double)steps : bytes), index);
}

/* Variables whose lives begin in [i, end). */
static void
look_at_piece(const struct idlest *x, struct idlers *by, size_t i, size_t end)
{
	const struct ts_lives *l = by->w.lives;

	while (i > 0 && i < end && l->life[i].variable == l->life[i - 1].variable)
		i++;
	while (i < end) {
		uint32_t index = l->life[i].variable;
		size_t from = i;
		int64_t steps = 0;
		bool is = false;

		for (; i < l->count && l->life[i].variable == index; i++) {
			is |= x->step >= l->life[i].start && x->step < l->life[i].end;
			steps += (int64_t)l->life[i].end - l->life[i].start;
		}
		if (is && index < l->variables)
			offer_idler(x, by, from, i, steps);
	}
}

static void
look_at_lives(void *ctx, int who)
{
	struct idlest *x = ctx;
	size_t from, count = x->lives->count;

	while (!ts_cancelled(x->cancel) && (from = atomic_fetch_add(&x->next, LIVES_PIECE)) < count)
		look_at_piece(x, &x->by[who], from,
			count - from < LIVES_PIECE ? count : from + LIVES_PIECE);
}

static bool
begin_idlers(struct idlers *by, const struct ts_lives *lives, const struct ts_uses *uses, int most)
{
	*by = (struct idlers){.w = {.lives = lives, .uses = uses}};
	by->w.step = uses ? ts_alloc(USE_STEPS, sizeof(*by->w.step)) : NULL;
	return ts_top_init(&by->top, most) && (by->w.step || !uses);
}

enum ts_code
ts_lifetimes_idlest(uint32_t *index, int *n, int64_t *alive, const struct ts_lives *lives,
	const struct ts_uses *uses, int64_t step, int most, const struct ts_cancel *cancel,
	struct ts_err *err)
{
	struct idlest x = {.lives = lives, .step = step, .cancel = cancel};
	struct ts_top *top = &x.by[0].top;
	bool ok = mark_named(&x, uses);

	*n = 0;
	*alive = 0;
	for (int i = 0; i < TS_BESIDE; i++)
		ok &= begin_idlers(&x.by[i], lives, uses, most);
	if (ok && lives->count > LIVES_PIECE)
		ts_beside(look_at_lives, &x);
	else if (ok)
		look_at_lives(&x, 0);
	for (int i = 0; ok && i < TS_BESIDE; i++) {
		*alive += x.by[i].alive;
		for (int k = 0; i > 0 && k < x.by[i].top.count; k++)
			ts_top_offer(top, x.by[i].top.entry[k].value, x.by[i].top.entry[k].tie);
	}
	if (ok)
		ts_top_sort(top);
	for (; ok && *n < top->count; ++*n)
		index[*n] = (uint32_t)top->entry[*n].tie;
	for (int i = 0; i < TS_BESIDE; i++) {
		ts_top_fini(&x.by[i].top);
		free(x.by[i].w.step);
	}
	free(x.named);
	if (ts_cancelled(cancel))
		return ts_err_set(err, TS_E_CANCELLED, "cancelled");
	return ok ? TS_OK : ts_err_nomem(err);
}

void
ts_lifetimes_fini(struct ts_lifetimes *l)
{
	for (size_t i = 0; i < TS_COUNT(l->pile); i++)
		ts_pile_fini(&l->pile[i]);
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
