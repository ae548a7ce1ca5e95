/* SPDX-License-Identifier: MIT */
/*
 * variable_order - from what rows are sorted by to their order, in time that grows with the rows.
 *
 * Codes are whole numbers (bytes, tiles, ranks of names): they are sorted by counting, few bits at a
 * time, with the place beside the key: so a round reads and writes in two thousand places that move forwards,
 * and what lies behind them need not stay in memory (ts_pile_rest). Equals stay as they stand. Everything
 * that grows with the rows is a pile.
 */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "variable_internal.h"

#include "tilescope/base/mem.h"
#include "tilescope/report/index_columns.h"
#include "tilescope/report/index_variables.h"

enum {
	DIGIT = 11,	      /* bits of a round at most */
	LOOK = 1 << 18,	      /* elements between looks at the token */
	SHOW_LEAST = 1 << 16, /* rows until the first rows are shown again, */
	SHOW_TIMES = 20,      /* and so many times at most */
	PIECE = 4 << 20,      /* bytes between looks at the token; a multiple of 8 */
};

/* Does the order begin with the largest code? */
static bool
largest_first(const struct variable_pass *p)
{
	return ts_variable_sort_falls(p->l->sort);
}

/* --- codes ------------------------------------------------------------------------------------ */

/* A code that four bytes do not hold: all of them take eight from now on. */
static enum ts_code
widen(struct variable_pass *p, struct ts_err *err)
{
	struct ts_pile wide = {0};
	enum ts_code code = ts_pile_room(&wide, ts_max_i64((int64_t)p->code.room, 4096) * 2,
		p->l->v->cache, err);

	if (code)
		return code;
	for (int64_t i = 0; i < p->codes; i++) {
		((uint64_t *)wide.memory)[i] = variable_code(p, i);
		if (i % VARIABLE_REST == 0) {
			ts_pile_rest(&p->code);
			ts_pile_rest(&wide);
		}
	}
	wide.used = (size_t)p->codes * 8;
	ts_pile_fini(&p->code);
	p->code = wide;
	p->code_width = 8;
	return TS_OK;
}

/* Append an element; the quick way where there is room. */
static enum ts_code
append(struct variable_pass *p, struct ts_pile *pile, int width, uint64_t v, struct ts_err *err)
{
	uint32_t narrow = (uint32_t)v;

	if (pile->room - pile->used >= (size_t)width) {
		variable_put(pile->memory, width, (int64_t)(pile->used / (size_t)width), v);
		pile->used += (size_t)width;
		return TS_OK;
	}
	return ts_pile_add(pile, width == 4 ? (const void *)&narrow : (const void *)&v,
		(size_t)width, p->l->v->cache, err);
}

enum ts_code
variable_code_add(struct variable_pass *p, uint64_t v, int64_t place, struct ts_err *err)
{
	enum ts_code code = TS_OK;

	if (v == VARIABLE_UNKNOWN) {
		p->unknown++;
	} else {
		p->max = v > p->max ? v : p->max;
		p->falls |= v < p->last || p->unknown > 0;
		p->last = v;
		if (v >= UINT32_MAX && p->code_width == 4)
			code = widen(p, err);
	}
	if (!code)
		code = append(p, &p->code, p->code_width, v, err);
	if (!code && p->l->filter.count > 0)
		code = append(p, &p->place, p->place_width, (uint64_t)place, err);
	p->codes += !code;
	return code;
}

/* --- the first rows so far ---------------------------------------------------------------------- */

/* Texts that have no ranks yet: below 0 when a comes first, forwards. */
static int
compare_texts(const struct variable_pass *p, const struct variable_first *a,
	const struct variable_first *b)
{
	const struct ts_dictionary *d = p->heap.text;
	int c = a->key == b->key ? 0 : ts_dictionary_compare(d, (uint32_t)a->key, (uint32_t)b->key);

	return p->reverse ? -c : c;
}

