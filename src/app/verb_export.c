/* SPDX-License-Identifier: MIT */
/*
 * verb_export - `tilescope export PATH --what ... --format ...`: a report's data for other tools.
 *
 * One table says what can be written in which format, and by whom. Everything goes out as it is read.
 */
#include "config.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "export_internal.h"
#include "tilescope/app/open.h"
#include "tilescope/app/verbs.h"
#include "tilescope/base/mem.h"
#include "tilescope/report/index.h"

static const struct {
	const char *suffix; /* of a file that says the format */
	enum ts_export_format format;
} suffixes[] = {
	{".csv", TS_EXPORT_CSV},
	{".json", TS_EXPORT_JSON},
	{".jsonl", TS_EXPORT_JSONL},
	{".ndjson", TS_EXPORT_JSONL},
	{".perfetto", TS_EXPORT_PERFETTO},
	{".perfetto-trace", TS_EXPORT_PERFETTO},
	{".pftrace", TS_EXPORT_PERFETTO},
	{".folded", TS_EXPORT_FOLDED},
	{".dot", TS_EXPORT_DOT},
	{".gv", TS_EXPORT_DOT},
};

/* Of formats that are rows. */
static const enum ts_format rows_of[TS_EXPORT_FORMATS] = {
	[TS_EXPORT_CSV] = TS_FORMAT_CSV,
	[TS_EXPORT_JSON] = TS_FORMAT_JSON,
	[TS_EXPORT_JSONL] = TS_FORMAT_JSONL,
};

enum { ROWS = 1 << TS_EXPORT_CSV | 1 << TS_EXPORT_JSON | 1 << TS_EXPORT_JSONL };

/* Of an index that is there, sections that have figures ready. */
#define COSTS (UINT64_C(1) << TS_SECTION_PROGRAMS)
#define OPERATIONS (COSTS | UINT64_C(1) << TS_SECTION_OPERATIONS)
#define LINKS (OPERATIONS | UINT64_C(1) << TS_SECTION_USES)

static const struct {
	const char *what;
	unsigned formats;
	uint64_t sections; /* of the index, that it looks at */
	enum ts_code (*run)(struct ts_export *x, struct ts_err *err);
} writers[] = {
	{"trace", ROWS, 0, ts_export_trace_rows},
	{"trace", 1 << TS_EXPORT_PERFETTO, 0, ts_export_trace_perfetto},
	{"trace", 1 << TS_EXPORT_FOLDED, 0, ts_export_trace_folded},
	{"tiles", ROWS, 0, ts_export_tiles},
	{"liveness", ROWS, 0, ts_export_liveness},
	{"variables", ROWS, 0, ts_export_variables},
	{"programs", ROWS, COSTS, ts_export_programs},
	{"programs", 1 << TS_EXPORT_DOT, COSTS, ts_export_programs_dot},
	{"operations", ROWS, OPERATIONS, ts_export_operations},
	{"operations", 1 << TS_EXPORT_DOT, LINKS, ts_export_operations_dot},
};

/* As the name of a file says; false: it says nothing. */
static bool
format_of(const char *path, enum ts_export_format *format)
{
	size_t len = strlen(path);

	for (size_t i = 0; i < TS_COUNT(suffixes); i++) {
		size_t n = strlen(suffixes[i].suffix);

		if (len <= n || strcmp(path + len - n, suffixes[i].suffix) != 0)
			continue;
		*format = suffixes[i].format;
		return true;
	}
	return false;
}

static enum ts_export_format
choose_format(const struct ts_args *args)
{
	enum ts_export_format format = TS_EXPORT_CSV;

	if (args->export_format)
		return (enum ts_export_format)(args->export_format - 1);
	if (args->output)
		format_of(args->output, &format);
	return format;
}

static int
writer_of(const char *what, enum ts_export_format format)
{
	for (size_t i = 0; i < TS_COUNT(writers); i++)
		if (strcmp(writers[i].what, what) == 0 && writers[i].formats & 1U << format)
			return (int)i;
	return -1;
}

bool
ts_export_as(struct ts_export *x, const char *what, const char *path, enum ts_export_format *format)
{
	if (!format_of(path, format) || writer_of(what, *format) < 0)
		return false;
	x->rows = rows_of[*format];
	return true;
}

enum ts_code
ts_export_run(struct ts_export *x, const char *what, enum ts_export_format format,
	struct ts_err *err)
{
	return writers[writer_of(what, format)].run(x, err);
}

