/* SPDX-License-Identifier: MIT */
/* test_vars_json - vars.json as a stream: what is taken, what is passed over, what is refused. */
#include "config.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "tilescope/base/strbuf.h"
#include "tilescope/format/vars_json.h"

#include "corpus.h"
#include "json_check.h"

enum { KEPT = 16 };

static struct ts_err err;
static struct ts_vars_target target;
static struct ts_vars_variable kept[KEPT];
static int count;

static enum ts_code
keep(void *ctx, const struct ts_vars_variable *v, struct ts_err *why)
{
	(void)ctx;
	(void)why;
	if (count < KEPT)
		kept[count] = *v;
	count++;
	return TS_OK;
}

static enum ts_code
read_bytes(const char *text, size_t n)
{
	static const struct ts_vars_sink sink = {.variable = keep};
	struct ts_source *s;
	enum ts_code code;

	count = 0;
	err = (struct ts_err){0};
	ck_assert_int_eq(ts_source_open_mem(&s, text, n, &err), TS_OK);
	code = ts_vars_json_read(&target, s, &sink, NULL, NULL, &err);
	ts_source_close(s);
	return code;
}

static enum ts_code
read_text(const char *text)
{
	return read_bytes(text, strlen(text));
}

static const char good[] =
	"{\"numTiles\": 4, \"x\": {\"vars\": [{\"var\": 9, \"info\": {\"tile\": 9}}]},"
	" \"targetMemoryInfo\": {\"tileMemory\": 638976, \"interleavedMemoryStart\": 3e5,"
	"  \"memoryElementOffsets\": [0, 16384, 32768.0], \"supervisorInstrFetchDelay\": 2},"
	" \"vars\": [{\"var\": 7, \"info\": {\"allocated\": true, \"tile\": 3, \"name\": \"a\\u00e9\\n\","
	"  \"sizeBytes\": 40, \"alignment\": 8, \"offset\": 100, \"category\": \"variable\","
	"  \"isConstant\": false, \"alwaysLive\": false, \"equivalenceClass\": 12,"
	"  \"deep\": [[{\"tile\": 5}]]}},"
	"  {\"info\": {\"tile\": \"two\", \"sizeBytes\": 1.5, \"name\": null}, \"var\": 8}],"
	" \"equivalenceClassInterference\": [[0, 1], []], \"allocationOrderByTile\": [[7]]}";

START_TEST(takes_what_is_known)
{
	ck_assert_int_eq(read_text(good), TS_OK);
	ck_assert_int_eq(target.tiles, 4);
	ck_assert_int_eq(target.tile_bytes, 638976);
	ck_assert_int_eq(target.interleaved_start, 300000);
	ck_assert_uint_eq(target.elements, 3);
	ck_assert_int_eq(target.element_offset[2], 32768);
	ck_assert_int_eq(count, 2);
	ck_assert_int_eq(kept[0].number, 7);
	ck_assert_int_eq(kept[0].tile, 3);
	ck_assert_int_eq(kept[0].bytes, 40);
	ck_assert_int_eq(kept[0].offset, 100);
	ck_assert_int_eq(kept[0].alignment, 8);
	ck_assert_int_eq(kept[0].equivalence_class, 12);
	ck_assert_int_eq(kept[0].always_live, 0);
	ck_assert_int_eq(kept[0].allocated, 1);
	ck_assert_uint_eq(kept[0].name_len, 4);
	ck_assert_int_eq(memcmp(kept[0].name, "a\xc3\xa9\n", 4), 0);
	ck_assert_uint_eq(kept[0].category_len, 8);
	ck_assert_int_eq(kept[1].number, 8);
	ck_assert(kept[1].tile == TS_VARS_UNKNOWN && kept[1].bytes == TS_VARS_UNKNOWN);
	ck_assert(kept[1].allocated == TS_VARS_UNKNOWN && kept[1].name_len == 0);
}
END_TEST

/* Cut anywhere it is damage, and never more than what came before. */
START_TEST(cut_anywhere)
{
	for (size_t n = 0; n < sizeof(good) - 1; n++) {
		ck_assert_int_eq(read_bytes(good, n), TS_E_DAMAGED);
		ck_assert_ptr_nonnull(strstr(err.msg, "near byte"));
		ck_assert_int_le(count, 2);
	}
}
END_TEST

