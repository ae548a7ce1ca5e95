/* SPDX-License-Identifier: MIT */
/*
 * Columns of lowered variables in the index: the values and names of random reports against the rows themselves;
 * filters, layers and using() with them and without; sections that say anything.
 */
#include "config.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "depth.h"
#include "index_dir.h"
#include "sqlite_bytes.h"

#include "../../src/report/index_columns_internal.h"

#include "tilescope/base/mem.h"
#include "tilescope/report/breakdown.h"
#include "tilescope/report/index_columns.h"
#include "tilescope/report/memory.h"
#include "tilescope/report/tile_world.h"
#include "tilescope/report/variable_list.h"

enum { ROWS = 3000, HEAD = 400, LINES = 12, MANY_ROWS = 1000000 /* a number of a report */ };

static struct index_dir d;
static struct ts_report *r;
static struct ts_reader *rd;
static struct ts_index *x;
static int rows;
static uint64_t seed;

static uint32_t
roll(uint32_t n)
{
	seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (uint32_t)(seed >> 33) % n;
}

/* --- reports ---------------------------------------------------------------------------------- */

static const char common[] =
	"PRAGMA journal_mode=OFF; PRAGMA synchronous=OFF; BEGIN;"
	"CREATE TABLE target(type TEXT, ipus INTEGER, replicas INTEGER, tiles_per_ipu INTEGER,"
	" bytes_per_tile INTEGER);"
	"INSERT INTO target VALUES('IPU', 4, 1, 16, 100000);"
	"CREATE TABLE memory_category(category INTEGER, name TEXT);"
	"INSERT INTO memory_category VALUES(0, 'variable'), (1, 'stack'), (2, 'message');"
	"CREATE TABLE lowered_variable(id INTEGER PRIMARY KEY, tile, name, bytes, offset, alignment,"
	" category, class, variable, always_live)";

/* Small, large, rising, far apart: what the packing has to choose between. */
static int64_t
some_number(int kind, int i)
{
	switch (kind) {
	case 0:
		return i / 90;
	case 1:
		return 4 * (int64_t)roll(100) + 40;
	case 2:
		return (int64_t)i * 1000 + roll(500);
	case 3:
		return roll(50) ? (int64_t)roll(30) : (INT64_C(1) << roll(63)) - 1;
	case 4:
		return (INT64_C(1) << 62) - (int64_t)roll(3);
	default:
		return 7;
	}
}

static void
bind(sqlite3_stmt *s, int column, int kind, int i)
{
	if (roll(40) == 0) /* NULL, a text, a negative number, one that is too large */
		switch (roll(4)) {
		case 0:
			break;
		case 1:
			sqlite3_bind_text(s, column, "none", -1, SQLITE_STATIC);
			break;
		default:
			sqlite3_bind_int64(s, column, roll(2) ? -1 - (int64_t)roll(9) : INT64_MAX);
		}
	else
		sqlite3_bind_int64(s, column, some_number(kind, i));
}

static void
bind_name(sqlite3_stmt *s, int i, bool distinct)
{
	static const char *const layers[] = {"layer_", "Layer_", "enc\xff/", "", "loss/", "block"};
	char name[80];
	int n = distinct ? snprintf(name, sizeof(name), "name %d", i)
			 : snprintf(name, sizeof(name), "%s%u/%s_%u", layers[roll(6)], roll(4),
				   roll(2) ? "partials" : "matMul/weights", roll(30));

	if (!distinct && roll(700) == 0)
		n = snprintf(name, sizeof(name), "rare_%u", roll(9));
	if (roll(30) == 0)
		sqlite3_bind_int64(s, 3, 12);
	else if (roll(30))
		sqlite3_bind_text(s, 3, name, roll(90) ? n : 0, SQLITE_TRANSIENT);
}

/* A report of so many rows, whose values `add` binds (not their row ids). */
static void
begin_with(int number, int count, void (*add)(sqlite3_stmt *s, int i))
{
	struct ts_err err = {0};
	char path[INDEX_PATH];
	sqlite3_stmt *s;
	sqlite3 *db;

	rows = count;
	index_dir_begin(&d);
	snprintf(path, sizeof(path), "%s/relations.db", d.dir);
	ck_assert_int_eq(sqlite3_open(path, &db), SQLITE_OK);
	sqlite_run(db, common);
	ck_assert_int_eq(sqlite3_prepare_v2(db,
				 "INSERT INTO lowered_variable VALUES(?,?,?,?,?,?,?,?,?,?)", -1, &s,
				 NULL),
		SQLITE_OK);
	for (int i = 0; i < rows; i++) {
		sqlite3_clear_bindings(s);
		add(s, i);
		ck_assert_int_eq(sqlite3_step(s), SQLITE_DONE);
		sqlite3_reset(s);
	}
	sqlite3_finalize(s);
	sqlite_run(db, "COMMIT");
	sqlite3_close(db);
	r = index_dir_relations(&d);
	ck_assert_int_eq(ts_reader_open(&rd, r, &err), TS_OK);
	x = index_dir_build(&d, r, rd, 1u << TS_SECTION_COLUMNS, 1 + number % 4);
}

/* What the rows of begin() are. */
static int number_of, kinds[11];

static void
add_any(sqlite3_stmt *s, int i)
{
	sqlite3_bind_int64(s, 1, number_of % 5 == 4 ? 10 + 3 * i : 10 + i);
	for (int column = 2; column < 11; column++)
		if (column != 3)
			bind(s, column, kinds[column], i);
	bind_name(s, i, number_of % 11 == 10);
}

