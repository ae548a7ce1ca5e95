/* SPDX-License-Identifier: MIT */
/*
 * host - see the header: what other threads call, the thread of a host, and the state that is shown.
 *
 * Requests are on the heap: the one who waits for one may leave at any time, what was still to be answered finds a place to
 * go, and the thread frees it. The lock is held for moments only, never in a call of the transport.
 */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

#include "host_internal.h"
#include "tilescope/base/clock.h"
#include "tilescope/base/mem.h"
#include "tilescope/base/thread.h"

enum { LOOK_MS = 20 }; /* between two looks at a cancel token */

static void
ring(int fd)
{
	const uint64_t one = 1;

	(void)!write(fd, &one, sizeof(one));
}

static void
silence(int fd)
{
	uint64_t n;

	(void)!read(fd, &n, sizeof(n));
}

/* --- requests that end ------------------------------------------------------------------------ */

void
ts_host_list_fini(struct ts_host_list *l)
{
	for (size_t i = 0; i < l->count; i++)
		free(l->entry[i].name);
	free(l->entry);
	*l = (struct ts_host_list){0};
}

void
host_request_free(struct request *rq)
{
	if (!rq)
		return;
	ts_host_list_fini(&rq->list);
	free(rq->path);
	free(rq->part);
	free(rq->text);
	free(rq->own);
	free(rq);
}

void
host_end(struct ts_host *h, struct request *rq)
{
	bool ours = true;

	if (rq->read.done)
		rq->read.done(rq->read.ctx, rq->code, &rq->err);
	if (rq->sync) {
		pthread_mutex_lock(&h->lock);
		ours = atomic_load(&rq->abandoned);
		rq->ended = true;
		pthread_cond_broadcast(&h->ended);
		pthread_mutex_unlock(&h->lock);
	}
	if (ours)
		host_request_free(rq);
}

void
host_fail_all(struct ts_host *h, const struct ts_err *why)
{
	for (int i = 0; i < 2; i++)
		for (struct request *rq = h->queue[i]; rq; rq = rq->next)
			if (rq->kind != RQ_CLOSE)
				host_fail(h, rq, why);
	host_pump(h); /* which lets them go */
}

/* --- the thread ------------------------------------------------------------------------------- */

/* What others have put there. False: leave. */
static bool
take_orders(struct ts_host *h)
{
	struct ts_err why;
	struct request *rq;
	uint64_t answered;
	bool quit, stop, retry, refused;
	char answer[TS_ANSWER_MAX];
	size_t n;

	pthread_mutex_lock(&h->lock);
	rq = h->shared.inbox;
	h->shared.inbox = NULL;
	h->shared.inbox_end = &h->shared.inbox;
	quit = h->shared.quit;
	stop = h->shared.stop;
	retry = h->shared.retry;
	answered = h->shared.answered;
	refused = h->shared.refused;
	n = h->shared.answer_n;
	memcpy(answer, h->shared.answer, n);
	explicit_bzero(h->shared.answer, sizeof(h->shared.answer));
	h->shared.stop = h->shared.retry = false;
	h->shared.answered = h->shared.answer_n = 0;
	pthread_mutex_unlock(&h->lock);

	if (answered && h->transport && h->transport->state == TS_TRANSPORT_ASKING &&
		h->transport->question.number == answered)
		ts_transport_answer(h->transport, refused ? NULL : answer, n);
	explicit_bzero(answer, sizeof(answer));
	if (stop && h->now.is != TS_HOST_FAILED) {
		ts_err_set(&why, TS_E_CONNECT, "%s: stopped", h->spec.to.host);
		host_lose(h, &why, true);
	}
	while (rq) { /* who asks behind a stop means the attempt that comes */
		struct request *next = rq->next;

		host_queue(h, rq);
		rq = next;
	}
	if (retry && !quit && !h->transport) {
		h->now.is = h->known ? TS_HOST_RECONNECTING : TS_HOST_CONNECTING;
		h->tries = 0;
		h->now.attempt = 1;
		host_connect(h);
	}
	return !quit;
}

