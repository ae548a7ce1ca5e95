/* SPDX-License-Identifier: MIT */
/* variables - the Variables view: commands, the view's table. See the header and variables_internal.h. */
#include "config.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "variables_internal.h"

#include "tilescope/base/mem.h"
#include "tilescope/report/index_variables.h"
#include "tilescope/ui/prompt.h"

/* --- life ------------------------------------------------------------------------------------- */

static struct ts_view *
view_open(struct ts_view_env *env)
{
	struct variables_view *t = ts_alloc(1, sizeof(*t));

	if (!t)
		return NULL;
	t->view.ops = &ts_view_variables;
	t->view.env = env;
	t->keep = t->kept_row = -1;
	t->bytes = TS_UNKNOWN;
	ts_list_init(&t->rows);
	ts_list_set_count(&t->rows, 0);
	ts_debug_init(&t->debug);
	return &t->view;
}

static void
view_close(struct ts_view *v)
{
	struct variables_view *t = (struct variables_view *)v;

	variables_drop(t);
	ts_debug_drop(&t->debug);
	free(v);
}

static void
view_reload(struct ts_view *v)
{
	struct variables_view *t = (struct variables_view *)v;

	if (t->list)
		t->kept_row = t->rows.cursor;
	variables_drop(t);
	ts_debug_drop(&t->debug);
}

/* The sums are known now; rows and orders come from the report as before. */
static void
view_indexed(struct ts_view *v)
{
	struct variables_view *t = (struct variables_view *)v;
	struct ts_index_variables x;

	if (t->bytes == TS_UNKNOWN && ts_index_variables(&x, v->env->index)) {
		t->bytes = x.bytes;
		t->unsized = x.bad_sizes;
	}
}

static void
view_resize(struct ts_view *v, struct ts_rect area)
{
	struct variables_view *t = (struct variables_view *)v;

	t->area = area;
	variables_layout(t);
}

/* --- commands --------------------------------------------------------------------------------- */

static enum ts_effect
go_to(struct variables_view *t, const char *word)
{
	char *end, count[TS_FMT_MAX];
	long long row;

	errno = 0;
	row = word ? strtoll(word, &end, 10) : 0;
	if (!word || errno || end == word || *end || row < 1 || row > t->rows.count) {
		ts_view_say_error(t->view.env, "rows go from 1 to %s",
			ts_fmt_count(count, t->rows.count));
		return TS_EFFECT_BELL;
	}
	return ts_list_jump(&t->rows, row - 1) | TS_EFFECT_REPAINT | TS_EFFECT_RECALC;
}

/* The next order that can be had. */
static enum ts_variable_sort
sort_after(const struct variables_view *t)
{
	enum ts_variable_sort sort = t->wish.sort;

	do
		sort = (enum ts_variable_sort)((sort + 1) % (TS_SORT_CATEGORY + 1));
	while (!ts_variable_sort_can(t->v, sort));
	return sort;
}

static enum ts_effect
sort_by(struct variables_view *t, const char *name)
{
	int sort = name ? ts_variable_sort_find(name) : (int)sort_after(t);

	if (sort < 0) {
		ts_view_say_error(t->view.env,
			"there is no order \"%s\": row, bytes, name, tile, category, steps, from, to, tiles, ...",
			name);
		return TS_EFFECT_BELL;
	}
	if (!ts_variable_sort_can(t->v, (enum ts_variable_sort)sort)) {
		ts_view_say_error(t->view.env, "the %s of variables is not recorded here", name);
		return TS_EFFECT_BELL;
	}
	variables_wish(t, (enum ts_variable_sort)sort, false, &t->wish.filter, sort != TS_SORT_ROW);
	return TS_EFFECT_REPAINT | TS_EFFECT_RECALC;
}

static enum ts_effect
reverse(struct variables_view *t)
{
	variables_wish(t, t->wish.sort, !t->wish.reverse, &t->wish.filter, true);
	return TS_EFFECT_REPAINT | TS_EFFECT_RECALC;
}

