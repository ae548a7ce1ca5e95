/* SPDX-License-Identifier: MIT */
/* variable_next - the next hit of a search in a list of variables, in a few milliseconds. */
#include "config.h"

#include <string.h>

#include "variable_quick_internal.h"

#include "tilescope/base/mem.h"

/* Is x nearer than y, going in this direction from `from`, which comes last? */
static bool
is_nearer(const struct keyed *x, const struct keyed *y, const struct keyed *from, int by)
{
	bool around_x = quick_compare(x, from) * by <= 0,
	     around_y = quick_compare(y, from) * by <= 0;

	return around_x != around_y ? around_y : quick_compare(x, y) * by < 0;
}

/* Where a row of the list stands in it; -1: the order is not what it says. */
static int64_t
position_of(struct quick *f, const struct ts_variable_list *l, int column, const struct keyed *k)
{
	int64_t low = 0, high = l->count;

	if (l->natural)
		return ts_variable_list_find(l, k->place, NULL);
	while (high - low > 1) {
		int64_t middle = low + (high - low) / 2;
		struct keyed at = quick_key_row(f, l, column, ts_variable_list_place(l, middle));

		if (quick_compare(&at, k) <= 0)
			low = middle;
		else
			high = middle;
	}
	return ts_variable_list_place(l, low) == k->place ? low : -1;
}

/* Along the list. *all: it was gone through, and there is none. */
static bool
walk_list(struct quick *f, const struct ts_variable_list *l, int64_t position, int by, int64_t *at,
	bool *all)
{
	int64_t place[TS_COLUMN_GATHER], where[TS_COLUMN_GATHER];

	for (int64_t i = 0; i < l->count && !f->a.untrue;) {
		int n = (int)ts_min_i64(TS_COLUMN_GATHER, l->count - i);
		uint64_t pass;

		if (quick_is_late(f))
			return false;
		for (int k = 0; k < n; k++) {
			position += by;
			position = position >= l->count ? 0
				: position < 0		? l->count - 1
							: position;
			where[k] = position;
			place[k] = ts_variable_list_place(l, position);
		}
		pass = quick_which_pass(f, place, n);
		if (pass && !f->a.untrue) {
			*at = where[__builtin_ctzll(pass)];
			return true;
		}
		i += n;
	}
	*all = !f->a.untrue;
	return false;
}

/* Of the rows that pass. */
static void
nearest(struct quick *f, struct ts_variable_next *out, const struct ts_variable_list *l, int column,
	int64_t position, int by)
{
	const int64_t *place = f->place.memory;
	struct keyed from = quick_key_row(f, l, column, ts_variable_list_place(l, position)),
		     best = {0}, k[TS_COLUMN_GATHER];
	bool found = false;

	for (int64_t i = 0; i < quick_places(f); i += TS_COLUMN_GATHER) {
		int n = (int)ts_min_i64(TS_COLUMN_GATHER, quick_places(f) - i);

		quick_key_rows(k, f, l, column, place + i, n);
		for (int j = 0; j < n; j++) {
			if (!ts_variable_list_has(l, k[j].place) ||
				(found && !is_nearer(&k[j], &best, &from, by)))
				continue;
			best = k[j];
			found = true;
		}
	}
	if (found)
		out->at = position_of(f, l, column, &best);
	out->none = quick_places(f) == 0;
	out->done = !f->a.untrue && (!found || out->at >= 0);
}

/* How far it is to position x from `position`, going forwards and around. */
static int64_t
distance(int64_t x, int64_t position, int64_t count)
{
	return x > position ? x - position : x - position + count;
}

/*
 * Forwards in an order of all rows that says where each name begins: of names that begin behind the position the first
 * place is enough. Only rows of those that have begun before are looked for, where few enough have such a name.
 */
static enum ts_code
seek_names(struct quick *f, struct ts_variable_next *out, const struct ts_variable_list *l,
	int column, int64_t position, int64_t us, struct ts_err *err)
{
	bool reverse = atomic_load(&l->reverse);
	const uint32_t *begin = l->begin[reverse];
	int64_t next = -1, rows = 0, at;
	enum ts_code code = TS_OK;

	f->place.used = 0;
	quick_set_bound(f, us);
	for (int64_t i = 0; i < l->names && next < 0 && !code; i++) {
		if (i % QUICK_LOOK == 0 && quick_is_late(f))
			return TS_OK; /* there are other ways */
		if (!quick_will_do(f, begin[i]))
			continue;
		at = quick_begins_at(f, l, reverse, begin[i]);
		if (at < 0)
			break;
		if (at > position) {
			next = at;
			break;
		}
		rows += quick_rows_named(f, begin[i]);
		if (rows > QUICK_FULL)
			return TS_OK;
		code = quick_take_rows_named(f, begin[i], err);
	}
	if (code || !quick_is_sure(f)) {
		f->over = false;
		return code;
	}
	nearest(f, out, l, column, position, 1);
	out->none = out->none && next < 0;
	if (next < 0 || (out->at >= 0 && distance(out->at, position, l->count) < next - position))
		return TS_OK;
	out->at = next;
	out->done = true;
	return TS_OK;
}

static enum ts_code
find_next(struct quick *f, struct ts_variable_next *out, const struct ts_variable_list *l,
	int64_t position, int by, struct ts_err *err)
{
	bool all = false, none = false, named;
	enum ts_code code = TS_OK;
	int column;

	quick_set_bound(f, QUICK_GLANCE_US);
	out->done = walk_list(f, l, position, by, &out->at, &all);
	if (out->done || f->a.untrue || !variable_columns_sort(&column, &f->a.c, l->sort))
		return TS_OK;
	named = f->alone && by > 0 && l->filter.count == 0 && f->by_name && quick_knows_names(f, l);
	if (named && (f->bits || quick_has_many_names(f)))
		code = seek_names(f, out, l, column, position, QUICK_ASK_US, err);
	if (!f->bits && !code && !out->done)
		code = quick_look_at_names(f, &none, err);
	if (!code && f->many && !f->late && named)
		code = seek_names(f, out, l, column, position, QUICK_WALK_US, err);
	if (!code && f->many && !f->late && !out->done) {
		quick_set_bound(f, QUICK_WALK_US);
		out->done = walk_list(f, l, position, by, &out->at, &all);
	}
	if (code || out->done || f->late)
		return code;
	if (none)
		f->place.used = 0;
	else
		code = quick_take_all(f, err);
	if (!code && quick_is_sure(f))
		nearest(f, out, l, column, position, by);
	return code;
}

enum ts_code
ts_variable_list_seek(struct ts_variable_next *out, const struct ts_variable_list *l,
	struct ts_variable_list *hits, const struct ts_variable_list *by_name, int64_t position,
	int by, struct ts_reader *rd, const struct ts_cancel *cancel, struct ts_err *err)
{
	enum ts_code code = TS_OK;
	struct quick *f = NULL;

	*out = (struct ts_variable_next){.at = -1};
	if (atomic_load(&l->ready) && position >= 0 && position < l->count)
		code = quick_begin(&f, hits, by_name, rd, cancel, err);
	if (!code && f) {
		f->bits = atomic_load_explicit(&hits->ready, memory_order_acquire) ? hits : NULL;
		code = find_next(f, out, l, position, by, err);
	}
	return quick_finish(f, code, out->done, err);
}
