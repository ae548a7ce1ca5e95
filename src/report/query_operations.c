/* SPDX-License-Identifier: MIT */
/*
 * query_operations - operations in SQL: what the Operations view works out, so that its figures can be asked for.
 *
 *   operation_node    every operation of every layer, by number: its place in the tree (`parent`; what is below it are the
 *                     numbers up to `end`), its layer, and its texts
 *   operation_member  which programs belong to which operation, and with which compute set. `own`: to itself, else only to what
 *                     stands below it. Programs of no operation have no `node`
 *   operation_context which debug contexts do; contexts without an operation belong where the nearest above them does
 *   operation_link    variables that link an operation (to be named: node = N) with another one of its layer
 *
 * All is worked out when a statement first asks for it (a pass over the trace, unless it is kept), and held for those that follow.
 */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "query_internal.h"
#include "tilescope/base/mem.h"
#include "tilescope/report/memory.h"
#include "tilescope/report/operation_links.h"
#include "tilescope/report/operation_members.h"

enum { PATH_BYTES = 1 << 14, FEW = 64, MANY = 1 << 20 };

struct ts_query_operations {
	struct ts_operations *ops;
	struct ts_operation_uses *uses; /* of links, when they were asked for */
	struct ts_pile member, context; /* struct ts_operation_member: of programs, of contexts */
};

enum { NODES, MEMBERS, CONTEXTS, LINKS, TABLES };

struct op_cursor {
	struct ts_query_span s; /* first */
	int64_t node;		/* whose links */
	struct ts_pile link;	/* struct ts_operation_link, a variable each */
};

enum {
	N_NODE,
	N_PARENT,
	N_END,
	N_LAYER,
	N_NUMBER,
	N_NAME,
	N_PATH,
	N_DEBUG_NAME,
	N_OPERATION,
	N_CONTEXT,
	N_OWN
};
enum { M_NODE, M_PROGRAM, M_SET, M_OWN };
enum { C_NODE, C_CONTEXT, C_OWN };
enum { L_NODE, L_OTHER, L_WAY, L_HOW, L_VARIABLE, L_BYTES };

static const struct {
	const char *name, *create;
	bool named; /* the node has to be */
} tables[TABLES] = {
	[NODES] = {"operation_node",
		"CREATE TABLE x(node INTEGER, parent INTEGER, \"end\" INTEGER, layer TEXT, layer_number "
		"INTEGER, name TEXT, path TEXT, debug_name TEXT, operation INTEGER, context INTEGER, own "
		"INTEGER)",
		false},
	[MEMBERS] = {"operation_member",
		"CREATE TABLE x(node INTEGER, program INTEGER, compute_set INTEGER, own INTEGER)",
		false},
	[CONTEXTS] = {"operation_context",
		"CREATE TABLE x(node INTEGER, context INTEGER, own INTEGER)", false},
	[LINKS] = {"operation_link",
		"CREATE TABLE x(node INTEGER, other INTEGER, way TEXT, known_by TEXT, variable INTEGER, "
		"bytes INTEGER)",
		true},
};

/* --- what is worked out ------------------------------------------------------------------------------- */

void
ts_query_operations_free(struct ts_query_operations *o)
{
	if (!o)
		return;
	ts_operation_uses_close(o->uses);
	ts_operations_close(o->ops);
	ts_pile_fini(&o->member);
	ts_pile_fini(&o->context);
	free(o);
}

static enum ts_code
learn(struct ts_query *q, struct ts_err *err)
{
	struct ts_query_operations *o = q->operations;
	enum ts_code code;

	if (o)
		return TS_OK;
	o = ts_alloc(1, sizeof(*o));
	if (!o)
		return ts_err_nomem(err);
	code = ts_operations_read(&o->ops, q->rd, NULL, true, q->progress, err);
	if (!code)
		code = ts_operation_programs_read(&o->member, o->ops, NULL, q->rd->cancel, err);
	if (!code)
		code = ts_operation_contexts_read(&o->context, o->ops, NULL, q->rd->cancel, err);
	if (code)
		ts_query_operations_free(o);
	else
		q->operations = o;
	return code;
}

static int
ended(const struct op_cursor *c, struct ts_err *why)
{
	const struct ts_query_table *t = (const struct ts_query_table *)c->s.base.pVtab;

	return ts_query_ended_as(t->q, tables[t->is].name, why);
}

/* --- tables ------------------------------------------------------------------------------------------- */

/* argv[3], what stands behind USING: which one. */
static int
op_connect(sqlite3 *db, void *aux, int argc, const char *const *argv, sqlite3_vtab **out,
	char **error)
{
	int is = TABLES;

	(void)error;
	for (int i = 0; argc == 4 && i < TABLES; i++)
		if (strcmp(argv[3], tables[i].name) == 0)
			is = i;
	return is == TABLES ? SQLITE_ERROR
			    : ts_query_table_made(out, db, aux, is, tables[is].create);
}

