/* SPDX-License-Identifier: MIT */
/*
 * name_pass - see the header.
 *
 * A name that was met has an entry in a dictionary, by its text, or by its number where rows have numbers of
 * a table of names; what group it is in stands beside it. That table is read once, before the first row. Where the index
 * has columns and names (index_columns.h) no row is read, and no column where it is tiles that are asked for and the index has
 * those of each name (name_pass_tiles.c).
 */
#include "config.h"

#include <stdatomic.h>
#include <stdlib.h>

#include "tilescope/base/beside.h"
#include "tilescope/base/mem.h"
#include "tilescope/report/dictionary.h"
#include "tilescope/report/index_columns.h"
#include "tilescope/report/memory.h"
#include "tilescope/report/name_pass.h"
#include "tilescope/report/rows.h"
#include "name_pass_tiles.h"
#include "variable_internal.h"

enum { P_TILE, P_BYTES, P_NAME, P_COLUMNS, PROGRESS_ROWS = 1 << 15, REST_ROWS = 1 << 18 };

enum {
	LOOK = 64,	      /* blocks from one look at the token to the next */
	BOTH_BLOCKS = 1 << 7, /* so many take longer than to begin a thread */
};

static const int columns[P_COLUMNS] = {TS_LOWERED_VARIABLE_TILE, TS_LOWERED_VARIABLE_BYTES,
	TS_LOWERED_VARIABLE_NAME};

struct ts_name_pass {
	const struct ts_cache *cache;
	struct ts_dictionary names; /* texts, or numbers */
	struct ts_pile group;	    /* int16_t an entry of it */
	bool by_number, opened;
	int64_t next;	    /* row id to go on at */
	int64_t rows, of;   /* read; in all, about (0 = not known) */
	struct ts_err hurt; /* damage that was passed over; code 0: none */

	/* where the index has them */
	struct ts_index *index; /* held; NULL: it has not */
	struct ts_columns columns;
	struct ts_name_answers answers;
	int64_t block; /* the next one */
};

enum ts_code
ts_name_pass_new(struct ts_name_pass **out, const struct ts_report *r, const struct ts_cache *cache,
	struct ts_err *err)
{
	const struct ts_binding *b = &r->binding[TS_LOWERED_VARIABLE];
	struct ts_name_pass *p;

	*out = NULL;
	if (!b->bound)
		return ts_err_set(err, TS_E_ABSENT, "variables of tiles are not recorded: %s",
			b->reason);
	if (!ts_report_has_column(r, TS_LOWERED_VARIABLE, TS_LOWERED_VARIABLE_NAME))
		return ts_err_set(err, TS_E_ABSENT,
			"names of the tiles' variables are not recorded");
	p = ts_alloc(1, sizeof(*p));
	if (!p)
		return ts_err_nomem(err);
	p->cache = p->names.cache = cache;
	p->by_number = b->column[TS_LOWERED_VARIABLE_NAME].op == TS_OP_DICT;
	p->next = b->reach.first_rowid;
	p->of = ts_reach_span(&b->reach);
	*out = p;
	return TS_OK;
}

static void leave_columns(struct ts_name_pass *p);

void
ts_name_pass_free(struct ts_name_pass *p)
{
	if (!p)
		return;
	leave_columns(p);
	ts_dictionary_fini(&p->names);
	ts_pile_fini(&p->group);
	free(p);
}

int64_t
ts_name_pass_rows(const struct ts_name_pass *p, int64_t *of)
{
	*of = ts_max_i64(p->of, p->rows);
	return p->rows;
}

/* --- names ------------------------------------------------------------------------------------ */

static enum ts_code
add_group(struct ts_name_pass *p, const struct ts_name_asker *a, const char *s, size_t n,
	struct ts_err *err)
{
	int group = s ? a->group(a->ctx, s, n, 0) : TS_NAME_GROUP_NONE;
	int16_t kept = (int16_t)(group < TS_NAME_GROUPS ? group : TS_NAME_GROUP_NONE);

