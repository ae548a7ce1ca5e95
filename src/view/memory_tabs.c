/* SPDX-License-Identifier: MIT */
/*
 * memory_tabs - the tabs of the Memory view, as tables of functions (view/tab.h).
 *
 * Categories, variables and code are asked for by the view itself, since its graph and its read-out use them, too:
 * their tabs only show them.
 */
#include "config.h"

#include <stdio.h>

#include "memory_internal.h"
#include "memory_set.h"
#include "tilescope/report/archive.h"
#include "tilescope/view/explain.h"
#include "tilescope/view/sheet.h"

static struct memory_view *
memory_of(const struct ts_tab *t)
{
	return t->host;
}

static bool
is_of_profile(const struct ts_tab *t)
{
	return memory_only_code(memory_of(t));
}

/* Cursor and scrolling of a tab that is a table; no other pane follows its rows. */
enum ts_effect
memory_table_command(struct ts_tab *t, const struct ts_call *call)
{
	bool there;
	int effect = (int)ts_list_command(t->ops->list(t, &there), call->cmd);

	return (enum ts_effect)(effect & ~TS_EFFECT_SELECT);
}

bool
memory_take_search(struct memory_view *m, const struct ts_call *call)
{
	const char *text = ts_call_arg(call, 0);

	if (text)
		snprintf(m->search, sizeof(m->search), "%s", text);
	return text != NULL;
}

static enum ts_effect
say_nowhere(const struct ts_tab *t, const struct ts_table *table, const char *needle)
{
	ts_view_say_error(t->view->env,
		!needle[0] ? "nothing was searched for"
			: table->missing > 0
			? "none of the names that are here, which are not all, has \"%.160s\" in it"
			: "nothing here has \"%.160s\" in its name",
		needle);
	return TS_EFFECT_BELL;
}

enum ts_effect
memory_find_row(const struct ts_tab *t, struct ts_list *l, const struct ts_table *table, int step,
	bool from_here, memory_hit_fn *is_hit)
{
	const char *needle = memory_of(t)->search;
	int64_t n = l->count;

	for (int64_t i = from_here ? 0 : 1; n > 0 && needle[0] && i <= n; i++) {
		int64_t at = ((l->cursor + step * i) % n + n) % n;

		if (!is_hit(t, ts_table_row(table, at), needle))
			continue;
		ts_list_jump(l, at);
		return TS_EFFECT_REPAINT;
	}
	return say_nowhere(t, table, needle);
}

void
memory_row_hit(const struct ts_tab *t, struct ts_list *l, const struct ts_table *table,
	const struct ts_row_hit *found)
{
	if (found->at < 0) {
		(void)say_nowhere(t, table, found->needle);
		return;
	}
	(void)ts_list_jump(l, found->at);
	ts_view_say_hit(t->view->env, found->before + 1, found->hits, NULL);
}

enum ts_effect
memory_search_rows(const struct ts_tab *t, struct ts_list *l, const struct ts_table *table,
	const struct ts_call *call, memory_hit_fn *is_hit)
{
	bool first = call->cmd == TS_CMD_SEARCH || call->cmd == TS_CMD_SEARCH_BACK;
	bool next = call->cmd == TS_CMD_SEARCH_NEXT || call->cmd == TS_CMD_SEARCH_PREVIOUS;
	bool down = call->cmd == TS_CMD_SEARCH || call->cmd == TS_CMD_SEARCH_NEXT;

	if ((!first && !next) || (first && !memory_take_search(memory_of(t), call)))
		return TS_EFFECT_UNKNOWN;
	return memory_find_row(t, l, table, down ? 1 : -1, first, is_hit);
}

static enum ts_effect
table_mouse(struct ts_tab *t, const struct ts_table *table, int y, int wheel)
{
	bool there;

	return ts_list_mouse(t->ops->list(t, &there), ts_table_line(table, t->r, y), wheel);
}

/* --- Variables -------------------------------------------------------------------------------- */

/* While tiles are selected these are of memory_set.c. */
static bool
is_of_set(const struct ts_tab *t)
{
	return memory_has_set(memory_of(t));
}

static bool
variables_absent(const struct ts_tab *t)
{
	return memory_of(t)->variables_state.state == TS_PANE_ABSENT;
}

