/* SPDX-License-Identifier: MIT */
/*
 * SQL of users: what is allowed and what not, the relations as tables against the row cursor, bounds, damage,
 * functions on blobs; and the rows of any table by position.
 */
#include "config.h"

#include <check.h>
#include <dirent.h>
#include <sys/stat.h>

#include "../screen/report_dir.h"
#include "sql_check.h"
#include "tilescope/base/mem.h"
#include "tilescope/report/rows.h"

static struct sql_check c;

static void
setup(void)
{
	ck_assert_msg(sql_check_open(&c), "the report cannot be made");
}

static void
teardown(void)
{
	sql_check_close(&c);
}

/* ---- what is allowed ---- */

static const struct {
	const char *sql, *words;
} refused[] = {
	{"ATTACH 'x.db' AS x", "ATTACH is not allowed"},
	{"DETACH main", "DETACH"},
	{"INSERT INTO main.steps VALUES(1,2,3,4)", "writing is not allowed"},
	{"UPDATE main.steps SET type='x'", "writing is not allowed"},
	{"DELETE FROM main.steps", "writing is not allowed"},
	{"INSERT INTO temp.step VALUES(1)", "writing is not allowed"},
	{"CREATE TABLE x(y)", "not allowed"},
	{"CREATE TEMP TABLE x(y)", "not allowed"},
	{"CREATE TEMP VIEW x AS SELECT 1", "not allowed"},
	{"CREATE INDEX main.x ON steps(type)", "not allowed"},
	{"CREATE TEMP TRIGGER x AFTER INSERT ON main.steps BEGIN SELECT 1; END", "not allowed"},
	{"CREATE VIRTUAL TABLE temp.x USING ts_relation(1)", "not allowed"},
	{"CREATE VIRTUAL TABLE temp.x USING fts5(y)", "not allowed"},
	{"DROP TABLE main.steps", "not allowed"},
	{"DROP TABLE temp.step", "not allowed"},
	{"ALTER TABLE main.steps RENAME TO x", "not allowed"},
	{"BEGIN", "a transaction is not allowed"},
	{"SAVEPOINT x", "a savepoint is not allowed"},
	{"ANALYZE", "not allowed"},
	{"REINDEX", ""},
	{"VACUUM", ""},
	{"VACUUM INTO '/tmp/ts-never'", ""},
	{"PRAGMA query_only=OFF", "PRAGMA query_only is not allowed"},
	{"PRAGMA writable_schema=ON", "PRAGMA writable_schema"},
	{"PRAGMA trusted_schema=ON", "PRAGMA trusted_schema"},
	{"PRAGMA temp_store_directory='/'", "PRAGMA temp_store_directory"},
	{"PRAGMA user_version=3", "PRAGMA user_version"},
	{"PRAGMA journal_mode=WAL", "PRAGMA journal_mode"},
	{"PRAGMA hard_heap_limit=0", "PRAGMA hard_heap_limit"},
	{"SELECT * FROM pragma_query_only", "not allowed"},
	{"SELECT load_extension('x')", "load_extension is not allowed"},
	{"SELECT fts3_tokenizer('simple')", "fts3_tokenizer"},
	{"SELECT readfile('/etc/passwd')", "readfile"},
	{"SELECT writefile('/tmp/ts-never', 'x')", "writefile"},
	{"SELECT 1; SELECT 2", "one statement at a time"},
	{"SELECT 1; nonsense", "one statement at a time"},
	{"", "there is no statement"},
	{" -- nothing\n ;", "there is no statement"},
	{"SELECT ?1", "parameters"},
	{"SELECT :x", "parameters"},
	{"SELECT nonsense FROM step", "no such column"},
	{"SELECT \"nonsense\" FROM step", "no such column"},
	{"SELECT * FROM nonsense", "no such table"},
	{"SELECT FROM", "syntax error"},
	{"SELECT * FROM run", "the relation run is not in this report"},
	{"SELECT count(*) FROM run", "main.\"run\""},
	{"SELECT 1 WHERE EXISTS (SELECT 1 FROM block)", "the relation block is not in this report"},
	{"SELECT * FROM tiles", "tiles() takes one blob"},
	{"SELECT 'a' REGEXP '('", "missing closing parenthesis"},
	{"SELECT count(*) FROM tiles('selected')",
		"tiles(): character 1: tiles are selected in the app only"},
	{"SELECT * FROM tiles('12,')", "tiles(): character 4: a tile is missing"},
	{"SELECT * FROM tiles('using(\"a\")')", "variables of tiles are not recorded"},
	{"SELECT tile_sum()", "wrong number of arguments"},
};

