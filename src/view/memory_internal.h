/* SPDX-License-Identifier: MIT */
/*
 * What the files of the Memory view share: memory.c (commands), memory_data.c (what is asked of
 * the report), memory_parts.c (what the plot is divided by), memory_moves.c (its cursor), memory_variables.c (the variables of a
 * tile), memory_plot.c (figures per column), memory_marks.c (tiles that are selected), memory_draw.c and
 * memory_tables.c (to the canvas), memory_tabs.c (the tabs of the lower pane).
 *
 * The x axis is the list of tiles in the order of their numbers, whatever the numbers are: unit i of
 * the span is tile i of the list. The cursor is always on one tile; where a column holds several
 * tiles, moving by columns puts it on the fullest of them.
 */
#ifndef TS_VIEW_MEMORY_INTERNAL_H
#define TS_VIEW_MEMORY_INTERNAL_H

#include "tilescope/base/mem.h"
#include "tilescope/calc/buckets.h"
#include "tilescope/report/archive.h"
#include "tilescope/report/target.h"
#include "tilescope/report/tile_metric.h"
#include "tilescope/report/tile_variables.h"
#include "tilescope/ui/chart.h"
#include "tilescope/ui/layout.h"
#include "tilescope/ui/list.h"
#include "tilescope/ui/span.h"
#include "tilescope/ui/table.h"
#include "tilescope/ui/table_order.h"
#include "tilescope/view/fetch.h"
#include "tilescope/view/arranged.h"
#include "tilescope/view/tab.h"
#include "tilescope/view/tile_map.h"
#include "tilescope/view/view.h"

enum memory_pane {
	PANE_STRIP,
	PANE_TITLE,
	PANE_LEGEND,
	PANE_GRAPH,
	PANE_READOUT,
	PANE_TABS,
	PANE_NONE = TS_LAYOUT_NONE,
};

/* Of the pane below the graph, in the order of their titles. */
enum memory_tab {
	TAB_DETAILS,
	TAB_VARIABLES,
	TAB_SETS,
	TAB_VERTICES,
	TAB_EXCHANGES,
	TAB_ADDRESSES,
	TAB_DEBUG,
	TAB_CODE,
	TAB_COUNT,
};

/* What the plot is divided by: of the fullest tile of each column, but for MEAN. */
enum memory_breakdown {
	BY_TOTAL,
	BY_CATEGORY,
	BY_CATEGORY_MEAN, /* of the mean tile of each column */
	BY_LIVENESS,
	BY_REGION,
	BY_LAYER,
	BY_FAMILY,
	BY_MARKED, /* the variables that are marked */
	BY_COUNT,
};

enum memory_fetch_kind {
	FETCH_TILES,
	FETCH_CATEGORIES,
	FETCH_VARIABLES,
	FETCH_AHEAD,
	FETCH_NAMES,
	FETCH_CODE,
	FETCH_METRIC,
	FETCH_IDENTITY,
	FETCH_HITS,
	FETCH_PARTS, /* and one for each breakdown */
};

/* Bands of a breakdown: the largest, and all others together; gaps, and what is in no part. */
enum { MEMORY_BANDS = 34, MEMORY_CATEGORIES = 16, MEMORY_HIDDEN = 40, MEMORY_PART_NAME = 64 };
enum { PART_GAPS = -1, PART_REST = -2, MEMORY_DRAWN = MEMORY_BANDS + 2 };
enum { MEMORY_IPUS = 64, MEMORY_SEARCH = 256, AXIS_ROWS = 2 };

/* Tiles whose variables are kept beside those that are shown. */
enum { MEMORY_SHELF = 3 };

/* The tiles with all that follows from them; made by a worker. */
struct memory_tiles {
	struct ts_tiles tiles;
	struct ts_target target;
	int64_t n;
	bool dense;	      /* tile i of the list is tile number first + i */
	bool has_gaps;	      /* some tile says how much its gaps are */
	bool has_live;	      /* some tile says what is always live */
	int64_t *value[2];    /* bytes by gaps: excluding, including where known */
	uint32_t *order[2];   /* fullest first */
	uint32_t *rank[2];    /* place in `order` */
	int64_t *ipu;	      /* or TS_UNKNOWN */
	int64_t *live[2];     /* always live, most of not always live; TS_UNKNOWN */
	int64_t most_live;    /* place of the tile with most live at once; -1: not recorded */
	int64_t top[2];	      /* largest value */
	size_t over;	      /* tiles that do not fit */
	char target_note[80]; /* what went wrong with the target, or "" */
};

/* The parts of a breakdown, by tile. Of the category, and of everything else that tiles are divided by. */
struct memory_categories {
	struct ts_categories c;
	int bands;
	int part[MEMORY_BANDS]; /* of a band in c.category */
	bool other;		/* the last band is all others together */
	int64_t *others;	/* its bytes by tile of the list; TS_UNKNOWN: too large to add up */
	int64_t *sum;		/* of all parts, by tile of the list; the same */
	uint32_t *place;	/* of a tile of the list in c.tile; UINT32_MAX: not there */
	bool whole; /* else rows are still being read: so many of so many (0 = not known) */
	int64_t rows, of;
	char letter[MEMORY_BANDS];
	const char *name[MEMORY_BANDS];
};

