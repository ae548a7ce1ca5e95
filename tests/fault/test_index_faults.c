/* SPDX-License-Identifier: MIT */
/*
 * While an index is built the Nth read of a file fails, ends early, is cancelled, or the Nth allocation fails.
 * Whatever comes of it: a section that is there afterwards is the one that a build without faults makes.
 *
 * N is a sample. The cache is on a file system in memory where there is one, for every section is synced.
 */
#include "config.h"

#include <check.h>
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <sys/types.h>
#include <unistd.h>

#include "tilescope/report/index_columns.h"
#include "tilescope/report/index_work.h"
#include "tilescope/report/tile_rows.h"

#include "../unit/depth.h"
#include "../unit/index_dir.h"
#include "figures.h"
#include "index_build.h"
#include "wrap_alloc.h"
#include "wrap_pread.h"

enum fault { NONE, READ_FAILS, READ_ENDS, READ_CANCELS, NO_MEMORY, FAULTS };

static struct {
	enum fault fault;
	int at, reads, allocations;
	struct ts_cancel token;
} world;

static bool
pread_fails(size_t *n, ssize_t *result)
{
	(void)n;
	if (++world.reads != world.at)
		return false;
	if (world.fault == READ_CANCELS)
		ts_cancel_set(&world.token);
	errno = EIO;
	*result = world.fault == READ_FAILS ? -1 : 0;
	return world.fault == READ_FAILS || world.fault == READ_ENDS;
}

static bool
alloc_fails(void)
{
	return ++world.allocations == world.at && world.fault == NO_MEMORY;
}

static void
arm(enum fault fault, int at)
{
	world.fault = fault;
	world.at = at;
	world.reads = world.allocations = 0;
	ts_cancel_clear(&world.token);
}

/* --- the sweep -------------------------------------------------------------------------------- */

static struct ts_cache cache;
static char where[64];
static bool in_memory;

static void
cache_begin(void)
{
	struct ts_err err = {0};

	in_memory = strcmp(index_dir_base(), "/tmp") != 0;
	snprintf(where, sizeof(where), "%s/ts-index-XXXXXX", index_dir_base());
	ck_assert_ptr_nonnull(mkdtemp(where));
	ck_assert_int_eq(ts_cache_init(&cache, where, INT64_MAX, &err), TS_OK);
	ck_assert_ptr_nonnull(cache.dir);
}

static void
cache_end(void)
{
	ts_cache_fini(&cache);
	index_dir_remove(where);
}

static int
open_files(void)
{
	DIR *d = opendir("/proc/self/fd");
	int n = 0;

	while (d && readdir(d))
		n++;
	if (d)
		closedir(d);
	return n;
}

struct sections {
	uint64_t digest[TS_SECTION_COUNT]; /* 0 = not there */
};

/* What is read through the lanes: how they are packed depends on where parts meet, what they say does not. */
static void
digest_lanes(uint64_t *d, struct ts_report *r, struct ts_index *x)
{
	struct ts_reader *rd;
	struct ts_err err = {0};

	ck_assert_int_eq(ts_reader_open(&rd, r, &err), TS_OK);
	ts_reader_set_index(rd, x);
	ck_assert_int_eq(figure_execution(d, rd, &err), TS_OK);
	ck_assert_int_eq(figure_trace(d, rd, &err), TS_OK);
	ts_reader_close(rd);
}

/* The values, row by row: blocks begin where parts do. */
static void
digest_columns(uint64_t *d, struct ts_index *x)
{
	int64_t v[TS_COLUMN_ROWS];
	struct ts_columns c;

	if (!ts_columns_of(&c, x))
		return;
	for (int i = 0; i < TS_COLUMN_COUNT; i++)
		for (int64_t k = 0; c.block[i] && k < c.blocks; k++) {
			int rows = ts_columns_rows(&c, k);

			ck_assert_int_gt(rows, 0);
			ck_assert(ts_columns_read(&c, (enum ts_column)i, k, v));
			for (int row = 0; row < rows; row++)
				digest(d, &v[row], sizeof(v[row]));
		}
}

/* Bytes of all stretches: those begin where parts do. */
static void
digest_work(uint64_t *d, struct ts_index *x)
{
	int64_t sum[TS_TRAFFIC_COUNT + 2] = {0};
	struct ts_work w;

	if (!ts_work_open(&w, x))
		return;
	for (uint64_t i = 0; i < w.head->stretches * w.head->ipus; i++) {
		sum[TS_TRAFFIC_COUNT] += w.sum[i].steps;
		sum[TS_TRAFFIC_COUNT + 1] += w.sum[i].all.mean;
		for (int k = 0; k < TS_TRAFFIC_COUNT; k++)
			sum[k] += ts_max_i64(w.sum[i].traffic[k].in, 0);
	}
	digest(d, sum, sizeof(sum));
	digest(d, w.ipu, w.head->ipus * sizeof(*w.ipu));
	ts_work_close(&w);
}

