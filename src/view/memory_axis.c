/* SPDX-License-Identifier: MIT */
/*
 * memory_axis - the order in which the graph of the Memory view has the tiles: by their numbers, or by their physical
 * numbers in each IPU, as the map.
 *
 * Everything else of the view knows *places* in the list of tiles, which is by number. The span and the columns of the
 * plot know *positions* on the axis; both are the same but in physical order. The tiles of an IPU stand together in
 * either, so that an IPU has the same positions as places.
 */
#include "config.h"

#include <stdlib.h>

#include "memory_internal.h"

void
memory_axis_drop(struct memory_view *m)
{
	free(m->axis.place);
	free(m->axis.values);
	m->axis = (struct memory_axis){0};
}

struct by_physical {
	int64_t physical;
	int32_t place;
};

static int
lower_first(const void *a, const void *b)
{
	const struct by_physical *x = a, *y = b;

	if (x->physical != y->physical)
		return x->physical < y->physical ? -1 : 1;
	return (x->place > y->place) - (x->place < y->place);
}

/* Positions [from, to) are of one IPU. */
static void
order_ipu(struct memory_axis *a, struct by_physical *list, int64_t from, int64_t to)
{
	qsort(list + from, (size_t)(to - from), sizeof(*list), lower_first);
	for (int64_t i = from; i < to; i++) {
		a->place[i] = list[i].place;
		a->position[list[i].place] = (int32_t)i;
	}
}

void
memory_axis_make(struct memory_view *m)
{
	const struct memory_tiles *t = m->tiles;
	struct memory_axis a = {.of = t};
	struct by_physical *list = NULL;
	size_t n;

	memory_axis_drop(m);
	m->axis.of = t;
	if (!m->map.physical || !memory_has_tiles(m) || !memory_has_physical(m))
		return;
	n = (size_t)t->n;
	list = ts_alloc(n, sizeof(*list));
	a.place = ts_alloc(2 * n, sizeof(*a.place));
	a.values = ts_alloc(n, sizeof(*a.values));
	if (!list || !a.place || !a.values) {
		free(list);
		free(a.place);
		free(a.values);
		ts_view_say_error(m->view.env, "out of memory");
		return;
	}
	a.position = a.place + n;
	for (int64_t i = 0; i < t->n; i++)
		list[i] = (struct by_physical){t->tiles.tile[i].physical, (int32_t)i};
	for (int64_t i = 0, to; i < t->n; i = to) {
		for (to = i + 1; to < t->n && t->ipu[to] == t->ipu[i];)
			to++;
		order_ipu(&a, list, i, to);
	}
	free(list);
	m->axis = a;
}

const int64_t *
memory_on_axis(const struct memory_view *m, const int64_t *values)
{
	if (!m->axis.place || !values)
		return values;
	for (int64_t i = 0; i < m->tiles->n; i++)
		m->axis.values[i] = values[m->axis.place[i]];
	return m->axis.values;
}
