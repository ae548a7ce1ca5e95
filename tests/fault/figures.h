/* SPDX-License-Identifier: MIT */
/*
 * figures - what a sweep reads from a report, each as one function that gives a number of what it read.
 *
 * Two readings gave the same figures when their numbers are equal.
 */
#ifndef TS_TESTS_FAULT_FIGURES_H
#define TS_TESTS_FAULT_FIGURES_H

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tilescope/base/mem.h"
#include "tilescope/report/contexts.h"
#include "tilescope/demo/demo.h"
#include "tilescope/report/browse.h"
#include "tilescope/report/execution.h"
#include "tilescope/report/live_heat.h"
#include "tilescope/report/always.h"
#include "tilescope/report/lifetimes.h"
#include "tilescope/report/live_source.h"
#include "tilescope/report/program_details.h"
#include "tilescope/report/program_tree.h"
#include "tilescope/report/liveness.h"
#include "tilescope/report/lives.h"
#include "tilescope/report/memory.h"
#include "tilescope/report/names.h"
#include "tilescope/report/query.h"
#include "tilescope/report/report.h"
#include "tilescope/report/proportions.h"
#include "tilescope/report/summary.h"
#include "tilescope/report/target.h"
#include "tilescope/report/set_variables.h"
#include "tilescope/report/tile_addresses.h"
#include "tilescope/report/tile_details.h"
#include "tilescope/report/tile_variables.h"
#include "tilescope/report/tile_work.h"
#include "tilescope/report/trace.h"
#include "tilescope/report/variable_list.h"
#include "tilescope/report/what_if.h"

/* ---- numbers (FNV-1a) ---- */

static inline void
digest(uint64_t *d, const void *bytes, size_t n)
{
	const unsigned char *b = bytes;

	for (size_t i = 0; i < n; i++)
		*d = (*d ^ b[i]) * UINT64_C(1099511628211);
}

static inline void
digest_i64(uint64_t *d, int64_t v)
{
	digest(d, &v, sizeof(v));
}

static inline void
digest_text(uint64_t *d, const char *s)
{
	digest(d, s ? s : "-", s ? strlen(s) + 1 : 1);
}

/* ---- figures ---- */

static inline void
digest_tiles(uint64_t *d, const struct ts_tiles *t)
{
	for (size_t i = 0; i < t->count; i++) {
		digest_i64(d, t->tile[i].tile);
		digest_i64(d, t->tile[i].ipu);
		digest_i64(d, ts_tile_used(&t->tile[i]));
	}
	digest_i64(d, t->bad_rows);
}

static inline void
digest_categories(uint64_t *d, const struct ts_categories *c)
{
	for (int i = 0; i < c->count; i++) {
		digest_text(d, c->category[i].name);
		digest_i64(d, c->category[i].bytes);
		digest_i64(d, c->category[i].worst_tile);
		digest_i64(d, c->category[i].worst_tile_bytes);
	}
	digest_i64(d, c->bad_rows + c->cut);
}

static inline void
digest_execution(uint64_t *d, const struct ts_execution *x)
{
	for (int i = 0; i < x->count; i++) {
		digest_i64(d, x->ipu[i].ipu);
		digest_i64(d, x->ipu[i].step_cycles);
		digest(d, x->ipu[i].by_class, sizeof(x->ipu[i].by_class));
	}
	digest_i64(d, x->rows);
	digest_i64(d, x->bad_rows + x->orphans);
}

static inline void
digest_names(uint64_t *d, const struct ts_names *n)
{
	for (size_t i = 0; i < n->count; i++) {
		digest_i64(d, n->name[i].id);
		digest(d, n->text + n->name[i].at, n->name[i].length);
	}
	digest_i64(d, n->rows + n->bad_rows + n->left_out);
}

static inline enum ts_code
figure_tiles(uint64_t *d, struct ts_reader *rd, struct ts_err *err)
{
	struct ts_tiles t;
	enum ts_code code = ts_tiles_read(&t, rd, err);

	digest_tiles(d, &t);
	ts_tiles_fini(&t);
	return code;
}

static inline enum ts_code
figure_categories(uint64_t *d, struct ts_reader *rd, struct ts_err *err)
{
	static struct ts_categories c;
	enum ts_code code = ts_categories_read(&c, rd, NULL, err);

	digest_categories(d, &c);
	ts_categories_fini(&c);
	return code;
}

