/* SPDX-License-Identifier: MIT */
/*
 * query_contexts - the relation `context` over debug.cbor.
 *
 * A virtual table over what index_contexts.c knows: where each context stands, by id. Ids, parents, layers and
 * names come from there; where a statement asks for more of a context its map is decoded, once a row. Ids have
 * 64 bits, SQLite's integers a sign: the same bits stand in the columns that name a context, so they join.
 *
 * Where debug.cbor is damaged rows end, as those of other relations do; where the report has the relation itself
 * this one is not made.
 */
#include "config.h"

#include <string.h>

#include "query_internal.h"
#include "tilescope/base/mem.h"
#include "tilescope/report/contexts.h"
#include "tilescope/report/memory.h"

enum { ALL, ONE, CONTEXTS_GUESSED = 100000, CONTEXT_DETAILS = 1 << 20 };

struct context_cursor {
	struct ts_query_span s; /* first */
	bool read;		/* `one` is the context at `at` */
	struct ts_context_path one;
};

static int
contexts_connect(sqlite3 *db, void *aux, int argc, const char *const *argv, sqlite3_vtab **out,
	char **error)
{
	(void)argc;
	(void)argv;
	(void)error;
	return ts_query_table_new(out, db, aux, TS_CONTEXT, ts_relation_def(TS_CONTEXT));
}

static int
contexts_best_index(sqlite3_vtab *tab, sqlite3_index_info *info)
{
	((struct ts_query_table *)tab)->q->relations = true;
	info->idxNum = ALL;
	info->estimatedRows = CONTEXTS_GUESSED;
	info->estimatedCost = CONTEXTS_GUESSED;
	for (int i = 0; i < info->nConstraint && info->idxNum == ALL; i++) {
		if (!info->aConstraint[i].usable ||
			info->aConstraint[i].iColumn != TS_CONTEXT_CONTEXT ||
			info->aConstraint[i].op != SQLITE_INDEX_CONSTRAINT_EQ)
			continue;
		info->aConstraintUsage[i].argvIndex = 1;
		info->idxNum = ONE;
		info->estimatedRows = 1;
		info->estimatedCost = 20;
	}
	return SQLITE_OK;
}

static int
contexts_open(sqlite3_vtab *tab, sqlite3_vtab_cursor **out)
{
	(void)tab;
	return ts_query_cursor_new(out, sizeof(struct context_cursor));
}

static struct ts_query *
query_of(const struct context_cursor *c)
{
	return ((const struct ts_query_table *)c->s.base.pVtab)->q;
}

static void
forget_one(struct context_cursor *c)
{
	if (c->read)
		ts_context_path_fini(&c->one);
	c->read = false;
}

static int
contexts_close(sqlite3_vtab_cursor *cursor)
{
	forget_one((struct context_cursor *)cursor);
	sqlite3_free(cursor);
	return SQLITE_OK;
}

/* The first reading of debug.cbor, for all statements. What is behind damage is not known: the answer is partial. */
static enum ts_code
learn(struct ts_query *q, struct ts_err *err)
{
	struct ts_reader *rd = q->rd;
	enum ts_code code = TS_OK;

	if (!q->contexts)
		code = ts_contexts_open(&q->contexts, rd->report, rd->index, NULL, NULL, rd->cancel,
			err);
	if (!code && q->contexts->wrong[0] && !q->partial.code)
		(void)ts_err_set(&q->partial, TS_E_DAMAGED, "context: debug.cbor: %s",
			q->contexts->wrong);
	return code;
}

static int
contexts_filter(sqlite3_vtab_cursor *cursor, int way, const char *text, int argc,
	sqlite3_value **argv)
{
	struct context_cursor *c = (struct context_cursor *)cursor;
	struct ts_query *q = query_of(c);
	const struct ts_context_entry *e;
	struct ts_err why = {0};

	(void)text;
	forget_one(c);
	c->s.at = c->s.end = 0;
	if (learn(q, &why))
		return ts_query_ended(q, TS_CONTEXT, &why);
	c->s.end = q->contexts->count;
	if (way != ONE || argc != 1 || sqlite3_value_type(argv[0]) != SQLITE_INTEGER)
		return SQLITE_OK; /* SQLite looks at the rows once more */
	e = ts_contexts_find(q->contexts, (uint64_t)sqlite3_value_int64(argv[0]));
	c->s.at = e ? (uint64_t)(e - q->contexts->entry) : c->s.end;
	if (e)
		for (c->s.end = c->s.at;
			c->s.end < q->contexts->count && q->contexts->entry[c->s.end].id == e->id;
			c->s.end++)
			;
	return SQLITE_OK;
}

