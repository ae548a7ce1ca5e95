/* SPDX-License-Identifier: MIT */
/*
 * recent - the reports that were opened last, and what was known of them: the history of an optimisation.
 *
 * A text file, a line for each report. It is written to a temporary name (mode 0600) and renamed, read and written
 * anew under a lock, so that two programs do not lose each other's reports. Whoever can write to it can put
 * anything into it: what is not a line of ours is passed over, nothing in it is believed beyond its being shown.
 */
#ifndef TS_REPORT_RECENT_H
#define TS_REPORT_RECENT_H

#include <stdbool.h>

#include "tilescope/base/cancel.h"
#include "tilescope/base/err.h"
#include "tilescope/report/figures.h"

enum { TS_RECENT_MAX = 100, TS_RECENT_PATH = 4096, TS_RECENT_BYTES = 2 << 20 };

enum ts_recent_state { TS_RECENT_UNKNOWN, TS_RECENT_SAME, TS_RECENT_CHANGED, TS_RECENT_GONE };

struct ts_recent {
	char *path;			/* absolute, without links; of another host HOST:PATH */
	int64_t opened;			/* seconds since 1970 */
	int64_t bytes, mtime, mtime_ns; /* of its profile then */
	struct ts_figures figures;	/* as far as they were known */
	enum ts_recent_state state;	/* set by ts_recents_look() */
};

/* The last opened first. */
struct ts_recents {
	int count;
	struct ts_recent item[TS_RECENT_MAX];
};

/*
 * Read the file; none is an empty list. Errors: TS_E_SYS, TS_E_FORMAT (not a plain file), TS_E_LIMIT (larger than
 * TS_RECENT_BYTES), TS_E_NOMEM. Fini in every case.
 */
enum ts_code ts_recents_read(struct ts_recents *r, const char *file,
	struct ts_err *err) TS_WARN_UNUSED;
void ts_recents_fini(struct ts_recents *r);

/*
 * What has become of them: looks at every file of this machine, of hosts nothing is known. A token that is set ends it, the
 * rest is unknown.
 */
void ts_recents_look(struct ts_recents *r, const struct ts_cancel *cancel);

/*
 * Put one in (its path is made absolute and free of links); its directory must be there. An older line of the
 * same path goes; what it knew is kept when the bytes are the same and nothing is known now. A file that cannot be
 * read as ours is begun anew. Errors: TS_E_SYS, TS_E_NOMEM, TS_E_LIMIT: the path is too long.
 */
enum ts_code ts_recents_add(const char *file, const struct ts_recent *one,
	struct ts_err *err) TS_WARN_UNUSED;

#endif
