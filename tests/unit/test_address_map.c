/* SPDX-License-Identifier: MIT */
/* The map of a tile's memory against one that looks at each byte; causes of gaps; any numbers. */
#include "config.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "tilescope/base/mem.h"
#include "tilescope/calc/address_map.h"

enum { BYTES = 400, MOST = 30 };

static unsigned
rnd(unsigned *seed, unsigned n)
{
	*seed = *seed * 1103515245u + 12345u;
	return (*seed >> 16 & 0x7fff) % n;
}

START_TEST(pieces_are_those_of_every_byte)
{
	unsigned seed = (unsigned)_i * 77 + 5;
	struct ts_address_variable v[MOST];
	struct ts_address_map m;
	size_t n = rnd(&seed, MOST + 1);
	int64_t begin = rnd(&seed, 3) ? 0 : rnd(&seed, 40);
	int64_t end = rnd(&seed, 4) ? begin + rnd(&seed, BYTES) : -1;
	int count[BYTES + 200] = {0}, last = -1;
	int64_t at, used = 0, overlapped = 0, gaps = 0, beyond = 0;

	for (size_t i = 0; i < n; i++) {
		v[i] = (struct ts_address_variable){rnd(&seed, BYTES),
			rnd(&seed, 6) ? rnd(&seed, 30) : 0, rnd(&seed, 17)};
		for (int64_t b = v[i].offset; b < v[i].offset + v[i].bytes; b++)
			if (b >= begin) {
				count[b]++;
				last = b > last ? (int)b : last;
			}
	}
	ck_assert(ts_address_map_make(&m, v, n, NULL, 0, begin, end));
	at = begin;
	for (size_t i = 0; i < m.count; i++) {
		const struct ts_address_piece *p = &m.piece[i];

		ck_assert_int_eq(p->from, at);
		ck_assert_int_lt(p->from, p->to);
		for (; at < p->to; at++) {
			int c = at < (int64_t)TS_COUNT(count) ? count[at] : 0;

			ck_assert_int_eq(p->kind,
				c > 1		    ? TS_ADDRESS_OVERLAP
					: c > 0	    ? TS_ADDRESS_VARIABLE
					: at < last ? TS_ADDRESS_GAP
						    : TS_ADDRESS_FREE);
			if (c > 1)
				ck_assert_int_eq(p->count, c);
			if (c > 0) {
				ck_assert_int_le(v[p->variable].offset, at);
				ck_assert_int_gt(v[p->variable].offset + v[p->variable].bytes, at);
			}
			ck_assert_int_eq(ts_address_map_find(&m, at), (ptrdiff_t)i);
		}
		if (p->kind == TS_ADDRESS_GAP)
			ck_assert_int_eq(v[p->variable].offset, p->to);
	}
	ck_assert_int_eq(at, ts_max_i64(ts_max_i64(end, last + 1), begin));
	for (int64_t b = begin; b <= last; b++) {
		used += count[b] > 0;
		overlapped += count[b] > 1;
		gaps += count[b] == 0;
		beyond += count[b] > 0 && end >= 0 && b >= end;
	}
	ck_assert_int_eq(m.used, used);
	ck_assert_int_eq(m.overlapped, overlapped);
	ck_assert_int_eq(m.gaps, gaps);
	ck_assert_int_eq(m.beyond, beyond);
	ck_assert_int_eq(m.free_bytes, ts_max_i64(end - ts_max_i64(last + 1, begin), 0));
	ck_assert_int_eq(ts_address_map_find(&m, at), -1);
	ck_assert_int_eq(ts_address_map_find(&m, begin - 1), -1);
	ts_address_map_fini(&m);
}
END_TEST

static const struct ts_address_element elements[] = {{0, 100, false}, {100, 100, false},
	{200, 100, true}, {300, 100, true}};

static const struct {
	struct ts_address_variable v[2];
	enum ts_gap_cause cause;
} causes[] = {
	{{{0, 10, 1}, {16, 4, 8}}, TS_GAP_ALIGNMENT},
	{{{0, 10, 1}, {24, 4, 8}}, TS_GAP_UNKNOWN},
	{{{0, 10, 1}, {200, 4, 8}}, TS_GAP_INTERLEAVED},
	{{{0, 50, 1}, {100, 60, 4}}, TS_GAP_ELEMENT},
	{{{0, 50, 1}, {100, 40, 4}}, TS_GAP_UNKNOWN}, /* it would have fitted before */
	{{{0, 10, 1}, {12, 4, 0}}, TS_GAP_UNKNOWN},
	{{{210, 10, 1}, {300, 95, 4}}, TS_GAP_ELEMENT},
};

START_TEST(gaps_have_causes)
{
	struct ts_address_map m;
	size_t at = 0;

	ck_assert(ts_address_map_make(&m, causes[_i].v, 2, elements, TS_COUNT(elements), 0, 400));
	while (m.piece[at].kind != TS_ADDRESS_GAP || m.piece[at].from == 0)
		at++;
	ck_assert_int_eq(m.piece[at].cause, causes[_i].cause);
	ck_assert_int_eq(m.piece[at].variable, 1);
	ts_address_map_fini(&m);
}
END_TEST

START_TEST(any_numbers_are_safe)
{
	const int64_t far = (int64_t)1 << 62;
	const struct ts_address_variable v[] = {{far, far, far}, {0, far, 3}, {far - 1, 1, far},
		{5, 0, 1}, {INT64_MAX, 4, 16}, {far, 0, 0}, {7, INT64_MAX, 2}};
	const struct ts_address_element e[] = {{0, 1, false}, {far, far, true}};
	struct ts_address_map m;

	ck_assert(ts_address_map_make(&m, v, TS_COUNT(v), e, TS_COUNT(e), 0, 638976));
	ck_assert_int_gt(m.beyond, 0);
	ck_assert_int_eq(m.piece[m.count - 1].to, INT64_MAX);
	ts_address_map_fini(&m);
	ck_assert(ts_address_map_make(&m, NULL, 0, NULL, 0, 0, -1));
	ck_assert_uint_eq(m.count, 0);
	ts_address_map_fini(&m);
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("address map");
	TCase *c = tcase_create("address map");
	SRunner *r;
	int failed;

	tcase_add_loop_test(c, pieces_are_those_of_every_byte, 0, 200);
	tcase_add_loop_test(c, gaps_have_causes, 0, (int)TS_COUNT(causes));
	tcase_add_test(c, any_numbers_are_safe);
	suite_add_tcase(s, c);
	r = srunner_create(s);
	srunner_set_fork_status(r, CK_NOFORK);
	srunner_run_all(r, CK_NORMAL);
	failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
