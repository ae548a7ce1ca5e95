/* SPDX-License-Identifier: MIT */
/*
 * What is alive on each tile: random small reports (rows of tiles in any order, missing, negative and huge
 * numbers, classes without intervals, intervals that are reversed, empty, overlapping, or behind the last step) are read
 * with the index and without it, whole and by tile, and compared with a table of every tile and step that is
 * filled in here one cell after the other.
 */
#include "config.h"

#include <check.h>
#include <inttypes.h>
#include <sqlite3.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tilescope/base/mem.h"
#include "tilescope/report/index_build.h"
#include "tilescope/report/rows.h"
#include "tilescope/report/tile_live.h"

#include "index_dir.h"

enum { ROUNDS = 60, TILES = 14, STEPS = 40, CLASSES = 12, NONE = -1, FAR = 90 };

/* A tile number that is far from the others. */
#define FAR_TILE (INT64_C(1) << 40)

struct fixture {
	struct index_dir d;
	char path[INDEX_PATH];
	sqlite3 *db;
	struct ts_report *report;
	struct ts_reader *plain, *indexed;
	struct ts_index *index;
};

/* What a report means, worked out row by row. */
struct truth {
	int64_t steps; /* recorded; or NONE */
	bool in[CLASSES][FAR];
	bool known[CLASSES]; /* has an interval that counts */
	int64_t alive[TILES + 1][FAR];
	int64_t always[TILES + 1], unplaced[TILES + 1], base[TILES + 1];
	bool there[TILES + 1];
	int64_t rows, bad_rows, unplaced_rows, bad_intervals, reversed, beyond;
};

static uint64_t seed;

static uint64_t
any(uint64_t below)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return seed % below;
}

static void
sql(struct fixture *f, const char *fmt, ...)
{
	char text[400], *message = NULL;
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	ck_assert_msg(sqlite3_exec(f->db, text, NULL, NULL, &message) == SQLITE_OK, "%s: %s",
		message, text);
}

/* --- a report and what it means --------------------------------------------------------------- */

static void
intervals(struct fixture *f, struct truth *t)
{
	int n = (int)any(30);

	sql(f, "CREATE TABLE class_interval(class INTEGER, start INTEGER, end INTEGER)");
	for (int i = 0; i < n; i++) {
		int class = (int)any(CLASSES);
		int64_t start = (int64_t)any(STEPS + 20), end = start + (int64_t)any(12) - 2, last;

		if (any(12) == 0) {
			sql(f, "INSERT INTO class_interval VALUES(%d, %s, 5)", class,
				any(2) ? "NULL" : "-3");
			t->bad_intervals++;
			continue;
		}
		if (end < 0)
			end = 0;
		sql(f, "INSERT INTO class_interval VALUES(%d, %" PRId64 ", %" PRId64 ")", class,
			start, end);
		if (end <= start) {
			t->reversed++;
			continue;
		}
		last = t->steps != NONE && end > t->steps ? t->steps : end;
		t->beyond += last != end;
		for (int64_t s = start; s < last; s++)
			t->in[class][s] = t->known[class] = true;
	}
}

static void
count(struct truth *t, int tile, int class, int64_t bytes, bool always)
{
	t->there[tile] = true;
	if (always) {
		t->always[tile] += bytes;
	} else if (class < 0 || !t->known[class]) {
		t->unplaced[tile] += bytes;
		t->unplaced_rows++;
	} else {
		for (int s = 0; s < FAR; s++)
			t->alive[tile][s] += t->in[class][s] ? bytes : 0;
	}
}

