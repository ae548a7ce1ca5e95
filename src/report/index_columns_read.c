/* SPDX-License-Identifier: MIT */
/* index_columns_read - blocks of columns, and names, out of the section; see index_columns.h. */
#include "config.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "tilescope/base/beside.h"
#include "tilescope/base/mem.h"
#include "tilescope/report/dictionary.h"
#include "tilescope/report/index_columns.h"
#include "tilescope/report/memory.h"
#include "tilescope/report/rows.h"

#include "index_columns_internal.h"

enum {
	ASK_GROUPS = 64,    /* of names, from one look at the clock to the next */
	ASK_BOTH = 1 << 14, /* so many names take longer than to begin a thread */
};

static const int relation_columns[TS_COLUMN_COUNT] = {
	[TS_COLUMN_NAME] = TS_LOWERED_VARIABLE_NAME,
	[TS_COLUMN_TILE] = TS_LOWERED_VARIABLE_TILE,
	[TS_COLUMN_BYTES] = TS_LOWERED_VARIABLE_BYTES,
	[TS_COLUMN_CATEGORY] = TS_LOWERED_VARIABLE_CATEGORY,
	[TS_COLUMN_ALWAYS] = TS_LOWERED_VARIABLE_ALWAYS_LIVE,
	[TS_COLUMN_ALIGNMENT] = TS_LOWERED_VARIABLE_ALIGNMENT,
};

int
ts_column_relation(enum ts_column column)
{
	return relation_columns[column];
}

int
ts_column_find(int relation_column)
{
	for (int i = 0; i < TS_COLUMN_COUNT; i++)
		if (relation_columns[i] == relation_column)
			return i;
	return -1;
}

/* --- the section ------------------------------------------------------------------------------ */

static bool
take_arrays(struct ts_columns *c, const struct columns_head *h, const void *payload, size_t size)
{
	uint64_t groups = ((uint64_t)h->names + TS_COLUMN_NAMES - 1) / TS_COLUMN_NAMES;

	c->start = ts_section_at(payload, size, h->start_at, (uint64_t)h->blocks + 1,
		sizeof(*c->start));
	c->bits = ts_section_at(payload, size, h->bits_at, h->bits_size, 1);
	c->bits_size = h->bits_size;
	c->text = ts_section_at(payload, size, h->text_at, h->text_size, 1);
	c->text_size = h->text_size;
	c->group = ts_section_at(payload, size, h->group_at, groups + 1, sizeof(*c->group));
	c->signature = ts_section_at(payload, size, h->signature_at, groups, sizeof(*c->signature));
	c->before = ts_section_at(payload, size, h->before_at, (uint64_t)h->names + 1,
		sizeof(*c->before));
	for (int i = 0; i < TS_COLUMN_COUNT; i++) {
		if (h->block_at[i] == 0)
			continue;
		c->block[i] = ts_section_at(payload, size, h->block_at[i], (uint64_t)h->blocks,
			sizeof(*c->block[i]));
		if (!c->block[i])
			return false;
	}
	return c->start && c->bits && c->text && c->group && c->signature && c->before;
}

bool
ts_columns_of(struct ts_columns *c, const struct ts_index *x)
{
	size_t size;
	int64_t end;
	const void *payload = ts_index_section(x, TS_SECTION_COLUMNS, &size);
	const struct columns_head *h = payload ? ts_section_at(payload, size, 0, 1, sizeof(*h))
					       : NULL;

	*c = (struct ts_columns){0};
	if (!h || h->flags & COLUMNS_LEFT_TO_THE_ROWS || h->rows < 0 || h->blocks < 0 ||
		h->names < 0 || h->texts < 0 || h->texts > h->names ||
		__builtin_add_overflow(h->first, h->rows, &end) ||
		h->rows > INT64_MAX / TS_COLUMN_ROWS || h->blocks > h->rows || h->names > h->rows ||
		!take_arrays(c, h, payload, size))
		return false;
	c->rows = h->rows;
	c->blocks = h->blocks;
	c->names = h->names;
	c->texts = h->texts;
	c->first = h->first;
	c->gapless = h->flags & COLUMNS_GAPLESS;
	c->bytes = h->bytes >= 0 ? h->bytes : TS_UNKNOWN;
	c->unsized = ts_clamp_i64(h->unsized, 0, h->rows);
	return c->start[0] == 0 && c->start[c->blocks] == c->rows;
}

