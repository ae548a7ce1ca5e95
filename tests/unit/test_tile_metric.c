/* SPDX-License-Identifier: MIT */
/*
 * Metrics by tile against a slow computation: SQL says which rows count and how often, and every blob is
 * taken apart here. On random small reports and on the demo; damage, absence, bounds and cancelling.
 */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "made_report.h"

#include "tilescope/base/mem.h"
#include "tilescope/demo/demo.h"
#include "tilescope/report/tile_metric.h"

enum { TILES = 24, MORE = TILES + 3 }; /* the last ones are in no relation */

/* --- the slow way ------------------------------------------------------------------------------- */

static const char sets_run[] =
	"SELECT (SELECT count(*) FROM step s LEFT JOIN program p ON p.program = s.program WHERE "
	"coalesce(s.compute_set, p.compute_set) = c.compute_set), "
	"coalesce(cycles_by_tile, estimated_cycles_by_tile) FROM compute_set c";
static const char programs_run[] =
	"SELECT (SELECT count(*) FROM step s WHERE s.compute_set IS NULL AND s.program = "
	"p.program), coalesce(cycles_by_tile, estimated_cycles_by_tile) FROM program p "
	"WHERE compute_set IS NULL";
static const char sets_once[] =
	"SELECT 1, coalesce(cycles_by_tile, estimated_cycles_by_tile) FROM compute_set";
static const char programs_once[] =
	"SELECT 1, coalesce(cycles_by_tile, estimated_cycles_by_tile) FROM program "
	"WHERE compute_set IS NULL";

/* Either rows of (tile, number), or of (times, blob). */
static const struct slow {
	const char *name;
	const char *rows;
	const char *blobs[2];
} slow[] = {
	{"used", "SELECT tile, coalesce(total_gaps, total) FROM tile_memory", {0}},
	{"total", "SELECT tile, total FROM tile_memory", {0}},
	{"total-gaps", "SELECT tile, total_gaps FROM tile_memory", {0}},
	{"gaps", "SELECT tile, total_gaps - total FROM tile_memory", {0}},
	{"non-interleaved", "SELECT tile, non_interleaved FROM tile_memory", {0}},
	{"interleaved", "SELECT tile, interleaved FROM tile_memory", {0}},
	{"overflowed", "SELECT tile, overflowed FROM tile_memory", {0}},
	{"always-live", "SELECT tile, always_live FROM tile_memory", {0}},
	{"not-always-live", "SELECT tile, not_always_live_peak FROM tile_memory", {0}},
	{"peak", "SELECT tile, always_live + not_always_live_peak FROM tile_memory", {0}},
	{"category:stack",
		"SELECT tile, sum(not_overlapped + coalesce(overlapped, 0)) FROM tile_category "
		"JOIN memory_category USING (category) WHERE name = 'stack' GROUP BY tile",
		{0}},
	{"vertex-code", "SELECT tile, sum(code_bytes) FROM tile_vertex GROUP BY tile", {0}},
	{"cycles", NULL, {sets_run, programs_run}},
	{"active-cycles", NULL, {sets_run}},
	{"cycles-once", NULL, {sets_once, programs_once}},
	{"active-cycles-once", NULL, {sets_once}},
	{"exchange-code", NULL, {"SELECT 1, code_by_tile FROM program WHERE compute_set IS NULL"}},
	{"control-code", NULL,
		{"SELECT 1, control_code_by_tile FROM program WHERE program NOT IN "
		 "(SELECT parent FROM program_child)"}},
	{"bytes-in", NULL, {"SELECT 1, bytes_in_by_tile FROM program WHERE compute_set IS NULL"}},
	{"bytes-out", NULL, {"SELECT 1, bytes_out_by_tile FROM program WHERE compute_set IS NULL"}},
	{"vertices", NULL, {"SELECT 1, count_by_tile FROM compute_set_vertex"}},
	{"vertex-state", NULL,
		{"SELECT coalesce((SELECT state_bytes FROM vertex_type t WHERE t.vertex_type = "
		 "v.vertex_type), 0), count_by_tile FROM compute_set_vertex v"}},
};

/* Metrics of rows are unknown where there is no row, but those that sum up rows are 0. */
static bool
is_summed(const struct slow *w)
{
	return !w->rows || strstr(w->rows, "GROUP BY");
}

