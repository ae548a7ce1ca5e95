/* SPDX-License-Identifier: MIT */
/*
 * groups - see the header.
 *
 * A rule is its group, what it looks at and a compiled pattern. Patterns of categories stand in brackets with
 * anchors on both sides, so that they match as a whole whatever they consist of.
 */
#include "config.h"

#include "tilescope/report/groups.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "tilescope/base/embedded.h"
#include "tilescope/base/lex.h"
#include "tilescope/base/mem.h"
#include "tilescope/base/pattern.h"

struct rule {
	int group;
	bool category;
	struct ts_pattern *pattern;
};

struct ts_groups {
	atomic_int uses;
	int count, rules;
	uint64_t hash;
	int wrong; /* lines that are no rules; the first one, said: */
	char problem[TS_GROUPS_PROBLEM];
	char name[TS_GROUPS_MAX][TS_GROUP_NAME];
	struct rule rule[TS_GROUP_RULES];
};

struct ts_grouper {
	struct ts_groups *groups; /* held */
	struct ts_matcher *matcher[TS_GROUP_RULES];
};

/* --- rules ------------------------------------------------------------------------------------ */

struct reading {
	struct ts_groups *groups;
	const char *file;
	bool nomem;
};

/* A line that is no rule: the others stay in force. */
static void
bad_line(void *ctx, int number, const char *reason)
{
	struct reading *r = ctx;

	if (r->groups->wrong++ == 0)
		snprintf(r->groups->problem, sizeof(r->groups->problem), "%.100s: line %d: %.80s",
			r->file, number, reason);
}

static int
group_of_name(struct reading *r, const char *name)
{
	struct ts_groups *g = r->groups;
	int i = ts_groups_find(g, name);

	/* the last place is for what no rule knows */
	if (i >= 0 || g->count == TS_GROUPS_MAX - 1 || !*name || strlen(name) >= TS_GROUP_NAME)
		return i;
	snprintf(g->name[g->count], TS_GROUP_NAME, "%s", name);
	return g->count++;
}

static enum ts_code
compile(struct rule *rule, const char *text, struct ts_err *err)
{
	char whole[TS_PATTERN_MAX + 1];

	if (!rule->category)
		return ts_pattern_compile(&rule->pattern, text, TS_PATTERN_NOCASE, NULL, err);
	if (snprintf(whole, sizeof(whole), "^(?:%s)$", text) >= (int)sizeof(whole))
		return ts_err_set(err, TS_E_LIMIT, "the expression is too long");
	return ts_pattern_compile(&rule->pattern, whole, TS_PATTERN_NOCASE, NULL, err);
}

/* Why the line is no rule; NULL: it is one. `why` is the caller's room for that. */
static const char *
parse_rule(struct reading *r, const struct ts_line *line, struct ts_err *why)
{
	struct ts_groups *g = r->groups;
	const char *what = line->count == 4 ? line->word[2] : "";
	struct rule rule = {.category = strcmp(what, "category") == 0};
	enum ts_code code;
	int groups = g->count;

	if (strcmp(line->word[0], "group") != 0 || (!rule.category && strcmp(what, "name") != 0))
		return "not a rule: group NAME category|name PATTERN";
	if (g->rules == TS_GROUP_RULES) {
		(void)ts_err_set(why, TS_E_LIMIT, "more than %d rules", TS_GROUP_RULES);
		return why->msg;
	}
	rule.group = group_of_name(r, line->word[1]);
	if (rule.group < 0) {
		(void)ts_err_set(why, TS_E_LIMIT,
			"a group's name has 1 to %d bytes, and there are at most %d groups",
			TS_GROUP_NAME - 1, TS_GROUPS_MAX - 1);
		return why->msg;
	}
	code = compile(&rule, line->word[3], why);
	if (code) {
		g->count = groups; /* a group of this line alone is none */
		r->nomem |= code == TS_E_NOMEM;
		return why->msg;
	}
	g->rule[g->rules++] = rule;
	return NULL;
}

static bool
read_rule(void *ctx, const struct ts_line *line)
{
	struct reading *r = ctx;
	struct ts_err err = {0};
	const char *reason = parse_rule(r, line, &err);

	if (reason)
		bad_line(r, line->number, reason);
	return !r->nomem;
}

/* The text of the rules: the user's, else the program's. */
static enum ts_code
rules_text(char **text, const char **from, const char *file, struct ts_err *err)
{
	const struct ts_embedded *own = ts_embedded_find(TS_GROUPS_FILE);
	enum ts_code code = file ? ts_lex_read(text, file, err) : TS_E_NOT_FOUND;

	*from = file;
	if (code != TS_E_NOT_FOUND)
		return code;
	*from = TS_GROUPS_FILE;
	*text = ts_strdup(own ? own->text : "");
	return *text ? TS_OK : ts_err_nomem(err);
}

