/* SPDX-License-Identifier: MIT */
/*
 * framework.json and app.json as a tree: all that is in the file, as it is written, in bounded memory; of a damaged
 * file what stands before the damage, and where that is.
 */
#include "config.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "json_check.h"

#include "tilescope/base/mem.h"
#include "tilescope/base/strbuf.h"

struct read {
	struct ts_json_tree tree;
	struct ts_err err;
	enum ts_code code;
};

static void
read_bytes(struct read *r, const char *bytes, size_t n)
{
	struct ts_source *s;

	memset(r, 0, sizeof(*r));
	ck_assert_int_eq(ts_source_open_mem(&s, bytes, n, &r->err), TS_OK);
	r->code = ts_json_tree_read(&r->tree, s, NULL, NULL, &r->err);
	ck_assert_msg(!json_check_tree(&r->tree), "%s", json_check_tree(&r->tree));
	ck_assert_int_eq(ts_json_check(s, NULL, NULL), r->code);
	ts_source_close(s);
}

/* A line a node: blanks for its depth, its key or number, its value or how many are in it. */
static void
dump(struct ts_strbuf *out, const struct ts_json_tree *t)
{
	for (size_t i = 0; i < t->count; i++) {
		const struct ts_json_node *v = &t->node[i];
		const char *key, *value;
		size_t key_n, value_n;

		key = ts_json_key(t, i, &key_n);
		value = ts_json_value(t, i, &value_n);
		ts_strbuf_printf(out, "%*s", v->depth, "");
		if (v->element)
			ts_strbuf_printf(out, "#%u", v->key);
		ts_strbuf_add(out, key, key_n);
		ts_strbuf_putc(out, '=');
		if (v->kind == TS_JSON_OBJECT || v->kind == TS_JSON_ARRAY)
			ts_strbuf_printf(out, v->kind == TS_JSON_OBJECT ? "{%u}" : "[%u]",
				v->value);
		ts_strbuf_add(out, value, value_n);
		ts_strbuf_putc(out, '\n');
	}
}

static void
gives(const char *text, size_t n, const char *want, size_t want_n)
{
	struct ts_strbuf out;
	struct read r;

	ts_strbuf_init(&out, 4096);
	read_bytes(&r, text, n);
	ck_assert_msg(r.code == TS_OK, "%s", r.err.msg);
	dump(&out, &r.tree);
	ck_assert_msg(out.len == want_n && memcmp(out.s, want, want_n) == 0, "%s", out.s);
	ts_json_tree_fini(&r.tree);
	ts_strbuf_fini(&out);
}

#define GIVES(text, want) gives(text, sizeof(text) - 1, want, sizeof(want) - 1)

START_TEST(all_that_is_there)
{
	GIVES("{}", "={0}\n");
	GIVES("{\"a\": {\"b\": [1, [], {\"c\": null}, \"x\"], \"d\": true}, \"e\": false}",
		"={2}\n a={2}\n  b=[4]\n   #0=1\n   #1=[0]\n   #2={1}\n    c=null\n   #3=x\n  "
		"d=true\n e=false\n");
	GIVES("{\"System Information\": {\"Nominal CPU frequency [GHz]\": 3.10, \"Total\": 96}}\n",
		"={1}\n System Information={2}\n  Nominal CPU frequency [GHz]=3.10\n  Total=96\n");
}
END_TEST

START_TEST(numbers_as_written)
{
	GIVES("{\"n\": [1.0, -0, 1e400, 123456789012345678901234567890, 1E+2]}",
		"={1}\n n=[5]\n  #0=1.0\n  #1=-0\n  #2=1e400\n  "
		"#3=123456789012345678901234567890\n  #4=1E+2\n");
}
END_TEST

START_TEST(odd_texts)
{
	GIVES("{\"\": \"\", \"\": 1, \"a\": 2, \"a\": 3}", "={4}\n =\n =1\n a=2\n a=3\n");
	GIVES("{\"a\\u0000b\": \"\\u0000\"}", "={1}\n a\0b=\0\n");
	GIVES("{\"a\": \"\\ud83d\\ude00 \\u00e9\\n\"}", "={1}\n a=\xf0\x9f\x98\x80 \xc3\xa9\n\n");
}
END_TEST

