/* SPDX-License-Identifier: MIT */
/*
 * What has to hold of the memory of tiles: the vectors that Graphcore's documentation prints hold, every way to break an
 * identity is found with its tile and figures, on random reports by a count made apart, and what is not
 * recorded breaks nothing.
 */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "made_report.h"

#include "tilescope/base/mem.h"
#include "tilescope/report/memory_identity.h"
#include "tilescope/report/summary.h"

static void
begin(struct fixture *f)
{
	make_relations(f, 0);
	sql(f, "%s",
		"CREATE TABLE target(type TEXT, ipus INTEGER, replicas INTEGER, tiles_per_ipu "
		"INTEGER, bytes_per_tile INTEGER);"
		"CREATE TABLE tile_memory(tile INTEGER, total INTEGER, total_gaps "
		"INTEGER, non_interleaved INTEGER, interleaved INTEGER, overflowed INTEGER);"
		"CREATE TABLE memory_category(category INTEGER, name TEXT);"
		"INSERT INTO memory_category VALUES(1, 'variable'), (2, 'stack');"
		"CREATE TABLE tile_category(tile INTEGER, category INTEGER, region TEXT, "
		"not_overlapped INTEGER, overlapped INTEGER);");
}

static struct ts_memory_identities
look(struct fixture *f)
{
	struct ts_memory_identities m;
	struct ts_err err = {0};

	open_report(f);
	ck_assert_msg(ts_memory_identities_look(&m, f->reader, NULL, &err) == TS_OK, "%s", err.msg);
	return m;
}

/* As many as are broken, and the sentence of the last one ("" when none is). */
static void
says(const struct ts_memory_identities *m, int broken, const char *words)
{
	struct ts_notes notes = {0};

	ck_assert_int_eq(ts_memory_identities_note(&notes, m), broken);
	ck_assert_int_eq(notes.count, broken);
	if (broken)
		ck_assert_str_eq(notes.note[broken - 1], words);
	ts_notes_fini(&notes);
}

/* --- the vectors that are printed ----------------------------------------------------------------- */

START_TEST(an_out_of_memory_tile_adds_up)
{
	struct ts_memory_identities m;
	struct fixture f;

	ck_assert_int_eq(122880 + 131072 + 580387, 834339);
	begin(&f);
	sql(&f,
		"INSERT INTO tile_memory VALUES(0, 834339, 834416, 122880, 131072, 580387);"
		"INSERT INTO tile_category VALUES(0, 1, NULL, 834000, 0), (0, 2, NULL, 339, 0)");
	m = look(&f);
	ck_assert_int_eq(m.check[TS_IDENTITY_GAPS].checked, 1);
	ck_assert_int_eq(m.check[TS_IDENTITY_REGIONS].checked, 1);
	ck_assert_int_eq(m.check[TS_IDENTITY_CATEGORIES].checked, 1);
	says(&m, 0, "");
	end(&f);
}
END_TEST

/* 1,216 tiles, 5,355,604 bytes in all, the fullest 5,780 without gaps and 49,184 with them. */
START_TEST(an_adder_adds_up)
{
	struct ts_memory_identities m;
	struct ts_summary s;
	struct ts_err err = {0};
	struct fixture f;
	int64_t left = 5355604 - 5780;

	begin(&f);
	sql(&f,
		"INSERT INTO target VALUES('IPU', 1, 1, 1216, 262144);"
		"INSERT INTO tile_memory VALUES(0, 5780, 49184, 5780, 0, 0)");
	sql(&f, "BEGIN");
	for (int t = 1; t < 1216; t++) {
		int64_t bytes = left / (1216 - t);

		left -= bytes;
		sql(&f, "INSERT INTO tile_memory VALUES(%d, %lld, %lld, %lld, 0, 0)", t,
			(long long)bytes, (long long)bytes + 9, (long long)bytes);
	}
	sql(&f, "COMMIT");
	m = look(&f);
	ck_assert_int_eq(m.check[TS_IDENTITY_TILES].checked, 1);
	ck_assert_int_eq(m.check[TS_IDENTITY_GAPS].checked, 1216);
	ck_assert_int_eq(m.check[TS_IDENTITY_REGIONS].checked, 1216);
	says(&m, 0, "");
	ck_assert_int_eq(ts_summary_read(&s, f.reader, NULL, &err), TS_OK);
	ck_assert_int_eq(s.tiles.total, 5355604);
	ck_assert_int_eq(s.tiles.tile[s.tiles.worst].total_gaps, 49184);
	ck_assert_int_eq(s.tiles.tile[s.tiles.worst].total, 5780);
	ck_assert_int_eq(s.notes.count, 0);
	ts_summary_fini(&s);
	end(&f);
}
END_TEST

