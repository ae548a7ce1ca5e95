/* SPDX-License-Identifier: MIT */
/*
 * internal - what the parts of the demo's generator share.
 *
 * demo.c writes the file, model.c makes the program from the tables of shapes.c,
 * memory.c fills the tiles, trace.c runs the program, store*.c and sdk.c put it
 * all into tables. The program
 * is held in memory (a few thousand to a few hundred thousand small structs); rows that come by
 * the million are functions of their number and of the seed, and are never held.
 */
#ifndef TS_DEMO_INTERNAL_H
#define TS_DEMO_INTERNAL_H

#include <sqlite3.h>
#include <stddef.h>

#include "tilescope/base/mem.h"
#include "tilescope/base/strbuf.h"
#include "tilescope/demo/demo.h"

/* ---- chance: a function of the seed and of what is asked for, never of the order of asking ---- */

static inline uint64_t
demo_mix(uint64_t x)
{
	x += 0x9e3779b97f4a7c15u;
	x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
	x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
	return x ^ (x >> 31);
}

static inline uint64_t
demo_hash(uint64_t seed, uint64_t what, uint64_t which)
{
	return demo_mix(demo_mix(seed ^ (what * 0xd1342543de82ef95u)) ^ which);
}

/* 0..n-1 of the upper bits of a hash. */
static inline uint32_t
demo_below(uint64_t hash, uint32_t n)
{
	return (uint32_t)(((hash >> 32) * n) >> 32);
}

/* ---- the target ---- */

enum { DEMO_ELEMENT_BYTES = 16384 };

struct demo_target {
	const char *architecture;
	int64_t tile_bytes;
	int64_t non_interleaved; /* bytes before interleaved memory */
	double clock_hz;
};

/* ---- the program ---- */

enum demo_type {
	DEMO_SEQUENCE,
	DEMO_REPEAT,
	DEMO_REPEAT_WHILE,
	DEMO_IF,
	DEMO_SWITCH,
	DEMO_CALL,
	DEMO_ON_TILE_EXECUTE,
	DEMO_DO_EXCHANGE,
	DEMO_GLOBAL_EXCHANGE,
	DEMO_STREAM_BEGIN,
	DEMO_STREAM_MID,
	DEMO_STREAM_END,
	DEMO_SYNC,
	DEMO_SYNC_ANS,
	DEMO_SANS,
	DEMO_ON_EVERY_TILE_SWITCH,
	DEMO_ON_TILE_SWITCH,
	DEMO_WRITE_UNDEF,
	DEMO_BLOCK,
	DEMO_COPY,
	DEMO_CROSS_REPLICA_COPY,
	DEMO_ASSUME_EQUAL,
	DEMO_TYPE_COUNT
};

struct demo_type_def {
	const char *name;
	bool leaf;  /* does work: is a liveness step */
	bool steps; /* shows in the trace */
};
extern const struct demo_type_def demo_types[DEMO_TYPE_COUNT];

enum { DEMO_NAME_MAX = 320 }; /* bytes, NUL included */
enum { DEMO_ALL = -1 };	      /* every IPU takes part */

struct demo_prog {
	uint8_t type;
	int16_t ipu;	   /* or DEMO_ALL */
	int32_t cs;	   /* compute set, -1 = none */
	int32_t repeat;	   /* 0 = none */
	uint32_t name;	   /* offset into names, 0 = none */
	uint32_t group;	   /* of its first use */
	uint32_t cycles;   /* measured, of the slowest tile; 0 = no step of its own */
	uint32_t active;   /* tiles of one IPU */
	uint32_t shortest; /* cycles of the fastest active tile; */
	uint32_t floor;	   /* no tile can be faster */
	uint32_t data;	   /* bytes in, of one IPU */
	double balance, active_balance;
	uint32_t first_link; /* children: links[first_link .. next program's] */
};

struct demo_cs {
	uint32_t name;
	uint32_t group;
	uint32_t prog; /* its OnTileExecute */
	uint16_t vertex;
	uint32_t instances;
};

/* One use of an operation: what GA calls an operation, and what variables belong to. */
struct demo_group {
	uint32_t name;
	uint32_t prog; /* a Sequence or a Call */
	uint32_t section;
	int16_t ipu;
	uint8_t pass;
	uint8_t mem;	   /* weight of its temporaries, 16 = usual */
	bool weights;	   /* has parameters */
	int32_t partner;   /* forward: its backward group and the other way round, -1 = none */
	uint32_t from, to; /* liveness steps */
};

enum demo_pass { DEMO_FORWARD, DEMO_BACKWARD, DEMO_UPDATE, DEMO_HOST };

struct demo_link {
	uint32_t parent, child;
	uint32_t order; /* while the tree is built */
};

/* ---- classes: lifetimes of variables ---- */

