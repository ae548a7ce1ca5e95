/* SPDX-License-Identifier: MIT */
/*
 * The tabs Balance and Lost of the Trace view: figures of a report small enough to be worked out by hand, those of random
 * ones worked out cycle by cycle, what they are of, and what is said where something is not recorded.
 */
#include "config.h"

#include "../unit/depth.h"
#include "view_harness.h"

#include "tilescope/view/trace.h"

static struct harness h;

/*
 * IPU 0 computes in [0, 100), where a copy runs beside it in [50, 150), and moves 400 bytes out in [150, 200). Two tiles
 * an IPU; the compute set takes 100 and 40 cycles: 60 tile-cycles are lost, 30 cycles of 200 would be saved.
 */
static void
tables(void)
{
	harness_dir(&h);
	harness_sql(&h,
		"CREATE TABLE report(key TEXT, value TEXT);"
		"INSERT INTO report VALUES('store_version','1'), ('compute_instrumentation','tile');"
		"CREATE TABLE target(type TEXT, ipus INTEGER, replicas INTEGER, tiles_per_ipu INTEGER,"
		" bytes_per_tile INTEGER); INSERT INTO target VALUES('IPU', 1, 1, 2, 1000);"
		"CREATE TABLE compute_set(compute_set INTEGER PRIMARY KEY, name TEXT, cycles_by_tile "
		"BLOB); INSERT INTO compute_set VALUES(0, 'matMul', x'6400000028000000'),"
		"(1, 'other', NULL);"
		"CREATE TABLE step(step INTEGER PRIMARY KEY, run INTEGER, type TEXT, compute_set "
		"INTEGER); INSERT INTO step VALUES(0, 0, 'OnTileExecute', 0),"
		"(1, 0, 'StreamCopyMid', NULL), (2, 1, 'GlobalExchange', NULL);"
		"CREATE TABLE run(run INTEGER, name TEXT, first_step INTEGER, step_count INTEGER);"
		"INSERT INTO run VALUES(0, 'a', 0, 2), (1, 'b', 2, 1);"
		"CREATE TABLE step_ipu(step INTEGER, ipu INTEGER, cycles INTEGER, start INTEGER,"
		" \"end\" INTEGER, data_in INTEGER, data_out INTEGER, tile_balance REAL);"
		"INSERT INTO step_ipu VALUES(0, 0, 100, 0, 100, 0, 0, 0.7),"
		"(1, 0, 100, 50, 150, 200, 0, 1.0), (2, 0, 50, 150, 200, 0, 400, 0.5)");
}

static void
start(int w, int height, const char *tab)
{
	harness_start(&h, &ts_view_trace, w, height, TS_GLYPHS_ASCII);
	harness_settle(&h);
	harness_command(&h, tab);
	harness_command(&h, "pane-zoom");
}

START_TEST(overlap_is_intersected)
{
	tables();
	start(200, 20, "tab balance");
	harness_says(&h, "everything: 200");
	/* compute, global exchange, copy; idle 0; overlap 50 of 200, half of the copy covered */
	harness_says(&h,
		"   0  50.0%     0%  25.0%     0%     0%     0%     0%  50.0%     0%     0%     0%  "
		"25.0%  50.0%");
	/* (70 + 100 + 25) of 250 cycles; 70 of 200 cycles of both tiles compute */
	harness_says(&h, "78.0%  35.0%");
	harness_says(&h, "200B        0  2.00 B/c        0     400B  8.00 B/c");
	harness_command(&h, "scope run");
	harness_says(&h, "run 0: 150");
	harness_says(&h, "   0  66.7%     0%     0%");
	harness_command(&h, "goto 2");
	harness_says(&h, "run 1: 50");
	harness_says(&h, "   0     0%     0%   100%");
	ck_assert(harness_command(&h, "scope nothing") & TS_EFFECT_BELL);
	harness_command(&h, "scope range");
	ck_assert_ptr_nonnull(strstr(h.env.message, "no range is marked"));
	harness_says(&h, "everything: 200");
	harness_command(&h, "pane-zoom");
	harness_command(&h, "tab steps");
	harness_command(&h, "goto 0");
	harness_command(&h, "range");
	harness_command(&h, "goto 1");
	harness_command(&h, "range");
	harness_command(&h, "tab balance");
	harness_says(&h, "marked range: ");
	harness_end(&h);
}
END_TEST

