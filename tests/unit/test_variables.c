/* SPDX-License-Identifier: MIT */
/*
 * Lists of variables against brute force: reports of random rows (row ids with gaps, numbers that are
 * none, views, tables without row ids, names in a table of their own, no names) in every order, with and
 * without filters, with and without a cache.
 */
#include "config.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "depth.h"
#include "index_dir.h"
#include "sqlite_bytes.h"

#include "tilescope/base/mem.h"
#include "tilescope/report/dictionary.h"
#include "tilescope/report/index_columns.h"
#include "tilescope/report/variable_list.h"

enum { ROWS = 1700, TEXT = 48 };

/* What a row is, apart from where it stands. -1 and NULL: not known. */
struct truth {
	int64_t rowid, tile, bytes, category;
	const char *name;
};

enum shape { PLAIN, GAPS, VIEW, NO_ROWID, NO_NAMES, LARGE, SHAPES };

static struct index_dir d;
static struct ts_report *r;
static struct ts_reader *rd;
static struct ts_variables *v;
static struct truth truth[ROWS];
static char names[ROWS][TEXT];
static int rows;
static enum shape shape;
static uint64_t seed;

static const char *const categories[] = {"variable", "stack", "vertexCode", NULL, "message"};

static uint32_t
roll(uint32_t n)
{
	seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (uint32_t)(seed >> 33) % n;
}

/* --- reports ---------------------------------------------------------------------------------- */

static const char *
some_name(char out[TEXT])
{
	static const char *const words[] = {"bert", "Layer", "matMul", "partials", "w", "", "\xff"};
	int n = snprintf(out, TEXT, "%s/%s_%u", words[roll(7)], words[roll(7)], roll(60));

	if (roll(5) == 0)
		snprintf(out + n, TEXT - (size_t)n, "/%s/of/a/longer/name", words[roll(7)]);
	return out;
}

static void
make_truth(int count)
{
	int64_t rowid = roll(50);

	rows = count;
	for (int i = 0; i < rows; i++) {
		struct truth *t = &truth[i];

		rowid += shape == GAPS ? 1 + roll(roll(100) == 0 ? 5000 : 2) : 1;
		t->rowid = rowid;
		t->tile = roll(20) == 0 ? -1 : i / 40 + (roll(50) == 0 ? 3 : 0);
		t->bytes = roll(15) == 0 ? -1 : (int64_t)roll(roll(3) ? 64 : 70000);
		if (shape == LARGE && t->bytes >= 0 && roll(4) == 0)
			t->bytes = ((int64_t)roll(1 << 10) << 36) + t->bytes;
		t->category = roll(12) == 0 ? -1 : (int64_t)roll(6);
		t->name = shape == NO_NAMES || roll(12) == 0 ? NULL : some_name(names[i]);
	}
}

/* A value that is none, in one of the ways that there are. */
static void
bind(sqlite3_stmt *s, int i, int64_t value)
{
	if (value >= 0)
		sqlite3_bind_int64(s, i, value);
	else if (i < 4 && roll(3) == 0) /* the fourth is the category, which a text may name */
		sqlite3_bind_text(s, i, "twelve", -1, SQLITE_STATIC);
	else if (roll(2) == 0)
		sqlite3_bind_int64(s, i, -7);
}

static const char *const schemas[SHAPES] = {
	[PLAIN] =
		"CREATE TABLE lowered_variable(id INTEGER PRIMARY KEY, tile INTEGER, bytes INTEGER,"
		" category INTEGER, name TEXT)",
	[GAPS] =
		"CREATE TABLE lowered_variable(id INTEGER PRIMARY KEY, tile INTEGER, bytes INTEGER,"
		" category INTEGER, name TEXT)",
	[VIEW] =
		"CREATE TABLE hidden(id INTEGER PRIMARY KEY, tile, bytes, category, name);"
		"CREATE VIEW lowered_variable AS SELECT id, tile, bytes, category, name FROM hidden"
		" WHERE id % 2 >= 0 ORDER BY id",
	[NO_ROWID] = "CREATE TABLE lowered_variable(id INTEGER PRIMARY KEY, tile, bytes, category,"
		     " name) WITHOUT ROWID",
	[NO_NAMES] = "CREATE TABLE lowered_variable(id INTEGER PRIMARY KEY, tile INTEGER,"
		     " bytes INTEGER, category INTEGER)",
	[LARGE] =
		"CREATE TABLE lowered_variable(id INTEGER PRIMARY KEY, tile INTEGER, bytes INTEGER,"
		" category INTEGER, name TEXT)",
};

