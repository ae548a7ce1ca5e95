/* SPDX-License-Identifier: MIT */
/*
 * store_program - relations of the demo's store on programs, debug contexts and operations.
 *
 * `_by_tile` blobs are given to some programs and compute sets only: a column of them may take so
 * many bytes (demo_shape), and those that get one are spread evenly.
 */
#include "config.h"

#include "internal.h"

#include <stdlib.h>
#include <string.h>

/* ---- blobs ---- */

struct blob {
	unsigned char *p;
	size_t n; /* bytes up to the last that is not zero */
};

typedef uint32_t blob_fn(const struct demo_model *m, const struct demo_prog *p, uint32_t tile);

static uint32_t
value_cycles(const struct demo_model *m, const struct demo_prog *p, uint32_t tile)
{
	return demo_tile_cycles(m, p, tile);
}

static uint32_t
value_estimate(const struct demo_model *m, const struct demo_prog *p, uint32_t tile)
{
	return demo_tile_cycles(m, p, tile) / 8 * 7;
}

static uint32_t
value_code(const struct demo_model *m, const struct demo_prog *p, uint32_t tile)
{
	return demo_tile_cycles(m, p, tile) ? 24 + p->cycles % 64 / 4 * 4 : 0;
}

static uint32_t
value_control(const struct demo_model *m, const struct demo_prog *p, uint32_t tile)
{
	return demo_tile_cycles(m, p, tile) ? 16 : 8;
}

static uint32_t
value_data(const struct demo_model *m, const struct demo_prog *p, uint32_t tile)
{
	return demo_tile_cycles(m, p, tile) ? p->data / p->active : 0;
}

static uint32_t
value_one(const struct demo_model *m, const struct demo_prog *p, uint32_t tile)
{
	return demo_tile_cycles(m, p, tile) ? 1 : 0;
}

/* Bind the values of a program's tiles, those of other IPUs being zero. */
static void
blob_bind(struct demo_out *out, int column, const struct demo_model *m, const struct demo_prog *p,
	struct blob *b, uint32_t factor, blob_fn *value)
{
	b->n = 0;
	memset(b->p, 0, (size_t)m->all_tiles * 4);
	for (int64_t tile = 0; tile < m->all_tiles; tile++) {
		if (p->ipu != DEMO_ALL && tile / m->tiles != p->ipu)
			continue;
		uint32_t v = value(m, p, (uint32_t)(tile % m->tiles)) * factor;
		unsigned char *at = b->p + tile * 4;
		for (int i = 0; i < 4; i++)
			at[i] = (unsigned char)(v >> (8 * i));
		if (v)
			b->n = (size_t)tile * 4 + 4;
	}
	demo_blob(out, column, b->p, b->n);
}

/* Does the i-th of n get a blob? About `bytes` of them do, evenly spread. */
static bool
is_wanted(const struct demo_model *m, int64_t bytes, size_t i, size_t n)
{
	size_t want = (size_t)ts_clamp_i64(bytes / (m->all_tiles * 4), 2, (int64_t)n);
	return i * want / n != (i + 1) * want / n;
}

static bool
blob_wanted(const struct demo_model *m, size_t i, size_t n)
{
	return is_wanted(m, m->shape.blob_bytes, i, n);
}

static bool
cycles_wanted(const struct demo_model *m, size_t i, size_t n)
{
	return !m->o.oom && is_wanted(m, m->shape.cycle_bytes, i, n);
}

static bool
is_exchange(const struct demo_prog *p)
{
	return p->type == DEMO_DO_EXCHANGE || p->type == DEMO_GLOBAL_EXCHANGE;
}

/* ---- programs ---- */

static void
program_blobs(struct demo_out *out, const struct demo_model *m, const struct demo_prog *p,
	struct blob b[6])
{
	if (!p->cycles)
		return;
	blob_bind(out, 6, m, p, &b[0], 1, value_control);
	if (!is_exchange(p))
		return;
	blob_bind(out, 7, m, p, &b[1], 1, value_code);
	blob_bind(out, 8, m, p, &b[2], 1, value_estimate);
	blob_bind(out, 10, m, p, &b[4], 1, value_data);
	blob_bind(out, 11, m, p, &b[5], 1, value_data);
}

