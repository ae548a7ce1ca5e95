/* SPDX-License-Identifier: MIT */
/*
 * lives_join - variables of the lowered ones that a source has: see lives_join.h.
 *
 * A hash by (variable, class); the class says when each is alive.
 */
#include "config.h"

#include <stdlib.h>

#include "tilescope/base/mem.h"

#include "lives_join.h"

enum { LEAST_SLOTS = 1024 };

/* --- the variables ---------------------------------------------------------------------------- */

static uint64_t
mix(uint64_t v)
{
	v = (v ^ v >> 30) * 0xbf58476d1ce4e5b9u;
	v = (v ^ v >> 27) * 0x94d049bb133111ebu;
	return v ^ v >> 31;
}

static size_t
slot_of(const struct lives_join *j, int64_t id, int64_t class)
{
	const uint32_t *slot = j->slot.memory;
	const int64_t *classes = j->class.memory;
	size_t i = (size_t)mix((uint64_t)id + mix((uint64_t) class)) & (j->slots - 1);

	while (slot[i] != 0 &&
		(lives_variable(&j->w, slot[i] - 1)->variable != id ||
			classes[slot[i] - 1] != class))
		i = (i + 1) & (j->slots - 1);
	return i;
}

static enum ts_code
grow(struct lives_join *j, struct ts_err *err)
{
	struct ts_pile old = j->slot;
	size_t slots = j->slots ? 2 * j->slots : LEAST_SLOTS;
	enum ts_code code;

	j->slot = (struct ts_pile){.small = old.small};
	code = ts_pile_room(&j->slot, slots * sizeof(uint32_t), j->w.cache, err);
	if (code) {
		j->slot = old;
		return code;
	}
	j->slots = slots;
	for (size_t i = 0; i < j->w.variables; i++)
		((uint32_t *)j->slot.memory)[slot_of(j, lives_variable(&j->w, i)->variable,
			((int64_t *)j->class.memory)[i])] = (uint32_t)i + 1;
	ts_pile_fini(&old);
	return TS_OK;
}