static const char *const inserts[SHAPES] = {
	[VIEW] = "INSERT INTO hidden VALUES(?1, ?2, ?3, ?4, ?5)",
	[NO_NAMES] = "INSERT INTO lowered_variable VALUES(?1, ?2, ?3, ?4)",
};

static void
insert_rows(sqlite3 *db)
{
	const char *sql = inserts[shape]
		? inserts[shape]
		: "INSERT INTO lowered_variable VALUES(?1, ?2, ?3, ?4, ?5)";
	sqlite3_stmt *s;

	ck_assert_int_eq(sqlite3_prepare_v2(db, sql, -1, &s, NULL), SQLITE_OK);
	for (int i = 0; i < rows; i++) {
		sqlite3_clear_bindings(s);
		sqlite3_bind_int64(s, 1, truth[i].rowid);
		bind(s, 2, truth[i].tile);
		bind(s, 3, truth[i].bytes);
		bind(s, 4, truth[i].category);
		if (shape != NO_NAMES && truth[i].name)
			sqlite3_bind_text(s, 5, truth[i].name, -1, SQLITE_STATIC);
		ck_assert_int_eq(sqlite3_step(s), SQLITE_DONE);
		sqlite3_reset(s);
	}
	sqlite3_finalize(s);
}

static void
write_report(const char *path)
{
	sqlite3 *db;

	ck_assert_int_eq(sqlite3_open(path, &db), SQLITE_OK);
	sqlite_run(db, "PRAGMA journal_mode=OFF; PRAGMA synchronous=OFF; BEGIN");
	sqlite_run(db,
		"CREATE TABLE target(type TEXT, ipus INTEGER, replicas INTEGER,"
		" tiles_per_ipu INTEGER, bytes_per_tile INTEGER);"
		"INSERT INTO target VALUES('IPU', 4, 1, 16, 100000);"
		"CREATE TABLE memory_category(category INTEGER, name TEXT);");
	for (size_t i = 0; i < TS_COUNT(categories); i++) {
		char sql[100];

		snprintf(sql, sizeof(sql), "INSERT INTO memory_category VALUES(%zu, '%s')", i,
			categories[i] ? categories[i] : "");
		if (categories[i])
			sqlite_run(db, sql);
	}
	sqlite_run(db, schemas[shape]);
	insert_rows(db);
	sqlite_run(db, "COMMIT");
	sqlite3_close(db);
}

static void
open_variables(const struct ts_cache *cache)
{
	struct ts_err err = {0};
	struct ts_variables *counted;

	ck_assert_msg(ts_variables_open(&v, rd, cache, &err) == TS_OK, "%s", err.msg);
	if (shape == GAPS || !ts_variables_placed(v)) {
		ck_assert_msg(ts_variables_count(&counted, v, rd, NULL, &err) == TS_OK, "%s",
			err.msg);
		ts_variables_release(v);
		v = counted;
	}
	ck_assert_int_eq(v->rows, rows);
}