enum {
	DEMO_CLASS_ALWAYS = 0, /* from the first liveness step to the last */
	DEMO_CLASS_INPUT = 1,  /* live in all but a few */
	DEMO_CLASS_FIRST = 2,  /* then DEMO_CLASS_KINDS for every group */
	DEMO_LONG = 0,	       /* kinds: until the backward pass, or the update, */
	DEMO_EARLY = 1,	       /* the first or the second part of the operation */
	DEMO_LATE = 2,
	DEMO_CLASS_KINDS = 3,
	DEMO_INTERVALS = 2,
};

struct demo_interval {
	uint32_t start, end;
};

struct demo_event {
	uint32_t step, class;
	bool begins;
};

/* ---- the trace ---- */

enum { DEMO_OVERLAP = 1, DEMO_BARRIER = 2, DEMO_WAIT = 4, DEMO_COPY_IN = 8 };

struct demo_entry {
	uint32_t prog;
	int16_t ipu;
	uint8_t flags;
	uint32_t start, cycles; /* within the segment */
};

enum demo_segment {
	DEMO_PRE,
	DEMO_FWD,
	DEMO_MID,
	DEMO_BWD,
	DEMO_END,
	DEMO_OPT,
	DEMO_POST,
	DEMO_SEGMENTS
};

struct demo_seg {
	struct demo_entry *e;
	size_t n, cap;
	int64_t length; /* cycles */
};

enum { DEMO_RUNS = 2 };

struct demo_run {
	int64_t first, count;  /* steps */
	int64_t phases, opt;   /* micro-batches; steps of the update */
	int64_t chunks;	       /* times that the update is begun */
	int64_t wait, copy_in; /* cycles */
	int64_t start, end;    /* cycles, on the clock */
	int64_t start_us, end_us;
};

enum { DEMO_CATEGORIES = 20, DEMO_VARIABLE = 0, DEMO_VERTEX_CODE = 4 };

/* ---- what the program is built from ---- */

/* A compute set of an operation, with the exchange before it. */
struct demo_leaf {
	const char *name;
	uint16_t cycles, exchange;
	uint16_t active; /* tiles, of 1,000 */
	uint8_t vertex;
	uint8_t detail; /* built from this detail on */
};

enum demo_kind {
	DEMO_MATMUL_OP,
	DEMO_NORM_OP,
	DEMO_SOFTMAX_OP,
	DEMO_DROPOUT_OP,
	DEMO_GELU_OP,
	DEMO_ADD_OP,
	DEMO_GATHER_OP,
	DEMO_LOSS_OP,
	DEMO_UPDATE_OP,
	DEMO_KINDS
};

enum { DEMO_LEAVES = 6 };

struct demo_op {
	const char *path;
	uint8_t kind;
	bool shared, weights;
	uint8_t mem;
};

enum {
	DEMO_EMBEDDING_OPS = 4,
	DEMO_LAYER_OPS = 15,
	DEMO_HEAD_OPS = 4,
	DEMO_UPDATE_OPS = 1,
	DEMO_OPS_MAX = DEMO_LAYER_OPS, /* of a section */
};

extern const struct demo_leaf demo_leaves[DEMO_KINDS][DEMO_LEAVES];
extern const struct demo_op demo_embedding_ops[DEMO_EMBEDDING_OPS];
extern const struct demo_op demo_layer_ops[DEMO_LAYER_OPS];
extern const struct demo_op demo_head_ops[DEMO_HEAD_OPS];
extern const struct demo_op demo_update_ops[DEMO_UPDATE_OPS];

struct demo_shape {
	int layers;
	int convs;  /* parts into which a matrix product is cut */
	int detail; /* 0..2: leaves of an operation */
	int64_t unlowered;
	int64_t blob_bytes;  /* for one `_by_tile` column */
	int64_t cycle_bytes; /* for measured cycles, without which nothing is seen of single tiles */
};

extern const struct demo_shape demo_shapes[TS_DEMO_SCALE_COUNT];

/* ---- the whole ---- */

struct demo_model {
	struct ts_demo_options o;
	struct demo_shape shape;
	const struct demo_target *target;
	int ipus, tiles; /* tiles of one IPU */
	int64_t all_tiles, steps, variables;
	uint64_t seed;
	int64_t hot; /* tile */
	int slow;    /* IPU of the slow stage */
	bool nomem;

