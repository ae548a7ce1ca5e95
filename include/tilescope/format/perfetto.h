/* SPDX-License-Identifier: MIT */
/*
 * perfetto - write a Perfetto trace: processes, tracks, slices with arguments, counters.
 *
 * The format is a protobuf message of packets (perfetto.dev, protos/perfetto/trace): each is complete in itself, so a
 * trace is written from its begin to its end in bounded memory. Names that come again are sent once (interned), as long
 * as they fit TS_PERFETTO_NAMES_BYTES. Times are nanoseconds. Slices of one track must nest or follow on each other:
 * the caller sees to that.
 *
 * Packets are appended to `out`, which the caller empties when he likes; whether all fitted is asked there (`cut`).
 * Texts must be UTF-8; they are cut at TS_PERFETTO_TEXT bytes.
 */
#ifndef TS_FORMAT_PERFETTO_H
#define TS_FORMAT_PERFETTO_H

#include <stdint.h>

#include "tilescope/base/strbuf.h"

enum {
	TS_PERFETTO_TEXT = 1 << 12,
	TS_PERFETTO_ARGS = 16,		    /* of a slice */
	TS_PERFETTO_NAMES_BYTES = 16 << 20, /* of all names that are remembered */
	TS_PERFETTO_UNITS_COUNT = 2,	    /* CounterDescriptor.UNIT_COUNT, UNIT_SIZE_BYTES */
	TS_PERFETTO_UNITS_BYTES = 3,
};

struct ts_perfetto;

/*
 * Begin a trace. `category` and `arg` are constant lists of names that end with NULL: slices name them by their place.
 * `out` must outlive it. NULL: no memory.
 */
struct ts_perfetto *ts_perfetto_new(struct ts_strbuf *out, const char *const *category,
	const char *const *arg) TS_WARN_UNUSED;
void ts_perfetto_free(struct ts_perfetto *p); /* NULL allowed */

/* Numbers of tracks (uuid) are the caller's, above 0, each once. */
void ts_perfetto_process(struct ts_perfetto *p, uint64_t uuid, int32_t pid, const char *name);
void ts_perfetto_track(struct ts_perfetto *p, uint64_t uuid, uint64_t parent, const char *name);
void ts_perfetto_counter(struct ts_perfetto *p, uint64_t uuid, uint64_t parent, const char *name,
	int unit);

/* An argument of a slice: `name` is its place in the list. */
enum ts_perfetto_type { TS_PERFETTO_INTEGER, TS_PERFETTO_REAL, TS_PERFETTO_TEXTUAL };

struct ts_perfetto_arg {
	int name;
	enum ts_perfetto_type type;
	int64_t integer;
	double real;
	const char *text; /* n bytes */
	size_t n;
};

/* A slice [from, to) of a track: from <= to. */
void ts_perfetto_slice(struct ts_perfetto *p, uint64_t track, uint64_t from, uint64_t to,
	int category, const char *name, size_t n, const struct ts_perfetto_arg *arg, int args);

/* A counter has this value from then on. */
void ts_perfetto_count(struct ts_perfetto *p, uint64_t counter, uint64_t at, double value);

#endif