static inline enum ts_code
figure_execution(uint64_t *d, struct ts_reader *rd, struct ts_err *err)
{
	struct ts_step_names names;
	struct ts_step_classes classes = {0};
	struct ts_execution x = {0};
	enum ts_code code = ts_step_names_read(&names, rd, err);

	if (!code)
		code = ts_step_classes_read(&classes, rd, NULL, err);
	if (!code)
		code = ts_execution_read(&x, rd, &classes, NULL, err);
	digest_i64(d, classes.steps);
	digest_i64(d, classes.left_out);
	digest_names(d, &names.programs);
	digest_names(d, &names.compute_sets);
	digest_execution(d, &x);
	ts_execution_fini(&x);
	ts_step_classes_fini(&classes);
	ts_step_names_fini(&names);
	return code;
}

static inline enum ts_code
figure_peak(uint64_t *d, struct ts_reader *rd, struct ts_err *err)
{
	struct ts_peak p;
	enum ts_code code = ts_peak_read(&p, rd, err);

	digest_i64(d, p.bytes);
	digest_i64(d, p.step);
	digest_i64(d, p.steps);
	return code;
}

static inline enum ts_code
figure_facts(uint64_t *d, struct ts_reader *rd, struct ts_err *err)
{
	struct ts_about a;
	struct ts_graph g = {0};
	struct ts_target t = {0};
	struct ts_step_names names = {0};
	int64_t runs = 0;
	enum ts_code code = ts_about_read(&a, rd, err);

	if (!code)
		code = ts_step_names_read(&names, rd, err);
	if (!code)
		code = ts_graph_read(&g, rd, &names, err);
	if (!code)
		code = ts_count_rows(&runs, rd, TS_RUN, TS_RUN_RUN, err);
	if (!code)
		code = ts_target_read(&t, rd, 16, 2, err);
	digest_text(d, a.poplar_version);
	digest_i64(d, g.programs + g.compute_sets + g.variables + g.edges + g.vertices);
	digest_i64(d, runs);
	digest_i64(d, t.tiles_per_ipu);
	ts_step_names_fini(&names);
	return code;
}

static inline enum ts_code
figure_liveness(uint64_t *d, struct ts_reader *rd, struct ts_err *err)
{
	struct ts_liveness l;
	enum ts_code code = ts_liveness_read(&l, rd, NULL, err);

	for (size_t i = 0; i < l.count; i++)
		digest_i64(d, l.bytes[i]);
	for (size_t i = 0; i < l.peaks.count; i++)
		digest_i64(d, (int64_t)l.peaks.peak[i].at);
	for (size_t i = 0; i < l.count && l.nodes > 0; i += 7) {
		struct ts_live_range range;

		ts_liveness_range(&range, &l, i, l.count);
		digest_i64(d, range.bytes + range.least + (int64_t)range.highest);
		digest(d, &range.mean, sizeof(range.mean));
	}
	ts_liveness_fini(&l);
	return code;
}

static inline enum ts_code
figure_tile_variables(uint64_t *d, struct ts_reader *rd, struct ts_err *err)
{
	struct ts_tile_variables v;
	enum ts_code code = ts_tile_variables_read(&v, rd, 3, NULL, err);

	for (int i = 0; i < v.count; i++) {
		digest_text(d, v.variable[i].name);
		digest_text(d, v.variable[i].category);
		digest_i64(d, v.variable[i].bytes);
	}
	for (int i = 0; v.categories && i < v.categories->count; i++)
		digest_i64(d, v.category_bytes[i]);
	ts_tile_variables_fini(&v);
	return code;
}

/* What the tabs of Memory show of two tiles; what is not in this layout is left out. */
static inline enum ts_code
figure_tile_details(uint64_t *d, struct ts_reader *rd, struct ts_err *err)
{
	static const int64_t tiles[] = {3, 5};
	struct ts_tile_details t;
	enum ts_code code = ts_tile_details_read(&t, rd, tiles, TS_COUNT(tiles), NULL, err);

	for (size_t i = 0; i < t.nodes; i++) {
		digest_text(d, t.node[i].name);
		digest_i64(d, t.node[i].bytes + t.node[i].depth);
	}
	ts_tile_details_fini(&t);
	return code;
}

