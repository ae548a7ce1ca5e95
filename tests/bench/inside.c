/* SPDX-License-Identifier: MIT */
/*
 * inside - times what the program does inside, for `make bench`.
 *
 *     inside chart REPORT CACHE N SEED LANES    N zooms of 200 columns, anywhere, of any width
 *     inside search REPORT CACHE WORD           all steps with WORD in their names: a piece as the Trace has them, all, cost
 *     inside window REPORT CACHE N SEED         N windows of 200 steps with one IPU's figures
 *     inside keys REPORT CACHE N SEED           N times 200 rows of steps by their key
 *     inside rows REPORT RELATION COLUMN,... MOST  the first MOST rows through our cursor
 *     inside table REPORT RELATION COLUMN,... MOST THREADS  the same, decoded from the pages, unchecked
 *     inside totals REPORT CACHE                bytes by tile and category
 *     inside heat REPORT CACHE N SEED           the heat map tile x step: all of it, then N zooms anywhere
 *     inside heat-sample REPORT CACHE           the same of a tile for each row, before the table is there
 *     inside what-if REPORT CACHE               three what-ifs, each with a change more than the one before
 *     inside cancel REPORT CACHE N SEED         from a cancel in the midst of work to its end
 *
 * CACHE is a cache directory (what is there of an index is used, nothing is built), or "none". Prints one
 * line of JSON; opening the report is not counted. The same seed gives the same places.
 */
#include "config.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <time.h>

#include "inside.h"

#include "tilescope/base/mem.h"
#include "tilescope/report/execution.h"
#include "tilescope/report/live_heat.h"
#include "tilescope/report/memory.h"
#include "tilescope/report/operations.h"
#include "tilescope/report/rows.h"
#include "tilescope/db/table.h"
#include "tilescope/report/trace.h"
#include "tilescope/report/trace_jump.h"
#include "tilescope/report/what_if.h"

enum { COLUMNS = 200, WINDOW = 200, THREADS_MAX = 16 };

static struct ts_trace *
open_trace(struct inside *in)
{
	struct ts_trace *t;
	struct ts_err err;

	check(ts_trace_open(&t, in->reader, NULL, &err), &err);
	return t;
}

/* --- timelines -------------------------------------------------------------------------------- */

/* A range of the run: everything first, then of any width down to a millionth, anywhere. */
static void
any_zoom(struct inside *in, const struct ts_trace *t, int n, int64_t *from, int64_t *to)
{
	int64_t width = t->to - t->from;

	for (int i = 0; n && i < 20 && inside_random(in, 20); i++)
		width = width / 2 > COLUMNS ? width / 2 : width;
	*from = t->from + inside_random(in, t->to - t->from - width + 1);
	*to = *from + width;
}

static int
chart(struct inside *in, char **argv)
{
	struct ts_trace *t = open_trace(in);
	int n = (int)strtol(argv[0], NULL, 10), lanes = (int)strtol(argv[2], NULL, 10);
	int64_t rows = 0;
	int sampled = 0;

	if (lanes < 1 || lanes > t->ipus)
		lanes = t->ipus;
	printf("{\"ms\": [");
	for (int i = 0; i < n; i++) {
		struct ts_trace_chart c = {0};
		struct ts_err err;
		int64_t from, to, since;

		any_zoom(in, t, i, &from, &to);
		since = ts_clock_us();
		check(ts_trace_chart_read(&c, in->reader, t, from, to, COLUMNS, t->ipu, lanes, NULL,
			      &err),
			&err);
		inside_print(i == 0, inside_ms(since));
		sampled += c.sampled;
		rows += c.rows;
		ts_trace_chart_fini(&c);
	}
	printf("], \"lanes\": %d, \"sampled\": %d, \"rows\": %" PRId64 "}\n", lanes, sampled, rows);
	ts_trace_release(t);
	return 0;
}

/* --- jumps ------------------------------------------------------------------------------------ */

