/* SPDX-License-Identifier: MIT */
/*
 * profile_tiles - how large the parts are, and where those of a tile lie.
 *
 * The allocator is a simple one: code, then what is always alive, then what is alive for long, each behind the other.
 * Behind that lies an arena. Bodies of operations are never alive at the same time, so that each begins at the start of
 * the arena: there variables share places. Two that must not be in one memory element are kept apart by going on at
 * the start of the next element. So a gap is due to alignment, to such a pair, or to the start that is reserved.
 *
 * Tensors have a size in units; the unit is chosen so that the tiles are as full as they should be.
 */
#include "config.h"

#include "profile.h"

#include <stdlib.h>
#include <string.h>

enum {
	RESERVED = 16, /* bytes at the start of each tile */
	ELEMENT = DEMO_ELEMENT_BYTES,
	USUAL = 800, /* how full a tile should be, and the fullest, of 1,000 */
	HOT = 965,
	LIMIT = 930,
	TRIES = 12
};

uint32_t
pf_cycles(const struct pf_model *m, const struct pf_prog *p, uint32_t tile)
{
	uint32_t salt = (uint32_t)(p - m->progs) * 2654435761u, at = tile - p->tile, h;

	if (tile < p->tile || at >= p->tiles)
		return 0;
	if (at == salt % p->tiles)
		return p->cycles;
	h = ((at / 4 * 2246822519u) ^ salt) * 3266489917u;
	return p->cycles - (uint32_t)(((uint64_t)(p->cycles - p->floor) * (h >> 16)) >> 16);
}

/* ---- scratch ---- */

bool
pf_tile_init(struct pf_tile *t, const struct pf_model *m)
{
	size_t most = 1;

	for (int i = 0; i < m->ipus; i++)
		most = (size_t)ts_max_i64((int64_t)most,
			(int64_t)m->of_ipu_from[i + 1] - m->of_ipu_from[i]);
	*t = (struct pf_tile){0};
	t->rows = ts_alloc(most, sizeof(*t->rows));
	t->order = ts_alloc(most, sizeof(*t->order));
	t->row_of = ts_alloc(m->parts_n + 1, sizeof(*t->row_of));
	t->by_class = ts_alloc(m->classes_n, sizeof(*t->by_class));
	t->edge = ts_alloc(2 * most + 1, sizeof(*t->edge));
	t->alone = ts_alloc(2 * most + 1, sizeof(*t->alone));
	t->shared = ts_alloc(2 * most + 1, sizeof(*t->shared));
	if (!t->rows || !t->order || !t->row_of || !t->by_class || !t->edge || !t->alone ||
		!t->shared)
		return false;
	memset(t->row_of, 0xff, m->parts_n * sizeof(*t->row_of));
	return true;
}

void
pf_tile_fini(struct pf_tile *t)
{
	free(t->rows);
	free(t->order);
	free(t->row_of);
	free(t->by_class);
	free(t->edge);
	free(t->alone);
	free(t->shared);
}

/* ---- rows, in the order in which they are placed ---- */

enum { STAGE_CODE, STAGE_ALWAYS, STAGE_SPAN, STAGE_LOCAL, STAGE_TAIL, STAGES };

static int
stage_of(const struct pf_part *p)
{
	if (p->tail)
		return STAGE_TAIL;
	if (p->life == PF_LOCAL)
		return STAGE_LOCAL;
	if (p->life == PF_SPAN)
		return STAGE_SPAN;
	return p->bits & 8 ? STAGE_CODE : STAGE_ALWAYS;
}

