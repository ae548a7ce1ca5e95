/* SPDX-License-Identifier: MIT */
/*
 * table - rows of an SQLite table, decoded from the pages of its b-tree without SQLite.
 *
 * Twice to three times as fast as stepping a statement. It knows plain tables in sound pages and nothing
 * else; at whatever it does not know it says so, and the caller goes on with SQLite from there
 * (ts_table_resume): what is damaged, and what comes after, is for SQLite to say.
 */
#ifndef TS_DB_TABLE_H
#define TS_DB_TABLE_H

#include <string.h>

#include "tilescope/db/pages.h"
#include "tilescope/db/schema.h"

enum { TS_TABLE_COLUMNS = 72 };

/* A value of the row: a serial type of SQLite's record format, and where it stands. */
struct ts_table_value {
	const unsigned char *bytes; /* TS_PAGE_SLACK bytes behind it may be looked at */
	uint32_t type;
	bool real; /* of a column whose integers are given as reals */
};

struct ts_table {
	struct ts_table_value value[TS_TABLE_COLUMNS]; /* of the row, as asked for */
	int64_t rowid;
};

enum ts_table_at { TS_TABLE_ROW, TS_TABLE_END, TS_TABLE_UNKNOWN };

/*
 * Open at the first row. columns: of `o`, or -1 for the row id; any order, the same one twice too.
 * *t NULL with TS_OK: not a table for us (or ts_db_use_api() forbids it). `db` must outlive it.
 */
enum ts_code ts_table_open(struct ts_table **t, struct ts_db *db, const struct ts_object *o,
	const int *columns, int count, struct ts_err *err) TS_WARN_UNUSED;
void ts_table_close(struct ts_table *t); /* NULL allowed */

/* Go to the first row whose row id is at least `rowid`: ts_table_next() gives it. */
void ts_table_seek(struct ts_table *t, int64_t rowid);

/* Rows from row id `to` on are not looked at any more (SQLite does not either): TS_TABLE_END. */
void ts_table_until(struct ts_table *t, int64_t to);

/*
 * The next row; its values are valid until the next call. TS_TABLE_UNKNOWN: see ts_table_resume().
 * Errors, which end it: those of ts_pages_get().
 */
enum ts_code ts_table_next(enum ts_table_at *at, struct ts_table *t,
	struct ts_err *err) TS_WARN_UNUSED;

/* The row `rowid`; TS_TABLE_END: there is none. As ts_table_next(). */
enum ts_code ts_table_find(enum ts_table_at *at, struct ts_table *t, int64_t rowid,
	struct ts_err *err) TS_WARN_UNUSED;

/*
 * Behind TS_TABLE_UNKNOWN: SQLite goes on at the first row with at least *rowid, of which the first is
 * to be left out where *skip (it was given; SQLite has to come to the unknown page in the same way).
 * False: at the beginning, no row was given.
 */
bool ts_table_resume(const struct ts_table *t, int64_t *rowid, bool *skip);

/* Behind TS_TABLE_UNKNOWN: is it a record in a sound page, not the page? *high: the highest row id that may stand there. */
bool ts_table_at_record(const struct ts_table *t, int64_t *high);

/*
 * The short way for scans: rows that follow in this leaf, as long as all values are integers, at most `most`.
 * Gives how many, their row ids, the values of column i in v[i] (NULL: not wanted), and in *bits all values or-ed. 0: ask ts_table_next() for the next row, which also goes on to
 * the next leaf. Nothing is taken until ts_table_take() takes the first n of them. Errors: TS_E_NOMEM.
 */
struct ts_table_rows {
	int n;
	const int64_t *rowid;
	uint64_t bits;
};

/* Before the first of these: NULL is an integer, too, and is given as -1. */
void ts_table_nulls(struct ts_table *t);

enum ts_code ts_table_peek(struct ts_table_rows *rows, struct ts_table *t, int64_t *const *v,
	int most, struct ts_err *err) TS_WARN_UNUSED;
void ts_table_take(struct ts_table *t, int n);

/* --- values ------------------------------------------------------------------------------------ */

/* SQLITE_NULL, SQLITE_INTEGER, SQLITE_FLOAT, SQLITE_TEXT or SQLITE_BLOB. */
int ts_table_type(const struct ts_table_value *v);

/* Of SQLITE_INTEGER and SQLITE_FLOAT. */
int64_t ts_table_int(const struct ts_table_value *v);
double ts_table_double(const struct ts_table_value *v);

/*
 * The shortest way to most numbers: false for what is no integer. Whole numbers of a `real` column are not
 * told apart.
 */
static inline bool
ts_table_number(const struct ts_table_value *v, int64_t *n)
{
	/* by type: how far eight bytes have to be shifted to leave the value's; 64: not an integer */
	static const uint8_t shift[] = {64, 56, 48, 40, 32, 16, 0, 64};
	uint64_t bits;

	if (v->type - 8 < 2) {
		*n = v->type - 8; /* 0 and 1 stand in the type */
		return true;
	}
	if (v->type >= sizeof(shift) || shift[v->type] == 64)
		return false;
	memcpy(&bits, v->bytes, sizeof(bits));
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
	bits = __builtin_bswap64(bits);
#endif
	*n = (int64_t)bits >> shift[v->type];
	return true;
}

/* Bytes of SQLITE_TEXT and SQLITE_BLOB. */
static inline size_t
ts_table_bytes(const struct ts_table_value *v)
{
	return (v->type - 12) / 2;
}

#endif
