/* SPDX-License-Identifier: MIT */
/*
 * far_try - questions to a report on another host, and what each of them takes: what tests/remote asserts and `make bench`
 * measures.
 *
 *     far_try HOST|- PATH [--config FILE] [--keep DIR] [--by libssh|ssh] [--seed N] [--parts later]
 *             QUESTION...
 *
 * Questions: tiles, trace, timeline, zoom, jump, interior, bulk, tile (its variables); of the Trace at places here and there: at (the step at a
 * time), class and gap (the next one), longest (with its list), flame (merged), stacks (along the time), columns (that of all
 * of it), bsp, places (of all of it); passes over relations: programs (tree, names, costs), operations, variables (the first screen of them),
 * sorted (by bytes), filtered, facts (of Insights). A line for each, and one before for opening:
 *
 *     open us=N trips=N requests=N bytes=N kept=N host_trips=N received=N answer=HASH
 *
 * --parts later: nothing beside the profile is looked at, as for the app's first screen. trips: times that somebody waited for
 * blocks; jump, at, class, gap: the most of ten, their sum in all_trips. The answer is the same for -, the report on this machine, but for
 * lanes from samples.
 */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tilescope/base/clock.h"
#include "tilescope/base/mem.h"
#include "tilescope/db/plan.h"
#include "tilescope/io/files_host.h"
#include "tilescope/report/bsp.h"
#include "tilescope/report/flame.h"
#include "tilescope/report/insights.h"
#include "tilescope/report/memory.h"
#include "tilescope/report/operations.h"
#include "tilescope/report/program_below.h"
#include "tilescope/report/program_tree.h"
#include "tilescope/report/trace_jump.h"
#include "tilescope/report/variable_filter.h"
#include "tilescope/report/variable_list.h"

enum { COLUMNS = 200, JUMPS = 10, ROWS = 60, BULK = 256 << 20, PIECE = 1 << 20 };

struct asking {
	struct ts_report *report;
	struct ts_reader *reader;
	struct ts_trace *trace;
	uint64_t seed, answer;
	int64_t trips; /* the most of several; -1: all */
};

static void
check(enum ts_code code, const struct ts_err *err)
{
	if (!code)
		return;
	fprintf(stderr, "far_try: %s\n", err->msg);
	exit(5);
}

static void
add(struct asking *a, int64_t v)
{
	a->answer = (a->answer ^ (uint64_t)v) * UINT64_C(0x100000001b3);
}

static int64_t
any_below(struct asking *a, int64_t n)
{
	a->seed = a->seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return n > 0 ? (int64_t)((a->seed >> 20) % (uint64_t)n) : 0;
}

static int64_t
trips(const struct asking *a)
{
	struct ts_reader_stats s = {0};

	ts_reader_add_stats(&s, a->reader);
	return s.far.trips;
}

static void
tiles(struct asking *a)
{
	struct ts_tiles t;
	struct ts_err err = {0};

	check(ts_tiles_read(&t, a->reader, &err), &err);
	add(a, t.total);
	add(a, (int64_t)t.worst);
	ts_tiles_fini(&t);
}

static void
trace(struct asking *a)
{
	struct ts_err err = {0};

	check(ts_trace_open(&a->trace, a->reader, NULL, &err), &err);
	add(a, a->trace->rows);
	add(a, a->trace->from);
	add(a, a->trace->to);
	add(a, a->trace->ipus);
}

static void
chart(struct asking *a, int64_t from, int64_t to)
{
	const struct ts_trace *t = a->trace;
	struct ts_trace_chart c;
	struct ts_err err = {0};

	check(ts_trace_chart_read(&c, a->reader, t, from, to, COLUMNS, t->ipu,
		      t->ipus < 4 ? t->ipus : 4, NULL, &err),
		&err);
	add(a, c.sampled);
	for (int i = 0; i < c.lanes * TS_CLASS_COUNT * c.columns; i++)
		add(a, (int64_t)(c.share[i] * 1e6));
	ts_trace_chart_fini(&c);
}

static void
timeline(struct asking *a)
{
	chart(a, a->trace->from, a->trace->to);
}

