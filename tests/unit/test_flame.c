/* SPDX-License-Identifier: MIT */
/*
 * test_flame - sums by stack, and paths along the time, against slow computations on random small reports: stacks as
 * text, what intervals cover cycle by cycle. And names, contexts and intervals as no sound report has them.
 */
#include "config.h"

#include <locale.h>

#include "tilescope/base/mem.h"
#include "tilescope/report/flame.h"
#include "tilescope/report/memory.h"

#include "depth.h"
#include "made_report.h"

enum {
	SEEDS = 40,
	STEPS = 60,
	IPUS = 3,
	END = 1200,
	PATHS = 4096,
	PATH = 2048,
	CONTEXTS = 12,
	PROGRAMS = 10
};

/* --- a report, and what it means -------------------------------------------------------------------- */

struct row {
	bool there;
	int64_t cycles, start, end;
};

struct truth {
	char context[CONTEXTS][PATH];  /* path from the root, parts joined with '/' */
	int program_context[PROGRAMS]; /* -1: none */
	char stack[STEPS][PATH];
	struct row row[STEPS][IPUS];
};

static const char *const parts[] = {"bert", "layer", "a;b", "conv", "", "x"};

/* A name of up to four parts. */
static void
make_name(struct fixture *f, char out[64])
{
	int n = (int)rnd(f, 4) + 1;

	out[0] = '\0';
	for (int i = 0; i < n; i++)
		snprintf(out + strlen(out), 64 - strlen(out), "%s%s", i ? "/" : "",
			parts[rnd(f, TS_COUNT(parts))]);
}

/* Text as a list of its parts, none of them empty. */
static int
list_of(char part[64][64], const char *text)
{
	int n = 0, at = 0;

	for (;; text++) {
		if (*text && *text != '/') {
			part[n][at++] = *text;
			continue;
		}
		part[n][at] = '\0';
		n += at > 0;
		at = 0;
		if (!*text)
			return n;
	}
}

/* `path` goes on with `name`, without what it ends with already. */
static void
extend(char path[PATH], const char *name)
{
	static char a[64][64], b[64][64];
	int na = list_of(a, path), nb = list_of(b, name), over = 0;

	for (int k = 1; k <= na && k <= nb; k++) {
		bool equal = true;

		for (int i = 0; i < k; i++)
			equal &= strcmp(a[na - k + i], b[i]) == 0;
		over = equal ? k : over;
	}
	for (int i = over; i < nb; i++)
		snprintf(path + strlen(path), PATH - strlen(path), "%s%s", *path ? "/" : "", b[i]);
}

static void
make_contexts(struct fixture *f, struct truth *t)
{
	char name[64];

	sql(f,
		"CREATE TABLE context(context INTEGER PRIMARY KEY, parent INTEGER, layer TEXT, name TEXT);"
		"CREATE TABLE program(program INTEGER PRIMARY KEY, type TEXT, name TEXT, context INTEGER)");
	for (int i = 0; i < CONTEXTS; i++) {
		int parent = i > 0 && rnd(f, 4) ? (int)rnd(f, (unsigned)i) : -1;

		make_name(f, name);
		strcpy(t->context[i], parent < 0 ? "" : t->context[parent]); /* NOLINT: as long */
		extend(t->context[i], name);
		if (parent < 0)
			sql(f, "INSERT INTO context VALUES(%d, NULL, 'poplar', '%s')", i + 1, name);
		else
			sql(f, "INSERT INTO context VALUES(%d, %d, 'poplar', '%s')", i + 1,
				parent + 1, name);
	}
	for (int i = 0; i < PROGRAMS; i++) {
		t->program_context[i] = rnd(f, 3) ? (int)rnd(f, CONTEXTS) : -1;
		if (t->program_context[i] < 0)
			sql(f, "INSERT INTO program VALUES(%d, 'DoExchange', NULL, NULL)", i);
		else
			sql(f, "INSERT INTO program VALUES(%d, 'DoExchange', NULL, %d)", i,
				t->program_context[i] + 1);
	}
}

