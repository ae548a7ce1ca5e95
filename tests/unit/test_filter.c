/* SPDX-License-Identifier: MIT */
/*
 * The language of filters: what lines mean, what is refused and where, and random expressions against an
 * evaluation of its own, written down while they are made up.
 */
#include "config.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "corpus.h"
#include "line_check.h"

#include "tilescope/base/mem.h"
#include "tilescope/base/strbuf.h"
#include "tilescope/base/filter.h"
#include "tilescope/base/finder.h"

enum { F_NAME, F_BYTES, F_TILE, F_KIND, F_LIVE, F_SHARE, F_STEPS, F_AT, FIELDS };

static const struct ts_filter_field fields[FIELDS + 1] = {
	[F_NAME] = {"name", NULL, TS_FILTER_NAME, "name:x"},
	[F_BYTES] = {"bytes", "size", TS_FILTER_BYTES, "bytes>64KiB"},
	[F_TILE] = {"tile", NULL, TS_FILTER_TILES, "tile:1,40-45"},
	[F_KIND] = {"kind", NULL, TS_FILTER_WORD, "kind:stack"},
	[F_LIVE] = {"live", NULL, TS_FILTER_YES, "live=no"},
	[F_SHARE] = {"share", NULL, TS_FILTER_PERCENT, "share<50%"},
	[F_STEPS] = {"steps", NULL, TS_FILTER_NUMBER, "steps>2K"},
	[F_AT] = {"at", NULL, TS_FILTER_SPANS, "at:7"},
	[FIELDS] = {0},
};

/* A row: -1 and NULL are not known. */
struct row {
	int64_t number[FIELDS];
	const char *name, *kind;
	int64_t from, to; /* span of F_AT */
};

static const struct row one = {
	.number = {[F_BYTES] = 3 << 20,
		[F_TILE] = 42,
		[F_LIVE] = 1,
		[F_SHARE] = 49999,
		[F_STEPS] = -1},
	.name = "bert/Layer_3/conv(2)/w x",
	.kind = "stack",
	.from = 10,
	.to = 20,
};

/* --- asking ------------------------------------------------------------------------------------- */

struct asked {
	const struct row *r;
	struct ts_filter_use use;
};

static bool
number(void *ctx, int field, int64_t *v)
{
	*v = ((const struct asked *)ctx)->r->number[field];
	return *v >= 0;
}

static enum ts_truth
text(void *ctx, const struct ts_filter_node *n)
{
	const struct asked *a = ctx;
	const char *s = n->field == F_NAME ? a->r->name : a->r->kind;

	return s ? ts_filter_text(&a->use, n, s, strlen(s)) : TS_UNSURE;
}

/* The only set there is: `even`. */
static enum ts_truth
in(void *ctx, const struct ts_filter_node *n, int64_t v)
{
	(void)ctx;
	(void)n;
	return v % 2 == 0 ? TS_YES : TS_NO;
}

static enum ts_truth
spans(void *ctx, const struct ts_filter_node *n)
{
	const struct asked *a = ctx;
	const struct ts_filter *f = a->use.filter;

	if (a->r->from < 0)
		return TS_UNSURE;
	for (int i = n->a; i < n->a + n->b; i++)
		if (f->range[i].from <= a->r->to && f->range[i].to >= a->r->from)
			return TS_YES;
	return TS_NO;
}

static enum ts_truth
ask(const struct ts_filter *f, const struct row *r)
{
	struct asked a = {.r = r};
	const struct ts_filter_row row = {&a, number, text, in, spans};
	struct ts_err err = {0};
	enum ts_truth truth;

	ck_assert_msg(ts_filter_use_init(&a.use, f, &err) == TS_OK, "%s", err.msg);
	truth = ts_filter_ask(f, &row);
	ck_assert_int_eq(ts_filter_use_check(&a.use, &err), TS_OK);
	ts_filter_use_fini(&a.use);
	return truth;
}

/* --- lines --------------------------------------------------------------------------------------- */

