/* SPDX-License-Identifier: MIT */
/*
 * What is alive on each tile: random small reports are read with the index and without it, whole and by tile, and
 * compared with a table of every tile and step that is filled in one cell after the other.
 */
#include "config.h"

#include "tilescope/report/live_heat.h"

#include "depth.h"
#include "tile_live_report.h"

enum { ROUNDS = 50, NOISE = 40, HEAD = 176 };

/* --- comparing -------------------------------------------------------------------------------- */

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

/* The most of a cell of the heat map: of tiles that are there and steps that there are. */
static int64_t
cell(const struct ts_tile_lives *l, const struct truth *t, size_t from, size_t to, int64_t step,
	int64_t step_to)
{
	int64_t most = NONE, steps = ts_live_heat_steps(l);

	for (size_t i = from; i < to && i < l->tiles; i++) {
		int tile = l->tile[i].tile == FAR_TILE ? TILES : (int)l->tile[i].tile;

		for (int64_t s = step; s < step_to && s < steps; s++)
			most = ts_max_i64(most, t->base[tile] + (s < FAR ? t->alive[tile][s] : 0));
	}
	return most;
}

static void
check_heat(const struct ts_tile_lives *l, const struct truth *t)
{
	for (int round = 0; round < 12; round++) {
		struct ts_live_heat h = {.tile = any(TILES + 2),
			.per_row = 1 + any(20),
			.rows = 1 + (int)any(9),
			.step = (int64_t)any(STEPS),
			.steps = 1 + (int64_t)any(3 * STEPS)};
		int64_t most[9 * 30];
		struct ts_live_spot spot;

		h.columns = 1 + (int)any((int)ts_min_i64(h.steps, 30));
		h.tile = any(2) ? 0 : h.tile;
		h.per_row = l->crest_tiles > 0 && any(2) ? l->crest_tiles : h.per_row;
		ck_assert_int_eq(ts_live_heat_read(most, l, &h, NULL, NULL), TS_OK);
		for (int r = 0; r < h.rows; r++)
			for (int c = 0; c < h.columns; c++) {
				size_t from = h.tile + (size_t)r * h.per_row;
				int64_t step = h.step + h.steps * c / h.columns;
				int64_t end = h.step + h.steps * (c + 1) / h.columns;
				int64_t want = cell(l, t, from, from + h.per_row, step, end);

				for (int64_t s = step; s < end; s++)
					ck_assert_int_eq(ts_live_heat_column_of(&h, s), c);
				ck_assert_int_eq(most[r * h.columns + c], want);
				ck_assert_int_eq(ts_live_spot_read(&spot, l, from, from + h.per_row,
							 step,
							 ts_min_i64(end, ts_live_heat_steps(l)),
							 NULL),
					TS_OK);
				ck_assert_int_eq(spot.bytes, want);
				if (want != NONE)
					ck_assert_int_eq(cell(l, t, (size_t)spot.place,
								 (size_t)spot.place + 1, spot.step,
								 spot.step + 1),
						want);
			}
	}
	if (l->tiles > 0 && ts_live_heat_steps(l) > 0)
		ck_assert_int_eq(ts_live_bottleneck(l).bytes,
			cell(l, t, 0, l->tiles, 0, INT64_MAX));
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
		if (t->there[i]) {
			check_tile(l, t, i);
			ck_assert_int_eq(l->tile[ts_tile_lives_find(l, number_of(i))].ipu,
				t->ipu[i] == NONE ? TS_LIVE_NO_IPU : (uint32_t)t->ipu[i]);
		} else {
			ck_assert_int_eq(ts_tile_lives_find(l, number_of(i)), -1);
		}
		there += t->there[i];
	}
	ck_assert_uint_eq(l->tiles, there);
	check_sums(l, t);
	check_heat(l, t);
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

