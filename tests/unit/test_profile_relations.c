/* SPDX-License-Identifier: MIT */
/*
 * test_profile_relations - the relations of a small profile, worked out by hand; with each table missing or empty
 * in turn; with blobs and numbers that mean nothing.
 */
#include "config.h"

#include <check.h>

#include "corpus.h"
#include "depth.h"
#include "profile_check.h"
#include "small_profile.h"

#include "tilescope/base/mem.h"
#include "tilescope/profile/relations.h"
#include "tilescope/report/query.h"
#include "tilescope/report/rows.h"

/* What a statement over the relations answers: values parted by blanks, rows by '|'. */
static void
ask(char *out, size_t room, struct fixture *f, const char *statement)
{
	struct ts_query *q;
	struct ts_err err = {0};
	bool row;
	size_t n = 0;

	ck_assert_msg(ts_query_open(&q, f->report, &err) == TS_OK, "%s", err.msg);
	*out = '\0';
	if (ts_query_prepare(q, statement, 0, &err) != TS_OK) {
		snprintf(out, room, "error: %s", err.msg);
		ts_query_close(q);
		return;
	}
	while (ts_query_step(q, &row, &err) == TS_OK && row && n < room)
		for (int k = 0; k < ts_query_columns(q) && n < room; k++) {
			struct ts_sql_value v;

			ts_query_value(&v, q, k);
			n += (size_t)snprintf(out + n, room - n, "%s",
				k > 0		? " "
					: n > 0 ? "|"
						: "");
			if (n >= room)
				break;
			if (v.type == TS_SQL_INTEGER)
				n += (size_t)snprintf(out + n, room - n, "%lld",
					(long long)v.integer);
			else if (v.type == TS_SQL_REAL)
				n += (size_t)snprintf(out + n, room - n, "%g", v.real);
			else if (v.type == TS_SQL_TEXT)
				n += (size_t)snprintf(out + n, room - n, "%.*s", (int)v.n, v.bytes);
			else
				n += (size_t)snprintf(out + n, room - n, "-");
		}
	if (err.code)
		snprintf(out, room, "error: %s", err.msg);
	ts_query_close(q);
}