struct memory_row {
	int category; /* index: of m->categories, else of the tile's variables; -1 for the gaps */
	int64_t bytes;
};

/* The selected tiles that there are, by their places in the list; made for `version`, `data`, `gaps`. */
struct memory_selected {
	uint64_t version, data;
	int gaps;
	int64_t tiles, known;	   /* how many; of how many the bytes are known */
	int64_t bytes;		   /* of these; TS_UNKNOWN: too large to add up */
	int64_t gap_bytes;	   /* of these, where they are known */
	int64_t first, last;	   /* places */
	int64_t fullest, emptiest; /* of those that are known */
};

/* Where the parts of a breakdown come from, other than the category. */
struct memory_source {
	struct ts_pane_data state;
	struct ts_fetch *sent; /* the newest */
	struct memory_categories *k;
	uint64_t marks; /* marked variables (their version) that it is of */
};

/* What is drawn as one band. */
struct memory_drawn {
	int part; /* band of the parts, PART_GAPS, PART_REST */
	const char *name;
	enum ts_role role;
	char letter;
	bool hidden;
};

/* What the tiles of an IPU have together, of what the plot shows. */
struct memory_ipu {
	int64_t ipu, tiles, known; /* of so many the bytes are known */
	int64_t bytes;
	int64_t fullest;	    /* place of the tile with most */
	int64_t part[MEMORY_DRAWN]; /* of each band */
};

struct memory_ipus {
	int count, last;
	int64_t top; /* most bytes of one */
	struct memory_ipu ipu[MEMORY_IPUS];
};

/* Tiles with a variable that a search of the graph found. */
struct memory_hits {
	char word[MEMORY_SEARCH]; /* that was asked for; "" = none */
	struct ts_fetch *sent;	  /* the newest */
	struct ts_tile_set set;
	int64_t count; /* of the tiles of the list */
	bool made;     /* set and count are there */
	uint64_t version;
	int step; /* where to go when they come: 1 or -1, ... */
	bool from_here;
	int64_t cursor; /* ... from this position, if the cursor is there still */
};

struct memory_plot {
	/* what it was made for */
	int64_t from, to;
	int columns, gaps, breakdown;
	uint64_t data, hides;

	int bands;
	struct memory_drawn band[MEMORY_DRAWN];
	bool hidden; /* some of them */
	bool beyond; /* parts of some tile come to more than it uses: they overlap */
	int64_t *
		shown; /* bytes by tile of the list that are drawn where bands are hidden; else NULL */
	int64_t shown_top;

	struct ts_bucket bucket[TS_CANVAS_MAX_W];
	double fill[TS_CANVAS_MAX_W], over[TS_CANVAS_MAX_W], outline[TS_CANVAS_MAX_W];
	double layer[MEMORY_DRAWN][TS_CANVAS_MAX_W];
	/* what grew and what shrank most in each column, while something is compared */
	double more[TS_CANVAS_MAX_W], less[TS_CANVAS_MAX_W];
	bool bad[TS_CANVAS_MAX_W]; /* a tile of the column does not fit */
	bool ipu[TS_CANVAS_MAX_W]; /* an IPU begins in the column */
	bool several;		   /* columns hold more than one tile */
	int strip_columns;
	double strip[TS_CANVAS_MAX_W];
	bool strip_bad[TS_CANVAS_MAX_W];
	bool strip_hit[TS_CANVAS_MAX_W]; /* a tile there was found */
	uint64_t hits;			 /* ... by which search */
};

/* A metric that is not the tiles' own memory, with all that follows from its values; made by a worker. */
struct memory_metric {
	struct ts_tile_values v;
	uint32_t *order, *rank; /* as those of memory_tiles */
};

/* The tiles as a map, in place of the graph. */
struct memory_map {
	bool shown;
	bool physical; /* in that order, else by number */
	bool whole;    /* the screen has no halves of cells */
	enum ts_heat_how how;
	struct ts_tile_map map;
	/* what it was laid out and coloured for */
	const struct memory_tiles *tiles;
	bool laid_physical, no_limit;
	const int64_t *values;
	uint64_t data;
};

/* Sections and functions of a tile, with their names as people write them (base/vertex_name.h). */
enum { MEMORY_FUNCTION = 2 * TS_ELF_FUNCTION_NAME };

struct memory_code {
	struct ts_archive_details *d;
	char said[TS_ELF_FUNCTIONS][MEMORY_FUNCTION];
};

/* The tiles in another order than that of the list; place NULL: in that order. */
struct memory_axis {
	const struct memory_tiles *of;
	int32_t *place;	   /* by position */
	int32_t *position; /* by place */
	int64_t *values;   /* room for a value of each */
};

