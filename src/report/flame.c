/* SPDX-License-Identifier: MIT */
/*
 * flame - see the header.
 *
 * Each row adds to the cell of its stack's last frame and to those above it, which cells know by number. The union of
 * intervals is kept as rows come: what lies behind the furthest end so far is new. That holds when the starts of an IPU
 * rise along its rows, as they do; where they fall nothing is said about it.
 */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "flame_internal.h"

#include "tilescope/base/mem.h"
#include "tilescope/report/pair_slots.h"
#include "tilescope/report/memory.h"

/* --- cells ------------------------------------------------------------------------------------------ */

static struct ts_flame_cell *
cell_at(struct ts_flame *f, uint32_t i)
{
	return (struct ts_flame_cell *)f->cell.memory + i;
}

static void
pair_of(uint32_t pair[2], const void *of, uint32_t i)
{
	const struct ts_flame_cell *k = ts_flame_cell_at(of, i);

	pair[0] = k->frame;
	pair[1] = k->ipu;
}

/* The cell of a frame on an IPU: false when there is none. */
static bool
find_cell(uint32_t *cell, const struct ts_flame *f, uint32_t frame, uint32_t ipu)
{
	*cell = ts_pair_find(&f->slot, pair_of, f, frame, ipu);
	return *cell != TS_PAIR_NONE;
}

static enum ts_code
add_cell(uint32_t *cell, struct ts_flame *f, uint32_t frame, uint32_t ipu, uint32_t up,
	struct ts_err *err)
{
	struct ts_flame_cell k = {.frame = frame, .ipu = ipu, .up = up, .reach = INT64_MIN};
	enum ts_code code = ts_pile_add(&f->cell, &k, sizeof(k), f->frames.cache, err);

	*cell = f->cells;
	return code ? code : ts_pair_add(&f->slot, pair_of, f, ++f->cells, f->frames.cache, err);
}

/* The cell of a frame, made with all above it if need be: from the run down. */
static enum ts_code
cell_of(uint32_t *cell, struct ts_flame *f, uint32_t frame, uint32_t ipu, struct ts_err *err)
{
	int depth = ts_frame_at(&f->frames, frame)->depth;
	uint32_t up = 0;
	enum ts_code code = TS_OK;

	if (find_cell(cell, f, frame, ipu))
		return TS_OK;
	for (int d = 0; d <= depth && !code; d++) {
		uint32_t k = ts_frame_up(&f->frames, frame, d);

		if (!find_cell(cell, f, k, ipu))
			code = add_cell(cell, f, k, ipu, d > 0 ? up : f->cells, err);
		up = *cell;
	}
	return code;
}

/* --- rows ------------------------------------------------------------------------------------------- */

/* The number of an IPU; f->ipus when there are too many. They take turns, so the next one is a good guess. */
static enum ts_code
number_of(uint32_t *number, struct ts_flame *f, int64_t ipu, struct ts_err *err)
{
	size_t i = f->hint < f->ipus ? f->hint : 0;

	if (f->ipus == 0 || f->ipu[i] != ipu)
		for (i = 0; i < f->ipus && f->ipu[i] != ipu;)
			i++;
	if (i == f->ipus && i < TS_IPUS_MAX) {
		int64_t *more = ts_resize(f->ipu, i + 1, sizeof(*more)), *last;

		if (!more)
			return ts_err_nomem(err);
		f->ipu = more;
		last = ts_resize(f->last_start, i + 1, sizeof(*last));
		if (!last)
			return ts_err_nomem(err);
		f->last_start = last;
		f->ipu[i] = ipu;
		f->last_start[i] = INT64_MIN;
		f->ipus++;
	}
	f->hint = i + 1;
	*number = (uint32_t)i;
	return TS_OK;
}

/* The part of a row that is in the range: false when none is. */
static bool
clip(const struct ts_flame_range *r, const struct ts_slice *s, int64_t *from, int64_t *to,
	int64_t *cycles)
{
	*from = ts_max_i64(s->start, r->from);
	*to = ts_min_i64(s->end, r->to);
	*cycles = s->cycles;
	if (r->steps > 0 && (s->step < r->first_step || s->step - r->first_step >= r->steps))
		return false;
	if (s->start >= s->end) /* without a length, or reversed: it is where it starts */
		return s->start >= r->from && s->start < r->to;
	if (*from >= *to)
		return false;
	if (*from > s->start || *to < s->end)
		*cycles = ts_min_i64(s->cycles, *to - *from);
	return true;
}

static void
add_up(struct ts_flame *f, uint32_t cell, int64_t cycles, int64_t from, int64_t to)
{
	struct ts_flame_cell *k = cell_at(f, cell);

	k->sum.own += cycles;
	for (;; k = cell_at(f, k->up)) {
		k->sum.cycles += cycles;
		k->sum.steps++;
		if (to > from && to > k->reach) {
			k->sum.covered += to - ts_max_i64(from, k->reach);
			k->reach = to;
		}
		if (k->frame == TS_FRAME_RUN)
			break;
	}
}