/* A thousandth of it, somewhere. */
static void
zoom(struct asking *a)
{
	int64_t width = (a->trace->to - a->trace->from) / 1000 + 1;
	int64_t from = a->trace->from + any_below(a, a->trace->to - a->trace->from - width);

	chart(a, from, from + width);
}

static void
jump(struct asking *a)
{
	const struct ts_trace *t = a->trace;

	for (int i = 0; i < JUMPS; i++) {
		int64_t row = any_below(a, t->rows), before = trips(a);
		struct ts_trace_window w;
		struct ts_err err = {0};

		check(ts_trace_window_read(&w, a->reader, t, t->ipus ? t->ipu[0] : 0, row,
			      ts_trace_row_at(t, row), ROWS / 2, ROWS / 2, &err),
			&err);
		for (int k = 0; k < w.count; k++) {
			add(a, w.row[k].step);
			add(a, w.row[k].start);
			add(a, w.row[k].name_n);
		}
		ts_trace_window_fini(&w);
		a->trips = ts_max_i64(a->trips, trips(a) - before);
	}
}

/* A place in time. */
static int64_t
any_time(struct asking *a)
{
	return a->trace->from + any_below(a, a->trace->to - a->trace->from);
}

/* A thousandth of it, somewhere: as long as steps are read one by one. */
static struct ts_flame_range
any_range(struct asking *a)
{
	int64_t width = (a->trace->to - a->trace->from) / 1000 + 1, from = any_time(a);

	return (struct ts_flame_range){from, from + width, 0, 0};
}

static int64_t
first_ipu(const struct asking *a)
{
	return a->trace->ipus ? a->trace->ipu[0] : 0;
}

static void
at(struct asking *a)
{
	for (int i = 0; i < JUMPS; i++) {
		int64_t before = trips(a), step;
		struct ts_err err = {0};
		bool found;

		check(ts_trace_step_at(&step, &found, a->reader, a->trace, first_ipu(a),
			      any_time(a), &err),
			&err);
		add(a, found ? step : -1);
		a->trips = ts_max_i64(a->trips, trips(a) - before);
	}
}

static void
hunt(struct asking *a, enum ts_trace_goal goal)
{
	for (int i = 0; i < JUMPS; i++) {
		int64_t before = trips(a);
		struct ts_err err = {0};
		struct ts_trace_jump j = {.goal = goal,
			.back = i % 2 == 1,
			.ipu = first_ipu(a),
			.at = any_time(a),
			.class_of = TS_CLASS_COMPUTE,
			.least = 1};

		check(ts_trace_jump_read(&j, a->reader, a->trace, NULL, NULL, &err), &err);
		add(a, j.found ? j.start : -1);
		add(a, j.found ? j.end : -1);
		a->trips = ts_max_i64(a->trips, trips(a) - before);
	}
}

static void
next_of_class(struct asking *a)
{
	hunt(a, TS_GOAL_CLASS);
}

static void
gap(struct asking *a)
{
	hunt(a, TS_GOAL_GAP);
}

static void
longest(struct asking *a)
{
	static struct ts_trace_long of[TS_TRACE_LONGEST];
	struct ts_flame_range r = any_range(a);
	struct ts_trace_window w;
	int64_t step[ROWS];
	struct ts_err err = {0};
	int n;

	check(ts_trace_longest_read(of, &n, TS_TRACE_LONGEST, a->reader, a->trace, first_ipu(a),
		      r.from, r.to, NULL, NULL, &err),
		&err);
	n = n < ROWS ? n : ROWS;
	for (int i = 0; i < n; i++) {
		step[i] = of[i].step;
		add(a, of[i].start);
	}
	check(ts_trace_rows_read(&w, a->reader, a->trace, first_ipu(a), step, n, &err), &err);
	for (int i = 0; i < w.count; i++)
		add(a, w.row[i].cycles);
	ts_trace_window_fini(&w);
}

static void
flame(struct asking *a)
{
	struct ts_frame_contexts *contexts;
	struct ts_flame *f;
	struct ts_err err = {0};

	check(ts_frame_contexts_read(&contexts, a->reader, NULL, NULL, &err), &err);
	check(ts_flame_read(&f, a->reader, a->trace, contexts, any_range(a), NULL, NULL, &err),
		&err);
	add(a, f->rows);
	add(a, f->total);
	add(a, f->cells);
	ts_flame_release(f);
	ts_frame_contexts_release(contexts);
}

