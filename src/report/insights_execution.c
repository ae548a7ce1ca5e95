/* SPDX-License-Identifier: MIT */
/*
 * insights_execution - measures of the execution: what the host, exchanges, idle tiles and stages cost.
 *
 * Each says how far its cycles can be believed (report/honesty.h) behind its figures. A saving is cycles of the runs on
 * one IPU, at most: what it waits for elsewhere may take their place.
 */
#include "config.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "tilescope/base/mem.h"
#include "tilescope/report/pipeline.h"

#include "insights_internal.h"

/* The facts, where they have that part; else `evidence` says why not. */
static const struct ts_execution_facts *
facts_of(struct ts_finding *f, const struct measure *m, unsigned part)
{
	const struct ts_execution_facts *x = m->execution;

	if (!x)
		snprintf(f->evidence, sizeof(f->evidence), "the execution is not read yet");
	else if (!(x->has & part))
		snprintf(f->evidence, sizeof(f->evidence), "%s", ts_execution_why(x, part));
	return x && x->has & part ? x : NULL;
}

static void
add(struct ts_finding *f, const char *what)
{
	size_t at = strlen(f->evidence);

	snprintf(f->evidence + at, sizeof(f->evidence) - at, "%s", what);
}

static void
add_mark(struct ts_finding *f, enum ts_mark mark)
{
	add(f, "; ");
	add(f, mark == TS_MARK_UNKNOWN ? "whether measured is not recorded" : ts_mark_note(mark));
}

static void
save_cycles(struct ts_finding *f, int64_t cycles)
{
	f->saving = cycles;
	f->saving_of = TS_SAVING_CYCLES;
}

static const char *
span_word(int runs)
{
	return runs == 0 ? "the trace" : runs == 1 ? "the run" : "the runs";
}

/* "12.3% of the cycles of the runs on IPU 2: 1,234 of 10,000 " and what. */
static void
say_class(struct ts_finding *f, const struct ts_execution_facts *x, const struct ts_class_fact *c,
	int64_t cycles, const char *what, enum ts_step_class k)
{
	char share[TS_FMT_MAX], n[TS_FMT_MAX], of[TS_FMT_MAX];

	f->value = (double)cycles / (double)x->span;
	snprintf(f->evidence, sizeof(f->evidence),
		"%s of the cycles of %s on IPU %" PRId64 ": %s of %s %s",
		ts_fmt_percent(share, (double)cycles, (double)x->span), span_word(x->runs), c->ipu,
		ts_fmt_count(n, cycles), ts_fmt_count(of, x->span), what);
	add_mark(f, ts_honesty_step(&x->honest, TS_UNKNOWN, k));
	snprintf(f->place, sizeof(f->place), "trace?ipu=%" PRId64, c->ipu);
}

/* Without runs nobody knows which wait is the first of the second one. */
static const char *
wait_words(const struct ts_execution_facts *x)
{
	if (!x->wait_apart)
		return x->honest.artefact == TS_UNKNOWN
			? "wait for the host; the profiler's own wait may be in it: runs are not recorded"
			: "wait for the host; the profiler's own wait is in it: its cycles are not known";
	return x->artefact_cycles == TS_UNKNOWN
		? "wait for the host"
		: "wait for the host, the profiler's own wait left out";
}

/* What may be the profiler's own work is not said to be saved. */
bool
measure_host_wait(struct ts_finding *f, const struct measure *m)
{
	const struct ts_execution_facts *x = facts_of(f, m, TS_EXECUTION_TIME);

	if (!x)
		return false;
	say_class(f, x, &x->wait, x->wait.cycles, wait_words(x), TS_CLASS_HOST_WAIT);
	if (x->wait_apart)
		save_cycles(f, x->wait.bare);
	return true;
}

bool
measure_host_copy(struct ts_finding *f, const struct measure *m)
{
	const struct ts_execution_facts *x = facts_of(f, m, TS_EXECUTION_TIME);

	if (!x)
		return false;
	say_class(f, x, &x->copy, x->copy.bare, "copy to or from the host while nothing computes",
		TS_CLASS_HOST_COPY);
	save_cycles(f, x->copy.bare);
	return true;
}

bool
measure_exchange(struct ts_finding *f, const struct measure *m)
{
	const struct ts_execution_facts *x = facts_of(f, m, TS_EXECUTION_TIME);

	if (!x)
		return false;
	say_class(f, x, &x->exchange, x->exchange.cycles, "exchange between tiles",
		TS_CLASS_EXCHANGE);
	return true;
}

/* A program on one IPU has nobody to exchange with, unless it has replicas. */
bool
measure_global_alone(struct ts_finding *f, const struct measure *m)
{
	const struct ts_execution_facts *x = facts_of(f, m, TS_EXECUTION_TIME);
	char n[TS_FMT_MAX];

	if (!x)
		return false;
	if (x->ipus > 1 || x->honest.replicas > 1) {
		snprintf(f->evidence, sizeof(f->evidence),
			"%s %s, which exchange with each other: not looked at",
			ts_fmt_count(n, x->ipus > 1 ? x->ipus : x->honest.replicas),
			x->ipus > 1 ? "IPUs run the program" : "replicas run");
		return true;
	}
	say_class(f, x, &x->global, x->global.cycles, "global exchange of a program on one IPU",
		TS_CLASS_GLOBAL_EXCHANGE);
	save_cycles(f, x->global.bare);
	return true;
}

