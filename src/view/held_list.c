/* SPDX-License-Identifier: MIT */
/* held_list - see the header. */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tilescope/base/mem.h"
#include "tilescope/base/strbuf.h"
#include "tilescope/base/utf8.h"

#include "tilescope/view/held_list.h"

void
ts_held_list_init(struct ts_held_list *l, int sorted)
{
	memset(l, 0, sizeof(*l));
	ts_list_init(&l->list);
	ts_table_order_init(&l->order);
	l->order.sorted = l->first = sorted;
	l->order.descending = sorted >= 0;
	l->of = 1;
}

void
ts_held_list_fini(struct ts_held_list *l)
{
	ts_table_order_fini(&l->order);
}

static bool
text_of(const struct ts_table_value *v, const char **s, size_t *n)
{
	*s = v->s;
	*n = v->n;
	return v->type == TS_VALUE_TEXT && v->s;
}

bool
ts_held_list_hit(const struct ts_held_list *l, int64_t row)
{
	struct ts_table_value v = {0};
	char name[TS_HELD_NEEDLE * 8];
	const char *s;
	size_t n;

	if (!l->needle[0] || !l->table.value || !l->table.value(l->table.ctx, row, 0, &v) ||
		!text_of(&v, &s, &n))
		return false;
	snprintf(name, sizeof(name), "%.*s", (int)(n < sizeof(name) ? n : sizeof(name) - 1), s);
	return ts_contains_nocase(name, l->needle);
}

static enum ts_role
row_role(void *ctx, int64_t row)
{
	const struct ts_held_list *l = ctx;

	return ts_held_list_hit(l, row) ? TS_ROLE_MATCH : TS_ROLE_TEXT;
}

void
ts_held_list_begin(struct ts_held_list *l, const struct ts_tab *t, const struct ts_held_table *what,
	struct ts_rect r, int64_t rows)
{
	const struct ts_view_env *env = t->view->env;

	l->table = (struct ts_table){.column = what->column,
		.columns = what->columns,
		.cell = what->cell,
		.row = row_role,
		.needle = l->needle,
		.ctx = l,
		.header = true,
		.focus = ts_tab_has_keys(t) && (t->tabs->focus || !t->tabs->quiet),
		.sorted = l->order.sorted,
		.descending = l->order.descending,
		.empty = what->empty,
		.id = what->id,
		.facts = what->facts,
		.value = what->value,
		.rank = what->rank,
		.looks = env->looks,
		.order = &l->order,
		.units = env->options->units};
	ts_table_order_make(&l->order, &l->table, &l->list, rows, l->of);
	ts_list_resize(&l->list, ts_table_rows(&l->table, r));
}

void
ts_held_list_draw(struct ts_held_list *l, struct ts_canvas *c, struct ts_rect r)
{
	ts_table_draw(c, r, &l->table, &l->list);
}

struct ts_rect
ts_held_list_below(const struct ts_held_list *l, struct ts_rect r, struct ts_rect lines)
{
	int rows = ts_table_rows(&l->table, r);

	if (l->list.count > 0 && l->list.count < rows)
		lines.y -= rows - (int)l->list.count;
	return lines;
}

int64_t
ts_held_list_row(const struct ts_held_list *l)
{
	return l->list.count > 0 && l->table.column ? ts_table_row(&l->table, l->list.cursor) : -1;
}

/* --- searching -------------------------------------------------------------------------------- */

enum ts_effect
ts_held_list_found(struct ts_held_list *l, struct ts_view_env *env, int64_t hit, int64_t before,
	int64_t hits)
{
	if (hit < 0) {
		ts_view_say_error(env, "no row has this in its name: %s", l->needle);
		return TS_EFFECT_BELL;
	}
	ts_view_say_hit(env, before + 1, hits, NULL);
	return (enum ts_effect)(ts_list_jump(&l->list, hit) | TS_EFFECT_REPAINT | TS_EFFECT_RECALC);
}

