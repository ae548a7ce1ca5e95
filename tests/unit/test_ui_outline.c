/* SPDX-License-Identifier: MIT */
/* test_ui_outline - rows of a graph that is opened by random commands, against rows made anew from what is open. */
#include "config.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tilescope/base/mem.h"
#include "tilescope/ui/outline.h"

enum { NODES = 12, EDGES = 4, SEEDS = 60, COMMANDS = 200, WAYS = 4000, DEEP = 40 };

struct graph {
	uint32_t edges[NODES];
	uint32_t child[NODES][EDGES];
};

static uint64_t seed;

static uint64_t
any(uint64_t below)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return seed % below;
}

static uint32_t
children(void *ctx, uint32_t node)
{
	return ((struct graph *)ctx)->edges[node];
}

static uint32_t
child(void *ctx, uint32_t node, uint32_t i)
{
	return ((struct graph *)ctx)->child[node][i];
}

static const struct ts_outline_graph ops = {children, child};

/* Ways (places from the root on) that are open, as text. */
struct open_ways {
	int count;
	char way[WAYS][DEEP];
};

static bool
is_open(const struct open_ways *o, const char *way)
{
	for (int i = 0; i < o->count; i++)
		if (strcmp(o->way[i], way) == 0)
			return true;
	return false;
}

struct expected {
	size_t count;
	struct {
		uint32_t node, depth;
		bool open, circle;
		char way[DEEP];
	} row[WAYS];
};

/* Rows of a way and of all that is open below it. */
static void
expect(struct expected *e, const struct graph *g, const struct open_ways *o, uint32_t node,
	uint32_t depth, const char *way, uint32_t above)
{
	bool circle = above >> node & 1, open = !circle && is_open(o, way);

	ck_assert_uint_lt(e->count, WAYS);
	e->row[e->count].node = node;
	e->row[e->count].depth = depth;
	e->row[e->count].open = open;
	e->row[e->count].circle = circle;
	strcpy(e->row[e->count++].way, way); /* NOLINT: ways have room */
	for (uint32_t i = 0; open && i < g->edges[node]; i++) {
		char down[DEEP + 2];

		snprintf(down, sizeof(down), "%s%c", way, 'a' + (int)i);
		ck_assert_uint_lt(strlen(down), DEEP);
		expect(e, g, o, g->child[node][i], depth + 1, down, above | 1U << node);
	}
}

static void
same(const struct ts_outline *o, const struct expected *e)
{
	ck_assert_uint_eq(o->count, e->count);
	ck_assert_int_eq(o->list.count, (int64_t)e->count);
	ck_assert_int_lt(o->list.cursor, (int64_t)e->count);
	for (size_t i = 0; i < e->count; i++) {
		ck_assert_uint_eq(o->row[i].node, e->row[i].node);
		ck_assert_uint_eq(o->row[i].depth, e->row[i].depth);
		ck_assert_int_eq(o->row[i].open, e->row[i].open);
		ck_assert_int_eq(o->row[i].circle, e->row[i].circle);
	}
}

START_TEST(commands)
{
	struct graph g;
	struct ts_outline o;
	static struct open_ways ways;
	static struct expected e;
	uint32_t roots[2] = {0, 1};

	seed = (uint64_t)_i * 7919 + 11;
	ways.count = 0;
	for (int i = 0; i < NODES; i++) {
		g.edges[i] = (uint32_t)any(EDGES);
		for (uint32_t k = 0; k < g.edges[i]; k++)
			g.child[i][k] = (uint32_t)any(NODES);
	}
	ts_outline_init(&o);
	ck_assert(ts_outline_set(&o, &ops, &g, roots, 2));
	ts_list_resize(&o.list, 10);
	for (int n = 0; n < COMMANDS; n++) {
		size_t at;

		e.count = 0;
		expect(&e, &g, &ways, roots[0], 0, "A", 0);
		expect(&e, &g, &ways, roots[1], 0, "B", 0);
		same(&o, &e);
		at = any(e.count);
		if (e.row[at].open) { /* fold: it, and all in it */
			int kept = 0;

			for (int i = 0; i < ways.count; i++)
				if (strncmp(ways.way[i], e.row[at].way, strlen(e.row[at].way)) != 0)
					memmove(ways.way[kept++], ways.way[i], DEEP);
			ways.count = kept;
			ts_outline_open(&o, at, false);
		} else if (!e.row[at].circle && g.edges[e.row[at].node] > 0) {
			memcpy(ways.way[ways.count++], e.row[at].way, DEEP);
			ts_list_go(&o.list, (int64_t)at);
			ts_outline_command(&o, TS_CMD_RIGHT);
		} else { /* nothing to open */
			ts_outline_open(&o, at, true);
		}
	}
	ts_outline_fini(&o);
}
END_TEST

