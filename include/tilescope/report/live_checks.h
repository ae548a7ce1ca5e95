/* SPDX-License-Identifier: MIT */
/*
 * live_checks - do the figures of liveness agree with each other (MODEL.md)?
 *
 * A report may say a thing twice: bytes by step and bytes by step and IPU, a timeline and the lives it comes from, a
 * tile's peak and the classes on the tile. Where it does, both should say the same; where they do not, people are told.
 */
#ifndef TS_REPORT_LIVE_CHECKS_H
#define TS_REPORT_LIVE_CHECKS_H

#include "tilescope/report/live_source.h"

enum ts_live_check {
	TS_CHECK_IPUS,	/* the IPUs of liveness_step_ipu add up to liveness_step */
	TS_CHECK_LIVES, /* the variables that are alive at a step add up to it */
	TS_CHECK_PEAK, /* tile_memory.not_always_live_peak is the highest of what is derived for the tile */
	TS_CHECK_ALWAYS, /* always-live variables add up to what the tiles always need */
	TS_LIVE_CHECKS
};

struct ts_live_differ {
	bool looked;   /* both sides are recorded and were read */
	int64_t steps; /* at which they differ; of those without steps 0 or 1 */
	int64_t step;  /* the first of them; TS_UNKNOWN: it has no steps */
	int64_t one, other;
};

struct ts_live_checks {
	struct ts_live_differ differ[TS_LIVE_CHECKS];
	int broken; /* of these */
};

/*
 * Look at what the source has: `line` and `lives` (may be NULL) are its. Bytes of one replica. Errors:
 * TS_E_CANCELLED, TS_E_NOMEM; damage leaves a check unlooked.
 */
enum ts_code ts_live_checks_read(struct ts_live_checks *c, struct ts_reader *rd,
	const struct ts_live_source *source, const struct ts_source_line *line,
	const struct ts_lives *lives, struct ts_progress *progress,
	struct ts_err *err) TS_WARN_UNUSED;

/* A sentence about one that is broken, with its numbers in bytes. */
void ts_live_check_say(struct ts_strbuf *out, const struct ts_live_checks *c,
	enum ts_live_check check);

#endif
