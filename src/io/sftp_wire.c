/* SPDX-License-Identifier: MIT */
/* sftp_wire - see the header. */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "tilescope/base/mem.h"
#include "tilescope/io/sftp_wire.h"

enum {
	LENGTH = 4,	   /* bytes before a packet that say how long it is */
	READER = 64 << 10, /* bytes of a reader at first */
	HAS_SIZE = 0x1,
	HAS_OWNER = 0x2,
	HAS_MODE = 0x4,
	HAS_TIMES = 0x8,
	OPEN_READ = 0x1,
	SLOT_BITS = 8,
	COMPLAINT = 200, /* bytes of a server's words that are repeated */
};

#define HAS_MORE 0x80000000u
#define LIMITS "limits@openssh.com"

_Static_assert(1 << SLOT_BITS == TS_SFTP_FLIGHT, "a slot's number is the low part of an id");

/* --- requests --------------------------------------------------------------------------------- */

/* What a request has behind its id, in this order. */
struct shape {
	bool text, attrs, range;
	const char *word; /* instead of a text */
};

static const struct shape shapes[] = {
	[TS_SFTP_INIT] = {false, false, false, NULL},
	[TS_SFTP_OPEN] = {true, true, false, NULL},
	[TS_SFTP_CLOSE] = {true, false, false, NULL},
	[TS_SFTP_READ] = {true, false, true, NULL},
	[TS_SFTP_LSTAT] = {true, false, false, NULL},
	[TS_SFTP_FSTAT] = {true, false, false, NULL},
	[TS_SFTP_OPENDIR] = {true, false, false, NULL},
	[TS_SFTP_READDIR] = {true, false, false, NULL},
	[TS_SFTP_REALPATH] = {true, false, false, NULL},
	[TS_SFTP_STAT] = {true, false, false, NULL},
	[TS_SFTP_EXTENDED] = {false, false, false, LIMITS},
};

static void
put_u32(struct ts_strbuf *out, uint32_t v)
{
	const char b[4] = {(char)(v >> 24), (char)(v >> 16), (char)(v >> 8), (char)v};

	ts_strbuf_add(out, b, sizeof(b));
}

static void
put_text(struct ts_strbuf *out, const void *text, size_t n)
{
	put_u32(out, (uint32_t)n);
	ts_strbuf_add(out, text, n);
}

void
ts_sftp_put(struct ts_strbuf *out, const struct ts_sftp_request *rq)
{
	const struct shape *s = &shapes[rq->type];
	const void *text = s->word ? s->word : rq->text;
	size_t n = s->word ? strlen(s->word) : s->text ? rq->n : 0;
	bool has_text = s->text || s->word;
	size_t length = 1 + 4 + (has_text ? 4 + n : 0) + (s->attrs ? 8 : 0) + (s->range ? 12 : 0);

	put_u32(out, (uint32_t)length);
	ts_strbuf_putc(out, (char)rq->type);
	put_u32(out, rq->type == TS_SFTP_INIT ? TS_SFTP_VERSION : rq->id);
	if (has_text)
		put_text(out, text, n);
	if (s->attrs) {
		put_u32(out, OPEN_READ);
		put_u32(out, 0); /* no attributes */
	}
	if (s->range) {
		put_u32(out, (uint32_t)(rq->offset >> 32));
		put_u32(out, (uint32_t)rq->offset);
		put_u32(out, rq->length);
	}
}

/* --- which requests are out ------------------------------------------------------------------- */

int
ts_sftp_flight_take(struct ts_sftp_flight *f, enum ts_sftp_type type, uint32_t *id)
{
	if (f->count == TS_SFTP_FLIGHT)
		return -1;
	for (;;) {
		uint32_t slot = f->serial++ % TS_SFTP_FLIGHT;

		if (f->type[slot])
			continue;
		/* of the same slot the next one has another id for 16 million times */
		f->id[slot] = ((f->id[slot] >> SLOT_BITS) + 1) << SLOT_BITS | slot;
		f->type[slot] = (uint8_t)type;
		f->count++;
		*id = f->id[slot];
		return (int)slot;
	}
}

/* May a request of this type be answered so? Each may fail, which CLOSE always says. */
static bool
answers(enum ts_sftp_type request, const struct ts_sftp_reply *reply)
{
	static const uint8_t answer[] = {
		[TS_SFTP_OPEN] = TS_SFTP_HANDLE_IS,
		[TS_SFTP_OPENDIR] = TS_SFTP_HANDLE_IS,
		[TS_SFTP_CLOSE] = TS_SFTP_STATUS,
		[TS_SFTP_READ] = TS_SFTP_DATA_IS,
		[TS_SFTP_READDIR] = TS_SFTP_NAME,
		[TS_SFTP_REALPATH] = TS_SFTP_NAME,
		[TS_SFTP_LSTAT] = TS_SFTP_ATTRS,
		[TS_SFTP_FSTAT] = TS_SFTP_ATTRS,
		[TS_SFTP_STAT] = TS_SFTP_ATTRS,
		[TS_SFTP_EXTENDED] = TS_SFTP_EXTENDED_REPLY,
	};

	if (reply->type == TS_SFTP_STATUS)
		return reply->status != TS_SFTP_OK || request == TS_SFTP_CLOSE;
	return answer[request] == reply->type;
}

