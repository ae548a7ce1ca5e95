/* SPDX-License-Identifier: MIT */
/*
 * keymap - reading keymaps and looking keys up.
 *
 * There are a few hundred bindings and a key press every few milliseconds at most: an array that
 * is searched from the begin is fast enough, keeps the order of the file for help and hints, and
 * makes replacing simple.
 */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "reader.h"
#include "tilescope/base/mem.h"
#include "tilescope/ui/keymap.h"

struct keymap_reader {
	struct ts_reader base;
	struct ts_keymap *map;
	int file; /* number of the file being read */
};

void
ts_keymap_init(struct ts_keymap *map)
{
	memset(map, 0, sizeof(*map));
}

static void
binding_fini(struct ts_key_binding *b)
{
	for (int i = 0; i < b->argc; i++)
		free(b->arg[i]);
	free(b->note);
}

void
ts_keymap_fini(struct ts_keymap *map)
{
	for (size_t i = 0; i < map->count; i++)
		binding_fini(&map->binding[i]);
	free(map->binding);
	ts_keymap_init(map);
}

static bool
begins_with(const struct ts_keys *keys, const struct ts_keys *begin)
{
	if (begin->n > keys->n)
		return false;
	for (int i = 0; i < begin->n; i++)
		if (keys->key[i] != begin->key[i])
			return false;
	return true;
}

static bool
same_keys(const struct ts_keys *a, const struct ts_keys *b)
{
	return a->n == b->n && begins_with(a, b);
}

static void
remove_at(struct ts_keymap *map, size_t i)
{
	binding_fini(&map->binding[i]);
	map->count--;
	memmove(&map->binding[i], &map->binding[i + 1], (map->count - i) * sizeof(*map->binding));
}

/* Bindings of other files that stand in the way of `keys` go; one of the same file is returned. */
static const struct ts_key_binding *
make_way(struct keymap_reader *r, enum ts_context context, const struct ts_keys *keys)
{
	struct ts_keymap *map = r->map;

	for (size_t i = 0; i < map->count;) {
		struct ts_key_binding *b = &map->binding[i];

		if (b->context != context ||
			(!begins_with(keys, &b->keys) && !begins_with(&b->keys, keys))) {
			i++;
			continue;
		}
		if (b->file == r->file)
			return b;
		remove_at(map, i);
	}
	return NULL;
}

/* CONTEXT KEYS at words 1 and 2. */
static bool
read_place(struct keymap_reader *r, const struct ts_line *line, enum ts_context *context,
	struct ts_keys *keys)
{
	int found = ts_context_find(line->word[1]);

	if (found < 0) {
		ts_reader_complain(&r->base, "unknown context \"%s\"", line->word[1]);
		return false;
	}
	*context = (enum ts_context)found;
	if (!ts_keys_parse(line->word[2], keys)) {
		ts_reader_complain(&r->base, "not a key, or more than %d: \"%s\"", TS_KEYS_MAX,
			line->word[2]);
		return false;
	}
	return true;
}

/* The words behind `--`, or the command's sentence. NULL without memory. */
static char *
read_note(const struct ts_line *line, int from, enum ts_cmd cmd)
{
	struct ts_strbuf note;

	if (from >= line->count)
		return ts_strdup(ts_commands[cmd].help);
	ts_strbuf_init(&note, 200);
	for (int i = from; i < line->count; i++) {
		if (i > from)
			ts_strbuf_putc(&note, ' ');
		ts_strbuf_puts(&note, line->word[i]);
	}
	return ts_strbuf_take(&note);
}

/* Was there memory for all of it? */
static bool
complete(const struct ts_key_binding *b)
{
	for (int i = 0; i < b->argc; i++)
		if (!b->arg[i])
			return false;
	return b->note != NULL;
}

