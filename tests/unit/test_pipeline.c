/* SPDX-License-Identifier: MIT */
/* test_pipeline - stages and passes of random small traces, and what they work on, against what is counted cycle by cycle. */
#include "config.h"

#include <check.h>
#include <math.h>

#include "tilescope/base/mem.h"
#include "tilescope/report/pipeline.h"
#include "tilescope/report/stage_costs.h"

#include "depth.h"
#include "made_report.h"

enum { SEEDS = 50, IPUS = 3, STEPS = 40, END = 2000, PASSES = 200, NONE = -1 };

struct part {
	bool there;
	int start, end, in, out; /* NONE: not recorded */
	int balance;		 /* quarters; NONE */
};

static const char *const types[] = {"OnTileExecute", "OnTileExecute", "DoExchange",
	"GlobalExchange", "Sync", "StreamCopyBegin", "StreamCopyMid", "WriteUndef"};
static const enum ts_step_class classes[] = {TS_CLASS_COMPUTE, TS_CLASS_COMPUTE, TS_CLASS_EXCHANGE,
	TS_CLASS_GLOBAL_EXCHANGE, TS_CLASS_SYNC, TS_CLASS_HOST_WAIT, TS_CLASS_HOST_COPY,
	TS_CLASS_CONTROL};

/* The first that runs has the cycle. */
static const enum ts_step_class priority[] = {TS_CLASS_COMPUTE, TS_CLASS_EXCHANGE,
	TS_CLASS_GLOBAL_EXCHANGE, TS_CLASS_HOST_COPY, TS_CLASS_HOST_END, TS_CLASS_HOST_WAIT,
	TS_CLASS_EXTERNAL_SYNC, TS_CLASS_SYNC, TS_CLASS_CONTROL, TS_CLASS_ASYNC_SYNC};

static struct fixture f;
static struct part part[STEPS][IPUS];
static int type[STEPS], stage_of_step[STEPS], runs, run_first[3];

struct expected {
	int ipu, from, to, stage;
};

static struct expected expected[PASSES];
static int expected_count;

static void
setup(void)
{
	make_store(&f, 1);
	sql(&f,
		"CREATE TABLE run(run INTEGER, name TEXT, first_step INTEGER, step_count INTEGER);"
		"CREATE TABLE program(program INTEGER PRIMARY KEY, type TEXT, name TEXT);"
		"CREATE TABLE step(step INTEGER PRIMARY KEY, run INTEGER, type TEXT, program INTEGER, "
		"name TEXT, compute_set INTEGER);"
		"CREATE TABLE step_ipu(step INTEGER, ipu INTEGER, cycles INTEGER, start INTEGER, "
		"end INTEGER, data_in INTEGER, data_out INTEGER, tile_balance REAL)");
}

static void
teardown(void)
{
	end(&f);
}

/* Bytes as SQL. */
static const char *
bytes(char out[16], int v)
{
	if (v == NONE)
		return "NULL";
	snprintf(out, 16, "%d", v);
	return out;
}

static void
make_part(int step, int ipu, int *now)
{
	struct part *p = &part[step][ipu];
	char in[16], out[16], balance[16];

	*p = (struct part){.there = rnd(&f, 8) != 0, .in = NONE, .out = NONE, .balance = NONE};
	if (!p->there)
		return;
	p->start = *now + (int)rnd(&f, 4);
	p->end = p->start + (int)rnd(&f, 20);
	/* the next one begins before this one ends, now and then */
	*now = p->end > p->start && rnd(&f, 6) == 0 ? p->end - 1 : p->end;
	if (rnd(&f, 5)) {
		p->in = (int)rnd(&f, 900);
		p->out = (int)rnd(&f, 900);
	}
	if (rnd(&f, 3))
		p->balance = (int)rnd(&f, 5);
	sql(&f, "INSERT INTO step_ipu VALUES(%d, %d, %d, %d, %d, %s, %s, %s / 4.0)", step, ipu,
		p->end - p->start, p->start, p->end, bytes(in, p->in), bytes(out, p->out),
		bytes(balance, p->balance));
}

