/* SPDX-License-Identifier: MIT */
/* test_blocks - lanes, nesting and statistics of blocks, against figures worked out cycle by cycle. */
#include "config.h"

#include <check.h>
#include <inttypes.h>
#include <math.h>

#include "tilescope/base/mem.h"
#include "tilescope/report/blocks.h"
#include "tilescope/report/rows.h"

#include "made_report.h"

enum { SEEDS = 60, BLOCKS = 40, LANES = 3, END = 64, NAMES = 4 };

struct block {
	int tile, from, to, name, kind;
};

static struct fixture f;
static struct block made[BLOCKS];

static const char *const kinds[] = {"common", "stream_copy", "flush", "overflow", "type 9"};

static void
setup(void)
{
	make_relations(&f, 1);
	sql(&f,
		"CREATE TABLE block(tile INTEGER, seq INTEGER, program INTEGER, name TEXT, kind TEXT, "
		"cycles_from INTEGER, cycles_to INTEGER)");
}

static void
teardown(void)
{
	end(&f);
}

static struct ts_blocks *
read_them(void)
{
	struct ts_blocks *b;
	struct ts_err err = {0};

	open_report(&f);
	ck_assert_msg(ts_blocks_read(&b, f.reader, NULL, NULL, &err) == TS_OK, "%s", err.msg);
	return b;
}

static void
make_blocks(unsigned seed)
{
	f.seed = seed;
	for (int i = 0; i < BLOCKS; i++) {
		struct block *m = &made[i];

		m->tile = (int)rnd(&f, LANES) * 1472;
		m->from = (int)rnd(&f, END);
		m->to = m->from + (int)rnd(&f, (unsigned)(END - m->from + 1));
		m->name = (int)rnd(&f, NAMES);
		m->kind = (int)rnd(&f, TS_COUNT(kinds));
		sql(&f, "INSERT INTO block VALUES(%d, %d, NULL, 'n%d', '%s', %d, %d)", m->tile, i,
			m->name, kinds[m->kind], m->from, m->to);
	}
}

static bool
inside(const struct ts_block *a, const struct ts_block *b)
{
	return a->from >= b->from && a->to <= b->to;
}

/* The shortest block that holds `i`, of those that the walk meets before; of equal ones the last. */
static size_t
held_by(const struct ts_block *all, size_t n, size_t i)
{
	size_t best = SIZE_MAX;

	for (size_t k = 0; k < n; k++) {
		const struct ts_block *o = &all[k], *b = &all[i];
		bool before = o->from < b->from || (o->from == b->from && o->to > b->to) ||
			(o->from == b->from && o->to == b->to && o->seq < b->seq);

		if (k == i || o->tile != b->tile || !before || !inside(b, o) || o->to <= b->from)
			continue;
		if (best == SIZE_MAX || o->to - o->from < all[best].to - all[best].from ||
			(o->to - o->from == all[best].to - all[best].from &&
				o->row > all[best].row))
			best = k;
	}
	return best;
}

static void
check_nesting(const struct ts_blocks *b)
{
	const struct ts_block *all = b->block.memory;
	int64_t crossing = 0;

	for (size_t i = 0; i < b->count; i++) {
		bool covered[END + 1] = {0}, crosses = false;
		size_t in = held_by(all, b->count, i);
		int64_t self = all[i].to - all[i].from;

		if (in != SIZE_MAX)
			ck_assert_uint_gt(all[i].row, all[in].row);
		for (size_t k = 0; k < b->count; k++) {
			const struct ts_block *o = &all[k];

			if (o->tile != all[i].tile || k == i)
				continue;
			ck_assert(o->row != all[i].row || o->to <= all[i].from ||
				o->from >= all[i].to);
			crosses |= o->from < all[i].from && o->to > all[i].from &&
				o->to < all[i].to;
			if (held_by(all, b->count, k) == i)
				for (int64_t c = o->from; c < o->to; c++)
					covered[c] = true;
		}
		for (int c = 0; c <= END; c++)
			self -= covered[c];
		ck_assert_int_eq(all[i].self, self);
		crossing += crosses;
	}
	ck_assert_int_eq(b->crossing, crossing);
}

