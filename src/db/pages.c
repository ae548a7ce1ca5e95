/* SPDX-License-Identifier: MIT */
/*
 * pages - read, check and keep the pages of a table's b-tree.
 *
 * A page is checked once, when it is read, as SQLite does with cell_size_check on (flags, number of cells,
 * every cell whole and inside the page), and its row ids have to rise. That last thing SQLite does not
 * ask for; a page where they do not is left to it, since a search would end elsewhere in it than a scan.
 * What is refused here is never an error: the caller asks SQLite, which alone says what is damaged.
 *
 * Single pages are kept in a fixed number of slots, the least recently used is replaced, those
 * of rows before those that lead to them. A scan has an extent of its own and goes past the slots, so that it
 * does not empty them.
 *
 * A page behind the end of a truncated file gives the error that vfs.c gives, in the same words: what reads
 * fail must not depend on who reads.
 */
#include "config.h"

#include <stdlib.h>

#include "tilescope/base/mem.h"
#include "tilescope/db/pages.h"

#include "cell.h"

enum {
	SLOTS = 256,	/* pages of 4 KiB fill TS_PAGES_BYTES */
	SLOTS_MIN = 16, /* of large pages */
	BUCKETS = 512,
	NOBODY = -1,
	PENDING_BYTE = 1 << 30, /* SQLite locks here, and uses no page that holds it */
	USABLE_MIN = 480,
	UTF8 = 1,
};

struct ts_pages_slot {
	unsigned char *bytes;
	struct ts_page page;
	uint32_t number; /* 0 = empty */
	unsigned holders;
	unsigned used; /* clock of the last use */
	int next;      /* in its bucket */
};

struct counters {
	_Atomic int64_t hits, misses, bytes, waits;
};

struct ts_pages {
	struct ts_source *source;
	struct ts_source_meter *meter;
	const struct ts_cancel *cancel;
	struct ts_geometry g;
	int64_t said; /* bytes of the file, as its header has it */
	int slots;
	unsigned clock;
	int bucket[BUCKETS];
	struct ts_pages_slot slot[SLOTS];
	struct counters n;
};

/* Only this thread writes: no need to lock the bus. */
static void
count(_Atomic int64_t *n, int64_t more)
{
	int64_t now = atomic_load_explicit(n, memory_order_relaxed);

	atomic_store_explicit(n, now + more, memory_order_relaxed);
}

void
ts_pages_stats(struct ts_pages_stats *s, const struct ts_pages *p)
{
	*s = (struct ts_pages_stats){0};
	if (!p)
		return;
	s->hits = atomic_load_explicit(&p->n.hits, memory_order_relaxed);
	s->misses = atomic_load_explicit(&p->n.misses, memory_order_relaxed);
	s->bytes = atomic_load_explicit(&p->n.bytes, memory_order_relaxed);
	s->waits = atomic_load_explicit(&p->n.waits, memory_order_relaxed);
}

/* --- opening ---------------------------------------------------------------------------------- */

static bool
geometry(struct ts_geometry *g, const struct ts_sqlite_header *h)
{
	int64_t pages = h->pages_said > 0 ? h->pages_said
					  : (h->bytes + h->page_size - 1) / h->page_size;
	uint32_t usable = (uint32_t)h->usable;

	if (h->usable < USABLE_MIN || h->encoding != UTF8 || pages < 1 || pages > UINT32_MAX - 1)
		return false;
	*g = (struct ts_geometry){
		.page = (uint32_t)h->page_size,
		.usable = usable,
		.max_cells = ((uint32_t)h->page_size - 8) / 6,
		.max_local = usable - 35,
		.min_local = (usable - 12) * 32 / 255 - 23,
		.pages = (uint32_t)pages,
		.lock_page = PENDING_BYTE / (uint32_t)h->page_size + 1,
		.auto_vacuum = h->auto_vacuum,
	};
	return true;
}

enum ts_code
ts_pages_new(struct ts_pages **out, struct ts_source *source, struct ts_source_meter *meter,
	const struct ts_sqlite_header *h, struct ts_err *err)
{
	struct ts_geometry g;
	struct ts_pages *p;

	*out = NULL;
	if (!geometry(&g, h))
		return TS_OK;
	p = ts_alloc(1, sizeof(*p));
	if (!p)
		return ts_err_nomem(err);
	p->source = source;
	p->meter = meter;
	p->g = g;
	p->said = ts_max_i64(h->bytes, h->pages_said * h->page_size);
	p->slots = (int)ts_clamp_i64(TS_PAGES_BYTES / g.page, SLOTS_MIN, SLOTS);
	for (int i = 0; i < BUCKETS; i++)
		p->bucket[i] = NOBODY;
	*out = p;
	return TS_OK;
}

void
ts_pages_free(struct ts_pages *p)
{
	if (!p)
		return;
	for (int i = 0; i < SLOTS; i++)
		free(p->slot[i].bytes);
	free(p);
}

void
ts_pages_set_cancel(struct ts_pages *p, const struct ts_cancel *cancel)
{
	if (p)
		p->cancel = cancel;
}