static void
make_step(struct fixture *f, struct truth *t, int i)
{
	static const char *const types[] = {"OnTileExecute", "DoExchange", "Sync", "New;kind"};
	const char *type = types[rnd(f, TS_COUNT(types))];
	int program = (int)rnd(f, PROGRAMS);
	bool named = rnd(f, 4) > 0, has_program = rnd(f, 5) > 0;
	char name[64], path[PATH] = "", number[16] = "NULL";

	make_name(f, name);
	if (has_program) {
		snprintf(number, sizeof(number), "%d", program);
		if (t->program_context[program] >= 0)
			strcpy(path, t->context[t->program_context[program]]); /* NOLINT: as long */
	}
	if (named)
		extend(path, name);
	strcpy(t->stack[i], "Engine::run"); /* NOLINT: constant text */
	extend(t->stack[i], path);
	extend(t->stack[i], type);
	for (char *c = t->stack[i]; *c; c++)
		*c = *c == ';' ? ':' : *c == '/' ? ';' : *c;
	sql(f, "INSERT INTO step VALUES(%d, 0, '%s', %s, %s%s%s)", i, type, number,
		named ? "'" : "", named ? name : "NULL", named ? "'" : "");
}

static void
make_rows(struct fixture *f, struct truth *t)
{
	int64_t at[IPUS] = {0};

	for (int i = 0; i < STEPS; i++)
		for (int k = 0; k < IPUS; k++) {
			struct row *r = &t->row[i][k];

			r->there = rnd(f, 5) > 0;
			at[k] += rnd(f, 3) ? rnd(f, 16) : 0;
			r->start = at[k];
			r->end = r->start + (rnd(f, 6) ? rnd(f, 40) : 0);
			r->cycles = rnd(f, 4) ? r->end - r->start : rnd(f, 50);
			if (r->there)
				sql(f, "INSERT INTO step_ipu VALUES(%d, %d, %d, %d, %d)", i, k + 4,
					(int)r->cycles, (int)r->start, (int)r->end);
		}
}

static void
make_report(struct fixture *f, struct truth *t, unsigned seed)
{
	memset(t, 0, sizeof(*t));
	make_relations(f, seed);
	sql(f,
		"CREATE TABLE step(step INTEGER PRIMARY KEY, run INTEGER, type TEXT, program INTEGER, name TEXT);"
		"CREATE TABLE step_ipu(step INTEGER, ipu INTEGER, cycles INTEGER, start INTEGER, \"end\" INTEGER)");
	make_contexts(f, t);
	for (int i = 0; i < STEPS; i++)
		make_step(f, t, i);
	make_rows(f, t);
	open_report(f);
}

/* --- the slow way ----------------------------------------------------------------------------------- */

struct sum {
	char path[PATH];
	int64_t cycles, steps, covered;
	bool at[END + 100];
};

/* The part of a row in a range: its cycles, and [*from, *to). */
static bool
inside(const struct row *r, const struct ts_flame_range *range, int step, int64_t *from,
	int64_t *to, int64_t *cycles)
{
	if (!r->there ||
		(range->steps &&
			(step < range->first_step || step >= range->first_step + range->steps)))
		return false;
	*from = r->start > range->from ? r->start : range->from;
	*to = r->end < range->to ? r->end : range->to;
	*cycles = r->cycles;
	if (r->start == r->end)
		return r->start >= range->from && r->start < range->to;
	if (*from >= *to)
		return false;
	if ((*from != r->start || *to != r->end) && *to - *from < *cycles)
		*cycles = *to - *from;
	return true;
}

static struct sum *
sum_of(struct sum *sums, int *n, const char *path, size_t length)
{
	for (int i = 0; i < *n; i++)
		if (strlen(sums[i].path) == length && memcmp(sums[i].path, path, length) == 0)
			return &sums[i];
	ck_assert_int_lt(*n, PATHS);
	memcpy(sums[*n].path, path, length);
	return &sums[(*n)++];
}

