/* SPDX-License-Identifier: MIT */
/*
 * test_index_page - what pages of an index say is what SQLite says of it; any bytes do no harm.
 *
 * An index is written by SQLite, its pages are walked from the root, and its entries are those that SQLite lists; of any range
 * no child is left out that has a key of it.
 */
#include "config.h"

#include <check.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tilescope/base/mem.h"

#include "corpus.h"
#include "index_page_check.h"

enum { PAGE = 512, ROWS = 3000, RANGES = 200, KEYS = 500 };

struct file {
	char path[64];
	unsigned char *bytes; /* with slack behind them */
	size_t pages;
	struct ts_geometry g;
	sqlite3 *db;
	uint32_t root;
};

static uint64_t x = 88172645463325252u;

static uint64_t
roll(void)
{
	x ^= x << 13;
	x ^= x >> 7;
	x ^= x << 17;
	return x;
}

static void
run(sqlite3 *db, const char *sql)
{
	char *why = NULL;

	ck_assert_msg(sqlite3_exec(db, sql, NULL, NULL, &why) == SQLITE_OK, "%s: %s", sql, why);
}

/* Keys: numbers of every width, NULL, reals, texts. */
static void
bind_key(sqlite3_stmt *st)
{
	static const int64_t edges[] = {0, 1, -1, 127, -128, 128, 32767, -32769, 8388607, 1 << 30,
		INT32_MIN, INT64_C(140737488355327), INT64_MAX, INT64_MIN};

	switch (roll() % 8) {
	case 0:
		sqlite3_bind_null(st, 1);
		break;
	case 1:
		sqlite3_bind_text(st, 1, "a name", -1, SQLITE_STATIC);
		break;
	case 2:
		sqlite3_bind_double(st, 1, (double)(roll() % KEYS) + 0.5);
		break;
	case 3:
		sqlite3_bind_int64(st, 1, edges[roll() % TS_COUNT(edges)]);
		break;
	default:
		sqlite3_bind_int64(st, 1, (int64_t)(roll() % KEYS) - KEYS / 4);
	}
}

static uint32_t
root_of(sqlite3 *db)
{
	sqlite3_stmt *st;
	uint32_t root;

	ck_assert_int_eq(sqlite3_prepare_v2(db,
				 "SELECT rootpage FROM sqlite_schema WHERE name = 'i'", -1, &st,
				 NULL),
		SQLITE_OK);
	ck_assert_int_eq(sqlite3_step(st), SQLITE_ROW);
	root = (uint32_t)sqlite3_column_int(st, 0);
	sqlite3_finalize(st);
	return root;
}

static void
load(struct file *f)
{
	FILE *in = fopen(f->path, "rb");
	long size;

	ck_assert_ptr_nonnull(in);
	fseek(in, 0, SEEK_END);
	size = ftell(in);
	rewind(in);
	f->pages = (size_t)size / PAGE;
	f->bytes = ts_alloc((size_t)size + TS_PAGE_SLACK, 1);
	ck_assert_ptr_nonnull(f->bytes);
	ck_assert_uint_eq(fread(f->bytes, 1, (size_t)size, in), (size_t)size);
	fclose(in);
}

static void
begin(struct file *f, const char *type)
{
	sqlite3_stmt *st;
	char sql[128];
	int fd;

	*f = (struct file){.g = {.page = PAGE, .usable = PAGE, .max_cells = (PAGE - 8) / 6}};
	snprintf(f->path, sizeof(f->path), "/tmp/ts-index-page-XXXXXX");
	fd = mkstemp(f->path);
	ck_assert_int_ge(fd, 0);
	close(fd);
	ck_assert_int_eq(sqlite3_open(f->path, &f->db), SQLITE_OK);
	snprintf(sql, sizeof(sql),
		"PRAGMA page_size=%d; BEGIN; CREATE TABLE t(k %s, more); CREATE INDEX i ON t(k, more);",
		PAGE, type);
	run(f->db, sql);
	ck_assert_int_eq(sqlite3_prepare_v2(f->db, "INSERT INTO t VALUES(?1, ?2)", -1, &st, NULL),
		SQLITE_OK);
	for (int i = 0; i < ROWS; i++) {
		bind_key(st);
		sqlite3_bind_int(st, 2, (int)(roll() % 3));
		ck_assert_int_eq(sqlite3_step(st), SQLITE_DONE);
		sqlite3_reset(st);
	}
	sqlite3_finalize(st);
	run(f->db, "COMMIT");
	f->root = root_of(f->db);
	load(f);
}

static void
end(struct file *f)
{
	free(f->bytes);
	sqlite3_close(f->db);
	unlink(f->path);
}

static void
open_page(struct index_page *p, const struct file *f, uint32_t number)
{
	ck_assert_uint_ge(number, 1);
	ck_assert_uint_le(number, f->pages);
	ck_assert(index_page_open(p, &f->g, f->bytes + (size_t)(number - 1) * PAGE));
}

