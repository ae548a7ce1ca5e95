/* SPDX-License-Identifier: MIT */
/* json_stream - see the header. */
#include "config.h"

#include "json_stream.h"

#include <stdlib.h>
#include <string.h>

#include "tilescope/base/mem.h"
#include "tilescope/base/strbuf.h"

enum {
	CHUNK = 1 << 18,
	WORD = 9,		    /* the longest of words[] */
	CHANGED = 2 * CHUNK + WORD, /* a chunk whose words became texts */
};

struct chunk {
	const unsigned char *bytes;
	int64_t offset; /* in the source */
};

/*
 * Words that are no JSON, and that Python's json module writes. Outside texts they are handed on as texts; `hold` has
 * letters that may become one.
 */
struct words {
	bool in_text, escaped;
	int held;
	char hold[WORD];
};

static const char *const words[] = {"NaN", "Infinity", "-Infinity"};

static bool
is_of_word(const struct words *w, unsigned char c)
{
	return (c == '-' && w->held == 0) || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
}

/* What was held, as a text if it is one of the words; the bytes that it takes. */
static size_t
let_go(struct words *w, unsigned char *out)
{
	size_t n = (size_t)w->held;
	bool text = false;

	for (size_t i = 0; i < TS_COUNT(words); i++)
		text |= n == strlen(words[i]) && memcmp(w->hold, words[i], n) == 0;
	if (text)
		out[0] = out[n + 1] = '"';
	memcpy(out + text, w->hold, n);
	w->held = 0;
	return n + (text ? 2 : 0);
}

/* n bytes, with texts for words; how many there are then, at most CHANGED. */
static size_t
change_words(struct words *w, unsigned char *out, const unsigned char *in, size_t n)
{
	size_t at = 0;

	for (size_t i = 0; i < n; i++) {
		if (w->in_text) {
			w->in_text = w->escaped || in[i] != '"';
			w->escaped = !w->escaped && in[i] == '\\';
		} else if (is_of_word(w, in[i]) && w->held < WORD) {
			w->hold[w->held++] = (char)in[i];
			continue;
		} else {
			at += let_go(w, out + at);
			w->in_text = in[i] == '"';
		}
		out[at++] = in[i];
	}
	return at;
}

static int64_t
count_lines(const unsigned char *bytes, size_t n)
{
	const unsigned char *end = bytes + n;
	int64_t lines = 0;

	for (const unsigned char *p = bytes; p < end && (p = memchr(p, '\n', (size_t)(end - p)));
		p++)
		lines++;
	return lines;
}

/* `why`, and where in the source the parser stands. */
static enum ts_code
damaged(const struct json_stream *j, yajl_handle parser, const struct chunk *c, const char *why,
	struct ts_err *err)
{
	size_t used = yajl_get_bytes_consumed(parser), n = strcspn(why, "\n");

	n -= n > 0 && why[n - 1] == '.';
	return ts_err_set(err, TS_E_DAMAGED, "line %lld, near byte %lld: %.*s",
		(long long)(j->lines + count_lines(c->bytes, used) + 1),
		(long long)(c->offset + (int64_t)used), (int)n, why);
}

/* What yajl says, in one line. */
static enum ts_code
not_json(const struct json_stream *j, yajl_handle parser, const struct chunk *c, struct ts_err *err)
{
	unsigned char *text = yajl_get_error(parser, 0, NULL, 0);
	struct ts_strbuf why;
	enum ts_code code;

	ts_strbuf_init(&why, 200);
	ts_strbuf_printf(&why, "not JSON: %s", text ? (char *)text : "");
	code = damaged(j, parser, c, why.s, err);
	ts_strbuf_fini(&why);
	if (text)
		yajl_free_error(parser, text);
	return code;
}

/* A callback has ended it: where, is not known to it. */
static enum ts_code
refused(const struct json_stream *j, yajl_handle parser, const struct chunk *c, struct ts_err *err)
{
	struct ts_err why;

	if (j->code != TS_E_DAMAGED || !err)
		return j->code;
	why = *err;
	return damaged(j, parser, c, why.msg, err);
}

/* One chunk. */
static enum ts_code
parse(struct json_stream *j, yajl_handle parser, const struct chunk *c, size_t n,
	struct ts_err *err)
{
	yajl_status status = yajl_parse(parser, c->bytes, n);

	if (status == yajl_status_client_canceled)
		return refused(j, parser, c, err);
	if (status != yajl_status_ok)
		return not_json(j, parser, c, err);
	j->lines += count_lines(c->bytes, n);
	return TS_OK;
}

/* The end: a number may have waited for it, so that callbacks may still refuse. */
static enum ts_code
finish(struct json_stream *j, yajl_handle parser, struct words *w, int64_t offset,
	struct ts_err *err)
{
	unsigned char rest[WORD + 3] = {0};
	struct chunk c = {rest, offset};
	size_t n = let_go(w, rest);
	enum ts_code code = n > 0 ? parse(j, parser, &c, n, err) : TS_OK;
	yajl_status status;

	if (code)
		return code;
	rest[0] = ' '; /* yajl reads one behind the end */
	rest[1] = '\0';
	status = yajl_complete_parse(parser);
	if (status == yajl_status_client_canceled)
		return refused(j, parser, &c, err);
	return status == yajl_status_ok ? TS_OK : not_json(j, parser, &c, err);
}

/* Feed all chunks. */
static enum ts_code
feed(struct json_stream *j, yajl_handle parser, unsigned char *bytes, struct ts_source *source,
	struct ts_progress *progress, const struct ts_cancel *cancel, struct ts_err *err)
{
	static const unsigned char mark[] = {0xef, 0xbb,
		0xbf}; /* of UTF-8: some editors write it */
	struct words w = {0};
	struct chunk c = {bytes + CHUNK, 0};
	int64_t heard = 0;
	size_t got = CHUNK;

	while (got == CHUNK) {
		enum ts_code code;

		if (ts_cancelled(cancel))
			return ts_err_set(err, TS_E_CANCELLED, "cancelled");
		code = ts_source_read(source, bytes, CHUNK, c.offset, &got, cancel, err);
		if (!code) {
			size_t skip = c.offset == 0 && got >= sizeof(mark) &&
					memcmp(bytes, mark, sizeof(mark)) == 0
				? sizeof(mark)
				: 0;

			code = parse(j, parser, &c,
				change_words(&w, bytes + CHUNK, bytes + skip, got - skip), err);
		}
		if (code)
			return code;
		c.offset += (int64_t)got;
		if (j->called)
			heard = c.offset;
		j->called = false;
		if (c.offset - heard > JSON_TOKEN)
			return ts_err_set(err, TS_E_DAMAGED,
				"line %lld, byte %lld: no value in %d bytes before it",
				(long long)(j->lines + 1), (long long)c.offset, JSON_TOKEN);
		ts_progress_set(progress, c.offset, source->size);
	}
	return finish(j, parser, &w, c.offset, err);
}

enum ts_code
json_stream_read(struct json_stream *j, struct ts_source *source, struct ts_progress *progress,
	const struct ts_cancel *cancel, struct ts_err *err)
{
	unsigned char *chunk = ts_alloc(1, CHUNK + CHANGED);
	yajl_handle parser = chunk ? yajl_alloc(j->callbacks, NULL, j->ctx) : NULL;
	enum ts_code code = parser ? feed(j, parser, chunk, source, progress, cancel, err)
				   : ts_err_nomem(err);

	if (parser)
		yajl_free(parser);
	free(chunk);
	return code;
}
