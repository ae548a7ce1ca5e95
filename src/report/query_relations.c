/* SPDX-License-Identifier: MIT */
/*
 * query_relations - the relations of the model as virtual tables over the row cursor.
 *
 * Not views: a view would have to say in SQL what a binding says (sums, dictionaries, the order of rows
 * within a step), which costs a hundred times as much, and could not tell one source from another. A
 * virtual table reads through rows.c like every figure: only the columns that the statement names, from
 * pages where they can be, by key where the statement asks for a range of keys.
 *
 * They stand in the temporary schema, which SQLite looks at before the file's. Relations that are not
 * bound stand there too, and refuse: their names must not fall through to tables of the file.
 *
 * A value that is no number of the model (negative, text, a sum that overflows) is NULL. Damage ends the
 * rows of a relation, not the statement; it is kept in q->partial.
 */
#include "config.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "query_internal.h"
#include "tilescope/base/mem.h"
#include "tilescope/report/contexts.h"
#include "tilescope/report/rows.h"
#include "tilescope/report/target.h"

/* How a statement asks for a range of keys: bits of idxNum; the values come in this order. */
enum { ASK_EQUAL = 1, ASK_FROM = 2, ASK_ABOVE = 4, ASK_BELOW = 8, ASK_UP_TO = 16 };

enum {
	ROWS_UNKNOWN = 1000000, /* guessed where there are no row ids */
	COST_OPEN = 20,		/* of a cursor, in rows */
	COST_INDEX = 60,
	COST_BISECT = 200,
	SHARE_OPEN = 3, /* of the rows in a range with one end, and with two: as SQLite guesses */
	SHARE_RANGE = 12,
	ROWS_OF_KEY = 16,
	NAME_MAX_SQL = 1 << 12,
	TOLD_ROWS = 4096,
};

struct relation_cursor {
	sqlite3_vtab_cursor base;
	struct ts_rows *rows;
	struct ts_rows_query what;
	uint64_t asked;			/* columns, a bit each */
	int place[TS_RELATION_COLUMNS]; /* of a column in what.columns; -1 = not asked for */
	bool there;
	int64_t at;
};

static const char *const type_names[] = {
	[TS_TYPE_INTEGER] = "INTEGER",
	[TS_TYPE_REAL] = "REAL",
	[TS_TYPE_TEXT] = "TEXT",
	[TS_TYPE_BLOB] = "BLOB",
};

/* `is` of such a table is its relation. */
static enum ts_relation
relation_of(const struct ts_query_table *t)
{
	return (enum ts_relation)t->is;
}

static const struct ts_binding *
binding_of(const struct ts_query_table *t)
{
	return &t->q->rd->report->binding[t->is];
}

/* --- tables and cursors ---------------------------------------------------------------------------- */

int
ts_query_table_made(sqlite3_vtab **out, sqlite3 *db, void *query, int is, const char *create)
{
	struct ts_query_table *t;
	int rc = sqlite3_declare_vtab(db, create);

	if (rc != SQLITE_OK)
		return rc;
	t = sqlite3_malloc(sizeof(*t));
	if (!t)
		return SQLITE_NOMEM;
	*t = (struct ts_query_table){.q = query, .is = is};
	*out = &t->base;
	return sqlite3_vtab_config(db, SQLITE_VTAB_DIRECTONLY);
}

int
ts_query_table_new(sqlite3_vtab **out, sqlite3 *db, void *query, int is,
	const struct ts_relation_def *def)
{
	struct ts_strbuf sql;
	int rc;

	ts_strbuf_init(&sql, NAME_MAX_SQL);
	ts_strbuf_puts(&sql, "CREATE TABLE x(");
	for (int i = 0; i < def->column_count; i++) {
		ts_strbuf_puts(&sql, i ? ", " : "");
		ts_sql_quote(&sql, def->column[i].name);
		ts_strbuf_printf(&sql, " %s", type_names[def->column[i].type]);
	}
	ts_strbuf_putc(&sql, ')');
	rc = sql.cut ? SQLITE_NOMEM : ts_query_table_made(out, db, query, is, sql.s);
	ts_strbuf_fini(&sql);
	return rc;
}

