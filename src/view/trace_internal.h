/* SPDX-License-Identifier: MIT */
/*
 * What the files of the Trace view share: trace.c (commands), trace_data.c (what is asked of the
 * report), trace_answer.c (answers), trace_refresh.c (when the index has grown), trace_draw.c (to
 * the canvas).
 *
 * Above is a *drawing* of the time that is in sight (lanes, flames, ...), each a constant table of
 * functions with a state of its own in a file of its own (trace_drawings.c lists them); below are
 * tabs (view/tab.h; trace.c lists them), whose host is the view. The first tab is the list of
 * steps.
 *
 * The x axis is cycles: unit u of the span is cycle trace->from + u. Two cursors are kept together:
 * the span's, a time in the lane of the selected IPU, and the list's, a step. Whoever moves one of
 * them says so in `follow`; the other one comes after as soon as the rows for it are there.
 */
#ifndef TS_VIEW_TRACE_INTERNAL_H
#define TS_VIEW_TRACE_INTERNAL_H

#include "tilescope/report/memory.h"
#include "tilescope/report/frames.h"
#include "tilescope/report/trace.h"
#include "tilescope/report/trace_jump.h"
#include "tilescope/ui/chart.h"
#include "tilescope/ui/list.h"
#include "tilescope/ui/span.h"
#include "tilescope/ui/table.h"
#include "tilescope/view/tab.h"
#include "tilescope/view/fetch.h"
#include "tilescope/view/trace.h"

enum { TRACE_MARKS = 256 }; /* steps that may be marked */

enum trace_pane { TRACE_LANES, TRACE_TABS };

/* A view has at most one question of each kind. */
enum trace_kind {
	ASK_OPEN,
	ASK_WINDOW,
	ASK_CHART,
	ASK_OVERVIEW,
	ASK_LOCATE,
	ASK_SEARCH,
	ASK_SEARCH_BESIDE, /* every other slice, by another worker */
	ASK_COST,
	ASK_JUMP,
	ASK_LONGEST,
	ASK_FIRST, /* the longest one alone, for who goes there */
	ASK_MARKED,
	ASK_COUNT
};

enum trace_follow {
	FOLLOW_NONE,
	FOLLOW_LIST, /* the time goes to the list's step */
	FOLLOW_TIME, /* the list goes to the step at the time */
	FOLLOW_STEP, /* both go to `goal` */
	FOLLOW_WORK, /* the same, on an IPU that works in that step: who goes there chose none */
};

/* What the question of a kind was: it is not asked twice, whatever the answer. */
struct trace_question {
	bool asked;
	int64_t from, to, ipu, at;
	int columns, lanes, lane_top;
	uint64_t search;
};

struct trace_fetch {
	struct ts_fetch fetch;	/* first */
	struct ts_trace *trace; /* held */
	struct trace_question q;
	int before, after;
	enum trace_follow follow; /* ASK_LOCATE: what is followed */
	unsigned sections;	  /* of the index, bits: those that tell about the trace */
	bool ahead;		  /* ASK_OPEN before the view was shown */
	int64_t ref_at; /* ASK_OPEN again: a row whose number is asked for, or TS_UNKNOWN */
	int64_t *ipus;
	struct ts_trace_jump jump;
	const struct ts_cache *cache;
	char needle[TS_TRACE_NEEDLE];
	struct ts_program_called
		*called;  /* held; the first slice of a search for a program reads it */
	int slices;	  /* of the search; 1 = all steps at once */
	int64_t from, to; /* else these addresses */

	/* answers */
	struct ts_trace *opened;
	struct ts_trace_window window;
	struct ts_trace_chart chart;
	struct ts_trace_hits hits;
	struct ts_trace_cost cost;
	int64_t marked[TRACE_MARKS];
	int marked_n;
	struct ts_trace_long *longest;
	int longest_n;
	int64_t step, row, row_at;
	int64_t ipu; /* ASK_LOCATE: where to look at it */
	bool found;
};

/* Rectangles of the screen; empty ones are not drawn. `lanes` and `labels` are the drawing's. */
struct trace_places {
	struct ts_rect strip, axis, labels, lanes, legend, readout, table, total;
	int lane_rows;	/* rows of one lane that is neither folded nor unfolded by hand */
	int lane_count; /* lanes in sight */
	bool lane_two;	/* there is room for the second rows of lanes whose steps overlap */
	int lane_y[TS_TRACE_LANES + 1]; /* where each begins, and where the last one ends */
};

