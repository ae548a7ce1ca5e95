/* SPDX-License-Identifier: MIT */
/*
 * Reading SQLite through a source: the same rows as SQLite's own, damage that stays where it is, nothing
 * written, cancelling, and what the header tells.
 */
#include "config.h"

#include <check.h>
#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <unistd.h>

#include "sqlite_bytes.h"
#include "tilescope/base/mem.h"
#include "tilescope/base/strbuf.h"
#include "tilescope/db/db.h"
#include "tilescope/db/vfs.h"

/* a is filled before b is made: its pages come first. */
#define TWO_TABLES                                                                          \
	"CREATE TABLE a (id INTEGER PRIMARY KEY, x TEXT, y BLOB);"                          \
	"WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 2000)"    \
	" INSERT INTO a SELECT i * 3, 'name ' || i * 7919 % 2003, zeroblob(i % 50) FROM n;" \
	"INSERT INTO a VALUES (7000, 'large', randomblob(20000));"                          \
	"CREATE TABLE b (k INTEGER, v TEXT);"                                               \
	"WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1000)"    \
	" INSERT INTO b SELECT i, 'value ' || i FROM n;"

static const char sum_a[] = "SELECT sum(id * 31 + length(x) + length(y)) FROM a";
static const char sum_b[] = "SELECT sum(k * 31 + length(v)) FROM b";

struct fixture {
	unsigned char *bytes;
	size_t n;
	struct ts_source *source;
	struct ts_db *db;
};

static void
open_bytes(struct fixture *f, size_t n)
{
	struct ts_err err = {0};

	ck_assert_int_eq(ts_source_open_mem(&f->source, f->bytes, n, &err), TS_OK);
	ck_assert_msg(ts_db_open(&f->db, f->source, &err) == TS_OK, "%s", err.msg);
}

static void
close_it(struct fixture *f)
{
	ts_db_close(f->db);
	ts_source_close(f->source);
	f->db = NULL;
	f->source = NULL;
}

static void
make(struct fixture *f, const char *sql)
{
	*f = (struct fixture){0};
	f->bytes = sqlite_bytes(&f->n, sql);
	open_bytes(f, f->n);
}

static void
done(struct fixture *f)
{
	close_it(f);
	sqlite3_free(f->bytes);
}

static int64_t
number(struct ts_db *db, const char *sql)
{
	struct ts_err err = {0};
	int64_t v = 0;
	bool found;

	ck_assert_msg(ts_db_int(db, &v, &found, sql, &err) == TS_OK, "%s: %s", sql, err.msg);
	ck_assert(found);
	return v;
}

static enum ts_code
code_of(struct ts_db *db, const char *sql, struct ts_err *err)
{
	int64_t v;
	bool found;

	*err = (struct ts_err){0};
	return ts_db_int(db, &v, &found, sql, err);
}

/* ---- the same rows ---- */

static const int page_sizes[] = {512, 1024, 4096, 65536};