static void
draw_stacks(struct asking *a, struct ts_flame_range r)
{
	struct ts_frame_contexts *contexts;
	struct ts_flame_chart c;
	struct ts_err err = {0};

	check(ts_frame_contexts_read(&contexts, a->reader, NULL, NULL, &err), &err);
	check(ts_flame_chart_read(&c, a->reader, a->trace, contexts, r.from, r.to, COLUMNS,
		      first_ipu(a), &err),
		&err);
	for (int i = 0; i < c.columns; i++)
		add(a, c.step[i]);
	ts_flame_chart_fini(&c);
	ts_frame_contexts_release(contexts);
}

static void
stacks(struct asking *a)
{
	draw_stacks(a, any_range(a));
}

static struct ts_flame_range
all_of(const struct asking *a)
{
	return (struct ts_flame_range){a->trace->from, a->trace->to, 0, 0};
}

static void
columns(struct asking *a)
{
	draw_stacks(a, all_of(a));
}

static void
draw_bsp(struct asking *a, struct ts_flame_range r)
{
	struct ts_tile_ipus ipus;
	struct ts_bsp_tiles all;
	struct ts_bsp b;
	struct ts_err err = {0};

	check(ts_tile_ipus_read(&ipus, a->reader, &err), &err);
	all = ts_bsp_tiles_of(&ipus, first_ipu(a));
	check(ts_bsp_read(&b, a->reader, a->trace, first_ipu(a), all, r.from, r.to, COLUMNS,
		      all.first, all.count, ROWS, NULL, &err),
		&err);
	add(a, b.steps);
	add(a, b.by_tile);
	ts_bsp_fini(&b);
	ts_tile_ipus_fini(&ipus);
}

static void
bsp(struct asking *a)
{
	draw_bsp(a, any_range(a));
}

static void
places(struct asking *a)
{
	draw_bsp(a, all_of(a));
}

/* The variables of a tile, whose rows are bisected for. */
static void
tile(struct asking *a)
{
	int64_t wanted = 7 + any_below(a, 40);
	struct ts_rows_query q = {.columns = {TS_LOWERED_VARIABLE_TILE, TS_LOWERED_VARIABLE_BYTES},
		.column_count = 2,
		.range = TS_RANGE_KEY,
		.from = wanted,
		.to = wanted + 1};
	struct ts_err err = {0};
	struct ts_rows *rows;
	bool there;

	check(ts_reader_rows(&rows, a->reader, TS_LOWERED_VARIABLE, &q, &err), &err);
	for (;;) {
		check(ts_rows_next(rows, &there, &err), &err);
		if (!there)
			break;
		add(a, ts_rows_known(rows, 1));
	}
	ts_rows_close(rows);
}

/* --- passes over relations ---------------------------------------------------------------------- */

static void
programs(struct asking *a)
{
	struct ts_program_costs *costs = NULL;
	struct ts_program_tree *tree = NULL;
	struct ts_names names = {0};
	struct ts_err err = {0};
	enum ts_code code;

	check(ts_program_costs_read(&costs, a->reader, NULL, false, NULL, &err), &err);
	code = ts_program_tree_read(&tree, a->reader, NULL, NULL, &err);
	if (code == TS_E_ABSENT) /* nothing says who calls whom */
		code = ts_program_tree_flat(&tree, costs, NULL, &err);
	check(code, &err);
	check(ts_names_read(&names, a->reader, TS_PROGRAM, TS_PROGRAM_PROGRAM, TS_PROGRAM_NAME,
		      &err),
		&err);
	add(a, (int64_t)costs->count);
	add(a, tree->nodes);
	add(a, tree->roots);
	ts_names_fini(&names);
	ts_program_tree_close(tree);
	ts_program_costs_close(costs);
}

static void
operations(struct asking *a)
{
	struct ts_operations *o = NULL;
	struct ts_err err = {0};

	check(ts_operations_read(&o, a->reader, NULL, false, NULL, &err), &err);
	add(a, o->count);
	add(a, o->layers);
	ts_operations_close(o);
}