static int
contexts_next(sqlite3_vtab_cursor *cursor)
{
	struct context_cursor *c = (struct context_cursor *)cursor;
	struct ts_query *q = query_of(c);

	forget_one(c);
	c->s.at++;
	ts_query_count_row(q);
	return SQLITE_OK;
}

static void
give_text(sqlite3_context *ctx, const char *s)
{
	ts_query_give_text(ctx, s, s ? strlen(s) : 0);
}

static void
give_details(sqlite3_context *ctx, const struct ts_context_level *l)
{
	static const char *const left_out[] = {"id", "parentId", "name", "layer", "location", NULL};
	struct ts_strbuf json;

	ts_strbuf_init(&json, CONTEXT_DETAILS);
	ts_debug_tree_json(&json, &l->details, left_out);
	if (json.nomem)
		sqlite3_result_error_nomem(ctx);
	else if (!json.cut && json.len > 2)
		ts_query_give_text(ctx, json.s, json.len);
	ts_strbuf_fini(&json);
}

/* What only the map of the context says. */
static int
give_inner(sqlite3_context *ctx, struct context_cursor *c, int column)
{
	struct ts_query *q = query_of(c);
	const struct ts_context_level *l;
	struct ts_err why = {0};

	if (!c->read &&
		ts_context_read(&c->one, q->rd, q->contexts, &q->contexts->entry[c->s.at], &why))
		return ts_query_ended(q, TS_CONTEXT, &why);
	c->read = true;
	l = &c->one.level[0];
	switch (column) {
	case TS_CONTEXT_LAYER:
		give_text(ctx, l->layer);
		break;
	case TS_CONTEXT_NAME:
		give_text(ctx, l->name);
		break;
	case TS_CONTEXT_FILE:
		give_text(ctx, l->file);
		break;
	case TS_CONTEXT_FUNCTION:
		give_text(ctx, l->function);
		break;
	case TS_CONTEXT_LINE:
		ts_query_give_known(ctx, l->line);
		break;
	default:
		give_details(ctx, l);
		break;
	}
	return SQLITE_OK;
}

static int
contexts_column(sqlite3_vtab_cursor *cursor, sqlite3_context *ctx, int column)
{
	struct context_cursor *c = (struct context_cursor *)cursor;
	const struct ts_context_entry *e = &query_of(c)->contexts->entry[c->s.at];

	if (column == TS_CONTEXT_CONTEXT)
		sqlite3_result_int64(ctx, (sqlite3_int64)e->id);
	else if (column != TS_CONTEXT_PARENT)
		return give_inner(ctx, c, column);
	else if (e->flags & TS_CONTEXT_HAS_PARENT)
		sqlite3_result_int64(ctx, (sqlite3_int64)e->parent);
	return SQLITE_OK;
}

static const sqlite3_module contexts_module = {
	.xCreate = contexts_connect,
	.xConnect = contexts_connect,
	.xBestIndex = contexts_best_index,
	.xDisconnect = ts_query_table_free,
	.xDestroy = ts_query_table_free,
	.xOpen = contexts_open,
	.xClose = contexts_close,
	.xFilter = contexts_filter,
	.xNext = contexts_next,
	.xEof = ts_query_span_eof,
	.xColumn = contexts_column,
	.xRowid = ts_query_span_rowid,
};

int
ts_query_add_contexts(struct ts_query *q, sqlite3 *db)
{
	int rc;

	if (!ts_context_in_debug(q->rd->report))
		return SQLITE_OK;
	rc = sqlite3_create_module(db, "ts_contexts", &contexts_module, q);
	return rc == SQLITE_OK
		? sqlite3_exec(db, "CREATE VIRTUAL TABLE temp.\"context\" USING ts_contexts", NULL,
			  NULL, NULL)
		: rc;
}