	return ts_pile_add(&p->group, &kept, sizeof(kept), p->cache, err);
}

struct table_of {
	struct ts_name_pass *p;
	const struct ts_name_asker *asker;
};

/* The first row of a number counts, as where names are looked up one by one. */
static enum ts_code
take_number(void *ctx, int64_t number, const char *s, size_t n, struct ts_err *err)
{
	const struct table_of *t = ctx;
	uint32_t entry;
	enum ts_code code;

	if (ts_dictionary_find(&t->p->names, number) != TS_DICTIONARY_NONE)
		return TS_OK;
	code = ts_dictionary_number(&t->p->names, &entry, number, "", 0, err);
	return code ? code : add_group(t->p, t->asker, s, n, err);
}

static enum ts_code
open_names(struct ts_name_pass *p, struct ts_reader *rd, const struct ts_name_asker *a,
	struct ts_err *err)
{
	struct table_of t = {p, a};
	enum ts_code code;

	if (p->opened || !p->by_number)
		return TS_OK;
	code = variable_name_table(rd, TS_LOWERED_VARIABLE, TS_LOWERED_VARIABLE_NAME, take_number,
		&t, NULL, err);
	p->opened = !code;
	return code;
}

static int
group_at(const struct ts_name_pass *p, int64_t entry)
{
	return entry < 0 ? TS_NAME_GROUP_NONE : ((const int16_t *)p->group.memory)[entry];
}

/* The group of row k of a block. */
static enum ts_code
group_of(struct ts_name_pass *p, const struct ts_name_asker *a, struct ts_rows *rows,
	const struct ts_rows_block *b, int k, int *group, struct ts_err *err)
{
	uint32_t entry, count = p->names.count;
	enum ts_code code;
	const char *s;
	size_t n;

	*group = TS_NAME_GROUP_NONE;
	if (p->by_number) {
		if (b->is[P_NAME] == TS_VALUE_OK)
			*group = group_at(p, ts_dictionary_find(&p->names, b->v[P_NAME][k]));
		return TS_OK;
	}
	/* what is no number stands in a block of its own: the cursor's row */
	if (b->is[P_NAME] != TS_VALUE_BAD || ts_rows_text(rows, P_NAME, &s, &n) != TS_VALUE_OK)
		return TS_OK;
	n = n < TS_DICTIONARY_TEXT ? n : TS_DICTIONARY_TEXT;
	code = ts_dictionary_text(&p->names, &entry, s, n, err);
	if (!code && p->names.count > count)
		code = add_group(p, a, s, n, err);
	if (!code)
		*group = group_at(p, entry);
	return code;
}

/* --- rows ------------------------------------------------------------------------------------- */

static enum ts_code
take_block(struct ts_name_pass *p, const struct ts_name_asker *a, struct ts_rows *rows,
	const struct ts_rows_block *b, struct ts_err *err)
{
	for (int k = 0; k < b->rows; k++) {
		int64_t tile = b->is[P_TILE] == TS_VALUE_OK ? b->v[P_TILE][k] : TS_UNKNOWN;
		int64_t bytes = b->is[P_BYTES] == TS_VALUE_OK ? b->v[P_BYTES][k] : TS_UNKNOWN;
		int group;
		enum ts_code code = group_of(p, a, rows, b, k, &group, err);

		if (code)
			return code;
		if (!a->row(a->ctx, tile, bytes, group))
			return ts_err_nomem(err);
	}
	if (b->rows > 0 && b->rowid)
		p->next = b->rowid[b->rows - 1] + (b->rowid[b->rows - 1] < INT64_MAX);
	p->rows += b->rows;
	return TS_OK;
}

