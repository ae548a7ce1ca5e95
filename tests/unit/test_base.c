/* SPDX-License-Identifier: MIT */
/*
 * The base layer: errors, memory, growing text, UTF-8, figures, the line grammar, options, the log.
 */
#include "config.h"

#include <check.h>
#include <errno.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "tilescope/base/clock.h"
#include "tilescope/base/err.h"
#include "tilescope/base/fmt.h"
#include "tilescope/base/lex.h"
#include "tilescope/base/log.h"
#include "tilescope/base/mem.h"
#include "tilescope/base/option.h"
#include "tilescope/base/settings.h"
#include "tilescope/base/strbuf.h"
#include "tilescope/base/utf8.h"

/* Too large a request is answered with NULL, as it is without a sanitizer. */
const char *__asan_default_options(void);
const char *__tsan_default_options(void);

const char *
__asan_default_options(void)
{
	return "allocator_may_return_null=1";
}

const char *
__tsan_default_options(void)
{
	return "allocator_may_return_null=1";
}

/* ---- err ---- */

START_TEST(err_holds_code_and_message)
{
	struct ts_err err = {.sys = 5};

	ck_assert_int_eq(ts_err_set(&err, TS_E_FORMAT, "%s: %d", "x", 7), TS_E_FORMAT);
	ck_assert_int_eq(err.code, TS_E_FORMAT);
	ck_assert_int_eq(err.sys, 0);
	ck_assert_str_eq(err.msg, "x: 7");
	ts_err_prefix(&err, "%s: ", "a file");
	ck_assert_str_eq(err.msg, "a file: x: 7");
	ck_assert_int_eq(err.code, TS_E_FORMAT);
	ck_assert_int_eq(ts_err_nomem(&err), TS_E_NOMEM);
	ck_assert_str_eq(err.msg, "out of memory");
}
END_TEST

START_TEST(err_of_the_system)
{
	struct ts_err err = {0};

	ck_assert_int_eq(ts_err_sys(&err, EACCES, "cannot open %s", "it"), TS_E_SYS);
	ck_assert_int_eq(err.sys, EACCES);
	ck_assert_str_eq(err.msg, "cannot open it: Permission denied");
}
END_TEST

START_TEST(err_may_be_null)
{
	ck_assert_int_eq(ts_err_set(NULL, TS_E_LIMIT, "x"), TS_E_LIMIT);
	ck_assert_int_eq(ts_err_sys(NULL, ENOENT, "x"), TS_E_SYS);
	ck_assert_int_eq(ts_err_nomem(NULL), TS_E_NOMEM);
	ts_err_prefix(NULL, "x");
}
END_TEST

START_TEST(err_too_long_is_cut)
{
	struct ts_err err = {0};
	char text[2 * TS_ERR_MSG];

	memset(text, 'x', sizeof(text));
	text[sizeof(text) - 1] = '\0';
	ts_err_set(&err, TS_E_USAGE, "%s", text);
	ck_assert_uint_eq(strlen(err.msg), TS_ERR_MSG - 1);
	ts_err_sys(&err, EIO, "%s", text);
	ck_assert_uint_eq(strlen(err.msg), TS_ERR_MSG - 1);
	ts_err_prefix(&err, "%s", text);
	ck_assert_uint_eq(strlen(err.msg), TS_ERR_MSG - 1);
	ts_err_set(&err, TS_E_USAGE, "tail");
	ts_err_prefix(&err, "%.*s", TS_ERR_MSG - 3, text);
	ck_assert_str_eq(err.msg + TS_ERR_MSG - 3, "ta");
}
END_TEST

/* ---- mem ---- */

START_TEST(mem_is_zeroed_and_never_of_no_bytes)
{
	unsigned char *p = ts_alloc(3, 5);
	void *none = ts_alloc(0, 0), *again;

	ck_assert_ptr_nonnull(p);
	for (int i = 0; i < 15; i++)
		ck_assert_int_eq(p[i], 0);
	ck_assert_ptr_nonnull(none);
	again = ts_resize(none, 0, 8);
	ck_assert_ptr_nonnull(again);
	free(again);
	free(p);
}
END_TEST

START_TEST(mem_overflow_is_refused)
{
	char *p = ts_alloc(4, 1);
	void *room = p;
	size_t cap = SIZE_MAX - 2;

	p[0] = 'x';
	ck_assert_ptr_null(ts_alloc(SIZE_MAX / 2, 4));
	ck_assert_ptr_null(ts_resize(p, SIZE_MAX / 2, 4));
	ck_assert(!ts_room(&room, &cap, cap, 1));
	ck_assert_ptr_eq(room, p);
	ck_assert_uint_eq(cap, SIZE_MAX - 2);
	ck_assert_int_eq(p[0], 'x');
	free(p);
}
END_TEST

START_TEST(mem_room_grows)
{
	void *p = NULL;
	size_t cap = 0;
	int growths = 0;

	for (size_t n = 0; n < 10000; n++) {
		size_t before = cap;

		ck_assert(ts_room(&p, &cap, n, sizeof(int)));
		ck_assert_uint_gt(cap, n);
		growths += cap != before;
		((int *)p)[n] = (int)n;
	}
	for (int n = 0; n < 10000; n++)
		ck_assert_int_eq(((int *)p)[n], n);
	ck_assert_int_lt(growths, 25);
	free(p);
}
END_TEST

START_TEST(mem_sums_do_not_wrap)
{
	int64_t sum = INT64_MAX - 5;

	ck_assert(!ts_add_i64(&sum, 6));
	ck_assert_int_eq(sum, INT64_MAX - 5);
	ck_assert(ts_add_i64(&sum, 5));
	ck_assert_int_eq(sum, INT64_MAX);
	ck_assert_int_eq(ts_clamp_i64(INT64_MIN, -1, 1), -1);
	ck_assert_int_eq(ts_clamp_i64(INT64_MAX, -1, 1), 1);
	ck_assert_int_eq(ts_min_i64(INT64_MIN, INT64_MAX), INT64_MIN);
	ck_assert_int_eq(ts_max_i64(INT64_MIN, INT64_MAX), INT64_MAX);
}
END_TEST

