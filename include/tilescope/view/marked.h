/* SPDX-License-Identifier: MIT */
/*
 * marked - the variables that the user has marked, shared by all views.
 *
 * Variables marks them; Memory draws them over the tiles, Liveness their lifetimes, what-if takes them as
 * what is to be removed, halved or split. At most TS_MARKED_VARIABLES, in the order in which they were
 * marked; numbers are those of the report, TS_UNKNOWN (-1) where it does not record them.
 */
#ifndef TS_VIEW_MARKED_H
#define TS_VIEW_MARKED_H

#include <stdbool.h>
#include <stdint.h>

enum { TS_MARKED_VARIABLES = 32, TS_MARKED_NAME = 160 };

struct ts_marked_variable {
	bool lowered; /* one piece on one tile; else a variable before lowering, on all its tiles */
	int64_t variable; /* its number before lowering (`variable.variable`) */
	/*
	 * Of a lowered one: its row id, not its place in a list: row ids may have gaps. Only where rows have none, its
	 * place (report/variables.h). Negative: it cannot be told apart, and is not marked.
	 */
	int64_t row;
	int64_t id;		   /* of a lowered one: `lowered_variable.id`, ... */
	int64_t tile;		   /* ... its tile, ... */
	int64_t class_of;	   /* ... and its class of intervals */
	int64_t bytes;		   /* of the piece, or of the variable on all tiles */
	char name[TS_MARKED_NAME]; /* raw, cut at its end; "" = not known */
};

/* `version` grows with every change. All zeros: none. */
struct ts_marked_variables {
	int count;
	uint64_t version;
	struct ts_marked_variable item[TS_MARKED_VARIABLES];
};

/* Where it stands in item[], -1 = it is not marked. Lowered ones are told apart by row, others by number. */
int ts_marked_find(const struct ts_marked_variables *m, const struct ts_marked_variable *v);

/* Mark it, or take its mark away. False: there are as many as there can be. */
bool ts_marked_toggle(struct ts_marked_variables *m, const struct ts_marked_variable *v);

void ts_marked_clear(struct ts_marked_variables *m);

#endif
