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
#include "tilescope/report/variables.h"
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
	struct ts_tile_ipus ipus; /* only of an IPU whose tiles nobody knows */
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
	bytes = ts_variable_always_bytes(ts_variable_always_column(w->rd->report), always, bytes);
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
						   TS_VARIABLE_NAME,
						   ts_variable_always_column(w->rd->report)},
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

/* A row that is to be listed; its name: 0 = none, else as the index numbers them, or 1 + its entry of the dictionary. */
struct entry {
	int64_t variable, bytes, tiles;
	uint32_t name;
};

static struct entry
entry_at(const struct always_work *w, size_t i)
{
	if (w->out->index) {
		const struct ts_always_entry *kept = &w->out->names.always[i];

		return (struct entry){kept->variable, ts_max_i64(kept->bytes, 0), TS_UNKNOWN,
			kept->name};
	}
	return (struct entry){sum_at(w, i)->variable, sum_at(w, i)->bytes,
		w->mixed ? TS_UNKNOWN : sum_at(w, i)->tiles, sum_at(w, i)->name + 1};
}

/* NULL: it has none. */
static const char *
name_of(const struct always_work *w, uint32_t name, size_t *n)
{
	const struct ts_dictionary_entry *e;
	const char *s;

	*n = 0;
	if (name == 0)
		return NULL;
	if (w->out->index) {
		s = ts_variable_names_text(&w->out->names, name);
		*n = strlen(s);
		return s;
	}
	e = ts_dictionary_at(&w->names, name - 1);
	*n = e->n;
	return (const char *)w->names.text.memory + e->at;
}

/* False: there is no room for the name, and enough rows are listed. */
static bool
list_row(struct always_work *w, const struct entry *e, int group, int64_t cumulative)
{
	struct ts_always *a = w->out;
	struct ts_always_row row = {.variable = e->variable,
		.bytes = e->bytes,
		.tiles = e->tiles,
		.cumulative = cumulative,
		.group = group};
	const char *s;
	size_t n;

	if (a->rows == TS_ALWAYS_MAX)
		return false;
	if (a->index) {
		row.at = e->name;
		row.length = e->name > 0;
	} else if ((s = name_of(w, e->name, &n)) && n > 0) {
		bool room = a->text.len + n + 1 <= a->text.max;

		if (!room && a->rows >= FIRST)
			return false;
		row.at = (uint32_t)a->text.len;
		if (room) {
			ts_strbuf_add(&a->text, s, n);
			ts_strbuf_putc(&a->text, '\0');
			row.length = (uint32_t)n;
		}
	}
	a->row[a->rows++] = row;
	return true;
}

static enum ts_code
list_rows(struct always_work *w, struct ts_groups *groups, const struct ts_cache *cache,
	struct ts_err *err)
{
	struct ts_always *a = w->out;
	struct ts_grouper *m = NULL;
	struct ts_kept_labels kept = {0};
	enum ts_code code = groups ? ts_grouper_new(&m, groups, err) : TS_OK;
	bool listing = true;

	if (groups && !a->by_tile)
		(void)!ts_labels_kept(&kept, w->rd, cache, groups);

	a->row = ts_alloc(w->sums < TS_ALWAYS_MAX ? w->sums : TS_ALWAYS_MAX, sizeof(*a->row));
	if (!code && !a->row)
		code = ts_err_nomem(err);
	if (!code && !a->index)
		code = ts_pile_sort(&w->sum, w->sums, sizeof(struct sum), largest_first, NULL,
			w->rd->cancel, err);
	for (size_t i = 0; !code && i < w->sums; i++) {
		struct entry e = entry_at(w, i);
		int group = ts_kept_label(&kept, e.variable);

		if (group < 0 && m) {
			size_t n;
			const char *s = name_of(w, e.name, &n);

			group = ts_grouper_of(m, s, n, NULL, 0);
		}
		a->count++;
		add_bytes(&a->bytes, e.bytes);
		if (group >= 0) {
			a->group[group].count++;
			add_bytes(&a->group[group].bytes, e.bytes);
		}
		listing = listing && list_row(w, &e, group, a->bytes);
	}
	ts_kept_labels_fini(&kept);
	ts_grouper_free(m);
	return !code && a->text.nomem ? ts_err_nomem(err) : code;
}

static bool
is_kept(struct ts_variable_names *names, const struct ts_report *r, const struct ts_index *x,
	const struct ts_live_source *source)
{
	return source->where == TS_LIVE_ALL && ts_report_has(r, TS_VARIABLE) &&
		ts_variable_names_of(names, x) && names->always_bad >= 0;
}

bool
ts_always_quick(const struct ts_report *r, const struct ts_index *x,
	const struct ts_live_source *source)
{
	struct ts_variable_names names;

	return is_kept(&names, r, x, source);
}

/* What the index has of the device. */
static void
take_kept(struct always_work *w)
{
	struct ts_always *a = w->out;

	if (!is_kept(&a->names, w->rd->report, w->rd->index, w->source))
		return;
	a->index = ts_index_hold(w->rd->index);
	a->bad_rows = a->names.always_bad;
	w->sums = (size_t)a->names.always_count;
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
	take_kept(&w);
	if (!damage && !w.out->index)
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
	ts_index_release(a->index);
	free(a);
}

const char *
ts_always_name(const struct ts_always *a, int row)
{
	const struct ts_always_row *r = &a->row[row];

	if (r->length == 0)
		return "";
	return a->index ? ts_variable_names_text(&a->names, r->at) : a->text.s + r->at;
}