START_TEST(mem_copies_of_text)
{
	char *a = ts_strdup("abc"), *b = ts_strndup("abcdef", 2), *c = ts_strndup("ab", 100);

	ck_assert_str_eq(a, "abc");
	ck_assert_str_eq(b, "ab");
	ck_assert_str_eq(c, "ab");
	ck_assert_ptr_null(ts_strdup(NULL));
	ck_assert_ptr_null(ts_strndup(NULL, 3));
	free(a);
	free(b);
	free(c);
}
END_TEST

/* ---- strbuf ---- */

START_TEST(strbuf_keeps_its_maximum)
{
	for (size_t max = 0; max < 40; max++) {
		struct ts_strbuf b;
		char expected[] = "abcdefghij0042-------------------------------";

		ts_strbuf_init(&b, max);
		ck_assert_str_eq(b.s, "");
		ts_strbuf_puts(&b, "abc");
		ts_strbuf_add(&b, "defghijXXX", 7);
		ts_strbuf_printf(&b, "%04d", 42);
		for (int i = 0; i < 10; i++)
			ts_strbuf_putc(&b, '-');
		ck_assert_uint_le(b.len, max);
		ck_assert_uint_eq(strlen(b.s), b.len);
		ck_assert_int_eq(b.cut, max < 24);
		expected[max < 24 ? max : 24] = '\0';
		ck_assert_str_eq(b.s, expected);
		ts_strbuf_reset(&b);
		ck_assert_str_eq(b.s, "");
		ck_assert(!b.cut);
		ts_strbuf_fini(&b);
		ck_assert_str_eq(b.s, "");
		ck_assert_uint_eq(b.max, max);
	}
}
END_TEST

START_TEST(strbuf_holds_nul_bytes)
{
	struct ts_strbuf b;

	ts_strbuf_init(&b, 100);
	ts_strbuf_add(&b, "a\0b", 3);
	ts_strbuf_putc(&b, '\0');
	ck_assert_uint_eq(b.len, 4);
	ck_assert_mem_eq(b.s, "a\0b\0", 5);
	ts_strbuf_fini(&b);
}
END_TEST

START_TEST(strbuf_prints_long_text)
{
	static const int widths[] = {0, 1, 255, 256, 257, 5000};

	for (size_t i = 0; i < TS_COUNT(widths); i++) {
		struct ts_strbuf b;

		ts_strbuf_init(&b, 1 << 16);
		ts_strbuf_puts(&b, "<");
		ts_strbuf_printf(&b, "%*s>", widths[i], "");
		ck_assert_uint_eq(b.len, (size_t)widths[i] + 2);
		ck_assert_int_eq(b.s[b.len - 1], '>');
		ck_assert(!b.cut);
		ts_strbuf_fini(&b);
	}
}
END_TEST

START_TEST(strbuf_gives_its_text_away)
{
	struct ts_strbuf b;
	char *s;

	ts_strbuf_init(&b, 10);
	s = ts_strbuf_take(&b);
	ck_assert_str_eq(s, "");
	free(s);
	ts_strbuf_puts(&b, "hello");
	s = ts_strbuf_take(&b);
	ck_assert_str_eq(s, "hello");
	ck_assert_uint_eq(b.len, 0);
	ck_assert_str_eq(b.s, "");
	free(s);
	ts_strbuf_puts(&b, "again, longer");
	ck_assert_str_eq(b.s, "again, lon");
	ts_strbuf_fini(&b);
}
END_TEST

START_TEST(strbuf_of_nothing_is_text)
{
	struct ts_strbuf b;

	ts_strbuf_init(&b, 10);
	ts_strbuf_puts(&b, "");
	ck_assert_str_eq(b.s, "");
	ts_strbuf_printf(&b, "%s", "");
	ck_assert_str_eq(b.s, "");
	ck_assert(!b.cut);
	ts_strbuf_fini(&b);
}
END_TEST

/* ---- utf8 ---- */

/* Another encoder, from the definition: bytes of a Unicode scalar value, 0 for what is none. */
static size_t
encode(uint32_t cp, unsigned char out[4])
{
	size_t n = cp < 0x80 ? 1 : cp < 0x800 ? 2 : cp < 0x10000 ? 3 : 4;
	static const unsigned char marks[] = {0, 0x00, 0xc0, 0xe0, 0xf0};

	if (cp > 0x10ffff || (cp >= 0xd800 && cp < 0xe000))
		return 0;
	for (size_t i = n; i-- > 1; cp >>= 6)
		out[i] = (unsigned char)(0x80 + cp % 64);
	out[0] = (unsigned char)(marks[n] + cp);
	return n;
}

START_TEST(utf8_every_code_point_there_and_back)
{
	for (uint32_t cp = 0; cp < 0x110100; cp++) {
		unsigned char own[4];
		char out[4];
		size_t n = encode(cp, own), used = ts_utf8_encode(cp, out);
		uint32_t back;

		if (n == 0) {
			ck_assert_uint_eq(used, 3);
			ck_assert_mem_eq(out, "\xef\xbf\xbd", 3);
			continue;
		}
		if (used != n || memcmp(own, out, n) != 0 || !ts_utf8_valid(out, n) ||
			ts_utf8_next(out, n, &back) != n || back != cp)
			ck_abort_msg("U+%04X", cp);
	}
}
END_TEST