enum trace_folding { TRACE_AUTO, TRACE_FOLDED, TRACE_UNFOLDED };

/* The shares of both rows of a lane; the second one's are 0 where it has one row. */
struct trace_lane_shares {
	double upper[TS_CLASS_COUNT][TS_TRACE_COLUMNS];
	double lower[TS_CLASS_COUNT][TS_TRACE_COLUMNS];
	bool start[TS_TRACE_COLUMNS];
	int starts, columns;
	bool more; /* a part of a step is not drawn: others of its row run then */
};

/* Which IPUs have a lane. */
struct trace_lane_set {
	int ipus;	     /* as the trace has */
	unsigned char *flag; /* of each IPU (by its index in the trace) */
	int *shown;	     /* the indexes of the chosen ones, rising */
	int count;
	enum trace_folding all;
	bool more; /* the same, of any lane in sight */
	struct trace_lane_shares
		shares; /* of the lane that is being drawn: too large for the stack */
};

/* --- drawings --------------------------------------------------------------------------------- */

enum {
	TRACE_DRAWINGS = 8,
	TRACE_HINTS = 24,	   /* in the bottom line, at most */
	TRACE_DRAWING_KIND = 3000, /* of fetches of the first drawing */
	TRACE_DRAWING_KINDS = 8,   /* that each has: its `kind` + 0 ... 7 */
	TRACE_NOTE = 120,
};

struct trace_drawing;

struct trace_drawing_ops {
	const char *name;  /* as in `drawing NAME` and `drawing=NAME` */
	const char *title; /* for people: "lanes" */
	/* Rows at the bottom of its rectangle that are no time: runs and cursor end above. */
	int foot;
	/* Its x axis is not time: neither overview nor ruler is drawn, it has their rows. */
	bool own_axis;

	/* All but draw may be NULL: nothing to do, nothing to say, not mine. */

	bool (*open)(struct trace_drawing *d); /* its own state; false: no memory */
	void (*close)(struct trace_drawing *d);
	void (*drop)(struct trace_drawing *d);	  /* another report, or the same read again */
	void (*indexed)(struct trace_drawing *d); /* the index has grown */

	/* It is shown in d->labels and d->plot; both are empty when it is not shown. */
	void (*resize)(struct trace_drawing *d);

	/* Rows that it would like of `room` (at least 1); NULL: a little more than half. */
	int (*rows)(struct trace_drawing *d, int room);

	/*
	 * It is shown, and the trace is there: ask for what is neither here nor under way
	 * (trace_drawing_send()).
	 */
	void (*request)(struct trace_drawing *d);
	enum ts_effect (*deliver)(struct trace_drawing *d, struct ts_fetch *f);

	void (*draw)(struct trace_drawing *d, struct ts_canvas *c, bool focus);

	/*
	 * Where its picture comes from (NULL: it is there). What is absent is said in its place.
	 * NULL: what IPUs did.
	 */
	const struct ts_pane_data *(*without)(const struct trace_drawing *d);

	/* The row below it: NULL the key of the classes. And what stands at its right end. */
	void (*legend)(struct trace_drawing *d, struct ts_canvas *c, struct ts_rect r);
	void (*note)(struct trace_drawing *d, char out[TRACE_NOTE]);

	/* A command while the drawing has the keys; UNKNOWN: the view's (zoom, pan, IPU, jumps). */
	enum ts_effect (*command)(struct trace_drawing *d, const struct ts_call *call);
	enum ts_effect (*mouse)(struct trace_drawing *d, int x, int y, int wheel);

	const struct ts_hint *hints; /* NULL: those of the view */

	/*
	 * As those of a view, while it has the keys. NULL explain: the step under the cursor; NULL
	 * sheet: the steps.
	 */
	void (*explain)(struct trace_drawing *d, struct ts_explain *out);
	bool (*sheet)(struct trace_drawing *d, struct ts_sheet *out);
	bool (*chart)(struct trace_drawing *d, struct ts_chart_page *out);
};

struct trace_view;

struct trace_drawing {
	const struct trace_drawing_ops *ops;
	struct trace_view *trace;
	void *own; /* made by `open` */
	int kind;  /* first of its fetches */
	struct ts_rect labels, plot;
};