/* --- broken --------------------------------------------------------------------------------------- */

static const struct {
	const char *sql, *words;
} wrong[] = {
	{"INSERT INTO target VALUES('IPU', 2, 1, 4, 1000);"
	 "INSERT INTO tile_memory(tile, total) VALUES(0, 1), (1, 1), (2, 1)",
		"the target says 2 x 4 tiles, the report has 3"},
	{"INSERT INTO tile_memory(tile, total, total_gaps) VALUES(0, 100, 90), (1, 5, 5), (2, 9, "
	 "NULL)",
		"1 of 2 tiles have less memory with gaps than without: bytes 90, not 100, on tile 0"},
	{"INSERT INTO tile_memory VALUES(0, 10, NULL, 1, 2, 7), (1, 11, NULL, 1, 2, 7), "
	 "(2, 12, NULL, 1, NULL, 7), (3, 13, NULL, 1, 2, 7)",
		"2 of 3 tiles have regions that do not add up to their total: bytes 10, not 11, on "
		"tile 1"},
	{"INSERT INTO tile_memory(tile, total) VALUES(0, 10), (1, 20), (2, 30), (3, 40);"
	 "INSERT INTO tile_category VALUES(0, 1, NULL, 10, 0), (1, 1, NULL, 5, 0), (1, 2, NULL, "
	 "14, 0), (2, 1, NULL, 3, 1), (3, 1, NULL, 3, 2)",
		"1 of 2 tiles have categories that do not add up to their total, though nothing "
		"overlaps: bytes 19, not 20, on tile 1"},
};

START_TEST(what_is_broken_is_said)
{
	struct ts_memory_identities m;
	struct fixture f;

	begin(&f);
	sql(&f, "%s", wrong[_i].sql);
	m = look(&f);
	says(&m, 1, wrong[_i].words);
	end(&f);
}
END_TEST

/* Random tiles, each right or wrong by a coin; what is wrong is counted while they are made. */
START_TEST(random_tiles_are_judged_right)
{
	int64_t broken[TS_IDENTITY_COUNT] = {0};
	struct ts_memory_identities m;
	struct fixture f;

	srand((unsigned)_i + 1);
	begin(&f);
	sql(&f, "BEGIN; INSERT INTO target VALUES('IPU', 2, 1, 50, 1000)");
	for (int t = 0; t < 100; t++) {
		int a = rand() % 1000, b = rand() % 1000, c = rand() % 3, off[3];

		for (int k = 0; k < 3; k++)
			off[k] = rand() % 10 == 0;
		broken[TS_IDENTITY_GAPS] += off[0];
		broken[TS_IDENTITY_REGIONS] += off[1];
		broken[TS_IDENTITY_CATEGORIES] += off[2];
		sql(&f, "INSERT INTO tile_memory VALUES(%d, %d, %d, %d, %d, %d)", t, a + b + c,
			off[0] ? a + b + c - 1 : a + b + c + rand() % 9, a, b, c + off[1]);
		sql(&f, "INSERT INTO tile_category VALUES(%d, 1, NULL, %d, 0), (%d, 2, NULL, %d, 0)",
			t, a, t, b + c + off[2]);
	}
	sql(&f, "COMMIT");
	m = look(&f);
	for (int k = TS_IDENTITY_GAPS; k <= TS_IDENTITY_CATEGORIES; k++) {
		ck_assert_int_eq(m.check[k].checked, 100);
		ck_assert_int_eq(m.check[k].broken, broken[k]);
	}
	end(&f);
}
END_TEST

/* A tile's recorded peak against what its lowered variables and their intervals come to; what is not known breaks nothing. */
static const struct {
	const char *sql;
	int64_t checked;
	const char *words; /* NULL: it holds */
} peaks[] = {
	{"", 2, NULL},
	{"UPDATE tile_memory SET not_always_live_peak = 31 WHERE tile = 1", 2,
		"1 of 2 tiles have another not_always_live_peak than their lowered variables say: bytes 31, "
		"not 30, on tile 1"},
	{"UPDATE class_interval SET start = 2, \"end\" = 4 WHERE class = 2", 2,
		"1 of 2 tiles have another not_always_live_peak than their lowered variables say: bytes 30, "
		"not 20, on tile 1"},
	{"UPDATE tile_memory SET not_always_live_peak = NULL WHERE tile = 1", 1, NULL},
	{"UPDATE lowered_variable SET class = NULL WHERE tile = 1", 1, NULL},
	{"DELETE FROM lowered_variable WHERE tile = 1", 1, NULL},
	{"UPDATE lowered_variable SET bytes = -1 WHERE tile = 1", 0, NULL},
	{"DROP TABLE class_interval", 0, NULL},
};