static inline enum ts_code
figure_tile_work(uint64_t *d, struct ts_reader *rd, struct ts_err *err)
{
	static const int64_t tiles[] = {3, 5};
	enum ts_code code = TS_OK;

	for (int kind = 0; !code && kind < TS_WORK_KINDS; kind++) {
		struct ts_tile_work w;

		code = ts_tile_work_read(&w, rd, (enum ts_work_kind)kind, tiles, TS_COUNT(tiles),
			NULL, err);
		for (size_t i = 0; i < w.count; i++) {
			digest_text(d, ts_work_said(&w, &w.row[i]));
			digest_i64(d, w.row[i].cycles + w.row[i].code + w.row[i].vertices);
		}
		ts_tile_work_fini(&w);
	}
	return code;
}

static inline enum ts_code
figure_set_variables(uint64_t *d, struct ts_reader *rd, struct ts_err *err)
{
	static const int64_t tiles[] = {3, 5};
	struct ts_set_variables v;
	enum ts_code code = ts_set_variables_read(&v, rd, tiles, TS_COUNT(tiles), TS_SET_NAMES,
		NULL, err);

	for (size_t i = 0; i < v.count; i++) {
		digest_text(d, ts_set_variable_name(&v, &v.row[i]));
		digest_i64(d, v.row[i].bytes + v.row[i].tiles);
	}
	ts_set_variables_fini(&v);
	return code;
}

static inline enum ts_code
figure_addresses(uint64_t *d, struct ts_reader *rd, struct ts_err *err)
{
	struct ts_tile_addresses a;
	enum ts_code code = ts_tile_addresses_read(&a, rd, 3, 638976, NULL, err);

	for (size_t i = 0; i < a.map.count; i++)
		digest_i64(d, a.map.piece[i].from + (int64_t)a.map.piece[i].kind);
	for (size_t i = 0; i < a.count; i++)
		digest_text(d, ts_address_name(&a, (int32_t)i));
	ts_tile_addresses_fini(&a);
	return code;
}

/* What stands in the columns, to a millionth. */
static inline void
digest_chart(uint64_t *d, const struct ts_trace_chart *c)
{
	for (int i = 0; i < c->lanes * c->columns; i++)
		digest_i64(d, c->start[i] + 2 * c->unknown[i]);
	for (int i = 0; i < c->lanes * c->columns * TS_CLASS_COUNT; i++)
		digest_i64(d, (int64_t)(c->share[i] * 1e6 + 0.5));
	digest_i64(d, c->sampled);
}

/* Everything that the Trace asks: extent, a window of steps, the lanes, a search and its share. */
static inline enum ts_code
figure_trace(uint64_t *d, struct ts_reader *rd, struct ts_err *err)
{
	struct ts_trace *t = NULL;
	struct ts_trace_window w = {0};
	struct ts_trace_chart c = {0};
	struct ts_trace_hits h = {0};
	struct ts_trace_cost cost = {0};
	int64_t row = 0, at = 0;
	bool found = false;
	enum ts_code code = ts_trace_open(&t, rd, NULL, err);
	bool lanes = !code && t->ipus > 0; /* what is damaged may leave none */
	int64_t ipu = lanes ? t->ipu[0] : -1;

	if (!code)
		code = ts_trace_find_step(&row, &at, &found, rd, t, 20, err);
	if (!code)
		code = ts_trace_window_read(&w, rd, t, ipu, row, at, 5, 10, err);
	if (!code && lanes)
		code = ts_trace_chart_read(&c, rd, t, t->from, t->to, 20, t->ipu, t->ipus, NULL,
			err);
	if (!code)
		code = ts_trace_search(&h, rd, t, "a", NULL, err);
	if (!code && lanes)
		code = ts_trace_cost_read(&cost, rd, t, &h, ipu, 20, NULL, err);
	for (int i = 0; i < w.count; i++)
		digest_i64(d, w.row[i].step + w.row[i].cycles);
	digest_i64(d, found);
	if (t && !t->gaps && !t->numbered) /* else it is an estimate, without the index */
		digest_i64(d, row);
	digest_chart(d, &c);
	digest_i64(d, h.count);
	ts_trace_hits_fini(&h);
	ts_trace_chart_fini(&c);
	ts_trace_window_fini(&w);
	ts_trace_release(t);
	return code;
}

