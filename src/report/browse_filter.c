/* SPDX-License-Identifier: MIT */
/*
 * browse_filter - conditions on the columns of any table, as a user types them, as SQL.
 *
 * SQLite compares values of different types by an order of types; a user who types `cycles>1000` means
 * numbers. So each condition looks at the type of the value first. What was typed becomes bound values:
 * only names of columns of the file stand in the SQL, in quotes.
 */
#include "config.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "browse_internal.h"

#include "tilescope/base/mem.h"

enum { FIRST_PARAMETER = 10, PARAMETERS = 2, OP_CONTAINS = 0, NAMED_BYTES = 120 };

/* The longer before the shorter that they begin with. */
static const struct {
	const char *word, *sql;
} operators[] = {
	{":", NULL},
	{"!=", "<>"},
	{"<=", "<="},
	{">=", ">="},
	{"=", "="},
	{"<", "<"},
	{">", ">"},
};

/* The next word; quotes are taken off ("" in them is one), and what stood in them is no operator. */
struct word {
	char text[TS_BROWSE_FILTER];
	size_t n;
	int op;	      /* index of the operator, or -1 */
	size_t op_at; /* where it stood: behind the column's name */
	bool quoted;  /* some of the value was */
};

static int
operator_at(const char *p)
{
	for (size_t i = 0; i < TS_COUNT(operators); i++)
		if (strncmp(p, operators[i].word, strlen(operators[i].word)) == 0)
			return (int)i;
	return -1;
}

static enum ts_code
next_word(struct word *w, const char **line, struct ts_err *err)
{
	const char *p = *line;
	bool inside = false;

	*w = (struct word){.op = -1};
	for (; *p && (inside || !isspace((unsigned char)*p)); p++) {
		int op = inside || w->op >= 0 ? -1 : operator_at(p);

		if (inside && p[0] == '"' && p[1] == '"' && w->n + 1 < sizeof(w->text)) {
			w->text[w->n++] = *p++;
		} else if (*p == '"') {
			inside = !inside;
			w->quoted = true;
		} else if (op >= 0) {
			w->op = op;
			w->op_at = w->n;
			w->quoted = false;
			p += strlen(operators[op].word) - 1;
		} else if (w->n + 1 < sizeof(w->text)) {
			w->text[w->n++] = *p;
		}
	}
	*line = p;
	if (inside)
		return ts_err_set(err, TS_E_USAGE, "a quote is open");
	return TS_OK;
}

/* "there is no column x: id, tile, ..." */
static enum ts_code
no_column(const struct ts_object *o, const char *name, struct ts_err *err)
{
	struct ts_strbuf list;
	int i;

	ts_strbuf_init(&list, NAMED_BYTES);
	for (i = 0; i < o->column_count && list.len + strlen(o->column[i].name) < NAMED_BYTES - 8;
		i++)
		ts_strbuf_printf(&list, "%s%s", i ? ", " : "", o->column[i].name);
	ts_err_set(err, TS_E_USAGE, "there is no column \"%.40s\": %s%s (text: in quotes)", name,
		list.s, i < o->column_count ? ", ..." : "");
	ts_strbuf_fini(&list);
	return TS_E_USAGE;
}

static enum ts_code
find_column(struct browse_term *term, const struct ts_browse_table *t, const struct word *w,
	struct ts_err *err)
{
	char name[TS_BROWSE_FILTER];

	memcpy(name, w->text, w->op_at);
	name[w->op_at] = '\0';
	term->column = ts_object_column(t->object, name);
	return term->column < 0 ? no_column(t->object, name, err) : TS_OK;
}

static void
set_value(struct browse_term *term, const struct word *w, size_t at)
{
	char *end;

	memcpy(term->text, w->text + at, w->n - at);
	term->text[w->n - at] = '\0';
	term->is_null = !w->quoted && strcasecmp(term->text, "null") == 0;
	if (w->quoted || !strchr("+-.0123456789", term->text[0]) || !term->text[0])
		return;
	errno = 0;
	term->integer = strtoll(term->text, &end, 10);
	term->is_integer = !*end && errno == 0;
	term->real = strtod(term->text, &end);
	term->is_number = !*end;
}

