/* SPDX-License-Identifier: MIT */
/*
 * debug.cbor: what is in it comes out however it is written, and whatever is wrong with it is told with its
 * offset, in bounded memory and time.
 */
#include "config.h"

#include <check.h>
#include <errno.h>

#include "tilescope/base/mem.h"

#include "cbor_bytes.h"
#include "cbor_check.h"
#include "corpus.h"

enum { MOST = 64 };

struct seen {
	struct ts_debug_context context[MOST];
	uint64_t string[MOST];
	int contexts, strings;
};

static enum ts_code
see_context(void *ctx, const struct ts_debug_context *c, struct ts_err *err)
{
	struct seen *s = ctx;

	(void)err;
	ck_assert_int_lt(s->contexts, MOST);
	s->context[s->contexts++] = *c;
	return TS_OK;
}

static enum ts_code
see_string(void *ctx, uint64_t offset, struct ts_err *err)
{
	struct seen *s = ctx;

	(void)err;
	ck_assert_int_lt(s->strings, MOST);
	s->string[s->strings++] = offset;
	return TS_OK;
}

static enum ts_code
read_source(struct seen *s, struct ts_source *source, struct ts_err *err)
{
	struct ts_debug_visitor v = {.ctx = s, .context = see_context, .string = see_string};

	*s = (struct seen){0};
	*err = (struct ts_err){0};
	return ts_debug_info_read(source, &v, err);
}

static enum ts_code
read_bytes(struct seen *s, const struct ts_strbuf *b, size_t n, struct ts_err *err)
{
	struct ts_source *source;
	enum ts_code code;

	ck_assert_int_eq(ts_source_open_mem(&source, b->s, n, err), TS_OK);
	code = read_source(s, source, err);
	ts_source_close(source);
	return code;
}

/* It is damaged, and the message says this. */
static void
check_damaged(const struct ts_strbuf *b, const char *what)
{
	struct seen s;
	struct ts_err err;

	ck_assert_int_eq(read_bytes(&s, b, b->len, &err), TS_E_DAMAGED);
	ck_assert_msg(strstr(err.msg, what) != NULL, "\"%s\" is not \"%s\"", err.msg, what);
}

/* --- a document, in all the ways it can be written ---------------------------------------------- */

enum { OPEN = 1, STRINGS_FIRST = 2, TEXT_NUMBERS = 4, REAL_NUMBERS = 8, TAGGED = 16, WAYS = 32 };

static void
put_number(struct ts_strbuf *b, const char *key, uint64_t v, int way)
{
	char digits[32];

	cbor_text(b, key);
	if (way & TAGGED)
		cbor_head(b, CBOR_TAG, 55799);
	snprintf(digits, sizeof(digits), "%llu", (unsigned long long)v);
	if (way & TEXT_NUMBERS)
		cbor_text(b, digits);
	else if (way & REAL_NUMBERS)
		cbor_double(b, (double)v);
	else
		cbor_head(b, CBOR_UINT, v);
}

static void
begin(struct ts_strbuf *b, int major, uint64_t n, int way)
{
	if (way & OPEN)
		cbor_open(b, major);
	else
		cbor_head(b, major, n);
}

static void
end(struct ts_strbuf *b, int way)
{
	if (way & OPEN)
		cbor_break(b);
}

static void
put_strings(struct ts_strbuf *b, int way)
{
	cbor_text(b, "stringTable");
	begin(b, CBOR_ARRAY, 3, way);
	cbor_text(b, "main");
	if (way & OPEN) { /* in pieces */
		cbor_open(b, CBOR_TEXT);
		cbor_text(b, "model");
		cbor_text(b, ".py");
		cbor_break(b);
	} else {
		cbor_text(b, "model.py");
	}
	cbor_text(b, "conv");
	end(b, way);
}

