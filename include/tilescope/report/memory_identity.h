/* SPDX-License-Identifier: MIT */
/*
 * memory_identity - what has to hold of the memory of tiles, and does it? (MODEL.md, Memory and Report and target.)
 *
 *   the target's IPUs have as many tiles as the report has rows; IPU i owns tiles [i * n, (i + 1) * n)
 *   bytes including gaps are not less than without
 *   non_interleaved + interleaved + overflowed = total
 *   the categories of a tile add up to its total, where nothing overlaps
 *   not_always_live_peak is the most of the bytes that lowered variables and intervals say at a step (tile_live.h)
 *
 * Each is looked at where the report has what it takes, for each tile that has it; what is not recorded breaks
 * nothing. What is broken is told with the number of tiles, and the first of them with its figures.
 */
#ifndef TS_REPORT_MEMORY_IDENTITY_H
#define TS_REPORT_MEMORY_IDENTITY_H

#include "tilescope/report/target.h"

enum ts_identity_kind {
	TS_IDENTITY_TILES, /* of the target: checked and broken are 0 or 1 */
	TS_IDENTITY_IPU,
	TS_IDENTITY_GAPS,
	TS_IDENTITY_REGIONS,
	TS_IDENTITY_CATEGORIES,
	TS_IDENTITY_PEAK, /* where the index has it; for views also of at most TS_IDENTITY_ROWS lowered variables */
	TS_IDENTITY_COUNT
};

enum { TS_IDENTITY_ROWS = 1 << 20 };

struct ts_identity_check {
	int64_t checked, broken; /* tiles */
	int64_t tile;		 /* the first that breaks it, by its number */
	int64_t found, wanted;	 /* of that one */
};

struct ts_memory_identities {
	struct ts_identity_check check[TS_IDENTITY_COUNT];
};

/*
 * Check all of them. `tiles` and `target` are the report's; rows that they leave out are left out here. Damage ends nothing:
 * what cannot be read to its end is not checked. Errors: TS_E_CANCELLED, TS_E_NOMEM, TS_E_SYS.
 */
enum ts_code ts_memory_identities_read(struct ts_memory_identities *m, struct ts_reader *rd,
	const struct ts_tiles *tiles, const struct ts_target *target, struct ts_progress *progress,
	struct ts_err *err) TS_WARN_UNUSED;

/* The same, with what it takes read here: for views. */
enum ts_code ts_memory_identities_look(struct ts_memory_identities *m, struct ts_reader *rd,
	struct ts_progress *progress, struct ts_err *err) TS_WARN_UNUSED;

/* A sentence for each that is broken. Returns how many. */
int ts_memory_identities_note(struct ts_notes *notes, const struct ts_memory_identities *m);

#endif
