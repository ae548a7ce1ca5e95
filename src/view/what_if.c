/* SPDX-License-Identifier: MIT */
/* what_if - see the header: changes by keys and by `whatif`; what_if_tab.c shows what comes of them. */
#include "config.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tilescope/base/mem.h"
#include "tilescope/base/strbuf.h"
#include "tilescope/base/utf8.h"
#include "tilescope/report/rows.h"
#include "tilescope/view/help.h"
#include "tilescope/view/what_if.h"

enum { LINE = 78, PATH_LIMIT = 1 << 14 }; /* columns that a message has at 80 */

static const enum ts_effect changed = (enum ts_effect)(TS_EFFECT_REPAINT | TS_EFFECT_RECALC);

void
ts_what_if_name(struct ts_what_if_change *x, const char *name, size_t n)
{
	snprintf(x->text, sizeof(x->text), "%.*s", (int)ts_min_i64((int64_t)n, TS_WHAT_IF_TEXT - 1),
		name ? name : "");
}

static enum ts_effect
too_many(struct ts_view_env *env)
{
	ts_view_say_error(env, "no more than %d changes at once (:whatif clear)",
		TS_WHAT_IF_CHANGES);
	return TS_EFFECT_BELL;
}

char *
ts_what_if_rules(const struct ts_view_env *env)
{
	struct ts_strbuf path;

	if (!env->rules)
		return NULL;
	ts_strbuf_init(&path, PATH_LIMIT);
	ts_strbuf_printf(&path, "%s/groups.rules", env->rules);
	return ts_strbuf_take(&path);
}

/* Where the peaks are to be seen: "gw: What-if", by the keys that lead there. */
static void
print_way(char out[TS_KEYS_TEXT + 32], const struct ts_view_env *env)
{
	char keys[TS_KEYS_TEXT];

	if (*ts_help_key(keys, env, TS_CONTEXT_GLOBAL, TS_CMD_GOTO_WHAT_IF))
		snprintf(out, TS_KEYS_TEXT + 32, "%s: What-if", keys);
	else
		snprintf(out, TS_KEYS_TEXT + 32, "What-if in Liveness");
}

/* What the same key does next: "x: halve; "; "" where no key is known. */
static void
print_next(char out[TS_KEYS_TEXT + 40], const struct ts_view_env *env,
	const struct ts_what_if_change *x)
{
	struct ts_what_if_changes then = env->selection->what_if;
	struct ts_what_if_change next = *x;
	char keys[TS_KEYS_TEXT], how[32];

	out[0] = '\0';
	if (!*ts_help_key(keys, env, TS_CONTEXT_LIST, TS_CMD_TICK) ||
		!ts_what_if_cycle(&then, &next))
		return;
	ts_what_if_how_text(how, &next, false);
	snprintf(out, TS_KEYS_TEXT + 40, "%s: %s; ", keys, next.n > 0 ? how : "as it is");
}

/*
 * One line that says what was changed, how many changes there are, what the key does next, and where to look: of long
 * names the end.
 */
static void
say_change(struct ts_view_env *env, const char *did, const char *raw, const char *next)
{
	int count = env->selection->what_if.count, columns;
	char rest[2 * TS_KEYS_TEXT + 160], way[TS_KEYS_TEXT + 32];
	struct ts_strbuf name;
	const char *s;
	uint32_t cp;

	print_way(way, env);
	snprintf(rest, sizeof(rest), " (%d change%s; %s%s)", count, count == 1 ? "" : "s", next,
		way);
	ts_strbuf_init(&name, 4 * TS_WHAT_IF_TEXT);
	ts_utf8_safe(&name, raw, strlen(raw));
	s = name.s;
	columns = LINE - (int)strlen(did) - (int)strlen(rest);
	if (ts_utf8_columns(s, strlen(s)) > columns)
		while (*s && ts_utf8_columns(s, strlen(s)) > columns - 3)
			s += ts_utf8_next(s, strlen(s), &cp);
	ts_view_say(env, "%s%s%s%s", did, s == name.s ? "" : "...", s, rest);
	ts_strbuf_fini(&name);
}

