/* SPDX-License-Identifier: MIT */
/* inside - what the bench programs that use the library share: a report, its index, milliseconds. */
#ifndef TS_BENCH_INSIDE_H
#define TS_BENCH_INSIDE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "tilescope/base/clock.h"
#include "tilescope/report/index.h"

struct inside {
	struct ts_report *report;
	struct ts_reader *reader;
	struct ts_cache cache;
	struct ts_index *index; /* empty when the cache is "none" */
	uint64_t seed;
};

static inline void
check(enum ts_code code, const struct ts_err *err)
{
	if (!code)
		return;
	fprintf(stderr, "%s\n", err->msg);
	exit(1);
}

/* Open a report, and what there is of its index below `cache` ("none": nothing). */
static inline void
inside_open(struct inside *in, const char *path, const char *cache)
{
	struct ts_report_options options = {0};
	struct ts_err err;

	check(ts_report_open(&in->report, path, &options, &err), &err);
	check(ts_reader_open(&in->reader, in->report, &err), &err);
	check(ts_cache_init(&in->cache, cache, INT64_MAX, &err), &err);
	check(ts_index_open(&in->index, &in->cache, in->report, NULL, NULL, &err), &err);
	ts_reader_set_index(in->reader, in->index);
}

static inline void
inside_close(struct inside *in)
{
	ts_reader_close(in->reader);
	ts_index_release(in->index);
	ts_cache_fini(&in->cache);
	ts_report_close(in->report);
}

/* Any numbers below n will do, the same ones for the same seed. */
static inline int64_t
inside_random(struct inside *in, int64_t n)
{
	in->seed ^= in->seed << 13;
	in->seed ^= in->seed >> 7;
	in->seed ^= in->seed << 17;
	return n > 0 ? (int64_t)(in->seed % (uint64_t)n) : 0;
}

static inline double
inside_ms(int64_t since_us)
{
	return (double)(ts_clock_us() - since_us) / 1e3;
}

/* Print `, 1.234` or `1.234`. */
static inline void
inside_print(bool first, double ms)
{
	printf("%s%.3f", first ? "" : ", ", ms);
}

#endif