void
ts_export_suffixes(char *out, size_t size, const char *what)
{
	size_t at = 0;

	out[0] = '\0';
	for (int k = 0; k < TS_EXPORT_FORMATS && at < size; k++)
		if (writer_of(what, (enum ts_export_format)k) >= 0)
			at += (size_t)snprintf(out + at, size - at, "%s.%s", at ? ", " : "",
				ts_export_formats[k]);
}

/* Index of the writer, or -1 with the reason. */
static int
choose_writer(const struct ts_args *args, enum ts_export_format format, struct ts_err *err)
{
	const char *what = ts_export_whats[args->what];
	int writer = writer_of(what, format);
	char endings[200];

	if (!args->export_format && args->output && strcmp(args->output, "-") != 0 &&
		!format_of(args->output, &format)) {
		ts_export_suffixes(endings, sizeof(endings), what);
		ts_err_set(err, TS_E_USAGE,
			"export: the end of %s says no format: one of %s, or --format",
			args->output, endings);
		return -1;
	}
	if (writer >= 0)
		return writer;
	ts_err_set(err, TS_E_USAGE,
		"export: %s cannot be written as %s (see tilescope help export)", what,
		ts_export_formats[format]);
	return -1;
}

/* What was asked for is not in this report: as `query` says it. */
static enum ts_exit
status_of(enum ts_code code)
{
	enum ts_exit status = ts_exit_of(code);

	if (code == TS_E_ABSENT)
		return TS_EXIT_USAGE;
	return status == TS_EXIT_UNREADABLE ? TS_EXIT_PARTIAL : status;
}

static void
say_notes(const struct ts_export *x)
{
	for (int i = 0; i < x->notes.count && !x->args->quiet; i++)
		ts_watch_warn(x->watch, x->args->paths[0], x->notes.note[i]);
}

static enum ts_exit
run_export(const struct ts_args *args, struct ts_report *r, struct ts_reader *rd, int writer,
	enum ts_export_format format, struct ts_watch *watch)
{
	struct ts_output out;
	struct ts_export x = {.args = args,
		.report = r,
		.rd = rd,
		.watch = watch,
		.out = &out,
		.rows = rows_of[format]};
	struct ts_err err = {0}, end = {0};
	enum ts_code code = ts_output_open(&out, args->output, &err);
	enum ts_exit status;

	if (code) {
		ts_watch_complain(watch, NULL, &err);
		return TS_EXIT_UNREADABLE;
	}
	if (!args->output && isatty(STDOUT_FILENO))
		ts_watch_hide(watch); /* rows come to that terminal */
	if (writers[writer].sections)
		code = ts_use_index(rd, args, writers[writer].sections, watch, &err);
	if (!code)
		code = writers[writer].run(&x, &err);
	status = status_of(code);
	if (x.notes.partial)
		status = ts_exit_worse(status, TS_EXIT_PARTIAL);
	if (code)
		ts_watch_complain(watch, args->paths[0], &err);
	if (ts_output_close(&out, status == TS_EXIT_OK || status == TS_EXIT_PARTIAL, &end)) {
		ts_watch_complain(watch, NULL, &end);
		status = TS_EXIT_UNREADABLE;
	}
	say_notes(&x);
	ts_notes_fini(&x.notes);
	return status;
}

enum ts_exit
ts_verb_export(const struct ts_args *args)
{
	enum ts_export_format format = choose_format(args);
	struct ts_watch *watch;
	struct ts_report *r;
	struct ts_reader *rd;
	struct ts_err err = {0};
	enum ts_exit status;
	int writer = choose_writer(args, format, &err);
	enum ts_code code = err.code;

	if (!code && format == TS_EXPORT_PERFETTO && !args->output && isatty(STDOUT_FILENO))
		code = ts_err_set(&err, TS_E_USAGE,
			"export: a Perfetto trace is no text: write it into a file with -o FILE");
	if (!code)
		code = ts_watch_start(&watch, "export", &err);
	if (code) {
		ts_complain(NULL, &err);
		return code == TS_E_USAGE ? TS_EXIT_USAGE : TS_EXIT_UNREADABLE;
	}
	code = ts_open_report(&r, &rd, args, args->paths[0], false, watch);
	status = ts_exit_of(code);
	if (!code) {
		status = run_export(args, r, rd, writer, format, watch);
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