static const struct {
	const char *sql, *want;
} answers[] = {
	{"SELECT value FROM report WHERE key IN ('poplar_version', 'format_version', "
	 "'compute_instrumentation', 'control_flow_instrumentation') ORDER BY key",
		"tile|off|3.8.0|3.3.0 (abc)"},
	{"SELECT type, architecture, ipus, replicas, tiles_per_ipu, bytes_per_tile, clock_hz, memory_base, "
	 "interleaved_start FROM target",
		"IPU ipu2 2 1 3 256 1e+06 1000 128"},
	{"SELECT scope, run, key, value, is_default FROM engine_option",
		"compilation - a 1 1|compilation - b 2 0|target - c 3 1|execution 7 d 4 0"},
	{"SELECT * FROM compile_pass", "0 all 0 100 -|1 inner 10 50 0|2 after 70 10 0"},
	{"SELECT * FROM graph_count", "compute_sets 2|edges 9|variables 5|vertices 7"},
	{"SELECT * FROM ipu", "0 0 0 3|1 0 3 3"},
	{"SELECT tile, total, total_gaps, always_live, not_always_live_peak FROM tile_memory WHERE total > 0",
		"0 30 40 20 10|1 5 5 5 0|3 7 8 7 0"},
	{"SELECT * FROM memory_category", "0 variable data|5 vertexCode code"},
	{"SELECT * FROM tile_category ORDER BY tile, category",
		"0 0 non_interleaved 10 6|0 5 non_interleaved 4 0|1 0 non_interleaved 5 0|"
		"3 0 non_interleaved 7 0|5 5 interleaved 1 0"},
	{"SELECT not_overlapped FROM tile_category WHERE tile >= 1 AND tile < 4", "5|7"},
	{"SELECT not_overlapped FROM tile_category WHERE tile = 5", "1"},
	{"SELECT * FROM vertex_type", "0 _add 8 c++|1 _mul 4 asm"},
	{"SELECT * FROM tile_vertex", "0 1 4 0 2 0 0 0|1 1 0 1 0 0 0 0"},
	{"SELECT * FROM tile_compute_set", "0 1 0 2 0 0 0|1 1 1 0 0 0 0"},
	{"SELECT * FROM memory_element", "0 0 64 0|1 64 64 0|2 128 128 1"},
	{"SELECT id, tile, name, bytes, offset, alignment, category, class, variable, always_live, constant, "
	 "executable, interleaved FROM lowered_variable",
		"0 0 weights#0 20 0 4 0 1 10 1 0 0 0|1 0 __vertexField_3_add.x#0 10 64 4 0 2 - 0 1 0 1|"
		"2 1 weights#1 5 0 4 0 1 10 1 0 1 0|4 3 weights#3 7 0 4 0 1 10 1 0 0 0"},
	{"SELECT count(*), sum(bytes) FROM lowered_variable WHERE tile = 1", "1 5"},
	{"SELECT sum(always_live), sum(constant), sum(id) FROM lowered_variable", "3 1 7"},
	{"SELECT * FROM equivalence_class", "0 0|1 1|2 0|3 0"},
	{"SELECT * FROM class_interval", "1 0 4|2 1 3|3 2 4"},
	{"SELECT * FROM class_interference", "2 1|2 3|3 1|3 2"},
	{"SELECT * FROM allocation", "0 0 1|0 1 0|1 0 2|3 0 4"},
	{"SELECT * FROM element_constraint", "0 1|1 0"},
	{"SELECT * FROM liveness_step", "0 0 - 0 0|1 1 0 1 10|2 3 0 1 16|3 2 2 2 6"},
	{"SELECT * FROM liveness_step_ipu", "0 0 0|0 1 0|1 0 10|1 1 0|2 0 10|2 1 6|3 0 0|3 1 6"},
	{"SELECT variable, name, bytes, always_live, always_live_bytes, pseudo, context FROM variable",
		"10 weights 32 1 32 0 5|12 <anon> 18 0 2 1 -|13 programId0 0 0 0 1 -|14 vertexCode 4 1 4 1 -"},
	{"SELECT * FROM liveness_variable",
		"10 1 32 1 0 4|12 1 2 1 0 4|12 2 10 0 1 3|12 3 6 0 2 4|14 1 4 1 0 4"},
	{"SELECT * FROM tile_variable", "0 10 1 20|1 10 1 5|3 10 1 7|0 12 2 10"},
	{"SELECT program, type, name, named_by, compute_set, function, repeat_count, sync_type, context "
	 "FROM program",
		"0 Sequence - type - - - - 9|1 OnTileExecute fwd/add compute_set 1 - - - -|"
		"2 DoExchange cp/ExchangePre own - - - - -|3 Call - type - 2 - - -|4 Sequence - type - - - - -|"
		"5 Sync - type - - - External -|6 StreamCopyBegin out stream - - - - -|"
		"7 StreamCopyMid out stream - - - - -|8 Repeat - type - - 12 - -"},
	{"SELECT tile_sum(control_code_by_tile), tile_sum(own_control_code_by_tile), "
	 "tile_at(own_control_code_by_tile, 0) FROM program WHERE program = 0",
		"60 33 3"},
	{"SELECT tile_sum(code_by_tile), tile_sum(bytes_in_by_tile), tile_sum(bytes_out_by_tile), "
	 "tile_at(estimated_cycles_by_tile, 0), tile_at(estimated_cycles_by_tile, 2), "
	 "tile_at(estimated_cycles_by_tile, 3) FROM program WHERE program = 2",
		"96 8 8 1 11 10"},
	{"SELECT * FROM program_child ORDER BY parent, position",
		"0 0 1|0 1 3|3 0 4|4 0 2|4 1 5|4 2 6|4 3 7|4 4 8"},
	{"SELECT * FROM program_root", "control 0 0|function 2 4"},
	{"SELECT * FROM program_variable ORDER BY 1, 2, 3",
		"1 0 uses -|1 2 uses -|2 0 in 8|2 2 out 8|7 0 out 4"},
	{"SELECT * FROM stream_copy", "7 to_host out 0 variable: weights#0[0,4) 4"},
	{"SELECT compute_set, name, context, edges, tile_max(estimated_cycles_by_tile), cycles_by_tile "
	 "FROM compute_set",
		"0 -0 - 2 - -|1 fwd/add 6 7 11 -"},
	{"SELECT compute_set, vertex_type, instances, tile_at(count_by_tile, 1) FROM compute_set_vertex",
		"1 1 4 1"},
	{"SELECT run, name, start_us, end_us, first_step, step_count, program_count FROM run",
		"3 load 100 150 0 2 2|4 x 200 200 2 1 1"},
	{"SELECT step, type, sync_type, program FROM step",
		"0 OnTileExecute - 1|1 Sync Internal -|2 DoExchange - 2"},
	{"SELECT step, ipu, cycles, start, \"end\", active_tiles, tile_balance, thread_balance FROM step_ipu",
		"0 0 25 105 130 2 0.5 0.9|0 1 10 100 110 1 0.5 -|2 0 20 130 150 3 1 -"},
	{"SELECT tile, seq, block, kind, cycles_from, cycles_to FROM block",
		"1 0 4 common 0 10|1 1 4 stream_copy 10 20|2 0 3 flush 5 9"},
};

