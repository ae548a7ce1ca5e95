/* SPDX-License-Identifier: MIT */
/*
 * What each tile does against a slow computation: each cycle of each tile is looked at by itself. On random reports in which
 * cycles by tile are measured, estimated, or not recorded; blobs that end early, that are none, tiles that the
 * IPU does not have; a range so long that it is sampled.
 */
#include "config.h"

#include <check.h>
#include <math.h>

#include "depth.h"
#include "made_report.h"

#include "tilescope/base/mem.h"
#include "tilescope/report/bsp.h"

enum { TILES = 12, IPUS = 2, SETS = 5, PROGRAMS = 9, STEPS = 30, SEEDS = 40, CLOCK = 6000 };

enum kind { NOTHING, COMPUTE, EXCHANGE, WAIT, WHOLE };

static const char *const types[] = {"OnTileExecute", "DoExchange", "Sync", "StreamCopyMid",
	"GlobalExchange", "OnTileExecute", "OnTileExecute", "DoExchange", "odd"};

/* Cycles of each tile: -1 = not recorded. */
struct truth {
	int64_t set[2][SETS][TILES], program[PROGRAMS][TILES]; /* a program's are estimates */
	struct {
		int64_t ipu, start, end;
		int program, set; /* -1 = not said */
	} step[STEPS * IPUS];
	int steps;
};

static void
put_blob(struct fixture *f, const char *table, const char *column, int id, int64_t cycles[TILES])
{
	char text[TILES * 8 + 1] = "";
	int n = (int)rnd(f, TILES + 1), kind = (int)rnd(f, 4);

	for (int i = 0; i < TILES; i++)
		cycles[i] = kind ? 0 : -1;
	for (int i = 0; i < n && kind; i++) {
		unsigned v = rnd(f, 3) ? rnd(f, 120) : 0;

		cycles[i] = v;
		snprintf(text + strlen(text), 9, "%02x%02x0000", v & 255, v >> 8);
	}
	if (kind)
		sql(f, "UPDATE %s SET %s = x'%s' WHERE %s = %d", table, column, text, table, id);
	else if (rnd(f, 2)) /* no numbers of four bytes */
		sql(f, "UPDATE %s SET %s = x'0102' WHERE %s = %d", table, column, table, id);
}

static void
fill(struct fixture *f, struct truth *w)
{
	int64_t clock[IPUS] = {5, 17};

	sql(f,
		"CREATE TABLE ipu(ipu INTEGER, replica INTEGER, first_tile INTEGER, tile_count INTEGER);"
		"INSERT INTO ipu VALUES(0, 0, 0, 6), (1, 0, 6, 6);"
		"CREATE TABLE compute_set(compute_set INTEGER PRIMARY KEY, name TEXT, "
		"cycles_by_tile BLOB, estimated_cycles_by_tile BLOB);"
		"CREATE TABLE program(program INTEGER PRIMARY KEY, type TEXT, compute_set INTEGER, "
		"estimated_cycles_by_tile BLOB);"
		"CREATE TABLE step(step INTEGER PRIMARY KEY, type TEXT, program INTEGER, "
		"compute_set INTEGER);"
		"CREATE TABLE step_ipu(step INTEGER, ipu INTEGER, cycles INTEGER, start INTEGER, "
		"\"end\" INTEGER)");
	for (int i = 0; i < SETS; i++) {
		sql(f, "INSERT INTO compute_set(compute_set, name) VALUES(%d, 'cs')", i);
		put_blob(f, "compute_set", "cycles_by_tile", i, w->set[0][i]);
		put_blob(f, "compute_set", "estimated_cycles_by_tile", i, w->set[1][i]);
	}
	for (int i = 0; i < PROGRAMS; i++) {
		sql(f, "INSERT INTO program(program, type) VALUES(%d, '%s')", i, types[i]);
		put_blob(f, "program", "estimated_cycles_by_tile", i, w->program[i]);
	}
	for (int s = 0; s < STEPS; s++) {
		int program = (int)rnd(f, PROGRAMS), set = (int)rnd(f, SETS + 1) - 1;

		if (strcmp(types[program], "OnTileExecute") != 0)
			set = -1;
		sql(f, "INSERT INTO step VALUES(%d, '%s', %d, %s)", s, types[program], program,
			set < 0 ? "NULL" : (char[]){(char)('0' + set), '\0'});
		for (int i = 0; i < IPUS; i++) {
			int64_t length = rnd(f, 5) ? rnd(f, 150) : 0;

			sql(f, "INSERT INTO step_ipu VALUES(%d, %d, %lld, %lld, %lld)", s, i,
				(long long)length, (long long)clock[i],
				(long long)(clock[i] + length));
			w->step[w->steps].ipu = i;
			w->step[w->steps].start = clock[i];
			w->step[w->steps].end = clock[i] + length;
			w->step[w->steps].program = program;
			w->step[w->steps++].set = set;
			clock[i] += length + (rnd(f, 4) ? 0 : rnd(f, 30));
		}
	}
}