/* Every other step of a stage executes the compute set of that number. */
static int
set_of(int step)
{
	return step % 2 ? stage_of_step[step] < 0 ? NONE : stage_of_step[step] : NONE;
}

static void
make_trace(unsigned seed)
{
	int now[IPUS] = {0};
	char set[16];

	f.seed = seed;
	runs = 1 + (int)rnd(&f, 2);
	run_first[0] = 0;
	run_first[1] = runs > 1 ? 10 + (int)rnd(&f, 20) : STEPS;
	run_first[2] = STEPS;
	for (int r = 0; r < runs; r++)
		sql(&f, "INSERT INTO run VALUES(%d, 'run', %d, %d)", r, run_first[r],
			run_first[r + 1] - run_first[r]);
	for (int s = 0; s < STEPS; s++) {
		type[s] = (int)rnd(&f, TS_COUNT(types));
		stage_of_step[s] = (int)rnd(&f, 5) - 2; /* below 0: none */
		sql(&f, "INSERT INTO step VALUES(%d, %d, '%s', %d, NULL, %s)", s, s >= run_first[1],
			types[type[s]], s, bytes(set, set_of(s)));
		sql(&f, "INSERT INTO program VALUES(%d, '%s', '%s%d%s')", s, types[type[s]],
			stage_of_step[s] < 0 ? "other" : "net/stage",
			stage_of_step[s] < 0 ? s : stage_of_step[s], s % 3 ? "" : "/ExchangePre");
		if (s == run_first[1]) /* runs do not overlap */
			for (int i = 0; i < IPUS; i++)
				for (int k = 0; k < IPUS; k++)
					now[i] = now[k] > now[i] ? now[k] : now[i];
		for (int i = 0; i < IPUS; i++)
			make_part(s, i, &now[i]);
	}
}

/* --- what should be found --------------------------------------------------------------------------- */

static void
expect_pass(int ipu, int from, int to, int stage)
{
	if (to <= from)
		return;
	ck_assert_int_lt(expected_count, PASSES);
	expected[expected_count++] = (struct expected){ipu, from, to, stage};
}

static bool
ends_phase(int step, int limit)
{
	int sum = 0;
	bool known = false;

	if (classes[type[step]] != TS_CLASS_GLOBAL_EXCHANGE)
		return false;
	for (int i = 0; i < IPUS; i++)
		if (part[step][i].there && part[step][i].in != NONE) {
			known = true;
			sum += part[step][i].in > part[step][i].out ? part[step][i].in
								    : part[step][i].out;
		}
	return known && sum > limit;
}

static int
first_start(int run)
{
	int least = END;

	for (int i = 0; i < IPUS; i++)
		for (int s = run_first[run]; s < run_first[run + 1]; s++)
			if (part[s][i].there && part[s][i].start < least)
				least = part[s][i].start;
	return least;
}

static void
expect_by_exchange(const struct ts_trace *t, int limit)
{
	int from[IPUS] = {0}, last;

	expected_count = 0;
	for (int r = 0; r < runs; r++) {
		bool any = false;

		for (int i = 0; i < IPUS; i++)
			from[i] = t->run[r].start > from[i] ? (int)t->run[r].start : from[i];
		for (int s = run_first[r]; s < run_first[r + 1]; s++) {
			if (!ends_phase(s, limit))
				continue;
			any = true;
			last = 0;
			for (int i = 0; i < IPUS; i++)
				last = part[s][i].there && part[s][i].end > last ? part[s][i].end
										 : last;
			for (int i = 0; i < IPUS; i++) {
				int to = part[s][i].there ? part[s][i].end : last;

				expect_pass(i, from[i], to, i);
				from[i] = to > from[i] ? to : from[i];
			}
		}
		for (int i = 0; any && i < IPUS; i++) {
			int to = (int)t->run[r].end;

			expect_pass(i, from[i], to, i);
			from[i] = to > from[i] ? to : from[i]; /* no cycle is in two passes */
		}
	}
}

