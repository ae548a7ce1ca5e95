/* SPDX-License-Identifier: MIT */
/* operation_members - see the header. What belongs to a node climbs from there, as it does when figures are added up. */
#include "config.h"

#include "tilescope/report/operation_members.h"

#include "operations_internal.h"

enum { LOOK = 4096 };

struct listing {
	struct ts_pile *out;
	const struct ts_operations *o;
	const struct ts_cache *cache;
	const struct ts_cancel *cancel;
	size_t looked;
};

static enum ts_code
put(struct listing *w, uint32_t node, uint32_t item, bool own, struct ts_err *err)
{
	struct ts_operation_member m = {node, item, own};

	if (w->out->used / sizeof(m) >= TS_OPERATION_ROWS)
		return ts_err_set(err, TS_E_LIMIT, "too much belongs to too many operations");
	if (w->looked++ % LOOK == 0 && ts_cancelled(w->cancel))
		return ts_err_set(err, TS_E_CANCELLED, "cancelled");
	return ts_pile_add(w->out, &m, sizeof(m), w->cache, err);
}

static int
by_node(const void *a, const void *b)
{
	const struct ts_operation_member *x = a, *y = b;

	if (x->node != y->node)
		return x->node < y->node ? -1 : 1;
	if (x->item != y->item)
		return x->item < y->item ? -1 : 1;
	return (y->own > x->own) - (y->own < x->own);
}

/* Each pair once: its own, where it is met as both. */
static enum ts_code
put_together(struct listing *w, struct ts_err *err)
{
	struct ts_operation_member *m;
	size_t n = w->out->used / sizeof(*m), kept = 0;
	enum ts_code code = ts_pile_sort(w->out, n, sizeof(*m), by_node, w->cache, w->cancel, err);

	m = w->out->memory;
	for (size_t i = 0; !code && i < n; i++)
		if (kept == 0 || m[kept - 1].node != m[i].node || m[kept - 1].item != m[i].item)
			m[kept++] = m[i];
	w->out->used = kept * sizeof(*m);
	return code;
}

enum ts_code
ts_operation_programs_read(struct ts_pile *out, const struct ts_operations *o,
	const struct ts_cache *cache, const struct ts_cancel *cancel, struct ts_err *err)
{
	struct listing w = {.out = out, .o = o, .cache = cache, .cancel = cancel};
	uint64_t i = 0;
	enum ts_code code = TS_OK;

	for (uint32_t p = 0; !code && p < o->costs->count; p++) {
		if (i >= o->owns || o->own[i].program != p)
			code = put(&w, TS_NO_OPERATION, p, false, err);
		for (; !code && i < o->owns && o->own[i].program == p; i++) {
			uint64_t layers = 0;

			for (uint32_t at = o->own[i].node; !code && at != TS_NO_OPERATION;
				at = o->node[at].parent)
				code = put(&w, at, p, ts_op_counts_in(o, &o->own[i], at, &layers),
					err);
		}
	}
	return code ? code : put_together(&w, err);
}

enum ts_code
ts_operation_contexts_read(struct ts_pile *out, const struct ts_operations *o,
	const struct ts_cache *cache, const struct ts_cancel *cancel, struct ts_err *err)
{
	struct listing w = {.out = out, .o = o, .cache = cache, .cancel = cancel};
	enum ts_code code = TS_OK;

	for (uint32_t i = 0; !code && i < o->count; i++) {
		uint64_t layers = 0;

		if (!ts_operation_stands(o, &o->node[i]))
			continue;
		for (uint32_t at = i; !code && at != TS_NO_OPERATION; at = o->node[at].parent) {
			uint64_t bit = UINT64_C(1) << o->node[at].layer;

			code = put(&w, at, i, !(layers & bit), err);
			layers |= bit;
		}
	}
	return code ? code : put_together(&w, err);
}
