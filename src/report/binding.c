/* SPDX-License-Identifier: MIT */
/*
 * binding - fit a schema map to a file.
 *
 * Column by column the first candidate whose source columns exist wins; a required column that finds
 * none makes the relation absent, with the reason. Columns that nobody outside Graphcore has seen are
 * found by their values, on a sample: the whole table when it is small, else windows of rows at evenly
 * spaced row ids. A sample may hold broken rows (a report is hostile, or damaged), so nine groups out
 * of ten must fit, not all.
 *
 * The same sampling decides whether the key column never falls along the row id; when it does not,
 * rows are reached by bisecting row ids. That is 0.06 ms for a screen of rows, with no index.
 */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tilescope/base/mem.h"
#include "tilescope/base/strbuf.h"
#include "binding_internal.h"

enum { FOUND_COLUMNS = 48 }; /* looked at when a column is found by its values */

/* What is known while one relation is bound. */
struct fit {
	struct ts_binding *b;
	const struct ts_schema *schema;
	struct ts_db *db;
};

bool
ts_binding_has(const struct ts_binding *b, int column)
{
	return b->bound && b->column[column].op != TS_OP_NONE;
}

bool
ts_binding_is_plain(const struct ts_binding *b, const int *columns, int count)
{
	for (int i = 0; i < count; i++)
		if (b->column[columns[i]].op == TS_OP_ORDER_IN ||
			b->column[columns[i]].op == TS_OP_POSITION)
			return false;
	return true;
}

/* --- columns -------------------------------------------------------------------------------- */

/* The object whose rows `o` shows, one to one: the base table of a view, else itself. */
static const struct ts_object *
rows_of(const struct ts_object *o, const struct ts_schema *schema)
{
	const struct ts_object *base;

	if (o->base < 0)
		return o;
	base = &schema->object[o->base];
	for (int c = 0; c < o->column_count; c++)
		if (!o->column[c].origin || ts_object_column(base, o->column[c].origin) < 0)
			return o;
	return base;
}

/* Column c of `o` as a column of rows_of(o); -1 stays. */
static int
column_of_rows(const struct ts_object *o, const struct ts_object *rows, int c)
{
	return c < 0 || rows == o ? c : ts_object_column(rows, o->column[c].origin);
}

/* Column `name` of the relation's object as a column of its rows; -1 when there is none. */
static int
source_column(const struct ts_binding *b, const char *name)
{
	return column_of_rows(b->object, b->reach.rows, ts_object_column(b->object, name));
}

static bool
used(const struct ts_binding *b, int column)
{
	for (int i = 0; i < TS_RELATION_COLUMNS; i++)
		if (b->column[i].op != TS_OP_NONE &&
			(b->column[i].a == column || b->column[i].b == column))
			return true;
	return false;
}

/* Is column `c` (named by a candidate) one that tells rows of equal `group` apart? */
static enum ts_code
tells_apart(bool *yes, const struct fit *f, int group, int c, struct ts_err *err)
{
	struct ts_sample s;
	struct ts_verdict v = {0};
	enum ts_code code;

	code = ts_sample_take(&s, &f->b->reach, f->db, (const int[]){group, c}, 2, err);
	if (!code)
		code = ts_sample_judge(&v, &s, 1, err);
	ts_sample_fini(&s);
	*yes = v.groups == 0 || v.apart * 2 >= v.groups;
	f->b->group = v.largest;
	f->b->ipus = v.distinct;
	return code;
}

static bool
most(int part, int whole)
{
	return whole > 0 && (int64_t)part * 10 >= (int64_t)whole * 9;
}