/* argv[3], what stands behind USING: the number of the relation. */
static int
table_connect(sqlite3 *db, void *aux, int argc, const char *const *argv, sqlite3_vtab **out,
	char **error)
{
	long relation = argc == 4 ? strtol(argv[3], NULL, 10) : -1;

	if (relation < 0 || relation >= TS_RELATION_COUNT) {
		*error = sqlite3_mprintf("not a relation");
		return SQLITE_ERROR;
	}
	return ts_query_table_new(out, db, aux, (int)relation,
		ts_relation_def((enum ts_relation)relation));
}

int
ts_query_table_free(sqlite3_vtab *tab)
{
	sqlite3_free(tab);
	return SQLITE_OK;
}

int
ts_query_cursor_new(sqlite3_vtab_cursor **out, size_t bytes)
{
	*out = sqlite3_malloc64(bytes);
	if (!*out)
		return SQLITE_NOMEM;
	memset(*out, 0, bytes);
	return SQLITE_OK;
}

/* --- which rows ---------------------------------------------------------------------------------- */

static double
rows_of(const struct ts_binding *b)
{
	return b->reach.has_rowid ? (double)ts_reach_span(&b->reach) : ROWS_UNKNOWN;
}

static const struct {
	unsigned char op;
	int ask, end; /* end: 0 = both, 1 = the lower, 2 = the upper */
} asks[] = {
	{SQLITE_INDEX_CONSTRAINT_EQ, ASK_EQUAL, 0},
	{SQLITE_INDEX_CONSTRAINT_GE, ASK_FROM, 1},
	{SQLITE_INDEX_CONSTRAINT_GT, ASK_ABOVE, 1},
	{SQLITE_INDEX_CONSTRAINT_LT, ASK_BELOW, 2},
	{SQLITE_INDEX_CONSTRAINT_LE, ASK_UP_TO, 2},
};

/* The first constraint on `column` for each end of a range; *equal goes before both. */
static void
find_asks(const sqlite3_index_info *info, int column, int found[3], int ask[3])
{
	found[0] = found[1] = found[2] = -1;
	for (int i = 0; i < info->nConstraint; i++) {
		if (!info->aConstraint[i].usable || info->aConstraint[i].iColumn != column)
			continue;
		for (size_t k = 0; k < TS_COUNT(asks); k++)
			if (info->aConstraint[i].op == asks[k].op && found[asks[k].end] < 0) {
				found[asks[k].end] = i;
				ask[asks[k].end] = asks[k].ask;
			}
	}
}

static void
use(sqlite3_index_info *info, int constraint, int ask, int *argument)
{
	if (constraint < 0)
		return;
	info->aConstraintUsage[constraint].argvIndex = ++*argument;
	info->idxNum |= ask;
}

/* What reading costs, in rows. */
static void
estimate(sqlite3_index_info *info, const struct ts_binding *b, bool equal, int ends)
{
	double rows = rows_of(b), cost = COST_OPEN;

	if (equal)
		rows = b->reach.key == TS_REACH_ROWID ? 1 : b->group > 0 ? b->group : ROWS_OF_KEY;
	else if (ends > 0)
		rows = rows / (ends == 1 ? SHARE_OPEN : SHARE_RANGE) + 1;
	if (equal || ends > 0)
		cost = b->reach.key == TS_REACH_ROWID	 ? COST_OPEN
			: b->reach.key == TS_REACH_INDEX ? COST_INDEX
							 : COST_BISECT;
	info->estimatedCost = cost + rows;
	info->estimatedRows = (sqlite3_int64)rows;
	if (equal && b->reach.key == TS_REACH_ROWID)
		info->idxFlags = SQLITE_INDEX_SCAN_UNIQUE;
}

