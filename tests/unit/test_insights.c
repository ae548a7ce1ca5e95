/* SPDX-License-Identifier: MIT */
/*
 * Rules and what they find: the grammar and what is wrong in it, limits, every rule with its measure, figures
 * against those of a report made by SQL, and what is not recorded.
 */
#include "config.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../screen/report_dir.h"

#include "tilescope/base/mem.h"
#include "tilescope/report/insights.h"

#include "index_dir.h"

static struct ts_err err;

/* --- rules ------------------------------------------------------------------------------------ */

struct problems {
	int count;
	char last[200];
};

static void
note_problem(void *ctx, const char *file, int line, const char *reason)
{
	struct problems *p = ctx;

	(void)file;
	p->count++;
	snprintf(p->last, sizeof(p->last), "%d: %s", line, reason);
}

/* The rules with a user's file of this text. */
static void
read_with(struct ts_rules *r, struct problems *p, const char *text)
{
	char path[] = "/tmp/ts-rules-XXXXXX";
	int fd = mkstemp(path);

	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(write(fd, text, strlen(text)), (ssize_t)strlen(text));
	close(fd);
	*p = (struct problems){0};
	ck_assert_int_eq(ts_rules_read(r, path, note_problem, p, &err), TS_OK);
	unlink(path);
}

static const struct ts_rule *
rule_of(const struct ts_rules *r, const char *id)
{
	for (int i = 0; i < r->count; i++)
		if (strcmp(r->rule[i].id, id) == 0)
			return &r->rule[i];
	ck_abort_msg("no rule %s", id);
	return NULL;
}

START_TEST(rules_that_come_with_it)
{
	struct problems p = {0};
	struct ts_rules r;
	const char *what;

	ck_assert_int_eq(ts_rules_read(&r, "/nowhere/at/all", note_problem, &p, &err), TS_OK);
	ck_assert_msg(p.count == 0, "%s", p.last);
	ck_assert_int_gt(r.count, 7);
	for (int i = 0; i < r.count; i++) {
		bool there = false;

		for (int m = 0; ts_measure_name(m, &what); m++)
			there |= strcmp(ts_measure_name(m, &what), r.rule[i].measure) == 0;
		ck_assert_msg(there, "%s: no measure %s", r.rule[i].id, r.rule[i].measure);
		ck_assert_int_gt(r.rule[i].limits, 0);
		for (int j = i + 1; j < r.count; j++)
			ck_assert_str_ne(r.rule[i].id, r.rule[j].id);
	}
	ts_rules_fini(&r);
}
END_TEST

START_TEST(limits)
{
	struct problems p;
	struct ts_rules r;
	const struct ts_rule *rule;

	read_with(&r, &p,
		"off M03 M04\n"
		"limit M01 note >=50%\n"
		"limit M01 bad >99%\n"
		"rule X1 tile-imbalance warn <0.5 bad <=0.25 title \"some advice\"\n"
		"rule M05 code-share bad >=1% \"mine\" \"of mine\"\n");
	ck_assert_msg(p.count == 0, "%s", p.last);
	ck_assert(rule_of(&r, "M03")->off && rule_of(&r, "M04")->off && !rule_of(&r, "M01")->off);
	rule = rule_of(&r, "M01");
	ck_assert_int_eq(rule->limits, 3);
	ck_assert_int_eq(ts_rule_judge(rule, 0.4999), TS_SEVERITY_NONE);
	ck_assert_int_eq(ts_rule_judge(rule, 0.5), TS_SEVERITY_NOTE);
	ck_assert_int_eq(ts_rule_judge(rule, 0.9), TS_SEVERITY_WARN);
	ck_assert_int_eq(ts_rule_judge(rule, 0.99), TS_SEVERITY_WARN);
	ck_assert_int_eq(ts_rule_judge(rule, 0.9901), TS_SEVERITY_BAD);
	rule = rule_of(&r, "X1");
	ck_assert_int_eq(ts_rule_judge(rule, 0.5), TS_SEVERITY_NONE);
	ck_assert_int_eq(ts_rule_judge(rule, 0.4), TS_SEVERITY_WARN);
	ck_assert_int_eq(ts_rule_judge(rule, 0.25), TS_SEVERITY_BAD);
	rule = rule_of(&r, "M05");
	ck_assert_str_eq(rule->title, "mine");
	ck_assert_str_eq(rule->advice, "of mine");
	ck_assert_int_eq(rule->limits, 1);
	ts_rules_fini(&r);
}
END_TEST

