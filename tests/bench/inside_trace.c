/* SPDX-License-Identifier: MIT */
/*
 * inside_trace - times what the Trace works out of ranges of cycles, for `make bench`.
 *
 *     inside_trace REPORT CACHE N SEED bsp|times|work|merged|flame
 *
 * N ranges anywhere, the first of everything, the others of any width down to a millionth: tiles of one IPU (a screen of
 * 200 columns by 60 rows), proportions of all IPUs by class, bytes and balance of all, frames of the merged flame graph, the
 * path of each of 200 columns of the flame graph along the time.
 * CACHE as for `inside`. Prints one line of JSON.
 */
#include "config.h"

#include <inttypes.h>
#include <string.h>

#include "inside.h"

#include "tilescope/base/mem.h"
#include "tilescope/report/bsp.h"
#include "tilescope/report/flame.h"
#include "tilescope/report/proportions.h"

enum { COLUMNS = 200, ROWS = 60, HALVINGS = 20 };

struct asking {
	struct inside in;
	struct ts_trace *trace;
	struct ts_tile_ipus tiles;
	struct ts_frame_contexts *contexts; /* of flame graphs */
	bool has_contexts;
	int64_t from, to;
};

static void
bsp(struct asking *a)
{
	int64_t ipu = a->trace->ipu[inside_random(&a->in, a->trace->ipus)];
	struct ts_bsp_tiles all = ts_bsp_tiles_of(&a->tiles, ipu);
	struct ts_err err = {0};
	struct ts_bsp b;

	check(ts_bsp_read(&b, a->in.reader, a->trace, ipu, all, a->from, a->to, COLUMNS, all.first,
		      all.count, ROWS, &a->in.cache, &err),
		&err);
	ts_bsp_fini(&b);
}

static void
proportions(struct asking *a, unsigned what)
{
	struct ts_proportions p;
	struct ts_err err = {0};

	check(ts_proportions_read(&p, a->in.reader, a->trace, a->from, a->to, what, &a->in.cache,
		      NULL, &err),
		&err);
	ts_proportions_fini(&p);
}

static void
times(struct asking *a)
{
	proportions(a, TS_PROPORTIONS_TIME);
}

static void
work(struct asking *a)
{
	proportions(a, TS_PROPORTIONS_WORK);
}

static void
read_contexts(struct asking *a)
{
	struct ts_err err = {0};

	if (!a->has_contexts)
		check(ts_frame_contexts_read(&a->contexts, a->in.reader, &a->in.cache, NULL, &err),
			&err);
	a->has_contexts = true;
}

static void
flame(struct asking *a)
{
	struct ts_flame_chart c;
	struct ts_err err = {0};

	check(ts_flame_chart_read(&c, a->in.reader, a->trace, a->contexts, a->from, a->to, COLUMNS,
		      a->trace->ipu[inside_random(&a->in, a->trace->ipus)], &err),
		&err);
	ts_flame_chart_fini(&c);
}

static void
merged(struct asking *a)
{
	struct ts_flame_tree tree;
	struct ts_flame *f;
	struct ts_err err = {0};

	check(ts_flame_read(&f, a->in.reader, a->trace, a->contexts,
		      (struct ts_flame_range){a->from, a->to, 0, 0}, &a->in.cache, NULL, &err),
		&err);
	check(ts_flame_tree_make(&tree, f, a->trace->ipu[0], &err), &err);
	ts_flame_tree_fini(&tree);
	ts_flame_release(f);
}

static const struct {
	const char *name;
	void (*ask)(struct asking *a);
	bool contexts; /* read before, as the view has them */
} questions[] = {{"bsp", bsp, false}, {"times", times, false}, {"work", work, false},
	{"merged", merged, true}, {"flame", flame, true}};

static void
any_range(struct asking *a, int i)
{
	int64_t width = a->trace->to - a->trace->from;

	for (int k = 0; i > 0 && k < HALVINGS && inside_random(&a->in, HALVINGS); k++)
		width = width / 2 > COLUMNS ? width / 2 : width;
	a->from = a->trace->from + inside_random(&a->in, a->trace->to - a->trace->from - width + 1);
	a->to = a->from + width;
}

int
main(int argc, char **argv)
{
	struct asking a = {.in = {.seed = 1}};
	struct ts_err err = {0};
	size_t q = 0;

	while (argc == 6 && q < TS_COUNT(questions) && strcmp(argv[5], questions[q].name) != 0)
		q++;
	if (argc != 6 || q == TS_COUNT(questions)) {
		fputs("usage: inside_trace REPORT CACHE N SEED bsp|times|work|merged|flame\n",
			stderr);
		return 2;
	}
	a.in.seed += strtoull(argv[4], NULL, 10) * 2654435761u;
	inside_open(&a.in, argv[1], argv[2]);
	check(ts_trace_open(&a.trace, a.in.reader, NULL, &err), &err);
	check(ts_tile_ipus_read(&a.tiles, a.in.reader, &err), &err);
	if (questions[q].contexts)
		read_contexts(&a);
	printf("{\"ms\": [");
	for (int i = 0; i < (int)strtol(argv[3], NULL, 10); i++) {
		int64_t since;

		any_range(&a, i);
		since = ts_clock_us();
		questions[q].ask(&a);
		inside_print(i == 0, inside_ms(since));
	}
	printf("]}\n");
	ts_frame_contexts_release(a.contexts);
	ts_tile_ipus_fini(&a.tiles);
	ts_trace_release(a.trace);
	inside_close(&a.in);
	return 0;
}
