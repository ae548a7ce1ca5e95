/* SPDX-License-Identifier: MIT */
/* Groups of variables: the rules of the program, rules of a file, and files that are none. */
#include "config.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tilescope/base/mem.h"
#include "tilescope/report/groups.h"

static const char *
group_of(struct ts_groups *g, const char *name, const char *category)
{
	struct ts_grouper *m;
	int i;

	ck_assert_int_eq(ts_grouper_new(&m, g, NULL), TS_OK);
	i = ts_grouper_of(m, name, name ? strlen(name) : 0, category,
		category ? strlen(category) : 0);
	ck_assert_int_ge(i, 0);
	ck_assert_int_lt(i, ts_groups_count(g));
	ts_grouper_free(m);
	return ts_groups_name(g, i);
}

START_TEST(own_rules)
{
	static const struct {
		const char *name, *category, *group;
	} cases[] = {
		{"vertexCode", NULL, "code"},
		{"anything", "internalExchangeCode", "code"},
		{"anything", "notInternalExchangeCode", "other"},
		{"controlTable", NULL, "tables"},
		{"stack", NULL, "stack, messages"},
		{"a/stack", NULL, "other"},
		{"bert/encoder/layer_0/attention/self/query/weights_1", NULL, "weights"},
		{"bert/encoder/layer_0/matMul/weightsRearranged", NULL, "rearrangements"},
		{"AdamW/bert/embeddings/update/moment1_2", "variable", "optimiser state"},
		{"Gradient/cls/predictions/loss/gradOut_2", NULL, "gradients"},
		{"bert/encoder/layer_2/attention/self/query/matMul/stash", NULL, "stash"},
		{"bert/encoder/layer_1/attention/self/context/matMul/out_4", NULL, "activations"},
		{"x/partials_4", NULL, "partials"},
		{"x/tmp", NULL, "temporaries"},
		{NULL, NULL, "other"},
		{"", "", "other"},
	};
	struct ts_groups *g;
	struct ts_err err = {0};

	ck_assert_msg(ts_groups_open(&g, "/nowhere/groups.rules", &err) == TS_OK, "%s", err.msg);
	for (size_t i = 0; i < TS_COUNT(cases); i++)
		ck_assert_str_eq(group_of(g, cases[i].name, cases[i].category), cases[i].group);
	for (int i = 0; i < ts_groups_count(g); i++)
		ck_assert_int_eq(ts_groups_find(g, ts_groups_name(g, i)), i);
	ck_assert_int_eq(ts_groups_find(g, "no such group"), -1);
	ts_groups_close(g);
}
END_TEST

static enum ts_code
open_text(struct ts_groups **g, const char *text, struct ts_err *err)
{
	char path[] = "/tmp/test_groups.XXXXXX";
	int fd = mkstemp(path);
	enum ts_code code;

	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(write(fd, text, strlen(text)), (ssize_t)strlen(text));
	close(fd);
	code = ts_groups_open(g, path, err);
	unlink(path);
	return code;
}

START_TEST(own_file)
{
	struct ts_groups *g;
	struct ts_err err = {0};

	ck_assert_int_eq(open_text(&g,
				 "# mine\ngroup a category x|y\ngroup \"b c\" name ^b\n"
				 "group a name Z$\n",
				 &err),
		TS_OK);
	ck_assert_int_eq(ts_groups_count(g), 3);
	ck_assert_str_eq(group_of(g, "bz", NULL), "b c");
	ck_assert_str_eq(group_of(g, "az", NULL), "a");
	ck_assert_str_eq(group_of(g, "az", "x"), "a");
	ck_assert_str_eq(group_of(g, "c", "xx"), TS_GROUP_OTHER);
	ck_assert_str_eq(group_of(g, "y", NULL), "a");
	ts_groups_close(g);
	ck_assert_int_eq(open_text(&g, "", &err), TS_OK);
	ck_assert_str_eq(group_of(g, "anything", "variable"), TS_GROUP_OTHER);
	ts_groups_close(g);
}
END_TEST

START_TEST(bad_files)
{
	static const struct {
		const char *text, *says;
		enum ts_code code;
	} cases[] = {
		{"\ngroup a name\n", ":2: not a rule", TS_E_FORMAT},
		{"groups a name x\n", ":1: not a rule", TS_E_FORMAT},
		{"group a size x\n", ":1: not a rule", TS_E_FORMAT},
		{"group a name \"x\n", ":1: ", TS_E_FORMAT},
		{"group \"\" name x\n", ":1: a group's name", TS_E_LIMIT},
		{"group a name (\n", ":1: ", TS_E_USAGE},
		{"group a category (\n", ":1: ", TS_E_USAGE},
	};

	for (size_t i = 0; i < TS_COUNT(cases); i++) {
		struct ts_groups *g;
		struct ts_err err = {0};

		ck_assert_int_eq(open_text(&g, cases[i].text, &err), cases[i].code);
		ck_assert_ptr_null(g);
		ck_assert_msg(strstr(err.msg, cases[i].says), "%s", err.msg);
	}
}
END_TEST

/* Expressions and names that would take for ever: the answer comes, and is the last group. */
START_TEST(costly)
{
	struct ts_groups *g;
	char name[4096];

	memset(name, 'a', sizeof(name) - 1);
	name[sizeof(name) - 1] = '\0';
	ck_assert_int_eq(open_text(&g, "group a name ^(a+)+$|^(a|aa)+b$\ngroup b name (a*)*b\n",
				 NULL),
		TS_OK);
	for (int i = 0; i < 20; i++)
		ck_assert_ptr_nonnull(group_of(g, name, NULL));
	ts_groups_close(g);
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("groups");
	TCase *tc = tcase_create("groups");
	SRunner *sr;
	int failed;

	tcase_add_test(tc, own_rules);
	tcase_add_test(tc, own_file);
	tcase_add_test(tc, bad_files);
	tcase_add_test(tc, costly);
	tcase_set_timeout(tc, 60);
	suite_add_tcase(s, tc);
	sr = srunner_create(s);
	srunner_run_all(sr, CK_NORMAL);
	failed = srunner_ntests_failed(sr);
	srunner_free(sr);
	return failed == 0 ? 0 : 1;
}
