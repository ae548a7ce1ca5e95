/* SPDX-License-Identifier: MIT */
/*
 * tile_variables - the lowered variables of one tile, the largest of them by name.
 *
 * The index says where the rows of a tile begin and end. Without it, where lowered variables can be
 * reached by tile, this reads that tile's rows and nothing else; where they cannot it is one pass over
 * all of them. Memory is bounded: TS_TILE_VARIABLES variables are kept, the rest is counted; when their names have
 * TS_TILE_VARIABLES_TEXT bytes, further ones are cut to TS_TILE_VARIABLE_SHORT.
 *
 * Where a name is a number that stands for a text in another table, looking up a thousand of them takes longer
 * than reading the rows: a screen asks for those that it shows first.
 */
#ifndef TS_REPORT_TILE_VARIABLES_H
#define TS_REPORT_TILE_VARIABLES_H

#include "tilescope/base/progress.h"
#include "tilescope/report/categories.h"

enum {
	TS_TILE_VARIABLES = 1 << 14,
	TS_TILE_VARIABLE_NAME = 8192, /* bytes of a name that are kept */
	TS_TILE_VARIABLE_SHORT = 64,  /* ... behind these, and an ellipsis: */
	TS_TILE_VARIABLES_TEXT = 8 << 20,
};

struct ts_tile_variable {
	char *name;	      /* raw, NUL-terminated; NULL = not recorded, or `unnamed` */
	bool unnamed;	      /* not looked up yet: ts_tile_variables_name() */
	int64_t key;	      /* of the name, while it is unnamed */
	const char *category; /* raw, lent by `categories`; NULL = not recorded */
	int64_t bytes;
	int64_t offset; /* bytes from the begin of the tile's memory, or TS_UNKNOWN */
	int64_t row;	/* its place among the tile's rows, from 0: breaks ties */
	int64_t id, variable, class_of; /* of the relation; TS_UNKNOWN */
	int64_t rowid;			/* of its row, or TS_UNKNOWN */
};

struct ts_tile_variables {
	int64_t tile;
	int count;			   /* kept: at most TS_TILE_VARIABLES */
	struct ts_tile_variable *variable; /* largest first, equals as they stand in the report */
	size_t room;			   /* of `variable` */
	size_t named;	  /* bytes of the names that were read into it and are kept */
	size_t text;	  /* bytes of the names that are there, where somebody counted them */
	int64_t found;	  /* variables on the tile */
	int64_t bytes;	  /* of all of them; TS_UNKNOWN when it does not fit */
	int64_t bad_rows; /* of the tile: left out, size missing, negative or too large */
	struct ts_category_names *categories; /* of all of them, in the order in which they come */
	int64_t category_bytes[TS_CATEGORIES_MAX];   /* by those; TS_UNKNOWN: does not fit */
	bool has_names, has_categories, has_offsets; /* is it recorded at all */
};

/* Are the rows of the tile reached without a pass over many others? `x` may be NULL. */
bool ts_tile_variables_quick(const struct ts_report *r, const struct ts_index *x, int64_t tile);

/*
 * How to reach the rows of a tile: sets range, from and to of a query (which may give rows of other tiles, too), and
 * about how many there are. False: it has none.
 */
struct ts_rows_query;
bool ts_tile_variables_plan(struct ts_rows_query *q, int64_t *total, const struct ts_reader *rd,
	int64_t tile);

/*
 * Read the variables of a tile. TS_E_ABSENT when lowered_variable is not bound. Damage keeps what was
 * read. progress counts rows of the pass (where there is one) and may be NULL. Free with
 * ts_tile_variables_fini() in every case.
 */
enum ts_code ts_tile_variables_read(struct ts_tile_variables *v, struct ts_reader *rd, int64_t tile,
	struct ts_progress *progress, struct ts_err *err) TS_WARN_UNUSED;

/* The same with the names of the `names` largest; others may be unnamed. */
enum ts_code ts_tile_variables_list(struct ts_tile_variables *v, struct ts_reader *rd, int64_t tile,
	int names, struct ts_progress *progress, struct ts_err *err) TS_WARN_UNUSED;

/*
 * Look up the names of variables [from, to) that are unnamed. Damage: what cannot be read has no name, and
 * the code is TS_E_DAMAGED.
 */
enum ts_code ts_tile_variables_name(struct ts_tile_variables *v, struct ts_reader *rd, int from,
	int to, struct ts_err *err) TS_WARN_UNUSED;
void ts_tile_variables_fini(struct ts_tile_variables *v);

/*
 * An integer column of one variable of a tile (`row` as in struct ts_tile_variable), all its 64 bits; *found
 * false: not recorded, or none. Only where ts_tile_variables_quick() says so, else it is a pass.
 */
enum ts_code ts_tile_variable_bits(uint64_t *v, bool *found, struct ts_reader *rd, int64_t tile,
	int64_t row, int column, struct ts_err *err) TS_WARN_UNUSED;

#endif
