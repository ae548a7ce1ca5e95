/* SPDX-License-Identifier: MIT */
/*
 * breakdown - see the header.
 *
 * Sums are those of the categories (categories.h): a part is a category with a name of its own. What is shown
 * while a pass goes on is a copy of them.
 */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tilescope/base/mem.h"
#include "tilescope/base/pattern.h"
#include "tilescope/base/vertex_name.h"
#include "tilescope/report/breakdown.h"
#include "tilescope/report/categories.h"
#include "tilescope/report/index_categories.h"
#include "tilescope/report/name_pass.h"
#include "tilescope/report/tile_live.h"

enum { LARGE = 4 << 20 /* bytes */ };
enum { LAYER_NAME = 64, FAMILY = 256, LAYERS = TS_CATEGORIES_MAX - 2 };

struct ts_breakdown {
	struct ts_breakdown_query q;
	const struct ts_cache *cache;
	struct ts_category_sums *sums;
	struct ts_name_pass *pass;
	struct ts_pattern *pattern;
	struct ts_matcher *matcher;
	const struct ts_report *report;
	struct ts_index *kept; /* held: has all of it; or NULL */
	bool made;	       /* without a pass: it is all there */
	bool sound;	       /* all rows could be read */

	/*
	 * Of our own expression, which looks no further than to the first byte behind a match: what ends within
	 * the bytes that two names share is in both.
	 */
	bool own_pattern;
	size_t needed; /* bytes of the name before that say so; 0: it has no layer */
	int group;     /* its group */
};

typedef enum ts_code breakdown_fn(struct ts_breakdown *b, struct ts_reader *rd,
	struct ts_progress *progress, struct ts_err *err);

static bool
has(const struct ts_report *r, enum ts_relation relation, int column)
{
	return ts_report_has(r, relation) && ts_report_has_column(r, relation, column);
}

/* Add to a part by its name. False: no memory. */
static bool
add(struct ts_breakdown *b, int64_t tile, const char *part, size_t n, int64_t bytes)
{
	return ts_category_sums_add(b->sums, tile, ts_category_named(&b->sums->names, part, n),
		bytes);
}

/* --- columns of tile_memory ------------------------------------------------------------------- */

struct column_part {
	int column;
	const char *name;
};

static const struct column_part regions[] = {
	{TS_TILE_MEMORY_NON_INTERLEAVED, "non-interleaved"},
	{TS_TILE_MEMORY_INTERLEAVED, "interleaved"},
	{TS_TILE_MEMORY_OVERFLOWED, "overflowed"},
};

static const struct column_part lives[] = {
	{TS_TILE_MEMORY_ALWAYS_LIVE, TS_ALWAYS_LIVE},
	{TS_TILE_MEMORY_NOT_ALWAYS_LIVE_PEAK, TS_NOT_ALWAYS_LIVE},
};

static enum ts_code
take_columns(struct ts_breakdown *b, struct ts_rows *rows, const struct column_part *part, int n,
	struct ts_err *err)
{
	int64_t tile, bytes;
	enum ts_code code;
	bool there;

	while (!(code = ts_rows_next(rows, &there, err)) && there) {
		bool known = ts_rows_number(rows, 0, &tile) == TS_VALUE_OK;

		for (int i = 0; i < n && known; i++)
			if (ts_rows_number(rows, i + 1, &bytes) == TS_VALUE_OK &&
				!add(b, tile, part[i].name, strlen(part[i].name), bytes))
				return ts_err_nomem(err);
	}
	return code;
}

static enum ts_code
read_columns(struct ts_breakdown *b, struct ts_reader *rd, const struct column_part *part, int n,
	struct ts_err *err)
{
	struct ts_rows_query q = {.columns = {TS_TILE_MEMORY_TILE},
		.column_count = n + 1,
		.past_damage = true};
	struct ts_rows *rows;
	enum ts_code code;