enum ts_code
ts_groups_open(struct ts_groups **out, const char *file, struct ts_err *err)
{
	struct ts_groups *g = ts_alloc(1, sizeof(*g));
	struct reading r = {.groups = g};
	char *text = NULL;
	enum ts_code code;

	*out = NULL;
	if (!g)
		return ts_err_nomem(err);
	atomic_init(&g->uses, 1);
	code = rules_text(&text, &r.file, file, err);
	if (!code) {
		g->hash = XXH3_64bits(text, strlen(text));
		ts_lex(text, read_rule, bad_line, &r);
	}
	free(text);
	if (r.nomem)
		code = ts_err_nomem(err);
	if (code) {
		ts_groups_close(g);
		return code;
	}
	if (ts_groups_find(g, TS_GROUP_OTHER) < 0)
		snprintf(g->name[g->count++], TS_GROUP_NAME, TS_GROUP_OTHER);
	*out = g;
	return TS_OK;
}

struct ts_groups *
ts_groups_hold(struct ts_groups *g)
{
	atomic_fetch_add(&g->uses, 1);
	return g;
}

void
ts_groups_close(struct ts_groups *g)
{
	if (!g || atomic_fetch_sub(&g->uses, 1) > 1)
		return;
	for (int i = 0; i < g->rules; i++)
		ts_pattern_free(g->rule[i].pattern);
	free(g);
}

int
ts_groups_wrong(const struct ts_groups *g, const char **problem)
{
	*problem = g->problem;
	return g->wrong;
}

uint64_t
ts_groups_hash(const struct ts_groups *g)
{
	return g->hash;
}

int
ts_groups_count(const struct ts_groups *g)
{
	return g->count;
}

const char *
ts_groups_name(const struct ts_groups *g, int i)
{
	return g->name[i];
}

int
ts_groups_find(const struct ts_groups *g, const char *name)
{
	for (int i = 0; i < g->count; i++)
		if (strcmp(g->name[i], name) == 0)
			return i;
	return -1;
}

/* --- matching --------------------------------------------------------------------------------- */

enum ts_code
ts_grouper_new(struct ts_grouper **out, struct ts_groups *g, struct ts_err *err)
{
	struct ts_grouper *m = ts_alloc(1, sizeof(*m));
	enum ts_code code = TS_OK;

	*out = NULL;
	if (!m)
		return ts_err_nomem(err);
	m->groups = ts_groups_hold(g);
	for (int i = 0; i < g->rules && !code; i++)
		code = ts_matcher_new(&m->matcher[i], g->rule[i].pattern, err);
	if (code) {
		ts_grouper_free(m);
		return code;
	}
	*out = m;
	return TS_OK;
}

void
ts_grouper_free(struct ts_grouper *m)
{
	if (!m)
		return;
	for (int i = 0; i < m->groups->rules; i++)
		ts_matcher_free(m->matcher[i]);
	ts_groups_close(m->groups);
	free(m);
}

const struct ts_groups *
ts_grouper_groups(const struct ts_grouper *m)
{
	return m->groups;
}

int
ts_grouper_of(struct ts_grouper *m, const char *name, size_t n, const char *category,
	size_t category_n)
{
	const struct ts_groups *g = m->groups;

	for (int i = 0; i < g->rules; i++) {
		bool whole = g->rule[i].category && category;
		const char *s = whole ? category : name;

		if (s &&
			ts_pattern_matches(m->matcher[i], s, whole ? category_n : n) ==
				TS_MATCH_YES)
			return g->rule[i].group;
	}
	return ts_groups_find(g, TS_GROUP_OTHER);
}

bool
ts_grouper_is(struct ts_grouper *m, int group, const char *name, size_t n)
{
	const struct ts_groups *g = m->groups;
	int first = 0;

	if (group == ts_groups_find(g, TS_GROUP_OTHER))
		return ts_grouper_of(m, name, n, NULL, 0) == group;
	while (first < g->rules &&
		(g->rule[first].group != group ||
			ts_pattern_matches(m->matcher[first], name, n) != TS_MATCH_YES))
		first++;
	if (first == g->rules)
		return false;
	for (int i = 0; i < first; i++)
		if (g->rule[i].group != group &&
			ts_pattern_matches(m->matcher[i], name, n) == TS_MATCH_YES)
			return false;
	return true;
}
