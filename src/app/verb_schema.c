/* SPDX-License-Identifier: MIT */
/*
 * verb_schema - `tilescope schema PATH`: what the file has, what bound to what, and what did not, so that
 * one paste is enough to teach a new SDK's names.
 */
#include "config.h"

#include <string.h>

#include "tilescope/app/json_out.h"
#include "tilescope/app/open.h"
#include "tilescope/app/output.h"
#include "tilescope/app/verbs.h"
#include "tilescope/base/utf8.h"
#include "tilescope/profile/tables.h"
#include "tilescope/report/archive.h"
#include "tilescope/report/contexts.h"

static const char *const object_kinds[] = {"table", "view", "virtual table"};

/* --- JSON ------------------------------------------------------------------------------------- */

/* The relations that read an object. */
static void
text_users(struct ts_strbuf *out, const struct ts_report *r, const struct ts_object *o)
{
	bool any = false;

	for (int i = 0; i < TS_RELATION_COUNT; i++)
		if (r->binding[i].source == 0 && ts_binding_uses(&r->binding[i], o)) {
			ts_strbuf_printf(out, "%s%s", any ? ", " : "    used by ",
				ts_relation_def((enum ts_relation)i)->name);
			any = true;
		}
	ts_strbuf_puts(out, any ? "\n" : "    not used\n");
}

static json_t *
json_users(const struct ts_report *r, const struct ts_object *o)
{
	json_t *users = json_array();

	for (int i = 0; i < TS_RELATION_COUNT; i++)
		if (r->binding[i].source == 0 && ts_binding_uses(&r->binding[i], o))
			json_array_append_new(users,
				json_string(ts_relation_def((enum ts_relation)i)->name));
	return users;
}

static json_t *
json_object_of(const struct ts_report *r, const struct ts_schema *s, const struct ts_object *o)
{
	json_t *columns = json_array();

	for (int i = 0; i < o->column_count; i++)
		json_array_append_new(columns,
			json_pack("{s:o, s:o, s:b}", "name", ts_json_text(o->column[i].name, false),
				"type", ts_json_text(o->column[i].type, false), "indexed",
				o->column[i].index_first));
	return json_pack("{s:o, s:s, s:b, s:o, s:o, s:o, s:o, s:o}", "name",
		ts_json_text(o->name, false), "kind", object_kinds[o->kind], "rowid",
		o->rowid != NULL, "rowid_alias",
		o->rowid_alias >= 0 ? ts_json_text(o->column[o->rowid_alias].name, false)
				    : json_null(),
		"base", o->base >= 0 ? ts_json_text(s->object[o->base].name, false) : json_null(),
		"problem", ts_json_text(o->problem, false), "columns", columns, "used_by",
		json_users(r, o));
}

/* Those of debug.cbor: no table. */
static json_t *
json_contexts(const struct ts_report *r, const struct ts_relation_def *def, json_t *columns)
{
	for (int c = 0; c < def->column_count; c++)
		json_object_set_new(columns, def->column[c].name,
			json_string(ts_context_described(c)));
	return json_pack("{s:s, s:b, s:o, s:s, s:s, s:s, s:o, s:n}", "name", def->name, "bound", 1,
		"source", ts_json_text(r->part[TS_PART_DEBUG].path, false), "object", "contexts",
		"rows", "contexts", "key", ts_reach_name(TS_REACH_INDEX), "columns", columns,
		"reason");
}

static json_t *
json_relation(const struct ts_report *r, enum ts_relation relation)
{
	const struct ts_relation_def *def = ts_relation_def(relation);
	const struct ts_binding *b = &r->binding[relation];
	json_t *columns = json_object();

	if (relation == TS_CONTEXT && ts_context_in_debug(r))
		return json_contexts(r, def, columns);
	for (int c = 0; c < def->column_count; c++) {
		struct ts_strbuf text;

		ts_strbuf_init(&text, 1 << 16);
		if (b->bound)
			ts_binding_describe(&text, b, c);
		json_object_set_new(columns, def->column[c].name, ts_json_text(text.s, true));
		ts_strbuf_fini(&text);
	}
	return json_pack("{s:s, s:b, s:o, s:o, s:o, s:o, s:o, s:o}", "name", def->name, "bound",
		b->bound, "source",
		b->bound ? ts_json_text(ts_report_source_path(r, b->source), false) : json_null(),
		"object", b->bound ? ts_json_text(b->object->name, false) : json_null(), "rows",
		b->bound ? ts_json_text(b->reach.rows->name, false) : json_null(), "key",
		b->bound ? json_string(ts_reach_name(b->reach.key)) : json_null(), "columns",
		columns, "reason", ts_json_text(b->bound ? NULL : b->reason, false));
}

