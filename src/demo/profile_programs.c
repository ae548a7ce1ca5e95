/* SPDX-License-Identifier: MIT */
/*
 * profile_programs - programs and the tables of their types, what exchanges and stream copies move, compute sets.
 *
 * Of an exchange each tile of the source sends, and each tile of the target receives, the same number of bytes.
 */
#include "config.h"

#include "profile.h"

#include <stdio.h>
#include <stdlib.h>

struct writer {
	struct demo_out *out;
	struct pf_model *m;
	struct ts_strbuf b;
};

/* ---- programs ---- */

static void
control_code(struct writer *w, const struct pf_prog *p)
{
	const struct pf_model *m = w->m;
	int64_t tiles = m->tiles;

	if (p->by_ipu < 0) {
		struct pf_range r = {p->ipu * tiles, tiles, p->total};

		pf_put_ranges(w->out, 7, &w->b, m->all_tiles, &r, 1);
		return;
	}
	ts_strbuf_reset(&w->b);
	for (int i = 0; i < m->ipus; i++) {
		ts_blob_put_number(&w->b, tiles * 2 + (tiles == 1));
		ts_blob_put_number(&w->b, m->totals[p->by_ipu * m->ipus + i]);
	}
	sqlite3_bind_blob64(w->out->stmt, demo_index(w->out, 7), w->b.s, w->b.len,
		SQLITE_TRANSIENT);
}

static void
children(struct writer *w, const struct pf_prog *p)
{
	ts_strbuf_reset(&w->b);
	for (int32_t c = p->first; c >= 0; c = w->m->progs[c].next)
		ts_blob_put_number(&w->b, c);
	if (p->first < 0)
		demo_null(w->out, 4);
	else
		sqlite3_bind_blob64(w->out->stmt, demo_index(w->out, 4), w->b.s, w->b.len,
			SQLITE_TRANSIENT);
}

static void
programs(struct writer *w)
{
	struct demo_out *out = w->out;

	pf_begin(out, "programs");
	for (size_t i = 0; i < w->m->progs_n && out->code == TS_OK; i++) {
		const struct pf_prog *p = &w->m->progs[i];

		demo_int(out, 1, (int64_t)i);
		demo_int(out, 2, pf_types[p->type].id);
		if (p->index == PF_NONE)
			demo_null(out, 3);
		else
			demo_int(out, 3, p->index);
		children(w, p);
		demo_text(out, 5, pf_name(w->m, p->name));
		demo_int(out, 6, p->context);
		control_code(w, p);
		demo_row(out);
	}
	demo_end(out);
	pf_begin(out, "program_types");
	for (int t = 0; t < PF_TYPES; t++) {
		demo_int(out, 0, pf_types[t].id);
		demo_text(out, 1, pf_types[t].name);
		demo_text(out, 2, pf_types[t].table);
		demo_row(out);
	}
	demo_end(out);
	pf_begin(out, "control_programs");
	demo_int(out, 1, 0);
	demo_int(out, 2, 0);
	for (int32_t p = (int32_t)w->m->progs_n;
		p-- > 0;) /* the one that has no parent and is no function */
		if (w->m->progs[p].from == 0 && w->m->progs[p].to == w->m->live_n)
			demo_int(out, 2, p);
	demo_row(out);
	demo_end(out);
	pf_begin(out, "function_programs");
	for (size_t i = 0; i < w->m->functions_n && out->code == TS_OK; i++) {
		demo_int(out, 1, (int64_t)i);
		demo_int(out, 2, w->m->functions[i]);
		demo_row(out);
	}
	demo_end(out);
}

/* ---- tables of types ---- */

static void
all_tiles(struct writer *w, int column, int ipu)
{
	int64_t from = ipu == PF_ALL ? 0 : (int64_t)ipu * w->m->tiles;
	int64_t to = ipu == PF_ALL ? w->m->all_tiles : from + w->m->tiles;

	ts_strbuf_reset(&w->b);
	for (int64_t t = from; t < to; t++)
		ts_blob_put_number(&w->b, t);
	sqlite3_bind_blob64(w->out->stmt, demo_index(w->out, column), w->b.s, w->b.len,
		SQLITE_TRANSIENT);
}

/* The second column of a row of a table that has two. */
static void
detail(struct writer *w, const struct pf_prog *p)
{
	const struct pf_model *m = w->m;

	if (p->type == PF_REPEAT)
		demo_int(w->out, 1,
			p->index ? m->run[0].chunk_steps / (int64_t)m->segment_n[PF_CHUNK]
				 : m->run[0].phases);
	else if (p->type == PF_SYNC)
		demo_text(w->out, 1, p->ipu == PF_ALL ? "External" : "Internal");
	else if (p->type == PF_EXECUTE)
		demo_int(w->out, 1, p->index);
	else
		all_tiles(w, 1, p->ipu);
}

