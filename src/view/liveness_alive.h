/* SPDX-License-Identifier: MIT */
/* liveness_alive - what the files of the tab of variables share: liveness_alive.c and liveness_alive_table.c. */
#ifndef TS_VIEW_LIVENESS_ALIVE_H
#define TS_VIEW_LIVENESS_ALIVE_H

#include "tilescope/report/what_if.h"
#include "tilescope/view/arranged.h"

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

/* What values of rows are worked out of: by any thread, as long as it holds what this points to. */
struct alive_look {
	const struct ts_alive *alive;
	const struct ts_groups *groups; /* NULL: not known */
	const struct ts_what_if_changes *what_if;
	int64_t range; /* steps from the first of the timeline to the last */
	int64_t steps; /* of the timeline */
};

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

	/* of more than TS_ARRANGED_FROM rows */
	struct ts_arranging arranging;
	struct ts_row_search search;
};

/* Make its table, for a->body. */
void live_alive_begin(struct alive_tab *a, const struct ts_tab *t);

/* The value of a row, all but whether it is marked. */
bool live_alive_value(const struct alive_look *k, int64_t row, int column,
	struct ts_table_value *out);
void live_alive_look(struct alive_look *k, const struct liveness *s);

/* As ts_table.rank. */
bool live_alive_rank(const struct ts_alive *a, int64_t row, int column, int64_t *rank);
const char *live_alive_name(const struct ts_alive *a, int64_t row, char buf[LIVE_NAME]);

/* --- liveness_far.c --- */
void live_far_request(struct alive_tab *a, struct ts_tab *t);
enum ts_effect live_far_deliver(struct ts_tab *t, struct ts_fetch *f);
void live_far_drop(struct alive_tab *a); /* what was asked for, and the search */
void live_far_fini(struct alive_tab *a);
bool live_far_busy(const struct alive_tab *a);

/* A search, where not all rows are here or they are many; UNKNOWN: the list does it. */
enum ts_effect live_far_search(struct alive_tab *a, const struct ts_call *call);

/* "+1.2 MiB", "-3 KiB"; "" for 0. */
void live_alive_change(const struct liveness *s, int64_t change, char out[64]);

/* What-if of a row: *of and *id; false: it has no number to go by. */
bool live_alive_ticked(const struct ts_alive *a, int64_t row, enum ts_what_if_of *of, int64_t *id);

#endif