/* All frames of an IPU: every beginning of every stack. */
static int
slow_sums(struct sum *sums, const struct truth *t, int ipu, const struct ts_flame_range *range)
{
	int64_t from, to, cycles;
	int n = 0;

	for (int i = 0; i < STEPS; i++) {
		if (!inside(&t->row[i][ipu], range, i, &from, &to, &cycles))
			continue;
		for (const char *c = t->stack[i];; c++) {
			struct sum *s;

			if (*c && *c != ';')
				continue;
			s = sum_of(sums, &n, t->stack[i], (size_t)(c - t->stack[i]));
			s->cycles += cycles;
			s->steps++;
			for (int64_t at = from; at < to; at++)
				s->at[at] = true;
			if (!*c)
				break;
		}
	}
	for (int i = 0; i < n; i++)
		for (int k = 0; k < END; k++)
			sums[i].covered += sums[i].at[k];
	return n;
}

static struct ts_trace *
open_trace(struct fixture *f)
{
	struct ts_trace *trace;
	struct ts_err err = {0};

	ck_assert_msg(ts_trace_open(&trace, f->reader, NULL, &err) == TS_OK, "%s", err.msg);
	return trace;
}

static struct ts_frame_contexts *
read_contexts(struct fixture *f)
{
	struct ts_frame_contexts *c;
	struct ts_err err = {0};

	ck_assert_msg(ts_frame_contexts_read(&c, f->reader, NULL, NULL, &err) == TS_OK, "%s",
		err.msg);
	return c;
}

static struct ts_flame *
read_flame(struct fixture *f, const struct ts_trace *trace, struct ts_frame_contexts *c,
	struct ts_flame_range range)
{
	struct ts_flame *flame;
	struct ts_err err = {0};

	ck_assert_msg(ts_flame_read(&flame, f->reader, trace, c, range, NULL, NULL, &err) == TS_OK,
		"%s", err.msg);
	return flame;
}

/* --- merged ----------------------------------------------------------------------------------------- */

/* The class of a frame is that of most cycles of the steps in it. */
static void
check_class(const struct ts_flame_tree *tree, size_t i)
{
	const struct ts_frames *frames = &tree->flame->frames;
	int64_t by_class[TS_CLASS_COUNT] = {0};
	unsigned classes = 0;

	for (size_t k = i; k <= i + tree->node[i].inside; k++) {
		const struct ts_frame *f = ts_frame_at(frames, tree->node[k].frame);

		by_class[f->class_of] += f->steps ? tree->node[k].sum.own : 0;
		classes |= f->steps ? 1u << f->class_of : 0;
	}
	ck_assert_uint_eq(tree->node[i].classes, classes);
	for (int c = 0; c < TS_CLASS_COUNT; c++)
		ck_assert_int_le(by_class[c], by_class[tree->node[i].class_of]);
}

/* Children come the heaviest first, lie in their parent, and are not more than it. */
static void
check_order(const struct ts_flame_tree *tree)
{
	for (size_t i = 0; i < tree->count; i++) {
		const struct ts_flame_node *k = &tree->node[i];
		int64_t left = k->sum.cycles - k->sum.own, last = INT64_MAX;

		ck_assert_uint_lt(i + k->inside, tree->count);
		for (size_t c = i + 1; c <= i + k->inside; c += tree->node[c].inside + 1) {
			ck_assert_uint_eq(tree->node[c].parent, i);
			ck_assert_int_le(tree->node[c].sum.cycles, last);
			last = tree->node[c].sum.cycles;
			left -= last;
		}
		ck_assert_int_eq(left, 0);
		check_class(tree, i);
	}
}

static void
check_tree(struct ts_flame *flame, const struct truth *t, int ipu,
	const struct ts_flame_range *range)
{
	struct sum *sums = ts_alloc(PATHS, sizeof(*sums));
	int n = slow_sums(sums, t, ipu, range);
	struct ts_flame_tree tree;
	struct ts_strbuf path;
	struct ts_err err = {0};

	ts_strbuf_init(&path, PATH);
	ck_assert(ts_flame_tree_make(&tree, flame, ipu + 4, &err) == TS_OK);
	ck_assert_int_eq((int)tree.count, n);
	check_order(&tree);
	for (size_t i = 0; i < tree.count; i++) {
		struct sum *s;
		int known = n;

		ts_strbuf_reset(&path);
		ts_frame_folded(&path, &flame->frames, tree.node[i].frame);
		s = sum_of(sums, &known, path.s, path.len);
		ck_assert_msg(known == n, "%s", path.s);
		ck_assert_int_eq(tree.node[i].sum.cycles, s->cycles);
		ck_assert_int_eq(tree.node[i].sum.steps, s->steps);
		ck_assert_int_eq(tree.node[i].sum.covered, s->covered);
	}
	ts_strbuf_fini(&path);
	ts_flame_tree_fini(&tree);
	free(sums);
}