	for (int i = 0; i < n; i++)
		q.columns[i + 1] = part[i].column;
	code = ts_reader_rows(&rows, rd, TS_TILE_MEMORY, &q, err);
	if (code)
		return code;
	code = take_columns(b, rows, part, n, err);
	ts_rows_close(rows);
	return code;
}

/* --- region ----------------------------------------------------------------------------------- */

static enum ts_code
take_regions(struct ts_breakdown *b, struct ts_rows *rows, struct ts_err *err)
{
	int64_t tile, bytes, more;
	enum ts_code code;
	const char *s;
	bool there;
	size_t n;

	while (!(code = ts_rows_next(rows, &there, err)) && there) {
		if (ts_rows_number(rows, 0, &tile) != TS_VALUE_OK ||
			ts_rows_number(rows, 2, &bytes) != TS_VALUE_OK ||
			ts_rows_number(rows, 3, &more) == TS_VALUE_BAD ||
			!ts_add_i64(&bytes, more) || ts_rows_text(rows, 1, &s, &n) != TS_VALUE_OK)
			continue;
		if (!add(b, tile, s, n, bytes))
			return ts_err_nomem(err);
	}
	return code;
}

static enum ts_code
read_regions(struct ts_breakdown *b, struct ts_reader *rd, struct ts_progress *progress,
	struct ts_err *err)
{
	static const struct ts_rows_query q = {.columns = {TS_TILE_CATEGORY_TILE,
						       TS_TILE_CATEGORY_REGION,
						       TS_TILE_CATEGORY_NOT_OVERLAPPED,
						       TS_TILE_CATEGORY_OVERLAPPED},
		.column_count = 4,
		.past_damage = true};
	struct ts_rows *rows;
	enum ts_code code;

	(void)progress;
	if (has(rd->report, TS_TILE_MEMORY, TS_TILE_MEMORY_NON_INTERLEAVED))
		return read_columns(b, rd, regions, (int)TS_COUNT(regions), err);
	code = ts_reader_rows(&rows, rd, TS_TILE_CATEGORY, &q, err);
	if (code)
		return code;
	code = take_regions(b, rows, err);
	ts_rows_close(rows);
	return code;
}

/* --- liveness --------------------------------------------------------------------------------- */

static bool
has_lives(const struct ts_report *r)
{
	return has(r, TS_TILE_MEMORY, TS_TILE_MEMORY_ALWAYS_LIVE) &&
		has(r, TS_TILE_MEMORY, TS_TILE_MEMORY_NOT_ALWAYS_LIVE_PEAK);
}

static enum ts_code
read_lives(struct ts_breakdown *b, struct ts_reader *rd, struct ts_progress *progress,
	struct ts_err *err)
{
	struct ts_tile_lives *l = NULL;
	enum ts_code code;
	bool room = true;

	if (has_lives(rd->report))
		return read_columns(b, rd, lives, (int)TS_COUNT(lives), err);
	code = ts_tile_lives_read(&l, rd, progress, err);
	for (size_t i = 0; l && i < l->tiles && room; i++) {
		const struct ts_tile_live *t = &l->tile[i];

		room = add(b, t->tile, lives[0].name, strlen(lives[0].name), t->base) &&
			add(b, t->tile, lives[1].name, strlen(lives[1].name), t->peak);
	}
	ts_tile_lives_close(l);
	return room ? code : ts_err_nomem(err);
}

/* --- vertex families -------------------------------------------------------------------------- */

static enum ts_code
take_vertices(struct ts_breakdown *b, struct ts_rows *rows, const struct ts_names *types,
	struct ts_err *err)
{
	char family[FAMILY];
	int64_t tile, type, bytes;
	enum ts_code code;
	bool there;

	while (!(code = ts_rows_next(rows, &there, err)) && there) {
		const char *name;
		size_t n;

		if (ts_rows_number(rows, 0, &tile) != TS_VALUE_OK ||
			ts_rows_number(rows, 1, &type) != TS_VALUE_OK ||
			ts_rows_number(rows, 2, &bytes) != TS_VALUE_OK)
			continue;
		name = ts_names_find(types, type, &n);
		n = name ? ts_vertex_family(family, sizeof(family), name, n)
			 : (size_t)snprintf(family, sizeof(family), "unnamed vertices");
		if (!add(b, tile, family, n, bytes))
			return ts_err_nomem(err);
	}
	return code;
}