static void
program_rows(struct demo_out *out, const struct demo_model *m, struct blob b[6])
{
	demo_begin(out, "program", 12);
	for (size_t i = 0; i < m->nprogs; i++) {
		const struct demo_prog *p = &m->progs[i];
		demo_int(out, 0, (int64_t)i);
		demo_text(out, 1, demo_types[p->type].name);
		demo_text(out, 2, demo_name(m, p->name));
		for (int c = 3; c < 12; c++)
			demo_null(out, c);
		if (p->cs >= 0)
			demo_int(out, 3, p->cs);
		if (i == m->loop || i == m->chunks)
			demo_int(out, 4, i == m->loop ? m->run[0].phases : m->run[0].chunks);
		if (demo_context_of_prog(m, i))
			demo_int(out, 5, demo_context_of_prog(m, i));
		if (blob_wanted(m, i, m->nprogs))
			program_blobs(out, m, p, b);
		if (p->cycles && is_exchange(p) && cycles_wanted(m, i, m->nprogs))
			blob_bind(out, 9, m, p, &b[3], 1, value_cycles);
		if (!demo_row(out))
			break;
	}
	demo_end(out);
}

static void
tree_write(struct demo_out *out, const struct demo_model *m)
{
	demo_begin(out, "program_child", 3);
	for (size_t p = 0; p < m->nprogs; p++) {
		for (uint32_t i = m->progs[p].first_link; i < demo_links_end(m, p); i++) {
			demo_int(out, 0, (int64_t)p);
			demo_int(out, 1, i - m->progs[p].first_link);
			demo_int(out, 2, m->links[i].child);
			if (!demo_row(out))
				break;
		}
	}
	demo_end(out);
	uint32_t controls = m->progs[0].first_link, n = demo_links_end(m, 0) - controls;
	demo_begin(out, "program_root", 3);
	for (uint32_t i = 0; i < n + m->nroots; i++) {
		demo_text(out, 0, i < n ? "control" : "function");
		demo_int(out, 1, i < n ? i : i - n);
		demo_int(out, 2, i < n ? m->links[controls + i].child : m->roots[i - n]);
		demo_row(out);
	}
	demo_end(out);
}

/* So many vertices of a type on each tile of a compute set. */
static void
vertex_row(struct demo_out *out, const struct demo_model *m, size_t cs, int vertex, int of_tile,
	struct blob b[6])
{
	const struct demo_prog *p = &m->progs[m->cs[cs].prog];

	demo_int(out, 0, (int64_t)cs);
	demo_int(out, 1, vertex);
	demo_int(out, 2, (int64_t)of_tile * p->active);
	demo_null(out, 3);
	if (blob_wanted(m, cs, m->ncs))
		blob_bind(out, 3, m, p, &b[0], of_tile, value_one);
	demo_row(out);
}

static void
compute_sets_write(struct demo_out *out, const struct demo_model *m, struct blob b[6])
{
	demo_begin(out, "compute_set", 5);
	for (size_t i = 0; i < m->ncs; i++) {
		const struct demo_prog *p = &m->progs[m->cs[i].prog];
		demo_int(out, 0, (int64_t)i);
		demo_text(out, 1, demo_name(m, m->cs[i].name));
		demo_int(out, 2, demo_context_of_cs(m, i));
		demo_null(out, 3);
		demo_null(out, 4);
		if (blob_wanted(m, i, m->ncs))
			blob_bind(out, 3, m, p, &b[0], 1, value_estimate);
		if (cycles_wanted(m, i, m->ncs))
			blob_bind(out, 4, m, p, &b[1], 1, value_cycles);
		if (!demo_row(out))
			break;
	}
	demo_end(out);
	demo_begin(out, "compute_set_vertex", 4);
	for (size_t i = 0; i < m->ncs; i++) {
		const struct demo_prog *p = &m->progs[m->cs[i].prog];
		int of_tile = (int)(m->cs[i].instances / p->active), beside = demo_beside(m, i);

		vertex_row(out, m, i, m->cs[i].vertex, of_tile - (beside > 0), b);
		if (beside)
			vertex_row(out, m, i, beside - 1, 1, b);
	}
	demo_end(out);
}

