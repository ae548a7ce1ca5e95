/* SPDX-License-Identifier: MIT */
/*
 * host_link - the connection of a host: its channels, what is out on them, how much may be, and what is lost.
 *
 * What is not urgent is kept to as much as the connection brings within its round trip and QUEUE_US: more would stand in
 * the way of what is urgent without being there sooner. That is found by trying: whenever the bound stood in the way for a
 * while, the next one is what came in that while for each microsecond, times the round trip and QUEUE_US.
 */
#include "config.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "host_internal.h"
#include "tilescope/base/clock.h"
#include "tilescope/base/mem.h"
#include "tilescope/io/uri.h"

enum {
	OUT_MAX = 1 << 20,	/* bytes of requests that wait to be sent, on a channel */
	OUT_FULL = 128 << 10,	/* no more are made while so many wait */
	CHANNEL_BULK = 1 << 20, /* bytes out on a channel that are not urgent */
	WINDOW_MIN = 256 << 10, /* ... on all of them */
	WINDOW_MAX = 8 << 20,
	SHARED_BULK = 128 << 10, /* ... on the urgent channel, while there is no other */
	QUEUE_US = 50 * 1000,
	EPOCH_US = 10 * 1000,
	CONNECT_MS = 60 * 1000,
	STALL_MS = 30 * 1000,
	KEEPALIVE_MS = 15 * 1000,
	SLEPT_US = 20 * 1000 * 1000, /* a connection outlives shorter sleep */
	READ_MIN = 4 << 10,	     /* bytes of a READ, if a server says that it gives less */
};

/* Seconds before the first, second, ... attempt to reach a lost host again; then the last one. */
static const int delays_s[] = {0, 1, 2, 4, 8, 15};

static int
ms_of(int said, int usual)
{
	return said > 0 ? said : usual;
}

/* --- channels --------------------------------------------------------------------------------- */

static int
open_channels(const struct ts_host *h)
{
	int n = 0;

	for (int i = 0; i < HOST_CHANNELS; i++)
		n += h->channel[i].is != NO_CHANNEL;
	return n;
}

static void
close_channel(struct ts_host *h, struct channel *c)
{
	if (c->is == NO_CHANNEL)
		return;
	if (h->transport)
		ts_transport_close(h->transport, c->number);
	ts_strbuf_fini(&c->out);
	ts_sftp_reader_fini(&c->reader);
	c->is = NO_CHANNEL;
}

static enum ts_code
open_channel(struct ts_host *h, int channel, struct ts_err *err)
{
	static const struct ts_sftp_request hello = {.type = TS_SFTP_INIT};
	struct channel *c = &h->channel[channel];
	enum ts_code code;

	memset(c, 0, sizeof(*c));
	code = ts_transport_open(h->transport, &c->number, err);
	if (code)
		return code;
	c->is = HELLO;
	ts_strbuf_init(&c->out, OUT_MAX);
	ts_sftp_put(&c->out, &hello);
	return TS_OK;
}

/* What was out on it is told that it was lost. */
static void
drop_slots(struct ts_host *h, int channel)
{
	struct channel *c = &h->channel[channel];

	for (int i = 0; i < TS_SFTP_FLIGHT; i++) {
		const struct slot s = c->slot[i];

		if (c->is == NO_CHANNEL || !c->flight.type[i])
			continue;
		c->flight.type[i] = 0;
		h->out--;
		if (s.rq)
			s.rq->out--;
		if (s.file)
			s.file->out--;
		s.answered(h, channel, &s, NULL);
	}
	h->bulk.out -= c->bulk;
	c->bulk = 0;
	memset(&c->flight, 0, sizeof(c->flight));
	host_files_lost(h, channel);
}

/* --- connecting and losing -------------------------------------------------------------------- */

void
ts_host_spec_to(struct ts_host_spec *spec, const struct ts_uri *u, enum ts_way way,
	const char *config)
{
	spec->to.host = u->host;
	spec->to.user = u->user[0] ? u->user : NULL;
	spec->to.port = u->port;
	spec->to.config = config;
	spec->connect = way == TS_WAY_LIBSSH ? ts_transport_libssh_new
		: way == TS_WAY_SSH	     ? ts_transport_child_new
					     : ts_transport_auto_new;
	spec->otherwise = way == TS_WAY_AUTO ? ts_transport_child_new : NULL;
}