static void
add_slowly(int64_t *out, int n, sqlite3_stmt *s)
{
	int64_t times = sqlite3_column_int64(s, 0);
	const unsigned char *p = sqlite3_column_blob(s, 1);
	int bytes = sqlite3_column_bytes(s, 1);

	if (sqlite3_column_type(s, 1) != SQLITE_BLOB || bytes % 4 != 0)
		return;
	for (int t = 0; t < n && t < bytes / 4; t++) {
		int64_t v = 0;

		for (int i = 3; i >= 0; i--)
			v = v * 256 + p[t * 4 + i];
		out[t] += v * times;
	}
}

static void
slowly(int64_t *out, int n, struct fixture *f, const struct slow *w)
{
	for (int t = 0; t < n; t++)
		out[t] = is_summed(w) ? 0 : TS_UNKNOWN;
	for (int q = 0; q < 2; q++) {
		const char *text = w->rows ? (q ? NULL : w->rows) : w->blobs[q];
		sqlite3_stmt *s = NULL;

		if (!text)
			continue;
		ck_assert_msg(sqlite3_prepare_v2(f->db, text, -1, &s, NULL) == SQLITE_OK, "%s",
			sqlite3_errmsg(f->db));
		while (sqlite3_step(s) == SQLITE_ROW) {
			if (!w->rows)
				add_slowly(out, n, s);
			else if (sqlite3_column_int64(s, 0) < n &&
				sqlite3_column_type(s, 1) == SQLITE_INTEGER)
				out[sqlite3_column_int64(s, 0)] = sqlite3_column_int64(s, 1);
		}
		sqlite3_finalize(s);
	}
}

/* --- the quick way ------------------------------------------------------------------------------ */

static enum ts_code
values(struct ts_tile_values *v, struct fixture *f, const char *name, const int64_t *tile, int n,
	struct ts_err *err)
{
	struct ts_metric m;

	ck_assert_msg(ts_metric_parse(&m, name, err) == TS_OK, "%s", err->msg);
	return ts_tile_values_read(v, f->reader, &m, tile, (size_t)n, NULL, err);
}

static void
compare(struct fixture *f, const struct slow *w, int n)
{
	int64_t *tile = ts_alloc((size_t)n, sizeof(*tile)), *wanted = ts_alloc((size_t)n, 8);
	int64_t sum = 0, most = TS_UNKNOWN;
	struct ts_tile_values v;
	struct ts_err err = {0};
	enum ts_code code;
	size_t unknown = 0;

	ck_assert(tile && wanted);
	for (int i = 0; i < n; i++)
		tile[i] = i;
	slowly(wanted, n, f, w);
	code = values(&v, f, w->name, tile, n, &err);
	ck_assert_msg(code == TS_OK, "%s: %s", w->name, err.msg);
	for (int i = 0; i < n; i++) {
		ck_assert_msg(v.value[i] == wanted[i], "%s of tile %d: %lld, not %lld", w->name, i,
			(long long)v.value[i], (long long)wanted[i]);
		unknown += wanted[i] == TS_UNKNOWN;
		sum += wanted[i] == TS_UNKNOWN ? 0 : wanted[i];
		most = wanted[i] > most ? wanted[i] : most;
	}
	ck_assert_uint_eq(v.unknown, unknown);
	ck_assert_int_eq(v.sum, unknown == (size_t)n ? TS_UNKNOWN : sum);
	ck_assert_int_eq(v.most, most);
	ts_tile_values_fini(&v);
	free(tile);
	free(wanted);
}

/* --- random reports ------------------------------------------------------------------------------ */

static unsigned
pick(unsigned n)
{
	return (unsigned)rand() % n;
}

/* A blob as a report may have it: not recorded, empty, zeros cut, beyond the tiles, or none at all. */
static const char *
blob(char out[1024])
{
	unsigned tiles = pick(8) == 0 ? 0 : pick(8) == 0 ? TILES + 9 : pick(TILES + 1);
	size_t at = 2;

	if (pick(5) == 0)
		return "NULL";
	if (pick(40) == 0)
		return "X'010203'";
	if (pick(40) == 0)
		return "7";
	snprintf(out, 1024, "X'");
	for (unsigned i = 0; i < tiles; i++)
		at += (size_t)snprintf(out + at, 1024 - at, "%02x%02x0000", pick(256), pick(256));
	snprintf(out + at, 1024 - at, "'");
	return out;
}