/* Is the beginning of s a scalar value? Its length, else 0. Decodes blindly and encodes again. */
static size_t
valid_prefix(const unsigned char *s, size_t n)
{
	unsigned char own[4];
	size_t want = s[0] < 0x80 ? 1 : s[0] < 0xe0 ? 2 : s[0] < 0xf0 ? 3 : 4, length;
	uint32_t cp = s[0] & (want == 1 ? 0x7f : want == 2 ? 0x1f : want == 3 ? 0x0f : 0x07);

	if (want > n)
		return 0;
	for (size_t i = 1; i < want; i++)
		cp = cp << 6 | (s[i] & 0x3f);
	length = encode(cp, own);
	return length == want && memcmp(own, s, length) == 0 ? length : 0;
}

/* The longest prefix that begins some scalar value: found by trying all ends; 1 when there is none. */
static size_t
longest_begin(const unsigned char *s, size_t n)
{
	size_t best = 1;

	for (size_t keep = 2; keep <= 3 && keep < n; keep++)
		for (int third = 0x80; third < (keep > 2 ? 0x81 : 0xc0); third++) {
			unsigned char t[4] = {s[0], s[1], keep > 2 ? s[2] : (unsigned char)third,
				0x80};
			size_t whole = valid_prefix(t, 4);

			if (whole > keep && best < keep)
				best = keep;
		}
	return best;
}

static void
compare(const unsigned char *s, size_t n)
{
	size_t valid = valid_prefix(s, n), used;
	uint32_t cp;

	used = ts_utf8_next((const char *)s, n, &cp);
	if (valid ? used != valid : used != longest_begin(s, n) || cp != TS_CP_REPLACEMENT)
		ck_abort_msg("%02x %02x %02x %02x: %zu bytes, U+%04X, expected %zu", s[0], s[1],
			s[2], s[3], used, cp, valid ? valid : longest_begin(s, n));
}

START_TEST(utf8_every_first_three_bytes)
{
	static const unsigned char fourth[] = {0x00, 0x7f, 0x80, 0xbf, 0xc0};

	/* nothing can follow what does not continue: a sample of third bytes is enough there */
	for (int a = 0xc0; a < 0x100; a++)
		for (int b = 0; b < 0x100; b++)
			for (int c = 0x60; c < 0x100; c += (b & 0xc0) == 0x80 ? 1 : 13)
				for (size_t d = 0; d < (a < 0xf0 ? 1 : TS_COUNT(fourth)); d++)
					compare((const unsigned char[]){(unsigned char)a,
							(unsigned char)b, (unsigned char)c,
							fourth[d]},
						4);
}
END_TEST

START_TEST(utf8_cut_at_the_end)
{
	uint32_t cp;

	ck_assert_uint_eq(ts_utf8_next("\xf0\x9f\x98\x80", 3, &cp), 3);
	ck_assert_uint_eq(cp, TS_CP_REPLACEMENT);
	ck_assert_uint_eq(ts_utf8_next("\xe2\x82\xac", 2, &cp), 2);
	ck_assert_uint_eq(ts_utf8_next("\xe2", 1, &cp), 1);
	ck_assert_uint_eq(cp, TS_CP_REPLACEMENT);
	ck_assert(!ts_utf8_valid("ab\xe2\x82", 4));
	ck_assert(ts_utf8_valid("", 0));
	ck_assert(ts_utf8_valid("a\0b", 3));
}
END_TEST

/* Whole characters, as many as there is room for; of bytes that are none just so many. */
START_TEST(utf8_cut_to_whole_characters)
{
	static const char text[] = "a\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80z";
	static const size_t ends[] = {0, 1, 3, 6, 10, 11};
	static const char none[] = "\x80\x80\x80\x80\x80\x80";

	for (size_t most = 0; most < sizeof(text) + 3; most++) {
		size_t want = 0;

		for (size_t i = 0; i < TS_COUNT(ends); i++)
			want = ends[i] <= most ? ends[i] : want;
		ck_assert_uint_eq(ts_utf8_cut(text, sizeof(text) - 1, most), want);
	}
	for (size_t most = 0; most < sizeof(none); most++)
		ck_assert_uint_eq(ts_utf8_cut(none, sizeof(none) - 1, most), most);
}
END_TEST

/* Tables 3-8 to 3-11 of the Unicode standard: U+FFFD for every maximal part. */
static const struct {
	const char *bytes, *shown;
} mended[] = {
	{"\xc0\xaf\xe0\x80\xbf\xf0\x81\x82\x41", "????????A"},
	{"\xed\xa0\x80\xed\xbf\xbf\xed\xaf\x41", "????????A"},
	{"\xf4\x91\x92\x93\xff\x41\x80\xbf\x42", "?????A??B"},
	{"\xe1\x80\xe2\xf0\x91\x92\xf1\xbf\x41", "????A"},
	{"plain", "plain"},
	{"\x80", "?"},
	{"", ""},
};

START_TEST(utf8_mends_by_maximal_parts)
{
	struct ts_strbuf b;
	size_t o = 0;

	ts_strbuf_init(&b, 1000);
	ts_utf8_mend(&b, mended[_i].bytes, strlen(mended[_i].bytes));
	for (const char *p = mended[_i].shown; *p; p++)
		if (*p == '?') {
			ck_assert_msg(strncmp(b.s + o, "\xef\xbf\xbd", 3) == 0, "%s", b.s);
			o += 3;
		} else {
			ck_assert_int_eq(b.s[o++], *p);
		}
	ck_assert_uint_eq(o, b.len);
	ck_assert(ts_utf8_valid(b.s, b.len));
	ts_strbuf_fini(&b);
}
END_TEST

