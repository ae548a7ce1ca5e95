/* SPDX-License-Identifier: MIT */
/*
 * Rules of the execution: random reports against a slow computation (cycle by cycle, tile by tile, SQL for the rest), reports
 * in which each rule fires and does not, and reports that say less: one run, one IPU, no programs, nothing at all.
 */
#include "config.h"

#include <check.h>

#include "depth.h"
#include "made_report.h"

#include "tilescope/base/mem.h"
#include "tilescope/report/insights.h"

enum { IPUS = 3, TILES = 4, SETS = 4, STEPS = 40, LAST = 4000, SEEDS = 60 };

static struct ts_err err;

struct found {
	struct ts_insight_facts facts;
	struct ts_execution_facts execution;
	struct ts_rules rules;
	struct ts_insights insights;
};

static void
find(struct found *x, struct fixture *f)
{
	memset(x, 0, sizeof(*x));
	open_report(f);
	ck_assert_int_eq(ts_insight_facts_read(&x->facts, f->reader, NULL, &err), TS_OK);
	ck_assert_int_eq(ts_rules_read(&x->rules, NULL, NULL, NULL, &err), TS_OK);
	ck_assert_int_eq(ts_insights_find(&x->insights, &x->rules, &x->facts, TS_UNITS_BYTES, &err),
		TS_OK);
	ck_assert_int_eq(ts_execution_facts_read(&x->execution, f->reader, NULL, NULL, NULL, &err),
		TS_OK);
	ts_insights_add_execution(&x->insights, &x->execution);
}

static void
done(struct found *x, struct fixture *f)
{
	ts_insights_fini(&x->insights);
	ts_rules_fini(&x->rules);
	ts_execution_facts_fini(&x->execution);
	ts_insight_facts_fini(&x->facts);
	end(f);
}

static const struct ts_finding *
of(const struct found *x, const char *id)
{
	for (int i = 0; i < x->insights.count; i++)
		if (strcmp(x->insights.finding[i].rule->id, id) == 0)
			return &x->insights.finding[i];
	ck_abort_msg("no finding of %s", id);
	return NULL;
}

static void
make_tables(struct fixture *f, unsigned seed, int ipus)
{
	make_relations(f, seed);
	sql(f,
		"CREATE TABLE target(type TEXT, ipus INTEGER, replicas INTEGER, tiles_per_ipu INTEGER,"
		" bytes_per_tile INTEGER); INSERT INTO target VALUES('IPU', %d, 1, %d, 1000);"
		"CREATE TABLE run(run INTEGER, name TEXT, first_step INTEGER, step_count INTEGER);"
		"CREATE TABLE compute_set(compute_set INTEGER PRIMARY KEY, name TEXT, cycles_by_tile "
		"BLOB);"
		"CREATE TABLE program(program INTEGER PRIMARY KEY, type TEXT, name TEXT, compute_set "
		"INTEGER);"
		"CREATE TABLE step(step INTEGER PRIMARY KEY, run INTEGER, type TEXT, program INTEGER, "
		"compute_set INTEGER);"
		"CREATE TABLE step_ipu(step INTEGER, ipu INTEGER, cycles INTEGER, start INTEGER, "
		"\"end\" INTEGER)",
		ipus, TILES);
}

/* --- random reports ----------------------------------------------------------------------------------- */

static const struct {
	const char *type, *name;
} types[] = {{"OnTileExecute", "work"}, {"OnTileExecute", "a/Transpose/b"}, {"DoExchange", "x"},
	{"StreamCopyBegin", "in"}, {"StreamCopyMid", "in"}, {"GlobalExchange", "g"},
	{"OnTileExecute", "Copy_x"}, {"StreamCopyBegin", "out"}};

enum { COMPUTE = 1, EXCHANGE = 2, WAIT = 4, COPY = 8, GLOBAL = 16 };

static const int bits[] = {COMPUTE, COMPUTE, EXCHANGE, WAIT, COPY, GLOBAL, COMPUTE, WAIT};

