/* SPDX-License-Identifier: MIT */
/*
 * live_steps - which steps of a timeline are meant: by what the program is called that runs there, its type, the number
 * of the step and its bytes.
 *
 * A program is called as on the screen: its type, a blank, its name; without a name that of its compute set.
 */
#ifndef TS_REPORT_LIVE_STEPS_H
#define TS_REPORT_LIVE_STEPS_H

#include "tilescope/base/filter.h"
#include "tilescope/base/progress.h"
#include "tilescope/report/liveness.h"

enum ts_live_step_field {
	TS_LIVE_STEP_NAME, /* type and name */
	TS_LIVE_STEP_TYPE,
	TS_LIVE_STEP_STEP,
	TS_LIVE_STEP_BYTES, /* not always live, as the timeline has them */
	TS_LIVE_STEP_PROGRAM,
	TS_LIVE_STEP_FIELDS
};
extern const struct ts_filter_field ts_live_step_fields[TS_LIVE_STEP_FIELDS + 1];

enum { TS_LIVE_NAMES = 16 << 20 }; /* bytes of names that are looked at; points beyond have none */

/* The points of a timeline alone, to be looked at by a worker. Free with ts_liveness_fini(). False: no memory. */
bool ts_live_points_copy(struct ts_liveness *to, const struct ts_liveness *l);

struct ts_live_hits {
	size_t points;
	unsigned char *hit; /* of each point: 1 = it is meant */
	int64_t hits;
	int64_t nameless; /* points of which no name is known, where names are asked for */
	bool absent;	  /* names are asked for, and no point has one: they are not recorded */
	bool partial;	  /* names are asked for, and not all of them could be read */
};

/*
 * Which points are meant: those whose program's name contains `needle` (letters of either case), or, where it is NULL,
 * those that pass the filter. Of a point that is a group of steps the highest one is looked at. Errors: those
 * of ts_filter_use_init() and ts_filter_use_check(), TS_E_NOMEM, TS_E_CANCELLED; what of the names cannot
 * be read counts as not known: `partial`. Free with ts_live_hits_fini() in every case.
 */
enum ts_code ts_live_hits_find(struct ts_live_hits *h, struct ts_reader *rd,
	const struct ts_liveness *points, const char *needle, const struct ts_filter *filter,
	struct ts_progress *progress, struct ts_err *err) TS_WARN_UNUSED;
void ts_live_hits_fini(struct ts_live_hits *h);

/*
 * A timeline of those points alone, with peaks of its own, empty without a hit; what is known of the device is that of
 * `points`. Errors: TS_E_NOMEM. Free with ts_liveness_fini() in every case.
 */
enum ts_code ts_live_hits_keep(struct ts_liveness *out, const struct ts_liveness *points,
	const struct ts_live_hits *h, struct ts_err *err) TS_WARN_UNUSED;

#endif
