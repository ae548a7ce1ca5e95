/* SPDX-License-Identifier: MIT */
/*
 * memory - what lies on the tiles of the demo report, and for how long.
 *
 * A tile's total is a profile over the tiles (stages differ, every 64th tile is emptier, one is
 * nearly full) with a little chance. Code and other categories take their share, one lowered
 * variable each; the category `variable` takes the rest, and its lowered variables share it by
 * weight, to the byte. So all sums are exact: regions, categories and lowered variables of a tile
 * each add up to its total.
 *
 * Unlowered variables belong to groups, each the same number; a variable's place in its group says
 * its role, and the role its lifetime (equivalence class). On a tile lie variables of its IPU's
 * groups, in order, some from every stretch. Liveness is not invented: demo_memory_init() goes over
 * all lowered variables once and adds them up, by class, by variable and by tile.
 *
 * Memory is laid out as on an IPU: non-interleaved first, then the gap that could not be filled,
 * then interleaved memory, then what does not fit.
 */
#include "config.h"

#include "internal.h"

#include <stdlib.h>
#include <string.h>

const char *const demo_categories[DEMO_CATEGORIES] = {
	"variable",
	"constant",
	"stack",
	"message",
	"vertexCode",
	"vertexInstanceState",
	"vertexFieldData",
	"copyDescriptor",
	"vectorListDescriptor",
	"controlCode",
	"controlTable",
	"controlId",
	"internalExchangeCode",
	"globalExchangeCode",
	"hostExchangeCode",
	"globalExchangePacketHeader",
	"hostExchangePacketHeader",
	"instrumentationResults",
	"sharedCodeStorage",
	"sharedDataStorage",
};

const char *const demo_regions[DEMO_REGIONS] = {"non_interleaved", "interleaved", "overflowed"};

/* Bytes of a category: `base` and 1/1,000 parts of the tile's usual total, on tiles t % every == at. */
static const struct share {
	uint16_t base, permille, every, at;
} shares[DEMO_CATEGORIES] = {
	[0] = {0, 0, 1, 0},
	[1] = {64, 9, 1, 0},
	[2] = {1200, 0, 1, 0},
	[3] = {32, 0, 32, 5},
	[4] = {4096, 52, 1, 0},
	[5] = {512, 34, 1, 0},
	[6] = {128, 21, 1, 0},
	[7] = {16, 3, 4, 1},
	[8] = {16, 2, 8, 2},
	[9] = {1024, 43, 1, 0},
	[10] = {64, 4, 1, 0},
	[11] = {4, 0, 1, 0},
	[12] = {2048, 148, 1, 0},
	[13] = {256, 9, 16, 3},
	[14] = {512, 14, 16, 11},
	[15] = {64, 1, 16, 3},
	[16] = {64, 1, 16, 11},
	[17] = {64, 6, 1, 0},
	[18] = {32, 3, 32, 9},
	[19] = {32, 2, 32, 10},
};

/* ---- roles: what a variable is to its operation ---- */

struct role {
	const char *name;
	uint8_t weight; /* of its bytes */
	uint8_t kind;	/* of class */
	bool always;
	const char *type;
};

enum { ROLES = 8 };
/* By pass; the first of a forward operation with parameters are these parameters. */
static const struct role roles[3][ROLES] =
	{
		[DEMO_FORWARD] =
			{
				{"out", 40, DEMO_LONG, false, "half"},
				{"in", 26, DEMO_LONG, false, "half"},
				{"partials", 26, DEMO_EARLY, false, "float"},
				{"actsRearranged", 22, DEMO_EARLY, false, "half"},
				{"weightsRearranged", 20, DEMO_LATE, false, "half"},
				{"stash", 36, DEMO_LONG, false, "half"},
				{"tmp", 14, DEMO_LATE, false, "half"},
				{"mask", 8, DEMO_LONG, false, "bool"},
			},
		[DEMO_BACKWARD] =
			{
				{"gradOut", 18, DEMO_EARLY, false, "half"},
				{"partials", 28, DEMO_EARLY, false, "float"},
				{"gradWeights", 14, DEMO_LONG, false, "half"},
				{"gradIn", 18, DEMO_LATE, false, "half"},
				{"actsRearranged", 20, DEMO_EARLY, false, "half"},
				{"weightsTransposed", 20, DEMO_LATE, false, "half"},
				{"tmp", 14, DEMO_LATE, false, "half"},
				{"reduced", 10, DEMO_EARLY, false, "float"},
			},
		[DEMO_UPDATE] =
			{
				{"moment1", 30, DEMO_LONG, true, "float"},
				{"moment2", 30, DEMO_LONG, true, "float"},
				{"gradSum", 40, DEMO_EARLY, false, "float"},
				{"update", 34, DEMO_EARLY, false, "float"},
				{"lossScale", 1, DEMO_LONG, true, "float"},
				{"weightDecay", 22, DEMO_LONG, false, "float"},
				{"tmp", 14, DEMO_LATE, false, "float"},
				{"gradNorm", 2, DEMO_LATE, false, "float"},
			},
};
static const struct role weight_role = {"weights", 60, DEMO_LONG, true, "half"};
static const struct role bias_role = {"biases", 12, DEMO_LONG, true, "half"};
static const struct role input_role = {"input_ids", 16, DEMO_LONG, false, "int"};