static void
begin(int number)
{
	int count;

	seed = (uint64_t)number * 7919 + 1;
	number_of = number;
	count = number >= MANY_ROWS ? 12000 : number % 7 == 6 ? (int)roll(3) : 1 + (int)roll(ROWS);
	for (int i = 0; i < 11; i++)
		kinds[i] = (int)roll(6);
	kinds[2] = 0;
	kinds[4] = number % 3 ? 1 : kinds[4];
	kinds[7] = number % 3 ? 3 : kinds[7];
	begin_with(number, count, add_any);
}

static void
end(void)
{
	ts_reader_set_index(rd, NULL);
	ts_index_release(x);
	ts_reader_close(rd);
	ts_report_close(r);
	index_dir_end(&d);
}

/* --- values ----------------------------------------------------------------------------------- */

struct named {
	int64_t name;
	char text[100];
	int n; /* -1: none, -2: no such name */
};

static void
take_name(void *ctx, int64_t name, const char *s, size_t n, size_t same)
{
	struct named *w = ctx;

	(void)same;
	if (name != w->name)
		return;
	w->n = s ? (int)n : -1;
	if (s)
		memcpy(w->text, s, n);
}

static void
check_name(const struct ts_columns *c, struct ts_rows *cursor, int column, int64_t name)
{
	struct named w = {.name = name, .n = -2};
	const char *s;
	size_t n;

	if (ts_rows_text(cursor, column, &s, &n) != TS_VALUE_OK) {
		ck_assert_int_eq(name, TS_UNKNOWN);
		return;
	}
	ck_assert(ts_columns_names(c, name / TS_COLUMN_NAMES, take_name, &w));
	ck_assert_int_eq(w.n, (int)n);
	ck_assert_mem_eq(w.text, s, n);
}

static void
check_bounds(const struct ts_columns *c, enum ts_column column, int64_t block, const int64_t *v)
{
	int64_t least, most;
	bool unknown;

	ts_columns_bounds(c, column, block, &least, &most, &unknown);
	for (int k = 0; k < ts_columns_rows(c, block); k++)
		ck_assert(v[k] < 0 ? unknown : v[k] >= least && v[k] <= most);
}

/* What is said of few values without reading them is so. */
static bool
check_few(const struct ts_columns *c, enum ts_column column, int64_t block, const int64_t *v)
{
	uint64_t out[TS_COLUMN_ROWS / 64],
		wanted[] = {1, 2, 0, ~UINT64_C(0), UINT64_C(1) << roll(30)};
	bool said = false;

	for (size_t i = 0; i < TS_COUNT(wanted); i++) {
		if (!ts_columns_few(c, column, block, wanted[i], out))
			return false;
		for (int k = 0; k < TS_COLUMN_ROWS; k++) {
			bool is = k < ts_columns_rows(c, block) && wanted[i] >> (v[k] & 63) & 1;

			ck_assert(k >= ts_columns_rows(c, block) || (v[k] >= 0 && v[k] < 64));
			ck_assert_int_eq(out[k / 64] >> k % 64 & 1, is);
		}
		said = true;
	}
	return said;
}

START_TEST(values)
{
	struct ts_rows_query q = {.column_count = TS_COLUMN_COUNT};
	static int64_t v[TS_COLUMN_COUNT][TS_COLUMN_ROWS];
	struct ts_err err = {0};
	struct ts_rows *cursor;
	struct ts_columns c;
	int64_t seen = 0, *named;
	bool there;

	begin(_i);
	ck_assert(ts_columns_of(&c, x));
	named = calloc((size_t)c.names + 1, sizeof(*named));
	ck_assert_ptr_nonnull(named);
	ck_assert_int_eq(c.rows, rows);
	ck_assert_int_eq(c.gapless, rows > 0 && (_i % 5 != 4 || rows == 1));
	for (int i = 0; i < TS_COLUMN_COUNT; i++) {
		q.columns[i] = ts_column_relation((enum ts_column)i);
		ck_assert_int_eq(ts_column_find(q.columns[i]), i);
		ck_assert(i == TS_COLUMN_CATEGORY || c.block[i]);
	}
	ck_assert_int_eq(ts_reader_rows(&cursor, rd, TS_LOWERED_VARIABLE, &q, &err), TS_OK);
	for (int64_t b = 0; b < c.blocks; b++) {
		for (int i = 0; i < TS_COLUMN_COUNT; i++) {
			if (!c.block[i])
				continue;
			ck_assert(ts_columns_read(&c, (enum ts_column)i, b, v[i]));
			check_bounds(&c, (enum ts_column)i, b, v[i]);
			(void)check_few(&c, (enum ts_column)i, b, v[i]);
		}
		for (int k = 0; k < ts_columns_rows(&c, b); k++, seen++) {
			ck_assert_int_eq(ts_rows_next(cursor, &there, &err), TS_OK);
			ck_assert(there);
			check_name(&c, cursor, 0, v[0][k]);
			if (v[0][k] >= 0)
				named[v[0][k]]++;
			for (int i = 1; i < TS_COLUMN_COUNT; i++)
				if (c.block[i])
					ck_assert_int_eq(v[i][k], ts_rows_known(cursor, i));
		}
	}
	ck_assert_int_eq(seen, rows);
	for (int64_t i = 0, sum = 0; i <= c.names; sum += named[i++])
		ck_assert_int_eq(c.before[i], sum);
	free(named);
	ts_rows_close(cursor);
	end();
}
END_TEST

/* --- what is answered with them ----------------------------------------------------------------- */

