/* SPDX-License-Identifier: MIT */
/*
 * always - what is always live, by name: on the device, an IPU, a tile or a set of tiles.
 *
 * From `variable` (the device alone), else from tile_always_live, rows of one name added up. Always-live
 * variables include pseudo-variables that are called after categories of code and state.
 */
#ifndef TS_REPORT_ALWAYS_H
#define TS_REPORT_ALWAYS_H

#include <stdatomic.h>

#include "tilescope/base/progress.h"
#include "tilescope/report/groups.h"
#include "tilescope/report/index_names.h"
#include "tilescope/report/live_source.h"

enum { TS_ALWAYS_MAX = 1 << 15 };

struct ts_always_row {
	int64_t variable; /* TS_UNKNOWN where it comes from tile_always_live */
	int64_t bytes;
	int64_t tiles;	    /* that have it; TS_UNKNOWN, as where rows do not stand by tile */
	int64_t cumulative; /* bytes of this and the rows above */
	int group;	    /* -1 = not known */
	uint32_t at,
		length; /* its name in `text`, or `at` its number in `names`; length 0 = not known */
};

/* Read-only once it is read. */
struct ts_always {
	bool by_tile;  /* from tile_always_live; else from `variable` */
	int64_t count; /* names, or variables */
	int64_t bytes; /* of all of them, at most TS_NUMBER_MAX */
	int64_t bad_rows;
	int rows; /* the largest, at most TS_ALWAYS_MAX */
	struct ts_always_row *row;
	struct ts_strbuf text;		/* names, each with a NUL behind it; raw */
	struct ts_variable_names names; /* instead, where they come from the index */
	struct ts_index *index;		/* held for it, or NULL */
	struct ts_live_total group[TS_GROUPS_MAX];
};

/* Does the index have the list? No row is read for it then. */
bool ts_always_quick(const struct ts_report *r, const struct ts_index *x,
	const struct ts_live_source *source);

/*
 * Of a source. `tiles` knows the IPUs (may be NULL: then report/tile_ipus.h is asked). `groups` may be NULL,
 * and `cache`: where groups may have been kept (index_labels.h).
 * *out is set with TS_OK and TS_E_DAMAGED. Errors: TS_E_ABSENT, those of ts_rows_next().
 */
enum ts_code ts_always_read(struct ts_always **out, struct ts_reader *rd,
	const struct ts_live_source *source, const struct ts_tile_lives *tiles,
	struct ts_groups *groups, const struct ts_cache *cache, struct ts_progress *progress,
	struct ts_err *err) TS_WARN_UNUSED;
void ts_always_close(struct ts_always *a); /* NULL allowed */

/* Name of a row (NUL-terminated), or "". */
const char *ts_always_name(const struct ts_always *a, int row);

#endif