static enum ts_code
read_blocks(struct ts_name_pass *p, bool *end, struct ts_rows *rows, const struct ts_name_asker *a,
	int64_t until, struct ts_progress *progress, struct ts_err *err)
{
	int64_t told = 0, rested = p->rows;
	struct ts_rows_block b;
	enum ts_code code;

	while (!(code = ts_rows_block(rows, &b, err))) {
		*end = b.rows == 0;
		if (*end)
			return TS_OK;
		code = take_block(p, a, rows, &b, err);
		if (code)
			return code;
		if (p->rows - told >= PROGRESS_ROWS)
			ts_progress_set(progress, told = p->rows, ts_max_i64(p->of, p->rows));
		if (p->rows - rested >= REST_ROWS) {
			rested = p->rows;
			ts_dictionary_rest(&p->names);
		}
		if (until > 0 && p->rows >= until)
			return ts_rows_passed(rows, err);
	}
	*end = true;
	return code;
}

/* --- columns of the index ----------------------------------------------------------------------- */

/* An answer is the group, and 2; 1: it is in none. */
static uint32_t
group_of_name(void *ctx, const char *s, size_t n, size_t same)
{
	const struct ts_name_asker *a = ctx;
	int group = s ? a->group(a->ctx, s, n, same) : TS_NAME_GROUP_NONE;

	return group >= 0 && group < TS_NAME_GROUPS ? (uint32_t)group + 2 : 1;
}

static bool
may_have_group(void *ctx, const struct ts_signature *names)
{
	const struct ts_name_asker *a = ctx;

	return a->may(a->ctx, names);
}

/* Rows of the tile under way, by group: groups from GROUP_NONE on. */
enum { TOGETHER = 256 };

/* Of a variable: no sum of as many as a section has is too large. */
#define SMALL_BYTES (INT64_C(1) << 28)

struct together {
	bool off; /* there was a larger one: they come one by one */
	int64_t tile, bytes[TOGETHER], rows[TOGETHER];
};

/* What was put together is handed over. */
static bool
hand_over(struct together *t, const struct ts_name_asker *a)
{
	bool room = true;

	for (int i = 0; i < TOGETHER && room; i++) {
		if (t->rows[i] > 0)
			room = a->rows(a->ctx, t->tile, t->bytes[i], i - 1, t->rows[i]);
		t->rows[i] = t->bytes[i] = 0;
	}
	return room;
}

/* False: no memory. */
static bool
put_row(struct together *t, const struct ts_name_asker *a, int64_t tile, int64_t bytes, int group)
{
	if (t->off)
		return a->row(a->ctx, tile, bytes, group);
	if (tile != t->tile && !hand_over(t, a))
		return false;
	t->tile = tile;
	if (bytes > SMALL_BYTES) {
		t->off = true;
		return hand_over(t, a) && a->row(a->ctx, tile, bytes, group);
	}
	if (tile < 0 || bytes < 0 || group + 1 >= TOGETHER)
		return a->row(a->ctx, tile, bytes, group);
	t->rows[group + 1]++;
	t->bytes[group + 1] += bytes;
	return true;
}

struct column_block {
	int64_t name[TS_COLUMN_ROWS], tile[TS_COLUMN_ROWS], bytes[TS_COLUMN_ROWS];
	uint32_t group[TS_COLUMN_ROWS];
};

static bool
read_block(struct column_block *v, const struct ts_columns *c, struct ts_name_answers *names,
	int64_t block)
{
	return ts_columns_rows(c, block) > 0 &&
		ts_columns_read(c, TS_COLUMN_NAME, block, v->name) &&
		ts_columns_read(c, TS_COLUMN_TILE, block, v->tile) &&
		ts_columns_read(c, TS_COLUMN_BYTES, block, v->bytes) &&
		ts_name_answers_of(names, v->name, ts_columns_rows(c, block), v->group);
}