static void
publish(struct ts_host *h)
{
	struct ts_host_state *s = &h->shared.state;
	bool news, asking = h->transport && h->now.asking;

	h->known |= h->now.is == TS_HOST_CONNECTED;
	pthread_mutex_lock(&h->lock);
	news = s->is != h->now.is || s->asking != asking || s->attempt != h->now.attempt ||
		s->next_us != h->now.next_us || s->doing != h->now.doing ||
		s->transport != h->now.transport ||
		(asking && h->shared.question.number != h->transport->question.number);
	h->now.asking = asking;
	*s = h->now;
	h->shared.silent_since_us = h->out > 0 && h->now.is == TS_HOST_CONNECTED
		? ts_max_i64(h->heard_us, h->asked_us)
		: 0;
	if (asking)
		h->shared.question = h->transport->question;
	pthread_mutex_unlock(&h->lock);
	if (news)
		ring(h->shown);
}

static void
wait_for_something(struct ts_host *h)
{
	struct pollfd p[TS_TRANSPORT_FDS + 1];
	int timeout = -1, n = h->transport ? ts_transport_fds(h->transport, p, &timeout) : 0;
	int patience = host_patience(h);

	if (timeout < 0 || (patience >= 0 && patience < timeout))
		timeout = patience;
	p[n++] = (struct pollfd){.fd = h->wake, .events = POLLIN};
	if (poll(p, (nfds_t)n, timeout) > 0 && p[n - 1].revents)
		silence(h->wake);
}

static void *
run(void *arg)
{
	struct ts_host *h = arg;
	struct ts_err why;

	host_connect(h);
	while (take_orders(h)) {
		host_watch(h);
		host_turn(h);
		if (h->now.is == TS_HOST_FAILED)
			host_fail_all(h, &h->now.err);
		host_pump(h);
		publish(h);
		wait_for_something(h);
	}
	ts_err_set(&why, TS_E_CONNECT, "%s: the connection was left", h->spec.to.host);
	host_leave(h);
	host_fail_all(h, &why);
	host_pump(h); /* files whose reads have ended now */
	pthread_mutex_lock(&h->lock);
	h->shared.gone = true;
	pthread_cond_broadcast(&h->ended);
	pthread_mutex_unlock(&h->lock);
	return NULL;
}

/* --- its beginning and end -------------------------------------------------------------------- */

static bool
copy(struct ts_host *h, int i, const char **text)
{
	if (*text && !(h->text[i] = ts_strdup(*text)))
		return false;
	*text = h->text[i];
	return true;
}

static bool
copy_spec(struct ts_host *h, const struct ts_host_spec *spec)
{
	h->spec = *spec;
	return copy(h, 0, &h->spec.to.host) && copy(h, 1, &h->spec.to.user) &&
		copy(h, 2, &h->spec.to.config) && copy(h, 3, &h->spec.to.program) &&
		copy(h, 4, &h->spec.to.askpass);
}

static void
free_host(struct ts_host *h)
{
	if (h->wake >= 0)
		close(h->wake);
	if (h->shown >= 0)
		close(h->shown);
	for (size_t i = 0; i < TS_COUNT(h->text); i++)
		free(h->text[i]);
	explicit_bzero(h->shared.answer, sizeof(h->shared.answer));
	pthread_cond_destroy(&h->ended);
	pthread_mutex_destroy(&h->lock);
	free(h);
}

static int
init_lock(struct ts_host *h)
{
	pthread_condattr_t a;
	int rc = pthread_mutex_init(&h->lock, NULL);

	if (rc)
		return rc;
	rc = pthread_condattr_init(&a);
	if (!rc) {
		(void)pthread_condattr_setclock(&a, CLOCK_MONOTONIC);
		rc = pthread_cond_init(&h->ended, &a);
		pthread_condattr_destroy(&a);
	}
	if (rc)
		pthread_mutex_destroy(&h->lock);
	return rc;
}

enum ts_code
ts_host_new(struct ts_host **out, const struct ts_host_spec *spec, struct ts_err *err)
{
	struct ts_host *h = ts_alloc(1, sizeof(*h));
	int rc;

	*out = NULL;
	if (!h)
		return ts_err_nomem(err);
	rc = init_lock(h);
	if (rc) {
		free(h);
		return ts_err_sys(err, rc, "cannot begin a connection");
	}
	h->shared.inbox_end = &h->shared.inbox;
	h->wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	h->shown = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	rc = h->wake < 0 || h->shown < 0 ? errno
		: !copy_spec(h, spec)	 ? ENOMEM
					 : ts_thread_start(&h->thread, NULL, run, h);
	if (rc) {
		free_host(h);
		return rc == ENOMEM ? ts_err_nomem(err)
				    : ts_err_sys(err, rc, "cannot begin a connection");
	}
	*out = h;
	return TS_OK;
}

