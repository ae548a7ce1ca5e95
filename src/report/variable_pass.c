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
	[V_TYPE] = TS_LOWERED_VARIABLE_ELEMENT_TYPE,
	[V_OFFSET] = TS_LOWERED_VARIABLE_OFFSET,
	[V_ALIGNMENT] = TS_LOWERED_VARIABLE_ALIGNMENT,
	[V_ALWAYS] = TS_LOWERED_VARIABLE_ALWAYS_LIVE,
	[V_ID] = TS_LOWERED_VARIABLE_ID,
	[V_VARIABLE] = TS_LOWERED_VARIABLE_VARIABLE,
	[V_CLASS] = TS_LOWERED_VARIABLE_CLASS,
	[V_CONTEXT] = TS_LOWERED_VARIABLE_CONTEXT,
};

/* --- a row ------------------------------------------------------------------------------------ */

static int64_t
number(struct variable_pass *p, enum variable_query column)
{
	int64_t v;

	return p->slot[column] >= 0 && ts_rows_number(p->rows, p->slot[column], &v) == TS_VALUE_OK
		? v
		: TS_UNKNOWN;
}

/* The numbers of the row that are needed, as a window has them. */
static void
fill_numbers(struct variable_pass *p, int64_t bytes)
{
	struct ts_variable *x = &p->x;
	int64_t always = number(p, V_ALWAYS);

	x->bytes = bytes;
	x->tile = number(p, V_TILE);
	x->ipu = ts_variables_ipu(p->l->v, x->tile);
	x->offset = number(p, V_OFFSET);
	x->alignment = number(p, V_ALIGNMENT);
	x->always_live = always == TS_UNKNOWN ? -1 : always != 0;
	x->id = number(p, V_ID);
	x->variable = number(p, V_VARIABLE);
	x->class_of = number(p, V_CLASS);
	x->context = number(p, V_CONTEXT);
	if (p->needs_life || p->needs_spread)
		ts_variables_add_facts(p->l->v, x);
}

static bool
row_number(void *ctx, int field, int64_t *v)
{
	const struct variable_pass *p = ctx;

	return ts_variable_field_number(&p->x, (enum ts_variable_field)field, v);
}

static enum ts_truth
row_text(void *ctx, const struct ts_filter_node *n)
{
	struct variable_pass *p = ctx;
	enum ts_truth truth = TS_UNSURE;
	enum ts_code code;

	if (n->field == TS_VARIABLE_FIELD_NAME)
		code = variable_text_asks(p, &p->names, V_NAME, n, &truth, p->err);
	else if (n->field == TS_VARIABLE_FIELD_CATEGORY)
		code = variable_text_asks(p, &p->categories, V_CATEGORY, n, &truth, p->err);
	else
		code = variable_text_asks(p, &p->types, V_TYPE, n, &truth, p->err);
	if (code)
		p->failed = code;
	return truth;
}

static enum ts_truth
row_in(void *ctx, const struct ts_filter_node *n, int64_t v)
{
	return ts_variable_asking_in(&((const struct variable_pass *)ctx)->asking, n, v);
}

static enum ts_truth
row_spans(void *ctx, const struct ts_filter_node *n)
{
	const struct variable_pass *p = ctx;

	return ts_variable_asking_alive(&p->asking, n, &p->x);
}

static enum ts_code
passes(struct variable_pass *p, bool *yes, struct ts_err *err)
{
	const struct ts_filter_row row = {p, row_number, row_text, row_in, row_spans};

	p->failed = TS_OK;
	p->err = err;
	*yes = ts_filter_ask(&p->l->filter, &row) == TS_YES;
	return p->failed;
}

static enum ts_code
code_of(struct variable_pass *p, uint64_t *out, struct ts_err *err)
{
	int field = ts_variable_sort_field(p->l->sort);
	int64_t v;

	switch (p->l->sort) {
	case TS_SORT_NAME:
		return variable_text_code(p, &p->names, V_NAME, out, err);
	case TS_SORT_CATEGORY:
		return variable_text_code(p, &p->categories, V_CATEGORY, out, err);
	case TS_SORT_TYPE:
		return variable_text_code(p, &p->types, V_TYPE, out, err);
	default:
		*out = ts_variable_field_number(&p->x, (enum ts_variable_field)field, &v)
			? (uint64_t)v
			: VARIABLE_UNKNOWN;
		return TS_OK;
	}
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
	if (p->l->filter.count > 0 || p->l->sort != TS_SORT_ROW)
		fill_numbers(p, bytes);
	if (p->l->filter.count > 0)
		code = passes(p, &yes, err);
	if (code || !yes)
		return code;
	p->found++;
	if (bytes != TS_UNKNOWN)
		p->overflow |= !ts_add_i64(&p->bytes, bytes);
	if (p->l->filter.count > 0)
		mark(p);
	if (p->l->sort == TS_SORT_ROW)
		return TS_OK;
	code = code_of(p, &v, err);
	if (!code && p->heap.used && v != VARIABLE_UNKNOWN)
		variable_heap_add(p, v, place);
	return code ? code : variable_code_add(p, v, place, err);
}

/* --- all rows --------------------------------------------------------------------------------- */

