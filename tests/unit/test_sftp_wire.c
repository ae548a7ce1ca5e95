/* SPDX-License-Identifier: MIT */
/* test_sftp_wire - packets of SFTP: what is sent, what is taken, what is refused. */
#include "config.h"

#include <check.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "corpus.h"
#include "sftp_check.h"
#include "tilescope/base/mem.h"

static struct ts_err err;

/* Bytes of a packet that a server sends; the length is put before them. */
struct packet {
	unsigned char b[512];
	size_t n;
};

static void
u32(struct packet *p, uint32_t v)
{
	for (int i = 24; i >= 0; i -= 8)
		p->b[p->n++] = (unsigned char)(v >> i);
}

static void
text(struct packet *p, const char *s)
{
	u32(p, (uint32_t)strlen(s));
	memcpy(p->b + p->n, s, strlen(s));
	p->n += strlen(s);
}

static struct packet
begin(int type, uint32_t id)
{
	struct packet p = {.n = 4};

	p.b[p.n++] = (unsigned char)type;
	u32(&p, id);
	return p;
}

static void
finish(struct packet *p)
{
	size_t n = p->n;

	p->n = 0;
	u32(p, (uint32_t)(n - 4));
	p->n = n;
}

/* What is made of a packet; its bytes stay in `r`. */
static enum ts_code
take(struct ts_sftp_reply *reply, struct ts_sftp_reader *r, struct packet *p)
{
	size_t room;
	bool whole;
	void *to;
	enum ts_code code;

	finish(p);
	to = ts_sftp_reader_room(r, &room);
	ck_assert_uint_ge(room, p->n);
	memcpy(to, p->b, p->n);
	ts_sftp_reader_came(r, p->n);
	code = ts_sftp_next(reply, &whole, r, &err);
	ck_assert(code || whole);
	return code;
}

static const struct {
	struct ts_sftp_request rq;
	const char *bytes;
	size_t n;
} requests[] = {
	{{.type = TS_SFTP_INIT}, "\0\0\0\5\1\0\0\0\3", 9},
	{{.type = TS_SFTP_OPEN, .id = 7, .text = "ab", .n = 2},
		"\0\0\0\x13\3\0\0\0\7\0\0\0\2ab\0\0\0\1\0\0\0\0", 23},
	{{.type = TS_SFTP_READ,
		 .id = 0x01020304,
		 .text = "h",
		 .n = 1,
		 .offset = 0x1122334455667788,
		 .length = 4096},
		"\0\0\0\x16\5\1\2\3\4\0\0\0\1h\x11\x22\x33\x44\x55\x66\x77\x88\0\0\x10\0", 26},
	{{.type = TS_SFTP_STAT, .id = 1, .text = "x", .n = 1}, "\0\0\0\xa\x11\0\0\0\1\0\0\0\1x",
		14},
	{{.type = TS_SFTP_CLOSE, .id = 1, .text = "\0y", .n = 2}, "\0\0\0\xb\4\0\0\0\1\0\0\0\2\0y",
		15},
	{{.type = TS_SFTP_EXTENDED, .id = 1}, "\0\0\0\x1b\xc8\0\0\0\1\0\0\0\x12limits@openssh.com",
		31},
};

START_TEST(requests_are)
{
	struct ts_strbuf out;

	ts_strbuf_init(&out, 1024);
	ts_sftp_put(&out, &requests[_i].rq);
	ck_assert_uint_eq(out.len, requests[_i].n);
	ck_assert_mem_eq(out.s, requests[_i].bytes, out.len);
	ts_strbuf_fini(&out);
}
END_TEST

