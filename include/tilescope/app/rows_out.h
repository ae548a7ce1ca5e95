/* SPDX-License-Identifier: MIT */
/*
 * rows_out - rows of any types as text, CSV, JSON or Markdown, one after the other.
 *
 * Memory does not grow with the rows. Text: columns are as wide as the first rows need; later values that
 * are wider are written in full, and to a terminal cut. CSV: RFC 4180; NULL is an empty field, an empty
 * text or blob is "". JSON: an array of objects; a name that stands twice gets _2, an infinite number is null.
 * Blobs are hexadecimal digits in CSV and JSON, length and first bytes in text and Markdown. Text that
 * is not UTF-8 is mended, and what could drive a terminal is replaced in text, Markdown, and everywhere
 * when a terminal is what is written to.
 */
#ifndef TS_APP_ROWS_OUT_H
#define TS_APP_ROWS_OUT_H

#include "tilescope/app/args.h"
#include "tilescope/app/output.h"
#include "tilescope/db/sql_value.h"

struct ts_rows_out;

/* Begin. `out` must outlive it; `names` are copied. NULL: no memory. */
struct ts_rows_out *ts_rows_out_new(struct ts_output *out, enum ts_format format, int columns,
	const char *const *names) __attribute__((warn_unused_result));

/* False: no more can be written. */
bool ts_rows_out_row(struct ts_rows_out *ro, const struct ts_sql_value *values);

/* Write what is held back and the end, and free. `ro` may be NULL. Errors: TS_E_LIMIT: a row is too long. */
enum ts_code ts_rows_out_end(struct ts_rows_out *ro, struct ts_err *err) TS_WARN_UNUSED;

/* Text (safe, without line ends) for Markdown, in a table or out of one: what has a meaning there gets a backslash. */
void ts_md_text(struct ts_strbuf *out, const char *s, size_t n);

#endif