static void
variable(struct fixture *f, struct truth *t, int64_t id, int tile)
{
	static const char *const bad[] = {"NULL", "-1", "'x'", "4611686018427387905"};
	int class = (int)any(CLASSES + 2);
	int64_t bytes = any(4) == 0 ? 0 : (int64_t)any(5000);
	const char *flag = any(3) ? "0" : any(2) ? "NULL" : "1";
	char text[3][24];
	int broken = (int)any(24);

	snprintf(text[0], sizeof(text[0]), "%" PRId64, tile == TILES ? FAR_TILE : (int64_t)tile);
	snprintf(text[1], sizeof(text[1]), "%" PRId64, bytes);
	snprintf(text[2], sizeof(text[2]), "%d", class);
	if (broken < 3 || class == CLASSES)
		snprintf(text[broken < 3 ? broken : 2], sizeof(text[0]), "%s", bad[any(4)]);
	sql(f, "INSERT INTO lowered_variable VALUES(%" PRId64 ", %s, %s, %s, %s)", id, text[0],
		text[1], text[2], flag);
	t->rows++;
	if (broken < 2)
		t->bad_rows++;
	else
		count(t, tile, broken == 2 || class >= CLASSES ? NONE : class, bytes, *flag == '1');
}

/* Most tiles record what is always live; of a tile that has no variable, too. */
static void
tile_memory(struct fixture *f, struct truth *t)
{
	bool recorded = any(2);

	memcpy(t->base, t->always, sizeof(t->base));
	sql(f,
		"CREATE TABLE tile_memory(tile INTEGER PRIMARY KEY, ipu INTEGER, total INTEGER, "
		"always_live INTEGER)");
	for (int i = 0; recorded && i < TILES; i++) {
		int64_t always = (int64_t)any(3000);

		if (any(5) == 0) {
			sql(f, "INSERT INTO tile_memory VALUES(%d, %d, 5000, NULL)", i, i / 7);
			continue;
		}
		sql(f, "INSERT INTO tile_memory VALUES(%d, %d, 5000, %" PRId64 ")", i, i / 7,
			always);
		t->base[i] = always;
		t->there[i] = true;
	}
}

static void
make(struct fixture *f, struct truth *t, int number)
{
	bool by_tile = any(2);
	int rows = (int)any(300);

	memset(t, 0, sizeof(*t));
	seed = (uint64_t)number * UINT64_C(0x9e3779b97f4a7c15) + 1;
	t->steps = any(3) ? STEPS : NONE;
	sql(f,
		"CREATE TABLE report(key TEXT, value TEXT); "
		"INSERT INTO report VALUES('source', 'store'), ('store_version', '1')");
	if (t->steps != NONE)
		sql(f,
			"CREATE TABLE liveness_step(live_step INTEGER PRIMARY KEY, "
			"not_always_live INTEGER); INSERT INTO liveness_step VALUES(%d, 0), (3, 0)",
			STEPS - 1);
	intervals(f, t);
	sql(f,
		"CREATE TABLE lowered_variable(id INTEGER PRIMARY KEY, tile INTEGER, bytes INTEGER, "
		"class INTEGER, always_live INTEGER)");
	for (int i = 0; i < rows; i++)
		variable(f, t, i + i / 50 * (int)any(3),
			by_tile ? i * (TILES + 1) / rows : (int)any(TILES + 1));
	tile_memory(f, t);
}

/* --- opening ---------------------------------------------------------------------------------- */

static void
begin(struct fixture *f)
{
	memset(f, 0, sizeof(*f));
	index_dir_begin(&f->d);
	snprintf(f->path, sizeof(f->path), "%s/report.tilescope", f->d.dir);
	ck_assert_int_eq(sqlite3_open(f->path, &f->db), SQLITE_OK);
	sql(f, "PRAGMA journal_mode=OFF; BEGIN");
}