START_TEST(worked_out_by_hand)
{
	struct fixture f;
	char got[4000];

	small_profile_make(&f);
	open_report(&f);
	ask(got, sizeof(got), &f, answers[_i].sql);
	ck_assert_msg(strcmp(got, answers[_i].want) == 0, "%s:\n%s\nnot\n%s", answers[_i].sql, got,
		answers[_i].want);
	end(&f);
}
END_TEST

/* A limit counts rows of the relation, whoever reads them: the fourth variable of the table was not allocated. */
START_TEST(a_limit_counts_rows_of_the_relation)
{
	const struct ts_rows_query q = {.columns = {TS_LOWERED_VARIABLE_ID},
		.column_count = 1,
		.limit = 4};
	static const int64_t want[] = {0, 1, 2, 4};
	struct ts_err err = {0};
	struct ts_rows *rows;
	struct fixture f;
	size_t n = 0;
	bool there;

	small_profile_make(&f);
	open_report(&f);
	ts_db_use_api(f.reader->db[0], _i == 1);
	ck_assert_int_eq(ts_reader_rows(&rows, f.reader, TS_LOWERED_VARIABLE, &q, &err), TS_OK);
	while (ts_rows_next(rows, &there, &err) == TS_OK && there && n < TS_COUNT(want))
		ck_assert_int_eq(ts_rows_known(rows, 0), want[n++]);
	ck_assert_uint_eq(n, TS_COUNT(want));
	ck_assert(!there);
	ts_rows_close(rows);
	end(&f);
}
END_TEST

/* ---- what is missing ---- */

/* All rows of all relations: how many each has, -1: it is absent. */
static void
count_all(int64_t count[TS_RELATION_COUNT], struct fixture *f)
{
	for (int k = 0; k < TS_RELATION_COUNT; k++) {
		const struct ts_relation_def *def = ts_relation_def((enum ts_relation)k);
		struct ts_rows_query q = {.column_count = def->column_count, .past_damage = true};
		struct ts_err err = {0};
		struct ts_rows *rows;
		enum ts_code code;
		bool there;

		count[k] = -1;
		if (!ts_report_has(f->report, (enum ts_relation)k))
			continue;
		for (int c = 0; c < def->column_count; c++)
			q.columns[c] = c;
		code = ts_reader_rows(&rows, f->reader, (enum ts_relation)k, &q, &err);
		ck_assert_msg(code == TS_OK, "%s: %s", def->name, err.msg);
		for (count[k] = 0; (code = ts_rows_next(rows, &there, &err)) == TS_OK && there;
			count[k]++)
			for (int c = 0; c < def->column_count; c++) {
				const char *s;
				int64_t v;
				size_t n;

				if (def->column[c].type == TS_TYPE_TEXT)
					(void)ts_rows_text(rows, c, &s, &n);
				else
					(void)ts_rows_number(rows, c, &v);
			}
		ck_assert_msg(code == TS_OK, "%s: %s", def->name, err.msg);
		ts_rows_close(rows);
	}
}

/* Is a column of this name read for any relation? */
static bool
is_read(const char *column)
{
	for (int k = 0; k < TS_RELATION_COUNT; k++) {
		const struct ts_profile_relation *r = ts_profile_relation_find(
			ts_relation_def((enum ts_relation)k)->name);

		if (r && r->sql && strstr(r->sql, column))
			return true;
		for (const struct ts_profile_from *f = r ? r->from : NULL; f && f->column; f++)
			if (strcmp(f->a, column) == 0 || (f->plus && strcmp(f->plus, column) == 0))
				return true;
	}
	return false;
}

/* Does the relation say something of this table? */
static bool
uses(int relation, const char *table)
{
	const struct ts_profile_relation *r = ts_profile_relation_find(
		ts_relation_def((enum ts_relation)relation)->name);

	return r && ts_profile_relation_uses(r, table);
}

/* Without a table, or with an empty one, relations that do not use it are as they were, the others can be read. */
START_TEST(without_a_table)
{
	const char *table = ts_profile_tables[_i / 2].name;
	int64_t whole[TS_RELATION_COUNT], rest[TS_RELATION_COUNT];
	struct fixture f;

	small_profile_make(&f);
	open_report(&f);
	count_all(whole, &f);
	close_report(&f);
	sql(&f, _i % 2 ? "DROP TABLE \"%s\"" : "DELETE FROM \"%s\"", table);
	open_report(&f);
	count_all(rest, &f);
	for (int k = 0; k < TS_RELATION_COUNT; k++)
		ck_assert_msg(rest[k] == whole[k] || uses(k, table),
			"%s has %lld rows without %s, not %lld",
			ts_relation_def((enum ts_relation)k)->name, (long long)rest[k], table,
			(long long)whole[k]);
	end(&f);
}
END_TEST

