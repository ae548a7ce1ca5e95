/* SPDX-License-Identifier: MIT */
/* variable_filter - see the header. */
#include "config.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tilescope/base/mem.h"
#include "tilescope/report/variable_filter.h"

/* --- reading the line --------------------------------------------------------------------------- */

static const struct {
	const char *word;
	enum ts_filter_kind kind;
	const char *example;
} keys[] = {
	{"name:", TS_FILTER_NAME, "name:partials"},
	{"tile:", TS_FILTER_TILE, "tile:12 or tile:1,40-45"},
	{"ipu:", TS_FILTER_IPU, "ipu:0 or ipu:1-3"},
	{"category:", TS_FILTER_CATEGORY, "category:stack"},
	{"bytes", TS_FILTER_BYTES, "bytes>64KiB or bytes<=1000"},
};

static const struct {
	const char *word;
	double bytes;
} units[] = {
	{"", 1},
	{"b", 1},
	{"k", 1024},
	{"kib", 1024},
	{"kb", 1000},
	{"m", 1 << 20},
	{"mib", 1 << 20},
	{"mb", 1e6},
	{"g", 1 << 30},
	{"gib", 1 << 30},
	{"gb", 1e9},
};

/*
 * The next word of the line into out: blanks part words, "..." keeps them. *quoted: it began so; *open: a
 * quote is not closed.
 */
static const char *
next_word(const char *s, char out[TS_FILTER_TEXT], bool *quoted, bool *open)
{
	size_t n = 0;
	bool inside = false;

	s += strspn(s, " \t");
	*quoted = *s == '"';
	for (; *s && (inside || (*s != ' ' && *s != '\t')); s++) {
		if (*s == '"')
			inside = !inside;
		else if (n + 1 < TS_FILTER_TEXT)
			out[n++] = (char)tolower((unsigned char)*s);
	}
	out[n] = '\0';
	*open = inside;
	return s;
}

/* Words apart by commas into the term, each with its NUL. */
static bool
take_words(struct ts_filter_term *t, const char *s, bool split)
{
	size_t at = 0;

	t->count = 0;
	while (*s || t->count == 0) {
		size_t n = split ? strcspn(s, ",") : strlen(s);

		if (n == 0 || at + n + 1 > sizeof(t->text))
			return false;
		memcpy(t->text + at, s, n);
		t->text[at + n] = '\0';
		at += n + 1;
		t->count++;
		s += n;
		if (*s == ',' && !*++s)
			return false;
	}
	return true;
}

static bool
take_number(int64_t *out, const char **s)
{
	char *end;

	if (!isdigit((unsigned char)**s))
		return false;
	errno = 0;
	*out = strtoll(*s, &end, 10);
	*s = end;
	return !errno && *out <= TS_NUMBER_MAX;
}

static bool
take_ranges(struct ts_filter_term *t, const char *s)
{
	for (t->count = 0; t->count < TS_FILTER_RANGES;) {
		int64_t from, to;

		if (!take_number(&from, &s))
			return false;
		to = from;
		if (*s == '-' && (s++, !take_number(&to, &s)))
			return false;
		if (to < from)
			return false;
		t->range[t->count].from = from;
		t->range[t->count++].to = to;
		if (!*s)
			return true;
		if (*s++ != ',')
			return false;
	}
	return false;
}

static bool
take_size(int64_t *out, const char *s)
{
	char *end;
	double v;

	if (!isdigit((unsigned char)*s))
		return false;
	v = strtod(s, &end);
	for (size_t i = 0; i < TS_COUNT(units); i++)
		if (strcmp(end, units[i].word) == 0) {
			if (!(v * units[i].bytes <= (double)TS_NUMBER_MAX))
				return false;
			*out = (int64_t)(v * units[i].bytes);
			return true;
		}
	return false;
}