START_TEST(rows_equal_those_of_sqlite)
{
	struct ts_strbuf sql;
	static const char all[] = "SELECT id, x, y FROM a ORDER BY id";
	struct ts_sqlite_header h;
	struct ts_err err = {0};
	struct fixture f;
	sqlite3 *own;
	sqlite3_stmt *theirs, *ours;
	bool row;
	int rows = 0;

	ts_strbuf_init(&sql, 1 << 16);
	ts_strbuf_printf(&sql, "PRAGMA page_size=%d;", page_sizes[_i]);
	ts_strbuf_puts(&sql, TWO_TABLES);
	make(&f, sql.s);
	ts_strbuf_fini(&sql);
	ck_assert_int_eq(ts_sqlite_header_read(&h, f.source, &err), TS_OK);
	ck_assert_int_eq(h.page_size, page_sizes[_i]);
	ck_assert_int_eq(h.pages_said * h.page_size, (int64_t)f.n);
	ck_assert(!h.wal && !h.truncated);
	sqlite3_open(":memory:", &own);
	sqlite3_deserialize(own, "main", f.bytes, (sqlite3_int64)f.n, (sqlite3_int64)f.n,
		SQLITE_DESERIALIZE_READONLY);
	ck_assert_int_eq(sqlite3_prepare_v2(own, all, -1, &theirs, NULL), SQLITE_OK);
	ck_assert_int_eq(ts_db_prepare(f.db, &ours, all, &err), TS_OK);
	while (ts_db_step(f.db, ours, &row, &err) == TS_OK && row) {
		ck_assert_int_eq(sqlite3_step(theirs), SQLITE_ROW);
		for (int c = 0; c < 3; c++) {
			int n = sqlite3_column_bytes(theirs, c);

			ck_assert_int_eq(sqlite3_column_type(ours, c),
				sqlite3_column_type(theirs, c));
			ck_assert_int_eq(sqlite3_column_bytes(ours, c), n);
			if (n > 0)
				ck_assert_mem_eq(sqlite3_column_blob(ours, c),
					sqlite3_column_blob(theirs, c), (size_t)n);
		}
		rows++;
	}
	ck_assert_int_eq(rows, 2001);
	ck_assert_int_eq(sqlite3_step(theirs), SQLITE_DONE);
	sqlite3_finalize(theirs);
	sqlite3_close(own);
	ts_db_release(f.db, ours);
	done(&f);
}
END_TEST

START_TEST(connections_do_not_know_each_other)
{
	struct fixture f;
	struct ts_db *second, *third;
	struct ts_err err = {0};

	make(&f, TWO_TABLES);
	ck_assert_int_eq(ts_db_open(&second, f.source, &err), TS_OK);
	ck_assert_int_eq(ts_db_open(&third, f.source, &err), TS_OK);
	ck_assert_int_eq(number(f.db, sum_a), number(second, sum_a));
	ts_db_close(f.db);
	ck_assert_int_eq(number(second, sum_b), number(third, sum_b));
	ts_db_close(third);
	ck_assert_int_eq(number(second, "SELECT count(*) FROM a"), 2001);
	ts_db_close(second);
	ts_db_close(NULL);
	f.db = NULL;
	done(&f);
}
END_TEST

START_TEST(statements_are_kept)
{
	struct fixture f;
	struct ts_err err = {0};
	sqlite3_stmt *s[40], *twice, *again;
	char sql[40];

	make(&f, TWO_TABLES);
	for (int i = 0; i < 40; i++) {
		snprintf(sql, sizeof(sql), "SELECT ?1 + %d", i);
		ck_assert_int_eq(ts_db_prepare(f.db, &s[i], sql, &err), TS_OK);
		sqlite3_bind_int(s[i], 1, 1);
	}
	ck_assert_int_eq(ts_db_prepare(f.db, &twice, "SELECT ?1 + 0", &err), TS_OK);
	ck_assert_ptr_ne(twice, s[0]); /* in use: another one */
	ts_db_release(f.db, twice);
	ts_db_release(f.db, NULL);
	for (int i = 0; i < 40; i++) {
		bool row;

		ck_assert_int_eq(ts_db_step(f.db, s[i], &row, &err), TS_OK);
		ck_assert_int_eq(sqlite3_column_int(s[i], 0), i + 1);
		ts_db_release(f.db, s[i]);
	}
	ck_assert_int_eq(ts_db_prepare(f.db, &again, "SELECT ?1 + 5", &err), TS_OK);
	ck_assert_ptr_eq(again, s[5]);
	bool row;
	ck_assert_int_eq(ts_db_step(f.db, again, &row, &err), TS_OK);
	ck_assert_int_eq(sqlite3_column_type(again, 0), SQLITE_NULL); /* bindings are gone */
	ts_db_release(f.db, again);
	done(&f);
}
END_TEST

