/* SPDX-License-Identifier: MIT */
/*
 * report - open a report: find its files, recognise them, bind the relations.
 *
 * Nothing here reads a table whole; the cost does not grow with the report. The files beside the profile
 * are recognised in parts.c, the databases that it is read from are put together in sources.c.
 */
#include "config.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tilescope/base/embedded.h"
#include "tilescope/base/mem.h"
#include "tilescope/base/strbuf.h"
#include "tilescope/io/files_listed.h"
#include "tilescope/profile/functions.h"
#include "tilescope/report/archive.h"
#include "tilescope/report/contexts.h"
#include "tilescope/report/find.h"
#include "tilescope/report/rows.h"

#include "report_internal.h"

enum {
	PATH_LIMIT = 1 << 14,
	TABLES_NAMED = 6,
	BEGIN = 64
		<< 10, /* bytes of a database: its schema, and the pages that tables begin with */
};

static const char *const part_names[TS_PART_COUNT] = {"profile", "archive", "debug", "framework",
	"app", "vars"};

static const char *const part_states[] = {"absent", "ok", "damaged", "unreadable"};

static const char *const kinds[] = {"sdk", "store", "archive"};

const char *
ts_part_name(enum ts_part part)
{
	return part_names[part];
}

const char *
ts_source_name(const struct ts_report *r, int i)
{
	return part_names[r->part_of[i]];
}

const char *
ts_part_state_name(enum ts_part_state state)
{
	return part_states[state];
}

const char *
ts_kind_name(enum ts_kind kind)
{
	return kinds[kind];
}

const char *
ts_report_source_path(const struct ts_report *r, int i)
{
	return r->part[r->part_of[i]].path;
}

bool
ts_report_has(const struct ts_report *r, enum ts_relation relation)
{
	return r->binding[relation].bound && !r->binding[relation].empty;
}

bool
ts_report_has_column(const struct ts_report *r, enum ts_relation relation, int column)
{
	return ts_binding_has(&r->binding[relation], column);
}

/* --- the profile ------------------------------------------------------------------------------ */

static bool
has_bytes(struct ts_files *files, const char *file, const char *suffix)
{
	char path[PATH_LIMIT];
	struct ts_file_state state;

	snprintf(path, sizeof(path), "%s%s", file, suffix);
	ts_files_state(files, &state, path);
	return state.kind == TS_FILE_REGULAR && state.bytes > 0;
}

static bool
has_side_file(struct ts_files *files, const char *file)
{
	return has_bytes(files, file, "-wal") || has_bytes(files, file, "-journal");
}

bool
ts_is_being_written(struct ts_files *files, const char *file)
{
	char *real = ts_files_real(files,
		file); /* a link's side files lie beside what it leads to */
	bool yes = has_side_file(files, file) ||
		(real && strcmp(real, file) != 0 && has_side_file(files, real));

	free(real);
	return yes;
}

static void
note_file(struct ts_report *r)
{
	const char *name = strrchr(r->file, '/') ? strrchr(r->file, '/') + 1 : r->file;

	r->being_written = !r->parts_wait && ts_is_being_written(r->files, r->file);
	if (r->being_written) {
		r->notes.partial = true;
		ts_notes_add(&r->notes,
			"the profile is being written (a non-empty -wal or -journal lies beside it): "
			"only what the file itself holds is shown");
	} else if (r->header.wal) {
		ts_notes_add(&r->notes,
			"the profile is in SQLite's WAL mode and has no -wal file beside it: "
			"what was not checkpointed is missing");
	}
	if (ts_is_temporary_profile(name))
		ts_notes_add(&r->notes,
			"%s is the name of a profile whose engine is still alive: it may be half-written",
			name);
	if (r->header.truncated) {
		r->notes.partial = true;
		r->part[TS_PART_PROFILE].state = TS_PART_DAMAGED;
		ts_notes_add(&r->notes,
			"the profile is truncated: its header says %lld pages, the file has %lld",
			(long long)r->header.pages_said,
			(long long)(r->header.bytes / r->header.page_size));
	}
}

/* Keep the map if it describes the file. */
static enum ts_code
try_map(struct ts_report *r, const char *file, char *text, struct ts_db *db, struct ts_err *err)
{
	struct ts_map *map;
	enum ts_code code = ts_map_parse(&map, file, text, NULL, NULL, err);
	bool yes = false;

	if (!code)
		code = ts_map_recognises(&yes, map, r->schema[0], db, err);
	if (yes)
		r->map = map;
	else
		ts_map_free(map);
	return code;
}

