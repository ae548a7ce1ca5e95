/* SPDX-License-Identifier: MIT */
/*
 * tile_rows - the lowered variables of each tile as numbers, in the index: for whoever adds up many tiles.
 *
 * What many rows share is kept once, as a *kind*: the variable that they were lowered from, their class, their category, the number of
 * their name (index_columns.h). A row is the number of its kind and its bytes, in four bytes; those of a tile stand
 * together, in the order of the report. So the rows of 500 tiles are added up in two milliseconds, where reading them
 * takes a tenth of a second.
 *
 * What a section says is checked as it is read: false, or TS_E_ABSENT, means that it is not there or not to be believed,
 * and the rows answer.
 */
#ifndef TS_REPORT_TILE_ROWS_H
#define TS_REPORT_TILE_ROWS_H

#include <endian.h>
#include <stdatomic.h>
#include <string.h>

#include "tilescope/base/cancel.h"
#include "tilescope/report/index.h"
#include "tilescope/report/rows.h"

/* In the place of a class: what is said of rows that never are a life. Those kinds come behind all others. */
#define TS_KIND_ALWAYS (UINT32_MAX - 2)	   /* always live */
#define TS_KIND_CLASSLESS (UINT32_MAX - 1) /* no class, so it is not known when */
#define TS_KIND_BAD UINT32_MAX		   /* whether it is always live cannot be read */

#define TS_KIND_NAMELESS UINT32_MAX
#define TS_KIND_NO_CATEGORY UINT16_MAX

struct ts_row_kind {
	int64_t id;	/* of the unlowered variable; below 0: -1 - row id of a row without one */
	uint32_t class; /* index into `class`, or TS_KIND_... */
	uint32_t name;	/* number of the name, or TS_KIND_NAMELESS */
};

struct ts_tile_rows_of {
	int64_t tile, ipu; /* TS_UNKNOWN: its IPU is not known */
	uint64_t at;	   /* in `packed` */
	uint32_t rows;
	uint32_t always, classless, bad; /* of these: TS_KIND_... */
	uint32_t unsized;		 /* beside these: rows whose bytes are no number */
	uint32_t unused;
};

/* What ts_set_variables_read() says of the tiles of an IPU. */
struct ts_kept_names {
	int64_t ipu, found, bytes, others, bad_rows;
	uint64_t names, first, count; /* of its rows in `kept_name` */
};

struct ts_kept_name {
	int64_t key, bytes, pieces, tiles, fullest, fullest_tile;
	int64_t category; /* as in struct ts_set_variable */
};

/* A view of the section, as long as the index is held. */
struct ts_kinds {
	size_t kinds, lives; /* the first `lives` kinds have a class */
	const struct ts_row_kind
		*kind;		   /* by id, class, name and category, those with a class first */
	const uint16_t *category;  /* of each kind: of `category_text`, or TS_KIND_NO_CATEGORY */
	const char *category_text; /* names of categories, raw, each with its NUL */
	size_t category_bytes;
	size_t classes;
	const int64_t *class; /* numbers of classes, ascending */
	size_t tiles;
	const struct ts_tile_rows_of *tile; /* by number: those that have rows */
	bool joined;   /* it is recorded what rows were lowered from: `id` says it */
	int64_t names; /* TS_UNKNOWN: they have none here */
	/* where they have: */
	const uint32_t *first;	   /* by kind: the first one of the same name */
	const uint64_t *not_alone; /* a bit a kind: there are others of that name */
	/* variables by name, added up of each IPU, as set_rows.h does it; of few IPUs, or of none */
	size_t kept, kept_rows;
	const struct ts_kept_names *kept_names;
	const struct ts_kept_name *kept_name;

	const unsigned char *packed;
	size_t bytes;
	int kind_bits; /* of a row's word: its kind, the others its bytes */
	int shift;     /* bytes are kept in units of 1 << shift */
};

/* Is it there (its head says so)? */
bool ts_tile_rows_quick(const struct ts_index *x);

/* False: there is none, it was left empty, or it is not sound. Looks at all kinds: no matter of the thread that draws. */
bool ts_tile_rows_of(struct ts_kinds *t, const struct ts_index *x);

/*
 * A sum has the bytes of its rows in its lowest bits and above them how many rows these are, so that one addition does both. What
 * does not fit has no section (index_tile_rows.c): all bytes of the report together, or the rows of a kind.
 */
enum { TS_KIND_BYTES_BITS = 42 };
#define TS_KIND_ROW (UINT64_C(1) << TS_KIND_BYTES_BITS)
#define TS_KIND_ROWS_MOST (UINT64_MAX >> TS_KIND_BYTES_BITS)

/* The rows of a tile, one after the other. */
struct ts_tile_rows_walk {
	const unsigned char *p, *end;
	uint32_t left;
	uint32_t kinds;
	int kind_bits, shift;
	bool sound; /* false: it is not to be believed */
};