START_TEST(what_is_refused)
{
	struct ts_err err = {0};
	enum ts_code code = ts_query_prepare(c.query, refused[_i].sql, 0, &err);
	bool row = true;

	if (!code)
		code = ts_query_step(c.query, &row, &err);
	ck_assert_msg(code == TS_E_USAGE, "%s: code %d %s", refused[_i].sql, code, err.msg);
	ck_assert_msg(strstr(err.msg, refused[_i].words) != NULL, "%s: %s", refused[_i].sql,
		err.msg);
	ck_assert(access("/tmp/ts-never", F_OK) < 0);
}
END_TEST

static const struct {
	const char *sql;
	int64_t want;
} answered[] = {
	{"SELECT count(*) FROM step", 300},
	{"SELECT count(*) FROM main.step", 0},
	{"SELECT count(*) FROM main.\"tiles\"", 0},
	{"SELECT count(*) FROM steps;  -- the file's own ;", 300},
	{"/* first */ SELECT 5", 5},
	{"VALUES (7)", 7},
	{"PRAGMA user_version", 0},
	{"SELECT count(*) FROM pragma_table_info('step')", 7},
	{"SELECT count(*) FROM pragma_table_info('odd')", 4},
	{"SELECT count(*) > 0 FROM sqlite_schema", 1},
	{"WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM n WHERE i<10) SELECT sum(i) FROM n",
		55},
	{"SELECT n FROM v ORDER BY n LIMIT 1", 100},
	{"SELECT sum(total) FROM tile_memory WHERE tile IN (1, 3, 63, 64, NULL, 'x', '5')", 7200},
	{"SELECT count(*) FROM step WHERE step > 10 AND step < 20.5", 10},
	{"SELECT count(*) FROM step WHERE step >= -9223372036854775808 AND step <= 9223372036854775807",
		300},
	{"SELECT count(*) FROM step WHERE step = 10.5", 0},
	{"SELECT count(*) FROM step WHERE step = '10'", 1},
	{"SELECT count(*) FROM step WHERE step = NULL", 0},
	{"SELECT count(*) FROM step WHERE step < 'x'", 300},
	{"SELECT count(*) FROM step WHERE step > 1e300", 0},
	{"SELECT count(*) FROM step WHERE step < 1e300 AND step > -1e300", 300},
	{"SELECT step FROM step ORDER BY step DESC LIMIT 1", 299},
	{"SELECT count(*) FROM tile_memory t JOIN step s ON s.step = t.tile WHERE s.type = 'Sync'",
		22},
	{"SELECT tile_at(x'0100000002000000', 1)", 2},
	{"SELECT tile_at(x'0100000002000000', 2)", 0},
	{"SELECT tile_at(x'0100000002000000', -1)", INT64_MIN},
	{"SELECT tile_at(x'0100000002000000', NULL)", INT64_MIN},
	{"SELECT tile_at(x'01', 0)", INT64_MIN},
	{"SELECT tile_at(NULL, 0)", INT64_MIN},
	{"SELECT tile_at('text', 0)", INT64_MIN},
	{"SELECT tile_sum(zeroblob(16000000))", 0},
	{"SELECT tile_max(x'')", 0},
	{"SELECT tile_sum(12)", INT64_MIN},
	{"SELECT 'a/layer_12/b' REGEXP 'layer_[0-9]+'", 1},
	{"SELECT 'a/Layer_12/b' REGEXP 'layer_[0-9]+'", 0},
	{"SELECT NULL REGEXP 'a'", INT64_MIN},
	{"SELECT regexp_group('layer_([0-9]+)', 'a/layer_12/b') + 1", 13},
	{"SELECT length(regexp_group('layer', 'a/layer_12/b'))", 5},
	{"SELECT regexp_group('layer_([0-9]+)', 'a/blocks_12/b')", INT64_MIN},
	{"SELECT variable_group('layer_3/weights', NULL) = 'weights'", 1},
	{"SELECT variable_group('layer_3/weights', 'vertexCode') = 'code'", 1},
	{"SELECT variable_group('vertexCode', NULL) = 'code'", 1},
	{"SELECT variable_group(NULL, NULL) = 'other'", 1},
	{"SELECT category_name(NULL) IS NULL AND category_name(-1) IS NULL", 1},
	{"SELECT category_name('a name') = 'a name'", 1},
	{"SELECT category_name(99999) = 'category 99999'", 1},
	{"SELECT count(*) FROM step WHERE type REGEXP '^(Sync|Do)'"
	 " AND type NOT LIKE 'Sync%' AND type NOT LIKE 'Do%'",
		0},
	{"SELECT count(*) FROM tiles('(1-4,7) - 3')", 4},
	{"SELECT sum(value) = (SELECT sum(total) FROM tile_memory WHERE tile IN (1, 2, 4))"
	 " FROM tiles('1-4 - 3')",
		1},
	{"SELECT count(*) FROM tile_memory WHERE tile IN (SELECT tile FROM tiles('worst(3)'))", 3},
	{"SELECT count(*) FROM tiles('1 & 2')", 0},
	{"SELECT sum(t.value) FROM (SELECT '1' AS e UNION ALL SELECT '2-3') x, tiles(x.e) t", 600},
	{"SELECT count(*) FROM tiles(12)", 0},
	{"SELECT count(*) FROM tiles(NULL)", 0},
	{"SELECT sum(t.value) FROM odd, tiles(c_by_tile) t WHERE t.tile = 1", 240},
	{"SELECT value FROM tiles(x'0300000004000000') ORDER BY tile DESC", 4},
};