void
variable_pass_publish(struct variable_pass *p)
{
	struct ts_variable_list *l = p->l;

	ts_progress_set(p->progress, p->scanned, l->v->rows);
	atomic_store(&l->found, p->found);
	atomic_store(&l->bytes, p->overflow ? TS_UNKNOWN : p->bytes);
	atomic_store(&l->all_bytes, p->all_overflow ? TS_UNKNOWN : p->all_bytes);
	atomic_store(&l->unsized, p->unsized);
	atomic_store(&l->costly, ts_filter_use_costly(&p->asking.use));
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
			variable_texts_rest(&p->types);
		}
		if (p->scanned % PUBLISH == 0) {
			variable_pass_publish(p);
			if (ts_cancelled(p->cancel))
				return ts_err_set(err, TS_E_CANCELLED, "cancelled");
			code = ts_filter_use_check(&p->asking.use, err);
			if (code)
				return code;
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

enum ts_code
variable_pass_room(struct variable_pass *p, struct ts_err *err)
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

/* Is a column of lowered_variable needed? */
static bool
wants(const struct variable_pass *p, int column)
{
	int sort = ts_variable_sort_field(p->l->sort);

	if (column == TS_LOWERED_VARIABLE_BYTES)
		return true;
	if (p->needs_life &&
		(column == TS_LOWERED_VARIABLE_CLASS || column == TS_LOWERED_VARIABLE_ALWAYS_LIVE))
		return true;
	if ((p->needs_life || p->needs_spread) && column == TS_LOWERED_VARIABLE_VARIABLE)
		return true;
	for (int i = 0; i < TS_VARIABLE_FIELD_COUNT; i++)
		if (ts_variable_field_column((enum ts_variable_field)i) == column &&
			(i == sort || ts_filter_uses(&p->l->filter, i)))
			return true;
	return false;
}

static void
choose(struct variable_pass *p, struct ts_rows_query *q)
{
	int sort = ts_variable_sort_field(p->l->sort);

	p->needs_life = ts_variable_filter_needs_life(&p->l->filter) ||
		(sort >= 0 && ts_variable_field_needs_life((enum ts_variable_field)sort));
	p->needs_spread = ts_variable_filter_needs_spread(&p->l->filter) ||
		(sort >= 0 && ts_variable_field_needs_spread((enum ts_variable_field)sort));
	for (int i = 0; i < V_QUERIES; i++) {
		int column = ts_variables_column(p->l->v, columns[i]);
		bool wanted = column >= 0 && wants(p, columns[i]);

		p->slot[i] = wanted ? q->column_count : -1;
		if (wanted)
			q->columns[q->column_count++] = column;
	}
}

/* What has to be known of other relations. */
static enum ts_code
read_facts(struct variable_pass *p, struct ts_err *err)
{
	struct ts_variable_list *l = p->l;
	enum ts_code code = ts_variable_asking_init(&p->asking, &l->filter, l->v, &l->selected,
		p->rd, p->progress, err);

	if (!code && p->needs_life)
		code = ts_variable_facts_lives(l->v->facts, p->rd, p->progress, err);
	if (!code && p->needs_spread)
		code = ts_variable_facts_spread(l->v->facts, p->rd, p->progress, err);
	return code;
}

void
variable_heap_begin(struct variable_pass *p)
{
	p->heap.count = 0;
	p->heap.text = NULL; /* those that were asked before may have been others */
	p->heap.used = p->l->sort != TS_SORT_ROW && !p->l->begun;
	if (p->l->sort == TS_SORT_NAME && !p->names.ranked)
		p->heap.text = &p->names.text;
	if (p->l->sort == TS_SORT_CATEGORY)
		p->heap.text = &p->categories.text;
	if (p->l->sort == TS_SORT_TYPE)
		p->heap.text = &p->types.text;
	variable_heap_know(p);
}

static enum ts_code
run(struct variable_pass *p, bool *gap, struct ts_err *err)
{
	struct ts_rows_query q = {.past_damage = true};
	enum ts_code code;
	bool done;

	choose(p, &q);
	code = read_facts(p, err);
	if (!code)
		code = variable_pass_room(p, err);
	if (!code)
		code = variable_columns_read(p, &done, err);
	if (code || done)
		return code;
	code = variable_names_open(p, err);
	variable_heap_begin(p);
	if (!code)
		code = ts_reader_rows(&p->rows, p->rd, p->l->v->relation, &q, err);
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
	else if (l->sort == TS_SORT_TYPE)
		code = variable_texts_rank(p, &p->types, err);
	if (l->sort == TS_SORT_NAME || l->sort == TS_SORT_CATEGORY || l->sort == TS_SORT_TYPE)
		p->falls = true; /* numbers of entries tell nothing about ranks */
	variable_texts_rest(&p->names);
	if (!code && l->sort != TS_SORT_ROW)
		code = variable_order_make(p, err);
	return code;
}

void
variable_list_ready(struct ts_variable_list *l)
{
	atomic_store_explicit(&l->ready, true, memory_order_release);
	atomic_fetch_add(&l->version, 1);
}

bool
ts_variable_list_load(struct ts_variable_list *l, struct ts_reader *rd)
{
	bool loaded = variable_order_load(l, rd);

	if (loaded)
		variable_list_ready(l);
	return loaded;
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
	if (ts_variable_list_load(l, rd))
		return TS_OK;
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
	p->names.field = TS_VARIABLE_FIELD_NAME;
	p->names.text.cache = p->names.number.cache = l->v->cache;
	p->categories.field = TS_VARIABLE_FIELD_CATEGORY;
	p->categories.text.cache = p->categories.number.cache = l->v->cache;
	p->types.field = TS_VARIABLE_FIELD_TYPE;
	p->types.text.cache = p->types.number.cache = l->v->cache;
	code = run(p, gap, err);
	if (!code)
		code = ts_filter_use_check(&p->asking.use, err);
	if (!code) {
		variable_pass_publish(p);
		code = finish(p, err);
	}
	if (!code)
		variable_list_ready(l);
	variable_texts_fini(&p->names);
	variable_texts_fini(&p->categories);
	variable_texts_fini(&p->types);
	ts_variable_asking_fini(&p->asking);
	ts_pile_fini(&p->code);
	ts_pile_fini(&p->place);
	free(p);
	return code;
}
