/* SPDX-License-Identifier: MIT */
/*
 * help - the key list, the commands and the options, generated from their tables.
 */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tilescope/base/embedded.h"
#include "tilescope/base/mem.h"
#include "tilescope/base/utf8.h"
#include "tilescope/ui/keymap.h"
#include "tilescope/ui/list.h"
#include "tilescope/ui/prompt.h"
#include "tilescope/view/help.h"

enum { TEXT_MAX = 1 << 18 };

struct help_view {
	struct ts_view base;
	struct ts_strbuf text, wrapped; /* as it is, and in lines that fit */
	char **line;
	int lines;
	char sought[TS_PROMPT_MAX];
	struct ts_list list;
	struct ts_rect area;
};

static struct help_view *
self(struct ts_view *v)
{
	return (struct help_view *)v;
}

/* All keys of one command with the same arguments in a context, on one line. */
static void
put_binding(struct ts_strbuf *out, const struct ts_keymap *map, size_t first)
{
	const struct ts_key_binding *b = &map->binding[first];
	struct ts_strbuf keys;

	ts_strbuf_init(&keys, 200);
	for (size_t i = 0; i < map->count; i++) {
		const struct ts_key_binding *o = &map->binding[i];
		char text[TS_KEYS_TEXT];
		bool same = o->context == b->context && o->cmd == b->cmd && o->argc == b->argc &&
			(o->argc == 0 || strcmp(o->arg[0], b->arg[0]) == 0);

		if (!same)
			continue;
		if (i < first) { /* told already */
			ts_strbuf_fini(&keys);
			return;
		}
		ts_strbuf_printf(&keys, "%s%s", keys.len ? " " : "", ts_keys_print(text, &o->keys));
	}
	ts_strbuf_printf(out, "  %-20s %-15s %s\n", keys.s, ts_commands[b->cmd].name,
		b->argc ? b->note : ts_commands[b->cmd].help);
	ts_strbuf_fini(&keys);
}

static void
put_context(struct ts_strbuf *out, const struct ts_keymap *map, enum ts_context c)
{
	bool any = false;

	for (size_t i = 0; i < map->count; i++) {
		if (map->binding[i].context != c)
			continue;
		if (!any)
			ts_strbuf_printf(out, "%sKEYS  %s: %s\n", out->len ? "\n" : "",
				ts_contexts[c].name, ts_contexts[c].help);
		any = true;
		put_binding(out, map, i);
	}
}

void
ts_help_keys(struct ts_strbuf *out, const struct ts_keymap *map, enum ts_context first)
{
	put_context(out, map, first);
	for (int c = 0; c < TS_CONTEXT_COUNT; c++)
		if (c != (int)first)
			put_context(out, map, (enum ts_context)c);
}

const struct ts_help_topic ts_help_topics[] = {
	{"tiles", "SETS OF TILES"},
	{"filter", "FILTERS"},
	{"whatif", "WHAT IF"},
	{"operations", "OPERATIONS"},
	{"hosts", "REPORTS ON OTHER HOSTS"},
	{"capture", "WHAT RECORDS WHAT"},
	{NULL, NULL},
};

const struct ts_help_topic *
ts_help_topic_find(const char *name)
{
	const struct ts_help_topic *t = ts_help_topics;

	while (t->name && strcmp(t->name, name) != 0)
		t++;
	return t->name ? t : NULL;
}

void
ts_help_topic_text(struct ts_strbuf *out, const struct ts_help_topic *t)
{
	char name[40];
	const struct ts_embedded *text;

	snprintf(name, sizeof(name), "help/%s.txt", t->name);
	text = ts_embedded_find(name);
	ts_strbuf_puts(out, text ? text->text : "");
}