START_TEST(what_is_answered)
{
	int64_t got;

	ck_assert_msg(sql_check_int(&c, &got, answered[_i].sql), "%s", c.why);
	ck_assert_msg(got == answered[_i].want, "%s: %lld", answered[_i].sql, (long long)got);
}
END_TEST

/* Rules of the user's own take the place of the program's. */
START_TEST(groups_by_own_rules)
{
	char dir[REPORT_DIR], path[REPORT_DIR + 16];
	struct ts_report_options options = {0};
	struct ts_report *r;
	struct ts_query *q;
	struct ts_err err = {0};
	struct ts_sql_value v;
	bool row;
	FILE *f;

	report_dir_make(dir);
	snprintf(path, sizeof(path), "%s/groups.rules", dir);
	f = fopen(path, "w");
	ck_assert_ptr_nonnull(f);
	fputs("group mine name \"^ours/\"\n", f);
	ck_assert_int_eq(fclose(f), 0);
	ck_assert_msg(!ts_report_open(&r, c.path, &options, &err), "%s", err.msg);
	ck_assert_int_eq(ts_query_open(&q, r, &err), TS_OK);
	ts_query_set_rules(q, path);
	ck_assert_int_eq(
		ts_query_prepare(q,
			"SELECT variable_group('Ours/a', NULL) || variable_group('weights', "
			"NULL)",
			0, &err),
		TS_OK);
	ck_assert_int_eq(ts_query_step(q, &row, &err), TS_OK);
	ts_query_value(&v, q, 0);
	ck_assert(v.n == 9 && memcmp(v.bytes, "mineother", 9) == 0);
	ts_query_close(q);
	ts_report_close(r);
	unlink(path);
	ck_assert_int_eq(rmdir(dir), 0);
}
END_TEST

/* A view of the file is not the user: it sees neither relations nor functions. */
START_TEST(views_of_the_file)
{
	static const char *const sql[] = {
		"CREATE VIEW bad AS SELECT tile_sum(x'00000000') AS x;",
		"CREATE VIEW bad AS SELECT * FROM block;",
		"CREATE VIEW bad AS SELECT * FROM tiles(x'00000000');",
	};
	struct ts_report_options options = {0};
	struct ts_report *r;
	struct ts_query *q;
	struct ts_err err = {0};
	sqlite3 *db;

	ck_assert_int_eq(sqlite3_open(c.path, &db), SQLITE_OK);
	ck_assert_int_eq(sqlite3_exec(db, sql[_i], NULL, NULL, NULL), SQLITE_OK);
	ck_assert_int_eq(sqlite3_exec(db, "DROP TABLE tiles", NULL, NULL, NULL), SQLITE_OK);
	sqlite3_close(db);
	ck_assert_msg(!ts_report_open(&r, c.path, &options, &err), "%s", err.msg);
	ck_assert_int_eq(ts_query_open(&q, r, &err), TS_OK);
	ck_assert_int_eq(ts_query_prepare(q, "SELECT * FROM bad", 0, &err), TS_E_USAGE);
	ck_assert_msg(strstr(err.msg, "unsafe") || strstr(err.msg, "no such table"), "%s", err.msg);
	ts_query_close(q);
	ts_report_close(r);
}
END_TEST