static const char tables[] =
	"CREATE TABLE tile_memory(tile INTEGER, ipu INTEGER, physical INTEGER, total INTEGER, "
	"total_gaps INTEGER, non_interleaved INTEGER, interleaved INTEGER, overflowed INTEGER, "
	"always_live INTEGER, not_always_live_peak INTEGER);"
	"CREATE TABLE memory_category(category INTEGER, name TEXT);"
	"INSERT INTO memory_category VALUES(3, 'stack'), (4, 'variable');"
	"CREATE TABLE tile_category(tile INTEGER, category INTEGER, region TEXT, not_overlapped "
	"INTEGER, overlapped INTEGER);"
	"CREATE TABLE vertex_type(vertex_type INTEGER, name TEXT, state_bytes INTEGER);"
	"CREATE TABLE tile_vertex(tile INTEGER, vertex_type INTEGER, code_bytes INTEGER);"
	"CREATE TABLE program(program INTEGER, type TEXT, name TEXT, compute_set INTEGER, "
	"control_code_by_tile BLOB, code_by_tile BLOB, estimated_cycles_by_tile BLOB, "
	"cycles_by_tile BLOB, bytes_in_by_tile BLOB, bytes_out_by_tile BLOB);"
	"CREATE TABLE program_child(parent INTEGER, position INTEGER, child INTEGER);"
	"CREATE TABLE compute_set(compute_set INTEGER, name TEXT, estimated_cycles_by_tile BLOB, "
	"cycles_by_tile BLOB);"
	"CREATE TABLE compute_set_vertex(compute_set INTEGER, vertex_type INTEGER, instances "
	"INTEGER, count_by_tile BLOB);"
	"CREATE TABLE step(step INTEGER, type TEXT, program INTEGER, compute_set INTEGER);";

static void
random_memory(struct fixture *f)
{
	for (int t = 0; t < TILES; t++) {
		char gaps[32] = "NULL";
		unsigned total = pick(600000);

		if (pick(4))
			snprintf(gaps, sizeof(gaps), "%u", total + pick(1000));
		sql(f, "INSERT INTO tile_memory VALUES(%d, NULL, NULL, %u, %s, %u, %u, %s, %u, %s)",
			t, total, gaps, pick(9999), pick(9999), pick(2) ? "0" : "NULL", pick(9999),
			pick(3) ? "77" : "NULL");
		sql(f, "INSERT INTO tile_category VALUES(%d, %u, NULL, %u, %s)", t, 3 + pick(2),
			pick(5000), pick(2) ? "12" : "NULL");
		if (pick(3))
			sql(f, "INSERT INTO tile_vertex VALUES(%d, %u, %u), (%d, 9, 8)", t, pick(4),
				pick(500), t);
	}
}

static void
random_programs(struct fixture *f)
{
	static const char *const types[] = {"DoExchange", "GlobalExchange", "Sequence", "Sync"};
	char b[6][1024];
	unsigned programs = 3 + pick(12), sets = 1 + pick(6);

	for (unsigned i = 0; i < programs; i++) {
		char set[16] = "NULL";

		if (pick(3) == 0)
			snprintf(set, sizeof(set), "%u", pick(sets));
		sql(f,
			"INSERT INTO program VALUES(%u, '%s', NULL, %s, %s, %s, %s, %s, %s, "
			"X'01000000')",
			i, strcmp(set, "NULL") != 0 ? "OnTileExecute" : types[pick(4)], set,
			blob(b[0]), blob(b[1]), blob(b[2]), blob(b[3]), blob(b[4]));
		if (pick(2))
			sql(f, "INSERT INTO program_child VALUES(%u, 0, %u)", pick(programs), i);
	}
	/* something of everything is recorded */
	sql(f,
		"INSERT INTO program VALUES(%u, 'DoExchange', NULL, NULL, X'', X'', X'', X'', X'', "
		"X'')",
		programs);
	for (unsigned i = 0; i < sets; i++)
		sql(f, "INSERT INTO compute_set VALUES(%u, NULL, %s, %s)", i, blob(b[0]),
			blob(b[1]));
	sql(f, "INSERT INTO compute_set VALUES(%u, NULL, X'', NULL)", sets);
	for (unsigned i = 0; i < 8; i++)
		sql(f, "INSERT INTO compute_set_vertex VALUES(%u, %u, 1, %s)", pick(sets), pick(5),
			i ? blob(b[0]) : "X'02000000'");
	for (unsigned i = 0; i < 4; i++)
		sql(f, "INSERT INTO vertex_type VALUES(%u, 'v', %u)", i, pick(100));
	for (unsigned i = 0, n = pick(60); i < n; i++)
		sql(f, "INSERT INTO step VALUES(%u, 'x', %u, %s)", i, pick(programs + 2),
			pick(2)		  ? "NULL"
				: pick(2) ? "0"
					  : "1");
}

