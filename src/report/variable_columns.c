/* SPDX-License-Identifier: MIT */
/*
 * variable_columns - a filter of all lowered variables, asked of the columns in the index.
 *
 * A block of rows is asked at once: each comparison gives a bit a row for those of which it is so, and one for those
 * of which it is not; `and`, `or` and `not` are those of words. What is said of a name is worked out when a row with
 * it comes first, and looked up for all others. A comparison of numbers looks at a block's bounds before its values.
 * The same answers as row by row (variable_pass.c); what has no column here, or is sorted by what has none, is asked there.
 */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "variable_columns_internal.h"

#include "tilescope/base/mem.h"

enum { PUBLISH_BLOCKS = 16 };

/* --- can it be asked here --------------------------------------------------------------------- */

/* The column of a comparison; -1: there is none. */
static int
column_of(const struct ts_filter_node *n)
{
	int column = ts_variable_field_column((enum ts_variable_field)n->field);

	return column < 0 ? -1 : ts_column_find(column);
}

static bool
can_ask(const struct ts_columns *c, const struct ts_filter *f)
{
	for (int i = 0; i < f->count; i++) {
		const struct ts_filter_node *n = &f->node[i];
		int column;

		if (n->op < TS_FILTER_RANGE)
			continue;
		column = column_of(n);
		if (column < 0 || !c->block[column])
			return false;
	}
	return true;
}

bool
variable_columns_sort(int *column, const struct ts_columns *c, enum ts_variable_sort sort)
{
	int field = ts_variable_sort_field(sort), relation;

	*column = -1;
	if (sort == TS_SORT_ROW)
		return true;
	relation = ts_variable_field_column((enum ts_variable_field)field);
	*column = relation < 0 ? -1 : ts_column_find(relation);
	return *column >= 0 && *column != TS_COLUMN_CATEGORY && c->block[*column];
}

static bool
is_of(const struct ts_columns *c, const struct ts_variables *v)
{
	if (!v->lowered || c->rows != v->rows || v->partial)
		return false;
	return v->counted || v->range == TS_RANGE_ALL || (c->gapless && c->first == v->first);
}

bool
variable_columns_can(struct ts_columns *c, const struct ts_variable_list *l,
	const struct ts_index *x)
{
	return ts_columns_of(c, x) && is_of(c, l->v) && can_ask(c, &l->filter);
}

/* --- comparisons ------------------------------------------------------------------------------ */

static const int64_t *
values(struct columns_asking *a, int column)
{
	if (a->have[column] != a->block) {
		if (!ts_columns_read(&a->c, (enum ts_column)column, a->block, a->v[column]))
			a->untrue = true;
		a->have[column] = a->block;
	}
	return a->v[column];
}

static void
put(struct columns_answer *out, int k, enum ts_truth truth)
{
	uint64_t bit = UINT64_C(1) << (k % 64);

	if (truth == TS_YES)
		out->yes[k / 64] |= bit;
	else if (truth == TS_NO)
		out->no[k / 64] |= bit;
}

static bool
is_in(const struct ts_filter *f, const struct ts_filter_node *n, int64_t v)
{
	for (int i = n->a; i < n->a + n->b; i++)
		if (v >= f->range[i].from && v <= f->range[i].to)
			return true;
	return false;
}

/* Are all values of the block outside of the ranges? */
static bool
all_outside(const struct columns_asking *a, int column, const struct ts_filter_node *n)
{
	const struct ts_filter *f = &a->p->l->filter;
	int64_t least, most;
	bool unknown;

	ts_columns_bounds(&a->c, (enum ts_column)column, a->block, &least, &most, &unknown);
	for (int i = n->a; i < n->a + n->b && !unknown; i++)
		unknown = f->range[i].to >= least && f->range[i].from <= most;
	return !unknown;
}

/* Of one range: a bit from two comparisons. */
static void
ask_range(struct columns_answer *out, const int64_t *v, int rows, int64_t from, int64_t to)
{
	uint64_t span = (uint64_t)to - (uint64_t)from;

	for (int w = 0; w * 64 < rows; w++) {
		int n = rows - w * 64 < 64 ? rows - w * 64 : 64;
		uint64_t yes = 0, known = 0;

		for (int k = 0; k < n; k++) {
			int64_t x = v[w * 64 + k];

			known |= (uint64_t)(x >= 0) << k;
			yes |= (uint64_t)((uint64_t)x - (uint64_t)from <= span) << k;
		}
		out->yes[w] = yes & known;
		out->no[w] = ~yes & known;
	}
}

