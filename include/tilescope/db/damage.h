/* SPDX-License-Identifier: MIT */
/*
 * damage - which pages of a table cannot be read, and which rows are missing with them.
 *
 * Of a page that is not sound its parent knows which row ids lie below it. That is what is missing, and
 * behind it reading can go on.
 */
#ifndef TS_DB_DAMAGE_H
#define TS_DB_DAMAGE_H

#include "tilescope/base/progress.h"
#include "tilescope/base/strbuf.h"
#include "tilescope/db/db.h"
#include "tilescope/db/schema.h"

enum { TS_GAPS = 16 };

/* Row ids that cannot be read, inclusive; not all of them need have a row. */
struct ts_gap {
	uint32_t page;	  /* that is damaged; 0: the record of row `from` alone */
	int64_t from, to; /* INT64_MIN, INT64_MAX: at the table's begin, end */
};

/* Several of them, rising: the first ones, and how many there are. */
struct ts_gaps {
	struct ts_gap gap[TS_GAPS];
	int kept;
	int64_t count;
};

void ts_gaps_add(struct ts_gaps *g, const struct ts_gap *gap);

/* Append "row ids 1201 to 1340 (page 57)". */
void ts_gap_describe(struct ts_strbuf *out, const struct ts_gap *g);

/* Append "table steps: row ids 1201 to 1340 (page 57) and 3 more places cannot be read". The name is untrusted. */
void ts_gaps_describe(struct ts_strbuf *out, const struct ts_gaps *g, const char *table);

/*
 * Can what is at or behind `rowid` be reached? TS_PATH_ROW: *gap is the place of the first row there, one row of
 * a sound page (its record may still be damaged); TS_PATH_GAP: that page is not sound, and these are the row ids
 * from `rowid` on that are missing with it; TS_PATH_END: no row. TS_PATH_UNKNOWN: not a table for us.
 * Errors: TS_E_SYS, TS_E_CANCELLED, TS_E_NOMEM.
 */
enum ts_path { TS_PATH_ROW, TS_PATH_GAP, TS_PATH_END, TS_PATH_UNKNOWN };

enum ts_code ts_path_find(enum ts_path *path, struct ts_gap *gap, struct ts_db *db,
	const struct ts_object *o, int64_t rowid, struct ts_err *err) TS_WARN_UNUSED;

/*
 * The first row id of a table, or the last one; where the page that has it is damaged, the one of those missing that
 * is next to the rest. *found false: nothing is known. Errors: as ts_path_find().
 */
enum ts_code ts_table_end(int64_t *rowid, bool *found, bool last, struct ts_db *db,
	const struct ts_object *o, struct ts_err *err) TS_WARN_UNUSED;

/* What a walk through all pages of a table's b-tree finds. */
struct ts_table_state {
	bool known;	     /* false: a view, WITHOUT ROWID, UTF-16: SQLite has to be asked */
	int64_t pages, rows; /* sound ones; rows: in sound pages */
	struct ts_gaps gaps;
};

/*
 * Walk it; progress counts leaves. No damage is an error. Overflow pages are not looked at. Errors: as
 * ts_path_find().
 */
enum ts_code ts_table_walk(struct ts_table_state *s, struct ts_db *db, const struct ts_object *o,
	struct ts_progress *progress, struct ts_err *err) TS_WARN_UNUSED;

#endif