START_TEST(an_integer_or_none)
{
	struct fixture f;
	struct ts_err err = {0};
	int64_t v = 77;
	bool found = true;

	make(&f, TWO_TABLES);
	ck_assert_int_eq(ts_db_int(f.db, &v, &found, "SELECT NULL", &err), TS_OK);
	ck_assert(!found);
	ck_assert_int_eq(ts_db_int(f.db, &v, &found, "SELECT 'x'", &err), TS_OK);
	ck_assert(!found);
	ck_assert_int_eq(ts_db_int(f.db, &v, &found, "SELECT id FROM a WHERE id < 0", &err), TS_OK);
	ck_assert(!found);
	ck_assert_int_eq(v, 77);
	ck_assert_int_eq(code_of(f.db, "SELECT nothing FROM a", &err), TS_E_FORMAT);
	ck_assert_int_eq(code_of(f.db, "SELECT \"nothing\" FROM a", &err), TS_E_FORMAT);
	ck_assert_int_eq(code_of(f.db, "SELECT count(*) FROM nothing", &err), TS_E_FORMAT);
	ck_assert_ptr_nonnull(strstr(err.msg, "nothing"));
	done(&f);
}
END_TEST

START_TEST(names_in_sql)
{
	struct ts_strbuf sql;

	ts_strbuf_init(&sql, 100);
	ts_sql_quote(&sql, "a\"b'c\";--");
	ck_assert_str_eq(sql.s, "\"a\"\"b'c\"\";--\"");
	ts_strbuf_fini(&sql);
}
END_TEST

/* ---- damage ---- */

START_TEST(truncation_ends_what_needs_the_page)
{
	struct fixture f;
	struct ts_err err = {0};
	int64_t a, b, root;
	const size_t page = 4096;
	size_t pages;

	make(&f, TWO_TABLES);
	a = number(f.db, sum_a);
	b = number(f.db, sum_b);
	root = number(f.db, "SELECT rootpage FROM sqlite_schema WHERE name = 'b'");
	close_it(&f);
	pages = f.n / page;
	ck_assert_uint_gt(pages, 15);
	for (size_t cut = page; cut < f.n; cut += cut % page == 0 ? 777 : page - 777) {
		struct ts_sqlite_header h;

		open_bytes(&f, cut);
		ck_assert_int_eq(ts_sqlite_header_read(&h, f.source, &err), TS_OK);
		ck_assert(h.truncated);
		ck_assert_int_eq(h.pages_said, (int64_t)pages);
		ck_assert_int_eq(h.bytes, (int64_t)cut);
		for (int twice = 0; twice < 2; twice++) {
			ck_assert_int_eq(code_of(f.db, sum_b, &err), TS_E_DAMAGED);
			ck_assert_ptr_nonnull(strstr(err.msg, "truncated"));
			if (cut / page >= (size_t)root - 1)
				ck_assert_int_eq(number(f.db, sum_a), a);
			else
				ck_assert_int_eq(code_of(f.db, sum_a, &err), TS_E_DAMAGED);
			/* the schema stands in the first page */
			ck_assert_int_eq(number(f.db, "SELECT count(*) FROM sqlite_schema"), 2);
		}
		close_it(&f);
	}
	open_bytes(&f, f.n);
	ck_assert_int_eq(number(f.db, sum_b), b);
	done(&f);
}
END_TEST

START_TEST(a_file_that_does_not_say_its_size)
{
	struct fixture f;
	struct ts_sqlite_header h;
	struct ts_err err = {0};

	make(&f, TWO_TABLES);
	f.bytes[95] ^= 1; /* "version valid for" is not the change counter */
	ck_assert_int_eq(ts_sqlite_header_read(&h, f.source, &err), TS_OK);
	ck_assert_int_eq(h.pages_said, 0);
	ck_assert(!h.truncated);
	close_it(&f);
	open_bytes(&f, f.n);
	ck_assert_int_eq(number(f.db, "SELECT count(*) FROM b"), 1000);
	close_it(&f);
	open_bytes(&f, f.n - 4096);
	ck_assert_int_eq(code_of(f.db, sum_b, &err), TS_E_DAMAGED);
	done(&f);
}
END_TEST

