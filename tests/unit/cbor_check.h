/* SPDX-License-Identifier: MIT */
/*
 * What has to hold for any bytes that are read as debug.cbor, for the test and the fuzzer: every offset lies in
 * the file and can be read again, details nest soundly, what is called sound is so for libcbor's own loader
 * too, and what is wrong is said with its offset.
 */
#ifndef TS_TESTS_CBOR_CHECK_H
#define TS_TESTS_CBOR_CHECK_H

#include <cbor.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tilescope/format/debug_info.h"

enum { CBOR_CHECK_AGAIN = 16, CBOR_CHECK_LOAD = 1 << 16 };

struct cbor_check {
	struct ts_source *s;
	uint64_t context[CBOR_CHECK_AGAIN], string[CBOR_CHECK_AGAIN];
	int contexts, strings;
	uint64_t last;
	const char *why;
};

static enum ts_code
cbor_check_context(void *ctx, const struct ts_debug_context *c, struct ts_err *err)
{
	struct cbor_check *k = ctx;

	(void)err;
	if (c->offset >= (uint64_t)k->s->size || c->offset <= k->last ||
		c->layer_n > sizeof(c->layer))
		k->why = "a context's offset";
	k->last = c->offset;
	if (c->has_id && k->contexts < CBOR_CHECK_AGAIN)
		k->context[k->contexts++] = c->offset;
	return TS_OK;
}

static enum ts_code
cbor_check_string(void *ctx, uint64_t offset, struct ts_err *err)
{
	struct cbor_check *k = ctx;

	(void)err;
	if (offset >= (uint64_t)k->s->size || offset <= k->last)
		k->why = "a string's offset";
	k->last = offset;
	if (k->strings < CBOR_CHECK_AGAIN)
		k->string[k->strings++] = offset;
	return TS_OK;
}

/* Nodes from `at` on that are within one of depth `depth` - 1, up to `end`. */
static bool
cbor_check_nodes(const struct ts_debug_tree *t, size_t at, size_t end, int depth)
{
	while (at < end) {
		const struct ts_debug_node *n = &t->node[at];

		if (n->depth != depth || n->inside > end - at - 1 ||
			(uint64_t)n->key + n->key_n > t->text.len ||
			(uint64_t)n->value + n->value_n > t->text.len || n->items > n->inside ||
			!cbor_check_nodes(t, at + 1, at + 1 + n->inside, depth + 1))
			return false;
		at += 1 + n->inside;
	}
	return at == end;
}

static void
cbor_check_again(struct cbor_check *k)
{
	struct ts_debug_tree t;
	struct ts_strbuf text;
	struct ts_err err;

	for (int i = 0; i < k->contexts; i++) {
		enum ts_code code = ts_debug_tree_read(&t, k->s, k->context[i], NULL, &err);

		if (code || t.count > TS_DEBUG_NODES || !cbor_check_nodes(&t, 0, t.count, 0))
			k->why = "the details of a context";
		ts_debug_tree_fini(&t);
	}
	ts_strbuf_init(&text, TS_DEBUG_VALUE);
	for (int i = 0; i < k->strings; i++)
		if (ts_debug_info_text(&text, k->s, k->string[i], NULL, &err) > TS_E_LIMIT)
			k->why = "a string";
	ts_strbuf_fini(&text);
}

/* Is all text ASCII? libcbor's loader refuses what is not UTF-8, which is passed on here. */
static bool
cbor_check_ascii(struct ts_source *s)
{
	struct ts_cbor r;
	bool ascii = true;

	if (ts_cbor_init(&r, s, 0, TS_CBOR_WINDOW, NULL, NULL))
		return false;
	while (ascii && !ts_cbor_next(&r, NULL) && r.item.kind != TS_CBOR_END)
		for (size_t i = 0; r.item.kind == TS_CBOR_TEXT && i < r.item.n; i++)
			ascii = ascii && (unsigned char)r.item.text[i] < 0x80;
	ts_cbor_fini(&r);
	return ascii;
}

/* Is it one item for libcbor too? */
static bool
cbor_check_load(const void *bytes, size_t n)
{
	struct cbor_load_result result;
	cbor_item_t *item = cbor_load(bytes, n, &result);

	if (item)
		cbor_decref(&item);
	return result.error.code == CBOR_ERR_NONE ? result.read == n
						  : result.error.code == CBOR_ERR_MEMERROR;
}

/* NULL, or what does not hold. `code` and `err`: how it was read. */
static const char *
cbor_check(const void *bytes, size_t n, enum ts_code *code, struct ts_err *err)
{
	struct cbor_check k = {0};
	struct ts_debug_visitor v = {.ctx = &k,
		.context = cbor_check_context,
		.string = cbor_check_string};

	*err = (struct ts_err){0};
	*code = ts_source_open_mem(&k.s, bytes, n, err);
	if (*code)
		return "no memory";
	*code = ts_debug_info_read(k.s, &v, err);
	if (*code && *code != TS_E_DAMAGED)
		k.why = "neither sound nor damaged";
	if (*code && n && !strstr(err->msg, "offset "))
		k.why = "it is not said where";
	if (!*code && n < CBOR_CHECK_LOAD && cbor_check_ascii(k.s) && !cbor_check_load(bytes, n))
		k.why = "sound, but not for libcbor";
	cbor_check_again(&k);
	ts_source_close(k.s);
	return k.why;
}

#endif
