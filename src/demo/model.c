/* SPDX-License-Identifier: MIT */
/*
 * model - the program of the demo report: compute sets, programs, their tree and their order.
 *
 * A transformer is a list of sections (embeddings, layers, head), each on one IPU, each a list of
 * operations. An operation is built once for the forward and once for the backward pass; what is
 * small and alike (softmax, dropout, norms) is outlined into a function of its IPU, built at its
 * first use (whose name it keeps) and called afterwards. A group is one use of an operation: it
 * owns a stretch of the liveness steps, and variables (memory.c).
 *
 * Cycles are given per program; the spread over its tiles is a function of program and tile, with
 * one tile, the first active one, that needs exactly the program's cycles.
 */
#include "config.h"

#include "internal.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- building ---- */

/* Room for one more; false (and nomem) when there is none. */
static bool
room(struct demo_model *m, void *array, size_t *cap, size_t n, size_t size)
{
	if (!m->nomem && !ts_room(array, cap, n, size))
		m->nomem = true;
	return !m->nomem;
}

static uint32_t name_new(struct demo_model *m, const char *fmt, ...) TS_PRINTF(2, 3);

static uint32_t
name_new(struct demo_model *m, const char *fmt, ...)
{
	char text[DEMO_NAME_MAX]; /* arguments may lie in m->names, which may move */
	va_list ap;
	uint32_t at = (uint32_t)m->names.len;
	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	ts_strbuf_add(&m->names, text, strlen(text) + 1);
	if (m->names.cut)
		m->nomem = true;
	return at;
}

static uint32_t
prog_new(struct demo_model *m, enum demo_type type, int ipu, uint32_t name)
{
	if (!room(m, &m->progs, &m->progs_cap, m->nprogs, sizeof(*m->progs)))
		return 0;
	m->progs[m->nprogs] = (struct demo_prog){.type = (uint8_t)type,
		.ipu = (int16_t)ipu,
		.cs = -1,
		.name = name,
		.group = (uint32_t)m->ngroups};
	return (uint32_t)m->nprogs++;
}

static void
link_new(struct demo_model *m, uint32_t parent, uint32_t child)
{
	if (room(m, &m->links, &m->links_cap, m->nlinks, sizeof(*m->links)))
		m->links[m->nlinks++] = (struct demo_link){parent, child, 0};
}

static uint32_t
child_new(struct demo_model *m, uint32_t parent, enum demo_type type, int ipu, uint32_t name)
{
	uint32_t p = prog_new(m, type, ipu, name);
	link_new(m, parent, p);
	return p;
}

static void
root_new(struct demo_model *m, uint32_t prog)
{
	if (room(m, &m->roots, &m->roots_cap, m->nroots, sizeof(*m->roots)))
		m->roots[m->nroots++] = prog;
}

uint32_t
demo_tile_cycles(const struct demo_model *m, const struct demo_prog *p, uint32_t tile)
{
	uint32_t n = (uint32_t)m->tiles, salt = (uint32_t)(p - m->progs) * 2654435761u;
	uint32_t at = (tile + n - salt % n) % n; /* position among the active tiles */
	if (at >= p->active)
		return 0;
	if (!at)
		return p->cycles;
	uint32_t h = ((at * 2246822519u) ^ salt) * 3266489917u;
	return p->cycles - (uint32_t)(((uint64_t)(p->cycles - p->floor) * (h >> 8)) >> 24);
}

/* Cycles of a program, and what follows from their spread over the tiles. */
static void
prog_cycles(struct demo_model *m, uint32_t prog, uint32_t cycles, uint32_t active_permille)
{
	if (m->nomem)
		return;
	struct demo_prog *p = &m->progs[prog];
	uint64_t h = demo_hash(m->seed, 'c', prog);
	uint32_t n = (uint32_t)m->tiles;
	p->cycles = cycles * (850 + demo_below(h, 300)) / 1000 + 1;
	p->active = (uint32_t)ts_clamp_i64((int64_t)n * active_permille / 1000, 1, n);
	/* most compute sets are even, one in sixteen waits for a straggler */
	uint32_t even = h % 16 ? 600 + demo_below(h << 8, 380) : 80 + demo_below(h << 8, 200);
	p->floor = p->cycles * even / 1000;
	p->shortest = p->cycles;
	uint64_t sum = 0;
	for (uint32_t t = 0; t < n; t++) {
		uint32_t c = demo_tile_cycles(m, p, t);
		sum += c;
		if (c && c < p->shortest)
			p->shortest = c;
	}
	p->balance = (double)sum / n / p->cycles;
	p->active_balance = (double)sum / p->active / p->cycles;
}

