/* SPDX-License-Identifier: MIT */
/*
 * relations_profile - how the tables of a profile are made of relations; see the header.
 *
 * One line for each table: what it is made of, and each column as SQL over the relations. A column whose SQL cannot be
 * prepared, for the relation or the column is not there, is left out; so `step.run` says that it is wanted as it is, and x_step.run
 * that NULL will do. Tables are declared as in src/profile/tables.c, but for NOT NULL.
 */
#include "config.h"

#include <check.h>
#include <sqlite3.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tilescope/base/mem.h"
#include "tilescope/profile/tables.h"
#include "tilescope/report/query.h"
#include "tilescope/report/relation.h"
#include "tilescope/report/report.h"

#include "relations_profile.h"
#include "sqlite_bytes.h"

enum { TEXT = 1 << 14, NUMBERS_MOST = 1 << 22, BLOB_MOST = 1 << 26 };

struct making {
	sqlite3 *db;
	int64_t tiles, ipu_tiles; /* numbers by tile, and by tile of one IPU; 0: any */
};

/* ---- packed numbers ---- */

struct numbers {
	int64_t *v;
	size_t n;
};

static void
put_number(struct numbers *a, size_t i, int64_t v)
{
	ck_assert_msg(i < NUMBERS_MOST && v >= 0, "number %zu is %lld: not for a blob", i,
		(long long)v);
	if (i >= a->n) {
		a->v = realloc(a->v, (i + 1) * sizeof(*a->v));
		ck_assert_ptr_nonnull(a->v);
		memset(a->v + a->n, 0, (i + 1 - a->n) * sizeof(*a->v));
		a->n = i + 1;
	}
	a->v[i] += v;
}

static void
give_numbers(sqlite3_context *out, struct numbers *a, enum ts_blob_kind kind)
{
	struct ts_strbuf b;

	ts_strbuf_init(&b, BLOB_MOST);
	ts_blob_put(&b, kind, a->v, a->n);
	sqlite3_result_blob(out, b.s, (int)b.len, SQLITE_TRANSIENT);
	ts_strbuf_fini(&b);
	free(a->v);
}

/* packed(I, V): V is added at place I of a list. */
static void
packed_step(sqlite3_context *out, int argc, sqlite3_value **argv)
{
	struct numbers *a = sqlite3_aggregate_context(out, sizeof(*a));

	(void)argc;
	if (sqlite3_value_type(argv[0]) != SQLITE_NULL)
		put_number(a, (size_t)sqlite3_value_int64(argv[0]), sqlite3_value_int64(argv[1]));
}

static void
packed(sqlite3_context *out)
{
	struct numbers *a = sqlite3_aggregate_context(out, sizeof(*a));

	give_numbers(out, a, TS_BLOB_LIST);
}

static void
packed_tiles(struct numbers *a, const struct making *m)
{
	if (m->tiles > 0 && a->n < (size_t)m->tiles)
		put_number(a, (size_t)m->tiles - 1, 0);
}

/* packed_list(TILE, V), packed_runs(TILE, V): a number for each tile. */
static void
packed_list(sqlite3_context *out)
{
	struct numbers *a = sqlite3_aggregate_context(out, sizeof(*a));

	packed_tiles(a, sqlite3_user_data(out));
	give_numbers(out, a, TS_BLOB_LIST);
}

static void
packed_runs(sqlite3_context *out)
{
	struct numbers *a = sqlite3_aggregate_context(out, sizeof(*a));

	packed_tiles(a, sqlite3_user_data(out));
	give_numbers(out, a, TS_BLOB_RUNS);
}

/* differences(I, V): V rises. */
static void
differences(sqlite3_context *out)
{
	struct numbers *a = sqlite3_aggregate_context(out, sizeof(*a));

	give_numbers(out, a, TS_BLOB_DIFFERENCES);
}

/* What a relation has by tile, of tile `from` on; what is no numbers of 4 bytes stays as bad as it is. */
static bool
by_tile(sqlite3_context *out, struct numbers *a, sqlite3_value *blob, size_t from, size_t most)
{
	const unsigned char *s = sqlite3_value_blob(blob);
	size_t n = (size_t)sqlite3_value_bytes(blob) / 4;

	*a = (struct numbers){NULL, 0};
	if (sqlite3_value_type(blob) != SQLITE_NULL &&
		(sqlite3_value_type(blob) != SQLITE_BLOB || sqlite3_value_bytes(blob) % 4)) {
		sqlite3_result_blob(out, "", 1, SQLITE_STATIC); /* a number without an end */
		return false;
	}
	for (size_t i = from; i < n && i < from + most; i++)
		put_number(a, i - from,
			s[4 * i] | s[4 * i + 1] << 8 | s[4 * i + 2] << 16 |
				(int64_t)s[4 * i + 3] << 24);
	return sqlite3_value_type(blob) != SQLITE_NULL;
}

static void
list_of(sqlite3_context *out, int argc, sqlite3_value **argv)
{
	struct numbers a;

	(void)argc;
	if (!by_tile(out, &a, argv[0], 0, SIZE_MAX))
		return;
	packed_tiles(&a, sqlite3_user_data(out));
	give_numbers(out, &a, TS_BLOB_LIST);
}

static void
runs_of(sqlite3_context *out, int argc, sqlite3_value **argv)
{
	struct numbers a;

	(void)argc;
	if (!by_tile(out, &a, argv[0], 0, SIZE_MAX))
		return;
	packed_tiles(&a, sqlite3_user_data(out));
	give_numbers(out, &a, TS_BLOB_RUNS);
}

/* ipu_runs(BLOB, IPU): those of one IPU. */
static void
ipu_runs(sqlite3_context *out, int argc, sqlite3_value **argv)
{
	const struct making *m = sqlite3_user_data(out);
	size_t each = m->ipu_tiles > 0 ? (size_t)m->ipu_tiles : NUMBERS_MOST;
	struct numbers a;

	(void)argc;
	if (!by_tile(out, &a, argv[0], (size_t)sqlite3_value_int64(argv[1]) * each, each))
		return;
	if (m->ipu_tiles > 0 && a.n < each)
		put_number(&a, each - 1, 0);
	give_numbers(out, &a, TS_BLOB_RUNS);
}