struct truth {
	unsigned char runs[IPUS][LAST]; /* classes that run in each cycle */
	bool counted[LAST];		/* the cycle is of a run, and not the artefact */
	int64_t work, rearranged;
	bool artefact;
};

static void
mark(bool *counted, int64_t from, int64_t to, bool value)
{
	for (int64_t i = from; i < to; i++)
		counted[i] = value;
}

/* Two runs with steps one behind the other; those of I/O beside them. */
static void
fill(struct fixture *f, struct truth *w)
{
	int64_t at = 0, from = 0, hole[2] = {0, 0};

	memset(w, 0, sizeof(*w));
	make_tables(f, f->seed, IPUS);
	sql(f, "INSERT INTO run VALUES(0, 'a', 0, %d), (1, 'b', %d, %d)", STEPS / 2, STEPS / 2,
		STEPS - STEPS / 2);
	for (size_t p = 0; p < TS_COUNT(types); p++)
		sql(f, "INSERT INTO program VALUES(%d, '%s', '%s', NULL)", (int)p, types[p].type,
			types[p].name);
	for (int s = 0; s < STEPS; s++) {
		int p = (int)rnd(f, TS_COUNT(types));
		int64_t last = at;

		if (s == STEPS / 2) {
			mark(w->counted, from, at, true);
			from = at += rnd(f, 40);
		}
		sql(f, "INSERT INTO step VALUES(%d, %d, '%s', %d, NULL)", s, s >= STEPS / 2,
			types[p].type, p);
		for (int i = 0; i < IPUS; i++) {
			int64_t n = 1 + rnd(f, 60), a = at;

			sql(f, "INSERT INTO step_ipu VALUES(%d, %d, %lld, %lld, %lld)", s, i,
				(long long)n, (long long)a, (long long)(a + n));
			for (int64_t c = a; c < a + n; c++)
				w->runs[i][c] |= (unsigned char)bits[p];
			last = ts_max_i64(last, a + n);
			w->work += bits[p] == COMPUTE ? n : 0;
			w->rearranged += p == 1 || p == 6 ? n : 0;
		}
		if (s >= STEPS / 2 && bits[p] == WAIT && !w->artefact) {
			w->artefact = true;
			hole[0] = at;
			hole[1] = last;
		}
		/* the next one begins before this one ends, now and then */
		at = s == STEPS / 2 - 1 || s == STEPS - 1 ? last : at + 1 + rnd(f, 60);
		at = s == STEPS / 2 - 1 ? ts_max_i64(at, last) : at;
	}
	mark(w->counted, from, at, true);
	mark(w->counted, hole[0], hole[1], false);
}

static int64_t
count(const struct truth *w, int ipu, int has, int has_not)
{
	int64_t n = 0;

	for (int c = 0; c < LAST; c++)
		n += w->counted[c] &&
			(ipu < 0 ||
				((w->runs[ipu][c] & has) == has && !(w->runs[ipu][c] & has_not)));
	return n;
}

static void
same_class(const struct ts_class_fact *got, const struct truth *w, int k, bool bare)
{
	int64_t most = -1;
	int ipu = 0;

	for (int i = 0; i < IPUS; i++)
		if (count(w, i, k, bare ? COMPUTE : 0) > most) {
			most = count(w, i, k, bare ? COMPUTE : 0);
			ipu = i;
		}
	ck_assert_int_eq(got->ipu, ipu);
	ck_assert_int_eq(got->cycles, count(w, ipu, k, 0));
	ck_assert_int_eq(got->bare, count(w, ipu, k, COMPUTE));
}

