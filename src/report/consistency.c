/* SPDX-License-Identifier: MIT */
/*
 * consistency - see the header.
 *
 * A sample is a few windows of rows spread over the row ids, so that the work does not grow with the report; only
 * where rows have no ids is it the first ones. Shares have to be large before they are told: what a report of
 * this or that SDK leaves out on purpose is not known to the public.
 */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "tilescope/base/mem.h"
#include "tilescope/base/strbuf.h"
#include "tilescope/report/consistency.h"
#include "tilescope/report/contexts.h"
#include "tilescope/report/rows.h"

enum {
	WINDOWS = 4,
	WINDOW_ROWS = TS_CONSISTENCY_SAMPLE / WINDOWS,
	PATH_LIMIT = 1 << 14,
	HOUR = 3600,
	DAY = 24 * HOUR,
	MISSING_KEYS = 100,    /* one of so many keys may be missing in silence */
	MISSING_CONTEXTS = 10, /* and one of so many contexts */
};

/* --- times and counts ---------------------------------------------------------------------------- */

/*
 * debug.cbor is written with the profile; framework and application write their files when they like, which may be
 * at the begin of a long run.
 */
static const struct {
	enum ts_part part;
	const char *file;
	int64_t most; /* seconds */
} ages[] = {
	{TS_PART_ARCHIVE, "archive.a", DAY},
	{TS_PART_DEBUG, "debug.cbor", HOUR},
	{TS_PART_FRAMEWORK, "framework.json", DAY},
	{TS_PART_APP, "app.json", DAY},
	{TS_PART_VARS, "vars.json", DAY},
};

void
ts_consistency_ages(struct ts_notes *notes, const struct ts_report *r)
{
	int64_t mtime = r->part[r->part_of[0]].mtime;

	for (size_t i = 0; i < TS_COUNT(ages); i++) {
		const struct ts_part_info *part = &r->part[ages[i].part];

		if (part->state != TS_PART_OK || ages[i].part == r->part_of[0] ||
			llabs((long long)(part->mtime - mtime)) <= ages[i].most)
			continue;
		ts_notes_add(notes, "%s is much %s than the %s: perhaps of another run",
			ages[i].file, part->mtime < mtime ? "older" : "newer",
			ts_part_name(r->part_of[0]));
	}
}

void
ts_consistency_vars(struct ts_notes *notes, int64_t vars_tiles, int64_t tiles)
{
	if (vars_tiles > 0 && tiles > 0 && vars_tiles != tiles)
		ts_notes_add(notes,
			"vars.json is of %lld tiles, the report of %lld: perhaps of another run",
			(long long)vars_tiles, (long long)tiles);
}

/* --- rows here and there ------------------------------------------------------------------------- */

typedef enum ts_code row_fn(void *ctx, struct ts_rows *rows, struct ts_err *err);

/* Damage is passed over: other windows may be sound. */
static enum ts_code
pass_over(enum ts_code code, const struct ts_err *why, struct ts_err *err)
{
	if (code != TS_E_CANCELLED && code != TS_E_NOMEM && code != TS_E_SYS)
		return TS_OK;
	if (err)
		*err = *why;
	return code;
}

static enum ts_code
read_window(struct ts_reader *rd, enum ts_relation relation, const struct ts_rows_query *q,
	row_fn *each, void *ctx, struct ts_err *err)
{
	struct ts_err why = {0};
	struct ts_rows *rows;
	enum ts_code code = ts_reader_rows(&rows, rd, relation, q, &why);
	bool there;

	if (code)
		return pass_over(code, &why, err);
	for (int64_t n = 0; !q->limit || n < q->limit; n++) {
		code = ts_rows_next(rows, &there, &why);
		if (!code && there)
			code = each(ctx, rows, &why);
		if (code || !there)
			break;
	}
	ts_rows_close(rows);
	return pass_over(code, &why, err);
}

static enum ts_code
sample(struct ts_reader *rd, enum ts_relation relation, int column, row_fn *each, void *ctx,
	struct ts_err *err)
{
	const struct ts_reach *reach = &rd->report->binding[relation].reach;
	struct ts_rows_query q = {.columns = {column},
		.column_count = 1,
		.limit = TS_CONSISTENCY_SAMPLE};
	int64_t span = ts_reach_span(reach);
	enum ts_code code = TS_OK;

