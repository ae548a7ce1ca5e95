/* SPDX-License-Identifier: MIT */
/*
 * filter - asking; see the header. How a line is read: filter_parse.c.
 *
 * Truth has three values (Kleene's): of `and` the lesser, of `or` the greater, with NO < UNSURE < YES. What asks
 * for a text is asked last, and only when the rest does not settle it.
 */
#include "config.h"

#include <string.h>

#include "tilescope/base/element_type.h"
#include "tilescope/base/mem.h"
#include "tilescope/base/filter.h"

bool
ts_filter_uses(const struct ts_filter *f, int field)
{
	for (int i = 0; i < f->count; i++)
		if (f->node[i].op >= TS_FILTER_RANGE && f->node[i].field == field)
			return true;
	return false;
}

int
ts_filter_find(const struct ts_filter *f, int field, enum ts_filter_op op)
{
	for (int i = 0; i < f->count; i++)
		if (f->node[i].op == op && f->node[i].field == field)
			return i;
	return -1;
}

/* --- texts -------------------------------------------------------------------------------------- */

/* Of a word that each text has for which the comparison holds. */
static void
find_needs(struct ts_filter_use *u, const struct ts_filter_node *n)
{
	const char *word = u->filter->text + n->a;
	size_t size = n->b == 1 ? strlen(word) : 0;

	if (u->filter->fields[n->field].type != TS_FILTER_NAME)
		return;
	if (n->op == TS_FILTER_MATCHES)
		word = ts_pattern_needs(u->pattern[n->text], &size);
	ts_signature_add(&u->needs[n->text], word, size, 0);
}

enum ts_code
ts_filter_use_init(struct ts_filter_use *u, const struct ts_filter *f, struct ts_err *err)
{
	enum ts_code code = TS_OK;

	*u = (struct ts_filter_use){.filter = f};
	for (int i = 0; i < f->count && !code; i++) {
		const struct ts_filter_node *n = &f->node[i];

		if (n->op < TS_FILTER_HAS || n->op > TS_FILTER_MATCHES)
			continue;
		if (n->op == TS_FILTER_MATCHES)
			code = ts_pattern_compile(&u->pattern[n->text], f->text + n->a,
				TS_PATTERN_SMART, NULL, err);
		if (!code && n->op == TS_FILTER_MATCHES)
			code = ts_matcher_new(&u->matcher[n->text], u->pattern[n->text], err);
		if (!code)
			find_needs(u, n);
	}
	return code;
}

void
ts_filter_use_fini(struct ts_filter_use *u)
{
	for (int i = 0; i < TS_FILTER_TEXTS; i++) {
		ts_matcher_free(u->matcher[i]);
		ts_pattern_free(u->pattern[i]);
	}
	*u = (struct ts_filter_use){0};
}

enum ts_code
ts_filter_use_check(const struct ts_filter_use *u, struct ts_err *err)
{
	for (int i = 0; i < TS_FILTER_TEXTS; i++)
		if (u->matcher[i] && ts_matcher_costly(u->matcher[i]))
			return ts_pattern_costly_err(u->pattern[i], err);
	return TS_OK;
}

int64_t
ts_filter_use_costly(const struct ts_filter_use *u)
{
	int64_t n = 0;

	for (int i = 0; i < TS_FILTER_TEXTS; i++)
		n += u->matcher[i] ? ts_matcher_given_up(u->matcher[i]) : 0;
	return n;
}