static void
variables_note(const struct ts_tab *t, char out[TS_TAB_NOTE])
{
	if (is_of_set(t))
		memory_set_variables.note(t, out);
	else
		memory_variables_note(memory_of(t), out, TS_TAB_NOTE);
}

static void
variables_resize(struct ts_tab *t)
{
	struct memory_view *m = memory_of(t);
	struct ts_table table = memory_variable_table(m);

	ts_list_resize(&m->variable_list, ts_table_rows(&table, t->r));
	memory_order_variables(m);
	memory_set_variables.resize(t);
}

static void
variables_request(struct ts_tab *t)
{
	if (is_of_set(t))
		memory_set_variables.request(t);
}

static enum ts_effect
variables_command(struct ts_tab *t, const struct ts_call *call)
{
	if (is_of_set(t))
		return memory_set_variables.command(t, call);
	if (call->cmd == TS_CMD_MARK)
		return memory_mark_variable(memory_of(t));
	if (call->cmd == TS_CMD_TICK)
		return memory_tick_variable(memory_of(t));
	return memory_table_command(t, call);
}

static void
variables_draw(struct ts_tab *t, struct ts_canvas *c, bool focus)
{
	if (is_of_set(t))
		memory_set_variables.draw(t, c, focus);
	else
		memory_draw_variables(c, memory_of(t));
}

static enum ts_effect
variables_mouse(struct ts_tab *t, int x, int y, int wheel)
{
	struct ts_table table = memory_variable_table(memory_of(t));

	return is_of_set(t) ? memory_set_variables.mouse(t, x, y, wheel)
			    : table_mouse(t, &table, y, wheel);
}

static bool
variables_about(const struct ts_tab *t, struct ts_debug_about *out)
{
	return is_of_set(t) ? memory_set_variables.about(t, out)
			    : memory_about_variable(memory_of(t), out);
}

static void
variables_object(const struct ts_tab *t, struct ts_at_cursor *out)
{
	const struct memory_view *m = memory_of(t);
	const struct ts_tile_variable *x = is_of_set(t) ? NULL : memory_variable(m);

	if (is_of_set(t))
		memory_set_variables.object(t, out);
	if (!x || m->variables_of != m->variables_wanted)
		return;
	out->tile = m->variables_of;
	out->address = x->offset;
	out->lowered = x->id;
	out->variable = x->variable;
}

static struct ts_list *
variables_list(struct ts_tab *t, bool *there)
{
	struct memory_view *m = memory_of(t);
	const struct ts_tile *tile = memory_tile(m);

	if (is_of_set(t))
		return memory_set_variables.list(t, there);
	*there = tile && ts_pane_has(&m->variables_state) && m->variables_of == tile->tile;
	return &m->variable_list;
}

static void
variables_explain(struct ts_tab *t, struct ts_explain *out)
{
	if (is_of_set(t))
		memory_set_variables.explain(t, out);
	else
		memory_explain_variable(memory_of(t), out);
}

/* Names are looked up for the rows in sight: for a file all have to be there. */
static bool
variables_sheet(struct ts_tab *t, struct ts_sheet *out)
{
	struct memory_view *m = memory_of(t);

	if (is_of_set(t))
		return memory_set_variables.sheet(t, out);
	if (!ts_pane_has(&m->variables_state))
		return false;
	snprintf(out->title, sizeof(out->title), "%svariables of tile %lld",
		m->variables.found > m->variables.count ? "Largest " : "All ",
		(long long)m->variables_of);
	out->table = memory_variable_table(m);
	out->list = &m->variable_list;
	out->rows = m->variables.count;
	if (m->variable_order.row)
		out->wait = memory_is_named(m) ? NULL : "names are still being read";
	else
		out->source = memory_variable_source;
	return true;
}

static bool
variables_open(struct ts_tab *t)
{
	return memory_set_variables.open(t);
}

static void
variables_close(struct ts_tab *t)
{
	memory_set_variables.close(t);
}

static void
variables_drop(struct ts_tab *t)
{
	memory_set_variables.drop(t);
}

static enum ts_effect
variables_deliver(struct ts_tab *t, struct ts_fetch *f)
{
	return memory_set_variables.deliver(t, f);
}