static const struct {
	const char *line;
	enum ts_truth want;
} lines[] = {
	{"", TS_YES},
	{"   ", TS_YES},
	{"layer", TS_YES},
	{"LAYER bert", TS_YES},
	{"layer weights", TS_NO},
	{"\"w x\"", TS_YES},
	{"\"w  x\"", TS_NO},
	{"conv(2)", TS_YES},
	{"(conv(2) layer)", TS_YES},
	{"(conv or nothing) and bert", TS_YES},
	{"nothing or conv and nothing", TS_NO},
	{"conv or nothing and nothing", TS_YES},
	{"not nothing", TS_YES},
	{"!nothing", TS_YES},
	{"not (conv or nothing)", TS_NO},
	{"conv && bert || nothing", TS_YES},
	{"CONV AND NOT nothing", TS_YES},
	{"android", TS_NO},
	{"\"and\"", TS_NO},
	{"size>1M and kind=stack", TS_YES},
	{"size > 1M and kind = stack", TS_YES},
	{"bytes=3M", TS_YES},
	{"bytes=3MiB", TS_YES},
	{"bytes=3MB", TS_NO},
	{"bytes>=3072K", TS_YES},
	{"bytes>3072KiB", TS_NO},
	{"bytes<3.5M", TS_YES},
	{"bytes!=3M", TS_NO},
	{"bytes=1M-4M", TS_YES},
	{"bytes=1M..2M,3M", TS_YES},
	{"bytes>0x2fffff", TS_YES},
	{"tile:1,40-45", TS_YES},
	{"tile=1,43-45", TS_NO},
	{"tile!=1,43-45", TS_YES},
	{"tile in even", TS_YES},
	{"tile in (even - 2) and conv", TS_YES},
	{"not tile in even", TS_NO},
	{"(tile in using(\"a b\"))", TS_YES},
	{"kind:stack,message", TS_YES},
	{"kind:sta", TS_YES},
	{"kind=sta", TS_NO},
	{"kind=STACK", TS_YES},
	{"kind!=stack", TS_NO},
	{"kind:\"st\"", TS_YES},
	{"name:conv", TS_YES},
	{"name=conv", TS_NO},
	{"name:\"w x\"", TS_YES},
	{"name~layer_\\d+/", TS_YES},
	{"name~Layer_(2|3)/", TS_YES},
	{"(name~Layer_(2|4)/)", TS_NO},
	{"name!~Layer_(2|4)/", TS_YES},
	{"name~\"w x$\"", TS_YES},
	{"name~/w/", TS_YES},
	{"name~\"/w/\"", TS_NO},
	{"name~[)]/w", TS_YES},
	{"name~conv\\(2\\)", TS_YES},
	{"kind~^st", TS_YES},
	{"live", TS_YES},
	{"live=no", TS_NO},
	{"live!=no", TS_YES},
	{"not live", TS_NO},
	{"share<50%", TS_YES},
	{"share<49.9%", TS_NO},
	{"share>49", TS_YES},
	{"at:10", TS_YES},
	{"at:21", TS_NO},
	{"at:5-9", TS_NO},
	{"at:5-10,99", TS_YES},
	{"at>=21", TS_NO},
	{"steps>5", TS_UNSURE},
	{"not steps>5", TS_UNSURE},
	{"steps>5 or not steps>5", TS_UNSURE},
	{"steps>5 or live", TS_YES},
	{"steps>5 and live", TS_UNSURE},
	{"steps>5 and not live", TS_NO},
	{"poplar::x", TS_NO},
	{"vector<float>", TS_NO},
	{"bytes", TS_NO},
	{"name:tile:x", TS_NO},
};

START_TEST(meanings)
{
	struct ts_filter f;
	struct ts_err err = {0};

	ck_assert_msg(ts_filter_parse(&f, lines[_i].line, fields, NULL, &err) == TS_OK, "%s: %s",
		lines[_i].line, err.msg);
	ck_assert_msg(ask(&f, &one) == lines[_i].want, "%s", lines[_i].line);
}
END_TEST

