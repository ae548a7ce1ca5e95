/* SPDX-License-Identifier: MIT */
/*
 * tile_rows - the lowered variables of each tile as numbers, in the index: for whoever adds up many tiles.
 *
 * What many rows share is kept once, as a *kind*: the variable that they were lowered from, their class, the number of
 * their name (index_columns.h). A row is the number of its kind and its bytes, about three bytes; those of a tile stand
 * together, in the order of the report. So the rows of 500 tiles are added up in a few milliseconds, where reading them
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

struct ts_row_kind {
	int64_t id;	/* of the unlowered variable; below 0: -1 - row id of a row without one */
	uint32_t class; /* index into `class`, or TS_KIND_... */
	uint32_t name;	/* number of the name, or TS_KIND_NAMELESS */
};

struct ts_tile_rows_of {
	int64_t tile, ipu; /* TS_UNKNOWN: its IPU is not known */
	uint64_t at;	   /* in `packed` */
	uint32_t rows;
	uint32_t unsized; /* beside these: rows whose bytes are no number */
};

/* What ts_set_variables_read() says of the tiles of an IPU. */
struct ts_kept_names {
	int64_t ipu, found, bytes, others, bad_rows;
	uint64_t names, first, count; /* of its rows in `kept_name` */
};

struct ts_kept_name {
	int64_t key, bytes, pieces, tiles, fullest, fullest_tile;
};

/* A view of the section, as long as the index is held. */
struct ts_kinds {
	size_t kinds, lives;		/* the first `lives` kinds have a class */
	const struct ts_row_kind *kind; /* by id, class and name, those with a class first */
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
	int shift; /* bytes are kept in units of 1 << shift */
};

/* Is it there (its head says so)? */
bool ts_tile_rows_quick(const struct ts_index *x);

/* False: there is none, it was left empty, or it is not sound. Looks at all kinds: no matter of the thread that draws. */
bool ts_tile_rows_of(struct ts_kinds *t, const struct ts_index *x);

/* The rows of a tile, one after the other. */
struct ts_tile_rows_walk {
	const unsigned char *p, *end;
	uint32_t left;
	uint32_t kind; /* of the row before */
	uint32_t kinds;
	int shift;
	bool sound; /* false: it is not to be believed */
};

struct ts_tile_rows_walk ts_tile_rows_begin(const struct ts_kinds *t, size_t tile);

/* Bytes that may be read behind the last row: no number is longer than ten. */
enum { TS_TILE_ROWS_SLACK = 24 };

static inline uint64_t
ts_tile_rows_number(const unsigned char **p)
{
	uint64_t v = *(*p)++;

	if (v < 0x80)
		return v;
	v &= 0x7f;
	for (int shift = 7; shift < 64; shift += 7) {
		uint64_t b = *(*p)++;

		v |= (b & 0x7f) << shift;
		if (b < 0x80)
			break;
	}
	return v;
}

/*
 * Two numbers. Where neither has more than four bytes, as nearly always, nothing is decided by where they end: a processor cannot
 * guess that, and each wrong guess takes as long as all the rest.
 */
static inline void
ts_tile_rows_pair(const unsigned char **p, uint64_t *first, uint64_t *second)
{
	uint64_t v, ends, other, both;
	int bits, more;

	memcpy(&v, *p, sizeof(v));
	v = le64toh(v);
	ends = ~v & UINT64_C(0x8080808080808080);
	other = ends & (ends - 1); /* without the first one */
	bits = other ? __builtin_ctzll(ends) + 1 : 64;
	more = other ? __builtin_ctzll(other) + 1 - bits : 64;
	if (bits > 32 || more > 32) {
		*first = ts_tile_rows_number(p);
		*second = ts_tile_rows_number(p);
		return;
	}
	/* both in one, then seven bits of each byte */
	both = (v & (ends ^ (ends - 1))) | (v & (other ^ (other - 1))) >> bits << 32;
	both = (both & UINT64_C(0x007f007f007f007f)) | (both & UINT64_C(0x7f007f007f007f00)) >> 1;
	both = (both & UINT64_C(0x00003fff00003fff)) | (both & UINT64_C(0x3fff00003fff0000)) >> 2;
	*first = both & UINT32_MAX;
	*second = both >> 32;
	*p += (bits + more) / 8;
}

enum { TS_TILE_ROWS_BATCH = 256 };

/*
 * So many further rows, 0 at the end or where it is not sound. They are taken apart before anybody looks at what they
 * name, which lies anywhere: so the processor waits for many at once.
 */
static inline int
ts_tile_rows_next(struct ts_tile_rows_walk *w, uint32_t kind[TS_TILE_ROWS_BATCH],
	int64_t bytes[TS_TILE_ROWS_BATCH])
{
	int n = w->left < TS_TILE_ROWS_BATCH ? (int)w->left : TS_TILE_ROWS_BATCH;

	for (int i = 0; i < n; i++) {
		uint64_t step, units;

		ts_tile_rows_pair(&w->p, &step, &units);
		bytes[i] = (int64_t)(units << w->shift);
		kind[i] = w->kind += (uint32_t)(step >> 1) ^ (uint32_t) - (int32_t)(step & 1);
		w->sound = w->sound && w->p <= w->end && w->kind < w->kinds && bytes[i] >= 0 &&
			bytes[i] <= TS_NUMBER_MAX;
		if (!w->sound)
			return 0;
	}
	w->left -= (uint32_t)n;
	return n;
}

/* --- what a set of tiles has of each kind ------------------------------------------------------- */

/* Read-only once it is read: any thread may look at it. */
struct ts_kind_sums {
	atomic_int uses;
	struct ts_kinds rows;
	uint64_t *
		sum; /* of each kind with a class: bytes + 1 (at most TS_NUMBER_MAX + 1), of others: rows; 0: it has none */
	int64_t always, classless, bad; /* rows: TS_KIND_...; bad also those without a size */
	struct ts_index *index;		/* held */
};

/*
 * Add up the rows of the tiles that `has` says. TS_E_ABSENT: there is no section, it is not sound, or has too many
 * kinds; TS_E_CANCELLED, TS_E_NOMEM.
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