START_TEST(replies_are)
{
	struct ts_sftp_reader r = {0};
	struct ts_sftp_reply reply;
	struct ts_sftp_name name;
	struct packet p = begin(TS_SFTP_VERSION_IS, 3);
	size_t at = 0;

	text(&p, "other@x");
	text(&p, "1");
	text(&p, "limits@openssh.com");
	text(&p, "1");
	ck_assert_int_eq(take(&reply, &r, &p), TS_OK);
	ck_assert(reply.type == TS_SFTP_VERSION_IS && reply.id == 3 && reply.has_limits);

	p = begin(TS_SFTP_STATUS, 9);
	u32(&p, TS_SFTP_PERMISSION_DENIED);
	text(&p, "no");
	text(&p, "en");
	ck_assert_int_eq(take(&reply, &r, &p), TS_OK);
	ck_assert(reply.status == 3 && reply.n == 2 && memcmp(reply.text, "no", 2) == 0);
	ck_assert_int_eq(ts_sftp_status_err(&reply, &err), TS_E_SYS);
	ck_assert_int_eq(err.sys, EACCES);

	p = begin(TS_SFTP_STATUS, 9); /* an old server has no words */
	u32(&p, TS_SFTP_NO_SUCH_FILE);
	ck_assert_int_eq(take(&reply, &r, &p), TS_OK);
	ck_assert_int_eq(ts_sftp_status_err(&reply, &err), TS_E_NOT_FOUND);

	p = begin(TS_SFTP_DATA_IS, 4);
	text(&p, "bytes");
	ck_assert_int_eq(take(&reply, &r, &p), TS_OK);
	ck_assert(reply.n == 5 && memcmp(reply.text, "bytes", 5) == 0);

	p = begin(TS_SFTP_ATTRS, 4);
	u32(&p, 0x8000000f);
	u32(&p, 1);
	u32(&p, 2); /* size */
	u32(&p, 0);
	u32(&p, 0);
	u32(&p, 0100644);
	u32(&p, 11);
	u32(&p, 12);
	u32(&p, 1);
	text(&p, "more");
	text(&p, "");
	ck_assert_int_eq(take(&reply, &r, &p), TS_OK);
	ck_assert(reply.attrs.has_size && reply.attrs.size == (UINT64_C(1) << 32) + 2);
	ck_assert(reply.attrs.has_mode && reply.attrs.mode == 0100644 && reply.attrs.mtime == 12);

	p = begin(TS_SFTP_NAME, 4);
	u32(&p, 2);
	text(&p, "a");
	text(&p, "-rw- a");
	u32(&p, 0);
	text(&p, "\x1b[1m");
	text(&p, "");
	u32(&p, 1);
	u32(&p, 0);
	u32(&p, 5);
	ck_assert_int_eq(take(&reply, &r, &p), TS_OK);
	ck_assert_uint_eq(reply.names, 2);
	ck_assert(ts_sftp_name_next(&name, &at, &reply) && name.n == 1 && *name.name == 'a');
	ck_assert(ts_sftp_name_next(&name, &at, &reply) && name.n == 4 && name.attrs.size == 5);
	ck_assert(!ts_sftp_name_next(&name, &at, &reply));

	p = begin(TS_SFTP_EXTENDED_REPLY, 4);
	u32(&p, 0);
	u32(&p, 262144);
	u32(&p, 0);
	u32(&p, 261120);
	for (int i = 0; i < 4; i++)
		u32(&p, 0);
	ck_assert_int_eq(take(&reply, &r, &p), TS_OK);
	ck_assert(reply.max_read == 261120 && reply.max_packet == 262144);
	ts_sftp_reader_fini(&r);
}
END_TEST

