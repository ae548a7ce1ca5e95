/* SPDX-License-Identifier: MIT */
/*
 * json_file - see the header.
 *
 * yajl calls back for each token. A key waits in the text until its value comes; `open` has the node of each object
 * and array around, so that its numbers are right when it ends, or when the file does.
 */
#include "config.h"

#include "tilescope/format/json_file.h"

#include <stdlib.h>
#include <string.h>

#include "tilescope/base/mem.h"

#include "json_stream.h"

#define NOT_KEPT UINT32_MAX

/* An object or array that has not ended. */
struct level {
	uint32_t node; /* or NOT_KEPT */
	uint32_t items;
	bool array;
};

struct reader {
	struct json_stream stream;
	struct ts_err *err;
	struct ts_json_tree *tree; /* NULL: nothing is kept */
	struct level *open;	   /* TS_JSON_DEPTH of them */
	int depth;
	uint32_t key; /* bytes of the key that waits at the text's end */
};

static enum ts_code
refuse(struct reader *r, const char *why)
{
	return ts_err_set(r->err, TS_E_DAMAGED, "%s", why);
}

/* --- what is kept ----------------------------------------------------------------------------- */

static bool
is_kept(const struct reader *r)
{
	return r->tree && r->tree->count < TS_JSON_NODES;
}

static enum ts_code
keep_text(struct reader *r, const void *text, size_t n)
{
	struct ts_json_tree *t = r->tree;

	if (n > TS_JSON_BYTES - t->text_n) /* it grows while it is read */
		return ts_err_set(r->err, TS_E_LIMIT, "larger than 16 MiB");
	while (t->text_room - t->text_n < n)
		if (!ts_room((void **)&t->text, &t->text_room, t->text_room, 1))
			return ts_err_nomem(r->err);
	if (n > 0)
		memcpy(t->text + t->text_n, text, n);
	t->text_n += n;
	return TS_OK;
}

static enum ts_code
keep_node(struct reader *r, enum ts_json_kind kind, const void *text, size_t n)
{
	struct ts_json_tree *t = r->tree;
	const struct level *in = r->depth > 0 ? &r->open[r->depth - 1] : NULL;
	bool element = in && in->array;
	enum ts_code code;

	if (!ts_room((void **)&t->node, &t->room, t->count, sizeof(*t->node)))
		return ts_err_nomem(r->err);
	t->node[t->count++] = (struct ts_json_node){.text = (uint32_t)t->text_n - r->key,
		.key = element ? in->items : r->key,
		.depth = (uint16_t)r->depth,
		.kind = (uint8_t)kind,
		.element = element};
	code = keep_text(r, text, n);
	t->node[t->count - 1].value = (uint32_t)n;
	return code;
}

/* The innermost object or array has come to its end, or the file has. */
static void
end_level(struct reader *r)
{
	const struct level *l = &r->open[--r->depth];
	struct ts_json_tree *t = r->tree;

	if (!t || l->node == NOT_KEPT)
		return;
	t->node[l->node].value = l->items;
	t->node[l->node].inside = (uint32_t)(t->count - l->node - 1);
}

/* --- what yajl calls -------------------------------------------------------------------------- */

static int
on_value(struct reader *r, enum ts_json_kind kind, const void *text, size_t n)
{
	r->stream.called = true;
	if (r->depth == 0 && kind != TS_JSON_OBJECT)
		r->stream.code = refuse(r, "not a JSON object");
	else if (is_kept(r))
		r->stream.code = keep_node(r, kind, text, n);
	if (r->tree)
		r->tree->values++;
	if (r->depth > 0)
		r->open[r->depth - 1].items++;
	r->key = 0;
	return r->stream.code == TS_OK;
}

static int
enter(struct reader *r, enum ts_json_kind kind)
{
	uint32_t node = is_kept(r) ? (uint32_t)r->tree->count : NOT_KEPT;

	if (!on_value(r, kind, NULL, 0))
		return 0;
	if (r->depth == TS_JSON_DEPTH) {
		r->stream.code = refuse(r, "nested too deep");
		return 0;
	}
	r->open[r->depth++] = (struct level){.node = node, .array = kind == TS_JSON_ARRAY};
	return 1;
}