static void
programs_write(struct demo_out *out, const struct demo_model *m)
{
	struct blob b[6] = {{0}};
	bool ok = true;
	for (int i = 0; i < 6; i++)
		ok = (b[i].p = ts_alloc((size_t)m->all_tiles, 4)) && ok;
	if (!ok)
		demo_nomem(out);
	if (ok) {
		program_rows(out, m, b);
		tree_write(out, m);
		compute_sets_write(out, m, b);
	}
	for (int i = 0; i < 6; i++)
		free(b[i].p);
}

/* ---- debug information and operations ---- */

static bool
context_row(struct demo_out *out, int64_t id, int64_t parent, const char *layer, const char *name,
	const char *file)
{
	demo_int(out, 0, id);
	if (parent)
		demo_int(out, 1, parent);
	else
		demo_null(out, 1);
	demo_text(out, 2, layer);
	demo_text(out, 3, name);
	demo_text(out, 4, file);
	demo_text(out, 5, file ? "forward" : NULL);
	if (file)
		demo_int(out, 6, 20 + id % 400);
	else
		demo_null(out, 6);
	demo_text(out, 7, file ? "{\"category\":\"op\"}" : NULL);
	return demo_row(out);
}

static void
contexts_write(struct demo_out *out, const struct demo_model *m)
{
	demo_begin(out, "context", 8);
	context_row(out, 1, 0, "poptorch", "BertForPreTraining", "modeling.py");
	for (size_t i = 0; i < m->nsections; i++)
		context_row(out, 2 + (int64_t)i, 1, "poptorch", demo_name(m, m->sections[i]),
			"modeling.py");
	for (size_t i = 0; i < m->ngroups; i++)
		context_row(out, demo_context_of_group(m, (uint32_t)i), 2 + m->groups[i].section,
			"popart", demo_name(m, m->groups[i].name), "bert.py");
	for (size_t i = 0; i < m->ncs; i++) {
		int64_t leaf = demo_context_of_cs(m, i);
		const char *name = demo_name(m, m->cs[i].name);
		if (!context_row(out, leaf, leaf + 1, "poplar", name, NULL) ||
			!context_row(out, leaf + 1, demo_context_of_group(m, m->cs[i].group),
				"poplibs", name, NULL))
			break;
	}
	demo_end(out);
}

static void
operations_write(struct demo_out *out, const struct demo_model *m)
{
	demo_begin(out, "operation", 7);
	for (size_t i = 0; i < m->ngroups; i++) {
		const struct demo_group *g = &m->groups[i];
		const char *name = demo_name(m, g->name), *slash = strrchr(name, '/');
		demo_int(out, 0, (int64_t)i);
		demo_text(out, 1, "popart");
		demo_text(out, 2, slash ? slash + 1 : name);
		demo_text(out, 3, name);
		demo_int(out, 4, demo_context_of_group(m, (uint32_t)i));
		demo_int(out, 5, g->from);
		demo_int(out, 6, g->to - 1);
		if (!demo_row(out))
			break;
	}
	demo_end(out);
	demo_begin(out, "operation_program", 2);
	for (size_t i = 0; i < m->ngroups && out->code == TS_OK; i++) {
		demo_int(out, 0, (int64_t)i);
		for (uint32_t s = m->groups[i].from; s < m->groups[i].to; s++) {
			demo_int(out, 1, m->live[s]);
			demo_row(out);
		}
	}
	demo_end(out);
}

void
demo_store_programs(struct demo_out *out, const struct demo_model *m)
{
	programs_write(out, m);
	contexts_write(out, m);
	operations_write(out, m);
}