/* A program that is a step; the name of a Sync says which. */
static uint32_t
work_new(struct demo_model *m, uint32_t parent, enum demo_type type, int ipu, const char *name,
	uint32_t cycles)
{
	uint32_t p = child_new(m, parent, type, ipu, name ? name_new(m, "%s", name) : 0);
	prog_cycles(m, p, cycles, type == DEMO_SYNC ? 1000 : 60);
	return p;
}

static uint32_t
exchange_new(struct demo_model *m, uint32_t parent, int ipu, uint32_t name, uint32_t cycles)
{
	uint32_t p = child_new(m, parent, DEMO_DO_EXCHANGE, ipu, name);
	prog_cycles(m, p, cycles, 940);
	if (!m->nomem)
		m->progs[p].data = m->progs[p].cycles / 4 * 4 * m->progs[p].active;
	return p;
}

/* One compute set: exchange, now and then a sync, the vertices, now and then a WriteUndef. */
static void
leaf_build(struct demo_model *m, uint32_t parent, const struct demo_leaf *l, uint32_t name, int ipu,
	enum demo_pass pass)
{
	if (m->nomem || !room(m, &m->cs, &m->cs_cap, m->ncs, sizeof(*m->cs)))
		return;
	size_t cs = m->ncs++;
	if (cs % 2 == 0)
		work_new(m, parent, DEMO_SYNC, ipu, "Internal", 300);
	exchange_new(m, parent, ipu, name_new(m, "%s/ExchangePre", m->names.s + name), l->exchange);
	if (cs % 2)
		child_new(m, parent, DEMO_WRITE_UNDEF, ipu, name);
	uint32_t p = child_new(m, parent, DEMO_ON_TILE_EXECUTE, ipu, name);
	uint32_t factor = pass == DEMO_BACKWARD ? 130 : 100;
	if (ipu == m->slow && pass != DEMO_UPDATE)
		factor = factor * 117 / 100;
	prog_cycles(m, p, l->cycles * factor / 100, l->active);
	if (m->nomem)
		return;
	m->progs[p].cs = (int32_t)cs;
	m->cs[cs] = (struct demo_cs){.name = name,
		.group = (uint32_t)m->ngroups,
		.prog = p,
		.vertex = l->vertex,
		.instances = m->progs[p].active * (1 + demo_below(demo_hash(m->seed, 'v', cs), 6))};
}

static uint32_t
body_build(struct demo_model *m, const struct demo_op *op, uint32_t name, int ipu,
	enum demo_pass pass)
{
	uint32_t body = prog_new(m, DEMO_SEQUENCE, ipu, name);
	int parts = op->kind == DEMO_MATMUL_OP ? m->shape.convs : 1;
	for (int part = 1; part <= parts; part++) {
		for (int i = 0; i < DEMO_LEAVES && demo_leaves[op->kind][i].name && !m->nomem;
			i++) {
			const struct demo_leaf *l = &demo_leaves[op->kind][i];
			if (l->detail > m->shape.detail)
				continue;
			uint32_t n = op->kind == DEMO_MATMUL_OP
				? name_new(m, "%s/Conv_%d/%s", m->names.s + name, part, l->name)
				: name_new(m, "%s/%s", m->names.s + name, l->name);
			leaf_build(m, body, l, n, ipu, pass);
		}
	}
	return body;
}

struct where {
	const char *prefix; /* of the pass */
	uint32_t section;
	int ipu;
	enum demo_pass pass;
};

