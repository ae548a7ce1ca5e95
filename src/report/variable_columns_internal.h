/* SPDX-License-Identifier: MIT */
/* What variable_columns.c (all rows) and variable_quick.c (some of them, quickly) share: a filter asked of columns. */
#ifndef TS_REPORT_VARIABLE_COLUMNS_INTERNAL_H
#define TS_REPORT_VARIABLE_COLUMNS_INTERNAL_H

#include "tilescope/report/index_columns.h"
#include "variable_internal.h"

enum { WORDS = TS_COLUMN_ROWS / 64 };

/* Of the rows of a block: it is so; it is not so; neither: not known. */
struct columns_answer {
	uint64_t yes[WORDS], no[WORDS];
};

/* What is asked of the numbers of categories: truth by number. */
enum { CATEGORIES = 256, NOT_ASKED = 3 };

struct columns_asking {
	struct variable_pass *p;
	struct ts_columns c;
	struct ts_name_answers names;
	bool untrue; /* the section is not to be believed */
	int64_t block;
	int rows;
	int64_t have[TS_COLUMN_COUNT]; /* the block whose values are in v */
	int64_t v[TS_COLUMN_COUNT][TS_COLUMN_ROWS];
	uint32_t name[TS_COLUMN_ROWS];
	int64_t named; /* the block whose names are in `name` */
	uint8_t category[TS_FILTER_TEXTS][CATEGORIES];
	int sorted; /* the column that rows are sorted by; -1: as they stand */
};

/* Is there a section of the list's rows, with all that its filter asks for? */
bool variable_columns_can(struct ts_columns *c, const struct ts_variable_list *l,
	const struct ts_index *x);

/* Can an order be made of columns? *column: of which, -1: as they stand. */
bool variable_columns_sort(int *column, const struct ts_columns *c, enum ts_variable_sort sort);

/* What a value of that column is sorted by. */
uint64_t variable_columns_code(const struct ts_columns *c, int column, int64_t v);

/* a->names is to be given to ts_name_answers_fini(). Errors: TS_E_NOMEM, TS_E_SYS. */
enum ts_code variable_columns_begin(struct columns_asking *a, struct variable_pass *p,
	const struct ts_columns *c, struct ts_err *err);

/* A block of rows; `out` begins with zeros. */
void variable_columns_ask(struct columns_asking *a, int64_t block, struct columns_answer *out);

/* Does a comparison with a text hold for the category of this number? */
enum ts_truth variable_columns_category(struct columns_asking *a, const struct ts_filter_node *n,
	int64_t number);

#endif