/* Column 0 is the node of all of them. */
static int
op_best_index(sqlite3_vtab *tab, sqlite3_index_info *info)
{
	struct ts_query_table *t = (struct ts_query_table *)tab;
	bool asked = false;

	t->q->relations = true;
	info->estimatedRows = MANY;
	info->estimatedCost = MANY;
	for (int i = 0; i < info->nConstraint; i++) {
		if (info->aConstraint[i].iColumn != 0 ||
			info->aConstraint[i].op != SQLITE_INDEX_CONSTRAINT_EQ)
			continue;
		asked = true;
		if (!info->aConstraint[i].usable)
			continue;
		info->aConstraintUsage[i].argvIndex = 1;
		info->idxNum = 1;
		info->estimatedRows = FEW;
		info->estimatedCost = FEW;
		return SQLITE_OK;
	}
	if (!tables[t->is].named)
		return SQLITE_OK;
	if (asked)
		return SQLITE_CONSTRAINT;
	tab->zErrMsg = sqlite3_mprintf("%s takes one operation: WHERE node = N",
		tables[t->is].name);
	return SQLITE_ERROR;
}

static int
op_open(sqlite3_vtab *tab, sqlite3_vtab_cursor **out)
{
	(void)tab;
	return ts_query_cursor_new(out, sizeof(struct op_cursor));
}

static int
op_close(sqlite3_vtab_cursor *cursor)
{
	ts_pile_fini(&((struct op_cursor *)cursor)->link);
	sqlite3_free(cursor);
	return SQLITE_OK;
}

static const struct ts_pile *
members_of(const struct ts_query_table *t)
{
	const struct ts_query_operations *o = t->q->operations;

	return t->is == MEMBERS ? &o->member : &o->context;
}

static size_t
count(const struct ts_pile *members)
{
	return members->used / sizeof(struct ts_operation_member);
}