/* One use of an operation, under `parent`; the index of its group. */
static int32_t
group_build(struct demo_model *m, uint32_t parent, const struct demo_op *op, const struct where *w)
{
	if (!room(m, &m->groups, &m->groups_cap, m->ngroups, sizeof(*m->groups)))
		return -1;
	uint32_t name = name_new(m, "%s%s/%s", w->prefix, m->names.s + m->sections[w->section],
		op->path);
	uint32_t prog;
	if (op->shared) {
		size_t i = ((size_t)w->ipu * 2 + (w->pass == DEMO_BACKWARD)) * DEMO_KINDS +
			op->kind;
		prog = prog_new(m, DEMO_CALL, w->ipu, name);
		if (!m->shared[i]) {
			m->shared[i] = body_build(m, op, name, w->ipu, w->pass);
			root_new(m, m->shared[i]);
		}
		link_new(m, prog, m->shared[i]);
	} else
		prog = body_build(m, op, name, w->ipu, w->pass);
	link_new(m, parent, prog);
	if (m->nomem)
		return -1;
	m->groups[m->ngroups] = (struct demo_group){.name = name,
		.prog = prog,
		.section = w->section,
		.ipu = (int16_t)w->ipu,
		.pass = (uint8_t)w->pass,
		.mem = op->mem,
		.weights = op->weights && w->pass == DEMO_FORWARD,
		.partner = -1};
	return (int32_t)m->ngroups++;
}

struct section {
	const struct demo_op *ops;
	size_t n;
	int ipu;
	int32_t group[DEMO_OPS_MAX]; /* forward */
};

static void
section_new(struct demo_model *m, uint32_t name)
{
	if (room(m, &m->sections, &m->sections_cap, m->nsections, sizeof(*m->sections)))
		m->sections[m->nsections++] = name;
}

/* Sections in forward order with their IPUs; the caller frees them. */
static struct section *
sections_new(struct demo_model *m)
{
	int layers = (int)ts_max_i64(m->shape.layers, m->ipus);
	struct section *s = ts_alloc((size_t)layers + 2, sizeof(*s));
	if (!s) {
		m->nomem = true;
		return NULL;
	}
	s[0] = (struct section){.ops = demo_embedding_ops, .n = DEMO_EMBEDDING_OPS};
	section_new(m, name_new(m, "bert/embeddings"));
	for (int i = 0; i < layers; i++) {
		s[i + 1] = (struct section){.ops = demo_layer_ops,
			.n = DEMO_LAYER_OPS,
			.ipu = (int)((int64_t)i * m->ipus / layers)};
		section_new(m, name_new(m, "bert/encoder/layer_%d", i));
	}
	s[layers + 1] =
		(struct section){.ops = demo_head_ops, .n = DEMO_HEAD_OPS, .ipu = m->ipus - 1};
	section_new(m, name_new(m, "cls/predictions"));
	return s;
}

/* The stages of one pass: a Sequence per IPU under a switch, since each IPU runs its own. */
static void
pass_build(struct demo_model *m, uint32_t parent, struct section *s, enum demo_pass pass)
{
	static const char *const prefix[] = {"", "Gradient/", "AdamW/"};
	static const char *const stage[] = {"forward", "backward", "update"};
	uint32_t sw = child_new(m, parent, DEMO_SWITCH, DEMO_ALL,
		name_new(m, "stages/%s", stage[pass]));
	uint32_t sequence = 0;
	int ipu = -1;
	m->stages[pass] = sw;
	for (size_t k = 0; k < m->nsections && !m->nomem; k++) {
		size_t i = pass == DEMO_BACKWARD ? m->nsections - 1 - k : k;
		struct where w = {prefix[pass], (uint32_t)i, s[i].ipu, pass};
		if (s[i].ipu != ipu) {
			ipu = s[i].ipu;
			sequence = child_new(m, sw, DEMO_SEQUENCE, ipu,
				name_new(m, "stage_%d/%s", ipu, stage[pass]));
			work_new(m, sequence, DEMO_SANS, ipu, NULL, 30);
			work_new(m, sequence, DEMO_SYNC_ANS, ipu, NULL, 60);
		}
		if (pass == DEMO_UPDATE)
			group_build(m, sequence, demo_update_ops, &w);
		for (size_t j = 0; pass != DEMO_UPDATE && j < s[i].n; j++) {
			size_t o = pass == DEMO_BACKWARD ? s[i].n - 1 - j : j;
			int32_t g = group_build(m, sequence, &s[i].ops[o], &w);
			if (g < 0)
				return;
			if (pass == DEMO_FORWARD) {
				s[i].group[o] = g;
			} else {
				m->groups[g].partner = s[i].group[o];
				m->groups[s[i].group[o]].partner = g;
			}
		}
	}
}