/* What changes direction, hides, or steers a terminal. */
static const uint32_t unsafe[] = {0x00, 0x07, 0x08, 0x09, 0x0a, 0x0d, 0x1b, 0x1f, 0x7f, 0x80, 0x85,
	0x9b, 0x9d, 0x9f, 0xad, 0x300, 0x34f, 0x61c, 0x115f, 0x1160, 0x180e, 0x200b, 0x200c, 0x200d,
	0x200e, 0x200f, 0x2028, 0x2029, 0x202a, 0x202e, 0x2060, 0x2066, 0x2069, 0x3164, 0xd800,
	0xdfff, 0xe000, 0xfdd0, 0xfe0f, 0xfeff, 0xffa0, 0xfff9, 0xfffe, 0xffff, 0x1fffe, 0xe0001,
	0xe0041, 0xe0100, 0xf0000, 0x10ffff, 0x110000, 0xffffffff};

static const struct {
	uint32_t cp;
	int width;
} safe[] = {{' ', 1}, {'~', 1}, {0xa0, 1}, {0xe4, 1}, {0x416, 1}, {0x2500, 1}, {0x2588, 1},
	{0x28ff, 1}, {0x4e00, 2}, {0xac00, 2}, {0xff21, 2}, {0xfffd, 1}, {0x1f600, 2},
	{0x20000, 2}};

START_TEST(utf8_what_a_terminal_may_see)
{
	for (size_t i = 0; i < TS_COUNT(unsafe); i++) {
		ck_assert_msg(!ts_cp_safe(unsafe[i]), "U+%04X", unsafe[i]);
		ck_assert_int_eq(ts_cp_width(unsafe[i]), 1);
	}
	for (size_t i = 0; i < TS_COUNT(safe); i++) {
		ck_assert_msg(ts_cp_safe(safe[i].cp), "U+%04X", safe[i].cp);
		ck_assert_msg(ts_cp_width(safe[i].cp) == safe[i].width, "U+%04X", safe[i].cp);
	}
}
END_TEST

START_TEST(utf8_safe_text_is_safe)
{
	struct ts_strbuf b;
	char all[256];
	uint32_t cp;

	for (int i = 0; i < 256; i++)
		all[i] = (char)i;
	ts_strbuf_init(&b, 1 << 12);
	ts_utf8_safe(&b, all, sizeof(all));
	ts_utf8_safe(&b, "\033[31m\xe2\x80\xae\xe4\xb8\x80\x9b", 12);
	ck_assert(ts_utf8_valid(b.s, b.len));
	for (size_t i = 0; i < b.len;) {
		i += ts_utf8_next(b.s + i, b.len - i, &cp);
		ck_assert_msg(ts_cp_safe(cp), "U+%04X", cp);
	}
	ck_assert_int_eq(ts_utf8_columns(all, sizeof(all)), ts_utf8_columns(b.s, b.len) - 9);
	ts_strbuf_fini(&b);
	ck_assert_int_eq(ts_utf8_columns("a\xe4\xb8\x80\033b", 6), 5);
}
END_TEST

START_TEST(utf8_search_without_case)
{
	ck_assert(ts_contains_nocase("MatMul/Convolve", "matmul"));
	ck_assert(ts_contains_nocase("abc", ""));
	ck_assert(ts_contains_nocase("abc", "C"));
	ck_assert(!ts_contains_nocase("abc", "abcd"));
	ck_assert(!ts_contains_nocase("", "a"));
	ck_assert(ts_contains_nocase("aab", "AB"));
}
END_TEST

/* ---- fmt ---- */

static const struct {
	int64_t v;
	const char *expected;
} counts[] = {{0, "0"}, {7, "7"}, {999, "999"}, {1000, "1,000"}, {-1000, "-1,000"}, {-999, "-999"},
	{1234567, "1,234,567"}, {100000, "100,000"}, {INT64_MAX, "9,223,372,036,854,775,807"},
	{INT64_MIN, "-9,223,372,036,854,775,808"}};

START_TEST(fmt_counts)
{
	char out[TS_FMT_MAX];

	ck_assert_str_eq(ts_fmt_count(out, counts[_i].v), counts[_i].expected);
	ck_assert_int_eq(strtoll(ts_fmt_number(out, counts[_i].v), NULL, 10), counts[_i].v);
}
END_TEST

static const struct {
	int64_t v;
	const char *kib, *kb, *bytes, *short_kib, *short_kb;
} sizes[] = {
	{0, "0 B", "0 B", "0 B", "0", "0"},
	{1, "1 B", "1 B", "1 B", "1B", "1B"},
	{-1, "-1 B", "-1 B", "-1 B", "-1B", "-1B"},
	{999, "999 B", "999 B", "999 B", "999B", "999B"},
	{1000, "1000 B", "1 kB", "1,000 B", "1000B", "1k"},
	{1023, "1023 B", "1.02 kB", "1,023 B", "1023B", "1.02k"},
	{1024, "1 KiB", "1.02 kB", "1,024 B", "1K", "1.02k"},
	{1536, "1.50 KiB", "1.54 kB", "1,536 B", "1.50K", "1.54k"},
	{10239, "10.0 KiB", "10.2 kB", "10,239 B", "10.0K", "10.2k"},
	{102399, "100 KiB", "102 kB", "102,399 B", "100K", "102k"},
	{638976, "624 KiB", "639 kB", "638,976 B", "624K", "639k"},
	{1047552, "1023 KiB", "1.05 MB", "1,047,552 B", "1023K", "1.05M"},
	{1048575, "1.00 MiB", "1.05 MB", "1,048,575 B", "1.00M", "1.05M"},
	{1835008, "1.75 MiB", "1.84 MB", "1,835,008 B", "1.75M", "1.84M"},
	{936378368, "893 MiB", "936 MB", "936,378,368 B", "893M", "936M"},
	{-936378368, "-893 MiB", "-936 MB", "-936,378,368 B", "-893M", "-936M"},
	{1099511627776, "1 TiB", "1.10 TB", "1,099,511,627,776 B", "1T", "1.10T"},
	{INT64_MAX, "8 EiB", "9.22 EB", "9,223,372,036,854,775,807 B", "8E", "9.22E"},
	{INT64_MIN, "-8 EiB", "-9.22 EB", "-9,223,372,036,854,775,808 B", "-8E", "-9.22E"},
};

