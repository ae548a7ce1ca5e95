/* SPDX-License-Identifier: MIT */
/*
 * variable_pass - one reading of all variables, which makes a list.
 *
 * A row is counted, asked whether it passes the filter, and where the list has an order, what it is
 * sorted by. What is found so far can be looked at while it goes on: bits of whole blocks, or the first
 * rows of the order.
 */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "variable_internal.h"

#include "tilescope/base/mem.h"

enum { PUBLISH = 1 << 13 /* rows; whole blocks */ };

static const int columns[V_QUERIES] = {
	[V_BYTES] = TS_LOWERED_VARIABLE_BYTES,
	[V_TILE] = TS_LOWERED_VARIABLE_TILE,
	[V_CATEGORY] = TS_LOWERED_VARIABLE_CATEGORY,
	[V_NAME] = TS_LOWERED_VARIABLE_NAME,
};

/* --- a row ------------------------------------------------------------------------------------ */

static int64_t
number(struct variable_pass *p, enum variable_query column)
{
	int64_t v;

	return ts_rows_number(p->rows, p->slot[column], &v) == TS_VALUE_OK ? v : TS_UNKNOWN;
}

/* The terms on numbers; a row that passes has to pass those on texts, too. */
static bool
numbers_pass(const struct variable_pass *p, int64_t bytes, int64_t tile)
{
	const struct ts_variable_filter *f = &p->l->filter;

	for (int i = 0; i < f->count; i++) {
		const struct ts_filter_term *t = &f->term[i];

		if (t->kind == TS_FILTER_BYTES && !ts_filter_number(t, bytes))
			return false;
		if (t->kind == TS_FILTER_TILE && !ts_filter_number(t, tile))
			return false;
		if (t->kind == TS_FILTER_IPU &&
			!ts_filter_number(t, ts_variables_ipu(p->l->v, tile)))
			return false;
	}
	return true;
}

static enum ts_code
passes(struct variable_pass *p, int64_t bytes, bool *yes, struct ts_err *err)
{
	const struct ts_variable_filter *f = &p->l->filter;
	enum ts_code code = TS_OK;

	*yes = numbers_pass(p, bytes, p->slot[V_TILE] >= 0 ? number(p, V_TILE) : TS_UNKNOWN);
	if (*yes && ts_variable_filter_uses(f, TS_FILTER_CATEGORY))
		code = variable_text_passes(p, &p->categories, V_CATEGORY, yes, err);
	if (!code && *yes && ts_variable_filter_uses(f, TS_FILTER_NAME))
		code = variable_text_passes(p, &p->names, V_NAME, yes, err);
	return code;
}

static enum ts_code
code_of(struct variable_pass *p, int64_t bytes, uint64_t *out, struct ts_err *err)
{
	int64_t v = bytes;

	switch (p->l->sort) {
	case TS_SORT_NAME:
		return variable_text_code(p, &p->names, V_NAME, out, err);
	case TS_SORT_CATEGORY:
		return variable_text_code(p, &p->categories, V_CATEGORY, out, err);
	case TS_SORT_TILE:
		v = number(p, V_TILE);
		break;
	default:
		break;
	}
	*out = v == TS_UNKNOWN ? VARIABLE_UNKNOWN : (uint64_t)v;
	return TS_OK;
}

static void
mark(struct variable_pass *p)
{
	uint64_t *word = p->l->bit.memory;

	word[p->scanned / 64] |= UINT64_C(1) << (p->scanned % 64);
}

static enum ts_code
take_row(struct variable_pass *p, struct ts_err *err)
{
	int64_t bytes = number(p, V_BYTES), place = p->scanned;
	enum ts_code code = TS_OK;
	bool yes = true;
	uint64_t v;

	if (bytes == TS_UNKNOWN)
		p->unsized++;
	else
		p->all_overflow |= !ts_add_i64(&p->all_bytes, bytes);
	if (p->l->filter.count > 0)
		code = passes(p, bytes, &yes, err);
	if (code || !yes)
		return code;
	p->found++;
	if (bytes != TS_UNKNOWN)
		p->overflow |= !ts_add_i64(&p->bytes, bytes);
	if (p->l->filter.count > 0)
		mark(p);
	if (p->l->sort == TS_SORT_ROW)
		return TS_OK;
	code = code_of(p, bytes, &v, err);
	if (!code && p->heap.used && v != VARIABLE_UNKNOWN)
		variable_heap_add(p, v, place);
	return code ? code : variable_code_add(p, v, place, err);
}

