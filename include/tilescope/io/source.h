/* SPDX-License-Identifier: MIT */
/*
 * source - bytes that can be read at an offset: a local file, memory, a file on another host.
 *
 * Reading is safe from several threads at once. A short read means the end of the source.
 */
#ifndef TS_IO_SOURCE_H
#define TS_IO_SOURCE_H

#include <stdatomic.h>
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

/* What reading took of a source that is far away; all 0 of one that is near. */
struct ts_source_counts {
	int64_t trips;	  /* times that the host was waited for: round trips, one behind another */
	int64_t requests; /* ranges that it was asked for */
	int64_t bytes;	  /* of these */
	int64_t hits, misses; /* blocks of what was read that were here, and that were not */
	int64_t kept;	      /* blocks that were found on this machine's disk */
};

/* The same as it goes on, for one user of a source: one thread reads and counts, any may look. Zeroed to begin with. */
struct ts_source_meter {
	_Atomic int64_t trips, requests, bytes, hits, misses, kept;
};

void ts_source_meter_add(struct ts_source_meter *m,
	const struct ts_source_counts *n); /* NULL allowed */
void ts_source_meter_read(struct ts_source_counts *n, const struct ts_source_meter *m);
void ts_source_counts_add(struct ts_source_counts *to, const struct ts_source_counts *n);

struct ts_source_ops {
	/*
	 * Read up to n bytes at `offset` (>= 0) into buf; *got < n only at the end of the source.
	 * Errors: TS_E_SYS, TS_E_CANCELLED; of another host also TS_E_CONNECT, TS_E_STALE.
	 */
	enum ts_code (*read_at)(struct ts_source *s, void *buf, size_t n, int64_t offset,
		size_t *got, const struct ts_cancel *cancel, struct ts_err *err);
	void (*close)(struct ts_source *s);
	int (*fd)(struct ts_source *s); /* NULL: there is none */

	/* Of a source that is far away; else NULL, all of them. */
	void (*want)(struct ts_source *s, const struct ts_byte_range *span, size_t count,
		bool urgent, struct ts_source_meter *meter);
	enum ts_code (*read_counted)(struct ts_source *s, void *buf, size_t n, int64_t offset,
		size_t *got, struct ts_source_meter *meter, const struct ts_cancel *cancel,
		struct ts_err *err);
	void (*counts)(struct ts_source *s, struct ts_source_counts *n);
	size_t (*here)(struct ts_source *s, int64_t offset, size_t n);
	bool (*has_failed)(struct ts_source *s);
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
 * Open a regular file on another host, which stays the caller's and outlives the source. `keep` is a directory where blocks
 * of it are kept (block_store.h), under a name made of `name` and the path; NULL: nowhere. regular: it was just seen to
 * be a regular file. Errors: those of ts_host_open().
 */
enum ts_code ts_source_open_host(struct ts_source **s, struct ts_host *host, const char *path,
	bool regular, const char *keep, const char *name, const struct ts_cancel *cancel,
	struct ts_err *err) TS_WARN_UNUSED;

/* Was it refused or replaced since it was opened, so that it has to be opened anew? */
bool ts_source_has_failed(struct ts_source *s);

/* Does it lie on another host, so that it is worth while to name what is going to be read? */
bool ts_source_is_far(const struct ts_source *s);

/*
 * These bytes are going to be read: what is far away is asked for together, now. Never waits. `urgent`: a screen waits
 * for them. meter: who counts what is asked for, or NULL.
 */
void ts_source_want(struct ts_source *s, const struct ts_byte_range *span, size_t count,
	bool urgent, struct ts_source_meter *meter);

enum ts_code ts_source_read(struct ts_source *s, void *buf, size_t n, int64_t offset, size_t *got,
	const struct ts_cancel *cancel, struct ts_err *err) TS_WARN_UNUSED;

/* The same, counted in meter. */
enum ts_code ts_source_read_counted(struct ts_source *s, void *buf, size_t n, int64_t offset,
	size_t *got, struct ts_source_meter *meter, const struct ts_cancel *cancel,
	struct ts_err *err) TS_WARN_UNUSED;

/* How many of n bytes from an offset on can be read without waiting: all of them, of a source that is near. */
size_t ts_source_here(struct ts_source *s, int64_t offset, size_t n);

/* What all its users together have taken since it was opened. Any thread. */
void ts_source_counts(struct ts_source *s, struct ts_source_counts *n);

/* The open file behind it, which stays the source's, to be handed to another process; -1: none. */
int ts_source_fd(struct ts_source *s);

/* NULL allowed. */
void ts_source_close(struct ts_source *s);

#endif
