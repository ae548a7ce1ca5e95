/* SPDX-License-Identifier: MIT */
/*
 * variable_list - positions and places; see the header. How a list is made: variable_pass.c.
 *
 * A filter is a bit for each place, with the number of set bits before every block: the k-th match is
 * a bisection of the blocks and a look into one. While bits are still being written only whole blocks
 * are looked at, and `whole` says how far these go.
 */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "tilescope/base/mem.h"
#include "tilescope/report/variable_list.h"

enum { WORD = 64, LOOK = 1 << 16 /* positions between looks at the token */ };

static const struct {
	const char *name;
	int field; /* -1 = none */
	bool falls;
} sorts[TS_SORT_COUNT] = {
	[TS_SORT_ROW] = {"row", -1, false},
	[TS_SORT_BYTES] = {"bytes", TS_VARIABLE_FIELD_BYTES, true},
	[TS_SORT_NAME] = {"name", TS_VARIABLE_FIELD_NAME, false},
	[TS_SORT_TILE] = {"tile", TS_VARIABLE_FIELD_TILE, false},
	[TS_SORT_CATEGORY] = {"category", TS_VARIABLE_FIELD_CATEGORY, false},
	[TS_SORT_TYPE] = {"type", TS_VARIABLE_FIELD_TYPE, false},
	[TS_SORT_OFFSET] = {"offset", TS_VARIABLE_FIELD_OFFSET, false},
	[TS_SORT_ALIGNMENT] = {"alignment", TS_VARIABLE_FIELD_ALIGNMENT, true},
	[TS_SORT_ALWAYS] = {"always", TS_VARIABLE_FIELD_ALWAYS, true},
	[TS_SORT_FROM] = {"from", TS_VARIABLE_FIELD_FROM, false},
	[TS_SORT_TO] = {"to", TS_VARIABLE_FIELD_TO, false},
	[TS_SORT_STEPS] = {"steps", TS_VARIABLE_FIELD_STEPS, true},
	[TS_SORT_TILES] = {"tiles", TS_VARIABLE_FIELD_TILES, true},
	[TS_SORT_FULLEST] = {"fullest", TS_VARIABLE_FIELD_FULLEST, true},
	[TS_SORT_BALANCE] = {"balance", TS_VARIABLE_FIELD_BALANCE, false},
	[TS_SORT_ID] = {"id", TS_VARIABLE_FIELD_ID, false},
	[TS_SORT_VARIABLE] = {"variable", TS_VARIABLE_FIELD_VARIABLE, false},
	[TS_SORT_CLASS] = {"class", TS_VARIABLE_FIELD_CLASS, false},
};

const char *
ts_variable_sort_name(enum ts_variable_sort sort)
{
	return sorts[sort].name;
}

int
ts_variable_sort_find(const char *name)
{
	for (int i = 0; i < TS_SORT_COUNT; i++)
		if (strcmp(sorts[i].name, name) == 0)
			return i;
	return -1;
}

int
ts_variable_sort_of(int field)
{
	for (int i = 0; i < TS_SORT_COUNT && field >= 0; i++)
		if (sorts[i].field == field)
			return i;
	return -1;
}

int
ts_variable_sort_field(enum ts_variable_sort sort)
{
	return sorts[sort].field;
}

bool
ts_variable_sort_falls(enum ts_variable_sort sort)
{
	return sorts[sort].falls;
}

bool
ts_variable_sort_can(const struct ts_variables *v, enum ts_variable_sort sort)
{
	return sorts[sort].field < 0 ||
		ts_variable_field_can(v, (enum ts_variable_field)sorts[sort].field);
}

void
ts_variable_sorts(struct ts_strbuf *out, const struct ts_variables *v)
{
	for (int i = 0; i < TS_SORT_COUNT; i++)
		if (ts_variable_sort_can(v, (enum ts_variable_sort)i))
			ts_strbuf_printf(out, "%s%s", i > 0 ? ", " : "", sorts[i].name);
}