static void
put_contexts(struct ts_strbuf *b, int way)
{
	cbor_text(b, "contexts");
	begin(b, CBOR_ARRAY, 2, way);
	begin(b, CBOR_MAP, 5, way);
	put_number(b, "id", 1000000007, way);
	put_number(b, "parentId", 12, way);
	put_number(b, "name", 2, way);
	cbor_text(b, "layer");
	cbor_text(b, "poplibs");
	cbor_text(b, "arguments");
	begin(b, CBOR_MAP, 2, way);
	cbor_text(b, "id"); /* not the context's */
	cbor_text(b, "99");
	cbor_text(b, "shape");
	begin(b, CBOR_ARRAY, 2, way);
	cbor_head(b, CBOR_UINT, 3);
	cbor_head(b, CBOR_NEGINT, 6);
	end(b, way);
	end(b, way);
	end(b, way);
	begin(b, CBOR_MAP, 4, way);
	cbor_text(b, "layer");
	cbor_text(b, "popart");
	cbor_text(b, "location");
	begin(b, CBOR_MAP, 3, way);
	put_number(b, "fileName", 1, way);
	put_number(b, "functionName", 0, way);
	put_number(b, "lineNumber", 77, way);
	end(b, way);
	put_number(b, "name", 0, way);
	put_number(b, "id", 12, way);
	end(b, way);
	end(b, way);
}

static void
put_document(struct ts_strbuf *b, int way)
{
	ts_strbuf_init(b, 1 << 20);
	begin(b, CBOR_MAP, 2, way);
	if (way & STRINGS_FIRST)
		put_strings(b, way);
	put_contexts(b, way);
	if (!(way & STRINGS_FIRST))
		put_strings(b, way);
	end(b, way);
}

static void
check_details(struct ts_source *source, uint64_t offset)
{
	struct ts_debug_tree t;
	const struct ts_debug_node *n;

	ck_assert_int_eq(ts_debug_tree_read(&t, source, offset, NULL, NULL), TS_OK);
	ck_assert(!t.cut);
	n = ts_debug_tree_find(&t, NULL, "location");
	ck_assert(n && n->kind == TS_CBOR_MAP && n->items == 3 && n->inside == 3);
	n = ts_debug_tree_find(&t, n, "lineNumber");
	ck_assert(n && n->is_number && n->number == 77 && n->value_n == 2);
	ck_assert_int_eq(memcmp(t.text.s + n->value, "77", 2), 0);
	ck_assert(!ts_debug_tree_find(&t, NULL, "lineNumber"));
	ts_debug_tree_fini(&t);
}

static void
check_arguments(struct ts_source *source, uint64_t offset)
{
	struct ts_debug_tree t;
	const struct ts_debug_node *n;

	ck_assert_int_eq(ts_debug_tree_read(&t, source, offset, NULL, NULL), TS_OK);
	n = ts_debug_tree_find(&t, NULL, "arguments");
	n = n ? ts_debug_tree_find(&t, n, "shape") : NULL;
	ck_assert(n && n->kind == TS_CBOR_ARRAY && n->items == 2 && n->inside == 2);
	ck_assert_int_eq(n[2].depth, 2);
	ck_assert_uint_eq(n[2].key_n, 0);
	ck_assert_int_eq(memcmp(t.text.s + n[2].value, "-7", 2), 0);
	ts_debug_tree_fini(&t);
}

START_TEST(however_it_is_written)
{
	struct ts_strbuf b, name;
	struct ts_source *source;
	struct ts_err err;
	struct seen s;

	put_document(&b, _i);
	ck_assert_int_eq(ts_source_open_mem(&source, b.s, b.len, NULL), TS_OK);
	ck_assert_msg(read_source(&s, source, &err) == TS_OK, "%s", err.msg);
	ck_assert_int_eq(s.contexts, 2);
	ck_assert_int_eq(s.strings, 3);
	ck_assert(s.context[0].has_id && s.context[0].id == 1000000007);
	ck_assert(s.context[0].has_parent && s.context[0].parent == 12);
	ck_assert(s.context[0].name_form == TS_DEBUG_NAME_NUMBER && s.context[0].name == 2);
	ck_assert(s.context[0].layer_n == 7 && !memcmp(s.context[0].layer, "poplibs", 7));
	ck_assert(s.context[1].has_id && s.context[1].id == 12 && !s.context[1].has_parent);
	ts_strbuf_init(&name, 100);
	ck_assert_int_eq(ts_debug_info_text(&name, source, s.string[1], NULL, NULL), TS_OK);
	ck_assert_str_eq(name.s, "model.py");
	check_details(source, s.context[1].offset);
	check_arguments(source, s.context[0].offset);
	ts_source_close(source);
	ts_strbuf_fini(&name);
	ts_strbuf_fini(&b);
}
END_TEST

