/* SPDX-License-Identifier: MIT */
/* top - see the header: a heap whose root is the one that goes next. */
#include "config.h"

#include <stdlib.h>

#include "tilescope/base/mem.h"
#include "tilescope/calc/top.h"

bool
ts_top_init(struct ts_top *t, int cap)
{
	*t = (struct ts_top){.cap = cap, .entry = ts_alloc((size_t)cap, sizeof(*t->entry))};
	return t->entry;
}

void
ts_top_fini(struct ts_top *t)
{
	free(t->entry);
	*t = (struct ts_top){0};
}

/* Does x come behind y? */
static bool
behind(const struct ts_top_entry *x, const struct ts_top_entry *y)
{
	return x->value != y->value ? x->value < y->value : x->tie > y->tie;
}

static void
sift_down(struct ts_top_entry *e, int n, int i)
{
	for (int child; (child = 2 * i + 1) < n; i = child) {
		struct ts_top_entry moved = e[i];

		if (child + 1 < n && behind(&e[child + 1], &e[child]))
			child++;
		if (!behind(&e[child], &e[i]))
			return;
		e[i] = e[child];
		e[child] = moved;
	}
}

bool
ts_top_takes(const struct ts_top *t, int64_t value, int64_t tie)
{
	const struct ts_top_entry new = {.value = value, .tie = tie};

	return t->count < t->cap || (t->cap > 0 && behind(&t->entry[0], &new));
}

int
ts_top_offer(struct ts_top *t, int64_t value, int64_t tie)
{
	struct ts_top_entry new = {value, tie, t->count};
	int i = t->count;

	if (!ts_top_takes(t, value, tie))
		return -1;
	if (t->count == t->cap) {
		new.slot = t->entry[0].slot;
		t->entry[0] = new;
		sift_down(t->entry, t->count, 0);
		return new.slot;
	}
	t->count++;
	for (; i > 0 && behind(&new, &t->entry[(i - 1) / 2]); i = (i - 1) / 2)
		t->entry[i] = t->entry[(i - 1) / 2];
	t->entry[i] = new;
	return new.slot;
}

void
ts_top_sort(struct ts_top *t)
{
	for (int n = t->count; n > 1; n--) {
		struct ts_top_entry last = t->entry[0];

		t->entry[0] = t->entry[n - 1];
		t->entry[n - 1] = last;
		sift_down(t->entry, n - 1, 0);
	}
}
