/* SPDX-License-Identifier: MIT */
/*
 * Proportions against a slow computation: every cycle of a small clock is looked at by itself, and what runs in it is
 * noted. So overlapping steps are intersected there by construction. On random reports, with the index, without it,
 * and with steps in no order; rows of no step, without numbers, reversed, of no length.
 */
#include "config.h"

#include <check.h>
#include <math.h>

#include "depth.h"
#include "index_dir.h"

#include "tilescope/base/mem.h"
#include "tilescope/report/index_work.h"

enum { IPUS = 3, CLOCK = 4000, SEEDS = 60, RANGES = 12, ROWS = 80000 };

enum wrong {
	OVERLAPS = 1,
	FALLS = 2,
	ORPHANS = 4,
	NO_NUMBERS = 8,
	REVERSED = 16,
	NO_WORK = 32,
	RARE = 64
};

struct fixture {
	struct index_dir d;
	sqlite3 *db;
	struct ts_report *report;
	struct ts_reader *rd;
	struct ts_trace *trace;
	struct ts_index *index;
	uint64_t seed;
	struct row *row; /* all of step_ipu, as SQL says */
	size_t rows;
};

struct row {
	int64_t ipu, cycles, start, end; /* -1 = no number */
	double balance;			 /* -1 = no share */
	int class_of;			 /* -1 = no such step */
};

static int64_t
any(struct fixture *f, int64_t below)
{
	f->seed ^= f->seed << 13;
	f->seed ^= f->seed >> 7;
	f->seed ^= f->seed << 17;
	return (int64_t)(f->seed % (uint64_t)below);
}

static void
sql(struct fixture *f, const char *text)
{
	char *why = NULL;

	ck_assert_msg(sqlite3_exec(f->db, text, NULL, NULL, &why) == SQLITE_OK, "%s: %s", text,
		why);
}

/* --- a random report ---------------------------------------------------------------------------------- */

static void
put_part(struct fixture *f, sqlite3_stmt *part, int64_t step, int ipu, int64_t start,
	int64_t length, int wrong)
{
	int64_t end = wrong & REVERSED && any(f, 9) == 0 ? start / 2 : start + length;

	sqlite3_reset(part);
	sqlite3_clear_bindings(part);
	sqlite3_bind_int64(part, 1, step);
	sqlite3_bind_int64(part, 2, ipu);
	if (!(wrong & NO_NUMBERS) || any(f, 12))
		sqlite3_bind_int64(part, 3, length);
	sqlite3_bind_int64(part, 4, start);
	if (!(wrong & NO_NUMBERS) || any(f, 12))
		sqlite3_bind_int64(part, 5, end);
	if (any(f, 6))
		sqlite3_bind_double(part, 6, any(f, 15) ? (double)any(f, 1001) / 1000 : 1.5);
	ck_assert_int_eq(sqlite3_step(part), SQLITE_DONE);
}