/* A source that misbehaves when it is told to. */
struct odd_source {
	struct ts_source base;
	struct ts_source *under;
	int64_t end; /* reads end here */
	int reads, fail_at, cancel_at;
	struct ts_cancel *token;
};

static enum ts_code
odd_read(struct ts_source *s, void *buf, size_t n, int64_t offset, size_t *got,
	const struct ts_cancel *cancel, struct ts_err *err)
{
	struct odd_source *o = (struct odd_source *)s;

	o->reads++;
	if (o->reads == o->fail_at)
		return ts_err_sys(err, EIO, "read at offset %lld", (long long)offset);
	if (o->reads == o->cancel_at) {
		ts_cancel_set(o->token);
		return ts_err_set(err, TS_E_CANCELLED, "cancelled");
	}
	if (offset >= o->end)
		return TS_OK;
	return ts_source_read(o->under, buf, (size_t)ts_min_i64((int64_t)n, o->end - offset),
		offset, got, cancel, err);
}

static void
odd_close(struct ts_source *s)
{
	ts_source_close(((struct odd_source *)s)->under);
}

static const struct ts_source_ops odd_ops = {.read_at = odd_read, .close = odd_close};

static void
make_odd(struct odd_source *o, struct fixture *f)
{
	struct ts_err err = {0};

	*f = (struct fixture){0};
	*o = (struct odd_source){0};
	f->bytes = sqlite_bytes(&f->n, TWO_TABLES);
	ck_assert_int_eq(ts_source_open_mem(&o->under, f->bytes, f->n, &err), TS_OK);
	o->base = (struct ts_source){.ops = &odd_ops, .size = (int64_t)f->n};
	o->end = (int64_t)f->n;
	f->source = &o->base;
	ck_assert_int_eq(ts_db_open(&f->db, f->source, &err), TS_OK);
}

START_TEST(a_file_that_shrinks_while_it_is_read)
{
	struct odd_source o;
	struct fixture f;
	struct ts_err err = {0};

	make_odd(&o, &f);
	o.end = (int64_t)f.n / 2;
	ck_assert_int_eq(code_of(f.db, sum_b, &err), TS_E_DAMAGED);
	ck_assert_ptr_nonnull(strstr(err.msg, "behind the end"));
	o.end = (int64_t)f.n;
	ck_assert_int_eq(number(f.db, "SELECT count(*) FROM b"), 1000);
	done(&f);
}
END_TEST

START_TEST(a_read_that_fails_ends_one_statement)
{
	struct odd_source o;
	struct fixture f;
	struct ts_err err = {0};
	int64_t whole;
	int failures = 0;

	make_odd(&o, &f);
	whole = number(f.db, sum_a);
	for (int n = 1; n < 200; n++) {
		enum ts_code code;

		done(&f);
		make_odd(&o, &f);
		o.fail_at = o.reads + n;
		code = code_of(f.db, sum_a, &err);
		if (code == TS_OK)
			break;
		ck_assert_int_eq(code, TS_E_SYS);
		ck_assert_int_eq(err.code, TS_E_SYS);
		ck_assert_ptr_nonnull(strstr(err.msg, "Input/output error"));
		failures++;
		ck_assert_int_eq(number(f.db, sum_a), whole);
		/* what fails later is not told as that error */
		ck_assert_int_eq(code_of(f.db, "SELECT nothing", &err), TS_E_FORMAT);
	}
	ck_assert_int_gt(failures, 10);
	done(&f);
}
END_TEST

/* ---- cancelling ---- */

