/* SPDX-License-Identifier: MIT */
/*
 * variables - see the header.
 *
 * Opening and counting; windows of rows are read in variable_rows.c.
 */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>

#include "tilescope/base/mem.h"
#include "tilescope/report/index_variables.h"
#include "tilescope/report/target.h"
#include "tilescope/report/variables.h"

#include "variable_internal.h"

enum {
	PROGRESS_ROWS = 8192,
	LEAST_ROW = 4, /* bytes that a row takes at least in a file */
};

/* --- opening ---------------------------------------------------------------------------------- */

static void
set_free(struct ts_variables *v)
{
	ts_pile_fini(&v->anchor);
	ts_variable_facts_release(v->facts);
	ts_names_fini(&v->categories);
	ts_tile_ipus_fini(&v->ipus);
	variable_orders_free(v->orders);
	free(v);
}

struct ts_variables *
ts_variables_hold(struct ts_variables *v)
{
	atomic_fetch_add(&v->uses, 1);
	return v;
}

void
ts_variables_release(struct ts_variables *v)
{
	if (v && atomic_fetch_sub(&v->uses, 1) == 1)
		set_free(v);
}

/* Names and target are good to have; only what concerns every reading ends the opening. */
static bool
is_grave(enum ts_code code)
{
	return code == TS_E_CANCELLED || code == TS_E_NOMEM || code == TS_E_SYS;
}

static enum ts_code
read_target(struct ts_variables *v, struct ts_reader *rd, struct ts_err *err)
{
	struct ts_target t;
	enum ts_code code = ts_target_of(&t, rd, err);

	if (is_grave(code))
		return code;
	code = ts_tile_ipus_read(&v->ipus, rd, err);
	v->has_ipus = v->ipus.rows > 0 || v->ipus.ranges > 0 || v->ipus.tiles_per_ipu > 0;
	v->bytes_per_tile = t.bytes_per_tile > 0 ? t.bytes_per_tile : TS_UNKNOWN;
	v->tiles = t.tiles_per_ipu > 0 && t.ipus > 0 && t.ipus <= TS_TILES_MAX / t.tiles_per_ipu
		? t.tiles_per_ipu * t.ipus
		: TS_UNKNOWN;
	return code;
}

/* With more row ids than rows can be in the file there are gaps, and with an end damaged more rows: that much is sure. */
static bool
is_believable(const struct ts_reach *r, const struct ts_reader *rd, int source)
{
	return !r->cut && ts_reach_span(r) <= ts_db_bytes(rd->db[source]) / LEAST_ROW;
}

/* What the index knows: sums, and where rows have no gaps, that they have none. */
static void
use_index(struct ts_variables *v, const struct ts_reader *rd)
{
	struct ts_index_variables x;

	v->bytes = v->unsized = TS_UNKNOWN;
	if (!v->lowered || !ts_index_variables(&x, rd->index))
		return;
	v->bytes = x.bytes;
	v->unsized = x.bad_sizes;
	if (v->range == TS_RANGE_ALL)
		v->rows = x.rows;
	else if (!x.has_row_ids || x.rows != v->rows)
		v->rows = TS_UNKNOWN; /* there are gaps */
}

/* What a column of lowered_variable is called in `variable`. */
static const struct {
	int lowered, unlowered;
} same_columns[] = {
	{TS_LOWERED_VARIABLE_ID, TS_VARIABLE_VARIABLE},
	{TS_LOWERED_VARIABLE_VARIABLE, TS_VARIABLE_VARIABLE},
	{TS_LOWERED_VARIABLE_NAME, TS_VARIABLE_NAME},
	{TS_LOWERED_VARIABLE_BYTES, TS_VARIABLE_BYTES},
	{TS_LOWERED_VARIABLE_ALWAYS_LIVE, TS_VARIABLE_ALWAYS_LIVE},
	{TS_LOWERED_VARIABLE_ELEMENT_TYPE, TS_VARIABLE_ELEMENT_TYPE},
	{TS_LOWERED_VARIABLE_CONTEXT, TS_VARIABLE_CONTEXT},
};

int
ts_variables_column(const struct ts_variables *v, int column)
{
	if (v->lowered)
		return column;
	for (size_t i = 0; i < TS_COUNT(same_columns); i++)
		if (same_columns[i].lowered == column)
			return same_columns[i].unlowered;
	return -1;
}

