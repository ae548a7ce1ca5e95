/* SPDX-License-Identifier: MIT */
/*
 * test_stacks - merged flame graphs from the section of the stacks against those from the rows (which test_flame holds against a
 * slow computation): the same trees with the same sums, for any range of cycles or of steps, on random reports of a
 * few pages. Steps that overlap, rows without numbers, steps that are not there, contexts, names of any kind; and sections
 * as nobody wrote them.
 */
#include "config.h"

#include <locale.h>

#include "depth.h"
#include "index_dir.h"

#include "tilescope/base/mem.h"
#include "tilescope/report/index_stacks.h"
#include "tilescope/report/memory.h"

enum { IPUS = 3, SEEDS = 24, RANGES = 24, PROGRAMS = 12, CONTEXTS = 7, HOSTILE = 60 };

enum wrong {
	OVERLAPS = 1,
	ORPHANS = 2,
	NO_NUMBERS = 4,
	REVERSED = 8,
	HAS_CONTEXTS = 16,
	GAPS = 32,   /* of row ids, and of steps */
	RANDOM = 64, /* programs in no order */
	FALLS = 128,
	STEPS_FALL = 256,
	MANY_AT_ONCE = 512,
	TWO_CLASSES = 1024,
};

struct fixture {
	struct index_dir d;
	sqlite3 *db;
	struct ts_report *report;
	struct ts_reader *bare, *rd; /* without the index, and with it */
	struct ts_trace *trace;
	struct ts_frame_contexts *contexts;
	struct ts_index *index;
	uint64_t seed;
	int64_t end, last_step;
};

static int64_t
any(struct fixture *f, int64_t below)
{
	f->seed ^= f->seed << 13;
	f->seed ^= f->seed >> 7;
	f->seed ^= f->seed << 17;
	return (int64_t)(f->seed % (uint64_t)below);
}

static void TS_PRINTF(2, 3) sql(struct fixture *f, const char *format, ...)
{
	char *why = NULL, *text;
	va_list ap;

	va_start(ap, format);
	text = sqlite3_vmprintf(format, ap);
	va_end(ap);
	ck_assert_msg(sqlite3_exec(f->db, text, NULL, NULL, &why) == SQLITE_OK, "%s: %s", text,
		why);
	sqlite3_free(text);
}

static sqlite3_stmt *
statement(struct fixture *f, const char *text)
{
	sqlite3_stmt *s;

	ck_assert_int_eq(sqlite3_prepare_v2(f->db, text, -1, &s, NULL), SQLITE_OK);
	return s;
}

static void
run(sqlite3_stmt *s)
{
	ck_assert_int_eq(sqlite3_step(s), SQLITE_DONE);
	sqlite3_reset(s);
	sqlite3_clear_bindings(s);
}

/* --- a random report -------------------------------------------------------------------------------- */

static const char *const names[] = {"bert/layer/0", "bert/layer/1", "bert", "a;b/c", "External", "",
	"layer/0/matmul"};
static const char *const types[] = {"OnTileExecute", "DoExchange", "Sync", "New;kind"};

static void
fill_programs(struct fixture *f, int wrong)
{
	for (int i = 0; i < CONTEXTS && wrong & HAS_CONTEXTS; i++)
		if (i > 0 && any(f, 3)) /* it has a parent */
			sql(f, "INSERT INTO context VALUES(%d, %d, 'poplar', '%s')", i,
				(int)any(f, i), names[any(f, 3)]);
		else
			sql(f, "INSERT INTO context VALUES(%d, NULL, 'poplar', '%s')", i,
				names[any(f, 3)]);
	for (int i = 0; i < PROGRAMS; i++) {
		sql(f, "INSERT INTO program VALUES(%d, 'DoExchange', '%s', NULL)", i,
			names[any(f, TS_COUNT(names))]);
		if (wrong & HAS_CONTEXTS && any(f, 4))
			sql(f, "UPDATE program SET context = %d WHERE program = %d",
				(int)any(f, CONTEXTS), i);
		if (any(f, 4) == 0)
			sql(f, "UPDATE program SET name = NULL WHERE program = %d", i);
	}
}

