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
	TS_LISTED_DIRECTORIES = 16, /* others are asked for name after name */
	TS_LISTED_ENTRIES =
		1 << 14, /* of a directory; names that are not among them are asked for */
};

/* Over `inner`, which is held. NULL, this machine, stays NULL. Errors: TS_E_NOMEM. Give it back with ts_files_release(). */
enum ts_code ts_files_listed_new(struct ts_files **out, struct ts_files *inner,
	struct ts_err *err) TS_WARN_UNUSED;

#endif