START_TEST(fmt_bytes)
{
	char out[TS_FMT_MAX], plain[TS_FMT_MAX];

	ck_assert_str_eq(ts_fmt_bytes(out, sizes[_i].v, TS_UNITS_KIB), sizes[_i].kib);
	ck_assert_str_eq(ts_fmt_bytes(out, sizes[_i].v, TS_UNITS_KB), sizes[_i].kb);
	ck_assert_str_eq(ts_fmt_bytes(out, sizes[_i].v, TS_UNITS_BYTES), sizes[_i].bytes);
	ck_assert_str_eq(ts_fmt_bytes_short(out, sizes[_i].v, TS_UNITS_KIB), sizes[_i].short_kib);
	ck_assert_str_eq(ts_fmt_bytes_short(out, sizes[_i].v, TS_UNITS_KB), sizes[_i].short_kb);
	ts_fmt_count(plain, sizes[_i].v);
	ck_assert_str_eq(ts_fmt_bytes_short(out, sizes[_i].v, TS_UNITS_BYTES), plain);
}
END_TEST

static const struct {
	double part, whole;
	const char *expected;
} percents[] = {{0, 100, "0%"}, {59.12, 100, "59.1%"}, {100, 100, "100%"}, {1, 0, "-"},
	{1, -5, "-"}, {0.001, 100, "<0.1%"}, {0.0499, 100, "<0.1%"}, {0.06, 100, "0.1%"},
	{99.94, 100, "99.9%"}, {250, 100, "250%"}, {-50, 100, "-50.0%"}, {1e300, 1, "1e+302%"},
	{(double)NAN, 1, "-"}, {1, (double)NAN, "-"}, {(double)INFINITY, 1, "-"},
	{1, (double)INFINITY, "0%"}};

START_TEST(fmt_percents)
{
	char out[TS_FMT_MAX];

	ck_assert_str_eq(ts_fmt_percent(out, percents[_i].part, percents[_i].whole),
		percents[_i].expected);
}
END_TEST

static const struct {
	int64_t v;
	const char *expected;
} cycles[] = {{0, "0"}, {950, "950"}, {999, "999"}, {1000, "1k"}, {1500, "1.50k"}, {12345, "12.3k"},
	{999499, "999k"}, {999999, "1.00M"}, {4560000, "4.56M"}, {1200000000, "1.20G"},
	{INT64_MAX, "9223P"}, {INT64_MIN, "-9223P"}, {-12345, "-12.3k"}};

START_TEST(fmt_cycles)
{
	char out[TS_FMT_MAX];

	ck_assert_str_eq(ts_fmt_cycles_short(out, cycles[_i].v), cycles[_i].expected);
}
END_TEST

static const struct {
	double us;
	const char *expected;
} times[] = {{0, "0 ns"}, {0.85, "850 ns"}, {0.9999, "1.00 us"}, {1, "1.00 us"}, {12.34, "12.3 us"},
	{999.4, "999 us"}, {999.96, "1.00 ms"}, {21000, "21.0 ms"}, {3.2e6, "3.20 s"},
	{-3.2e6, "-3.20 s"}, {1e12, "1000000 s"}, {1e300, "1e+294 s"}, {(double)NAN, "-"},
	{(double)INFINITY, "-"}, {-(double)INFINITY, "-"}, {1e-30, "0.00 ns"}};

START_TEST(fmt_times)
{
	char out[TS_FMT_MAX];

	ck_assert_str_eq(ts_fmt_time(out, times[_i].us), times[_i].expected);
}
END_TEST

START_TEST(fmt_ticks)
{
	static const struct {
		int64_t span;
		int ticks, base;
		int64_t expected;
	} table[] = {{0, 5, 10, 1}, {1, 5, 10, 1}, {10, 5, 10, 2}, {1000, 5, 10, 200},
		{1001, 5, 10, 500}, {999, 1, 10, 1000}, {100, 0, 10, 100}, {-7, 3, 10, 1},
		{INT64_MAX, 10, 10, 1000000000000000000}, {0, 4, 2, 1}, {4096, 4, 2, 1024},
		{5000, 4, 2, 2048}, {INT64_MAX, 1, 2, (int64_t)1 << 62}};

	for (size_t i = 0; i < TS_COUNT(table); i++)
		ck_assert_msg(ts_fmt_tick(table[i].span, table[i].ticks, table[i].base) ==
				table[i].expected,
			"%zu: %lld", i,
			(long long)ts_fmt_tick(table[i].span, table[i].ticks, table[i].base));
}
END_TEST

/* ---- lex ---- */

struct heard {
	struct ts_strbuf text; /* "3:[a][b]\n" for lines, "4!reason\n" for bad ones */
	int stop_at;
};

static bool
hear_line(void *ctx, const struct ts_line *l)
{
	struct heard *h = ctx;

	ts_strbuf_printf(&h->text, "%d:", l->number);
	for (int i = 0; i < l->count; i++)
		ts_strbuf_printf(&h->text, "[%s]", l->word[i]);
	ts_strbuf_putc(&h->text, '\n');
	return l->number != h->stop_at;
}

static void
hear_bad(void *ctx, int number, const char *reason)
{
	struct heard *h = ctx;

	ts_strbuf_printf(&h->text, "%d!%s\n", number, reason);
}

