/* SPDX-License-Identifier: MIT */
/* open - what every verb that reads a report does first. */
#ifndef TS_APP_OPEN_H
#define TS_APP_OPEN_H

#include "tilescope/app/args.h"
#include "tilescope/app/watch.h"
#include "tilescope/io/uri.h"
#include "tilescope/report/report.h"

/*
 * Open `path` (with --latest: the newest report below) and a reader. On
 * failure the complaint is printed, with the reports that lie below when `path` is a directory
 * without one. Close with ts_close_report().
 */
enum ts_code ts_open_report(struct ts_report **r, struct ts_reader **rd, const struct ts_args *args,
	const char *path, bool any, struct ts_watch *w) TS_WARN_UNUSED;

/* Blocks of files there are kept below `cache`, a directory of this machine that need not be there yet. */
enum ts_code ts_keep_blocks(struct ts_files *files, const char *cache,
	struct ts_err *err) TS_WARN_UNUSED;

/*
 * Which file system a word means (NULL: this machine's; else ts_files_release() it), and which path in it. Errors:
 * TS_E_USAGE, those of ts_files_host_new().
 */
enum ts_code ts_open_place(struct ts_files **files, struct ts_uri *u, const char *word,
	const struct ts_args *args, struct ts_err *err) TS_WARN_UNUSED;

/*
 * One line on standard error when the way to the host leaves out something of the configuration of SSH; `files` NULL, or --quiet:
 * nothing.
 */
void ts_say_left_out(const char *path, struct ts_files *files, const struct ts_args *args,
	struct ts_watch *w);

/* Name the reports below a directory, as words like the one that led there, in a "nothing here" message, when there are some. */
void ts_name_found(struct ts_err *err, struct ts_files *files, const char *word, const char *path,
	const struct ts_cancel *cancel);

/* A path of the report as people read it: on another host behind its name. */
void ts_put_place(struct ts_strbuf *out, const struct ts_report *r, const char *path);

/* Lend the reader what an index has of these sections (bits); none is built (see ts_index_now()). */
enum ts_code ts_use_index(struct ts_reader *rd, const struct ts_args *args, uint64_t sections,
	struct ts_watch *w, struct ts_err *err) TS_WARN_UNUSED;

/* What reading took is said before (--stats). */
void ts_close_report(const struct ts_args *args, struct ts_report *r, struct ts_reader *rd);

#endif
