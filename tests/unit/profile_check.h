/* SPDX-License-Identifier: MIT */
/*
 * profile_check - a small profile, changed, is read through and through: for the fuzzer (tests/fuzz/fuzz_profile.c) and
 * for the replay of its corpus.
 *
 * A change begins with a byte: 0 a value of a row becomes a blob, 1 a number, 2 a text; then the table, the column and
 * the row, and the value: its length and bytes, or 8 bytes. 3: 3 bytes say where in the file, one what stands there.
 */
#ifndef TS_TESTS_UNIT_PROFILE_CHECK_H
#define TS_TESTS_UNIT_PROFILE_CHECK_H

#include "small_profile.h"

#include "tilescope/base/mem.h"
#include "tilescope/profile/identities.h"
#include "tilescope/report/rows.h"
#include "tilescope/report/summary.h"

enum { PROFILE_CHANGES = 16 };

struct profile_check {
	struct fixture f;
	unsigned char *whole; /* the file as it was made */
	size_t size;
};

static inline void
profile_check_begin(struct profile_check *c)
{
	FILE *in;

	small_profile_make(&c->f);
	sqlite3_close(c->f.db);
	c->f.db = NULL;
	in = fopen(c->f.path, "rb");
	ck_assert(in && fseek(in, 0, SEEK_END) == 0);
	c->size = (size_t)ftell(in);
	c->whole = malloc(c->size);
	ck_assert(c->whole && fseek(in, 0, SEEK_SET) == 0 &&
		fread(c->whole, 1, c->size, in) == c->size);
	fclose(in);
}

static inline void
profile_check_end(struct profile_check *c)
{
	free(c->whole);
	unlink(c->f.path);
	ck_assert_int_eq(rmdir(c->f.dir), 0);
}

/* What is left of the input. */
struct profile_input {
	const uint8_t *bytes;
	size_t n;
};

static inline uint64_t
profile_take(struct profile_input *in, int bytes)
{
	uint64_t v = 0;

	for (; bytes > 0 && in->n > 0; bytes--, in->n--)
		v = v << 8 | *in->bytes++;
	return v;
}

/* One change of a value, by SQL; what SQLite refuses stays as it is. */
static inline void
profile_change(sqlite3 *db, int kind, struct profile_input *in)
{
	const struct ts_profile_table *t =
		&ts_profile_tables[profile_take(in, 1) % (uint64_t)ts_profile_tables_count];
	const struct ts_profile_column *column =
		&t->column[profile_take(in, 1) % (uint64_t)t->columns];
	int row = (int)profile_take(in, 1) % 8;
	sqlite3_stmt *s = NULL;
	char sql[300];

	snprintf(sql, sizeof(sql),
		"UPDATE OR REPLACE \"%s\" SET \"%s\" = ?1 WHERE rowid IN (SELECT rowid FROM \"%s\" LIMIT 1 "
		"OFFSET %d)",
		t->name, column->name, t->name, row);
	if (sqlite3_prepare_v2(db, sql, -1, &s, NULL) != SQLITE_OK)
		return;
	if (kind == 1) {
		sqlite3_bind_int64(s, 1, (int64_t)profile_take(in, 8));
	} else {
		size_t length = (size_t)profile_take(in, 1);

		length = length < in->n ? length : in->n;
		if (kind == 0)
			sqlite3_bind_blob(s, 1, length ? (const void *)in->bytes : "", (int)length,
				SQLITE_STATIC);
		else
			sqlite3_bind_text(s, 1, (const char *)in->bytes, (int)length,
				SQLITE_STATIC);
		in->bytes += length;
		in->n -= length;
	}
	(void)sqlite3_step(s);
	sqlite3_finalize(s);
}

/* The file, as the input wants it. */
static inline void
profile_write(struct profile_check *c, struct profile_input *in)
{
	FILE *out = fopen(c->f.path, "r+b");
	sqlite3 *db;

	if (!out)
		out = fopen(c->f.path, "wb");
	ck_assert(out && fwrite(c->whole, 1, c->size, out) == c->size && fclose(out) == 0);
	ck_assert_int_eq(sqlite3_open(c->f.path, &db), SQLITE_OK);
	sqlite3_exec(db, "PRAGMA synchronous = OFF; PRAGMA journal_mode = MEMORY; BEGIN", NULL,
		NULL, NULL);
	for (int i = 0; i < PROFILE_CHANGES && in->n > 0 && *in->bytes % 4 < 3; i++)
		profile_change(db, (int)(profile_take(in, 1) % 4), in);
	sqlite3_exec(db, "COMMIT", NULL, NULL, NULL);
	sqlite3_close(db);
	out = fopen(c->f.path, "r+b");
	ck_assert(out != NULL);
	for (int i = 0; i < PROFILE_CHANGES && in->n > 4; i++) {
		(void)profile_take(in, 1);
		fseek(out, (long)(profile_take(in, 3) % c->size), SEEK_SET);
		fputc((int)profile_take(in, 1), out);
	}
	fclose(out);
}

static inline void
profile_read_relation(struct ts_reader *rd, enum ts_relation relation)
{
	const struct ts_relation_def *def = ts_relation_def(relation);
	struct ts_rows_query q = {.column_count = def->column_count, .past_damage = true};
	struct ts_err err = {0};
	struct ts_rows *rows;
	bool there;

	for (int k = 0; k < def->column_count; k++)
		q.columns[k] = k;
	if (ts_reader_rows(&rows, rd, relation, &q, &err) != TS_OK)
		return;
	while (ts_rows_next(rows, &there, &err) == TS_OK && there)
		for (int k = 0; k < def->column_count; k++) {
			const char *s;
			int64_t v;
			size_t n;

			(void)ts_rows_number(rows, k, &v);
			(void)ts_rows_text(rows, k, &s, &n);
		}
	ts_rows_close(rows);
}

static inline void
profile_nobody(void *ctx, const char *sentence)
{
	(void)ctx;
	(void)sentence;
}

static inline void
profile_check(struct profile_check *c, const uint8_t *bytes, size_t n)
{
	struct profile_input in = {bytes, n};
	struct ts_report_options o = {0};
	struct ts_err err = {0};
	struct ts_summary s;
	enum ts_code code;

	profile_write(c, &in);
	if (ts_report_open(&c->f.report, c->f.path, &o, &err) != TS_OK)
		return;
	ck_assert_msg(ts_reader_open(&c->f.reader, c->f.report, &err) == TS_OK, "%s", err.msg);
	for (int k = 0; k < TS_RELATION_COUNT; k++)
		profile_read_relation(c->f.reader, (enum ts_relation)k);
	code = ts_profile_identities(c->f.reader->db[0], c->f.report->schema[0], profile_nobody,
		NULL, &err);
	ck_assert_msg(code != TS_E_NOMEM, "%s", err.msg);
	code = ts_summary_read(&s, c->f.reader, NULL, &err);
	ck_assert_msg(code != TS_E_NOMEM, "%s", err.msg);
	ts_summary_fini(&s);
	close_report(&c->f);
}

#endif