enum ts_code
browse_filter_parse(struct browse_filter *f, const struct ts_browse_table *t, const char *line,
	struct ts_err *err)
{
	f->count = 0;
	for (;;) {
		struct browse_term *term;
		struct word w;
		enum ts_code code;

		line += strspn(line, " \t");
		if (!*line)
			return TS_OK;
		code = next_word(&w, &line, err);
		if (code)
			return code;
		if (f->count == TS_BROWSE_TERMS)
			return ts_err_set(err, TS_E_USAGE, "more than %d conditions",
				TS_BROWSE_TERMS);
		term = &f->term[f->count++];
		*term = (struct browse_term){.column = -1, .op = w.op < 0 ? OP_CONTAINS : w.op};
		if (w.op >= 0)
			code = find_column(term, t, &w, err);
		if (code)
			return code;
		set_value(term, &w, w.op < 0 ? 0 : w.op_at);
	}
}

enum ts_code
ts_browse_check(const struct ts_browse_table *t, const char *filter, struct ts_err *err)
{
	struct browse_filter f;

	if (strlen(filter) >= TS_BROWSE_FILTER)
		return ts_err_set(err, TS_E_USAGE, "a filter has at most %d bytes",
			TS_BROWSE_FILTER - 1);
	return browse_filter_parse(&f, t, filter, err);
}

void
browse_column(struct ts_strbuf *sql, const struct ts_browse_table *t, int i)
{
	const struct ts_sql_column *c = &t->object->column[i];

	ts_sql_quote(sql, t->rows != t->object && c->origin ? c->origin : c->name);
}

/* Some column contains it: a flat list, for the depth of expressions is limited. */
static void
any_sql(struct ts_strbuf *sql, const struct ts_browse_table *t, int parameter)
{
	ts_strbuf_puts(sql, "1 IN (");
	for (int i = 0; i < t->object->column_count; i++) {
		ts_strbuf_puts(sql, i ? ", instr(lower(" : "instr(lower(");
		browse_column(sql, t, i);
		ts_strbuf_printf(sql, "), lower(?%d)) > 0", parameter);
	}
	ts_strbuf_putc(sql, ')');
}

static void
compare_sql(struct ts_strbuf *sql, const struct ts_browse_table *t, const struct browse_term *term,
	int parameter)
{
	const char *op = operators[term->op].sql;

	ts_strbuf_puts(sql, "CASE typeof(");
	browse_column(sql, t, term->column);
	ts_strbuf_puts(sql, ") WHEN 'text' THEN ");
	browse_column(sql, t, term->column);
	ts_strbuf_printf(sql, " %s ?%d WHEN 'blob' THEN 0 ELSE ", op, parameter);
	if (term->is_number) {
		browse_column(sql, t, term->column);
		ts_strbuf_printf(sql, " %s ?%d END", op, parameter + 1);
	} else {
		ts_strbuf_puts(sql, "0 END");
	}
}

static void
term_sql(struct ts_strbuf *sql, const struct ts_browse_table *t, const struct browse_term *term,
	int parameter)
{
	bool is = strcmp(operators[term->op].word, "=") == 0;
	bool is_not = strcmp(operators[term->op].word, "!=") == 0;

	if (term->column < 0) {
		any_sql(sql, t, parameter);
	} else if (term->is_null && (is || is_not)) {
		browse_column(sql, t, term->column);
		ts_strbuf_puts(sql, is ? " IS NULL" : " IS NOT NULL");
	} else if (term->op == OP_CONTAINS) {
		ts_strbuf_puts(sql, "instr(lower(");
		browse_column(sql, t, term->column);
		ts_strbuf_printf(sql, "), lower(?%d)) > 0", parameter);
	} else {
		compare_sql(sql, t, term, parameter);
	}
}

void
browse_filter_sql(struct ts_strbuf *sql, const struct browse_filter *f,
	const struct ts_browse_table *t)
{
	for (int i = 0; i < f->count; i++) {
		ts_strbuf_puts(sql, i ? " AND (" : " WHERE (");
		term_sql(sql, t, &f->term[i], FIRST_PARAMETER + PARAMETERS * i);
		ts_strbuf_putc(sql, ')');
	}
}

void
browse_filter_bind(sqlite3_stmt *stmt, const struct browse_filter *f)
{
	for (int i = 0; i < f->count; i++) {
		const struct browse_term *term = &f->term[i];
		int parameter = FIRST_PARAMETER + PARAMETERS * i;

		sqlite3_bind_text(stmt, parameter, term->text, -1, SQLITE_TRANSIENT);
		if (term->is_integer)
			sqlite3_bind_int64(stmt, parameter + 1, term->integer);
		else
			sqlite3_bind_double(stmt, parameter + 1, term->real);
	}
}