struct memory_view {
	struct ts_view view; /* first */
	struct ts_rect area;
	struct ts_rect pane[TS_LAYOUT_PANES];
	enum memory_pane focus, zoomed;
	struct ts_tabs tabs;

	struct ts_pane_data tiles_state, categories_state, variables_state;
	struct ts_fetch *tiles_sent, *categories_sent, *variables_sent, *ahead_sent,
		*names_sent;		      /* the newest */
	struct memory_tiles *tiles;	      /* NULL: not here */
	struct memory_categories *categories; /* NULL: not here */
	struct memory_source source[BY_COUNT];
	char layer_pattern[TS_OPTION_PATTERN]; /* that layers were asked for with */
	uint64_t hides;			       /* counts changes of what is hidden */
	int turned;
	char turned_name[MEMORY_HIDDEN][MEMORY_PART_NAME]; /* of bands, in whatever breakdown */
	struct ts_tile_variables variables;
	int64_t variables_of;			      /* tile of `variables`, -1 = none */
	enum ts_pane_state variables_were;	      /* when they came: READY or PARTIAL */
	int64_t variables_wanted;		      /* tile last asked for, -1 = none */
	struct ts_tile_variables shelf[MEMORY_SHELF]; /* whole; the last one used first */
	int64_t ahead;	    /* place where the next key of this kind would go, -1 = not known */
	int64_t ahead_read; /* tile + 1 of the last one read ahead: not again, whatever came of it */
	bool names_stopped; /* of `variables`: not to be asked for any more */
	int find;	    /* a search that waits for all names: its step, 0 = none */
	bool find_here;	    /* it may end where it begins */
	uint64_t data;	    /* counts arrivals: plot and rows are made anew */

	struct ts_span span; /* of positions */
	struct memory_axis axis;
	int64_t want_tile; /* to go to when the tiles come, -1 = none */
	int gaps;	   /* 1 = bytes include gaps where known */
	enum memory_breakdown breakdown;
	int rows_below; /* the read-out, that were wanted */
	bool per_ipu;	/* the plot is of IPUs, not of tiles */
	bool no_limit;	/* without the line of the limit */
	struct memory_ipus ipus;
	int64_t range_from; /* place where a range was begun, -1 = none */
	struct memory_selected selected;
	int64_t walk; /* place of the last `fullest`, -1 = none */

	struct ts_metric metric; /* what graph and map show of each tile; at first its memory */
	struct memory_metric *values; /* of `metric`; NULL: not here, or it is that of `tiles` */
	struct ts_pane_data metric_state;
	struct ts_fetch *metric_sent;
	struct memory_map map;
	int64_t *other; /* values of another report, of the same tiles; NULL: nothing is compared */
	uint64_t other_data;   /* `data` that they belong to */
	double most_different; /* the largest difference of all tiles, without its sign */
	bool identity_asked;
	char identity[200]; /* what does not add up; "" = nothing, as far as is known */

	struct memory_plot plot;
	struct ts_column_facts facts[TS_TABLE_COLUMNS]; /* of the tiles as a table, bands behind */
	double top;					/* of the y axis, bytes */
	int gutter;					/* columns of its labels */

	struct memory_row row[TS_CATEGORIES_MAX + 1];
	int rows;
	int64_t rows_bytes; /* their sum */
	int64_t rows_of;    /* tile that they are of, -1 = none */
	uint64_t rows_data;
	int rows_gaps;
	bool rows_counted; /* they say something; else the categories are still being counted */
	struct ts_list category_list, variable_list;
	struct ts_table_order variable_order;
	uint64_t variables_version; /* counts other variables, and names that came */

	struct ts_pane_data code_state;
	struct ts_fetch *code_sent;   /* the newest */
	struct memory_code *code;     /* NULL: not here */
	int64_t code_of, code_wanted; /* tile, -1 = none */
	struct ts_list code_list;
	struct ts_table_order code_order;

	char search[MEMORY_SEARCH];
	struct memory_hits hits;
};

/* --- memory_data.c --- */

void memory_drop(struct memory_view *m);
void memory_request(struct ts_view *v);
void memory_indexed(struct ts_view *v);

enum ts_effect memory_deliver(struct ts_view *v, struct ts_fetch *f);

void memory_out_of_memory(struct ts_pane_data *d);

/* A fetch that came back in vain although nobody asked anew: somebody stopped it. */
void memory_stopped(struct ts_pane_data *d);

/* --- memory_hits.c --- */

/* To the next tile (step 1 or -1) with a variable that has the word in its name; they are looked for first. */
enum ts_effect memory_find_tile(struct memory_view *m, int step, bool from_here);
enum ts_effect memory_take_hits(struct memory_view *m, struct ts_fetch *f);
void memory_hits_drop(struct memory_view *m);

/* Is the tile at a position one of these? Are they those of the word that is searched for? */
bool memory_is_hit_at(const struct memory_view *m, int64_t position);
bool memory_hits_are_of(const struct memory_view *m);

/* --- memory_axis.c --- */

