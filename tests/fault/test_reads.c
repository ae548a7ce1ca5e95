/* SPDX-License-Identifier: MIT */
/*
 * The first, second, ... Nth read fails, ends early, is cancelled: opening a report, and each of its
 * figures. All N of a small report are tried; in a sanitizer build about every third.
 */
#include "config.h"

#include <check.h>
#include <errno.h>
#include <stdlib.h>
#include <sys/types.h>
#include <unistd.h>

#include "../unit/depth.h"
#include "figures.h"
#include "wrap_pread.h"

enum fault { SOUND, FAILS, ENDS, CANCELS, INTERRUPTED, PIECES, FAULTS };

static struct {
	enum fault fault;
	int at, reads; /* the read that it happens at; reads so far */
	struct ts_cancel token;
} world;

static bool
pread_fails(size_t *n, ssize_t *result)
{
	int read = ++world.reads;

	if (world.fault == PIECES)
		*n = *n > 512 ? 512 + *n % 7 : *n;
	if (read != world.at)
		return false;
	switch (world.fault) {
	case FAILS:
		errno = EIO;
		*result = -1;
		return true;
	case ENDS:
		*result = 0;
		return true;
	case INTERRUPTED:
		errno = EINTR;
		*result = -1;
		return true;
	case CANCELS:
		ts_cancel_set(&world.token);
		return false;
	default:
		return false;
	}
}

static void
arm(enum fault fault, int at)
{
	world.fault = fault;
	world.at = at;
	world.reads = 0;
	ts_cancel_clear(&world.token);
}

static int
stride(void)
{
	return stride_of(7, 29);
}

static const enum ts_demo_layout layouts[] = {TS_DEMO_STORE, TS_DEMO_SDK};
static struct demo demo;

static void
open_report(struct ts_report **r)
{
	const struct ts_report_options options = {0};
	struct ts_err err = {0};

	arm(SOUND, 0);
	ck_assert_msg(ts_report_open(r, demo.path, &options, &err) == TS_OK, "%s", err.msg);
}

static struct ts_reader *
open_reader(const struct ts_report *r)
{
	struct ts_reader *rd;
	struct ts_err err = {0};

	arm(SOUND, 0);
	ck_assert_msg(ts_reader_open(&rd, r, &err) == TS_OK, "%s", err.msg);
	ts_reader_set_cancel(rd, &world.token);
	return rd;
}

/* The figures of a sound file. */
static enum ts_code
sound(const struct figure *f, struct ts_reader *rd, uint64_t *d)
{
	struct ts_err err = {0};

	arm(SOUND, 0);
	*d = 0;
	return f->read(d, rd, &err);
}

static void
expect_code(enum fault fault, enum ts_code code, const char *what, int n, const struct ts_err *err)
{
	static const enum ts_code codes[FAULTS] =
		{[FAILS] = TS_E_SYS, [ENDS] = TS_E_DAMAGED, [CANCELS] = TS_E_CANCELLED};

	ck_assert_msg(code == codes[fault], "%s, read %d, fault %d: code %d (%s)", what, n,
		(int)fault, (int)code, err->msg);
	ck_assert_msg(err->code == code && err->msg[0], "%s, read %d", what, n);
}

/* _i: layout x figure */
START_TEST(a_figure_over_a_faulting_file)
{
	const struct figure *f = &figures[(size_t)_i % TS_COUNT(figures)];
	struct ts_report *r;
	struct ts_reader *rd;
	uint64_t whole, d;
	enum ts_code code;
	int reads;

	demo_begin(&demo, layouts[(size_t)_i / TS_COUNT(figures)]);
	open_report(&r);
	rd = open_reader(r);
	code = sound(f, rd, &whole);
	reads = world.reads;
	ts_reader_close(rd);
	if (code == TS_E_ABSENT) /* not in this layout */
		reads = 0;
	else
		ck_assert_int_eq(code, TS_OK);
	for (int fault = FAILS; fault <= CANCELS; fault++)
		for (int n = 1; n <= reads; n += stride()) {
			struct ts_err err = {0};

			rd = open_reader(r);
			arm((enum fault)fault, n);
			d = 0;
			code = f->read(&d, rd, &err);
			ck_assert_msg(world.reads >= n, "%s, read %d", f->name, n);
			/*
			 * Who is told to stop with the last read may as well be done. What is read
			 * beside the figure, and its absence allowed for, is no error.
			 */
			if (fault == CANCELS && code == TS_OK)
				ck_assert_msg(d == whole && n == reads, "%s, read %d", f->name, n);
			else if (code != TS_OK || !f->soft)
				expect_code((enum fault)fault, code, f->name, n, &err);
			/* the same connection, the file sound again */
			ck_assert_msg(sound(f, rd, &d) == TS_OK && d == whole,
				"%s, after read %d, fault %d", f->name, n, fault);
			ts_reader_close(rd);
		}
	ts_report_close(r);
	demo_end(&demo);
}
END_TEST

START_TEST(reads_in_pieces_and_interrupted)
{
	const struct figure *f = &figures[(size_t)_i % TS_COUNT(figures)];
	struct ts_report *r;
	struct ts_reader *rd;
	struct ts_err err = {0};
	uint64_t whole, d = 0;
	enum ts_code code;

	demo_begin(&demo, layouts[(size_t)_i / TS_COUNT(figures)]);
	open_report(&r);
	rd = open_reader(r);
	code = sound(f, rd, &whole);
	ts_reader_close(rd);
	rd = open_reader(r);
	arm(PIECES, 0);
	ck_assert_int_eq(f->read(&d, rd, &err), code);
	ck_assert(d == whole);
	ts_reader_close(rd);
	rd = open_reader(r);
	arm(INTERRUPTED, 2);
	d = 0;
	ck_assert_int_eq(f->read(&d, rd, &err), code);
	ck_assert(d == whole);
	ts_reader_close(rd);
	ts_report_close(r);
	demo_end(&demo);
}
END_TEST

