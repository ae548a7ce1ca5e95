/* SPDX-License-Identifier: MIT */
/*
 * debug - the debug.cbor of a demo report, whose contexts are those that its programs, compute sets and
 * variables name.
 *
 * Four layers: the model (poptorch), its operations (popart), what PopLibs makes of them, and the compute set
 * (poplar). As in the field children come before their parents, names are numbers of a string table that comes
 * last, and many figures are written as text. The keys beyond those that are known are made up.
 */
#include "config.h"

#include "internal.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "tilescope/format/cbor_write.h"

enum { OFTEN = 1024 }; /* contexts between looks at the token */

/* The string table: these, then the names of sections, operations and compute sets. */
enum {
	S_MODEL,
	S_MODELING_PY,
	S_BERT_PY,
	S_CONV_CPP,
	S_GRAPH_CPP,
	S_FORWARD,
	S_ADD_OP,
	S_CONVOLVE,
	S_ADD_COMPUTE_SET,
	S_FIXED
};

static const char *const fixed[S_FIXED] = {
	[S_MODEL] = "BertForPreTraining",
	[S_MODELING_PY] = "modeling.py",
	[S_BERT_PY] = "bert.py",
	[S_CONV_CPP] = "poplin/Convolution.cpp",
	[S_GRAPH_CPP] = "poplar/Graph.cpp",
	[S_FORWARD] = "forward",
	[S_ADD_OP] = "add_op",
	[S_CONVOLVE] = "convolution",
	[S_ADD_COMPUTE_SET] = "addComputeSet",
};

struct context {
	int64_t id, parent; /* parent 0 = none */
	const char *layer;
	size_t name, file, function; /* numbers of strings */
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

/* What every context has; `more` pairs follow. */
static void
put_context(FILE *f, const struct context *c, size_t more)
{
	ts_cbor_put_map(f, 4 + (c->parent != 0) + more);
	put_number(f, "id", (uint64_t)c->id);
	if (c->parent)
		put_number(f, "parentId", (uint64_t)c->parent);
	put_text(f, "layer", c->layer);
	put_number(f, "name", c->name);
	ts_cbor_put_text(f, "location");
	ts_cbor_put_map(f, 3);
	put_number(f, "fileName", c->file);
	put_number(f, "functionName", c->function);
	put_number(f, "lineNumber", (uint64_t)(20 + c->id % 400));
}

static void
put_tensor(FILE *f, const char *key, uint64_t a, uint64_t b)
{
	char shape[64];

	snprintf(shape, sizeof(shape), "[%llu %llu]", (unsigned long long)a, (unsigned long long)b);
	ts_cbor_put_text(f, key);
	ts_cbor_put_map(f, 2);
	put_text(f, "shape", shape);
	put_text(f, "type", "half");
}

static void
put_compute_set(FILE *f, const struct demo_model *m, size_t i)
{
	size_t name = S_FIXED + m->nsections + m->ngroups + i;
	int64_t leaf = demo_context_of_cs(m, i);
	char text[32];

	put_context(f,
		&(struct context){leaf, leaf + 1, "poplar", name, S_GRAPH_CPP, S_ADD_COMPUTE_SET},
		1);
	snprintf(text, sizeof(text), "%u", m->cs[i].instances);
	put_text(f, "instances", text);
	put_context(f,
		&(struct context){leaf + 1, demo_context_of_group(m, m->cs[i].group), "poplibs",
			name, S_CONV_CPP, S_CONVOLVE},
		3);
	put_text(f, "api", "poplin::convolution");
	ts_cbor_put_text(f, "args");
	ts_cbor_put_map(f, 4);
	put_tensor(f, "in", 1024, 64 + i % 64);
	put_tensor(f, "weights", 64 + i % 64, 256);
	put_text(f, "transposeAndFlipWeights", "false");
	ts_cbor_put_text(f, "options");
	ts_cbor_put_map(f, 2);
	put_text(f, "availableMemoryProportion", "0.6");
	put_text(f, "partialsType", "half");
	ts_cbor_put_text(f, "outputs");
	ts_cbor_put_array(f, 1);
	ts_cbor_put_map(f, 1);
	put_tensor(f, "output", 1024, 256);
}

static void
put_group(FILE *f, const struct demo_model *m, size_t i)
{
	const struct demo_group *g = &m->groups[i];
	char ipu[16];

	put_context(f,
		&(struct context){demo_context_of_group(m, (uint32_t)i), 2 + g->section, "popart",
			S_FIXED + m->nsections + i, S_BERT_PY, S_ADD_OP},
		3);
	put_text(f, "category", "op");
	snprintf(ipu, sizeof(ipu), "%d", g->ipu);
	ts_cbor_put_text(f, "attributes");
	ts_cbor_put_map(f, 2);
	put_text(f, "virtualGraph", ipu);
	put_text(f, "phase", g->pass == DEMO_FORWARD ? "forward" : "backward");
	put_text(f, "weights", g->weights ? "1" : "0");
}

static enum ts_code
put_contexts(FILE *f, const struct demo_model *m, const struct ts_cancel *cancel,
	struct ts_err *err)
{
	ts_cbor_put_array(f, 2 * m->ncs + m->ngroups + m->nsections + 1);
	for (size_t i = 0; i < m->ncs && !ferror(f); i++) {
		if (i % OFTEN == 0 && ts_cancelled(cancel))
			return ts_err_set(err, TS_E_CANCELLED, "cancelled");
		put_compute_set(f, m, i);
	}
	for (size_t i = 0; i < m->ngroups && !ferror(f); i++)
		put_group(f, m, i);
	for (size_t i = 0; i < m->nsections; i++)
		put_context(f,
			&(struct context){2 + (int64_t)i, 1, "poptorch", S_FIXED + i, S_MODELING_PY,
				S_FORWARD},
			0);
	put_context(f, &(struct context){1, 0, "poptorch", S_MODEL, S_MODELING_PY, S_FORWARD}, 0);
	return TS_OK;
}

static void
put_strings(FILE *f, const struct demo_model *m)
{
	ts_cbor_put_array(f, S_FIXED + m->nsections + m->ngroups + m->ncs);
	for (size_t i = 0; i < S_FIXED; i++)
		ts_cbor_put_text(f, fixed[i]);
	for (size_t i = 0; i < m->nsections; i++)
		ts_cbor_put_text(f, demo_name(m, m->sections[i]));
	for (size_t i = 0; i < m->ngroups; i++)
		ts_cbor_put_text(f, demo_name(m, m->groups[i].name));
	for (size_t i = 0; i < m->ncs && !ferror(f); i++)
		ts_cbor_put_text(f, demo_name(m, m->cs[i].name));
}

enum ts_code
demo_debug(const char *path, const struct demo_model *m, const struct ts_cancel *cancel,
	struct ts_err *err)
{
	FILE *f = fopen(path, "we");
	enum ts_code code;
	bool bad;

	if (!f)
		return ts_err_sys(err, errno, "cannot write");
	ts_cbor_put_map(f, 2);
	ts_cbor_put_text(f, "contexts");
	code = put_contexts(f, m, cancel, err);
	ts_cbor_put_text(f, "stringTable");
	put_strings(f, m);
	bad = ferror(f);
	bad |= fclose(f) != 0;
	return !code && bad ? ts_err_sys(err, errno, "cannot write") : code;
}