static bool
understand(struct variables_view *t, struct ts_filter *f, const char *line)
{
	char doubt[160];
	struct ts_err err = {0};
	enum ts_code code = ts_filter_parse(f, line, ts_variable_fields, NULL, &err);

	if (!code)
		code = ts_variable_filter_check(f, t->v, &err);
	if (code)
		ts_view_say_error(t->view.env, "%s", err.msg);
	else if (ts_variable_filter_doubt(doubt, sizeof(doubt), f, t->v))
		ts_view_say(t->view.env, "%s", doubt);
	return !code;
}

static enum ts_effect
filter(struct variables_view *t, const char *line)
{
	struct ts_filter f;

	if (!understand(t, &f, line ? line : ""))
		return TS_EFFECT_BELL;
	if (f.count == 0)
		f.line[0] = '\0';
	variables_wish(t, t->wish.sort, t->wish.reverse, &f, f.count > 0);
	return TS_EFFECT_REPAINT | TS_EFFECT_RECALC;
}

static enum ts_effect
search(struct variables_view *t, const char *line, int by)
{
	struct ts_filter f;

	if (!understand(t, &f, line ? line : ""))
		return TS_EFFECT_BELL;
	variables_search(t, &f, by);
	return TS_EFFECT_REPAINT | TS_EFFECT_RECALC;
}

static enum ts_effect
search_again(struct variables_view *t, int by)
{
	if (t->needle.count == 0) {
		ts_view_say(t->view.env, "nothing was searched for yet");
		return TS_EFFECT_BELL;
	}
	variables_say_hits(t);
	variables_next(t, by * t->direction);
	return TS_EFFECT_REPAINT;
}

static enum ts_effect
open_tile(struct variables_view *t)
{
	const struct ts_variable *x = variables_row(t, t->rows.cursor);

	if (!x || x->tile == TS_UNKNOWN) {
		ts_view_say(t->view.env, "the tile of this variable is not known");
		return TS_EFFECT_BELL;
	}
	t->view.env->go = TS_CMD_GOTO_MEMORY;
	return TS_EFFECT_REPAINT;
}

static enum ts_effect
copy(struct variables_view *t)
{
	const struct ts_variable *x = variables_row(t, t->rows.cursor);
	const char *text = t->window.text.s;

	if (!x || x->state != TS_VARIABLE_OK)
		return TS_EFFECT_BELL;
	snprintf(t->view.env->copy, sizeof(t->view.env->copy), "%.*s\t%lld\t%lld\t%.*s",
		(int)ts_min_i64(x->name_n, 800), text + x->name, (long long)x->tile,
		(long long)x->bytes, (int)ts_min_i64(x->category_name_n, 100),
		text + x->category_name);
	return TS_EFFECT_NONE;
}

/* Commands of the Debug tab; UNKNOWN: go on. */
static enum ts_effect
debug_command(struct variables_view *t, const struct ts_call *call)
{
	switch (call->cmd) {
	case TS_CMD_DEBUG:
		t->debug.shown = !t->debug.shown;
		t->debug_focus = false;
		t->zoomed = false;
		break;
	case TS_CMD_EDIT:
		return ts_debug_edit(&t->debug, &t->view);
	case TS_CMD_PANE_NEXT:
	case TS_CMD_PANE_PREVIOUS:
		t->debug_focus = t->debug.shown && !t->debug_focus;
		break;
	default:
		return t->debug_focus ? ts_debug_command(&t->debug, &t->view, call)
				      : TS_EFFECT_UNKNOWN;
	}
	variables_layout(t);
	return TS_EFFECT_REPAINT | TS_EFFECT_RECALC;
}

