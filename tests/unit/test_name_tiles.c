/* SPDX-License-Identifier: MIT */
/*
 * The tiles of each name in the index: random reports against SQL, tiles beyond the target and beyond all numbers, rows
 * without a name, rows that do not stand by tile; sections that say anything.
 */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "depth.h"
#include "index_dir.h"
#include "made_report.h"

#include "tilescope/base/mem.h"
#include "tilescope/report/index_columns.h"
#include "tilescope/report/index_name_tiles.h"
#include "tilescope/report/memory.h"
#include "tilescope/report/tile_world.h"

enum { TARGET = 40, NAMES = 30, CASES = 24, FORGED = 60 };

static struct fixture f;
static struct index_dir d;
static struct ts_index *x;
static struct ts_err err;

/* Of a name most tiles follow each other. */
static void
add_row(int i, int rows, bool mixed)
{
	static const char *const odd[] = {"NULL", "-1", "'x'", "1048575", "1048576",
		"4611686018427387904"};
	unsigned at = mixed ? rnd(&f, 60) : (unsigned)(i * 60 / rows);
	unsigned name = rnd(&f, 3) ? (at + rnd(&f, 2)) % NAMES : rnd(&f, NAMES);
	bool far = i >= rows * 9 / 10 && rnd(&f, 40) < 10;
	char tile[24], named[24];

	snprintf(tile, sizeof(tile), "%u", at);
	snprintf(named, sizeof(named), "'layer_%u/w'", name);
	sql(&f, "INSERT INTO lowered_variable(tile, bytes, name) VALUES(%s, 1, %s)",
		far ? odd[rnd(&f, TS_COUNT(odd))] : tile, rnd(&f, 20) ? named : "NULL");
}

static void
begin(int number)
{
	int rows = number % 6 == 5 ? (int)rnd(&f, 3) : 50 + number * 40;

	make_relations(&f, (unsigned)number * 77 + 5);
	sql(&f,
		"BEGIN; CREATE TABLE target(type TEXT, ipus INTEGER, replicas INTEGER, tiles_per_ipu INTEGER,"
		" bytes_per_tile INTEGER);"
		"INSERT INTO target VALUES('IPU', 2, 1, %d, 100000);"
		"CREATE TABLE lowered_variable(id INTEGER PRIMARY KEY, tile, bytes INTEGER, name TEXT)",
		TARGET / 2);
	for (int i = 0; i < rows; i++)
		add_row(i, rows, number % 4 == 3);
	sql(&f, "COMMIT");
	open_report(&f);
	index_dir_begin(&d);
	x = index_dir_build(&d, f.report, f.reader,
		ts_section_bit(TS_SECTION_COLUMNS) | ts_section_bit(TS_SECTION_NAME_TILES),
		1 + number % 4);
}

static void
finish(void)
{
	ts_reader_set_index(f.reader, NULL);
	ts_index_release(x);
	index_dir_end(&d);
	end(&f);
}

static int64_t
ask(const char *what)
{
	sqlite3_stmt *s;
	int64_t v;

	ck_assert_int_eq(sqlite3_prepare_v2(f.db, what, -1, &s, NULL), SQLITE_OK);
	ck_assert_int_eq(sqlite3_step(s), SQLITE_ROW);
	v = sqlite3_column_int64(s, 0);
	sqlite3_finalize(s);
	return v;
}

#define ON_A_TILE "typeof(tile) = 'integer' AND tile BETWEEN 0 AND 1048575"

/* Does the tile of a name fall from one of its rows to the next? Then it is left to the columns. */
static bool
falls(void)
{
	return ask(
		"WITH r AS (SELECT id, name, tile FROM lowered_variable WHERE " ON_A_TILE ") "
		"SELECT EXISTS(SELECT 1 FROM r a JOIN r b ON a.name = b.name AND a.id < b.id AND "
		"a.tile > b.tile)");
}

struct named {
	const struct ts_name_tiles *t;
	int64_t tiles; /* of all names */
};

/* A name has the tiles that SQL says, no more. */
static void
check_name(void *ctx, int64_t name, const char *s, size_t n, size_t same)
{
	struct named *w = ctx;
	struct ts_tile_set set;
	char text[300];

	(void)same;
	ck_assert_ptr_nonnull(s);
	ck_assert(ts_tile_set_init(&set, TS_TILES_MAX));
	ck_assert(ts_name_tiles_add(&set, w->t, name));
	for (int64_t tile = ts_tile_set_next(&set, 0); tile >= 0;
		tile = ts_tile_set_next(&set, tile + 1)) {
		snprintf(text, sizeof(text),
			"SELECT count(*) > 0 FROM lowered_variable WHERE name = '%.*s' AND tile = %lld",
			(int)n, s, (long long)tile);
		ck_assert_int_eq(ask(text), 1);
	}
	snprintf(text, sizeof(text),
		"SELECT count(DISTINCT tile) FROM lowered_variable WHERE name = '%.*s' AND " ON_A_TILE,
		(int)n, s);
	ck_assert_int_eq(ts_tile_set_count(&set), ask(text));
	w->tiles += ts_tile_set_count(&set);
	ts_tile_set_fini(&set);
}

