/* SPDX-License-Identifier: MIT */
/*
 * dictionary - see the header.
 *
 * Ranks: the entries are sorted by three-way partitions on eight bytes of the text at a time. Names of
 * variables share long beginnings, which comparing whole texts would read again and again; here each
 * byte is looked at about once. The part that is equal goes on in a loop, the smallest part comes
 * first, so that the stack of parts that wait stays small whatever the texts are.
 */
#include "config.h"

#include <string.h>
#include <xxhash.h>

#include "tilescope/base/cancel.h"
#include "tilescope/base/mem.h"
#include "tilescope/report/dictionary.h"

enum {
	SLOTS_FIRST = 1024,
	WAITING = 256,	/* parts that wait */
	FEW = 12,	/* sorted by insertion */
	LOOK = 1 << 14, /* elements between looks at the token */
	REST = 1 << 17, /* ... and after which pages that were passed need not stay in memory */
};

/* --- table ------------------------------------------------------------------------------------ */

static uint64_t
scatter(uint64_t key)
{
	key ^= key >> 33;
	key *= UINT64_C(0xff51afd7ed558ccd);
	return key ^ key >> 33;
}

static size_t
slots_of(const struct ts_dictionary *d)
{
	return d->slot.used / sizeof(uint32_t);
}

static void
put_slot(uint32_t *slot, size_t slots, uint64_t key, uint32_t entry)
{
	size_t i = (size_t)scatter(key) & (slots - 1);

	while (slot[i])
		i = (i + 1) & (slots - 1);
	slot[i] = entry + 1;
}

static enum ts_code
grow(struct ts_dictionary *d, struct ts_err *err)
{
	size_t slots = slots_of(d), wanted = slots ? slots * 4 : SLOTS_FIRST;
	struct ts_pile bigger = {0};
	enum ts_code code;

	if (slots > 0 && (size_t)d->count * 2 < slots)
		return TS_OK;
	if (d->count >= UINT32_MAX / 2)
		return ts_err_set(err, TS_E_LIMIT, "too many different names");
	code = ts_pile_room(&bigger, wanted * sizeof(uint32_t), d->cache, err);
	if (code)
		return code;
	bigger.used = wanted * sizeof(uint32_t);
	for (uint32_t i = 0; i < d->count; i++)
		put_slot(bigger.memory, wanted, ts_dictionary_at(d, i)->key, i);
	ts_pile_fini(&d->slot);
	d->slot = bigger;
	return TS_OK;
}

static enum ts_code
add(struct ts_dictionary *d, uint32_t *entry, uint64_t key, const char *s, size_t n,
	struct ts_err *err)
{
	struct ts_dictionary_entry e = {key, d->text.used, (uint32_t)n, 0};
	enum ts_code code = grow(d, err);

	if (!code)
		code = ts_pile_add(&d->text, s, n, d->cache, err);
	if (!code)
		code = ts_pile_add(&d->entry, &e, sizeof(e), d->cache, err);
	if (code)
		return code;
	put_slot(d->slot.memory, slots_of(d), key, d->count);
	*entry = d->count++;
	if (d->count % REST == 0)
		ts_dictionary_rest(d);
	return TS_OK;
}

enum ts_code
ts_dictionary_text(struct ts_dictionary *d, uint32_t *entry, const char *s, size_t n,
	struct ts_err *err)
{
	const uint32_t *slot = d->slot.memory;
	size_t slots = slots_of(d);
	uint64_t key;

	n = n < TS_DICTIONARY_TEXT ? n : TS_DICTIONARY_TEXT;
	key = XXH3_64bits(s, n);
	for (size_t i = (size_t)scatter(key); slots > 0; i++) {
		uint32_t at = slot[i & (slots - 1)];
		const struct ts_dictionary_entry *e;

		if (at == 0)
			break;
		e = ts_dictionary_at(d, at - 1);
		if (e->key == key && e->n == n &&
			(n == 0 || memcmp((const char *)d->text.memory + e->at, s, n) == 0)) {
			*entry = at - 1;
			return TS_OK;
		}
	}
	return add(d, entry, key, s, n, err);
}

