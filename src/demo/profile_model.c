/* SPDX-License-Identifier: MIT */
/*
 * profile_model - the program of the layout `profile`, and the variables that it needs.
 *
 * A training step of a transformer, a pipeline over the IPUs: each IPU runs the operations of its layers forward and
 * backward, then updates weights. What is small and alike is outlined into functions. Every operation moves data to the
 * tiles that it runs on, and keeps its result until the backward pass.
 */
#include "config.h"

#include "profile.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	CONTROL_EXECUTE = 12,
	CONTROL_EXCHANGE = 8,
	CONTROL_STREAM = 16,
	CONTROL_SYNC = 4,
	CONTROL_LIST = 8, /* of a Sequence, Repeat or Call */
	CODE_BYTES = 20,  /* of an exchange */
	CODE_BITS = 13,	  /* allocated, always live, executable */
	VERTEX_CODE_BITS = 29,
	ALWAYS_BITS = 5,
	STATE_BITS = 261,
	DATA_BITS = 257,
	CONSTANT_BITS = 2,
	MUCH_WORK = 400 /* percent, of an operation */
};

bool
pf_room(struct pf_model *m, void *array, size_t *cap, size_t n, size_t size)
{
	if (!m->nomem && !ts_room(array, cap, n, size))
		m->nomem = true;
	return !m->nomem;
}

static uint32_t name_new(struct pf_model *m, const char *fmt, ...) TS_PRINTF(2, 3);

static uint32_t
name_new(struct pf_model *m, const char *fmt, ...)
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
string_new(struct pf_model *m, uint32_t name)
{
	if (PF_ROOM(m, strings))
		m->strings[m->strings_n++] = name;
	return (uint32_t)m->strings_n - 1;
}

static uint32_t
context_new(struct pf_model *m, uint32_t parent, int layer, int kind, uint32_t name)
{
	if (PF_ROOM(m, contexts))
		m->contexts[m->contexts_n++] = (struct pf_context){.parent = parent,
			.name = name,
			.layer = (uint8_t)layer,
			.kind = (uint8_t)kind,
			.a = 1};
	return (uint32_t)m->contexts_n;
}

/* ---- programs ---- */

static uint32_t
prog_new(struct pf_model *m, enum pf_type type, int ipu, uint32_t context)
{
	static const uint16_t control[PF_TYPES] = {
		[PF_SEQUENCE] = CONTROL_LIST,
		[PF_EXECUTE] = CONTROL_EXECUTE,
		[PF_REPEAT] = 2 * CONTROL_LIST,
		[PF_REPEAT_WHILE] = 2 * CONTROL_LIST,
		[PF_SWITCH] = 2 * CONTROL_LIST,
		[PF_DO_EXCHANGE] = CONTROL_EXCHANGE,
		[PF_GLOBAL_EXCHANGE] = 2 * CONTROL_EXCHANGE,
		[PF_STREAM_BEGIN] = CONTROL_STREAM,
		[PF_STREAM_MID] = CONTROL_STREAM,
		[PF_STREAM_END] = CONTROL_STREAM,
		[PF_CALL] = CONTROL_LIST,
		[PF_SYNC] = CONTROL_SYNC,
		[PF_SANS] = CONTROL_SYNC,
		[PF_SYNC_ANS] = CONTROL_SYNC,
	};

	if (!PF_ROOM(m, progs))
		return 0;
	m->progs[m->progs_n] = (struct pf_prog){.type = (uint8_t)type,
		.ipu = (int16_t)ipu,
		.control = control[type],
		.index = PF_NONE,
		.scope = PF_NONE,
		.group = PF_NONE,
		.context = context,
		.first = PF_NONE,
		.last = PF_NONE,
		.next = PF_NONE,
		.tiles = (uint32_t)m->tiles,
		.vector = {PF_NONE, PF_NONE},
		.by_ipu = PF_NONE};
	for (int i = 0; i < m->ipus; i++)
		if (ipu == PF_ALL || ipu == i)
			m->parts[m->control[i]].bytes += control[type];
	return (uint32_t)m->progs_n++;
}

static void
link_new(struct pf_model *m, uint32_t parent, uint32_t child)
{
	struct pf_prog *p = &m->progs[parent];

	if (m->nomem)
		return;
	if (p->last == PF_NONE)
		p->first = (int32_t)child;
	else
		m->progs[p->last].next = (int32_t)child;
	p->last = (int32_t)child;
}

static uint32_t
child_new(struct pf_model *m, uint32_t parent, enum pf_type type, int ipu)
{
	uint32_t p = prog_new(m, type, ipu, m->nomem ? 0 : m->progs[parent].context);

	link_new(m, parent, p);
	return p;
}

static uint32_t
repeat_new(struct pf_model *m, uint32_t parent)
{
	uint32_t p = child_new(m, parent, PF_REPEAT, PF_ALL);

	if (!m->nomem)
		m->progs[p].index = (int32_t)m->repeats++;
	return p;
}

/* Cycles of the slowest tile; most programs are even, one in sixteen waits for a straggler. */
static void
cycles_set(struct pf_model *m, uint32_t prog, uint64_t cycles)
{
	uint64_t h = demo_hash(m->seed, 'c', prog);
	uint32_t even = h % 16 ? 620 + demo_below(h << 8, 360) : 80 + demo_below(h << 8, 200);
	struct pf_prog *p = &m->progs[prog];

	if (m->nomem)
		return;
	p->cycles = (uint32_t)(cycles * (900 + demo_below(h, 200)) / 1000) + 1;
	p->floor = p->cycles / 8 * even / 125 + 1;
	if (p->floor > p->cycles)
		p->floor = p->cycles;
}

/* A program that runs for so long, on all tiles. */
static uint32_t
work_new(struct pf_model *m, uint32_t parent, enum pf_type type, int ipu, uint64_t cycles)
{
	uint32_t p = child_new(m, parent, type, ipu);

	cycles_set(m, p, cycles);
	if (m->nomem)
		return p;
	if (type == PF_SYNC)
		m->progs[p].index = (int32_t)m->syncs++;
	else if (type == PF_SANS)
		m->progs[p].index = (int32_t)m->sans++;
	else if (type == PF_SYNC_ANS)
		m->progs[p].index = (int32_t)m->sync_ans++;
	return p;
}

static int32_t
scope_new(struct pf_model *m, uint32_t prog)
{
	if (PF_ROOM(m, scopes)) {
		m->scopes[m->scopes_n++] = (struct pf_scope){.prog = prog};
		m->progs[prog].scope = (int32_t)m->scopes_n - 1;
	}
	return (int32_t)m->scopes_n - 1;
}

/* All programs since its own are in the scope. */
static void
scope_end(struct pf_model *m, int32_t scope)
{
	if (!m->nomem)
		m->scopes[scope].end = (uint32_t)m->progs_n;
}

/* ---- classes, variables, parts ---- */

static int32_t
class_new(struct pf_model *m, enum pf_life life, int ipu, int32_t scope, uint32_t from, uint32_t to)
{
	/* the same lifetime as the class before it is the same class */
	for (size_t i = m->classes_n; i > 0 && i + 4 > m->classes_n; i--) {
		const struct pf_class *c = &m->classes[i - 1];

		if (c->life == life && c->ipu == ipu && c->scope == scope && c->from == from &&
			c->to == to && life == PF_LOCAL)
			return (int32_t)i - 1;
	}
	if (PF_ROOM(m, classes))
		m->classes[m->classes_n++] = (struct pf_class){.life = (uint8_t)life,
			.ipu = (int16_t)ipu,
			.scope = scope,
			.from = from,
			.to = to};
	return (int32_t)m->classes_n - 1;
}

