/* SPDX-License-Identifier: MIT */
/*
 * blob - the packed numbers of profile.pop.
 *
 * One reader turns every kind into runs, and all other functions work on runs: a vector of 1,472 equal numbers
 * costs one step. Lists and literal numbers are read one by one, with a fast path for numbers of one byte,
 * because most numbers have one.
 */
#include "config.h"

#include "tilescope/base/mem.h"
#include "tilescope/profile/blob.h"

enum {
	LAST = 0x80,	    /* set in the last byte of a number */
	BITS = 0x7f,	    /* a byte's part of the number */
	NUMBER_BYTES = 10,  /* no number needs more, even written with a zero before it */
	LEAST_REPEATED = 3, /* shorter runs are written as they are */
};

/* ---- numbers ---- */

static enum ts_code
damaged(struct ts_err *err, size_t at, const char *what)
{
	return ts_err_set(err, TS_E_DAMAGED, "%s at byte %zu", what, at);
}

/* The number at *at, which goes behind it. */
static inline enum ts_code
read_number(int64_t *out, const struct ts_blob *b, size_t *at, struct ts_err *err)
{
	const unsigned char *p = b->bytes;
	size_t i = *at;
	int64_t v = 0;

	if (i < b->size && p[i] & LAST) {
		*out = p[i] & BITS;
		*at = i + 1;
		return TS_OK;
	}
	for (; i < b->size; i++) {
		if (i - *at == NUMBER_BYTES || v > TS_BLOB_MOST >> 7)
			return damaged(err, *at, "a number that is too large");
		v = v << 7 | (p[i] & BITS);
		if (p[i] & LAST)
			break;
	}
	if (i == b->size)
		return damaged(err, *at, "it ends within a number");
	if (v > TS_BLOB_MOST)
		return damaged(err, *at, "a number that is too large");
	*out = v;
	*at = i + 1;
	return TS_OK;
}

enum ts_code
ts_blob_number(int64_t *out, const void *bytes, size_t size, struct ts_err *err)
{
	struct ts_blob b = {bytes, size, TS_BLOB_LIST};
	size_t at = 0;
	enum ts_code code = read_number(out, &b, &at, err);

	if (code == TS_OK && at < size)
		code = damaged(err, at, "something behind the number");
	return code;
}

/* ---- runs ---- */

void
ts_blob_begin(struct ts_blob_reader *r, const struct ts_blob *blob, int64_t most)
{
	*r = (struct ts_blob_reader){.blob = *blob, .left = most};
}

/* The next numbers as they are written: *v, *count times. */
static enum ts_code
read_repeated(int64_t *v, int64_t *count, struct ts_blob_reader *r, struct ts_err *err)
{
	size_t begin = r->at;
	int64_t header = 0;
	enum ts_code code;

	*count = 1;
	if (r->blob.kind != TS_BLOB_LIST && r->in_header == 0) {
		code = read_number(&header, &r->blob, &r->at, err);
		if (code != TS_OK)
			return code;
		if (header >> 1 == 0)
			return damaged(err, begin, "a run of no numbers");
		if (header >> 1 > r->left)
			return damaged(err, begin, "more numbers than there can be");
		if (header & 1)
			r->in_header = header >> 1;
		else
			*count = header >> 1;
	}
	if (*count > r->left)
		return damaged(err, begin, "more numbers than there can be");
	if (r->in_header > 0)
		r->in_header--;
	r->left -= *count;
	return read_number(v, &r->blob, &r->at, err);
}

enum ts_code
ts_blob_next(struct ts_blob_run *run, bool *more, struct ts_blob_reader *r, struct ts_err *err)
{
	size_t begin = r->at;
	int64_t v = 0, count, last;
	enum ts_code code;

	*more = r->at < r->blob.size || r->in_header > 0;
	if (!*more)
		return TS_OK;
	code = read_repeated(&v, &count, r, err);
	if (code != TS_OK)
		return code;
	if (r->blob.kind != TS_BLOB_DIFFERENCES) {
		*run = (struct ts_blob_run){v, 0, count};
		return TS_OK;
	}
	/* the first number is a difference to 0 */
	if (__builtin_mul_overflow(v, count, &last) ||
		__builtin_add_overflow(last, r->last, &last) || last > TS_BLOB_MOST)
		return damaged(err, begin, "numbers that are too large");
	*run = (struct ts_blob_run){r->last + v, v, count};
	r->last = last;
	return TS_OK;
}

/* ---- numbers and sums, from runs ---- */

/* The next run; the end of the blob is damage, as the caller needs another number. */
static enum ts_code
next_needed(struct ts_blob_run *run, struct ts_blob_reader *r, struct ts_err *err)
{
	bool more;
	enum ts_code code = ts_blob_next(run, &more, r, err);

	if (code == TS_OK && !more)
		code = damaged(err, r->at, "fewer numbers than there should be");
	return code;
}