/* In the order that is wanted, of the tiles that there are. */
void memory_axis_make(struct memory_view *m);
void memory_axis_drop(struct memory_view *m);

/* Values by the list in the order of the axis: valid until the next call. */
const int64_t *memory_on_axis(const struct memory_view *m, const int64_t *values);

/* --- memory_bands.c --- */

/* Bytes of a band on tile i of the list; TS_UNKNOWN: too large to add up. */
int64_t memory_band(const struct memory_categories *k, int band, int64_t i);

/* Make the bands of k->c for a list of n tiles: at most `most`, by name or with most bytes first. */
enum ts_code memory_bands_make(struct memory_categories *k, const int64_t *tile, int64_t n,
	int most, bool by_name, struct ts_err *err);
void memory_bands_free(struct memory_categories *k);

/* --- memory_parts.c --- */

/* The parts that the plot is divided into; NULL: none, or they are not here. */
const struct memory_categories *memory_parts(const struct memory_view *m);

/* Where they stand; NULL: there is nothing to wait for. */
const struct ts_pane_data *memory_parts_state(const struct memory_view *m);
void memory_ask_parts(struct memory_view *m);
enum ts_effect memory_take_parts(struct memory_view *m, struct ts_fetch *f);
void memory_drop_parts(struct memory_view *m);

const char *memory_breakdown_name(enum memory_breakdown by);
/* The same for addresses: all of them, with | between them. */
#define MEMORY_BREAKDOWNS "total|category|mean|liveness|region|layer|family|marked"

/* Commands: by what, and which bands. */
enum ts_effect memory_break_down(struct memory_view *m, const struct ts_call *call);
enum ts_effect memory_series(struct memory_view *m, const struct ts_call *call);
void memory_complete(struct ts_view *v, enum ts_cmd cmd, const char *line,
	struct ts_candidates *out);
/* Has it been turned the other way: hidden, or shown where it is hidden at first? */
bool memory_is_turned(const struct memory_view *m, const char *name);

/* --- memory_variables.c --- */

void memory_drop_variables(struct memory_view *m);
void memory_ask_variables(struct memory_view *m, int64_t tile);

/* What no key waits for, or only one in the table: names, and the variables of the next tile. */
void memory_ask_more(struct memory_view *m);
/* The variable under the cursor, for Debug; false: none, or it would take a pass. */
bool memory_about_variable(const struct memory_view *m, struct ts_debug_about *out);
void memory_variables_indexed(struct memory_view *m);
enum ts_effect memory_take_variables(struct memory_view *m, struct ts_fetch *f);

/* Are all names of the list there, or never to come? */
bool memory_is_named(const struct memory_view *m);

/* --- memory_moves.c --- */

/* At the end of each command: figures for what is in sight; where SELECT is in `effect`, the tile is that of all views. */
enum ts_effect memory_settle(struct memory_view *m, enum ts_effect effect);
void memory_select_tile(struct memory_view *m);

/* Put the cursor on a tile of the list. */
enum ts_effect memory_go(struct memory_view *m, int64_t place);

/* After a move by columns: on the fullest tile of the column, of those in [from, to). */
void memory_snap(struct memory_view *m, int64_t from, int64_t to);

/* A command of the graph; is it one that no table has? */
enum ts_effect memory_graph_command(struct memory_view *m, enum ts_cmd cmd);
bool memory_is_of_graph_only(enum ts_cmd cmd);

/* `fullest`, `ipu-next`, and back; `goto`. */
enum ts_effect memory_fullest(struct memory_view *m, const struct ts_call *call);
enum ts_effect memory_next_ipu(struct memory_view *m, const struct ts_call *call);
enum ts_effect memory_goto_tile(struct memory_view *m, const struct ts_call *call);

/* --- memory.c --- */

/* Show a variable of a tile (its place among the tile's rows) in the tab Variables. */
enum ts_effect memory_show_variable(struct memory_view *m, int64_t tile, int64_t row);

/* Go on with a search that waited for names. */
enum ts_effect memory_find(struct memory_view *m);

/* The variables are those of a tile that a search of the graph has found: the cursor on the one that it was found by. */
void memory_show_hit(struct memory_view *m);

/* --- memory_plot.c --- */

/* Figures for what is in sight; cheap when nothing has changed. */
void memory_update(struct memory_view *m);

/* Upper end of the strip: it is of the tiles, whatever parts of them the graph shows. */
double memory_strip_top(const struct memory_view *m);

/* Bytes by tile of the list that the plot is of: what the tiles use, or of that what is not hidden. */
const int64_t *memory_values(const struct memory_view *m);

/* Is this breakdown possible with what the report records? */
bool memory_can(const struct memory_view *m, enum memory_breakdown by);

/* The tile under the cursor, or NULL. */
const struct ts_tile *memory_tile(const struct memory_view *m);

/* Where the selection's tile is, or TS_SELECT_OF_IPU; -1: nowhere. */
ptrdiff_t memory_place(const struct memory_view *m, int64_t tile);

