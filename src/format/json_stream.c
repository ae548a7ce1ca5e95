/* SPDX-License-Identifier: MIT */
/* json_stream - see the header. */
#include "config.h"

#include "json_stream.h"

#include <stdlib.h>
#include <string.h>

#include "tilescope/base/mem.h"

enum { CHUNK = 1 << 18 };

/* What yajl says of a failure in the chunk that begins at `offset`, in one line. */
static enum ts_code
damaged(yajl_handle parser, int64_t offset, struct ts_err *err)
{
	unsigned char *text = yajl_get_error(parser, 0, NULL, 0);
	int64_t at = offset + (int64_t)yajl_get_bytes_consumed(parser);
	size_t n = text ? strcspn((char *)text, "\n") : 0;
	enum ts_code code;

	n -= n > 0 && text[n - 1] == '.';
	code = ts_err_set(err, TS_E_DAMAGED, "not JSON near byte %lld: %.*s", (long long)at, (int)n,
		text ? (char *)text : "");

	if (text)
		yajl_free_error(parser, text);
	return code;
}

/* Feed all chunks. */
static enum ts_code
feed(struct json_stream *j, yajl_handle parser, unsigned char *chunk, struct ts_source *source,
	struct ts_progress *progress, const struct ts_cancel *cancel, struct ts_err *err)
{
	int64_t offset = 0, heard = 0;
	size_t got = CHUNK;

	while (got == CHUNK) {
		yajl_status status;
		enum ts_code code;

		if (ts_cancelled(cancel))
			return ts_err_set(err, TS_E_CANCELLED, "cancelled");
		code = ts_source_read(source, chunk, CHUNK, offset, &got, cancel, err);
		if (code)
			return code;
		status = yajl_parse(parser, chunk, got);
		if (status == yajl_status_client_canceled)
			return j->code;
		if (status != yajl_status_ok)
			return damaged(parser, offset, err);
		offset += (int64_t)got;
		if (j->called)
			heard = offset;
		j->called = false;
		if (offset - heard > JSON_TOKEN)
			return ts_err_set(err, TS_E_DAMAGED,
				"no value in %d bytes before byte %lld", JSON_TOKEN,
				(long long)offset);
		ts_progress_set(progress, offset, source->size);
	}
	if (yajl_complete_parse(parser) != yajl_status_ok)
		return damaged(parser, offset, err);
	return TS_OK;
}

enum ts_code
json_stream_read(struct json_stream *j, struct ts_source *source, struct ts_progress *progress,
	const struct ts_cancel *cancel, struct ts_err *err)
{
	unsigned char *chunk = ts_alloc(1, CHUNK);
	yajl_handle parser = chunk ? yajl_alloc(j->callbacks, NULL, j->ctx) : NULL;
	enum ts_code code = parser ? feed(j, parser, chunk, source, progress, cancel, err)
				   : ts_err_nomem(err);

	if (parser)
		yajl_free(parser);
	free(chunk);
	return code;
}
