/* SPDX-License-Identifier: MIT */
/*
 * Regular expressions: what they match, what is refused, text that is no text, and expressions and texts that
 * are made to take for ever. What is pathological for the library's interpreter need not be for its compiler,
 * so only those that no engine of this kind answers are asserted to be given up.
 */
#include "config.h"

#define PCRE2_CODE_UNIT_WIDTH 8

#include <check.h>
#include <pcre2.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tilescope/base/mem.h"
#include "tilescope/base/pattern.h"
#include "tilescope/base/signature.h"

#include "depth.h"

static enum ts_match
try_n(const char *pattern, unsigned flags, const char *text, size_t n)
{
	struct ts_pattern *p;
	struct ts_matcher *m;
	enum ts_match got;

	ck_assert_int_eq(ts_pattern_compile(&p, pattern, flags, NULL, NULL), TS_OK);
	ck_assert_int_eq(ts_matcher_new(&m, p, NULL), TS_OK);
	got = ts_pattern_matches(m, text, n);
	ts_matcher_free(m);
	ts_pattern_free(p);
	return got;
}

static enum ts_match
try(const char *pattern, unsigned flags, const char *text)
{
	return try_n(pattern, flags, text, strlen(text));
}

static const struct {
	const char *pattern;
	unsigned flags;
	const char *text;
	enum ts_match want;
} cases[] = {
	{"", 0, "", TS_MATCH_YES},
	{"conv", 0, "a/conv1/w", TS_MATCH_YES},
	{"Conv", 0, "a/conv1/w", TS_MATCH_NO},
	{"Conv", TS_PATTERN_NOCASE, "a/conv1/w", TS_MATCH_YES},
	{"Conv", TS_PATTERN_SMART, "a/conv1/w", TS_MATCH_NO},
	{"conv\\S", TS_PATTERN_SMART, "a/CONV1/w", TS_MATCH_YES},
	{"^a/.*w$", 0, "a/conv1/w", TS_MATCH_YES},
	{"w$", 0, "a/w\n", TS_MATCH_NO},
	{"a.w", 0, "a\nw", TS_MATCH_YES},
	{"(?:^|/)(?:layer|blocks|encoder)[/_.]?(\\d+)", 0, "m/layer_12/w", TS_MATCH_YES},
	{"(?:^|/)(?:layer|blocks|encoder)[/_.]?(\\d+)", 0, "m/player12/w", TS_MATCH_NO},
	{"^.$", 0, "\xc3\xa4", TS_MATCH_YES},
	{"\\W", 0, "\xe0\xab\xaa", TS_MATCH_YES},
	{"\xc3\x84", TS_PATTERN_NOCASE, "\xc3\xa4", TS_MATCH_YES},
	{"\\x{fffd}", 0,
		"a\xff"
		"b",
		TS_MATCH_YES},
	{"^a.b$", 0,
		"a\xff"
		"b",
		TS_MATCH_YES},
	{"a\\z", 0,
		"a\x80"
		"b",
		TS_MATCH_NO},
	{"(*LIMIT_MATCH=100000000)(?C1)a", 0, "a", TS_MATCH_YES},
};

START_TEST(matches)
{
	ck_assert_int_eq(try(cases[_i].pattern, cases[_i].flags, cases[_i].text), cases[_i].want);
}
END_TEST

/* Where two offsets stand, releases of the library differ. */
static const struct {
	const char *pattern;
	size_t from, to;
} bad[] = {
	{"(", 1, 1},
	{"a)", 1, 1},
	{"ab[c", 4, 4},
	{"*a", 0, 1},
	{"a{2,1}", 5, 6},
	{"\\C", 0, 2},
	{"\xff", 0, 0},
	{"a\xc3", 1, 1},
	{"(?<x", 4, 4},
	{"((((a{1000}){1000}){1000}){1000})", 0, 33},
};

START_TEST(refused)
{
	struct ts_err err = {0};
	struct ts_pattern *p;
	size_t at = 99;

	ck_assert_int_eq(ts_pattern_compile(&p, bad[_i].pattern, 0, &at, &err), TS_E_USAGE);
	ck_assert_ptr_null(p);
	ck_assert_msg(at >= bad[_i].from && at <= bad[_i].to, "%s: %zu", bad[_i].pattern, at);
	ck_assert_msg(strstr(err.msg, "regular expression: ") == err.msg, "%s", err.msg);
	ck_assert_ptr_null(strchr(err.msg, '\n'));
}
END_TEST