/* `name`: what is ticked, as people call it; `where` stands behind what was done with it. */
static enum ts_effect
tick(struct ts_view *v, struct ts_what_if_change *x, const char *where, const char *name)
{
	struct ts_what_if_changes *c = &v->env->selection->what_if;
	char how[32], did[60], next[TS_KEYS_TEXT + 40];

	if (!ts_what_if_cycle(c, x))
		return too_many(v->env);
	ts_what_if_how_text(how, x, true);
	snprintf(did, sizeof(did), "%s%s: ", x->n > 0 ? how : "as it is", where);
	print_next(next, v->env, x);
	say_change(v->env, did, name, next);
	return changed;
}

enum ts_effect
ts_what_if_tick(struct ts_view *v, struct ts_what_if_change *x)
{
	x->sure = true;
	return tick(v, x, "", x->text[0] ? x->text : "a variable without a name");
}

/* A group is a pattern that is called as one (change_named() cannot know): typed and ticked they are the same change. */
static bool
name_group(struct ts_what_if_change *x, const char *name)
{
	*x = (struct ts_what_if_change){.of = TS_WHAT_IF_PATTERN};
	ts_what_if_name(x, name, strlen(name));
	return strcmp(x->text, name) == 0;
}

enum ts_effect
ts_what_if_tick_group(struct ts_view *v, const char *name)
{
	struct ts_what_if_change x;

	if (name_group(&x, name))
		return ts_what_if_tick(v, &x);
	ts_view_say_error(v->env, "a group with a name of at most %d bytes", TS_WHAT_IF_TEXT - 1);
	return TS_EFFECT_BELL;
}

/* The pattern of a name: false, it does not fit. */
static bool
name_pattern(struct ts_what_if_change *x, const char *name)
{
	struct ts_strbuf text;
	bool fits;

	*x = (struct ts_what_if_change){.of = TS_WHAT_IF_PATTERN};
	ts_strbuf_init(&text, sizeof(x->text) - 1);
	ts_strbuf_putc(&text, '^');
	for (; *name; name++) {
		if (strchr("\\^$.[]|()?*+{}", *name))
			ts_strbuf_putc(&text, '\\');
		ts_strbuf_putc(&text, *name);
	}
	ts_strbuf_putc(&text, '$');
	fits = !text.cut && !text.nomem;
	if (fits)
		memcpy(x->text, text.s, text.len + 1);
	ts_strbuf_fini(&text);
	return fits;
}

enum ts_effect
ts_what_if_tick_name(struct ts_view *v, const char *name)
{
	struct ts_what_if_change x;
	struct ts_err err = {0};

	if (!*name)
		ts_view_say_error(v->env, "it has no name to go by");
	else if (!name_pattern(&x, name))
		ts_view_say_error(v->env, "its name is too long for a pattern (%d bytes)",
			TS_WHAT_IF_TEXT - 1);
	else if (ts_what_if_pattern(x.text, &err))
		ts_view_say_error(v->env, "%.150s", err.msg);
	else
		return tick(v, &x, " on all tiles", name);
	return TS_EFFECT_BELL;
}

static const char *
sign_of(const struct ts_what_if_changes *c, const struct ts_what_if_change *x,
	char out[TS_WHAT_IF_SIGN])
{
	int i = ts_what_if_find(c, x);
	char how[32];

	out[0] = '\0';
	if (i >= 0) {
		ts_what_if_how_text(how, &c->item[i], true);
		snprintf(out, TS_WHAT_IF_SIGN, "%.15s", how);
	}
	return out;
}

const char *
ts_what_if_sign_in(const struct ts_what_if_changes *c, enum ts_what_if_of of, int64_t id,
	char out[TS_WHAT_IF_SIGN])
{
	const struct ts_what_if_change x = {.of = of, .id = id};

	return sign_of(c, &x, out);
}

const char *
ts_what_if_sign(const struct ts_view_env *env, enum ts_what_if_of of, int64_t id,
	char out[TS_WHAT_IF_SIGN])
{
	return ts_what_if_sign_in(&env->selection->what_if, of, id, out);
}

