/* SPDX-License-Identifier: MIT */
/*
 * The demo report: its figures add up, both layouts tell the same, the same options give the same
 * bytes, and nothing is left behind by a demo that was not finished.
 */
#include "config.h"

#include <check.h>
#include <dirent.h>
#include <signal.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <unistd.h>

#include "tilescope/demo/demo.h"
#include "tilescope/report/relation.h"

#include "depth.h"

/* ---- a directory, a report in it, a connection to that ---- */

struct fixture {
	char dir[64];
	char *path;
	sqlite3 *db;
};

static void
begin(struct fixture *f)
{
	memset(f, 0, sizeof(*f));
	snprintf(f->dir, sizeof(f->dir), "/tmp/ts-demo-XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(f->dir));
}

static int
files_in(const char *dir)
{
	int n = 0;
	DIR *d = opendir(dir);
	ck_assert_ptr_nonnull(d);
	for (struct dirent *e; (e = readdir(d));)
		n += strcmp(e->d_name, ".") && strcmp(e->d_name, "..");
	closedir(d);
	return n;
}

static void
end(struct fixture *f)
{
	sqlite3_close(f->db);
	if (f->path) {
		ck_assert_int_eq(files_in(f->dir), 1);
		unlink(f->path);
	}
	free(f->path);
	ck_assert_int_eq(rmdir(f->dir), 0);
}

static void
write_demo(struct fixture *f, const struct ts_demo_options *o)
{
	struct ts_err err = {0};
	struct ts_progress progress = {0};
	begin(f);
	ck_assert_msg(ts_demo_write(&f->path, f->dir, o, &progress, NULL, &err) == TS_OK, "%s",
		err.msg);
	ck_assert_int_gt(progress.done, 0);
	ck_assert_int_eq(progress.done, progress.total);
	ck_assert_int_eq(sqlite3_open_v2(f->path, &f->db, SQLITE_OPEN_READONLY, NULL), SQLITE_OK);
}

/* The one number that a query gives. */
static int64_t
number(struct fixture *f, const char *sql)
{
	sqlite3_stmt *s = NULL;
	ck_assert_msg(sqlite3_prepare_v2(f->db, sql, -1, &s, NULL) == SQLITE_OK, "%s: %s", sql,
		sqlite3_errmsg(f->db));
	ck_assert_msg(sqlite3_step(s) == SQLITE_ROW, "%s", sql);
	int64_t v = sqlite3_column_int64(s, 0);
	sqlite3_finalize(s);
	return v;
}

/* The text that a query gives, cut to the buffer. */
static const char *
text(struct fixture *f, const char *sql, char *out, size_t size)
{
	sqlite3_stmt *s = NULL;
	ck_assert_int_eq(sqlite3_prepare_v2(f->db, sql, -1, &s, NULL), SQLITE_OK);
	ck_assert_int_eq(sqlite3_step(s), SQLITE_ROW);
	snprintf(out, size, "%s", (const char *)sqlite3_column_text(s, 0));
	sqlite3_finalize(s);
	return out;
}

/* A query that finds broken rows finds none. */
static void
none(struct fixture *f, const char *sql)
{
	char count[2048];
	ck_assert_int_lt(snprintf(count, sizeof(count), "SELECT count(*) FROM (%s)", sql),
		sizeof(count));
	ck_assert_msg(number(f, count) == 0, "%lld rows: %s", (long long)number(f, count), sql);
}

/* ---- every size: sums ---- */

#define STORE .layout = TS_DEMO_STORE
static const struct ts_demo_options sizes[] = {
	{STORE}, {STORE, .seed = 7, .ipus = 4, .tiles = 100}, {STORE, .ipus = 1, .tiles = 1},
	{STORE, .ipus = 1, .tiles = 1, .steps = 1, .variables = 1}, {STORE, .ipus = 1},
	{STORE, .ipus = 1, .tiles = 1216}, {STORE, .ipus = 3, .tiles = 7, .steps = -1},
	{STORE, .ipus = 3, .tiles = 64, .steps = 11, .variables = 5},
	{STORE, .ipus = 2, .tiles = 130, .variables = 1500},
	{STORE, .ipus = 17, .tiles = 2, .steps = 6001},
	{STORE, .ipus = 2, .tiles = 2, .variables = TS_DEMO_ROWS_MAX, .seed = 3},
	{STORE, .oom = true}, {STORE, .oom = true, .ipus = 1, .tiles = 1},
	{STORE, .ipus = 1, .tiles = 66000, .steps = 100}, /* slow: the last one */
};

START_TEST(memory_adds_up)
{
	struct fixture f;
	const struct ts_demo_options *o = &sizes[_i];
	write_demo(&f, o);
	none(&f,
		"SELECT 1 FROM tile_memory WHERE total != non_interleaved + interleaved + overflowed");
	none(&f,
		"SELECT 1 FROM tile_memory m LEFT JOIN (SELECT tile, sum(not_overlapped + overlapped) s "
		"FROM tile_category GROUP BY 1) USING (tile) WHERE total IS NOT s");
	none(&f,
		"SELECT 1 FROM tile_memory JOIN (SELECT tile, region, sum(not_overlapped) s FROM "
		"tile_category GROUP BY 1, 2) USING (tile) WHERE s != CASE region WHEN 'interleaved' THEN "
		"interleaved WHEN 'overflowed' THEN overflowed ELSE non_interleaved END");
	none(&f,
		"SELECT 1 FROM (SELECT tile, category, sum(bytes) s FROM lowered_variable GROUP BY 1, 2) "
		"LEFT JOIN (SELECT tile, category, sum(not_overlapped) c FROM tile_category GROUP BY 1, 2) "
		"USING (tile, category) WHERE s IS NOT c");
	none(&f,
		"SELECT 1 FROM tile_memory LEFT JOIN (SELECT tile, sum(bytes) s, max(offset + bytes) e, "
		"sum(bytes * always_live) a FROM lowered_variable GROUP BY 1) USING (tile) "
		"WHERE s IS NOT total OR a IS NOT always_live OR e > total_gaps");
	none(&f,
		"SELECT 1 FROM tile_memory LEFT JOIN (SELECT tile, sum(bytes) s FROM tile_always_live "
		"GROUP BY 1) USING (tile) WHERE ifnull(s, 0) != always_live");
	none(&f, "SELECT 1 FROM tile_memory WHERE always_live + not_always_live_peak > total");
	none(&f,
		"SELECT 1 FROM (SELECT variable, sum(bytes) s, max(always_live) a FROM lowered_variable "
		"GROUP BY 1) l LEFT JOIN variable v USING (variable) "
		"WHERE v.bytes IS NOT s OR v.always_live IS NOT a");
	none(&f,
		"SELECT 1 FROM tile_category LEFT JOIN (SELECT tile, sum(code_bytes) s FROM tile_vertex "
		"GROUP BY 1) USING (tile) WHERE category = 4 AND s IS NOT not_overlapped");
	none(&f, "SELECT 1 FROM lowered_variable WHERE bytes <= 0 OR tile IS NULL OR name IS NULL");
	none(&f,
		"SELECT 1 FROM target, tile_memory WHERE (total_gaps > bytes_per_tile) != (overflowed > 0)");
	ck_assert_int_eq(number(&f, "SELECT count(*) FROM tile_memory WHERE overflowed > 0") > 0,
		o->oom);
	ck_assert_int_eq(number(&f, "SELECT ipus * tiles_per_ipu FROM target"),
		number(&f, "SELECT count(*) FROM tile_memory"));
	none(&f, "SELECT 1 FROM tile_memory, target WHERE ipu != tile / tiles_per_ipu");
	end(&f);
}
END_TEST

START_TEST(liveness_adds_up)
{
	struct fixture f;
	write_demo(&f, &sizes[_i]);
	none(&f,
		"SELECT 1 FROM liveness_step JOIN (SELECT live_step, sum(not_always_live) s FROM "
		"liveness_step_ipu GROUP BY 1) USING (live_step) WHERE s != not_always_live");
	none(&f,
		"SELECT 1 FROM class_interval WHERE start < 0 OR start >= \"end\" OR "
		"\"end\" > (SELECT count(*) FROM liveness_step)");
	none(&f,
		"SELECT 1 FROM lowered_variable WHERE class NOT IN (SELECT class FROM class_interval)");
	none(&f,
		"SELECT 1 FROM liveness_step LEFT JOIN program USING (program) WHERE type IS NULL");
	/* not_always_live from lowered variables and intervals, at a few steps */
	none(&f,
		"WITH c AS (SELECT class, sum(bytes) b FROM lowered_variable WHERE NOT always_live "
		"GROUP BY 1) SELECT 1 FROM liveness_step WHERE live_step % 97 = 5 AND not_always_live != "
		"(SELECT ifnull(sum(b), 0) FROM c JOIN class_interval i USING (class) "
		"WHERE i.start <= live_step AND live_step < i.\"end\")");
	none(&f,
		"SELECT 1 FROM variable LEFT JOIN liveness_variable USING (variable) "
		"WHERE (start IS NULL) != always_live");
	end(&f);
}
END_TEST

START_TEST(a_tile_peak_is_that_of_its_classes)
{
	struct fixture f;
	struct ts_demo_options o = {.tiles = 8, .variables = 4000, .seed = (uint64_t)_i};
	write_demo(&f, &o);
	none(&f,
		"WITH c AS (SELECT tile, class, sum(bytes) b FROM lowered_variable WHERE NOT always_live "
		"GROUP BY 1, 2), p AS (SELECT tile, live_step, sum(b) s FROM c JOIN class_interval i "
		"USING (class) JOIN liveness_step ON live_step >= i.start AND live_step < i.\"end\" "
		"GROUP BY 1, 2) SELECT 1 FROM tile_memory JOIN (SELECT tile, max(s) s FROM p GROUP BY 1) "
		"USING (tile) WHERE s != not_always_live_peak");
	end(&f);
}
END_TEST

START_TEST(programs_are_a_tree_with_shared_bodies)
{
	struct fixture f;
	write_demo(&f, &sizes[_i]);
	ck_assert_int_eq(number(&f, "SELECT count(DISTINCT type) FROM program"),
		sizes[_i].ipus == 1 ? 21 : 22);
	none(&f,
		"SELECT 1 FROM program_child WHERE child NOT IN (SELECT program FROM program) OR "
		"parent NOT IN (SELECT program FROM program)");
	none(&f,
		"SELECT 1 FROM program_child GROUP BY parent HAVING max(position) + 1 != count(*)");
	none(&f,
		"SELECT 1 FROM program WHERE program != 0 AND program NOT IN (SELECT child FROM program_child)");
	ck_assert_int_gt(
		number(&f,
			"SELECT max(n) FROM (SELECT count(*) n FROM program_child JOIN program "
			"ON child = program WHERE type = 'Sequence' GROUP BY child)"),
		2);
	ck_assert_int_eq(
		number(&f, "SELECT min(program) FROM program WHERE type = 'OnEveryTileSwitch'"), 0);
	none(&f,
		"SELECT 1 FROM program_root r LEFT JOIN program_child c ON parent = 0 AND c.position = "
		"r.position WHERE kind = 'control' AND child IS NOT r.program");
	none(&f,
		"SELECT 1 FROM program WHERE compute_set NOT IN (SELECT compute_set FROM compute_set)");
	none(&f,
		"SELECT 1 FROM context c LEFT JOIN context p ON c.parent = p.context "
		"WHERE c.context != 1 AND p.context IS NULL");
	none(&f,
		"SELECT 1 FROM operation WHERE first_step > last_step OR context NOT IN "
		"(SELECT context FROM context)");
	none(&f,
		"SELECT 1 FROM graph_count WHERE name = 'compute_sets' AND value != "
		"(SELECT count(*) FROM compute_set) OR name = 'variables' AND value != "
		"(SELECT count(*) FROM variable)");
	end(&f);
}
END_TEST

START_TEST(steps_are_in_order)
{
	struct fixture f;
	const struct ts_demo_options *o = &sizes[_i];
	write_demo(&f, o);
	if (o->oom) {
		none(&f,
			"SELECT 1 FROM sqlite_master WHERE name IN ('run', 'step', 'step_ipu', 'block')");
		end(&f);
		return;
	}
	int64_t steps = o->steps < 0 ? 0 : o->steps ? o->steps : ts_demo_figures[o->scale].steps;
	ck_assert_int_eq(number(&f, "SELECT count(*) FROM step"), steps);
	ck_assert_int_eq(number(&f, "SELECT ifnull(max(step) + 1, 0) FROM step"), steps);
	ck_assert_int_eq(number(&f, "SELECT count(*) FROM step_ipu"),
		steps * number(&f, "SELECT ipus FROM target"));
	none(&f,
		"SELECT 1 FROM step_ipu WHERE cycles != \"end\" - start OR cycles < 0 OR start < 0 OR "
		"active_start_max < start OR active_end_min > \"end\" OR active_end_min < active_start_max "
		"OR NOT (ifnull(tile_balance, 1) BETWEEN 0 AND 1) OR tile_balance > active_tile_balance");
	none(&f,
		"SELECT 1 FROM (SELECT start, lag(start) OVER (PARTITION BY ipu ORDER BY rowid) AS before "
		"FROM step_ipu) WHERE start < before");
	none(&f, "SELECT 1 FROM step_ipu, target WHERE step_ipu.rowid != step * ipus + ipu + 1");
	none(&f,
		"SELECT 1 FROM step s LEFT JOIN run r USING (run) WHERE s.step < r.first_step OR "
		"s.step >= r.first_step + r.step_count OR r.run IS NULL");
	ck_assert_int_eq(number(&f, "SELECT ifnull(sum(step_count), 0) FROM run"), steps);
	none(&f,
		"SELECT 1 FROM run, target JOIN step USING (run) JOIN step_ipu USING (step) WHERE "
		"start < (start_us - 1) * clock_hz / 1e6 OR \"end\" > (end_us + 1) * clock_hz / 1e6");
	none(&f,
		"SELECT 1 FROM step s LEFT JOIN program p USING (program) WHERE p.type IS NOT s.type OR "
		"p.compute_set IS NOT s.compute_set");
	end(&f);
}
END_TEST

/* ---- the default report looks like the field's ---- */

START_TEST(the_small_report_has_what_there_is_to_find)
{
	struct fixture f;
	struct stat st;
	struct ts_demo_options o = {.seed = (uint64_t)_i};
	write_demo(&f, &o);
	ck_assert_int_eq(stat(f.path, &st), 0);
	ck_assert_int_lt(st.st_size, 14000000);
	ck_assert_int_eq(number(&f,
				 "SELECT count(*) FROM compute_set WHERE name LIKE "
				 "'bert/encoder/layer_3/attention/self/matMul/Conv_1/Convolve'"),
		1);
	ck_assert_int_eq(number(&f, "SELECT count(DISTINCT category) FROM tile_category"), 20);
	/* a hot tile near its limit, the others far from it, the dip */
	ck_assert_int_eq(
		number(&f, "SELECT count(*) FROM tile_memory WHERE total_gaps > 0.96 * 638976"), 1);
	ck_assert_int_eq(number(&f, "SELECT count(*) FROM tile_memory WHERE total > 0.86 * 638976"),
		1);
	none(&f,
		"SELECT 1 FROM tile_memory d JOIN tile_memory n ON n.tile = d.tile - 1 WHERE "
		"d.tile % 64 = 63 AND d.total > 0.85 * n.total");
	/* measured: no wait longer than the first ones, and the second run's is the longer */
	ck_assert_int_gt(
		number(&f, "SELECT max(cycles) FROM step_ipu JOIN step USING (step) WHERE run = 1"),
		number(&f,
			"SELECT max(cycles) * 3 / 2 FROM step_ipu JOIN step USING (step) WHERE run = 0"));
	ck_assert_int_eq(
		number(&f,
			"SELECT count(*) FROM step WHERE step IN (SELECT step FROM step_ipu ORDER "
			"BY cycles DESC LIMIT 4) AND type = 'StreamCopyBegin'"),
		2);
	/* proportions of the busiest IPU */
	int64_t all = number(&f, "SELECT sum(cycles) FROM step_ipu WHERE ipu = 1");
	int64_t compute = number(&f,
		"SELECT sum(cycles) FROM step_ipu JOIN step USING (step) WHERE ipu = 1 "
		"AND type = 'OnTileExecute'");
	int64_t exchange = number(&f,
		"SELECT sum(cycles) FROM step_ipu JOIN step USING (step) WHERE "
		"ipu = 1 AND type = 'DoExchange'");
	ck_assert_int_ge(compute * 100 / all, 50);
	ck_assert_int_le(compute * 100 / all, 62);
	ck_assert_int_ge(exchange * 100 / all, 20);
	ck_assert_int_le(exchange * 100 / all, 30);
	/* steps that overlap */
	ck_assert_int_gt(
		number(&f,
			"SELECT count(*) FROM (SELECT start, max(\"end\") OVER (PARTITION BY ipu "
			"ORDER BY rowid ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS e "
			"FROM step_ipu WHERE cycles > 0) WHERE start < e"),
		0);
	end(&f);
}
END_TEST

START_TEST(liveness_has_two_peaks)
{
	struct fixture f;
	struct ts_demo_options o = {.seed = (uint64_t)_i};
	write_demo(&f, &o);
	int64_t n = number(&f, "SELECT count(*) FROM liveness_step");
	int64_t first = number(&f,
		"SELECT live_step FROM liveness_step ORDER BY not_always_live DESC LIMIT 1");
	ck_assert_int_gt(first, n / 4);
	ck_assert_int_lt(first, n * 3 / 4);
	char sql[256];
	snprintf(sql, sizeof(sql),
		"SELECT max(not_always_live) FROM liveness_step WHERE live_step > %lld",
		(long long)(n * 19 / 20));
	int64_t second = number(&f, sql);
	snprintf(sql, sizeof(sql),
		"SELECT min(not_always_live) FROM liveness_step WHERE live_step BETWEEN %lld AND "
		"(SELECT live_step FROM liveness_step WHERE not_always_live = %lld AND live_step > %lld)",
		(long long)first, (long long)second, (long long)(n * 19 / 20));
	int64_t valley = number(&f, sql);
	int64_t range = number(&f, "SELECT max(not_always_live) FROM liveness_step");
	ck_assert_int_gt((second - valley) * 100 / range, 5);
	end(&f);
}
END_TEST

/* Little-endian numbers of a blob, the largest of them and their sum. */
static void
blob_figures(sqlite3_stmt *s, int column, int64_t *max, int64_t *sum)
{
	const unsigned char *p = sqlite3_column_blob(s, column);
	int n = sqlite3_column_bytes(s, column);
	*max = *sum = 0;
	ck_assert_int_eq(n % 4, 0);
	for (int i = 0; i < n; i += 4) {
		int64_t v = p[i] | p[i + 1] << 8 | p[i + 2] << 16 | (int64_t)p[i + 3] << 24;
		*sum += v;
		*max = v > *max ? v : *max;
	}
}

START_TEST(cycles_of_tiles_are_those_of_the_step)
{
	struct fixture f;
	struct ts_demo_options o = {.ipus = 3, .tiles = 90};
	sqlite3_stmt *s = NULL;
	int rows = 0;
	write_demo(&f, &o);
	ck_assert_int_eq(
		sqlite3_prepare_v2(f.db,
			"SELECT c.cycles_by_tile, si.cycles, si.tile_balance, si.active_tiles FROM compute_set "
			"c JOIN step USING (compute_set) JOIN step_ipu si USING (step) WHERE "
			"c.cycles_by_tile IS NOT NULL AND si.cycles > 0 GROUP BY compute_set",
			-1, &s, NULL),
		SQLITE_OK);
	for (; sqlite3_step(s) == SQLITE_ROW; rows++) {
		int64_t max, sum;
		blob_figures(s, 0, &max, &sum);
		ck_assert_int_eq(max, sqlite3_column_int64(s, 1));
		ck_assert_double_eq_tol((double)sum / 90 / (double)max, sqlite3_column_double(s, 2),
			1e-9);
	}
	ck_assert_int_gt(rows, 1);
	sqlite3_finalize(s);
	end(&f);
}
END_TEST

START_TEST(the_store_has_every_relation)
{
	struct fixture f;
	char sql[256];
	int relations = 0;
	struct ts_demo_options o = {.ipus = 2, .tiles = 64};
	write_demo(&f, &o);
	for (int r = 0; r < TS_RELATION_COUNT; r++) {
		const struct ts_relation_def *def = ts_relation_def((enum ts_relation)r);
		snprintf(sql, sizeof(sql), "SELECT count(*) FROM pragma_table_info('%s')",
			def->name);
		if (number(&f, sql) == 0)
			continue; /* what only a profile of the SDK has */
		relations++;
		snprintf(sql, sizeof(sql), "SELECT count(*) FROM \"%s\"", def->name);
		ck_assert_msg(number(&f, sql) > 0, "%s is empty", def->name);
	}
	ck_assert_int_eq(number(&f, "SELECT count(*) FROM sqlite_master WHERE type = 'table'"),
		relations);
	ck_assert_int_eq(number(&f, "SELECT count(*) FROM sqlite_master WHERE type = 'index'"), 0);
	ck_assert_int_eq(number(&f, "SELECT value FROM report WHERE key = 'store_version'"), 1);
	end(&f);
}
END_TEST

/* ---- the layout of the SDK ---- */

static const char sdk_tables[] =
	"compute_sets(compute_set,name,debug_context) memory_by_tile(tile,total) "
	"programs(id,name,debug_context) "
	"steps(id,type,program,compute_set,sync_type) steps_by_ipu(step_id,ipu,cycles,"
	"active_tiles,cycles_base,active_cycles_from_min,active_cycles_from_max,"
	"active_cycles_to_min,active_cycles_to_max) var_categories(id,name) "
	"vars_info(tile,size_bytes,category,name,debug_context) vars_string_table(id,string)";
static const char tables_sql[] =
	"SELECT group_concat(t, ' ') FROM (SELECT m.name || '(' || (SELECT group_concat(name) FROM "
	"pragma_table_info(m.name)) || ')' t FROM sqlite_master m WHERE type = 'table' ORDER BY m.name)";

START_TEST(the_sdk_layout_has_known_tables_only)
{
	struct fixture f;
	char found[2048];
	struct ts_demo_options o = {.layout = TS_DEMO_SDK, .tiles = 20};
	write_demo(&f, &o);
	ck_assert_str_eq(text(&f, tables_sql, found, sizeof(found)), sdk_tables);
	none(&f, "SELECT 1 FROM sqlite_master WHERE type != 'table' OR sql LIKE '%PRIMARY%'");
	end(&f);
	o.oom = true;
	write_demo(&f, &o);
	none(&f, "SELECT 1 FROM sqlite_master WHERE name LIKE 'steps%'");
	end(&f);
	o = (struct ts_demo_options){.layout = TS_DEMO_SDK, .tiles = 20, .keys = true};
	write_demo(&f, &o);
	ck_assert_str_eq(text(&f, tables_sql, found, sizeof(found)), sdk_tables);
	ck_assert_int_eq(number(&f, "SELECT count(*) FROM sqlite_master WHERE type = 'index'"), 2);
	ck_assert_int_gt(
		number(&f, "SELECT count(*) FROM sqlite_master WHERE sql LIKE '%PRIMARY KEY%'"), 4);
	end(&f);
}
END_TEST

START_TEST(column_names_can_be_chosen)
{
	struct fixture f;
	char found[2048];
	struct ts_demo_options o = {.layout = TS_DEMO_SDK,
		.tiles = 20,
		.keys = true,
		.sdk_names = "ipu=,tile=a \"tile\",string_key=,string=text,name=ref,context="};
	write_demo(&f, &o);
	ck_assert_ptr_null(strstr(text(&f, tables_sql, found, sizeof(found)), "ipu,"));
	ck_assert_ptr_nonnull(strstr(found, "memory_by_tile(a \"tile\",total)"));
	ck_assert_ptr_nonnull(strstr(found, "vars_string_table(text)"));
	ck_assert_ptr_nonnull(strstr(found, "category,ref)"));
	ck_assert_ptr_nonnull(strstr(found, "programs(id,name)"));
	end(&f);
}
END_TEST

START_TEST(bad_column_names_are_refused)
{
	static const char *const bad[] = {"ipu", "ipu=cycles", "ipu=STEP_ID", "dog=cat",
		"tile=total", "string=x,string_key=X", "=", ",", "name=tile"};
	struct fixture f;
	struct ts_err err = {0};
	struct ts_demo_options o = {.layout = TS_DEMO_SDK, .tiles = 4, .sdk_names = bad[_i]};
	begin(&f);
	ck_assert_int_eq(ts_demo_write(&f.path, f.dir, &o, NULL, NULL, &err), TS_E_USAGE);
	ck_assert_int_eq(files_in(f.dir), 0);
	end(&f);
}
END_TEST

START_TEST(both_layouts_describe_the_same)
{
	struct fixture f;
	char sql[256];
	struct ts_demo_options o = sizes[_i], s = o;
	s.layout = TS_DEMO_SDK;
	write_demo(&f, &o);
	snprintf(sql, sizeof(sql), "ATTACH '%s' AS store", f.path);
	struct fixture g;
	write_demo(&g, &s);
	ck_assert_int_eq(sqlite3_exec(g.db, sql, NULL, NULL, NULL), SQLITE_OK);
#define SAME(a, b) (none(&g, a " EXCEPT " b), none(&g, b " EXCEPT " a))
	SAME("SELECT id, name, debug_context FROM programs",
		"SELECT program, name, context FROM store.program");
	SAME("SELECT compute_set, name, debug_context FROM compute_sets",
		"SELECT compute_set, name, context FROM store.compute_set");
	SAME("SELECT tile, total FROM memory_by_tile", "SELECT tile, total FROM store.tile_memory");
	SAME("SELECT v.rowid - 1, tile, size_bytes, category, debug_context, string FROM vars_info v JOIN vars_string_table t "
	     "ON t.id = v.name",
		"SELECT id, tile, bytes, category, context, name FROM store.lowered_variable");
	SAME("SELECT id, name FROM var_categories",
		"SELECT category, name FROM store.memory_category");
	if (!o.oom) {
		SAME("SELECT id, type, program, compute_set FROM steps",
			"SELECT step, type, program, compute_set FROM store.step");
		SAME("SELECT step_id, ipu, cycles, active_tiles, cycles_base + active_cycles_from_min, "
		     "cycles_base + active_cycles_to_max FROM steps_by_ipu",
			"SELECT step, ipu, cycles, active_tiles, start, \"end\" FROM store.step_ipu");
	}
	end(&g);
	end(&f);
}
END_TEST

/* ---- the file ---- */

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
	struct fixture f;
	uint64_t h[3];
	for (int i = 0; i < 3; i++) {
		struct ts_demo_options o = {.layout = (enum ts_demo_layout)_i,
			.seed = i == 2 ? 5 : 4};
		write_demo(&f, &o);
		h[i] = hash_of(f.path);
		end(&f);
	}
	ck_assert_uint_eq(h[0], h[1]);
	ck_assert_uint_ne(h[0], h[2]);
}
END_TEST

