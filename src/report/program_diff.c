/* SPDX-License-Identifier: MIT */
/*
 * program_diff - see the header. A key is a hash of type and name, a shape one of the key, the repeat count and the shapes
 * of the children in their order: worked out from the leaves up, without recursion.
 */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "tilescope/base/mem.h"
#include "tilescope/report/program_diff.h"

enum { CANCEL_NODES = 4096 };

struct side {
	struct ts_program_world w;
	struct ts_pile key, shape; /* uint64_t by node */
};

struct ts_program_diff {
	struct side side[2]; /* before, after */
	const struct ts_cache *cache;
	struct ts_pile pair;  /* struct ts_program_pair */
	struct ts_pile child; /* uint32_t: pairs */
	struct ts_pile
		table; /* uint32_t: pair + 1 by hash of its nodes, 0 = free; a power of two */
	uint32_t pairs;
	struct ts_program_pair top; /* whose children are the roots */
};

static uint64_t
mix(uint64_t h, uint64_t v)
{
	h ^= v + 0x9e3779b97f4a7c15u + (h << 6) + (h >> 2);
	h *= 0xff51afd7ed558ccdu;
	return h ^ h >> 32;
}

static uint64_t
mix_text(uint64_t h, const char *s, size_t n)
{
	uint64_t v = 14695981039346656037u;

	for (size_t i = 0; s && i < n; i++)
		v = (v ^ (unsigned char)s[i]) * 1099511628211u;
	return mix(h, s ? v : 1);
}

static const struct ts_program_node *
node_of(const struct side *s, uint32_t node)
{
	return (const struct ts_program_node *)s->w.tree->node.memory + node;
}

static uint64_t *
word(const struct ts_pile *p, uint32_t node)
{
	return (uint64_t *)p->memory + node;
}

static const struct ts_program_cost *
cost_of(const struct side *s, uint32_t node)
{
	return ts_program_costs_find(s->w.costs, node_of(s, node)->program);
}

static uint32_t
child_of(const struct side *s, uint32_t node, uint32_t i)
{
	return ((const uint32_t *)s->w.tree->child.memory)[node_of(s, node)->first_edge + i];
}

static uint64_t
key_of(const struct side *s, uint32_t node)
{
	const struct ts_program_cost *p = cost_of(s, node);
	size_t type = 0, name = 0;
	const char *t = p ? ts_program_type(&type, s->w.costs, p) : NULL;
	const char *n = ts_names_find(s->w.names, node_of(s, node)->program, &name);

	return mix_text(mix_text(p ? 2 : 1, t, type), n, name) | 1; /* 0: not known yet */
}

/* --- shapes --------------------------------------------------------------------------------------- */

struct level {
	uint32_t node, next; /* the child that is looked at next */
};

/* All children have theirs, or are being worked out above this one: a circle, which counts as its key. */
static uint64_t
shape_of(const struct side *s, uint32_t node)
{
	const struct ts_program_cost *p = cost_of(s, node);
	uint64_t h = mix(*word(&s->key, node), p ? (uint64_t)p->repeat_count : 0);

	for (uint32_t i = 0; i < node_of(s, node)->edges; i++) {
		uint32_t c = child_of(s, node, i);

		h = mix(h, *word(&s->shape, c) ? *word(&s->shape, c) : *word(&s->key, c));
	}
	return h | 1;
}

/* `seen`: a bit for each node that was begun. */
static enum ts_code
shape_from(struct side *s, struct ts_pile *stack, unsigned char *seen, uint32_t start,
	const struct ts_cache *cache, struct ts_err *err)
{
	struct level first = {start, 0};
	enum ts_code code = ts_pile_add(stack, &first, sizeof(first), cache, err);

	seen[start / 8] |= (unsigned char)(1 << start % 8);
	while (!code && stack->used > 0) {
		struct level *top = (struct level *)stack->memory + stack->used / sizeof(*top) - 1;
		struct level down = {0};

		if (top->next == node_of(s, top->node)->edges) {
			*word(&s->shape, top->node) = shape_of(s, top->node);
			stack->used -= sizeof(*top);
			continue;
		}
		down.node = child_of(s, top->node, top->next++);
		if (seen[down.node / 8] >> down.node % 8 & 1)
			continue;
		seen[down.node / 8] |= (unsigned char)(1 << down.node % 8);
		code = ts_pile_add(stack, &down, sizeof(down), cache, err);
	}
	return code;
}

