/* SPDX-License-Identifier: MIT */
/* Trees: what folding hides, where the cursor goes, what is found, what is drawn. */
#include "config.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "tilescope/base/mem.h"
#include "tilescope/ui/tree.h"

struct node {
	int depth;
	uint32_t inside;
	const char *key, *value;
};

/*  a { b { c, d }, e }  f  g { h } */
static const struct node nodes[] = {
	{0, 4, "a", NULL},
	{1, 2, "b", "two"},
	{2, 0, "c", "See"},
	{2, 0, "d", "m\033[1m"},
	{1, 0, "e", "a long value that does not fit"},
	{0, 0, "f", "six"},
	{0, 9, "g", NULL}, /* a false number: there is but one */
	{1, 0, "h", "sea"},
};

static void
node(void *ctx, size_t i, struct ts_tree_node *out)
{
	const struct node *n = &nodes[i];

	(void)ctx;
	ck_assert_uint_lt(i, TS_COUNT(nodes));
	out->depth = n->depth;
	out->inside = n->inside;
	out->key = n->key;
	out->key_n = strlen(n->key);
	out->value = n->value;
	out->value_n = n->value ? strlen(n->value) : 0;
	out->value_at = n->depth == 0 ? 8 : 0;
}

static void
begin(struct ts_tree *t, int open_depth, int rows)
{
	ts_tree_init(t);
	ts_tree_resize(t, rows);
	ck_assert(ts_tree_set(t, node, NULL, TS_COUNT(nodes), open_depth));
}

/* The keys of the lines in sight. */
static void
check_lines(const struct ts_tree *t, const char *keys)
{
	char got[32] = "";

	for (int64_t i = 0; i < t->list.count; i++)
		strcat(got, nodes[t->line[i]].key);
	ck_assert_str_eq(got, keys);
}

static char
cursor(const struct ts_tree *t)
{
	return nodes[ts_tree_cursor(t)].key[0];
}

START_TEST(folding)
{
	struct ts_tree t;

	begin(&t, 0, 5);
	check_lines(&t, "afg");
	ts_tree_command(&t, TS_CMD_OPEN);
	check_lines(&t, "abefg");
	ts_tree_go(&t, 3);
	check_lines(&t, "abcdefg");
	ck_assert_int_eq(cursor(&t), 'd');
	ts_tree_open(&t, 0, false); /* the cursor goes to what hides it */
	check_lines(&t, "afg");
	ck_assert_int_eq(cursor(&t), 'a');
	ts_tree_command(&t, TS_CMD_LAST);
	ck_assert_int_eq(cursor(&t), 'g');
	ts_tree_command(&t, TS_CMD_RIGHT);
	check_lines(&t, "afgh");
	ts_tree_command(&t, TS_CMD_RIGHT);
	ck_assert_int_eq(cursor(&t), 'h');
	ck_assert_int_eq(ts_tree_command(&t, TS_CMD_RIGHT), TS_EFFECT_BELL);
	ck_assert_int_eq(ts_tree_command(&t, TS_CMD_OPEN), TS_EFFECT_BELL);
	ts_tree_command(&t, TS_CMD_LEFT);
	ck_assert_int_eq(cursor(&t), 'g');
	ts_tree_command(&t, TS_CMD_LEFT);
	check_lines(&t, "afg");
	ck_assert_int_eq(ts_tree_command(&t, TS_CMD_LEFT), TS_EFFECT_BELL);
	ck_assert_int_eq(ts_tree_command(&t, TS_CMD_SORT), TS_EFFECT_UNKNOWN);
	ts_tree_fini(&t);
}
END_TEST

START_TEST(finding)
{
	struct ts_tree t;

	begin(&t, 0, 5);
	ck_assert_uint_eq(ts_tree_find(&t, "SE", 1), 2);
	ts_tree_go(&t, 2);
	check_lines(&t, "abcdefg");
	ck_assert_uint_eq(ts_tree_find(&t, "se", 1), 7);
	ck_assert_uint_eq(ts_tree_find(&t, "se", -1), 7); /* round */
	ck_assert_uint_eq(ts_tree_find(&t, "six", -1), 5);
	ck_assert_uint_eq(ts_tree_find(&t, "nowhere", 1), SIZE_MAX);
	ck_assert_uint_eq(ts_tree_find(&t, "", 1), SIZE_MAX);
	ts_tree_fini(&t);
}
END_TEST

START_TEST(nothing)
{
	struct ts_canvas *c = ts_canvas_new(10, 2, TS_GLYPHS_ASCII);
	struct ts_tree t;

	ts_tree_init(&t);
	ck_assert_uint_eq(ts_tree_cursor(&t), SIZE_MAX);
	ck_assert(ts_tree_set(&t, node, NULL, 0, 3));
	ck_assert_uint_eq(ts_tree_cursor(&t), SIZE_MAX);
	ck_assert_uint_eq(ts_tree_find(&t, "a", 1), SIZE_MAX);
	ts_tree_go(&t, 0);
	ts_tree_open(&t, 0, true);
	ts_tree_command(&t, TS_CMD_OPEN);
	ts_tree_command(&t, TS_CMD_DOWN);
	ts_tree_draw(c, ts_canvas_rect(c), &t, true, "none");
	ck_assert_int_eq(ts_canvas_at(c, 0, 0)->cp, 'n');
	ts_tree_fini(&t);
	ts_canvas_free(c);
}
END_TEST

START_TEST(drawing)
{
	struct ts_canvas *c = ts_canvas_new(20, 6, TS_GLYPHS_ASCII);
	struct ts_strbuf out;
	struct ts_tree t;

	begin(&t, 9, 6);
	ts_tree_draw(c, ts_canvas_rect(c), &t, true, "none");
	ts_strbuf_init(&out, 1000);
	ts_canvas_dump(c, &out);
	ck_assert_msg(strncmp(out.s, " v a\n   v b  two\n       c  See\n", 31) == 0, "%s", out.s);
	ck_assert_ptr_null(strchr(out.s, '\033'));
	ck_assert_msg(strstr(out.s, "     e  a long valu~\n") != NULL, "%s", out.s);
	ck_assert_msg(strstr(out.s, "   f    six") != NULL, "%s", out.s);
	ck_assert_int_eq(ts_canvas_at(c, 0, 0)->over, TS_ROLE_CURSOR);
	ts_strbuf_fini(&out);
	ts_tree_fini(&t);
	ts_canvas_free(c);
}
END_TEST

int
main(void)
{
	Suite *suite = suite_create("ui tree");
	TCase *t = tcase_create("tree");
	SRunner *runner;
	int failed;

	tcase_add_test(t, folding);
	tcase_add_test(t, finding);
	tcase_add_test(t, nothing);
	tcase_add_test(t, drawing);
	suite_add_tcase(suite, t);
	runner = srunner_create(suite);
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