START_TEST(random_reports)
{
	const struct ts_execution_facts *x;
	struct fixture f = {.seed = (unsigned)_i * 104729 + 3};
	struct truth w;
	struct found got;

	fill(&f, &w);
	find(&got, &f);
	x = &got.execution;
	ck_assert_int_eq(x->runs, 2);
	ck_assert_int_eq(x->span, count(&w, -1, 0, 0));
	same_class(&x->wait, &w, WAIT, false);
	same_class(&x->copy, &w, COPY, true);
	same_class(&x->exchange, &w, EXCHANGE, false);
	same_class(&x->global, &w, GLOBAL, false);
	ck_assert_int_eq(x->artefact_cycles != TS_UNKNOWN, w.artefact);
	ck_assert_int_eq(x->compute, w.work);
	ck_assert_int_eq(x->rearranged, w.rearranged);
	ck_assert_double_eq(of(&got, "X01")->value, (double)x->wait.cycles / (double)x->span);
	ck_assert_double_eq(of(&got, "X02")->value, (double)x->copy.bare / (double)x->span);
	done(&got, &f);
}
END_TEST

/* --- each rule ---------------------------------------------------------------------------------------- */

/* A step of one IPU after the other; `name` of its program. */
static void
step(struct fixture *f, int s, int64_t *at, int ipu, const char *type, const char *name,
	int64_t cycles)
{
	sql(f, "INSERT INTO program VALUES(%d, '%s', '%s', NULL)", s, type, name);
	sql(f, "INSERT INTO step VALUES(%d, 0, '%s', %d, NULL)", s, type, s);
	sql(f, "INSERT INTO step_ipu VALUES(%d, %d, %lld, %lld, %lld)", s, ipu, (long long)cycles,
		(long long)*at, (long long)(*at + cycles));
	*at += cycles;
}

static void
set_of(struct fixture *f, int s, const char *name, const char *blob)
{
	sql(f, "INSERT INTO compute_set VALUES(%d, '%s', x'%s')", s, name, blob);
	sql(f, "UPDATE program SET compute_set = %d WHERE program = %d", s, s);
	sql(f, "UPDATE step SET compute_set = %d WHERE step = %d", s, s);
}

static const struct {
	const char *id;
	int wait, copy, exchange, global, transpose; /* cycles beside 1,000 in all */
	const char *blob;			     /* cycles of four tiles */
	double value;
	enum ts_severity severity;
} cases[] = {
	{"X01", 49, 0, 0, 0, 0, NULL, 0.049, TS_SEVERITY_NONE},
	{"X01", 50, 0, 0, 0, 0, NULL, 0.05, TS_SEVERITY_WARN},
	{"X01", 200, 0, 0, 0, 0, NULL, 0.2, TS_SEVERITY_BAD},
	{"X02", 0, 99, 0, 0, 0, NULL, 0.099, TS_SEVERITY_NONE},
	{"X02", 0, 100, 0, 0, 0, NULL, 0.1, TS_SEVERITY_WARN},
	{"X02", 0, 250, 0, 0, 0, NULL, 0.25, TS_SEVERITY_BAD},
	{"X03", 0, 0, 199, 0, 0, NULL, 0.199, TS_SEVERITY_NONE},
	{"X03", 0, 0, 200, 0, 0, NULL, 0.2, TS_SEVERITY_NOTE},
	{"X03", 0, 0, 400, 0, 0, NULL, 0.4, TS_SEVERITY_WARN},
	{"X04", 0, 0, 0, 0, 0, NULL, 0, TS_SEVERITY_NONE},
	{"X04", 0, 0, 0, 1, 0, NULL, 0.001, TS_SEVERITY_WARN},
	{"X04", 0, 0, 0, 50, 0, NULL, 0.05, TS_SEVERITY_BAD},
	{"X05", 0, 0, 0, 0, 0, "64000000640000006400000064000000", 1, TS_SEVERITY_NONE},
	{"X05", 0, 0, 0, 0, 0, "64000000640000002800000028000000", 0.7, TS_SEVERITY_NONE},
	{"X05", 0, 0, 0, 0, 0, "64000000640000002800000024000000", 0.69, TS_SEVERITY_WARN},
	{"X05", 0, 0, 0, 0, 0, "6400000001000000", 101 / 400.0, TS_SEVERITY_BAD},
	{"X06", 0, 0, 0, 0, 0, "64000000640000006400000054000000", 4 / 1000.0, TS_SEVERITY_NONE},
	{"X06", 0, 0, 0, 0, 0, "64000000640000006400000014000000", 20 / 1000.0, TS_SEVERITY_NOTE},
	{"X06", 0, 0, 0, 0, 0, "64000000", 75 / 1000.0, TS_SEVERITY_WARN},
	{"X07", 0, 0, 0, 0, 0, "6400000064000000", 0.5, TS_SEVERITY_NONE},
	{"X07", 0, 0, 0, 0, 0, "64000000", 0.25, TS_SEVERITY_WARN},
	{"X07", 0, 0, 0, 0, 0, "01000000", 1, TS_SEVERITY_NONE}, /* 0.1 % of the cycles */
	{"X10", 0, 0, 0, 0, 99, NULL, 0.099, TS_SEVERITY_NONE},
	{"X10", 0, 0, 0, 0, 100, NULL, 0.1, TS_SEVERITY_WARN},
	{"X10", 0, 0, 0, 0, 250, NULL, 0.25, TS_SEVERITY_BAD},
};

