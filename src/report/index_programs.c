/* SPDX-License-Identifier: MIT */
/*
 * index_programs - a head, the rows of program_costs as they are in memory (numbers alone, 8-byte aligned, no padding), and the
 * texts of their types.
 */
#include "config.h"

#include <stdlib.h>

#include "tilescope/base/mem.h"
#include "tilescope/report/index_programs.h"

struct head {
	uint64_t count, cost_at;
	uint64_t types, type_at; /* struct text */
	uint64_t bytes, text_at;
	int64_t bad_rows, orphans, unnamed, bad_parts;
	uint64_t has_steps, has_executed;
};

struct text {
	uint64_t at, n;
};

_Static_assert(sizeof(struct ts_program_cost) == 19 * sizeof(int64_t), "a row has no padding");

/* Could this have been worked out? */
static bool
is_sound(const struct ts_program_cost *p, uint64_t types)
{
	const int64_t figures[] = {p->compute_set, p->repeat_count, p->context, p->control_code,
		p->exchange_code, p->measured.sum, p->measured.most, p->measured.tile,
		p->estimated.sum, p->estimated.most, p->estimated.tile, p->steps, p->executed,
		p->first_step, p->live_step, p->live_steps, p->live};

	for (size_t i = 0; i < TS_COUNT(figures); i++)
		if (figures[i] < TS_UNKNOWN)
			return false;
	return p->program >= 0 && p->type >= TS_DICTIONARY_NONE &&
		(p->type == TS_DICTIONARY_NONE || (uint64_t)p->type < types) &&
		p->class_of < TS_CLASS_COUNT && p->set_by_steps <= 1;
}

/* The rows where they are mapped: nobody writes to them. */
static bool
take_rows(struct ts_program_costs *c, const struct ts_program_cost *p, const struct head *h)
{
	for (uint64_t i = 0; i < h->count; i++)
		if (!is_sound(&p[i], h->types) || (i > 0 && p[i].program <= p[i - 1].program))
			return false;
	c->count = (size_t)h->count;
	c->cost.memory = (void *)(uintptr_t)p;
	c->cost.used = (size_t)h->count * sizeof(*p);
	return true;
}

static bool
take_types(struct ts_program_costs *c, const struct text *type, const char *text,
	const struct head *h)
{
	uint32_t entry;

	for (uint64_t i = 0; i < h->types; i++)
		if (type[i].n > h->bytes || type[i].at > h->bytes - type[i].n ||
			type[i].n > TS_DICTIONARY_TEXT ||
			ts_dictionary_text(&c->types, &entry, text + type[i].at, (size_t)type[i].n,
				NULL) ||
			entry != i)
			return false;
	return true;
}

static bool
take(struct ts_program_costs *c, struct ts_index *x, const struct ts_cache *cache)
{
	size_t size;
	const void *payload = ts_index_section(x, TS_SECTION_PROGRAMS, &size), *cost, *type, *text;
	const struct head *h = payload ? ts_section_at(payload, size, 0, 1, sizeof(*h)) : NULL;

	if (!h)
		return false;
	cost = ts_section_at(payload, size, h->cost_at, h->count, sizeof(struct ts_program_cost));
	type = ts_section_at(payload, size, h->type_at, h->types, sizeof(struct text));
	text = ts_section_at(payload, size, h->text_at, h->bytes, 1);
	if (!cost || !type || !text || h->types > INT32_MAX || !take_rows(c, cost, h) ||
		!take_types(c, type, text, h)) {
		c->cost = (struct ts_pile){0};
		ts_dictionary_fini(&c->types);
		c->types.cache = cache;
		c->count = 0;
		return false;
	}
	c->index = ts_index_hold(x);
	c->bad_rows = h->bad_rows;
	c->orphans = h->orphans;
	c->unnamed = h->unnamed;
	c->bad_parts = h->bad_parts;
	c->has_steps = h->has_steps != 0;
	c->has_executed = h->has_executed != 0;
	return true;
}

bool
ts_program_costs_kept(struct ts_program_costs *c, struct ts_reader *rd,
	const struct ts_cache *cache)
{
	struct ts_index *with;
	bool taken;

	if (take(c, rd->index, cache))
		return true;
	if (!cache || !cache->dir ||
		ts_index_with(&with, rd->index, TS_SECTION_PROGRAMS, cache, rd->report, NULL))
		return false;
	taken = take(c, with, cache);
	ts_index_release(with);
	return taken;
}

static enum ts_code
put(struct ts_section_writer *w, const struct ts_program_costs *c, struct ts_err *err)
{
	struct head h = {.count = c->count,
		.types = c->types.count,
		.bytes = c->types.text.used,
		.bad_rows = c->bad_rows,
		.orphans = c->orphans,
		.unnamed = c->unnamed,
		.bad_parts = c->bad_parts,
		.has_steps = c->has_steps,
		.has_executed = c->has_executed};
	struct text *type = ts_alloc((size_t)c->types.count + 1, sizeof(*type));
	const struct ts_section_array array[] = {{&h.cost_at, c->cost.memory,
							 c->count * sizeof(struct ts_program_cost)},
		{&h.type_at, type, c->types.count * sizeof(*type)},
		{&h.text_at, c->types.text.memory, c->types.text.used}};
	enum ts_code code;

	if (!type)
		return ts_err_nomem(err);
	for (uint32_t i = 0; i < c->types.count; i++) {
		const struct ts_dictionary_entry *e = ts_dictionary_at(&c->types, i);

		type[i] = (struct text){e->at, e->n};
	}
	code = ts_section_put_arrays(w, &h, sizeof(h), array, TS_COUNT(array), err);
	free(type);
	return code;
}

enum ts_code
ts_program_costs_keep(struct ts_reader *rd, const struct ts_cache *cache,
	const struct ts_program_costs *c, struct ts_err *err)
{
	struct ts_section_writer *w;
	enum ts_code code = ts_section_create(&w, cache, rd->report, TS_SECTION_PROGRAMS, err);

	if (code)
		return code;
	ts_section_set_cancel(w, rd->cancel);
	code = put(w, c, err);
	if (!code)
		return ts_section_commit(w, err);
	ts_section_abandon(w);
	return code;
}
