/* SPDX-License-Identifier: MIT */
/*
 * operations_graph - what `:write FILE.dot` writes: the operations that are shown (of a layer, by group, or the tree; with a filter
 * those that pass), or, with the keys in the tab of producers and consumers, the operation and its neighbours.
 */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>

#include "operations_internal.h"

#include "tilescope/base/mem.h"

static bool
refuse(struct ts_operation_graph *g, const char *why)
{
	snprintf(g->title, sizeof(g->title), "%s", why);
	return false;
}

/* Numbers of operations, ascending: one pass over a byte for each that there is. */
static bool
take_nodes(struct ts_operation_graph *g, const unsigned char *in, uint32_t count)
{
	struct ts_err err = {0};
	enum ts_code code = TS_OK;

	for (uint32_t i = 0; !code && i < count; i++)
		if (in[i])
			code = ts_pile_add(&g->node, &i, sizeof(i), NULL, &err);
	return code ? refuse(g, err.msg) : true;
}

static void
say_shown(struct ts_operation_graph *g, const struct operations_shape *x)
{
	const struct operations_wish *w = &x->wish;
	size_t n, shown = g->node.used / sizeof(uint32_t);
	const char *layer = ts_operation_layer_name(&n, x->ops, w->layer);
	char of[80], filter[200] = "", rollup[160] = "";

	snprintf(of, sizeof(of), "layer %.*s", (int)ts_min_i64((int64_t)n, 60), layer);
	if (w->filter[0])
		snprintf(filter, sizeof(filter), ", filter %.180s", w->filter);
	if (x->groups)
		snprintf(rollup, sizeof(rollup), ", groups by %.140s", w->rollup);
	snprintf(g->title, sizeof(g->title), "%.70s%.150s%.190s: %zu of %llu operations",
		w->tree ? "all layers" : of, rollup, filter, shown,
		(unsigned long long)(w->tree ? x->ids.nodes : x->ops->layer[w->layer].count));
}

static bool
graph_shown(struct ts_operation_graph *g, const struct operations_shape *x)
{
	const uint32_t *list = x->list.memory;
	unsigned char *in = ts_alloc((size_t)x->ids.nodes + 1, 1);
	bool taken;

	if (!in)
		return refuse(g, "out of memory");
	for (size_t i = 0; i < x->shown; i++)
		if (list[i] < x->ids.nodes)
			in[list[i]] = 1;
	taken = take_nodes(g, in, x->ids.nodes);
	free(in);
	if (!taken)
		return false;
	if (g->node.used == 0)
		return refuse(g, "no operation is shown");
	g->groups = x->groups ? ts_operation_groups_hold(x->groups) : NULL;
	g->below = x->wish.tree;
	g->layer = x->wish.tree ? ts_operation_flow_layer(x->ops) : x->wish.layer;
	say_shown(g, x);
	return true;
}

static bool
graph_links(struct ts_operation_graph *g, const struct operations_view *s,
	const struct ts_operation_links *l, uint32_t of)
{
	unsigned char *in = ts_alloc((size_t)s->ops->count + 1, 1);
	struct ts_err err = {0};
	struct ts_strbuf path;
	size_t others;
	bool taken;

	if (!in)
		return refuse(g, "out of memory");
	in[of] = 1;
	for (size_t i = 0; i < l->count; i++)
		in[l->link[i].node] = 1;
	taken = take_nodes(g, in, s->ops->count);
	free(in);
	if (taken && l->count > 0 &&
		ts_pile_add(&g->link, l->link, l->count * sizeof(*l->link), NULL, &err))
		taken = refuse(g, err.msg);
	if (!taken)
		return false;
	g->of = of;
	g->layer = ts_operation_at(s->ops, of)->layer;
	others = g->node.used / sizeof(uint32_t) - 1;
	ts_strbuf_init(&path, 200);
	ts_operation_path(&path, s->ops, of);
	snprintf(g->title, sizeof(g->title), "producers and consumers of %.200s: %zu operation%s%s",
		path.s, others, others == 1 ? "" : "s", l->cut ? ", more are left out" : "");
	ts_strbuf_fini(&path);
	return true;
}

bool
operations_graph(struct ts_view *v, struct ts_operation_graph *g)
{
	struct operations_view *s = operations_of(v);
	const struct ts_operation_links *links;
	uint32_t of;

	if (!s->shape)
		return refuse(g, "there are no operations yet");
	g->ops = ts_operations_hold(s->shape->ops);
	if (s->split.in_tabs && operations_links_shown(s, &links, &of))
		return links ? graph_links(g, s, links, of)
			: operations_node_at(s) == TS_NO_OPERATION
			? refuse(g, "there is no operation under the cursor")
			: refuse(g, "producers and consumers are being looked for");
	if (s->asked[ASK_SHAPE])
		return refuse(g, "rows are being put in order");
	return graph_shown(g, s->shape);
}