START_TEST(peaks_are_compared)
{
	struct ts_memory_identities m;
	struct fixture f;

	begin(&f);
	sql(&f, "%s",
		"ALTER TABLE tile_memory ADD COLUMN not_always_live_peak INTEGER;"
		"CREATE TABLE lowered_variable(id INTEGER, tile INTEGER, name TEXT, bytes INTEGER, class INTEGER, "
		"always_live INTEGER);"
		"CREATE TABLE class_interval(class INTEGER, start INTEGER, \"end\" INTEGER);"
		"INSERT INTO tile_memory(tile, total, not_always_live_peak) VALUES(0, 100, 7), (1, 100, 30);"
		"INSERT INTO lowered_variable VALUES(1, 0, 'a', 7, 1, 0), (2, 0, 'b', 50, NULL, 1), "
		"(3, 1, 'c', 10, 1, 0), (4, 1, 'd', 20, 2, 0);"
		"INSERT INTO class_interval VALUES(1, 0, 2), (2, 1, 3)");
	sql(&f, "%s", peaks[_i].sql);
	m = look(&f);
	ck_assert_int_eq(m.check[TS_IDENTITY_PEAK].checked, peaks[_i].checked);
	says(&m, peaks[_i].words != NULL, peaks[_i].words);
	end(&f);
}
END_TEST

START_TEST(what_is_not_recorded_breaks_nothing)
{
	struct ts_memory_identities m;
	struct fixture f;

	begin(&f);
	sql(&f,
		"DROP TABLE tile_category; ALTER TABLE tile_memory DROP COLUMN overflowed;"
		"INSERT INTO tile_memory VALUES(0, 4611686018427387904, NULL, 1, 1), "
		"(7, -1, 2, 1, 1), (9, 'x', 2, 1, 1)");
	m = look(&f);
	for (int k = 0; k < TS_IDENTITY_COUNT; k++)
		ck_assert_int_eq(m.check[k].checked, 0);
	end(&f);
}
END_TEST

START_TEST(no_tiles_break_nothing)
{
	struct ts_memory_identities m;
	struct fixture f;

	begin(&f);
	if (_i == 0)
		sql(&f, "DROP TABLE tile_memory");
	m = look(&f);
	says(&m, 0, "");
	end(&f);
}
END_TEST

START_TEST(it_can_be_cancelled)
{
	struct ts_memory_identities m;
	struct ts_cancel cancel = {0};
	struct ts_err err = {0};
	struct fixture f;

	begin(&f);
	sql(&f, "INSERT INTO tile_memory VALUES(0, 10, NULL, 1, 1, 1)");
	open_report(&f);
	ts_cancel_set(&cancel);
	ts_reader_set_cancel(f.reader, &cancel);
	ck_assert_int_eq(ts_memory_identities_look(&m, f.reader, NULL, &err), TS_E_CANCELLED);
	ts_reader_set_cancel(f.reader, NULL);
	end(&f);
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("memory_identity");
	TCase *c = tcase_create("memory_identity");
	SRunner *r;
	int failed;

	tcase_set_timeout(c, 60);
	tcase_add_test(c, an_out_of_memory_tile_adds_up);
	tcase_add_test(c, an_adder_adds_up);
	tcase_add_loop_test(c, what_is_broken_is_said, 0, (int)TS_COUNT(wrong));
	tcase_add_loop_test(c, random_tiles_are_judged_right, 0, 10);
	tcase_add_loop_test(c, peaks_are_compared, 0, (int)TS_COUNT(peaks));
	tcase_add_test(c, what_is_not_recorded_breaks_nothing);
	tcase_add_loop_test(c, no_tiles_break_nothing, 0, 2);
	tcase_add_test(c, it_can_be_cancelled);
	suite_add_tcase(s, c);
	r = srunner_create(s);
	srunner_run_all(r, CK_NORMAL);
	failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed ? 1 : 0;
}
