/* SPDX-License-Identifier: MIT */
/*
 * export_tables - tiles, liveness and variables as rows, programs as a graph.
 *
 * What relations say as they are is a statement over them (report/query.h), so that `tilescope query` prints the same;
 * the categories of tiles are figures of their own (report/memory.h) and become columns.
 */
#include "config.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "export_internal.h"
#include "tilescope/base/mem.h"
#include "tilescope/base/utf8.h"
#include "tilescope/report/memory.h"
#include "tilescope/report/query.h"

enum { SQL_MAX = 1 << 16, NAME_BYTES = 4096, FLUSH_BYTES = 1 << 18, BUFFER_MAX = 1 << 24 };

/* --- statements ------------------------------------------------------------------------------------- */

/* A statement, and who gets its rows: false = no more. */
struct statement {
	struct ts_query *query;
	struct ts_sql_value *v;
	int columns;
};

static enum ts_code
statement_open(struct statement *s, struct ts_export *x, const char *sql, struct ts_err *err)
{
	enum ts_code code;

	*s = (struct statement){0};
	code = ts_query_open(&s->query, x->report, err);
	if (code)
		return code;
	ts_query_set_cancel(s->query, x->rd->cancel);
	ts_query_set_progress(s->query, ts_export_progress(x));
	code = ts_query_prepare(s->query, sql, 0, err);
	if (code)
		return code;
	s->columns = ts_query_columns(s->query);
	s->v = ts_alloc((size_t)s->columns, sizeof(*s->v));
	return s->v ? TS_OK : ts_err_nomem(err);
}

/* The next row, in s->v. */
static enum ts_code
statement_next(struct statement *s, bool *row, struct ts_err *err)
{
	enum ts_code code = ts_query_step(s->query, row, err);

	for (int i = 0; !code && *row && i < s->columns; i++)
		ts_query_value(&s->v[i], s->query, i);
	return code;
}

/* Close it; what was damaged of what it read becomes a note, and TS_E_DAMAGED. */
static enum ts_code
statement_close(struct statement *s, struct ts_err *err)
{
	const char *partial = s->query ? ts_query_partial(s->query) : NULL;
	enum ts_code code = partial ? ts_err_set(err, TS_E_DAMAGED, "%s", partial) : TS_OK;

	free(s->v);
	ts_query_close(s->query);
	return code;
}

static enum ts_code
rows_of_statement(struct ts_rows_out **rows, struct statement *s, struct ts_export *x,
	struct ts_err *err)
{
	const char **names = ts_alloc((size_t)s->columns, sizeof(*names));

	*rows = NULL;
	for (int i = 0; names && i < s->columns; i++)
		names[i] = ts_query_name(s->query, i);
	if (names)
		*rows = ts_rows_out_new(x->out, x->rows, s->columns, names);
	free(names);
	return *rows ? TS_OK : ts_err_nomem(err);
}

/* The rows of a statement as they come. */
static enum ts_code
export_sql(struct ts_export *x, const char *sql, struct ts_err *err)
{
	struct ts_err end = {0};
	struct ts_rows_out *rows = NULL;
	struct statement s;
	enum ts_code code = statement_open(&s, x, sql, err), last;
	bool row = true, more = true;

	if (!code)
		code = rows_of_statement(&rows, &s, x, err);
	while (!code && more && !(code = statement_next(&s, &row, err)) && row)
		more = ts_rows_out_row(rows, s.v);
	last = ts_rows_out_end(rows, code ? NULL : &end);
	code = code ? code : last;
	last = statement_close(&s, code ? NULL : &end);
	if (!code && end.code && err)
		*err = end;
	return code ? code : last;
}

/* TS_E_ABSENT with the reason, unless the report has it. */
static enum ts_code
needs(const struct ts_export *x, enum ts_relation relation, struct ts_err *err)
{
	if (ts_report_has(x->report, relation))
		return TS_OK;
	return ts_err_set(err, TS_E_ABSENT, "%s: %s", ts_relation_def(relation)->name,
		x->report->binding[relation].reason);
}