static bool
take_comparison(struct ts_filter_term *t, const char *s)
{
	char sign = *s;
	bool equal = sign == '=' || s[1] == '=';
	int64_t v;

	if (!strchr("<>=", sign) || !take_size(&v, s + (sign != '=' && equal ? 2 : 1)))
		return false;
	t->count = 1;
	t->range[0].from = sign == '<' ? 0 : v + !equal;
	t->range[0].to = sign == '>' ? TS_NUMBER_MAX : v - !equal;
	return true;
}

static bool
take_term(struct ts_filter_term *t, const char *s)
{
	switch (t->kind) {
	case TS_FILTER_NAME:
		return take_words(t, s, false);
	case TS_FILTER_CATEGORY:
		return take_words(t, s, true);
	case TS_FILTER_BYTES:
		return take_comparison(t, s);
	default:
		return take_ranges(t, s);
	}
}

/* The key that a word begins with, or -1. `bytes` is one only before a sign: names have the word, too. */
static int
key_of(const char *word)
{
	for (size_t i = 0; i < TS_COUNT(keys); i++) {
		size_t n = strlen(keys[i].word);

		if (strncmp(word, keys[i].word, n) == 0 &&
			(keys[i].kind != TS_FILTER_BYTES || (word[n] && strchr("<>=", word[n]))))
			return (int)i;
	}
	return -1;
}

/* Letters before a sign at the begin of a word, as a field has them: how many. */
static size_t
field_length(const char *word, const char *signs)
{
	size_t n = strspn(word, "abcdefghijklmnopqrstuvwxyz_");

	return n > 0 && word[n] && strchr(signs, word[n]) ? n : 0;
}

/* Does a word that begins with no field look as if it did? "size>64", "size:64"; not "poplar::x", "vector<x>". */
static enum ts_code
check_text(const char *word, struct ts_err *err)
{
	size_t n = field_length(word, "<>=");
	bool field = n > 0 && isdigit((unsigned char)word[n + strspn(word + n, "<>=")]);

	if (!field) {
		n = field_length(word, ":");
		field = n > 0 && word[n + 1] != ':';
	}
	if (!field)
		return TS_OK;
	for (size_t i = 0; i < TS_COUNT(keys); i++)
		if (strlen(keys[i].word) == n && strncmp(word, keys[i].word, n) == 0)
			return ts_err_set(err, TS_E_USAGE, "\"%s\" cannot be understood: %s", word,
				keys[i].example);
	return ts_err_set(err, TS_E_USAGE,
		"there is no field \"%.*s\": name, tile, ipu, category, bytes (text of a name: in quotes)",
		(int)ts_min_i64((int64_t)n, 30), word);
}

enum ts_code
ts_variable_filter_parse(struct ts_variable_filter *f, const char *line, struct ts_err *err)
{
	char word[TS_FILTER_TEXT];
	const char *s = line;
	bool quoted, open;

	*f = (struct ts_variable_filter){0};
	if (strlen(line) >= sizeof(f->line))
		return ts_err_set(err, TS_E_USAGE, "a filter has at most %d bytes",
			TS_FILTER_TEXT - 1);
	snprintf(f->line, sizeof(f->line), "%s", line);
	while (s = next_word(s, word, &quoted, &open), word[0] || open) {
		int key = quoted ? -1 : key_of(word);
		struct ts_filter_term *t = &f->term[f->count];
		enum ts_code code = key < 0 && !quoted ? check_text(word, err) : TS_OK;

		if (open)
			return ts_err_set(err, TS_E_USAGE, "a quote is not closed: \"%.60s", word);
		if (code)
			return code;
		if (f->count == TS_FILTER_TERMS)
			return ts_err_set(err, TS_E_USAGE, "a filter has at most %d words",
				TS_FILTER_TERMS);
		t->kind = key < 0 ? TS_FILTER_NAME : keys[key].kind;
		if (!take_term(t, key < 0 ? word : word + strlen(keys[key].word)))
			return ts_err_set(err, TS_E_USAGE, "\"%s\" cannot be understood: %s", word,
				key < 0 ? "text of a name" : keys[key].example);
		f->count++;
	}
	return TS_OK;
}

/* --- asking it ---------------------------------------------------------------------------------- */

