/* SPDX-License-Identifier: MIT */
/*
 * profile_debug - the debug.cbor that belongs to the layout `profile`.
 *
 * Written as the SDK writes it: contexts in an array whose length is not told, children before their parents, keys
 * sorted, names as numbers of a table of strings behind it.
 */
#include "config.h"

#include "profile.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tilescope/format/cbor_write.h"

enum { OFTEN = 1024, BEGIN_ARRAY = 0x9f, END = 0xff };

/* Strings that are no names. */
enum { S_MODELING, S_BERT, S_LIBRARY, S_GRAPH, S_FORWARD, S_OP, S_CALL, S_ADD, S_FIXED };

static const char *const fixed[S_FIXED] = {
	[S_MODELING] = "modeling.py",
	[S_BERT] = "bert.py",
	[S_LIBRARY] = "poplibs/Operation.cpp",
	[S_GRAPH] = "poplar/Graph.cpp",
	[S_FORWARD] = "forward",
	[S_OP] = "add_op",
	[S_CALL] = "build",
	[S_ADD] = "add",
};

/* By layer: its name, file and function. */
static const struct {
	const char *name;
	int file, function;
} layers[] = {
	[PF_POPTORCH] = {"poptorch", S_MODELING, S_FORWARD},
	[PF_POPART] = {"popart", S_BERT, S_OP},
	[PF_POPLIBS] = {"poplibs", S_LIBRARY, S_CALL},
	[PF_POPLAR] = {"poplar", S_GRAPH, S_ADD},
};

static const char *const kinds[] = {
	[PF_PLAIN] = NULL,
	[PF_COMPUTE_SET] = "computeSet",
	[PF_PROGRAM] = "program",
	[PF_VAR] = "var",
};

static void
put_number(FILE *f, const char *key, uint64_t v)
{
	ts_cbor_put_text(f, key);
	ts_cbor_put_uint(f, v);
}

static void
put_text(FILE *f, const char *key, const char *v)
{
	ts_cbor_put_text(f, key);
	ts_cbor_put_text(f, v);
}

static void
put_args(FILE *f, const struct pf_context *c)
{
	char shape[32];

	snprintf(shape, sizeof(shape), "[%u, 256]", 64 + c->name % 64);
	ts_cbor_put_text(f, "args");
	ts_cbor_put_map(f, 1);
	ts_cbor_put_text(f, "in");
	ts_cbor_put_map(f, 2);
	put_text(f, "shape", shape);
	put_text(f, "type", "half");
}

static void
put_shape(FILE *f, const struct pf_context *c)
{
	ts_cbor_put_text(f, "shape");
	ts_cbor_put_array(f, c->b ? 2 : 1);
	ts_cbor_put_uint(f, c->a);
	if (c->b)
		ts_cbor_put_uint(f, c->b);
}

static void
put_context(FILE *f, const struct pf_model *m, size_t i)
{
	const struct pf_context *c = &m->contexts[i];
	const char *kind = kinds[c->kind], *name = m->names.s + c->name;
	bool api = c->layer == PF_POPLIBS, var = c->kind == PF_VAR;
	size_t length = strlen(name);

	ts_cbor_put_map(f, 4 + (c->parent > 0) + (kind != NULL) + (api ? 2 : 0) + (var ? 3 : 0));
	if (api) {
		put_text(f, "api", name);
		put_args(f, c);
	}
	if (kind)
		put_text(f, "category", kind);
	put_number(f, "id", i + 1);
	put_text(f, "layer", layers[c->layer].name);
	ts_cbor_put_text(f, "location");
	ts_cbor_put_map(f, 3);
	put_number(f, "fileName", (uint64_t)layers[c->layer].file);
	put_number(f, "functionName", (uint64_t)layers[c->layer].function);
	put_number(f, "lineNumber", 20 + i % 400);
	if (var)
		put_number(f, "mappingMethod", 1);
	put_number(f, "name", S_FIXED + i);
	if (c->parent)
		put_number(f, "parentId", c->parent);
	if (var) {
		put_shape(f, c);
		put_text(f, "type",
			length > 8 && !strcmp(name + length - 8, "partials") ? "float" : "half");
	}
}

enum ts_code
pf_debug(const char *path, const void *model, const struct ts_cancel *cancel, struct ts_err *err)
{
	const struct pf_model *m = model;
	FILE *f = fopen(path, "we");
	enum ts_code code = TS_OK;
	bool bad;

	if (!f)
		return ts_err_sys(err, errno, "cannot write");
	ts_cbor_put_map(f, 2);
	ts_cbor_put_text(f, "contexts");
	putc(BEGIN_ARRAY, f);
	for (size_t i = m->contexts_n; i-- > 0 && !ferror(f) && code == TS_OK;) {
		put_context(f, m, i);
		if (i % OFTEN == 0 && ts_cancelled(cancel))
			code = ts_err_set(err, TS_E_CANCELLED, "cancelled");
	}
	putc(END, f);
	ts_cbor_put_text(f, "stringTable");
	ts_cbor_put_array(f, S_FIXED + m->contexts_n);
	for (size_t i = 0; i < S_FIXED; i++)
		ts_cbor_put_text(f, fixed[i]);
	for (size_t i = 0; i < m->contexts_n && !ferror(f); i++)
		ts_cbor_put_text(f, m->names.s + m->contexts[i].name);
	bad = ferror(f);
	bad |= fclose(f) != 0;
	return code == TS_OK && bad ? ts_err_sys(err, errno, "cannot write") : code;
}
