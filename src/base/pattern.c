/* SPDX-License-Identifier: MIT */
/*
 * pattern - see the header.
 *
 * PCRE2's own support for invalid UTF-8 is not used: with its compiler to machine code (JIT) and before
 * 10.43 it misses characters of several bytes. A text that is no UTF-8 is mended first, which costs
 * nothing where it is never needed; the library then need not check again. JIT is taken where it can be
 * had (a system may refuse pages that can be written and executed): names are short, and it is eight
 * times as quick. Its stack of 32 KiB may be too small where the interpreter's heap is not, so a match
 * that ends for that reason is made once more by the interpreter. Both count steps, each in its way;
 * an expression that is pathological for one may be answered by the other.
 */
#define PCRE2_CODE_UNIT_WIDTH 8

#include "config.h"

#include <ctype.h>
#include <pcre2.h>
#include <stdlib.h>
#include <string.h>

#include "tilescope/base/finder.h"
#include "tilescope/base/mem.h"
#include "tilescope/base/pattern.h"
#include "tilescope/base/strbuf.h"
#include "tilescope/base/utf8.h"

#include "pattern_internal.h"

enum {
	MATCH_STEPS = 100000,	      /* of one match: what backtracking may do */
	MATCH_HEAP_KIB = 4096,	      /* of one matcher */
	NESTING = 100,		      /* parentheses in parentheses */
	MENDED = TS_PATTERN_TEXT * 3, /* a byte may become U+FFFD, which has three */
};

struct ts_pattern {
	pcre2_code *code;
	pcre2_match_context *limits;
	uint32_t groups;
	bool compiled;		   /* to machine code */
	char needs[PATTERN_NEEDS]; /* a word that each match has in it, */
	size_t needs_n;		   /* its bytes; 0: none is known */
	bool any_case;
	char text[TS_PATTERN_MAX + 1];
};

struct ts_matcher {
	const struct ts_pattern *pattern;
	pcre2_match_data *data;
	struct ts_strbuf mended;
	struct ts_finder finder;
	const char *text; /* of the last match */
	int64_t given_up;
};

/* An upper-case letter that stands for itself: not \S, \D and the like. */
static bool
has_upper(const char *s)
{
	for (; *s; s++) {
		if (*s == '\\' && s[1])
			s++;
		else if (isupper((unsigned char)*s))
			return true;
	}
	return false;
}

bool
ts_pattern_folds(const char *text)
{
	return !has_upper(text);
}

static uint32_t
compile_options(const char *text, unsigned flags)
{
	uint32_t o = PCRE2_UTF | PCRE2_DOTALL | PCRE2_DOLLAR_ENDONLY | PCRE2_NEVER_BACKSLASH_C;

	if (flags & TS_PATTERN_NOCASE || (flags & TS_PATTERN_SMART && ts_pattern_folds(text)))
		o |= PCRE2_CASELESS;
	return o;
}

static enum ts_code
refuse(int number, size_t offset, size_t *at, struct ts_err *err)
{
	PCRE2_UCHAR why[128];

	if (number == PCRE2_ERROR_NOMEMORY)
		return ts_err_nomem(err);
	if (pcre2_get_error_message(number, why, sizeof(why)) < 0 && why[0] == '\0')
		memcpy(why, "not a regular expression", sizeof("not a regular expression"));
	if (at)
		*at = offset;
	return ts_err_set(err, TS_E_USAGE, "regular expression: %s (at offset %zu)", (char *)why,
		offset);
}

static enum ts_code
compile(struct ts_pattern *p, unsigned flags, size_t *at, struct ts_err *err)
{
	pcre2_compile_context *context = pcre2_compile_context_create(NULL);
	size_t offset = 0;
	int number = 0;
	size_t machine = 0;
	uint32_t options = compile_options(p->text, flags);

	p->limits = pcre2_match_context_create(NULL);
	if (!context || !p->limits) {
		pcre2_compile_context_free(context);
		return ts_err_nomem(err);
	}
	pcre2_set_match_limit(p->limits, MATCH_STEPS);
	pcre2_set_heap_limit(p->limits, MATCH_HEAP_KIB);
	pcre2_set_parens_nest_limit(context, NESTING);
	p->code = pcre2_compile((PCRE2_SPTR)p->text, PCRE2_ZERO_TERMINATED, options, &number,
		&offset, context);
	pcre2_compile_context_free(context);
	if (!p->code)
		return refuse(number, offset, at, err);
	pcre2_jit_compile(p->code,
		PCRE2_JIT_COMPLETE); /* where it cannot be had: the interpreter */
	pcre2_pattern_info(p->code, PCRE2_INFO_CAPTURECOUNT, &p->groups);
	p->compiled = pcre2_pattern_info(p->code, PCRE2_INFO_JITSIZE, &machine) == 0 && machine > 0;
	p->any_case = options & PCRE2_CASELESS;
	p->needs_n = pattern_needs(p->needs, p->text, p->any_case);
	return TS_OK;
}