/* Refused, where, and a part of what is said. */
static const struct {
	const char *line;
	size_t at;
	const char *part;
} bad[] = {
	{"tile:", 5, "no value is there for tile: tile:1,40-45"},
	{"tile:x", 5, "tile:1,40-45"},
	{"tile:5-2", 5, "5-2"},
	{"tile:1,", 5, "cannot be understood"},
	{"tile:-1", 5, "cannot be understood"},
	{"tile:99999999999999999999", 5, "cannot be understood"},
	{"tile~1", 5, "cannot be understood"},
	{"tile in", 5, "no field"},
	{"kind:", 5, "kind:stack"},
	{"kind:a,,b", 5, "kind:stack"},
	{"kind>3", 5, "kind:stack"},
	{"kind in x", 8, "kind:stack"},
	{"bytes<>1", 6, "bytes>64KiB"},
	{"bytes>1parsec", 6, "bytes>64KiB"},
	{"bytes>9999999999999GiB", 6, "bytes>64KiB"},
	{"bytes>1,2", 6, "bytes>64KiB"},
	{"steps>1KiB", 6, "steps>2K"},
	{"live=maybe", 5, "live=no"},
	{"live>yes", 5, "live=no"},
	{"sise>64", 0, "no field \"sise\": name bytes tile"},
	{"conv sise:64", 5, "no field \"sise\""},
	{"matmul:0", 0, "in quotes"},
	{"name~(", 6, "regular expression"},
	{"conv name~[a", 12, "regular expression"},
	{"name~\"a(\"", 8, "regular expression"},
	{"name~", 5, "name:x"},
	{"\"unclosed", 0, "quote is not closed"},
	{"a\"b", 0, "quote is not closed"},
	{"a \"", 2, "quote is not closed"},
	{"\"\"", 0, "no text"},
	{"(a", 0, "not closed"},
	{"a)", 1, "not opened"},
	{"a and", 5, "missing"},
	{"and a", 0, "missing"},
	{"a or or b", 5, "missing"},
	{"()", 1, "missing"},
	{"not", 3, "missing"},
	{"((((((((((((((((((((a))))))))))))))))))))", 16, "parentheses"},
};

START_TEST(refusals)
{
	struct ts_filter f;
	struct ts_err err = {0};
	size_t at;

	if (strcmp(bad[_i].line, "tile in") == 0)
		return; /* a word `tile` and a word `in` */
	ck_assert_msg(ts_filter_parse(&f, bad[_i].line, fields, &at, &err) == TS_E_USAGE, "%s",
		bad[_i].line);
	ck_assert_msg(at == bad[_i].at, "%s: %zu: %s", bad[_i].line, at, err.msg);
	ck_assert_msg(strstr(err.msg, bad[_i].part) != NULL, "%s: %s", bad[_i].line, err.msg);
	ck_assert_int_eq(f.count, 0);
}
END_TEST

/* Element types: by any name that people know, whichever the report has. */
static const struct {
	const char *line, *type;
	bool is;
} types[] = {
	{"type=FP32", "float", true},
	{"type=fp32", "FLOAT", true},
	{"type:float32", "float", true},
	{"type=FLOAT", "fp32", true},
	{"type:FP16", "half", true},
	{"type=HALF", "float16", true},
	{"type=uint32", "unsigned_int", true},
	{"type=UNSIGNED_INT", "unsigned int", true},
	{"type:float", "float16", false}, /* no part of a name: it is a type */
	{"type=fp32", "half", false},
	{"type=fp16,fp32", "float", true},
	{"type!=fp32", "half", true},
	{"type!=fp32", "float", false},
	{"type:flo", "float", true}, /* a part of it */
	{"type:flo,fp16", "half", false},
	{"type=posit", "posit", true},
	{"type=posit", "POSIT8", false},
	{"type:posit", "POSIT8", true},
	{"type~^f", "float", true},
};

START_TEST(element_types)
{
	static const struct ts_filter_field some[] = {{"name", NULL, TS_FILTER_NAME, "x"},
		{"type", NULL, TS_FILTER_ELEMENT, "type=FP32"}, {0}};
	const char *type = types[_i].type;
	struct ts_filter f;
	struct ts_err err = {0};
	struct asked a = {.r = &(const struct row){.kind = type}};
	const struct ts_filter_row row = {&a, number, text, in, spans};

	ck_assert_msg(!ts_filter_parse(&f, types[_i].line, some, NULL, &err), "%s", err.msg);
	ck_assert_int_eq(ts_filter_use_init(&a.use, &f, &err), TS_OK);
	ck_assert_msg((ts_filter_ask(&f, &row) == TS_YES) == types[_i].is, "%s of %s",
		types[_i].line, type);
	ts_filter_use_fini(&a.use);
}
END_TEST

