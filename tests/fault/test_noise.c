/* SPDX-License-Identifier: MIT */
/*
 * Each page of a small report overwritten in turn: with noise, zeros, another page, or a bit turned over.
 * Opening and every figure end with figures or with an error of the right kind; what is lost is said.
 *
 * All pages are tried (in a sanitizer build every third); the noise is the same every time.
 */
#include "config.h"

#include <check.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../unit/depth.h"
#include "figures.h"

enum { PAGE = 4096 };

enum kind { NOISE, ZEROS, OTHER_PAGE, NOISE_BEHIND_THE_HEAD, BITS, HALF, KINDS };

static uint64_t
next(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state;
}

static void
noise(unsigned char *p, size_t n, uint64_t *state)
{
	for (size_t i = 0; i < n; i++)
		p[i] = (unsigned char)(next(state) >> 32);
}

static void
spoil(unsigned char *page, enum kind kind, int fd, size_t pages, uint64_t *state)
{
	size_t bit;

	switch (kind) {
	case NOISE:
		noise(page, PAGE, state);
		break;
	case ZEROS:
		memset(page, 0, PAGE);
		break;
	case OTHER_PAGE:
		ck_assert_int_eq(pread(fd, page, PAGE, (off_t)(next(state) % pages * PAGE)), PAGE);
		break;
	case NOISE_BEHIND_THE_HEAD:
		noise(page + 100, PAGE - 100, state);
		break;
	case BITS:
		for (int i = 0; i < 8; i++) {
			bit = next(state) % (PAGE * 8);
			page[bit / 8] ^= (unsigned char)(1 << bit % 8);
		}
		break;
	default:
		noise(page + PAGE / 2, PAGE / 2, state);
	}
}

static bool
is_of_damage(enum ts_code code)
{
	return code == TS_OK || code == TS_E_DAMAGED || code == TS_E_FORMAT || code == TS_E_LIMIT ||
		code == TS_E_ABSENT;
}

/* Open and read everything. `whole`: the sound figures, which are there or their loss is said. */
static void
read_all(const char *path, uint64_t whole, bool may_differ, size_t page, int kind)
{
	const struct ts_report_options options = {0};
	struct ts_report *r;
	struct ts_reader *rd;
	struct ts_err err = {0};
	uint64_t d = 0;
	bool partial;
	enum ts_code code = ts_report_open(&r, path, &options, &err);

	ck_assert_msg(is_of_damage(code), "page %zu, kind %d: %s", page, kind, err.msg);
	if (code)
		return;
	code = ts_reader_open(&rd, r, &err);
	ck_assert_msg(is_of_damage(code), "page %zu, kind %d: %s", page, kind, err.msg);
	if (!code) {
		code = read_summary(&d, &partial, rd, &err);
		ck_assert_msg(code == TS_OK, "page %zu, kind %d: %s", page, kind, err.msg);
		ck_assert_msg(may_differ || partial || d == whole,
			"page %zu, kind %d: figures are missing and nobody says so", page, kind);
		for (size_t i = 0; i < TS_COUNT(figures); i++) {
			code = figures[i].read(&d, rd, &err);
			ck_assert_msg(is_of_damage(code), "page %zu, kind %d, %s: %s", page, kind,
				figures[i].name, err.msg);
		}
	}
	ts_reader_close(rd);
	ts_report_close(r);
}

static uint64_t
sound(const char *path)
{
	const struct ts_report_options options = {0};
	struct ts_report *r;
	struct ts_reader *rd;
	struct ts_err err = {0};
	uint64_t d = 0;
	bool partial;

	ck_assert_int_eq(ts_report_open(&r, path, &options, &err), TS_OK);
	ck_assert_int_eq(ts_reader_open(&rd, r, &err), TS_OK);
	ck_assert_int_eq(read_summary(&d, &partial, rd, &err), TS_OK);
	ck_assert(!partial);
	ts_reader_close(rd);
	ts_report_close(r);
	return d;
}

/* _i: kind */
START_TEST(a_spoiled_page)
{
	const enum kind kind = (enum kind)_i;
	unsigned char good[PAGE], bad[PAGE];
	uint64_t state = 88172645463325252u + (uint64_t)_i, whole;
	struct demo demo;
	struct stat st;
	size_t pages;
	int fd;

	demo_begin(&demo);
	whole = sound(demo.path);
	fd = open(demo.path, O_RDWR);
	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(fstat(fd, &st), 0);
	pages = (size_t)st.st_size / PAGE;
	ck_assert_uint_gt(pages, 10);
	for (size_t i = 0; i < pages; i += (size_t)stride_of(7, 29)) {
		ck_assert_int_eq(pread(fd, good, PAGE, (off_t)(i * PAGE)), PAGE);
		memcpy(bad, good, PAGE);
		spoil(bad, kind, fd, pages, &state);
		ck_assert_int_eq(pwrite(fd, bad, PAGE, (off_t)(i * PAGE)), PAGE);
		/* noise within the cells of a page may be values like any other */
		read_all(demo.path, whole, kind >= OTHER_PAGE, i, (int)kind);
		ck_assert_int_eq(pwrite(fd, good, PAGE, (off_t)(i * PAGE)), PAGE);
	}
	ck_assert(sound(demo.path) == whole);
	close(fd);
	demo_end(&demo);
}
END_TEST

START_TEST(a_file_cut_anywhere)
{
	struct demo demo;
	struct stat st;
	uint64_t whole;

	demo_begin(&demo);
	whole = sound(demo.path);
	ck_assert_int_eq(stat(demo.path, &st), 0);
	for (off_t n = st.st_size - 1; n >= 0;
		n -= (n > 3 * PAGE ? 3001 : 211) * stride_of(5, 19)) {
		ck_assert_int_eq(truncate(demo.path, n), 0);
		read_all(demo.path, whole, false, (size_t)n / PAGE, -1);
	}
	demo_end(&demo);
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("noise");
	TCase *c = tcase_create("noise");
	SRunner *r;
	int failed;

	tcase_set_timeout(c, 40);
	tcase_add_loop_test(c, a_spoiled_page, 0, KINDS);
	tcase_add_test(c, a_file_cut_anywhere);
	suite_add_tcase(s, c);
	r = srunner_create(s);
	srunner_run_all(r, CK_NORMAL);
	failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
