/* SPDX-License-Identifier: MIT */
/*
 * flame - steps by the stack that they stand in (report/frames.h): merged into sums, or along the time of one IPU.
 *
 * Merged: of each frame and IPU, the cycles of all steps below it (sum of step_ipu.cycles), how many there are, and the cycles
 * that they cover: the union of their intervals. Steps of one IPU may overlap (I/O tiles): what a frame covers is never
 * more than the time that passes, so a share of a run is said of that; the sum may be more.
 *
 * Of a step that an edge of the range cuts only the part inside counts: min(cycles, end - start of that part).
 *
 * Along the time: one path of frames for each column of a chart.
 */
#ifndef TS_REPORT_FLAME_H
#define TS_REPORT_FLAME_H

#include "tilescope/report/frames.h"
#include "tilescope/report/trace.h"

/* --- merged ----------------------------------------------------------------------------------------- */

/* What is merged: both limits hold. TS_FLAME_ALL: everything. */
struct ts_flame_range {
	int64_t from, to;	   /* cycles */
	int64_t first_step, steps; /* steps 0: all of them */
};

#define TS_FLAME_ALL ((struct ts_flame_range){INT64_MIN, INT64_MAX, 0, 0})

struct ts_flame_sum {
	int64_t cycles;
	int64_t own; /* of them, those that end at this frame */
	int64_t covered;
	int64_t steps;
};

/* A frame on an IPU. */
struct ts_flame_cell {
	uint32_t frame, ipu; /* ipu: index into ts_flame.ipu */
	uint32_t up;	     /* the cell of the frame's parent; the run's: itself */
	struct ts_flame_sum sum;
	int64_t reach; /* the last end of its intervals; while rows are added */
};

struct ts_flame {
	atomic_int uses;
	struct ts_flame_range range;
	struct ts_frames frames;
	struct ts_pile cell; /* struct ts_flame_cell */
	uint32_t cells;
	size_t ipus;
	int64_t *ipu;  /* as they came */
	bool falls;    /* starts of an IPU fall along its rows: `covered` of all is TS_UNKNOWN */
	bool unseen;   /* steps from long before the range may be missing: ts_slices_unseen() */
	int64_t rows;  /* in the range */
	int64_t total; /* cycles of all of them */
	int64_t bad_cycles; /* rows left out: cycles are no number */
	int64_t overflowed; /* rows left out: the total would be too large */
	struct ts_slices_left_out left_out;

	struct ts_pile slot; /* by frame and IPU: ts_pair_find() */
	int64_t *last_start; /* of each IPU */
	size_t hint;	     /* where the next row's IPU may be */
	int64_t step;	     /* of the last row, and its frame */
	uint32_t leaf;
};

/*
 * Read it: from the section of the stacks (report/index_stacks.h) where the reader's index has it, else all rows, or those of the range:
 * the same frames with the same sums. `left_out` and `bad_cycles` are of all rows that were gone through, with the section those of the report. `contexts`, `cache` (NULL allowed) as ts_frames_init(). Memory: piles. Errors: TS_E_ABSENT;
 * TS_E_DAMAGED with *out there; else those of ts_slices_next(), TS_E_NOMEM, TS_E_SYS, TS_E_CANCELLED. Progress: rows.
 * Give back with ts_flame_release(). Any thread may look at it then.
 */
enum ts_code ts_flame_read(struct ts_flame **out, struct ts_reader *rd, const struct ts_trace *t,
	struct ts_frame_contexts *contexts, struct ts_flame_range range,
	const struct ts_cache *cache, struct ts_progress *progress,
	struct ts_err *err) TS_WARN_UNUSED;
struct ts_flame *ts_flame_hold(struct ts_flame *f); /* NULL allowed */
void ts_flame_release(struct ts_flame *f);	    /* NULL allowed */

static inline const struct ts_flame_cell *
ts_flame_cell_at(const struct ts_flame *f, uint32_t i)
{
	return (const struct ts_flame_cell *)f->cell.memory + i;
}

/* Frames of one IPU, or of all together: a frame, what is in it (the heaviest first), the next one. */
struct ts_flame_node {
	uint32_t frame, parent; /* parent: a node; of the first one itself */
	uint32_t inside;	/* nodes that follow and are in it */
	uint16_t classes;	/* bits: of the steps in it; */
	uint8_t class_of;	/* that with the most cycles, enum ts_step_class */
	struct ts_flame_sum sum;
};

struct ts_flame_tree {
	struct ts_flame *flame; /* held */
	int64_t ipu;		/* TS_UNKNOWN: all */
	size_t count;		/* 0: there is nothing */
	struct ts_flame_node *node;
};

/* With all IPUs `covered` is the sum of theirs. Errors: TS_E_NOMEM. */
enum ts_code ts_flame_tree_make(struct ts_flame_tree *t, struct ts_flame *f, int64_t ipu,
	struct ts_err *err) TS_WARN_UNUSED;
void ts_flame_tree_fini(struct ts_flame_tree *t);

/* --- along the time --------------------------------------------------------------------------------- */

enum { TS_FLAME_NONE = TS_FRAMES_MAX };

/* A frame in a column. */
struct ts_flame_place {
	int64_t covered; /* cycles of the column during which a step of the frame runs */
	int64_t runs;	 /* steps of it that run there; */
	int64_t begins;	 /* of them those that begin there */
};

struct ts_flame_chart {
	int64_t from, to, ipu; /* cycles */
	int columns;	       /* as ts_trace_column() */
	struct ts_frames frames;
	uint32_t *leaf; /* of each column the last frame of its path; TS_FLAME_NONE: nothing runs */
	int64_t *step;	/* a step with that stack there; TS_UNKNOWN: none */
	/* of each column TS_FRAMES_DEPTH: its path's frames by depth; nothing is known of them when `sampled` */
	struct ts_flame_place *place;
	bool sampled; /* a column shows the step that runs in its middle; not every row was read */
	int64_t rows; /* that were read */
};

static inline const struct ts_flame_place *
ts_flame_place_at(const struct ts_flame_chart *c, int column, int depth)
{
	return &c->place[(size_t)column * TS_FRAMES_DEPTH + (size_t)depth];
}

/*
 * The path of a column goes from frame to frame down the one with the most cycles in it (of equal ones the one that began
 * first). Exact up to about TS_TRACE_EXACT rows, else sampled. Errors as ts_flame_read(); TS_E_DAMAGED: it shows what
 * could be read.
 */
enum ts_code ts_flame_chart_read(struct ts_flame_chart *c, struct ts_reader *rd,
	const struct ts_trace *t, struct ts_frame_contexts *contexts, int64_t from, int64_t to,
	int columns, int64_t ipu, struct ts_err *err) TS_WARN_UNUSED;
void ts_flame_chart_fini(struct ts_flame_chart *c);

#endif