static void
begin(enum shape s, int count)
{
	struct ts_report_options o = {0};
	struct ts_err err = {0};
	char relations[INDEX_PATH], path[INDEX_PATH];

	shape = s;
	seed = (uint64_t)s * 977 + (uint64_t)count;
	index_dir_begin(&d);
	make_truth(count);
	snprintf(relations, sizeof(relations), "%s/relations.db", d.dir);
	snprintf(path, sizeof(path), "%s/profile.pop", d.dir);
	write_report(relations);
	(s == VIEW || s == NO_ROWID ? relations_as_they_are : relations_profile)(relations, path);
	ck_assert_msg(ts_report_open(&r, path, &o, &err) == TS_OK, "%s", err.msg);
	ck_assert_int_eq(ts_reader_open(&rd, r, &err), TS_OK);
	open_variables(&d.c);
}

static void
end(void)
{
	ts_variables_release(v);
	ts_reader_close(rd);
	ts_report_close(r);
	index_dir_end(&d);
}

/* --- brute force -------------------------------------------------------------------------------- */

static const char *
category_of(const struct truth *t, char buf[32])
{
	if (t->category < 0)
		return NULL;
	if (t->category < (int64_t)TS_COUNT(categories) && categories[t->category])
		return categories[t->category];
	snprintf(buf, 32, "category %lld", (long long)t->category);
	return buf;
}

static enum ts_variable_sort sorting;

static int
by_text(const char *a, const char *b)
{
	if (!a || !b)
		return !a - !b;
	return strcmp(a, b);
}

static int
by_number(int64_t a, int64_t b, int way)
{
	if (a < 0 || b < 0)
		return (a < 0) - (b < 0);
	return a < b ? -way : a > b ? way : 0;
}

static int
compare(const void *x, const void *y)
{
	int64_t i = *(const int64_t *)x, k = *(const int64_t *)y;
	const struct truth *a = &truth[i], *b = &truth[k];
	char p[32], q[32];
	int c = 0;

	if (sorting == TS_SORT_BYTES)
		c = by_number(a->bytes, b->bytes, -1);
	else if (sorting == TS_SORT_TILE)
		c = by_number(a->tile, b->tile, 1);
	else if (sorting == TS_SORT_ID)
		c = by_number(a->rowid, b->rowid, 1);
	else if (sorting == TS_SORT_NAME)
		c = by_text(a->name, b->name);
	else if (sorting == TS_SORT_CATEGORY)
		c = by_text(category_of(a, p), category_of(b, q));
	return c ? c : i < k ? -1 : i > k;
}

static bool
is_known(const struct truth *t)
{
	char buf[32];

	return sorting == TS_SORT_ROW || sorting == TS_SORT_ID ||
		(sorting == TS_SORT_BYTES && t->bytes >= 0) ||
		(sorting == TS_SORT_TILE && t->tile >= 0) || (sorting == TS_SORT_NAME && t->name) ||
		(sorting == TS_SORT_CATEGORY && category_of(t, buf));
}

static bool
holds(const char *hay, const char *needle)
{
	size_t n = strlen(needle);

	for (; hay && *hay; hay++)
		if (strncasecmp(hay, needle, n) == 0)
			return true;
	return false;
}

static bool
everything(const struct truth *t)
{
	(void)t;
	return true;
}

static bool
some_tiles(const struct truth *t)
{
	return t->tile == 3 || (t->tile >= 10 && t->tile <= 20);
}

static bool
second_ipu(const struct truth *t)
{
	return t->tile >= 16 && t->tile < 32;
}

static bool
big_matmul(const struct truth *t)
{
	return holds(t->name, "MATMUL") && t->bytes > 1024;
}

static bool
stack_or_none(const struct truth *t)
{
	char buf[32];
	const char *c = category_of(t, buf);

	return c && (holds(c, "stack") || holds(c, "category"));
}

static bool
small_ones(const struct truth *t)
{
	return t->bytes >= 0 && t->bytes <= 8;
}

static bool
nothing(const struct truth *t)
{
	(void)t;
	return false;
}

static bool
neither_small_nor_stack(const struct truth *t)
{
	char buf[32];
	const char *c = category_of(t, buf);

	return t->bytes > 8 && c && strcmp(c, "stack") != 0;
}