static inline const struct role *
role_of(const struct demo_group *g, uint32_t group, uint32_t place)
{
	uint32_t slot = place % ROLES;
	if (g->weights && slot == 1)
		return &weight_role;
	if (g->weights && slot == 3)
		return &bias_role;
	if (!group && slot == 5)
		return &input_role;
	return &roles[g->pass][slot];
}

static inline uint32_t
class_of(const struct role *r, uint32_t group)
{
	if (r->always)
		return DEMO_CLASS_ALWAYS;
	if (r == &input_role)
		return DEMO_CLASS_INPUT;
	return DEMO_CLASS_FIRST + group * DEMO_CLASS_KINDS + r->kind;
}

void
demo_variable(const struct demo_model *m, uint32_t id, struct demo_variable *v)
{
	v->group = id / m->per_group;
	uint32_t place = id % m->per_group;
	const struct role *r = role_of(&m->groups[v->group], v->group, place);
	v->class = class_of(r, v->group);
	v->always = r->always;
	v->role = r->name;
	v->type = r->type;
	v->number = place / ROLES;
}

size_t
demo_variable_name(const struct demo_model *m, uint32_t id, char out[DEMO_NAME_MAX])
{
	struct demo_variable v;
	demo_variable(m, id, &v);
	const char *group = demo_name(m, m->groups[v.group].name);
	size_t n = strlen(group), k = strlen(v.role);
	if (n + k + 16 > DEMO_NAME_MAX)
		n = DEMO_NAME_MAX - k - 16;
	memcpy(out, group, n);
	out[n++] = '/';
	memcpy(out + n, v.role, k);
	n += k;
	if (v.number) {
		char digits[12];
		size_t d = 0;
		for (uint32_t x = v.number; x; x /= 10)
			digits[d++] = (char)('0' + x % 10);
		out[n++] = '_';
		while (d)
			out[n++] = digits[--d];
	}
	out[n] = '\0';
	return n;
}

/* ---- tiles ---- */

/* Bytes of a tile as it would be without the hot one, a multiple of 4. */
static uint32_t
usual_total(const struct demo_model *m, int64_t tile)
{
	uint64_t h = demo_hash(m->seed, 't', (uint64_t)tile);
	int ipu = (int)(tile / m->tiles);
	int64_t local = tile % m->tiles;
	int64_t permille = 660 + ipu * 61 % 97 - 30; /* stages differ */
	int64_t wave = local * 16 / m->tiles % 4;    /* blocks of tiles of one layer */
	permille += wave * 22 + demo_below(h, 50);
	if (ipu == m->slow)
		permille += 20;
	if (tile % 64 == 63)
		permille -= 190;
	return (uint32_t)(m->target->tile_bytes / 1000 * permille) & ~3u;
}

static uint32_t
tile_total(const struct demo_model *m, int64_t tile, uint32_t usual)
{
	int64_t d = tile > m->hot ? tile - m->hot : m->hot - tile;
	if (m->o.oom && d <= 3)
		return (uint32_t)(m->target->tile_bytes / 1000 * (d ? 1090 - d * 20 : 1220)) & ~3u;
	return d ? usual : m->target->tile_bytes / 1000 * 965 & ~3u;
}