START_TEST(sums_are_those_of_all_stacks)
{
	struct truth *t = ts_alloc(1, sizeof(*t));
	struct fixture f;

	make_report(&f, t, (unsigned)_i + 1);
	{
		struct ts_trace *trace = open_trace(&f);
		struct ts_frame_contexts *c = read_contexts(&f);

		for (int turn = 0; turn < 6; turn++) {
			struct ts_flame_range range = TS_FLAME_ALL;
			struct ts_flame *flame;

			if (turn % 2) {
				range.from = rnd(&f, 300);
				range.to = range.from + 1 + rnd(&f, 300);
			}
			if (turn > 2) {
				range.first_step = rnd(&f, STEPS);
				range.steps = 1 + rnd(&f, STEPS);
			}
			flame = read_flame(&f, trace, c, range);
			for (int ipu = 0; ipu < IPUS; ipu++)
				check_tree(flame, t, ipu, &range);
			ts_flame_release(flame);
		}
		ts_frame_contexts_release(c);
		ts_trace_release(trace);
	}
	end(&f);
	free(t);
}
END_TEST

/* All IPUs together are the sum of each. */
START_TEST(all_ipus_are_their_sum)
{
	struct truth *t = ts_alloc(1, sizeof(*t));
	struct ts_flame_tree all, one;
	struct ts_flame *flame;
	struct ts_trace *trace;
	struct fixture f;
	int64_t cycles = 0, covered = 0;

	make_report(&f, t, 7);
	trace = open_trace(&f);
	flame = read_flame(&f, trace, NULL, TS_FLAME_ALL);
	ck_assert(ts_flame_tree_make(&all, flame, TS_UNKNOWN, NULL) == TS_OK);
	for (int i = 0; i < IPUS; i++) {
		ck_assert(ts_flame_tree_make(&one, flame, i + 4, NULL) == TS_OK);
		cycles += one.node[0].sum.cycles;
		covered += one.node[0].sum.covered;
		ts_flame_tree_fini(&one);
	}
	check_order(&all);
	ck_assert_int_eq(all.node[0].sum.cycles, cycles);
	ck_assert_int_eq(all.node[0].sum.covered, covered);
	ck_assert_int_eq(flame->total, cycles);
	ck_assert(ts_flame_tree_make(&one, flame, 99, NULL) == TS_OK); /* no such IPU */
	ck_assert_uint_eq(one.count, 0);
	ts_flame_tree_fini(&one);
	ts_flame_tree_fini(&all);
	ts_flame_release(flame);
	ts_trace_release(trace);
	end(&f);
	free(t);
}
END_TEST

/* --- along the time --------------------------------------------------------------------------------- */

/* Cycles of the steps in [a, b) whose stack begins with `path`; a step of the stack itself in *step. */
static int64_t
slow_cycles(const struct truth *t, int ipu, int64_t a, int64_t b, const char *path, bool whole)
{
	size_t n = strlen(path);
	int64_t sum = 0;

	for (int i = 0; i < STEPS; i++) {
		const struct row *r = &t->row[i][ipu];
		int64_t from = r->start > a ? r->start : a, to = r->end < b ? r->end : b;

		if (r->there && from < to && strncmp(t->stack[i], path, n) == 0 &&
			(t->stack[i][n] == '\0' || (!whole && t->stack[i][n] == ';')))
			sum += to - from;
	}
	return sum;
}

