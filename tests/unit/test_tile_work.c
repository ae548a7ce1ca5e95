/* SPDX-License-Identifier: MIT */
/*
 * What runs on some tiles against a slow computation: every number of every blob is asked for one by one. On random
 * small stores, with relations and columns left out; hostile blobs, damage of ids, nothing recorded.
 */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "made_report.h"

#include "tilescope/base/mem.h"
#include "tilescope/report/tile_work.h"

enum { TILES = 12, SETS = 9, TYPES = 7, PROGRAMS = 11 };

static void
begin(struct fixture *f, unsigned seed)
{
	make_relations(f, seed * 7919 + 1);
	sql(f, "CREATE TABLE tile_memory(tile INTEGER PRIMARY KEY, total INTEGER)");
}

/* A blob as SQL: numbers of up to TILES tiles, some 0, some of all 32 bits; now and then none. */
static const char *
blob(struct fixture *f, char out[16 + TILES * 8])
{
	unsigned n = rnd(f, TILES + 1), at = 2;

	if (rnd(f, 5) == 0)
		return "NULL";
	snprintf(out, 3, "x'");
	for (unsigned i = 0; i < n; i++) {
		unsigned v = rnd(f, 3) ? 0 : rnd(f, 20) ? rnd(f, 5000) : 0xffffffffu;

		at += (unsigned)snprintf(out + at, 9, "%02x%02x%02x%02x", v & 255, v >> 8 & 255,
			v >> 16 & 255, v >> 24);
	}
	snprintf(out + at, 2, "'");
	return out;
}

static void
fill(struct fixture *f)
{
	char a[16 + TILES * 8], b[16 + TILES * 8];

	sql(f,
		"CREATE TABLE compute_set(compute_set INTEGER PRIMARY KEY, name TEXT, "
		"cycles_by_tile BLOB, estimated_cycles_by_tile BLOB);"
		"CREATE TABLE compute_set_vertex(compute_set INTEGER, vertex_type INTEGER, "
		"instances INTEGER, count_by_tile BLOB);"
		"CREATE TABLE vertex_type(vertex_type INTEGER PRIMARY KEY, name TEXT, "
		"state_bytes INTEGER);"
		"CREATE TABLE tile_vertex(tile INTEGER, vertex_type INTEGER, code_bytes INTEGER);"
		"CREATE TABLE program(program INTEGER PRIMARY KEY, type TEXT, name TEXT, "
		"code_by_tile BLOB, estimated_cycles_by_tile BLOB)");
	for (int i = 0; i < TILES; i++)
		sql(f, "INSERT INTO tile_memory VALUES(%d, 1000)", i);
	for (int i = 0; i < SETS; i++)
		sql(f, "INSERT INTO compute_set VALUES(%d, 'cs%d', %s, %s)", i, i, blob(f, a),
			blob(f, b));
	for (int i = 0; i < 2 * SETS; i++)
		sql(f, "INSERT INTO compute_set_vertex VALUES(%u, %u, 1, %s)", rnd(f, SETS),
			rnd(f, TYPES), blob(f, a));
	for (int i = 0; i < TYPES; i++)
		sql(f, "INSERT INTO vertex_type VALUES(%d, 'ns__V%d___half_%d', %u)", i, i % 3, i,
			rnd(f, 90));
	for (int t = 0; t < TILES; t++)
		for (int i = 0; i < TYPES; i++)
			if (rnd(f, 3) == 0)
				sql(f, "INSERT INTO tile_vertex VALUES(%d, %d, %u)", t, i,
					rnd(f, 9000));
	for (int i = 0; i < PROGRAMS; i++)
		sql(f, "INSERT INTO program VALUES(%d, 'DoExchange', 'x%d', %s, %s)", i, i,
			blob(f, a), blob(f, b));
}

/* --- the slow way: a number of a blob, the first column of a query's first row ----------------- */

static int64_t
ask(struct fixture *f, const char *column, const char *table, const char *key, int64_t id,
	int64_t tile)
{
	char text[200];
	sqlite3_stmt *s;
	int64_t v = -1;

	snprintf(text, sizeof(text), "SELECT %s FROM %s WHERE %s = %lld", column, table, key,
		(long long)id);
	ck_assert_int_eq(sqlite3_prepare_v2(f->db, text, -1, &s, NULL), SQLITE_OK);
	for (int64_t sum = -1; sqlite3_step(s) == SQLITE_ROW; v = sum) {
		const unsigned char *p = sqlite3_column_blob(s, 0);
		int64_t n = sqlite3_column_bytes(s, 0) / 4;

		if (sqlite3_column_type(s, 0) == SQLITE_NULL)
			continue;
		sum = sum < 0 ? 0 : sum;
		if (tile < n)
			sum += (int64_t)p[4 * tile] + 256 * (int64_t)p[4 * tile + 1] +
				65536 * (int64_t)p[4 * tile + 2] +
				16777216 * (int64_t)p[4 * tile + 3];
	}
	sqlite3_finalize(s);
	return v;
}

