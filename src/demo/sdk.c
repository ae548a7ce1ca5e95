/* SPDX-License-Identifier: MIT */
/*
 * sdk - the demo report in the SDK's layout.
 *
 * Tables and columns are those that are known of a profile.pop, and five columns without which
 * nothing joins: their names were never seen, so they can be chosen, or left out. Nothing else is
 * added, neither keys nor indexes unless asked for.
 */
#include "config.h"

#include "internal.h"

#include <stdlib.h>
#include <string.h>

enum { NAME_IPU, NAME_TILE, NAME_NAME, NAME_KEY, NAME_STRING, NAME_CONTEXT, NAMES };

static const struct {
	const char *key, *fallback, *others; /* other columns of its table, in blanks */
} names[NAMES] = {
	[NAME_IPU] = {"ipu", "ipu",
		" step_id cycles active_tiles cycles_base active_cycles_from_min active_cycles_from_max"
		" active_cycles_to_min active_cycles_to_max "},
	[NAME_TILE] = {"tile", "tile", " total "},
	[NAME_NAME] = {"name", "name", " tile size_bytes category "},
	[NAME_KEY] = {"string_key", "id", " "},
	[NAME_STRING] = {"string", "string", " "},
	[NAME_CONTEXT] = {"context", "debug_context",
		" id name compute_set tile size_bytes category "},
};

enum { COLUMN_MAX = 128 };

struct sdk {
	struct demo_out *out;
	const struct demo_model *m;
	char name[NAMES][COLUMN_MAX]; /* empty = not there */
};

/* ---- --sdk-names ---- */

static bool
is_word(const char *words, const char *word)
{
	size_t n = strlen(word);
	for (const char *p = words; (p = strchr(p, ' ')); p++) {
		if (!sqlite3_strnicmp(p + 1, word, (int)n) && p[1 + n] == ' ')
			return true;
	}
	return false;
}

static enum ts_code
name_set(struct sdk *s, const char *word, size_t n, struct ts_err *err)
{
	const char *equals = memchr(word, '=', n);
	size_t key = equals ? (size_t)(equals - word) : n;
	for (int i = 0; i < NAMES; i++) {
		if (!equals || strlen(names[i].key) != key || memcmp(names[i].key, word, key))
			continue;
		size_t length = n - key - 1;
		if (length >= COLUMN_MAX)
			return ts_err_set(err, TS_E_USAGE, "name of column %s is too long",
				names[i].key);
		memcpy(s->name[i], equals + 1, length);
		s->name[i][length] = '\0';
		if (is_word(names[i].others, s->name[i]))
			return ts_err_set(err, TS_E_USAGE, "column name \"%s\" is taken",
				s->name[i]);
		return TS_OK;
	}
	return ts_err_set(err, TS_E_USAGE,
		"unknown column \"%.*s\" (KEY=NAME with ipu, tile, name, string_key, string or context)",
		(int)ts_min_i64((int64_t)key, 60), word);
}

static enum ts_code
names_parse(struct sdk *s, const char *text, struct ts_err *err)
{
	enum ts_code code = TS_OK;
	for (int i = 0; i < NAMES; i++)
		memcpy(s->name[i], names[i].fallback, strlen(names[i].fallback) + 1);
	while (text && *text && code == TS_OK) {
		size_t n = strcspn(text, ",");
		code = name_set(s, text, n, err);
		text += n + (text[n] == ',');
	}
	if (code == TS_OK && *s->name[NAME_KEY] &&
		!sqlite3_stricmp(s->name[NAME_KEY], s->name[NAME_STRING]))
		code = ts_err_set(err, TS_E_USAGE, "columns string_key and string have one name");
	return code;
}

/* ---- tables ---- */

enum { COLUMNS_MAX = 10 };

/* "step_id INTEGER" is a known column, "@INTEGER" the next of chosen[]; "!" before it = a key. */
struct table {
	const char *name;
	const char *column[COLUMNS_MAX];
	int chosen[2];
};

static void
identifier(struct ts_strbuf *sql, const char *name)
{
	ts_strbuf_putc(sql, '"');
	for (const char *p = name; *p; p++) {
		if (*p == '"')
			ts_strbuf_putc(sql, '"');
		ts_strbuf_putc(sql, *p);
	}
	ts_strbuf_putc(sql, '"');
}

static void
table_begin(struct sdk *s, const struct table *t, int64_t rows)
{
	int columns = 0, chosen = 0;
	struct ts_strbuf sql;
	ts_strbuf_init(&sql, 4096);
	ts_strbuf_printf(&sql, "CREATE TABLE \"%s\" (", t->name);
	for (int i = 0; i < COLUMNS_MAX && t->column[i]; i++) {
		const char *c = t->column[i];
		bool key = *c == '!' && s->m->o.keys;
		c += *c == '!';
		const char *name = *c == '@' ? s->name[t->chosen[chosen++]] : NULL;
		if (name && !*name)
			continue;
		ts_strbuf_puts(&sql, columns++ ? ", " : "");
		if (name) {
			identifier(&sql, name);
			ts_strbuf_printf(&sql, " %s", c + 1);
		} else
			ts_strbuf_puts(&sql, c);
		if (key)
			ts_strbuf_puts(&sql, " PRIMARY KEY");
	}
	ts_strbuf_putc(&sql, ')');
	if (sql.cut)
		demo_nomem(s->out);
	demo_exec(s->out, sql.s);
	ts_strbuf_fini(&sql);
	demo_begin_many(s->out, t->name, columns, rows);
}

