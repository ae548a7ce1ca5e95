/* SPDX-License-Identifier: MIT */
/*
 * rows - a cursor over the rows of one relation.
 *
 * Values are checked one by one: a number is an integer in 0 .. 2^62, anything else (NULL, negative,
 * text, a fraction, a sum that overflows) is told apart, never silently turned into 0.
 */
#ifndef TS_REPORT_ROWS_H
#define TS_REPORT_ROWS_H

#include "tilescope/report/binding.h"

enum { TS_ROWS_COLUMNS = 16 };

/* The largest number that counts as one: larger ones overflow whatever they are added to. */
#define TS_NUMBER_MAX ((int64_t)1 << 62)

enum ts_value { TS_VALUE_OK, TS_VALUE_NULL, TS_VALUE_BAD };

enum ts_range { TS_RANGE_ALL, TS_RANGE_KEY, TS_RANGE_ROWID };

struct ts_rows_query {
	const struct ts_binding *binding; /* bound */
	int columns[TS_ROWS_COLUMNS];	  /* columns of the relation */
	int column_count;
	enum ts_range range;
	int64_t from, to; /* half-open, of the key or the row id */
	int64_t limit;	  /* rows; 0 = all */

	/*
	 * Go on behind damaged pages, where the table's b-tree says what they hold: the rows there come too, and then,
	 * at the end, TS_E_DAMAGED with the row ids that are missing. Who stops before the end asks ts_rows_passed().
	 */
	bool past_damage;

	/*
	 * ts_rows_block() gives TS_UNKNOWN (report/memory.h) for what is no number, and TS_VALUE_OK for all columns: rows with a
	 * NULL stand in blocks with others. It does not tell NULL from what is no number for another reason.
	 */
	bool unknowns;
};

struct ts_rows;

/*
 * Open a cursor. Rows come in row id order (by key for TS_REACH_INDEX and a TS_RANGE_KEY query; as they
 * stand where there is no row id). `db` must be the connection of the binding's source and outlive the
 * cursor. A key range on a relation that has no key reads all rows and keeps those that match.
 */
enum ts_code ts_rows_open(struct ts_rows **rows, struct ts_db *db, const struct ts_rows_query *q,
	struct ts_err *err) TS_WARN_UNUSED;
void ts_rows_close(struct ts_rows *rows);

/*
 * The next row: *there false at the end. Errors as ts_db_step(); the cursor is then at its end. A text
 * whose dictionary is damaged is NULL, and TS_E_DAMAGED comes behind the last row.
 */
enum ts_code ts_rows_next(struct ts_rows *rows, bool *there, struct ts_err *err) TS_WARN_UNUSED;

/* Were damaged rows passed over up to here? TS_E_DAMAGED, or TS_OK. */
enum ts_code ts_rows_passed(const struct ts_rows *rows, struct ts_err *err) TS_WARN_UNUSED;

/*
 * Rows by column, for scans: as ts_rows_next() for the next rows at once (both may be called in turn).
 * b->rows 0: the end. What is said of a column holds for all rows of the block; a row with a value that
 * is no number stands in a block of its own and is the cursor's row, so that ts_rows_text() and the like
 * can be asked about it (and about columns that no row has). Valid until the next call.
 */
enum { TS_BLOCK_ROWS = 256 };

struct ts_rows_block {
	int rows;
	enum ts_value is[TS_ROWS_COLUMNS];
	const int64_t *v[TS_ROWS_COLUMNS]; /* 0 where it is not TS_VALUE_OK */
	const int64_t *rowid;		   /* NULL: they have none */
};

enum ts_code ts_rows_block(struct ts_rows *rows, struct ts_rows_block *b,
	struct ts_err *err) TS_WARN_UNUSED;

/* Column i of the query as a number in 0 .. TS_NUMBER_MAX; *v is 0 when it is not TS_VALUE_OK. */
enum ts_value ts_rows_number(struct ts_rows *rows, int i, int64_t *v);
enum ts_value ts_rows_real(struct ts_rows *rows, int i, double *v);

/* The same number, or TS_UNKNOWN (report/memory.h). */
int64_t ts_rows_known(struct ts_rows *rows, int i);

/* Column i as the 64 bits of an identifier: any integer, also a negative one, which is no number. */
enum ts_value ts_rows_bits(struct ts_rows *rows, int i, uint64_t *v);

/* Column i as text (valid until the next row), not NUL-safe: use *n. Numbers are no text. */
enum ts_value ts_rows_text(struct ts_rows *rows, int i, const char **s, size_t *n);
enum ts_value ts_rows_blob(struct ts_rows *rows, int i, const void **bytes, size_t *n);

/* Row id of the row; false when it has none. */
bool ts_rows_rowid(struct ts_rows *rows, int64_t *rowid);

#endif
