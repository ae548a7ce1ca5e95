/* SPDX-License-Identifier: MIT */
/*
 * import - what libpva can say about a profile, written into a store.
 *
 * libpva comes with the Poplar SDK and is the one documented way to everything in a profile. A script of
 * ours (src/bridge/libpva.py) is run with the SDK's Python; it walks the documented objects and writes the
 * relations that are asked for, streaming, in bounded memory. What it cannot have is left out and listed in
 * the store. The store appears under its name when it is complete.
 */
#ifndef TS_REPORT_IMPORT_H
#define TS_REPORT_IMPORT_H

#include "tilescope/base/progress.h"
#include "tilescope/report/report.h"

enum { TS_IMPORT_MADE_OF = 48 };

struct ts_import_options {
	const char *python; /* NULL: python3, looked for in PATH */
	bool complete;	    /* every relation; else those that the report lacks */
};

/* What it came to. */
struct ts_import_outcome {
	int64_t rows;
	struct ts_notes skipped; /* properties that could not be had, a sentence each */
};

/*
 * Write the store `path`, in the place of one that was there. `rd` reads the profile. Progress
 * counts rows. Errors: TS_E_ABSENT: nothing is lacking, or there is no Python with libpva (the message
 * says what to do), TS_E_FORMAT: libpva cannot open it, TS_E_SYS, TS_E_NOMEM, TS_E_CANCELLED. After an
 * error there is no new store, and no temporary file. Give the outcome to ts_import_outcome_fini() in every
 * case.
 */
enum ts_code ts_import(struct ts_import_outcome *outcome, const char *path, struct ts_reader *rd,
	const struct ts_import_options *options, struct ts_progress *progress,
	const struct ts_cancel *cancel, struct ts_err *err) TS_WARN_UNUSED;
void ts_import_outcome_fini(struct ts_import_outcome *outcome);

/*
 * Is there a Python that can import libpva? Finds out by doing it, in a child, in at most a minute. Errors:
 * TS_E_ABSENT (the message says what to do), TS_E_SYS, TS_E_NOMEM, TS_E_CANCELLED.
 */
enum ts_code ts_import_probe(const char *python, const struct ts_cancel *cancel,
	struct ts_err *err) TS_WARN_UNUSED;

/*
 * How many relations the report lacks that libpva documents; their names into out[0..max), those first that
 * matter most.
 */
int ts_import_lacks(const struct ts_report *r, const char *out[], int max);

/*
 * Where a report's store is kept that nobody gave a name: below the cache directory `dir`, by the profile's
 * real path and by which bytes it is, so that a store of other bytes is not found; the caller's to free(). NULL
 * without memory.
 */
char *ts_import_store_path(const char *dir, const struct ts_report *r);

/* Which bytes a profile is, as a store says of which it was made (`made_of` of its relation `report`). */
void ts_import_made_of(char made_of[TS_IMPORT_MADE_OF], const struct ts_identity *id);

/*
 * Remove the stores of other bytes that once lay at the same path, from where `path` (as above) is, and what
 * was begun and not gone on with for a day; and write down that it was made of the file `real`.
 */
void ts_import_tidy(const char *path, const char *real);

#endif
