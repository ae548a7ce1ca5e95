/* SPDX-License-Identifier: MIT */
/*
 * address_map - the memory of one tile by address: which variable stands where, which overlap, where nothing does.
 *
 * Variables are (offset, bytes): any numbers, in any order, on top of each other. The map is a row of pieces, each of one
 * kind, by rising address without holes from the begin of the memory to its end (or to the last byte of a variable,
 * when that is behind it). A gap is a piece between variables; it has a cause where the layout explains it:
 *
 *	interleaved  the variable behind it begins where interleaved memory does
 *	alignment    the variable behind it stands at the next address that its alignment allows
 *	element      the variable behind it begins a memory element, and would not have ended in the one before
 *
 * which is worked out here, not recorded: the allocator may have had other reasons. Nothing behind the last variable is
 * a gap: that is free. Variables of 0 bytes take no room; those without an offset are in no map.
 */
#ifndef TS_CALC_ADDRESS_MAP_H
#define TS_CALC_ADDRESS_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum ts_address_kind { TS_ADDRESS_VARIABLE, TS_ADDRESS_OVERLAP, TS_ADDRESS_GAP, TS_ADDRESS_FREE };

enum ts_gap_cause {
	TS_GAP_UNKNOWN,
	TS_GAP_ALIGNMENT,
	TS_GAP_ELEMENT,
	TS_GAP_INTERLEAVED,
};

struct ts_address_variable {
	int64_t offset;	   /* not negative */
	int64_t bytes;	   /* not negative */
	int64_t alignment; /* bytes; 0 or less: not known */
};

/* A part of the tile's memory; they do not overlap and stand by offset. */
struct ts_address_element {
	int64_t offset, bytes;
	bool interleaved;
};

struct ts_address_piece {
	int64_t from, to; /* half-open */
	enum ts_address_kind kind;
	enum ts_gap_cause cause;
	/* VARIABLE, OVERLAP: the one that began last; GAP: the one behind it; FREE: none. -1 = none. */
	int32_t variable;
	int32_t count; /* OVERLAP: variables there */
};

struct ts_address_map {
	struct ts_address_piece *piece;
	size_t count;
	int64_t used;	    /* addresses with a variable */
	int64_t overlapped; /* with more than one */
	int64_t gaps;	    /* with none, between variables */
	int64_t gap_count;
	int64_t free_bytes; /* behind the last variable, up to the end of the memory */
	int64_t beyond;	    /* used addresses behind the end of the memory */
	int64_t by_cause[TS_GAP_INTERLEAVED + 1]; /* bytes of gaps */
};

/*
 * Make the map of n variables in [begin, end) (end < 0: not known) with so many elements (0: not known). At most
 * INT32_MAX / 4 variables. False: no memory. ts_address_map_fini() in every case.
 */
bool ts_address_map_make(struct ts_address_map *m, const struct ts_address_variable *v, size_t n,
	const struct ts_address_element *element, size_t elements, int64_t begin, int64_t end);
void ts_address_map_fini(struct ts_address_map *m);

/* The piece that has the address, or -1. */
ptrdiff_t ts_address_map_find(const struct ts_address_map *m, int64_t address);

#endif
