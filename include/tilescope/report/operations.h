/* SPDX-License-Identifier: MIT */
/*
 * operations - what the layers of software above the programs did: which operation pays.
 *
 * An operation is a node of one forest, in which each node belongs to one layer (popart, poplibs, ...):
 *
 *   recorded   a row of the relation `operation`, with the programs that operation_program says; its place is that of its
 *              debug context.
 *   context    a debug context that a program (or the compute set of one) names, or one above such. Its programs are
 *              those whose context it is, or that have it as their nearest context of its layer, going up.
 *   name       a part of the name of a program (or its compute set) that has neither, where the name has several parts
 *              ("layer/matmul/Convolve"). Names say what somebody called a program: such a layer is derived, and last.
 *
 * Two figures for each node: `of` counts the programs of the operation itself (below it no other of its layer comes
 * between), so that a layer's operations share the whole; `below` counts all that stands below it in the forest. A
 * program counts once in each sum, however many ways lead to it. Programs in no operation of a layer are in its
 * `outside`. Nodes stand in preorder: what is below node i are the nodes (i, end).
 *
 * Memory grows with programs and contexts that programs name, in piles. Contexts may go in circles, or without an end:
 * a node has at most TS_OPERATION_LEVELS above it, and what would be further up is left out (`cut`).
 */
#ifndef TS_REPORT_OPERATIONS_H
#define TS_REPORT_OPERATIONS_H

#include "tilescope/base/strbuf.h"
#include "tilescope/report/honesty.h"
#include "tilescope/report/index_contexts.h"
#include "tilescope/report/program_costs.h"

enum {
	TS_OPERATION_LEVELS = 64,
	TS_OPERATION_LAYERS =
		63, /* told apart; operations of others are in a layer "other" behind them */
};

#define TS_NO_OPERATION UINT32_MAX

/*
 * Of a set of programs. TS_UNKNOWN: none of them knows it, or the sum does not fit. Cycles are tile clock cycles.
 *
 *   executed         of the steps of the trace that execute them, on all its IPUs
 *   measured, ...    of one execution of each program, on the tile that takes longest: how long the others wait, added
 *   measured_tiles   the same on all tiles: tile-cycles
 *   control_code     bytes of programs without children (that of others includes their children's)
 *   exchange_code    bytes; exchanges share code: sums exceed what there is
 *   vertex_code      bytes of the vertex types that they run, wherever that code stands; operations share it, too
 *   vertex_alone     the part of it that nothing else runs: known whose
 *   code             control, exchange and vertex_alone, as far as they are known
 *   bytes            of variables whose debug context is of the operation: before lowering, else (`bytes_lowered`)
 *                    lowered ones. Lowered variables that operation_variable names are `said_bytes`
 *   live             bytes that are not always live at their fullest liveness step, of the device's one replica
 */
struct ts_operation_figures {
	int64_t programs;
	int64_t compute_sets, vertices; /* each compute set once; instances on all tiles */
	int64_t steps, first_step;	/* executions, and the first of them */
	int64_t executed;
	int64_t measured, measured_tiles;
	int64_t estimated, estimated_tiles;
	int64_t code, control_code, exchange_code, vertex_code, vertex_alone;
	int64_t variables, bytes;
	int64_t said_variables, said_bytes;
	int64_t live, live_first, live_last; /* liveness steps: first, last */
	int64_t mark;			     /* enum ts_mark of `executed` */
};

enum ts_operation_from { TS_OPERATION_IS_RECORDED, TS_OPERATION_BY_CONTEXT, TS_OPERATION_BY_NAME };

struct ts_operation {
	int64_t operation;     /* number; TS_UNKNOWN: it is not recorded */
	int64_t context;       /* the bits of its number; with has_context */
	uint32_t parent;       /* TS_NO_OPERATION: none above */
	uint32_t end;	       /* behind the last node below it */
	int32_t name;	       /* of text[]; TS_DICTIONARY_NONE: it has none */
	int32_t debug_name;    /* or TS_DICTIONARY_NONE */
	uint16_t layer;	       /* of layer[] */
	uint8_t depth;	       /* nodes above it */
	uint8_t from;	       /* enum ts_operation_from */
	uint8_t programs_said; /* its programs are those of operation_program */
	uint8_t has_context;
	uint8_t cut; /* there is more above it than was followed, or a circle */
	uint8_t spare;
	struct ts_operation_figures of, below;
};

