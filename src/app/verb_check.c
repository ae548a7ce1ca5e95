/* SPDX-License-Identifier: MIT */
/*
 * verb_check - `tilescope check`; with `--files`: the state of every file of a report, as text, JSON, CSV or
 * Markdown.
 *
 * The JSON is a contract: its keys are stable, what is not known is null. CSV has a row for each thing that was
 * read, and one for a part of which nothing was.
 */
#include "config.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "tilescope/app/gather.h"
#include "tilescope/app/open.h"
#include "tilescope/app/verbs.h"
#include "tilescope/app/watch.h"
#include "tilescope/base/mem.h"
#include "tilescope/base/utf8.h"
#include "tilescope/report/check.h"
#include "tilescope/report/memory.h"

enum { WHEN = 32, MINUTE = 60, HOUR = 60 * MINUTE, DAY = 24 * HOUR };

/* --- JSON ------------------------------------------------------------------------------------- */

static json_t *
json_notes(const struct ts_notes *notes)
{
	json_t *all = json_array();

	for (int i = 0; i < notes->count; i++)
		json_array_append_new(all, ts_json_text(notes->note[i], false));
	return all;
}

/* 2026-11-21T14:03:11Z, or "" where it is not known. */
static const char *
utc(char out[WHEN], int64_t seconds)
{
	time_t t = (time_t)seconds;
	struct tm tm;

	out[0] = '\0';
	if (seconds != TS_UNKNOWN && gmtime_r(&t, &tm))
		strftime(out, WHEN, "%Y-%m-%dT%H:%M:%SZ", &tm);
	return out;
}

static json_t *
json_part(const struct ts_check_part *p)
{
	json_t *read = json_array();
	char when[WHEN];

	for (size_t i = 0; i < p->items; i++) {
		const struct ts_check_item *item = &p->item[i];

		json_array_append_new(read,
			json_pack("{s:s, s:o, s:o, s:o, s:o}", "what", item->what, "name",
				ts_json_text(item->name, false), "relation",
				ts_json_text(item->relation, false), "count",
				ts_json_number(item->count), "damage",
				ts_json_text(item->damage, false)));
	}
	return json_pack("{s:s, s:s, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "part", p->name, "state",
		ts_check_state_name(p->state), "path", ts_json_text(p->path, false), "kind",
		ts_json_text(p->kind, false), "bytes", ts_json_number(p->bytes), "modified",
		ts_json_text(utc(when, p->mtime), true), "read", read, "damage",
		json_notes(&p->damage), "notes", json_notes(&p->notes));
}

static const char *
verdict(const struct ts_check *c)
{
	return !c->usable ? "unusable" : c->notes.partial ? "partial" : "ok";
}

static json_t *
json_check(const struct ts_check *c, const char *path, const struct ts_files *files,
	const struct ts_args *args)
{
	json_t *parts = json_array();

	for (size_t i = 0; i < c->parts; i++)
		json_array_append_new(parts, json_part(&c->part[i]));
	return json_pack("{s:o, s:o, s:s, s:o, s:b, s:o, s:o}", "path", ts_json_text(path, false),
		"host", ts_json_host(files), "verdict", verdict(c), "source",
		c->is_report ? json_string(ts_kind_name(c->kind)) : json_null(), "deep", args->deep,
		"parts", parts, "warnings", json_notes(&c->notes));
}

/* --- text ------------------------------------------------------------------------------------- */

static void
put_safe(struct ts_strbuf *out, const char *s)
{
	ts_utf8_safe(out, s, strlen(s));
}

/* "2026-11-21 14:03, 3 days ago" */
static void
put_age(struct ts_strbuf *out, int64_t mtime)
{
	static const struct {
		int64_t seconds;
		const char *unit;
	} units[] = {{DAY, "day"}, {HOUR, "hour"}, {MINUTE, "minute"}, {1, "second"}};
	int64_t age = (int64_t)time(NULL) - mtime;
	time_t t = (time_t)mtime;
	char when[WHEN] = "";
	struct tm tm;
	size_t i = 0;

	if (localtime_r(&t, &tm))
		strftime(when, sizeof(when), "%Y-%m-%d %H:%M", &tm);
	ts_strbuf_printf(out, "  %s", when);
	if (age < 0) {
		ts_strbuf_puts(out, ", in the future");
		return;
	}
	while (i + 1 < TS_COUNT(units) && age < units[i].seconds)
		i++;
	age /= units[i].seconds;
	ts_strbuf_printf(out, ", %lld %s%s ago", (long long)age, units[i].unit,
		age == 1 ? "" : "s");
}

