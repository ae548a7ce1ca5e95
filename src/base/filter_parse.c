/* SPDX-License-Identifier: MIT */
/*
 * filter_parse - a line of a filter to nodes; see filter.h.
 *
 * By descent: or, and, not, then a comparison or a word. A value ends at a blank, or at a parenthesis that was
 * not opened in it, so that names with parentheses need no quotes and `(a or b)` no blanks. Every error
 * names the character at which it was noticed.
 */
#include "config.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tilescope/base/mem.h"
#include "tilescope/base/strbuf.h"
#include "tilescope/base/filter.h"

/* Larger numbers are none in a report either (TS_NUMBER_MAX). */
#define NUMBER_MAX (INT64_C(1) << 62)

struct parser {
	struct ts_filter *f;
	const char *line, *s;
	int depth;
	size_t at; /* of the error */
	struct ts_err *err;
};

enum sign { S_NONE, S_HAS, S_IS, S_NOT, S_LESS, S_LEAST, S_MORE, S_MOST, S_LIKE, S_UNLIKE, S_IN };

/* The longer ones first. S_LEAST: at least. */
static const struct {
	const char *text;
	enum sign sign;
} signs[] = {
	{"!~", S_UNLIKE},
	{"!=", S_NOT},
	{"<=", S_MOST},
	{">=", S_LEAST},
	{"==", S_IS},
	{"=~", S_LIKE},
	{"=", S_IS},
	{"<", S_LESS},
	{">", S_MORE},
	{"~", S_LIKE},
	{":", S_HAS},
};

/* --- errors ------------------------------------------------------------------------------------- */

static enum ts_code wrong(struct parser *p, const char *at, const char *fmt, ...) TS_PRINTF(3, 4);

static enum ts_code
wrong(struct parser *p, const char *at, const char *fmt, ...)
{
	char text[TS_ERR_MSG];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	p->at = (size_t)(at - p->line);
	return ts_err_set(p->err, TS_E_USAGE, "character %zu: %s", p->at + 1, text);
}

static enum ts_code
no_field(struct parser *p, const char *name, size_t n)
{
	struct ts_strbuf all;
	enum ts_code code;

	ts_strbuf_init(&all, 300);
	for (const struct ts_filter_field *d = p->f->fields; d->name; d++)
		ts_strbuf_printf(&all, "%s%s", d == p->f->fields ? "" : ", ", d->name);
	code = wrong(p, name, "there is no field \"%.*s\": %s (text of a name: in quotes)",
		(int)(n < 30 ? n : 30), name, all.s);
	ts_strbuf_fini(&all);
	return code;
}

/* --- words -------------------------------------------------------------------------------------- */

static bool
is_blank(char c)
{
	return c == ' ' || c == '\t';
}

static const char *
skip(const char *s)
{
	while (is_blank(*s))
		s++;
	return s;
}

/* Letters of a field's name, or of `and`. */
static size_t
letters(const char *s)
{
	size_t n = 0;

	while (isalpha((unsigned char)s[n]) || s[n] == '_' ||
		(n > 0 && isdigit((unsigned char)s[n])))
		n++;
	return n;
}

static bool
is_word(const char *s, size_t n, const char *word)
{
	size_t i = 0;

	if (strlen(word) != n)
		return false;
	while (i < n && tolower((unsigned char)s[i]) == word[i])
		i++;
	return i == n;
}

/* Does one of the words that bind stand here, alone? Its length, or 0. */
static size_t
binds(const char *s, const char *word)
{
	size_t n = letters(s);

	return is_word(s, n, word) && (!s[n] || is_blank(s[n]) || s[n] == '(' || s[n] == ')') ? n
											      : 0;
}

int
ts_filter_field_of(const struct ts_filter_field *fields, const char *name, size_t n)
{
	for (int i = 0; fields[i].name; i++)
		if (is_word(name, n, fields[i].name) ||
			(fields[i].also && is_word(name, n, fields[i].also)))
			return i;
	return -1;
}

/*
 * The sign behind letters that end at s; *behind: where its value begins. `known`: they are a field. Names look
 * like comparisons, too: poplar::x, vector<float>.
 */
static enum sign
sign_at(const char *s, bool known, const char **behind)
{
	const char *to = skip(s);

	for (size_t i = 0; i < TS_COUNT(signs); i++) {
		size_t n = strlen(signs[i].text);
		enum sign g = signs[i].sign;

		if (strncmp(to, signs[i].text, n) != 0)
			continue;
		*behind = skip(to + n);
		if (g == S_HAS && (to != s || to[1] == ':'))
			return S_NONE;
		if (!known && (g == S_LESS || g == S_MORE) && !isdigit((unsigned char)**behind))
			return S_NONE;
		return g;
	}
	if (known && to > s && binds(to, "in") > 0) {
		*behind = skip(to + 2);
		return S_IN;
	}
	return S_NONE;
}