static inline bool
memory_has_tiles(const struct memory_view *m)
{
	return m->tiles && m->tiles->n > 0;
}

/* The place at a position of the graph's axis; the place under the cursor; where a place is. */
static inline int64_t
memory_place_at(const struct memory_view *m, int64_t position)
{
	return m->axis.place ? m->axis.place[position] : position;
}

static inline int64_t
memory_at(const struct memory_view *m)
{
	return memory_place_at(m, m->span.cursor);
}

static inline int64_t
memory_position(const struct memory_view *m, int64_t place)
{
	return m->axis.place ? m->axis.position[place] : place;
}

/* Most bytes that are live at once on tile i of the list, for which they are known. */
static inline int64_t
memory_live_at_once(const struct memory_tiles *t, int64_t i)
{
	int64_t sum = t->live[0][i];

	return ts_add_i64(&sum, t->live[1][i]) ? sum : INT64_MAX;
}

/* Has tile i of the list more than its memory? */
static inline bool
memory_does_not_fit(const struct memory_tiles *t, int64_t i)
{
	const struct ts_tile *tile = &t->tiles.tile[i];
	int64_t limit = t->target.bytes_per_tile;

	return tile->overflowed > 0 || (limit != TS_UNKNOWN && ts_tile_used(tile) > limit);
}

static inline enum ts_units
memory_units(const struct memory_view *m)
{
	return m->view.env->options->units;
}

/* Role of the rule above a pane: it tells which has the keys. */
static inline enum ts_role
memory_rule_role(const struct memory_view *m, enum memory_pane pane)
{
	return m->focus == pane ? TS_ROLE_BORDER_ACTIVE : TS_ROLE_BORDER;
}

/* --- memory_parts_explain.c --- */
struct ts_explain;
void memory_explain_parts(const struct memory_view *m, struct ts_explain *out);

/* --- memory_ipus.c --- */

/* Is it known which IPU each tile is on? */
bool memory_can_sum_ipus(const struct memory_view *m);

/* Sum up what memory_values() and the bands say; then the columns of the plot; the top of its y axis. */
void memory_sum_ipus(struct memory_view *m);
void memory_plot_ipus(struct memory_view *m);
double memory_ipus_top(const struct memory_view *m);

/* The IPU of tile i of the list; NULL: not known. Its limit; TS_UNKNOWN: not known. */
const struct memory_ipu *memory_ipu_of(const struct memory_view *m, int64_t i);
int64_t memory_ipu_limit(const struct memory_view *m, const struct memory_ipu *x);

enum ts_effect memory_per_ipu(struct memory_view *m, const struct ts_call *call);

/* What there is to say of the cursor's IPU, two blanks before each. */
void memory_ipu_words(const struct memory_view *m, struct ts_strbuf *out);

/* The figures of the IPU under the cursor, while the plot is by IPU. */
void memory_ipu_explain(const struct memory_view *m, struct ts_explain *out);

/* --- memory_marks.c --- */

/* Sum up what is selected; cheap when nothing has changed. */
void memory_sum_selected(struct memory_view *m);

/* Is one of the tiles at these positions selected? */
bool memory_is_selected(const struct memory_view *m, int64_t from, int64_t to);

/* How many tiles the range that was begun has, to the cursor; 0: there is none. */
int64_t memory_range_tiles(const struct memory_view *m);

/* The range that was begun, to the cursor, as positions [*from, *to). */
void memory_range(const struct memory_view *m, int64_t *from, int64_t *to);

enum ts_effect memory_mark(struct memory_view *m, const struct ts_call *call);
enum ts_effect memory_mark_range(struct memory_view *m, const struct ts_call *call);
enum ts_effect memory_no_marks(struct memory_view *m, const struct ts_call *call);
enum ts_effect memory_fit_marks(struct memory_view *m, const struct ts_call *call);

/* "selected 12 tiles, 5.1 MiB", and what else there is to say of them. */
void memory_selected_title(const struct memory_view *m, char *out, size_t size);
void memory_selected_words(const struct memory_view *m, struct ts_strbuf *out);

/* The plot for what its `from`, `to` and `columns` say (of m->span, whose columns are as many). */
void memory_make_plot(struct memory_view *m);

/* Bytes of a band that is drawn on tile i of the list. */
int64_t memory_drawn_bytes(const struct memory_view *m, const struct memory_categories *k, int part,
	int64_t i);

/* --- memory_explain.c --- */

void memory_explain(struct ts_view *v, struct ts_explain *out);
bool memory_chart(struct ts_view *v, struct ts_chart_page *out);
/* --- memory_metric.c --- */

/* Values of the metric, by the list: below 0 = not known; NULL: not here. Their order and ranks; bytes while not here. */
const int64_t *memory_metric_values(const struct memory_view *m);
const uint32_t *memory_fullest_first(const struct memory_view *m);
const uint32_t *memory_rank(const struct memory_view *m);