static int32_t
variable_new(struct pf_model *m, uint32_t name, uint32_t context)
{
	if (PF_ROOM(m, variables))
		m->variables[m->variables_n++] = (struct pf_variable){name, context};
	return (int32_t)m->variables_n - 1;
}

/* A tensor, with a context of its own. */
static int32_t
tensor_new(struct pf_model *m, uint32_t name, uint32_t parent, uint32_t a, uint32_t b)
{
	uint32_t c = context_new(m, parent, PF_POPLAR, PF_VAR, name);

	if (!m->nomem) {
		m->contexts[c - 1].a = a ? a : 1;
		m->contexts[c - 1].b = b;
	}
	return variable_new(m, name, c);
}

/* Tiles of a part or program. */
struct where {
	int ipu;
	uint32_t tile, tiles; /* of the IPU */
};

static int32_t
part_new(struct pf_model *m, const struct where *w, int category, int32_t variable, uint32_t name,
	int32_t class)
{
	struct pf_part *p;

	if (!PF_ROOM(m, parts))
		return 0;
	p = &m->parts[m->parts_n++];
	*p = (struct pf_part){.tile = (uint32_t)(w->ipu * m->tiles) + w->tile,
		.tiles = w->tiles,
		.class = class,
		.scope = class >= 0 ? m->classes[class].scope : PF_NONE,
		.variable = variable,
		.name = string_new(m, name),
		.vertex = PF_NONE,
		.partner = {PF_NONE, PF_NONE},
		.at = UINT32_MAX,
		.suffix = PF_NONE,
		.category = (uint8_t)category,
		.alignment = 4,
		.life = class >= 0 ? m->classes[class].life : PF_ALWAYS,
		.type = PF_NO_VERTEX,
		.bits = class == 0 ? ALWAYS_BITS : DATA_BITS};
	return (int32_t)m->parts_n - 1;
}

/* The variable that stands for all of a category that are no tensors. */
static int32_t
pseudo(struct pf_model *m, int category)
{
	if (m->pseudo[category] < 0)
		m->pseudo[category] = variable_new(m,
			name_new(m, "%s", pf_categories[category].name), 0);
	return m->pseudo[category];
}

/* One whose size does not follow from the model's; its variable is the category's. */
static int32_t
fixed_new(struct pf_model *m, const struct where *w, int category, const char *name, uint32_t bytes,
	unsigned bits)
{
	int32_t p = part_new(m, w, category, pseudo(m, category), name_new(m, "%s", name), 0);

	if (!m->nomem) {
		m->parts[p].bytes = bytes;
		m->parts[p].bits = (uint16_t)bits;
	}
	return p;
}

/* One of a tensor of so many units on the whole IPU. */
static int32_t
data_new(struct pf_model *m, const struct where *w, int category, int32_t variable, uint32_t name,
	int32_t class, uint64_t units)
{
	int32_t p = part_new(m, w, category, variable, name, class);

	if (!m->nomem) {
		uint64_t u = units * 16 * (uint64_t)m->tiles / w->tiles;

		m->parts[p].units = (uint32_t)ts_clamp_i64((int64_t)u, 1, 1 << 28);
		m->parts[p].alignment = 8;
		m->parts[p].at = 0;
		if (m->classes[class].life == PF_ALWAYS)
			m->parts[p].bits = STATE_BITS;
	}
	return p;
}

static void
partners(struct pf_model *m, int32_t a, int32_t b)
{
	if (m->nomem || a < 0 || b < 0)
		return;
	for (int i = 0; i < PF_PARTNERS; i++) {
		if (m->parts[a].partner[i] != PF_NONE)
			continue;
		for (int k = 0; k < PF_PARTNERS; k++) {
			if (m->parts[b].partner[k] != PF_NONE)
				continue;
			m->parts[a].partner[i] = b;
			m->parts[b].partner[k] = a;
			return;
		}
	}
}

/* ---- exchanges and streams ---- */

static void
exchange_new(struct pf_model *m, uint32_t prog, bool global, int32_t source, int32_t target)
{
	const struct pf_part *t;

	if (m->nomem || !PF_ROOM(m, exchanges))
		return;
	t = &m->parts[target];
	m->exchanges[m->exchanges_n] = (struct pf_exchange){.prog = prog,
		.global = global,
		.source = source,
		.target = target,
		.regions = m->regions,
		.code = (uint16_t)(CODE_BYTES + demo_below(demo_hash(m->seed, 'x', prog), 8) * 4)};
	m->regions += 2;
	m->progs[prog].index = (int32_t)m->exchanges_n++;
	m->progs[prog].tile = t->tile % (uint32_t)m->tiles;
	m->progs[prog].tiles = t->tiles;
}

/* Code of an exchange, on the tiles that send or receive. */
static void
exchange_code(struct pf_model *m, const struct pf_exchange *x)
{
	const struct pf_part s = m->parts[x->source], t = m->parts[x->target];
	struct where to = {(int)(t.tile / (uint32_t)m->tiles), t.tile % (uint32_t)m->tiles,
		t.tiles};
	struct where from = {(int)(s.tile / (uint32_t)m->tiles), s.tile % (uint32_t)m->tiles,
		s.tiles};
	int category = x->global ? PF_GLOBAL_CODE : PF_INTERNAL_CODE;
	const char *name = x->global ? ".text.supervisor.global_exchange_"
				     : ".text.supervisor.internal_exchange_";
	int32_t suffix = m->progs[x->prog].index;
	uint16_t code = x->code;
	int32_t p = fixed_new(m, &to, category, name, code, CODE_BITS);

	if (!m->nomem)
		m->parts[p].suffix = suffix;
	if (s.tile == t.tile && s.tiles == t.tiles)
		return;
	p = fixed_new(m, &from, category, name, code, CODE_BITS);
	if (!m->nomem)
		m->parts[p].suffix = suffix;
}

static void
stream_new(struct pf_model *m, uint32_t mid, const char *name, bool to_host, bool remote,
	int32_t part)
{
	const struct pf_part *p = &m->parts[part];

	if (m->nomem || !PF_ROOM(m, streams))
		return;
	m->streams[m->streams_n++] = (struct pf_stream){.prog = mid,
		.mid = (uint32_t)m->progs[mid].index,
		.name = name_new(m, "%s", name),
		.to_host = to_host,
		.remote = remote,
		.part = part,
		.regions = m->regions++};
	m->progs[mid].tile = p->tile % (uint32_t)m->tiles;
	m->progs[mid].tiles = p->tiles;
}

/* Begin, Mid and End of a stream copy; Mid runs on one IPU. */
static uint32_t
copy_new(struct pf_model *m, uint32_t parent, int ipu, uint64_t begin, uint64_t mid)
{
	uint32_t p;

	work_new(m, parent, PF_STREAM_BEGIN, PF_ALL, begin);
	p = work_new(m, parent, PF_STREAM_MID, ipu, mid);
	if (!m->nomem)
		m->progs[p].index = (int32_t)m->mids++;
	work_new(m, parent, PF_STREAM_END, PF_ALL, 380);
	return p;
}

/* ---- compute sets ---- */