/* --- tiles that wait ---------------------------------------------------------------------------------- */

static const char *
set_name(const struct ts_set_fact *s)
{
	return s->name[0] ? s->name : "a compute set without a name";
}

static void
place_of_step(struct ts_finding *f, int64_t ipu, int64_t step)
{
	if (step != TS_UNKNOWN)
		snprintf(f->place, sizeof(f->place), "trace?ipu=%" PRId64 "&step=%" PRId64, ipu,
			step);
	else
		snprintf(f->place, sizeof(f->place), "trace?ipu=%" PRId64, ipu);
}

static void
place_of_set(struct ts_finding *f, const struct ts_set_fact *s)
{
	place_of_step(f, s->ipu, s->step);
	snprintf(f->place + strlen(f->place), sizeof(f->place) - strlen(f->place), "&tab=lost");
}

/* Of compute sets that take TS_FACT_LARGE of the runs; false: there is none, `value` and `evidence` say so. */
static bool
has_large(struct ts_finding *f, const struct ts_execution_facts *x)
{
	f->value = 1;
	if (x->large == 0)
		snprintf(f->evidence, sizeof(f->evidence),
			"no compute set takes 1%% of the cycles of %s", span_word(x->loss_runs));
	return x->large > 0;
}

bool
measure_balance(struct ts_finding *f, const struct measure *m)
{
	const struct ts_execution_facts *x = facts_of(f, m, TS_EXECUTION_LOSS);
	const struct ts_set_fact *s = x ? &x->uneven : NULL;
	char share[TS_FMT_MAX], part[TS_FMT_MAX];

	if (!x)
		return false;
	if (!has_large(f, x))
		return true;
	f->value = s->balance;
	save_cycles(f, s->saves);
	snprintf(f->evidence, sizeof(f->evidence),
		"%s: mean over slowest of the tiles of IPU %" PRId64 " in %s, %s of %s",
		ts_fmt_percent(share, s->balance, 1), s->ipu, set_name(s),
		ts_fmt_percent(part, s->share, 1), span_word(x->loss_runs));
	add_mark(f, s->estimated ? TS_MARK_ESTIMATED : x->loss_mark);
	place_of_set(f, s);
	return true;
}

bool
measure_active(struct ts_finding *f, const struct measure *m)
{
	const struct ts_execution_facts *x = facts_of(f, m, TS_EXECUTION_LOSS);
	const struct ts_set_fact *s = x ? &x->idle : NULL;
	char share[TS_FMT_MAX], part[TS_FMT_MAX], n[TS_FMT_MAX], of[TS_FMT_MAX];

	if (!x)
		return false;
	if (!has_large(f, x))
		return true;
	f->value = (double)s->active / (double)s->tiles;
	save_cycles(f, s->saves);
	snprintf(f->evidence, sizeof(f->evidence),
		"%s: %s of %s tiles of IPU %" PRId64 " are active in %s, %s of %s",
		ts_fmt_percent(share, (double)s->active, (double)s->tiles),
		ts_fmt_count(n, s->active), ts_fmt_count(of, s->tiles), s->ipu, set_name(s),
		ts_fmt_percent(part, s->share, 1), span_word(x->loss_runs));
	add_mark(f, s->estimated ? TS_MARK_ESTIMATED : x->loss_mark);
	place_of_set(f, s);
	return true;
}

bool
measure_lost(struct ts_finding *f, const struct measure *m)
{
	const struct ts_execution_facts *x = facts_of(f, m, TS_EXECUTION_LOSS);
	char share[TS_FMT_MAX], line[TS_FACT_NAME + TS_FMT_MAX + 8];

	if (!x)
		return false;
	if (x->lost == 0) {
		snprintf(f->evidence, sizeof(f->evidence),
			"no tile waits for another one in a compute set that runs");
		return true;
	}
	f->value = x->lost_set[0].share;
	save_cycles(f, x->lost_set[0].saves);
	snprintf(f->evidence, sizeof(f->evidence), "even tiles would save");
	for (int i = 0; i < x->lost; i++) {
		snprintf(line, sizeof(line), "%s %s in %s", i ? "," : "",
			ts_fmt_percent(share, x->lost_set[i].share, 1), set_name(&x->lost_set[i]));
		add(f, line);
	}
	add(f, " of ");
	add(f, span_word(x->loss_runs));
	add_mark(f, x->loss_mark);
	place_of_set(f, &x->lost_set[0]);
	return true;
}

/* --- stages ------------------------------------------------------------------------------------------- */

static void
say_phases(struct ts_finding *f, const struct ts_execution_facts *x)
{
	if (x->named_by_exchange)
		add(f, " (any global exchange ends a phase: bytes are not recorded)");
	if (x->stages_of[0]) {
		add(f, " (named by ");
		add(f, x->stages_of);
		add(f, ")");
	}
	add_mark(f, ts_honesty_step(&x->honest, TS_UNKNOWN, TS_CLASS_COMPUTE));
	snprintf(f->place, sizeof(f->place), "trace?tab=pipeline");
}