static const char *const lines[LINES] = {
	"partials",
	"name~layer_[12]/ or bytes>300",
	"not name:partials",
	"not (category=stack or bytes<100) offset>200",
	"tile:3,7-12 class<20",
	"tile in over(90%) or tile in (1 - 4)",
	"ipu:1 not always_live",
	"always_live variable>=5",
	"alignment=7 or alignment:40-80,100",
	"category:category or name=/partials_3",
	"name~_2$ and name!~layer and category:a",
	"bytes>=4611686018427387902 or offset=0-8388607",
};

struct outcome {
	enum ts_code code;
	int64_t count, bytes, all_bytes, unsized;
	char *is; /* a byte a row */
};

static struct outcome
list_of(struct ts_variables *v, const char *line, struct ts_index *index)
{
	struct ts_err err = {0};
	struct outcome o = {.is = calloc((size_t)rows + 1, 1)};
	struct ts_variable_list *l;
	struct ts_filter f;
	bool gap;

	ck_assert_msg(ts_filter_parse(&f, line, ts_variable_fields, NULL, &err) == TS_OK, "%s",
		err.msg);
	ts_reader_set_index(rd, index);
	l = ts_variable_list_new(v, TS_SORT_ROW, false, &f);
	o.code = ts_variable_list_make(l, rd, &gap, NULL, NULL, &err);
	o.count = ts_variable_list_count(l);
	o.bytes = atomic_load(&l->bytes);
	o.all_bytes = atomic_load(&l->all_bytes);
	o.unsized = atomic_load(&l->unsized);
	for (int64_t i = 0; i < o.count && !o.code; i++) {
		int64_t place = ts_variable_list_place(l, i);

		ck_assert_int_ge(place, 0);
		o.is[place] = 1;
	}
	ts_variable_list_release(l);
	return o;
}

static struct ts_variables *
open_variables(void)
{
	struct ts_variables *v, *counted;
	struct ts_err err = {0};

	ck_assert_int_eq(ts_variables_open(&v, rd, &d.c, &err), TS_OK);
	ck_assert_int_eq(ts_variables_count(&counted, v, rd, NULL, &err), TS_OK);
	ts_variables_release(v);
	return counted;
}

START_TEST(filters)
{
	struct ts_variables *v;

	begin(_i);
	v = open_variables();
	for (int i = 0; i < LINES; i++) {
		struct outcome a = list_of(v, lines[i], NULL), b = list_of(v, lines[i], x);

		ck_assert_int_eq(a.code, b.code);
		ck_assert_msg(a.count == b.count, "%s: %lld, not %lld", lines[i],
			(long long)b.count, (long long)a.count);
		ck_assert_mem_eq(a.is, b.is, (size_t)rows);
		ck_assert_int_eq(a.bytes, b.bytes);
		ck_assert_int_eq(a.all_bytes, b.all_bytes);
		ck_assert_int_eq(a.unsized, b.unsized);
		free(a.is);
		free(b.is);
	}
	ts_variables_release(v);
	end();
}
END_TEST

/* --- the first rows, the next hit ---------------------------------------------------------------- */

static struct ts_variable_list *
new_list(struct ts_variables *v, enum ts_variable_sort sort, bool reverse, const char *line)
{
	struct ts_err err = {0};
	struct ts_variable_list *l;
	struct ts_filter f;

	ck_assert_msg(ts_filter_parse(&f, line, ts_variable_fields, NULL, &err) == TS_OK, "%s",
		err.msg);
	l = ts_variable_list_new(v, sort, reverse, &f);
	ck_assert_ptr_nonnull(l);
	return l;
}

/* Made of the rows. */
static struct ts_variable_list *
plain_list(struct ts_variables *v, enum ts_variable_sort sort, bool reverse, const char *line)
{
	struct ts_variable_list *l = new_list(v, sort, reverse, line);
	struct ts_err err = {0};
	bool gap;

	ts_reader_set_index(rd, NULL);
	if (!atomic_load(&l->ready))
		ck_assert_msg(ts_variable_list_make(l, rd, &gap, NULL, NULL, &err) == TS_OK,
			"%s: %s", line, err.msg);
	return l;
}

/* What is shown of `l` is what `want` begins with; *whole: it is all of it. */
static void
check_beginning(const struct ts_variable_list *l, const struct ts_variable_list *want,
	const char *line)
{
	int64_t count = ts_variable_list_count(l);
	bool ready = atomic_load(&l->ready);

	ck_assert_msg(ready ? count == want->count : count > 0 && count <= want->count,
		"%s: %lld of %lld", line, (long long)count, (long long)want->count);
	for (int64_t i = 0; i < count; i++)
		ck_assert_msg(ts_variable_list_place(l, i) == ts_variable_list_place(want, i),
			"%s: position %lld", line, (long long)i);
	if (!ready)
		return;
	ck_assert_int_eq(l->known, want->known);
	ck_assert_int_eq(atomic_load(&l->bytes), atomic_load(&want->bytes));
	ck_assert_int_eq(atomic_load(&l->all_bytes), atomic_load(&want->all_bytes));
	ck_assert_int_eq(atomic_load(&l->unsized), atomic_load(&want->unsized));
	for (int64_t place = 0; place < l->v->rows; place++)
		ck_assert_int_eq(ts_variable_list_has(l, place), ts_variable_list_has(want, place));
}

static const enum ts_variable_sort sorts[] = {TS_SORT_ROW, TS_SORT_BYTES, TS_SORT_NAME,
	TS_SORT_TILE, TS_SORT_ALWAYS, TS_SORT_OFFSET};