static enum ts_code
find_by_values(int *found, const struct fit *f, int group, struct ts_err *err)
{
	int columns[FOUND_COLUMNS] = {group}, count = 1;
	struct ts_sample s;
	enum ts_code code;

	*found = -1;
	for (int c = 0; c < f->b->reach.rows->column_count && count < FOUND_COLUMNS; c++)
		if (c != group && !used(f->b, c))
			columns[count++] = c;
	code = ts_sample_take(&s, &f->b->reach, f->db, columns, count, err);
	for (int i = 1; !code && i < count && *found < 0; i++) {
		struct ts_verdict v;

		code = ts_sample_judge(&v, &s, i, err);
		if (!code && most(v.exact, v.groups)) {
			*found = columns[i];
			f->b->group = v.largest;
			f->b->ipus = v.distinct;
		}
	}
	ts_sample_fini(&s);
	return code;
}

static enum ts_code
largest_group(const struct fit *f, int group, struct ts_err *err)
{
	struct ts_sample s;
	struct ts_verdict v = {0};
	enum ts_code code;

	code = ts_sample_take(&s, &f->b->reach, f->db, (const int[]){group}, 1, err);
	if (!code)
		code = ts_sample_judge(&v, &s, 0, err);
	ts_sample_fini(&s);
	f->b->group = f->b->ipus = v.largest;
	return code;
}

/* The kinds of value in a column of `o`, over its first rows: are all of them `type`? */
static enum ts_code
all_of_type(bool *yes, struct ts_db *db, const struct ts_object *o, int column, int type,
	struct ts_err *err)
{
	struct ts_strbuf sql;
	sqlite3_stmt *stmt;
	enum ts_code code;
	bool row, same = true;
	int rows = 0;

	*yes = false;
	ts_strbuf_init(&sql, 1 << 16);
	ts_sql_select(&sql, o, &column, 1);
	ts_strbuf_puts(&sql, " LIMIT 200");
	code = ts_db_prepare_sql(db, &stmt, &sql, err);
	if (code)
		return ts_is_fatal(code) ? code : TS_OK;
	while (same && !(code = ts_db_step(db, stmt, &row, err)) && row) {
		same = sqlite3_column_type(stmt, 0) == type;
		rows++;
	}
	ts_db_release(db, stmt);
	*yes = same && rows > 0;
	return ts_is_fatal(code) ? code : TS_OK;
}

/* A column of `o` by name, or by type when the name is "*"; -1 when there is none. */
static enum ts_code
dict_column(int *found, struct ts_db *db, const struct ts_object *o, const char *name, int type,
	struct ts_err *err)
{
	enum ts_code code = TS_OK;

	*found = -1;
	if (strcmp(name, "*") != 0)
		*found = ts_object_column(o, name);
	else
		for (int c = 0; c < o->column_count && !code && *found < 0; c++) {
			bool yes;

			code = all_of_type(&yes, db, o, c, type, err);
			if (yes)
				*found = c;
		}
	return code;
}

/* Find the key and the text of a dictionary; *fits false when there are none. */
static enum ts_code
fit_dict_rows(bool *fits, struct ts_column_binding *cb, const struct fit *f,
	const struct ts_candidate *c, struct ts_err *err)
{
	const struct ts_object *o = ts_schema_find(f->schema, c->a);
	const struct ts_object *rows = o ? rows_of(o, f->schema) : NULL;
	enum ts_code code;
	int key;

	*fits = false;
	if (!o || o->problem)
		return TS_OK;
	code = dict_column(&cb->dict_text, f->db, o, c->c, SQLITE_TEXT, err);
	if (!code)
		code = dict_column(&key, f->db, o, c->b, SQLITE_INTEGER, err);
	if (code || cb->dict_text < 0 || (key < 0 && (strcmp(c->b, "*") != 0 || !rows->rowid)))
		return code;
	cb->dict.rows = rows;
	cb->dict_text = column_of_rows(o, rows, cb->dict_text);
	cb->dict.column = column_of_rows(o, rows, key);
	code = ts_reach_find(&cb->dict, f->db, err);
	if (!code && !ts_reach_can_look_up(&cb->dict))
		code = ts_reach_count_few(&cb->dict, f->db, err);
	*fits = !code && ts_reach_can_look_up(&cb->dict);
	return code;
}