START_TEST(too_long_and_too_deep)
{
	char text[TS_PATTERN_MAX + 2];
	struct ts_err err = {0};
	struct ts_pattern *p;

	memset(text, 'a', sizeof(text));
	text[TS_PATTERN_MAX + 1] = '\0';
	ck_assert_int_eq(ts_pattern_compile(&p, text, 0, NULL, &err), TS_E_USAGE);
	text[TS_PATTERN_MAX] = '\0';
	ck_assert_int_eq(ts_pattern_compile(&p, text, 0, NULL, &err), TS_OK);
	ck_assert_str_eq(ts_pattern_text(p), text);
	ts_pattern_free(p);
	memset(text, '(', 200);
	memset(text + 200, ')', 200);
	text[400] = '\0';
	ck_assert_int_eq(ts_pattern_compile(&p, text, 0, NULL, &err), TS_E_USAGE);
	ts_pattern_free(NULL);
	ts_matcher_free(NULL);
}
END_TEST

START_TEST(groups)
{
	const char *text = "m/layer_12/w", *of;
	struct ts_pattern *p;
	struct ts_matcher *m;
	size_t from, to;

	ck_assert_int_eq(ts_pattern_compile(&p, "(layer|(block))_(\\d+)", 0, NULL, NULL), TS_OK);
	ck_assert_int_eq(ts_pattern_groups(p), 3);
	ck_assert_int_eq(ts_matcher_new(&m, p, NULL), TS_OK);
	ck_assert_int_eq(ts_pattern_matches(m, text, strlen(text)), TS_MATCH_YES);
	ck_assert(ts_matcher_group(m, 0, &of, &from, &to));
	ck_assert_ptr_eq(of, text);
	ck_assert_uint_eq(from, 2);
	ck_assert_uint_eq(to, 10);
	ck_assert(!ts_matcher_group(m, 2, &of, &from, &to));
	ck_assert(ts_matcher_group(m, 3, &of, &from, &to));
	ck_assert_uint_eq(from, 8);
	ck_assert_uint_eq(to, 10);
	ck_assert(!ts_matcher_group(m, 4, &of, &from, &to));
	ck_assert(!ts_matcher_group(m, -1, &of, &from, &to));
	ck_assert_int_eq(ts_pattern_matches(m, "\xff layer_7", 9), TS_MATCH_YES);
	ck_assert(ts_matcher_group(m, 3, &of, &from, &to));
	ck_assert_int_eq(of[from], '7');
	ts_matcher_free(m);
	ts_pattern_free(p);
}
END_TEST

/* Only the first TS_PATTERN_TEXT bytes count, also where a character would be cut in two. */
START_TEST(long_texts)
{
	char *text = ts_alloc(100000, 1);

	ck_assert_ptr_nonnull(text);
	memset(text, 'x', 100000);
	memcpy(text + TS_PATTERN_TEXT - 3, "end", 3);
	ck_assert_int_eq(try_n("end$", 0, text, 100000), TS_MATCH_YES);
	memcpy(text + TS_PATTERN_TEXT - 1, "\xc3\xa4", 2);
	ck_assert_int_eq(try_n("\\x{fffd}$", 0, text, 100000), TS_MATCH_YES);
	memset(text, 0xff, 100000);
	ck_assert_int_eq(try_n("^\\x{fffd}{8192}$", 0, text, 100000), TS_MATCH_YES);
	free(text);
}
END_TEST

/* Expressions against a name of 8 KiB: each ends, and says one of three things. */
static const struct {
	const char *pattern;
	bool hopeless; /* exponential, or of too high a power, for any engine that goes back */
} hostile[] = {
	{"(a+)+[bc]", true},
	{"((a*)*)*[bc]", true},
	{"(?:a|a)*[bc]", false},
	{"(a|aa)+[bc]", false},
	{"a*a*a*a*a*a*[bc]", true},
	{"a*?a*?a*?a*?a*?[bc]", true},
	{"(.*)(.*)(.*)(.*)(.*)[^a]", true},
	{"\\w+\\w+\\w+\\w+\\w+[!?]", true},
	{"(a?){30}a{30}[bc]", true},
	{"(?=(a+))*[bc]", false},
	{"(?:a(?=a*)(?=a*)(?=a*))*[xy]", false},
	{"(?:a*+){1000}[xy]", false},
	{"(?R)?a[bc]", false},
	{"(?|(a+)(?1)*)+[bc]", true},
	{"(?:(?:(?:a{0,50}){0,50}){0,10})[bc]", true},
	{"(?<=(?=a*)(?=a*).)[xy]", false},
	{"(*LIMIT_MATCH=4000000000)(a+)+[bc]", true},
};

START_TEST(hostile_expressions_end)
{
	char text[TS_PATTERN_TEXT];
	enum ts_match got;

	memset(text, 'a', sizeof(text));
	got = try_n(hostile[_i].pattern, 0, text, sizeof(text));
	ck_assert_msg(got != TS_MATCH_YES, "%s", hostile[_i].pattern);
	ck_assert_msg(!hostile[_i].hopeless || got == TS_MATCH_COSTLY, "%s", hostile[_i].pattern);
}
END_TEST