const char *
ts_what_if_group_sign(const struct ts_view_env *env, const char *name, char out[TS_WHAT_IF_SIGN])
{
	struct ts_what_if_change x;

	out[0] = '\0';
	return name_group(&x, name) ? sign_of(&env->selection->what_if, &x, out) : out;
}

const char *
ts_what_if_name_sign(const struct ts_view_env *env, const char *name, char out[TS_WHAT_IF_SIGN])
{
	struct ts_what_if_change x;

	out[0] = '\0';
	return *name && name_pattern(&x, name) ? sign_of(&env->selection->what_if, &x, out) : out;
}

/* --- `whatif` --------------------------------------------------------------------------------- */

/* The next word of a text, into `out`; false: there is none, or it is too long. */
static bool
next_word(const char **text, char *out, size_t size)
{
	const char *s = *text;
	size_t n = 0;

	while (isspace((unsigned char)*s))
		s++;
	while (s[n] && !isspace((unsigned char)s[n]))
		n++;
	if (n == 0 || n >= size)
		return false;
	memcpy(out, s, n);
	out[n] = '\0';
	for (s += n; isspace((unsigned char)*s); s++)
		;
	*text = s;
	return true;
}

static enum ts_effect
usage(struct ts_view_env *env)
{
	ts_view_say_error(env, "whatif remove|halve|split N PATTERN|GROUP|marked; whatif clear");
	return TS_EFFECT_BELL;
}

static enum ts_effect
clear(struct ts_view_env *env)
{
	struct ts_what_if_changes *c = &env->selection->what_if;

	ts_view_say(env,
		c->count > 0 ? "no change is asked for any more" : "no change is asked for");
	ts_what_if_clear(c);
	return changed;
}

/* "halve activations (1 change; gw: What-if)". */
static void
say_did(struct ts_view_env *env, const struct ts_what_if_change *x, const char *text)
{
	char how[32], did[40];

	ts_what_if_how_text(how, x, false);
	snprintf(did, sizeof(did), "%s ", how);
	say_change(env, did, text, "");
}

static enum ts_effect
change_marked(struct ts_view_env *env, struct ts_what_if_change x)
{
	const struct ts_marked_variables *m = &env->selection->marked;

	if (m->count == 0) {
		ts_view_say_error(env, "no variable is marked");
		return TS_EFFECT_BELL;
	}
	x.sure = true;
	for (int i = 0; i < m->count; i++) {
		const struct ts_marked_variable *v = &m->item[i];

		x.of = v->lowered ? TS_WHAT_IF_LOWERED : TS_WHAT_IF_VARIABLE;
		x.id = v->lowered ? v->id : v->variable;
		ts_what_if_name(&x, v->name, strlen(v->name));
		if (x.id >= 0 && !ts_what_if_put(&env->selection->what_if, &x))
			return too_many(env);
	}
	say_did(env, &x, m->count == 1 ? "the marked variable" : "the marked variables");
	return changed;
}

/* "variable 12", "piece 777": by number. False: it is no such text. */
static bool
read_number(struct ts_what_if_change *x, const char *text)
{
	static const char *const words[] =
		{[TS_WHAT_IF_VARIABLE] = "variable ", [TS_WHAT_IF_LOWERED] = "piece "};

	for (size_t i = 0; i < TS_COUNT(words); i++) {
		size_t n = strlen(words[i]);
		char *end;

		if (strncmp(text, words[i], n) != 0 || !isdigit((unsigned char)text[n]))
			continue;
		x->id = strtoll(text + n, &end, 10);
		if (*end || x->id > TS_NUMBER_MAX)
			return false;
		x->of = (enum ts_what_if_of)i;
		return true;
	}
	return false;
}

/* Whether it names anything is looked at by the program (app/what_if.c); whether it is an expression, here. */
static enum ts_effect
change_named(struct ts_view_env *env, struct ts_what_if_change x, const char *text)
{
	struct ts_err err = {0};

	if (strlen(text) >= sizeof(x.text)) {
		ts_view_say_error(env, "a pattern of at most %d bytes", TS_WHAT_IF_TEXT - 1);
		return TS_EFFECT_BELL;
	}
	if (!read_number(&x, text)) {
		if (ts_what_if_pattern(text, &err)) {
			ts_view_say_error(env, "%.150s", err.msg);
			return TS_EFFECT_BELL;
		}
		x.of = TS_WHAT_IF_PATTERN;
	}
	ts_what_if_name(&x, text, strlen(text));
	if (!ts_what_if_put(&env->selection->what_if, &x))
		return too_many(env);
	say_did(env, &x, text);
	return changed;
}

