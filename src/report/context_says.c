/* SPDX-License-Identifier: MIT */
/*
 * context_says - the SQL function context_says(ID, WHAT) of a reader's connections: what debug.cbor says of a context.
 *
 * WHAT is 'type' or 'shape' of a variable's own context; 'name': of the nearest context from there to the root that has
 * a name, or the poplibs function (`api`) that made it; 'place': function:line of the nearest one with a location. NULL
 * where nothing is said, or there is no debug.cbor.
 *
 * debug.cbor is read when the first context is asked for. Of a report on another host it is then read only when it is
 * small or the index has it: names are not worth waiting minutes for.
 */
#include "config.h"

#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>

#include "tilescope/base/mem.h"
#include "tilescope/db/db.h"
#include "tilescope/io/source.h"
#include "tilescope/report/contexts.h"
#include "tilescope/report/index.h"
#include "tilescope/report/memory.h"

#include "context_says.h"

enum { TYPE, SHAPE, NAME, PLACE, WHATS, TEXT_MOST = 4096, FAR_MOST = 4 << 20 };

struct context_says {
	struct ts_reader *rd;
	struct ts_contexts *contexts; /* held; NULL: there are none */
	bool asked;
	bool has_own, has_path; /* texts of `id` that are known */
	int64_t id;
	char *text[WHATS]; /* or NULL */
};

static void
forget(struct context_says *s)
{
	for (int i = 0; i < WHATS; i++) {
		free(s->text[i]);
		s->text[i] = NULL;
	}
	s->has_own = s->has_path = false;
}

void
context_says_free(struct context_says *s)
{
	if (!s)
		return;
	forget(s);
	ts_contexts_close(s->contexts);
	free(s);
}

/* Errors that end a statement; whatever else there is leaves texts unknown. */
static enum ts_code
fatal(enum ts_code code)
{
	return code == TS_E_NOMEM || code == TS_E_CANCELLED ? code : TS_OK;
}

/* The first question of a reader. */
static enum ts_code
open_contexts(struct context_says *s)
{
	const struct ts_report *r = s->rd->report;
	const void *section = NULL;
	enum ts_code code;
	size_t size;

	s->asked = true;
	if (!ts_context_in_debug(r))
		return TS_OK;
	if (s->rd->index)
		section = ts_index_section(s->rd->index, TS_SECTION_CONTEXTS, &size);
	if (!section && ts_source_is_far(r->source[0]) && r->part[TS_PART_DEBUG].bytes > FAR_MOST)
		return TS_OK;
	code = ts_contexts_open(&s->contexts, r, s->rd->index, NULL, NULL, s->rd->cancel, NULL);
	if (code)
		s->contexts = NULL;
	s->asked = !fatal(code); /* else it is asked again */
	return fatal(code);
}

/* A copy of at most TEXT_MOST bytes. */
static enum ts_code
take(char **out, const char *s, size_t n)
{
	*out = ts_strndup(s, n < TEXT_MOST ? n : TEXT_MOST);
	return *out ? TS_OK : TS_E_NOMEM;
}

/* What was put together; where it is cut it is left unknown. */
static enum ts_code
take_built(char **out, struct ts_strbuf *b)
{
	enum ts_code code = b->nomem ? TS_E_NOMEM : b->cut ? TS_OK : take(out, b->s, b->len);

	ts_strbuf_fini(b);
	return code;
}

/* Text of a detail; NULL where it is none, or empty. */
static enum ts_code
take_text(char **out, const struct ts_context_level *l, const char *key)
{
	const struct ts_debug_node *n = ts_debug_tree_find(&l->details, NULL, key);

	if (!n || n->kind != TS_CBOR_TEXT || n->value_n == 0)
		return TS_OK;
	return take(out, l->details.text.s + n->value, n->value_n);
}

/* "[2, 3]" of an array of numbers. */
static enum ts_code
take_shape(char **out, const struct ts_context_level *l)
{
	const struct ts_debug_node *n = ts_debug_tree_find(&l->details, NULL, "shape");
	struct ts_strbuf b;

	if (!n || n->kind != TS_CBOR_ARRAY)
		return take_text(out, l, "shape");
	for (uint32_t i = 1; i <= n->inside; i++)
		if (!n[i].is_number)
			return TS_OK;
	ts_strbuf_init(&b, TEXT_MOST);
	ts_strbuf_putc(&b, '[');
	for (uint32_t i = 1; i <= n->inside; i++)
		ts_strbuf_printf(&b, "%s%llu", i > 1 ? ", " : "", (unsigned long long)n[i].number);
	ts_strbuf_putc(&b, ']');
	return take_built(out, &b);
}

