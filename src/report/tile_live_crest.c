/* SPDX-License-Identifier: MIT */
/*
 * tile_live_crest - the most that one of a group of tiles has, at each point: what the heat map draws of whole groups.
 *
 * A tile is a few hundred runs from point to point, and each raises all points that it goes over. Point by point that is
 * tiles x points (5e10 for the largest reports); in a tree over the points it is a few nodes a run.
 */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "tilescope/base/mem.h"

#include "tile_live_internal.h"

enum { CREST_TILES = 16, CREST_BYTES = 8 << 20, CREST_MOST = INT32_MAX };

/*
 * The crest under way: each node is the least that all points below it have. Node 1 has all points, 2n and 2n + 1 the halves of n; the leaves are the last `leaves` of them.
 */
struct crest_tree {
	uint32_t *node;
	size_t leaves; /* a power of two, at least the points */
};

static bool
crest_tree_init(struct crest_tree *t, size_t points)
{
	t->leaves = 1;
	while (t->leaves < points)
		t->leaves *= 2;
	t->node = ts_alloc(2 * t->leaves, sizeof(*t->node));
	return t->node;
}

/* Points [from, to) have at least so many bytes. */
static void
raise(struct crest_tree *t, size_t from, size_t to, uint32_t bytes)
{
	for (from += t->leaves, to += t->leaves; from < to; from /= 2, to /= 2) {
		if (from % 2 == 1) {
			t->node[from] = t->node[from] > bytes ? t->node[from] : bytes;
			from++;
		}
		if (to % 2 == 1) {
			to--;
			t->node[to] = t->node[to] > bytes ? t->node[to] : bytes;
		}
	}
}

/* A tile: what is always live at all points, and from each run to the next what it has there. */
static void
raise_tile(struct crest_tree *t, int64_t base, const struct ts_live_run *run, size_t n)
{
	if (base > t->node[1])
		t->node[1] = (uint32_t)base;
	for (size_t k = 0; k + 1 < n; k++)
		if (run[k].bytes > 0)
			raise(t, run[k].point, run[k + 1].point, (uint32_t)(base + run[k].bytes));
}

/* The group is complete: what nodes have into the points; the tree is empty again. */
static void
take_crest(uint32_t *crest, struct crest_tree *t, size_t points)
{
	uint32_t *node = t->node;

	for (size_t i = 1; i < t->leaves; i++) {
		node[2 * i] = node[2 * i] > node[i] ? node[2 * i] : node[i];
		node[2 * i + 1] = node[2 * i + 1] > node[i] ? node[2 * i + 1] : node[i];
	}
	memcpy(crest, node + t->leaves, points * sizeof(*crest));
	memset(node, 0, 2 * t->leaves * sizeof(*node));
}

/* Room for crests, of as many tiles each as it takes to be small. None where bytes do not fit. */
static enum ts_code
make_crests(struct ts_tile_lives *l, const struct ts_cache *cache, struct ts_err *err)
{
	size_t tiles = CREST_TILES, most = CREST_BYTES / sizeof(*l->crest), groups;
	enum ts_code code;

	if (l->points == 0 || l->tiles == 0)
		return TS_OK;
	while ((l->tiles + tiles - 1) / tiles * l->points > most && tiles < l->tiles)
		tiles *= 2;
	groups = (l->tiles + tiles - 1) / tiles;
	for (size_t i = 0; i < l->tiles; i++)
		if (l->tile[i].base > CREST_MOST || l->tile[i].peak > CREST_MOST)
			return TS_OK;
	code = ts_pile_room(&l->pile[5], groups * l->points * sizeof(*l->crest), cache, err);
	l->crest = l->pile[5].memory;
	l->crest_tiles = code ? 0 : tiles;
	return code;
}

enum ts_code
ts_live_crests(struct ts_tile_lives *l, const struct ts_cache *cache,
	const struct ts_cancel *cancel, struct ts_err *err)
{
	struct ts_live_walk *w = ts_live_walk_new(l);
	struct crest_tree tree = {0};
	bool room = crest_tree_init(&tree, l->points);
	enum ts_code code = w && room ? make_crests(l, cache, err) : ts_err_nomem(err);
	uint32_t *crest = l->pile[5].memory;

	for (size_t i = 0; !code && l->crest_tiles > 0 && i < l->tiles; i++) {
		const struct ts_live_run *run;
		size_t n;

		if (ts_cancelled(cancel))
			code = ts_err_set(err, TS_E_CANCELLED, "cancelled");
		ts_live_walk_tile(w, i);
		n = ts_live_walk_runs(w, &run);
		raise_tile(&tree, l->tile[i].base, run, n);
		if (i + 1 == l->tiles || (i + 1) % l->crest_tiles == 0)
			take_crest(crest + i / l->crest_tiles * l->points, &tree, l->points);
	}
	ts_live_walk_free(w);
	free(tree.node);
	return code;
}