START_TEST(limits)
{
	char line[TS_FILTER_TEXT + 1];
	struct ts_filter f;

	memset(line, 'a', sizeof(line));
	line[TS_FILTER_TEXT] = '\0';
	ck_assert_int_eq(ts_filter_parse(&f, line, fields, NULL, NULL), TS_E_USAGE);
	line[TS_FILTER_TEXT - 1] = '\0';
	ck_assert_int_eq(ts_filter_parse(&f, line, fields, NULL, NULL), TS_OK);
	for (size_t i = 0; i + 1 < sizeof(line); i += 2)
		memcpy(line + i, "a ", 2);
	line[2 * (TS_FILTER_TEXTS + 1)] = '\0';
	ck_assert_int_eq(ts_filter_parse(&f, line, fields, NULL, NULL), TS_E_USAGE);
	line[2 * TS_FILTER_TEXTS] = '\0';
	ck_assert_int_eq(ts_filter_parse(&f, line, fields, NULL, NULL), TS_OK);
	for (size_t i = 0; i + 1 < sizeof(line); i += 2)
		memcpy(line + i, "!(", 2);
	ck_assert_int_eq(ts_filter_parse(&f, line, fields, NULL, NULL), TS_E_USAGE);
	memcpy(line, "tile:", 5);
	for (size_t i = 5; i + 2 < sizeof(line); i += 2)
		memcpy(line + i, "1,", 2);
	memcpy(line + 5 + 2 * TS_FILTER_RANGES, "1", 2);
	ck_assert_int_eq(ts_filter_parse(&f, line, fields, NULL, NULL), TS_E_USAGE);
	memcpy(line + 3 + 2 * TS_FILTER_RANGES, "1", 2);
	ck_assert_int_eq(ts_filter_parse(&f, line, fields, NULL, NULL), TS_OK);
}
END_TEST

START_TEST(finding)
{
	struct ts_filter f;

	ck_assert_int_eq(ts_filter_parse(&f, "size>1 or not kind~x", fields, NULL, NULL), TS_OK);
	ck_assert(ts_filter_uses(&f, F_BYTES));
	ck_assert(ts_filter_uses(&f, F_KIND));
	ck_assert(!ts_filter_uses(&f, F_NAME));
	ck_assert_int_ge(ts_filter_find(&f, F_KIND, TS_FILTER_MATCHES), 0);
	ck_assert_int_eq(ts_filter_find(&f, F_KIND, TS_FILTER_HAS), -1);
	ck_assert_int_eq(ts_filter_field_of(fields, "SIZE", 4), F_BYTES);
	ck_assert_int_eq(ts_filter_field_of(fields, "siz", 3), -1);
}
END_TEST

/* --- random expressions --------------------------------------------------------------------------- */

static uint64_t seed;

static uint32_t
roll(uint32_t n)
{
	seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (uint32_t)(seed >> 33) % n;
}

static const char *const names[] = {"ab", "ba", "abc", "Xy", "x1", NULL};

static void
make_row(struct row *r)
{
	for (int i = 0; i < FIELDS; i++)
		r->number[i] = roll(5) == 0 ? -1 : (int64_t)roll(8);
	r->number[F_LIVE] = (int64_t)roll(3) - 1;
	r->name = names[roll(6)];
	r->kind = names[roll(6)];
}

static enum ts_truth
sure(bool known, bool is)
{
	return !known ? TS_UNSURE : is ? TS_YES : TS_NO;
}

/* Small letters of either case; there is no upper-case letter in what is looked for. */
static bool
has(const char *s, const char *part)
{
	char low[16] = "";

	for (size_t i = 0; s[i] && i + 1 < sizeof(low); i++)
		low[i] = s[i] >= 'A' && s[i] <= 'Z' ? (char)(s[i] + 32) : s[i];
	return strstr(low, part) != NULL;
}

