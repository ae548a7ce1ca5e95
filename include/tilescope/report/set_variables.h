/* SPDX-License-Identifier: MIT */
/*
 * set_variables - the lowered variables of several tiles, those of a name together: bytes, pieces, tiles used.
 *
 * Rows of the tiles are read one tile after another where they are reached by tile, else in one pass over all; in
 * two where rows do not stand by tile. TS_SET_NAMES names are told apart, in TS_SET_TEXT bytes; rows of further ones
 * count as `others`: those that are told apart came first, they need not be the largest. Where the index has rows by
 * tile all are told apart. The largest of these are kept, as many as are wanted: TS_SET_FIRST take a fifth of the
 * time that a hundred thousand take.
 */
#ifndef TS_REPORT_SET_VARIABLES_H
#define TS_REPORT_SET_VARIABLES_H

#include "tilescope/base/progress.h"
#include "tilescope/report/categories.h"
#include "tilescope/report/pile.h"
#include "tilescope/report/report.h"

enum {
	TS_SET_FIRST = 1000,
	TS_SET_NAMES = 1 << 19, /* that are told apart */
	TS_SET_TEXT = 64 << 20,
	TS_SET_NAME = 8192, /* bytes of one that are told apart and kept */
};

/* In the place of a category: none is known; pieces are of more than one. */
enum { TS_SET_NO_CATEGORY = -1, TS_SET_SEVERAL = -2 };

struct ts_set_variable {
	uint32_t name;	  /* in `text`, NUL-terminated, raw; 0 = none */
	int32_t category; /* of its pieces on the tiles: of `categories`, or one of the above */
	int64_t key; /* of a name that stands in another table, or its number in the index (`ranked`) */
	int64_t bytes; /* on all of the tiles; TS_UNKNOWN: does not fit */
	int64_t pieces;
	int64_t tiles;	      /* of the set that have some of it */
	int64_t fullest;      /* most bytes on one tile, ... */
	int64_t fullest_tile; /* ... the first such */
};

struct ts_set_variables {
	/* in `rows`: largest first, equals in the order in which they came */
	struct ts_set_variable *row;
	size_t count; /* kept */
	size_t names; /* told apart */
	struct ts_pile rows, text;
	int64_t found, bytes;		      /* variables on the tiles; bytes of all: TS_UNKNOWN */
	int64_t others;			      /* rows whose names are not told apart any more */
	int64_t bad_rows;		      /* no size */
	struct ts_category_names *categories; /* only their names; NULL: none are known */
	bool has_names, has_categories, partial;
	bool ranked; /* keys rise as names do; that of rows without a name is TS_SET_NAMELESS */
};

#define TS_SET_NAMELESS INT64_MAX

/* Are the rows of all of them reached without a pass over many others? */
bool ts_set_variables_quick(const struct ts_report *r, const struct ts_index *x,
	const int64_t *tiles, size_t n);

/* Are these the tiles of an IPU of which the index has the answer? No matter of the thread that draws. */
bool ts_set_variables_kept(struct ts_reader *rd, const int64_t *tiles, size_t n);

/*
 * Read those of n tiles (ascending numbers), and keep the `most` largest names, 1 to TS_SET_NAMES; fewer, where their
 * text does not fit. TS_E_ABSENT: lowered_variable is not bound. Damage keeps what could be read: TS_E_DAMAGED,
 * `partial`. Free with ts_set_variables_fini() in every case.
 */
enum ts_code ts_set_variables_read(struct ts_set_variables *v, struct ts_reader *rd,
	const int64_t *tiles, size_t n, size_t most, struct ts_progress *progress,
	struct ts_err *err) TS_WARN_UNUSED;
void ts_set_variables_fini(struct ts_set_variables *v);

static inline const char *
ts_set_variable_name(const struct ts_set_variables *v, const struct ts_set_variable *row)
{
	return (const char *)v->text.memory + row->name;
}

/* Raw; NULL: not known. */
static inline const char *
ts_set_variable_category(const struct ts_set_variables *v, const struct ts_set_variable *row)
{
	if (row->category == TS_SET_SEVERAL)
		return "several";
	return v->categories && row->category >= 0 && row->category < v->categories->count
		? v->categories->name[row->category]
		: NULL;
}

/* The category of rows of category `a` with one more of category `b`. */
static inline int32_t
ts_set_category_with(int32_t a, int32_t b)
{
	return a == b ? a : TS_SET_SEVERAL;
}

#endif