/* What a frame covers of [a, b), cycle by cycle, and how many of its steps begin there. */
static void
check_place(const struct ts_flame_place *place, const struct truth *t, int ipu, int64_t a,
	int64_t b, const char *path)
{
	int64_t covered = 0, begins = 0, runs = 0;

	for (int64_t at = a; at < b; at++)
		covered += slow_cycles(t, ipu, at, at + 1, path, false) > 0;
	for (int i = 0; i < STEPS; i++) {
		const struct row *r = &t->row[i][ipu];
		size_t n = strlen(path);
		bool in = r->there && r->end > a && r->start < b && r->end > r->start &&
			strncmp(t->stack[i], path, n) == 0 &&
			(t->stack[i][n] == '\0' || t->stack[i][n] == ';');

		runs += in;
		begins += in && r->start >= a;
	}
	ck_assert_int_eq(place->covered, covered);
	ck_assert_int_eq(place->begins, begins);
	ck_assert_int_eq(place->runs, runs);
}

/* Each frame of the column's path is the heaviest of those beside it. */
static void
check_column(const struct ts_flame_chart *c, const struct truth *t, int ipu, int x)
{
	const struct ts_frames *frames = &c->frames;
	struct ts_strbuf path;
	int64_t a, b, cycles;

	ts_trace_column(c->from, c->to, c->columns, x, &a, &b);
	if (c->leaf[x] == TS_FLAME_NONE) {
		ck_assert_int_eq(slow_cycles(t, ipu, a, b, "Engine::run", false), 0);
		return;
	}
	ts_strbuf_init(&path, PATH);
	for (int d = 1; d <= ts_frame_at(frames, c->leaf[x])->depth; d++) {
		uint32_t k = ts_frame_up(frames, c->leaf[x], d);

		ts_strbuf_reset(&path);
		ts_frame_folded(&path, frames, k);
		cycles = slow_cycles(t, ipu, a, b, path.s, false);
		ck_assert_int_gt(cycles, 0);
		check_place(ts_flame_place_at(c, x, d), t, ipu, a, b, path.s);
		for (uint32_t o = 1; o < frames->count; o++) {
			if (ts_frame_at(frames, o)->parent != ts_frame_at(frames, k)->parent)
				continue;
			ts_strbuf_reset(&path);
			ts_frame_folded(&path, frames, o);
			ck_assert_int_le(slow_cycles(t, ipu, a, b, path.s, false), cycles);
		}
	}
	ts_strbuf_reset(&path);
	ts_frame_folded(&path, frames, c->leaf[x]);
	ck_assert_str_eq(path.s, t->stack[c->step[x]]);
	cycles = slow_cycles(t, ipu, a, b, path.s, true);
	ck_assert_int_gt(cycles, 0);
	ts_strbuf_fini(&path);
}

START_TEST(columns_show_the_heaviest_path)
{
	struct truth *t = ts_alloc(1, sizeof(*t));
	struct fixture f;

	make_report(&f, t, (unsigned)_i + 100);
	{
		struct ts_trace *trace = open_trace(&f);
		struct ts_frame_contexts *contexts = read_contexts(&f);

		for (int turn = 0; turn < 6; turn++) {
			int64_t from = rnd(&f, 400), to = from + 1 + rnd(&f, 400);
			int ipu = (int)rnd(&f, IPUS);
			struct ts_flame_chart c;

			ck_assert(ts_flame_chart_read(&c, f.reader, trace, contexts, from, to,
					  1 + (int)rnd(&f, 70), ipu + 4, NULL) == TS_OK);
			ck_assert(!c.sampled);
			for (int x = 0; x < c.columns; x++)
				check_column(&c, t, ipu, x);
			ts_flame_chart_fini(&c);
		}
		ts_frame_contexts_release(contexts);
		ts_trace_release(trace);
	}
	end(&f);
	free(t);
}
END_TEST

/* --- as no sound report has them -------------------------------------------------------------------- */

static void
make_tables(struct fixture *f)
{
	make_relations(f, 1);
	sql(f,
		"CREATE TABLE context(context INTEGER PRIMARY KEY, parent INTEGER, layer TEXT, name TEXT);"
		"CREATE TABLE program(program INTEGER PRIMARY KEY, type TEXT, name TEXT, context INTEGER);"
		"CREATE TABLE step(step INTEGER PRIMARY KEY, run INTEGER, type TEXT, program INTEGER, name TEXT);"
		"CREATE TABLE step_ipu(step INTEGER, ipu INTEGER, cycles INTEGER, start INTEGER, \"end\" INTEGER)");
}

