/* SPDX-License-Identifier: MIT */
/*
 * The steps and the lanes of the index against a plain scan of the same tables, over random reports that
 * are not as they should be: overlaps, reversed intervals, missing ids and row ids, numbers that are none,
 * rows of no step; in tables, behind keys and indexes, in views.
 */
#include "config.h"

#include <check.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tilescope/base/mem.h"
#include "tilescope/demo/demo.h"
#include "tilescope/report/index_lanes.h"
#include "tilescope/report/trace.h"
#include "tilescope/report/trace_jump.h"

#include "depth.h"
#include "relations_profile.h"
#include "../../src/report/index_internal.h"

__extension__ typedef __int128 i128;

static uint64_t
next(uint64_t *seed)
{
	*seed ^= *seed << 13;
	*seed ^= *seed >> 7;
	*seed ^= *seed << 17;
	return *seed;
}

static int64_t
below(uint64_t *seed, int64_t n)
{
	return (int64_t)(next(seed) % (uint64_t)n);
}

/* --- random reports -------------------------------------------------------------------------------- */

enum layout { PLAIN, KEY, INDEXED, VIEWS, DISTINCT, LAYOUTS };

static const char *const layout_sql[LAYOUTS] = {
	[PLAIN] = "CREATE TABLE step(step INTEGER, type TEXT);"
		  "CREATE TABLE step_ipu(step INTEGER, ipu INTEGER, cycles INTEGER, start INTEGER, "
		  "\"end\" INTEGER);",
	[KEY] = "CREATE TABLE step(step INTEGER PRIMARY KEY, type TEXT);"
		"CREATE TABLE step_ipu(step INTEGER, ipu INTEGER, cycles INTEGER, start INTEGER, "
		"\"end\" INTEGER);",
	[INDEXED] =
		"CREATE TABLE step(step INTEGER, type TEXT);"
		"CREATE TABLE step_ipu(step INTEGER, ipu INTEGER, cycles INTEGER, start INTEGER, "
		"\"end\" INTEGER); CREATE INDEX i ON step(step); CREATE INDEX k ON step_ipu(step);",
	[VIEWS] =
		"CREATE TABLE s(a INTEGER, b TEXT);"
		"CREATE TABLE x(a INTEGER, b INTEGER, c INTEGER, d INTEGER, e INTEGER);"
		"CREATE VIEW step AS SELECT a AS step, b AS type FROM s;"
		"CREATE VIEW step_ipu AS SELECT a AS step, b AS ipu, c AS cycles, d AS start, e AS "
		"\"end\" FROM x;",
	[DISTINCT] =
		"CREATE TABLE s(a INTEGER, b TEXT);"
		"CREATE TABLE x(a INTEGER, b INTEGER, c INTEGER, d INTEGER, e INTEGER);"
		"CREATE VIEW step AS SELECT DISTINCT a AS step, b AS type FROM s;"
		"CREATE VIEW step_ipu AS SELECT DISTINCT a AS step, b AS ipu, c AS cycles, d AS "
		"start, e AS \"end\" FROM x;",
};

/* What may be wrong with a report (bits). */
enum {
	OVERLAPS = 1 << 0,
	REVERSED = 1 << 1,
	STEP_GAPS = 1 << 2,
	ROWID_GAPS = 1 << 3,
	NO_NUMBERS = 1 << 4,
	ORPHANS = 1 << 5,
	LONG = 1 << 6,
	UNSORTED = 1 << 7,
	TWICE = 1 << 8,
	FALLS = 1 << 9, /* starts of an IPU do not rise */
	WRONGS = 1 << 10,
};

struct bench {
	char dir[64], relations[128], path[128], cache_dir[128];
	struct ts_report *report;
	struct ts_reader *rd;
	struct ts_cache cache;
	struct ts_index *index;
	struct ts_trace *bare, *t; /* without the index, with it */
	struct ts_err err;
};

static void
run(sqlite3 *db, const char *text)
{
	char *why = NULL;

	ck_assert_msg(sqlite3_exec(db, text, NULL, NULL, &why) == SQLITE_OK, "%s: %s", text, why);
}

static void
insert(sqlite3_stmt *stmt, int64_t rowid, const int64_t *v, int n, const char *type, int odd)
{
	sqlite3_reset(stmt);
	sqlite3_clear_bindings(stmt);
	sqlite3_bind_int64(stmt, 1, rowid);
	for (int i = 0; i < n; i++)
		sqlite3_bind_int64(stmt, i + 2, v[i]);
	if (type)
		sqlite3_bind_text(stmt, n + 2, type, -1, SQLITE_STATIC);
	if (odd >= 0 && odd % 3 == 0)
		sqlite3_bind_null(stmt, 2 + odd / 3 % n);
	else if (odd >= 0)
		sqlite3_bind_int64(stmt, 2 + odd / 3 % n, odd % 3 == 1 ? -7 : INT64_MAX);
	ck_assert_int_eq(sqlite3_step(stmt), SQLITE_DONE);
}

static sqlite3_stmt *
prepare(sqlite3 *db, const char *text)
{
	sqlite3_stmt *stmt;

	ck_assert_msg(sqlite3_prepare_v2(db, text, -1, &stmt, NULL) == SQLITE_OK, "%s: %s", text,
		sqlite3_errmsg(db));
	return stmt;
}

