/* SPDX-License-Identifier: MIT */
/*
 * blob_check - what has to hold for any bytes as a blob of profile.pop, for the fuzzer (tests/fuzz/fuzz_blob.c)
 * and for test_blob. The first byte is the kind, the second how many numbers there may be.
 *
 * A plain decoder, written apart, says the same as each function of profile/blob.h: the numbers or that they are damaged.
 * What was decoded is encoded again and decodes to the same.
 */
#ifndef TS_TESTS_UNIT_BLOB_CHECK_H
#define TS_TESTS_UNIT_BLOB_CHECK_H

#include <stdio.h>
#include <stdlib.h>

#include "tilescope/profile/blob.h"

enum { BLOB_CHECK_MOST = 400 };

struct blob_check {
	char why[200];
};

/* One number by definition; false: damaged. */
static inline bool
blob_plain_number(uint64_t *out, const unsigned char *p, size_t n, size_t *at)
{
	uint64_t v = 0;

	for (size_t length = 1; *at < n; length++) {
		unsigned char c = p[(*at)++];

		if (v > TS_BLOB_MOST / 128 || length > 10)
			return false;
		v = v * 128 + c % 128;
		if (v > TS_BLOB_MOST)
			return false;
		if (c >= 128) {
			*out = v;
			return true;
		}
	}
	return false;
}

/* All numbers, at most `most`: how many, -1 when it is damaged. */
static inline int64_t
blob_plain(int64_t *out, int64_t most, enum ts_blob_kind kind, const unsigned char *p, size_t n)
{
	uint64_t sum = 0, v = 0, header = 0;
	int64_t count = 0;

	for (size_t at = 0; at < n;) {
		bool repeated = false;
		uint64_t items = 1;

		if (kind != TS_BLOB_LIST) {
			if (!blob_plain_number(&header, p, n, &at) || header / 2 == 0)
				return -1;
			items = header / 2;
			repeated = header % 2 == 0;
		}
		if (items > (uint64_t)(most - count))
			return -1;
		for (uint64_t i = 0; i < items; i++) {
			if ((i == 0 || !repeated) && !blob_plain_number(&v, p, n, &at))
				return -1;
			sum = kind == TS_BLOB_DIFFERENCES ? sum + v : v;
			if (sum > TS_BLOB_MOST)
				return -1;
			out[count++] = (int64_t)sum;
		}
	}
	return count;
}

static inline bool
blob_check_no(struct blob_check *c, const char *what, int64_t at)
{
	snprintf(c->why, sizeof(c->why), "%s (%lld)", what, (long long)at);
	return false;
}

static inline bool
blob_check_again(struct blob_check *c, enum ts_blob_kind kind, const int64_t *v, int64_t n)
{
	int64_t back[BLOB_CHECK_MOST];
	struct ts_strbuf text;
	bool same;

	ts_strbuf_init(&text, 1 << 20);
	ts_blob_put(&text, kind, v, (size_t)n);
	same = ts_blob_decode(back, n,
		       &(struct ts_blob){(const unsigned char *)text.s, text.len, kind},
		       NULL) == TS_OK;
	for (int64_t i = 0; i < n && same; i++)
		same = back[i] == v[i];
	ts_strbuf_fini(&text);
	return same || blob_check_no(c, "encoded and decoded it is something else", n);
}

static inline bool
blob_check(struct blob_check *c, const unsigned char *bytes, size_t n)
{
	int64_t plain[BLOB_CHECK_MOST], v[BLOB_CHECK_MOST], one, count, most;
	struct ts_blob_totals t = {0};
	struct ts_blob b;
	uint64_t sum = 0;
	bool ok;

	if (n < 2)
		return true;
	b = (struct ts_blob){bytes + 2, n - 2, (enum ts_blob_kind)(bytes[0] % TS_BLOB_KINDS)};
	most = bytes[1];
	count = blob_plain(plain, most, b.kind, b.bytes, b.size);
	for (int64_t i = 0; i < count; i++)
		sum = sum > TS_BLOB_MOST ? sum : sum + (uint64_t)plain[i];
	ok = count >= 0 && sum <= TS_BLOB_MOST;
	if ((ts_blob_add_up(&t, most, &b, NULL) == TS_OK) != ok)
		return blob_check_no(c, "adding up disagrees", count);
	if ((ts_blob_decode(v, most, &b, NULL) == TS_OK) != (count == most))
		return blob_check_no(c, "decoding disagrees", count);
	if (ts_blob_fits(&b, most) != (ok && count == most))
		return blob_check_no(c, "fitting disagrees", count);
	if (ok) {
		int64_t non_zero = 0, at = -1;

		for (int64_t i = 0; i < count; i++) {
			non_zero += plain[i] != 0;
			if (at < 0 || plain[i] > plain[at])
				at = i;
		}
		if (t.count != count || t.sum != (int64_t)sum || t.non_zero != non_zero ||
			t.most_at != at || (at >= 0 && t.most != plain[at]))
			return blob_check_no(c, "totals differ", count);
	}
	for (int64_t i = 0; i < count; i++)
		if (ts_blob_at(&one, i, most, &b, NULL) != TS_OK || one != plain[i])
			return blob_check_no(c, "a number differs", i);
	if (count >= 0 && ts_blob_at(&one, count, most, &b, NULL) == TS_OK)
		return blob_check_no(c, "a number behind the last one", count);
	return count < 0 || blob_check_again(c, b.kind, plain, count);
}

#endif
