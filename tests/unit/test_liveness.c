/* SPDX-License-Identifier: MIT */
/*
 * Liveness: the timeline, the lives of variables and who is alive at a step, against what SQL says of the
 * same file, and on files with numbers that cannot be.
 */
#include "config.h"

#include <check.h>
#include <fcntl.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tilescope/base/mem.h"
#include "tilescope/demo/demo.h"
#include "tilescope/report/liveness.h"
#include "tilescope/report/lives.h"
#include "tilescope/report/rows.h"
#include "tilescope/report/summary.h"

#include "index_dir.h"

static enum ts_code
read_alive(struct ts_alive **out, struct ts_reader *rd, const struct ts_lives *lives, int64_t step,
	int64_t program, const struct ts_alive *before, struct ts_err *err)
{
	struct ts_alive_query q = {.step = step,
		.program = program,
		.against = TS_UNKNOWN,
		.group = -1};

	return ts_alive_read(out, rd, lives, &q, before, err);
}

/* ---- a report of our own ---- */

struct fixture {
	char dir[64];
	char *path; /* of the profile */
	char relations
		[80]; /* what it is made of, or says, as a database with a table for each relation */
	bool made, as_it_is;
	sqlite3 *db; /* of `relations` */
	struct ts_report *report;
	struct ts_reader *rd;
	struct ts_liveness line;
	struct ts_lives *lives;
};