	if (span <= TS_CONSISTENCY_SAMPLE || reach->last_rowid == INT64_MAX)
		return read_window(rd, relation, &q, each, ctx, err);
	q.range = TS_RANGE_ROWID;
	q.limit = WINDOW_ROWS;
	for (int i = 0; !code && i < WINDOWS; i++) {
		q.from = reach->first_rowid + span / WINDOWS * i;
		q.to = i + 1 < WINDOWS ? q.from + span / WINDOWS : reach->last_rowid + 1;
		code = read_window(rd, relation, &q, each, ctx, err);
	}
	return code;
}

/* --- programs and compute sets of steps ---------------------------------------------------------- */

/* Keys of a relation, in the order of the rows or rising. */
struct keys {
	int64_t *key;
	size_t count, cap;
	bool cut; /* there are more: nothing can be said */
};

static enum ts_code
add_key(void *ctx, struct ts_rows *rows, struct ts_err *err)
{
	struct keys *k = ctx;
	void *array = k->key;
	int64_t v;

	if (ts_rows_number(rows, 0, &v) != TS_VALUE_OK)
		return TS_OK;
	if (k->count == TS_CONSISTENCY_KEYS) {
		k->cut = true;
		return ts_err_set(err, TS_E_LIMIT, "too many");
	}
	if (!ts_room(&array, &k->cap, k->count, sizeof(*k->key)))
		return ts_err_nomem(err);
	k->key = array;
	k->key[k->count++] = v;
	return TS_OK;
}

static int
by_value(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return x < y ? -1 : x > y;
}

static void
sort_keys(struct keys *k)
{
	if (k->count > 0)
		qsort(k->key, k->count, sizeof(*k->key), by_value);
}

static enum ts_code
note_row(void *ctx, struct ts_rows *rows, struct ts_err *err)
{
	(void)rows;
	(void)err;
	*(bool *)ctx = true;
	return TS_OK;
}

/* Those of the wanted keys, sorted, that the relation does not have, each row by its key. */
static enum ts_code
look_for_each(int64_t *missing, struct ts_reader *rd, enum ts_relation relation, int column,
	const struct keys *wanted, struct ts_err *err)
{
	struct ts_rows_query q = {.columns = {column},
		.column_count = 1,
		.range = TS_RANGE_KEY,
		.limit = 1};
	enum ts_code code = TS_OK;
	bool there = false;

	for (size_t i = 0; !code && i < wanted->count; i++) {
		if (i == 0 || wanted->key[i] != wanted->key[i - 1]) {
			there = false;
			q.from = wanted->key[i];
			q.to = q.from + 1;
			code = read_window(rd, relation, &q, note_row, &there, err);
		}
		*missing += !code && !there;
	}
	return code;
}

/* The same by reading all keys, where rows are not reached by them. *known false: there are too many. */
static enum ts_code
look_through(int64_t *missing, bool *known, struct ts_reader *rd, enum ts_relation relation,
	int column, const struct keys *wanted, struct ts_err *err)
{
	struct ts_rows_query q = {.columns = {column}, .column_count = 1};
	struct keys all = {0};
	enum ts_code code = read_window(rd, relation, &q, add_key, &all, err);

	*known = !code && !all.cut && all.count > 0;
	sort_keys(&all);
	for (size_t i = 0; *known && i < wanted->count; i++)
		*missing += !bsearch(&wanted->key[i], all.key, all.count, sizeof(*all.key),
			by_value);
	free(all.key);
	return code;
}

/* What steps name. */
static const struct join {
	enum ts_relation to;
	int key, column;
	const char *what;
} joins[] = {
	{TS_PROGRAM, TS_PROGRAM_PROGRAM, TS_STEP_PROGRAM, "program"},
	{TS_COMPUTE_SET, TS_COMPUTE_SET_COMPUTE_SET, TS_STEP_COMPUTE_SET, "compute set"},
};