/* ---- relations against the cursor ---- */

static bool
same_value(const struct ts_sql_value *v, struct ts_rows *rows, int i, enum ts_type type)
{
	const char *s;
	const void *bytes;
	size_t n;
	int64_t number;
	double real;

	switch (type) {
	case TS_TYPE_INTEGER:
		return ts_rows_number(rows, i, &number) == TS_VALUE_OK
			? v->type == TS_SQL_INTEGER && v->integer == number
			: v->type == TS_SQL_NULL;
	case TS_TYPE_REAL:
		return ts_rows_real(rows, i, &real) == TS_VALUE_OK
			? v->type == TS_SQL_REAL && v->real == real
			: v->type == TS_SQL_NULL;
	case TS_TYPE_TEXT:
		return ts_rows_text(rows, i, &s, &n) == TS_VALUE_OK
			? v->type == TS_SQL_TEXT && v->n == n && memcmp(v->bytes, s, n) == 0
			: v->type == TS_SQL_NULL;
	default:
		return ts_rows_blob(rows, i, &bytes, &n) == TS_VALUE_OK
			? v->type == TS_SQL_BLOB && v->n == n && memcmp(v->bytes, bytes, n) == 0
			: v->type == TS_SQL_NULL;
	}
}

static void
compare_relation(struct ts_report *r, struct ts_reader *rd, struct ts_query *q,
	enum ts_relation relation)
{
	const struct ts_relation_def *def = ts_relation_def(relation);
	struct ts_rows_query what = {.column_count = def->column_count};
	struct ts_rows *rows;
	struct ts_err err = {0};
	char sql[80];
	bool there, row;
	int64_t n = 0;

	snprintf(sql, sizeof(sql), "SELECT * FROM %s", def->name);
	ck_assert_msg(!ts_query_prepare(q, sql, 0, &err), "%s: %s", sql, err.msg);
	ck_assert_int_eq(ts_query_columns(q), def->column_count);
	for (int i = 0; i < def->column_count; i++) {
		what.columns[i] = i;
		ck_assert_str_eq(ts_query_name(q, i), def->column[i].name);
	}
	ck_assert_int_eq(ts_reader_rows(&rows, rd, relation, &what, &err), TS_OK);
	for (;; n++) {
		ck_assert_int_eq(ts_rows_next(rows, &there, &err), TS_OK);
		ck_assert_int_eq(ts_query_step(q, &row, &err), TS_OK);
		ck_assert_msg(there == row, "%s: ends at row %lld", def->name, (long long)n);
		if (!there)
			break;
		for (int i = 0; i < def->column_count; i++) {
			struct ts_sql_value v;

			ts_query_value(&v, q, i);
			ck_assert_msg(same_value(&v, rows, i, def->column[i].type) ||
					ts_query_derived(relation, i),
				"%s.%s, row %lld", def->name, def->column[i].name, (long long)n);
		}
	}
	ts_rows_close(rows);
	(void)r;
}

static int64_t
number_of(struct ts_query *q, const char *sql)
{
	struct ts_sql_value v;
	struct ts_err err = {0};
	bool row;

	ck_assert_msg(!ts_query_prepare(q, sql, 0, &err), "%s: %s", sql, err.msg);
	ck_assert_msg(!ts_query_step(q, &row, &err) && row, "%s: %s", sql, err.msg);
	ts_query_value(&v, q, 0);
	return v.type == TS_SQL_INTEGER ? v.integer : -1;
}

/* Rows of a range by key, put together: `plus` keeps SQLite from asking for the range. */
static int64_t
range_of(struct ts_query *q, const struct ts_relation_def *def, const char *ends, bool plus)
{
	const char *key = def->column[def->key].name;
	const char *last = def->column[def->column_count - 1].name;
	char sql[400];

	snprintf(sql, sizeof(sql),
		"SELECT count(*) * 1000003 + coalesce(sum(length(\"%s\")), 0) FROM \"%s\" WHERE %s\"%s\" %s",
		last, def->name, plus ? "+" : "", key, ends);
	return number_of(q, sql);
}