static json_t *
json_schema(const struct ts_report *r)
{
	const struct ts_schema *s = r->schema[0];
	json_t *objects = json_array(), *relations = json_array(), *notes = json_array();

	for (int i = 0; i < s->count; i++)
		json_array_append_new(objects, json_object_of(r, s, &s->object[i]));
	for (int i = 0; i < TS_RELATION_COUNT; i++)
		json_array_append_new(relations, json_relation(r, (enum ts_relation)i));
	for (int i = 0; i < r->notes.count; i++)
		json_array_append_new(notes, ts_json_text(r->notes.note[i], false));
	return json_pack("{s:o, s:o, s:o, s:o, s:o, s:I, s:o, s:o, s:o}", "path",
		ts_json_text(r->path, false), "host", ts_json_host(r->files), "file",
		ts_json_text(r->file, false), "source",
		ts_report_is_known(r) ? json_string(ts_kind_name(r->kind)) : json_null(),
		"page_size",
		r->kind == TS_KIND_ARCHIVE ? json_null() : json_integer(r->header.page_size),
		"bytes", (json_int_t)r->part[r->part_of[0]].bytes, "objects", objects, "relations",
		relations, "warnings", notes);
}

/* --- text ------------------------------------------------------------------------------------- */

static void
put_safe(struct ts_strbuf *out, const char *s)
{
	ts_utf8_safe(out, s, strlen(s));
}

static void
text_object(struct ts_strbuf *out, const struct ts_report *r, const struct ts_schema *s,
	const struct ts_object *o)
{
	ts_strbuf_printf(out, "  %s ", object_kinds[o->kind]);
	put_safe(out, o->name);
	if (o->base >= 0) {
		ts_strbuf_puts(out, " (rows of ");
		put_safe(out, s->object[o->base].name);
		ts_strbuf_puts(out, ")");
	}
	if (o->problem) {
		ts_strbuf_puts(out, ": ");
		put_safe(out, o->problem);
	}
	ts_strbuf_puts(out, "\n   ");
	for (int i = 0; i < o->column_count; i++) {
		const struct ts_sql_column *c = &o->column[i];

		ts_strbuf_putc(out, ' ');
		put_safe(out, c->name);
		ts_strbuf_puts(out, *c->type ? " " : "");
		put_safe(out, c->type);
		ts_strbuf_puts(out,
			i == o->rowid_alias	 ? " (row id)"
				: c->index_first ? " (index)"
						 : "");
		ts_strbuf_puts(out, i + 1 < o->column_count ? "," : "");
	}
	ts_strbuf_putc(out, '\n');
	text_users(out, r, o);
}

/* Tables that a profile has, and this file has not. */
static void
text_lacking(struct ts_strbuf *out, const struct ts_schema *s)
{
	int lacking = 0;

	for (int i = 0; i < ts_profile_tables_count; i++)
		if (!ts_schema_find(s, ts_profile_tables[i].name))
			ts_strbuf_printf(out, "%s%s",
				lacking++ ? ", " : "\ntables of a profile that it has not: ",
				ts_profile_tables[i].name);
	if (lacking)
		ts_strbuf_putc(out, '\n');
}

static void
text_bound(struct ts_strbuf *out, const struct ts_report *r, const struct ts_binding *b)
{
	const struct ts_relation_def *def = ts_relation_def(b->relation);
	struct ts_strbuf text;

	ts_strbuf_printf(out, "  %-20s ", def->name);
	put_safe(out, b->object->sql ? "several tables" : b->object->name);
	ts_strbuf_printf(out, ", %s%s", ts_reach_name(b->reach.key), b->empty ? ", no rows" : "");
	if (b->source > 0) {
		ts_strbuf_puts(out, ", of ");
		put_safe(out, ts_report_source_path(r, b->source));
	}
	ts_strbuf_putc(out, '\n');
	ts_strbuf_init(&text, 1 << 16);
	for (int c = 0; c < def->column_count; c++) {
		ts_strbuf_reset(&text);
		ts_binding_describe(&text, b, c);
		ts_strbuf_printf(out, "    %-25s ", def->column[c].name);
		put_safe(out, text.len ? text.s : "-");
		ts_strbuf_putc(out, '\n');
	}
	ts_strbuf_fini(&text);
}