static const struct {
	const char *text, *expected;
} lines[] = {
	{"", ""},
	{"\n\n \t \n", ""},
	{"a b", "1:[a][b]\n"},
	{"a\tb\r\n  c  \n", "1:[a][b]\n2:[c]\n"},
	{"# whole line\n #too\n#\na # rest\n", "4:[a]\n"},
	{"fg #ff0000\nfg #\nfg # x\n", "1:[fg][#ff0000]\n2:[fg]\n3:[fg]\n"},
	{"#ff0000 x\n", ""},
	{"a#b\n", "1:[a#b]\n"},
	{"\"a b\" \"\" \"c\\\"d\\\\e\\n\\t\\x\"\n", "1:[a b][][c\"d\\e\n\tx]\n"},
	{"x \"# no comment\"\n", "1:[x][# no comment]\n"},
	{"\"open\nnext\n", "1!unterminated quote\n2:[next]\n"},
	{"\"open\\\"\n", "1!unterminated quote\n"},
	{"\"open\\", "1!unterminated quote\n"},
	{"\"a\"b\n", "1!text right behind a quote\n"},
	{"a\"b\" c\n", "1:[a\"b\"][c]\n"},
	{"1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2\n",
		"1:[1][2][3][4][5][6][7][8][9][0][1][2][3][4][5][6][7][8][9][0][1][2][3][4][5][6]"
		"[7][8][9][0][1][2]\n"},
	{"1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 # end\n",
		"1:[1][2][3][4][5][6][7][8][9][0][1][2][3][4][5][6][7][8][9][0][1][2][3][4][5][6]"
		"[7][8][9][0][1][2]\n"},
	{"1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3\nb\n",
		"1!too many words\n2:[b]\n"},
	{"a\n\nstop\nnot read\n", "1:[a]\n3:[stop]\n"},
};

START_TEST(lex_lines)
{
	struct heard h = {.stop_at = strstr(lines[_i].text, "stop") ? 3 : 0};
	char *text = ts_strdup(lines[_i].text);

	ts_strbuf_init(&h.text, 1 << 16);
	ts_lex(text, hear_line, hear_bad, &h);
	ck_assert_str_eq(h.text.s, lines[_i].expected);
	ts_strbuf_reset(&h.text);
	memcpy(text, lines[_i].text, strlen(lines[_i].text) + 1);
	ts_lex(text, hear_line, NULL, &h); /* nobody to complain to */
	ts_strbuf_fini(&h.text);
	free(text);
}
END_TEST

/* A directory of the test's own. */
static char dir[64];