static void
ask_numbers(struct columns_asking *a, const struct ts_filter_node *n, struct columns_answer *out)
{
	const struct ts_filter *f = &a->p->l->filter;
	int column = column_of(n);
	bool plain = n->field != TS_VARIABLE_FIELD_IPU && n->field != TS_VARIABLE_FIELD_ALWAYS;
	const int64_t *v;

	if (plain && all_outside(a, column, n)) {
		memset(out->no, 0xff, sizeof(out->no));
		return;
	}
	v = values(a, column);
	if (plain && n->b == 1 && f->range[n->a].from <= f->range[n->a].to) {
		ask_range(out, v, a->rows, f->range[n->a].from, f->range[n->a].to);
		return;
	}
	for (int k = 0; k < a->rows; k++) {
		int64_t x = v[k];

		if (n->field == TS_VARIABLE_FIELD_IPU)
			x = ts_variables_ipu(a->p->l->v, x);
		else if (n->field == TS_VARIABLE_FIELD_ALWAYS && x > 0)
			x = 1;
		if (x >= 0)
			put(out, k, is_in(f, n, x) ? TS_YES : TS_NO);
	}
}

/* Rows of a tile stand together as a rule. */
static void
ask_tiles(struct columns_asking *a, const struct ts_filter_node *n, struct columns_answer *out)
{
	const int64_t *v = values(a, TS_COLUMN_TILE);
	enum ts_truth truth = TS_UNSURE;

	for (int k = 0; k < a->rows; k++) {
		if (k == 0 || v[k] != v[k - 1])
			truth = v[k] < 0 ? TS_UNSURE
					 : ts_variable_asking_in(&a->p->asking, n, v[k]);
		put(out, k, truth);
	}
}

enum ts_truth
variable_columns_category(struct columns_asking *a, const struct ts_filter_node *n, int64_t number)
{
	uint8_t *kept = number < CATEGORIES ? &a->category[n->text][number] : NULL;
	char unnamed[40];
	enum ts_truth truth;
	const char *s;
	size_t bytes;

	if (kept && *kept != NOT_ASKED)
		return (enum ts_truth) * kept;
	s = ts_variables_category(a->p->l->v, number, unnamed, &bytes);
	truth = ts_filter_text(&a->p->asking.use, n, s, bytes);
	if (kept)
		*kept = (uint8_t)truth;
	return truth;
}

/* The truth of each number of a block whose numbers are all below 64, as bits. */
static void
ask_few_categories(struct columns_asking *a, const struct ts_filter_node *n, int64_t least,
	int64_t most, struct columns_answer *out)
{
	uint64_t yes = 0, no = 0;
	const int64_t *v;

	for (int64_t x = least; x <= most; x++) {
		enum ts_truth truth = variable_columns_category(a, n, x);

		yes |= (uint64_t)(truth == TS_YES) << x;
		no |= (uint64_t)(truth == TS_NO) << x;
	}
	if ((int64_t)__builtin_popcountll(yes | no) == most - least + 1 &&
		ts_columns_few(&a->c, TS_COLUMN_CATEGORY, a->block, yes, out->yes)) {
		for (int w = 0; w < WORDS; w++)
			out->no[w] = ~out->yes[w];
		return;
	}
	v = values(a, TS_COLUMN_CATEGORY);
	for (int w = 0; w * 64 < a->rows; w++) {
		int rows = a->rows - w * 64 < 64 ? a->rows - w * 64 : 64;

		for (int k = 0; k < rows; k++) {
			uint64_t x = (uint64_t)v[w * 64 + k] % 64;

			out->yes[w] |= (yes >> x & 1) << k;
			out->no[w] |= (no >> x & 1) << k;
		}
	}
}

