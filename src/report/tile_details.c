/* SPDX-License-Identifier: MIT */
/* tile_details - see the header. */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "tilescope/base/mem.h"
#include "tilescope/report/index.h"
#include "tilescope/report/memory.h"
#include "tilescope/report/rows.h"
#include "tilescope/report/tile_details.h"
#include "tilescope/report/tile_variables.h"

struct details_read {
	struct ts_tile_details *d;
	struct ts_reader *rd;
	const int64_t *tile;
	size_t n;
	struct ts_progress *progress;
	int64_t all; /* bytes of all cells: at most TS_NUMBER_MAX, so that no sum of them overflows */
	bool region[TS_DETAIL_REGIONS]; /* there are cells of it */
};

/* Bytes of a category, as long as the sum of all can be told. */
static bool
add_cell(struct details_read *r, int category, enum ts_detail_region region, bool overlapped,
	int64_t bytes)
{
	if (bytes > TS_NUMBER_MAX - r->all)
		return false;
	r->all += bytes;
	r->d->cell[category][region][overlapped] += bytes;
	r->region[region] |= bytes > 0;
	return true;
}

/* Rows of one tile are reached by its key, those of several are passed over. */
static void
narrow(struct ts_rows_query *q, const struct details_read *r)
{
	if (r->n != 1 || r->tile[0] >= TS_NUMBER_MAX)
		return;
	q->range = TS_RANGE_KEY;
	q->from = r->tile[0];
	q->to = r->tile[0] + 1;
}

typedef enum ts_code row_fn(struct details_read *r, struct ts_rows *rows, struct ts_err *err);

static enum ts_code
each_row(struct details_read *r, enum ts_relation relation, struct ts_rows_query *q, row_fn *each,
	struct ts_err *err)
{
	struct ts_rows *rows;
	enum ts_code code;
	int64_t tile;
	bool there;

	q->past_damage = true;
	narrow(q, r);
	code = ts_reader_rows(&rows, r->rd, relation, q, err);
	if (code)
		return code;
	while (!(code = ts_rows_next(rows, &there, err)) && there) {
		if (ts_rows_number(rows, 0, &tile) != TS_VALUE_OK) {
			r->d->bad_rows++;
			continue;
		}
		if (ts_has_i64(r->tile, r->n, tile) && (code = each(r, rows, err)))
			break;
	}
	ts_rows_close(rows);
	return code;
}

/* --- tile_category ---------------------------------------------------------------------------- */

enum { C_TILE, C_CATEGORY, C_REGION, C_NOT_OVERLAPPED, C_OVERLAPPED, C_COLUMNS };

static enum ts_detail_region
region_of(struct ts_rows *rows)
{
	static const char *const names[] = {"non_interleaved", "interleaved", "overflowed"};
	const char *s;
	size_t n;

	if (ts_rows_text(rows, C_REGION, &s, &n) != TS_VALUE_OK)
		return TS_DETAIL_OTHER;
	for (size_t i = 0; i < TS_COUNT(names); i++)
		if (n == strlen(names[i]) && memcmp(s, names[i], n) == 0)
			return (enum ts_detail_region)i;
	return TS_DETAIL_OTHER;
}

static enum ts_code
category_row(struct details_read *r, struct ts_rows *rows, struct ts_err *err)
{
	struct ts_tile_details *d = r->d;
	int category = ts_category_of(&d->names, rows, C_CATEGORY);
	enum ts_detail_region region = region_of(rows);
	int64_t apart, overlapped;
	enum ts_value is;

	if (d->names.nomem)
		return ts_err_nomem(err);
	if (category < 0) {
		d->cut |= category == TS_CATEGORY_TOO_MANY;
		d->bad_rows += category != TS_CATEGORY_TOO_MANY;
		return TS_OK;
	}
	is = ts_rows_number(rows, C_OVERLAPPED, &overlapped);
	if (ts_rows_number(rows, C_NOT_OVERLAPPED, &apart) != TS_VALUE_OK || is == TS_VALUE_BAD ||
		apart > TS_NUMBER_MAX - r->all || overlapped > TS_NUMBER_MAX - r->all - apart) {
		d->bad_rows++;
		return TS_OK;
	}
	d->has_overlap |= is == TS_VALUE_OK;
	add_cell(r, category, region, false, apart);
	add_cell(r, category, region, true, overlapped);
	return TS_OK;
}

