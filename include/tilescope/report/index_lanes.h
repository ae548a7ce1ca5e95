/* SPDX-License-Identifier: MIT */
/*
 * index_lanes - the section of the lanes: when each IPU does what, for any zoom at once.
 *
 * Of each IPU it holds the rows of step_ipu that have a length, in row order. A leaf stands for up to 128
 * of them: extent, cycles by class, the row ids between which they stand. Upon the leaves stands a
 * tree of fan-out 64 with exact sums. As far as there is room (2.5 % of the report's size for both
 * sections of the steps) a leaf also holds its rows' starts, ends and classes, three bytes each where
 * one begins as the one before ends; a chart then needs nothing but the index. A leaf without them
 * is read from the report where the edge of a column cuts it. Of a block in which rows overlap it is known
 * how long which classes run together, so that overlapping steps can be intersected without looking at them.
 *
 * Next to them the figures that ts_execution_read() gives.
 */
#ifndef TS_REPORT_INDEX_LANES_H
#define TS_REPORT_INDEX_LANES_H

#include "tilescope/calc/class_time.h"
#include "tilescope/report/index_steps.h"

struct ts_execution;

enum {
	TS_LANE_LEAF = 128, /* rows of a leaf */
	TS_LANE_FAN = 64,   /* children of a node; leaves of a block */
	TS_LANE_LEVELS = 8,
	TS_LANE_ROW_BYTES = 17, /* of a packed row, at most */
	TS_LANE_SETS = 48,	/* of classes that run together, of a block */
};

/* Flags of the section. */
enum {
	TS_LANES_ROWID = 1 << 0, /* leaves know row ids */
	TS_LANES_FALL = 1 << 1,	 /* a row's step is below an earlier row's: never bisect */
};

/* Begin of the payload. */
struct ts_lanes_head {
	int64_t flags;
	int64_t from, to; /* cycles: first start and last end (or start) of all rows */
	uint64_t lanes, lanes_at;
	/* of ts_execution_read() */
	int64_t rows, bad_rows, orphans, reversed, step_ipus;
	uint64_t ipus, ipus_at; /* struct ts_ipu_cycles */
};

struct ts_lane_level {
	uint64_t nodes, at; /* struct ts_lane_node */
};

/* An IPU. Node i of a level stands for the nodes 64 i .. of the one below; those of level 0 are blocks of leaves. */
struct ts_lane {
	int64_t ipu;
	int64_t rows;	 /* whose step, start and end are numbers, those of no length too */
	uint64_t levels; /* 0: nothing has a length */
	struct ts_lane_level level[TS_LANE_LEVELS];
};

struct ts_lane_node {
	int64_t start, end; /* first start, last end */
	int64_t length[TS_CLASS_COUNT];
	int64_t longest; /* end - start of its longest row */
	/* level 0 */
	int64_t rowid; /* of its first row */
	uint64_t at;   /* the leaves; behind them `bytes` of rows */
	uint32_t bytes;
	uint16_t leaves, flags;
	/* of a block whose rows overlap: its cycles by set of classes, struct ts_class_set; 0 = not known */
	uint64_t sets, sets_at;
};

/*
 * TS_LANE_ORDERED: of a leaf and of a node: every row starts where the one before has ended, or later.
 */
enum { TS_LEAF_WIDE = 1 << 0, TS_LEAF_PACKED = 1 << 1, TS_LANE_ORDERED = 1 << 2 };

/* A wide one is a single row whose length does not fit: length[0], [1] are its halves, [2] its class. */
struct ts_lane_leaf {
	int64_t start;
	uint32_t extent;		 /* last end - start */
	uint32_t length[TS_CLASS_COUNT]; /* cycles by class */
	uint32_t rowid, rowids;		 /* first - the block's; last + 1 - first */
	uint32_t at;			 /* its rows among the block's bytes, with TS_LEAF_PACKED */
	uint16_t rows, flags;
};

/* A row that has a length. */
struct ts_lane_row {
	int64_t start, end;
	enum ts_step_class class_of;
};

/* An open section. Read by any thread. */
struct ts_lanes {
	struct ts_index *index; /* held */
	const void *payload;
	size_t size;
	const struct ts_lanes_head *head;
	const struct ts_lane *lane; /* sorted by IPU */
};

/* False: the index (NULL allowed) does not have it, or it does not hold together. */
bool ts_lanes_open(struct ts_lanes *l, struct ts_index *x);
void ts_lanes_close(struct ts_lanes *l);

/* The lane of an IPU, or NULL. */
const struct ts_lane *ts_lanes_find(const struct ts_lanes *l, int64_t ipu);

const struct ts_lane_node *ts_lane_nodes(const struct ts_lanes *l, const struct ts_lane *lane,
	int level);

/* Do steps of this IPU run at the same time, anywhere? */
bool ts_lanes_overlap(const struct ts_lanes *l, const struct ts_lane *lane);

/* The leaves of a node of level 0; NULL: it does not hold together. */
const struct ts_lane_leaf *ts_lane_leaves(const struct ts_lanes *l, const struct ts_lane_node *n);

/* Pack n rows of a leaf that starts at `start`, TS_LANE_ROW_BYTES at most each: how many bytes. */
size_t ts_lane_pack(unsigned char *to, const struct ts_lane_row *row, int n, int64_t start);

/* The sets of a block, node->sets of them; NULL: not known, or they do not hold together. */
const struct ts_class_set *ts_lane_sets(const struct ts_lanes *l, const struct ts_lane_node *n);

/*
 * The rows of a leaf up to the first that starts at `until` or later: how many (at least 1), 0 when they
 * have to be read from the report, -1 when it does not hold together.
 */
int ts_lane_unpack(struct ts_lane_row row[TS_LANE_LEAF], const struct ts_lanes *l,
	const struct ts_lane_node *n, const struct ts_lane_leaf *leaf, int64_t until);

static inline int64_t
ts_leaf_end(const struct ts_lane_leaf *leaf)
{
	uint64_t wide = (uint64_t)leaf->length[1] << 32 | leaf->length[0];

	return (int64_t)((uint64_t)leaf->start +
		(leaf->flags & TS_LEAF_WIDE ? wide : leaf->extent));
}

/* What ts_execution_read() gives, if the index has it: false when not. *code as that function's. */
bool ts_lanes_execution(struct ts_execution *x, struct ts_index *index, enum ts_code *code,
	struct ts_err *err);

extern const struct ts_pass ts_pass_lanes;

#endif
