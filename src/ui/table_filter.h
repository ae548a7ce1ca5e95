/* SPDX-License-Identifier: MIT */
/* table_filter - a filter (base/filter.h) of a table's rows; for table_order.c. */
#ifndef TS_UI_TABLE_FILTER_H
#define TS_UI_TABLE_FILTER_H

#include "tilescope/base/filter.h"
#include "tilescope/ui/table.h"

enum { TABLE_FILTER_NAME = 40 };

struct table_filter {
	const struct ts_table *t;
	struct ts_filter_field field[TS_TABLE_COLUMNS + 2]; /* any text, the columns, an end */
	int column[TS_TABLE_COLUMNS + 1];		    /* of a field */
	char name[TS_TABLE_COLUMNS + 1][TABLE_FILTER_NAME];
	struct ts_filter filter;
	struct ts_filter_use use;
	uint32_t
		asked[TS_FILTER_TEXTS]; /* columns (bits) in which a comparison with a text looks */
	bool numbers[TS_FILTER_TEXTS];	/* one of its words may be a whole number */
	int64_t row;			/* that is asked */
};

/*
 * Of what kind a column is follows from the first of `rows` rows that knows. It lies where it is: not to be copied. Errors:
 * those of ts_filter_parse(). table_filter_fini() in every case.
 */
enum ts_code table_filter_init(struct table_filter *f, const struct ts_table *t, int64_t rows,
	const char *line, struct ts_err *err) TS_WARN_UNUSED;
void table_filter_fini(struct table_filter *f);

/* Another word for a column, where no column is called so; NULL: none. It is a constant. */
const char *table_filter_also(const struct ts_table *t, int column);

bool table_filter_passes(struct table_filter *f, int64_t row);

#endif