/* --- blocks ----------------------------------------------------------------------------------- */

int
ts_columns_rows(const struct ts_columns *c, int64_t block)
{
	int64_t from = c->start[block], to = c->start[block + 1];

	return from >= 0 && to > from && to <= c->rows && to - from <= TS_COLUMN_ROWS
		? (int)(to - from)
		: 0;
}

static inline uint64_t
eight_bytes(const unsigned char *p)
{
	uint64_t v;

	memcpy(&v, p, sizeof(v));
	return v;
}

/* The packed numbers, `n` of them. */
static void
unpack(uint64_t *out, const unsigned char *bits, int width, int n)
{
	uint64_t mask = (UINT64_C(1) << (width & 63)) - 1;

	if (width == COLUMN_WHOLE) {
		memcpy(out, bits, (size_t)n * sizeof(*out));
		return;
	}
	for (size_t i = 0, bit = 0; i < (size_t)n; i++, bit += (size_t)width)
		out[i] = eight_bytes(bits + bit / 8) >> bit % 8 & mask;
}

static bool
is_sound(const struct ts_columns *c, const struct ts_column_block *b, int rows)
{
	uint64_t bytes = ((uint64_t)column_packed(b, rows) * b->width + 7) / 8 + COLUMN_SLACK;

	return (b->width <= COLUMN_WIDTH_MOST || b->width == COLUMN_WHOLE) && b->shift < 64 &&
		b->at <= c->bits_size && bytes <= c->bits_size - b->at;
}

/* Each the one before and a step more. */
static bool
add_steps(uint64_t *u, const struct ts_column_block *b, int rows)
{
	uint64_t at = b->base - (uint64_t)(int64_t)b->step, beyond = 0;

	u[0] = 0;
	for (int k = 0; k < rows; k++) {
		at += u[k] + (uint64_t)(int64_t)b->step;
		u[k] = at - 1;
		beyond |= at > (uint64_t)TS_NUMBER_MAX + 1;
	}
	return !beyond;
}

/* No value of it can be too large: so none is looked at. */
static bool
is_small(const struct ts_column_block *b)
{
	uint64_t most;

	return b->width <= COLUMN_WIDTH_MOST && b->shift < 64 - COLUMN_WIDTH_MOST &&
		!__builtin_add_overflow(b->base, ((UINT64_C(1) << b->width) - 1) << b->shift,
			&most) &&
		most <= (uint64_t)TS_NUMBER_MAX + 1;
}

bool
ts_columns_read(const struct ts_columns *c, enum ts_column column, int64_t block, int64_t *v)
{
	const struct ts_column_block *b = &c->block[column][block];
	int rows = ts_columns_rows(c, block);
	uint64_t *u = (uint64_t *)v, beyond = 0;

	if (rows == 0 || !is_sound(c, b, rows))
		return false;
	if (!b->differs && is_small(b)) {
		const unsigned char *bits = c->bits + b->at;
		uint64_t mask = (UINT64_C(1) << b->width) - 1, base = b->base - 1, width = b->width;
		int shift = b->shift;

		for (size_t k = 0, bit = 0; k < (size_t)rows; k++, bit += width)
			u[k] = base + ((eight_bytes(bits + bit / 8) >> bit % 8 & mask) << shift);
		return true;
	}
	unpack(b->differs ? u + 1 : u, c->bits + b->at, b->width, (int)column_packed(b, rows));
	if (b->differs)
		return add_steps(u, b, rows);
	for (int k = 0; k < rows; k++) {
		uint64_t value = b->base + (u[k] << b->shift);

		u[k] = value - 1;
		beyond |= value > (uint64_t)TS_NUMBER_MAX + 1;
	}
	return !beyond;
}

void
ts_columns_bounds(const struct ts_columns *c, enum ts_column column, int64_t block, int64_t *least,
	int64_t *most, bool *unknown)
{
	const struct ts_column_block *b = &c->block[column][block];
	uint64_t range, top;

	*least = 0;
	*most = TS_NUMBER_MAX;
	*unknown = true;
	if (b->width > COLUMN_WIDTH_MOST || b->shift >= 64 || b->base == 0 ||
		b->base > (uint64_t)TS_NUMBER_MAX)
		return;
	if (b->differs && b->step < 0)
		return;
	*unknown = false;
	*least = (int64_t)b->base - 1;
	range = (UINT64_C(1) << b->width) - 1;
	if (b->differs ? __builtin_mul_overflow(range + (uint64_t)b->step, TS_COLUMN_ROWS, &range)
		       : __builtin_mul_overflow(range, UINT64_C(1) << b->shift, &range))
		return;
	if (!__builtin_add_overflow(b->base - 1, range, &top) && top < (uint64_t)TS_NUMBER_MAX)
		*most = (int64_t)top;
}