static void
put_commands(struct ts_strbuf *out)
{
	ts_strbuf_puts(out,
		"\nCOMMANDS  typed after `:` (Tab completes; a number alone is goto)\n");
	for (int i = 0; i < TS_CMD_COUNT; i++)
		if (ts_commands[i].context != TS_CONTEXT_PROMPT) {
			const char *words = ts_command_words((enum ts_cmd)i);
			char name[64];

			snprintf(name, sizeof(name), "%s %s", ts_commands[i].name,
				ts_commands[i].args);
			ts_strbuf_printf(out, "  %-30s %s\n", name, ts_commands[i].help);
			if (words)
				ts_strbuf_printf(out, "  %-30s %s\n", "", words);
		}
	ts_strbuf_puts(out,
		"\nOPTIONS  :set OPTION VALUE, or `set OPTION VALUE` in the configuration file\n");
	for (const struct ts_option *o = ts_option_table; o->name; o++)
		ts_strbuf_printf(out, "  %-10s %-20s %s\n", o->name, o->values, o->help);
}

/* Where what follows a line goes on: below its last column that begins in the first half. */
static int
hanging(const char *s, int n, int width)
{
	int at = 2;

	for (int i = 2; i < n && i <= width / 2; i++)
		if (s[i] != ' ' && s[i - 1] == ' ' && s[i - 2] == ' ')
			at = i;
	return at;
}

/* A line in as many as it needs of that width. */
static void
wrap_line(struct ts_strbuf *out, const char *s, int n, int width)
{
	int indent = 0, hang = hanging(s, n, width);

	while (indent + n > width) {
		int cut = width - indent;

		while (cut > 0 && s[cut] != ' ')
			cut--;
		if (cut == 0 || strspn(s, " ") >= (size_t)cut)
			break; /* one long word */
		ts_strbuf_printf(out, "%*s%.*s\n", indent, "", cut, s);
		s += cut + 1;
		n -= cut + 1;
		indent = hang;
	}
	ts_strbuf_printf(out, "%*s%.*s\n", indent, "", n, s);
}

/* Cut the text into lines that fit. */
static bool
cut_lines(struct help_view *h)
{
	enum { LEAST = 40, GUTTER = 2 /* for the signs that there is more */ };
	int w = (int)ts_max_i64(h->area.w - GUTTER, LEAST);
	size_t cap = 0;

	free(h->line);
	h->line = NULL;
	h->lines = 0;
	ts_strbuf_reset(&h->wrapped);
	for (const char *s = h->text.s; s && *s;) {
		int n = (int)strcspn(s, "\n");

		wrap_line(&h->wrapped, s, n, w);
		s += n + (s[n] != '\0');
	}
	for (char *s = h->wrapped.s; s && *s;) {
		void *p = h->line;
		char *end = strchr(s, '\n');

		if (!ts_room(&p, &cap, (size_t)h->lines, sizeof(*h->line)))
			return false;
		h->line = p;
		h->line[h->lines++] = s;
		if (end)
			*end++ = '\0';
		s = end;
	}
	return true;
}

static void
lay_out(struct help_view *h)
{
	if (!cut_lines(h))
		h->lines = 0;
	ts_list_set_count(&h->list, h->lines);
}

static void
help_shown(struct ts_view *v)
{
	struct help_view *h = self(v);

	ts_strbuf_fini(&h->text);
	ts_help_keys(&h->text, v->env->keymap, v->env->help_context);
	put_commands(&h->text);
	for (const struct ts_help_topic *t = ts_help_topics; t->name; t++) {
		ts_strbuf_puts(&h->text, "\n");
		ts_help_topic_text(&h->text, t);
	}
	lay_out(h);
	ts_list_jump(&h->list, 0); /* the keys of the view that it was called from */
}

static struct ts_view *
help_open(struct ts_view_env *env)
{
	struct help_view *h = ts_alloc(1, sizeof(*h));

	(void)env;
	if (!h)
		return NULL;
	ts_strbuf_init(&h->text, TEXT_MAX);
	ts_strbuf_init(&h->wrapped, 2 * TEXT_MAX);
	ts_list_init(&h->list);
	return &h->base;
}

static void
help_close(struct ts_view *v)
{
	struct help_view *h = self(v);

	ts_strbuf_fini(&h->text);
	ts_strbuf_fini(&h->wrapped);
	free(h->line);
	free(h);
}

static void
help_resize(struct ts_view *v, struct ts_rect area)
{
	struct help_view *h = self(v);
	bool other = area.w != h->area.w;

	h->area = area;
	if (other && h->text.len > 0)
		lay_out(h);
	ts_list_resize(&h->list, area.h);
}