enum ts_code
ts_export_liveness(struct ts_export *x, struct ts_err *err)
{
	static const char head[] = "SELECT s.live_step, NULL AS ipu, s.program";
	static const char program[] =
		", (SELECT type FROM program p WHERE p.program = s.program LIMIT 1) AS type"
		", (SELECT name FROM program p WHERE p.program = s.program LIMIT 1) AS name";
	static const char no_program[] = ", NULL AS type, NULL AS name";
	bool named = ts_report_has(x->report, TS_PROGRAM);
	struct ts_strbuf sql;
	enum ts_code code = needs(x, TS_LIVENESS_STEP, err);

	if (code)
		return code;
	ts_strbuf_init(&sql, SQL_MAX);
	ts_strbuf_printf(&sql, "%s%s, s.not_always_live FROM liveness_step s", head,
		named ? program : no_program);
	if (ts_report_has(x->report, TS_LIVENESS_STEP_IPU))
		ts_strbuf_puts(&sql,
			" UNION ALL SELECT live_step, ipu, NULL, NULL, NULL, not_always_live "
			"FROM liveness_step_ipu");
	code = export_sql(x, sql.s, err);
	ts_strbuf_fini(&sql);
	return code;
}

enum ts_code
ts_export_variables(struct ts_export *x, struct ts_err *err)
{
	bool lowered = ts_report_has(x->report, TS_LOWERED_VARIABLE);
	static const char category[] = "coalesce((SELECT name FROM memory_category c WHERE "
				       "c.category = v.category LIMIT 1), v.category)";
	bool named = ts_report_has(x->report, TS_MEMORY_CATEGORY);
	struct ts_strbuf sql;
	enum ts_code code = lowered ? TS_OK : needs(x, TS_VARIABLE, err);

	if (code)
		return needs(x, TS_LOWERED_VARIABLE, err);
	ts_strbuf_init(&sql, SQL_MAX);
	if (lowered)
		ts_strbuf_printf(&sql,
			"SELECT v.id, v.tile, v.name, v.bytes, v.\"offset\", v.alignment, %s AS "
			"category, v.class, v.variable, v.always_live, v.element_type FROM "
			"lowered_variable v",
			named ? category : "v.category");
	else
		ts_strbuf_puts(&sql,
			"SELECT variable, name, bytes, always_live, element_type FROM "
			"variable");
	code = export_sql(x, sql.s, err);
	ts_strbuf_fini(&sql);
	return code;
}

/* --- a graph ---------------------------------------------------------------------------------------- */

void
ts_export_dot_label(struct ts_strbuf *out, const char *text, size_t n)
{
	struct ts_strbuf safe;

	ts_strbuf_init(&safe, NAME_BYTES * 4);
	ts_utf8_safe(&safe, text, n < NAME_BYTES ? n : NAME_BYTES);
	for (size_t i = 0; i < safe.len; i++) {
		if (safe.s[i] == '"' || safe.s[i] == '\\')
			ts_strbuf_putc(out, '\\');
		ts_strbuf_putc(out, safe.s[i]);
	}
	ts_strbuf_fini(&safe);
}

enum { N_PROGRAM, N_TYPE, N_NAME, N_REPEAT };

static void
add_node(struct ts_strbuf *out, const struct ts_sql_value *v)
{
	ts_strbuf_printf(out, "  p%" PRId64 " [label=\"%" PRId64 " ", v[N_PROGRAM].integer,
		v[N_PROGRAM].integer);
	ts_export_dot_label(out, v[N_TYPE].bytes, v[N_TYPE].n);
	if (v[N_REPEAT].type == TS_SQL_INTEGER)
		ts_strbuf_printf(out, " x %" PRId64, v[N_REPEAT].integer);
	if (v[N_NAME].n > 0) {
		ts_strbuf_puts(out, "\\n");
		ts_export_dot_label(out, v[N_NAME].bytes, v[N_NAME].n);
	}
	ts_strbuf_puts(out, "\"];\n");
}

enum { E_PARENT, E_CHILD, E_POSITION };

static void
add_edge(struct ts_strbuf *out, const struct ts_sql_value *v)
{
	ts_strbuf_printf(out, "  p%" PRId64 " -> p%" PRId64 " [label=\"%" PRId64 "\"];\n",
		v[E_PARENT].integer, v[E_CHILD].integer, v[E_POSITION].integer);
}

/* Lines of a statement whose first `numbers` columns have to be numbers. */
static enum ts_code
lines_of(bool *more, struct ts_export *x, const char *sql, int first, int numbers,
	void (*add)(struct ts_strbuf *, const struct ts_sql_value *), struct ts_err *err)
{
	struct ts_strbuf out;
	struct ts_err end = {0};
	struct statement s;
	enum ts_code code = statement_open(&s, x, sql, err), last;
	bool row;

	ts_strbuf_init(&out, BUFFER_MAX);
	while (!code && *more && !(code = statement_next(&s, &row, err)) && row) {
		bool whole = true;

		for (int i = first; i < first + numbers; i++)
			whole = whole && s.v[i].type == TS_SQL_INTEGER;
		if (whole)
			add(&out, s.v);
		if (out.len >= FLUSH_BYTES) {
			*more = ts_output_add(x->out, out.s, out.len);
			ts_strbuf_reset(&out);
		}
	}
	if (!code && *more)
		*more = ts_output_add(x->out, out.s, out.len);
	ts_strbuf_fini(&out);
	last = statement_close(&s, &end);
	if (!code && last && err)
		*err = end;
	return code ? code : last;
}

