/* SPDX-License-Identifier: MIT */
/* trace_internal - what the files of the trace share. */
#ifndef TS_REPORT_TRACE_INTERNAL_H
#define TS_REPORT_TRACE_INTERNAL_H

#include "tilescope/report/index_lanes.h"
#include "tilescope/report/memory.h"
#include "tilescope/report/trace.h"

/* A row of step_ipu whose numbers are numbers. */
struct trace_part {
	int64_t at; /* address */
	int64_t step, ipu, start, end;
	enum ts_step_class class_of;
};

struct trace_parts {
	size_t n, cap;
	struct trace_part *p;
};

/*
 * A cursor over addresses [from, to) of step_ipu, columns T_STEP ...; `to` is cut to the axis.
 * With TS_RANGE_ALL: over all rows.
 */
enum { T_STEP, T_IPU, T_START, T_END, T_COLUMNS };
extern const int trace_part_columns[T_COLUMNS];
enum ts_code trace_parts_open(struct ts_rows **rows, struct ts_reader *rd, const struct ts_trace *t,
	int64_t from, int64_t to, struct ts_err *err) TS_WARN_UNUSED;

/* The cursor's row but its address; false when a number of it is none. */
bool trace_part_numbers(struct trace_part *part, struct ts_rows *rows);

/* The cursor's row; false when a number of it is none. */
bool trace_part_get(struct trace_part *part, struct ts_rows *rows, const struct ts_trace *t);

/* Append the rows of [from, to) to parts, at most `limit` rows (0 = all); *looked_at is added to. */
enum ts_code trace_parts_read(struct trace_parts *parts, struct ts_reader *rd,
	const struct ts_trace *t, int64_t from, int64_t to, int64_t limit, int64_t *looked_at,
	struct ts_err *err) TS_WARN_UNUSED;
void trace_parts_fini(struct trace_parts *parts);

/* Fill in class_of from the steps. The order of the parts may change to that of steps. */
enum ts_code trace_parts_classes(struct trace_parts *parts, struct ts_reader *rd,
	const struct ts_trace *t, struct ts_err *err) TS_WARN_UNUSED;

/* Do the rows of `step`, of `step_ipu` come by rising step when they are asked for by key? */
bool trace_rises(const struct ts_trace *t, const struct ts_reader *rd, enum ts_relation relation);

/*
 * Open a relation for the keys [from, to) without bisecting where the key goes evenly with the
 * row id; rows before `from` and behind `to` may come too: look at the key.
 */
enum ts_code trace_keys_open(struct ts_rows **rows, struct ts_reader *rd, const struct ts_trace *t,
	enum ts_relation relation, struct ts_rows_query *q, int64_t from, int64_t to,
	struct ts_err *err) TS_WARN_UNUSED;

/*
 * The address of a row of `ipu` that starts at or before `cycles`, with one that starts later not
 * more than `width` addresses behind it; the first address when there is none. Bounded for any data.
 */
struct trace_place {
	int64_t at, start; /* start is INT64_MIN, INT64_MAX at the ends */
};

enum ts_code trace_locate(struct trace_place *low, struct trace_place *high, struct ts_reader *rd,
	const struct ts_trace *t, int64_t ipu, int64_t cycles, int64_t width,
	struct ts_err *err) TS_WARN_UNUSED;

/* The first row of the IPU at or behind an address; of any IPU when it does not show up soon. */
enum ts_code trace_probe(struct trace_place *out, bool *found, struct ts_reader *rd,
	const struct ts_trace *t, int64_t ipu, int64_t at, struct ts_err *err) TS_WARN_UNUSED;

/*
 * What follows is of reports on other hosts (trace_ahead.c); of those on this machine it does nothing. Errors of all:
 * those of ts_plan_fetch().
 */
bool trace_ahead_helps(const struct ts_reader *rd);

/* The rows of the list around an address, with those of their IPUs. */
enum ts_code trace_ahead_window(struct ts_reader *rd, const struct ts_trace *t, int64_t at,
	int before, int after, struct ts_err *err) TS_WARN_UNUSED;

/* `rows` row ids at evenly spaced places of an axis, and `edge` at its ends. */
enum ts_code trace_ahead_places(struct ts_reader *rd, const struct ts_trace_axis *axis,
	enum ts_relation relation, int places, int64_t rows, int64_t edge,
	struct ts_err *err) TS_WARN_UNUSED;

