/* SPDX-License-Identifier: MIT */
/*
 * What the files of the Variables view share: variables.c (commands), variables_ask.c (what is asked
 * of the report), variables_answer.c (what comes back), variables_table.c (columns), variables_draw.c and
 * variables_details.c (to the canvas), variables_sheet.c (rows for files), variables_explain.c (figures).
 *
 * `wish` is what the user wants to see, `list` what is shown, `making` what is being made of the wish;
 * that is shown too, as soon as it has rows.
 */
#ifndef TS_VIEW_VARIABLES_INTERNAL_H
#define TS_VIEW_VARIABLES_INTERNAL_H

#include "tilescope/report/variable_list.h"
#include "tilescope/report/variable_pieces.h"
#include "tilescope/ui/table.h"
#include "tilescope/view/debug.h"
#include "tilescope/view/explain.h"
#include "tilescope/view/fetch.h"
#include "tilescope/view/sheet.h"
#include "tilescope/view/variables.h"

/* A view has at most one question of each kind. */
enum variables_kind {
	ASK_OPEN,
	ASK_COUNT,
	ASK_WINDOW,
	ASK_FIRST,
	ASK_LIST,
	ASK_HITS,
	ASK_SEEK,
	ASK_NEXT,
	ASK_BY_NAME,
	ASK_KEEP,
	ASK_SUMS,
	ASK_FACTS,
	ASK_PIECES,
	ASK_LET_GO,
	ASK_KINDS
};

struct variables_wish {
	enum ts_variable_sort sort;
	bool reverse;
	struct ts_filter filter;
};

struct variables_fetch {
	struct ts_fetch fetch;			  /* first */
	struct ts_variables *v;			  /* held; or NULL */
	struct ts_variable_list *list, *hits;	  /* held; or NULL */
	struct ts_variable_list *order, *by_name; /* held; or NULL: of all rows */
	const struct ts_cache *cache;
	int64_t from, to; /* positions of a window */
	int version;
	int64_t position, keep; /* where a search begins; the place to be found again, or -1 */
	int by;
	bool unlowered;	  /* to be opened */
	bool spread;	  /* of the facts */
	int64_t variable; /* whose pieces */
	bool moving;	  /* the cursor moves on: it may not stay on this row */
	bool quick;	  /* the index has its pieces */

	/* answers */
	struct ts_variables *opened;
	struct ts_variable_window window;
	struct ts_variable_pieces pieces;
	int64_t at; /* position, or -1 */
	struct ts_variable_next next;
	bool gap, untrue, done;
};

/* Columns of the table; which of them there are depends on the level and on what is recorded. */
enum {
	C_MARK,
	C_VARIABLE_ID,
	C_TILE,
	C_IPU,
	C_BYTES,
	C_TILES,
	C_FULLEST,
	C_BALANCE,
	C_PIECES,
	C_CATEGORY,
	C_TYPE,
	C_OFFSET,
	C_ALIGNMENT,
	C_ALWAYS,
	C_STEPS,
	C_FROM,
	C_TO,
	C_ID,
	C_VARIABLE,
	C_CLASS,
	C_CONTEXT,
	C_NAME,
	C_COUNT
};

/* What is kept of a level while the other one is shown. */
struct variables_level {
	struct variables_wish wish;
	bool chosen;
	int64_t row;
};

struct variables_places {
	struct ts_rect title, status, table, rule, details;
};

struct variables_view {
	struct ts_view view; /* first */
	struct ts_rect area;
	struct variables_places at;
	struct ts_column columns[C_COUNT];     /* that there are, ... */
	struct ts_column_facts facts[C_COUNT]; /* ... what is said of them, ... */
	int column[C_COUNT];		       /* ... and which these are */
	bool zoomed;			       /* no details */
	char empty[64];			       /* what the table says without rows */

	struct ts_pane_data data;
	struct ts_variables *v;		   /* NULL until it is there */
	struct ts_fetch *fetch[ASK_KINDS]; /* the newest of each kind, under way; or NULL */
	bool summed;			   /* the sums were asked for */
	bool need_count;		   /* row ids have gaps */

	bool unlowered; /* variables before lowering are shown, not their pieces on tiles */
	struct variables_level other;
	struct ts_variable_facts *known; /* held: of both levels; NULL until one was opened */
	bool facts_failed;
	struct ts_variable_pieces pieces; /* of the row under the cursor */
	bool has_pieces;

	struct variables_wish wish;
	struct ts_variable_list *list, *making;	  /* held; may be the same one */
	struct ts_variable_list *order, *by_name; /* held; or NULL: of all rows, ready */
	bool not_kept_said;
	bool by_name_asked;
	bool chosen;		/* the user has said in which order */
	bool again;		/* make the wish anew, whatever is there */
	uint64_t tiles_version; /* of the selected tiles that `wish` means */
	bool stopped;		/* `list` was cancelled, or failed, while it was made */
	bool to_top;		/* where the cursor goes when the wish is there */
	int64_t keep;		/* else: to this place; or -1 */
	int64_t kept_row;	/* before a reload; or -1 */