static void
expect_by_name(void)
{
	expected_count = 0;
	for (int i = 0; i < IPUS; i++) {
		int stage = NONE, from = 0, last = 0, run = 0;

		for (int s = 0; s < STEPS; s++) {
			const struct part *p = &part[s][i];

			if (!p->there || p->end <= p->start)
				continue;
			if (stage != NONE && (s >= run_first[1]) != run) {
				expect_pass(i, from, last, stage);
				stage = NONE;
			}
			run = s >= run_first[1];
			if (stage_of_step[s] >= 0 && stage_of_step[s] != stage) {
				if (stage != NONE)
					expect_pass(i, from, p->start, stage);
				from = p->start;
				stage = stage_of_step[s];
			}
			last = p->end > last ? p->end : last;
		}
		if (stage != NONE)
			expect_pass(i, from, last, stage);
	}
}

/* --- against what is found -------------------------------------------------------------------------- */

/* Is it a cycle of the first wait for the host of the second run, on any IPU? */
static bool
is_artefact(int64_t c)
{
	int from = END, to = 0, s = run_first[1];

	while (runs > 1 && s < STEPS && classes[type[s]] != TS_CLASS_HOST_WAIT)
		s++;
	for (int i = 0; runs > 1 && s < STEPS && i < IPUS; i++)
		if (part[s][i].there) {
			from = part[s][i].start < from ? part[s][i].start : from;
			to = part[s][i].end > to ? part[s][i].end : to;
		}
	return c >= from && c < to;
}

/* Every cycle of a pass, to the first class that runs. */
static void
check_cycles(const struct ts_pipeline_pass *p, int64_t *left_out)
{
	int64_t by_class[TS_CLASS_COUNT] = {0}, idle = 0;

	for (int64_t c = p->from; c < p->to; c++) {
		bool runs_now[TS_CLASS_COUNT] = {false};
		size_t k = 0;

		if (is_artefact(c)) {
			++*left_out;
			continue;
		}
		for (int s = 0; s < STEPS; s++)
			if (part[s][p->ipu].there && c >= part[s][p->ipu].start &&
				c < part[s][p->ipu].end)
				runs_now[classes[type[s]]] = true;
		while (k < TS_COUNT(priority) && !runs_now[priority[k]])
			k++;
		if (k == TS_COUNT(priority))
			idle++;
		else
			by_class[priority[k]]++;
	}
	for (int k = 0; k < TS_CLASS_COUNT; k++)
		ck_assert_int_eq(p->by_class[k], by_class[k]);
	ck_assert_int_eq(p->idle, idle);
}

/* The number of the stage in the names "0", "1", ...; by exchange its IPU. */
static int
number_of(const struct ts_pipeline *p, int stage)
{
	size_t n;
	const char *name = ts_pipeline_stage_name(&n, p, stage);

	if (!name)
		return (int)p->stage[stage].ipu;
	ck_assert_uint_eq(n, 1);
	return name[0] - '0';
}