static bool
is_before(const struct variable_pass *p, const struct variable_first *a,
	const struct variable_first *b)
{
	int c = p->heap.text ? compare_texts(p, a, b) : 0;

	if (c != 0)
		return c < 0;
	if (!p->heap.text && a->key != b->key)
		return a->key > b->key;
	return p->reverse ? a->place > b->place : a->place < b->place;
}

static void
sink(const struct variable_pass *p, struct variable_first *x, int n, int i)
{
	for (;;) {
		int child = 2 * i + 1;
		struct variable_first t;

		if (child >= n)
			return;
		if (child + 1 < n && is_before(p, &x[child], &x[child + 1]))
			child++;
		if (!is_before(p, &x[i], &x[child]))
			return;
		t = x[i];
		x[i] = x[child];
		x[child] = t;
		i = child;
	}
}

static void
rise(const struct variable_pass *p, struct variable_first *x, int i)
{
	while (i > 0 && is_before(p, &x[(i - 1) / 2], &x[i])) {
		struct variable_first t = x[i];

		x[i] = x[(i - 1) / 2];
		x[(i - 1) / 2] = t;
		i = (i - 1) / 2;
	}
}

void
variable_heap_add(struct variable_pass *p, uint64_t code, int64_t place)
{
	struct variable_heap *h = &p->heap;
	bool as_it_is = h->text || largest_first(p) != p->reverse;
	struct variable_first x = {as_it_is ? code : ~code, place};

	if (h->count < TS_VARIABLE_TOP) {
		h->first[h->count] = x;
		rise(p, h->first, h->count++);
	} else if (is_before(p, &x, &h->first[0])) {
		h->first[0] = x;
		sink(p, h->first, h->count, 0);
	}
}

void
variable_top_publish(struct ts_variable_list *l, struct ts_variable_top *top)
{
	top->older = atomic_load(&l->top);
	atomic_store_explicit(&l->top, top, memory_order_release);
	atomic_fetch_add(&l->version, 1);
}

void
variable_heap_know(struct variable_pass *p)
{
	const struct ts_variables *v = p->l->v;
	struct ts_index_variables x;
	struct ts_variable_top *top;

	if (!v->lowered || p->l->sort != TS_SORT_BYTES || p->reverse || p->l->filter.count > 0 ||
		v->range != TS_RANGE_ROWID || v->anchor.used > 0 ||
		!ts_index_variables(&x, p->rd->index) || x.largest == 0)
		return;
	top = ts_alloc(1, sizeof(*top));
	if (!top)
		return;
	for (size_t i = 0; i < x.largest && i < TS_VARIABLE_TOP; i++) {
		uint64_t place = (uint64_t)x.large[i].row - (uint64_t)v->first;

		if (v->rows > 0 && place < (uint64_t)v->rows) /* else the section is not true */
			top->place[top->count++] = (int64_t)place;
	}
	p->heap.used = false; /* nothing better comes */
	variable_top_publish(p->l, top);
}

/* A copy in order, for whoever looks at the list. Without memory the old one stays. */
void
variable_heap_show(struct variable_pass *p)
{
	struct variable_heap *h = &p->heap;
	struct ts_variable_top *top;
	struct variable_first *x;

	if (h->count == 0)
		return;
	h->next = p->scanned + ts_max_i64(SHOW_LEAST, p->l->v->rows / SHOW_TIMES);
	top = ts_alloc(1, sizeof(*top));
	x = ts_alloc((size_t)h->count, sizeof(*x));
	if (!top || !x) {
		free(top);
		free(x);
		return;
	}
	memcpy(x, h->first, (size_t)h->count * sizeof(*x));
	for (int n = h->count; n > 1; n--) {
		struct variable_first t = x[0];

		x[0] = x[n - 1];
		x[n - 1] = t;
		sink(p, x, n - 1, 0);
	}
	for (int i = 0; i < h->count; i++)
		top->place[i] = x[i].place;
	free(x);
	top->count = h->count;
	variable_top_publish(p->l, top);
}

/* --- counting sort ------------------------------------------------------------------------------ */

struct round {
	int shift;
	uint64_t mask;
	const struct ts_pile *from; /* elements, or NULL: of codes, as they were read */
	const struct ts_pile *to;   /* elements, or with `last` places alone */
	bool last;
};

