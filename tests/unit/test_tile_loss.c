/* SPDX-License-Identifier: MIT */
/*
 * Lost tile-cycles against a slow computation: every tile of every execution by itself. On random reports with measured and
 * estimated cycles, blobs that end early or are none, steps that name a compute set, or a program alone, or nothing.
 */
#include "config.h"

#include <check.h>

#include "made_report.h"

#include "tilescope/base/mem.h"
#include "tilescope/report/tile_loss.h"

enum { IPUS = 3, EACH = 5, TILES = IPUS * EACH, SETS = 9, STEPS = 60, SEEDS = 40 };

struct truth {
	int64_t cycles[SETS][TILES], executions[SETS]; /* cycles[i][0] < 0: not recorded */
	bool estimated[SETS];
};

/* A blob of some of the tiles; false: it is none. */
static bool
put_blob(struct fixture *f, const char *column, int set, int64_t cycles[TILES])
{
	char text[TILES * 8 + 1] = "";
	int n = (int)rnd(f, TILES + 1), kind = (int)rnd(f, 4);

	if (!kind)
		return false;
	for (int i = 0; i < TILES; i++)
		cycles[i] = 0;
	for (int i = 0; i < n; i++) {
		unsigned v = rnd(f, 3) ? rnd(f, 5000) : 0;

		cycles[i] = v;
		snprintf(text + strlen(text), 9, "%02x%02x0000", v & 255, v >> 8);
	}
	sql(f, "UPDATE compute_set SET %s = x'%s' WHERE compute_set = %d", column, text, set);
	return true;
}

static void
fill(struct fixture *f, struct truth *w, bool steps)
{
	int64_t program_steps[SETS] = {0};

	memset(w, 0, sizeof(*w));
	sql(f,
		"CREATE TABLE target(type TEXT, ipus INTEGER, replicas INTEGER, tiles_per_ipu INTEGER,"
		" bytes_per_tile INTEGER); INSERT INTO target VALUES('IPU', 3, 1, 5, 1000);"
		"CREATE TABLE compute_set(compute_set INTEGER PRIMARY KEY, name TEXT, "
		"cycles_by_tile BLOB, estimated_cycles_by_tile BLOB);"
		"CREATE TABLE program(program INTEGER PRIMARY KEY, type TEXT, compute_set INTEGER)");
	for (int i = 0; i < SETS; i++) {
		sql(f, "INSERT INTO compute_set(compute_set, name) VALUES(%d, 'set %d')", i, i);
		sql(f, "INSERT INTO program VALUES(%d, 'OnTileExecute', %d)", i, (i + 2) % SETS);
		w->cycles[i][0] = -1;
		w->estimated[i] = put_blob(f, "estimated_cycles_by_tile", i, w->cycles[i]);
		if (put_blob(f, "cycles_by_tile", i, w->cycles[i]))
			w->estimated[i] = false;
	}
	if (!steps)
		return;
	sql(f,
		"CREATE TABLE step(step INTEGER PRIMARY KEY, type TEXT, program INTEGER, compute_set "
		"INTEGER); CREATE TABLE step_ipu(step INTEGER, ipu INTEGER, cycles INTEGER, start "
		"INTEGER, \"end\" INTEGER)");
	for (int s = 0; s < STEPS; s++) {
		int program = (int)rnd(f, SETS), set = (int)rnd(f, SETS), how = (int)rnd(f, 4);
		char a[8] = "NULL", b[8] = "NULL";

		if (how & 1)
			snprintf(a, sizeof(a), "%d", program);
		if (how & 2)
			snprintf(b, sizeof(b), "%d", set);
		sql(f, "INSERT INTO step VALUES(%d, 'OnTileExecute', %s, %s)", s, a, b);
		sql(f, "INSERT INTO step_ipu VALUES(%d, 0, 100, %d, %d)", s, 100 * s,
			100 * s + 100);
		if (how & 2)
			w->executions[set]++;
		else if (how & 1)
			program_steps[program]++;
	}
	for (int i = 0; i < SETS; i++)
		w->executions[(i + 2) % SETS] += program_steps[i];
}

/* What an IPU waits in all executions: tile by tile, execution by execution. */
static int64_t
waits(const struct truth *w, int set, int ipu, int64_t executions)
{
	int64_t most = 0, lost = 0;

	for (int i = ipu * EACH; i < (ipu + 1) * EACH; i++)
		most = ts_max_i64(most, w->cycles[set][i]);
	for (int64_t e = 0; e < executions; e++)
		for (int i = ipu * EACH; i < (ipu + 1) * EACH; i++)
			lost += most - w->cycles[set][i];
	return lost;
}

