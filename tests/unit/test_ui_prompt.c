/* SPDX-License-Identifier: MIT */
/* The prompt: editing, history, completion, and that its text stays valid. */
#include "config.h"

#include <check.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>

#include "tilescope/base/mem.h"
#include "tilescope/base/utf8.h"
#include "tilescope/ui/prompt.h"

static void
type(struct ts_prompt *p, const char *s)
{
	for (size_t n = strlen(s), used; n > 0; s += used, n -= used) {
		uint32_t cp;

		used = ts_utf8_next(s, n, &cp);
		ck_assert_int_eq(ts_prompt_type(p, cp), TS_PROMPT_EDITED);
	}
}

static void
words(void *ctx, const char *line, struct ts_candidates *out)
{
	static const char *const all[] = {"view", "memory", "mesh", "mes\u00e4", "mes\u00f6"};
	const char *word = strrchr(line, ' ');

	(void)ctx;
	word = word ? word + 1 : line;
	out->start = (size_t)(word - line);
	for (size_t i = 0; i < TS_COUNT(all); i++)
		if (strncmp(all[i], word, strlen(word)) == 0)
			ts_candidates_add(out, all[i]);
}

START_TEST(editing)
{
	struct ts_prompt p;

	ts_prompt_open(&p, ":", "ab\033c", NULL, NULL, NULL);
	ck_assert_str_eq(p.text, "abc"); /* what cannot be typed is not there */
	type(&p, " x\u00e4y");
	ts_prompt_command(&p, TS_CMD_CHAR_LEFT);
	ts_prompt_command(&p, TS_CMD_ERASE);
	ck_assert_str_eq(p.text, "abc xy");
	ts_prompt_command(&p, TS_CMD_WORD_LEFT);
	type(&p, "\u5909");
	ck_assert_str_eq(p.text, "abc \u5909xy");
	ts_prompt_command(&p, TS_CMD_CHAR_LEFT);
	ts_prompt_command(&p, TS_CMD_ERASE_RIGHT);
	ck_assert_str_eq(p.text, "abc xy");
	ts_prompt_command(&p, TS_CMD_LINE_END);
	ts_prompt_command(&p, TS_CMD_ERASE_WORD);
	ck_assert_str_eq(p.text, "abc ");
	ts_prompt_command(&p, TS_CMD_LINE_BEGIN);
	ts_prompt_command(&p, TS_CMD_WORD_RIGHT);
	ts_prompt_command(&p, TS_CMD_ERASE_END);
	ck_assert_str_eq(p.text, "abc");
	ts_prompt_command(&p, TS_CMD_ERASE_BEGIN);
	ck_assert_str_eq(p.text, "");
	ck_assert_int_eq(ts_prompt_command(&p, TS_CMD_ERASE), TS_PROMPT_DISMISSED);
	ck_assert_int_eq(ts_prompt_command(&p, TS_CMD_QUIT), TS_PROMPT_IGNORED);
	ck_assert_int_eq(ts_prompt_type(&p, TS_KEY_UP), TS_PROMPT_IGNORED);
	ck_assert_int_eq(ts_prompt_type(&p, 0x202e), TS_PROMPT_IGNORED);
}
END_TEST

START_TEST(history)
{
	struct ts_history h;
	struct ts_prompt p;

	ts_history_init(&h);
	ts_history_add(&h, "one");
	ts_history_add(&h, "two");
	ts_history_add(&h, "");
	ts_history_add(&h, "one");
	ck_assert_int_eq(h.count, 2);
	ts_prompt_open(&p, ":", "new", &h, NULL, NULL);
	ts_prompt_command(&p, TS_CMD_OLDER);
	ck_assert_str_eq(p.text, "one");
	ts_prompt_command(&p, TS_CMD_OLDER);
	ts_prompt_command(&p, TS_CMD_OLDER);
	ck_assert_str_eq(p.text, "two");
	ts_prompt_command(&p, TS_CMD_NEWER);
	ts_prompt_command(&p, TS_CMD_NEWER);
	ts_prompt_command(&p, TS_CMD_NEWER);
	ck_assert_str_eq(p.text, "new");
	ck_assert_int_eq(ts_prompt_command(&p, TS_CMD_ACCEPT), TS_PROMPT_ACCEPTED);
	ck_assert_str_eq(h.line[h.count - 1], "new");
	for (int i = 0; i < 200; i++) {
		char line[8] = {(char)('a' + i % 26), (char)('a' + i / 26), 0};

		ts_history_add(&h, line);
	}
	ck_assert_int_eq(h.count, TS_PROMPT_HISTORY);
	ts_history_fini(&h);
}
END_TEST