static void
fill(sqlite3 *db, enum layout layout, int wrong, int64_t steps, int ipus, uint64_t *seed)
{
	static const char *const types[] = {"OnTileExecute", "DoExchange", "Sync", "Sans",
		"GlobalExchange", "StreamCopyBegin", "StreamCopyMid", "StreamCopyEnd", "odd"};
	bool views = layout == VIEWS || layout == DISTINCT;
	sqlite3_stmt *step = prepare(db,
		views			? "INSERT INTO s(rowid, a, b) VALUES(?1, ?2, ?3)"
			: layout == KEY ? "INSERT INTO step VALUES(?2, ?3)"
					: "INSERT INTO step(rowid, step, type) VALUES(?1, ?2, ?3)");
	sqlite3_stmt *part = prepare(db,
		views ? "INSERT INTO x(rowid, a, b, c, d, e) VALUES(?1, ?2, ?3, ?4, ?5, ?6)"
		      : "INSERT INTO step_ipu(rowid, step, ipu, cycles, start, \"end\") VALUES(?1, "
			"?2, ?3, ?4, ?5, ?6)");
	int64_t clock[8], rowid = 1, part_rowid = 1, id = below(seed, 5);

	for (int i = 0; i < 8; i++)
		clock[i] = below(seed, 1000);
	for (int64_t s = 0; s < steps; s++) {
		int64_t number = wrong & UNSORTED && layout != KEY ? (s * 7919) % steps : id;
		bool missing = wrong & ORPHANS && below(seed, 9) == 0;

		if (!missing)
			insert(step, rowid, &number, 1, types[next(seed) % 9],
				wrong & NO_NUMBERS && layout != KEY && below(seed, 40) == 0 ? 0
											    : -1);
		for (int i = 0; i < ipus; i++) {
			int64_t length = below(seed, 4) == 0 ? 0 : below(seed, 400);
			int64_t v[5] = {number, 3 * i, length, clock[i], clock[i] + length};

			if (below(seed, 12) == 0)
				continue;
			if (wrong & LONG && below(seed, 60) == 0)
				v[4] = v[3] + (int64_t)(next(seed) >> (8 + next(seed) % 40));
			if (wrong & REVERSED && below(seed, 15) == 0)
				v[4] = ts_max_i64(v[3] - below(seed, 900), 0);
			insert(part, part_rowid, v, 5, NULL,
				wrong & NO_NUMBERS && below(seed, 20) == 0 ? (int)below(seed, 15)
									   : -1);
			part_rowid += wrong & ROWID_GAPS ? 1 + below(seed, 3) / 2 * 70 : 1;
			clock[i] += wrong & OVERLAPS ? length / 3 + below(seed, 3)
						     : length + below(seed, 2) * below(seed, 90);
			if (wrong & FALLS && below(seed, 20) == 0)
				clock[i] = ts_max_i64(clock[i] - below(seed, 2000), 0);
		}
		if (!(wrong & TWICE) || layout == KEY || below(seed, 10))
			id += wrong & STEP_GAPS ? 1 + below(seed, 400) * below(seed, 2) : 1;
		rowid += wrong & ROWID_GAPS ? 1 + below(seed, 3) / 2 * 1000 : 1;
	}
	sqlite3_finalize(step);
	sqlite3_finalize(part);
}

/* Build the sections of the steps; which of them there are then. */
static void
build(struct bench *b, int parts)
{
	struct ts_build *build;
	bool busy;

	ck_assert(ts_index_open(&b->index, &b->cache, b->report, NULL, NULL, &b->err) == TS_OK);
	ck_assert_msg(ts_build_new(&build, &busy, b->report, &b->cache, b->index,
			      ts_section_bit(TS_SECTION_STEPS) | ts_section_bit(TS_SECTION_LANES),
			      parts, &b->err) == TS_OK,
		"%s", b->err.msg);
	ck_assert(!busy);
	for (int s = 0; s < ts_build_stages(build); s++) {
		struct ts_index *grown;
		enum ts_code code = ts_build_begin(build, s, &b->err);

		if (code)
			continue;
		for (int i = ts_build_parts(build, s) - 1; i >= 0 && !code; i--)
			code = ts_build_part(build, s, i, b->rd, NULL, &b->err);
		if (code) {
			ts_build_drop(build, s);
			continue;
		}
		if (ts_build_finish(&grown, build, s, b->rd, NULL, &b->err) == TS_OK) {
			ts_index_release(b->index);
			b->index = grown;
		}
	}
	ts_build_free(build);
}

static void
bench_open(struct bench *b, int parts)
{
	struct ts_report_options open = {0};

	ck_assert_msg(ts_report_open(&b->report, b->path, &open, &b->err) == TS_OK, "%s",
		b->err.msg);
	ck_assert_msg(ts_reader_open(&b->rd, b->report, &b->err) == TS_OK, "%s", b->err.msg);
	snprintf(b->cache_dir, sizeof(b->cache_dir), "%s/cache", b->dir);
	ck_assert(ts_cache_init(&b->cache, b->cache_dir, INT64_C(1) << 30, &b->err) == TS_OK);
	ck_assert_msg(b->cache.dir, "%s", b->cache.why);
	(void)!ts_trace_open(&b->bare, b->rd, NULL, &b->err);
	build(b, parts);
	ts_reader_set_index(b->rd, b->index);
	(void)!ts_trace_open(&b->t, b->rd, NULL, &b->err);
}

