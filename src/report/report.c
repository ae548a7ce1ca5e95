/* SPDX-License-Identifier: MIT */
/*
 * report - open a report: find its files, recognise them, bind the relations.
 *
 * Nothing here reads a table whole; the cost does not grow with the report. The parts beside the
 * profile are recognised by their first bytes (the two small JSON files are parsed), and a part that
 * is there but is not what its name says is a warning and a partial answer, never an end.
 */
#include "config.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <xxhash.h>

#include "tilescope/base/embedded.h"
#include "tilescope/base/lex.h"
#include "tilescope/base/mem.h"
#include "tilescope/base/strbuf.h"
#include "tilescope/format/debug_info.h"
#include "tilescope/format/json_file.h"
#include "tilescope/report/archive.h"
#include "tilescope/report/consistency.h"
#include "tilescope/report/find.h"
#include "tilescope/report/import.h"
#include "tilescope/report/report.h"
#include "tilescope/report/rows.h"
#include "tilescope/report/stores.h"
#include "tilescope/report/vars_store.h"

enum { PATH_LIMIT = 1 << 14, USER_MAPS = 64, TABLES_NAMED = 6, DEBUG_LOOK = 64 << 10 };

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
	return r->part_of[i] < TS_PART_COUNT ? part_names[r->part_of[i]] : "overlay";
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
	return r->part_of[i] < TS_PART_COUNT ? r->part[r->part_of[i]].path : r->overlay;
}

bool
ts_report_has(const struct ts_report *r, enum ts_relation relation)
{
	return r->binding[relation].bound;
}

bool
ts_report_has_column(const struct ts_report *r, enum ts_relation relation, int column)
{
	return ts_binding_has(&r->binding[relation], column);
}

static char *
join(const char *dir, const char *name, const char *suffix)
{
	struct ts_strbuf b;

	ts_strbuf_init(&b, PATH_LIMIT);
	ts_strbuf_puts(&b, dir);
	if (*name)
		ts_strbuf_putc(&b, '/');
	ts_strbuf_puts(&b, name);
	ts_strbuf_puts(&b, suffix);
	return ts_strbuf_take(&b);
}

/* --- parts ------------------------------------------------------------------------------------ */

static enum ts_code
check_archive(const char *path, struct ts_err *err)
{
	struct ts_source *s;
	char magic[8];
	size_t got;
	enum ts_code code = ts_source_open_file(&s, path, err);

	if (code)
		return code;
	code = ts_source_read(s, magic, sizeof(magic), 0, &got, NULL, err);
	if (!code && (got < sizeof(magic) || memcmp(magic, "!<arch>\n", sizeof(magic)) != 0))
		code = ts_err_set(err, TS_E_DAMAGED, "not an ar archive");
	ts_source_close(s);
	return code;
}

/* The first byte that is not a blank; 0 for an empty file. */
static enum ts_code
first_byte(unsigned char *byte, const char *path, bool skip_blanks, struct ts_err *err)
{
	struct ts_source *s;
	unsigned char head[64];
	size_t got, i = 0;
	enum ts_code code = ts_source_open_file(&s, path, err);

	*byte = 0;
	if (code)
		return code;
	code = ts_source_read(s, head, sizeof(head), 0, &got, NULL, err);
	while (!code && skip_blanks && i < got && strchr(" \t\r\n", head[i]))
		i++;
	if (!code && i < got)
		*byte = head[i];
	ts_source_close(s);
	return code;
}

/* Its first part: what the whole of it holds is the index' to say. */
static enum ts_code
check_debug(const char *path, struct ts_err *err)
{
	static const struct ts_debug_visitor nobody = {.limit = DEBUG_LOOK};
	struct ts_source *s;
	enum ts_code code = ts_source_open_file(&s, path, err);

	if (code)
		return code;
	code = ts_debug_info_read(s, &nobody, err);
	ts_source_close(s);
	return code;
}

static enum ts_code
check_vars(const char *path, struct ts_err *err)
{
	unsigned char b;
	enum ts_code code = first_byte(&b, path, true, err);

	if (!code && b != '{')
		code = ts_err_set(err, TS_E_DAMAGED, "does not begin with a JSON object");
	return code;
}

