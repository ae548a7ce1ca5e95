/* SPDX-License-Identifier: MIT */
/*
 * made - bind the relations of a profile to its tables, as profile/relations.h says.
 *
 * A relation that is made by SQL is read forwards, as a view is; a range of keys goes into its SQL where SQLite finds
 * the rows by it. Which columns there are is what the SELECT says.
 */
#include "config.h"

#include <stdio.h>
#include <string.h>

#include "tilescope/base/mem.h"
#include "tilescope/base/strbuf.h"
#include "tilescope/profile/relations.h"

#include "binding_internal.h"
#include "report_internal.h"

/* The columns that the statement has. */
static enum ts_code
take_columns(struct ts_object *o, sqlite3_stmt *stmt, struct ts_err *err)
{
	int n = sqlite3_column_count(stmt);

	o->column = ts_alloc((size_t)n, sizeof(*o->column));
	if (!o->column)
		return ts_err_nomem(err);
	for (o->column_count = 0; o->column_count < n; o->column_count++) {
		struct ts_sql_column *c = &o->column[o->column_count];

		c->name = ts_strdup(sqlite3_column_name(stmt, o->column_count));
		c->type = ts_strdup("");
		c->stored = -1;
		if (!c->name || !c->type) {
			o->column_count++; /* it is given back with the others */
			return ts_err_nomem(err);
		}
	}
	return TS_OK;
}

/* The object that stands for the SQL. */
static enum ts_code
make_object(struct ts_object **out, const struct ts_profile_relation *made,
	const struct ts_schema *schema, struct ts_db *db, struct ts_err *err)
{
	struct ts_object *o = ts_alloc(1, sizeof(*o));
	struct ts_strbuf sql;
	sqlite3_stmt *stmt = NULL;
	enum ts_code code;

	*out = o;
	if (!o)
		return ts_err_nomem(err);
	*o = (struct ts_object){.kind = TS_OBJECT_VIEW, .rowid_alias = -1, .base = -1};
	o->name = ts_strdup(made->name);
	ts_strbuf_init(&sql, TS_PROFILE_RELATION_SQL);
	ts_profile_relation_sql(&sql, made, schema);
	o->sql = sql.cut || sql.nomem ? NULL : ts_strdup(sql.s);
	ts_strbuf_fini(&sql);
	if (!o->name || !o->sql)
		return ts_err_nomem(err);
	code = ts_db_prepare(db, &stmt, o->sql, err);
	if (code)
		return code;
	code = take_columns(o, stmt, err);
	ts_db_release(db, stmt);
	return code;
}

static void
bind_columns(struct ts_binding *b, const struct ts_profile_relation *made,
	const struct ts_schema *schema)
{
	const struct ts_relation_def *def = ts_relation_def(b->relation);

	b->bound = true;
	for (int c = 0; c < def->column_count; c++) {
		int at = ts_object_column(b->object, def->column[c].name);

		if (at >= 0 && ts_profile_relation_has(made, def->column[c].name, schema))
			b->column[c] =
				(struct ts_column_binding){.op = TS_OP_COLUMN, .a = at, .b = -1};
		if (!def->column[c].required || b->column[c].op != TS_OP_NONE)
			continue;
		b->bound = false;
		snprintf(b->reason, sizeof(b->reason), "nothing in this file has its column %s",
			def->column[c].name);
		return;
	}
}