static void
build(struct fixture *f, int parts)
{
	struct ts_err err = {0};
	struct ts_build *b;
	bool busy;

	ck_assert_msg(ts_build_new(&b, &busy, f->report, &f->d.c, NULL,
			      1u << TS_SECTION_TILE_LIVES | 1u << TS_SECTION_VARIABLES, parts,
			      &err) == TS_OK,
		"%s", err.msg);
	for (int stage = 0; stage < ts_build_stages(b); stage++) {
		struct ts_index *x;

		ck_assert_msg(ts_build_begin(b, stage, &err) == TS_OK, "%s", err.msg);
		for (int i = 0; i < ts_build_parts(b, stage); i++)
			ck_assert_msg(ts_build_part(b, stage, i, f->plain, NULL, &err) == TS_OK,
				"%s", err.msg);
		ck_assert_msg(ts_build_finish(&x, b, stage, f->plain, NULL, &err) == TS_OK, "%s",
			err.msg);
		ts_index_release(x);
	}
	ts_build_free(b);
}

static void
open_report(struct fixture *f)
{
	struct ts_report_options o = {0};
	struct ts_err err = {0};

	sql(f, "COMMIT");
	ck_assert_msg(ts_report_open(&f->report, f->path, &o, &err) == TS_OK, "%s", err.msg);
	ck_assert_int_eq(ts_reader_open(&f->plain, f->report, &err), TS_OK);
	ck_assert_int_eq(ts_reader_open(&f->indexed, f->report, &err), TS_OK);
	build(f, 1 + (int)any(4));
	ck_assert_msg(ts_index_open(&f->index, &f->d.c, f->report, NULL, NULL, &err) == TS_OK, "%s",
		err.msg);
	ts_reader_set_index(f->indexed, f->index);
}

static void
end(struct fixture *f)
{
	ts_reader_close(f->plain);
	ts_reader_close(f->indexed);
	ts_index_release(f->index);
	ts_report_close(f->report);
	sqlite3_close(f->db);
	index_dir_end(&f->d);
}

/* --- comparing -------------------------------------------------------------------------------- */

static int64_t
number_of(int tile)
{
	return tile == TILES ? FAR_TILE : tile;
}

/* The runs of a walk say the same as the changes. */
static void
check_walk(const struct ts_tile_lives *l, size_t place, const int64_t *by_span)
{
	struct ts_live_walk *w = ts_live_walk_new(l);
	const struct ts_live_run *run;

	ck_assert_ptr_nonnull(w);
	for (int twice = 0; twice < 2; twice++) {
		size_t n, k = 0;
		int64_t now = 0;

		ts_live_walk_tile(w, place);
		n = ts_live_walk_runs(w, &run);
		for (size_t p = 0; p < l->points; p++) {
			if (k < n && run[k].point == p)
				now = run[k++].bytes;
			ck_assert_int_eq(now, by_span[p]);
		}
		ck_assert_uint_eq(k, n);
	}
	ts_live_walk_free(w);
}

static void
check_tile(const struct ts_tile_lives *l, const struct truth *t, int tile)
{
	ptrdiff_t place = ts_tile_lives_find(l, number_of(tile));
	int64_t *change = ts_alloc(l->points, sizeof(*change)), step[FAR];
	int64_t peak = 0, at = NONE;
	const struct ts_tile_live *have;

	ck_assert_ptr_nonnull(change);
	ck_assert_int_ge(place, 0);
	have = &l->tile[place];
	ck_assert_int_eq(have->always, t->always[tile]);
	ck_assert_int_eq(have->base, t->base[tile]);
	ck_assert_int_eq(have->unplaced, t->unplaced[tile]);
	ts_tile_lives_add(change, l, (size_t)place);
	ts_live_sum_up(change, l->points);
	ts_tile_lives_steps(step, 0, FAR, l, change);
	for (int s = 0; s < FAR; s++) {
		ptrdiff_t span = ts_tile_lives_span(l, s);

		ck_assert_int_eq(step[s], t->alive[tile][s]);
		ck_assert_int_eq(span < 0 ? 0 : change[span], t->alive[tile][s]);
		if (t->alive[tile][s] > peak) {
			peak = t->alive[tile][s];
			at = s;
		}
	}
	ck_assert_int_eq(have->peak, peak);
	ck_assert_int_eq(have->step, at);
	check_walk(l, (size_t)place, change);
	free(change);
}