static void
after(struct timespec *until, int ms)
{
	clock_gettime(CLOCK_MONOTONIC, until);
	until->tv_nsec += ms * 1000000L;
	until->tv_sec += until->tv_nsec / 1000000000L;
	until->tv_nsec %= 1000000000L;
}

bool
ts_host_leave(struct ts_host *h, int ms)
{
	struct timespec until;
	bool gone;

	after(&until, ms);
	pthread_mutex_lock(&h->lock);
	h->shared.quit = true;
	ring(h->wake);
	while (!h->shared.gone && ms > 0 &&
		pthread_cond_timedwait(&h->ended, &h->lock, &until) == 0)
		;
	gone = h->shared.gone;
	pthread_mutex_unlock(&h->lock);
	return gone;
}

bool
ts_host_aside(void *(*release)(void *what), void *what)
{
	pthread_t thread;

	if (ts_thread_start(&thread, NULL, release, what))
		return false;
	pthread_detach(thread);
	return true;
}

bool
ts_host_has_ended(struct ts_host *h)
{
	bool gone;

	pthread_mutex_lock(&h->lock);
	gone = h->shared.gone;
	pthread_mutex_unlock(&h->lock);
	return gone;
}

void
ts_host_free(struct ts_host *h)
{
	struct ts_err why;

	if (!h)
		return;
	(void)ts_host_leave(h, 0);
	pthread_join(h->thread, NULL);
	/* files that were closed since */
	ts_err_set(&why, TS_E_CONNECT, "%s: the connection was left", h->spec.to.host);
	(void)take_orders(h);
	host_fail_all(h, &why);
	host_pump(h);
	free_host(h);
}

/* --- how it is -------------------------------------------------------------------------------- */

void
ts_host_state(struct ts_host *h, struct ts_host_state *s)
{
	silence(h->shown);
	pthread_mutex_lock(&h->lock);
	*s = h->shared.state;
	s->silent_us = h->shared.silent_since_us ? ts_clock_us() - h->shared.silent_since_us : 0;
	pthread_mutex_unlock(&h->lock);
}

int
ts_host_fd(const struct ts_host *h)
{
	return h->shown;
}

bool
ts_host_question(struct ts_host *h, struct ts_question *q)
{
	bool asking;

	pthread_mutex_lock(&h->lock);
	asking = h->shared.state.asking;
	if (asking)
		*q = h->shared.question;
	pthread_mutex_unlock(&h->lock);
	return asking;
}

void
ts_host_answer(struct ts_host *h, uint64_t number, const char *text, size_t n)
{
	pthread_mutex_lock(&h->lock);
	if (h->shared.state.asking && h->shared.question.number == number) {
		h->shared.answered = number;
		h->shared.refused = !text || n > TS_ANSWER_MAX;
		h->shared.answer_n = h->shared.refused ? 0 : n;
		if (h->shared.answer_n > 0)
			memcpy(h->shared.answer, text, n);
	}
	pthread_mutex_unlock(&h->lock);
	ring(h->wake);
}

static void
order(struct ts_host *h, bool *what)
{
	pthread_mutex_lock(&h->lock);
	*what = true;
	pthread_mutex_unlock(&h->lock);
	ring(h->wake);
}

void
ts_host_stop(struct ts_host *h)
{
	order(h, &h->shared.stop);
}

void
ts_host_retry(struct ts_host *h)
{
	order(h, &h->shared.retry);
}

/* --- requests --------------------------------------------------------------------------------- */

static void
send(struct ts_host *h, struct request *rq)
{
	rq->next = NULL;
	pthread_mutex_lock(&h->lock);
	*h->shared.inbox_end = rq;
	h->shared.inbox_end = &rq->next;
	pthread_mutex_unlock(&h->lock);
	ring(h->wake);
}

static struct request *
make(enum request_kind kind, const char *path, bool urgent)
{
	struct request *rq = ts_alloc(1, sizeof(*rq));

	if (!rq)
		return NULL;
	rq->kind = kind;
	rq->urgent = urgent;
	rq->path = ts_strdup(path);
	if (rq->path || !path)
		return rq;
	free(rq);
	return NULL;
}