/* What vertices of a type on the set's tiles need. Returns the part of their state. */
static int32_t
vertices_new(struct pf_model *m, const struct where *w, int type, uint32_t count, int64_t first,
	int32_t set)
{
	static const struct {
		int category;
		const char *name;
	} more[] = {
		{PF_VERTEX_FIELD, "vals"},
		{PF_VECTOR_LIST, "list"},
		{PF_COPY_DESCRIPTOR, "descriptor"},
	};
	const struct pf_vertex *v = &pf_vertices[type];
	const uint32_t bytes[] = {v->fields, v->list, v->descriptor};
	int32_t state = fixed_new(m, w, PF_VERTEX_STATE, "__vertexState", count * v->size,
		STATE_BITS);

	if (m->nomem)
		return 0;
	m->parts[state].suffix = set;
	m->parts[state].at = 0;
	for (size_t i = 0; i < TS_COUNT(more); i++) {
		char name[DEMO_NAME_MAX];
		int32_t p;

		if (!bytes[i])
			continue;
		snprintf(name, sizeof(name), "_%s.%s", v->name, more[i].name);
		p = fixed_new(m, w, more[i].category, name, count * bytes[i], STATE_BITS);
		if (m->nomem)
			return 0;
		m->parts[p].vertex = first;
		m->parts[p].step = (uint8_t)count;
	}
	m->vertices += (int64_t)count * w->tiles;
	m->edges += (int64_t)count * w->tiles * v->edges;
	for (uint32_t t = 0; t < w->tiles; t++)
		m->types[(uint32_t)(w->ipu * m->tiles) + w->tile + t] |= 1u << type;
	return state;
}

/* A compute set and the program that runs it. */
static int32_t
set_new(struct pf_model *m, uint32_t parent, const struct where *w, const struct pf_leaf *l,
	uint32_t name, uint32_t context, uint64_t cycles)
{
	uint32_t p = child_new(m, parent, PF_EXECUTE, w->ipu);
	struct pf_set *s;
	int32_t i = (int32_t)m->sets_n;
	int both = l->beside != PF_NO_VERTEX && l->per_tile > 1 && m->detail > 0;
	uint32_t first = l->per_tile - (uint32_t)both;

	cycles_set(m, p, cycles);
	if (m->nomem || !PF_ROOM(m, sets))
		return 0;
	s = &m->sets[m->sets_n++];
	*s = (struct pf_set){.name = name,
		.context = context_new(m, context, PF_POPLAR, PF_COMPUTE_SET, name),
		.prog = p,
		.ipu = (int16_t)w->ipu,
		.vertex = {l->vertex, both ? l->beside : PF_NO_VERTEX},
		.count = {(uint8_t)first, (uint8_t)both},
		.tile = (uint32_t)(w->ipu * m->tiles) + w->tile,
		.tiles = w->tiles,
		.parts = {PF_NONE, PF_NONE, PF_NONE, PF_NONE},
		.first_vertex = m->vertices};
	m->progs[p].context = s->context;
	m->progs[p].index = i;
	m->progs[p].tile = w->tile;
	m->progs[p].tiles = w->tiles;
	s->parts[0] = vertices_new(m, w, l->vertex, first, s->first_vertex, i);
	if (both)
		vertices_new(m, w, l->beside, 1, s->first_vertex + (int64_t)first * w->tiles, i);
	return i;
}

/* ---- operations ---- */

struct use {
	const struct pf_op *op;
	uint32_t section, name, context; /* of the operation: of poplibs */
	int ipu, pass;
	struct where w;
};

/* Of what covers so many tiles of 1,000 of a real model: a whole IPU stays whole. */
static uint32_t
narrow(const struct pf_model *m, uint32_t cover)
{
	return cover < 1000 ? cover * m->spread / 1000 : 1000;
}

static void
where_new(struct pf_model *m, struct where *w, int ipu, uint32_t cover, uint64_t which)
{
	uint32_t n = (uint32_t)m->tiles;

	w->ipu = ipu;
	/* what covers an IPU is on four times as many at most as what does not */
	w->tiles = (uint32_t)ts_clamp_i64((int64_t)n * cover / 1000, 1,
		m->most * (cover < 1000 ? 1 : 4));
	w->tile = demo_below(demo_hash(m->seed, 'w', which), n - w->tiles + 1);
}

/* What is moved to the tiles of a compute set, and the exchange that does it. */
static int32_t
message_new(struct pf_model *m, const struct use *u, int32_t scope, uint32_t set_name,
	uint32_t exchange, int32_t source, uint64_t units)
{
	uint32_t body = m->nomem ? 0 : m->scopes[scope].prog;
	int32_t class = class_new(m, PF_LOCAL, u->ipu, scope, exchange - body, exchange - body + 3);
	int32_t variable = variable_new(m, name_new(m, "<message:%s>", m->names.s + set_name), 0);
	int32_t p = data_new(m, &u->w, PF_MESSAGE, variable,
		name_new(m, "message-%s-", m->names.s + set_name), class, units);

	if (!m->nomem)
		m->parts[p].told = true;
	exchange_new(m, exchange, false, source, p);
	if (!m->nomem) {
		m->progs[exchange].name = name_new(m, "%s/ExchangePre", m->names.s + set_name);
		exchange_code(m, &m->exchanges[m->progs[exchange].index]);
	}
	return p;
}

/* One compute set of an operation with the exchange before it; `partials` is what it makes. */
static void
leaf_build(struct pf_model *m, uint32_t body, int32_t scope, const struct use *u,
	const struct pf_leaf *l, uint32_t name, int32_t source, int32_t partials, uint32_t convs)
{
	uint64_t cycles = (uint64_t)l->cycles * u->op->work / 100 / convs;
	uint64_t units = (uint64_t)u->op->message / convs;
	uint32_t x;
	int32_t set, message;

	if (m->nomem)
		return;
	if (m->sets_n % 16 == 7)
		work_new(m, body, PF_SYNC, u->ipu, 240);
	if (u->pass == PF_BACKWARD)
		cycles = cycles * 13 / 10;
	if (u->ipu == m->slow && u->pass != PF_UPDATE)
		cycles = cycles * 6 / 5;
	cycles = cycles *
		(85 +
			demo_below(demo_hash(m->seed, 'l', u->section * 64 + (uint32_t)u->pass),
				30)) /
		100;
	x = child_new(m, body, PF_DO_EXCHANGE, u->ipu);
	child_new(m, body, PF_WRITE_UNDEF, u->ipu);
	message = message_new(m, u, scope, name, x, source, units ? units : 1);
	set = set_new(m, body, &u->w, l, name, u->context, cycles);
	if (m->nomem)
		return;
	m->progs[x].context = m->sets[set].context;
	m->progs[x + 1].context = m->sets[set].context;
	m->sets[set].parts[1] = message;
	m->sets[set].parts[2] = partials;
	if (u->op->kind == 0 && l->vertex == 0)
		m->sets[set].flops = (uint32_t)(cycles * 64);
}