static void
check_stage(const struct ts_pipeline *p, int stage)
{
	const struct ts_pipeline_stage *s = &p->stage[stage];
	int64_t work = 0, span = 0, idle = 0, passes = 0, most = 0, left_out;

	for (int64_t i = s->first; i < s->first + s->count; i++) {
		const struct ts_pipeline_pass *pass = ts_pipeline_pass_at(p, (size_t)i);
		int64_t w = pass->by_class[TS_CLASS_COMPUTE] + pass->by_class[TS_CLASS_EXCHANGE] +
			pass->by_class[TS_CLASS_GLOBAL_EXCHANGE];
		bool found = false;

		ck_assert_int_eq(pass->stage, stage);
		for (int k = 0; k < expected_count; k++)
			found |= expected[k].ipu == pass->ipu && expected[k].from == pass->from &&
				expected[k].to == pass->to &&
				expected[k].stage == number_of(p, stage);
		ck_assert_msg(found, "pass of ipu %d, %d-%d", (int)pass->ipu, (int)pass->from,
			(int)pass->to);
		left_out = 0;
		check_cycles(pass, &left_out);
		ck_assert_int_eq(pass->left_out, left_out);
		work += w;
		passes += w > 0;
		most = w > most ? w : most;
		span += pass->to - pass->from - left_out;
		idle += pass->idle;
	}
	ck_assert_int_eq(ts_pipeline_work(s->by_class), work);
	ck_assert_int_eq(s->passes, passes);
	ck_assert_int_eq(s->most_work, most);
	ck_assert_int_eq(s->span, span);
	ck_assert_int_eq(s->idle, idle);
	if (passes > 0)
		ck_assert_double_eq_tol(ts_pipeline_mean_work(s), (double)work / (double)passes,
			1e-9);
}

/* Slowest, fastest, and what a move would give: by trying every small part of the work. */
static void
check_advice(const struct ts_pipeline *p)
{
	double most = 0, least = 1e300, best = 1e300, at = 0, sum = 0, second = 0, slow, fast;
	int regular = 0;

	for (int i = 0; i < p->stages; i++) {
		double mean = ts_pipeline_mean_work(&p->stage[i]);

		if (!p->stage[i].regular)
			continue;
		regular++;
		sum += mean;
		most = mean > most ? mean : most;
		least = mean < least ? mean : least;
	}
	if (regular < 2) {
		ck_assert_int_eq(p->slowest, -1);
		return;
	}
	slow = ts_pipeline_mean_work(&p->stage[p->slowest]);
	fast = ts_pipeline_mean_work(&p->stage[p->fastest]);
	ck_assert_double_eq_tol(slow, most, 1e-9);
	ck_assert_double_eq_tol(fast, least, 1e-9);
	ck_assert_double_eq_tol(p->slow_factor, most / (sum / regular), 1e-9);
	for (int k = 0; k <= 1000; k++) {
		double moved = slow * k / 1000, leader = 0;

		for (int i = 0; i < p->stages; i++) {
			double mean = ts_pipeline_mean_work(&p->stage[i]);

			mean += i == p->slowest ? -moved : i == p->fastest ? moved : 0;
			if (p->stage[i].regular && mean > leader)
				leader = mean;
		}
		if (leader < best - 1e-9) {
			best = leader;
			at = k / 1000.0;
		}
	}
	for (int i = 0; i < p->stages; i++)
		if (p->stage[i].regular && i != p->slowest)
			second = fmax(second, ts_pipeline_mean_work(&p->stage[i]));
	ck_assert_double_eq_tol(p->second, second, 1e-9);
	ck_assert_double_eq_tol(p->move, at, 0.0011);
	ck_assert_double_eq_tol(p->saves,
		(slow - best) /
			((double)p->stage[p->slowest].span / (double)p->stage[p->slowest].count),
		0.01);
}

static void
check_pipeline(const struct ts_pipeline *p)
{
	int64_t start = -1;

	ck_assert_int_eq((int)p->passes, expected_count);
	for (int i = 0; i < p->stages; i++) {
		int64_t begins = END;

		check_stage(p, i);
		for (int64_t k = p->stage[i].first; k < p->stage[i].first + p->stage[i].count;
			k++) {
			const struct ts_pipeline_pass *pass = ts_pipeline_pass_at(p, (size_t)k);

			if (ts_pipeline_work(pass->by_class) > 0 && pass->from < begins)
				begins = pass->from;
		}
		ck_assert_int_ge(begins, start);
		start = begins;
	}
	check_advice(p);
}

/* --- what a stage works on --------------------------------------------------------------------------- */

