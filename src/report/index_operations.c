/* SPDX-License-Identifier: MIT */
/*
 * index_operations - a head, and the arrays of struct ts_operations as they are in memory (8-byte aligned, no padding), which
 * are used where they are mapped. Everything in them is looked at once: what is refused is made anew.
 */
#include "config.h"

#include <string.h>

#include "tilescope/base/mem.h"
#include "tilescope/report/contexts.h"
#include "tilescope/report/index_operations.h"

#include "operations_internal.h"

struct head {
	struct ts_debug_identity debug;
	uint64_t in_debug;
	uint64_t programs;			  /* of the costs */
	uint64_t n[TS_OP_PILES], at[TS_OP_PILES]; /* elements and where they are */
	int64_t compute, exchange, one_tile, replicas, artefact;
	uint64_t has_contexts, recorded, bytes_lowered;
	int64_t missing, cut, bad_rows, left_out;
	struct ts_operation_figures all;
};

static const size_t size_of[TS_OP_PILES] = {
	[TS_OP_NODES] = sizeof(struct ts_operation),
	[TS_OP_LAYERS] = sizeof(struct ts_operation_layer),
	[TS_OP_IN_LAYER] = sizeof(uint32_t),
	[TS_OP_OWN] = sizeof(struct ts_operation_own),
	[TS_OP_PROGRAMS] = sizeof(struct ts_operation_program),
	[TS_OP_SETS] = sizeof(struct ts_operation_set),
	[TS_OP_RUNS] = sizeof(uint32_t),
	[TS_OP_TYPES] = sizeof(struct ts_operation_type),
	[TS_OP_TEXTS] = sizeof(struct ts_operation_text),
	[TS_OP_BYTES] = 1,
};

_Static_assert(sizeof(struct ts_operation_figures) % sizeof(int64_t) == 0, "numbers alone");
_Static_assert(sizeof(struct ts_operation) ==
		2 * sizeof(struct ts_operation_figures) + 2 * 8 + 4 * 4 + 8,
	"a node has no padding");
_Static_assert(sizeof(struct ts_operation_layer) ==
		2 * sizeof(struct ts_operation_figures) + 8 + 2 * 8,
	"nor a layer");

/* --- is it sound ------------------------------------------------------------------------------------ */

static bool
figures_sound(const struct ts_operation_figures *f)
{
	const int64_t *v = (const int64_t *)f;

	for (size_t i = 0; i < sizeof(*f) / sizeof(*v); i++)
		if (v[i] < TS_UNKNOWN)
			return false;
	return f->mark >= 0 && f->mark < TS_MARK_COUNT;
}

static bool
text_sound(const struct ts_operations *o, int32_t text)
{
	return text == TS_DICTIONARY_NONE || (text >= 0 && (uint32_t)text < o->texts);
}

static bool
nodes_sound(const struct ts_operations *o)
{
	for (uint32_t i = 0; i < o->count; i++) {
		const struct ts_operation *n = &o->node[i];
		bool top = n->parent == TS_NO_OPERATION;

		if (n->operation < TS_UNKNOWN || (!top && n->parent >= i) || n->end <= i ||
			n->end > (top ? o->count : o->node[n->parent].end) ||
			n->depth != (top ? 0 : o->node[n->parent].depth + 1) ||
			n->depth > 2 * TS_OPERATION_LEVELS || n->layer >= o->layers ||
			n->from > TS_OPERATION_BY_NAME || n->programs_said > 1 ||
			n->has_context > 1 || n->cut > 1 || !text_sound(o, n->name) ||
			!text_sound(o, n->debug_name) || !figures_sound(&n->of) ||
			!figures_sound(&n->below))
			return false;
	}
	return true;
}