/* An order of all rows as it is kept, with where each name stands in it. */
static struct ts_variable_list *
kept_order(struct ts_variables *v, enum ts_variable_sort sort)
{
	struct ts_variable_list *made = plain_list(v, sort, false, ""),
				*l = new_list(v, sort, false, "");
	struct ts_err err = {0};

	ts_reader_set_index(rd, x);
	ck_assert_msg(ts_variable_list_keep(made, rd, NULL, &err) == TS_OK, "%s", err.msg);
	if (!atomic_load(&l->ready))
		ck_assert(ts_variable_list_load(l, rd));
	ts_variable_list_release(made);
	return l;
}

/* An order that was asked for stays mapped, whatever becomes of its file; one that is kept once more is read again. */
START_TEST(orders_are_mapped_once)
{
	struct ts_cache_cleared cleared;
	struct ts_variable_list *l, *again, *other;
	struct ts_variables *v, *anew;
	struct ts_err err = {0};

	begin(2 + 4 * _i);
	v = open_variables();
	ts_reader_set_index(rd, NULL); /* no names are known */
	again = plain_list(v, TS_SORT_BYTES, false, "");
	ck_assert_int_eq(ts_variable_list_keep(again, rd, NULL, &err), TS_OK);
	ts_variable_list_release(again);
	other = new_list(v, TS_SORT_BYTES, false, "");
	ck_assert(ts_variable_list_load(other, rd));
	ck_assert_int_eq(other->names, 0);
	l = kept_order(v, TS_SORT_BYTES); /* once more, with them */
	ck_assert_int_gt(l->names, 0);
	ts_variable_list_release(other);
	ts_variables_release(v);
	v = open_variables();
	other = new_list(v, TS_SORT_BYTES, false, "");
	ck_assert(ts_variable_list_load(other, rd));
	ck_assert_int_eq(ts_cache_clear(&cleared, &d.c, &err), TS_OK);
	again = new_list(v, TS_SORT_BYTES, false, "");
	ck_assert(ts_variable_list_load(again, rd));
	ck_assert_int_eq(again->count, rows);
	for (int64_t i = 0; i < again->count; i++)
		ck_assert_int_eq(ts_variable_list_place(again, i), ts_variable_list_place(l, i));
	ts_variable_list_release(again);
	ts_variable_list_release(other);
	ts_variable_list_release(l);
	anew = open_variables();
	l = new_list(anew, TS_SORT_BYTES, false, "");
	ck_assert(!ts_variable_list_load(l, rd));
	ts_variable_list_release(l);
	ts_variables_release(anew);
	ts_variables_release(v);
	end();
}
END_TEST

/* `given`: 1 the order, 2 that of names, 4 the order as it is kept. */
static bool
check_first(struct ts_variables *v, enum ts_variable_sort sort, bool reverse, const char *line,
	int given)
{
	struct ts_variable_list *want = plain_list(v, sort, reverse, line),
				*order = given & 4 ? kept_order(v, sort)
						   : plain_list(v, sort, false, ""),
				*by_name = plain_list(v, TS_SORT_NAME, false, ""),
				*l = new_list(v, sort, reverse, line);
	struct ts_err err = {0};
	bool done, gap;

	ts_reader_set_index(rd, x);
	ck_assert_msg(ts_variable_list_first(l, &done, given & 5 ? order : NULL,
			      given & 2 ? by_name : NULL, rd, NULL, &err) == TS_OK,
		"%s: %s", line, err.msg);
	if (done)
		check_beginning(l, want, line);
	if (!atomic_load(&l->ready))
		ck_assert_int_eq(ts_variable_list_make(l, rd, &gap, NULL, NULL, &err), TS_OK);
	check_beginning(l, want, line);
	ck_assert(atomic_load(&l->ready));
	ts_variable_list_release(l);
	ts_variable_list_release(want);
	ts_variable_list_release(order);
	ts_variable_list_release(by_name);
	return done;
}

/* Orders of all rows, from columns, as from the rows. */
static void
check_orders(struct ts_variables *v)
{
	for (size_t i = 0; i < TS_COUNT(sorts); i++) {
		struct ts_variable_list *a = plain_list(v, sorts[i], false, ""),
					*b = new_list(v, sorts[i], false, "");
		struct ts_err err = {0};
		bool gap;

		ts_reader_set_index(rd, x);
		if (!atomic_load(&b->ready))
			ck_assert_int_eq(ts_variable_list_make(b, rd, &gap, NULL, NULL, &err),
				TS_OK);
		check_beginning(b, a, ts_variable_sort_name(sorts[i]));
		ts_variable_list_release(a);
		ts_variable_list_release(b);
	}
}

/* An order that was kept before the index had names is kept once more, the same order, with where each stands. */
START_TEST(names_come_later)
{
	struct ts_variables *v;
	struct ts_variable_list *made, *before, *after;
	struct ts_err err = {0};

	begin(3);
	v = open_variables();
	made = plain_list(v, TS_SORT_BYTES, false, "");
	ts_reader_set_index(rd, NULL);
	ck_assert_int_eq(ts_variable_list_keep(made, rd, NULL, &err), TS_OK);
	before = new_list(v, TS_SORT_BYTES, false, "");
	ck_assert(ts_variable_list_load(before, rd));
	ck_assert_int_eq(before->names, 0);
	ck_assert(ts_variable_list_is_kept(before, false));
	ck_assert(!ts_variable_list_is_kept(before, true));
	ts_reader_set_index(rd, x);
	ck_assert_int_eq(ts_variable_list_keep(before, rd, NULL, &err), TS_OK);
	after = new_list(v, TS_SORT_BYTES, false, "");
	ck_assert(ts_variable_list_load(after, rd));
	ck_assert_int_gt(after->names, 0);
	ck_assert(ts_variable_list_is_kept(after, true));
	check_beginning(after, made, "");
	ts_variable_list_release(made);
	ts_variable_list_release(before);
	ts_variable_list_release(after);
	ts_variables_release(v);
	end();
}
END_TEST