/* Cycles of a part in the passes of a stage. */
static int64_t
cycles_in(const struct ts_pipeline *p, int stage, int step, int ipu)
{
	const struct ts_pipeline_stage *s = &p->stage[stage];
	int64_t n = 0;

	for (int c = part[step][ipu].start; part[step][ipu].there && c < part[step][ipu].end; c++)
		for (int64_t i = s->first; i < s->first + s->count; i++) {
			const struct ts_pipeline_pass *pass = ts_pipeline_pass_at(p, (size_t)i);

			n += pass->ipu == ipu && c >= pass->from && c < pass->to && !is_artefact(c);
		}
	return n;
}

struct sum {
	int64_t cycles, balanced, steps;
	double mean;
	int first;
};

/* Of all steps of a set (a program: set NONE, and its number). */
static struct sum
sum_of(const struct ts_pipeline *p, int stage, int set, int program)
{
	struct sum sum = {.first = NONE};

	for (int s = 0; s < STEPS; s++)
		for (int i = 0; i < IPUS; i++) {
			int64_t n = set_of(s) == set && (set != NONE || s == program) &&
					classes[type[s]] <= TS_CLASS_GLOBAL_EXCHANGE
				? cycles_in(p, stage, s, i)
				: 0;

			if (n == 0)
				continue;
			sum.first = sum.first == NONE ? s : sum.first;
			sum.steps++;
			sum.cycles += n;
			if (part[s][i].balance == NONE)
				continue;
			sum.balanced += n;
			sum.mean += floor((double)(n * part[s][i].balance) / 4 + 0.5);
		}
	return sum;
}

static int64_t
sum_of_all(const struct ts_pipeline *p, int stage, int *executed)
{
	int64_t all = 0;

	*executed = 0;
	for (int s = 0; s < STEPS; s++) {
		int set = s < 3 ? s : NONE;
		int64_t n = sum_of(p, stage, set, NONE).cycles;

		*executed += s < 3 && n > 0;
		all += s < 3 ? n : 0;
		n = set_of(s) == NONE ? sum_of(p, stage, NONE, s).cycles : 0;
		*executed += n > 0;
		all += n;
	}
	return all;
}

static void
check_costs(const struct ts_pipeline *p, int stage, const struct ts_stage_costs *c, bool steps)
{
	int executed;

	ck_assert_int_eq(c->cycles, sum_of_all(p, stage, &executed));
	ck_assert_int_eq((int)c->count, executed);
	for (size_t i = 0; i < c->count; i++) {
		const struct ts_stage_cost *cost = ts_stage_cost_at(c, i);
		struct sum sum = sum_of(p, stage, (int)cost->compute_set, (int)cost->program);

		ck_assert_int_eq(cost->cycles, sum.cycles);
		ck_assert_int_eq(cost->first_step, sum.first);
		ck_assert_int_eq(cost->balanced, sum.balanced);
		ck_assert(i == 0 || cost->cycles <= ts_stage_cost_at(c, i - 1)->cycles);
		ck_assert_double_eq_tol(ts_stage_cost_share(c, i),
			(double)sum.cycles / (double)c->cycles, 1e-9);
		if (!steps)
			continue;
		ck_assert_int_eq(cost->steps, sum.steps);
		ck_assert_int_eq(cost->mean, (int64_t)sum.mean);
		ck_assert_double_eq_tol(ts_stage_cost_a_pass(c, i),
			(double)sum.cycles / (double)p->stage[stage].passes, 1e-9);
	}
}

