/* SPDX-License-Identifier: MIT */
/* test_block_store - what comes out of a store is what was put in, of the same file in the same state, or nothing. */
#include "config.h"

#include <check.h>
#include <dirent.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tilescope/base/mem.h"
#include "tilescope/io/block_store.h"

enum { SIZE = 10000000 };

static char dir[] = "/tmp/ts-store.XXXXXX", path[512], keep[64];

static struct ts_block_store_of
of(int64_t size, int64_t mtime, const char *first)
{
	return (struct ts_block_store_of){"host", "/a/report", size, mtime, first, strlen(first)};
}

static struct ts_block_store *
opened(void)
{
	struct ts_block_store_of what = of(SIZE, 7, "page");

	return ts_block_store_open(keep, &what);
}

/* The one file that is there. */
static void
find_file(void)
{
	DIR *d = opendir(keep);
	const struct dirent *e;

	ck_assert_ptr_nonnull(d);
	path[0] = '\0';
	while ((e = readdir(d)))
		if (e->d_name[0] != '.')
			snprintf(path, sizeof(path), "%s/%s", keep, e->d_name);
	closedir(d);
	ck_assert(path[0]);
}

static void
fill(unsigned char *b, int64_t unit)
{
	for (int i = 0; i < TS_STORE_BLOCK; i++)
		b[i] = (unsigned char)(unit * 31 + i * 7 + (i >> 8));
}

static void
put(struct ts_block_store *s, int64_t unit)
{
	unsigned char b[TS_STORE_BLOCK];

	fill(b, unit);
	ts_block_store_put(s, unit, b, sizeof(b), false);
}

/* 1: it is there; 0: it is not. Anything else that comes fails. */
static int
there(struct ts_block_store *s, int64_t unit)
{
	unsigned char b[TS_STORE_BLOCK], want[TS_STORE_BLOCK];

	if (!ts_block_store_get(s, unit, b, sizeof(b)))
		return 0;
	fill(want, unit);
	ck_assert_mem_eq(b, want, sizeof(b));
	return 1;
}