/* --- the slow way ---------------------------------------------------------------------------------------- */

static const int64_t *
numbers(const struct truth *w, int program, int set)
{
	const int64_t *from[] = {set < 0 ? NULL : w->set[0][set], w->program[program],
		set < 0 ? NULL : w->set[1][set]};

	for (size_t i = 0; i < TS_COUNT(from); i++)
		if (from[i] && from[i][0] >= 0)
			return from[i];
	return NULL;
}

/* What a tile does in a cycle; of what is not known by tile the class. */
static enum kind
does(const struct truth *w, int64_t ipu, int64_t tile, int64_t cycle, int *class_of)
{
	for (int i = 0; i < w->steps; i++) {
		const char *type = types[w->step[i].program];
		const int64_t *own = numbers(w, w->step[i].program, w->step[i].set);
		int k = (int)ts_step_class_of(type, strlen(type), NULL, 0);
		bool works = k == TS_CLASS_COMPUTE || k == TS_CLASS_EXCHANGE ||
			k == TS_CLASS_GLOBAL_EXCHANGE;

		if (w->step[i].ipu != ipu || cycle < w->step[i].start || cycle >= w->step[i].end)
			continue;
		*class_of = k;
		if (!works || !own)
			return WHOLE;
		if (cycle - w->step[i].start >= own[tile])
			return WAIT;
		return k == TS_CLASS_COMPUTE ? COMPUTE : EXCHANGE;
	}
	return NOTHING;
}

static void
compare_cell(const struct ts_bsp *b, const struct truth *w, int row, int x)
{
	double part[TS_BSP_PARTS] = {0}, whole[TS_CLASS_COUNT] = {0}, cells;
	int64_t first, last, from, to;

	ts_bsp_row_tiles(b, row, &first, &last);
	from = b->from + (b->to - b->from) / b->columns * x;
	to = from + (b->to - b->from) / b->columns;
	cells = (double)((last - first + 1) * (to - from));
	for (int64_t t = first; t <= last; t++)
		for (int64_t c = from; c < to; c++) {
			int k = 0;
			enum kind kind = does(w, b->ipu, t, c, &k);

			if (kind == WHOLE)
				whole[k] += 1 / cells;
			else if (kind != NOTHING)
				part[kind - COMPUTE] += 1 / cells;
		}
	for (int k = 0; k < TS_BSP_PARTS; k++)
		ck_assert_msg(fabs(part[k] - (double)ts_bsp_share(b, row, (enum ts_bsp_part)k)[x]) <
				1e-3,
			"part %d of row %d, column %d: %f, not %f", k, row, x,
			(double)ts_bsp_share(b, row, (enum ts_bsp_part)k)[x], part[k]);
	for (int k = 0; k < TS_CLASS_COUNT; k++)
		ck_assert_double_eq_tol(whole[k], (double)ts_bsp_whole(b, (enum ts_step_class)k)[x],
			1e-3);
}

static void
compare(struct fixture *f, const struct truth *w, const struct ts_trace *t, int64_t ipu)
{
	struct ts_tile_ipus ipus;
	struct ts_err err = {0};
	struct ts_bsp_tiles all;
	struct ts_bsp b;
	int columns = 1 + (int)rnd(f, 30);
	int64_t from = rnd(f, CLOCK / 4), width = 1 + rnd(f, 40);

	ck_assert_int_eq(ts_tile_ipus_read(&ipus, f->reader, &err), TS_OK);
	all = ts_bsp_tiles_of(&ipus, ipu);
	ck_assert_int_eq(all.first, ipu ? 6 : 0);
	ck_assert_int_eq(all.count, 6);
	ck_assert_msg(ts_bsp_read(&b, f->reader, t, ipu, all, from, from + columns * width, columns,
			      all.first + rnd(f, 4), 1 + rnd(f, 9), 1 + (int)rnd(f, 8), NULL,
			      &err) == TS_OK,
		"%s", err.msg);
	ck_assert(!b.sampled);
	ck_assert_int_le(b.tile + b.tiles, all.first + all.count);
	ck_assert_int_le(b.rows, b.tiles);
	for (int row = 0; row < b.rows; row++)
		for (int x = 0; x < b.columns; x++)
			compare_cell(&b, w, row, x);
	ts_bsp_fini(&b);
	ts_tile_ipus_fini(&ipus);
}

START_TEST(random_reports)
{
	struct truth w = {.steps = 0};
	struct ts_err err = {0};
	struct ts_trace *t;
	struct fixture f;

	make_relations(&f, (unsigned)_i * 7919 + 3);
	fill(&f, &w);
	open_report(&f);
	ck_assert(ts_bsp_recorded(f.report));
	ck_assert_msg(ts_trace_open(&t, f.reader, NULL, &err) == TS_OK, "%s", err.msg);
	for (int i = 0; i < 6; i++)
		compare(&f, &w, t, i % IPUS);
	ts_trace_release(t);
	end(&f);
}
END_TEST

