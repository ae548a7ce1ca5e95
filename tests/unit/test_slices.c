/* SPDX-License-Identifier: MIT */
/*
 * test_slices - rows of a range of cycles, held against all rows gone through one by one: also those of steps that began
 * thousands of rows before and still run, which only the index knows of.
 */
#include "config.h"

#include <locale.h>

#include "depth.h"
#include "index_dir.h"

#include "tilescope/base/mem.h"
#include "tilescope/report/flame.h"
#include "tilescope/report/slices.h"

enum { SEEDS = 10, STEPS = 3000, IPUS = 3, ROWS = STEPS * IPUS, RANGES = 12 };

enum layout { BY_KEY = 1, GAPS = 2, HALF = 4 /* of the steps have no row on an IPU */ };

struct row {
	int64_t rowid, step, ipu, cycles, start, end;
	int came;
};

struct fixture {
	struct index_dir d;
	struct ts_report *report;
	struct ts_reader *bare, *rd; /* without the index, and with it */
	struct ts_index *index;
	struct ts_trace *trace;
	uint64_t seed;
	int64_t end;  /* of the last start */
	bool orphans; /* some steps are nowhere: */
	bool nowhere[STEPS];
	int rows;
	struct row row[ROWS];
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
run(sqlite3 *db, const char *text)
{
	char *why = NULL;

	ck_assert_msg(sqlite3_exec(db, text, NULL, NULL, &why) == SQLITE_OK, "%s", why);
}

/* Starts of an IPU rise; one step of some hundreds takes as long as hundreds or thousands of others. */
static void
fill(struct fixture *f, sqlite3 *db, int layout)
{
	int64_t at[IPUS] = {0}, rowid = 1;
	char text[300];

	for (int64_t step = 0; step < STEPS; step++) {
		snprintf(text, sizeof(text), "INSERT INTO step VALUES(%d, '%s', 'n%d')", (int)step,
			step % 7 ? "OnTileExecute" : "StreamCopyMid", (int)step % 11);
		f->nowhere[step] = f->orphans && any(f, 9) == 0;
		if (!f->nowhere[step])
			run(db, text);
		for (int ipu = 0; ipu < IPUS; ipu++) {
			bool is_long = any(f, 400) == 0;
			struct row *r = &f->row[f->rows];

			if (layout & HALF && any(f, 2))
				continue;
			rowid += layout & GAPS ? 1 + any(f, 40) : 1;
			at[ipu] += any(f, 10);
			*r = (struct row){rowid, step, ipu, 0, at[ipu], 0, 0};
			r->end = r->start + (is_long ? any(f, 20000) : any(f, 12));
			r->cycles = any(f, 3) ? r->end - r->start : any(f, 20);
			f->end = ts_max_i64(f->end, at[ipu]);
			f->rows++;
			snprintf(text, sizeof(text),
				"INSERT INTO step_ipu(rowid, step, ipu, cycles, start, \"end\") "
				"VALUES(%d, %d, %d, %d, %d, %d)",
				(int)r->rowid, (int)step, ipu, (int)r->cycles, (int)r->start,
				(int)r->end);
			run(db, text);
		}
	}
}

static struct ts_reader *
reader(const struct fixture *f)
{
	struct ts_reader *rd;
	struct ts_err err = {0};

	ck_assert_msg(ts_reader_open(&rd, f->report, &err) == TS_OK, "%s", err.msg);
	return rd;
}

static struct fixture *
begin_with(void (*filler)(struct fixture *f, sqlite3 *db, int layout), int n, bool orphans)
{
	struct fixture *f = ts_alloc(1, sizeof(*f));
	struct ts_err err = {0};
	char path[INDEX_PATH];
	sqlite3 *db;

	f->seed = 0x9e3779b97f4a7c15u * (uint64_t)(n + 1);
	f->orphans = orphans;
	index_dir_begin(&f->d);
	snprintf(path, sizeof(path), "%s/relations.db", f->d.dir);
	ck_assert_int_eq(sqlite3_open(path, &db), SQLITE_OK);
	run(db,
		"PRAGMA synchronous = OFF; BEGIN; "
		"CREATE TABLE step(step INTEGER PRIMARY KEY, type TEXT, name TEXT);"
		"CREATE TABLE step_ipu(step INTEGER, ipu INTEGER, cycles INTEGER, start INTEGER, \"end\" INTEGER)");
	filler(f, db, n % 8);
	if (n & BY_KEY)
		run(db, "CREATE INDEX i ON step_ipu(step)");
	run(db, "COMMIT");
	sqlite3_close(db);
	f->report = index_dir_relations(&f->d);
	f->bare = reader(f);
	f->rd = reader(f);
	f->index = index_dir_build(&f->d, f->report, f->bare,
		ts_section_bit(TS_SECTION_STEPS) | ts_section_bit(TS_SECTION_LANES), 1 + n % 3);
	ts_reader_set_index(f->rd, f->index);
	ck_assert_msg(ts_trace_open(&f->trace, f->bare, NULL, &err) == TS_OK, "%s", err.msg);
	return f;
}

static struct fixture *
begin(int n, bool orphans)
{
	return begin_with(fill, n, orphans);
}

static void
end(struct fixture *f)
{
	ts_trace_release(f->trace);
	ts_reader_close(f->bare);
	ts_reader_close(f->rd);
	ts_index_release(f->index);
	ts_report_close(f->report);
	index_dir_end(&f->d);
	free(f);
}

static struct row *
row_of(struct fixture *f, const struct ts_slice *s)
{
	for (int i = 0; i < f->rows; i++)
		if (f->row[i].step == s->step && f->row[i].ipu == s->ipu)
			return &f->row[i];
	ck_abort_msg("no such row: step %d", (int)s->step);
	return NULL;
}

/* Rows as they were written, none twice, with their own step; those of each IPU in their order. */
static bool
read_range(struct fixture *f, struct ts_reader *rd, int64_t from, int64_t to)
{
	int64_t last[IPUS] = {-1, -1, -1};
	const struct ts_slice *s;
	struct ts_slices *slices;
	struct ts_err err = {0};
	char name[16];
	bool unseen;

	for (int i = 0; i < f->rows; i++)
		f->row[i].came = 0;
	ck_assert_msg(ts_slices_open_range(&slices, rd, f->trace, from, to, NULL, NULL, &err) ==
			TS_OK,
		"%s", err.msg);
	unseen = ts_slices_unseen(slices);
	while (ts_slices_next(&s, slices, &err) == TS_OK && s) {
		struct row *r = row_of(f, s);

		r->came++;
		ck_assert_int_gt(s->step, last[s->ipu]);
		last[s->ipu] = s->step;
		ck_assert_int_eq(s->start, r->start);
		ck_assert_int_eq(s->end, r->end);
		ck_assert_int_eq(s->orphan, f->nowhere[s->step]);
		ck_assert_int_eq(s->name == NULL, s->orphan);
		if (s->orphan)
			continue;
		snprintf(name, sizeof(name), "n%d", (int)s->step % 11);
		ck_assert_int_eq((int64_t)s->name_n, (int64_t)strlen(name));
		ck_assert(memcmp(s->name, name, s->name_n) == 0);
	}
	ck_assert_int_eq(err.code, TS_OK);
	ts_slices_close(slices);
	return unseen;
}

/* Rows that lie in the range and did not come. */
static int
missing(const struct fixture *f, int64_t from, int64_t to)
{
	int n = 0;

	for (int i = 0; i < f->rows; i++) {
		const struct row *r = &f->row[i];

		ck_assert_int_le(r->came, 1);
		n += r->start < to && r->end > from && !r->came;
	}
	return n;
}

START_TEST(what_still_runs)
{
	struct fixture *f = begin(_i, false);
	int without = 0;

	for (int turn = 0; turn < RANGES; turn++) {
		int64_t from = any(f, f->end), to = from + 1 + any(f, 300);

		ck_assert(!read_range(f, f->rd, from, to));
		ck_assert_int_eq(missing(f, from, to), 0);
		if (read_range(f, f->bare, from, to))
			without += missing(f, from, to);
		else
			ck_assert_int_eq(missing(f, from, to), 0);
	}
	if (_i % 8 <= BY_KEY)
		ck_assert_int_gt(without, 0); /* there is something to miss */
	end(f);
}
END_TEST

/* Rows of a step that is nowhere come, as such; those behind them have theirs. */
START_TEST(steps_that_are_nowhere)
{
	struct fixture *f = begin(_i, true);

	for (int turn = 0; turn < RANGES; turn++) {
		int64_t from = any(f, f->end), to = from + 1 + any(f, 300);

		ck_assert(!read_range(f, f->rd, from, to));
		ck_assert_int_eq(missing(f, from, to), 0);
		read_range(f, f->bare, from, to);
	}
	end(f);
}
END_TEST

/* Cycles of the range, clipped as merged frames have them. */
START_TEST(merged_frames_have_it)
{
	struct fixture *f = begin(_i, false);

	for (int turn = 0; turn < RANGES; turn++) {
		struct ts_flame_range range = TS_FLAME_ALL;
		struct ts_flame *flame;
		int64_t cycles = 0, rows = 0;

		range.from = any(f, f->end);
		range.to = range.from + 1 + any(f, 300);
		for (int i = 0; i < f->rows; i++) {
			const struct row *r = &f->row[i];
			int64_t from = ts_max_i64(r->start, range.from);
			int64_t to = ts_min_i64(r->end, range.to);

			if (r->start == r->end ? r->start < range.from || r->start >= range.to
					       : from >= to)
				continue;
			rows++;
			cycles += from == r->start && to == r->end
				? r->cycles
				: ts_min_i64(r->cycles, to - from);
		}
		ck_assert_int_eq(ts_flame_read(&flame, f->rd, f->trace, NULL, range, NULL, NULL,
					 NULL),
			TS_OK);
		ck_assert(!flame->unseen);
		ck_assert_int_eq(flame->rows, rows);
		ck_assert_int_eq(flame->total, cycles);
		ts_flame_release(flame);
	}
	end(f);
}
END_TEST

/* Of one IPU all its rows come, and none of others. */
START_TEST(rows_of_one_ipu)
{
	struct fixture *f = begin(_i, true);
	int64_t ipu = _i % IPUS, came = 0, there = 0;
	const struct ts_slice *s;
	struct ts_slices *slices;
	struct ts_err err = {0};

	ck_assert_int_eq(ts_slices_open_range(&slices, f->rd, f->trace, 0, INT64_MAX, NULL, NULL,
				 &err),
		TS_OK);
	ts_slices_only(slices, ipu);
	while (ts_slices_next(&s, slices, &err) == TS_OK && s) {
		ck_assert_int_eq(s->ipu, ipu);
		ck_assert_int_eq(s->start, row_of(f, s)->start);
		ck_assert_int_eq(s->orphan, f->nowhere[s->step]);
		came++;
	}
	ck_assert_int_eq(err.code, TS_OK);
	ts_slices_close(slices);
	for (int i = 0; i < f->rows; i++)
		there += f->row[i].ipu == ipu;
	ck_assert_int_eq(came, there);
	end(f);
}
END_TEST

/* --- flame graphs of more steps than are read ---------------------------------------------------------- */

enum { MANY = 30000, LONG = 3 /* steps that the longest runs beside */ };

/* Of IPU 0; the other one does the same 5 cycles later. */
static struct {
	int64_t start, end;
	bool nowhere;
} many[MANY];

static void
fill_many(struct fixture *f, sqlite3 *db, int layout)
{
	sqlite3_stmt *step, *part;
	int64_t at = 0, rowid = 0;

	ck_assert_int_eq(sqlite3_prepare_v2(db,
				 "INSERT INTO step VALUES(?1, 'DoExchange', 'n' || ?1)", -1, &step,
				 NULL),
		SQLITE_OK);
	ck_assert_int_eq(sqlite3_prepare_v2(db,
				 "INSERT INTO step_ipu(rowid, step, ipu, cycles, start, \"end\") "
				 "VALUES(?1, ?2, ?3, ?5 - ?4, ?4, ?5)",
				 -1, &part, NULL),
		SQLITE_OK);
	for (int i = 0; i < MANY; i++) {
		int64_t length = any(f, 8) ? any(f, 20) : any(f, 2000);

		at += any(f, 3) ? 0 : any(f, 10); /* nothing runs, now and then */
		many[i].start = at;
		many[i].end = at + length * (any(f, 5) ? 1 : LONG);
		many[i].nowhere = any(f, 9) == 0;
		at += length;
		sqlite3_bind_int64(step, 1, i);
		if (!many[i].nowhere)
			ck_assert_int_eq(sqlite3_step(step), SQLITE_DONE);
		sqlite3_reset(step);
		for (int ipu = 0; ipu < 2; ipu++) {
			rowid += layout & GAPS ? 1 + any(f, 4) : 1;
			sqlite3_bind_int64(part, 1, rowid);
			sqlite3_bind_int64(part, 2, i);
			sqlite3_bind_int64(part, 3, ipu);
			sqlite3_bind_int64(part, 4, many[i].start + 5 * ipu);
			sqlite3_bind_int64(part, 5, many[i].end + 5 * ipu);
			ck_assert_int_eq(sqlite3_step(part), SQLITE_DONE);
			sqlite3_reset(part);
		}
	}
	f->end = at;
	sqlite3_finalize(step);
	sqlite3_finalize(part);
}

/* The step that runs at a time of IPU 0: of those that are somewhere the one that began last. *near: some steps ago at most. */
static int64_t
runs_at(bool *near, int64_t time)
{
	int i = 0, last;

	while (i < MANY && many[i].start <= time)
		i++;
	last = i - 1;
	for (i--; i >= 0; i--) {
		*near = last - i < 8;
		if (many[i].end > time && !many[i].nowhere)
			return i;
	}
	return TS_UNKNOWN;
}

/* Each column has what runs in its middle, with the index and without it. */
START_TEST(sampled_columns_show_what_runs)
{
	struct fixture *f = begin_with(fill_many, _i, true);
	struct ts_reader *readers[] = {f->bare, f->rd};

	for (size_t k = 0; k < TS_COUNT(readers); k++) {
		int64_t ipu = (int64_t)k, a, b;
		struct ts_flame_chart c;
		struct ts_err err = {0};
		int something = 0;

		ck_assert_msg(ts_flame_chart_read(&c, readers[k], f->trace, NULL, 0, f->end, 190,
				      ipu, &err) == TS_OK,
			"%s", err.msg);
		ck_assert(c.sampled);
		for (int x = 0; x < c.columns; x++) {
			int64_t step;
			bool near = true;

			ts_trace_column(c.from, c.to, c.columns, x, &a, &b);
			step = runs_at(&near, a + (b - a) / 2 - 5 * ipu);
			if (near || c.step[x] != TS_UNKNOWN)
				ck_assert_int_eq(c.step[x], step);
			ck_assert_int_eq(c.leaf[x] == TS_FLAME_NONE, c.step[x] == TS_UNKNOWN);
			something += c.step[x] != TS_UNKNOWN;
		}
		ck_assert_int_gt(something, 100);
		ts_flame_chart_fini(&c);
	}
	end(f);
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("slices");
	TCase *t = tcase_create("ranges");
	SRunner *runner = srunner_create(s);
	int failed;

	setlocale(LC_ALL, "C.UTF-8");
	tcase_add_loop_test(t, what_still_runs, 0, sample_of(SEEDS));
	tcase_add_loop_test(t, steps_that_are_nowhere, 0, sample_of(SEEDS));
	tcase_add_loop_test(t, merged_frames_have_it, 0, sample_of(SEEDS));
	tcase_add_loop_test(t, rows_of_one_ipu, 0, sample_of(SEEDS));
	tcase_add_loop_test(t, sampled_columns_show_what_runs, 0, 4);
	tcase_set_timeout(t, 300);
	suite_add_tcase(s, t);
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