static enum ts_code
bind_sql(struct ts_binding *b, struct ts_object **o, const struct ts_profile_relation *made,
	const struct ts_schema *schema, struct ts_db *db, struct ts_err *err)
{
	const struct ts_relation_def *def = ts_relation_def(b->relation);
	char lacking[100];
	enum ts_code code;

	if (!ts_profile_relation_fits(made, schema, lacking, sizeof(lacking))) {
		snprintf(b->reason, sizeof(b->reason), "no %s \"%s\"",
			strchr(lacking, '.') ? "column" : "table", lacking);
		return TS_OK;
	}
	code = make_object(o, made, schema, db, err);
	if (code) {
		if (ts_is_fatal(code))
			return code;
		snprintf(b->reason, sizeof(b->reason), "%.150s",
			err ? err->msg : "it cannot be read");
		return TS_OK;
	}
	b->object = b->reach.rows = *o;
	bind_columns(b, made, schema);
	if (!b->bound || def->key < 0 || b->column[def->key].op != TS_OP_COLUMN)
		return TS_OK;
	/* rows are not counted: that may mean reading a large table */
	b->reach.column = b->column[def->key].a;
	b->reach.key = made->keyed ? TS_REACH_INDEX : TS_REACH_NONE;
	return TS_OK;
}

/* --- rows of a table ---------------------------------------------------------------------------- */

/* The table that a column is looked up in, by row id; false: not in this file. */
static bool
find_lookup(struct ts_column_binding *c, const struct ts_profile_from *from,
	const struct ts_schema *schema)
{
	const struct ts_object *o = ts_schema_find(schema, from->in);

	if (!o || o->problem || !o->rowid)
		return false;
	c->dict_text = ts_object_column(o, from->value);
	c->dict = (struct ts_reach){.rows = o,
		.column = o->rowid_alias,
		.key = TS_REACH_ROWID,
		.has_rowid = true,
		.last_rowid = INT64_MAX};
	return c->dict_text >= 0 && o->rowid_alias >= 0;
}

/* Bytes of a step: NULL where no program of this file has any. */
static enum ts_code
make_moved(const struct ts_object **by, struct ts_object **kept, const struct ts_profile_from *from,
	const struct ts_schema *schema, struct ts_db *db, struct ts_err *err)
{
	const struct ts_profile_relation *made = ts_profile_relation_find("program_moved");
	char lacking[100];
	enum ts_code code;

	*by = NULL;
	if (!ts_profile_relation_fits(made, schema, lacking, sizeof(lacking)) ||
		!ts_profile_relation_has(made, from->sent ? "bytes_out" : "bytes_in", schema))
		return TS_OK;
	code = *kept ? TS_OK : make_object(kept, made, schema, db, err);
	if (!code && (*kept)->column_count > 0)
		*by = *kept;
	return ts_is_fatal(code) ? code : TS_OK;
}

/* Where a column comes from; TS_OP_NONE where the file lacks it. */
static void
bind_from(struct ts_column_binding *c, const struct ts_profile_from *from,
	const struct ts_object *o, const struct ts_schema *schema)
{
	struct ts_column_binding found = {.op = TS_OP_COLUMN, .b = -1, .bit = from->bit - 1};

	found.a = ts_object_column(o, from->a);
	if (from->plus) {
		found.op = TS_OP_SUM;
		found.b = ts_object_column(o, from->plus);
		if (from->idle && (found.c = ts_object_column(o, from->idle)) >= 0) {
			found.op = TS_OP_PLACE;
			found.d = from->idle_plus ? ts_object_column(o, from->idle_plus) : -1;
		}
	} else if (from->bit > 0) {
		found.op = TS_OP_BIT;
	} else if (from->in) {
		found.op = from->before ? TS_OP_NAME : from->ipu ? TS_OP_MOVED : TS_OP_LOOKUP;
		if (!find_lookup(&found, from, schema))
			return;
	}
	if (from->before) {
		found.b = ts_object_column(o, from->before);
		found.c = ts_object_column(o, from->behind);
		if (found.b < 0 || found.c < 0)
			return;
	}
	if (from->ipu) {
		found.b = ts_object_column(o, from->ipu);
		found.bit = from->sent;
	}
	if (found.a >= 0 && (found.b >= 0 || (!from->plus && !from->ipu)))
		*c = found;
}