/* The entry is the row that SQLite gives next. */
static void
compare(sqlite3_stmt *st, const struct index_page *p, unsigned i)
{
	struct index_entry e;
	int type;

	ck_assert_int_eq(sqlite3_step(st), SQLITE_ROW);
	type = sqlite3_column_type(st, 0);
	index_page_entry(&e, p, i);
	ck_assert_int_eq(e.is,
		type == SQLITE_NULL		 ? INDEX_BEFORE
			: type == SQLITE_TEXT	 ? INDEX_BEHIND
			: type == SQLITE_INTEGER ? INDEX_NUMBER
						 : INDEX_UNKNOWN);
	if (type == SQLITE_INTEGER)
		ck_assert_int_eq(e.key, sqlite3_column_int64(st, 0));
	ck_assert(e.has_rowid);
	ck_assert_int_eq(e.rowid, sqlite3_column_int64(st, 1));
}

static void
walk(const struct file *f, uint32_t number, sqlite3_stmt *st)
{
	struct index_page p;

	open_page(&p, f, number);
	for (unsigned i = 0; i < p.cells; i++) {
		if (!p.leaf)
			walk(f, index_page_child(&p, i), st);
		compare(st, &p, i);
	}
	if (!p.leaf)
		walk(f, index_page_child(&p, p.cells), st);
}

START_TEST(entries_are_those_of_sqlite)
{
	struct file f;
	sqlite3_stmt *st;

	begin(&f, "");
	ck_assert_int_eq(sqlite3_prepare_v2(f.db,
				 "SELECT k, rowid FROM t INDEXED BY i ORDER BY k, more, rowid", -1,
				 &st, NULL),
		SQLITE_OK);
	walk(&f, f.root, st);
	ck_assert_int_eq(sqlite3_step(st), SQLITE_DONE);
	sqlite3_finalize(st);
	end(&f);
}
END_TEST

/* Entries with a key of the range, in the page and below it, where `all` or as the children say. */
static int
count(const struct file *f, uint32_t number, int64_t from, int64_t to, bool all)
{
	unsigned first = 0, last;
	struct index_page p;
	int n = 0;

	open_page(&p, f, number);
	for (unsigned i = 0; i < p.cells; i++) {
		struct index_entry e;

		index_page_entry(&e, &p, i);
		n += e.is == INDEX_NUMBER && e.key >= from && e.key <= to;
	}
	if (p.leaf)
		return n;
	last = p.cells;
	if (!all)
		index_page_children(&first, &last, &p, from, to);
	for (unsigned i = first; i <= last; i++)
		n += count(f, index_page_child(&p, i), from, to, all);
	return n;
}

START_TEST(no_child_of_a_range_is_left_out)
{
	static const char *const types[] = {"INTEGER", ""};
	struct file f;

	begin(&f, types[_i]);
	for (int i = 0; i < RANGES; i++) {
		int64_t from = (int64_t)(roll() % KEYS) - KEYS / 3;
		int64_t to = from + (int64_t)(roll() % 40);

		ck_assert_int_eq(count(&f, f.root, from, to, false),
			count(&f, f.root, from, to, true));
	}
	end(&f);
}
END_TEST

START_TEST(broken_pages)
{
	unsigned char input[INDEX_CHECK_KEYS + PAGE];
	struct file f;

	begin(&f, "");
	for (size_t page = 1; page < f.pages; page++)
		for (int i = 0; i < 64; i++) {
			const char *why;

			memset(input, 0, INDEX_CHECK_KEYS);
			input[7] = (unsigned char)roll();
			memcpy(input + INDEX_CHECK_KEYS, f.bytes + page * PAGE, PAGE);
			for (uint64_t k = roll() % 6; k > 0; k--)
				input[INDEX_CHECK_KEYS + roll() % PAGE] = (unsigned char)roll();
			why = index_page_check(input, sizeof(input));
			ck_assert_msg(!why, "%s", why);
		}
	end(&f);
}
END_TEST

static void
replay(void *ctx, const char *file, const unsigned char *bytes, size_t n)
{
	const char *why = index_page_check(bytes, n);

	(void)ctx;
	ck_assert_msg(!why, "%s: %s", file, why);
}

START_TEST(corpus)
{
	corpus_each("index_page", 1 << 17, replay, NULL);
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("index_page");
	TCase *t = tcase_create("index_page");
	SRunner *r;
	int failed;

	tcase_add_test(t, entries_are_those_of_sqlite);
	tcase_add_loop_test(t, no_child_of_a_range_is_left_out, 0, 2);
	tcase_add_test(t, broken_pages);
	tcase_add_test(t, corpus);
	suite_add_tcase(s, t);
	r = srunner_create(s);
	srunner_run_all(r, CK_NORMAL);
	failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
