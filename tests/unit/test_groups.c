/* SPDX-License-Identifier: MIT */
/* Groups of variables: the rules of the program, rules of a file, and files that are none. */
#include "config.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "index_dir.h"

#include "tilescope/base/mem.h"
#include "tilescope/report/always.h"
#include "tilescope/report/index_labels.h"
#include "tilescope/report/lives.h"

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

/* A line that is no rule is said, with its number; the rules beside it stay in force, and it makes no group. */
START_TEST(bad_lines)
{
	static const struct {
		const char *text, *says;
	} cases[] = {
		{"group c name\n", ": line 2: not a rule"},
		{"groups c name x\n", ": line 2: not a rule"},
		{"group c size x\n", ": line 2: not a rule"},
		{"group c name \"x\n", ": line 2: "},
		{"group \"\" name x\n", ": line 2: a group's name"},
		{"group c name (\n", ": line 2: "},
		{"group c category (\n", ": line 2: "},
		{"group a name (\nnonsense\n", ": line 2: "},
	};

	for (size_t i = 0; i < TS_COUNT(cases); i++) {
		struct ts_groups *g;
		struct ts_err err = {0};
		const char *problem;
		char text[200];

		snprintf(text, sizeof(text), "group a name ^x\n%sgroup b name ^y\n", cases[i].text);
		ck_assert_msg(open_text(&g, text, &err) == TS_OK, "%s", err.msg);
		ck_assert_int_eq(ts_groups_wrong(g, &problem), strstr(text, "nonsense") ? 2 : 1);
		ck_assert_msg(strstr(problem, cases[i].says), "%s", problem);
		ck_assert_int_eq(ts_groups_count(g), 3);
		ck_assert_str_eq(group_of(g, "x", NULL), "a");
		ck_assert_str_eq(group_of(g, "y", NULL), "b");
		ck_assert_str_eq(group_of(g, "z", NULL), TS_GROUP_OTHER);
		ts_groups_close(g);
	}
}
END_TEST