static enum ts_code
read_cells(struct details_read *r, struct ts_err *err)
{
	struct ts_rows_query q = {.columns = {TS_TILE_CATEGORY_TILE, TS_TILE_CATEGORY_CATEGORY,
					  TS_TILE_CATEGORY_REGION, TS_TILE_CATEGORY_NOT_OVERLAPPED,
					  TS_TILE_CATEGORY_OVERLAPPED},
		.column_count = C_COLUMNS};
	enum ts_code code = ts_category_names_read(&r->d->names, r->rd, err), more;

	if (code && code != TS_E_DAMAGED)
		return code;
	more = each_row(r, TS_TILE_CATEGORY, &q, category_row, err);
	ts_names_fini(&r->d->names.read);
	return more ? more : code;
}

/* --- of lowered variables --------------------------------------------------------------------- */

static void
add_sum(struct details_read *r, const char *name, int64_t bytes)
{
	int category = ts_category_named(&r->d->names, name, strlen(name));

	if (category < 0)
		r->d->cut = true;
	else if (bytes < 0 || !add_cell(r, category, TS_DETAIL_OTHER, false, bytes))
		r->d->bad_rows++;
}

/* Those of one tile, at once where its rows are reached; they are summed while they are read. */
static enum ts_code
sum_tile(struct details_read *r, struct ts_err *err)
{
	struct ts_tile_variables v;
	enum ts_code code = ts_tile_variables_list(&v, r->rd, r->tile[0], 0, r->progress, err);

	for (int i = 0; (!code || code == TS_E_DAMAGED) && i < v.categories->count; i++)
		add_sum(r, v.categories->name[i], v.category_bytes[i]);
	r->d->bad_rows += v.bad_rows;
	ts_tile_variables_fini(&v);
	return code;
}

/* Those of all tiles, of the index or by a pass. */
static enum ts_code
sum_tiles(struct details_read *r, struct ts_err *err)
{
	struct ts_categories *c = ts_alloc(1, sizeof(*c));
	enum ts_code code;

	if (!c)
		return ts_err_nomem(err);
	code = ts_categories_read(c, r->rd, r->progress, err);
	for (int k = 0; (!code || code == TS_E_DAMAGED) && k < c->count; k++)
		for (size_t i = 0; i < r->n; i++)
			add_sum(r, c->category[k].name, ts_categories_on_tile(c, k, r->tile[i]));
	r->d->bad_rows += c->bad_rows;
	r->d->cut |= c->cut;
	ts_categories_fini(c);
	free(c);
	return code;
}

static bool
has_variables(const struct ts_report *r)
{
	return ts_report_has(r, TS_LOWERED_VARIABLE) &&
		ts_report_has_column(r, TS_LOWERED_VARIABLE, TS_LOWERED_VARIABLE_CATEGORY);
}

static enum ts_code
read_categories(struct details_read *r, struct ts_err *err)
{
	const struct ts_report *report = r->rd->report;

	if (ts_report_has(report, TS_TILE_CATEGORY)) {
		r->d->has_categories = true;
		return read_cells(r, err);
	}
	if (!has_variables(report))
		return TS_OK;
	r->d->has_categories = r->d->from_variables = true;
	return r->n == 1 && ts_tile_variables_quick(report, r->rd->index, r->tile[0])
		? sum_tile(r, err)
		: sum_tiles(r, err);
}

bool
ts_tile_details_quick(const struct ts_report *r, const struct ts_index *x, const int64_t *tiles,
	size_t n)
{
	size_t size;

	return ts_report_has(r, TS_TILE_CATEGORY) || !has_variables(r) ||
		(n == 1 && ts_tile_variables_quick(r, x, tiles[0])) ||
		ts_index_section(x, TS_SECTION_CATEGORIES, &size);
}

/* --- tile_memory ------------------------------------------------------------------------------ */

enum { M_TILE, M_TOTAL, M_GAPS, M_NON, M_INTER, M_OVER, M_LIVE, M_NOT_LIVE, M_COLUMNS };

