/* SPDX-License-Identifier: MIT */
/* Keys, commands and keymaps: as text and back, looked up, and the keymaps that we ship. */
#include "config.h"

#include <check.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tilescope/base/embedded.h"
#include "tilescope/base/mem.h"
#include "tilescope/ui/keymap.h"

static void
same_key(const char *text, ts_key expected)
{
	ts_key key = 0;

	ck_assert_msg(ts_key_parse(text, &key), "%s", text);
	ck_assert_msg(key == expected, "%s is %x, not %x", text, key, expected);
}

START_TEST(keys_are_read)
{
	same_key("x", 'x');
	same_key("C-o", 'o' | TS_KEY_CTRL);
	same_key("C-O", 'o' | TS_KEY_CTRL);
	same_key("M-o", 'o' | TS_KEY_ALT);
	same_key("C-M-Left", TS_KEY_LEFT | TS_KEY_CTRL | TS_KEY_ALT);
	same_key("S-Tab", TS_KEY_TAB | TS_KEY_SHIFT);
	same_key("BackTab", TS_KEY_TAB | TS_KEY_SHIFT);
	same_key("pgup", TS_KEY_PGUP);
	same_key("PageUp", TS_KEY_PGUP);
	same_key("F12", TS_KEY_F12);
	same_key("-", '-');
	same_key("C--", '-' | TS_KEY_CTRL);
	same_key("Space", ' ');
	same_key("S-a", 'A');
	same_key("\u00e4", 0xe4);
	/* what a terminal cannot tell apart is the same */
	same_key("C-i", TS_KEY_TAB);
	same_key("C-m", TS_KEY_ENTER);
	same_key("C-[", TS_KEY_ESC);
	same_key("C-h", TS_KEY_BACKSPACE);
	ck_assert(!ts_key_parse("", &(ts_key){0}));
	ck_assert(!ts_key_parse("Nokey", &(ts_key){0}));
	ck_assert(!ts_key_parse("\033", &(ts_key){0}));
}
END_TEST

START_TEST(control_characters_have_names)
{
	char text[TS_KEY_TEXT];

	ck_assert_str_eq(ts_key_print(text, ts_key_from_char(15)), "C-o");
	ck_assert_str_eq(ts_key_print(text, ts_key_from_char(9)), "Tab");
	ck_assert_str_eq(ts_key_print(text, ts_key_from_char(13)), "Enter");
	ck_assert_str_eq(ts_key_print(text, ts_key_from_char(10)), "Enter");
	ck_assert_str_eq(ts_key_print(text, ts_key_from_char(27)), "Esc");
	ck_assert_str_eq(ts_key_print(text, ts_key_from_char(127)), "Backspace");
	ck_assert_str_eq(ts_key_print(text, ts_key_from_char(8)), "Backspace");
	ck_assert_str_eq(ts_key_print(text, ts_key_from_char(0)), "C-Space");
	ck_assert_str_eq(ts_key_print(text, ts_key_from_char(28)), "C-\\");
	ck_assert(!ts_key_is_text(ts_key_from_char(1)));
	ck_assert(!ts_key_is_text(TS_KEY_UP));
	ck_assert(!ts_key_is_text(0x202e));
	ck_assert(ts_key_is_text(0xe4));
}
END_TEST

START_TEST(every_key_comes_back_from_its_text)
{
	static const ts_key flags[] = {0, TS_KEY_ALT, TS_KEY_CTRL, TS_KEY_SHIFT | TS_KEY_ALT};

	for (size_t f = 0; f < TS_COUNT(flags); f++)
		for (ts_key code = ' '; code < TS_KEY_NAMED_END;
			code += code == 0xff ? 0x10ff01 : 1) {
			char text[TS_KEY_TEXT], again[TS_KEY_TEXT];
			ts_key key;

			if (code == TS_KEY_NAMED || (code >= 0x7f && code < 0xa1) || code == 0xad)
				continue;
			ts_key_print(text, code | flags[f]);
			ck_assert_msg(ts_key_parse(text, &key), "%s", text);
			ck_assert_msg(ts_key_parse(ts_key_print(again, key), &key), "%s", again);
			if (code >= TS_KEY_NAMED)
				ck_assert_uint_eq(key, code | flags[f]);
		}
}
END_TEST

