/* SPDX-License-Identifier: MIT */
/*
 * files_listed - another host's file system, whose directories are listed instead of being asked for name after name.
 *
 * Of a host each name costs a round trip, and who opens a report asks for some twenty of one directory. Here the first name
 * of a directory is asked for by itself; with the second one the directory is listed, and what stands in the list is answered
 * from it. Links, and what a list does not say enough of, are still looked at. It is a picture of one moment: for the time
 * that opening takes, not for longer. One thread.
 */
#ifndef TS_IO_FILES_LISTED_H
#define TS_IO_FILES_LISTED_H

#include "tilescope/io/files.h"

enum {
	TS_LISTED_AHEAD = 4,	    /* paths of ts_files_listed_ahead() */
	TS_LISTED_DIRECTORIES = 16, /* others are asked for name after name */
	TS_LISTED_ENTRIES =
		1 << 14, /* of a directory; names that are not among them are asked for */
};

/*
 * Over `inner`, which is held. NULL, this machine, stays NULL. `cancel` (or NULL, outlives it) is for all that is asked without
 * a token of its own: what has none then counts as absent, so whoever set it must not believe in what is not there.
 * Errors: TS_E_NOMEM. Give it back with ts_files_release().
 */
enum ts_code ts_files_listed_new(struct ts_files **out, struct ts_files *inner,
	const struct ts_cancel *cancel, struct ts_err *err) TS_WARN_UNUSED;

/*
 * Ask in one round trip for what is going to be asked for: what these paths mean (at most TS_LISTED_AHEAD in all), and where
 * they really are. The paths behind the first one may be names of a directory that is none. Errors: TS_E_CANCELLED,
 * TS_E_CONNECT, TS_E_NOMEM.
 */
enum ts_code ts_files_listed_ahead(struct ts_files *listed, const char *const *path, size_t n,
	const struct ts_cancel *cancel, struct ts_err *err) TS_WARN_UNUSED;

#endif
