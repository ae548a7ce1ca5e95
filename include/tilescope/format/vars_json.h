/* SPDX-License-Identifier: MIT */
/*
 * vars_json - vars.json of a report: the lowered variables as older SDKs wrote them beside the profile.
 *
 * The file may have gigabytes: it is read as a stream, and each variable is handed over when its object
 * ends. Keys that are not known here are passed over, whatever is below them. The keys are those that
 * Graphcore's own tests name; `var` is the number of the variable.
 */
#ifndef TS_FORMAT_VARS_JSON_H
#define TS_FORMAT_VARS_JSON_H

#include <stddef.h>
#include <stdint.h>

#include "tilescope/base/progress.h"
#include "tilescope/io/source.h"

enum {
	TS_VARS_NAME = 8192,	    /* bytes of a name that are kept */
	TS_VARS_CATEGORY = 128,	    /* and of a category */
	TS_VARS_ELEMENTS = 1 << 16, /* memory elements that are kept */
	TS_VARS_DEPTH = 64,	    /* nesting that is followed */
	TS_VARS_TOKEN = 4 << 20,    /* bytes without a value in between: more is damage */
};

#define TS_VARS_UNKNOWN INT64_MIN /* a number that is not there, or is none */

struct ts_vars_variable {
	int64_t number, tile, bytes, offset, alignment, equivalence_class;
	int64_t always_live, allocated; /* 0, 1 */
	size_t name_len, category_len;
	char name[TS_VARS_NAME], category[TS_VARS_CATEGORY]; /* not NUL-terminated */
};

/* targetMemoryInfo and numTiles: known when the whole file was read. */
struct ts_vars_target {
	int64_t tiles, tile_bytes, interleaved_start;
	size_t elements;
	int64_t element_offset[TS_VARS_ELEMENTS];
};

struct ts_vars_sink {
	void *ctx;
	enum ts_code (*variable)(void *ctx, const struct ts_vars_variable *v, struct ts_err *err);
};

/*
 * Read the file from begin to end; *target is filled in. Progress counts bytes of the file. Errors:
 * TS_E_DAMAGED (not JSON, cut, nested too deep; the offset is in the message; what came before was handed
 * over), those of the source and of the sink.
 */
enum ts_code ts_vars_json_read(struct ts_vars_target *target, struct ts_source *source,
	const struct ts_vars_sink *sink, struct ts_progress *progress,
	const struct ts_cancel *cancel, struct ts_err *err) TS_WARN_UNUSED;

#endif