START_TEST(random_reports_say_what_the_slow_way_says)
{
	struct fixture f;

	srand((unsigned)_i + 1);
	make_as_it_is(&f, 0);
	sql(&f, "PRAGMA synchronous = OFF; BEGIN");
	sql(&f, "%s", tables);
	random_memory(&f);
	sql(&f, "INSERT INTO tile_category VALUES(0, 3, NULL, 5, 6)");
	random_programs(&f);
	sql(&f, "COMMIT");
	open_report(&f);
	for (size_t i = 0; i < TS_COUNT(slow); i++)
		compare(&f, &slow[i], MORE);
	end(&f);
}
END_TEST

START_TEST(a_demo_says_what_the_slow_way_says)
{
	const struct ts_demo_options o = {.layout = TS_DEMO_PROFILE,
		.ipus = 2,
		.tiles = 8,
		.steps = 60,
		.variables = 600};
	struct ts_err err = {0};
	struct fixture f;
	char *path;

	make_fixture(&f, "relations.db", 0);
	ck_assert_msg(ts_demo_write(&path, f.dir, &o, NULL, NULL, &err) == TS_OK, "%s", err.msg);
	snprintf(f.profile, sizeof(f.profile), "%s", path);
	free(path);
	profile_relations(f.profile, f.path);
	open_report(&f);
	for (size_t i = 0; i < TS_COUNT(slow); i++)
		compare(&f, &slow[i], 16);
	end(&f);
}
END_TEST

/* --- what is known of it ------------------------------------------------------------------------ */

static void
check_note(const struct ts_tile_values *v, const char *wanted)
{
	struct ts_strbuf b;

	ts_strbuf_init(&b, 400);
	ts_tile_values_note(&b, v);
	ck_assert_str_eq(b.s, wanted);
	ts_strbuf_fini(&b);
}

START_TEST(what_is_estimated_and_what_is_lacking_is_said)
{
	static const int64_t tile[] = {0, 1};
	struct ts_tile_values v;
	struct ts_err err = {0};
	struct fixture f;

	make_as_it_is(&f, 0);
	sql(&f, "%s", tables);
	sql(&f,
		"INSERT INTO compute_set VALUES(0, 'a', X'05000000', X'07000000'), "
		"(1, 'b', X'0100000002000000', NULL), (2, 'c', NULL, NULL), (3, 'd', NULL, 'x');"
		"INSERT INTO step VALUES(0, 'OnTileExecute', NULL, 0), (1, 'OnTileExecute', NULL, "
		"0)");
	open_report(&f);
	ck_assert_int_eq(values(&v, &f, "active-cycles-once", tile, 2, &err), TS_OK);
	ck_assert(v.value[0] == 8 && v.value[1] == 2 && v.known == TS_METRIC_PARTLY);
	check_note(&v,
		"partly estimated (1 of 2); summed over the 2 of 3 that record it by tile; "
		"1 row left out: bad numbers");
	ts_tile_values_fini(&v);
	ck_assert_int_eq(values(&v, &f, "active-cycles", tile, 2, &err), TS_OK);
	ck_assert(v.value[0] == 14 && v.value[1] == 0);
	ts_tile_values_fini(&v);
	end(&f);
}
END_TEST

