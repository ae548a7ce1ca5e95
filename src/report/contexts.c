/* SPDX-License-Identifier: MIT */
/*
 * contexts - see the header.
 *
 * Parents come by id, each looked up by itself; a hostile file may make a circle of them, or a chain without an
 * end: a path has at most TS_CONTEXT_LEVELS levels, and none twice. What cannot be read of one level (a string
 * that is none, damaged details) is left out of it and said in the note; the path goes on.
 */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tilescope/base/mem.h"
#include "tilescope/report/contexts.h"
#include "tilescope/report/memory.h"

enum { LEVELS_AT_FIRST = 8 };

struct path {
	struct ts_context_path *p;
	struct ts_reader *rd;
	struct ts_contexts *c;
	size_t cap, details; /* details: bytes so far */
};

static void note(struct ts_context_path *p, const char *fmt, ...) TS_PRINTF(2, 3);

/* The first one stays. */
static void
note(struct ts_context_path *p, const char *fmt, ...)
{
	va_list ap;

	if (p->note[0])
		return;
	va_start(ap, fmt);
	vsnprintf(p->note, sizeof(p->note), fmt, ap);
	va_end(ap);
}

static struct ts_context_level *
add_level(struct path *w, uint64_t id)
{
	void *array = w->p->level;
	bool room = ts_room(&array, &w->cap, (size_t)w->p->count, sizeof(*w->p->level));
	struct ts_context_level *l;

	w->p->level = array;
	if (!room)
		return NULL;
	l = &w->p->level[w->p->count++];
	*l = (struct ts_context_level){.id = id, .line = TS_UNKNOWN};
	return l;
}

/* All details of a path together have a bound. */
static void
bound_details(struct path *w, struct ts_context_level *l)
{
	w->details += l->details.text.len + l->details.count * sizeof(*l->details.node);
	if (w->details <= TS_CONTEXT_PATH_BYTES)
		return;
	note(w->p, "the details of some contexts are left out: there are too many");
	ts_debug_tree_fini(&l->details);
}

/* --- debug.cbor ------------------------------------------------------------------------------- */

/* A string of the table; NULL and a note where there is none. */
static enum ts_code
take_string(char **out, struct path *w, uint64_t number, struct ts_err *err)
{
	struct ts_strbuf b;
	bool found;
	enum ts_code code;

	ts_strbuf_init(&b, TS_DEBUG_VALUE);
	code = ts_contexts_string(&b, &found, w->c, number, w->rd->cancel, err);
	if (!code && !found)
		note(w->p, "string %llu is not in debug.cbor%s%s", (unsigned long long)number,
			w->c->wrong[0] ? ", which is damaged: " : "", w->c->wrong);
	if (!code && found) {
		*out = ts_strbuf_take(&b);
		if (!*out)
			code = ts_err_nomem(err);
	}
	ts_strbuf_fini(&b);
	return code;
}

/* A value that may be a number of the string table, or text. */
static enum ts_code
take_named(char **out, struct path *w, const struct ts_debug_tree *t, const struct ts_debug_node *n,
	struct ts_err *err)
{
	if (!n)
		return TS_OK;
	if (n->is_number)
		return take_string(out, w, n->number, err);
	if (n->kind != TS_CBOR_TEXT)
		return TS_OK;
	*out = ts_strndup(t->text.s + n->value, n->value_n);
	return *out ? TS_OK : ts_err_nomem(err);
}

static enum ts_code
take_location(struct ts_context_level *l, struct path *w, struct ts_err *err)
{
	const struct ts_debug_tree *t = &l->details;
	const struct ts_debug_node *at = ts_debug_tree_find(t, NULL, "location"), *line;
	enum ts_code code;

	if (!at || at->kind != TS_CBOR_MAP)
		return TS_OK;
	line = ts_debug_tree_find(t, at, "lineNumber");
	if (line && line->is_number && line->number <= INT32_MAX)
		l->line = (int64_t)line->number;
	code = take_named(&l->file, w, t, ts_debug_tree_find(t, at, "fileName"), err);
	return code
		? code
		: take_named(&l->function, w, t, ts_debug_tree_find(t, at, "functionName"), err);
}

static enum ts_code
take_layer(struct ts_context_level *l, const struct path *w, const struct ts_context_entry *e,
	struct ts_err *err)
{
	const struct ts_context_layer *known = e->layer < w->c->layers ? &w->c->layer[e->layer]
								       : NULL;
	const struct ts_debug_node *said = ts_debug_tree_find(&l->details, NULL, "layer");