struct ts_operation_layer {
	int32_t name; /* of text[]; TS_DICTIONARY_NONE: of names, or contexts that say none, or more layers than are kept */
	uint8_t from; /* the first of its nodes' in enum ts_operation_from */
	uint8_t depth; /* of the highest of its nodes */
	uint8_t spare[2];
	uint64_t first,
		count; /* its nodes that have something of their own: ts_operation_in_layer() */
	struct ts_operation_figures all;     /* of all its nodes together */
	struct ts_operation_figures outside; /* of the programs in none of them */
};

/* What programs, compute sets and vertex types are besides what they cost: for sums over any set of nodes. */
struct ts_operation_program {
	int64_t live_last; /* liveness step, or TS_UNKNOWN */
	uint32_t set;	   /* of set[]; TS_NO_OPERATION: none */
	int32_t leaf;	   /* 0: it has children; TS_UNKNOWN */
};

struct ts_operation_set {
	int64_t compute_set, vertices; /* vertices: instances, or TS_UNKNOWN */
	uint32_t first, types;	       /* of run[]: its vertex types, by kind */
};

/* Vertex types that the same compute sets run: a kind, which no sum tells apart. */
struct ts_operation_type {
	int64_t code_bytes; /* of all of them, on all tiles; TS_UNKNOWN */
	int64_t programs;   /* that run it */
};

struct ts_operation_text {
	uint64_t at;
	uint64_t n;
};

/*
 * Programs of an operation that other operations of its layer have, too (outlined ones, say): what they cost is in the
 * figures of each, so that these add up to more than there is. Of a layer: its programs that several operations have. In the
 * tree: programs at or below an operation that belong to others, too, which stand neither above nor below it (of those above
 * each other the innermost counts); of the whole tree those that stand in several places. Of a group: those that other groups have.
 */
struct ts_operation_shared {
	uint32_t programs;
	uint32_t others; /* operations that have one, too: of the program that most have, ... */
	uint32_t least;	 /* ... and of that which fewest have */
};

/* Read-only once it is read: any thread may look at it. */
struct ts_operations {
	atomic_int uses;
	struct ts_program_costs *costs; /* held */
	struct ts_honesty honesty;
	uint32_t count, layers, texts, sets, types;
	uint64_t in_layers, owns, runs, text_bytes;
	const struct ts_operation *node;	    /* in preorder */
	const struct ts_operation_layer *layer;	    /* outer ones first, that of names last */
	const uint32_t *in_layer;		    /* nodes by layer */
	const struct ts_operation_own *own;	    /* by program, then node */
	const struct ts_operation_program *program; /* as costs->cost */
	const struct ts_operation_set *set;	    /* by number */
	const uint32_t *run;			    /* of type[] */
	const struct ts_operation_type *type;
	const struct ts_operation_text *text;
	const char *bytes;		 /* of text[] */
	struct ts_operation_figures all; /* of all programs */
	bool has_contexts;  /* programs or compute sets name contexts, and these are there */
	bool recorded;	    /* the relation operation is there */
	bool traced;	    /* as ts_program_costs.traced */
	bool bytes_lowered; /* `variables` and `bytes` are of lowered ones */
	bool partial;	    /* damage: what could be read */
	int64_t missing;    /* contexts that are named and are not there */
	int64_t cut;	    /* contexts above which there is more than was followed, or a circle */
	int64_t bad_rows;   /* of operations left out: no number, or what they name is not there */
	int64_t left_out;   /* contexts, operations and rows beyond limits */

	bool in_debug; /* contexts are those of debug.cbor, which was this file */
	struct ts_debug_identity debug;

