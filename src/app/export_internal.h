/* SPDX-License-Identifier: MIT */
/* export_internal - what the writers of `tilescope export` share. */
#ifndef TS_APP_EXPORT_INTERNAL_H
#define TS_APP_EXPORT_INTERNAL_H

#include "tilescope/app/args.h"
#include "tilescope/app/output.h"
#include "tilescope/app/rows_out.h"
#include "tilescope/app/watch.h"
#include "tilescope/report/operation_graph.h"
#include "tilescope/report/report.h"

/* One export while it runs. */
struct ts_export {
	const struct ts_args *args;
	struct ts_report *report;
	struct ts_reader *rd;
	struct ts_watch *watch;	      /* NULL: there is `progress` */
	struct ts_progress *progress; /* of a job of the app; NULL: that of `watch` */
	bool ranged;		      /* of the trace: what lies in [from, to) of cycles alone */
	int64_t from, to;
	struct ts_operation_graph *graph; /* of operations as a graph: these; NULL: all */
	struct ts_output *out;
	enum ts_format rows;   /* of those that are rows */
	struct ts_notes notes; /* what somebody who reads the data alone would not know */
};

/*
 * Writers: all to x->out, in memory that does not grow with the report. Errors: TS_E_ABSENT: it is not in the report;
 * TS_E_DAMAGED: what could be read is written; those of reading. A pipe that nobody reads any more ends them early, and
 * is no error.
 */
enum ts_code ts_export_trace_rows(struct ts_export *x, struct ts_err *err) TS_WARN_UNUSED;
enum ts_code ts_export_trace_perfetto(struct ts_export *x, struct ts_err *err) TS_WARN_UNUSED;
enum ts_code ts_export_trace_folded(struct ts_export *x, struct ts_err *err) TS_WARN_UNUSED;
enum ts_code ts_export_tiles(struct ts_export *x, struct ts_err *err) TS_WARN_UNUSED;
enum ts_code ts_export_liveness(struct ts_export *x, struct ts_err *err) TS_WARN_UNUSED;
enum ts_code ts_export_variables(struct ts_export *x, struct ts_err *err) TS_WARN_UNUSED;
enum ts_code ts_export_programs(struct ts_export *x, struct ts_err *err) TS_WARN_UNUSED;
enum ts_code ts_export_programs_dot(struct ts_export *x, struct ts_err *err) TS_WARN_UNUSED;
enum ts_code ts_export_operations(struct ts_export *x, struct ts_err *err) TS_WARN_UNUSED;
enum ts_code ts_export_operations_dot(struct ts_export *x, struct ts_err *err) TS_WARN_UNUSED;

/* What is left out of operations. */
void ts_export_operations_notes(struct ts_export *x, const struct ts_operations *o);

/* Text inside the quotes of a label, as the language of Graphviz has it. */
void ts_export_dot_label(struct ts_strbuf *out, const char *text, size_t n);

static inline struct ts_progress *
ts_export_progress(const struct ts_export *x)
{
	return x->progress ? x->progress : ts_watch_progress(x->watch);
}

/* Set what a file of this name can hold of `what` (ts_export_whats), for ts_export_run(). False: nothing. */
bool ts_export_as(struct ts_export *x, const char *what, const char *path,
	enum ts_export_format *format);
enum ts_code ts_export_run(struct ts_export *x, const char *what, enum ts_export_format format,
	struct ts_err *err) TS_WARN_UNUSED;

/* ".csv, .json, .jsonl": what it can be written as. */
void ts_export_suffixes(char *out, size_t size, const char *what);

/* Values of a row. */
static inline struct ts_sql_value
ts_export_integer(int64_t v)
{
	return (struct ts_sql_value){v < 0 ? TS_SQL_NULL : TS_SQL_INTEGER, v, 0, "", 0};
}

static inline struct ts_sql_value
ts_export_share(double v)
{
	return (struct ts_sql_value){v < 0 ? TS_SQL_NULL : TS_SQL_REAL, 0, v, "", 0};
}

static inline struct ts_sql_value
ts_export_text(const char *s, size_t n)
{
	return (struct ts_sql_value){s ? TS_SQL_TEXT : TS_SQL_NULL, 0, 0, s ? s : "", n};
}

#endif
