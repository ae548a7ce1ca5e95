/* SPDX-License-Identifier: MIT */
/*
 * source - bytes that can be read at an offset: a local file, memory, a file on another host.
 *
 * Reading is safe from several threads at once. A short read means the end of the source.
 */
#ifndef TS_IO_SOURCE_H
#define TS_IO_SOURCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tilescope/base/cancel.h"
#include "tilescope/base/err.h"

struct ts_source;
struct ts_host;

/* Bytes of a source. */
struct ts_byte_range {
	int64_t offset; /* >= 0 */
	size_t n;
};

struct ts_source_ops {
	/*
	 * Read up to n bytes at `offset` (>= 0) into buf; *got < n only at the end of the source.
	 * Errors: TS_E_SYS, TS_E_CANCELLED; of another host also TS_E_CONNECT, TS_E_STALE.
	 */
	enum ts_code (*read_at)(struct ts_source *s, void *buf, size_t n, int64_t offset,
		size_t *got, const struct ts_cancel *cancel, struct ts_err *err);
	void (*close)(struct ts_source *s);
	int (*fd)(struct ts_source *s); /* NULL: there is none */
	/* see ts_source_want(); NULL: nothing is to be done */
	void (*want)(struct ts_source *s, const struct ts_byte_range *span, size_t count,
		bool urgent);
};

struct ts_source {
	const struct ts_source_ops *ops;
	int64_t size;		/* bytes when it was opened */
	int64_t mtime;		/* seconds since 1970; 0 = not known */
	int64_t mtime_ns;	/* nanoseconds of that second */
	uint64_t device, inode; /* which file it is; 0 = not known */
};

/*
 * Open a regular file for reading. Never blocks on a FIFO or a device: those are TS_E_FORMAT.
 * Errors: TS_E_NOT_FOUND, TS_E_SYS, TS_E_FORMAT, TS_E_NOMEM. Close with ts_source_close().
 */
enum ts_code ts_source_open_file(struct ts_source **s, const char *path,
	struct ts_err *err) TS_WARN_UNUSED;

/* Bytes that stay the caller's and must outlive the source. */
enum ts_code ts_source_open_mem(struct ts_source **s, const void *bytes, size_t n,
	struct ts_err *err) TS_WARN_UNUSED;

/*
 * Open a regular file on another host, which stays the caller's and outlives the source. Errors: those of ts_host_open().
 */
enum ts_code ts_source_open_host(struct ts_source **s, struct ts_host *host, const char *path,
	const struct ts_cancel *cancel, struct ts_err *err) TS_WARN_UNUSED;

/*
 * These bytes are going to be read: what is far away is asked for together, now. Never waits. `urgent`: a screen waits
 * for them.
 */
void ts_source_want(struct ts_source *s, const struct ts_byte_range *span, size_t count,
	bool urgent);

enum ts_code ts_source_read(struct ts_source *s, void *buf, size_t n, int64_t offset, size_t *got,
	const struct ts_cancel *cancel, struct ts_err *err) TS_WARN_UNUSED;

/* The open file behind it, which stays the source's, to be handed to another process; -1: none. */
int ts_source_fd(struct ts_source *s);

/* NULL allowed. */
void ts_source_close(struct ts_source *s);

#endif
