/* SPDX-License-Identifier: MIT */
/*
 * uri - does a word of the user's mean a file here, or one on another host, and which?
 *
 *   PATH                          here: when it exists, or has a '/' before its first ':', or no ':' at all
 *   [USER@]HOST:[PATH]            there, as scp reads it: relative to the user's home directory; "~" and "~/" are it, too
 *   [USER@][ADDRESS]:[PATH]       an IPv6 address stands in brackets
 *   sftp://[USER@]HOST[:PORT]/PATH   absolute, as curl reads it; /~/PATH is relative to the home directory. %XX is a byte
 *
 * Nothing else sees a word before its syntax was checked here: hosts and users go into the words of other programs, and
 * from OpenSSH's configuration into a shell.
 */
#ifndef TS_IO_URI_H
#define TS_IO_URI_H

#include <stdbool.h>

#include "tilescope/base/err.h"
#include "tilescope/base/strbuf.h"

/* Bytes with the NUL. */
enum { TS_URI_USER = 65, TS_URI_HOST = 256, TS_URI_PATH = 4096 };

struct ts_uri {
	bool remote;
	char user[TS_URI_USER]; /* "" = as configured */
	char host
		[TS_URI_HOST]; /* letters, digits and "._-"; an IPv6 address (with ":" and "%") without brackets */
	int port; /* 0 = as configured */
	char path
		[TS_URI_PATH]; /* remote: "/..." or relative to the home directory, "." = itself; never empty */
};

/*
 * Read a word. Looks whether there is such a file here. Errors: TS_E_USAGE, with what is wrong about it.
 */
enum ts_code ts_uri_parse(struct ts_uri *u, const char *word, struct ts_err *err) TS_WARN_UNUSED;

/* Does a word look like one that means another host? Looks at no file. */
bool ts_uri_is_far(const char *word);

/* May a word that is no file here be a host whose ':' is missing: USER@HOST, or a name with a dot that is none of a report's files? */
bool ts_uri_may_be_host(const char *word);

/* The shortest word that means the same, wherever it is read again: HOST:PATH, sftp:// with a port; a local path as it is. */
void ts_uri_text(struct ts_strbuf *out, const struct ts_uri *u);

/* A word as it may be printed: without the password that somebody wrote into an address. */
void ts_uri_without_password(struct ts_strbuf *out, const char *word);

/*
 * A message without the host that it begins with ("box: no connection"): for behind its name, or behind a word that has it.
 * Part of the message; all of it where it begins with something else.
 */
const char *ts_uri_without_host(const struct ts_uri *u, const char *message);
const char *ts_uri_reason(const char *word, const char *message);

/* Do two addresses lead to the same host, as the same user? False for local ones. */
bool ts_uri_same_host(const struct ts_uri *a, const struct ts_uri *b);

#endif