/* From anywhere to the next of a class, or gap; or the longest steps of any range. */
static int
jump(struct inside *in, char **argv)
{
	struct ts_trace *t = open_trace(in);
	struct ts_trace_long *longest = ts_alloc(TS_TRACE_LONGEST, sizeof(*longest));
	int n = (int)strtol(argv[0], NULL, 10), found = 0;
	bool jumps = strcmp(argv[2], "longest") != 0;

	if (!longest)
		exit(1);
	printf("{\"ms\": [");
	for (int i = 0; i < n; i++) {
		struct ts_trace_jump j = {.goal = (enum ts_trace_goal)(i % 3),
			.back = i & 1,
			.ipu = t->ipu[i % t->ipus],
			.class_of = (enum ts_step_class)(i / 3 % TS_CLASS_COUNT),
			.least = 1 + inside_random(in, 100000)};
		struct ts_err err;
		int64_t from, to, since;

		any_zoom(in, t, i, &from, &to);
		j.at = from;
		since = ts_clock_us();
		if (jumps)
			check(ts_trace_jump_read(&j, in->reader, t, NULL, NULL, &err), &err);
		else
			check(ts_trace_longest_read(longest, &found, TS_TRACE_LONGEST, in->reader,
				      t, j.ipu, from, to, NULL, NULL, &err),
				&err);
		inside_print(i == 0, inside_ms(since));
	}
	printf("]}\n");
	free(longest);
	ts_trace_release(t);
	return 0;
}

enum { PIECE = 1 << 19, SEARCHERS = 2 };

/* A search in pieces by two readers, as the Trace has it. */
struct searching {
	struct inside *in;
	struct ts_trace *t;
	const char *needle;
	atomic_llong next; /* address */
	pthread_mutex_t lock;
	struct ts_trace_hits all;
};

static void *
search_pieces(void *arg)
{
	struct searching *s = arg;
	struct ts_reader *rd;
	struct ts_trace_hits h;
	struct ts_err err;
	int64_t from;

	check(ts_reader_open(&rd, s->in->report, &err), &err);
	while ((from = atomic_fetch_add(&s->next, PIECE)) <= s->t->step.last) {
		check(ts_trace_search_part(&h, rd, s->t, s->needle, NULL, from,
			      ts_min_i64(from + PIECE, s->t->step.last + 1), NULL, &err),
			&err);
		pthread_mutex_lock(&s->lock);
		ts_trace_hits_add(&s->all, &h);
		pthread_mutex_unlock(&s->lock);
		ts_trace_hits_fini(&h);
	}
	ts_reader_close(rd);
	return NULL;
}

static void
search_all(struct searching *s)
{
	pthread_t thread[SEARCHERS];
	struct ts_err err;

	atomic_init(&s->next, s->t->step.first);
	pthread_mutex_init(&s->lock, NULL);
	check(ts_trace_search_part(&s->all, s->in->reader, s->t, s->needle, NULL, s->t->step.first,
		      s->t->step.first, NULL, &err),
		&err); /* room for the bits */
	for (int i = 0; i < SEARCHERS; i++)
		if (pthread_create(&thread[i], NULL, search_pieces, s))
			exit(1);
	for (int i = 0; i < SEARCHERS; i++)
		pthread_join(thread[i], NULL);
	pthread_mutex_destroy(&s->lock);
}

/* The piece is what has to be looked at before the first hit can be shown, at most. */
static int
search(struct inside *in, char **argv)
{
	struct ts_trace *t = open_trace(in);
	struct searching s = {.in = in, .t = t, .needle = argv[0]};
	struct ts_trace_hits h = {0};
	struct ts_trace_cost cost;
	struct ts_err err;
	int64_t since = ts_clock_us();
	clock_t busy;

	check(ts_trace_search_part(&h, in->reader, t, argv[0], NULL, t->step.first,
		      t->step.first + PIECE, NULL, &err),
		&err);
	printf("{\"piece_ms\": %.3f, ", inside_ms(since));
	ts_trace_hits_fini(&h);
	since = ts_clock_us();
	busy = clock();
	search_all(&s);
	h = s.all;
	printf("\"all_ms\": %.3f, \"cpu_ms\": %.3f, \"hits\": %" PRId64 ", \"steps\": %" PRId64
	       ", ",
		inside_ms(since), (double)(clock() - busy) * 1e3 / CLOCKS_PER_SEC, h.count,
		h.looked_at);
	since = ts_clock_us();
	check(ts_trace_cost_read(&cost, in->reader, t, &h, t->ipu[0], 200, NULL, &err), &err);
	printf("\"cost_ms\": %.3f}\n", inside_ms(since));
	ts_trace_hits_fini(&h);
	ts_trace_release(t);
	return 0;
}

/* --- rows ------------------------------------------------------------------------------------- */