/* whole(X): an integer, else NULL. */
static void
whole(sqlite3_context *out, int argc, sqlite3_value **argv)
{
	(void)argc;
	if (sqlite3_value_type(argv[0]) == SQLITE_INTEGER)
		sqlite3_result_value(out, argv[0]);
}

/* good(X): a number that the report model can have, else NULL. */
static void
good(sqlite3_context *out, int argc, sqlite3_value **argv)
{
	int64_t v = sqlite3_value_int64(argv[0]);

	(void)argc;
	if (sqlite3_value_type(argv[0]) == SQLITE_INTEGER && v >= 0 && v <= TS_BLOB_MOST)
		sqlite3_result_value(out, argv[0]);
}

static void
add_functions(struct making *m)
{
	static const struct {
		const char *name;
		int arguments;
		void (*call)(sqlite3_context *, int, sqlite3_value **);
		void (*final)(sqlite3_context *);
	} functions[] = {
		{"packed", 2, NULL, packed},
		{"packed_list", 2, NULL, packed_list},
		{"packed_runs", 2, NULL, packed_runs},
		{"differences", 2, NULL, differences},
		{"list_of", 1, list_of, NULL},
		{"runs_of", 1, runs_of, NULL},
		{"ipu_runs", 2, ipu_runs, NULL},
		{"whole", 1, whole, NULL},
		{"good", 1, good, NULL},
	};

	for (size_t i = 0; i < TS_COUNT(functions); i++)
		ck_assert_int_eq(sqlite3_create_function(m->db, functions[i].name,
					 functions[i].arguments, SQLITE_UTF8, m, functions[i].call,
					 functions[i].final ? packed_step : NULL,
					 functions[i].final),
			SQLITE_OK);
}

/* ---- relations with all columns ---- */

static bool is_sound(struct making *m, const char *fmt, ...) TS_PRINTF(2, 3);

/* Can it be prepared? */
static bool
is_sound(struct making *m, const char *fmt, ...)
{
	sqlite3_stmt *s = NULL;
	va_list ap;
	char *text;
	bool sound;

	va_start(ap, fmt);
	text = sqlite3_vmprintf(fmt, ap);
	va_end(ap);
	sound = sqlite3_prepare_v2(m->db, text, -1, &s, NULL) == SQLITE_OK;
	sqlite3_finalize(s);
	sqlite3_free(text);
	return sound;
}

static void run(struct making *m, const char *fmt, ...) TS_PRINTF(2, 3);

static void
run(struct making *m, const char *fmt, ...)
{
	va_list ap;
	char *text;

	va_start(ap, fmt);
	text = sqlite3_vmprintf(fmt, ap);
	va_end(ap);
	sqlite_run(m->db, text);
	sqlite3_free(text);
}

static int64_t number(struct making *m, const char *fmt, ...) TS_PRINTF(2, 3);

/* The number that is asked for; 0 for NULL. */
static int64_t
number(struct making *m, const char *fmt, ...)
{
	sqlite3_stmt *s;
	va_list ap;
	char *text;
	int64_t v;

	va_start(ap, fmt);
	text = sqlite3_vmprintf(fmt, ap);
	va_end(ap);
	ck_assert_msg(sqlite3_prepare_v2(m->db, text, -1, &s, NULL) == SQLITE_OK, "%s: %s",
		sqlite3_errmsg(m->db), text);
	v = sqlite3_step(s) == SQLITE_ROW ? sqlite3_column_int64(s, 0) : 0;
	sqlite3_finalize(s);
	sqlite3_free(text);
	return v;
}

/* A new file, with the relations as "r" beside it. */
static void
connect_to(struct making *m, const char *path, const char *relations)
{
	*m = (struct making){.db = NULL};
	unlink(path);
	ck_assert_int_eq(sqlite3_open(path, &m->db), SQLITE_OK);
	/* "end" is a column, or an error, but no text */
	ck_assert_int_eq(sqlite3_db_config(m->db, SQLITE_DBCONFIG_DQS_DML, 0, NULL), SQLITE_OK);
	run(m, "PRAGMA synchronous = OFF; PRAGMA journal_mode = OFF; ATTACH '%s' AS r", relations);
	run(m, "PRAGMA main.page_size = %d; BEGIN", (int)number(m, "PRAGMA r.page_size"));
}

static bool
has(struct making *m, const char *relation)
{
	return is_sound(m, "SELECT 1 FROM r.\"%s\"", relation);
}

/* x_step and so on: NULL for columns that are not there; no rows where the relation is not there. */
static void
add_views(struct making *m)
{
	for (int k = 0; k < TS_RELATION_COUNT; k++) {
		const struct ts_relation_def *def = ts_relation_def((enum ts_relation)k);
		bool there = has(m, def->name);
		struct ts_strbuf b;

		ts_strbuf_init(&b, TEXT);
		ts_strbuf_printf(&b, "CREATE TEMP VIEW x_%s AS SELECT ", def->name);
		for (int c = 0; c < def->column_count; c++)
			ts_strbuf_printf(&b, "%s%s\"%s\"", c ? ", " : "",
				is_sound(m, "SELECT \"%s\" FROM r.\"%s\"", def->column[c].name,
					def->name)
					? ""
					: "NULL AS ",
				def->column[c].name);
		if (there)
			ts_strbuf_printf(&b, " FROM r.\"%s\"", def->name);
		else
			ts_strbuf_puts(&b, " WHERE 0");
		sqlite_run(m->db, b.s);
		ts_strbuf_fini(&b);
	}
}

#define OWN_CLASS "1000000"
#define OWN_PROGRAM "1000000"

