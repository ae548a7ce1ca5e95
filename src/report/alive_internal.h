/* SPDX-License-Identifier: MIT */
/* alive_internal - shared by alive.c and alive_names.c. */
#ifndef TS_REPORT_ALIVE_INTERNAL_H
#define TS_REPORT_ALIVE_INTERNAL_H

#include "tilescope/report/lives.h"

/* What is looked for: the steps, and what need not be counted. */
struct alive_scan {
	struct ts_alive *a;
	const struct ts_lives *l;
	const struct ts_alive_query *q;
	uint32_t step[TS_ALIVE_COLUMNS], against;
	int steps;
	bool known;   /* all totals are: there is nothing to count */
	int64_t most; /* rows to keep */
	const struct ts_cancel *cancel;
};

/* --- alive.c --- */

/* NULL: no memory. */
struct ts_alive *alive_new(const struct ts_alive_query *q);
void alive_begin(struct alive_scan *s, struct ts_alive *a, const struct ts_lives *l,
	const struct ts_alive_query *q);

/* Which of the steps a variable's lives [i, end) hold. */
struct ts_alive_row alive_look(const struct alive_scan *s, size_t i, size_t end);
bool alive_listed(const struct alive_scan *s, const struct ts_alive_row *row);

/* Into the sums of the steps; of what is listed, into those of the rows or (shown false) beyond them. */
void alive_count(const struct alive_scan *s, const struct ts_alive_row *row);
void alive_count_listed(const struct alive_scan *s, const struct ts_alive_row *row, bool shown);
enum ts_code alive_add(struct ts_alive *a, const struct ts_alive_row *row,
	struct ts_err *err) TS_WARN_UNUSED;

/* All rows are there. */
void alive_end(struct ts_alive *a);

/* *a with what was found so far, unless all has to end. */
enum ts_code alive_give(struct ts_alive **out, struct ts_alive *a, enum ts_code code,
	struct ts_err *err) TS_WARN_UNUSED;

/* --- alive_names.c --- */

/* Type and name of a program into a->program; without a name that of its compute set. */
enum ts_code alive_name_program(struct ts_alive *a, struct ts_reader *rd, int64_t program,
	struct ts_err *err) TS_WARN_UNUSED;

/* Names of a's rows; those that `before` knows (NULL allowed) are taken over. */
enum ts_code alive_name_rows(struct ts_alive *a, struct ts_reader *rd,
	const struct ts_alive *before, struct ts_err *err) TS_WARN_UNUSED;

#endif