static void
ask_categories(struct columns_asking *a, const struct ts_filter_node *n, struct columns_answer *out)
{
	const uint8_t *kept = a->category[n->text];
	int64_t least, most;
	const int64_t *v;
	bool unknown;

	ts_columns_bounds(&a->c, TS_COLUMN_CATEGORY, a->block, &least, &most, &unknown);
	if (!unknown && least == most) { /* tiles begin with the rare ones: most blocks have one */
		enum ts_truth truth = variable_columns_category(a, n, least);

		memset(out->yes, truth == TS_YES ? 0xff : 0, sizeof(out->yes));
		memset(out->no, truth == TS_NO ? 0xff : 0, sizeof(out->no));
		return;
	}
	if (!unknown && most < 64) {
		ask_few_categories(a, n, least, most, out);
		return;
	}
	v = values(a, TS_COLUMN_CATEGORY);
	for (int w = 0; w * 64 < a->rows; w++) {
		int rows = a->rows - w * 64 < 64 ? a->rows - w * 64 : 64;

		for (int k = 0; k < rows; k++) {
			int64_t x = v[w * 64 + k];
			unsigned truth = TS_UNSURE;

			if (x >= 0)
				truth = x < CATEGORIES && kept[x] != NOT_ASKED
					? kept[x]
					: (unsigned)variable_columns_category(a, n, x);
			out->yes[w] |= (uint64_t)(truth == TS_YES) << k;
			out->no[w] |= (uint64_t)(truth == TS_NO) << k;
		}
	}
}

static void
ask_names(struct columns_asking *a, const struct ts_filter_node *n, struct columns_answer *out)
{
	const int64_t *v = values(a, TS_COLUMN_NAME);

	if (a->named != a->block &&
		(a->untrue || !ts_name_answers_of(&a->names, v, a->rows, a->name))) {
		a->untrue = true;
		return;
	}
	a->named = a->block;
	for (int w = 0; w * 64 < a->rows; w++) {
		int rows = a->rows - w * 64 < 64 ? a->rows - w * 64 : 64;

		for (int k = 0; k < rows; k++) {
			uint32_t bits = a->name[w * 64 + k] >> n->text;

			out->yes[w] |= (uint64_t)(bits & bits >> VARIABLE_SURE & 1) << k;
			out->no[w] |= (uint64_t)(~bits & bits >> VARIABLE_SURE & 1) << k;
		}
	}
}

/* --- a line ----------------------------------------------------------------------------------- */

/* Nothing of the block is left that `settles` does not say: the rest need not be asked. */
static bool
all_set(const uint64_t *words, int rows)
{
	for (int w = 0; w * 64 < rows; w++) {
		uint64_t all = rows - w * 64 < 64 ? (UINT64_C(1) << (rows - w * 64)) - 1
						  : ~UINT64_C(0);

		if ((words[w] & all) != all)
			return false;
	}
	return true;
}

/* Depth is bounded by the parser. */
static void
ask(struct columns_asking *a, int i, struct columns_answer *out)
{
	const struct ts_filter *f = &a->p->l->filter;
	const struct ts_filter_node *n = &f->node[i];
	bool both = n->op == TS_FILTER_AND;
	struct columns_answer second = {0};

	if (n->op == TS_FILTER_NOT) {
		ask(a, n->a, &second);
		memcpy(out->yes, second.no, sizeof(out->yes));
		memcpy(out->no, second.yes, sizeof(out->no));
	} else if (n->op == TS_FILTER_RANGE) {
		ask_numbers(a, n, out);
	} else if (n->op == TS_FILTER_IN) {
		ask_tiles(a, n, out);
	} else if (n->op > TS_FILTER_NOT && n->field == TS_VARIABLE_FIELD_NAME) {
		ask_names(a, n, out);
	} else if (n->op > TS_FILTER_NOT) {
		ask_categories(a, n, out);
	} else {
		bool turned = f->node[n->a].dear && !f->node[n->b].dear;

		ask(a, turned ? n->b : n->a, out);
		if (all_set(both ? out->no : out->yes, a->rows))
			return;
		ask(a, turned ? n->a : n->b, &second);
		for (int w = 0; w < WORDS; w++) {
			out->yes[w] = both ? out->yes[w] & second.yes[w]
					   : out->yes[w] | second.yes[w];
			out->no[w] = both ? out->no[w] | second.no[w] : out->no[w] & second.no[w];
		}
	}
}

/* --- all rows --------------------------------------------------------------------------------- */

static uint32_t
ask_name(void *ctx, const char *s, size_t n, size_t same)
{
	struct columns_asking *a = ctx;

	return s ? variable_name_bits(a->p, s, n, same) : VARIABLE_NO_TEXT;
}

