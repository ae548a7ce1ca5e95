/* SPDX-License-Identifier: MIT */
/*
 * lives_source - the lives of the variables of one tile, of a set of tiles or of an IPU.
 *
 * Nobody records these: a lowered variable's class says when it is alive (tile_live.h has the classes), its row how
 * many bytes it has on its tile. On one tile each lowered variable is a variable of its own. On several those that
 * were lowered from the same variable are one, with the bytes of all of them, where that is recorded: a
 * hash by (variable, class). So the list of an IPU is as long as that of the device, not as the rows of its tiles.
 */
#include "config.h"

#include <stdlib.h>

#include "tilescope/base/mem.h"
#include "tilescope/report/index_variables.h"
#include "tilescope/report/live_source.h"
#include "tilescope/report/rows.h"

#include "lives_internal.h"

enum {
	PROGRESS_BLOCKS = 64,
	FEW_TILES = 64, /* so many are gone to one by one */
	LEAST_SLOTS = 1024,
};

enum { V_TILE, V_BYTES, V_CLASS, V_ALWAYS, V_VARIABLE, V_COLUMNS };

struct source_work {
	struct lives_work w;
	const struct ts_live_source *source;
	const struct ts_tile_lives *tiles;
	bool joined;	      /* those of one variable are one */
	struct ts_pile class; /* int64_t: of each variable, while they are joined */
	struct ts_pile slot;  /* uint32_t: variable + 1, or 0 */
	size_t slots;	      /* a power of two */
	int64_t rows;	      /* that were read */
	struct ts_progress *progress;
};

/* --- the variables ---------------------------------------------------------------------------- */

static uint64_t
mix(uint64_t v)
{
	v = (v ^ v >> 30) * 0xbf58476d1ce4e5b9u;
	v = (v ^ v >> 27) * 0x94d049bb133111ebu;
	return v ^ v >> 31;
}

static size_t
slot_of(const struct source_work *s, int64_t id, int64_t class)
{
	const uint32_t *slot = s->slot.memory;
	const int64_t *classes = s->class.memory;
	size_t i = (size_t)mix((uint64_t)id + mix((uint64_t) class)) & (s->slots - 1);

	while (slot[i] != 0 &&
		(lives_variable(&s->w, slot[i] - 1)->variable != id ||
			classes[slot[i] - 1] != class))
		i = (i + 1) & (s->slots - 1);
	return i;
}

static enum ts_code
grow(struct source_work *s, struct ts_err *err)
{
	struct ts_pile old = s->slot;
	size_t slots = s->slots ? 2 * s->slots : LEAST_SLOTS;
	enum ts_code code;

	s->slot = (struct ts_pile){0};
	code = ts_pile_room(&s->slot, slots * sizeof(uint32_t), s->w.cache, err);
	if (code) {
		s->slot = old;
		return code;
	}
	s->slots = slots;
	for (size_t i = 0; i < s->w.variables; i++)
		((uint32_t *)s->slot.memory)[slot_of(s, lives_variable(&s->w, i)->variable,
			((int64_t *)s->class.memory)[i])] = (uint32_t)i + 1;
	ts_pile_fini(&old);
	return TS_OK;
}

/* The class of that number; NULL: none of its steps is known. */
static const struct ts_live_class *
find_class(const struct ts_tile_lives *l, int64_t number)
{
	size_t low = 0, high = l->classes;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (l->class[middle].number < number)
			low = middle + 1;
		else
			high = middle;
	}
	return low < l->classes && l->class[low].number == number ? &l->class[low] : NULL;
}

/* The intervals of a class become lives of the variable that was added last. */
static enum ts_code
add_lives(struct source_work *s, int64_t number, struct ts_err *err)
{
	struct lives_work *w = &s->w;
	const struct ts_live_class *c = find_class(s->tiles, number);
	enum ts_code code = TS_OK;

	if (!c)
		w->l->orphans++;
	for (uint32_t i = 0; c && i < c->count && !code; i++) {
		const struct ts_live_interval *in = &s->tiles->interval[c->first + i];
		int64_t start = s->tiles->point[in->from], end = s->tiles->point[in->to];
		struct ts_life life = {(uint32_t)(w->variables - 1), lives_cut_step(start),
			lives_cut_step(end)};

		if (start < 0 || end <= start) { /* only a section that was altered says so */
			w->l->reversed++;
			continue;
		}
		if (w->lives == TS_LIVES_MAX) {
			w->l->left_out++;
			break;
		}
		code = ts_pile_add(&w->life, &life, sizeof(life), w->cache, err);
		w->lives += !code;
	}
	return code;
}

