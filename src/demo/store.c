/* SPDX-License-Identifier: MIT */
/*
 * store - the demo report as a store: every relation of the model, filled.
 *
 * Here: the report, its target and its execution; store_memory.c and store_program.c
 * have the rest.
 */
#include "config.h"

#include "internal.h"

#include <stdio.h>
#include <stdlib.h>

#include "tilescope/base/embedded.h"

/* ---- report and target ---- */

static void
pairs_write(struct demo_out *out, const char *table, const char *const (*rows)[2], size_t n)
{
	demo_begin(out, table, 2);
	for (size_t i = 0; i < n; i++) {
		demo_text(out, 0, rows[i][0]);
		demo_text(out, 1, rows[i][1]);
		if (!demo_row(out))
			break;
	}
	demo_end(out);
}

static void
report_write(struct demo_out *out)
{
	static const char *const report[][2] = {
		{"store_version", "1"},
		{"source", "store"},
		{"poplar_version", "3.1.0"},
		{"package_hash", "demo000000"},
		{"format_version", "3.1.0"},
		{"compute_instrumentation", "tile"},
		{"exchange_instrumentation", "tile"},
		{"created", "2023-01-16T09:30:00Z"},
		{"replicas", "1"},
	};
	static const char *const host[][2] = {
		{"command line", "tilescope demo (no program was run, no IPU was used)"},
		{"directory", "/home/demo/bert"},
		{"machine", "x86_64"},
		{"operating system", "Linux"},
		{"environment", "POPLAR_ENGINE_OPTIONS={\"autoReport.all\":\"true\"}"},
	};
	static const char *const option[][3] = {
		{"compilation", "autoReport.all", "true"},
		{"compilation", "autoReport.directory", "./profile"},
		{"compilation", "autoReport.outputGraphProfile", "true"},
		{"compilation", "autoReport.outputLoweredVars", "true"},
		{"compilation", "autoReport.outputDebugInfo", "true"},
		{"compilation", "autoReport.outputArchive", "false"},
		{"compilation", "debug.allowOutOfMemory", "true"},
		{"compilation", "debug.instrument", "true"},
		{"compilation", "debug.instrumentCompute", "true"},
		{"compilation", "debug.instrumentExternalExchange", "true"},
		{"compilation", "debug.instrumentControlFlow", "true"},
		{"compilation", "debug.computeInstrumentationLevel", "tile"},
		{"execution", "autoReport.outputExecutionProfile", "true"},
		{"execution", "autoReport.executionProfileProgramRunCount", "2"},
		{"execution", "profiler.replicaToProfile", "0"},
		{"execution", "profiler.blocks.filter", ".*"},
	};
	pairs_write(out, "report", report, TS_COUNT(report));
	pairs_write(out, "host", host, TS_COUNT(host));
	demo_begin(out, "engine_option", 3);
	for (size_t i = 0; i < TS_COUNT(option); i++) {
		for (int c = 0; c < 3; c++)
			demo_text(out, c, option[i][c]);
		demo_row(out);
	}
	demo_end(out);
}

static int64_t
variables_written(const struct demo_model *m)
{
	int64_t n = 0;
	for (int c = 1; c < DEMO_CATEGORIES; c++)
		n += m->category_bytes[c] > 0;
	for (int64_t v = 0; v < m->nvariables; v++)
		n += m->variable_bytes[v] > 0;
	return n;
}

static void
count_row(struct demo_out *out, const char *name, int64_t n)
{
	demo_text(out, 0, name);
	demo_int(out, 1, n);
	demo_row(out);
}

static void
target_write(struct demo_out *out, const struct demo_model *m)
{
	demo_begin(out, "target", 7);
	demo_text(out, 0, "IPU");
	demo_text(out, 1, m->target->architecture);
	demo_int(out, 2, m->ipus);
	demo_int(out, 3, 1);
	demo_int(out, 4, m->tiles);
	demo_int(out, 5, m->target->tile_bytes);
	demo_real(out, 6, m->target->clock_hz);
	demo_row(out);
	demo_end(out);
	demo_begin(out, "ipu", 4);
	for (int i = 0; i < m->ipus; i++) {
		demo_int(out, 0, i);
		demo_int(out, 1, 0);
		demo_int(out, 2, (int64_t)i * m->tiles);
		demo_int(out, 3, m->tiles);
		demo_row(out);
	}
	demo_end(out);
	int64_t vertices = 0;
	for (size_t i = 0; i < m->ncs; i++)
		vertices += m->cs[i].instances;
	demo_begin(out, "graph_count", 2);
	count_row(out, "compute_sets", (int64_t)m->ncs);
	count_row(out, "edges", vertices * 7 / 2);
	count_row(out, "variables", variables_written(m));
	count_row(out, "vertices", vertices);
	demo_end(out);
}

/* ---- execution ---- */

