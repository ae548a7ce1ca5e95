/* SPDX-License-Identifier: MIT */
/*
 * sql - the answer of `:sql SELECT ...`, over the relations of a report and the tables of its file.
 *
 * At most TS_SQL_ROWS rows are kept, fewer where TS_SQL_VALUES values are not so many; it is said when there are
 * more (`tilescope query` prints all). A statement may take TS_SQL_SECONDS; C-c ends it. The lines typed
 * before come back in the prompt.
 */
#ifndef TS_VIEW_SQL_H
#define TS_VIEW_SQL_H

#include "tilescope/view/view.h"

enum { TS_SQL_ROWS = 10000, TS_SQL_VALUES = 1 << 18, TS_SQL_SECONDS = 600 };

extern const struct ts_view_ops ts_view_sql;

/* The statement that was asked last, or NULL. */
const char *ts_view_sql_last(const struct ts_view *v);

#endif