START_TEST(a_report_that_was_there_is_replaced)
{
	struct fixture f;
	struct ts_err err = {0};
	struct ts_demo_options o = {.tiles = 4, .steps = 10};
	char *path;
	write_demo(&f, &o);
	o.steps = 20;
	ck_assert_int_eq(ts_demo_write(&path, f.dir, &o, NULL, NULL, &err), TS_OK);
	ck_assert_str_eq(path, f.path);
	free(path);
	sqlite3_close(f.db);
	ck_assert_int_eq(sqlite3_open_v2(f.path, &f.db, SQLITE_OPEN_READONLY, NULL), SQLITE_OK);
	ck_assert_int_eq(number(&f, "SELECT count(*) FROM step"), 20);
	end(&f);
}
END_TEST

START_TEST(cancelling_leaves_nothing)
{
	char dir[96];
	struct fixture f;
	struct ts_err err = {0};
	struct ts_cancel cancel = {0};
	struct ts_demo_options o = {.layout = (enum ts_demo_layout)_i};
	begin(&f);
	snprintf(dir, sizeof(dir), "%s/new", f.dir);
	ts_cancel_set(&cancel);
	ck_assert_int_eq(ts_demo_write(&f.path, dir, &o, NULL, &cancel, &err), TS_E_CANCELLED);
	ck_assert_ptr_null(f.path);
	ck_assert_int_eq(files_in(f.dir), 0);
	end(&f);
}
END_TEST