/* Every prefix is damaged, says where, and gives what is whole in it. */
START_TEST(truncated_anywhere)
{
	struct ts_strbuf b;
	int contexts = 0, strings = 0;

	put_document(&b, _i);
	for (size_t n = 0; n <= b.len; n++) {
		struct ts_err err;
		struct seen s;

		ck_assert_int_eq(read_bytes(&s, &b, n, &err), n < b.len ? TS_E_DAMAGED : TS_OK);
		ck_assert(n == 0 || n == b.len || strstr(err.msg, "offset "));
		ck_assert_int_ge(s.contexts, contexts);
		ck_assert_int_ge(s.strings, strings);
		contexts = s.contexts;
		strings = s.strings;
	}
	ck_assert_int_eq(contexts, 2);
	ck_assert_int_eq(strings, 3);
	ts_strbuf_fini(&b);
}
END_TEST

/* --- what is wrong ------------------------------------------------------------------------------ */

/* {"contexts": and then these bytes. */
static void
after_key(struct ts_strbuf *b)
{
	ts_strbuf_init(b, 8 << 20);
	cbor_open(b, CBOR_MAP);
	cbor_text(b, "contexts");
}

START_TEST(bombs)
{
	static const struct {
		int major;
		uint64_t n;
		const char *what;
	} bomb[] = {
		{CBOR_ARRAY, (uint64_t)1 << 60, "offset 10: an array is said to have"},
		{CBOR_MAP, (uint64_t)1 << 63, "offset 10: a map is said to have"},
		{CBOR_ARRAY, UINT64_MAX, "offset 10: an array is said to have"},
		{CBOR_TEXT, UINT64_MAX, "offset 10: a string is said to have"},
		{CBOR_TEXT, UINT64_MAX - 8, "offset 10: a string is said to have"},
		{CBOR_BYTES, (uint64_t)1 << 62, "offset 10: a string is said to have"},
	};
	struct ts_strbuf b;

	for (size_t i = 0; i < TS_COUNT(bomb); i++) {
		for (int room = 0; room < 600000; room += 299999) {
			after_key(&b);
			cbor_head_wide(&b, bomb[i].major, bomb[i].n, 8);
			for (int k = 0; k < room; k++)
				cbor_byte(&b, 0);
			check_damaged(&b, bomb[i].what);
			ts_strbuf_fini(&b);
		}
	}
	for (int open = 0; open < 2; open++) {
		after_key(&b);
		for (int k = 0; k < 1000000; k++)
			cbor_byte(&b, open ? 0x9f : 0x81);
		check_damaged(&b, "offset 73: nested deeper than 64 levels");
		ts_strbuf_fini(&b);
	}
}
END_TEST

START_TEST(malformed)
{
	static const struct {
		const char *bytes;
		size_t n;
		const char *what;
	} bad[] = {
		{"", 0, "the file is empty"},
		{"\x80", 1, "offset 0: not a CBOR map"},
		{"\x1c", 1, "offset 0: 0x1c does not begin an item"},
		{"\xff", 1, "offset 0: a break where nothing is open"},
		{"\xa1\xff\x01", 3, "offset 1: a break where nothing is open"},
		{"\xbf\x01\xff", 3, "offset 2: a map ends behind a key"},
		{"\xbf\xc1\xff", 3, "offset 2: a break where nothing is open"},
		{"\xa0\x00", 2, "offset 1: bytes behind the end"},
		{"\xa1\x01\x7f\x41x\xff", 6, "offset 3: a string in pieces has one"},
		{"\xa1\x01\x7f\x7f\xff\xff", 6, "offset 3: a string in pieces has one"},
		{"\xa1\x01\x7f\x61x", 5, "offset 5: the file ends here"},
		{"\xa1\x01\x19\x01", 4, "offset 2: the file ends within an item"},
		{"\xa1\x68"
		 "contexts\x05",
			11, "offset 10: \"contexts\" is not an array"},
		{"\xa1\x6b"
		 "stringTable\xa0",
			14, "offset 13: \"stringTable\" is not an array"},
	};

	for (size_t i = 0; i < TS_COUNT(bad); i++) {
		struct ts_strbuf b;

		ts_strbuf_init(&b, 100);
		ts_strbuf_add(&b, bad[i].bytes, bad[i].n);
		check_damaged(&b, bad[i].what);
		ts_strbuf_fini(&b);
	}
}
END_TEST

