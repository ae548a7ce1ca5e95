/* SPDX-License-Identifier: MIT */
/*
 * operations_contexts - debug contexts from those that objects name up to their roots, each read once.
 *
 * Parents are given by a file that may say anything. A circle is broken above the one of it with the lowest number, so
 * that it does not matter who came to it first. Walks up mark what they have passed; each context is passed twice.
 */
#include "config.h"

#include "tilescope/base/mem.h"

#include "operations_internal.h"

enum { PROGRESS = 256 };

static enum ts_code
keep_text(int32_t *to, struct op_making *k, const struct ts_strbuf *s, struct ts_err *err)
{
	uint32_t entry;
	enum ts_code code;

	*to = TS_DICTIONARY_NONE;
	if (s->len == 0)
		return TS_OK;
	code = ts_dictionary_text(&k->texts, &entry, s->s, s->len, err);
	if (!code && entry <= INT32_MAX)
		*to = (int32_t)entry;
	return code;
}

/* One more context; *index is where it stands. */
static enum ts_code
add(uint32_t *index, struct op_making *k, uint64_t id, struct ts_err *err)
{
	struct op_context c = {.id = id,
		.parent = TS_NO_OPERATION,
		.node = TS_NO_OPERATION,
		.door = TS_NO_OPERATION,
		.op = TS_NO_OPERATION};
	enum ts_code code = ts_context_step_read(&k->one, &k->steps, id, err);

	if (!code && k->contexts % PROGRESS == 0 && ts_cancelled(k->rd->cancel))
		code = ts_err_set(err, TS_E_CANCELLED, "cancelled");
	if (!code)
		code = keep_text(&c.name, k, &k->one.name, err);
	if (!code)
		code = keep_text(&c.layer, k, &k->one.layer, err);
	if (code)
		return code;
	c.found = k->one.found;
	c.cut = k->one.has_parent;
	c.parent_id = k->one.parent;
	k->o->missing += !c.found;
	code = ts_dictionary_number(&k->ids, index, (int64_t)id, "", 0, err);
	if (!code)
		code = ts_pile_add(&k->context, &c, sizeof(c), k->cache, err);
	k->contexts += !code;
	if (k->contexts % PROGRESS == 0)
		ts_progress_set(k->progress, (int64_t)k->contexts, 0);
	return code;
}

/* `cut` is whether a context has a parent that is not known, until that one is found. */
enum ts_code
ts_op_context(uint32_t *index, struct op_making *k, uint64_t id, struct ts_err *err)
{
	int64_t known = ts_dictionary_find(&k->ids, (int64_t)id);
	uint32_t at = TS_NO_OPERATION, below = TS_NO_OPERATION;
	enum ts_code code = TS_OK;

	*index = TS_NO_OPERATION;
	if (!k->steps.any)
		return TS_OK;
	while (known == TS_DICTIONARY_NONE && k->contexts < TS_OPERATION_CONTEXTS) {
		code = add(&at, k, id, err);
		if (code)
			return code;
		if (below == TS_NO_OPERATION)
			*index = at;
		else
			ts_op_context_at(k, below)->parent = at;
		if (!ts_op_context_at(k, at)->cut)
			return TS_OK;
		id = ts_op_context_at(k, at)->parent_id;
		known = ts_dictionary_find(&k->ids, (int64_t)id);
		below = at;
	}
	if (known == TS_DICTIONARY_NONE) {
		k->o->left_out++;
		return TS_OK;
	}
	if (below == TS_NO_OPERATION)
		*index = (uint32_t)known;
	else
		ts_op_context_at(k, below)->parent = (uint32_t)known;
	return TS_OK;
}

/* The circle that `at` is in: its lowest number becomes a root. */
static void
break_circle(struct op_making *k, uint32_t at)
{
	struct op_context *c = ts_op_context_at(k, 0), *lowest = &c[at];

	for (uint32_t i = c[at].parent; i != at; i = c[i].parent)
		if (c[i].id < lowest->id)
			lowest = &c[i];
	lowest->parent = TS_NO_OPERATION;
	lowest->cut = true;
}

static void
break_circles(struct op_making *k)
{
	struct op_context *c = ts_op_context_at(k, 0);

	for (uint32_t i = 0; i < k->contexts; i++)
		c[i].mark = 0;
	for (uint32_t i = 0; i < k->contexts; i++) {
		uint32_t at = i;

		for (; at != TS_NO_OPERATION && c[at].mark == 0; at = c[at].parent)
			c[at].mark = i + 1;
		if (at != TS_NO_OPERATION && c[at].mark == i + 1)
			break_circle(k, at);
	}
}

static void
count_depths(struct op_making *k)
{
	struct op_context *c = ts_op_context_at(k, 0);

	for (uint32_t i = 0; i < k->contexts; i++) {
		uint32_t n = 0, at;

		for (at = i; at != TS_NO_OPERATION && !c[at].deep; at = c[at].parent)
			n++;
		n += at == TS_NO_OPERATION ? 0 : c[at].depth + 1;
		for (at = i; at != TS_NO_OPERATION && !c[at].deep; at = c[at].parent) {
			c[at].depth = --n;
			c[at].deep = true;
		}
	}
}

void
ts_op_contexts_settle(struct op_making *k)
{
	struct op_context *c = ts_op_context_at(k, 0);

	if (k->contexts == 0)
		return;
	for (uint32_t i = 0; i < k->contexts; i++) {
		if (c[i].parent != TS_NO_OPERATION && c[c[i].parent].found)
			c[i].cut = false;
		else
			c[i].parent = TS_NO_OPERATION;
		c[i].deep = false;
	}
	break_circles(k);
	count_depths(k);
}

void
ts_op_contexts_doors(struct op_making *k)
{
	struct op_context *c = ts_op_context_at(k, 0);

	for (uint32_t i = 0; i < k->contexts; i++) {
		uint32_t at = i, door;

		while (at != TS_NO_OPERATION && c[at].door == TS_NO_OPERATION)
			at = c[at].parent;
		door = at == TS_NO_OPERATION ? TS_NO_OPERATION : c[at].door;
		for (at = i; door != TS_NO_OPERATION && c[at].door == TS_NO_OPERATION;
			at = c[at].parent)
			c[at].door = door;
	}
}