static void
begin(void)
{
	strcpy(dir + strlen(dir) - 6, "XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(dir));
	snprintf(keep, sizeof(keep), "%s/hosts", dir);
}

static void
end(void)
{
	(void)ts_block_stores_clear(keep, NULL);
	(void)rmdir(keep);
	(void)rmdir(dir);
}

START_TEST(again)
{
	struct ts_block_store *s = opened();
	unsigned char tail[100] = "tail", b[TS_STORE_BLOCK];
	struct stat st;

	ck_assert_ptr_nonnull(s);
	ck_assert_int_eq(there(s, 3), 0);
	for (int64_t unit = 0; unit < 100; unit += 3)
		put(s, unit);
	ts_block_store_put(s, SIZE / TS_STORE_BLOCK, tail, sizeof(tail), false);
	ck_assert_int_eq(there(s, 3), 1);
	ts_block_store_close(s);
	find_file();
	ck_assert_int_eq(stat(path, &st), 0);
	ck_assert_int_eq(st.st_mode & 0777, 0600);
	ck_assert_ptr_null(strstr(path, "report"));
	ck_assert_int_eq(stat(keep, &st), 0);
	ck_assert_int_eq(st.st_mode & 0777, 0700);
	s = opened();
	for (int64_t unit = 0; unit < 100; unit++)
		ck_assert_int_eq(there(s, unit), unit % 3 == 0);
	ck_assert(ts_block_store_get(s, SIZE / TS_STORE_BLOCK, b, sizeof(tail)));
	ck_assert_mem_eq(b, tail, sizeof(tail));
	/* a block of another length is not what was kept */
	ck_assert(!ts_block_store_get(s, SIZE / TS_STORE_BLOCK, b, sizeof(b)));
	ts_block_store_close(s);
	ts_block_store_put(NULL, 1, b, 10, false);
	ck_assert(!ts_block_store_get(NULL, 1, b, 10));
}
END_TEST

/* Another size, time or first page: another file. */
START_TEST(stale)
{
	const struct ts_block_store_of other[] = {of(SIZE + 1, 7, "page"), of(SIZE, 8, "page"),
		of(SIZE, 7, "pagf")};
	struct ts_block_store *s;

	for (size_t i = 0; i < TS_COUNT(other); i++) {
		s = opened();
		put(s, 5);
		ck_assert_int_eq(there(s, 5), 1);
		ts_block_store_close(s);
		s = ts_block_store_open(keep, &other[i]);
		ck_assert_ptr_nonnull(s);
		ck_assert_int_eq(there(s, 5), 0);
		ts_block_store_close(s);
		s = opened();
		ck_assert_int_eq(there(s, 5), 0);
		ts_block_store_close(s);
	}
}
END_TEST

/* Any byte changed, the file cut anywhere, or longer: what comes is right, or nothing comes, and it can be written again. */
START_TEST(damaged)
{
	uint64_t dice = (uint64_t)_i * 0x9e3779b97f4a7c15u + 1;
	struct ts_block_store *s;

	for (int turn = 0; turn < 20; turn++) {
		struct stat st;
		int fd;

		s = opened();
		ck_assert_ptr_nonnull(s);
		for (int64_t unit = 0; unit < 60; unit++)
			put(s, unit);
		ts_block_store_close(s);
		find_file();
		fd = open(path, O_RDWR);
		ck_assert_int_eq(fstat(fd, &st), 0);
		for (int i = 0; i < 200; i++) {
			unsigned char b;
			off_t where;

			dice ^= dice << 13;
			dice ^= dice >> 7;
			dice ^= dice << 17;
			b = (unsigned char)(dice >> 33);
			/* mostly in the table and the head */
			where = (off_t)(dice % (i % 2 ? 6000 : (uint64_t)st.st_size));
			ck_assert_int_eq(pwrite(fd, &b, 1, where), 1);
		}
		if (turn % 3 == 0)
			ck_assert_int_eq(ftruncate(fd, (off_t)(dice % (uint64_t)st.st_size)), 0);
		close(fd);
		s = opened();
		ck_assert_ptr_nonnull(s);
		for (int64_t unit = 0; unit < 80; unit++)
			(void)there(s, unit);
		put(s, 70);
		ck_assert_int_eq(there(s, 70), 1);
		ts_block_store_close(s);
	}
}
END_TEST

/* Two at once: one writes, both read. */
START_TEST(two)
{
	struct ts_block_store *a = opened(), *b;

	put(a, 1);
	b = opened();
	ck_assert_ptr_nonnull(b);
	ck_assert_int_eq(there(b, 1), 1);
	put(b, 2);
	ck_assert_int_eq(there(b, 2), 0);
	ck_assert_int_eq(ts_block_stores_clear(keep, NULL), 0); /* it is in use */
	ts_block_store_close(a);
	ts_block_store_close(b);
	ck_assert_int_gt(ts_block_stores_bytes(keep), TS_STORE_BLOCK);
	ck_assert_int_gt(ts_block_stores_clear(keep, NULL), TS_STORE_BLOCK);
	ck_assert_int_eq(ts_block_stores_bytes(keep), 0);
}
END_TEST

/* What is listed: whose blocks they are, unless the head is not to be believed; an empty file is cleared, too. */
START_TEST(listed)
{
	static char longest[5000];
	struct ts_block_store_of others[] = {of(SIZE, 7, "page"), of(SIZE, 7, "page")};
	struct ts_block_store_kept *all;
	size_t count, removed;
	char name[128];
	FILE *f;

	ck_assert_int_eq(ts_block_stores_list(&all, &count, keep, NULL), TS_OK);
	ck_assert_uint_eq(count, 0);
	ts_block_stores_free(all, count);
	ts_block_store_close(opened());
	find_file();
	ck_assert_int_eq(ts_block_stores_list(&all, &count, keep, NULL), TS_OK);
	ck_assert_uint_eq(count, 1);
	ck_assert_str_eq(all[0].of, "host:/a/report");
	ck_assert_int_gt(all[0].bytes, 0);
	ck_assert_int_gt(all[0].used_s, 1600000000);
	ts_block_stores_free(all, count);
	for (long at = 0; at < 110; at += 3) {
		unsigned char was, is;

		f = fopen(path, "r+b");
		ck_assert_ptr_nonnull(f);
		ck_assert_int_eq(fseek(f, at, SEEK_SET), 0);
		ck_assert_int_eq(fread(&was, 1, 1, f), 1);
		is = (unsigned char)~was;
		ck_assert_int_eq(fseek(f, at, SEEK_SET), 0);
		ck_assert_int_eq(fwrite(&is, 1, 1, f), 1);
		ck_assert_int_eq(fclose(f), 0);
		ck_assert_int_eq(ts_block_stores_list(&all, &count, keep, NULL), TS_OK);
		ck_assert_uint_eq(count, 1);
		ck_assert(!all[0].of || strcmp(all[0].of, "host:/a/report") == 0);
		ck_assert(at >= 80 || !all[0].of);
		ts_block_stores_free(all, count);
		f = fopen(path, "r+b");
		ck_assert_int_eq(fseek(f, at, SEEK_SET), 0);
		ck_assert_int_eq(fwrite(&was, 1, 1, f), 1);
		ck_assert_int_eq(fclose(f), 0);
	}
	memset(longest, 'x', sizeof(longest) - 1);
	others[0].path = longest;
	others[1].host = "me@box:2222";
	for (size_t i = 0; i < TS_COUNT(others); i++)
		ts_block_store_close(ts_block_store_open(keep, &others[i]));
	snprintf(name, sizeof(name), "%s/0.blocks", keep);
	f = fopen(name, "w");
	ck_assert_ptr_nonnull(f);
	fclose(f);
	ck_assert_int_eq(ts_block_stores_list(&all, &count, keep, NULL), TS_OK);
	ck_assert_uint_eq(count, 4);
	ck_assert_ptr_null(all[0].of); /* the empty one, then that with the long name */
	ck_assert_str_eq(all[1].of, "me@box:2222:/a/report");
	ck_assert_ptr_null(all[2].of);
	ck_assert_str_eq(all[3].of, "host:/a/report");
	ts_block_stores_free(all, count);
	ck_assert_int_gt(ts_block_stores_clear(keep, &removed), 0);
	ck_assert_uint_eq(removed, 4);
}
END_TEST

/* Full: new ones come in, and pages that lead to rows stay. */
START_TEST(full)
{
	struct ts_block_store_of what = of(INT64_MAX / 2, 7, "page");
	struct ts_block_store *s = ts_block_store_open(keep, &what);
	unsigned char b[TS_STORE_BLOCK] = {0}, got[TS_STORE_BLOCK];
	struct stat st;

	for (int64_t unit = 0; unit < TS_STORE_BLOCKS + 500; unit++) {
		b[0] = unit < 100 ? 5 : 13;
		memcpy(b + 1, &unit, sizeof(unit));
		ts_block_store_put(s, unit, b, sizeof(b), false);
		ck_assert(ts_block_store_get(s, unit, got, sizeof(got)));
		ck_assert_mem_eq(b, got, sizeof(b));
	}
	for (int64_t unit = 0; unit < 100; unit++)
		ck_assert(ts_block_store_get(s, unit, got, sizeof(got)));
	ck_assert(!ts_block_store_get(s, 200, got, sizeof(got)));
	ts_block_store_close(s);
	find_file();
	ck_assert_int_eq(stat(path, &st), 0);
	ck_assert_int_le(st.st_size, (TS_STORE_BLOCKS + 200) * (int64_t)TS_STORE_BLOCK);
}
END_TEST

/* Scans come in where there is room, and drive nothing out. */
START_TEST(scans)
{
	struct ts_block_store_of what = of(INT64_MAX / 2, 7, "page");
	struct ts_block_store *s = ts_block_store_open(keep, &what);
	unsigned char b[TS_STORE_BLOCK] = {13}, got[TS_STORE_BLOCK];

	for (int64_t unit = 0; unit < TS_STORE_BLOCKS + 300; unit++) {
		memcpy(b + 1, &unit, sizeof(unit));
		ts_block_store_put(s, unit, b, sizeof(b), unit >= 10);
	}
	for (int64_t unit = 0; unit < TS_STORE_BLOCKS + 300; unit++)
		ck_assert(ts_block_store_has(s, unit) == (unit < TS_STORE_BLOCKS));
	memcpy(b + 1, &(int64_t){TS_STORE_BLOCKS + 7}, sizeof(int64_t));
	ts_block_store_put(s, TS_STORE_BLOCKS + 7, b, sizeof(b), false);
	ck_assert(ts_block_store_get(s, TS_STORE_BLOCKS + 7, got, sizeof(got)));
	ck_assert_mem_eq(b, got, sizeof(b));
	ts_block_store_close(s);
}
END_TEST

/* Blocks are read while others take their places: what comes is what was put in, or nothing. */
static void *
put_many(void *arg)
{
	unsigned char b[TS_STORE_BLOCK];

	for (int64_t unit = 0; unit < 2 * TS_STORE_BLOCKS; unit++) {
		fill(b, unit);
		b[0] = 13;
		ts_block_store_put(arg, unit, b, sizeof(b), false);
	}
	return NULL;
}

START_TEST(at_once)
{
	struct ts_block_store_of what = of(INT64_MAX / 2, 7, "page");
	struct ts_block_store *s = ts_block_store_open(keep, &what);
	unsigned char want[TS_STORE_BLOCK], got[TS_STORE_BLOCK];
	pthread_t thread;

	ck_assert_int_eq(pthread_create(&thread, NULL, put_many, s), 0);
	for (int64_t i = 0; i < 60000; i++) {
		int64_t unit = i * 7919 % (2 * TS_STORE_BLOCKS);

		if (!ts_block_store_get(s, unit, got, sizeof(got)))
			continue;
		fill(want, unit);
		want[0] = 13;
		ck_assert_mem_eq(want, got, sizeof(got));
	}
	pthread_join(thread, NULL);
	for (int64_t unit = TS_STORE_BLOCKS; unit < 2 * TS_STORE_BLOCKS; unit++)
		ck_assert(ts_block_store_has(s, unit));
	ts_block_store_close(s);
}
END_TEST

/* Links, directories, and directories that cannot be: no store, and nothing that they lead to is touched. */
START_TEST(hostile)
{
	struct ts_block_store_of what = of(SIZE, 7, "page");
	struct ts_block_store *s = opened();
	char outside[80];
	struct stat st;
	int fd;

	put(s, 1);
	ts_block_store_close(s);
	find_file();
	snprintf(outside, sizeof(outside), "%s/outside", dir);
	fd = open(outside, O_RDWR | O_CREAT, 0600);
	ck_assert_int_eq(write(fd, "text", 4), 4);
	close(fd);
	ck_assert_int_eq(unlink(path), 0);
	ck_assert_int_eq(symlink(outside, path), 0);
	ck_assert_ptr_null(opened());
	ck_assert_int_eq(stat(outside, &st), 0);
	ck_assert_int_eq(st.st_size, 4);
	ck_assert_int_eq(unlink(path), 0);
	ck_assert_int_eq(mkdir(path, 0700), 0);
	ck_assert_ptr_null(opened());
	ck_assert_int_eq(rmdir(path), 0);
	ck_assert_int_eq(mkfifo(path, 0600), 0);
	ck_assert_ptr_null(opened());
	ck_assert_int_eq(unlink(path), 0);
	ck_assert_ptr_null(ts_block_store_open(outside, &what));
	ck_assert_ptr_null(ts_block_store_open("/nowhere/at/all", &what));
	ck_assert_int_eq(unlink(outside), 0);
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("block_store");
	TCase *c = tcase_create("store");
	SRunner *r;
	int failed;

	tcase_set_timeout(c, 300);
	tcase_add_checked_fixture(c, begin, end);
	tcase_add_test(c, again);
	tcase_add_test(c, stale);
	tcase_add_loop_test(c, damaged, 0, 6);
	tcase_add_test(c, two);
	tcase_add_test(c, listed);
	tcase_add_test(c, full);
	tcase_add_test(c, scans);
	tcase_add_test(c, at_once);
	tcase_add_test(c, hostile);
	suite_add_tcase(s, c);
	r = srunner_create(s);
	srunner_run_all(r, CK_ENV);
	failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