START_TEST(completion)
{
	struct ts_prompt p;

	ts_prompt_open(&p, ":", "v", NULL, words, NULL);
	ts_prompt_command(&p, TS_CMD_COMPLETE);
	ck_assert_str_eq(p.text, "view ");
	type(&p, "m");
	ts_prompt_command(&p, TS_CMD_COMPLETE);
	ck_assert_str_eq(p.text, "view me"); /* what all share */
	ts_prompt_command(&p, TS_CMD_COMPLETE);
	ck_assert_str_eq(p.text, "view memory");
	ts_prompt_command(&p, TS_CMD_COMPLETE);
	ck_assert_str_eq(p.text, "view mesh");
	ts_prompt_command(&p, TS_CMD_COMPLETE_BACK);
	ts_prompt_command(&p, TS_CMD_COMPLETE_BACK);
	ck_assert_str_eq(p.text, "view mes\u00f6");
	ts_prompt_command(&p, TS_CMD_ERASE_WORD);
	type(&p, "mes\u00e4");
	ts_prompt_command(&p, TS_CMD_ERASE);
	ts_prompt_command(&p, TS_CMD_COMPLETE);
	ck_assert_str_eq(p.text, "view mes"); /* not half of a character */
	ts_prompt_command(&p, TS_CMD_ERASE_WORD);
	type(&p, "zzz");
	ts_prompt_command(&p, TS_CMD_COMPLETE);
	ck_assert_str_eq(p.text, "view zzz");
}
END_TEST

START_TEST(a_long_line_follows_the_cursor)
{
	struct ts_canvas *c = ts_canvas_new(12, 2, TS_GLYPHS_FULL);
	struct ts_strbuf out;
	struct ts_prompt p;

	ts_prompt_open(&p, ":", "abcdefghijklmnopqrstuvwxyz", NULL, words, NULL);
	ts_prompt_draw(c, ts_canvas_rect(c), &p);
	ck_assert_int_eq(c->cursor_x, 11);
	ck_assert_int_eq(c->cursor_y, 1);
	ts_strbuf_init(&out, 1000);
	ts_canvas_dump(c, &out);
	ck_assert_str_eq(out.s, "\n:qrstuvwxyz\n");
	ts_prompt_command(&p, TS_CMD_LINE_BEGIN);
	ts_prompt_draw(c, ts_canvas_rect(c), &p);
	ck_assert_int_eq(c->cursor_x, 1);
	ts_strbuf_fini(&out);
	ts_canvas_free(c);
}
END_TEST

START_TEST(a_hint_makes_room_for_candidates)
{
	struct ts_canvas *c = ts_canvas_new(12, 2, TS_GLYPHS_FULL);
	struct ts_strbuf out;
	struct ts_prompt p;

	ts_prompt_open(&p, "&", "view m", NULL, words, NULL);
	ts_prompt_hint(&p, "tile:1");
	ts_prompt_draw(c, ts_canvas_rect(c), &p);
	ts_strbuf_init(&out, 1000);
	ts_canvas_dump(c, &out);
	ck_assert_str_eq(out.s, "tile:1\n&view m\n");
	ts_strbuf_fini(&out);
	ts_prompt_command(&p, TS_CMD_COMPLETE);
	ts_prompt_draw(c, ts_canvas_rect(c), &p);
	ts_strbuf_init(&out, 1000);
	ts_canvas_dump(c, &out);
	ck_assert_ptr_null(strstr(out.s, "tile:1"));
	ck_assert_ptr_nonnull(strstr(out.s, "memory"));
	ts_strbuf_fini(&out);
	ts_canvas_free(c);
}
END_TEST

START_TEST(any_keys_leave_valid_text)
{
	static const uint32_t chars[] = {'a', ' ', 0xe4, 0x5909, 0x1f600, 'm', 'e'};
	struct ts_canvas *c = ts_canvas_new(20, 3, TS_GLYPHS_FULL);
	struct ts_history h;
	struct ts_prompt p;
	unsigned seed = 9;

	ts_history_init(&h);
	ts_prompt_open(&p, ":", NULL, &h, words, NULL);
	for (int round = 0; round < 50000; round++) {
		seed = seed * 1664525u + 1013904223u;
		if (seed >> 8 & 3)
			ts_prompt_type(&p, chars[(seed >> 12) % TS_COUNT(chars)]);
		else
			ts_prompt_command(&p,
				TS_CMD_ACCEPT + (seed >> 12) % (TS_CMD_COUNT - TS_CMD_ACCEPT));
		ck_assert(ts_utf8_valid(p.text, p.len));
		ck_assert_uint_eq(strlen(p.text), p.len);
		ck_assert_uint_le(p.cursor, p.len);
		ck_assert_int_ne((unsigned char)p.text[p.cursor] & 0xc0, 0x80);
		ck_assert_uint_lt(p.len, TS_PROMPT_MAX);
		ts_prompt_draw(c, ts_canvas_rect(c), &p);
	}
	ts_history_fini(&h);
	ts_canvas_free(c);
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("ui_prompt");
	TCase *c = tcase_create("all");
	setlocale(LC_CTYPE, "C.UTF-8");
	tcase_add_test(c, editing);
	tcase_add_test(c, history);
	tcase_add_test(c, completion);
	tcase_add_test(c, a_long_line_follows_the_cursor);
	tcase_add_test(c, a_hint_makes_room_for_candidates);
	tcase_add_test(c, any_keys_leave_valid_text);
	tcase_set_timeout(c, 60);
	suite_add_tcase(s, c);
	SRunner *r = srunner_create(s);
	srunner_run_all(r, CK_NORMAL);
	int failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
