/* SPDX-License-Identifier: MIT */
/*
 * program_details - what a program runs: the vertices of its compute set, its cycles and its code by tile.
 *
 * Cycles are those of the program (exchanges), else of its compute set: measured ones belong to the last execution,
 * estimates are the compiler's model. Both are shown where both are recorded, never one as the other.
 */
#ifndef TS_REPORT_PROGRAM_DETAILS_H
#define TS_REPORT_PROGRAM_DETAILS_H

#include "tilescope/base/strbuf.h"
#include "tilescope/report/report.h"

/* Vertex types that are listed at most: more than any program was seen to have, and what a table puts in order by itself. */
enum { TS_VERTEX_ROWS = 1 << 14 };

/* Figures by tile come in twos: measured and estimated cycles; code of its exchange and of its control. */
enum ts_cycles_kind { TS_CYCLES_MEASURED, TS_CYCLES_ESTIMATED, TS_CYCLES_KINDS };
enum { TS_CODE_EXCHANGE, TS_CODE_CONTROL, TS_CODE_KINDS };
_Static_assert((int)TS_CODE_KINDS == (int)TS_CYCLES_KINDS, "both are listed by the same functions");

struct ts_vertex_row {
	int64_t vertex_type;
	int64_t instances;   /* on all tiles */
	int64_t tiles;	     /* that have some; TS_UNKNOWN: count_by_tile is not recorded */
	int64_t state_bytes; /* of one instance; TS_UNKNOWN */
	uint32_t at, length; /* mangled name in `text`; length 0 = not known */
	uint32_t said_at, said_length; /* the same as people write it (base/vertex_name.h) */
};

/* Of one kind, cycles or bytes; tiles 0 = not recorded. Tiles that are not in it have none. */
struct ts_tile_cycles {
	bool known;	  /* recorded */
	const char *from; /* "program.cycles_by_tile": constant text */
	size_t tiles;
	int64_t *cycles;		 /* by tile */
	int64_t sum, active, most, tile; /* active: tiles above 0; tile: the first with `most` */
};

struct ts_cycle_row {
	int64_t tile;
	int64_t cycles[TS_CYCLES_KINDS]; /* TS_UNKNOWN */
};

/* Tiles that have some of either kind, the most first (of the first kind that is known). */
struct ts_cycle_rows {
	int count;
	struct ts_cycle_row *row;
	int64_t active; /* all of them */
};

struct ts_program_details {
	int64_t program, compute_set; /* TS_UNKNOWN: none */
	struct ts_strbuf text;
	uint32_t type_at, type_length, name_at, name_length, set_at,
		set_length; /* in `text`; 0 = not known */
	bool has_vertices;  /* compute_set_vertex is recorded, and there is a compute set */
	int64_t kinds;	    /* of vertices, in all */
	int64_t instances;  /* of all of them, at most TS_NUMBER_MAX */
	int vertices;	    /* most instances first */
	struct ts_vertex_row *vertex;
	struct ts_tile_cycles cycles[TS_CYCLES_KINDS], code[TS_CODE_KINDS];
	struct ts_cycle_rows rows, code_rows;
};

/*
 * Read them. What is absent or damaged stays unknown. Free with ts_program_details_fini() in every case. Errors:
 * TS_E_NOMEM, TS_E_CANCELLED.
 */
enum ts_code ts_program_details_read(struct ts_program_details *d, struct ts_reader *rd,
	int64_t program, struct ts_err *err) TS_WARN_UNUSED;

/*
 * The same of a step, which may say its compute set, its program, or both (else TS_UNKNOWN). Its compute set goes before
 * the program's.
 */
enum ts_code ts_step_details_read(struct ts_program_details *d, struct ts_reader *rd,
	int64_t program, int64_t compute_set, struct ts_err *err) TS_WARN_UNUSED;
void ts_program_details_fini(struct ts_program_details *d);

#endif