/* What stands behind type and id of a packet that is to be refused. */
static const struct {
	int type;
	const char *bytes;
	size_t n;
} broken[] = {
	{42, "", 0},
	{TS_SFTP_INIT, "", 0},
	{TS_SFTP_STATUS, "\0\0\0", 3},
	{TS_SFTP_STATUS, "\0\0\0\1\0\0\0\5word", 12},	     /* a word longer than the packet */
	{TS_SFTP_STATUS, "\0\0\0\1\0\0\0\1w\0\0\0\1ex", 15}, /* something behind it */
	{TS_SFTP_HANDLE_IS, "\0\0\0\0", 4},
	{TS_SFTP_HANDLE_IS, "\xff\xff\xff\xff", 4},
	{TS_SFTP_DATA_IS, "\0\0\0\2x", 5},
	{TS_SFTP_DATA_IS, "\0\0\0\1xy", 6},
	{TS_SFTP_NAME, "\xff\xff\xff\xff", 4},
	{TS_SFTP_NAME, "\0\0\0\1\0\0\0\1a\0\0\0\0", 13},
	{TS_SFTP_NAME, "\0\0\0\0x", 5},
	{TS_SFTP_ATTRS, "\0\0\0\1\0\0\0", 7},
	{TS_SFTP_ATTRS, "\0\0\0\x10", 4}, /* a flag of a later version */
	{TS_SFTP_ATTRS, "\x80\0\0\0\xff\xff\xff\xff", 8},
	{TS_SFTP_VERSION_IS, "\0\0\0\1x", 5},
	{TS_SFTP_EXTENDED_REPLY, "\0\0\0\0", 4},
};

START_TEST(broken_replies)
{
	struct ts_sftp_reader r = {0};
	struct ts_sftp_reply reply;
	struct packet p = begin(broken[_i].type, 1);

	memcpy(p.b + p.n, broken[_i].bytes, broken[_i].n);
	p.n += broken[_i].n;
	ck_assert_int_eq(take(&reply, &r, &p), TS_E_DAMAGED);
	ck_assert_str_ne(err.msg, "");
	ts_sftp_reader_fini(&r);
}
END_TEST

static enum ts_code
length_is(uint32_t length)
{
	struct ts_sftp_reader r = {0};
	struct packet p = {.n = 0};
	struct ts_sftp_reply reply;
	enum ts_code code;
	size_t room;
	bool whole;

	u32(&p, length);
	memcpy(ts_sftp_reader_room(&r, &room), p.b, 4);
	ts_sftp_reader_came(&r, 4);
	code = ts_sftp_next(&reply, &whole, &r, &err);
	ck_assert(!whole);
	ck_assert_ptr_nonnull(ts_sftp_reader_room(&r, &room));
	ck_assert_uint_gt(room, 0);
	ck_assert_uint_le(r.cap, TS_SFTP_PACKET + (128 << 10));
	ts_sftp_reader_fini(&r);
	return code;
}

START_TEST(lengths)
{
	ck_assert_int_eq(length_is(0), TS_E_DAMAGED);
	ck_assert_int_eq(length_is(1), TS_OK);
	ck_assert_int_eq(length_is(TS_SFTP_PACKET), TS_OK);
	ck_assert_int_eq(length_is(TS_SFTP_PACKET + 1), TS_E_DAMAGED);
	ck_assert_int_eq(length_is(UINT32_MAX), TS_E_DAMAGED);
	ck_assert_int_eq(length_is(0x73657373), TS_E_DAMAGED); /* "sess": a shell's greeting */
}
END_TEST