/* What the categories but `variable` take; the first ones only when the tile has few rows. */
static uint32_t
categories_fill(const struct demo_model *m, struct demo_tile *t, uint32_t usual)
{
	uint32_t used = 0, rows = 1;
	for (int c = 1; c < DEMO_CATEGORIES && rows < t->rows; c++) {
		const struct share *s = &shares[c];
		if (t->tile % s->every != s->at)
			continue;
		uint64_t h = demo_hash(m->seed, 'k',
			(uint64_t)t->tile * DEMO_CATEGORIES + (uint64_t)c);
		uint32_t bytes = usual / 1000 * s->permille / 100 * (90 + demo_below(h, 20)) +
			s->base;
		t->bytes[c] = bytes & ~3u;
		used += t->bytes[c];
		rows++;
	}
	t->variables = t->rows - (rows - 1);
	return used;
}

void
demo_tile_fill(const struct demo_model *m, int64_t tile, struct demo_tile *t)
{
	uint32_t usual = usual_total(m, tile);
	*t = (struct demo_tile){.tile = tile, .ipu = (int)(tile / m->tiles)};
	t->rows = (uint32_t)(m->variables / m->all_tiles + (tile < m->variables % m->all_tiles));
	t->total = tile_total(m, tile, usual);
	t->bytes[DEMO_VARIABLE] = t->total - categories_fill(m, t, usual);
	uint64_t h = demo_hash(m->seed, 'g', (uint64_t)tile);
	t->gap = (512 + demo_below(h, 5000)) & ~3u;
	t->region[0] = t->total;
	if (t->total + t->gap > m->target->non_interleaved)
		t->region[0] = m->target->non_interleaved - t->gap;
	t->region[1] = (uint32_t)ts_min_i64(t->total - t->region[0],
		m->target->tile_bytes - m->target->non_interleaved);
	t->region[2] = t->total - t->region[0] - t->region[1];
}

/* ---- variables of a tile ---- */

bool
demo_vars_init(struct demo_vars *v, const struct demo_model *m)
{
	v->cap = (size_t)(m->variables / m->all_tiles + 1);
	v->id = ts_alloc(v->cap, sizeof(*v->id));
	v->bytes = ts_alloc(v->cap, sizeof(*v->bytes));
	v->by_class = ts_alloc(m->nclasses, sizeof(*v->by_class));
	return v->id && v->bytes && v->by_class;
}

void
demo_vars_fini(struct demo_vars *v)
{
	free(v->id);
	free(v->bytes);
	free(v->by_class);
}

/* Share `budget` bytes (a multiple of 4, at least 4 n) by the weights in bytes[]. */
static void
share_out(uint32_t *bytes, uint32_t n, uint32_t budget)
{
	uint64_t sum = 0;
	uint32_t words = budget / 4 - n, left = words;
	for (uint32_t i = 0; i < n; i++)
		sum += bytes[i];
	for (uint32_t i = 0; i < n; i++) {
		uint32_t w = (uint32_t)((uint64_t)words * bytes[i] / sum);
		bytes[i] = 4 + 4 * w;
		left -= w;
	}
	for (uint32_t i = 0; left; i = (i + 1) % n, left--)
		bytes[i] += 4;
}

/* Choose variables i..i+n-1 of the tile from groups [from, to) of its IPU, and weigh them. */
static void
choose(const struct demo_model *m, const struct demo_tile *t, struct demo_vars *v, uint32_t i,
	uint32_t n, uint32_t from, uint32_t to)
{
	enum { LONG_WEIGHT = 36 };
	uint32_t per = m->per_group;
	const uint32_t *own = m->own[t->ipu] + from;
	uint64_t h = demo_hash(m->seed, 'w', (uint64_t)t->tile * 2 + (i > 0));
	uint64_t at = 0, step = n ? ((uint64_t)(to - from) * per << 16) / n : 0;
	uint32_t bucket = (uint32_t)ts_max_i64((int64_t)(step >> 16), 1);
	for (n += i; i < n; i++, at += step) {
		h = h * 6364136223846793005u + 1442695040888963407u;
		uint64_t k = (at >> 16) + demo_below(h, bucket);
		uint32_t g = own[k / per], place = (uint32_t)(k % per);
		const struct demo_group *group = &m->groups[g];
		const struct role *r = role_of(group, g, place);
		uint32_t w = (uint32_t)r->weight * (64 + demo_below(h << 24, 64));
		bool brief = r->kind != DEMO_LONG || (group->pass == DEMO_UPDATE && !r->always);
		v->id[i] = g * per + place;
		v->bytes[i] = brief ? w * group->mem : w * LONG_WEIGHT;
	}
}