static void
put_step(struct fixture *f, sqlite3_stmt *s, int64_t step, int wrong)
{
	int64_t program = wrong & RANDOM || any(f, 40) == 0 ? any(f, PROGRAMS) : step % PROGRAMS;

	sqlite3_bind_int64(s, 1, step);
	sqlite3_bind_text(s, 2,
		any(f, 60) ? types[program % (int64_t)TS_COUNT(types)] : "OnTileExecute", -1,
		SQLITE_STATIC);
	if (any(f, 30))
		sqlite3_bind_int64(s, 3, program);
	if (any(f, 20) == 0)
		sqlite3_bind_text(s, 4, names[any(f, TS_COUNT(names))], -1, SQLITE_STATIC);
	if (wrong & TWO_CLASSES && any(f, 50) == 0) {
		bool external = any(f, 2) == 0;

		sqlite3_bind_text(s, 2, external ? "Sync" : "External Sync", -1, SQLITE_STATIC);
		sqlite3_bind_text(s, 4, "x", -1, SQLITE_STATIC);
		sqlite3_bind_text(s, 5, external ? "External" : NULL, -1, SQLITE_STATIC);
	}
	run(s);
}

static void
put_row(struct fixture *f, sqlite3_stmt *s, int64_t step, int ipu, int64_t start, int64_t length,
	int wrong)
{
	int64_t end = wrong & REVERSED && any(f, 30) == 0 ? start / 2 : start + length;
	int64_t bad = wrong & NO_NUMBERS ? any(f, 60) : 60;

	for (int i = 1; i <= 5; i++)
		if (bad != i)
			sqlite3_bind_int64(s, i,
				i == 1		 ? step
					: i == 2 ? ipu
					: i == 3 ? (any(f, 5) ? length : any(f, 50))
					: i == 4 ? start
						 : end);
	f->end = ts_max_i64(f->end, end);
	run(s);
}

static void
fill(struct fixture *f, int wrong, int64_t steps, int ipus)
{
	sqlite3_stmt *step = statement(f, "INSERT INTO step VALUES(?, ?, ?, ?, ?)");
	sqlite3_stmt *part = statement(f,
		"INSERT INTO step_ipu(step, ipu, cycles, start, \"end\") VALUES(?, ?, ?, ?, ?)");
	int64_t at[IPUS] = {0}, number = 0;

	for (int64_t s = 0; s < steps; s++) {
		number += wrong & GAPS ? 1 + any(f, 3) : 1;
		if (!(wrong & ORPHANS) || any(f, 30))
			put_step(f, step, number, wrong);
		for (int i = 0; i < ipus; i++) {
			int64_t length = any(f, 7) ? any(f, 30) : 0, start = at[i];

			if (any(f, 9) == 0)
				continue;
			if (wrong & OVERLAPS && any(f, 6) == 0)
				length += any(f, 400);
			if (wrong & MANY_AT_ONCE)
				length += 5000;
			if (wrong & FALLS && any(f, 900) == 0)
				start = ts_max_i64(0, start - any(f, 100));
			put_row(f, part,
				wrong & STEPS_FALL && any(f, 400) == 0 ? number - 2 : number, i * 2,
				start, length, wrong);
			at[i] += wrong & OVERLAPS && any(f, 3) ? any(f, 12) : length + any(f, 3);
			if (wrong & MANY_AT_ONCE)
				at[i] -= ts_min_i64(at[i], 4990);
		}
		if (wrong & GAPS && any(f, 20) == 0)
			sql(f, "UPDATE sqlite_sequence SET seq = seq + %d", (int)any(f, 100));
	}
	f->last_step = number;
	sqlite3_finalize(step);
	sqlite3_finalize(part);
}

static struct ts_reader *
reader(struct fixture *f)
{
	struct ts_reader *rd;
	struct ts_err err = {0};

	ck_assert_msg(ts_reader_open(&rd, f->report, &err) == TS_OK, "%s", err.msg);
	return rd;
}