static bool
layers_sound(const struct ts_operations *o)
{
	if (o->layers > TS_OPERATION_LAYERS + 1)
		return false;
	for (uint32_t i = 0; i < o->layers; i++) {
		const struct ts_operation_layer *l = &o->layer[i];

		if (!text_sound(o, l->name) || l->from > TS_OPERATION_BY_NAME ||
			l->count > o->in_layers || l->first > o->in_layers - l->count ||
			!figures_sound(&l->all) || !figures_sound(&l->outside))
			return false;
		for (uint64_t k = 0; k < l->count; k++)
			if (o->in_layer[l->first + k] >= o->count ||
				o->node[o->in_layer[l->first + k]].layer != i)
				return false;
	}
	return true;
}

static bool
programs_sound(const struct ts_operations *o)
{
	for (uint64_t i = 0; i < o->owns; i++)
		if (o->own[i].program >= o->costs->count || o->own[i].node >= o->count ||
			o->own[i].said > 1 || (i > 0 && o->own[i].program < o->own[i - 1].program))
			return false;
	for (size_t i = 0; i < o->costs->count; i++)
		if (o->program[i].live_last < TS_UNKNOWN || o->program[i].leaf < TS_UNKNOWN ||
			o->program[i].leaf > 1 ||
			(o->program[i].set != TS_NO_OPERATION && o->program[i].set >= o->sets))
			return false;
	for (uint32_t i = 0; i < o->sets; i++)
		if (o->set[i].vertices < TS_UNKNOWN || o->set[i].types > o->runs ||
			o->set[i].first > o->runs - o->set[i].types)
			return false;
	for (uint64_t i = 0; i < o->runs; i++)
		if (o->run[i] >= o->types)
			return false;
	for (uint32_t i = 0; i < o->types; i++)
		if (o->type[i].code_bytes < TS_UNKNOWN || o->type[i].programs < 0)
			return false;
	for (uint32_t i = 0; i < o->texts; i++)
		if (o->text[i].n > TS_DICTIONARY_TEXT || o->text[i].n > o->text_bytes ||
			o->text[i].at > o->text_bytes - o->text[i].n)
			return false;
	return true;
}

/* --- reading ---------------------------------------------------------------------------------------- */

static const struct head *
head_at(const void *payload, size_t size)
{
	return payload ? ts_section_at(payload, size, 0, 1, sizeof(struct head)) : NULL;
}

enum ts_code
ts_operations_section_current(bool *yes, const void *payload, size_t size,
	const struct ts_report *r, struct ts_err *err)
{
	const struct head *h = head_at(payload, size);

	*yes = h && !h->in_debug && !ts_context_in_debug(r);
	return h && h->in_debug && ts_context_in_debug(r) ? ts_debug_still(yes, r, &h->debug, err)
							  : TS_OK;
}

static void
take_head(struct ts_operations *o, const struct head *h)
{
	o->in_debug = h->in_debug != 0;
	o->debug = h->debug;
	o->honesty = (struct ts_honesty){.compute = h->compute == 0 ? 0
			: h->compute > 0			    ? 1
								    : -1,
		.exchange = h->exchange == 0 ? 0
			: h->exchange > 0    ? 1
					     : -1,
		.one_tile = h->one_tile != 0,
		.replicas = h->replicas > 0 ? h->replicas : 1,
		.artefact = h->artefact};
	o->has_contexts = h->has_contexts != 0;
	o->recorded = h->recorded != 0;
	o->bytes_lowered = h->bytes_lowered != 0;
	o->missing = h->missing;
	o->cut = h->cut;
	o->bad_rows = h->bad_rows;
	o->left_out = h->left_out;
	o->all = h->all;
	o->traced = true;
}