	struct ts_list rows;
	struct ts_variable_window window; /* rows [window_from, + window.count) of `window_list` */
	struct ts_variable_list *window_list; /* held */
	int64_t window_from;
	int window_version;
	bool window_failed; /* it would fail again */

	struct ts_filter needle;       /* of no terms: no search */
	struct ts_variable_list *hits; /* being made, or ready; or NULL */
	bool hits_asked;	       /* somebody makes them, or has */
	bool unseekable; /* the columns cannot say which hit is next: the hits have to */
	bool seek;	 /* the cursor is yet to go to the next one */
	int direction;
	int more;	 /* hits to go on to when the one that is looked for is there; < 0: back */
	unsigned untrue; /* orders (bits) that the index has, and that are not of this report */
	struct ts_debug debug;	/* of the row under the cursor, in the place of its fields */
	bool debug_focus;	/* it has the keys */
	int64_t shared;		/* place of the row that was under the cursor last; -1 = none was */
	int64_t bytes, unsized; /* of all rows; bytes TS_UNKNOWN until a pass has told */
};

/* --- variables_ask.c --- */
void variables_request(struct ts_view *v);
void variables_make(struct variables_view *t); /* the whole of what is `making` */
void variables_hold_order(struct variables_view *t, struct ts_variable_list *l);
struct variables_fetch *variables_begin(struct variables_view *t, enum variables_kind kind);
void variables_send(struct variables_view *t, enum variables_kind kind, struct variables_fetch *f);
void variables_show(struct variables_view *t, struct ts_variable_list *l);

/*
 * A list that is held is not needed any more: what it takes, megabytes of the system's tables, is freed by a worker,
 * but for one that has not been taken up when another comes. NULL allowed.
 */
void variables_let_go(struct variables_view *t, struct ts_variable_list *l);

/* The row at a position, or NULL while it is not there. */
const struct ts_variable *variables_row(const struct variables_view *t, int64_t position);
void variables_wish(struct variables_view *t, enum ts_variable_sort sort, bool reverse,
	const struct ts_filter *filter, bool to_top);
void variables_search(struct variables_view *t, const struct ts_filter *needle, int by);
void variables_next(struct variables_view *t, int by);
void variables_next_slowly(struct variables_view *t, int by);
/* What was found; `position`: of the hit that is gone to, -1 = not known yet. */
void variables_say_hits(struct variables_view *t, int64_t position);

/* Has the index the columns of the rows that are shown? */
bool variables_has_columns(const struct variables_view *t);
bool variables_asks_selected(const struct ts_filter *f); /* it means what tiles are selected */
void variables_level(struct variables_view *t);		 /* the other level */
bool variables_waits(struct ts_view *v, enum ts_cmd cmd);
bool variables_has_wish(const struct variables_view *t); /* it is shown, and finished */

/* --- variables_answer.c --- */
enum ts_effect variables_deliver(struct ts_view *v, struct ts_fetch *f);
void variables_drop(struct variables_view *t); /* everything that was read */

/* --- variables_table.c --- */
void variables_table(struct ts_table *table, struct variables_view *t);
/* The same for a file, which has room for all columns that are wanted. */
void variables_table_of_file(struct ts_table *table, struct variables_view *t);
/* Is a column shown, or does the user want it, that is made of the spread over tiles? */
bool variables_wants_spread(struct variables_view *t);
/* The order behind this one among the columns that are there. */
enum ts_variable_sort variables_sort_after(struct variables_view *t, enum ts_variable_sort sort);
/* The value of a column in a row, for files. */
void variables_value(const struct variables_view *t, const struct ts_variable_window *w,
	const struct ts_variable *x, int column, struct ts_table_value *out);
/* The row as it is marked; false: it cannot be. */
bool variables_mark_of(const struct variables_view *t, const struct ts_variable *x,
	struct ts_marked_variable *out);
enum ts_variable_sort variables_shown_sort(const struct variables_view *t);
bool variables_shown_backwards(const struct variables_view *t);

/* --- variables_draw.c --- */
void variables_draw(struct ts_view *v, struct ts_canvas *c);
void variables_layout(struct variables_view *t);

/* --- variables_details.c --- */
void variables_details(struct ts_canvas *c, const struct variables_view *t);

/* --- variables_sheet.c, variables_explain.c --- */
bool variables_sheet(struct ts_view *v, struct ts_sheet *out);
void variables_explain(struct ts_view *v, struct ts_explain *out);

/* --- variables_address.c --- */
extern const struct ts_view_arg variables_args[];

#endif
