/* SPDX-License-Identifier: MIT */
/*
 * alive_set - who is alive at a step on a set of tiles, of what these have of each kind (tile_rows.h).
 *
 * A kind has one class, and the class says when it is alive: so whether a variable is listed is looked up once for each
 * class, and all that is left for a variable is to be added up. No lives are made for that, which takes three
 * times as long; whoever wants more than the largest waits for these (live_source.h).
 */
#include "config.h"

#include <stdlib.h>

#include "tilescope/base/mem.h"
#include "tilescope/calc/top.h"
#include "tilescope/report/live_source.h"

#include "alive_internal.h"
#include "lives_join.h"

/* What is to be said of the variables of a class. */
struct verdict {
	struct ts_alive_row row; /* no variable, no bytes */
	bool listed;
};

struct counting {
	struct alive_scan scan;
	const struct ts_kind_sums *sums;
	struct verdict *verdict; /* by class */
	struct ts_top top;
	size_t *kind; /* by slot of the top: the first of the variable's kinds */
	int64_t *bytes;
};

/* The intervals of a class are lives of a variable, cut as those are. */
static enum ts_code
judge(struct counting *c, const struct ts_tile_lives *tiles, struct ts_err *err)
{
	const struct ts_kinds *rows = &c->sums->rows;
	struct ts_pile life = {0};
	enum ts_code code = TS_OK;
	struct ts_lives l = {.variable = &(struct ts_live_variable){0, 0}, .variables = 1};

	c->verdict = ts_alloc(rows->classes + 1, sizeof(*c->verdict));
	if (!c->verdict)
		return ts_err_nomem(err);
	for (size_t i = 0; !code && i < rows->classes; i++) {
		const struct ts_live_class *class = lives_join_class(tiles, rows->class[i]);

		life.used = 0;
		for (uint32_t k = 0; !code && class && k < class->count; k++) {
			const struct ts_live_interval *in = &tiles->interval[class->first + k];
			struct ts_life one = {0, lives_cut_step(tiles->point[in->from]),
				lives_cut_step(tiles->point[in->to])};

			if (tiles->point[in->from] >= 0 && one.start < one.end)
				code = ts_pile_add(&life, &one, sizeof(one), NULL, err);
		}
		l.life = life.memory;
		l.count = life.used / sizeof(*l.life);
		c->scan.l = &l;
		if (!code && l.count > 0)
			c->verdict[i].row = alive_look(&c->scan, 0, l.count);
		c->verdict[i].listed = l.count > 0 && alive_listed(&c->scan, &c->verdict[i].row);
	}
	c->scan.l = NULL;
	ts_pile_fini(&life);
	return code;
}

static void
count_all(struct counting *c)
{
	size_t i = 0, first;
	int64_t bytes;

	while (ts_kind_sums_next(c->sums, &i, &first, &bytes)) {
		struct verdict *v = &c->verdict[c->sums->rows.kind[first].class];
		int slot;

		if (!v->row.alive && !v->row.against)
			continue;
		v->row.bytes = bytes;
		alive_count(&c->scan, &v->row);
		if (!v->listed)
			continue;
		c->scan.a->found++;
		alive_count_listed(&c->scan, &v->row, false);
		slot = ts_top_offer(&c->top, bytes, (int64_t)first);
		if (slot < 0)
			continue;
		c->kind[slot] = first;
		c->bytes[slot] = bytes;
	}
}

static enum ts_code
list_rows(struct counting *c, struct ts_err *err)
{
	struct ts_alive *a = c->scan.a;
	enum ts_code code = TS_OK;

	ts_top_sort(&c->top);
	for (int i = 0; !code && i < c->top.count; i++) {
		int slot = c->top.entry[i].slot;
		const struct ts_row_kind *kind = &c->sums->rows.kind[c->kind[slot]];
		struct ts_alive_row row = c->verdict[kind->class].row;

		row.variable = kind->id;
		row.bytes = c->bytes[slot];
		row.index = UINT32_MAX;
		alive_count_listed(&c->scan, &row, true);
		if (a->born < 0 && row.against == 1 && a->asked.against != TS_UNKNOWN)
			a->born = a->rows;
		code = alive_add(a, &row, err);
	}
	return code;
}

/* All that is listed was counted as left, and the rows apart from that. */
static void
leave_rest(struct ts_alive *a, int steps)
{
	for (int k = 0; k < steps && k < TS_ALIVE_COLUMNS; k++) {
		struct ts_live_total *left = &a->left[k];

		left->count -= a->shown[k].count;
		left->bytes = left->bytes < TS_NUMBER_MAX ? left->bytes - a->shown[k].bytes
							  : TS_UNKNOWN;
	}
	a->left_rows = a->found - a->rows;
}

static enum ts_code
list_alive(struct ts_alive *a, const struct ts_kind_sums *sums, const struct ts_tile_lives *tiles,
	const struct ts_alive_query *q, struct ts_err *err)
{
	static const struct ts_lives none = {.count = 0};
	struct counting c = {.sums = sums};
	struct ts_alive_sums chosen;
	size_t most = (size_t)a->asked.most;
	enum ts_code code;

	alive_begin(&c.scan, a, &none, q);
	c.kind = ts_alloc(most, sizeof(*c.kind));
	c.bytes = ts_alloc(most, sizeof(*c.bytes));
	code = c.kind && c.bytes && ts_top_init(&c.top, (int)most) ? judge(&c, tiles, err)
								   : ts_err_nomem(err);
	if (!code) {
		count_all(&c);
		chosen = a->chosen;
		code = list_rows(&c, err);
		a->chosen = chosen;
		leave_rest(a, c.scan.steps);
		alive_end(a);
	}
	ts_top_fini(&c.top);
	free(c.verdict);
	free(c.kind);
	free(c.bytes);
	return code;
}

enum ts_code
ts_alive_read_set(struct ts_alive **out, struct ts_reader *rd, const struct ts_kind_sums *sums,
	const struct ts_tile_lives *tiles, const struct ts_alive_query *q, struct ts_err *err)
{
	struct ts_alive *a = alive_new(q);
	enum ts_code code;

	*out = NULL;
	if (!a)
		return ts_err_nomem(err);
	a->asked.most = (int)ts_min_i64(a->asked.most, TS_ALIVE_MAX);
	code = alive_name_program(a, rd, q->program, err);
	if (code != TS_E_CANCELLED && code != TS_E_NOMEM) {
		code = list_alive(a, sums, tiles, q, err);
		if (code) {
			ts_alive_close(a);
			return code;
		}
		code = alive_name_rows(a, rd, NULL, err);
	}
	return alive_give(out, a, code, err);
}