/* A debug context, 0 = none. */
static void
context_bind(struct sdk *s, int column, int64_t context)
{
	if (!*s->name[NAME_CONTEXT])
		return;
	if (context)
		demo_int(s->out, column, context);
	else
		demo_null(s->out, column);
}

static void
programs_write(struct sdk *s)
{
	static const struct table programs = {"programs", {"!id INTEGER", "name TEXT", "@INTEGER"},
		{NAME_CONTEXT}};
	static const struct table sets = {"compute_sets",
		{"!compute_set INTEGER", "name TEXT", "@INTEGER"}, {NAME_CONTEXT}};
	const struct demo_model *m = s->m;
	table_begin(s, &programs, 0);
	for (size_t i = 0; i < m->nprogs; i++) {
		demo_int(s->out, 0, (int64_t)i);
		demo_text(s->out, 1, demo_name(m, m->progs[i].name));
		context_bind(s, 2, demo_context_of_prog(m, i));
		if (!demo_row(s->out))
			break;
	}
	demo_end(s->out);
	table_begin(s, &sets, 0);
	for (size_t i = 0; i < m->ncs; i++) {
		demo_int(s->out, 0, (int64_t)i);
		demo_text(s->out, 1, demo_name(m, m->cs[i].name));
		context_bind(s, 2, demo_context_of_cs(m, i));
		if (!demo_row(s->out))
			break;
	}
	demo_end(s->out);
}

static void
memory_write(struct sdk *s)
{
	static const struct table categories = {"var_categories", {"!id INTEGER", "name TEXT"},
		{0}};
	static const struct table tiles = {"memory_by_tile", {"!@INTEGER", "total INTEGER"},
		{NAME_TILE}};
	table_begin(s, &categories, 0);
	for (int i = 0; i < DEMO_CATEGORIES; i++) {
		demo_int(s->out, 0, i);
		demo_text(s->out, 1, demo_categories[i]);
		demo_row(s->out);
	}
	demo_end(s->out);
	table_begin(s, &tiles, 0);
	for (int64_t i = 0; i < s->m->all_tiles; i++) {
		struct demo_tile t;
		int c = 0;
		demo_tile_fill(s->m, i, &t);
		if (*s->name[NAME_TILE])
			demo_int(s->out, c++, i);
		demo_int(s->out, c, t.total);
		if (!demo_row(s->out))
			break;
	}
	demo_end(s->out);
}

/* ---- variables ---- */

/* The string table: pseudo-variables by category, then unlowered variables. */
static void
strings_write(struct sdk *s)
{
	static const struct table strings = {"vars_string_table", {"!@INTEGER", "@TEXT"},
		{NAME_KEY, NAME_STRING}};
	char name[DEMO_NAME_MAX];
	if (!*s->name[NAME_KEY] && !*s->name[NAME_STRING])
		return;
	table_begin(s, &strings, 0);
	for (int64_t i = 0; i < DEMO_CATEGORIES + s->m->nvariables; i++) {
		int c = 0;
		if (*s->name[NAME_KEY])
			demo_int(s->out, c++, i);
		if (i >= DEMO_CATEGORIES)
			demo_variable_name(s->m, (uint32_t)(i - DEMO_CATEGORIES), name);
		if (*s->name[NAME_STRING])
			demo_text(s->out, c, i < DEMO_CATEGORIES ? demo_categories[i] : name);
		if (!demo_row(s->out))
			break;
	}
	demo_end(s->out);
}

static bool
variable_row(struct sdk *s, int64_t tile, int64_t bytes, int category, int64_t name,
	int64_t context)
{
	demo_int(s->out, 0, tile);
	demo_int(s->out, 1, bytes);
	demo_int(s->out, 2, category);
	if (*s->name[NAME_NAME])
		demo_int(s->out, 3, name);
	context_bind(s, 3 + (*s->name[NAME_NAME] != '\0'), context);
	return demo_row(s->out);
}

static bool
tile_variables(struct sdk *s, int64_t tile, struct demo_vars *v)
{
	struct demo_tile t;
	demo_tile_fill(s->m, tile, &t);
	demo_vars_fill(s->m, &t, v);
	for (int c = 1; c < DEMO_CATEGORIES; c++) {
		if (t.bytes[c] && !variable_row(s, tile, t.bytes[c], c, c, 0))
			return false;
	}
	for (uint32_t i = 0; i < t.variables; i++) {
		struct demo_variable d;
		demo_variable(s->m, v->id[i], &d);
		if (!variable_row(s, tile, v->bytes[i], DEMO_VARIABLE,
			    DEMO_CATEGORIES + (int64_t)v->id[i],
			    demo_context_of_group(s->m, d.group)))
			return false;
	}
	return true;
}

