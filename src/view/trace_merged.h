/* SPDX-License-Identifier: MIT */
/* trace_merged - what the files of the merged flame graph share: questions and keys, drawing, what is written. */
#ifndef TS_VIEW_TRACE_MERGED_H
#define TS_VIEW_TRACE_MERGED_H

#include "trace_frames.h"

#include "tilescope/view/explain.h"

enum merged_ask { MERGED_SUMS, MERGED_TREE, MERGED_ASKS };

/* What is merged. */
enum merge { MERGE_ALL, MERGE_VIEW, MERGE_RUN, MERGE_MARKS, MERGES };

struct merged {
	struct ts_pane_data data;
	struct ts_fetch *fetch[MERGED_ASKS];
	enum merge merge;
	bool all_ipus;
	struct ts_flame_range asked; /* of the sums that were asked for last */
	bool has_asked;
	int64_t asked_ipu;	    /* of the tree that was asked for last */
	int64_t run;		    /* MERGE_RUN: index of the run; -1: not known */
	struct ts_flame_range view; /* MERGE_VIEW: what was in sight */
	struct ts_flame *flame;
	struct ts_flame_tree tree;
	unsigned version;      /* of the tree */
	uint32_t root, cursor; /* nodes: the outermost that is shown, that under the cursor */
	int top;	       /* rows that are scrolled away */

	/* of the search, of this tree: frames, and cycles that they have together */
	char needle[TS_TRACE_NEEDLE];
	int64_t hits, hit_cycles;
};

/* --- trace_merged.c --- */
/* What the drawing keeps, shown or not. */
struct merged *trace_merged_of(struct trace_view *t);

/* Ask for its sums if they are neither here nor under way, shown or not. */
void trace_merged_ask(struct trace_view *t);

/* The node of a stack's frame in the tree that is here, or the nearest above that it has. */
uint32_t trace_merged_find(const struct merged *k, const struct ts_frames *frames, uint32_t frame);

/* Put the cursor on a node. */
void trace_merged_go(struct merged *k, uint32_t node);

/* The query that gives `what` ("sum(cycles)", "count(*)") of a node's rows; false: there is none. (trace_merged_sheet.c) */
bool trace_merged_query(const struct trace_view *t, const struct merged *k, uint32_t node,
	const char *what, char out[TS_EXPLAIN_QUERY]);

/* --- trace_merged_draw.c --- */
/* The node that is drawn at a column of so many, so far below the outermost one; -1: none. */
int64_t trace_merged_at(const struct merged *k, int w, int x, int depth);

void trace_merged_draw(struct trace_drawing *d, struct ts_canvas *c, bool focus);
int trace_merged_rows(struct trace_drawing *d, int room);

/* "run 0 of ipu 1": what is merged, for people. */
void trace_merged_about(const struct trace_view *t, const struct merged *k, char *out, size_t size);

/* Cycles that pass in it, of all its IPUs: what a share is of; 0: not known. */
int64_t trace_merged_length(const struct trace_view *t, const struct merged *k);

/* --- trace_merged_sheet.c --- */
void trace_merged_explain(struct trace_drawing *d, struct ts_explain *out);
void trace_merged_explain_node(const struct trace_view *t, const struct merged *k, uint32_t node,
	struct ts_explain *out);
bool trace_merged_sheet(struct trace_drawing *d, struct ts_sheet *out);

#endif
