/* SPDX-License-Identifier: MIT */
/*
 * blob - the packed numbers in columns of profile.pop, read and written.
 *
 * number       groups of 7 bits, most significant first; the last byte has bit 0x80 set: 17 80 = 2,944
 * list         numbers one behind the other
 * runs         a header h, then h odd: h >> 1 numbers as they are; h even: one number, h >> 1 times
 * differences  runs of the first number and of what is added each time
 *
 * All numbers are 0 .. TS_BLOB_MOST. Every byte is checked: a blob that ends within a number, a number that
 * is larger, and a run beyond what the caller allows give TS_E_DAMAGED with the offset. Outputs are then undefined.
 */
#ifndef TS_PROFILE_BLOB_H
#define TS_PROFILE_BLOB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tilescope/base/err.h"
#include "tilescope/base/strbuf.h"

#define TS_BLOB_MOST (INT64_C(1) << 62)

enum ts_blob_kind { TS_BLOB_LIST, TS_BLOB_RUNS, TS_BLOB_DIFFERENCES, TS_BLOB_KINDS };

struct ts_blob {
	const unsigned char *bytes; /* not owned */
	size_t size;
	enum ts_blob_kind kind;
};

/* count >= 1 numbers: first, first + step, first + 2 step, ... (step is 0 but in differences). */
struct ts_blob_run {
	int64_t first, step, count;
};

/* A place in a blob; begin with ts_blob_begin(). */
struct ts_blob_reader {
	struct ts_blob blob;
	size_t at;	   /* offset of what is read next */
	int64_t left;	   /* numbers that may still come */
	int64_t in_header; /* numbers that still belong to the header before */
	int64_t last;	   /* of differences: the number before */
};

struct ts_blob_totals {
	int64_t count;	  /* numbers */
	int64_t non_zero; /* numbers that are not 0 */
	int64_t sum;
	int64_t most;	 /* the largest number, 0 when there are none */
	int64_t most_at; /* the first place of the largest number, -1 when there are none */
};

/* Read a blob that has at most `most` numbers. */
void ts_blob_begin(struct ts_blob_reader *r, const struct ts_blob *blob, int64_t most);

/* The next run into *run, *more true; *more false at the end. */
enum ts_code ts_blob_next(struct ts_blob_run *run, bool *more, struct ts_blob_reader *r,
	struct ts_err *err);

/* All numbers into out[0 .. n); it is damage when there are more or fewer. */
enum ts_code ts_blob_decode(int64_t *out, int64_t n, const struct ts_blob *blob,
	struct ts_err *err);

/* Number i (from 0) of a blob of n numbers; what stands behind it is not looked at. */
enum ts_code ts_blob_at(int64_t *out, int64_t i, int64_t n, const struct ts_blob *blob,
	struct ts_err *err);

/* Sum, largest and the like of at most `most` numbers. A sum above TS_BLOB_MOST is damage. */
enum ts_code ts_blob_add_up(struct ts_blob_totals *out, int64_t most, const struct ts_blob *blob,
	struct ts_err *err);

/* Does the blob decode as this kind, to exactly n numbers? */
bool ts_blob_fits(const struct ts_blob *blob, int64_t n);

/* A blob that is one number. */
enum ts_code ts_blob_number(int64_t *out, const void *bytes, size_t size, struct ts_err *err);

/* ---- writing (the demo) ---- */

void ts_blob_put_number(struct ts_strbuf *out, int64_t v);

/* n ascending numbers for differences, any numbers otherwise. */
void ts_blob_put(struct ts_strbuf *out, enum ts_blob_kind kind, const int64_t *v, size_t n);

#endif