/* --- life ------------------------------------------------------------------------------------- */

struct ts_variable_list *
ts_variable_list_new(struct ts_variables *v, enum ts_variable_sort sort, bool reverse,
	const struct ts_filter *filter)
{
	struct ts_variable_list *l = ts_alloc(1, sizeof(*l));

	if (!l)
		return NULL;
	atomic_init(&l->uses, 1);
	l->v = ts_variables_hold(v);
	l->sort = sort;
	atomic_init(&l->reverse, reverse);
	if (filter)
		l->filter = *filter;
	if (sort == TS_SORT_ROW && l->filter.count == 0 && ts_variables_placed(v)) {
		l->natural = true;
		l->partial = v->partial;
		l->count = l->known = v->rows;
		atomic_store(&l->found, v->rows);
		atomic_store(&l->bytes, TS_UNKNOWN);
		atomic_store(&l->ready, true);
	}
	return l;
}

bool
ts_variable_list_select(struct ts_variable_list *l, const struct ts_tile_set *selected)
{
	return !selected || selected->tiles == 0 ||
		ts_tile_set_copy(&l->selected, selected, selected->tiles);
}

struct ts_variable_list *
ts_variable_list_hold(struct ts_variable_list *l)
{
	atomic_fetch_add(&l->uses, 1);
	return l;
}

void
ts_variable_list_release(struct ts_variable_list *l)
{
	struct ts_variable_top *top;

	if (!l || atomic_fetch_sub(&l->uses, 1) != 1)
		return;
	for (top = atomic_load(&l->top); top;) {
		struct ts_variable_top *older = top->older;

		free(top);
		top = older;
	}
	ts_tile_set_fini(&l->selected);
	ts_pile_fini(&l->bit);
	ts_pile_fini(&l->before);
	ts_pile_fini(&l->made);
	ts_index_release(l->index);
	ts_variables_release(l->v);
	free(l);
}

/* --- bits ------------------------------------------------------------------------------------- */

static bool
bit_at(const struct ts_variable_list *l, int64_t place)
{
	const uint64_t *word = l->bit.memory;

	return word[place / WORD] >> (place % WORD) & 1;
}

/* The place of the k-th set bit (from 0) among the first `rows` places, which hold more than k. */
static int64_t
select_bit(const struct ts_variable_list *l, int64_t k, int64_t rows)
{
	const uint64_t *before = l->before.memory, *word = l->bit.memory;
	int64_t low = 0, high = (rows + TS_VARIABLE_BLOCK - 1) / TS_VARIABLE_BLOCK, at;
	uint64_t left, w;

	while (high - low > 1) { /* before[low] <= k */
		int64_t middle = low + (high - low) / 2;

		if (before[middle] <= (uint64_t)k)
			low = middle;
		else
			high = middle;
	}
	left = (uint64_t)k - before[low];
	for (at = low * (TS_VARIABLE_BLOCK / WORD); at * WORD < rows; at++) {
		uint64_t n = (uint64_t)__builtin_popcountll(word[at]);

		if (left < n)
			break;
		left -= n;
	}
	if (at * WORD >= rows)
		return -1;
	for (w = word[at]; left > 0; left--)
		w &= w - 1;
	return at * WORD + __builtin_ctzll(w);
}

/* Set bits before a place. */
static int64_t
rank_bit(const struct ts_variable_list *l, int64_t place)
{
	const uint64_t *before = l->before.memory, *word = l->bit.memory;
	int64_t block = place / TS_VARIABLE_BLOCK, rank = (int64_t)before[block];

	for (int64_t at = block * (TS_VARIABLE_BLOCK / WORD); at < place / WORD; at++)
		rank += __builtin_popcountll(word[at]);
	if (place % WORD)
		rank += __builtin_popcountll(
			word[place / WORD] & ((UINT64_C(1) << (place % WORD)) - 1));
	return rank;
}

/* --- positions -------------------------------------------------------------------------------- */