START_TEST(sequences)
{
	static const struct {
		const char *text;
		int n;
		const char *printed;
	} cases[] = {
		{"gm", 2, "gm"},
		{"PgUp", 1, "PgUp"},
		{"C-x C-c", 2, "C-x C-c"},
		{"C-w w", 2, "C-w w"},
		{"g Enter", 2, "g Enter"},
		{"U p", 2, "U p"},
		{"g m", 2, "gm"},
		{"C-", 2, "C-"},
	};

	for (size_t i = 0; i < TS_COUNT(cases); i++) {
		struct ts_keys keys, again;
		char text[TS_KEYS_TEXT];

		ck_assert_msg(ts_keys_parse(cases[i].text, &keys), "%s", cases[i].text);
		ck_assert_int_eq(keys.n, cases[i].n);
		ck_assert_str_eq(ts_keys_print(text, &keys), cases[i].printed);
		ck_assert(ts_keys_parse(text, &again));
		ck_assert_int_eq(again.n, keys.n);
	}
	ck_assert(!ts_keys_parse("", &(struct ts_keys){0}));
	ck_assert(!ts_keys_parse("abcde", &(struct ts_keys){0}));
	ck_assert(!ts_keys_parse("a\033", &(struct ts_keys){0}));
}
END_TEST

START_TEST(typed_lines_become_calls)
{
	static const char *const vim[] = {"q", "q!", "qa", "qa!", "quit!", "qall", "wq", "wq!",
		"x"};
	struct ts_call call;
	struct ts_err err;

	ck_assert_int_eq(ts_call_parse(&call, "  view  memory ", &err), TS_OK);
	ck_assert_int_eq(call.cmd, TS_CMD_VIEW);
	ck_assert_int_eq(call.argc, 1);
	ck_assert_str_eq(ts_call_arg(&call, 0), "memory");
	ck_assert_ptr_null(ts_call_arg(&call, 1));
	ck_assert_int_eq(ts_call_parse(&call, "set units \"a b\" c", &err), TS_OK);
	ck_assert_str_eq(ts_call_arg(&call, 1), "\"a b\" c");
	ck_assert_int_eq(ts_call_parse(&call, "search  # of tiles  ", &err), TS_OK);
	ck_assert_str_eq(ts_call_arg(&call, 0), "# of tiles");
	ck_assert_int_eq(ts_call_parse(&call, "theme \"colour-blind\"", &err), TS_OK);
	ck_assert_str_eq(ts_call_arg(&call, 0), "colour-blind");
	ck_assert_int_eq(ts_call_parse(&call, "4711", &err), TS_OK);
	ck_assert_int_eq(call.cmd, TS_CMD_GOTO);
	ck_assert_str_eq(ts_call_arg(&call, 0), "4711");
	ck_assert_int_eq(ts_call_parse(&call, "goto 12", &err), TS_OK);
	ck_assert_str_eq(ts_call_arg(&call, 0), "12");
	ck_assert_int_eq(ts_call_parse(&call, "goto 12,345,678", &err), TS_OK);
	ck_assert_str_eq(ts_call_arg(&call, 0), "12345678");
	ck_assert_int_eq(ts_call_parse(&call, "96,000", &err), TS_OK);
	ck_assert_int_eq(call.cmd, TS_CMD_GOTO);
	ck_assert_str_eq(ts_call_arg(&call, 0), "96000");
	ck_assert_int_eq(ts_call_parse(&call, "goto 1,23", &err), TS_OK);
	ck_assert_str_eq(ts_call_arg(&call, 0), "1,23");
	ck_assert_int_eq(ts_call_parse(&call, "search 12,345", &err), TS_OK);
	ck_assert_str_eq(ts_call_arg(&call, 0), "12,345");
	for (size_t i = 0; i < TS_COUNT(vim); i++) {
		ck_assert_msg(ts_call_parse(&call, vim[i], &err) == TS_OK, "%s", vim[i]);
		ck_assert_int_eq(call.cmd, TS_CMD_QUIT);
	}
	ck_assert_int_eq(ts_call_parse(&call, "q! now", &err), TS_E_USAGE);
	ck_assert_int_eq(ts_call_parse(&call, "write!", &err), TS_E_USAGE); /* no file */
	ck_assert_int_eq(ts_call_parse(&call, "q", &err), TS_OK);
	ck_assert_int_eq(call.cmd, TS_CMD_QUIT);
	/* a copy is as good */
	struct ts_call copy = call;

	ck_assert_int_eq(copy.cmd, TS_CMD_QUIT);
}
END_TEST

