/* SPDX-License-Identifier: MIT */
/*
 * plan - name the pages of tables before they are read, so that a report that is far away takes few
 * round trips.
 *
 * What is going to be read is named by table and row ids. The trees of all tables are gone down
 * together, level by level: what is not here of a level is asked for in one burst, and says which
 * pages the next level has. So any rows of any tables take as many round trips as the deepest tree
 * has levels, less those that are here. Of a file on this machine nothing is planned.
 */
#ifndef TS_DB_PLAN_H
#define TS_DB_PLAN_H

#include "tilescope/base/progress.h"
#include "tilescope/db/db.h"
#include "tilescope/db/schema.h"

enum { TS_PLAN_PAGES = 8192 }; /* of a level, at most: what is more is left out */

/* The leaves where the rows of these row ids stand, or would (inclusive; from > to: none). */
struct ts_plan_rows {
	const struct ts_object *o;
	int64_t from, to;
	/*
	 * Pages that lead to the rows and that these stand in; where there are more, none of the
	 * rest. So many overflow pages, too. 0: as many as there are.
	 */
	int most;
	bool whole; /* with what of the rows stands in overflow pages */
	/*
	 * First page of an index (or of a table WITHOUT ROWID) that begins with integers: from and
	 * to are these, and the rows of `o` that its entries name come behind them. 0: none, from
	 * and to are row ids.
	 */
	uint32_t index;
};

/* Is reading it worth a plan: does the file lie on another host? */
bool ts_plan_helps(const struct ts_db *db);

/*
 * Have these pages here, waiting for each level; a screen waits for them. What is damaged, or no
 * table of ours, is left out. Errors: TS_E_CANCELLED, TS_E_CONNECT, TS_E_STALE, TS_E_NOMEM.
 */
enum ts_code ts_plan_fetch(struct ts_db *db, const struct ts_plan_rows *rows, size_t count,
	struct ts_err *err) TS_WARN_UNUSED;

/*
 * The same, but wait once only, for the next level of pages that are not here: what is named may
 * then be named better. *whole: nothing had to be waited for.
 */
enum ts_code ts_plan_level(bool *whole, struct ts_db *db, const struct ts_plan_rows *rows,
	size_t count, struct ts_err *err) TS_WARN_UNUSED;

/*
 * The first and the last row id of a table, as the pages that are here have them: roughly, while
 * the leaves are not. False: nothing is known. Never waits.
 */
bool ts_plan_ends(int64_t *first, int64_t *last, struct ts_db *db, const struct ts_object *o);

/*
 * The first page of the index, or of the table WITHOUT ROWID, that SQLite goes along for a
 * statement; 0: of none. Errors: as ts_db_step().
 */
enum ts_code ts_plan_index(uint32_t *root, struct ts_db *db, const char *sql,
	struct ts_err *err) TS_WARN_UNUSED;

/*
 * Have all pages here that lead to the rows of some tables, and of all indexes and tables WITHOUT
 * ROWID, behind what anybody waits for; at most `most` of them. Progress counts pages. Errors: as
 * above.
 */
enum ts_code ts_plan_interior(struct ts_db *db, const struct ts_object *const *o, size_t count,
	int most, struct ts_progress *progress, struct ts_err *err) TS_WARN_UNUSED;

#endif