static struct ts_cancel alarm_cancel;

static void
on_alarm(int signal)
{
	(void)signal;
	ts_cancel_set(&alarm_cancel);
}

START_TEST(cancelling_on_the_way_leaves_nothing)
{
	struct fixture f;
	struct ts_err err = {0};
	struct ts_demo_options o = {.layout = (enum ts_demo_layout)_i, .variables = 600000};
	int cancelled = 0;
	begin(&f);
	signal(SIGALRM, on_alarm);
	for (int ms = 1; ms < 400; ms += 60) {
		struct itimerval timer = {.it_value = {.tv_usec = ms * 1000}};
		ts_cancel_clear(&alarm_cancel);
		ck_assert_int_eq(setitimer(ITIMER_REAL, &timer, NULL), 0);
		enum ts_code code = ts_demo_write(&f.path, f.dir, &o, NULL, &alarm_cancel, &err);
		if (code == TS_OK) {
			ck_assert_int_eq(files_in(f.dir), 1);
			break;
		}
		cancelled++;
		ck_assert_int_eq(code, TS_E_CANCELLED);
		ck_assert_ptr_null(f.path);
		ck_assert_int_eq(files_in(f.dir), 0);
	}
	ck_assert_int_gt(cancelled, 0);
	setitimer(ITIMER_REAL, &(struct itimerval){0}, NULL);
	end(&f);
}
END_TEST