void
host_connect(struct ts_host *h)
{
	struct ts_err err = {0};
	enum ts_code code;

	h->began_us = ts_clock_us();
	h->now.next_us = 0;
	h->most = ms_of(h->spec.channels, HOST_CHANNELS);
	h->max_read = TS_SFTP_READ_USUAL;
	h->now.rtt_us = 0;
	h->now.window = WINDOW_MIN;
	h->now.connections++;
	memset(&h->bulk, 0, sizeof(h->bulk));
	h->spec.to.alone = h->tries > 1; /* the first attempt is free to find a master that lives */
	code = (h->beyond ? h->spec.otherwise : h->spec.connect)(&h->transport, &h->spec.to, &err);
	if (!code) {
		h->now.transport = h->transport->ops->name;
		snprintf(h->now.left_out, sizeof(h->now.left_out), "%s",
			h->transport->left_out ? h->transport->left_out : "");
		code = open_channel(h, HOST_URGENT, &err);
	}
	if (code)
		host_lose(h, &err, true);
}

void
host_leave(struct ts_host *h)
{
	for (int i = 0; i < HOST_CHANNELS; i++) {
		drop_slots(h, i);
		close_channel(h, &h->channel[i]);
	}
	ts_transport_free(h->transport);
	h->transport = NULL;
	h->now.channels = 0;
	h->now.asking = false;
}

/* What one clock counts and the other does not; 0: they do not tell. */
static int64_t
slept_us(void)
{
	struct timespec all, awake;

	if (clock_gettime(CLOCK_BOOTTIME, &all) < 0 || clock_gettime(CLOCK_MONOTONIC, &awake) < 0)
		return 0;
	return (all.tv_sec - awake.tv_sec) * INT64_C(1000000) +
		(all.tv_nsec - awake.tv_nsec) / 1000;
}

/* How long this machine has slept since it was asked last; 0: not so long that it ends a connection. */
static int64_t
just_slept_us(struct ts_host *h)
{
	int64_t slept = h->spec.slept_us ? h->spec.slept_us() : slept_us();
	int64_t since = h->slept_us ? slept - h->slept_us : 0;

	h->slept_us = ts_max_i64(slept, 1);
	return since > SLEPT_US ? since : 0;
}

/* `slept`: what just_slept_us() says; it is why, then, whatever else has told of the loss. */
static void
lose(struct ts_host *h, const struct ts_err *why, bool hopeless, int64_t slept)
{
	struct ts_err err = *why; /* it may be the transport's */
	bool first = h->now.is == TS_HOST_CONNECTING;
	int attempt = h->tries + 1;
	int delay = delays_s[attempt <= (int)TS_COUNT(delays_s) ? attempt - 1
								: (int)TS_COUNT(delays_s) - 1];

	if (h->now.is == TS_HOST_FAILED)
		return;
	if (h->now.is == TS_HOST_CONNECTED) {
		h->now.slept_us = slept;
		if (slept > 0 && !hopeless)
			ts_err_set(&err, TS_E_CONNECT, "%s: this machine was asleep for %lld s",
				h->spec.to.host, (long long)((slept + 500000) / 1000000));
	}
	h->now.err = err;
	h->now.attempt = h->tries = attempt;
	h->now.next_us = ts_clock_us() + delay * INT64_C(1000000);
	h->now.is = first || hopeless || (h->spec.attempts > 0 && attempt > h->spec.attempts)
		? TS_HOST_FAILED
		: TS_HOST_RECONNECTING;
	host_leave(h);
	if (h->now.is == TS_HOST_FAILED) {
		h->now.next_us = 0;
		host_fail_all(h, &err);
	}
}

void
host_lose(struct ts_host *h, const struct ts_err *why, bool hopeless)
{
	lose(h, why, hopeless, just_slept_us(h));
}

/* What the server says makes no sense. */
static void
leave_for_good(struct ts_host *h, const struct ts_err *why)
{
	struct ts_err err = *why;

	err.code = TS_E_CONNECT;
	ts_err_prefix(&err, "%s: ", h->spec.to.host);
	host_lose(h, &err, true);
}

/* --- packets ---------------------------------------------------------------------------------- */

bool
host_room(const struct ts_host *h, int channel)
{
	const struct channel *c = &h->channel[channel];
	bool speaks = c->is == SPEAKS || (c->is == HELLO && channel == HOST_URGENT);

	return speaks && c->flight.count < TS_SFTP_FLIGHT && c->out.len - c->out_at < OUT_FULL;
}

bool
host_room_for(const struct ts_host *h, int channel, int packets)
{
	return h->channel[channel].flight.count + packets <= TS_SFTP_FLIGHT;
}