static enum ts_code
join_steps(struct ts_notes *notes, struct ts_reader *rd, const struct join *j, struct ts_err *err)
{
	const struct ts_binding *b = &rd->report->binding[j->to];
	struct keys wanted = {0};
	int64_t missing = 0;
	bool known = true;
	enum ts_code code;

	if (!ts_report_has(rd->report, TS_STEP) || !b->bound ||
		!ts_report_has_column(rd->report, TS_STEP, j->column))
		return TS_OK;
	code = sample(rd, TS_STEP, j->column, add_key, &wanted, err);
	sort_keys(&wanted);
	if (!code && wanted.count > 0 && b->reach.key == TS_REACH_NONE)
		code = look_through(&missing, &known, rd, j->to, j->key, &wanted, err);
	else if (!code)
		code = look_for_each(&missing, rd, j->to, j->key, &wanted, err);
	if (!code && known && missing * MISSING_KEYS > (int64_t)wanted.count)
		ts_notes_add(notes, "%lld of %zu sampled steps name a %s that is not there",
			(long long)missing, wanted.count, j->what);
	free(wanted.key);
	return code;
}

/* --- debug contexts ------------------------------------------------------------------------------ */

static const struct {
	enum ts_relation relation;
	int column;
	const char *what;
} contexts_of[] = {
	{TS_PROGRAM, TS_PROGRAM_CONTEXT, "programs"},
	{TS_COMPUTE_SET, TS_COMPUTE_SET_CONTEXT, "compute sets"},
	{TS_VARIABLE, TS_VARIABLE_CONTEXT, "variables"},
	{TS_LOWERED_VARIABLE, TS_LOWERED_VARIABLE_CONTEXT, "lowered variables"},
};

struct known {
	const struct ts_contexts *contexts;
	int64_t sampled, missing;
};

static enum ts_code
look_up(void *ctx, struct ts_rows *rows, struct ts_err *err)
{
	struct known *k = ctx;
	uint64_t id;

	(void)err;
	if (ts_rows_bits(rows, 0, &id) != TS_VALUE_OK || id == 0) /* 0: none */
		return TS_OK;
	k->sampled++;
	k->missing += ts_contexts_find(k->contexts, id) == NULL;
	return TS_OK;
}

static enum ts_code
join_contexts(struct ts_notes *notes, struct ts_reader *rd, const struct ts_contexts *c,
	struct ts_err *err)
{
	enum ts_code code = TS_OK;

	for (size_t i = 0; !code && i < TS_COUNT(contexts_of); i++) {
		struct known k = {.contexts = c};

		if (!ts_context_recorded(rd->report, contexts_of[i].relation))
			continue;
		code = sample(rd, contexts_of[i].relation, contexts_of[i].column, look_up, &k, err);
		if (!code && k.missing * MISSING_CONTEXTS > k.sampled)
			ts_notes_add(notes,
				"debug.cbor does not have %lld of %lld sampled debug contexts of %s: "
				"perhaps of another run",
				(long long)k.missing, (long long)k.sampled, contexts_of[i].what);
	}
	return code;
}

/* debug.cbor, where it is whole and something may join it. */
static enum ts_code
check_contexts(struct ts_notes *notes, struct ts_reader *rd, struct ts_progress *progress,
	struct ts_err *err)
{
	struct ts_contexts *c;
	struct ts_err why = {0};
	bool any = false;
	enum ts_code code;

	for (size_t i = 0; i < TS_COUNT(contexts_of); i++)
		any |= ts_context_recorded(rd->report, contexts_of[i].relation);
	if (!any || rd->report->part[TS_PART_DEBUG].state != TS_PART_OK)
		return TS_OK;
	code = ts_contexts_open(&c, rd->report, rd->index, NULL, progress, rd->cancel, &why);
	if (code)
		return pass_over(code, &why, err);
	if (!c->wrong[0] && !c->left_out)
		code = join_contexts(notes, rd, c, err);
	ts_contexts_close(c);
	return code;
}

enum ts_code
ts_consistency_ids(struct ts_notes *notes, struct ts_reader *rd, bool all,
	struct ts_progress *progress, struct ts_err *err)
{
	enum ts_code code = TS_OK;

	for (size_t i = 0; !code && i < TS_COUNT(joins); i++)
		if (all ||
			rd->report->binding[joins[i].to].source !=
				rd->report->binding[TS_STEP].source)
			code = join_steps(notes, rd, &joins[i], err);
	return code ? code : check_contexts(notes, rd, progress, err);
}
