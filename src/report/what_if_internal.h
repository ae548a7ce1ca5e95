/* SPDX-License-Identifier: MIT */
/* what_if_internal - what_if.c works out peaks, what_if_rows.c which lowered variables a change names. */
#ifndef TS_REPORT_WHAT_IF_INTERNAL_H
#define TS_REPORT_WHAT_IF_INTERNAL_H

#include "tilescope/report/what_if.h"

/* Who asks, and with what. */
struct what_if_work {
	struct ts_what_if *w;
	struct ts_reader *rd;
	struct ts_groups *groups;
	const struct ts_cache *cache;
	struct ts_progress *progress;
};

/*
 * The bytes that tiles lose, by tile and class, as a table of its own (its classes and points are those of the
 * table of all tiles); counts in w->w->sum.
 */
enum ts_code what_if_less(struct ts_tile_lives **out, struct what_if_work *w,
	struct ts_err *err) TS_WARN_UNUSED;

#endif
