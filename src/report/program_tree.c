/* SPDX-License-Identifier: MIT */
/*
 * program_tree - see the header.
 *
 * Edges are sorted by parent and position, programs are numbered by what the edges and roots name. One walk in depth,
 * with a stack of its own (a node is entered once), gives each node the one it was first reached from.
 */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "tilescope/base/mem.h"
#include "tilescope/report/memory.h"
#include "tilescope/report/program_tree.h"
#include "tilescope/report/rows.h"

enum { PROGRESS_ROWS = 8192, CANCEL_NODES = 4096, TYPE_TEXT = 64, NAME_TEXT = 2048 };

struct tree_work {
	struct ts_program_tree *t;
	struct ts_reader *rd;
	const struct ts_cache *cache;
	struct ts_progress *progress;
};

static struct ts_program_node *
node_at(const struct ts_program_tree *t, size_t i)
{
	return (struct ts_program_node *)t->node.memory + i;
}

static struct ts_program_edge *
edge_at(const struct ts_program_tree *t, size_t i)
{
	return (struct ts_program_edge *)t->edge.memory + i;
}

static struct ts_program_root *
root_at(const struct ts_program_tree *t, size_t i)
{
	return (struct ts_program_root *)t->root.memory + i;
}

/* --- reading ---------------------------------------------------------------------------------- */

static enum ts_code
read_edges(struct tree_work *w, struct ts_err *err)
{
	struct ts_rows_query q = {.columns = {TS_PROGRAM_CHILD_PARENT, TS_PROGRAM_CHILD_POSITION,
					  TS_PROGRAM_CHILD_CHILD},
		.column_count = 3,
		.past_damage = true};
	struct ts_program_tree *t = w->t;
	struct ts_rows *rows;
	enum ts_code code = ts_reader_rows(&rows, w->rd, TS_PROGRAM_CHILD, &q, err);
	int64_t seen = 0;
	bool there;

	if (code)
		return code;
	while (!(code = ts_rows_next(rows, &there, err)) && there) {
		struct ts_program_edge e;

		if (++seen % PROGRESS_ROWS == 0)
			ts_progress_set(w->progress, seen,
				ts_reach_span(&w->rd->report->binding[TS_PROGRAM_CHILD].reach));
		if (ts_rows_number(rows, 0, &e.parent) != TS_VALUE_OK ||
			ts_rows_number(rows, 1, &e.position) != TS_VALUE_OK ||
			ts_rows_number(rows, 2, &e.child) != TS_VALUE_OK) {
			t->bad_rows++;
			continue;
		}
		if (t->edges == TS_PROGRAM_EDGES) {
			t->left_out++;
			continue;
		}
		code = ts_pile_add(&t->edge, &e, sizeof(e), w->cache, err);
		if (code)
			break;
		t->edges++;
	}
	ts_rows_close(rows);
	return code;
}

static enum ts_code
read_roots(struct tree_work *w, struct ts_err *err)
{
	struct ts_rows_query q = {.columns = {TS_PROGRAM_ROOT_KIND, TS_PROGRAM_ROOT_POSITION,
					  TS_PROGRAM_ROOT_PROGRAM},
		.column_count = 3,
		.past_damage = true};
	struct ts_program_tree *t = w->t;
	struct ts_rows *rows;
	enum ts_code code;
	bool there;

	if (!ts_report_has(w->rd->report, TS_PROGRAM_ROOT))
		return TS_OK;
	code = ts_reader_rows(&rows, w->rd, TS_PROGRAM_ROOT, &q, err);
	if (code)
		return code;
	while (!(code = ts_rows_next(rows, &there, err)) && there) {
		struct ts_program_root r = {0};
		const char *s;
		size_t n;

		if (ts_rows_text(rows, 0, &s, &n) != TS_VALUE_OK ||
			ts_rows_number(rows, 1, &r.position) != TS_VALUE_OK ||
			ts_rows_number(rows, 2, &r.program) != TS_VALUE_OK) {
			t->bad_rows++;
			continue;
		}
		r.function = n == 8 && memcmp(s, "function", 8) == 0;
		if (t->roots == TS_PROGRAM_EDGES) {
			t->left_out++;
			continue;
		}
		code = ts_pile_add(&t->root, &r, sizeof(r), w->cache, err);
		if (code)
			break;
		t->roots++;
	}
	ts_rows_close(rows);
	return code;
}

/* --- order ------------------------------------------------------------------------------------ */

static int
by_parent(const void *a, const void *b)
{
	const struct ts_program_edge *x = a, *y = b;

	if (x->parent != y->parent)
		return x->parent < y->parent ? -1 : 1;
	if (x->position != y->position)
		return x->position < y->position ? -1 : 1;
	return (x->child > y->child) - (x->child < y->child);
}