/* Is it the memory of the tiles, with or without gaps? */
static inline bool
memory_is_of_tiles(const struct memory_view *m)
{
	return m->metric.id == TS_METRIC_USED;
}

/* Is the plot by IPU? Other figures than bytes are not. */
static inline bool
memory_by_ipu(const struct memory_view *m)
{
	return m->per_ipu && memory_is_of_tiles(m);
}

/* A value in its unit, short or long; what it is ("memory of category stack"). */
const char *memory_value(const struct memory_view *m, char out[TS_FMT_MAX], int64_t v, bool wide);
void memory_metric_title(const struct memory_view *m, struct ts_strbuf *out);
/* Of so many tiles it is known; how many of them have more than tile i of the list. */
int64_t memory_metric_known(const struct memory_view *m);
int64_t memory_fuller_than(const struct memory_view *m, int64_t i);
void memory_metric_kind(const struct memory_view *m, struct ts_strbuf *out);

/* How it is known, that it is not here yet, or why it never will be. */
void memory_metric_note(const struct memory_view *m, char *out, size_t size);

void memory_ask_metric(struct memory_view *m);
enum ts_effect memory_take_metric(struct memory_view *m, struct ts_fetch *f);
void memory_drop_metric(struct memory_view *m);
enum ts_effect memory_set_metric(struct memory_view *m, const struct ts_call *call);
void memory_metric_memory(struct memory_view *m); /* back to the tiles' own memory */
void memory_complete_metric(const struct memory_view *m, const char *word,
	struct ts_candidates *out);

/* --- memory_identity.c --- */

void memory_ask_identity(struct memory_view *m);
enum ts_effect memory_take_identity(struct memory_view *m, struct ts_fetch *f);
void memory_drop_identity(struct memory_view *m);

/* What does not add up, in as many words as there is room for; "" = nothing. */
const char *memory_identity_note(const struct memory_view *m);

/* --- memory_map.c --- */

enum { MEMORY_MAP_MARGIN = 1 };

/* Where the map is: a column is left free before it. */
static inline struct ts_rect
memory_map_rect(const struct memory_view *m)
{
	struct ts_rect r = m->pane[PANE_GRAPH];

	ts_rect_cut_left(&r, MEMORY_MAP_MARGIN);
	return r;
}

/* The tiles are gone. */
void memory_map_drop(struct memory_view *m);

/* Lay out and colour what has changed; cheap when nothing has. */
void memory_map_update(struct memory_view *m);

/* The panes while the map is shown; false: it is not. */
bool memory_map_layout(struct memory_view *m);

/* A command of the map, while it has the keys. */
enum ts_effect memory_map_command(struct memory_view *m, const struct ts_call *call);
enum ts_effect memory_map_switch(struct memory_view *m, const struct ts_call *call);
enum ts_effect memory_map_scale(struct memory_view *m, const struct ts_call *call);
enum ts_effect memory_map_order(struct memory_view *m, const struct ts_call *call);
enum ts_effect memory_map_mouse(struct memory_view *m, int x, int y, int wheel);

/* Is a tile of the list in the range that was begun? */
bool memory_map_in_range(const struct memory_view *m, int64_t i);

/* Have all tiles a physical number? */
bool memory_has_physical(const struct memory_view *m);

/* --- memory_map_explain.c --- */

/* The metric's value of the tile under the cursor; the map on paper (false: it is not there). */
void memory_metric_explain(const struct memory_view *m, struct ts_explain *out);
/* Its rank and percentile; the ends of the map's scale. */
void memory_rank_explain(const struct memory_view *m, struct ts_explain *out);
bool memory_map_chart(struct memory_view *m, struct ts_chart_page *page);

/* --- memory_map_draw.c --- */

/* Title, legend, map and read-out. */
void memory_draw_map(struct ts_canvas *c, struct memory_view *m);

/* The read-out of the tile under the cursor by its metric. */
void memory_draw_metric(struct ts_canvas *c, const struct memory_view *m);

/* --- memory_sheet.c --- */

bool memory_sheet(struct ts_view *v, struct ts_sheet *out);
struct ts_row_source *memory_variable_source(struct ts_view *v);

/* --- memory_draw.c --- */

/* A row that is written piece by piece; what does not fit is left out. */
struct memory_readout {
	struct ts_canvas *c;
	struct ts_rect r;
	int x;
	bool measure; /* draw nothing */
};
void memory_piece(struct memory_readout *o, enum ts_role role, const char *fmt, ...)
	TS_PRINTF(3, 4);
/* Several, with two blanks before each. */
void memory_pieces(struct memory_readout *o, const char *words);

/* --- memory_rows.c --- */

/* Rows below the read-out for what is selected and for parts, taken from the graph: the last thing that the layout does. */
void memory_room_for_rows(struct memory_view *m);
int memory_rows_wanted(const struct memory_view *m);

void memory_draw_readout(struct ts_canvas *c, const struct memory_view *m,
	const struct ts_tile *tile);
/* What stands in those rows. */
void memory_draw_rows(struct ts_canvas *c, const struct memory_view *m);