int64_t
ts_dictionary_find(const struct ts_dictionary *d, int64_t number)
{
	const uint32_t *slot = d->slot.memory;
	size_t slots = slots_of(d);

	for (size_t i = (size_t)scatter((uint64_t)number); slots > 0; i++) {
		uint32_t at = slot[i & (slots - 1)];

		if (at == 0)
			break;
		if (ts_dictionary_at(d, at - 1)->key == (uint64_t)number)
			return at - 1;
	}
	return TS_DICTIONARY_NONE;
}

enum ts_code
ts_dictionary_number(struct ts_dictionary *d, uint32_t *entry, int64_t number, const char *s,
	size_t n, struct ts_err *err)
{
	return add(d, entry, (uint64_t)number, s, n < TS_DICTIONARY_TEXT ? n : TS_DICTIONARY_TEXT,
		err);
}

void
ts_dictionary_rest(const struct ts_dictionary *d)
{
	ts_pile_rest(&d->entry);
	ts_pile_rest(&d->slot);
	ts_pile_rest(&d->text);
}

void
ts_dictionary_fini(struct ts_dictionary *d)
{
	ts_pile_fini(&d->entry);
	ts_pile_fini(&d->slot);
	ts_pile_fini(&d->text);
	d->count = 0;
}

/* --- ranks ------------------------------------------------------------------------------------ */

struct item {
	uint64_t word; /* eight bytes of the text at the part's depth */
	uint32_t entry;
	uint32_t left; /* bytes of the text from there on, at most 9 */
};

struct part {
	size_t from, n;
	uint32_t depth;
};

struct sorting {
	const struct ts_dictionary *d;
	struct item *item;
	const struct ts_pile *items; /* where they are */
	const struct ts_cancel *cancel;
	struct part waiting[WAITING];
	int count;
	size_t looked;
};

/* Texts that end within the word are behind what is shorter, before what goes on. */
static int
compare(const struct item *a, const struct item *b)
{
	if (a->word != b->word)
		return a->word < b->word ? -1 : 1;
	return a->left < b->left ? -1 : a->left > b->left;
}

/*
 * At element i of a pass: what it has behind it need not stay in memory. It comes back when it is touched
 * again, from the file that it is in.
 */
static void
pass(const struct sorting *s, size_t i)
{
	if (i % REST != 0)
		return;
	ts_dictionary_rest(s->d);
	ts_pile_rest(s->items);
}

static void
load(const struct sorting *s, const struct part *p)
{
	for (size_t i = p->from; i < p->from + p->n; i++) {
		struct item *x = &s->item[i];
		const struct ts_dictionary_entry *e = ts_dictionary_at(s->d, x->entry);
		const unsigned char *text = (const unsigned char *)s->d->text.memory + e->at;
		uint32_t left = e->n - p->depth, n = left < 8 ? left : 8;

		pass(s, i);
		x->left = left < 9 ? left : 9;
		x->word = 0;
		for (uint32_t k = 0; k < n; k++)
			x->word |= (uint64_t)text[p->depth + k] << (56 - 8 * k);
	}
}

static void
swap(struct item *a, struct item *b)
{
	struct item t = *a;

	*a = *b;
	*b = t;
}

static struct item
middle_of(const struct item *a, const struct item *b, const struct item *c)
{
	if (compare(a, b) > 0) {
		const struct item *t = a;

		a = b;
		b = t;
	}
	return compare(c, a) < 0 ? *a : compare(c, b) < 0 ? *c : *b;
}

/* [0, *low) of the part is smaller, [*low, *high) equal to the pivot, the rest larger. */
static void
divide(const struct sorting *s, const struct part *p, size_t *low, size_t *high)
{
	struct item *x = s->item + p->from;
	size_t n = p->n;
	struct item pivot = middle_of(&x[0], &x[n / 2], &x[n - 1]);
	size_t a = 0, i = 0, b = n;

	while (i < b) {
		int c = compare(&x[i], &pivot);

		pass(s, b - i);
		if (c < 0)
			swap(&x[a++], &x[i++]);
		else if (c > 0)
			swap(&x[i], &x[--b]);
		else
			i++;
	}
	*low = a;
	*high = b;
}

/* Sort the part by the loaded word; where that is equal and texts go on, wait for the next words. */
static enum ts_code
push(struct sorting *s, size_t from, size_t n, uint32_t depth, struct ts_err *err)
{
	if (n < 2)
		return TS_OK;
	if (s->count == WAITING)
		return ts_err_set(err, TS_E_LIMIT, "names cannot be sorted");
	s->waiting[s->count++] = (struct part){from, n, depth};
	return TS_OK;
}