static inline char
small(char c)
{
	return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

static bool
begins(const char *s, const char *word, size_t m)
{
	size_t k = 0;

	while (k < m && small(s[k]) == word[k])
		k++;
	return k == m;
}

/* The words of HAS or IS. */
static enum ts_truth
ask_words(const struct ts_filter_use *u, const struct ts_filter_node *n, const char *s,
	size_t bytes)
{
	const char *word = u->filter->text + n->a;
	bool type = u->filter->fields[n->field].type == TS_FILTER_ELEMENT;

	for (int i = 0; i < n->b; i++) {
		size_t m = strlen(word);
		struct ts_finder f = {.word = word, .n = m, .any_case = true};

		if (n->op == TS_FILTER_IS ? m == bytes && begins(s, word, m)
					  : ts_finder_next(&f, s, bytes, 0))
			return TS_YES;
		if (type && n->op == TS_FILTER_IS && ts_type_is(s, bytes, word))
			return TS_YES;
		word += m + 1;
	}
	return TS_NO;
}

enum ts_truth
ts_filter_text(const struct ts_filter_use *u, const struct ts_filter_node *n, const char *s,
	size_t bytes)
{
	enum ts_match match;

	if (n->op != TS_FILTER_MATCHES)
		return ask_words(u, n, s, bytes);
	match = ts_pattern_matches(u->matcher[n->text], s, bytes);
	return match == TS_MATCH_YES ? TS_YES : match == TS_MATCH_NO ? TS_NO : TS_UNSURE;
}

enum ts_truth
ts_filter_text_next(struct ts_filter_texts *t, const struct ts_filter_use *u,
	const struct ts_filter_node *n, const char *s, size_t bytes, size_t same)
{
	struct ts_finder *f = &t->finder[n->text];
	enum ts_match match;

	if (n->op == TS_FILTER_MATCHES) {
		match = ts_pattern_matches_next(u->matcher[n->text], s, bytes, same);
		return match == TS_MATCH_YES ? TS_YES : match == TS_MATCH_NO ? TS_NO : TS_UNSURE;
	}
	if (n->op != TS_FILTER_HAS || n->b != 1)
		return ask_words(u, n, s, bytes);
	if (!f->word)
		*f = (struct ts_finder){.word = u->filter->text + n->a,
			.n = strlen(u->filter->text + n->a),
			.any_case = true};
	return ts_finder_next(f, s, bytes, same) ? TS_YES : TS_NO;
}

bool
ts_filter_text_may(const struct ts_filter_use *u, const struct ts_filter_node *n,
	const struct ts_signature *texts)
{
	return ts_signature_may_have(texts, &u->needs[n->text]);
}

/* --- rows --------------------------------------------------------------------------------------- */

static enum ts_truth
in_range(const struct ts_filter *f, const struct ts_filter_node *n, int64_t v)
{
	for (int i = n->a; i < n->a + n->b; i++)
		if (v >= f->range[i].from && v <= f->range[i].to)
			return TS_YES;
	return TS_NO;
}

static const enum ts_truth of_not[] = {[TS_NO] = TS_YES, [TS_YES] = TS_NO, [TS_UNSURE] = TS_UNSURE};

static enum ts_truth
compare(const struct ts_filter *f, const struct ts_filter_row *row, const struct ts_filter_node *n)
{
	int64_t v;

	if (n->op != TS_FILTER_RANGE && n->op != TS_FILTER_IN)
		return row->text(row->ctx, n);
	if (f->fields[n->field].type == TS_FILTER_SPANS)
		return row->spans(row->ctx, n);
	if (!row->number(row->ctx, n->field, &v))
		return TS_UNSURE;
	return n->op == TS_FILTER_IN ? row->in(row->ctx, n, v) : in_range(f, n, v);
}

/* Depth is bounded by the parser. */
static enum ts_truth
ask(const struct ts_filter *f, const struct ts_filter_row *row, int i)
{
	const struct ts_filter_node *n = &f->node[i];
	enum ts_truth settles = n->op == TS_FILTER_AND ? TS_NO : TS_YES, first, second;
	bool turned;

	if (n->op == TS_FILTER_NOT)
		return of_not[ask(f, row, n->a)];
	if (n->op > TS_FILTER_NOT)
		return compare(f, row, n);
	turned = f->node[n->a].dear && !f->node[n->b].dear;
	first = ask(f, row, turned ? n->b : n->a);
	if (first == settles)
		return first;
	second = ask(f, row, turned ? n->a : n->b);
	return second == settles || first != TS_UNSURE ? second : first;
}

enum ts_truth
ts_filter_ask(const struct ts_filter *f, const struct ts_filter_row *row)
{
	return f->count > 0 ? ask(f, row, f->count - 1) : TS_YES;
}