/* The longest steps of the IPU in the range that was drawn when they were asked for. */
struct trace_longest {
	bool known;
	int go; /* to which of them, when they are there, from 1 on; 0 = nowhere */
	int64_t ipu, from, to;
	int n, rank;		     /* the one that the cursor went to last, -1 = none */
	struct trace_question first; /* whose first one it went to before they were there */
	struct ts_trace_long *of;
	struct ts_trace_window rows; /* of them, as far as they could be read */
	uint64_t number;	     /* grows with each answer */
	char why[200];		     /* there are none */
};

/* Columns of a table, as they are called on the axis that is shown (trace_name_columns()). */
struct trace_heads {
	struct ts_column column[TS_TABLE_COLUMNS];
};

/* What proportions are of. */
enum trace_scope {
	TRACE_SCOPE_VIEW,
	TRACE_SCOPE_RANGE, /* that is marked */
	TRACE_SCOPE_RUN,
	TRACE_SCOPE_ALL,
	TRACE_SCOPES
};

/* Steps that are marked, and a range of cycles. */
struct trace_marks {
	int n;
	int64_t step[TRACE_MARKS];
	uint64_t version; /* grows when others are marked */
	bool began, range;
	int64_t begin, from, to; /* cycles; the range is [from, to) */
	/* what they come to on an IPU */
	bool known, cut; /* cut: the sum does not fit */
	int64_t ipu, here, cycles, first, last;
};

struct trace_view {
	struct ts_view view; /* first */
	struct ts_rect area;
	struct trace_places at;
	enum trace_pane focus;
	bool zoomed; /* the pane with the keys has the area for itself */
	bool ahead;  /* it was asked for before it was shown */

	struct ts_pane_data data, lanes, steps; /* the whole, the lanes, the rows of the list */
	struct ts_trace *trace;			/* NULL until it is there */
	unsigned sections;			/* of the index that it was opened with */
	struct ts_fetch *fetch[ASK_COUNT];	/* the newest of each kind, under way; or NULL */
	struct trace_question asked[ASK_COUNT];

	struct ts_span span;
	struct ts_list list;
	int ipu;		  /* index into trace->ipu */
	struct trace_heads heads; /* of the list */
	struct trace_lane_set lane;
	unsigned hidden; /* classes (bits) that are not drawn; figures are of all */
	int lane_top;
	struct ts_trace_window window;
	struct ts_trace_chart chart, overview;

	enum trace_follow follow;
	int64_t goal; /* a step; or TS_UNKNOWN */
	int64_t row_at; /* address of the list's goal row, where rows have no numbers; or TS_UNKNOWN */
	int64_t kept_step; /* before a reload; or TS_UNKNOWN */

	char needle[TS_TRACE_NEEDLE]; /* "" = no search */
	uint64_t search;	      /* number of the search */
	int direction;
	bool jump;			  /* to the first hit, when they are there: */
	bool from_begin;		  /* of all steps, else behind the cursor */
	struct ts_program_called *called; /* of the program that is searched for, held; or NULL */
	/* slices of a search: of all, of the cursor when it began, that are done */
	int slices, first_slice, searched;
	struct ts_trace_hits hits;
	int64_t hits_ahead; /* of them, before the search goes round */
	struct ts_trace_hits
		early; /* of the slice behind the one that is waited for; no bits: none */
	bool has_hits, has_cost;
	struct ts_trace_cost cost;

	struct ts_trace_jump jump_wanted;
	bool jump_asked;
	int jump_class;	 /* of the last jump, when it was one of a class; -1 */
	int64_t jump_at; /* where that led */
	struct trace_longest longest;
	struct trace_marks marks;

	enum ts_time_unit time, option_time;
	struct ts_frame_contexts *contexts; /* of the flame graphs (trace_frames.h); NULL: none */
	bool contexts_known;
	enum trace_scope scope;
	struct ts_hint hint[TRACE_HINTS]; /* for the bottom line */
	struct trace_drawing drawing[TRACE_DRAWINGS];
	int drawings, drawn; /* how many there are, and the one that is shown */
	struct ts_tabs tabs;
	struct ts_debug_about about; /* the step that Debug tells of */
};