/* Cycles of which one half is not recorded are called what they are: those of the other one. */
START_TEST(half_a_sum_is_called_so)
{
	static const struct {
		const char *sql, *title, *note;
	} cases[] = {
		{"", "cycles, each compute set once", "measured"},
		{"DROP TABLE compute_set", "cycles of exchanges alone, each once", "measured"},
		{"UPDATE compute_set SET cycles_by_tile = NULL",
			"cycles of exchanges alone, each once",
			"measured; summed over the 1 of 2 that "
			"record it by tile"},
		{"DELETE FROM compute_set", "cycles, each compute set once", "measured"},
		{"DROP TABLE program", "cycles of compute sets alone, each once", "measured"},
		{"UPDATE program SET cycles_by_tile = NULL",
			"cycles of compute sets alone, each once",
			"measured; summed over the 1 of 2 that "
			"record it by tile"},
		{"DELETE FROM program", "cycles, each compute set once", "measured"},
	};

	for (size_t i = 0; i < TS_COUNT(cases); i++) {
		static const int64_t tile[] = {0};
		struct ts_strbuf title;
		struct ts_tile_values v;
		struct ts_err err = {0};
		struct fixture f;

		make_as_it_is(&f, 0);
		sql(&f, "%s", tables);
		sql(&f, "%s",
			"INSERT INTO compute_set(compute_set, name, cycles_by_tile) VALUES(0, 'a', X'07000000');"
			"INSERT INTO program(program, type, cycles_by_tile) VALUES(5, 'DoExchange', X'03000000'), "
			"(6, 'Sequence', NULL)");
		sql(&f, "%s", cases[i].sql);
		open_report(&f);
		ck_assert_int_eq(values(&v, &f, "cycles-once", tile, 1, &err), TS_OK);
		check_note(&v, cases[i].note);
		ts_strbuf_init(&title, 200);
		ts_tile_values_title(&title, &v);
		ck_assert_str_eq(title.s, cases[i].title);
		ts_strbuf_fini(&title);
		ts_tile_values_fini(&v);
		end(&f);
	}
}
END_TEST

/* Bytes that are no number make the tile's sum unknown; a vertex of which nobody says what it takes is not one of 0 bytes. */
START_TEST(what_cannot_be_read_is_not_0)
{
	static const int64_t tile[] = {0, 1, 2};
	struct ts_tile_values v;
	struct ts_err err = {0};
	struct fixture f;

	make_as_it_is(&f, 0);
	sql(&f, "%s", tables);
	sql(&f,
		"INSERT INTO tile_vertex VALUES(0, 1, 10), (0, 2, 5), (1, 1, 10), (1, 2, NULL), (1, 3, 7),"
		" (2, 1, -1);"
		"INSERT INTO vertex_type VALUES(1, 'a', 3), (2, 'b', NULL), (1, 'a again', 100);"
		"INSERT INTO compute_set_vertex VALUES(0, 1, 1, X'0200000004000000'),"
		" (0, 2, 1, X'01000000'), (0, 3, 1, X'01000000')");
	open_report(&f);
	ck_assert_int_eq(values(&v, &f, "vertex-code", tile, 3, &err), TS_OK);
	ck_assert(v.value[0] == 15 && v.value[1] == TS_UNKNOWN && v.value[2] == TS_UNKNOWN);
	ck_assert_int_eq(v.bad_rows, 2);
	ts_tile_values_fini(&v);
	ck_assert_int_eq(values(&v, &f, "vertex-state", tile, 3, &err), TS_OK);
	ck_assert(v.value[0] == 6 && v.value[1] == 12 && v.value[2] == 0);
	check_note(&v, "derived; summed over the 1 of 3 that record it by tile");
	ts_tile_values_fini(&v);
	end(&f);
}
END_TEST

START_TEST(cycles_of_one_tile_an_ipu_are_marked)
{
	static const int64_t tile[] = {0};
	struct ts_tile_values v;
	struct ts_err err = {0};
	struct fixture f;

	make_relations(&f, 0);
	sql(&f, "%s", tables);
	sql(&f,
		"INSERT INTO report VALUES('compute_instrumentation', 'ipu');"
		"INSERT INTO compute_set VALUES(0, 'a', NULL, X'07000000')");
	open_report(&f);
	ck_assert_int_eq(values(&v, &f, "active-cycles-once", tile, 1, &err), TS_OK);
	check_note(&v, "measured; instrumented by ipu: one tile stands for it");
	ts_tile_values_fini(&v);
	end(&f);
}
END_TEST

