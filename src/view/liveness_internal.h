/* SPDX-License-Identifier: MIT */
/*
 * liveness_internal - the state of the Liveness view, shared by its files: liveness.c (commands), liveness_source.c
 * (source, marks, replicas), liveness_data.c (questions), liveness_draw.c (the graph), liveness_readout.c (the lines below
 * it), liveness_steps.c (steps that are searched for or filtered) and one file for each tab or a few of them.
 */
#ifndef TS_VIEW_LIVENESS_INTERNAL_H
#define TS_VIEW_LIVENESS_INTERNAL_H

#include "tilescope/report/live_checks.h"
#include "tilescope/report/live_source.h"
#include "tilescope/report/live_steps.h"
#include "tilescope/report/lives.h"
#include "tilescope/ui/chart.h"
#include "tilescope/ui/layout.h"
#include "tilescope/ui/list.h"
#include "tilescope/ui/span.h"
#include "tilescope/ui/table.h"
#include "tilescope/ui/table_order.h"
#include "tilescope/view/what_if.h"
#include "tilescope/view/held_list.h"
#include "tilescope/view/liveness.h"
#include "tilescope/view/tab.h"

/* Those from LIVE_GRAPH on take keys. */
enum { LIVE_STRIP, LIVE_GRAPH, LIVE_TABS, LIVE_PANES };
enum { LIVE_TAB_ALIVE, LIVE_TAB_ALWAYS }; /* the first of its tabs */

enum {
	LIVE_FETCH_LINE,
	LIVE_FETCH_SUMS,
	LIVE_FETCH_LIVES,
	LIVE_FETCH_ALIVE,
	LIVE_FETCH_LABELS,
	LIVE_FETCH_CHECKS,
	LIVE_FETCH_HITS,
	LIVE_FETCH_KEPT,
	LIVE_FETCH_GONE,
	LIVE_FETCHES
};

enum { LIVE_NEEDLE = 256, LIVE_NAME = 64, LIVE_SOURCE = 160 };

enum {
	LIVE_FULLEST = -1
}; /* number of a tile: the fullest one, where nobody has gone to any; the answer says which */

/* Where the parts of the graph's pane are; what does not fit is empty. */
struct live_parts {
	struct ts_rect title, marks, read_out;
	struct ts_chart_frame frame;
};

/* What the columns below were worked out of: anything else, and they are old. */
struct live_key {
	int64_t from, to;
	int columns, rows;
	bool no_base, one_replica;
	int limit;
	uint64_t data, hits;
};

/* Values of the plot's columns, in bytes of what the source is. */
struct live_columns {
	struct live_key key;
	bool grouped;  /* a column holds several steps: the mean is not all there is to say */
	bool outlined; /* in some, the highest stands out from the mean */
	double base[TS_CANVAS_MAX_W], mean[TS_CANVAS_MAX_W], highest[TS_CANVAS_MAX_W];
	double strip[TS_CANVAS_MAX_W]; /* of the whole timeline */
	bool hit[TS_CANVAS_MAX_W];     /* peaks in the strip */
	struct live_key strip_key;
};

/* The limit line: where it is near anyway, always (the graph goes up to it), never. */
enum live_limit { LIVE_LIMIT_NEAR, LIVE_LIMIT_ON, LIVE_LIMIT_OFF };

/* Which steps are searched for, and which are left by a filter. */
struct live_steps {
	char needle[LIVE_NEEDLE]; /* "" = none */
	int direction;		  /* of the search: 1 or -1 */
	bool jump;		  /* the cursor goes to a hit when they come */
	bool search_wanted, filter_wanted;
	struct ts_live_hits hits;
	uint64_t of;	       /* struct liveness.data that the hits are of; 0 = none */
	uint64_t asked;	       /* counts answers */
	struct ts_filter line; /* whose steps are shown; count 0 = all */
	struct ts_filter wanted;
	bool partial;		  /* names that it asks for could not all be read */
	bool filtered;		  /* src.line has what it leaves: */
	struct ts_liveness whole; /* all steps */
};

struct liveness {
	struct ts_view v;
	struct ts_rect pane[TS_LAYOUT_PANES], area;
	int focus; /* the pane that has the keys */
	bool zoomed;
	bool about_step;  /* what Debug is about: the step, else the row of the tab */
	bool no_base;	  /* the always-live base is hidden */
	bool base_chosen; /* by somebody: it is not hidden or shown by itself any more */
	bool one_replica; /* figures of one replica, not of the device */
	enum live_limit limit;

	/* whose liveness: wanted, and what the data below are of */
	struct ts_live_source source, shown;
	char source_text[LIVE_SOURCE]; /* of a set of tiles: the expression that names it */
	char shown_text[LIVE_SOURCE];  /* the same of what is shown */
	bool follow;	  /* the source becomes the selected tiles as soon as there are others */
	bool asked_tiles; /* they were asked for as a source, by an expression */
	uint64_t tiles_version; /* of the selection, when it was looked at last */
	bool line_wanted, sums_wanted, lives_wanted, labels_wanted, checks_wanted;
	bool to_peak; /* the cursor goes to the highest step of the timeline that comes next */

