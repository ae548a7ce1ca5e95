/* SPDX-License-Identifier: MIT */
/*
 * absent - what the panels of absent data say: one table for all views.
 *
 * A panel says what is missing, why (from the binding of the relation), which engine option records it, what that
 * costs, and where something of it can be seen in this report: only places that this report has, with the keys
 * of the keymap. Options and costs are those of `tilescope help capture`.
 */
#ifndef TS_VIEW_ABSENT_H
#define TS_VIEW_ABSENT_H

#include <stdbool.h>

#include "tilescope/base/strbuf.h"
#include "tilescope/report/relation.h"

struct ts_report;
struct ts_view_env;

enum ts_absent {
	TS_ABSENT_NOTHING,
	TS_ABSENT_TILES,
	TS_ABSENT_CATEGORIES,	      /* of a store */
	TS_ABSENT_LOWERED_CATEGORIES, /* of a profile: those of its lowered variables */
	TS_ABSENT_TILE_VARIABLES,
	TS_ABSENT_TILE_CODE,
	TS_ABSENT_TILE_WORK,
	TS_ABSENT_OFFSETS,
	TS_ABSENT_LIVENESS,
	TS_ABSENT_LIVE_VARIABLES,
	TS_ABSENT_PEAK_VARIABLES,
	TS_ABSENT_TILE_LIVES,
	TS_ABSENT_PROGRAMS,
	TS_ABSENT_OPERATIONS,
	TS_ABSENT_STEPS,
	TS_ABSENT_LANES,
	TS_ABSENT_TILE_CYCLES,
	TS_ABSENT_BLOCKS,
	TS_ABSENT_VARIABLES,
	TS_ABSENT_CONTEXTS,
	TS_ABSENT_CONTEXT_COLUMN,
	TS_ABSENT_COUNT
};

/* Where something of it can be seen instead. */
enum ts_instead {
	TS_INSTEAD_NONE,
	TS_INSTEAD_MEMORY,
	TS_INSTEAD_CATEGORIES,
	TS_INSTEAD_TILE_VARIABLES,
	TS_INSTEAD_LIVENESS,
	TS_INSTEAD_PROGRAMS,
	TS_INSTEAD_TRACE,
	TS_INSTEAD_STEPS,
	TS_INSTEAD_BLOCKS,
	TS_INSTEAD_VARIABLES,
	TS_INSTEAD_UNLOWERED,
	TS_INSTEAD_TABLES,
	TS_INSTEAD_COUNT
};

enum { TS_INSTEADS = 5 };

struct ts_absent_text {
	enum ts_relation relation; /* that is not bound; TS_RELATION_COUNT: none */
	const char *what;	   /* that is missing */
	const char *option;	   /* that records it: the name alone */
	const char *remark;	   /* behind its name; or NULL */
	const char *cost;
	enum ts_instead instead[TS_INSTEADS]; /* the most useful first */
};

extern const struct ts_absent_text ts_absent_texts[TS_ABSENT_COUNT];

/* For the note of a tab that names vertex types: why it has no names for them; NULL: it has. */
const char *ts_absent_vertex_names(const struct ts_report *r);

/* The panel's sentences, a line each; `why` may be "". Brief: without what recording costs, and the option's remark. */
void ts_absent_describe(struct ts_strbuf *out, const struct ts_view_env *env, enum ts_absent which,
	const char *why, bool brief);

#endif