/* Has it ended? Waits for a moment. */
static bool
has_ended(struct ts_host *h, struct request *rq, bool leave)
{
	struct timespec until;
	bool ended;

	after(&until, LOOK_MS);
	pthread_mutex_lock(&h->lock);
	if (!rq->ended && !leave)
		(void)pthread_cond_timedwait(&h->ended, &h->lock, &until);
	ended = rq->ended;
	if (!ended && leave)
		atomic_store(&rq->abandoned, true);
	pthread_mutex_unlock(&h->lock);
	return ended;
}

/* Waits for what was sent. TS_E_CANCELLED: it is no longer the caller's; else it is, also with an error. */
static enum ts_code
await(struct ts_host *h, struct request *rq, const struct ts_cancel *cancel, struct ts_err *err)
{
	while (!has_ended(h, rq, false))
		if ((ts_cancelled(cancel) || ts_host_has_ended(h)) && !has_ended(h, rq, true)) {
			ring(h->wake);
			return ts_err_set(err, TS_E_CANCELLED, "cancelled");
		}
	if (rq->code && err)
		*err = rq->err;
	return rq->code;
}

/* Sends it and waits, as await(). */
static enum ts_code
ask(struct ts_host *h, struct request *rq, const struct ts_cancel *cancel, struct ts_err *err)
{
	rq->sync = true;
	send(h, rq);
	return await(h, rq, cancel, err);
}

/* As ask(); with an error the request is freed in any case. */
static enum ts_code
ask_or_free(struct ts_host *h, struct request *rq, const struct ts_cancel *cancel,
	struct ts_err *err)
{
	enum ts_code code = ask(h, rq, cancel, err);

	if (code && code != TS_E_CANCELLED)
		host_request_free(rq);
	return code;
}

enum ts_code
ts_host_stat(struct ts_host *h, struct ts_host_attrs *out, const char *path, bool urgent,
	const struct ts_cancel *cancel, struct ts_err *err)
{
	struct request *rq = make(RQ_STAT, path, urgent);
	enum ts_code code = rq ? ask_or_free(h, rq, cancel, err) : ts_err_nomem(err);

	if (code)
		return code;
	*out = rq->attrs;
	host_request_free(rq);
	return TS_OK;
}

/* What is asked side by side. */
struct many {
	struct request *(*make)(void *all, size_t i, bool urgent); /* NULL: no memory */
	void (*take)(void *all, size_t i, struct request *rq, enum ts_code code);
	void *all;
};

/* An error that is none of one request's own. */
static bool
ends_many(enum ts_code code)
{
	return code == TS_E_CANCELLED || code == TS_E_CONNECT || code == TS_E_NOMEM;
}

/* Send n, then wait for each. */
static enum ts_code
ask_many(struct ts_host *h, const struct many *m, size_t n, bool urgent,
	const struct ts_cancel *cancel, struct ts_err *err)
{
	struct request **rq = ts_alloc(n, sizeof(struct request *));
	enum ts_code code = rq || n == 0 ? TS_OK : ts_err_nomem(err);
	size_t sent = 0;

	while (!code && sent < n) {
		rq[sent] = m->make(m->all, sent, urgent);
		if (!rq[sent]) {
			code = ts_err_nomem(err);
			break;
		}
		rq[sent]->sync = true;
		rq[sent]->beside = sent > 0;
		send(h, rq[sent++]);
	}
	for (size_t i = 0; i < sent; i++) {
		struct ts_err why = {0};
		enum ts_code one = TS_E_CANCELLED;

		if (code != TS_E_CANCELLED || has_ended(h, rq[i], true))
			one = await(h, rq[i], cancel, &why);
		m->take(m->all, i, rq[i], one);
		if (one != TS_E_CANCELLED)
			host_request_free(rq[i]);
		if (!code && ends_many(one)) {
			code = one;
			if (err)
				*err = why;
		}
	}
	free(rq);
	return code;
}

static struct request *
make_look(void *all, size_t i, bool urgent)
{
	const struct ts_host_look *look = (const struct ts_host_look *)all + i;

	return make(look->real ? RQ_REALPATH : RQ_STAT, look->path, urgent);
}

static void
take_look(void *all, size_t i, struct request *rq, enum ts_code code)
{
	struct ts_host_look *look = (struct ts_host_look *)all + i;

	look->code = code;
	if (code)
		return;
	look->attrs = rq->attrs;
	look->text = rq->text;
	rq->text = NULL;
}

