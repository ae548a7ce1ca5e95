/* SPDX-License-Identifier: MIT */
/*
 * blocks - one pass over `block`, a sort by start, and a walk that tells inside from beside.
 *
 * On the walk at most one block of each row is open, so a row is free when its block has ended. A new block goes below
 * the shortest open one that holds it, to the first row there that is free: rows hold blocks that do not overlap, which
 * is what lets a chart search them.
 */
#include "config.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tilescope/base/mem.h"
#include "tilescope/report/blocks.h"
#include "tilescope/report/names.h"
#include "tilescope/report/rows.h"

enum { PROGRESS_ROWS = 8192, CANCEL_BLOCKS = 1 << 16 };

static const char *const kind_names[TS_BLOCK_KINDS] = {
	[TS_BLOCK_COMMON] = "common",
	[TS_BLOCK_STREAM_COPY] = "stream_copy",
	[TS_BLOCK_FLUSH] = "flush",
	[TS_BLOCK_OVERFLOW] = "overflow",
	[TS_BLOCK_OTHER] = "other",
};

enum { B_TILE, B_SEQ, B_PROGRAM, B_NAME, B_KIND, B_FROM, B_TO, B_COLUMNS };

static const int block_columns[B_COLUMNS] = {TS_BLOCK_TILE, TS_BLOCK_SEQ, TS_BLOCK_PROGRAM,
	TS_BLOCK_NAME, TS_BLOCK_KIND, TS_BLOCK_CYCLES_FROM, TS_BLOCK_CYCLES_TO};

struct reading {
	struct ts_blocks *b;
	struct ts_reader *rd;
	const struct ts_cache *cache;
	struct ts_progress *progress;
	struct ts_names programs;
};

const char *
ts_block_kind_name(enum ts_block_kind kind)
{
	return kind_names[kind];
}

static struct ts_block *
block_of(const struct ts_blocks *b, size_t i)
{
	return (struct ts_block *)b->block.memory + i;
}

/* --- rows ------------------------------------------------------------------------------------------- */

static enum ts_block_kind
kind_of(struct ts_rows *rows)
{
	const char *s;
	size_t n;

	if (ts_rows_text(rows, B_KIND, &s, &n) != TS_VALUE_OK)
		return TS_BLOCK_COMMON;
	for (int k = 0; k < TS_BLOCK_OTHER; k++)
		if (n == strlen(kind_names[k]) && memcmp(s, kind_names[k], n) == 0)
			return (enum ts_block_kind)k;
	return TS_BLOCK_OTHER;
}

/* Its own name, else that of its program. */
static enum ts_code
name_of(int32_t *name, struct reading *k, struct ts_rows *rows, int64_t program, struct ts_err *err)
{
	const char *s;
	uint32_t entry;
	size_t n;
	enum ts_code code;

	*name = TS_DICTIONARY_NONE;
	if (ts_rows_text(rows, B_NAME, &s, &n) != TS_VALUE_OK || n == 0)
		s = program == TS_UNKNOWN ? NULL : ts_names_find(&k->programs, program, &n);
	if (!s)
		return TS_OK;
	code = ts_dictionary_text(&k->b->names, &entry, s, n, err);
	if (!code && entry < INT32_MAX)
		*name = (int32_t)entry;
	return code;
}

static enum ts_code
add_block(struct reading *k, struct ts_rows *rows, struct ts_err *err)
{
	struct ts_block b = {.tile = ts_rows_known(rows, B_TILE),
		.seq = ts_rows_known(rows, B_SEQ),
		.from = ts_rows_known(rows, B_FROM),
		.to = ts_rows_known(rows, B_TO),
		.program = ts_rows_known(rows, B_PROGRAM),
		.kind = (uint16_t)kind_of(rows)};
	enum ts_code code;

	if (b.tile == TS_UNKNOWN || b.from == TS_UNKNOWN || b.to < b.from) {
		k->b->bad_rows++;
		return TS_OK;
	}
	code = name_of(&b.name, k, rows, b.program, err);
	if (code)
		return code;
	k->b->count++;
	return ts_pile_add(&k->b->block, &b, sizeof(b), k->cache, err);
}