const struct ts_live_class *
lives_join_class(const struct ts_tile_lives *l, int64_t number)
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
add_lives(struct lives_join *j, const struct ts_live_class *c, struct ts_err *err)
{
	struct lives_work *w = &j->w;
	enum ts_code code = TS_OK;

	if (!c)
		w->l->orphans++;
	for (uint32_t i = 0; c && i < c->count && !code; i++) {
		const struct ts_live_interval *in = &j->tiles->interval[c->first + i];
		int64_t start = j->tiles->point[in->from], end = j->tiles->point[in->to];
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

enum ts_code
lives_join_whole(struct lives_join *j, int64_t id, const struct ts_live_class *c, int64_t bytes,
	struct ts_err *err)
{
	struct lives_work *w = &j->w;
	struct ts_live_variable v = {id, bytes};
	enum ts_code code;

	if (w->variables == TS_LIVES_MAX) {
		w->l->left_out++;
		return TS_OK;
	}
	code = ts_pile_add(&w->variable, &v, sizeof(v), w->cache, err);
	if (code)
		return code;
	w->variables++;
	return add_lives(j, c, err);
}

static enum ts_code
add_new(struct lives_join *j, int64_t id, int64_t class, int64_t bytes, struct ts_err *err)
{
	enum ts_code code = TS_OK;

	if (j->joined && j->w.variables < TS_LIVES_MAX)
		code = ts_pile_add(&j->class, &class, sizeof(class), j->w.cache, err);
	return code ? code : lives_join_whole(j, id, lives_join_class(j->tiles, class), bytes, err);
}

static enum ts_code
add_joined(struct lives_join *j, int64_t id, int64_t class, int64_t bytes, struct ts_err *err)
{
	struct lives_work *w = &j->w;
	uint32_t *slot;
	enum ts_code code = TS_OK;

	if (4 * (w->variables + 1) > 3 * j->slots)
		code = grow(j, err);
	if (code)
		return code;
	slot = (uint32_t *)j->slot.memory + slot_of(j, id, class);
	if (*slot > 0) {
		int64_t *sum = &lives_variable(w, *slot - 1)->bytes;

		*sum = bytes > TS_NUMBER_MAX - *sum ? TS_NUMBER_MAX : *sum + bytes;
		return TS_OK;
	}
	*slot = (uint32_t)w->variables + 1;
	code = add_new(j, id, class, bytes, err);
	if (w->variables < *slot) /* there was no room for it */
		*slot = 0;
	return code;
}

/* --- rows ------------------------------------------------------------------------------------- */

struct ts_rows_query
lives_join_query(void)
{
	return (struct ts_rows_query){.columns = {TS_LOWERED_VARIABLE_TILE,
					      TS_LOWERED_VARIABLE_BYTES, TS_LOWERED_VARIABLE_CLASS,
					      TS_LOWERED_VARIABLE_ALWAYS_LIVE,
					      TS_LOWERED_VARIABLE_VARIABLE},
		.column_count = LIVES_COLUMNS,
		.past_damage = true};
}

bool
lives_can_join(const struct ts_report *r)
{
	return ts_report_has_column(r, TS_LOWERED_VARIABLE, TS_LOWERED_VARIABLE_VARIABLE);
}

enum ts_code
lives_join_begin(struct lives_join *j, struct ts_reader *rd, const struct ts_tile_lives *tiles,
	bool joined, const struct ts_cache *cache, struct ts_err *err)
{
	*j = (struct lives_join){.tiles = tiles, .joined = joined};
	return lives_begin(&j->w, rd, cache, err);
}

void
lives_join_in_memory(struct lives_join *j)
{
	struct ts_pile *pile[] = {&j->w.variable, &j->w.life, &j->w.l->pile[2], &j->class,
		&j->slot};

	for (size_t i = 0; i < TS_COUNT(pile); i++)
		pile[i]->small = TS_PILE_LARGE;
}

enum ts_code
lives_join_row(struct lives_join *j, const struct ts_rows_block *b, int i, int64_t number,
	struct ts_err *err)
{
	bool unlowered = j->joined && b->is[LIVES_VARIABLE] == TS_VALUE_OK;
	int64_t id = unlowered ? b->v[LIVES_VARIABLE][i] : b->rowid ? b->rowid[i] : number;

	if (b->is[LIVES_BYTES] != TS_VALUE_OK || b->is[LIVES_ALWAYS] == TS_VALUE_BAD) {
		j->w.l->bad_rows++;
		return TS_OK;
	}
	if (b->is[LIVES_ALWAYS] == TS_VALUE_OK && b->v[LIVES_ALWAYS][i] != 0) {
		j->w.l->always++;
		return TS_OK;
	}
	if (b->is[LIVES_CLASS] != TS_VALUE_OK) {
		j->orphans++;
		return TS_OK;
	}
	/* ids of rows and of variables are never taken for each other: in a list of variables others have none */
	if (j->joined && !unlowered)
		id = id < 0 ? INT64_MIN : -1 - id; /* a row id below 0 has no number left */
	return (j->joined ? add_joined : add_new)(j, id, b->v[LIVES_CLASS][i], b->v[LIVES_BYTES][i],
		err);
}

enum ts_code
lives_join_merge(struct lives_join *j, const struct lives_join *from, struct ts_err *err)
{
	const struct ts_lives *l = from->w.l;
	enum ts_code code = TS_OK;

	for (size_t i = 0; !code && i < from->w.variables; i++) {
		const struct ts_live_variable *v = lives_variable(&from->w, i);

		code = add_joined(j, v->variable, ((const int64_t *)from->class.memory)[i],
			v->bytes, err);
	}
	j->w.l->bad_rows += l->bad_rows;
	j->w.l->always += l->always;
	j->w.l->left_out += l->left_out;
	j->orphans += from->orphans;
	return code;
}

/* --- the end ---------------------------------------------------------------------------------- */

enum ts_code
lives_join_order(struct lives_join *j, struct ts_err *err)
{
	j->w.l->orphans += j->orphans;
	j->orphans = 0;
	return lives_order(&j->w, err);
}

enum ts_code
lives_join_finish(struct ts_lives **out, struct lives_join *j, enum ts_code code)
{
	ts_pile_fini(&j->class);
	ts_pile_fini(&j->slot);
	if (!j->w.l) { /* it never began */
		*out = NULL;
		return code;
	}
	code = lives_finish(out, &j->w, code);
	*j = (struct lives_join){0};
	return code;
}
