/* SPDX-License-Identifier: MIT */
/*
 * memory_details - the tab Details of the Memory view: what the memory of the tile under the cursor (or of the selected
 * tiles) is made of, as a folded tree (report/tile_details.h).
 *
 * Categories are known at once from what the graph is drawn from; what they are divided into, and the other ways of
 * dividing, come with the answer. What is unfolded stays so from tile to tile, by its name. An order is of what stands in
 * one node; a filter shows the nodes that pass and those that they are in.
 */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "memory_details.h"
#include "tilescope/base/mem.h"

static struct memory_view *
memory_of(const struct ts_tab *t)
{
	return t->host;
}

static struct details_tab *
details_of(const struct ts_tab *t)
{
	return t->own;
}

/* --- what is shown ---------------------------------------------------------------------------- */

static bool *
open_of(struct details_tab *s, const struct ts_detail_node *n)
{
	unsigned h = 2166136261u;

	for (const char *c = n->name; *c; c++)
		h = (h ^ (unsigned char)*c) * 16777619u;
	return &s->open[n->kind][n->region][h % DETAIL_NAMES];
}

bool
memory_details_open(const struct details_tab *s, const struct ts_detail_node *n)
{
	size_t at = (size_t)(n - s->node);
	bool some = false;

	if (!s->kept)
		return *open_of((struct details_tab *)(uintptr_t)s, n);
	for (size_t i = at + 1; i <= at + n->inside; i++)
		some |= s->kept[i];
	return some;
}

/* Of the tile's categories as the graph knows them: all on one level. */
static bool
take_rows(struct details_tab *s, const struct memory_view *m)
{
	s->node = ts_alloc((size_t)m->rows + 1, sizeof(*s->node));
	if (!s->node)
		return false;
	for (int i = 0; i < m->rows; i++)
		s->node[s->nodes++] = (struct ts_detail_node){.kind = m->row[i].category < 0
				? TS_DETAIL_GAPS
				: TS_DETAIL_CATEGORY,
			.region = TS_DETAIL_REGIONS,
			.category = -1,
			.name = m->row[i].category < 0
				? "gaps between variables"
				: memory_category_name(m, m->row[i].category),
			.bytes = m->row[i].bytes};
	s->used = m->rows_bytes;
	return true;
}

static bool
take_answer(struct details_tab *s, const struct memory_view *m)
{
	s->node = ts_alloc(s->d.nodes + 1, sizeof(*s->node));
	if (!s->node)
		return false;
	s->used = s->d.used;
	for (size_t i = 0; i < s->d.nodes; i++) {
		if (!m->gaps && s->d.node[i].kind == TS_DETAIL_GAPS)
			s->used -= s->d.node[i].bytes;
		else
			s->node[s->nodes++] = s->d.node[i];
	}
	return true;
}

/* --- lines ------------------------------------------------------------------------------------ */

/* All nodes in the order, or those that pass the filter; *row is the caller's. */
static enum ts_code
arrange(const struct ts_tab *t, const struct ts_table_wish *wish, struct ts_table_arranged *out,
	struct ts_err *err)
{
	struct ts_table table = memory_details_all(t);
	struct ts_table_order order;
	enum ts_code code;

	ts_table_order_init(&order);
	ts_table_wish_set(&order, wish);
	table.order = &order;
	code = ts_table_arrange(out, &table, (int64_t)details_of(t)->nodes, NULL, NULL, err);
	ts_table_order_fini(&order);
	return code;
}

/* rank[node]: its place among all of them; as they come where there is no order. */
static enum ts_code
rank_nodes(const struct ts_tab *t, uint32_t *rank, struct ts_err *err)
{
	const struct details_tab *s = details_of(t);
	struct ts_table_wish wish = ts_table_wish(&s->order);
	struct ts_table_arranged a;
	enum ts_code code;

	for (size_t i = 0; i < s->nodes; i++)
		rank[i] = (uint32_t)i;
	wish.filter[0] = '\0';
	if (wish.sorted < 0 && !wish.descending)
		return TS_OK;
	code = arrange(t, &wish, &a, err);
	if (code)
		return code;
	for (int64_t i = 0; i < a.count; i++)
		rank[a.row[i]] = (uint32_t)i;
	free(a.row);
	return TS_OK;
}

/* Which nodes pass, and what they are in. */
static enum ts_code
keep_nodes(const struct ts_tab *t, struct ts_err *err)
{
	struct details_tab *s = details_of(t);
	struct ts_table_wish wish = ts_table_wish(&s->order);
	struct ts_table_arranged a;
	enum ts_code code;

	free(s->kept);
	s->kept = NULL;
	if (!wish.filter[0])
		return TS_OK;
	code = arrange(t, &wish, &a, err);
	if (code)
		return code;
	s->kept = ts_alloc(s->nodes + 1, sizeof(*s->kept));
	for (int64_t i = 0; s->kept && i < a.count; i++)
		s->kept[a.row[i]] = true;
	for (size_t i = 0; s->kept && i < s->nodes; i++)
		s->kept[i] |= memory_details_open(s, &s->node[i]);
	free(a.row);
	return s->kept ? TS_OK : ts_err_nomem(err);
}