/* What several tables need. */
static const char prepared[] =
	/* steps whose name their program does not have */
	"CREATE TEMP TABLE named AS SELECT step, dense_rank() OVER (ORDER BY name, program, type) + " OWN_PROGRAM
	" AS program, type, name, compute_set, (SELECT p.context FROM x_program p WHERE p.program = s.program) AS "
	"context FROM x_step s WHERE name IS NOT NULL AND NOT EXISTS "
	"(SELECT 1 FROM x_program p WHERE p.program = s.program AND p.name IS NOT NULL);"
	"CREATE INDEX temp.named_step ON named(step);"

	"CREATE TEMP TABLE child AS SELECT parent, row_number() OVER (PARTITION BY parent ORDER BY position) - 1 "
	"AS i, child FROM x_program_child WHERE whole(parent) >= 0 AND whole(child) >= 0 AND whole(position) >= 0;"
	"CREATE INDEX temp.child_parent ON child(parent);"

	"CREATE TEMP TABLE moved AS SELECT DISTINCT program, lowered_variable, coalesce(direction = 'out', 0) AS out, "
	"bytes FROM x_program_variable WHERE whole(program) >= 0 AND whole(lowered_variable) >= 0;"
	"CREATE INDEX temp.moved_program ON moved(program);"

	/* a program's type says in which table the rest stands: in one only */
	"CREATE TEMP TABLE chosen AS SELECT *, CASE WHEN compute_set IS NOT NULL THEN 'program_type_on_tile_execute' "
	"WHEN function IS NOT NULL THEN 'program_type_call' "
	"WHEN program IN (SELECT program FROM x_stream_copy) THEN 'program_type_stream_copy' "
	"WHEN coalesce(code_by_tile, estimated_cycles_by_tile, bytes_in_by_tile, bytes_out_by_tile) IS NOT NULL "
	"OR program IN (SELECT program FROM moved) THEN 'program_type_do_exchange' "
	"WHEN repeat_count IS NOT NULL THEN 'program_type_repeat' "
	"WHEN sync_type IS NOT NULL THEN 'program_type_sync' END AS kind FROM (SELECT * FROM x_program "
	"UNION ALL SELECT DISTINCT program, type, name, NULL, compute_set, NULL, NULL, NULL, context, "
	"NULL, NULL, NULL, NULL, NULL, NULL, NULL FROM named);"
	"INSERT INTO chosen(program, kind) SELECT DISTINCT parent, NULL FROM child "
	"WHERE parent NOT IN (SELECT program FROM chosen);"
	"INSERT INTO chosen(program, kind) SELECT DISTINCT program, 'program_type_do_exchange' FROM moved "
	"WHERE program NOT IN (SELECT program FROM chosen);"
	"CREATE TEMP TABLE variant(id INTEGER PRIMARY KEY, type, kind);"
	"INSERT INTO variant(type, kind) SELECT DISTINCT type, kind FROM chosen;"

	"CREATE TEMP TABLE life AS SELECT * FROM x_liveness_variable;"
	"CREATE INDEX temp.life_variable ON life(variable);"

	/* a class is always live or not */
	"CREATE TEMP TABLE class AS SELECT class, min(coalesce(always_live = 1, 0)) AS always_live "
	"FROM x_lowered_variable GROUP BY class;"
	"CREATE INDEX temp.class_class ON class(class);"
	"CREATE TEMP TABLE string(id INTEGER PRIMARY KEY, string UNIQUE);"
	"INSERT INTO string(string) SELECT DISTINCT name FROM x_lowered_variable WHERE name IS NOT NULL;"

	"CREATE TEMP TABLE block_name(id INTEGER PRIMARY KEY, string UNIQUE);"
	"INSERT INTO block_name(string) SELECT DISTINCT name FROM x_block WHERE name IS NOT NULL;"

	"CREATE TEMP TABLE measured(id INTEGER PRIMARY KEY, compute_set, ipu, cycles_by_tile);"
	"INSERT INTO measured(compute_set, ipu, cycles_by_tile) WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL "
	"SELECT i + 1 FROM n WHERE i + 1 < coalesce((SELECT ipus FROM x_target), (SELECT count(*) FROM x_ipu))) "
	"SELECT compute_set, i, cycles_by_tile FROM x_compute_set, n WHERE cycles_by_tile IS NOT NULL;"
	"CREATE INDEX temp.measured_set ON measured(compute_set);";

/* ---- the tables ---- */

struct table {
	const char *name;
	const char *needs; /* relations: it is made when one of them is there; NULL: always */
	const char *from;  /* SQL behind FROM */
	const char *
		columns; /* "column=SQL; column=SQL": of several for one column the first that can be prepared */
	bool if_any; /* only when it has rows */
};

#define REGION(region)                                                                                 \
	region "_non_overlapped=(SELECT packed_list(t.tile, t.not_overlapped) FROM x_tile_category t " \
	       "WHERE t.category = c.category AND coalesce(t.region, 'non_interleaved') = '" region    \
	       "');" region                                                                            \
	       "_overlapped=(SELECT packed_list(t.tile, t.overlapped) FROM r.tile_category t "         \
	       "WHERE t.category = c.category AND coalesce(t.region, 'non_interleaved') = '" region    \
	       "');" region                                                                            \
	       "_overlapped=(SELECT packed_list(t.tile, t.overlapped) FROM r.tile_category t "         \
	       "WHERE t.category = c.category AND 'non_interleaved' = '" region "')"

#define BASE "coalesce(good(start), good(\"end\"))"

/* A lowered variable that says otherwise than its class is in another one. */
#define LOWERED_CLASS                                                                             \
	"CASE WHEN coalesce(l.always_live = 1, 0) > coalesce((SELECT k.always_live FROM class k " \
	"WHERE k.class IS l.class), 0) OR (l.class IS NULL AND l.always_live = 1) "               \
	"THEN coalesce(whole(l.class), 0) + 2 * " OWN_CLASS " ELSE l.class END"