static const struct ts_hint variables_hints[] = {
	{TS_CMD_TICK, "what if"},
	{TS_CMD_MARK, "mark"},
	{TS_CMD_GOTO_LIVENESS, "liveness"},
	{TS_CMD_SORT, "sort"},
	{TS_CMD_FILTER, "filter"},
	{TS_CMD_COUNT, NULL},
};

static const struct ts_tab_ops tab_variables = {
	.open = variables_open,
	.close = variables_close,
	.drop = variables_drop,
	.request = variables_request,
	.deliver = variables_deliver,
	.name = "variables",
	.title = "Variables",
	.brief = "Vars",
	.hidden = is_of_profile,
	.absent = variables_absent,
	.note = variables_note,
	.resize = variables_resize,
	.draw = variables_draw,
	.command = variables_command,
	.mouse = variables_mouse,
	.about = variables_about,
	.object = variables_object,
	.list = variables_list,
	.explain = variables_explain,
	.sheet = variables_sheet,
	.hints = variables_hints,
};

/* --- Code ------------------------------------------------------------------------------------- */

static bool
code_hidden(const struct ts_tab *t)
{
	return !memory_has_code(memory_of(t));
}

static void
code_note(const struct ts_tab *t, char out[TS_TAB_NOTE])
{
	memory_code_note(memory_of(t), out, TS_TAB_NOTE);
}

static void
code_resize(struct ts_tab *t)
{
	struct memory_view *m = memory_of(t);
	struct ts_table table = memory_code_table(m);

	ts_list_resize(&m->code_list, ts_table_rows(&table, t->r));
	memory_order_code(m);
}

static void
code_request(struct ts_tab *t)
{
	memory_ask_code(memory_of(t), memory_tile(memory_of(t))->tile);
}

static void
code_draw(struct ts_tab *t, struct ts_canvas *c, bool focus)
{
	(void)focus;
	memory_draw_code(c, memory_of(t));
}

static enum ts_effect
code_mouse(struct ts_tab *t, int x, int y, int wheel)
{
	struct ts_table table = memory_code_table(memory_of(t));

	(void)x;
	return table_mouse(t, &table, y, wheel);
}

static struct ts_list *
code_list(struct ts_tab *t, bool *there)
{
	struct memory_view *m = memory_of(t);
	const struct ts_tile *tile = memory_tile(m);

	*there = tile && ts_pane_has(&m->code_state) && m->code_of == tile->tile;
	return &m->code_list;
}

static void
code_explain(struct ts_tab *t, struct ts_explain *out)
{
	memory_explain_code(memory_of(t), out);
}

static bool
code_sheet(struct ts_tab *t, struct ts_sheet *out)
{
	struct memory_view *m = memory_of(t);

	if (!m->code || !ts_pane_has(&m->code_state))
		return false;
	snprintf(out->title, sizeof(out->title), "Code of tile %lld", (long long)m->code_of);
	out->table = memory_code_table(m);
	out->list = &m->code_list;
	out->rows = memory_code_rows(m);
	return true;
}

static enum ts_effect
code_command(struct ts_tab *t, const struct ts_call *call)
{
	return call->cmd == TS_CMD_OPEN ? memory_open_code(memory_of(t))
					: memory_table_command(t, call);
}

static const struct ts_tab_ops tab_code = {
	.name = "code",
	.title = "Code",
	.hidden = code_hidden,
	.note = code_note,
	.resize = code_resize,
	.request = code_request,
	.draw = code_draw,
	.command = code_command,
	.mouse = code_mouse,
	.list = code_list,
	.explain = code_explain,
	.sheet = code_sheet,
};

const struct ts_tab_ops *const memory_tabs[TAB_COUNT] = {
	[TAB_DETAILS] = &memory_tab_details,
	[TAB_VARIABLES] = &tab_variables,
	[TAB_SETS] = &memory_tab_sets,
	[TAB_VERTICES] = &memory_tab_vertices,
	[TAB_EXCHANGES] = &memory_tab_exchanges,
	[TAB_ADDRESSES] = &memory_tab_addresses,
	[TAB_DEBUG] = &ts_tab_debug,
	[TAB_CODE] = &tab_code,
};