static inline enum ts_code
figure_lives(uint64_t *d, struct ts_reader *rd, struct ts_err *err)
{
	struct ts_lives *l = NULL;
	struct ts_alive *a = NULL;
	struct ts_alive_query q = {.step = 10, .against = 5, .group = -1};
	enum ts_code code = ts_lives_read(&l, rd, NULL, err);

	if (!code)
		code = ts_alive_read(&a, rd, l, &q, NULL, err);
	if (a) {
		digest_i64(d, a->count + a->bytes);
		digest(d, a->pile[1].memory, a->pile[1].used);
	}
	ts_alive_close(a);
	ts_lives_close(l);
	return code;
}

/* The liveness of a source: its timeline, who is alive, what for, and how long. */
static inline enum ts_code
figure_live_source(uint64_t *d, struct ts_reader *rd, const struct ts_live_source *source,
	struct ts_err *err)
{
	struct ts_alive_query q = {.step = 10, .against = 5, .group = -1};
	struct ts_source_line line;
	struct ts_kind_sums *sums = NULL;
	struct ts_lives *lives = NULL;
	struct ts_live_labels *labels = NULL;
	struct ts_groups *groups = NULL;
	struct ts_always *always = NULL;
	struct ts_alive *a = NULL;
	enum ts_code code = ts_source_line_read(&line, rd, source, NULL, err);

	for (size_t i = 0; !code && i < line.line.count; i++)
		digest_i64(d, line.line.bytes[i]);
	if (!code && line.tiles)
		code = ts_source_sums_read(&sums, rd, source, line.tiles, err);
	if (!code && sums) {
		code = ts_alive_read_set(&a, rd, sums, line.tiles, &q, err);
		ts_alive_close(a);
		a = NULL;
	}
	if (!code && (line.tiles || ts_tile_lives_can(rd->report)))
		code = ts_lives_read_source(&lives, rd, source, line.tiles, sums, NULL, NULL, err);
	if (!code)
		code = ts_groups_open(&groups, NULL, err);
	if (!code && lives)
		code = ts_live_labels_read(&labels, rd, lives, groups, NULL, NULL, err);
	q.labels = labels;
	if (!code && lives)
		code = ts_alive_read(&a, rd, lives, &q, NULL, err);
	if (!code)
		code = ts_always_read(&always, rd, source, line.tiles, groups, NULL, NULL, err);
	for (int i = 0; !code && i < always->rows; i++)
		digest_i64(d, always->row[i].bytes + always->row[i].group);
	for (int i = 0; a && !code && i < TS_GROUPS_MAX; i++)
		digest_i64(d, a->group[i][0].bytes + a->change.born.bytes);
	ts_alive_close(a);
	ts_always_close(always);
	ts_live_labels_close(labels);
	ts_groups_close(groups);
	ts_lives_close(lives);
	ts_kind_sums_close(sums);
	ts_source_line_fini(&line);
	return code;
}

static inline enum ts_code
figure_live_tile(uint64_t *d, struct ts_reader *rd, struct ts_err *err)
{
	const struct ts_live_source tile = {.where = TS_LIVE_TILE, .number = 1};

	return figure_live_source(d, rd, &tile, err);
}

static inline enum ts_code
figure_live_ipu(uint64_t *d, struct ts_reader *rd, struct ts_err *err)
{
	const struct ts_live_source ipu = {.where = TS_LIVE_IPU};

	return figure_live_source(d, rd, &ipu, err);
}