/* Control programs come first. */
static int
by_kind(const void *a, const void *b)
{
	const struct ts_program_root *x = a, *y = b;

	if (x->function != y->function)
		return x->function ? 1 : -1;
	return (x->position > y->position) - (x->position < y->position);
}

static int
by_program(const void *a, const void *b)
{
	const struct ts_program_node *x = a, *y = b;

	return (x->program > y->program) - (x->program < y->program);
}

uint32_t
ts_program_tree_find(const struct ts_program_tree *t, int64_t program)
{
	struct ts_program_node key = {.program = program};
	const struct ts_program_node *found = t->nodes == 0
		? NULL
		: bsearch(&key, t->node.memory, t->nodes, sizeof(key), by_program);

	return found ? (uint32_t)(found - node_at(t, 0)) : UINT32_MAX;
}

/* A node for every program that is named. */
static enum ts_code
make_nodes(struct tree_work *w, struct ts_err *err)
{
	struct ts_program_tree *t = w->t;
	size_t all = 2 * t->edges + t->roots, n = 0;
	enum ts_code code = ts_pile_room(&t->node, (all + 1) * sizeof(struct ts_program_node),
		w->cache, err);
	struct ts_program_node blank = {.parent = UINT32_MAX, .root = UINT32_MAX};

	if (code)
		return code;
	for (size_t i = 0; i < all; i++) {
		const struct ts_program_edge *e = i < 2 * t->edges ? edge_at(t, i / 2) : NULL;

		blank.program = !e   ? root_at(t, i - 2 * t->edges)->program
			: i % 2 == 0 ? e->parent
				     : e->child;
		/* parents stand together: most of what is there twice is left out at once */
		if (n == 0 || i % 2 != 0 || !e || node_at(t, n - 1)->program != blank.program)
			*node_at(t, n++) = blank;
	}
	t->node.used = n * sizeof(struct ts_program_node);
	code = ts_pile_sort(&t->node, n, sizeof(struct ts_program_node), by_program, w->cache,
		w->rd->cancel, err);
	if (code)
		return code;
	for (size_t i = 0; i < n; i++)
		if (t->nodes == 0 || node_at(t, t->nodes - 1)->program != node_at(t, i)->program)
			*node_at(t, t->nodes++) = *node_at(t, i);
	t->node.used = t->nodes * sizeof(struct ts_program_node);
	return TS_OK;
}

/* Which edges are whose, where they lead to, and how often each node is used. */
static enum ts_code
link_nodes(struct tree_work *w, struct ts_err *err)
{
	struct ts_program_tree *t = w->t;
	enum ts_code code = ts_pile_room(&t->child, (t->edges + 1) * sizeof(uint32_t), w->cache,
		err);
	uint32_t *child = t->child.memory, from = UINT32_MAX;

	for (size_t i = 0; !code && i < t->edges; i++) {
		const struct ts_program_edge *e = edge_at(t, i);

		if (i == 0 || edge_at(t, i - 1)->parent != e->parent) {
			from = ts_program_tree_find(t, e->parent);
			node_at(t, from)->first_edge = (uint32_t)i;
		}
		node_at(t, from)->edges++;
		child[i] = ts_program_tree_find(t, e->child);
		node_at(t, child[i])->uses++;
	}
	for (size_t i = 0; !code && i < t->roots; i++)
		node_at(t, ts_program_tree_find(t, root_at(t, i)->program))->uses++;
	return code;
}

/* --- the walk --------------------------------------------------------------------------------- */

struct standing {
	uint32_t node, next; /* next: of its edges */
};

/* From one node down to all that were not reached yet. */
static enum ts_code
walk_from(struct tree_work *w, struct ts_pile *stack, uint32_t start, uint32_t root,
	struct ts_err *err)
{
	struct ts_program_tree *t = w->t;
	const uint32_t *child = t->child.memory;
	struct standing first = {start, 0};
	enum ts_code code = TS_OK;
	size_t depth = 1;

	if (node_at(t, start)->root != UINT32_MAX)
		return TS_OK;
	node_at(t, start)->root = root;
	stack->used = 0;
	code = ts_pile_add(stack, &first, sizeof(first), w->cache, err);
	while (!code && depth > 0) {
		struct standing *at = (struct standing *)stack->memory + depth - 1;
		const struct ts_program_node *n = node_at(t, at->node);
		struct standing down;

		if (at->next == n->edges) {
			depth--;
			stack->used = depth * sizeof(*at);
			continue;
		}
		down = (struct standing){child[n->first_edge + at->next++], 0};
		if (node_at(t, down.node)->root != UINT32_MAX)
			continue;
		node_at(t, down.node)->root = root;
		node_at(t, down.node)->parent = at->node;
		code = ts_pile_add(stack, &down, sizeof(down), w->cache, err);
		depth++;
	}
	return code;
}