/* One change: "halve activations". */
static enum ts_effect
change(struct ts_view_env *env, const char *text)
{
	static const char *const words[] = {[TS_WHAT_IF_REMOVE] = "remove",
		[TS_WHAT_IF_HALVE] = "halve",
		[TS_WHAT_IF_SPLIT] = "split"};
	struct ts_what_if_change x = {.n = 1};
	char word[16], *end;
	size_t how = 0;

	if (!next_word(&text, word, sizeof(word)))
		return usage(env);
	if (strcmp(word, "clear") == 0)
		return clear(env);
	while (how < TS_COUNT(words) && strcmp(words[how], word) != 0)
		how++;
	if (how == TS_COUNT(words))
		return usage(env);
	x.how = (enum ts_what_if_how)how;
	if (x.how == TS_WHAT_IF_SPLIT) {
		if (!next_word(&text, word, sizeof(word)))
			return usage(env);
		x.n = strtoll(word, &end, 10);
		if (*end || x.n < 2 || x.n > TS_WHAT_IF_PARTS)
			return usage(env);
	}
	if (!*text)
		return usage(env);
	return strcmp(text, "marked") == 0 ? change_marked(env, x) : change_named(env, x, text);
}

enum ts_effect
ts_what_if_command(struct ts_view *v, const struct ts_call *call)
{
	const char *text = ts_call_arg(call, 0);
	char way[TS_KEYS_TEXT + 32];
	int count;

	if (text && *text)
		return change(v->env, text);
	print_way(way, v->env);
	count = v->env->selection->what_if.count;
	ts_view_say(v->env, "%d change%s; %s", count, count == 1 ? "" : "s", way);
	return TS_EFFECT_REPAINT;
}

/* --- address ---------------------------------------------------------------------------------- */

/* Changes stand between `;`: one that is in a name is written twice. */
static void
put_text(struct ts_strbuf *out, const char *s)
{
	for (; *s; s++) {
		if (*s == ';')
			ts_strbuf_putc(out, ';');
		ts_strbuf_putc(out, *s);
	}
}

/* The next change, cut to the room that there is; what follows it. */
static const char *
take_text(char *out, size_t size, const char *s)
{
	size_t n = 0;

	for (; *s && (*s != ';' || s[1] == ';'); s++) {
		s += *s == ';';
		if (n + 1 < size)
			out[n++] = *s;
	}
	out[n] = '\0';
	return s + (*s == ';');
}

bool
ts_what_if_get(struct ts_view *v, struct ts_strbuf *out)
{
	const struct ts_what_if_changes *c = &v->env->selection->what_if;

	for (int i = 0; i < c->count; i++) {
		const struct ts_what_if_change *x = &c->item[i];
		char how[32];

		ts_what_if_how_text(how, x, false);
		ts_strbuf_printf(out, "%s%s ", i > 0 ? "; " : "", how);
		if (x->of == TS_WHAT_IF_VARIABLE || x->of == TS_WHAT_IF_LOWERED)
			ts_strbuf_printf(out, "%s %lld",
				x->of == TS_WHAT_IF_VARIABLE ? "variable" : "piece",
				(long long)x->id);
		else
			put_text(out, x->text);
	}
	return c->count > 0;
}

enum ts_arg_state
ts_what_if_set(struct ts_view *v, const char *value)
{
	ts_what_if_clear(&v->env->selection->what_if);
	while (*value) {
		char one[TS_WHAT_IF_TEXT + 32];

		value = take_text(one, sizeof(one), value);
		if (change(v->env, one) & TS_EFFECT_BELL)
			return TS_ARG_NO;
	}
	v->env->message[0] = '\0';
	return TS_ARG_DONE;
}