/* May a comparison with a name hold for one of these? */
static bool
may_say(void *ctx, const struct ts_signature *names)
{
	const struct columns_asking *a = ctx;
	const struct ts_filter *f = &a->p->l->filter;

	for (int i = 0; i < f->count; i++) {
		const struct ts_filter_node *n = &f->node[i];

		if (n->field == TS_VARIABLE_FIELD_NAME && n->op >= TS_FILTER_HAS &&
			n->op <= TS_FILTER_MATCHES &&
			ts_filter_text_may(&a->p->asking.use, n, names))
			return true;
	}
	return false;
}

uint64_t
variable_columns_code(const struct ts_columns *c, int column, int64_t v)
{
	if (v < 0 || (column == TS_COLUMN_NAME && v >= c->texts))
		return VARIABLE_UNKNOWN;
	return column == TS_COLUMN_ALWAYS && v > 0 ? 1 : (uint64_t)v;
}

/* What row k of the block, which passes, is sorted by. */
static enum ts_code
add_code(struct columns_asking *a, int k, struct ts_err *err)
{
	int64_t v = values(a, a->sorted)[k], place = a->p->scanned + k;
	uint64_t code = variable_columns_code(&a->c, a->sorted, v);

	if (a->untrue)
		return TS_OK;
	if (code != VARIABLE_UNKNOWN)
		variable_heap_add(a->p, code, place);
	return variable_code_add(a->p, code, place, err);
}

/* Bytes of the rows that pass, and their bits into the list's. */
static enum ts_code
take_block(struct columns_asking *a, const struct columns_answer *x, struct ts_err *err)
{
	enum ts_code code = TS_OK;

	struct variable_pass *p = a->p;
	uint64_t *word = p->l->bit.memory;
	const int64_t *bytes = NULL;

	for (int w = 0; w * 64 < a->rows; w++) {
		int64_t place = p->scanned + w * 64;
		uint64_t left = x->yes[w];

		if (a->rows - w * 64 < 64)
			left &= (UINT64_C(1) << (a->rows - w * 64)) - 1;
		if (!left)
			continue;
		word[place / 64] |= left << (place % 64);
		if (place % 64 && left >> (64 - place % 64))
			word[place / 64 + 1] |= left >> (64 - place % 64);
		if (!bytes)
			bytes = values(a, TS_COLUMN_BYTES);
		for (; left && !code; left &= left - 1) {
			int k = w * 64 + __builtin_ctzll(left);

			if (bytes[k] >= 0)
				p->overflow |= !ts_add_i64(&p->bytes, bytes[k]);
			if (a->sorted >= 0)
				code = add_code(a, k, err);
		}
	}
	return code;
}

/* Set bits before each block of the list that ends in these rows. */
static void
count_bits(struct variable_pass *p, int64_t to)
{
	uint64_t *before = p->l->before.memory;
	const uint64_t *word = p->l->bit.memory;
	int64_t b = p->scanned / TS_VARIABLE_BLOCK;

	for (; (b + 1) * TS_VARIABLE_BLOCK <= to; b++) {
		uint64_t n = before[b];

		for (int w = 0; w < TS_VARIABLE_BLOCK / 64; w++)
			n += (uint64_t)__builtin_popcountll(word[b * (TS_VARIABLE_BLOCK / 64) + w]);
		before[b + 1] = n;
	}
	p->found = (int64_t)before[b];
	for (int64_t w = b * (TS_VARIABLE_BLOCK / 64); w * 64 < to; w++)
		p->found += __builtin_popcountll(word[w]);
	p->scanned = to;
}

/* Whole blocks of the list only: no word that others look at is written any more. */
static void
publish(struct variable_pass *p)
{
	int64_t scanned = p->scanned, found = p->found, b = scanned / TS_VARIABLE_BLOCK;

	p->scanned = b * TS_VARIABLE_BLOCK;
	p->found = (int64_t)((const uint64_t *)p->l->before.memory)[b];
	variable_pass_publish(p);
	p->scanned = scanned;
	p->found = found;
}

static enum ts_code
read_blocks(struct columns_asking *a, struct ts_err *err)
{
	struct variable_pass *p = a->p;

	for (a->block = 0; a->block < a->c.blocks; a->block++) {
		struct columns_answer x = {0};
		enum ts_code code;

		if (ts_cancelled(p->cancel))
			return ts_err_set(err, TS_E_CANCELLED, "cancelled");
		if (a->block % PUBLISH_BLOCKS == PUBLISH_BLOCKS - 1) {
			publish(p);
			code = ts_filter_use_check(&p->asking.use, err);
			if (code)
				return code;
		}
		a->untrue |= a->c.start[a->block] != p->scanned;
		variable_columns_ask(a, a->block, &x);
		if (a->untrue)
			return TS_OK;
		code = take_block(a, &x, err);
		if (code)
			return code;
		count_bits(p, p->scanned + a->rows);
	}
	return TS_OK;
}

