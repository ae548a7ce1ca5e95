/* SPDX-License-Identifier: MIT */
/*
 * index_build - build what is missing of a report's index, one pass over each large relation.
 *
 * This file says what has to be done and does it; who calls it decides when and in which threads. A
 * build has stages, one after the other; the parts of a stage may run at the same time, each in a
 * thread with a reader of its own; when all have ended the stage is finished: its sections are on disk.
 * Ending at any moment loses the stage under way and nothing else.
 */
#ifndef TS_REPORT_INDEX_BUILD_H
#define TS_REPORT_INDEX_BUILD_H

#include "tilescope/base/progress.h"
#include "tilescope/report/index.h"
#include "tilescope/report/rows.h"

struct ts_build;

/*
 * Plan the sections of `wanted` (bits) that `have` lacks, as far as the report holds what they are made of and
 * its rows can be split (`parts`: at most so many at once, 1 .. 16). Takes the lock; *busy true (and
 * *out NULL) when another program builds: look again later. No stages: all is there. The report and the
 * cache must outlive it. Errors: TS_E_SYS (no lock can be had), TS_E_NOMEM.
 */
enum ts_code ts_build_new(struct ts_build **out, bool *busy, struct ts_report *r,
	const struct ts_cache *cache, struct ts_index *have, uint64_t wanted, int parts,
	struct ts_err *err) TS_WARN_UNUSED;
void ts_build_free(struct ts_build *b); /* NULL allowed; not while a part runs */

/* What is there now: `have`, what another program built meanwhile, what was finished. Not held. */
struct ts_index *ts_build_index(const struct ts_build *b);

int ts_build_stages(const struct ts_build *b);
const char *ts_build_what(const struct ts_build *b, int stage); /* "steps", "lowered variables" */
int ts_build_parts(const struct ts_build *b, int stage);
uint64_t ts_build_sections(const struct ts_build *b, int stage); /* bits of what it makes */
int64_t ts_build_rows(const struct ts_build *b, int stage);	 /* about; 0 = not known */

/* Begin a stage: after the one before is finished or dropped, before its parts. TS_E_SYS: it cannot be written. */
enum ts_code ts_build_begin(struct ts_build *b, int stage, struct ts_err *err) TS_WARN_UNUSED;

/* One part. progress: rows of this part. TS_E_DAMAGED: the stage cannot be finished, go on with the next. */
enum ts_code ts_build_part(struct ts_build *b, int stage, int part, struct ts_reader *rd,
	struct ts_progress *progress, struct ts_err *err) TS_WARN_UNUSED;

/*
 * All parts came out well: merge them, write, commit. *out is a snapshot with the new sections. Errors:
 * TS_E_STALE: the report has changed; TS_E_SYS: it cannot be written (the disk is full). The stage is
 * dropped then.
 */
enum ts_code ts_build_finish(struct ts_index **out, struct ts_build *b, int stage,
	struct ts_reader *rd, struct ts_progress *progress, struct ts_err *err) TS_WARN_UNUSED;

/* A part failed or was cancelled: drop what the stage has (all its parts have ended). */
void ts_build_drop(struct ts_build *b, int stage);

/* --- what a stage is: for those who add one ----------------------------------------------------- */

enum { TS_PASS_SECTIONS = 2, TS_PASS_PARTS = 16 };

struct ts_pass_run {
	struct ts_report *report;
	const struct ts_cache *cache;
	struct ts_index *index; /* the sections that are finished */
	struct ts_section_writer *writer[TS_PASS_SECTIONS];
	void *state; /* of the whole stage, `state_size` zeroed bytes */
};

struct ts_pass_part {
	struct ts_pass_run *run;
	int number;
	enum ts_range
		range;	  /* TS_RANGE_ROWID, or TS_RANGE_ALL when rows have no row ids (one part) */
	int64_t from, to; /* row ids, half-open; parts are in the order of their row ids */
	void *state;	  /* `part_size` zeroed bytes */
};

/*
 * One pass over one relation, for up to two sections. begin, finish and fini run alone, part in any
 * thread; part_fini and fini run in every case, also where begin failed. finish appends to the writers, and
 * whoever called it commits them. The passes are listed in index_build.c.
 */
struct ts_pass {
	const char *what;
	enum ts_relation relation;
	enum ts_section section[TS_PASS_SECTIONS]; /* TS_SECTION_COUNT = no second one */
	bool (*can)(const struct ts_report *r);	   /* does the report hold what it is made of */
	size_t state_size, part_size;
	enum ts_code (*begin)(struct ts_pass_run *run, struct ts_err *err); /* or NULL */
	enum ts_code (*part)(struct ts_pass_part *p, struct ts_reader *rd,
		struct ts_progress *progress, struct ts_err *err);
	enum ts_code (*finish)(struct ts_pass_run *run, struct ts_pass_part *parts, int count,
		struct ts_reader *rd, struct ts_progress *progress, struct ts_err *err);
	void (*part_fini)(struct ts_pass_part *p); /* or NULL */
	void (*fini)(struct ts_pass_run *run);	   /* or NULL */
	bool whole; /* in one part, of all rows: what comes of a row depends on those before it */
};

/* index_categories.c, index_variables.c, ...: whoever adds one puts it into the table of index_build.c */
extern const struct ts_pass ts_pass_categories, ts_pass_variables, ts_pass_variables_and_categories,
	ts_pass_liveness, ts_pass_lives, ts_pass_steps, ts_pass_lanes, ts_pass_contexts,
	ts_pass_tile_lives, ts_pass_pieces, ts_pass_ipu_lives, ts_pass_ipu_steps, ts_pass_runs,
	ts_pass_columns, ts_pass_tile_rows, ts_pass_name_tiles, ts_pass_names;

/* As ts_build_new(), with passes of one's own (a list that NULL ends): for tests of a pass. */
enum ts_code ts_build_new_with(struct ts_build **out, bool *busy, struct ts_report *r,
	const struct ts_cache *cache, struct ts_index *have, uint64_t wanted, int parts,
	const struct ts_pass *const *passes, struct ts_err *err) TS_WARN_UNUSED;

#endif