static void
fill(struct fixture *f, int wrong, int64_t steps)
{
	static const char *const types[] = {"OnTileExecute", "DoExchange", "Sync", "Sans",
		"GlobalExchange", "StreamCopyBegin", "StreamCopyMid", "StreamCopyEnd", "odd"};
	int64_t clock[IPUS], most = ts_max_i64(CLOCK / steps * 2, 4);
	sqlite3_stmt *step, *part;

	for (int i = 0; i < IPUS; i++)
		clock[i] = any(f, 100);
	ck_assert_int_eq(sqlite3_prepare_v2(f->db, "INSERT INTO step VALUES(?, ?)", -1, &step,
				 NULL),
		SQLITE_OK);
	ck_assert_int_eq(sqlite3_prepare_v2(f->db,
				 wrong & NO_WORK ? "INSERT INTO step_ipu VALUES(?1, ?2, ?3, ?4, ?5)"
						 : "INSERT INTO step_ipu VALUES(?, ?, ?, ?, ?, ?)",
				 -1, &part, NULL),
		SQLITE_OK);
	for (int64_t s = 0; s < steps; s++) {
		sqlite3_reset(step);
		sqlite3_bind_int64(step, 1, s);
		sqlite3_bind_text(step, 2, types[any(f, 9)], -1, SQLITE_STATIC);
		if (!(wrong & ORPHANS) || any(f, 7))
			ck_assert_int_eq(sqlite3_step(step), SQLITE_DONE);
		for (int i = 0; i < IPUS; i++) {
			int64_t length = any(f, 4) ? any(f, most) : 0, at = clock[i];

			if (any(f, 8) == 0)
				continue;
			if (wrong & OVERLAPS && any(f, 6) == 0)
				length *= 5;
			if (wrong & RARE && any(f, 300) == 0) { /* beside many that follow */
				put_part(f, part, s, 2 * i, at, length * 50, wrong);
				continue;
			}
			if (wrong & FALLS && any(f, 5) == 0)
				at = ts_max_i64(0, at - any(f, 300));
			put_part(f, part, s, 2 * i, at, length, wrong);
			clock[i] += wrong & OVERLAPS ? length / 3 : length + any(f, 2) * any(f, 5);
		}
	}
	sqlite3_finalize(step);
	sqlite3_finalize(part);
}

static void
begin(struct fixture *f, int n, int wrong, int64_t steps)
{
	struct ts_err err = {0};
	char path[INDEX_PATH];

	memset(f, 0, sizeof(*f));
	f->seed = 0x9e3779b97f4a7c15u * (uint64_t)(n + 1);
	index_dir_begin(&f->d);
	snprintf(path, sizeof(path), "%s/relations.db", f->d.dir);
	ck_assert_int_eq(sqlite3_open(path, &f->db), SQLITE_OK);
	sql(f,
		"PRAGMA synchronous = OFF; BEGIN; "
		"CREATE TABLE step(step INTEGER, type TEXT)");
	sql(f,
		wrong & NO_WORK
			? "CREATE TABLE step_ipu(step INTEGER, ipu INTEGER, cycles INTEGER, "
			  "start INTEGER, \"end\" INTEGER)"
			: "CREATE TABLE step_ipu(step INTEGER, ipu INTEGER, cycles INTEGER, "
			  "start INTEGER, \"end\" INTEGER, tile_balance REAL)");
	fill(f, wrong, steps);
	sql(f, "COMMIT");
	f->report = index_dir_relations(&f->d);
	ck_assert_int_eq(ts_reader_open(&f->rd, f->report, &err), TS_OK);
	ck_assert_msg(ts_trace_open(&f->trace, f->rd, NULL, &err) == TS_OK, "%s", err.msg);
}

static void
build(struct fixture *f)
{
	f->index = index_dir_build(&f->d, f->report, f->rd,
		ts_section_bit(TS_SECTION_STEPS) | ts_section_bit(TS_SECTION_LANES) |
			ts_section_bit(TS_SECTION_WORK),
		2);
	ts_reader_set_index(f->rd, f->index);
	ck_assert(ts_proportions_indexed(f->rd));
}

static void
end(struct fixture *f)
{
	ts_trace_release(f->trace);
	ts_reader_close(f->rd);
	ts_index_release(f->index);
	ts_report_close(f->report);
	sqlite3_close(f->db);
	free(f->row);
	index_dir_end(&f->d);
}

static int64_t
number(sqlite3_stmt *s, int i)
{
	int64_t v = sqlite3_column_int64(s, i);

	return sqlite3_column_type(s, i) == SQLITE_INTEGER && v >= 0 && v <= INT64_C(1) << 62 ? v
											      : -1;
}