/* Some line that can be answered: how full tiles are is not known of these reports. */
static const char *
some_line(int i)
{
	return strstr(lines[i % LINES], "over(") ? "tile in (1 - 4)" : lines[i % LINES];
}

START_TEST(first_rows)
{
	struct ts_variables *v;
	int done = 0;

	begin(_i);
	v = open_variables();
	check_orders(v);
	for (int i = 0; i < LINES; i++)
		for (size_t k = 0; k < TS_COUNT(sorts); k++)
			done += check_first(v, sorts[k], roll(2), some_line(i), (int)roll(4));
	ck_assert(_i % 11 == 10 || done > LINES);
	ts_variables_release(v);
	end();
}
END_TEST

/* The next hits in a list, from anywhere. How many were found without a pass. */
static int
check_hits(struct ts_variables *v, struct ts_variable_list *l, const char *among, const char *line)
{
	struct ts_variable_list *hits = plain_list(v, TS_SORT_ROW, false, line),
				*by_name = plain_list(v, TS_SORT_NAME, false, "");
	int done = 0;

	for (int i = 0; i < 6 && l->count > 0; i++) {
		struct ts_variable_list *needle = new_list(v, TS_SORT_ROW, false, line);
		int64_t at, position = i ? (int64_t)roll((uint32_t)l->count) : 0;
		int by = i && roll(2) ? -1 : 1;
		struct ts_variable_next next;
		struct ts_err err = {0};
		bool gap;

		ts_reader_set_index(rd, NULL);
		ck_assert_int_eq(ts_variable_list_next(&at, l, hits, position, by, &gap, rd, NULL,
					 NULL, &err),
			TS_OK);
		ts_reader_set_index(rd, x);
		ck_assert_msg(ts_variable_list_seek(&next, l, roll(2) ? needle : hits,
				      roll(2) ? by_name : NULL, position, by, rd, NULL,
				      &err) == TS_OK,
			"%s", err.msg);
		if (next.done)
			ck_assert_msg(next.at == at && next.none == (hits->count == 0),
				"%s among %s: %lld, not %lld", line, among, (long long)next.at,
				(long long)at);
		done += next.done;
		ts_variable_list_release(needle);
	}
	ts_variable_list_release(hits);
	ts_variable_list_release(by_name);
	return done;
}

static void
check_next(struct ts_variables *v, enum ts_variable_sort sort, bool reverse, const char *among,
	const char *line)
{
	struct ts_variable_list *l = plain_list(v, sort, reverse, among);

	check_hits(v, l, among, line);
	ts_variable_list_release(l);
}

/* In an order that is kept, read in either direction. */
static int
check_kept_next(struct ts_variables *v, enum ts_variable_sort sort, bool reverse, const char *line)
{
	struct ts_variable_list *l = kept_order(v, sort);
	int done;

	ck_assert_int_gt(l->names, 0);
	atomic_store(&l->reverse, reverse);
	done = check_hits(v, l, "", line);
	ts_variable_list_release(l);
	return done;
}

START_TEST(next_hits)
{
	struct ts_variables *v;

	begin(_i);
	v = open_variables();
	for (int i = 0; i < LINES; i++)
		check_next(v, sorts[roll(TS_COUNT(sorts))], roll(2),
			roll(2) ? "" : some_line((int)roll(LINES)), some_line(i));
	ts_variables_release(v);
	end();
}
END_TEST

/* So many that what is rare is not found by going along: by the names, and by their order. */
START_TEST(rare_names)
{
	static const char *const rare[] = {"rare_7", "rare_ bytes>100 or rare_3",
		"name~^rare_\\d+$", "nowhere", "name~rare_[12] and category=stack",
		"rare_ not rare_1"};
	struct ts_variables *v;

	seed = (uint64_t)_i;
	begin(MANY_ROWS + _i);
	v = open_variables();
	for (size_t i = 0; i < TS_COUNT(rare); i++) {
		check_first(v, _i ? TS_SORT_BYTES : TS_SORT_TILE, i & 1, rare[i], (int)(i % 4));
		check_next(v, _i ? TS_SORT_NAME : TS_SORT_BYTES, i & 1, "", rare[i]);
	}
	ts_variables_release(v);
	end();
}
END_TEST

static void
users_of(struct ts_tiles_named *n, const char *text, struct ts_index *index)
{
	struct ts_err err = {0};

	ts_reader_set_index(rd, index);
	ck_assert_msg(ts_tiles_named(n, text, NULL, rd, &d.c, NULL, &err) == TS_OK, "%s", err.msg);
}

/* The same tiles from the rows, the columns, and what the index has of the tiles of each name. */
static void
check_users(const char *const *asked, size_t n)
{
	struct ts_index *tiles = index_dir_build(&d, r, rd,
		ts_section_bit(TS_SECTION_COLUMNS) | ts_section_bit(TS_SECTION_NAME_TILES), 2);

	ck_assert(!(ts_index_sections(x) & ts_section_bit(TS_SECTION_NAME_TILES)));
	ck_assert(ts_index_sections(tiles) & ts_section_bit(TS_SECTION_NAME_TILES));
	for (size_t i = 0; i < n; i++) {
		struct ts_tiles_named named[3];

		users_of(&named[0], asked[i], NULL);
		users_of(&named[1], asked[i], x);
		users_of(&named[2], asked[i], tiles);
		for (int k = 1; k < 3; k++) {
			ck_assert_int_eq(named[0].count, named[k].count);
			for (int64_t t = 0; t < 64; t++)
				ck_assert_int_eq(ts_tile_set_has(&named[0].set, t),
					ts_tile_set_has(&named[k].set, t));
		}
		for (int k = 0; k < 3; k++)
			ts_tiles_named_fini(&named[k]);
	}
	ts_reader_set_index(rd, NULL);
	ts_index_release(tiles);
}

