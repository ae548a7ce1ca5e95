/* SPDX-License-Identifier: MIT */
/*
 * memory - figures about the memory of tiles.
 *
 * Two sizes of question: what one row per tile tells (read whole, at most a few megabytes, at once),
 * and what the categories tell (one pass over tile_category or over every lowered variable).
 */
#ifndef TS_REPORT_MEMORY_H
#define TS_REPORT_MEMORY_H

#include "tilescope/base/progress.h"
#include "tilescope/report/report.h"

/* "Not known", for every figure that is otherwise 0 or more. */
#define TS_UNKNOWN ((int64_t)-1)

enum { TS_TILES_MAX = 1 << 20, TS_CATEGORIES_MAX = 256 };

struct ts_tile {
	int64_t tile;
	int64_t ipu;	     /* of its row, else of the relation `ipu`; or TS_UNKNOWN */
	int64_t total;	     /* bytes excluding gaps */
	int64_t total_gaps;  /* bytes including gaps, or TS_UNKNOWN */
	int64_t overflowed;  /* bytes, or TS_UNKNOWN */
	int64_t always_live; /* bytes, or TS_UNKNOWN */
	int64_t not_always_live_peak;
	int64_t physical; /* its number on the chip, or TS_UNKNOWN */
};

/* Bytes that decide whether the tile fits: including gaps where known. */
static inline int64_t
ts_tile_used(const struct ts_tile *t)
{
	return t->total_gaps == TS_UNKNOWN ? t->total : t->total_gaps;
}

struct ts_tiles {
	size_t count, cap;
	struct ts_tile *tile; /* sorted by tile */
	int64_t rows;	      /* rows of the relation, the broken ones too */
	int64_t bad_rows;     /* left out: a number is missing, negative or too large */
	int64_t repeated;     /* rows of a tile that has a fuller one: left out */
	bool partial;	      /* the relation could not be read to its end */
	int64_t total, total_gaps, always_live; /* sums; TS_UNKNOWN unless every row knows */
	int gaps;     /* 1 = every figure includes gaps, 0 = none does, -1 = not known */
	size_t worst; /* index of the fullest tile, ties to the lowest number */
	int64_t used; /* sum of ts_tile_used() */
};

/*
 * Read tile_memory, once for a reader: it keeps what it found without an error. Damage: as ts_names_read().
 * TS_E_ABSENT when it is not bound.
 */
enum ts_code ts_tiles_read(struct ts_tiles *t, struct ts_reader *rd,
	struct ts_err *err) TS_WARN_UNUSED;
void ts_tiles_fini(struct ts_tiles *t);

/* Index of a tile, or -1. */
ptrdiff_t ts_tiles_find(const struct ts_tiles *t, int64_t tile);

/* Tiles over `limit` bytes or with overflowed memory; the second alone when the limit is unknown. */
size_t ts_tiles_over(const struct ts_tiles *t, int64_t limit);

struct ts_category {
	char *name; /* raw; "category 17" when nobody names it */
	int64_t bytes;
	int64_t worst_tile, worst_tile_bytes;
	const uint32_t
		*narrow;     /* bytes by tile (of ts_categories.tile); UINT32_MAX = nothing there */
	const int64_t *wide; /* the same where 4 bytes do not do; one of them is NULL */
};

/* Bytes by category and tile. */
struct ts_categories {
	int count;
	struct ts_category category[TS_CATEGORIES_MAX]; /* most bytes first */
	size_t tiles;
	const int64_t *tile;	/* ascending */
	struct ts_index *index; /* held: arrays are mapped; NULL: they are of this struct */
	int64_t rows, bad_rows; /* bad_rows were left out */
	bool from_variables;	/* summed over lowered variables: tile_category is absent */
	bool cut;		/* more categories or tiles than we keep: rows were left out */
};

/*
 * Sum up tile_category, else lowered_variable; with the index nothing is read. TS_E_ABSENT when neither is
 * bound (with the reason). progress counts rows and may be NULL. Free with ts_categories_fini() in every case.
 */
enum ts_code ts_categories_read(struct ts_categories *c, struct ts_reader *rd,
	struct ts_progress *progress, struct ts_err *err) TS_WARN_UNUSED;
void ts_categories_fini(struct ts_categories *c);

/* Forget the tiles: what each category has in all stays. */
void ts_categories_forget_tiles(struct ts_categories *c);

/* False when the report has its number and no name for it: nobody knows what it is of. */
bool ts_category_is_named(const struct ts_category *k);

/* Place of a tile in `tile`, or -1; bytes of category i there, 0 when there are none. */
ptrdiff_t ts_categories_find(const struct ts_categories *c, int64_t tile);

static inline int64_t
ts_categories_at(const struct ts_categories *c, int i, size_t place)
{
	const struct ts_category *k = &c->category[i];

	if (k->narrow)
		return k->narrow[place] == UINT32_MAX ? 0 : (int64_t)k->narrow[place];
	return k->wide && k->wide[place] > 0 ? k->wide[place] : 0;
}

/* Bytes of category i on a tile; 0 when there are none. */
int64_t ts_categories_on_tile(const struct ts_categories *c, int i, int64_t tile);

#endif