static enum ts_code
add_new(struct source_work *s, int64_t id, int64_t class, int64_t bytes, struct ts_err *err)
{
	struct lives_work *w = &s->w;
	struct ts_live_variable v = {id, bytes};
	enum ts_code code;

	if (w->variables == TS_LIVES_MAX) {
		w->l->left_out++;
		return TS_OK;
	}
	code = ts_pile_add(&w->variable, &v, sizeof(v), w->cache, err);
	if (!code && s->joined)
		code = ts_pile_add(&s->class, &class, sizeof(class), w->cache, err);
	if (code)
		return code;
	w->variables++;
	return add_lives(s, class, err);
}

static enum ts_code
add_joined(struct source_work *s, int64_t id, int64_t class, int64_t bytes, struct ts_err *err)
{
	struct lives_work *w = &s->w;
	uint32_t *slot;
	enum ts_code code = TS_OK;

	if (4 * (w->variables + 1) > 3 * s->slots)
		code = grow(s, err);
	if (code)
		return code;
	slot = (uint32_t *)s->slot.memory + slot_of(s, id, class);
	if (*slot > 0) {
		int64_t *sum = &lives_variable(w, *slot - 1)->bytes;

		*sum = bytes > TS_NUMBER_MAX - *sum ? TS_NUMBER_MAX : *sum + bytes;
		return TS_OK;
	}
	*slot = (uint32_t)w->variables + 1;
	code = add_new(s, id, class, bytes, err);
	if (w->variables < *slot) /* there was no room for it */
		*slot = 0;
	return code;
}

/* --- rows ------------------------------------------------------------------------------------- */

static enum ts_code
add_row(struct source_work *s, const struct ts_rows_block *b, int i, struct ts_err *err)
{
	struct ts_lives *l = s->w.l;
	bool unlowered = s->joined && b->is[V_VARIABLE] == TS_VALUE_OK;
	int64_t id = unlowered ? b->v[V_VARIABLE][i] : b->rowid ? b->rowid[i] : s->rows;

	if (b->is[V_BYTES] != TS_VALUE_OK || b->is[V_ALWAYS] == TS_VALUE_BAD) {
		l->bad_rows++;
		return TS_OK;
	}
	if (b->is[V_ALWAYS] == TS_VALUE_OK && b->v[V_ALWAYS][i] != 0) {
		l->always++;
		return TS_OK;
	}
	if (b->is[V_CLASS] != TS_VALUE_OK) {
		l->orphans++;
		return TS_OK;
	}
	/* ids of rows and of variables are never taken for each other: in a list of variables others have none */
	if (s->joined && !unlowered)
		id = id < 0 ? INT64_MIN : -1 - id; /* a row id below 0 has no number left */
	return (s->joined ? add_joined : add_new)(s, id, b->v[V_CLASS][i], b->v[V_BYTES][i], err);
}

static enum ts_code
read_range(struct source_work *s, enum ts_range range, int64_t from, int64_t to, struct ts_err *err)
{
	struct ts_rows_query q = {.columns = {TS_LOWERED_VARIABLE_TILE, TS_LOWERED_VARIABLE_BYTES,
					  TS_LOWERED_VARIABLE_CLASS,
					  TS_LOWERED_VARIABLE_ALWAYS_LIVE,
					  TS_LOWERED_VARIABLE_VARIABLE},
		.column_count = V_COLUMNS,
		.range = range,
		.from = from,
		.to = to,
		.past_damage = true};
	int64_t total = lives_rows_of(s->w.rd, TS_LOWERED_VARIABLE), blocks = 0;
	struct ts_rows *rows;
	enum ts_code code = ts_reader_rows(&rows, s->w.rd, TS_LOWERED_VARIABLE, &q, err);
	struct ts_rows_block b;

	if (code)
		return code;
	while (!(code = ts_rows_block(rows, &b, err)) && b.rows > 0) {
		if (++blocks % PROGRESS_BLOCKS == 0)
			ts_progress_set(s->progress, s->rows, total);
		for (int i = 0; i < b.rows && !code; i++, s->rows++)
			if (b.is[V_TILE] == TS_VALUE_OK &&
				ts_live_source_has(s->source, s->tiles, b.v[V_TILE][i]))
				code = add_row(s, &b, i, err);
		if (code)
			break;
	}
	ts_rows_close(rows);
	return code;
}