/* A range by key gives what a look at all rows gives. */
static void
compare_ranges(struct ts_query *q, const struct ts_relation_def *def)
{
	static const char *const ranges[] = {"= 0", "= 7", "= 63", "= 100000", "= -5", "= 2.0",
		">= 1", ">= 40", "> 40", "> -3", "< 7", "<= 7", "< 0.5", "BETWEEN 3 AND 40",
		"BETWEEN 40 AND 3", "IN (3, 7, -1, 2.0, NULL)"};

	for (size_t i = 0; i < TS_COUNT(ranges); i++) {
		int64_t by_key = range_of(q, def, ranges[i], false);
		int64_t all = range_of(q, def, ranges[i], true);

		ck_assert_msg(by_key == all, "%s, key %s: %lld and %lld", def->name, ranges[i],
			(long long)by_key, (long long)all);
	}
}

START_TEST(relations_are_the_cursors)
{
	struct ts_demo_options o = {.layout = TS_DEMO_PROFILE,
		.ipus = 2,
		.tiles = 16,
		.steps = 120,
		.variables = 900};
	struct ts_report_options options = {0};
	struct ts_report *r;
	struct ts_reader *rd;
	struct ts_query *q;
	struct ts_err err = {0};
	char dir[REPORT_DIR], remove[REPORT_DIR + 16], *path = NULL;
	int bound = 0;

	report_dir_make(dir);
	report_dir_demo(dir, &path, &o);
	ck_assert_msg(!ts_report_open(&r, path, &options, &err), "%s", err.msg);
	ck_assert_int_eq(ts_reader_open(&rd, r, &err), TS_OK);
	ck_assert_int_eq(ts_query_open(&q, r, &err), TS_OK);
	for (int i = 0; i < TS_RELATION_COUNT; i++) {
		if (!r->binding[i].bound)
			continue;
		bound++;
		compare_relation(r, rd, q, (enum ts_relation)i);
		if (ts_relation_def((enum ts_relation)i)->key >= 0)
			compare_ranges(q, ts_relation_def((enum ts_relation)i));
	}
	ck_assert_int_ge(bound, 30);
	ts_query_close(q);
	ts_reader_close(rd);
	ts_report_close(r);
	free(path);
	snprintf(remove, sizeof(remove), "rm -rf %s", dir);
	ck_assert_int_eq(system(remove), 0);
}
END_TEST

/* ---- bounds ---- */

START_TEST(time_is_bounded)
{
	struct ts_err err = {0};
	bool row;

	ck_assert_int_eq(ts_query_prepare(c.query,
				 "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM n)"
				 " SELECT count(*) FROM n",
				 0.05, &err),
		TS_OK);
	ck_assert_int_eq(ts_query_step(c.query, &row, &err), TS_E_LIMIT);
	ck_assert_msg(strstr(err.msg, "0.05 seconds"), "%s", err.msg);
	ck_assert(sql_check_statement(&c, "SELECT 1"));
}
END_TEST

START_TEST(it_is_cancelled)
{
	struct ts_cancel cancel = {0};
	struct ts_err err = {0};
	bool row = true;

	ts_query_set_cancel(c.query, &cancel);
	ck_assert_int_eq(ts_query_prepare(c.query, "SELECT * FROM step a, step b, step d", 0, &err),
		TS_OK);
	ck_assert_int_eq(ts_query_step(c.query, &row, &err), TS_OK);
	ts_cancel_set(&cancel);
	for (int i = 0; i < 27000000 && !err.code; i++)
		(void)!ts_query_step(c.query, &row, &err);
	ck_assert_int_eq(err.code, TS_E_CANCELLED);
	ts_cancel_clear(&cancel);
	ck_assert(sql_check_statement(&c, "SELECT 1"));
	ts_query_set_cancel(c.query, NULL);
}
END_TEST

START_TEST(memory_is_bounded)
{
	static const char *const sql[] = {
		"SELECT randomblob(1000000000)",
		"SELECT group_concat(hex(zeroblob(1000000))) FROM step",
		"SELECT replace(hex(zeroblob(8000000)), '0', 'xx')",
		"SELECT 'x' LIKE printf('%.*c', 5000, '%')",
	};
	struct ts_err err = {0};
	enum ts_code code = ts_query_prepare(c.query, sql[_i], 0, &err);
	bool row;

	if (!code)
		code = ts_query_step(c.query, &row, &err);
	ck_assert_msg(code == TS_E_LIMIT || code == TS_E_USAGE, "%s: %d %s", sql[_i], code,
		err.msg);
	ck_assert(sql_check_statement(&c, "SELECT 1"));
}
END_TEST