static bool
is_hit(void *ctx, int64_t place)
{
	const struct ts_held_list *l = ctx;

	return ts_held_list_hit(l, ts_table_row(&l->table, place));
}

enum ts_effect
ts_held_list_find(struct ts_held_list *l, struct ts_view_env *env, int step, bool here)
{
	struct ts_list_hit hit;

	if (l->list.count <= 0 || !l->needle[0]) {
		ts_view_say(env, l->needle[0] ? "no rows to search" : "nothing to search for");
		return TS_EFFECT_BELL;
	}
	hit = ts_list_find(&l->list, step, here, is_hit, l);
	return ts_held_list_found(l, env, hit.at, hit.number - 1, hit.count);
}

static enum ts_effect
search(struct ts_held_list *l, struct ts_view_env *env, const struct ts_call *call)
{
	const char *text = ts_call_arg(call, 0);

	switch (call->cmd) {
	case TS_CMD_SEARCH_NEXT:
		return ts_held_list_find(l, env, 1, false);
	case TS_CMD_SEARCH_PREVIOUS:
		return ts_held_list_find(l, env, -1, false);
	default:
		if (!text)
			return TS_EFFECT_UNKNOWN; /* the program asks for it first */
		snprintf(l->needle, sizeof(l->needle), "%s", text);
		return ts_held_list_find(l, env, call->cmd == TS_CMD_SEARCH ? 1 : -1, true);
	}
}

/* --- copying ---------------------------------------------------------------------------------- */

static enum ts_effect
copy(struct ts_held_list *l, struct ts_view_env *env)
{
	int64_t row = ts_held_list_row(l);
	struct ts_strbuf text;

	if (row < 0)
		return TS_EFFECT_BELL;
	ts_strbuf_init(&text, sizeof(env->copy) - 1);
	for (int i = 0; i < l->table.columns; i++) {
		struct ts_table_value v = {0};

		if (!*ts_table_column_name(&l->table, i) || !ts_table_column_wanted(&l->table, i))
			continue;
		if (text.len > 0)
			ts_strbuf_putc(&text, '\t');
		if (!l->table.value(l->table.ctx, row, i, &v))
			continue;
		if (v.type == TS_VALUE_INTEGER)
			ts_strbuf_printf(&text, "%lld", (long long)v.integer);
		else if (v.type == TS_VALUE_REAL)
			ts_strbuf_printf(&text, "%.17g", v.real);
		else if (v.type == TS_VALUE_TEXT && v.s)
			ts_utf8_safe(&text, v.s, v.n);
	}
	snprintf(env->copy, sizeof(env->copy), "%s", text.s);
	ts_strbuf_fini(&text);
	return TS_EFFECT_NONE;
}

enum ts_effect
ts_held_list_command(struct ts_held_list *l, const struct ts_tab *t, const struct ts_call *call)
{
	struct ts_view_env *env = t->view->env;
	enum ts_effect effect;
	char say[200] = "";

	if (!l->table.column)
		return TS_EFFECT_UNKNOWN;
	switch (call->cmd) {
	case TS_CMD_SEARCH:
	case TS_CMD_SEARCH_BACK:
	case TS_CMD_SEARCH_NEXT:
	case TS_CMD_SEARCH_PREVIOUS:
		return search(l, env, call);
	case TS_CMD_COPY:
		return copy(l, env);
	default:
		break;
	}
	effect = ts_table_order_command(&l->table, call, say, sizeof(say));
	if (effect & TS_EFFECT_UNKNOWN)
		return ts_list_command(&l->list, call->cmd);
	if (say[0] && effect & TS_EFFECT_BELL)
		ts_view_say_error(env, "%s", say);
	else if (say[0])
		ts_view_say(env, "%s", say);
	return effect;
}

enum ts_effect
ts_held_list_mouse(struct ts_held_list *l, struct ts_rect r, int y, int wheel)
{
	return ts_list_mouse(&l->list, ts_table_line(&l->table, r, y), wheel);
}