START_TEST(a_cancelled_read)
{
	struct odd_source o;
	struct fixture f;
	struct ts_cancel token = {0};
	struct ts_err err = {0};

	make_odd(&o, &f);
	ts_db_set_cancel(f.db, &token);
	o.token = &token;
	o.cancel_at = o.reads + 5;
	ck_assert_int_eq(code_of(f.db, sum_a, &err), TS_E_CANCELLED);
	ck_assert_int_eq(err.code, TS_E_CANCELLED);
	ck_assert_int_eq(code_of(f.db, sum_a, &err), TS_E_CANCELLED); /* it is still set */
	ts_cancel_clear(&token);
	ck_assert_int_eq(number(f.db, "SELECT count(*) FROM a"), 2001);
	ck_assert_int_eq(number(f.db, "SELECT count(*) FROM b"), 1000);
	ts_cancel_set(&token);
	ts_db_set_cancel(f.db, NULL);
	ck_assert_int_eq(number(f.db, "SELECT count(*) FROM a"), 2001);
	done(&f);
}
END_TEST

static struct ts_cancel alarm_token;

static void
on_alarm(int sig)
{
	(void)sig;
	ts_cancel_set(&alarm_token);
}

START_TEST(a_cancelled_computation)
{
	static const char endless[] = "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 "
				      "FROM c) SELECT max(x) FROM c";
	const struct itimerval soon = {{0, 0}, {0, 30000}};
	struct fixture f;
	struct ts_err err = {0};

	make(&f, TWO_TABLES);
	ts_cancel_clear(&alarm_token);
	ts_db_set_cancel(f.db, &alarm_token);
	signal(SIGALRM, on_alarm);
	setitimer(ITIMER_REAL, &soon, NULL);
	ck_assert_int_eq(code_of(f.db, endless, &err), TS_E_CANCELLED);
	ts_cancel_clear(&alarm_token);
	ck_assert_int_eq(number(f.db, "SELECT count(*) FROM a"), 2001);
	done(&f);
}
END_TEST

/* ---- nothing is written ---- */

static const char *const writes[] = {
	"INSERT INTO b VALUES (1, 'x')",
	"UPDATE b SET v = 'x'",
	"DELETE FROM a",
	"CREATE TABLE c (x)",
	"CREATE INDEX i ON b (k)",
	"DROP TABLE b",
	"PRAGMA user_version = 7",
	"PRAGMA writable_schema = ON; UPDATE sqlite_schema SET sql = ''",
	"VACUUM",
	"REINDEX",
	"ATTACH ':memory:' AS other",
	"ATTACH 'profile.other' AS other",
	"VACUUM INTO 'copy'",
	"BEGIN IMMEDIATE",
};

static int
entries(const char *path)
{
	DIR *d = opendir(path);
	int n = 0;

	ck_assert_ptr_nonnull(d);
	for (struct dirent *e; (e = readdir(d));)
		n += e->d_name[0] != '.';
	closedir(d);
	return n;
}

static void
write_bytes(const char *path, const void *bytes, size_t n)
{
	FILE *out = fopen(path, "w");

	ck_assert_ptr_nonnull(out);
	ck_assert_uint_eq(fwrite(bytes, 1, n, out), n);
	ck_assert_int_eq(fclose(out), 0);
}

