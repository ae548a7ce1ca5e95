/* SPDX-License-Identifier: MIT */
/*
 * json_check - what has to hold for any bytes that are read as JSON, for the fuzzer (tests/fuzz/fuzz_json.c) and for the
 * replay of its corpus (test_vars_json).
 *
 * What jansson takes for an object is one for the stream as well, and its tree is sound; vars.json hands over the same variables wherever
 * the chunks that it is read in end; what it hands over keeps within its bounds.
 */
#ifndef TS_TESTS_UNIT_JSON_CHECK_H
#define TS_TESTS_UNIT_JSON_CHECK_H

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "tilescope/format/json_file.h"
#include "tilescope/format/vars_json.h"

enum { JSON_CHECK_CHUNK = 1 << 18, JSON_CHECK_BYTES = 1 << 16 };

struct json_check {
	uint64_t hash; /* of all that was handed over */
	int64_t variables;
	const char *why;
	struct ts_vars_target target;
};

static inline void
json_check_add(struct json_check *k, const void *bytes, size_t n)
{
	const unsigned char *p = bytes;

	for (size_t i = 0; i < n; i++)
		k->hash = (k->hash ^ p[i]) * 0x100000001b3u;
}

static inline enum ts_code
json_check_variable(void *ctx, const struct ts_vars_variable *v, struct ts_err *err)
{
	struct json_check *k = ctx;

	(void)err;
	if (v->name_len > TS_VARS_NAME || v->category_len > TS_VARS_CATEGORY) {
		k->why = "a variable's text is longer than its room";
		return TS_OK;
	}
	k->variables++;
	json_check_add(k, v, offsetof(struct ts_vars_variable, name));
	json_check_add(k, v->name, v->name_len);
	json_check_add(k, v->category, v->category_len);
	return TS_OK;
}

static inline enum ts_code
json_check_vars(struct json_check *k, const void *bytes, size_t n)
{
	const struct ts_vars_sink sink = {k, json_check_variable};
	struct ts_err err = {0};
	struct ts_source *s;
	enum ts_code code;

	k->hash = 0xcbf29ce484222325u;
	k->variables = 0;
	if (ts_source_open_mem(&s, bytes, n, &err))
		abort();
	code = ts_vars_json_read(&k->target, s, &sink, NULL, NULL, &err);
	ts_source_close(s);
	if (code && code != TS_E_DAMAGED)
		k->why = "vars.json ends with an error that is none of its bytes";
	if (code && err.msg[0] == '\0')
		k->why = "an error without words";
	if (k->target.elements > TS_VARS_ELEMENTS)
		k->why = "more memory elements than there is room for";
	json_check_add(k, k->target.element_offset, k->target.elements * sizeof(int64_t));
	return code;
}

/* The same file with blanks before it, so that the first chunk ends `at` bytes into it. */
static inline void
json_check_cut(struct json_check *k, const void *bytes, size_t n, size_t at, enum ts_code code)
{
	static char room[JSON_CHECK_CHUNK + JSON_CHECK_BYTES];
	uint64_t hash = k->hash;

	memset(room, ' ', JSON_CHECK_CHUNK);
	memcpy(room + JSON_CHECK_CHUNK - at, bytes, n);
	if (json_check_vars(k, room, JSON_CHECK_CHUNK - at + n) != code || k->hash != hash)
		k->why = "where a chunk ends makes a difference";
}

static inline bool
json_check_node(const struct ts_json_tree *t, size_t i, size_t text)
{
	const struct ts_json_node *v = &t->node[i];
	size_t behind = i + 1 + v->inside;
	bool next_in = i + 1 < t->count && t->node[i + 1].depth > v->depth;

	return behind <= t->count && v->depth <= TS_JSON_DEPTH && (v->inside > 0) == next_in &&
		(!next_in || t->node[i + 1].depth == v->depth + 1) &&
		(behind == t->count || t->node[behind].depth <= v->depth) && v->text == text;
}

/* What holds for any tree: nesting is sound, texts lie one behind the other, and the bounds are kept. */
static inline const char *
json_check_tree(const struct ts_json_tree *t)
{
	size_t n, text = 0;

	if (t->count > TS_JSON_NODES || t->text_n > TS_JSON_BYTES || t->values < (int64_t)t->count)
		return "a tree that is too large";
	for (size_t i = 0; i < t->count; i++) {
		if (!json_check_node(t, i, text))
			return "a node that does not nest";
		ts_json_key(t, i, &n);
		text += n;
		if (ts_json_value(t, i, &n) != t->text + text)
			return "a value that is not behind its key";
		text += n;
	}
	return text == t->text_n ? NULL : "text that belongs to no node";
}

/* NULL: all of it holds. */
static inline const char *
json_check(const void *bytes, size_t n)
{
	static struct json_check k;
	struct ts_err err = {0};
	struct ts_json_tree whole;
	struct ts_source *s;
	enum ts_code code;
	json_t *tree;

	if (n > JSON_CHECK_BYTES)
		return NULL;
	if (ts_source_open_mem(&s, bytes, n, &err))
		return "no memory";
	code = ts_json_tree_read(&whole, s, NULL, NULL, &err);
	k.why = json_check_tree(&whole);
	ts_json_tree_fini(&whole);
	if (ts_json_check(s, NULL, NULL) != code)
		k.why = "with and without a tree it ends differently";
	ts_source_close(s);
	if (code && (code != TS_E_DAMAGED || err.msg[0] == '\0'))
		return "an error that is none of its bytes, or has no words";
	/* jansson loses a NUL behind a word or a number */
	tree = memchr(bytes, 0, n) ? NULL : json_loadb(bytes, n, JSON_DECODE_INT_AS_REAL, NULL);
	if (code && json_is_object(tree))
		k.why = "jansson takes it for an object";
	json_decref(tree);
	code = json_check_vars(&k, bytes, n);
	if (n > 0 && !k.why)
		json_check_cut(&k, bytes, n, (n * ((const unsigned char *)bytes)[n / 2]) >> 8,
			code);
	return k.why;
}

#endif