static bool
is_odd(const void *set, int64_t tile)
{
	(void)set;
	return tile % 2 == 1;
}

static void
check_sums(const struct ts_tile_lives *l, const struct truth *t)
{
	int64_t *by_span = ts_alloc(l->points, sizeof(*by_span)), step[FAR], peak, at;

	for (int odd = 0; odd < 2; odd++) {
		int64_t most = 0, first = NONE;

		ck_assert_int_eq(ts_tile_lives_sum(by_span, l, odd ? is_odd : NULL, NULL, NULL,
					 NULL),
			TS_OK);
		ts_tile_lives_steps(step, 0, FAR, l, by_span);
		for (int s = 0; s < FAR; s++) {
			int64_t all = 0;

			for (int i = 0; i <= TILES; i++)
				all += odd && number_of(i) % 2 == 0 ? 0 : t->alive[i][s];
			ck_assert_int_eq(step[s], all);
			first = all > most ? s : first;
			most = ts_max_i64(most, all);
		}
		ts_tile_lives_peak(&peak, &at, l, by_span);
		ck_assert_int_eq(peak, most);
		ck_assert_int_eq(at, first);
	}
	free(by_span);
}

static void
check_all(struct ts_reader *rd, const struct truth *t)
{
	struct ts_err err = {0};
	struct ts_tile_lives *l;
	size_t there = 0;

	ck_assert_msg(ts_tile_lives_read(&l, rd, NULL, &err) == TS_OK, "%s", err.msg);
	ck_assert_int_eq(l->rows, t->rows);
	ck_assert_int_eq(l->bad_rows, t->bad_rows);
	ck_assert_int_eq(l->unplaced, t->unplaced_rows);
	ck_assert_int_eq(l->bad_intervals, t->bad_intervals);
	ck_assert_int_eq(l->reversed, t->reversed);
	ck_assert_int_eq(l->beyond, t->beyond);
	ck_assert_int_eq(l->steps, t->steps);
	for (int i = 0; i <= TILES; i++) {
		if (t->there[i])
			check_tile(l, t, i);
		else
			ck_assert_int_eq(ts_tile_lives_find(l, number_of(i)), -1);
		there += t->there[i];
	}
	ck_assert_uint_eq(l->tiles, there);
	check_sums(l, t);
	ts_tile_lives_close(ts_tile_lives_hold(l));
	ts_tile_lives_close(l);
}

/* Some tiles alone: those that are asked for, once each, whatever else is not there. */
static void
check_some(struct ts_reader *rd, const struct truth *t)
{
	int64_t tile[6] = {0};
	int n = (int)any(6);
	struct ts_err err = {0};
	struct ts_tile_lives *l;

	for (int i = 0; i < n; i++)
		tile[i] = number_of((int)any(TILES + 1));
	ck_assert_msg(ts_tile_lives_read_tiles(&l, rd, tile, (size_t)n, NULL, &err) == TS_OK, "%s",
		err.msg);
	for (int i = 0; i < n; i++) {
		int at = tile[i] == FAR_TILE ? TILES : (int)tile[i];

		if (ts_tile_lives_find(l, tile[i]) >= 0)
			check_tile(l, t, at);
		else /* only tile_memory may know it */
			for (int s = 0; s < FAR; s++)
				ck_assert_int_eq(t->alive[at][s], 0);
	}
	ts_tile_lives_close(l);
}

/* --- cases ------------------------------------------------------------------------------------ */

START_TEST(random_reports)
{
	struct truth *t = malloc(sizeof(*t));
	struct fixture f;

	begin(&f);
	make(&f, t, _i);
	open_report(&f);
	ck_assert(ts_tile_lives_quick(f.index));
	check_all(f.plain, t);
	check_all(f.indexed, t);
	for (int i = 0; i < 4; i++) {
		check_some(f.plain, t);
		check_some(f.indexed, t);
	}
	end(&f);
	free(t);
}
END_TEST