/* SQLite's last bit stands for all columns from 63 on: no relation has so many. */
static char *
columns_text(const struct ts_binding *b, uint64_t used)
{
	uint64_t all = (UINT64_C(1) << ts_relation_def(b->relation)->column_count) - 1;

	return sqlite3_mprintf("%llx", (unsigned long long)(used & all));
}

static int
refuse(struct ts_query_table *t)
{
	const struct ts_binding *b = binding_of(t);
	const struct ts_schema *s = t->q->rd->report->schema[0];
	const char *name = ts_relation_def(relation_of(t))->name;
	const struct ts_object *own = ts_schema_find(s, name);

	t->base.zErrMsg = own
		? sqlite3_mprintf(
			  "the relation %s is not in this report: %s (the file's own is main.\"%w\")",
			  name, b->reason, own->name)
		: sqlite3_mprintf("the relation %s is not in this report: %s", name, b->reason);
	return SQLITE_ERROR;
}

static int
table_best_index(sqlite3_vtab *tab, sqlite3_index_info *info)
{
	struct ts_query_table *t = (struct ts_query_table *)tab;
	const struct ts_binding *b = binding_of(t);
	int key = ts_relation_def(relation_of(t))->key, found[3] = {-1, -1, -1}, ask[3] = {0};
	int argument = 0;
	bool by_key, equal;

	t->q->relations = true;
	if (!b->bound)
		return refuse(t);
	by_key = key >= 0 && b->reach.key != TS_REACH_NONE && ts_binding_has(b, key);
	if (by_key)
		find_asks(info, key, found, ask);
	equal = found[0] >= 0;
	if (equal) {
		use(info, found[0], ask[0], &argument);
	} else {
		use(info, found[1], ask[1], &argument);
		use(info, found[2], ask[2], &argument);
	}
	estimate(info, b, equal, (found[1] >= 0) + (found[2] >= 0));
	info->orderByConsumed = by_key && b->reach.key == TS_REACH_ROWID && info->nOrderBy == 1 &&
		info->aOrderBy[0].iColumn == key && !info->aOrderBy[0].desc;
	info->idxStr = columns_text(b, info->colUsed);
	info->needToFreeIdxStr = 1;
	return info->idxStr ? SQLITE_OK : SQLITE_NOMEM;
}

/* --- rows ---------------------------------------------------------------------------------------- */

static int
cursor_open(sqlite3_vtab *tab, sqlite3_vtab_cursor **out)
{
	(void)tab;
	return ts_query_cursor_new(out, sizeof(struct relation_cursor));
}

static int
cursor_close(sqlite3_vtab_cursor *cursor)
{
	struct relation_cursor *c = (struct relation_cursor *)cursor;

	ts_rows_close(c->rows);
	sqlite3_free(c);
	return SQLITE_OK;
}

void
ts_query_count_row(struct ts_query *q)
{
	if (++q->gone_through % TOLD_ROWS == 0)
		ts_progress_set(q->progress, q->gone_through, 0);
}

int
ts_query_span_eof(sqlite3_vtab_cursor *cursor)
{
	const struct ts_query_span *s = (const struct ts_query_span *)cursor;

	return s->at >= s->end;
}

int
ts_query_span_rowid(sqlite3_vtab_cursor *cursor, sqlite3_int64 *rowid)
{
	*rowid = (sqlite3_int64)((const struct ts_query_span *)cursor)->at;
	return SQLITE_OK;
}

int
ts_query_ended_as(struct ts_query *q, const char *name, const struct ts_err *why)
{
	struct ts_err *keep = why->code == TS_E_DAMAGED ? &q->partial : &q->inner;

	if (!keep->code) {
		*keep = *why;
		ts_err_prefix(keep, "%s: ", name);
	}
	return why->code == TS_E_DAMAGED  ? SQLITE_OK
		: why->code == TS_E_NOMEM ? SQLITE_NOMEM
					  : SQLITE_INTERRUPT;
}

