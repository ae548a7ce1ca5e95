/* SPDX-License-Identifier: MIT */
/* test_blob - packed numbers of profile.pop: the documented examples, any bytes, and everything that is damaged. */
#include "config.h"

#include <check.h>
#include <string.h>

#include "blob_check.h"
#include "corpus.h"

#include "tilescope/base/mem.h"

#define BLOB(kind, ...)                                          \
	(&(struct ts_blob){(const unsigned char[]){__VA_ARGS__}, \
		sizeof((const unsigned char[]){__VA_ARGS__}), TS_BLOB_##kind})

START_TEST(numbers)
{
	int64_t v;

	ck_assert_int_eq(ts_blob_number(&v, "\x80", 1, NULL), TS_OK);
	ck_assert_int_eq(v, 0);
	ck_assert_int_eq(ts_blob_number(&v, "\x17\x80", 2, NULL), TS_OK);
	ck_assert_int_eq(v, 2944);
	ck_assert_int_eq(ts_blob_number(&v, "\x01\xc4", 2, NULL), TS_OK);
	ck_assert_int_eq(v, 196);
	ck_assert_int_eq(ts_blob_number(&v, "", 0, NULL), TS_E_DAMAGED);
	ck_assert_int_eq(ts_blob_number(&v, "\x17", 1, NULL), TS_E_DAMAGED);
	ck_assert_int_eq(ts_blob_number(&v, "\x80\x80", 2, NULL), TS_E_DAMAGED);
}
END_TEST

/* The largest number is 2^62; one more, and a number of 100 bytes, are damage. */
START_TEST(largest)
{
	struct ts_strbuf text;
	char zeros[100] = {0};
	int64_t v;

	ts_strbuf_init(&text, 100);
	ts_blob_put_number(&text, TS_BLOB_MOST);
	ck_assert_int_eq(ts_blob_number(&v, text.s, text.len, NULL), TS_OK);
	ck_assert_int_eq(v, TS_BLOB_MOST);
	text.s[text.len - 1]++;
	ck_assert_int_eq(ts_blob_number(&v, text.s, text.len, NULL), TS_E_DAMAGED);
	zeros[99] = (char)0x81;
	ck_assert_int_eq(ts_blob_number(&v, zeros, sizeof(zeros), NULL), TS_E_DAMAGED);
	ts_strbuf_fini(&text);
}
END_TEST

START_TEST(runs)
{
	struct ts_blob_totals t;
	int64_t v[1472];

	ck_assert_int_eq(ts_blob_decode(v, 1472, BLOB(RUNS, 0x83, 0x80, 0x16, 0xfe, 0x84), NULL),
		TS_OK);
	ck_assert_int_eq(v[0], 0);
	ck_assert_int_eq(v[1], 4);
	ck_assert_int_eq(v[1471], 4);
	ck_assert_int_eq(ts_blob_decode(v, 1472,
				 BLOB(RUNS, 0x8a, 0x80, 0x83, 0x81, 0x16, 0xf4, 0x80), NULL),
		TS_OK);
	ck_assert_int_eq(v[4] + v[6], 0);
	ck_assert_int_eq(v[5], 1);
	ck_assert_int_eq(ts_blob_add_up(&t, 1472,
				 BLOB(RUNS, 0x8a, 0x80, 0x83, 0x81, 0x16, 0xf4, 0x80), NULL),
		TS_OK);
	ck_assert_int_eq(t.count, 1472);
	ck_assert_int_eq(t.sum, 1);
	ck_assert_int_eq(t.non_zero, 1);
	ck_assert_int_eq(t.most_at, 5);
	ck_assert_int_eq(ts_blob_decode(v, 2, BLOB(DIFFERENCES, 0x85, 0x02, 0xec, 0x81), NULL),
		TS_OK);
	ck_assert_int_eq(v[0], 364);
	ck_assert_int_eq(v[1], 365);
	ck_assert_int_eq(ts_blob_decode(v, 3, BLOB(LIST, 0x80, 0x17, 0x80, 0x84), NULL), TS_OK);
	ck_assert_int_eq(v[1], 2944);
}
END_TEST

static const struct {
	const char *bytes, *why;
	int64_t n;
	enum ts_blob_kind kind;
} damage[] = {
	{"\x17", "within a number at byte 0", 1, TS_BLOB_LIST},
	{"\x84\x17", "within a number at byte 1", 2, TS_BLOB_LIST},
	{"\x84\x84", "more numbers than there can be at byte 1", 1, TS_BLOB_LIST},
	{"\x84", "fewer numbers than there should be at byte 1", 2, TS_BLOB_LIST},
	{"\x81", "a run of no numbers at byte 0", 1, TS_BLOB_RUNS},
	{"\x88", "within a number at byte 1", 4, TS_BLOB_RUNS},
	{"\x85\x84", "within a number at byte 2", 2, TS_BLOB_RUNS},
	/* 2^40 numbers */
	{"\x40\x01\x01\x01\x01\x82\x84", "more numbers than there can be at byte 0", 1472,
		TS_BLOB_RUNS},
	/* 2^60 + 2^60 + ... */
	{"\x90\x10\x01\x01\x01\x01\x01\x01\x01\x80", "numbers that are too large", 8,
		TS_BLOB_DIFFERENCES},
};

START_TEST(damaged)
{
	int64_t v[1472];
	struct ts_err err = {0};
	const struct ts_blob b = {(const unsigned char *)damage[_i].bytes, strlen(damage[_i].bytes),
		damage[_i].kind};

	ck_assert_int_eq(ts_blob_decode(v, damage[_i].n, &b, &err), TS_E_DAMAGED);
	ck_assert_msg(strstr(err.msg, damage[_i].why), "%s", err.msg);
	ck_assert(!ts_blob_fits(&b, damage[_i].n));
}
END_TEST

static void
replay(void *ctx, const char *file, const unsigned char *bytes, size_t n)
{
	struct blob_check c;

	(void)ctx;
	ck_assert_msg(blob_check(&c, bytes, n), "%s: %s", file, c.why);
}

START_TEST(corpus)
{
	corpus_each("blob", 1 << 16, replay, NULL);
}
END_TEST

/* Bytes that look like blobs: mostly whole numbers, small counts. */
START_TEST(any_bytes)
{
	uint64_t seed = 88172645463325252u + (uint64_t)_i;
	unsigned char bytes[64];
	struct blob_check c;

	for (int turn = 0; turn < 2000; turn++) {
		size_t n;

		for (size_t i = 0; i < sizeof(bytes); i++) {
			seed ^= seed << 13;
			seed ^= seed >> 7;
			seed ^= seed << 17;
			bytes[i] = (unsigned char)(seed % 5 ? 0x80 | seed >> 9 % 40 : seed >> 20);
			if (i > 1 && seed % 3 == 0)
				bytes[i] &= 0x87;
		}
		n = seed % sizeof(bytes);
		ck_assert_msg(blob_check(&c, bytes, n), "turn %d: %s", turn, c.why);
	}
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("blob");
	TCase *t = tcase_create("blob");
	SRunner *r;
	int failed;

	tcase_add_test(t, numbers);
	tcase_add_test(t, largest);
	tcase_add_test(t, runs);
	tcase_add_loop_test(t, damaged, 0, TS_COUNT(damage));
	tcase_add_test(t, corpus);
	tcase_add_loop_test(t, any_bytes, 0, 10);
	suite_add_tcase(s, t);
	r = srunner_create(s);
	srunner_run_all(r, CK_NORMAL);
	failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
