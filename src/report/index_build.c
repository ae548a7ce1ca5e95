/* SPDX-License-Identifier: MIT */
/*
 * index_build - the stages of a build: what each needs, its parts, its end.
 *
 * A stage is one pass over one relation. Its rows are split where its table's tree says that about as many of
 * them lie on each side (split.h), else into equal ranges of row ids; where rows have none there is one
 * part. The lock of the report's folder is held from
 * the first to the last, and what another program finished before we had it is not built again.
 */
#include "config.h"

#include <stdlib.h>

#include "tilescope/base/mem.h"
#include "tilescope/report/index_build.h"
#include "tilescope/report/index_lanes.h"
#include "tilescope/report/index_stacks.h"
#include "tilescope/report/index_work.h"
#include "tilescope/db/split.h"
#include "tilescope/profile/functions.h"

/* In the order in which they are built. */
static const struct ts_pass *const all_passes[] = {
	&ts_pass_categories, &ts_pass_variables_and_categories, &ts_pass_variables,
	&ts_pass_liveness, &ts_pass_steps, &ts_pass_lanes, &ts_pass_contexts, &ts_pass_lives,
	&ts_pass_tile_lives, &ts_pass_pieces, &ts_pass_ipu_lives, &ts_pass_ipu_steps, &ts_pass_runs,
	&ts_pass_work, &ts_pass_columns, &ts_pass_tile_rows, &ts_pass_name_tiles, &ts_pass_stacks,
	&ts_pass_names, NULL, /* ends it */
};

enum { STAGES = TS_SECTION_COUNT };

struct stage {
	const struct ts_pass *pass;
	struct ts_pass_run run;
	struct ts_pass_part part[TS_PASS_PARTS];
	int parts;
	int64_t rows; /* about; 0 = not known */
	bool begun;
};

struct ts_build {
	struct ts_report *report;
	const struct ts_cache *cache;
	struct ts_index_lock *lock;
	struct ts_index *index;
	struct stage stage[STAGES];
	int stages;
};

/* --- planning --------------------------------------------------------------------------------- */

static uint64_t
sections_of(const struct ts_pass *p)
{
	uint64_t bits = 0;

	for (int i = 0; i < TS_PASS_SECTIONS; i++)
		if (p->section[i] != TS_SECTION_COUNT)
			bits |= ts_section_bit(p->section[i]);
	return bits;
}

/* What came to disk since `have` was made. */
static enum ts_code
look_again(struct ts_build *b, uint64_t wanted, struct ts_err *err)
{
	uint64_t missing = wanted & ~ts_index_sections(b->index);
	enum ts_code code = TS_OK;

	for (int s = 0; !code && s < TS_SECTION_COUNT; s++) {
		struct ts_index *x;

		if (!(missing & ts_section_bit(s)))
			continue;
		code = ts_index_with(&x, b->index, (enum ts_section)s, b->cache, b->report, err);
		if (code)
			break;
		ts_index_release(b->index);
		b->index = x;
	}
	return code;
}

/* Part i of n: an equal share of the row ids. The first parts are one longer where it does not come out even. */
static void
split(struct stage *st, const struct ts_reach *reach, int n)
{
	uint64_t span = (uint64_t)ts_reach_span(reach), share = span / (uint64_t)n;
	uint64_t longer = span % (uint64_t)n, from = (uint64_t)reach->first_rowid;

	for (int i = 0; i < n; i++) {
		struct ts_pass_part *p = &st->part[i];

		p->range = TS_RANGE_ROWID;
		p->from = (int64_t)from;
		from += share + ((uint64_t)i < longer);
		p->to = (int64_t)from;
	}
}

/* Parts that begin where the tree says, as far as that is among the row ids there are. */
static void
split_at(struct stage *st, const struct ts_reach *reach, const struct ts_split *tree)
{
	int64_t from = reach->first_rowid;

	st->parts = 0;
	for (int i = 1; i <= tree->parts; i++) {
		int64_t to = i < tree->parts ? tree->begin[i] : reach->last_rowid + 1;

		if (to <= from || to > reach->last_rowid + 1)
			continue;
		st->part[st->parts++] =
			(struct ts_pass_part){.range = TS_RANGE_ROWID, .from = from, .to = to};
		from = to;
	}
}

