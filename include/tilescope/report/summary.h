/* SPDX-License-Identifier: MIT */
/*
 * summary - the verdict and key figures of a report, as `tilescope summary` prints them.
 *
 * The app reads the same pieces one by one, the quick ones first; here they are read together. What
 * is damaged or absent leaves its figures unknown, adds a note, and ends nothing.
 */
#ifndef TS_REPORT_SUMMARY_H
#define TS_REPORT_SUMMARY_H

#include "tilescope/report/execution.h"
#include "tilescope/report/liveness.h"
#include "tilescope/report/memory.h"
#include "tilescope/report/target.h"

enum { TS_VERSION_MAX = 64 };

/* Facts that stand in one row each. */
struct ts_about {
	char poplar_version[TS_VERSION_MAX]; /* "" = not recorded */
	char package_hash[TS_VERSION_MAX];
	char compute_instrumentation[TS_VERSION_MAX];
	char exchange_instrumentation[TS_VERSION_MAX];
	int measured; /* cycles: 1 = measured, 0 = estimated, -1 = not known */
};

enum ts_code ts_about_read(struct ts_about *a, struct ts_reader *rd,
	struct ts_err *err) TS_WARN_UNUSED;

/* TS_UNKNOWN where not recorded. */
struct ts_graph {
	int64_t compute_sets, programs, variables, edges, vertices;
};

/*
 * `names` as read by ts_step_names_read(): programs and compute sets are counted there; NULL: their rows
 * are counted. What cannot be read to its end is unknown.
 */
enum ts_code ts_graph_read(struct ts_graph *g, struct ts_reader *rd,
	const struct ts_step_names *names, struct ts_err *err) TS_WARN_UNUSED;

/* Rows of a relation with a valid number in `column`; TS_UNKNOWN when it is absent. */
enum ts_code ts_count_rows(int64_t *count, struct ts_reader *rd, enum ts_relation relation,
	int column, struct ts_err *err) TS_WARN_UNUSED;

/* Runs, without the rows that lack a number: *bad_rows. TS_UNKNOWN when there is no such relation. */
enum ts_code ts_count_runs(int64_t *count, int64_t *bad_rows, struct ts_reader *rd,
	struct ts_err *err) TS_WARN_UNUSED;

/* Sum of tile_memory.always_live, else of tile_always_live; TS_UNKNOWN when neither is there.
 * *bad_rows were left out of the second. */
enum ts_code ts_always_live_read(int64_t *bytes, int64_t *bad_rows, const struct ts_tiles *tiles,
	struct ts_reader *rd, struct ts_err *err) TS_WARN_UNUSED;

struct ts_proportions;

struct ts_summary {
	struct ts_about about;
	struct ts_target target;
	bool has_tiles; /* tile_memory is there */
	struct ts_tiles tiles;
	bool has_categories;
	struct ts_categories categories;
	int64_t always_live; /* bytes, or TS_UNKNOWN */
	struct ts_peak peak;
	struct ts_graph graph;
	int64_t runs, steps; /* or TS_UNKNOWN */
	bool has_execution;
	struct ts_execution execution;
	struct ts_proportions
		*times; /* exclusive time, of TS_TRACE_LANES IPUs at most; NULL: not known */
	enum ts_part_state archive; /* what became of archive.a when it was read */
	bool damaged;		    /* so is a relation */
	struct ts_notes notes;	    /* the report's and those of the figures */
};

/*
 * Read everything, archive.a too where it is there. Errors: TS_E_CANCELLED, TS_E_NOMEM; all else becomes notes (notes.partial when
 * something that is there could not be read). Free with ts_summary_fini() in every case.
 */
enum ts_code ts_summary_read(struct ts_summary *s, struct ts_reader *rd,
	struct ts_progress *progress, struct ts_err *err) TS_WARN_UNUSED;
void ts_summary_fini(struct ts_summary *s);

/* Is there a sound row of each tile that the recorded target has? */
bool ts_summary_all_tiles(const struct ts_tiles *tiles, const struct ts_target *target);

/* true = fits, false = does not, by *known: a tile is too full, or the limit and all tiles are known. */
bool ts_summary_fits(const struct ts_tiles *tiles, const struct ts_target *target, bool *known);

/* The same in words. */
const char *ts_summary_verdict(const struct ts_tiles *tiles, const struct ts_target *target);

/* What is missing of tile_memory, or comes twice; notes->partial where tiles are not known. */
void ts_summary_tile_notes(struct ts_notes *notes, const struct ts_tiles *tiles,
	const struct ts_target *target);

#endif