static void
details(struct writer *w)
{
	static const struct {
		uint8_t type;
		const char *table;
	} tables[] = {
		{PF_EXECUTE, "program_type_on_tile_execute"},
		{PF_REPEAT, "program_type_repeat"},
		{PF_SYNC, "program_type_sync"},
		{PF_SANS, "program_type_sans"},
		{PF_SYNC_ANS, "program_type_sync_ans"},
	};

	for (size_t k = 0; k < TS_COUNT(tables); k++) {
		pf_begin(w->out, tables[k].table);
		for (size_t i = 0; i < w->m->progs_n && w->out->code == TS_OK; i++) {
			const struct pf_prog *p = &w->m->progs[i];

			if (p->type != tables[k].type)
				continue;
			demo_int(w->out, 0, p->index);
			detail(w, p);
			demo_row(w->out);
		}
		demo_end(w->out);
	}
	pf_begin(w->out, "program_type_call");
	for (size_t i = 0; i < w->m->calls_n && w->out->code == TS_OK; i++) {
		demo_int(w->out, 1, (int64_t)i);
		demo_int(w->out, 2, w->m->calls[i]);
		demo_row(w->out);
	}
	demo_end(w->out);
}

/* ---- exchanges ---- */

static uint32_t
least(const struct pf_model *m, const struct pf_exchange *x)
{
	return (uint32_t)ts_min_i64(m->parts[x->source].bytes, m->parts[x->target].bytes);
}

static int
ipu_of(const struct pf_model *m, const struct pf_part *p)
{
	return (int)(p->tile / (uint32_t)m->tiles);
}

static struct pf_range
range_of(const struct pf_part *p, int64_t value)
{
	return (struct pf_range){p->tile, p->tiles, value};
}

/* Columns by IPU: received, sent, and the most that a tile has of both. */
static void
by_ipu(struct writer *w, int column, const struct pf_part *source, int64_t sent,
	const struct pf_part *target, int64_t received)
{
	int from = source ? ipu_of(w->m, source) : 0, to = target ? ipu_of(w->m, target) : 0;
	struct pf_range r = {to, 1, target ? received * target->tiles : 0};
	struct pf_range s = {from, 1, source ? sent * source->tiles : 0};
	struct pf_range most[2] = {{to, 1, target ? received : 0}, {from, 1, source ? sent : 0}};
	bool meet = source && target && source->tile < target->tile + target->tiles &&
		target->tile < source->tile + source->tiles;

	pf_put_ranges(w->out, column, &w->b, w->m->ipus, &r, 1);
	pf_put_ranges(w->out, column + 1, &w->b, w->m->ipus, &s, 1);
	if (from == to && !meet) {
		most[0].value = ts_max_i64(most[0].value, most[1].value);
		most[1].value = 0;
	}
	pf_put_ranges(w->out, column + 2, &w->b, w->m->ipus, most, 2);
}

/* A vector of estimates: its id. One row of compilation_cycles_by_tile each, written later in the same order. */
static int64_t
estimate_new(struct writer *w, uint32_t prog)
{
	struct pf_prog *p = &w->m->progs[prog];

	if (p->vector[1] == PF_NONE)
		p->vector[1] = (int32_t)++w->m->vectors;
	return p->vector[1];
}

static void
estimate_ids(struct writer *w, int column, int ipu, uint32_t prog)
{
	int64_t id = estimate_new(w, prog);

	ts_strbuf_reset(&w->b);
	for (int i = 0; i < w->m->ipus; i++)
		ts_blob_put_number(&w->b, i == ipu ? id : 0);
	sqlite3_bind_blob64(w->out->stmt, demo_index(w->out, column), w->b.s, w->b.len,
		SQLITE_TRANSIENT);
}

static int64_t
var_id(const struct pf_model *m, const struct pf_part *p, uint32_t k)
{
	return m->first_row[p->tile + k] + m->position[p->at + k];
}