static bool
layer_or_large(const struct truth *t)
{
	return (t->name && strstr(t->name, "Layer/w_")) || t->bytes >= 60000;
}

static bool
odd_names(const struct truth *t)
{
	return t->name && strlen(t->name) > 0 && strchr("13579", t->name[strlen(t->name) - 1]);
}

static const struct {
	const char *line;
	bool (*is)(const struct truth *t);
	bool named;
} filters[] = {
	{"not (size<=8 or category=stack)", neither_small_nor_stack, false},
	{"name~Layer/w_ or bytes>=60000", layer_or_large, true},
	{"name~[13579]$", odd_names, true},
	{"", everything, false},
	{"tile:3,10-20", some_tiles, false},
	{"ipu:1", second_ipu, false},
	{"matmul  bytes>1KiB", big_matmul, true},
	{"category:stack,Category", stack_or_none, false},
	{"bytes<=8", small_ones, false},
	{"tile:99999", nothing, false},
};

/* What is shown while it is made is the begin of what comes out. */
static void
check_first(const struct ts_variable_list *l)
{
	const struct ts_variable_top *top = atomic_load(&l->top);

	ck_assert(top || l->sort == TS_SORT_ROW || l->index || l->known == 0);
	for (int i = 0; top && i < top->count; i++)
		ck_assert_int_eq(top->place[i], ts_variable_list_place(l, i));
}

static struct ts_variable_list *
make(enum ts_variable_sort sort, bool reverse, const char *line, enum ts_code wanted)
{
	struct ts_filter f;
	struct ts_variable_list *l;
	struct ts_err err = {0};
	enum ts_code code;
	bool gap;

	ck_assert_msg(ts_filter_parse(&f, line, ts_variable_fields, NULL, &err) == TS_OK, "%s",
		err.msg);
	l = ts_variable_list_new(v, sort, reverse, &f);
	ck_assert_ptr_nonnull(l);
	if (atomic_load(&l->ready))
		return l;
	code = ts_variable_list_make(l, rd, &gap, NULL, NULL, &err);
	ck_assert_msg(code == wanted, "%s %s: %d %s", ts_variable_sort_name(sort), line, code,
		err.msg);
	if (!code)
		check_first(l);
	return l;
}

static void
check_list(const struct ts_variable_list *l, bool reverse, bool (*is)(const struct truth *t))
{
	static int64_t want[ROWS];
	int n = 0, known = 0;
	int64_t bytes = 0;

	for (int64_t i = 0; i < rows; i++)
		if (is(&truth[i])) {
			want[n++] = i;
			bytes += truth[i].bytes > 0 ? truth[i].bytes : 0;
			known += is_known(&truth[i]);
		}
	qsort(want, (size_t)n, sizeof(want[0]), compare);
	ck_assert_int_eq(ts_variable_list_count(l), n);
	for (int i = 0; i < n; i++) {
		int64_t place = want[reverse && i < known ? known - 1 - i : i];

		ck_assert_msg(ts_variable_list_place(l, i) == place, "%s: at %d is %lld, not %lld",
			ts_variable_sort_name(l->sort), i, (long long)ts_variable_list_place(l, i),
			(long long)place);
		if (i % 97 == 0)
			ck_assert_int_eq(ts_variable_list_find(l, place, NULL), i);
	}
	ck_assert_int_eq(ts_variable_list_place(l, n), -1);
	ck_assert_int_eq(ts_variable_list_place(l, -1), -1);
	for (int i = 0; i < rows; i += 13)
		ck_assert_int_eq(ts_variable_list_has(l, i), is(&truth[i]));
	if (l->filter.count > 0 || l->sort != TS_SORT_ROW)
		ck_assert_int_eq(atomic_load(&l->bytes), bytes);
}

