/* SPDX-License-Identifier: MIT */
/* rules - see the header; the grammar is explained in src/rules/insights.rules. */
#include "config.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tilescope/base/embedded.h"
#include "tilescope/base/lex.h"
#include "tilescope/base/mem.h"
#include "tilescope/report/rules.h"

static const char *const severities[] = {"", "note", "warn", "bad"};

static const struct {
	const char *sign;
	enum ts_compare compare;
} signs[] = {{">=", TS_AT_LEAST}, {"<=", TS_AT_MOST}, {">", TS_MORE}, {"<", TS_LESS}};

struct parser {
	struct ts_rules *rules;
	const char *file;
	ts_rules_problem_fn *problem;
	void *ctx;
	bool nomem;
};

const char *
ts_severity_name(enum ts_severity severity)
{
	return severities[severity];
}

enum ts_severity
ts_severity_find(const char *name)
{
	for (int i = TS_SEVERITY_NOTE; i < (int)TS_COUNT(severities); i++)
		if (strcmp(severities[i], name) == 0)
			return (enum ts_severity)i;
	return TS_SEVERITY_NONE;
}

static bool
holds(const struct ts_limit *l, double value)
{
	return l->compare == TS_MORE	    ? value > l->value
		: l->compare == TS_AT_LEAST ? value >= l->value
		: l->compare == TS_LESS	    ? value < l->value
					    : value <= l->value;
}

enum ts_severity
ts_rule_judge(const struct ts_rule *rule, double value)
{
	for (int i = rule->limits - 1; i >= 0; i--)
		if (holds(&rule->limit[i], value))
			return rule->limit[i].severity;
	return TS_SEVERITY_NONE;
}

void
ts_limit_text(struct ts_strbuf *out, const struct ts_limit *limit)
{
	for (size_t i = 0; i < TS_COUNT(signs); i++)
		if (signs[i].compare == limit->compare)
			ts_strbuf_puts(out, signs[i].sign);
	ts_strbuf_printf(out, "%.10g%s", limit->share ? limit->value * 100 : limit->value,
		limit->share ? "%" : "");
}

/* --- lines ------------------------------------------------------------------------------------ */

static struct ts_rule *
find_rule(struct ts_rules *r, const char *id)
{
	for (int i = 0; i < r->count; i++)
		if (strcmp(r->rule[i].id, id) == 0)
			return &r->rule[i];
	return NULL;
}

/* ">=90%". */
static bool
parse_limit(struct ts_limit *out, const char *severity, const char *text)
{
	char *end;

	out->severity = ts_severity_find(severity);
	for (size_t i = 0; i < TS_COUNT(signs); i++) {
		size_t n = strlen(signs[i].sign);

		if (strncmp(text, signs[i].sign, n) != 0)
			continue;
		out->compare = signs[i].compare;
		out->value = strtod(text + n, &end);
		if (end == text + n || !isfinite(out->value))
			return false;
		out->share = *end == '%';
		if (out->share) {
			out->value /= 100;
			end++;
		}
		return *end == '\0' && out->severity != TS_SEVERITY_NONE;
	}
	return false;
}

static const char *
parse_rule(struct parser *p, const struct ts_line *l)
{
	struct ts_rule rule = {.limits = 0}, *at = NULL;
	int word = 3;

	if (l->count < 7 || strlen(l->word[1]) >= TS_RULE_ID ||
		strlen(l->word[2]) >= TS_RULE_MEASURE)
		return "a rule has an ID, a measure, limits, a title and advice";
	for (; word + 3 < l->count; word += 2)
		if (rule.limits == TS_RULE_LIMITS ||
			!parse_limit(&rule.limit[rule.limits++], l->word[word], l->word[word + 1]))
			return "not a severity and its limit";
	if (word + 2 != l->count)
		return "a rule has an ID, a measure, limits, a title and advice";
	at = find_rule(p->rules, l->word[1]);
	if (!at && p->rules->count == TS_RULES_MAX)
		return "too many rules";
	memcpy(rule.id, l->word[1], strlen(l->word[1]) + 1);
	memcpy(rule.measure, l->word[2], strlen(l->word[2]) + 1);
	rule.title = ts_strdup(l->word[word]);
	rule.advice = ts_strdup(l->word[word + 1]);
	p->nomem |= !rule.title || !rule.advice;
	if (at) {
		free(at->title);
		free(at->advice);
	} else {
		at = &p->rules->rule[p->rules->count++];
	}
	*at = rule;
	return NULL;
}

static const char *
parse_off(struct parser *p, const struct ts_line *l)
{
	const char *unknown = NULL;

	for (int i = 1; i < l->count; i++) {
		struct ts_rule *rule = find_rule(p->rules, l->word[i]);

		if (rule)
			rule->off = true;
		else
			unknown = "no such rule";
	}
	return unknown;
}

static const char *
parse_limit_line(struct parser *p, const struct ts_line *l)
{
	struct ts_rule *rule = l->count == 4 ? find_rule(p->rules, l->word[1]) : NULL;
	struct ts_limit limit;
	int i = 0;

	if (!rule)
		return l->count == 4 ? "no such rule" : "limit ID SEVERITY LIMIT";
	if (!parse_limit(&limit, l->word[2], l->word[3]))
		return "not a severity and its limit";
	while (i < rule->limits && rule->limit[i].severity < limit.severity)
		i++;
	if (i < rule->limits && rule->limit[i].severity == limit.severity) {
		rule->limit[i] = limit;
		return NULL;
	}
	if (rule->limits == TS_RULE_LIMITS)
		return "too many limits";
	memmove(&rule->limit[i + 1], &rule->limit[i],
		(size_t)(rule->limits - i) * sizeof(rule->limit[0]));
	rule->limit[i] = limit;
	rule->limits++;
	return NULL;
}

static const struct {
	const char *word;
	const char *(*parse)(struct parser *p, const struct ts_line *l);
} words[] = {{"rule", parse_rule}, {"off", parse_off}, {"limit", parse_limit_line}};

static void
bad(void *ctx, int line, const char *reason)
{
	struct parser *p = ctx;

	if (p->problem)
		p->problem(p->ctx, p->file, line, reason);
}

static bool
each_line(void *ctx, const struct ts_line *l)
{
	struct parser *p = ctx;
	const char *reason = "not rule, off or limit";

	for (size_t i = 0; i < TS_COUNT(words); i++)
		if (strcmp(words[i].word, l->word[0]) == 0)
			reason = words[i].parse(p, l);
	if (reason)
		bad(p, l->number, reason);
	return !p->nomem;
}

enum ts_code
ts_rules_read(struct ts_rules *r, const char *file, ts_rules_problem_fn *problem, void *ctx,
	struct ts_err *err)
{
	struct parser p = {.rules = r, .file = "insights.rules", .problem = problem, .ctx = ctx};
	char *text = ts_strdup(ts_embedded_find("rules/insights.rules")->text);
	enum ts_code code = TS_OK;

	memset(r, 0, sizeof(*r));
	if (!text)
		return ts_err_nomem(err);
	ts_lex(text, each_line, bad, &p);
	free(text);
	if (file && !p.nomem) {
		code = ts_lex_read(&text, file, err);
		p.file = file;
		if (!code) {
			ts_lex(text, each_line, bad, &p);
			free(text);
		}
	}
	if (p.nomem)
		return ts_err_nomem(err);
	return code == TS_E_NOT_FOUND ? TS_OK : code;
}

void
ts_rules_fini(struct ts_rules *r)
{
	for (int i = 0; i < r->count; i++) {
		free(r->rule[i].title);
		free(r->rule[i].advice);
	}
	r->count = 0;
}