/* Lifetimes with their uses, and what the program of a step is. */
static inline enum ts_code
figure_programs(uint64_t *d, struct ts_reader *rd, struct ts_err *err)
{
	static const uint32_t index[] = {0, 1, 2};
	struct ts_lives *lives = NULL;
	struct ts_uses *uses = NULL;
	struct ts_lifetimes l = {0};
	struct ts_program_tree *tree = NULL;
	struct ts_program_path path = {0};
	struct ts_program_details details = {0};
	enum ts_code code = ts_lives_read(&lives, rd, NULL, err);

	if (!code)
		code = ts_uses_read(&uses, rd, NULL, NULL, err);
	if (!code)
		code = ts_lifetimes_make(&l, lives, uses, index, 3, NULL, NULL, err);
	for (int i = 0; !code && i < l.rows; i++)
		digest_i64(d, l.row[i].steps + l.row[i].idle);
	if (!code)
		code = ts_program_tree_read(&tree, rd, NULL, NULL, err);
	if (!code)
		code = ts_program_path_read(&path, rd, tree, 20, err);
	if (!code)
		digest(d, path.text.s, path.text.len);
	if (!code)
		code = ts_program_details_read(&details, rd, 20, err);
	if (!code)
		digest_i64(d, details.instances + details.rows.count + details.code_rows.count);
	ts_program_details_fini(&details);
	ts_program_path_fini(&path);
	ts_program_tree_close(tree);
	ts_lifetimes_fini(&l);
	ts_uses_close(uses);
	ts_lives_close(lives);
	return code;
}

/* What is alive on tiles, cells of the heat map, and peaks with a variable, a pattern and a group changed. */
static inline enum ts_code
figure_what_if(uint64_t *d, struct ts_reader *rd, struct ts_err *err)
{
	static const struct ts_what_if_changes changes = {.count = 3,
		.item = {{.of = TS_WHAT_IF_VARIABLE, .how = TS_WHAT_IF_HALVE, .id = 30},
			{.of = TS_WHAT_IF_PATTERN, .how = TS_WHAT_IF_REMOVE, .text = "out"},
			{.of = TS_WHAT_IF_GROUP,
				.how = TS_WHAT_IF_SPLIT,
				.n = 3,
				.text = "gradients"}}};
	const struct ts_live_heat heat = {.per_row = 3, .rows = 6, .steps = 60, .columns = 9};
	int64_t most[6 * 9];
	struct ts_tile_lives *l = NULL;
	struct ts_what_if *w = NULL;
	struct ts_groups *groups = NULL;
	enum ts_code code = ts_groups_open(&groups, NULL, err);

	if (!code)
		code = ts_tile_lives_read(&l, rd, NULL, err);
	if (!code)
		code = ts_live_heat_read(most, l, &heat, rd->cancel, err);
	if (!code) {
		digest(d, most, sizeof(most));
		code = ts_what_if_read(&w, rd, l, &changes, groups, NULL, NULL, err);
	}
	if (!code)
		digest_i64(d,
			w->device.after.bytes + w->worst.after.bytes + w->worst.after.step +
				w->sum[2].less);
	ts_what_if_free(w);
	ts_tile_lives_close(l);
	ts_groups_close(groups);
	return code;
}

/* A window, and a list that is filtered and sorted by name; rows are counted where they have to be. */
static inline enum ts_code
read_variables(uint64_t *d, bool *gap, struct ts_reader *rd, struct ts_variables *v,
	struct ts_err *err)
{
	const int64_t place[] = {0, 1, 2, 70, 69, 68, 250, 5};
	struct ts_filter f;
	struct ts_variable_window w;
	struct ts_variable_list *l = NULL;
	enum ts_code code = ts_variables_read(&w, rd, v, place, (int)TS_COUNT(place), NULL, err);

	for (int i = 0; !w.gap && i < w.count; i++)
		digest_i64(d, w.row[i].bytes + w.row[i].tile + (int64_t)w.row[i].state);
	digest(d, w.text.s, w.gap ? 0 : w.text.len);
	ts_variable_window_fini(&w);
	if (!code)
		code = ts_filter_parse(&f, "a bytes>16 category:a name~[a-f]", ts_variable_fields,
			NULL, err);
	if (!code && !(l = ts_variable_list_new(v, TS_SORT_NAME, false, &f)))
		code = ts_err_nomem(err);
	if (!code)
		code = ts_variable_list_make(l, rd, gap, NULL, NULL, err);
	for (int64_t i = 0; !code && i < ts_variable_list_count(l); i++)
		digest_i64(d, ts_variable_list_place(l, i));
	ts_variable_list_release(l);
	return code;
}

