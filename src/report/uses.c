/* SPDX-License-Identifier: MIT */
/*
 * uses - which programs name which variables, and at which steps they run (lifetimes.h).
 *
 * Two sorted lists, variable to program and program to steps, which are put together only for the variables that
 * somebody looks at: a program of a loop runs at many steps and names many variables. Programs name lowered variables:
 * which variables those were lowered from is a pass over all of them, so the lists are kept as a section of the index.
 */
#include "config.h"

#include <stdlib.h>

#include "tilescope/base/mem.h"
#include "tilescope/report/index.h"
#include "tilescope/report/rows.h"

#include "lifetimes_internal.h"

enum {
	PROGRESS_BLOCKS = 64,
	GAP = 64, /* rows between two pieces that are read rather than begun anew */
	KEPT_ROWS = 1
		<< 17, /* of fewer lowered variables a pass takes no longer than a look into the index */
};

static int
by_pair(const void *x, const void *y)
{
	const struct pair *p = x, *q = y;

	if (p->a != q->a)
		return p->a < q->a ? -1 : 1;
	return (p->b > q->b) - (p->b < q->b);
}

struct uses_work {
	struct ts_uses *u;
	struct ts_reader *rd;
	const struct ts_lives *lives; /* whose pieces are meant; NULL: whole variables */
	const struct ts_cache *cache;
	struct ts_progress *progress;
	struct ts_pile wanted; /* pairs: lowered variable, program; of pieces: its id, row id */
	size_t pairs;
};

static enum ts_code
add_pair(struct uses_work *w, struct ts_pile *p, size_t *n, struct pair pair, struct ts_err *err)
{
	enum ts_code code;

	if (*n == TS_USES_MAX) {
		w->u->left_out++;
		return TS_OK;
	}
	code = ts_pile_add(p, &pair, sizeof(pair), w->cache, err);
	*n += !code;
	return code;
}

/* Two columns of a relation, each row to `take`. */
static enum ts_code
read_pairs(struct uses_work *w, enum ts_relation relation, int a, int b,
	enum ts_code (*take)(struct uses_work *, struct pair, struct ts_err *), struct ts_err *err)
{
	struct ts_rows_query q = {.columns = {a, b}, .column_count = 2, .past_damage = true};
	int64_t total = ts_reach_span(&w->rd->report->binding[relation].reach), seen = 0;
	struct ts_rows *rows;
	enum ts_code code = ts_reader_rows(&rows, w->rd, relation, &q, err);
	struct ts_rows_block block;
	int blocks = 0;

	if (code)
		return code;
	while (!(code = ts_rows_block(rows, &block, err)) && block.rows > 0) {
		seen += block.rows;
		if (++blocks % PROGRESS_BLOCKS == 0)
			ts_progress_set(w->progress, seen, total);
		if (block.is[0] != TS_VALUE_OK || block.is[1] != TS_VALUE_OK)
			continue;
		for (int i = 0; i < block.rows && !code; i++)
			code = take(w, (struct pair){block.v[0][i], block.v[1][i]}, err);
		if (code)
			break;
	}
	ts_rows_close(rows);
	return code;
}

static enum ts_code
take_named(struct uses_work *w, struct pair p, struct ts_err *err)
{
	return add_pair(w, &w->wanted, &w->pairs, p, err);
}

static enum ts_code
take_lowered(struct uses_work *w, struct pair p, struct ts_err *err)
{
	const struct pair *wanted = w->wanted.memory;
	enum ts_code code = TS_OK;

	for (size_t i = pair_first(wanted, w->pairs, p.a);
		i < w->pairs && wanted[i].a == p.a && !code; i++)
		code = add_pair(w, &w->u->named, &w->u->names, (struct pair){p.b, wanted[i].b},
			err);
	return code;
}

static enum ts_code
take_step(struct uses_work *w, struct pair p, struct ts_err *err)
{
	return add_pair(w, &w->u->runs, &w->u->steps, p, err);
}