/* Where the rows of the tiles [from, to) stand, as closely as the index or a key says. */
static enum ts_code
read_tiles(struct source_work *s, int64_t from, int64_t to, struct ts_err *err)
{
	const struct ts_reach *reach = &s->w.rd->report->binding[TS_LOWERED_VARIABLE].reach;
	struct ts_index_variables v;
	int64_t first = INT64_MAX, last = -1;

	if (ts_index_variables(&v, s->w.rd->index) && v.has_row_ids) {
		for (size_t i = 0; i < v.tiles; i++)
			if (v.tile[i].tile >= from && v.tile[i].tile < to && v.tile[i].rows > 0) {
				first = ts_min_i64(first, v.tile[i].first);
				last = ts_max_i64(last, v.tile[i].last);
			}
		last = last < INT64_MAX ? last + 1 : last;
		return last <= first ? TS_OK : read_range(s, TS_RANGE_ROWID, first, last, err);
	}
	if (reach->key != TS_REACH_NONE)
		return read_range(s, TS_RANGE_KEY, from, to, err);
	return read_range(s, TS_RANGE_ALL, 0, 0, err);
}

static enum ts_code
read_all(struct source_work *s, struct ts_err *err)
{
	bool keyed = s->w.rd->report->binding[TS_LOWERED_VARIABLE].reach.key != TS_REACH_NONE ||
		ts_index_sections(s->w.rd->index) & ts_section_bit(TS_SECTION_VARIABLES);
	enum ts_code code = TS_OK, damage = TS_OK;
	int64_t first = -1, last = -1, count = 0;

	for (size_t i = 0; i < s->tiles->tiles; i++)
		if (ts_live_source_has(s->source, s->tiles, s->tiles->tile[i].tile)) {
			first = first < 0 ? s->tiles->tile[i].tile : first;
			last = s->tiles->tile[i].tile;
			count++;
		}
	if (count == 0)
		return TS_OK;
	if (count > FEW_TILES || !keyed)
		return read_tiles(s, first, last + 1, err);
	for (size_t i = 0; i < s->tiles->tiles && !code; i++) {
		int64_t tile = s->tiles->tile[i].tile;

		if (!ts_live_source_has(s->source, s->tiles, tile))
			continue;
		code = read_tiles(s, tile, tile + 1, err);
		damage = code == TS_E_DAMAGED ? code : damage;
		code = code == TS_E_DAMAGED ? TS_OK : code;
	}
	return code ? code : damage;
}

enum ts_code
ts_lives_read_source(struct ts_lives **out, struct ts_reader *rd,
	const struct ts_live_source *source, const struct ts_tile_lives *tiles,
	const struct ts_cache *cache, struct ts_progress *progress, struct ts_err *err)
{
	struct source_work s = {.source = source, .tiles = tiles, .progress = progress};
	enum ts_code code, damage;

	*out = NULL;
	code = lives_begin(&s.w, rd, cache, err);
	if (code)
		return code;
	s.joined = source->where != TS_LIVE_TILE &&
		ts_report_has_column(rd->report, TS_LOWERED_VARIABLE, TS_LOWERED_VARIABLE_VARIABLE);
	s.w.l->lowered = !s.joined;
	damage = read_all(&s, err);
	code = damage == TS_E_DAMAGED ? TS_OK : damage;
	if (!code)
		code = lives_order(&s.w, err);
	ts_pile_fini(&s.class);
	ts_pile_fini(&s.slot);
	return lives_finish(out, &s.w, code ? code : damage);
}