static void
text_contexts(struct ts_strbuf *out, const struct ts_report *r)
{
	const struct ts_relation_def *def = ts_relation_def(TS_CONTEXT);

	ts_strbuf_printf(out, "  %-20s contexts, %s, of ", def->name,
		ts_reach_name(TS_REACH_INDEX));
	put_safe(out, r->part[TS_PART_DEBUG].path);
	ts_strbuf_putc(out, '\n');
	for (int c = 0; c < def->column_count; c++)
		ts_strbuf_printf(out, "    %-25s %s\n", def->column[c].name,
			ts_context_described(c));
}

static void
text_schema(struct ts_strbuf *out, const struct ts_report *r)
{
	const struct ts_schema *s = r->schema[0];

	ts_put_place(out, r, r->file);
	ts_strbuf_printf(out, "\n%lld bytes", (long long)r->part[r->part_of[0]].bytes);
	if (r->kind == TS_KIND_ARCHIVE)
		ts_strbuf_printf(out, ", %zu tiles in %lld members\n", r->archive->tiles,
			(long long)r->archive->members);
	else
		ts_strbuf_printf(out, ", pages of %d bytes\n", r->header.page_size);
	ts_strbuf_printf(out, "source: %s\n\ntables and views: %d\n",
		ts_report_is_known(r) ? ts_kind_name(r->kind) : "no report: it has no known table",
		s->count);
	for (int i = 0; i < s->count; i++)
		text_object(out, r, s, &s->object[i]);
	if (r->kind == TS_KIND_SDK)
		text_lacking(out, s);
	ts_strbuf_puts(out, "\nrelations that are bound, with how rows are reached\n");
	for (int i = 0; i < TS_RELATION_COUNT; i++)
		if (r->binding[i].bound)
			text_bound(out, r, &r->binding[i]);
	if (ts_context_in_debug(r))
		text_contexts(out, r);
	ts_strbuf_puts(out, "\nrelations that are not\n");
	for (int i = 0; i < TS_RELATION_COUNT; i++)
		if (!r->binding[i].bound && !(i == TS_CONTEXT && ts_context_in_debug(r))) {
			ts_strbuf_printf(out, "  %-20s ",
				ts_relation_def((enum ts_relation)i)->name);
			put_safe(out, r->binding[i].reason);
			ts_strbuf_putc(out, '\n');
		}
	for (int i = 0; i < r->notes.count; i++) {
		ts_strbuf_puts(out, i ? "note: " : "\nnote: ");
		put_safe(out, r->notes.note[i]);
		ts_strbuf_putc(out, '\n');
	}
}

static enum ts_code
print_schema(const struct ts_report *r, const struct ts_args *args, struct ts_err *err)
{
	struct ts_strbuf out;
	enum ts_code code = TS_OK;

	ts_strbuf_init(&out, TS_OUTPUT_MAX);
	if (args->format == TS_FORMAT_JSON) {
		json_t *json = json_schema(r);

		if (!ts_json_print(&out, json))
			code = ts_err_nomem(err);
		json_decref(json);
	} else {
		text_schema(&out, r);
	}
	if (!code)
		code = ts_output_write(args->output, &out, err);
	ts_strbuf_fini(&out);
	return code;
}

enum ts_exit
ts_verb_schema(const struct ts_args *args)
{
	struct ts_watch *watch;
	struct ts_report *r;
	struct ts_reader *rd;
	struct ts_err err = {0};
	enum ts_code code = ts_watch_start(&watch, "tilescope", &err);
	enum ts_exit status = TS_EXIT_OK;

	if (code) {
		ts_complain(NULL, &err);
		return TS_EXIT_UNREADABLE;
	}
	code = ts_open_report(&r, &rd, args, args->paths[0], true, watch);
	ts_watch_stop(watch);
	if (code)
		return ts_exit_of(code);
	status = r->notes.partial ? TS_EXIT_PARTIAL : TS_EXIT_OK;
	code = print_schema(r, args, &err);
	if (code) {
		ts_complain(NULL, &err);
		status = TS_EXIT_UNREADABLE;
	}
	ts_close_report(args, r, rd);
	return status;
}
