/* SPDX-License-Identifier: MIT */
/*
 * groups - what a variable is for: weights, optimiser state, activations, code, ... by rules of a file.
 *
 * A rule is a line (base/lex.h; `#` begins a comment):
 *
 *	group NAME category PATTERN    the category of a lowered variable matches as a whole
 *	group NAME name PATTERN        the name matches anywhere
 *
 * Patterns are those of base/pattern.h, without regard to case. The first rule that matches decides. Where no category
 * is known (unlowered variables) a `category` rule looks at the whole name: always-live pseudo-variables are
 * called after their category. What no rule knows is in TS_GROUP_OTHER.
 *
 * Names say what somebody called a variable, not what it is: a group is a derived figure.
 */
#ifndef TS_REPORT_GROUPS_H
#define TS_REPORT_GROUPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tilescope/base/err.h"

#define TS_GROUPS_FILE "rules/groups.rules" /* embedded, and below the data directory */
#define TS_GROUP_OTHER "other"

enum { TS_GROUPS_MAX = 32, TS_GROUP_RULES = 256, TS_GROUP_NAME = 32, TS_GROUPS_PROBLEM = 200 };

struct ts_groups; /* read-only once it is made: any thread may use it */

/*
 * The rules of `file`, else (NULL, or no such file) those that are part of the program. Lines that are no rules (not of this form, a
 * pattern that is none, beyond the limits above) are passed over and counted: ts_groups_wrong(). Errors: TS_E_NOMEM, and those of
 * ts_lex_read() but for TS_E_NOT_FOUND.
 */
enum ts_code ts_groups_open(struct ts_groups **out, const char *file,
	struct ts_err *err) TS_WARN_UNUSED;

/* How many lines were passed over; *problem: the first one, "FILE: line N: why", "" when there is none. */
int ts_groups_wrong(const struct ts_groups *g, const char **problem);

/* Hold it once more: returns g. Give it back; the last holder frees it; NULL allowed. Any thread. */
struct ts_groups *ts_groups_hold(struct ts_groups *g);
void ts_groups_close(struct ts_groups *g);

int ts_groups_count(const struct ts_groups *g);
const char *ts_groups_name(const struct ts_groups *g, int i);	 /* NUL-terminated, UTF-8 */
int ts_groups_find(const struct ts_groups *g, const char *name); /* -1: there is none */

/* Of the rules' text: what was grouped by the same rules need not be grouped again. */
uint64_t ts_groups_hash(const struct ts_groups *g);

/* One thread's room for matching; `g` is held. Errors: TS_E_NOMEM. */
struct ts_grouper;
enum ts_code ts_grouper_new(struct ts_grouper **out, struct ts_groups *g,
	struct ts_err *err) TS_WARN_UNUSED;
void ts_grouper_free(struct ts_grouper *m); /* NULL allowed */
const struct ts_groups *ts_grouper_groups(const struct ts_grouper *m);

/*
 * The group of a variable, 0 ... ts_groups_count() - 1: of its name and its category, n bytes each that may be
 * anything; NULL: not known.
 */
int ts_grouper_of(struct ts_grouper *m, const char *name, size_t n, const char *category,
	size_t category_n);

/* Is that the group of a name (whose category is not known)? Quicker for who wants one group only. */
bool ts_grouper_is(struct ts_grouper *m, int group, const char *name, size_t n);

#endif