/* Without a column a relation is absent, or lacks what the column said. */
START_TEST(without_a_column)
{
	const struct ts_profile_table *t = &ts_profile_tables[_i];
	int64_t count[TS_RELATION_COUNT];
	struct fixture f;

	for (int c = 0; c < t->columns && t->columns > 1; c++) {
		if (!is_read(t->column[c].name) || (c + _i) % stride_of(3, 8) != 0)
			continue;
		small_profile_make(&f);
		sql(&f, "CREATE TABLE kept AS SELECT * FROM \"%s\"", t->name);
		sql(&f, "ALTER TABLE kept DROP COLUMN \"%s\"", t->column[c].name);
		sql(&f, "DROP TABLE \"%s\"", t->name);
		sql(&f, "ALTER TABLE kept RENAME TO \"%s\"", t->name);
		open_report(&f);
		count_all(count, &f);
		end(&f);
	}
}
END_TEST

/* ---- what means nothing ---- */

/* Into every blob, and into every number, of a table. */
static const char *const odd[] = {
	"NULL", "x''", "x'00'", /* ends within a number */
	"x'8C8480'",		/* longer than it should be */
	"x'20000000000080'",	/* a run of 2^41 numbers */
	"x'010101010101010101010101010101010101010101010101010101010101010101010101010101010180'",
	"'text'", "-1", "9223372036854775807", "1e300",
	"3", /* an id that leads somewhere, perhaps round in a circle */
};

START_TEST(what_means_nothing)
{
	const struct ts_profile_table *t = &ts_profile_tables[_i];
	int64_t count[TS_RELATION_COUNT];
	struct fixture f;
	struct ts_err err = {0};

	small_profile_make(&f);
	/* nothing is refused: a table without keys and types */
	sql(&f, "CREATE TABLE kept AS SELECT * FROM \"%s\"", t->name);
	sql(&f, "DROP TABLE \"%s\"", t->name);
	sql(&f, "ALTER TABLE kept RENAME TO \"%s\"", t->name);
	for (size_t i = 0; i < TS_COUNT(odd); i++) {
		for (int c = 0; c < t->columns; c++) {
			if (!is_read(t->column[c].name) ||
				((int)i + c + _i) % stride_of(6, 30) != 0)
				continue;
			sql(&f, "CREATE TEMP TABLE before AS SELECT * FROM main.\"%s\"", t->name);
			sql(&f, "UPDATE main.\"%s\" SET \"%s\" = %s", t->name, t->column[c].name,
				odd[i]);
			if (ts_report_open(&f.report, f.path, &(struct ts_report_options){0},
				    &err) == TS_OK) {
				ck_assert_msg(ts_reader_open(&f.reader, f.report, &err) == TS_OK,
					"%s", err.msg);
				count_all(count, &f);
				close_report(&f);
			}
			sql(&f, "DELETE FROM main.\"%s\"", t->name);
			sql(&f, "INSERT INTO main.\"%s\" SELECT * FROM before", t->name);
			sql(&f, "DROP TABLE before");
		}
	}
	end(&f);
}
END_TEST

/* What the fuzzer was given, and what it has found. */
static void
replay(void *ctx, const char *file, const unsigned char *bytes, size_t n)
{
	(void)file;
	profile_check(ctx, bytes, n);
}

START_TEST(corpus)
{
	struct profile_check c = {0};

	profile_check_begin(&c);
	corpus_each("profile", 1 << 15, replay, &c);
	profile_check_end(&c);
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("profile relations");
	TCase *c = tcase_create("relations");
	SRunner *r;
	int failed;

	tcase_add_loop_test(c, worked_out_by_hand, 0, (int)TS_COUNT(answers));
	tcase_add_loop_test(c, a_limit_counts_rows_of_the_relation, 0, 2);
	suite_add_tcase(s, c);
	c = tcase_create("missing");
	tcase_add_loop_test(c, without_a_table, 0, 2 * ts_profile_tables_count);
	tcase_add_loop_test(c, without_a_column, 0, ts_profile_tables_count);
	suite_add_tcase(s, c);
	c = tcase_create("odd");
	tcase_add_test(c, corpus);
	tcase_add_loop_test(c, what_means_nothing, 0, ts_profile_tables_count);
	suite_add_tcase(s, c);
	r = srunner_create(s);
	srunner_run_all(r, CK_NORMAL);
	failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
