/* SPDX-License-Identifier: MIT */
/*
 * filter_parse - a line of a filter to nodes; see filter.h.
 *
 * By descent: or, and, not, then a comparison or a word (filter_value.c). Every error names the character at
 * which it was noticed.
 */
#include "config.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "filter_internal.h"
#include "tilescope/base/mem.h"
#include "tilescope/base/strbuf.h"

/* The longer ones first. S_LEAST: at least. */
static const struct {
	const char *text;
	enum filter_sign sign;
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

enum ts_code
filter_wrong(struct filter_parser *p, const char *at, const char *fmt, ...)
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
no_field(struct filter_parser *p, const char *name, size_t n)
{
	struct ts_strbuf all;
	enum ts_code code;

	ts_strbuf_init(&all, 300);
	for (const struct ts_filter_field *d = p->f->fields; d->name; d++)
		ts_strbuf_printf(&all, " %s", d->name);
	code = filter_wrong(p, name, "no field \"%.*s\":%s (text: in quotes)",
		(int)(n < 20 ? n : 20), name, all.s);
	ts_strbuf_fini(&all);
	return code;
}

/* --- words -------------------------------------------------------------------------------------- */

static const char *
skip(const char *s)
{
	while (filter_is_blank(*s))
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

bool
filter_is_word(const char *s, size_t n, const char *word)
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

	return filter_is_word(s, n, word) &&
			(!s[n] || filter_is_blank(s[n]) || s[n] == '(' || s[n] == ')')
		? n
		: 0;
}

int
ts_filter_field_of(const struct ts_filter_field *fields, const char *name, size_t n)
{
	for (int i = 0; fields[i].name; i++)
		if (filter_is_word(name, n, fields[i].name) ||
			(fields[i].also && filter_is_word(name, n, fields[i].also)))
			return i;
	return -1;
}

/*
 * The sign behind letters that end at s; *behind: where its value begins. `known`: they are a field. Names look
 * like comparisons, too: poplar::x, vector<float>.
 */
static enum filter_sign
sign_at(const char *s, bool known, const char **behind)
{
	const char *to = skip(s);

	for (size_t i = 0; i < TS_COUNT(signs); i++) {
		size_t n = strlen(signs[i].text);
		enum filter_sign g = signs[i].sign;

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
enum ts_code
filter_add(struct filter_parser *p, int *at, struct ts_filter_node n)
{
	struct ts_filter *f = p->f;

	if (f->count == TS_FILTER_NODES)
		return filter_wrong(p, p->s,
			"a filter has at most %d comparisons and words between them",
			TS_FILTER_NODES);
	if (n.op >= TS_FILTER_HAS) {
		if (f->texts == TS_FILTER_TEXTS)
			return filter_wrong(p, p->s, "a filter has at most %d texts",
				TS_FILTER_TEXTS);
		n.text = (uint8_t)f->texts++;
	}
	n.dear = n.op <= TS_FILTER_OR	? f->node[n.a].dear | f->node[n.b].dear
		: n.op == TS_FILTER_NOT ? f->node[n.a].dear
					: n.op >= TS_FILTER_HAS && n.op <= TS_FILTER_MATCHES;
	*at = f->count;
	f->node[f->count++] = n;
	return TS_OK;
}

enum ts_code
filter_add_not(struct filter_parser *p, int *at)
{
	return filter_add(p, at, (struct ts_filter_node){.op = TS_FILTER_NOT, .a = (uint16_t)*at});
}

/* --- the line ----------------------------------------------------------------------------------- */

static enum ts_code parse_or(struct filter_parser *p, int *at);

/* A word, or text in quotes: part of the first field. */
static enum ts_code
parse_text(struct filter_parser *p, int *at)
{
	struct ts_filter_node n = {.op = TS_FILTER_HAS, .b = 1};
	struct filter_value v;
	enum ts_code code = filter_take_value(p, &v);

	if (code)
		return code;
	if (!v.text[0])
		return filter_wrong(p, v.begin, "there is no text in the quotes");
	code = filter_keep(p, &n.a, v.text, strlen(v.text), true);
	return code ? code : filter_add(p, at, n);
}

static enum ts_code
parse_term(struct filter_parser *p, int *at)
{
	size_t n = letters(p->s);
	int field = n > 0 ? ts_filter_field_of(p->f->fields, p->s, n) : -1;
	const char *behind = p->s;
	enum filter_sign sign = n > 0 ? sign_at(p->s + n, field >= 0, &behind) : S_NONE;
	const char *next = p->s + n;

	if (sign != S_NONE && field < 0)
		return no_field(p, p->s, n);
	if (sign != S_NONE) {
		p->s = behind;
		return filter_comparison(p, at, field, sign);
	}
	if (field >= 0 && p->f->fields[field].type == TS_FILTER_YES &&
		(!*next || filter_is_blank(*next) || *next == ')')) {
		p->s = next;
		return filter_comparison(p, at, field, S_NONE);
	}
	return parse_text(p, at);
}

static enum ts_code
parse_group(struct filter_parser *p, int *at)
{
	const char *open = p->s++;
	enum ts_code code = parse_or(p, at);

	if (code)
		return code;
	p->s = skip(p->s);
	if (*p->s != ')')
		return filter_wrong(p, open, "this parenthesis is not closed");
	p->s++;
	return TS_OK;
}

static enum ts_code
parse_unary(struct filter_parser *p, int *at)
{
	enum ts_code code;
	size_t n;

	p->s = skip(p->s);
	if (!*p->s || *p->s == ')' || binds(p->s, "and") || binds(p->s, "or") ||
		strncmp(p->s, "&&", 2) == 0 || strncmp(p->s, "||", 2) == 0)
		return filter_wrong(p, p->s, "something to look for is missing here");
	if (++p->depth > TS_FILTER_DEPTH)
		return filter_wrong(p, p->s, "more than %d parentheses in each other",
			TS_FILTER_DEPTH);
	n = *p->s == '!' ? 1 : binds(p->s, "not");
	if (n > 0) {
		p->s += n;
		code = parse_unary(p, at);
		if (!code)
			code = filter_add_not(p, at);
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
parse_and(struct filter_parser *p, int *at)
{
	enum ts_code code = parse_unary(p, at);
	size_t n;

	while (!code && (p->s = skip(p->s), goes_on(p->s, &n))) {
		int right;

		p->s += n;
		code = parse_unary(p, &right);
		if (!code)
			code = filter_add(p, at,
				(struct ts_filter_node){.op = TS_FILTER_AND,
					.a = (uint16_t)*at,
					.b = (uint16_t)right});
	}
	return code;
}

static enum ts_code
parse_or(struct filter_parser *p, int *at)
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
			code = filter_add(p, at,
				(struct ts_filter_node){.op = TS_FILTER_OR,
					.a = (uint16_t)*at,
					.b = (uint16_t)right});
	}
	return code;
}

static enum ts_code
parse_line(struct filter_parser *p)
{
	int root;
	enum ts_code code = parse_or(p, &root);

	if (code)
		return code;
	return *p->s ? filter_wrong(p, p->s, "this parenthesis was not opened") : TS_OK;
}

enum ts_code
ts_filter_parse(struct ts_filter *f, const char *line, const struct ts_filter_field *fields,
	size_t *at, struct ts_err *err)
{
	struct filter_parser p = {.f = f, .line = line, .s = line, .err = err};
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