static int
on_null(void *ctx)
{
	return on_value(ctx, TS_JSON_WORD, "null", 4);
}

static int
on_boolean(void *ctx, int value)
{
	return on_value(ctx, TS_JSON_WORD, value ? "true" : "false", value ? 4 : 5);
}

static int
on_number(void *ctx, const char *text, size_t n)
{
	return on_value(ctx, TS_JSON_NUMBER, text, n);
}

static int
on_string(void *ctx, const unsigned char *text, size_t n)
{
	return on_value(ctx, TS_JSON_STRING, text, n);
}

static int
on_key(void *ctx, const unsigned char *text, size_t n)
{
	struct reader *r = ctx;

	r->stream.called = true;
	if (!is_kept(r))
		return 1;
	r->stream.code = keep_text(r, text, n);
	r->key = r->stream.code ? 0 : (uint32_t)n;
	return r->stream.code == TS_OK;
}

static int
on_start_map(void *ctx)
{
	return enter(ctx, TS_JSON_OBJECT);
}

static int
on_start_array(void *ctx)
{
	return enter(ctx, TS_JSON_ARRAY);
}

static int
on_end(void *ctx)
{
	struct reader *r = ctx;

	r->stream.called = true;
	end_level(r);
	return 1;
}

static const yajl_callbacks callbacks = {
	.yajl_null = on_null,
	.yajl_boolean = on_boolean,
	.yajl_number = on_number,
	.yajl_string = on_string,
	.yajl_map_key = on_key,
	.yajl_start_map = on_start_map,
	.yajl_end_map = on_end,
	.yajl_start_array = on_start_array,
	.yajl_end_array = on_end,
};

/* --- reading ---------------------------------------------------------------------------------- */

static enum ts_code
read_object(struct ts_json_tree *tree, struct ts_source *source, struct ts_progress *progress,
	const struct ts_cancel *cancel, struct ts_err *err)
{
	struct reader r = {.tree = tree, .err = err};
	enum ts_code code;

	if (source->size > TS_JSON_BYTES)
		return ts_err_set(err, TS_E_LIMIT, "larger than 16 MiB");
	r.open = ts_alloc(TS_JSON_DEPTH, sizeof(*r.open));
	if (!r.open)
		return ts_err_nomem(err);
	r.stream.callbacks = &callbacks;
	r.stream.ctx = &r;
	code = json_stream_read(&r.stream, source, progress, cancel, err);
	if (tree)
		tree->text_n -= r.key; /* of a value that never came */
	while (r.depth > 0)
		end_level(&r);
	free(r.open);
	return code;
}

/* Room that was taken ahead and not needed: given back, if it can be. */
static void
shrink(struct ts_json_tree *t)
{
	void *node = ts_resize(t->node, t->count + 1, sizeof(*t->node));
	void *text = ts_resize(t->text, t->text_n + 1, 1);

	t->node = node ? node : t->node;
	t->text = text ? text : t->text;
}

enum ts_code
ts_json_tree_read(struct ts_json_tree *t, struct ts_source *source, struct ts_progress *progress,
	const struct ts_cancel *cancel, struct ts_err *err)
{
	enum ts_code code;

	*t = (struct ts_json_tree){0};
	code = read_object(t, source, progress, cancel, err);
	if (code && code != TS_E_DAMAGED)
		ts_json_tree_fini(t);
	else
		shrink(t);
	return code;
}

void
ts_json_tree_fini(struct ts_json_tree *t)
{
	free(t->node);
	free(t->text);
	*t = (struct ts_json_tree){0};
}

enum ts_code
ts_json_check(struct ts_source *source, const struct ts_cancel *cancel, struct ts_err *err)
{
	return read_object(NULL, source, NULL, cancel, err);
}

const char *
ts_json_key(const struct ts_json_tree *t, size_t i, size_t *n)
{
	*n = t->node[i].element ? 0 : t->node[i].key;
	return t->text + t->node[i].text;
}

const char *
ts_json_value(const struct ts_json_tree *t, size_t i, size_t *n)
{
	const struct ts_json_node *v = &t->node[i];

	*n = v->kind == TS_JSON_OBJECT || v->kind == TS_JSON_ARRAY ? 0 : v->value;
	return t->text + v->text + (v->element ? 0 : v->key);
}
