/* SPDX-License-Identifier: MIT */
/*
 * variable_names - names and categories as numbers that sort like them.
 *
 * Where a name stands in the row, distinct names are collected while rows are read and ranked behind
 * the last one. Where rows have numbers of a table of names, that table is read first (it is small
 * against the rows), ranked and asked what the filter thinks of each: rows then cost a look-up. A
 * category's number stands for the name that is shown; each is made out once.
 */
#include "config.h"

#include <math.h>
#include <string.h>

#include "binding_internal.h"
#include "variable_internal.h"

#include "tilescope/base/mem.h"
#include "tilescope/base/strbuf.h"

enum { DIRECT = 8 /* numbers for each name, at most */ };

/* What the filter's comparisons with this text say, a bit each, and above it whether that is sure. */
static uint32_t
ask_all(struct variable_pass *p, enum ts_variable_field field, const char *s, size_t n, size_t same)
{
	const struct ts_filter *f = &p->l->filter;
	uint32_t bits = VARIABLE_HAS_TEXT;

	for (int i = 0; i < f->count; i++) {
		const struct ts_filter_node *node = &f->node[i];
		enum ts_truth truth;

		if (node->field != field || node->op < TS_FILTER_HAS ||
			node->op > TS_FILTER_MATCHES)
			continue;
		truth = ts_filter_text_next(&p->texts, &p->asking.use, node, s, n, same);
		if (truth == TS_YES)
			bits |= UINT32_C(1) << node->text;
		if (truth != TS_UNSURE)
			bits |= UINT32_C(1) << (node->text + VARIABLE_SURE);
	}
	return bits;
}

uint32_t
variable_name_bits(struct variable_pass *p, const char *s, size_t n, size_t same)
{
	return ask_all(p, TS_VARIABLE_FIELD_NAME, s, n, same);
}

enum ts_truth
variable_truth_of(uint32_t bits, const struct ts_filter_node *n)
{
	if (!(bits & UINT32_C(1) << (n->text + VARIABLE_SURE)))
		return TS_UNSURE;
	return bits & UINT32_C(1) << n->text ? TS_YES : TS_NO;
}

/* --- a table of names --------------------------------------------------------------------------- */

static void
add_column(struct ts_strbuf *sql, const struct ts_reach *r, int column)
{
	if (column < 0)
		ts_strbuf_puts(sql, r->rows->rowid);
	else
		ts_sql_quote(sql, r->rows->column[column].name);
}

static bool
whole_number(sqlite3_stmt *stmt, int64_t *v)
{
	double d;

	if (sqlite3_column_type(stmt, 0) == SQLITE_INTEGER) {
		*v = sqlite3_column_int64(stmt, 0);
		return true;
	}
	d = sqlite3_column_double(stmt, 0);
	if (sqlite3_column_type(stmt, 0) != SQLITE_FLOAT || !(fabs(d) <= 9007199254740992.0) ||
		d != floor(d))
		return false;
	*v = (int64_t)d;
	return true;
}

enum ts_code
variable_name_table(struct ts_reader *rd, enum ts_relation relation, int column,
	variable_name_fn *each, void *ctx, bool *damaged, struct ts_err *err)
{
	const struct ts_binding *b = &rd->report->binding[relation];
	const struct ts_column_binding *cb = &b->column[column];
	struct ts_db *db = rd->db[b->source];
	struct ts_strbuf sql;
	sqlite3_stmt *stmt;
	enum ts_code code;
	bool row;

	if (!ts_reach_can_look_up(&cb->dict))
		return TS_OK; /* nothing has a name then, on the screen neither */
	ts_strbuf_init(&sql, 1 << 16);
	ts_strbuf_puts(&sql, "SELECT ");
	add_column(&sql, &cb->dict, cb->dict.column);
	ts_strbuf_puts(&sql, ", ");
	add_column(&sql, &cb->dict, cb->dict_text);
	ts_strbuf_puts(&sql, " FROM main.");
	ts_sql_quote(&sql, cb->dict.rows->name);
	if (cb->dict.rows->kind == TS_OBJECT_TABLE)
		ts_strbuf_puts(&sql, " NOT INDEXED");
	if (cb->dict.rows->rowid)
		ts_strbuf_printf(&sql, " ORDER BY %s", cb->dict.rows->rowid);
	code = ts_db_prepare_sql(db, &stmt, &sql, err);
	if (code)
		return code;
	while (!(code = ts_db_step(db, stmt, &row, err)) && row) {
		const char *s = sqlite3_column_type(stmt, 1) == SQLITE_TEXT
			? (const char *)sqlite3_column_text(stmt, 1)
			: NULL;
		size_t n = s ? (size_t)sqlite3_column_bytes(stmt, 1) : 0;
		int64_t number;

		if (whole_number(stmt, &number))
			code = each(ctx, number, s,
				n < TS_VARIABLE_NAME_MAX ? n : TS_VARIABLE_NAME_MAX, err);
		if (code)
			break;
	}
	ts_db_release(db, stmt);
	if (damaged)
		*damaged = code == TS_E_DAMAGED;
	return code == TS_E_DAMAGED ? TS_OK : code; /* as far as it can be read */
}