static enum ts_code
look_at(struct side *s, const struct ts_cache *cache, const struct ts_cancel *cancel,
	struct ts_err *err)
{
	uint32_t nodes = (uint32_t)s->w.tree->nodes;
	struct ts_pile stack = {0}, seen = {0};
	enum ts_code code = ts_pile_room(&s->key, (nodes + 1) * sizeof(uint64_t), cache, err);

	if (!code)
		code = ts_pile_room(&s->shape, (nodes + 1) * sizeof(uint64_t), cache, err);
	if (!code)
		code = ts_pile_room(&seen, nodes / 8 + 1, cache, err);
	if (code)
		goto out;
	memset(s->shape.memory, 0, nodes * sizeof(uint64_t));
	memset(seen.memory, 0, nodes / 8 + 1);
	for (uint32_t i = 0; i < nodes; i++)
		*word(&s->key, i) = key_of(s, i);
	for (uint32_t i = 0; i < nodes && !code; i++) {
		if (i % CANCEL_NODES == 0 && ts_cancelled(cancel))
			code = ts_err_set(err, TS_E_CANCELLED, "cancelled");
		else if (!(((unsigned char *)seen.memory)[i / 8] >> i % 8 & 1))
			code = shape_from(s, &stack, seen.memory, i, cache, err);
	}
out:
	ts_pile_fini(&stack);
	ts_pile_fini(&seen);
	return code;
}

/* --- pairs ---------------------------------------------------------------------------------------- */

static bool
same_sums(const struct ts_program_sums *a, const struct ts_program_sums *b)
{
	return a->programs == b->programs && a->control_code == b->control_code &&
		a->exchange_code == b->exchange_code && a->measured == b->measured &&
		a->estimated == b->estimated && a->steps == b->steps &&
		a->executed == b->executed && a->live == b->live;
}

static bool
same_costs(const struct ts_program_cost *a, const struct ts_program_cost *b)
{
	if (!a || !b)
		return a == b;
	return a->control_code == b->control_code && a->exchange_code == b->exchange_code &&
		a->measured.sum == b->measured.sum && a->measured.most == b->measured.most &&
		a->estimated.sum == b->estimated.sum && a->estimated.most == b->estimated.most &&
		a->steps == b->steps && a->executed == b->executed &&
		a->live_steps == b->live_steps && a->live == b->live;
}

static enum ts_diff_state
state_of(const struct ts_program_diff *d, uint32_t before, uint32_t after)
{
	const struct side *a = &d->side[0], *b = &d->side[1];

	if (before == UINT32_MAX)
		return TS_DIFF_NEW;
	if (after == UINT32_MAX)
		return TS_DIFF_GONE;
	return *word(&a->shape, before) == *word(&b->shape, after) &&
			same_costs(cost_of(a, before), cost_of(b, after)) &&
			same_sums(a->w.below + before, b->w.below + after)
		? TS_DIFF_SAME
		: TS_DIFF_CHANGED;
}

static uint32_t *
slot_of(const struct ts_program_diff *d, uint32_t before, uint32_t after)
{
	size_t mask = d->table.used / sizeof(uint32_t) - 1;
	size_t at = (size_t)mix(mix(0, before), after) & mask;
	uint32_t *table = d->table.memory;
	const struct ts_program_pair *pair = d->pair.memory;

	while (table[at] &&
		(pair[table[at] - 1].before != before || pair[table[at] - 1].after != after))
		at = (at + 1) & mask;
	return table + at;
}