/* Until `until` rows are read. *sound false: the section is not to be believed from the next block on. */
static enum ts_code
take_columns(bool *sound, struct ts_name_pass *p, const struct ts_name_asker *a, int64_t until,
	const struct ts_cancel *cancel, struct ts_progress *progress, struct ts_err *err)
{
	const struct ts_columns *c = &p->columns;
	struct column_block v;
	struct together t = {.off = !a->rows || c->rows > INT32_MAX};

	for (; p->block < c->blocks && p->rows < until; p->block++) {
		int rows = ts_columns_rows(c, p->block);

		if (p->block % LOOK == 0 && ts_cancelled(cancel))
			return ts_err_set(err, TS_E_CANCELLED, "cancelled");
		if (p->block % LOOK == 0)
			ts_progress_set(progress, p->rows, c->rows);
		*sound = read_block(&v, c, &p->answers, p->block);
		if (!*sound)
			break;
		for (int k = 0; k < rows; k++)
			if (!put_row(&t, a, v.tile[k], v.bytes[k], (int)v.group[k] - 2))
				return ts_err_nomem(err);
		p->rows += rows;
		p->next += rows;
	}
	return t.off || hand_over(&t, a) ? TS_OK : ts_err_nomem(err);
}

static bool
is_stopped(void *ctx, int who)
{
	(void)who;
	return ts_cancelled(ctx);
}

/* A bit for each name that is in a group, and one more; *some: there is one. NULL: no memory. */
static uint64_t *
names_in_groups(bool *some, bool *sound, struct ts_name_pass *p, const struct ts_name_asker *a,
	const struct ts_cancel *cancel)
{
	struct ts_name_asker other = *a;
	const uint32_t *answer = p->answers.answer.memory;
	int64_t names = p->columns.names;
	uint64_t *in = ts_alloc((size_t)names / 64 + 1, sizeof(*in));
	bool stopped = false;

	*some = false;
	if (!in)
		return NULL;
	other.ctx = a->other;
	if (a->other)
		*sound = ts_name_answers_all(&p->answers, &other, is_stopped,
			(void *)(uintptr_t)cancel, &stopped);
	for (int64_t g = 0; g * TS_COLUMN_NAMES < names && *sound; g++) {
		int64_t i = g * TS_COLUMN_NAMES, end = ts_min_i64(i + TS_COLUMN_NAMES, names);

		if (!ts_name_answers_asks(&p->answers, g))
			continue;
		if (ts_cancelled(cancel))
			break;
		if (!a->other)
			*sound = ts_name_answers_ask(&p->answers, i);
		for (; i < end; i++) {
			in[i / 64] |= (uint64_t)(answer[i] > 1) << i % 64;
			*some |= answer[i] > 1;
		}
	}
	return in;
}

/* Blocks that are gone through for their tiles, by one or two threads. */
struct tiles_of {
	struct ts_name_pass *p;
	const uint64_t *in; /* names that count */
	const struct ts_name_asker *a;
	const struct ts_cancel *cancel;
	_Atomic int64_t next; /* block */
	atomic_bool unsound, full;
};

/*
 * The tiles of the rows of a block that are in the group, but for the one that was given last; false: no memory. Of a block of
 * one tile the first such row is enough.
 */
static bool
take_tiles(bool *sound, int64_t *last, const struct tiles_of *x, int64_t block, void *ctx)
{
	const struct ts_columns *c = &x->p->columns;
	int64_t tile[TS_COLUMN_ROWS], least, most;
	uint16_t k[TS_COLUMN_ROWS];
	bool unknown, one, room = true;
	int n;

	ts_columns_bounds(c, TS_COLUMN_TILE, block, &least, &most, &unknown);
	one = !unknown && least == most;
	if (one && least == *last)
		return true;
	n = ts_columns_pick(c, block, x->in, one ? 1 : TS_COLUMN_ROWS, k);
	*sound = n >= 0;
	if (n > 0 && !one)
		*sound = ts_columns_read(c, TS_COLUMN_TILE, block, tile);
	for (int i = 0; i < n && *sound && room; i++) {
		int64_t at = one ? least : tile[k[i]];

		if (at == *last)
			continue;
		room = x->a->row(ctx, at, TS_UNKNOWN, 0);
		*last = at;
		if (one)
			break;
	}
	return room;
}