struct ts_tile_rows_walk ts_tile_rows_begin(const struct ts_kinds *t, size_t tile);

enum {
	TS_TILE_ROWS_BATCH = 256,
	TS_TILE_ROWS_WORD = 4,	     /* bytes of a row, */
	TS_TILE_ROWS_LARGE = 8,	     /* and of what is behind one whose bytes do not fit there */
	TS_TILE_ROWS_KIND_LEAST = 4, /* bits of a kind */
	TS_TILE_ROWS_KIND_MOST = 20,
};

/* What stands behind a row whose bytes do not fit into its word; -1: it is not to be believed. */
static inline int64_t
ts_tile_rows_large(const struct ts_tile_rows_walk *w, const unsigned char *p)
{
	uint64_t units;

	if (w->end - p < TS_TILE_ROWS_LARGE)
		return -1;
	memcpy(&units, p, sizeof(units));
	units = le64toh(units);
	return units > (TS_KIND_ROW - 1) >> w->shift ? -1 : (int64_t)(units << w->shift);
}

/*
 * So many further rows, 0 at the end or where it is not sound. They are taken apart before anybody looks at what they
 * name, which lies anywhere: so the processor waits for many at once. Where a row stands does not depend on what the one
 * before says, so it takes many apart at once, too: in a fifth of the time that numbers of any length take.
 */
static inline int
ts_tile_rows_next(struct ts_tile_rows_walk *w, uint32_t kind[TS_TILE_ROWS_BATCH],
	int64_t bytes[TS_TILE_ROWS_BATCH])
{
	const uint32_t large = UINT32_MAX >> w->kind_bits, mask = (UINT32_C(1) << w->kind_bits) - 1;
	const int kind_bits = w->kind_bits, shift = w->shift;
	int n = w->left < TS_TILE_ROWS_BATCH ? (int)w->left : TS_TILE_ROWS_BATCH;
	const unsigned char *p = w->p;
	uint32_t highest = 0;

	w->sound = w->sound && w->end - p >= (ptrdiff_t)n * TS_TILE_ROWS_WORD;
	for (int i = 0; i < n && w->sound; i++) {
		uint32_t word, units;

		memcpy(&word, p, sizeof(word));
		p += TS_TILE_ROWS_WORD;
		word = le32toh(word);
		kind[i] = word & mask;
		highest = kind[i] > highest ? kind[i] : highest;
		units = word >> kind_bits;
		bytes[i] = (int64_t)units << shift;
		if (__builtin_expect(units == large, 0)) {
			bytes[i] = ts_tile_rows_large(w, p);
			w->sound = bytes[i] >= 0;
			p += w->sound ? TS_TILE_ROWS_LARGE : 0;
			w->sound = w->sound &&
				w->end - p >= (ptrdiff_t)(n - 1 - i) * TS_TILE_ROWS_WORD;
		}
	}
	w->p = p;
	w->sound = w->sound && (n == 0 || highest < w->kinds);
	w->left -= (uint32_t)n;
	return w->sound ? n : 0;
}

/* --- what a set of tiles has of each kind ------------------------------------------------------- */

/* Read-only once it is read: any thread may look at it. */
struct ts_kind_sums {
	atomic_int uses;
	struct ts_kinds rows;
	uint64_t *sum;			/* of each kind; 0: it has no rows */
	int64_t always, classless, bad; /* rows: TS_KIND_...; bad also those without a size */
	struct ts_index *index;		/* held */
};

/*
 * sum[kind] += the rows of the tiles that `has` says; of many by two threads, which both call `has`. *sound false: the section is
 * not to be believed, nor are the sums. TS_E_CANCELLED.
 */
enum ts_code ts_kinds_add_up(bool *sound, uint64_t *sum, const struct ts_kinds *rows,
	bool (*has)(const void *set, int64_t tile), const void *set, const struct ts_cancel *cancel,
	struct ts_err *err) TS_WARN_UNUSED;

/*
 * Add up the rows of the tiles that `has` says. TS_E_ABSENT: there is no section, or it is not sound; TS_E_CANCELLED, TS_E_NOMEM.
 */
enum ts_code ts_kind_sums_read(struct ts_kind_sums **out, struct ts_index *x,
	bool (*has)(const void *set, int64_t tile), const void *set, const struct ts_cancel *cancel,
	struct ts_err *err) TS_WARN_UNUSED;

/*
 * One variable after the other, by number and class, with the bytes of all its kinds (which differ in their names): *first is
 * one of these; *i, from 0, goes behind them. False: there are no more.
 */
bool ts_kind_sums_next(const struct ts_kind_sums *s, size_t *i, size_t *first, int64_t *bytes);

/* Hold it once more: returns s. Give it back; the last holder frees it; NULL allowed. */
struct ts_kind_sums *ts_kind_sums_hold(struct ts_kind_sums *s);
void ts_kind_sums_close(struct ts_kind_sums *s);

#endif
