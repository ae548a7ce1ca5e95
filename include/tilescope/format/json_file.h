/* SPDX-License-Identifier: MIT */
/*
 * json_file - small JSON files of a report (framework.json, app.json): is it one, and as a tree.
 *
 * A tree is two arrays: the values in the order of the file, each before all that is in it, and one text with
 * what they say, keys and values decoded, one behind the other. A node tells where its texts begin; they end where
 * the next node's begin. That is 20 bytes a value and never more text than the file has: at most 36 MiB for any file
 * (up to twice as much while it is read), where a tree of objects would take hundreds.
 */
#ifndef TS_FORMAT_JSON_FILE_H
#define TS_FORMAT_JSON_FILE_H

#include "tilescope/base/progress.h"
#include "tilescope/io/source.h"

enum {
	TS_JSON_DEPTH = 2048,
	TS_JSON_BYTES = 16 << 20, /* a larger file is not read */
	TS_JSON_NODES = 1 << 20,  /* values behind these are counted, not kept */
};

enum ts_json_kind {
	TS_JSON_OBJECT,
	TS_JSON_ARRAY,
	TS_JSON_STRING,
	TS_JSON_NUMBER, /* as it is written in the file */
	TS_JSON_WORD,	/* true, false, null */
};

struct ts_json_node {
	uint32_t text; /* where in the tree's text its key begins; its value follows */
	uint32_t key;  /* bytes of its key; of an array's element: its number, from 0 */
	uint32_t
		value; /* bytes of its value; of an object or array: how many are in it, kept or not */
	uint32_t inside; /* nodes that follow and are in it, at any depth */
	uint16_t depth;	 /* 0 = the object that the file is */
	uint8_t kind;	 /* enum ts_json_kind */
	bool element;	 /* of an array: it has a number, no key */
};

struct ts_json_tree {
	struct ts_json_node *node;
	char *text; /* raw: any bytes, NUL as well; what a duplicate key says stands twice */
	size_t count, room;
	size_t text_n, text_room;
	int64_t values; /* of the file, as far as it was read; more than `count`: not all are kept */
};

/*
 * Read one JSON object. Errors: TS_E_DAMAGED (what is wrong, the line and the offset; the tree has what stands
 * before it), TS_E_LIMIT (larger than TS_JSON_BYTES), those of the source, TS_E_CANCELLED, TS_E_NOMEM (no tree).
 */
enum ts_code ts_json_tree_read(struct ts_json_tree *t, struct ts_source *source,
	struct ts_progress *progress, const struct ts_cancel *cancel,
	struct ts_err *err) TS_WARN_UNUSED;
void ts_json_tree_fini(struct ts_json_tree *t);

/* Texts of node i: not NUL-terminated. An element has no key, an object or array no value: n = 0. */
const char *ts_json_key(const struct ts_json_tree *t, size_t i, size_t *n);
const char *ts_json_value(const struct ts_json_tree *t, size_t i, size_t *n);

/* Is it one JSON object? Keeps nothing. Errors: as above. */
enum ts_code ts_json_check(struct ts_source *source, const struct ts_cancel *cancel,
	struct ts_err *err) TS_WARN_UNUSED;

#endif