START_TEST(an_unwritable_place_is_one_error)
{
	char dir[96], path[128];
	struct fixture f;
	struct ts_err err = {0};
	struct ts_demo_options o = {.tiles = 4};
	begin(&f);
	snprintf(dir, sizeof(dir), "%s/file", f.dir);
	FILE *file = fopen(dir, "w");
	ck_assert_ptr_nonnull(file);
	fclose(file);
	ck_assert_int_eq(ts_demo_write(&f.path, dir, &o, NULL, NULL, &err), TS_E_SYS);
	ck_assert_ptr_null(strchr(err.msg, '\n'));
	snprintf(path, sizeof(path), "%s/a/b", f.dir);
	ck_assert_int_eq(ts_demo_write(&f.path, path, &o, NULL, NULL, &err), TS_E_SYS);
	unlink(dir);
	/* a directory where the file should be */
	snprintf(path, sizeof(path), "%s/report.tilescope", f.dir);
	ck_assert_int_eq(mkdir(path, 0700), 0);
	ck_assert_int_eq(ts_demo_write(&f.path, f.dir, &o, NULL, NULL, &err), TS_E_SYS);
	ck_assert_ptr_null(f.path);
	ck_assert_int_eq(files_in(f.dir), 1);
	rmdir(path);
	end(&f);
}
END_TEST

