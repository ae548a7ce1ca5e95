/* SPDX-License-Identifier: MIT */
/* watched - the files that a report is made of, or would be: what tells that it has changed. */
#ifndef TS_REPORT_WATCHED_H
#define TS_REPORT_WATCHED_H

#include "tilescope/base/strbuf.h"
#include "tilescope/io/files.h"
#include "tilescope/report/report.h"

enum { TS_WATCHED_FILES = 16 };

/* The first is the profile (store, archive) itself; -wal and -journal of it are watched, not named. */
struct ts_watched {
	int count;
	char *path[TS_WATCHED_FILES]; /* need not be there */
	struct ts_file_state state[TS_WATCHED_FILES];
	bool closed[TS_WATCHED_FILES]; /* we may not look at it: whether it is there is not known */
	bool other;		       /* the report's path means another file now */
	bool profile;  /* the profile is another one than was opened (ts_report_changed()) */
	bool complete; /* what the path means now looks as if nobody were writing it */
};

/* List them. Without memory some are missing. Fini in every case. */
void ts_watched_list(struct ts_watched *w, const struct ts_report *r);

/*
 * Look at all of them, and whether the profile is complete. Reads a few hundred bytes. Errors: TS_E_CONNECT,
 * TS_E_CANCELLED, TS_E_NOMEM: then nothing is known of them.
 */
enum ts_code ts_watched_look(struct ts_watched *w, const struct ts_report *r,
	const struct ts_cancel *cancel, struct ts_err *err) TS_WARN_UNUSED;

/*
 * Parts that are others than when the report was opened, or were not there, get the state that they had then: for
 * the first look at a report.
 */
void ts_watched_as_opened(struct ts_watched *w, const struct ts_report *r);

/* Are all files in the same state? */
bool ts_watched_same(const struct ts_watched *a, const struct ts_watched *b);

/* The names of those that differ: "profile.pop, debug.cbor (gone), vars.json (new), app.json (permission withdrawn)". How many. */
int ts_watched_changes(const struct ts_watched *before, const struct ts_watched *now,
	struct ts_strbuf *names);

/* What `to` held is freed. */
void ts_watched_copy(struct ts_watched *to, const struct ts_watched *from);
void ts_watched_fini(struct ts_watched *w);

#endif
