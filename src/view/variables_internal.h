/* SPDX-License-Identifier: MIT */
/*
 * What the files of the Variables view share: variables.c (commands), variables_data.c (what is asked
 * of the report, and answers), variables_draw.c (to the canvas).
 *
 * `wish` is what the user wants to see, `list` what is shown, `making` what is being made of the wish;
 * that is shown too, as soon as it has rows.
 */
#ifndef TS_VIEW_VARIABLES_INTERNAL_H
#define TS_VIEW_VARIABLES_INTERNAL_H

#include "tilescope/report/variable_list.h"
#include "tilescope/ui/table.h"
#include "tilescope/view/debug.h"
#include "tilescope/view/fetch.h"
#include "tilescope/view/variables.h"

/* A view has at most one question of each kind. */
enum variables_kind {
	ASK_OPEN,
	ASK_COUNT,
	ASK_WINDOW,
	ASK_LIST,
	ASK_HITS,
	ASK_NEXT,
	ASK_KEEP,
	ASK_SUMS,
	ASK_KINDS
};

struct variables_wish {
	enum ts_variable_sort sort;
	bool reverse;
	struct ts_filter filter;
};

struct variables_fetch {
	struct ts_fetch fetch;		      /* first */
	struct ts_variables *v;		      /* held; or NULL */
	struct ts_variable_list *list, *hits; /* held; or NULL */
	const struct ts_cache *cache;
	int64_t from, to; /* positions of a window */
	int version;
	int64_t position, keep; /* where a search begins; the place to be found again, or -1 */
	int by;

	/* answers */
	struct ts_variables *opened;
	struct ts_variable_window window;
	int64_t at; /* position, or -1 */
	bool gap, untrue;
};

enum { VARIABLES_COLUMNS = 8 };

struct variables_places {
	struct ts_rect title, status, table, rule, details;
};

struct variables_view {
	struct ts_view view; /* first */
	struct ts_rect area;
	struct variables_places at;
	struct ts_column columns[VARIABLES_COLUMNS]; /* that are shown ... */
	int column[VARIABLES_COLUMNS];		     /* ... and which these are */
	bool zoomed;				     /* no details */
	char empty[64];				     /* what the table says without rows */

	struct ts_pane_data data;
	struct ts_variables *v;		   /* NULL until it is there */
	struct ts_fetch *fetch[ASK_KINDS]; /* the newest of each kind, under way; or NULL */
	bool summed;			   /* the sums were asked for */
	bool need_count;		   /* row ids have gaps */

	struct variables_wish wish;
	struct ts_variable_list *list, *making; /* held; may be the same one */
	bool again;				/* make the wish anew, whatever is there */
	bool stopped;	  /* `list` was cancelled, or failed, while it was made */
	bool to_top;	  /* where the cursor goes when the wish is there */
	int64_t keep;	  /* else: to this place; or -1 */
	int64_t kept_row; /* before a reload; or -1 */

	struct ts_list rows;
	struct ts_variable_window window; /* rows [window_from, + window.count) of `window_list` */
	struct ts_variable_list *window_list; /* held */
	int64_t window_from;
	int window_version;
	bool window_failed; /* it would fail again */

	struct ts_filter needle;       /* of no terms: no search */
	struct ts_variable_list *hits; /* being made, or ready; or NULL */
	bool seek;		       /* the cursor is yet to go to the next one */
	int direction;
	unsigned untrue; /* orders (bits) that the index has, and that are not of this report */
	struct ts_debug debug;	/* of the row under the cursor, in the place of its fields */
	bool debug_focus;	/* it has the keys */
	int64_t bytes, unsized; /* of all rows; bytes TS_UNKNOWN until a pass has told */
};

/* --- variables_data.c --- */
void variables_request(struct ts_view *v);
enum ts_effect variables_deliver(struct ts_view *v, struct ts_fetch *f);
void variables_drop(struct variables_view *t); /* everything that was read */

/* The row at a position, or NULL while it is not there. */
const struct ts_variable *variables_row(const struct variables_view *t, int64_t position);
void variables_wish(struct variables_view *t, enum ts_variable_sort sort, bool reverse,
	const struct ts_filter *filter, bool to_top);
void variables_search(struct variables_view *t, const struct ts_filter *needle, int by);
void variables_next(struct variables_view *t, int by);
void variables_say_hits(struct variables_view *t);
bool variables_has_wish(const struct variables_view *t); /* it is shown, and finished */

/* --- variables_draw.c --- */
void variables_draw(struct ts_view *v, struct ts_canvas *c);
void variables_table(struct ts_table *table, struct variables_view *t);
void variables_layout(struct variables_view *t);

/* --- variables_address.c --- */
extern const struct ts_view_arg variables_args[];

#endif