static inline enum ts_code
figure_variables(uint64_t *d, struct ts_reader *rd, struct ts_err *err)
{
	struct ts_variables *v = NULL, *counted = NULL;
	enum ts_code code = ts_variables_open(&v, rd, NULL, err);
	bool gap = false;

	if (!code)
		gap = !ts_variables_placed(v);
	if (!code && !gap)
		code = read_variables(d, &gap, rd, v, err);
	if (gap)
		code = ts_variables_count(&counted, v, rd, NULL, err);
	if (gap && !code)
		code = read_variables(d, &gap, rd, counted, err);
	ts_variables_release(v);
	ts_variables_release(counted);
	return code;
}

static inline void
digest_path(uint64_t *d, const struct ts_context_path *p)
{
	for (int i = 0; i < p->count; i++) {
		digest_i64(d, (int64_t)p->level[i].id + p->level[i].line);
		digest_text(d, p->level[i].layer);
		digest_text(d, p->level[i].name);
		digest_text(d, p->level[i].file);
		digest(d, p->level[i].details.text.s, p->level[i].details.text.len);
	}
	digest_text(d, p->note);
}

/* Debug contexts: all entries of debug.cbor where there is one, paths of some, of some programs. */
static inline enum ts_code
figure_contexts(uint64_t *d, struct ts_reader *rd, struct ts_err *err)
{
	struct ts_contexts *c = NULL;
	struct ts_context_path p;
	uint64_t id;
	bool found;
	enum ts_code code = ts_contexts_open(&c, rd->report, rd->index, NULL, NULL, NULL, err);

	if (code == TS_E_ABSENT)
		code = TS_OK;
	for (uint64_t i = 0; !code && c && i < c->count; i++)
		digest_i64(d, (int64_t)(c->entry[i].id ^ c->entry[i].offset));
	for (uint64_t i = 0; !code && c && i < c->count; i += 1 + c->count / 8) {
		code = ts_context_path_read(&p, rd, c, c->entry[i].id, err);
		if (!code)
			digest_path(d, &p);
		ts_context_path_fini(&p);
		if (code == TS_E_ABSENT)
			code = TS_OK;
	}
	for (int64_t program = 0; !code && program < 60; program += 7) {
		code = ts_context_of(&id, &found, rd, TS_PROGRAM, program, err);
		digest_i64(d, !code && found ? (int64_t)id : -1);
	}
	ts_contexts_close(c);
	return code;
}

/* Softens what goes wrong: `partial` is then set. */
static inline enum ts_code
read_summary(uint64_t *d, bool *partial, struct ts_reader *rd, struct ts_err *err)
{
	static struct ts_summary s;
	enum ts_code code = ts_summary_read(&s, rd, NULL, err);

	*partial = s.notes.partial;
	digest_tiles(d, &s.tiles);
	digest_categories(d, &s.categories);
	digest_execution(d, &s.execution);
	digest_i64(d, s.always_live);
	digest_i64(d, s.peak.bytes);
	digest_i64(d, s.steps);
	digest_i64(d, s.runs);
	digest_i64(d, s.target.bytes_per_tile);
	for (int i = 0; s.times && i < s.times->count; i++)
		digest(d, s.times->ipu[i].part, sizeof(s.times->ipu[i].part));
	ts_summary_fini(&s);
	return code;
}

static inline void
digest_value(uint64_t *d, const struct ts_sql_value *v)
{
	digest_i64(d, v->type);
	digest_i64(d, v->integer);
	digest(d, &v->real, sizeof(v->real));
	digest(d, v->bytes, v->n);
}

/* What a user asks: rows of relations by key and whole, names from another table, a join. */
static inline enum ts_code
figure_query(uint64_t *d, struct ts_reader *rd, struct ts_err *err)
{
	static const char *const statements[] = {
		"SELECT * FROM step_ipu WHERE step BETWEEN 7 AND 20",
		"SELECT type, count(*) FROM step GROUP BY type ORDER BY type",
		"SELECT name, sum(bytes) FROM lowered_variable GROUP BY 1 ORDER BY 2 DESC LIMIT 5",
		"SELECT s.step, c.name FROM step s JOIN compute_set c USING (compute_set) LIMIT 20",
	};
	struct ts_query *q;
	enum ts_code code = ts_query_open(&q, rd->report, err);

	if (code == TS_E_FORMAT) /* it is opened once more: a file that is empty now */
		return ts_err_set(err, TS_E_DAMAGED, "the file has become empty");
	if (code)
		return code;
	ts_query_set_cancel(q, rd->cancel);
	for (size_t i = 0; !code && i < TS_COUNT(statements); i++) {
		bool row = true;

		code = ts_query_prepare(q, statements[i], 0, err);
		while (!code && !(code = ts_query_step(q, &row, err)) && row)
			for (int k = 0; k < ts_query_columns(q); k++) {
				struct ts_sql_value v;

				ts_query_value(&v, q, k);
				digest_value(d, &v);
			}
		if (!code && ts_query_partial(q))
			code = ts_err_set(err, TS_E_DAMAGED, "%s", ts_query_partial(q));
	}
	ts_query_close(q);
	return code;
}