/* All rows, with the types of their steps. */
static void
load(struct fixture *f)
{
	char text[300];
	sqlite3_stmt *s;

	snprintf(text, sizeof(text),
		"SELECT type, ipu, cycles, start, \"end\", %s FROM step_ipu LEFT JOIN step USING "
		"(step)",
		ts_proportions_has_balance(f->report) ? "tile_balance" : "NULL");
	ck_assert_int_eq(sqlite3_prepare_v2(f->db, text, -1, &s, NULL), SQLITE_OK);
	f->row = ts_alloc(ROWS, sizeof(*f->row));
	ck_assert_ptr_nonnull(f->row);
	for (; sqlite3_step(s) == SQLITE_ROW; f->rows++) {
		struct row *r = &f->row[f->rows];
		const char *type = (const char *)sqlite3_column_text(s, 0);

		ck_assert_uint_lt(f->rows, ROWS);
		*r = (struct row){number(s, 1), number(s, 2), number(s, 3), number(s, 4),
			sqlite3_column_double(s, 5),
			type ? (int)ts_step_class_of(type, strlen(type), NULL, 0) : -1};
		if (sqlite3_column_type(s, 5) == SQLITE_NULL || r->balance < 0 || r->balance > 1)
			r->balance = -1;
	}
	sqlite3_finalize(s);
}

/* --- the slow way ---------------------------------------------------------------------------------------- */

struct slow {
	int64_t all[TS_CLASS_COUNT], alone[TS_CLASS_COUNT], busy, overlap, io, covered;
	int64_t steps, cycles, mean, compute, compute_mean;
};

static void
slow_work(struct slow *w, const struct row *r)
{
	w->steps++;
	if (r->balance < 0 || r->class_of == TS_CLASS_SYNC ||
		r->class_of == TS_CLASS_EXTERNAL_SYNC || r->class_of == TS_CLASS_ASYNC_SYNC)
		return;
	w->cycles += r->cycles;
	w->mean += llround(r->balance * (double)r->cycles);
	if (r->class_of == TS_CLASS_COMPUTE) {
		w->compute += r->cycles;
		w->compute_mean += llround(r->balance * (double)r->cycles);
	}
}

static void
slow_time(struct slow *w, const unsigned *set, int64_t from, int64_t to)
{
	const unsigned io = 1u << TS_CLASS_HOST_WAIT | 1u << TS_CLASS_HOST_COPY |
		1u << TS_CLASS_HOST_END;

	for (int64_t c = from; c < to; c++) {
		int classes = 0;

		for (int k = 0; k < TS_CLASS_COUNT; k++) {
			bool runs = set[c] & 1u << k;

			classes += runs;
			w->all[k] += runs;
			w->alone[k] += runs && set[c] == 1u << k;
		}
		w->busy += classes > 0;
		w->overlap += classes > 1;
		w->io += (set[c] & io) != 0;
		w->covered += (set[c] & io) != 0 && set[c] & 1u << TS_CLASS_COMPUTE;
	}
}

static void
slowly(struct slow *w, const struct fixture *f, int64_t ipu, int64_t from, int64_t to)
{
	unsigned *set = ts_alloc((size_t)to + 1, sizeof(*set));

	ck_assert_ptr_nonnull(set);
	memset(w, 0, sizeof(*w));
	for (size_t i = 0; i < f->rows; i++) {
		const struct row *r = &f->row[i];
		int k = r->class_of < 0 ? TS_CLASS_CONTROL : r->class_of;

		if (r->ipu != ipu || r->start < 0 || r->end <= r->start)
			continue;
		for (int64_t c = ts_max_i64(r->start, from); c < ts_min_i64(r->end, to); c++)
			set[c] |= 1u << k;
		if (r->start >= from && r->start < to && r->class_of >= 0 && r->cycles >= 0)
			slow_work(w, r);
	}
	slow_time(w, set, from, to);
	free(set);
}

/* --- tests ----------------------------------------------------------------------------------------------- */

static void
compare_time(const struct ts_proportion *p, const struct slow *w, int64_t span)
{
	ck_assert_int_eq(p->time.span, span);
	ck_assert_int_eq(p->time.busy, w->busy);
	ck_assert_int_eq(p->time.overlap, w->overlap);
	ck_assert_int_eq(p->time.io, w->io);
	ck_assert_int_eq(p->time.io_covered, w->covered);
	for (int k = 0; k < TS_CLASS_COUNT; k++) {
		ck_assert_int_eq(p->time.all[k], w->all[k]);
		ck_assert_int_eq(p->time.alone[k], w->alone[k]);
	}
}