static void
bench_dir(struct bench *b)
{
	memset(b, 0, sizeof(*b));
	snprintf(b->dir, sizeof(b->dir), "/tmp/ts-lanes-XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(b->dir));
	snprintf(b->relations, sizeof(b->relations), "%s/relations.db", b->dir);
	snprintf(b->path, sizeof(b->path), "%s/profile.pop", b->dir);
}

static void
bench_random(struct bench *b, enum layout layout, int wrong, int64_t steps, int ipus, int parts,
	uint64_t *seed)
{
	sqlite3 *db;

	bench_dir(b);
	ck_assert_int_eq(sqlite3_open(b->relations, &db), SQLITE_OK);
	run(db, "BEGIN");
	run(db, layout_sql[layout]);
	fill(db, layout, wrong, steps, ipus, seed);
	run(db, "COMMIT");
	sqlite3_close(db);
	(layout == KEY ? relations_profile : relations_as_they_are)(b->relations, b->path);
	bench_open(b, parts);
}

static void
bench_close(struct bench *b)
{
	char command[128];

	ts_trace_release(b->bare);
	ts_trace_release(b->t);
	ts_reader_close(b->rd);
	ts_index_release(b->index);
	ts_cache_fini(&b->cache);
	ts_report_close(b->report);
	snprintf(command, sizeof(command), "rm -rf '%s'", b->dir);
	ck_assert_int_eq(system(command), 0);
}

/* --- the plain scan -------------------------------------------------------------------------------- */

struct row {
	int64_t step, ipu, cycles, start, end;
	bool lane, sum; /* it counts in the lanes, in the sums */
	int class_of;	/* -1 = no such step */
};

struct scan {
	struct row *row;
	size_t n, cap;
	int64_t *list, *list_rowid; /* steps of the list (-1 = no number) and their row ids */
	size_t steps, list_cap, rowid_cap;
};

static bool
number(sqlite3_stmt *stmt, int i, int64_t *v)
{
	*v = sqlite3_column_int64(stmt, i);
	return sqlite3_column_type(stmt, i) == SQLITE_INTEGER && *v >= 0 && *v <= INT64_C(1) << 62;
}

static void
scan_list(struct scan *s, sqlite3 *db, enum layout layout)
{
	bool views = layout == VIEWS || layout == DISTINCT;
	sqlite3_stmt *stmt = prepare(db,
		layout == DISTINCT ? "SELECT step, 0 FROM step"
			: views	   ? "SELECT a, rowid FROM s ORDER BY rowid"
				   : "SELECT step, rowid FROM step ORDER BY rowid");

	while (sqlite3_step(stmt) == SQLITE_ROW) {
		void *list = s->list, *rowids = s->list_rowid;

		ck_assert(ts_room(&list, &s->list_cap, s->steps, sizeof(*s->list)));
		ck_assert(ts_room(&rowids, &s->rowid_cap, s->steps, sizeof(*s->list)));
		s->list = list;
		s->list_rowid = rowids;
		if (!number(stmt, 0, &s->list[s->steps]))
			s->list[s->steps] = -1;
		s->list_rowid[s->steps++] = sqlite3_column_int64(stmt, 1);
	}
	sqlite3_finalize(stmt);
}

/* The class of a step: that of the last row that has it. */
static int
scan_class(sqlite3_stmt *stmt, int64_t step)
{
	const char *type;
	int k = -1;

	sqlite3_reset(stmt);
	sqlite3_bind_int64(stmt, 1, step);
	while (sqlite3_step(stmt) == SQLITE_ROW) {
		type = (const char *)sqlite3_column_text(stmt, 0);
		k = (int)ts_step_class_of(type, strlen(type), NULL, 0);
	}
	return k;
}

static void
scan_read(struct scan *s, const struct bench *b, enum layout layout)
{
	bool views = layout == VIEWS || layout == DISTINCT;
	sqlite3_stmt *stmt, *type;
	sqlite3 *db;

	memset(s, 0, sizeof(*s));
	ck_assert_int_eq(sqlite3_open(b->relations, &db), SQLITE_OK);
	scan_list(s, db, layout);
	run(db, views ? "CREATE INDEX look ON s(a)" : "CREATE INDEX look ON step(step)");
	/* a profile's rows of no IPU are of the whole device: they are none of the relation */
	stmt = prepare(db,
		layout == KEY
			? "SELECT step, ipu, cycles, start, \"end\" FROM step_ipu WHERE ipu BETWEEN 0 "
			  "AND 4611686018427387904"
			: "SELECT step, ipu, cycles, start, \"end\" FROM step_ipu");
	type = prepare(db,
		layout == DISTINCT ? "SELECT DISTINCT b FROM s WHERE a = ?1 ORDER BY rowid"
			: views	   ? "SELECT b FROM s WHERE a = ?1 ORDER BY rowid"
				   : "SELECT type FROM step WHERE step = ?1 ORDER BY rowid");
	while (sqlite3_step(stmt) == SQLITE_ROW) {
		bool step, ipu, cycles, start, end;
		void *rows = s->row;
		struct row *r;

		ck_assert(ts_room(&rows, &s->cap, s->n, sizeof(*s->row)));
		s->row = rows;
		r = &s->row[s->n++];
		step = number(stmt, 0, &r->step);
		ipu = number(stmt, 1, &r->ipu);
		cycles = number(stmt, 2, &r->cycles);
		start = number(stmt, 3, &r->start);
		end = number(stmt, 4, &r->end);
		r->lane = step && ipu && start && end;
		r->sum = r->lane && cycles;
		r->class_of = step ? scan_class(type, r->step) : -1;
	}
	sqlite3_finalize(stmt);
	sqlite3_finalize(type);
	run(db, "DROP INDEX look");
	sqlite3_close(db);
}

static void
scan_free(struct scan *s)
{
	free(s->row);
	free(s->list);
	free(s->list_rowid);
}

/* One column of one lane, as trace.h defines it. */
static void
scan_column(const struct scan *s, double share[TS_CLASS_COUNT], bool *begins, int64_t ipu,
	int64_t from, int64_t to, int columns, int x)
{
	int64_t cycles[TS_CLASS_COUNT] = {0}, a, b;
	double left = 1;

	a = from + (int64_t)((i128)(to - from) * x / columns);
	b = from + (int64_t)((i128)(to - from) * (x + 1) / columns);
	b = b > a ? b : a + 1;
	*begins = false;
	for (size_t i = 0; i < s->n; i++) {
		const struct row *r = &s->row[i];
		int64_t lo = ts_max_i64(r->start, a), hi = ts_min_i64(r->end, b);
		int k = r->class_of < 0 ? TS_CLASS_CONTROL : r->class_of;

		if (!r->lane || r->ipu != ipu || lo >= hi)
			continue;
		if (__builtin_add_overflow(cycles[k], hi - lo, &cycles[k]))
			cycles[k] = INT64_MAX;
		*begins |= r->start >= a;
	}
	for (int i = 0; i < TS_CLASS_COUNT; i++) {
		int k = ts_class_order[i];

		share[k] = fmin((double)cycles[k] / (double)(b - a), left);
		left -= share[k];
	}
}

/* --- comparing -------------------------------------------------------------------------------------- */

static void
compare_chart(struct bench *b, const struct ts_trace *t, const struct scan *s, int64_t from,
	int64_t to, int columns, bool must)
{
	struct ts_trace_chart c;

	ck_assert_msg(ts_trace_chart_read(&c, b->rd, t, from, to, columns, t->ipu, t->ipus, NULL,
			      &b->err) == TS_OK,
		"%s", b->err.msg);
	ck_assert(!c.sampled || !must);
	for (int l = 0; l < c.lanes && !c.sampled; l++)
		for (int x = 0; x < columns; x++) {
			double share[TS_CLASS_COUNT];
			bool begins;

			scan_column(s, share, &begins, c.ipu[l], from, to, columns, x);
			for (int k = 0; k < TS_CLASS_COUNT; k++) {
				double is = ts_trace_share(&c, l, (enum ts_step_class)k)[x];

				ck_assert_msg(is == share[k], /* to the last bit */
					"%lld..%lld ipu %lld column %d of %d class %d: %.17g, not %.17g",
					(long long)from, (long long)to, (long long)c.ipu[l], x,
					columns, k, is, share[k]);
			}
			ck_assert_int_eq(ts_trace_start(&c, l)[x], begins);
			ck_assert(!ts_trace_unknown(&c, l)[x]);
		}
	ts_trace_chart_fini(&c);
}

static void
compare_charts(struct bench *b, const struct scan *s, int zooms, bool plain, uint64_t *seed)
{
	int64_t from = b->t->from, length = b->t->to - from;

	compare_chart(b, b->t, s, from, b->t->to, 40, true);
	for (int i = 0; i < zooms; i++) {
		int64_t n = ts_max_i64(length >> next(seed) % 24, 1);
		int64_t at = from + below(seed, length - n + 1);
		int columns = 1 + (int)below(seed, 60);

		compare_chart(b, b->t, s, at, at + n, columns, true);
		if (!plain)
			continue;
		ts_reader_set_index(b->rd, NULL);
		compare_chart(b, b->bare, s, at, at + n, columns, false);
		ts_reader_set_index(b->rd, b->index);
	}
}

static void
read_sums(struct ts_execution *x, struct bench *b, struct ts_index *index)
{
	struct ts_step_classes classes;

	ts_reader_set_index(b->rd, index);
	ck_assert(ts_step_classes_read(&classes, b->rd, NULL, &b->err) == TS_OK);
	ck_assert(ts_execution_read(x, b->rd, &classes, NULL, &b->err) == TS_OK);
	ts_step_classes_fini(&classes);
	ts_reader_set_index(b->rd, b->index);
}

static void
compare_sums(struct bench *b, const struct scan *s)
{
	int64_t cycles = 0, rows = 0;
	struct ts_execution x, y;

	read_sums(&x, b, NULL);
	read_sums(&y, b, b->index);
	ck_assert_int_eq(x.count, y.count);
	ck_assert_int_eq(x.rows, y.rows);
	ck_assert_int_eq(x.bad_rows, y.bad_rows);
	ck_assert_int_eq(x.orphans, y.orphans);
	ck_assert_int_eq(x.reversed, y.reversed);
	ck_assert_int_eq(x.step_ipus, y.step_ipus);
	ck_assert_int_eq(y.rows, s->n);
	for (int i = 0; i < x.count; i++) {
		ck_assert(memcmp(&x.ipu[i], &y.ipu[i], sizeof(x.ipu[i])) == 0);
		cycles += y.ipu[i].step_cycles;
	}
	for (size_t i = 0; i < s->n; i++) {
		rows += s->row[i].sum;
		if (s->row[i].sum && s->row[i].class_of >= 0)
			cycles -= s->row[i].cycles;
	}
	ck_assert_int_eq(cycles, 0);
	ck_assert_int_eq(y.rows - y.bad_rows, rows);
	ts_execution_fini(&x);
	ts_execution_fini(&y);
}

/* Every row of the list has its number, and the number leads to the row. */
static void
compare_list(struct bench *b, const struct scan *s, uint64_t *seed)
{
	ck_assert(!b->t->gaps);
	ck_assert_int_eq(b->t->rows, s->steps);
	for (int i = 0; i < 25; i++) {
		int64_t row = i == 0 ? (int64_t)s->steps - 1 : below(seed, (int64_t)s->steps), at;
		int64_t step = s->list[row], first = -1, count = 0;
		int before = (int)below(seed, 30), after = 1 + (int)below(seed, 30);
		struct ts_trace_window w;
		bool found;

		ck_assert_msg(ts_trace_window_read(&w, b->rd, b->t, 0, row,
				      ts_trace_row_at(b->t, row), before, after, &b->err) == TS_OK,
			"%s", b->err.msg);
		ck_assert_int_eq(w.first_row, ts_max_i64(row - before, 0));
		if (b->t->step.range == TS_RANGE_ALL) /* more where the list begins */
			row = w.first_row + before;
		ck_assert_int_eq(w.count, ts_min_i64(row + after, (int64_t)s->steps) - w.first_row);
		ck_assert_int_eq(w.at_begin, w.first_row == 0);
		ck_assert_int_eq(w.at_end, w.first_row + w.count == (int64_t)s->steps);
		for (int k = 0; k < w.count; k++)
			ck_assert_int_eq(w.row[k].step, s->list[w.first_row + k]);
		ts_trace_window_fini(&w);
		for (size_t k = 0; k < s->steps && step >= 0; k++)
			if (s->list[k] == step && count++ == 0)
				first = (int64_t)k;
		if (step < 0)
			continue;
		ck_assert_msg(ts_trace_find_step(&row, &at, &found, b->rd, b->t, step, &b->err) ==
				TS_OK,
			"%s", b->err.msg);
		ck_assert(found);
		ck_assert_int_eq(row, first);
	}
}

/* --- jumps and the longest steps ------------------------------------------------------------------- */

static bool
runs(const struct row *r, int64_t ipu)
{
	return r->lane && r->ipu == ipu && r->end > r->start;
}

static int
class_of(const struct row *r)
{
	return r->class_of < 0 ? TS_CLASS_CONTROL : r->class_of;
}

/* The start of the step that is the answer; -1: there is none. */
static int64_t
slow_step(const struct scan *s, const struct ts_trace_jump *j)
{
	int64_t best = -1;

	for (size_t i = 0; i < s->n; i++) {
		const struct row *r = &s->row[i];

		if (!runs(r, j->ipu) ||
			(j->goal == TS_GOAL_CLASS && class_of(r) != (int)j->class_of))
			continue;
		if (j->back ? r->start < j->at && r->start > best
			    : r->start > j->at && (best < 0 || r->start < best))
			best = r->start;
	}
	return best;
}

/* The same of a gap: an end behind which nothing runs for a while. */
static int64_t
slow_gap(const struct scan *s, const struct ts_trace_jump *j, int64_t *end)
{
	int64_t best = -1;

	for (size_t i = 0; i < s->n; i++) {
		int64_t from = s->row[i].end, to = INT64_MAX;

		if (!runs(&s->row[i], j->ipu) || (j->back ? from >= j->at : from <= j->at))
			continue;
		for (size_t k = 0; k < s->n && to > from; k++) {
			const struct row *r = &s->row[k];

			if (runs(r, j->ipu) && r->end > from)
				to = ts_min_i64(to, ts_max_i64(r->start, from));
		}
		if (to == INT64_MAX || to - from < j->least || to == from ||
			(best >= 0 && (j->back ? from <= best : from >= best)))
			continue;
		best = from;
		*end = to;
	}
	return best;
}

static void
compare_jump(struct bench *b, const struct ts_trace *t, const struct scan *s,
	struct ts_trace_jump j)
{
	int64_t end = -1, start = j.goal == TS_GOAL_GAP ? slow_gap(s, &j, &end) : slow_step(s, &j);

	ck_assert_msg(ts_trace_jump_read(&j, b->rd, t, NULL, NULL, &b->err) == TS_OK, "%s",
		b->err.msg);
	ck_assert_msg(j.found == (start >= 0) && (!j.found || j.start == start) &&
			(end < 0 || j.end == end),
		"goal %d back %d at %lld least %lld: %lld..%lld, not %lld..%lld", j.goal, j.back,
		(long long)j.at, (long long)j.least, j.found ? (long long)j.start : -1LL,
		j.found ? (long long)j.end : -1LL, (long long)start, (long long)end);
}

static int
by_falling(const void *a, const void *b)
{
	const int64_t *x = a, *y = b;

	return *x > *y ? -1 : *x < *y;
}

/* Is anything read of the report? */
static int64_t
readings(const struct bench *b)
{
	struct ts_db_stats s;

	ts_db_stats(&s, b->rd->db[b->report->binding[TS_STEP_IPU].source]);
	return s.page_hits + s.page_misses + s.statements_cached + s.statements_prepared;
}

/* Can the index that the reader has say where rows stand? */
static bool
index_leads_to_rows(const struct bench *b)
{
	struct ts_lanes lanes;
	bool leads;

	if (!ts_lanes_open(&lanes, b->rd->index))
		return false;
	leads = lanes.head->flags & TS_LANES_ROWID &&
		ts_index_section(b->rd->index, TS_SECTION_STEPS, &(size_t){0});
	ts_lanes_close(&lanes);
	return leads;
}

/* The first of the longest is as long as that of `m` lengths, or not known; without the index nothing is read. */
static void
compare_first(struct bench *b, const struct ts_trace *t, const int64_t *slow, size_t m, int64_t ipu,
	int64_t from, int64_t to)
{
	int64_t before = readings(b);
	struct ts_trace_long first;
	int n;

	ck_assert_msg(ts_trace_longest_first(&first, &n, b->rd, t, ipu, from, to, &b->err) == TS_OK,
		"%s", b->err.msg);
	ck_assert(n == 0 || (m > 0 && first.inside == slow[0]));
	if (index_leads_to_rows(b)) {
		ck_assert_int_eq(n, m > 0);
	} else {
		ck_assert_int_eq(n, 0);
		ck_assert_int_eq(readings(b), before);
	}
}

static void
compare_longest(struct bench *b, const struct ts_trace *t, const struct scan *s, int64_t ipu,
	int64_t from, int64_t to)
{
	struct ts_trace_long *fast = ts_alloc(TS_TRACE_LONGEST, sizeof(*fast));
	int64_t *slow = ts_alloc(s->n + 1, sizeof(*slow));
	size_t m = 0;
	int n, most = from % 2 ? TS_TRACE_LONGEST : 1 + (int)(to % 7);

	ck_assert(fast && slow);
	ck_assert_msg(ts_trace_longest_read(fast, &n, most, b->rd, t, ipu, from, to, NULL, NULL,
			      &b->err) == TS_OK,
		"%s", b->err.msg);
	for (size_t i = 0; i < s->n; i++) {
		const struct row *r = &s->row[i];

		if (runs(r, ipu) && r->start < to && r->end > from)
			slow[m++] = ts_min_i64(r->end, to) - ts_max_i64(r->start, from);
	}
	qsort(slow, m, sizeof(*slow), by_falling);
	ck_assert_int_eq(n, ts_min_i64((int64_t)m, most));
	compare_first(b, t, slow, m, ipu, from, to);
	for (int i = 0; i < n; i++) {
		bool there = false;

		ck_assert_int_eq(fast[i].inside, slow[i]);
		for (size_t k = 0; k < s->n && !there; k++)
			there = runs(&s->row[k], ipu) && s->row[k].step == fast[i].step &&
				s->row[k].start == fast[i].start && s->row[k].end == fast[i].end;
		ck_assert(there);
	}
	free(fast);
	free(slow);
}

/* Nothing runs in the gap that is found, and it is on the right side. */
static void
gap_is_one(struct bench *b, const struct scan *s, struct ts_trace_jump j)
{
	ck_assert_msg(ts_trace_jump_read(&j, b->rd, b->t, NULL, NULL, &b->err) == TS_OK, "%s",
		b->err.msg);
	if (!j.found)
		return;
	ck_assert_int_ge(j.end - j.start, j.least);
	ck_assert(j.back ? j.start < j.at : j.start > j.at);
	for (size_t i = 0; i < s->n; i++)
		ck_assert(!runs(&s->row[i], j.ipu) || s->row[i].end <= j.start ||
			s->row[i].start >= j.end);
}

/* The nearest gap is found where starts rise; the same without the index where none of them is long, too (`bare`). */
static void
compare_jumps(struct bench *b, const struct scan *s, bool rising, bool bare, uint64_t *seed)
{
	int64_t length = b->t->to - b->t->from;

	for (int i = 0; i < 24; i++) {
		struct ts_trace_jump j = {.goal = (enum ts_trace_goal)(i % 3),
			.back = i / 3 % 2,
			.ipu = b->t->ipu[below(seed, b->t->ipus)],
			.at = b->t->from + below(seed, length + 1),
			.class_of = (enum ts_step_class)below(seed, TS_CLASS_COUNT),
			.least = 1 + below(seed, 40)};
		int64_t from = b->t->from + below(seed, length),
			to = from + 1 + below(seed, length);

		if (i % 4 == 0) { /* from a step itself */
			j.ipu = s->row[i * 7 % (int)s->n].ipu;
			j.at = s->row[i * 7 % (int)s->n].start;
		} else if (i % 4 == 1) { /* from where one ends: often in a gap */
			j.ipu = s->row[i * 11 % (int)s->n].ipu;
			j.at = ts_min_i64(ts_max_i64(s->row[i * 11 % (int)s->n].end, b->t->from) +
					below(seed, 3),
				b->t->to);
		}
		if (j.goal != TS_GOAL_GAP || rising)
			compare_jump(b, b->t, s, j);
		else
			gap_is_one(b, s, j);
		compare_longest(b, b->t, s, j.ipu, from, to);
		if (!bare)
			continue;
		ts_reader_set_index(b->rd, NULL);
		compare_jump(b, b->bare, s, j);
		compare_longest(b, b->bare, s, j.ipu, from, to);
		ts_reader_set_index(b->rd, b->index);
	}
}

static void
one_report(enum layout layout, int wrong, int64_t steps, int parts, uint64_t *seed)
{
	int ipus = 1 + (int)below(seed, 4);
	struct bench b;
	struct scan s;

	bench_random(&b, layout, wrong, steps, ipus, parts, seed);
	ck_assert_ptr_nonnull(ts_index_section(b.index, TS_SECTION_STEPS, &(size_t){0}));
	ck_assert_ptr_nonnull(ts_index_section(b.index, TS_SECTION_LANES, &(size_t){0}));
	ck_assert_ptr_nonnull(b.t);
	scan_read(&s, &b, layout);
	compare_sums(&b, &s);
	if (b.t->has_parts)
		compare_charts(&b, &s, 10, wrong == 0 && layout != DISTINCT, seed);
	if (b.t->has_parts && !(wrong & (NO_NUMBERS | TWICE)))
		compare_jumps(&b, &s, !(wrong & FALLS),
			!(wrong & (UNSORTED | REVERSED | LONG | FALLS)), seed);
	if (b.t->step.range != TS_RANGE_KEY)
		compare_list(&b, &s, seed);
	scan_free(&s);
	bench_close(&b);
}

/* _i: the layout */
START_TEST(random_reports)
{
	uint64_t seed = 88172645463325252u + (uint64_t)_i;

	one_report((enum layout)_i, 0, 900, 1, &seed);
	one_report((enum layout)_i, 0, 700, 3, &seed);
	for (int bit = 1; bit < WRONGS; bit <<= 1)
		one_report((enum layout)_i, bit, 300 + below(&seed, 300), 1 + (int)below(&seed, 5),
			&seed);
	for (int i = 0; i < 6; i++)
		one_report((enum layout)_i, (int)below(&seed, WRONGS), 1 + below(&seed, 800),
			1 + (int)below(&seed, 16), &seed);
}
END_TEST

/* More than the index has room for: rows of leaves are then read from the report. */
START_TEST(rows_from_the_report)
{
	enum { ROWS = 130000 };
	uint64_t seed = 362436069u;
	struct bench b;
	struct scan s;
	sqlite3 *db;
	size_t size;

	bench_dir(&b);
	ck_assert_int_eq(sqlite3_open(b.relations, &db), SQLITE_OK);
	run(db, "BEGIN");
	run(db, layout_sql[KEY]);
	/* starts that go to and fro take twelve bytes a row */
	run(db,
		"WITH RECURSIVE c(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM c WHERE i < 64999) "
		"INSERT INTO step SELECT i, CASE i % 3 WHEN 0 THEN 'DoExchange' ELSE 'OnTileExecute' "
		"END FROM c; INSERT INTO step_ipu SELECT step, k, 5, (step * 2 + step % 5) * 30000 + "
		"k * 777, (step * 2 + step % 5) * 30000 + 66000 + step % 1000 FROM step, (SELECT 0 k "
		"UNION ALL SELECT 1) ORDER BY step, k");
	run(db, "COMMIT");
	sqlite3_close(db);
	relations_profile(b.relations, b.path);
	bench_open(&b, 2);
	scan_read(&s, &b, KEY);
	ck_assert_int_eq(s.n, ROWS);
	ck_assert_ptr_nonnull(ts_index_section(b.index, TS_SECTION_LANES, &size));
	ck_assert_int_lt(size, 10 * ROWS);
	for (int i = 0; i < 6; i++) {
		int64_t n = (b.t->to - b.t->from) >> 2 * i;
		int64_t from = b.t->from + below(&seed, b.t->to - b.t->from - n + 1);

		compare_chart(&b, b.t, &s, from, from + n, 25, true);
	}
	scan_free(&s);
	bench_close(&b);
}
END_TEST

/* Steps overlap all the time but for one place, or two (_i): gaps just as wide as what is looked for, and a cycle less. */
START_TEST(gaps_between_overlaps)
{
	struct bench b;
	struct scan s;
	sqlite3 *db;
	char text[400];

	bench_dir(&b);
	ck_assert_int_eq(sqlite3_open(b.relations, &db), SQLITE_OK);
	run(db, "BEGIN");
	run(db, layout_sql[KEY]);
	snprintf(text, sizeof(text),
		"WITH RECURSIVE c(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM c WHERE i < 599) "
		"INSERT INTO step SELECT i, CASE i %% 3 WHEN 0 THEN 'DoExchange' ELSE 'OnTileExecute' END "
		"FROM c; INSERT INTO step_ipu SELECT step, 0, 5, at, at + 15 FROM (SELECT step, step * 10 "
		"+ 42 * (step > 100) + %d * (step > 300) AS at FROM step)",
		_i ? 60 : 0);
	run(db, text);
	run(db, "COMMIT");
	sqlite3_close(db);
	relations_profile(b.relations, b.path);
	bench_open(&b, 1);
	scan_read(&s, &b, KEY);
	ck_assert_int_eq((int)s.n, 600);
	for (int64_t least = 30; least < 100; least++)
		for (int back = 0; back < 2; back++) {
			struct ts_trace_jump j = {.goal = TS_GOAL_GAP,
				.back = back,
				.ipu = 0,
				.at = back ? b.t->to : b.t->from,
				.least = least};

			compare_jump(&b, b.t, &s, j);
		}
	scan_free(&s);
	bench_close(&b);
}
END_TEST

/* The demo's reports: what is exact without the index is the same with it. */
START_TEST(demo_reports)
{
	struct ts_demo_options o = {.ipus = 3, .tiles = 64, .layout = TS_DEMO_PROFILE};
	uint64_t seed = 521288629u;
	struct bench b;
	sqlite3 *db;
	char *path;

	bench_dir(&b);
	ck_assert_msg(ts_demo_write(&path, b.dir, &o, NULL, NULL, &b.err) == TS_OK, "%s",
		b.err.msg);
	profile_relations(path, b.relations);
	free(path);
	/* of steps that overlap only the index knows all */
	ck_assert_int_eq(sqlite3_open(b.relations, &db), SQLITE_OK);
	run(db,
		"DELETE FROM step_ipu WHERE step IN (SELECT step FROM step WHERE type = 'SyncAns');"
		"DELETE FROM step_ipu WHERE rowid IN (SELECT r FROM (SELECT rowid AS r, start, max(\"end\") OVER "
		"(PARTITION BY ipu ORDER BY step ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS before "
		"FROM step_ipu) WHERE start < before)");
	sqlite3_close(db);
	relations_profile(b.relations, b.path);
	bench_open(&b, 3);
	ck_assert_int_eq(b.t->from, b.bare->from);
	ck_assert_int_eq(b.t->to, b.bare->to);
	ck_assert_int_eq(b.t->rows, b.bare->rows);
	ck_assert_int_eq(b.t->dense, b.bare->dense);
	ck_assert_int_eq(b.t->ipus, b.bare->ipus);
	for (int i = 0; i < 40; i++) {
		int64_t n = ts_max_i64((b.t->to - b.t->from) >> next(&seed) % 20, 1);
		int64_t from = b.t->from + below(&seed, b.t->to - b.t->from - n + 1);
		int columns = 1 + (int)below(&seed, 200);
		struct ts_trace_chart c, k;
		size_t cells;

		ck_assert(ts_trace_chart_read(&c, b.rd, b.t, from, from + n, columns, b.t->ipu,
				  b.t->ipus, NULL, &b.err) == TS_OK);
		ts_reader_set_index(b.rd, NULL);
		ck_assert(ts_trace_chart_read(&k, b.rd, b.bare, from, from + n, columns, b.t->ipu,
				  b.t->ipus, NULL, &b.err) == TS_OK);
		ts_reader_set_index(b.rd, b.index);
		ck_assert(!c.sampled && !k.sampled);
		cells = (size_t)c.lanes * (size_t)columns;
		ck_assert(memcmp(c.share, k.share, cells * TS_CLASS_COUNT * sizeof(double)) == 0);
		ck_assert(memcmp(c.start, k.start, cells) == 0);
		ts_trace_chart_fini(&c);
		ts_trace_chart_fini(&k);
	}
	bench_close(&b);
}
END_TEST

/* Lanes without the section that says which steps there are: nothing is read by whom a screen waits for. */
START_TEST(first_without_steps)
{
	uint64_t seed = 123456789u;
	struct ts_index *part = ts_alloc(1, sizeof(*part));
	struct ts_trace_long of;
	struct bench b;
	int n;

	ck_assert_ptr_nonnull(part);
	bench_random(&b, KEY, 0, 600, 2, 1, &seed);
	atomic_init(&part->uses, 2);
	part->map[TS_SECTION_LANES] = b.index->map[TS_SECTION_LANES];
	ts_reader_set_index(b.rd, part);
	compare_first(&b, b.t, NULL, 0, b.t->ipu[0], b.t->from, b.t->to);
	ck_assert_int_eq(ts_trace_longest_read(&of, &n, 1, b.rd, b.t, b.t->ipu[0], b.t->from,
				 b.t->to, NULL, NULL, &b.err),
		TS_OK);
	ck_assert_int_eq(n, 1);
	ts_reader_set_index(b.rd, b.index);
	free(part);
	bench_close(&b);
}
END_TEST

/* Whatever stands in a section: no crash, and answers within bounds. */
START_TEST(noise_in_the_sections)
{
	uint64_t seed = 2463534242u;
	struct bench b;

	bench_random(&b, KEY, ROWID_GAPS | LONG | OVERLAPS, 600, 3, 2, &seed);
	for (int i = 0; i < 3000; i++) {
		enum ts_section which = i % 2 ? TS_SECTION_LANES : TS_SECTION_STEPS;
		struct ts_index *noisy = ts_alloc(1, sizeof(*noisy));
		struct ts_section_map map = *b.index->map[which];
		unsigned char *copy = ts_alloc(map.payload_size, 1);
		struct ts_trace *t = NULL;

		ck_assert(noisy && copy);
		memcpy(copy, map.payload, map.payload_size);
		for (int k = 0; k < 1 + i % 3; k++) {
			size_t at = (size_t)below(&seed,
				i % 4 < 2 ? 160 : (int64_t)map.payload_size);

			if (i % 8 < 4)
				copy[at] ^= (unsigned char)(1 << next(&seed) % 8);
			else
				copy[at] = (unsigned char)next(&seed);
		}
		if (i % 50 == 7)
			map.payload_size = (size_t)below(&seed, (int64_t)map.payload_size) / 8 * 8;
		map.payload = copy;
		atomic_init(&noisy->uses, 2);
		noisy->map[TS_SECTION_STEPS] = b.index->map[TS_SECTION_STEPS];
		noisy->map[TS_SECTION_LANES] = b.index->map[TS_SECTION_LANES];
		noisy->map[which] = &map;
		ts_reader_set_index(b.rd, noisy);
		(void)!ts_trace_open(&t, b.rd, NULL, &b.err);
		if (t && t->ipus > 0) {
			struct ts_trace_chart c;
			struct ts_trace_window w;

			(void)!ts_trace_chart_read(&c, b.rd, t, t->from, t->to, 50, t->ipu,
				(int)ts_min_i64(t->ipus, 8), NULL, &b.err);
			ts_trace_chart_fini(&c);
			(void)!ts_trace_chart_read(&c, b.rd, b.bare, b.bare->from + 1000,
				b.bare->from + 20000, 50, b.bare->ipu, b.bare->ipus, NULL, &b.err);
			ts_trace_chart_fini(&c);
			(void)!ts_trace_window_read(&w, b.rd, t, 0, below(&seed, 700), 1, 5, 20,
				&b.err);
			ts_trace_window_fini(&w);
		}
		ts_trace_release(t);
		ts_reader_set_index(b.rd, b.index);
		ck_assert_int_eq(atomic_load(&noisy->uses), 2);
		free(copy);
		free(noisy);
	}
	bench_close(&b);
}
END_TEST

int
main(void)
{
	Suite *suite = suite_create("trace index");
	TCase *tests = tcase_create("same as a scan");
	SRunner *runner = srunner_create(suite);
	int failed;

	tcase_set_timeout(tests, 120);
	tcase_add_loop_test(tests, random_reports, 0, sample_of(LAYOUTS));
	tcase_add_test(tests, rows_from_the_report);
	tcase_add_loop_test(tests, gaps_between_overlaps, 0, 2);
	tcase_add_test(tests, demo_reports);
	tcase_add_test(tests, first_without_steps);
	tcase_add_test(tests, noise_in_the_sections);
	suite_add_tcase(suite, tests);
	srunner_run_all(runner, CK_ENV);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