/* Placed, as the view has them. */
static struct ts_variables *
open_variables(struct asking *a)
{
	struct ts_variables *v = NULL, *counted;
	struct ts_err err = {0};

	check(ts_variables_open(&v, a->reader, NULL, &err), &err);
	if (ts_variables_placed(v))
		return v;
	check(ts_variables_count(&counted, v, a->reader, NULL, &err), &err);
	ts_variables_release(v);
	return counted;
}

static void
add_variables(struct asking *a, const struct ts_variables *v, const int64_t *place, int count)
{
	struct ts_variable_window w;
	struct ts_err err = {0};

	check(ts_variables_read(&w, a->reader, v, place, count, NULL, &err), &err);
	for (int i = 0; i < w.count; i++) {
		add(a, w.row[i].bytes);
		add(a, w.row[i].name_n);
	}
	ts_variable_window_fini(&w);
}

static void
variables(struct asking *a)
{
	struct ts_variables *v = open_variables(a);
	int64_t place[ROWS];

	for (int i = 0; i < ROWS; i++)
		place[i] = v->rows / 2 + i;
	add_variables(a, v, place, ROWS);
	ts_variables_release(v);
}

static void
list(struct asking *a, enum ts_variable_sort sort, const char *filter)
{
	struct ts_variables *v = open_variables(a);
	struct ts_variable_list *l;
	struct ts_filter f;
	struct ts_err err = {0};
	int64_t place[ROWS];
	bool gap;
	int n;

	check(ts_filter_parse(&f, filter, ts_variable_fields, NULL, &err), &err);
	l = ts_variable_list_new(v, sort, false, &f);
	if (!l)
		check(ts_err_nomem(&err), &err);
	check(ts_variable_list_make(l, a->reader, &gap, NULL, NULL, &err), &err);
	add(a, l->count);
	n = (int)ts_min_i64(l->count, ROWS);
	for (int i = 0; i < n; i++)
		place[i] = ts_variable_list_place(l, i);
	add_variables(a, v, place, n);
	ts_variable_list_release(l);
	ts_variables_release(v);
}

static void
sorted(struct asking *a)
{
	list(a, TS_SORT_BYTES, "");
}

static void
filtered(struct asking *a)
{
	list(a, TS_SORT_ROW, "name~a bytes>=64");
}

static void
facts(struct asking *a)
{
	struct ts_insight_facts x;
	struct ts_err err = {0};

	check(ts_insight_facts_read(&x, a->reader, NULL, &err), &err);
	add(a, x.tiles.total);
	add(a, x.partial);
	add(a, x.liveness.steps);
	add(a, x.peak.alive.bytes);
	ts_insight_facts_fini(&x);
}

static void
interior(struct asking *a)
{
	const struct ts_schema *s = a->report->schema[0];
	const struct ts_object *o[64];
	struct ts_err err = {0};
	size_t n = 0;

	for (int i = 0; i < s->count && n < TS_COUNT(o); i++)
		o[n++] = &s->object[i];
	check(ts_plan_interior(a->reader->db[0], o, n, TS_PLAN_PAGES, NULL, &err), &err);
}

static void
bulk(struct asking *a)
{
	_Atomic int64_t rest = 0;
	const struct ts_cancel behind = {.rest = &rest};
	unsigned char *bytes = malloc(PIECE);
	struct ts_err err = {0};
	size_t got = PIECE;

	for (int64_t at = 0; bytes && got == PIECE && at < BULK; at += PIECE) {
		check(ts_source_read(a->report->source[0], bytes, PIECE, at, &got, &behind, &err),
			&err);
		for (size_t i = 0; i < got; i += 4096)
			add(a, bytes[i]);
	}
	free(bytes);
}

static const struct {
	const char *name;
	void (*ask)(struct asking *a);
} questions[] = {{"tiles", tiles}, {"trace", trace}, {"timeline", timeline}, {"zoom", zoom},
	{"jump", jump}, {"interior", interior}, {"bulk", bulk}, {"tile", tile}, {"at", at},
	{"class", next_of_class}, {"gap", gap}, {"longest", longest}, {"flame", flame},
	{"stacks", stacks}, {"columns", columns}, {"bsp", bsp}, {"places", places},
	{"programs", programs}, {"operations", operations}, {"variables", variables},
	{"sorted", sorted}, {"filtered", filtered}, {"facts", facts}};