static void
compare_work(const struct ts_proportion *p, const struct slow *w)
{
	ck_assert_int_eq(p->work.steps, w->steps);
	ck_assert_int_eq(p->work.all.cycles, w->cycles);
	ck_assert_int_eq(p->work.all.mean, w->mean);
	ck_assert_int_eq(p->work.compute.cycles, w->compute);
	ck_assert_int_eq(p->work.compute.mean, w->compute_mean);
	/* how much a step moves is not recorded */
	for (int k = 0; k < TS_TRAFFIC_COUNT; k++) {
		ck_assert_int_eq(p->work.traffic[k].in, TS_UNKNOWN);
		ck_assert_int_eq(p->work.traffic[k].out, TS_UNKNOWN);
	}
}

/* The figures of [from, to): both kinds at once, and time by itself. */
static void
compare(struct fixture *f, int64_t from, int64_t to, bool work)
{
	struct ts_proportions p, time;
	struct ts_err err = {0};
	enum ts_code code = ts_proportions_read(&p, f->rd, f->trace, from, to,
		TS_PROPORTIONS_TIME | TS_PROPORTIONS_WORK, &f->d.c, NULL, &err);
	int64_t busy = 0;

	ck_assert_msg(code == TS_OK, "%s", err.msg);
	ck_assert_int_eq(ts_proportions_read(&time, f->rd, f->trace, from, to, TS_PROPORTIONS_TIME,
				 &f->d.c, NULL, &err),
		TS_OK);
	ck_assert_int_eq(p.count, f->trace->ipus);
	for (int i = 0; i < p.count; i++) {
		struct slow w;

		slowly(&w, f, p.ipu[i].ipu, from, to);
		compare_time(&p.ipu[i], &w, to - from);
		if (work)
			compare_work(&p.ipu[i], &w);
		ck_assert_mem_eq(&p.ipu[i].time, &time.ipu[i].time, sizeof(time.ipu[i].time));
		busy += w.busy;
	}
	ck_assert_int_eq(p.sum.time.busy, busy);
	ck_assert_int_eq(p.sum.time.span, (to - from) * p.count);
	ts_proportions_fini(&p);
	ts_proportions_fini(&time);
}

static void
ranges(struct fixture *f, bool work)
{
	int64_t from = f->trace->from, span = f->trace->to - f->trace->from;

	compare(f, from, from + span, true);
	for (int i = 0; i < RANGES && span > 2; i++) {
		int64_t a = any(f, span), b = a + 1 + any(f, any(f, 2) ? span - a : 40);

		compare(f, from + a, from + b, work);
	}
	compare(f, from + span / 2, from + span / 2, work); /* nothing at all */
}

/* Range by range of one IPU: the same sets; dealt out each cycle belongs to one class, compute before all. */
static void
lane_times(struct fixture *f)
{
	struct ts_lane_times *x;
	struct ts_err err = {0};
	int64_t from = f->trace->from, span = f->trace->to - from;

	ck_assert_int_eq(ts_lane_times_open(&x, f->rd, f->trace, &f->d.c, &err), TS_OK);
	for (int i = 0; i < RANGES && span > 2; i++) {
		int64_t a = from + any(f, span), b = a + any(f, 300), dealt = 0, idle;
		int64_t ipu = any(f, IPUS + 1) * 2, by_class[TS_CLASS_COUNT];
		struct ts_class_figures g;
		struct ts_class_time time;
		struct slow w;

		slowly(&w, f, ipu, a, b);
		ck_assert_msg(ts_lane_times_of(&time, x, ipu, a, b, &err) == TS_OK, "%s", err.msg);
		ts_class_figures_of(&g, &time);
		idle = ts_class_partition(by_class, &time);
		if (ipu < 2 * IPUS) { /* else nothing is known of it, and nothing said */
			ck_assert_int_eq(g.span, b - a);
			ck_assert_int_eq(idle, b - a - w.busy);
		}
		ck_assert_int_eq(g.overlap, w.overlap);
		ck_assert_int_eq(by_class[TS_CLASS_COMPUTE], w.all[TS_CLASS_COMPUTE]);
		ck_assert_int_eq(by_class[TS_CLASS_CONTROL], w.alone[TS_CLASS_CONTROL]);
		for (int k = 0; k < TS_CLASS_COUNT; k++)
			dealt += by_class[k];
		ck_assert_int_eq(dealt, w.busy);
	}
	ts_lane_times_close(x);
}

