/* SPDX-License-Identifier: MIT */
/*
 * variable_filter - which variables a line of words means.
 *
 *	partials "layer 3"            the name contains it, ASCII letters of either case
 *	tile:12  tile:1,40-45         on one of these tiles
 *	ipu:0  ipu:1-3                on a tile of one of these IPUs
 *	category:stack,message        the name of the category contains one of these
 *	bytes>64KiB  bytes<=1000      larger, smaller (< <= = >= >)
 *
 * All words have to hold. A row of which it is not known does not match.
 */
#ifndef TS_REPORT_VARIABLE_FILTER_H
#define TS_REPORT_VARIABLE_FILTER_H

#include "tilescope/report/variables.h"

enum { TS_FILTER_TEXT = 256, TS_FILTER_TERMS = 16, TS_FILTER_RANGES = 16 };

enum ts_filter_kind {
	TS_FILTER_NAME,
	TS_FILTER_TILE,
	TS_FILTER_IPU,
	TS_FILTER_CATEGORY,
	TS_FILTER_BYTES
};

struct ts_filter_term {
	enum ts_filter_kind kind;
	int count; /* of ranges, or of words that stand one behind the other in `text` */
	struct {
		int64_t from, to; /* inclusive */
	} range[TS_FILTER_RANGES];
	char text[TS_FILTER_TEXT]; /* small letters; each word with its NUL */
};

struct ts_variable_filter {
	char line[TS_FILTER_TEXT]; /* as it was typed */
	int count;
	struct ts_filter_term term[TS_FILTER_TERMS];
};

/*
 * Errors: TS_E_USAGE, with what is wrong and an example: a field that cannot be read, one that there is
 * not (size>64, size:64; text of a name that looks so is put in quotes), a quote that is not closed. A line of blanks has no terms.
 */
enum ts_code ts_variable_filter_parse(struct ts_variable_filter *f, const char *line,
	struct ts_err *err) TS_WARN_UNUSED;

/* What it looks at. */
bool ts_variable_filter_uses(const struct ts_variable_filter *f, enum ts_filter_kind kind);

/*
 * Can it be answered? TS_E_ABSENT: names, categories or the IPUs of tiles are not recorded (which, in the
 * message).
 */
enum ts_code ts_variable_filter_check(const struct ts_variable_filter *f,
	const struct ts_variables *v, struct ts_err *err) TS_WARN_UNUSED;

/*
 * What it may have been meant otherwise: a category of which no name is recorded. Into out[]; false: nothing.
 */
bool ts_variable_filter_doubt(char *out, size_t size, const struct ts_variable_filter *f,
	const struct ts_variables *v);

/* Does a term of numbers (tile, IPU, bytes) hold for v? */
bool ts_filter_number(const struct ts_filter_term *t, int64_t v);

/* Does a text contain one of the term's words? Not NUL-terminated. */
bool ts_filter_text(const struct ts_filter_term *t, const char *s, size_t n);

/* Does a row of a window match? */
bool ts_variable_filter_row(const struct ts_variable_filter *f, const struct ts_variable_window *w,
	const struct ts_variable *x);

#endif
