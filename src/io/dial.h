/* SPDX-License-Identifier: MIT */
/*
 * dial - a TCP connection to a host by its name, without waiting anywhere.
 *
 * The name is looked up in a thread of its own, for the C library's way blocks for as long as name servers are silent;
 * addresses need no thread. Of several addresses the next is tried when one has failed or has not answered for a
 * quarter of a second (RFC 8305), the others go on; the first that answers is taken.
 *
 * Threads: all calls from one thread.
 */
#ifndef TS_IO_DIAL_H
#define TS_IO_DIAL_H

#include <poll.h>
#include <stdbool.h>

#include "tilescope/base/err.h"

enum { TS_DIAL_TRIES = 8 /* addresses, at most; as many descriptors */ };

struct ts_dial;

/* `seconds`: it fails after that time; 0: when all addresses have. Errors: TS_E_NOMEM, TS_E_SYS. */
enum ts_code ts_dial_new(struct ts_dial **out, const char *host, int port, int seconds,
	struct ts_err *err) TS_WARN_UNUSED;

/*
 * Go on. *fd: the connection, which is the caller's then (close-on-exec, not blocking, without delay for small
 * packets); -1: not yet. Errors: TS_E_CONNECT (what the last address answered), TS_E_NOMEM, TS_E_SYS.
 */
enum ts_code ts_dial_step(struct ts_dial *d, int *fd, struct ts_err *err) TS_WARN_UNUSED;

/* What to poll for, and step after that time at the latest (-1: any). Returns how many, TS_DIAL_TRIES at most. */
int ts_dial_fds(const struct ts_dial *d, struct pollfd *p, int *timeout_ms);

/* What is the host looked for by: is its name still looked up? */
bool ts_dial_looks_up(const struct ts_dial *d);

/* Also while it is under way. NULL allowed. */
void ts_dial_free(struct ts_dial *d);

#endif