/* As seeds go, everything that may be wrong with a report in turn; many steps have blocks of several leaves. */
START_TEST(random_reports)
{
	struct fixture f;
	int wrong = _i % 8 == 7 ? 63 & ~NO_WORK : 1 << _i % 6 | (_i % 3 ? OVERLAPS : 0);

	begin(&f, _i, wrong, _i % 5 == 0 ? 1500 : 10 + _i * 3);
	load(&f);
	if (!(wrong & FALLS)) /* nothing is found by bisecting then; the index knows */
		ranges(&f, true);
	if (!(wrong & FALLS))
		lane_times(&f);
	compare(&f, f.trace->from, f.trace->to, true);
	build(&f);
	ranges(&f, !(wrong & FALLS));
	lane_times(&f);
	end(&f);
}
END_TEST

/* Many blocks in order, with a long step beside them now and then, also where one block ends and the next begins. */
START_TEST(blocks)
{
	struct fixture f;

	struct ts_work work;

	begin(&f, 77 + _i, RARE, 26000);
	load(&f);
	build(&f);
	ck_assert(ts_work_open(&work, f.index));
	ck_assert_uint_gt(work.head->stretches, 10);
	ts_work_close(&work);
	ranges(&f, false);
	lane_times(&f);
	end(&f);
}
END_TEST

/* The balance of many steps is not the mean of their balances; utilisation is of the whole range. */
START_TEST(shares)
{
	struct ts_proportion p = {.work = {.all = {2, 1000, 400}, .compute = {1, 500, 300}}};

	p.time.span = 1200;
	ck_assert_double_eq_tol(ts_balance_share(&p.work.all), 0.4, 1e-12);
	ck_assert_double_eq_tol(ts_utilisation(&p), 0.25, 1e-12);
	p.work.compute = p.work.all = (struct ts_balance_sum){0, 0, 0};
	ck_assert_double_lt(ts_balance_share(&p.work.all), 0);
	ck_assert_double_lt(ts_utilisation(&p), 0);
}
END_TEST

/* Nothing of step_ipu is there. */
START_TEST(absent)
{
	struct ts_proportions p;
	struct ts_err err = {0};
	struct fixture f;

	begin(&f, 1, 0, 5);
	ts_trace_release(f.trace);
	ts_reader_close(f.rd);
	ts_report_close(f.report);
	sql(&f, "DROP TABLE step_ipu");
	f.report = index_dir_relations(&f.d);
	ck_assert_int_eq(ts_reader_open(&f.rd, f.report, &err), TS_OK);
	ck_assert_int_eq(ts_trace_open(&f.trace, f.rd, NULL, &err), TS_OK);
	ck_assert_int_eq(ts_proportions_read(&p, f.rd, f.trace, 0, 100, TS_PROPORTIONS_TIME, NULL,
				 NULL, &err),
		TS_E_ABSENT);
	ts_proportions_fini(&p);
	end(&f);
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("proportions");
	TCase *tc = tcase_create("figures");
	SRunner *sr = srunner_create(s);
	int failed;

	tcase_set_timeout(tc, 120);
	tcase_add_loop_test(tc, random_reports, 0, sample_of(SEEDS));
	tcase_add_loop_test(tc, blocks, 0, 2);
	tcase_add_test(tc, shares);
	tcase_add_test(tc, absent);
	suite_add_tcase(s, tc);
	srunner_run_all(sr, CK_NORMAL);
	failed = srunner_ntests_failed(sr);
	srunner_free(sr);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
