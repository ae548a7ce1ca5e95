/* SPDX-License-Identifier: MIT */
/*
 * profile - what the parts of the layout `profile` share: the program, its variables, and where they lie.
 *
 * profile_model.c builds programs, compute sets, exchanges and parts from the tables of profile_shapes.c. A part is
 * one lowered variable on each tile of a range of tiles of one IPU. profile_tiles.c sizes the parts so that tiles
 * are as full as they should be, and places those of one tile. The other files each write a group of tables.
 *
 * Programs and parts are held in memory; rows by tile are made one tile at a time.
 */
#ifndef TS_DEMO_PROFILE_H
#define TS_DEMO_PROFILE_H

#include "internal.h"

#include "tilescope/profile/blob.h"

/* ---- categories: numbers and names are those of a real file ---- */

enum {
	PF_VARIABLE,
	PF_MULTIPLE,
	PF_CONTROL_ID,
	PF_MESSAGE,
	PF_HOST_MESSAGE,
	PF_GLOBAL_MESSAGE,
	PF_REARRANGEMENT,
	PF_OUTPUT_EDGE,
	PF_CONSTANT,
	PF_HOST_HEADER,
	PF_GLOBAL_HEADER,
	PF_STACK,
	PF_VERTEX_STATE,
	PF_COPY_DESCRIPTOR,
	PF_VECTOR_LIST,
	PF_VERTEX_FIELD,
	PF_CONTROL_TABLE,
	PF_CONTROL_CODE,
	PF_VERTEX_CODE,
	PF_INTERNAL_CODE,
	PF_HOST_CODE,
	PF_GLOBAL_CODE,
	PF_INSTRUMENTATION,
	PF_DWARF,
	PF_SHARED_CODE,
	PF_SHARED_DATA,
	PF_SHARED_STATE,
	PF_CATEGORIES
};

struct pf_category {
	const char *name, *about;
};
extern const struct pf_category pf_categories[PF_CATEGORIES];

/* ---- types of program ---- */

enum pf_type {
	PF_SEQUENCE,
	PF_EXECUTE,
	PF_REPEAT,
	PF_REPEAT_WHILE,
	PF_SWITCH,
	PF_DO_EXCHANGE,
	PF_GLOBAL_EXCHANGE,
	PF_STREAM_BEGIN,
	PF_STREAM_MID,
	PF_STREAM_END,
	PF_WRITE_UNDEF,
	PF_CALL,
	PF_SYNC,
	PF_SANS,
	PF_SYNC_ANS,
	PF_TYPES
};

struct pf_type_def {
	int id; /* in program_types */
	const char *name, *table;
	bool step; /* shows in the trace */
};
extern const struct pf_type_def pf_types[PF_TYPES];

/* ---- vertices ---- */

enum { PF_VERTICES = 18, PF_VERTEX_DUMP = PF_VERTICES - 1, PF_NO_VERTEX = 255 };

struct pf_vertex {
	const char *name;
	const char *source;
	uint16_t size, code; /* bytes of an instance, of its code on a tile */
	uint8_t edges;	     /* of an instance */
	uint8_t fields;	     /* bytes in vertexFieldData, of an instance; 0 = none */
	uint8_t list;	     /* in vectorListDescriptor */
	uint8_t descriptor;  /* in copyDescriptor */
	uint8_t copy;	     /* bytes of its state that are pointers of copies */
	uint8_t padding;
};
extern const struct pf_vertex pf_vertices[PF_VERTICES];

/* Memory of vertices, by what it is for. */
enum { PF_COPY_PTR, PF_DESCRIPTOR, PF_EDGE_PTR, PF_PADDING, PF_DATA, PF_USES };
/* Bytes of one instance. */
void pf_vertex_uses(int64_t out[PF_USES], const struct pf_vertex *v);

/* ---- what an operation is made of ---- */

enum { PF_LEAVES = 5, PF_KINDS = 9 };

struct pf_leaf {
	const char *name;
	uint16_t cycles;
	uint8_t vertex, beside; /* vertex types; PF_NO_VERTEX */
	uint8_t per_tile;	/* vertices */
	uint8_t detail;		/* built from this detail on */
};
extern const struct pf_leaf pf_leaves[PF_KINDS][PF_LEAVES];

struct pf_op {
	const char *path;
	uint8_t kind;
	bool shared;	   /* outlined into a function */
	bool split;	   /* into so many convolutions as the scale says */
	uint16_t work;	   /* factor of cycles, percent */
	uint16_t weights;  /* bytes, in 1/100 of hidden x hidden halves */
	uint16_t out;	   /* kept until the backward pass */
	uint16_t partials; /* within the operation */
	uint16_t message;
	uint16_t cover; /* tiles, of 1,000 */
};