static uint32_t
stream_build(struct demo_model *m, uint32_t parent, const char *name, uint32_t begin, uint32_t mid)
{
	uint32_t b = child_new(m, parent, DEMO_BLOCK, DEMO_ALL, name_new(m, "%s", name));
	work_new(m, b, DEMO_STREAM_BEGIN, DEMO_ALL, name, begin);
	uint32_t copy = work_new(m, b, DEMO_STREAM_MID, DEMO_ALL, name, mid);
	if (!m->nomem)
		m->progs[copy].data = m->progs[copy].active * 8192;
	work_new(m, b, DEMO_STREAM_END, DEMO_ALL, name, 400);
	return b;
}

/* Sync of the pipeline, and what goes from stage to stage. */
static uint32_t
barrier_build(struct demo_model *m, uint32_t parent, const char *name)
{
	uint32_t b = child_new(m, parent, DEMO_SEQUENCE, DEMO_ALL, name_new(m, "%s", name));
	work_new(m, b, DEMO_SYNC, DEMO_ALL, "External", 700);
	if (m->ipus > 1) {
		uint32_t g = work_new(m, b, DEMO_GLOBAL_EXCHANGE, DEMO_ALL, name, 14000);
		if (!m->nomem)
			m->progs[g].data = m->progs[g].active * 16384;
	}
	return b;
}

/* Control program 1: a training step. Remembers the parts that the trace is made of. */
static uint32_t
step_build(struct demo_model *m, struct section *s)
{
	uint32_t step = prog_new(m, DEMO_SEQUENCE, DEMO_ALL, name_new(m, "training_step"));
	uint32_t *part = m->part;
	part[DEMO_PRE] = child_new(m, step, DEMO_SEQUENCE, DEMO_ALL, name_new(m, "input"));
	work_new(m, part[DEMO_PRE], DEMO_ON_TILE_SWITCH, DEMO_ALL, NULL, 120);
	work_new(m, part[DEMO_PRE], DEMO_SYNC, DEMO_ALL, "External", 700);
	stream_build(m, part[DEMO_PRE], "anchors/input_ids", 900, 24000);
	exchange_new(m, part[DEMO_PRE], DEMO_ALL,
		name_new(m, "anchors/input_ids/scatter/ExchangePre"), 900);

	uint32_t loop = child_new(m, step, DEMO_REPEAT, DEMO_ALL,
		name_new(m, "gradient_accumulation"));
	uint32_t body = child_new(m, loop, DEMO_SEQUENCE, DEMO_ALL, name_new(m, "micro_batch"));
	m->loop = loop;
	part[DEMO_FWD] = body;
	m->io = stream_build(m, body, "anchors/next_input_ids", 9000, 21000);
	m->pass_from[DEMO_FORWARD] = (uint32_t)m->ngroups;
	pass_build(m, body, s, DEMO_FORWARD);
	part[DEMO_MID] = barrier_build(m, body, "pipeline/activations");
	m->pass_from[DEMO_BACKWARD] = (uint32_t)m->ngroups;
	pass_build(m, body, s, DEMO_BACKWARD);
	part[DEMO_END] = barrier_build(m, body, "pipeline/gradients");

	uint32_t update = child_new(m, step, DEMO_REPEAT, DEMO_ALL, name_new(m, "AdamW/chunks"));
	m->chunks = update;
	uint32_t chunk = child_new(m, update, DEMO_SEQUENCE, DEMO_ALL, name_new(m, "AdamW/chunk"));
	child_new(m, chunk, DEMO_CROSS_REPLICA_COPY, DEMO_ALL, name_new(m, "AdamW/allReduce"));
	m->pass_from[DEMO_UPDATE] = (uint32_t)m->ngroups;
	pass_build(m, chunk, s, DEMO_UPDATE);
	m->pass_from[DEMO_HOST] = (uint32_t)m->ngroups;

	part[DEMO_POST] = child_new(m, step, DEMO_SEQUENCE, DEMO_ALL, name_new(m, "output"));
	child_new(m, part[DEMO_POST], DEMO_ASSUME_EQUAL, DEMO_ALL, name_new(m, "loss"));
	work_new(m, part[DEMO_POST], DEMO_SYNC, DEMO_ALL, "External", 700);
	stream_build(m, part[DEMO_POST], "anchors/loss", 2600, 9000);
	uint32_t end = child_new(m, step, DEMO_IF, DEMO_ALL, name_new(m, "checkpoint?"));
	stream_build(m, end, "weights/checkpoint", 900, 60000);
	return step;
}