static int
window(struct inside *in, char **argv)
{
	struct ts_trace *t = open_trace(in);
	int n = (int)strtol(argv[0], NULL, 10);

	printf("{\"ms\": [");
	for (int i = 0; i < n; i++) {
		struct ts_trace_window w = {0};
		int64_t row = inside_random(in, t->rows - WINDOW), since = ts_clock_us();
		struct ts_err err;

		check(ts_trace_window_read(&w, in->reader, t, t->ipus ? t->ipu[0] : 0, row,
			      ts_trace_row_at(t, row), 0, WINDOW, &err),
			&err);
		inside_print(i == 0, inside_ms(since));
		ts_trace_window_fini(&w);
	}
	printf("]}\n");
	ts_trace_release(t);
	return 0;
}

/* Step a cursor to its end; the rows. */
static int64_t
read_rows(struct inside *in, enum ts_relation relation, const struct ts_rows_query *q,
	uint64_t *sum)
{
	struct ts_rows *rows;
	struct ts_err err;
	int64_t n = 0, v;
	bool there;

	check(ts_reader_rows(&rows, in->reader, relation, q, &err), &err);
	for (;; n++) {
		check(ts_rows_next(rows, &there, &err), &err);
		if (!there)
			break;
		for (int i = 0; i < q->column_count; i++)
			if (ts_rows_number(rows, i, &v) == TS_VALUE_OK)
				*sum += (uint64_t)v;
	}
	ts_rows_close(rows);
	return n;
}

static int
keys(struct inside *in, char **argv)
{
	static const struct ts_rows_query query = {
		.columns = {TS_STEP_STEP, TS_STEP_PROGRAM, TS_STEP_COMPUTE_SET},
		.column_count = 3,
		.range = TS_RANGE_KEY,
		.limit = WINDOW,
	};
	struct ts_trace *t = open_trace(in);
	int n = (int)strtol(argv[0], NULL, 10);
	uint64_t sum = 0;

	printf("{\"ms\": [");
	for (int i = 0; i < n; i++) {
		struct ts_rows_query q = query;
		int64_t since = ts_clock_us();

		q.from = t->first_step + inside_random(in, t->last_step - t->first_step - WINDOW);
		q.to = q.from + WINDOW;
		read_rows(in, TS_STEP, &q, &sum);
		inside_print(i == 0, inside_ms(since));
	}
	printf("], \"sum\": %" PRIu64 "}\n", sum);
	ts_trace_release(t);
	return 0;
}

/* The words behind REPORT: a relation, columns of it, how many rows. */
static enum ts_relation
asked_for(struct ts_rows_query *q, char **argv)
{
	int relation = ts_relation_find(argv[0]);
	char *rest = argv[1], *name;

	*q = (struct ts_rows_query){.range = TS_RANGE_ROWID, .from = 1};
	if (relation < 0)
		exit(2);
	while ((name = strtok_r(rest, ",", &rest)) && q->column_count < TS_ROWS_COLUMNS)
		q->columns[q->column_count++] = ts_relation_column((enum ts_relation)relation,
			name);
	q->to = strtoll(argv[2], NULL, 10) + 1;
	return (enum ts_relation)relation;
}

static int
rows(struct inside *in, char **argv)
{
	struct ts_rows_query q;
	enum ts_relation relation = asked_for(&q, argv);
	int64_t since, n;
	uint64_t sum = 0;

	since = ts_clock_us();
	n = read_rows(in, relation, &q, &sum);
	printf("{\"rows\": %" PRId64 ", \"sum\": %" PRIu64 ", \"ms\": %.3f}\n", n, sum,
		inside_ms(since));
	return 0;
}

struct decode {
	struct ts_reader *reader;
	const struct ts_binding *binding;
	const struct ts_rows_query *q;
	int64_t from, to, rows;
	uint64_t sum;
	pthread_t thread;
};

/* A column of the table, once. */
static void
add_column(int *columns, int *count, int column)
{
	for (int i = 0; i < *count; i++)
		if (columns[i] == column)
			return;
	if (column >= 0)
		columns[(*count)++] = column;
}

/* Rows that are alike, as many as follow: false when the next row has to be asked for alone. */
static bool
decode_block(struct decode *d, struct ts_table *t, int64_t *const *v, int count)
{
	struct ts_table_rows got;
	struct ts_err err;

	check(ts_table_peek(&got, t, v, TS_BLOCK_ROWS, &err), &err);
	for (int i = 0; i < count; i++)
		for (int k = 0; k < got.n; k++)
			d->sum += (uint64_t)v[i][k];
	ts_table_take(t, got.n);
	d->rows += got.n;
	return got.n > 0;
}