bool
host_knows_handle(const struct ts_host *h, int channel, int packets)
{
	const struct channel *c = &h->channel[channel];

	return c->is == SPEAKS && c->numbers && !c->handles && host_room_for(h, channel, packets);
}

void
host_send(struct ts_host *h, int channel, const struct slot *s, struct ts_sftp_request *packet)
{
	struct channel *c = &h->channel[channel];
	int slot = ts_sftp_flight_take(&c->flight, packet->type, &packet->id);
	int64_t now = ts_clock_us();

	if (slot < 0) {
		s->answered(h, channel, s, NULL);
		return;
	}
	c->handles |= packet->type == TS_SFTP_OPEN || packet->type == TS_SFTP_OPENDIR;
	c->slot[slot] = *s;
	c->slot[slot].sent_us = now;
	c->slot[slot].early = c->is == HELLO;
	c->slot[slot].depth = s->rq ? s->rq->reached + 1 : 0;
	ts_sftp_put(&c->out, packet);
	if (h->out++ == 0)
		h->asked_us = now;
	if (s->rq)
		s->rq->out++;
	if (s->file)
		s->file->out++;
	if (s->rq && !s->rq->urgent) {
		c->bulk += s->n;
		h->bulk.out += s->n;
	}
	h->now.requests++;
}

static void
bulk_came(struct ts_host *h, struct channel *c, const struct slot *s)
{
	int64_t now = ts_clock_us(), took = now - h->bulk.from_us;
	double rate;

	c->bulk -= s->n;
	h->bulk.out -= s->n;
	h->bulk.bytes += s->n;
	if (took < ts_max_i64(h->now.rtt_us, EPOCH_US))
		return;
	if (h->bulk.limited && h->bulk.from_us) {
		rate = (double)h->bulk.bytes / (double)took;
		h->now.window = ts_clamp_i64((int64_t)(rate * (double)(h->now.rtt_us + QUEUE_US)),
			WINDOW_MIN, WINDOW_MAX);
	}
	h->bulk.from_us = now;
	h->bulk.bytes = 0;
	h->bulk.limited = false;
}

static void
landed(struct ts_host *h, int channel, int slot, const struct ts_sftp_reply *reply)
{
	struct channel *c = &h->channel[channel];
	const struct slot s = c->slot[slot];
	int64_t took = ts_max_i64(ts_clock_us() - s.sent_us, 1);

	h->out--;
	if (!s.early && (!h->now.rtt_us || took < h->now.rtt_us))
		h->now.rtt_us = took;
	if (s.rq) {
		s.rq->out--;
		if (s.depth > s.rq->reached)
			s.rq->reached = s.depth;
		if (!s.rq->urgent)
			bulk_came(h, c, &s);
	}
	if (s.file)
		s.file->out--;
	s.answered(h, channel, &s, reply);
}

static void
limits_are(struct ts_host *h, int channel, const struct slot *s, const struct ts_sftp_reply *reply)
{
	uint64_t n = reply && reply->type == TS_SFTP_EXTENDED_REPLY ? reply->max_read : 0;

	(void)channel;
	(void)s;
	if (n > 0)
		h->max_read = (uint32_t)(n < READ_MIN ? READ_MIN
				: n > TS_SFTP_DATA    ? TS_SFTP_DATA
						      : n);
}

void
host_ignored(struct ts_host *h, int channel, const struct slot *s,
	const struct ts_sftp_reply *reply)
{
	(void)h;
	(void)channel;
	(void)s;
	(void)reply;
}

static void
channel_speaks(struct ts_host *h, int channel, const struct ts_sftp_reply *reply)
{
	static const struct slot limits = {.answered = limits_are};
	struct ts_sftp_request ask = {.type = TS_SFTP_EXTENDED};

	if (reply->type != TS_SFTP_VERSION_IS || reply->id != TS_SFTP_VERSION) {
		ts_err_set(&h->nonsense, TS_E_CONNECT,
			"the server speaks version %u of SFTP, not %d", (unsigned)reply->id,
			TS_SFTP_VERSION);
		return;
	}
	h->channel[channel].is = SPEAKS;
	h->channel[channel].numbers = reply->has_limits; /* an extension of OpenSSH's */
	h->now.channels++;
	if (channel != HOST_URGENT)
		return;
	h->now.is = TS_HOST_CONNECTED;
	h->now.attempt = 0;
	if (reply->has_limits)
		host_send(h, channel, &limits, &ask);
}

