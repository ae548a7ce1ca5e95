/* SPDX-License-Identifier: MIT */
/*
 * variable_facts - see the header.
 *
 * Rows of lowered variables stand by tile as a rule: then a variable's pieces on one tile follow each other, and
 * one record a variable (what it has on the present tile, and on those before) tells everything in one pass.
 * Where the tile falls from one row to the next that is not so: (variable, tile, bytes) of all rows are put into a
 * pile instead, sorted, and added up.
 */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "tilescope/base/mem.h"
#include "tilescope/report/dictionary.h"
#include "tilescope/report/index_pieces.h"
#include "tilescope/report/liveness.h"
#include "tilescope/report/memory.h"
#include "tilescope/report/rows.h"
#include "tilescope/report/variable_facts.h"

enum { PROGRESS_ROWS = 8192, INTERVALS_MAX = 64 << 20, REST = 1 << 20, KEEP_REST = 1 << 16 };

/* --- life --------------------------------------------------------------------------------------- */

struct ts_variable_facts *
ts_variable_facts_new(const struct ts_cache *cache)
{
	struct ts_variable_facts *f = ts_alloc(1, sizeof(*f));

	if (!f)
		return NULL;
	atomic_init(&f->uses, 1);
	atomic_init(&f->steps, TS_UNKNOWN);
	f->cache = cache;
	return f;
}

struct ts_variable_facts *
ts_variable_facts_hold(struct ts_variable_facts *f)
{
	atomic_fetch_add(&f->uses, 1);
	return f;
}

static void
free_lives(struct ts_variable_lives *l)
{
	if (!l)
		return;
	ts_pile_fini(&l->life);
	ts_pile_fini(&l->interval);
	free(l);
}

static void
free_spreads(struct ts_variable_spreads *s)
{
	if (!s)
		return;
	ts_pile_fini(&s->spread);
	ts_index_release(s->index);
	free(s);
}

void
ts_variable_facts_release(struct ts_variable_facts *f)
{
	if (!f || atomic_fetch_sub(&f->uses, 1) != 1)
		return;
	free_lives(atomic_load(&f->of_class));
	free_lives(atomic_load(&f->of_variable));
	free_spreads(atomic_load(&f->spreads));
	free(f);
}

static bool
lives_partial(const struct ts_variable_lives *l)
{
	return l && l->partial;
}

bool
ts_variable_facts_partial(const struct ts_variable_facts *f)
{
	const struct ts_variable_spreads *s = atomic_load(&f->spreads);

	return (s && s->partial) || lives_partial(atomic_load(&f->of_class)) ||
		lives_partial(atomic_load(&f->of_variable));
}

bool
ts_variable_lives_can(const struct ts_report *r)
{
	return ts_report_has(r, TS_CLASS_INTERVAL) || ts_report_has(r, TS_LIVENESS_VARIABLE);
}

bool
ts_variable_spread_can(const struct ts_report *r)
{
	return ts_binding_has(&r->binding[TS_LOWERED_VARIABLE], TS_LOWERED_VARIABLE_VARIABLE);
}

/* --- intervals ---------------------------------------------------------------------------------- */

static int
by_id_and_start(const void *a, const void *b)
{
	const struct ts_variable_interval *x = a, *y = b;

	if (x->id != y->id)
		return x->id < y->id ? -1 : 1;
	return (x->start > y->start) - (x->start < y->start);
}

static enum ts_code
add_interval(struct ts_variable_lives *l, struct ts_rows *rows, int64_t last,
	const struct ts_cache *cache, struct ts_err *err)
{
	struct ts_variable_interval i;

	if (ts_rows_number(rows, 0, &i.id) != TS_VALUE_OK ||
		ts_rows_number(rows, 1, &i.start) != TS_VALUE_OK ||
		ts_rows_number(rows, 2, &i.end) != TS_VALUE_OK) {
		l->bad_rows++;
		return TS_OK;
	}
	i.end = ts_min_i64(i.end, last);
	if (i.end <= i.start) {
		l->reversed++;
		return TS_OK;
	}
	if (l->interval.used / sizeof(i) >= INTERVALS_MAX)
		return ts_err_set(err, TS_E_LIMIT, "more than %d intervals", INTERVALS_MAX);
	return ts_pile_add(&l->interval, &i, sizeof(i), cache, err);
}