START_TEST(a_sum_that_does_not_fit_is_unknown)
{
	static const int64_t tile[] = {0, 1};
	struct ts_tile_values v;
	struct ts_err err = {0};
	struct fixture f;

	make_as_it_is(&f, 0);
	sql(&f, "%s", tables);
	sql(&f,
		"INSERT INTO vertex_type VALUES(1, 'v', 4611686018427387904);"
		"INSERT INTO compute_set_vertex VALUES(0, 1, 1, X'ffffffff'), (0, 2, 1, X'01000000');"
		"INSERT INTO tile_vertex VALUES(1, 1, 4611686018427387904), (1, 2, "
		"4611686018427387904), (1, 3, 1)");
	open_report(&f);
	ck_assert_int_eq(values(&v, &f, "vertex-state", tile, 2, &err), TS_OK);
	ck_assert(v.value[0] == TS_UNKNOWN && v.value[1] == 0 && v.unknown == 1 && v.sum == 0);
	ts_tile_values_fini(&v);
	ck_assert_int_eq(values(&v, &f, "vertex-code", tile, 2, &err), TS_OK);
	ck_assert(v.value[0] == 0 && v.value[1] == TS_UNKNOWN);
	ts_tile_values_fini(&v);
	end(&f);
}
END_TEST

START_TEST(what_is_not_recorded_is_absent)
{
	static const int64_t tile[] = {0, 1};
	struct ts_tile_values v;
	struct ts_err err = {0};
	struct fixture f;

	make_relations(&f, 0);
	sql(&f,
		"CREATE TABLE tile_memory(tile INTEGER, total INTEGER);"
		"INSERT INTO tile_memory VALUES(0, 5), (2, 6)");
	open_report(&f);
	for (size_t i = 0; i < TS_COUNT(slow); i++) {
		struct ts_metric m;
		bool there = strcmp(slow[i].name, "used") == 0 ||
			strcmp(slow[i].name, "total") == 0;

		ck_assert_int_eq(ts_metric_parse(&m, slow[i].name, &err), TS_OK);
		ck_assert_int_eq(ts_metric_recorded(f.report, m.id), there);
		ck_assert_int_eq(values(&v, &f, slow[i].name, tile, 2, &err),
			there ? TS_OK : TS_E_ABSENT);
		ck_assert(v.value[0] == (there ? 5 : TS_UNKNOWN) && v.value[1] == TS_UNKNOWN);
		ts_tile_values_fini(&v);
	}
	end(&f);
}
END_TEST

/* Where no column says it, lowered variables and their intervals do. */
START_TEST(peaks_are_derived_where_they_are_not_recorded)
{
	static const int64_t tile[] = {0, 1, 2};
	struct ts_tile_values v;
	struct ts_err err = {0};
	struct fixture f;

	make_relations(&f, 0);
	sql(&f, "%s", tables);
	sql(&f,
		"ALTER TABLE tile_memory DROP COLUMN not_always_live_peak;"
		"ALTER TABLE tile_memory DROP COLUMN always_live;"
		"CREATE TABLE lowered_variable(id INTEGER, tile INTEGER, bytes INTEGER, class "
		"INTEGER, always_live INTEGER);"
		"CREATE TABLE class_interval(class INTEGER, start INTEGER, \"end\" INTEGER);"
		"INSERT INTO class_interval VALUES(1, 0, 5), (2, 3, 8), (3, 8, 9);"
		"INSERT INTO lowered_variable VALUES(0, 0, 100, 1, 0), (1, 0, 30, 2, 0), "
		"(2, 0, 7, 3, 0), (3, 0, 1000, NULL, 1), (4, 1, 5, 3, 0)");
	open_report(&f);
	ck_assert(ts_metric_recorded(f.report, TS_METRIC_PEAK));
	ck_assert_msg(values(&v, &f, "not-always-live", tile, 3, &err) == TS_OK, "%s", err.msg);
	ck_assert(v.value[0] == 130 && v.value[1] == 5 && v.value[2] == 0);
	ck_assert_int_eq(v.known, TS_METRIC_DERIVED);
	ts_tile_values_fini(&v);
	ck_assert_int_eq(values(&v, &f, "peak", tile, 3, &err), TS_OK);
	ck_assert(v.value[0] == 1130 && v.value[1] == 5 && v.value[2] == 0);
	ts_tile_values_fini(&v);
	end(&f);
}
END_TEST