/* All rows are in the list. */
static void
add_up(struct variable_pass *p, const struct ts_columns *c)
{
	p->scanned = p->found = c->rows;
	p->bytes = p->all_bytes = c->bytes;
	p->overflow = p->all_overflow = c->bytes == TS_UNKNOWN;
	p->unsized = c->unsized;
}

/* An order of all rows. */
static enum ts_code
read_codes(struct columns_asking *a, struct ts_err *err)
{
	struct variable_pass *p = a->p;
	enum ts_code code = TS_OK;

	for (a->block = 0; a->block < a->c.blocks; a->block++) {
		if (ts_cancelled(p->cancel))
			return ts_err_set(err, TS_E_CANCELLED, "cancelled");
		if (a->block % PUBLISH_BLOCKS == 0)
			variable_pass_publish(p);
		if (a->block * TS_COLUMN_ROWS % VARIABLE_REST == 0)
			ts_pile_rest(&p->code);
		a->rows = ts_columns_rows(&a->c, a->block);
		a->untrue |= a->rows == 0 || a->c.start[a->block] != p->scanned;
		for (int k = 0; k < a->rows && !a->untrue && !code; k++)
			code = add_code(a, k, err);
		if (code || a->untrue)
			return code;
		p->scanned += a->rows;
		p->found = p->scanned;
	}
	add_up(p, &a->c);
	return TS_OK;
}

void
variable_columns_ask(struct columns_asking *a, int64_t block, struct columns_answer *out)
{
	a->block = block;
	a->rows = ts_columns_rows(&a->c, block);
	a->untrue |= a->rows == 0;
	if (!a->untrue)
		ask(a, a->p->l->filter.count - 1, out);
}

enum ts_code
variable_columns_begin(struct columns_asking *a, struct variable_pass *p,
	const struct ts_columns *c, struct ts_err *err)
{
	a->p = p;
	a->c = *c;
	a->sorted = -1;
	memset(a->have, 0xff, sizeof(a->have));
	memset(a->category, NOT_ASKED, sizeof(a->category));
	a->named = -1;
	if (!a->c.block[TS_COLUMN_NAME])
		return TS_OK;
	return ts_name_answers_init(&a->names, &a->c, p->l->v->cache, ask_name, may_say, a, err);
}

/* As if nothing had been read. */
static void
forget(struct variable_pass *p)
{
	if (p->l->filter.count > 0) {
		memset(p->l->bit.memory, 0, p->l->bit.room);
		memset(p->l->before.memory, 0, p->l->before.room);
	}
	p->scanned = p->found = p->bytes = p->codes = p->unknown = 0;
	p->overflow = p->falls = false;
	p->max = p->last = 0;
	p->code.used = p->place.used = 0;
	p->names.ranked = false;
}

enum ts_code
variable_columns_read(struct variable_pass *p, bool *done, struct ts_err *err)
{
	struct ts_variable_list *l = p->l;
	struct ts_columns c;
	struct columns_asking *a;
	enum ts_code code;
	int sorted;

	*done = false;
	if (!variable_columns_can(&c, l, p->rd->index) ||
		!variable_columns_sort(&sorted, &c, l->sort))
		return TS_OK;
	if (sorted < 0 && l->filter.count == 0) {
		add_up(p, &c);
		*done = true;
		return TS_OK;
	}
	a = ts_alloc(1, sizeof(*a));
	if (!a)
		return ts_err_nomem(err);
	p->names.ranked = sorted == TS_COLUMN_NAME; /* their numbers are ranks */
	variable_heap_begin(p);
	code = variable_columns_begin(a, p, &c, err);
	a->sorted = sorted;
	if (!code)
		code = l->filter.count > 0 ? read_blocks(a, err) : read_codes(a, err);
	*done = !code && !a->untrue;
	if (*done) {
		p->all_bytes = c.bytes;
		p->all_overflow = c.bytes == TS_UNKNOWN;
		p->unsized = c.unsized;
	} else if (!code) {
		forget(p);
	}
	ts_name_answers_fini(&a->names);
	free(a);
	return code;
}