/* Rows, of which each name has some: large ones of many names first, as few hundred times as many small ones behind them. */
static void
add_common(sqlite3_stmt *s, int i)
{
	static const struct {
		const char *text;
		uint32_t names;
	} families[] = {{"large", 12000}, {"late", 90}, {"last", 5000}};
	int kind = i % 20 == 7 ? 1 : i % 20 == 8 ? 2 : 0;
	bool late = kind > 0;
	char name[40];
	int n = snprintf(name, sizeof(name), "%s_%u", families[kind].text,
		roll(families[kind].names));

	sqlite3_bind_int64(s, 1, 10 + i);
	sqlite3_bind_int64(s, 2, i / 15000);
	if (roll(50))
		sqlite3_bind_text(s, 3, name, n, SQLITE_TRANSIENT);
	if (roll(50))
		sqlite3_bind_int64(s, 4, late ? (int64_t)roll(1000) : 2000 + (int64_t)roll(300));
	sqlite3_bind_int64(s, 7, roll(3));
}

/*
 * Words that many rows have, none of them near the begin of the order: found by where names begin there, not by going along. Names
 * are so many, and rows, that two threads ask them.
 */
START_TEST(common_names)
{
	static const char *const common_lines[] = {"late_", "late_1", "name~late_[2-5] bytes<500",
		"name~_1", "late_ or bytes>2298", "late_ category=stack", "e_1", "name~e_\\d+5$",
		"name~^l.*[37]2$ bytes<2250", "te_ category=stack", "last_", "st_7",
		"category=stack", "not category=stack bytes>2298", "bytes>2290 category=stack"};
	static const char *const asked[] = {"using(\"late_3\")", "using(/_77\\d$/)",
		"using(\"nobody\")", "using(\"large_4\")", "using(/./)", "using(/l.*_\\d$/)"};
	struct ts_variables *v;
	struct ts_columns c;
	int done = 0;

	begin_with(MANY_ROWS + 9, 250000, add_common);
	ck_assert(
		ts_index_sections(x) & ts_section_bit(TS_SECTION_COLUMNS) && ts_columns_of(&c, x));
	ck_assert_int_gt(c.names, 1 << 14);
	v = open_variables();
	for (size_t i = 0; i < TS_COUNT(common_lines); i++)
		for (int by = 0; by < 3; by++)
			done += check_first(v, by == 2 ? TS_SORT_NAME : TS_SORT_BYTES, by == 1,
				common_lines[i], 6);
	ck_assert_int_gt(done, 0);
	for (size_t i = 0, found = 0; i < TS_COUNT(common_lines); i++) {
		found += (size_t)check_kept_next(v, TS_SORT_BYTES, i & 1, common_lines[i]);
		ck_assert(i + 1 < TS_COUNT(common_lines) || found > 0);
	}
	ts_variables_release(v);
	check_users(asked, TS_COUNT(asked));
	end();
}
END_TEST

static void
add_nameless(sqlite3_stmt *s, int i)
{
	sqlite3_bind_int64(s, 1, 10 + i);
	sqlite3_bind_int64(s, 2, i / 90);
	sqlite3_bind_int64(s, 4, (int64_t)roll(300));
}

START_TEST(no_names)
{
	struct ts_variables *v;
	struct ts_variable_list *l;

	begin_with(3, 700, add_nameless);
	v = open_variables();
	l = kept_order(v, TS_SORT_BYTES);
	ck_assert_int_eq(l->names, 0);
	ck_assert_int_eq(l->count, 700);
	ts_variable_list_release(l);
	for (int i = 0; i < LINES; i++)
		(void)check_first(v, TS_SORT_BYTES, i & 1, some_line(i), 7);
	ts_variables_release(v);
	end();
}
END_TEST

/* An order, and where names stand in it, with anything in them. */
static struct ts_variable_list *
lying_order(struct ts_variables *v, int64_t names)
{
	const struct {
		uint64_t version;
		int64_t rows, known, width, all_bytes, unsized, names;
	} head = {3, v->rows, (int64_t)roll((uint32_t)v->rows + 1), 4, 1, 0, names};
	size_t n = ((size_t)v->rows + 1) / 2 * 2 + (size_t)names * 4;
	struct ts_variable_list *l = new_list(v, TS_SORT_BYTES, false, "");
	struct ts_section_writer *w;
	struct ts_err err = {0};
	void *memory;
	uint32_t *u;

	ck_assert_msg(ts_section_create(&w, &d.c, r, TS_SECTION_ORDER_BYTES, &err) == TS_OK, "%s",
		err.msg);
	ck_assert_int_eq(ts_section_append(w, NULL, &head, sizeof(head), NULL), TS_OK);
	ck_assert_int_eq(ts_section_room(w, NULL, &memory, n * sizeof(*u), NULL), TS_OK);
	u = memory;
	for (size_t i = 0; i < n; i++) {
		bool place = i < (size_t)v->rows;

		u[i] = roll(200) == 0 ? UINT32_MAX - roll(9)
			: place	      ? roll((uint32_t)v->rows)
				      : roll((uint32_t)(roll(2) ? names : v->rows));
	}
	ck_assert_int_eq(ts_section_commit(w, NULL), TS_OK);
	ck_assert(ts_variable_list_load(l, rd));
	return l;
}