static enum ts_code
add_slice(struct ts_flame *f, const struct ts_slice *s, struct ts_err *err)
{
	int64_t from, to, cycles;
	uint32_t ipu = 0, cell;
	enum ts_code code;

	if (s->orphan || !clip(&f->range, s, &from, &to, &cycles))
		return TS_OK;
	if (s->cycles == TS_UNKNOWN) {
		f->bad_cycles++;
		return TS_OK;
	}
	code = number_of(&ipu, f, s->ipu, err);
	if (code)
		return code;
	if (ipu == TS_IPUS_MAX || !ts_add_i64(&f->total, cycles)) {
		f->overflowed++;
		return TS_OK;
	}
	f->rows++;
	f->falls |= s->start < f->last_start[ipu];
	f->last_start[ipu] = s->start;
	if (f->step != s->step) {
		code = ts_frames_leaf(&f->leaf, &f->frames, s, err);
		f->step = s->step;
	}
	if (!code)
		code = cell_of(&cell, f, f->leaf, ipu, err);
	if (!code)
		add_up(f, cell, cycles, from, to);
	return code;
}

/* The rows that may be in the range. */
static enum ts_code
open_slices(struct ts_slices **out, struct ts_reader *rd, const struct ts_trace *t,
	const struct ts_flame *f, struct ts_progress *progress, struct ts_err *err)
{
	const struct ts_flame_range *r = &f->range;

	return ts_slices_open_range(out, rd, t, ts_max_i64(r->from, t->from),
		ts_min_i64(r->to, t->to), f->frames.cache, progress, err);
}

static enum ts_code
read_rows(struct ts_flame *f, struct ts_reader *rd, const struct ts_trace *t,
	struct ts_progress *progress, struct ts_err *err)
{
	struct ts_slices *slices = NULL;
	const struct ts_slice *s;
	enum ts_code code = open_slices(&slices, rd, t, f, progress, err);

	while (!code && !(code = ts_slices_next(&s, slices, err)) && s)
		code = add_slice(f, s, err);
	if (slices) {
		f->left_out = ts_slices_left_out(slices);
		f->unseen = ts_slices_unseen(slices);
	}
	ts_slices_close(slices);
	return code;
}

enum ts_code
ts_flame_read(struct ts_flame **out, struct ts_reader *rd, const struct ts_trace *t,
	struct ts_frame_contexts *contexts, struct ts_flame_range range,
	const struct ts_cache *cache, struct ts_progress *progress, struct ts_err *err)
{
	struct ts_flame *f = *out = ts_alloc(1, sizeof(*f));
	enum ts_code code, ranked;
	uint32_t ranks;
	bool done = false;

	if (!f)
		return ts_err_nomem(err);
	atomic_init(&f->uses, 1);
	f->range = range;
	f->step = TS_UNKNOWN;
	code = ts_frames_init(&f->frames, contexts, cache, err);
	if (!code)
		code = flame_of_stacks(&done, f, rd, err);
	if (!code && !done)
		code = read_rows(f, rd, t, progress, err);
	if (!code || code == TS_E_DAMAGED) {
		ranked = ts_dictionary_rank(&f->frames.names, &ranks, rd->cancel, err);
		code = ranked ? ranked : code;
	}
	if (code && code != TS_E_DAMAGED) {
		ts_flame_release(f);
		*out = NULL;
	}
	return code;
}

struct ts_flame *
ts_flame_hold(struct ts_flame *f)
{
	if (f)
		atomic_fetch_add(&f->uses, 1);
	return f;
}

void
ts_flame_release(struct ts_flame *f)
{
	if (!f || atomic_fetch_sub(&f->uses, 1) > 1)
		return;
	ts_frames_fini(&f->frames);
	ts_pile_fini(&f->cell);
	ts_pile_fini(&f->slot);
	free(f->ipu);
	free(f->last_start);
	free(f);
}

/* --- the tree of an IPU ----------------------------------------------------------------------------- */

/* Sums by frame. */
struct item {
	uint32_t frame, parent;
	uint32_t rank; /* of its name */
	uint16_t depth;
	struct ts_flame_sum sum;
};

/* The children of a frame follow on each other, the heaviest first; equal ones by their names. */
static int
by_parent(const void *a, const void *b)
{
	const struct item *x = a, *y = b;

	if (x->depth != y->depth) /* the run, whose parent is itself, is the first */
		return x->depth < y->depth ? -1 : 1;
	if (x->parent != y->parent)
		return x->parent < y->parent ? -1 : 1;
	if (x->sum.cycles != y->sum.cycles)
		return x->sum.cycles > y->sum.cycles ? -1 : 1;
	return x->rank < y->rank ? -1 : x->rank > y->rank;
}

static void
add_sum(struct ts_flame_sum *to, const struct ts_flame_sum *from, bool falls)
{
	to->cycles += from->cycles; /* the total fits, and is more */
	to->own += from->own;
	to->steps += from->steps;
	if (falls || to->covered == TS_UNKNOWN || !ts_add_i64(&to->covered, from->covered))
		to->covered = TS_UNKNOWN;
}