static const struct {
	const char *line, *says;
} wrongs[] = {
	{"ruel M01", "1: not rule, off or limit"},
	{"rule X x warn >1", "1: a rule has an ID"},
	{"rule X x warn 1 title advice", "1: not a severity"},
	{"rule X x worse >1 title advice", "1: not a severity"},
	{"rule X x warn >x title advice", "1: not a severity"},
	{"rule X x warn >1%% title advice", "1: not a severity"},
	{"rule X x warn >nan title advice", "1: not a severity"},
	{"rule X x warn >-inf title advice", "1: not a severity"},
	{"rule X x warn >1 bad title advice", "1: a rule has an ID"},
	{"rule X x warn >1 warn >2 warn >3 warn >4 title advice", "1: not a severity"},
	{"rule 12345678901234567 x warn >1 title advice", "1: a rule has an ID"},
	{"\noff X77", "2: no such rule"},
	{"limit X77 warn >1", "1: no such rule"},
	{"limit M01 warn", "1: limit ID SEVERITY LIMIT"},
	{"limit M01 none >1", "1: not a severity"},
	{"rule X \"x", "1: "},
};

START_TEST(wrong_lines)
{
	struct problems p;
	struct ts_rules r, none;

	ck_assert_int_eq(ts_rules_read(&none, NULL, NULL, NULL, &err), TS_OK);
	read_with(&r, &p, wrongs[_i].line);
	ck_assert_int_eq(p.count, 1);
	ck_assert_msg(strncmp(p.last, wrongs[_i].says, strlen(wrongs[_i].says)) == 0, "%s", p.last);
	ck_assert_int_eq(r.count, none.count);
	ts_rules_fini(&r);
	ts_rules_fini(&none);
}
END_TEST

/* --- findings --------------------------------------------------------------------------------- */

struct found {
	char dir[REPORT_DIR], *path;
	struct ts_report *report;
	struct ts_reader *rd;
	struct ts_insight_facts facts;
	struct ts_execution_facts execution;
	struct ts_rules rules;
	struct ts_insights insights;
};

static void
find(struct found *f, const char *sql)
{
	struct ts_report_options options = {0};
	char profile[2 * REPORT_DIR];

	memset(f, 0, sizeof(*f));
	report_dir_make(f->dir);
	report_dir_sql(f->dir, &f->path, "relations.db", sql);
	snprintf(profile, sizeof(profile), "%s/profile.pop", f->dir);
	relations_profile(f->path, profile);
	ck_assert_msg(ts_report_open(&f->report, profile, &options, &err) == TS_OK, "%s", err.msg);
	ck_assert_int_eq(ts_reader_open(&f->rd, f->report, &err), TS_OK);
	ck_assert_int_eq(ts_insight_facts_read(&f->facts, f->rd, NULL, &err), TS_OK);
	ck_assert_int_eq(ts_rules_read(&f->rules, NULL, NULL, NULL, &err), TS_OK);
	ck_assert_int_eq(ts_insights_find(&f->insights, &f->rules, &f->facts, TS_UNITS_BYTES, &err),
		TS_OK);
	ck_assert_int_eq(ts_execution_facts_read(&f->execution, f->rd, NULL, NULL, NULL, &err),
		TS_OK);
	ts_insights_add_execution(&f->insights, &f->execution);
}

static void
done(struct found *f)
{
	ts_insights_fini(&f->insights);
	ts_rules_fini(&f->rules);
	ts_execution_facts_fini(&f->execution);
	ts_insight_facts_fini(&f->facts);
	ts_reader_close(f->rd);
	ts_report_close(f->report);
	free(f->path);
	index_dir_remove(f->dir);
}

static const struct ts_finding *
finding(const struct found *f, const char *measure)
{
	for (int i = 0; i < f->insights.count; i++)
		if (strcmp(f->insights.finding[i].rule->measure, measure) == 0)
			return &f->insights.finding[i];
	ck_abort_msg("no finding of %s", measure);
	return NULL;
}