static enum ts_code
read_families(struct ts_breakdown *b, struct ts_reader *rd, struct ts_progress *progress,
	struct ts_err *err)
{
	static const struct ts_rows_query q = {.columns = {TS_TILE_VERTEX_TILE,
						       TS_TILE_VERTEX_VERTEX_TYPE,
						       TS_TILE_VERTEX_CODE_BYTES},
		.column_count = 3,
		.past_damage = true};
	struct ts_names types = {0};
	struct ts_rows *rows;
	struct ts_err why;
	enum ts_code damage = ts_names_read(&types, rd, TS_VERTEX_TYPE, TS_VERTEX_TYPE_VERTEX_TYPE,
			     TS_VERTEX_TYPE_NAME, err),
		     code = damage;

	(void)progress;
	if (!code || code == TS_E_DAMAGED) {
		code = ts_reader_rows(&rows, rd, TS_TILE_VERTEX, &q, &why);
		if (!code) {
			code = take_vertices(b, rows, &types, &why);
			ts_rows_close(rows);
		}
		if (code && err)
			*err = why;
	}
	ts_names_fini(&types);
	return code || damage != TS_E_DAMAGED ? code : damage;
}

/* --- names ------------------------------------------------------------------------------------ */

static bool
is_number(const char *s, size_t n)
{
	while (n > 0 && s[n - 1] >= '0' && s[n - 1] <= '9')
		n--;
	return n == 0;
}

/* "layer 12" of what the pattern found. */
static int
group_of_layer(struct ts_category_names *names, const char *text, size_t n)
{
	char layer[LAYER_NAME];

	n = n < LAYER_NAME / 2 ? n : LAYER_NAME / 2;
	n = (size_t)snprintf(layer, sizeof(layer), "%s%.*s", is_number(text, n) ? "layer " : "",
		(int)n, text);
	if (names->count >= LAYERS)
		for (int i = 0; i < names->count; i++)
			if (strcmp(names->name[i], layer) == 0)
				return i;
	return names->count < LAYERS
		? ts_category_named(names, layer, n)
		: ts_category_named(names, TS_FURTHER_LAYERS, strlen(TS_FURTHER_LAYERS));
}

static int
layer_of(void *ctx, const char *name, size_t n, size_t same)
{
	struct ts_breakdown *b = ctx;
	const char *text = "";
	size_t from = 0, to = 0;

	if (b->own_pattern && b->needed > 0 && b->needed <= same)
		return b->group;
	b->needed = 0;
	if (ts_pattern_matches_next(b->matcher, name, n, same) == TS_MATCH_YES &&
		!ts_matcher_group(b->matcher, 1, &text, &from, &to))
		(void)ts_matcher_group(b->matcher, 0, &text, &from, &to);
	if (to <= from)
		return ts_category_named(&b->sums->names, TS_NO_LAYER, strlen(TS_NO_LAYER));
	b->group = group_of_layer(&b->sums->names, text + from, to - from);
	b->needed = to + 1;
	return b->group;
}

static int
name_of(void *ctx, const char *name, size_t n, size_t same)
{
	struct ts_breakdown *b = ctx;

	(void)same;
	for (int i = 0; i < b->q.count; i++) {
		size_t m = strlen(b->q.name[i]);

		if (m > 0 && (n == m || (n > m && m == TS_BREAKDOWN_NAME - 1)) &&
			memcmp(b->q.name[i], name, m) == 0)
			return ts_category_named(&b->sums->names, b->q.name[i], m);
	}
	return TS_NAME_GROUP_NONE;
}