static void *
run_decode(void *arg)
{
	struct decode *d = arg;
	int columns[TS_TABLE_COLUMNS], count = 0;
	int64_t room[TS_TABLE_COLUMNS][TS_BLOCK_ROWS], *v[TS_TABLE_COLUMNS];
	struct ts_table *t;
	struct ts_err err;
	enum ts_table_at at;

	for (int i = 0; i < d->q->column_count; i++) {
		const struct ts_column_binding *c = &d->binding->column[d->q->columns[i]];

		add_column(columns, &count, c->a);
		add_column(columns, &count, c->b);
	}
	check(ts_table_open(&t, d->reader->db[d->binding->source], d->binding->reach.rows, columns,
		      count, &err),
		&err);
	if (!t)
		return NULL;
	for (int i = 0; i < count; i++)
		v[i] = room[i];
	ts_table_seek(t, d->from);
	ts_table_until(t, d->to);
	for (;; d->rows++) {
		while (decode_block(d, t, v, count))
			;
		check(ts_table_next(&at, t, &err), &err);
		if (at != TS_TABLE_ROW)
			break;
		for (int i = 0; i < count; i++)
			if (ts_table_type(&t->value[i]) == SQLITE_INTEGER)
				d->sum += (uint64_t)ts_table_int(&t->value[i]);
	}
	ts_table_close(t);
	return NULL;
}

static int
table(struct inside *in, char **argv)
{
	struct decode part[THREADS_MAX] = {0};
	struct ts_rows_query q;
	const struct ts_binding *b = &in->report->binding[asked_for(&q, argv)];
	int threads = (int)strtol(argv[3], NULL, 10);
	int64_t since, n = 0, last = ts_min_i64(q.to - 1, b->reach.last_rowid);
	uint64_t sum = 0;

	if (threads < 1 || threads > THREADS_MAX)
		return 2;
	for (int i = 0; i < threads; i++) {
		struct decode *d = &part[i];
		struct ts_err err;

		*d = (struct decode){.binding = b, .q = &q};
		check(ts_reader_open(&d->reader, in->report, &err), &err);
		d->from = i ? part[i - 1].to : 1;
		d->to = i == threads - 1 ? last + 1 : last / threads * (i + 1);
	}
	since = ts_clock_us();
	for (int i = 1; i < threads; i++)
		if (pthread_create(&part[i].thread, NULL, run_decode, &part[i]))
			return 1;
	run_decode(&part[0]);
	for (int i = 0; i < threads; i++) {
		if (i)
			pthread_join(part[i].thread, NULL);
		n += part[i].rows;
		sum += part[i].sum;
	}
	printf("{\"rows\": %" PRId64 ", \"sum\": %" PRIu64 ", \"ms\": %.3f}\n", n, sum,
		inside_ms(since));
	for (int i = 0; i < threads; i++)
		ts_reader_close(part[i].reader);
	return 0;
}

static int
totals(struct inside *in, char **argv)
{
	struct ts_categories c;
	struct ts_err err;
	int64_t since = ts_clock_us(), bytes = 0;

	(void)argv;
	check(ts_categories_read(&c, in->reader, NULL, &err), &err);
	for (int i = 0; i < c.count; i++)
		bytes += c.category[i].bytes;
	printf("{\"rows\": %" PRId64 ", \"sum\": %" PRId64 ", \"ms\": %.3f}\n", c.rows, bytes,
		inside_ms(since));
	ts_categories_fini(&c);
	return 0;
}

/* --- cancelling ------------------------------------------------------------------------------- */

struct work {
	struct inside *in;
	struct ts_trace *t;
	int kind;
	enum ts_code code;
	int64_t ended_us;
};

static enum ts_code
work_classes(struct work *w)
{
	struct ts_step_classes c = {0};
	enum ts_code code = ts_step_classes_read(&c, w->in->reader, NULL, NULL);

	ts_step_classes_fini(&c);
	return code;
}

static enum ts_code
work_totals(struct work *w)
{
	struct ts_categories c;
	enum ts_code code = ts_categories_read(&c, w->in->reader, NULL, NULL);

	ts_categories_fini(&c);
	return code;
}

