/* SPDX-License-Identifier: MIT */
/*
 * names - a small dictionary read whole: number to name.
 *
 * Programs and compute sets have tens of thousands of names, not millions: read once, they answer
 * every screen without a query per row. Memory is bounded (TS_NAMES_BYTES); names that do not fit
 * are counted in `left_out` and look up as unknown.
 */
#ifndef TS_REPORT_NAMES_H
#define TS_REPORT_NAMES_H

#include <stdatomic.h>

#include "tilescope/report/report.h"

enum { TS_NAMES_BYTES = 12 << 20, TS_NAME_MAX = 1 << 15 };

struct ts_name {
	int64_t id;
	uint32_t at, length; /* in `text` */
};

struct ts_names {
	size_t count, cap;
	struct ts_name *name; /* sorted by id; the first row of an id wins */
	char *text;
	size_t text_used, text_cap;
	int64_t rows;	  /* rows with a valid id, named or not; -1 = not all could be read */
	int64_t bad_rows; /* rows without one */
	int64_t left_out;
	atomic_int *uses; /* of `name` and `text`, by all that share them; NULL: nobody else may */
};

/*
 * Read columns `id` and `text` of a relation. An absent relation gives an empty dictionary. Damage
 * ends the reading: what was read is kept and the code is TS_E_DAMAGED. Other errors as
 * ts_rows_next().
 */
enum ts_code ts_names_read(struct ts_names *names, struct ts_reader *rd, enum ts_relation relation,
	int id, int text, struct ts_err *err) TS_WARN_UNUSED;
void ts_names_fini(struct ts_names *names);

/*
 * Have in `to`, which is empty, what `from` has, without a copy: each is given back with
 * ts_names_fini(). False: they were never read, or there was no memory.
 */
bool ts_names_share(struct ts_names *to, const struct ts_names *from);

/* Where an id stands in name[] (of equal ones the first); `count` when it does not. */
size_t ts_names_place(const struct ts_names *names, int64_t id);

/* The name (not NUL-terminated, *n bytes), or NULL. */
const char *ts_names_find(const struct ts_names *names, int64_t id, size_t *n);

#endif