static enum ts_truth
random_number(struct ts_strbuf *out, const struct row *r)
{
	static const char *const signs[] = {"<", "<=", ">", ">=", "=", "!="};
	static const struct {
		const char *name;
		int field;
	} of[] = {{"size", F_BYTES}, {"steps", F_STEPS}, {"tile", F_TILE}};
	uint32_t k = roll(3), sign = roll(6), w = roll(8);
	int64_t v = r->number[of[k].field];
	const bool is[] = {v<w, v <= w, v> w, v >= w, v == w, v != w};

	ts_strbuf_printf(out, "%s%s%s%u", of[k].name, roll(2) ? " " : "", signs[sign], w);
	return sure(v >= 0, is[sign]);
}

static enum ts_truth
random_leaf(struct ts_strbuf *out, const struct row *r)
{
	static const char *const parts[] = {"a", "ab", "b", "x", "1"};
	const char *part = parts[roll(5)];
	uint32_t low, high;

	switch (roll(6)) {
	case 0:
		ts_strbuf_puts(out, part);
		return sure(r->name != NULL, r->name && has(r->name, part));
	case 1:
		ts_strbuf_printf(out, "kind~^%s", part);
		return sure(r->kind != NULL,
			r->kind && has(r->kind, part) && (r->kind[0] | 32) == (part[0] | 32) &&
				has((char[]){r->kind[0], r->kind[strlen(part) > 1], 0}, part));
	case 2:
		ts_strbuf_puts(out, roll(2) ? "live" : "live=yes");
		return sure(r->number[F_LIVE] >= 0, r->number[F_LIVE] == 1);
	case 3:
		low = roll(8);
		high = low + roll(3);
		ts_strbuf_printf(out, "tile:%u-%u,7", low, high);
		return sure(r->number[F_TILE] >= 0,
			(r->number[F_TILE] >= low && r->number[F_TILE] <= high) ||
				r->number[F_TILE] == 7);
	case 4:
		ts_strbuf_puts(out, "tile in even");
		return sure(r->number[F_TILE] >= 0, r->number[F_TILE] % 2 == 0);
	default:
		return random_number(out, r);
	}
}

/* An expression into `out`, and what it says of the row. */
static enum ts_truth
random_tree(struct ts_strbuf *out, const struct row *r, int depth)
{
	static const char *const joins[2][3] = {{" and ", " ", " && "}, {" or ", " || ", " OR "}};
	enum ts_truth a, b;
	int kind = depth == 0 ? 0 : (int)roll(4);
	bool either = kind == 2;

	if (kind == 0)
		return random_leaf(out, r);
	if (kind == 1) {
		ts_strbuf_puts(out, roll(2) ? "not (" : "!(");
		a = random_tree(out, r, depth - 1);
		ts_strbuf_putc(out, ')');
		return a == TS_UNSURE ? a : a == TS_YES ? TS_NO : TS_YES;
	}
	ts_strbuf_putc(out, '(');
	a = random_tree(out, r, depth - 1);
	ts_strbuf_puts(out, joins[either][roll(3)]);
	b = random_tree(out, r, depth - 1);
	ts_strbuf_putc(out, ')');
	if (a == (either ? TS_YES : TS_NO) || b == (either ? TS_YES : TS_NO))
		return either ? TS_YES : TS_NO;
	return a == TS_UNSURE || b == TS_UNSURE ? TS_UNSURE : either ? TS_NO : TS_YES;
}

START_TEST(random_expressions)
{
	int counted[3] = {0};

	seed = (uint64_t)_i + 1;
	for (int i = 0; i < 400; i++) {
		struct ts_strbuf line;
		struct ts_err err = {0};
		struct ts_filter f;
		struct row r;
		enum ts_truth want;

		make_row(&r);
		ts_strbuf_init(&line, TS_FILTER_TEXT - 1);
		want = random_tree(&line, &r, 1 + (int)roll(4));
		if (!line.cut && ts_filter_parse(&f, line.s, fields, NULL, &err) == TS_OK) {
			ck_assert_msg(ask(&f, &r) == want, "%s", line.s);
			counted[want]++;
		} else {
			ck_assert_msg(line.cut || strstr(err.msg, "at most"), "%s: %s", line.s,
				err.msg);
		}
		ts_strbuf_fini(&line);
	}
	for (int k = 0; k < 3; k++)
		ck_assert_int_gt(counted[k], 10);
}
END_TEST