const struct ts_geometry *
ts_pages_geometry(const struct ts_pages *p)
{
	return &p->g;
}

/* --- reading ---------------------------------------------------------------------------------- */

/*
 * Read up to `pages` pages; *got: how many came whole. 0 with TS_OK: SQLite takes what is there of the first
 * for a page. An error behind the first page is not told: whoever needs those pages will ask again.
 */
static enum ts_code
read_pages(uint32_t *got, unsigned char *bytes, struct ts_pages *p, uint32_t number, uint32_t pages,
	struct ts_err *err)
{
	int64_t at = (int64_t)(number - 1) * p->g.page;
	struct ts_err why = {0};
	size_t n = 0, here;
	enum ts_code code;

	/* what was planned is read as far as it was, not with what is behind it */
	here = pages > 1 ? ts_source_here(p->source, at, (size_t)pages * p->g.page) / p->g.page : 0;
	if (here > 0 && here < pages)
		pages = (uint32_t)here;
	code = ts_source_read_counted(p->source, bytes, (size_t)pages * p->g.page, at, &n, p->meter,
		p->cancel, &why);

	*got = (uint32_t)(n / p->g.page);
	count(&p->n.waits, 1);
	count(&p->n.bytes, (int64_t)n);
	if (code && (code == TS_E_CANCELLED || *got == 0)) {
		if (err)
			*err = why;
		return code;
	}
	if (*got == 0 && at + p->g.page <= p->said)
		return ts_err_set(err, TS_E_DAMAGED,
			"the file is truncated: page %lld lies behind the end of the file",
			(long long)number);
	return TS_OK;
}

static bool
exists(const struct ts_geometry *g, uint32_t number)
{
	/* the first one has a header before its cells, and no rows of a report */
	return number > 1 && number <= g->pages && number != g->lock_page;
}

bool
ts_pages_are_far(const struct ts_pages *p)
{
	return ts_source_is_far(p->source);
}

void
ts_pages_want(struct ts_pages *p, const uint32_t *number, size_t count, bool urgent)
{
	struct ts_byte_range *span = ts_alloc(count, sizeof(*span));
	size_t n = 0;

	for (size_t i = 0; span && i < count; i++) {
		int64_t at = (int64_t)(number[i] - 1) * p->g.page;

		if (!exists(&p->g, number[i]))
			continue;
		if (n > 0 && span[n - 1].offset + (int64_t)span[n - 1].n == at)
			span[n - 1].n += p->g.page;
		else
			span[n++] = (struct ts_byte_range){at, p->g.page};
	}
	if (span)
		ts_source_want(p->source, span, n, urgent, p->meter);
	free(span);
}

enum ts_code
ts_extent_get(const unsigned char **bytes, struct ts_extent *x, struct ts_pages *p, uint32_t number,
	uint32_t ahead, struct ts_err *err)
{
	enum ts_code code;

	*bytes = NULL;
	if (ts_cancelled(p->cancel))
		return ts_err_set(err, TS_E_CANCELLED, "cancelled");
	if (!exists(&p->g, number))
		return TS_OK;
	if (number - x->first < x->count) {
		count(&p->n.hits, 1);
		*bytes = x->bytes + (size_t)(number - x->first) * p->g.page;
		return TS_OK;
	}
	count(&p->n.misses, 1);
	ahead = ahead < 1 ? 1 : ahead;
	ahead = (uint32_t)ts_min_i64(ahead, ts_max_i64(TS_EXTENT_BYTES / p->g.page, 1));
	ahead = (uint32_t)ts_min_i64(ahead, (int64_t)p->g.pages - number + 1);
	x->count = 0;
	if (ahead > x->cap) {
		unsigned char *more = ts_alloc((size_t)ahead * p->g.page + TS_PAGE_SLACK, 1);

		if (!more)
			return ts_err_nomem(err);
		free(x->bytes);
		x->bytes = more;
		x->cap = ahead;
	}
	code = read_pages(&x->count, x->bytes, p, number, ahead, err);
	if (code) {
		x->count = 0;
		return code;
	}
	x->first = number;
	*bytes = x->count > 0 ? x->bytes : NULL;
	return TS_OK;
}

void
ts_extent_fini(struct ts_extent *x)
{
	free(x->bytes);
	*x = (struct ts_extent){0};
}

/* --- checks ----------------------------------------------------------------------------------- */

static inline bool
leaf_is_sound(const struct ts_geometry *g, const unsigned char *page, unsigned cells,
	const struct ts_cells *list)
{
	unsigned first = TS_LEAF_HEADER + 2 * cells, last = g->usable - 4;
	int64_t before = 0;

	for (unsigned i = 0; i < cells; i++) {
		unsigned at = ts_cell_at(page, TS_LEAF_HEADER, i);
		struct ts_cell c;
		uint64_t here;

		if (at < first || at > last)
			return false;
		ts_cell_read(&c, page + at);
		here = c.size;
		if (here > g->max_local) {
			if (here > INT32_MAX)
				return false;
			here = g->min_local + (here - g->min_local) % (g->usable - 4);
			here = (here > g->max_local ? g->min_local : here) + 4;
		}
		if (at + c.bytes + here > g->usable || (i > 0 && c.rowid <= before))
			return false;
		before = c.rowid;
		if (list) {
			list->rowid[i] = c.rowid;
			list->payload[i] = at + c.bytes;
			list->size[i] = (uint32_t)c.size;
		}
	}
	return true;
}

