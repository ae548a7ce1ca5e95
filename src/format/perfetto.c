/* SPDX-License-Identifier: MIT */
/*
 * perfetto - packets by hand: the wire format is three kinds of field, and a trace is written millions of packets at a
 * time (libraries that describe messages at run time take several times as long).
 *
 * All packets belong to one sequence (trusted_packet_sequence_id), so that each may use what an earlier one interned.
 * The first one says that nothing was interned before, all later ones with an event that they need it.
 */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "tilescope/base/hash.h"
#include "tilescope/base/mem.h"
#include "tilescope/base/utf8.h"
#include "tilescope/base/varint.h"
#include "tilescope/format/perfetto.h"

/* Numbers of fields, by message; those of sub-messages too. */
enum { TRACE_PACKET = 1 };
enum {
	PACKET_TIMESTAMP = 8,
	PACKET_SEQUENCE_ID = 10,
	PACKET_EVENT = 11,
	PACKET_INTERNED = 12,
	PACKET_SEQUENCE_FLAGS = 13,
	PACKET_TRACK = 60,
};
enum { SEQUENCE_CLEARED = 1, SEQUENCE_NEEDED = 2 }; /* sequence_flags */
enum { TRACK_UUID = 1, TRACK_NAME = 2, TRACK_PROCESS = 3, TRACK_PARENT = 5, TRACK_COUNTER = 8 };
enum { PROCESS_PID = 1, PROCESS_NAME = 6 };
enum { COUNTER_UNIT = 3 };
enum { INTERNED_CATEGORIES = 1, INTERNED_NAMES = 2, INTERNED_ARGS = 3 };
enum { ENTRY_IID = 1, ENTRY_NAME = 2 };
enum {
	EVENT_CATEGORY_IIDS = 3,
	EVENT_ARGS = 4,
	EVENT_TYPE = 9,
	EVENT_NAME_IID = 10,
	EVENT_TRACK = 11,
	EVENT_NAME = 23,
	EVENT_REAL_COUNTER = 44,
};
enum { TYPE_BEGIN = 1, TYPE_END = 2, TYPE_COUNTER = 4 };
enum { ARG_NAME_IID = 1, ARG_INTEGER = 4, ARG_REAL = 5, ARG_TEXT = 6 };

enum { VARINT, FIXED64, BYTES }; /* wire types */

enum {
	SEQUENCE = 1,
	NUMBER = 10, /* bytes of a varint, at most */
	FIELD = 2 * NUMBER,
	/* a message: its fields, an argument or a name with its text */
	MESSAGE = TS_PERFETTO_ARGS * (2 * FIELD + TS_PERFETTO_TEXT) + 16 * FIELD + TS_PERFETTO_TEXT,
};

/* A message while it is put together. */
struct message {
	size_t n;
	unsigned char bytes[MESSAGE];
};

struct name {
	uint64_t iid;
	UT_hash_handle hh;
	char text[];
};

struct ts_perfetto {
	struct ts_strbuf *out;
	struct name *names;
	size_t names_bytes;
	uint64_t last_iid;
	struct message packet, event, small, interned;
};

/* --- fields ----------------------------------------------------------------------------------------- */

static void
put_number(struct message *m, uint64_t v)
{
	m->n += ts_varint_put(m->bytes + m->n, v);
}

static void
put_varint(struct message *m, int field, uint64_t v)
{
	put_number(m, (uint64_t)field << 3 | VARINT);
	put_number(m, v);
}

static void
put_real(struct message *m, int field, double v)
{
	uint64_t bits;

	memcpy(&bits, &v, sizeof(bits));
	put_number(m, (uint64_t)field << 3 | FIXED64);
	for (int i = 0; i < 8; i++)
		m->bytes[m->n++] = (unsigned char)(bits >> 8 * i);
}