static void
check_lanes(const struct ts_blocks *b)
{
	size_t blocks = 0;

	for (size_t l = 0; l < b->lanes; l++) {
		const struct ts_block_lane *lane = ts_block_lane_at(b, l);
		bool lost[END + 1] = {0};
		int64_t from = END, to = 0, sum = 0;
		size_t count = 0;

		for (int i = 0; i < BLOCKS; i++) {
			if (made[i].tile != lane->tile)
				continue;
			count++;
			from = ts_min_i64(from, made[i].from);
			to = ts_max_i64(to, made[i].to);
			for (int c = made[i].from; c < made[i].to; c++)
				lost[c] |= made[i].kind == TS_BLOCK_FLUSH ||
					made[i].kind == TS_BLOCK_OVERFLOW;
		}
		for (int c = 0; c <= END; c++)
			sum += lost[c];
		ck_assert_int_eq(lane->lost, sum);
		ck_assert_int_eq(lane->from, from);
		ck_assert_int_eq(lane->to, to);
		ck_assert_uint_eq(lane->count, count);
		ck_assert_uint_eq(ts_block_row_first(b, lane, lane->rows), lane->first + count);
		blocks += count;
	}
	ck_assert_uint_eq(blocks, BLOCKS);
}

/* Every place of every row, looked for and walked to. */
static void
check_places(const struct ts_blocks *b)
{
	for (size_t l = 0; l < b->lanes; l++) {
		const struct ts_block_lane *lane = ts_block_lane_at(b, l);

		for (size_t row = 0; row < lane->rows; row++)
			for (int64_t c = 0; c <= END; c++) {
				size_t i = ts_block_row_first(b, lane, row);

				while (i < ts_block_row_first(b, lane, row + 1) &&
					ts_block_at(b, i)->to <= c)
					i++;
				ck_assert_uint_eq(ts_blocks_after(b, lane, row, c), i);
			}
	}
}

static int
by_value(const void *a, const void *b)
{
	return *(const int *)a - *(const int *)b;
}

/* What those of a name and kind took, by the definitions. */
static void
check_of(const struct ts_block_statistics *t, const struct ts_blocks *b, int tile, int from, int to)
{
	int v[BLOCKS], n = 0;
	double mean = 0, squares = 0;
	int64_t sum = 0;
	size_t length;
	const char *name = ts_block_name(&length, b, t->name);

	ck_assert_uint_eq(length, 2);
	for (int i = 0; i < BLOCKS; i++)
		if ((tile < 0 || made[i].tile == tile) && made[i].from >= from &&
			made[i].from < to && name[1] == '0' + made[i].name &&
			made[i].kind == (int)t->kind)
			v[n++] = made[i].to - made[i].from;
	ck_assert_int_gt(n, 0);
	qsort(v, (size_t)n, sizeof(*v), by_value);
	for (int i = 0; i < n; i++)
		sum += v[i];
	mean = (double)sum / n;
	for (int i = 0; i < n; i++)
		squares += (v[i] - mean) * (v[i] - mean);
	ck_assert_int_eq(t->count, n);
	ck_assert_int_eq(t->sum, sum);
	ck_assert_int_eq(t->least, v[0]);
	ck_assert_int_eq(t->most, v[n - 1]);
	ck_assert_int_eq(t->p50, v[(int)ceil(n * 0.5) - 1]);
	ck_assert_int_eq(t->p95, v[(n * 95 + 99) / 100 - 1]);
	ck_assert_double_eq_tol(t->mean, mean, 1e-9);
	ck_assert_double_eq_tol(t->deviation, sqrt(squares / n), 1e-9);
}