/* The cursor stays on its row while others open and fold. */
START_TEST(cursor)
{
	struct graph g = {.edges = {3, 2}, .child = {{1, 2, 3}, {4, 5}}};
	struct ts_outline o;
	uint32_t root = 0, way[] = {0, 1, 5}, wrong[] = {0, 5};

	ts_outline_init(&o);
	ck_assert(ts_outline_set(&o, &ops, &g, &root, 1));
	ts_list_resize(&o.list, 10);
	ck_assert(ts_outline_go(&o, way, 3));
	ck_assert_uint_eq(ts_outline_at(&o)->node, 5);
	ck_assert_uint_eq(o.count, 6);
	ck_assert(!ts_outline_go(&o, wrong, 2));
	ck_assert_uint_eq(ts_outline_at(&o)->node, 5);
	ts_outline_command(&o, TS_CMD_LEFT);
	ck_assert_uint_eq(ts_outline_at(&o)->node, 1);
	ts_outline_command(&o, TS_CMD_DOWN);
	ts_outline_command(&o, TS_CMD_DOWN);
	ts_outline_command(&o, TS_CMD_DOWN);
	ck_assert_uint_eq(ts_outline_at(&o)->node, 2);
	ts_outline_open(&o, 1, false);
	ck_assert_uint_eq(ts_outline_at(&o)->node, 2);
	ts_outline_open(&o, 1, true);
	ck_assert_uint_eq(ts_outline_at(&o)->node, 2);
	ts_list_go(&o.list, 3);
	ts_outline_open(&o, 0, false);
	ck_assert_uint_eq(ts_outline_at(&o)->node, 0);
	ts_outline_command(&o, TS_CMD_UNFOLD);
	ck_assert_uint_eq(o.count, 6);
	ts_outline_command(&o, TS_CMD_FOLD);
	ck_assert_uint_eq(o.count, 1);
	ts_outline_fini(&o);
}
END_TEST

/* A chain that has no end, and a node of very many children: rows are bounded. */
static uint32_t
many(void *ctx, uint32_t node)
{
	(void)ctx;
	return node == 0 ? TS_OUTLINE_ROWS / 2 : 1;
}

static uint32_t
next(void *ctx, uint32_t node, uint32_t i)
{
	(void)ctx;
	return node == 0 ? i + 1 : node + 1000000;
}

START_TEST(bounds)
{
	static const struct ts_outline_graph endless = {many, next};
	struct ts_outline o;
	uint32_t roots[3] = {0, 0, 0};

	ts_outline_init(&o);
	ck_assert(ts_outline_set(&o, &endless, NULL, roots, 3));
	ts_list_resize(&o.list, 10);
	ts_outline_command(&o, TS_CMD_OPEN);
	ck_assert(!o.full);
	ts_outline_open(&o, o.count - 1, true);
	ck_assert(o.full);
	ck_assert_uint_le(o.count, TS_OUTLINE_ROWS);
	ts_outline_command(&o, TS_CMD_UNFOLD);
	ck_assert(o.full);
	ts_outline_fini(&o);
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("ui_outline");
	TCase *tc = tcase_create("all");
	SRunner *sr = srunner_create(s);
	int failed;

	tcase_set_timeout(tc, 120);
	tcase_add_loop_test(tc, commands, 0, SEEDS);
	tcase_add_test(tc, cursor);
	tcase_add_test(tc, bounds);
	suite_add_tcase(s, tc);
	srunner_run_all(sr, CK_NORMAL);
	failed = srunner_ntests_failed(sr);
	srunner_free(sr);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
