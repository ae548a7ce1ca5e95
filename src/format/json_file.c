/* SPDX-License-Identifier: MIT */
/* json_file - see the header. */
#include "config.h"

#include "tilescope/format/json_file.h"

#include "json_stream.h"

struct check {
	struct json_stream stream;
	struct ts_err *err;
	int depth;
};

static enum ts_code
refuse(struct check *c, const char *why)
{
	return ts_err_set(c->err, TS_E_DAMAGED, "%s", why);
}

static int
on_value(struct check *c)
{
	c->stream.called = true;
	if (c->depth == 0)
		c->stream.code = refuse(c, "not a JSON object");
	return c->depth > 0;
}

static int
enter(struct check *c)
{
	c->stream.called = true;
	if (c->depth++ == TS_JSON_DEPTH)
		c->stream.code = refuse(c, "nested too deep");
	return c->stream.code == TS_OK;
}

static int
on_word(void *ctx)
{
	return on_value(ctx);
}

static int
on_boolean(void *ctx, int value)
{
	(void)value;
	return on_value(ctx);
}

static int
on_number(void *ctx, const char *text, size_t n)
{
	(void)text;
	(void)n;
	return on_value(ctx);
}

static int
on_text(void *ctx, const unsigned char *text, size_t n)
{
	(void)text;
	(void)n;
	return on_value(ctx);
}

static int
on_start_map(void *ctx)
{
	return enter(ctx);
}

static int
on_start_array(void *ctx)
{
	return on_value(ctx) && enter(ctx);
}

static int
on_end(void *ctx)
{
	struct check *c = ctx;

	c->stream.called = true;
	c->depth--;
	return 1;
}

static const yajl_callbacks callbacks = {
	.yajl_null = on_word,
	.yajl_boolean = on_boolean,
	.yajl_number = on_number,
	.yajl_string = on_text,
	.yajl_map_key = on_text,
	.yajl_start_map = on_start_map,
	.yajl_end_map = on_end,
	.yajl_start_array = on_start_array,
	.yajl_end_array = on_end,
};

enum ts_code
ts_json_check(struct ts_source *source, const struct ts_cancel *cancel, struct ts_err *err)
{
	struct check c = {.stream = {.callbacks = &callbacks, .ctx = &c}, .err = err};

	return json_stream_read(&c.stream, source, NULL, cancel, err);
}
