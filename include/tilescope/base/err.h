/* SPDX-License-Identifier: MIT */
/*
 * err - how a function says that it failed.
 *
 * The caller owns a `struct ts_err`, passes it last, and gets its code back as the return value.
 * A message is one line, impersonal, without a trailing period; context is put before it on the
 * way up (ts_err_prefix). Names inside a message are raw: whoever prints it makes it safe
 * (ts_utf8_safe). Passing NULL for the error is allowed: the code is still returned.
 */
#ifndef TS_BASE_ERR_H
#define TS_BASE_ERR_H

enum ts_code {
	TS_OK = 0,
	TS_E_USAGE,	/* the caller's words are wrong (exit status 2) */
	TS_E_NOMEM,	/* out of memory */
	TS_E_SYS,	/* the operating system said no; `sys` holds errno */
	TS_E_NOT_FOUND, /* nothing there */
	TS_E_FORMAT,	/* it is not what it should be (not a report, not SQLite, ...) */
	TS_E_DAMAGED,	/* it is what it should be, but broken */
	TS_E_ABSENT,	/* this report does not record it */
	TS_E_LIMIT,	/* larger than we are willing to read */
	TS_E_CANCELLED, /* somebody called ts_cancel_set() */
	TS_E_STALE,	/* the report has changed meanwhile */
	TS_E_CONNECT,	/* connection or authentication */
};

enum { TS_ERR_MSG = 512 };

struct ts_err {
	enum ts_code code;
	int sys; /* errno where code is TS_E_SYS, else 0 */
	char msg[TS_ERR_MSG];
};

#define TS_WARN_UNUSED __attribute__((warn_unused_result))
#define TS_PRINTF(fmt, args) __attribute__((format(printf, fmt, args)))

/* Fill in `err` (NULL allowed) and return `code`. Too long a message is cut. */
enum ts_code ts_err_set(struct ts_err *err, enum ts_code code, const char *fmt, ...)
	TS_PRINTF(3, 4);

/* As ts_err_set() with TS_E_SYS, and ": " with the text of errno `sys` behind the message. */
enum ts_code ts_err_sys(struct ts_err *err, int sys, const char *fmt, ...) TS_PRINTF(3, 4);

/* TS_E_NOMEM with the one message for it. */
enum ts_code ts_err_nomem(struct ts_err *err);

/* Put context before the message: "profile.pop: " + msg. Code and sys stay. */
void ts_err_prefix(struct ts_err *err, const char *fmt, ...) TS_PRINTF(2, 3);

#endif