static void
compare(const struct ts_tile_loss *l, const struct ts_loss_row *row, const struct truth *w,
	bool steps)
{
	int set = (int)row->compute_set;
	int64_t once = 0, all = 0, saves = 0;
	char name[20];

	snprintf(name, sizeof(name), "set %d", set);
	ck_assert_str_eq(l->text.s + row->name, name);
	ck_assert_int_eq(row->estimated, w->estimated[set]);
	ck_assert_int_eq(row->executions, steps ? w->executions[set] : TS_UNKNOWN);
	for (int i = 0; i < IPUS; i++) {
		once += waits(w, set, i, 1);
		all += waits(w, set, i, w->executions[set]);
		saves = ts_max_i64(saves, waits(w, set, i, w->executions[set]) / EACH);
	}
	ck_assert_int_eq(row->lost_once, once);
	ck_assert_int_eq(row->lost, steps ? all : TS_UNKNOWN);
	/* of IPUs whose means are nearer than a cycle the first is taken */
	ck_assert_int_le(saves - (steps ? row->saves : saves), steps ? w->executions[set] : 0);
	ck_assert_int_eq(row->tiles, EACH);
	ck_assert_int_eq(w->cycles[set][row->slowest], row->most);
	ck_assert_int_eq(row->slowest / EACH, row->ipu);
}

START_TEST(random_reports)
{
	bool steps = _i % 4 > 0;
	struct ts_err err = {0};
	struct ts_trace *t = NULL;
	struct ts_tile_loss l;
	struct fixture f;
	struct truth w;
	size_t rows = 0;
	int64_t sum = 0, lacking = 0;

	make_relations(&f, (unsigned)_i * 7919 + 5);
	fill(&f, &w, steps);
	open_report(&f);
	if (steps)
		ck_assert_int_eq(ts_trace_open(&t, f.reader, NULL, &err), TS_OK);
	ck_assert_msg(ts_tile_loss_read(&l, f.reader, t, NULL, NULL, &err) == TS_OK, "%s", err.msg);
	for (int i = 0; i < SETS; i++) {
		bool busy = false;

		for (int k = 0; k < TILES; k++)
			busy |= w.cycles[i][k] > 0;
		rows += busy;
		lacking += w.cycles[i][0] < 0;
	}
	ck_assert_uint_eq(l.count, rows);
	ck_assert_int_eq(l.lacking, lacking);
	for (size_t i = 0; i < l.count; i++) {
		compare(&l, &l.row[i], &w, steps);
		sum += l.row[i].lost;
		ck_assert(i == 0 || l.row[i - 1].lost >= l.row[i].lost);
	}
	ck_assert_int_eq(l.lost, steps ? sum : TS_UNKNOWN);
	ck_assert_int_eq(l.span, steps ? STEPS * 100 : TS_UNKNOWN);
	if (steps && l.count > 0)
		ck_assert_double_eq_tol(ts_loss_share(&l, &l.row[0]),
			(double)l.row[0].saves / (STEPS * 100), 1e-12);
	ts_tile_loss_fini(&l);
	ts_trace_release(t);
	end(&f);
}
END_TEST

/* Blobs that are no numbers, all 32 bits; and what is not there at all. */
START_TEST(hostile)
{
	struct ts_err err = {0};
	struct ts_tile_loss l;
	struct fixture f;

	make_relations(&f, 1);
	sql(&f,
		"CREATE TABLE target(ipus INTEGER, tiles_per_ipu INTEGER); INSERT INTO target VALUES(1, 2);"
		"CREATE TABLE compute_set(compute_set INTEGER, name TEXT, cycles_by_tile BLOB);"
		"INSERT INTO compute_set VALUES(0, 'a', x'ffffffff'), (1, 'b', x'010203'),"
		"(3, NULL, x''), (4, 'd', 7), (5, 'e', NULL)");
	open_report(&f);
	ck_assert_msg(ts_tile_loss_read(&l, f.reader, NULL, NULL, NULL, &err) == TS_OK, "%s",
		err.msg);
	ck_assert_uint_eq(l.count, 1);
	ck_assert_int_eq(l.row[0].lost_once, INT64_C(0xffffffff));
	ck_assert_int_eq(l.row[0].lost, TS_UNKNOWN);
	ck_assert_double_lt(ts_loss_share(&l, &l.row[0]), 0);
	ck_assert_int_eq(l.lacking, 3);
	ts_tile_loss_fini(&l);
	end(&f);
	make_relations(&f, 1);
	sql(&f, "CREATE TABLE compute_set(compute_set INTEGER, name TEXT)");
	open_report(&f);
	ck_assert(!ts_tile_loss_recorded(f.report));
	ck_assert_int_eq(ts_tile_loss_read(&l, f.reader, NULL, NULL, NULL, &err), TS_E_ABSENT);
	ts_tile_loss_fini(&l);
	end(&f);
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("tile_loss");
	TCase *tc = tcase_create("loss");
	SRunner *sr = srunner_create(s);
	int failed;

	tcase_set_timeout(tc, 120);
	tcase_add_loop_test(tc, random_reports, 0, SEEDS);
	tcase_add_test(tc, hostile);
	suite_add_tcase(s, tc);
	srunner_run_all(sr, CK_NORMAL);
	failed = srunner_ntests_failed(sr);
	srunner_free(sr);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
