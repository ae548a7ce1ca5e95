/* SPDX-License-Identifier: MIT */
/*
 * tile_live - how many bytes are alive on each tile at each liveness step.
 *
 * No report records that: it is derived (MODEL.md, Liveness) from lowered_variable (tile, bytes, class,
 * always_live) and class_interval. The table that is made of them has, for each tile, the bytes of each
 * equivalence class on it (a *pair*), and for each class the steps at which it is alive. Step x tile is never
 * made: who wants the bytes of a tile, of some tiles or of all of them adds up the pairs.
 *
 * Time is kept by the *points* at which something begins or ends. From one point to the next nothing changes: that
 * is a *span*. There are at most two points an interval and at most one a step, so that figures over spans are
 * exact for all steps, however many there are.
 *
 *	struct ts_tile_lives *l;
 *
 *	code = ts_tile_lives_read(&l, rd, &job->progress, err);    the index: at once; else a pass over all rows
 *	i = ts_tile_lives_find(l, tile);			     place of a tile, or -1
 *	change = ts_alloc(l->points, sizeof(*change));
 *	ts_tile_lives_add(change, l, i);			     for each tile of a set
 *	ts_live_sum_up(change, l->points);			     now bytes by span: change[k] holds for
 *								     steps [point[k], point[k + 1])
 *	ts_tile_lives_steps(bytes, 0, steps, l, change);	     or by step
 *
 * Lowered variables of one class share its intervals; intervals of a class that overlap or touch are a union.
 * Intervals that are empty or reversed are left out, what lies behind the last liveness step (where steps are
 * recorded) is cut off; all of that is counted. always_live not 0 is always live, whatever its class says.
 * All bytes of the table together fit 63 bits: rows that would not are left out and counted, so that no sum of
 * what it holds can overflow.
 */
#ifndef TS_REPORT_TILE_LIVE_H
#define TS_REPORT_TILE_LIVE_H

#include <stdatomic.h>

#include "tilescope/base/progress.h"
#include "tilescope/report/memory.h"
#include "tilescope/report/pile.h"

#define TS_LIVE_NO_IPU UINT32_MAX

enum {
	TS_TILE_LIVES_POINTS = 1 << 20,	   /* more than these: TS_E_LIMIT */
	TS_TILE_LIVES_INTERVALS = 8 << 20, /* the same */
};

/* The steps of a class. */
struct ts_live_class {
	int64_t number;	       /* of the report */
	uint32_t first, count; /* its intervals: ascending, none touches the next */
};

/* [point[from], point[to]) */
struct ts_live_interval {
	uint32_t from, to;
};

struct ts_tile_live {
	int64_t tile;
	int64_t base;	  /* always live: what tile_memory records, else `always` */
	int64_t always;	  /* bytes of its always-live lowered variables */
	int64_t unplaced; /* bytes of those that are not always live, and of which no step is known */
	int64_t peak;	  /* most not-always-live bytes at a step; 0 = never any */
	int64_t step;	  /* the first such step; TS_UNKNOWN when it never has any */
	uint64_t at;	  /* of its pairs: ts_tile_lives_pairs() */
	uint32_t pairs;
	uint32_t ipu; /* TS_LIVE_NO_IPU: not known */
};

/* Read-only once it is read: any thread may look at it. */
struct ts_tile_lives {
	atomic_int uses; /* ts_tile_lives_hold(), ts_tile_lives_close() */
	size_t points;
	const int64_t *point; /* ascending liveness steps */
	size_t classes;
	const struct ts_live_class *class; /* by number; those that have an interval */
	size_t intervals;
	const struct ts_live_interval *interval;
	size_t tiles;
	const struct ts_tile_live
		*tile; /* by number; with lowered variables or an always-live figure */
	size_t bytes;
	const unsigned char *pairs; /* packed */
	/*
	 * The crest of a group of `crest_tiles` tiles that follow each other in `tile`: for each span the most bytes (base and
	 * not always live) that one of them has; of the last point, where nothing is alive, the largest base. 0: there is none.
	 */
	size_t crest_tiles;
	const uint32_t *crest;	/* by group, then point */
	int64_t steps;		/* the last recorded liveness step + 1; TS_UNKNOWN: not recorded */
	int64_t rows;		/* lowered variables that were read */
	int64_t bad_rows;	/* left out: a number is missing, negative, or too large */
	int64_t too_large;	/* left out: their bytes would not fit the sum of all */
	int64_t unplaced;	/* rows: as ts_tile_live.unplaced */
	int64_t bad_intervals;	/* left out: a number is missing, negative or too large */
	int64_t reversed;	/* left out: intervals that are empty or end before they start */
	int64_t beyond;		/* intervals that were cut at the last step, or lie behind it */
	bool some;		/* not of all tiles: ts_tile_lives_read_tiles() */
	struct ts_pile pile[6]; /* point, class, interval, tile, pairs, crest; or they belong to */
	struct ts_index *index; /* held */
};

/* Does the report have what it takes? */
bool ts_tile_lives_can(const struct ts_report *r);

/* Is it at once there (a section of the index)? */
bool ts_tile_lives_quick(const struct ts_index *x);