START_TEST(patience_ends)
{
	char text[TS_PATTERN_TEXT];
	struct ts_err err = {0};
	struct ts_pattern *p;
	struct ts_matcher *m;

	memset(text, 'a', sizeof(text));
	ck_assert_int_eq(ts_pattern_compile(&p, "(a+)+[bc]", 0, NULL, NULL), TS_OK);
	ck_assert_int_eq(ts_matcher_new(&m, p, NULL), TS_OK);
	for (int i = 0; i < TS_PATTERN_PATIENCE; i++) {
		ck_assert(!ts_matcher_costly(m));
		ck_assert_int_eq(ts_pattern_matches(m, text, sizeof(text)), TS_MATCH_COSTLY);
		if (i == 0)
			ck_assert_int_eq(ts_pattern_matches(m, "ab", 2), TS_MATCH_YES);
	}
	ck_assert(ts_matcher_costly(m));
	ck_assert_int_eq(ts_pattern_matches(m, "ab", 2), TS_MATCH_COSTLY);
	ck_assert_int_eq(ts_matcher_given_up(m), TS_PATTERN_PATIENCE + 1);
	ck_assert_int_eq(ts_pattern_costly_err(p, &err), TS_E_LIMIT);
	ck_assert_ptr_nonnull(strstr(err.msg, "(a+)+[bc]"));
	ts_matcher_free(m);
	ts_pattern_free(p);
}
END_TEST

/* ---- one pattern, many threads ---- */

struct thread {
	const struct ts_pattern *pattern;
	int found;
};

static void *
count_sevens(void *arg)
{
	struct thread *t = arg;
	struct ts_matcher *m;
	char text[32];

	if (ts_matcher_new(&m, t->pattern, NULL))
		return NULL;
	for (int i = 0; i < 1000; i++) {
		int n = snprintf(text, sizeof(text), "v%d%s", i, i % 2 ? "\xff" : "");

		t->found += ts_pattern_matches(m, text, (size_t)n) == TS_MATCH_YES;
	}
	ts_matcher_free(m);
	return NULL;
}

START_TEST(shared_between_threads)
{
	struct thread t[4] = {{0}};
	pthread_t id[4];
	struct ts_pattern *p;

	ck_assert_int_eq(ts_pattern_compile(&p, "7\\x{fffd}?$", 0, NULL, NULL), TS_OK);
	for (int i = 0; i < 4; i++) {
		t[i].pattern = p;
		ck_assert_int_eq(pthread_create(&id[i], NULL, count_sevens, &t[i]), 0);
	}
	for (int i = 0; i < 4; i++) {
		pthread_join(id[i], NULL);
		ck_assert_int_eq(t[i].found, 100);
	}
	ts_pattern_free(p);
}
END_TEST

/* Between slashes, where that is asked for: they are no part of the expression. */
START_TEST(slashes)
{
	static const struct {
		const char *text, *matches, *not ;
	} between[] = {{"/b+/", "abc", "a/c"}, {"/a", "x/ab", "ab"}, {"//", "a//b", "ab"},
		{"a/", "a/b", "ab"}};
	struct ts_err err = {0};

	for (size_t i = 0; i < TS_COUNT(between); i++) {
		struct ts_pattern *p;
		struct ts_matcher *m;

		ck_assert_int_eq(ts_pattern_compile(&p, between[i].text, TS_PATTERN_SLASHES, NULL,
					 &err),
			TS_OK);
		ck_assert_int_eq(ts_matcher_new(&m, p, &err), TS_OK);
		ck_assert_int_eq(ts_pattern_matches(m, between[i].matches,
					 strlen(between[i].matches)),
			TS_MATCH_YES);
		ck_assert_int_eq(ts_pattern_matches(m, between[i].not, strlen(between[i].not )),
			TS_MATCH_NO);
		ts_matcher_free(m);
		ts_pattern_free(p);
	}
}
END_TEST

/* --- one text after another ---------------------------------------------------------------------- */

static uint64_t seed;

static uint32_t
roll(uint32_t n)
{
	seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (uint32_t)(seed >> 33) % n;
}

/* What expressions and texts are put together from, so that they often meet. */
static const char *const atoms[] = {"layer", "a", "b", "K", "S", "kiss", "/", "_", "1", "2",
	"\xe2\x84\xaa", "\xc5\xbf", "\xc3\xa4", "ab", "lay", "er_1", " ", "\n"};
static const char *const marks[] = {".", "^", "$", "*", "?", "+", "|", "(", ")", "(?:", "[ab]",
	"[^]a]", "{2}", "{1,2}", "{", "\\d", "\\.", "\\w", "\\b", "(?i)", "(?=", "(?!", "\\Q",
	"\\E", "\\x61", "\\1", "[[:alpha:]]", "*?", "++", "(?#x)", "(?x) ", "#", "\\K"};