static enum ts_code
check_json(const char *path, struct ts_err *err)
{
	struct ts_source *s;
	enum ts_code code = ts_source_open_file(&s, path, err);

	if (code)
		return code;
	code = ts_json_check(s, NULL, err);
	ts_source_close(s);
	return code;
}

static const struct {
	enum ts_part part;
	const char *name;
	enum ts_code (*check)(const char *path, struct ts_err *err);
} parts[] = {
	{TS_PART_ARCHIVE, "archive.a", check_archive},
	{TS_PART_DEBUG, "debug.cbor", check_debug},
	{TS_PART_FRAMEWORK, "framework.json", check_json},
	{TS_PART_APP, "app.json", check_json},
	{TS_PART_VARS, "vars.json", check_vars},
};

/* A file that leads nowhere counts as absent; the user is told. */
static enum ts_code
probe_part(struct ts_report *r, enum ts_part part, char *path,
	enum ts_code (*check)(const char *path, struct ts_err *err), struct ts_err *err)
{
	struct ts_part_info *info = &r->part[part];
	struct ts_err why = {0};
	struct stat st;
	enum ts_code code;

	if (!path)
		return ts_err_nomem(err);
	if (lstat(path, &st) < 0) {
		free(path);
		return TS_OK;
	}
	if (stat(path, &st) < 0) {
		ts_notes_add(&r->notes, "%s is a symbolic link that leads nowhere", path);
		free(path);
		return TS_OK;
	}
	info->path = path;
	info->bytes = st.st_size;
	info->mtime = st.st_mtime;
	code = check(path, &why);
	if (code == TS_E_NOMEM)
		return ts_err_nomem(err);
	info->state = code == TS_OK    ? TS_PART_OK
		: code == TS_E_DAMAGED ? TS_PART_DAMAGED
				       : TS_PART_UNREADABLE;
	if (code) {
		ts_notes_add(&r->notes, "%s: %s", path, why.msg);
		r->notes.partial = true;
	}
	return TS_OK;
}

/* Those that are known and not read: a note each, so that nobody looks for what is in them. */
static void
note_other_files(struct ts_report *r)
{
	for (size_t i = 0; i < TS_OTHER_FILES; i++) {
		char *path = join(r->dir, ts_other_files[i].name, "");

		if (path && access(path, F_OK) == 0)
			ts_notes_add(&r->notes, "%s is there: %s", ts_other_files[i].name,
				ts_other_files[i].what);
		free(path);
	}
}

static enum ts_code
probe_parts(struct ts_report *r, struct ts_err *err)
{
	enum ts_code code = TS_OK;
	const struct ts_part_info *debug = &r->part[TS_PART_DEBUG];

	for (size_t i = 0; i < TS_COUNT(parts) && !code; i++) {
		if (r->part[parts[i].part].path) /* it is what was opened */
			continue;
		code = probe_part(r, parts[i].part, join(r->dir, parts[i].name, ""), parts[i].check,
			err);
		/* PopART and PopTorch keep debug.cbor one directory up */
		if (!code && parts[i].part == TS_PART_DEBUG && debug->state == TS_PART_ABSENT)
			code = probe_part(r, TS_PART_DEBUG, join(r->dir, "../debug.cbor", ""),
				check_debug, err);
	}
	if (code)
		return code;
	ts_consistency_ages(&r->notes, r);
	note_other_files(r);
	return TS_OK;
}

/* --- the profile ------------------------------------------------------------------------------ */

static bool
has_bytes(const char *file, const char *suffix)
{
	char path[PATH_LIMIT];
	struct stat st;

	snprintf(path, sizeof(path), "%s%s", file, suffix);
	return stat(path, &st) == 0 && st.st_size > 0;
}

static bool
has_side_file(const char *file)
{
	return has_bytes(file, "-wal") || has_bytes(file, "-journal");
}

bool
ts_is_being_written(const char *file)
{
	char *real = realpath(file, NULL); /* a link's side files lie beside what it leads to */
	bool yes = has_side_file(file) || (real && has_side_file(real));

	free(real);
	return yes;
}