static int
by_rank(const void *a, const void *b, void *rank)
{
	const uint32_t *r = rank;
	uint32_t p = r[*(const uint32_t *)a], q = r[*(const uint32_t *)b];

	return (p > q) - (p < q);
}

/* Lines of the nodes [from, end), which stand in one: its own in their order, each with what is unfolded of it. */
static void
put_lines(struct details_tab *s, uint32_t *rank, uint32_t *siblings, size_t from, size_t end)
{
	size_t n = 0;

	for (size_t i = from; i < end; i += s->node[i].inside + 1)
		if (!s->kept || s->kept[i])
			siblings[n++] = (uint32_t)i;
	qsort_r(siblings, n, sizeof(*siblings), by_rank, rank);
	for (size_t i = 0; i < n; i++) {
		size_t at = siblings[i];

		s->line[s->lines++] = (uint32_t)at;
		if (s->node[at].inside > 0 && memory_details_open(s, &s->node[at]))
			put_lines(s, rank, siblings + n, at + 1, at + 1 + s->node[at].inside);
	}
}

/* Which lines there are, and in what order. */
static enum ts_code
arrange_nodes(const struct ts_tab *t, uint32_t *rank, struct ts_err *err)
{
	enum ts_code code = rank ? keep_nodes(t, err) : ts_err_nomem(err);

	return code ? code : rank_nodes(t, rank, err);
}

static void
make_lines(struct ts_tab *t)
{
	struct details_tab *s = details_of(t);
	/* siblings of all levels that are gone through at once are nodes of their own */
	uint32_t *rank = ts_alloc(2 * s->nodes + 1, sizeof(*rank));
	struct ts_table table = memory_details_table(t);
	struct ts_err err = {0};

	s->lines = 0;
	if (arrange_nodes(t, rank, &err)) { /* nothing says what is not so: all, as they come */
		static const struct ts_table_wish plain = TS_TABLE_WISH_PLAIN;

		ts_view_say_error(t->view->env, "%s", err.msg);
		ts_table_wish_set(&s->order, &plain);
		(void)!arrange_nodes(t, rank, &err);
	}
	s->is = ts_table_wish(&s->order);
	if (rank)
		put_lines(s, rank, rank + s->nodes, 0, s->nodes);
	free(rank);
	s->order.made = false;
	ts_table_order_make(&s->order, &table, &memory_of(t)->category_list, (int64_t)s->lines,
		s->order.of + 1);
}

/* --- what is shown, and of what --------------------------------------------------------------- */

bool
memory_details_current(const struct details_tab *s, const struct memory_scope *scope)
{
	return s->ask.here && memory_same_scope(&s->ask.of, scope);
}

void
memory_details_update(struct ts_tab *t)
{
	struct memory_view *m = memory_of(t);
	struct details_tab *s = details_of(t);
	struct memory_scope scope = memory_scope(m);
	bool answer = memory_details_current(s, &scope);
	bool rows = !answer && scope.count == 0 && m->rows_counted && m->rows_of == scope.tile;
	uint64_t data = answer ? 2 * s->data + 1 : rows ? 2 * m->rows_data : 0;

	if ((!answer && !rows) ||
		(s->node && s->rows_data == data && s->gaps == m->gaps &&
			memory_same_scope(&s->shown, &scope))) {
		if (s->node && !ts_table_wish_is(&s->is, &s->order))
			make_lines(t);
		return;
	}
	free(s->node);
	free(s->line);
	s->node = NULL;
	s->nodes = s->lines = 0;
	if (!(answer ? take_answer(s, m) : take_rows(s, m)) ||
		!(s->line = ts_alloc(s->nodes + 1, sizeof(*s->line)))) {
		ts_list_set_count(&m->category_list, 0);
		return;
	}
	if (!memory_same_scope(&s->shown, &scope))
		ts_list_go(&m->category_list, 0);
	s->rows_data = data;
	s->gaps = m->gaps;
	s->shown = scope;
	make_lines(t);
}

const struct ts_detail_node *
memory_details_node(const struct details_tab *s, int64_t line)
{
	return line >= 0 && line < (int64_t)s->lines ? &s->node[s->line[line]] : NULL;
}

/* --- asking ----------------------------------------------------------------------------------- */

struct details_fetch {
	struct memory_scope_fetch of; /* first */
	struct ts_tile_details d;
};