	struct ts_pane_data graph, table; /* the timeline; who is alive */
	struct ts_fetch *under_way[LIVE_FETCHES];
	uint64_t data; /* counts timelines that came */
	struct ts_source_line src;
	struct ts_kind_sums
		*sums;		/* held: of a set of tiles, the largest variables before `lives` */
	struct ts_lives *lives; /* held */
	uint64_t lives_data;	/* counts lives that came */
	struct ts_alive *alive;
	uint64_t alive_data;			       /* counts answers */
	struct ts_alive_query asked;		       /* the newest; step -1 = none */
	bool asked_listed, asked_whole, asked_grouped; /* with rows, with lives, with labels */

	int marks; /* steps that are marked, in their order */
	int64_t mark[TS_ALIVE_MARKS];
	enum ts_alive_only only;
	int group;			 /* only variables of this group are listed; -1 = all */
	struct ts_groups *groups;	 /* held; NULL: not read yet */
	struct ts_live_labels *labels;	 /* held */
	struct ts_pane_data labels_pane; /* of the labels */
	struct ts_live_checks checks,
		device; /* of the source; of the device and all its lives, once */
	bool device_checked;

	struct ts_span span; /* points of the timeline */
	ptrdiff_t rank;	     /* peak that was walked to last */
	struct live_steps steps;
	struct ts_tabs tabs;
	struct live_columns columns;
};

/* --- liveness_readout.c: lines of the read-out, one row each --- */

/* Whose memory the limit is. */
const char *live_memory_owner(const struct liveness *s);

/* How high the peak of what is shown would be with the changes of What-if; `tab` (may be NULL): the tab that knows it. */
enum ts_what_if_known live_what_if(const struct liveness *s, struct ts_what_if_peak *out,
	struct ts_tab **tab);
enum { LIVE_WHAT_IF = 2 * TS_FMT_MAX + 40 };

/* "what if: 826 MiB at step 520"; returns `out`. */
const char *live_what_if_text(char out[LIVE_WHAT_IF], const struct liveness *s,
	const struct ts_what_if_peak *after);

/* The figures at the cursor. */
void live_draw_figures(struct ts_canvas *c, struct ts_rect r, const struct liveness *s);

/* What runs there, and what else the column holds. */
void live_draw_program(struct ts_canvas *c, struct ts_rect r, const struct liveness *s);

/* What was born and what died between the steps that are compared; at a peak: why it is one. */
void live_draw_changes(struct ts_canvas *c, struct ts_rect r, const struct liveness *s);

/* --- liveness_draw.c --- */
void live_parts(struct live_parts *p, const struct liveness *s);
void live_align_heat(struct liveness *s);
void live_lay_out(struct liveness *s);
void live_draw(struct ts_view *v, struct ts_canvas *c);
bool live_limit_drawn(const struct liveness *s);

const char *live_bytes_tick(void *ctx, double v, char out[TS_FMT_MAX]);
const char *live_step_tick(void *ctx, double v, char out[TS_FMT_MAX]); /* of a point */
double live_top(const struct liveness *s, bool *limit); /* of the y axis; is the limit below it? */

/* --- liveness_explain.c --- */

/* Which tiles belong to the source, in SQL; "" = all. False: it does not fit into a query. */
enum { LIVE_TILES_SQL = 900, LIVE_SQL = LIVE_TILES_SQL + 500 };
bool live_tiles_sql(const struct liveness *s, char out[LIVE_TILES_SQL]);

/*
 * Bytes that are not always live at step `at` and, unless it is TS_UNKNOWN, are not alive at step `not`: of the lowered
 * variables of the source, as an expression. False: as above.
 */
bool live_lowered_sql(const struct liveness *s, int64_t at, int64_t not, char out[LIVE_SQL]);
extern const char live_too_many_tiles[]; /* why there is no query then */

void live_explain(struct ts_view *v, struct ts_explain *out);
bool live_sheet(struct ts_view *v, struct ts_sheet *out);
bool live_chart(struct ts_view *v, struct ts_chart_page *page);

/* --- liveness_data.c --- */
void live_request(struct ts_view *v);
void live_indexed(struct ts_view *v);
enum ts_effect live_deliver(struct ts_view *v, struct ts_fetch *f);
void live_drop(struct liveness *s); /* all that was read */
bool live_awaits_alive(
	const struct liveness *s); /* who is alive was asked for, or will be at once */

/* Send a question of a tab: `kind` of its own, 0 ... */
void live_send(struct ts_tab *t, struct ts_fetch *f, int kind, int64_t rows, const char *what);

/* --- liveness_source.c --- */

/* Another source: what was read of the old one stays on the screen until the new one is there. *s is taken. */
void live_set_source(struct liveness *s, struct ts_live_source *source, const char *text);
enum ts_effect live_source_command(struct liveness *s, const struct ts_call *call);
enum ts_effect live_source_ipu(struct liveness *s, const struct ts_call *call);
enum ts_effect live_replica_command(struct liveness *s, const struct ts_call *call);
void live_follow_selection(struct liveness *s);