static void
variables_write(struct sdk *s)
{
	static const struct table vars = {"vars_info",
		{"tile INTEGER", "size_bytes INTEGER", "category INTEGER", "@INTEGER", "@INTEGER"},
		{NAME_NAME, NAME_CONTEXT}};
	struct demo_vars v = {0};
	strings_write(s);
	table_begin(s, &vars, s->m->variables);
	if (!demo_vars_init(&v, s->m))
		demo_nomem(s->out);
	for (int64_t tile = 0; s->out->code == TS_OK && tile < s->m->all_tiles; tile++) {
		if (!tile_variables(s, tile, &v))
			break;
	}
	demo_vars_fini(&v);
	demo_end(s->out);
}

/* ---- steps ---- */

/* All steps; the table of steps, or (with `parts`) that of their parts on the IPUs. */
static void
step_row(struct sdk *s, const struct demo_step *step)
{
	demo_int(s->out, 0, step->step);
	demo_text(s->out, 1, demo_types[step->prog->type].name);
	demo_int(s->out, 2, step->entry->prog);
	if (step->prog->cs >= 0)
		demo_int(s->out, 3, step->prog->cs);
	else
		demo_null(s->out, 3);
	if (step->prog->type == DEMO_SYNC)
		demo_text(s->out, 4, step->prog->ipu == DEMO_ALL ? "External" : "Internal");
	else
		demo_null(s->out, 4);
	demo_row(s->out);
}

static void
step_ipu_rows(struct sdk *s, const struct demo_step *step, const struct demo_part *parts)
{
	enum { LEAD = 48 }; /* cycles from the step's base to its first tile */
	for (int i = 0; i < s->m->ipus; i++) {
		const struct demo_part *p = &parts[i];
		int64_t lead = p->active ? LEAD : 0, base = p->start - lead;
		int c = 0;
		demo_int(s->out, c++, step->step);
		if (*s->name[NAME_IPU])
			demo_int(s->out, c++, i);
		demo_int(s->out, c++, p->end - p->start);
		demo_int(s->out, c++, p->active ? step->prog->active : 0);
		demo_int(s->out, c++, base);
		demo_int(s->out, c++, lead);
		demo_int(s->out, c++, p->active ? p->start_max - base : 0);
		demo_int(s->out, c++, p->active ? p->end_min - base : 0);
		demo_int(s->out, c, p->end - base);
		if (!demo_row(s->out))
			return;
	}
}

static void
steps_write(struct sdk *s)
{
	static const struct table steps = {"steps",
		{"!id INTEGER", "type TEXT", "program INTEGER", "compute_set INTEGER",
			"sync_type TEXT"},
		{0}};
	static const struct table by_ipu = {"steps_by_ipu",
		{"step_id INTEGER", "@INTEGER", "cycles INTEGER", "active_tiles INTEGER",
			"cycles_base INTEGER", "active_cycles_from_min INTEGER",
			"active_cycles_from_max INTEGER", "active_cycles_to_min INTEGER",
			"active_cycles_to_max INTEGER"},
		{NAME_IPU}};
	struct demo_part *parts = ts_alloc((size_t)s->m->ipus, sizeof(*parts));
	for (int pass = 0; pass < 2 && s->out->code == TS_OK; pass++) {
		struct demo_walker w = {0};
		struct demo_step step;
		table_begin(s, pass ? &by_ipu : &steps, s->m->steps * (pass ? s->m->ipus : 1));
		if (!parts || !demo_walker_init(&w, s->m))
			demo_nomem(s->out);
		while (s->out->code == TS_OK && demo_walker_next(&w, &step, parts)) {
			if (pass)
				step_ipu_rows(s, &step, parts);
			else
				step_row(s, &step);
		}
		demo_walker_fini(&w);
		demo_end(s->out);
	}
	free(parts);
}

void
demo_sdk(struct demo_out *out, const struct demo_model *m)
{
	static const char *const keys[] = {
		"CREATE INDEX steps_by_ipu_step ON steps_by_ipu (step_id)",
		"CREATE INDEX vars_info_tile ON vars_info (tile)",
	};
	struct sdk s = {.out = out, .m = m};
	enum ts_code code = names_parse(&s, m->o.sdk_names, out->err);
	if (code != TS_OK) {
		out->code = code;
		return;
	}
	programs_write(&s);
	memory_write(&s);
	if (!m->o.oom)
		steps_write(&s);
	variables_write(&s);
	for (size_t i = m->o.oom; m->o.keys && i < TS_COUNT(keys); i++)
		demo_exec(out, keys[i]);
}