/* The programs of an operation, and what is alive within it. */
static uint32_t
body_build(struct pf_model *m, const struct use *u)
{
	const struct pf_op *op = u->op;
	const struct pf_leaf *leaves = pf_leaves[op->kind];
	uint32_t body = prog_new(m, PF_SEQUENCE, u->ipu, u->context);
	int32_t scope = scope_new(m, body);
	uint32_t convs = op->split ? (uint32_t)m->convs : 1;
	struct where from = u->w;
	int32_t in, partials = PF_NONE, whole;

	if (op->kind == 6) /* a gather: rows lie on a few tiles */
		where_new(m, &from, u->ipu, narrow(m, op->cover / 3 + 1), m->progs_n);
	/* the class of the whole operation: its end is set when it is known */
	whole = class_new(m, PF_LOCAL, u->ipu, scope, 1, 0);
	in = data_new(m, &from, PF_REARRANGEMENT,
		variable_new(m, name_new(m, "<rearrangement:%s/in>", m->names.s + u->name), 0),
		name_new(m, "%s/inRearranged", m->names.s + u->name), whole,
		op->message ? op->message : 1);
	if (!m->nomem)
		m->parts[in].split = true;
	if (op->partials) {
		uint32_t name = name_new(m, "%s/partials", m->names.s + u->name);

		partials = data_new(m, &u->w, PF_VARIABLE,
			tensor_new(m, name, u->context, op->partials, 1024), name, whole,
			op->partials);
		if (!m->nomem) {
			m->parts[partials].told = true;
			m->parts[partials].split = true;
			m->parts[partials].uneven = true;
		}
		if (op->kind == 0)
			partners(m, in, partials);
	}
	for (uint32_t c = 1; c <= convs; c++) {
		bool first = true;

		for (int i = 0; i < PF_LEAVES && leaves[i].name && !m->nomem; i++) {
			uint32_t name;

			if (leaves[i].detail > m->detail)
				continue;
			name = op->split
				? name_new(m, "%s/Conv_%u/%s", m->names.s + u->name, c,
					  leaves[i].name)
				: name_new(m, "%s/%s", m->names.s + u->name, leaves[i].name);
			leaf_build(m, body, scope, u, &leaves[i], name,
				first || partials < 0 ? in : partials, partials, convs);
			first = false;
		}
	}
	scope_end(m, scope);
	if (!m->nomem)
		m->classes[whole].to = m->scopes[scope].end - body;
	return body;
}

static const char *const prefixes[PF_PASSES] = {"", "Gradient/", "AdamW/"};

/* What stays of an operation: its weights, and its result until it is used. */
static void
results_new(struct pf_model *m, struct use *u, struct pf_group *g)
{
	const struct pf_op *op = u->op;
	uint64_t units = u->pass == PF_FORWARD ? op->out : op->weights;
	uint32_t name = name_new(m, "%s/%s", m->names.s + u->name,
		u->pass == PF_FORWARD ? "out" : "gradWeights");

	if (u->pass == PF_FORWARD && op->weights) {
		uint32_t weights = name_new(m, "%s/weights", m->names.s + u->name);
		int32_t p = data_new(m, &u->w, PF_VARIABLE,
			tensor_new(m, weights, u->context, op->weights * 10, 1024), weights, 0,
			op->weights);

		if (!m->nomem) {
			m->parts[p].split = true;
			m->parts[p].uneven = true;
		}
	}
	if (!units)
		return;
	g->out = class_new(m, PF_SPAN, u->ipu, PF_NONE, g->prog, g->prog);
	g->part = data_new(m, &u->w, PF_VARIABLE,
		tensor_new(m, name, u->context, (uint32_t)units, 1024), name, g->out, units);
	if (!m->nomem) {
		m->parts[g->part].split = true;
		m->parts[g->part].told = true;
		m->parts[g->part].uneven = true;
	}
}

/* One use of an operation, under `parent`; the number of its group. */
static int32_t
group_build(struct pf_model *m, uint32_t parent, struct use *u)
{
	static const char *const apis[PF_KINDS] = {"poplin::convolution",
		"popnn::bn::batchNormalise", "popnn::nonLinearity", "poprand::dropout",
		"popnn::nonLinearity", "popops::add", "popops::multiSlice", "popnn::calcLoss",
		"popops::scaledAddTo"};
	struct pf_group g = {.section = u->section,
		.ipu = (int16_t)u->ipu,
		.pass = (uint8_t)u->pass,
		.out = PF_NONE,
		.part = PF_NONE};

	if (m->nomem)
		return 0;
	u->name = g.name = name_new(m, "%s%s/%s", prefixes[u->pass],
		m->names.s + m->sections[u->section], u->op->path);
	g.context = context_new(m, m->section_contexts[u->section], PF_POPART, PF_PLAIN, g.name);
	u->context = context_new(m, g.context, PF_POPLIBS, PF_PLAIN,
		name_new(m, "%s", apis[u->op->kind]));
	/* what has most work is on most tiles */
	where_new(m, &u->w, u->ipu,
		u->op->work >= MUCH_WORK ? u->op->cover * m->wide / 1000 : narrow(m, u->op->cover),
		m->groups_n);
	if (u->op->shared) {
		size_t i = ((size_t)u->ipu * PF_PASSES + (size_t)u->pass) * PF_KINDS + u->op->kind;
		uint32_t call = child_new(m, parent, PF_CALL, u->ipu);

		if (m->nomem)
			return 0;
		if (m->shared[i] < 0) {
			uint32_t body = body_build(m, u);

			if (PF_ROOM(m, functions)) {
				m->shared[i] = (int32_t)m->functions_n;
				m->functions[m->functions_n++] = body;
			}
		}
		if (PF_ROOM(m, calls)) {
			m->progs[call].index = (int32_t)m->calls_n;
			m->calls[m->calls_n++] = (uint32_t)m->shared[i];
		}
		g.prog = call;
	} else {
		g.prog = body_build(m, u);
		link_new(m, parent, g.prog);
	}
	if (m->nomem || !PF_ROOM(m, groups))
		return 0;
	m->progs[g.prog].context = g.context;
	m->progs[g.prog].group = (int32_t)m->groups_n;
	results_new(m, u, &g);
	m->groups[m->groups_n++] = g;
	return (int32_t)m->groups_n - 1;
}

/* ---- sections ---- */

struct section {
	const struct pf_op *ops;
	int n, ipu;
	int32_t forward[PF_OPS_MAX], backward[PF_OPS_MAX];
};

static void
section_new(struct pf_model *m, struct section *s, const struct pf_op *ops, int n, int ipu,
	uint32_t name)
{
	*s = (struct section){.ops = ops, .n = n, .ipu = ipu};
	if (PF_ROOM(m, sections))
		m->sections[m->sections_n++] = name;
	if (PF_ROOM(m, section_contexts)) {
		uint32_t c = context_new(m, 1, PF_POPTORCH, PF_PLAIN, name);

		m->section_contexts[m->section_contexts_n++] = c;
	}
}

static struct section *
sections_new(struct pf_model *m)
{
	struct section *s = ts_alloc((size_t)m->layers + 2, sizeof(*s));

	if (!s) {
		m->nomem = true;
		return NULL;
	}
	section_new(m, &s[0], pf_embedding_ops, PF_EMBEDDING_OPS, 0,
		name_new(m, "bert/embeddings"));
	for (int i = 0; i < m->layers; i++)
		section_new(m, &s[i + 1], pf_layer_ops, PF_LAYER_OPS,
			(int)((int64_t)i * m->ipus / m->layers),
			name_new(m, "bert/encoder/layer_%d", i));
	section_new(m, &s[m->layers + 1], pf_head_ops, PF_HEAD_OPS, m->ipus - 1,
		name_new(m, "cls/predictions"));
	return s;
}

/* Moments of all weights of a section: always live, on all tiles of its IPU. */
static void
moments_new(struct pf_model *m, struct use *u, const struct section *s)
{
	static const struct {
		const char *name;
		unsigned factor;
	} moments[] = {{"moment1", 1}, {"moment2", 2}};
	uint64_t weights = 0;

	for (int i = 0; i < s->n; i++)
		weights += s->ops[i].weights;
	for (size_t i = 0; i < TS_COUNT(moments); i++) {
		uint32_t name = name_new(m, "%s/%s", m->names.s + u->name, moments[i].name);
		int32_t p = data_new(m, &u->w, PF_VARIABLE,
			tensor_new(m, name, u->context, (uint32_t)weights, 1024), name, 0,
			weights * moments[i].factor);

		if (!m->nomem) {
			m->parts[p].split = true;
			m->parts[p].uneven = true;
		}
	}
}