enum { PF_EMBEDDING_OPS = 4, PF_LAYER_OPS = 15, PF_HEAD_OPS = 4, PF_OPS_MAX = PF_LAYER_OPS };
extern const struct pf_op pf_embedding_ops[PF_EMBEDDING_OPS];
extern const struct pf_op pf_layer_ops[PF_LAYER_OPS];
extern const struct pf_op pf_head_ops[PF_HEAD_OPS];
extern const struct pf_op pf_update_op;

/* ---- the program ---- */

enum { PF_NONE = -1, PF_ALL = -1 };

struct pf_prog {
	uint8_t type;
	int16_t ipu;		   /* or PF_ALL */
	uint16_t control;	   /* own control code, bytes on each tile of its IPU */
	int32_t index;		   /* in the table of its type; PF_NONE */
	int32_t scope;		   /* it is the root of one; PF_NONE */
	int32_t group;		   /* it is the root of a use of an operation; PF_NONE */
	uint32_t name;		   /* offset, 0 = none */
	uint32_t context;	   /* 0 = none */
	int32_t first, last, next; /* children, sibling */
	/* on the IPU, or on each: */
	uint32_t tile, tiles; /* active ones: from which of the IPU, how many */
	uint32_t cycles;      /* of the slowest; 0 = does not run */
	uint32_t floor;	      /* none is faster */
	int32_t vector[2];    /* first of its cycles_by_tile, of its estimates; PF_NONE */
	int64_t total;	      /* control code with children's; of PF_ALL see by_ipu */
	int32_t by_ipu;	      /* of PF_ALL: row of the totals by IPU */
	uint32_t from, to;    /* its liveness steps, where it is last met */
};

struct pf_set {
	uint32_t name, context, prog;
	int16_t ipu;
	uint8_t vertex[2];
	uint8_t count[2];     /* on each tile */
	uint32_t tile, tiles; /* absolute */
	int32_t parts[4];     /* that it uses; PF_NONE */
	int64_t first_vertex;
	uint32_t flops; /* of each tile; 0 = not told */
};

/* An exchange, within an IPU or between two; or what a stream copy moves. */
struct pf_exchange {
	uint32_t prog;
	bool global;
	int32_t source, target; /* parts; PF_NONE */
	uint32_t regions;	/* id of the source's; the target's is the next */
	uint16_t
		code; /* bytes on each tile of the target, and of the source where that is elsewhere */
};

struct pf_stream {
	uint32_t prog, mid; /* program_type_stream_copy_mid's id */
	uint32_t name;	    /* of the stream */
	bool to_host, remote;
	int32_t part;
	uint32_t regions;
};

/* Where programs live that are alive together: a body of an operation, or a block. */
struct pf_scope {
	uint32_t prog, end;   /* program ids [prog, end) */
	uint32_t first, uses; /* starts: its first steps */
};

struct pf_group {
	uint32_t name, prog, section, context;
	int16_t ipu;
	uint8_t pass;
	int32_t out;  /* class of its result; PF_NONE */
	int32_t part; /* its result */
};

enum { PF_FORWARD, PF_BACKWARD, PF_UPDATE, PF_PASSES };

/* ---- variables ---- */

enum pf_life { PF_ALWAYS, PF_SPAN, PF_LOCAL };

struct pf_class {
	uint8_t life;
	int16_t ipu;   /* of always live ones PF_ALL */
	int32_t scope; /* PF_LOCAL */
	uint32_t from,
		to; /* programs; of the scope [from, to), else from the first step of one to the last of the other */
	uint32_t first, intervals;
	int64_t bytes; /* on all tiles */
};

enum { PF_PARTNERS = 2, PF_UNALLOCATED = -1 };

struct pf_part {
	uint32_t tile, tiles;	      /* absolute: [tile, tile + tiles) */
	uint32_t units;		      /* 0: bytes is fixed */
	uint32_t bytes;		      /* on each tile; where `uneven` the least */
	int32_t class;		      /* PF_UNALLOCATED */
	int32_t scope;		      /* of locals */
	int32_t variable;	      /* unlowered */
	uint32_t name;		      /* number of a string */
	int64_t vertex;		      /* prefix on its first tile; PF_NONE */
	int32_t partner[PF_PARTNERS]; /* never in one memory element with; PF_NONE */
	uint32_t at;		      /* first of its numbers in `position`; UINT32_MAX: not kept */
	int32_t suffix;		      /* PF_NONE: none */
	uint8_t category, alignment, life, step; /* step: of the prefix from tile to tile */
	uint8_t type;				 /* vertex type whose code it is; PF_NO_VERTEX */
	uint16_t bits;
	bool uneven, tail, told, split, each; /* each: a variable of its own on every tile */
};