#define OWN_BYTES                                                                                        \
	"(SELECT variable, " OWN_CLASS                                                                   \
	" + variable AS class, bytes, NULL AS tile FROM x_variable v "                                   \
	"WHERE NOT EXISTS (SELECT 1 FROM life l WHERE l.variable = v.variable AND l.class IS NOT NULL) " \
	"UNION ALL SELECT DISTINCT variable, coalesce(class, " OWN_CLASS                                 \
	" + variable), bytes, NULL "                                                                     \
	"FROM life l WHERE class IS NOT NULL OR variable NOT IN (SELECT variable FROM x_variable "       \
	"WHERE variable IS NOT NULL) UNION ALL SELECT variable, class, bytes, tile FROM x_tile_variable)"

static const struct table tables[] = {
	{"poplar_version", NULL, "(SELECT 1)",
		"string=coalesce((SELECT value FROM x_report WHERE key = 'poplar_version'), ''); "
		"package_hash=''; major=3; minor=3; point=0",
		false},
	{"target_info", "target", "r.target",
		"bytes_per_tile=bytes_per_tile; clock_frequency=clock_hz; num_ipus=ipus; "
		"num_ipus=(SELECT count(*) FROM r.ipu); num_tiles=ipus * tiles_per_ipu; num_tiles=(SELECT nullif(sum(tile_count), 0) FROM r.ipu); "
		"tiles_per_ipu=tiles_per_ipu; tiles_per_ipu=(SELECT max(tile_count) FROM r.ipu); "
		"num_replicas=replicas; ipus_per_replica=ipus / max(1, replicas); architecture=architecture; "
		"type_=type; interleavedMemoryStart=interleaved_start; tileMemoryBaseAddress=memory_base; "
		"memoryElementOffsets=(SELECT packed(element, offset) FROM r.memory_element)",
		false},
	{"target_info", "ipu memory_element", "(SELECT 1)",
		"num_ipus=(SELECT count(*) FROM r.ipu); "
		"num_tiles=(SELECT nullif(sum(tile_count), 0) FROM r.ipu); "
		"tiles_per_ipu=(SELECT max(tile_count) FROM r.ipu); "
		"ipus_per_replica=(SELECT count(*) FROM x_ipu WHERE coalesce(replica, 0) = 0); "
		"bytes_per_tile=(SELECT max(offset + bytes) FROM r.memory_element); "
		"interleavedMemoryStart=(SELECT min(offset) FROM r.memory_element WHERE interleaved); "
		"memoryElementOffsets=(SELECT packed(element, offset) FROM r.memory_element)",
		false},
	{"instrumentation_settings", "report", "x_report WHERE key = 'compute_instrumentation'",
		"compute=value <> 'off'; compute_level=CASE WHEN value NOT IN ('off', 'on') THEN value END; "
		"external_exchange=0; control_flow=0",
		true},
	{"graph_info", "graph_count", "(SELECT 1)",
		"num_compute_sets=(SELECT value FROM x_graph_count WHERE name = 'compute_sets'); "
		"num_edges=(SELECT value FROM x_graph_count WHERE name = 'edges'); "
		"num_vars=(SELECT value FROM x_graph_count WHERE name = 'variables'); "
		"num_vertices=(SELECT value FROM x_graph_count WHERE name = 'vertices')",
		false},
	{"compilation_parameters", "engine_option",
		"x_engine_option WHERE coalesce(scope, 'compilation') = 'compilation'",
		"name=key; value=value; is_default=is_default", false},
	{"target_parameters", "engine_option", "x_engine_option WHERE scope = 'target'",
		"name=key; value=value; is_default=is_default", true},
	{"execution_parameters", "engine_option", "x_engine_option WHERE scope = 'execution'",
		"name=key; value=value; is_default=is_default; run=run", true},
	{"compilation_trace", "compile_pass", "x_compile_pass",
		"dur=duration_us; name=name; ts=start_us", false},

	{"memory_by_tile", "tile_memory", "r.tile_memory",
		"tile=tile; interleaved=interleaved; non_interleaved=non_interleaved; overflowed=overflowed; "
		"total=total; total_including_gaps=total_gaps; always_live_bytes=always_live; "
		"not_always_live_max_bytes=not_always_live_peak",
		false},
	{"var_categories", "memory_category", "r.memory_category",
		"id=category; name=name; description=description", false},
	{"memory_by_category", "tile_category", "x_memory_category c",
		"category_id=c.name; " REGION("interleaved") "; " REGION(
			"non_interleaved") "; " REGION("overflowed"),
		false},
	{"vertex_types", "vertex_type", "r.vertex_type",
		"id=vertex_type; name=name; size=state_bytes; source=source", false},
	{"memory_by_vertex_type", "tile_vertex", "r.tile_vertex GROUP BY vertex_type",
		"vertex_type=vertex_type; code_bytes=packed_list(tile, code_bytes); "
		"copy_ptr_bytes=packed_list(tile, copy_pointer_bytes); "
		"descriptor_bytes=packed_list(tile, descriptor_bytes); "
		"edge_ptr_bytes=packed_list(tile, edge_pointer_bytes); "
		"padding_bytes=packed_list(tile, padding_bytes); vertex_data_bytes=packed_list(tile, data_bytes)",
		false},
	{"memory_by_compute_set", "tile_compute_set", "r.tile_compute_set GROUP BY compute_set",
		"compute_set=compute_set; copy_ptr_bytes=packed_runs(tile, copy_pointer_bytes); "
		"descriptor_bytes=packed_runs(tile, descriptor_bytes); "
		"edge_ptr_bytes=packed_runs(tile, edge_pointer_bytes); "
		"padding_bytes=packed_runs(tile, padding_bytes); vertex_data_bytes=packed_runs(tile, data_bytes)",
		false},

	{"vars_info", "lowered_variable", "r.lowered_variable l",
		"var_id=l.id; var_id=l.rowid; tile=l.tile; "
		"name_base_id=(SELECT s.id FROM string s WHERE s.string = l.name); "
		"name_prefix__vertex_field_=NULL; name_suffix=''; size_bytes=l.bytes; "
		"alignment=l.alignment; offset=l.offset; category=l.category; equivalence_class=" LOWERED_CLASS
		"; equivalence_class=l.class; unlowered_var_id=l.variable; "
		"element_constraints=(SELECT NULL FROM r.element_constraint); "
		"bitset=1 + 2 * coalesce(l.constant = 1, 0) + 8 * coalesce(l.executable = 1, 0) + "
		"128 * coalesce(l.interleaved = 1, 0); bitset=1 + 2 * coalesce(l.constant = 1, 0); "
		"bitset=1 + 128 * coalesce(l.interleaved = 1, 0); bitset=1",
		false},
	{"vars_string_table", "lowered_variable", "string",
		"id=id; string=coalesce(string, (SELECT q.name FROM r.lowered_variable q LIMIT 0))",
		false},
	{"allocation_order_by_tile", "allocation", "r.allocation GROUP BY tile",
		"tile=tile; order=packed(position, lowered_variable)", false},
	{"equivalence_class_interference", "class_interference",
		"(SELECT *, row_number() OVER (PARTITION BY class) - 1 AS i FROM r.class_interference) "
		"GROUP BY class",
		"class_id=class; interference_class_ids=packed(i, other)", false},
	{"eq_classes", "equivalence_class lowered_variable variable",
		"(SELECT class, always_live FROM x_equivalence_class UNION "
		"SELECT class, max(always_live) FROM (SELECT " LOWERED_CLASS " AS class, "
		"coalesce(l.always_live = 1, 0) AS always_live FROM x_lowered_variable l) "
		"WHERE whole(class) >= 0 AND NOT EXISTS (SELECT 1 FROM x_equivalence_class) GROUP BY class "
		"UNION SELECT " OWN_CLASS " + variable, always_live FROM x_variable) b",
		"id=b.class + 0 * (SELECT count(q.always_live) FROM r.lowered_variable q); "
		"id=b.class + 0 * (SELECT count(*) FROM r.equivalence_class); "
		"id=b.class + 0 * (SELECT count(*) FROM r.variable); is_always_live=b.always_live",
		false},
	{"eq_class_step", "class_interval liveness_variable",
		"(SELECT class, start, \"end\" FROM x_class_interval UNION ALL SELECT coalesce(class, " OWN_CLASS
		" + variable), start, \"end\" FROM x_liveness_variable)",
		"eq_class_id=class; step_id_from=start; step_id_to=\"end\"", false},
	{"unlowered_vars", "variable", "r.variable", "id=variable; name=name", false},
	{"var_bytes_by_eq_class", "variable liveness_variable tile_variable", OWN_BYTES " b",
		"unlowered_var_id=b.variable; eq_class_id=b.class; bytes=b.bytes; "
		"tile=coalesce(b.tile, (SELECT NULL FROM r.tile_variable))",
		false},
	{"debug_ids", "variable", "r.variable WHERE whole(context) > 0",
		"variable_id=variable; ids=(SELECT packed(0, x.n) FROM (SELECT context AS n) x)",
		true},

	{"depth_first_steps", "liveness_step", "r.liveness_step",
		"id=live_step; program_id=program; program_id=NULL; parent_step_id=parent", false},
	{"depth_first_steps", "liveness_step_ipu",
		"(SELECT DISTINCT live_step FROM r.liveness_step_ipu)",
		"id=live_step; program_id=NULL", false},
	{"memory_not_always_live_by_step_and_ipu", "liveness_step liveness_step_ipu",
		"(SELECT NULL AS ipu, live_step, whole(not_always_live) - coalesce(lag(whole(not_always_live)) "
		"OVER (ORDER BY live_step), 0) AS delta FROM x_liveness_step UNION ALL "
		"SELECT ipu, live_step, whole(not_always_live) - coalesce(lag(whole(not_always_live)) "
		"OVER (PARTITION BY ipu ORDER BY live_step), 0) FROM x_liveness_step_ipu)",
		"ipu=ipu; step_id=live_step; delta_bytes=delta", false},

	{"program_types", "program program_variable step", "variant",
		"id=id; name=type; program_type_table=kind", true},
	{"programs", "program program_child program_variable step", "chosen p",
		"compilation_step_id=NULL; id=p.program; variant=coalesce((SELECT v.id FROM variant v WHERE v.type "
		"IS p.type AND v.kind IS p.kind), (SELECT 1 FROM r.program)); variant=coalesce((SELECT v.id "
		"FROM variant v WHERE v.type IS p.type AND v.kind IS p.kind), "
		"(SELECT 1 FROM r.program_variable)); variant=coalesce((SELECT v.id FROM variant v "
		"WHERE v.type IS p.type AND v.kind IS p.kind), (SELECT q.name FROM r.step q LIMIT 1)); "
		"variant_index=p.program; children=(SELECT packed(k.i, k.child) "
		"FROM child k WHERE k.parent = p.program HAVING count(*) > 0 AND "
		"(SELECT 1 FROM r.program_child)); "
		"name=p.name; debug_id=coalesce(p.context, (SELECT q.context FROM r.program q LIMIT 0)); "
		"control_code_bytes_by_tile=runs_of(coalesce(p.control_code_by_tile, "
		"(SELECT q.control_code_by_tile FROM r.program q LIMIT 0)))",
		true},
	{"program_type_on_tile_execute", NULL, "chosen WHERE kind = 'program_type_on_tile_execute'",
		"id=program; compute_set=compute_set", true},
	{"program_type_call", NULL, "chosen WHERE kind = 'program_type_call'",
		"id=program; function_id=function", true},
	{"program_type_repeat", NULL, "chosen WHERE kind = 'program_type_repeat'",
		"id=program; repeat_count=repeat_count", true},
	{"program_type_sync", NULL, "chosen WHERE kind = 'program_type_sync'",
		"id=program; sync_type=sync_type", true},
	{"program_type_do_exchange", NULL, "chosen WHERE kind = 'program_type_do_exchange'",
		"id=program; bytes_received_by_tile_rle=runs_of(bytes_in_by_tile); "
		"bytes_sent_by_tile_rle=runs_of(bytes_out_by_tile); code_bytes_by_tile_rle=runs_of(code_by_tile); "
		"cycles_by_tile_rle=runs_of(estimated_cycles_by_tile); destination_regions_id=2 * program; "
		"source_regions_id=2 * program + 1",
		true},
	{"program_type_stream_copy_mid", NULL, "chosen WHERE kind = 'program_type_stream_copy'",
		"id=program; bytes_received_by_tile_rle=runs_of(bytes_in_by_tile); "
		"bytes_sent_by_tile_rle=runs_of(bytes_out_by_tile); "
		"estimated_cycles_by_tile_rle=runs_of(estimated_cycles_by_tile)",
		true},
	{"exchange_regions", "program_variable",
		"moved WHERE program NOT IN (SELECT program FROM chosen WHERE compute_set IS NOT NULL)",
		"id=2 * program + out; var_id=lowered_variable; regions='[0,' || bytes || ')'",
		false},
	{"host_exchange_from_host", "stream_copy", "r.stream_copy WHERE direction = 'from_host'",
		"stream_copy_mid_id=program; stream=stream; regions=regions; is_remote_buffer=remote_buffer",
		false},
	{"host_exchange_to_host", "stream_copy", "r.stream_copy WHERE direction = 'to_host'",
		"stream_copy_mid_id=program; stream=stream; regions=regions; is_remote_buffer=remote_buffer",
		false},
	{"control_programs", "program_root", "r.program_root WHERE kind = 'control'",
		"compilation_step_id=NULL; id=position; program=program", false},
	{"function_programs", "program_root", "r.program_root WHERE kind = 'function'",
		"compilation_step_id=NULL; id=position; program=program", false},
	{"compute_sets", "compute_set", "r.compute_set c",
		"compute_set=c.compute_set; name=c.name; edge_count=c.edges; debug_id=c.context; "
		"cycles_by_tile=list_of(c.estimated_cycles_by_tile); "
		"estimated_flops_by_tile=list_of(c.estimated_flops_by_tile); "
		"var_ids_diff_rle=(SELECT differences(i, v) FROM (SELECT row_number() OVER (ORDER BY v) - 1 AS i, v "
		"FROM (SELECT DISTINCT m.lowered_variable AS v FROM chosen p JOIN moved m ON m.program = p.program "
		"WHERE p.compute_set = c.compute_set)))",
		false},
	{"compute_set_cycles_by_tile", "compute_set", "measured GROUP BY compute_set",
		"compute_set_id=compute_set; cycles_by_tile_ids=packed(ipu, id)", true},
	{"cycles_by_tile", "compute_set", "measured",
		"id=id; cycles_by_tile_rle=ipu_runs(cycles_by_tile, ipu)", true},
	{"vertex_instances", "compute_set_vertex", "r.compute_set_vertex",
		"compute_set=compute_set; vertex_type=vertex_type; instances_by_tile=runs_of(count_by_tile); "
		"instances_by_tile=(SELECT packed_runs(0, x.n) FROM (SELECT instances AS n) x)",
		false},

	{"runs", "run", "r.run",
		"id=run; start_epoch_time_microseconds=start_us; elapsed_microseconds=elapsed_us; "
		"elapsed_microseconds=end_us - start_us; name=name; num_programs=program_count; "
		"num_steps=step_count",
		false},
	{"steps", "step", "r.step s",
		"id=s.step; type=s.type; program=coalesce((SELECT n.program FROM named n WHERE n.step = s.step), "
		"s.program); program=coalesce((SELECT n.program FROM named n WHERE n.step = s.step), "
		"(SELECT NULL WHERE s.name = '')); "
		"sync_type=s.sync_type; compute_set=s.compute_set",
		false},
	{"steps_by_ipu", "step_ipu", "r.step_ipu",
		"rowid=rowid; step_id=step; ipu=ipu; cycles_base=" BASE
		"; active_cycles_from_min=good(start) - " BASE
		"; active_cycles_to_max=good(\"end\") - " BASE
		"; active_cycles_from_max=active_start_max - " BASE
		"; active_cycles_to_min=active_end_min - " BASE
		"; cycles=cycles; active_tiles=active_tiles; active_tile_balance=active_tile_balance; "
		"thread_balance=thread_balance; tile_balance=tile_balance",
		false},
	{"blocks", "block", "r.block b",
		"tile=b.tile; cycles_from=b.cycles_from; cycles_to=b.cycles_to; "
		"block_id=coalesce(b.block, (SELECT s.id FROM block_name s WHERE s.string = b.name)); "
		"block_id=b.block; block_id=(SELECT s.id FROM block_name s WHERE s.string = b.name); "
		"type=CASE b.kind WHEN 'common' THEN 0 WHEN 'stream_copy' THEN 1 WHEN 'overflow' THEN 2 "
		"WHEN 'anonymous' THEN 3 WHEN 'flush' THEN 4 ELSE substr(b.kind, length('type ')) + 0 END",
		false},
	{"string_table", "block", "block_name", "id=id; string=string", true},

	/* what no relation is made of, so that it is a profile */
	{"programs", NULL, "(SELECT 1 WHERE 0)", "compilation_step_id=NULL", false},
	{"relative_sync_delay", NULL, NULL, NULL, false},
	{"optimization_info", NULL, NULL, NULL, false},
	{"memory_liveness_tiles", NULL, NULL, NULL, false},
	{"compilation_steps", NULL, NULL, NULL, false},
	{"program_type_sans", NULL, NULL, NULL, false},
	{"program_type_sync_ans", NULL, NULL, NULL, false},
	{"program_type_code_copy", NULL, NULL, NULL, false},
	{"program_type_global_exchange", NULL, NULL, NULL, false},
	{"compilation_cycles_by_tile", NULL, NULL, NULL, false},
	{"exchange_target", NULL, NULL, NULL, false},
	{"date_time", NULL, NULL, NULL, false},
	{"version_info", NULL, NULL, NULL, false},
	{"compilation_info", NULL, NULL, NULL, false},
	{"execution_info", NULL, NULL, NULL, false},
	{"instrumentation_settings", NULL, NULL, NULL, false},
	{"compute_set_cycles_by_ipu", NULL, NULL, NULL, false},
	{"inter_ipu_exchange_cycles_by_tile", NULL, NULL, NULL, false},
	{"vertices", NULL, NULL, NULL, false},
	{"program_trace", NULL, NULL, NULL, false},
	{"absolute_markers", NULL, NULL, NULL, false},
	{"execution_cycle_totals", NULL, NULL, NULL, false},
	{"string_table", NULL, NULL, NULL, false},
};