START_TEST(nothing_is_written_and_nothing_made_beside_it)
{
	char dir[] = "/tmp/ts-vfs-XXXXXX", path[40], *now;
	struct fixture f = {0};
	struct ts_err err = {0};
	struct stat before, after;
	FILE *in;

	ck_assert_ptr_nonnull(mkdtemp(dir));
	ck_assert_int_eq(chdir(dir), 0);
	snprintf(path, sizeof(path), "%s/profile.pop", dir);
	f.bytes = sqlite_bytes(&f.n, TWO_TABLES);
	write_bytes(path, f.bytes, f.n);
	stat(path, &before);
	ck_assert_int_eq(ts_source_open_file(&f.source, path, &err), TS_OK);
	ck_assert_int_eq(f.source->size, (int64_t)f.n);
	ck_assert_int_eq(ts_db_open(&f.db, f.source, &err), TS_OK);
	for (size_t i = 0; i < TS_COUNT(writes); i++) {
		int rc = sqlite3_exec(ts_db_handle(f.db), writes[i], NULL, NULL, NULL);

		if (strcmp(writes[i], "REINDEX") != 0) /* there is nothing to index */
			ck_assert_msg(rc != SQLITE_OK, "%s", writes[i]);
		ck_assert_int_eq(entries(dir), 1);
	}
	sqlite3_exec(ts_db_handle(f.db), "PRAGMA journal_mode = WAL", NULL, NULL, NULL);
	sqlite3_exec(ts_db_handle(f.db), "PRAGMA query_only = OFF", NULL, NULL, NULL);
	ck_assert_int_ne(sqlite3_exec(ts_db_handle(f.db), writes[0], NULL, NULL, NULL), SQLITE_OK);
	ck_assert_int_eq(number(f.db, "SELECT count(*) FROM b"), 1000);
	close_it(&f);
	ck_assert_int_eq(entries(dir), 1);
	stat(path, &after);
	ck_assert_int_eq(after.st_mtim.tv_nsec, before.st_mtim.tv_nsec);
	now = ts_alloc(f.n + 1, 1);
	in = fopen(path, "r");
	ck_assert_uint_eq(fread(now, 1, f.n + 1, in), f.n);
	fclose(in);
	ck_assert_mem_eq(now, f.bytes, f.n);
	free(now);
	sqlite3_free(f.bytes);
	unlink(path);
	ck_assert_int_eq(chdir("/"), 0);
	ck_assert_int_eq(rmdir(dir), 0);
}
END_TEST

START_TEST(wal_mode_is_read_as_it_stands)
{
	char dir[] = "/tmp/ts-vfs-XXXXXX", path[40], wal[48];
	struct ts_source *source;
	struct ts_sqlite_header h;
	struct ts_err err = {0};
	struct ts_db *db;
	sqlite3 *writer;

	ck_assert_ptr_nonnull(mkdtemp(dir));
	snprintf(path, sizeof(path), "%s/profile.pop", dir);
	snprintf(wal, sizeof(wal), "%s-wal", path);
	ck_assert_int_eq(sqlite3_open(path, &writer), SQLITE_OK);
	sqlite_run(writer, "PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 0;" TWO_TABLES);
	sqlite_run(writer, "PRAGMA wal_checkpoint(TRUNCATE); INSERT INTO b VALUES (-1, 'late')");
	ck_assert_int_eq(access(wal, F_OK), 0);
	ck_assert_int_eq(ts_source_open_file(&source, path, &err), TS_OK);
	ck_assert_int_eq(ts_sqlite_header_read(&h, source, &err), TS_OK);
	ck_assert(h.wal);
	ck_assert_msg(ts_db_open(&db, source, &err) == TS_OK, "%s", err.msg);
	ck_assert_int_eq(number(db, "SELECT count(*) FROM b"), 1000); /* not what the -wal has */
	ck_assert_int_eq(number(db, "SELECT count(*) FROM a"), 2001);
	ts_db_close(db);
	ts_source_close(source);
	sqlite3_close(writer);
	unlink(path);
	unlink(wal);
	ck_assert_int_eq(rmdir(dir), 0);
}
END_TEST