/* Room for twice as many. */
static enum ts_code
grow(struct ts_program_diff *d, struct ts_err *err)
{
	size_t bytes = d->table.used ? d->table.used * 2 : 1024 * sizeof(uint32_t);
	enum ts_code code = ts_pile_room(&d->table, bytes, d->cache, err);
	const struct ts_program_pair *pair = d->pair.memory;

	if (code)
		return code;
	memset(d->table.memory, 0, bytes);
	d->table.used = bytes;
	for (uint32_t i = 0; i < d->pairs; i++)
		*slot_of(d, pair[i].before, pair[i].after) = i + 1;
	return TS_OK;
}

/* The pair of these nodes, put behind the children that are being made. */
static enum ts_code
add(struct ts_program_diff *d, uint32_t before, uint32_t after, struct ts_err *err)
{
	struct ts_program_pair pair = {.before = before, .after = after};
	enum ts_code code = TS_OK;
	uint32_t *slot, number;

	if (before == UINT32_MAX && after == UINT32_MAX)
		return TS_OK; /* a root that is no program */
	if (d->table.used / sizeof(uint32_t) < ((size_t)d->pairs + 1) * 2)
		code = grow(d, err);
	if (code)
		return code;
	slot = slot_of(d, before, after);
	if (!*slot) {
		pair.state = state_of(d, before, after);
		code = ts_pile_add(&d->pair, &pair, sizeof(pair), d->cache, err);
		if (code)
			return code;
		*slot = ++d->pairs;
	}
	number = *slot - 1;
	return ts_pile_add(&d->child, &number, sizeof(number), d->cache, err);
}

/* --- children ------------------------------------------------------------------------------------- */

/* One of the nodes that are paired: `place` in its list, and which of those with its key it is. */
struct one {
	uint64_t key;
	uint32_t place, partner; /* in the other list, or UINT32_MAX */
};

static int
by_key(const void *x, const void *y)
{
	const struct one *a = x, *b = y;

	if (a->key != b->key)
		return a->key < b->key ? -1 : 1;
	return (a->place > b->place) - (a->place < b->place);
}

static int
by_place(const void *x, const void *y)
{
	const struct one *a = x, *b = y;

	return (a->place > b->place) - (a->place < b->place);
}

/* Equal keys find each other in their order. */
static void
find_partners(struct one *a, size_t n, struct one *b, size_t m)
{
	size_t i = 0, j = 0;

	qsort(a, n, sizeof(*a), by_key);
	qsort(b, m, sizeof(*b), by_key);
	while (i < n && j < m) {
		if (a[i].key == b[j].key) {
			a[i].partner = b[j].place;
			b[j++].partner = a[i++].place;
		} else if (a[i].key < b[j].key) {
			i++;
		} else {
			j++;
		}
	}
	qsort(a, n, sizeof(*a), by_place);
	qsort(b, m, sizeof(*b), by_place);
}

/* A list of nodes with their keys; roots are known by kind and number. */
struct list {
	size_t n;
	uint32_t *node;
	struct one *one;
};

static enum ts_code
list_of(struct list *l, const struct side *s, const struct ts_program_pair *of, uint32_t node,
	const struct ts_program_diff *d, struct ts_err *err)
{
	const struct ts_program_root *root = s->w.tree->root.memory;
	bool top = of == &d->top;

	*l = (struct list){.n = top	     ? s->w.tree->roots
			: node == UINT32_MAX ? 0
					     : node_of(s, node)->edges};
	l->node = ts_alloc(l->n + 1, sizeof(*l->node));
	l->one = ts_alloc(l->n + 1, sizeof(*l->one));
	if (!l->node || !l->one)
		return ts_err_nomem(err);
	for (uint32_t i = 0; i < l->n; i++) {
		l->node[i] = top ? ts_program_tree_find(s->w.tree, root[i].program)
				 : child_of(s, node, i);
		l->one[i] = (struct one){top ? mix(root[i].function, (uint64_t)root[i].position)
					     : *word(&s->key, l->node[i]),
			i, UINT32_MAX};
	}
	return TS_OK;
}