START_TEST(each_rule)
{
	int64_t at = 0;
	int s = 0;
	struct fixture f;
	struct found x;
	const struct ts_finding *got;

	make_tables(&f, 1, 1);
	step(&f, s++, &at, 0, "StreamCopyBegin", "in", cases[_i].wait);
	step(&f, s++, &at, 0, "StreamCopyMid", "in", cases[_i].copy);
	step(&f, s++, &at, 0, "DoExchange", "x", cases[_i].exchange);
	step(&f, s++, &at, 0, "GlobalExchange", "g", cases[_i].global);
	step(&f, s++, &at, 0, "OnTileExecute", "m/Transpose", cases[_i].transpose);
	step(&f, s, &at, 0, "OnTileExecute", "work", 1000 - at);
	if (cases[_i].blob)
		set_of(&f, s, "work", cases[_i].blob);
	sql(&f, "INSERT INTO run VALUES(0, 'a', 0, %d)", s + 1);
	find(&x, &f);
	got = of(&x, cases[_i].id);
	ck_assert_msg(got->known, "%s: %s", got->rule->id, got->evidence);
	ck_assert_msg(got->value > cases[_i].value - 1e-12 && got->value < cases[_i].value + 1e-12,
		"%s: %.17g: %s", got->rule->id, got->value, got->evidence);
	ck_assert_msg(got->severity == cases[_i].severity, "%s %d: %s", got->rule->id, _i,
		got->evidence);
	if (got->severity)
		ck_assert_int_eq(strncmp(got->place, "trace", 5), 0);
	if (got->saving != TS_UNKNOWN)
		ck_assert_int_eq(got->saving_of, TS_SAVING_CYCLES);
	ck_assert_int_eq(of(&x, "X11")->severity, TS_SEVERITY_NONE); /* one run */
	ck_assert(!of(&x, "X08")->known && !of(&x, "X09")->known);   /* one IPU */
	done(&x, &f);
}
END_TEST

/* What shares of compute sets are of: all runs, or the trace where runs are not recorded, or one of them has no place. */
static const struct {
	const char *runs, *of;
} spans[] = {
	{"INSERT INTO run VALUES(0, 'a', 0, 2)", "the run"},
	{"INSERT INTO run VALUES(0, 'a', 0, 1), (1, 'b', 1, 1)", "the runs"},
	{"INSERT INTO run VALUES(0, 'a', 0, 2), (1, 'b', 2, 1)", "the trace"},
	{"DELETE FROM run", "the trace"},
	{"DROP TABLE run", "the trace"},
};