static enum ts_code
read_intervals(struct ts_variable_lives *l, struct ts_variable_facts *f, struct ts_reader *rd,
	enum ts_relation relation, struct ts_progress *progress, struct ts_err *err)
{
	static const struct ts_rows_query of_classes = {.columns = {TS_CLASS_INTERVAL_CLASS,
								TS_CLASS_INTERVAL_START,
								TS_CLASS_INTERVAL_END},
		.column_count = 3,
		.past_damage = true};
	static const struct ts_rows_query of_variables = {.columns = {TS_LIVENESS_VARIABLE_VARIABLE,
								  TS_LIVENESS_VARIABLE_START,
								  TS_LIVENESS_VARIABLE_END},
		.column_count = 3,
		.past_damage = true};
	const struct ts_rows_query q = relation == TS_CLASS_INTERVAL ? of_classes : of_variables;
	int64_t rows = ts_reach_span(&rd->report->binding[relation].reach);
	int64_t steps = atomic_load(&f->steps), last = steps > 0 ? steps : INT64_MAX;
	struct ts_rows *cursor;
	enum ts_code code = ts_reader_rows(&cursor, rd, relation, &q, err);
	bool there;

	if (code)
		return code;
	for (int64_t i = 0; !(code = ts_rows_next(cursor, &there, err)) && there; i++) {
		if (i % PROGRESS_ROWS == 0)
			ts_progress_set(progress, i, rows);
		code = add_interval(l, cursor, last, f->cache, err);
		if (code)
			break;
	}
	ts_rows_close(cursor);
	l->partial = code == TS_E_DAMAGED || code == TS_E_LIMIT;
	return l->partial ? TS_OK : code;
}

/* What overlaps or touches becomes one; then a record a number. */
static enum ts_code
put_together(struct ts_variable_lives *l, const struct ts_cache *cache, struct ts_err *err)
{
	struct ts_variable_interval *x = l->interval.memory;
	size_t n = l->interval.used / sizeof(*x), kept = 0;
	struct ts_variable_life life = {0};
	enum ts_code code = TS_OK;

	for (size_t i = 0; i < n; i++) {
		if (kept == 0 || x[kept - 1].id != x[i].id || x[kept - 1].end < x[i].start)
			x[kept++] = x[i];
		else if (x[i].end > x[kept - 1].end)
			x[kept - 1].end = x[i].end;
	}
	l->interval.used = kept * sizeof(*x);
	for (size_t i = 0; i < kept && !code; i++) {
		if (life.intervals == 0 || life.id != x[i].id)
			life = (struct ts_variable_life){.id = x[i].id,
				.from = x[i].start,
				.first = i};
		life.intervals++;
		life.steps += x[i].end - x[i].start;
		life.to = x[i].end - 1;
		l->end = ts_max_i64(l->end, x[i].end);
		if (i + 1 == kept || x[i + 1].id != life.id) {
			code = ts_pile_add(&l->life, &life, sizeof(life), cache, err);
			l->count += !code;
			life.intervals = 0;
		}
	}
	return code;
}

static enum ts_code
read_lives(_Atomic(struct ts_variable_lives *) *out, struct ts_variable_facts *f,
	struct ts_reader *rd, enum ts_relation relation, struct ts_progress *progress,
	struct ts_err *err)
{
	struct ts_variable_lives *l, *none = NULL;
	enum ts_code code;

	if (atomic_load(out) || !ts_report_has(rd->report, relation))
		return TS_OK;
	l = ts_alloc(1, sizeof(*l));
	if (!l)
		return ts_err_nomem(err);
	code = read_intervals(l, f, rd, relation, progress, err);
	if (!code)
		code = ts_pile_sort(&l->interval,
			l->interval.used / sizeof(struct ts_variable_interval),
			sizeof(struct ts_variable_interval), by_id_and_start, f->cache, rd->cancel,
			err);
	if (!code)
		code = put_together(l, f->cache, err);
	if (code || !atomic_compare_exchange_strong(out, &none, l))
		free_lives(l);
	return code;
}

/* How many liveness steps are recorded. */
static enum ts_code
count_steps(struct ts_variable_facts *f, struct ts_reader *rd, struct ts_err *err)
{
	int64_t most;
	enum ts_code code = ts_live_steps_read(&most, rd, err);

	if (most > 0)
		atomic_store(&f->steps, most);
	return code == TS_E_DAMAGED ? TS_OK : code;
}

/* They are asked about a few rows: what is not touched need not stay in memory. */
static void
rest(const struct ts_variable_lives *l)
{
	if (!l)
		return;
	ts_pile_rest(&l->life);
	ts_pile_rest(&l->interval);
}