START_TEST(answers)
{
	struct ts_sftp_flight *f = calloc(1, sizeof(*f));
	struct ts_sftp_reply data = {.type = TS_SFTP_DATA_IS}, attrs = {.type = TS_SFTP_ATTRS},
			     ok = {.type = TS_SFTP_STATUS},
			     eof = {.type = TS_SFTP_STATUS, .status = 1};
	uint32_t read, stat, closing;
	int first, second, third, slot;

	first = ts_sftp_flight_take(f, TS_SFTP_READ, &read);
	second = ts_sftp_flight_take(f, TS_SFTP_STAT, &stat);
	third = ts_sftp_flight_take(f, TS_SFTP_CLOSE, &closing);
	ck_assert(read != stat && stat != closing && f->count == 3);

	attrs.id = read; /* of another type */
	ck_assert_int_eq(ts_sftp_flight_land(f, &slot, &attrs, &err), TS_E_DAMAGED);
	ok.id = read; /* no bytes, and no reason either */
	ck_assert_int_eq(ts_sftp_flight_land(f, &slot, &ok, &err), TS_E_DAMAGED);
	data.id = stat + 77; /* unknown */
	ck_assert_int_eq(ts_sftp_flight_land(f, &slot, &data, &err), TS_E_DAMAGED);
	ck_assert_int_eq(f->count, 3);

	ok.id = closing; /* in any order */
	ck_assert_int_eq(ts_sftp_flight_land(f, &slot, &ok, &err), TS_OK);
	ck_assert_int_eq(slot, third);
	eof.id = read;
	ck_assert_int_eq(ts_sftp_flight_land(f, &slot, &eof, &err), TS_OK);
	ck_assert_int_eq(slot, first);
	ck_assert_int_eq(ts_sftp_flight_land(f, &slot, &eof, &err), TS_E_DAMAGED); /* twice */
	attrs.id = stat;
	ck_assert_int_eq(ts_sftp_flight_land(f, &slot, &attrs, &err), TS_OK);
	ck_assert_int_eq(slot, second);
	ck_assert_int_eq(f->count, 0);
	free(f);
}
END_TEST

/* As many as can be are out; an id that was used is not one of the next in its slot. */
START_TEST(flight_is_full)
{
	struct ts_sftp_flight *f = calloc(1, sizeof(*f));
	struct ts_sftp_reply eof = {.type = TS_SFTP_STATUS, .status = 1};
	uint32_t id[TS_SFTP_FLIGHT], more;
	int slot;

	for (int i = 0; i < TS_SFTP_FLIGHT; i++)
		ck_assert_int_ge(ts_sftp_flight_take(f, TS_SFTP_READ, &id[i]), 0);
	ck_assert_int_eq(ts_sftp_flight_take(f, TS_SFTP_READ, &more), -1);
	eof.id = id[100];
	ck_assert_int_eq(ts_sftp_flight_land(f, &slot, &eof, &err), TS_OK);
	ck_assert_int_eq(ts_sftp_flight_take(f, TS_SFTP_READ, &more), slot);
	ck_assert_uint_ne(more, id[100]);
	ck_assert_int_eq(ts_sftp_flight_land(f, &slot, &eof, &err), TS_E_DAMAGED);
	free(f);
}
END_TEST

START_TEST(usable_names)
{
	static const struct {
		const char *name;
		size_t n;
		bool usable;
	} names[] = {{"a", 1, true}, {"..a", 3, true}, {"...", 3, true}, {"\x1b[1m", 4, true},
		{"", 0, false}, {".", 1, false}, {"..", 2, false}, {"a/b", 3, false},
		{"/", 1, false}, {"a\0b", 3, false}};

	for (size_t i = 0; i < TS_COUNT(names); i++)
		ck_assert_int_eq(ts_sftp_name_usable(names[i].name, names[i].n), names[i].usable);
}
END_TEST

static void
replay(void *ctx, const char *file, const unsigned char *bytes, size_t n)
{
	const char *why = sftp_check(bytes, n);

	(void)ctx;
	ck_assert_msg(!why, "%s: %s", file, why);
}

START_TEST(corpus)
{
	corpus_each("sftp", 1 << 16, replay, NULL);
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("sftp_wire");
	TCase *t = tcase_create("sftp_wire");
	SRunner *r;
	int failed;

	tcase_add_loop_test(t, requests_are, 0, (int)TS_COUNT(requests));
	tcase_add_test(t, replies_are);
	tcase_add_loop_test(t, broken_replies, 0, (int)TS_COUNT(broken));
	tcase_add_test(t, lengths);
	tcase_add_test(t, answers);
	tcase_add_test(t, flight_is_full);
	tcase_add_test(t, usable_names);
	tcase_add_test(t, corpus);
	suite_add_tcase(s, t);
	r = srunner_create(s);
	srunner_run_all(r, CK_NORMAL);
	failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
