/* SPDX-License-Identifier: MIT */
/* operation_graph - see the header. */
#include "config.h"

#include <stdio.h>

#include "tilescope/report/operation_graph.h"

void
ts_operation_graph_init(struct ts_operation_graph *g)
{
	*g = (struct ts_operation_graph){.of = TS_NO_OPERATION};
}

void
ts_operation_graph_fini(struct ts_operation_graph *g)
{
	ts_operations_close(g->ops);
	ts_operation_groups_close(g->groups);
	ts_pile_fini(&g->node);
	ts_pile_fini(&g->link);
	ts_operation_graph_init(g);
}

uint32_t
ts_operation_flow_layer(const struct ts_operations *o)
{
	uint32_t best = 0;

	for (uint32_t i = 1; i < o->layers; i++) {
		const struct ts_operation_layer *l = &o->layer[i], *b = &o->layer[best];

		if (l->from < b->from || (l->from == b->from && l->count > b->count))
			best = i;
	}
	return best;
}

enum ts_code
ts_operation_graph_all(struct ts_operation_graph *g, struct ts_operations *o,
	const struct ts_cache *cache, struct ts_err *err)
{
	enum ts_code code = TS_OK;

	g->ops = ts_operations_hold(o);
	g->layer = ts_operation_flow_layer(o);
	g->below = true;
	for (uint32_t i = 0; !code && i < o->count; i++)
		code = ts_pile_add(&g->node, &i, sizeof(i), cache, err);
	snprintf(g->title, sizeof(g->title), "all layers, %u operations", o->count);
	return code;
}