/* Where no step is recorded: as far as intervals go. */
static void
guess_steps(struct ts_variable_facts *f)
{
	const struct ts_variable_lives *c = atomic_load(&f->of_class);
	const struct ts_variable_lives *v = atomic_load(&f->of_variable);
	int64_t most = ts_max_i64(c ? c->end : 0, v ? v->end : 0);

	if (atomic_load(&f->steps) == TS_UNKNOWN && most > 0)
		atomic_store(&f->steps, most);
}

enum ts_code
ts_variable_facts_lives(struct ts_variable_facts *f, struct ts_reader *rd,
	struct ts_progress *progress, struct ts_err *err)
{
	enum ts_code code;

	if (atomic_load(&f->alive))
		return TS_OK;
	code = count_steps(f, rd, err);
	if (!code)
		code = read_lives(&f->of_class, f, rd, TS_CLASS_INTERVAL, progress, err);
	if (!code)
		code = read_lives(&f->of_variable, f, rd, TS_LIVENESS_VARIABLE, progress, err);
	if (code)
		return code;
	guess_steps(f);
	rest(f->of_class);
	rest(f->of_variable);
	atomic_store(&f->alive, true);
	return TS_OK;
}

/* Records that begin with a number, sorted by it: that of `id`, or NULL. Numbers mostly have no gaps. */
static const void *
find(const void *memory, size_t count, size_t size, int64_t id)
{
	const char *p = memory;
	size_t low = 0, high = count;

	if (id < 0 || count == 0)
		return NULL;
	if ((uint64_t)id < count && *(const int64_t *)(const void *)(p + (size_t)id * size) == id)
		return p + (size_t)id * size;
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		int64_t at = *(const int64_t *)(const void *)(p + middle * size);

		if (at == id)
			return p + middle * size;
		if (at < id)
			low = middle + 1;
		else
			high = middle;
	}
	return NULL;
}

static const struct ts_variable_life *
life_in(const struct ts_variable_lives *l, int64_t id)
{
	return l ? find(l->life.memory, l->count, sizeof(struct ts_variable_life), id) : NULL;
}

/* The life, and what its intervals lie in. */
static const struct ts_variable_life *
life_of(const struct ts_variable_facts *f, int64_t class_of, int64_t variable,
	const struct ts_variable_lives **in)
{
	const struct ts_variable_life *x;

	*in = atomic_load_explicit(&f->of_class, memory_order_acquire);
	x = life_in(*in, class_of);
	if (x)
		return x;
	*in = atomic_load_explicit(&f->of_variable, memory_order_acquire);
	return life_in(*in, variable);
}

bool
ts_variable_life(struct ts_variable_life *out, const struct ts_variable_facts *f, int64_t class_of,
	int64_t variable, int always)
{
	const struct ts_variable_lives *in;
	const struct ts_variable_life *x = life_of(f, class_of, variable, &in);
	int64_t steps = atomic_load(&f->steps);

	if (always == 1 && steps > 0) {
		*out = (struct ts_variable_life){.id = variable, .to = steps - 1, .steps = steps};
		return true;
	}
	if (x)
		*out = *x;
	return x != NULL;
}

const struct ts_variable_interval *
ts_variable_intervals(const struct ts_variable_facts *f, int64_t class_of, int64_t variable,
	uint32_t *count)
{
	const struct ts_variable_lives *in;
	const struct ts_variable_life *x = life_of(f, class_of, variable, &in);

	*count = x ? x->intervals : 0;
	return x ? (const struct ts_variable_interval *)in->interval.memory + x->first : NULL;
}

int
ts_variable_is_alive(const struct ts_variable_facts *f, int64_t class_of, int64_t variable,
	int always, int64_t from, int64_t to)
{
	uint32_t count;
	const struct ts_variable_interval *x = ts_variable_intervals(f, class_of, variable, &count);
	int64_t steps = atomic_load(&f->steps);
	uint32_t low = 0, high = count;

	if (always == 1 && steps > 0)
		return from < steps;
	if (!x)
		return always == 1 ? 1 : -1;
	while (low < high) { /* the first that ends behind `from` */
		uint32_t middle = low + (high - low) / 2;

		if (x[middle].end > from)
			high = middle;
		else
			low = middle + 1;
	}
	return low < count && x[low].start <= to;
}

/* --- spread ------------------------------------------------------------------------------------- */

/* A variable while rows are read. */
struct spreading {
	struct ts_variable_spread s;
	int64_t tile, on_tile; /* the present one, and the bytes there */
};