/* --- trace_drawings.c --- */
bool trace_drawings_open(struct trace_view *t);
void trace_drawings_close(struct trace_view *t);
void trace_drawings_drop(struct trace_view *t);
void trace_drawings_indexed(struct trace_view *t);
enum ts_effect trace_drawings_deliver(struct trace_view *t,
	struct ts_fetch *f); /* UNKNOWN: not of one */
enum ts_effect trace_draw_by(struct trace_view *t, const struct ts_call *call); /* `drawing` */
bool trace_draw_named(struct trace_view *t, const char *name); /* false: there is none */

static inline struct trace_drawing *
trace_drawn(struct trace_view *t)
{
	return &t->drawing[t->drawn];
}

/* Send a fetch of a drawing: its kind is d->kind + `kind`. Whoever asks remembers the pointer. */
void trace_drawing_send(struct trace_drawing *d, struct ts_fetch *f, int kind,
	enum ts_worker_id worker, const char *what);

/* --- trace.c --- */
/* Put the cursor, in the lane of the selected IPU, on a cycle (of the report); on a step. */
enum ts_effect trace_go_time(struct trace_view *t, int64_t cycle);
enum ts_effect trace_go_step(struct trace_view *t, int64_t step);
enum ts_effect trace_land_on_step(struct trace_view *t, int64_t step); /* FOLLOW_WORK */
enum ts_effect trace_go_ipu(struct trace_view *t, int ipu);	       /* index into trace->ipu */

/* --- trace_lanes.c --- */
extern const struct trace_drawing_ops trace_drawing_lanes;
void trace_draw_key(const struct trace_view *t, struct ts_canvas *c,
	struct ts_rect r); /* of the classes */

/* --- trace_bsp.c, trace_bsp_keys.c --- */
extern const struct trace_drawing_ops trace_drawing_bsp;
bool trace_say_tiles(struct trace_view *t, struct ts_strbuf *out);
enum ts_arg_state trace_set_tiles(struct trace_view *t, int64_t from, int64_t to);
/* --- trace_flame.c, trace_merged.c --- */
extern const struct trace_drawing_ops trace_drawing_flame, trace_drawing_merged;
enum ts_effect trace_merge_command(struct trace_view *t, const struct ts_call *call);
bool trace_merge(struct trace_view *t, const char *word); /* false: not one of its ranges */
bool trace_merge_ipus(struct trace_view *t, bool all);
/*
 * The stack of the frame under the cursor of what is merged; that of the outermost one that is
 * shown. False: it is the run.
 */
bool trace_say_frame(struct trace_view *t, struct ts_strbuf *out);
bool trace_say_inside(struct trace_view *t, struct ts_strbuf *out);
enum ts_arg_state trace_set_frame(struct trace_view *t, const char *stack);
enum ts_arg_state trace_set_inside(struct trace_view *t, const char *stack);
const char *trace_merge_said(struct trace_view *t, bool *all_ipus); /* NULL: all steps */

/* --- trace_frame_tab.c --- */
extern const struct ts_tab_ops trace_tab_frame;

/* --- trace_balance.c --- */
extern const struct ts_tab_ops trace_tab_balance;
bool trace_set_scope(struct trace_view *t, const char *name); /* false: it says what there is */
const char *trace_scope_name(const struct trace_view *t);

/* --- trace_lost.c --- */
extern const struct ts_tab_ops trace_tab_lost;

/* --- trace_lane_set.c --- */
/* A class in keys: the words of legend 0 are the longest. */
enum { TRACE_LEGENDS = 3 };
const char *trace_class_name(int k, int legend);

void trace_lanes_begin(struct trace_view *t); /* a trace has come */
void trace_lanes_fini(struct trace_view *t);
void trace_lanes_learn(struct trace_view *t, const struct ts_trace_chart *c);
int trace_lanes_rows(struct trace_view *t, int room);	/* lays them out: rows that they take */
int trace_lane_at(const struct trace_view *t, int ipu); /* its place among the chosen ones; -1 */
bool trace_lane_overlaps(const struct trace_view *t, int ipu);
bool trace_lane_is_two(const struct trace_view *t, int ipu); /* it has a second row */
bool trace_choose_lanes(struct trace_view *t, const char *list);
bool trace_say_lanes(const struct trace_view *t, struct ts_strbuf *out);
bool trace_hide_classes(struct trace_view *t, const char *names);
bool trace_say_hidden(const struct trace_view *t, struct ts_strbuf *out);
void trace_fold_all(struct trace_view *t, enum trace_folding all);
enum ts_effect trace_lanes_command(struct trace_view *t, const struct ts_call *call);
enum ts_effect trace_fold_lane(struct trace_view *t, const struct ts_call *call);
enum ts_effect trace_fold_lanes(struct trace_view *t, const struct ts_call *call);
enum ts_effect trace_series(struct trace_view *t, const struct ts_call *call);

