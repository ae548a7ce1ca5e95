/* SPDX-License-Identifier: MIT */
/*
 * tile_metric - every figure that a report has for each tile: one table of them, and their values.
 *
 * A metric is a constant entry: name (of `:metric NAME` and of addresses), unit, relation and columns,
 * formula in words, how such a figure is known at best. Its values come from one relation that has a row
 * for each tile, from the categories, or from `_by_tile` blobs that are summed one at a time, so that nothing
 * grows with the report but one number for each tile asked for. Who asks keeps the answer; the report does not.
 *
 * What is summed, and what it means (MODEL.md, honesty rules):
 *   cycles          of compute sets and exchanges, times the steps of the trace that execute them: a measured
 *                   duration belongs to the compute set (its last execution) and is repeated for every one.
 *   cycles-once     the same, each compute set and exchange once: known without an execution, too.
 *   active-cycles, active-cycles-once   compute sets alone: the tile's own vertices run.
 * A compute set without measured cycles counts with its estimate, which makes the figure partly estimated;
 * one with neither is left out and counted (`lacking`); where no compute set, or no exchange, has any, the sum is of the others alone
 * and is called so (`alone`). Exchanges are the programs that execute no compute set.
 * Exchange code is shared: its sum exceeds the category. Control code is of programs without children.
 */
#ifndef TS_REPORT_TILE_METRIC_H
#define TS_REPORT_TILE_METRIC_H

#include <string.h>

#include "tilescope/base/strbuf.h"
#include "tilescope/report/memory.h"

enum ts_metric_unit { TS_UNIT_BYTES, TS_UNIT_CYCLES, TS_UNIT_VERTICES };

enum ts_metric_known {
	TS_METRIC_RECORDED, /* the compiler's own figure */
	TS_METRIC_MEASURED,
	TS_METRIC_REPEATED, /* measured once, counted for every execution */
	TS_METRIC_PARTLY,   /* measured where it was, else estimated */
	TS_METRIC_ESTIMATED,
	TS_METRIC_DERIVED, /* worked out from other figures of the report */
	TS_METRIC_KNOWN_COUNT
};

/* "recorded", "measured", "measured, repeated", "partly estimated", "estimated", "derived". */
const char *ts_metric_known_name(enum ts_metric_known known);

enum ts_metric_id {
	TS_METRIC_USED,
	TS_METRIC_TOTAL,
	TS_METRIC_TOTAL_GAPS,
	TS_METRIC_GAPS,
	TS_METRIC_CATEGORY, /* of the name behind it */
	TS_METRIC_NON_INTERLEAVED,
	TS_METRIC_INTERLEAVED,
	TS_METRIC_OVERFLOWED,
	TS_METRIC_ALWAYS_LIVE,
	TS_METRIC_NOT_ALWAYS_LIVE,
	TS_METRIC_PEAK,
	TS_METRIC_CYCLES,
	TS_METRIC_CYCLES_ONCE,
	TS_METRIC_ACTIVE_CYCLES,
	TS_METRIC_ACTIVE_CYCLES_ONCE,
	TS_METRIC_EXCHANGE_CODE,
	TS_METRIC_CONTROL_CODE,
	TS_METRIC_BYTES_IN,
	TS_METRIC_BYTES_OUT,
	TS_METRIC_VERTEX_COUNT,
	TS_METRIC_VERTEX_STATE,
	TS_METRIC_VERTEX_CODE,
	TS_METRIC_COUNT
};

struct ts_metric_def {
	const char *name;  /* "used"; "category:" is followed by the name of one */
	const char *title; /* what it is, for titles and legends */
	enum ts_metric_unit unit;
	enum ts_metric_known known; /* at best; the values say how they are */
	bool of_limit;	     /* bytes in a tile's memory: a share of its size means something */
	const char *columns; /* relation.column, ... */
	const char *formula; /* of one tile, in words */
};

extern const struct ts_metric_def ts_metric_defs[TS_METRIC_COUNT];

enum { TS_METRIC_NAME = 128 };

/* One of them; the category's name for TS_METRIC_CATEGORY, else "". */
struct ts_metric {
	enum ts_metric_id id;
	char category[TS_METRIC_NAME];
};

/* "used", "category:stack". TS_E_USAGE: there is none of that name. */
enum ts_code ts_metric_parse(struct ts_metric *m, const char *text,
	struct ts_err *err) TS_WARN_UNUSED;

/* The same text; and what it is, for people: "memory of category stack". */
void ts_metric_say(struct ts_strbuf *out, const struct ts_metric *m);
void ts_metric_title(struct ts_strbuf *out, const struct ts_metric *m);

static inline bool
ts_metric_same(const struct ts_metric *a, const struct ts_metric *b)
{
	return a->id == b->id && (a->id != TS_METRIC_CATEGORY || !strcmp(a->category, b->category));
}

/* Does the report have what it is made of, as far as its columns tell? No rows are read. */
bool ts_metric_recorded(const struct ts_report *r, enum ts_metric_id id);

struct ts_tile_values {
	struct ts_metric metric;
	enum ts_metric_known known;
	size_t n;
	int64_t *value;	     /* of the tiles asked for, in their order; TS_UNKNOWN */
	size_t unknown;	     /* tiles whose value is not known */
	int64_t sum;	     /* of the known ones; TS_UNKNOWN when it does not fit */
	int64_t most, least; /* of the known ones; TS_UNKNOWN when there is none */
	/* Of sums over blobs: how many were added, how many of those are estimates, how many have none. */
	int64_t parts, estimated, lacking;
	/* Of a sum over compute sets and exchanges when one of these records nothing: the other, short, and that one; else "". */
	const char *alone, *without;
	int64_t bad_rows; /* left out: no number, or no `_by_tile` blob */
	char level
		[16]; /* of the instrumentation that measured, where it is "ipu" or "device"; else "" */
	bool partial; /* damage: what could be read */
	bool cut;     /* more compute sets or programs than are kept: left out */
};

/*
 * The values of tiles tile[0 .. n), ascending. Errors: TS_E_ABSENT with the reason, TS_E_CANCELLED,
 * TS_E_NOMEM, TS_E_DAMAGED (v has what could be read). Free with ts_tile_values_fini() in every case.
 * progress counts rows and may be NULL.
 */
enum ts_code ts_tile_values_read(struct ts_tile_values *v, struct ts_reader *rd,
	const struct ts_metric *metric, const int64_t *tile, size_t n, struct ts_progress *progress,
	struct ts_err *err) TS_WARN_UNUSED;
void ts_tile_values_fini(struct ts_tile_values *v);

/* Count sum, most, least and unknown anew from the values. */
void ts_tile_values_sum(struct ts_tile_values *v);

/* The title of values: "cycles of exchanges alone" where they are that. */
void ts_tile_values_title(struct ts_strbuf *out, const struct ts_tile_values *v);

/*
 * What has to be said with the figures, in one line: "estimated; 12 of 300 compute sets record no cycles
 * by tile". Nothing for a figure that is simply recorded.
 */
void ts_tile_values_note(struct ts_strbuf *out, const struct ts_tile_values *v);

/* b - a where both are known, else TS_DIFFERENCE_UNKNOWN: what a comparison shows. Any arrays of n. */
#define TS_DIFFERENCE_UNKNOWN INT64_MIN
void ts_tile_values_differ(int64_t *out, const int64_t *a, const int64_t *b, size_t n);

#endif