struct spread_work {
	struct ts_variable_spreads *out;
	struct ts_reader *rd;
	const struct ts_cache *cache;
	struct ts_dictionary ids; /* entry: number of the record */
	struct ts_pile record;	  /* struct spreading */
	struct ts_pile piece;	  /* struct piece: only where rows do not stand by tile */
	int64_t tile;		  /* of the row before */
};

struct piece {
	int64_t id, tile, bytes;
};

static int
by_id_and_tile(const void *a, const void *b)
{
	const struct piece *x = a, *y = b;

	if (x->id != y->id)
		return x->id < y->id ? -1 : 1;
	return (x->tile > y->tile) - (x->tile < y->tile);
}

/* What it has on the present tile is known now. */
static void
leave_tile(struct spreading *r)
{
	if (r->s.tiles > 0 && r->on_tile > r->s.fullest) {
		r->s.fullest = r->on_tile;
		r->s.fullest_tile = r->tile;
	}
}

static void
take_piece(struct spreading *r, int64_t tile, int64_t bytes)
{
	if (r->s.tiles == 0 || r->tile != tile) {
		leave_tile(r);
		r->s.tiles++;
		r->tile = tile;
		r->on_tile = 0;
		if (r->s.tiles == 1)
			r->s.fullest_tile = tile;
	}
	r->s.pieces++;
	if (!ts_add_i64(&r->on_tile, bytes))
		r->on_tile = INT64_MAX;
	if (r->s.bytes != TS_UNKNOWN && !ts_add_i64(&r->s.bytes, bytes))
		r->s.bytes = TS_UNKNOWN;
}

/* The record of a number, made when there is none. */
static enum ts_code
record_of(struct spreading **out, struct spread_work *w, int64_t id, struct ts_err *err)
{
	int64_t entry = ts_dictionary_find(&w->ids, id);
	enum ts_code code = TS_OK;

	if (entry == TS_DICTIONARY_NONE) {
		const struct spreading fresh = {.s = {.id = id}};
		uint32_t made;

		code = ts_dictionary_number(&w->ids, &made, id, "", 0, err);
		if (!code)
			code = ts_pile_add(&w->record, &fresh, sizeof(fresh), w->cache, err);
		if (code)
			return code;
		entry = made;
	}
	*out = (struct spreading *)w->record.memory + entry;
	return TS_OK;
}

static enum ts_code
take_row(struct spread_work *w, const struct piece *x, bool sorted, struct ts_err *err)
{
	struct spreading *r;
	enum ts_code code;

	if (!sorted)
		return ts_pile_add(&w->piece, x, sizeof(*x), w->cache, err);
	code = record_of(&r, w, x->id, err);
	if (!code)
		take_piece(r, x->tile, x->bytes);
	return code;
}

/* *fell: a tile is below the one before; with `sorted` the reading ends there. */
static enum ts_code
read_pieces(struct spread_work *w, bool sorted, bool *fell, struct ts_progress *progress,
	struct ts_err *err)
{
	const struct ts_rows_query q = {.columns = {TS_LOWERED_VARIABLE_VARIABLE,
						TS_LOWERED_VARIABLE_TILE,
						TS_LOWERED_VARIABLE_BYTES},
		.column_count = 3,
		.past_damage = true};
	int64_t rows = ts_reach_span(&w->rd->report->binding[TS_LOWERED_VARIABLE].reach), done = 0;
	struct ts_rows_block b;
	struct ts_rows *cursor;
	enum ts_code code = ts_reader_rows(&cursor, w->rd, TS_LOWERED_VARIABLE, &q, err);

	*fell = false;
	w->tile = -1;
	w->out->bad_rows = 0;
	if (code)
		return code;
	while (!(code = ts_rows_block(cursor, &b, err)) && b.rows > 0 && !(*fell && sorted)) {
		for (int i = 0; i < b.rows && !code; i++) {
			struct piece x = {b.v[0][i], b.v[1][i], b.v[2][i]};

			if (b.is[0] || b.is[1] || b.is[2] || x.tile >= TS_TILES_MAX) {
				w->out->bad_rows++;
				continue;
			}
			*fell |= x.tile < w->tile;
			w->tile = x.tile;
			code = take_row(w, &x, sorted, err);
		}
		if (code)
			break;
		if (done / REST != (done + b.rows) / REST) {
			ts_pile_rest(&w->record);
			ts_pile_rest(&w->piece);
			ts_dictionary_rest(&w->ids);
		}
		done += b.rows;
		ts_progress_set(progress, done, rows);
	}
	ts_rows_close(cursor);
	w->out->partial = code == TS_E_DAMAGED;
	return code == TS_E_DAMAGED ? TS_OK : code;
}