static void
check_order(enum ts_variable_sort sort)
{
	sorting = sort;
	for (size_t f = 0; f < TS_COUNT(filters); f++)
		for (int reverse = 0; reverse < 2; reverse++) {
			struct ts_variable_list *l;

			if (filters[f].named && shape == NO_NAMES)
				continue;
			if (sort > TS_SORT_BYTES && f % 3 != (size_t)sort % 3)
				continue; /* a third of them each */
			if (strncmp(filters[f].line, "ipu", 3) == 0 && !v->has_ipus)
				continue;
			l = make(sort, reverse, filters[f].line, TS_OK);
			check_list(l, reverse, filters[f].is);
			ts_variable_list_release(l);
		}
}

START_TEST(orders_and_filters)
{
	begin((enum shape)_i, ROWS);
	for (int s = 0; s < TS_SORT_COUNT; s++)
		if (ts_variable_sort_can(v, (enum ts_variable_sort)s))
			check_order((enum ts_variable_sort)s);
	end();
}
END_TEST

/* --- rows ------------------------------------------------------------------------------------- */

static void
check_row(const struct ts_variable_window *w, int i, int64_t place)
{
	const struct ts_variable *x = &w->row[i];
	const struct truth *t = &truth[place];
	const char *name = t->name ? t->name : "";

	ck_assert_int_eq(x->state, TS_VARIABLE_OK);
	ck_assert_int_eq(x->place, place);
	ck_assert_int_eq(x->rowid, v->range == TS_RANGE_ROWID ? t->rowid : TS_UNKNOWN);
	ck_assert_int_eq(x->tile, t->tile);
	ck_assert_int_eq(x->bytes, t->bytes);
	ck_assert_int_eq(x->category, t->category);
	ck_assert_int_eq(x->has_name, t->name != NULL);
	ck_assert_uint_eq(x->name_n, strlen(name));
	ck_assert_int_eq(memcmp(w->text.s + x->name, name, x->name_n), 0);
	ck_assert_int_eq(x->ipu, !v->has_ipus || t->tile < 0 ? -1 : t->tile / 16);
}

/* Up, down, one by one, the same twice, and places that are none. */
START_TEST(windows)
{
	static const int64_t asked[] = {0, 1, 2, 3, 200, 199, 198, 197, 64, 128, 63, -1, 700, 700,
		ROWS - 1, 5, ROWS, 1500, 1502, 1501};
	struct ts_variable_window w;
	struct ts_err err = {0};

	begin((enum shape)_i, ROWS);
	ck_assert_msg(ts_variables_read(&w, rd, v, asked, TS_COUNT(asked), NULL, &err) == TS_OK,
		"%s", err.msg);
	ck_assert_int_eq(w.count, TS_COUNT(asked));
	ck_assert(!w.gap);
	for (int i = 0; i < w.count; i++) {
		if (asked[i] < 0 || asked[i] >= ROWS)
			ck_assert_int_eq(w.row[i].state, TS_VARIABLE_MISSING);
		else
			check_row(&w, i, asked[i]);
	}
	ts_variable_window_fini(&w);
	end();
}
END_TEST

/* Row ids are believed to have no gaps until a row is missed. */
START_TEST(gaps_are_noticed)
{
	struct ts_variables *believed;
	struct ts_variable_window w;
	struct ts_variable_list *l;
	struct ts_err err = {0};
	int64_t asked[100];
	bool gap = false;

	begin(GAPS, ROWS);
	ck_assert_int_eq(ts_variables_open(&believed, rd, &d.c, &err), TS_OK);
	if (!ts_variables_placed(believed)) { /* more row ids than the file can hold */
		ts_variables_release(believed);
		end();
		return;
	}
	for (int i = 0; i < 100; i++)
		asked[i] = 1500 + i;
	ck_assert_int_eq(ts_variables_read(&w, rd, believed, asked, 100, NULL, &err), TS_OK);
	ck_assert(w.gap);
	ts_variable_window_fini(&w);
	l = ts_variable_list_new(believed, TS_SORT_BYTES, false, NULL);
	ck_assert_int_eq(ts_variable_list_make(l, rd, &gap, NULL, NULL, &err), TS_E_STALE);
	ck_assert(gap);
	ts_variable_list_release(l);
	ts_variables_release(believed);
	end();
}
END_TEST