static void
begin(struct fixture *f)
{
	memset(f, 0, sizeof(*f));
	snprintf(f->dir, sizeof(f->dir), "/tmp/ts-live-XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(f->dir));
	snprintf(f->relations, sizeof(f->relations), "%s/relations.db", f->dir);
}

static void
sql(struct fixture *f, const char *text)
{
	char *message = NULL;

	if (!f->db)
		ck_assert_int_eq(sqlite3_open(f->relations, &f->db), SQLITE_OK);
	ck_assert_msg(sqlite3_exec(f->db, text, NULL, NULL, &message) == SQLITE_OK, "%s", message);
}

/* A profile of these relations and no others. */
static void
begin_empty(struct fixture *f)
{
	begin(f);
	f->path = malloc(128);
	ck_assert_ptr_nonnull(f->path);
	snprintf(f->path, 128, "%s/profile.pop", f->dir);
	f->made = true;
	sql(f,
		"PRAGMA journal_mode=OFF; PRAGMA synchronous=OFF;"
		"CREATE TABLE liveness_step(live_step, program, not_always_live);"
		"CREATE TABLE variable(variable, name, bytes, always_live);"
		"CREATE TABLE liveness_variable(variable, start, \"end\");");
}

static void
begin_demo(struct fixture *f)
{
	struct ts_demo_options o = {.layout = TS_DEMO_PROFILE,
		.ipus = 2,
		.tiles = 16,
		.steps = 400,
		.variables = 400};
	struct ts_err err = {0};

	begin(f);
	ck_assert_msg(ts_demo_write(&f->path, f->dir, &o, NULL, NULL, &err) == TS_OK, "%s",
		err.msg);
	profile_relations(f->path, f->relations);
}

/* First integer that SQL gives. */
static int64_t
number(struct fixture *f, const char *text)
{
	sqlite3_stmt *stmt;
	int64_t v;

	if (!f->db)
		sql(f, "");
	ck_assert_int_eq(sqlite3_prepare_v2(f->db, text, -1, &stmt, NULL), SQLITE_OK);
	ck_assert_int_eq(sqlite3_step(stmt), SQLITE_ROW);
	v = sqlite3_column_int64(stmt, 0);
	sqlite3_finalize(stmt);
	return v;
}

static void
open_report(struct fixture *f)
{
	struct ts_report_options o = {0};
	struct ts_err err = {0};

	if (f->made && f->as_it_is)
		relations_as_they_are(f->relations, f->path);
	else if (f->made)
		relations_profile(f->relations, f->path);
	ck_assert_msg(ts_report_open(&f->report, f->path, &o, &err) == TS_OK, "%s", err.msg);
	ck_assert_msg(ts_reader_open(&f->rd, f->report, &err) == TS_OK, "%s", err.msg);
}

/* Open it and read both. */
static void
read_all(struct fixture *f)
{
	struct ts_err err = {0};

	open_report(f);
	ck_assert_msg(ts_liveness_read(&f->line, f->rd, NULL, &err) == TS_OK, "%s", err.msg);
	ck_assert_msg(ts_lives_read(&f->lives, f->rd, NULL, &err) == TS_OK, "%s", err.msg);
}

static void
end(struct fixture *f)
{
	ts_liveness_fini(&f->line);
	ts_lives_close(f->lives);
	ts_reader_close(f->rd);
	ts_report_close(f->report);
	sqlite3_close(f->db);
	free(f->path);
	index_dir_remove(f->dir);
}

static struct ts_alive *
alive_at(struct fixture *f, int64_t step)
{
	struct ts_err err = {0};
	struct ts_alive *a;

	ck_assert_msg(read_alive(&a, f->rd, f->lives, step, -1, NULL, &err) == TS_OK, "%s",
		err.msg);
	ck_assert(a->listed);
	return a;
}

/* ---- against SQL ---- */

START_TEST(timeline_is_the_table)
{
	struct fixture f;
	struct ts_live_range range;
	struct ts_peak peak;

	begin_demo(&f);
	read_all(&f);
	ck_assert_int_eq((int64_t)f.line.count, number(&f, "SELECT count(*) FROM liveness_step"));
	ck_assert_int_eq(f.line.steps, (int64_t)f.line.count);
	ck_assert_int_eq(f.line.per, 1);
	ck_assert_int_eq(f.line.always_live,
		number(&f, "SELECT sum(always_live) FROM tile_memory"));
	ck_assert_int_eq(f.line.memory, 2 * 16 * number(&f, "SELECT bytes_per_tile FROM target"));
	ck_assert(!f.line.memory_assumed);
	ck_assert_int_eq(ts_peak_read(&peak, f.rd, NULL), TS_OK);
	ck_assert_uint_gt(f.line.peaks.count, 0);
	ck_assert_int_eq(f.line.peaks.peak[0].height, peak.bytes);
	ck_assert_int_eq(f.line.step[f.line.peaks.peak[0].at], peak.step);
	ts_liveness_range(&range, &f.line, 5, 25);
	ck_assert_int_eq(range.bytes,
		number(&f,
			"SELECT max(not_always_live) FROM liveness_step "
			"WHERE live_step >= 5 AND live_step < 25"));
	ck_assert_int_eq(range.steps, 20);
	ck_assert_int_eq((int64_t)(range.mean * 20 + 0.5),
		number(&f,
			"SELECT sum(not_always_live) FROM liveness_step "
			"WHERE live_step >= 5 AND live_step < 25"));
	end(&f);
}
END_TEST

/* Every 7th step: number, bytes, and the rows in their order. */
START_TEST(alive_is_the_join)
{
	struct fixture f;
	char query[400];

	begin_demo(&f);
	read_all(&f);
	sql(&f, "CREATE INDEX i ON liveness_variable(start)");
	for (size_t i = 0; i < f.line.count; i += 7) {
		int64_t step = f.line.step[i], sum = 0;
		struct ts_alive *a = alive_at(&f, step);
		sqlite3_stmt *stmt;
		int row = 0;

		snprintf(query, sizeof(query),
			"SELECT l.variable, sum(l.bytes) AS bytes, v.name FROM liveness_variable l "
			"JOIN variable v ON v.variable = l.variable WHERE NOT l.always_live "
			"AND l.start <= %lld AND l.end > %lld GROUP BY 1 ORDER BY 2 DESC, 1",
			(long long)step, (long long)step);
		ck_assert_int_eq(sqlite3_prepare_v2(f.db, query, -1, &stmt, NULL), SQLITE_OK);
		for (; sqlite3_step(stmt) == SQLITE_ROW; row++) {
			const struct ts_alive_row *r = &a->row[row];

			ck_assert_int_lt(row, a->rows);
			ck_assert_int_eq(r->variable, sqlite3_column_int64(stmt, 0));
			ck_assert_int_eq(r->bytes, sqlite3_column_int64(stmt, 1));
			ck_assert_int_le(r->start, step);
			ck_assert_int_gt(r->end, step);
			ck_assert_str_eq(ts_alive_name(a, row),
				(const char *)sqlite3_column_text(stmt, 2));
			sum += r->bytes;
			ck_assert_int_eq(r->cumulative, sum);
		}
		sqlite3_finalize(stmt);
		ck_assert_int_eq(a->rows, row);
		ck_assert_int_eq(a->count, row);
		ck_assert_int_eq(a->bytes, sum);
		ck_assert_int_eq(a->bytes, f.line.bytes[i]);
		ts_alive_close(a);
	}
	end(&f);
}
END_TEST

START_TEST(program_has_a_name)
{
	struct fixture f;
	struct ts_alive *a;

	begin_empty(&f);
	sql(&f,
		"CREATE TABLE program(program INTEGER PRIMARY KEY, type TEXT, name TEXT,"
		" compute_set INTEGER);"
		"INSERT INTO program VALUES(0,'DoExchange','pre',NULL),(1,'OnTileExecute',NULL,0),"
		"(2,'Sync',NULL,NULL);"
		"CREATE TABLE compute_set(compute_set INTEGER PRIMARY KEY, name TEXT);"
		"INSERT INTO compute_set VALUES(0,'conv');");
	open_report(&f);
	for (int i = 0; i < 4; i++) {
		static const char *const text[] = {"DoExchange pre", "OnTileExecute conv", "Sync",
			""};

		ck_assert_int_eq(read_alive(&a, f.rd, NULL, 0, i, NULL, NULL), TS_OK);
		ck_assert(!a->listed);
		ck_assert_str_eq(a->program.s, text[i]);
		ts_alive_close(a);
	}
	end(&f);
}
END_TEST

/* More variables than are listed, reached by number or not: the largest, with their names. */
START_TEST(only_the_largest)
{
	struct fixture f;
	struct ts_alive *a;

	begin_empty(&f);
	if (_i)
		sql(&f,
			"DROP TABLE variable; CREATE TABLE variable(variable INTEGER PRIMARY KEY, "
			"name, bytes, always_live)");
	sql(&f,
		"WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 4999) "
		"INSERT INTO variable SELECT (i * 37) % 5000, 'v' || ((i * 37) % 5000), "
		"((i * 37) % 5000) / 2, 0 FROM n;"
		"INSERT INTO liveness_variable SELECT variable, 3, 9 FROM variable ORDER BY bytes;"
		"INSERT INTO liveness_step VALUES(3,0,1),(9,0,1)");
	read_all(&f);
	a = alive_at(&f, 8);
	ck_assert_int_eq(a->count, 5000);
	ck_assert_int_eq(a->bytes, 2 * (2499 * 2500 / 2));
	ck_assert_int_eq(a->rows, TS_ALIVE_MAX);
	for (int i = 0; i < a->rows; i++) {
		char name[16];

		ck_assert_int_eq(a->row[i].bytes, 2499 - i / 2);
		ck_assert_int_eq(a->row[i].variable, 4998 - i / 2 * 2 + i % 2);
		snprintf(name, sizeof(name), "v%lld", (long long)a->row[i].variable);
		ck_assert_str_eq(ts_alive_name(a, i), name);
	}
	ts_alive_close(a);
	a = alive_at(&f, 9); /* half-open */
	ck_assert_int_eq(a->count, 0);
	ck_assert_int_eq(a->rows, 0);
	ts_alive_close(a);
	end(&f);
}
END_TEST

/* Names come from an answer of before where it has them, and from the report otherwise. */
START_TEST(names_are_taken_over)
{
	struct ts_alive *first, *second, *fresh;
	struct fixture f;
	size_t top;

	begin_demo(&f);
	read_all(&f);
	top = f.line.peaks.peak[0].at;
	first = alive_at(&f, f.line.step[top]);
	ck_assert_int_gt(first->rows, 10);
	((char *)first->pile[1].memory)[first->row[0].at] = '#'; /* so that it can be told */
	ck_assert_int_eq(read_alive(&second, f.rd, f.lives, first->step, -1, first, NULL), TS_OK);
	for (int i = 0; i < first->rows; i++)
		ck_assert_str_eq(ts_alive_name(first, i), ts_alive_name(second, i));
	ts_alive_close(second);
	((char *)first->pile[1].memory)[first->row[0].at] = 'x';
	first->row[0].length = 0; /* not known: looked up */
	for (size_t i = top - 100; i < top + 100; i += 20) {
		ck_assert_int_eq(read_alive(&second, f.rd, f.lives, f.line.step[i], -1, first,
					 NULL),
			TS_OK);
		fresh = alive_at(&f, f.line.step[i]);
		ck_assert_int_eq(second->rows, fresh->rows);
		for (int row = 0; row < fresh->rows; row++)
			ck_assert_str_eq(ts_alive_name(second, row), ts_alive_name(fresh, row));
		ts_alive_close(second);
		ts_alive_close(fresh);
	}
	ts_alive_close(first);
	end(&f);
}
END_TEST

/* ---- bad input ---- */

START_TEST(hostile_steps)
{
	struct fixture f;

	begin_empty(&f);
	f.as_it_is = true;
	sql(&f,
		"INSERT INTO liveness_step VALUES(7,0,70),(5,1,50),(NULL,0,1),(-1,0,1),('x',0,1),(6,0,NULL),"
		"(6,0,-5),(6,0,9223372036854775807),(9223372036854775807,0,5),(5,0,55),"
		"(1000000000000,4000000000,2),(5.0,0,5),(4,-3,4611686018427387904)");
	read_all(&f);
	ck_assert_int_eq(f.line.bad_rows, 7);
	ck_assert_int_eq(f.line.repeated, 2);
	ck_assert_uint_eq(f.line.count, 4);
	ck_assert_int_eq(f.line.step[0], 4);
	ck_assert_int_eq(f.line.program[0], -1);
	ck_assert_int_eq(f.line.step[1], 5);
	ck_assert_int_eq(f.line.bytes[1], 55); /* the row with most bytes */
	ck_assert_int_eq(f.line.step[3], 1000000000000);
	ck_assert_int_eq(f.line.program[3], -1);
	ck_assert_uint_eq(ts_liveness_find(&f.line, 0), 0);
	ck_assert_uint_eq(ts_liveness_find(&f.line, 7), 2);
	ck_assert_uint_eq(ts_liveness_find(&f.line, 100), 2);
	ck_assert_uint_eq(ts_liveness_find(&f.line, INT64_MAX), 3);
	f.line.replicas = 8;
	ck_assert_int_eq(ts_liveness_device(&f.line, f.line.bytes[0]), TS_NUMBER_MAX);
	ck_assert_int_eq(ts_liveness_device(&f.line, 50), 400);
	end(&f);
}
END_TEST

START_TEST(hostile_lives)
{
	struct fixture f;
	struct ts_alive *a;

	begin_empty(&f);
	f.as_it_is = true;
	sql(&f,
		"INSERT INTO liveness_step VALUES(0,0,1),(10,0,1);"
		"INSERT INTO variable VALUES(3,'three',30,0),(1,'one',4611686018427387904,0),"
		"(2,'always',20,1),(4,'four',-1,0),(NULL,'x',1,0),(5,NULL,4611686018427387904,NULL),"
		"(3,'three again',999,0);"
		/* overlapping, touching, reversed, empty, of nobody, of an always-live one, endless */
		"INSERT INTO liveness_variable VALUES(3,5,8),(3,2,6),(3,8,9),(3,9,4),(3,7,7),(99,0,9),"
		"(2,0,9),(1,4,9223372036854775807),(1,4,4611686018427387904),(5,0,5000000000),"
		"(3,-1,5),(3,NULL,5),(3,12,13)");
	read_all(&f);
	ck_assert_uint_eq(f.lives->variables, 4); /* 1, 2, 3, 5 */
	ck_assert_int_eq(f.lives->bad_rows, 5);
	ck_assert_int_eq(f.lives->reversed, 2);
	ck_assert_int_eq(f.lives->orphans, 1);
	ck_assert_int_eq(f.lives->always, 1);
	ck_assert_uint_eq(f.lives->count, 3); /* 1: 4..11; 3: 2..9; 5: 0..11 */
	ck_assert_int_eq(f.lives->beyond, 3); /* lives end at the last step that is recorded */
	a = alive_at(&f, 8);
	ck_assert_int_eq(a->count, 3);
	ck_assert_int_eq(a->bytes, TS_UNKNOWN); /* two of 2^62 and one more */
	ck_assert_int_eq(a->row[0].variable, 1);
	ck_assert_int_eq(a->row[0].end, 11);
	ck_assert_int_eq(a->row[0].total, 7);
	ck_assert_int_eq(a->row[1].variable, 5);
	ck_assert_str_eq(ts_alive_name(a, 1), "");
	ck_assert_int_eq(a->row[2].variable, 3);
	ck_assert_int_eq(a->row[2].start, 2);
	ck_assert_int_eq(a->row[2].end, 9);
	ck_assert_int_eq(a->row[2].total, 7);
	ck_assert_int_eq(a->row[2].cumulative, TS_NUMBER_MAX);
	ts_alive_close(a);
	end(&f);
}
END_TEST

START_TEST(nothing_there)
{
	struct fixture f;
	struct ts_err err = {0};

	begin_empty(&f);
	read_all(&f);
	ck_assert_uint_eq(f.line.count, 0);
	ck_assert_uint_eq(f.line.peaks.count, 0);
	ck_assert_int_eq(f.line.always_live, TS_UNKNOWN);
	ck_assert_int_eq(f.line.memory, TS_UNKNOWN);
	ck_assert_uint_eq(f.lives->count, 0);
	end(&f);

	begin_empty(&f);
	sql(&f, "DROP TABLE liveness_step; DROP TABLE variable; DROP TABLE liveness_variable");
	open_report(&f);
	ck_assert_int_eq(ts_liveness_read(&f.line, f.rd, NULL, &err), TS_E_ABSENT);
	ck_assert_ptr_nonnull(strstr(err.msg, "liveness_step"));
	ck_assert_int_eq(ts_lives_read(&f.lives, f.rd, NULL, &err), TS_E_ABSENT);
	ck_assert_ptr_null(f.lives);
	end(&f);
}
END_TEST

/* As many steps as there are points, and rows of steps that are there already: all of them stay exact. */
START_TEST(repeated_at_the_limit)
{
	struct fixture f;

	begin_empty(&f);
	f.as_it_is = true;
	sql(&f,
		"WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 262142) "
		"INSERT INTO liveness_step SELECT i, NULL, i % 2 FROM n;"
		"WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 9999) "
		"INSERT INTO liveness_step SELECT i % 3, i % 3, 1000 + i FROM n");
	read_all(&f);
	ck_assert_int_eq(f.line.per, 1);
	ck_assert_uint_eq(f.line.count, TS_LIVENESS_POINTS - 1);
	ck_assert_int_eq(f.line.repeated, 10000);
	for (size_t i = 0; i < 3; i++) /* 10,999 is of step 0, 10,998 of step 2, 10,997 of 1 */
		ck_assert_int_eq(f.line.bytes[i], i == 0 ? 10999 : i == 1 ? 10997 : 10998);
	ck_assert_int_eq(f.line.program[2], 2);
	end(&f);
}
END_TEST

/* More steps than points: groups that keep their highest step. */
START_TEST(too_many_steps)
{
	enum { EXTRA = 1001 };
	int64_t steps = TS_LIVENESS_POINTS + EXTRA, sum = 0;
	struct ts_live_range range;
	struct fixture f;

	begin_empty(&f);
	f.as_it_is = true;
	sql(&f,
		"WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 263144) "
		"INSERT INTO liveness_step SELECT i, NULL, CASE i WHEN 123457 THEN 99 "
		"WHEN 263144 THEN 50 ELSE i % 2 END FROM n;"
		"INSERT INTO liveness_step VALUES(17,0,1000)");
	ck_assert_int_eq(number(&f, "SELECT count(*) FROM liveness_step"), steps + 1);
	read_all(&f);
	ck_assert_int_eq(f.line.per, 2);
	ck_assert_int_eq(f.line.steps, steps);
	ck_assert_int_eq(f.line.unsorted, 1);
	ck_assert_int_eq((int64_t)f.line.count, (steps + 1) / 2);
	ck_assert_int_eq(f.line.last, 1);
	ck_assert_int_eq(f.line.first_step, 0);
	ck_assert_int_eq(f.line.last_step, steps - 1);
	ck_assert_int_eq(f.line.step[f.line.peaks.peak[0].at], 123457);
	ck_assert_int_eq(f.line.step[f.line.peaks.peak[1].at], 263144);
	ts_liveness_range(&range, &f.line, 0, f.line.count);
	ck_assert_int_eq(range.steps, steps);
	ck_assert_int_eq(range.bytes, 99);
	sum = (steps - 1) / 2 - 1 + 99 + 50; /* odd ones are 1 */
	ck_assert_int_eq((int64_t)(range.mean * (double)steps + 0.5), sum);
	end(&f);
}
END_TEST

/* Enough rows that the token is looked at. */
START_TEST(cancelled)
{
	struct ts_cancel cancel;
	struct fixture f;

	begin_empty(&f);
	sql(&f,
		"WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 99999) "
		"INSERT INTO variable SELECT i, 'v', 1, 0 FROM n;"
		"INSERT INTO liveness_variable SELECT variable, 0, 9 FROM variable;"
		"INSERT INTO liveness_step SELECT variable, 0, 1 FROM variable");
	open_report(&f);
	ts_cancel_clear(&cancel);
	ts_cancel_set(&cancel);
	ts_reader_set_cancel(f.rd, &cancel);
	ck_assert_int_eq(ts_liveness_read(&f.line, f.rd, NULL, NULL), TS_E_CANCELLED);
	ck_assert_int_eq(ts_lives_read(&f.lives, f.rd, NULL, NULL), TS_E_CANCELLED);
	ck_assert_ptr_null(f.lives);
	end(&f);
}
END_TEST

/* A page of noise anywhere: what is read holds together, and the code says so. */
START_TEST(damaged)
{
	enum { PAGE = 4096 };
	struct fixture f;
	struct ts_err err;
	char noise[PAGE];
	struct stat st;
	int64_t pages;
	bool seen = false;

	begin_demo(&f);
	ck_assert_int_eq(stat(f.path, &st), 0);
	pages = st.st_size / PAGE;
	for (int i = 0; i < PAGE; i++)
		noise[i] = (char)(i * 31 + 7);
	for (int64_t page = 2; page < pages; page += pages / 60 + 1) {
		int fd = open(f.path, O_RDWR);
		char kept[PAGE];
		enum ts_code code;
		struct ts_report_options o = {0};

		ck_assert_int_eq(pread(fd, kept, PAGE, page * PAGE), PAGE);
		ck_assert_int_eq(pwrite(fd, noise, PAGE, page * PAGE), PAGE);
		if (ts_report_open(&f.report, f.path, &o, &err) == TS_OK) {
			ck_assert_int_eq(ts_reader_open(&f.rd, f.report, &err), TS_OK);
			code = ts_liveness_read(&f.line, f.rd, NULL, &err);
			ck_assert(code == TS_OK || code == TS_E_DAMAGED || code == TS_E_ABSENT);
			ck_assert((f.line.count > 0) == (f.line.peaks.count > 0));
			seen |= code == TS_E_DAMAGED;
			code = ts_lives_read(&f.lives, f.rd, NULL, &err);
			ck_assert(code == TS_OK || code == TS_E_DAMAGED || code == TS_E_ABSENT);
			ck_assert((code == TS_E_ABSENT) == !f.lives);
			seen |= code == TS_E_DAMAGED;
			if (f.lives)
				ts_alive_close(alive_at(&f, 50));
			ts_liveness_fini(&f.line);
			ts_lives_close(f.lives);
			ts_reader_close(f.rd);
			ts_report_close(f.report);
		}
		f.lives = NULL;
		f.rd = NULL;
		f.report = NULL;
		ck_assert_int_eq(pwrite(fd, kept, PAGE, page * PAGE), PAGE);
		close(fd);
	}
	ck_assert(seen);
	end(&f);
}
END_TEST

int
main(void)
{
	Suite *suite = suite_create("liveness");
	TCase *t = tcase_create("liveness");
	SRunner *runner;
	int failed;

	tcase_set_timeout(t, 120);
	tcase_add_test(t, timeline_is_the_table);
	tcase_add_test(t, alive_is_the_join);
	tcase_add_test(t, program_has_a_name);
	tcase_add_loop_test(t, only_the_largest, 0, 2);
	tcase_add_test(t, names_are_taken_over);
	tcase_add_test(t, hostile_steps);
	tcase_add_test(t, hostile_lives);
	tcase_add_test(t, nothing_there);
	tcase_add_test(t, repeated_at_the_limit);
	tcase_add_test(t, too_many_steps);
	tcase_add_test(t, cancelled);
	tcase_add_test(t, damaged);
	suite_add_tcase(suite, t);
	runner = srunner_create(suite);
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