static enum ts_code
open_relation(struct ts_variables **out, struct ts_reader *rd, enum ts_relation relation,
	const struct ts_cache *cache, struct ts_err *err)
{
	const struct ts_binding *b = &rd->report->binding[relation];
	struct ts_variables *v;
	enum ts_code code;

	*out = NULL;
	if (!b->bound)
		return ts_err_set(err, TS_E_ABSENT, "%s", b->reason);
	v = ts_alloc(1, sizeof(*v));
	if (!v)
		return ts_err_nomem(err);
	atomic_init(&v->uses, 1);
	v->cache = cache;
	v->relation = relation;
	v->lowered = relation == TS_LOWERED_VARIABLE;
	v->facts = ts_variable_facts_new(cache);
	v->orders = variable_orders_new();
	if (!v->facts || !v->orders) {
		set_free(v);
		return ts_err_nomem(err);
	}
	v->range = b->reach.has_rowid ? TS_RANGE_ROWID : TS_RANGE_ALL;
	v->first = b->reach.first_rowid;
	v->rows = TS_UNKNOWN;
	if (b->reach.has_rowid && is_believable(&b->reach, rd, b->source))
		v->rows = ts_reach_span(&b->reach);
	use_index(v, rd);
	for (int i = 0; i < ts_relation_def(TS_LOWERED_VARIABLE)->column_count; i++) {
		int column = ts_variables_column(v, i);

		v->has[i] = column >= 0 && ts_binding_has(b, column);
	}
	v->has_spread = ts_variable_spread_can(rd->report) && v->has[TS_LOWERED_VARIABLE_VARIABLE];
	v->has_lives = ts_variable_lives_can(rd->report) &&
		(v->has[TS_LOWERED_VARIABLE_CLASS] || v->has[TS_LOWERED_VARIABLE_VARIABLE]);
	code = ts_names_read(&v->categories, rd, TS_MEMORY_CATEGORY, TS_MEMORY_CATEGORY_CATEGORY,
		TS_MEMORY_CATEGORY_NAME, err);
	if (!is_grave(code))
		code = read_target(v, rd, err);
	if (code) {
		set_free(v);
		return code;
	}
	*out = v;
	return TS_OK;
}

enum ts_code
ts_variables_open(struct ts_variables **out, struct ts_reader *rd, const struct ts_cache *cache,
	struct ts_err *err)
{
	return open_relation(out, rd, TS_LOWERED_VARIABLE, cache, err);
}

enum ts_code
ts_variables_open_unlowered(struct ts_variables **out, struct ts_reader *rd,
	const struct ts_cache *cache, struct ts_err *err)
{
	return open_relation(out, rd, TS_VARIABLE, cache, err);
}

bool
ts_variables_placed(const struct ts_variables *v)
{
	return v->rows != TS_UNKNOWN;
}

int64_t
ts_variables_ipu(const struct ts_variables *v, int64_t tile)
{
	return ts_tile_ipus_find(&v->ipus, tile);
}

const char *
ts_variables_category(const struct ts_variables *v, int64_t category, char buf[40], size_t *n)
{
	const char *s = ts_names_find(&v->categories, category, n);

	if (s)
		return s;
	*n = (size_t)snprintf(buf, 40, "category %lld", (long long)category);
	return buf;
}

/* --- counting --------------------------------------------------------------------------------- */

/* A copy that can be counted into. */
static struct ts_variables *
copy(const struct ts_variables *v)
{
	struct ts_variables *c = ts_alloc(1, sizeof(*c));

	if (!c)
		return NULL;
	*c = *v;
	atomic_init(&c->uses, 1);
	c->anchor = (struct ts_pile){0};
	c->orders = variable_orders_new();
	ts_variable_facts_hold(c->facts);
	c->categories = (struct ts_names){0};
	if (ts_tile_ipus_copy(&c->ipus, &v->ipus) && ts_names_share(&c->categories, &v->categories))
		return c;
	set_free(c);
	return NULL;
}

/* Is row `i` not where a row without gaps before it would be? Then anchors have to be made up for. */
static enum ts_code
note_row(struct ts_variables *v, struct ts_rows *rows, int64_t i, bool *gaps, struct ts_err *err)
{
	int64_t rowid = 0;
	enum ts_code code = TS_OK;

	if (v->range != TS_RANGE_ROWID || !ts_rows_rowid(rows, &rowid))
		return TS_OK;
	if (!*gaps && rowid != v->first + i) {
		*gaps = true;
		for (int64_t k = 0; !code && k * TS_VARIABLES_ANCHOR < i; k++) {
			int64_t before = v->first + k * TS_VARIABLES_ANCHOR;

			code = ts_pile_add(&v->anchor, &before, sizeof(before), v->cache, err);
		}
	}
	if (!code && *gaps && i % TS_VARIABLES_ANCHOR == 0)
		code = ts_pile_add(&v->anchor, &rowid, sizeof(rowid), v->cache, err);
	return code;
}

enum ts_code
ts_variables_count(struct ts_variables **out, const struct ts_variables *v, struct ts_reader *rd,
	struct ts_progress *progress, struct ts_err *err)
{
	const struct ts_rows_query q = {.past_damage = true};
	struct ts_variables *c = copy(v);
	int64_t span = ts_reach_span(&rd->report->binding[v->relation].reach), i = 0;
	struct ts_rows *rows;
	enum ts_code code;
	bool there, gaps = false;

	*out = NULL;
	if (!c)
		return ts_err_nomem(err);
	code = ts_reader_rows(&rows, rd, v->relation, &q, err);
	if (code) {
		set_free(c);
		return code;
	}
	for (; !(code = ts_rows_next(rows, &there, err)) && there; i++) {
		code = note_row(c, rows, i, &gaps, err);
		if (code)
			break;
		if (i % PROGRESS_ROWS == 0)
			ts_progress_set(progress, i, v->rows == TS_UNKNOWN ? 0 : span);
	}
	ts_rows_close(rows);
	c->partial = code == TS_E_DAMAGED;
	if (code && !c->partial) {
		set_free(c);
		return code;
	}
	c->rows = i;
	c->counted = true;
	*out = c;
	return TS_OK;
}