static const char report_sql[] =
	"CREATE TABLE target(type, architecture, ipus, replicas, tiles_per_ipu, bytes_per_tile,"
	" clock_hz);"
	"INSERT INTO target VALUES('IPU', 'Mk2', 1, 2, 4, 1000, 1e9);"
	"CREATE TABLE tile_memory(tile, ipu, total, total_gaps, overflowed, always_live);"
	"INSERT INTO tile_memory VALUES(0,0,400,500,0,100),(1,0,100,100,0,0),(2,0,1000,1100,100,0),"
	"(3,0,300,300,0,0);"
	"CREATE TABLE memory_category(category, name);"
	"INSERT INTO memory_category VALUES(0,'variable'),(1,'internalExchangeCode'),"
	"(2,'vertexCode'),(3,'instrumentationResults');"
	"CREATE TABLE tile_category(tile, category, not_overlapped, overlapped);"
	"INSERT INTO tile_category VALUES(0,0,400,0),(1,0,100,0),(2,0,300,0),(2,1,500,0),(2,2,200,0),"
	"(3,1,200,0),(3,3,100,0);"
	"CREATE TABLE liveness_step(live_step, program, not_always_live);"
	"INSERT INTO liveness_step VALUES(0,0,10),(1,0,10),(2,0,90),(3,0,10);"
	"CREATE TABLE variable(variable, name, bytes, always_live, element_type);"
	"INSERT INTO variable VALUES(0,'w',30,1,'half'),(1,'x',80,0,'float'),(2,'y',10,0,NULL),"
	"(3,'z',500,0,'float');"
	"CREATE TABLE liveness_variable(variable, start, end);"
	"INSERT INTO liveness_variable VALUES(1,2,3),(2,0,9),(3,3,4);";

START_TEST(figures)
{
	static const struct {
		const char *measure;
		double value;
		enum ts_severity severity;
		int64_t saving;
		const char *place, *says;
	} want[] = {
		{"worst-tile-share", 1.1, TS_SEVERITY_BAD, TS_UNKNOWN, "memory?tile=2",
			"110%: 100 B too much on tile 2, 1,100 B of 1,000 B, with gaps"},
		{"overflowed-bytes", 100, TS_SEVERITY_BAD, TS_UNKNOWN, "memory?tile=2",
			"100 B on 1 tile,"},
		{"tile-imbalance", 2.2, TS_SEVERITY_WARN, 600, "memory?tile=2",
			"2.20 times the mean: tile 2, 1,100 B; mean of all tiles 500 B"},
		{"gaps-share", 0.1, TS_SEVERITY_WARN, 200, "memory",
			"10.0% of the memory in use: 200 B of gaps"},
		{"code-share", 0.5, TS_SEVERITY_BAD, TS_UNKNOWN, "memory?tile=2&by=category",
			"500 B of internalExchangeCode on tile 2"},
		{"exchange-code-share", 700 / 1800.0, TS_SEVERITY_BAD, TS_UNKNOWN,
			"memory?tile=2&by=category", "700 B of internal exchange code"},
		{"profiling-share", 100 / 1800.0, TS_SEVERITY_WARN, 100,
			"memory?tile=3&by=category", "100 B of instr"},
		{"peak-over-steady", 3, TS_SEVERITY_WARN, 120, "liveness?step=2",
			"3.00 times the mean at step 2: 180 B not always live, mean of all steps 60 B, all 2 replicas"},
		/* x and y are not always live: twice; w is, and recorded of the device: once */
		{"half-of-peak", 1, TS_SEVERITY_NOTE, TS_UNKNOWN, "liveness?step=2",
			"1 variable is half of it: of 210 B of variables alive at step 2, all 2 replicas; the largest is x"},
	};
	struct found f;

	find(&f, report_sql);
	for (size_t i = 0; i < TS_COUNT(want); i++) {
		const struct ts_finding *x = finding(&f, want[i].measure);

		ck_assert(x->known);
		ck_assert_double_eq_tol(x->value, want[i].value, 1e-9);
		ck_assert_msg(x->severity == want[i].severity, "%s", want[i].measure);
		ck_assert_int_eq(x->saving, want[i].saving);
		ck_assert_str_eq(x->place, want[i].place);
		ck_assert_msg(strstr(x->evidence, want[i].says), "%s", x->evidence);
	}
	ck_assert_int_eq(f.insights.by_severity[TS_SEVERITY_BAD], 4);
	ck_assert_int_eq(f.insights.by_severity[TS_SEVERITY_WARN], 4);
	ck_assert_int_eq(f.insights.by_severity[TS_SEVERITY_NOTE], 1);
	ck_assert_int_eq(f.insights.unknown, 2 + 11); /* no lowered variables, no types, no steps */
	for (int i = 1; i < f.insights.count; i++)
		ck_assert_int_le(f.insights.finding[i].severity,
			f.insights.finding[i - 1].severity);
	done(&f);
}
END_TEST