/* All replies that are whole. False: the channel is no more. */
static bool
take_replies(struct ts_host *h, int channel)
{
	struct channel *c = &h->channel[channel];
	struct ts_sftp_reply reply;
	bool whole = true, hello;
	int slot;

	h->nonsense.code = TS_OK;
	while (c->is != NO_CHANNEL) {
		hello = c->is == HELLO;
		if (ts_sftp_next(&reply, &whole, &c->reader, &h->nonsense) && hello)
			/* the text of a shell's start-up file is taken for a length */
			ts_err_set(&h->nonsense, TS_E_CONNECT,
				"what comes first is not SFTP: does a start-up file of the shell there "
				"print something?");
		if (h->nonsense.code == TS_OK) {
			if (!whole)
				return true;
			if (hello)
				channel_speaks(h, channel, &reply);
			else if (!ts_sftp_flight_land(&c->flight, &slot, &reply, &h->nonsense))
				landed(h, channel, slot, &reply);
		}
		if (h->nonsense.code)
			leave_for_good(h, &h->nonsense);
	}
	return false;
}

/* A channel has ended: the first one is the connection, of the others there are fewer from now on. */
static void
channel_ended(struct ts_host *h, int channel, const struct ts_err *why)
{
	if (channel == HOST_URGENT) {
		host_lose(h, why,
			h->transport->state == TS_TRANSPORT_FAILED && h->transport->hopeless);
		return;
	}
	h->now.channels -= h->channel[channel].is == SPEAKS;
	drop_slots(h, channel);
	close_channel(h, &h->channel[channel]);
	h->most = open_channels(h);
}

/* Whatever has come on a channel; true when there was something. */
static bool
receive(struct ts_host *h, int channel)
{
	struct channel *c = &h->channel[channel];
	struct ts_err err = {0};
	bool any = false;

	while (c->is != NO_CHANNEL) {
		size_t room, got;
		void *to = ts_sftp_reader_room(&c->reader, &room);
		enum ts_code code = to
			? ts_transport_read(h->transport, c->number, to, room, &got, &err)
			: ts_err_nomem(&err);

		if (code) {
			channel_ended(h, channel, &err);
			return true;
		}
		if (got == 0)
			break;
		any = true;
		h->heard_us = ts_clock_us();
		h->now.received += (int64_t)got;
		ts_sftp_reader_came(&c->reader, got);
		if (!take_replies(h, channel))
			break;
	}
	return any;
}

/* As much of what waits as the transport takes; true when it took something. */
static bool
flush(struct ts_host *h, int channel)
{
	struct channel *c = &h->channel[channel];
	struct ts_err err = {0};
	size_t put, n = c->is == NO_CHANNEL ? 0 : c->out.len - c->out_at;

	if (n == 0)
		return false;
	if (ts_transport_write(h->transport, c->number, c->out.s + c->out_at, n, &put, &err))
		return false; /* reading says it, too */
	c->out_at += put;
	h->now.sent += (int64_t)put;
	if (c->out_at == c->out.len) {
		ts_strbuf_reset(&c->out);
		c->out_at = 0;
	}
	return put > 0;
}

static void
look_at_transport(struct ts_host *h)
{
	struct ts_transport *t = h->transport;

	ts_transport_step(t);
	h->now.doing = t->doing;
	h->now.asking = t->state == TS_TRANSPORT_ASKING;
	if (h->now.asking)
		h->began_us = ts_clock_us();
	if (t->state != TS_TRANSPORT_FAILED)
		return;
	if (t->beyond && h->spec.otherwise && !h->beyond) {
		h->beyond = true;
		host_leave(h);
		host_connect(h);
	} else {
		host_lose(h, &t->err, t->hopeless);
	}
}

void
host_turn(struct ts_host *h)
{
	bool any = true;

	while (any && h->transport) {
		any = false;
		look_at_transport(h);
		for (int i = 0; i < HOST_CHANNELS && h->transport; i++)
			any |= receive(h, i);
		if (h->transport)
			host_pump(h);
		for (int i = 0; i < HOST_CHANNELS && h->transport; i++)
			any |= flush(h, i);
	}
}

/* --- which channel ---------------------------------------------------------------------------- */

/* Another channel, if the host gives one. */
static void
want_channel(struct ts_host *h)
{
	int open = open_channels(h), empty = 0;

	while (empty < HOST_CHANNELS && h->channel[empty].is != NO_CHANNEL)
		empty++;
	if (h->now.is != TS_HOST_CONNECTED || open >= h->most || empty == HOST_CHANNELS)
		return;
	if (open_channel(h, empty, NULL))
		h->most = open;
}