int
ts_query_ended(struct ts_query *q, enum ts_relation relation, const struct ts_err *why)
{
	return ts_query_ended_as(q, ts_relation_def(relation)->name, why);
}

static int
ended(struct relation_cursor *c, const struct ts_err *why)
{
	struct ts_query_table *t = (struct ts_query_table *)c->base.pVtab;

	c->there = false;
	return ts_query_ended(t->q, relation_of(t), why);
}

static int
cursor_next(sqlite3_vtab_cursor *cursor)
{
	struct relation_cursor *c = (struct relation_cursor *)cursor;
	struct ts_err why = {0};
	struct ts_query_table *t = (struct ts_query_table *)cursor->pVtab;

	c->at++;
	ts_query_count_row(t->q);
	return ts_rows_next(c->rows, &c->there, &why) ? ended(c, &why) : SQLITE_OK;
}

static int
cursor_eof(sqlite3_vtab_cursor *cursor)
{
	return !((struct relation_cursor *)cursor)->there;
}

/* The least integer that is at least the value, or above it; false: no key is. */
static bool
least_key(int64_t *key, sqlite3_value *v, bool above)
{
	double d;

	switch (sqlite3_value_type(v)) {
	case SQLITE_INTEGER:
		*key = sqlite3_value_int64(v);
		if (above && *key == INT64_MAX)
			return false;
		*key += above;
		return true;
	case SQLITE_FLOAT:
		d = sqlite3_value_double(v);
		if (d >= (double)TS_NUMBER_MAX)
			return false;
		d = ceil(d) + (above && d == ceil(d));
		*key = d < 0 ? 0 : (int64_t)d;
		return true;
	default:
		return false; /* a text or a blob is above all numbers, and nothing is above NULL */
	}
}

/* Narrow [from, to) by one constraint; SQLite looks at the rows once more. */
static bool
narrow(struct ts_rows_query *q, int ask, sqlite3_value *v)
{
	int64_t key = 0;
	bool text = sqlite3_value_type(v) == SQLITE_TEXT || sqlite3_value_type(v) == SQLITE_BLOB;
	bool there;

	if (sqlite3_value_type(v) == SQLITE_NULL)
		return false;
	if (text) /* SQLite may yet take it for a number */
		return true;
	if (ask == ASK_EQUAL && sqlite3_value_type(v) == SQLITE_FLOAT &&
		sqlite3_value_double(v) != floor(sqlite3_value_double(v)))
		return false;
	if (ask == ASK_BELOW || ask == ASK_UP_TO) {
		if (least_key(&key, v, ask == ASK_UP_TO))
			q->to = ts_min_i64(q->to, key);
		return true;
	}
	there = least_key(&key, v, ask == ASK_ABOVE);
	q->from = ts_max_i64(q->from, key);
	if (there && ask == ASK_EQUAL)
		q->to = ts_min_i64(q->to, q->from < INT64_MAX ? q->from + 1 : q->from);
	return there;
}

static bool
choose_rows(struct ts_rows_query *q, int asked, sqlite3_value **argv)
{
	static const int order[] = {ASK_EQUAL, ASK_FROM, ASK_ABOVE, ASK_BELOW, ASK_UP_TO};
	int argument = 0;

	q->range = asked ? TS_RANGE_KEY : TS_RANGE_ALL;
	q->from = 0;
	q->to = TS_NUMBER_MAX + 1;
	for (size_t i = 0; i < TS_COUNT(order); i++)
		if (asked & order[i] && !narrow(q, order[i], argv[argument++]))
			return false;
	return !asked || q->from < q->to;
}

/*
 * What the app and `summary` show where a row does not say it: the name of a step is that of its compute set,
 * else of its program; the IPU of a tile is found by tile_ipus.h. Here are the columns that this
 * is worked out from.
 */