/* --- memory_difference.c --- */

/* What the values are compared with; NULL: nothing. */
const int64_t *memory_other(const struct memory_view *m);
void memory_make_difference(struct memory_view *m);
void memory_draw_difference(struct ts_canvas *c, const struct memory_view *m,
	const struct ts_chart_frame *f);
void memory_difference_words(const struct memory_view *m, struct ts_strbuf *out);

/* --- memory_why.c --- */

/* Why the tile under the cursor is as full as it is, in a row. */
void memory_draw_why(struct ts_canvas *c, const struct memory_view *m, struct ts_rect row);

/* NULL: not here. */
const struct ts_tile_variable *memory_largest_variable(const struct memory_view *m);

void memory_explain_why(const struct memory_view *m, struct ts_explain *out);

/* For the fullest tile: place of the tile with most live at once, when that is another one with more; else -1. */
int64_t memory_more_live(const struct memory_view *m);

/* --- memory_draw.c --- */

/* Title, bands and outline of the graph; texts of its axes. */
void memory_graph_title(const struct memory_view *m, char *out, size_t size);
int memory_graph_bands(const struct memory_view *m, struct ts_band band[MEMORY_DRAWN],
	const char *name[MEMORY_DRAWN], bool hidden);
bool memory_has_outline(const struct memory_view *m);
const char *memory_bytes_tick(void *ctx, double v, char out[TS_FMT_MAX]);
const char *memory_tile_tick(void *ctx, double v, char out[TS_FMT_MAX]);

void memory_draw(struct ts_view *v, struct ts_canvas *c);

/* Of the ticks of the y axis: 2 or 10. */
int memory_tick_base(const struct memory_view *m);

/* Columns of the y axis' labels. */
int memory_gutter(const struct memory_view *m);

/* --- memory_tables.c --- */

void memory_layout(struct memory_view *m);
/* Of a row of the graph's categories. */
const char *memory_category_name(const struct memory_view *m, int category);

/* memory_addresses.c: put the cursor of that tab on an address, of this tile or of the one that comes. */
void memory_addresses_go(struct ts_tab *t, int64_t address);

/* --- memory_variables_draw.c --- */

struct ts_table memory_variable_table(const struct memory_view *m);
/* Other rows, or another order of them. */
void memory_order_variables(struct memory_view *m);
void memory_order_code(struct memory_view *m);
void memory_draw_variables(struct ts_canvas *c, const struct memory_view *m);
void memory_variables_note(const struct memory_view *m, char *out, size_t size);

/* What shares of the table are of: the tile's memory where it is known, else the sum of its variables. */
int64_t memory_variables_whole(const struct memory_view *m);

/* Exact value of a variable (TS_TABLE_TOTAL: of all) of a tile with `whole` bytes. */
bool memory_variable_value(const struct ts_tile_variables *v, int64_t whole, int64_t row,
	int column, struct ts_table_value *out);

/* `mark` and `tick` on the variable under the cursor. */
enum ts_effect memory_mark_variable(struct memory_view *m);
enum ts_effect memory_tick_variable(struct memory_view *m);

/* The variable under the cursor; NULL: none. */
const struct ts_tile_variable *memory_variable(const struct memory_view *m);
void memory_explain_variable(const struct memory_view *m, struct ts_explain *out);

/* --- memory_scope.c --- */

/* What a tab is about: a tile (count 0), or so many selected tiles (`version` of the selection). */
struct memory_scope {
	int64_t tile, count;
	uint64_t version;
};

struct memory_scope memory_scope(const struct memory_view *m);
bool memory_same_scope(const struct memory_scope *a, const struct memory_scope *b);

/* What is under the cursor, for other views. */
void memory_object(struct ts_view *v, struct ts_at_cursor *out);
void memory_scope_say(const struct memory_scope *s, char *out, size_t size);

/* Its tiles, ascending: *tiles is the caller's. False: no memory. */
bool memory_scope_tiles(const struct memory_view *m, const struct memory_scope *s, int64_t **tiles,
	size_t *n);

/*
 * The tiles of a scope in SQL. A figure of them is a sum over FROM relation and `join`, with `tile` the number of a
 * tile; rows of theirs in a relation with the column tile are those with `where`.
 */
struct memory_scope_sql {
	char tile[24];
	char join[TS_TILE_SET_TEXT + 80]; /* "" where it is one tile */
	char where[TS_TILE_SET_TEXT + 80];
};

/* False: SQL cannot name them (they are too many, or were selected before), which the explanation's note says. */
bool memory_scope_sql(const struct memory_view *m, const struct memory_scope *s,
	struct memory_scope_sql *out, const char **why);

/* A question about the tiles of a scope: a tab's own begins with it. */
struct memory_scope_fetch {
	struct ts_fetch fetch;
	struct memory_scope scope;
	int64_t *tile; /* freed with the fetch: by its `fini` */
	size_t n;
};

