/* SPDX-License-Identifier: MIT */
/*
 * rules - what is looked for in a report: measures, limits, severities, advice. Data, in files of the one
 * line grammar; src/rules/insights.rules explains them and is compiled in, a user's file comes after it.
 */
#ifndef TS_REPORT_RULES_H
#define TS_REPORT_RULES_H

#include <stdbool.h>

#include "tilescope/base/err.h"
#include "tilescope/base/strbuf.h"

enum ts_severity { TS_SEVERITY_NONE, TS_SEVERITY_NOTE, TS_SEVERITY_WARN, TS_SEVERITY_BAD };

enum { TS_RULES_MAX = 200, TS_RULE_LIMITS = 3, TS_RULE_ID = 16, TS_RULE_MEASURE = 40 };

enum ts_compare { TS_MORE, TS_AT_LEAST, TS_LESS, TS_AT_MOST };

struct ts_limit {
	enum ts_severity severity;
	enum ts_compare compare;
	double value; /* a share as a fraction */
	bool share;   /* it was given in % */
};

struct ts_rule {
	char id[TS_RULE_ID];
	char measure[TS_RULE_MEASURE];
	int limits;
	struct ts_limit limit[TS_RULE_LIMITS]; /* in the order of the file */
	char *title, *advice;
	bool off;
};

struct ts_rules {
	int count;
	struct ts_rule rule[TS_RULES_MAX];
};

/* Called for every line that is no rule: the file and the rest go on. */
typedef void ts_rules_problem_fn(void *ctx, const char *file, int line, const char *reason);

/*
 * The rules that are compiled in, then those of `file` (NULL or not there: none). Errors: TS_E_NOMEM, and what
 * ts_lex_read() returns but for TS_E_NOT_FOUND. Free with ts_rules_fini() in every case.
 */
enum ts_code ts_rules_read(struct ts_rules *r, const char *file, ts_rules_problem_fn *problem,
	void *ctx, struct ts_err *err) TS_WARN_UNUSED;
void ts_rules_fini(struct ts_rules *r);

/* "note", "warn", "bad". */
const char *ts_severity_name(enum ts_severity severity);

/* By its name; TS_SEVERITY_NONE: not one. */
enum ts_severity ts_severity_find(const char *name);

/* ">=90%", ">2": as the file has it; "%" where the limit was given as a share. */
void ts_limit_text(struct ts_strbuf *out, const struct ts_limit *limit);

/* What a value is by a rule's limits. */
enum ts_severity ts_rule_judge(const struct ts_rule *rule, double value);

#endif
