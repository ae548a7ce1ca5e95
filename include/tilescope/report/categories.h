/* SPDX-License-Identifier: MIT */
/*
 * categories - sums by category and tile while rows are read.
 *
 * The one place where rows are added up: ts_categories_read() uses it for a reading of its own, the pass that
 * builds the index for each of its parts, which are then merged in the order of their rows.
 */
#ifndef TS_REPORT_CATEGORIES_H
#define TS_REPORT_CATEGORIES_H

#include "tilescope/report/memory.h"
#include "tilescope/report/names.h"
#include "tilescope/report/rows.h"
#include "tilescope/report/tile_slots.h"

enum { TS_CATEGORY_NONE = -2, TS_CATEGORY_TOO_MANY = -1, TS_CATEGORY_SMALL = 1024 };

struct ts_category_id;

/* Which category a number or a text is. All zero = none known. */
struct ts_category_names {
	int count;
	char *name[TS_CATEGORIES_MAX];
	int16_t small[TS_CATEGORY_SMALL]; /* index + 1 of small numbers; 0 = not looked up */
	struct ts_category_id *ids;	  /* of the others */
	size_t numbers;			  /* numbers that were looked up */
	struct ts_names read;		  /* memory_category */
	bool nomem;
};

/* Read memory_category. Errors: as ts_names_read(). */
enum ts_code ts_category_names_read(struct ts_category_names *k, struct ts_reader *rd,
	struct ts_err *err) TS_WARN_UNUSED;
void ts_category_names_fini(struct ts_category_names *k);

/* Index of the category in a column of the row; TS_CATEGORY_NONE, TS_CATEGORY_TOO_MANY. */
int ts_category_of(struct ts_category_names *names, struct ts_rows *rows, int column);

/* The same where the column was read as a number: `is`, `id`. */
int ts_category_make(struct ts_category_names *names, struct ts_rows *rows, int column,
	enum ts_value is, int64_t id);

/* The same of row k of a block, the last one of `rows`. */
static inline int
ts_category_at(struct ts_category_names *names, struct ts_rows *rows, const struct ts_rows_block *b,
	int column, int k)
{
	int64_t id = b->v[column][k];

	if (b->is[column] == TS_VALUE_OK && id < TS_CATEGORY_SMALL && names->small[id] > 0)
		return names->small[id] - 1;
	return ts_category_make(names, rows, column, b->is[column], id);
}

/*
 * Note the numbers and names that `from` knows, as if its rows came behind. False: they are more than are
 * taken in (or nomem is set).
 */
bool ts_category_names_merge(struct ts_category_names *names, const struct ts_category_names *from);

/* Index of the category with that number (0 or more), looked up if need be; TS_CATEGORY_TOO_MANY. */
int ts_category_numbered(struct ts_category_names *k, int64_t id);

/* Index of the category with that name, made if need be; TS_CATEGORY_TOO_MANY. */
int ts_category_named(struct ts_category_names *k, const char *name, size_t n);

/* Bytes by slot: in 4 bytes each, in 8 when a tile has more than they hold. */
struct ts_category_cells {
	int64_t bytes; /* their sum */
	size_t cap;
	uint32_t *narrow; /* UINT32_MAX = nothing there, not even 0 bytes */
	int64_t *wide;	  /* TS_UNKNOWN = nothing there; or NULL */
};

struct ts_category_sums {
	struct ts_category_names names;
	struct ts_tile_slots slots;
	struct ts_category_cells cells[TS_CATEGORIES_MAX];
	size_t used, budget; /* bytes of all cells; 0 = TS_CATEGORY_BUDGET */
	int64_t rows, bad_rows;
	bool cut;      /* rows were left out because a limit was met */
	bool overflow; /* rows were left out because a sum would not fit */
};

enum { TS_CATEGORY_BUDGET = 16 << 20 };

void ts_category_sums_fini(struct ts_category_sums *s);

/*
 * Count the rows of a block whose columns are tile, category, bytes and, when `more`, bytes that are added.
 * A row that cannot be used is counted as bad. False: no memory.
 */
enum { TS_CATEGORY_TILE, TS_CATEGORY_CATEGORY, TS_CATEGORY_BYTES, TS_CATEGORY_MORE };

bool ts_category_sums_block(struct ts_category_sums *s, struct ts_rows *rows,
	const struct ts_rows_block *b, bool more) TS_WARN_UNUSED;

/* The same for a row whose values were read (`tile`, `bytes`: TS_UNKNOWN = not to be used). */
bool ts_category_sums_add(struct ts_category_sums *s, int64_t tile, int category,
	int64_t bytes) TS_WARN_UNUSED;

/* Add what `from` has, as if its rows came behind those of `s`. False: no memory. */
bool ts_category_sums_merge(struct ts_category_sums *s,
	const struct ts_category_sums *from) TS_WARN_UNUSED;

/* Into figures, most bytes first; `s` is empty then. Errors: TS_E_NOMEM. */
enum ts_code ts_category_sums_finish(struct ts_categories *c, struct ts_category_sums *s,
	struct ts_err *err) TS_WARN_UNUSED;

#endif