static enum ts_code
missing(const struct ts_report *r, struct ts_err *err)
{
	static const struct {
		enum ts_relation relation;
		int column;
		const char *says;
	} needs[] = {{TS_PROGRAM_VARIABLE, TS_PROGRAM_VARIABLE_LOWERED_VARIABLE,
			     "which programs use which variables (program_variable)"},
		{TS_LOWERED_VARIABLE, TS_LOWERED_VARIABLE_ID, "lowered_variable.id"},
		{TS_LOWERED_VARIABLE, TS_LOWERED_VARIABLE_VARIABLE, "lowered_variable.variable"},
		{TS_LIVENESS_STEP, TS_LIVENESS_STEP_PROGRAM, "liveness_step.program"}};

	for (size_t i = 0; i < TS_COUNT(needs); i++)
		if (!ts_report_has_column(r, needs[i].relation, needs[i].column))
			return ts_err_set(err, TS_E_ABSENT, "%s is not recorded", needs[i].says);
	return TS_OK;
}

static enum ts_code
sort_pairs(struct uses_work *w, struct ts_pile *p, size_t *n, struct ts_err *err)
{
	enum ts_code code = ts_pile_sort(p, *n, sizeof(struct pair), by_pair, w->cache,
		w->rd->cancel, err);
	struct pair *pair = p->memory;
	size_t kept = 0;

	for (size_t i = 0; !code && i < *n; i++)
		if (kept == 0 || by_pair(&pair[kept - 1], &pair[i]) != 0)
			pair[kept++] = pair[i];
	*n = code ? *n : kept;
	return code;
}

static enum ts_code
read_runs(struct uses_work *w, struct ts_err *err)
{
	enum ts_code code = read_pairs(w, TS_LIVENESS_STEP, TS_LIVENESS_STEP_PROGRAM,
			     TS_LIVENESS_STEP_LIVE_STEP, take_step, err),
		     sorted = TS_OK;

	if (!code || code == TS_E_DAMAGED)
		sorted = sort_pairs(w, &w->u->runs, &w->u->steps, err);
	return sorted ? sorted : code;
}

/* Pairs of `named` have been read, however far (`code`): in order, and with them the steps of each program. */
static enum ts_code
finish(struct uses_work *w, enum ts_code code, struct ts_err *err)
{
	enum ts_code damage = code == TS_E_DAMAGED ? code : TS_OK;

	code = code == TS_E_DAMAGED ? TS_OK : code;
	if (!code)
		code = sort_pairs(w, &w->u->named, &w->u->names, err);
	if (!code)
		code = read_runs(w, err);
	return code ? code : damage;
}

static enum ts_code
read_all(struct uses_work *w, struct ts_err *err)
{
	enum ts_code code = read_pairs(w, TS_PROGRAM_VARIABLE, TS_PROGRAM_VARIABLE_LOWERED_VARIABLE,
			     TS_PROGRAM_VARIABLE_PROGRAM, take_named, err),
		     damage = code;

	code = code == TS_E_DAMAGED ? TS_OK : code;
	if (!code)
		code = sort_pairs(w, &w->wanted, &w->pairs, err);
	if (!code && w->pairs > 0)
		code = read_pairs(w, TS_LOWERED_VARIABLE, TS_LOWERED_VARIABLE_ID,
			TS_LOWERED_VARIABLE_VARIABLE, take_lowered, err);
	code = finish(w, code, err);
	return code ? code : damage;
}

/* --- uses of pieces ----------------------------------------------------------------------------- */

