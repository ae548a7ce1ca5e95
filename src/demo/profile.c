/* SPDX-License-Identifier: MIT */
/*
 * profile - the demo report in the layout of a real profile.pop, format 3.8.
 *
 * All tables are there, with the keys and indexes of profile/tables.c; those of the execution are empty when nothing
 * ran. Blobs are made by the encoder of profile/blob.h.
 */
#include "config.h"

#include "profile.h"

#include "tilescope/profile/tables.h"

void
pf_put_text(struct demo_out *out, int column, const char *s)
{
	sqlite3_bind_text(out->stmt, demo_index(out, column), s, -1, SQLITE_TRANSIENT);
}

static void
put_bytes(struct demo_out *out, int column, const struct ts_strbuf *b)
{
	if (b->cut)
		demo_nomem(out);
	sqlite3_bind_blob64(out->stmt, demo_index(out, column), b->s, b->len, SQLITE_TRANSIENT);
}

void
pf_put(struct demo_out *out, int column, struct ts_strbuf *b, enum ts_blob_kind kind,
	const int64_t *v, size_t n)
{
	ts_strbuf_reset(b);
	ts_blob_put(b, kind, v, n);
	put_bytes(out, column, b);
}

/* The sum of the ranges at `at`; *end: where it changes next. */
static int64_t
sum_at(int64_t *end, int64_t at, const struct pf_range *r, size_t ranges)
{
	int64_t sum = 0;

	for (size_t i = 0; i < ranges; i++) {
		int64_t to = r[i].from + r[i].count;

		if (at >= r[i].from && at < to)
			sum += r[i].value;
		if (r[i].from > at && r[i].from < *end)
			*end = r[i].from;
		if (to > at && to < *end)
			*end = to;
	}
	return sum;
}

void
pf_put_ranges(struct demo_out *out, int column, struct ts_strbuf *b, int64_t n,
	const struct pf_range *r, size_t ranges)
{
	ts_strbuf_reset(b);
	for (int64_t at = 0, end; at < n; at = end) {
		int64_t v;

		end = n;
		v = sum_at(&end, at, r, ranges);
		ts_blob_put_number(b, (end - at) * 2 + (end - at == 1));
		ts_blob_put_number(b, v);
	}
	put_bytes(out, column, b);
}

void
pf_begin_many(struct demo_out *out, const char *table, int64_t rows)
{
	demo_begin_many(out, table, ts_profile_table_find(table)->columns, rows);
}

void
pf_begin(struct demo_out *out, const char *table)
{
	pf_begin_many(out, table, 0);
}

void
pf_write(struct demo_out *out, void *model)
{
	struct pf_model *m = model;
	struct ts_strbuf sql;

	ts_strbuf_init(&sql, TS_PROFILE_SQL);
	ts_profile_sql(&sql);
	if (sql.cut)
		demo_nomem(out);
	demo_exec(out, sql.s);
	ts_strbuf_fini(&sql);
	pf_write_target(out, m);
	pf_write_programs(out, m);
	pf_write_variables(out, m);
	pf_write_memory(out, m);
	pf_write_liveness(out, m);
	pf_write_execution(out, m);
}
