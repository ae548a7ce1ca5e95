/* SPDX-License-Identifier: MIT */
/*
 * tile_addresses - what stands where in the memory of one tile: all its variables that have an offset, its memory
 * elements, and the map made of both (calc/address_map.h).
 *
 * At most TS_ADDRESSES variables are kept, and TS_ADDRESSES_TEXT bytes of their names; a tile of the field has some
 * thousand. Elements are those of memory_element, where they are sound: not empty, not on top of each other,
 * at most TS_ADDRESS_ELEMENTS. Else rows of TS_ADDRESS_ROW bytes stand for them (`assumed`), and no gap is explained
 * by them.
 */
#ifndef TS_REPORT_TILE_ADDRESSES_H
#define TS_REPORT_TILE_ADDRESSES_H

#include "tilescope/base/progress.h"
#include "tilescope/base/strbuf.h"
#include "tilescope/calc/address_map.h"
#include "tilescope/report/categories.h"

enum {
	TS_ADDRESSES = 1 << 18,
	TS_ADDRESSES_TEXT = 8 << 20,
	TS_ADDRESS_NAME = 2048, /* bytes of one name */
	TS_ADDRESS_ELEMENTS = 4096,
	TS_ADDRESS_ROW = 16 << 10,
	TS_ADDRESS_BEYOND =
		4 << 20, /* bytes behind the end that have rows, where variables stand there */
};

struct ts_address_name {
	uint32_t name;	  /* in `text`; 0 = none */
	int16_t category; /* index into `categories`, or negative */
	int64_t row;	  /* place among the rows of the tile, as in struct ts_tile_variable */
};

struct ts_tile_addresses {
	int64_t tile;
	struct ts_address_variable *variable; /* as they stand in the report */
	struct ts_address_name *name;	      /* of each */
	size_t count, cap, name_cap;
	struct ts_strbuf text;
	struct ts_category_names *categories;
	struct ts_address_element *element;
	size_t elements,
		inside;	    /* of these inside the memory; the others are rows behind its end */
	bool assumed;	    /* the elements are not recorded */
	bool unsound;	    /* they are, but make no sense */
	int64_t begin, end; /* of the tile's memory; end: TS_UNKNOWN */
	struct ts_address_map map;
	int64_t unplaced, unplaced_bytes; /* variables without an offset */
	int64_t empty;			  /* of 0 bytes */
	int64_t bad_rows;		  /* no size, or no number */
	bool cut;			  /* more variables than are kept */
	bool partial;
};

/* Are offsets recorded? */
bool ts_tile_addresses_recorded(const struct ts_report *r);

/*
 * Read the map of a tile of `limit` bytes (TS_UNKNOWN: not known). TS_E_ABSENT: no offsets. Damage keeps what could be read: TS_E_DAMAGED, `partial`. progress
 * may be NULL. Free with ts_tile_addresses_fini() in every case.
 */
enum ts_code ts_tile_addresses_read(struct ts_tile_addresses *a, struct ts_reader *rd, int64_t tile,
	int64_t limit, struct ts_progress *progress, struct ts_err *err) TS_WARN_UNUSED;
void ts_tile_addresses_fini(struct ts_tile_addresses *a);

/* Name of a variable, raw; "" = none. */
static inline const char *
ts_address_name(const struct ts_tile_addresses *a, int32_t variable)
{
	return variable >= 0 && a->name[variable].name ? a->text.s + a->name[variable].name : "";
}

const char *ts_address_category(const struct ts_tile_addresses *a, int32_t variable);

#endif