static void
begin(struct fixture *f, int n, int wrong, int64_t steps, int ipus)
{
	struct ts_err err = {0};
	char path[INDEX_PATH];

	memset(f, 0, sizeof(*f));
	f->seed = 0x9e3779b97f4a7c15u * (uint64_t)(n + 1);
	index_dir_begin(&f->d);
	snprintf(path, sizeof(path), "%s/report.tilescope", f->d.dir);
	ck_assert_int_eq(sqlite3_open(path, &f->db), SQLITE_OK);
	sql(f,
		"PRAGMA synchronous = OFF; BEGIN; CREATE TABLE report(key TEXT, value TEXT);"
		"INSERT INTO report VALUES('store_version', '1');"
		"CREATE TABLE program(program INTEGER PRIMARY KEY, type TEXT, name TEXT, context INTEGER);"
		"CREATE TABLE step(step INTEGER PRIMARY KEY, type TEXT, program INTEGER, name TEXT, sync_type TEXT);"
		"CREATE TABLE step_ipu(n INTEGER PRIMARY KEY AUTOINCREMENT, step INTEGER, ipu INTEGER,"
		" cycles INTEGER, start INTEGER, \"end\" INTEGER)");
	if (wrong & HAS_CONTEXTS)
		sql(f, "CREATE TABLE context(context INTEGER PRIMARY KEY, parent INTEGER, layer TEXT, name TEXT)");
	fill_programs(f, wrong);
	fill(f, wrong, steps, ipus);
	sql(f, "COMMIT");
	f->report = index_dir_open(&f->d, "report.tilescope");
	f->bare = reader(f);
	f->rd = reader(f);
	ck_assert_msg(ts_trace_open(&f->trace, f->bare, NULL, &err) == TS_OK, "%s", err.msg);
	ck_assert_msg(ts_frame_contexts_read(&f->contexts, f->bare, NULL, NULL, &err) == TS_OK,
		"%s", err.msg);
	ck_assert((f->contexts != NULL) == ((wrong & HAS_CONTEXTS) != 0));
}

/* The section, by the usual pass or by the tight one; what there is now. */
static void
build(struct fixture *f, bool tight)
{
	static const struct ts_pass *const tight_passes[] = {&ts_pass_stacks_tight, NULL};
	static const struct ts_pass *const passes[] = {&ts_pass_stacks, NULL};
	struct ts_err err = {0};
	struct ts_build *b;
	bool busy;

	ck_assert_int_eq(ts_build_new_with(&b, &busy, f->report, &f->d.c, NULL,
				 ts_section_bit(TS_SECTION_STACKS), 4,
				 tight ? tight_passes : passes, &err),
		TS_OK);
	ck_assert_int_eq(ts_build_stages(b), 1);
	ck_assert_int_eq(ts_build_parts(b, 0), 1);
	ck_assert_msg(ts_build_begin(b, 0, &err) == TS_OK, "%s", err.msg);
	ck_assert_msg(ts_build_part(b, 0, 0, f->bare, NULL, &err) == TS_OK, "%s", err.msg);
	ck_assert_msg(ts_build_finish(&f->index, b, 0, f->bare, NULL, &err) == TS_OK, "%s",
		err.msg);
	ts_build_free(b);
	ts_reader_set_index(f->rd, f->index);
}

static void
end(struct fixture *f)
{
	ts_frame_contexts_release(f->contexts);
	ts_trace_release(f->trace);
	ts_reader_close(f->bare);
	ts_reader_close(f->rd);
	ts_index_release(f->index);
	ts_report_close(f->report);
	sqlite3_close(f->db);
	index_dir_end(&f->d);
}

/* --- the same trees --------------------------------------------------------------------------------- */

static struct ts_flame *
merge(struct fixture *f, struct ts_reader *rd, struct ts_flame_range range)
{
	struct ts_flame *flame;
	struct ts_err err = {0};

	ck_assert_msg(ts_flame_read(&flame, rd, f->trace, f->contexts, range, NULL, NULL, &err) ==
			TS_OK,
		"%s", err.msg);
	return flame;
}

static void
same_name(const struct ts_flame_tree *a, const struct ts_flame_tree *b, size_t i)
{
	size_t n, m;
	const char *x = ts_frame_name(&a->flame->frames, a->node[i].frame, &n);
	const char *y = ts_frame_name(&b->flame->frames, b->node[i].frame, &m);

	ck_assert_msg(n == m && memcmp(x, y, n) == 0, "node %zu: %.*s, %.*s", i, (int)n, x, (int)m,
		y);
}

static void
same_trees(struct ts_flame *a, struct ts_flame *b, int64_t ipu)
{
	struct ts_flame_tree x, y;
	struct ts_err err = {0};

	ck_assert_int_eq(ts_flame_tree_make(&x, a, ipu, &err), TS_OK);
	ck_assert_int_eq(ts_flame_tree_make(&y, b, ipu, &err), TS_OK);
	ck_assert_uint_eq(x.count, y.count);
	for (size_t i = 0; i < x.count; i++) {
		const struct ts_flame_node *k = &x.node[i], *l = &y.node[i];

		same_name(&x, &y, i);
		ck_assert_int_eq(k->sum.cycles, l->sum.cycles);
		ck_assert_int_eq(k->sum.own, l->sum.own);
		ck_assert_int_eq(k->sum.steps, l->sum.steps);
		ck_assert_int_eq(k->sum.covered, l->sum.covered);
		ck_assert_uint_eq(k->parent, l->parent);
		ck_assert_uint_eq(k->inside, l->inside);
		ck_assert_uint_eq(k->classes, l->classes);
		ck_assert_uint_eq(k->class_of, l->class_of);
	}
	ts_flame_tree_fini(&x);
	ts_flame_tree_fini(&y);
}