/* The wait that the profiler inflated has its sign, wherever its cycles are shown. */
START_TEST(artefact_is_marked)
{
	tables();
	harness_sql(&h, "UPDATE step SET type = 'StreamCopyBegin' WHERE step = 2");
	start(200, 20, "tab balance");
	harness_says(&h, "! everything: 200, profiler's wait in it");
	harness_command(&h, "tab longest");
	harness_says(&h, " !50 ");
	harness_end(&h);
}
END_TEST

START_TEST(lost_is_ranked)
{
	tables();
	start(160, 20, "tab lost");
	harness_says(&h, "the first saves 15.0%");
	harness_says(&h,
		"60 tile-cycles lost in 1 compute set, measured once, repeated; 1 more not "
		"by tile");
	harness_says(&h, "70.0%");
	harness_command(&h, "open");
	harness_command(&h, "filter lost>100");
	harness_says(&h, "0 of 0 match");
	harness_command(&h, "tab steps");
	harness_says(&h, "1 hit, 40.0% of ipu 0");
	harness_end(&h);
}
END_TEST

START_TEST(what_is_not_recorded_is_said)
{
	tables();
	harness_sql(&h,
		"ALTER TABLE compute_set DROP COLUMN cycles_by_tile;"
		"ALTER TABLE step_ipu DROP COLUMN tile_balance;"
		"ALTER TABLE step_ipu DROP COLUMN data_in;"
		"ALTER TABLE step_ipu DROP COLUMN data_out");
	start(200, 20, "tab balance");
	ck_assert(!harness_has(&h, " Lost "));
	harness_says(&h, "   0  50.0%     0%  25.0%");
	ck_assert(!harness_has(&h, "200  "));
	harness_end(&h);
	tables();
	harness_sql(&h, "DROP TABLE step_ipu");
	start(120, 24, "tab steps");
	ck_assert(!harness_has(&h, " Balance "));
	harness_end(&h);
	tables();
	harness_sql(&h, "UPDATE report SET value = 'ipu' WHERE key = 'compute_instrumentation'");
	start(120, 24, "tab lost");
	harness_says(&h, "measured on one tile of an IPU only");
	harness_end(&h);
}
END_TEST

/* The columns that stay where it is narrow; the pinned total stands in the columns of the table. */
START_TEST(it_fits)
{
	const struct ts_demo_options o = {.layout = TS_DEMO_STORE, .ipus = 3};

	harness_demo(&h, &o);
	start(80, 20, "tab balance");
	harness_command(&h, "scope all");
	harness_says(&h,
		" ipu  comp.  exch.  glob.   sync  ext.s   wait   copy   idle   bal.   util");
	harness_says(&h, "   2  33.2%");
	harness_says(&h, " all  38.5%");
	harness_says(&h, "everything: ");
	harness_says(&h, " cycles, profiler's wait in it");
	harness_resize(&h, 120, 20);
	harness_settle(&h);
	harness_says(&h, "host in      out  glob in      out");
	harness_command(&h, "tab lost");
	harness_says(&h, "tile-cycles lost in ");
	harness_end(&h);
}
END_TEST

/* --- random reports, cycle by cycle ---------------------------------------------------------------- */

enum { IPUS = 3, STEPS = 40, CLOCK = 2000, KINDS = 8 };