	if (said && said->kind == TS_CBOR_TEXT)
		l->layer = ts_strndup(l->details.text.s + said->value, said->value_n);
	else if (known && known->n > 0 && known->n <= sizeof(known->name))
		l->layer = ts_strndup(known->name, known->n);
	else
		return TS_OK;
	return l->layer ? TS_OK : ts_err_nomem(err);
}

/* *parent NULL: it is the root. */
static enum ts_code
level_from_file(struct path *w, const struct ts_context_entry *e, struct ts_err *err)
{
	struct ts_context_level *l = add_level(w, e->id);
	struct ts_err why = {0};
	const struct ts_debug_node *name;
	enum ts_code code;

	if (!l)
		return ts_err_nomem(err);
	code = ts_debug_tree_read(&l->details, w->c->file, e->offset, w->rd->cancel, &why);
	if (code == TS_E_DAMAGED)
		note(w->p, "context %llu: %s", (unsigned long long)e->id, why.msg);
	else if (code) {
		if (err)
			*err = why;
		return code;
	}
	name = ts_debug_tree_find(&l->details, NULL, "name");
	if (!name && e->flags & TS_CONTEXT_NAME_NUMBER)
		code = take_string(&l->name, w, e->name, err);
	else
		code = take_named(&l->name, w, &l->details, name, err);
	if (!code)
		code = take_location(l, w, err);
	if (!code)
		code = take_layer(l, w, e, err);
	bound_details(w, l);
	return code;
}

/* --- the relation ----------------------------------------------------------------------------- */

static enum ts_code
copy_text(char **out, struct ts_rows *rows, int column, struct ts_err *err)
{
	const char *s;
	size_t n;

	if (ts_rows_text(rows, column, &s, &n) != TS_VALUE_OK)
		return TS_OK;
	*out = ts_strndup(s, n < TS_DEBUG_VALUE ? n : TS_DEBUG_VALUE);
	return *out ? TS_OK : ts_err_nomem(err);
}

/* What the relation says is JSON; another text becomes one detail. */
static enum ts_code
copy_details(struct ts_context_level *l, struct ts_rows *rows, int column, struct ts_err *err)
{
	static const char key[] = "details";
	struct ts_debug_tree *t = &l->details;
	const char *s;
	size_t n;
	enum ts_code code;

	if (ts_rows_text(rows, column, &s, &n) != TS_VALUE_OK)
		return TS_OK;
	code = ts_debug_tree_of_json(t, s, n, NULL);
	if (code == TS_OK)
		return TS_OK;
	if (code == TS_E_NOMEM)
		return ts_err_nomem(err);
	ts_strbuf_init(&t->text, TS_DEBUG_TREE_TEXT);
	ts_strbuf_add(&t->text, key, sizeof(key) - 1);
	ts_strbuf_add(&t->text, s, n < TS_DEBUG_VALUE ? n : TS_DEBUG_VALUE);
	t->node = ts_alloc(1, sizeof(*t->node));
	if (!t->node || t->text.nomem)
		return ts_err_nomem(err);
	t->node[0] = (struct ts_debug_node){.kind = TS_CBOR_TEXT,
		.key_n = sizeof(key) - 1,
		.value = sizeof(key) - 1,
		.value_n = (uint32_t)(t->text.len - (sizeof(key) - 1))};
	t->count = t->cap = 1;
	return TS_OK;
}

/* *found false: the relation does not know it. */
static enum ts_code
level_from_rows(bool *found, uint64_t *parent, bool *has_parent, struct path *w, uint64_t id,
	struct ts_err *err)
{
	enum { ID, PARENT, LAYER, NAME, FILE_, FUNCTION, LINE, DETAILS, COLUMNS };
	struct ts_rows_query q = {.columns = {TS_CONTEXT_CONTEXT, TS_CONTEXT_PARENT,
					  TS_CONTEXT_LAYER, TS_CONTEXT_NAME, TS_CONTEXT_FILE,
					  TS_CONTEXT_FUNCTION, TS_CONTEXT_LINE, TS_CONTEXT_DETAILS},
		.column_count = COLUMNS,
		.range = TS_RANGE_KEY,
		.from = (int64_t)id,
		.to = (int64_t)(id + 1)};
	struct ts_context_level *l;
	struct ts_rows *rows;
	int64_t up;
	enum ts_code code;

