/* SPDX-License-Identifier: MIT */
/* What the files of the drawing by tile share: trace_bsp.c (asking, drawing), trace_bsp_keys.c (moving, figures). */
#ifndef TS_VIEW_TRACE_BSP_H
#define TS_VIEW_TRACE_BSP_H

#include "tilescope/report/bsp.h"

#include "trace_internal.h"

struct bsp_question {
	const struct ts_trace *trace; /* only compared */
	int64_t from, to, ipu;
	int64_t tile, tiles; /* from the IPU's first; 0 = all of them */
	int columns, rows;
};

struct bsp_fetch {
	struct ts_fetch f;	/* first */
	struct ts_trace *trace; /* held */
	const struct ts_cache *cache;
	struct bsp_question q;
	bool want_ipus; /* which tiles IPUs have is not known yet: `ipus` is an answer, too */
	struct ts_tile_ipus ipus;
	struct ts_bsp_tiles all;
	struct ts_bsp bsp;
};

struct bsp_drawing {
	struct ts_pane_data pane;
	struct ts_fetch *sent;
	struct bsp_question asked;
	bool has_ipus;
	struct ts_tile_ipus ipus;
	struct ts_bsp bsp;
	int64_t first, tiles; /* shown, from the IPU's first tile; tiles 0 = all */
	int64_t cursor;	      /* a tile of the report */
};

/* Keep the cursor on a tile that is shown; other views hear of it. */
void bsp_select(struct trace_drawing *d);

/* The cell under both cursors; false: it is not there. */
bool bsp_cursor(const struct trace_drawing *d, int *row, int *column);

enum ts_mark bsp_mark(const struct ts_bsp *p);
enum ts_effect bsp_command(struct trace_drawing *d, const struct ts_call *call);
void bsp_explain(struct trace_drawing *d, struct ts_explain *out);

#endif
