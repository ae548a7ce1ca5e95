/* SPDX-License-Identifier: MIT */
/*
 * profile_variables - lowered variables in tile order, the allocator's order, classes, unlowered variables and how many
 * bytes of each lie where.
 */
#include "config.h"

#include "profile.h"

#include <stdio.h>
#include <stdlib.h>

/* ---- lowered variables ---- */

static void
suffix_put(struct demo_out *out, const struct pf_part *p)
{
	char text[16] = "";

	if (p->suffix != PF_NONE)
		snprintf(text, sizeof(text), p->category == PF_VARIABLE ? "#%d" : "%d", p->suffix);
	pf_put_text(out, 4, text);
}

static void
constraints_put(struct demo_out *out, const struct pf_tile *t, const struct pf_part *p,
	struct ts_strbuf *b)
{
	int64_t rows[PF_PARTNERS];
	size_t n = 0;

	for (int i = 0; i < PF_PARTNERS; i++)
		if (p->partner[i] >= 0 && t->row_of[p->partner[i]] >= 0)
			rows[n++] = t->row_of[p->partner[i]];
	if (n)
		pf_put(out, 10, b, TS_BLOB_LIST, rows, n);
	else
		demo_null(out, 10);
}

static void
lowered_row(struct demo_out *out, const struct pf_model *m, const struct pf_tile *t, int64_t tile,
	uint32_t i, struct ts_strbuf *b)
{
	enum { MUST_BE_INTERLEAVED = 1 << 7 };
	const struct pf_row *r = &t->rows[i];
	const struct pf_part *p = &m->parts[r->part];
	unsigned bits = p->bits;

	/* weights of matrices are read two words at a time: those that lie there have to */
	if (p->split && p->life == PF_ALWAYS && r->offset >= m->interleaved &&
		r->offset + r->bytes <= m->tile_bytes)
		bits |= MUST_BE_INTERLEAVED;
	demo_int(out, 0, m->first_row[tile] + i);
	demo_int(out, 1, tile);
	demo_int(out, 2, p->name);
	if (p->vertex >= 0)
		demo_int(out, 3, p->vertex + (tile - p->tile) * p->step);
	else
		demo_null(out, 3);
	suffix_put(out, p);
	demo_int(out, 5, r->bytes);
	demo_int(out, 6, p->alignment);
	demo_int(out, 7, r->offset);
	demo_int(out, 8, p->category);
	demo_int(out, 9, p->class + 1);
	constraints_put(out, t, p, b);
	if (p->told)
		demo_int(out, 12, pf_variable_id(p->variable));
	else
		demo_null(out, 12);
	demo_int(out, 13, bits);
	demo_row(out);
}

static void
lowered(struct demo_out *out, const struct pf_model *m, struct pf_tile *t, struct ts_strbuf *b)
{
	pf_begin_many(out, "vars_info", m->rows);
	for (int64_t tile = 0; tile < m->all_tiles && out->code == TS_OK; tile++) {
		pf_tile_place(t, m, tile);
		for (uint32_t i = 0; i < t->n && out->code == TS_OK; i++)
			lowered_row(out, m, t, tile, i, b);
	}
	demo_end(out);
	pf_begin_many(out, "vars_string_table", (int64_t)m->strings_n);
	for (size_t i = 0; i < m->strings_n && out->code == TS_OK; i++) {
		demo_int(out, 0, (int64_t)i);
		demo_text(out, 1, m->names.s + m->strings[i]);
		demo_row(out);
	}
	demo_end(out);
}

static void
allocation(struct demo_out *out, const struct pf_model *m, struct pf_tile *t, struct ts_strbuf *b)
{
	pf_begin(out, "allocation_order_by_tile");
	for (int64_t tile = 0; tile < m->all_tiles && out->code == TS_OK; tile++) {
		pf_tile_rows(t, m, tile);
		ts_strbuf_reset(b);
		for (uint32_t i = 0; i < t->placed; i++)
			ts_blob_put_number(b, m->first_row[tile] + t->order[i]);
		if (b->cut)
			demo_nomem(out);
		demo_int(out, 0, tile);
		demo_blob(out, 1, b->s, b->len);
		demo_row(out);
	}
	demo_end(out);
}

/* ---- classes ---- */

static void
classes(struct demo_out *out, const struct pf_model *m)
{
	pf_begin(out, "eq_classes");
	for (size_t i = 0; i < m->classes_n && out->code == TS_OK; i++) {
		demo_int(out, 0, (int64_t)i + 1);
		demo_int(out, 1, m->classes[i].life == PF_ALWAYS);
		demo_row(out);
	}
	demo_end(out);
	pf_begin_many(out, "eq_class_step", (int64_t)m->intervals_n);
	for (size_t i = 0; i < m->classes_n; i++)
		for (uint32_t k = 0; k < m->classes[i].intervals && out->code == TS_OK; k++) {
			const struct pf_interval *v = &m->intervals[m->classes[i].first + k];

			demo_int(out, 0, (int64_t)i + 1);
			demo_int(out, 1, v->start);
			demo_int(out, 2, v->end);
			demo_row(out);
		}
	demo_end(out);
}

static bool
interfere(const struct pf_model *m, const struct pf_class *a, const struct pf_class *b)
{
	for (uint32_t i = 0, k = 0; i < a->intervals && k < b->intervals;) {
		const struct pf_interval *v = &m->intervals[a->first + i],
					 *w = &m->intervals[b->first + k];

		if (v->start < w->end && w->start < v->end)
			return true;
		if (v->end <= w->end)
			i++;
		else
			k++;
	}
	return false;
}

