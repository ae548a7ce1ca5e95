/* SPDX-License-Identifier: MIT */
/*
 * filter_value - values of a filter, and comparisons with them; see filter.h and filter_internal.h.
 *
 * A value ends at a blank, or at a parenthesis that was not opened in it, so that names with parentheses need no
 * quotes and `(a or b)` no blanks.
 */
#include "config.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "filter_internal.h"
#include "tilescope/base/element_type.h"
#include "tilescope/base/mem.h"

/* Larger numbers are none in a report either (TS_NUMBER_MAX). */
#define NUMBER_MAX (INT64_C(1) << 62)

/* --- values ------------------------------------------------------------------------------------- */

/* Where a bare value ends. `pattern`: what stands behind a backslash or in brackets is no parenthesis. */
static const char *
bare_end(const char *s, bool pattern)
{
	int open = 0;
	bool set = false, quoted = false;

	for (; *s && (quoted || !filter_is_blank(*s) || (pattern && set)); s++) {
		if (pattern && *s == '\\' && s[1]) {
			s++;
			continue;
		}
		if (*s == '"' && !pattern)
			quoted = !quoted;
		if (quoted)
			continue;
		if (pattern && (*s == '[' || *s == ']'))
			set = *s == '[';
		if (*s == '(' && !set)
			open++;
		if (*s == ')' && !set && --open < 0)
			break;
	}
	return s;
}

/* Text in quotes, from behind the first one: \" is a quote. */
static enum ts_code
take_quoted(struct filter_parser *p, struct filter_value *v)
{
	size_t n = 0;

	for (p->s++; *p->s && *p->s != '"'; p->s++) {
		if (*p->s == '\\' && p->s[1] == '"')
			p->s++;
		v->text[n++] = *p->s;
	}
	v->text[n] = '\0';
	if (!*p->s)
		return filter_wrong(p, v->begin, "a quote is not closed");
	p->s++;
	return TS_OK;
}

/* A word; quotes in it keep blanks, and go. */
static enum ts_code
take_bare(struct filter_parser *p, struct filter_value *v)
{
	const char *end = bare_end(p->s, false);
	size_t n = 0, quotes = 0;

	for (; p->s < end; p->s++) {
		if (*p->s == '"')
			quotes++;
		else
			v->text[n++] = *p->s;
	}
	v->text[n] = '\0';
	return quotes % 2 ? filter_wrong(p, v->begin, "a quote is not closed") : TS_OK;
}

enum ts_code
filter_take_value(struct filter_parser *p, struct filter_value *v)
{
	v->begin = p->s;
	if (*p->s == '"') {
		const char *end = bare_end(p->s, false);
		const char *close = strchr(p->s + 1, '"');

		if (!close || close + 1 >= end || close[-1] == '\\')
			return take_quoted(p, v);
	}
	return take_bare(p, v);
}

static enum ts_code
take_pattern(struct filter_parser *p, struct filter_value *v)
{
	const char *end;
	size_t n;

	v->begin = p->s;
	if (*p->s == '"')
		return take_quoted(p, v);
	end = bare_end(p->s, true);
	n = ts_pattern_between_slashes(p->s, (size_t)(end - p->s));
	v->begin += n > 0;
	n = n > 0 ? n : (size_t)(end - p->s);
	memcpy(v->text, v->begin, n);
	v->text[n] = '\0';
	p->s = end;
	return TS_OK;
}

/* An expression of tiles: in parentheses with blanks, else without. */
static enum ts_code
take_tiles(struct filter_parser *p, struct filter_value *v)
{
	const char *end = p->s;
	bool quoted = false;
	int open = 0;

	v->begin = p->s;
	for (; *end; end++) {
		if (*end == '"')
			quoted = !quoted;
		if (quoted)
			continue;
		if ((filter_is_blank(*end) && open == 0) || (*end == ')' && open == 0))
			break;
		open += (*end == '(') - (*end == ')');
	}
	memcpy(v->text, p->s, (size_t)(end - p->s));
	v->text[end - p->s] = '\0';
	p->s = end;
	return quoted ? filter_wrong(p, v->begin, "a quote is not closed") : TS_OK;
}

/* Into the filter's text, each with its NUL; *at: where. */
enum ts_code
filter_keep(struct filter_parser *p, uint16_t *at, const char *s, size_t n, bool small)
{
	struct ts_filter *f = p->f;

	if (n + 1 > sizeof(f->text) - f->used)
		return filter_wrong(p, p->s, "too much text for one filter");
	*at = (uint16_t)f->used;
	for (size_t i = 0; i < n; i++)
		f->text[f->used++] = small
			? (char)(s[i] >= 'A' && s[i] <= 'Z' ? s[i] - 'A' + 'a' : s[i])
			: s[i];
	f->text[f->used++] = '\0';
	return TS_OK;
}

/* --- comparisons --------------------------------------------------------------------------------- */