/* Nothing is read where nothing is. */
START_TEST(orders_that_lie)
{
	struct ts_variables *v;
	struct ts_columns c;

	begin(MANY_ROWS + _i);
	v = open_variables();
	ck_assert(ts_columns_of(&c, x));
	for (int i = 0; i < 3 * LINES; i++) {
		struct ts_variable_list *order = lying_order(v, c.names),
					*by_name = plain_list(v, TS_SORT_NAME, false, ""),
					*l = new_list(v, TS_SORT_BYTES, i & 1, some_line(i)),
					*needle = new_list(v, TS_SORT_ROW, false, some_line(i));
		struct ts_variable_next next;
		struct ts_err err = {0};
		bool done;

		ts_reader_set_index(rd, x);
		ck_assert_int_eq(ts_variable_list_first(l, &done, order, by_name, rd, NULL, &err),
			TS_OK);
		atomic_store(&order->reverse, roll(2));
		ck_assert_int_eq(ts_variable_list_seek(&next, order, needle, by_name,
					 (int64_t)roll((uint32_t)order->count), roll(3) ? 1 : -1,
					 rd, NULL, &err),
			TS_OK);
		ck_assert_int_lt(next.at, order->count);
		ts_variable_list_release(order);
		ts_variable_list_release(by_name);
		ts_variable_list_release(l);
		ts_variable_list_release(needle);
	}
	ts_variables_release(v);
	end();
}
END_TEST

/* b goes. */
static void
check_layers(const struct ts_categories *a, struct ts_categories *b)
{
	ck_assert_int_eq(a->count, b->count);
	ck_assert_uint_eq(a->tiles, b->tiles);
	ck_assert_int_eq(a->rows, b->rows);
	ck_assert_int_eq(a->bad_rows, b->bad_rows);
	for (int i = 0; i < a->count; i++) {
		ck_assert_str_eq(a->category[i].name, b->category[i].name);
		ck_assert_int_eq(a->category[i].bytes, b->category[i].bytes);
		for (size_t k = 0; k < a->tiles; k++)
			ck_assert_int_eq(ts_categories_at(a, i, k), ts_categories_at(b, i, k));
	}
	ts_categories_fini(b);
}

/* In pieces; what there is after the first is looked at, too. *pieces (or NULL): how many. */
static void
parts_of(struct ts_categories *c, struct ts_index *index, const struct ts_breakdown_query *q,
	int *pieces)
{
	struct ts_breakdown *b;
	struct ts_err err = {0};
	bool end = false;
	int n = 0;

	ts_reader_set_index(rd, index);
	ck_assert_int_eq(ts_breakdown_new(&b, r, q, &d.c, &err), TS_OK);
	for (; !end; n++) {
		ck_assert_int_eq(ts_breakdown_read(b, &end, rd, 100, NULL, &err), TS_OK);
		if (end || n > 0)
			continue;
		ck_assert_int_eq(ts_breakdown_look(c, b, &err), TS_OK);
		ck_assert_int_lt(c->rows, rows);
		ts_categories_fini(c);
	}
	ck_assert_int_eq(ts_breakdown_look(c, b, &err), TS_OK);
	ts_breakdown_free(b);
	if (pieces)
		*pieces = n;
}

static int
layers_of(struct ts_categories *c, struct ts_index *index)
{
	const struct ts_breakdown_query q = {.by = TS_BREAKDOWN_LAYER, .keep = index != NULL};
	int pieces;

	parts_of(c, index, &q, &pieces);
	return pieces;
}

/* Names that are marked: many rows have one, few have, none has. */
static void
check_marked(void)
{
	static const struct ts_breakdown_query q = {.by = TS_BREAKDOWN_NAMES,
		.name = {"layer_1/partials_3", "rare_4", "nobody", "block2/matMul/weights_7"},
		.count = 4};
	struct ts_categories a, b;

	parts_of(&a, NULL, &q, NULL);
	parts_of(&b, x, &q, NULL);
	check_layers(&a, &b);
	ts_categories_fini(&a);
}

START_TEST(names)
{
	static const char *const asked[] = {"using(\"layer_1\")", "using(/_[23]$/) - 3",
		"using(\"nobody\")"};
	struct ts_categories a, b;
	struct ts_err err = {0};
	int pieces;

	begin(_i);
	layers_of(&a, NULL);
	pieces = layers_of(&b, x);
	ck_assert(_i % 5 == 4 || pieces >= rows / TS_COLUMN_ROWS);
	check_layers(&a, &b);
	check_marked();
	ts_index_release(x);
	ck_assert_int_eq(ts_index_open(&x, &d.c, r, NULL, NULL, &err), TS_OK);
	if (!a.cut)
		ck_assert(ts_index_sections(x) & ts_section_bit(TS_SECTION_LAYERS));
	layers_of(&b, x); /* as it was kept */
	check_layers(&a, &b);
	ts_categories_fini(&a);
	check_users(asked, TS_COUNT(asked));
	end();
}
END_TEST

/* --- sections that say anything ------------------------------------------------------------------ */

