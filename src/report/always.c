/* SPDX-License-Identifier: MIT */
/*
 * always - see the header. Names are a dictionary, bytes and tiles of each stand in a pile beside it. What is always live
 * on the device stands in the index in its order (index_names.h): then no row is read.
 */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "tilescope/base/mem.h"
#include "tilescope/report/always.h"
#include "tilescope/report/dictionary.h"
#include "tilescope/report/index_labels.h"
#include "tilescope/report/index_names.h"
#include "tilescope/report/rows.h"
#include "tilescope/report/tile_ipus.h"

enum {
	PROGRESS_ROWS = 8192,
	TEXT = 8 << 20,
	FIRST = 1000 /* rows, listed with a name or without */
};

struct sum {
	int64_t variable, bytes, tiles, last_tile;
	uint32_t name; /* in the dictionary; UINT32_MAX = none */
};

struct always_work {
	struct ts_always *out;
	struct ts_reader *rd;
	const struct ts_live_source *source;
	const struct ts_tile_lives *tiles;
	struct ts_tile_ipus ipus;      /* only of an IPU whose tiles nobody knows */
	struct ts_variable_names kept; /* `always` NULL: rows are read */
	struct ts_dictionary names;
	struct ts_pile sum;
	size_t sums;
	int64_t last_tile; /* of the row before */
	bool mixed;	   /* rows do not stand by tile: tiles of a name cannot be counted */
	struct ts_progress *progress;
};

static void
add_bytes(int64_t *to, int64_t bytes)
{
	*to = bytes > TS_NUMBER_MAX - *to ? TS_NUMBER_MAX : *to + bytes;
}

static struct sum *
sum_at(const struct always_work *w, size_t i)
{
	return (struct sum *)w->sum.memory + i;
}

static enum ts_code
new_sum(struct always_work *w, int64_t variable, uint32_t name, struct ts_err *err)
{
	struct sum s = {.variable = variable, .last_tile = -1, .name = name};
	enum ts_code code = ts_pile_add(&w->sum, &s, sizeof(s), NULL, err);

	w->sums += !code;
	return code;
}

static bool
is_member(const struct always_work *w, int64_t tile)
{
	if (w->source->where == TS_LIVE_IPU && !w->tiles)
		return ts_tile_ipus_find(&w->ipus, tile) == w->source->number;
	return ts_live_source_has(w->source, w->tiles, tile);
}

/* A row of tile_always_live. */
static enum ts_code
add_tile_row(struct always_work *w, struct ts_rows *rows, struct ts_err *err)
{
	int64_t tile, bytes;
	const char *s;
	size_t n;
	uint32_t name;
	struct sum *sum;
	enum ts_code code;

	if (ts_rows_number(rows, 0, &tile) != TS_VALUE_OK ||
		ts_rows_number(rows, 1, &bytes) != TS_VALUE_OK) {
		w->out->bad_rows++;
		return TS_OK;
	}
	if (!is_member(w, tile))
		return TS_OK;
	w->mixed |= tile < w->last_tile;
	w->last_tile = tile;
	if (ts_rows_text(rows, 2, &s, &n) != TS_VALUE_OK) {
		s = "";
		n = 0;
	}
	code = ts_dictionary_text(&w->names, &name, s, n, err);
	if (!code && name >= w->sums)
		code = new_sum(w, -1, name, err);
	if (code)
		return code;
	sum = sum_at(w, name);
	add_bytes(&sum->bytes, bytes);
	sum->tiles += sum->last_tile != tile;
	sum->last_tile = tile;
	return TS_OK;
}

/* A row of `variable`. */
static enum ts_code
add_variable_row(struct always_work *w, struct ts_rows *rows, struct ts_err *err)
{
	int64_t variable, bytes, always;
	const char *s;
	size_t n;
	uint32_t name = UINT32_MAX;
	enum ts_code code = TS_OK;

	if (ts_rows_number(rows, 3, &always) != TS_VALUE_OK || always == 0)
		return TS_OK;
	if (ts_rows_number(rows, 0, &variable) != TS_VALUE_OK ||
		ts_rows_number(rows, 1, &bytes) != TS_VALUE_OK) {
		w->out->bad_rows++;
		return TS_OK;
	}
	if (ts_rows_text(rows, 2, &s, &n) == TS_VALUE_OK)
		code = ts_dictionary_text(&w->names, &name, s, strnlen(s, n), err);
	if (!code)
		code = new_sum(w, variable, name, err);
	if (code)
		return code;
	add_bytes(&sum_at(w, w->sums - 1)->bytes, bytes);
	sum_at(w, w->sums - 1)->tiles = -1;
	return TS_OK;
}