int
host_quiet_channel(const struct ts_host *h)
{
	for (int i = HOST_URGENT + 1; i < HOST_CHANNELS; i++)
		if (host_room(h, i))
			return i;
	return HOST_URGENT;
}

/* The least busy one where the file is open; `none` says that it is open on none, `busy` that this is about to change. */
static int
least_busy(struct ts_host *h, struct ts_host_file *f, bool *none, bool *busy)
{
	int best = -1, closed = -1;

	*none = true;
	*busy = false;
	for (int i = HOST_URGENT + 1; i < HOST_CHANNELS; i++) {
		const struct channel *c = &h->channel[i];
		enum on_channel on = f->on[i].is;

		if (c->is == NO_CHANNEL)
			continue;
		*busy |= c->is == HELLO || on == OPENING || on == CHECKING;
		*none &= on != OPEN;
		if (!host_room(h, i) || c->bulk >= CHANNEL_BULK)
			continue;
		if (on == NOT_OPEN)
			closed = i;
		else if (on == OPEN && (best < 0 || c->bulk < h->channel[best].bulk))
			best = i;
	}
	if (best < 0 && closed >= 0) {
		(void)host_file_ready(h, f, closed);
		*busy = true;
	}
	return best;
}

int
host_bulk_channel(struct ts_host *h, struct ts_host_file *f, size_t n)
{
	const struct channel *first = &h->channel[HOST_URGENT];
	bool none, busy, alone;
	int best;

	if ((int64_t)(h->bulk.out + n) > h->now.window && h->bulk.out > 0) {
		h->bulk.limited = true;
		return -1;
	}
	best = least_busy(h, f, &none, &busy);
	if (best >= 0)
		return best;
	alone = h->most <= 1;
	if (none && (alone || first->bulk == 0 || first->bulk + n <= SHARED_BULK))
		return HOST_URGENT;
	if (!busy)
		want_channel(h);
	return -1;
}

/* --- time ------------------------------------------------------------------------------------- */

static void
keep_alive(struct ts_host *h)
{
	static const struct slot ignored = {.answered = host_ignored};
	struct ts_sftp_request ask = {.type = TS_SFTP_REALPATH, .text = ".", .n = 1};

	if (host_room(h, HOST_URGENT))
		host_send(h, HOST_URGENT, &ignored, &ask);
}

/* When something is to happen, whatever comes; 0: nothing. */
static int64_t
next_us(const struct ts_host *h)
{
	int64_t since = ts_max_i64(h->heard_us, h->asked_us);

	if (h->now.is == TS_HOST_FAILED || (h->transport && h->now.asking))
		return 0;
	if (!h->transport)
		return h->now.next_us;
	if (h->now.is != TS_HOST_CONNECTED)
		return h->began_us + ms_of(h->spec.connect_ms, CONNECT_MS) * INT64_C(1000);
	return since +
		INT64_C(1000) *
		(h->out > 0 ? ms_of(h->spec.stall_ms, STALL_MS)
			    : ms_of(h->spec.keepalive_ms, KEEPALIVE_MS));
}

/* Nobody at the other end has waited so long: what answers is another connection. */
static void
look_for_sleep(struct ts_host *h)
{
	const struct ts_err asleep = {0};
	int64_t slept = just_slept_us(h);

	if (slept > 0 && h->now.is == TS_HOST_CONNECTED)
		lose(h, &asleep, false, slept);
}

void
host_watch(struct ts_host *h)
{
	struct ts_err err = {0};
	int64_t next;

	look_for_sleep(h);
	next = next_us(h);

	if (next == 0 || ts_clock_us() < next)
		return;
	if (!h->transport) {
		host_connect(h);
	} else if (h->now.is == TS_HOST_CONNECTED && h->out == 0) {
		keep_alive(h);
	} else {
		ts_err_set(&err, TS_E_CONNECT, "%s: %s", h->spec.to.host,
			h->now.is == TS_HOST_CONNECTED ? "the host does not answer any more"
						       : "the host is not reached in time");
		host_lose(h, &err, false);
	}
}

int
host_patience(struct ts_host *h)
{
	int64_t next = next_us(h), left = next - ts_clock_us();

	if (next == 0)
		return -1;
	return left < 0 ? 0 : (int)ts_min_i64(left / 1000 + 1, INT64_C(1000) * 3600);
}