/* Rows of a relation end at the damage, and it is told; those of the file's table end the statement. */
START_TEST(damage)
{
	struct ts_report_options options = {0};
	struct ts_report *r;
	struct ts_query *q;
	struct ts_err err = {0};
	char dir[REPORT_DIR], *path = NULL, remove[REPORT_DIR + 16];
	struct stat st;
	int64_t n;
	bool row = true;

	report_dir_make(dir);
	report_dir_sql(dir, &path, "profile.pop",
		"CREATE TABLE memory_by_tile(tile INTEGER PRIMARY KEY, total INT);"
		"CREATE TABLE steps(id INTEGER PRIMARY KEY, type TEXT);"
		"WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i+1 FROM n WHERE i<29999)"
		" INSERT INTO steps SELECT i, 'DoExchange of a long name' FROM n;");
	ck_assert_int_eq(stat(path, &st), 0);
	ck_assert_int_eq(truncate(path, st.st_size / 2), 0);
	ck_assert_msg(!ts_report_open(&r, path, &options, &err), "%s", err.msg);
	ck_assert_int_eq(ts_query_open(&q, r, &err), TS_OK);
	n = number_of(q, "SELECT count(*) FROM step");
	ck_assert(n > 0 && n < 30000);
	ck_assert_ptr_nonnull(ts_query_partial(q));
	ck_assert_msg(strncmp(ts_query_partial(q), "step: ", 6) == 0, "%s", ts_query_partial(q));
	ck_assert_int_eq(ts_query_prepare(q, "SELECT type FROM steps", 0, &err), TS_OK);
	ck_assert_ptr_null(ts_query_partial(q));
	while (row && !ts_query_step(q, &row, &err))
		;
	ck_assert_int_eq(err.code, TS_E_DAMAGED);
	ts_query_close(q);
	ts_report_close(r);
	free(path);
	snprintf(remove, sizeof(remove), "rm -rf %s", dir);
	ck_assert_int_eq(system(remove), 0);
}
END_TEST

/* ---- any table by position ---- */

static const struct ts_browse_table *
table_of(const char *name)
{
	for (int i = 0; i < c.tables.count; i++)
		if (strcmp(c.tables.table[i].object->name, name) == 0)
			return &c.tables.table[i];
	ck_abort_msg("no table %s", name);
	return NULL;
}

/* The first column of the row at a position of what is wished for, as text. */
static void
expect_row(const char *name, const char *filter, int sort, bool descending, int64_t at,
	const char *want, int64_t count)
{
	const struct ts_browse_table *t = table_of(name);
	struct ts_browse_wish wish = {.sort = sort, .descending = descending};
	struct ts_browse_order *order = NULL;
	struct ts_browse_window w;
	struct ts_strbuf text;
	struct ts_err err = {0};

	snprintf(wish.filter, sizeof(wish.filter), "%s", filter);
	if (t->has_rowid)
		ck_assert_msg(!ts_browse_order_make(&order, c.reader, t, &wish, 0, NULL, &err),
			"%s", err.msg);
	if (order)
		ck_assert_msg(order->count == count, "%s &%s: %lld rows", name, filter,
			(long long)order->count);
	ck_assert_msg(!ts_browse_read(&w, c.reader, t, &wish, order, at, at + 3, NULL, &err), "%s",
		err.msg);
	ck_assert_int_ge(w.block.rows, 1);
	ts_strbuf_init(&text, 1000);
	ts_row_cell_text(&text, &w.block, ts_row_block_at(&w.block, 0, 0));
	ck_assert_msg(strcmp(text.s, want) == 0, "%s &%s row %lld: %s", name, filter, (long long)at,
		text.s);
	ts_strbuf_fini(&text);
	ts_browse_window_fini(&w);
	ts_browse_order_release(order);
}