enum ts_code
ts_export_programs_dot(struct ts_export *x, struct ts_err *err)
{
	static const char head[] = "digraph programs {\n  node [shape=box, fontname=monospace];\n";
	static const char nodes[] = "SELECT program, type, name, repeat_count FROM program";
	static const char edges[] = "SELECT parent, child, position FROM program_child";
	enum ts_code code = needs(x, TS_PROGRAM, err), later = TS_OK;
	struct ts_err end = {0};
	bool more;

	if (!code)
		code = needs(x, TS_PROGRAM_CHILD, err);
	if (code)
		return code;
	more = ts_output_add(x->out, head, sizeof(head) - 1);
	code = lines_of(&more, x, nodes, N_PROGRAM, 1, add_node, err);
	if (!code || code == TS_E_DAMAGED)
		later = lines_of(&more, x, edges, E_PARENT, 3, add_edge, &end);
	if (more)
		ts_output_add(x->out, "}\n", 2);
	if (!code && later && err)
		*err = end;
	return code ? code : later;
}

/* --- tiles ------------------------------------------------------------------------------------------ */

static const char *const tile_columns[] = {"tile", "ipu", "physical", "total", "total_gaps",
	"non_interleaved", "interleaved", "overflowed", "always_live", "not_always_live_peak"};

enum { TILE_COLUMNS = TS_COUNT(tile_columns) };

static enum ts_code
write_tiles(struct ts_export *x, struct ts_rows_out *rows, const struct ts_categories *c,
	struct ts_err *err)
{
	struct ts_sql_value v[TILE_COLUMNS + TS_CATEGORIES_MAX];
	struct ts_strbuf sql;
	struct ts_err end = {0};
	struct statement s;
	enum ts_code code, last;
	bool row, more = true;

	ts_strbuf_init(&sql, SQL_MAX);
	ts_strbuf_puts(&sql, "SELECT ");
	for (int i = 0; i < TILE_COLUMNS; i++)
		ts_strbuf_printf(&sql, "%s%s", i ? ", " : "", tile_columns[i]);
	ts_strbuf_puts(&sql, " FROM tile_memory");
	code = statement_open(&s, x, sql.s, err);
	while (!code && more && !(code = statement_next(&s, &row, err)) && row) {
		ptrdiff_t at = s.v[0].type == TS_SQL_INTEGER ? ts_categories_find(c, s.v[0].integer)
							     : -1;

		memcpy(v, s.v, TILE_COLUMNS * sizeof(*v));
		for (int i = 0; i < c->count; i++)
			v[TILE_COLUMNS + i] = ts_export_integer(
				at < 0 ? TS_UNKNOWN : ts_categories_at(c, i, (size_t)at));
		more = ts_rows_out_row(rows, v);
	}
	ts_strbuf_fini(&sql);
	last = statement_close(&s, &end);
	if (!code && last && err)
		*err = end;
	return code ? code : last;
}

enum ts_code
ts_export_tiles(struct ts_export *x, struct ts_err *err)
{
	const char *names[TILE_COLUMNS + TS_CATEGORIES_MAX];
	struct ts_categories c = {0};
	struct ts_err why = {0}, end = {0};
	struct ts_rows_out *rows = NULL;
	enum ts_code code = needs(x, TS_TILE_MEMORY, err), last;

	if (!code) {
		code = ts_categories_read(&c, x->rd, ts_export_progress(x), &why);
		code = ts_notes_soften(&x->notes, code, "categories", &why, err);
	}
	if (!code) {
		memcpy(names, tile_columns, sizeof(tile_columns));
		for (int i = 0; i < c.count; i++)
			names[TILE_COLUMNS + i] = c.category[i].name;
		rows = ts_rows_out_new(x->out, x->rows, TILE_COLUMNS + c.count, names);
		code = rows ? write_tiles(x, rows, &c, err) : ts_err_nomem(err);
	}
	last = ts_rows_out_end(rows, &end);
	if (!code && last && err)
		*err = end;
	ts_categories_fini(&c);
	return code ? code : last;
}