/* Those that are asked several times: the most that one takes counts. */
static const char *const several[] = {"jump", "at", "class", "gap"};

/* What was taken up to here, in all. */
struct taken {
	struct ts_source_counts n;
	int64_t host_trips, received, us;
};

static struct taken
taken(const struct asking *a, struct ts_files *files)
{
	struct taken t = {.us = ts_clock_us()};
	struct ts_host_state h;

	if (files) {
		ts_host_state(ts_files_host(files), &h);
		t.host_trips = h.round_trips;
		t.received = h.received;
	}
	if (a->report)
		ts_source_counts(a->report->source[0], &t.n);
	return t;
}

static void
say(const char *name, const struct asking *a, const struct taken *from, const struct taken *to)
{
	int64_t n = to->n.trips - from->n.trips;

	printf("%s us=%lld trips=%lld all_trips=%lld requests=%lld bytes=%lld kept=%lld "
	       "host_trips=%lld received=%lld answer=%016llx\n",
		name, (long long)(to->us - from->us), (long long)(a->trips >= 0 ? a->trips : n),
		(long long)n, (long long)(to->n.requests - from->n.requests),
		(long long)(to->n.bytes - from->n.bytes), (long long)(to->n.kept - from->n.kept),
		(long long)(to->host_trips - from->host_trips),
		(long long)(to->received - from->received), (unsigned long long)a->answer);
	fflush(stdout);
}

static void
ask(struct asking *a, struct ts_files *files, const char *name)
{
	struct taken before = taken(a, files), after;

	a->answer = UINT64_C(0xcbf29ce484222325);
	a->trips = -1;
	for (size_t i = 0; i < TS_COUNT(several); i++)
		if (strcmp(several[i], name) == 0)
			a->trips = 0;
	for (size_t i = 0; i < TS_COUNT(questions); i++)
		if (strcmp(questions[i].name, name) == 0)
			questions[i].ask(a);
	after = taken(a, files);
	say(name, a, &before, &after);
}

int
main(int argc, char **argv)
{
	struct ts_host_spec spec = {.connect = ts_transport_child_new, .attempts = 3};
	struct asking a = {.trips = -1, .answer = 0};
	struct ts_report_options options = {0};
	struct ts_err err = {0};
	struct taken before = {.us = ts_clock_us()}, after;
	const char *keep = NULL;
	int i = 3;

	for (; i + 1 < argc && strncmp(argv[i], "--", 2) == 0; i += 2) {
		if (strcmp(argv[i], "--config") == 0)
			spec.to.config = argv[i + 1];
		else if (strcmp(argv[i], "--keep") == 0)
			keep = argv[i + 1];
		else if (strcmp(argv[i], "--by") == 0 && strcmp(argv[i + 1], "libssh") == 0)
			spec.connect = ts_transport_libssh_new;
		else if (strcmp(argv[i], "--parts") == 0)
			options.parts_later = true;
		else if (strcmp(argv[i], "--seed") == 0)
			a.seed = strtoull(argv[i + 1], NULL, 10);
	}
	if (argc < 3) {
		fputs("usage: far_try HOST|- PATH [OPTION VALUE]... QUESTION...\n", stderr);
		return 2;
	}
	spec.to.host = argv[1];
	if (strcmp(argv[1], "-") != 0) {
		check(ts_files_host_new(&options.files, argv[1], &spec, &err), &err);
		if (keep)
			check(ts_files_host_keep(options.files, keep, &err), &err);
	}
	check(ts_report_open(&a.report, argv[2], &options, &err), &err);
	check(ts_reader_open(&a.reader, a.report, &err), &err);
	after = taken(&a, options.files);
	say("open", &a, &before, &after);
	for (; i < argc; i++)
		ask(&a, options.files, argv[i]);
	ts_trace_release(a.trace);
	ts_reader_close(a.reader);
	ts_report_close(a.report);
	ts_files_release(options.files);
	return 0;
}