/* Columns that are there, and no row that says anything in them. */
START_TEST(blobs_that_nobody_wrote_are_absent)
{
	static const int64_t tile[] = {0};
	struct ts_tile_values v;
	struct ts_err err = {0};
	struct fixture f;

	make_relations(&f, 0);
	sql(&f, "%s", tables);
	sql(&f, "INSERT INTO compute_set VALUES(0, 'a', NULL, NULL)");
	open_report(&f);
	ck_assert_int_eq(values(&v, &f, "cycles-once", tile, 1, &err), TS_E_ABSENT);
	ck_assert_int_eq(v.value[0], TS_UNKNOWN);
	ts_tile_values_fini(&v);
	ck_assert_int_eq(values(&v, &f, "category:stack", tile, 1, &err), TS_E_ABSENT);
	ts_tile_values_fini(&v);
	end(&f);
}
END_TEST

START_TEST(a_cancelled_reading_ends)
{
	static const int64_t tile[] = {0};
	struct ts_cancel cancel = {0};
	struct ts_tile_values v;
	struct ts_err err = {0};
	struct fixture f;

	make_relations(&f, 0);
	sql(&f, "%s", tables);
	sql(&f, "INSERT INTO compute_set VALUES(0, 'a', NULL, X'07000000')");
	open_report(&f);
	ts_cancel_set(&cancel);
	ts_reader_set_cancel(f.reader, &cancel);
	ck_assert_int_eq(values(&v, &f, "active-cycles-once", tile, 1, &err), TS_E_CANCELLED);
	ts_tile_values_fini(&v);
	ts_reader_set_cancel(f.reader, NULL);
	ck_assert_int_eq(values(&v, &f, "active-cycles-once", tile, 1, &err), TS_OK);
	ts_tile_values_fini(&v);
	end(&f);
}
END_TEST

/* --- names -------------------------------------------------------------------------------------- */

START_TEST(names_are_read_and_said)
{
	struct ts_metric m;
	struct ts_err err = {0};
	struct ts_strbuf b;

	ts_strbuf_init(&b, 200);
	for (size_t i = 0; i < TS_COUNT(slow); i++) {
		ck_assert_int_eq(ts_metric_parse(&m, slow[i].name, &err), TS_OK);
		ts_strbuf_reset(&b);
		ts_metric_say(&b, &m);
		ck_assert_str_eq(b.s, slow[i].name);
	}
	ts_strbuf_reset(&b);
	ck_assert_int_eq(ts_metric_parse(&m, "category:a b", &err), TS_OK);
	ts_metric_title(&b, &m);
	ck_assert_str_eq(b.s, "memory of category a b");
	ts_strbuf_fini(&b);
	ck_assert_int_eq(ts_metric_parse(&m, "category:", &err), TS_E_USAGE);
	ck_assert_int_eq(ts_metric_parse(&m, "", &err), TS_E_USAGE);
	ck_assert_int_eq(ts_metric_parse(&m, "memory", &err), TS_E_USAGE);
}
END_TEST

START_TEST(differences_are_signed)
{
	const int64_t a[] = {5, 7, TS_UNKNOWN, 3, 2}, b[] = {9, 6, 1, TS_UNKNOWN, 2};
	int64_t d[5];

	ts_tile_values_differ(d, a, b, 5);
	ck_assert(d[0] == 4 && d[1] == -1 && d[2] == TS_DIFFERENCE_UNKNOWN &&
		d[3] == TS_DIFFERENCE_UNKNOWN && d[4] == 0);
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("tile_metric");
	TCase *c = tcase_create("tile_metric");
	SRunner *r;
	int failed;

	tcase_set_timeout(c, 60);
	tcase_add_loop_test(c, random_reports_say_what_the_slow_way_says, 0, 40);
	tcase_add_test(c, a_demo_says_what_the_slow_way_says);
	tcase_add_test(c, what_is_estimated_and_what_is_lacking_is_said);
	tcase_add_test(c, half_a_sum_is_called_so);
	tcase_add_test(c, what_cannot_be_read_is_not_0);
	tcase_add_test(c, cycles_of_one_tile_an_ipu_are_marked);
	tcase_add_test(c, a_sum_that_does_not_fit_is_unknown);
	tcase_add_test(c, what_is_not_recorded_is_absent);
	tcase_add_test(c, peaks_are_derived_where_they_are_not_recorded);
	tcase_add_test(c, blobs_that_nobody_wrote_are_absent);
	tcase_add_test(c, a_cancelled_reading_ends);
	tcase_add_test(c, names_are_read_and_said);
	tcase_add_test(c, differences_are_signed);
	suite_add_tcase(s, c);
	r = srunner_create(s);
	srunner_run_all(r, CK_NORMAL);
	failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed ? 1 : 0;
}