/* More groups, and more rules, than there is room for: those that fit are in force. */
START_TEST(too_many)
{
	struct ts_strbuf text;
	struct ts_groups *g;
	const char *problem;

	ts_strbuf_init(&text, 1 << 16);
	for (int i = 0; i < TS_GROUPS_MAX + 1; i++)
		ts_strbuf_printf(&text, "group g%d name ^n%d$\n", i, i);
	for (int i = 0; i < TS_GROUP_RULES; i++)
		ts_strbuf_puts(&text, "group g0 name ^zero$\n");
	ck_assert_int_eq(open_text(&g, text.s, NULL), TS_OK);
	ck_assert_int_eq(ts_groups_wrong(g, &problem), TS_GROUPS_MAX + 1);
	ck_assert_ptr_nonnull(strstr(problem, ": line 32: a group's name"));
	ck_assert_int_eq(ts_groups_count(g), TS_GROUPS_MAX);
	ck_assert_str_eq(group_of(g, "n30", NULL), "g30");
	ck_assert_str_eq(group_of(g, "n31", NULL), TS_GROUP_OTHER);
	ck_assert_str_eq(group_of(g, "zero", NULL), "g0");
	ts_groups_close(g);
	ts_strbuf_fini(&text);
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

/* --- kept in the index ------------------------------------------------------------------------ */

enum { NAMED = 300 };

static struct ts_report *
named_variables(const struct index_dir *d)
{
	static const char *const names[] = {"'x/weights_1'", "'x/tmp'", "'vertexCode'", "'nothing'",
		"NULL", "''", "7", "'a/gradOut_2'"};
	char path[INDEX_PATH], row[200];
	sqlite3 *db;

	snprintf(path, sizeof(path), "%s/relations.db", d->dir);
	ck_assert_int_eq(sqlite3_open(path, &db), SQLITE_OK);
	sqlite_run(db,
		"BEGIN; CREATE TABLE variable(variable INTEGER, name TEXT, bytes INTEGER, "
		"always_live INTEGER); "
		"CREATE TABLE liveness_variable(variable INTEGER, start INTEGER, \"end\" INTEGER)");
	for (int i = 0; i < NAMED; i++) {
		int number = i * 7 % NAMED + i / 250 * 1000;

		snprintf(row, sizeof(row), "INSERT INTO variable VALUES(%d, %s, %d, %d)", number,
			names[i * 5 % (int)TS_COUNT(names)], i % 17 * 100, i % 9 == 0);
		sqlite_run(db, row);
		snprintf(row, sizeof(row), "INSERT INTO liveness_variable VALUES(%d, %d, %d)",
			number, i % 20, i % 20 + 3);
		sqlite_run(db, row);
	}
	sqlite_run(db, "COMMIT");
	sqlite3_close(db);
	return index_dir_relations(d);
}

static void
check_labels(struct ts_reader *rd, const struct ts_lives *lives, struct ts_groups *g,
	const struct ts_cache *cache)
{
	struct ts_live_labels *plain, *kept;
	struct ts_err err = {0};

	ck_assert_int_eq(ts_live_labels_read(&plain, rd, lives, g, NULL, NULL, &err), TS_OK);
	ck_assert_int_eq(ts_live_labels_read(&kept, rd, lives, g, cache, NULL, &err), TS_OK);
	ck_assert_uint_eq(plain->count, lives->variables);
	ck_assert_mem_eq(plain->group, kept->group, plain->count);
	ts_live_labels_close(plain);
	ts_live_labels_close(kept);
}

static void
check_always(struct ts_reader *rd, struct ts_groups *g, const struct ts_cache *cache)
{
	const struct ts_live_source source = {.where = TS_LIVE_ALL};
	struct ts_always *plain, *kept;
	struct ts_err err = {0};

	ck_assert_int_eq(ts_always_read(&plain, rd, &source, NULL, g, NULL, NULL, &err), TS_OK);
	ck_assert_int_eq(ts_always_read(&kept, rd, &source, NULL, g, cache, NULL, &err), TS_OK);
	ck_assert_int_gt(plain->rows, 20);
	ck_assert_int_eq(plain->rows, kept->rows);
	for (int i = 0; i < plain->rows; i++)
		ck_assert_int_eq(plain->row[i].group, kept->row[i].group);
	ck_assert_mem_eq(plain->group, kept->group, sizeof(plain->group));
	ts_always_close(plain);
	ts_always_close(kept);
}

/* Groups from the index are those of the names, also of other rules, and after somebody has altered them. */
START_TEST(kept_groups)
{
	struct ts_kept_labels kept;
	struct ts_groups *own, *mine;
	struct ts_err err = {0};
	struct ts_lives *lives;
	struct ts_reader *rd;
	struct ts_report *r;
	struct index_dir d;

	index_dir_begin(&d);
	r = named_variables(&d);
	ck_assert_int_eq(ts_reader_open(&rd, r, &err), TS_OK);
	ck_assert_int_eq(ts_groups_open(&own, NULL, &err), TS_OK);
	ck_assert_int_eq(open_text(&mine, "group mine name t\n", &err), TS_OK);
	ck_assert_msg(ts_lives_read(&lives, rd, NULL, &err) == TS_OK, "%s", err.msg);
	for (int i = 0; i < 2; i++) {
		check_labels(rd, lives, own, &d.c);
		ck_assert(ts_labels_kept(&kept, rd, &d.c, own));
		ck_assert_int_eq(ts_kept_label(&kept, 5000), -1);
		ts_kept_labels_fini(&kept);
		ck_assert(!ts_labels_kept(&kept, rd, &d.c, mine));
		ts_kept_labels_fini(&kept);
		check_always(rd, own, &d.c);
	}
	check_labels(rd, lives, mine, &d.c);
	ck_assert(ts_labels_kept(&kept, rd, &d.c, mine));
	ts_kept_labels_fini(&kept);
	ck_assert_int_eq(ts_labels_keep(rd, &d.c, mine, (const unsigned char *)"\1\50", 2, &err),
		TS_OK);
	ck_assert(!ts_labels_kept(&kept, rd, &d.c, mine));
	ts_kept_labels_fini(&kept);
	check_labels(rd, lives, mine, &d.c);
	ts_lives_close(lives);
	ts_groups_close(own);
	ts_groups_close(mine);
	ts_reader_close(rd);
	ts_report_close(r);
	index_dir_end(&d);
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
	tcase_add_test(tc, bad_lines);
	tcase_add_test(tc, too_many);
	tcase_add_test(tc, costly);
	tcase_add_test(tc, kept_groups);
	tcase_set_timeout(tc, 60);
	suite_add_tcase(s, tc);
	sr = srunner_create(s);
	srunner_run_all(sr, CK_NORMAL);
	failed = srunner_ntests_failed(sr);
	srunner_free(sr);
	return failed == 0 ? 0 : 1;
}