static enum ts_code
work_search(struct work *w)
{
	struct ts_trace_hits h = {0};
	enum ts_code code = ts_trace_search(&h, w->in->reader, w->t, "nothing has this", NULL,
		NULL);

	ts_trace_hits_fini(&h);
	return code;
}

static enum ts_code
work_chart(struct work *w)
{
	struct ts_trace_chart c = {0};
	enum ts_code code = ts_trace_chart_read(&c, w->in->reader, w->t, w->t->from, w->t->to,
		TS_TRACE_COLUMNS, w->t->ipu, w->t->ipus, NULL, NULL);

	ts_trace_chart_fini(&c);
	return code;
}

static enum ts_code (*const works[])(
	struct work *) = {work_classes, work_totals, work_search, work_chart};

static void *
run_work(void *arg)
{
	struct work *w = arg;

	w->code = works[w->kind](w);
	w->ended_us = ts_clock_us();
	return NULL;
}

static int
cancel(struct inside *in, char **argv)
{
	struct ts_trace *t = open_trace(in);
	int n = (int)strtol(argv[0], NULL, 10);
	bool first = true;

	printf("{\"ms\": [");
	for (int i = 0; i < n; i++) {
		struct work w = {.in = in, .t = t, .kind = i % (int)TS_COUNT(works)};
		struct timespec delay = {.tv_nsec = 100000 + inside_random(in, 30000000)};
		struct ts_cancel token = {.set = false};
		pthread_t thread;
		int64_t since;

		ts_reader_set_cancel(in->reader, &token);
		if (pthread_create(&thread, NULL, run_work, &w))
			return 1;
		nanosleep(&delay, NULL);
		since = ts_clock_us();
		ts_cancel_set(&token);
		pthread_join(thread, NULL);
		ts_reader_set_cancel(in->reader, NULL);
		if (w.code != TS_E_CANCELLED) /* it was through before */
			continue;
		inside_print(first, (double)(w.ended_us - since) / 1e3);
		first = false;
	}
	printf("]}\n");
	ts_trace_release(t);
	return 0;
}

/* --- what is alive on tiles ------------------------------------------------------------------- */

enum { HEAT_ROWS = 100, HEAT_COLUMNS = 190 };

/* Cells of the tab "heat", anywhere: the whole map first, then any zoom of either axis. */
/* What is there before the table of all tiles is: one for each row. */
static int
heat_sample(struct inside *in, char **argv)
{
	int64_t *most = calloc((size_t)HEAT_ROWS * HEAT_COLUMNS, sizeof(*most));
	int64_t began = ts_clock_us();
	struct ts_live_heat h = {.per_row = 1, .rows = HEAT_ROWS, .columns = HEAT_COLUMNS};
	struct ts_tile_lives *l;
	struct ts_err err = {.msg = "tiles are not reached one by one"};

	(void)argv;
	check(ts_tile_lives_read_sample(&l, in->reader, HEAT_ROWS, &err), &err);
	if (!l || !most)
		check(TS_E_ABSENT, &err);
	h.steps = ts_max_i64(ts_live_heat_steps(l), HEAT_COLUMNS);
	check(ts_live_heat_read(most, l, &h, NULL, &err), &err);
	printf("{\"ms\": %.3f, \"tiles\": %zu}\n", inside_ms(began), l->tiles);
	ts_tile_lives_close(l);
	free(most);
	return 0;
}

static int
heat(struct inside *in, char **argv)
{
	int64_t *most = calloc((size_t)HEAT_ROWS * HEAT_COLUMNS, sizeof(*most)), steps, began;
	int n = (int)strtol(argv[0], NULL, 10);
	struct ts_tile_lives *l;
	struct ts_err err;

	began = ts_clock_us();
	check(ts_tile_lives_read(&l, in->reader, NULL, &err), &err);
	steps = ts_live_heat_steps(l);
	for (int i = 0; most && i <= n; i++) {
		struct ts_live_heat h = {.rows = HEAT_ROWS, .columns = HEAT_COLUMNS};
		int64_t each[2] = {(int64_t)ts_live_heat_fit(l->tiles, HEAT_ROWS, l->crest_tiles),
			ts_max_i64(steps, HEAT_COLUMNS)};

		for (int a = 0; a < 2 && i > 0; a++)
			each[a] = ts_max_i64(each[a] >> inside_random(in, 8), a ? HEAT_COLUMNS : 1);
		if (l->crest_tiles > 0 && each[0] > (int64_t)l->crest_tiles)
			each[0] -= each[0] % (int64_t)l->crest_tiles;
		h.per_row = (size_t)each[0];
		h.steps = each[1];
		if (i > 0) {
			h.tile = (size_t)inside_random(in, (int64_t)l->tiles) / h.per_row *
				h.per_row;
			h.step = inside_random(in, steps);
			began = ts_clock_us();
		}
		check(ts_live_heat_read(most, l, &h, NULL, &err), &err);
		printf(i == 0		 ? "{\"first\": %.3f, \"ms\": ["
				: i == 1 ? "%.3f"
					 : ", %.3f",
			inside_ms(began));
	}
	printf("]}\n");
	ts_tile_lives_close(l);
	free(most);
	return 0;
}