static void
check_statistics(const struct ts_blocks *b, int tile, int from, int to)
{
	struct ts_pile list = {0};
	struct ts_err err = {0};
	const struct ts_block_statistics *t;
	int64_t count = 0, last = INT64_MAX;

	ck_assert_int_eq(ts_blocks_statistics(&list, b, tile < 0 ? TS_UNKNOWN : tile, from, to,
				 NULL, NULL, &err),
		TS_OK);
	t = list.memory;
	for (size_t i = 0; i < list.used / sizeof(*t); i++) {
		check_of(&t[i], b, tile, from, to);
		ck_assert_int_le(t[i].sum, last);
		last = t[i].sum;
		count += t[i].count;
	}
	for (int i = 0; i < BLOCKS; i++)
		count -= (tile < 0 || made[i].tile == tile) && made[i].from >= from &&
			made[i].from < to;
	ck_assert_int_eq(count, 0);
	ts_pile_fini(&list);
}

START_TEST(test_random_blocks)
{
	struct ts_blocks *b;

	make_blocks((unsigned)_i + 1);
	b = read_them();
	ck_assert_uint_eq(b->count, BLOCKS);
	check_nesting(b);
	check_lanes(b);
	check_places(b);
	check_statistics(b, -1, 0, END + 1);
	check_statistics(b, 1472, 10, 40);
	ts_blocks_close(b);
}
END_TEST

START_TEST(test_bad_rows_are_counted)
{
	struct ts_blocks *b;

	sql(&f,
		"INSERT INTO block VALUES(NULL, 0, NULL, 'a', 'common', 1, 2), "
		"(0, 0, NULL, 'a', 'common', -1, 2), (0, 0, NULL, 'a', 'common', 5, 2), "
		"(0, 0, NULL, 'a', 'common', NULL, 2), (0, 0, NULL, 'a', 'common', 1, 'x'), "
		"(0, NULL, NULL, NULL, NULL, 3, 3), "
		"(0, 1, NULL, 'long', 'common', 0, 4611686018427387904)");
	b = read_them();
	ck_assert_int_eq(b->bad_rows, 5);
	ck_assert_uint_eq(b->count, 2);
	ck_assert_int_eq(ts_block_at(b, 0)->to, TS_NUMBER_MAX);
	ck_assert_int_eq(ts_block_at(b, 1)->name, TS_DICTIONARY_NONE);
	ck_assert_int_eq(ts_block_at(b, 1)->row, 1);
	ts_blocks_close(b);
}
END_TEST

START_TEST(test_more_at_once_than_rows)
{
	struct ts_blocks *b;
	const struct ts_block_lane *lane;

	for (int i = 0; i < TS_BLOCK_ROWS_MAX + 5; i++)
		sql(&f, "INSERT INTO block VALUES(0, %d, NULL, 'a', 'common', %d, %d)", i, i,
			1000 - i);
	b = read_them();
	lane = ts_block_lane_at(b, 0);
	ck_assert_int_eq(b->too_deep, 5);
	ck_assert_uint_eq(lane->rows, TS_BLOCK_ROWS_MAX);
	ck_assert_uint_eq(ts_block_row_first(b, lane, lane->rows), TS_BLOCK_ROWS_MAX);
	ck_assert_uint_eq(lane->count, TS_BLOCK_ROWS_MAX + 5);
	ts_blocks_close(b);
}
END_TEST

START_TEST(test_absent_says_so)
{
	struct ts_blocks *b;
	struct ts_err err = {0};

	if (_i)
		sql(&f, "DROP TABLE block");
	open_report(&f);
	ck_assert_int_eq(ts_blocks_read(&b, f.reader, NULL, NULL, &err), TS_E_ABSENT);
	ck_assert_ptr_null(b);
	ck_assert_ptr_nonnull(strstr(err.msg, "block"));
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("blocks");
	TCase *t = tcase_create("blocks");
	SRunner *r = srunner_create(s);
	int failed;

	suite_add_tcase(s, t);
	tcase_add_checked_fixture(t, setup, teardown);
	tcase_set_timeout(t, 60);
	tcase_add_loop_test(t, test_random_blocks, 0, SEEDS);
	tcase_add_test(t, test_bad_rows_are_counted);
	tcase_add_test(t, test_more_at_once_than_rows);
	tcase_add_loop_test(t, test_absent_says_so, 0, 2);
	srunner_run_all(r, CK_NORMAL);
	failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
