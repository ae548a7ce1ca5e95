/* SPDX-License-Identifier: MIT */
/*
 * What the files that read a filter share: filter_parse.c (the line, fields, what stands between comparisons) and
 * filter_value.c (values, and comparisons with them).
 */
#ifndef TS_BASE_FILTER_INTERNAL_H
#define TS_BASE_FILTER_INTERNAL_H

#include "tilescope/base/filter.h"

struct filter_parser {
	struct ts_filter *f;
	const char *line, *s;
	int depth;
	size_t at; /* of the error */
	struct ts_err *err;
};

enum filter_sign {
	S_NONE,
	S_HAS,
	S_IS,
	S_NOT,
	S_LESS,
	S_LEAST, /* at least */
	S_MORE,
	S_MOST,
	S_LIKE,
	S_UNLIKE,
	S_IN
};

struct filter_value {
	const char *begin; /* in the line */
	char text[TS_FILTER_TEXT];
};

static inline bool
filter_is_blank(char c)
{
	return c == ' ' || c == '\t';
}

/* --- filter_parse.c --- */

/* TS_E_USAGE, said of the character at `at`. */
enum ts_code filter_wrong(struct filter_parser *p, const char *at, const char *fmt, ...)
	TS_PRINTF(3, 4);

/* Are n letters, of either case, this word? */
bool filter_is_word(const char *s, size_t n, const char *word);

/* Append a node; *at: its number. And one that turns node *at around. */
enum ts_code filter_add(struct filter_parser *p, int *at, struct ts_filter_node n);
enum ts_code filter_add_not(struct filter_parser *p, int *at);

/* --- filter_value.c --- */

/* A word, or text in quotes, at p->s, which goes behind it. */
enum ts_code filter_take_value(struct filter_parser *p, struct filter_value *v);

/* Into the filter's text with its NUL; *at: where. `small`: in small letters. */
enum ts_code filter_keep(struct filter_parser *p, uint16_t *at, const char *s, size_t n,
	bool small);

/* The value behind a field and a sign (S_NONE: a field alone, of yes or no), as node *at. */
enum ts_code filter_comparison(struct filter_parser *p, int *at, int field, enum filter_sign sign);

#endif