static void
make_dir(void)
{
	snprintf(dir, sizeof(dir), "/tmp/ts-base-XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(dir));
}

static void
remove_dir(void)
{
	ck_assert_int_eq(rmdir(dir), 0);
}

static const char *
write_file(const char *name, const char *bytes, size_t n)
{
	static char path[100];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	f = fopen(path, "w");
	ck_assert_ptr_nonnull(f);
	ck_assert_uint_eq(fwrite(bytes, 1, n, f), n);
	ck_assert_int_eq(fclose(f), 0);
	return path;
}

START_TEST(lex_reads_files)
{
	struct ts_err err = {0};
	const char *path = write_file("a", "one\0two\n", 8);
	char *text, *large;

	ck_assert_int_eq(ts_lex_read(&text, path, &err), TS_OK);
	ck_assert_str_eq(text, "one two\n");
	free(text);
	unlink(path);
	ck_assert_int_eq(ts_lex_read(&text, path, &err), TS_E_NOT_FOUND);
	ck_assert_ptr_null(text);
	ck_assert_ptr_nonnull(strstr(err.msg, path));
	path = write_file("empty", "", 0);
	ck_assert_int_eq(ts_lex_read(&text, path, &err), TS_OK);
	ck_assert_str_eq(text, "");
	free(text);
	unlink(path);
	large = ts_alloc(TS_LEX_FILE_MAX + 1, 1);
	memset(large, 'x', TS_LEX_FILE_MAX + 1);
	path = write_file("large", large, TS_LEX_FILE_MAX);
	ck_assert_int_eq(ts_lex_read(&text, path, &err), TS_OK);
	ck_assert_uint_eq(strlen(text), TS_LEX_FILE_MAX);
	free(text);
	path = write_file("large", large, TS_LEX_FILE_MAX + 1);
	ck_assert_int_eq(ts_lex_read(&text, path, &err), TS_E_LIMIT);
	ck_assert_ptr_null(text);
	unlink(path);
	free(large);
}
END_TEST

START_TEST(lex_never_waits)
{
	struct ts_err err = {0};
	char path[100], *text;

	ck_assert_int_eq(ts_lex_read(&text, dir, &err), TS_E_FORMAT);
	snprintf(path, sizeof(path), "%s/fifo", dir);
	ck_assert_int_eq(mkfifo(path, 0600), 0);
	ck_assert_int_eq(ts_lex_read(&text, path, &err), TS_E_FORMAT);
	ck_assert_ptr_null(text);
	unlink(path);
}
END_TEST

/* ---- option ---- */

static const struct {
	const char *name, *value, *shown; /* shown NULL: refused */
} settings[] = {
	{"units", "kb", "kb"},
	{"units", "BYTES", "bytes"},
	{"units", "mib", NULL},
	{"units", "", NULL},
	{"time", "us", "us"},
	{"time", "cycles", "cycles"},
	{"time", "ms", NULL},
	{"mouse", "on", "on"},
	{"mouse", "off", "off"},
	{"mouse", "yes", NULL},
	{"clock", "1.85GHz", "1.85 GHz"},
	{"clock", "1850 MHz", "1.85 GHz"},
	{"clock", "1.33e9", "1.33 GHz"},
	{"clock", "0", "as the report says"},
	{"clock", "-1", NULL},
	{"clock", "nan", NULL},
	{"clock", "inf", NULL},
	{"clock", "1e300GHz", NULL},
	{"clock", "GHz", NULL},
	{"clock", "", NULL},
	{"clock", "1.85 GHz x", NULL},
	{"cache", "8GiB", "8GiB"},
	{"cache", "500 MB", "500000000"},
	{"cache", "1.5g", "1536MiB"},
	{"cache", "4096", "4KiB"},
	{"cache", "0", "0"},
	{"cache", "2tib", "2TiB"},
	{"cache", "-1", NULL},
	{"cache", "nan", NULL},
	{"cache", "inf", NULL},
	{"cache", "1e30", NULL},
	{"cache", "GiB", NULL},
	{"cache", "", NULL},
	{"cache", "8GiBs", NULL},
	{"theme", "mono", "mono"},
	{"theme", "../../etc/passwd", NULL},
	{"keymap", "vim", "vim"},
	{"keymap", "0123456789012345678901234567890123456789012345678901234567890123", NULL},
	{"nothing", "x", NULL},
	{"", "x", NULL},
};

START_TEST(option_set_and_get)
{
	struct ts_options o, before;
	struct ts_err err = {0};
	char shown[TS_OPTION_TEXT];

	ts_options_init(&o);
	before = o;
	if (settings[_i].shown) {
		ck_assert_int_eq(ts_option_set(&o, settings[_i].name, settings[_i].value, &err),
			TS_OK);
		ck_assert(ts_option_get(&o, settings[_i].name, shown));
		ck_assert_str_eq(shown, settings[_i].shown);
	} else {
		ck_assert_int_eq(ts_option_set(&o, settings[_i].name, settings[_i].value, &err),
			TS_E_USAGE);
		ck_assert_ptr_nonnull(strstr(err.msg, settings[_i].name));
		ck_assert_mem_eq(&o, &before, sizeof(o));
	}
}
END_TEST

START_TEST(option_table_is_complete)
{
	struct ts_options o;
	char shown[TS_OPTION_TEXT];
	int n = 0;

	ts_options_init(&o);
	for (const struct ts_option *t = ts_option_table; t->name; t++, n++) {
		ck_assert(t->values && *t->values && t->help && *t->help);
		ck_assert(ts_option_get(&o, t->name, shown));
		ck_assert(*shown);
	}
	ck_assert_int_ge(n, 6);
	ck_assert(!ts_option_get(&o, "nothing", shown));
}
END_TEST

/* ---- log, clock ---- */

START_TEST(log_keeps_the_last_lines)
{
	struct ts_log *log = ts_log_new();
	char line[TS_LOG_LINE_MAX], long_line[3 * TS_LOG_LINE_MAX];

	ck_assert_ptr_nonnull(log);
	ts_log_add(NULL, "nobody");
	ck_assert_int_eq(ts_log_count(log), 0);
	ck_assert(!ts_log_get(log, 0, line));
	for (int i = 0; i < TS_LOG_LINES + 10; i++)
		ts_log_add(log, "line %d\033[2J", i);
	ck_assert_int_eq(ts_log_count(log), TS_LOG_LINES + 10);
	ck_assert(!ts_log_get(log, 9, line));
	ck_assert(!ts_log_get(log, -1, line));
	ck_assert(!ts_log_get(log, TS_LOG_LINES + 10, line));
	ck_assert(ts_log_get(log, 10, line));
	ck_assert_str_eq(line, "line 10\xef\xbf\xbd[2J");
	memset(long_line, '\x80', sizeof(long_line));
	long_line[sizeof(long_line) - 1] = '\0';
	ts_log_add(log, "%s", long_line);
	ck_assert(ts_log_get(log, TS_LOG_LINES + 10, line));
	ck_assert_uint_lt(strlen(line), TS_LOG_LINE_MAX);
	ts_log_free(log);
	ts_log_free(NULL);
}
END_TEST

START_TEST(clock_does_not_go_back)
{
	int64_t last = ts_clock_us();

	for (int i = 0; i < 1000; i++) {
		int64_t now = ts_clock_us();

		ck_assert_int_ge(now, last);
		last = now;
	}
}
END_TEST

static int64_t
had_us(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (int64_t)t.tv_sec * 1000000 + t.tv_nsec / 1000;
}

/* Who sleeps has had nothing of a processor, however late it is. */
START_TEST(a_bound_is_of_the_processor)
{
	enum { US = 20000 };
	const struct timespec nap = {.tv_nsec = 3 * US * 1000};
	struct ts_bound b = {0};
	int64_t from;

	ck_assert(ts_bound_is_over(&b));
	ts_bound_begin(&b, US);
	nanosleep(&nap, NULL);
	ck_assert(!ts_bound_is_over(&b));
	from = had_us();
	while (!ts_bound_is_over(&b))
		ck_assert_int_lt(had_us() - from, 10 * US);
	ck_assert_int_ge(had_us() - from, US / 2);
	ck_assert(ts_bound_is_over(&b));
}
END_TEST

/* --- settings --- */

START_TEST(settings_there_and_back)
{
	static const char hostile[] = "a \"b\" \\ c\td\ne # f";
	struct ts_settings *s = ts_settings_new(), *t = ts_settings_new();
	struct ts_strbuf text;

	ck_assert(!ts_settings_changed(s));
	ck_assert(ts_settings_put(s, "set", "units", "kb"));
	ck_assert(ts_settings_put(s, "columns", "memory.variables", hostile));
	ck_assert(ts_settings_put(s, "set", "units", "bytes"));
	ck_assert(ts_settings_put(s, "set", "time", NULL));
	ck_assert(ts_settings_changed(s));
	ts_strbuf_init(&text, 1 << 16);
	ts_settings_print(s, &text);
	ts_settings_read(t, text.s);
	ts_strbuf_fini(&text);
	ck_assert(!ts_settings_changed(t));
	ck_assert_str_eq(ts_settings_get(t, "set", "units"), "bytes");
	ck_assert_str_eq(ts_settings_get(t, "columns", "memory.variables"), hostile);
	ck_assert_ptr_null(ts_settings_get(t, "set", "time"));
	ck_assert_ptr_null(ts_settings_get(t, "columns", "units"));
	ck_assert_ptr_null(ts_settings_get(NULL, "set", "units"));
	ts_settings_free(s);
	ts_settings_free(t);
}
END_TEST

/* What another program wrote meanwhile is read beneath what was put in this one. */
START_TEST(settings_put_win_over_settings_read)
{
	char theirs[] =
		"set units kib\nset theme light\nset mouse on\nfuture a b\none two\n\"open\n";
	struct ts_settings *s = ts_settings_new();
	struct ts_strbuf text;

	ts_settings_put(s, "set", "units", "kb");
	ts_settings_put(s, "set", "mouse", NULL);
	ts_settings_read(s, theirs);
	ts_strbuf_init(&text, 1 << 16);
	ts_settings_print(s, &text);
	ck_assert_str_eq(text.s,
		"\"set\" \"units\" \"kb\"\n\"set\" \"theme\" \"light\"\n"
		"\"future\" \"a\" \"b\"\n");
	ts_strbuf_fini(&text);
	ts_settings_free(s);
}
END_TEST

START_TEST(settings_are_bounded)
{
	struct ts_settings *s = ts_settings_new();
	char name[TS_SETTING_NAME + 1], value[TS_SETTING_VALUE + 1];
	int kept = 0;

	for (int i = 0; i < 2 * TS_SETTINGS_MAX; i++) {
		snprintf(name, sizeof(name), "n%d", i);
		kept += ts_settings_put(s, "set", name, "x");
	}
	ck_assert_int_eq(kept, TS_SETTINGS_MAX);
	ck_assert(ts_settings_put(s, "set", "n0", "still changes"));
	memset(name, 'n', sizeof(name));
	name[sizeof(name) - 1] = '\0';
	memset(value, 'v', sizeof(value));
	value[sizeof(value) - 1] = '\0';
	ck_assert(!ts_settings_put(s, "set", name, "x"));
	ck_assert(!ts_settings_put(s, "set", "n1", value));
	ck_assert_str_eq(ts_settings_get(s, "set", "n1"), "x");
	ts_settings_free(s);
}
END_TEST

static void
add_simple(Suite *s)
{
	TCase *c = tcase_create("err, mem, strbuf");

	tcase_add_test(c, err_holds_code_and_message);
	tcase_add_test(c, err_of_the_system);
	tcase_add_test(c, err_may_be_null);
	tcase_add_test(c, err_too_long_is_cut);
	tcase_add_test(c, mem_is_zeroed_and_never_of_no_bytes);
	tcase_add_test(c, mem_overflow_is_refused);
	tcase_add_test(c, mem_room_grows);
	tcase_add_test(c, mem_sums_do_not_wrap);
	tcase_add_test(c, mem_copies_of_text);
	tcase_add_test(c, strbuf_keeps_its_maximum);
	tcase_add_test(c, strbuf_holds_nul_bytes);
	tcase_add_test(c, strbuf_prints_long_text);
	tcase_add_test(c, strbuf_gives_its_text_away);
	tcase_add_test(c, strbuf_of_nothing_is_text);
	suite_add_tcase(s, c);
	c = tcase_create("option, log, clock");
	tcase_add_loop_test(c, option_set_and_get, 0, (int)TS_COUNT(settings));
	tcase_add_test(c, option_table_is_complete);
	tcase_add_test(c, settings_there_and_back);
	tcase_add_test(c, settings_put_win_over_settings_read);
	tcase_add_test(c, settings_are_bounded);
	tcase_add_test(c, log_keeps_the_last_lines);
	tcase_add_test(c, clock_does_not_go_back);
	tcase_add_test(c, a_bound_is_of_the_processor);
	suite_add_tcase(s, c);
}

static void
add_text(Suite *s)
{
	TCase *c = tcase_create("utf8");

	tcase_set_timeout(c, 30);
	tcase_add_test(c, utf8_every_code_point_there_and_back);
	tcase_add_test(c, utf8_every_first_three_bytes);
	tcase_add_test(c, utf8_cut_at_the_end);
	tcase_add_test(c, utf8_cut_to_whole_characters);
	tcase_add_loop_test(c, utf8_mends_by_maximal_parts, 0, (int)TS_COUNT(mended));
	tcase_add_test(c, utf8_what_a_terminal_may_see);
	tcase_add_test(c, utf8_safe_text_is_safe);
	tcase_add_test(c, utf8_search_without_case);
	suite_add_tcase(s, c);
	c = tcase_create("fmt");
	tcase_add_loop_test(c, fmt_counts, 0, (int)TS_COUNT(counts));
	tcase_add_loop_test(c, fmt_bytes, 0, (int)TS_COUNT(sizes));
	tcase_add_loop_test(c, fmt_percents, 0, (int)TS_COUNT(percents));
	tcase_add_loop_test(c, fmt_cycles, 0, (int)TS_COUNT(cycles));
	tcase_add_loop_test(c, fmt_times, 0, (int)TS_COUNT(times));
	tcase_add_test(c, fmt_ticks);
	suite_add_tcase(s, c);
	c = tcase_create("lex");
	tcase_add_checked_fixture(c, make_dir, remove_dir);
	tcase_add_loop_test(c, lex_lines, 0, (int)TS_COUNT(lines));
	tcase_add_test(c, lex_reads_files);
	tcase_add_test(c, lex_never_waits);
	suite_add_tcase(s, c);
}

int
main(void)
{
	Suite *s = suite_create("base");
	SRunner *r;
	int failed;

	setlocale(LC_ALL, "C.UTF-8");
	add_simple(s);
	add_text(s);
	r = srunner_create(s);
	srunner_run_all(r, CK_NORMAL);
	failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
