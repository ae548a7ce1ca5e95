/* SPDX-License-Identifier: MIT */
/*
 * debug_info - debug.cbor: the debug contexts that the software layers leave behind.
 *
 *   { "contexts": [ { "id", "parentId"?, "name", "layer", "location"?: { "fileName", "functionName",
 *     "lineNumber" }, ...anything }, ... ], "stringTable": [ text, ... ] }
 *
 * `name`, `fileName` and `functionName` are numbers of the string table, which may come last. A number may
 * be written as an integer, a float or digits as text. The file can have hundreds of megabytes: it is
 * read once from front to back, and single contexts by their offset.
 */
#ifndef TS_FORMAT_DEBUG_INFO_H
#define TS_FORMAT_DEBUG_INFO_H

#include "tilescope/base/progress.h"
#include "tilescope/base/strbuf.h"
#include "tilescope/format/cbor.h"

enum { TS_DEBUG_LAYER = 64 }; /* bytes of a layer's name that are kept */

/* How a context says its name. */
enum ts_debug_name { TS_DEBUG_NAME_NONE, TS_DEBUG_NAME_NUMBER, TS_DEBUG_NAME_TEXT };

struct ts_debug_context {
	uint64_t id, parent, offset;
	bool has_id, has_parent;
	enum ts_debug_name name_form;
	uint64_t name; /* of the string table, where it is a number; else the offset of the text */
	char layer[TS_DEBUG_LAYER];
	size_t layer_n;
};

struct ts_debug_visitor {
	void *ctx;
	/* each context in the order of the file; also one without an id */
	enum ts_code (*context)(void *ctx, const struct ts_debug_context *c, struct ts_err *err);
	/* each element of the string table; its offset */
	enum ts_code (*string)(void *ctx, uint64_t offset, struct ts_err *err);
	struct ts_progress *progress; /* bytes; or NULL */
	const struct ts_cancel *cancel;
	uint64_t
		limit; /* stop when so many bytes and a window were read, without an error; 0 = none */
};

/*
 * Read it once. What was found before something wrong was given to the visitor. Errors: TS_E_DAMAGED (what is
 * wrong, at which offset), TS_E_SYS, TS_E_CANCELLED, TS_E_NOMEM, and what the visitor returns.
 */
enum ts_code ts_debug_info_read(struct ts_source *s, const struct ts_debug_visitor *v,
	struct ts_err *err) TS_WARN_UNUSED;

/* The text at an offset, appended to `out`, cut at about 8 KiB. Errors: TS_E_DAMAGED: there is none. */
enum ts_code ts_debug_info_text(struct ts_strbuf *out, struct ts_source *s, uint64_t offset,
	const struct ts_cancel *cancel, struct ts_err *err) TS_WARN_UNUSED;

/* --- the details of one context --------------------------------------------------------------- */

enum { TS_DEBUG_NODES = 4096, TS_DEBUG_TREE_TEXT = 256 << 10, TS_DEBUG_VALUE = 8192 };

/* A key or an element, before what it holds; `depth` 0 = a key of the context. */
struct ts_debug_node {
	int depth;
	uint32_t inside; /* nodes that follow and are in it */
	uint32_t items;	 /* MAP, ARRAY: direct ones */
	enum ts_cbor_kind kind;
	bool is_number; /* `number` holds it, however it is written */
	uint64_t number;
	uint32_t key, key_n, value,
		value_n; /* offsets into `text`; key_n 0 = an element of an array */
};

struct ts_debug_tree {
	struct ts_debug_node *node; /* in the order of the file */
	size_t count, cap;
	struct ts_strbuf text;
	bool cut; /* there was more than fits */
};

/* Decode the map at `offset`; *t is empty on an error. Errors as above. */
enum ts_code ts_debug_tree_read(struct ts_debug_tree *t, struct ts_source *s, uint64_t offset,
	const struct ts_cancel *cancel, struct ts_err *err) TS_WARN_UNUSED;

/*
 * The same from the text of a JSON object, which is what a store has. Errors: TS_E_DAMAGED, TS_E_LIMIT (not JSON, or more
 * than a tree holds: *t is empty), TS_E_NOMEM.
 */
enum ts_code ts_debug_tree_of_json(struct ts_debug_tree *t, const char *text, size_t n,
	struct ts_err *err) TS_WARN_UNUSED;
void ts_debug_tree_fini(struct ts_debug_tree *t);

/* The node of this key within `in` (NULL = of the context itself), or NULL. */
const struct ts_debug_node *ts_debug_tree_find(const struct ts_debug_tree *t,
	const struct ts_debug_node *in, const char *key);

/* All of it as a JSON object, without the keys of `left_out` (the last is NULL), appended. */
void ts_debug_tree_json(struct ts_strbuf *out, const struct ts_debug_tree *t,
	const char *const *left_out);

#endif
