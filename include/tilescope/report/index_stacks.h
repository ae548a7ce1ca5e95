/* SPDX-License-Identifier: MIT */
/*
 * index_stacks - the section of the stacks: what steps come to by frame (report/frames.h) and IPU, for any range at once.
 *
 * Rows of step_ipu stand in pages of about TS_STACKS_PAGE rows of each IPU. One page or some together are a stretch, whose sums by
 * frame and IPU are kept; upon the stretches stands a tree of fan-out TS_STACKS_FAN. Of a page it is known in which order
 * its steps have which stack (a bit for one that follows on the stack that it mostly follows on, else two bytes), when the last
 * row of each IPU before it began, and which rows before it run on into it. So a range is the sums of the nodes that
 * lie in it as a whole, and the rows of the stretches at its ends, whose names nobody has to look for.
 *
 * What a frame covers is the union of the intervals of its steps (report/flame.h). It is kept as a number of each frame, `extra`,
 * so that what a frame covers is the sum of `extra` of all frames in it: of a step that runs alone its length, at the step's
 * own frame; where steps overlap frames above have less than none. As the starts of an IPU rise along its rows
 * (else there is no section), what a row adds to the union does not depend on where a range begins, unless it is cut by it.
 *
 * Left empty, so that the rows answer: starts that fall, more frames, IPUs, or rows at once than are kept, a frame of two classes,
 * sums that do not fit, more bytes than 1.25 % of the report and 1 MiB.
 */
#ifndef TS_REPORT_INDEX_STACKS_H
#define TS_REPORT_INDEX_STACKS_H

#include "tilescope/report/flame.h"
#include "tilescope/report/index_build.h"
#include "tilescope/report/index_contexts.h"

enum {
	TS_STACKS_PAGE = 1024, /* rows of each IPU in a page, about; in all at most */
	TS_STACKS_PAGE_MOST = 1 << 16,
	TS_STACKS_TOGETHER = 6, /* a stretch has at most 2 to the power of that pages */
	TS_STACKS_FAN = 16,
	TS_STACKS_LEVELS = 8,
	TS_STACKS_FRAMES = 1 << 16,
	TS_STACKS_CELLS = 1 << 20, /* frames times IPUs */
	TS_STACKS_OPEN = 64,	   /* rows of an IPU that run at once */
	TS_STACKS_SHARE = 80,	   /* of the report's bytes */
};

/* Begin of the payload. Arrays follow: a count, and where they begin. */
struct ts_stacks_head {
	uint64_t left; /* 1: the rows answer */
	uint64_t contexts, in_debug;
	struct ts_debug_identity debug; /* in_debug: what stacks were made of besides the report */
	uint64_t steps_fall;		/* 1: ranges of steps are left to the rows */
	int64_t bad_rows, orphans, bad_cycles; /* rows that are in no sum */
	uint64_t ipus, ipus_at;		       /* int64_t, sorted */
	uint64_t frames, frames_at;	       /* struct ts_stacks_frame: parents come first */
	uint64_t texts, texts_at;	       /* bytes */
	uint64_t follows_at;		       /* uint32_t: of each frame */
	uint64_t pages, pages_at;	       /* struct ts_stacks_page, one more than there are */
	uint64_t edges_at;		       /* struct ts_stacks_edge: of each page and IPU */
	uint64_t opens, opens_at;	       /* struct ts_stacks_open */
	uint64_t bits, bits_at;		       /* uint64_t */
	uint64_t others, others_at;	       /* uint16_t */
	uint64_t nodes, nodes_at;	       /* struct ts_stacks_node, level by level */
	uint64_t levels, level[TS_STACKS_LEVELS]; /* nodes of each, the stretches first */
	uint64_t sums, sums_at;			  /* bytes */
};

/* A name is texts [at, at + n). */
struct ts_stacks_frame {
	uint32_t parent, at, n;
	uint16_t depth;
	uint8_t class_of, steps;
};

struct ts_stacks_page {
	int64_t rowid, to;	   /* row ids [rowid, to) */
	uint64_t bit, other, open; /* the first of each */
	uint64_t
		numbers; /* rows with another step than the row before: a bit each; 0: the next of `others` */
};

/* Of the last row of an IPU before a page; INT64_MIN, -1: none. */
struct ts_stacks_edge {
	int64_t start, step;
};

/* A row that ends behind the start of the last one before a page. */
struct ts_stacks_open {
	int64_t start, end, cycles;
	uint32_t ipu, leaf; /* ipu: index */
};

/* Pages [page, page + pages): their sums, struct ts_stack_sum by rising frame and IPU, packed (index_stacks.c). */
struct ts_stacks_node {
	uint64_t at, bytes;
	uint64_t page, pages;
};

/* Of a frame on an IPU; `extra` is modulo 2^64. */
struct ts_stack_sum {
	uint64_t steps, cycles, extra;
};

/* An open section. Read by any thread. */
struct ts_stacks {
	struct ts_index *index; /* held */
	const struct ts_stacks_head *head;
	const int64_t *ipu;
	const struct ts_stacks_frame *frame;
	const char *text;
	const uint32_t *follow;
	const struct ts_stacks_page *page;
	const struct ts_stacks_edge *edge;
	const struct ts_stacks_open *open;
	const uint64_t *bit;
	const uint16_t *other;
	const struct ts_stacks_node *node;
	const unsigned char *sum;
};

/* False: the index (NULL allowed) does not have it, it is empty, or it does not hold together. */
bool ts_stacks_open(struct ts_stacks *s, struct ts_index *x);
void ts_stacks_close(struct ts_stacks *s);

/* Will it answer, as far as its head says? In no time. */
bool ts_stacks_kept(const struct ts_index *x);

/*
 * What the steps of a range come to: *sum (the caller's), of each frame and IPU one. NULL without an error: the section cannot
 * say it, the rows can: limits of both kinds, steps that fall, steps that run on over the end of a run, or sums that
 * do not hold together. Errors: as ts_rows_next().
 */
enum ts_code ts_stacks_read(struct ts_stack_sum **sum, const struct ts_stacks *s,
	struct ts_reader *rd, const struct ts_flame_range *range,
	struct ts_err *err) TS_WARN_UNUSED;

/* Is a section made of debug.cbor still about the one that is there? */
enum ts_code ts_stacks_section_current(bool *yes, const void *payload, size_t size,
	const struct ts_report *r, struct ts_err *err) TS_WARN_UNUSED;

/* `tight`: the same with stretches of at least four pages, for tests of small reports. */
extern const struct ts_pass ts_pass_stacks, ts_pass_stacks_tight;

#endif