START_TEST(rows_by_position)
{
	expect_row("steps", "", -1, false, 0, "0", 300);
	expect_row("steps", "", -1, false, 257, "257", 300);
	expect_row("steps", "", 0, true, 1, "298", 300);
	expect_row("steps", "sync", -1, false, 2, "6", 100);
	expect_row("steps", "SYNC id>100 id<=110", 0, true, 0, "108", 3);
	expect_row("steps", "type:exch id!=1", -1, false, 0, "2", 199);
	expect_row("steps", "compute_set=NULL", -1, false, 299, "299", 300);
	expect_row("steps", "type=Sync id=3", -1, false, 0, "3", 1);
	expect_row("odd", "", -1, false, 0, "x0", 240);
	expect_row("odd", "", -1, false, 100, "x125", 240);
	expect_row("odd", "select<0", 1, true, 0, "x3", 4);
	expect_row("odd", "\"a \"\"b\":x1", -1, false, 0, "x1", 89);
	expect_row("w", "", -1, false, 0, "k0", 0);
	expect_row("w", "v:sync", 0, true, 0, "k99", 0);
	expect_row("v", "", 0, true, 0, "Sync", 0);
}
END_TEST

START_TEST(gaps_are_noticed)
{
	const struct ts_browse_table *t = table_of("odd");
	static const struct ts_browse_wish plain = {.sort = -1};
	struct ts_browse_window w;
	struct ts_err err = {0};

	ck_assert_int_eq(ts_browse_read(&w, c.reader, t, &plain, NULL, 0, 20, NULL, &err), TS_OK);
	ck_assert(w.gap);
	ts_browse_window_fini(&w);
	t = table_of("steps");
	ck_assert_int_eq(ts_browse_read(&w, c.reader, t, &plain, NULL, 290, 400, NULL, &err),
		TS_OK);
	ck_assert(!w.gap);
	ck_assert_int_eq(w.block.rows, 10);
	ts_browse_window_fini(&w);
	ck_assert_str_eq(t->relation, "step");
	ck_assert_int_eq(t->estimate, 300);
	ck_assert_int_eq(table_of("w")->estimate, -1);
}
END_TEST

static const char *const bad_filters[] = {"nosuch>1", "type:\"x", "id=1 nosuch:x",
	"a b c d e f g h i j k l m n o p q"};

START_TEST(filters_that_are_none)
{
	struct ts_err err = {0};

	ck_assert_int_eq(ts_browse_check(table_of("steps"), bad_filters[_i], &err), TS_E_USAGE);
	ck_assert(err.msg[0]);
}
END_TEST

START_TEST(values_as_text)
{
	static const bool by_tile[] = {true};
	static const char bytes[] = "\1\0\0\0\7\0\0\0\2\0\0";
	struct ts_sql_value v = {TS_SQL_BLOB, 0, 0, bytes, 12};
	struct ts_row_block b;
	struct ts_strbuf text;

	ts_row_block_init(&b, 1);
	ts_strbuf_init(&text, 1000);
	ck_assert(ts_row_block_add(&b, &v, by_tile));
	ck_assert(ts_row_block_add(&b, &v, NULL));
	ts_row_cell_text(&text, &b, ts_row_block_at(&b, 0, 0));
	ck_assert_str_eq(text.s, "3 tiles, sum 10, most 7");
	ts_strbuf_reset(&text);
	ts_row_cell_full(&text, &b, ts_row_block_at(&b, 0, 0));
	ck_assert_str_eq(text.s, "3 tiles, sum 10, most 7 (tile 1); by tile from 0: 1 7 2");
	ts_strbuf_reset(&text);
	ts_row_cell_text(&text, &b, ts_row_block_at(&b, 1, 0));
	ck_assert_str_eq(text.s, "12 B 0100000007000000");
	ts_strbuf_fini(&text);
	ts_row_block_fini(&b);
}
END_TEST

/* Where there are many columns less is kept of a value: what is left out is said. */
START_TEST(values_that_are_cut)
{
	enum { COLUMNS = 512, BYTES = 100 };
	static const char bytes[BYTES];
	static struct ts_sql_value v[COLUMNS];
	struct ts_row_block b;
	struct ts_strbuf text;

	v[0] = (struct ts_sql_value){TS_SQL_BLOB, 0, 0, bytes, BYTES};
	ts_row_block_init(&b, COLUMNS);
	ts_strbuf_init(&text, 1000);
	ck_assert_int_lt(b.most, BYTES);
	for (int i = 1; i < COLUMNS; i++)
		v[i] = (struct ts_sql_value){.type = TS_SQL_NULL, .bytes = ""};
	ck_assert(ts_row_block_add(&b, v, NULL));
	ts_row_cell_full(&text, &b, ts_row_block_at(&b, 0, 0));
	ck_assert_uint_eq(text.len, strlen("100 bytes: ...") + 2 * (size_t)b.most);
	ck_assert_str_eq(text.s + text.len - 3, "...");
	ts_strbuf_fini(&text);
	ts_row_block_fini(&b);
}
END_TEST

