/* SPDX-License-Identifier: MIT */
/*
 * index_contexts - where each debug context stands in debug.cbor, and where each string of its table.
 *
 * Made in one pass over the file: kept as a section of the index, or, where there is none, for as long as
 * somebody needs it. Names and details are read from debug.cbor itself when they are asked for. A section
 * says which debug.cbor it was made of, for that file is not the report's database and changes by itself.
 */
#ifndef TS_REPORT_INDEX_CONTEXTS_H
#define TS_REPORT_INDEX_CONTEXTS_H

#include "tilescope/base/strbuf.h"
#include "tilescope/report/index_build.h"
#include "tilescope/report/pile.h"

enum {
	TS_CONTEXTS_MAX = 1 << 24, /* contexts that are kept */
	TS_CONTEXT_STRINGS = 1 << 25,
	TS_CONTEXT_LAYERS = 256, /* names of layers that are kept */
	TS_CONTEXT_WRONG = 232
};

enum {
	TS_CONTEXT_HAS_PARENT = 1,
	TS_CONTEXT_NAME_NUMBER = 2, /* `name` is a number of the string table */
	TS_CONTEXT_NAME_TEXT = 4,   /* the context's map says its name itself */
};

struct ts_context_entry {
	uint64_t id, parent, offset; /* offset: of its map in debug.cbor */
	uint32_t name;
	uint16_t layer; /* of layer[]; TS_CONTEXT_LAYERS = its map says it, or nobody */
	uint16_t flags;
};

struct ts_context_layer {
	char name[63]; /* raw */
	uint8_t n;
};

/* Which file it was: a file with the same is taken for the same. */
struct ts_debug_identity {
	int64_t bytes, mtime, mtime_ns;
	uint64_t ends; /* hash of its first and last bytes */
};

struct ts_contexts {
	atomic_int uses;
	struct ts_files *files; /* where it lies */
	struct ts_source *file; /* debug.cbor */
	char *path;
	struct ts_debug_identity identity;
	const struct ts_context_entry *entry; /* by id; of equal ones the first of the file first */
	uint64_t count;
	const uint64_t *string; /* offsets in debug.cbor */
	uint64_t strings;
	const struct ts_context_layer *layer;
	uint64_t layers;
	uint64_t repeated;   /* entries whose id another one has, too */
	uint64_t without_id; /* contexts that are left out */
	uint64_t left_out;   /* beyond the limits */
	char wrong
		[TS_CONTEXT_WRONG]; /* where the file is damaged: what is behind it is unknown; or "" */

	/* whose memory that is */
	struct ts_index *index;
	struct ts_pile pile[2];
	struct ts_context_layer *layer_room;
};

/*
 * Those of the report: from the index where it has them, else by reading debug.cbor once (progress: bytes).
 * Bounded memory. Errors: TS_E_ABSENT: there is no debug.cbor; TS_E_STALE: it changes; TS_E_SYS, TS_E_NOMEM,
 * TS_E_CANCELLED. A damaged file is no error (`wrong`).
 */
enum ts_code ts_contexts_open(struct ts_contexts **out, const struct ts_report *r,
	struct ts_index *x, const struct ts_cache *cache, struct ts_progress *progress,
	const struct ts_cancel *cancel, struct ts_err *err) TS_WARN_UNUSED;
struct ts_contexts *ts_contexts_hold(struct ts_contexts *c);
void ts_contexts_close(struct ts_contexts *c); /* the last holder closes it; NULL allowed */

/* Is debug.cbor still the file that they were made of? Errors: TS_E_SYS, TS_E_NOMEM. */
enum ts_code ts_contexts_current(bool *yes, const struct ts_contexts *c,
	struct ts_err *err) TS_WARN_UNUSED;

/* Is the report's debug.cbor the file that it was? No file: no. Errors: TS_E_SYS, TS_E_NOMEM. */
enum ts_code ts_debug_still(bool *yes, const struct ts_report *r,
	const struct ts_debug_identity *id, struct ts_err *err) TS_WARN_UNUSED;

/* The entry of an id, or NULL. */
const struct ts_context_entry *ts_contexts_find(const struct ts_contexts *c, uint64_t id);

/* String `number` of the table, appended; *found false: there is none. Errors: TS_E_SYS, TS_E_NOMEM, TS_E_CANCELLED. */
enum ts_code ts_contexts_string(struct ts_strbuf *out, bool *found, const struct ts_contexts *c,
	uint64_t number, const struct ts_cancel *cancel, struct ts_err *err) TS_WARN_UNUSED;

/* Is a section's payload made of the debug.cbor that the report has now? */
enum ts_code ts_contexts_section_current(bool *yes, const void *payload, size_t size,
	const struct ts_report *r, struct ts_err *err) TS_WARN_UNUSED;

#endif