START_TEST(arguments_that_are_known)
{
	char word[8][TS_COMMAND_WORD];

	ck_assert_int_eq(ts_command_complete_arg(TS_CMD_SORT, 0, "", word, 8), 5);
	ck_assert_str_eq(word[0], "row");
	ck_assert_str_eq(word[4], "category");
	ck_assert_int_eq(ts_command_complete_arg(TS_CMD_SORT, 0, "b", word, 8), 1);
	ck_assert_str_eq(word[0], "bytes");
	ck_assert_int_eq(ts_command_complete_arg(TS_CMD_SORT, 1, "", word, 8), 0);
	ck_assert_int_eq(ts_command_complete_arg(TS_CMD_INDEX, 0, "s", word, 8), 1);
	ck_assert_str_eq(word[0], "stop");
	ck_assert_int_eq(ts_command_complete_arg(TS_CMD_MOUSE, 0, "o", word, 1), 2);
	ck_assert_int_eq(ts_command_complete_arg(TS_CMD_VIEW, 0, "", word, 8), 0);
	ck_assert_int_eq(ts_command_complete_arg(TS_CMD_QUIT, 0, "", word, 8), 0);
}
END_TEST

START_TEST(wrong_lines_say_why)
{
	static const struct {
		const char *line, *message;
	} cases[] = {
		{"", "no command"},
		{"nothing", "unknown command \"nothing\""},
		{"accept", "unknown command \"accept\""},
		{"quit now", "quit takes no arguments"},
		{"view", "usage: view VIEW"},
		{"view a b", "usage: view VIEW"},
		{"page", "\"page\" could be page-up, page-down, page-left, ..."},
		{"peak", "\"peak\" could be peak-next, peak-previous"},
	};
	struct ts_call call;
	struct ts_err err;

	for (size_t i = 0; i < TS_COUNT(cases); i++) {
		ck_assert_int_eq(ts_call_parse(&call, cases[i].line, &err), TS_E_USAGE);
		ck_assert_str_eq(err.msg, cases[i].message);
	}
}
END_TEST

START_TEST(long_lines_are_refused)
{
	char line[4096];
	struct ts_call call;

	memset(line, 'x', sizeof(line) - 1);
	line[sizeof(line) - 1] = '\0';
	ck_assert_int_eq(ts_call_parse(&call, line, NULL), TS_E_USAGE);
	memcpy(line, "search ", 7);
	ck_assert_int_eq(ts_call_parse(&call, line, NULL), TS_E_USAGE);
	memcpy(line, "view \"", 6);
	ck_assert_int_eq(ts_call_parse(&call, line, NULL), TS_E_USAGE);
}
END_TEST

static const char *
find_keymap(void *ctx, const char *name)
{
	char path[64];
	const struct ts_embedded *e;

	if (ctx && strcmp(name, "base") == 0)
		return ctx;
	snprintf(path, sizeof(path), "keymaps/%s.keys", name);
	e = ts_embedded_find(path);
	return e ? e->text : NULL;
}

/* Read `text`; the complaints must be `expected`. */
static struct ts_keymap
read_keymap(const char *text, char *base, const char *expected)
{
	struct ts_keymap map;
	struct ts_strbuf complaints;

	ts_keymap_init(&map);
	ts_strbuf_init(&complaints, 10000);
	ts_keymap_read(&map, "x.keys", text, find_keymap, base, &complaints);
	ck_assert_str_eq(complaints.s, expected);
	ts_strbuf_fini(&complaints);
	return map;
}

