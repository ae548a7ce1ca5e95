/* SPDX-License-Identifier: MIT */
/*
 * host - another machine, whose files are read over SFTP.
 *
 * One thread for each host owns the transport (io/transport.h) and all that goes over it. Others put requests and wait for
 * them, with a look at their cancel token, or have a function called when one has ended. A request outlives a lost
 * connection: the host is reached again, files are opened again and looked at (size, time, first page) before anything more
 * is read of them, and what was out is asked once more. Nobody who looks at the state waits for anything.
 *
 * Channels: the first is for what the screen waits for (`urgent`) and is never behind more than that; others, opened when
 * there is much to read, are for everything else. A host that gives one channel only has both there. What is out on them
 * together is as much as the connection brings in its round trip and 50 ms. In one channel a server answers in order, and
 * handles are of one channel: a file is opened on each that reads of it.
 *
 * Reads are clamped to the size that a file had when it was opened, and what comes short is asked for again. A server
 * that says nothing for `stall_ms` though it was asked counts as lost; one that was not asked anything for
 * `keepalive_ms` is asked for something small. A server whose packets make no sense is left for good.
 *
 * Threads: any, but for ts_host_free(). Functions that are called back run in the host's thread: they must be quick and
 * may send requests, not wait for them.
 */
#ifndef TS_IO_HOST_H
#define TS_IO_HOST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tilescope/base/cancel.h"
#include "tilescope/base/err.h"
#include "tilescope/base/option.h"
#include "tilescope/io/ssh_config.h"
#include "tilescope/io/transport.h"

enum {
	TS_HOST_FIRST_PAGE = 4096,   /* bytes by which a file is known again */
	TS_HOST_AHEAD = 60 << 10,    /* bytes behind those that may be read with them */
	TS_HOST_ENTRIES = 100000,    /* of a directory, at most */
	TS_HOST_NAMES = 16 << 20,    /* bytes of their names, at most */
	TS_HOST_RANGES = 65536,	     /* of a read, at most */
	TS_HOST_READ_MAX = 64 << 20, /* bytes of a read, at most */
};

typedef enum ts_code ts_transport_new_fn(struct ts_transport **out,
	const struct ts_transport_spec *spec, struct ts_err *err);

struct ts_host_spec {
	struct ts_transport_spec to;
	ts_transport_new_fn *connect;
	ts_transport_new_fn
		*otherwise; /* when the host wants what `connect`'s cannot do; or NULL */
	int connect_ms;	    /* to be reached, without the time of questions; 0 = 60 s */
	int stall_ms;	    /* 0 = 30 s */
	int keepalive_ms;   /* 0 = 15 s */
	int attempts; /* to reach it again when it was lost, one after another; 0 = for ever */
	int channels; /* 1 .. TS_TRANSPORT_CHANNELS; 0 = all */
	int64_t (*slept_us)(
		void); /* how long this machine has slept since it was started; NULL: two clocks tell */
};

struct ts_uri;

/*
 * Where to and how: the address, the way (auto is libssh while that will do, else ssh) and the file that is read instead of
 * ~/.ssh/config (or NULL). The texts stay the caller's.
 */
void ts_host_spec_to(struct ts_host_spec *spec, const struct ts_uri *u, enum ts_way way,
	const char *config);

struct ts_host;

/* Begins to connect. Errors: TS_E_NOMEM, TS_E_SYS. Free with ts_host_free(). */
enum ts_code ts_host_new(struct ts_host **out, const struct ts_host_spec *spec,
	struct ts_err *err) TS_WARN_UNUSED;

/*
 * Begin to leave: requests end with TS_E_CONNECT. Waits at most so long; true: ts_host_free() will not wait. From then on
 * nothing new is served.
 */
bool ts_host_leave(struct ts_host *h, int ms);

/*
 * Free what a host that hangs belongs to, without waiting for it: `release` waits, in a thread that ends with the process.
 * false: no thread can be had.
 */
bool ts_host_aside(void *(*release)(void *what), void *what);

/* Has it been left, and its thread ended? What is asked then has no answer. */
bool ts_host_has_ended(struct ts_host *h);

