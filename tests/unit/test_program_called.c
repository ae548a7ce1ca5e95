/* SPDX-License-Identifier: MIT */
/*
 * What a program calls, and the steps of all that: against recursive queries of the same rows, on random graphs (shared bodies,
 * circles), deep ones, and without what it takes.
 */
#include "config.h"

#include <check.h>

#include "depth.h"
#include "made_report.h"

#include "tilescope/base/mem.h"
#include "tilescope/report/memory.h"
#include "tilescope/report/trace.h"

enum { SEEDS = 40, PROGRAMS = 30, EDGES = 40, STEPS = 200, DEEP = 10000 };

#define BELOW                                                                                       \
	"WITH RECURSIVE b(p) AS (SELECT %lld UNION SELECT child FROM program_child, b WHERE "       \
	"parent = p AND typeof(child) = 'integer' AND child >= 0 AND typeof(position) = 'integer' " \
	"AND position >= 0) "

static void
fill(struct fixture *f)
{
	sql(f,
		"CREATE TABLE program_child(parent INTEGER, position INTEGER, child INTEGER);"
		"CREATE TABLE step(step INTEGER PRIMARY KEY, type TEXT, program INTEGER%s)",
		rnd(f, 2) ? ", name TEXT" : "");
	if (rnd(f, 2))
		sql(f, "CREATE INDEX by_parent ON program_child(parent)");
	for (unsigned i = rnd(f, EDGES); i > 0; i--)
		sql(f, "INSERT INTO program_child VALUES(%u, %u, %u)", rnd(f, PROGRAMS), i,
			rnd(f, PROGRAMS));
	if (rnd(f, 3) == 0)
		sql(f, "INSERT INTO program_child VALUES(3, 99, NULL), (4, -1, 5), (NULL, 1, 3), (5, 99, 'x')");
	for (int i = 0; i < STEPS; i++)
		sql(f, "INSERT INTO step(step, type, program) VALUES(%d, 'OnTileExecute', %s)", i,
			rnd(f, 9)
				? (char[]){(char)('0' + rnd(f, 3)), (char)('0' + rnd(f, 10)), '\0'}
				: "NULL");
}

static int64_t
number(struct fixture *f, const char *query)
{
	sqlite3_stmt *stmt;
	int64_t v;

	ck_assert_msg(sqlite3_prepare_v2(f->db, query, -1, &stmt, NULL) == SQLITE_OK, "%s", query);
	ck_assert_int_eq(sqlite3_step(stmt), SQLITE_ROW);
	v = sqlite3_column_int64(stmt, 0);
	sqlite3_finalize(stmt);
	return v;
}

static struct ts_program_called *
called_by(struct fixture *f, int64_t program)
{
	struct ts_program_called *c = NULL;
	struct ts_err err = {0};

	ck_assert_msg(ts_program_called_read(&c, f->reader, program, NULL, NULL, &err) == TS_OK,
		"%s", err.msg);
	ck_assert_int_eq(c->program, program);
	return c;
}

static void
same_programs(struct fixture *f, int64_t program)
{
	struct ts_program_called *c = called_by(f, program);
	const int64_t *n = c->number.memory;
	char query[600];
	size_t found = 0;

	snprintf(query, sizeof(query), BELOW "SELECT count(*) FROM b", (long long)program);
	ck_assert_int_eq(number(f, query), (int64_t)c->count);
	for (size_t i = 1; i < c->count; i++)
		ck_assert_int_lt(n[i - 1], n[i]);
	for (int64_t other = 0; other <= PROGRAMS; other++) {
		snprintf(query, sizeof(query), BELOW "SELECT count(*) FROM b WHERE p = %lld",
			(long long)program, (long long)other);
		ck_assert_int_eq(number(f, query), ts_program_called_has(c, other));
		found += ts_program_called_has(c, other);
	}
	ck_assert_uint_eq(found, c->count);
	ts_program_called_close(c);
}

/* All steps at once, and in two parts. */
static void
same_steps(struct fixture *f, const struct ts_trace *t, int64_t program)
{
	struct ts_program_called *c = called_by(f, program);
	struct ts_trace_hits h, part, rest;
	struct ts_err err = {0};
	char query[600], needle[40];

	snprintf(needle, sizeof(needle), "program:%lld", (long long)program);
	ck_assert_int_eq(ts_trace_needle_program(needle), program);
	ck_assert_int_eq(ts_trace_search(&h, f->reader, t, needle, NULL, &err), TS_OK);
	snprintf(query, sizeof(query), BELOW "SELECT count(*) FROM step WHERE program IN b",
		(long long)program);
	ck_assert_int_eq(h.count, number(f, query));
	snprintf(query, sizeof(query),
		BELOW "SELECT count(*) FROM step WHERE program IN b AND program <> %lld",
		(long long)program, (long long)program);
	ck_assert_int_eq(h.called, number(f, query));
	ck_assert_int_eq(h.calls, c->count > 1);
	snprintf(query, sizeof(query),
		BELOW "SELECT coalesce(min(step), -1) FROM step WHERE program IN b",
		(long long)program);
	ck_assert_int_eq(ts_trace_hit_next(&h, t->first_step - 1, 1), number(f, query));
	ck_assert_int_eq(ts_trace_search_part(&part, f->reader, t, needle, c, t->step.first,
				 STEPS / 3, NULL, &err),
		TS_OK);
	ck_assert_int_eq(ts_trace_search_part(&rest, f->reader, t, needle, c, STEPS / 3,
				 t->step.last + 1, NULL, &err),
		TS_OK);
	ts_trace_hits_add(&part, &rest);
	ck_assert_int_eq(part.count, h.count);
	ck_assert_int_eq(part.called, h.called);
	ck_assert_int_eq(memcmp(part.bit, h.bit, (size_t)h.steps / 8 + 1), 0);
	ts_trace_hits_fini(&part);
	ts_trace_hits_fini(&rest);
	ts_trace_hits_fini(&h);
	ts_program_called_close(c);
}