void
demo_vars_fill(const struct demo_model *m, const struct demo_tile *t, struct demo_vars *v)
{
	uint32_t n = t->variables, update = (n + 6) / 10; /* for the update one in ten */
	choose(m, t, v, 0, n - update, 0, m->own_update[t->ipu]);
	choose(m, t, v, n - update, update, m->own_update[t->ipu], m->own_n[t->ipu]);
	if (t->tile == m->hot) /* the culprit */
		v->bytes[n * 2 / 3] += (uint32_t)ts_min_i64((int64_t)n * 35000, 1 << 30);
	/* the rows of each region have its bytes, where there are enough rows for that */
	uint32_t first = t->region[0] - (t->total - t->bytes[DEMO_VARIABLE]);
	uint32_t k = (uint32_t)((uint64_t)n * first / t->bytes[DEMO_VARIABLE]);
	if (first == t->bytes[DEMO_VARIABLE] || !k || k == n) {
		share_out(v->bytes, n, t->bytes[DEMO_VARIABLE]);
		return;
	}
	k = (uint32_t)ts_min_i64(k, first / 4);
	share_out(v->bytes, k, first);
	share_out(v->bytes + k, n - k, t->bytes[DEMO_VARIABLE] - first);
}

/* ---- vertices of a tile ---- */

int
demo_beside(const struct demo_model *m, size_t cs)
{
	uint32_t of_tile = (uint32_t)(m->cs[cs].instances / m->progs[m->cs[cs].prog].active);
	int beside = of_tile > 1 ? demo_vertices[m->cs[cs].vertex].beside : 0;

	return beside && demo_below(demo_hash(m->seed, 'V', cs), 2) ? 0 : beside;
}

static void
types_fill(struct demo_model *m)
{
	for (size_t i = 0; i < m->ncs; i++) {
		const struct demo_prog *p = &m->progs[m->cs[i].prog];
		int beside = demo_beside(m, i);
		uint16_t bits = (uint16_t)(1u << m->cs[i].vertex |
			(beside ? 1u << (beside - 1) : 0));
		int64_t first = p->ipu == DEMO_ALL ? 0 : (int64_t)p->ipu * m->tiles;
		int64_t end = p->ipu == DEMO_ALL ? m->all_tiles : first + m->tiles;
		for (int64_t tile = first; tile < end; tile++) {
			if ((m->types[tile] & bits) != bits &&
				demo_tile_cycles(m, p, (uint32_t)(tile % m->tiles)))
				m->types[tile] |= bits;
		}
	}
}

void
demo_tile_code(const struct demo_model *m, const struct demo_tile *t,
	uint32_t out[DEMO_VERTEX_COUNT])
{
	enum { LEAST = 40 }; /* what code of a type is larger for, beside its state */
	uint32_t all = t->bytes[DEMO_VERTEX_CODE], left = all, weights = 0;
	int last = 0;
	for (int v = 0; v < DEMO_VERTEX_COUNT; v++) {
		out[v] = 0;
		if (m->types[t->tile] >> v & 1) {
			weights += LEAST + (uint32_t)demo_vertices[v].state_bytes;
			last = v;
		}
	}
	for (int v = 0; v < last; v++) {
		if (!(m->types[t->tile] >> v & 1))
			continue;
		uint64_t weight = LEAST + (uint64_t)demo_vertices[v].state_bytes;
		out[v] = (uint32_t)(all * weight / weights) & ~3u;
		left -= out[v];
	}
	out[last] = left;
}

/* ---- lifetimes ---- */

static void
interval_set(struct demo_model *m, uint32_t class, int i, uint32_t start, uint32_t end)
{
	m->intervals[class][i] = (struct demo_interval){start, ts_max_i64(end, (int64_t)start + 1)};
}