struct element {
	uint64_t key, place;
};

static inline uint64_t
key_of(const struct variable_pass *p, int64_t i)
{
	uint64_t v = variable_code(p, i);

	if (v == VARIABLE_UNKNOWN)
		return p->max + 1; /* below 2^62 + 1: no code is larger than a number of a report */
	return largest_first(p) ? p->max - v : v;
}

/* Of an element's key and its place, which stand one behind the other. */
static int
width_of(const struct variable_pass *p)
{
	return p->code_width > p->place_width ? p->code_width : p->place_width;
}

static inline struct element
element(const struct variable_pass *p, const struct round *r, int width, int64_t i)
{
	if (r->from)
		return (struct element){variable_get(r->from->memory, width, 2 * i),
			variable_get(r->from->memory, width, 2 * i + 1)};
	return (struct element){key_of(p, i),
		p->place.memory ? variable_get(p->place.memory, p->place_width, i) : (uint64_t)i};
}

/* What lies behind need not stay in memory. Does somebody want to leave? */
static bool
interrupted(const struct variable_pass *p, const struct round *r, int64_t i)
{
	if (i % VARIABLE_REST == 0) {
		ts_pile_rest(r->from ? r->from : &p->code);
		ts_pile_rest(&p->place);
		ts_pile_rest(r->to);
	}
	return i % LOOK == 0 && ts_cancelled(p->cancel);
}

static enum ts_code
sort_round(const struct variable_pass *p, const struct round *r, uint64_t *counter,
	struct ts_err *err)
{
	int width = width_of(p);
	uint64_t at = 0;

	memset(counter, 0, (size_t)(r->mask + 1) * sizeof(*counter));
	for (int64_t i = 0; i < p->codes; i++) {
		if (interrupted(p, r, i))
			return ts_err_set(err, TS_E_CANCELLED, "cancelled");
		counter[element(p, r, width, i).key >> r->shift & r->mask]++;
	}
	for (uint64_t d = 0; d <= r->mask; d++) {
		uint64_t n = counter[d];

		counter[d] = at;
		at += n;
	}
	for (int64_t i = 0; i < p->codes; i++) {
		struct element e = element(p, r, width, i);
		int64_t to = (int64_t)counter[e.key >> r->shift & r->mask]++;

		if (interrupted(p, r, i))
			return ts_err_set(err, TS_E_CANCELLED, "cancelled");
		if (r->last) {
			variable_put(r->to->memory, p->place_width, to, e.place);
		} else {
			variable_put(r->to->memory, width, 2 * to, e.key);
			variable_put(r->to->memory, width, 2 * to + 1, e.place);
		}
	}
	ts_pile_rest(r->to);
	return TS_OK;
}

/* `pair`: two, for elements. */
static enum ts_code
sort_codes(struct variable_pass *p, struct ts_pile *pair, int bits, int rounds, struct ts_err *err)
{
	int each = (bits + rounds - 1) / rounds;
	uint64_t *counter = ts_alloc((size_t)1 << each, sizeof(*counter));
	struct round r = {.mask = (UINT64_C(1) << each) - 1};
	enum ts_code code = TS_OK;

	if (!counter)
		return ts_err_nomem(err);
	for (int k = 0; k < rounds && !code; k++) {
		r.shift = k * each;
		r.last = k == rounds - 1;
		r.to = r.last ? &p->l->made : &pair[k % 2];
		code = sort_round(p, &r, counter, err);
		r.from = r.to;
		ts_pile_fini(&p->code); /* of the first round; it is in the elements now */
		ts_pile_fini(&p->place);
	}
	free(counter);
	return code;
}