static int64_t
ask_number(struct fixture *f, const char *text, int64_t id, int64_t tile)
{
	sqlite3_stmt *s;
	int64_t v = -1;

	ck_assert_int_eq(sqlite3_prepare_v2(f->db, text, -1, &s, NULL), SQLITE_OK);
	sqlite3_bind_int64(s, 1, id);
	sqlite3_bind_int64(s, 2, tile);
	if (sqlite3_step(s) == SQLITE_ROW && sqlite3_column_type(s, 0) != SQLITE_NULL)
		v = sqlite3_column_int64(s, 0);
	sqlite3_finalize(s);
	return v;
}

struct slow {
	int64_t cycles, cycles_sum, vertices, code, state, tiles;
};

static void
plus(int64_t *sum, int64_t v)
{
	if (v >= 0)
		*sum = (*sum < 0 ? 0 : *sum) + v;
}

static struct slow
slowly(struct fixture *f, enum ts_work_kind kind, int64_t id, const int64_t *tile, size_t n)
{
	struct slow s = {-1, -1, -1, -1, -1, 0};
	const char *table = kind == TS_WORK_EXCHANGES ? "program" : "compute_set";
	bool measured = kind == TS_WORK_COMPUTE_SETS &&
		ask(f, "cycles_by_tile", table, table, id, 0) >= 0;
	int64_t vertices = -1;

	for (size_t i = 0; i < n; i++) {
		int64_t m = -1, e = -1, v = -1, c = -1;

		if (kind != TS_WORK_VERTICES) {
			if (measured)
				m = ask(f, "cycles_by_tile", table, table, id, tile[i]);
			e = ask(f, "estimated_cycles_by_tile", table, table, id, tile[i]);
			s.cycles = ts_max_i64(s.cycles, measured ? m : e);
			plus(&s.cycles_sum, measured ? m : e);
		}
		if (kind != TS_WORK_EXCHANGES)
			v = ask(f, "count_by_tile", "compute_set_vertex",
				kind == TS_WORK_VERTICES ? "vertex_type" : "compute_set", id,
				tile[i]);
		if (kind == TS_WORK_EXCHANGES)
			c = ask(f, "code_by_tile", "program", "program", id, tile[i]);
		if (kind == TS_WORK_VERTICES)
			c = ask_number(f,
				"SELECT code_bytes FROM tile_vertex WHERE vertex_type = ?1 AND tile = ?2",
				id, tile[i]);
		plus(&vertices, v);
		plus(&s.code, c);
		if (kind == TS_WORK_EXCHANGES)
			s.tiles += c > 0;
		else
			s.tiles += m > 0 || e > 0 || v > 0 || c >= 0;
	}
	s.vertices = vertices > 0 ? vertices : -1; /* a blob of zeros says nothing of these tiles */
	if (s.vertices >= 0)
		s.state = s.vertices *
			ask_number(f, "SELECT state_bytes FROM vertex_type WHERE vertex_type = ?1",
				id, 0);
	return s;
}

static const struct ts_work_row *
find(const struct ts_tile_work *w, int64_t id)
{
	for (size_t i = 0; i < w->count; i++)
		if (w->row[i].id == id)
			return &w->row[i];
	return NULL;
}

static void
check(struct fixture *f, enum ts_work_kind kind, const int64_t *tile, size_t n)
{
	static const int ids[] = {SETS, TYPES, PROGRAMS};
	struct ts_tile_work w;
	struct ts_err err = {0};
	size_t found = 0;

	ck_assert_msg(ts_tile_work_read(&w, f->reader, kind, tile, n, NULL, &err) == TS_OK, "%s",
		err.msg);
	for (int64_t id = 0; id < ids[kind]; id++) {
		struct slow s = slowly(f, kind, id, tile, n);
		const struct ts_work_row *r = find(&w, id);

		if (s.tiles == 0) {
			ck_assert_ptr_null(r);
			continue;
		}
		found++;
		ck_assert_ptr_nonnull(r);
		if (kind != TS_WORK_VERTICES) {
			ck_assert_int_eq(r->cycles, s.cycles);
			ck_assert_int_eq(r->cycles_sum, s.cycles_sum);
		}
		ck_assert_int_eq(r->vertices, s.vertices);
		ck_assert_int_eq(r->code, s.code);
		if (kind == TS_WORK_VERTICES)
			ck_assert_int_eq(r->state, s.state);
		if (n == 1)
			ck_assert_int_eq(r->tiles, 1);
		ck_assert_int_le(r->tiles, (int64_t)n);
		ck_assert_int_ne(*ts_work_name(&w, r), 0);
	}
	ck_assert_uint_eq(w.count, found);
	ts_tile_work_fini(&w);
}