/* A compute set of some cycles, of 1,000 in all: what the rules say of their share. */
static void
say_of_what(const char *blob, const char *before, const char *behind)
{
	static const char *const rules[] = {"X05", "X06", "X07"};
	char says[80];

	for (size_t k = 0; k < TS_COUNT(spans); k++) {
		int64_t at = 0;
		struct fixture f;
		struct found x;

		make_tables(&f, 1, 1);
		step(&f, 0, &at, 0, "OnTileExecute", "a", 400);
		set_of(&f, 0, "a", blob);
		step(&f, 1, &at, 0, "OnTileExecute", "b", 600);
		sql(&f, "%s", spans[k].runs);
		find(&x, &f);
		snprintf(says, sizeof(says), "%s%s%s", before, spans[k].of, behind);
		for (size_t i = 0; i < TS_COUNT(rules); i++) {
			const char *evidence = of(&x, rules[i])->evidence;

			if (i != 1 || behind[0])
				ck_assert_msg(strstr(evidence, says) != NULL, "%s: %s, not %s",
					rules[i], evidence, says);
		}
		done(&x, &f);
	}
}

START_TEST(shares_say_of_what)
{
	say_of_what("90010000", " of ", ";");
	say_of_what("01000000", "no compute set takes 1% of the cycles of ", "");
}
END_TEST

/* Two stages, the second `slow` times as long as the first, four passes of each, an exchange of 20 behind each phase. */
static const struct {
	int a, b;
	enum ts_severity slow, bubble;
} pipelines[] = {
	{1000, 1000, TS_SEVERITY_NONE, TS_SEVERITY_NONE},
	{1000, 1500, TS_SEVERITY_WARN, TS_SEVERITY_NOTE},
	{1000, 4000, TS_SEVERITY_BAD, TS_SEVERITY_WARN},
};

START_TEST(stages)
{
	int64_t at = 0, most = ts_max_i64(pipelines[_i].a, pipelines[_i].b);
	char most_of[60];
	struct fixture f;
	struct found x;

	make_tables(&f, 1, 2);
	sql(&f, "INSERT INTO run VALUES(0, 'a', 0, 8)");
	sql(&f,
		"INSERT INTO program VALUES(0, 'OnTileExecute', 'w', NULL), "
		"(1, 'GlobalExchange', 'g', NULL)");
	for (int s = 0; s < 8; s += 2, at += most + 20) {
		sql(&f,
			"INSERT INTO step VALUES(%d, 0, 'OnTileExecute', 0, NULL), "
			"(%d, 0, 'GlobalExchange', 1, NULL)",
			s, s + 1);
		for (int i = 0; i < 2; i++) {
			int n = i ? pipelines[_i].b : pipelines[_i].a;

			sql(&f, "INSERT INTO step_ipu VALUES(%d, %d, %d, %lld, %lld)", s, i, n,
				(long long)at, (long long)(at + n));
		}
		for (int i = 0; i < 2; i++)
			sql(&f, "INSERT INTO step_ipu VALUES(%d, %d, 20, %lld, %lld)", s + 1, i,
				(long long)(at + most), (long long)(at + most + 20));
	}
	find(&x, &f);
	ck_assert_msg(of(&x, "X08")->known, "%s", of(&x, "X08")->evidence);
	ck_assert_msg(of(&x, "X08")->severity == pipelines[_i].slow, "%s", of(&x, "X08")->evidence);
	ck_assert_msg(of(&x, "X09")->severity == pipelines[_i].bubble, "%s",
		of(&x, "X09")->evidence);
	ck_assert_str_eq(of(&x, "X08")->place, "trace?tab=pipeline");
	snprintf(most_of, sizeof(most_of), "; most of it, %.1f%%, in w (",
		100.0 * (double)most / (double)(most + 20));
	ck_assert_msg(strstr(of(&x, "X08")->evidence, most_of) != NULL, "%s: %s", most_of,
		of(&x, "X08")->evidence);
	ck_assert_int_eq(of(&x, "X04")->severity, TS_SEVERITY_NONE); /* two IPUs */
	done(&x, &f);
}
END_TEST

/* --- reports that say less ---------------------------------------------------------------------------- */