bool
measure_slow_stage(struct ts_finding *f, const struct measure *m)
{
	const struct ts_execution_facts *x = facts_of(f, m, TS_EXECUTION_STAGES);
	char n[TS_FMT_MAX], line[TS_FMT_MAX + 48];

	if (!x)
		return false;
	if (x->slow_factor < 0)
		return measure_missing(f, "more than one stage with passes like the others is");
	f->value = x->slow_factor;
	if (x->saves > 0 && x->slowest_span > 0)
		save_cycles(f, ts_cycles_of(x->saves * (double)x->slowest_span));
	snprintf(f->evidence, sizeof(f->evidence),
		"%.2f times the mean: work of a pass of the slowest of %s stages, IPU %" PRId64,
		f->value, ts_fmt_count(n, x->stages), x->slowest_ipu);
	if (x->saves > 0) {
		snprintf(line, sizeof(line), "; moving work would make its pass %s shorter",
			ts_fmt_percent(n, x->saves, 1));
		add(f, line);
	}
	if (x->slow_name[0]) {
		snprintf(line, sizeof(line), "; most of it, %s%s, in ",
			ts_fmt_percent(n, x->slow_share, 1), x->slow_sampled ? " estimated" : "");
		add(f, line);
		add(f, x->slow_name);
	}
	if (x->slow_lost >= 0) {
		snprintf(line, sizeof(line), "; %s of it%s lost while tiles wait",
			ts_fmt_percent(n, x->slow_lost, 1), x->slow_sampled ? ", estimated," : "");
		add(f, line);
	}
	say_phases(f, x);
	return true;
}

bool
measure_bubble(struct ts_finding *f, const struct measure *m)
{
	const struct ts_execution_facts *x = facts_of(f, m, TS_EXECUTION_STAGES);
	char share[TS_FMT_MAX], n[TS_FMT_MAX];

	if (!x)
		return false;
	if (x->bubble < 0)
		return measure_missing(f, "stages with passes like each other are");
	f->value = x->bubble;
	snprintf(f->evidence, sizeof(f->evidence),
		"%s of the cycles of %s stages: sync, or nothing at all",
		ts_fmt_percent(share, x->bubble, 1), ts_fmt_count(n, x->stages));
	say_phases(f, x);
	return true;
}

/* --- the rest ----------------------------------------------------------------------------------------- */

bool
measure_rearrangement(struct ts_finding *f, const struct measure *m)
{
	const struct ts_execution_facts *x = facts_of(f, m, TS_EXECUTION_COSTS);
	char share[TS_FMT_MAX], n[TS_FMT_MAX];

	if (!x)
		return false;
	if (x->compute <= 0)
		return measure_missing(f, "cycles of compute steps are");
	f->value = (double)x->rearranged / (double)x->compute;
	snprintf(f->evidence, sizeof(f->evidence),
		"%s of the cycles of compute steps: %s program%s that copy or transpose",
		ts_fmt_percent(share, (double)x->rearranged, (double)x->compute),
		ts_fmt_count(n, x->rearrangers), x->rearrangers == 1 ? "" : "s");
	if (x->rearranged > 0) {
		add(f, "; most in ");
		add(f, x->rearrange_name);
		snprintf(f->place, sizeof(f->place), "trace");
		if (x->rearrange_step != TS_UNKNOWN)
			snprintf(f->place, sizeof(f->place), "trace?step=%" PRId64,
				x->rearrange_step);
	}
	add_mark(f, ts_honesty_step(&x->honest, TS_UNKNOWN, TS_CLASS_COMPUTE));
	return true;
}

bool
measure_artefact(struct ts_finding *f, const struct measure *m)
{
	const struct ts_execution_facts *x = facts_of(f, m, TS_EXECUTION_TIME);
	char n[TS_FMT_MAX], step[TS_FMT_MAX], share[TS_FMT_MAX];
	double whole;

	if (!x)
		return false;
	if (!x->wait_apart && x->honest.artefact == TS_UNKNOWN)
		return measure_missing(f, "which wait is the first of the second run is");
	if (x->honest.artefact == TS_UNKNOWN) {
		snprintf(f->evidence, sizeof(f->evidence),
			"no step of a second run begins with a wait for the host");
		return true;
	}
	if (x->artefact_cycles == TS_UNKNOWN)
		return measure_missing(f, "the cycles of the first wait of the second run are");
	whole = (double)x->span + (double)x->artefact_cycles;
	f->value = (double)x->artefact_cycles / whole;
	snprintf(f->evidence, sizeof(f->evidence),
		"step %s takes %s cycles, %s of %s: the first wait for the host of the second run",
		ts_fmt_count(step, x->honest.artefact), ts_fmt_count(n, x->artefact_cycles),
		ts_fmt_percent(share, f->value, 1), span_word(x->runs));
	snprintf(f->place, sizeof(f->place), "trace?step=%" PRId64, x->honest.artefact);
	return true;
}
