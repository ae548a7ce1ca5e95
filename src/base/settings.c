/* SPDX-License-Identifier: MIT */
/*
 * settings - see the header.
 *
 * A plain array: there are a few dozen at most. One that was taken back stays in it without a value, so that
 * the file's line of that name is known to be void.
 */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tilescope/base/lex.h"
#include "tilescope/base/mem.h"
#include "tilescope/base/settings.h"

struct setting {
	char kind[TS_SETTING_NAME], name[TS_SETTING_NAME];
	char *value; /* NULL: taken back */
	bool put;
};

struct ts_settings {
	struct setting of[TS_SETTINGS_MAX];
	int count;
};

struct ts_settings *
ts_settings_new(void)
{
	return ts_alloc(1, sizeof(struct ts_settings));
}

void
ts_settings_free(struct ts_settings *s)
{
	if (!s)
		return;
	for (int i = 0; i < s->count; i++)
		free(s->of[i].value);
	free(s);
}

static struct setting *
find(const struct ts_settings *s, const char *kind, const char *name)
{
	for (int i = 0; s && i < s->count; i++)
		if (strcmp(s->of[i].kind, kind) == 0 && strcmp(s->of[i].name, name) == 0)
			return (struct setting *)&s->of[i];
	return NULL;
}

const char *
ts_settings_get(const struct ts_settings *s, const char *kind, const char *name)
{
	const struct setting *one = find(s, kind, name);

	return one ? one->value : NULL;
}

static struct setting *
add(struct ts_settings *s, const char *kind, const char *name)
{
	struct setting *one;

	if (s->count == TS_SETTINGS_MAX || strlen(kind) >= TS_SETTING_NAME ||
		strlen(name) >= TS_SETTING_NAME)
		return NULL;
	one = &s->of[s->count++];
	snprintf(one->kind, sizeof(one->kind), "%s", kind);
	snprintf(one->name, sizeof(one->name), "%s", name);
	return one;
}

static bool
give(struct ts_settings *s, const char *kind, const char *name, const char *value, bool put)
{
	struct setting *one = find(s, kind, name);
	char *copy = value ? ts_strdup(value) : NULL;

	if (one && one->put && !put) {
		free(copy);
		return true;
	}
	if (!one && (!value || copy))
		one = add(s, kind, name);
	if (!one || (value && (!copy || strlen(value) >= TS_SETTING_VALUE))) {
		free(copy);
		return false;
	}
	free(one->value);
	one->value = copy;
	one->put = put;
	return true;
}

bool
ts_settings_put(struct ts_settings *s, const char *kind, const char *name, const char *value)
{
	return give(s, kind, name, value, true);
}

bool
ts_settings_changed(const struct ts_settings *s)
{
	for (int i = 0; i < s->count; i++)
		if (s->of[i].put)
			return true;
	return false;
}

static bool
take_line(void *ctx, const struct ts_line *line)
{
	if (line->count == 3)
		give(ctx, line->word[0], line->word[1], line->word[2], false);
	return true;
}

static void
pass_over(void *ctx, int number, const char *reason)
{
	(void)ctx;
	(void)number;
	(void)reason;
}

void
ts_settings_read(struct ts_settings *s, char *text)
{
	ts_lex(text, take_line, pass_over, s);
}

static void
print_word(struct ts_strbuf *out, const char *word)
{
	ts_strbuf_puts(out, "\"");
	for (; *word; word++)
		if (*word == '"' || *word == '\\')
			ts_strbuf_printf(out, "\\%c", *word);
		else if (*word == '\n' || *word == '\t')
			ts_strbuf_puts(out, *word == '\n' ? "\\n" : "\\t");
		else
			ts_strbuf_printf(out, "%c", *word);
	ts_strbuf_puts(out, "\"");
}

void
ts_settings_print(const struct ts_settings *s, struct ts_strbuf *out)
{
	for (int i = 0; i < s->count; i++) {
		const struct setting *one = &s->of[i];

		if (!one->value)
			continue;
		print_word(out, one->kind);
		ts_strbuf_puts(out, " ");
		print_word(out, one->name);
		ts_strbuf_puts(out, " ");
		print_word(out, one->value);
		ts_strbuf_puts(out, "\n");
	}
}

void
ts_settings_each(const struct ts_settings *s, const char *kind, ts_setting_fn *each, void *ctx)
{
	for (int i = 0; s && i < s->count; i++)
		if (s->of[i].value && strcmp(s->of[i].kind, kind) == 0)
			each(ctx, s->of[i].name, s->of[i].value);
}