static enum ts_effect
view_command(struct ts_view *v, const struct ts_call *call)
{
	struct variables_view *t = (struct variables_view *)v;
	enum ts_effect effect;

	if (!t->v)
		return TS_EFFECT_UNKNOWN;
	effect = debug_command(t, call);
	if (!(effect & TS_EFFECT_UNKNOWN))
		return effect;
	switch (call->cmd) {
	case TS_CMD_PANE_ZOOM:
		t->zoomed = !t->zoomed;
		variables_layout(t);
		return TS_EFFECT_REPAINT | TS_EFFECT_RECALC;
	case TS_CMD_GOTO:
		return go_to(t, ts_call_arg(call, 0));
	case TS_CMD_OPEN:
		return open_tile(t);
	case TS_CMD_SORT:
		return sort_by(t, ts_call_arg(call, 0));
	case TS_CMD_SORT_REVERSE:
		return reverse(t);
	case TS_CMD_FILTER:
		return filter(t, ts_call_arg(call, 0));
	case TS_CMD_SEARCH:
	case TS_CMD_SEARCH_BACK:
		return search(t, ts_call_arg(call, 0), call->cmd == TS_CMD_SEARCH ? 1 : -1);
	case TS_CMD_SEARCH_NEXT:
	case TS_CMD_SEARCH_PREVIOUS:
		return search_again(t, call->cmd == TS_CMD_SEARCH_NEXT ? 1 : -1);
	case TS_CMD_COPY:
		return copy(t);
	default:
		return ts_list_command(&t->rows, call->cmd);
	}
}

/* `category:` and a name that is recorded, in quotes where it has blanks. */
static void
complete_category(const struct ts_names *names, const char *word, struct ts_candidates *out)
{
	for (size_t i = 0; i < names->count; i++) {
		const char *s = names->text + names->name[i].at;
		int n = (int)ts_min_i64(names->name[i].length, TS_PROMPT_CANDIDATE);
		const char *quote = memchr(s, ' ', (size_t)n) ? "\"" : "";
		char text[2 * TS_PROMPT_CANDIDATE];

		snprintf(text, sizeof(text), "category:%s%.*s%s", quote, n, s, quote);
		if (strncasecmp(text, word, strlen(word)) == 0)
			ts_candidates_add(out, text);
	}
}

static void
view_complete(struct ts_view *v, enum ts_cmd cmd, const char *line, struct ts_candidates *out)
{
	static const char *const fields[] = {"bytes>", "category:", "ipu:", "name:", "tile:"};
	struct variables_view *t = (struct variables_view *)v;
	const char *word = strrchr(line, ' ');

	(void)cmd;
	word = word ? word + 1 : line;
	out->start = (size_t)(word - line);
	for (size_t i = 0; i < TS_COUNT(fields); i++)
		if (strncmp(fields[i], word, strlen(word)) == 0 && strcmp(fields[i], word) != 0)
			ts_candidates_add(out, fields[i]);
	if (t->v && strncmp(word, "category:", 9) == 0)
		complete_category(&t->v->categories, word, out);
}

static enum ts_effect
view_mouse(struct ts_view *v, int x, int y, int wheel)
{
	struct variables_view *t = (struct variables_view *)v;
	struct ts_table table;

	if (t->v && t->debug.shown && ts_rect_has(t->at.details, x, y)) {
		t->debug_focus = true;
		return ts_debug_mouse(&t->debug, y - t->at.details.y, wheel);
	}
	if (!t->v || !ts_rect_has(t->at.table, x, y))
		return TS_EFFECT_NONE;
	t->debug_focus = false;
	variables_table(&table, t);
	return ts_list_mouse(&t->rows, ts_table_line(&table, t->at.table, y), wheel);
}

const struct ts_view_ops ts_view_variables = {
	.name = "variables",
	.title = "Variables",
	.number = 8,
	.context = TS_CONTEXT_VARIABLES,
	.open = view_open,
	.close = view_close,
	.reload = view_reload,
	.indexed = view_indexed,
	.resize = view_resize,
	.draw = variables_draw,
	.request = variables_request,
	.deliver = variables_deliver,
	.command = view_command,
	.complete = view_complete,
	.mouse = view_mouse,
	.args = variables_args,
};