struct pf_variable {
	uint32_t name, context;
};

struct pf_context {
	uint32_t parent, name;
	uint8_t layer, kind;
	uint32_t a, b; /* shape */
};

enum { PF_POPTORCH, PF_POPART, PF_POPLIBS, PF_POPLAR };
enum { PF_PLAIN, PF_COMPUTE_SET, PF_PROGRAM, PF_VAR };

struct pf_memory {
	uint32_t region[DEMO_REGIONS], region_end[DEMO_REGIONS];
	uint32_t total, end, always, peak, rows, allocated;
};

/* ---- arrays that grow ---- */

#define PF_ARRAY(type, name) \
	type *name;          \
	size_t name##_n, name##_cap

struct pf_interval {
	uint32_t start, end;
};

struct pf_event {
	uint32_t step;
	int32_t class;
	bool begins;
};

/* ---- execution ---- */

enum { PF_PRE, PF_PHASE, PF_CHUNK, PF_POST, PF_SEGMENTS };
enum { PF_RUNS = 2 };
#define PF_IMPLICIT UINT32_MAX

struct pf_run {
	int64_t first, count; /* steps */
	int64_t phases, chunk_steps;
	int64_t wait; /* cycles, for the host */
};

struct pf_model {
	struct ts_demo_options o;
	uint64_t seed;
	int ipus, tiles, layers, convs, detail;
	int64_t all_tiles, steps_wanted, rows_wanted, rows;
	const char *architecture;
	int64_t tile_bytes, interleaved, clock;
	bool nomem, full; /* full: all tables, not only those of the large scale */
	int64_t hot;
	int slow;
	uint32_t pieces;
	/* tiles, of 1,000 of those of a real model, and of operations with much work */
	uint32_t spread, wide;
	int64_t most; /* tiles of an operation that is not on a whole IPU */
	int64_t edges, vertices;

	struct ts_strbuf names;
	PF_ARRAY(struct pf_prog, progs);
	PF_ARRAY(struct pf_set, sets);
	PF_ARRAY(struct pf_exchange, exchanges);
	PF_ARRAY(struct pf_stream, streams);
	PF_ARRAY(struct pf_scope, scopes);
	PF_ARRAY(uint32_t, starts);
	PF_ARRAY(struct pf_group, groups);
	PF_ARRAY(struct pf_class, classes);
	PF_ARRAY(struct pf_interval, intervals);
	PF_ARRAY(struct pf_part, parts);
	PF_ARRAY(struct pf_variable, variables);
	PF_ARRAY(struct pf_context, contexts);
	PF_ARRAY(uint32_t, sections);
	PF_ARRAY(uint32_t, section_contexts);
	PF_ARRAY(uint32_t, functions);
	PF_ARRAY(uint32_t, calls);
	PF_ARRAY(uint32_t, strings); /* vars_string_table: offsets of names */
	PF_ARRAY(uint32_t, live);    /* program of each liveness step */
	PF_ARRAY(uint32_t, live_parent);
	PF_ARRAY(int64_t, totals); /* ipus numbers for each program on all IPUs */
	int32_t *shared;	   /* function by IPU, pass, kind */
	int32_t *control;	   /* part of each IPU's control code that is added to */
	uint32_t regions;	   /* ids of exchange_regions so far */
	uint32_t mids, repeats, syncs, sans, sync_ans;
	int32_t pseudo[PF_CATEGORIES]; /* variables */
	uint32_t anon;
	int32_t program_id; /* first of the parts that the host's number of the program goes to */
	uint32_t step, pre, phase, chunk, post; /* programs: of a training step its parts */
	uint32_t io;				/* block that input for the next phase comes in */

	uint32_t *of_ipu,
		*of_ipu_from; /* parts of each IPU: of_ipu[of_ipu_from[i] .. of_ipu_from[i + 1]) */
	uint32_t *types;      /* by tile: vertex types whose code is there */
	uint32_t *position;   /* of kept parts, on each of their tiles */
	size_t position_n;
	int64_t *first_row;	  /* var id of each tile's first row; all_tiles + 1 */
	struct pf_memory *memory; /* by tile */
	uint32_t *category[PF_CATEGORIES][2 * DEMO_REGIONS]; /* by tile; NULL = all zero */
	struct pf_event **events;			     /* of each IPU, by step */
	size_t *events_n;

	uint32_t *segment
		[PF_SEGMENTS]; /* programs in the order in which they run; PF_IMPLICIT: an implicit sync */
	size_t segment_n[PF_SEGMENTS], segment_cap[PF_SEGMENTS];
	struct pf_run run[PF_RUNS];
	int64_t vectors; /* of the compiler's estimates; 0 is all zero */
};