void
pf_tile_rows(struct pf_tile *t, const struct pf_model *m, int64_t tile)
{
	int ipu = (int)(tile / m->tiles);
	uint32_t of[STAGES + 1] = {0};

	for (uint32_t i = 0; i < t->n; i++)
		t->row_of[t->rows[i].part] = -1;
	t->n = t->placed = 0;
	for (uint32_t i = m->of_ipu_from[ipu]; i < m->of_ipu_from[ipu + 1]; i++) {
		const struct pf_part *p = &m->parts[m->of_ipu[i]];

		if (!pf_on_tile(m, p, tile))
			continue;
		t->row_of[m->of_ipu[i]] = (int32_t)t->n;
		t->rows[t->n++] = (struct pf_row){m->of_ipu[i], pf_bytes(p, tile), 0,
			p->class >= 0};
		if (p->class >= 0)
			of[stage_of(p) + 1]++;
	}
	for (int s = 1; s <= STAGES; s++)
		of[s] += of[s - 1];
	t->placed = of[STAGES];
	for (uint32_t i = 0; i < t->n; i++)
		if (t->rows[i].allocated)
			t->order[of[stage_of(&m->parts[t->rows[i].part])]++] = i;
}

/* ---- places ---- */

static uint32_t
element_of(const struct pf_model *m, uint32_t at)
{
	uint32_t first = (uint32_t)m->interleaved;

	return at < first ? at / ELEMENT : first / ELEMENT + (at - first) / (2 * ELEMENT);
}

static uint32_t
element_end(const struct pf_model *m, uint32_t at)
{
	uint32_t first = (uint32_t)m->interleaved;

	return at < first ? (at / ELEMENT + 1) * ELEMENT
			  : first + ((at - first) / (2 * ELEMENT) + 1) * 2 * ELEMENT;
}

/* Where a row goes that may begin at `at`; those that it must not be with lie before it. */
static uint32_t
place(const struct pf_model *m, const struct pf_tile *t, const struct pf_part *p, uint32_t at)
{
	at = (at + p->alignment - 1) / p->alignment * p->alignment;
	for (int i = 0; i < PF_PARTNERS; i++) {
		int32_t r = p->partner[i] >= 0 ? t->row_of[p->partner[i]] : -1;
		const struct pf_row *q = r >= 0 ? &t->rows[r] : NULL;

		if (q && q->offset &&
			element_of(m, q->offset + q->bytes - 1) >= element_of(m, at) &&
			q->offset < element_end(m, at))
			at = element_end(m, at);
	}
	return at;
}

static int
by_number(const void *pa, const void *pb)
{
	uint32_t a = *(const uint32_t *)pa, b = *(const uint32_t *)pb;

	return (a > b) - (a < b);
}

/* Coverage of the arena: starts have even, ends odd numbers while they are sorted. */
static void
cover(struct pf_tile *t, uint32_t first, uint32_t last)
{
	uint32_t n = 0, k = 0, alone = 0, shared = 0, covers = 0;

	for (uint32_t i = first; i < last; i++) {
		const struct pf_row *r = &t->rows[t->order[i]];

		t->edge[n++] = r->offset * 2;
		t->edge[n++] = (r->offset + r->bytes) * 2 + 1;
	}
	qsort(t->edge, n, sizeof(*t->edge), by_number);
	for (uint32_t i = 0; i < n; i++) {
		uint32_t at = t->edge[i] / 2;
		bool begins = !(t->edge[i] & 1);

		if (k && at > t->edge[k - 1]) {
			alone += covers == 1 ? at - t->edge[k - 1] : 0;
			shared += covers > 1 ? at - t->edge[k - 1] : 0;
		}
		if (!k || at > t->edge[k - 1])
			k++;
		t->edge[k - 1] = at;
		t->alone[k - 1] = alone;
		t->shared[k - 1] = shared;
		covers += begins ? 1 : UINT32_MAX;
	}
	t->edges = k;
}

static void
below(uint32_t *alone, uint32_t *shared, const struct pf_tile *t, uint32_t at)
{
	uint32_t lo = 0, hi = t->edges;

	*alone = *shared = 0;
	while (lo < hi) { /* edges before lo are <= at */
		uint32_t mid = (lo + hi) / 2;

		if (t->edge[mid] <= at)
			lo = mid + 1;
		else
			hi = mid;
	}
	if (!lo)
		return;
	*alone = t->alone[lo - 1];
	*shared = t->shared[lo - 1];
	if (lo < t->edges) {
		*alone += t->alone[lo] > *alone ? at - t->edge[lo - 1] : 0;
		*shared += t->shared[lo] > *shared ? at - t->edge[lo - 1] : 0;
	}
}