enum ts_code
ts_host_stat_all(struct ts_host *h, struct ts_host_look *look, size_t n, bool urgent,
	const struct ts_cancel *cancel, struct ts_err *err)
{
	const struct many m = {.make = make_look, .take = take_look, .all = look};

	for (size_t i = 0; i < n; i++)
		look[i].text = NULL;
	return ask_many(h, &m, n, urgent, cancel, err);
}

static struct request *
make_listing(void *all, size_t i, bool urgent)
{
	return make(RQ_LIST, ((const struct ts_host_listing *)all + i)->path, urgent);
}

static void
take_listing(void *all, size_t i, struct request *rq, enum ts_code code)
{
	struct ts_host_listing *l = (struct ts_host_listing *)all + i;

	l->code = code;
	if (code)
		return;
	l->list = rq->list;
	rq->list = (struct ts_host_list){0};
}

enum ts_code
ts_host_list_all(struct ts_host *h, struct ts_host_listing *listing, size_t n, bool urgent,
	const struct ts_cancel *cancel, struct ts_err *err)
{
	const struct many m = {.make = make_listing, .take = take_listing, .all = listing};

	for (size_t i = 0; i < n; i++)
		listing[i].list = (struct ts_host_list){0};
	return ask_many(h, &m, n, urgent, cancel, err);
}

enum ts_code
ts_host_list(struct ts_host *h, struct ts_host_list *out, const char *path, bool urgent,
	const struct ts_cancel *cancel, struct ts_err *err)
{
	struct request *rq = make(RQ_LIST, path, urgent);
	enum ts_code code = rq ? ask_or_free(h, rq, cancel, err) : ts_err_nomem(err);

	*out = (struct ts_host_list){0};
	if (code)
		return code;
	*out = rq->list;
	rq->list = (struct ts_host_list){0};
	host_request_free(rq);
	return TS_OK;
}

enum ts_code
ts_host_realpath(struct ts_host *h, char **out, const char *path, bool urgent,
	const struct ts_cancel *cancel, struct ts_err *err)
{
	struct request *rq = make(RQ_REALPATH, path, urgent);
	enum ts_code code = rq ? ask_or_free(h, rq, cancel, err) : ts_err_nomem(err);

	*out = NULL;
	if (code)
		return code;
	*out = rq->text;
	rq->text = NULL;
	host_request_free(rq);
	return TS_OK;
}

/* --- files ------------------------------------------------------------------------------------ */

static struct ts_host_file *
make_file(struct ts_host *h, const char *path, const struct ts_host_opening *as)
{
	struct ts_host_file *f = ts_alloc(1, sizeof(*f));

	if (!f)
		return NULL;
	f->host = h;
	f->path = ts_strdup(path);
	f->closer = make(RQ_CLOSE, NULL, false);
	f->regular = as->regular;
	f->ahead_room = as->ahead < TS_HOST_AHEAD ? as->ahead : TS_HOST_AHEAD;
	if (f->ahead_room > 0)
		f->ahead = malloc(f->ahead_room); /* without it nothing is read with it */
	if (f->path && f->closer) {
		f->closer->file = f;
		return f;
	}
	host_file_free(f);
	return NULL;
}

enum ts_code
ts_host_open(struct ts_host *h, struct ts_host_file **out, const char *path, bool urgent,
	const struct ts_cancel *cancel, struct ts_err *err)
{
	static const struct ts_host_opening plain;

	return ts_host_open_as(h, out, path, &plain, urgent, cancel, err);
}

enum ts_code
ts_host_open_as(struct ts_host *h, struct ts_host_file **out, const char *path,
	const struct ts_host_opening *as, bool urgent, const struct ts_cancel *cancel,
	struct ts_err *err)
{
	struct request *rq = make(RQ_OPEN, path, urgent);
	enum ts_code code;

	*out = NULL;
	if (rq)
		rq->file = make_file(h, path, as);
	if (!rq || !rq->file) {
		host_request_free(rq);
		return ts_err_nomem(err);
	}
	code = ask_or_free(h, rq, cancel, err);
	if (code)
		return code;
	*out = rq->file;
	host_request_free(rq);
	return TS_OK;
}

void
ts_host_close(struct ts_host_file *f)
{
	if (!f)
		return;
	atomic_store(&f->closing, true);
	send(f->host, f->closer);
}

int64_t
ts_host_file_size(const struct ts_host_file *f)
{
	return f->size;
}