static const struct {
	const char *word;
	double bytes, number;
} units[] = {
	{"", 1, 1},
	{"b", 1, 0},
	{"k", 1024, 1e3},
	{"kib", 1024, 0},
	{"kb", 1000, 0},
	{"m", 1 << 20, 1e6},
	{"mib", 1 << 20, 0},
	{"mb", 1e6, 0},
	{"g", 1 << 30, 1e9},
	{"gib", 1 << 30, 0},
	{"gb", 1e9, 0},
};

static double
unit_of(const char *s, size_t n, enum ts_filter_type type)
{
	if (type == TS_FILTER_PERCENT)
		return n == 0 || (n == 1 && *s == '%') ? 1000 : 0;
	if (type == TS_FILTER_REAL)
		return 1000 * unit_of(s, n, TS_FILTER_NUMBER);
	for (size_t i = 0; i < TS_COUNT(units); i++)
		if (filter_is_word(s, n, units[i].word))
			return type == TS_FILTER_BYTES ? units[i].bytes
				: type == TS_FILTER_NUMBER || type == TS_FILTER_SPANS || n == 0
				? units[i].number
				: 0;
	return 0;
}

/* Digits, perhaps with a point or 0x, and a unit; *s behind them. False: that is none. */
static bool
take_number(int64_t *out, const char **s, enum ts_filter_type type)
{
	const char *from = *s;
	char *end;
	double v, unit;
	size_t n = 0;

	if (!isdigit((unsigned char)*from))
		return false;
	errno = 0;
	*out = strtoll(from, &end, from[0] == '0' && (from[1] | 32) == 'x' ? 16 : 10);
	if (*end == '.' && isdigit((unsigned char)end[1])) {
		v = strtod(from, &end); /* digits follow: no exponent is meant */
		while (isalpha((unsigned char)end[n]) || end[n] == '%')
			n++;
		unit = unit_of(end, n, type);
		if (!(unit > 0) || !(v * unit <= (double)NUMBER_MAX))
			return false;
		*out = (int64_t)(v * unit);
		*s = end + n;
		return true;
	}
	while (isalpha((unsigned char)end[n]) || end[n] == '%')
		n++;
	unit = unit_of(end, n, type);
	*s = end + n;
	return !errno && unit > 0 && *out <= NUMBER_MAX / (int64_t)unit &&
		(*out *= (int64_t)unit, true);
}

/* `2`, `2-5` or `2..5`. */
static bool
take_range(int64_t *from, int64_t *to, const char **s, enum ts_filter_type type)
{
	if (!take_number(from, s, type))
		return false;
	*to = *from;
	if (**s == '-')
		(*s)++;
	else if ((*s)[0] == '.' && (*s)[1] == '.')
		*s += 2;
	else
		return true;
	return take_number(to, s, type) && *to >= *from;
}

static enum ts_code
not_understood(struct filter_parser *p, const struct filter_value *v, int field)
{
	if (!v->text[0])
		return filter_wrong(p, v->begin, "no value is there for %s: %s",
			p->f->fields[field].name, p->f->fields[field].example);
	return filter_wrong(p, v->begin, "\"%.60s\" cannot be understood: %s", v->text,
		p->f->fields[field].example);
}

static bool
add_range(struct ts_filter *f, int64_t from, int64_t to)
{
	if (f->ranges == TS_FILTER_RANGES)
		return false;
	f->range[f->ranges].from = from;
	f->range[f->ranges++].to = to;
	return true;
}

/* The ranges that a number has to be in; false: the text says none. */
static bool
ranges_of(struct filter_parser *p, enum ts_filter_type type, enum filter_sign sign, const char *s)
{
	bool one = sign >= S_LESS && sign <= S_MOST;
	int64_t from, to;

	for (;; s++) {
		if (one ? !take_number(&from, &s, type) : !take_range(&from, &to, &s, type))
			return false;
		if (sign == S_LESS || sign == S_MOST) {
			to = from - (sign == S_LESS);
			from = INT64_MIN;
		} else if (one) {
			from += sign == S_MORE;
			to = NUMBER_MAX;
		}
		if (!add_range(p->f, from, to))
			return false;
		if (one || *s != ',')
			return !*s;
	}
}

static enum ts_code
compare_number(struct filter_parser *p, int *at, int field, enum filter_sign sign)
{
	struct ts_filter_node n = {.op = TS_FILTER_RANGE,
		.field = (uint8_t)field,
		.a = (uint16_t)p->f->ranges};
	struct filter_value v;
	enum ts_code code = filter_take_value(p, &v);

	if (code)
		return code;
	if (sign == S_LIKE || sign == S_UNLIKE || sign == S_IN ||
		!ranges_of(p, p->f->fields[field].type, sign, v.text))
		return not_understood(p, &v, field);
	n.b = (uint16_t)(p->f->ranges - n.a);
	code = filter_add(p, at, n);
	return code || sign != S_NOT ? code : filter_add_not(p, at);
}