/* Operations are "net" and the programs of no stage; kinds "net" and "other*". */
static void
check_groups(const struct ts_stage_costs *c)
{
	int64_t net = 0, other = 0, others = 0, members = 0;
	struct ts_stage_costs g;
	struct ts_err err = {0};

	for (size_t i = 0; i < c->count; i++) {
		size_t n;
		bool is_net = strncmp(ts_stage_cost_name(&n, c, i), "net/", 4) == 0;

		net += is_net ? ts_stage_cost_at(c, i)->cycles : 0;
		other += is_net ? 0 : ts_stage_cost_at(c, i)->cycles;
		others += !is_net;
	}
	for (enum ts_stage_by by = 0; by < TS_STAGE_BY_EXECUTED; by++) {
		int64_t sum = 0;

		ck_assert_int_eq(ts_stage_costs_group(&g, c, by, NULL, NULL, &err), TS_OK);
		ck_assert_int_eq((int64_t)g.count,
			(net > 0) + (by == TS_STAGE_BY_KIND ? other > 0 : others));
		members = 0;
		for (size_t i = 0; i < g.count; i++) {
			size_t n;
			const char *name = ts_stage_cost_name(&n, &g, i);

			if (n == 3 && memcmp(name, "net", n) == 0)
				ck_assert_int_eq(ts_stage_cost_at(&g, i)->cycles, net);
			else if (by == TS_STAGE_BY_KIND)
				ck_assert(n == 6 && memcmp(name, "other*", n) == 0);
			sum += ts_stage_cost_at(&g, i)->cycles;
			members += ts_stage_cost_at(&g, i)->members;
		}
		ck_assert_int_eq(sum, c->cycles);
		ck_assert_int_eq(members, (int64_t)c->count);
		ts_stage_costs_fini(&g);
	}
}

/* All of it; then the same from a sample of every cycle, and some of it from a small one. */
static void
check_work(const struct ts_pipeline *p, const struct ts_trace *t)
{
	static const struct ts_stage_sample samples[] = {{1000, 1, 1000, 1},
		{1, 1, 1 << 30, 1 << 20}, {1, 1, 1 << 30, 5}};
	struct ts_err err = {0};

	for (int i = 0; i < p->stages; i++)
		for (size_t k = 0; k < TS_COUNT(samples); k++) {
			struct ts_stage_costs c;
			int executed;

			ck_assert_msg(ts_stage_costs_read(&c, f.reader, t, p, i, samples[k], NULL,
					      NULL, &err) == TS_OK,
				"%s", err.msg);
			ck_assert_int_eq(c.sampled, k > 0);
			ck_assert_int_eq(c.work, ts_pipeline_work(p->stage[i].by_class));
			if (k < 2)
				check_costs(p, i, &c, k == 0);
			else
				ck_assert_int_le(c.cycles, sum_of_all(p, i, &executed));
			if (k == 0)
				check_groups(&c);
			ts_stage_costs_fini(&c);
		}
}

static enum ts_code
find_pipeline(struct ts_pipeline **p, struct ts_trace **t, const char *pattern, struct ts_err *err)
{
	struct ts_pipeline_options o = {.least_bytes = TS_PIPELINE_BYTES};
	struct ts_pattern *stages = NULL;
	enum ts_code code;

	ck_assert_int_eq(ts_trace_open(t, f.reader, NULL, err), TS_OK);
	if (pattern)
		ck_assert_int_eq(ts_pattern_compile(&stages, pattern, 0, NULL, err), TS_OK);
	o.stages = stages;
	code = ts_pipeline_read(p, f.reader, *t, &o, NULL, NULL, err);
	ts_pattern_free(stages);
	return code;
}

START_TEST(test_by_exchange)
{
	struct ts_pipeline *p;
	struct ts_trace *t;
	struct ts_err err = {0};
	enum ts_code code;

	make_trace((unsigned)_i + 1);
	open_report(&f);
	code = find_pipeline(&p, &t, NULL, &err);
	for (int r = 0; r < runs; r++)
		ck_assert_int_ge(t->run[r].start, first_start(r));
	expect_by_exchange(t, TS_PIPELINE_BYTES);
	if (expected_count == 0) {
		ck_assert_int_eq(code, TS_E_ABSENT);
	} else {
		ck_assert_msg(code == TS_OK, "%s", err.msg);
		check_pipeline(p);
		check_work(p, t);
	}
	ts_pipeline_close(p);
	ts_trace_release(t);
}
END_TEST