static const char *const kinds[KINDS] = {"OnTileExecute", "DoExchange", "GlobalExchange", "Sync",
	"StreamCopyBegin", "StreamCopyMid", "StreamCopyEnd", "Call"};
static const char *const named[KINDS] = {"compute", "exchange", "global_exchange", "sync",
	"host_wait", "host_copy", "host_end", "control"};

struct part {
	int kind;
	int64_t start, cycles, in, out; /* bytes: -1 is not recorded */
	double balance;
};

static struct part parts[IPUS][STEPS];

static int64_t
below(uint64_t *seed, int64_t n)
{
	*seed ^= *seed << 13;
	*seed ^= *seed >> 7;
	*seed ^= *seed << 17;
	return (int64_t)(*seed % (uint64_t)n);
}

static void
random_tables(uint64_t seed)
{
	int64_t clock[IPUS] = {0};
	char sql[400];

	harness_dir(&h);
	harness_sql(&h,
		"CREATE TABLE report(key TEXT, value TEXT);"
		"INSERT INTO report VALUES('store_version','1'), ('compute_instrumentation','tile');"
		"CREATE TABLE step(step INTEGER PRIMARY KEY, type TEXT);"
		"CREATE TABLE step_ipu(step INTEGER, ipu INTEGER, cycles INTEGER, start INTEGER,"
		" \"end\" INTEGER, data_in INTEGER, data_out INTEGER, tile_balance REAL)");
	for (int step = 0; step < STEPS; step++) {
		int kind = (int)below(&seed, KINDS);

		snprintf(sql, sizeof(sql), "INSERT INTO step VALUES(%d, '%s')", step, kinds[kind]);
		harness_sql(&h, sql);
		for (int i = 0; i < IPUS; i++) {
			struct part *p = &parts[i][step];

			*p = (struct part){kind, clock[i], below(&seed, 40), below(&seed, 900) - 1,
				below(&seed, 3) ? below(&seed, 900) : 0,
				(double)below(&seed, 101) / 100};
			clock[i] += below(&seed, 2) ? p->cycles + below(&seed, 9) : p->cycles / 3;
			snprintf(sql, sizeof(sql),
				"INSERT INTO step_ipu VALUES(%d, %d, %lld, %lld, %lld, nullif(%lld, -1), "
				"%lld, %.2f)",
				step, i, (long long)p->cycles, (long long)p->start,
				(long long)(p->start + p->cycles), (long long)p->in,
				(long long)p->out, p->balance);
			harness_sql(&h, sql);
		}
	}
}

/* Which kinds run in each cycle: bits. */
static int64_t
lay_out(unsigned set[CLOCK], int ipu)
{
	int64_t end = 0;

	memset(set, 0, CLOCK * sizeof(*set));
	for (int step = 0; step < STEPS; step++) {
		const struct part *p = &parts[ipu][step];

		end = ts_max_i64(end, p->start + p->cycles);
		ck_assert_int_lt(end, CLOCK);
		for (int64_t c = p->start; c < p->start + p->cycles; c++)
			set[c] |= 1u << p->kind;
	}
	return end;
}

static void
is_value(const struct ts_sheet *s, int64_t row, const char *name, double whole, double part)
{
	struct ts_table_value v = {0};
	int column = 0;

	while (column < s->table.columns && strcmp(ts_table_column_name(&s->table, column), name))
		column++;
	ck_assert_int_lt(column, s->table.columns);
	ck_assert(s->table.value(s->table.ctx, row, column, &v));
	if (whole <= 0)
		ck_assert_msg(v.type == TS_VALUE_NONE, "%s of row %d", name, (int)row);
	else
		ck_assert_msg(v.type == TS_VALUE_REAL && v.real > part / whole - 1e-9 &&
				v.real < part / whole + 1e-9,
			"%s of row %d: %g, not %g", name, (int)row, v.real, part / whole);
}