static enum ts_code
read_rows(struct reading *k, struct ts_err *err)
{
	const struct ts_reach *reach = &k->rd->report->binding[TS_BLOCK].reach;
	struct ts_rows_query q = {.column_count = B_COLUMNS, .past_damage = true};
	struct ts_rows *rows = NULL;
	enum ts_code code;
	int64_t seen = 0;
	bool there;

	memcpy(q.columns, block_columns, sizeof(block_columns));
	code = ts_reader_rows(&rows, k->rd, TS_BLOCK, &q, err);
	while (!code && !(code = ts_rows_next(rows, &there, err)) && there) {
		if (++seen % PROGRESS_ROWS == 0)
			ts_progress_set(k->progress, seen, ts_reach_span(reach));
		code = add_block(k, rows, err);
	}
	ts_rows_close(rows);
	k->b->partial |= code == TS_E_DAMAGED;
	return code == TS_E_DAMAGED ? TS_OK : code;
}

/* --- inside and beside ------------------------------------------------------------------------------ */

static int
compare(int64_t a, int64_t b)
{
	return (a > b) - (a < b);
}

/* By tile and start; of those that start together the longest first, for it holds the others. */
static int
by_start(const void *a, const void *b)
{
	const struct ts_block *x = a, *y = b;
	int c = compare(x->tile, y->tile);

	c = c ? c : compare(x->from, y->from);
	c = c ? c : compare(y->to, x->to);
	return c ? c : compare(x->seq, y->seq);
}

static int
by_row(const void *a, const void *b)
{
	const struct ts_block *x = a, *y = b;
	int c = compare(x->tile, y->tile);

	c = c ? c : compare(x->row, y->row);
	return c ? c : compare(x->from, y->from);
}

/* A block that has begun, and how far its inside is covered by the blocks in it. */
struct open_block {
	struct ts_block *block; /* NULL: the row is free */
	int64_t covered;
};

/* Cycles of [from, to) behind *covered, which moves on: an overlap counts once. */
static int64_t
uncovered(int64_t *covered, int64_t from, int64_t to)
{
	int64_t start = ts_max_i64(from, *covered);

	if (to <= start)
		return 0;
	*covered = to;
	return to - start;
}

/* The shortest open block that holds b, or -1; the others that are still open cross it. */
static int
holder(int64_t *crossing, struct open_block open[TS_BLOCK_ROWS_MAX], int *rows,
	const struct ts_block *b)
{
	int best = -1;
	bool crosses = false;

	for (int i = 0; i < *rows; i++) {
		const struct ts_block *o = open[i].block;

		if (!o)
			continue;
		if (o->to <= b->from) {
			open[i].block = NULL;
			continue;
		}
		if (o->to < b->to)
			crosses = true;
		else if (best < 0 ||
			o->to - o->from <= open[best].block->to - open[best].block->from)
			best = i;
	}
	while (*rows > 0 && !open[*rows - 1].block)
		--*rows;
	*crossing += crosses;
	return best;
}

/* Give the next block, by start, its row. */
static void
place(struct ts_blocks *b, struct open_block open[TS_BLOCK_ROWS_MAX], int *rows,
	struct ts_block *block)
{
	int in = holder(&b->crossing, open, rows, block), row = in + 1;

	block->self = block->to - block->from;
	if (in >= 0)
		open[in].block->self -= uncovered(&open[in].covered, block->from, block->to);
	while (row < *rows && open[row].block)
		row++;
	if (row >= TS_BLOCK_ROWS_MAX) {
		block->row = TS_BLOCK_NO_ROW;
		b->too_deep++;
		return;
	}
	block->row = (uint16_t)row;
	open[row] = (struct open_block){block, block->from};
	*rows = row >= *rows ? row + 1 : *rows;
}

static bool
is_lost(const struct ts_block *b)
{
	return b->kind == TS_BLOCK_FLUSH || b->kind == TS_BLOCK_OVERFLOW;
}

/* One lane from *i on; its blocks stand by start. */
static void
walk_lane(struct ts_block_lane *lane, struct ts_blocks *b, size_t *i)
{
	struct open_block open[TS_BLOCK_ROWS_MAX];
	int64_t covered = 0;
	int rows = 0;

	memset(open, 0, sizeof(open));
	*lane = (struct ts_block_lane){.tile = block_of(b, *i)->tile,
		.from = block_of(b, *i)->from,
		.to = block_of(b, *i)->to,
		.first = *i};
	for (; *i < b->count && block_of(b, *i)->tile == lane->tile; ++*i) {
		struct ts_block *block = block_of(b, *i);

		lane->to = ts_max_i64(lane->to, block->to);
		if (is_lost(block))
			lane->lost += uncovered(&covered, block->from, block->to);
		place(b, open, &rows, block);
		lane->count++;
	}
}