static const struct {
	enum ts_relation relation;
	int column;
	uint64_t from;
	const char *words;
} derived[] = {
	{TS_STEP, TS_STEP_NAME, UINT64_C(1) << TS_STEP_PROGRAM | UINT64_C(1) << TS_STEP_COMPUTE_SET,
		"the name of its compute set, else of its program"},
	{TS_TILE_MEMORY, TS_TILE_MEMORY_IPU, UINT64_C(1) << TS_TILE_MEMORY_TILE,
		"the IPU of the relation ipu that has it, else tile / tiles of an IPU, assumed"},
};

const char *
ts_query_derived(enum ts_relation relation, int column)
{
	for (size_t i = 0; i < TS_COUNT(derived); i++)
		if (derived[i].relation == relation && derived[i].column == column)
			return derived[i].words;
	return NULL;
}

static uint64_t
columns_behind(enum ts_relation relation, uint64_t asked)
{
	uint64_t more = 0;

	for (size_t i = 0; i < TS_COUNT(derived); i++)
		if (derived[i].relation == relation && asked >> derived[i].column & 1)
			more |= derived[i].from;
	return more;
}

/* Rows of a part that could only be read to where it is damaged: the answer is partial. */
static void
note_damaged_part(const struct ts_query_table *t)
{
	const struct ts_report *r = t->q->rd->report;
	int source = r->binding[relation_of(t)].source;
	const struct ts_part_info *part = &r->part[r->part_of[source]];

	if (source > 0 && part->state == TS_PART_DAMAGED && !t->q->partial.code)
		(void)ts_err_set(&t->q->partial, TS_E_DAMAGED, "%s: %s is damaged",
			ts_relation_def(relation_of(t))->name, part->path);
}

/* What is read once for it. Damage leaves what could be read. */
static enum ts_code
learn(struct ts_query_table *t, uint64_t asked, struct ts_err *err)
{
	struct ts_query *q = t->q;
	enum ts_code code = TS_OK;

	if (columns_behind(relation_of(t), asked) == 0)
		return TS_OK;
	if (relation_of(t) == TS_STEP && !q->has_names) {
		code = ts_step_names_read(&q->names, q->rd, err);
		q->has_names = code == TS_OK || code == TS_E_DAMAGED;
		if (!q->has_names)
			ts_step_names_fini(&q->names);
	} else if (relation_of(t) == TS_TILE_MEMORY && !q->has_ipus) {
		code = ts_tile_ipus_read(&q->ipus, q->rd, err);
		q->has_ipus = code == TS_OK;
		if (!q->has_ipus)
			ts_tile_ipus_fini(&q->ipus);
	}
	if (code == TS_E_DAMAGED && !q->partial.code && err)
		q->partial = *err;
	return code == TS_E_DAMAGED ? TS_OK : code;
}

static int
cursor_filter(sqlite3_vtab_cursor *cursor, int asked, const char *columns, int argc,
	sqlite3_value **argv)
{
	struct relation_cursor *c = (struct relation_cursor *)cursor;
	struct ts_query_table *t = (struct ts_query_table *)cursor->pVtab;
	uint64_t mask = strtoull(columns, NULL, 16);
	struct ts_err why = {0};

	(void)argc;
	ts_rows_close(c->rows);
	note_damaged_part(t);
	c->rows = NULL;
	c->there = false;
	c->at = 0;
	c->what = (struct ts_rows_query){.past_damage = true};
	c->asked = mask;
	mask |= columns_behind(relation_of(t), mask);
	for (int i = 0; i < TS_RELATION_COLUMNS; i++) {
		c->place[i] = -1;
		if (!(mask >> i & 1) || c->what.column_count == TS_ROWS_COLUMNS ||
			!ts_binding_has(binding_of(t), i))
			continue;
		c->place[i] = c->what.column_count;
		c->what.columns[c->what.column_count++] = i;
	}
	if (!choose_rows(&c->what, asked, argv))
		return SQLITE_OK;
	if (learn(t, c->asked, &why))
		return ended(c, &why);
	c->what.binding = binding_of(t); /* also of what is empty, and so absent for figures */
	if (ts_rows_open(&c->rows, t->q->rd->db[c->what.binding->source], &c->what, &why))
		return ended(c, &why);
	return cursor_next(cursor);
}

