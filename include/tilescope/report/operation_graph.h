/* SPDX-License-Identifier: MIT */
/*
 * operation_graph - which operations a graph has, and which lines between them: what somebody is shown, or all.
 */
#ifndef TS_REPORT_OPERATION_GRAPH_H
#define TS_REPORT_OPERATION_GRAPH_H

#include "tilescope/report/operation_groups.h"
#include "tilescope/report/operation_links.h"

struct ts_operation_graph {
	struct ts_operations *ops;	    /* held */
	struct ts_operation_groups *groups; /* held; NULL: they are not rolled up */
	struct ts_pile node;		    /* uint32_t, ascending */
	uint32_t layer;	     /* whose variables the arrows are, from operation to operation, ... */
	uint32_t of;	     /* ... unless they are the links of this one: TS_NO_OPERATION */
	struct ts_pile link; /* struct ts_operation_link of `of` */
	bool below;	     /* figures are those of all that stands below, too */
	char title[600];     /* what it holds, for people */
};

/* Nothing yet. ts_operation_graph_fini() in every case. */
void ts_operation_graph_init(struct ts_operation_graph *g);
void ts_operation_graph_fini(struct ts_operation_graph *g);

/* The layer whose variables are the arrows of a graph of several: that which is recorded, else the largest that is not of names. */
uint32_t ts_operation_flow_layer(const struct ts_operations *o);

/* All operations. Errors: those of ts_pile_add(). */
enum ts_code ts_operation_graph_all(struct ts_operation_graph *g, struct ts_operations *o,
	const struct ts_cache *cache, struct ts_err *err) TS_WARN_UNUSED;

#endif
