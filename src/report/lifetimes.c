/* SPDX-License-Identifier: MIT */
/* lifetimes - see the header. */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "tilescope/base/mem.h"

#include "lifetimes_internal.h"

enum { USE_STEPS = 1 << 20 };

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
	qsort(w->step, w->steps, sizeof(*w->step), by_step);
	for (size_t i = 0; i < w->steps; i++)
		if (kept == 0 || w->step[kept - 1] != w->step[i])
			w->step[kept++] = w->step[i];
	w->steps = kept;
	return first < u->names && named[first].a == variable;
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