static enum ts_code
find_lanes(struct reading *k, struct ts_err *err)
{
	struct ts_blocks *b = k->b;
	enum ts_code code = TS_OK;

	for (size_t i = 0; !code && i < b->count; b->lanes++) {
		struct ts_block_lane lane;

		walk_lane(&lane, b, &i);
		code = ts_pile_add(&b->lane, &lane, sizeof(lane), k->cache, err);
		if (!code && ts_cancelled(k->rd->cancel))
			code = ts_err_set(err, TS_E_CANCELLED, "cancelled");
	}
	return code;
}

/* Where the rows of each lane start, now that blocks stand by row. */
static enum ts_code
find_rows(struct reading *k, struct ts_err *err)
{
	struct ts_blocks *b = k->b;
	enum ts_code code = TS_OK;
	size_t used = 0;

	for (size_t l = 0; !code && l < b->lanes; l++) {
		struct ts_block_lane *lane = (struct ts_block_lane *)b->lane.memory + l;
		size_t i = lane->first, end = lane->first + lane->count;

		lane->row_at = used;
		for (; !code && i < end && block_of(b, i)->row < TS_BLOCK_NO_ROW; i++)
			if (block_of(b, i)->row >= lane->rows) { /* no row is empty */
				code = ts_pile_add(&b->row, &i, sizeof(i), k->cache, err);
				lane->rows++;
				used++;
			}
		if (!code)
			code = ts_pile_add(&b->row, &i, sizeof(i), k->cache, err);
		used++;
	}
	return code;
}

static enum ts_code
read_blocks(struct reading *k, struct ts_err *err)
{
	const struct ts_cancel *cancel = k->rd->cancel;
	struct ts_blocks *b = k->b;
	enum ts_code code = TS_OK;

	if (ts_report_has_column(k->rd->report, TS_PROGRAM, TS_PROGRAM_NAME))
		code = ts_names_read(&k->programs, k->rd, TS_PROGRAM, TS_PROGRAM_PROGRAM,
			TS_PROGRAM_NAME, err);
	b->partial |= code == TS_E_DAMAGED;
	if (!code || code == TS_E_DAMAGED)
		code = read_rows(k, err);
	if (!code)
		code = ts_pile_sort(&b->block, b->count, sizeof(struct ts_block), by_start,
			k->cache, cancel, err);
	if (!code)
		code = find_lanes(k, err);
	if (!code)
		code = ts_pile_sort(&b->block, b->count, sizeof(struct ts_block), by_row, k->cache,
			cancel, err);
	return code ? code : find_rows(k, err);
}

enum ts_code
ts_blocks_read(struct ts_blocks **out, struct ts_reader *rd, const struct ts_cache *cache,
	struct ts_progress *progress, struct ts_err *err)
{
	struct reading k = {.rd = rd, .cache = cache, .progress = progress};
	enum ts_code code;

	*out = NULL;
	if (!ts_report_has(rd->report, TS_BLOCK))
		return ts_err_set(err, TS_E_ABSENT, "block: %s",
			rd->report->binding[TS_BLOCK].reason);
	k.b = ts_alloc(1, sizeof(*k.b));
	if (!k.b)
		return ts_err_nomem(err);
	atomic_init(&k.b->uses, 1);
	k.b->names.cache = cache;
	code = read_blocks(&k, err);
	ts_names_fini(&k.programs);
	if (code) {
		ts_blocks_close(k.b);
		return code;
	}
	*out = k.b;
	return TS_OK;
}

struct ts_blocks *
ts_blocks_hold(struct ts_blocks *b)
{
	atomic_fetch_add(&b->uses, 1);
	return b;
}

void
ts_blocks_close(struct ts_blocks *b)
{
	if (!b || atomic_fetch_sub(&b->uses, 1) > 1)
		return;
	ts_pile_fini(&b->block);
	ts_pile_fini(&b->lane);
	ts_pile_fini(&b->row);
	ts_dictionary_fini(&b->names);
	free(b);
}