START_TEST(a_summary_over_a_faulting_file)
{
	struct ts_report *r;
	struct ts_reader *rd;
	struct ts_err err = {0};
	uint64_t whole = 0, d;
	bool partial;
	int reads;

	demo_begin(&demo, layouts[_i]);
	open_report(&r);
	rd = open_reader(r);
	arm(SOUND, 0);
	ck_assert_int_eq(read_summary(&whole, &partial, rd, &err), TS_OK);
	ck_assert(!partial);
	reads = world.reads;
	ts_reader_close(rd);
	for (int fault = FAILS; fault <= CANCELS; fault++)
		for (int n = 1; n <= reads; n += stride()) {
			enum ts_code code;

			rd = open_reader(r);
			arm((enum fault)fault, n);
			d = 0;
			code = read_summary(&d, &partial, rd, &err);
			if (fault == CANCELS)
				ck_assert_msg(code == TS_E_CANCELLED || (d == whole && n == reads),
					"read %d: code %d", n, (int)code);
			else
				/* said, or another way gave the same */
				ck_assert_msg(code == TS_OK && (partial || d == whole),
					"read %d, fault %d: code %d", n, fault, (int)code);
			arm(SOUND, 0);
			d = 0;
			ck_assert_int_eq(read_summary(&d, &partial, rd, &err), TS_OK);
			ck_assert_msg(d == whole && !partial, "after read %d, fault %d", n, fault);
			ts_reader_close(rd);
		}
	ts_report_close(r);
	demo_end(&demo);
}
END_TEST

/* Where everything was found: what a fault must not change in silence. */
static uint64_t
bindings(const struct ts_report *r)
{
	uint64_t d = (uint64_t)r->kind;

	for (int i = 0; i < TS_RELATION_COUNT; i++) {
		const struct ts_binding *b = &r->binding[i];

		digest_i64(&d, b->bound);
		digest_i64(&d, b->reach.key);
		for (int c = 0; b->bound && c < TS_RELATION_COLUMNS; c++) {
			digest_i64(&d, b->column[c].op);
			digest_i64(&d, b->column[c].a);
		}
	}
	return d;
}

START_TEST(opening_a_faulting_file)
{
	struct ts_report_options options = {.cancel = &world.token};
	struct ts_report *r;
	struct ts_err err = {0};
	uint64_t whole;
	int reads;

	demo_begin(&demo, layouts[_i]);
	open_report(&r);
	reads = world.reads;
	whole = bindings(r);
	ts_report_close(r);
	for (int fault = FAILS; fault <= CANCELS; fault++)
		for (int n = 1; n <= reads; n++) {
			enum ts_code code;

			arm((enum fault)fault, n);
			err = (struct ts_err){0};
			code = ts_report_open(&r, demo.path, &options, &err);
			ck_assert((code == TS_OK) == (r != NULL));
			if (fault == FAILS)
				expect_code(FAILS, code, "open", n, &err);
			else if (fault == CANCELS && code)
				expect_code(CANCELS, code, "open", n, &err);
			else if (fault == ENDS && code)
				ck_assert_msg(code == TS_E_DAMAGED || code == TS_E_FORMAT,
					"open, read %d: %s", n, err.msg);
			else if (fault == CANCELS)
				ck_assert(bindings(r) == whole);
			ts_report_close(r);
			/* and a reader */
			open_report(&r);
			ck_assert(bindings(r) == whole);
			ts_report_close(r);
		}
	demo_end(&demo);
}
END_TEST

START_TEST(a_reader_of_a_faulting_file)
{
	struct ts_report *r;
	struct ts_reader *rd;
	struct ts_err err = {0};
	int reads;

	demo_begin(&demo, layouts[_i]);
	open_report(&r);
	rd = open_reader(r);
	reads = world.reads;
	ts_reader_close(rd);
	ck_assert_int_gt(reads, 0);
	for (int n = 1; n <= reads; n++) {
		arm(FAILS, n);
		ck_assert_int_eq(ts_reader_open(&rd, r, &err), TS_E_SYS);
		ck_assert_ptr_null(rd);
		arm(ENDS, n);
		ck_assert_int_ne(ts_reader_open(&rd, r, &err), TS_OK);
		ck_assert_ptr_null(rd);
	}
	ts_reader_close(open_reader(r));
	ts_report_close(r);
	demo_end(&demo);
}
END_TEST

int
main(void)
{
	const int layout_count = (int)TS_COUNT(layouts);
	const int all = layout_count * (int)TS_COUNT(figures);
	Suite *s = suite_create("faulting reads");
	TCase *c = tcase_create("reads");
	SRunner *r;
	int failed;

	tcase_set_timeout(c, 30);
	tcase_add_loop_test(c, a_figure_over_a_faulting_file, 0, all);
	tcase_add_loop_test(c, reads_in_pieces_and_interrupted, 0, all);
	tcase_add_loop_test(c, a_summary_over_a_faulting_file, 0, layout_count);
	tcase_add_loop_test(c, opening_a_faulting_file, 0, layout_count);
	tcase_add_loop_test(c, a_reader_of_a_faulting_file, 0, layout_count);
	suite_add_tcase(s, c);
	r = srunner_create(s);
	srunner_run_all(r, CK_NORMAL);
	failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