void
pf_tile_cover(uint32_t *alone, uint32_t *shared, const struct pf_tile *t, uint32_t from,
	uint32_t to)
{
	uint32_t a, s;

	below(&a, &s, t, from);
	below(alone, shared, t, to);
	*alone -= a;
	*shared -= s;
}

void
pf_tile_place(struct pf_tile *t, const struct pf_model *m, int64_t tile)
{
	uint32_t at = RESERVED, base = 0, end = 0, first = UINT32_MAX, last = 0;
	int32_t scope = PF_NONE;

	pf_tile_rows(t, m, tile);
	for (uint32_t i = 0; i < t->placed; i++) {
		struct pf_row *r = &t->rows[t->order[i]];
		const struct pf_part *p = &m->parts[r->part];
		int stage = stage_of(p);

		if (stage == STAGE_LOCAL) {
			if (first == UINT32_MAX) {
				first = i;
				base = at;
			}
			last = i + 1;
			if (p->scope != scope)
				at = base;
			scope = p->scope;
		} else if (stage == STAGE_TAIL) {
			at = end;
		}
		r->offset = place(m, t, p, at);
		at = r->offset + r->bytes;
		end = at > end ? at : end;
	}
	cover(t, first, last > first ? last : first);
	if (first == UINT32_MAX)
		t->edges = 0;
}

/* ---- what a tile comes to ---- */

/* Largest sum of the tile's classes that are alive at one time. */
static uint32_t
tile_peak(const struct pf_model *m, const struct pf_tile *t, int ipu)
{
	int64_t now = 0, peak = 0;

	for (size_t i = 0; i < m->events_n[ipu]; i++) {
		const struct pf_event *e = &m->events[ipu][i];

		now += e->begins ? t->by_class[e->class] : -t->by_class[e->class];
		peak = now > peak ? now : peak;
	}
	return (uint32_t)peak;
}

static void
category_add(struct pf_model *m, int category, int which, int64_t tile, uint32_t bytes)
{
	uint32_t **v = &m->category[category][which];

	if (!bytes)
		return;
	if (!*v)
		*v = ts_alloc((size_t)m->all_tiles, sizeof(**v));
	if (*v)
		(*v)[tile] += bytes;
	else
		m->nomem = true;
}

static void
row_add(struct pf_model *m, const struct pf_tile *t, int64_t tile, const struct pf_row *r)
{
	const uint32_t ends[DEMO_REGIONS] = {(uint32_t)m->interleaved, (uint32_t)m->tile_bytes,
		UINT32_MAX};
	const struct pf_part *p = &m->parts[r->part];
	struct pf_memory *y = &m->memory[tile];
	uint32_t at = r->offset, end = r->offset + r->bytes;

	for (int k = 0; k < DEMO_REGIONS && at < end; k++) {
		uint32_t to = end < ends[k] ? end : ends[k], alone = to - at, shared = 0;

		if (at >= ends[k])
			continue;
		if (p->life == PF_LOCAL)
			pf_tile_cover(&alone, &shared, t, at, to);
		else
			y->region[k] += to - at;
		y->region_end[k] = to > y->region_end[k] ? to : y->region_end[k];
		category_add(m, p->category, 2 * k, tile, alone);
		category_add(m, p->category, 2 * k + 1, tile, shared);
		at = to;
	}
	y->end = end > y->end ? end : y->end;
	y->allocated++;
}

