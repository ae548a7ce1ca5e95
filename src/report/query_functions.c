/* SPDX-License-Identifier: MIT */
/*
 * query_functions - SQL functions for the `_by_tile` blobs of the model.
 *
 * Such a blob holds a little-endian unsigned 32-bit number for each tile; zeros at its end may have been
 * left out, so what lies behind it is 0. Anything else than a blob of whole numbers is unknown: NULL,
 * and no rows. They are for the user's own statements alone: no view of a file may call them.
 */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "query_internal.h"
#include "tilescope/base/mem.h"
#include "tilescope/base/pattern.h"
#include "tilescope/report/tile_world.h"
#include "tilescope/calc/step_class.h"

enum {
	BYTES_EACH = 4,
	STACK_MOST = 1 << 17,
	FLAGS = SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_DIRECTONLY
};

/* Numbers of a blob; -1 when it is none. */
static sqlite3_int64
blob_count(sqlite3_value *v)
{
	int n;

	if (sqlite3_value_type(v) != SQLITE_BLOB)
		return -1;
	n = sqlite3_value_bytes(v);
	return n % BYTES_EACH == 0 ? n / BYTES_EACH : -1;
}

static sqlite3_int64
blob_number(const unsigned char *bytes, sqlite3_int64 i)
{
	const unsigned char *p = bytes + i * BYTES_EACH;

	return (sqlite3_int64)((uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 |
		(uint32_t)p[3] << 24);
}

static void
tile_at(sqlite3_context *ctx, int argc, sqlite3_value **argv)
{
	sqlite3_int64 n = blob_count(argv[0]), tile;

	(void)argc;
	if (n < 0 || sqlite3_value_numeric_type(argv[1]) != SQLITE_INTEGER)
		return;
	tile = sqlite3_value_int64(argv[1]);
	if (tile >= 0)
		sqlite3_result_int64(ctx,
			tile < n ? blob_number(sqlite3_value_blob(argv[0]), tile) : 0);
}

static void
tile_sum(sqlite3_context *ctx, int argc, sqlite3_value **argv)
{
	sqlite3_int64 n = blob_count(argv[0]), sum = 0;
	const unsigned char *bytes = sqlite3_value_blob(argv[0]);

	(void)argc;
	for (sqlite3_int64 i = 0; i < n; i++)
		sum += blob_number(bytes, i);
	if (n >= 0)
		sqlite3_result_int64(ctx, sum);
}

static void
tile_max(sqlite3_context *ctx, int argc, sqlite3_value **argv)
{
	sqlite3_int64 n = blob_count(argv[0]), most = 0;
	const unsigned char *bytes = sqlite3_value_blob(argv[0]);

	(void)argc;
	for (sqlite3_int64 i = 0; i < n; i++)
		most = ts_max_i64(most, blob_number(bytes, i));
	if (n >= 0)
		sqlite3_result_int64(ctx, most);
}

static enum ts_step_class
class_of(sqlite3_value *type_value, sqlite3_value *sync_value)
{
	const char *type = (const char *)sqlite3_value_text(type_value);
	const char *sync = (const char *)sqlite3_value_text(sync_value);
	size_t n = type ? (size_t)sqlite3_value_bytes(type_value) : 0;
	size_t sync_n = sync ? (size_t)sqlite3_value_bytes(sync_value) : 0;

	return type ? ts_step_class_of(type, n, sync, sync_n) : TS_CLASS_CONTROL;
}

/* The class of a step by its type and its sync type: "compute", "external_sync", ... */
static void
step_class(sqlite3_context *ctx, int argc, sqlite3_value **argv)
{
	(void)argc;
	sqlite3_result_text(ctx, ts_step_class_key(class_of(argv[0], argv[1])), -1, SQLITE_STATIC);
}

/* What q->inner says ends the statement; the first that went wrong stays. */
static void
fail(sqlite3_context *ctx, struct ts_query *q, const struct ts_err *why)
{
	q->inner = q->inner.code ? q->inner : *why;
	sqlite3_result_error_code(ctx, why->code == TS_E_NOMEM ? SQLITE_NOMEM : SQLITE_INTERRUPT);
}

/* Rules are read with the first name. */
static enum ts_code
begin_groups(struct ts_query *q, struct ts_err *err)
{
	struct ts_groups *groups;
	enum ts_code code = q->grouper ? TS_OK : ts_groups_open(&groups, q->rules, err);

	if (q->grouper || code)
		return code;
	code = ts_grouper_new(&q->grouper, groups, err);
	ts_groups_close(groups);
	return code;
}

/* The group of a variable by its name and its category, either of which may be NULL: "weights", "other". */
static void
variable_group(sqlite3_context *ctx, int argc, sqlite3_value **argv)
{
	struct ts_query *q = sqlite3_user_data(ctx);
	const char *name = (const char *)sqlite3_value_text(argv[0]);
	const char *category = (const char *)sqlite3_value_text(argv[1]);
	struct ts_err why = {0};

	(void)argc;
	if (begin_groups(q, &why)) {
		fail(ctx, q, &why);
		return;
	}
	sqlite3_result_text(ctx,
		ts_groups_name(ts_grouper_groups(q->grouper),
			ts_grouper_of(q->grouper, name,
				name ? (size_t)sqlite3_value_bytes(argv[0]) : 0, category,
				category ? (size_t)sqlite3_value_bytes(argv[1]) : 0)),
		-1, SQLITE_TRANSIENT);
}

/* Names are read with the first category. Damage leaves what could be read. */
static enum ts_code
begin_categories(struct ts_query *q, struct ts_err *err)
{
	enum ts_code code;

	if (q->has_categories)
		return TS_OK;
	code = ts_category_names_read(&q->categories, q->rd, err);
	q->has_categories = code == TS_OK || code == TS_E_DAMAGED;
	if (code == TS_E_DAMAGED && !q->partial.code)
		q->partial = *err;
	return q->has_categories ? TS_OK : code;
}

/* What the views call a category: the name of its number, "category 7" where it has none; the name where it is one. */
static void
category_name(sqlite3_context *ctx, int argc, sqlite3_value **argv)
{
	struct ts_query *q = sqlite3_user_data(ctx);
	sqlite3_int64 id = sqlite3_value_int64(argv[0]);
	struct ts_err why = {0};
	int is;

	(void)argc;
	if (sqlite3_value_type(argv[0]) == SQLITE_TEXT)
		sqlite3_result_value(ctx, argv[0]);
	if (sqlite3_value_type(argv[0]) != SQLITE_INTEGER || id < 0)
		return;
	if (begin_categories(q, &why)) {
		fail(ctx, q, &why);
		return;
	}
	is = ts_category_numbered(&q->categories, id);
	if (q->categories.nomem)
		sqlite3_result_error_nomem(ctx);
	else if (is >= 0)
		sqlite3_result_text(ctx, q->categories.name[is], -1, SQLITE_TRANSIENT);
}

/* Debug contexts are read with the first step. */
static enum ts_code
begin_frames(struct ts_query *q, struct ts_err *err)
{
	struct ts_frame_contexts *contexts = NULL;
	enum ts_code code;

	if (q->has_frames)
		return TS_OK;
	code = ts_frame_contexts_read(&contexts, q->rd, NULL, q->progress, err);
	if (!code)
		code = ts_frames_init(&q->frames, contexts, NULL, err);
	ts_frame_contexts_release(contexts);
	q->has_frames = !code;
	return code;
}

/* The stack of a step, as folded stacks have it: "Engine::run;a;b;DoExchange". */
static void
step_stack(sqlite3_context *ctx, int argc, sqlite3_value **argv)
{
	struct ts_query *q = sqlite3_user_data(ctx);
	struct ts_strbuf text;
	struct ts_err why = {0};
	struct ts_slice s;
	uint32_t leaf;
	enum ts_code code = begin_frames(q, &why);

	(void)argc;
	s = (struct ts_slice){.program = TS_UNKNOWN, .compute_set = TS_UNKNOWN};
	s.class_of = class_of(argv[0], argv[1]);
	s.type = (const char *)sqlite3_value_text(argv[0]);
	s.type_n = s.type ? (size_t)sqlite3_value_bytes(argv[0]) : 0;
	s.name = (const char *)sqlite3_value_text(argv[2]);
	s.name_n = s.name ? (size_t)sqlite3_value_bytes(argv[2]) : 0;
	if (sqlite3_value_type(argv[3]) == SQLITE_INTEGER)
		s.program = sqlite3_value_int64(argv[3]);
	if (sqlite3_value_type(argv[4]) == SQLITE_INTEGER)
		s.compute_set = sqlite3_value_int64(argv[4]);
	if (!code)
		code = ts_frames_leaf(&leaf, &q->frames, &s, &why);
	if (code) {
		fail(ctx, q, &why);
		return;
	}
	ts_strbuf_init(&text, STACK_MOST);
	ts_frame_folded(&text, &q->frames, leaf);
	if (text.nomem)
		sqlite3_result_error_nomem(ctx);
	else
		sqlite3_result_text64(ctx, text.s, text.len, SQLITE_TRANSIENT, SQLITE_UTF8);
	ts_strbuf_fini(&text);
}

/* --- tiles(blob) -------------------------------------------------------------------------------- */

enum { COLUMN_TILE, COLUMN_VALUE, COLUMN_BLOB };

struct tiles_cursor {
	sqlite3_vtab_cursor base;
	sqlite3_value *blob; /* or the expression */
	const unsigned char *bytes;
	sqlite3_int64 at, n;
	struct ts_tiles_named named; /* of an expression: its tiles */
};

static int
tiles_connect(sqlite3 *db, void *aux, int argc, const char *const *argv, sqlite3_vtab **out,
	char **error)
{
	(void)argc;
	(void)argv;
	(void)error;
	return ts_query_table_made(out, db, aux, 0,
		"CREATE TABLE tiles(tile INTEGER, value INTEGER, blob BLOB HIDDEN)");
}

static int
tiles_best_index(sqlite3_vtab *tab, sqlite3_index_info *info)
{
	bool named = false;

	for (int i = 0; i < info->nConstraint; i++) {
		if (info->aConstraint[i].iColumn != COLUMN_BLOB ||
			info->aConstraint[i].op != SQLITE_INDEX_CONSTRAINT_EQ)
			continue;
		named = true;
		if (!info->aConstraint[i].usable)
			continue;
		info->aConstraintUsage[i].argvIndex = 1;
		info->aConstraintUsage[i].omit = 1;
		info->estimatedCost = 1000;
		info->estimatedRows = 1000;
		info->orderByConsumed = info->nOrderBy == 1 &&
			info->aOrderBy[0].iColumn == COLUMN_TILE && !info->aOrderBy[0].desc;
		return SQLITE_OK;
	}
	if (named)
		return SQLITE_CONSTRAINT;
	tab->zErrMsg = sqlite3_mprintf(
		"tiles() takes one blob, or an expression of tiles (a table of the file with that name "
		"is main.\"tiles\")");
	return SQLITE_ERROR;
}

static int
tiles_open(sqlite3_vtab *tab, sqlite3_vtab_cursor **out)
{
	struct tiles_cursor *c = sqlite3_malloc(sizeof(*c));

	(void)tab;
	if (!c)
		return SQLITE_NOMEM;
	memset(c, 0, sizeof(*c));
	*out = &c->base;
	return SQLITE_OK;
}

static void
forget_tiles(struct tiles_cursor *c)
{
	sqlite3_value_free(c->blob);
	c->blob = NULL;
	c->bytes = NULL;
	c->at = c->n = 0;
	ts_tiles_named_fini(&c->named);
}

static int
tiles_close(sqlite3_vtab_cursor *cursor)
{
	struct tiles_cursor *c = (struct tiles_cursor *)cursor;

	forget_tiles(c);
	sqlite3_free(c);
	return SQLITE_OK;
}

/* The expression at c->blob; what is wrong with it ends the statement. */
static int
name_tiles(struct tiles_cursor *c)
{
	struct ts_query *q = ((struct ts_query_table *)c->base.pVtab)->q;
	const char *text = (const char *)sqlite3_value_text(c->blob);
	struct ts_err why = {0};
	enum ts_code code = text
		? ts_tiles_named(&c->named, text, q->selected, q->rd, NULL, q->progress, &why)
		: ts_err_nomem(&why);

	if (!code) {
		c->n = c->named.set.tiles;
		c->at = ts_tile_set_next(&c->named.set, 0);
		c->at = c->at < 0 ? c->n : c->at;
		return SQLITE_OK;
	}
	if (!q->inner.code) {
		q->inner = why;
		ts_err_prefix(&q->inner, "tiles(): ");
	}
	return code == TS_E_NOMEM ? SQLITE_NOMEM : SQLITE_INTERRUPT;
}

static int
tiles_filter(sqlite3_vtab_cursor *cursor, int number, const char *text, int argc,
	sqlite3_value **argv)
{
	struct tiles_cursor *c = (struct tiles_cursor *)cursor;
	bool named = argc == 1 && sqlite3_value_type(argv[0]) == SQLITE_TEXT;

	(void)number;
	(void)text;
	forget_tiles(c);
	if (argc < 1 || (!named && blob_count(argv[0]) <= 0))
		return SQLITE_OK;
	c->blob = sqlite3_value_dup(argv[0]);
	if (!c->blob)
		return SQLITE_NOMEM;
	if (named)
		return name_tiles(c);
	c->n = blob_count(c->blob);
	c->bytes = sqlite3_value_blob(c->blob);
	return c->bytes ? SQLITE_OK : SQLITE_NOMEM;
}

static int
tiles_next(sqlite3_vtab_cursor *cursor)
{
	struct tiles_cursor *c = (struct tiles_cursor *)cursor;

	c->at = c->bytes ? c->at + 1 : ts_tile_set_next(&c->named.set, c->at + 1);
	c->at = c->at < 0 ? c->n : c->at;
	return SQLITE_OK;
}

static int
tiles_eof(sqlite3_vtab_cursor *cursor)
{
	const struct tiles_cursor *c = (struct tiles_cursor *)cursor;

	return c->at >= c->n;
}

static int
tiles_column(sqlite3_vtab_cursor *cursor, sqlite3_context *ctx, int column)
{
	const struct tiles_cursor *c = (struct tiles_cursor *)cursor;

	if (column == COLUMN_BLOB)
		sqlite3_result_value(ctx, c->blob);
	else if (column == COLUMN_TILE)
		sqlite3_result_int64(ctx, c->at);
	else if (c->bytes)
		sqlite3_result_int64(ctx, blob_number(c->bytes, c->at));
	else if (c->named.used && c->named.used[c->at] >= 0)
		sqlite3_result_int64(ctx, c->named.used[c->at]);
	return SQLITE_OK;
}

static int
tiles_rowid(sqlite3_vtab_cursor *cursor, sqlite3_int64 *rowid)
{
	*rowid = ((struct tiles_cursor *)cursor)->at;
	return SQLITE_OK;
}

/* Made as temp.tiles, which goes before a table of that name in the file. */
static const sqlite3_module tiles_module = {
	.xCreate = tiles_connect,
	.xConnect = tiles_connect,
	.xDisconnect = ts_query_table_free,
	.xDestroy = ts_query_table_free,
	.xBestIndex = tiles_best_index,
	.xOpen = tiles_open,
	.xClose = tiles_close,
	.xFilter = tiles_filter,
	.xNext = tiles_next,
	.xEof = tiles_eof,
	.xColumn = tiles_column,
	.xRowid = tiles_rowid,
};

/* --- regular expressions ------------------------------------------------------------------------ */

struct expression {
	struct ts_pattern *pattern;
	struct ts_matcher *matcher;
};

static void
free_expression(void *p)
{
	struct expression *e = p;

	ts_matcher_free(e->matcher);
	ts_pattern_free(e->pattern);
	free(e);
}

/* The expression of the first argument, compiled once for a statement; NULL: the error is said. */
static struct expression *
expression_of(sqlite3_context *ctx, sqlite3_value *pattern)
{
	struct expression *e = sqlite3_get_auxdata(ctx, 0);
	const char *text = (const char *)sqlite3_value_text(pattern);
	struct ts_err why = {0};
	enum ts_code code;

	if (e)
		return e;
	e = text ? ts_alloc(1, sizeof(*e)) : NULL;
	if (!e) {
		sqlite3_result_error_nomem(ctx);
		return NULL;
	}
	code = ts_pattern_compile(&e->pattern, text, 0, NULL, &why);
	if (!code)
		code = ts_matcher_new(&e->matcher, e->pattern, &why);
	if (code) {
		free_expression(e);
		sqlite3_result_error(ctx, why.msg, -1);
		return NULL;
	}
	sqlite3_set_auxdata(ctx, 0, e, free_expression);
	return sqlite3_get_auxdata(ctx, 0); /* NULL: no memory, and it is freed */
}

/* Does the text of the second argument match the expression of the first? *e NULL: it is NULL, or an error. */
static enum ts_match
match(sqlite3_context *ctx, sqlite3_value **argv, struct expression **e)
{
	const char *text;
	enum ts_match is;
	struct ts_err why = {0};

	*e = NULL;
	if (sqlite3_value_type(argv[0]) == SQLITE_NULL ||
		sqlite3_value_type(argv[1]) == SQLITE_NULL)
		return TS_MATCH_NO;
	*e = expression_of(ctx, argv[0]);
	text = *e ? (const char *)sqlite3_value_text(argv[1]) : NULL;
	if (!text)
		return TS_MATCH_NO;
	is = ts_pattern_matches((*e)->matcher, text, (size_t)sqlite3_value_bytes(argv[1]));
	if (ts_matcher_costly((*e)->matcher)) {
		ts_pattern_costly_err((*e)->pattern, &why);
		sqlite3_result_error(ctx, why.msg, -1);
		*e = NULL;
	}
	return is;
}

/* text REGEXP pattern */
static void
regexp(sqlite3_context *ctx, int argc, sqlite3_value **argv)
{
	struct expression *e;
	enum ts_match is = match(ctx, argv, &e);

	(void)argc;
	if (e)
		sqlite3_result_int(ctx, is == TS_MATCH_YES);
}

/* What its group matched, or all of it where it has none; NULL: it does not match. */
static void
regexp_group(sqlite3_context *ctx, int argc, sqlite3_value **argv)
{
	struct expression *e;
	const char *text;
	size_t from, to;

	(void)argc;
	if (match(ctx, argv, &e) != TS_MATCH_YES || !e)
		return;
	if (ts_matcher_group(e->matcher, 1, &text, &from, &to) ||
		ts_matcher_group(e->matcher, 0, &text, &from, &to))
		sqlite3_result_text64(ctx, text + from, to - from, SQLITE_TRANSIENT, SQLITE_UTF8);
}

static const struct {
	const char *name;
	int arguments;
	void (*run)(sqlite3_context *ctx, int argc, sqlite3_value **argv);
} functions[] = {
	{"tile_at", 2, tile_at},
	{"tile_sum", 1, tile_sum},
	{"tile_max", 1, tile_max},
	{"regexp", 2, regexp},
	{"regexp_group", 2, regexp_group},
	{"step_class", 2, step_class},
	{"step_stack", 5, step_stack},
	{"variable_group", 2, variable_group},
	{"category_name", 1, category_name},
};

int
ts_query_add_functions(struct ts_query *q, sqlite3 *db)
{
	int rc = sqlite3_create_module(db, "tiles", &tiles_module, q);

	for (size_t i = 0; i < TS_COUNT(functions) && rc == SQLITE_OK; i++)
		rc = sqlite3_create_function(db, functions[i].name, functions[i].arguments, FLAGS,
			q, functions[i].run, NULL, NULL);
	if (rc == SQLITE_OK)
		rc = sqlite3_exec(db, "CREATE VIRTUAL TABLE temp.tiles USING tiles", NULL, NULL,
			NULL);
	return rc;
}
