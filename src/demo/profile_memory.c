/* SPDX-License-Identifier: MIT */
/* profile_memory - memory of tiles, by category, by vertex type and by compute set. */
#include "config.h"

#include "profile.h"

#include <stdlib.h>

static void
tiles(struct demo_out *out, const struct pf_model *m)
{
	/* columns of non-interleaved, interleaved and overflowed memory */
	static const int columns[DEMO_REGIONS] = {3, 1, 5};

	pf_begin_many(out, "memory_by_tile", m->all_tiles);
	for (int64_t t = 0; t < m->all_tiles && out->code == TS_OK; t++) {
		const struct pf_memory *y = &m->memory[t];
		const int64_t starts[DEMO_REGIONS] = {0, m->interleaved, m->tile_bytes};

		demo_int(out, 0, t);
		for (int k = 0; k < DEMO_REGIONS; k++) {
			demo_int(out, columns[k], y->region[k]);
			demo_int(out, columns[k] + 1,
				y->region[k] ? y->region_end[k] - starts[k] : 0);
		}
		demo_int(out, 7, y->total);
		demo_int(out, 8, y->end);
		demo_int(out, 9, y->always);
		demo_int(out, 10, y->peak);
		demo_row(out);
	}
	demo_end(out);
}

static void
list_by_tile(struct demo_out *out, int column, struct ts_strbuf *b, const uint32_t *v, int64_t n,
	int64_t *numbers)
{
	for (int64_t t = 0; t < n; t++)
		numbers[t] = v ? v[t] : 0;
	pf_put(out, column, b, TS_BLOB_LIST, numbers, (size_t)n);
}

static void
categories(struct demo_out *out, const struct pf_model *m, struct ts_strbuf *b, int64_t *numbers)
{
	/* interleaved memory comes first */
	static const int order[2 * DEMO_REGIONS] = {2, 3, 0, 1, 4, 5};

	pf_begin(out, "var_categories");
	for (int c = 0; c < PF_CATEGORIES; c++) {
		demo_int(out, 0, c);
		demo_text(out, 1, pf_categories[c].name);
		demo_text(out, 2, pf_categories[c].about);
		demo_row(out);
	}
	demo_end(out);
	pf_begin(out, "memory_by_category");
	for (int c = PF_CATEGORIES - 1; c >= 0 && out->code == TS_OK; c--) {
		demo_text(out, 0, pf_categories[c].name);
		for (int k = 0; k < 2 * DEMO_REGIONS; k++)
			list_by_tile(out, 1 + k, b, m->category[c][order[k]], m->all_tiles,
				numbers);
		demo_row(out);
	}
	demo_end(out);
}

/* Columns of vertices' memory, by use. */
static const int use_columns[PF_USES] = {
	[PF_COPY_PTR] = 0,
	[PF_DESCRIPTOR] = 1,
	[PF_EDGE_PTR] = 2,
	[PF_PADDING] = 3,
	[PF_DATA] = 4,
};

static void
vertex_types(struct demo_out *out, const struct pf_model *m, struct ts_strbuf *b, int64_t *numbers)
{
	uint32_t *counts = ts_alloc((size_t)m->all_tiles, sizeof(*counts));

	if (!counts)
		demo_nomem(out);
	pf_begin(out, "vertex_types");
	for (int v = 0; v < PF_VERTICES; v++) {
		demo_int(out, 0, v);
		demo_text(out, 1, pf_vertices[v].name);
		demo_int(out, 2, pf_vertices[v].size);
		demo_text(out, 3, pf_vertices[v].source);
		demo_row(out);
	}
	demo_end(out);
	pf_begin(out, "memory_by_vertex_type");
	for (int v = 0; v < PF_VERTICES && out->code == TS_OK; v++) {
		int64_t uses[PF_USES];

		pf_vertex_uses(uses, &pf_vertices[v]);
		for (int64_t t = 0; t < m->all_tiles; t++) {
			counts[t] = 0;
			numbers[t] = m->types[t] >> v & 1 ? pf_vertices[v].code : 0;
		}
		pf_put(out, 1, b, TS_BLOB_LIST, numbers, (size_t)m->all_tiles);
		for (size_t i = 0; i < m->sets_n; i++)
			for (int k = 0; k < 2; k++)
				for (uint32_t t = 0;
					m->sets[i].vertex[k] == v && t < m->sets[i].tiles; t++)
					counts[m->sets[i].tile + t] += m->sets[i].count[k];
		demo_int(out, 0, v);
		for (int u = 0; u < PF_USES; u++) {
			for (int64_t t = 0; t < m->all_tiles; t++)
				numbers[t] = uses[u] * counts[t];
			pf_put(out, 2 + use_columns[u], b, TS_BLOB_LIST, numbers,
				(size_t)m->all_tiles);
		}
		demo_row(out);
	}
	demo_end(out);
	free(counts);
}

static void
compute_sets(struct demo_out *out, const struct pf_model *m, struct ts_strbuf *b)
{
	pf_begin(out, "memory_by_compute_set");
	for (size_t i = 0; i < m->sets_n && out->code == TS_OK; i++) {
		const struct pf_set *s = &m->sets[i];
		int64_t uses[2][PF_USES] = {{0}};

		for (int k = 0; k < 2; k++)
			if (s->vertex[k] != PF_NO_VERTEX)
				pf_vertex_uses(uses[k], &pf_vertices[s->vertex[k]]);
		demo_int(out, 0, (int64_t)i);
		for (int u = 0; u < PF_USES; u++) {
			struct pf_range r = {s->tile, s->tiles,
				uses[0][u] * s->count[0] + uses[1][u] * s->count[1]};

			pf_put_ranges(out, 1 + use_columns[u], b, m->all_tiles, &r, 1);
		}
		demo_row(out);
	}
	demo_end(out);
}

void
pf_write_memory(struct demo_out *out, const struct pf_model *m)
{
	int64_t *numbers = ts_alloc((size_t)m->all_tiles, sizeof(*numbers));
	struct ts_strbuf b;

	ts_strbuf_init(&b, (size_t)1 << 28);
	if (!numbers)
		demo_nomem(out);
	if (out->code == TS_OK) {
		tiles(out, m);
		categories(out, m, &b, numbers);
		vertex_types(out, m, &b, numbers);
		compute_sets(out, m, &b);
	}
	ts_strbuf_fini(&b);
	free(numbers);
}