/* --- kept orders, cancelling, next hits ----------------------------------------------------------- */

START_TEST(orders_are_kept)
{
	struct ts_variable_list *l;
	struct ts_index *x;
	struct ts_err err = {0};

	begin((enum shape)_i, ROWS);
	for (int s = TS_SORT_BYTES; s <= TS_SORT_CATEGORY; s++)
		if (ts_variable_sort_can(v, (enum ts_variable_sort)s)) {
			l = make((enum ts_variable_sort)s, false, "", TS_OK);
			ck_assert(!ts_variable_list_is_kept(l, false));
			ck_assert_int_eq(ts_variable_list_keep(l, rd, NULL, &err), TS_OK);
			ts_variable_list_release(l);
			l = make((enum ts_variable_sort)s, false, "", TS_OK);
			ck_assert(ts_variable_list_is_kept(l, false));
			ts_variable_list_release(l);
		}
	ck_assert_int_eq(ts_index_open(&x, &d.c, r, NULL, NULL, &err), TS_OK);
	ts_reader_set_index(rd, x);
	for (int s = TS_SORT_BYTES; s <= TS_SORT_CATEGORY; s++) {
		if (!ts_variable_sort_can(v, (enum ts_variable_sort)s))
			continue;
		sorting = (enum ts_variable_sort)s;
		l = make(sorting, true, "", TS_OK);
		ck_assert_ptr_nonnull(l->index); /* no pass was made */
		check_list(l, true, everything);
		ts_variable_list_release(l);
	}
	ts_index_release(x);
	end();
}
END_TEST

START_TEST(without_a_cache)
{
	struct ts_cache none = {0};

	begin(PLAIN, ROWS);
	ts_variables_release(v);
	open_variables(_i ? &none : NULL);
	check_order(TS_SORT_NAME);
	check_order(TS_SORT_BYTES);
	end();
}
END_TEST

START_TEST(cancelled)
{
	struct ts_cancel token;
	struct ts_variable_list *l;
	bool gap;

	begin(PLAIN, ROWS);
	ts_cancel_clear(&token);
	ts_cancel_set(&token);
	l = ts_variable_list_new(v, TS_SORT_NAME, false, NULL);
	ck_assert_int_eq(ts_variable_list_make(l, rd, &gap, &token, NULL, NULL), TS_E_CANCELLED);
	ck_assert(!atomic_load(&l->ready));
	ck_assert_int_eq(ts_variable_list_count(l), 0);
	ck_assert_int_eq(ts_variable_list_place(l, 0), -1);
	ts_variable_list_release(l);
	end();
}
END_TEST

static int64_t
next_hit(const struct ts_variable_list *l, const struct ts_variable_list *hits, int64_t at, int by)
{
	int64_t to;
	bool gap;

	ck_assert_int_eq(ts_variable_list_next(&to, l, hits, at, by, &gap, rd, NULL, NULL, NULL),
		TS_OK);
	ck_assert(!gap);
	return to;
}

START_TEST(next_hits)
{
	struct ts_variable_list *l, *hits;
	struct ts_filter f;
	int64_t at = 17;

	begin(PLAIN, ROWS);
	sorting = TS_SORT_NAME;
	l = make(TS_SORT_NAME, false, "", TS_OK);
	hits = make(TS_SORT_ROW, false, "bytes<=8", TS_OK);
	if (_i == 1) { /* that are not made: rows are read instead */
		ts_variable_list_release(hits);
		ck_assert_int_eq(ts_filter_parse(&f, "bytes<=8", ts_variable_fields, NULL, NULL),
			TS_OK);
		hits = ts_variable_list_new(v, TS_SORT_ROW, false, &f);
	}
	for (int n = 0; n < 300; n++) {
		int64_t expect = at, by = n < 150 ? 1 : -1;

		do
			expect = (expect + by + rows) % rows;
		while (!small_ones(&truth[ts_variable_list_place(l, expect)]));
		ck_assert_int_eq(next_hit(l, hits, at, (int)by), expect);
		at = expect;
	}
	ts_variable_list_release(hits);
	hits = make(TS_SORT_ROW, false, "tile:99999", TS_OK);
	ck_assert_int_eq(next_hit(l, hits, 0, 1), -1);
	ts_variable_list_release(hits);
	ts_variable_list_release(l);
	end();
}
END_TEST