/* Ids that are none are told apart; what is no map, and strings that are none, keep their numbers. */
START_TEST(odd_elements)
{
	struct ts_strbuf b;
	struct ts_err err;
	struct seen s;

	after_key(&b);
	cbor_head(&b, CBOR_ARRAY, 5);
	cbor_head(&b, CBOR_UINT, 7);
	cbor_head(&b, CBOR_MAP, 1);
	cbor_text(&b, "id");
	cbor_double(&b, 1.5);
	cbor_head(&b, CBOR_MAP, 1);
	cbor_text(&b, "id");
	cbor_head(&b, CBOR_NEGINT, 0);
	cbor_head(&b, CBOR_MAP, 2);
	cbor_key_number(&b, "id", UINT64_MAX);
	cbor_text(&b, "name");
	cbor_text(&b, "in line");
	cbor_head(&b, CBOR_MAP, 2);
	cbor_head(&b, CBOR_ARRAY, 1); /* a key that is an array */
	cbor_text(&b, "id");
	cbor_head(&b, CBOR_UINT, 4);
	cbor_key_number(&b, "id", 3);
	cbor_text(&b, "stringTable");
	cbor_head(&b, CBOR_ARRAY, 3);
	cbor_head(&b, CBOR_ARRAY, 0);
	cbor_byte(&b, 0xf6);
	cbor_text(&b, "x");
	cbor_break(&b);
	ck_assert_msg(read_bytes(&s, &b, b.len, &err) == TS_OK, "%s", err.msg);
	ck_assert_int_eq(s.contexts, 5);
	ck_assert(!s.context[0].has_id && !s.context[1].has_id);
	ck_assert(s.context[2].has_id && s.context[2].id == UINT64_MAX);
	ck_assert_int_eq(s.context[3].name_form, TS_DEBUG_NAME_TEXT);
	ck_assert(s.context[4].has_id && s.context[4].id == 3);
	ck_assert_int_eq(s.strings, 3);
	ts_strbuf_fini(&b);
}
END_TEST

/* Strings that are longer than the window are passed over; what is behind them is found. */
START_TEST(long_strings)
{
	static const size_t sizes[] = {TS_CBOR_WINDOW - 20, TS_CBOR_WINDOW - 3, TS_CBOR_WINDOW,
		TS_CBOR_WINDOW + 1, 3 * TS_CBOR_WINDOW + 5};
	struct ts_debug_tree t;
	struct ts_source *source;
	struct ts_strbuf b;
	struct ts_err err;
	struct seen s;

	after_key(&b);
	cbor_head(&b, CBOR_ARRAY, TS_COUNT(sizes));
	for (size_t i = 0; i < TS_COUNT(sizes); i++) {
		cbor_head(&b, CBOR_MAP, 2);
		cbor_text(&b, "blob");
		cbor_head(&b, CBOR_TEXT, sizes[i]);
		for (size_t k = 0; k < sizes[i]; k++)
			cbor_byte(&b, 'x');
		cbor_key_number(&b, "id", 100 + i);
	}
	cbor_break(&b);
	ck_assert(!b.cut);
	ck_assert_msg(read_bytes(&s, &b, b.len, &err) == TS_OK, "%s", err.msg);
	ck_assert_int_eq(s.contexts, TS_COUNT(sizes));
	ck_assert_int_eq(ts_source_open_mem(&source, b.s, b.len, NULL), TS_OK);
	for (int i = 0; i < s.contexts; i++) {
		ck_assert(s.context[i].has_id && s.context[i].id == 100 + (uint64_t)i);
		ck_assert_int_eq(ts_debug_tree_read(&t, source, s.context[i].offset, NULL, NULL),
			TS_OK);
		ck_assert(t.cut && t.count == 2 && t.text.len < 2 * TS_DEBUG_VALUE);
		ts_debug_tree_fini(&t);
	}
	ts_source_close(source);
	ts_strbuf_fini(&b);
}
END_TEST