/* Class 0 is that of what has no place; every other one interferes with itself, too. */
static void
interference(struct demo_out *out, const struct pf_model *m, struct ts_strbuf *b)
{
	pf_begin(out, "equivalence_class_interference");
	for (size_t i = 0; i <= m->classes_n && out->code == TS_OK; i++) {
		ts_strbuf_reset(b);
		for (size_t k = 0; i > 0 && k < m->classes_n; k++)
			if (interfere(m, &m->classes[i - 1], &m->classes[k]))
				ts_blob_put_number(b, (int64_t)k + 1);
		if (b->cut)
			demo_nomem(out);
		demo_int(out, 0, (int64_t)i);
		demo_blob(out, 1, b->s, b->len);
		demo_row(out);
	}
	demo_end(out);
}

/* ---- unlowered variables ---- */

static void
unlowered(struct demo_out *out, const struct pf_model *m, struct ts_strbuf *b)
{
	pf_begin(out, "unlowered_vars");
	for (size_t i = 0; i < m->variables_n && out->code == TS_OK; i++) {
		demo_int(out, 0, pf_variable_id((int64_t)i));
		demo_text(out, 1, m->names.s + m->variables[i].name);
		demo_row(out);
	}
	demo_end(out);
	pf_begin(out, "debug_ids");
	for (size_t i = m->variables_n; i-- > 0 && out->code == TS_OK;) {
		int64_t id = m->variables[i].context;

		demo_int(out, 0, pf_variable_id((int64_t)i));
		pf_put(out, 1, b, TS_BLOB_LIST, &id, 1);
		demo_row(out);
	}
	demo_end(out);
}

/* Bytes of a variable in a class. */
struct amount {
	int64_t variable, bytes;
	int32_t class;
};

struct amounts {
	struct amount *a;
	size_t n, cap;
};

static int
by_variable(const void *pa, const void *pb)
{
	const struct amount *a = pa, *b = pb;

	if (a->variable != b->variable)
		return a->variable < b->variable ? -1 : 1;
	return (a->class > b->class) - (a->class < b->class);
}

/* Sort, and add up what is the same. */
static void
amounts_join(struct amounts *v)
{
	size_t k = 0;

	if (v->n)
		qsort(v->a, v->n, sizeof(*v->a), by_variable);
	for (size_t i = 0; i < v->n; i++) {
		if (k && !by_variable(&v->a[k - 1], &v->a[i]))
			v->a[k - 1].bytes += v->a[i].bytes;
		else
			v->a[k++] = v->a[i];
	}
	v->n = k;
}

static bool
amount_add(struct amounts *v, const struct pf_part *p, int64_t tile, int64_t bytes)
{
	if (!ts_room((void *)&v->a, &v->cap, v->n, sizeof(*v->a)))
		return false;
	v->a[v->n++] = (struct amount){p->variable + (p->each ? tile - p->tile : 0), bytes,
		p->class};
	return true;
}

static bool
tile_amounts(struct amounts *v, const struct pf_model *m, struct pf_tile *t, int64_t tile)
{
	v->n = 0;
	pf_tile_rows(t, m, tile);
	for (uint32_t i = 0; i < t->n; i++)
		if (t->rows[i].allocated &&
			!amount_add(v, &m->parts[t->rows[i].part], tile, t->rows[i].bytes))
			return false;
	amounts_join(v);
	return true;
}

/* Bytes on all tiles. */
static bool
device_amounts(struct amounts *v, const struct pf_model *m)
{
	for (size_t i = 0; i < m->parts_n; i++) {
		const struct pf_part *p = &m->parts[i];
		int64_t sum = 0;

		for (uint32_t k = 0; k < p->tiles && p->class >= 0; k++) {
			int64_t bytes = pf_on_tile(m, p, p->tile + k) ? pf_bytes(p, p->tile + k)
								      : 0;

			if (p->each && !amount_add(v, p, p->tile + k, bytes))
				return false;
			sum += bytes;
		}
		if (p->class >= 0 && !p->each && sum && !amount_add(v, p, 0, sum))
			return false;
	}
	amounts_join(v);
	return true;
}

static void
amounts_write(struct demo_out *out, const struct amounts *v, int64_t tile)
{
	for (size_t i = 0; i < v->n && out->code == TS_OK; i++) {
		demo_int(out, 0, pf_variable_id(v->a[i].variable));
		demo_int(out, 1, v->a[i].class + 1);
		demo_int(out, 2, v->a[i].bytes);
		if (tile < 0)
			demo_null(out, 3);
		else
			demo_int(out, 3, tile);
		demo_row(out);
	}
}

static void
bytes(struct demo_out *out, const struct pf_model *m, struct pf_tile *t)
{
	struct amounts v = {0};

	pf_begin(out, "var_bytes_by_eq_class");
	if (!device_amounts(&v, m))
		demo_nomem(out);
	amounts_write(out, &v, -1);
	for (int64_t tile = 0; tile < m->all_tiles && out->code == TS_OK; tile++) {
		if (!tile_amounts(&v, m, t, tile))
			demo_nomem(out);
		amounts_write(out, &v, tile);
	}
	demo_end(out);
	free(v.a);
}

void
pf_write_variables(struct demo_out *out, const struct pf_model *m)
{
	struct pf_tile t = {0};
	struct ts_strbuf b;

	ts_strbuf_init(&b, (size_t)1 << 28);
	if (!pf_tile_init(&t, m))
		demo_nomem(out);
	if (out->code == TS_OK) {
		lowered(out, m, &t, &b);
		allocation(out, m, &t, &b);
		classes(out, m);
		if (m->full)
			interference(out, m, &b);
		unlowered(out, m, &b);
		bytes(out, m, &t);
	}
	pf_tile_fini(&t);
	ts_strbuf_fini(&b);
}
