/* SPDX-License-Identifier: MIT */
/*
 * pattern - regular expressions (PCRE2), in bounded time whatever the expression and the text.
 *
 * A pattern is compiled once and not changed afterwards: any number of threads may match with it, each
 * with a matcher of its own. Text is what a screen would show: bytes that are no UTF-8 match as U+FFFD.
 *
 * Limits: an expression has TS_PATTERN_MAX bytes, of a text the first TS_PATTERN_TEXT are looked at. A
 * match that would take more than a fixed number of steps, or more memory than 4 MiB, is given up: it
 * answers TS_MATCH_COSTLY (a few milliseconds; 0.1 s is the most that was seen). After
 * TS_PATTERN_PATIENCE of those a matcher answers TS_MATCH_COSTLY without looking: whoever goes through
 * many texts asks ts_matcher_costly() then, and ends with ts_pattern_costly_err().
 */
#ifndef TS_BASE_PATTERN_H
#define TS_BASE_PATTERN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tilescope/base/err.h"

enum { TS_PATTERN_MAX = 1024, TS_PATTERN_TEXT = 8192, TS_PATTERN_PATIENCE = 8 };

enum ts_pattern_flag {
	TS_PATTERN_NOCASE = 1, /* letters match without regard to case */
	TS_PATTERN_SMART =
		2, /* the same, unless the expression has an upper-case letter of its own */
	TS_PATTERN_SLASHES =
		4, /* between two slashes stands the expression, and they are no part of it */
};

enum ts_match { TS_MATCH_NO, TS_MATCH_YES, TS_MATCH_COSTLY };

struct ts_pattern;
struct ts_matcher;

/* The bytes between the slashes of "/expression/": their number, and where they begin; 0: it is not written so. */
static inline size_t
ts_pattern_between_slashes(const char *text, size_t n)
{
	return n > 2 && text[0] == '/' && text[n - 1] == '/' ? n - 2 : 0;
}

/* Do letters of the expression match without regard to case, with TS_PATTERN_SMART? */
bool ts_pattern_folds(const char *text);

/*
 * `text`: Perl's syntax, UTF-8. flags: of enum ts_pattern_flag. It matches anywhere in a text unless it is
 * anchored; `.` matches a newline, `$` only the end. On an error *at (NULL allowed) is the offset in bytes
 * at which it was noticed. Errors: TS_E_USAGE (with the offset in the message, too), TS_E_NOMEM.
 */
enum ts_code ts_pattern_compile(struct ts_pattern **out, const char *text, unsigned flags,
	size_t *at, struct ts_err *err) TS_WARN_UNUSED;
void ts_pattern_free(struct ts_pattern *p); /* NULL allowed */

const char *ts_pattern_text(const struct ts_pattern *p); /* as it was given */

/* A word that each text has that matches, as base/finder.h looks for it: *n bytes, no NUL behind them; 0: none is known. */
const char *ts_pattern_needs(const struct ts_pattern *p, size_t *n);
int ts_pattern_groups(const struct ts_pattern *p); /* capture groups: the highest number */

/* One thread's room for matching with `p`, which must outlive it. Errors: TS_E_NOMEM. */
enum ts_code ts_matcher_new(struct ts_matcher **out, const struct ts_pattern *p,
	struct ts_err *err) TS_WARN_UNUSED;
void ts_matcher_free(struct ts_matcher *m); /* NULL allowed */

/* n bytes that may be anything. */
enum ts_match ts_pattern_matches(struct ts_matcher *m, const char *s, size_t n);

/*
 * The same for one text after another, of which `same` bytes at the begin are those of the text before (0: it is another
 * one): most names are told apart by a word that the expression needs (base/finder.h), without matching.
 */
enum ts_match ts_pattern_matches_next(struct ts_matcher *m, const char *s, size_t n, size_t same);

/*
 * Behind TS_MATCH_YES: what group `group` matched (0: the whole), bytes [*from, *to) of *text, which holds
 * until the next match: the text that was given, or the mended one. False where the group did not take part.
 */
bool ts_matcher_group(const struct ts_matcher *m, int group, const char **text, size_t *from,
	size_t *to);

/* Texts that were given up, or not looked at after that; true: none is looked at any more. */
int64_t ts_matcher_given_up(const struct ts_matcher *m);
bool ts_matcher_costly(const struct ts_matcher *m);

/* TS_E_LIMIT: says that the expression takes too long. */
enum ts_code ts_pattern_costly_err(const struct ts_pattern *p, struct ts_err *err);

#endif