static void
intervals_fill(struct demo_model *m)
{
	uint32_t live = (uint32_t)m->nlive, first = m->pass_from[DEMO_UPDATE];
	uint32_t update = m->groups[first].from;
	interval_set(m, DEMO_CLASS_ALWAYS, 0, 0, live);
	interval_set(m, DEMO_CLASS_INPUT, 0, 0, 2);
	interval_set(m, DEMO_CLASS_INPUT, 1, 5, live);
	for (uint32_t g = 0; g < m->ngroups; g++) {
		const struct demo_group *group = &m->groups[g];
		uint32_t c = DEMO_CLASS_FIRST + g * DEMO_CLASS_KINDS,
			 half = (group->from + group->to + 1) / 2;
		interval_set(m, c + DEMO_EARLY, 0, group->from, ts_min_i64(half + 2, group->to));
		interval_set(m, c + DEMO_LATE, 0, half, group->to);
		if (group->pass == DEMO_UPDATE)
			interval_set(m, c + DEMO_LONG, 0, update - 1, group->to);
		else if (group->pass == DEMO_BACKWARD)
			interval_set(m, c + DEMO_LONG, 0, group->from,
				m->groups[first + group->section].to);
		else if (demo_hash(m->seed, 'r', g) % 8) {
			interval_set(m, c + DEMO_LONG, 0, group->from,
				m->groups[group->partner].to);
		} else { /* recomputed */
			const struct demo_group *b = &m->groups[group->partner];
			uint32_t dies = group->to + 3, again = b->from - 2;
			interval_set(m, c + DEMO_LONG, 0, group->from, dies < again ? dies : b->to);
			if (dies < again)
				interval_set(m, c + DEMO_LONG, 1, again, b->to);
		}
	}
}

static int
by_step(const void *pa, const void *pb)
{
	const struct demo_event *a = pa, *b = pb;
	if (a->step != b->step)
		return a->step < b->step ? -1 : 1;
	if (a->begins != b->begins) /* half-open: ends first */
		return a->begins - b->begins;
	return (a->class > b->class) - (a->class < b->class);
}

/* Events of every IPU's classes, by step. */
static bool
events_fill(struct demo_model *m)
{
	for (int ipu = 0; ipu < m->ipus; ipu++) {
		size_t max = ((size_t)m->own_n[ipu] * DEMO_CLASS_KINDS + 1) * DEMO_INTERVALS * 2,
		       n = 0;
		struct demo_event *e = m->events[ipu] = ts_alloc(max, sizeof(*e));
		if (!e)
			return false;
		for (int64_t i = -1; i < (int64_t)m->own_n[ipu] * DEMO_CLASS_KINDS; i++) {
			uint32_t c = DEMO_CLASS_INPUT;
			if (i >= 0)
				c = DEMO_CLASS_FIRST +
					m->own[ipu][i / DEMO_CLASS_KINDS] * DEMO_CLASS_KINDS +
					(uint32_t)(i % DEMO_CLASS_KINDS);
			for (int k = 0; k < DEMO_INTERVALS && m->intervals[c][k].end; k++) {
				e[n++] = (struct demo_event){m->intervals[c][k].start, c, true};
				e[n++] = (struct demo_event){m->intervals[c][k].end, c, false};
			}
		}
		qsort(e, n, sizeof(*e), by_step);
		m->nevents[ipu] = n;
	}
	return true;
}

/* ---- adding up ---- */

/* Largest sum of the tile's classes that are live at one time. */
static uint32_t
tile_peak(const struct demo_model *m, int ipu, const uint64_t *by_class)
{
	uint64_t now = 0, peak = 0;
	for (size_t i = 0; i < m->nevents[ipu]; i++) {
		const struct demo_event *e = &m->events[ipu][i];
		if (e->begins)
			now += by_class[e->class];
		else
			now -= by_class[e->class];
		if (now > peak)
			peak = now;
	}
	return (uint32_t)peak;
}

