/* SPDX-License-Identifier: MIT */
/*
 * The demo report in the layout of a real profile.pop: its tables are those of profile/tables.h, every blob decodes as
 * they say, and its figures keep the identities of a real one, whatever the options.
 */
#include "config.h"

#include <check.h>
#include <dirent.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tilescope/base/mem.h"
#include "tilescope/demo/demo.h"
#include "tilescope/profile/tables.h"

/* ---- a report in a directory of its own ---- */

struct fixture {
	char dir[64];
	char *path;
	sqlite3 *db;
};

static void
begin(struct fixture *f, const struct ts_demo_options *options)
{
	struct ts_demo_options o = *options;
	struct ts_err err = {0};

	memset(f, 0, sizeof(*f));
	snprintf(f->dir, sizeof(f->dir), "/tmp/ts-demo-XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(f->dir));
	o.layout = TS_DEMO_PROFILE;
	ck_assert_msg(ts_demo_write(&f->path, f->dir, &o, NULL, NULL, &err) == TS_OK, "%s",
		err.msg);
	ck_assert_int_eq(sqlite3_open_v2(f->path, &f->db, SQLITE_OPEN_READONLY, NULL), SQLITE_OK);
}

/* Nothing but the report is there. */
static void
end(struct fixture *f)
{
	sqlite3_close(f->db);
	unlink(f->path);
	free(f->path);
	ck_assert_int_eq(rmdir(f->dir), 0);
}

static sqlite3_stmt *
query(sqlite3 *db, const char *sql)
{
	sqlite3_stmt *s;

	ck_assert_msg(sqlite3_prepare_v2(db, sql, -1, &s, NULL) == SQLITE_OK, "%s: %s", sql,
		sqlite3_errmsg(db));
	return s;
}

static int64_t
number(sqlite3 *db, const char *sql)
{
	sqlite3_stmt *s = query(db, sql);
	int64_t v;

	ck_assert_msg(sqlite3_step(s) == SQLITE_ROW, "%s", sql);
	v = sqlite3_column_int64(s, 0);
	sqlite3_finalize(s);
	return v;
}

/* A query that finds broken rows finds none. */
static void
none(struct fixture *f, const char *sql)
{
	sqlite3_stmt *s = query(f->db, sql);

	ck_assert_msg(sqlite3_step(s) == SQLITE_DONE, "a row: %s", sql);
	sqlite3_finalize(s);
}

static const struct ts_demo_options sizes[] = {
	{.tiles = 24},
	{.tiles = 24, .seed = 7},
	{.ipus = 1, .tiles = 1, .steps = 1, .variables = 1},
	{.ipus = 1, .tiles = 3, .steps = -1},
	{.ipus = 3, .tiles = 20, .seed = 5, .steps = 6001},
	{.ipus = 5, .tiles = 8, .variables = 60000},
	{.tiles = 24, .oom = true},
	{.ipus = 1, .tiles = 2, .oom = true, .seed = 11},
	{.scale = TS_DEMO_BERT, .ipus = 2, .tiles = 8, .steps = 3000, .variables = 1},
	{.ipus = 1, .tiles = 1216, .steps = 100},
};

/* ---- tables and blobs ---- */

/* SQL of all tables and indexes, in order of their names. */
static void
describe(struct ts_strbuf *out, sqlite3 *db)
{
	sqlite3_stmt *s = query(db,
		"SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY name");

	while (sqlite3_step(s) == SQLITE_ROW)
		ts_strbuf_printf(out, "%s\n", sqlite3_column_text(s, 0));
	sqlite3_finalize(s);
}

START_TEST(tables_are_those_of_the_layout)
{
	struct ts_strbuf sql, a, b;
	struct fixture f;
	sqlite3 *made;

	ts_strbuf_init(&sql, TS_PROFILE_SQL);
	ts_strbuf_init(&a, TS_PROFILE_SQL);
	ts_strbuf_init(&b, TS_PROFILE_SQL);
	ts_profile_sql(&sql);
	ck_assert_int_eq(sqlite3_open(":memory:", &made), SQLITE_OK);
	ck_assert_int_eq(sqlite3_exec(made, sql.s, NULL, NULL, NULL), SQLITE_OK);
	begin(&f, &sizes[_i]);
	describe(&a, made);
	describe(&b, f.db);
	ck_assert_str_eq(a.s, b.s);
	none(&f, "SELECT 1 FROM version_info WHERE major != 3 OR minor != 8");
	none(&f, "SELECT 1 FROM pragma_integrity_check WHERE integrity_check != 'ok'");
	end(&f);
	sqlite3_close(made);
	ts_strbuf_fini(&sql);
	ts_strbuf_fini(&a);
	ts_strbuf_fini(&b);
}
END_TEST

static void
column_decodes(struct fixture *f, const struct ts_profile_table *t,
	const struct ts_profile_column *c, int64_t n)
{
	sqlite3_stmt *s;
	char sql[200];

	snprintf(sql, sizeof(sql), "SELECT \"%s\" FROM %s WHERE \"%s\" IS NOT NULL", c->name,
		t->name, c->name);
	s = query(f->db, sql);
	while (sqlite3_step(s) == SQLITE_ROW) {
		const struct ts_blob b = {sqlite3_column_blob(s, 0),
			(size_t)sqlite3_column_bytes(s, 0), c->blob};
		struct ts_blob_totals totals;
		struct ts_err err = {0};

		ck_assert_msg(ts_blob_add_up(&totals, 1 << 24, &b, &err) == TS_OK, "%s: %s", sql,
			err.msg);
		ck_assert_msg(n < 0 || totals.count == n, "%s: %lld numbers, not %lld", sql,
			(long long)totals.count, (long long)n);
	}
	sqlite3_finalize(s);
}

START_TEST(every_blob_decodes)
{
	struct fixture f;
	int64_t of[] = {[TS_BLOB_OF_ANY] = -1,
		[TS_BLOB_OF_TILE] = 0,
		[TS_BLOB_OF_IPU_TILES] = 0,
		[TS_BLOB_OF_IPU] = 0};

	begin(&f, &sizes[_i]);
	of[TS_BLOB_OF_TILE] = number(f.db, "SELECT num_tiles FROM target_info");
	of[TS_BLOB_OF_IPU_TILES] = number(f.db, "SELECT tiles_per_ipu FROM target_info");
	of[TS_BLOB_OF_IPU] = number(f.db, "SELECT num_ipus FROM target_info");
	for (int t = 0; t < ts_profile_tables_count; t++)
		for (int c = 0; c < ts_profile_tables[t].columns; c++) {
			const struct ts_profile_column *column = &ts_profile_tables[t].column[c];

			if (column->type == TS_DECLARED_BLOB)
				column_decodes(&f, &ts_profile_tables[t], column, of[column->of]);
		}
	end(&f);
}
END_TEST

/* ---- identities ---- */

START_TEST(memory_adds_up)
{
	struct fixture f;

	begin(&f, &sizes[_i]);
	none(&f,
		"SELECT 1 FROM memory_by_tile WHERE total != interleaved + non_interleaved + overflowed");
	none(&f,
		"SELECT 1 FROM memory_by_tile m JOIN (SELECT tile, max(offset + size_bytes) e, min(offset) b, "
		"sum(size_bytes) s FROM vars_info WHERE bitset & 1 GROUP BY tile) v USING (tile) "
		"WHERE e != total_including_gaps OR b != 16 OR s < total");
	none(&f,
		"SELECT 1 FROM memory_by_tile m JOIN (SELECT tile, sum(CASE WHEN is_always_live THEN size_bytes "
		"ELSE 0 END) a FROM vars_info JOIN eq_classes ON id = equivalence_class WHERE bitset & 1 "
		"GROUP BY tile) v USING (tile) WHERE a != always_live_bytes");
	none(&f,
		"SELECT 1 FROM vars_info WHERE NOT bitset & 1 AND (size_bytes OR equivalence_class)");
	none(&f,
		"SELECT 1 FROM vars_info WHERE bitset & 1 AND (size_bytes <= 0 OR offset % alignment)");
	/* it fits, or it does not, as asked */
	ck_assert_int_eq(number(f.db,
				 "SELECT count(*) > 0 FROM memory_by_tile WHERE overflowed > 0"),
		sizes[_i].oom);
	none(&f,
		"SELECT 1 FROM memory_by_tile, target_info WHERE "
		"(total_including_gaps > bytes_per_tile) != (overflowed > 0)");
	ck_assert_int_eq(number(f.db, "SELECT count(*) FROM memory_by_tile"),
		number(f.db, "SELECT num_tiles FROM target_info"));
	end(&f);
}
END_TEST

START_TEST(liveness_adds_up)
{
	struct fixture f;

	begin(&f, &sizes[_i]);
	none(&f,
		"SELECT 1 FROM (SELECT unlowered_var_id, eq_class_id, sum(bytes * (tile IS NULL)) d, "
		"sum(bytes * (tile IS NOT NULL)) t FROM var_bytes_by_eq_class GROUP BY 1, 2) WHERE d != t");
	none(&f,
		"SELECT tile, equivalence_class, sum(size_bytes) FROM vars_info WHERE bitset & 1 GROUP BY 1, 2 "
		"EXCEPT SELECT tile, eq_class_id, sum(bytes) FROM var_bytes_by_eq_class GROUP BY 1, 2");
	/* what begins and ends at a step is what the deltas say, of the device and of IPUs */
	none(&f,
		"WITH alive AS (SELECT c.eq_class_id, c.step_id_from, c.step_id_to FROM eq_class_step c "
		"JOIN eq_classes e ON e.id = c.eq_class_id WHERE NOT is_always_live), "
		"edges AS (SELECT eq_class_id, step_id_from s, 1 d FROM alive UNION ALL "
		"SELECT eq_class_id, step_id_to, -1 FROM alive) "
		"SELECT s, sum(d * bytes) n FROM edges JOIN (SELECT eq_class_id, sum(bytes) bytes "
		"FROM var_bytes_by_eq_class WHERE tile IS NULL GROUP BY 1) USING (eq_class_id) "
		"WHERE s < (SELECT count(*) FROM depth_first_steps) GROUP BY s HAVING n != 0 "
		"EXCEPT SELECT step_id, delta_bytes FROM memory_not_always_live_by_step_and_ipu WHERE ipu IS NULL");
	none(&f,
		"SELECT 1 FROM (SELECT step_id, sum(CASE WHEN ipu IS NULL THEN delta_bytes ELSE -delta_bytes END) d "
		"FROM memory_not_always_live_by_step_and_ipu GROUP BY 1) WHERE d");
	none(&f, "SELECT 1 FROM memory_not_always_live_by_step_and_ipu WHERE delta_bytes = 0");
	none(&f,
		"SELECT 1 FROM eq_class_step WHERE step_id_from >= step_id_to OR "
		"step_id_to > (SELECT count(*) FROM depth_first_steps)");
	none(&f, "SELECT 1 FROM depth_first_steps WHERE parent_step_id >= id");
	end(&f);
}
END_TEST

START_TEST(the_execution_adds_up)
{
	struct fixture f;
	bool ran = sizes[_i].steps >= 0 && !sizes[_i].oom;

	begin(&f, &sizes[_i]);
	ck_assert_int_eq(number(f.db, "SELECT count(*) > 0 FROM steps"), ran);
	ck_assert_int_eq(number(f.db, "SELECT count(*) FROM steps"),
		number(f.db, "SELECT coalesce(sum(num_steps), 0) FROM runs"));
	if (ran && sizes[_i].steps)
		ck_assert_int_eq(number(f.db, "SELECT count(*) FROM steps"), sizes[_i].steps);
	none(&f,
		"SELECT 1 FROM steps_by_ipu WHERE active_tiles AND "
		"active_cycles_to_max - active_cycles_from_min != cycles");
	none(&f,
		"SELECT 1 FROM steps_by_ipu WHERE NOT active_tiles AND all_cycles_to_max != cycles");
	none(&f,
		"SELECT 1 FROM steps_by_ipu WHERE ipu NOT BETWEEN 0 AND (SELECT num_ipus FROM target_info) - 1");
	none(&f, "SELECT 1 FROM steps WHERE program IS NULL AND type != 'Sync'");
	none(&f,
		"SELECT 1 FROM steps s JOIN programs p ON p.id = s.program JOIN program_types t ON t.id = p.variant "
		"WHERE t.name != s.type");
	/* the same cycles in every execution */
	none(&f,
		"SELECT 1 FROM steps_by_ipu WHERE tile_cycles_id IS NOT NULL "
		"GROUP BY tile_cycles_id HAVING count(DISTINCT cycles) > 1");
	end(&f);
}
END_TEST

START_TEST(steps_are_like_those_of_a_real_timeline)
{
	struct fixture f;

	begin(&f, &(struct ts_demo_options){.tiles = 24});
	/* answers of an asynchronous sync begin far earlier; stages run at the same time; copies run beside */
	ck_assert_int_gt(
		number(f.db,
			"SELECT max(cycles) FROM steps_by_ipu JOIN steps ON id = step_id WHERE type = 'SyncAns'"),
		20 *
			number(f.db,
				"SELECT avg(cycles) FROM steps_by_ipu JOIN steps ON id = step_id "
				"WHERE type = 'OnTileExecute'"));
	ck_assert_int_gt(
		number(f.db,
			"SELECT count(*) FROM (SELECT cycles_base b, lag(cycles_base) OVER (ORDER BY step_id) a "
			"FROM steps_by_ipu) WHERE b < a"),
		10);
	ck_assert_int_gt(
		number(f.db,
			"SELECT count(*) FROM steps WHERE id NOT IN (SELECT step_id FROM steps_by_ipu)"),
		0);
	ck_assert_int_gt(
		number(f.db,
			"SELECT count(*) FROM (SELECT 1 FROM steps_by_ipu GROUP BY step_id HAVING count(*) = 1)"),
		number(f.db, "SELECT count(*) * 9 / 10 FROM steps"));
	ck_assert_int_gt(number(f.db, "SELECT count(*) FROM steps_by_ipu WHERE active_tiles = 0"),
		0);
	end(&f);
}
END_TEST

START_TEST(a_few_variables_and_operations_dominate)
{
	struct fixture f;

	begin(&f, &(struct ts_demo_options){.tiles = 100});
	/* the largest variable has more than 2 % of what tensors take, on a fifth of an IPU's tiles at least */
	ck_assert_int_gt(
		number(f.db,
			"SELECT max(b) * 100 / sum(b) FROM (SELECT sum(bytes) b FROM var_bytes_by_eq_class "
			"WHERE tile IS NULL GROUP BY unlowered_var_id)"),
		2);
	ck_assert_int_gt(
		number(f.db,
			"SELECT count(*) FROM var_bytes_by_eq_class WHERE tile IS NOT NULL AND unlowered_var_id = "
			"(SELECT unlowered_var_id FROM var_bytes_by_eq_class JOIN eq_classes ON id = eq_class_id "
			"WHERE tile IS NULL AND NOT is_always_live ORDER BY bytes DESC LIMIT 1)"),
		20);
	/* the ten dearest compute sets differ */
	ck_assert_int_eq(
		number(f.db,
			"SELECT count(DISTINCT c) FROM (SELECT max(cycles) c FROM steps_by_ipu JOIN steps "
			"ON id = step_id WHERE type = 'OnTileExecute' GROUP BY program ORDER BY 1 DESC LIMIT 10)"),
		10);
	/* the profiler's share, and names that a real file has */
	ck_assert_int_gt(
		number(f.db,
			"SELECT count(*) FROM vars_info JOIN vars_string_table ON id = name_base_id "
			"WHERE string GLOB 'instrumentationStreamBuffer*'"),
		0);
	ck_assert_int_gt(
		number(f.db,
			"SELECT count(*) FROM vertex_types WHERE name GLOB '*Instrumentation*'"),
		0);
	ck_assert_int_eq(number(f.db, "SELECT count(*) FROM var_categories"), 27);
	ck_assert_int_gt(number(f.db, "SELECT count(*) FROM programs WHERE name IS NULL"),
		number(f.db, "SELECT count(*) / 2 FROM programs"));
	end(&f);
}
END_TEST

/* ---- the files ---- */

/* FNV-1a of a file. */
static uint64_t
hash_of(const char *path)
{
	uint64_t h = 0xcbf29ce484222325u;
	FILE *file = fopen(path, "rb");

	ck_assert_ptr_nonnull(file);
	for (int c; (c = getc(file)) != EOF;)
		h = (h ^ (uint64_t)c) * 0x100000001b3u;
	fclose(file);
	return h;
}

START_TEST(the_same_options_give_the_same_bytes)
{
	uint64_t h[3];

	for (int i = 0; i < 3; i++) {
		struct fixture f;

		begin(&f, &(struct ts_demo_options){.tiles = 30, .seed = i == 2 ? 5 : 4});
		h[i] = hash_of(f.path);
		end(&f);
	}
	ck_assert_uint_eq(h[0], h[1]);
	ck_assert_uint_ne(h[0], h[2]);
}
END_TEST

START_TEST(cancelling_leaves_nothing)
{
	struct ts_demo_options o = {.layout = TS_DEMO_PROFILE,
		.tiles = 30,
		.archive = true,
		.debug = true};
	struct ts_cancel cancel = {0};
	struct ts_err err = {0};
	char dir[] = "/tmp/ts-demo-XXXXXX";
	char *path;

	ck_assert_ptr_nonnull(mkdtemp(dir));
	ts_cancel_set(&cancel);
	ck_assert_int_eq(ts_demo_write(&path, dir, &o, NULL, &cancel, &err), TS_E_CANCELLED);
	ck_assert_ptr_null(path);
	ck_assert_int_eq(rmdir(dir), 0);
}
END_TEST

START_TEST(bad_options_are_refused)
{
	static const struct ts_demo_options bad[] = {
		{.ipus = -1},
		{.ipus = TS_DEMO_IPUS_MAX + 1},
		{.tiles = -1},
		{.ipus = 2, .tiles = TS_DEMO_TILES_MAX},
		{.variables = -1},
	};
	struct ts_demo_options o = bad[_i];
	struct ts_err err = {0};
	char dir[] = "/tmp/ts-demo-XXXXXX";
	char *path;

	o.layout = TS_DEMO_PROFILE;
	ck_assert_ptr_nonnull(mkdtemp(dir));
	ck_assert_int_eq(ts_demo_write(&path, dir, &o, NULL, NULL, &err), TS_E_USAGE);
	ck_assert_int_eq(rmdir(dir), 0);
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("demo profile");
	TCase *t = tcase_create("tables");
	SRunner *r;
	int failed, n = TS_COUNT(sizes);

	tcase_set_timeout(t, 120);
	tcase_add_loop_test(t, tables_are_those_of_the_layout, 0, n);
	tcase_add_loop_test(t, every_blob_decodes, 0, n);
	suite_add_tcase(s, t);
	t = tcase_create("identities");
	tcase_set_timeout(t, 120);
	tcase_add_loop_test(t, memory_adds_up, 0, n);
	tcase_add_loop_test(t, liveness_adds_up, 0, n);
	tcase_add_loop_test(t, the_execution_adds_up, 0, n);
	suite_add_tcase(s, t);
	t = tcase_create("model");
	tcase_set_timeout(t, 120);
	tcase_add_test(t, steps_are_like_those_of_a_real_timeline);
	tcase_add_test(t, a_few_variables_and_operations_dominate);
	suite_add_tcase(s, t);
	t = tcase_create("files");
	tcase_set_timeout(t, 120);
	tcase_add_test(t, the_same_options_give_the_same_bytes);
	tcase_add_test(t, cancelling_leaves_nothing);
	tcase_add_loop_test(t, bad_options_are_refused, 0, 5);
	suite_add_tcase(s, t);
	r = srunner_create(s);
	srunner_run_all(r, CK_NORMAL);
	failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