/* COMMAND [ARGUMENT...] [-- NOTE...] from word 3. */
static bool
read_command(struct keymap_reader *r, const struct ts_line *line, struct ts_key_binding *b)
{
	struct ts_call call;
	struct ts_err err;
	int end = 3, cmd = ts_command_find(line->word[3]);

	if (cmd < 0) {
		ts_reader_complain(&r->base, "unknown command \"%s\"", line->word[3]);
		return false;
	}
	while (end < line->count && strcmp(line->word[end], "--") != 0)
		end++;
	b->cmd = (enum ts_cmd)cmd;
	if (ts_call_make(&call, b->cmd, line->word + 4, end - 4, &err) != TS_OK) {
		ts_reader_complain(&r->base, "%s", err.msg);
		return false;
	}
	if (call.argc > TS_KEYMAP_ARGS) {
		ts_reader_complain(&r->base, "too many arguments");
		return false;
	}
	b->note = read_note(line, end + 1, b->cmd);
	for (int i = 0; i < call.argc; i++)
		b->arg[b->argc++] = ts_strdup(ts_call_arg(&call, i));
	if (!complete(b))
		ts_reader_complain(&r->base, "out of memory");
	return complete(b);
}

/* A command of the prompt is bound there and nowhere else, and the prompt has no others. */
static bool
fits_context(struct keymap_reader *r, const struct ts_key_binding *b)
{
	bool prompt = ts_commands[b->cmd].context == TS_CONTEXT_PROMPT;

	if (prompt == (b->context == TS_CONTEXT_PROMPT))
		return true;
	ts_reader_complain(&r->base,
		prompt ? "%s works only in the context prompt"
		       : "%s does not work in the context prompt",
		ts_commands[b->cmd].name);
	return false;
}

static bool
add_binding(struct keymap_reader *r, const struct ts_key_binding *b)
{
	const struct ts_key_binding *other = make_way(r, b->context, &b->keys);
	char mine[TS_KEYS_TEXT], theirs[TS_KEYS_TEXT];

	if (other) {
		ts_reader_complain(&r->base, "%s collides with %s of line %d",
			ts_keys_print(mine, &b->keys), ts_keys_print(theirs, &other->keys),
			other->line);
		return false;
	}
	if (r->map->count >= TS_KEYMAP_MAX) {
		ts_reader_complain(&r->base, "more than %d bindings", TS_KEYMAP_MAX);
		return false;
	}
	if (!ts_room((void **)&r->map->binding, &r->map->cap, r->map->count, sizeof(*b))) {
		ts_reader_complain(&r->base, "out of memory");
		return false;
	}
	r->map->binding[r->map->count++] = *b;
	return true;
}

static void
read_bind(struct keymap_reader *r, const struct ts_line *line)
{
	struct ts_key_binding b = {.file = r->file, .line = line->number};

	if (line->count < 4) {
		ts_reader_complain(&r->base, "bind takes a context, keys and a command");
		return;
	}
	if (!read_place(r, line, &b.context, &b.keys) || !read_command(r, line, &b) ||
		!fits_context(r, &b) || !add_binding(r, &b))
		binding_fini(&b);
}

static void
read_unbind(struct keymap_reader *r, const struct ts_line *line)
{
	enum ts_context context;
	struct ts_keys keys;
	size_t before = r->map->count;

	if (line->count != 3) {
		ts_reader_complain(&r->base, "unbind takes a context and keys");
		return;
	}
	if (!read_place(r, line, &context, &keys))
		return;
	for (size_t i = r->map->count; i-- > 0;)
		if (r->map->binding[i].context == context &&
			same_keys(&r->map->binding[i].keys, &keys))
			remove_at(r->map, i);
	if (r->map->count == before)
		ts_reader_complain(&r->base, "%s is not bound in %s", line->word[2], line->word[1]);
}

static void
read_inherit(struct keymap_reader *r, const struct ts_line *line)
{
	int file = r->file;

	r->file = ++r->map->files;
	ts_reader_inherit(&r->base, line);
	r->file = file;
}