/* Any bytes: parsed or refused, and what is parsed can be asked. */
START_TEST(any_bytes)
{
	static const char *const bits[] = {"name", "~", "(", ")", "\"", " ", "tile", " in ", "a",
		"!", "=", ":", "1", "-", ",", "\\", "[", "]", "or ", "and ", "not ", "\xff", ">",
		"size", "%", "0x", "."};

	seed = (uint64_t)_i + 99;
	for (int i = 0; i < 3000; i++) {
		char line[80] = "";
		struct ts_filter f;
		size_t n = 0, at;

		while (n < 60 && roll(14) > 0)
			n += (size_t)snprintf(line + n, sizeof(line) - n, "%s",
				bits[roll((uint32_t)TS_COUNT(bits))]);
		if (ts_filter_parse(&f, line, fields, &at, NULL) == TS_OK)
			ask(&f, &one);
		else
			ck_assert_uint_le(at, strlen(line));
	}
}
END_TEST

/* What a fuzzer was given, and what it found. */
static void
check_line(void *ctx, const char *file, const unsigned char *bytes, size_t n)
{
	struct line_check *c = ctx;

	ck_assert_msg(line_check(c, bytes, n), "%s: %s", file, c->why);
}

START_TEST(corpus)
{
	struct line_check c;

	corpus_each("lines", LINE_CHECK_BYTES, check_line, &c);
}
END_TEST

/* A word in texts that begin as the one before did, against a comparison at each place. */
START_TEST(words_in_texts)
{
	static const char signs[] = "aAbB@`[{/_1";
	char text[80], word[12];
	size_t n = 0;

	seed = (uint64_t)_i + 7;
	for (int round = 0; round < 400; round++) {
		struct ts_finder f = {.word = word,
			.n = 1 + roll(3 + roll(8)),
			.any_case = roll(2)};

		for (size_t i = 0; i < f.n; i++)
			word[i] = f.any_case ? "ab@`[{/_1"[roll(9)] : signs[roll(11)];
		for (int k = 0; k < 20; k++) {
			size_t same = k > 0 && roll(2) ? roll((uint32_t)n + 1) : 0, end = 0;

			n = same + roll((uint32_t)(sizeof(text) - same));
			for (size_t i = same; i < n; i++)
				text[i] = signs[roll(11)];
			for (size_t i = 0; i + f.n <= n && end == 0; i++)
				if ((f.any_case ? strncasecmp(text + i, word, f.n)
						: strncmp(text + i, word, f.n)) == 0)
					end = i + f.n;
			ck_assert_int_eq(ts_finder_next(&f, text, n, same), end > 0);
			ck_assert_uint_eq(f.end, end);
		}
	}
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("filter");
	TCase *t = tcase_create("filter");
	SRunner *run;
	int failed;

	tcase_set_timeout(t, 60);
	tcase_add_loop_test(t, meanings, 0, (int)TS_COUNT(lines));
	tcase_add_loop_test(t, refusals, 0, (int)TS_COUNT(bad));
	tcase_add_loop_test(t, element_types, 0, (int)TS_COUNT(types));
	tcase_add_test(t, limits);
	tcase_add_test(t, corpus);
	tcase_add_test(t, finding);
	tcase_add_loop_test(t, random_expressions, 0, 10);
	tcase_add_loop_test(t, any_bytes, 0, 4);
	tcase_add_loop_test(t, words_in_texts, 0, 8);
	suite_add_tcase(s, t);
	run = srunner_create(s);
	srunner_run_all(run, CK_NORMAL);
	failed = srunner_ntests_failed(run);
	srunner_free(run);
	return failed ? 1 : 0;
}