static bool
is_needed(struct making *m, const struct table *t)
{
	char name[40];
	bool any = !t->needs;

	for (const char *s = t->needs; s && *s && !any; s += strspn(s, " ")) {
		size_t n = strcspn(s, " ");

		snprintf(name, sizeof(name), "%.*s", (int)n, s);
		any = has(m, name);
		s += n;
	}
	return any && !is_sound(m, "SELECT 1 FROM main.\"%s\"", t->name);
}

/* How the column is declared, but for NOT NULL. */
static const char *
type_of(const struct ts_profile_column *c, bool with_key)
{
	static const char *const types[] = {"INTEGER", "INT", "BOOLEAN", "REAL", "TEXT", "BLOB",
		""};

	return with_key && c->flags & TS_COLUMN_KEY && c->type == TS_DECLARED_INTEGER
		? "INTEGER PRIMARY KEY"
		: types[c->type];
}

/* "name=SQL; name=SQL": the columns that the relations allow, their declarations and what they are. */
static void
choose(struct making *m, const struct table *t, bool with_key, struct ts_strbuf *names,
	struct ts_strbuf *declared, struct ts_strbuf *values)
{
	const struct ts_profile_table *layout = ts_profile_table_find(t->name);
	const char *s = t->columns ? t->columns : "";
	char last[64] = "";

