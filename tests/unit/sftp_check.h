/* SPDX-License-Identifier: MIT */
/*
 * sftp_check - what has to hold for any bytes that a server sends, for the fuzzer (tests/fuzz/fuzz_sftp.c) and for the replay
 * of its corpus (test_sftp_wire).
 *
 * The replies are the same wherever the bytes are cut; all of a reply lies in what came; a request is answered at most once.
 */
#ifndef TS_TESTS_UNIT_SFTP_CHECK_H
#define TS_TESTS_UNIT_SFTP_CHECK_H

#include <stdlib.h>
#include <string.h>

#include "tilescope/io/sftp_wire.h"

enum { SFTP_CHECK_OUT = 40 };

struct sftp_check {
	uint64_t hash; /* of all replies */
	int replies, landed;
	enum ts_code end;
	const char *why;
};

static inline void
sftp_check_add(struct sftp_check *k, const void *bytes, size_t n)
{
	const unsigned char *p = bytes;

	for (size_t i = 0; i < n; i++)
		k->hash = (k->hash ^ p[i]) * 0x100000001b3u;
}

static inline void
sftp_check_names(struct sftp_check *k, const struct ts_sftp_reply *reply)
{
	struct ts_sftp_name name;
	size_t at = 0;
	uint32_t count = 0;

	while (ts_sftp_name_next(&name, &at, reply)) {
		sftp_check_add(k, name.name, name.n);
		sftp_check_add(k, &name.attrs.size, sizeof(name.attrs.size));
		count++;
	}
	if (count != reply->names || at != reply->n)
		k->why = "not all entries of a reply are there";
}

static inline void
sftp_check_reply(struct sftp_check *k, const struct ts_sftp_reply *reply,
	const struct ts_sftp_reader *r)
{
	const char *begin = (const char *)r->bytes, *end = begin + r->from;

	if (reply->text && reply->n > 0 && (reply->text < begin || reply->text + reply->n > end))
		k->why = "a reply lies outside of what came";
	sftp_check_add(k, &reply->type, sizeof(reply->type));
	sftp_check_add(k, &reply->id, sizeof(reply->id));
	sftp_check_add(k, &reply->status, sizeof(reply->status));
	sftp_check_add(k, &reply->attrs.size, sizeof(reply->attrs.size));
	if (reply->n > 0)
		sftp_check_add(k, reply->text, reply->n);
	if (reply->type == TS_SFTP_NAME)
		sftp_check_names(k, reply);
	k->replies++;
}

/* Requests of all types are out, as a host has them. */
static inline void
sftp_check_send(struct ts_sftp_flight *f)
{
	static const enum ts_sftp_type type[] = {TS_SFTP_OPEN, TS_SFTP_READ, TS_SFTP_STAT,
		TS_SFTP_READDIR, TS_SFTP_CLOSE, TS_SFTP_REALPATH, TS_SFTP_EXTENDED,
		TS_SFTP_OPENDIR};
	uint32_t id;

	for (int i = 0; i < SFTP_CHECK_OUT; i++)
		(void)ts_sftp_flight_take(f, type[i % 8], &id);
}

/* All bytes, in pieces of at most `piece`. */
static inline void
sftp_check_feed(struct sftp_check *k, const unsigned char *bytes, size_t n, size_t piece)
{
	struct ts_sftp_reader r = {0};
	struct ts_sftp_flight *f = calloc(1, sizeof(*f));
	struct ts_sftp_reply reply;
	bool whole;
	int slot;

	*k = (struct sftp_check){.hash = 0xcbf29ce484222325u};
	if (!f)
		abort();
	sftp_check_send(f);
	while (n > 0 && !k->end) {
		size_t room, take;
		void *to = ts_sftp_reader_room(&r, &room);

		if (!to || room == 0)
			abort();
		take = n < piece ? n : piece;
		take = take < room ? take : room;
		memcpy(to, bytes, take);
		ts_sftp_reader_came(&r, take);
		bytes += take;
		n -= take;
		while (!(k->end = ts_sftp_next(&reply, &whole, &r, NULL)) && whole) {
			sftp_check_reply(k, &reply, &r);
			if (!ts_sftp_flight_land(f, &slot, &reply, NULL) &&
				++k->landed > SFTP_CHECK_OUT)
				k->why = "more answers than requests";
		}
		if (r.cap > TS_SFTP_PACKET + (128 << 10))
			k->why = "more memory than a packet needs";
	}
	if (f->count != SFTP_CHECK_OUT - k->landed)
		k->why = "requests are out that were answered";
	ts_sftp_reader_fini(&r);
	free(f);
}

/* NULL: all of it holds. */
static inline const char *
sftp_check(const unsigned char *bytes, size_t n)
{
	static const size_t pieces[] = {1, 7, 4096};
	struct sftp_check all, k;

	sftp_check_feed(&all, bytes, n, n ? n : 1);
	for (size_t i = 0; i < sizeof(pieces) / sizeof(pieces[0]) && !all.why; i++) {
		sftp_check_feed(&k, bytes, n, pieces[i]);
		if (k.hash != all.hash || k.replies != all.replies || k.end != all.end || k.why)
			return k.why ? k.why : "where the bytes are cut makes a difference";
	}
	return all.why;
}

#endif