/* One of `size` bytes, all other zero; NULL: no memory. */
void *memory_scope_fetch_new(const struct memory_view *m, const struct memory_scope *scope,
	size_t size);

/* What a tab has asked about, and what it has. */
struct memory_asked {
	struct ts_pane_data state;
	enum ts_pane_state were; /* when the answer came */
	struct ts_fetch *sent;	 /* the newest */
	struct memory_scope wanted, of;
	bool asked, here; /* `wanted` and `of` are set */
};

/* Has to be asked about this? What is here already is shown again. */
bool memory_asked_needs(struct memory_asked *a, const struct memory_scope *scope);

/* Asked; `f` NULL: no memory for it. */
void memory_asked_sent(struct memory_asked *a, struct ts_fetch *f);

/* `f` comes back. True: take what it has (its state is set; `some`: although it failed there is something). */
bool memory_asked_take(struct memory_asked *a, const struct ts_view *v, struct ts_fetch *f,
	const struct memory_scope *scope, enum ts_absent absent, bool some);

/* Another report. */
void memory_asked_drop(struct memory_asked *a);

/* Bytes of them together; TS_UNKNOWN. Gaps are in the bytes, 0 where they are not known or left out. */
struct memory_whole {
	int64_t bytes, gaps;
};

int64_t memory_scope_bytes(const struct memory_view *m, const struct memory_scope *s);
struct memory_whole memory_scope_whole(const struct memory_view *m, const struct memory_scope *s);

/*
 * Of a total's row: what rows come to, and what that is not of the whole. `count` are ways to say how many there are, the longest
 * first; the first that fits `width` columns is taken.
 */
void memory_total_words(const struct memory_view *m, struct ts_table_cell *out, int width,
	const char *const count[], int counts, int64_t sum, struct memory_whole whole);

/* --- memory_work.c --- */

extern const struct ts_tab_ops memory_tab_sets, memory_tab_vertices, memory_tab_exchanges;

/* --- memory_details.c --- */

extern const struct ts_tab_ops memory_tab_details;

/* --- memory_addresses.c --- */

extern const struct ts_tab_ops memory_tab_addresses;

/* --- memory_tabs.c --- */

extern const struct ts_tab_ops *const memory_tabs[TAB_COUNT];

/* Cursor and scrolling of a tab that is a table; no other pane follows its rows. */
enum ts_effect memory_table_command(struct ts_tab *t, const struct ts_call *call);

/* `search TEXT` in a tab: remember it. False: there is no text, the program asks for one. */
bool memory_take_search(struct memory_view *m, const struct ts_call *call);

/* Is it there, in the row (as the view counts it) of a tab? */
typedef bool memory_hit_fn(const struct ts_tab *t, int64_t row, const char *needle);

/* Put the cursor on the next row that has it, round and round; from_here: where it stands will do. A bell, and words: none. */
enum ts_effect memory_find_row(const struct ts_tab *t, struct ts_list *l,
	const struct ts_table *table, int step, bool from_here, memory_hit_fn *is_hit);

/* The same where a worker has looked (arranged.h). */
void memory_row_hit(const struct ts_tab *t, struct ts_list *l, const struct ts_table *table,
	const struct ts_row_hit *found);

/* All four commands of a search in a table; UNKNOWN: it is another one. */
enum ts_effect memory_search_rows(const struct ts_tab *t, struct ts_list *l,
	const struct ts_table *table, const struct ts_call *call, memory_hit_fn *is_hit);

static inline struct ts_rect
memory_tab_rect(const struct memory_view *m, enum memory_tab tab)
{
	return m->tabs.tab[tab].r;
}

/* Has this tab the keys? */
static inline bool
memory_tab_focus(const struct memory_view *m, enum memory_tab tab)
{
	return m->focus == PANE_TABS && ts_tab_has_keys(&m->tabs.tab[tab]);
}

/* --- memory_code.c --- */

/* Is there an archive.a beside the profile, or instead of one? */
bool memory_has_code(const struct memory_view *m);

/* Is it all that there is: no categories, no variables? */
bool memory_only_code(const struct memory_view *m);

void memory_ask_code(struct memory_view *m, int64_t tile);
enum ts_effect memory_take_code(struct memory_view *m, struct ts_fetch *f);
void memory_drop_code(struct memory_view *m);
struct ts_table memory_code_table(const struct memory_view *m);
void memory_draw_code(struct ts_canvas *c, const struct memory_view *m);
enum ts_effect memory_open_code(
	struct memory_view *m); /* Enter: an archive that was left out is worth its cost */
void memory_code_note(const struct memory_view *m, char *out, size_t size);
void memory_explain_code(const struct memory_view *m, struct ts_explain *out);

/* Sections and functions of the tile that is shown. */
int64_t memory_code_rows(const struct memory_view *m);

/* The next section or function with what is searched for in its name; the cursor goes there. */
enum ts_effect memory_find_code(struct memory_view *m, int step, bool from_here);

/* --- memory_address.c --- */
extern const struct ts_view_arg memory_args[];

#endif