START_TEST(rows_are_those_of_a_slow_count)
{
	struct fixture f;
	int64_t all[TILES], few[] = {2, 3, 9, 40}, far[] = {(int64_t)1 << 61};

	begin(&f, (unsigned)_i + 1);
	fill(&f);
	open_report(&f);
	sql(&f, "BEGIN"); /* one lock for all questions */
	for (int kind = 0; kind < TS_WORK_KINDS; kind++) {
		for (int64_t t = 0; t < TILES + 2; t++)
			check(&f, (enum ts_work_kind)kind, &t, 1);
		for (int64_t t = 0; t < TILES; t++)
			all[t] = t;
		check(&f, (enum ts_work_kind)kind, all, TILES);
		check(&f, (enum ts_work_kind)kind, few, TS_COUNT(few));
		check(&f, (enum ts_work_kind)kind, far, 1);
	}
	end(&f);
}
END_TEST

/* A family has the sum of its types, which stand together behind each other, the one with most code first. */
START_TEST(families_add_up)
{
	struct fixture f;
	struct ts_tile_work w;
	struct ts_err err = {0};
	int64_t all[TILES];

	begin(&f, (unsigned)_i + 1);
	fill(&f);
	open_report(&f);
	sql(&f, "BEGIN"); /* one lock for all questions */
	for (int64_t t = 0; t < TILES; t++)
		all[t] = t;
	ck_assert_int_eq(ts_tile_work_read(&w, f.reader, TS_WORK_VERTICES, all, TILES, NULL, &err),
		TS_OK);
	for (size_t i = 0; i < w.families; i++) {
		size_t from = w.family[i].family,
		       to = i + 1 < w.families ? w.family[i + 1].family : w.count;
		int64_t code = -1, state = -1, vertices = -1;

		ck_assert_int_eq(w.family[i].types, (int64_t)(to - from));
		for (size_t r = from; r < to; r++) {
			ck_assert_uint_eq(w.row[r].family, i);
			ck_assert(strncmp(ts_work_said(&w, &w.row[r]),
					  ts_work_said(&w, &w.family[i]), 6) == 0);
			ck_assert(r == from || w.row[r].code <= w.row[r - 1].code);
			plus(&code, w.row[r].code);
			plus(&state, w.row[r].state);
			plus(&vertices, w.row[r].vertices);
		}
		ck_assert_int_eq(w.family[i].code, code);
		ck_assert_int_eq(w.family[i].state, state);
		ck_assert_int_eq(w.family[i].vertices, vertices);
		ck_assert(i == 0 || w.family[i].code <= w.family[i - 1].code);
	}
	ts_tile_work_fini(&w);
	end(&f);
}
END_TEST

START_TEST(bad_numbers_are_left_out)
{
	struct fixture f;
	struct ts_tile_work w;
	struct ts_err err = {0};
	int64_t tile = 0;

	begin(&f, 1);
	sql(&f,
		"INSERT INTO tile_memory VALUES(0, 1);"
		"CREATE TABLE compute_set(compute_set, name, cycles_by_tile);"
		"INSERT INTO compute_set VALUES('x', 'a', x'01000000'), (-1, 'b', x'01000000'), "
		"(1, 'c', x'010203'), (2, 'd', 'text'), (3, NULL, x'07000000'), "
		"(4611686018427387904, char(27) || '[2J', x'05000000')");
	open_report(&f);
	sql(&f, "BEGIN"); /* one lock for all questions */
	ck_assert_msg(ts_tile_work_read(&w, f.reader, TS_WORK_COMPUTE_SETS, &tile, 1, NULL, &err) ==
			TS_OK,
		"%s", err.msg);
	ck_assert_uint_eq(w.count, 2);
	ck_assert_int_eq(w.row[0].id, 3);
	ck_assert_int_eq(w.sum.cycles, 12);
	ck_assert_int_eq(w.bad_rows, 2);
	ts_tile_work_fini(&w);
	ck_assert_int_eq(ts_tile_work_read(&w, f.reader, TS_WORK_EXCHANGES, &tile, 1, NULL, &err),
		TS_E_ABSENT);
	ts_tile_work_fini(&w);
	end(&f);
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("tile work");
	TCase *c = tcase_create("tile work");
	SRunner *r;
	int failed;

	tcase_set_timeout(c, 120);
	tcase_add_loop_test(c, rows_are_those_of_a_slow_count, 0, 10);
	tcase_add_loop_test(c, families_add_up, 0, 8);
	tcase_add_test(c, bad_numbers_are_left_out);
	suite_add_tcase(s, c);
	r = srunner_create(s);
	srunner_run_all(r, CK_NORMAL);
	failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
