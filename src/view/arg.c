/* SPDX-License-Identifier: MIT */
/* arg - see the header. */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tilescope/base/fmt.h"
#include "tilescope/view/arg.h"

enum ts_arg_state
ts_arg_command(struct ts_view *v, enum ts_cmd cmd, const char *value)
{
	struct ts_call call;
	struct ts_err err = {0};
	char text[TS_CALL_TEXT], *word = text;
	enum ts_effect effect;

	snprintf(text, sizeof(text), "%s", value ? value : "");
	if (ts_call_make(&call, cmd, &word, value ? 1 : 0, &err)) {
		ts_view_say_error(v->env, "%s", err.msg);
		return TS_ARG_NO;
	}
	effect = v->ops->command(v, &call);
	if (effect & TS_EFFECT_UNKNOWN)
		return TS_ARG_LATER;
	return effect & TS_EFFECT_BELL ? TS_ARG_NO : TS_ARG_DONE;
}

enum ts_arg_state
ts_arg_switch(struct ts_view *v, enum ts_cmd cmd, bool is, bool wanted)
{
	return is == wanted ? TS_ARG_DONE : ts_arg_command(v, cmd, NULL);
}

enum ts_arg_state
ts_arg_walk(struct ts_view *v, bool (*is_there)(struct ts_view *v, int wanted), int wanted,
	const char *value)
{
	enum { PANES_MAX = 8 };

	for (int i = 0; i < PANES_MAX && !is_there(v, wanted); i++) {
		enum ts_arg_state state = ts_arg_command(v, TS_CMD_PANE_NEXT, NULL);

		if (state != TS_ARG_DONE)
			return state;
	}
	if (is_there(v, wanted))
		return TS_ARG_DONE;
	ts_view_say_error(v->env, "there is no pane \"%s\" here", value);
	return TS_ARG_NO;
}

bool
ts_arg_is_yes(const char *value)
{
	return strcmp(value, "yes") == 0;
}

bool
ts_arg_say_yes(struct ts_strbuf *out, bool is)
{
	if (is)
		ts_strbuf_puts(out, "yes");
	return is;
}

bool
ts_arg_say_word(struct ts_strbuf *out, const char *words, int number)
{
	for (; number > 0 && *words; number--) {
		words += strcspn(words, "|");
		words += *words == '|';
	}
	ts_strbuf_add(out, words, strcspn(words, "|"));
	return true;
}

int
ts_arg_word(const char *words, const char *value)
{
	size_t len = strlen(value);

	for (int i = 0; *words; i++) {
		size_t n = strcspn(words, "|");

		if (n == len && memcmp(words, value, n) == 0)
			return i;
		words += n;
		words += *words == '|';
	}
	return -1;
}

int64_t
ts_arg_number(const char *value)
{
	return strtoll(value, NULL, 10);
}

void
ts_arg_range(const char *value, int64_t *from, int64_t *to)
{
	char *dash;

	*from = strtoll(value, &dash, 10);
	*to = strtoll(dash + 1, NULL, 10);
}

bool
ts_arg_say_row(struct ts_strbuf *out, const struct ts_list *l)
{
	if (l->cursor > 0)
		ts_strbuf_printf(out, "%lld", (long long)l->cursor + 1);
	return l->cursor > 0;
}

enum ts_arg_state
ts_arg_go_row(struct ts_view *v, struct ts_list *l, bool there, const char *value)
{
	int64_t row = ts_arg_number(value);
	char count[TS_FMT_MAX];

	if (!there)
		return TS_ARG_LATER;
	if (row < 1 || row > l->count) {
		ts_view_say_error(v->env, "rows go from 1 to %s", ts_fmt_count(count, l->count));
		return TS_ARG_NO;
	}
	ts_list_jump(l, row - 1);
	return TS_ARG_DONE;
}

bool
ts_arg_get_tiles(struct ts_view *v, struct ts_strbuf *out)
{
	const struct ts_selected_tiles *t = &v->env->selection->tiles;

	if (t->count > 0)
		ts_strbuf_puts(out, t->text);
	return t->count > 0 && t->text[0];
}

/* app/ has it worked out: once for the same words. */
enum ts_arg_state
ts_arg_set_tiles(struct ts_view *v, const char *value)
{
	struct ts_tiles_asked *q = &v->env->tiles_asked;
	bool same = q->state != TS_TILES_NOTHING && !q->go && strcmp(q->text, value) == 0;

	if (strlen(value) >= sizeof(q->text)) {
		ts_view_say_error(v->env, "too long a tile set");
		return TS_ARG_NO;
	}
	if (!same)
		ts_view_ask_tiles(v->env, value, false);
	else if (q->state == TS_TILES_DONE)
		return TS_ARG_DONE;
	else if (q->state == TS_TILES_WRONG)
		return TS_ARG_NO;
	return TS_ARG_LATER;
}