/* Results live from the forward to the backward pass, gradients until the update. */
static void
class_until(struct pf_model *m, int32_t from, int32_t to)
{
	if (!m->nomem && m->groups[from].out >= 0)
		m->classes[m->groups[from].out].to = m->groups[to].prog;
}

/* The operations of a section in one pass. */
static void
section_build(struct pf_model *m, uint32_t parent, struct section *s, uint32_t section, int pass)
{
	struct use u = {.section = section, .ipu = s->ipu, .pass = pass};

	if (pass == PF_UPDATE) {
		int32_t g;

		u.op = &pf_update_op;
		g = group_build(m, parent, &u);
		moments_new(m, &u, s);
		for (int i = 0; i < s->n; i++)
			class_until(m, s->backward[i], g);
		return;
	}
	for (int k = 0; k < s->n && !m->nomem; k++) {
		int i = pass == PF_BACKWARD ? s->n - 1 - k : k;

		u.op = &s->ops[i];
		if (pass == PF_FORWARD) {
			s->forward[i] = group_build(m, parent, &u);
		} else {
			s->backward[i] = group_build(m, parent, &u);
			class_until(m, s->forward[i], s->backward[i]);
		}
	}
}

/* Another part for the control code that follows, so that none is large. */
static void
control_new(struct pf_model *m, int ipu, const char *name)
{
	struct where w = {ipu, 0, (uint32_t)m->tiles};
	char text[DEMO_NAME_MAX];
	int32_t p;

	snprintf(text, sizeof(text), ".text.supervisor.control_%.200s", name);
	p = fixed_new(m, &w, PF_CONTROL_CODE, text, 0, CODE_BITS);
	if (!m->nomem)
		m->control[ipu] = p;
}

/* All IPUs' stages of one pass, one after the other; they run at the same time. */
static void
pass_build(struct pf_model *m, uint32_t parent, struct section *s, int pass)
{
	static const char *const names[PF_PASSES] = {"forward", "backward", "update"};
	uint32_t sequence = 0;
	int ipu = -1;

	for (size_t k = 0; k < m->sections_n && !m->nomem; k++) {
		size_t i = pass == PF_BACKWARD ? m->sections_n - 1 - k : k;

		if (s[i].ipu != ipu) {
			if (ipu >= 0)
				work_new(m, sequence, PF_SYNC_ANS, ipu, 60);
			ipu = s[i].ipu;
			control_new(m, ipu, names[pass]);
			sequence = child_new(m, parent, PF_SEQUENCE, ipu);
			work_new(m, sequence, PF_SANS, ipu, 30);
		}
		section_build(m, sequence, &s[i], (uint32_t)i, pass);
	}
	work_new(m, sequence, PF_SYNC_ANS, ipu, 60);
}

/* The result that goes from stage to stage: that of the last operation of an IPU in this pass. */
static int32_t
last_result(const struct pf_model *m, int ipu, int pass)
{
	for (size_t i = m->groups_n; i > 0; i--) {
		const struct pf_group *g = &m->groups[i - 1];

		if (g->ipu == ipu && g->pass == pass && g->part >= 0)
			return g->part;
	}
	return PF_NONE;
}

/* An external sync, and what goes to the next stage. */
static void
barrier_build(struct pf_model *m, uint32_t parent, int pass)
{
	uint32_t b = child_new(m, parent, PF_SEQUENCE, PF_ALL);
	int32_t scope = scope_new(m, b);
	int way = pass == PF_FORWARD ? 1 : -1;

	work_new(m, b, PF_SYNC, PF_ALL, 700);
	for (int i = 0; i < m->ipus && !m->nomem; i++) {
		int to = i + way;
		int32_t source = last_result(m, i, pass), target;
		struct where w;
		uint32_t p, name;

		if (to < 0 || to >= m->ipus || source < 0)
			continue;
		p = child_new(m, b, PF_GLOBAL_EXCHANGE, PF_ALL);
		where_new(m, &w, to, narrow(m, 700), p);
		name = name_new(m, "stage_%d/to_%d", i, to);
		target = data_new(m, &w, PF_GLOBAL_MESSAGE,
			variable_new(m, name_new(m, "<message:%s>", m->names.s + name), 0),
			name_new(m, "globalMessage-%s-", m->names.s + name),
			class_new(m, PF_LOCAL, to, scope, 1, m->nomem ? 2 : p - b + 1), 100);
		exchange_new(m, p, true, source, target);
		if (m->nomem)
			return;
		m->progs[p].name = name;
		exchange_code(m, &m->exchanges[m->progs[p].index]);
		fixed_new(m, &w, PF_GLOBAL_HEADER, "globalHeader", 8, ALWAYS_BITS);
	}
	scope_end(m, scope);
}

/* ---- the host ---- */

static int32_t
profile_info(struct pf_model *m, int ipu)
{
	struct where w = {ipu, 0, 1};

	return fixed_new(m, &w, PF_INSTRUMENTATION, "profileInfo", 28, STATE_BITS);
}

struct block {
	const char *stream;
	bool to_host, remote;
	int ipu;
	uint32_t cover, units;
	uint64_t begin, mid;
};

/* A stream copy with what it moves; its root. *part: where that is. */
static uint32_t
block_build(struct pf_model *m, uint32_t parent, const struct block *s, int32_t *part)
{
	uint32_t b = child_new(m, parent, PF_SEQUENCE, PF_ALL);
	int32_t scope = scope_new(m, b), info, data;
	uint32_t mid, name = name_new(m, "%s", s->stream);
	char text[DEMO_NAME_MAX];
	struct where w;

	where_new(m, &w, s->ipu, narrow(m, s->cover), m->progs_n);
	mid = copy_new(m, b, s->ipu, s->begin, s->mid);
	data = data_new(m, &w, PF_VARIABLE, tensor_new(m, name, 1, s->units, 384), name,
		class_new(m, PF_LOCAL, s->ipu, scope, 1, 4), s->units);
	info = profile_info(m, s->ipu);
	stream_new(m, mid, s->stream, s->to_host, s->remote, data);
	if (!m->nomem) {
		m->parts[data].told = true;
		m->parts[info].at = 0;
		m->parts[info].suffix = (int32_t)m->mids - 1;
		snprintf(text, sizeof(text), "streamCopyTimingInfoStream_%u", m->mids - 1);
		stream_new(m, mid, text, true, false, info);
		/* the stream itself decides which tiles are active */
		m->progs[mid].tile = w.tile;
		m->progs[mid].tiles = w.tiles;
		snprintf(text, sizeof(text), ".text.supervisor.host_exchange_%u", m->mids - 1);
		fixed_new(m, &w, PF_HOST_CODE, text, 112, CODE_BITS);
	}
	scope_end(m, scope);
	if (part)
		*part = data;
	return b;
}

static uint32_t
weights_build(struct pf_model *m, uint32_t parent, bool to_host)
{
	uint32_t p = child_new(m, parent, PF_SEQUENCE, PF_ALL);
	uint32_t loop = child_new(m, p, PF_REPEAT_WHILE, PF_ALL);

	for (int i = 0; i < m->ipus && !m->nomem; i++)
		block_build(m, loop,
			&(struct block){to_host ? "weights/out" : "weights/in", to_host, true, i,
				600, 60, 900, 60000},
			NULL);
	return p;
}