static enum ts_code
read_rows(struct always_work *w, struct ts_err *err)
{
	struct ts_rows_query q = {.columns = {TS_TILE_ALWAYS_LIVE_TILE, TS_TILE_ALWAYS_LIVE_BYTES,
					  TS_TILE_ALWAYS_LIVE_NAME},
		.column_count = 3,
		.past_damage = true};
	enum ts_relation relation = w->out->by_tile ? TS_TILE_ALWAYS_LIVE : TS_VARIABLE;
	struct ts_rows *rows;
	enum ts_code code;
	int64_t seen = 0;
	bool there;

	if (!w->out->by_tile)
		q = (struct ts_rows_query){.columns = {TS_VARIABLE_VARIABLE, TS_VARIABLE_BYTES,
						   TS_VARIABLE_NAME, TS_VARIABLE_ALWAYS_LIVE},
			.column_count = 4,
			.past_damage = true};
	else if (w->source->where == TS_LIVE_TILE && w->source->number < TS_NUMBER_MAX) {
		q.range = TS_RANGE_KEY;
		q.from = w->source->number;
		q.to = q.from + 1;
	}
	code = ts_reader_rows(&rows, w->rd, relation, &q, err);
	if (code)
		return code;
	while (!(code = ts_rows_next(rows, &there, err)) && there) {
		if (++seen % PROGRESS_ROWS == 0)
			ts_progress_set(w->progress, seen,
				ts_reach_span(&w->rd->report->binding[relation].reach));
		code = (w->out->by_tile ? add_tile_row : add_variable_row)(w, rows, err);
		if (code)
			break;
	}
	ts_rows_close(rows);
	return code;
}

/* --- the largest ------------------------------------------------------------------------------ */

static int
largest_first(const void *a, const void *b)
{
	const struct sum *x = a, *y = b;

	if (x->bytes != y->bytes)
		return x->bytes < y->bytes ? 1 : -1;
	return (x->variable > y->variable) - (x->variable < y->variable);
}

/* A row that is to be listed. */
struct entry {
	int64_t variable, bytes, tiles;
	const char *name; /* NULL: it has none */
	size_t n;
};

static struct entry
entry_at(const struct always_work *w, size_t i)
{
	struct entry e = {.tiles = TS_UNKNOWN};

	if (w->kept.always) {
		const struct ts_always_entry *kept = &w->kept.always[i];

		e.variable = kept->variable;
		e.bytes = ts_max_i64(kept->bytes, 0);
		e.name = kept->name ? ts_variable_names_text(&w->kept, kept->name) : NULL;
		e.n = e.name ? strlen(e.name) : 0;
	} else {
		const struct sum *s = sum_at(w, i);
		const struct ts_dictionary_entry *d = s->name == UINT32_MAX
			? NULL
			: ts_dictionary_at(&w->names, s->name);

		e.variable = s->variable;
		e.bytes = s->bytes;
		e.tiles = w->mixed ? TS_UNKNOWN : s->tiles;
		e.name = d ? (const char *)w->names.text.memory + d->at : NULL;
		e.n = d ? d->n : 0;
	}
	return e;
}

static void
keep_name(struct ts_always *a, struct ts_always_row *row, const char *s, size_t n)
{
	if (n == 0 || a->text.len + n + 1 > a->text.max)
		return;
	row->at = (uint32_t)a->text.len;
	row->length = (uint32_t)n;
	ts_strbuf_add(&a->text, s, n);
	ts_strbuf_putc(&a->text, '\0');
	if (a->text.cut)
		row->length = 0;
}

