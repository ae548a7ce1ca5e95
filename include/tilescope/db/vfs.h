/* SPDX-License-Identifier: MIT */
/*
 * vfs - SQLite reads a report through our own sources, and can do nothing else with it.
 *
 * One VFS object per connection, registered under a name of its own, so that no global table is
 * needed. Only the main database can be opened through it, read-only; temporary files go to the
 * operating system's VFS.
 */
#ifndef TS_DB_VFS_H
#define TS_DB_VFS_H

#include <stdbool.h>

#include "tilescope/base/cancel.h"
#include "tilescope/base/err.h"
#include "tilescope/io/source.h"

struct ts_vfs;

/* `source` must outlive the VFS; meter (or NULL), where what it reads is counted, too. */
enum ts_code ts_vfs_new(struct ts_vfs **v, struct ts_source *source, struct ts_source_meter *meter,
	struct ts_err *err) TS_WARN_UNUSED;
void ts_vfs_free(struct ts_vfs *v);

/* The name to give to sqlite3_open_v2(). */
const char *ts_vfs_name(const struct ts_vfs *v);

/* Reads end with SQLITE_INTERRUPT while this token is set; NULL = none. */
void ts_vfs_set_cancel(struct ts_vfs *v, const struct ts_cancel *cancel);

/* The error behind the last SQLITE_IOERR; code TS_OK when there was none since it was cleared. */
const struct ts_err *ts_vfs_error(const struct ts_vfs *v);
void ts_vfs_clear_error(struct ts_vfs *v);

struct ts_vfs_stats {
	int64_t reads, bytes;
};

/* What SQLite has read so far. Any thread. */
void ts_vfs_stats(struct ts_vfs_stats *s, const struct ts_vfs *v);

/* What the database's own header says about the file. */
struct ts_sqlite_header {
	int page_size;	    /* bytes */
	int usable;	    /* bytes of a page without what is reserved at its end */
	int64_t pages_said; /* pages that the header claims; 0 = it does not say */
	int64_t bytes;	    /* size of the file */
	unsigned encoding;  /* of text: 1 = UTF-8 */
	bool auto_vacuum;   /* it has a map of pointers */
	bool wal;	    /* written in WAL mode */
	bool truncated;	    /* the file is shorter than the header says */
	uint32_t changes;   /* its change counter */
	uint64_t hash;	    /* of the 100 bytes; the schema cookie is among them */
};

/* The header of the file that is read. */
const struct ts_sqlite_header *ts_vfs_header(const struct ts_vfs *v);

/*
 * Read the 100-byte header. Errors: TS_E_FORMAT when it is not SQLite (the message says what it
 * is instead: empty, too short, ...), and those of the source.
 */
enum ts_code ts_sqlite_header_read(struct ts_sqlite_header *h, struct ts_source *source,
	struct ts_err *err) TS_WARN_UNUSED;

#endif