/* What the profiler needs: a compute set that writes what was measured into a buffer, which goes to the host. */
static void
instrumentation_build(struct pf_model *m, uint32_t parent)
{
	static const struct pf_leaf dump = {"instrumentation/dump", 900, PF_VERTEX_DUMP,
		PF_NO_VERTEX, 1, 0};
	uint32_t context = context_new(m, 1, PF_POPLAR, PF_PROGRAM, name_new(m, "instrumentation"));

	for (int i = 0; i < m->ipus && !m->nomem; i++) {
		struct where w = {i, 0, (uint32_t)m->tiles};
		uint32_t b = child_new(m, parent, PF_SEQUENCE, PF_ALL), mid;
		int32_t scope = scope_new(m, b), p;

		m->progs[b].context = context;
		set_new(m, b, &w, &dump, name_new(m, "instrumentation/dump"), context, 900);
		mid = copy_new(m, b, i, 700, 16000);
		p = part_new(m, &w, PF_VARIABLE, (int32_t)m->anon,
			name_new(m, "instrumentationStreamBuffer"),
			class_new(m, PF_LOCAL, i, scope, 1, 5));
		if (m->nomem)
			return;
		m->parts[p].bytes = 512;
		m->parts[p].alignment = 8;
		m->parts[p].at = 0;
		stream_new(m, mid, "instrumentationStream", true, false, p);
		scope_end(m, scope);
	}
}

/* ---- what every tile has ---- */

static uint32_t
codelet_name(struct pf_model *m, const char *vertex)
{
	char text[DEMO_NAME_MAX];
	size_t n = 0;

	for (const char *c = vertex; *c && n + 4 < sizeof(text); c++) {
		if (*c == '<' || *c == '>')
			n += (size_t)snprintf(text + n, 4, "___");
		else
			text[n++] = *c == ':' || *c == ',' ? '_' : *c;
	}
	text[n] = '\0';
	return name_new(m, ".text.__runCodelet_%s", text);
}

static const struct {
	int category;
	const char *name;
	uint32_t bytes;
	unsigned bits;
} everywhere[] = {
	{PF_CONTROL_CODE, ".text.poplar_start", 108, 77},
	{PF_STACK, "__stack", 408, STATE_BITS},
	{PF_CONTROL_CODE, ".text.supervisor.control_initPrngSeed", 32, CODE_BITS},
	{PF_CONTROL_CODE, ".text.supervisor.instrumentation_cycleCount", 160, CODE_BITS},
	{PF_VERTEX_CODE, ".text.memcpy", 116, VERTEX_CODE_BITS},
	{PF_VERTEX_CODE, ".text._exit", 16, VERTEX_CODE_BITS},
	{PF_VERTEX_CODE, ".text._stackoverflow", 12, VERTEX_CODE_BITS},
	{PF_VERTEX_CODE, ".data_on_every_tile_switch__10_switchTable", 14, ALWAYS_BITS},
	{PF_HOST_CODE, ".text.supervisor.host_exchange_hostExchangeEntrySlaveHSync", 16, CODE_BITS},
	{PF_HOST_HEADER, "_commandPacketHeader", 8, ALWAYS_BITS},
	{PF_HOST_HEADER, "multiple_headers_", 16, ALWAYS_BITS},
	{PF_HOST_MESSAGE, "_commandPacketPayload", 64, ALWAYS_BITS},
	{PF_INSTRUMENTATION, "_instrumentCounterL", 4, ALWAYS_BITS},
	{PF_INSTRUMENTATION, "_instrumentCounterU", 4, ALWAYS_BITS},
	{PF_CONTROL_ID, "syncID", 4, DATA_BITS},
};

static void
tiles_build(struct pf_model *m)
{
	for (int i = 0; i < m->ipus && !m->nomem; i++) {
		struct where w = {i, 0, (uint32_t)m->tiles};
		int32_t first = (int32_t)m->parts_n;

		for (size_t k = 0; k < TS_COUNT(everywhere); k++)
			fixed_new(m, &w, everywhere[k].category, everywhere[k].name,
				everywhere[k].bytes, everywhere[k].bits);
		partners(m, first, first + 1);
		if (!m->nomem)
			m->parts[first + 1].alignment = 8;
		fixed_new(m, &w, PF_CONSTANT, "", 0, CONSTANT_BITS);
		if (!m->nomem)
			m->parts[m->parts_n - 1].class = PF_UNALLOCATED;
		control_new(m, i, "main");
		for (int v = 0; v < PF_VERTICES && !m->nomem; v++) {
			int32_t p = part_new(m, &w, PF_VERTEX_CODE, pseudo(m, PF_VERTEX_CODE),
				codelet_name(m, pf_vertices[v].name), 0);

			if (m->nomem)
				return;
			m->parts[p].bytes = pf_vertices[v].code;
			m->parts[p].bits = VERTEX_CODE_BITS;
			m->parts[p].type = (uint8_t)v;
		}
	}
}

/* The number of the program that is to run goes from the host to tile 0, from there to all tiles. */
static void
program_id_build(struct pf_model *m, uint32_t root)
{
	struct where one = {0, 0, 1};
	uint32_t b = child_new(m, root, PF_SEQUENCE, PF_ALL), mid, first;
	int32_t scope = scope_new(m, b), id, sync;

	work_new(m, b, PF_SANS, PF_ALL, 30);
	mid = copy_new(m, b, 0, 400, 300);
	sync = fixed_new(m, &one, PF_CONTROL_ID, "syncIDs", 4, DATA_BITS);
	id = part_new(m, &one, PF_CONTROL_ID, variable_new(m, name_new(m, "programId0"), 0),
		name_new(m, "programId0#0#"), 0);
	if (m->nomem)
		return;
	m->parts[sync].at = 0;
	m->parts[id].bytes = 4;
	m->parts[id].at = 0;
	stream_new(m, mid, "_sync_id", true, false, sync);
	stream_new(m, copy_new(m, b, 0, 400, 300), "programId0", false, false, id);
	work_new(m, b, PF_SYNC_ANS, PF_ALL, 60);
	first = (uint32_t)m->variables_n;
	for (int64_t t = 0; t < m->all_tiles && !m->nomem; t++)
		variable_new(m, name_new(m, "broadcastProgramId#%lld", (long long)t), 0);
	for (int i = 0; i < m->ipus && !m->nomem; i++) {
		struct where w = {i, 0, (uint32_t)m->tiles};
		uint32_t x = child_new(m, b, i ? PF_GLOBAL_EXCHANGE : PF_DO_EXCHANGE,
			i ? PF_ALL : 0);
		int32_t p = part_new(m, &w, PF_CONTROL_ID,
			(int32_t)(first + (uint32_t)(i * m->tiles)),
			name_new(m, "broadcastProgramId"),
			class_new(m, PF_LOCAL, i, scope, m->nomem ? 1 : x - b,
				m->nomem ? 2 : x - b + 1));

		if (m->nomem)
			return;
		m->parts[p].bytes = 4;
		m->parts[p].at = 0;
		m->parts[p].each = true;
		exchange_new(m, x, i > 0, id, p);
		m->progs[x].name = name_new(m, "switchControlBroadcast%d/ExchangePre", i);
		exchange_code(m, &m->exchanges[m->progs[x].index]);
	}
	scope_end(m, scope);
}