static enum ts_code
list_rows(struct always_work *w, struct ts_groups *groups, const struct ts_cache *cache,
	struct ts_err *err)
{
	struct ts_always *a = w->out;
	struct ts_grouper *m = NULL;
	struct ts_kept_labels kept = {0};
	enum ts_code code = groups ? ts_grouper_new(&m, groups, err) : TS_OK;
	int64_t cumulative = 0;
	bool full = false;

	if (groups && !a->by_tile)
		(void)!ts_labels_kept(&kept, w->rd, cache, groups);

	a->row = ts_alloc(w->sums < TS_ALWAYS_MAX ? w->sums : TS_ALWAYS_MAX, sizeof(*a->row));
	if (!code && !a->row)
		code = ts_err_nomem(err);
	if (!code && !w->kept.always)
		code = ts_pile_sort(&w->sum, w->sums, sizeof(struct sum), largest_first, NULL,
			w->rd->cancel, err);
	for (size_t i = 0; !code && i < w->sums; i++) {
		struct entry e = entry_at(w, i);
		int group = ts_kept_label(&kept, e.variable);

		if (group < 0 && m)
			group = ts_grouper_of(m, e.name, e.n, NULL, 0);
		a->count++;
		add_bytes(&a->bytes, e.bytes);
		if (group >= 0) {
			a->group[group].count++;
			add_bytes(&a->group[group].bytes, e.bytes);
		}
		full |= a->rows == TS_ALWAYS_MAX ||
			(a->rows >= FIRST && a->text.len + e.n + 1 > a->text.max);
		if (full)
			continue;
		add_bytes(&cumulative, e.bytes);
		a->row[a->rows] = (struct ts_always_row){.variable = e.variable,
			.bytes = e.bytes,
			.tiles = e.tiles,
			.cumulative = cumulative,
			.group = group};
		keep_name(a, &a->row[a->rows], e.name, e.n);
		a->rows++;
	}
	ts_kept_labels_fini(&kept);
	ts_grouper_free(m);
	return !code && a->text.nomem ? ts_err_nomem(err) : code;
}

/* What the index has of the device. */
static void
take_kept(struct always_work *w)
{
	if (!ts_variable_names_of(&w->kept, w->rd->index) || w->kept.always_bad < 0) {
		w->kept.always = NULL;
		return;
	}
	w->sums = (size_t)w->kept.always_count;
	w->out->bad_rows = w->kept.always_bad;
}

enum ts_code
ts_always_read(struct ts_always **out, struct ts_reader *rd, const struct ts_live_source *source,
	const struct ts_tile_lives *tiles, struct ts_groups *groups, const struct ts_cache *cache,
	struct ts_progress *progress, struct ts_err *err)
{
	struct always_work w = {.rd = rd,
		.source = source,
		.tiles = tiles,
		.progress = progress,
		.out = ts_alloc(1, sizeof(*w.out))};
	enum ts_code code, damage = TS_OK;

	*out = NULL;
	if (!w.out)
		return ts_err_nomem(err);
	ts_strbuf_init(&w.out->text, TEXT);
	w.out->by_tile = source->where != TS_LIVE_ALL || !ts_report_has(rd->report, TS_VARIABLE);
	if (source->where == TS_LIVE_IPU && !tiles)
		damage = ts_tile_ipus_read(&w.ipus, rd, err);
	if (!w.out->by_tile)
		take_kept(&w);
	if (!damage && !w.kept.always)
		damage = read_rows(&w, err);
	code = damage == TS_E_DAMAGED ? TS_OK : damage;
	if (!code)
		code = list_rows(&w, groups, cache, err);
	ts_tile_ipus_fini(&w.ipus);
	ts_dictionary_fini(&w.names);
	ts_pile_fini(&w.sum);
	if (code) {
		ts_always_close(w.out);
		return code;
	}
	*out = w.out;
	return damage;
}

void
ts_always_close(struct ts_always *a)
{
	if (!a)
		return;
	free(a->row);
	ts_strbuf_fini(&a->text);
	free(a);
}

const char *
ts_always_name(const struct ts_always *a, int row)
{
	return a->row[row].length > 0 ? a->text.s + a->row[row].at : "";
}
