/* SPDX-License-Identifier: MIT */
/*
 * demo_store - the demo report as a store: every relation of the model, filled.
 *
 * `_by_tile` blobs are given to some programs and compute sets only: a column of them may take
 * so many bytes (demo_shape), and those that get one are spread evenly.
 */
#include "config.h"

#include "demo_internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tilescope/base/embedded.h"

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
value_in(const struct demo_model *m, const struct demo_prog *p, uint32_t tile)
{
	return demo_tile_cycles(m, p, tile) ? p->data / p->active / 4 * 4 : 0;
}

static uint32_t
value_out(const struct demo_model *m, const struct demo_prog *p, uint32_t tile)
{
	return demo_tile_cycles(m, p, tile) ? p->data / p->active / 16 * 15 / 4 * 4 : 0;
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

/* Does the i-th of n get a blob? About `blob_bytes` of them do, evenly spread. */
static bool
blob_wanted(const struct demo_model *m, size_t i, size_t n)
{
	size_t want = (size_t)ts_clamp_i64(m->shape.blob_bytes / (m->all_tiles * 4), 2, (int64_t)n);
	return i * want / n != (i + 1) * want / n;
}

/* ---- report and target ---- */

static void
pairs_write(struct demo_out *out, const char *table, const char *const (*rows)[2], size_t n)
{
	demo_begin(out, table, 2);
	for (size_t i = 0; i < n; i++) {
		demo_text(out, 0, rows[i][0]);
		demo_text(out, 1, rows[i][1]);
		if (!demo_row(out))
			break;
	}
	demo_end(out);
}

static void
report_write(struct demo_out *out)
{
	static const char *const report[][2] = {
		{"store_version", "1"},
		{"source", "store"},
		{"poplar_version", "3.1.0"},
		{"package_hash", "demo000000"},
		{"format_version", "3.1.0"},
		{"compute_instrumentation", "tile"},
		{"exchange_instrumentation", "tile"},
		{"created", "2023-01-16T09:30:00Z"},
		{"replicas", "1"},
	};
	static const char *const host[][2] = {
		{"command line", "tilescope demo (no program was run, no IPU was used)"},
		{"directory", "/home/demo/bert"},
		{"machine", "x86_64"},
		{"operating system", "Linux"},
		{"environment", "POPLAR_ENGINE_OPTIONS={\"autoReport.all\":\"true\"}"},
	};
	static const char *const option[][3] = {
		{"compilation", "autoReport.all", "true"},
		{"compilation", "autoReport.directory", "./profile"},
		{"compilation", "autoReport.outputGraphProfile", "true"},
		{"compilation", "autoReport.outputLoweredVars", "true"},
		{"compilation", "autoReport.outputDebugInfo", "true"},
		{"compilation", "autoReport.outputArchive", "false"},
		{"compilation", "debug.allowOutOfMemory", "true"},
		{"compilation", "debug.instrument", "true"},
		{"compilation", "debug.instrumentCompute", "true"},
		{"compilation", "debug.instrumentExternalExchange", "true"},
		{"compilation", "debug.instrumentControlFlow", "true"},
		{"compilation", "debug.computeInstrumentationLevel", "tile"},
		{"execution", "autoReport.outputExecutionProfile", "true"},
		{"execution", "autoReport.executionProfileProgramRunCount", "2"},
		{"execution", "profiler.replicaToProfile", "0"},
		{"execution", "profiler.blocks.filter", ".*"},
	};
	pairs_write(out, "report", report, TS_COUNT(report));
	pairs_write(out, "host", host, TS_COUNT(host));
	demo_begin(out, "engine_option", 3);
	for (size_t i = 0; i < TS_COUNT(option); i++) {
		for (int c = 0; c < 3; c++)
			demo_text(out, c, option[i][c]);
		demo_row(out);
	}
	demo_end(out);
}

static int64_t
variables_written(const struct demo_model *m)
{
	int64_t n = 0;
	for (int c = 1; c < DEMO_CATEGORIES; c++)
		n += m->category_bytes[c] > 0;
	for (int64_t v = 0; v < m->nvariables; v++)
		n += m->variable_bytes[v] > 0;
	return n;
}

static void
count_row(struct demo_out *out, const char *name, int64_t n)
{
	demo_text(out, 0, name);
	demo_int(out, 1, n);
	demo_row(out);
}

static void
target_write(struct demo_out *out, const struct demo_model *m)
{
	demo_begin(out, "target", 7);
	demo_text(out, 0, "IPU");
	demo_text(out, 1, m->target->architecture);
	demo_int(out, 2, m->ipus);
	demo_int(out, 3, 1);
	demo_int(out, 4, m->tiles);
	demo_int(out, 5, m->target->tile_bytes);
	demo_real(out, 6, m->target->clock_hz);
	demo_row(out);
	demo_end(out);
	demo_begin(out, "ipu", 4);
	for (int i = 0; i < m->ipus; i++) {
		demo_int(out, 0, i);
		demo_int(out, 1, 0);
		demo_int(out, 2, (int64_t)i * m->tiles);
		demo_int(out, 3, m->tiles);
		demo_row(out);
	}
	demo_end(out);
	int64_t vertices = 0;
	for (size_t i = 0; i < m->ncs; i++)
		vertices += m->cs[i].instances;
	demo_begin(out, "graph_count", 2);
	count_row(out, "compute_sets", (int64_t)m->ncs);
	count_row(out, "edges", vertices * 7 / 2);
	count_row(out, "variables", variables_written(m));
	count_row(out, "vertices", vertices);
	demo_end(out);
}

/* ---- memory ---- */

static void
tile_memory_write(struct demo_out *out, const struct demo_model *m)
{
	demo_begin(out, "tile_memory", 10);
	for (int64_t i = 0; i < m->all_tiles; i++) {
		struct demo_tile t;
		demo_tile_fill(m, i, &t);
		int64_t gaps = t.total + (int64_t)t.gap;
		demo_int(out, 0, i);
		demo_int(out, 1, t.ipu);
		demo_int(out, 2,
			i % m->tiles ^ (i % m->tiles / 4 % 2 && (i % m->tiles | 1) < m->tiles));
		demo_int(out, 3, t.total);
		demo_int(out, 4, gaps);
		for (int r = 0; r < DEMO_REGIONS; r++)
			demo_int(out, 5 + r, t.region[r]);
		demo_int(out, 8, m->place[i].always);
		demo_int(out, 9, m->place[i].peak);
		if (!demo_row(out))
			break;
	}
	demo_end(out);
}

/* Categories fill the regions in the order in which they lie: `variable` last. */
static void
tile_category_rows(struct demo_out *out, const struct demo_tile *t)
{
	uint32_t left[DEMO_REGIONS];
	memcpy(left, t->region, sizeof(left));
	for (int k = 1, r = 0; k <= DEMO_CATEGORIES; k++) {
		int c = k % DEMO_CATEGORIES;
		uint32_t bytes = t->bytes[c];
		for (; bytes; r += !left[r]) {
			uint32_t here = (uint32_t)ts_min_i64(bytes, left[r]);
			left[r] -= here;
			bytes -= here;
			if (!here)
				continue;
			demo_int(out, 0, t->tile);
			demo_int(out, 1, c);
			demo_text(out, 2, demo_regions[r]);
			demo_int(out, 3, here);
			demo_int(out, 4, 0);
			if (!demo_row(out))
				return;
		}
	}
}

static void
categories_write(struct demo_out *out, const struct demo_model *m)
{
	demo_begin(out, "memory_category", 2);
	for (int i = 0; i < DEMO_CATEGORIES; i++) {
		demo_int(out, 0, i);
		demo_text(out, 1, demo_categories[i]);
		demo_row(out);
	}
	demo_end(out);
	demo_begin(out, "tile_category", 5);
	for (int64_t i = 0; i < m->all_tiles && out->code == TS_OK; i++) {
		struct demo_tile t;
		demo_tile_fill(m, i, &t);
		tile_category_rows(out, &t);
	}
	demo_end(out);
	demo_begin(out, "memory_element", 4);
	for (int i = 0; i < m->target->tile_bytes / DEMO_ELEMENT_BYTES; i++) {
		demo_int(out, 0, i);
		demo_int(out, 1, i * DEMO_ELEMENT_BYTES);
		demo_int(out, 2, DEMO_ELEMENT_BYTES);
		demo_int(out, 3, i * DEMO_ELEMENT_BYTES >= m->target->non_interleaved);
		demo_row(out);
	}
	demo_end(out);
}

/* Vertex code of a tile, over a few types: the last one takes the rest. */
static void
vertices_write(struct demo_out *out, const struct demo_model *m)
{
	enum { CODE = 4, TYPES = 5 };
	demo_begin(out, "vertex_type", 3);
	for (int i = 0; i < DEMO_VERTEX_COUNT; i++) {
		demo_int(out, 0, i);
		demo_text(out, 1, demo_vertices[i].name);
		demo_int(out, 2, demo_vertices[i].state_bytes);
		demo_row(out);
	}
	demo_end(out);
	demo_begin(out, "tile_vertex", 3);
	for (int64_t i = 0; i < m->all_tiles && out->code == TS_OK; i++) {
		struct demo_tile t;
		demo_tile_fill(m, i, &t);
		uint32_t left = t.bytes[CODE],
			 first = demo_below(demo_hash(m->seed, 'x', (uint64_t)i), 10);
		for (uint32_t k = 0; left && k < TYPES; k++) {
			uint32_t here = k + 1 < TYPES ? (left / 3) & ~3u : left;
			demo_int(out, 0, i);
			demo_int(out, 1, first + k);
			demo_int(out, 2, here);
			demo_row(out);
			left -= here;
		}
	}
	demo_end(out);
}

/* ---- programs ---- */

/* Numbers of debug contexts: the model, its sections, their operations, compute sets. */
static int64_t
context_of_group(const struct demo_model *m, uint32_t g)
{
	return 2 + (int64_t)m->nsections + g;
}

static int64_t
context_of_cs(const struct demo_model *m, size_t cs)
{
	return 2 + (int64_t)m->nsections + (int64_t)m->ngroups + (int64_t)cs;
}

static void
program_blobs(struct demo_out *out, const struct demo_model *m, const struct demo_prog *p,
	struct blob b[6])
{
	bool exchange = p->type == DEMO_DO_EXCHANGE || p->type == DEMO_GLOBAL_EXCHANGE;
	for (int c = 6; c < 12; c++)
		demo_null(out, c);
	if (!p->cycles)
		return;
	blob_bind(out, 6, m, p, &b[0], 1, value_control);
	if (!exchange)
		return;
	blob_bind(out, 7, m, p, &b[1], 1, value_code);
	blob_bind(out, 8, m, p, &b[2], 1, value_estimate);
	if (!m->o.oom)
		blob_bind(out, 9, m, p, &b[3], 1, value_cycles);
	blob_bind(out, 10, m, p, &b[4], 1, value_in);
	blob_bind(out, 11, m, p, &b[5], 1, value_out);
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
		if (p->cs >= 0)
			demo_int(out, 5, context_of_cs(m, (size_t)p->cs));
		else if (p->group < m->ngroups && p->ipu != DEMO_ALL)
			demo_int(out, 5, context_of_group(m, p->group));
		if (blob_wanted(m, i, m->nprogs))
			program_blobs(out, m, p, b);
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

static void
compute_sets_write(struct demo_out *out, const struct demo_model *m, struct blob b[6])
{
	demo_begin(out, "compute_set", 5);
	for (size_t i = 0; i < m->ncs; i++) {
		const struct demo_prog *p = &m->progs[m->cs[i].prog];
		demo_int(out, 0, (int64_t)i);
		demo_text(out, 1, demo_name(m, m->cs[i].name));
		demo_int(out, 2, context_of_cs(m, i));
		demo_null(out, 3);
		demo_null(out, 4);
		if (blob_wanted(m, i, m->ncs)) {
			blob_bind(out, 3, m, p, &b[0], 1, value_estimate);
			if (!m->o.oom)
				blob_bind(out, 4, m, p, &b[1], 1, value_cycles);
		}
		if (!demo_row(out))
			break;
	}
	demo_end(out);
	demo_begin(out, "compute_set_vertex", 4);
	for (size_t i = 0; i < m->ncs; i++) {
		const struct demo_prog *p = &m->progs[m->cs[i].prog];
		demo_int(out, 0, (int64_t)i);
		demo_int(out, 1, m->cs[i].vertex);
		demo_int(out, 2, m->cs[i].instances);
		demo_null(out, 3);
		if (blob_wanted(m, i, m->ncs))
			blob_bind(out, 3, m, p, &b[0], m->cs[i].instances / p->active, value_one);
		if (!demo_row(out))
			break;
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
	if (!ok && out->code == TS_OK)
		out->code = ts_err_nomem(out->err);
	if (ok) {
		program_rows(out, m, b);
		tree_write(out, m);
		compute_sets_write(out, m, b);
	}
	for (int i = 0; i < 6; i++)
		free(b[i].p);
}

/* ---- liveness ---- */

/* Bytes live at each step on each IPU: [step * ipus + ipu]. */
static int64_t *
live_bytes(const struct demo_model *m)
{
	size_t n = (size_t)m->ipus;
	int64_t *sum = ts_alloc((m->nlive + 1) * n, sizeof(*sum));
	if (!sum)
		return NULL;
	for (int i = 0; i < m->ipus; i++) {
		for (size_t k = 0; k < m->nevents[i]; k++) {
			const struct demo_event *e = &m->events[i][k];
			int64_t bytes = e->class == DEMO_CLASS_INPUT
				? (m->own[i][0] ? 0 : m->class_bytes[e->class])
				: m->class_bytes[e->class];
			sum[e->step * n + (size_t)i] += e->begins ? bytes : -bytes;
		}
	}
	for (size_t k = n; k < (m->nlive + 1) * n; k++)
		sum[k] += sum[k - n];
	return sum;
}

static void
liveness_write(struct demo_out *out, const struct demo_model *m)
{
	int64_t *sum = live_bytes(m);
	if (!sum && out->code == TS_OK)
		out->code = ts_err_nomem(out->err);
	demo_begin(out, "liveness_step", 3);
	for (size_t s = 0; s < m->nlive && out->code == TS_OK; s++) {
		int64_t all = 0;
		for (int i = 0; i < m->ipus; i++)
			all += sum[s * (size_t)m->ipus + (size_t)i];
		demo_int(out, 0, (int64_t)s);
		demo_int(out, 1, m->live[s]);
		demo_int(out, 2, all);
		demo_row(out);
	}
	demo_end(out);
	demo_begin(out, "liveness_step_ipu", 3);
	for (size_t s = 0; s < m->nlive; s++) {
		for (int i = 0; i < m->ipus && out->code == TS_OK; i++) {
			demo_int(out, 0, (int64_t)s);
			demo_int(out, 1, i);
			demo_int(out, 2, sum[s * (size_t)m->ipus + (size_t)i]);
			demo_row(out);
		}
	}
	demo_end(out);
	free(sum);
}

static void
variables_write(struct demo_out *out, const struct demo_model *m)
{
	char name[DEMO_NAME_MAX];
	demo_begin(out, "variable", 6);
	for (int64_t i = 1; i < DEMO_CATEGORIES + m->nvariables && out->code == TS_OK; i++) {
		bool pseudo = i < DEMO_CATEGORIES;
		struct demo_variable v = {.always = true};
		int64_t bytes = pseudo ? m->category_bytes[i]
				       : m->variable_bytes[i - DEMO_CATEGORIES];
		if (!bytes)
			continue;
		if (!pseudo) {
			demo_variable(m, (uint32_t)(i - DEMO_CATEGORIES), &v);
			demo_variable_name(m, (uint32_t)(i - DEMO_CATEGORIES), name);
		}
		demo_int(out, 0, i);
		demo_text(out, 1, pseudo ? demo_categories[i] : name);
		demo_int(out, 2, bytes);
		demo_int(out, 3, v.always);
		demo_text(out, 4, v.type);
		if (pseudo)
			demo_null(out, 5);
		else
			demo_int(out, 5, context_of_group(m, v.group));
		demo_row(out);
	}
	demo_end(out);
}

static void
intervals_write(struct demo_out *out, const struct demo_model *m)
{
	demo_begin(out, "class_interval", 3);
	for (size_t c = 0; c < m->nclasses; c++) {
		for (int k = 0; k < DEMO_INTERVALS && m->intervals[c][k].end; k++) {
			demo_int(out, 0, (int64_t)c);
			demo_int(out, 1, m->intervals[c][k].start);
			demo_int(out, 2, m->intervals[c][k].end);
			demo_row(out);
		}
	}
	demo_end(out);
	demo_begin(out, "liveness_variable", 3);
	for (int64_t i = 0; i < m->nvariables && out->code == TS_OK; i++) {
		struct demo_variable v;
		demo_variable(m, (uint32_t)i, &v);
		for (int k = 0; k < DEMO_INTERVALS && m->intervals[v.class][k].end; k++) {
			if (!m->variable_bytes[i] || v.always)
				break;
			demo_int(out, 0, DEMO_CATEGORIES + i);
			demo_int(out, 1, m->intervals[v.class][k].start);
			demo_int(out, 2, m->intervals[v.class][k].end);
			demo_row(out);
		}
	}
	demo_end(out);
}

static bool
always_row(struct demo_out *out, int64_t tile, const char *name, int64_t bytes)
{
	demo_int(out, 0, tile);
	demo_text(out, 1, name);
	demo_int(out, 2, bytes);
	return demo_row(out);
}

/* Pseudo-variables by category, the first few variables, and the others in one row. */
static void
tile_always_rows(struct demo_out *out, const struct demo_model *m, int64_t tile,
	struct demo_vars *v)
{
	enum { NAMED = 6 };
	struct demo_tile t;
	char name[DEMO_NAME_MAX];
	int64_t others = 0;
	int named = 0;
	demo_tile_fill(m, tile, &t);
	demo_vars_fill(m, &t, v);
	for (int c = 1; c < DEMO_CATEGORIES; c++) {
		if (t.bytes[c])
			always_row(out, tile, demo_categories[c], t.bytes[c]);
	}
	for (uint32_t i = 0; i < t.variables; i++) {
		struct demo_variable d;
		demo_variable(m, v->id[i], &d);
		if (!d.always)
			continue;
		if (named++ < NAMED) {
			demo_variable_name(m, v->id[i], name);
			always_row(out, tile, name, v->bytes[i]);
		} else
			others += v->bytes[i];
	}
	if (others)
		always_row(out, tile, "other weights and state", others);
}

static void
always_live_write(struct demo_out *out, const struct demo_model *m, struct demo_vars *v)
{
	demo_begin(out, "tile_always_live", 3);
	for (int64_t i = 0; i < m->all_tiles && out->code == TS_OK; i++)
		tile_always_rows(out, m, i, v);
	demo_end(out);
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
		context_row(out, context_of_group(m, (uint32_t)i), 2 + m->groups[i].section,
			"popart", demo_name(m, m->groups[i].name), "bert.py");
	for (size_t i = 0; i < m->ncs; i++) {
		if (!context_row(out, context_of_cs(m, i), context_of_group(m, m->cs[i].group),
			    "poplibs", demo_name(m, m->cs[i].name), NULL))
			break;
	}
	demo_end(out);
}

static void
operations_write(struct demo_out *out, struct demo_model *m)
{
	demo_begin(out, "operation", 7);
	for (size_t i = 0; i < m->ngroups; i++) {
		const struct demo_group *g = &m->groups[i];
		const char *name = demo_name(m, g->name), *slash = strrchr(name, '/');
		demo_int(out, 0, (int64_t)i);
		demo_text(out, 1, "popart");
		demo_text(out, 2, slash ? slash + 1 : name);
		demo_text(out, 3, name);
		demo_int(out, 4, context_of_group(m, (uint32_t)i));
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

/* Variables of operations and of programs: those on the first tile of each IPU. */
static void
uses_write(struct demo_out *out, const struct demo_model *m, struct demo_vars *v, bool of_programs)
{
	demo_begin(out, of_programs ? "program_variable" : "operation_variable", 2);
	int64_t id = 0;
	for (int64_t tile = 0; tile < m->all_tiles && out->code == TS_OK; tile++) {
		struct demo_tile t;
		demo_tile_fill(m, tile, &t);
		if (!(tile % m->tiles)) {
			demo_vars_fill(m, &t, v);
			for (uint32_t i = 0; i < t.variables; i++) {
				uint32_t g = v->id[i] / m->per_group;
				uint32_t program = m->live[m->groups[g].to - 1];
				demo_int(out, 0, of_programs ? program : g);
				demo_int(out, 1, id + t.rows - t.variables + i);
				if (!demo_row(out))
					break;
			}
		}
		id += t.rows;
	}
	demo_end(out);
}

/* ---- lowered variables ---- */

struct lowered {
	struct demo_out *out;
	const struct demo_model *m;
	int64_t id, tile;
	uint32_t offset;
	char name[DEMO_BATCH][DEMO_NAME_MAX];
};

static bool
lowered_row(struct lowered *l, const char *name, size_t n, uint32_t bytes,
	const struct demo_variable *v, int64_t variable)
{
	struct demo_out *out = l->out;
	demo_int(out, 0, l->id++);
	demo_int(out, 1, l->tile);
	demo_bytes(out, 2, name, n);
	demo_int(out, 3, bytes);
	demo_int(out, 4, l->offset);
	demo_int(out, 5, l->offset % 16 ? l->offset % 8 ? 4 : 8 : 16);
	demo_int(out, 6, variable < DEMO_CATEGORIES ? variable : DEMO_VARIABLE);
	demo_int(out, 7, v->class);
	demo_int(out, 8, variable);
	demo_int(out, 9, v->always);
	demo_text(out, 10, v->type);
	if (v->type)
		demo_int(out, 11, context_of_group(l->m, v->group));
	else
		demo_null(out, 11);
	l->offset += bytes;
	return demo_row(out);
}

static bool
lowered_tile(struct lowered *l, struct demo_vars *v)
{
	static const struct demo_variable pseudo = {.class = DEMO_CLASS_ALWAYS, .always = true};
	struct demo_tile t;
	demo_tile_fill(l->m, l->tile, &t);
	demo_vars_fill(l->m, &t, v);
	l->offset = 0;
	for (int c = 1; c < DEMO_CATEGORIES; c++) {
		const char *name = demo_categories[c];
		if (t.bytes[c] && !lowered_row(l, name, strlen(name), t.bytes[c], &pseudo, c))
			return false;
	}
	/* the gap is before the region that follows it, else before the variables */
	uint32_t gap_at = t.region[1] ? t.region[0] : 0;
	for (uint32_t i = 0; i < t.variables; i++) {
		struct demo_variable d;
		char *name = l->name[l->out->at];
		demo_variable(l->m, v->id[i], &d);
		size_t n = demo_variable_name(l->m, v->id[i], name);
		if (t.gap && (l->offset >= gap_at || i + 1 == t.variables)) {
			l->offset += t.gap;
			t.gap = 0;
		}
		if (!lowered_row(l, name, n, v->bytes[i], &d, DEMO_CATEGORIES + (int64_t)v->id[i]))
			return false;
	}
	return true;
}

static void
lowered_write(struct demo_out *out, const struct demo_model *m, struct demo_vars *v)
{
	struct lowered l = {.out = out, .m = m};
	demo_begin_many(out, "lowered_variable", 12, m->variables);
	for (; l.tile < m->all_tiles; l.tile++) {
		if (!lowered_tile(&l, v))
			break;
	}
	demo_end(out);
}

/* ---- execution ---- */

static void
runs_write(struct demo_out *out, const struct demo_model *m)
{
	char name[32];
	demo_begin(out, "run", 6);
	for (int i = 0; i < DEMO_RUNS; i++) {
		const struct demo_run *r = &m->run[i];
		if (!r->count)
			continue;
		snprintf(name, sizeof(name), "training_step %d", i);
		demo_int(out, 0, i);
		demo_text(out, 1, name);
		demo_int(out, 2, r->start_us);
		demo_int(out, 3, r->end_us);
		demo_int(out, 4, r->first);
		demo_int(out, 5, r->count);
		demo_row(out);
	}
	demo_end(out);
}

/* Lightweight profiling of the first tile of each IPU; their clocks start at different times. */
static void
blocks_write(struct demo_out *out, const struct demo_model *m)
{
	static const struct {
		const char *name, *kind;
		int from, to; /* 1/1,000 of the run */
	} blocks[] = {
		{"anchors/input_ids", "stream_copy", 5, 95},
		{"gradient_accumulation/forward", "common", 100, 420},
		{"gradient_accumulation/backward", "common", 420, 880},
		{"AdamW", "common", 880, 970},
		{"anchors/loss", "stream_copy", 972, 990},
		{"flush", "flush", 990, 999},
	};
	demo_begin(out, "block", 7);
	for (int i = 0; i < m->ipus; i++) {
		int64_t seq = 0;
		for (int r = 0; r < DEMO_RUNS && m->run[r].count; r++) {
			int64_t skew = (int64_t)i * 103177,
				length = m->run[r].end - m->run[r].start;
			for (size_t k = 0; k < TS_COUNT(blocks); k++) {
				demo_int(out, 0, (int64_t)i * m->tiles);
				demo_int(out, 1, seq++);
				demo_null(out, 2);
				demo_text(out, 3, blocks[k].name);
				demo_text(out, 4,
					r && k + 1 == TS_COUNT(blocks) ? "overflow"
								       : blocks[k].kind);
				demo_int(out, 5,
					m->run[r].start + skew + length / 1000 * blocks[k].from);
				demo_int(out, 6,
					m->run[r].start + skew + length / 1000 * blocks[k].to);
				demo_row(out);
			}
		}
	}
	demo_end(out);
}

static void
step_row(struct demo_out *out, const struct demo_step *s)
{
	demo_int(out, 0, s->step);
	demo_int(out, 1, s->run);
	demo_text(out, 2, demo_types[s->prog->type].name);
	demo_int(out, 3, s->entry->prog);
	if (s->prog->cs >= 0)
		demo_int(out, 4, s->prog->cs);
	else
		demo_null(out, 4);
	demo_null(out, 5); /* a step's name is its compute set's or its program's */
	demo_row(out);
}

static void
step_ipu_rows(struct demo_out *out, const struct demo_model *m, const struct demo_step *s,
	const struct demo_part *parts)
{
	for (int i = 0; i < m->ipus; i++) {
		const struct demo_part *p = &parts[i];
		demo_int(out, 0, s->step);
		demo_int(out, 1, i);
		demo_int(out, 2, p->end - p->start);
		demo_int(out, 3, p->start);
		demo_int(out, 4, p->end);
		if (p->active) {
			demo_int(out, 5, s->prog->active);
			demo_int(out, 6, p->start_max);
			demo_int(out, 7, p->end_min);
			demo_int(out, 8, p->data_in);
			demo_int(out, 9, p->data_out);
			demo_real(out, 10, s->prog->balance);
			demo_real(out, 11, s->prog->active_balance);
		} else {
			demo_int(out, 5, 0);
			for (int c = 6; c < 12; c++)
				demo_null(out, c);
		}
		if (!demo_row(out))
			return;
	}
}

static void
steps_write(struct demo_out *out, const struct demo_model *m)
{
	struct demo_part *parts = ts_alloc((size_t)m->ipus, sizeof(*parts));
	for (int pass = 0; pass < 2; pass++) {
		struct demo_walker w = {0};
		struct demo_step s;
		if (pass)
			demo_begin_many(out, "step_ipu", 12, m->steps * m->ipus);
		else
			demo_begin_many(out, "step", 6, m->steps);
		if ((!parts || !demo_walker_init(&w, m)) && out->code == TS_OK)
			out->code = ts_err_nomem(out->err);
		while (out->code == TS_OK && demo_walker_next(&w, &s, parts)) {
			if (pass)
				step_ipu_rows(out, m, &s, parts);
			else
				step_row(out, &s);
		}
		demo_walker_fini(&w);
		demo_end(out);
	}
	free(parts);
}

void
demo_store(struct demo_out *out, struct demo_model *m)
{
	const struct ts_embedded *ddl = ts_embedded_find("schemas/store.sql");
	struct demo_vars v = {0};
	demo_exec(out, ddl->text);
	if (m->o.oom)
		demo_exec(out,
			"DROP TABLE run; DROP TABLE block; DROP TABLE step; DROP TABLE step_ipu");
	if (!demo_vars_init(&v, m) && out->code == TS_OK)
		out->code = ts_err_nomem(out->err);
	report_write(out);
	target_write(out, m);
	tile_memory_write(out, m);
	categories_write(out, m);
	vertices_write(out, m);
	programs_write(out, m);
	liveness_write(out, m);
	intervals_write(out, m);
	contexts_write(out, m);
	operations_write(out, m);
	if (!m->o.oom) {
		runs_write(out, m);
		blocks_write(out, m);
		steps_write(out, m);
	}
	variables_write(out, m);
	if (out->code == TS_OK) {
		always_live_write(out, m, &v);
		uses_write(out, m, &v, false);
		uses_write(out, m, &v, true);
		lowered_write(out, m, &v);
	}
	demo_vars_fini(&v);
}