enum ts_code
variable_order_make(struct variable_pass *p, struct ts_err *err)
{
	struct ts_variable_list *l = p->l;
	size_t size = (size_t)p->codes * (size_t)p->place_width;
	size_t pairs = (size_t)p->codes * 2 * (size_t)width_of(p);
	int bits = 64 - __builtin_clzll(p->max + 1), rounds = (bits + DIGIT - 1) / DIGIT;
	struct ts_pile pair[2] = {{0}};
	enum ts_code code;

	l->known = p->codes - p->unknown;
	l->count = p->codes;
	if (!p->falls && !largest_first(p)) { /* they stand in this order */
		l->natural = true;
		return TS_OK;
	}
	code = ts_pile_room(&l->made, size ? size : 1, l->v->cache, err);
	for (int k = 0; k < 2 && k < rounds - 1 && !code; k++)
		code = ts_pile_room(&pair[k], pairs, l->v->cache, err);
	if (!code)
		code = sort_codes(p, pair, bits, rounds, err);
	ts_pile_fini(&pair[0]);
	ts_pile_fini(&pair[1]);
	l->width = p->place_width;
	l->order = l->made.memory;
	return code;
}

/* --- kept ------------------------------------------------------------------------------------- */

_Static_assert(TS_SECTION_ORDER_CLASS - TS_SECTION_ORDER_BYTES == TS_SORT_CLASS - TS_SORT_BYTES &&
		TS_SORT_CLASS == TS_SORT_COUNT - 1,
	"each sort of lowered variables has its section");

/* TS_SECTION_COUNT: none. */
static enum ts_section
section_of(const struct ts_variable_list *l)
{
	return l->v->lowered && l->sort != TS_SORT_ROW
		? (enum ts_section)(TS_SECTION_ORDER_BYTES + (l->sort - TS_SORT_BYTES))
		: TS_SECTION_COUNT;
}

/*
 * At the begin of the payload; the places follow, and, of so many names, the first position of each, then the last, then the
 * names as they begin when the list is read forwards, then backwards. A width of 0: rows stand in this order.
 */
struct order_head {
	uint64_t version;
	int64_t rows, known, width;
	int64_t all_bytes, unsized;
	int64_t names;
};

enum { ORDER_VERSION = 3, NAME_ARRAYS = 4 };

static size_t
names_at(const struct order_head *h)
{
	size_t end = sizeof(*h) + (size_t)h->rows * (size_t)h->width;

	return (end + 7) / 8 * 8;
}

static void
take_names(struct ts_variable_list *l, const struct order_head *h, const void *payload, size_t size)
{
	const uint32_t *at = NULL;

	if (h->names > 0 && h->names <= h->rows && h->width > 0)
		at = ts_section_at(payload, size, names_at(h), (uint64_t)h->names * NAME_ARRAYS,
			sizeof(*at));
	if (!at)
		return;
	l->names = h->names;
	l->first = at;
	l->last = at + h->names;
	l->begin[0] = at + 2 * h->names;
	l->begin[1] = at + 3 * h->names;
}

/* Take the order that the snapshot has. */
static bool
take_order(struct ts_variable_list *l, struct ts_index *x)
{
	const struct order_head *h;
	const void *payload, *order = NULL;
	size_t size;

	payload = ts_index_section(x, section_of(l), &size);
	h = payload ? ts_section_at(payload, size, 0, 1, sizeof(*h)) : NULL;
	if (!h || h->version != ORDER_VERSION || h->rows != l->v->rows || h->known < 0 ||
		h->known > h->rows || (h->width != 0 && h->width != 4 && h->width != 8))
		return false;
	if (h->width > 0)
		order = ts_section_at(payload, size, sizeof(*h), (uint64_t)h->rows,
			(size_t)h->width);
	if (h->width > 0 && !order)
		return false;
	take_names(l, h, payload, size);
	l->index = ts_index_hold(x);
	l->natural = h->width == 0;
	l->width = (int)h->width;
	l->order = order;
	l->known = h->known;
	l->count = h->rows;
	atomic_store(&l->scanned, h->rows);
	atomic_store(&l->found, h->rows);
	atomic_store(&l->all_bytes, h->all_bytes);
	atomic_store(&l->bytes, h->all_bytes);
	atomic_store(&l->unsized, h->unsized);
	return true;
}

/*
 * Snapshots with the orders that were asked for: to map one its checksum is looked at, which takes longer than all else that a
 * key asks for. What was put here stays until the end; an order that was kept once more since is read from its file.
 */
