/* SPDX-License-Identifier: MIT */
/*
 * tile_set - a set of tiles, and the expressions by which people name one.
 *
 *	12,40-45                 numbers and ranges (both ends belong to it)
 *	all                      every tile
 *	selected                 those that are selected already
 *	ipu(1)  ipu(0-1)         the tiles of IPUs
 *	over(90%)  over(560KiB)  tiles that use more than that share of a tile, or more bytes (B, K, KiB, KB, ...)
 *	under(...)               less than that
 *	worst(5)                 the fullest ones; equals in order of their numbers; at least one
 *	using("conv2")           tiles with a lowered variable whose name contains that, in any case
 *	using(/conv[0-9]+$/)     ... whose name matches a regular expression
 *	A , B    A & B    A - B  union; intersection and difference, which bind closer; (...)
 *
 * Letters may be of either case. Blanks are free, but 40-45 is a range and 40 - 45 a difference. A tile that is not there is an error, an
 * IPU too, but a range may have gaps; a set may be empty. Tiles whose bytes are not known are in no over,
 * under or worst.
 */
#ifndef TS_CALC_TILE_SET_H
#define TS_CALC_TILE_SET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tilescope/base/err.h"

enum { TS_TILE_SET_TEXT = 1024, TS_TILE_SET_DEPTH = 32 };

/* Tiles 0 .. tiles-1. */
struct ts_tile_set {
	int64_t tiles;
	uint64_t *bits; /* (tiles + 63) / 64 of them */
};

/* Empty. False: no memory. */
bool ts_tile_set_init(struct ts_tile_set *s, int64_t tiles);
void ts_tile_set_fini(struct ts_tile_set *s);

/* Empty, or of the tiles of `from`; the caller's ts_tile_set_fini(). False: no memory. */
bool ts_tile_set_copy(struct ts_tile_set *s, const struct ts_tile_set *from, int64_t tiles);

void ts_tile_set_add(struct ts_tile_set *s, int64_t from, int64_t to); /* [from, to), clamped */
void ts_tile_set_flip(struct ts_tile_set *s, int64_t tile);	       /* in or out; clamped */
bool ts_tile_set_has(const struct ts_tile_set *s, int64_t tile);
int64_t ts_tile_set_count(const struct ts_tile_set *s);

/* The first tile of the set that is not below `from`; -1 = none. */
int64_t ts_tile_set_next(const struct ts_tile_set *s, int64_t from);

/* The expression "12,40-45" that names it; false: it does not fit (then out is cut behind a range). */
bool ts_tile_set_print(char *out, size_t size, const struct ts_tile_set *s);

/* What expressions speak of. */
struct ts_tile_world {
	int64_t tiles;
	const struct ts_tile_set *there; /* those that there are; NULL = all of them */
	/* The IPU of a tile, below 0 = not known; NULL = of none: ipu() is an error. */
	int64_t (*ipu_of)(void *ctx, int64_t tile);
	const int64_t *used; /* bytes of each tile, below 0 = not known; NULL = of none */
	int64_t limit;	     /* bytes of a tile; below 0 = not known: shares are an error */
	const struct ts_tile_set *selected; /* may be empty; NULL = the word is an error */
	/* Add the tiles with such a variable (`pattern`: a regular expression); NULL = not recorded: an error. */
	enum ts_code (*using)(void *ctx, struct ts_tile_set *out, const char *name, bool pattern,
		struct ts_err *err);
	void *ctx;
};

/*
 * The set that `text` names: *out is the caller's (ts_tile_set_fini()) when TS_OK is returned. Errors:
 * TS_E_USAGE, the message says at which character and what is wrong; TS_E_NOMEM; what using() returns.
 */
enum ts_code ts_tile_set_parse(struct ts_tile_set *out, const char *text,
	const struct ts_tile_world *world, struct ts_err *err) TS_WARN_UNUSED;

/* Is it written as it has to be? Looks at no tile. TS_E_USAGE: as above, *at: the byte of the text; TS_E_NOMEM. */
enum ts_code ts_tile_set_check(const char *text, size_t *at, struct ts_err *err) TS_WARN_UNUSED;

/* The words of expressions from 0, "worst(" with their bracket; NULL behind the last one. */
const char *ts_tile_set_word(size_t i);

/* May it mean another set when other tiles are selected? */
bool ts_tile_set_asks_selected(const char *text);

#endif