/* Shares of the cycles in which a kind runs at all, whatever runs beside it. */
static void
check_times(const struct ts_sheet *s, int ipu, int64_t span)
{
	unsigned set[CLOCK], io = 1u << 4 | 1u << 5 | 1u << 6;
	int64_t idle = 0, overlap = 0, host = 0, covered = 0;

	(void)lay_out(set, ipu);
	for (int k = 0; k < KINDS; k++) {
		int64_t runs = 0;

		for (int64_t c = 0; c < span; c++)
			runs += set[c] >> k & 1;
		is_value(s, ipu, named[k], (double)span, 100 * (double)runs);
	}
	for (int64_t c = 0; c < span; c++) {
		idle += set[c] == 0;
		overlap += (set[c] & (set[c] - 1)) != 0;
		host += (set[c] & io) != 0;
		covered += (set[c] & io) != 0 && set[c] & 1;
	}
	is_value(s, ipu, "idle", (double)span, 100 * (double)idle);
	is_value(s, ipu, "overlap", (double)span, 100 * (double)overlap);
	is_value(s, ipu, "io_covered", (double)host, 100 * (double)covered);
}

/* Balance, utilisation and bandwidth: sums over the steps, each once. */
static void
check_work(const struct ts_sheet *s, int ipu, int64_t span)
{
	double mean = 0, cycles = 0, compute = 0, moved[2] = {0}, moving[2] = {0};
	bool computes = false, bytes[2] = {false};

	for (int step = 0; step < STEPS; step++) {
		const struct part *p = &parts[ipu][step];
		double of = (double)(int64_t)(p->balance * (double)p->cycles + 0.5);
		int way = p->kind == 2 ? 1 : p->kind >= 4 && p->kind <= 6 ? 0 : -1;

		if (p->cycles == 0)
			continue;
		if (p->kind != 3)
			mean += of, cycles += (double)p->cycles;
		if (p->kind == 0)
			compute += of, computes = true;
		if (way < 0)
			continue;
		bytes[way] = true;
		moved[way] += (double)(ts_max_i64(p->in, 0) + p->out);
		moving[way] += p->in > 0 || p->out > 0 ? (double)p->cycles : 0;
	}
	is_value(s, ipu, "balance", cycles, 100 * mean);
	is_value(s, ipu, "utilisation", computes ? (double)span : 0, 100 * compute);
	is_value(s, ipu, "host_bandwidth", bytes[0] ? moving[0] : 0, moved[0]);
	is_value(s, ipu, "global_bandwidth", bytes[1] ? moving[1] : 0, moved[1]);
}

START_TEST(random_reports)
{
	struct ts_sheet sheet = {.list = NULL};
	unsigned set[CLOCK];
	int64_t span = 0;

	random_tables(2654435761u * (uint64_t)(_i + 1));
	start(200, 20, "tab balance");
	for (int i = 0; i < IPUS; i++)
		span = ts_max_i64(span, lay_out(set, i));
	ck_assert(ts_view_trace.sheet(h.view, &sheet));
	ck_assert_int_eq(sheet.rows, IPUS);
	for (int i = 0; i < IPUS; i++) {
		check_times(&sheet, i, span);
		check_work(&sheet, i, span);
	}
	harness_end(&h);
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("trace_balance");
	TCase *tc = tcase_create("tabs");
	SRunner *sr = srunner_create(s);
	int failed;

	tcase_set_timeout(tc, 120);
	tcase_add_test(tc, overlap_is_intersected);
	tcase_add_test(tc, artefact_is_marked);
	tcase_add_test(tc, lost_is_ranked);
	tcase_add_test(tc, what_is_not_recorded_is_said);
	tcase_add_test(tc, it_fits);
	tcase_add_loop_test(tc, random_reports, 0, sample_of(40));
	suite_add_tcase(s, tc);
	srunner_run_all(sr, CK_NORMAL);
	failed = srunner_ntests_failed(sr);
	srunner_free(sr);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