/* Of a tile that does not fit: two variables of 600 bytes that are never alive together, or that are, beside 350 of code. */
START_TEST(alive_at_once)
{
	static const char *const intervals[] = {"(1, 0, 5), (2, 5, 9)", "(1, 0, 5), (2, 4, 9)"};
	static const char *const says[] =
		{"155%: 550 B too much on tile 0, 1,550 B of 1,000 B, with gaps; "
		 "at most 950 B of it alive at once, 50 B below the limit",
			"155%: 550 B too much on tile 0, 1,550 B of 1,000 B, with gaps; "
			"at most 1,550 B of it alive at once, 550 B above the limit"};
	struct found f;
	char sql[1000];

	for (int i = 0; i < 2; i++) {
		snprintf(sql, sizeof(sql),
			"CREATE TABLE target(ipus, tiles_per_ipu, bytes_per_tile);"
			"INSERT INTO target VALUES(1, 1, 1000);"
			"CREATE TABLE tile_memory(tile, total, total_gaps, always_live);"
			"INSERT INTO tile_memory VALUES(0, 1550, 1550, 350);"
			"CREATE TABLE lowered_variable(id, tile, name, bytes, category, class, "
			"always_live, element_type, variable, offset);"
			"INSERT INTO lowered_variable VALUES(0, 0, 'a', 600, 0, 1, 0, 'half', 0, 0),"
			"(1, 0, 'b', 600, 0, 2, 0, 'half', 1, 600);"
			"CREATE TABLE class_interval(class, start, end);"
			"INSERT INTO class_interval VALUES%s;",
			intervals[i]);
		find(&f, sql);
		ck_assert_str_eq(finding(&f, "worst-tile-share")->evidence, says[i]);
		done(&f);
	}
}
END_TEST

/* What is not known of a figure follows it as a sentence of its own, not as a second pair of brackets. */
START_TEST(gaps_not_known)
{
	struct found f;

	find(&f,
		"CREATE TABLE target(ipus, tiles_per_ipu, bytes_per_tile);"
		"INSERT INTO target VALUES(1, 1, 1000);"
		"CREATE TABLE tile_memory(tile, total);"
		"INSERT INTO tile_memory VALUES(0, 950);");
	ck_assert_str_eq(finding(&f, "worst-tile-share")->evidence,
		"95.0%: tile 0, 950 B of 1,000 B; whether with gaps is not known");
	done(&f);
}
END_TEST