struct variable_orders {
	_Atomic(struct ts_index *) of[TS_SORT_COUNT]; /* held; NULL: it was not asked for */
	atomic_bool again[TS_SORT_COUNT];
};

struct variable_orders *
variable_orders_new(void)
{
	return ts_alloc(1, sizeof(struct variable_orders));
}

void
variable_orders_free(struct variable_orders *o)
{
	for (int i = 0; o && i < TS_SORT_COUNT; i++)
		ts_index_release(atomic_load(&o->of[i]));
	free(o);
}

static struct ts_index *
mapped_order(const struct ts_variable_list *l)
{
	struct variable_orders *o = l->v->orders;

	return o && !atomic_load(&o->again[l->sort]) ? atomic_load(&o->of[l->sort]) : NULL;
}

/* The first one stays. */
static void
keep_mapped(const struct ts_variable_list *l, struct ts_index *x)
{
	struct variable_orders *o = l->v->orders;
	struct ts_index *none = NULL;

	if (o && !atomic_compare_exchange_strong(&o->of[l->sort], &none, ts_index_hold(x)))
		ts_index_release(x);
}

bool
variable_order_load(struct ts_variable_list *l, struct ts_reader *rd)
{
	struct ts_index *with;
	bool taken;

	if (section_of(l) == TS_SECTION_COUNT || l->filter.count > 0 || l->anew || !l->v->cache ||
		!l->v->cache->dir)
		return false;
	if (mapped_order(l))
		return take_order(l, mapped_order(l));
	if (ts_index_with(&with, rd->index, section_of(l), l->v->cache, rd->report, NULL))
		return false;
	taken = take_order(l, with);
	if (taken)
		keep_mapped(l, with);
	ts_index_release(with);
	return taken;
}

bool
ts_variable_list_is_kept(const struct ts_variable_list *l, bool named)
{
	bool lacks = named && l->names == 0 && !l->natural && l->v->rows < UINT32_MAX;

	return section_of(l) == TS_SECTION_COUNT || l->filter.count > 0 || l->partial ||
		(l->index && !lacks) || ts_variable_facts_partial(l->v->facts) || !l->v->cache ||
		!l->v->cache->dir;
}

/* In pieces, for somebody may want to leave, and what is written need not stay in memory. */
static enum ts_code
write_order(struct ts_section_writer *w, const struct ts_variable_list *l, size_t size,
	const struct ts_cancel *cancel, struct ts_err *err)
{
	const char *from = l->order;
	enum ts_code code = TS_OK;

	for (size_t at = 0; at < size && !code; at += PIECE) {
		if (ts_cancelled(cancel))
			return ts_err_set(err, TS_E_CANCELLED, "cancelled");
		code = ts_section_append(w, NULL, from + at, size - at < PIECE ? size - at : PIECE,
			err);
		ts_pile_rest(&l->made);
	}
	return code;
}

/*
 * Names as they begin when the order is read in this direction, those that are nowhere last, and the position, + 1, at which each does:
 * read backwards only of those below `known`. One look at the name of each row. *sound: the section has all of them.
 */
static enum ts_code
meet_names(uint32_t *where, uint32_t *begin, bool *sound, const struct ts_variable_list *l,
	const struct ts_columns *c, bool reverse, const struct ts_cancel *cancel,
	struct ts_err *err)
{
	int64_t at[TS_COLUMN_GATHER], place[TS_COLUMN_GATHER], name[TS_COLUMN_GATHER], met = 0;
	uint64_t *seen = ts_alloc((size_t)c->names / 64 + 1, sizeof(*seen));
	enum ts_code code = seen ? TS_OK : ts_err_nomem(err);