/* Push the three parts, the largest first: the smallest is taken next. */
static enum ts_code
push_all(struct sorting *s, struct part part[3], struct ts_err *err)
{
	enum ts_code code = TS_OK;

	for (int i = 0; i < 2; i++)
		for (int k = i + 1; k < 3; k++)
			if (part[k].n > part[i].n) {
				struct part t = part[i];

				part[i] = part[k];
				part[k] = t;
			}
	for (int i = 0; i < 3 && !code; i++)
		code = push(s, part[i].from, part[i].n, part[i].depth, err);
	return code;
}

/* Two texts from a byte on that both have. */
static int
compare_rest(const struct ts_dictionary *d, uint32_t a, uint32_t b, uint32_t depth)
{
	const struct ts_dictionary_entry *x = ts_dictionary_at(d, a);
	const struct ts_dictionary_entry *y = ts_dictionary_at(d, b);
	const char *text = d->text.memory;
	uint32_t n = (x->n < y->n ? x->n : y->n) - depth;
	int c = n ? memcmp(text + x->at + depth, text + y->at + depth, n) : 0;

	return c ? c : x->n < y->n ? -1 : x->n > y->n;
}

int
ts_dictionary_compare(const struct ts_dictionary *d, uint32_t a, uint32_t b)
{
	return compare_rest(d, a, b, 0);
}

static void
insert(struct sorting *s, const struct part *p)
{
	struct item *x = s->item + p->from;

	for (size_t i = 1; i < p->n; i++)
		for (size_t k = i;
			k > 0 && compare_rest(s->d, x[k - 1].entry, x[k].entry, p->depth) > 0; k--)
			swap(&x[k - 1], &x[k]);
}

static enum ts_code
sort(struct sorting *s, struct ts_err *err)
{
	enum ts_code code = push(s, 0, s->d->count, 0, err);

	while (!code && s->count > 0) {
		struct part p = s->waiting[--s->count], parts[3];
		size_t low, high;
		bool goes_on;

		s->looked += p.n;
		if (s->looked >= LOOK) {
			s->looked = 0;
			pass(s, 0);
			if (ts_cancelled(s->cancel))
				return ts_err_set(err, TS_E_CANCELLED, "cancelled");
		}
		if (p.n <= FEW) {
			insert(s, &p);
			continue;
		}
		load(s, &p);
		divide(s, &p, &low, &high);
		goes_on = s->item[p.from + low].left > 8;
		parts[0] = (struct part){p.from, low, p.depth};
		parts[1] = (struct part){p.from + low, goes_on ? high - low : 0, p.depth + 8};
		parts[2] = (struct part){p.from + high, p.n - high, p.depth};
		code = push_all(s, parts, err);
	}
	return code;
}

static bool
same_text(const struct ts_dictionary *d, uint32_t a, uint32_t b)
{
	const struct ts_dictionary_entry *x = ts_dictionary_at(d, a), *y = ts_dictionary_at(d, b);
	const char *text = d->text.memory;

	return x->n == y->n && (x->n == 0 || memcmp(text + x->at, text + y->at, x->n) == 0);
}

enum ts_code
ts_dictionary_rank(struct ts_dictionary *d, uint32_t *ranks, const struct ts_cancel *cancel,
	struct ts_err *err)
{
	struct ts_pile items = {0};
	struct sorting s = {.d = d, .items = &items, .cancel = cancel};
	enum ts_code code;

	*ranks = 0;
	if (d->count == 0)
		return TS_OK;
	code = ts_pile_room(&items, (size_t)d->count * sizeof(struct item), d->cache, err);
	if (code)
		return code;
	s.item = items.memory;
	for (uint32_t i = 0; i < d->count; i++) {
		pass(&s, i);
		s.item[i].entry = i;
	}
	code = sort(&s, err);
	for (uint32_t i = 0; !code && i < d->count; i++) {
		pass(&s, i);
		if (i > 0 && !same_text(d, s.item[i - 1].entry, s.item[i].entry))
			++*ranks;
		ts_dictionary_at(d, s.item[i].entry)->rank = *ranks;
	}
	++*ranks;
	ts_pile_fini(&items);
	return code;
}
