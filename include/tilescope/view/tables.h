/* SPDX-License-Identifier: MIT */
/*
 * tables - the Tables view: every table and view of the report's files as it stands, bound to something or
 * not.
 *
 * Left the tables with how many rows they have by their row ids (nothing is counted) and which relation is
 * bound to them; right the rows of the one under the cursor, read as they come into sight; below all columns
 * of one row. A filter or a sort goes through the table once and keeps its first TS_BROWSE_LISTED rows.
 */
#ifndef TS_VIEW_TABLES_H
#define TS_VIEW_TABLES_H

#include "tilescope/view/view.h"

extern const struct ts_view_ops ts_view_tables;

#endif
