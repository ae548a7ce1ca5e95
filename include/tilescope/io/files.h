/* SPDX-License-Identifier: MIT */
/*
 * files - the file system in which a report lies: this machine's, or another host's.
 *
 * Everything that asks whether a file of a report is there, lists a directory or opens a file does it here, with the
 * report's `struct ts_files`; NULL is this machine. What a program keeps for itself (settings, caches) is always local.
 * Paths are those of that file system. Any thread; of a host each call may take round trips and waits for them.
 */
#ifndef TS_IO_FILES_H
#define TS_IO_FILES_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tilescope/base/cancel.h"
#include "tilescope/base/err.h"
#include "tilescope/io/source.h"

enum ts_file_kind {
	TS_FILE_NONE, /* nothing has that name */
	TS_FILE_REGULAR,
	TS_FILE_DIRECTORY,
	TS_FILE_OTHER,	  /* a device, a FIFO, a socket */
	TS_FILE_DANGLING, /* a symbolic link that leads nowhere */
	TS_FILE_UNKNOWN,  /* in a listing: look at it to know (a symbolic link, for instance) */
};

/* What a path means, through symbolic links; what tells one file at a path from another. */
struct ts_file_state {
	enum ts_file_kind kind;
	int64_t bytes, mtime, mtime_ns; /* 0 where nothing is there */
	uint64_t device, inode;		/* 0 where that cannot be told */
};

/* Does an error end all that is being done, not only what it was about: no memory, cancelled, the host not reached? */
bool ts_ends_all(enum ts_code code);

/* Is there something: more than a link that leads nowhere? */
bool ts_file_is_there(const struct ts_file_state *s);
bool ts_file_state_same(const struct ts_file_state *a, const struct ts_file_state *b);

/*
 * One entry of a directory, without "." and ".."; false: no more of them. Name and state are the listing's; of the state the
 * kind is known, on a host also size (-1: not known) and time (0: not known).
 */
typedef bool ts_files_entry_fn(void *ctx, const char *name, const struct ts_file_state *state);

/* One of many paths. */
struct ts_files_asked {
	const char *path;
	bool real;		    /* its real path is asked for, not what it means */
	enum ts_code code;	    /* why that cannot be told; what is not there is no error */
	struct ts_file_state state; /* as ts_files_state() gives it */
	char *text;		    /* the real path, the caller's; or NULL */
};

/* One of many directories. */
struct ts_files_listing {
	const char *path;
	ts_files_entry_fn *entry;
	void *ctx;
	enum ts_code code; /* why it cannot be listed */
};

struct ts_files;

struct ts_files_ops {
	/* As the functions below. */
	enum ts_code (*look)(struct ts_files *f, struct ts_file_state *s, const char *path,
		const struct ts_cancel *cancel, struct ts_err *err);
	enum ts_code (*list)(struct ts_files *f, const char *path, ts_files_entry_fn *entry,
		void *ctx, const struct ts_cancel *cancel, struct ts_err *err);
	enum ts_code (*open)(struct ts_files *f, struct ts_source **s, const char *path,
		const struct ts_cancel *cancel, struct ts_err *err);
	char *(*real)(struct ts_files *f, const char *path);
	enum ts_code (*look_all)(struct ts_files *f, struct ts_files_asked *asked, size_t n,
		const struct ts_cancel *cancel, struct ts_err *err); /* or NULL: one by one */
	enum ts_code (*open_regular)(struct ts_files *f, struct ts_source **s, const char *path,
		const struct ts_file_state *seen, const struct ts_cancel *cancel,
		struct ts_err *err); /* or NULL: open */
	enum ts_code (*list_all)(struct ts_files *f, struct ts_files_listing *listing, size_t n,
		const struct ts_cancel *cancel, struct ts_err *err); /* or NULL: one by one */
	void (*release)(struct ts_files *f);			     /* the last holder has gone */
};

struct ts_files {
	const struct ts_files_ops *ops;
	atomic_int uses;
	const char *host; /* how the user calls it, with user and port: "box", "me@box:22" */
	bool thorough;	  /* the user said: also what costs a round trip for each of many pieces */
};

/* Hold it once more: returns f. Release: NULL allowed. */
struct ts_files *ts_files_hold(struct ts_files *f);
void ts_files_release(struct ts_files *f);

/*
 * What `path` means: TS_FILE_NONE is no error. Errors: TS_E_SYS (no permission; a loop of links: then it counts as
 * TS_FILE_DANGLING, too), TS_E_CANCELLED, TS_E_CONNECT.
 */
enum ts_code ts_files_look(struct ts_files *f, struct ts_file_state *s, const char *path,
	const struct ts_cancel *cancel, struct ts_err *err) TS_WARN_UNUSED;

/* The same, where what cannot be looked at is not there, as is a link that leads nowhere. */
void ts_files_state(struct ts_files *f, struct ts_file_state *s, const char *path);

/* What many paths mean, on a host in one round trip. Errors: TS_E_CANCELLED, TS_E_CONNECT, TS_E_NOMEM. */
enum ts_code ts_files_look_all(struct ts_files *f, struct ts_files_asked *asked, size_t n,
	const struct ts_cancel *cancel, struct ts_err *err) TS_WARN_UNUSED;

/* Entries of a directory in no order. Errors: TS_E_SYS, TS_E_CANCELLED, TS_E_CONNECT, TS_E_NOMEM. */
enum ts_code ts_files_list(struct ts_files *f, const char *path, ts_files_entry_fn *entry,
	void *ctx, const struct ts_cancel *cancel, struct ts_err *err) TS_WARN_UNUSED;

/* Many directories, on a host side by side. Errors: TS_E_CANCELLED, TS_E_CONNECT, TS_E_NOMEM; others stand at their paths. */
enum ts_code ts_files_list_all(struct ts_files *f, struct ts_files_listing *listing, size_t n,
	const struct ts_cancel *cancel, struct ts_err *err) TS_WARN_UNUSED;

/* Open a regular file: as ts_source_open_file(), and TS_E_CONNECT, TS_E_CANCELLED. */
enum ts_code ts_files_open(struct ts_files *f, struct ts_source **s, const char *path,
	const struct ts_cancel *cancel, struct ts_err *err) TS_WARN_UNUSED;

/* The same, of what was just seen to be a regular file of that state: it is not looked at once more. */
enum ts_code ts_files_open_regular(struct ts_files *f, struct ts_source **s, const char *path,
	const struct ts_file_state *seen, const struct ts_cancel *cancel,
	struct ts_err *err) TS_WARN_UNUSED;

/* The path without links, absolute; the caller's. NULL: it cannot be told, or no memory. */
char *ts_files_real(struct ts_files *f, const char *path);

/*
 * By what a file is known among all: its real path, of a host behind the host and ':'. Only a name of this machine's begins
 * with '/'. The caller's; NULL: it cannot be told, or no memory.
 */
char *ts_files_name(struct ts_files *f, const char *path);

#endif