enum { FEW = 64, FEW_WIDTH = 6, TOGETHER = 8 /* rows: so many begin with a byte, and fit eight */ };

/* Of the packed numbers those that stand for what is wanted. */
static uint64_t
packed_wanted(const struct ts_column_block *b, uint64_t wanted)
{
	uint64_t packed = 0;

	for (uint64_t i = 0; i < UINT64_C(1) << b->width; i++)
		packed |= (wanted >> (b->base - 1 + (i << b->shift)) & 1) << i;
	return packed;
}

/* A bit for each of eight packed numbers that are wanted. */
static inline uint64_t
few_of(uint64_t v, int width, uint64_t packed)
{
	uint64_t mask = (UINT64_C(1) << width) - 1, bits = 0;

	for (int i = 0; i < TOGETHER; i++, v >>= width)
		bits |= (packed >> (v & mask) & 1) << i;
	return bits;
}

bool
ts_columns_few(const struct ts_columns *c, enum ts_column column, int64_t block, uint64_t wanted,
	uint64_t out[TS_COLUMN_ROWS / 64])
{
	const struct ts_column_block *b = &c->block[column][block];
	int rows = ts_columns_rows(c, block), width = b->width;
	uint64_t packed, one = 0, ones = 0, highs, all;
	const unsigned char *bits;

	if (rows == 0 || !is_sound(c, b, rows) || b->differs || width < 1 || width > FEW_WIDTH ||
		b->base == 0 || b->base > FEW || b->shift >= FEW_WIDTH ||
		b->base - 1 + (((UINT64_C(1) << width) - 1) << b->shift) >= FEW)
		return false;
	bits = c->bits + b->at;
	packed = packed_wanted(b, wanted);
	for (int i = 0; i < TOGETHER; i++)
		ones |= UINT64_C(1) << i * width;
	highs = ones << (width - 1);
	all = ones * ((UINT64_C(1) << width) - 1);
	if (packed && !(packed & (packed - 1)))
		one = ones * (uint64_t)__builtin_ctzll(packed);
	memset(out, 0, TS_COLUMN_ROWS / 8);
	for (int k = 0; k < rows && packed; k += TOGETHER, bits += width) {
		uint64_t v = eight_bytes(bits), differ = (v ^ one) & all;

		/* of one number: is any of the eight, less that number, 0? */
		if ((packed & (packed - 1)) == 0 && !((differ - ones) & ~differ & highs))
			continue;
		out[k / 64] |= few_of(v, width, packed) << k % 64;
	}
	if (rows % 64)
		out[rows / 64] &= (UINT64_C(1) << rows % 64) - 1;
	return true;
}

/* The block that a row is in: those of parts may end with fewer rows. -1: there is none. */
static inline int64_t
block_of(const struct ts_columns *c, int64_t place)
{
	int64_t block = place / TS_COLUMN_ROWS;

	if (place < 0 || place >= c->rows || block >= c->blocks)
		return -1;
	while (block + 1 < c->blocks && c->start[block + 1] <= place)
		block++;
	return block;
}

/* The number of a row in its block, or anything where the section is not to be believed. */
static inline int64_t
row_of(const struct ts_columns *c, int64_t block, int64_t place)
{
	return (int64_t)((uint64_t)place - (uint64_t)c->start[block]);
}

