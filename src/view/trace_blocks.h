/* SPDX-License-Identifier: MIT */
/* trace_blocks - what lightweight profiling recorded, in the Trace view: a drawing and a tab that share the blocks. */
#ifndef TS_VIEW_TRACE_BLOCKS_H
#define TS_VIEW_TRACE_BLOCKS_H

#include "trace_internal.h"

#include "tilescope/report/blocks.h"
#include "tilescope/view/held_list.h"

extern const struct trace_drawing_ops trace_drawing_blocks;
extern const struct ts_tab_ops trace_tab_blocks;

/* The tab's state; the drawing looks at it. */
struct blocks_tab {
	struct ts_held_list l; /* first */
	struct trace_view *t;
	struct trace_heads heads;
	struct ts_pane_data pane;
	struct ts_fetch *sent;
	bool asked;
	struct ts_blocks *blocks;  /* NULL until they are there */
	struct ts_pile statistics; /* struct ts_block_statistics, by falling sum */
	int64_t names;		   /* how many */
	int64_t sum;		   /* cycles of all blocks that are not the profiler's */
	struct ts_rect body, total;
};

struct blocks_tab *trace_blocks_of(const struct trace_view *t);
void trace_ask_blocks(struct trace_view *t); /* if they are neither here nor under way */

/* Name of a block for the screen; "no name" where there is none. */
const char *trace_block_name(const struct ts_blocks *b, int32_t name, char *buf, size_t size);

#endif