START_TEST(test_by_name)
{
	struct ts_pipeline *p;
	struct ts_trace *t;
	struct ts_err err = {0};

	make_trace((unsigned)_i + 1);
	open_report(&f);
	ck_assert_msg(find_pipeline(&p, &t, "stage(\\d+)", &err) == TS_OK, "%s", err.msg);
	expect_by_name();
	check_pipeline(p);
	check_work(p, t);
	ts_pipeline_close(p);
	ts_trace_release(t);
}
END_TEST

/* Two stages, the second one twice as slow: who is slow, and what moving a quarter of it gives. */
START_TEST(test_known_pipeline)
{
	struct ts_pipeline *p;
	struct ts_trace *t;
	struct ts_err err = {0};

	sql(&f, "INSERT INTO run VALUES(0, 'run', 0, 40)");
	for (int s = 0; s < 40; s += 2) {
		int at = s * 60; /* a phase takes 120 cycles */

		sql(&f, "INSERT INTO step VALUES(%d, 0, 'OnTileExecute', 0, 'work', NULL)", s);
		sql(&f, "INSERT INTO step VALUES(%d, 0, 'GlobalExchange', 0, 'over', NULL)", s + 1);
		sql(&f, "INSERT INTO step_ipu VALUES(%d, 0, 50, %d, %d, 0, 0, 0.5)", s, at,
			at + 50);
		sql(&f, "INSERT INTO step_ipu VALUES(%d, 1, 100, %d, %d, 0, 0, 0.5)", s, at,
			at + 100);
		for (int i = 0; i < 2; i++)
			sql(&f, "INSERT INTO step_ipu VALUES(%d, %d, 20, %d, %d, 1025, 0, NULL)",
				s + 1, i, at + 100, at + 120);
	}
	open_report(&f);
	ck_assert_msg(find_pipeline(&p, &t, NULL, &err) == TS_OK, "%s", err.msg);
	ck_assert_int_eq(p->stages, 2);
	ck_assert_int_eq(p->phases, 20);
	ck_assert_int_eq(p->slowest, 1);
	ck_assert_int_eq(p->fastest, 0);
	ck_assert_double_eq_tol(ts_pipeline_mean_work(&p->stage[0]), 70, 1e-9);
	ck_assert_double_eq_tol(ts_pipeline_mean_work(&p->stage[1]), 120, 1e-9);
	ck_assert_double_eq_tol(p->slow_factor, 120 / 95.0, 1e-9);
	ck_assert_double_eq_tol(p->bubble, 50 / 240.0, 1e-9);
	ck_assert_double_eq_tol(p->move, 25 / 120.0, 1e-9);
	ck_assert_double_eq_tol(p->saves, 25 / 120.0, 1e-9);
	ck_assert_double_eq_tol(p->second, 70, 1e-9);
	ck_assert_double_eq_tol(p->at_once, 190 / 120.0, 1e-9);
	ts_pipeline_close(p);
	ts_trace_release(t);
}
END_TEST

enum { ALIKE = 200, PASS_STEPS = 40, FIRST_STEPS = 8, STEP_CYCLES = 10, PASS_CYCLES = 500 };

/* Passes by name with room between them, the first steps of each something else than the others. */
static void
fill_passes(int steps_nowhere)
{
	sql(&f, "INSERT INTO run VALUES(0, 'run', 0, %d)", ALIKE * (PASS_STEPS + 1));
	for (int step = 0; step < ALIKE * (PASS_STEPS + 1); step++) {
		int pass = step / (PASS_STEPS + 1), k = step % (PASS_STEPS + 1);
		int at = pass * PASS_CYCLES + k * STEP_CYCLES;

		if (steps_nowhere == 0 || step % steps_nowhere)
			sql(&f, "INSERT INTO step VALUES(%d, 0, 'OnTileExecute', NULL, '%s', NULL)",
				step,
				k == PASS_STEPS		  ? "stage1/apart"
					: k < FIRST_STEPS ? "stage0/first"
							  : "stage0/then");
		sql(&f, "INSERT INTO step_ipu VALUES(%d, 0, %d, %d, %d, 0, 0, 0.5)", step,
			STEP_CYCLES, at, at + STEP_CYCLES);
	}
}