START_TEST(sorts_larger_than_the_cache)
{
	struct fixture f;
	struct ts_err err = {0};
	sqlite3_stmt *s;
	bool row;
	int rows = 0;
	char last[100] = "";

	make(&f,
		"CREATE TABLE t (x TEXT);"
		"WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 39999)"
		" INSERT INTO t SELECT printf('%08d', i * 7919 % 40000) || hex(zeroblob(60))"
		" FROM n;");
	ck_assert_int_eq(ts_db_prepare(f.db, &s, "SELECT substr(x, 1, 50), x FROM t ORDER BY x",
				 &err),
		TS_OK);
	while (ts_db_step(f.db, s, &row, &err) == TS_OK && row) {
		const char *x = (const char *)sqlite3_column_text(s, 0);

		ck_assert_int_gt(strcmp(x, last), 0);
		snprintf(last, sizeof(last), "%s", x);
		rows++;
	}
	ck_assert_int_eq(err.code, TS_OK);
	ck_assert_int_eq(rows, 40000);
	ts_db_release(f.db, s);
	done(&f);
}
END_TEST

/* ---- the header ---- */

static const struct {
	const char *what;
	size_t at, n;	 /* bytes to change; the file's length */
	int value;	 /* what is written there */
	int code;	 /* expected */
	const char *msg; /* in the message */
} headers[] = {
	{"empty", 0, 0, 'S', TS_E_FORMAT, "empty"},
	{"15 bytes", 0, 15, 'S', TS_E_FORMAT, "not an SQLite"},
	{"16 bytes", 0, 16, 'S', TS_E_DAMAGED, "16 bytes"},
	{"99 bytes", 0, 99, 'S', TS_E_DAMAGED, "99 bytes"},
	{"magic", 5, 4096, 'x', TS_E_FORMAT, "not an SQLite"},
	{"page size 256", 16, 4096, 1, TS_E_DAMAGED, "page size 256"},
	{"page size 4097", 17, 4096, 1, TS_E_DAMAGED, "page size 4097"},
	{"page size 12288", 16, 4096, 0x30, TS_E_DAMAGED, "page size 12288"},
};

START_TEST(headers_that_are_none)
{
	struct ts_source *source;
	struct ts_sqlite_header h;
	struct ts_err err = {0};
	struct ts_db *db;
	unsigned char *bytes;
	size_t n;

	bytes = sqlite_bytes(&n, TWO_TABLES);
	bytes[headers[_i].at] = (unsigned char)headers[_i].value;
	ck_assert_int_eq(ts_source_open_mem(&source, bytes, headers[_i].n, &err), TS_OK);
	ck_assert_msg((int)ts_sqlite_header_read(&h, source, &err) == headers[_i].code, "%s: %s",
		headers[_i].what, err.msg);
	ck_assert_msg(strstr(err.msg, headers[_i].msg), "%s: %s", headers[_i].what, err.msg);
	ck_assert_int_eq((int)ts_db_open(&db, source, &err), headers[_i].code);
	ck_assert_ptr_null(db);
	ts_source_close(source);
	sqlite3_free(bytes);
}
END_TEST

START_TEST(only_a_header)
{
	struct fixture f = {0};
	struct ts_err err = {0};
	enum ts_code code;

	f.bytes = sqlite_bytes(&f.n, TWO_TABLES);
	ck_assert_int_eq(ts_source_open_mem(&f.source, f.bytes, 100, &err), TS_OK);
	code = ts_db_open(&f.db, f.source, &err);
	ck_assert_int_eq(code, TS_E_DAMAGED);
	done(&f);
}
END_TEST

START_TEST(too_much_is_a_limit)
{
	struct fixture f;
	struct ts_err err = {0};

	make(&f, "CREATE TABLE t (x); INSERT INTO t VALUES (zeroblob(20000000))");
	ck_assert_int_eq(code_of(f.db, "SELECT sum(length(x || x)) FROM t", &err), TS_E_LIMIT);
	ck_assert_int_eq(number(f.db, "SELECT count(*) FROM t"), 1);
	done(&f);
}
END_TEST

/* ---- sources ---- */