/* Row k of a block. Values that do not differ from the one before stand anywhere; of others all before have to be added up. */
static bool
value_at(const struct ts_columns *c, enum ts_column column, int64_t block, int64_t k, int64_t *v)
{
	const struct ts_column_block *b = &c->block[column][block];
	int rows = ts_columns_rows(c, block);
	uint64_t value = b->base, bit;

	if (k < 0 || k >= rows || !is_sound(c, b, rows))
		return false;
	if (b->differs) {
		uint64_t steps[TS_COLUMN_ROWS];

		unpack(steps, c->bits + b->at, b->width, (int)k);
		for (int64_t i = 0; i < k; i++)
			value += steps[i] + (uint64_t)(int64_t)b->step;
	} else if (b->width == COLUMN_WHOLE) {
		value += eight_bytes(c->bits + b->at + (size_t)k * 8) << b->shift;
	} else {
		bit = (uint64_t)k * b->width;
		value += (eight_bytes(c->bits + b->at + bit / 8) >> bit % 8 &
				 ((UINT64_C(1) << b->width) - 1))
			<< b->shift;
	}
	*v = (int64_t)(value - 1);
	return value <= (uint64_t)TS_NUMBER_MAX + 1;
}

bool
ts_columns_at(const struct ts_columns *c, enum ts_column column, int64_t place, int64_t *v)
{
	int64_t block = block_of(c, place);

	return block >= 0 && value_at(c, column, block, row_of(c, block, place), v);
}

bool
ts_columns_gather(const struct ts_columns *c, enum ts_column column, const int64_t *place, int n,
	int64_t *v)
{
	int64_t block[TS_COLUMN_GATHER];
	bool sound = true;

	for (int i = 0; i < n && sound; i++) { /* what is far apart is fetched together */
		block[i] = block_of(c, place[i]);
		sound = block[i] >= 0;
		if (sound)
			__builtin_prefetch(&c->block[column][block[i]]);
	}
	for (int i = 0; i < n && sound; i++) {
		const struct ts_column_block *b = &c->block[column][block[i]];
		uint64_t k = (uint64_t)row_of(c, block[i], place[i]) % TS_COLUMN_ROWS;

		if (b->at < c->bits_size)
			__builtin_prefetch(c->bits +
				ts_min_i64((int64_t)(b->at + k * b->width / 8),
					(int64_t)c->bits_size - 1));
	}
	for (int i = 0; i < n && sound; i++)
		sound = value_at(c, column, block[i], row_of(c, block[i], place[i]), &v[i]);
	return sound;
}

static inline bool
is_wanted(const uint64_t *wanted, uint64_t names, uint64_t name)
{
	name = name < names ? name : names; /* also of rows without one */
	return wanted[name / 64] >> name % 64 & 1;
}

int
ts_columns_pick(const struct ts_columns *c, int64_t block, const uint64_t *wanted, int most,
	uint16_t out[TS_COLUMN_ROWS])
{
	const struct ts_column_block *b = &c->block[TS_COLUMN_NAME][block];
	int rows = ts_columns_rows(c, block), n = 0;
	uint64_t names = (uint64_t)c->names, mask = (UINT64_C(1) << (b->width & 63)) - 1;
	uint64_t base = b->base - 1;
	const unsigned char *bits;

	if (rows == 0 || !is_sound(c, b, rows))
		return -1;
	bits = c->bits + b->at;
	if (b->differs || b->width == COLUMN_WHOLE || b->shift > 0) {
		int64_t v[TS_COLUMN_ROWS];

		if (!ts_columns_read(c, TS_COLUMN_NAME, block, v))
			return -1;
		for (int k = 0; k < rows && n < most; k++) {
			out[n] = (uint16_t)k;
			n += is_wanted(wanted, names, (uint64_t)v[k]);
		}
		return n;
	}
	for (size_t k = 0, bit = 0; k < (size_t)rows && n < most; k++, bit += b->width) {
		uint64_t v = base + (eight_bytes(bits + bit / 8) >> bit % 8 & mask);

		out[n] = (uint16_t)k;
		n += is_wanted(wanted, names, v);
	}
	return n;
}

/* --- names ------------------------------------------------------------------------------------ */

static bool
take_number(const unsigned char **at, const unsigned char *end, uint32_t *v)
{
	*v = 0;
	for (int shift = 0; *at < end && shift < 28; shift += 7) {
		unsigned char byte = *(*at)++;

		*v |= (uint32_t)(byte & 0x7f) << shift;
		if (!(byte & 0x80))
			return true;
	}
	return false;
}

