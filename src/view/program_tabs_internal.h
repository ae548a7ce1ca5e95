/* SPDX-License-Identifier: MIT */
/* program_tabs_internal - what the tabs of program_tabs.c keep, for program_tabs_explain.c, too. */
#ifndef TS_VIEW_PROGRAM_TABS_INTERNAL_H
#define TS_VIEW_PROGRAM_TABS_INTERNAL_H

#include "tilescope/report/program_details.h"
#include "tilescope/view/held_list.h"

#include "program_tabs.h"

/* What each tab keeps: each asks for itself when it is shown. */
struct details_tab {
	struct ts_held_list l; /* first */
	const struct program_tab_of *of;
	const struct ts_tab *t;
	enum program_tab is;
	struct ts_fetch *sent;
	int64_t asked;			   /* program; -2 = none */
	int64_t here;			   /* program of the details */
	bool known;			   /* details are here ... */
	struct ts_program_details details; /* ... of that program */
	struct ts_rect body, total;
};

static inline const struct ts_tile_cycles *
kinds_of(const struct details_tab *d)
{
	return d->is == PROGRAM_CODE ? d->details.code : d->details.cycles;
}

static inline const struct ts_cycle_rows *
rows_of(const struct details_tab *d)
{
	return d->is == PROGRAM_CODE ? &d->details.code_rows : &d->details.rows;
}

/* The kind that shares are of: the first where that is known. */
static inline int
main_kind(const struct details_tab *d)
{
	return kinds_of(d)[0].known ? 0 : 1;
}

#endif