/* "message: {5,9}[0,36), {6,9}[0,36)... (400 variables in total)" */
static void
variables_text(struct writer *w, int column, const struct pf_part *p, uint32_t bytes)
{
	enum { SHOWN = 3 };
	const struct pf_model *m = w->m;

	ts_strbuf_reset(&w->b);
	ts_strbuf_printf(&w->b, "%s: ", pf_categories[p->category].name);
	for (uint32_t k = 0; k < p->tiles && k < SHOWN; k++) {
		ts_strbuf_puts(&w->b, k ? ", " : "");
		if (p->category == PF_MESSAGE && m->full)
			ts_strbuf_printf(&w->b, "{%u,%u}", p->tile + k, m->position[p->at + k]);
		else
			ts_strbuf_printf(&w->b, "%s#%u", m->names.s + m->strings[p->name], k);
		ts_strbuf_printf(&w->b, "[0,%u)", bytes);
	}
	if (p->tiles > SHOWN)
		ts_strbuf_printf(&w->b, "... (%u variables in total)", p->tiles);
	pf_put_text(w->out, column, w->b.s);
}

static void
regions_ids(struct writer *w, int column, const struct pf_exchange *x)
{
	if (!w->m->full)
		return;
	demo_int(w->out, column, x->regions);
	demo_int(w->out, column + 1, x->regions + 1);
}

static void
do_exchange(struct writer *w, size_t i)
{
	const struct pf_model *m = w->m;
	const struct pf_exchange *x = &m->exchanges[i];
	const struct pf_part *s = &m->parts[x->source], *t = &m->parts[x->target];
	bool same = s->tile == t->tile && s->tiles == t->tiles;
	struct pf_range code[2] = {range_of(t, x->code), range_of(s, x->code)};
	uint32_t sent = least(m, x);
	struct pf_range in = range_of(t, t->bytes), out = range_of(s, sent);

	demo_int(w->out, 0, (int64_t)i);
	pf_put_ranges(w->out, 1, &w->b, m->all_tiles, &in, 1);
	pf_put_ranges(w->out, 2, &w->b, m->all_tiles, &out, 1);
	pf_put_ranges(w->out, 3, &w->b, m->all_tiles, code, same ? 1 : 2);
	variables_text(w, 5, s, sent);
	variables_text(w, 6, t, t->bytes);
	by_ipu(w, 7, s, sent, t, t->bytes);
	estimate_ids(w, 10, ipu_of(m, t), x->prog);
	regions_ids(w, 11, x);
	demo_row(w->out);
}

static void
global_exchange(struct writer *w, size_t i)
{
	const struct pf_model *m = w->m;
	const struct pf_exchange *x = &m->exchanges[i];
	const struct pf_part *s = &m->parts[x->source], *t = &m->parts[x->target];
	uint32_t sent = least(m, x);
	struct pf_range in = range_of(t, t->bytes), out = range_of(s, sent);

	demo_int(w->out, 0, (int64_t)i);
	pf_put_ranges(w->out, 1, &w->b, m->all_tiles, &in, 1);
	pf_put_ranges(w->out, 2, &w->b, m->all_tiles, &out, 1);
	variables_text(w, 4, s, sent);
	variables_text(w, 5, t, t->bytes);
	by_ipu(w, 6, s, sent, t, t->bytes);
	estimate_ids(w, 9, ipu_of(m, t), x->prog);
	regions_ids(w, 10, x);
	demo_text(w->out, 12, "External");
	demo_row(w->out);
}

static void
exchanges(struct writer *w)
{
	for (int global = 0; global < 2; global++) {
		pf_begin(w->out,
			global ? "program_type_global_exchange" : "program_type_do_exchange");
		for (size_t i = 0; i < w->m->exchanges_n && w->out->code == TS_OK; i++) {
			if (w->m->exchanges[i].global != (bool)global)
				continue;
			if (global)
				global_exchange(w, i);
			else
				do_exchange(w, i);
		}
		demo_end(w->out);
	}
}

/* ---- stream copies ---- */

/* The streams of a Mid stand one behind the other. */
static void
mid(struct writer *w, size_t from, size_t to)
{
	enum { MOST = 4 };
	const struct pf_model *m = w->m;
	struct pf_range in[MOST], out[MOST], by[2] = {{0, 1, 0}, {0, 1, 0}}, most = {0, 1, 0};
	size_t ins = 0, outs = 0;

	for (size_t i = from; i < to && i < from + MOST; i++) {
		const struct pf_part *p = &m->parts[m->streams[i].part];
		bool sent = m->streams[i].to_host;

		by[sent].from = most.from = ipu_of(m, p);
		by[sent].value += (int64_t)p->bytes * p->tiles;
		most.value += p->bytes;
		if (sent)
			out[outs++] = range_of(p, p->bytes);
		else
			in[ins++] = range_of(p, p->bytes);
	}
	/* parts of one copy need not be on the same tiles */
	if (to == from + 2 &&
		(m->parts[m->streams[from].part].tile > m->parts[m->streams[from + 1].part].tile +
					m->parts[m->streams[from + 1].part].tiles - 1 ||
			m->parts[m->streams[from + 1].part].tile >
				m->parts[m->streams[from].part].tile +
					m->parts[m->streams[from].part].tiles - 1))
		most.value = ts_max_i64(m->parts[m->streams[from].part].bytes,
			m->parts[m->streams[from + 1].part].bytes);
	demo_int(w->out, 0, m->streams[from].mid);
	pf_put_ranges(w->out, 1, &w->b, m->all_tiles, in, ins);
	pf_put_ranges(w->out, 2, &w->b, m->all_tiles, out, outs);
	pf_put_ranges(w->out, 4, &w->b, m->ipus, &by[0], 1);
	pf_put_ranges(w->out, 5, &w->b, m->ipus, &by[1], 1);
	pf_put_ranges(w->out, 6, &w->b, m->ipus, &most, 1);
	estimate_ids(w, 7, (int)most.from, m->streams[from].prog);
	demo_row(w->out);
}