/* The command of keys, or -1 for none, -2 for a prefix. */
static int
command_of(const struct ts_keymap *map, enum ts_context near, const char *text)
{
	enum ts_context contexts[] = {near, TS_CONTEXT_GLOBAL};
	const struct ts_key_binding *b;
	struct ts_keys keys;
	enum ts_match m;

	ck_assert(ts_keys_parse(text, &keys));
	m = ts_keymap_find(&b, map, contexts, 2, &keys);
	return m == TS_MATCH_FOUND ? (int)b->cmd : m == TS_MATCH_PREFIX ? -2 : -1;
}

START_TEST(shipped_keymaps_have_no_faults)
{
	for (const struct ts_embedded *e = ts_embedded; e->name; e++) {
		struct ts_keymap map;

		if (strncmp(e->name, "keymaps/", 8) != 0)
			continue;
		map = read_keymap(e->text, NULL, "");
		ck_assert_int_gt((int)map.count, 50);
		ts_keymap_fini(&map);
	}
}
END_TEST

START_TEST(every_command_has_a_key_or_is_typed)
{
	struct ts_keymap map = read_keymap(find_keymap(NULL, "default"), NULL, "");

	for (int cmd = 0; cmd < TS_CMD_COUNT; cmd++) {
		bool bound = false;

		for (size_t i = 0; i < map.count; i++)
			bound = bound || (int)map.binding[i].cmd == cmd;
		ck_assert_msg(bound != ts_commands[cmd].typed, "%s", ts_commands[cmd].name);
		ck_assert_int_eq(ts_command_find(ts_commands[cmd].name), cmd);
		ck_assert(ts_commands[cmd].help[0] >= 'a' && ts_commands[cmd].help[0] <= 'z');
	}
	ts_keymap_fini(&map);
}
END_TEST

START_TEST(keys_are_looked_up_from_near_to_far)
{
	struct ts_keymap map = read_keymap("bind global gm goto-memory\n"
					   "bind global gg first\n"
					   "bind list gg last\n"
					   "bind memory g reload -- read it again\n",
		NULL, "");
	enum ts_context list[] = {TS_CONTEXT_LIST, TS_CONTEXT_GLOBAL};
	const struct ts_key_binding *b, *found[8];
	struct ts_keys g = {1, {'g'}};

	ck_assert_int_eq(command_of(&map, TS_CONTEXT_LIST, "g"), -2);
	ck_assert_int_eq(command_of(&map, TS_CONTEXT_LIST, "gg"), TS_CMD_LAST);
	ck_assert_int_eq(command_of(&map, TS_CONTEXT_LIST, "gm"), TS_CMD_GOTO_MEMORY);
	ck_assert_int_eq(command_of(&map, TS_CONTEXT_LIST, "gx"), -1);
	ck_assert_int_eq(command_of(&map, TS_CONTEXT_CHART, "gg"), TS_CMD_FIRST);
	ck_assert_int_eq(command_of(&map, TS_CONTEXT_MEMORY, "g"), TS_CMD_RELOAD);
	b = ts_keymap_of(&map, (enum ts_context[]){TS_CONTEXT_MEMORY}, 1, TS_CMD_RELOAD, NULL);
	ck_assert_str_eq(b->note, "read it again");
	/* hidden by a nearer context: no use as a hint */
	ck_assert_ptr_null(ts_keymap_of(&map, list, 2, TS_CMD_FIRST, NULL));
	ck_assert_ptr_nonnull(ts_keymap_of(&map, list, 2, TS_CMD_GOTO_MEMORY, NULL));
	ck_assert_int_eq(ts_keymap_following(found, 8, &map, list, 2, &g), 2);
	ts_keymap_fini(&map);
}
END_TEST