START_TEST(artefact)
{
	struct fixture f;
	struct found x;
	int64_t at = 0;

	make_tables(&f, 1, 1);
	step(&f, 0, &at, 0, "StreamCopyBegin", "in", 10);
	step(&f, 1, &at, 0, "OnTileExecute", "w", 990);
	step(&f, 2, &at, 0, "StreamCopyBegin", "in", 9000);
	step(&f, 3, &at, 0, "OnTileExecute", "w", 1000);
	sql(&f, "INSERT INTO run VALUES(0, 'a', 0, 2), (1, 'b', 2, 2)");
	find(&x, &f);
	ck_assert_double_eq(of(&x, "X01")->value, 10 / 2000.0);
	ck_assert_int_eq(of(&x, "X01")->severity, TS_SEVERITY_NONE);
	ck_assert_int_eq(of(&x, "X11")->severity, TS_SEVERITY_NOTE);
	ck_assert_double_eq(of(&x, "X11")->value, 9000 / 11000.0);
	ck_assert_str_eq(of(&x, "X11")->place, "trace?step=2");
	done(&x, &f);
}
END_TEST

/* The same without runs: the profiler's own wait may be in what waits, which is no saving then. */
START_TEST(artefact_without_runs)
{
	struct fixture f;
	struct found x;
	int64_t at = 0;

	make_tables(&f, 1, 1);
	step(&f, 0, &at, 0, "StreamCopyBegin", "in", 10);
	step(&f, 1, &at, 0, "OnTileExecute", "w", 990);
	step(&f, 2, &at, 0, "StreamCopyBegin", "in", 9000);
	step(&f, 3, &at, 0, "OnTileExecute", "w", 1000);
	sql(&f, "DROP TABLE run");
	find(&x, &f);
	ck_assert_double_eq(of(&x, "X01")->value, 9010 / 11000.0);
	ck_assert_int_eq(of(&x, "X01")->severity, TS_SEVERITY_BAD);
	ck_assert_int_eq(of(&x, "X01")->saving, TS_UNKNOWN);
	ck_assert_ptr_nonnull(strstr(of(&x, "X01")->evidence,
		"the profiler's own wait may be in it: runs are not recorded"));
	ck_assert(!of(&x, "X11")->known);
	ck_assert_int_eq(of(&x, "X11")->severity, TS_SEVERITY_NONE);
	done(&x, &f);
}
END_TEST

/* What is dropped or changed, and the rules that are not known then; all others are. */
static const struct {
	const char *change, *unknown;
} lacking[] = {
	{"SELECT 1", "X08X09"},
	{"DROP TABLE step", "X01X02X03X04X05X06X07X08X09X10X11"},
	{"DROP TABLE step_ipu", "X01X02X03X04X05X06X07X08X09X10X11"},
	{"DROP TABLE program", "X08X09X10"},
	{"DROP TABLE compute_set", "X05X06X07X08X09"},
	{"DROP TABLE run", "X08X09X11"},
	{"DELETE FROM run", "X08X09X11"},
	{"DELETE FROM step_ipu", "X01X02X03X04X05X06X07X08X09X10X11"},
	{"UPDATE step_ipu SET start = 0, \"end\" = 0, cycles = 0",
		"X01X02X03X04X05X06X07X08X09X10X11"},
};

START_TEST(not_recorded)
{
	struct fixture f;
	struct found x;
	int64_t at = 0;

	make_tables(&f, 1, 1);
	step(&f, 0, &at, 0, "StreamCopyBegin", "in", 10);
	step(&f, 1, &at, 0, "OnTileExecute", "w", 990);
	set_of(&f, 1, "w", "64000000");
	sql(&f, "INSERT INTO run VALUES(0, 'a', 0, 2)");
	sql(&f, "%s", lacking[_i].change);
	find(&x, &f);
	for (int i = 0; i < x.insights.count; i++) {
		const struct ts_finding *g = &x.insights.finding[i];
		bool want = !strstr(lacking[_i].unknown, g->rule->id);

		if (g->rule->id[0] != 'X')
			continue;
		ck_assert_msg(g->known == want, "%d: %s: %s", _i, g->rule->id, g->evidence);
		ck_assert_int_gt(strlen(g->evidence), 0);
		if (!g->known) {
			ck_assert_str_eq(g->place, "");
			ck_assert_int_eq(g->saving, TS_UNKNOWN);
		}
	}
	done(&x, &f);
}
END_TEST

