/* SPDX-License-Identifier: MIT */
/*
 * find - which file a path means, and which reports lie below a directory, in a file system (`files`: NULL is this
 * machine's).
 */
#ifndef TS_REPORT_FIND_H
#define TS_REPORT_FIND_H

#include <stdbool.h>
#include <stdint.h>

#include "tilescope/base/cancel.h"
#include "tilescope/base/err.h"
#include "tilescope/base/progress.h"
#include "tilescope/io/files.h"

enum {
	TS_FIND_LEVELS = 3,
	TS_FIND_MAX = 1000,
	TS_FIND_ENTRIES = 20000,
	TS_FIND_FAR = 256, /* directories of a host that are looked into */
};

/* Parts of a report that lie in its directory (debug.cbor: or one above), a bit and a letter each. */
enum {
	TS_FOUND_PROFILE = 1 << 0,
	TS_FOUND_ARCHIVE = 1 << 1,
	TS_FOUND_DEBUG = 1 << 2,
	TS_FOUND_FRAMEWORK = 1 << 3,
	TS_FOUND_APP = 1 << 4,
	TS_FOUND_VARS = 1 << 5,
	TS_FOUND_STORE = 1 << 6,
};

#define TS_FOUND_LETTERS "PADFaVS"

struct ts_found {
	char *path; /* of the directory that holds a report, of a file, or of another directory */
	int64_t bytes; /* of its profile */
	int64_t mtime, mtime_ns;
	unsigned parts;	   /* bits TS_FOUND_*; 0 = a directory without a report */
	bool half_written; /* only profile_<random>.pop is there */
	bool stray;	   /* half_written, and no database (yet) */
	bool incomplete;   /* it is being written, or its profile is still to come */
	bool pending;	   /* a directory that nobody has looked into (ts_find_look_into()) */
	bool maybe;	   /* a link: it may be something else */
	bool hidden;	   /* it was something else */
	int below;	   /* a directory without a report: reports that were found below it */
};

struct ts_found_list {
	int count;
	struct ts_found item[TS_FIND_MAX];
	bool cut;	  /* there is more than TS_FIND_MAX, or more than could be looked at */
	int64_t left_out; /* rows beyond TS_FIND_MAX, where they were counted */
};

/*
 * Reports up to TS_FIND_LEVELS levels below `dir`, newest first. Symbolic links are followed, every
 * directory is entered once. Errors: TS_E_NOMEM, TS_E_CANCELLED, TS_E_CONNECT; what cannot be read is passed over. On a host at
 * most TS_FIND_FAR directories are entered, 32 side by side, with four round trips for these; of the links in these it is asked
 * where the newest lead, four for each directory that can still be entered, and `cut` says when there are more.
 */
enum ts_code ts_find_reports(struct ts_found_list *list, struct ts_files *files, const char *dir,
	const struct ts_cancel *cancel, struct ts_err *err) TS_WARN_UNUSED;

/*
 * The same on this machine, and behind them the directories in `dir` that hold no report themselves, by name; among the reports
 * also profiles and stores under names of their own (*.pop, *.tilescope), each a file that is SQLite.
 * progress->done: entries looked at.
 */
enum ts_code ts_find_openable(struct ts_found_list *list, const char *dir,
	struct ts_progress *progress, const struct ts_cancel *cancel,
	struct ts_err *err) TS_WARN_UNUSED;

/*
 * What lies in a directory of a host itself, newest first: the report that it is, files that open, directories, which are
 * pending. Errors: those of ts_files_list(), TS_E_NOMEM. Fini in every case.
 */
enum ts_code ts_find_listing(struct ts_found_list *list, struct ts_files *files, const char *dir,
	const struct ts_cancel *cancel, struct ts_err *err) TS_WARN_UNUSED;

/* What pending directories are, n of them in one round trip. Errors: those of ts_files_look_all(). */
enum ts_code ts_find_look_into(struct ts_found *item, int n, struct ts_files *files,
	const struct ts_cancel *cancel, struct ts_err *err) TS_WARN_UNUSED;

/* Another path where a word (PATH, HOST:PATH) leads to, as a word. The caller's; NULL: no memory, or too long. */
char *ts_find_word(const char *word, const char *path);

/* The word of the directory above one that is named by its whole path; the caller's. NULL: there is none. */
char *ts_find_above(const char *word);

/*
 * The newest report below `dir` (the caller's, free()); of equally new ones the first by its path. Errors as
 * ts_find_reports(), and TS_E_NOT_FOUND.
 */
enum ts_code ts_find_latest(char **path, struct ts_files *files, const char *dir,
	const struct ts_cancel *cancel, struct ts_err *err) TS_WARN_UNUSED;
void ts_found_list_fini(struct ts_found_list *list);

/*
 * Of another host (`listed`: files_listed.h; NULL: nothing is done): ask in one round trip for what ts_find_profile() is going
 * to ask for, and for the real paths of that. Errors: TS_E_CANCELLED, TS_E_CONNECT, TS_E_NOMEM.
 */
enum ts_code ts_find_ahead(struct ts_files *listed, const char *path,
	const struct ts_cancel *cancel, struct ts_err *err) TS_WARN_UNUSED;

/*
 * The database that `path` means (the caller's, free()): a directory's profile.pop, else its
 * report.tilescope, else profile_<random>.pop, else archive.a; a file that is SQLite itself; another file of
 * a report: the profile beside it. Errors: TS_E_NOT_FOUND (nothing there; a directory without a profile: the
 * message says so), TS_E_FORMAT (dropped formats, not a report), TS_E_SYS.
 */
enum ts_code ts_find_profile(char **file, struct ts_files *files, const char *path,
	const struct ts_cancel *cancel, struct ts_err *err) TS_WARN_UNUSED;

/* Files of a report's directory that are known by name and not read: `what` says why, as "NAME: WHAT". */
struct ts_other_file {
	const char *name;
	bool dropped; /* a format of older SDKs; else one that is not public */
	const char *what;
};

enum { TS_OTHER_FILES = 6 };

extern const struct ts_other_file ts_other_files[TS_OTHER_FILES];

/* By the name of a file without directory; NULL: not one of them. */
const struct ts_other_file *ts_other_file(const char *name);

/* Is this the name that Poplar gives a profile while its engine is alive? */
bool ts_is_temporary_profile(const char *name);

#endif