static void
tile_measure(struct demo_model *m, const struct demo_tile *t, struct demo_vars *v)
{
	for (uint32_t i = 0; i < m->own_n[t->ipu]; i++)
		memset(&v->by_class[DEMO_CLASS_FIRST + m->own[t->ipu][i] * DEMO_CLASS_KINDS], 0,
			DEMO_CLASS_KINDS * sizeof(*v->by_class));
	memset(v->by_class, 0, DEMO_CLASS_FIRST * sizeof(*v->by_class));
	demo_vars_fill(m, t, v);
	for (uint32_t i = 0; i < t->variables; i++) {
		uint32_t g = v->id[i] / m->per_group;
		uint32_t class = class_of(role_of(&m->groups[g], g, v->id[i] % m->per_group), g);
		v->by_class[class] += v->bytes[i];
		m->class_bytes[class] += v->bytes[i];
		m->variable_bytes[v->id[i]] += v->bytes[i];
	}
	m->place[t->tile].always = t->total - t->bytes[DEMO_VARIABLE] +
		(uint32_t)v->by_class[DEMO_CLASS_ALWAYS];
	m->place[t->tile].peak = tile_peak(m, t->ipu, v->by_class);
}

static enum ts_code
measure(struct demo_model *m, const struct ts_cancel *cancel, struct ts_err *err)
{
	struct demo_vars v = {0};
	enum ts_code code = demo_vars_init(&v, m) ? TS_OK : ts_err_nomem(err);
	for (int64_t tile = 0; code == TS_OK && tile < m->all_tiles; tile++) {
		struct demo_tile t;
		demo_tile_fill(m, tile, &t);
		tile_measure(m, &t, &v);
		for (int c = 1; c < DEMO_CATEGORIES; c++)
			m->category_bytes[c] += t.bytes[c];
		if (ts_cancelled(cancel))
			code = ts_err_set(err, TS_E_CANCELLED, "cancelled");
	}
	demo_vars_fini(&v);
	return code;
}

/* Which groups an IPU has. */
static bool
own_fill(struct demo_model *m)
{
	for (size_t g = 0; g < m->ngroups; g++)
		m->own_n[m->groups[g].ipu]++;
	for (int i = 0; i < m->ipus; i++) {
		m->own[i] = ts_alloc(m->own_n[i], sizeof(**m->own));
		if (!m->own[i])
			return false;
		m->own_n[i] = 0;
	}
	for (size_t g = 0; g < m->ngroups; g++) {
		int i = m->groups[g].ipu;
		m->own[i][m->own_n[i]++] = (uint32_t)g;
		m->own_update[i] += g < m->pass_from[DEMO_UPDATE];
	}
	return true;
}

enum ts_code
demo_memory_init(struct demo_model *m, const struct ts_cancel *cancel, struct ts_err *err)
{
	size_t ipus = (size_t)m->ipus;
	m->per_group = (uint32_t)ts_max_i64(m->shape.unlowered / (int64_t)m->ngroups, ROLES);
	m->nvariables = (int64_t)m->per_group * (int64_t)m->ngroups;
	m->nclasses = DEMO_CLASS_FIRST + m->ngroups * DEMO_CLASS_KINDS;
	m->own = ts_alloc(ipus, sizeof(*m->own));
	m->own_n = ts_alloc(ipus, sizeof(*m->own_n));
	m->own_update = ts_alloc(ipus, sizeof(*m->own_update));
	m->events = ts_alloc(ipus, sizeof(*m->events));
	m->nevents = ts_alloc(ipus, sizeof(*m->nevents));
	m->intervals = ts_alloc(m->nclasses, sizeof(*m->intervals));
	m->class_bytes = ts_alloc(m->nclasses, sizeof(*m->class_bytes));
	m->variable_bytes = ts_alloc((size_t)m->nvariables, sizeof(*m->variable_bytes));
	m->place = ts_alloc((size_t)m->all_tiles, sizeof(*m->place));
	m->types = ts_alloc((size_t)m->all_tiles, sizeof(*m->types));
	if (!m->own || !m->own_n || !m->own_update || !m->events || !m->nevents || !m->intervals ||
		!m->class_bytes || !m->variable_bytes || !m->place || !m->types || !own_fill(m))
		return ts_err_nomem(err);
	types_fill(m);
	intervals_fill(m);
	if (!events_fill(m))
		return ts_err_nomem(err);
	return measure(m, cancel, err);
}

void
demo_memory_fini(struct demo_model *m)
{
	for (int i = 0; i < m->ipus; i++) {
		if (m->own)
			free(m->own[i]);
		if (m->events)
			free(m->events[i]);
	}
	free(m->own);
	free(m->own_n);
	free(m->own_update);
	free(m->events);
	free(m->nevents);
	free(m->intervals);
	free(m->class_bytes);
	free(m->variable_bytes);
	free(m->place);
	free(m->types);
}