/* Bytes of each tile: kinds are told apart by names, and there are none where the columns could not be made. */
static void
digest_tile_rows(uint64_t *d, struct ts_index *x)
{
	uint32_t kind[TS_TILE_ROWS_BATCH];
	int64_t bytes[TS_TILE_ROWS_BATCH];
	struct ts_kinds t;
	int n;

	if (!ts_tile_rows_of(&t, x)) { /* left empty: the rows answer */
		*d = 0;
		return;
	}
	for (size_t i = 0; i < t.tiles; i++) {
		struct ts_tile_rows_walk w = ts_tile_rows_begin(&t, i);
		int64_t sums[] = {t.tile[i].tile, t.tile[i].ipu, 0};

		while ((n = ts_tile_rows_next(&w, kind, bytes)) > 0)
			for (int k = 0; k < n; k++)
				sums[2] += bytes[k];
		digest(d, sums, sizeof(sums));
	}
}

static void
look(struct sections *s, struct ts_report *r, struct ts_index *x)
{
	for (int i = 0; i < TS_SECTION_COUNT; i++) {
		size_t n;
		const void *payload = ts_index_section(x, (enum ts_section)i, &n);

		s->digest[i] = payload ? 1 : 0;
		if (payload && i == TS_SECTION_LANES)
			digest_lanes(&s->digest[i], r, x);
		else if (payload && i == TS_SECTION_WORK)
			digest_work(&s->digest[i], x);
		else if (payload && i == TS_SECTION_TILE_ROWS)
			digest_tile_rows(&s->digest[i], x);
		else if (payload && i == TS_SECTION_COLUMNS)
			digest_columns(&s->digest[i], x);
		else if (payload)
			digest(&s->digest[i], payload, n);
	}
}

static void
compare(struct ts_report *r, struct ts_index *x, const struct sections *sound, int fault, int n)
{
	struct sections s;

	look(&s, r, x);
	for (int i = 0; i < TS_SECTION_COUNT; i++)
		ck_assert_msg(!s.digest[i] || s.digest[i] == sound->digest[i],
			"fault %d at %d: section %s is another one", fault, n,
			ts_section_name((enum ts_section)i));
}

static void
clear(void)
{
	struct ts_cache_cleared cleared;

	ck_assert_int_eq(ts_cache_clear(&cleared, &cache, NULL), TS_OK);
}

/* One build with a fault; then what is on disk. */
static void
one(struct ts_report *r, const struct sections *sound, enum fault fault, int n)
{
	static const enum ts_code codes[FAULTS] = {[READ_CANCELS] = TS_E_CANCELLED,
		[READ_FAILS] = TS_E_SYS,
		[READ_ENDS] = TS_E_FORMAT, /* a reader that finds the file empty */
		[NO_MEMORY] = TS_E_NOMEM};
	struct ts_err err = {0};
	struct ts_index *x;
	enum ts_code code;
	int failed;

	arm(fault, n);
	code = build_index(&x, &failed, r, &cache, INDEX_ALL, 2, &world.token, &err);
	arm(NONE, 0);
	ck_assert_msg(!code || code == codes[fault] || code == TS_E_STALE ||
			(fault == READ_ENDS && (code == TS_E_SYS || code == TS_E_DAMAGED)),
		"fault %d at %d: code %d (%s)", (int)fault, n, (int)code, err.msg);
	compare(r, x, sound, fault, n);
	ts_index_release(x);
	ck_assert_int_eq(ts_index_open(&x, &cache, r, NULL, NULL, &err), TS_OK);
	compare(r, x, sound, fault, n);
	ts_index_release(x);
	clear();
}

/* _i: fault */
START_TEST(building)
{
	enum fault fault = (enum fault)(READ_FAILS + _i);
	const struct ts_report_options options = {0};
	struct ts_err err = {0};
	struct sections sound;
	struct ts_report *r;
	struct ts_index *x;
	struct demo demo;
	int failed, calls, most, files;

	if (!in_sample(_i))
		return;
	demo_begin(&demo);
	cache_begin();
	ck_assert_int_eq(ts_report_open(&r, demo.path, &options, &err), TS_OK);
	arm(NONE, 0);
	ck_assert_msg(build_index(&x, &failed, r, &cache, INDEX_ALL, 2, NULL, &err) == TS_OK, "%s",
		err.msg);
	calls = fault == NO_MEMORY ? world.allocations : world.reads;
	ck_assert_int_eq(failed, 0);
	look(&sound, r, x);
	ts_index_release(x);
	clear();
	files = open_files();
	most = (in_memory ? 200 : 20) / stride_of(4, 10);
	for (int n = 1; n <= calls; n += calls > most ? calls / most : 1)
		one(r, &sound, fault, n);
	ck_assert_int_eq(open_files(), files);
	ts_report_close(r);
	cache_end();
	demo_end(&demo);
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("faults while an index is built");
	TCase *c = tcase_create("faults");
	SRunner *r;
	int failed;

	tcase_set_timeout(c, 60);
	tcase_add_loop_test(c, building, 0, FAULTS - READ_FAILS);
	suite_add_tcase(s, c);
	r = srunner_create(s);
	srunner_run_all(r, CK_NORMAL);
	failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