enum ts_code
ts_sftp_flight_land(struct ts_sftp_flight *f, int *slot, const struct ts_sftp_reply *reply,
	struct ts_err *err)
{
	uint32_t i = reply->id % TS_SFTP_FLIGHT;

	*slot = -1;
	if (reply->type == TS_SFTP_VERSION_IS || !f->type[i] || f->id[i] != reply->id)
		return ts_err_set(err, TS_E_DAMAGED, "the server answers what was not asked");
	if (!answers(f->type[i], reply))
		return ts_err_set(err, TS_E_DAMAGED,
			"the server answers a request of type %d by one of type %d", f->type[i],
			(int)reply->type);
	f->type[i] = 0;
	f->count--;
	*slot = (int)i;
	return TS_OK;
}

/* --- replies ---------------------------------------------------------------------------------- */

void
ts_sftp_reader_fini(struct ts_sftp_reader *r)
{
	free(r->bytes);
	*r = (struct ts_sftp_reader){0};
}

static uint32_t
be32(const unsigned char *p)
{
	return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
}

/* Bytes of the packet that begins here, with its length; 0: that has not come yet. */
static size_t
packet_bytes(const struct ts_sftp_reader *r)
{
	return r->to - r->from < LENGTH ? 0 : LENGTH + (size_t)be32(r->bytes + r->from);
}

/* A length that is too large was found, or will be, by ts_sftp_next(): it makes no memory here. */
void *
ts_sftp_reader_room(struct ts_sftp_reader *r, size_t *room)
{
	size_t want = packet_bytes(r);

	if (want < READER || want > LENGTH + TS_SFTP_PACKET)
		want = READER;
	if (r->from == r->to)
		r->from = r->to = 0;
	if (r->from > 0 && (r->to == r->cap || r->from + want > r->cap)) {
		memmove(r->bytes, r->bytes + r->from, r->to - r->from);
		r->to -= r->from;
		r->from = 0;
	}
	if (want > r->cap || r->to == r->cap) {
		size_t cap = (want > r->cap ? want : r->cap) + READER;
		unsigned char *bigger = ts_resize(r->bytes, cap, 1);

		if (!bigger)
			return NULL;
		r->bytes = bigger;
		r->cap = cap;
	}
	*room = r->cap - r->to;
	return r->bytes + r->to;
}

void
ts_sftp_reader_came(struct ts_sftp_reader *r, size_t n)
{
	r->to += n;
}

/* What is left of a packet; `bad` once something did not fit. */
struct rest {
	const unsigned char *at;
	size_t n;
	bool bad;
};

static uint32_t
get_u32(struct rest *r)
{
	uint32_t v;

	if (r->bad || r->n < 4) {
		r->bad = true;
		return 0;
	}
	v = be32(r->at);
	r->at += 4;
	r->n -= 4;
	return v;
}

static uint64_t
get_u64(struct rest *r)
{
	uint64_t high = get_u32(r);

	return high << 32 | get_u32(r);
}

static const char *
get_text(struct rest *r, size_t *n)
{
	const char *text;

	*n = get_u32(r);
	if (r->bad || r->n < *n) {
		r->bad = true;
		*n = 0;
		return "";
	}
	text = (const char *)r->at;
	r->at += *n;
	r->n -= *n;
	return text;
}

static void
get_attrs(struct rest *r, struct ts_sftp_attrs *a)
{
	uint32_t flags = get_u32(r);
	size_t n;

	*a = (struct ts_sftp_attrs){flags & HAS_SIZE, flags & HAS_MODE, flags & HAS_TIMES, 0, 0, 0};
	if (flags & ~(HAS_SIZE | HAS_OWNER | HAS_MODE | HAS_TIMES | HAS_MORE)) {
		r->bad = true; /* of another version: what follows could not be told */
		return;
	}
	if (flags & HAS_SIZE)
		a->size = get_u64(r);
	if (flags & HAS_OWNER)
		(void)get_u64(r);
	if (flags & HAS_MODE)
		a->mode = get_u32(r);
	if (flags & HAS_TIMES) {
		(void)get_u32(r);
		a->mtime = get_u32(r);
	}
	if (flags & HAS_MORE)
		for (uint32_t count = get_u32(r); count > 0 && !r->bad; count--) {
			get_text(r, &n);
			get_text(r, &n);
		}
}

static void
get_version(struct ts_sftp_reply *reply, struct rest *r)
{
	while (r->n > 0 && !r->bad) {
		size_t n, value;
		const char *name = get_text(r, &n);

		get_text(r, &value);
		reply->has_limits |= n == strlen(LIMITS) && memcmp(name, LIMITS, n) == 0;
	}
}

/* Servers of older versions have neither words nor a language. */
static void
get_status(struct ts_sftp_reply *reply, struct rest *r)
{
	size_t n;

	reply->status = get_u32(r);
	if (r->n > 0)
		reply->text = get_text(r, &reply->n);
	if (r->n > 0)
		get_text(r, &n);
}