static bool
keymap_line(void *ctx, const struct ts_line *line)
{
	static const struct {
		const char *word;
		void (*read)(struct keymap_reader *r, const struct ts_line *line);
	} verbs[] = {
		{"bind", read_bind},
		{"unbind", read_unbind},
		{"inherit", read_inherit},
	};
	struct keymap_reader *r = ctx;

	for (size_t i = 0; i < TS_COUNT(verbs); i++) {
		if (strcmp(line->word[0], verbs[i].word) == 0) {
			verbs[i].read(r, line);
			return true;
		}
	}
	ts_reader_complain(&r->base, "unknown word \"%s\"", line->word[0]);
	return true;
}

int
ts_keymap_read(struct ts_keymap *map, const char *file, const char *text, ts_text_fn *find,
	void *ctx, struct ts_strbuf *complaints)
{
	struct keymap_reader r = {
		.base = {.find = find, .find_ctx = ctx, .complaints = complaints},
		.map = map,
		.file = ++map->files,
	};

	r.base.each = keymap_line;
	r.base.into = &r;
	ts_reader_read(&r.base, file, text);
	return r.base.count;
}

/* One context of a look-up. */
static enum ts_match
find_in(const struct ts_key_binding **out, const struct ts_keymap *map, enum ts_context context,
	const struct ts_keys *keys)
{
	enum ts_match match = TS_MATCH_NONE;

	for (size_t i = 0; i < map->count; i++) {
		const struct ts_key_binding *b = &map->binding[i];

		if (b->context != context || !begins_with(&b->keys, keys))
			continue;
		if (b->keys.n == keys->n) {
			*out = b;
			return TS_MATCH_FOUND;
		}
		match = TS_MATCH_PREFIX;
	}
	return match;
}

enum ts_match
ts_keymap_find(const struct ts_key_binding **out, const struct ts_keymap *map,
	const enum ts_context *contexts, int n, const struct ts_keys *keys)
{
	enum ts_match match = TS_MATCH_NONE;

	*out = NULL;
	for (int i = 0; i < n && match == TS_MATCH_NONE && keys->n > 0; i++)
		match = find_in(out, map, contexts[i], keys);
	return match;
}

/* Do the keys of b, pressed in these contexts, come to b? */
static bool
reachable(const struct ts_keymap *map, const enum ts_context *contexts, int n,
	const struct ts_key_binding *b)
{
	struct ts_keys keys = b->keys;
	const struct ts_key_binding *found;

	for (keys.n = 1; keys.n < b->keys.n; keys.n++)
		if (ts_keymap_find(&found, map, contexts, n, &keys) != TS_MATCH_PREFIX)
			return false;
	return ts_keymap_find(&found, map, contexts, n, &keys) == TS_MATCH_FOUND && found == b;
}

const struct ts_key_binding *
ts_keymap_of(const struct ts_keymap *map, const enum ts_context *contexts, int n, enum ts_cmd cmd,
	const char *arg)
{
	for (int c = 0; c < n; c++) {
		for (size_t i = 0; i < map->count; i++) {
			const struct ts_key_binding *b = &map->binding[i];

			if (b->context == contexts[c] && b->cmd == cmd &&
				(!arg || (b->argc > 0 && strcmp(b->arg[0], arg) == 0)) &&
				reachable(map, contexts, n, b))
				return b;
		}
	}
	return NULL;
}

int
ts_keymap_following(const struct ts_key_binding **out, int max, const struct ts_keymap *map,
	const enum ts_context *contexts, int n, const struct ts_keys *keys)
{
	int count = 0;

	for (int c = 0; c < n; c++) {
		for (size_t i = 0; i < map->count; i++) {
			const struct ts_key_binding *b = &map->binding[i];

			if (b->context != contexts[c] || b->keys.n <= keys->n ||
				!begins_with(&b->keys, keys) || !reachable(map, contexts, n, b))
				continue;
			if (count < max)
				out[count] = b;
			count++;
		}
	}
	return count;
}
