/* SPDX-License-Identifier: MIT */
/*
 * file_watch - hear that files may have changed, and see whether they have.
 *
 * inotify only wakes: whether a file is another one than before is told by its state (ts_files_state()). Watched are the files and every directory on the way to them, through
 * symbolic links, so that files that are replaced by a rename, deleted and made again, and directories and links
 * that come to mean something else are heard of. Where that cannot be had (a network file system, no
 * instance or watch left, a directory that may not be read) `polls` says so: then look now and then.
 *
 * A watch is made once for a set of paths and never changed: make another one when a file has come or gone.
 * Making one looks at every directory on the way, and may hang as long as a network file system does: that is
 * for a worker. Reading events never waits. A thread at a time.
 */
#ifndef TS_IO_FILE_WATCH_H
#define TS_IO_FILE_WATCH_H

#include <stdbool.h>

struct ts_file_watch;

/* Files that need not be there; NULLs among them are passed over. NULL without memory. */
struct ts_file_watch *ts_file_watch_new(const char *const *paths, int count);
void ts_file_watch_free(struct ts_file_watch *w); /* NULL allowed */

/* Becomes readable when something has happened; -1 = there is none. NULL allowed. */
int ts_file_watch_fd(const struct ts_file_watch *w);

/* Not everything is heard of: look now and then. True for NULL. */
bool ts_file_watch_polls(const struct ts_file_watch *w);

/* Read all that has happened; true when some of it has to do with the files. NULL allowed. */
bool ts_file_watch_take(struct ts_file_watch *w);

#endif