static bool
take_row(void *ctx, int64_t tile, int64_t bytes, int group)
{
	struct ts_breakdown *b = ctx;

	if (group == TS_NAME_GROUP_NONE && b->q.by == TS_BREAKDOWN_NAMES)
		return true;
	if (group == TS_NAME_GROUP_NONE) /* it has no name */
		group = ts_category_named(&b->sums->names, TS_NO_LAYER, strlen(TS_NO_LAYER));
	return ts_category_sums_add(b->sums, tile, group, bytes);
}

/* Some rows of a tile at once. */
static bool
take_rows(void *ctx, int64_t tile, int64_t bytes, int group, int64_t rows)
{
	struct ts_breakdown *b = ctx;
	int64_t before = b->sums->rows, bad = b->sums->bad_rows;
	bool room = take_row(ctx, tile, bytes, group);

	b->sums->rows += (b->sums->rows - before) * (rows - 1);
	b->sums->bad_rows += (b->sums->bad_rows - bad) * (rows - 1);
	return room;
}

/* --- which of them ---------------------------------------------------------------------------- */

static const struct {
	breakdown_fn *read; /* NULL: a pass over names */
	int (*group)(void *ctx, const char *name, size_t n, size_t same);
} kinds[TS_BREAKDOWN_COUNT] = {
	[TS_BREAKDOWN_REGION] = {read_regions, NULL},
	[TS_BREAKDOWN_LIVENESS] = {read_lives, NULL},
	[TS_BREAKDOWN_LAYER] = {NULL, layer_of},
	[TS_BREAKDOWN_FAMILY] = {read_families, NULL},
	[TS_BREAKDOWN_NAMES] = {NULL, name_of},
};

static enum ts_code
lacks(const struct ts_report *r, enum ts_relation relation, struct ts_err *err)
{
	const struct ts_binding *b = &r->binding[relation];

	return ts_err_set(err, TS_E_ABSENT, "%s is not recorded%s%s",
		ts_relation_def(relation)->name, b->bound ? "" : ": ", b->bound ? "" : b->reason);
}

enum ts_code
ts_breakdown_can(const struct ts_report *r, enum ts_breakdown_by by, struct ts_err *err)
{
	switch (by) {
	case TS_BREAKDOWN_REGION:
		if (has(r, TS_TILE_MEMORY, TS_TILE_MEMORY_NON_INTERLEAVED) ||
			has(r, TS_TILE_CATEGORY, TS_TILE_CATEGORY_REGION))
			return TS_OK;
		return ts_err_set(err, TS_E_ABSENT, "regions of memory are not recorded");
	case TS_BREAKDOWN_LIVENESS:
		if (has_lives(r) || ts_tile_lives_can(r))
			return TS_OK;
		return ts_err_set(err, TS_E_ABSENT,
			"what is always live on a tile is not recorded, and cannot be worked out");
	case TS_BREAKDOWN_FAMILY:
		return ts_report_has(r, TS_TILE_VERTEX) ? TS_OK : lacks(r, TS_TILE_VERTEX, err);
	default:
		if (!ts_report_has(r, TS_LOWERED_VARIABLE))
			return lacks(r, TS_LOWERED_VARIABLE, err);
		if (!has(r, TS_LOWERED_VARIABLE, TS_LOWERED_VARIABLE_NAME))
			return ts_err_set(err, TS_E_ABSENT,
				"names of the tiles' variables are not recorded");
		return TS_OK;
	}
}

static enum ts_code
open_pattern(struct ts_breakdown *b, struct ts_err *err)
{
	const char *text = b->q.pattern && *b->q.pattern ? b->q.pattern : TS_LAYER_PATTERN;
	enum ts_code code = ts_pattern_compile(&b->pattern, text, TS_PATTERN_NOCASE, NULL, err);

	b->own_pattern = strcmp(text, TS_LAYER_PATTERN) == 0;
	b->q.pattern = NULL; /* the caller's */
	return code ? code : ts_matcher_new(&b->matcher, b->pattern, err);
}