START_TEST(no_rows)
{
	struct ts_variable_list *l;

	begin((enum shape)_i, 0);
	for (int s = 0; s < TS_SORT_COUNT; s++)
		for (int f = 0; f < 2; f++) {
			if (!ts_variable_sort_can(v, (enum ts_variable_sort)s))
				continue;
			l = make((enum ts_variable_sort)s, false, f ? "bytes>1" : "", TS_OK);
			ck_assert_int_eq(ts_variable_list_count(l), 0);
			ck_assert_int_eq(ts_variable_list_place(l, 0), -1);
			ts_variable_list_release(l);
		}
	end();
}
END_TEST

/* --- lines ------------------------------------------------------------------------------------ */

/* What is looked for, but may have been meant otherwise. */
static const struct {
	const char *line, *part; /* NULL: nothing to be said */
} doubts[] = {
	{"category:stack", NULL},
	{"category:vertexc", NULL},
	{"category:foo", "\"foo\""},
	{"not (category=stac or bytes>1)", "\"stac\""},
	{"category:stack,foo", "\"foo\""},
	{"\"matmul:0\"", NULL},
	{"poplar::x", NULL},
	{"name:matmul:0", NULL},
};

START_TEST(filter_doubts)
{
	struct ts_filter f;
	struct ts_err err = {0};
	char out[160];

	begin(PLAIN, ROWS);
	ck_assert_int_eq(ts_filter_parse(&f, doubts[_i].line, ts_variable_fields, NULL, &err),
		TS_OK);
	ck_assert_msg(ts_variable_filter_doubt(out, sizeof(out), &f, v) ==
			(doubts[_i].part != NULL),
		"%s", doubts[_i].line);
	if (doubts[_i].part)
		ck_assert_msg(strstr(out, doubts[_i].part) != NULL, "%s", out);
	end();
}
END_TEST

/* --- ranks ------------------------------------------------------------------------------------ */

/* The columns of the index say the same, in however many parts they were made. */
START_TEST(filters_by_columns)
{
	struct ts_columns c;
	struct ts_index *x;

	begin((enum shape)(_i % SHAPES), ROWS - 100 * (_i / SHAPES));
	x = index_dir_build(&d, r, rd, 1u << TS_SECTION_COLUMNS, 1 + _i % 4);
	ck_assert(ts_columns_of(&c, x));
	ck_assert_int_eq(c.rows, rows);
	ts_reader_set_index(rd, x);
	check_order(TS_SORT_ROW);
	check_order(TS_SORT_BYTES);
	check_order(TS_SORT_TILE);
	if (shape != NO_NAMES)
		check_order(TS_SORT_NAME);
	ts_reader_set_index(rd, NULL);
	ts_index_release(x);
	end();
}
END_TEST

/* Texts that share long beginnings, end early, hold NUL bytes. */
static int
no_categories(void *ctx, int action, const char *table, const char *column, const char *db,
	const char *by)
{
	(void)ctx, (void)column, (void)db, (void)by;
	return action == SQLITE_READ && strcmp(table, "var_categories") == 0 ? SQLITE_DENY
									     : SQLITE_OK;
}