/* What Graphcore's documentation prints (MODEL.md): a tile that does not fit, and an adder on 1,216 tiles. */
START_TEST(printed_vectors)
{
	struct found f;
	const struct ts_finding *x;

	find(&f,
		"CREATE TABLE target(ipus, tiles_per_ipu, bytes_per_tile);"
		"INSERT INTO target VALUES(1, 1, 638976);"
		"CREATE TABLE tile_memory(tile, total, total_gaps, non_interleaved, interleaved, overflowed);"
		"INSERT INTO tile_memory VALUES(0, 122880 + 131072 + 580387, 834416, 122880, 131072, 580387);");
	ck_assert_int_eq(f.facts.tiles.total, 834339);
	x = finding(&f, "worst-tile-share");
	ck_assert_double_eq(x->value, 834416 / 638976.0);
	ck_assert_ptr_nonnull(strstr(x->evidence, "834,416 B of 638,976 B"));
	ck_assert_double_eq(finding(&f, "gaps-share")->value, 77 / 834416.0);
	ck_assert_double_eq(finding(&f, "overflowed-bytes")->value, 580387);
	done(&f);
	find(&f,
		"CREATE TABLE target(ipus, tiles_per_ipu, bytes_per_tile);"
		"INSERT INTO target VALUES(1, 4, 1000);"
		"CREATE TABLE tile_memory(tile, total);"
		"INSERT INTO tile_memory VALUES(0, 900), (1, 1001), (2, 1030), (3, 1030);");
	x = finding(&f, "overflowed-bytes"); /* not the first that is over: the one that is most */
	ck_assert_str_eq(x->evidence, "61 B on 3 tiles, most on 2");
	ck_assert_str_eq(x->place, "memory?tile=2");
	done(&f);
	find(&f,
		"CREATE TABLE tile_memory(tile, total, total_gaps);"
		"WITH RECURSIVE t(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM t WHERE i < 1215)"
		"INSERT INTO tile_memory SELECT i, CASE i WHEN 0 THEN 5780 ELSE 4403 + (i <= 179) END,"
		" CASE i WHEN 0 THEN 49184 ELSE 4403 + (i <= 179) END FROM t;");
	ck_assert_int_eq(f.facts.tiles.total, 5355604);
	ck_assert_int_eq(f.facts.target.bytes_per_tile, 262144); /* of a Mk1, assumed */
	ck_assert_double_eq(finding(&f, "worst-tile-share")->value, 49184 / 262144.0);
	ck_assert_double_eq(finding(&f, "overflowed-bytes")->value, 0);
	ck_assert_double_eq(finding(&f, "gaps-share")->value,
		(49184 - 5780) / (5355604.0 + 49184 - 5780));
	ck_assert_int_eq(finding(&f, "tile-imbalance")->severity, TS_SEVERITY_BAD);
	done(&f);
}
END_TEST

START_TEST(not_recorded)
{
	struct found f;

	find(&f, "CREATE TABLE target(ipus);");
	ck_assert_int_eq(f.insights.unknown, f.insights.count);
	for (int i = 0; i < f.insights.count; i++) {
		ck_assert(!f.insights.finding[i].known);
		ck_assert_ptr_nonnull(strstr(f.insights.finding[i].evidence, "not recorded"));
	}
	done(&f);
	find(&f,
		"CREATE TABLE tile_memory(tile, total);"
		"INSERT INTO tile_memory VALUES(0, 0), (1, 0)");
	ck_assert(!finding(&f, "tile-imbalance")->known);
	ck_assert(!finding(&f, "gaps-share")->known);
	done(&f);
}
END_TEST

/* What nobody names may be code: no share of code is known then, and not 0. */
START_TEST(categories_without_names)
{
	static const char tables[] = "CREATE TABLE tile_memory(tile, total);"
				     "INSERT INTO tile_memory VALUES(0, 300);"
				     "CREATE TABLE tile_category(tile, category, not_overlapped);"
				     "INSERT INTO tile_category VALUES(0, 1, 100), (0, 2, 200);";
	static const char names[] =
		"CREATE TABLE memory_category(category, name);"
		"INSERT INTO memory_category VALUES(1, 'vertexCode'), (2, 'of ours')";
	char sql[800];
	struct found f;

	find(&f, tables);
	ck_assert(!finding(&f, "code-share")->known);
	ck_assert(!finding(&f, "exchange-code-share")->known);
	ck_assert(!finding(&f, "profiling-share")->known);
	done(&f);
	snprintf(sql, sizeof(sql), "%s%s", tables, names);
	find(&f, sql);
	ck_assert(finding(&f, "code-share")->known);
	ck_assert_double_eq_tol(finding(&f, "code-share")->value, 1 / 3.0, 1e-9);
	done(&f);
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("insights");
	TCase *t = tcase_create("insights");
	SRunner *r;
	int failed;

	tcase_add_test(t, rules_that_come_with_it);
	tcase_add_test(t, limits);
	tcase_add_loop_test(t, wrong_lines, 0, (int)TS_COUNT(wrongs));
	tcase_add_test(t, figures);
	tcase_add_test(t, alive_at_once);
	tcase_add_test(t, gaps_not_known);
	tcase_add_test(t, printed_vectors);
	tcase_add_test(t, not_recorded);
	tcase_add_test(t, categories_without_names);
	suite_add_tcase(s, t);
	r = srunner_create(s);
	srunner_run_all(r, CK_NORMAL);
	failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