struct names_of {
	struct variable_pass *p;
	struct variable_texts *t;
};

/* The first row of a number counts, as where names are looked up one by one. */
static enum ts_code
take_name(void *ctx, int64_t number, const char *s, size_t n, struct ts_err *err)
{
	struct variable_pass *p = ((struct names_of *)ctx)->p;
	struct variable_texts *t = ((struct names_of *)ctx)->t;
	uint32_t pass = 0;
	enum ts_code code;
	uint32_t entry;

	if (ts_dictionary_find(&t->number, number) != TS_DICTIONARY_NONE)
		return TS_OK;
	if (s)
		pass = ask_all(p, t->field, s, n, 0);
	code = ts_dictionary_number(&t->number, &entry, number, s ? s : "", n, err);
	return code ? code : ts_pile_add(&t->passes, &pass, sizeof(pass), p->l->v->cache, err);
}

/* Where numbers are small against their count: an array, and no looking for them. */
static enum ts_code
make_direct(struct variable_pass *p, struct variable_texts *t, struct ts_err *err)
{
	uint64_t most = 0;
	enum ts_code code;

	for (uint32_t i = 0; i < t->number.count; i++) {
		uint64_t key = ts_dictionary_at(&t->number, i)->key;

		most = key > most ? key : most;
	}
	if (t->number.count == 0 || most > (uint64_t)t->number.count * DIRECT)
		return TS_OK;
	code = ts_pile_room(&t->direct, (size_t)(most + 1) * 4, p->l->v->cache, err);
	if (code)
		return code;
	t->direct.used = (size_t)(most + 1) * 4;
	for (uint32_t i = 0; i < t->number.count; i++)
		((uint32_t *)t->direct.memory)[ts_dictionary_at(&t->number, i)->key] = i + 1;
	return TS_OK;
}

enum ts_code
variable_names_open(struct variable_pass *p, struct ts_err *err)
{
	const struct ts_binding *b = &p->rd->report->binding[p->l->v->relation];
	int column = ts_variables_column(p->l->v, TS_LOWERED_VARIABLE_NAME);
	struct variable_texts *t = &p->names;
	struct names_of of = {p, t};
	enum ts_code code;

	if (p->slot[V_NAME] < 0 || b->column[column].op != TS_OP_DICT)
		return TS_OK;
	t->by_number = true;
	code = variable_name_table(p->rd, p->l->v->relation, column, take_name, &of, NULL, err);
	variable_texts_rest(t);
	if (!code && p->l->sort == TS_SORT_NAME) {
		code = ts_dictionary_rank(&t->number, &t->ranks, p->cancel, err);
		t->ranked = true;
	}
	return code ? code : make_direct(p, t, err);
}

/* --- a row ------------------------------------------------------------------------------------ */

/* The number of a category for the first time: what it is called. */
static enum ts_code
meet(struct variable_pass *p, struct variable_texts *t, int64_t number, int64_t *entry,
	struct ts_err *err)
{
	char unnamed[40];
	size_t n;
	const char *s = ts_variables_category(p->l->v, number, unnamed, &n);
	uint32_t pass = ask_all(p, t->field, s, n, 0);
	uint32_t made, text;
	enum ts_code code = ts_dictionary_text(&t->text, &text, s, n, err);

	if (!code)
		code = ts_dictionary_number(&t->number, &made, number, "", 0, err);
	if (!code)
		code = ts_pile_add(&t->passes, &pass, sizeof(pass), p->l->v->cache, err);
	if (code)
		return code;
	ts_dictionary_at(&t->number, made)->rank = text;
	*entry = made;
	return TS_OK;
}