/* Not even the statement can be made: names are empty, and variables are counted as with others. */
START_TEST(names_that_cannot_be_asked_for)
{
	struct ts_names none, same;
	struct ts_variables *counted;
	struct ts_err err = {0};
	struct ts_db *db;

	begin(GAPS, ROWS);
	ts_variables_release(v);
	db = rd->db[r->binding[TS_MEMORY_CATEGORY].source];
	ts_db_use_api(db, true);
	sqlite3_set_authorizer(ts_db_handle(db), no_categories, NULL);
	ck_assert_int_eq(ts_names_read(&none, rd, TS_MEMORY_CATEGORY, TS_MEMORY_CATEGORY_CATEGORY,
				 TS_MEMORY_CATEGORY_NAME, &err),
		TS_E_FORMAT);
	ck_assert_int_eq(none.rows, -1);
	ck_assert(ts_names_share(&same, &none));
	ts_names_fini(&none);
	ck_assert_uint_eq(same.count, 0);
	ts_names_fini(&same);
	ck_assert_int_eq(ts_variables_open(&v, rd, NULL, &err), TS_OK);
	ck_assert_msg(ts_variables_count(&counted, v, rd, NULL, &err) == TS_OK, "%s", err.msg);
	ck_assert_int_eq(counted->rows, rows);
	ts_variables_release(counted);
	end();
}
END_TEST

START_TEST(ranks)
{
	enum { N = 4000, LONG = 60 };
	static char text[N][LONG];
	static size_t length[N];
	struct ts_dictionary dict = {0};
	uint32_t entry, rank = 0;

	seed = 5;
	for (int i = 0; i < N; i++) {
		length[i] = roll(4) ? 20 + roll(6) : roll(LONG);
		for (size_t k = 0; k < length[i]; k++)
			text[i][k] = k < 18 ? 'x' : (char)(roll(3) ? 'a' + (int)roll(3) : 0);
		ck_assert_int_eq(ts_dictionary_text(&dict, &entry, text[i], length[i], NULL),
			TS_OK);
	}
	ck_assert_int_eq(ts_dictionary_rank(&dict, &rank, NULL, NULL), TS_OK);
	ck_assert_uint_eq(rank, dict.count);
	for (uint32_t i = 1; i < dict.count; i++)
		for (uint32_t k = i > 40 ? i - 40 : 0; k < i; k++) {
			const struct ts_dictionary_entry *a = ts_dictionary_at(&dict, i);
			const struct ts_dictionary_entry *b = ts_dictionary_at(&dict, k);
			const char *t = dict.text.memory;
			int c = memcmp(t + a->at, t + b->at, a->n < b->n ? a->n : b->n);

			c = c ? c : a->n < b->n ? -1 : a->n > b->n;
			ck_assert_int_ne(c, 0);
			ck_assert_int_eq(c < 0, a->rank < b->rank);
		}
	ts_dictionary_fini(&dict);
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("variables");
	TCase *t = tcase_create("lists");
	SRunner *run;
	int failed;

	tcase_set_timeout(t, 60);
	tcase_add_loop_test(t, orders_and_filters, 0, SHAPES);
	tcase_add_loop_test(t, windows, 0, SHAPES);
	tcase_add_test(t, gaps_are_noticed);
	tcase_add_loop_test(t, orders_are_kept, 0, SHAPES);
	tcase_add_loop_test(t, without_a_cache, 0, 2);
	tcase_add_test(t, cancelled);
	tcase_add_loop_test(t, next_hits, 0, 2);
	tcase_add_loop_test(t, no_rows, 0, SHAPES);
	tcase_add_loop_test(t, filter_doubts, 0, TS_COUNT(doubts));
	tcase_add_loop_test(t, filters_by_columns, 0, sample_of(4 * SHAPES));
	tcase_add_test(t, names_that_cannot_be_asked_for);
	tcase_add_test(t, ranks);
	suite_add_tcase(s, t);
	run = srunner_create(s);
	srunner_run_all(run, CK_NORMAL);
	failed = srunner_ntests_failed(run);
	srunner_free(run);
	return failed ? 1 : 0;
}