static enum ts_code
compare_yes(struct filter_parser *p, int *at, int field, enum filter_sign sign)
{
	static const char *const words[][2] = {{"yes", "no"}, {"true", "false"}, {"1", "0"}};
	struct ts_filter_node n = {.op = TS_FILTER_RANGE,
		.field = (uint8_t)field,
		.a = (uint16_t)p->f->ranges,
		.b = 1};
	struct filter_value v = {.begin = p->s, .text = "yes"};
	int yes = -1;
	enum ts_code code = sign == S_NONE ? TS_OK : filter_take_value(p, &v);

	if (code)
		return code;
	for (size_t i = 0; i < TS_COUNT(words); i++)
		for (int k = 0; k < 2; k++)
			if (filter_is_word(v.text, strlen(v.text), words[i][k]))
				yes = !k;
	if (yes < 0 || (sign != S_NONE && sign != S_HAS && sign != S_IS && sign != S_NOT) ||
		!add_range(p->f, yes, yes ? NUMBER_MAX : 0))
		return not_understood(p, &v, field);
	code = filter_add(p, at, n);
	return code || sign != S_NOT ? code : filter_add_not(p, at);
}

/* The text as one word, or as several between commas; false: a word is empty, or there is no room. */
static bool
words_of(struct filter_parser *p, struct ts_filter_node *n, const char *s, bool split)
{
	uint16_t at;

	for (n->b = 0; *s || n->b == 0; n->b++) {
		size_t m = split ? strcspn(s, ",") : strlen(s);

		if (m == 0 || filter_keep(p, &at, s, m, true))
			return false;
		if (n->b == 0)
			n->a = at;
		s += m;
		if (*s == ',' && !*++s)
			return false;
	}
	return true;
}

/* Are all words between commas element types that are known? Then none of them is meant as a part of a name. */
static bool
are_types(const char *s)
{
	bool all = *s;

	for (; *s; s += strcspn(s, ","), s += *s == ',')
		all = all && ts_type_names(s, strcspn(s, ","));
	return all;
}

static enum ts_code
match_text(struct filter_parser *p, int *at, int field, enum filter_sign sign)
{
	struct ts_filter_node n = {.op = TS_FILTER_MATCHES, .field = (uint8_t)field, .b = 1};
	struct ts_pattern *pattern = NULL;
	struct ts_err why = {0};
	struct filter_value v;
	size_t offset;
	enum ts_code code = take_pattern(p, &v);

	if (code)
		return code;
	if (!v.text[0])
		return not_understood(p, &v, field);
	code = ts_pattern_compile(&pattern, v.text, TS_PATTERN_SMART, &offset, &why);
	ts_pattern_free(pattern);
	if (code == TS_E_NOMEM)
		return ts_err_nomem(p->err);
	if (code) /* quotes and what they hide may be a few characters away */
		return filter_wrong(p, v.begin + (*v.begin == '"') + offset, "%s", why.msg);
	code = filter_keep(p, &n.a, v.text, strlen(v.text), false);
	if (!code)
		code = filter_add(p, at, n);
	return code || sign != S_UNLIKE ? code : filter_add_not(p, at);
}

static enum ts_code
compare_text(struct filter_parser *p, int *at, int field, enum filter_sign sign)
{
	struct ts_filter_node n = {.op = sign == S_HAS ? TS_FILTER_HAS : TS_FILTER_IS,
		.field = (uint8_t)field};
	enum ts_filter_type type = p->f->fields[field].type;
	struct filter_value v;
	enum ts_code code;

	if (sign == S_LIKE || sign == S_UNLIKE)
		return match_text(p, at, field, sign);
	code = filter_take_value(p, &v);
	if (code)
		return code;
	if (type == TS_FILTER_ELEMENT && are_types(v.text))
		n.op = TS_FILTER_IS;
	if ((sign != S_HAS && sign != S_IS && sign != S_NOT) ||
		!words_of(p, &n, v.text, type != TS_FILTER_NAME))
		return not_understood(p, &v, field);
	code = filter_add(p, at, n);
	return code || sign != S_NOT ? code : filter_add_not(p, at);
}

static enum ts_code
compare_tiles(struct filter_parser *p, int *at, int field, enum filter_sign sign)
{
	struct ts_filter_node n = {.op = TS_FILTER_IN, .field = (uint8_t)field, .b = 1};
	struct filter_value v;
	enum ts_code code;

	if (sign != S_IN)
		return compare_number(p, at, field, sign);
	code = take_tiles(p, &v);
	if (!code && !v.text[0])
		return not_understood(p, &v, field);
	if (!code)
		code = filter_keep(p, &n.a, v.text, strlen(v.text), false);
	return code ? code : filter_add(p, at, n);
}

enum ts_code
filter_comparison(struct filter_parser *p, int *at, int field, enum filter_sign sign)
{
	switch (p->f->fields[field].type) {
	case TS_FILTER_TILES:
		return compare_tiles(p, at, field, sign);
	case TS_FILTER_YES:
		return compare_yes(p, at, field, sign);
	case TS_FILTER_NAME:
	case TS_FILTER_WORD:
	case TS_FILTER_ELEMENT:
		return compare_text(p, at, field, sign);
	default:
		return compare_number(p, at, field, sign);
	}
}