/*
 * Leaves the host at once: requests that wait end with TS_E_CONNECT. Nobody may be in a call, and files must have been
 * closed. NULL allowed.
 */
void ts_host_free(struct ts_host *h);

/* --- how it is -------------------------------------------------------------------------------- */

enum ts_host_is {
	TS_HOST_CONNECTING, /* for the first time */
	TS_HOST_CONNECTED,
	TS_HOST_RECONNECTING, /* it was lost; `attempt` 1 .. */
	TS_HOST_FAILED,	      /* `err` says why; until ts_host_retry() */
};

struct ts_host_state {
	enum ts_host_is is;
	bool asking; /* there is a question */
	int attempt; /* RECONNECTING */
	int64_t next_us; /* RECONNECTING: the next attempt begins then (ts_clock_us()); 0 = it is under way */
	int64_t silent_us;	       /* it was asked and has said nothing for so long; 0 = no */
	const char *transport, *doing; /* for people: constants; doing may be NULL */
	char left_out
		[TS_SSH_REASON]; /* of the configuration: "IdentitiesOnly, MACs"; "" = nothing */
	struct ts_err err;	 /* FAILED, RECONNECTING: why */
	int64_t slept_us; /* this machine slept so long, which ended the last connection; 0 = something else did, or nothing */

	/* since the beginning */
	int64_t round_trips;	/* one behind another, of each request: what somebody waited for */
	int64_t requests;	/* SFTP packets that were sent */
	int64_t sent, received; /* bytes of SFTP */
	int64_t connections;
	int channels;	/* that are open now */
	int64_t window; /* bytes that may be out now, of what is not urgent */
	int64_t rtt_us; /* the shortest answer; 0 = not known */
};

void ts_host_state(struct ts_host *h, struct ts_host_state *s);

/* Becomes readable when the state has changed or there is a question; ts_host_state() makes it silent. */
int ts_host_fd(const struct ts_host *h);

/* The question that stands; false: there is none. */
bool ts_host_question(struct ts_host *h, struct ts_question *q);

/* Answer it (NULL: refuse), if it is still this one. The text is copied; the copy is wiped. */
void ts_host_answer(struct ts_host *h, uint64_t number, const char *text, size_t n);

/* Try no more: FAILED at once, and all requests with it. */
void ts_host_stop(struct ts_host *h);

/* Try now: out of FAILED, or instead of waiting for the next attempt. */
void ts_host_retry(struct ts_host *h);

/* --- requests, with waiting ------------------------------------------------------------------- */

enum ts_host_kind { TS_HOST_FILE, TS_HOST_DIRECTORY, TS_HOST_LINK, TS_HOST_OTHER, TS_HOST_UNKNOWN };

struct ts_host_attrs {
	enum ts_host_kind kind;
	int64_t size;  /* bytes; -1 = not known */
	int64_t mtime; /* seconds since 1970; 0 = not known */
};

/* Errors of all: TS_E_NOT_FOUND, TS_E_SYS, TS_E_CONNECT, TS_E_CANCELLED, TS_E_NOMEM, TS_E_DAMAGED. */
enum ts_code ts_host_stat(struct ts_host *h, struct ts_host_attrs *out, const char *path,
	bool urgent, const struct ts_cancel *cancel, struct ts_err *err) TS_WARN_UNUSED;

struct ts_host_look {
	const char *path;
	bool real;	   /* where it really is, not what it is */
	enum ts_code code; /* of this one */
	struct ts_host_attrs attrs;
	char *text; /* the real path, the caller's; or NULL */
};

/* Many at once, in one round trip. Errors: TS_E_CONNECT, TS_E_CANCELLED, TS_E_NOMEM; others stand at their paths. */
enum ts_code ts_host_stat_all(struct ts_host *h, struct ts_host_look *look, size_t n, bool urgent,
	const struct ts_cancel *cancel, struct ts_err *err) TS_WARN_UNUSED;

struct ts_host_entry {
	char *name;		    /* raw; no '/' in it, nor "." or ".." */
	struct ts_host_attrs attrs; /* of a link: the link's own */
};

struct ts_host_list {
	struct ts_host_entry *entry; /* as the host gives them */
	size_t count;
	size_t left_out; /* names that no path can be made of, and those behind the limits */
};