/* --- trace_steps.c --- */
extern const struct ts_tab_ops trace_tab_steps;

/* --- trace_details.c, trace_program.c, trace_rows_tab.c --- */
extern const struct ts_tab_ops trace_tab_details, trace_tab_vertices, trace_tab_cycles,
	trace_tab_longest, trace_tab_hits;

/* --- trace_answer.c --- */
enum ts_effect trace_deliver(struct ts_view *v, struct ts_fetch *f);
void trace_drop(struct trace_view *t);	      /* everything that was read */
void trace_lanes_state(struct trace_view *t); /* as the trace says: absent, or not yet read */

/* --- trace_search.c --- */
/* Are both cursors on their way to the step `goal`? */
static inline bool
trace_goes_to_step(const struct trace_view *t)
{
	return t->follow == FOLLOW_STEP || t->follow == FOLLOW_WORK;
}

/* Is the search at its end? */
static inline bool
trace_searched(const struct trace_view *t)
{
	return t->has_hits && t->searched == t->slices;
}

/* Set what a fetch has to look through next. */
void trace_search_slice(struct trace_view *t, struct trace_fetch *f);
enum ts_effect trace_search_take(struct trace_view *t, struct trace_fetch *f);
void trace_search_begin(struct trace_view *t, const char *needle, int direction);
void trace_search_drop(struct trace_view *t); /* what it has found */
enum ts_effect trace_search_step(struct trace_view *t, int direction);
/* What is under the cursor, for other views; and what a row is. */
void trace_object(struct ts_view *v, struct ts_at_cursor *out);
void trace_object_of(struct ts_at_cursor *out, const struct ts_trace_row *row);
void trace_say_hits(struct trace_view *t);

/* --- trace_data.c --- */
void trace_request(struct ts_view *v);
void trace_ask_chart(struct trace_view *t); /* the lanes */
void trace_ahead(struct ts_view *v);
/* The lanes have just come: the overview is a copy of them when they show the whole run. */
void trace_share_lanes(struct trace_view *t, const struct trace_fetch *f);
void trace_go_row(struct trace_view *t, int64_t row, int64_t at); /* put the list on a row */
void trace_forget_locate(struct trace_view *t);			  /* nothing is looked for */

/* The row of the list, or NULL while it is not there. */
const struct ts_trace_row *trace_row(const struct trace_view *t, int64_t row);
int64_t trace_ipu(const struct trace_view *t);

struct trace_fetch *trace_begin(struct trace_view *t, enum trace_kind kind,
	struct trace_question q); /* NULL: it was asked, or there is no memory */
void trace_send(struct trace_view *t, enum trace_kind kind, struct trace_fetch *f);

/* --- trace_marks.c --- */
bool trace_is_marked(const struct trace_view *t, int64_t step);
enum ts_effect trace_mark_step(struct trace_view *t,
	int64_t step); /* or take its mark away; TS_UNKNOWN: a bell */
enum ts_effect trace_mark(struct trace_view *t, const struct ts_call *call);
enum ts_effect trace_range(struct trace_view *t, const struct ts_call *call);
enum ts_effect trace_clear_marks(struct trace_view *t, const struct ts_call *call);
enum ts_effect trace_zoom_marks(struct trace_view *t, const struct ts_call *call);
enum ts_code trace_read_marked(struct ts_fetch *f, struct ts_reader *rd, struct ts_err *err);
void trace_ask_marked(struct trace_view *t);
enum ts_effect trace_take_marked(struct trace_view *t, struct trace_fetch *f);
struct ts_rect trace_cut_marked(const struct trace_view *t, struct ts_rect *list);
void trace_draw_marked(const struct trace_view *t, struct ts_canvas *c, struct ts_rect r);
void trace_draw_range(struct trace_view *t, struct ts_canvas *c);
void trace_draw_range_in(struct trace_view *t, struct ts_canvas *c, struct ts_rect strip);
bool trace_write_marks(const struct trace_view *t, struct ts_strbuf *out);
bool trace_read_marks(struct trace_view *t, const char *list);
bool trace_set_range(struct trace_view *t, int64_t from, int64_t to);