/* Rows whose bytes do not fit the sum are left out, in the order of the rows; the index leaves it to them. */
START_TEST(huge_bytes)
{
	struct ts_tile_lives *l;
	struct ts_err err = {0};
	struct fixture f;

	begin(&f);
	sql(&f,
		"CREATE TABLE report(key TEXT, value TEXT); "
		"INSERT INTO report VALUES('source', 'store'), ('store_version', '1')");
	sql(&f,
		"CREATE TABLE class_interval(class INTEGER, start INTEGER, end INTEGER); "
		"INSERT INTO class_interval VALUES(0, 0, 9), (0, 4, 4611686018427387904), (1, 3, 5)");
	sql(&f,
		"CREATE TABLE lowered_variable(id INTEGER PRIMARY KEY, tile INTEGER, bytes INTEGER, "
		"class INTEGER, always_live INTEGER); INSERT INTO lowered_variable VALUES"
		"(0, 0, 4611686018427387904, 0, 0), (1, 4611686018427387904, 4611686018427387903, 1, 0),"
		"(2, 1, 1, 1, 0), (3, 1, 0, 1, 1)");
	open_report(&f);
	for (int i = 0; i < 2; i++) {
		ck_assert_msg(ts_tile_lives_read(&l, i ? f.indexed : f.plain, NULL, &err) == TS_OK,
			"%s", err.msg);
		ck_assert_int_eq(l->too_large, 1);
		ck_assert_uint_eq(l->tiles, 3);
		ck_assert_int_eq(l->tile[0].peak, INT64_C(1) << 62);
		ck_assert_int_eq(l->tile[1].peak, 0);
		ck_assert_int_eq(l->tile[2].peak, (INT64_C(1) << 62) - 1);
		ck_assert_int_eq(l->tile[2].step, 3);
		ck_assert_int_eq(l->point[l->points - 1], INT64_C(1) << 62);
		ts_tile_lives_close(l);
	}
	end(&f);
}
END_TEST

START_TEST(absent)
{
	static const char *const tables[] = {
		"CREATE TABLE class_interval(class INTEGER, start INTEGER, end INTEGER)",
		"CREATE TABLE lowered_variable(id INTEGER, tile INTEGER, bytes INTEGER, class INTEGER)",
		"CREATE TABLE lowered_variable(id INTEGER, tile INTEGER, bytes INTEGER); "
		"CREATE TABLE class_interval(class INTEGER, start INTEGER, end INTEGER)",
	};
	struct ts_report_options o = {0};
	struct ts_tile_lives *l;
	struct ts_err err = {0};
	struct fixture f;

	begin(&f);
	sql(&f,
		"CREATE TABLE report(key TEXT, value TEXT); "
		"INSERT INTO report VALUES('source', 'store'), ('store_version', '1')");
	sql(&f, "%s", tables[_i]);
	sql(&f, "COMMIT");
	ck_assert_msg(ts_report_open(&f.report, f.path, &o, &err) == TS_OK, "%s", err.msg);
	ck_assert_int_eq(ts_reader_open(&f.plain, f.report, &err), TS_OK);
	ck_assert(!ts_tile_lives_can(f.report));
	ck_assert_int_eq(ts_tile_lives_read(&l, f.plain, NULL, &err), TS_E_ABSENT);
	ck_assert_ptr_null(l);
	ck_assert_ptr_nonnull(strstr(err.msg, _i == 0 ? "lowered_variable" : "class"));
	end(&f);
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("tile_live");
	TCase *c = tcase_create("tile_live");
	SRunner *r;
	int failed;

	tcase_set_timeout(c, 300);
	tcase_add_loop_test(c, random_reports, 0, ROUNDS);
	tcase_add_test(c, huge_bytes);
	tcase_add_loop_test(c, absent, 0, 3);
	suite_add_tcase(s, c);
	r = srunner_create(s);
	srunner_run_all(r, CK_NORMAL);
	failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