	/* By node, by layer; in the tree by node, and of all of it. Not in the section. */
	const struct ts_operation_shared *shared;

	/* whose memory that is */
	struct ts_pile pile[10], shared_pile;
	struct ts_index *index; /* held */
};

/* Program (its place in costs) belongs to node. */
struct ts_operation_own {
	uint32_t program, node;
	uint32_t said; /* 1: by operation_program */
};

/*
 * What the index keeps, else from the relations, and kept where `cache` has room and all is whole. Without `trace` what
 * needs every step is unknown: executed, steps, first_step (unless the index has it). `progress` counts rows of what is
 * read at the moment. Errors: TS_E_ABSENT, with the reason: there is no `program`, and no `operation`, or nothing says
 * what belongs to which operation; TS_E_NOMEM, TS_E_SYS, TS_E_CANCELLED, TS_E_STALE (debug.cbor is another one now). Damage sets
 * `partial`. Give back with ts_operations_close().
 */
enum ts_code ts_operations_read(struct ts_operations **out, struct ts_reader *rd,
	const struct ts_cache *cache, bool trace, struct ts_progress *progress,
	struct ts_err *err) TS_WARN_UNUSED;
struct ts_operations *ts_operations_hold(struct ts_operations *o);
void ts_operations_close(struct ts_operations *o); /* NULL allowed */

static inline const struct ts_operation *
ts_operation_at(const struct ts_operations *o, uint32_t i)
{
	return &o->node[i];
}

/* Node i of a layer, 0 <= i < layer[].count, in preorder. */
static inline uint32_t
ts_operation_in_layer(const struct ts_operations *o, uint32_t layer, uint64_t i)
{
	return o->in_layer[o->layer[layer].first + i];
}

/* Has it something that belongs to no operation of its layer further down? Others only stand between layers. */
static inline bool
ts_operation_has_own(const struct ts_operation *n)
{
	return n->of.programs > 0 || n->of.variables > 0 || n->operation != TS_UNKNOWN;
}

static inline const struct ts_operation_shared *
ts_operation_shares(const struct ts_operations *o, uint32_t i)
{
	return &o->shared[i];
}

static inline const struct ts_operation_shared *
ts_operation_layer_shares(const struct ts_operations *o, uint32_t layer)
{
	return &o->shared[(size_t)o->count + layer];
}

/* The same in the tree, with all that stands below it; of the whole tree. */
static inline const struct ts_operation_shared *
ts_operation_shares_below(const struct ts_operations *o, uint32_t i)
{
	return &o->shared[(size_t)o->count + o->layers + i];
}

static inline const struct ts_operation_shared *
ts_operation_tree_shares(const struct ts_operations *o)
{
	return &o->shared[2 * (size_t)o->count + o->layers];
}

/* Texts are raw and not NUL-terminated. A layer without a name: "names", or "(no layer)". */
const char *ts_operation_name(size_t *n, const struct ts_operations *o, uint32_t i);
const char *ts_operation_debug_name(size_t *n, const struct ts_operations *o,
	uint32_t i); /* or NULL */
const char *ts_operation_layer_name(size_t *n, const struct ts_operations *o, uint32_t layer);
const char *ts_operation_from_word(
	enum ts_operation_from from); /* "recorded", "from contexts", "from names" */

/* Names from the outermost on, joined by '/', what they repeat of each other once; replaces what `out` holds. */
void ts_operation_path(struct ts_strbuf *out, const struct ts_operations *o, uint32_t i);

/*
 * The operation of a program in a layer (-1: the innermost of all), or TS_NO_OPERATION; of several the first. Of a
 * context, the nearest upwards; of the operation of that number.
 */
uint32_t ts_operation_of_program(const struct ts_operations *o, int64_t program, int layer);
uint32_t ts_operation_of_context(const struct ts_operations *o, int64_t context, int layer);
uint32_t ts_operation_of_number(const struct ts_operations *o, int64_t operation);

/* Of a compute set: that of the first program that executes it. */
uint32_t ts_operation_of_compute_set(const struct ts_operations *o, int64_t set, int layer);

#endif