static void
tile_measure(struct pf_model *m, struct pf_tile *t, int64_t tile)
{
	const uint32_t ends[DEMO_REGIONS] = {(uint32_t)m->interleaved, (uint32_t)m->tile_bytes,
		UINT32_MAX};
	struct pf_memory *y = &m->memory[tile];

	*y = (struct pf_memory){.rows = t->n};
	for (uint32_t i = 0; i < t->n; i++)
		if (t->rows[i].allocated)
			t->by_class[m->parts[t->rows[i].part].class] = 0;
	for (uint32_t i = 0; i < t->n; i++) {
		const struct pf_row *r = &t->rows[i];
		int32_t class = m->parts[r->part].class;

		if (!r->allocated)
			continue;
		t->by_class[class] += r->bytes;
		m->classes[class].bytes += r->bytes;
		y->always += class == 0 ? r->bytes : 0;
		row_add(m, t, tile, r);
	}
	for (int k = 0; k < DEMO_REGIONS && t->edges; k++) {
		uint32_t alone, shared;

		pf_tile_cover(&alone, &shared, t, k ? ends[k - 1] : 0, ends[k]);
		y->region[k] += alone + shared;
	}
	y->total = y->region[0] + y->region[1] + y->region[2];
	y->peak = tile_peak(m, t, (int)(tile / m->tiles));
	for (uint32_t i = 0; i < t->n; i++) /* clean for the next tile */
		if (t->rows[i].allocated)
			t->by_class[m->parts[t->rows[i].part].class] = 0;
}

/* ---- sizes ---- */

static void
sizes_set(struct pf_model *m, double unit)
{
	for (size_t i = 0; i < m->parts_n; i++) {
		struct pf_part *p = &m->parts[i];
		double pieces = p->split ? m->pieces : 1;

		if (p->units)
			p->bytes = (uint32_t)ts_max_i64((int64_t)(p->units * unit / 16 / pieces) /
					4 * 4,
				4);
	}
}

/* The unit with which no tile is fuller than usual; sizes of tensors are those of a unit of 16 when it is asked. */
static double
unit_of_tile(const struct pf_model *m, struct pf_tile *t, int64_t tile)
{
	double fixed = 0, always = 0, in_scope = 0, scope_fixed = 0, most = 0, most_fixed = 0;
	int32_t scope = PF_NONE;

	pf_tile_rows(t, m, tile);
	for (uint32_t i = 0; i < t->placed; i++) {
		const struct pf_row *r = &t->rows[t->order[i]];
		const struct pf_part *p = &m->parts[r->part];
		double units = p->units / (p->split ? (double)m->pieces : 1) *
			(p->uneven ? 1.07 : 1);

		if (p->life != PF_LOCAL) {
			always += units;
			fixed += p->units ? 4 : p->bytes + 4;
			continue;
		}
		if (p->scope != scope)
			in_scope = scope_fixed = 0;
		scope = p->scope;
		in_scope += units;
		scope_fixed += p->units ? 4 : p->bytes + 4;
		most = in_scope > most ? in_scope : most;
		most_fixed = scope_fixed > most_fixed ? scope_fixed : most_fixed;
	}
	fixed = (double)m->tile_bytes * USUAL / 1000 - fixed - most_fixed - ELEMENT;
	return always + most > 0 ? fixed * 16 / (always + most) : 1e9;
}

static double
unit_find(const struct pf_model *m, struct pf_tile *t)
{
	double unit = 1e9;

	for (int64_t tile = 0; tile < m->all_tiles; tile++) {
		double u = unit_of_tile(m, t, tile);

		unit = u < unit ? u : unit;
	}
	return unit > 1e-6 ? unit : 1e-6;
}

/* ---- rows of tiles, and positions ---- */

static bool
lists_fill(struct pf_model *m)
{
	uint32_t ipus = (uint32_t)m->ipus;

	m->of_ipu = ts_alloc(m->parts_n + 1, sizeof(*m->of_ipu));
	m->of_ipu_from = ts_alloc(ipus + 2, sizeof(*m->of_ipu_from));
	if (!m->of_ipu || !m->of_ipu_from)
		return false;
	for (size_t i = 0; i < m->parts_n; i++)
		m->of_ipu_from[m->parts[i].tile / (uint32_t)m->tiles + 2]++;
	for (uint32_t i = 0; i < ipus; i++)
		m->of_ipu_from[i + 2] += m->of_ipu_from[i + 1];
	for (size_t i = 0; i < m->parts_n; i++)
		m->of_ipu[m->of_ipu_from[m->parts[i].tile / (uint32_t)m->tiles + 1]++] =
			(uint32_t)i;
	return true;
}