bool
ts_host_file_has_failed(const struct ts_host_file *f)
{
	return atomic_load(&f->failed);
}

int64_t
ts_host_file_mtime(const struct ts_host_file *f)
{
	return f->mtime;
}

struct ts_host *
ts_host_file_host(const struct ts_host_file *f)
{
	return f->host;
}

const void *
ts_host_file_first(const struct ts_host_file *f, size_t *n)
{
	*n = f->first_n;
	return f->first;
}

void *
ts_host_file_take_ahead(struct ts_host_file *f, size_t *n)
{
	void *ahead = f->ahead_n > 0 ? f->ahead : NULL;

	*n = f->ahead_n;
	if (!ahead)
		free(f->ahead);
	f->ahead = NULL;
	return ahead;
}

/* --- reading ---------------------------------------------------------------------------------- */

/* Where each range goes, clamped to the file; `got` is what is to come until it has. */
static enum ts_code
make_parts(struct request *rq, struct ts_err *err)
{
	const struct ts_host_read *r = &rq->read;
	size_t at = 0;

	if (r->count > TS_HOST_RANGES)
		return ts_err_set(err, TS_E_LIMIT, "%zu ranges in one read", r->count);
	rq->part = ts_alloc(r->count, sizeof(*rq->part));
	if (!rq->part)
		return ts_err_nomem(err);
	for (size_t i = 0; i < r->count; i++) {
		struct ts_host_range *g = &r->range[i];
		int64_t there = r->file->size - g->offset;

		if (g->offset < 0)
			return ts_err_set(err, TS_E_FORMAT, "read at a negative offset");
		if (g->n > TS_HOST_READ_MAX - at)
			return ts_err_set(err, TS_E_LIMIT, "more than %d bytes in one read",
				TS_HOST_READ_MAX);
		g->got = there <= 0 ? 0 : (int64_t)g->n < there ? g->n : (size_t)there;
		rq->part[i] = (struct part){at, g->got, SIZE_MAX};
		at += g->n;
	}
	return TS_OK;
}

enum ts_code
ts_host_read_send(const struct ts_host_read *r, struct ts_err *err)
{
	struct request *rq = make(RQ_READ, NULL, r->urgent);
	enum ts_code code;

	if (!rq)
		return ts_err_nomem(err);
	rq->read = *r;
	code = make_parts(rq, err);
	if (code) {
		host_request_free(rq);
		return code;
	}
	atomic_fetch_add(&r->file->reads, 1);
	send(r->file->host, rq);
	return TS_OK;
}

/* Bytes and ranges of a read that may be left alone: one block, the ranges first. */
static enum ts_code
own_room(struct request *rq, const struct ts_host_range *range, size_t count, struct ts_err *err)
{
	size_t n = 0;

	for (size_t i = 0; i < count && n <= TS_HOST_READ_MAX; i++)
		n += range[i].n < TS_HOST_READ_MAX ? range[i].n : TS_HOST_READ_MAX + 1;
	if (count > TS_HOST_RANGES || n > TS_HOST_READ_MAX)
		return ts_err_set(err, TS_E_LIMIT, "too much in one read");
	rq->own = ts_alloc(count * sizeof(*range) + n, 1);
	if (!rq->own)
		return ts_err_nomem(err);
	memcpy(rq->own, range, count * sizeof(*range));
	rq->read.range = rq->own;
	rq->read.count = count;
	rq->read.bytes = (char *)rq->own + count * sizeof(*range);
	return make_parts(rq, err);
}

enum ts_code
ts_host_read(struct ts_host_file *f, void *bytes, struct ts_host_range *range, size_t count,
	bool urgent, const struct ts_cancel *cancel, struct ts_err *err)
{
	struct request *rq = make(RQ_READ, NULL, urgent);
	enum ts_code code;

	if (!rq)
		return ts_err_nomem(err);
	rq->read.file = f;
	code = own_room(rq, range, count, err);
	if (code) {
		host_request_free(rq);
		return code;
	}
	atomic_fetch_add(&f->reads, 1);
	code = ask_or_free(f->host, rq, cancel, err);
	if (code)
		return code;
	for (size_t i = 0, at = 0; i < count; at += range[i++].n) {
		range[i].got = rq->read.range[i].got;
		memcpy((char *)bytes + at, (const char *)rq->read.bytes + at, range[i].got);
	}
	host_request_free(rq);
	return TS_OK;
}