static void
list_fini(struct list *l)
{
	free(l->node);
	free(l->one);
}

/* What is gone from *i on, up to what has a partner. */
static enum ts_code
add_gone(struct ts_program_diff *d, const struct list *a, size_t i, struct ts_err *err)
{
	enum ts_code code = TS_OK;

	for (; !code && i < a->n && a->one[i].partner == UINT32_MAX; i++)
		code = add(d, a->node[i], UINT32_MAX, err);
	return code;
}

static enum ts_code
make_children(struct ts_program_diff *d, struct ts_program_pair *made,
	const struct ts_program_pair *of, struct ts_err *err)
{
	struct list a = {0}, b = {0};
	enum ts_code code = list_of(&a, &d->side[0], of, made->before, d, err);

	if (!code)
		code = list_of(&b, &d->side[1], of, made->after, d, err);
	made->first_child = (uint32_t)(d->child.used / sizeof(uint32_t));
	if (!code) {
		find_partners(a.one, a.n, b.one, b.n);
		code = add_gone(d, &a, 0, err);
	}
	for (size_t j = 0; !code && j < b.n; j++) {
		uint32_t i = b.one[j].partner;

		code = add(d, i == UINT32_MAX ? UINT32_MAX : a.node[i], b.node[j], err);
		if (!code && i != UINT32_MAX)
			code = add_gone(d, &a, (size_t)i + 1, err);
	}
	made->children = (uint32_t)(d->child.used / sizeof(uint32_t)) - made->first_child;
	made->known = !code;
	list_fini(&a);
	list_fini(&b);
	return code;
}

enum ts_code
ts_program_diff_children(const uint32_t **pair, uint32_t *n, struct ts_program_diff *d, uint32_t of,
	struct ts_err *err)
{
	struct ts_program_pair *p = of == UINT32_MAX
		? &d->top
		: (struct ts_program_pair *)d->pair.memory + of;
	struct ts_program_pair made = *p; /* the pile moves when it grows */
	enum ts_code code = made.known ? TS_OK : make_children(d, &made, p, err);

	*n = 0;
	*pair = NULL;
	if (code)
		return code;
	if (of == UINT32_MAX)
		d->top = made;
	else
		((struct ts_program_pair *)d->pair.memory)[of] = made;
	*n = made.children;
	*pair = (const uint32_t *)d->child.memory + made.first_child;
	return TS_OK;
}

const struct ts_program_pair *
ts_program_diff_pair(const struct ts_program_diff *d, uint32_t pair)
{
	return (const struct ts_program_pair *)d->pair.memory + pair;
}

enum ts_code
ts_program_diff_new(struct ts_program_diff **out, const struct ts_program_world *before,
	const struct ts_program_world *after, const struct ts_cache *cache,
	const struct ts_cancel *cancel, struct ts_err *err)
{
	struct ts_program_diff *d = *out = ts_alloc(1, sizeof(*d));
	enum ts_code code = d ? TS_OK : ts_err_nomem(err);

	if (code)
		return code;
	d->cache = cache;
	d->side[0].w = *before;
	d->side[1].w = *after;
	d->top = (struct ts_program_pair){.before = UINT32_MAX, .after = UINT32_MAX};
	for (int i = 0; i < 2 && !code; i++)
		code = look_at(&d->side[i], cache, cancel, err);
	if (code) {
		ts_program_diff_free(d);
		*out = NULL;
	}
	return code;
}

void
ts_program_diff_free(struct ts_program_diff *d)
{
	if (!d)
		return;
	for (int i = 0; i < 2; i++) {
		ts_pile_fini(&d->side[i].key);
		ts_pile_fini(&d->side[i].shape);
	}
	ts_pile_fini(&d->pair);
	ts_pile_fini(&d->child);
	ts_pile_fini(&d->table);
	free(d);
}