	struct ts_strbuf names;
	struct demo_prog *progs;
	size_t nprogs, progs_cap;
	struct demo_cs *cs;
	size_t ncs, cs_cap;
	struct demo_group *groups;
	size_t ngroups, groups_cap;
	struct demo_link *links;
	size_t nlinks, links_cap;
	uint32_t *live; /* program of each liveness step */
	size_t nlive, live_cap;
	uint32_t *sections; /* names */
	size_t nsections, sections_cap;
	uint32_t *roots; /* bodies of functions */
	size_t nroots, roots_cap;
	uint32_t *shared;	      /* body by IPU, pass and kind of operation; 0 = none yet */
	uint32_t part[DEMO_SEGMENTS]; /* programs of the segments but the stages' */
	uint32_t stages[DEMO_HOST];   /* Switch over the IPUs' sequences, of each pass */
	uint32_t pass_from[DEMO_HOST + 1]; /* groups of a pass: up to the next pass's */
	uint32_t loop, chunks, io;	   /* programs */

	struct demo_seg seg[DEMO_SEGMENTS];
	struct demo_run run[DEMO_RUNS];

	/* memory */
	uint32_t per_group; /* unlowered variables of a group */
	uint32_t **own;	    /* groups of each IPU */
	uint32_t *own_n;
	uint32_t *own_update; /* how many of them come before the update's */
	struct demo_interval (*intervals)[DEMO_INTERVALS];
	size_t nclasses;
	struct demo_event **events; /* of each IPU, by step */
	size_t *nevents;
	int64_t *class_bytes;
	int64_t category_bytes[DEMO_CATEGORIES];
	int64_t *variable_bytes; /* by unlowered variable */
	int64_t nvariables;
	struct demo_place *place; /* per tile */
	uint16_t *types;	  /* per tile: vertex types that run there, by bits */
};

enum ts_code demo_model_init(struct demo_model *m, const struct ts_demo_options *o,
	struct ts_err *err);
void demo_model_fini(struct demo_model *m);

static inline const char *
demo_name(const struct demo_model *m, uint32_t offset)
{
	return offset ? m->names.s + offset : NULL;
}

static inline uint32_t
demo_links_end(const struct demo_model *m, size_t prog)
{
	return prog + 1 < m->nprogs ? m->progs[prog + 1].first_link : (uint32_t)m->nlinks;
}

/* The leaves of a program in order, shared bodies expanded; `each` returns nothing. */
typedef void demo_leaf_fn(struct demo_model *m, uint32_t prog, void *ctx);
void demo_walk(struct demo_model *m, uint32_t prog, demo_leaf_fn *each, void *ctx);

/* Cycles of a program's tile (of its IPU); 0 = takes no part. The largest is prog->cycles. */
uint32_t demo_tile_cycles(const struct demo_model *m, const struct demo_prog *p, uint32_t tile);

enum { DEMO_VERTEX_COUNT = 14 };

struct demo_vertex_def {
	const char *name; /* mangled */
	int state_bytes;
	int beside; /* 1 + the one that may stand with it in a compute set; 0 = none does */
};
extern const struct demo_vertex_def demo_vertices[DEMO_VERTEX_COUNT];

/* ---- memory ---- */

extern const char *const demo_categories[DEMO_CATEGORIES];

enum { DEMO_REGIONS = 3 };
extern const char *const demo_regions[DEMO_REGIONS];

struct demo_place {
	uint32_t always, peak;
};

struct demo_tile {
	int64_t tile;
	int ipu;
	uint32_t region[DEMO_REGIONS];
	uint32_t total, gap;
	uint32_t bytes[DEMO_CATEGORIES];
	uint32_t rows;	    /* lowered variables, */
	uint32_t variables; /* of them those of category variable, the last ones */
};

/* Scratch for the variables of one tile. */
struct demo_vars {
	uint32_t *id; /* unlowered variable without the pseudo-variables */
	uint32_t *bytes;
	uint64_t *by_class;
	size_t cap;
};

enum ts_code demo_memory_init(struct demo_model *m, const struct ts_cancel *cancel,
	struct ts_err *err);
void demo_memory_fini(struct demo_model *m);
/* 1 + the second vertex type of a compute set, of which each of its tiles has one; 0: it has one type. */
int demo_beside(const struct demo_model *m, size_t cs);
/* Code of each vertex type on the tile, bytes: those that run there share its vertexCode. */
void demo_tile_code(const struct demo_model *m, const struct demo_tile *t,
	uint32_t out[DEMO_VERTEX_COUNT]);
void demo_tile_fill(const struct demo_model *m, int64_t tile, struct demo_tile *t);
bool demo_vars_init(struct demo_vars *v, const struct demo_model *m);
void demo_vars_fini(struct demo_vars *v);
/* Sizes of the tile's variables of category variable. */
void demo_vars_fill(const struct demo_model *m, const struct demo_tile *t, struct demo_vars *v);

struct demo_variable {
	uint32_t group;
	uint32_t class;
	bool always;
	const char *role, *type;
	uint32_t number; /* of those with this role in the group */
};
void demo_variable(const struct demo_model *m, uint32_t id, struct demo_variable *v);
/* Its name; returns the length. */
size_t demo_variable_name(const struct demo_model *m, uint32_t id, char out[DEMO_NAME_MAX]);