bool
ts_variable_filter_uses(const struct ts_variable_filter *f, enum ts_filter_kind kind)
{
	for (int i = 0; i < f->count; i++)
		if (f->term[i].kind == kind)
			return true;
	return false;
}

enum ts_code
ts_variable_filter_check(const struct ts_variable_filter *f, const struct ts_variables *v,
	struct ts_err *err)
{
	if (ts_variable_filter_uses(f, TS_FILTER_NAME) && !v->has[TS_LOWERED_VARIABLE_NAME])
		return ts_err_set(err, TS_E_ABSENT, "names are not recorded in this report");
	if (ts_variable_filter_uses(f, TS_FILTER_CATEGORY) && !v->has[TS_LOWERED_VARIABLE_CATEGORY])
		return ts_err_set(err, TS_E_ABSENT, "categories are not recorded in this report");
	if (ts_variable_filter_uses(f, TS_FILTER_IPU) && v->tiles_per_ipu == TS_UNKNOWN)
		return ts_err_set(err, TS_E_ABSENT,
			"which tiles an IPU has is not recorded in this report");
	return TS_OK;
}

static inline char
small(char c)
{
	return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

/* `word` is in small letters. */
static bool
contains(const char *s, size_t n, const char *word, size_t m)
{
	if (m > n)
		return false;
	for (size_t i = 0; i <= n - m; i++) {
		size_t k = 0;

		while (k < m && small(s[i + k]) == word[k])
			k++;
		if (k == m)
			return true;
	}
	return false;
}

/* Is there a category that the term's word is part of? Where rows have names of their own: not known. */
static bool
category_has(const struct ts_names *names, const char *word)
{
	for (size_t i = 0; i < names->count; i++)
		if (contains(names->text + names->name[i].at, names->name[i].length, word,
			    strlen(word)))
			return true;
	return false;
}

bool
ts_variable_filter_doubt(char *out, size_t size, const struct ts_variable_filter *f,
	const struct ts_variables *v)
{
	for (int i = 0; i < f->count && v->categories.count > 0; i++) {
		const char *word = f->term[i].text;

		if (f->term[i].kind != TS_FILTER_CATEGORY)
			continue;
		for (int k = 0; k < f->term[i].count; k++, word += strlen(word) + 1)
			if (!category_has(&v->categories, word)) {
				snprintf(out, size, "no category that is named has \"%.60s\" in it",
					word);
				return true;
			}
	}
	return false;
}

bool
ts_filter_number(const struct ts_filter_term *t, int64_t v)
{
	for (int i = 0; i < t->count; i++)
		if (v >= t->range[i].from && v <= t->range[i].to)
			return true;
	return false;
}

bool
ts_filter_text(const struct ts_filter_term *t, const char *s, size_t n)
{
	const char *word = t->text;

	for (int i = 0; i < t->count; i++) {
		size_t m = strlen(word);

		if (contains(s, n, word, m))
			return true;
		word += m + 1;
	}
	return false;
}

static bool
term_row(const struct ts_filter_term *t, const struct ts_variable_window *w,
	const struct ts_variable *x)
{
	switch (t->kind) {
	case TS_FILTER_NAME:
		return x->has_name && ts_filter_text(t, w->text.s + x->name, x->name_n);
	case TS_FILTER_CATEGORY:
		return ts_filter_text(t, w->text.s + x->category_name, x->category_name_n);
	case TS_FILTER_TILE:
		return ts_filter_number(t, x->tile);
	case TS_FILTER_IPU:
		return ts_filter_number(t, x->ipu);
	case TS_FILTER_BYTES:
		return ts_filter_number(t, x->bytes);
	}
	return false;
}

bool
ts_variable_filter_row(const struct ts_variable_filter *f, const struct ts_variable_window *w,
	const struct ts_variable *x)
{
	if (x->state != TS_VARIABLE_OK)
		return false;
	for (int i = 0; i < f->count; i++)
		if (!term_row(&f->term[i], w, x))
			return false;
	return true;
}
