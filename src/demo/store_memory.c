/* SPDX-License-Identifier: MIT */
/*
 * store_memory - relations of the demo's store on memory: tiles, categories, liveness and
 * variables.
 *
 * Large relations come last in the file, so that the start of a file that was cut still says much.
 */
#include "config.h"

#include "internal.h"

#include <stdlib.h>
#include <string.h>

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

static void
vertices_write(struct demo_out *out, const struct demo_model *m)
{
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
		uint32_t code[DEMO_VERTEX_COUNT];
		demo_tile_fill(m, i, &t);
		demo_tile_code(m, &t, code);
		for (int k = 0; k < DEMO_VERTEX_COUNT; k++) {
			if (!code[k])
				continue;
			demo_int(out, 0, i);
			demo_int(out, 1, k);
			demo_int(out, 2, code[k]);
			demo_row(out);
		}
	}
	demo_end(out);
}

/* ---- liveness ---- */

/* Bytes that are live on each IPU, step by step. */
struct live {
	const struct demo_model *m;
	int64_t *bytes; /* of each IPU, at the step last asked for */
	size_t *next;	/* event */
};

static bool
live_begin(struct live *l, const struct demo_model *m)
{
	l->m = m;
	l->bytes = ts_alloc((size_t)m->ipus, sizeof(*l->bytes));
	l->next = ts_alloc((size_t)m->ipus, sizeof(*l->next));
	return l->bytes && l->next;
}

static void
live_end(struct live *l)
{
	free(l->bytes);
	free(l->next);
}

/* The sum over the IPUs; steps in ascending order. */
static int64_t
live_at(struct live *l, size_t step)
{
	int64_t all = 0;
	for (int i = 0; i < l->m->ipus; i++) {
		for (; l->next[i] < l->m->nevents[i]; l->next[i]++) {
			const struct demo_event *e = &l->m->events[i][l->next[i]];
			int64_t bytes = l->m->class_bytes[e->class];
			if (e->step > step)
				break;
			if (e->class == DEMO_CLASS_INPUT && i) /* the input is IPU 0's */
				continue;
			l->bytes[i] += e->begins ? bytes : -bytes;
		}
		all += l->bytes[i];
	}
	return all;
}

static void
liveness_rows(struct demo_out *out, const struct demo_model *m, bool by_ipu)
{
	struct live l = {0};
	demo_begin(out, by_ipu ? "liveness_step_ipu" : "liveness_step", 3);
	if (!live_begin(&l, m))
		demo_nomem(out);
	for (size_t s = 0; s < m->nlive && out->code == TS_OK; s++) {
		int64_t all = live_at(&l, s);
		demo_int(out, 0, (int64_t)s);
		for (int i = 0; by_ipu && i < m->ipus; i++) {
			demo_int(out, 1, i);
			demo_int(out, 2, l.bytes[i]);
			demo_row(out);
		}
		if (by_ipu)
			continue;
		demo_int(out, 1, m->live[s]);
		demo_int(out, 2, all);
		demo_row(out);
	}
	live_end(&l);
	demo_end(out);
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
			demo_int(out, 5, demo_context_of_group(m, v.group));
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

void
demo_store_memory(struct demo_out *out, const struct demo_model *m)
{
	tile_memory_write(out, m);
	categories_write(out, m);
	vertices_write(out, m);
	liveness_rows(out, m, false);
	liveness_rows(out, m, true);
	intervals_write(out, m);
}

/* ---- by tile ---- */

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
		demo_int(out, 11, demo_context_of_group(l->m, v->group));
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

void
demo_store_variables(struct demo_out *out, const struct demo_model *m)
{
	struct demo_vars v = {0};
	if (!demo_vars_init(&v, m))
		demo_nomem(out);
	variables_write(out, m);
	if (out->code == TS_OK) {
		always_live_write(out, m, &v);
		uses_write(out, m, &v, false);
		uses_write(out, m, &v, true);
		lowered_write(out, m, &v);
	}
	demo_vars_fini(&v);
}
