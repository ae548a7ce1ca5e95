/* SPDX-License-Identifier: MIT */
/*
 * variables - the variables of a report, however many: rows by their place. Lowered ones (pieces on a tile), or
 * those that they were lowered from (`variable`).
 *
 * A row has a place: its number in the order in which rows stand in the report, from 0. Places are
 * what lists, orders and filters are made of. Where row ids have no gaps the place is the row id less
 * the first one; where they have, an anchor every TS_VARIABLES_ANCHOR rows says where to read; a
 * relation without row ids is read from its begin.
 *
 * Row ids without gaps, and what the index says of their number, are believed until a row is missed:
 * whoever misses one says so, and ts_variables_count() counts and makes the anchors.
 */
#ifndef TS_REPORT_VARIABLES_H
#define TS_REPORT_VARIABLES_H

#include <stdatomic.h>

#include "tilescope/base/progress.h"
#include "tilescope/report/index.h"
#include "tilescope/report/memory.h"
#include "tilescope/report/names.h"
#include "tilescope/report/pile.h"
#include "tilescope/report/rows.h"
#include "tilescope/report/tile_ipus.h"
#include "tilescope/report/variable_facts.h"

enum {
	TS_VARIABLES_ANCHOR = 64,    /* rows */
	TS_VARIABLES_WINDOW = 4096,  /* rows of a window */
	TS_VARIABLES_TEXT = 8 << 20, /* bytes of their names */
	TS_VARIABLE_NAME_MAX = 8192, /* bytes of a name that are kept, shown and compared */
};

/* What is known before any row is looked for. Not changed afterwards; any thread may read it. */
struct ts_variables {
	atomic_int uses;
	const struct ts_cache *cache; /* for what does not fit into memory; may be NULL */
	bool lowered;
	enum ts_relation relation;
	struct ts_variable_facts *facts; /* held; what else is known, as far as it was read */
	struct variable_orders *orders;	 /* mapped, looked through once; NULL: each time */
	int64_t rows;			 /* or TS_UNKNOWN: not counted yet */
	bool counted;			 /* by reading all rows: else `rows` is believed */
	bool partial;			 /* counted up to where the report is damaged */
	enum ts_range range;		 /* TS_RANGE_ROWID, or TS_RANGE_ALL: forwards only */
	int64_t first;			 /* row id */
	struct ts_pile anchor;		 /* row ids (int64_t), only where row ids have gaps */
	bool has[TS_RELATION_COLUMNS]; /* columns that are recorded, as lowered_variable numbers them */
	bool has_lives, has_spread; /* v->facts can be had */
	struct ts_names categories;
	int64_t bytes, unsized; /* of all rows, as the index has them; or TS_UNKNOWN */
	struct ts_tile_ipus ipus;
	bool has_ipus;		/* of some tile it is known */
	int64_t bytes_per_tile; /* or TS_UNKNOWN */
	int64_t tiles;		/* of the target, or TS_UNKNOWN */
};

/*
 * Find it out. `cache` (may be NULL) must outlive it. Errors: TS_E_ABSENT when lowered variables are
 * not recorded; TS_E_CANCELLED, TS_E_NOMEM, TS_E_SYS. Give back with ts_variables_release().
 */
enum ts_code ts_variables_open(struct ts_variables **out, struct ts_reader *rd,
	const struct ts_cache *cache, struct ts_err *err) TS_WARN_UNUSED;

/* Of those that they were lowered from. */
enum ts_code ts_variables_open_unlowered(struct ts_variables **out, struct ts_reader *rd,
	const struct ts_cache *cache, struct ts_err *err) TS_WARN_UNUSED;
struct ts_variables *ts_variables_hold(struct ts_variables *v);
void ts_variables_release(struct ts_variables *v); /* NULL allowed */

/* The column of v->relation that a column of lowered_variable is there; -1: there is none. */
int ts_variables_column(const struct ts_variables *v, int column);

/* Is the place of a row known without counting? If not: ts_variables_count(). */
bool ts_variables_placed(const struct ts_variables *v);

/*
 * Read every row's id (or every row) and make the anchors: *out is like `v`, counted. With damage the
 * rows before it count.
 */
enum ts_code ts_variables_count(struct ts_variables **out, const struct ts_variables *v,
	struct ts_reader *rd, struct ts_progress *progress, struct ts_err *err) TS_WARN_UNUSED;

enum ts_variable_state {
	TS_VARIABLE_MISSING, /* not read; or no such row */
	TS_VARIABLE_OK,
	TS_VARIABLE_DAMAGED, /* known to be there, cannot be read */
};

/* A row. Numbers are TS_UNKNOWN when they are not recorded or no numbers. */
struct ts_variable {
	int64_t place;
	enum ts_variable_state state;
	int64_t rowid; /* or TS_UNKNOWN: rows have none */
	int64_t id, tile, ipu, bytes, offset, alignment, category, class_of, variable, context;
	int always_live; /* 1, 0, -1 = not known */
	/* of v->facts, as far as they were read */
	int64_t from, to, steps; /* liveness steps: the first, the last, how many */
	int64_t tiles, pieces;	 /* of the unlowered variable: on which it is, lowered ones */
	int64_t fullest, fullest_tile, balance; /* as in struct ts_variable_spread */
	bool has_name;
	/* in the window's text: raw, not NUL-terminated */
	uint32_t name, name_n, category_name, category_name_n, type, type_n;
};

struct ts_variable_window {
	int count;
	struct ts_variable *row;
	struct ts_strbuf text;
	bool gap; /* a row that was believed to be there is not: count */
};

/*
 * Read the rows at these places, as they stand in `place` (-1 = none: MISSING); count <=
 * TS_VARIABLES_WINDOW. Damaged rows are marked, and that is no error. progress: rows read forwards;
 * may be NULL. Free with ts_variable_window_fini() in every case.
 */
enum ts_code ts_variables_read(struct ts_variable_window *w, struct ts_reader *rd,
	const struct ts_variables *v, const int64_t *place, int count, struct ts_progress *progress,
	struct ts_err *err) TS_WARN_UNUSED;
void ts_variable_window_fini(struct ts_variable_window *w);

/* What v->facts knows of a row whose own columns are filled in. */
void ts_variables_add_facts(const struct ts_variables *v, struct ts_variable *x);

/* The IPU of a tile, or TS_UNKNOWN. */
int64_t ts_variables_ipu(const struct ts_variables *v, int64_t tile);

/* The name of a category number as it is shown: in the dictionary, or "category 17" in `buf`. */
const char *ts_variables_category(const struct ts_variables *v, int64_t category, char buf[40],
	size_t *n);

/*
 * The column of `variable` that says what of it is always live, and how many of its `bytes` a value of that column
 * means: a variable may be in classes that always live and in others, where a report tells bytes of both.
 */
static inline int
ts_variable_always_column(const struct ts_report *r)
{
	return ts_report_has_column(r, TS_VARIABLE, TS_VARIABLE_ALWAYS_LIVE_BYTES)
		? TS_VARIABLE_ALWAYS_LIVE_BYTES
		: TS_VARIABLE_ALWAYS_LIVE;
}

static inline int64_t
ts_variable_always_bytes(int column, int64_t value, int64_t bytes)
{
	return column == TS_VARIABLE_ALWAYS_LIVE_BYTES ? value : value != 0 ? bytes : 0;
}

#endif
