/* SPDX-License-Identifier: MIT */
/*
 * pattern_needs - the longest word that every match of an expression has in it, as far as that is plain to see.
 *
 * Looked for outside of groups, classes and choices; what a quantifier may leave out does not count. Where the
 * expression has something whose end is not plain (options, numbers of characters, properties) nothing is said.
 * Without regard to case k and s are left out: they also match a sign of several bytes.
 */
#include "config.h"

#include <string.h>

#include "pattern_internal.h"

struct reading {
	const char *s;
	bool any_case;
	int depth; /* of parentheses */
	size_t n;  /* of the run that goes on */
	char run[PATTERN_NEEDS];
	size_t best;
	char *out;
};

static void
end_run(struct reading *r)
{
	if (r->n > r->best) {
		memcpy(r->out, r->run, r->n);
		r->best = r->n;
	}
	r->n = 0;
}

static void
add(struct reading *r, char c)
{
	if (r->any_case && c >= 'A' && c <= 'Z')
		c = (char)(c - 'A' + 'a');
	if (r->depth > 0 || (unsigned char)c >= 0x80 || (r->any_case && (c == 'k' || c == 's'))) {
		end_run(r);
		return;
	}
	if (r->n == sizeof(r->run)) {
		end_run(r);
		return;
	}
	r->run[r->n++] = c;
}

/* What the last character need not be there for. */
static void
drop(struct reading *r)
{
	r->n -= r->n > 0;
	end_run(r);
}

/* From behind the bracket to the one that ends the class. False: that is not plain. */
static bool
skip_class(struct reading *r)
{
	r->s += *r->s == '^';
	r->s += *r->s == ']';
	for (; *r->s && *r->s != ']'; r->s++) {
		if (*r->s == '[')
			return false;
		if (*r->s == '\\' && !strchr("dDwWhHvVnrt-\\].[/_()+*", *++r->s))
			return false;
		if (!*r->s)
			return false;
	}
	return *r->s;
}

/* Behind a backslash. */
static bool
escape(struct reading *r)
{
	char c = *r->s;

	if ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9')) {
		end_run(r);
		return strchr("dDwWsSbBAzZhHvVRnrt", c);
	}
	if (!c)
		return false;
	add(r, c);
	return true;
}

/* Behind an opening brace: of numbers it is a quantifier. */
static void
skip_numbers(struct reading *r)
{
	size_t n = strspn(r->s + 1, "0123456789, ");

	if (r->s[1 + n] == '}')
		r->s += 1 + n;
}

/* A character that means something; false: nothing can be said. */
static bool
take(struct reading *r)
{
	switch (*r->s) {
	case '\\':
		r->s++;
		return escape(r);
	case '[':
		end_run(r);
		r->s++;
		return skip_class(r);
	case '(':
		end_run(r);
		r->depth++;
		if (r->s[1] == '*' || (r->s[1] == '?' && r->s[2] != ':'))
			return false;
		r->s += r->s[1] == '?' ? 2 : 0;
		return true;
	case ')':
		end_run(r);
		return --r->depth >= 0;
	case '|':
		return r->depth > 0;
	case '{':
		drop(r);
		skip_numbers(r);
		return true;
	case '*':
	case '?':
		drop(r);
		return true;
	default: /* + . ^ $ */
		end_run(r);
		return true;
	}
}

size_t
pattern_needs(char out[PATTERN_NEEDS], const char *text, bool any_case)
{
	struct reading r = {.s = text, .any_case = any_case, .out = out};

	for (; *r.s; r.s++) {
		if (!strchr("\\[](){}|*?+.^$", *r.s))
			add(&r, *r.s);
		else if (!take(&r))
			return 0;
	}
	end_run(&r);
	return r.depth == 0 ? r.best : 0;
}