/* A section with a sound checksum, and bytes of it changed. */
static void
spoil(void)
{
	struct ts_section_writer *w;
	struct ts_err err = {0};
	size_t size;
	const void *payload = ts_index_section(x, TS_SECTION_COLUMNS, &size);
	unsigned char *bytes = malloc(size);

	ck_assert_ptr_nonnull(bytes);
	memcpy(bytes, payload, size);
	for (uint32_t i = 0, flips = 1 + roll(6); i < flips; i++) {
		size_t at = roll(3) ? roll((uint32_t)(size < HEAD ? size : HEAD))
				    : roll((uint32_t)size);

		bytes[at] = (unsigned char)(roll(2) ? roll(256) : 0xff);
	}
	ck_assert_int_eq(ts_section_create(&w, &d.c, r, TS_SECTION_COLUMNS, &err), TS_OK);
	ck_assert_int_eq(ts_section_append(w, NULL, bytes,
				 roll(4) ? size : roll((uint32_t)size + 1), &err),
		TS_OK);
	ck_assert_int_eq(ts_section_commit(w, &err), TS_OK);
	free(bytes);
	ts_index_release(x);
	ck_assert_int_eq(ts_index_open(&x, &d.c, r, NULL, NULL, &err), TS_OK);
}

/* Whatever comes of it. */
static void
look_first(struct ts_variables *v, const char *line)
{
	enum ts_variable_sort sort = sorts[roll(TS_COUNT(sorts))];
	struct ts_variable_list *l = new_list(v, sort, roll(2), line),
				*order = plain_list(v, sort, false, ""),
				*by_name = plain_list(v, TS_SORT_NAME, false, "");
	struct ts_variable_next next;
	struct ts_err err = {0};
	bool done;

	ts_reader_set_index(rd, x);
	if (ts_variable_list_first(l, &done, roll(2) ? order : NULL, roll(2) ? by_name : NULL, rd,
		    NULL, &err))
		ck_assert(!done);
	for (int64_t i = 0; i < ts_variable_list_count(l); i++)
		ck_assert_int_lt(ts_variable_list_place(l, i), v->rows);
	if (ts_variable_list_seek(&next, order, l, roll(2) ? by_name : NULL, 0, 1, rd, NULL, &err))
		ck_assert(!next.done);
	ts_variable_list_release(l);
	ts_variable_list_release(order);
	ts_variable_list_release(by_name);
}

/* A first row id from which rows would go beyond all numbers. */
START_TEST(rows_beyond_numbers)
{
	struct columns_head h;
	struct ts_section_writer *w;
	struct ts_err err = {0};
	struct ts_columns c;
	size_t size;
	const void *payload;
	unsigned char *bytes;

	begin(3);
	payload = ts_index_section(x, TS_SECTION_COLUMNS, &size);
	bytes = malloc(size);
	ck_assert_ptr_nonnull(bytes);
	memcpy(bytes, payload, size);
	memcpy(&h, bytes, sizeof(h));
	ck_assert_int_eq(h.rows, rows);
	h.first = INT64_MAX - rows + 1;
	memcpy(bytes, &h, sizeof(h));
	ck_assert_int_eq(ts_section_create(&w, &d.c, r, TS_SECTION_COLUMNS, &err), TS_OK);
	ck_assert_int_eq(ts_section_append(w, NULL, bytes, size, &err), TS_OK);
	ck_assert_int_eq(ts_section_commit(w, &err), TS_OK);
	free(bytes);
	ck_assert(ts_columns_of(&c, x));
	ts_index_release(x);
	ck_assert_int_eq(ts_index_open(&x, &d.c, r, NULL, NULL, &err), TS_OK);
	ck_assert(!ts_columns_of(&c, x));
	end();
}
END_TEST

START_TEST(spoilt)
{
	struct ts_variables *v;

	begin(_i);
	v = open_variables();
	for (int round = 0; round < 6; round++) {
		struct ts_categories c;
		struct ts_tiles_named n;

		spoil();
		if (round == 0) /* names of the rows by tile are told by it */
			ts_index_release(index_dir_build(&d, r, rd,
				ts_section_bit(TS_SECTION_COLUMNS) |
					ts_section_bit(TS_SECTION_TILE_ROWS),
				1 + _i % 3));
		for (int i = 0; i < LINES; i++)
			free(list_of(v, lines[i], x).is);
		for (int i = 0; i < LINES; i++)
			look_first(v, lines[i]);
		layers_of(&c, x);
		ts_categories_fini(&c);
		users_of(&n, "using(\"layer_1\")", x);
		ts_tiles_named_fini(&n);
	}
	ts_variables_release(v);
	end();
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("columns");
	TCase *t = tcase_create("columns");
	SRunner *run;
	int failed;

	tcase_set_timeout(t, 60);
	tcase_add_loop_test(t, values, 0, sample_of(22));
	tcase_add_loop_test(t, filters, 0, sample_of(12));
	tcase_add_loop_test(t, names, 0, 11);
	tcase_add_test(t, names_come_later);
	tcase_add_loop_test(t, first_rows, 0, sample_of(4));
	tcase_add_loop_test(t, next_hits, 0, 6);
	tcase_add_full_test(t, common_names);
	tcase_add_test(t, no_names);
	tcase_add_loop_test(t, orders_that_lie, 0, 2);
	tcase_add_loop_test(t, rare_names, 0, 2);
	tcase_add_loop_test(t, orders_are_mapped_once, 0, 3);
	tcase_add_test(t, rows_beyond_numbers);
	tcase_add_loop_test(t, spoilt, 0, sample_of(14));
	suite_add_tcase(s, t);
	run = srunner_create(s);
	srunner_run_all(run, CK_NORMAL);
	failed = srunner_ntests_failed(run);
	srunner_free(run);
	return failed ? 1 : 0;
}