START_TEST(a_full_disk_is_one_error)
{
	struct fixture f;
	struct ts_err err = {0};
	struct ts_demo_options o = {.layout = (enum ts_demo_layout)_i};
	struct rlimit old, limit;
	begin(&f);
	ck_assert_int_eq(getrlimit(RLIMIT_FSIZE, &old), 0);
	signal(SIGXFSZ, SIG_IGN);
	for (rlim_t kb = 0; kb < 1600; kb += 311) {
		limit = (struct rlimit){kb * 1024, old.rlim_max};
		ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &limit), 0);
		enum ts_code code = ts_demo_write(&f.path, f.dir, &o, NULL, NULL, &err);
		ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &old), 0);
		ck_assert_int_eq(code, TS_E_SYS);
		ck_assert_ptr_null(f.path);
		ck_assert_int_eq(files_in(f.dir), 0);
	}
	end(&f);
}
END_TEST

START_TEST(figures_out_of_range_are_refused)
{
	static const struct ts_demo_options bad[] = {{.ipus = -1}, {.ipus = TS_DEMO_IPUS_MAX + 1},
		{.tiles = -1}, {.tiles = TS_DEMO_TILES_MAX + 1}, {.ipus = 100, .tiles = 100000},
		{.steps = TS_DEMO_ROWS_MAX + 1}, {.variables = -1}, {.scale = TS_DEMO_SCALE_COUNT}};
	struct fixture f;
	struct ts_err err = {0};
	begin(&f);
	ck_assert_int_eq(ts_demo_write(&f.path, f.dir, &bad[_i], NULL, NULL, &err), TS_E_USAGE);
	ck_assert_int_eq(files_in(f.dir), 0);
	end(&f);
}
END_TEST

