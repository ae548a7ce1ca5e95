/* SPDX-License-Identifier: MIT */
/*
 * known_hosts - is this the key that the host had before? Files of OpenSSH's (sshd(8), SSH_KNOWN_HOSTS FILE FORMAT):
 * plain names with patterns, hashed names, [name]:port, @revoked; @cert-authority is seen and not used.
 *
 * Keys are what stands in those files: base64 of the public key. Lines longer than 16 KiB, and what is no line of that
 * format, are passed over; a file that cannot be read is empty.
 */
#ifndef TS_IO_KNOWN_HOSTS_H
#define TS_IO_KNOWN_HOSTS_H

#include <stdbool.h>
#include <stddef.h>

#include "tilescope/base/err.h"

enum {
	TS_KNOWN_HOSTS_KEY = 4096, /* bytes of a key, at most */
	TS_KNOWN_HOSTS_TYPE = 64,
	TS_KNOWN_HOSTS_TYPES = 8, /* types of keys of one host that are told apart */
};

/* What is known of a host's key: the first of these that some line says. */
enum ts_known {
	TS_KNOWN_REVOKED,   /* that very key must not be used */
	TS_KNOWN_OK,	    /* it is the key */
	TS_KNOWN_CHANGED,   /* the host has another key of this type */
	TS_KNOWN_OTHER,	    /* the host has keys of other types only */
	TS_KNOWN_AUTHORITY, /* keys of this host are signed by an authority, which we cannot check */
	TS_KNOWN_UNKNOWN,
};

struct ts_known_host {
	enum ts_known is;
	int file, line; /* which of the files, 0 = first; its line, 1 = first; UNKNOWN: -1 and 0 */
	char type[TS_KNOWN_HOSTS_TYPE]; /* of the key in that line: "ssh-ed25519" */
};

/*
 * Look for `host` (a name or an address without brackets) with this key in `count` files. Where the port is not 22 its
 * name is [host]:port; a key that is known under the name alone counts as well, and nothing else of that name does.
 */
void ts_known_hosts_look(struct ts_known_host *out, const char *const *files, int count,
	const char *host, int port, const char *key);

/* The types of keys that are known of that host and not revoked, in the files' order, each once; returns how many. */
int ts_known_hosts_types(char types[TS_KNOWN_HOSTS_TYPES][TS_KNOWN_HOSTS_TYPE],
	const char *const *files, int count, const char *host, int port);

/* The type that stands inside of a key ("ssh-ed25519"); false: it is no key. */
bool ts_known_hosts_type(char type[TS_KNOWN_HOSTS_TYPE], const char *key);

/*
 * Append the host with its key to a file, which is made where it is not there (mode 0600), and its directory (0700);
 * `hashed`: the name is not readable. Errors: TS_E_SYS, TS_E_FORMAT (no key).
 */
enum ts_code ts_known_hosts_add(const char *file, const char *host, int port, const char *key,
	bool hashed, struct ts_err *err) TS_WARN_UNUSED;

#endif
