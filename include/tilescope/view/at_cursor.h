/* SPDX-License-Identifier: MIT */
/*
 * at_cursor - what is under the cursor, as far as other views know it too.
 *
 * A view, or the tab of it that has the keys, says of which tile, step, program, ... the row under its cursor is
 * (ts_view_ops.object, ts_tab_ops.object). Where that leads to in another view is one table (app/jump.c).
 */
#ifndef TS_VIEW_AT_CURSOR_H
#define TS_VIEW_AT_CURSOR_H

#include "tilescope/report/memory.h"

/* Numbers of the relations; below 0 (TS_UNKNOWN): it is about none. */
struct ts_at_cursor {
	int64_t tile, ipu;
	int64_t address; /* on the tile */
	int64_t step;	 /* of the trace */
	int64_t live_step;
	const char *live_step_is; /* "where the life of the variable begins": constant; or NULL */
	int64_t program, compute_set;
	int64_t lowered, variable; /* a lowered variable by its id; one before lowering */
	int64_t operation;
	char place[160]; /* an address that its row leads to, "" = none */
};

/* About nothing. */
static inline void
ts_at_cursor_none(struct ts_at_cursor *o)
{
	*o = (struct ts_at_cursor){.tile = TS_UNKNOWN,
		.ipu = TS_UNKNOWN,
		.address = TS_UNKNOWN,
		.step = TS_UNKNOWN,
		.live_step = TS_UNKNOWN,
		.program = TS_UNKNOWN,
		.compute_set = TS_UNKNOWN,
		.lowered = TS_UNKNOWN,
		.variable = TS_UNKNOWN,
		.operation = TS_UNKNOWN};
}

/* What `with` knows replaces what `o` says. */
void ts_at_cursor_add(struct ts_at_cursor *o, const struct ts_at_cursor *with);

#endif