/* Details have their bounds: nodes, and bytes of text. */
START_TEST(many_details)
{
	struct ts_debug_tree t;
	struct ts_source *source;
	struct ts_strbuf b;

	ts_strbuf_init(&b, 8 << 20);
	cbor_open(&b, CBOR_MAP);
	cbor_text(&b, "deep");
	cbor_open(&b, CBOR_ARRAY);
	for (int i = 0; i < 20000; i++) {
		if (_i)
			cbor_text(&b,
				"a text that takes room of its own, and some more of it than that"
				" which there is for all of these together");
		else
			cbor_head(&b, CBOR_UINT, (uint64_t)i);
	}
	cbor_break(&b);
	cbor_break(&b);
	ck_assert_int_eq(ts_source_open_mem(&source, b.s, b.len, NULL), TS_OK);
	ck_assert_int_eq(ts_debug_tree_read(&t, source, 0, NULL, NULL), TS_OK);
	ck_assert(t.cut && t.count <= TS_DEBUG_NODES && t.text.len <= TS_DEBUG_TREE_TEXT);
	ck_assert_uint_eq(t.node[0].inside, t.count - 1);
	ts_debug_tree_fini(&t);
	ts_source_close(source);
	ts_strbuf_fini(&b);
}
END_TEST

/* --- files that fail, or change ----------------------------------------------------------------- */

struct flaky {
	struct ts_source base;
	const struct ts_strbuf *b;
	size_t end;  /* what is there now */
	int fail_at; /* of the reads; -1 = none */
};

static enum ts_code
flaky_read(struct ts_source *s, void *buf, size_t n, int64_t offset, size_t *got,
	const struct ts_cancel *cancel, struct ts_err *err)
{
	struct flaky *f = (struct flaky *)s;

	(void)cancel;
	if (f->fail_at-- == 0)
		return ts_err_sys(err, EIO, "read at offset %lld", (long long)offset);
	if ((size_t)offset >= f->end)
		return TS_OK;
	*got = n < f->end - (size_t)offset ? n : f->end - (size_t)offset;
	memcpy(buf, f->b->s + offset, *got);
	return TS_OK;
}

static void
flaky_close(struct ts_source *s)
{
	(void)s;
}

/* The details that a store has are JSON: the same tree. */
START_TEST(details_of_a_store)
{
	static const char text[] =
		"{\"op\": \"Conv\", \"in\": {\"shape\": [1, \"2\", null], \"e\": {}}, \"x\": 1.50}";
	struct ts_debug_tree t;
	const struct ts_debug_node *in, *shape;
	char *deep;

	ck_assert_int_eq(ts_debug_tree_of_json(&t, text, sizeof(text) - 1, NULL), TS_OK);
	ck_assert_uint_eq(t.count, 8);
	in = ts_debug_tree_find(&t, NULL, "in");
	ck_assert(in && in->kind == TS_CBOR_MAP && in->items == 2 && in->inside == 5);
	shape = ts_debug_tree_find(&t, in, "shape");
	ck_assert(shape && shape->kind == TS_CBOR_ARRAY && shape->items == 3 && shape->depth == 1);
	ck_assert(shape[1].key_n == 0 && shape[1].depth == 2);
	ck_assert_int_eq(strncmp(t.text.s + shape[2].value, "2", shape[2].value_n), 0);
	in = ts_debug_tree_find(&t, NULL, "x");
	ck_assert(in && in->value_n == 4 && memcmp(t.text.s + in->value, "1.50", 4) == 0);
	ts_debug_tree_fini(&t);
	for (size_t n = 0; n + 1 < sizeof(text); n++) {
		ck_assert_int_eq(ts_debug_tree_of_json(&t, text, n, NULL), TS_E_DAMAGED);
		ck_assert_uint_eq(t.count, 0);
	}
	ck_assert_int_eq(ts_debug_tree_of_json(&t, "[1]", 3, NULL), TS_E_DAMAGED);
	deep = malloc(1 << 20);
	memset(deep, ' ', 1 << 20);
	memcpy(deep, "{}", 2);
	ck_assert_int_eq(ts_debug_tree_of_json(&t, deep, 1 << 20, NULL), TS_E_LIMIT);
	memcpy(deep, "{\"a\":", 5);
	memset(deep + 5, '[', TS_CBOR_DEPTH);
	memset(deep + 5 + TS_CBOR_DEPTH, ']', TS_CBOR_DEPTH);
	memcpy(deep + 5 + 2 * TS_CBOR_DEPTH, "}", 1);
	ck_assert_int_eq(ts_debug_tree_of_json(&t, deep, 6 + 2 * TS_CBOR_DEPTH, NULL), TS_OK);
	ts_debug_tree_fini(&t);
	memset(deep + 5, '[', TS_CBOR_DEPTH + 1);
	memset(deep + 6 + TS_CBOR_DEPTH, ']', TS_CBOR_DEPTH + 1);
	memcpy(deep + 7 + 2 * TS_CBOR_DEPTH, "}", 1);
	ck_assert_int_eq(ts_debug_tree_of_json(&t, deep, 8 + 2 * TS_CBOR_DEPTH, NULL), TS_E_LIMIT);
	free(deep);
}
END_TEST