/* Control programs 0 and 2: weights in and out; neither is in the trace. */
static uint32_t
weights_build(struct demo_model *m, const char *name)
{
	uint32_t p = prog_new(m, DEMO_SEQUENCE, DEMO_ALL, name_new(m, "%s", name));
	uint32_t loop = child_new(m, p, DEMO_REPEAT_WHILE, DEMO_ALL,
		name_new(m, "%s/tensors", name));
	stream_build(m, loop, name, 900, 60000);
	child_new(m, loop, DEMO_COPY, DEMO_ALL, name_new(m, "%s/rearrange", name));
	return p;
}

static int
by_parent(const void *pa, const void *pb)
{
	const struct demo_link *a = pa, *b = pb;
	if (a->parent != b->parent)
		return a->parent < b->parent ? -1 : 1;
	return a->order < b->order ? -1 : 1;
}

static void
links_sort(struct demo_model *m)
{
	for (size_t i = 0; i < m->nlinks; i++)
		m->links[i].order = (uint32_t)i;
	qsort(m->links, m->nlinks, sizeof(*m->links), by_parent);
	size_t at = 0;
	for (size_t p = 0; p < m->nprogs; p++) {
		m->progs[p].first_link = (uint32_t)at;
		while (at < m->nlinks && m->links[at].parent == p)
			at++;
	}
}

void
demo_walk(struct demo_model *m, uint32_t prog, demo_leaf_fn *each, void *ctx)
{
	if (demo_types[m->progs[prog].type].leaf) {
		each(m, prog, ctx);
		return;
	}
	uint32_t end = demo_links_end(m, prog); /* the tree is ours: a dozen levels at most */
	for (uint32_t i = m->progs[prog].first_link; i < end; i++)
		demo_walk(m, m->links[i].child, each, ctx);
}

static void
live_new(struct demo_model *m, uint32_t prog, void *ctx)
{
	(void)ctx;
	if (room(m, &m->live, &m->live_cap, m->nlive, sizeof(*m->live)))
		m->live[m->nlive++] = prog;
}

/* Liveness steps: the training step once, each operation where it is used. */
static void
liveness_order(struct demo_model *m)
{
	demo_walk(m, m->part[DEMO_PRE], live_new, NULL);
	demo_walk(m, m->io, live_new, NULL);
	for (size_t g = 0; g < m->ngroups; g++) {
		if (g == m->pass_from[DEMO_BACKWARD])
			demo_walk(m, m->part[DEMO_MID], live_new, NULL);
		if (g == m->pass_from[DEMO_UPDATE])
			demo_walk(m, m->part[DEMO_END], live_new, NULL);
		m->groups[g].from = (uint32_t)m->nlive;
		demo_walk(m, m->groups[g].prog, live_new, NULL);
		m->groups[g].to = (uint32_t)m->nlive;
	}
	demo_walk(m, m->part[DEMO_POST], live_new, NULL);
}

static void
program_build(struct demo_model *m)
{
	name_new(m, "%s", ""); /* offset 0 = no name */
	prog_new(m, DEMO_ON_EVERY_TILE_SWITCH, DEMO_ALL, 0);
	struct section *s = sections_new(m);
	if (s && !m->nomem) {
		uint32_t first = weights_build(m, "weightsFromHost");
		uint32_t step = step_build(m, s);
		uint32_t last = weights_build(m, "weightsToHost");
		link_new(m, 0, first);
		link_new(m, 0, step);
		link_new(m, 0, last);
	}
	free(s);
	if (m->nomem)
		return;
	links_sort(m);
	liveness_order(m);
}

/* ---- options ---- */