START_TEST(words_are_parsed)
{
	enum ts_demo_scale scale;
	enum ts_demo_layout layout;
	struct ts_err err = {0};
	ck_assert_int_eq(ts_demo_parse_scale(&scale, "huge", &err), TS_OK);
	ck_assert_int_eq(scale, TS_DEMO_HUGE);
	ck_assert_int_eq(ts_demo_parse_scale(&scale, "", &err), TS_E_USAGE);
	ck_assert_int_eq(ts_demo_parse_layout(&layout, "sdk", &err), TS_OK);
	ck_assert_int_eq(layout, TS_DEMO_SDK);
	ck_assert_int_eq(ts_demo_parse_layout(&layout, "pop", &err), TS_E_USAGE);
}
END_TEST

int
main(void)
{
	enum { SIZES = sizeof(sizes) / sizeof(*sizes) };
	Suite *s = suite_create("demo");
	TCase *c = tcase_create("figures");
	tcase_set_timeout(c, 60);
	tcase_add_loop_test(c, memory_adds_up, 0, sample_of(SIZES));
	tcase_add_loop_test(c, liveness_adds_up, 0, sample_of(SIZES - 1));
	tcase_add_loop_test(c, a_tile_peak_is_that_of_its_classes, 0, 2);
	tcase_add_loop_test(c, programs_are_a_tree_with_shared_bodies, 0, sample_of(SIZES - 1));
	tcase_add_loop_test(c, steps_are_in_order, 0, sample_of(SIZES - 1));
	tcase_add_loop_test(c, both_layouts_describe_the_same, 0, sample_of(SIZES - 1));
	tcase_add_loop_test(c, the_small_report_has_what_there_is_to_find, 0, 4);
	tcase_add_loop_test(c, liveness_has_two_peaks, 0, 4);
	tcase_add_test(c, cycles_of_tiles_are_those_of_the_step);
	suite_add_tcase(s, c);
	c = tcase_create("files");
	tcase_set_timeout(c, 60);
	tcase_add_test(c, the_store_has_every_relation);
	tcase_add_test(c, the_sdk_layout_has_known_tables_only);
	tcase_add_test(c, column_names_can_be_chosen);
	tcase_add_loop_test(c, bad_column_names_are_refused, 0, 9);
	tcase_add_loop_test(c, the_same_options_give_the_same_bytes, 0, 2);
	tcase_add_test(c, a_report_that_was_there_is_replaced);
	tcase_add_loop_test(c, cancelling_leaves_nothing, 0, 2);
	tcase_add_loop_test(c, cancelling_on_the_way_leaves_nothing, 0, 2);
	tcase_add_test(c, an_unwritable_place_is_one_error);
	tcase_add_loop_test(c, a_full_disk_is_one_error, 0, 2);
	tcase_add_loop_test(c, figures_out_of_range_are_refused, 0, 8);
	tcase_add_test(c, words_are_parsed);
	suite_add_tcase(s, c);
	SRunner *r = srunner_create(s);
	srunner_run_all(r, CK_NORMAL);
	int failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