static int
cursor_rowid(sqlite3_vtab_cursor *cursor, sqlite3_int64 *rowid)
{
	struct relation_cursor *c = (struct relation_cursor *)cursor;
	int64_t id;

	*rowid = ts_rows_rowid(c->rows, &id) ? id : c->at;
	return SQLITE_OK;
}

static void
give_number(sqlite3_context *ctx, struct ts_rows *rows, int i)
{
	int64_t v;

	if (ts_rows_number(rows, i, &v) == TS_VALUE_OK)
		sqlite3_result_int64(ctx, v);
}

/* Ids of contexts have 64 bits. */
static bool
is_context(enum ts_relation relation, int column)
{
	static const struct {
		enum ts_relation relation;
		int column;
	} all[] = {
		{TS_PROGRAM, TS_PROGRAM_CONTEXT},
		{TS_COMPUTE_SET, TS_COMPUTE_SET_CONTEXT},
		{TS_VARIABLE, TS_VARIABLE_CONTEXT},
		{TS_LOWERED_VARIABLE, TS_LOWERED_VARIABLE_CONTEXT},
		{TS_OPERATION, TS_OPERATION_CONTEXT},
	};

	for (size_t i = 0; i < TS_COUNT(all); i++)
		if (all[i].relation == relation && all[i].column == column)
			return true;
	return false;
}

static void
give_bits(sqlite3_context *ctx, struct ts_rows *rows, int i)
{
	uint64_t v;

	if (ts_rows_bits(rows, i, &v) == TS_VALUE_OK)
		sqlite3_result_int64(ctx, (sqlite3_int64)v);
}

static void
give_real(sqlite3_context *ctx, struct ts_rows *rows, int i)
{
	double v;

	if (ts_rows_real(rows, i, &v) == TS_VALUE_OK)
		sqlite3_result_double(ctx, v);
}

void
ts_query_give_text(sqlite3_context *ctx, const char *s, size_t n)
{
	if (s)
		sqlite3_result_text64(ctx, s, n, SQLITE_TRANSIENT, SQLITE_UTF8);
}

void
ts_query_give_known(sqlite3_context *ctx, int64_t v)
{
	if (v != TS_UNKNOWN)
		sqlite3_result_int64(ctx, v);
}

static void
give_text(sqlite3_context *ctx, struct ts_rows *rows, int i)
{
	const char *s;
	size_t n;

	if (ts_rows_text(rows, i, &s, &n) == TS_VALUE_OK)
		ts_query_give_text(ctx, s, n);
}

static void
give_blob(sqlite3_context *ctx, struct ts_rows *rows, int i)
{
	const void *bytes;
	size_t n;

	if (ts_rows_blob(rows, i, &bytes, &n) == TS_VALUE_OK)
		sqlite3_result_blob64(ctx, bytes, n, SQLITE_TRANSIENT);
}

/* A category is a number of memory_category, or in some reports the name itself: category_name() knows both. */
static bool
is_category(enum ts_relation relation, int column)
{
	return (relation == TS_LOWERED_VARIABLE && column == TS_LOWERED_VARIABLE_CATEGORY) ||
		(relation == TS_TILE_CATEGORY && column == TS_TILE_CATEGORY_CATEGORY);
}

static void (*const give[])(sqlite3_context *ctx, struct ts_rows *rows, int i) = {
	[TS_TYPE_INTEGER] = give_number,
	[TS_TYPE_REAL] = give_real,
	[TS_TYPE_TEXT] = give_text,
	[TS_TYPE_BLOB] = give_blob,
};