static bool
positions_fill(struct pf_model *m)
{
	uint32_t *rows;

	for (size_t i = 0; i < m->parts_n; i++) {
		struct pf_part *p = &m->parts[i];

		if (p->at == UINT32_MAX)
			continue;
		p->at = (uint32_t)m->position_n;
		m->position_n += p->tiles;
	}
	m->position = ts_alloc(m->full ? m->position_n + 1 : 1, sizeof(*m->position));
	m->first_row = ts_alloc((size_t)m->all_tiles + 1, sizeof(*m->first_row));
	rows = ts_alloc((size_t)m->all_tiles, sizeof(*rows));
	if (!m->position || !m->first_row || !rows) {
		free(rows);
		return false;
	}
	for (size_t i = 0; i < m->parts_n; i++) {
		const struct pf_part *p = &m->parts[i];

		for (uint32_t k = 0; k < p->tiles; k++) {
			if (!pf_on_tile(m, p, p->tile + k))
				continue;
			if (m->full && p->at != UINT32_MAX)
				m->position[p->at + k] = rows[p->tile + k];
			rows[p->tile + k]++;
		}
	}
	for (int64_t t = 0; t < m->all_tiles; t++)
		m->first_row[t + 1] = m->first_row[t] + rows[t];
	m->rows = m->first_row[m->all_tiles];
	free(rows);
	return true;
}

/* ---- events ---- */

static int
by_step(const void *pa, const void *pb)
{
	const struct pf_event *a = pa, *b = pb;

	if (a->step != b->step)
		return a->step < b->step ? -1 : 1;
	if (a->begins != b->begins) /* half-open: ends first */
		return a->begins - b->begins;
	return (a->class > b->class) - (a->class < b->class);
}

static bool
events_fill(struct pf_model *m)
{
	m->events = ts_alloc((size_t)m->ipus, sizeof(*m->events));
	m->events_n = ts_alloc((size_t)m->ipus, sizeof(*m->events_n));
	if (!m->events || !m->events_n)
		return false;
	for (size_t i = 0; i < m->classes_n; i++)
		if (m->classes[i].life != PF_ALWAYS)
			m->events_n[m->classes[i].ipu] += 2 * (size_t)m->classes[i].intervals;
	for (int i = 0; i < m->ipus; i++) {
		m->events[i] = ts_alloc(m->events_n[i] + 1, sizeof(**m->events));
		if (!m->events[i])
			return false;
		m->events_n[i] = 0;
	}
	for (size_t i = 0; i < m->classes_n; i++) {
		const struct pf_class *c = &m->classes[i];

		for (uint32_t k = 0; c->life != PF_ALWAYS && k < c->intervals; k++) {
			const struct pf_interval *v = &m->intervals[c->first + k];
			struct pf_event *e = m->events[c->ipu];

			e[m->events_n[c->ipu]++] = (struct pf_event){v->start, (int32_t)i, true};
			e[m->events_n[c->ipu]++] = (struct pf_event){v->end, (int32_t)i, false};
		}
	}
	for (int i = 0; i < m->ipus; i++)
		qsort(m->events[i], m->events_n[i], sizeof(**m->events), by_step);
	return true;
}

/* ---- all tiles ---- */

/* How far the fullest tiles are to be filled, bytes; 0: this tile is none of them. */
static uint32_t
hot_end(const struct pf_model *m, int64_t tile)
{
	int64_t d = tile > m->hot ? tile - m->hot : m->hot - tile;

	if (m->o.oom)
		return d <= 3 ? (uint32_t)(m->tile_bytes / 1000 * (d ? 1090 - d * 20 : 1220)) & ~3u
			      : 0;
	return d ? 0 : (uint32_t)(m->tile_bytes / 1000 * HOT) & ~3u;
}