/* What the tree of a relation's table says. */
static enum ts_code
look_at_tree(struct ts_split *tree, const struct ts_report *r, const struct ts_binding *b, int most,
	struct ts_err *err)
{
	struct ts_db *db;
	enum ts_code code = ts_profile_connect(&db, r->source[b->source], err);

	*tree = (struct ts_split){0};
	if (code)
		return code;
	code = ts_split_table(tree, db, b->reach.rows, most, err);
	ts_db_close(db);
	return code;
}

static enum ts_code
plan_parts(struct stage *st, const struct ts_report *r, int most, struct ts_err *err)
{
	const struct ts_binding *binding = &r->binding[st->pass->relation];
	const struct ts_reach *reach = &binding->reach;
	int64_t span = binding->bound ? ts_reach_span(reach) : 0;
	struct ts_split tree = {0};
	enum ts_code code = TS_OK;

	/* the last row id of all has none behind it that could end a range */
	bool can = span > 0 && span < INT64_MAX && reach->last_rowid < INT64_MAX &&
		!st->pass->whole;

	if (span > 0)
		code = look_at_tree(&tree, r, binding, (int)ts_clamp_i64(most, 1, TS_PASS_PARTS),
			err);
	if (code)
		return code;
	/* row ids without gaps are an exact number of rows */
	st->rows = tree.rows > 0 && tree.rows < span / 2 ? tree.rows : span;
	st->parts = can ? (int)ts_clamp_i64(most, 1, ts_min_i64(span, TS_PASS_PARTS)) : 1;
	if (can && tree.parts > 0)
		split_at(st, reach, &tree);
	else if (can)
		split(st, reach, st->parts);
	else
		st->part[0].range = TS_RANGE_ALL;
	for (int i = 0; i < st->parts; i++) {
		st->part[i].number = i;
		st->part[i].run = &st->run;
	}
	return TS_OK;
}

static enum ts_code
plan(struct ts_build *b, uint64_t wanted, int parts, const struct ts_pass *const *passes,
	struct ts_err *err)
{
	uint64_t missing = wanted & ~ts_index_sections(b->index);
	enum ts_code code = TS_OK;

	for (; !code && *passes && b->stages < STAGES; passes++) {
		struct stage *st = &b->stage[b->stages];

		if (!(sections_of(*passes) & missing) || !(*passes)->can(b->report))
			continue;
		st->pass = *passes;
		code = plan_parts(st, b->report, parts, err);
		b->stages += !code;
	}
	return code;
}

enum ts_code
ts_build_new_with(struct ts_build **out, bool *busy, struct ts_report *r,
	const struct ts_cache *cache, struct ts_index *have, uint64_t wanted, int parts,
	const struct ts_pass *const *passes, struct ts_err *err)
{
	struct ts_build *b = ts_alloc(1, sizeof(*b));
	enum ts_code code;
	bool got = false;

	*out = NULL;
	*busy = false;
	if (!b)
		return ts_err_nomem(err);
	b->report = r;
	b->cache = cache;
	b->index = ts_index_hold(have);
	code = ts_index_lock_take(&b->lock, &got, cache, r, err);
	*busy = !code && !got;
	if (got)
		code = look_again(b, wanted, err);
	if (!code && got)
		code = plan(b, wanted, parts, passes, err);
	if (code || !got) {
		ts_build_free(b);
		return code;
	}
	*out = b;
	return TS_OK;
}

enum ts_code
ts_build_new(struct ts_build **out, bool *busy, struct ts_report *r, const struct ts_cache *cache,
	struct ts_index *have, uint64_t wanted, int parts, struct ts_err *err)
{
	return ts_build_new_with(out, busy, r, cache, have, wanted, parts, all_passes, err);
}

void
ts_build_free(struct ts_build *b)
{
	if (!b)
		return;
	for (int i = 0; i < b->stages; i++)
		ts_build_drop(b, i);
	ts_index_release(b->index);
	ts_index_lock_give(b->lock);
	free(b);
}

struct ts_index *
ts_build_index(const struct ts_build *b)
{
	return b->index;
}

