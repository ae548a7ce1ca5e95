/* SPDX-License-Identifier: MIT */
/*
 * verb_query - `tilescope query PATH 'SELECT ...'`: rows as they come, in memory that does not grow with
 * them; and `--relations`: which relations a query may name.
 */
#include "config.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tilescope/app/open.h"
#include "tilescope/app/output.h"
#include "tilescope/app/rows_out.h"
#include "tilescope/app/verbs.h"
#include "tilescope/base/mem.h"
#include "tilescope/report/contexts.h"
#include "tilescope/report/query.h"

enum { DESCRIBED_MAX = 1 << 14 };

/* What stays open while rows are printed. */
struct run {
	const struct ts_args *args;
	struct ts_watch *watch;
	struct ts_query *query;
	struct ts_output out;
	struct ts_rows_out *rows;
	struct ts_sql_value *values;
	int columns;
};

static enum ts_code
open_rows(struct run *run, struct ts_err *err)
{
	const char **names;

	run->columns = ts_query_columns(run->query);
	run->values = ts_alloc((size_t)run->columns, sizeof(*run->values));
	names = ts_alloc((size_t)run->columns, sizeof(*names));
	for (int i = 0; names && i < run->columns; i++)
		names[i] = ts_query_name(run->query, i);
	if (names && run->values)
		run->rows = ts_rows_out_new(&run->out, run->args->format, run->columns, names);
	free(names);
	return run->rows ? TS_OK : ts_err_nomem(err);
}

static enum ts_code
print_rows(struct run *run, struct ts_err *err)
{
	bool row, more = true;
	enum ts_code code;

	while (!(code = ts_query_step(run->query, &row, err)) && row && more) {
		for (int i = 0; i < run->columns; i++)
			ts_query_value(&run->values[i], run->query, i);
		more = ts_rows_out_row(run->rows, run->values);
	}
	return code;
}

/* How what ended a query is told to scripts: the user's words, a cancel, or a part that cannot be read. */
static enum ts_exit
status_of(enum ts_code code)
{
	enum ts_exit status = ts_exit_of(code);

	return status == TS_EXIT_UNREADABLE ? TS_EXIT_PARTIAL : status;
}

/* Print what there is, and say what is missing. */
static enum ts_exit
answer(struct run *run)
{
	struct ts_err err = {0}, end = {0};
	enum ts_code code = ts_output_open(&run->out, run->args->output, &end), closed;
	enum ts_exit status;

	if (code) {
		ts_watch_complain(run->watch, NULL, &end);
		return TS_EXIT_UNREADABLE;
	}
	code = open_rows(run, &err);
	if (!code)
		code = print_rows(run, &err);
	status = status_of(code);
	if (code)
		ts_watch_complain(run->watch, run->args->paths[0], &err);
	closed = ts_rows_out_end(run->rows, &end);
	if (closed) {
		ts_watch_complain(run->watch, run->args->paths[0], &end);
		status = ts_exit_worse(status, TS_EXIT_PARTIAL);
	}
	if (ts_output_close(&run->out, status == TS_EXIT_OK || status == TS_EXIT_PARTIAL, &end)) {
		ts_watch_complain(run->watch, NULL, &end);
		status = TS_EXIT_UNREADABLE;
	}
	free(run->values);
	return status;
}

static enum ts_exit
run_query(const struct ts_args *args, const struct ts_report *r, struct ts_watch *watch)
{
	struct run run = {.args = args, .watch = watch};
	struct ts_err err = {0};
	enum ts_exit status;
	enum ts_code code = ts_query_open(&run.query, r, &err);
	char *rules = ts_config_path("rules/groups.rules");

	if (!code) {
		ts_query_set_rules(run.query, rules);
		ts_query_set_cancel(run.query, ts_watch_cancel(watch));
		if (!isatty(STDOUT_FILENO))
			ts_query_set_progress(run.query, ts_watch_progress(watch));
		else
			ts_watch_hide(watch); /* rows come to that terminal */
		code = ts_query_prepare(run.query, args->paths[1], args->timeout, &err);
	}
	if (code) {
		ts_watch_complain(watch, args->paths[0], &err);
		ts_query_close(run.query);
		free(rules);
		return status_of(code);
	}
	status = answer(&run);
	if (ts_query_partial(run.query)) {
		if (!args->quiet)
			ts_watch_warn(watch, args->paths[0], ts_query_partial(run.query));
		status = ts_exit_worse(status, TS_EXIT_PARTIAL);
	}
	ts_query_close(run.query);
	free(rules);
	return status;
}

/* --- --relations ---------------------------------------------------------------------------------- */

static struct ts_sql_value
text_value(const char *s)
{
	if (!s || !*s)
		return (struct ts_sql_value){.type = TS_SQL_NULL, .bytes = ""};
	return (struct ts_sql_value){.type = TS_SQL_TEXT, .bytes = s, .n = strlen(s)};
}

static const char *const type_words[] = {
	[TS_TYPE_INTEGER] = "integer",
	[TS_TYPE_REAL] = "real",
	[TS_TYPE_TEXT] = "text",
	[TS_TYPE_BLOB] = "blob",
};

enum { RELATION, COLUMN, TYPE, SOURCE, TABLE, FROM, NOTE, RELATION_COLUMNS_OUT };