enum { MK1_TILES = 1216, VARIABLE_BYTES = 20 }; /* the least mean size of a lowered variable */

static const struct demo_target mk2 = {"Mk2", 638976, 23L * DEMO_ELEMENT_BYTES, 1.33e9};
static const struct demo_target mk1 = {"Mk1", 262144, 8L * DEMO_ELEMENT_BYTES, 1.6e9};

static enum ts_code
options_check(const struct ts_demo_options *o, struct ts_err *err)
{
	if ((unsigned)o->scale >= TS_DEMO_SCALE_COUNT || (unsigned)o->layout > TS_DEMO_SDK)
		return ts_err_set(err, TS_E_USAGE, "demo: unknown scale or layout");
	if (o->ipus < 0 || o->ipus > TS_DEMO_IPUS_MAX)
		return ts_err_set(err, TS_E_USAGE, "demo: IPUs must be 1 to %d", TS_DEMO_IPUS_MAX);
	if (o->tiles < 0 || o->tiles > TS_DEMO_TILES_MAX)
		return ts_err_set(err, TS_E_USAGE, "demo: tiles must be 1 to %d over all IPUs",
			TS_DEMO_TILES_MAX);
	if (o->steps > TS_DEMO_ROWS_MAX || o->variables < 0 || o->variables > TS_DEMO_ROWS_MAX)
		return ts_err_set(err, TS_E_USAGE, "demo: steps and variables must be 0 to %lld",
			(long long)TS_DEMO_ROWS_MAX);
	return TS_OK;
}

static enum ts_code
figures(struct demo_model *m, const struct ts_demo_options *o, struct ts_err *err)
{
	const struct ts_demo_figures *f = &ts_demo_figures[o->scale];
	m->o = *o;
	m->seed = demo_mix(o->seed);
	m->shape = demo_shapes[o->scale];
	m->ipus = o->ipus ? o->ipus : f->ipus;
	m->tiles = o->tiles ? o->tiles : f->tiles;
	m->all_tiles = (int64_t)m->ipus * m->tiles;
	if (m->all_tiles > TS_DEMO_TILES_MAX)
		return ts_err_set(err, TS_E_USAGE,
			"demo: %d IPUs x %d tiles are more than %d tiles", m->ipus, m->tiles,
			TS_DEMO_TILES_MAX);
	m->steps = o->oom || o->steps < 0 ? 0 : o->steps ? o->steps : f->steps;
	m->variables = o->variables ? o->variables : ts_max_i64(f->variables, m->all_tiles * 4);
	m->target = m->tiles == MK1_TILES ? &mk1 : &mk2;
	m->variables = ts_clamp_i64(m->variables, m->all_tiles,
		m->all_tiles * (m->target->tile_bytes / VARIABLE_BYTES));
	m->slow = m->ipus / 2;
	/* some way into the slow stage, not a tile of the dip */
	m->hot = (int64_t)m->slow * m->tiles + (int64_t)m->tiles * 27 / 100 +
		demo_below(demo_hash(m->seed, 'h', 0), (uint32_t)m->tiles / 8 + 1);
	if (m->hot % 64 == 63 && m->hot + 1 < m->all_tiles)
		m->hot++;
	return TS_OK;
}

enum ts_code
demo_model_init(struct demo_model *m, const struct ts_demo_options *o, struct ts_err *err)
{
	*m = (struct demo_model){0};
	ts_strbuf_init(&m->names, (size_t)64 << 20);
	enum ts_code code = options_check(o, err);
	if (code == TS_OK)
		code = figures(m, o, err);
	if (code != TS_OK)
		return code;
	m->shared = ts_alloc((size_t)m->ipus * 2 * DEMO_KINDS, sizeof(*m->shared));
	if (!m->shared)
		return ts_err_nomem(err);
	program_build(m);
	return m->nomem ? ts_err_nomem(err) : TS_OK;
}

void
demo_model_fini(struct demo_model *m)
{
	demo_trace_fini(m);
	demo_memory_fini(m);
	ts_strbuf_fini(&m->names);
	free(m->progs);
	free(m->cs);
	free(m->groups);
	free(m->links);
	free(m->live);
	free(m->sections);
	free(m->roots);
	free(m->shared);
}