static bool
is_ready(const struct ts_variable_list *l)
{
	return atomic_load_explicit(&l->ready, memory_order_acquire);
}

int64_t
ts_variable_list_count(const struct ts_variable_list *l)
{
	const struct ts_variable_top *top;

	if (is_ready(l))
		return l->count;
	top = atomic_load_explicit(&l->top, memory_order_acquire);
	if (top)
		return top->count;
	return atomic_load_explicit(&l->marked, memory_order_acquire)
		? atomic_load_explicit(&l->whole_found, memory_order_acquire)
		: 0;
}

/* Positions are read from the end of what is known; the unknown stay where they are. */
static int64_t
turn(const struct ts_variable_list *l, int64_t position)
{
	return atomic_load(&l->reverse) && position < l->known ? l->known - 1 - position : position;
}

static int64_t
ordered(const struct ts_variable_list *l, int64_t position)
{
	int64_t place = l->width == 4 ? (int64_t)((const uint32_t *)l->order)[position]
				      : (int64_t)((const uint64_t *)l->order)[position];

	return place >= 0 && place < l->v->rows ? place : -1;
}

int64_t
ts_variable_list_place(const struct ts_variable_list *l, int64_t position)
{
	const struct ts_variable_top *top;

	if (position < 0 || position >= ts_variable_list_count(l))
		return -1;
	if (is_ready(l)) {
		position = turn(l, position);
		if (!l->natural)
			return ordered(l, position);
		return l->bit.memory ? select_bit(l, position, l->v->rows) : position;
	}
	top = atomic_load_explicit(&l->top, memory_order_acquire);
	if (top)
		return position < top->count ? top->place[position] : -1;
	return select_bit(l, position, atomic_load_explicit(&l->whole, memory_order_acquire));
}

bool
ts_variable_list_is_untrue(const struct ts_variable_list *l, int64_t position)
{
	return is_ready(l) && l->index && position >= 0 && position < l->count &&
		ts_variable_list_place(l, position) < 0;
}

bool
ts_variable_list_has(const struct ts_variable_list *l, int64_t place)
{
	if (place < 0 || place >= l->v->rows)
		return false;
	if (!is_ready(l) &&
		(!atomic_load_explicit(&l->marked, memory_order_acquire) ||
			place >= atomic_load_explicit(&l->whole, memory_order_acquire)))
		return false;
	return l->bit.memory ? bit_at(l, place) : true;
}

int64_t
ts_variable_list_common(const struct ts_variable_list *a, const struct ts_variable_list *b)
{
	const uint64_t *x = a->bit.memory, *y = b->bit.memory;
	int64_t n = 0;

	if (!x || !y)
		return x ? a->count : b->count;
	for (int64_t w = 0; w * WORD < a->v->rows; w++)
		n += __builtin_popcountll(x[w] & y[w]);
	return n;
}

int64_t
ts_variable_list_find(const struct ts_variable_list *l, int64_t place,
	const struct ts_cancel *cancel)
{
	int64_t position = -1;

	if (!is_ready(l) || !ts_variable_list_has(l, place))
		return -1;
	if (l->natural) {
		position = l->bit.memory ? rank_bit(l, place) : place;
	} else {
		for (int64_t i = 0; i < l->count && position < 0; i++) {
			if (i % LOOK == 0)
				ts_pile_rest(&l->made);
			if (i % LOOK == 0 && ts_cancelled(cancel))
				return -1;
			if (ordered(l, i) == place)
				position = i;
		}
	}
	return position < 0 || position >= l->count ? -1 : turn(l, position);
}

/* --- the next hit ----------------------------------------------------------------------------- */

/* Rows that are read at a time where it is not known yet whether they match. */
enum { BATCH_FIRST = 64, BATCH_MOST = 2048 };

struct seeking {
	const struct ts_variable_list *l, *hits;
	struct ts_reader *rd;
	int64_t count, position;
	int by, batch;
	int64_t place[BATCH_MOST];
	struct ts_variable_window w;
	struct ts_variable_asking asking; /* `hits` is not ready */
};