/* Merged from the rows, and from the index. */
static void
compare(struct fixture *f, struct ts_flame_range range)
{
	struct ts_flame *rows = merge(f, f->bare, range), *kept = merge(f, f->rd, range);

	ck_assert_int_eq(rows->rows, kept->rows);
	ck_assert_int_eq(rows->total, kept->total);
	ck_assert_uint_eq(rows->ipus, kept->ipus);
	for (int64_t ipu = 0; ipu < 2 * IPUS; ipu += 2)
		same_trees(rows, kept, ipu);
	same_trees(rows, kept, TS_UNKNOWN);
	ts_flame_release(rows);
	ts_flame_release(kept);
}

/* Of cycles, or of steps; at its ends steps may begin and end. */
static struct ts_flame_range
any_range(struct fixture *f)
{
	struct ts_flame_range r = TS_FLAME_ALL;
	int64_t width = f->end + 10;

	for (int i = 0; i < 12 && any(f, 12); i++)
		width = width / 2 + 1;
	if (any(f, 2)) {
		r.from = any(f, f->end + 20) - 10;
		r.to = r.from + width;
	} else {
		r.first_step = any(f, f->last_step + 3);
		r.steps = 1 + width * f->last_step / (f->end + 10);
	}
	if (any(f, 8) == 0)
		r.from = INT64_MIN;
	if (any(f, 8) == 0)
		r.to = INT64_MAX;
	return r;
}

/* Does the section say it, without the rows? */
static bool
is_kept(struct fixture *f, struct ts_flame_range range)
{
	struct ts_stack_sum *sum = NULL;
	struct ts_stacks s;
	struct ts_err err = {0};

	if (!ts_stacks_open(&s, f->index))
		return false;
	ck_assert_msg(ts_stacks_read(&sum, &s, f->rd, &range, &err) == TS_OK, "%s", err.msg);
	ts_stacks_close(&s);
	free(sum);
	return sum != NULL;
}

static const int kinds[] = {0, OVERLAPS, OVERLAPS | HAS_CONTEXTS | RANDOM,
	OVERLAPS | ORPHANS | NO_NUMBERS | REVERSED, HAS_CONTEXTS | GAPS | NO_NUMBERS,
	OVERLAPS | GAPS | ORPHANS | HAS_CONTEXTS, RANDOM | REVERSED, OVERLAPS | STEPS_FALL};

START_TEST(trees_are_those_of_the_rows)
{
	int wrong = kinds[_i % (int)TS_COUNT(kinds)], kept = 0;
	struct fixture f;

	begin(&f, _i, wrong, 2500 + 1000 * (_i % 4), 1 + _i % IPUS);
	build(&f, _i % 2);
	ck_assert(is_kept(&f, TS_FLAME_ALL));
	compare(&f, TS_FLAME_ALL);
	for (int i = 0; i < RANGES; i++) {
		struct ts_flame_range range = any_range(&f);

		kept += is_kept(&f, range);
		compare(&f, range);
	}
	ck_assert_int_ge(kept, wrong & STEPS_FALL ? RANGES / 5 : RANGES / 2);
	end(&f);
}
END_TEST

/* More than one level of the tree. */
START_TEST(many_pages)
{
	struct fixture f;
	struct ts_stacks s;

	begin(&f, 77, _i ? OVERLAPS : 0, 36000, 1);
	build(&f, _i);
	ck_assert(ts_stacks_open(&s, f.index));
	ck_assert_uint_ge(s.head->pages, 30);
	ck_assert_uint_ge(s.head->levels, 2);
	ck_assert_uint_le(s.head->level[0], _i ? 17 : 33);
	ts_stacks_close(&s);
	compare(&f, TS_FLAME_ALL);
	for (int i = 0; i < RANGES; i++)
		compare(&f, any_range(&f));
	end(&f);
}
END_TEST

/* What cannot be kept is left to the rows. */
START_TEST(left_to_the_rows)
{
	static const int wrong[] = {FALLS, MANY_AT_ONCE, TWO_CLASSES};
	struct ts_stacks s;
	struct fixture f;
	size_t size;

	begin(&f, 5 + _i, wrong[_i], 3000, 2);
	build(&f, false);
	ck_assert_ptr_nonnull(ts_index_section(f.index, TS_SECTION_STACKS, &size));
	ck_assert(!ts_stacks_open(&s, f.index));
	compare(&f, TS_FLAME_ALL);
	compare(&f, any_range(&f));
	end(&f);
}
END_TEST