static void
help_draw(struct ts_view *v, struct ts_canvas *c)
{
	struct help_view *h = self(v);
	int64_t from, to;

	ts_list_window(&h->list, &from, &to);
	for (int64_t i = from; i < to && i < h->lines; i++) {
		const char *s = h->line[i];
		size_t skip = strnlen(s, (size_t)h->list.left);
		enum ts_role role = *s && *s != ' ' ? TS_ROLE_HEADER : TS_ROLE_TEXT;
		int y = (int)(i - from);

		ts_canvas_text(c, h->area, 0, y, role, s + skip);
		if (i == h->list.cursor)
			ts_canvas_overlay(c, ts_rect_row(h->area, y), TS_ROLE_CURSOR);
	}
	ts_canvas_more(c, h->area, from > 0, from + h->area.h < h->lines);
}

/* A topic from its head on, or the first line: what follows fills the screen. */
static enum ts_effect
help_topic(struct help_view *h, const struct ts_help_topic *t)
{
	for (int i = 0; i < h->lines; i++)
		if (strncmp(h->line[i], t->head, strlen(t->head)) == 0) {
			ts_list_jump(&h->list, i);
			h->list.top = ts_clamp_i64(i, 0, ts_max_i64(h->lines - h->list.rows, 0));
			return TS_EFFECT_REPAINT;
		}
	return TS_EFFECT_BELL;
}

/* The next line with the text, from the cursor on, round the end. */
static enum ts_effect
help_search(struct help_view *h, const char *text, int step)
{
	for (int i = 1; i <= h->lines; i++) {
		int64_t at = ((h->list.cursor + (int64_t)step * i) % h->lines + h->lines) %
			h->lines;

		if (ts_contains_nocase(h->line[at], text))
			return ts_list_jump(&h->list, at) | TS_EFFECT_REPAINT;
	}
	ts_view_say_error(h->base.env, "not found: %s", text);
	return TS_EFFECT_BELL;
}

static enum ts_effect
help_command(struct ts_view *v, const struct ts_call *call)
{
	const char *text = ts_call_arg(call, 0);
	bool is_search = call->cmd == TS_CMD_SEARCH || call->cmd == TS_CMD_SEARCH_BACK;
	bool is_again = call->cmd == TS_CMD_SEARCH_NEXT || call->cmd == TS_CMD_SEARCH_PREVIOUS;
	bool back = call->cmd == TS_CMD_SEARCH_BACK || call->cmd == TS_CMD_SEARCH_PREVIOUS;

	if (call->cmd == TS_CMD_HELP && text && ts_help_topic_find(text))
		return help_topic(self(v), ts_help_topic_find(text));
	if (is_search && text)
		snprintf(self(v)->sought, sizeof(self(v)->sought), "%s", text);
	if ((is_search && text) || (is_again && self(v)->sought[0]))
		return help_search(self(v), self(v)->sought, back ? -1 : 1);
	return ts_list_command(&self(v)->list, call->cmd);
}

static enum ts_effect
help_mouse(struct ts_view *v, int x, int y, int wheel)
{
	(void)x;
	(void)y;
	return wheel ? ts_list_scroll(&self(v)->list, wheel * 3) : TS_EFFECT_NONE;
}

const char *
ts_help_key(char out[TS_KEYS_TEXT], const struct ts_view_env *env, enum ts_context context,
	enum ts_cmd cmd)
{
	const enum ts_context contexts[] = {context, TS_CONTEXT_GLOBAL};
	const struct ts_key_binding *b = env->keymap
		? ts_keymap_of(env->keymap, contexts, (int)TS_COUNT(contexts), cmd, NULL)
		: NULL;

	out[0] = '\0';
	return b ? ts_keys_print(out, &b->keys) : out;
}

const struct ts_view_ops ts_view_help = {
	.name = "help",
	.title = "Help",
	.context = TS_CONTEXT_HELP,
	.open = help_open,
	.close = help_close,
	.shown = help_shown,
	.resize = help_resize,
	.draw = help_draw,
	.command = help_command,
	.mouse = help_mouse,
};
