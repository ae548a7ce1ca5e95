/* SPDX-License-Identifier: MIT */
/*
 * peaks - prominence in one pass.
 *
 * A stack holds the maxima whose higher ground to the right was not met yet; from the bottom up they
 * never rise. Each knows the lowest value between itself and the higher one below it in the stack (its
 * way to the left), `valley` is the lowest value since the top one. A new maximum that is higher than
 * the top settles it: its way to the right was that valley, its prominence is what it has above the
 * higher of its two ways. Every maximum is pushed and popped once.
 */
#include "config.h"

#include <stdbool.h>
#include <stdlib.h>

#include "tilescope/base/mem.h"
#include "tilescope/calc/peaks.h"

enum { NO_WAY = -1 }; /* values are 0 or more */

struct pending {
	size_t at;
	int64_t height, left; /* left: lowest value on the way to higher ground, or NO_WAY */
};

struct search {
	struct ts_peaks *peaks;
	size_t cap;
	struct pending *stack;
	size_t depth, stack_cap;
	int64_t lowest;	 /* of all values */
	int64_t valley;	 /* lowest value since the top of the stack */
	double at_least; /* prominence */
};

/* What is known of the top's surroundings is all that there is: keep it if it stands out. */
static bool
settle(struct search *s, int64_t right)
{
	const struct pending *p = &s->stack[--s->depth];
	int64_t way = p->left > right ? p->left : right;
	int64_t prominence = p->height - (way == NO_WAY ? s->lowest : way);
	void *room = s->peaks->peak;

	s->valley = p->left != NO_WAY && p->left < s->valley ? p->left : s->valley;
	if ((double)prominence < s->at_least)
		return true;
	if (!ts_room(&room, &s->cap, s->peaks->count, sizeof(*s->peaks->peak)))
		return false;
	s->peaks->peak = room;
	s->peaks->peak[s->peaks->count++] = (struct ts_found_peak){p->at, p->height, prominence};
	return true;
}

static bool
push(struct search *s, size_t at, int64_t height)
{
	void *room;

	while (s->depth > 0 && s->stack[s->depth - 1].height < height)
		if (!settle(s, s->valley))
			return false;
	room = s->stack;
	if (!ts_room(&room, &s->stack_cap, s->depth, sizeof(*s->stack)))
		return false;
	s->stack = room;
	s->stack[s->depth] = (struct pending){at, height, s->depth > 0 ? s->valley : NO_WAY};
	s->depth++;
	s->valley = height;
	return true;
}

/* All maxima of the series, plateau by plateau. */
static bool
walk(struct search *s, const int64_t *v, size_t n)
{
	size_t end;

	s->valley = v[0];
	for (size_t i = 0; i < n; i = end) {
		for (end = i + 1; end < n && v[end] == v[i]; end++)
			;
		s->valley = v[i] < s->valley ? v[i] : s->valley;
		if ((i == 0 || v[i - 1] < v[i]) && (end == n || v[end] < v[i]) && !push(s, i, v[i]))
			return false;
	}
	while (s->depth > 0)
		if (!settle(s, NO_WAY))
			return false;
	return true;
}

static int
highest_first(const void *a, const void *b)
{
	const struct ts_found_peak *x = a, *y = b;

	if (x->height != y->height)
		return x->height > y->height ? -1 : 1;
	return (x->at > y->at) - (x->at < y->at);
}

enum ts_code
ts_peaks_find(struct ts_peaks *peaks, const int64_t *v, size_t n, double share, size_t max,
	struct ts_err *err)
{
	struct search s = {.peaks = peaks};
	int64_t highest;
	bool ok;

	*peaks = (struct ts_peaks){0};
	if (n == 0)
		return TS_OK;
	s.lowest = highest = v[0];
	for (size_t i = 1; i < n; i++) {
		s.lowest = v[i] < s.lowest ? v[i] : s.lowest;
		highest = v[i] > highest ? v[i] : highest;
	}
	s.at_least = share * (double)(highest - s.lowest);
	ok = walk(&s, v, n);
	free(s.stack);
	if (!ok)
		return ts_err_nomem(err);
	qsort(peaks->peak, peaks->count, sizeof(*peaks->peak), highest_first);
	peaks->found = peaks->count;
	peaks->count = peaks->count < max ? peaks->count : max;
	return TS_OK;
}

void
ts_peaks_fini(struct ts_peaks *peaks)
{
	free(peaks->peak);
	*peaks = (struct ts_peaks){0};
}

ptrdiff_t
ts_peaks_rank(const struct ts_peaks *peaks, size_t at)
{
	for (size_t i = 0; i < peaks->count; i++)
		if (peaks->peak[i].at == at)
			return (ptrdiff_t)i;
	return -1;
}