bool
ts_columns_names(const struct ts_columns *c, int64_t group, ts_columns_name_fn *each, void *ctx)
{
	int64_t name = group * TS_COLUMN_NAMES, end = name + TS_COLUMN_NAMES;
	uint64_t from = c->group[group], to = c->group[group + 1];
	const unsigned char *at, *stop;
	char text[TS_DICTIONARY_TEXT];
	uint32_t n = 0;

	if (from > to || to > c->text_size)
		return false;
	at = c->text + from;
	stop = c->text + to;
	for (; name < end && name < c->names; name++) {
		uint32_t same, more;

		if (!take_number(&at, stop, &same) || !take_number(&at, stop, &more))
			return false;
		if (more-- == 0) { /* no text */
			each(ctx, name, NULL, 0, 0);
			continue;
		}
		if (same > n || more > sizeof(text) - same || more > (size_t)(stop - at))
			return false;
		memcpy(text + same, at, more);
		at += more;
		n = same + more;
		each(ctx, name, text, n, same);
	}
	return true;
}

static int64_t
groups_of(const struct ts_columns *c)
{
	return (c->names + TS_COLUMN_NAMES - 1) / TS_COLUMN_NAMES;
}

enum ts_code
ts_name_answers_init(struct ts_name_answers *a, const struct ts_columns *c,
	const struct ts_cache *cache, ts_name_ask_fn *ask, ts_name_may_fn *may, void *ctx,
	struct ts_err *err)
{
	int64_t groups = groups_of(c);

	*a = (struct ts_name_answers){.columns = c,
		.ask = ask,
		.may = may,
		.ctx = ctx,
		.groups = groups};
	a->nameless = ask(ctx, NULL, 0, 0);
	if (may) {
		a->none = ask(ctx, "", 0, 0);
		a->group = ts_alloc((size_t)groups / 64 + 1, sizeof(*a->group));
		a->groups = 0;
		if (!a->group)
			return ts_err_nomem(err);
	}
	for (int64_t g = 0; may && g < groups; g++) {
		bool asks = may(ctx, &c->signature[g]);

		a->group[g / 64] |= (uint64_t)asks << g % 64;
		a->groups += asks;
	}
	return ts_pile_room(&a->answer, ((size_t)c->names + 1) * sizeof(uint32_t), cache, err);
}

void
ts_name_answers_fini(struct ts_name_answers *a)
{
	ts_pile_fini(&a->answer);
	free(a->group);
	a->group = NULL;
}

static void
take_answer(void *ctx, int64_t name, const char *s, size_t n, size_t same)
{
	struct ts_name_answers *a = ctx;

	((uint32_t *)a->answer.memory)[name] = s ? a->ask(a->ctx, s, n, same) : a->nameless;
}

bool
ts_name_answers_ask(struct ts_name_answers *a, int64_t name)
{
	return ts_columns_names(a->columns, name / TS_COLUMN_NAMES, take_answer, a);
}

/* Names that are asked by two: both write answers of groups that they have taken, each its own. */
struct asking_all {
	struct ts_name_answers of[TS_BESIDE];
	_Atomic int64_t next; /* group */
	bool (*late)(void *late_ctx, int who);
	void *late_ctx;
	atomic_bool stopped, unsound;
};

static void
ask_groups(void *ctx, int who)
{
	struct asking_all *x = ctx;
	struct ts_name_answers *a = &x->of[who];
	int64_t groups = groups_of(a->columns), g;
	const uint32_t *answer = a->answer.memory; /* those of a group come together */

	while (!atomic_load(&x->stopped) && !atomic_load(&x->unsound) &&
		(g = atomic_fetch_add(&x->next, ASK_GROUPS)) < groups) {
		if (x->late(x->late_ctx, who))
			atomic_store(&x->stopped, true);
		for (int64_t end = ts_min_i64(g + ASK_GROUPS, groups); g < end; g++)
			if (ts_name_answers_asks(a, g) && !answer[g * TS_COLUMN_NAMES] &&
				!ts_name_answers_ask(a, g * TS_COLUMN_NAMES))
				atomic_store(&x->unsound, true);
	}
}

bool
ts_name_answers_all(struct ts_name_answers *a, void *other, bool (*late)(void *late_ctx, int who),
	void *late_ctx, bool *stopped)
{
	struct asking_all x = {.of = {*a, *a}, .late = late, .late_ctx = late_ctx};

	x.of[1].ctx = other;
	if (a->groups >= ASK_BOTH / TS_COLUMN_NAMES)
		ts_beside(ask_groups, &x);
	else
		ask_groups(&x, 0);
	*stopped = atomic_load(&x.stopped);
	return !atomic_load(&x.unsound);
}