/* Estimates are called so, what is measured once too. */
START_TEST(marks)
{
	static const struct {
		const char *level, *says;
	} levels[] = {{"off", "; estimated"}, {"tile", "; measured once, repeated"},
		{"", "; whether measured is not recorded"}};
	struct fixture f;
	struct found x;
	int64_t at = 0;

	make_tables(&f, 1, 1);
	step(&f, 0, &at, 0, "OnTileExecute", "w/Transpose", 990);
	sql(&f, "INSERT INTO run VALUES(0, 'a', 0, 1)");
	if (levels[_i].level[0])
		sql(&f, "INSERT INTO report VALUES('compute_instrumentation', '%s')",
			levels[_i].level);
	find(&x, &f);
	ck_assert_msg(strstr(of(&x, "X10")->evidence, levels[_i].says) != NULL, "%s",
		of(&x, "X10")->evidence);
	done(&x, &f);
}
END_TEST

/* Numbers at their ends: an answer, finite. */
START_TEST(hostile)
{
	static const char *const changes[] = {"UPDATE step_ipu SET \"end\" = 1 << 62",
		"UPDATE step_ipu SET start = 1 << 62, \"end\" = 0",
		"UPDATE step_ipu SET cycles = 1 << 62", "UPDATE step_ipu SET ipu = 1 << 62",
		"UPDATE run SET first_step = -1, step_count = 1 << 62",
		"UPDATE run SET first_step = 1 << 62",
		"UPDATE compute_set SET cycles_by_tile = x'01'",
		"UPDATE compute_set SET cycles_by_tile = x'ffffffffffffffffffffffff'",
		"UPDATE program SET type = x'00', name = char(27)",
		"UPDATE step SET program = 1 << 62",
		"INSERT INTO run VALUES(1, 'b', 0, 2), (1, 'b', 0, 2), (2, 'c', 1, 1)"};
	struct fixture f;
	struct found x;
	int64_t at = 0;

	make_tables(&f, 1, 1);
	step(&f, 0, &at, 0, "StreamCopyBegin", "in", 10);
	step(&f, 1, &at, 0, "OnTileExecute", "w", 990);
	set_of(&f, 1, "w", "64000000");
	sql(&f, "INSERT INTO run VALUES(0, 'a', 0, 2)");
	sql(&f, "%s", changes[_i]);
	find(&x, &f);
	for (int i = 0; i < x.insights.count; i++) {
		const struct ts_finding *g = &x.insights.finding[i];

		ck_assert(g->value >= 0 && g->value < 1e19);
		ck_assert(g->saving == TS_UNKNOWN || g->saving >= 0);
	}
	done(&x, &f);
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("insights_execution");
	TCase *t = tcase_create("all");
	SRunner *runner = srunner_create(s);
	int failed;

	tcase_set_timeout(t, 60);
	tcase_add_loop_test(t, random_reports, 0, sample_of(SEEDS));
	tcase_add_loop_test(t, each_rule, 0, (int)TS_COUNT(cases));
	tcase_add_test(t, shares_say_of_what);
	tcase_add_loop_test(t, stages, 0, (int)TS_COUNT(pipelines));
	tcase_add_test(t, artefact);
	tcase_add_test(t, artefact_without_runs);
	tcase_add_loop_test(t, not_recorded, 0, (int)TS_COUNT(lacking));
	tcase_add_loop_test(t, marks, 0, 3);
	tcase_add_loop_test(t, hostile, 0, 11);
	suite_add_tcase(s, t);
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? 1 : 0;
}
