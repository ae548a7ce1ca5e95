/* SPDX-License-Identifier: MIT */
/*
 * what_if - the peaks of live bytes if some variables were not there, or smaller.
 *
 * A change names variables and says what becomes of each of their lowered variables: removed (0 bytes), halved, or split
 * in n (the bytes divided by 2 or n, rounded up). What is alive when stays as it is. The peaks of the device, of each IPU
 * and of the worst tile are then worked out anew over all tiles and steps (tile_live.h): exact for live
 * bytes. What the allocator would make of it (gaps, overlaps) is not predicted: so nothing here says that a program
 * would fit.
 *
 * Where several changes name a variable the last one counts.
 */
#ifndef TS_REPORT_WHAT_IF_H
#define TS_REPORT_WHAT_IF_H

#include "tilescope/calc/tile_set.h"
#include "tilescope/report/groups.h"
#include "tilescope/report/tile_live.h"

enum ts_what_if_how { TS_WHAT_IF_REMOVE, TS_WHAT_IF_HALVE, TS_WHAT_IF_SPLIT };

/* What a change names. */
enum ts_what_if_of {
	TS_WHAT_IF_VARIABLE, /* before lowering, by number: on all its tiles */
	TS_WHAT_IF_LOWERED,  /* one piece on one tile, by lowered_variable.id */
	TS_WHAT_IF_PATTERN,  /* a group, where one is called so, else names that match (any case) */
	TS_WHAT_IF_GROUP,    /* names of a group of the rules (groups.h) */
};

enum {
	TS_WHAT_IF_CHANGES = 48,
	TS_WHAT_IF_TEXT = 160,
	TS_WHAT_IF_PARTS = 1 << 20,
	TS_WHAT_IF_TOUCHED = 3, /* tiles that lose most are told apart */
};

struct ts_what_if_change {
	enum ts_what_if_of of;
	enum ts_what_if_how how;
	int64_t n;  /* of a split: 2 .. TS_WHAT_IF_PARTS */
	int64_t id; /* of a variable; else 0 */
	bool sure;  /* it names something, as far as is known: see ts_what_if_names() */
	char text
		[TS_WHAT_IF_TEXT]; /* pattern, group, or the variable's name (raw, cut); NUL-terminated */
};

/* All zero: none. `version` grows with every change of it. */
struct ts_what_if_changes {
	int count;
	uint64_t version;
	struct ts_what_if_change item[TS_WHAT_IF_CHANGES];
};

/* The one that names the same; -1: none. */
int ts_what_if_find(const struct ts_what_if_changes *c, const struct ts_what_if_change *x);

/* Put it behind the others, instead of the one that names the same. False: there are as many as there can be. */
bool ts_what_if_put(struct ts_what_if_changes *c, const struct ts_what_if_change *x);
void ts_what_if_take(struct ts_what_if_changes *c, int i);
void ts_what_if_clear(struct ts_what_if_changes *c);

/*
 * The next of: nothing, removed, halved, split in 4, nothing again. False as ts_what_if_put(). x->how and x->n
 * are set to what it is now, unless it is nothing (x->n is then 0).
 */
bool ts_what_if_cycle(struct ts_what_if_changes *c, struct ts_what_if_change *x);

/* "remove", "halve", "split 4"; of an answer: "removed", "halved", "in 4". */
void ts_what_if_how_text(char out[32], const struct ts_what_if_change *x, bool done);

/* What becomes of so many bytes. */
int64_t ts_what_if_bytes(const struct ts_what_if_change *x, int64_t bytes);

/* A peak before and after: bytes with what is always live; and where. */
struct ts_what_if_peak {
	int64_t bytes;
	int64_t step; /* the first; TS_UNKNOWN: nothing is alive at any */
	int64_t tile; /* of a tile; else TS_UNKNOWN */
};

struct ts_what_if_pair {
	int64_t ipu; /* of an IPU's; TS_UNKNOWN: tiles of no known IPU */
	struct ts_what_if_peak before, after;
};

/* What a change came to. */
struct ts_what_if_sum {
	int64_t variables; /* lowered ones that it decides */
	int64_t bytes;	   /* they have */
	int64_t less;	   /* they lose */
	/* Of these it is not known when they are alive: they change no peak, and are not among the others. */
	int64_t unplaced, unplaced_bytes;
};

/*
 * Peaks are of live bytes. `worst` and `next_tile` are the tiles with most and second most of them, before and after (of
 * equals the lowest number): other tiles, perhaps, afterwards. `fullest` is the tile that uses most memory (ts_tile_used()),
 * which need not be the one with most live bytes. `next_peak` is the second highest of the distinct peaks of the device
 * (calc/peaks.h, of bytes by span); its bytes are TS_UNKNOWN where there is one peak alone. Of the tiles that lose
 * something `touched` has those that lose most, the most first.
 */