static void
note_file(struct ts_report *r)
{
	const char *name = strrchr(r->file, '/') ? strrchr(r->file, '/') + 1 : r->file;

	r->being_written = ts_is_being_written(r->file);
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

struct map_problems {
	struct ts_notes *notes;
};

static void
note_map_problem(void *ctx, const char *file, int line, const char *reason)
{
	struct map_problems *p = ctx;

	ts_notes_add(p->notes, "%s:%d: %s", file, line, reason);
}

/* Keep the map if it describes the file. */
static enum ts_code
try_map(struct ts_report *r, const char *file, char *text, struct ts_db *db, struct ts_err *err)
{
	struct map_problems p = {&r->notes};
	struct ts_map *map;
	enum ts_code code = ts_map_parse(&map, file, text, note_map_problem, &p, err);
	bool yes = false;

	if (!code && map)
		code = ts_map_recognises(&yes, map, r->schema[0], db, err);
	if (yes)
		r->map[0] = map;
	else
		ts_map_free(map);
	return code;
}

static int
schema_files(const struct dirent *e)
{
	const char *dot = strrchr(e->d_name, '.');

	return dot && strcmp(dot, ".schema") == 0;
}

static enum ts_code
try_user_map(struct ts_report *r, const char *dir, const char *name, struct ts_db *db,
	struct ts_err *err)
{
	char *path = join(dir, name, ""), *text = NULL;
	struct ts_err why = {0};
	enum ts_code code = path ? ts_lex_read(&text, path, &why) : ts_err_nomem(err);

	if (!code)
		code = try_map(r, path, text, db, err);
	else if (code == TS_E_NOMEM)
		ts_err_nomem(err);
	else { /* one that cannot be read is told, and the next one tried */
		ts_notes_add(&r->notes, "%s", why.msg);
		code = TS_OK;
	}
	free(text);
	free(path);
	return code;
}

/* Users' maps come first, in the order of their names. */
static enum ts_code
try_user_maps(struct ts_report *r, const char *dir, struct ts_db *db, struct ts_err *err)
{
	struct dirent **list;
	int n = scandir(dir, &list, schema_files, alphasort);
	enum ts_code code = TS_OK;

	for (int i = 0; i < n; i++) {
		if (!code && !r->map[0] && i < USER_MAPS)
			code = try_user_map(r, dir, list[i]->d_name, db, err);
		free(list[i]);
	}
	if (n >= 0)
		free(list);
	return code;
}

static enum ts_code
try_own_maps(struct ts_report *r, struct ts_db *db, struct ts_err *err)
{
	static const char *const names[] = {"schemas/store.schema", "schemas/poplar3.schema"};
	enum ts_code code = TS_OK;

	for (size_t i = 0; i < TS_COUNT(names) && !code && !r->map[0]; i++) {
		const struct ts_embedded *e = ts_embedded_find(names[i]);
		char *text = ts_strndup(e->text, e->size);

		code = text ? try_map(r, names[i], text, db, err) : ts_err_nomem(err);
		if (r->map[0] && i == 0)
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

/* Bind to source i what no source before it has. */
static enum ts_code
bind_all(struct ts_report *r, int i, struct ts_db *db, struct ts_err *err)
{
	enum ts_code code = TS_OK;

	for (int k = 0; !r->map[i] && i == 0 && k < TS_RELATION_COUNT; k++)
		snprintf(r->binding[k].reason, TS_REASON_MAX, "no schema map describes this file");
	for (int k = 0; !code && r->map[i] && k < TS_RELATION_COUNT; k++) {
		struct ts_binding b = {.bound = false};

		if (r->binding[k].bound)
			continue;
		code = ts_binding_make(&b, (enum ts_relation)k, r->map[i], r->schema[i], db, err);
		b.source = i;
		if (b.bound || i == 0)
			r->binding[k] = b;
	}
	return code;
}

static enum ts_code
read_profile(struct ts_report *r, const struct ts_report_options *options, struct ts_err *err)
{
	struct ts_db *db;
	enum ts_code code = ts_sqlite_header_read(&r->header, r->source[0], err);

	if (code)
		return code;
	ts_identity_set(&r->identity, r->source[0], &r->header);
	code = ts_db_open(&db, r->source[0], err);
	if (code)
		return code;
	ts_db_set_cancel(db, options->cancel);
	r->sources = 1;
	r->part[TS_PART_PROFILE].state = TS_PART_OK;
	note_file(r);
	code = ts_schema_read(&r->schema[0], db, err);
	if (!code && options->map_dir)
		code = try_user_maps(r, options->map_dir, db, err);
	if (!code && !r->map[0])
		code = try_own_maps(r, db, err);
	if (!code && !r->map[0] && !options->any)
		code = something_else(r->schema[0], err);
	if (!code)
		code = bind_all(r, 0, db, err);
	ts_db_close(db);
	return code;
}

/* --- stores made of other parts --------------------------------------------------------------- */

/* The map of our own stores. */
static enum ts_code
store_map(struct ts_map **map, struct ts_err *err)
{
	const struct ts_embedded *e = ts_embedded_find("schemas/store.schema");
	char *text = ts_strndup(e->text, e->size);
	enum ts_code code = text ? ts_map_parse(map, e->name, text, NULL, NULL, err)
				 : ts_err_nomem(err);

	free(text);
	return code;
}

/* What was tried as a source and could not be read is none. */
static void
drop_source(struct ts_report *r, int i)
{
	for (int k = 0; k < TS_RELATION_COUNT; k++)
		if (r->binding[k].bound && r->binding[k].source == i)
			r->binding[k] = (struct ts_binding){.relation = (enum ts_relation)k,
				.reason = "the store that has it cannot be read"};
	ts_schema_free(r->schema[i]);
	ts_map_free(r->map[i]);
	ts_source_close(r->source[i]);
	r->schema[i] = NULL;
	r->map[i] = NULL;
	r->source[i] = NULL;
	r->sources--;
}

/* Take a store that was made of `part` as the next source: `source` is given up. */
static enum ts_code
add_source(struct ts_report *r, enum ts_part part, struct ts_source *source,
	const struct ts_cancel *cancel, struct ts_err *err)
{
	int i = r->sources++;
	struct ts_db *db = NULL;
	enum ts_code code;

	r->source[i] = source;
	r->part_of[i] = part;
	code = ts_db_open(&db, source, err);
	if (!code)
		ts_db_set_cancel(db, cancel);
	if (!code)
		code = ts_schema_read(&r->schema[i], db, err);
	if (!code)
		code = store_map(&r->map[i], err);
	if (!code)
		code = bind_all(r, i, db, err);
	ts_db_close(db);
	if (code)
		drop_source(r, i);
	return code;
}

/* Read archive.a and take what it knows as a source. */
static enum ts_code
add_archive(struct ts_report *r, const struct ts_cancel *cancel, struct ts_err *err)
{
	struct ts_part_info *part = &r->part[TS_PART_ARCHIVE];
	struct ts_source *store;
	enum ts_code code = ts_archive_read(&r->archive, part->path, NULL, cancel, err);

	if (code)
		return code;
	part->state = r->archive->state;
	ts_notes_copy(&r->notes, &r->archive->notes);
	if (r->archive->tiles == 0)
		return TS_OK;
	code = ts_archive_store(&store, r->archive, err);
	return code ? code : add_source(r, TS_PART_ARCHIVE, store, cancel, err);
}

/* How it went with a part that the report can do without. */
static enum ts_code
lesser_part(struct ts_report *r, struct ts_part_info *part, enum ts_code code,
	const struct ts_err *why, struct ts_err *err)
{
	if (code == TS_E_NOMEM || code == TS_E_CANCELLED) {
		if (err)
			*err = *why;
		return code;
	}
	if (code) {
		part->state = code == TS_E_DAMAGED ? TS_PART_DAMAGED : TS_PART_UNREADABLE;
		ts_notes_add(&r->notes, "%s: %s", part->path, why->msg);
		r->notes.partial = true;
	}
	return TS_OK;
}

/* Beside a profile without memory of tiles the archive stands in; that it cannot is no end of the report. */
static enum ts_code
stand_in(struct ts_report *r, const struct ts_cancel *cancel, struct ts_err *err)
{
	struct ts_part_info *part = &r->part[TS_PART_ARCHIVE];
	struct ts_err why = {0};
	enum ts_code code;

	if (part->state != TS_PART_OK || ts_report_has(r, TS_TILE_MEMORY) || !r->map[0])
		return TS_OK;
	code = add_archive(r, cancel, &why);
	return lesser_part(r, part, code, &why, err);
}

/* What a source is made of is part of what the report is. */
static void
compose(struct ts_report *r, const struct ts_source *made_of)
{
	const int64_t what[] = {made_of->size, made_of->mtime, made_of->mtime_ns};

	r->composition = XXH3_64bits_withSeed(what, sizeof(what), r->composition);
}

/* What vars.json is belongs to what the report is. */
static enum ts_code
compose_vars(struct ts_report *r, struct ts_err *err)
{
	struct ts_source *json;
	enum ts_code code = ts_source_open_file(&json, r->part[TS_PART_VARS].path, err);

	if (code)
		return code;
	compose(r, json);
	ts_source_close(json);
	return TS_OK;
}

/* The store that was made of vars.json before. One that cannot be read is none: it is made again. */
static enum ts_code
take_kept_vars(struct ts_report *r, bool *taken, const struct ts_report_options *options,
	struct ts_err *err)
{
	struct ts_source *store;
	enum ts_code code = ts_vars_store_find(&store, r->part[TS_PART_VARS].path,
		options->import_dir, err);

	*taken = false;
	if (code || !store)
		return code;
	code = add_source(r, TS_PART_VARS, store, options->cancel, err);
	*taken = !code;
	return code == TS_E_NOMEM || code == TS_E_CANCELLED ? code : TS_OK;
}

static enum ts_code
make_vars(struct ts_report *r, const struct ts_report_options *options, struct ts_err *err)
{
	struct ts_part_info *part = &r->part[TS_PART_VARS];
	struct ts_notes notes = {0};
	struct ts_source *store;
	enum ts_code code = ts_vars_store_make(&store, &notes, part->path, options->import_dir,
		options->progress, options->cancel, err);

	ts_notes_copy(&r->notes, &notes);
	r->notes.partial |= notes.partial;
	if (notes.partial)
		part->state = TS_PART_DAMAGED;
	ts_notes_fini(&notes);
	return code ? code : add_source(r, TS_PART_VARS, store, options->cancel, err);
}

/* vars.json has the lowered variables when nothing else has: as a store, which may have to be made first. */
static enum ts_code
add_vars(struct ts_report *r, const struct ts_report_options *options, struct ts_err *err)
{
	struct ts_part_info *part = &r->part[TS_PART_VARS];
	uint64_t without = r->composition;
	struct ts_err why = {0};
	bool taken = false;
	enum ts_code code;

	if (part->state != TS_PART_OK || ts_report_has(r, TS_LOWERED_VARIABLE) || !r->map[0])
		return TS_OK;
	code = compose_vars(r, &why);
	if (!code)
		code = take_kept_vars(r, &taken, options, &why);
	r->vars_wait = !code && !taken && !options->convert;
	if (r->vars_wait)
		r->composition = without;
	else if (!code && !taken)
		code = make_vars(r, options, &why);
	return lesser_part(r, part, code, &why, err);
}

/*
 * What libpva said of exactly this profile: its store is found by its name. One that cannot be read is worth
 * a note, no more: the profile is what was asked for.
 */
static enum ts_code
add_overlay(struct ts_report *r, const struct ts_report_options *options, struct ts_err *err)
{
	struct ts_source *source;
	struct ts_err why = {0};
	enum ts_code code;

	if (!options->import_dir || r->kind != TS_KIND_SDK)
		return TS_OK;
	r->overlay = ts_import_store_path(options->import_dir, r);
	if (!r->overlay)
		return ts_err_nomem(err);
	code = ts_source_open_file(&source, r->overlay, &why);
	if (!code) {
		compose(r, source);
		ts_store_use(r->overlay);
		code = add_source(r, TS_PART_COUNT, source, options->cancel, &why);
	} else {
		free(r->overlay);
		r->overlay = NULL;
	}
	if (code == TS_E_NOT_FOUND)
		return TS_OK;
	if (code == TS_E_NOMEM || code == TS_E_CANCELLED) {
		if (err)
			*err = why;
		return code;
	}
	if (code)
		ts_notes_add(&r->notes, "%s: %s (see tilescope import)",
			r->overlay ? r->overlay : "the imported store", why.msg);
	return TS_OK;
}

static enum ts_code
no_tiles(const struct ts_archive *a, struct ts_err *err)
{
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
	code = part->path ? ts_identity_read(&r->identity, r->file, err) : ts_err_nomem(err);
	if (code)
		return code;
	part->bytes = r->identity.bytes;
	part->mtime = r->identity.mtime;
	code = add_archive(r, options->cancel, err);
	if (!code && r->sources == 0)
		code = no_tiles(r->archive, err);
	return code ? code : ts_sqlite_header_read(&r->header, r->source[0], err);
}

/* --- all of it -------------------------------------------------------------------------------- */

/* Is the file that was found an archive? Else it is opened as the profile. */
static enum ts_code
open_profile(struct ts_report *r, bool *archive, struct ts_err *err)
{
	struct ts_part_info *part = &r->part[TS_PART_PROFILE];
	char magic[8];
	size_t got;
	enum ts_code code = ts_source_open_file(&r->source[0], r->file, err);

	*archive = false;
	if (code == TS_E_NOT_FOUND)
		ts_err_set(err, TS_E_NOT_FOUND, "a symbolic link that leads nowhere");
	if (!code)
		code = ts_source_read(r->source[0], magic, sizeof(magic), 0, &got, NULL, err);
	if (code)
		return code;
	*archive = got == sizeof(magic) &&
		(memcmp(magic, "!<arch>\n", 8) == 0 || memcmp(magic, "!<thin>\n", 8) == 0);
	if (*archive) {
		ts_source_close(r->source[0]);
		r->source[0] = NULL;
		return TS_OK;
	}
	part->bytes = r->source[0]->size;
	part->mtime = r->source[0]->mtime;
	part->path = ts_strdup(r->file);
	return part->path ? TS_OK : ts_err_nomem(err);
}

static enum ts_code
fill_in(struct ts_report *r, const char *path, const struct ts_report_options *options,
	struct ts_err *err)
{
	const char *slash;
	enum ts_code code;
	bool archive;

	r->path = ts_strdup(path);
	code = r->path ? ts_find_profile(&r->file, path, err) : ts_err_nomem(err);
	if (code)
		return code;
	slash = strrchr(r->file, '/');
	r->dir = slash ? ts_strndup(r->file, slash == r->file ? 1 : (size_t)(slash - r->file))
		       : ts_strdup(".");
	if (!r->dir)
		return ts_err_nomem(err);
	code = open_profile(r, &archive, err);
	if (code)
		return code;
	r->real = realpath(r->file, NULL);
	code = archive ? read_archive(r, options, err) : read_profile(r, options, err);
	if (!code)
		code = probe_parts(r, err);
	if (!code)
		code = add_overlay(r, options, err);
	if (!code)
		code = stand_in(r, options->cancel, err);
	if (!code)
		code = add_vars(r, options, err);
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
	code = fill_in(r, path, options, err);
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
		ts_map_free(r->map[i]);
		ts_source_close(r->source[i]);
	}
	for (int i = 0; i < TS_PART_COUNT; i++)
		free(r->part[i].path);
	free(r->overlay);
	ts_archive_release(r->archive);
	ts_notes_fini(&r->notes);
	free(r->path);
	free(r->dir);
	free(r->file);
	free(r->real);
	free(r);
}

struct ts_report *
ts_report_hold(struct ts_report *r)
{
	atomic_fetch_add(&r->uses, 1);
	return r;
}