	for (int i = 0; !t->columns && i < layout->columns; i++)
		ts_strbuf_printf(declared, "%s\"%s\" %s", i ? ", " : "", layout->column[i].name,
			type_of(&layout->column[i], with_key));
	while (*s) {
		size_t length = strcspn(s, "="), n;
		char name[64], value[2000];
		const struct ts_profile_column *c;

		snprintf(name, sizeof(name), "%.*s", (int)length, s);
		s += length + 1;
		n = strcspn(s, ";");
		ck_assert_uint_lt(n, sizeof(value));
		snprintf(value, sizeof(value), "%.*s", (int)n, s);
		s += n + strspn(s + n, "; ");
		if (strcmp(name, last) == 0 || !is_sound(m, "SELECT %s FROM %s", value, t->from))
			continue;
		strcpy(last, name);
		c = ts_profile_column_find(layout, name);
		ck_assert_msg(c || strcmp(name, "rowid") == 0, "%s.%s", t->name, name);
		ts_strbuf_printf(names, "%s\"%s\"", names->len ? ", " : "", name);
		ts_strbuf_printf(values, "%s%s", values->len ? ", " : "", value);
		if (c)
			ts_strbuf_printf(declared, "%s\"%s\" %s", declared->len ? ", " : "", name,
				type_of(c, with_key));
	}
}