static void
streams(struct writer *w)
{
	const struct pf_model *m = w->m;

	pf_begin(w->out, "program_type_stream_copy_mid");
	for (size_t i = 0, end; i < m->streams_n && w->out->code == TS_OK; i = end) {
		for (end = i + 1; end < m->streams_n && m->streams[end].mid == m->streams[i].mid;
			end++)
			;
		mid(w, i, end);
	}
	demo_end(w->out);
	for (int to_host = 0; to_host < 2; to_host++) {
		pf_begin(w->out, to_host ? "host_exchange_to_host" : "host_exchange_from_host");
		for (size_t i = 0; i < m->streams_n && w->out->code == TS_OK; i++) {
			const struct pf_stream *s = &m->streams[i];

			if (s->to_host != (bool)to_host)
				continue;
			demo_int(w->out, 0, s->mid);
			demo_text(w->out, 1, m->names.s + s->name);
			variables_text(w, 2, &m->parts[s->part], m->parts[s->part].bytes);
			demo_int(w->out, 3, s->remote);
			if (m->full)
				demo_int(w->out, 4, s->regions);
			demo_row(w->out);
		}
		demo_end(w->out);
	}
}

static void
region_rows(struct writer *w, uint32_t id, const struct pf_part *p, uint32_t bytes)
{
	char text[32];

	snprintf(text, sizeof(text), "[0,%u)", bytes);
	for (uint32_t k = 0; k < p->tiles && w->out->code == TS_OK; k++) {
		demo_int(w->out, 0, id);
		demo_int(w->out, 1, var_id(w->m, p, k));
		pf_put_text(w->out, 2, text);
		demo_row(w->out);
	}
}

/* In the order of their ids: exchanges and streams each have theirs ascending. */
static void
regions(struct writer *w)
{
	const struct pf_model *m = w->m;
	int64_t rows = 0;
	size_t s = 0;

	for (size_t i = 0; i < m->exchanges_n; i++)
		rows += m->parts[m->exchanges[i].source].tiles +
			m->parts[m->exchanges[i].target].tiles;
	for (size_t i = 0; i < m->streams_n; i++)
		rows += m->parts[m->streams[i].part].tiles;
	pf_begin_many(w->out, "exchange_regions", rows);
	for (size_t i = 0; i <= m->exchanges_n && w->out->code == TS_OK; i++) {
		const struct pf_exchange *x = i < m->exchanges_n ? &m->exchanges[i] : NULL;

		for (; s < m->streams_n && (!x || m->streams[s].regions < x->regions); s++) {
			const struct pf_part *p = &m->parts[m->streams[s].part];

			region_rows(w, m->streams[s].regions, p, p->bytes);
		}
		if (!x)
			break;
		region_rows(w, x->regions, &m->parts[x->source], least(m, x));
		region_rows(w, x->regions + 1, &m->parts[x->target], m->parts[x->target].bytes);
	}
	demo_end(w->out);
}

/* ---- compute sets ---- */

static int
by_id(const void *pa, const void *pb)
{
	int64_t a = *(const int64_t *)pa, b = *(const int64_t *)pb;

	return (a > b) - (a < b);
}

/* Lowered variables that a compute set uses, ascending. */
static void
used(struct writer *w, const struct pf_set *s, int64_t *ids)
{
	const struct pf_model *m = w->m;
	size_t n = 0;

	for (int i = 0; i < 4; i++) {
		const struct pf_part *p = s->parts[i] >= 0 ? &m->parts[s->parts[i]] : NULL;

		for (uint32_t k = 0; p && k < p->tiles; k++)
			if (p->tile + k >= s->tile && p->tile + k < s->tile + s->tiles)
				ids[n++] = var_id(m, p, k);
	}
	qsort(ids, n, sizeof(*ids), by_id);
	pf_put(w->out, 11, &w->b, TS_BLOB_DIFFERENCES, ids, n);
}

