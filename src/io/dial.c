/* SPDX-License-Identifier: MIT */
/* dial - see the header. */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include "dial.h"
#include "tilescope/base/clock.h"
#include "tilescope/base/mem.h"
#include "tilescope/base/thread.h"

enum { NEXT_AFTER_US = 250 * 1000, PORT_TEXT = 8 };

/* A question to the C library's resolver: shared with the thread that asks it, given back by who ends last. */
struct lookup {
	atomic_int holders;
	int done; /* an eventfd: readable when the answer is there */
	char *host, port[PORT_TEXT];
	struct addrinfo *found;
	int rc, sys;
};

struct ts_dial {
	struct lookup *lookup;
	const struct addrinfo *next; /* to be tried */
	bool begun;		     /* addresses are there */
	struct pollfd try[TS_DIAL_TRIES];
	int tries;	    /* begun; those that have failed are -1 */
	int64_t next_at_us; /* when the next begins though the last has not failed */
	int64_t until_us;   /* 0: any time */
	int why;	    /* errno of the last that failed */
};

/* --- names ------------------------------------------------------------------------------------ */

static void
let_go(struct lookup *l)
{
	if (!l || atomic_fetch_sub(&l->holders, 1) > 1)
		return;
	if (l->found)
		freeaddrinfo(l->found);
	if (l->done >= 0)
		close(l->done);
	free(l->host);
	free(l);
}

static void
look_up(struct lookup *l, int flags)
{
	const struct addrinfo want = {.ai_family = AF_UNSPEC,
		.ai_socktype = SOCK_STREAM,
		.ai_flags = flags | AI_NUMERICSERV};

	l->rc = getaddrinfo(l->host, l->port, &want, &l->found);
	l->sys = errno;
}

static void *
look_up_slowly(void *arg)
{
	struct lookup *l = arg;

	look_up(l, AI_ADDRCONFIG);
	if (l->rc == EAI_NONAME ||
		l->rc == EAI_ADDRFAMILY) /* a machine without a network knows itself */
		look_up(l, 0);
	eventfd_write(l->done, 1);
	let_go(l);
	return NULL;
}

static int
start_thread(struct lookup *l)
{
	pthread_attr_t attributes;
	pthread_t thread;
	int rc = pthread_attr_init(&attributes);

	if (rc)
		return rc;
	pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
	atomic_fetch_add(&l->holders, 1);
	rc = ts_thread_start(&thread, &attributes, look_up_slowly, l);
	if (rc)
		atomic_fetch_sub(&l->holders, 1);
	pthread_attr_destroy(&attributes);
	return rc;
}

static enum ts_code
lookup_new(struct lookup **out, const char *host, int port, struct ts_err *err)
{
	struct lookup *l = ts_alloc(1, sizeof(*l));
	int rc = 0;

	*out = l;
	if (!l)
		return ts_err_nomem(err);
	atomic_init(&l->holders, 1);
	snprintf(l->port, sizeof(l->port), "%d", port);
	l->host = ts_strdup(host);
	l->done = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (!l->host)
		return ts_err_nomem(err);
	if (l->done < 0)
		return ts_err_sys(err, errno, "cannot look up a name");
	look_up(l, AI_NUMERICHOST);
	if (l->rc == 0)
		eventfd_write(l->done, 1);
	else
		rc = start_thread(l);
	return rc ? ts_err_sys(err, rc, "cannot look up a name") : TS_OK;
}

static enum ts_code
answer(struct ts_dial *d, struct ts_err *err)
{
	const struct lookup *l = d->lookup;
	eventfd_t told;

	if (eventfd_read(l->done, &told) != 0)
		return TS_OK;
	if (l->rc == EAI_MEMORY)
		return ts_err_nomem(err);
	if (l->rc == EAI_SYSTEM)
		return ts_err_sys(err, l->sys, "the name cannot be looked up");
	if (l->rc)
		return ts_err_set(err, TS_E_CONNECT, "the name cannot be looked up: %s",
			gai_strerror(l->rc));
	d->next = l->found;
	d->begun = true;
	return TS_OK;
}

/* --- connections ------------------------------------------------------------------------------ */

static void
give_up(struct ts_dial *d, struct pollfd *p, int why)
{
	close(p->fd);
	p->fd = -1;
	d->why = why;
	d->next_at_us = 0;
}