/* --- trace_jumps.c --- */
enum ts_effect trace_jump_command(struct trace_view *t, const struct ts_call *call);
enum ts_code trace_read_jump(struct ts_fetch *f, struct ts_reader *rd, struct ts_err *err);
void trace_ask_jump(struct trace_view *t);
enum ts_effect trace_take_jump(struct trace_view *t, struct trace_fetch *f);
enum ts_code trace_read_longest(struct ts_fetch *f, struct ts_reader *rd, struct ts_err *err);
enum ts_code trace_read_first(struct ts_fetch *f, struct ts_reader *rd, struct ts_err *err);
void trace_ask_longest(struct trace_view *t); /* of what is in sight, when that is not known */
/* Where they are wanted to go there: the first of them from the index alone, and all of them. */
void trace_ask_for_jump(struct trace_view *t);
enum ts_effect trace_take_longest(struct trace_view *t, struct trace_fetch *f);
enum ts_effect trace_take_first(struct trace_view *t, struct trace_fetch *f);
void trace_drop_longest(struct trace_view *t);

/* --- trace_refresh.c --- */
/* The sections that the index has now, of those that tell about the trace. */
unsigned trace_sections(const struct trace_view *t);
/* A row whose number the index may tell. */
int64_t trace_ref_row(const struct trace_view *t);
/* The trace was opened again, with more of the index: what is on the screen stays where it is. */
enum ts_effect trace_refresh(struct trace_view *t, struct trace_fetch *f);

/* --- trace_table.c --- */
enum trace_column {
	C_CLASS,
	C_STEP,
	C_RUN,
	C_TYPE,
	C_NAME,
	C_CYCLES,
	C_BALANCE,
	C_TILES,
	C_START,
	C_END,
	C_MARK,
	C_ACTIVE_BALANCE,
	C_IN,
	C_IN_RATE,
	C_OUT,
	C_OUT_RATE,
	C_PROGRAM,
	C_SET,
	C_COUNT
};

/* --- trace_sheet.c --- */
void trace_explain_step(struct trace_view *t, struct ts_explain *out);
bool trace_steps_sheet(struct trace_view *t, struct ts_sheet *out);
bool trace_lanes_chart(struct trace_drawing *d, struct ts_chart_page *page);

/* --- trace_draw.c --- */
void trace_draw(struct ts_view *v, struct ts_canvas *c);

/*
 * Columns of a table that say cycles are called time where cells are times: they are copied to `to`
 * then, which stays.
 */
void trace_name_columns(struct ts_table *table, struct trace_heads *to, const struct trace_view *t);
void trace_table(struct ts_table *table, struct trace_view *t);
void trace_arrange(struct trace_view *t); /* layout, and what follows from it */

/*
 * What the report does not have of the drawing that is shown: a panel says so, in all of its room,
 * without axis, legend and cursor. NULL: there is a drawing, or there may be one. Whoever changes
 * it calls trace_arrange().
 */
const struct ts_pane_data *trace_missing(const struct trace_view *t);

/*
 * Ticks of the cycles [first, last) over the columns of `axis`, as cycles or time, and which of
 * them on its left. Returns the columns up to the end of the tick that the others are counted from,
 * 0: there is none.
 */
int trace_draw_ruler(struct trace_view *t, struct ts_canvas *c, struct ts_rect plot,
	struct ts_rect axis, int64_t first, int64_t last);

/* Clock in Hz, 0 = not known; and does the view show time? */
double trace_clock(const struct trace_view *t);
bool trace_in_time(const struct trace_view *t);

/* A length, and a place on the axis (with all its digits), as cycles or time. */
const char *trace_fmt_place(const struct trace_view *t, char out[TS_FMT_MAX], int64_t cycles);
const char *trace_fmt_length(const struct trace_view *t, char out[TS_FMT_MAX], int64_t cycles);

/* --- trace_address.c --- */
extern const struct ts_view_arg trace_args[];

#endif