static void
put_bytes(struct message *m, int field, const void *bytes, size_t n)
{
	put_number(m, (uint64_t)field << 3 | BYTES);
	put_number(m, n);
	if (n > 0)
		memcpy(m->bytes + m->n, bytes, n);
	m->n += n;
}

static void
put_text(struct message *m, int field, const char *s, size_t n)
{
	put_bytes(m, field, s, ts_utf8_cut(s, n, TS_PERFETTO_TEXT));
}

static void
put_message(struct message *m, int field, const struct message *inner)
{
	put_bytes(m, field, inner->bytes, inner->n);
}

/* --- packets ---------------------------------------------------------------------------------------- */

static void
begin_packet(struct ts_perfetto *p, int flags)
{
	p->packet.n = 0;
	put_varint(&p->packet, PACKET_SEQUENCE_ID, SEQUENCE);
	put_varint(&p->packet, PACKET_SEQUENCE_FLAGS, (uint64_t)flags);
}

static void
end_packet(struct ts_perfetto *p)
{
	p->small.n = 0;
	put_number(&p->small, TRACE_PACKET << 3 | BYTES);
	put_number(&p->small, p->packet.n);
	ts_strbuf_add(p->out, (const char *)p->small.bytes, p->small.n);
	ts_strbuf_add(p->out, (const char *)p->packet.bytes, p->packet.n);
}

/* An entry of a list of interned texts, in p->interned. */
static void
intern(struct ts_perfetto *p, int list, uint64_t iid, const char *s, size_t n)
{
	p->small.n = 0;
	put_varint(&p->small, ENTRY_IID, iid);
	put_text(&p->small, ENTRY_NAME, s, n);
	put_message(&p->interned, list, &p->small);
}

static void
intern_list(struct ts_perfetto *p, int list, const char *const *text)
{
	for (uint64_t i = 0; text[i]; i++)
		intern(p, list, i + 1, text[i], strlen(text[i]));
}

struct ts_perfetto *
ts_perfetto_new(struct ts_strbuf *out, const char *const *category, const char *const *arg)
{
	struct ts_perfetto *p = ts_alloc(1, sizeof(*p));

	if (!p)
		return NULL;
	p->out = out;
	begin_packet(p, SEQUENCE_CLEARED);
	intern_list(p, INTERNED_CATEGORIES, category);
	intern_list(p, INTERNED_ARGS, arg);
	put_message(&p->packet, PACKET_INTERNED, &p->interned);
	end_packet(p);
	return p;
}

void
ts_perfetto_free(struct ts_perfetto *p)
{
	struct name *name, *next;

	if (!p)
		return;
	HASH_ITER(hh, p->names, name, next) {
		HASH_DEL(p->names, name);
		free(name);
	}
	free(p);
}

/* A descriptor of a track, but for what it is of: p->event. */
static void
begin_track(struct ts_perfetto *p, uint64_t uuid, uint64_t parent, const char *name)
{
	begin_packet(p, SEQUENCE_NEEDED);
	p->event.n = 0;
	put_varint(&p->event, TRACK_UUID, uuid);
	if (parent)
		put_varint(&p->event, TRACK_PARENT, parent);
	put_text(&p->event, TRACK_NAME, name, strlen(name));
}

static void
end_track(struct ts_perfetto *p)
{
	put_message(&p->packet, PACKET_TRACK, &p->event);
	end_packet(p);
}

void
ts_perfetto_process(struct ts_perfetto *p, uint64_t uuid, int32_t pid, const char *name)
{
	begin_track(p, uuid, 0, name);
	p->small.n = 0;
	put_varint(&p->small, PROCESS_PID, (uint64_t)pid);
	put_text(&p->small, PROCESS_NAME, name, strlen(name));
	put_message(&p->event, TRACK_PROCESS, &p->small);
	end_track(p);
}

void
ts_perfetto_track(struct ts_perfetto *p, uint64_t uuid, uint64_t parent, const char *name)
{
	begin_track(p, uuid, parent, name);
	end_track(p);
}