static enum ts_code
find_map(struct ts_report *r, struct ts_db *db, struct ts_err *err)
{
	static const char *const names[] = {"schemas/store.schema", "schemas/poplar3.schema"};
	enum ts_code code = TS_OK;

	for (size_t i = 0; i < TS_COUNT(names) && !code && !r->map; i++) {
		const struct ts_embedded *e = ts_embedded_find(names[i]);
		char *text = ts_strndup(e->text, e->size);

		code = text ? try_map(r, names[i], text, db, err) : ts_err_nomem(err);
		if (r->map && i == 0)
			r->kind = TS_KIND_STORE;
		free(text);
	}
	return code;
}

static enum ts_code
something_else(const struct ts_schema *s, struct ts_err *err)
{
	struct ts_strbuf names;

	if (s->count == 0)
		return ts_err_set(err, TS_E_FORMAT,
			"an SQLite database without tables (half-written, or not a profile)");
	ts_strbuf_init(&names, 300);
	for (int i = 0; i < s->count && i < TABLES_NAMED; i++)
		ts_strbuf_printf(&names, "%s%.60s", i ? ", " : "", s->object[i].name);
	if (s->count > TABLES_NAMED)
		ts_strbuf_printf(&names, " and %d more", s->count - TABLES_NAMED);
	ts_err_set(err, TS_E_FORMAT,
		"an SQLite database of something else: it has %s (see tilescope schema)", names.s);
	ts_strbuf_fini(&names);
	return TS_E_FORMAT;
}

static enum ts_code
read_profile(struct ts_report *r, const struct ts_report_options *options, struct ts_err *err)
{
	struct ts_db *db;
	enum ts_code code = ts_sqlite_header_read(&r->header, r->source[0], err);

	if (code)
		return code;
	ts_identity_set(&r->identity, r->source[0], &r->header);
	code = ts_profile_connect(&db, r->source[0], err);
	if (code)
		return code;
	ts_db_set_cancel(db, options->cancel);
	r->sources = 1;
	r->part[TS_PART_PROFILE].state = TS_PART_OK;
	note_file(r);
	code = ts_schema_read(&r->schema[0], db, err);
	if (!code)
		code = find_map(r, db, err);
	if (!code && !r->map && !options->any)
		code = something_else(r->schema[0], err);
	if (!code)
		code = ts_report_ahead(r->schema[0], r->map, db, err);
	if (!code)
		code = ts_report_bind(r, 0, db, err);
	ts_db_close(db);
	return code;
}

static enum ts_code
no_tiles(const struct ts_archive *a, struct ts_err *err)
{
	if (a->left_out)
		return ts_err_set(err, TS_E_LIMIT, "%s", a->notes.count ? a->notes.note[0] : "");
	if (a->members == 0)
		return ts_err_set(err, TS_E_FORMAT, "an ar archive without members%s%s",
			a->notes.count ? ": " : "", a->notes.count ? a->notes.note[0] : "");
	return ts_err_set(err, TS_E_FORMAT,
		"an ar archive of something else: none of its %lld members is an ELF file of the IPU",
		(long long)a->members);
}

/* An archive and no profile: it is the report. */
static enum ts_code
read_archive(struct ts_report *r, const struct ts_report_options *options, struct ts_err *err)
{
	struct ts_part_info *part = &r->part[TS_PART_ARCHIVE];
	enum ts_code code;

	r->kind = TS_KIND_ARCHIVE;
	r->part_of[0] = TS_PART_ARCHIVE;
	part->path = ts_strdup(r->file);
	code = part->path ? ts_identity_read(&r->identity, r->files, r->file, err)
			  : ts_err_nomem(err);
	if (code)
		return code;
	part->bytes = r->identity.bytes;
	part->mtime = r->identity.mtime;
	code = ts_report_add_archive(r, options->cancel, err);
	if (!code && r->sources == 0)
		code = no_tiles(r->archive, err);
	return code ? code : ts_sqlite_header_read(&r->header, r->source[0], err);
}

/* --- all of it -------------------------------------------------------------------------------- */

/* Is the file that was found an archive? Else it is opened as the profile. */
static enum ts_code
open_profile(struct ts_report *r, bool *archive, const struct ts_cancel *cancel, struct ts_err *err)
{
	static const struct ts_byte_range begin = {0, BEGIN};
	struct ts_part_info *part = &r->part[TS_PART_PROFILE];
	char magic[8];
	size_t got;
	enum ts_code code = ts_files_open(r->files, &r->source[0], r->file, cancel, err);

	*archive = false;
	if (code == TS_E_NOT_FOUND)
		ts_err_set(err, TS_E_NOT_FOUND, "a symbolic link that leads nowhere");
	if (!code)
		code = ts_source_read(r->source[0], magic, sizeof(magic), 0, &got, cancel, err);
	if (code)
		return code;
	*archive = got == sizeof(magic) &&
		(memcmp(magic, "!<arch>\n", 8) == 0 || memcmp(magic, "!<thin>\n", 8) == 0);
	if (*archive) {
		ts_source_close(r->source[0]);
		r->source[0] = NULL;
		return TS_OK;
	}
	ts_source_want(r->source[0], &begin, 1, true, NULL);
	part->bytes = r->source[0]->size;
	part->mtime = r->source[0]->mtime;
	part->path = ts_strdup(r->file);
	return part->path ? TS_OK : ts_err_nomem(err);
}