/* What they become is yajl's; that they stay within what the file has is ours. */
START_TEST(lone_surrogates)
{
	static const char *const text[] = {"{\"a\": \"\\ud83d\"}", "{\"a\": \"\\ude00\"}",
		"{\"a\": \"\\ud83d\\n\"}", "{\"\\ud83d\\ud83d\": 1}", "{\"a\": \"\\ud83dx\"}",
		"{\"a\": \"\xed\xa0\x80\"}"};

	for (size_t i = 0; i < TS_COUNT(text); i++) {
		struct read r;

		read_bytes(&r, text[i], strlen(text[i]));
		ck_assert_uint_le(r.tree.text_n, strlen(text[i]));
		ts_json_tree_fini(&r.tree);
	}
}
END_TEST

static const char good[] = "{\"TensorFlow\":\n {\"Version\": \"2.6\", \"list\": [1, 2,\n [3]],\n"
			   " \"x\": \"\\u00e9\xc3\xa9\"}}\n";

static int
lines_before(const char *text, size_t n)
{
	int lines = 1;

	for (size_t i = 0; i < n; i++)
		lines += text[i] == '\n';
	return lines;
}

START_TEST(cut_anywhere)
{
	size_t most = 0;

	for (size_t n = 0; n < sizeof(good) - 2; n++) {
		struct read r;
		char where[40];

		read_bytes(&r, good, n);
		ck_assert_int_eq(r.code, TS_E_DAMAGED);
		snprintf(where, sizeof(where), "line %d, near byte ", lines_before(good, n));
		ck_assert_msg(strstr(r.err.msg, where), "%zu: %s", n, r.err.msg);
		ck_assert_uint_ge(r.tree.count, most); /* what stands before it is kept */
		most = r.tree.count;
		ts_json_tree_fini(&r.tree);
	}
	ck_assert_uint_eq(most, 9);
}
END_TEST

START_TEST(changed_anywhere)
{
	char text[sizeof(good)];

	for (size_t i = 0; i < sizeof(good) - 1; i++)
		for (int bit = 0; bit < 8; bit++) {
			struct read r;

			memcpy(text, good, sizeof(good));
			text[i] ^= (char)(1 << bit);
			read_bytes(&r, text, sizeof(good) - 1);
			ck_assert(r.code == TS_OK || r.code == TS_E_DAMAGED);
			ts_json_tree_fini(&r.tree);
		}
}
END_TEST

static void
refuses(const char *text, const char *why)
{
	struct read r;

	read_bytes(&r, text, strlen(text));
	ck_assert_int_eq(r.code, TS_E_DAMAGED);
	ck_assert_msg(strstr(r.err.msg, why), "%s: %s", text, r.err.msg);
	ck_assert_ptr_null(strchr(r.err.msg, '\n'));
	ts_json_tree_fini(&r.tree);
}

START_TEST(what_is_wrong_and_where)
{
	refuses("", "line 1, near byte 1: not JSON: parse error: premature EOF");
	refuses("[]", "line 1, near byte 1: not a JSON object");
	refuses("\n\n3 ", "line 3, near byte 3: not a JSON object");
	refuses("{} {}", "trailing garbage");
	refuses("{\n\"a\": 1,\n\"b\": nul }", "line 3, near byte ");
	refuses("{\"a\": \"\xff\"}", "UTF8");
	refuses("{\"a\": \"tab\there\"}", "line 1, ");
	refuses("{\"a\": \"\\x\"}", "line 1, ");
}
END_TEST

enum { HOSTILE = 10 << 20 };

/* --- hostile ---------------------------------------------------------------------------------- */

/* `head`, then `again` as often as `n` bytes allow, then `tail`. */
static void
read_repeated(struct read *r, const char *head, const char *again, const char *tail, size_t n)
{
	size_t head_n = strlen(head), m = strlen(again), tail_n = strlen(tail);
	char *text = malloc(n);
	size_t at = head_n;

	memcpy(text, head, head_n);
	for (; at + m + tail_n <= n; at += m)
		memcpy(text + at, again, m);
	memcpy(text + at, tail, tail_n);
	read_bytes(r, text, at + tail_n);
	free(text);
}

