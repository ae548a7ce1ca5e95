/* SPDX-License-Identifier: MIT */
/*
 * findings - what the rules find, as a question of views: Insights asks for all of it, Summary for the findings alone.
 */
#ifndef TS_VIEW_FINDINGS_H
#define TS_VIEW_FINDINGS_H

#include "tilescope/report/insights.h"
#include "tilescope/view/fetch.h"

struct ts_findings {
	struct ts_rules rules; /* with those of the user */
	int wrong; /* lines of the user's file that are no rules; the first one, said: */
	char problem[200];
	struct ts_insight_facts facts;
	struct ts_execution_facts execution; /* when has_execution */
	bool has_execution;
	struct ts_insights insights;
	enum ts_units units; /* of the sentences in `insights` */
	int64_t *used;	     /* what each tile uses, ascending; facts.tiles.count of them */
	double balance;	     /* ts_balance_index() */
	bool has_balance;
};

struct ts_findings_fetch {
	struct ts_fetch fetch; /* first */
	char *file;
	bool brief; /* facts and `used` are not kept */
	struct ts_findings found;
};

/*
 * Can it be asked without going through a large relation that the index is just going through, or, `cheap`, without going
 * through one at all?
 */
bool ts_findings_can(const struct ts_view_env *env, bool cheap);

/* A fetch of that kind is sent; NULL: no memory. What it found is taken with ts_findings_take() in deliver. */
const struct ts_fetch *ts_findings_ask(struct ts_view *v, int kind, bool brief);
void ts_findings_take(struct ts_findings *to, struct ts_fetch *f);

/*
 * What is found in the execution comes behind the rest, as a question of its own: it may take passes over all steps. Can
 * it be asked, as above; `to` has findings and lacks those.
 */
bool ts_findings_can_execution(const struct ts_findings *to, const struct ts_view_env *env,
	bool cheap);
const struct ts_fetch *ts_findings_ask_execution(struct ts_view *v, int kind);
void ts_findings_take_execution(struct ts_findings *to, struct ts_fetch *f);

/* The sentences in other units. Not of what was asked `brief`. */
void ts_findings_say(struct ts_findings *f, enum ts_units units);

void ts_findings_fini(struct ts_findings *f);

/* Good, note, warning, bad as roles and words; "?" and "off" are the caller's. */
enum ts_role ts_severity_role(enum ts_severity severity);
const char *ts_severity_word(enum ts_severity severity);

#endif