static enum ts_code
take_place(char **out, const struct ts_context_level *l)
{
	struct ts_strbuf b;

	if (!l->function || !*l->function)
		return TS_OK;
	ts_strbuf_init(&b, TEXT_MOST);
	ts_strbuf_puts(&b, l->function);
	if (l->line != TS_UNKNOWN)
		ts_strbuf_printf(&b, ":%lld", (long long)l->line);
	return take_built(out, &b);
}

static enum ts_code
take_name(char **out, const struct ts_context_level *l)
{
	return l->name && *l->name ? take(out, l->name, strlen(l->name)) : take_text(out, l, "api");
}

/* One context: its own texts, or what it adds to those of the path. */
static enum ts_code
take_level(struct context_says *s, const struct ts_context_entry *e, bool path)
{
	struct ts_context_path one;
	enum ts_code code = ts_context_read(&one, s->rd, s->contexts, e, NULL);

	if (code)
		return fatal(code);
	if (!path) {
		code = take_text(&s->text[TYPE], one.level, "type");
		code = code ? code : take_shape(&s->text[SHAPE], one.level);
	} else {
		if (!s->text[NAME])
			code = take_name(&s->text[NAME], one.level);
		if (!code && !s->text[PLACE])
			code = take_place(&s->text[PLACE], one.level);
	}
	ts_context_path_fini(&one);
	return code;
}

static enum ts_code
learn(struct context_says *s, int64_t id, bool path)
{
	bool *known = path ? &s->has_path : &s->has_own;
	const struct ts_context_entry *e;
	enum ts_code code = TS_OK;

	if (s->id != id)
		forget(s);
	s->id = id;
	e = *known ? NULL : ts_contexts_find(s->contexts, (uint64_t)id);
	for (int level = 0; !code && e && level < TS_CONTEXT_LEVELS; level++) { /* circles end */
		code = take_level(s, e, path);
		if (!path || s->text[NAME])
			break;
		e = e->flags & TS_CONTEXT_HAS_PARENT ? ts_contexts_find(s->contexts, e->parent)
						     : NULL;
	}
	*known = !code;
	if (code)
		forget(s);
	return code;
}

static void
says(sqlite3_context *out, int argc, sqlite3_value **argv)
{
	static const char *const words[] = {"type", "shape", "name", "place"};
	struct context_says *s = sqlite3_user_data(out);
	const char *word;
	enum ts_code code = TS_OK;

	(void)argc;
	if (sqlite3_value_type(argv[0]) != SQLITE_INTEGER || sqlite3_value_int64(argv[0]) == 0)
		return;
	if (!s->asked)
		code = open_contexts(s);
	word = (const char *)sqlite3_value_text(argv[1]);
	for (int what = 0; !code && s->contexts && word && what < WHATS; what++) {
		if (strcmp(word, words[what]) != 0)
			continue;
		code = learn(s, sqlite3_value_int64(argv[0]), what >= NAME);
		if (!code && s->text[what])
			sqlite3_result_text(out, s->text[what], -1, SQLITE_TRANSIENT);
	}
	if (code)
		sqlite3_result_error_code(out,
			code == TS_E_NOMEM ? SQLITE_NOMEM : SQLITE_INTERRUPT);
}

enum ts_code
context_says_add(struct context_says **out, struct ts_reader *rd, struct ts_err *err)
{
	struct context_says *s = ts_alloc(1, sizeof(*s));
	int rc = SQLITE_OK;

	*out = s;
	if (!s)
		return ts_err_nomem(err);
	s->rd = rd;
	for (int i = 0; i < rd->report->sources && rc == SQLITE_OK; i++) {
		rc = sqlite3_create_function_v2(ts_db_handle(rd->db[i]), "context_says", 2,
			SQLITE_UTF8, s, says, NULL, NULL, NULL);
		if (rc != SQLITE_OK)
			return ts_db_error(rd->db[i], rc, err);
	}
	return TS_OK;
}