static inline const char *
pf_name(const struct pf_model *m, uint32_t offset)
{
	return offset ? m->names.s + offset : NULL;
}

static inline bool
pf_on_tile(const struct pf_model *m, const struct pf_part *p, int64_t tile)
{
	return tile >= p->tile && tile < (int64_t)p->tile + p->tiles &&
		(p->type == PF_NO_VERTEX || m->types[tile] >> p->type & 1);
}

/* Numbers of unlowered variables have gaps. */
static inline int64_t
pf_variable_id(int64_t variable)
{
	return variable + variable / 9;
}

/* Bytes on a tile that it is on. */
static inline uint32_t
pf_bytes(const struct pf_part *p, int64_t tile)
{
	uint32_t spread = p->bytes / 16;
	uint32_t h = ((uint32_t)(tile / 4) * 2654435761u ^ p->name * 2246822519u) * 3266489917u;

	return p->uneven ? p->bytes + (((h >> 16) * (spread / 4)) >> 16) * 4 : p->bytes;
}

/* profile_model.c */
enum ts_code pf_model_init(struct pf_model *m, const struct ts_demo_options *o, struct ts_err *err);
void pf_model_fini(struct pf_model *m);
/* Make room for one more; false, and nomem, when there is none. */
bool pf_room(struct pf_model *m, void *array, size_t *cap, size_t n, size_t size);
#define PF_ROOM(m, name) \
	pf_room(m, (void *)&(m)->name, &(m)->name##_cap, (m)->name##_n, sizeof(*(m)->name))

/* profile_tiles.c: sizes, positions, places */
struct pf_row {
	uint32_t part, bytes, offset;
	bool allocated;
};

struct pf_tile {
	struct pf_row *rows;
	uint32_t n;
	uint32_t *order; /* rows as they are placed */
	uint32_t placed;
	int32_t *row_of; /* by part: its row, -1 */
	int64_t *by_class;
	uint32_t *edge, edges; /* where coverage changes, */
	uint32_t *alone;       /* bytes below it that one variable has, */
	uint32_t *shared;      /* and that several have */
};

enum ts_code pf_tiles_init(struct pf_model *m, const struct ts_cancel *cancel, struct ts_err *err);
void pf_tiles_fini(struct pf_model *m);
bool pf_tile_init(struct pf_tile *t, const struct pf_model *m);
void pf_tile_fini(struct pf_tile *t);
void pf_tile_rows(struct pf_tile *t, const struct pf_model *m, int64_t tile); /* rows and order */
void pf_tile_place(struct pf_tile *t, const struct pf_model *m,
	int64_t tile); /* and their offsets */
/* Bytes of [from, to) that variables have alone, or share; each counted once. */
void pf_tile_cover(uint32_t *alone, uint32_t *shared, const struct pf_tile *t, uint32_t from,
	uint32_t to);

/* Cycles of a program's tile (of its IPU); 0: takes no part. The largest is prog->cycles. */
uint32_t pf_cycles(const struct pf_model *m, const struct pf_prog *p, uint32_t tile);

/* The tables. */
void pf_write_target(struct demo_out *out, const struct pf_model *m);
void pf_write_memory(struct demo_out *out, const struct pf_model *m);
void pf_write_variables(struct demo_out *out, const struct pf_model *m);
void pf_write_liveness(struct demo_out *out, const struct pf_model *m);
void pf_write_programs(struct demo_out *out, struct pf_model *m);
void pf_write_execution(struct demo_out *out, struct pf_model *m);
void pf_write(struct demo_out *out, void *model);

enum ts_code pf_debug(const char *path, const void *model, const struct ts_cancel *cancel,
	struct ts_err *err);
enum ts_code pf_archive(const char *path, const void *model, const struct ts_cancel *cancel,
	struct ts_err *err);

/* What runs, in which order, how often. */
enum ts_code pf_plan(struct pf_model *m, struct ts_err *err);

/* A blob into a column, from numbers; the bytes are copied. */
void pf_put(struct demo_out *out, int column, struct ts_strbuf *b, enum ts_blob_kind kind,
	const int64_t *v, size_t n);
/* A vector of n numbers that is `value` on [from, from + count) and 0 elsewhere. */
struct pf_range {
	int64_t from, count, value;
};
/* Of up to four ranges, which may overlap: then values add. */
void pf_put_ranges(struct demo_out *out, int column, struct ts_strbuf *b, int64_t n,
	const struct pf_range *r, size_t ranges);
void pf_put_text(struct demo_out *out, int column, const char *s); /* copied */
/* demo_begin() and demo_begin_many() for a table of the layout. */
void pf_begin(struct demo_out *out, const char *table);
void pf_begin_many(struct demo_out *out, const char *table, int64_t rows);

#endif