static bool
knows(const struct ts_variable_list *l, int64_t place)
{
	return is_ready(l) ||
		(atomic_load_explicit(&l->marked, memory_order_acquire) &&
			place < atomic_load_explicit(&l->whole, memory_order_acquire));
}

static int64_t
beyond(const struct seeking *s, int64_t position)
{
	position += s->by;
	return position >= s->count ? 0 : position < 0 ? s->count - 1 : position;
}

/*
 * Read the rows from s->position on, at most `left` of them and not around the end; *n: how many. *hit: the
 * first that matches, or -1.
 */
static enum ts_code
read_batch(struct seeking *s, int64_t left, int *n, int *hit, bool *gap, struct ts_err *err)
{
	int64_t room = s->by > 0 ? s->count - s->position : s->position + 1;
	enum ts_code code;

	*hit = -1;
	*n = (int)ts_min_i64(s->batch, ts_min_i64(left, room));
	for (int i = 0; i < *n; i++)
		s->place[i] = ts_variable_list_place(s->l, s->position + (int64_t)i * s->by);
	ts_variable_window_fini(&s->w);
	code = ts_variables_read(&s->w, s->rd, s->l->v, s->place, *n, NULL, err);
	*gap = s->w.gap;
	for (int i = 0; !code && i < *n && *hit < 0; i++)
		if (ts_variable_filter_row(&s->asking, &s->w, &s->w.row[i]))
			*hit = i;
	s->batch = s->batch < BATCH_MOST / 2 ? s->batch * 2 : BATCH_MOST;
	return code;
}

static enum ts_code
seek(int64_t *at, struct seeking *s, bool *gap, const struct ts_cancel *cancel,
	struct ts_progress *progress, struct ts_err *err)
{
	enum ts_code code;
	int n = 1, hit;

	for (int64_t done = 0; done < s->count; done += n) {
		int64_t place = ts_variable_list_place(s->l, s->position);

		if ((done % LOOK == 0 || n > 1) && ts_cancelled(cancel))
			return ts_err_set(err, TS_E_CANCELLED, "cancelled");
		n = 1;
		hit = -1;
		if (knows(s->hits, place)) {
			hit = ts_variable_list_has(s->hits, place) ? 0 : -1;
		} else {
			code = read_batch(s, s->count - done, &n, &hit, gap, err);
			ts_progress_set(progress, done, s->count);
			if (code || *gap)
				return code;
		}
		if (hit >= 0) {
			*at = s->position + (int64_t)hit * s->by;
			return TS_OK;
		}
		s->position = beyond(s, s->position + (int64_t)(n - 1) * s->by);
	}
	return TS_OK;
}

enum ts_code
ts_variable_list_next(int64_t *at, const struct ts_variable_list *l,
	const struct ts_variable_list *hits, int64_t position, int by, bool *gap,
	struct ts_reader *rd, const struct ts_cancel *cancel, struct ts_progress *progress,
	struct ts_err *err)
{
	struct seeking *s = ts_alloc(1, sizeof(*s));
	enum ts_code code;

	*at = -1;
	*gap = false;
	if (!s)
		return ts_err_nomem(err);
	s->l = l;
	s->hits = hits;
	s->rd = rd;
	s->by = by;
	s->batch = BATCH_FIRST;
	s->count = ts_variable_list_count(l);
	s->position = beyond(s, position);
	code = is_ready(hits) ? TS_OK
			      : ts_variable_asking_init(&s->asking, &hits->filter, hits->v,
					&hits->selected, rd, progress, err);
	if (!code && s->count > 0)
		code = seek(at, s, gap, cancel, progress, err);
	if (!code && s->asking.v)
		code = ts_filter_use_check(&s->asking.use, err);
	if (!code && *gap)
		code = ts_err_set(err, TS_E_STALE, "rows have to be counted first");
	ts_variable_window_fini(&s->w);
	ts_variable_asking_fini(&s->asking);
	free(s);
	return code;
}