static void
text_items(struct ts_strbuf *out, const struct ts_check_part *p)
{
	char buf[TS_FMT_MAX];

	for (size_t i = 0; i < p->items; i++) {
		const struct ts_check_item *item = &p->item[i];

		ts_strbuf_printf(out, "            %-15s ", item->what);
		if (item->name)
			ts_utf8_pad(out, item->name, strlen(item->name), 24);
		ts_strbuf_printf(out, "%s%*s%s", item->name ? " " : "", item->name ? 14 : 0,
			item->count == TS_UNKNOWN ? "" : ts_fmt_count(buf, item->count),
			!item->name || item->count == TS_UNKNOWN ? ""
				: item->count == 1		 ? " row"
								 : " rows");
		if (item->relation && strcmp(item->relation, item->name) != 0)
			ts_strbuf_printf(out, "  read as %s", item->relation);
		ts_strbuf_puts(out, item->damage ? "  damaged\n" : "\n");
	}
}

static void
text_notes(struct ts_strbuf *out, const char *label, const struct ts_notes *notes)
{
	for (int i = 0; i < notes->count; i++) {
		ts_strbuf_puts(out, label);
		put_safe(out, notes->note[i]);
		ts_strbuf_putc(out, '\n');
	}
}

static void
text_part(struct ts_strbuf *out, const struct ts_check_part *p, enum ts_units units)
{
	char buf[TS_FMT_MAX];

	ts_strbuf_printf(out, "%-10s  %-10s  ", p->name, ts_check_state_name(p->state));
	if (strlen(p->name) > 10)
		ts_strbuf_puts(out, "\n                        ");
	put_safe(out, p->path);
	ts_strbuf_puts(out, "\n            ");
	ts_strbuf_puts(out, p->kind ? p->kind : "not known what it is");
	if (p->bytes != TS_UNKNOWN)
		ts_strbuf_printf(out, "  %s", ts_fmt_bytes(buf, p->bytes, units));
	if (p->mtime != TS_UNKNOWN)
		put_age(out, p->mtime);
	ts_strbuf_putc(out, '\n');
	text_items(out, p);
	text_notes(out, "            DAMAGE  ", &p->damage);
	text_notes(out, "            NOTE    ", &p->notes);
}

static void
text_check(struct ts_strbuf *out, const struct ts_check *c, const char *path,
	const struct ts_args *args)
{
	const char *before = "absent      ";

	ts_strbuf_puts(out, out->len ? "\n" : "");
	put_safe(out, path);
	ts_strbuf_printf(out, "  (%s)  FILES %s%s\n",
		c->is_report ? ts_kind_name(c->kind) : "no report", verdict(c),
		args->deep ? ", checked deeply" : "");
	for (size_t i = 0; i < c->parts; i++)
		if (c->part[i].path)
			text_part(out, &c->part[i], args->units);
	for (size_t i = 0; i < c->parts; i++)
		if (!c->part[i].path) {
			ts_strbuf_printf(out, "%s%s", before, c->part[i].name);
			before = ", ";
		}
	ts_strbuf_puts(out, before[0] == ',' ? "\n" : "");
	text_notes(out, "NOTE        ", &c->notes);
}

/* --- CSV -------------------------------------------------------------------------------------- */

enum { PATH, PART, STATE, FILE_, BYTES, MODIFIED, WHAT, NAME, COUNT, DAMAGE, COLUMNS };

static const char *const csv_columns[COLUMNS] = {"path", "part", "state", "file", "bytes",
	"modified", "what", "name", "count", "damage"};

static struct ts_sql_value
text_value(const char *s)
{
	if (!s || !*s)
		return (struct ts_sql_value){.type = TS_SQL_NULL, .bytes = ""};
	return (struct ts_sql_value){.type = TS_SQL_TEXT, .bytes = s, .n = strlen(s)};
}

static struct ts_sql_value
number_value(int64_t v)
{
	return (struct ts_sql_value){.type = v == TS_UNKNOWN ? TS_SQL_NULL : TS_SQL_INTEGER,
		.integer = v,
		.bytes = ""};
}

static void
csv_part(struct ts_rows_out *rows, const char *path, const struct ts_check_part *p)
{
	char when[WHEN];
	struct ts_sql_value v[COLUMNS] = {
		[PATH] = text_value(path),
		[PART] = text_value(p->name),
		[STATE] = text_value(ts_check_state_name(p->state)),
		[FILE_] = text_value(p->path),
		[BYTES] = number_value(p->bytes),
		[MODIFIED] = text_value(utc(when, p->mtime)),
		[WHAT] = text_value(NULL),
		[NAME] = text_value(NULL),
		[COUNT] = number_value(TS_UNKNOWN),
		[DAMAGE] = text_value(NULL),
	};

	for (size_t i = 0; i < p->items; i++) {
		v[WHAT] = text_value(p->item[i].what);
		v[NAME] = text_value(p->item[i].name);
		v[COUNT] = number_value(p->item[i].count);
		v[DAMAGE] = text_value(p->item[i].damage);
		ts_rows_out_row(rows, v);
	}
	v[WHAT] = v[NAME] = text_value(NULL);
	v[COUNT] = number_value(TS_UNKNOWN);
	for (int i = 0; i < p->damage.count; i++) {
		v[DAMAGE] = text_value(p->damage.note[i]);
		ts_rows_out_row(rows, v);
	}
	if (p->items == 0 && p->damage.count == 0)
		ts_rows_out_row(rows, v);
}

