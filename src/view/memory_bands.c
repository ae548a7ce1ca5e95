/* SPDX-License-Identifier: MIT */
/*
 * memory_bands - the parts of a breakdown as bands of the Memory view's plot: which have one of their own, in what
 * order, their letters, and what of each tile of the list is in them. Made by a worker.
 */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "memory_internal.h"
#include "tilescope/base/mem.h"
#include "tilescope/report/breakdown.h"

enum { LAYERS_SPARE = 36 };

void
memory_bands_free(struct memory_categories *k)
{
	if (!k)
		return;
	free(k->place);
	free(k->others);
	free(k->sum);
	ts_categories_fini(&k->c);
	free(k);
}

/* A letter for each band, of its name where one is free: for screens without colours. Layers have their digit. */
static void
choose_letters(struct memory_categories *k)
{
	static const char spare[] =
		"0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
	char used[MEMORY_BANDS + 1] = "";

	for (int b = 0; b < k->bands; b++) {
		const char *s = k->other && b == k->bands - 1 ? "." : k->name[b];
		char letter = 0;

		if (strncmp(s, "layer ", 6) == 0)
			s = &spare[strtol(s + 6, NULL, 10) % LAYERS_SPARE];
		for (; *s && !letter; s++)
			if (*s > ' ' && *s < 127 && !strchr(used, *s))
				letter = *s;
		for (s = spare; *s && !letter; s++)
			if (!strchr(used, *s))
				letter = *s;
		k->letter[b] = used[b] = letter;
	}
}

int64_t
memory_band(const struct memory_categories *k, int band, int64_t i)
{
	if (k->other && band == k->bands - 1)
		return k->others[i];
	return k->place[i] == UINT32_MAX ? 0 : ts_categories_at(&k->c, k->part[band], k->place[i]);
}

/* Where each tile of the list stands in the figures; both are in the order of their numbers. */
static void
find_places(struct memory_categories *k, const int64_t *tile, int64_t n)
{
	size_t at = 0;

	for (int64_t i = 0; i < n; i++) {
		while (at < k->c.tiles && k->c.tile[at] < tile[i])
			at++;
		k->place[i] = at < k->c.tiles && k->c.tile[at] == tile[i] ? (uint32_t)at
									  : UINT32_MAX;
	}
}

static void
add(int64_t *sum, int64_t bytes)
{
	if (*sum != TS_UNKNOWN && !ts_add_i64(sum, bytes))
		*sum = TS_UNKNOWN;
}

/* Sums of tile i: of all parts, and of those that have no band of their own. */
static void
sum_tile(struct memory_categories *k, const int *order, int64_t i)
{
	int own = k->bands - (k->other ? 1 : 0);

	for (int b = 0; b < k->c.count && k->place[i] != UINT32_MAX; b++) {
		int64_t bytes = ts_categories_at(&k->c, order[b], k->place[i]);

		add(&k->sum[i], bytes);
		if (b >= own)
			add(&k->others[i], bytes);
	}
}

struct named {
	const char *name;
	int part;
};

/* "layer 9" before "layer 10"; what is no layer comes last. */
static int
by_name(const void *a, const void *b)
{
	const struct named *x = a, *y = b;
	int last = (strcmp(x->name, TS_NO_LAYER) == 0) - (strcmp(y->name, TS_NO_LAYER) == 0);

	return last ? last : strverscmp(x->name, y->name);
}

static void
order_parts(const struct memory_categories *k, bool named, int order[TS_CATEGORIES_MAX])
{
	struct named part[TS_CATEGORIES_MAX];

	for (int i = 0; i < k->c.count; i++)
		part[i] = (struct named){k->c.category[i].name, i};
	if (named)
		qsort(part, (size_t)k->c.count, sizeof(part[0]), by_name);
	for (int i = 0; i < k->c.count; i++)
		order[i] = part[i].part;
}

enum ts_code
memory_bands_make(struct memory_categories *k, const int64_t *tile, int64_t n, int most, bool named,
	struct ts_err *err)
{
	int order[TS_CATEGORIES_MAX];

	k->other = k->c.count > most;
	k->bands = k->other ? most : k->c.count;
	k->place = ts_alloc((size_t)n, sizeof(*k->place));
	k->sum = ts_alloc((size_t)n, sizeof(*k->sum));
	k->others = k->other ? ts_alloc((size_t)n, sizeof(*k->others)) : NULL;
	if (!k->place || !k->sum || (k->other && !k->others))
		return ts_err_nomem(err);
	order_parts(k, named, order);
	for (int b = 0; b < k->bands; b++) {
		k->part[b] = order[b];
		k->name[b] = k->other && b == k->bands - 1 ? "all others"
							   : k->c.category[order[b]].name;
	}
	find_places(k, tile, n);
	for (int64_t i = 0; i < n; i++)
		sum_tile(k, order, i);
	choose_letters(k);
	return TS_OK;
}