/* The stack of a step of the flame, the deepest of those that end in `type`. */
static void
deepest(struct ts_flame *flame, struct ts_strbuf *out)
{
	uint32_t best = 0;

	for (uint32_t i = 0; i < flame->frames.count; i++)
		if (ts_frame_at(&flame->frames, i)->depth >=
			ts_frame_at(&flame->frames, best)->depth)
			best = i;
	ts_strbuf_init(out, 1 << 16);
	ts_frame_folded(out, &flame->frames, best);
}

START_TEST(a_name_of_10000_parts_ends_with_an_ellipsis)
{
	struct ts_flame *flame;
	struct ts_trace *trace;
	struct ts_strbuf path;
	struct fixture f;

	make_tables(&f);
	sql(&f,
		"WITH RECURSIVE n(i, t) AS (SELECT 1, 'a' UNION ALL SELECT i + 1, t || '/b' FROM n WHERE i < 10000)"
		"INSERT INTO step SELECT 0, 0, 'Sync', NULL, t FROM n WHERE i = 10000;"
		"INSERT INTO step_ipu VALUES(0, 0, 10, 0, 10)");
	open_report(&f);
	trace = open_trace(&f);
	flame = read_flame(&f, trace, NULL, TS_FLAME_ALL);
	ck_assert_uint_eq(flame->frames.count, TS_FRAMES_DEPTH);
	deepest(flame, &path);
	ck_assert_ptr_nonnull(strstr(path.s, ";b;b;" TS_FRAMES_MORE ";Sync"));
	ts_strbuf_fini(&path);
	ts_flame_release(flame);
	ts_trace_release(trace);
	end(&f);
}
END_TEST

/* Two contexts that are each other's parent, one that is its own, one whose parent nobody knows, one that is not there. */
START_TEST(contexts_that_go_in_a_circle)
{
	static const char *const want[] = {"Engine::run;" TS_FRAMES_MORE ";two;one;Sync",
		"Engine::run;" TS_FRAMES_MORE ";own;Sync", "Engine::run;lost;Sync",
		"Engine::run;Sync"};
	struct ts_frame_contexts *c;
	struct ts_flame *flame;
	struct ts_trace *trace;
	struct ts_strbuf path;
	struct fixture f;

	make_tables(&f);
	sql(&f,
		"INSERT INTO context VALUES(1, 2, 'a', 'one'), (2, 1, 'a', 'two'), (3, 3, 'a', 'own'), (4, 77, 'a', 'lost');"
		"INSERT INTO program VALUES(0, 'Sync', NULL, 1), (1, 'Sync', NULL, 3), (2, 'Sync', NULL, 4), (3, 'Sync', NULL, 5);"
		"INSERT INTO step VALUES(0, 0, 'Sync', 0, NULL), (1, 0, 'Sync', 1, NULL), (2, 0, 'Sync', 2, NULL), (3, 0, 'Sync', 3, NULL);"
		"INSERT INTO step_ipu VALUES(0, 0, 10, 0, 10), (1, 0, 10, 10, 20), (2, 0, 10, 20, 30), (3, 0, 10, 30, 40)");
	open_report(&f);
	trace = open_trace(&f);
	c = read_contexts(&f);
	ck_assert_int_eq(c->missing, 2); /* 77 and 5 */
	ts_strbuf_init(&path, PATH);
	for (int i = 0; i < 4; i++) {
		struct ts_flame_range one = TS_FLAME_ALL;
		bool found = false;

		one.first_step = i;
		one.steps = 1;
		flame = read_flame(&f, trace, c, one);
		for (uint32_t k = 0; k < flame->cells; k++) {
			if (ts_flame_cell_at(flame, k)->sum.own == 0)
				continue;
			ts_strbuf_reset(&path);
			ts_frame_folded(&path, &flame->frames, ts_flame_cell_at(flame, k)->frame);
			ck_assert_str_eq(path.s, want[i]);
			found = true;
		}
		ck_assert(found);
		ts_flame_release(flame);
	}
	ts_strbuf_fini(&path);
	ts_frame_contexts_release(c);
	ts_trace_release(trace);
	end(&f);
}
END_TEST