/* --- the verb --------------------------------------------------------------------------------- */

struct check_all {
	const struct ts_args *args;
	struct ts_watch *watch;
	struct ts_check_options options;
	struct ts_gather gather;
};

/* Why nothing of it can be used, and what is to be opened instead. */
static void
say_unusable(const struct check_all *all, const struct ts_check *c, const char *path,
	const struct ts_uri *place)
{
	struct ts_err err;
	bool empty = true;

	for (size_t i = 0; i < c->parts; i++)
		empty &= !c->part[i].path;
	ts_err_set(&err, TS_E_NOT_FOUND, "%s",
		c->notes.count ? c->notes.note[0] : "cannot be read");
	if (empty)
		ts_name_found(&err, all->options.files, path, place->path, all->options.cancel);
	if (!all->args->quiet)
		ts_watch_complain(all->watch, path, &err);
}

static enum ts_exit
one_path(struct check_all *all, const char *path)
{
	const struct ts_args *args = all->args;
	struct ts_check c = {0};
	struct ts_err err = {0};
	struct ts_uri place;
	enum ts_code code = ts_open_place(&all->options.files, &place, path, args, &err);
	enum ts_exit status;

	ts_watch_files(all->watch, all->options.files);
	if (!code)
		code = ts_check_read(&c, place.path, &all->options, &err);
	ts_say_left_out(path, all->options.files, args, all->watch);
	status = code		  ? ts_exit_of(code)
		: !c.usable	  ? TS_EXIT_UNREADABLE
		: c.notes.partial ? TS_EXIT_PARTIAL
				  : TS_EXIT_OK;
	if (code)
		ts_watch_complain(all->watch, path, &err);
	else if (args->format == TS_FORMAT_JSON)
		json_array_append_new(all->gather.json,
			json_check(&c, path, all->options.files, args));
	else if (args->format == TS_FORMAT_TEXT)
		text_check(&all->gather.text, &c, path, args);
	for (size_t i = 0; !code && all->gather.rows && i < c.parts; i++)
		csv_part(all->gather.rows, path, &c.part[i]);
	if (status == TS_EXIT_UNREADABLE && !code)
		say_unusable(all, &c, path, &place);
	else if (status == TS_EXIT_PARTIAL && !code && !args->quiet)
		ts_watch_warn(all->watch, path,
			"warning: something that is there could not be read");
	ts_check_fini(&c);
	ts_files_release(all->options.files);
	all->options.files = NULL;
	return status;
}

static enum ts_exit
check_files(struct check_all *all)
{
	const struct ts_args *args = all->args;
	struct ts_err err = {0};
	enum ts_exit status = TS_EXIT_OK;
	enum ts_code code = ts_gather_begin(&all->gather, args, COLUMNS, csv_columns, &err);

	for (int i = 0; !code && i < args->path_count && status != TS_EXIT_INTERRUPTED; i++)
		status = ts_exit_worse(status, one_path(all, args->paths[i]));
	ts_watch_hide(all->watch);
	if (!code)
		code = ts_gather_end(&all->gather, status != TS_EXIT_INTERRUPTED, &err);
	if (code) {
		ts_complain(NULL, &err);
		status = ts_exit_worse(status, TS_EXIT_UNREADABLE);
	}
	return status;
}

static enum ts_exit
check_all_files(const struct ts_args *args)
{
	struct check_all all = {.args = args};
	struct ts_err err = {0};
	enum ts_exit status;

	if (ts_watch_start(&all.watch, "check", &err)) {
		ts_complain(NULL, &err);
		return err.code == TS_E_USAGE ? TS_EXIT_USAGE : TS_EXIT_UNREADABLE;
	}
	ts_watch_count(all.watch, "bytes");
	all.options = (struct ts_check_options){.deep = args->deep,
		.progress = ts_watch_progress(all.watch),
		.cancel = ts_watch_cancel(all.watch)};
	status = check_files(&all);
	ts_watch_stop(all.watch);
	return status;
}

enum ts_exit
ts_verb_check(const struct ts_args *args)
{
	struct ts_err err = {0};

	if (args->deep && !args->files)
		ts_err_set(&err, TS_E_USAGE, "check: --deep goes with --files");
	else if (args->files && args->stages)
		ts_err_set(&err, TS_E_USAGE, "check: --stages is not for --files");
	else if (args->fail && args->files)
		ts_err_set(&err, TS_E_USAGE, "check: --fail is not for --files");
	if (err.code) {
		ts_complain(NULL, &err);
		return TS_EXIT_USAGE;
	}
	return args->files ? check_all_files(args) : ts_check_findings(args);
}