static bool
take(struct ts_operations *o, struct ts_index *x)
{
	size_t size;
	const void *payload = ts_index_section(x, TS_SECTION_OPERATIONS, &size);
	const struct head *h = head_at(payload, size);
	const void *array[TS_OP_PILES];

	if (!h || h->programs != o->costs->count || h->n[TS_OP_NODES] == 0 ||
		h->n[TS_OP_PROGRAMS] != h->programs)
		return false;
	for (int i = 0; i < TS_OP_PILES; i++) {
		array[i] = ts_section_at(payload, size, h->at[i], h->n[i], size_of[i]);
		if (!array[i] || (h->n[i] >= UINT32_MAX && i != TS_OP_BYTES))
			return false;
	}
	take_head(o, h);
	o->node = array[TS_OP_NODES];
	o->count = (uint32_t)h->n[TS_OP_NODES];
	o->layer = array[TS_OP_LAYERS];
	o->layers = (uint32_t)h->n[TS_OP_LAYERS];
	o->in_layer = array[TS_OP_IN_LAYER];
	o->in_layers = h->n[TS_OP_IN_LAYER];
	o->own = array[TS_OP_OWN];
	o->owns = h->n[TS_OP_OWN];
	o->program = array[TS_OP_PROGRAMS];
	o->set = array[TS_OP_SETS];
	o->sets = (uint32_t)h->n[TS_OP_SETS];
	o->run = array[TS_OP_RUNS];
	o->runs = h->n[TS_OP_RUNS];
	o->type = array[TS_OP_TYPES];
	o->types = (uint32_t)h->n[TS_OP_TYPES];
	o->text = array[TS_OP_TEXTS];
	o->texts = (uint32_t)h->n[TS_OP_TEXTS];
	o->bytes = array[TS_OP_BYTES];
	o->text_bytes = h->n[TS_OP_BYTES];
	if (!nodes_sound(o) || !layers_sound(o) || !programs_sound(o) || !figures_sound(&o->all))
		return false;
	o->index = ts_index_hold(x);
	return true;
}

bool
ts_operations_kept(struct ts_operations *o, struct ts_reader *rd, const struct ts_cache *cache)
{
	struct ts_program_costs *costs = o->costs;
	struct ts_index *with = NULL;
	bool taken = take(o, rd->index);

	if (!taken && cache && cache->dir &&
		!ts_index_with(&with, rd->index, TS_SECTION_OPERATIONS, cache, rd->report, NULL)) {
		taken = take(o, with);
		ts_index_release(with);
	}
	if (!taken) {
		*o = (struct ts_operations){.costs = costs};
		atomic_init(&o->uses, 1);
	}
	return taken;
}

/* --- writing ---------------------------------------------------------------------------------------- */

enum ts_code
ts_operations_keep(struct ts_reader *rd, const struct ts_cache *cache,
	const struct ts_operations *o, struct ts_err *err)
{
	struct head h = {.debug = o->debug,
		.in_debug = o->in_debug,
		.programs = o->costs->count,
		.compute = o->honesty.compute,
		.exchange = o->honesty.exchange,
		.one_tile = o->honesty.one_tile,
		.replicas = o->honesty.replicas,
		.artefact = o->honesty.artefact,
		.has_contexts = o->has_contexts,
		.recorded = o->recorded,
		.bytes_lowered = o->bytes_lowered,
		.missing = o->missing,
		.cut = o->cut,
		.bad_rows = o->bad_rows,
		.left_out = o->left_out,
		.all = o->all};
	struct ts_section_array array[TS_OP_PILES];
	struct ts_section_writer *w;
	enum ts_code code = ts_section_create(&w, cache, rd->report, TS_SECTION_OPERATIONS, err);

	if (code)
		return code;
	for (int i = 0; i < TS_OP_PILES; i++) {
		h.n[i] = o->pile[i].used / size_of[i];
		array[i] = (struct ts_section_array){&h.at[i], o->pile[i].memory, o->pile[i].used};
	}
	ts_section_set_cancel(w, rd->cancel);
	code = ts_section_put_arrays(w, &h, sizeof(h), array, TS_OP_PILES, err);
	if (!code)
		return ts_section_commit(w, err);
	ts_section_abandon(w);
	return code;
}