START_TEST(random_graphs)
{
	struct fixture f;
	struct ts_trace *t;
	struct ts_err err = {0};

	make_relations(&f, (unsigned)_i + 1);
	fill(&f);
	open_report(&f);
	ck_assert_msg(ts_trace_open(&t, f.reader, NULL, &err) == TS_OK, "%s", err.msg);
	for (int64_t program = 0; program <= PROGRAMS; program++) {
		same_programs(&f, program);
		same_steps(&f, t, program);
	}
	ts_trace_release(t);
	end(&f);
}
END_TEST

/* 10,000 programs, each calls the next one, the last one the first again. */
START_TEST(deep_and_round)
{
	struct ts_program_called *c;
	struct fixture f;

	make_relations(&f, 3);
	sql(&f,
		"CREATE TABLE program_child(parent INTEGER, position INTEGER, child INTEGER);"
		"WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < %d)"
		"INSERT INTO program_child SELECT i, 0, (i + 1) %% %d FROM n",
		DEEP - 1, DEEP);
	open_report(&f);
	for (int64_t program = 0; program < DEEP; program += DEEP / 3) {
		c = called_by(&f, program);
		ck_assert_uint_eq(c->count, DEEP);
		ts_program_called_close(c);
	}
	end(&f);
}
END_TEST

/* Without the relation, or of a program that is not in it, it is the program alone. */
START_TEST(alone)
{
	static const char *const without[] = {"DROP TABLE program_child",
		"DELETE FROM program_child", "UPDATE program_child SET child = NULL",
		"UPDATE program_child SET parent = -5"};
	struct ts_program_called *c;
	struct fixture f;

	make_relations(&f, 5);
	fill(&f);
	sql(&f, "%s", without[_i]);
	open_report(&f);
	c = called_by(&f, 4);
	ck_assert_uint_eq(c->count, 1);
	ck_assert(ts_program_called_has(c, 4));
	ck_assert(!ts_program_called_has(c, 5));
	ts_program_called_close(ts_program_called_hold(c));
	ts_program_called_close(c);
	c = called_by(&f, TS_NUMBER_MAX);
	ck_assert_uint_eq(c->count, 1);
	ts_program_called_close(c);
	end(&f);
}
END_TEST

START_TEST(stopped)
{
	struct ts_program_called *c = NULL;
	struct ts_cancel cancel;
	struct ts_err err = {0};
	struct fixture f;

	make_relations(&f, 5);
	fill(&f);
	sql(&f, "INSERT INTO program_child VALUES(4, 1000, 5)");
	open_report(&f);
	ts_cancel_clear(&cancel);
	ts_cancel_set(&cancel);
	ts_reader_set_cancel(f.reader, &cancel);
	ck_assert_int_eq(ts_program_called_read(&c, f.reader, 4, NULL, NULL, &err), TS_E_CANCELLED);
	ck_assert_ptr_null(c);
	ts_reader_set_cancel(f.reader, NULL);
	end(&f);
}
END_TEST

START_TEST(needles)
{
	ck_assert_int_eq(ts_trace_needle_program("program:12"), 12);
	ck_assert_int_eq(ts_trace_needle_program("PROGRAM:0"), 0);
	ck_assert_int_eq(ts_trace_needle_program("program:"), TS_UNKNOWN);
	ck_assert_int_eq(ts_trace_needle_program("program:-1"), TS_UNKNOWN);
	ck_assert_int_eq(ts_trace_needle_program("program:12x"), TS_UNKNOWN);
	ck_assert_int_eq(ts_trace_needle_program("program:9223372036854775807"), TS_UNKNOWN);
	ck_assert_int_eq(ts_trace_needle_program("program:99999999999999999999"), TS_UNKNOWN);
	ck_assert_int_eq(ts_trace_needle_program("set:12"), TS_UNKNOWN);
	ck_assert_int_eq(ts_trace_needle_program(""), TS_UNKNOWN);
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("program_called");
	TCase *tc = tcase_create("called");
	SRunner *sr = srunner_create(s);
	int failed;

	tcase_set_timeout(tc, 120);
	tcase_add_loop_test(tc, random_graphs, 0, at_full_depth() ? SEEDS : 4);
	tcase_add_test(tc, deep_and_round);
	tcase_add_loop_test(tc, alone, 0, 4);
	tcase_add_test(tc, stopped);
	tcase_add_test(tc, needles);
	suite_add_tcase(s, tc);
	srunner_run_all(sr, CK_NORMAL);
	failed = srunner_ntests_failed(sr);
	srunner_free(sr);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
