/* SPDX-License-Identifier: MIT */
/*
 * The index of memory and liveness: on random reports of many layouts the figures with the index, without it,
 * and worked out here are the same; rows of tiles, largest variables; the timeline at random zooms is a
 * scan of it; lives; sections that are broken are not used.
 */
#include "config.h"

#include <check.h>
#include <inttypes.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tilescope/base/mem.h"
#include "tilescope/report/index_build.h"
#include "tilescope/report/index_variables.h"
#include "tilescope/report/lives.h"
#include "tilescope/report/summary.h"
#include "tilescope/report/tile_variables.h"

#include "depth.h"
#include "index_dir.h"

enum { ROWS_MOST = 1200, NONE = -1, LAYOUTS = 8 };

__extension__ typedef __int128 i128;

struct fixture {
	struct index_dir d;
	char path[INDEX_PATH];
	sqlite3 *db;
	struct ts_report *report;
	struct ts_reader *plain, *indexed;
	struct ts_index *index;
	bool tables; /* a profile can have its rows; else they stay as they stand */
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
sql(struct fixture *f, const char *text)
{
	char *message = NULL;

	ck_assert_msg(sqlite3_exec(f->db, text, NULL, NULL, &message) == SQLITE_OK, "%s: %.200s",
		message, text);
}

static void
begin(struct fixture *f, int number)
{
	memset(f, 0, sizeof(*f));
	seed = (uint64_t)number * UINT64_C(0x9e3779b97f4a7c15) + 1;
	index_dir_begin(&f->d);
	snprintf(f->path, sizeof(f->path), "%s/relations.db", f->d.dir);
	ck_assert_int_eq(sqlite3_open(f->path, &f->db), SQLITE_OK);
	sql(f, "PRAGMA journal_mode=OFF; BEGIN");
}

static enum ts_code
read_alive(struct ts_alive **out, struct ts_reader *rd, const struct ts_lives *lives, int64_t step,
	int64_t program, const struct ts_alive *before, struct ts_err *err)
{
	struct ts_alive_query q = {.step = step,
		.program = program,
		.against = TS_UNKNOWN,
		.group = -1};

	return ts_alive_read(out, rd, lives, &q, before, err);
}

/* Every section that can be built, with that many parts; the parts one after the other. */
static void
build(struct fixture *f, int parts)
{
	struct ts_err err = {0};
	struct ts_build *b;
	bool busy;

	ck_assert_msg(ts_build_new(&b, &busy, f->report, &f->d.c, NULL, ~0u, parts, &err) == TS_OK,
		"%s", err.msg);
	ck_assert_ptr_nonnull(b);
	for (int stage = 0; stage < ts_build_stages(b); stage++) {
		struct ts_index *x;
		enum ts_code code = ts_build_begin(b, stage, &err);

		for (int i = 0; !code && i < ts_build_parts(b, stage); i++)
			code = ts_build_part(b, stage, i, f->plain, NULL, &err);
		if (code) {
			ts_build_drop(b, stage);
			continue;
		}
		if (!ts_build_finish(&x, b, stage, f->plain, NULL, &err))
			ts_index_release(x);
	}
	ts_build_free(b);
}

static void
open_report(struct fixture *f)
{
	struct ts_err err = {0};
	char profile[INDEX_PATH];

	sql(f, "COMMIT");
	snprintf(profile, sizeof(profile), "%s/profile.pop", f->d.dir);
	(f->tables ? relations_profile : relations_as_they_are)(f->path, profile);
	f->report = index_dir_open(&f->d, "profile.pop");
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

static bool
has(const struct fixture *f, enum ts_section s)
{
	size_t size;

	return ts_index_section(f->index, s, &size) != NULL;
}

/* --- random lowered variables ----------------------------------------------------------------- */

/* A row as it is understood: NONE = not to be used. */
struct row {
	int64_t id, tile, bytes;
	int category; /* number, or NONE */
};

struct rows {
	int count;
	struct row row[ROWS_MOST];
};

/* A random value for a column of numbers, and what it counts as. */
static int64_t
number(char *out, size_t size, int64_t sound)
{
	static const char *const odd[] = {"NULL", "-3", "'text'", "1.5", "9223372036854775807",
		"4611686018427387905", "x'00'"};

	if (any(40) == 0) {
		snprintf(out, size, "%s", odd[any(TS_COUNT(odd))]);
		return NONE;
	}
	if (any(40) == 0)
		snprintf(out, size, "%" PRId64 ".0", sound);
	else
		snprintf(out, size, "%" PRId64, sound);
	return sound;
}

static int64_t
random_tile(int order, int i, int n, int tiles)
{
	switch (order) {
	case 0:
		return (int64_t)i * tiles / n; /* in order */
	case 1:
		return (int64_t)any((uint64_t)tiles); /* strewn about */
	case 2:
		return (int64_t)(i / 7) % tiles; /* in blocks that come back */
	case 3:
		return tiles - 1 - (int64_t)i * tiles / n; /* backwards */
	default:
		return 5000000000 + 3 * ((int64_t)i * tiles / n); /* large numbers, with gaps */
	}
}

static int64_t
random_bytes(void)
{
	static const int64_t odd[] = {0, 1, UINT32_MAX, (int64_t)UINT32_MAX + 1, (int64_t)1 << 50,
		TS_NUMBER_MAX};

	if (any(100) == 0)
		return odd[any(TS_COUNT(odd) - (any(8) > 0))];
	return (int64_t)any(any(3) == 0 ? 10 : 5000) * 4;
}

/*
 * Layouts: plain columns, a key, an index, a view over a table, a view that has to be read forwards, without
 * row ids, gaps between row ids, and plain columns again (with another relation).
 */
static void
create_variables(struct fixture *f, int layout)
{
	static const char *const tables[LAYOUTS] = {
		"CREATE TABLE lowered_variable(tile, bytes, category, name)",
		"CREATE TABLE lowered_variable(id INTEGER PRIMARY KEY, tile INTEGER, bytes INTEGER, category INTEGER, name TEXT)",
		"CREATE TABLE lowered_variable(tile, bytes, category, name);"
		"CREATE INDEX by_tile ON lowered_variable(tile)",
		"CREATE TABLE base(tile, bytes, category, name);"
		"CREATE VIEW lowered_variable AS SELECT tile, bytes, category, name FROM base",
		"CREATE TABLE base(tile, bytes, category, name);"
		"CREATE VIEW lowered_variable AS SELECT tile, bytes, category, name FROM base "
		"UNION ALL SELECT tile, bytes, category, name FROM base WHERE 0",
		"CREATE TABLE lowered_variable(id INTEGER, tile, bytes, category, name, "
		"PRIMARY KEY(id)) WITHOUT ROWID",
		"CREATE TABLE lowered_variable(id INTEGER PRIMARY KEY, tile INTEGER, bytes INTEGER, category INTEGER, name TEXT)",
		"CREATE TABLE lowered_variable(tile, bytes, category, name)",
	};

	sql(f,
		"CREATE TABLE tile_memory(tile, total); INSERT INTO tile_memory VALUES(0,1);"
		"CREATE TABLE memory_category(category INTEGER, name TEXT);"
		"INSERT INTO memory_category VALUES(0,'variable'),(1,'constant'),(2,'stack'),"
		"(3,'variable'),(4,NULL),(7000,'far')");
	f->tables = layout == 1 || layout == 6;
	sql(f, tables[layout]);
}

static void
fill_variables(struct fixture *f, struct rows *rows, int layout, int order)
{
	const char *into = layout == 3 || layout == 4 ? "base" : "lowered_variable";
	bool keyed = layout == 1 || layout == 5 || layout == 6;
	int tiles = 1 + (int)any(30);
	int64_t id = 0;

	rows->count = (int)any(3) == 0 ? (int)any(5) : (int)any(ROWS_MOST);
	for (int i = 0; i < rows->count; i++) {
		struct row *r = &rows->row[i];
		char tile[40], bytes[40], category[40], key[40] = "", text[300];
		int64_t kind = any(20) == 0 ? 7000 + (int64_t)any(3) : (int64_t)any(6);

		id += layout == 6 ? 1 + (int64_t)any(1000) : 1;
		r->id = id;
		r->tile = number(tile, sizeof(tile), random_tile(order, i, rows->count, tiles));
		r->bytes = number(bytes, sizeof(bytes), random_bytes());
		r->category = (int)kind;
		snprintf(category, sizeof(category), "%d", r->category);
		if (any(40) == 0) {
			snprintf(category, sizeof(category), "NULL");
			r->category = NONE;
		}
		if (keyed)
			snprintf(key, sizeof(key), "%" PRId64 ",", id);
		snprintf(text, sizeof(text), "INSERT INTO %s VALUES(%s %s, %s, %s, 'v%d')", into,
			key, tile, bytes, category, (int)any(120));
		sql(f, text);
	}
}

static void
category_name(char out[40], int category)
{
	static const char *const names[] = {"variable", "constant", "stack", "variable"};

	if (category < 4)
		snprintf(out, 40, "%s", names[category]);
	else
		snprintf(out, 40, category == 7000 ? "far" : "category %d", category);
}

/* --- categories ------------------------------------------------------------------------------- */

/* Sum of a category's rows (on one tile, or NONE for all), as they are counted one after the other. */
static int64_t
sum_of(const struct rows *rows, const char *name, int64_t tile, int64_t *bad)
{
	int64_t all = 0, sum = 0;

	for (int i = 0; i < rows->count; i++) {
		const struct row *r = &rows->row[i];
		char its[40];

		if (r->tile == NONE || r->bytes == NONE || r->category == NONE)
			continue;
		category_name(its, r->category);
		if (strcmp(its, name) != 0)
			continue;
		if (!ts_add_i64(&all, r->bytes)) {
			++*bad;
			continue;
		}
		if (tile == NONE || tile == r->tile)
			sum += r->bytes;
	}
	return sum;
}

static void
check_categories(struct fixture *f, const struct rows *rows)
{
	struct ts_categories *c = ts_alloc(2, sizeof(*c));
	struct ts_err err = {0};
	int64_t bad = 0, ignored = 0;

	ck_assert_int_eq(ts_categories_read(&c[0], f->plain, NULL, &err), TS_OK);
	ck_assert_int_eq(ts_categories_read(&c[1], f->indexed, NULL, &err), TS_OK);
	for (int i = 0; i < rows->count; i++)
		bad += rows->row[i].tile == NONE || rows->row[i].bytes == NONE ||
			rows->row[i].category == NONE;
	for (int w = 0; w < 2; w++) {
		ck_assert_int_eq(c[w].rows, rows->count);
		ck_assert_int_eq(c[w].bad_rows, c[0].bad_rows);
		ck_assert_int_eq(c[w].count, c[0].count);
		ck_assert(c[w].from_variables && !c[w].cut);
		for (int i = 0; i < c[w].count; i++) {
			const struct ts_category *k = &c[w].category[i];
			int64_t worst = 0, highest = 0;

			ck_assert_str_eq(k->name, c[0].category[i].name);
			ck_assert_int_eq(k->bytes,
				sum_of(rows, k->name, NONE, w == 0 ? &bad : &ignored));
			ck_assert_int_eq(k->worst_tile, c[0].category[i].worst_tile);
			ck_assert_int_eq(k->worst_tile_bytes, c[0].category[i].worst_tile_bytes);
			for (size_t t = 0; t < c[w].tiles; t++) {
				int64_t bytes = ts_categories_on_tile(&c[w], i, c[w].tile[t]);

				ck_assert_int_eq(bytes,
					sum_of(rows, k->name, c[w].tile[t], &ignored));
				highest = ts_max_i64(highest, bytes);
				worst |= c[w].tile[t] == k->worst_tile;
			}
			ck_assert(highest == k->worst_tile_bytes);
			ck_assert(worst || k->worst_tile == INT64_MAX);
			ck_assert(i == 0 || k[-1].bytes >= k->bytes);
		}
	}
	ck_assert_int_eq(c[0].bad_rows, bad);
	ts_categories_fini(&c[0]);
	ts_categories_fini(&c[1]);
	free(c);
}

/* --- variables of tiles ----------------------------------------------------------------------- */

static void
check_same(const struct ts_tile_variables *a, const struct ts_tile_variables *b)
{
	ck_assert_int_eq(a->count, b->count);
	ck_assert_int_eq(a->found, b->found);
	ck_assert_int_eq(a->bytes, b->bytes);
	ck_assert_int_eq(a->bad_rows, b->bad_rows);
	for (int i = 0; i < a->count; i++) {
		const struct ts_tile_variable *x = &a->variable[i], *y = &b->variable[i];

		ck_assert_int_eq(x->bytes, y->bytes);
		ck_assert_int_eq(x->row, y->row);
		ck_assert(!x->unnamed && !y->unnamed);
		ck_assert_str_eq(x->name ? x->name : "-", y->name ? y->name : "-");
		ck_assert_str_eq(x->category ? x->category : "-", y->category ? y->category : "-");
	}
}

static void
check_tile(struct fixture *f, const struct rows *rows, int64_t tile)
{
	struct ts_tile_variables a, b;
	struct ts_err err = {0};
	int64_t found = 0, bad = 0;

	for (int i = 0; i < rows->count; i++) {
		found += rows->row[i].tile == tile && rows->row[i].bytes != NONE;
		bad += rows->row[i].tile == tile && rows->row[i].bytes == NONE;
	}
	ck_assert_int_eq(ts_tile_variables_read(&a, f->plain, tile, NULL, &err), TS_OK);
	ck_assert_int_eq(ts_tile_variables_list(&b, f->indexed, tile, 3, NULL, &err), TS_OK);
	for (int i = 0; i < 3 && i < b.count; i++)
		ck_assert(!b.variable[i].unnamed);
	ck_assert_int_eq(ts_tile_variables_name(&b, f->indexed, 3, b.count, &err), TS_OK);
	check_same(&a, &b);
	ck_assert_int_eq(b.found, found);
	ck_assert_int_eq(b.bad_rows, bad);
	ts_tile_variables_fini(&a);
	ts_tile_variables_fini(&b);
}

static void
check_rows_of_tile(const struct ts_index_variables *v, const struct rows *rows, int64_t tile)
{
	const struct ts_tile_rows *t = ts_index_variables_tile(v, tile);
	int64_t first = 0, last = 0, count = 0;
	bool together = true;

	for (int i = 0; i < rows->count; i++) {
		if (rows->row[i].tile != tile)
			continue;
		together = together && (count == 0 || rows->row[i - 1].tile == tile);
		first = count == 0 ? rows->row[i].id : first;
		last = rows->row[i].id;
		count++;
	}
	ck_assert((t != NULL) == (count > 0));
	if (!t)
		return;
	ck_assert_int_eq(t->rows, count);
	ck_assert_int_eq(t->flags & TS_TILE_ROWS_TOGETHER, together ? TS_TILE_ROWS_TOGETHER : 0);
	if (v->has_row_ids) {
		ck_assert_int_eq(t->first, first);
		ck_assert_int_eq(t->last, last);
	}
}

static int
largest_first(const void *a, const void *b)
{
	const struct row *x = a, *y = b;

	if (x->bytes != y->bytes)
		return x->bytes < y->bytes ? 1 : -1;
	return (x->id > y->id) - (x->id < y->id);
}

static void
check_list(const struct ts_large_row *list, size_t count, struct row *row, int n, size_t most)
{
	qsort(row, (size_t)n, sizeof(*row), largest_first);
	ck_assert_uint_eq(count, (size_t)n < most ? (size_t)n : most);
	for (size_t i = 0; i < count; i++) {
		ck_assert_int_eq(list[i].row, row[i].id);
		ck_assert_int_eq(list[i].bytes, row[i].bytes);
	}
}

static void
check_largest(const struct ts_index_variables *v, const struct rows *rows)
{
	static struct row kept[ROWS_MOST];
	int n = 0;

	for (int i = 0; i < rows->count; i++)
		if (rows->row[i].bytes != NONE)
			kept[n++] = rows->row[i];
	if (!v->has_row_ids) {
		ck_assert_uint_eq(v->largest, 0);
		return;
	}
	check_list(v->large, v->largest, kept, n, TS_LARGEST_OF_ALL);
	for (int k = 0; k < v->categories; k++) {
		const struct ts_large_row *list;
		const char *name;
		size_t count, length;

		list = ts_index_variables_category(v, k, &count, &name, &length);
		ck_assert_ptr_nonnull(list);
		n = 0;
		for (int i = 0; i < rows->count; i++) {
			const struct row *r = &rows->row[i];
			char its[40];

			if (r->tile == NONE || r->bytes == NONE || r->category == NONE)
				continue;
			category_name(its, r->category);
			if (strlen(its) == length && memcmp(its, name, length) == 0)
				kept[n++] = *r;
		}
		check_list(list, count, kept, n, TS_LARGEST_OF_CATEGORY);
	}
}

static void
check_facts(struct fixture *f, const struct rows *rows)
{
	struct ts_index_variables v;
	int64_t last = INT64_MIN, bad_tiles = 0, bad_sizes = 0;
	i128 sum = 0;
	bool in_order = true;

	ck_assert(ts_index_variables(&v, f->index));
	for (int i = 0; i < rows->count; i++) {
		const struct row *r = &rows->row[i];

		bad_tiles += r->tile == NONE;
		bad_sizes += r->bytes == NONE;
		sum += r->bytes == NONE ? 0 : r->bytes;
		in_order = in_order && (r->tile == NONE || r->tile >= last);
		last = r->tile == NONE ? last : r->tile;
	}
	ck_assert_int_eq(v.rows, rows->count);
	ck_assert_int_eq(v.bad_tiles, bad_tiles);
	ck_assert_int_eq(v.bad_sizes, bad_sizes);
	ck_assert_int_eq(v.bytes, sum > INT64_MAX ? TS_UNKNOWN : (int64_t)sum);
	ck_assert_int_eq(v.in_order, in_order);
	for (int i = 0; i < rows->count; i++)
		if (i % 7 == 0 && rows->row[i].tile != NONE)
			check_rows_of_tile(&v, rows, rows->row[i].tile);
	check_rows_of_tile(&v, rows, 777777);
	check_largest(&v, rows);
}

START_TEST(variables_of_random_reports)
{
	static struct rows rows;
	struct fixture f;
	int layout = _i % LAYOUTS;

	begin(&f, _i);
	create_variables(&f, layout);
	fill_variables(&f, &rows, layout, (int)any(5));
	sql(&f, "COMMIT; BEGIN");
	/* sections may take their share of the report; nothing is in the end of this one */
	ck_assert_int_eq(truncate(f.path, 8 << 20), 0);
	open_report(&f);
	ck_assert(has(&f, TS_SECTION_VARIABLES) && has(&f, TS_SECTION_CATEGORIES));
	check_categories(&f, &rows);
	check_facts(&f, &rows);
	for (int i = 0; i < 12 && i < rows.count; i++) {
		const struct row *r = &rows.row[any((uint64_t)rows.count)];

		if (r->tile != NONE)
			check_tile(&f, &rows, r->tile);
	}
	check_tile(&f, &rows, 777777);
	check_tile(&f, &rows, INT64_MAX);
	end(&f);
}
END_TEST

/* --- a relation of categories ----------------------------------------------------------------- */

START_TEST(categories_of_a_store)
{
	static struct rows rows;
	struct fixture f;
	char text[200];

	begin(&f, 1000 + _i);
	sql(&f,
		"CREATE TABLE memory_category(category INTEGER PRIMARY KEY, name TEXT);"
		"INSERT INTO memory_category VALUES(0,'variable'),(1,'constant');"
		"CREATE TABLE tile_category(tile INTEGER, category INTEGER, region TEXT, "
		"not_overlapped INTEGER, overlapped INTEGER);"
		"CREATE TABLE lowered_variable(id INTEGER PRIMARY KEY, tile INTEGER, name TEXT, "
		"bytes INTEGER)");
	rows.count = (int)any(ROWS_MOST);
	for (int i = 0; i < rows.count; i++) {
		int64_t tile = (int64_t)any(20), kind = (int64_t)any(2), a = random_bytes();
		int64_t b = (int64_t)any(100);

		rows.row[i] = (struct row){i + 1, tile, a, (int)kind};
		if (!ts_add_i64(&rows.row[i].bytes, any(4) ? b : (b = 0)))
			rows.row[i].bytes = NONE;
		snprintf(text, sizeof(text),
			"INSERT INTO tile_category VALUES(%d,%d,NULL,%" PRId64 ",%s%" PRId64 ")",
			(int)tile, (int)kind, a, "", b);
		sql(&f, text);
	}
	open_report(&f);
	ck_assert(has(&f, TS_SECTION_CATEGORIES) && has(&f, TS_SECTION_VARIABLES));
	{
		struct ts_categories *c = ts_alloc(2, sizeof(*c));
		int64_t ignored = 0;

		ck_assert_int_eq(ts_categories_read(&c[0], f.plain, NULL, NULL), TS_OK);
		ck_assert_int_eq(ts_categories_read(&c[1], f.indexed, NULL, NULL), TS_OK);
		ck_assert_int_eq(c[0].count, c[1].count);
		ck_assert_int_eq(c[0].bad_rows, c[1].bad_rows);
		for (int i = 0; i < c[0].count; i++) {
			ck_assert_str_eq(c[0].category[i].name, c[1].category[i].name);
			ck_assert_int_eq(c[0].category[i].bytes, c[1].category[i].bytes);
			ck_assert_int_eq(c[0].category[i].bytes,
				sum_of(&rows, c[0].category[i].name, NONE, &ignored));
			ck_assert_int_eq(c[0].category[i].worst_tile, c[1].category[i].worst_tile);
			for (int64_t t = 0; t < 20; t++)
				ck_assert_int_eq(ts_categories_on_tile(&c[0], i, t),
					ts_categories_on_tile(&c[1], i, t));
		}
		ck_assert(!c[0].from_variables && !c[1].from_variables);
		ts_categories_fini(&c[0]);
		ts_categories_fini(&c[1]);
		free(c);
	}
	end(&f);
}
END_TEST

/* --- the timeline ----------------------------------------------------------------------------- */

/* A range, point by point. */
static void
check_range(const struct ts_liveness *l, size_t from, size_t to)
{
	struct ts_live_range range;
	i128 sum = 0;
	int64_t least = INT64_MAX, steps;
	size_t highest = from;

	ts_liveness_range(&range, l, from, to);
	for (size_t i = from; i < to; i++) {
		highest = l->bytes[i] > l->bytes[highest] ? i : highest;
		least = ts_min_i64(least, l->least ? l->least[i] : l->bytes[i]);
		sum += l->sum ? ((i128)l->sum[i].high << 64) + (i128)l->sum[i].low : l->bytes[i];
	}
	steps = (int64_t)(to - from) * l->per - (to == l->count ? l->per - l->last : 0);
	ck_assert_uint_eq(range.highest, highest);
	ck_assert_int_eq(range.bytes, l->bytes[highest]);
	ck_assert_int_eq(range.least, least);
	ck_assert_int_eq(range.steps, steps);
	ck_assert(range.mean == (double)sum / (double)steps);
}

static void
check_zooms(const struct ts_liveness *l)
{
	for (int i = 0; l->count > 0 && i < 3000; i++) {
		size_t from = any(l->count), n = 1 + any(i % 3 ? 200 : l->count);

		check_range(l, from, from + n < l->count ? from + n : l->count);
	}
	if (l->count > 0)
		check_range(l, 0, l->count);
}

static void
check_lines(const struct ts_liveness *a, const struct ts_liveness *b)
{
	ck_assert_uint_eq(a->count, b->count);
	for (size_t i = 0; i < a->count; i++) {
		ck_assert_int_eq(a->step[i], b->step[i]);
		ck_assert_int_eq(a->bytes[i], b->bytes[i]);
		ck_assert_int_eq(a->program[i], b->program[i]);
	}
	ck_assert_int_eq(a->per, b->per);
	ck_assert_int_eq(a->last, b->last);
	ck_assert_int_eq(a->steps, b->steps);
	ck_assert_int_eq(a->first_step, b->first_step);
	ck_assert_int_eq(a->last_step, b->last_step);
	ck_assert_int_eq(a->bad_rows, b->bad_rows);
	ck_assert_int_eq(a->repeated, b->repeated);
	ck_assert_int_eq(a->unsorted, b->unsorted);
	ck_assert_int_eq(a->always_live, b->always_live);
	ck_assert_int_eq(a->memory, b->memory);
	ck_assert_int_eq(a->replicas, b->replicas);
	ck_assert_int_eq(a->memory_assumed, b->memory_assumed);
	ck_assert_uint_eq(a->peaks.count, b->peaks.count);
	ck_assert_uint_eq(a->peaks.found, b->peaks.found);
	for (size_t i = 0; i < a->peaks.count; i++) {
		ck_assert_uint_eq(a->peaks.peak[i].at, b->peaks.peak[i].at);
		ck_assert_int_eq(a->peaks.peak[i].height, b->peaks.peak[i].height);
		ck_assert_int_eq(a->peaks.peak[i].prominence, b->peaks.peak[i].prominence);
	}
}

static const char store_tables[] =
	"CREATE TABLE tile_memory(tile INTEGER PRIMARY KEY, total INTEGER, always_live INTEGER);"
	"INSERT INTO tile_memory VALUES(0,100,7),(1,120,8);"
	"CREATE TABLE liveness_step(live_step INTEGER, program INTEGER, not_always_live INTEGER);"
	"CREATE TABLE variable(variable INTEGER PRIMARY KEY, name TEXT, bytes INTEGER, "
	"always_live INTEGER);"
	"CREATE TABLE liveness_variable(variable INTEGER, start INTEGER, end INTEGER)";

START_TEST(timelines_of_random_reports)
{
	struct ts_liveness a, b;
	struct ts_peak x, y;
	struct fixture f;
	int n, kind;

	begin(&f, 2000 + _i);
	sql(&f, store_tables);
	kind = (int)any(3);
	n = (int)any(kind == 2 ? 3 : 600);
	for (int i = 0; i < n; i++) {
		char step[40], bytes[40], text[200];

		number(step, sizeof(step), kind == 1 ? (int64_t)any(700) : i);
		number(bytes, sizeof(bytes), random_bytes());
		snprintf(text, sizeof(text), "INSERT INTO liveness_step VALUES(%s,%d,%s)", step,
			(int)any(50), bytes);
		sql(&f, text);
	}
	open_report(&f);
	ck_assert(has(&f, TS_SECTION_LIVENESS));
	ck_assert_int_eq(ts_liveness_read(&a, f.plain, NULL, NULL), TS_OK);
	ck_assert_int_eq(ts_liveness_read(&b, f.indexed, NULL, NULL), TS_OK);
	check_lines(&a, &b);
	check_zooms(&a);
	check_zooms(&b);
	ck_assert_int_eq(ts_peak_read(&x, f.plain, NULL), TS_OK);
	ck_assert_int_eq(ts_peak_read(&y, f.indexed, NULL), TS_OK);
	ck_assert(x.bytes == y.bytes && x.step == y.step && x.steps == y.steps &&
		x.bad_rows == y.bad_rows);
	ts_liveness_fini(&a);
	ts_liveness_fini(&b);
	end(&f);
}
END_TEST

/* Enough points for three levels, and more steps than are kept: groups. */
START_TEST(long_timelines)
{
	struct ts_liveness a, b;
	struct fixture f;
	char text[300];

	begin(&f, 3000 + _i);
	f.tables = true;
	sql(&f, store_tables);
	snprintf(text, sizeof(text),
		"WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < %d) "
		"INSERT INTO liveness_step SELECT i * 3, i %% 7, (i * 7919) %% 10007 + "
		"(i / 5000) * 100 FROM n",
		_i == 0 ? 20000 : TS_LIVENESS_POINTS + 12345);
	sql(&f, text);
	sql(&f, "COMMIT; BEGIN");
	ck_assert_int_eq(truncate(f.path, (off_t)1 << 31), 0);
	open_report(&f);
	ck_assert_int_eq(ts_liveness_read(&a, f.plain, NULL, NULL), TS_OK);
	ck_assert_int_eq(ts_liveness_read(&b, f.indexed, NULL, NULL), TS_OK);
	ck_assert_ptr_nonnull(b.index);
	ck_assert_int_eq(b.per, _i == 0 ? 1 : 2);
	check_lines(&a, &b);
	check_zooms(&b);
	ts_liveness_fini(&a);
	ts_liveness_fini(&b);
	end(&f);
}
END_TEST

/* --- lives ------------------------------------------------------------------------------------ */

/* A name as SQL, some several times: also none, an empty one, one with a NUL in it, one that is cut. */
static void
some_name(char *out, size_t size)
{
	switch (any(12)) {
	case 0:
		snprintf(out, size, "NULL");
		break;
	case 1:
		snprintf(out, size, "''");
		break;
	case 2:
		snprintf(out, size, "'w%d' || char(0) || 'x%d'", (int)any(9), (int)any(9));
		break;
	case 3:
		snprintf(out, size, "replace(hex(zeroblob(4100)), '00', 'ab') || %d", (int)any(9));
		break;
	default:
		snprintf(out, size, "'layer_%d/w%d'", (int)any(20), (int)any(90));
	}
}

/* Names are those of the rows, and numbers of names in the order of the texts. */
static void
check_names(const struct ts_alive *x, const struct ts_alive *y)
{
	bool all = true;

	ck_assert_ptr_null(x->index);
	ck_assert_ptr_nonnull(y->index);
	ck_assert_int_eq(x->rows, y->rows);
	for (int i = 0; i < y->rows; i++) {
		int k = (int)any((uint64_t)y->rows), c;

		ck_assert_str_eq(ts_alive_name(x, i), ts_alive_name(y, i));
		ck_assert_int_eq(y->row[i].length, 0);
		ck_assert_int_eq(*ts_alive_name(y, i) != '\0', y->row[i].name > 0);
		all = all && y->row[i].name > 0;
		if (y->row[i].name == 0 || y->row[k].name == 0)
			continue;
		c = strcmp(ts_alive_name(x, i), ts_alive_name(x, k));
		ck_assert_int_eq((c > 0) - (c < 0),
			(y->row[i].name > y->row[k].name) - (y->row[i].name < y->row[k].name));
	}
	ck_assert_int_eq(y->ranked, all);
}

static void
check_alive(struct fixture *f, const struct ts_lives *a, const struct ts_lives *b, int64_t step)
{
	struct ts_alive *x, *y;
	sqlite3_stmt *s = NULL;
	int row = 0;

	ck_assert_int_eq(read_alive(&x, f->plain, a, step, -1, NULL, NULL), TS_OK);
	ck_assert_int_eq(read_alive(&y, f->indexed, b, step, -1, NULL, NULL), TS_OK);
	ck_assert_int_eq(
		sqlite3_prepare_v2(f->db,
			"SELECT v.variable, v.bytes FROM variable v WHERE v.always_live = 0 "
			"AND EXISTS (SELECT 1 FROM liveness_variable l WHERE l.variable = v.variable "
			"AND l.start <= ?1 AND l.\"end\" > ?1) ORDER BY v.bytes DESC, v.variable",
			-1, &s, NULL),
		SQLITE_OK);
	sqlite3_bind_int64(s, 1, step);
	for (; sqlite3_step(s) == SQLITE_ROW; row++) {
		if (row >= TS_ALIVE_MAX)
			continue;
		ck_assert_int_lt(row, x->rows);
		ck_assert_int_lt(row, y->rows);
		ck_assert_int_eq(x->row[row].variable, sqlite3_column_int64(s, 0));
		ck_assert_int_eq(y->row[row].variable, sqlite3_column_int64(s, 0));
		ck_assert_int_eq(y->row[row].bytes, sqlite3_column_int64(s, 1));
		ck_assert_int_eq(x->row[row].total, y->row[row].total);
	}
	sqlite3_finalize(s);
	ck_assert_int_eq(x->count, row);
	ck_assert_int_eq(y->count, row);
	ck_assert_int_eq(x->bytes, y->bytes);
	check_names(x, y);
	ts_alive_close(x);
	ts_alive_close(y);
}

START_TEST(lives_of_random_reports)
{
	struct ts_lives *a, *b;
	struct fixture f;
	char text[300];
	int variables, lives;
	int64_t far;

	begin(&f, 4000 + _i);
	sql(&f, store_tables);
	variables = 1 + (int)any(2000);
	lives = (int)any(4000);
	far = any(3) == 0 ? (int64_t)1 << 31 : 300; /* too far for totals by step */
	for (int i = 0; i < variables; i++) {
		char name[80];

		if (_i % 2)
			some_name(name, sizeof(name));
		else
			snprintf(name, sizeof(name), "'v%d'", i / 2);
		snprintf(text, sizeof(text), "INSERT INTO variable VALUES(%d,%s,%d,%d)", 3 * i,
			name, (int)any(50), any(10) == 0);
		sql(&f, text);
	}
	for (int i = 0; i < lives; i++) {
		int64_t start = (int64_t)any((uint64_t)far);

		snprintf(text, sizeof(text),
			"INSERT INTO liveness_variable VALUES(%d,%" PRId64 ",%" PRId64 ")",
			(int)any((uint64_t)variables + 10) * 3, start,
			start + (int64_t)any((uint64_t)far / 3) - 2);
		sql(&f, text);
	}
	open_report(&f);
	ck_assert(has(&f, TS_SECTION_LIVES) && has(&f, TS_SECTION_NAMES));
	ck_assert_int_eq(ts_lives_read(&a, f.plain, NULL, NULL), TS_OK);
	ck_assert_int_eq(ts_lives_read(&b, f.indexed, NULL, NULL), TS_OK);
	ck_assert_ptr_null(a->index);
	ck_assert_ptr_nonnull(b->index);
	ck_assert_int_eq(a->reversed, b->reversed);
	ck_assert_int_eq(a->orphans, b->orphans);
	ck_assert_int_eq(a->always, b->always);
	for (int i = 0; i < 20; i++)
		check_alive(&f, a, b, (int64_t)any((uint64_t)far + far / 4));
	check_alive(&f, a, b, 0);
	check_alive(&f, a, b, 2 * far);
	ts_lives_close(a);
	ts_lives_close(b);
	end(&f);
}
END_TEST

/* --- what is broken is not used --------------------------------------------------------------- */

/* A relation that cannot be read to its end has no section. */
START_TEST(a_damaged_relation_has_no_section)
{
	static struct rows rows;
	struct ts_categories *c = ts_alloc(2, sizeof(*c));
	struct ts_err err;
	struct fixture f;
	FILE *file;
	long pages;

	begin(&f, 5);
	create_variables(&f, 0);
	do
		fill_variables(&f, &rows, 0, 0);
	while (rows.count < 1000);
	sql(&f, "COMMIT; BEGIN");
	file = fopen(f.path, "r+");
	fseek(file, 0, SEEK_END);
	pages = ftell(file) / 4096;
	fseek(file, (pages - 2) * 4096, SEEK_SET);
	for (int i = 0; i < 4096; i++)
		fputc(i * 31 + 7, file);
	fclose(file);
	open_report(&f);
	ck_assert_int_eq(ts_categories_read(&c[0], f.plain, NULL, &err), TS_E_DAMAGED);
	ck_assert(!has(&f, TS_SECTION_CATEGORIES) && !has(&f, TS_SECTION_VARIABLES));
	ck_assert_int_eq(ts_categories_read(&c[1], f.indexed, NULL, &err), TS_E_DAMAGED);
	ck_assert_int_eq(c[0].rows, c[1].rows);
	ts_categories_fini(&c[0]);
	ts_categories_fini(&c[1]);
	free(c);
	end(&f);
}
END_TEST

/* Payloads of noise with a right checksum: nothing is believed that points outside, nothing crashes. */
START_TEST(payloads_of_noise)
{
	static const enum ts_section sections[] = {TS_SECTION_CATEGORIES, TS_SECTION_VARIABLES,
		TS_SECTION_LIVENESS, TS_SECTION_LIVES, TS_SECTION_NAMES};
	static struct rows rows;
	struct fixture f;

	begin(&f, 6000 + _i);
	sql(&f, store_tables);
	sql(&f,
		"CREATE TABLE lowered_variable(id INTEGER PRIMARY KEY, tile INTEGER, name TEXT, "
		"bytes INTEGER, category INTEGER);"
		"INSERT INTO lowered_variable VALUES(1,0,'a',4,1),(2,0,'b',8,2),(3,1,'c',4,1);"
		"INSERT INTO variable VALUES(1,'x',5,0),(2,'y',6,0);"
		"INSERT INTO liveness_variable VALUES(1,0,3),(2,1,2);"
		"INSERT INTO liveness_step VALUES(0,1,5),(1,1,11),(2,1,5)");
	open_report(&f);
	(void)rows;
	for (size_t s = 0; s < TS_COUNT(sections); s++) {
		struct ts_section_writer *w;
		struct ts_index *x;
		struct ts_err err = {0};
		unsigned char bytes[2000];
		size_t size, n;
		const void *payload = ts_index_section(f.index, sections[s], &size);

		ck_assert_ptr_nonnull(payload);
		n = size < sizeof(bytes) ? size : sizeof(bytes);
		memcpy(bytes, payload, n);
		for (uint64_t i = 0, flips = 1 + any(6); i < flips; i++)
			bytes[any(n < 150 ? n : 150)] = (unsigned char)(any(2) ? any(256) : 0xff);
		ck_assert_int_eq(ts_section_create(&w, &f.d.c, f.report, sections[s], &err), TS_OK);
		ck_assert_int_eq(ts_section_append(w, NULL, bytes, any(4) ? n : any(n), &err),
			TS_OK);
		ck_assert_int_eq(ts_section_commit(w, &err), TS_OK);
		ck_assert_int_eq(ts_index_open(&x, &f.d.c, f.report, NULL, NULL, &err), TS_OK);
		ts_reader_set_index(f.indexed, x);
		ts_index_release(x);
	}
	for (int i = 0; i < 2; i++) {
		struct ts_categories *c = ts_alloc(1, sizeof(*c));
		struct ts_tile_variables v;
		struct ts_index_variables facts;
		struct ts_liveness l;
		struct ts_lives *lives;
		struct ts_alive *alive;
		struct ts_live_range range;
		size_t count, length;
		const char *name;

		ck_assert_int_eq(ts_categories_read(c, f.indexed, NULL, NULL), TS_OK);
		for (int k = 0; k < c->count; k++)
			ck_assert_int_ge(ts_categories_on_tile(c, k, i), 0);
		ts_categories_fini(c);
		free(c);
		ck_assert_int_eq(ts_tile_variables_read(&v, f.indexed, i, NULL, NULL), TS_OK);
		ts_tile_variables_fini(&v);
		if (ts_index_variables(&facts, f.indexed->index))
			for (int k = -1; k <= facts.categories; k++)
				ts_index_variables_category(&facts, k, &count, &name, &length);
		ck_assert_int_eq(ts_liveness_read(&l, f.indexed, NULL, NULL), TS_OK);
		if (l.count > 0)
			ts_liveness_range(&range, &l, 0, l.count);
		ts_liveness_fini(&l);
		ck_assert_int_eq(ts_lives_read(&lives, f.indexed, NULL, NULL), TS_OK);
		ck_assert_int_eq(read_alive(&alive, f.indexed, lives, i, 0, NULL, NULL), TS_OK);
		for (int k = 0; k < alive->rows; k++)
			ck_assert_uint_lt(strlen(ts_alive_name(alive, k)), TS_ALIVE_NAME + 1);
		ts_alive_close(alive);
		ts_lives_close(lives);
	}
	end(&f);
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("memory_index");
	TCase *c = tcase_create("memory_index");
	SRunner *r;
	int failed, times = at_full_depth() ? 2 : 1;

	tcase_set_timeout(c, 120);
	tcase_add_loop_test(c, variables_of_random_reports, 0, 2 * LAYOUTS * times);
	tcase_add_loop_test(c, categories_of_a_store, 0, times);
	tcase_add_loop_test(c, timelines_of_random_reports, 0, 2 * times);
	tcase_add_loop_test(c, long_timelines, 0, 2);
	tcase_add_loop_test(c, lives_of_random_reports, 0, times);
	tcase_add_test(c, a_damaged_relation_has_no_section);
	tcase_add_loop_test(c, payloads_of_noise, 0, 20 * times);
	suite_add_tcase(s, c);
	r = srunner_create(s);
	srunner_run_all(r, CK_NORMAL);
	failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