static const struct {
	const char *head, *again, *tail;
	enum ts_code code;
	bool full; /* more values than are kept */
	const char *why;
} hostile[] = {
	{"{\"a\":[0", ",0", "]}", TS_OK, true, ""},
	{"{\"a\":[[]", ",[]", "]}", TS_OK, true, ""},
	{"{\"a\":0", ",\"a\":0", "}", TS_OK, true, ""},
	{"{\"\":{}", ",\"\":{}", "}", TS_OK, true, ""},
	{"{\"a\":[\"\"", ",\"\\u0000\"", "]}", TS_OK, true, ""},
	{"{\"a\":[0", ",0", "", TS_E_DAMAGED, true, "premature EOF"},
	{"{\"a\":", "[", "", TS_E_DAMAGED, false, "line 1, near byte 2053: nested too deep"},
	{"", "{\"\":", "", TS_E_DAMAGED, false, "nested too deep"},
	{"{\"a\":\"", "x", "\"}", TS_E_DAMAGED, false, "no value in"},
	{"{\"a\":", "1", "}", TS_E_DAMAGED, false, "no value in"},
	{"{", " ", "}", TS_E_DAMAGED, false, "no value in"},
	{"{\"a\":", "\n", "1}", TS_E_DAMAGED, false, "line 4"},
};

START_TEST(hostile_files)
{
	struct read r;

	read_repeated(&r, hostile[_i].head, hostile[_i].again, hostile[_i].tail, HOSTILE);
	ck_assert_msg(r.code == hostile[_i].code, "%s", r.err.msg);
	ck_assert_msg(strstr(r.err.msg, hostile[_i].why), "%s", r.err.msg);
	ck_assert_int_eq(r.tree.values > TS_JSON_NODES, hostile[_i].full);
	if (hostile[_i].full)
		ck_assert_uint_eq(r.tree.count, TS_JSON_NODES);
	ts_json_tree_fini(&r.tree);
}
END_TEST

/* Counted although they are not kept; and the deepest that is taken. */
START_TEST(bounds)
{
	struct read r;
	char *text = malloc(TS_JSON_BYTES + 1);
	size_t n = 0;

	read_repeated(&r, "{\"a\":[0", ",0", "], \"b\": 7}", TS_JSON_BYTES);
	ck_assert_uint_eq(r.tree.node[0].value, 2);
	ck_assert_int_eq(r.tree.values, 3 + (int64_t)r.tree.node[1].value);
	ck_assert_uint_gt(r.tree.node[1].value, 8 << 20 >> 1);
	ts_json_tree_fini(&r.tree);

	for (int i = 0; i < TS_JSON_DEPTH; i++)
		n += (size_t)sprintf(text + n, "{\"\":");
	n += (size_t)sprintf(text + n, "1");
	memset(text + n, '}', TS_JSON_DEPTH);
	read_bytes(&r, text, n + TS_JSON_DEPTH);
	ck_assert_msg(r.code == TS_OK, "%s", r.err.msg);
	ck_assert_uint_eq(r.tree.count, TS_JSON_DEPTH + 1);
	ts_json_tree_fini(&r.tree);

	memset(text, ' ', TS_JSON_BYTES + 1);
	read_bytes(&r, text, TS_JSON_BYTES + 1);
	ck_assert_int_eq(r.code, TS_E_LIMIT);
	free(text);
}
END_TEST

START_TEST(cancelled)
{
	struct ts_cancel cancel = {0};
	struct ts_json_tree t;
	struct ts_source *s;

	ts_cancel_set(&cancel);
	ck_assert_int_eq(ts_source_open_mem(&s, good, sizeof(good) - 1, NULL), TS_OK);
	ck_assert_int_eq(ts_json_tree_read(&t, s, NULL, &cancel, NULL), TS_E_CANCELLED);
	ck_assert_uint_eq(t.count, 0);
	ts_source_close(s);
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("json_tree");
	TCase *tc = tcase_create("json_tree");
	SRunner *sr;
	int failed;

	tcase_set_timeout(tc, 60);
	tcase_add_test(tc, all_that_is_there);
	tcase_add_test(tc, numbers_as_written);
	tcase_add_test(tc, odd_texts);
	tcase_add_test(tc, lone_surrogates);
	tcase_add_test(tc, cut_anywhere);
	tcase_add_test(tc, changed_anywhere);
	tcase_add_test(tc, what_is_wrong_and_where);
	tcase_add_loop_test(tc, hostile_files, 0, TS_COUNT(hostile));
	tcase_add_test(tc, bounds);
	tcase_add_test(tc, cancelled);
	suite_add_tcase(s, tc);
	sr = srunner_create(s);
	srunner_run_all(sr, CK_NORMAL);
	failed = srunner_ntests_failed(sr);
	srunner_free(sr);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