static bool
interior_is_sound(const struct ts_geometry *g, const unsigned char *page, unsigned cells)
{
	unsigned first = TS_INTERIOR_HEADER + 2 * cells, last = g->usable - 5;
	int64_t before = 0;

	for (unsigned i = 0; i < cells; i++) {
		unsigned at = ts_cell_at(page, TS_INTERIOR_HEADER, i);
		uint64_t key;

		if (at < first || at > last)
			return false;
		if (ts_varint(page + at + 4, &key) > page + g->usable)
			return false;
		if (i > 0 && (int64_t)key <= before)
			return false;
		before = (int64_t)key;
	}
	return cells > 0;
}

bool
ts_page_check(struct ts_page *page, const struct ts_geometry *g, const unsigned char *bytes,
	const struct ts_cells *list)
{
	unsigned cells = ts_be16(bytes + 3);

	*page = (struct ts_page){bytes, cells, bytes[0] == TS_PAGE_LEAF};
	if (cells > g->max_cells)
		return false;
	if (page->leaf)
		return list ? leaf_is_sound(g, bytes, cells, list)
			    : leaf_is_sound(g, bytes, cells, NULL);
	return bytes[0] == TS_PAGE_INTERIOR && interior_is_sound(g, bytes, cells);
}

/* --- single pages ----------------------------------------------------------------------------- */

static int *
bucket_of(struct ts_pages *p, uint32_t number)
{
	return &p->bucket[number * 2654435761u >> 23];
}

static struct ts_pages_slot *
find(struct ts_pages *p, uint32_t number)
{
	for (int i = *bucket_of(p, number); i != NOBODY; i = p->slot[i].next)
		if (p->slot[i].number == number)
			return &p->slot[i];
	return NULL;
}

static void
forget(struct ts_pages *p, struct ts_pages_slot *s)
{
	int *at = bucket_of(p, s->number), self = (int)(s - p->slot);

	while (*at != self)
		at = &p->slot[*at].next;
	*at = s->next;
	s->number = 0;
}

static void
remember(struct ts_pages *p, struct ts_pages_slot *s, uint32_t number)
{
	int *bucket = bucket_of(p, number);

	s->number = number;
	s->next = *bucket;
	*bucket = (int)(s - p->slot);
}

/* A slot to read into: an empty one, else of those that nobody holds the leaf, or page, used longest ago. */
static struct ts_pages_slot *
victim(struct ts_pages *p)
{
	struct ts_pages_slot *oldest[2] = {NULL, NULL}; /* interior pages, leaves */
	int leaves = 0;

	for (int i = 0; i < p->slots; i++) {
		struct ts_pages_slot *s = &p->slot[i], **o = &oldest[s->page.leaf];

		leaves += s->page.leaf;
		if (s->holders > 0)
			continue;
		if (s->number == 0)
			return s;
		if (!*o || p->clock - s->used > p->clock - (*o)->used)
			*o = s;
	}
	/* a quarter of the slots is left to leaves */
	return oldest[1] && (leaves > p->slots / 4 || !oldest[0]) ? oldest[1] : oldest[0];
}

bool
ts_pages_are_here(struct ts_pages *p, uint32_t number)
{
	int64_t at = (int64_t)(number - 1) * p->g.page;

	return !exists(&p->g, number) || find(p, number) || at >= p->source->size ||
		ts_source_here(p->source, at, p->g.page) == p->g.page ||
		at + p->g.page > p->source->size;
}

enum ts_code
ts_pages_get(struct ts_pages_slot **slot, struct ts_page *page, struct ts_pages *p, uint32_t number,
	struct ts_err *err)
{
	struct ts_pages_slot *s;
	enum ts_code code;
	uint32_t got;

	*slot = NULL;
	if (ts_cancelled(p->cancel))
		return ts_err_set(err, TS_E_CANCELLED, "cancelled");
	if (!exists(&p->g, number))
		return TS_OK;
	s = find(p, number);
	count(s ? &p->n.hits : &p->n.misses, 1);
	if (!s) {
		s = victim(p);
		if (!s)
			return TS_OK;
		if (s->number != 0)
			forget(p, s);
		if (!s->bytes)
			s->bytes = ts_alloc(p->g.page + TS_PAGE_SLACK, 1);
		if (!s->bytes)
			return ts_err_nomem(err);
		code = read_pages(&got, s->bytes, p, number, 1, err);
		if (code || got == 0 || !ts_page_check(&s->page, &p->g, s->bytes, NULL))
			return code;
		remember(p, s, number);
	}
	s->holders++;
	s->used = ++p->clock;
	*slot = s;
	*page = s->page;
	return TS_OK;
}

void
ts_pages_put(struct ts_pages_slot *slot)
{
	if (slot)
		slot->holders--;
}