/* --- nodes -------------------------------------------------------------------------------------- */

/* Append; *at: its number. */
static enum ts_code
add(struct parser *p, int *at, struct ts_filter_node n)
{
	struct ts_filter *f = p->f;

	if (f->count == TS_FILTER_NODES)
		return wrong(p, p->s, "a filter has at most %d comparisons and words between them",
			TS_FILTER_NODES);
	if (n.op >= TS_FILTER_HAS) {
		if (f->texts == TS_FILTER_TEXTS)
			return wrong(p, p->s, "a filter has at most %d texts", TS_FILTER_TEXTS);
		n.text = (uint8_t)f->texts++;
	}
	n.dear = n.op <= TS_FILTER_OR	? f->node[n.a].dear | f->node[n.b].dear
		: n.op == TS_FILTER_NOT ? f->node[n.a].dear
					: n.op >= TS_FILTER_HAS && n.op <= TS_FILTER_MATCHES;
	*at = f->count;
	f->node[f->count++] = n;
	return TS_OK;
}

static enum ts_code
add_not(struct parser *p, int *at)
{
	return add(p, at, (struct ts_filter_node){.op = TS_FILTER_NOT, .a = (uint16_t)*at});
}

/* --- values ------------------------------------------------------------------------------------- */

struct value {
	const char *begin; /* in the line */
	char text[TS_FILTER_TEXT];
};

/* Where a bare value ends. `pattern`: what stands behind a backslash or in brackets is no parenthesis. */
static const char *
bare_end(const char *s, bool pattern)
{
	int open = 0;
	bool set = false, quoted = false;

	for (; *s && (quoted || !is_blank(*s) || (pattern && set)); s++) {
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
take_quoted(struct parser *p, struct value *v)
{
	size_t n = 0;

	for (p->s++; *p->s && *p->s != '"'; p->s++) {
		if (*p->s == '\\' && p->s[1] == '"')
			p->s++;
		v->text[n++] = *p->s;
	}
	v->text[n] = '\0';
	if (!*p->s)
		return wrong(p, v->begin, "a quote is not closed");
	p->s++;
	return TS_OK;
}

/* A word; quotes in it keep blanks, and go. */
static enum ts_code
take_bare(struct parser *p, struct value *v)
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
	return quotes % 2 ? wrong(p, v->begin, "a quote is not closed") : TS_OK;
}

static enum ts_code
take_value(struct parser *p, struct value *v)
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
take_pattern(struct parser *p, struct value *v)
{
	const char *end;

	v->begin = p->s;
	if (*p->s == '"')
		return take_quoted(p, v);
	end = bare_end(p->s, true);
	memcpy(v->text, p->s, (size_t)(end - p->s));
	v->text[end - p->s] = '\0';
	p->s = end;
	return TS_OK;
}

/* An expression of tiles: in parentheses with blanks, else without. */
static enum ts_code
take_tiles(struct parser *p, struct value *v)
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
		if ((is_blank(*end) && open == 0) || (*end == ')' && open == 0))
			break;
		open += (*end == '(') - (*end == ')');
	}
	memcpy(v->text, p->s, (size_t)(end - p->s));
	v->text[end - p->s] = '\0';
	p->s = end;
	return quoted ? wrong(p, v->begin, "a quote is not closed") : TS_OK;
}