/* What if: a variable, then a pattern and a group besides; the same each time. */
static int
what_if(struct inside *in, char **argv)
{
	struct ts_what_if_changes c = {0};
	struct ts_what_if_change x[] = {{.of = TS_WHAT_IF_VARIABLE,
						.how = TS_WHAT_IF_HALVE,
						.id = 4242},
		{.of = TS_WHAT_IF_PATTERN, .how = TS_WHAT_IF_REMOVE, .text = "layer_3/.*partials"},
		{.of = TS_WHAT_IF_GROUP, .how = TS_WHAT_IF_SPLIT, .n = 4, .text = "activations"}};
	struct ts_groups *groups;
	struct ts_err err;

	(void)argv;
	check(ts_groups_open(&groups, NULL, &err), &err);
	printf("{\"ms\": [");
	for (size_t i = 0; i < TS_COUNT(x); i++) {
		struct ts_what_if *w;
		int64_t began = ts_clock_us();

		ts_what_if_put(&c, &x[i]);
		check(ts_what_if_read(&w, in->reader, NULL, &c, groups, &in->cache, NULL, &err),
			&err);
		inside_print(i == 0, inside_ms(began));
		ts_what_if_free(w);
	}
	printf("]}\n");
	ts_groups_close(groups);
	return 0;
}

/* Operations of all layers: from nothing, which keeps them, then from what is kept. */
static int
operations(struct inside *in, char **argv)
{
	uint32_t count = 0;

	(void)argv;
	printf("{\"ms\": [");
	for (int i = 0; i < 2; i++) {
		struct ts_operations *o;
		int64_t began = ts_clock_us();
		struct ts_err err;

		check(ts_operations_read(&o, in->reader, &in->cache, true, NULL, &err), &err);
		inside_print(i == 0, inside_ms(began));
		count = o->count;
		ts_operations_close(o);
	}
	printf("], \"operations\": %u}\n", count);
	return 0;
}

/* --- the words -------------------------------------------------------------------------------- */

struct verb {
	const char *name;
	bool has_cache;
	int words; /* behind the report and the cache */
	int (*run)(struct inside *in, char **argv);
};

static const struct verb verbs[] = {
	{"chart", true, 3, chart},
	{"jump", true, 3, jump},
	{"search", true, 1, search},
	{"window", true, 2, window},
	{"keys", true, 2, keys},
	{"rows", false, 3, rows},
	{"table", false, 4, table},
	{"totals", true, 0, totals},
	{"cancel", true, 2, cancel},
	{"heat", true, 2, heat},
	{"heat-sample", true, 0, heat_sample},
	{"what-if", true, 0, what_if},
	{"operations", true, 0, operations},
};

int
main(int argc, char **argv)
{
	for (size_t i = 0; i < TS_COUNT(verbs); i++) {
		const struct verb *v = &verbs[i];
		char **words = argv + (v->has_cache ? 4 : 3);
		struct inside in = {.seed = 1};
		int status;

		if (argc < 2 || strcmp(argv[1], v->name) != 0)
			continue;
		if (argc != (v->has_cache ? 4 : 3) + v->words)
			break;
		inside_open(&in, argv[2], v->has_cache ? argv[3] : "none");
		if (v->has_cache && v->words >= 2)
			in.seed += strtoull(words[1], NULL, 10) * 2654435761u;
		status = v->run(&in, words);
		inside_close(&in);
		return status;
	}
	fputs("usage: inside chart|window|keys|rows|table|totals|cancel|heat|heat-sample|what-if|operations REPORT ...\n",
		stderr);
	return 2;
}