/* --- candidates ----------------------------------------------------------------------------- */

/* The only integer column that nobody uses and whose sampled values all are keys of the dictionary. */
static enum ts_code
find_reference(int *found, const struct fit *f, const struct ts_reach *dict, int text,
	struct ts_err *err)
{
	int matches = 0;
	enum ts_code code = TS_OK;
	struct ts_strbuf ignored;

	*found = -1;
	ts_strbuf_init(&ignored, 64);
	for (int c = 0; c < f->b->reach.rows->column_count && !code; c++) {
		struct ts_sample s;
		size_t hits = 0, tried = 0;

		if (used(f->b, c))
			continue;
		code = ts_sample_take(&s, &f->b->reach, f->db, (const int[]){c}, 1, err);
		for (size_t i = 0; !code && i < s.rows; i += 1 + s.rows / 64) {
			bool there = false;

			ts_strbuf_reset(&ignored);
			if (s.value[i] >= 0)
				code = ts_reach_text(&ignored, &there, dict, f->db, s.value[i],
					text, err);
			tried++;
			hits += there;
		}
		ts_sample_fini(&s);
		if (tried > 0 && hits == tried) {
			*found = c;
			matches++;
		}
	}
	ts_strbuf_fini(&ignored);
	if (matches != 1)
		*found = -1;
	return code;
}

static enum ts_code
fit_dict(bool *fits, struct ts_column_binding *cb, const struct fit *f,
	const struct ts_candidate *c, struct ts_err *err)
{
	enum ts_code code = fit_dict_rows(fits, cb, f, c, err);
	int ref = -1;

	if (code || !*fits)
		return code;
	if (strcmp(c->d, "*") == 0)
		code = find_reference(&ref, f, &cb->dict, cb->dict_text, err);
	else
		ref = source_column(f->b, c->d);
	*fits = ref >= 0;
	cb->a = ref;
	cb->guessed = strcmp(c->d, "*") == 0;
	return code;
}

static enum ts_code
fit_column(bool *fits, struct ts_column_binding *cb, const struct fit *f,
	const struct ts_candidate *c, struct ts_err *err)
{
	cb->a = source_column(f->b, c->a);
	(void)err;
	*fits = cb->a >= 0;
	return TS_OK;
}

static enum ts_code
fit_two(bool *fits, struct ts_column_binding *cb, const struct fit *f, const struct ts_candidate *c,
	struct ts_err *err)
{
	(void)err;
	cb->a = source_column(f->b, c->a);
	cb->b = source_column(f->b, c->b);
	*fits = cb->a >= 0 && cb->b >= 0;
	return TS_OK;
}

static enum ts_code
fit_constant(bool *fits, struct ts_column_binding *cb, const struct fit *f,
	const struct ts_candidate *c, struct ts_err *err)
{
	(void)f;
	(void)err;
	cb->text = c->a;
	*fits = true;
	return TS_OK;
}

static enum ts_code
fit_by_values(bool *fits, struct ts_column_binding *cb, const struct fit *f,
	const struct ts_candidate *c, struct ts_err *err)
{
	int group = source_column(f->b, c->a);
	enum ts_code code = TS_OK;

	*fits = false;
	if (group < 0)
		return TS_OK;
	code = find_by_values(&cb->a, f, group, err);
	*fits = cb->a >= 0;
	cb->op = TS_OP_COLUMN;
	cb->guessed = true;
	return code;
}

static enum ts_code
fit_order_in(bool *fits, struct ts_column_binding *cb, const struct fit *f,
	const struct ts_candidate *c, struct ts_err *err)
{
	cb->a = source_column(f->b, c->a);
	cb->guessed = true;
	*fits = cb->a >= 0;
	return *fits ? largest_group(f, cb->a, err) : TS_OK;
}

