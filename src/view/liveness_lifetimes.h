/* SPDX-License-Identifier: MIT */
/*
 * liveness_lifetimes - the tab of lifetimes: liveness_lifetimes.c has questions and keys, liveness_lifetimes_rows.c rows and their
 * values, on the screen and in workers, liveness_bars.c the bars.
 */
#ifndef TS_VIEW_LIVENESS_LIFETIMES_H
#define TS_VIEW_LIVENESS_LIFETIMES_H

#include <stdatomic.h>

#include "tilescope/report/lifetimes.h"
#include "tilescope/ui/chart_page.h"
#include "tilescope/view/arranged.h"
#include "tilescope/view/marked.h"

#include "liveness_internal.h"

enum {
	LIFETIME_NAME = 64, /* room for a number */
};

enum {
	L_NAME,
	L_BYTES,
	L_STEPS,
	L_IDLE,
	L_PRODUCT,
	L_LONGEST,
	L_USED,
	L_FROM,
	L_TO,
	L_COUNT,
};

/* Rows with what they are called, shared with workers: read-only once they are there. */
struct lifetimes_rows {
	atomic_int uses;
	struct ts_lifetimes made;
	int64_t count; /* alive at the step; of marks: as many as there are */
	bool of_marked;
	bool lowered;		/* rows are pieces */
	struct ts_alive *names; /* what rows are called that are not marked */
	int names_count;
	char name[TS_MARKED_VARIABLES][TS_MARKED_NAME];
	int64_t number[TS_MARKED_VARIABLES];
};

/* What a worker is asked; what is held is the question's. */
struct lifetimes_question {
	struct ts_lives *lives;
	struct ts_uses *uses;	      /* NULL: read them (`want_uses`), or there are none */
	const struct ts_cache *cache; /* may be NULL */
	bool by_number;		      /* `number` is looked for; else the idlest at the step */
	int64_t step;
	int most; /* of the idlest */
	int count;
	int64_t number[TS_MARKED_VARIABLES];
};

struct lifetimes_tab {
	struct ts_held_list l; /* first */
	struct liveness *s;
	struct ts_fetch *sent; /* the first rows, or all that are marked; */
	struct ts_fetch *rest; /* then all */
	bool stopped;	       /* there will be no more of them */
	struct ts_uses *uses;  /* held */
	bool looked;	       /* for uses: */
	uint64_t looked_of;    /* of these lives, where they are pieces; else 0 */
	char why[TS_ERR_MSG];
	uint64_t marked, alive;	     /* versions that were asked for; 0 = none */
	uint64_t of;		     /* lives that were asked for; 0 = none */
	struct lifetimes_rows *rows; /* NULL: not known (yet), as `pane` says */
	struct ts_pane_data pane;
	bool of_marked; /* those were asked for */
	struct ts_arranging arranging;
	struct ts_row_search search;
	struct ts_rect body, bars, total;
};

/* --- liveness_lifetimes_rows.c --- */
extern const struct ts_held_table live_lifetimes_table;

struct lifetimes_rows *live_lifetimes_hold(struct lifetimes_rows *r);
void live_lifetimes_close(struct lifetimes_rows *r); /* NULL allowed */
void live_lifetimes_question_fini(struct lifetimes_question *q);

/* In a worker: the rows without the names of marks. Errors: those of lifetimes.h and of ts_alive_pick(). */
enum ts_code live_lifetimes_read(struct lifetimes_rows **out, const struct lifetimes_question *q,
	struct ts_reader *rd, struct ts_err *err) TS_WARN_UNUSED;

/* How many there are: 0 where none are known. */
int64_t live_lifetimes_count(const struct lifetimes_tab *d);

/* Not all that are alive are here. */
bool live_lifetimes_some(const struct lifetimes_rows *r);

/* What row i is called; `buf` is room for a number. */
const char *live_lifetime_name(const struct lifetimes_rows *r, int64_t i, char buf[LIFETIME_NAME]);

/* The first and the last step of row i's life, both of them in it; TS_UNKNOWN: it has none. */
int64_t live_lifetime_from(const struct ts_lifetimes *made, int64_t i);
int64_t live_lifetime_to(const struct ts_lifetimes *made, int64_t i);

/* Are rows wanted as they come, the idlest first? Else what arranges them (taken by who asks). */
bool live_lifetimes_as_they_come(const struct ts_table_wish *o);
struct ts_arrangeable live_lifetimes_arrangeable(struct lifetimes_rows *r);

/* All rows in their order for a file; *q is taken. NULL: no memory. */
struct ts_row_source *live_lifetimes_source(struct lifetimes_rows *r, struct lifetimes_question *q,
	const struct ts_table_order *o);

/* --- liveness_bars.c --- */

/* Bars beside the rows in sight, where there is room. Is it said above them what their signs mean, or are there none? */
bool live_draw_bars(struct ts_canvas *c, const struct lifetimes_tab *d);

/* What the signs mean, from column x on; `unknown`: with that of what is not known. Returns the column behind it. */
int live_bars_legend(struct ts_canvas *c, struct ts_rect r, int x, bool unknown);

/* The same bars on paper, from the first row of the list on; false: nothing is listed. */
bool live_bars_chart(const struct lifetimes_tab *d, struct ts_chart_page *page);

#endif