void
ts_perfetto_counter(struct ts_perfetto *p, uint64_t uuid, uint64_t parent, const char *name,
	int unit)
{
	begin_track(p, uuid, parent, name);
	p->small.n = 0;
	put_varint(&p->small, COUNTER_UNIT, (uint64_t)unit);
	put_message(&p->event, TRACK_COUNTER, &p->small);
	end_track(p);
}

/* --- events ----------------------------------------------------------------------------------------- */

static void
begin_event(struct ts_perfetto *p, uint64_t track, uint64_t at, int type)
{
	begin_packet(p, SEQUENCE_NEEDED);
	put_varint(&p->packet, PACKET_TIMESTAMP, at);
	p->event.n = 0;
	p->interned.n = 0;
	put_varint(&p->event, EVENT_TYPE, (uint64_t)type);
	put_varint(&p->event, EVENT_TRACK, track);
}

static void
end_event(struct ts_perfetto *p)
{
	if (p->interned.n > 0)
		put_message(&p->packet, PACKET_INTERNED, &p->interned);
	put_message(&p->packet, PACKET_EVENT, &p->event);
	end_packet(p);
}

/* The number of a name, interned with this packet when it is new; 0: there is no room for more. */
static uint64_t
name_iid(struct ts_perfetto *p, const char *s, size_t n)
{
	struct name *name;

	HASH_FIND(hh, p->names, s, n, name);
	if (name)
		return name->iid;
	if (p->names_bytes + n + sizeof(*name) > TS_PERFETTO_NAMES_BYTES)
		return 0;
	name = malloc(sizeof(*name) + n + 1);
	if (!name)
		return 0;
	memset(name, 0, sizeof(*name));
	memcpy(name->text, s, n);
	HASH_ADD_KEYPTR(hh, p->names, name->text, n, name);
	if (!name->hh.tbl) {
		free(name);
		return 0;
	}
	name->iid = ++p->last_iid;
	p->names_bytes += n + sizeof(*name);
	intern(p, INTERNED_NAMES, name->iid, s, n);
	return name->iid;
}

static void
put_arg(struct ts_perfetto *p, const struct ts_perfetto_arg *a)
{
	p->small.n = 0;
	put_varint(&p->small, ARG_NAME_IID, (uint64_t)a->name + 1);
	if (a->type == TS_PERFETTO_INTEGER)
		put_varint(&p->small, ARG_INTEGER, (uint64_t)a->integer);
	else if (a->type == TS_PERFETTO_REAL)
		put_real(&p->small, ARG_REAL, a->real);
	else
		put_text(&p->small, ARG_TEXT, a->text, a->n);
	put_message(&p->event, EVENT_ARGS, &p->small);
}

void
ts_perfetto_slice(struct ts_perfetto *p, uint64_t track, uint64_t from, uint64_t to, int category,
	const char *name, size_t n, const struct ts_perfetto_arg *arg, int args)
{
	uint64_t iid;

	begin_event(p, track, from, TYPE_BEGIN);
	put_varint(&p->event, EVENT_CATEGORY_IIDS, (uint64_t)category + 1);
	n = ts_utf8_cut(name, n, TS_PERFETTO_TEXT);
	iid = name_iid(p, name, n);
	if (iid)
		put_varint(&p->event, EVENT_NAME_IID, iid);
	else
		put_text(&p->event, EVENT_NAME, name, n);
	for (int i = 0; i < args && i < TS_PERFETTO_ARGS; i++)
		put_arg(p, &arg[i]);
	end_event(p);
	begin_event(p, track, to, TYPE_END);
	end_event(p);
}

void
ts_perfetto_count(struct ts_perfetto *p, uint64_t counter, uint64_t at, double value)
{
	begin_event(p, counter, at, TYPE_COUNTER);
	put_real(&p->event, EVENT_REAL_COUNTER, value);
	end_event(p);
}