static void
step_build(struct pf_model *m, uint32_t step, struct section *s)
{
	int last = m->ipus - 1;
	uint32_t loop, body, x;
	int32_t input = PF_NONE, message;
	struct where w = {0, 0, 1};

	m->pre = child_new(m, step, PF_SEQUENCE, PF_ALL);
	work_new(m, m->pre, PF_SYNC, PF_ALL, 700);
	block_build(m, m->pre,
		&(struct block){"anchors/input_ids", false, false, 0, 240, 6, 900, 24000}, &input);
	x = child_new(m, m->pre, PF_DO_EXCHANGE, 0);
	where_new(m, &w, 0, narrow(m, 400), x);
	message = data_new(m, &w, PF_MESSAGE,
		variable_new(m, name_new(m, "<message:anchors/input_ids>"), 0),
		name_new(m, "message-anchors/input_ids-"), class_new(m, PF_SPAN, 0, PF_NONE, x, x),
		6);
	exchange_new(m, x, false, input, message);
	if (m->nomem)
		return;
	m->progs[x].name = name_new(m, "anchors/input_ids/scatter/ExchangePre");
	exchange_code(m, &m->exchanges[m->progs[x].index]);

	loop = repeat_new(m, step);
	body = child_new(m, loop, PF_SEQUENCE, PF_ALL);
	m->phase = body;
	m->io = block_build(m, body,
		&(struct block){"anchors/next_input_ids", false, false, 0, 240, 6, 9000, 21000},
		NULL);
	pass_build(m, body, s, PF_FORWARD);
	barrier_build(m, body, PF_FORWARD);
	pass_build(m, body, s, PF_BACKWARD);
	barrier_build(m, body, PF_BACKWARD);
	loop = repeat_new(m, step);
	m->chunk = child_new(m, loop, PF_SEQUENCE, PF_ALL);
	pass_build(m, m->chunk, s, PF_UPDATE);
	m->post = child_new(m, step, PF_SEQUENCE, PF_ALL);
	work_new(m, m->post, PF_SYNC, PF_ALL, 700);
	block_build(m, m->post,
		&(struct block){"anchors/loss", true, false, last, 5, 1, 2600, 9000}, NULL);
	block_build(m, m->post,
		&(struct block){"weights/checkpoint", true, true, last, 400, 40, 900, 60000}, NULL);
}

/* ---- liveness steps ---- */

static void
walk(struct pf_model *m, uint32_t prog, uint32_t parent)
{
	uint32_t at = (uint32_t)m->live_n;
	struct pf_prog *p = &m->progs[prog];

	if (!PF_ROOM(m, live))
		return;
	m->live[m->live_n++] = prog;
	if (!PF_ROOM(m, live_parent))
		return;
	m->live_parent[m->live_parent_n++] = parent;
	p->from = at;
	if (p->scope >= 0)
		m->scopes[p->scope].uses++;
	for (int32_t c = p->first; c >= 0; c = m->progs[c].next)
		walk(m, (uint32_t)c, at);
	if (p->type == PF_CALL)
		walk(m, m->functions[m->calls[p->index]], at);
	p->to = (uint32_t)m->live_n;
}

/* The first steps of each scope, in order. */
static void
starts_fill(struct pf_model *m)
{
	uint32_t n = 0;

	for (size_t i = 0; i < m->scopes_n; i++) {
		m->scopes[i].first = n;
		n += m->scopes[i].uses;
		m->scopes[i].uses = 0;
	}
	m->starts = ts_alloc(n + 1, sizeof(*m->starts));
	if (!m->starts) {
		m->nomem = true;
		return;
	}
	for (size_t i = 0; i < m->live_n; i++) {
		int32_t s = m->progs[m->live[i]].scope;

		if (s >= 0)
			m->starts[m->scopes[s].first + m->scopes[s].uses++] = (uint32_t)i;
	}
}

static void
interval_new(struct pf_model *m, struct pf_class *c, uint32_t start, uint32_t end)
{
	if (!PF_ROOM(m, intervals))
		return;
	m->intervals[m->intervals_n++] = (struct pf_interval){start, end};
	c->intervals++;
}

static void
intervals_fill(struct pf_model *m)
{
	for (size_t i = 0; i < m->classes_n && !m->nomem; i++) {
		struct pf_class *c = &m->classes[i];

		c->first = (uint32_t)m->intervals_n;
		if (c->life == PF_ALWAYS)
			interval_new(m, c, 0, (uint32_t)m->live_n);
		else if (c->life == PF_SPAN)
			interval_new(m, c, m->progs[c->from].from, m->progs[c->to].to);
		else
			for (uint32_t k = 0; k < m->scopes[c->scope].uses; k++) {
				uint32_t s = m->starts[m->scopes[c->scope].first + k];

				interval_new(m, c, s + c->from, s + c->to);
			}
	}
}

/* ---- one model ---- */

/* Tensors of which there is too much for some tiles: they make one tile the fullest. */
static void
hot_new(struct pf_model *m)
{
	int64_t first = ts_max_i64(m->hot - (m->o.oom ? 3 : 0), (int64_t)m->slow * m->tiles);
	int64_t last = ts_min_i64(m->hot + (m->o.oom ? 3 : 0),
		(int64_t)(m->slow + 1) * m->tiles - 1);
	uint32_t name = name_new(m, "cls/predictions/loss/labels");
	int32_t class = class_new(m, PF_SPAN, m->slow, PF_NONE, m->step, m->step);
	int32_t variable = tensor_new(m, name, 1, 4, 384);

	for (int64_t t = first; t <= last && !m->nomem; t++) {
		struct where w = {m->slow, (uint32_t)(t % m->tiles), 1};
		int32_t p = part_new(m, &w, PF_VARIABLE, variable, name, class);

		if (m->nomem)
			return;
		m->parts[p].bytes = 4;
		m->parts[p].tail = true;
		m->parts[p].suffix = (int32_t)(t - first);
	}
}

/* More parts where more lowered variables are wanted: what can be split is, into so many. */
static void
split(struct pf_model *m)
{
	struct pf_part *old = m->parts;
	size_t n = m->parts_n;
	int32_t *moved;
	int64_t rows = 0, splits = 0;

	for (size_t i = 0; i < n; i++) {
		rows += old[i].tiles;
		splits += old[i].split ? old[i].tiles : 0;
	}
	m->pieces = 1;
	if (splits)
		m->pieces = (uint32_t)ts_clamp_i64((m->rows_wanted - rows + splits) / splits, 1,
			200);
	if (m->pieces == 1)
		return;
	moved = ts_alloc(n + 1, sizeof(*moved));
	if (!moved) {
		m->nomem = true;
		return;
	}
	m->parts = NULL;
	m->parts_n = m->parts_cap = 0;
	for (size_t i = 0; i < n && !m->nomem; i++) {
		moved[i] = (int32_t)m->parts_n;
		for (uint32_t k = 0; k < (old[i].split ? m->pieces : 1) && PF_ROOM(m, parts); k++) {
			struct pf_part *p = &m->parts[m->parts_n++];

			*p = old[i];
			if (!k)
				continue;
			p->suffix = (int32_t)k;
			p->told = false;
			p->partner[0] = p->partner[1] = PF_NONE;
			p->at = UINT32_MAX;
		}
	}
	moved[n] = 0;
#define MOVE(x) ((x) = (x) >= 0 ? moved[x] : (x))
	for (size_t i = 0; i < m->parts_n && !m->nomem; i++)
		for (int k = 0; k < PF_PARTNERS; k++)
			MOVE(m->parts[i].partner[k]);
	for (size_t i = 0; i < m->exchanges_n; i++) {
		MOVE(m->exchanges[i].source);
		MOVE(m->exchanges[i].target);
	}
	for (size_t i = 0; i < m->sets_n; i++)
		for (int k = 0; k < 4; k++)
			MOVE(m->sets[i].parts[k]);
	for (size_t i = 0; i < m->streams_n; i++)
		MOVE(m->streams[i].part);
#undef MOVE
	free(moved);
	free(old);
}