START_TEST(tiles_of_each_name_are_those_of_sql)
{
	struct ts_columns c;
	struct ts_name_tiles t;
	struct named w = {&t, 0};

	begin(_i);
	ck_assert(ts_index_sections(x) & ts_section_bit(TS_SECTION_NAME_TILES));
	ck_assert(ts_columns_of(&c, x));
	if (falls()) {
		ck_assert(!ts_name_tiles_of(&t, x, c.names));
	} else {
		ck_assert(!ts_name_tiles_of(&t, x, c.names + 1));
		ck_assert(ts_name_tiles_of(&t, x, c.names));
		for (int64_t g = 0; g * TS_COLUMN_NAMES < c.names; g++)
			ck_assert(ts_columns_names(&c, g, check_name, &w));
		ck_assert_int_eq(t.covered,
			ask("SELECT count(DISTINCT tile) FROM lowered_variable WHERE name IS NOT NULL AND " ON_A_TILE));
		ck_assert(w.tiles >= t.covered);
	}
	finish();
}
END_TEST

static const char *const asked[] = {"using(\"layer_1\")", "using(\"LAYER_23/\")",
	"using(/_[12]?[27]\\/w$/)", "using(\"nowhere\")", "using(\"/\")", "using(/^layer_7/) - 3",
	"using(\"layer_2\") & 5-20"};

static void
named(struct ts_tiles_named *n, const char *text, struct ts_index *index)
{
	ts_reader_set_index(f.reader, index);
	ck_assert_msg(ts_tiles_named(n, text, NULL, f.reader, NULL, NULL, &err) == TS_OK, "%s: %s",
		text, err.msg);
}

START_TEST(using_is_that_of_the_rows)
{
	begin(_i);
	for (size_t i = 0; i < TS_COUNT(asked); i++) {
		char is[2][TS_TILE_SET_TEXT];

		for (int k = 0; k < 2; k++) {
			struct ts_tiles_named n;

			named(&n, asked[i], k ? x : NULL);
			ts_tile_set_print(is[k], sizeof(is[k]), &n.set);
			ts_tiles_named_fini(&n);
		}
		ck_assert_str_eq(is[0], is[1]);
	}
	finish();
}
END_TEST

/* Numbers and bits of the section changed: other tiles perhaps, and nothing worse. */
START_TEST(forged)
{
	const void *payload;
	unsigned char *bytes;
	size_t size;

	begin(_i * 4);
	payload = ts_index_section(x, TS_SECTION_NAME_TILES, &size);
	bytes = malloc(size);
	ck_assert_ptr_nonnull(bytes);
	for (int round = 0; round < FORGED; round++) {
		static const uint64_t words[] = {0, 1, 8, UINT64_MAX, INT64_MAX, UINT32_MAX,
			1 << 20, 1 << 21};
		struct ts_section_writer *w;
		struct ts_index *false_one;

		memcpy(bytes, payload, size);
		for (unsigned i = 0, changes = 1 + rnd(&f, 3); i < changes; i++) {
			uint64_t word = words[rnd(&f, TS_COUNT(words))];
			size_t reach = rnd(&f, 2) && size > 56 ? 56 : size,
			       at = rnd(&f, (unsigned)reach);

			if (rnd(&f, 2) && at / 8 * 8 + 8 <= size)
				memcpy(bytes + at / 8 * 8, &word, sizeof(word));
			else
				bytes[at] = (unsigned char)rnd(&f, 256);
		}
		ck_assert_int_eq(ts_section_create(&w, &d.c, f.report, TS_SECTION_NAME_TILES, &err),
			TS_OK);
		ck_assert_int_eq(ts_section_append(w, NULL, bytes,
					 rnd(&f, 6) ? size : rnd(&f, (unsigned)size + 1), &err),
			TS_OK);
		ck_assert_int_eq(ts_section_commit(w, &err), TS_OK);
		ck_assert_int_eq(ts_index_open(&false_one, &d.c, f.report, NULL, NULL, &err),
			TS_OK);
		for (size_t i = 0; i < TS_COUNT(asked); i++) {
			struct ts_tiles_named n;

			named(&n, asked[i], false_one);
			ts_tiles_named_fini(&n);
		}
		ts_reader_set_index(f.reader, NULL);
		ts_index_release(false_one);
	}
	free(bytes);
	finish();
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("name tiles");
	TCase *c = tcase_create("name tiles");
	SRunner *r;
	int failed;

	tcase_set_timeout(c, 120);
	tcase_add_loop_test(c, tiles_of_each_name_are_those_of_sql, 0, sample_of(CASES));
	tcase_add_loop_test(c, using_is_that_of_the_rows, 0, sample_of(CASES));
	tcase_add_loop_test(c, forged, 0, 4);
	suite_add_tcase(s, c);
	r = srunner_create(s);
	srunner_run_all(r, CK_NORMAL);
	failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