static const char *
note_of(const struct ts_binding *b, int column, bool has)
{
	const char *derived = ts_query_derived(b->relation, column);

	if (!has)
		return derived ? derived : "not in this report: always NULL";
	return column == ts_relation_def(b->relation)->key ? ts_reach_name(b->reach.key) : "";
}

static bool
relation_rows(struct ts_rows_out *rows, const struct ts_report *r, const struct ts_binding *b)
{
	const struct ts_relation_def *def = ts_relation_def(b->relation);
	struct ts_sql_value v[RELATION_COLUMNS_OUT];
	struct ts_strbuf from;
	bool more = true;

	ts_strbuf_init(&from, DESCRIBED_MAX);
	for (int i = 0; more && i < def->column_count; i++) {
		ts_strbuf_reset(&from);
		ts_binding_describe(&from, b, i);
		v[RELATION] = text_value(def->name);
		v[COLUMN] = text_value(def->column[i].name);
		v[TYPE] = text_value(type_words[def->column[i].type]);
		v[SOURCE] = text_value(ts_source_name(r, b->source));
		v[TABLE] = text_value(b->object->name);
		v[FROM] = text_value(from.s);
		v[NOTE] = text_value(note_of(b, i, from.len > 0));
		more = ts_rows_out_row(rows, v);
	}
	ts_strbuf_fini(&from);
	return more;
}

/* Those of debug.cbor: no table. */
static bool
context_rows(struct ts_rows_out *rows)
{
	const struct ts_relation_def *def = ts_relation_def(TS_CONTEXT);
	bool more = true;

	for (int i = 0; more && i < def->column_count; i++) {
		const struct ts_sql_value v[RELATION_COLUMNS_OUT] = {
			[RELATION] = text_value(def->name),
			[COLUMN] = text_value(def->column[i].name),
			[TYPE] = text_value(type_words[def->column[i].type]),
			[SOURCE] = text_value("debug"),
			[TABLE] = text_value("contexts"),
			[FROM] = text_value(ts_context_described(i)),
			[NOTE] = text_value(i == def->key ? ts_reach_name(TS_REACH_INDEX) : ""),
		};

		more = ts_rows_out_row(rows, v);
	}
	return more;
}

static enum ts_exit
print_relations(const struct ts_args *args, const struct ts_report *r)
{
	static const char *const names[] = {"relation", "column", "type", "source", "table", "from",
		"note"};
	struct ts_output out;
	struct ts_rows_out *rows;
	struct ts_err err = {0};
	enum ts_code code = ts_output_open(&out, args->output, &err);
	bool more = true;

	if (code) {
		ts_complain(NULL, &err);
		return TS_EXIT_UNREADABLE;
	}
	rows = ts_rows_out_new(&out, args->format, RELATION_COLUMNS_OUT, names);
	for (int i = 0; rows && more && i < TS_RELATION_COUNT; i++)
		if (r->binding[i].bound)
			more = relation_rows(rows, r, &r->binding[i]);
	if (rows && more && ts_context_in_debug(r))
		more = context_rows(rows);
	for (int i = 0; rows && more && i < TS_RELATION_COUNT; i++) {
		struct ts_sql_value v[RELATION_COLUMNS_OUT] = {
			[RELATION] = text_value(ts_relation_def((enum ts_relation)i)->name),
			[COLUMN] = text_value(NULL),
			[TYPE] = text_value(NULL),
			[SOURCE] = text_value(NULL),
			[TABLE] = text_value(NULL),
			[FROM] = text_value(NULL),
			[NOTE] = text_value(r->binding[i].reason),
		};

		if (!r->binding[i].bound && !(i == TS_CONTEXT && ts_context_in_debug(r)))
			more = ts_rows_out_row(rows, v);
	}
	code = rows ? ts_rows_out_end(rows, &err) : ts_err_nomem(&err);
	if (code)
		ts_complain(NULL, &err);
	if (ts_output_close(&out, !code, &err)) {
		ts_complain(NULL, &err);
		code = err.code;
	}
	return code ? TS_EXIT_UNREADABLE : TS_EXIT_OK;
}

static bool
words_fit(const struct ts_args *args)
{
	struct ts_err err = {0};

	if (args->relations == (args->path_count == 1))
		return true;
	ts_err_set(&err, TS_E_USAGE, "query: %s (see tilescope help query)",
		args->relations ? "--relations takes no SQL" : "SQL is missing");
	ts_complain(NULL, &err);
	return false;
}

enum ts_exit
ts_verb_query(const struct ts_args *args)
{
	struct ts_watch *watch;
	struct ts_report *r;
	struct ts_reader *rd;
	struct ts_err err = {0};
	enum ts_exit status;
	enum ts_code code;

	if (!words_fit(args))
		return TS_EXIT_USAGE;
	code = ts_watch_start(&watch, "query", &err);
	if (code) {
		ts_complain(NULL, &err);
		return TS_EXIT_UNREADABLE;
	}
	code = ts_open_report(&r, &rd, args, args->paths[0], true, watch);
	status = ts_exit_of(code);
	if (!code) {
		if (args->relations)
			ts_watch_hide(watch);
		status = args->relations ? print_relations(args, r) : run_query(args, r, watch);
		if (r->being_written && !args->quiet)
			ts_watch_warn(watch, args->paths[0],
				"is being written: only what the file itself holds was read");
		if (r->being_written)
			status = ts_exit_worse(status, TS_EXIT_PARTIAL);
	}
	ts_watch_stop(watch);
	ts_close_report(args, r, rd);
	return status;
}
