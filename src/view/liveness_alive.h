/* SPDX-License-Identifier: MIT */
/* liveness_alive - what the files of the tab of variables share: liveness_alive.c and liveness_alive_table.c. */
#ifndef TS_VIEW_LIVENESS_ALIVE_H
#define TS_VIEW_LIVENESS_ALIVE_H

#include "liveness_internal.h"

enum { ALIVE_TITLE = 24, ALIVE_HEADING = 80 };

/* What a column shows; C_MARK + i is mark i. */
enum {
	C_NAME,
	C_SIGN, /* it is marked, for all views */
	C_BYTES,
	C_SHARE,
	C_CUMULATIVE,
	C_GROUP,
	C_LIVES,
	C_STEPS,
	C_PRODUCT,
	C_DEAD,
	C_TICK,
	C_FIXED,
	C_CHANGE = C_FIXED,
	C_MARK,
};

/* What marks and what-if call row i of the list. */
struct ts_marked_variable live_alive_mark(const struct liveness *s, int64_t i);

struct alive_tab {
	struct ts_held_list l; /* first */
	struct liveness *s;
	struct ts_rect body, totals;
	char total[4][160]; /* names of the lines of totals */
	int first;	    /* line of the totals that is drawn first */
	int64_t variable;   /* under the cursor; -1 = none */
	int columns;
	struct ts_column column[C_MARK + TS_ALIVE_MARKS];
	struct ts_column_facts facts[C_MARK + TS_ALIVE_MARKS];
	char title[TS_ALIVE_MARKS][ALIVE_TITLE], heading[ALIVE_HEADING];
};

/* Make its table, for a->body. */
void live_alive_begin(struct alive_tab *a, const struct ts_tab *t);

/* "+1.2 MiB", "-3 KiB"; "" for 0. */
void live_alive_change(const struct liveness *s, int64_t change, char out[64]);

/* What-if of a row: *of and *id; false: it has no number to go by. */
bool live_alive_ticked(const struct liveness *s, int64_t row, enum ts_what_if_of *of, int64_t *id);

#endif