	*found = false;
	if (!ts_report_has(w->rd->report, TS_CONTEXT) || id > (uint64_t)TS_NUMBER_MAX)
		return TS_OK;
	code = ts_reader_rows(&rows, w->rd, TS_CONTEXT, &q, err);
	if (code)
		return code;
	code = ts_rows_next(rows, found, err);
	if (!code && *found) {
		l = add_level(w, id);
		code = l ? copy_text(&l->layer, rows, LAYER, err) : ts_err_nomem(err);
		if (!code)
			code = copy_text(&l->name, rows, NAME, err);
		if (!code)
			code = copy_text(&l->file, rows, FILE_, err);
		if (!code)
			code = copy_text(&l->function, rows, FUNCTION, err);
		if (!code)
			code = copy_details(l, rows, DETAILS, err);
		if (!code && ts_rows_number(rows, LINE, &up) == TS_VALUE_OK)
			l->line = up;
		if (l)
			bound_details(w, l);
		*has_parent = ts_rows_number(rows, PARENT, &up) == TS_VALUE_OK;
		*parent = (uint64_t)up;
	}
	ts_rows_close(rows);
	return code;
}

/* --- the path --------------------------------------------------------------------------------- */

static bool
is_in(const struct ts_context_path *p, uint64_t id)
{
	for (int i = 0; i < p->count; i++)
		if (p->level[i].id == id)
			return true;
	return false;
}

/* The level of `id`, and who its parent is. *found false: nobody knows it. */
static enum ts_code
add(bool *found, uint64_t *parent, bool *has_parent, struct path *w, uint64_t id,
	struct ts_err *err)
{
	const struct ts_context_entry *e;
	struct ts_err why = {0};
	enum ts_code code = level_from_rows(found, parent, has_parent, w, id, &why);

	if (code == TS_E_DAMAGED) {
		note(w->p, "%s", why.msg);
		code = TS_OK;
	}
	if (code && err)
		*err = why;
	if (code || *found || !w->c)
		return code;
	e = ts_contexts_find(w->c, id);
	*found = e != NULL;
	if (!e)
		return TS_OK;
	if (e + 1 < w->c->entry + w->c->count && e[1].id == id)
		note(w->p, "context %llu comes more than once: the first one is shown",
			(unsigned long long)id);
	*has_parent = e->flags & TS_CONTEXT_HAS_PARENT;
	*parent = e->parent;
	return level_from_file(w, e, err);
}

static void
note_missing(struct path *w, uint64_t id)
{
	const char *wrong = w->c ? w->c->wrong : "";

	note(w->p, "context %llu is not %s%s%s", (unsigned long long)id,
		w->c ? "in debug.cbor" : "recorded", wrong[0] ? ", which is damaged: " : "", wrong);
}

enum ts_code
ts_context_read(struct ts_context_path *p, struct ts_reader *rd, struct ts_contexts *c,
	const struct ts_context_entry *e, struct ts_err *err)
{
	struct path w = {.p = p, .rd = rd, .c = c};
	enum ts_code code;

	*p = (struct ts_context_path){0};
	code = level_from_file(&w, e, err);
	if (code)
		ts_context_path_fini(p);
	return code;
}

enum ts_code
ts_context_path_read(struct ts_context_path *p, struct ts_reader *rd, struct ts_contexts *c,
	uint64_t id, struct ts_err *err)
{
	struct path w = {.p = p, .rd = rd, .c = c};
	bool found = true, has_parent = true, current = true;
	enum ts_code code = TS_OK;

	*p = (struct ts_context_path){0};
	if (c)
		code = ts_contexts_current(&current, c, err);
	if (code)
		return code;
	if (!current)
		return ts_err_set(err, TS_E_STALE, "debug.cbor has changed: reload the report");
	while (!code && found && has_parent) {
		if (is_in(p, id)) {
			note(p, "the parents of context %llu go in a circle",
				(unsigned long long)p->level[0].id);
			break;
		}
		if (p->count == TS_CONTEXT_LEVELS) {
			note(p, "there are more than %d levels", TS_CONTEXT_LEVELS);
			break;
		}
		has_parent = false;
		code = add(&found, &id, &has_parent, &w, id, err);
	}
	if (!code && !found)
		note_missing(&w, id);
	if (!code && p->count == 0)
		code = ts_err_set(err, TS_E_ABSENT, "%s", p->note);
	if (code)
		ts_context_path_fini(p);
	return code;
}

void
ts_context_path_fini(struct ts_context_path *p)
{
	for (int i = 0; i < p->count; i++) {
		struct ts_context_level *l = &p->level[i];

		free(l->layer);
		free(l->name);
		free(l->file);
		free(l->function);
		ts_debug_tree_fini(&l->details);
	}
	free(p->level);
	*p = (struct ts_context_path){0};
}

/* --- of an object ----------------------------------------------------------------------------- */