/* A section for stacks of names alone says nothing of those with contexts. */
START_TEST(contexts_have_to_be_those_of_the_section)
{
	struct ts_frame_contexts *contexts;
	struct fixture f;

	begin(&f, 3, HAS_CONTEXTS, 3000, 2);
	build(&f, false);
	contexts = f.contexts;
	f.contexts = NULL;
	compare(&f, TS_FLAME_ALL);
	f.contexts = contexts;
	compare(&f, TS_FLAME_ALL);
	end(&f);
}
END_TEST

/* --- sections that nobody wrote ----------------------------------------------------------------------- */

static void
write_section(struct fixture *f, const void *bytes, size_t n)
{
	struct ts_section_writer *w;
	struct ts_err err = {0};

	ck_assert_int_eq(ts_section_create(&w, &f->d.c, f->report, TS_SECTION_STACKS, &err), TS_OK);
	ck_assert_int_eq(ts_section_append(w, NULL, bytes, n, &err), TS_OK);
	ck_assert_int_eq(ts_section_commit(w, &err), TS_OK);
	ts_reader_set_index(f->rd, NULL);
	ts_index_release(f->index);
	ck_assert_int_eq(ts_index_open(&f->index, &f->d.c, f->report, NULL, NULL, &err), TS_OK);
	ts_reader_set_index(f->rd, f->index);
}

static void
alter(struct fixture *f, unsigned char *bytes, size_t n)
{
	static const uint64_t numbers[] = {0, 1, UINT64_MAX, INT64_MAX, UINT64_C(1) << 62, 65535,
		INT32_MAX, 7};

	for (int64_t k = 1 + any(f, 3); k-- > 0;) {
		size_t at = (size_t)any(f,
			any(f, 2) ? (int64_t)ts_min_i64((int64_t)n, 400) : (int64_t)n);

		if (any(f, 2))
			bytes[at] = (unsigned char)any(f, 256);
		else if (at / 8 * 8 + 8 <= n)
			memcpy(bytes + at / 8 * 8, &numbers[any(f, TS_COUNT(numbers))], 8);
	}
}

START_TEST(sections_that_nobody_wrote)
{
	const unsigned char *payload;
	unsigned char *bytes;
	struct fixture f;
	size_t n;

	begin(&f, 31 + _i, kinds[_i], 3000, 2);
	build(&f, _i % 2);
	payload = ts_index_section(f.index, TS_SECTION_STACKS, &n);
	bytes = malloc(2 * n);
	ck_assert_ptr_nonnull(bytes);
	memcpy(bytes + n, payload, n);
	for (int i = 0; i < HOSTILE; i++) {
		size_t length = any(&f, 9) ? n : (size_t)any(&f, (int64_t)n);
		struct ts_flame_tree tree;

		memcpy(bytes, bytes + n, n);
		alter(&f, bytes, n);
		write_section(&f, bytes, length);
		for (int k = 0; k < 3; k++) {
			struct ts_flame *flame = merge(&f, f.rd, k ? any_range(&f) : TS_FLAME_ALL);

			ck_assert_int_eq(ts_flame_tree_make(&tree, flame, TS_UNKNOWN, NULL), TS_OK);
			for (size_t j = 0; j < tree.count; j++) {
				ck_assert_int_ge(tree.node[j].sum.cycles, 0);
				ck_assert_int_ge(tree.node[j].sum.covered, TS_UNKNOWN);
			}
			ts_flame_tree_fini(&tree);
			ts_flame_release(flame);
		}
	}
	free(bytes);
	end(&f);
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("stacks");
	TCase *random = tcase_create("random"), *odd = tcase_create("odd");
	SRunner *runner = srunner_create(s);
	int failed;

	setlocale(LC_ALL, "C.UTF-8");
	tcase_add_loop_test(random, trees_are_those_of_the_rows, 0, sample_of(SEEDS));
	tcase_add_loop_test(random, many_pages, 0, 2);
	tcase_add_loop_test(odd, left_to_the_rows, 0, 3);
	tcase_add_test(odd, contexts_have_to_be_those_of_the_section);
	tcase_add_loop_test(odd, sections_that_nobody_wrote, 0, 4);
	tcase_set_timeout(random, 120);
	tcase_set_timeout(odd, 120);
	suite_add_tcase(s, random);
	suite_add_tcase(s, odd);
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