/* The pieces with row ids in [from, to): pairs of lowered_variable.id and row id of those that are among the lives. */
static enum ts_code
find_range(struct uses_work *w, const int64_t *row, size_t n, struct ts_err *err)
{
	struct ts_rows_query q = {.columns = {TS_LOWERED_VARIABLE_ID},
		.column_count = 1,
		.range = TS_RANGE_ROWID,
		.from = row[0],
		.to = row[n - 1] + 1};
	struct ts_rows *rows;
	int64_t id, rowid;
	enum ts_code code = ts_reader_rows(&rows, w->rd, TS_LOWERED_VARIABLE, &q, err);
	size_t i = 0;
	bool there;

	if (code)
		return code;
	while (i < n && !(code = ts_rows_next(rows, &there, err)) && there) {
		if (!ts_rows_rowid(rows, &rowid))
			continue;
		while (i < n && row[i] < rowid)
			i++;
		if (i < n && row[i] == rowid && ts_rows_number(rows, 0, &id) == TS_VALUE_OK)
			code = add_pair(w, &w->wanted, &w->pairs, (struct pair){id, rowid}, err);
		if (code)
			break;
	}
	ts_rows_close(rows);
	return code;
}

static int
by_number(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return (x > y) - (x < y);
}

/* Row ids of the pieces, in order: those of a tile mostly follow each other, and are read together. */
static enum ts_code
find_pieces(struct uses_work *w, struct ts_err *err)
{
	const struct ts_lives *l = w->lives;
	struct ts_pile rows = {0};
	enum ts_code code = TS_OK;
	const int64_t *row;
	size_t n = 0, end;

	for (size_t i = 0; i < l->variables && !code; i++)
		if (l->variable[i].variable >= 0 && l->variable[i].variable < INT64_MAX) {
			code = ts_pile_add(&rows, &l->variable[i].variable, sizeof(int64_t),
				w->cache, err);
			n += !code;
		}
	if (!code)
		code = ts_pile_sort(&rows, n, sizeof(int64_t), by_number, w->cache, w->rd->cancel,
			err);
	row = rows.memory;
	for (size_t i = 0; i < n && !code; i = end) {
		for (end = i + 1; end < n && row[end] - row[end - 1] <= GAP; end++)
			;
		code = find_range(w, row + i, end - i, err);
	}
	ts_pile_fini(&rows);
	return code ? code : sort_pairs(w, &w->wanted, &w->pairs, err);
}

/* A piece that a program names. */
static enum ts_code
take_piece(struct uses_work *w, struct pair p, struct ts_err *err)
{
	const struct pair *pieces = w->wanted.memory;
	enum ts_code code = TS_OK;

	for (size_t i = pair_first(pieces, w->pairs, p.a);
		i < w->pairs && pieces[i].a == p.a && !code; i++)
		code = add_pair(w, &w->u->named, &w->u->names, (struct pair){pieces[i].b, p.b},
			err);
	return code;
}

static enum ts_code
read_pieces(struct uses_work *w, struct ts_err *err)
{
	enum ts_code code = find_pieces(w, err);

	if (!code)
		code = read_pairs(w, TS_PROGRAM_VARIABLE, TS_PROGRAM_VARIABLE_LOWERED_VARIABLE,
			TS_PROGRAM_VARIABLE_PROGRAM, take_piece, err);
	return finish(w, code, err);
}

static enum ts_code
read_uses(struct ts_uses **out, struct uses_work work,
	enum ts_code (*read)(struct uses_work *, struct ts_err *), struct ts_err *err)
{
	struct uses_work w = work;
	enum ts_code code = missing(w.rd->report, err);

	*out = NULL;
	if (code)
		return code;
	w.u = ts_alloc(1, sizeof(*w.u));
	if (!w.u)
		return ts_err_nomem(err);
	atomic_init(&w.u->holders, 1);
	w.u->pieces = w.lives != NULL;
	code = read(&w, err);
	ts_pile_fini(&w.wanted);
	if (code && code != TS_E_DAMAGED) {
		ts_uses_close(w.u);
		return code;
	}
	*out = w.u;
	return code;
}

/* --- kept ------------------------------------------------------------------------------------- */

struct head {
	uint64_t names, steps, named_at, runs_at;
};

/* Sorted, each once, as sort_pairs() leaves them: what is looked up in them ends. */
static bool
is_sound(const struct pair *p, uint64_t n)
{
	if (!p || n > TS_USES_MAX)
		return false;
	for (uint64_t i = 0; i < n; i++)
		if (p[i].a < 0 || p[i].b < 0 || (i > 0 && by_pair(&p[i - 1], &p[i]) >= 0))
			return false;
	return true;
}