/* --- all rows --------------------------------------------------------------------------------- */

static void
publish(struct variable_pass *p)
{
	struct ts_variable_list *l = p->l;

	ts_progress_set(p->progress, p->scanned, l->v->rows);
	atomic_store(&l->found, p->found);
	atomic_store(&l->bytes, p->overflow ? TS_UNKNOWN : p->bytes);
	atomic_store(&l->all_bytes, p->all_overflow ? TS_UNKNOWN : p->all_bytes);
	atomic_store(&l->unsized, p->unsized);
	atomic_store_explicit(&l->whole, p->scanned, memory_order_release);
	atomic_store_explicit(&l->whole_found, p->found, memory_order_release);
	atomic_store(&l->scanned, p->scanned);
	if (p->heap.used && p->scanned >= p->heap.next)
		variable_heap_show(p);
}

/* Is the row where it is believed to be? */
static bool
is_in_place(const struct variable_pass *p)
{
	const struct ts_variables *v = p->l->v;
	int64_t rowid;

	if (p->scanned >= v->rows)
		return false;
	if (v->counted || v->range != TS_RANGE_ROWID || !ts_rows_rowid(p->rows, &rowid))
		return true;
	return rowid == v->first + p->scanned;
}

static enum ts_code
read_rows(struct variable_pass *p, bool *gap, struct ts_err *err)
{
	uint64_t *before = p->l->before.memory;
	enum ts_code code;
	bool there;

	for (; !(code = ts_rows_next(p->rows, &there, err)) && there; p->scanned++) {
		if (!is_in_place(p)) {
			*gap = true;
			break;
		}
		if (before && p->scanned % TS_VARIABLE_BLOCK == 0)
			before[p->scanned / TS_VARIABLE_BLOCK] = (uint64_t)p->found;
		if (p->scanned % VARIABLE_REST == 0) {
			ts_pile_rest(&p->code);
			ts_pile_rest(&p->place);
			ts_pile_rest(&p->l->bit);
			variable_texts_rest(&p->names);
		}
		if (p->scanned % PUBLISH == 0) {
			publish(p);
			if (ts_cancelled(p->cancel))
				return ts_err_set(err, TS_E_CANCELLED, "cancelled");
		}
		code = take_row(p, err);
		if (code)
			return code;
	}
	if (!code && p->scanned < p->l->v->rows)
		*gap = true;
	if (*gap)
		return ts_err_set(err, TS_E_STALE,
			p->l->v->counted ? "there are not the same rows every time"
					 : "rows have to be counted first");
	for (int64_t b = (p->scanned + TS_VARIABLE_BLOCK - 1) / TS_VARIABLE_BLOCK;
		before && b * TS_VARIABLE_BLOCK < p->l->v->rows; b++)
		before[b] = (uint64_t)p->found; /* behind damage there is nothing */
	p->l->partial = code == TS_E_DAMAGED;
	return p->l->partial ? TS_OK : code;
}

/* Room for what has its size from the begin. */
static enum ts_code
make_room(struct variable_pass *p, struct ts_err *err)
{
	struct ts_variable_list *l = p->l;
	int64_t rows = l->v->rows;
	size_t blocks = (size_t)rows / TS_VARIABLE_BLOCK + 1;
	enum ts_code code = TS_OK;

	if (l->filter.count > 0) {
		code = ts_pile_room(&l->bit, blocks * (TS_VARIABLE_BLOCK / 8), l->v->cache, err);
		if (!code)
			code = ts_pile_room(&l->before, blocks * 8, l->v->cache, err);
		if (!code)
			atomic_store_explicit(&l->marked, true, memory_order_release);
	} else if (l->sort != TS_SORT_ROW) {
		code = ts_pile_room(&p->code, (size_t)(rows > 0 ? rows : 1) * 4, l->v->cache, err);
	}
	return code;
}

