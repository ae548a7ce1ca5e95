/* SPDX-License-Identifier: MIT */
/* explain_common - figures that several views have, explained in one place. */
#ifndef TS_VIEW_EXPLAIN_COMMON_H
#define TS_VIEW_EXPLAIN_COMMON_H

#include "tilescope/calc/tile_set.h"
#include "tilescope/report/honesty.h"
#include "tilescope/report/target.h"
#include "tilescope/view/explain.h"

/* How a figure of the execution with this mark is known; what the mark means belongs into its note. */
enum ts_known ts_known_of_mark(enum ts_mark m);

/* Bytes that decide whether a tile fits, in SQL: ts_tile_used(). */
#define TS_EXPLAIN_USED "coalesce(total_gaps, total)"

/* Programs that have no children, in SQL, of a relation with a column `program`; an edge without a parent empties no set. */
#define TS_EXPLAIN_LEAF "program NOT IN (SELECT parent FROM program_child WHERE parent IS NOT NULL)"

/* Memory of a tile: recorded, or assumed (then without a query). */
void ts_explain_limit(struct ts_explain *out, const struct ts_target *t, enum ts_units units);

/* The limit in SQL: a subquery, or the assumed number. */
const char *ts_explain_limit_sql(const struct ts_target *t, char out[64]);

/* part / whole as percent; `query` (NULL = none) has to give 100.0 * part / whole. */
void ts_explain_share(struct ts_explain *out, const char *title, int64_t part, int64_t whole,
	const char *from, const char *query);

/* Rows of `what` were left out of the figures for their numbers, which a query does not: said of all figures. */
void ts_explain_left_out(struct ts_explain *out, int64_t rows, const char *what);

/* "(tile = 3 OR tile BETWEEN 5 AND 9)" for the tiles of a set. False: it does not fit, and out is "". */
bool ts_explain_tiles_sql(char *out, size_t size, const struct ts_tile_set *set);

#endif