/* A tile for each of so many neighbours: true ones, each once. */
static void
check_sample(struct ts_reader *rd, const struct truth *t)
{
	struct ts_err err = {0};
	struct ts_tile_lives *l;
	size_t most = 1 + any(TILES);

	ck_assert_msg(ts_tile_lives_read_sample(&l, rd, most, &err) == TS_OK, "%s", err.msg);
	if (!l) /* tiles are not known, or not reached one by one */
		return;
	ck_assert(l->some);
	ck_assert_uint_le(l->tiles, most);
	for (size_t i = 0; i < l->tiles; i++)
		check_tile(l, t, l->tile[i].tile == FAR_TILE ? TILES : (int)l->tile[i].tile);
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
		check_sample(f.plain, t);
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

/* A head of noise with a right checksum: nothing is believed that points outside, nothing crashes. */
START_TEST(noise)
{
	struct truth *t = malloc(sizeof(*t));
	struct ts_section_writer *w;
	struct ts_tile_lives *l;
	struct ts_index *x;
	struct ts_err err = {0};
	struct fixture f;
	const void *payload;
	unsigned char *bytes;
	size_t size;

	begin(&f);
	make(&f, t, _i);
	open_report(&f);
	payload = ts_index_section(f.index, TS_SECTION_TILE_LIVES, &size);
	ck_assert_ptr_nonnull(payload);
	bytes = malloc(size);
	memcpy(bytes, payload, size);
	for (uint64_t i = 0, flips = 1 + any(4); i < flips; i++)
		bytes[any(size < HEAD ? size : HEAD)] = (unsigned char)(any(2) ? any(256) : 0xff);
	ck_assert_int_eq(ts_section_create(&w, &f.d.c, f.report, TS_SECTION_TILE_LIVES, &err),
		TS_OK);
	ck_assert_int_eq(ts_section_append(w, NULL, bytes, any(4) ? size : any(size), &err), TS_OK);
	ck_assert_int_eq(ts_section_commit(w, &err), TS_OK);
	ck_assert_int_eq(ts_index_open(&x, &f.d.c, f.report, NULL, NULL, &err), TS_OK);
	ts_reader_set_index(f.indexed, x);
	ck_assert_int_eq(ts_tile_lives_read(&l, f.indexed, NULL, &err), TS_OK);
	for (size_t i = 0; i < l->tiles; i++) {
		int64_t *change = ts_alloc(l->points, sizeof(*change));

		ck_assert_ptr_nonnull(change);
		ts_tile_lives_add(change, l, i);
		free(change);
	}
	ts_tile_lives_close(l);
	ts_index_release(x);
	free(bytes);
	end(&f);
	free(t);
}
END_TEST

START_TEST(absent)
{
	static const char *const tables[][2] = {
		{"CREATE TABLE class_interval(class INTEGER, start INTEGER, end INTEGER)", ""},
		{"CREATE TABLE lowered_variable(id INTEGER, tile INTEGER, bytes INTEGER, class INTEGER)",
			""},
		{"CREATE TABLE lowered_variable(id INTEGER, tile INTEGER, bytes INTEGER)",
			"CREATE TABLE class_interval(class INTEGER, start INTEGER, end INTEGER)"},
	};
	struct ts_tile_lives *l;
	struct ts_err err = {0};
	struct fixture f;

	begin(&f);
	sql(&f, "%s; %s", tables[_i][0], tables[_i][1]);
	sql(&f, "COMMIT");
	f.report = index_dir_relations(&f.d);
	ck_assert_int_eq(ts_reader_open(&f.plain, f.report, &err), TS_OK);
	ck_assert(!ts_tile_lives_can(f.report));
	ck_assert_int_eq(ts_tile_lives_read(&l, f.plain, NULL, &err), TS_E_ABSENT);
	ck_assert_ptr_null(l);
	ck_assert_ptr_nonnull(strstr(err.msg, _i == 0 ? "lowered_variable" : "class"));
	end(&f);
}
END_TEST

/* Crests of several groups, over many points, against the bytes of each tile at each of them. */
START_TEST(crests)
{
	enum { MANY = 50, SPANS = 400, KINDS = 60 };
	struct ts_err err = {0};
	struct ts_tile_lives *l;
	struct fixture f;
	int64_t *bytes;

	seed = (uint64_t)_i * UINT64_C(0x9e3779b97f4a7c15) + 11;
	begin(&f);
	sql(&f,
		"CREATE TABLE class_interval(class, start, end); "
		"CREATE TABLE lowered_variable(id INTEGER PRIMARY KEY, tile, bytes, class, always_live)");
	for (int i = 0; i < 4 * KINDS; i++) {
		int from = (int)any(SPANS);

		sql(&f, "INSERT INTO class_interval VALUES(%d, %d, %d)", (int)any(KINDS), from,
			from + 1 + (int)any(_i % 2 ? SPANS : 5));
	}
	for (int i = 0; i < 20 * MANY; i++)
		sql(&f, "INSERT INTO lowered_variable VALUES(%d, %d, %d, %d, %d)", i, i / 20,
			(int)any(3) * (int)any(900), (int)any(KINDS), any(9) == 0);
	open_report(&f);
	ck_assert_msg(ts_tile_lives_read(&l, f.plain, NULL, &err) == TS_OK, "%s", err.msg);
	ck_assert_uint_eq(l->tiles, MANY);
	ck_assert_uint_eq(l->crest_tiles, 16);
	bytes = ts_alloc(l->points, sizeof(*bytes));
	for (size_t group = 0; group * 16 < MANY; group++)
		for (size_t p = 0; p < l->points; p++) {
			int64_t most = 0;

			for (size_t i = group * 16; i < MANY && i < group * 16 + 16; i++) {
				memset(bytes, 0, l->points * sizeof(*bytes));
				ts_tile_lives_add(bytes, l, i);
				for (size_t k = 1; k <= p; k++)
					bytes[k] += bytes[k - 1];
				most = ts_max_i64(most, l->tile[i].base + bytes[p]);
			}
			ck_assert_int_eq((int64_t)l->crest[group * l->points + p], most);
		}
	free(bytes);
	ts_tile_lives_close(l);
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
	tcase_add_loop_test(c, crests, 0, 4);
	tcase_add_loop_test(c, random_reports, 0, sample_of(ROUNDS));
	tcase_add_test(c, huge_bytes);
	tcase_add_loop_test(c, noise, 0, NOISE);
	tcase_add_loop_test(c, absent, 0, 3);
	suite_add_tcase(s, c);
	r = srunner_create(s);
	srunner_set_fork_status(r,
		CK_FORK); /* with sanitizers too: each begins with an empty report */
	srunner_run_all(r, CK_NORMAL);
	failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