/* Which columns are needed. */
static void
choose(struct variable_pass *p, struct ts_rows_query *q)
{
	const struct ts_variable_filter *f = &p->l->filter;
	enum ts_variable_sort sort = p->l->sort;
	const bool wanted[V_QUERIES] = {
		[V_BYTES] = true,
		[V_TILE] = sort == TS_SORT_TILE || ts_variable_filter_uses(f, TS_FILTER_TILE) ||
			ts_variable_filter_uses(f, TS_FILTER_IPU),
		[V_CATEGORY] = sort == TS_SORT_CATEGORY ||
			ts_variable_filter_uses(f, TS_FILTER_CATEGORY),
		[V_NAME] = sort == TS_SORT_NAME || ts_variable_filter_uses(f, TS_FILTER_NAME),
	};

	for (int i = 0; i < V_QUERIES; i++) {
		p->slot[i] = wanted[i] ? q->column_count : -1;
		if (wanted[i])
			q->columns[q->column_count++] = columns[i];
	}
}

static enum ts_code
run(struct variable_pass *p, bool *gap, struct ts_err *err)
{
	struct ts_rows_query q = {.past_damage = true};
	enum ts_code code;

	choose(p, &q);
	code = variable_names_open(p, err);
	p->heap.used = p->l->sort != TS_SORT_ROW;
	if (p->l->sort == TS_SORT_NAME && !p->names.ranked)
		p->heap.text = &p->names.text;
	if (p->l->sort == TS_SORT_CATEGORY)
		p->heap.text = &p->categories.text;
	variable_heap_know(p);
	if (!code)
		code = make_room(p, err);
	if (!code)
		code = ts_reader_rows(&p->rows, p->rd, TS_LOWERED_VARIABLE, &q, err);
	if (code)
		return code;
	code = read_rows(p, gap, err);
	ts_rows_close(p->rows);
	return code;
}

/* Behind the last row. */
static enum ts_code
finish(struct variable_pass *p, struct ts_err *err)
{
	struct ts_variable_list *l = p->l;
	enum ts_code code = TS_OK;

	if (l->sort == TS_SORT_ROW) {
		l->natural = true;
		l->count = l->known = p->found;
	}
	if (l->sort == TS_SORT_NAME)
		code = variable_texts_rank(p, &p->names, err);
	else if (l->sort == TS_SORT_CATEGORY)
		code = variable_texts_rank(p, &p->categories, err);
	if (!code && l->sort == TS_SORT_NAME)
		p->falls = true; /* numbers of entries tell nothing about ranks */
	if (!code && l->sort == TS_SORT_CATEGORY)
		p->falls = true;
	variable_texts_rest(&p->names);
	if (!code && l->sort != TS_SORT_ROW)
		code = variable_order_make(p, err);
	return code;
}

static void
set_ready(struct ts_variable_list *l)
{
	atomic_store_explicit(&l->ready, true, memory_order_release);
	atomic_fetch_add(&l->version, 1);
}

enum ts_code
ts_variable_list_make(struct ts_variable_list *l, struct ts_reader *rd, bool *gap,
	const struct ts_cancel *cancel, struct ts_progress *progress, struct ts_err *err)
{
	struct variable_pass *p;
	enum ts_code code;

	*gap = !ts_variables_placed(l->v);
	if (*gap)
		return ts_err_set(err, TS_E_STALE, "rows have to be counted first");
	if (!ts_variable_sort_can(l->v, l->sort))
		return ts_err_set(err, TS_E_ABSENT, "the %s of variables is not recorded",
			ts_variable_sort_name(l->sort));
	code = ts_variable_filter_check(&l->filter, l->v, err);
	if (code)
		return code;
	if (variable_order_load(l, rd)) {
		set_ready(l);
		return TS_OK;
	}
	p = ts_alloc(1, sizeof(*p));
	if (!p)
		return ts_err_nomem(err);
	p->l = l;
	p->rd = rd;
	p->cancel = cancel;
	p->progress = progress;
	p->reverse = atomic_load(&l->reverse);
	p->code_width = 4;
	p->place_width = l->v->rows < UINT32_MAX ? 4 : 8;
	p->names.kind = TS_FILTER_NAME;
	p->names.text.cache = p->names.number.cache = l->v->cache;
	p->categories.kind = TS_FILTER_CATEGORY;
	p->categories.text.cache = p->categories.number.cache = l->v->cache;
	code = run(p, gap, err);
	if (!code) {
		publish(p);
		code = finish(p, err);
	}
	if (!code)
		set_ready(l);
	variable_texts_fini(&p->names);
	variable_texts_fini(&p->categories);
	ts_pile_fini(&p->code);
	ts_pile_fini(&p->place);
	free(p);
	return code;
}