/* Any byte changed: read or refused, never worse. */
START_TEST(changed_anywhere)
{
	char text[sizeof(good)];

	for (size_t i = 0; i < sizeof(good) - 1; i++)
		for (int bit = 0; bit < 8; bit++) {
			enum ts_code code;

			memcpy(text, good, sizeof(good));
			text[i] ^= (char)(1 << bit);
			code = read_text(text);
			ck_assert(code == TS_OK || code == TS_E_DAMAGED);
		}
}
END_TEST

START_TEST(other_shapes)
{
	static const char *const fine[] = {"[]", "{}", "3", "null", "{\"vars\": 3}",
		"{\"vars\": {}}", "{\"vars\": [1, \"a\", [], {\"info\": []}]}",
		"{\"vars\": [{\"var\": {}}]}", "[{\"vars\": [{\"var\": 1}]}]",
		"{\"targetMemoryInfo\": [1]}",
		"{\"numTiles\": 99999999999999999999999999999999999}", "{\"numTiles\": 1e400}"};
	static const char *const bad[] = {"", "nul", "{} {}", "{\"a\" 1}", "{'a': 1}", "\xff",
		"{\"a\": \"\xff\"}"};

	for (size_t i = 0; i < sizeof(fine) / sizeof(*fine); i++) {
		ck_assert_msg(read_text(fine[i]) == TS_OK, "%s: %s", fine[i], err.msg);
		ck_assert(target.tiles == TS_VARS_UNKNOWN);
	}
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
		ck_assert_msg(read_text(bad[i]) == TS_E_DAMAGED, "%s", bad[i]);
}
END_TEST

/* One character without end: nesting, a string, blanks, digits. */
START_TEST(bombs)
{
	static const struct {
		const char *head;
		char c;
	} bomb[] = {{"", '['}, {"{\"vars\": [{\"info\": {\"name\": \"", 'x'}, {"", ' '}, {"", '1'}};
	size_t n = (size_t)12 << 20;
	char *text = malloc(n);

	for (size_t i = 0; i < sizeof(bomb) / sizeof(*bomb); i++) {
		memset(text, bomb[i].c, n);
		memcpy(text, bomb[i].head, strlen(bomb[i].head));
		ck_assert_int_eq(read_bytes(text, n), TS_E_DAMAGED);
		ck_assert_msg(strstr(err.msg, i ? "no value in" : "deeper than") != NULL, "%s",
			err.msg);
	}
	free(text);
}
END_TEST

/* Larger than a chunk, so that tokens are cut by its end, everywhere. */
START_TEST(many)
{
	struct ts_strbuf b;

	ts_strbuf_init(&b, 1 << 26);
	ts_strbuf_puts(&b, "{\"vars\": [");
	for (int i = 0; i < 20000; i++)
		ts_strbuf_printf(&b,
			"%s{\"var\": %d, \"info\": {\"tile\": %d, \"name\": \"%0*d\"}}",
			i ? "," : "", i, i / 7, i % 300 + 1, i);
	ts_strbuf_puts(&b, "]}");
	ck_assert(!b.cut);
	ck_assert_msg(read_bytes(b.s, b.len) == TS_OK, "%s", err.msg);
	ck_assert_int_eq(count, 20000);
	ts_strbuf_fini(&b);
}
END_TEST

START_TEST(cancelled)
{
	static const struct ts_vars_sink sink = {.variable = keep};
	struct ts_cancel cancel = {0};
	struct ts_source *s;

	ts_cancel_set(&cancel);
	ck_assert_int_eq(ts_source_open_mem(&s, good, sizeof(good) - 1, &err), TS_OK);
	ck_assert_int_eq(ts_vars_json_read(&target, s, &sink, NULL, &cancel, &err), TS_E_CANCELLED);
	ts_source_close(s);
}
END_TEST

static void
replay(void *ctx, const char *file, const unsigned char *bytes, size_t n)
{
	const char *why = json_check(bytes, n);

	(void)ctx;
	ck_assert_msg(!why, "%s: %s", file, why);
}

START_TEST(corpus)
{
	corpus_each("json", JSON_CHECK_BYTES, replay, NULL);
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("vars_json");
	TCase *c = tcase_create("vars_json");
	SRunner *r;
	int failed;

	tcase_set_timeout(c, 120);
	tcase_add_test(c, takes_what_is_known);
	tcase_add_test(c, cut_anywhere);
	tcase_add_test(c, changed_anywhere);
	tcase_add_test(c, other_shapes);
	tcase_add_test(c, bombs);
	tcase_add_test(c, many);
	tcase_add_test(c, cancelled);
	tcase_add_test(c, corpus);
	suite_add_tcase(s, c);
	r = srunner_create(s);
	srunner_run_all(r, CK_NORMAL);
	failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