enum ts_code
ts_breakdown_new(struct ts_breakdown **out, const struct ts_report *r,
	const struct ts_breakdown_query *q, const struct ts_cache *cache, struct ts_err *err)
{
	enum ts_code code = ts_breakdown_can(r, q->by, err);
	struct ts_breakdown *b;

	*out = NULL;
	if (code)
		return code;
	b = ts_alloc(1, sizeof(*b));
	if (b)
		b->sums = ts_alloc(1, sizeof(*b->sums));
	if (!b || !b->sums) {
		free(b);
		return ts_err_nomem(err);
	}
	b->q = *q;
	b->report = r;
	b->cache = cache;
	if (q->by == TS_BREAKDOWN_LAYER)
		code = open_pattern(b, err);
	if (!code && kinds[q->by].group)
		code = ts_name_pass_new(&b->pass, r, cache, err);
	if (code)
		ts_breakdown_free(b);
	else
		*out = b;
	return code;
}

void
ts_breakdown_free(struct ts_breakdown *b)
{
	if (!b)
		return;
	ts_index_release(b->kept);
	ts_name_pass_free(b->pass);
	ts_matcher_free(b->matcher);
	ts_pattern_free(b->pattern);
	ts_category_sums_fini(b->sums);
	free(b->sums);
	free(b);
}

/* What an earlier start has added up. */
static bool
is_kept(struct ts_breakdown *b, struct ts_reader *rd)
{
	struct ts_categories c = {0};

	if (!b->own_pattern || !b->q.keep || !ts_categories_of(&c, rd->index, TS_SECTION_LAYERS))
		return false;
	ts_categories_fini(&c);
	b->kept = ts_index_hold(rd->index);
	return true;
}

enum ts_code
ts_breakdown_read(struct ts_breakdown *b, bool *end, struct ts_reader *rd, int64_t rows,
	struct ts_progress *progress, struct ts_err *err)
{
	const struct ts_name_asker asker = {.group = kinds[b->q.by].group,
		.row = take_row,
		.rows = take_rows,
		.named_alone = b->q.by == TS_BREAKDOWN_NAMES,
		.ctx = b};
	enum ts_code code;

	*end = true;
	b->made |= is_kept(b, rd);
	if (b->made)
		return TS_OK;
	if (b->pass)
		code = ts_name_pass_read(b->pass, end, rd, &asker, rows, progress, err);
	else
		code = kinds[b->q.by].read(b, rd, progress, err);
	b->made = *end;
	if (!code && b->matcher && ts_matcher_costly(b->matcher))
		code = ts_pattern_costly_err(b->pattern, err);
	b->sound = !code;
	return code;
}

static enum ts_code
finish(struct ts_categories *out, struct ts_breakdown *b, struct ts_err *err)
{
	bool keep = b->q.keep && b->own_pattern && b->sound && !b->sums->cut && !b->sums->overflow;
	enum ts_code code;

	if (b->kept && ts_categories_of(out, b->kept, TS_SECTION_LAYERS))
		return TS_OK;
	code = ts_category_sums_finish(out, b->sums, err);
	if (!code && keep)
		ts_categories_put(out, b->cache, b->report, TS_SECTION_LAYERS);
	return code;
}

enum ts_code
ts_breakdown_look(struct ts_categories *out, struct ts_breakdown *b, struct ts_err *err)
{
	struct ts_category_sums *copy;
	enum ts_code code;

	memset(out, 0, sizeof(*out));
	if (b->made)
		return finish(out, b, err);
	copy = ts_alloc(1, sizeof(*copy));
	if (!copy)
		return ts_err_nomem(err);
	if (ts_category_sums_merge(copy, b->sums))
		code = ts_category_sums_finish(out, copy, err);
	else
		code = ts_err_nomem(err);
	ts_category_sums_fini(copy);
	free(copy);
	return code;
}

bool
ts_breakdown_is_large(const struct ts_breakdown *b)
{
	return b->sums->used > LARGE;
}

int64_t
ts_breakdown_rows(const struct ts_breakdown *b, int64_t *of)
{
	*of = 0;
	return b->pass ? ts_name_pass_rows(b->pass, of) : 0;
}
