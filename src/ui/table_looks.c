/* SPDX-License-Identifier: MIT */
/*
 * table_looks - see the header.
 *
 * A line for each table, of words with a sign. There are as many as there are tables in the program, plus what a file of
 * another version names: a list is enough.
 */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tilescope/base/mem.h"
#include "tilescope/ui/table_looks.h"

enum { LOOKS = 128, ID_MAX = 64, NAMES_MAX = 600 };

struct look {
	char id[ID_MAX];
	char names[NAMES_MAX]; /* "-share,+type" */
};

struct ts_table_looks {
	struct look look[LOOKS];
	int count;
};

struct ts_table_looks *
ts_table_looks_new(void)
{
	return ts_alloc(1, sizeof(struct ts_table_looks));
}

void
ts_table_looks_free(struct ts_table_looks *l)
{
	free(l);
}

static const struct look *
find(const struct ts_table_looks *l, const char *id)
{
	for (int i = 0; l && i < l->count; i++)
		if (strcmp(l->look[i].id, id) == 0)
			return &l->look[i];
	return NULL;
}

/* The sign of a name in a list with commas between; 0: it is not there. */
static int
sign_of(const char *names, const char *name)
{
	size_t n = strlen(name);

	while (*names) {
		size_t len = strcspn(names, ",");

		if (len == n + 1 && strncmp(names + 1, name, n) == 0)
			return *names == '-' ? -1 : 1;
		names += len + (names[len] == ',');
	}
	return 0;
}

int
ts_table_looks_of(const struct ts_table_looks *l, const char *id, const char *name)
{
	const struct look *look = find(l, id);

	return look ? sign_of(look->names, name) : 0;
}

void
ts_table_looks_get(const struct ts_table_looks *l, const char *id, struct ts_strbuf *out)
{
	const struct look *look = find(l, id);

	ts_strbuf_puts(out, look ? look->names : "");
}

bool
ts_table_looks_put(struct ts_table_looks *l, const char *id, const char *names)
{
	struct look *look = NULL;

	if (strlen(id) >= ID_MAX || strlen(names) >= NAMES_MAX)
		return false;
	for (int i = 0; i < l->count; i++)
		if (strcmp(l->look[i].id, id) == 0)
			look = &l->look[i];
	if (!look && l->count == LOOKS)
		return false;
	if (!look)
		look = &l->look[l->count++];
	snprintf(look->id, sizeof(look->id), "%s", id);
	snprintf(look->names, sizeof(look->names), "%s", names);
	return true;
}

/* --- changing --------------------------------------------------------------------------------- */

static int
column_named(const struct ts_table *t, const char *name, size_t n)
{
	for (int i = 0; i < t->columns && i < TS_TABLE_COLUMNS; i++) {
		const char *is = ts_table_column_name(t, i);

		if (n > 0 && strlen(is) == n && strncmp(is, name, n) == 0)
			return i;
	}
	return -1;
}

static enum ts_code
unknown(const struct ts_table *t, const char *name, size_t n, struct ts_err *err)
{
	struct ts_strbuf known;

	ts_strbuf_init(&known, 120);
	for (int i = 0; i < t->columns && i < TS_TABLE_COLUMNS; i++)
		if (*ts_table_column_name(t, i))
			ts_strbuf_printf(&known, "%s%s", known.len ? ", " : "",
				ts_table_column_name(t, i));
	ts_err_set(err, TS_E_USAGE, "columns: no \"%.*s\" here, but %s",
		(int)ts_min_i64((int64_t)n, 40), name, known.s);
	ts_strbuf_fini(&known);
	return TS_E_USAGE;
}

/* Names as typed to columns; a list without any sign means these and no others. */
static enum ts_code
mark(const struct ts_table *t, const char *names, bool wanted[TS_TABLE_COLUMNS], struct ts_err *err)
{
	bool fresh = !strpbrk(names, "+-") || (*names != '+' && *names != '-');

	for (int i = 0; fresh && i < t->columns && i < TS_TABLE_COLUMNS; i++)
		wanted[i] = false;
	while (*names) {
		size_t len = strcspn(names, ", ");
		bool sign = *names == '+' || *names == '-';
		int column = column_named(t, names + sign, len - sign);

		if (len > 0 && column < 0)
			return unknown(t, names + sign, len - sign, err);
		if (len > 0)
			wanted[column] = *names != '-';
		names += len + (names[len] != '\0');
	}
	return TS_OK;
}

enum ts_code
ts_table_looks_set(struct ts_table_looks *l, const struct ts_table *t, const char *names,
	struct ts_err *err)
{
	bool wanted[TS_TABLE_COLUMNS], all = strcmp(names, "all") == 0;
	struct ts_strbuf out;
	enum ts_code code;
	int shown = 0;

	for (int i = 0; i < t->columns && i < TS_TABLE_COLUMNS; i++)
		wanted[i] = all ||
			(*names ? ts_table_column_wanted(t, i) : !(t->facts && t->facts[i].extra));
	code = all || !*names ? TS_OK : mark(t, names, wanted, err);
	if (code)
		return code;
	ts_strbuf_init(&out, NAMES_MAX * 2);
	for (int i = 0; i < t->columns && i < TS_TABLE_COLUMNS; i++) {
		const char *name = ts_table_column_name(t, i);
		bool at_first = !(t->facts && t->facts[i].extra);

		shown += *name && wanted[i];
		if (*name && wanted[i] != at_first)
			ts_strbuf_printf(&out, "%s%c%s", out.len ? "," : "", wanted[i] ? '+' : '-',
				name);
	}
	if (shown == 0)
		code = ts_err_set(err, TS_E_USAGE, "columns: one has to stay");
	else if (!ts_table_looks_put(l, t->id, out.s))
		code = ts_err_set(err, TS_E_LIMIT, "columns: too many to remember");
	ts_strbuf_fini(&out);
	return code;
}