/* ---- what is written about it ---- */

/* Does the row of docs/model.md say of the column what the model says? */
static bool
column_is_told(const char *row, const struct ts_relation_def *def, int i)
{
	static const char types[] = {[TS_TYPE_INTEGER] = 'I',
		[TS_TYPE_REAL] = 'R',
		[TS_TYPE_TEXT] = 'T',
		[TS_TYPE_BLOB] = 'B'};
	const struct ts_column_def *column = &def->column[i];
	const char *stars = i == def->key ? "**" : "", *found;
	char words[80];
	size_t n;

	n = (size_t)snprintf(words, sizeof(words), "%s`%s`%s %c", stars, column->name, stars,
		types[column->type]);
	found = strstr(row, words);
	return found && (found[n] == '?') == !column->required;
}

START_TEST(the_model_is_documented)
{
	const char *top = getenv("srcdir");
	static char text[1 << 16];
	char path[1024], begin[80];
	FILE *f;

	snprintf(path, sizeof(path), "%s/docs/model.md", top ? top : ".");
	f = fopen(path, "r");
	ck_assert_msg(f != NULL, "%s", path);
	text[fread(text, 1, sizeof(text) - 1, f)] = '\0';
	fclose(f);
	for (int i = 0; i < TS_RELATION_COUNT; i++) {
		const struct ts_relation_def *def = ts_relation_def((enum ts_relation)i);
		char *row, *line;

		snprintf(begin, sizeof(begin), "\n| `%s` | ", def->name);
		row = strstr(text, begin);
		ck_assert_msg(row != NULL, "docs/model.md has no %s", def->name);
		line = strndup(row + 1, strcspn(row + 1, "\n"));
		for (int k = 0; k < def->column_count; k++)
			ck_assert_msg(column_is_told(line, def, k), "docs/model.md: %s.%s",
				def->name, def->column[k].name);
		free(line);
	}
}
END_TEST

/* ---- what the fuzzer found ---- */

START_TEST(corpus)
{
	const char *top = getenv("srcdir");
	static uint8_t bytes[SQL_CHECK_BYTES];
	char dir[1024], path[2048];
	struct dirent *e;
	int files = 0;
	DIR *d;

	snprintf(dir, sizeof(dir), "%s/tests/fuzz/corpus/sql", top ? top : ".");
	d = opendir(dir);
	ck_assert_msg(d != NULL, "%s", dir);
	while ((e = readdir(d))) {
		FILE *f;
		size_t n;

		if (e->d_name[0] == '.')
			continue;
		snprintf(path, sizeof(path), "%s/%s", dir, e->d_name);
		f = fopen(path, "rb");
		ck_assert_ptr_nonnull(f);
		n = fread(bytes, 1, sizeof(bytes), f);
		fclose(f);
		ck_assert_msg(sql_check(&c, bytes, n), "%s: %s", e->d_name, c.why);
		files++;
	}
	closedir(d);
	ck_assert_int_ge(files, 20);
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("query");
	TCase *t = tcase_create("query");
	SRunner *r;
	int failed;

	tcase_set_timeout(t, 120);
	tcase_add_checked_fixture(t, setup, teardown);
	tcase_add_loop_test(t, what_is_refused, 0, (int)TS_COUNT(refused));
	tcase_add_loop_test(t, what_is_answered, 0, (int)TS_COUNT(answered));
	tcase_add_test(t, groups_by_own_rules);
	tcase_add_loop_test(t, views_of_the_file, 0, 3);
	tcase_add_test(t, relations_are_the_cursors);
	tcase_add_test(t, time_is_bounded);
	tcase_add_test(t, it_is_cancelled);
	tcase_add_loop_test(t, memory_is_bounded, 0, 4);
	tcase_add_test(t, damage);
	tcase_add_test(t, rows_by_position);
	tcase_add_test(t, gaps_are_noticed);
	tcase_add_loop_test(t, filters_that_are_none, 0, (int)TS_COUNT(bad_filters));
	tcase_add_test(t, values_as_text);
	tcase_add_test(t, values_that_are_cut);
	tcase_add_test(t, the_model_is_documented);
	tcase_add_test(t, corpus);
	suite_add_tcase(s, t);
	r = srunner_create(s);
	srunner_run_all(r, CK_NORMAL);
	failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