static enum ts_code
walk(struct tree_work *w, struct ts_err *err)
{
	struct ts_program_tree *t = w->t;
	struct ts_pile stack = {0};
	enum ts_code code = TS_OK;

	for (size_t i = 0; !code && i < t->roots; i++) {
		if (i % PROGRESS_ROWS == 0 && ts_cancelled(w->rd->cancel))
			code = ts_err_set(err, TS_E_CANCELLED, "cancelled");
		else
			code = walk_from(w, &stack, ts_program_tree_find(t, root_at(t, i)->program),
				(uint32_t)i, err);
	}
	ts_pile_fini(&stack);
	return code;
}

enum ts_code
ts_program_tree_read(struct ts_program_tree **out, struct ts_reader *rd,
	const struct ts_cache *cache, struct ts_progress *progress, struct ts_err *err)
{
	struct ts_program_tree *t = ts_alloc(1, sizeof(*t));
	struct tree_work w = {t, rd, cache, progress};
	enum ts_code code, damage;

	*out = NULL;
	if (!t)
		return ts_err_nomem(err);
	atomic_init(&t->uses, 1);
	code = damage = read_edges(&w, err);
	if (code == TS_E_DAMAGED)
		code = TS_OK;
	if (!code)
		code = read_roots(&w, damage ? NULL : err);
	if (code == TS_E_DAMAGED) {
		damage = code;
		code = TS_OK;
	}
	if (!code)
		code = ts_pile_sort(&t->edge, t->edges, sizeof(struct ts_program_edge), by_parent,
			cache, rd->cancel, err);
	if (!code)
		code = ts_pile_sort(&t->root, t->roots, sizeof(struct ts_program_root), by_kind,
			cache, rd->cancel, err);
	if (!code)
		code = make_nodes(&w, err);
	if (!code)
		code = link_nodes(&w, err);
	if (!code)
		code = walk(&w, err);
	if (code) {
		ts_program_tree_close(t);
		return code;
	}
	*out = t;
	return damage;
}

struct ts_program_tree *
ts_program_tree_hold(struct ts_program_tree *t)
{
	atomic_fetch_add(&t->uses, 1);
	return t;
}

void
ts_program_tree_close(struct ts_program_tree *t)
{
	if (!t || atomic_fetch_sub(&t->uses, 1) > 1)
		return;
	ts_pile_fini(&t->node);
	ts_pile_fini(&t->edge);
	ts_pile_fini(&t->root);
	ts_pile_fini(&t->child);
	free(t);
}

static bool
is_in(const unsigned char *set, size_t i)
{
	return set[i / 8] >> i % 8 & 1;
}

enum ts_code
ts_program_reach(unsigned char *to, const unsigned char *from, const struct ts_program_tree *t,
	const struct ts_cancel *cancel, struct ts_err *err)
{
	const uint32_t *child = t->child.memory;
	struct ts_pile list = {0};
	enum ts_code code = TS_OK;

	for (uint32_t i = 0; !code && i < t->nodes; i++)
		if (is_in(from, i))
			code = ts_pile_add(&list, &i, sizeof(i), NULL, err);
	for (size_t i = 0; !code && i * sizeof(uint32_t) < list.used; i++) {
		const struct ts_program_node *n = node_at(t, ((uint32_t *)list.memory)[i]);

		if (i % CANCEL_NODES == 0 && ts_cancelled(cancel))
			code = ts_err_set(err, TS_E_CANCELLED, "cancelled");
		for (uint32_t e = 0; !code && e < n->edges; e++) {
			uint32_t down = child[n->first_edge + e];

			if (is_in(to, down))
				continue;
			to[down / 8] = (unsigned char)(to[down / 8] | 1U << down % 8);
			if (!is_in(from, down))
				code = ts_pile_add(&list, &down, sizeof(down), NULL, err);
		}
	}
	ts_pile_fini(&list);
	return code;
}

/* --- the way to a program --------------------------------------------------------------------- */

/* Its number among the children of its parent. */
static int64_t
place_of(const struct ts_program_tree *t, uint32_t parent, uint32_t node)
{
	const struct ts_program_node *n = node_at(t, parent);
	const uint32_t *child = t->child.memory;

	for (uint32_t i = 0; i < n->edges; i++)
		if (child[n->first_edge + i] == node)
			return i;
	return 0;
}