/* Rows of the first tables, as they stand and by an order: all of them are too much for a sweep. */
static inline enum ts_code
figure_tables(uint64_t *d, struct ts_reader *rd, struct ts_err *err)
{
	struct ts_browse_list list;
	enum ts_code code = ts_browse_tables(&list, rd, err);

	for (int i = 0; !code && i < list.count && i < 4; i++) {
		const struct ts_browse_table *t = &list.table[i];
		struct ts_browse_wish wish = {.filter = "e", .sort = 0};
		struct ts_browse_order *order = NULL;
		struct ts_browse_window w = {0};

		if (t->has_rowid)
			code = ts_browse_order_make(&order, rd, t, &wish, 0, NULL, err);
		if (!code)
			code = ts_browse_read(&w, rd, t, &wish, order, 0, 20, NULL, err);
		for (int r = 0; !code && r < w.block.rows; r++)
			for (int k = 0; k < w.block.columns; k++) {
				const struct ts_row_cell *c = ts_row_block_at(&w.block, r, k);

				digest_i64(d, c->type);
				digest_i64(d, c->integer);
				digest(d, w.block.text.s + c->at, c->n);
			}
		ts_browse_window_fini(&w);
		ts_browse_order_release(order);
	}
	ts_browse_list_fini(&list);
	return code;
}

static const struct figure {
	const char *name;
	enum ts_code (*read)(uint64_t *d, struct ts_reader *rd, struct ts_err *err);
	bool soft; /* it also reads what it can do without */
} figures[] = {
	{"tiles", figure_tiles, false},
	{"categories", figure_categories, false},
	{"execution", figure_execution, false},
	{"peak", figure_peak, false},
	{"facts", figure_facts, false},
	{"liveness", figure_liveness, true},
	{"tile variables", figure_tile_variables, true},
	{"tile details", figure_tile_details, true},
	{"tile work", figure_tile_work, true},
	{"set variables", figure_set_variables, true},
	{"addresses", figure_addresses, true},
	{"trace", figure_trace, true},
	{"lives", figure_lives, true},
	{"live tile", figure_live_tile, true},
	{"live ipu", figure_live_ipu, true},
	{"programs", figure_programs, true},
	{"what-if", figure_what_if, true},
	{"variables", figure_variables, true},
	{"query", figure_query, true},
	{"tables", figure_tables, true},
	{"contexts", figure_contexts, true},
};

/* ---- a small report ---- */

struct demo {
	char dir[40];
	char *path;
};

static inline void
demo_begin_with(struct demo *m, enum ts_demo_layout layout, bool debug)
{
	const struct ts_demo_options o = {.layout = layout,
		.ipus = 2,
		.tiles = 8,
		.steps = 60,
		.variables = 300,
		.debug = debug};
	struct ts_err err = {0};

	snprintf(m->dir, sizeof(m->dir), "/tmp/ts-fault-XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(m->dir));
	ck_assert_msg(ts_demo_write(&m->path, m->dir, &o, NULL, NULL, &err) == TS_OK, "%s",
		err.msg);
}

static inline void
demo_begin(struct demo *m, enum ts_demo_layout layout)
{
	demo_begin_with(m, layout, false);
}

static inline void
demo_end(struct demo *m)
{
	char side[60];

	snprintf(side, sizeof(side), "%s/debug.cbor", m->dir);
	unlink(side);
	ck_assert_int_eq(unlink(m->path), 0);
	free(m->path);
	ck_assert_int_eq(rmdir(m->dir), 0);
}

#endif