static enum ts_code
memory_row(struct details_read *r, struct ts_rows *rows, struct ts_err *err)
{
	struct ts_detail_totals *t = &r->d->totals;
	int64_t *to[M_COLUMNS] = {NULL, &t->total, &t->total_gaps,
		&t->region[TS_DETAIL_NON_INTERLEAVED], &t->region[TS_DETAIL_INTERLEAVED],
		&t->region[TS_DETAIL_OVERFLOWED], &t->always_live, &t->not_always_live};

	(void)err;
	for (int i = M_TOTAL; i < M_COLUMNS; i++) {
		int64_t v;

		if (ts_rows_number(rows, i, &v) != TS_VALUE_OK || *to[i] == TS_UNKNOWN ||
			v > TS_NUMBER_MAX - *to[i])
			*to[i] = TS_UNKNOWN;
		else
			*to[i] += v;
	}
	r->all++; /* here: rows */
	return TS_OK;
}

static enum ts_code
read_totals(struct details_read *r, struct ts_err *err)
{
	struct ts_rows_query q = {.columns = {TS_TILE_MEMORY_TILE, TS_TILE_MEMORY_TOTAL,
					  TS_TILE_MEMORY_TOTAL_GAPS, TS_TILE_MEMORY_NON_INTERLEAVED,
					  TS_TILE_MEMORY_INTERLEAVED, TS_TILE_MEMORY_OVERFLOWED,
					  TS_TILE_MEMORY_ALWAYS_LIVE,
					  TS_TILE_MEMORY_NOT_ALWAYS_LIVE_PEAK},
		.column_count = M_COLUMNS};
	static const struct ts_detail_totals unknown = {TS_UNKNOWN, TS_UNKNOWN, TS_UNKNOWN,
		TS_UNKNOWN, {TS_UNKNOWN, TS_UNKNOWN, TS_UNKNOWN}};
	enum ts_code code = TS_OK;

	r->all = 0;
	if (ts_report_has(r->rd->report, TS_TILE_MEMORY))
		code = each_row(r, TS_TILE_MEMORY, &q, memory_row, err);
	if (r->all != (int64_t)r->n || code)
		r->d->totals = unknown; /* not of all of them, or some of them twice */
	return code;
}

/* --- the tree --------------------------------------------------------------------------------- */

static struct ts_detail_node *
add(struct ts_tile_details *d, int depth, enum ts_detail_kind kind, const char *name, int64_t bytes)
{
	struct ts_detail_node *n = &d->node[d->nodes++];

	*n = (struct ts_detail_node){.depth = depth,
		.kind = kind,
		.region = TS_DETAIL_REGIONS,
		.category = -1,
		.name = name,
		.bytes = bytes};
	return n;
}

/* Everything behind a node up to here is in it. */
static void
close_node(struct ts_tile_details *d, size_t node)
{
	d->node[node].inside = (uint32_t)(d->nodes - node - 1);
}

/* Bytes of a category in a region, or in all (TS_DETAIL_REGIONS); overlapped: 0, 1, or both (2). */
static int64_t
bytes_of(const struct ts_tile_details *d, int category, enum ts_detail_region region,
	int overlapped)
{
	int64_t sum = 0;

	for (int r = 0; r < TS_DETAIL_REGIONS; r++)
		for (int o = 0; o < 2; o++)
			if ((region == TS_DETAIL_REGIONS || (int)region == r) &&
				(overlapped == 2 || overlapped == o))
				sum += d->cell[category][r][o];
	return sum;
}

static int64_t
all_of(const struct ts_tile_details *d, enum ts_detail_region region)
{
	int64_t sum = 0;

	for (int i = 0; i < d->names.count; i++)
		sum += bytes_of(d, i, region, 2);
	return sum;
}

static void
add_category(struct ts_tile_details *d, int depth, int category, enum ts_detail_region region)
{
	int64_t over = bytes_of(d, category, region, 1), all = bytes_of(d, category, region, 2);
	size_t at = d->nodes;
	struct ts_detail_node *n = add(d, depth, TS_DETAIL_CATEGORY, d->names.name[category], all);

	n->category = category;
	n->region = region;
	if (over == 0)
		return;
	n = add(d, depth + 1, TS_DETAIL_NOT_OVERLAPPED, "not overlapped", all - over);
	n->category = category;
	n->region = region;
	n = add(d, depth + 1, TS_DETAIL_OVERLAPPED, "overlapped", over);
	n->category = category;
	n->region = region;
	close_node(d, at);
}