/* Rows of some steps, in `step` and in step_ipu, wherever they are. */
enum ts_code trace_ahead_steps(struct ts_reader *rd, const struct ts_trace *t, const int64_t *step,
	int n, struct ts_err *err) TS_WARN_UNUSED;

/* Row ids [from, to) of step_ipu, n of them. */
struct trace_rows;
enum ts_code trace_ahead_rows(struct ts_reader *rd, const struct trace_rows *rows, size_t n,
	struct ts_err *err) TS_WARN_UNUSED;

/* Addresses [from, to] of step_ipu, with their steps. */
enum ts_code trace_ahead_parts(struct ts_reader *rd, const struct ts_trace *t, int64_t from,
	int64_t to, struct ts_err *err) TS_WARN_UNUSED;

/* Some rows of an IPU, rising: where, and when they start. */
struct trace_anchors {
	int64_t ipu;
	int n, room;
	struct trace_place *at;
};

/*
 * Find rows on either side of some times (n >= 2; the first two are the ends of all), all of them together, and have `rows` rows there, with their steps. *k is empty
 * where that is of no use; fini it in any case.
 */
enum ts_code trace_anchors_find(struct trace_anchors *k, struct ts_reader *rd,
	const struct ts_trace *t, int64_t ipu, const int64_t *times, int n, int64_t rows,
	struct ts_err *err) TS_WARN_UNUSED;
/* The same of the two ends of a range: all that a search for either of them, and whoever reads on from it, will look at. */
enum ts_code trace_anchors_range(struct trace_anchors *k, struct ts_reader *rd,
	const struct ts_trace *t, int64_t ipu, int64_t from, int64_t to,
	struct ts_err *err) TS_WARN_UNUSED;
void trace_anchors_fini(struct trace_anchors *k);

/* Bring the ends of a search closer together: k may be NULL. */
void trace_anchors_tighten(const struct trace_anchors *k, int64_t ipu, int64_t cycles,
	struct trace_place *low, struct trace_place *high);

/* As ts_trace_step_at(): the row of the step. k: what is known of the IPU; or NULL, then it is found out. */
enum ts_code trace_part_at(struct trace_part *part, bool *found, struct ts_reader *rd,
	const struct ts_trace *t, const struct trace_anchors *k, int64_t ipu, int64_t cycles,
	struct ts_err *err) TS_WARN_UNUSED;

/* Where the rows of a range of cycles stand. */
struct trace_stretch {
	struct trace_place low, high; /* of the first IPU: about its begin and its end */
	int64_t begin;		      /* the address to read from, for all of them */
	int64_t settle; /* addresses behind high.at in which the other IPUs pass the end, as a rule */
	int64_t rows;	/* about: of all IPUs */
};

/*
 * Find the rows of some IPUs (at least one) in [from, to) of cycles, where rows have addresses (t->part.range is not
 * TS_RANGE_ALL, and there are some). k: what is known of the first one, or NULL: then it is found out. With more than `most` rows `begin` is that of the first IPU alone.
 */
enum ts_code trace_stretch_find(struct trace_stretch *s, struct ts_reader *rd,
	const struct ts_trace *t, const struct trace_anchors *k, const int64_t *ipu, int ipus,
	int64_t from, int64_t to, int64_t most, struct ts_err *err) TS_WARN_UNUSED;

/* Row ids [from, to) of step_ipu. */
struct trace_rows {
	int64_t from, to;
};

/*
 * Where rows stand that begin before a time and end behind it, at row ids below `before`: struct trace_rows put into *out, which
 * is empty, ascending, none overlap (and hold other rows, too). *known false: the index does not say, or they are too many.
 * Errors: TS_E_NOMEM, TS_E_SYS, TS_E_CANCELLED.
 */
struct ts_pile;
enum ts_code trace_reaching(struct ts_pile *out, bool *known, struct ts_reader *rd, int64_t time,
	int64_t before, const struct ts_cache *cache, struct ts_err *err) TS_WARN_UNUSED;

/*
 * Steps one by one: open without rows, and ask for a step. *slice NULL: there is none; else what it has of a step (no IPU, no
 * cycles), until the next one is asked for. TS_E_DAMAGED: it shows what could be read. Close with ts_slices_close().
 */
struct ts_slice;
struct ts_slices;
enum ts_code trace_slices_of_steps(struct ts_slices **out, struct ts_reader *rd,
	const struct ts_trace *t, struct ts_err *err) TS_WARN_UNUSED;