enum ts_code
ts_blob_decode(int64_t *out, int64_t n, const struct ts_blob *blob, struct ts_err *err)
{
	struct ts_blob_reader r;
	struct ts_blob_run run;
	enum ts_code code;
	bool more;

	ts_blob_begin(&r, blob, n);
	for (int64_t at = 0; at < n;) {
		code = next_needed(&run, &r, err);
		if (code != TS_OK)
			return code;
		for (int64_t i = 0; i < run.count; i++)
			out[at++] = run.first + i * run.step;
	}
	/* no number is allowed any more: bytes that are left are damage */
	return ts_blob_next(&run, &more, &r, err);
}

enum ts_code
ts_blob_at(int64_t *out, int64_t i, int64_t n, const struct ts_blob *blob, struct ts_err *err)
{
	struct ts_blob_reader r;
	struct ts_blob_run run;

	ts_blob_begin(&r, blob, n);
	for (int64_t at = 0;; at += run.count) {
		enum ts_code code = next_needed(&run, &r, err);

		if (code != TS_OK)
			return code;
		if (i < at + run.count) {
			*out = run.first + (i - at) * run.step;
			return TS_OK;
		}
	}
}

/* first + (first + step) + ... of a run; false when it is too much. */
static bool
run_sum(int64_t *sum, const struct ts_blob_run *run)
{
	int64_t ends = run->first;

	if (run->count > 1 &&
		__builtin_add_overflow(ends, run->first + (run->count - 1) * run->step, &ends))
		return false;
	/* count x (first + last) / 2: one of both factors is even */
	if (run->count == 1)
		*sum = ends;
	else if (run->count % 2)
		return !__builtin_mul_overflow(ends / 2, run->count, sum);
	else
		return !__builtin_mul_overflow(ends, run->count / 2, sum);
	return true;
}

enum ts_code
ts_blob_add_up(struct ts_blob_totals *out, int64_t most, const struct ts_blob *blob,
	struct ts_err *err)
{
	struct ts_blob_reader r;
	struct ts_blob_run run;
	enum ts_code code;
	bool more;

	*out = (struct ts_blob_totals){.most_at = -1};
	ts_blob_begin(&r, blob, most);
	while ((code = ts_blob_next(&run, &more, &r, err)) == TS_OK && more) {
		int64_t sum, last = run.first + (run.count - 1) * run.step;

		if (!run_sum(&sum, &run) || !ts_add_i64(&out->sum, sum) || out->sum > TS_BLOB_MOST)
			return damaged(err, r.at, "numbers with too large a sum");
		if (out->most_at < 0 || last > out->most) {
			out->most = last;
			out->most_at = out->count + (run.step ? run.count - 1 : 0);
		}
		/* only the first of ascending numbers can be 0 */
		out->non_zero += run.first ? run.count : run.step ? run.count - 1 : 0;
		out->count += run.count;
	}
	return code;
}

bool
ts_blob_fits(const struct ts_blob *blob, int64_t n)
{
	struct ts_blob_totals t;

	return ts_blob_add_up(&t, n, blob, NULL) == TS_OK && t.count == n;
}

/* ---- writing ---- */

void
ts_blob_put_number(struct ts_strbuf *out, int64_t v)
{
	char bytes[NUMBER_BYTES];
	size_t n = sizeof(bytes);

	bytes[--n] = (char)(LAST | (v & BITS));
	while ((v >>= 7) > 0)
		bytes[--n] = (char)(v & BITS);
	ts_strbuf_add(out, bytes + n, sizeof(bytes) - n);
}

/* What is written at place i. */
static int64_t
written(enum ts_blob_kind kind, const int64_t *v, size_t i)
{
	return kind == TS_BLOB_DIFFERENCES && i > 0 ? v[i] - v[i - 1] : v[i];
}

/* How many equal numbers stand at place i. */
static size_t
equal(enum ts_blob_kind kind, const int64_t *v, size_t n, size_t i)
{
	size_t end = i + 1;

	while (end < n && written(kind, v, end) == written(kind, v, i))
		end++;
	return end - i;
}

void
ts_blob_put(struct ts_strbuf *out, enum ts_blob_kind kind, const int64_t *v, size_t n)
{
	if (kind == TS_BLOB_LIST) {
		for (size_t i = 0; i < n; i++)
			ts_blob_put_number(out, v[i]);
		return;
	}
	for (size_t i = 0, end; i < n; i = end) {
		size_t run = equal(kind, v, n, i);

		end = i + run;
		if (run >= LEAST_REPEATED) {
			ts_blob_put_number(out, (int64_t)run << 1);
			ts_blob_put_number(out, written(kind, v, i));
			continue;
		}
		while (end < n && (run = equal(kind, v, n, end)) < LEAST_REPEATED)
			end += run;
		ts_blob_put_number(out, (int64_t)(end - i) << 1 | 1);
		for (; i < end; i++)
			ts_blob_put_number(out, written(kind, v, i));
	}
}
