/* SPDX-License-Identifier: MIT */
/* relations - put together the SQL of a relation for the tables that a file has. */
#include "config.h"

#include <stdio.h>
#include <string.h>

#include "tilescope/base/mem.h"
#include "tilescope/base/strbuf.h"
#include "tilescope/profile/tables.h"

#include "relations_internal.h"

enum { NAME_MOST = 80 };

#define NAME_LETTERS "abcdefghijklmnopqrstuvwxyz_"

static const struct profile_group *const groups[] = {&profile_target, &profile_memory,
	&profile_variables, &profile_liveness, &profile_programs, &profile_execution};

const struct ts_profile_relation *
ts_profile_relation_find(const char *name)
{
	for (size_t g = 0; g < TS_COUNT(groups); g++)
		for (size_t i = 0; i < groups[g]->count; i++)
			if (strcmp(groups[g]->relation[i].name, name) == 0)
				return &groups[g]->relation[i];
	return NULL;
}

/* ---- what a file has ---- */

/* The table of the file, if its columns can be read. */
static const struct ts_object *
table_of(const struct ts_schema *schema, const char *name)
{
	const struct ts_object *o = ts_schema_find(schema, name);

	return o && !o->problem ? o : NULL;
}

/* Is "table.column" of n bytes there? */
static bool
is_there(const struct ts_schema *schema, const char *what, size_t n)
{
	char table[NAME_MOST], *column;
	const struct ts_object *o;

	snprintf(table, sizeof(table), "%.*s", (int)n, what);
	column = strchr(table, '.');
	if (column)
		*column++ = '\0';
	o = table_of(schema, table);
	return o && (!column || ts_object_column(o, column) >= 0);
}

bool
ts_profile_relation_fits(const struct ts_profile_relation *r, const struct ts_schema *schema,
	char *out, size_t room)
{
	for (const char *s = r->needs; *s; s += strspn(s, " ")) {
		size_t n = strcspn(s, " ");

		if (!is_there(schema, s, n)) {
			size_t table = strcspn(s, ".");

			if (!is_there(schema, s, table))
				n = table;
			snprintf(out, room, "%.*s", (int)n, s);
			return false;
		}
		s += n;
	}
	return true;
}

bool
ts_profile_relation_has(const struct ts_profile_relation *r, const char *column,
	const struct ts_schema *schema)
{
	size_t length = strlen(column);

	for (const char *s = r->optional ? r->optional : ""; *s; s += strspn(s, " ")) {
		size_t n = strcspn(s, " "), name = strcspn(s, "=");

		if (name == length && strncmp(s, column, length) == 0) {
			for (const char *from = s + name + 1; from < s + n;) {
				size_t one = strcspn(from, "| ");

				if (is_there(schema, from, one))
					return true;
				from += one + 1;
			}
			return false;
		}
		s += n;
	}
	return true;
}

bool
ts_profile_relation_uses(const struct ts_profile_relation *r, const char *table)
{
	size_t n = strlen(table);

	if (r->table) {
		bool yes = strcmp(r->table, table) == 0;

		for (const struct ts_profile_from *f = r->from; f->column; f++)
			yes |= f->in && strcmp(f->in, table) == 0;
		return yes;
	}
	for (const char *s = strchr(r->sql, '@'); s; s = strchr(s + 1, '@'))
		if (strncmp(s + 1, table, n) == 0 && strspn(s + 1, NAME_LETTERS) == n)
			return true;
	return false;
}

/* ---- SQL ---- */

/* A table of the layout as far as the file has it: all its columns, NULL where they are missing. */
static void
put_table(struct ts_strbuf *out, const char *name, const struct ts_schema *schema)
{
	const struct ts_profile_table *t = ts_profile_table_find(name);
	const struct ts_object *o = table_of(schema, name);
	bool whole = o != NULL;

	for (int i = 0; whole && t && i < t->columns; i++)
		whole = ts_object_column(o, t->column[i].name) >= 0;
	if (whole) {
		ts_strbuf_puts(out, "main.");
		ts_sql_quote(out, name);
		return;
	}
	ts_strbuf_puts(out, "(SELECT ");
	for (int i = 0; t && i < t->columns; i++) {
		ts_strbuf_puts(out, i ? ", " : "");
		if (!o || ts_object_column(o, t->column[i].name) < 0)
			ts_strbuf_puts(out, "NULL AS ");
		ts_sql_quote(out, t->column[i].name);
	}
	if (o) {
		ts_strbuf_puts(out, " FROM main.");
		ts_sql_quote(out, name);
	} else {
		ts_strbuf_puts(out, " WHERE 0");
	}
	ts_strbuf_putc(out, ')');
}

void
ts_profile_relation_sql(struct ts_strbuf *out, const struct ts_profile_relation *r,
	const struct ts_schema *schema)
{
	const char *s = r->sql;

	while (*s) {
		size_t n = strcspn(s, "@");
		char name[NAME_MOST];

		ts_strbuf_add(out, s, n);
		s += n;
		if (*s != '@')
			break;
		n = strspn(++s, NAME_LETTERS);
		snprintf(name, sizeof(name), "%.*s", (int)n, s);
		put_table(out, name, schema);
		s += n;
	}
}