static void
make_table(struct making *m, const struct table *t)
{
	const struct ts_profile_table *layout = ts_profile_table_find(t->name);
	struct ts_strbuf names, declared, values;
	bool made = false;

	ts_strbuf_init(&names, TEXT);
	ts_strbuf_init(&values, TEXT);
	/* rows that are against the key are worth more than the key */
	for (int with_key = 1; with_key >= 0 && !made; with_key--) {
		struct ts_strbuf sql;

		ts_strbuf_init(&declared, TEXT);
		ts_strbuf_init(&sql, TEXT);
		ts_strbuf_reset(&names);
		ts_strbuf_reset(&values);
		choose(m, t, with_key, &names, &declared, &values);
		if (declared.len == 0) {
			ts_strbuf_fini(&sql);
			break;
		}
		ts_strbuf_printf(&sql, "CREATE TABLE main.%s(%s%s%s);", t->name, declared.s,
			with_key && layout->key ? ", " : "",
			with_key && layout->key ? layout->key : "");
		if (t->from)
			ts_strbuf_printf(&sql, "INSERT INTO main.%s(%s) SELECT %s FROM %s;",
				t->name, names.s, values.s, t->from);
		ck_assert(!sql.cut && !sql.nomem);
		made = sqlite3_exec(m->db, sql.s, NULL, NULL, NULL) == SQLITE_OK;
		ck_assert_msg(made || with_key, "%s: %s", sqlite3_errmsg(m->db), sql.s);
		if (!made && is_sound(m, "SELECT 1 FROM main.\"%s\"", t->name))
			run(m, "DROP TABLE main.\"%s\"", t->name);
		ts_strbuf_fini(&declared);
		ts_strbuf_fini(&sql);
	}
	if (made && t->if_any &&
		number(m, "SELECT EXISTS (SELECT 1 FROM main.\"%s\")", t->name) == 0)
		run(m, "DROP TABLE main.\"%s\"", t->name);
	ts_strbuf_fini(&names);
	ts_strbuf_fini(&values);
}

/* ---- all of it ---- */

/* The profile is at least as large: sections of an index take their share of it. */
static void
make_as_large(const char *relations, const char *profile)
{
	struct stat a, b;

	ck_assert(stat(relations, &a) == 0 && stat(profile, &b) == 0);
	if (a.st_size > b.st_size)
		ck_assert_int_eq(truncate(profile, a.st_size), 0);
}

static bool
has_others(const char *relations)
{
	static const char *const others[] = {"host", "context", "operation", "operation_program",
		"operation_variable", "tile_always_live"};
	struct making m;
	bool any = false;

	ck_assert_int_eq(sqlite3_open(relations, &m.db), SQLITE_OK);
	run(&m, "ATTACH '%s' AS r", relations);
	for (size_t i = 0; i < TS_COUNT(others); i++)
		any |= has(&m, others[i]);
	sqlite3_close(m.db);
	return any;
}

