/* SPDX-License-Identifier: MIT */
/* variables - the Variables view: commands, the view's table. See the header and variables_internal.h. */
#include "config.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "variables_internal.h"

#include "tilescope/base/element_type.h"
#include "tilescope/base/mem.h"
#include "tilescope/report/index_variables.h"
#include "tilescope/ui/prompt.h"
#include "tilescope/view/what_if.h"

/* --- life ------------------------------------------------------------------------------------- */

static struct ts_view *
view_open(struct ts_view_env *env)
{
	struct variables_view *t = ts_alloc(1, sizeof(*t));

	if (!t)
		return NULL;
	t->view.ops = &ts_view_variables;
	t->view.env = env;
	t->keep = t->kept_row = t->shared = -1;
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
	ts_variable_facts_release(t->known);
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
	ts_variable_facts_release(t->known);
	t->known = NULL;
	ts_debug_drop(&t->debug);
	if (v->env->reload != TS_RELOAD_SAME)
		ts_marked_clear(&v->env->selection->marked);
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

/* By its own name, or by that of the field. */
static int
sort_of(const char *name)
{
	int sort = ts_variable_sort_find(name);

	return sort >= 0
		? sort
		: ts_variable_sort_of(ts_filter_field_of(ts_variable_fields, name, strlen(name)));
}

static enum ts_effect
sort_by(struct variables_view *t, const char *name)
{
	int sort = name ? sort_of(name) : (int)variables_sort_after(t, t->wish.sort);

	if (sort < 0) {
		struct ts_strbuf all;

		ts_strbuf_init(&all, 160);
		ts_variable_sorts(&all, t->v);
		ts_view_say_error(t->view.env, "there is no order \"%s\": %s", name, all.s);
		ts_strbuf_fini(&all);
		return TS_EFFECT_BELL;
	}
	if (!ts_variable_sort_can(t->v, (enum ts_variable_sort)sort)) {
		ts_view_say_error(t->view.env, "the %s of variables is not recorded here", name);
		return TS_EFFECT_BELL;
	}
	t->chosen = true;
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
	if (!code && t->view.env->selection->tiles.count == 0 && variables_asks_selected(f))
		code = ts_err_set(&err, TS_E_USAGE,
			"no tiles are selected: :tiles EXPRESSION, or m and v in Memory");
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

enum { MORE = 4 /* hits ahead of an answer: a key that was held goes no further */ };

static enum ts_effect
search_again(struct variables_view *t, const struct ts_call *call)
{
	int by = ts_search_step(call, t->direction);

	if (t->needle.count == 0) {
		ts_view_say(t->view.env, "nothing was searched for yet");
		return TS_EFFECT_BELL;
	}
	variables_say_hits(t, -1);
	if (t->seek || t->fetch[ASK_SEEK] || t->fetch[ASK_NEXT])
		t->more = (int)ts_clamp_i64(t->more + by, -MORE, MORE);
	else
		variables_next(t, by);
	return TS_EFFECT_REPAINT;
}

/* Of a piece its tile, of a variable the one that has most of it; and the step at which its life begins. */
static void
object(struct ts_view *v, struct ts_at_cursor *out)
{
	struct variables_view *t = (struct variables_view *)v;
	const struct ts_variable *x = t->v ? variables_row(t, t->rows.cursor) : NULL;

	if (!x || x->state != TS_VARIABLE_OK)
		return;
	out->variable = x->variable;
	if (t->v->lowered) {
		out->lowered = x->id;
		out->tile = x->tile;
		out->ipu = x->ipu;
		out->address = x->offset;
	} else {
		out->tile = x->fullest_tile;
		if (out->tile == TS_UNKNOWN && t->has_pieces && t->pieces.variable == x->variable)
			out->tile = t->pieces.fullest_tile;
	}
	if (x->steps != TS_UNKNOWN) {
		out->live_step = x->from;
		out->live_step_is = "where the life of the variable begins";
	}
}

static enum ts_effect
level(struct variables_view *t, const char *name)
{
	bool unlowered = name ? strcmp(name, "unlowered") == 0 : !t->unlowered;

	if (unlowered == t->unlowered)
		return TS_EFFECT_NONE;
	if (t->view.env->report &&
		!ts_report_has(t->view.env->report,
			unlowered ? TS_VARIABLE : TS_LOWERED_VARIABLE)) {
		ts_view_say_error(t->view.env, "%s are not recorded in this report",
			unlowered ? "variables before lowering" : "lowered variables");
		return TS_EFFECT_BELL;
	}
	variables_level(t);
	variables_layout(t);
	return TS_EFFECT_REPAINT | TS_EFFECT_RECALC;
}

/* The pieces of a variable: the lowered ones, filtered. */
static enum ts_effect
open_row(struct variables_view *t)
{
	const struct ts_variable *x = variables_row(t, t->rows.cursor);
	char line[40];
	struct ts_filter f;

	if (t->v->lowered) {
		t->view.env->go = TS_CMD_GOTO_MEMORY;
		return TS_EFFECT_REPAINT;
	}
	if (!x || x->variable == TS_UNKNOWN || !t->v->has_spread) {
		ts_view_say(t->view.env, "the pieces of this variable are not known");
		return TS_EFFECT_BELL;
	}
	snprintf(line, sizeof(line), "variable:%lld", (long long)x->variable);
	if (ts_filter_parse(&f, line, ts_variable_fields, NULL, NULL))
		return TS_EFFECT_BELL;
	variables_level(t);
	t->wish = (struct variables_wish){.sort = TS_SORT_ROW, .filter = f};
	t->kept_row = -1;
	variables_layout(t);
	return TS_EFFECT_REPAINT | TS_EFFECT_RECALC;
}

static enum ts_effect
mark(struct variables_view *t)
{
	struct ts_marked_variable x;

	if (!variables_mark_of(t, variables_row(t, t->rows.cursor), &x))
		return TS_EFFECT_BELL;
	return ts_view_mark(&t->view, &x);
}

static enum ts_effect
tick(struct variables_view *t)
{
	struct ts_what_if_change x = {0};
	struct ts_marked_variable m;

	if (!variables_mark_of(t, variables_row(t, t->rows.cursor), &m))
		return TS_EFFECT_BELL;
	x.of = m.lowered ? TS_WHAT_IF_LOWERED : TS_WHAT_IF_VARIABLE;
	x.id = m.lowered ? m.id : m.variable;
	ts_what_if_name(&x, m.name, strlen(m.name));
	if (x.id == TS_UNKNOWN) {
		ts_view_say(t->view.env,
			"this variable has no number in this report: :whatif "
			"remove PATTERN goes by name");
		return TS_EFFECT_BELL;
	}
	return ts_what_if_tick(&t->view, &x);
}

static enum ts_effect
no_marks(struct variables_view *t)
{
	if (t->view.env->selection->marked.count == 0)
		return TS_EFFECT_UNKNOWN;
	ts_marked_clear(&t->view.env->selection->marked);
	ts_view_say(t->view.env, "no variable is marked any more");
	return TS_EFFECT_REPAINT | TS_EFFECT_RECALC;
}

static bool
is_filtered(struct ts_view *v)
{
	return ((struct variables_view *)v)->wish.filter.count > 0;
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

	if (call->cmd == TS_CMD_LEVEL)
		return level(t, ts_call_arg(call, 0));
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
		return open_row(t);
	case TS_CMD_TICK:
		return tick(t);
	case TS_CMD_MARK:
		return mark(t);
	case TS_CMD_MARKS_CLEAR:
		return no_marks(t);
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
		return search_again(t, call);
	case TS_CMD_COPY:
		return copy(t);
	default:
		return ts_list_command(&t->rows, call->cmd);
	}
}

/* `category=` and a name that is recorded, in quotes where it has blanks. */
static void
complete_category(const struct ts_names *names, const char *word, size_t sign,
	struct ts_candidates *out)
{
	for (size_t i = 0; i < names->count; i++) {
		const char *s = names->text + names->name[i].at;
		int n = (int)ts_min_i64(names->name[i].length, TS_PROMPT_CANDIDATE);
		const char *quote = memchr(s, ' ', (size_t)n) ? "\"" : "";
		char text[2 * TS_PROMPT_CANDIDATE];

		snprintf(text, sizeof(text), "%.*s%s%.*s%s", (int)sign, word, quote, n, s, quote);
		if (strncasecmp(text, word, strlen(word)) == 0)
			ts_candidates_add(out, text);
	}
}

/* The sign that is most likely behind a field. */
static const char *
sign_of(enum ts_filter_type type)
{
	switch (type) {
	case TS_FILTER_YES:
		return "";
	case TS_FILTER_BYTES:
	case TS_FILTER_NUMBER:
		return ">";
	case TS_FILTER_PERCENT:
		return "<";
	default:
		return ":";
	}
}

static void
complete_field(const struct variables_view *t, const char *word, struct ts_candidates *out)
{
	for (int i = 0; i < TS_VARIABLE_FIELD_COUNT; i++) {
		const struct ts_filter_field *f = &ts_variable_fields[i];
		char text[TS_PROMPT_CANDIDATE];

		snprintf(text, sizeof(text), "%s%s", f->name, sign_of(f->type));
		if (strncmp(text, word, strlen(word)) == 0 && strcmp(text, word) != 0 &&
			(!t->v || ts_variable_field_can(t->v, (enum ts_variable_field)i)))
			ts_candidates_add(out, text);
	}
}

/* A field, the sign behind it in `word`, and one of the words that `name` gives; or these words alone (""). */
static void
complete_words(const char *field, const char *word, const char *(*name)(size_t i),
	struct ts_candidates *out)
{
	size_t n = strlen(field);
	char text[TS_PROMPT_CANDIDATE];

	for (size_t i = 0; name(i); i++) {
		snprintf(text, sizeof(text), "%s%.*s%s", field, n > 0, word + n, name(i));
		if (strncasecmp(text, word, strlen(word)) == 0)
			ts_candidates_add(out, text);
	}
}

static const char *
yes_or_no(size_t i)
{
	static const char *const words[] = {"yes", "no", NULL};

	return words[i];
}

/* Does the word that begins here stand behind `in`, or behind its bracket? */
static bool
is_behind_in(const char *line, const char *word)
{
	while (word > line && strchr(" (", word[-1]))
		word--;
	return word - line > 2 && strncmp(word - 3, " in", 3) == 0;
}

static void
view_complete(struct ts_view *v, enum ts_cmd cmd, const char *line, struct ts_candidates *out)
{
	struct variables_view *t = (struct variables_view *)v;
	const char *word = line + strlen(line);
	size_t sign;

	(void)cmd;
	while (word > line && !strchr(" (!", word[-1]))
		word--;
	out->start = (size_t)(word - line);
	complete_field(t, word, out);
	sign = strcspn(word, ":=");
	if (t->v && word[sign] && strncmp(word, "category", 8) == 0)
		complete_category(&t->v->categories, word, sign + 1, out);
	if (word[sign] && sign == strlen("type"))
		complete_words("type", word, ts_type_name, out);
	if (word[sign] && sign == strlen("always_live"))
		complete_words("always_live", word, yes_or_no, out);
	if (is_behind_in(line, word))
		complete_words("", word, ts_tile_set_word, out);
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

static const struct ts_hint hints[] = {
	{TS_CMD_SORT, "sort"},
	{TS_CMD_FILTER, "filter"},
	{TS_CMD_LEVEL, "level"},
	{TS_CMD_MARK, "mark"},
	{TS_CMD_TICK, "what if"},
	{TS_CMD_SEARCH, "search"},
	{TS_CMD_GOTO_LIVENESS, "liveness"},
	{TS_CMD_EXPLAIN, "explain"},
	{TS_CMD_OPEN, "open"},
	{TS_CMD_COUNT, NULL},
};

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
	.filtered = is_filtered,
	.waits = variables_waits,
	.complete = view_complete,
	.mouse = view_mouse,
	.explain = variables_explain,
	.object = object,
	.sheet = variables_sheet,
	.hints = hints,
	.args = variables_args,
};