static bool
is_tail(const struct pf_model *m, const struct pf_tile *t)
{
	return t->placed && m->parts[t->rows[t->order[t->placed - 1]].part].tail;
}

/* Places of all tiles with these sizes; *fits false: one is too full. */
static enum ts_code
measure(bool *fits, struct pf_model *m, struct pf_tile *t, const struct ts_cancel *cancel,
	struct ts_err *err)
{
	*fits = true;
	for (size_t i = 0; i < m->classes_n; i++)
		m->classes[i].bytes = 0;
	for (int c = 0; c < PF_CATEGORIES; c++)
		for (int k = 0; k < 2 * DEMO_REGIONS; k++)
			if (m->category[c][k])
				memset(m->category[c][k], 0,
					(size_t)m->all_tiles * sizeof(uint32_t));
	for (int64_t tile = 0; tile < m->all_tiles && *fits; tile++) {
		if (ts_cancelled(cancel))
			return ts_err_set(err, TS_E_CANCELLED, "cancelled");
		pf_tile_place(t, m, tile);
		if (is_tail(m, t)) {
			struct pf_row *r = &t->rows[t->order[t->placed - 1]];
			uint32_t end = hot_end(m, tile);

			r->bytes = end > r->offset + 4 ? end - r->offset : 4;
			m->parts[r->part].bytes = r->bytes;
		}
		tile_measure(m, t, tile);
		if (!is_tail(m, t) && m->memory[tile].end > m->tile_bytes / 1000 * LIMIT)
			*fits = false;
	}
	if (m->nomem)
		return ts_err_nomem(err);
	return TS_OK;
}

/* Exchanges take as long as their bytes need. */
static void
exchange_cycles(struct pf_model *m)
{
	enum { BYTES_PER_CYCLE = 4, GLOBAL_CYCLES = 2400, LEAST = 90 };

	for (size_t i = 0; i < m->exchanges_n; i++) {
		const struct pf_exchange *x = &m->exchanges[i];
		struct pf_prog *p = &m->progs[x->prog];
		uint32_t cycles = m->parts[x->target].bytes / BYTES_PER_CYCLE + LEAST;

		p->cycles = x->global ? cycles * 2 + GLOBAL_CYCLES : cycles;
		p->floor = p->cycles / 8 * 7 + 1;
	}
}

enum ts_code
pf_tiles_init(struct pf_model *m, const struct ts_cancel *cancel, struct ts_err *err)
{
	struct pf_tile t = {0};
	enum ts_code code = TS_OK;
	double unit;
	bool fits = false;

	m->memory = ts_alloc((size_t)m->all_tiles, sizeof(*m->memory));
	if (!m->memory || !lists_fill(m) || !positions_fill(m) || !events_fill(m) ||
		!pf_tile_init(&t, m)) {
		pf_tile_fini(&t);
		return ts_err_nomem(err);
	}
	unit = unit_find(m, &t);
	for (int i = 0; i < TRIES && code == TS_OK && !fits; i++, unit *= 0.9) {
		sizes_set(m, unit);
		code = measure(&fits, m, &t, cancel, err);
	}
	pf_tile_fini(&t);
	if (code == TS_OK && !fits)
		code = ts_err_set(err, TS_E_USAGE, "demo: so much does not fit on so few tiles");
	exchange_cycles(m);
	return code;
}

void
pf_tiles_fini(struct pf_model *m)
{
	for (int i = 0; m->events && i < m->ipus; i++)
		free(m->events[i]);
	for (int c = 0; c < PF_CATEGORIES; c++)
		for (int k = 0; k < 2 * DEMO_REGIONS; k++)
			free(m->category[c][k]);
	free(m->events);
	free(m->events_n);
	free(m->of_ipu);
	free(m->of_ipu_from);
	free(m->position);
	free(m->first_row);
	free(m->memory);
}
