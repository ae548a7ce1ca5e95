/* SPDX-License-Identifier: MIT */
/*
 * report/trace against plain scans of the same file: lanes at random zooms, windows, search; and
 * reports that are not as they should be.
 */
#include "config.h"

#include <check.h>
#include <math.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tilescope/base/mem.h"
#include "tilescope/demo/demo.h"
#include "tilescope/report/memory.h"
#include "tilescope/report/trace.h"

#include "relations_profile.h"

/* --- a report, opened ---------------------------------------------------------------------------- */

struct bench {
	char dir[64];
	char *path;	    /* of the profile */
	char relations[80]; /* what it is made of, or says */
	struct ts_report *report;
	struct ts_reader *rd;
	struct ts_trace *t;
	enum ts_code code; /* of ts_trace_open */
	struct ts_err err;
};

static void
bench_open(struct bench *b)
{
	struct ts_report_options open = {0};

	ck_assert_msg(ts_report_open(&b->report, b->path, &open, &b->err) == TS_OK, "%s",
		b->err.msg);
	ck_assert_msg(ts_reader_open(&b->rd, b->report, &b->err) == TS_OK, "%s", b->err.msg);
	b->code = ts_trace_open(&b->t, b->rd, NULL, &b->err);
}

static void
bench_dir(struct bench *b)
{
	memset(b, 0, sizeof(*b));
	snprintf(b->dir, sizeof(b->dir), "/tmp/ts-trace-XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(b->dir));
	snprintf(b->relations, sizeof(b->relations), "%s/relations.db", b->dir);
}

static void
bench_demo(struct bench *b, struct ts_demo_options o)
{
	o.layout = TS_DEMO_PROFILE;
	bench_dir(b);
	ck_assert_msg(ts_demo_write(&b->path, b->dir, &o, NULL, NULL, &b->err) == TS_OK, "%s",
		b->err.msg);
}

static void
sql(const char *path, const char *text)
{
	sqlite3 *db;
	char *why = NULL;

	ck_assert_int_eq(sqlite3_open(path, &db), SQLITE_OK);
	sqlite3_exec(db, "PRAGMA synchronous=OFF", NULL, NULL, NULL);
	ck_assert_msg(sqlite3_exec(db, text, NULL, NULL, &why) == SQLITE_OK, "%s", why);
	sqlite3_close(db);
}

/* The demo without steps that begin while another one of their IPU runs: only the index knows exactly what all of those do. */
static void
bench_one_by_one(struct bench *b, struct ts_demo_options o)
{
	bench_demo(b, o);
	profile_relations(b->path, b->relations);
	sql(b->relations,
		"DELETE FROM step_ipu WHERE step IN (SELECT step FROM step WHERE type = 'SyncAns');"
		"DELETE FROM step_ipu WHERE rowid IN (SELECT r FROM (SELECT rowid AS r, start, max(\"end\") OVER "
		"(PARTITION BY ipu ORDER BY step ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS before "
		"FROM step_ipu) WHERE start < before)");
	relations_profile(b->relations, b->path);
}

/* A profile of what the SQL makes, or that as it stands. */
static void
bench_made(struct bench *b, const char *text, void (*make)(const char *, const char *))
{
	bench_dir(b);
	b->path = ts_alloc(1, 128);
	ck_assert_ptr_nonnull(b->path);
	snprintf(b->path, 128, "%s/profile.pop", b->dir);
	sql(b->relations, text);
	make(b->relations, b->path);
	bench_open(b);
}

static void
bench_relations(struct bench *b, const char *text)
{
	bench_made(b, text, relations_profile);
}

static void
bench_import(struct bench *b, const char *text)
{
	bench_made(b, text, relations_as_they_are);
}

static void
bench_close(struct bench *b)
{
	char command[128];

	ts_trace_release(b->t);
	ts_reader_close(b->rd);
	ts_report_close(b->report);
	free(b->path);
	snprintf(command, sizeof(command), "rm -rf '%s'", b->dir);
	ck_assert_int_eq(system(command), 0);
}

/* --- the plain scan -------------------------------------------------------------------------------- */

struct row {
	int64_t step, ipu, start, end, cycles;
	enum ts_step_class class_of;
};

struct scan {
	size_t n;
	struct row *row;
};

static void
scan_read(struct scan *s, struct bench *b)
{
	const char *text =
		"SELECT x.step, x.ipu, x.start, x.\"end\", x.cycles, s.type, s.sync_type "
		"FROM step_ipu x JOIN step s ON s.step = x.step";
	sqlite3_stmt *stmt;
	size_t cap = 0;
	sqlite3 *db;

	memset(s, 0, sizeof(*s));
	profile_relations(b->path, b->relations);
	ck_assert_int_eq(sqlite3_open(b->relations, &db), SQLITE_OK);
	ck_assert_msg(sqlite3_prepare_v2(db, text, -1, &stmt, NULL) == SQLITE_OK, "%s",
		sqlite3_errmsg(db));
	while (sqlite3_step(stmt) == SQLITE_ROW) {
		const char *type = (const char *)sqlite3_column_text(stmt, 5);
		const char *sync = (const char *)sqlite3_column_text(stmt, 6);
		struct row *r;

		ck_assert(ts_room((void **)&s->row, &cap, s->n, sizeof(*s->row)));
		r = &s->row[s->n++];
		r->step = sqlite3_column_int64(stmt, 0);
		r->ipu = sqlite3_column_int64(stmt, 1);
		r->start = sqlite3_column_int64(stmt, 2);
		r->end = sqlite3_column_int64(stmt, 3);
		r->cycles = sqlite3_column_int64(stmt, 4);
		r->class_of = ts_step_class_of(type, strlen(type), sync, sync ? strlen(sync) : 0);
	}
	sqlite3_finalize(stmt);
	sqlite3_close(db);
	ck_assert_int_gt(s->n, 0);
}

/* Shares of one lane: out[class * columns + column], as trace.h defines them. */
static void
scan_shares(const struct scan *s, double *out, bool *start, int64_t ipu, int64_t from, int64_t to,
	int columns)
{
	memset(out, 0, TS_CLASS_COUNT * (size_t)columns * sizeof(*out));
	memset(start, 0, (size_t)columns * sizeof(*start));
	for (int x = 0; x < columns; x++) {
		int64_t a, b;
		double left = 1;

		ts_trace_column(from, to, columns, x, &a, &b);
		for (size_t i = 0; i < s->n; i++) {
			const struct row *r = &s->row[i];
			int64_t lo = ts_max_i64(r->start, a), hi = ts_min_i64(r->end, b);

			if (r->ipu != ipu || lo >= hi)
				continue;
			hi = ts_min_i64(hi, to);
			out[(size_t)r->class_of * (size_t)columns + (size_t)x] +=
				(double)ts_max_i64(hi - lo, 0) / (double)(b - a);
			start[x] |= r->start >= a && r->start < to;
		}
		for (int i = 0; i < TS_CLASS_COUNT; i++) {
			double *v = &out[(size_t)ts_class_order[i] * (size_t)columns + (size_t)x];

			*v = fmin(*v, left);
			left -= *v;
		}
	}
}

static uint64_t
next(uint64_t *seed)
{
	*seed ^= *seed << 13;
	*seed ^= *seed >> 7;
	*seed ^= *seed << 17;
	return *seed;
}

/* --- lanes ----------------------------------------------------------------------------------------- */

static void
compare_lanes(struct bench *b, const struct scan *s, int64_t from, int64_t to, int columns)
{
	struct ts_trace_chart c;
	double *want = ts_alloc(TS_CLASS_COUNT * (size_t)columns, sizeof(*want));
	bool *start = ts_alloc((size_t)columns, sizeof(*start));

	ck_assert(ts_trace_chart_read(&c, b->rd, b->t, from, to, columns, b->t->ipu, b->t->ipus,
			  NULL, &b->err) == TS_OK);
	ck_assert(!c.sampled);
	ck_assert_int_eq(c.columns, columns);
	for (int l = 0; l < c.lanes; l++) {
		scan_shares(s, want, start, c.ipu[l], from, to, columns);
		for (int x = 0; x < columns; x++) {
			for (int k = 0; k < TS_CLASS_COUNT; k++)
				ck_assert_msg(fabs(want[k * columns + x] -
						      ts_trace_share(&c, l,
							      (enum ts_step_class)k)[x]) < 1e-9,
					"%lld..%lld lane %d column %d of %d class %d: %g, not %g",
					(long long)from, (long long)to, l, x, columns, k,
					ts_trace_share(&c, l, (enum ts_step_class)k)[x],
					want[k * columns + x]);
			ck_assert_int_eq(ts_trace_start(&c, l)[x], start[x]);
		}
	}
	free(want);
	free(start);
	ts_trace_chart_fini(&c);
}

START_TEST(lanes_are_exact)
{
	struct ts_demo_options o = {.ipus = 3, .tiles = 64};
	uint64_t seed = 88172645463325252u;
	struct bench b;
	struct scan s;

	bench_one_by_one(&b, o);
	bench_open(&b);
	ck_assert_int_eq(b.code, TS_OK);
	ck_assert_int_eq(b.t->ipus, 3);
	scan_read(&s, &b);
	for (int i = 0; i < 60; i++) {
		int64_t length = b.t->to - b.t->from;
		int64_t n = ts_max_i64(length >> next(&seed) % 20, 1);
		int64_t from = b.t->from + (int64_t)(next(&seed) % (uint64_t)(length - n + 1));

		compare_lanes(&b, &s, from, from + n, 1 + (int)(next(&seed) % 120));
	}
	compare_lanes(&b, &s, b.t->from, b.t->to, 200);
	compare_lanes(&b, &s, b.t->to - 3, b.t->to, 40); /* more columns than cycles */
	free(s.row);
	bench_close(&b);
}
END_TEST

/* Mean difference of the shares of a column, and of the whole range. */
START_TEST(samples_are_close)
{
	struct bench b;
	struct scan s;

	bench_relations(&b,
		"CREATE TABLE step(step INTEGER PRIMARY KEY, type TEXT);"
		"CREATE TABLE step_ipu(step INTEGER, ipu INTEGER, cycles INTEGER, start INTEGER, \"end\" INTEGER);"
		"WITH RECURSIVE c(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM c WHERE i < 119999) "
		"INSERT INTO step SELECT i, CASE (i / 900 + i % 4 * (i % 7 < 5)) % 4 WHEN 0 THEN 'OnTileExecute' "
		"WHEN 1 THEN 'DoExchange' WHEN 2 THEN 'Sync' ELSE 'StreamCopyBegin' END FROM c;"
		"INSERT INTO step_ipu SELECT step, ipu, length, step * 100, step * 100 + length FROM (SELECT step, "
		"column1 AS ipu, 20 + (step * 7919 + column1 * 31) % (40 + step / 3000) AS length FROM step, "
		"(VALUES(0), (1), (2), (3)))");
	scan_read(&s, &b);
	for (int zoom = 0; zoom < 3; zoom++) {
		enum { COLUMNS = 150 };
		static double want[TS_CLASS_COUNT * COLUMNS];
		bool start[COLUMNS];
		double off = 0;
		struct ts_trace_chart c;
		int64_t n = (b.t->to - b.t->from) >> zoom;

		ck_assert(ts_trace_chart_read(&c, b.rd, b.t, b.t->from, b.t->from + n, COLUMNS,
				  b.t->ipu, b.t->ipus, NULL, &b.err) == TS_OK);
		ck_assert(c.sampled);
		ck_assert_int_lt(c.rows, 120000);
		for (int l = 0; l < c.lanes; l++) {
			scan_shares(&s, want, start, c.ipu[l], b.t->from, b.t->from + n, COLUMNS);
			for (int k = 0; k < TS_CLASS_COUNT; k++) {
				const double *v = ts_trace_share(&c, l, (enum ts_step_class)k);
				double is = 0, should = 0;

				for (int x = 0; x < COLUMNS; x++) {
					off += fabs(v[x] - want[k * COLUMNS + x]);
					is += v[x] / COLUMNS;
					should += want[k * COLUMNS + x] / COLUMNS;
				}
				ck_assert_msg(fabs(is - should) < 0.05,
					"zoom %d lane %d class %d: %g, not %g", zoom, l, k, is,
					should);
			}
		}
		off /= COLUMNS * c.lanes;
		ck_assert_msg(off < 0.5, "zoom %d: columns are off by %g", zoom, off);
		ts_trace_chart_fini(&c);
	}
	free(s.row);
	bench_close(&b);
}
END_TEST

/* --- windows ---------------------------------------------------------------------------------------- */

static const struct row *
scan_find(const struct scan *s, int64_t step, int64_t ipu)
{
	for (size_t i = 0; i < s->n; i++)
		if (s->row[i].step == step && s->row[i].ipu == ipu)
			return &s->row[i];
	return NULL;
}

START_TEST(windows_are_the_rows)
{
	struct ts_demo_options o = {.ipus = 2, .tiles = 64};
	uint64_t seed = 362436069u;
	struct bench b;
	struct scan s;

	bench_demo(&b, o);
	bench_open(&b);
	scan_read(&s, &b);
	ck_assert(b.t->dense);
	ck_assert_int_eq(b.t->rows, 4000);
	for (int i = 0; i < 40; i++) {
		int64_t row = (int64_t)(next(&seed) % 4000), ipu = (int64_t)(next(&seed) % 2);
		struct ts_trace_window w;

		ck_assert(ts_trace_window_read(&w, b.rd, b.t, ipu, row, ts_trace_row_at(b.t, row),
				  0, 90, &b.err) == TS_OK);
		ck_assert_int_eq(w.first_row, row);
		ck_assert_int_eq(w.count, ts_min_i64(90, 4000 - row));
		ck_assert_int_eq(w.at_begin, row == 0);
		ck_assert_int_eq(w.at_end, row + w.count == 4000);
		for (int k = 0; k < w.count; k++) {
			const struct row *r = scan_find(&s, row + k, ipu);

			ck_assert_int_eq(w.row[k].step, row + k);
			ck_assert_int_eq(w.row[k].here, r != NULL);
			if (!r)
				continue;
			ck_assert_int_eq(w.row[k].start, r->start);
			ck_assert_int_eq(w.row[k].end, r->end);
			ck_assert_int_eq(w.row[k].cycles, r->cycles);
			ck_assert_int_eq(w.row[k].class_of, r->class_of);
		}
		ts_trace_window_fini(&w);
	}
	free(s.row);
	bench_close(&b);
}
END_TEST

START_TEST(the_step_at_a_time)
{
	struct ts_demo_options o = {.ipus = 2, .tiles = 64};
	uint64_t seed = 521288629u;
	struct bench b;
	struct scan s;

	bench_demo(&b, o);
	bench_open(&b);
	scan_read(&s, &b);
	for (int i = 0; i < 200; i++) {
		int64_t cycles = b.t->from +
			(int64_t)(next(&seed) % (uint64_t)(b.t->to - b.t->from));
		int64_t step = -1, best = -1;
		bool found;

		for (size_t k = 0; k < s.n; k++)
			if (s.row[k].ipu == 1 && s.row[k].start <= cycles && cycles < s.row[k].end)
				best = s.row[k].step;
		ck_assert(ts_trace_step_at(&step, &found, b.rd, b.t, 1, cycles, &b.err) == TS_OK);
		if (best >= 0) {
			const struct row *r;

			ck_assert(found);
			r = scan_find(&s, step, 1);
			ck_assert(r && r->start <= cycles && cycles < r->end);
		}
	}
	free(s.row);
	bench_close(&b);
}
END_TEST

/* --- search ----------------------------------------------------------------------------------------- */

static int64_t
number(const char *path, const char *text)
{
	sqlite3_stmt *stmt;
	sqlite3 *db;
	int64_t v;

	ck_assert_int_eq(sqlite3_open(path, &db), SQLITE_OK);
	ck_assert_msg(sqlite3_prepare_v2(db, text, -1, &stmt, NULL) == SQLITE_OK, "%s",
		sqlite3_errmsg(db));
	ck_assert_int_eq(sqlite3_step(stmt), SQLITE_ROW);
	v = sqlite3_column_int64(stmt, 0);
	sqlite3_finalize(stmt);
	sqlite3_close(db);
	return v;
}

#define NAMED                                                                                \
	"step s LEFT JOIN program p ON p.program = s.program LEFT JOIN compute_set c ON "    \
	"c.compute_set = s.compute_set WHERE coalesce(s.name, c.name, p.name, s.type) LIKE " \
	"'%ATTENTION/self%'"

START_TEST(search_counts_and_adds_up)
{
	struct ts_demo_options o = {.ipus = 2, .tiles = 64};
	static struct ts_trace_cost cost;
	struct ts_trace_hits h;
	struct bench b;
	int64_t step = -1, seen = 0;

	bench_demo(&b, o);
	bench_open(&b);
	profile_relations(b.path, b.relations);
	ck_assert(ts_trace_search(&h, b.rd, b.t, "Attention/SELF", NULL, &b.err) == TS_OK);
	ck_assert_int_eq(h.count, number(b.relations, "SELECT count(*) FROM " NAMED));
	ck_assert_int_gt(h.count, 0);
	while ((step = ts_trace_hit_next(&h, step, 1)) != TS_UNKNOWN) {
		ck_assert(ts_trace_hit(&h, step));
		seen++;
		ck_assert_int_eq(ts_trace_hit_number(&h, step), seen);
	}
	ck_assert_int_eq(seen, h.count);
	for (step = 4000; (step = ts_trace_hit_next(&h, step, -1)) != TS_UNKNOWN;)
		seen--;
	ck_assert_int_eq(seen, 0);
	ck_assert(ts_trace_cost_read(&cost, b.rd, b.t, &h, 1, 50, NULL, &b.err) == TS_OK);
	ck_assert_int_eq(cost.all,
		number(b.relations, "SELECT sum(cycles) FROM step_ipu WHERE ipu = 1"));
	ck_assert_int_eq(cost.hits,
		number(b.relations,
			"SELECT sum(cycles) FROM step_ipu WHERE ipu = 1 AND step IN "
			"(SELECT s.step FROM " NAMED ")"));
	ck_assert_int_eq(cost.runs, 2);
	ck_assert_int_eq(cost.run[0].all + cost.run[1].all, cost.all);
	ck_assert_int_eq(cost.run[0].hits + cost.run[1].hits, cost.hits);
	ts_trace_hits_fini(&h);
	ck_assert(ts_trace_search(&h, b.rd, b.t, "type:streamcopybegin", NULL, &b.err) == TS_OK);
	ck_assert_int_eq(h.count,
		number(b.relations, "SELECT count(*) FROM step WHERE type = 'StreamCopyBegin'"));
	ts_trace_hits_fini(&h);
	ck_assert(ts_trace_search(&h, b.rd, b.t, "no such thing", NULL, &b.err) == TS_OK);
	ck_assert_int_eq(h.count, 0);
	ck_assert_int_eq(ts_trace_hit_next(&h, 0, 1), TS_UNKNOWN);
	ts_trace_hits_fini(&h);
	bench_close(&b);
}
END_TEST

/* One table of marks: each has a sign of its own, and it does not matter in which order parts are added. */
/* Names stand in other tables, some of them not: every step is held against SQL. _i: how the report is made. */
START_TEST(search_by_column)
{
	static const char *const needle[] = {"conv", "ONE", "type:e", "x", "set:5", "program:7",
		"o"};
	uint64_t seed = 0x9e3779b97f4a7c15u + (uint64_t)_i;
	char text[3000];
	struct bench b;

	snprintf(text, sizeof(text),
		"CREATE TABLE program(program INTEGER, name TEXT);"
		"CREATE TABLE compute_set(compute_set INTEGER, name TEXT);"
		"CREATE TABLE step(step INTEGER%s, type TEXT, program, compute_set);"
		"WITH n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 60) INSERT INTO program "
		"SELECT i * %d, CASE WHEN abs(random() %% 5) < %d THEN 'a/one' || i WHEN i %% 2 THEN NULL "
		"ELSE 'conv' || i END FROM n;"
		"INSERT INTO program VALUES (7, 'seven'), (7, 'conv');"
		"WITH n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 30) INSERT INTO "
		"compute_set SELECT i * 5, CASE WHEN i %% 3 THEN 'Conv' || i END FROM n;"
		"WITH n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 2999) INSERT INTO step "
		"SELECT i * %d, CASE abs(random() %% 3) WHEN 0 THEN 'OnTileExecute' WHEN 1 THEN 'DoExchange' "
		"ELSE 'Sync' END, CASE abs(random() %% %d) WHEN 0 THEN NULL WHEN 1 THEN -1 WHEN 2 THEN 'x' "
		"WHEN 3 THEN 4611686018427387905 ELSE abs(random() %% 70) * %d END,"
		" CASE abs(random() %% 4) WHEN 0 THEN abs(random() %% 160) WHEN 1 THEN -5 END FROM n;",
		_i % 2 ? " PRIMARY KEY" : "", _i % 3 == 2 ? 1000003 : 1, 1 + _i % 4, 1 + _i % 2 * 3,
		_i % 4 == 3 ? 5 : 60, _i % 3 == 2 ? 1000003 : 1);
	bench_relations(&b, text);
	ck_assert_msg(b.t != NULL, "%s", b.err.msg);
	for (size_t i = 0; i < TS_COUNT(needle); i++) {
		struct ts_trace_hits h, part;
		int64_t at, middle = b.t->step.first + (int64_t)(next(&seed) % 3000);
		char query[900], like[300];

		snprintf(like, sizeof(like),
			"coalesce((SELECT name FROM compute_set c WHERE c.compute_set = s.compute_set), "
			"(SELECT name FROM program p WHERE p.program = s.program AND name IS NOT NULL ORDER "
			"BY p.rowid LIMIT 1), "
			"type) LIKE '%%%s%%'",
			needle[i]);
		if (strncmp(needle[i], "type:", 5) == 0)
			snprintf(like, sizeof(like), "type LIKE '%%%s%%'", needle[i] + 5);
		if (strncmp(needle[i], "set:", 4) == 0)
			snprintf(like, sizeof(like), "compute_set = %s", needle[i] + 4);
		if (strncmp(needle[i], "program:", 8) == 0)
			snprintf(like, sizeof(like), "program = %s", needle[i] + 8);
		ck_assert(ts_trace_search(&h, b.rd, b.t, needle[i], NULL, &b.err) == TS_OK);
		snprintf(query, sizeof(query), "SELECT count(*) FROM step s WHERE %s", like);
		ck_assert_msg(h.count == number(b.relations, query), "%s: %lld, not %lld",
			needle[i], (long long)h.count, (long long)number(b.relations, query));
		ck_assert_int_eq(h.looked_at, 3000);
		snprintf(query, sizeof(query), "SELECT coalesce(sum(step), 0) FROM step s WHERE %s",
			like);
		at = number(b.relations, query);
		for (int64_t step = -1; (step = ts_trace_hit_next(&h, step, 1)) != TS_UNKNOWN;)
			at -= step;
		ck_assert_int_eq(at, 0);
		if (b.t->step.range == TS_RANGE_ROWID) {
			struct ts_trace_hits rest;

			ck_assert(ts_trace_search_part(&part, b.rd, b.t, needle[i], NULL,
					  b.t->step.first, middle, NULL, &b.err) == TS_OK);
			ck_assert(ts_trace_search_part(&rest, b.rd, b.t, needle[i], NULL, middle,
					  b.t->step.last + 1, NULL, &b.err) == TS_OK);
			ts_trace_hits_add(&part, &rest);
			ck_assert_int_eq(part.count, h.count);
			ck_assert_int_eq(memcmp(part.bit, h.bit, (size_t)h.steps / 8 + 1), 0);
			ts_trace_hits_fini(&part);
			ts_trace_hits_fini(&rest);
		}
		ts_trace_hits_fini(&h);
	}
	bench_close(&b);
}
END_TEST

START_TEST(marks)
{
	struct ts_about about = {.measured = 1, .exchange_instrumentation = "off"};
	struct ts_honesty h = ts_honesty_unknown();

	for (int a = 0; a < TS_MARK_COUNT; a++)
		for (int b = 0; b < TS_MARK_COUNT; b++) {
			enum ts_mark x = (enum ts_mark)a, y = (enum ts_mark)b;

			ck_assert_int_eq(ts_mark_join(x, y), ts_mark_join(y, x));
			ck_assert_int_eq(ts_mark_join(x, x), x);
			ck_assert(a == b || ts_mark_sign(x) != ts_mark_sign(y));
			ck_assert(a == b || strcmp(ts_mark_word(x), ts_mark_word(y)) != 0);
		}
	ck_assert_int_eq(ts_mark_join(TS_MARK_MEASURED, TS_MARK_ESTIMATED), TS_MARK_PARTLY);
	ck_assert_int_eq(ts_honesty_step(&h, 1, TS_CLASS_COMPUTE), TS_MARK_UNKNOWN);
	ts_honesty_of(&h, &about, TS_UNKNOWN, 7);
	ck_assert_int_eq(h.replicas, 1);
	ck_assert_int_eq(ts_honesty_step(&h, 7, TS_CLASS_HOST_WAIT), TS_MARK_ARTEFACT);
	ck_assert_int_eq(ts_honesty_step(&h, 8, TS_CLASS_HOST_WAIT), TS_MARK_MEASURED);
	ck_assert_int_eq(ts_honesty_step(&h, TS_UNKNOWN, TS_CLASS_COMPUTE), TS_MARK_REPEATED);
	ck_assert_int_eq(ts_honesty_step(&h, 8, TS_CLASS_EXCHANGE), TS_MARK_ESTIMATED);
	about.measured = 0;
	ts_honesty_of(&h, &about, 4, TS_UNKNOWN);
	ck_assert_int_eq(h.replicas, 4);
	ck_assert_int_eq(ts_honesty_step(&h, 8, TS_CLASS_SYNC), TS_MARK_ESTIMATED);
}
END_TEST

START_TEST(runs_and_the_artefact)
{
	struct ts_demo_options o = {.ipus = 2, .tiles = 64};
	struct bench b;

	bench_demo(&b, o);
	bench_open(&b);
	profile_relations(b.path, b.relations);
	ck_assert_int_eq(b.t->runs, 2);
	ck_assert_int_eq(b.t->run[1].first_step, 2000);
	ck_assert_int_eq(b.t->run[1].start,
		number(b.relations,
			"SELECT min(start) FROM step_ipu WHERE step = (SELECT min(step) FROM step_ipu WHERE step >= 2000)"));
	ck_assert_int_eq(b.t->run[0].end,
		number(b.relations,
			"SELECT max(\"end\") FROM step_ipu WHERE step = (SELECT max(step) FROM step_ipu WHERE step < 2000)"));
	ck_assert_int_eq(b.t->honest.artefact,
		number(b.relations,
			"SELECT min(step) FROM step WHERE step >= 2000 AND type = "
			"'StreamCopyBegin'"));
	ck_assert_int_eq(ts_trace_run_of(b.t, 1999), 0);
	ck_assert_int_eq(ts_trace_run_of(b.t, 4000), -1);
	bench_close(&b);
}
END_TEST

/* --- not as it should be ------------------------------------------------------------------------------ */

#define STEP_TABLE                                                                              \
	"CREATE TABLE step(step INTEGER PRIMARY KEY, run INTEGER, type TEXT, program INTEGER, " \
	"compute_set INTEGER, name TEXT);"
#define PART_TABLE                                                                            \
	"CREATE TABLE step_ipu(step INTEGER, ipu INTEGER, cycles INTEGER, start INTEGER, "    \
	"\"end\" INTEGER, active_tiles INTEGER, active_start_max INTEGER, active_end_min "    \
	"INTEGER, data_in INTEGER, data_out INTEGER, tile_balance REAL, active_tile_balance " \
	"REAL);"
#define COUNT_TO(n) \
	"WITH RECURSIVE c(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM c WHERE i < " #n " - 1) "

/* Every question at many places: nothing may fail or hang. */
static void
ask_everything(struct bench *b)
{
	const struct ts_trace *t = b->t;
	int64_t steps[] = {0, 1, 17, 999, 12345678, INT64_MAX};
	static struct ts_trace_cost cost;
	struct ts_trace_hits h;

	for (int i = 0; i < 40 && t->ipus > 0; i++) {
		int64_t n = ts_max_i64((t->to - t->from) >> i, 1);
		int64_t from = t->from + (t->to - t->from - n) / 3, step;
		struct ts_trace_chart c;
		bool found;

		ck_assert(ts_trace_chart_read(&c, b->rd, t, from, from + n, 80, t->ipu,
				  (int)ts_min_i64(t->ipus, 20), NULL, &b->err) == TS_OK);
		for (int l = 0; l < c.lanes; l++)
			for (int x = 0; x < c.columns; x++) {
				double sum = 0;

				for (int k = 0; k < TS_CLASS_COUNT; k++) {
					double v = ts_trace_share(&c, l, (enum ts_step_class)k)[x];

					ck_assert(v >= 0 && v <= 1);
					sum += v;
				}
				ck_assert(sum < 1.000001);
			}
		ts_trace_chart_fini(&c);
		ck_assert(ts_trace_step_at(&step, &found, b->rd, t, t->ipu[0], from, &b->err) ==
			TS_OK);
	}
	for (size_t i = 0; i < TS_COUNT(steps); i++) {
		struct ts_trace_window w;
		int64_t row, at;
		bool found;

		ck_assert(ts_trace_find_step(&row, &at, &found, b->rd, t, steps[i], &b->err) ==
			TS_OK);
		ck_assert(ts_trace_window_read(&w, b->rd, t, 0, t->rows / 2,
				  ts_trace_row_at(t, steps[i]), 30, 60, &b->err) == TS_OK);
		ck_assert_int_le(w.count, 90);
		ts_trace_window_fini(&w);
	}
	ck_assert(ts_trace_search(&h, b->rd, t, "e", NULL, &b->err) == TS_OK);
	if (t->has_parts)
		ck_assert(ts_trace_cost_read(&cost, b->rd, t, &h, t->ipu[0], 80, NULL, &b->err) ==
			TS_OK);
	ts_trace_hits_fini(&h);
}

START_TEST(nothing_there)
{
	struct bench b;

	bench_relations(&b, "CREATE TABLE tile_memory(tile INTEGER PRIMARY KEY, total INTEGER)");
	ck_assert_int_eq(b.code, TS_E_ABSENT);
	ck_assert_ptr_null(b.t);
	bench_close(&b);
	bench_relations(&b, STEP_TABLE PART_TABLE);
	ck_assert_int_eq(b.code, TS_E_ABSENT);
	bench_close(&b);
	bench_relations(&b, STEP_TABLE "INSERT INTO step VALUES(0, 0, 'Sync', NULL, NULL, NULL)");
	ck_assert_int_eq(b.code, TS_OK);
	ck_assert(!b.t->has_parts);
	ck_assert_int_eq(b.t->rows, 1);
	ask_everything(&b);
	bench_close(&b);
}
END_TEST

/*
 * Opened again it has the names that were read before, the same bytes, whoever is given back first; not those that could not
 * all be read. Without compute sets (`_i` 1) too.
 */
START_TEST(names_are_read_once)
{
	struct ts_trace *again;
	struct bench b;
	const char *name;
	size_t n;

	bench_relations(&b,
		_i ? STEP_TABLE "INSERT INTO step VALUES(0, 0, 'OnTileExecute', 7, NULL, NULL);"
				"CREATE TABLE program(program INTEGER PRIMARY KEY, name TEXT);"
				"INSERT INTO program VALUES(7, 'conv')"
		   : STEP_TABLE
			"INSERT INTO step VALUES(0, 0, 'OnTileExecute', 7, 3, NULL);"
			"CREATE TABLE program(program INTEGER PRIMARY KEY, name TEXT);"
			"INSERT INTO program VALUES(7, 'conv');"
			"CREATE TABLE compute_set(compute_set INTEGER PRIMARY KEY, name TEXT);"
			"INSERT INTO compute_set VALUES(3, 'add')");
	ck_assert_int_eq(b.code, TS_OK);
	ck_assert(ts_trace_open_again(&again, b.rd, b.t, NULL, &b.err) == TS_OK);
	ck_assert_ptr_nonnull(again->names.programs.text);
	ck_assert_ptr_eq(again->names.programs.text, b.t->names.programs.text);
	ck_assert_ptr_eq(again->names.compute_sets.text, b.t->names.compute_sets.text);
	ts_trace_release(b.t);
	name = ts_names_find(&again->names.programs, 7, &n);
	ck_assert(name && n == 4 && memcmp(name, "conv", 4) == 0);
	ck_assert_int_eq((int)again->names.compute_sets.count, !_i);
	b.t = again;
	again->names.programs.rows = -1;
	ck_assert(ts_trace_open_again(&again, b.rd, b.t, NULL, &b.err) == TS_OK);
	ck_assert_ptr_ne(again->names.programs.text, b.t->names.programs.text);
	ts_trace_release(again);
	bench_close(&b);
}
END_TEST

START_TEST(hostile_numbers)
{
	struct bench b;

	bench_relations(&b,
		STEP_TABLE PART_TABLE
			COUNT_TO(3000) "INSERT INTO step SELECT i, NULL, 'OnTileExecute', NULL, NULL, 'a' FROM c;" COUNT_TO(
				3000) "INSERT INTO step_ipu(step, ipu, cycles, start, \"end\") SELECT "
				      "i / 2, CASE i % 7 WHEN 0 THEN -1 WHEN 1 THEN NULL WHEN 2 THEN 4611686018427387904 "
				      "ELSE i % 2 END, CASE i % 5 WHEN 0 THEN NULL ELSE 9223372036854775807 END, "
				      "CASE i % 11 WHEN 0 THEN 4611686018427387904 WHEN 1 THEN -5 ELSE i * 100 END, "
				      "CASE i % 13 WHEN 0 THEN 0 WHEN 1 THEN 4611686018427387904 WHEN 2 THEN 'x' "
				      "ELSE i * 100 + 90 END FROM c");
	ck_assert_msg(b.code == TS_OK, "%s", b.err.msg);
	ck_assert_int_eq(b.t->rows, 3000);
	ask_everything(&b);
	bench_close(&b);
}
END_TEST

START_TEST(hostile_rowids)
{
	static const char *const ids[] = {"-9223372036854775808", "9223372036854775807",
		"-9223372036854775807", "9223372036854775806", "0"};

	for (size_t i = 0; i < TS_COUNT(ids); i++)
		for (size_t k = 0; k < TS_COUNT(ids); k++) {
			struct bench b;
			char text[2048];

			snprintf(text, sizeof(text),
				STEP_TABLE PART_TABLE
				"INSERT OR IGNORE INTO step VALUES(%s, 0, 'Sync', 0, 0, 'e');"
				"INSERT OR IGNORE INTO step VALUES(%s, 0, 'Sync', 0, 0, 'e');"
				"INSERT OR IGNORE INTO step_ipu(rowid, step, ipu, cycles, start, "
				"\"end\") VALUES(%s, 1, 0, 5, 10, 15);"
				"INSERT OR IGNORE INTO step_ipu(rowid, step, ipu, cycles, start, "
				"\"end\") VALUES(%s, 2, 0, 5, 15, 20);",
				ids[i], ids[k], ids[i], ids[k]);
			bench_import(&b, text);
			/* the very last row id cannot be reached */
			ck_assert_msg(b.code == TS_OK || b.code == TS_E_ABSENT, "%s", b.err.msg);
			if (b.t)
				ask_everything(&b);
			bench_close(&b);
		}
}
END_TEST

START_TEST(starts_that_do_not_rise)
{
	struct bench b;

	bench_relations(&b,
		STEP_TABLE PART_TABLE
			COUNT_TO(60000) "INSERT INTO step SELECT i, NULL, 'DoExchange', NULL, NULL, 'a' FROM c;" COUNT_TO(
				60000) "INSERT INTO step_ipu(step, ipu, cycles, start, \"end\") SELECT i, "
				       "0, 10, (i * 7919) % 60000 * 10, (i * 104729) % 60000 * 10 FROM c");
	ck_assert_msg(b.code == TS_OK, "%s", b.err.msg);
	ask_everything(&b);
	bench_close(&b);
}
END_TEST

START_TEST(ids_with_gaps)
{
	struct bench b;
	struct ts_trace_window w;

	bench_relations(&b,
		STEP_TABLE PART_TABLE COUNT_TO(
			40000) "INSERT INTO step SELECT i * i / 16 + i, NULL, 'Sync', NULL, NULL, NULL FROM c;"
			       "INSERT INTO step_ipu(step, ipu, cycles, start, \"end\") SELECT step, 0, 9, step "
			       "* 10, step * 10 + 9 FROM step");
	ck_assert_msg(b.code == TS_OK, "%s", b.err.msg);
	ck_assert(b.t->gaps && !b.t->dense);
	ask_everything(&b);
	ck_assert(
		ts_trace_window_read(&w, b.rd, b.t, 0, 5, b.t->step.first, 4, 50, &b.err) == TS_OK);
	ck_assert(w.at_begin);
	ck_assert_int_eq(w.count, 50);
	ts_trace_window_fini(&w);
	/* around a step in the middle: rows before and behind it, none for the gaps */
	ck_assert(ts_trace_window_read(&w, b.rd, b.t, 0, 1000, 20000 * INT64_C(20000) / 16 + 20000,
			  25, 25, &b.err) == TS_OK);
	ck_assert_int_eq(w.count, 50);
	ck_assert_int_eq(w.first_row, 975);
	for (int i = 0; i < w.count; i++) {
		int64_t k = 20000 - 25 + i;

		ck_assert_int_eq(w.row[i].step, k * k / 16 + k);
		ck_assert(w.row[i].here);
	}
	ts_trace_window_fini(&w);
	bench_close(&b);
}
END_TEST

START_TEST(read_forwards)
{
	struct bench b;
	struct ts_trace_window w;
	struct ts_trace_chart c;

	/* views that are no projections, and steps in no order */
	bench_import(&b,
		"CREATE TABLE s(a INTEGER, t TEXT); CREATE TABLE x(a INTEGER, b INTEGER);" COUNT_TO(5000) "INSERT INTO s SELECT (i * 7) % 5000, 'OnTileExecute' FROM c;" COUNT_TO(
			10000) "INSERT INTO x SELECT i / 2, i % 2 FROM c;"
			       "CREATE VIEW step AS SELECT DISTINCT a AS step, t AS type FROM s;"
			       "CREATE VIEW step_ipu AS SELECT DISTINCT a AS step, b AS ipu, 8 AS cycles, a * 10 "
			       "AS start, a * 10 + 8 AS \"end\" FROM x");
	ck_assert_msg(b.code == TS_OK, "%s", b.err.msg);
	ck_assert(b.t->forwards);
	ck_assert_int_eq(b.t->rows, 5000);
	ck_assert_int_eq(b.t->ipus, 2);
	ck_assert_int_eq(b.t->to, 49998);
	ask_everything(&b);
	ck_assert(ts_trace_window_read(&w, b.rd, b.t, 1, 100, 100, 0, 20, &b.err) == TS_OK);
	ck_assert_int_eq(w.count, 20);
	for (int i = 0; i < w.count; i++) {
		ck_assert_int_eq(w.row[i].step, (100 + i) * 7 % 5000);
		ck_assert(w.row[i].here);
		ck_assert_int_eq(w.row[i].start, w.row[i].step * 10);
	}
	ts_trace_window_fini(&w);
	ck_assert(ts_trace_chart_read(&c, b.rd, b.t, 0, 1000, 100, b.t->ipu, 2, NULL, &b.err) ==
		TS_OK);
	for (int x = 0; x < 100; x++)
		ck_assert(fabs(ts_trace_share(&c, 1, TS_CLASS_COMPUTE)[x] - 0.8) < 1e-9);
	ck_assert(!c.sampled);
	ts_trace_chart_fini(&c);
	bench_close(&b);
}
END_TEST

/* Rows of an IPU only where it takes part, far apart; 4,096 IPUs. */
START_TEST(many_ipus)
{
	struct bench b;

	bench_relations(&b,
		STEP_TABLE PART_TABLE
			COUNT_TO(40960) "INSERT INTO step SELECT i, NULL, 'OnTileExecute', NULL, NULL, 'a' FROM c;" COUNT_TO(
				40960) "INSERT INTO step_ipu(step, ipu, cycles, start, \"end\") SELECT i, "
				       "i % 4096, 100, i / 4096 * 200, i / 4096 * 200 + 100 FROM c");
	ck_assert_msg(b.code == TS_OK, "%s", b.err.msg);
	ck_assert_int_gt(b.t->ipus, 1000);
	ask_everything(&b);
	bench_close(&b);
}
END_TEST

/* --- damaged files -------------------------------------------------------------------------------- */

/* Any answer but a crash or one that takes for ever. */
static void
ask_whatever(struct bench *b)
{
	static struct ts_trace_cost cost;
	const struct ts_trace *t = b->t;
	struct ts_trace_hits h;

	for (int i = 0; i < 12; i++) {
		int64_t n = ts_max_i64((t->to - t->from) >> i, 1), step, row, at;
		int64_t from = ts_max_i64(t->from, 0) + ts_max_i64(t->to - t->from - n, 0) / 2;
		struct ts_trace_window w;
		struct ts_trace_chart c;
		enum ts_code code;
		bool found;

		code = ts_trace_chart_read(&c, b->rd, t, from, from + n, 80, t->ipu, t->ipus, NULL,
			&b->err);
		ck_assert(code == TS_OK || code == TS_E_DAMAGED);
		ts_trace_chart_fini(&c);
		code = ts_trace_step_at(&step, &found, b->rd, t, 0, from, &b->err);
		ck_assert(code == TS_OK || code == TS_E_DAMAGED);
		code = ts_trace_find_step(&row, &at, &found, b->rd, t, i * 300, &b->err);
		ck_assert(code == TS_OK || code == TS_E_DAMAGED);
		code = ts_trace_window_read(&w, b->rd, t, 0, i * 300, ts_trace_row_at(t, i * 300),
			10, 90, &b->err);
		ck_assert(code == TS_OK || code == TS_E_DAMAGED);
		ck_assert_int_le(w.count, 100);
		ts_trace_window_fini(&w);
	}
	(void)!ts_trace_search(&h, b->rd, t, "conv", NULL, &b->err);
	(void)!ts_trace_cost_read(&cost, b->rd, t, &h, 0, 80, NULL, &b->err);
	ts_trace_hits_fini(&h);
}

/* Cut the file, or write noise over a page of it. */
static void
damage(const char *path, long size, int i, uint64_t *seed)
{
	unsigned char noise[4096];
	FILE *f;

	if (i % 3 == 0) {
		ck_assert_int_eq(truncate(path, size / 10 * (i / 3 + 1)), 0);
		return;
	}
	f = fopen(path, "r+b");
	ck_assert_ptr_nonnull(f);
	for (int k = 0; k < 3; k++) {
		for (size_t n = 0; n < sizeof(noise); n++)
			noise[n] = (unsigned char)next(seed);
		fseek(f, (long)(1 + next(seed) % (uint64_t)(size / 4096 - 1)) * 4096, SEEK_SET);
		fwrite(noise, 1, sizeof(noise), f);
	}
	fclose(f);
}

START_TEST(damaged_files)
{
	struct ts_demo_options o = {.ipus = 2, .tiles = 16, .variables = 64};
	uint64_t seed = 2463534242u;
	int seen = 0;

	for (int i = 0; i < 24; i++) {
		struct ts_report_options open = {0};
		struct bench b;
		FILE *f;
		long size;

		bench_demo(&b, o);
		f = fopen(b.path, "rb");
		ck_assert_ptr_nonnull(f);
		fseek(f, 0, SEEK_END);
		size = ftell(f);
		fclose(f);
		damage(b.path, size, i, &seed);
		if (ts_report_open(&b.report, b.path, &open, &b.err) == TS_OK &&
			ts_reader_open(&b.rd, b.report, &b.err) == TS_OK) {
			b.code = ts_trace_open(&b.t, b.rd, NULL, &b.err);
			if (b.t) {
				seen++;
				ask_whatever(&b);
			}
		}
		bench_close(&b);
	}
	ck_assert_int_gt(seen, 8);
}
END_TEST

int
main(void)
{
	Suite *suite = suite_create("trace");
	TCase *same = tcase_create("same as a scan"), *odd = tcase_create("odd reports");
	SRunner *runner = srunner_create(suite);
	int failed;

	tcase_set_timeout(same, 120);
	tcase_set_timeout(odd, 120);
	tcase_add_test(same, lanes_are_exact);
	tcase_add_test(same, samples_are_close);
	tcase_add_test(same, windows_are_the_rows);
	tcase_add_test(same, the_step_at_a_time);
	tcase_add_test(same, search_counts_and_adds_up);
	tcase_add_loop_test(same, search_by_column, 0, 8);
	tcase_add_test(same, marks);
	tcase_add_test(same, runs_and_the_artefact);
	tcase_add_test(odd, nothing_there);
	tcase_add_loop_test(odd, names_are_read_once, 0, 2);
	tcase_add_test(odd, hostile_numbers);
	tcase_add_test(odd, hostile_rowids);
	tcase_add_test(odd, starts_that_do_not_rise);
	tcase_add_test(odd, ids_with_gaps);
	tcase_add_test(odd, read_forwards);
	tcase_add_test(odd, many_ipus);
	tcase_add_test(odd, damaged_files);
	suite_add_tcase(suite, same);
	suite_add_tcase(suite, odd);
	srunner_run_all(runner, CK_ENV);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