static void
give_step_name(sqlite3_context *ctx, const struct relation_cursor *c, const struct ts_query *q)
{
	const int place[TS_STEP_Q_COUNT] = {[TS_STEP_Q_PROGRAM] = c->place[TS_STEP_PROGRAM],
		[TS_STEP_Q_COMPUTE_SET] = c->place[TS_STEP_COMPUTE_SET],
		[TS_STEP_Q_NAME] = c->place[TS_STEP_NAME]};
	size_t n;
	const char *s = ts_step_name_of(c->rows, place, &q->names, &n);

	ts_query_give_text(ctx, s, n);
}

static void
give_ipu(sqlite3_context *ctx, const struct relation_cursor *c, const struct ts_query *q)
{
	int64_t v;
	int own = c->place[TS_TILE_MEMORY_IPU], tile = c->place[TS_TILE_MEMORY_TILE];

	if (own >= 0 && ts_rows_number(c->rows, own, &v) == TS_VALUE_OK)
		sqlite3_result_int64(ctx, v);
	else if (tile >= 0 && ts_rows_number(c->rows, tile, &v) == TS_VALUE_OK &&
		(v = ts_tile_ipus_find(&q->ipus, v)) != TS_UNKNOWN)
		sqlite3_result_int64(ctx, v);
}

/* False: it is a column like all others. */
static bool
give_derived(sqlite3_context *ctx, const struct relation_cursor *c, int column)
{
	const struct ts_query_table *t = (const struct ts_query_table *)c->base.pVtab;

	if (relation_of(t) == TS_STEP && column == TS_STEP_NAME)
		give_step_name(ctx, c, t->q);
	else if (relation_of(t) == TS_TILE_MEMORY && column == TS_TILE_MEMORY_IPU)
		give_ipu(ctx, c, t->q);
	else
		return false;
	return true;
}

static int
cursor_column(sqlite3_vtab_cursor *cursor, sqlite3_context *ctx, int column)
{
	struct relation_cursor *c = (struct relation_cursor *)cursor;
	const struct ts_query_table *t = (struct ts_query_table *)cursor->pVtab;
	const struct ts_relation_def *def = ts_relation_def(relation_of(t));
	const char *word;
	size_t length;

	if (column < 0 || column >= def->column_count || give_derived(ctx, c, column))
		return SQLITE_OK;
	if (c->place[column] >= 0 && is_context(relation_of(t), column))
		give_bits(ctx, c->rows, c->place[column]);
	else if (c->place[column] >= 0 && is_category(relation_of(t), column) &&
		ts_rows_text(c->rows, c->place[column], &word, &length) == TS_VALUE_OK)
		ts_query_give_text(ctx, word, length);
	else if (c->place[column] >= 0)
		give[def->column[column].type](ctx, c->rows, c->place[column]);
	return SQLITE_OK;
}

static const sqlite3_module relation_module = {
	.xCreate = table_connect,
	.xConnect = table_connect,
	.xBestIndex = table_best_index,
	.xDisconnect = ts_query_table_free,
	.xDestroy = ts_query_table_free,
	.xOpen = cursor_open,
	.xClose = cursor_close,
	.xFilter = cursor_filter,
	.xNext = cursor_next,
	.xEof = cursor_eof,
	.xColumn = cursor_column,
	.xRowid = cursor_rowid,
};

int
ts_query_add_relations(struct ts_query *q, sqlite3 *db)
{
	int rc = sqlite3_create_module(db, "ts_relation", &relation_module, q);

	if (rc == SQLITE_OK)
		rc = ts_query_add_contexts(q, db);
	for (int i = 0; i < TS_RELATION_COUNT && rc == SQLITE_OK; i++) {
		char sql[128];

		if (i == TS_CONTEXT && ts_context_in_debug(q->rd->report))
			continue;
		snprintf(sql, sizeof(sql), "CREATE VIRTUAL TABLE temp.\"%s\" USING ts_relation(%d)",
			ts_relation_def((enum ts_relation)i)->name, i);
		rc = sqlite3_exec(db, sql, NULL, NULL, NULL);
	}
	return rc;
}