/* A long range: a step at each place. One compute set runs all the time, half of each step on tile 0, all of it on tile 1. */
START_TEST(sampled)
{
	const struct ts_bsp_tiles all = {0, 2};
	struct ts_err err = {0};
	struct ts_trace *t;
	struct fixture f;
	struct ts_bsp b;

	make_relations(&f, 1);
	sql(&f,
		"CREATE TABLE compute_set(compute_set INTEGER PRIMARY KEY, name TEXT, cycles_by_tile "
		"BLOB); INSERT INTO compute_set VALUES(0, 'cs', x'0500000010270000');"
		"CREATE TABLE step(step INTEGER PRIMARY KEY, type TEXT, compute_set INTEGER);"
		"CREATE TABLE step_ipu(step INTEGER, ipu INTEGER, cycles INTEGER, start INTEGER, "
		"\"end\" INTEGER);"
		"WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 20000) "
		"INSERT INTO step SELECT i, 'OnTileExecute', 0 FROM n;"
		"INSERT INTO step_ipu SELECT step, 0, 10, step * 10, step * 10 + 10 FROM step");
	open_report(&f);
	ck_assert_int_eq(ts_trace_open(&t, f.reader, NULL, &err), TS_OK);
	ck_assert_msg(ts_bsp_read(&b, f.reader, t, 0, all, 0, 200000, 200, 0, 2, 2, NULL, &err) ==
			TS_OK,
		"%s", err.msg);
	ck_assert(b.sampled);
	ck_assert_int_gt(b.by_tile, 10);
	ck_assert_int_le(b.by_tile, TS_BSP_PLACES);
	for (int k = 0; k < TS_BSP_PARTS; k++) {
		double sum[2] = {0, 0};

		for (int row = 0; row < 2; row++)
			for (int x = 0; x < b.columns; x++)
				sum[row] += (double)ts_bsp_share(&b, row, (enum ts_bsp_part)k)[x];
		ck_assert_double_eq_tol(sum[0] / b.columns, k == TS_BSP_EXCHANGE ? 0 : 0.5, 1e-3);
		ck_assert_double_eq_tol(sum[1] / b.columns, k == TS_BSP_COMPUTE, 1e-3);
	}
	ts_bsp_fini(&b);
	ts_trace_release(t);
	end(&f);
}
END_TEST

/* Enormous numbers: the range is what is asked for, steps are cut to it. */
START_TEST(hostile)
{
	const struct ts_bsp_tiles all = {5, 3};
	struct ts_err err = {0};
	struct ts_trace *t;
	struct fixture f;
	struct ts_bsp b;

	make_relations(&f, 1);
	sql(&f,
		"CREATE TABLE program(program INTEGER PRIMARY KEY, type TEXT, estimated_cycles_by_tile BLOB);"
		"INSERT INTO program VALUES(0, 'DoExchange', x'ffffffff');"
		"CREATE TABLE step(step INTEGER PRIMARY KEY, type TEXT, program INTEGER);"
		"INSERT INTO step VALUES(0, 'DoExchange', 0), (1, NULL, 0), (2, 'DoExchange', 7);"
		"CREATE TABLE step_ipu(step INTEGER, ipu INTEGER, cycles INTEGER, start INTEGER, "
		"\"end\" INTEGER);"
		"INSERT INTO step_ipu VALUES(0, 0, 1, 0, 4611686018427387904), (1, 0, 1, 9, 3),"
		"(2, 0, 1, 4611686018427387000, 4611686018427387904), (2, 9, 1, -1, 5)");
	open_report(&f);
	ck_assert_int_eq(ts_trace_open(&t, f.reader, NULL, &err), TS_OK);
	for (int64_t from = 0; from < 2; from++) {
		enum ts_code code = ts_bsp_read(&b, f.reader, t, 0, all, from ? INT64_MAX : 0,
			INT64_MAX, 4096, -1, INT64_MAX, 4096, NULL, &err);

		ck_assert_msg(code == TS_OK, "%s", err.msg);
		ck_assert_int_eq(b.rows, 3);
		ck_assert_int_eq(b.tile, 5);
		for (int x = 0; x < b.columns && !from; x++)
			ck_assert_double_eq_tol((double)ts_bsp_share(&b, 0, TS_BSP_WAIT)[x], 1,
				1e-3); /* no tile of the IPU is in the blob */
		ts_bsp_fini(&b);
	}
	ts_trace_release(t);
	end(&f);
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("bsp");
	TCase *tc = tcase_create("tiles");
	SRunner *sr = srunner_create(s);
	int failed;

	tcase_set_timeout(tc, 120);
	tcase_add_loop_test(tc, random_reports, 0, sample_of(SEEDS));
	tcase_add_test(tc, sampled);
	tcase_add_test(tc, hostile);
	suite_add_tcase(s, tc);
	srunner_run_all(sr, CK_NORMAL);
	failed = srunner_ntests_failed(sr);
	srunner_free(sr);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
