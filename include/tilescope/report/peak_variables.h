/* SPDX-License-Identifier: MIT */
/*
 * peak_variables - what makes up the memory at one liveness step, usually that of the peak: the variables that are
 * alive then, the always-live ones among them, how few of them are how much, and those that are FP32.
 *
 * Bytes are those of all replicas (MODEL.md, Liveness): what is always live is recorded of the whole device, what is not of
 * one replica, so `variable.bytes` of the latter count `replicas` times (at most TS_NUMBER_MAX). A variable is alive at step s when it is always
 * live, or when one of its intervals has start <= s < end. Among the always-live ones stand pseudo-variables, which
 * have the name of a category: code and state. They are counted apart, and are no variables here.
 */
#ifndef TS_REPORT_PEAK_VARIABLES_H
#define TS_REPORT_PEAK_VARIABLES_H

#include <stdatomic.h>

#include "tilescope/base/progress.h"
#include "tilescope/report/memory.h"
#include "tilescope/report/pile.h"

enum {
	TS_PEAK_ROWS = 500,	 /* the largest; of FP32 so many, too */
	TS_PEAK_NAME = 1024,	 /* bytes of a name that are kept */
	TS_PEAK_ALIVE = 1 << 20, /* variables alive at a step that are known one by one */
};

/*
 * Element types that the report records: a row has a number from 1 on, 0 is one that is not recorded, has a name that is
 * too long, or came after so many others.
 */
enum { TS_PEAK_TYPES = 32, TS_PEAK_TYPE = 24 };

struct ts_peak_types {
	int count;
	struct ts_peak_type {
		char recorded[TS_PEAK_TYPE];
		char name[TS_PEAK_TYPE]; /* the usual one, "FP32"; else as it is recorded */
		bool fp32;
	} type[TS_PEAK_TYPES];
};

/* The name of that number; NULL: it is not known. */
const char *ts_peak_type_name(const struct ts_peak_types *t, int type);

struct ts_peak_variable {
	int64_t variable, bytes;
	bool always, fp32;
	uint8_t type; /* in `types` */
	char *name;   /* raw; NULL = not recorded */
};

struct ts_peak_list {
	int count;
	struct ts_peak_variable *row; /* most bytes first, of equals as they stand in the report */
};

/* How many, and bytes of all together (at most INT64_MAX). */
struct ts_peak_sum {
	int64_t count, bytes;
};

struct ts_peak_variables {
	int64_t step; /* asked for; TS_UNKNOWN: always-live ones only */
	int64_t replicas;
	bool has_lives; /* who else is alive at the step is known */
	bool has_types, has_names;
	struct ts_peak_types types;
	struct ts_peak_sum always, alive; /* `alive`: at the step, not always */
	struct ts_peak_sum code;	  /* what is no variable: code and more; in neither */
	struct ts_peak_sum fp32;	  /* of always and alive */
	struct ts_peak_list largest;	  /* of always and alive */
	struct ts_peak_list halves;	  /* the FP32 ones */
	struct ts_peak_variable
		most;	  /* the largest variable of all, alive or not; bytes TS_UNKNOWN: none */
	int64_t bad_rows; /* left out: a number is missing, negative or too large */
	bool partial;	  /* damage, or more alive than TS_PEAK_ALIVE: left out */
};

/* The element type of 32 bits that 16 may do for: "float", "float32" or "fp32", in any case. */
bool ts_type_is_fp32(const char *s, size_t n);

/*
 * One pass over liveness_variable, one over variable; replicas from 1; `categories` (may be NULL) names the
 * pseudo-variables. Errors: TS_E_ABSENT (no `variable`), TS_E_CANCELLED, TS_E_NOMEM, and
 * those of ts_reader_rows(); damage sets `partial` and is none. progress may be NULL. Free with
 * ts_peak_variables_fini() in every case.
 */
enum ts_code ts_peak_variables_read(struct ts_peak_variables *p, struct ts_reader *rd, int64_t step,
	int64_t replicas, const struct ts_categories *categories, struct ts_progress *progress,
	struct ts_err *err) TS_WARN_UNUSED;
void ts_peak_variables_fini(struct ts_peak_variables *p);

/* --- all of them ------------------------------------------------------------------------------ */

enum {
	TS_PEAK_LISTED = 1 << 20, /* rows; of more the largest */
	TS_PEAK_TEXT = 64
		<< 20, /* bytes of names; of more those of the largest rows, half of it at least */
};

struct ts_peak_row {
	int64_t variable, bytes;
	int64_t so_far; /* bytes of it and of all rows before; at most INT64_MAX */
	uint32_t name;	/* in `text` + 1; 0: none */
	bool always, fp32;
	uint8_t type; /* in `types` */
};

/* In files without a name where they are many; read-only once they are read: any thread may look at them. */
struct ts_peak_rows {
	atomic_int uses;
	size_t count;
	const struct ts_peak_row *row; /* most bytes first, of equals as they stand in the report */
	size_t halves;
	const uint32_t *half;		/* the FP32 ones: rows, ascending */
	int64_t half_bytes, half_saves; /* of these; saves: the sum of bytes / 2 */
	const char *text;
	struct ts_peak_types types;
	size_t named; /* rows before this one have the names that are recorded; `count`: all */
	struct ts_pile pile[3]; /* rows, halves, text */
};

/*
 * The same variables as ts_peak_variables_read() counts, one by one: always + alive. Errors: those of it; damage keeps what could be
 * read. Close it.
 */
enum ts_code ts_peak_rows_read(struct ts_peak_rows **out, struct ts_reader *rd, int64_t step,
	int64_t replicas, const struct ts_categories *categories, const struct ts_cache *cache,
	struct ts_progress *progress, struct ts_err *err) TS_WARN_UNUSED;
struct ts_peak_rows *ts_peak_rows_hold(struct ts_peak_rows *r);
void ts_peak_rows_close(struct ts_peak_rows *r); /* NULL allowed */

/* NUL-terminated, raw; NULL: none. */
static inline const char *
ts_peak_row_name(const struct ts_peak_rows *r, const struct ts_peak_row *row)
{
	return row->name > 0 ? r->text + row->name - 1 : NULL;
}

/* As ts_peak_share(), of `whole` bytes. */
int64_t ts_peak_rows_share(const struct ts_peak_rows *r, int64_t whole, int percent);

/*
 * How many of the largest are at least `percent` percent of always + alive; 0: nothing is alive; TS_UNKNOWN: more than
 * the list has.
 */
int64_t ts_peak_share(const struct ts_peak_variables *p, int percent);

/* Bytes of a sum, of always + alive; TS_UNKNOWN: beyond TS_NUMBER_MAX. */
int64_t ts_peak_sum_bytes(const struct ts_peak_sum *s);
int64_t ts_peak_bytes(const struct ts_peak_variables *p);

#endif