static enum ts_code
fit_position(bool *fits, struct ts_column_binding *cb, const struct fit *f,
	const struct ts_candidate *c, struct ts_err *err)
{
	(void)f;
	(void)c;
	(void)err;
	cb->guessed = true;
	*fits = true;
	return TS_OK;
}

static enum ts_code (*const fits_by_op[])(bool *fits, struct ts_column_binding *cb,
	const struct fit *f, const struct ts_candidate *c, struct ts_err *err) = {
	[TS_OP_COLUMN] = fit_column,
	[TS_OP_SUM] = fit_two,
	[TS_OP_DIFFERENCE] = fit_two,
	[TS_OP_CONSTANT] = fit_constant,
	[TS_OP_DICT] = fit_dict,
	[TS_OP_BY_VALUES] = fit_by_values,
	[TS_OP_ORDER_IN] = fit_order_in,
	[TS_OP_POSITION] = fit_position,
};

/*
 * The IPU of a step: a column that a candidate names has to tell the rows of a step apart, or it is
 * something else that has the name.
 */
static enum ts_code
check_ipu(bool *fits, const struct fit *f, int a, struct ts_err *err)
{
	const struct ts_column_binding *step = &f->b->column[TS_STEP_IPU_STEP];

	if (step->op != TS_OP_COLUMN)
		return TS_OK;
	return tells_apart(fits, f, step->a, a, err);
}

static enum ts_code
bind_column(const struct fit *f, const struct ts_map_relation *m, int column, struct ts_err *err)
{
	enum ts_code code = TS_OK;

	for (int i = 0; i < m->candidate_count[column]; i++) {
		const struct ts_candidate *c = &m->candidate[column][i];
		struct ts_column_binding cb = {.op = c->op, .a = -1, .b = -1};
		bool fits = false;

		code = fits_by_op[c->op](&fits, &cb, f, c, err);
		if (!code && fits && c->op == TS_OP_COLUMN && f->b->relation == TS_STEP_IPU &&
			column == TS_STEP_IPU_IPU)
			code = check_ipu(&fits, f, cb.a, err);
		if (code)
			return ts_is_fatal(code) ? code : TS_OK;
		if (fits) {
			f->b->column[column] = cb;
			return TS_OK;
		}
	}
	return TS_OK;
}

static enum ts_code
bind_columns(const struct fit *f, const struct ts_map_relation *m, struct ts_err *err)
{
	const struct ts_relation_def *def = ts_relation_def(f->b->relation);
	enum ts_code code = TS_OK;

	/* Columns that are found by their values come last: what others use is not a candidate. */
	for (int pass = 0; pass < 2; pass++)
		for (int c = 0; !code && c < def->column_count; c++) {
			struct ts_column_binding *cb = &f->b->column[c];

			if (!m) {
				cb->a = source_column(f->b, def->column[c].name);
				cb->op = cb->a >= 0 ? TS_OP_COLUMN : TS_OP_NONE;
			} else if (cb->op == TS_OP_NONE && m->candidate_count[c] > 0) {
				bool by_values = m->candidate[c][0].op == TS_OP_DICT ||
					(f->b->relation == TS_STEP_IPU && c == TS_STEP_IPU_IPU);

				if (by_values == (pass == 1))
					code = bind_column(f, m, c, err);
			}
		}
	return code;
}

static bool
choose_object(struct ts_binding *b, const struct ts_map_relation *m, const struct ts_schema *schema)
{
	const char *name = ts_relation_def(b->relation)->name;

	if (!m) {
		b->object = ts_schema_find(schema, name);
	} else if (!m->listed) {
		snprintf(b->reason, sizeof(b->reason),
			"no known table has it (tilescope schema lists what is there)");
		return false;
	} else {
		name = m->object[0];
		for (int i = 0; i < m->object_count && !b->object; i++)
			b->object = ts_schema_find(schema, m->object[i]);
	}
	if (!b->object)
		snprintf(b->reason, sizeof(b->reason), "no table \"%s\"", name);
	else if (b->object->problem)
		snprintf(b->reason, sizeof(b->reason), "table \"%s\": %s", b->object->name,
			b->object->problem);
	return b->object && !b->object->problem;
}