/* The first member that does not stand before a node's; those of no operation stand last. */
static uint64_t
members_from(const struct ts_pile *members, uint32_t node)
{
	const struct ts_operation_member *m = members->memory;
	size_t low = 0, high = count(members);

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (m[middle].node < node)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* Rows of one node. */
static enum ts_code
seek(struct op_cursor *c, const struct ts_query_table *t, uint32_t node, struct ts_err *err)
{
	struct ts_query_operations *o = t->q->operations;
	enum ts_code code = TS_OK;

	switch (t->is) {
	case NODES:
		c->s.at = node;
		c->s.end = (uint64_t)node + 1;
		break;
	case MEMBERS:
	case CONTEXTS:
		c->s.at = members_from(members_of(t), node);
		c->s.end = members_from(members_of(t), node + 1);
		break;
	default:
		if (!o->uses)
			code = ts_operation_uses_read(&o->uses, t->q->rd, o->ops, NULL,
				t->q->progress, err);
		if (!code)
			code = ts_operation_link_rows_read(&c->link, o->uses, node, NULL,
				t->q->rd->cancel, err);
		c->s.at = 0;
		c->s.end = c->link.used / sizeof(struct ts_operation_link);
	}
	return code;
}

static int
op_filter(sqlite3_vtab_cursor *cursor, int way, const char *text, int argc, sqlite3_value **argv)
{
	struct op_cursor *c = (struct op_cursor *)cursor;
	const struct ts_query_table *t = (const struct ts_query_table *)c->s.base.pVtab;
	struct ts_err why = {0};
	const struct ts_query_operations *o;

	(void)text;
	c->s.at = c->s.end = 0;
	ts_pile_fini(&c->link);
	if (learn(t->q, &why))
		return ended(c, &why);
	o = t->q->operations;
	if (o->ops->partial && !t->q->partial.code)
		(void)ts_err_set(&t->q->partial, TS_E_DAMAGED, "%s: not all could be read",
			tables[t->is].name);
	if (way == 0) {
		c->s.end = t->is == NODES ? o->ops->count : count(members_of(t));
		return SQLITE_OK;
	}
	if (argc != 1 || sqlite3_value_type(argv[0]) != SQLITE_INTEGER)
		return SQLITE_OK; /* no such node */
	c->node = sqlite3_value_int64(argv[0]);
	if (c->node < 0 || c->node >= o->ops->count)
		return SQLITE_OK;
	return seek(c, t, (uint32_t)c->node, &why) ? ended(c, &why) : SQLITE_OK;
}

static int
op_next(sqlite3_vtab_cursor *cursor)
{
	struct op_cursor *c = (struct op_cursor *)cursor;
	struct ts_query *q = ((struct ts_query_table *)c->s.base.pVtab)->q;

	c->s.at++;
	ts_query_count_row(q);
	return SQLITE_OK;
}

/* --- columns ------------------------------------------------------------------------------------------ */

static void
give_node(sqlite3_context *ctx, uint32_t node)
{
	if (node != TS_NO_OPERATION)
		sqlite3_result_int64(ctx, node);
}

static void
give_path(sqlite3_context *ctx, const struct ts_operations *o, uint32_t i)
{
	struct ts_strbuf path;

	ts_strbuf_init(&path, PATH_BYTES);
	ts_operation_path(&path, o, i);
	if (path.nomem)
		sqlite3_result_error_nomem(ctx);
	else
		ts_query_give_text(ctx, path.s, path.len);
	ts_strbuf_fini(&path);
}

static void
node_column(sqlite3_context *ctx, const struct ts_operations *o, uint32_t i, int column)
{
	const struct ts_operation *n = &o->node[i];
	const char *s;
	size_t len;

	switch (column) {
	case N_PARENT:
		give_node(ctx, n->parent);
		break;
	case N_LAYER:
		s = ts_operation_layer_name(&len, o, n->layer);
		ts_query_give_text(ctx, s, len);
		break;
	case N_NAME:
		s = ts_operation_name(&len, o, i);
		ts_query_give_text(ctx, n->name == TS_DICTIONARY_NONE ? NULL : s, len);
		break;
	case N_PATH:
		give_path(ctx, o, i);
		break;
	case N_DEBUG_NAME:
		s = ts_operation_debug_name(&len, o, i);
		ts_query_give_text(ctx, s, len);
		break;
	case N_OPERATION:
		ts_query_give_known(ctx, n->operation);
		break;
	case N_CONTEXT:
		if (ts_operation_stands(o, n))
			sqlite3_result_int64(ctx, n->context);
		break;
	default:
		sqlite3_result_int64(ctx,
			column == N_NODE	     ? i
				: column == N_END    ? n->end
				: column == N_NUMBER ? n->layer
						     : ts_operation_has_own(n));
	}
}

static void
member_column(sqlite3_context *ctx, const struct ts_operations *o,
	const struct ts_operation_member *m, int column)
{
	const struct ts_program_cost *p = (const struct ts_program_cost *)o->costs->cost.memory +
		m->item;

	if (column == M_NODE)
		give_node(ctx, m->node);
	else if (column == M_PROGRAM)
		sqlite3_result_int64(ctx, p->program);
	else if (column == M_SET)
		ts_query_give_known(ctx, p->compute_set);
	else
		sqlite3_result_int64(ctx, m->own);
}

static void
context_column(sqlite3_context *ctx, const struct ts_operations *o,
	const struct ts_operation_member *m, int column)
{
	sqlite3_result_int64(ctx,
		column == C_NODE	      ? m->node
			: column == C_CONTEXT ? o->node[m->item].context
					      : m->own);
}

static void
link_column(sqlite3_context *ctx, const struct op_cursor *c, int column)
{
	const struct ts_operation_link *l = (const struct ts_operation_link *)c->link.memory +
		c->s.at;

	if (column == L_WAY)
		sqlite3_result_text(ctx, ts_link_way_word((enum ts_link_way)l->way), -1,
			SQLITE_STATIC);
	else if (column == L_HOW)
		sqlite3_result_text(ctx, ts_link_how_word((enum ts_link_how)l->how), -1,
			SQLITE_STATIC);
	else
		ts_query_give_known(ctx,
			column == L_NODE	       ? c->node
				: column == L_OTHER    ? l->node
				: column == L_VARIABLE ? l->first
						       : l->bytes);
}

static int
op_column(sqlite3_vtab_cursor *cursor, sqlite3_context *ctx, int column)
{
	const struct op_cursor *c = (const struct op_cursor *)cursor;
	const struct ts_query_table *t = (const struct ts_query_table *)c->s.base.pVtab;
	const struct ts_query_operations *o = t->q->operations;

	if (t->is == NODES)
		node_column(ctx, o->ops, (uint32_t)c->s.at, column);
	else if (t->is == MEMBERS)
		member_column(ctx, o->ops,
			(const struct ts_operation_member *)o->member.memory + c->s.at, column);
	else if (t->is == CONTEXTS)
		context_column(ctx, o->ops,
			(const struct ts_operation_member *)o->context.memory + c->s.at, column);
	else
		link_column(ctx, c, column);
	return SQLITE_OK;
}

static const sqlite3_module op_module = {
	.xCreate = op_connect,
	.xConnect = op_connect,
	.xBestIndex = op_best_index,
	.xDisconnect = ts_query_table_free,
	.xDestroy = ts_query_table_free,
	.xOpen = op_open,
	.xClose = op_close,
	.xFilter = op_filter,
	.xNext = op_next,
	.xEof = ts_query_span_eof,
	.xColumn = op_column,
	.xRowid = ts_query_span_rowid,
};

int
ts_query_add_operations(struct ts_query *q, sqlite3 *db)
{
	int rc = sqlite3_create_module(db, "ts_operations", &op_module, q);
	char sql[200];

	for (int i = 0; i < TABLES && rc == SQLITE_OK; i++) {
		sqlite3_snprintf(sizeof(sql), sql,
			"CREATE VIRTUAL TABLE temp.%s USING ts_operations(%s)", tables[i].name,
			tables[i].name);
		rc = sqlite3_exec(db, sql, NULL, NULL, NULL);
	}
	return rc;
}