/* Types and shapes of variables stand in debug.cbor. */
static void
drop_types(struct ts_report *r)
{
	static const int columns[] = {TS_VARIABLE_ELEMENT_TYPE, TS_VARIABLE_SHAPE};
	struct ts_binding *b = &r->binding[TS_VARIABLE];

	for (size_t i = 0; b->made && !ts_context_in_debug(r) && i < TS_COUNT(columns); i++)
		b->column[columns[i]].op = TS_OP_NONE;
}

/* What lies beside it. */
static enum ts_code
look_beside(struct ts_report *r, const struct ts_report_options *options, struct ts_err *err)
{
	enum ts_code code = r->parts_wait ? TS_OK : ts_report_probe_parts(r, err);

	if (!code && !r->parts_wait)
		code = ts_report_stand_in(r, options->cancel, err);
	if (!code && !r->parts_wait)
		code = ts_report_add_vars(r, options, err);
	if (!code && !r->parts_wait)
		drop_types(r);
	return code;
}

static enum ts_code
fill_in(struct ts_report *r, const char *path, const struct ts_report_options *options,
	struct ts_err *err)
{
	const char *slash;
	enum ts_code code;
	bool archive;

	r->path = ts_strdup(path);
	code = r->path ? ts_find_ahead(r->files, path, options->cancel, err) : ts_err_nomem(err);
	if (!code)
		code = ts_find_profile(&r->file, r->files, path, options->cancel, err);
	if (code)
		return code;
	slash = strrchr(r->file, '/');
	r->dir = slash ? ts_strndup(r->file, slash == r->file ? 1 : (size_t)(slash - r->file))
		       : ts_strdup(".");
	if (!r->dir)
		return ts_err_nomem(err);
	code = open_profile(r, &archive, options->cancel, err);
	if (code)
		return code;
	r->real = ts_files_name(r->files, r->file);
	r->parts_wait = options->parts_later && r->files && !archive;
	code = archive ? read_archive(r, options, err) : read_profile(r, options, err);
	return code ? code : look_beside(r, options, err);
}

/* While it is opened its directory is listed, where that is far; afterwards everything is asked for as it is then. */
static enum ts_code
open_listed(struct ts_report *r, const char *path, const struct ts_report_options *options,
	struct ts_err *err)
{
	enum ts_code code = ts_files_listed_new(&r->files, options->files, options->cancel, err);

	if (!code)
		code = fill_in(r, path, options, err);
	if (!code && r->files && ts_cancelled(options->cancel))
		code = ts_err_set(err, TS_E_CANCELLED,
			"cancelled"); /* what is absent may not be so */
	ts_files_release(r->files);
	r->files = ts_files_hold(options->files);
	return code;
}

enum ts_code
ts_report_open(struct ts_report **out, const char *path, const struct ts_report_options *options,
	struct ts_err *err)
{
	struct ts_report *r = ts_alloc(1, sizeof(*r));
	enum ts_code code;

	*out = NULL;
	if (!r)
		return ts_err_nomem(err);
	atomic_init(&r->uses, 1);
	code = open_listed(r, path, options, err);
	if (code) {
		ts_report_close(r);
		return code;
	}
	*out = r;
	return TS_OK;
}

void
ts_report_close(struct ts_report *r)
{
	if (!r || atomic_fetch_sub(&r->uses, 1) > 1)
		return;
	for (int i = 0; i < TS_SOURCES; i++) {
		ts_schema_free(r->schema[i]);
		ts_source_close(r->source[i]);
	}
	ts_map_free(r->map);
	for (int i = 0; i < TS_PART_COUNT; i++)
		free(r->part[i].path);
	for (int i = 0; i < TS_RELATION_COUNT; i++)
		ts_object_free(r->made[i]);
	ts_archive_release(r->archive);
	ts_notes_fini(&r->notes);
	free(r->path);
	free(r->dir);
	free(r->file);
	free(r->real);
	ts_files_release(r->files);
	free(r);
}

struct ts_report *
ts_report_hold(struct ts_report *r)
{
	atomic_fetch_add(&r->uses, 1);
	return r;
}