static void
get_handle(struct ts_sftp_reply *reply, struct rest *r)
{
	reply->text = get_text(r, &reply->n);
	r->bad |= reply->n == 0 || reply->n > TS_SFTP_HANDLE;
}

static void
get_data(struct ts_sftp_reply *reply, struct rest *r)
{
	reply->text = get_text(r, &reply->n);
	r->bad |= reply->n > TS_SFTP_DATA;
}

static void
get_name(struct rest *r, struct ts_sftp_name *name)
{
	size_t n;

	name->name = get_text(r, &name->n);
	get_text(r, &n); /* a line as of `ls -l` */
	get_attrs(r, &name->attrs);
}

static void
get_names(struct ts_sftp_reply *reply, struct rest *r)
{
	struct ts_sftp_name name;

	reply->names = get_u32(r);
	reply->text = (const char *)r->at;
	reply->n = r->n;
	for (uint32_t i = 0; i < reply->names && !r->bad; i++)
		get_name(r, &name);
}

static void
get_attributes(struct ts_sftp_reply *reply, struct rest *r)
{
	get_attrs(r, &reply->attrs);
}

static void
get_limits(struct ts_sftp_reply *reply, struct rest *r)
{
	reply->max_packet = get_u64(r);
	reply->max_read = get_u64(r);
	(void)get_u64(r); /* of a write */
	(void)get_u64(r); /* handles */
}

typedef void get_fn(struct ts_sftp_reply *reply, struct rest *r);

static get_fn *const getters[UINT8_MAX + 1] = {
	[TS_SFTP_VERSION_IS] = get_version,
	[TS_SFTP_STATUS] = get_status,
	[TS_SFTP_HANDLE_IS] = get_handle,
	[TS_SFTP_DATA_IS] = get_data,
	[TS_SFTP_NAME] = get_names,
	[TS_SFTP_ATTRS] = get_attributes,
	[TS_SFTP_EXTENDED_REPLY] = get_limits,
};

static enum ts_code
take_apart(struct ts_sftp_reply *reply, struct rest *r, struct ts_err *err)
{
	int type = *r->at;

	r->at++;
	r->n--;
	if (!getters[type])
		return ts_err_set(err, TS_E_DAMAGED, "the server sends a packet of type %d", type);
	reply->type = (enum ts_sftp_type)type;
	reply->id = get_u32(r);
	getters[type](reply, r);
	if (r->bad || r->n > 0)
		return ts_err_set(err, TS_E_DAMAGED,
			"the server sends a packet of type %d that is not whole", type);
	return TS_OK;
}

enum ts_code
ts_sftp_next(struct ts_sftp_reply *reply, bool *whole, struct ts_sftp_reader *r, struct ts_err *err)
{
	size_t n = packet_bytes(r);
	struct rest rest;

	*whole = false;
	*reply = (struct ts_sftp_reply){0};
	if (n == 0)
		return TS_OK;
	if (n <= LENGTH || n > LENGTH + TS_SFTP_PACKET)
		return ts_err_set(err, TS_E_DAMAGED, "the server sends a packet of %zu bytes",
			n - LENGTH);
	if (r->to - r->from < n)
		return TS_OK;
	rest = (struct rest){r->bytes + r->from + LENGTH, n - LENGTH, false};
	r->from += n;
	*whole = true;
	return take_apart(reply, &rest, err);
}

bool
ts_sftp_name_next(struct ts_sftp_name *name, size_t *at, const struct ts_sftp_reply *reply)
{
	struct rest r = {(const unsigned char *)reply->text + *at, reply->n - *at, false};

	if (r.n == 0)
		return false;
	get_name(&r, name);
	*at = reply->n - r.n;
	return !r.bad;
}

bool
ts_sftp_name_usable(const char *name, size_t n)
{
	return n > 0 && !memchr(name, '/', n) && !memchr(name, '\0', n) &&
		!(n == 1 && name[0] == '.') && !(n == 2 && name[0] == '.' && name[1] == '.');
}

enum ts_code
ts_sftp_status_err(const struct ts_sftp_reply *reply, struct ts_err *err)
{
	static const struct {
		uint32_t status;
		int sys;
	} known[] = {{TS_SFTP_PERMISSION_DENIED, EACCES}, {TS_SFTP_UNSUPPORTED, EOPNOTSUPP}};

	if (reply->status == TS_SFTP_NO_SUCH_FILE)
		return ts_err_set(err, TS_E_NOT_FOUND, "no such file");
	for (size_t i = 0; i < TS_COUNT(known); i++)
		if (known[i].status == reply->status)
			return ts_err_sys(err, known[i].sys, "the host refuses");
	ts_err_sys(err, EIO, "the host refuses (%.*s, status %u)",
		(int)(reply->n < COMPLAINT ? reply->n : COMPLAINT), reply->n ? reply->text : "",
		(unsigned)reply->status);
	return TS_E_SYS;
}
