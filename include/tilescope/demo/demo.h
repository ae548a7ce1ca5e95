/* SPDX-License-Identifier: MIT */
/*
 * demo - write a report that looks like the field's, without an IPU.
 *
 * One training step of a transformer, a pipeline over the IPUs, profiled twice. Everything follows
 * from the options: the same options give the same bytes. Two layouts describe the same model:
 * `store` has every relation (src/schemas/store.sql), `sdk` the tables of a profile.pop that are
 * known to the public, and of the columns that are not only those without which nothing joins.
 * `profile` is the layout of a real profile.pop (profile/tables.h), with a model of its own.
 */
#ifndef TS_DEMO_DEMO_H
#define TS_DEMO_DEMO_H

#include <stdbool.h>
#include <stdint.h>

#include "tilescope/base/cancel.h"
#include "tilescope/base/err.h"
#include "tilescope/base/progress.h"

enum ts_demo_scale { TS_DEMO_SMALL, TS_DEMO_BERT, TS_DEMO_HUGE, TS_DEMO_SCALE_COUNT };
enum ts_demo_layout { TS_DEMO_STORE, TS_DEMO_SDK, TS_DEMO_PROFILE };

enum {
	TS_DEMO_IPUS_MAX = 256,
	TS_DEMO_TILES_MAX = 1 << 20, /* over all IPUs */
};

#define TS_DEMO_ROWS_MAX INT64_C(1000000000000)

/* Zero everywhere is the small report with its default figures. */
struct ts_demo_options {
	enum ts_demo_scale scale;
	enum ts_demo_layout layout;
	int ipus;      /* 0 = the scale's; 1..TS_DEMO_IPUS_MAX */
	int tiles;     /* of one IPU; 0 = the scale's; ipus x tiles at most TS_DEMO_TILES_MAX;
			       1,216 = a Mk1, else a Mk2 */
	int64_t steps; /* execution steps over both runs; 0 = the scale's; negative = none */
	/*
	 * Lowered variables; 0 = the scale's. Every tile has at least one, and at most one for 20
	 * bytes of its memory: a number outside is moved there.
	 */
	int64_t variables;
	uint64_t seed;
	bool oom;     /* a program that does not fit: no execution part */
	bool keys;    /* layout sdk: primary keys and indexes */
	bool debug;   /* a debug.cbor beside it */
	bool archive; /* an archive.a beside it (to 100,000 tiles: about 1 KB each) */
	/*
	 * Layout sdk: names of the columns that were never seen, "KEY=NAME,...", NULL = defaults.
	 * Keys: ipu (steps_by_ipu), tile (memory_by_tile), name (vars_info), string_key and string
	 * (vars_string_table), context (programs, compute_sets, vars_info). An empty NAME leaves the column out.
	 */
	const char *sdk_names;
};

/* Default figures of a scale, for help texts. */
struct ts_demo_figures {
	const char *name; /* "small" */
	int ipus;
	int tiles; /* of one IPU */
	int64_t steps;
	int64_t variables; /* lowered; tiles x 4 when that is more */
	const char *about; /* size and time */
};

extern const struct ts_demo_figures ts_demo_figures[TS_DEMO_SCALE_COUNT];

/* "small", "bert", "huge"; "store", "sdk", "profile". TS_E_USAGE otherwise, with the choices in the message. */
enum ts_code ts_demo_parse_scale(enum ts_demo_scale *out, const char *word,
	struct ts_err *err) TS_WARN_UNUSED;
enum ts_code ts_demo_parse_layout(enum ts_demo_layout *out, const char *word,
	struct ts_err *err) TS_WARN_UNUSED;

/* Name of the file within its directory: "report.tilescope" or "profile.pop". */
const char *ts_demo_file(enum ts_demo_layout layout);

/*
 * Write the report into `dir` (made when it is not there, its parent must be). *path is the file,
 * the caller's to free(). It appears under its name when it is complete, in the place of one that
 * was there; a failure or a cancel leaves neither it nor a temporary file. Progress counts rows.
 * Bounded memory: tens of megabytes at any scale.
 *
 * Errors: TS_E_USAGE (an option out of range), TS_E_SYS, TS_E_NOMEM, TS_E_CANCELLED.
 */
enum ts_code ts_demo_write(char **path, const char *dir, const struct ts_demo_options *options,
	struct ts_progress *progress, const struct ts_cancel *cancel,
	struct ts_err *err) TS_WARN_UNUSED;

#endif