static void
take_blocks(void *ctx, int who)
{
	struct tiles_of *x = ctx;
	int64_t last = TS_UNKNOWN, b;

	while (!atomic_load(&x->unsound) && !atomic_load(&x->full) && !ts_cancelled(x->cancel) &&
		(b = atomic_fetch_add(&x->next, LOOK)) < x->p->columns.blocks) {
		for (int64_t end = ts_min_i64(b + LOOK, x->p->columns.blocks); b < end; b++) {
			bool sound = true;

			if (!take_tiles(&sound, &last, x, b, who == 0 ? x->a->ctx : x->a->other))
				atomic_store(&x->full, true);
			if (!sound)
				atomic_store(&x->unsound, true);
		}
	}
}

/* False: no memory. */
static bool
take_all_tiles(bool *sound, struct ts_name_pass *p, const uint64_t *in,
	const struct ts_name_asker *a, const struct ts_cancel *cancel)
{
	struct tiles_of x = {.p = p, .in = in, .a = a, .cancel = cancel};

	if (a->other && p->columns.blocks >= BOTH_BLOCKS)
		ts_beside(take_blocks, &x);
	else
		take_blocks(&x, 0);
	*sound = !atomic_load(&x.unsound);
	return !atomic_load(&x.full);
}

/* All rows of a block that are in a group. */
static bool
take_rows(bool *sound, struct ts_name_pass *p, const uint64_t *in, const struct ts_name_asker *a)
{
	uint16_t k[TS_COLUMN_ROWS];
	int n = ts_columns_pick(&p->columns, p->block, in, TS_COLUMN_ROWS, k);
	struct column_block v;
	bool room = true;

	*sound = n >= 0 && (n == 0 || read_block(&v, &p->columns, &p->answers, p->block));
	for (int i = 0; i < n && *sound && room; i++)
		room = a->row(a->ctx, v.tile[k[i]], v.bytes[k[i]], (int)v.group[k[i]] - 2);
	return room;
}

/* Which names are asked for is known first: most blocks have none of them. */
static enum ts_code
take_named(bool *sound, struct ts_name_pass *p, const struct ts_name_asker *a,
	const struct ts_cancel *cancel, struct ts_err *err)
{
	bool some, room;
	uint64_t *in = names_in_groups(&some, sound, p, a, cancel);

	room = in;
	if (some && room && *sound && a->tiles_alone)
		room = take_all_tiles(sound, p, in, a, cancel);
	for (; some && room && *sound && !a->tiles_alone && p->block < p->columns.blocks;
		p->block++) {
		if (p->block % LOOK == 0 && ts_cancelled(cancel))
			break;
		room = take_rows(sound, p, in, a);
	}
	free(in);
	if (ts_cancelled(cancel))
		return ts_err_set(err, TS_E_CANCELLED, "cancelled");
	if (*sound) {
		p->block = p->columns.blocks;
		p->rows = p->columns.rows;
		p->next += p->rows;
	}
	return room ? TS_OK : ts_err_nomem(err);
}

static void
leave_columns(struct ts_name_pass *p)
{
	ts_name_answers_fini(&p->answers);
	ts_index_release(p->index);
	p->index = NULL;
}

/* Before the first row: are they in the index? */
static bool
has_columns(struct ts_name_pass *p, const struct ts_reader *rd)
{
	struct ts_columns *c = &p->columns;

	return ts_columns_of(c, rd->index) && c->block[TS_COLUMN_NAME] && c->gapless &&
		c->first == p->next &&
		c->rows == ts_reach_span(&rd->report->binding[TS_LOWERED_VARIABLE].reach);
}

/* All that is asked for where it is tiles and the index has them; *done false: it has not. */
static enum ts_code
read_tiles(struct ts_name_pass *p, bool *done, struct ts_reader *rd, const struct ts_name_asker *a,
	struct ts_err *err)
{
	struct ts_name_tiles t;
	enum ts_code code;