START_TEST(reading_a_source)
{
	struct ts_source *s;
	struct ts_err err = {0};
	struct ts_cancel token = {0};
	char buf[10];
	size_t got;

	ck_assert_int_eq(ts_source_open_mem(&s, "abcdef", 6, &err), TS_OK);
	ck_assert_int_eq(ts_source_read(s, buf, 3, 2, &got, NULL, &err), TS_OK);
	ck_assert_uint_eq(got, 3);
	ck_assert_mem_eq(buf, "cde", 3);
	ck_assert_int_eq(ts_source_read(s, buf, 10, 4, &got, NULL, &err), TS_OK);
	ck_assert_uint_eq(got, 2);
	ck_assert_int_eq(ts_source_read(s, buf, 10, 6, &got, NULL, &err), TS_OK);
	ck_assert_uint_eq(got, 0);
	ck_assert_int_eq(ts_source_read(s, buf, 10, INT64_MAX, &got, NULL, &err), TS_OK);
	ck_assert_uint_eq(got, 0);
	ck_assert_int_ne(ts_source_read(s, buf, 1, -1, &got, NULL, &err), TS_OK);
	ts_cancel_set(&token);
	ck_assert_int_eq(ts_source_read(s, buf, 1, 0, &got, &token, &err), TS_E_CANCELLED);
	ck_assert_uint_eq(got, 0);
	ts_source_close(s);
	ts_source_close(NULL);
}
END_TEST

START_TEST(what_is_not_a_file)
{
	char dir[] = "/tmp/ts-vfs-XXXXXX", path[40];
	struct ts_source *s;
	struct ts_err err = {0};

	ck_assert_ptr_nonnull(mkdtemp(dir));
	snprintf(path, sizeof(path), "%s/x", dir);
	ck_assert_int_eq(ts_source_open_file(&s, path, &err), TS_E_NOT_FOUND);
	ck_assert_ptr_null(s);
	ck_assert_int_eq(ts_source_open_file(&s, dir, &err), TS_E_FORMAT);
	ck_assert_int_eq(ts_source_open_file(&s, "/dev/null", &err), TS_E_FORMAT);
	ck_assert_int_eq(mkfifo(path, 0600), 0);
	ck_assert_int_eq(ts_source_open_file(&s, path, &err), TS_E_FORMAT); /* and does not wait */
	unlink(path);
	ck_assert_int_eq(symlink(path, path), 0);
	ck_assert_int_eq(ts_source_open_file(&s, path, &err), TS_E_SYS);
	ck_assert_int_eq(err.sys, ELOOP);
	unlink(path);
	ck_assert_int_eq(rmdir(dir), 0);
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("vfs");
	TCase *c = tcase_create("vfs, db, source");
	SRunner *r;
	int failed;

	tcase_set_timeout(c, 30);
	tcase_add_loop_test(c, rows_equal_those_of_sqlite, 0, (int)TS_COUNT(page_sizes));
	tcase_add_test(c, connections_do_not_know_each_other);
	tcase_add_test(c, statements_are_kept);
	tcase_add_test(c, an_integer_or_none);
	tcase_add_test(c, names_in_sql);
	tcase_add_test(c, truncation_ends_what_needs_the_page);
	tcase_add_test(c, a_file_that_does_not_say_its_size);
	tcase_add_test(c, a_file_that_shrinks_while_it_is_read);
	tcase_add_test(c, a_read_that_fails_ends_one_statement);
	tcase_add_test(c, a_cancelled_read);
	tcase_add_test(c, a_cancelled_computation);
	tcase_add_test(c, nothing_is_written_and_nothing_made_beside_it);
	tcase_add_test(c, wal_mode_is_read_as_it_stands);
	tcase_add_test(c, sorts_larger_than_the_cache);
	tcase_add_loop_test(c, headers_that_are_none, 0, (int)TS_COUNT(headers));
	tcase_add_test(c, only_a_header);
	tcase_add_test(c, too_much_is_a_limit);
	tcase_add_test(c, reading_a_source);
	tcase_add_test(c, what_is_not_a_file);
	suite_add_tcase(s, c);
	r = srunner_create(s);
	srunner_run_all(r, CK_NORMAL);
	failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