/* Rows that stand anyhow. */
static enum ts_code
read_unsorted(struct spread_work *w, struct ts_progress *progress, struct ts_err *err)
{
	bool fell;
	enum ts_code code = read_pieces(w, false, &fell, progress, err);
	size_t n = w->piece.used / sizeof(struct piece);

	if (!code)
		code = ts_pile_sort(&w->piece, n, sizeof(struct piece), by_id_and_tile, w->cache,
			w->rd->cancel, err);
	for (size_t i = 0; i < n && !code; i++)
		code = take_row(w, (const struct piece *)w->piece.memory + i, true, err);
	return code;
}

static int
by_spread_id(const void *a, const void *b)
{
	const struct ts_variable_spread *x = a, *y = b;

	return (x->id > y->id) - (x->id < y->id);
}

static enum ts_code
keep_spreads(struct spread_work *w, struct ts_err *err)
{
	struct ts_variable_spreads *o = w->out;
	struct spreading *r = w->record.memory;
	enum ts_code code = TS_OK;

	ts_dictionary_fini(&w->ids);
	o->count = w->record.used / sizeof(*r);
	for (size_t i = 0; i < o->count && !code; i++) {
		leave_tile(&r[i]);
		code = ts_pile_add(&o->spread, &r[i].s, sizeof(r[i].s), w->cache, err);
		if (i % KEEP_REST == 0) {
			ts_pile_rest(&w->record);
			ts_pile_rest(&o->spread);
		}
	}
	ts_pile_fini(&w->record);
	ts_pile_rest(&o->spread);
	if (!code)
		code = ts_pile_sort(&o->spread, o->count, sizeof(r->s), by_spread_id, w->cache,
			w->rd->cancel, err);
	ts_pile_rest(&o->spread);
	return code;
}

/* By a pass over all rows. */
static enum ts_code
read_spreads(struct spread_work *w, struct ts_progress *progress, struct ts_err *err)
{
	bool fell = false;
	enum ts_code code = read_pieces(w, true, &fell, progress, err);

	if (!code && fell) {
		ts_dictionary_fini(&w->ids);
		w->ids.cache = w->cache;
		w->record.used = 0;
		code = read_unsorted(w, progress, err);
	}
	if (!code)
		code = keep_spreads(w, err);
	ts_dictionary_fini(&w->ids);
	ts_pile_fini(&w->record);
	ts_pile_fini(&w->piece);
	return code;
}

enum ts_code
ts_variable_facts_spread(struct ts_variable_facts *f, struct ts_reader *rd,
	struct ts_progress *progress, struct ts_err *err)
{
	struct spread_work w = {.rd = rd, .cache = f->cache, .ids = {.cache = f->cache}};
	struct ts_variable_spreads *none = NULL;
	enum ts_code code;

	if (atomic_load(&f->spreads) || !ts_variable_spread_can(rd->report))
		return TS_OK;
	w.out = ts_alloc(1, sizeof(*w.out));
	if (!w.out)
		return ts_err_nomem(err);
	if (ts_index_has_pieces(rd->index)) {
		w.out->index = ts_index_hold(rd->index);
		code = TS_OK;
	} else {
		code = read_spreads(&w, progress, err);
	}
	if (code || !atomic_compare_exchange_strong(&f->spreads, &none, w.out))
		free_spreads(w.out);
	return code;
}

bool
ts_variable_spread(struct ts_variable_spread *out, const struct ts_variable_facts *f,
	int64_t variable)
{
	const struct ts_variable_spreads *s = atomic_load_explicit(&f->spreads,
		memory_order_acquire);
	const struct ts_variable_spread *x;

	if (s && s->index)
		return ts_index_spread(out, s->index, variable);
	x = s ? find(s->spread.memory, s->count, sizeof(struct ts_variable_spread), variable)
	      : NULL;
	if (x)
		*out = *x;
	return x != NULL;
}

int64_t
ts_variable_balance(const struct ts_variable_spread *s)
{
	if (s->bytes <= 0 || s->fullest <= 0 || s->tiles <= 0)
		return TS_UNKNOWN;
	return (int64_t)((double)s->bytes / (double)s->tiles / (double)s->fullest * 100000 + 0.5);
}