enum ts_code ts_host_list(struct ts_host *h, struct ts_host_list *out, const char *path,
	bool urgent, const struct ts_cancel *cancel, struct ts_err *err) TS_WARN_UNUSED;
void ts_host_list_fini(struct ts_host_list *l);

struct ts_host_listing {
	const char *path;
	enum ts_code code; /* of this one */
	struct ts_host_list list;
};

/*
 * Many at once: as many round trips as one of them. Each list is to be given to ts_host_list_fini(), with an error, too. Errors:
 * as ts_host_stat_all().
 */
enum ts_code ts_host_list_all(struct ts_host *h, struct ts_host_listing *listing, size_t n,
	bool urgent, const struct ts_cancel *cancel, struct ts_err *err) TS_WARN_UNUSED;

/* The whole path, links followed; the caller's, free() it. */
enum ts_code ts_host_realpath(struct ts_host *h, char **out, const char *path, bool urgent,
	const struct ts_cancel *cancel, struct ts_err *err) TS_WARN_UNUSED;

struct ts_host_file;

/*
 * Open a regular file; anything else is TS_E_FORMAT and never opened (a FIFO would hold the server up). Its first page is
 * read with it. Close with ts_host_close(): reads that are still out end with TS_E_CANCELLED.
 */
enum ts_code ts_host_open(struct ts_host *h, struct ts_host_file **out, const char *path,
	bool urgent, const struct ts_cancel *cancel, struct ts_err *err) TS_WARN_UNUSED;

/* The same, of a file of which more is known, or wanted. */
struct ts_host_opening {
	bool regular; /* it was just seen to be a regular file: not looked at before */
	size_t ahead; /* bytes behind the first page that are read with it, at most TS_HOST_AHEAD */
};

enum ts_code ts_host_open_as(struct ts_host *h, struct ts_host_file **out, const char *path,
	const struct ts_host_opening *as, bool urgent, const struct ts_cancel *cancel,
	struct ts_err *err) TS_WARN_UNUSED;
void ts_host_close(struct ts_host_file *f); /* NULL allowed; does not wait */

int64_t ts_host_file_size(const struct ts_host_file *f);
int64_t ts_host_file_mtime(const struct ts_host_file *f);
/* It could not be opened again at some time, or was another one: what is opened anew may be read. */
bool ts_host_file_has_failed(const struct ts_host_file *f);
struct ts_host *ts_host_file_host(const struct ts_host_file *f);

/* The first page: min(size, TS_HOST_FIRST_PAGE) bytes, the file's. */
const void *ts_host_file_first(const struct ts_host_file *f, size_t *n);

/* The n bytes behind it that were read with it, once: the caller's. NULL: there are none. */
void *ts_host_file_take_ahead(struct ts_host_file *f, size_t *n);

/* --- reading ---------------------------------------------------------------------------------- */

struct ts_host_range {
	int64_t offset; /* >= 0 */
	size_t n;	/* bytes */
	size_t got;	/* result: fewer only at the end of the file */
};

/*
 * Read ranges, all of them in one burst. `bytes` holds what was read of one range after the other, with room for all of
 * each. When all is there, or nothing more will come, `done` is called, once: from then on the read is the receiver's
 * again. Errors: as above, and TS_E_STALE: the file is another one than it was. TS_E_LIMIT: too much at once.
 */
struct ts_host_read {
	struct ts_host_file *file;
	struct ts_host_range *range;
	size_t count;
	void *bytes;
	bool urgent;
	void (*done)(void *ctx, enum ts_code code, const struct ts_err *err);
	void *ctx;
};

/* The read and all that it points to stay where they are until `done`. An error: nothing was sent, `done` is not called. */
enum ts_code ts_host_read_send(const struct ts_host_read *r, struct ts_err *err) TS_WARN_UNUSED;

/* The same, and wait; `bytes` may be given up at once when it is cancelled. */
enum ts_code ts_host_read(struct ts_host_file *f, void *bytes, struct ts_host_range *range,
	size_t count, bool urgent, const struct ts_cancel *cancel,
	struct ts_err *err) TS_WARN_UNUSED;

#endif
