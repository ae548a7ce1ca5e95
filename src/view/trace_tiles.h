/* SPDX-License-Identifier: MIT */
/*
 * trace_tiles - what the tiles take in a step: how many of them in each band of cycles, the slowest ones, and what their
 * compute set runs. The tab Details draws it below what the IPUs did.
 *
 * Cycles are those of the step's program (exchanges), else of its compute set: one measured execution, else the compiler's
 * estimate. Tiles of all IPUs count; those that have none are idle.
 */
#ifndef TS_VIEW_TRACE_TILES_H
#define TS_VIEW_TRACE_TILES_H

#include "trace_internal.h"

#include "tilescope/report/program_details.h"

enum { TRACE_BANDS = 20, TRACE_SLOWEST = 8 };

struct trace_tiles {
	bool known; /* cycles by tile are recorded */
	enum ts_cycles_kind kind;
	const char *from;	      /* "compute_set.cycles_by_tile" */
	int64_t program, compute_set; /* TS_UNKNOWN: none */
	int64_t active;		      /* tiles with some */
	int64_t idle; /* of the IPUs that have such tiles; TS_UNKNOWN when it is not known which are theirs */
	int64_t most, sum;
	int64_t band
		[TRACE_BANDS]; /* tiles with most * i / BANDS < cycles <= most * (i + 1) / BANDS */
	int slow;	       /* of the slowest, how many are listed */
	int64_t tile[TRACE_SLOWEST], cycles[TRACE_SLOWEST];
	bool has_vertices;
	int64_t kinds, instances;
	char vertex[160]; /* the kind with the most instances, "" = none or without a name */
	int64_t vertex_instances;
};

/* In a worker. TS_OK too where nothing is recorded. */
enum ts_code trace_tiles_read(struct trace_tiles *out, struct ts_reader *rd, int64_t program,
	int64_t compute_set, struct ts_err *err) TS_WARN_UNUSED;

/* Rows that it takes of `room`. */
int trace_tiles_rows(const struct trace_tiles *x, int room);

/* Into r, as much as there is room for. */
void trace_tiles_draw(const struct trace_tiles *x, const struct trace_view *t, struct ts_canvas *c,
	struct ts_rect r);
void trace_tiles_explain(const struct trace_tiles *x, struct ts_explain *out);

#endif