static enum ts_code
read_details(struct ts_fetch *f, struct ts_reader *rd, struct ts_err *err)
{
	struct details_fetch *a = (struct details_fetch *)f;

	return ts_tile_details_read(&a->d, rd, a->of.tile, a->of.n, &f->job.progress, err);
}

static void
fini_details(struct ts_fetch *f)
{
	struct details_fetch *a = (struct details_fetch *)f;

	free(a->of.tile);
	ts_tile_details_fini(&a->d);
}

static void
details_request(struct ts_tab *t)
{
	struct memory_view *m = memory_of(t);
	struct details_tab *s = details_of(t);
	struct memory_scope scope = memory_scope(m);
	const struct ts_view_env *env = t->view->env;
	struct details_fetch *f;

	memory_details_update(t);
	if (!memory_asked_needs(&s->ask, &scope))
		return;
	f = memory_scope_fetch_new(m, &scope, sizeof(*f));
	if (!f) {
		memory_asked_sent(&s->ask, NULL);
		return;
	}
	if (!ts_tile_details_quick(env->report, env->index, f->of.tile, f->of.n) &&
		ts_view_waits(env, TS_SECTION_CATEGORIES, TS_LOWERED_VARIABLE)) {
		s->ask.asked = false; /* the index is going to have it */
		free(f->of.tile);
		free(f);
		return;
	}
	f->of.fetch.read = read_details;
	f->of.fetch.fini = fini_details;
	memory_asked_sent(&s->ask, &f->of.fetch);
	/* of several tiles rows of all are passed over: their variables need not wait for that */
	ts_fetch_send(t->view, &f->of.fetch, t->kind,
		f->of.n == 1 && ts_tile_details_quick(env->report, env->index, f->of.tile, f->of.n)
			? TS_WORKER_SCREEN
			: TS_WORKER_BULK,
		"reading what a tile's memory is made of");
}

static enum ts_effect
details_deliver(struct ts_tab *t, struct ts_fetch *f)
{
	struct details_tab *s = details_of(t);
	struct details_fetch *a = (struct details_fetch *)f;

	if (f != s->ask.sent)
		return TS_EFFECT_NONE;
	if (!memory_asked_take(&s->ask, t->view, f, &a->of.scope, TS_ABSENT_TILES, a->d.nodes > 0))
		return TS_EFFECT_REPAINT;
	ts_tile_details_fini(&s->d);
	s->d = a->d;
	a->d = (struct ts_tile_details){0};
	s->data++;
	memory_details_update(t);
	return TS_EFFECT_REPAINT;
}

/* --- life ------------------------------------------------------------------------------------- */

static bool
details_open(struct ts_tab *t)
{
	struct details_tab *s = ts_alloc(1, sizeof(*s));

	t->own = s;
	if (!s)
		return false;
	ts_table_order_init(&s->order);
	s->order.elsewhere = true; /* of a tree: make_lines() */
	return true;
}

static void
details_drop(struct ts_tab *t)
{
	struct details_tab *s = details_of(t);

	ts_tile_details_fini(&s->d);
	free(s->node);
	free(s->line);
	free(s->kept);
	s->node = NULL;
	s->line = NULL;
	s->kept = NULL;
	s->nodes = s->lines = 0;
	memory_asked_drop(&s->ask);
	s->data++;
	ts_list_set_count(&memory_of(t)->category_list, 0);
}

static void
details_close(struct ts_tab *t)
{
	if (!t->own)
		return;
	details_drop(t);
	ts_table_order_fini(&details_of(t)->order);
	free(t->own);
	t->own = NULL;
}

static void
details_indexed(struct ts_tab *t)
{
	struct details_tab *s = details_of(t);
	size_t size;

	if (s->ask.state.state == TS_PANE_LOADING &&
		ts_index_section(t->view->env->index, TS_SECTION_CATEGORIES, &size))
		s->ask.asked = false;
}

/* --- commands --------------------------------------------------------------------------------- */

/* Put the cursor on a node that is in sight. */
static void
go_node(struct details_tab *s, struct ts_list *list, uint32_t node)
{
	for (size_t i = 0; i < s->lines; i++)
		if (s->line[i] == node)
			ts_list_go(list, (int64_t)i);
}