static void
try_next(struct ts_dial *d)
{
	const struct addrinfo *a = d->next;
	struct pollfd *p = &d->try[d->tries];
	int fd = socket(a->ai_family, a->ai_socktype | SOCK_CLOEXEC | SOCK_NONBLOCK,
		a->ai_protocol);

	d->next = a->ai_next;
	d->next_at_us = 0;
	if (fd < 0) {
		d->why = errno;
		return;
	}
	*p = (struct pollfd){.fd = fd, .events = POLLOUT};
	d->tries++;
	if (connect(fd, a->ai_addr, a->ai_addrlen) < 0 && errno != EINPROGRESS)
		give_up(d, p, errno);
	else
		d->next_at_us = ts_clock_us() + NEXT_AFTER_US;
}

/* The connection, as soon as one is there; -1. */
static int
look(struct ts_dial *d)
{
	if (d->tries == 0 || poll(d->try, (nfds_t)d->tries, 0) <= 0)
		return -1;
	for (int i = 0; i < d->tries; i++) {
		struct pollfd *p = &d->try[i];
		int why = 0, fd = p->fd;
		socklen_t n = sizeof(why);

		if (fd < 0 || !p->revents)
			continue;
		if (getsockopt(fd, SOL_SOCKET, SO_ERROR, &why, &n) < 0)
			why = errno;
		if (!why) {
			p->fd = -1;
			return fd;
		}
		give_up(d, p, why);
	}
	return -1;
}

static bool
is_trying(const struct ts_dial *d)
{
	for (int i = 0; i < d->tries; i++)
		if (d->try[i].fd >= 0)
			return true;
	return false;
}

static bool
may_try(const struct ts_dial *d)
{
	return d->next && d->tries < TS_DIAL_TRIES;
}

static int
connect_some(struct ts_dial *d)
{
	int fd = look(d);

	while (fd < 0 && may_try(d) && (!is_trying(d) || ts_clock_us() >= d->next_at_us)) {
		try_next(d);
		fd = look(d);
	}
	return fd;
}

enum ts_code
ts_dial_step(struct ts_dial *d, int *fd, struct ts_err *err)
{
	const int on = 1;
	enum ts_code code = d->begun ? TS_OK : answer(d, err);

	*fd = -1;
	if (code != TS_OK)
		return code;
	if (d->begun)
		*fd = connect_some(d);
	if (*fd >= 0) {
		setsockopt(*fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
		setsockopt(*fd, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof(on));
		return TS_OK;
	}
	if (d->until_us && ts_clock_us() >= d->until_us)
		code = ts_err_sys(err, ETIMEDOUT, "no connection");
	else if (d->begun && !may_try(d) && !is_trying(d))
		code = ts_err_sys(err, d->why, "no connection");
	if (code != TS_OK && err) {
		err->code = TS_E_CONNECT;
		err->sys = 0;
	}
	return code == TS_OK ? TS_OK : TS_E_CONNECT;
}

static int
until(int64_t at_us, int other)
{
	int64_t ms = ts_max_i64(0, (at_us - ts_clock_us() + 999) / 1000);

	if (ms > 60 * 1000)
		ms = 60 * 1000;
	return other < 0 || ms < other ? (int)ms : other;
}

int
ts_dial_fds(const struct ts_dial *d, struct pollfd *p, int *timeout_ms)
{
	int n = 0;

	*timeout_ms = d->until_us ? until(d->until_us, -1) : -1;
	if (!d->begun) {
		p[n++] = (struct pollfd){.fd = d->lookup->done, .events = POLLIN};
		return n;
	}
	if (may_try(d))
		*timeout_ms = until(d->next_at_us, *timeout_ms);
	for (int i = 0; i < d->tries; i++)
		if (d->try[i].fd >= 0)
			p[n++] = (struct pollfd){.fd = d->try[i].fd, .events = POLLOUT};
	return n;
}

bool
ts_dial_looks_up(const struct ts_dial *d)
{
	return !d->begun;
}

enum ts_code
ts_dial_new(struct ts_dial **out, const char *host, int port, int seconds, struct ts_err *err)
{
	struct ts_dial *d = ts_alloc(1, sizeof(*d));
	enum ts_code code;

	*out = d;
	if (!d)
		return ts_err_nomem(err);
	if (seconds > 0)
		d->until_us = ts_clock_us() + seconds * INT64_C(1000000);
	code = lookup_new(&d->lookup, host, port, err);
	if (code != TS_OK) {
		ts_dial_free(d);
		*out = NULL;
	}
	return code;
}

void
ts_dial_free(struct ts_dial *d)
{
	if (!d)
		return;
	for (int i = 0; i < d->tries; i++)
		if (d->try[i].fd >= 0)
			close(d->try[i].fd);
	let_go(d->lookup);
	free(d);
}