/* The frames that are there, sorted; *n of them. NULL: no memory. */
static struct item *
items_of(size_t *n, const struct ts_flame *f, int64_t ipu)
{
	struct item *item = ts_alloc(f->frames.count, sizeof(*item));

	*n = 0;
	for (uint32_t i = 0; item && i < f->cells; i++) {
		const struct ts_flame_cell *k = ts_flame_cell_at(f, i);

		if (ipu == TS_UNKNOWN || f->ipu[k->ipu] == ipu)
			add_sum(&item[k->frame].sum, &k->sum, f->falls);
	}
	for (uint32_t i = 0; item && i < f->frames.count; i++) {
		const struct ts_frame *frame = ts_frame_at(&f->frames, i);

		if (item[i].sum.steps == 0)
			continue;
		item[*n] = (struct item){i, frame->parent,
			ts_dictionary_at(&f->frames.names, frame->name)->rank, frame->depth,
			item[i].sum};
		++*n;
	}
	if (item)
		qsort(item, *n, sizeof(*item), by_parent);
	return item;
}

/* Of each frame where its children begin among the items; SIZE: none. */
static uint32_t *
children_of(const struct item *item, size_t n, uint32_t frames)
{
	uint32_t *first = ts_alloc(frames, sizeof(*first));

	for (size_t i = n; first && i-- > 1;)
		first[item[i].parent] = (uint32_t)i;
	return first;
}

/* Put the items into the order of the tree: each is followed by what is in it. */
static void
put_nodes(struct ts_flame_tree *t, const struct item *item, size_t n, const uint32_t *first)
{
	uint32_t at[TS_FRAMES_DEPTH + 1] = {0}, node[TS_FRAMES_DEPTH + 1] = {0};
	int depth = 0;

	while (depth >= 0) {
		const struct item *k = &item[at[depth]];
		uint32_t child;

		node[depth] = (uint32_t)t->count;
		t->node[t->count++] = (struct ts_flame_node){.frame = k->frame,
			.parent = depth > 0 ? node[depth - 1] : 0,
			.sum = k->sum};
		child = first[k->frame];
		if (child > 0) {
			at[++depth] = child;
			continue;
		}
		for (; depth >= 0; depth--) { /* the next one, of the same parent or further out */
			uint32_t next = at[depth] + 1;

			t->node[node[depth]].inside = (uint32_t)t->count - node[depth] - 1;
			if (depth > 0 && next < n && item[next].parent == item[at[depth]].parent &&
				item[next].depth == item[at[depth]].depth) {
				at[depth] = next;
				break;
			}
		}
	}
}

/* Cycles by class of the frames that are open while the nodes are gone through. */
struct open_node {
	uint32_t node;
	int64_t cycles[TS_CLASS_COUNT];
};

static void
close_node(struct ts_flame_tree *t, struct open_node *open, int depth)
{
	struct ts_flame_node *k = &t->node[open[depth].node];

	for (int c = 0; c < TS_CLASS_COUNT; c++) {
		if (open[depth].cycles[c] > open[depth].cycles[k->class_of])
			k->class_of = (uint8_t)c;
		if (depth > 0)
			open[depth - 1].cycles[c] += open[depth].cycles[c];
	}
	if (depth > 0)
		t->node[open[depth - 1].node].classes |= k->classes;
}

/* The class of a frame is that of most of its cycles. */
static void
classify(struct ts_flame_tree *t)
{
	struct open_node open[TS_FRAMES_DEPTH + 1];
	int depth = -1;

	for (uint32_t i = 0; i < t->count; i++) {
		const struct ts_frame *f = ts_frame_at(&t->flame->frames, t->node[i].frame);

		for (; depth >= (int)f->depth; depth--)
			close_node(t, open, depth);
		open[++depth] = (struct open_node){.node = i};
		if (!f->steps)
			continue;
		t->node[i].classes = (uint16_t)(1u << f->class_of);
		t->node[i].class_of = f->class_of;
		open[depth].cycles[f->class_of] = t->node[i].sum.own;
	}
	for (; depth >= 0; depth--)
		close_node(t, open, depth);
}

enum ts_code
ts_flame_tree_make(struct ts_flame_tree *t, struct ts_flame *f, int64_t ipu, struct ts_err *err)
{
	struct item *item;
	uint32_t *first;
	size_t n;

	*t = (struct ts_flame_tree){.flame = ts_flame_hold(f), .ipu = ipu};
	item = items_of(&n, f, ipu);
	first = item ? children_of(item, n, f->frames.count) : NULL;
	t->node = first ? ts_alloc(n, sizeof(*t->node)) : NULL;
	if (t->node && n > 0)
		put_nodes(t, item, n, first);
	if (t->node)
		classify(t);
	free(item);
	free(first);
	return t->node ? TS_OK : ts_err_nomem(err);
}

void
ts_flame_tree_fini(struct ts_flame_tree *t)
{
	ts_flame_release(t->flame);
	free(t->node);
	*t = (struct ts_flame_tree){0};
}