static enum ts_effect
fold(struct ts_tab *t, enum ts_cmd cmd)
{
	struct details_tab *s = details_of(t);
	struct ts_list *list = &memory_of(t)->category_list;
	const struct ts_detail_node *n = memory_details_node(s, list->cursor);
	uint32_t node;
	bool *open;

	if (!n)
		return TS_EFFECT_BELL;
	node = s->line[list->cursor];
	if (s->kept && n->inside > 0 && cmd != TS_CMD_LEFT) {
		ts_view_say(t->view->env, "with a filter all that passes is unfolded");
		return TS_EFFECT_BELL;
	}
	open = open_of(s, n);
	if (cmd == TS_CMD_LEFT && (n->inside == 0 || !*open || s->kept)) { /* to what it is in */
		while (node > 0 && s->node[node].depth >= n->depth)
			node--;
		if (s->node[node].depth >= n->depth)
			return TS_EFFECT_BELL;
		go_node(s, list, node);
		return TS_EFFECT_REPAINT;
	}
	if (n->inside == 0) {
		ts_view_say(t->view->env, "%.100s: there is nothing in it to unfold", n->name);
		return TS_EFFECT_BELL;
	}
	if (cmd == TS_CMD_RIGHT && *open) {
		ts_list_go(list, list->cursor + 1);
		return TS_EFFECT_REPAINT;
	}
	*open = !*open;
	make_lines(t);
	go_node(s, list, node);
	return TS_EFFECT_REPAINT;
}

static enum ts_effect
fold_all(struct ts_tab *t, bool open)
{
	struct details_tab *s = details_of(t);

	memset(s->open, open, sizeof(s->open));
	if (s->node)
		make_lines(t);
	return TS_EFFECT_REPAINT;
}

static enum ts_effect
copy(struct ts_tab *t)
{
	const struct details_tab *s = details_of(t);
	const struct ts_detail_node *n = memory_details_node(s, memory_of(t)->category_list.cursor);
	char of[80];

	if (!n)
		return TS_EFFECT_BELL;
	memory_scope_say(&s->shown, of, sizeof(of));
	if (s->shown.count == 0)
		snprintf(of, sizeof(of), "%lld", (long long)s->shown.tile);
	snprintf(t->view->env->copy, sizeof(t->view->env->copy), "%s\t%.900s\t%lld", of,
		n->kind == TS_DETAIL_GAPS ? "gaps" : n->name, (long long)n->bytes);
	return TS_EFFECT_REPAINT;
}

static enum ts_effect
details_command(struct ts_tab *t, const struct ts_call *call)
{
	memory_details_update(t);
	switch (call->cmd) {
	case TS_CMD_COPY:
		return copy(t);
	case TS_CMD_OPEN:
	case TS_CMD_LEFT:
	case TS_CMD_RIGHT:
		return fold(t, call->cmd);
	case TS_CMD_FOLD:
	case TS_CMD_UNFOLD:
		return fold_all(t, call->cmd == TS_CMD_UNFOLD);
	default:
		return memory_table_command(t, call);
	}
}

static enum ts_effect
details_mouse(struct ts_tab *t, int x, int y, int wheel)
{
	struct ts_table table = memory_details_table(t);

	(void)x;
	return ts_list_mouse(&memory_of(t)->category_list, ts_table_line(&table, t->r, y), wheel);
}

static void
details_resize(struct ts_tab *t)
{
	struct ts_table table = memory_details_table(t);

	ts_list_resize(&memory_of(t)->category_list, ts_table_rows(&table, t->r));
}

static struct ts_list *
details_list(struct ts_tab *t, bool *there)
{
	struct memory_scope scope = memory_scope(memory_of(t));

	*there = memory_details_current(details_of(t), &scope);
	return &memory_of(t)->category_list;
}

static bool
details_hidden(const struct ts_tab *t)
{
	return memory_only_code(memory_of(t));
}

static const struct ts_hint hints[] = {
	{TS_CMD_OPEN, "fold"}, /* the first two: hints_now() */
	{TS_CMD_OPEN, "unfold"},
	{TS_CMD_UNFOLD, "all"},
	{TS_CMD_SORT, "sort"},
	{TS_CMD_FILTER, "filter"},
	{TS_CMD_EXPLAIN, "explain"},
	{TS_CMD_TAB_NEXT, "tab"},
	{TS_CMD_COUNT, NULL},
};

/* What Enter does stands there where it does something. */
static const struct ts_hint *
hints_now(const struct ts_tab *t)
{
	const struct details_tab *s = details_of(t);
	const struct ts_detail_node *n = memory_details_node(s, memory_of(t)->category_list.cursor);

	if (!n || n->inside == 0 || s->kept)
		return hints + 2;
	return memory_details_open(s, n) ? hints : hints + 1;
}

const struct ts_tab_ops memory_tab_details = {
	.name = "details",
	.title = "Details",
	.open = details_open,
	.close = details_close,
	.drop = details_drop,
	.indexed = details_indexed,
	.hidden = details_hidden,
	.note = memory_details_note,
	.resize = details_resize,
	.request = details_request,
	.deliver = details_deliver,
	.draw = memory_details_draw,
	.command = details_command,
	.mouse = details_mouse,
	.explain = memory_details_explain,
	.sheet = memory_details_sheet,
	.list = details_list,
	.hints_now = hints_now,
};