static bool
has_required(struct ts_binding *b, const struct ts_profile_relation *made)
{
	const struct ts_relation_def *def = ts_relation_def(b->relation);

	for (int c = 0; c < def->column_count; c++) {
		if (!def->column[c].required || b->column[c].op != TS_OP_NONE)
			continue;
		snprintf(b->reason, sizeof(b->reason), "table \"%s\" has no column for %s",
			made->table, def->column[c].name);
		return false;
	}
	return true;
}

static enum ts_code
bind_table(struct ts_binding *b, struct ts_object **kept, const struct ts_profile_relation *made,
	const struct ts_schema *schema, struct ts_db *db, struct ts_err *err)
{
	const struct ts_relation_def *def = ts_relation_def(b->relation);
	enum ts_code code;

	b->object = ts_schema_find(schema, made->table);
	if (!b->object || b->object->problem) {
		snprintf(b->reason, sizeof(b->reason), "no table \"%s\"", made->table);
		return TS_OK;
	}
	for (const struct ts_profile_from *f = made->from; f->column; f++) {
		int column = ts_relation_column(b->relation, f->column);
		struct ts_column_binding *c = column < 0 ? NULL : &b->column[column];

		if (!c)
			continue;
		bind_from(c, f, b->object, schema);
		if (c->op != TS_OP_MOVED)
			continue;
		code = make_moved(&c->by, kept, f, schema, db, err);
		if (code)
			return code;
		if (!c->by)
			*c = (struct ts_column_binding){.a = -1, .b = -1};
	}
	if (made->only) {
		b->only = ts_object_column(b->object, made->only);
		b->only_bit = made->only_bit;
		b->some = b->only >= 0;
	}
	if (!has_required(b, made))
		return TS_OK;
	b->reach.rows = b->object;
	code = ts_reach_rowids(&b->reach, db, err);
	b->bound = !code;
	if (code || def->key < 0 || b->column[def->key].op != TS_OP_COLUMN)
		return code;
	b->reach.column = b->column[def->key].a;
	return ts_reach_find(&b->reach, db, err);
}

/* Tables of executed things are there when nothing was executed, too. Their first row says it, not the relation's. */
static enum ts_code
find_empty(struct ts_binding *b, const struct ts_profile_relation *made, struct ts_db *db,
	struct ts_err *err)
{
	int length = made->table ? (int)strlen(made->table) : (int)strcspn(made->needs, ".");
	const char *table = made->table ? made->table : made->needs;
	char sql[200];
	int64_t any = 1;
	bool found;
	enum ts_code code;

	snprintf(sql, sizeof(sql), "SELECT EXISTS (SELECT 1 FROM main.\"%.*s\")", length, table);
	code = ts_db_int(db, &any, &found, sql, err);
	if (code)
		return ts_is_fatal(code) ? code : TS_OK;
	b->empty = any == 0;
	if (b->empty)
		snprintf(b->reason, sizeof(b->reason), "nothing was executed: %.*s has no rows",
			length, table);
	return TS_OK;
}

enum ts_code
ts_binding_of_profile(struct ts_binding *b, struct ts_object **o, enum ts_relation relation,
	const struct ts_profile_relation *made, const struct ts_schema *schema, struct ts_db *db,
	struct ts_err *err)
{
	enum ts_code code;

	*b = (struct ts_binding){.relation = relation, .reach.column = -1};
	for (int c = 0; c < TS_RELATION_COLUMNS; c++)
		b->column[c].a = b->column[c].b = -1;
	code = made->table ? bind_table(b, o, made, schema, db, err)
			   : bind_sql(b, o, made, schema, db, err);
	b->made = made;
	return code || !b->bound || !made->executed ? code : find_empty(b, made, db, err);
}

bool
ts_binding_uses(const struct ts_binding *b, const struct ts_object *o)
{
	if (!b->bound)
		return false;
	if (b->made)
		return ts_profile_relation_uses(b->made, o->name);
	return b->object == o || b->reach.rows == o;
}