/* The column of a relation that holds contexts; -1 = none. */
static int
context_column(enum ts_relation relation)
{
	static const struct {
		enum ts_relation relation;
		int column;
	} known[] = {
		{TS_PROGRAM, TS_PROGRAM_CONTEXT},
		{TS_COMPUTE_SET, TS_COMPUTE_SET_CONTEXT},
		{TS_VARIABLE, TS_VARIABLE_CONTEXT},
		{TS_LOWERED_VARIABLE, TS_LOWERED_VARIABLE_CONTEXT},
	};

	for (size_t i = 0; i < TS_COUNT(known); i++)
		if (known[i].relation == relation)
			return known[i].column;
	return -1;
}

bool
ts_context_in_debug(const struct ts_report *r)
{
	return !ts_report_has(r, TS_CONTEXT) && r->part[TS_PART_DEBUG].path &&
		r->part[TS_PART_DEBUG].state != TS_PART_UNREADABLE;
}

const char *
ts_context_described(int column)
{
	static const char *const from[] = {
		[TS_CONTEXT_CONTEXT] = "contexts[].id",
		[TS_CONTEXT_PARENT] = "contexts[].parentId",
		[TS_CONTEXT_LAYER] = "contexts[].layer",
		[TS_CONTEXT_NAME] = "stringTable[contexts[].name]",
		[TS_CONTEXT_FILE] = "stringTable[contexts[].location.fileName]",
		[TS_CONTEXT_FUNCTION] = "stringTable[contexts[].location.functionName]",
		[TS_CONTEXT_LINE] = "contexts[].location.lineNumber",
		[TS_CONTEXT_DETAILS] = "contexts[], all other keys",
	};

	return from[column];
}

bool
ts_context_recorded(const struct ts_report *r, enum ts_relation relation)
{
	if (relation == TS_STEP)
		return ts_context_recorded(r, TS_PROGRAM) || ts_context_recorded(r, TS_COMPUTE_SET);
	return context_column(relation) >= 0 && ts_report_has(r, relation) &&
		ts_report_has_column(r, relation, context_column(relation));
}

static enum ts_code
of_row(uint64_t *id, bool *found, struct ts_reader *rd, enum ts_relation relation, int64_t key,
	struct ts_err *err)
{
	struct ts_rows_query q = {.columns = {context_column(relation)},
		.column_count = 1,
		.range = TS_RANGE_KEY,
		.from = key,
		.to = key + 1,
		.limit = 1};
	struct ts_rows *rows;
	bool there;
	enum ts_code code;

	if (!ts_context_recorded(rd->report, relation))
		return TS_OK;
	code = ts_reader_rows(&rows, rd, relation, &q, err);
	if (code)
		return code;
	code = ts_rows_next(rows, &there, err);
	*found = !code && there && ts_rows_bits(rows, 0, id) == TS_VALUE_OK;
	ts_rows_close(rows);
	return code;
}

static enum ts_code
of_step(uint64_t *id, bool *found, struct ts_reader *rd, int64_t step, struct ts_err *err)
{
	static const enum ts_relation by[] = {TS_PROGRAM, TS_COMPUTE_SET};
	struct ts_rows_query q = {.columns = {TS_STEP_PROGRAM, TS_STEP_COMPUTE_SET},
		.column_count = TS_COUNT(by),
		.range = TS_RANGE_KEY,
		.from = step,
		.to = step + 1,
		.limit = 1};
	enum ts_value is[TS_COUNT(by)] = {TS_VALUE_NULL, TS_VALUE_NULL};
	int64_t key[TS_COUNT(by)];
	struct ts_rows *rows;
	bool there;
	enum ts_code code = ts_reader_rows(&rows, rd, TS_STEP, &q, err);

	if (code)
		return code;
	code = ts_rows_next(rows, &there, err);
	for (int i = 0; !code && there && i < (int)TS_COUNT(by); i++)
		is[i] = ts_rows_number(rows, i, &key[i]);
	ts_rows_close(rows);
	for (size_t i = 0; !code && !*found && i < TS_COUNT(by); i++)
		if (is[i] == TS_VALUE_OK)
			code = of_row(id, found, rd, by[i], key[i], err);
	return code;
}

enum ts_code
ts_context_of(uint64_t *id, bool *found, struct ts_reader *rd, enum ts_relation relation,
	int64_t key, struct ts_err *err)
{
	*id = 0;
	*found = false;
	if (key < 0 || key > TS_NUMBER_MAX || !ts_context_recorded(rd->report, relation))
		return TS_OK;
	return relation == TS_STEP ? of_step(id, found, rd, key, err)
				   : of_row(id, found, rd, relation, key, err);
}