/* What of a sample is the first steps' is what it is of all, within what few places give; every place is read, also of few rows. */
START_TEST(test_sample_is_of_all)
{
	static const struct ts_stage_sample samples[] = {{1, 3000, 1 << 20, 64},
		{1, 3000, 1 << 20, 200}, {1, 3000, 1 << 23, 1024}, {1, 800, 64 * 2300, 64}};
	static const double within[] = {0.015, 0.006, 0.006, 1};
	struct ts_pipeline *p;
	struct ts_trace *t;
	struct ts_err err = {0};

	fill_passes(_i ? 97 : 0);
	open_report(&f);
	ck_assert_msg(find_pipeline(&p, &t, "stage(\\d+)", &err) == TS_OK, "%s", err.msg);
	ck_assert_int_eq(p->stages, 2);
	for (size_t i = 0; i < TS_COUNT(samples); i++) {
		struct ts_stage_costs c;

		ck_assert_int_eq(ts_stage_costs_read(&c, f.reader, t, p, 0, samples[i], NULL, NULL,
					 &err),
			TS_OK);
		ck_assert(c.sampled);
		ck_assert_int_eq(c.places, samples[i].places);
		ck_assert_int_le(c.rows, samples[i].most);
		for (size_t k = 0; k < c.count; k++) {
			size_t n;
			const char *name = ts_stage_cost_name(&n, &c, k);

			if (name && n == strlen("stage0/first") &&
				memcmp(name, "stage0/first", n) == 0)
				ck_assert_double_eq_tol(ts_stage_cost_share(&c, k),
					(double)FIRST_STEPS / PASS_STEPS, within[i]);
		}
		ck_assert_uint_ge(c.count, 2);
		ts_stage_costs_fini(&c);
	}
	ts_pipeline_close(p);
	ts_trace_release(t);
}
END_TEST

START_TEST(test_absent_says_so)
{
	struct ts_pipeline *p;
	struct ts_trace *t;
	struct ts_err err = {0};

	sql(&f,
		"INSERT INTO step VALUES(0, 0, 'OnTileExecute', 0, 'work', NULL);"
		"INSERT INTO step_ipu VALUES(0, 0, 50, 0, 50, 0, 0, NULL)");
	open_report(&f);
	ck_assert_int_eq(find_pipeline(&p, &t, NULL, &err), TS_E_ABSENT);
	ck_assert_ptr_nonnull(strstr(err.msg, "one IPU"));
	ts_trace_release(t);
	ck_assert_int_eq(find_pipeline(&p, &t, "nothing(\\d)", &err), TS_E_ABSENT);
	ck_assert_ptr_nonnull(strstr(err.msg, "nothing"));
	ck_assert_ptr_null(p);
	ts_trace_release(t);
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("pipeline");
	TCase *t = tcase_create("pipeline");
	SRunner *r = srunner_create(s);
	int failed;

	suite_add_tcase(s, t);
	tcase_add_checked_fixture(t, setup, teardown);
	tcase_set_timeout(t, 60);
	tcase_add_loop_test(t, test_by_exchange, 0, sample_of(SEEDS));
	tcase_add_loop_test(t, test_by_name, 0, sample_of(SEEDS));
	tcase_add_test(t, test_known_pipeline);
	tcase_add_loop_test(t, test_sample_is_of_all, 0, sample_of(2));
	tcase_add_test(t, test_absent_says_so);
	srunner_run_all(r, CK_NORMAL);
	failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