static void
put_together(char *out, int parts, uint32_t mark)
{
	*out = '\0';
	for (int i = 0; i < parts; i++)
		strcat(out,
			roll(100) < mark ? marks[roll(TS_COUNT(marks))]
					 : atoms[roll(TS_COUNT(atoms))]);
}

static size_t
shared(const char *a, const char *b)
{
	size_t n = 0;

	while (a[n] && a[n] == b[n])
		n++;
	return n;
}

/* What the library alone says. */
static bool
library_says(pcre2_code *code, const char *text)
{
	pcre2_match_data *data = pcre2_match_data_create_from_pattern(code, NULL);
	int rc = pcre2_match(code, (PCRE2_SPTR)text, strlen(text), 0, PCRE2_NO_JIT, data, NULL);

	pcre2_match_data_free(data);
	return rc > 0;
}

/* A signature of texts never denies one that matches. Did it tell that this one does not? */
static int
check_signature(const struct ts_pattern *p, const char *text, size_t same, bool does)
{
	struct ts_signature of = {{0}}, word = {{0}};
	bool told;
	size_t n;
	const char *needs = ts_pattern_needs(p, &n);

	ts_signature_add(&word, needs, n, 0);
	ts_signature_add(&of, text, same, 0); /* of a text that begins alike */
	ts_signature_add(&of, text, strlen(text), same);
	ck_assert(!does || ts_signature_may_have(&of, &word));
	told = !ts_signature_may_have(&of, &word);
	ts_signature_fill(&of);
	ck_assert(ts_signature_may_have(&of, &word));
	return told;
}

START_TEST(words_that_are_needed)
{
	int told = 0;
	char pattern[256], text[2][512] = {"", ""};

	seed = (uint64_t)_i * 7919 + 3;
	for (int tries = 0; tries < 200; tries++) {
		unsigned flags = roll(2) ? TS_PATTERN_NOCASE : 0;
		uint32_t options = PCRE2_UTF | PCRE2_DOTALL | PCRE2_DOLLAR_ENDONLY |
			(flags ? PCRE2_CASELESS : 0);
		struct ts_pattern *p;
		struct ts_matcher *m;
		PCRE2_SIZE offset;
		pcre2_code *code;
		int number;

		put_together(pattern, 1 + (int)roll(7), 30);
		if (ts_pattern_compile(&p, pattern, flags, NULL, NULL))
			continue;
		code = pcre2_compile((PCRE2_SPTR)pattern, PCRE2_ZERO_TERMINATED, options, &number,
			&offset, NULL);
		ck_assert_ptr_nonnull(code);
		ck_assert_int_eq(ts_matcher_new(&m, p, NULL), TS_OK);
		for (int i = 0; i < 20; i++) {
			char *now = text[i & 1], *before = text[1 - (i & 1)];
			size_t same, keep = roll(3) ? roll((uint32_t)strlen(before) + 1) : 0;

			while (keep > 0 && ((unsigned char)before[keep] & 0xc0) == 0x80)
				keep--;
			memcpy(now, before, keep);
			put_together(now + keep, (int)roll(5), 0);
			same = i > 0 && roll(4) ? shared(now, before) : 0;
			ck_assert_msg((ts_pattern_matches_next(m, now, strlen(now), same) ==
					      TS_MATCH_YES) == library_says(code, now),
				"%s on %s, flags %u", pattern, now, flags);
			told += check_signature(p, now, same, library_says(code, now));
			if (strlen(now) > 200)
				*now = '\0';
		}
		pcre2_code_free(code);
		ts_matcher_free(m);
		ts_pattern_free(p);
	}
	ck_assert_int_gt(told, 0);
}
END_TEST

int
main(void)
{
	Suite *suite = suite_create("pattern");
	TCase *t = tcase_create("pattern");
	SRunner *runner;
	int failed;

	tcase_set_timeout(t, 60);
	tcase_add_loop_test(t, matches, 0, (int)TS_COUNT(cases));
	tcase_add_loop_test(t, refused, 0, (int)TS_COUNT(bad));
	tcase_add_test(t, too_long_and_too_deep);
	tcase_add_test(t, slashes);
	tcase_add_test(t, groups);
	tcase_add_test(t, long_texts);
	tcase_add_loop_test(t, hostile_expressions_end, 0, (int)TS_COUNT(hostile));
	tcase_add_test(t, patience_ends);
	tcase_add_test(t, shared_between_threads);
	tcase_add_loop_test(t, words_that_are_needed, 0, sample_of(60));
	suite_add_tcase(suite, t);
	runner = srunner_create(suite);
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