/* "device of 4 replicas", "ipu 1", "12 tiles: worst(12)". */
const char *live_source_name(char *out, size_t size, const struct liveness *s,
	const struct ts_live_source *source);

/* Figures as they are shown: of the device, of one replica, or of the source. TS_UNKNOWN where not known. */
int64_t live_scaled(const struct liveness *s, int64_t bytes);
int64_t live_base(const struct liveness *s);
int64_t live_memory(const struct liveness *s);

/*
 * Of several replicas: are figures of what is always live that come to `bytes` together those of the device, or those of
 * one replica? No relation says so; it is taken to be the one that the tiles are nearer to. And such a figure as the
 * others are shown: divided by the replicas, or times them.
 */
bool live_always_of_device(const struct liveness *s, int64_t bytes);
int64_t live_always_scaled(const struct liveness *s, int64_t sum, int64_t bytes);

/* Is it the device of several replicas that is shown? Then there is a switch between it and one of them. */
bool live_has_replicas(const struct liveness *s);

enum ts_effect live_mark(struct liveness *s, const struct ts_call *call);
enum ts_effect live_mark_range(struct liveness *s, const struct ts_call *call);
enum ts_effect live_clear_marks(struct liveness *s, const struct ts_call *call);
bool live_add_mark(struct liveness *s, int64_t step); /* false: there are as many as there can be */

/*
 * The valley before the point (a peak): going back, the lowest step before it is higher than the point, or rises again by
 * TS_PEAK_SHARE of the highest one. TS_UNKNOWN where there is none.
 */
int64_t live_valley(const struct liveness *s, size_t point);

/* --- liveness_steps.c --- */
void live_ask_steps(struct liveness *s);
void live_take_hits(struct liveness *s, struct ts_fetch *f);
void live_take_kept(struct liveness *s, struct ts_fetch *f);
void live_drop_steps(struct liveness *s);		     /* the timeline goes: ask again */
bool live_forget_hits(struct liveness *s);		     /* false: there was no search */
bool live_steps_filtering(const struct liveness *s);	     /* the filter has no answer yet */
bool live_steps_hit(const struct liveness *s, size_t point); /* is it a hit of the search? */
enum ts_effect live_search_steps(struct liveness *s, const struct ts_call *call);
enum ts_effect live_search_again(struct liveness *s, const struct ts_call *call);
enum ts_effect live_filter_steps(struct liveness *s, const struct ts_call *call);

/* The timeline with all its steps, whatever the filter leaves. */
const struct ts_liveness *live_whole(const struct liveness *s);

/* --- liveness.c --- */

/* The cursor to the place that the selection names, else to the highest peak. */
void live_object(struct ts_view *v, struct ts_at_cursor *out); /* liveness_source.c */
void live_take_selection(struct liveness *s);

void live_go_peak(struct liveness *s); /* the highest; there are points */

/* Number of the step under the cursor; TS_UNKNOWN without steps. */
int64_t live_step(const struct liveness *s);

/* Its program, -1 = not known. */
int64_t live_program(const struct liveness *s);
enum ts_effect live_go_step(struct liveness *s, int64_t step);
enum ts_units live_units(const struct liveness *s);

/* --- liveness_alive.c --- */

/* Name of a row of the table: `buf` holds it where the report has none. */
const char *live_name(const struct liveness *s, int row, char buf[LIVE_NAME]);
const char *live_group_name(const struct liveness *s, int group); /* "" = not known */
bool live_same_rows(const struct liveness *s); /* marks and lives call a piece the same */
/* Is the list filtered, sorted by something else than bytes, or looked at near its end: more rows are wanted. */
bool live_alive_looks_further(const struct liveness *s);

/* Is there anything of its list to show? Of a set of tiles the largest are there before the lives of all are. */
bool live_alive_there(const struct liveness *s);
int64_t live_alive_cursor(const struct liveness *s); /* row of s->alive under its cursor; -1 */

/* --- liveness_explain.c --- */

/* The sheet of a tab whose own state begins with a held list. */
bool live_tab_sheet(struct ts_tab *t, struct ts_sheet *out);

/* --- liveness_far.c --- */

/* That of who is alive. */
bool live_alive_sheet(struct ts_tab *t, struct ts_sheet *out);

/* --- liveness_always.c --- */

/* Ask for what is always live, if it is not there; `t` is its tab. */
void live_ask_always(struct ts_tab *t);

/* What it waits for was stopped: so is it. */
void live_stop_always(struct ts_tab *t);

/* It, with groups, of the source that is shown; NULL: not there. *version grows with every answer. */
struct ts_always;
const struct ts_always *live_always(const struct ts_tab *t, uint64_t *version);

/* --- tabs --- */
extern const struct ts_tab_ops live_tab_alive, live_tab_always, live_tab_groups, live_tab_lifetimes,
	live_tab_vertices, live_tab_cycles, live_tab_path;

/* --- liveness_address.c --- */
extern const struct ts_view_arg live_args[];

#endif