	for (int64_t i = 0; i < l->count && !code && *sound; i += TS_COLUMN_GATHER) {
		int n = (int)ts_min_i64(TS_COLUMN_GATHER, l->count - i);

		if (i % (1 << 16) == 0 && ts_cancelled(cancel))
			code = ts_err_set(err, TS_E_CANCELLED, "cancelled");
		for (int k = 0; k < n; k++) {
			at[k] = reverse && i + k < l->known ? l->known - 1 - i - k : i + k;
			place[k] = (int64_t)variable_get(l->order, l->width, at[k]);
		}
		*sound = ts_columns_gather(c, TS_COLUMN_NAME, place, n, name);
		for (int k = 0; k < n && *sound; k++) {
			*sound = name[k] < c->names;
			if (!*sound || name[k] < 0 || seen[name[k] / 64] >> name[k] % 64 & 1)
				continue;
			seen[name[k] / 64] |= UINT64_C(1) << name[k] % 64;
			begin[met++] = (uint32_t)name[k];
			if (!reverse || at[k] < l->known)
				where[name[k]] = (uint32_t)at[k] + 1;
		}
	}
	for (int64_t i = 0; i < c->names && !code && *sound; i++)
		if (!(seen[i / 64] >> i % 64 & 1))
			begin[met++] = (uint32_t)i;
	free(seen);
	return code;
}

/* Where each name stands, for who reads the order later. */
static enum ts_code
find_names(struct ts_pile *out, bool *sound, const struct ts_variable_list *l,
	const struct ts_columns *c, const struct ts_cancel *cancel, struct ts_err *err)
{
	size_t names = (size_t)c->names;
	enum ts_code code = ts_pile_room(out, names * NAME_ARRAYS * sizeof(uint32_t), l->v->cache,
		err);
	uint32_t *array = out->memory;

	*sound = !code;
	for (size_t reverse = 0; reverse < 2 && !code && *sound; reverse++)
		code = meet_names(array + reverse * names, array + (2 + reverse) * names, sound, l,
			c, reverse, cancel, err);
	out->used = code ? 0 : names * NAME_ARRAYS * sizeof(*array);
	return code;
}

/* They are left out where the index has no names of the rows. */
static enum ts_code
write_names(struct ts_section_writer *w, const struct order_head *h, const struct ts_pile *names,
	struct ts_err *err)
{
	static const char none[8] = {0};
	size_t end = sizeof(*h) + (size_t)h->rows * (size_t)h->width;
	enum ts_code code = TS_OK;

	if (h->names > 0)
		code = ts_section_append(w, NULL, none, names_at(h) - end, err);
	if (!code && h->names > 0)
		code = ts_section_append(w, NULL, names->memory, names->used, err);
	return code;
}

enum ts_code
ts_variable_list_keep(const struct ts_variable_list *l, struct ts_reader *rd,
	const struct ts_cancel *cancel, struct ts_err *err)
{
	struct order_head h = {ORDER_VERSION, l->v->rows, l->known, l->natural ? 0 : l->width,
		atomic_load(&l->all_bytes), atomic_load(&l->unsized), 0};
	size_t size = (size_t)h.rows * (size_t)h.width;
	struct ts_pile names = {0};
	struct ts_section_writer *w;
	struct ts_columns c;
	enum ts_code code = TS_OK;
	bool sound = false,
	     named = ts_columns_of(&c, rd->index) && c.block[TS_COLUMN_NAME] && c.names > 0 &&
		c.rows == h.rows;

	if (ts_variable_list_is_kept(l, named))
		return TS_OK;
	if (named && h.width > 0 && h.rows < UINT32_MAX)
		code = find_names(&names, &sound, l, &c, cancel, err);
	h.names = sound ? c.names : 0;
	if (!code && l->index && h.names == 0)
		return TS_OK; /* as it was */
	if (!code)
		code = ts_section_create(&w, l->v->cache, rd->report, section_of(l), err);
	if (code) {
		ts_pile_fini(&names);
		return code;
	}
	ts_section_set_cancel(w, cancel);
	code = ts_section_append(w, NULL, &h, sizeof(h), err);
	if (!code)
		code = write_order(w, l, size, cancel, err);
	if (!code)
		code = write_names(w, &h, &names, err);
	ts_pile_fini(&names);
	if (code) {
		ts_section_abandon(w);
		return code;
	}
	if (mapped_order(l))
		atomic_store(&l->v->orders->again[l->sort], true);
	return ts_section_commit(w, err);
}
