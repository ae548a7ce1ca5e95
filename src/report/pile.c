/* SPDX-License-Identifier: MIT */
/* pile - see the header. */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "tilescope/base/dense.h"
#include "tilescope/base/mem.h"
#include "tilescope/report/pile.h"

enum { PIECE = 4 << 20 /* bytes */, MERGE_LOOK = 1 << 16 };

void
ts_pile_rest(const struct ts_pile *p)
{
	ts_spill_rest(p->memory, p->room);
}

static size_t
small_of(const struct ts_pile *p)
{
	return p->small > 0 ? p->small : TS_PILE_SMALL;
}

static void
release(const struct ts_pile *p)
{
	if (p->room > small_of(p))
		ts_spill_free(p->memory, p->room);
	else
		free(p->memory);
}

/* In pieces: neither of them need stay in memory. */
static void
move(void *to, size_t room, const struct ts_pile *p)
{
	for (size_t at = 0; at < p->used; at += PIECE) {
		memcpy((char *)to + at, (const char *)p->memory + at,
			p->used - at < PIECE ? p->used - at : PIECE);
		ts_pile_rest(p);
		ts_spill_rest(to, room);
	}
}

enum ts_code
ts_pile_room(struct ts_pile *p, size_t bytes, const struct ts_cache *cache, struct ts_err *err)
{
	void *memory = NULL;

	if (bytes <= p->room)
		return TS_OK;
	if (bytes <= small_of(p)) {
		memory = p->memory ? ts_resize(p->memory, bytes, 1) : ts_dense_alloc(bytes, 1);
		if (!memory)
			return ts_err_nomem(err);
		if (p->memory)
			memset((char *)memory + p->room, 0, bytes - p->room);
	} else {
		enum ts_code code = ts_spill_new(&memory, cache, bytes, err);

		if (code)
			return code;
		move(memory, bytes, p);
		release(p);
	}
	p->memory = memory;
	p->room = bytes;
	return TS_OK;
}

enum ts_code
ts_pile_add(struct ts_pile *p, const void *bytes, size_t n, const struct ts_cache *cache,
	struct ts_err *err)
{
	if (n > p->room - p->used) {
		size_t room = p->room < 4096 ? 4096 : p->room;
		enum ts_code code;

		while (room - p->used < n) {
			if (room > SIZE_MAX / 4)
				return ts_err_nomem(err);
			room *= 2;
		}
		code = ts_pile_room(p, room, cache, err);
		if (code)
			return code;
	}
	if (n > 0)
		memcpy((char *)p->memory + p->used, bytes, n);
	p->used += n;
	return TS_OK;
}

/* Merge [a, b) and [b, c) of `from` into `to`; of equals those of the first come first. */
static void
merge(char *to, const char *from, size_t a, size_t b, size_t c, size_t size,
	int (*order)(const void *, const void *))
{
	size_t i = a, j = b;

	for (size_t k = a; k < c; k++) {
		bool first = j == c || (i < b && order(from + i * size, from + j * size) <= 0);

		memcpy(to + k * size, from + (first ? i : j) * size, size);
		i += first;
		j += !first;
	}
}

static bool
is_sorted(const char *p, size_t n, size_t size, int (*order)(const void *, const void *))
{
	for (size_t i = 1; i < n; i++)
		if (order(p + (i - 1) * size, p + i * size) > 0)
			return false;
	return true;
}

enum ts_code
ts_pile_sort(struct ts_pile *p, size_t n, size_t size, int (*order)(const void *, const void *),
	const struct ts_cache *cache, const struct ts_cancel *cancel, struct ts_err *err)
{
	struct ts_pile other = {.small = p->small};
	enum ts_code code;

	if (is_sorted(p->memory, n, size, order))
		return TS_OK;
	code = ts_pile_room(&other, p->room, cache, err);
	for (size_t width = 1; !code && width < n; width *= 2) {
		struct ts_pile t = *p;

		for (size_t a = 0; !code && a < n; a += 2 * width) {
			size_t b = a + width < n ? a + width : n;
			size_t c = a + 2 * width < n ? a + 2 * width : n;

			if (a % MERGE_LOOK == 0 && ts_cancelled(cancel))
				code = ts_err_set(err, TS_E_CANCELLED, "cancelled");
			else
				merge(other.memory, p->memory, a, b, c, size, order);
		}
		other.used = p->used;
		*p = other;
		other = t;
	}
	ts_pile_fini(&other);
	return code;
}

void
ts_pile_fini(struct ts_pile *p)
{
	release(p);
	*p = (struct ts_pile){0};
}