enum ts_code trace_slices_step(const struct ts_slice **slice, struct ts_slices *s, int64_t step,
	struct ts_err *err) TS_WARN_UNUSED;

/* The cycles of a chart by lane, class and column while they are added up (trace_sums.c). */
struct trace_sums {
	int64_t from, to;
	int columns, lanes;
	double scale;	/* columns per cycle */
	int64_t *edge;	/* column x is [edge[x], edge[x + 1]) */
	int64_t *part;	/* cycles of rows and nodes that do not cover the column */
	int64_t *whole; /* rows that begin to cover columns, less those that end to */
	bool *start;
};

enum ts_code trace_sums_init(struct trace_sums *s, const struct ts_trace_chart *c,
	struct ts_err *err) TS_WARN_UNUSED;
void trace_sums_fini(struct trace_sums *s);

/* Add a row: its cycles to the columns that it reaches into. */
void trace_sums_row(struct trace_sums *s, int lane, int64_t start, int64_t end,
	enum ts_step_class k);

/* The same for some rows, which as a rule follow on each other. */
void trace_sums_rows(struct trace_sums *s, int lane, const struct ts_lane_row *row, int n);

/* Add rows that lie in one column, with their cycles by class; false: they do not. */
bool trace_sums_node(struct trace_sums *s, int lane, int64_t start, int64_t end,
	const int64_t *length);

/* The edge where rows of [start, end) are cut in two, when they lie in two columns; else 0. */
int64_t trace_sums_cut(const struct trace_sums *s, int64_t start, int64_t end);

/* Add such rows: their cycles, those before the edge, and whether one starts behind it. */
void trace_sums_halves(struct trace_sums *s, int lane, int64_t start, const int64_t *length,
	const int64_t *before, bool more);

/* The shares and starts of the chart. The sums are used up. */
void trace_sums_put(struct ts_trace_chart *c, struct trace_sums *s);

/* The lane of an IPU; -1 = none. */
int trace_lane_of(const struct ts_trace_chart *c, int64_t ipu);

/* Draw from the index of the reader. *done false: it cannot say, nothing is drawn. */
enum ts_code trace_draw_indexed(bool *done, struct ts_trace_chart *c, struct ts_reader *rd,
	struct ts_err *err) TS_WARN_UNUSED;

/* The leaves of the lanes with all their rows, also those that the index does not hold. */
struct trace_leaves {
	struct ts_reader *rd;
	struct ts_lanes lanes;
	struct ts_steps steps;
	bool readable, by_order;
};

/* False: the reader's index has no lanes. Close only when true. */
bool trace_leaves_open(struct trace_leaves *l, struct ts_reader *rd);
void trace_leaves_close(struct trace_leaves *l);

/* The rows of a leaf: how many; -1: they cannot be had. */
int trace_leaf_rows(struct ts_lane_row row[TS_LANE_LEAF], struct trace_leaves *l, int64_t ipu,
	const struct ts_lane_node *node, const struct ts_lane_leaf *leaf);

/* The rows of an IPU at `rowids` row ids from `from` on, as they stand in the report. */
enum ts_code trace_leaf_parts(struct trace_part part[TS_LANE_LEAF], int *n, struct trace_leaves *l,
	int64_t ipu, int64_t from, int64_t rowids, struct ts_err *err) TS_WARN_UNUSED;

/* Runs, and the artefact of the second. */
enum ts_code trace_open_runs(struct ts_trace *t, struct ts_reader *rd,
	struct ts_err *err) TS_WARN_UNUSED;

static inline struct trace_place
trace_place_first(const struct ts_trace *t)
{
	return (struct trace_place){t->part.first, INT64_MIN};
}

static inline struct trace_place
trace_place_end(const struct ts_trace *t)
{
	return (struct trace_place){t->part.last == INT64_MAX ? INT64_MAX : t->part.last + 1,
		INT64_MAX};
}

/* *sum += v, which stays at INT64_MAX once it is there (v >= 0) */
static inline void
trace_add_to(int64_t *sum, int64_t v)
{
	if (__builtin_add_overflow(*sum, v, sum))
		*sum = INT64_MAX;
}

/* a + b, or INT64_MAX */
static inline int64_t
trace_add(int64_t a, int64_t b)
{
	int64_t r;

	return __builtin_add_overflow(a, b, &r) ? (b > 0 ? INT64_MAX : INT64_MIN) : r;
}

#endif