START_TEST(faults_are_reported_and_the_rest_is_used)
{
	struct ts_keymap map = read_keymap("bind nowhere x quit\n"
					   "bind global Nokeys quit\n"
					   "bind global x explode\n"
					   "bind global x\n"
					   "bind global x quit now\n"
					   "bind prompt x quit\n"
					   "bind global x accept\n"
					   "frobnicate\n"
					   "bind global \"x quit\n"
					   "unbind global Q\n"
					   "inherit nobody\n"
					   "bind global gg quit\n"
					   "bind global g help\n"
					   "bind global gg help\n"
					   "bind global x view memory -- Memory here\n",
		NULL,
		"x.keys:1: unknown context \"nowhere\"\n"
		"x.keys:2: not a key, or more than 4: \"Nokeys\"\n"
		"x.keys:3: unknown command \"explode\"\n"
		"x.keys:4: bind takes a context, keys and a command\n"
		"x.keys:5: quit takes no arguments\n"
		"x.keys:6: quit does not work in the context prompt\n"
		"x.keys:7: accept works only in the context prompt\n"
		"x.keys:8: unknown word \"frobnicate\"\n"
		"x.keys:9: unterminated quote\n"
		"x.keys:10: Q is not bound in global\n"
		"x.keys:11: there is no \"nobody\" to inherit\n"
		"x.keys:13: g collides with gg of line 12\n"
		"x.keys:14: gg collides with gg of line 12\n");

	ck_assert_int_eq((int)map.count, 2);
	ck_assert_str_eq(map.binding[1].arg[0], "memory");
	ck_assert_str_eq(map.binding[1].note, "Memory here");
	ts_keymap_fini(&map);
}
END_TEST

START_TEST(what_is_inherited_can_be_replaced)
{
	struct ts_keymap map = read_keymap("inherit base\nbind global g help\nunbind global n\n",
		(char[]){"bind global gg quit\nbind global gm reload\nbind global n close\n"}, "");

	ck_assert_int_eq((int)map.count, 1);
	ck_assert_int_eq(command_of(&map, TS_CONTEXT_LIST, "g"), TS_CMD_HELP);
	ts_keymap_fini(&map);
	map = read_keymap("inherit base\n", (char[]){"inherit base\n"},
		"base:1: inherits in a circle, or more than 8 deep\n");
	ts_keymap_fini(&map);
}
END_TEST

START_TEST(any_text_is_survived)
{
	unsigned seed = 7;

	for (int round = 0; round < 3000; round++) {
		static const char *const words[] = {"bind", "global", "\"", "gg", "view", "inherit",
			"base", "unbind", "\n", "--", "#", "C-", "\xff", "x", "memory", "prompt"};
		char text[400] = "";
		struct ts_keymap map;

		for (int i = 0; i < 40; i++) {
			size_t n = strlen(text);

			seed = seed * 1664525u + 1013904223u;
			snprintf(text + n, sizeof(text) - n, "%s%s", words[seed >> 16 & 15],
				seed >> 20 & 1 ? " " : "");
		}
		ts_keymap_init(&map);
		ts_keymap_read(&map, "x", text, find_keymap, text, NULL);
		ts_keymap_fini(&map);
	}
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("ui_keys");
	TCase *c = tcase_create("all");
	setlocale(LC_CTYPE, "C.UTF-8");
	tcase_add_test(c, keys_are_read);
	tcase_add_test(c, control_characters_have_names);
	tcase_add_test(c, every_key_comes_back_from_its_text);
	tcase_add_test(c, sequences);
	tcase_add_test(c, typed_lines_become_calls);
	tcase_add_test(c, arguments_that_are_known);
	tcase_add_test(c, wrong_lines_say_why);
	tcase_add_test(c, long_lines_are_refused);
	tcase_add_test(c, shipped_keymaps_have_no_faults);
	tcase_add_test(c, every_command_has_a_key_or_is_typed);
	tcase_add_test(c, keys_are_looked_up_from_near_to_far);
	tcase_add_test(c, faults_are_reported_and_the_rest_is_used);
	tcase_add_test(c, what_is_inherited_can_be_replaced);
	tcase_add_test(c, any_text_is_survived);
	tcase_set_timeout(c, 60);
	suite_add_tcase(s, c);
	SRunner *r = srunner_create(s);
	srunner_run_all(r, CK_NORMAL);
	int failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