/* Into the filter's text, each with its NUL; *at: where. */
static enum ts_code
keep(struct parser *p, uint16_t *at, const char *s, size_t n, bool small)
{
	struct ts_filter *f = p->f;

	if (n + 1 > sizeof(f->text) - f->used)
		return wrong(p, p->s, "too much text for one filter");
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
		if (is_word(s, n, units[i].word))
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
not_understood(struct parser *p, const struct value *v, int field)
{
	return wrong(p, v->begin, "\"%.60s\" cannot be understood: %s", v->text,
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
ranges_of(struct parser *p, enum ts_filter_type type, enum sign sign, const char *s)
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
compare_number(struct parser *p, int *at, int field, enum sign sign)
{
	struct ts_filter_node n = {.op = TS_FILTER_RANGE,
		.field = (uint8_t)field,
		.a = (uint16_t)p->f->ranges};
	struct value v;
	enum ts_code code = take_value(p, &v);

	if (code)
		return code;
	if (sign == S_LIKE || sign == S_UNLIKE || sign == S_IN ||
		!ranges_of(p, p->f->fields[field].type, sign, v.text))
		return not_understood(p, &v, field);
	n.b = (uint16_t)(p->f->ranges - n.a);
	code = add(p, at, n);
	return code || sign != S_NOT ? code : add_not(p, at);
}

static enum ts_code
compare_yes(struct parser *p, int *at, int field, enum sign sign)
{
	static const char *const words[][2] = {{"yes", "no"}, {"true", "false"}, {"1", "0"}};
	struct ts_filter_node n = {.op = TS_FILTER_RANGE,
		.field = (uint8_t)field,
		.a = (uint16_t)p->f->ranges,
		.b = 1};
	struct value v = {.begin = p->s, .text = "yes"};
	int yes = -1;
	enum ts_code code = sign == S_NONE ? TS_OK : take_value(p, &v);

	if (code)
		return code;
	for (size_t i = 0; i < TS_COUNT(words); i++)
		for (int k = 0; k < 2; k++)
			if (is_word(v.text, strlen(v.text), words[i][k]))
				yes = !k;
	if (yes < 0 || (sign != S_NONE && sign != S_HAS && sign != S_IS && sign != S_NOT) ||
		!add_range(p->f, yes, yes ? NUMBER_MAX : 0))
		return not_understood(p, &v, field);
	code = add(p, at, n);
	return code || sign != S_NOT ? code : add_not(p, at);
}

/* The text as one word, or as several between commas; false: a word is empty, or there is no room. */
static bool
words_of(struct parser *p, struct ts_filter_node *n, const char *s, bool split)
{
	uint16_t at;

	for (n->b = 0; *s || n->b == 0; n->b++) {
		size_t m = split ? strcspn(s, ",") : strlen(s);

		if (m == 0 || keep(p, &at, s, m, true))
			return false;
		if (n->b == 0)
			n->a = at;
		s += m;
		if (*s == ',' && !*++s)
			return false;
	}
	return true;
}

static enum ts_code
match_text(struct parser *p, int *at, int field, enum sign sign)
{
	struct ts_filter_node n = {.op = TS_FILTER_MATCHES, .field = (uint8_t)field, .b = 1};
	struct ts_pattern *pattern = NULL;
	struct ts_err why = {0};
	struct value v;
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
		return wrong(p, v.begin + (*v.begin == '"') + offset, "%s", why.msg);
	code = keep(p, &n.a, v.text, strlen(v.text), false);
	if (!code)
		code = add(p, at, n);
	return code || sign != S_UNLIKE ? code : add_not(p, at);
}

static enum ts_code
compare_text(struct parser *p, int *at, int field, enum sign sign)
{
	struct ts_filter_node n = {.op = sign == S_HAS ? TS_FILTER_HAS : TS_FILTER_IS,
		.field = (uint8_t)field};
	struct value v;
	enum ts_code code;

	if (sign == S_LIKE || sign == S_UNLIKE)
		return match_text(p, at, field, sign);
	code = take_value(p, &v);
	if (code)
		return code;
	if ((sign != S_HAS && sign != S_IS && sign != S_NOT) ||
		!words_of(p, &n, v.text, p->f->fields[field].type == TS_FILTER_WORD))
		return not_understood(p, &v, field);
	code = add(p, at, n);
	return code || sign != S_NOT ? code : add_not(p, at);
}

static enum ts_code
compare_tiles(struct parser *p, int *at, int field, enum sign sign)
{
	struct ts_filter_node n = {.op = TS_FILTER_IN, .field = (uint8_t)field, .b = 1};
	struct value v;
	enum ts_code code;

	if (sign != S_IN)
		return compare_number(p, at, field, sign);
	code = take_tiles(p, &v);
	if (!code && !v.text[0])
		return not_understood(p, &v, field);
	if (!code)
		code = keep(p, &n.a, v.text, strlen(v.text), false);
	return code ? code : add(p, at, n);
}

static enum ts_code
comparison(struct parser *p, int *at, int field, enum sign sign)
{
	switch (p->f->fields[field].type) {
	case TS_FILTER_TILES:
		return compare_tiles(p, at, field, sign);
	case TS_FILTER_YES:
		return compare_yes(p, at, field, sign);
	case TS_FILTER_NAME:
	case TS_FILTER_WORD:
		return compare_text(p, at, field, sign);
	default:
		return compare_number(p, at, field, sign);
	}
}

/* --- the line ----------------------------------------------------------------------------------- */

static enum ts_code parse_or(struct parser *p, int *at);

/* A word, or text in quotes: part of the first field. */
static enum ts_code
parse_text(struct parser *p, int *at)
{
	struct ts_filter_node n = {.op = TS_FILTER_HAS, .b = 1};
	struct value v;
	enum ts_code code = take_value(p, &v);

	if (code)
		return code;
	if (!v.text[0])
		return wrong(p, v.begin, "there is no text in the quotes");
	code = keep(p, &n.a, v.text, strlen(v.text), true);
	return code ? code : add(p, at, n);
}

static enum ts_code
parse_term(struct parser *p, int *at)
{
	size_t n = letters(p->s);
	int field = n > 0 ? ts_filter_field_of(p->f->fields, p->s, n) : -1;
	const char *behind = p->s;
	enum sign sign = n > 0 ? sign_at(p->s + n, field >= 0, &behind) : S_NONE;
	const char *next = p->s + n;

	if (sign != S_NONE && field < 0)
		return no_field(p, p->s, n);
	if (sign != S_NONE) {
		p->s = behind;
		return comparison(p, at, field, sign);
	}
	if (field >= 0 && p->f->fields[field].type == TS_FILTER_YES &&
		(!*next || is_blank(*next) || *next == ')')) {
		p->s = next;
		return comparison(p, at, field, S_NONE);
	}
	return parse_text(p, at);
}

static enum ts_code
parse_group(struct parser *p, int *at)
{
	const char *open = p->s++;
	enum ts_code code = parse_or(p, at);

	if (code)
		return code;
	p->s = skip(p->s);
	if (*p->s != ')')
		return wrong(p, open, "this parenthesis is not closed");
	p->s++;
	return TS_OK;
}

static enum ts_code
parse_unary(struct parser *p, int *at)
{
	enum ts_code code;
	size_t n;

	p->s = skip(p->s);
	if (!*p->s || *p->s == ')' || binds(p->s, "and") || binds(p->s, "or") ||
		strncmp(p->s, "&&", 2) == 0 || strncmp(p->s, "||", 2) == 0)
		return wrong(p, p->s, "something to look for is missing here");
	if (++p->depth > TS_FILTER_DEPTH)
		return wrong(p, p->s, "more than %d parentheses in each other", TS_FILTER_DEPTH);
	n = *p->s == '!' ? 1 : binds(p->s, "not");
	if (n > 0) {
		p->s += n;
		code = parse_unary(p, at);
		if (!code)
			code = add_not(p, at);
	} else if (*p->s == '(') {
		code = parse_group(p, at);
	} else {
		code = parse_term(p, at);
	}
	p->depth--;
	return code;
}

/* Does a term follow, or what joins one? *n: the length of `and`, 0 where it is left out. */
static bool
goes_on(const char *s, size_t *n)
{
	*n = strncmp(s, "&&", 2) == 0 ? 2 : binds(s, "and");
	return *s && *s != ')' && strncmp(s, "||", 2) != 0 && !binds(s, "or");
}

static enum ts_code
parse_and(struct parser *p, int *at)
{
	enum ts_code code = parse_unary(p, at);
	size_t n;

	while (!code && (p->s = skip(p->s), goes_on(p->s, &n))) {
		int right;

		p->s += n;
		code = parse_unary(p, &right);
		if (!code)
			code = add(p, at,
				(struct ts_filter_node){.op = TS_FILTER_AND,
					.a = (uint16_t)*at,
					.b = (uint16_t)right});
	}
	return code;
}

static enum ts_code
parse_or(struct parser *p, int *at)
{
	enum ts_code code = parse_and(p, at);

	while (!code) {
		size_t n;
		int right;

		p->s = skip(p->s);
		n = strncmp(p->s, "||", 2) == 0 ? 2 : binds(p->s, "or");
		if (n == 0)
			break;
		p->s += n;
		code = parse_and(p, &right);
		if (!code)
			code = add(p, at,
				(struct ts_filter_node){.op = TS_FILTER_OR,
					.a = (uint16_t)*at,
					.b = (uint16_t)right});
	}
	return code;
}

static enum ts_code
parse_line(struct parser *p)
{
	int root;
	enum ts_code code = parse_or(p, &root);

	if (code)
		return code;
	return *p->s ? wrong(p, p->s, "this parenthesis was not opened") : TS_OK;
}

enum ts_code
ts_filter_parse(struct ts_filter *f, const char *line, const struct ts_filter_field *fields,
	size_t *at, struct ts_err *err)
{
	struct parser p = {.f = f, .line = line, .s = line, .err = err};
	enum ts_code code;

	*f = (struct ts_filter){.fields = fields};
	if (at)
		*at = 0;
	if (strlen(line) >= sizeof(f->line))
		return ts_err_set(err, TS_E_USAGE, "a filter has at most %d bytes",
			TS_FILTER_TEXT - 1);
	if (!*skip(line))
		return TS_OK;
	snprintf(f->line, sizeof(f->line), "%s", line);
	code = parse_line(&p);
	if (at)
		*at = p.at;
	if (code)
		f->count = 0;
	return code;
}