/* ---- trace ---- */

struct demo_walker {
	const struct demo_model *m;
	int run, segment;
	size_t index;
	int64_t step, base, phase, opt;
	int64_t *lane; /* cycles up to which each IPU is busy */
};

struct demo_step {
	int64_t step;
	int run;
	const struct demo_entry *entry;
	const struct demo_prog *prog;
};

struct demo_part {
	bool active;
	int64_t start, end, start_max, end_min, data_in, data_out;
};

enum ts_code demo_trace_init(struct demo_model *m, struct ts_err *err);
void demo_trace_fini(struct demo_model *m);
bool demo_walker_init(struct demo_walker *w, const struct demo_model *m);
void demo_walker_fini(struct demo_walker *w);
/* The next step; `parts` has one element per IPU. False after the last one. */
bool demo_walker_next(struct demo_walker *w, struct demo_step *s, struct demo_part *parts);

/* ---- rows ---- */

enum { DEMO_BATCH = 16 }; /* rows of one statement where rows come by the million */

struct demo_out {
	sqlite3 *db;
	sqlite3_stmt *stmt;
	const char *table;
	int columns;
	int batch, at;	/* rows of the statement, and of them those that have their values */
	int64_t coming; /* rows still to come in batches */
	struct ts_progress *progress;
	const struct ts_cancel *cancel;
	struct ts_err *err;
	enum ts_code code; /* the first failure; everything after it does nothing */
	int64_t rows, total;
	int64_t checked; /* when progress was last shown, in thousands of rows */
};

void demo_nomem(struct demo_out *out); /* there is no memory: nothing is written any more */
void demo_exec(struct demo_out *out, const char *sql);
/*
 * Rows of one table at a time: begin, then per row a value for each column and demo_row(). Values
 * stay bound for the next row. For a table with a great many rows say how many there will be,
 * exactly: then they go in batches, every row needs all its values, and text must stay until
 * DEMO_BATCH rows later (out->at tells them apart).
 */
void demo_begin(struct demo_out *out, const char *table, int columns);
void demo_begin_many(struct demo_out *out, const char *table, int columns, int64_t rows);
bool demo_row(struct demo_out *out); /* false: stop */
void demo_end(struct demo_out *out);

static inline int
demo_index(const struct demo_out *out, int column)
{
	return out->at * out->columns + column + 1;
}

static inline void
demo_int(struct demo_out *out, int column, int64_t v)
{
	sqlite3_bind_int64(out->stmt, demo_index(out, column), v);
}

static inline void
demo_real(struct demo_out *out, int column, double v)
{
	sqlite3_bind_double(out->stmt, demo_index(out, column), v);
}

static inline void
demo_null(struct demo_out *out, int column)
{
	sqlite3_bind_null(out->stmt, demo_index(out, column));
}

/* `s` (NULL allowed) must stay until the row is written. */
void demo_text(struct demo_out *out, int column, const char *s);
void demo_bytes(struct demo_out *out, int column, const char *s, size_t n); /* text of n bytes */
void demo_blob(struct demo_out *out, int column, const void *p, size_t n);

void demo_store(struct demo_out *out, const struct demo_model *m);
void demo_store_memory(struct demo_out *out, const struct demo_model *m);
void demo_store_programs(struct demo_out *out, const struct demo_model *m);
void demo_store_variables(struct demo_out *out, const struct demo_model *m);
void demo_sdk(struct demo_out *out, const struct demo_model *m);

/* The archive of the tiles, into a file that is there. */
enum ts_code demo_archive(const char *path, const struct demo_model *m,
	const struct ts_cancel *cancel, struct ts_err *err);

/* debug.cbor, likewise. */
enum ts_code demo_debug(const char *path, const struct demo_model *m,
	const struct ts_cancel *cancel, struct ts_err *err);

/*
 * Numbers of debug contexts: the model is 1, then its sections, their groups, their compute sets: two each, one
 * of poplar and behind it its parent, of poplibs.
 */
static inline int64_t
demo_context_of_group(const struct demo_model *m, uint32_t group)
{
	return 2 + (int64_t)m->nsections + group;
}

static inline int64_t
demo_context_of_cs(const struct demo_model *m, size_t cs)
{
	return 2 + (int64_t)m->nsections + (int64_t)m->ngroups + 2 * (int64_t)cs;
}

/* Of a program; 0 = none. */
static inline int64_t
demo_context_of_prog(const struct demo_model *m, size_t prog)
{
	const struct demo_prog *p = &m->progs[prog];
	if (p->cs >= 0)
		return demo_context_of_cs(m, (size_t)p->cs);
	return p->group < m->ngroups && p->ipu != DEMO_ALL ? demo_context_of_group(m, p->group) : 0;
}

#endif