	*done = false;
	if (!a->named_alone || !a->tiles_alone || !has_columns(p, rd) ||
		!ts_name_tiles_of(&t, rd->index, p->columns.names))
		return TS_OK;
	code = name_pass_tiles(done, &p->columns, &t, a, rd->cancel, err);
	*done = *done && !code;
	if (*done) {
		p->rows = p->columns.rows;
		p->next += p->rows;
	}
	return code;
}

static enum ts_code
begin_columns(struct ts_name_pass *p, struct ts_reader *rd, const struct ts_name_asker *a,
	struct ts_err *err)
{
	struct ts_columns *c = &p->columns;
	enum ts_code code;

	if (!has_columns(p, rd))
		return TS_OK;
	p->index = ts_index_hold(rd->index);
	code = ts_name_answers_init(&p->answers, c, p->cache, group_of_name,
		a->may ? may_have_group : NULL, (void *)(uintptr_t)a, err);
	if (code)
		leave_columns(p);
	return code;
}

/* Where the section is not to be believed p->index is NULL afterwards: the rows from p->next on are to be read. */
static enum ts_code
read_columns(struct ts_name_pass *p, bool *end, const struct ts_name_asker *asker, int64_t rows,
	const struct ts_cancel *cancel, struct ts_progress *progress, struct ts_err *err)
{
	bool sound = true;
	enum ts_code code;

	p->answers.ctx = (void *)(uintptr_t)asker;
	if (asker->named_alone)
		code = take_named(&sound, p, asker, cancel, err);
	else
		code = take_columns(&sound, p, asker, rows > 0 ? p->rows + rows : INT64_MAX, cancel,
			progress, err);
	*end = !code && sound && p->block == p->columns.blocks;
	if (!code && !sound)
		leave_columns(p);
	return code;
}

enum ts_code
ts_name_pass_read(struct ts_name_pass *p, bool *end, struct ts_reader *rd,
	const struct ts_name_asker *asker, int64_t rows, struct ts_progress *progress,
	struct ts_err *err)
{
	const struct ts_reach *reach = &rd->report->binding[TS_LOWERED_VARIABLE].reach;
	struct ts_rows_query q = {.column_count = P_COLUMNS, .past_damage = true};
	bool by_id = reach->has_rowid && reach->last_rowid<INT64_MAX, stops = rows> 0 && by_id;
	struct ts_rows *cursor;
	struct ts_err why = {0};
	enum ts_code code = TS_OK;

	*end = false;
	if (p->rows == 0 && by_id && !p->index) {
		code = read_tiles(p, end, rd, asker, err);
		if (!code && !*end)
			code = begin_columns(p, rd, asker, err);
	}
	if (code || *end)
		return code;
	if (p->index)
		code = read_columns(p, end, asker, rows, rd->cancel, progress, err);
	if (code || p->index)
		return code;
	for (int i = 0; i < P_COLUMNS; i++)
		q.columns[i] = columns[i];
	if (stops || p->rows > 0) {
		q.range = TS_RANGE_ROWID;
		q.from = p->next;
		q.to = reach->last_rowid + 1;
	}
	code = open_names(p, rd, asker, err);
	if (!code)
		code = ts_reader_rows(&cursor, rd, TS_LOWERED_VARIABLE, &q, err);
	if (code)
		return code;
	code = read_blocks(p, end, cursor, asker, stops ? p->rows + rows : 0, progress, &why);
	ts_rows_close(cursor);
	if (code == TS_E_DAMAGED && !p->hurt.code)
		p->hurt = why;
	if (code && code != TS_E_DAMAGED)
		return ts_err_set(err, code, "%s", why.msg);
	return *end && p->hurt.code ? ts_err_set(err, TS_E_DAMAGED, "%s", p->hurt.msg) : TS_OK;
}