static void
runs_write(struct demo_out *out, const struct demo_model *m)
{
	char name[32];
	demo_begin(out, "run", 6);
	for (int i = 0; i < DEMO_RUNS; i++) {
		const struct demo_run *r = &m->run[i];
		if (!r->count)
			continue;
		snprintf(name, sizeof(name), "training_step %d", i);
		demo_int(out, 0, i);
		demo_text(out, 1, name);
		demo_int(out, 2, r->start_us);
		demo_int(out, 3, r->end_us);
		demo_int(out, 4, r->first);
		demo_int(out, 5, r->count);
		demo_row(out);
	}
	demo_end(out);
}

/* Lightweight profiling of the first tile of each IPU; their clocks start at different times. */
static void
blocks_write(struct demo_out *out, const struct demo_model *m)
{
	static const struct {
		const char *name, *kind;
		int from, to; /* 1/1,000 of the run */
	} blocks[] = {
		{"anchors/input_ids", "stream_copy", 5, 95},
		{"gradient_accumulation/forward", "common", 100, 420},
		{"gradient_accumulation/backward", "common", 420, 880},
		{"AdamW", "common", 880, 970},
		{"anchors/loss", "stream_copy", 972, 990},
		{"flush", "flush", 990, 999},
	};
	demo_begin(out, "block", 7);
	for (int i = 0; i < m->ipus; i++) {
		int64_t seq = 0;
		for (int r = 0; r < DEMO_RUNS && m->run[r].count; r++) {
			int64_t skew = (int64_t)i * 103177,
				length = m->run[r].end - m->run[r].start;
			for (size_t k = 0; k < TS_COUNT(blocks); k++) {
				demo_int(out, 0, (int64_t)i * m->tiles);
				demo_int(out, 1, seq++);
				demo_null(out, 2);
				demo_text(out, 3, blocks[k].name);
				demo_text(out, 4,
					r && k + 1 == TS_COUNT(blocks) ? "overflow"
								       : blocks[k].kind);
				demo_int(out, 5,
					m->run[r].start + skew + length / 1000 * blocks[k].from);
				demo_int(out, 6,
					m->run[r].start + skew + length / 1000 * blocks[k].to);
				demo_row(out);
			}
		}
	}
	demo_end(out);
}

static void
step_row(struct demo_out *out, const struct demo_step *s)
{
	demo_int(out, 0, s->step);
	demo_int(out, 1, s->run);
	demo_text(out, 2, demo_types[s->prog->type].name);
	demo_int(out, 3, s->entry->prog);
	if (s->prog->cs >= 0)
		demo_int(out, 4, s->prog->cs);
	else
		demo_null(out, 4);
	demo_null(out, 5); /* a step's name is its compute set's or its program's */
	if (s->prog->type == DEMO_SYNC)
		demo_text(out, 6, s->prog->ipu == DEMO_ALL ? "External" : "Internal");
	else
		demo_null(out, 6);
	demo_row(out);
}

static void
step_ipu_rows(struct demo_out *out, const struct demo_model *m, const struct demo_step *s,
	const struct demo_part *parts)
{
	for (int i = 0; i < m->ipus; i++) {
		const struct demo_part *p = &parts[i];
		demo_int(out, 0, s->step);
		demo_int(out, 1, i);
		demo_int(out, 2, p->end - p->start);
		demo_int(out, 3, p->start);
		demo_int(out, 4, p->end);
		if (p->active) {
			demo_int(out, 5, s->prog->active);
			demo_int(out, 6, p->start_max);
			demo_int(out, 7, p->end_min);
			demo_int(out, 8, p->data_in);
			demo_int(out, 9, p->data_out);
			demo_real(out, 10, s->prog->balance);
			demo_real(out, 11, s->prog->active_balance);
		} else {
			demo_int(out, 5, 0);
			for (int c = 6; c < 12; c++)
				demo_null(out, c);
		}
		if (!demo_row(out))
			return;
	}
}

static void
steps_write(struct demo_out *out, const struct demo_model *m)
{
	struct demo_part *parts = ts_alloc((size_t)m->ipus, sizeof(*parts));
	for (int pass = 0; pass < 2; pass++) {
		struct demo_walker w = {0};
		struct demo_step s;
		if (pass)
			demo_begin_many(out, "step_ipu", 12, m->steps * m->ipus);
		else
			demo_begin_many(out, "step", 7, m->steps);
		if (!parts || !demo_walker_init(&w, m))
			demo_nomem(out);
		while (out->code == TS_OK && demo_walker_next(&w, &s, parts)) {
			if (pass)
				step_ipu_rows(out, m, &s, parts);
			else
				step_row(out, &s);
		}
		demo_walker_fini(&w);
		demo_end(out);
	}
	free(parts);
}

void
demo_store(struct demo_out *out, const struct demo_model *m)
{
	demo_exec(out, ts_embedded_find("schemas/store.sql")->text);
	if (m->o.oom)
		demo_exec(out,
			"DROP TABLE run; DROP TABLE block; DROP TABLE step; DROP TABLE step_ipu");
	report_write(out);
	target_write(out, m);
	demo_store_memory(out, m);
	demo_store_programs(out, m);
	if (!m->o.oom) {
		runs_write(out, m);
		blocks_write(out, m);
		steps_write(out, m);
	}
	demo_store_variables(out, m);
}