struct ts_what_if {
	struct ts_what_if_changes changes; /* that were asked for */
	struct ts_what_if_sum sum[TS_WHAT_IF_CHANGES];
	struct ts_what_if_pair device; /* of the tiles that the report lists, times `times` */
	struct ts_what_if_pair next_peak;
	struct ts_what_if_pair worst, next_tile; /* before.tile is TS_UNKNOWN where there is none */
	struct ts_what_if_pair
		fullest; /* before.tile is TS_UNKNOWN: it is not known which that is */
	/* of the tiles that somebody selected the one with most live bytes, as `worst`; before.tile is TS_UNKNOWN: of none */
	struct ts_what_if_pair selected;
	int64_t selected_tiles; /* of these, that the report lists */
	int64_t fullest_used,
		worst_used; /* memory of it, and of worst.before.tile; or TS_UNKNOWN */
	int64_t tiles_touched;
	int touches;
	struct ts_what_if_pair touched[TS_WHAT_IF_TOUCHED];
	int64_t lost
		[TS_WHAT_IF_TOUCHED]; /* bytes that such a tile loses, alive at its peak or not */
	int ipus;
	struct ts_what_if_pair *ipu; /* by number */
	int64_t times; /* lowered variables are of one replica: the device's steps count so many times */
	int64_t recorded; /* highest recorded not-always-live bytes, one replica; TS_UNKNOWN */
	int64_t derived;  /* the same from intervals, of all listed tiles */
	int64_t unknown; /* lowered variables of which it is not known whether a change names them */
	/* lowered variables of which no step is known at which they are alive: in no peak */
	int64_t unplaced, unplaced_bytes;
};

/*
 * Work it out. `l` (may be NULL: it is read) is the table of all tiles; `groups` may be NULL when no change names a group.
 * *out may be set on TS_E_DAMAGED, too: then of what could be read. Errors: TS_E_ABSENT; TS_E_USAGE (a pattern, a group
 * that there is not); TS_E_LIMIT (a pattern that takes too long); those of ts_rows_next().
 */
enum ts_code ts_what_if_read(struct ts_what_if **out, struct ts_reader *rd, struct ts_tile_lives *l,
	const struct ts_what_if_changes *changes, struct ts_groups *groups,
	const struct ts_cache *cache, struct ts_progress *progress,
	struct ts_err *err) TS_WARN_UNUSED;
/*
 * The same by several threads. One leads: it gets the answer. Others help, as long as there is something to do, each with a reader
 * of its own (of the same report, with the same index); it does not matter whether they come at all. Without the index, and where names of lowered variables have to be asked, the leader is alone. A run is good for one
 * answer, of the changes that it was made with. Errors of a helper are no matter of the leader's: it does it again, alone.
 */
struct ts_what_if_run;

struct ts_what_if_run *ts_what_if_run_new(const struct ts_what_if_changes *changes,
	const struct ts_cache *cache); /* NULL: no memory */

/* `selected` is to be told of these tiles (copied); before anybody leads. False: no memory. */
bool ts_what_if_run_select(struct ts_what_if_run *r, const struct ts_tile_set *set) TS_WARN_UNUSED;
struct ts_what_if_run *ts_what_if_run_hold(struct ts_what_if_run *r);
void ts_what_if_run_close(struct ts_what_if_run *r); /* NULL allowed; any thread */

enum ts_code ts_what_if_lead(struct ts_what_if **out, struct ts_what_if_run *run,
	struct ts_reader *rd, const struct ts_what_if_changes *changes, struct ts_groups *groups,
	const struct ts_cache *cache, struct ts_progress *progress,
	struct ts_err *err) TS_WARN_UNUSED;
/* When it has led to an error: the change that this is about; -1: none of them, or it is not known which. */
int ts_what_if_run_blamed(const struct ts_what_if_run *r); /* NULL allowed */
enum ts_code ts_what_if_help(struct ts_what_if_run *run, struct ts_reader *rd,
	struct ts_progress *progress, struct ts_err *err) TS_WARN_UNUSED;

void ts_what_if_free(struct ts_what_if *w); /* NULL allowed */

/* Is it an expression for TS_WHAT_IF_PATTERN? Reads nothing. Errors: TS_E_USAGE (with the place in it), TS_E_NOMEM. */
enum ts_code ts_what_if_pattern(const char *text, struct ts_err *err) TS_WARN_UNUSED;

/*
 * Does a change name anything? *any is true, too, where that is not known: what could be read to the end has nothing, the
 * rest is damaged. The first that it names ends the pass. Errors: as ts_what_if_read().
 */
enum ts_code ts_what_if_names(bool *any, struct ts_reader *rd, const struct ts_what_if_change *x,
	struct ts_groups *groups, struct ts_progress *progress, struct ts_err *err) TS_WARN_UNUSED;

#endif