static bool
take_kept(struct ts_uses *u, const struct ts_index *x, const struct ts_cache *cache)
{
	size_t size;
	const void *payload = ts_index_section(x, TS_SECTION_USES, &size);
	const struct head *h = payload ? ts_section_at(payload, size, 0, 1, sizeof(*h)) : NULL;
	const struct pair *named, *runs;

	if (!h)
		return false;
	named = ts_section_at(payload, size, h->named_at, h->names, sizeof(*named));
	runs = ts_section_at(payload, size, h->runs_at, h->steps, sizeof(*runs));
	if (!is_sound(named, h->names) || !is_sound(runs, h->steps) ||
		ts_pile_add(&u->named, named, (size_t)h->names * sizeof(*named), cache, NULL) ||
		ts_pile_add(&u->runs, runs, (size_t)h->steps * sizeof(*runs), cache, NULL))
		return false;
	u->names = (size_t)h->names;
	u->steps = (size_t)h->steps;
	return true;
}

/* In the reader's snapshot, or made since then. */
static struct ts_uses *
load_uses(struct ts_reader *rd, const struct ts_cache *cache)
{
	struct ts_uses *u = ts_alloc(1, sizeof(*u));
	struct ts_index *with = NULL;
	bool taken;

	if (!u)
		return NULL;
	atomic_init(&u->holders, 1);
	taken = take_kept(u, rd->index, cache);
	if (!taken && cache && cache->dir &&
		!ts_index_with(&with, rd->index, TS_SECTION_USES, cache, rd->report, NULL))
		taken = take_kept(u, with, cache);
	ts_index_release(with);
	if (taken)
		return u;
	ts_uses_close(u);
	return NULL;
}

/* Where there is a place for it. That it also is the next time is nothing to fail for. */
static void
keep_uses(const struct ts_uses *u, struct ts_reader *rd, const struct ts_cache *cache)
{
	struct head h = {.names = u->names, .steps = u->steps};
	const struct ts_section_array array[] = {
		{&h.named_at, u->named.memory, u->names * sizeof(struct pair)},
		{&h.runs_at, u->runs.memory, u->steps * sizeof(struct pair)},
	};
	struct ts_section_writer *w;

	if (!cache || !cache->dir || u->left_out > 0 ||
		ts_section_create(&w, cache, rd->report, TS_SECTION_USES, NULL))
		return;
	ts_section_set_cancel(w, rd->cancel);
	if (ts_section_put_arrays(w, &h, sizeof(h), array, TS_COUNT(array), NULL))
		ts_section_abandon(w);
	else
		(void)!ts_section_commit(w, NULL);
}

enum ts_code
ts_uses_read(struct ts_uses **out, struct ts_reader *rd, const struct ts_cache *cache,
	struct ts_progress *progress, struct ts_err *err)
{
	struct uses_work w = {.rd = rd, .cache = cache, .progress = progress};
	enum ts_code code;

	*out = load_uses(rd, cache);
	if (*out)
		return TS_OK;
	code = read_uses(out, w, read_all, err);
	if (!code)
		keep_uses(*out, rd, cache);
	return code;
}

enum ts_code
ts_uses_read_pieces(struct ts_uses **out, struct ts_reader *rd, const struct ts_lives *lives,
	const struct ts_cache *cache, struct ts_progress *progress, struct ts_err *err)
{
	struct uses_work w = {.rd = rd, .lives = lives, .cache = cache, .progress = progress};

	return read_uses(out, w, read_pieces, err);
}

struct ts_uses *
ts_uses_hold(struct ts_uses *u)
{
	atomic_fetch_add(&u->holders, 1);
	return u;
}

void
ts_uses_close(struct ts_uses *u)
{
	if (!u || atomic_fetch_sub(&u->holders, 1) > 1)
		return;
	ts_pile_fini(&u->named);
	ts_pile_fini(&u->runs);
	free(u);
}