/* Control code of programs with their children's; children come after their parents. */
static void
totals_fill(struct pf_model *m)
{
	size_t all = 0, ipus = (size_t)m->ipus;

	for (size_t i = 0; i < m->progs_n; i++)
		if (m->progs[i].ipu == PF_ALL)
			m->progs[i].by_ipu = (int32_t)all++;
	m->totals = ts_alloc(all + 1, ipus * sizeof(*m->totals));
	if (!m->totals) {
		m->nomem = true;
		return;
	}
	for (size_t i = m->progs_n; i-- > 0;) {
		struct pf_prog *p = &m->progs[i];
		int64_t *mine = p->by_ipu >= 0 ? m->totals + (size_t)p->by_ipu * ipus : NULL;

		p->total += p->control;
		for (size_t k = 0; mine && k < ipus; k++)
			mine[k] = p->control;
		for (int32_t c = p->first; c >= 0; c = m->progs[c].next) {
			const struct pf_prog *q = &m->progs[c];

			if (!mine)
				p->total += q->total;
			else if (q->by_ipu < 0)
				mine[q->ipu] += q->total;
			else
				for (size_t k = 0; k < ipus; k++)
					mine[k] += m->totals[(size_t)q->by_ipu * ipus + k];
		}
	}
}

static void
build(struct pf_model *m)
{
	uint32_t root, every;
	struct section *s;

	name_new(m, "%s", ""); /* offset 0 = no name */
	class_new(m, PF_ALWAYS, PF_ALL, PF_NONE, 0, 0);
	context_new(m, 0, PF_POPTORCH, PF_PLAIN, name_new(m, "BertForPreTraining"));
	for (int c = 0; c < PF_CATEGORIES; c++)
		m->pseudo[c] = PF_NONE;
	m->anon = (uint32_t)variable_new(m, name_new(m, "<anon>"), 0);
	tiles_build(m);
	if (m->nomem)
		return;
	root = prog_new(m, PF_SEQUENCE, PF_ALL, 1);
	s = sections_new(m);
	program_id_build(m, root);
	every = child_new(m, root, PF_SWITCH, PF_ALL);
	weights_build(m, every, false);
	m->step = child_new(m, every, PF_SEQUENCE, PF_ALL);
	if (s)
		step_build(m, m->step, s);
	weights_build(m, every, true);
	instrumentation_build(m, root);
	free(s);
	hot_new(m);
	if (m->nomem)
		return;
	walk(m, root, UINT32_MAX);
	starts_fill(m);
	if (!m->nomem)
		intervals_fill(m);
	totals_fill(m);
	split(m);
}

enum { MK1_TILES = 1216, HALF_MB = 1 << 19 };

static enum ts_code
figures(struct pf_model *m, const struct ts_demo_options *o, struct ts_err *err)
{
	static const struct {
		int layers, convs, detail, spread, wide, most;
		int64_t variables;
	} shapes[TS_DEMO_SCALE_COUNT] = {
		[TS_DEMO_SMALL] = {4, 1, 0, 110, 360, 120, 0},
		[TS_DEMO_BERT] = {24, 3, 2, 140, 560, TS_DEMO_TILES_MAX, 8000000},
		[TS_DEMO_HUGE] = {48, 3, 2, 150, 600, TS_DEMO_TILES_MAX, 60000000},
	};
	const struct ts_demo_figures *f;

	if ((unsigned)o->scale >= TS_DEMO_SCALE_COUNT)
		return ts_err_set(err, TS_E_USAGE, "demo: unknown scale");
	f = &ts_demo_figures[o->scale];
	if (o->ipus < 0 || o->ipus > TS_DEMO_IPUS_MAX)
		return ts_err_set(err, TS_E_USAGE, "demo: IPUs must be 1 to %d", TS_DEMO_IPUS_MAX);
	if (o->tiles < 0 || o->tiles > TS_DEMO_TILES_MAX)
		return ts_err_set(err, TS_E_USAGE, "demo: tiles must be 1 to %d over all IPUs",
			TS_DEMO_TILES_MAX);
	if (o->steps > TS_DEMO_ROWS_MAX || o->variables < 0 || o->variables > TS_DEMO_ROWS_MAX)
		return ts_err_set(err, TS_E_USAGE, "demo: steps and variables must be 0 to %lld",
			(long long)TS_DEMO_ROWS_MAX);
	m->o = *o;
	m->seed = demo_mix(o->seed);
	m->ipus = o->ipus ? o->ipus : f->ipus;
	m->tiles = o->tiles ? o->tiles : f->tiles;
	m->all_tiles = (int64_t)m->ipus * m->tiles;
	if (m->all_tiles > TS_DEMO_TILES_MAX)
		return ts_err_set(err, TS_E_USAGE,
			"demo: %d IPUs x %d tiles are more than %d tiles", m->ipus, m->tiles,
			TS_DEMO_TILES_MAX);
	m->layers = (int)ts_max_i64(shapes[o->scale].layers, m->ipus);
	m->convs = shapes[o->scale].convs;
	m->detail = shapes[o->scale].detail;
	m->spread = (uint32_t)shapes[o->scale].spread;
	m->wide = (uint32_t)shapes[o->scale].wide;
	m->most = shapes[o->scale].most;
	m->full = o->scale != TS_DEMO_HUGE;
	m->steps_wanted = o->oom || o->steps < 0 ? 0 : o->steps ? o->steps : f->steps;
	m->rows_wanted = o->variables ? o->variables : shapes[o->scale].variables;
	m->architecture = m->tiles == MK1_TILES ? "ipu1" : "ipu2";
	m->tile_bytes = m->tiles == MK1_TILES ? HALF_MB / 2 : 638976;
	m->interleaved = m->tiles == MK1_TILES ? 8 * DEMO_ELEMENT_BYTES : 13 * DEMO_ELEMENT_BYTES;
	m->clock = m->tiles == MK1_TILES ? 1600000000 : 1850000000;
	m->slow = m->ipus / 2;
	m->hot = (int64_t)m->slow * m->tiles + (int64_t)m->tiles * 27 / 100 +
		demo_below(demo_hash(m->seed, 'h', 0), (uint32_t)m->tiles / 8 + 1);
	return TS_OK;
}

enum ts_code
pf_model_init(struct pf_model *m, const struct ts_demo_options *o, struct ts_err *err)
{
	size_t shared;
	enum ts_code code;

	*m = (struct pf_model){0};
	ts_strbuf_init(&m->names, (size_t)1 << 30);
	code = figures(m, o, err);
	if (code != TS_OK)
		return code;
	shared = (size_t)m->ipus * PF_PASSES * PF_KINDS;
	m->shared = ts_alloc(shared, sizeof(*m->shared));
	m->control = ts_alloc((size_t)m->ipus, sizeof(*m->control));
	m->types = ts_alloc((size_t)m->all_tiles, sizeof(*m->types));
	if (!m->shared || !m->control || !m->types)
		return ts_err_nomem(err);
	memset(m->shared, 0xff, shared * sizeof(*m->shared));
	build(m);
	return m->nomem ? ts_err_nomem(err) : TS_OK;
}

void
pf_model_fini(struct pf_model *m)
{
	pf_tiles_fini(m);
	for (int i = 0; i < PF_SEGMENTS; i++)
		free(m->segment[i]);
	ts_strbuf_fini(&m->names);
	free(m->progs);
	free(m->sets);
	free(m->exchanges);
	free(m->streams);
	free(m->scopes);
	free(m->starts);
	free(m->groups);
	free(m->classes);
	free(m->intervals);
	free(m->parts);
	free(m->variables);
	free(m->contexts);
	free(m->sections);
	free(m->section_contexts);
	free(m->functions);
	free(m->calls);
	free(m->strings);
	free(m->live);
	free(m->live_parent);
	free(m->totals);
	free(m->shared);
	free(m->control);
	free(m->types);
}