/*
 * All tiles: from the index, else by a pass over all lowered variables, in bounded memory (what grows with the
 * report lies in unlinked mapped files). *out may be set on TS_E_DAMAGED too: then it holds what could be read.
 * Errors: TS_E_ABSENT (with the relation or column that is missing), TS_E_LIMIT, and those of ts_rows_next().
 */
enum ts_code ts_tile_lives_read(struct ts_tile_lives **out, struct ts_reader *rd,
	struct ts_progress *progress, struct ts_err *err) TS_WARN_UNUSED;

/* The same without the index. */
enum ts_code ts_tile_lives_read_rows(struct ts_tile_lives **out, struct ts_reader *rd,
	const struct ts_cache *cache, struct ts_progress *progress,
	struct ts_err *err) TS_WARN_UNUSED;

/*
 * Some tiles (n of them, any order): from the index, else by reading their rows where the index or a key says
 * where they are, else by one pass. Tiles without lowered variables are not in it.
 */
enum ts_code ts_tile_lives_read_tiles(struct ts_tile_lives **out, struct ts_reader *rd,
	const int64_t *tile, size_t n, struct ts_progress *progress,
	struct ts_err *err) TS_WARN_UNUSED;

/*
 * A first look, while all tiles are being read: of the tiles in order as many neighbours each as it takes for `most`
 * tiles, the one that tile_memory says uses most. *out NULL: tiles cannot be reached one by one, or are not known. Errors as
 * above.
 */
enum ts_code ts_tile_lives_read_sample(struct ts_tile_lives **out, struct ts_reader *rd,
	size_t most, struct ts_err *err) TS_WARN_UNUSED;

/* Hold it once more: returns l. Give it back; the last holder frees it; NULL allowed. Any thread. */
struct ts_tile_lives *ts_tile_lives_hold(struct ts_tile_lives *l);
void ts_tile_lives_close(struct ts_tile_lives *l);

/* Place of a tile in `tile`, or -1. */
ptrdiff_t ts_tile_lives_find(const struct ts_tile_lives *l, int64_t tile);

/* Index of the span that holds a step, or -1: nothing is alive then. */
ptrdiff_t ts_tile_lives_span(const struct ts_tile_lives *l, int64_t step);

/* The pairs of a tile, one after the other, by class: *class is an index into `class`. */
struct ts_live_pairs {
	const unsigned char *p, *end;
	uint32_t class, left;
};

struct ts_live_pairs ts_tile_lives_pairs(const struct ts_tile_lives *l, size_t tile);
bool ts_live_pairs_next(struct ts_live_pairs *p, uint32_t *class, int64_t *bytes);

/*
 * change[k] (l->points of them) += what is born on the tile at point k, less what dies there. Of several tiles
 * the changes add up; `tile` is an index into l->tile.
 */
void ts_tile_lives_add(int64_t *change, const struct ts_tile_lives *l, size_t tile);

/* Changes into bytes: v[k] = v[0] + ... + v[k]. */
void ts_live_sum_up(int64_t *v, size_t n);

/*
 * The same for who goes over many tiles: only the points at which something changes on the tile are visited. A walk
 * belongs to one thread; it takes 20 bytes a point.
 *
 *	ts_live_walk_tile(w, i);			all pairs of a tile, and more or fewer of a class:
 *	ts_live_walk_pair(w, class, -bytes);
 *	n = ts_live_walk_runs(w, &run);			then what comes of it; the walk is empty again
 */
struct ts_live_walk;

/* `bytes` not always live from point `point` until that of the next run. */
struct ts_live_run {
	uint32_t point;
	int64_t bytes;
};

struct ts_live_walk *ts_live_walk_new(const struct ts_tile_lives *l); /* NULL: no memory */
void ts_live_walk_free(struct ts_live_walk *w);			      /* NULL allowed */
void ts_live_walk_tile(struct ts_live_walk *w, size_t tile);
void ts_live_walk_pair(struct ts_live_walk *w, uint32_t class, int64_t bytes);

/* Runs, ascending; before the first and from the last (which has 0 bytes) on nothing is alive. */
size_t ts_live_walk_runs(struct ts_live_walk *w, const struct ts_live_run **run);

/*
 * The not-always-live bytes of all tiles that `has` says (NULL: all) by span: out[k], l->points of them, zeroed
 * here. Of many by two threads, which both call `has`. Errors: TS_E_CANCELLED, TS_E_NOMEM.
 */
enum ts_code ts_tile_lives_sum(int64_t *out, const struct ts_tile_lives *l,
	bool (*has)(const void *set, int64_t tile), const void *set, const struct ts_cancel *cancel,
	struct ts_err *err) TS_WARN_UNUSED;

/* Bytes by span into bytes of the steps [from, to): out[0] is step `from`; 0 where nothing is alive. */
void ts_tile_lives_steps(int64_t *out, int64_t from, int64_t to, const struct ts_tile_lives *l,
	const int64_t *by_span);

/* The largest of bytes by span: bytes, and the first step that has it (TS_UNKNOWN: none is above 0). */
void ts_tile_lives_peak(int64_t *bytes, int64_t *step, const struct ts_tile_lives *l,
	const int64_t *by_span);

#endif