/* What is missing to the whole, or too much of it. */
static void
add_rest(struct ts_tile_details *d, int depth, enum ts_detail_region region, int64_t whole,
	int64_t parts, const char *missing)
{
	if (whole == TS_UNKNOWN || whole == parts)
		return;
	if (whole > parts)
		add(d, depth, TS_DETAIL_NO_CATEGORY, missing, whole - parts)->region = region;
	else
		add(d, depth, TS_DETAIL_TWICE, "counted more than once", whole - parts)->region =
			region;
}

struct ranked {
	int category;
	int64_t bytes;
};

static int
most_first(const void *x, const void *y)
{
	const struct ranked *a = x, *b = y;

	if (a->bytes != b->bytes)
		return a->bytes < b->bytes ? 1 : -1;
	return (a->category > b->category) - (a->category < b->category);
}

/* The categories of a region (or of all) with their rest to `whole`. */
static void
add_categories(struct ts_tile_details *d, int depth, enum ts_detail_region region, int64_t whole)
{
	struct ranked rank[TS_CATEGORIES_MAX];
	int64_t sum = 0;
	int n = 0;

	for (int i = 0; i < d->names.count; i++) {
		int64_t bytes = bytes_of(d, i, region, 2);

		if (bytes > 0)
			rank[n++] = (struct ranked){i, bytes};
		sum += bytes;
	}
	qsort(rank, (size_t)n, sizeof(rank[0]), most_first);
	for (int i = 0; i < n; i++)
		add_category(d, depth, rank[i].category, region);
	if (n > 0)
		add_rest(d, depth, region, whole, sum, "in no category");
}

static void
add_regions(struct ts_tile_details *d, const struct details_read *r)
{
	static const char *const names[TS_DETAIL_REGIONS] = {"non-interleaved", "interleaved",
		"overflowed", "region not recorded"};
	const int64_t *recorded = d->totals.region;
	int64_t sum = 0, whole = d->totals.total;
	size_t root = d->nodes;
	bool some = false;

	add(d, 0, TS_DETAIL_BY_REGION, "by region", 0);
	for (int i = 0; i < TS_DETAIL_REGIONS; i++) {
		bool known = i < TS_DETAIL_OTHER && recorded[i] != TS_UNKNOWN;
		int64_t cells = all_of(d, (enum ts_detail_region)i),
			bytes = known ? recorded[i] : cells;
		size_t at = d->nodes;

		some |= i < TS_DETAIL_OTHER && (known || r->region[i]);
		if ((bytes == 0 && cells == 0) || bytes > TS_NUMBER_MAX - sum)
			continue;
		sum += bytes;
		add(d, 1, TS_DETAIL_REGION, names[i], bytes)->region = (enum ts_detail_region)i;
		add_categories(d, 2, (enum ts_detail_region)i, bytes);
		close_node(d, at);
	}
	add_rest(d, 1, TS_DETAIL_REGIONS, whole, sum, "in no region");
	d->node[root].bytes = whole == TS_UNKNOWN ? sum : whole;
	close_node(d, root);
	if (!some)
		d->nodes = root; /* nothing is said of regions */
}

static bool
is_named(const struct ts_tile_details *d, int category, const char *const names[], size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (strcmp(d->names.name[category], names[i]) == 0)
			return true;
	return false;
}

/* Some of the categories together. */
static void
add_group(struct ts_tile_details *d, enum ts_detail_kind kind, const char *name,
	const char *const names[], size_t n)
{
	size_t root = d->nodes;
	int64_t sum = 0;

	add(d, 0, kind, name, 0);
	for (int i = 0; i < d->names.count; i++) {
		int64_t bytes = bytes_of(d, i, TS_DETAIL_REGIONS, 2);

		if (bytes == 0 || !is_named(d, i, names, n))
			continue;
		add_category(d, 1, i, TS_DETAIL_REGIONS);
		sum += bytes;
	}
	d->node[root].bytes = sum;
	close_node(d, root);
	if (sum == 0)
		d->nodes = root;
}

