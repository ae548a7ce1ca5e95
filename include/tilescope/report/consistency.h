/* SPDX-License-Identifier: MIT */
/*
 * consistency - do the parts of a report belong to the same run?
 *
 * Files that a run does not write anew stay behind from an older one, and no file names the run that it
 * is of. What can be told is told with its figures, as a warning: numbers that differ, and ids that lead nowhere.
 * What is not recorded is no sign of anything.
 */
#ifndef TS_REPORT_CONSISTENCY_H
#define TS_REPORT_CONSISTENCY_H

#include "tilescope/report/memory.h"

enum {
	TS_CONSISTENCY_SAMPLE = 256,   /* rows of each relation that are looked at */
	TS_CONSISTENCY_KEYS = 1 << 22, /* programs, compute sets: of more nothing is said */
};

/* Parts that are much older or newer than the profile. */
void ts_consistency_ages(struct ts_notes *notes, const struct ts_report *r);

/* vars.json and the profile name their tiles. TS_UNKNOWN on either side: nothing is said. */
void ts_consistency_vars(struct ts_notes *notes, int64_t vars_tiles, int64_t tiles);

/*
 * Programs and compute sets that steps name, and are not there; debug contexts that programs, compute sets and
 * variables name, and debug.cbor does not have: of a sample spread over the rows. `all`: also where both are in the same file. debug.cbor is read whole where the
 * reader's index does not know it (progress: bytes). Damage is no matter of this: those rows are passed over. Errors:
 * TS_E_CANCELLED, TS_E_NOMEM, TS_E_SYS.
 */
enum ts_code ts_consistency_ids(struct ts_notes *notes, struct ts_reader *rd, bool all,
	struct ts_progress *progress, struct ts_err *err) TS_WARN_UNUSED;

#endif