/* Numbers at their limit, intervals that end before they begin, rows whose starts fall: nothing is invented. */
START_TEST(rows_that_are_not_sound)
{
	struct ts_flame_tree tree;
	struct ts_flame *flame;
	struct ts_trace *trace;
	struct fixture f;

	make_tables(&f);
	sql(&f,
		"INSERT INTO step VALUES(0, 0, 'Sync', NULL, 'a'), (1, 0, 'Sync', NULL, 'b'), (2, 0, NULL, NULL, NULL);"
		"INSERT INTO step_ipu VALUES(0, 0, 4611686018427387904, 0, 4611686018427387904),"
		"(0, 1, 4611686018427387904, 0, 4611686018427387904), (0, 2, 4611686018427387904, 0, 1),"
		"(1, 0, 7, 50, 20), (1, 1, NULL, 0, 10), (2, 0, 3, 0, 10)");
	open_report(&f);
	trace = open_trace(&f);
	flame = read_flame(&f, trace, NULL, TS_FLAME_ALL);
	ck_assert_int_eq(flame->overflowed, 2); /* what does not fit 63 bits beside the first */
	ck_assert_int_eq(flame->left_out.bad_rows + flame->bad_cycles, 1);
	ck_assert(ts_flame_tree_make(&tree, flame, 0, NULL) == TS_OK);
	ck_assert_int_eq(tree.node[0].sum.cycles, INT64_C(4611686018427387904) + 10);
	ck_assert_int_eq(tree.node[0].sum.covered, TS_UNKNOWN); /* 0, 50, 0: starts fall */
	ts_flame_tree_fini(&tree);
	ts_flame_release(flame);
	ts_trace_release(trace);
	end(&f);
}
END_TEST

START_TEST(nothing_is_no_frame)
{
	struct ts_flame_tree tree;
	struct ts_flame *flame;
	struct ts_trace *trace;
	struct ts_flame_range none = {100, 50, 0, 0};
	struct ts_flame_chart c;
	struct fixture f;

	make_tables(&f);
	sql(&f,
		"INSERT INTO step VALUES(0, 0, 'Sync', NULL, 'a');"
		"INSERT INTO step_ipu VALUES(0, 0, 10, 0, 10)");
	open_report(&f);
	trace = open_trace(&f);
	flame = read_flame(&f, trace, NULL, none);
	ck_assert(ts_flame_tree_make(&tree, flame, TS_UNKNOWN, NULL) == TS_OK);
	ck_assert_uint_eq(tree.count, 0);
	ts_flame_tree_fini(&tree);
	ts_flame_release(flame);
	ck_assert(ts_flame_chart_read(&c, f.reader, trace, NULL, 500, 600, 10, 3, NULL) == TS_OK);
	for (int x = 0; x < c.columns; x++)
		ck_assert_uint_eq(c.leaf[x], TS_FLAME_NONE);
	ts_flame_chart_fini(&c);
	ts_trace_release(trace);
	end(&f);
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("flame");
	TCase *random = tcase_create("random"), *odd = tcase_create("odd");
	SRunner *runner = srunner_create(s);
	int failed;

	setlocale(LC_ALL, "C.UTF-8"); /* which characters a terminal takes */
	tcase_add_loop_test(random, sums_are_those_of_all_stacks, 0, sample_of(SEEDS));
	tcase_add_loop_test(random, columns_show_the_heaviest_path, 0, sample_of(SEEDS));
	tcase_add_test(random, all_ipus_are_their_sum);
	tcase_add_test(odd, a_name_of_10000_parts_ends_with_an_ellipsis);
	tcase_add_test(odd, contexts_that_go_in_a_circle);
	tcase_add_test(odd, rows_that_are_not_sound);
	tcase_add_test(odd, nothing_is_no_frame);
	tcase_set_timeout(random, 120);
	suite_add_tcase(s, random);
	suite_add_tcase(s, odd);
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