enum ts_code
ts_pattern_compile(struct ts_pattern **out, const char *text, unsigned flags, size_t *at,
	struct ts_err *err)
{
	struct ts_pattern *p;
	enum ts_code code;
	size_t n = strlen(text), inside = ts_pattern_between_slashes(text, n);
	bool slashes = flags & TS_PATTERN_SLASHES && inside > 0;

	*out = NULL;
	if (at)
		*at = 0;
	if (n > TS_PATTERN_MAX)
		return ts_err_set(err, TS_E_USAGE, "regular expression: longer than %d bytes",
			TS_PATTERN_MAX);
	p = ts_alloc(1, sizeof(*p));
	if (!p)
		return ts_err_nomem(err);
	memcpy(p->text, slashes ? text + 1 : text, slashes ? inside : n);
	code = compile(p, flags, at, err);
	if (code && slashes && at)
		*at += 1;
	if (code) {
		ts_pattern_free(p);
		return code;
	}
	*out = p;
	return TS_OK;
}

void
ts_pattern_free(struct ts_pattern *p)
{
	if (!p)
		return;
	pcre2_code_free(p->code);
	pcre2_match_context_free(p->limits);
	free(p);
}

const char *
ts_pattern_text(const struct ts_pattern *p)
{
	return p->text;
}

int
ts_pattern_groups(const struct ts_pattern *p)
{
	return (int)p->groups;
}

const char *
ts_pattern_needs(const struct ts_pattern *p, size_t *n)
{
	*n = p->needs_n;
	return p->needs;
}

enum ts_code
ts_matcher_new(struct ts_matcher **out, const struct ts_pattern *p, struct ts_err *err)
{
	struct ts_matcher *m = ts_alloc(1, sizeof(*m));

	*out = NULL;
	if (!m)
		return ts_err_nomem(err);
	m->pattern = p;
	m->finder = (struct ts_finder){.word = p->needs, .n = p->needs_n, .any_case = p->any_case};
	ts_strbuf_init(&m->mended, MENDED);
	m->data = pcre2_match_data_create_from_pattern(p->code, NULL);
	if (!m->data) {
		ts_matcher_free(m);
		return ts_err_nomem(err);
	}
	*out = m;
	return TS_OK;
}

void
ts_matcher_free(struct ts_matcher *m)
{
	if (!m)
		return;
	pcre2_match_data_free(m->data);
	ts_strbuf_fini(&m->mended);
	free(m);
}

/* The machine code is entered at once: nothing that it takes is to be checked. */
static int
match(struct ts_matcher *m, size_t n)
{
	const struct ts_pattern *p = m->pattern;
	int rc = PCRE2_ERROR_JIT_STACKLIMIT;

	if (p->compiled)
		rc = pcre2_jit_match(p->code, (PCRE2_SPTR)m->text, n, 0, 0, m->data, p->limits);
	if (rc == PCRE2_ERROR_JIT_STACKLIMIT)
		rc = pcre2_match(p->code, (PCRE2_SPTR)m->text, n, 0,
			PCRE2_NO_UTF_CHECK | PCRE2_NO_JIT, m->data, p->limits);
	return rc;
}

enum ts_match
ts_pattern_matches_next(struct ts_matcher *m, const char *s, size_t n, size_t same)
{
	int rc;

	if (ts_matcher_costly(m)) {
		m->given_up++;
		return TS_MATCH_COSTLY;
	}
	if (n > TS_PATTERN_TEXT)
		n = TS_PATTERN_TEXT;
	if (!ts_finder_next(&m->finder, s, n, same))
		return TS_MATCH_NO;
	m->text = s;
	if (!ts_utf8_valid(s, n)) {
		ts_strbuf_reset(&m->mended);
		ts_utf8_mend(&m->mended, s, n);
		m->text = m->mended.s;
		n = m->mended.len;
	}
	rc = match(m, n);
	if (rc > 0)
		return TS_MATCH_YES;
	if (rc == PCRE2_ERROR_NOMATCH)
		return TS_MATCH_NO;
	m->given_up++;
	return TS_MATCH_COSTLY;
}

enum ts_match
ts_pattern_matches(struct ts_matcher *m, const char *s, size_t n)
{
	return ts_pattern_matches_next(m, s, n, 0);
}

bool
ts_matcher_group(const struct ts_matcher *m, int group, const char **text, size_t *from, size_t *to)
{
	const PCRE2_SIZE *o = pcre2_get_ovector_pointer(m->data);

	if (group < 0 || (uint32_t)group > m->pattern->groups || o[2 * group] == PCRE2_UNSET)
		return false;
	*text = m->text;
	*from = o[2 * group];
	*to = o[2 * group + 1];
	if (*from > *to) /* \K in an assertion may do that */
		*from = *to;
	return true;
}

int64_t
ts_matcher_given_up(const struct ts_matcher *m)
{
	return m->given_up;
}

bool
ts_matcher_costly(const struct ts_matcher *m)
{
	return m->given_up >= TS_PATTERN_PATIENCE;
}

enum ts_code
ts_pattern_costly_err(const struct ts_pattern *p, struct ts_err *err)
{
	return ts_err_set(err, TS_E_LIMIT,
		"regular expression: takes too long on the names of this report: %.200s", p->text);
}
