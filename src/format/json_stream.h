/* SPDX-License-Identifier: MIT */
/*
 * json_stream - a source fed to yajl, with the bounds that yajl does not have.
 *
 * yajl keeps a byte for each level of nesting: whoever calls counts levels and refuses. It gathers a token that is cut
 * by the end of a chunk: what was fed since it last called back is bounded here.
 */
#ifndef TS_FORMAT_JSON_STREAM_H
#define TS_FORMAT_JSON_STREAM_H

#include <stdbool.h>

#include <yajl/yajl_parse.h>

#include "tilescope/base/progress.h"
#include "tilescope/io/source.h"

enum { JSON_TOKEN = 4 << 20 }; /* bytes without a value in between: more is damage */

struct json_stream {
	const yajl_callbacks *callbacks;
	void *ctx;
	bool called;	   /* set by each callback */
	enum ts_code code; /* why a callback has ended it */
	int64_t lines;	   /* that end in the chunks before */
};

/*
 * All of `source`; progress counts bytes. Errors: TS_E_DAMAGED (with line and offset), `code` when a callback gave 0
 * (it has filled in *err; of TS_E_DAMAGED the place is added), those of the source, TS_E_CANCELLED, TS_E_NOMEM.
 */
enum ts_code json_stream_read(struct json_stream *j, struct ts_source *source,
	struct ts_progress *progress, const struct ts_cancel *cancel,
	struct ts_err *err) TS_WARN_UNUSED;

#endif