static bool
has_required(struct ts_binding *b, const struct ts_map_relation *m)
{
	const struct ts_relation_def *def = ts_relation_def(b->relation);

	for (int c = 0; c < def->column_count; c++)
		if (def->column[c].required && b->column[c].op == TS_OP_NONE) {
			const struct ts_candidate *want = m && m->candidate_count[c]
				? &m->candidate[c][0]
				: NULL;

			snprintf(b->reason, sizeof(b->reason),
				"table \"%s\" has no column for %s (%s%s%s)", b->object->name,
				def->column[c].name,
				want && want->a ? want->a : def->column[c].name,
				want && want->b ? ", " : "", want && want->b ? want->b : "");
			return false;
		}
	return true;
}

enum ts_code
ts_binding_make(struct ts_binding *b, enum ts_relation relation, const struct ts_map *map,
	const struct ts_schema *schema, struct ts_db *db, struct ts_err *err)
{
	const struct ts_relation_def *def = ts_relation_def(relation);
	/* NULL: it stands under its own names */
	const struct ts_map_relation *m = map && !map->identity_object ? &map->relation[relation]
								       : NULL;
	struct fit f = {b, schema, db};
	enum ts_code code;

	*b = (struct ts_binding){.relation = relation, .reach.column = -1};
	for (int c = 0; c < TS_RELATION_COLUMNS; c++)
		b->column[c].a = b->column[c].b = -1;
	if (!choose_object(b, m, schema))
		return TS_OK;
	b->reach.rows = rows_of(b->object, schema);
	code = ts_reach_rowids(&b->reach, db, err);
	if (!code)
		code = bind_columns(&f, m, err);
	if (code)
		return code;
	b->bound = has_required(b, m);
	if (!b->bound || def->key < 0 || b->column[def->key].op != TS_OP_COLUMN)
		return TS_OK;
	b->reach.column = b->column[def->key].a;
	code = ts_reach_find(&b->reach, db, err);
	for (int c = 0; !code && c < def->column_count; c++)
		if (b->column[c].op == TS_OP_ORDER_IN)
			code = ts_reach_gather(&b->reach, b->column[c].a, db, err);
	return code;
}

/* Does the object have a row whose column "key" is `key`? */
static enum ts_code
has_key_row(bool *yes, const struct ts_object *o, struct ts_db *db, const char *key,
	struct ts_err *err)
{
	int column = ts_object_column(o, "key");
	struct ts_strbuf sql;
	sqlite3_stmt *stmt;
	enum ts_code code;

	*yes = false;
	if (column < 0)
		return TS_OK;
	ts_strbuf_init(&sql, 1 << 16);
	ts_sql_select(&sql, o, &column, 1);
	ts_strbuf_puts(&sql, " WHERE \"key\" = ?1 LIMIT 1");
	code = ts_db_prepare_sql(db, &stmt, &sql, err);
	if (code)
		return ts_is_fatal(code) ? code : TS_OK;
	sqlite3_bind_text(stmt, 1, key, -1, SQLITE_STATIC);
	code = ts_db_step(db, stmt, yes, err);
	ts_db_release(db, stmt);
	return ts_is_fatal(code) ? code : TS_OK;
}

enum ts_code
ts_map_recognises(bool *yes, const struct ts_map *map, const struct ts_schema *schema,
	struct ts_db *db, struct ts_err *err)
{
	*yes = false;
	if (map->identity_object) {
		const struct ts_object *o = ts_schema_find(schema, map->identity_object);

		return o ? has_key_row(yes, o, db, map->identity_key, err) : TS_OK;
	}
	for (int i = 0; i < map->recognise_count; i++)
		*yes |= ts_schema_find(schema, map->recognise[i]) != NULL;
	return TS_OK;
}