static void
flops(struct writer *w, const struct pf_set *s, int64_t *numbers)
{
	if (!s->flops || !w->m->full) {
		demo_null(w->out, 10);
		return;
	}
	for (int64_t t = 0; t < w->m->all_tiles; t++)
		numbers[t] = t >= s->tile && t < (int64_t)s->tile + s->tiles ? s->flops : 0;
	pf_put(w->out, 10, &w->b, TS_BLOB_LIST, numbers, (size_t)w->m->all_tiles);
}

static void
compute_sets(struct writer *w)
{
	const struct pf_model *m = w->m;
	int64_t *numbers = ts_alloc((size_t)m->all_tiles * 4 + 4, sizeof(*numbers));

	if (!numbers)
		demo_nomem(w->out);
	pf_begin(w->out, "compute_sets");
	for (size_t i = 0; i < m->sets_n && w->out->code == TS_OK; i++) {
		const struct pf_set *s = &m->sets[i];
		int64_t types[2] = {s->vertex[0], s->vertex[1]}, edges = 0;
		int64_t counts[2] = {(int64_t)s->count[0] * s->tiles,
			(int64_t)s->count[1] * s->tiles};
		size_t n = s->vertex[1] == PF_NO_VERTEX ? 1 : 2;

		for (size_t k = 0; k < n; k++)
			edges += counts[k] * pf_vertices[types[k]].edges;
		demo_int(w->out, 0, (int64_t)i);
		demo_text(w->out, 1, m->names.s + s->name);
		pf_put(w->out, 2, &w->b, TS_BLOB_LIST, types, n);
		pf_put(w->out, 3, &w->b, TS_BLOB_LIST, counts, n);
		demo_int(w->out, 7, edges);
		demo_int(w->out, 8, s->context);
		estimate_ids(w, 9, s->ipu, s->prog);
		flops(w, s, numbers);
		if (m->full)
			used(w, s, numbers);
		demo_row(w->out);
	}
	demo_end(w->out);
	free(numbers);
	pf_begin(w->out, "vertex_instances");
	for (size_t i = 0; i < m->sets_n && w->out->code == TS_OK; i++)
		for (int k = 0; k < 2 && m->sets[i].vertex[k] != PF_NO_VERTEX; k++) {
			struct pf_range r = {m->sets[i].tile, m->sets[i].tiles,
				m->sets[i].count[k]};

			demo_int(w->out, 0, (int64_t)i);
			demo_int(w->out, 1, m->sets[i].vertex[k]);
			pf_put_ranges(w->out, 2, &w->b, m->all_tiles, &r, 1);
			demo_row(w->out);
		}
	demo_end(w->out);
}

/* The compiler's estimates: the same on all tiles that take part, and a little too low. */
static void
estimates(struct writer *w)
{
	const struct pf_model *m = w->m;
	uint32_t *of = ts_alloc((size_t)m->vectors + 1, sizeof(*of));

	if (!of) {
		demo_nomem(w->out);
		return;
	}
	for (size_t i = 0; i < m->progs_n; i++)
		if (m->progs[i].vector[1] >= 0)
			of[m->progs[i].vector[1]] = (uint32_t)i;
	pf_begin(w->out, "compilation_cycles_by_tile");
	for (int64_t i = 0; i <= m->vectors && w->out->code == TS_OK; i++) {
		const struct pf_prog *p = &m->progs[of[i]];
		struct pf_range r = {p->tile, p->tiles, p->cycles - p->cycles / 8};

		demo_int(w->out, 0, i);
		pf_put_ranges(w->out, 1, &w->b, m->tiles, &r, i ? 1 : 0);
		demo_row(w->out);
	}
	demo_end(w->out);
	free(of);
	pf_begin(w->out, "exchange_target");
	for (uint32_t i = 0; m->full && i < m->regions && w->out->code == TS_OK; i++) {
		demo_int(w->out, 0, i);
		demo_row(w->out);
	}
	demo_end(w->out);
}

void
pf_write_programs(struct demo_out *out, struct pf_model *m)
{
	struct writer w = {.out = out, .m = m};

	ts_strbuf_init(&w.b, (size_t)1 << 28);
	m->vectors = 0;
	programs(&w);
	details(&w);
	exchanges(&w);
	streams(&w);
	if (m->full)
		regions(&w);
	compute_sets(&w);
	estimates(&w);
	ts_strbuf_fini(&w.b);
}
