/* SPDX-License-Identifier: MIT */
/* table_sort - the rows of a held table chosen and put in order, a piece at a time; for table_order.c. */
#ifndef TS_UI_TABLE_SORT_H
#define TS_UI_TABLE_SORT_H

#include "table_filter.h"

#include "tilescope/base/cancel.h"
#include "tilescope/ui/table_order.h"

struct table_sort;

/*
 * Begin: rows [0, rows) of `t` as its order says (column, direction, filter). NULL: no memory, or the filter is none of
 * this table any more.
 */
struct table_sort *table_sort_new(const struct ts_table *t, int64_t rows,
	const struct ts_table_memory *memory); /* NULL: the usual one */
void table_sort_free(struct table_sort *s);

/*
 * Go on, for about so many looks at a row. `t` is the same table as then (its functions may lie elsewhere by now). True: it is
 * done; table_sort_take() hands the rows out (the caller's), how many there are and their sums.
 */
bool table_sort_step(struct table_sort *s, const struct ts_table *t, int64_t looks);

/* TS_E_LIMIT: an expression of the filter took too long too often, what passed means nothing. */
enum ts_code table_sort_check(const struct table_sort *s, struct ts_err *err) TS_WARN_UNUSED;
/*
 * Before the first step, of a table that is shared: ask all rows, by two threads where they are many. When the token stops it
 * nothing may follow but table_sort_free().
 */
void table_sort_ask(struct table_sort *s, const struct ts_table *t, const struct ts_cancel *cancel);

uint32_t *table_sort_take(struct table_sort *s, int64_t *count, bool *filtered,
	double sum[TS_TABLE_COLUMNS]);

#endif