START_TEST(changes_while_read)
{
	static const struct ts_source_ops ops = {.read_at = flaky_read, .close = flaky_close};
	struct flaky f = {.base = {.ops = &ops}};
	struct ts_strbuf b;
	struct ts_err err;
	struct seen s;

	put_document(&b, 0);
	f.b = &b;
	f.base.size = (int64_t)b.len;
	for (f.end = 1; f.end < b.len; f.end++) {
		f.fail_at = -1;
		ck_assert_int_eq(read_source(&s, &f.base, &err), TS_E_STALE);
		ck_assert(strstr(err.msg, "offset ") != NULL);
	}
	for (int i = 0; i < 2; i++) {
		f.end = b.len - 2;
		f.fail_at = i;
		ck_assert_int_eq(read_source(&s, &f.base, &err), TS_E_SYS);
	}
	ts_strbuf_fini(&b);
}
END_TEST

START_TEST(cancelled)
{
	struct ts_cancel cancel = {.set = true};
	struct ts_debug_visitor v = {.cancel = &cancel};
	struct ts_source *source;
	struct ts_strbuf b;

	put_document(&b, 0);
	ck_assert_int_eq(ts_source_open_mem(&source, b.s, b.len, NULL), TS_OK);
	ck_assert_int_eq(ts_debug_info_read(source, &v, NULL), TS_E_CANCELLED);
	ts_source_close(source);
	ts_strbuf_fini(&b);
}
END_TEST

/* --- anything ----------------------------------------------------------------------------------- */

static uint64_t
dice(uint64_t *x)
{
	*x ^= *x << 13;
	*x ^= *x >> 7;
	*x ^= *x << 17;
	return *x;
}

START_TEST(random_damage)
{
	uint64_t x = 0x9e3779b97f4a7c15u + (uint64_t)_i;
	struct ts_strbuf b;

	for (int k = 0; k < 200; k++) {
		enum ts_code code;
		struct ts_err err;
		const char *why;

		put_document(&b, (int)(dice(&x) % WAYS));
		for (int bytes = 1 + (int)(dice(&x) % 4); bytes > 0; bytes--) {
			size_t at = dice(&x) % b.len;

			b.s[at] = (char)dice(&x);
		}
		if (_i % 8 == 0) /* nothing but chance */
			for (size_t at = 1; at < b.len; at++)
				b.s[at] = (char)dice(&x);
		why = cbor_check(b.s, b.len, &code, &err);
		ck_assert_msg(!why, "%s: %s", why, err.msg);
		ts_strbuf_fini(&b);
	}
}
END_TEST

static void
replay(void *ctx, const char *file, const unsigned char *bytes, size_t n)
{
	enum ts_code code;
	struct ts_err err;
	const char *why = cbor_check(bytes, n, &code, &err);

	(void)ctx;
	ck_assert_msg(!why, "%s: %s: %s", file, why, err.msg);
}

/* What the fuzzer is given, and what it has found. */
START_TEST(corpus)
{
	corpus_each("cbor", 1 << 18, replay, NULL);
}
END_TEST

int
main(void)
{
	Suite *suite = suite_create("debug_info");
	TCase *t = tcase_create("debug_info");
	SRunner *runner;
	int failed;

	tcase_set_timeout(t, 60);
	tcase_add_loop_test(t, however_it_is_written, 0, WAYS);
	tcase_add_loop_test(t, truncated_anywhere, 0, WAYS);
	tcase_add_test(t, bombs);
	tcase_add_test(t, malformed);
	tcase_add_test(t, odd_elements);
	tcase_add_test(t, long_strings);
	tcase_add_loop_test(t, many_details, 0, 2);
	tcase_add_test(t, details_of_a_store);
	tcase_add_test(t, changes_while_read);
	tcase_add_test(t, cancelled);
	tcase_add_loop_test(t, random_damage, 0, 40);
	tcase_add_test(t, corpus);
	suite_add_tcase(suite, t);
	runner = srunner_create(suite);
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
