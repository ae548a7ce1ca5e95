/* SPDX-License-Identifier: MIT */
/*
 * program_tree - where a program stands among those that call it.
 *
 * Programs are a DAG: bodies are shared, so a program may be reached in many ways, and a hostile file may have
 * circles. The place of a program is that of its first use: the way by which a walk from the roots (control programs,
 * then functions), children in their order, comes to it first. How often a body is used besides is counted.
 */
#ifndef TS_REPORT_PROGRAM_TREE_H
#define TS_REPORT_PROGRAM_TREE_H

#include <stdatomic.h>

#include "tilescope/base/progress.h"
#include "tilescope/base/strbuf.h"
#include "tilescope/report/pile.h"
#include "tilescope/report/report.h"

enum { TS_PROGRAM_EDGES = 16 << 20, TS_PROGRAM_LEVELS = 256, TS_PROGRAM_TEXT = 1 << 20 };

struct ts_program_node {
	int64_t program;
	uint32_t first_edge, edges; /* to its children */
	uint32_t uses;		    /* edges and roots that lead to it */
	uint32_t parent; /* node of its first use; UINT32_MAX: a root, or not reached from one */
	uint32_t root;	 /* index of the root of its first use; UINT32_MAX: not reached */
};

struct ts_program_edge {
	int64_t parent, position, child;
};

struct ts_program_root {
	int64_t program, position;
	bool function; /* else a control program */
};

/* Read-only once it is read: any thread may look at it. */
struct ts_program_tree {
	atomic_int uses; /* ts_program_tree_hold(), ts_program_tree_close() */
	size_t nodes, edges, roots;
	struct ts_pile node, edge, root, child; /* child: nodes, uint32_t, as `edge` */
	int64_t bad_rows; /* left out: a number is missing, negative or too large */
	int64_t left_out; /* beyond TS_PROGRAM_EDGES */
};

/*
 * Read program_child and program_root, and walk. Errors: TS_E_ABSENT: program_child is not there; those of
 * ts_rows_next(). *out may be set on TS_E_DAMAGED too.
 */
enum ts_code ts_program_tree_read(struct ts_program_tree **out, struct ts_reader *rd,
	const struct ts_cache *cache, struct ts_progress *progress,
	struct ts_err *err) TS_WARN_UNUSED;
struct ts_program_tree *ts_program_tree_hold(struct ts_program_tree *t);
void ts_program_tree_close(struct ts_program_tree *t); /* NULL allowed */

/*
 * All that nodes of `from` call, and what these call, in `to`: bits by node, of t->nodes. One of `from` is in `to` when it is
 * called so. Each is entered once. Errors: TS_E_NOMEM, TS_E_SYS, TS_E_CANCELLED.
 */
enum ts_code ts_program_reach(unsigned char *to, const unsigned char *from,
	const struct ts_program_tree *t, const struct ts_cancel *cancel,
	struct ts_err *err) TS_WARN_UNUSED;

/* The node of a program, or UINT32_MAX. */
uint32_t ts_program_tree_find(const struct ts_program_tree *t, int64_t program);

/* One level of the way to a program, the root first. */
struct ts_path_level {
	int64_t program;
	int64_t place,
		of; /* it is child `place` (from 0) of `of`; of a root: number, roots of the kind */
	int64_t uses;					     /* ways in which it is used */
	int64_t repeat_count;				     /* TS_UNKNOWN */
	int64_t compute_set;				     /* TS_UNKNOWN */
	uint32_t type_at, type_length, name_at, name_length; /* in `text`; length 0 = not known */
};

struct ts_program_path {
	int64_t program;
	int levels;
	struct ts_path_level *level;
	bool rooted, function; /* it begins at a root; of which kind */
	bool cut;	       /* more levels than are kept: those next to the root are not there */
	struct ts_strbuf text;
};

/*
 * The way to a program. `tree` NULL: the program alone. What cannot be read stays unknown. Free with
 * ts_program_path_fini() in every case. Errors: TS_E_NOMEM, TS_E_CANCELLED.
 */
enum ts_code ts_program_path_read(struct ts_program_path *p, struct ts_reader *rd,
	const struct ts_program_tree *tree, int64_t program, struct ts_err *err) TS_WARN_UNUSED;
void ts_program_path_fini(struct ts_program_path *p);

#endif