static void
add_liveness(struct ts_tile_details *d, size_t tiles)
{
	const struct ts_detail_totals *t = &d->totals;
	size_t root = d->nodes;

	if (t->always_live == TS_UNKNOWN || t->not_always_live == TS_UNKNOWN ||
		t->always_live > TS_NUMBER_MAX - t->not_always_live)
		return;
	add(d, 0, TS_DETAIL_BY_LIVENESS,
		tiles == 1 ? "live at the tile's peak" : "live, each tile at its own peak",
		t->always_live + t->not_always_live);
	add(d, 1, TS_DETAIL_ALWAYS_LIVE, "always live", t->always_live);
	add(d, 1, TS_DETAIL_NOT_ALWAYS_LIVE, "not always live", t->not_always_live);
	close_node(d, root);
}

static bool
make_tree(struct details_read *r)
{
	static const char *const vertex[] = {"vertexCode", "vertexInstanceState", "vertexFieldData",
		"copyDescriptor", "vectorListDescriptor"};
	static const char *const profiling[] = {"instrumentationResults"};
	enum { ROOTS = 40, EACH = 4 };
	struct ts_tile_details *d = r->d;
	const struct ts_detail_totals *t = &d->totals;
	bool gaps = t->total != TS_UNKNOWN && t->total_gaps >= t->total;

	d->node = ts_alloc((size_t)d->names.count * EACH * (TS_DETAIL_REGIONS + 2) + ROOTS,
		sizeof(*d->node));
	if (!d->node)
		return false;
	add_categories(d, 0, TS_DETAIL_REGIONS, t->total);
	if (d->nodes == 0 && t->total != TS_UNKNOWN)
		add(d, 0, TS_DETAIL_NO_CATEGORY, "memory without gaps", t->total);
	if (gaps && t->total_gaps > t->total)
		add(d, 0, TS_DETAIL_GAPS, "gaps between variables", t->total_gaps - t->total);
	d->used = gaps			 ? t->total_gaps
		: t->total != TS_UNKNOWN ? t->total
		: d->has_categories	 ? all_of(d, TS_DETAIL_REGIONS)
					 : TS_UNKNOWN;
	add_regions(d, r);
	add_liveness(d, r->n);
	add_group(d, TS_DETAIL_VERTEX_DATA, "vertex data", vertex, TS_COUNT(vertex));
	add_group(d, TS_DETAIL_PROFILING, "cost of profiling", profiling, TS_COUNT(profiling));
	return true;
}

enum ts_code
ts_tile_details_read(struct ts_tile_details *d, struct ts_reader *rd, const int64_t *tiles,
	size_t n, struct ts_progress *progress, struct ts_err *err)
{
	struct details_read r = {.d = d, .rd = rd, .tile = tiles, .n = n, .progress = progress};
	struct ts_err why = {0};
	enum ts_code code, more;

	*d = (struct ts_tile_details){.used = TS_UNKNOWN};
	d->cell = ts_alloc(TS_CATEGORIES_MAX, sizeof(*d->cell));
	if (!d->cell)
		return ts_err_nomem(err);
	if (!ts_report_has(rd->report, TS_TILE_MEMORY) &&
		!ts_report_has(rd->report, TS_TILE_CATEGORY) && !has_variables(rd->report))
		return ts_err_set(err, TS_E_ABSENT, "%s",
			rd->report->binding[TS_TILE_MEMORY].reason);
	code = read_categories(&r, &why);
	if (d->names.nomem)
		code = ts_err_nomem(&why);
	if (code && code != TS_E_DAMAGED) {
		if (err)
			*err = why;
		return code;
	}
	more = read_totals(&r, code ? NULL : &why);
	if (more && more != TS_E_DAMAGED)
		code = more;
	else if (!make_tree(&r))
		return ts_err_nomem(err);
	code = code ? code : more;
	d->partial = code == TS_E_DAMAGED;
	if (code && err)
		*err = why;
	return code;
}

void
ts_tile_details_fini(struct ts_tile_details *d)
{
	ts_category_names_fini(&d->names);
	free(d->cell);
	free(d->node);
	*d = (struct ts_tile_details){0};
}