static void
set_root(struct ts_path_level *level, const struct ts_program_tree *t, uint32_t root)
{
	const struct ts_program_root *r = root_at(t, root);

	level->place = r->position;
	for (size_t i = 0; i < t->roots; i++)
		level->of += root_at(t, i)->function == r->function;
}

/* Levels from the program upwards, then turned round. */
static void
climb(struct ts_program_path *p, const struct ts_program_tree *t)
{
	uint32_t node = t ? ts_program_tree_find(t, p->program) : UINT32_MAX;

	p->level[0] = (struct ts_path_level){.program = p->program,
		.repeat_count = TS_UNKNOWN,
		.compute_set = TS_UNKNOWN};
	p->levels = 1;
	for (int i = 0; node != UINT32_MAX; i++) {
		const struct ts_program_node *n = node_at(t, node);
		struct ts_path_level *level = &p->level[i];

		level->uses = n->uses;
		if (n->parent == UINT32_MAX) {
			p->rooted = n->root != UINT32_MAX;
			p->function = p->rooted && root_at(t, n->root)->function;
			if (p->rooted)
				set_root(level, t, n->root);
			break;
		}
		level->place = place_of(t, n->parent, node);
		level->of = node_at(t, n->parent)->edges;
		node = n->parent;
		if (p->levels == TS_PROGRAM_LEVELS) {
			p->cut = true;
			break;
		}
		p->level[p->levels++] = (struct ts_path_level){.program = node_at(t, node)->program,
			.repeat_count = TS_UNKNOWN,
			.compute_set = TS_UNKNOWN};
	}
	for (int i = 0, j = p->levels - 1; i < j; i++, j--) {
		struct ts_path_level swap = p->level[i];

		p->level[i] = p->level[j];
		p->level[j] = swap;
	}
}

static void
keep_text(struct ts_strbuf *text, uint32_t *at, uint32_t *length, struct ts_rows *rows, int column,
	size_t most)
{
	const char *s;
	size_t n;

	if (ts_rows_text(rows, column, &s, &n) != TS_VALUE_OK || n == 0)
		return;
	n = n < most ? n : most;
	if (text->len + n + 1 > text->max)
		return;
	*at = (uint32_t)text->len;
	ts_strbuf_add(text, s, n);
	ts_strbuf_putc(text, '\0');
	*length = text->cut ? 0 : (uint32_t)n;
}

static enum ts_code
describe_level(struct ts_program_path *p, struct ts_path_level *level, struct ts_reader *rd,
	struct ts_err *err)
{
	struct ts_rows_query q = {.columns = {TS_PROGRAM_TYPE, TS_PROGRAM_NAME,
					  TS_PROGRAM_REPEAT_COUNT, TS_PROGRAM_COMPUTE_SET},
		.column_count = 4,
		.range = TS_RANGE_KEY,
		.from = level->program,
		.to = level->program + 1};
	struct ts_rows *rows;
	enum ts_code code = ts_reader_rows(&rows, rd, TS_PROGRAM, &q, err);
	bool there;

	if (code)
		return code;
	code = ts_rows_next(rows, &there, err);
	if (!code && there) {
		keep_text(&p->text, &level->type_at, &level->type_length, rows, 0, TYPE_TEXT);
		keep_text(&p->text, &level->name_at, &level->name_length, rows, 1, NAME_TEXT);
		if (ts_rows_number(rows, 2, &level->repeat_count) != TS_VALUE_OK)
			level->repeat_count = TS_UNKNOWN;
		if (ts_rows_number(rows, 3, &level->compute_set) != TS_VALUE_OK)
			level->compute_set = TS_UNKNOWN;
	}
	ts_rows_close(rows);
	return code;
}

enum ts_code
ts_program_path_read(struct ts_program_path *p, struct ts_reader *rd,
	const struct ts_program_tree *tree, int64_t program, struct ts_err *err)
{
	enum ts_code code = TS_OK;

	*p = (struct ts_program_path){.program = program};
	ts_strbuf_init(&p->text, TS_PROGRAM_TEXT);
	p->level = ts_alloc(TS_PROGRAM_LEVELS, sizeof(*p->level));
	if (!p->level)
		return ts_err_nomem(err);
	climb(p, tree);
	for (int i = 0; i < p->levels && ts_report_has(rd->report, TS_PROGRAM); i++) {
		code = describe_level(p, &p->level[i], rd, err);
		if (code == TS_E_CANCELLED || code == TS_E_NOMEM)
			return code;
	}
	return p->text.nomem ? ts_err_nomem(err) : TS_OK;
}

void
ts_program_path_fini(struct ts_program_path *p)
{
	free(p->level);
	ts_strbuf_fini(&p->text);
	*p = (struct ts_program_path){0};
}