void
relations_as_they_are(const char *relations, const char *path)
{
	char block[TEXT];
	struct making m;
	FILE *from = fopen(relations, "r"), *to = fopen(path, "w");
	size_t n;

	ck_assert(from && to);
	while ((n = fread(block, 1, sizeof(block), from)) > 0)
		ck_assert_uint_eq(fwrite(block, 1, n, to), n);
	fclose(from);
	fclose(to);
	ck_assert_int_eq(sqlite3_open(path, &m.db), SQLITE_OK);
	run(&m,
		"PRAGMA synchronous = OFF; PRAGMA journal_mode = OFF;"
		"CREATE TABLE IF NOT EXISTS report(key TEXT, value TEXT);"
		"INSERT INTO report VALUES('store_version', '1')");
	sqlite3_close(m.db);
}

void
relations_profile(const char *relations, const char *profile)
{
	struct making m;

	if (has_others(relations)) {
		relations_as_they_are(relations, profile);
		return;
	}
	connect_to(&m, profile, relations);
	add_functions(&m);
	add_views(&m);
	m.ipu_tiles = number(&m,
		"SELECT coalesce((SELECT tiles_per_ipu FROM x_target), "
		"(SELECT max(tile_count) FROM x_ipu))");
	m.tiles = number(&m,
		"SELECT coalesce((SELECT ipus * tiles_per_ipu FROM x_target), "
		"(SELECT sum(tile_count) FROM x_ipu))");
	if (m.tiles == 0) /* as many numbers in all lists */
		m.tiles = number(&m,
			"SELECT max(tile) + 1 FROM (SELECT tile FROM x_tile_category UNION ALL "
			"SELECT tile FROM x_tile_vertex UNION ALL "
			"SELECT tile FROM x_tile_compute_set)");
	sqlite_run(m.db, prepared);
	for (size_t i = 0; i < TS_COUNT(tables); i++)
		if (is_needed(&m, &tables[i]))
			make_table(&m, &tables[i]);
	sqlite_run(m.db, "COMMIT");
	sqlite3_close(m.db);
	make_as_large(relations, profile);
}

/* ---- relations of a profile ---- */

static void
bind(sqlite3_stmt *s, int at, const struct ts_sql_value *v)
{
	if (v->type == TS_SQL_INTEGER)
		sqlite3_bind_int64(s, at, v->integer);
	else if (v->type == TS_SQL_REAL)
		sqlite3_bind_double(s, at, v->real);
	else if (v->type == TS_SQL_TEXT)
		sqlite3_bind_text(s, at, v->bytes, (int)v->n, SQLITE_TRANSIENT);
	else if (v->type == TS_SQL_BLOB)
		sqlite3_bind_blob(s, at, v->bytes, (int)v->n, SQLITE_TRANSIENT);
	else
		sqlite3_bind_null(s, at);
}

static void
copy_relation(sqlite3 *db, struct ts_query *q, const struct ts_relation_def *def)
{
	static const char *const types[] = {"INTEGER", "REAL", "TEXT", "BLOB"};
	struct ts_strbuf create, insert, select;
	struct ts_err err = {0};
	sqlite3_stmt *s;
	bool row;

	ts_strbuf_init(&create, TEXT);
	ts_strbuf_init(&insert, TEXT);
	ts_strbuf_init(&select, TEXT);
	ts_strbuf_printf(&create, "CREATE TABLE %s(", def->name);
	ts_strbuf_printf(&insert, "INSERT INTO %s VALUES(", def->name);
	ts_strbuf_puts(&select, "SELECT ");
	for (int c = 0; c < def->column_count; c++) {
		ts_strbuf_printf(&create, "%s\"%s\" %s", c ? ", " : "", def->column[c].name,
			types[def->column[c].type]);
		ts_strbuf_puts(&insert, c ? ", ?" : "?");
		ts_strbuf_printf(&select, "%s\"%s\"", c ? ", " : "", def->column[c].name);
	}
	ts_strbuf_puts(&create, ")");
	ts_strbuf_puts(&insert, ")");
	ts_strbuf_printf(&select, " FROM %s", def->name);
	sqlite_run(db, create.s);
	ck_assert_int_eq(sqlite3_prepare_v2(db, insert.s, -1, &s, NULL), SQLITE_OK);
	ck_assert_msg(ts_query_prepare(q, select.s, 0, &err) == TS_OK, "%s", err.msg);
	while (ts_query_step(q, &row, &err) == TS_OK && row) {
		for (int c = 0; c < def->column_count; c++) {
			struct ts_sql_value v;

			ts_query_value(&v, q, c);
			bind(s, c + 1, &v);
		}
		ck_assert_int_eq(sqlite3_step(s), SQLITE_DONE);
		sqlite3_reset(s);
	}
	ck_assert_msg(err.code == TS_OK, "%s", err.msg);
	sqlite3_finalize(s);
	ts_strbuf_fini(&create);
	ts_strbuf_fini(&insert);
	ts_strbuf_fini(&select);
}

void
profile_relations(const char *profile, const char *relations)
{
	struct ts_report_options o = {0};
	struct ts_report *report;
	struct ts_query *q;
	struct ts_err err = {0};
	sqlite3 *db;

	ck_assert_msg(ts_report_open(&report, profile, &o, &err) == TS_OK, "%s", err.msg);
	ck_assert_msg(ts_query_open(&q, report, &err) == TS_OK, "%s", err.msg);
	unlink(relations);
	ck_assert_int_eq(sqlite3_open(relations, &db), SQLITE_OK);
	sqlite_run(db, "PRAGMA synchronous = OFF; PRAGMA journal_mode = OFF; BEGIN");
	for (int k = 0; k < TS_RELATION_COUNT; k++)
		if (ts_report_has(report, (enum ts_relation)k))
			copy_relation(db, q, ts_relation_def((enum ts_relation)k));
	sqlite_run(db, "COMMIT");
	sqlite3_close(db);
	ts_query_close(q);
	ts_report_close(report);
}