/* The entry of the row's number; TS_DICTIONARY_NONE: it has none, or it means nothing. */
static enum ts_code
entry_of(struct variable_pass *p, struct variable_texts *t, enum variable_query column,
	int64_t *entry, struct ts_err *err)
{
	int64_t number;

	*entry = TS_DICTIONARY_NONE;
	if (ts_rows_number(p->rows, p->slot[column], &number) != TS_VALUE_OK)
		return TS_OK;
	if (t->direct.used > 0) { /* numbers are 0 or more */
		if ((uint64_t)number < t->direct.used / 4)
			*entry = (int64_t)((const uint32_t *)t->direct.memory)[number] - 1;
		return TS_OK;
	}
	*entry = ts_dictionary_find(&t->number, number);
	if (*entry == TS_DICTIONARY_NONE && !t->by_number)
		return meet(p, t, number, entry, err);
	return TS_OK;
}

enum ts_code
variable_text_asks(struct variable_pass *p, struct variable_texts *t, enum variable_query column,
	const struct ts_filter_node *n, enum ts_truth *truth, struct ts_err *err)
{
	const char *s;
	int64_t entry = TS_DICTIONARY_NONE;
	enum ts_code code = TS_OK;
	size_t bytes;

	*truth = TS_UNSURE;
	if (t->by_number || column == V_CATEGORY)
		code = entry_of(p, t, column, &entry, err);
	if (code)
		return code;
	if (entry != TS_DICTIONARY_NONE)
		*truth = variable_truth_of(((const uint32_t *)t->passes.memory)[entry], n);
	else if (!t->by_number && ts_rows_text(p->rows, p->slot[column], &s, &bytes) == TS_VALUE_OK)
		*truth = ts_filter_text(&p->asking.use, n, s,
			bytes < TS_VARIABLE_NAME_MAX ? bytes : TS_VARIABLE_NAME_MAX);
	return TS_OK;
}

enum ts_code
variable_text_code(struct variable_pass *p, struct variable_texts *t, enum variable_query column,
	uint64_t *out, struct ts_err *err)
{
	const char *s;
	int64_t entry = TS_DICTIONARY_NONE;
	enum ts_code code = TS_OK;
	uint32_t text;
	size_t n;

	*out = VARIABLE_UNKNOWN;
	if (t->by_number || column == V_CATEGORY)
		code = entry_of(p, t, column, &entry, err);
	if (code)
		return code;
	if (entry != TS_DICTIONARY_NONE) {
		if (((const uint32_t *)t->passes.memory)[entry] & VARIABLE_HAS_TEXT)
			*out = ts_dictionary_at(&t->number, (uint32_t)entry)->rank;
		return TS_OK;
	}
	if (t->by_number || ts_rows_text(p->rows, p->slot[column], &s, &n) != TS_VALUE_OK)
		return TS_OK;
	code = ts_dictionary_text(&t->text, &text, s, n, err);
	*out = text;
	return code;
}

enum ts_code
variable_texts_rank(struct variable_pass *p, struct variable_texts *t, struct ts_err *err)
{
	enum ts_code code;

	if (t->ranked)
		return TS_OK;
	code = ts_dictionary_rank(&t->text, &t->ranks, p->cancel, err);
	if (code)
		return code;
	p->max = t->ranks > 0 ? t->ranks - 1 : 0;
	for (int64_t i = 0; i < p->codes; i++) {
		uint64_t v = variable_code(p, i);

		if (v != VARIABLE_UNKNOWN)
			variable_put(p->code.memory, p->code_width, i,
				ts_dictionary_at(&t->text, (uint32_t)v)->rank);
		if (i % VARIABLE_REST == 0)
			ts_pile_rest(&p->code);
	}
	return TS_OK;
}

void
variable_texts_rest(const struct variable_texts *t)
{
	ts_dictionary_rest(&t->text);
	ts_dictionary_rest(&t->number);
	ts_pile_rest(&t->passes);
	ts_pile_rest(&t->direct);
}

void
variable_texts_fini(struct variable_texts *t)
{
	ts_dictionary_fini(&t->text);
	ts_dictionary_fini(&t->number);
	ts_pile_fini(&t->passes);
	ts_pile_fini(&t->direct);
}
