/* SPDX-License-Identifier: MIT */
/*
 * block_store - keep blocks of a remote file on this machine's disk, so that a second visit need
 * not fetch them.
 *
 * A file for each remote file, named by a hash of host and path; in it are these two, as the user calls the host, and
 * the file's own bytes: no credential. It is of one state of the remote file (size, time, first
 * page); of another one it is emptied. Each block has a checksum that is looked at whenever it is
 * read: what somebody has changed, or what a crash has left half-written, is not there. It holds at
 * most TS_STORE_BLOCKS; when it is full, pages of a database that lead to rows take the place of
 * others, others that of each other; blocks of scans take free places only. All stores of a
 * directory together take TS_STORES_BYTES at most: those used least recently go.
 *
 * One program writes to a store, others beside it read it. What goes wrong here is never an error:
 * the host is asked.
 *
 * Threads: any, but one at a time puts blocks. Nobody waits for another's reading or writing of the
 * disk.
 */
#ifndef TS_IO_BLOCK_STORE_H
#define TS_IO_BLOCK_STORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tilescope/base/err.h"

enum {
	TS_STORE_BLOCK = 4096,	     /* bytes */
	TS_STORE_BLOCKS = 16384,     /* 64 MiB */
	TS_STORES_BYTES = 512 << 20, /* of all in a directory */
};

/* Which state of which file. */
struct ts_block_store_of {
	const char *host, *path;
	int64_t size, mtime;
	const void *first; /* its first page */
	size_t first_n;
};

struct ts_block_store;

/*
 * The store of a file in `dir`, which is made (mode 0700) when it is not there. NULL: there can be
 * none (no memory, no room, a directory that is somebody else's, a network file system).
 */
struct ts_block_store *ts_block_store_open(const char *dir, const struct ts_block_store_of *of);
void ts_block_store_close(struct ts_block_store *s); /* NULL allowed */

/* Is there one of the file, of whichever state? */
bool ts_block_store_is_there(const char *dir, const char *host, const char *path);

/*
 * Block `unit` (offset / TS_STORE_BLOCK), of which `n` bytes lie in the file; false: it is not
 * there. s may be NULL.
 */
bool ts_block_store_get(struct ts_block_store *s, int64_t unit, void *bytes, size_t n);
bool ts_block_store_has(struct ts_block_store *s, int64_t unit); /* as far as its table says */
/* scan: only where there is room. s may be NULL. */
void ts_block_store_put(struct ts_block_store *s, int64_t unit, const void *bytes, size_t n,
	bool scan);

/* Remove all stores of a directory that nobody has open; how many bytes that were, and how many stores (NULL allowed). */
int64_t ts_block_stores_clear(const char *dir, size_t *removed);
int64_t ts_block_stores_bytes(const char *dir);

struct ts_block_store_kept {
	char *of; /* HOST:PATH; NULL: it cannot be told */
	int64_t bytes,
		used_s; /* on disk; when somebody last began to write to it, seconds since the epoch */
};

/*
 * The stores of a directory, the one used last first; none where it is not there. *all: ts_block_stores_free(). Errors:
 * TS_E_NOMEM.
 */
enum ts_code ts_block_stores_list(struct ts_block_store_kept **all, size_t *count, const char *dir,
	struct ts_err *err) TS_WARN_UNUSED;
void ts_block_stores_free(struct ts_block_store_kept *all, size_t count); /* NULL allowed */

#endif