size_t
ts_blocks_after(const struct ts_blocks *b, const struct ts_block_lane *lane, size_t row,
	int64_t cycles)
{
	size_t low = ts_block_row_first(b, lane, row), high = ts_block_row_first(b, lane, row + 1);

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (ts_block_at(b, middle)->to <= cycles)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

const char *
ts_block_name(size_t *n, const struct ts_blocks *b, int32_t name)
{
	const struct ts_dictionary_entry *e;

	*n = 0;
	if (name == TS_DICTIONARY_NONE)
		return NULL;
	e = ts_dictionary_at(&b->names, (uint32_t)name);
	*n = e->n;
	return (const char *)b->names.text.memory + e->at;
}

/* --- statistics ------------------------------------------------------------------------------------- */

/* What a block adds to those of its name. */
struct sample {
	int32_t name;
	uint32_t kind;
	int64_t cycles, self;
};

static int
by_name(const void *a, const void *b)
{
	const struct sample *x = a, *y = b;
	int c = compare(x->name, y->name);

	c = c ? c : compare(x->kind, y->kind);
	return c ? c : compare(x->cycles, y->cycles);
}

static int
by_sum(const void *a, const void *b)
{
	const struct ts_block_statistics *x = a, *y = b;
	int c = compare(y->sum, x->sum);

	c = c ? c : compare(x->name, y->name);
	return c ? c : compare(x->kind, y->kind);
}

static void
add_up(int64_t *sum, int64_t v)
{
	if (!ts_add_i64(sum, v))
		*sum = INT64_MAX;
}

/* The samples of one name and kind, by cycles. */
static struct ts_block_statistics
statistics_of(const struct sample *s, size_t n)
{
	struct ts_block_statistics t = {.name = s->name,
		.kind = (enum ts_block_kind)s->kind,
		.count = (int64_t)n,
		.least = s[0].cycles,
		.p50 = s[(n - 1) / 2].cycles,
		.p95 = s[n - n / 20 - 1].cycles,
		.most = s[n - 1].cycles};
	double squares = 0;

	for (size_t i = 0; i < n; i++) {
		add_up(&t.sum, s[i].cycles);
		add_up(&t.self, s[i].self);
		t.mean += ((double)s[i].cycles - t.mean) / (double)(i + 1);
	}
	for (size_t i = 0; i < n; i++) {
		double off = (double)s[i].cycles - t.mean;

		squares += off * off;
	}
	t.deviation = sqrt(squares / (double)n);
	return t;
}

static enum ts_code
take_samples(struct ts_pile *to, size_t *n, const struct ts_blocks *b, int64_t tile, int64_t from,
	int64_t end, const struct ts_cache *cache, const struct ts_cancel *cancel,
	struct ts_err *err)
{
	enum ts_code code = TS_OK;

	for (size_t i = 0; !code && i < b->count; i++) {
		const struct ts_block *at = ts_block_at(b, i);
		struct sample s = {at->name, at->kind, at->to - at->from, at->self};

		if (i % CANCEL_BLOCKS == 0 && ts_cancelled(cancel))
			return ts_err_set(err, TS_E_CANCELLED, "cancelled");
		if ((tile != TS_UNKNOWN && at->tile != tile) || at->from < from || at->from >= end)
			continue;
		++*n;
		code = ts_pile_add(to, &s, sizeof(s), cache, err);
	}
	return code;
}

enum ts_code
ts_blocks_statistics(struct ts_pile *list, const struct ts_blocks *b, int64_t tile, int64_t from,
	int64_t to, const struct ts_cache *cache, const struct ts_cancel *cancel,
	struct ts_err *err)
{
	struct ts_pile samples = {0};
	size_t n = 0, groups = 0;
	enum ts_code code = take_samples(&samples, &n, b, tile, from, to, cache, cancel, err);

	if (!code)
		code = ts_pile_sort(&samples, n, sizeof(struct sample), by_name, cache, cancel,
			err);
	for (size_t i = 0, end; !code && i < n; i = end, groups++) {
		const struct sample *s = samples.memory;
		struct ts_block_statistics t;

		for (end = i + 1; end < n && s[end].name == s[i].name && s[end].kind == s[i].kind;)
			end++;
		t = statistics_of(&s[i], end - i);
		code = ts_pile_add(list, &t, sizeof(t), cache, err);
	}
	ts_pile_fini(&samples);
	if (!code)
		code = ts_pile_sort(list, groups, sizeof(struct ts_block_statistics), by_sum, cache,
			cancel, err);
	return code;
}