int
ts_build_stages(const struct ts_build *b)
{
	return b->stages;
}

const char *
ts_build_what(const struct ts_build *b, int stage)
{
	return b->stage[stage].pass->what;
}

int
ts_build_parts(const struct ts_build *b, int stage)
{
	return b->stage[stage].parts;
}

uint64_t
ts_build_sections(const struct ts_build *b, int stage)
{
	return sections_of(b->stage[stage].pass);
}

int64_t
ts_build_rows(const struct ts_build *b, int stage)
{
	return b->stage[stage].rows;
}

/* --- a stage ---------------------------------------------------------------------------------- */

static enum ts_code
make_room(struct stage *st, struct ts_err *err)
{
	const struct ts_pass *p = st->pass;

	st->run.state = ts_alloc(p->state_size, 1);
	if (!st->run.state)
		return ts_err_nomem(err);
	for (int i = 0; i < st->parts; i++) {
		st->part[i].state = ts_alloc(p->part_size, 1);
		if (!st->part[i].state)
			return ts_err_nomem(err);
	}
	return TS_OK;
}

enum ts_code
ts_build_begin(struct ts_build *b, int stage, struct ts_err *err)
{
	struct stage *st = &b->stage[stage];
	const struct ts_pass *p = st->pass;
	enum ts_code code;

	st->run.report = b->report;
	st->run.cache = b->cache;
	st->run.index = ts_index_hold(b->index);
	code = make_room(st, err);
	st->begun = !code;
	for (int i = 0; !code && i < TS_PASS_SECTIONS; i++)
		if (p->section[i] != TS_SECTION_COUNT)
			code = ts_section_create(&st->run.writer[i], b->cache, b->report,
				p->section[i], err);
	if (!code && p->begin)
		code = p->begin(&st->run, err);
	if (code)
		ts_build_drop(b, stage);
	return code;
}

enum ts_code
ts_build_part(struct ts_build *b, int stage, int part, struct ts_reader *rd,
	struct ts_progress *progress, struct ts_err *err)
{
	struct stage *st = &b->stage[stage];

	return st->pass->part(&st->part[part], rd, progress, err);
}

/* Commit the writers, one after the other, and see them in a new snapshot. */
static enum ts_code
commit(struct ts_build *b, struct stage *st, const struct ts_cancel *cancel, struct ts_err *err)
{
	enum ts_code code = TS_OK;

	for (int i = 0; !code && i < TS_PASS_SECTIONS; i++) {
		struct ts_section_writer *w = st->run.writer[i];
		struct ts_index *x;

		if (!w)
			continue;
		st->run.writer[i] = NULL;
		ts_section_set_cancel(w, cancel);
		code = ts_section_commit(w, err);
		if (!code)
			code = ts_index_with(&x, b->index, st->pass->section[i], b->cache,
				b->report, err);
		if (code)
			break;
		ts_index_release(b->index);
		b->index = x;
	}
	return code;
}

enum ts_code
ts_build_finish(struct ts_index **out, struct ts_build *b, int stage, struct ts_reader *rd,
	struct ts_progress *progress, struct ts_err *err)
{
	struct stage *st = &b->stage[stage];
	enum ts_code code = st->pass->finish(&st->run, st->part, st->parts, rd, progress, err);

	*out = NULL;
	if (!code)
		code = commit(b, st, rd ? rd->cancel : NULL, err);
	ts_build_drop(b, stage);
	if (!code)
		*out = ts_index_hold(b->index);
	return code;
}

void
ts_build_drop(struct ts_build *b, int stage)
{
	struct stage *st = &b->stage[stage];
	const struct ts_pass *p = st->pass;

	for (int i = 0; i < st->parts; i++) {
		if (st->begun && p->part_fini)
			p->part_fini(&st->part[i]);
		free(st->part[i].state);
		st->part[i].state = NULL;
	}
	if (st->begun && p->fini)
		p->fini(&st->run);
	free(st->run.state);
	for (int i = 0; i < TS_PASS_SECTIONS; i++)
		ts_section_abandon(st->run.writer[i]);
	ts_index_release(st->run.index);
	st->run = (struct ts_pass_run){0};
	st->begun = false;
}
