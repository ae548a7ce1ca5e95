/* SPDX-License-Identifier: MIT */
/*
 * check - find the files of a report, look at each, then at how they fit together.
 *
 * The files are looked for by their names, whether or not they make a report: where everything is broken
 * it is then still said what is there. What can be opened as a report is opened, too, and asked which relation
 * is read from which table. A file that is another one after it was read than before is not to be believed.
 */
#include "config.h"

#include <dirent.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "tilescope/base/mem.h"
#include "tilescope/base/strbuf.h"
#include "tilescope/io/files_listed.h"
#include "tilescope/profile/identities.h"
#include "tilescope/report/consistency.h"
#include "tilescope/report/find.h"

#include "check_internal.h"

enum { PATH_LIMIT = 1 << 14, OTHER_DATABASES = 16 };

static const char *const states[] = {"absent", "ok", "damaged", "unreadable", "unsupported"};

const char *
ts_check_state_name(enum ts_check_state state)
{
	return states[state];
}

/* --- what the files of check share --------------------------------------------------------------- */

struct ts_check_item *
check_item(struct ts_check_part *p, const char *what, const char *name, int64_t count)
{
	void *array = p->item;
	struct ts_check_item *item;

	if (!ts_room(&array, &p->cap, p->items, sizeof(*p->item)))
		return NULL;
	p->item = array;
	item = &p->item[p->items];
	*item = (struct ts_check_item){.what = what, .name = ts_strdup(name), .count = count};
	if (name && !item->name)
		return NULL;
	p->items++;
	return item;
}

void
check_damage(struct ts_check_part *p, const char *fmt, ...)
{
	char text[TS_NOTE_MAX];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	ts_notes_add(&p->damage, "%s", text);
	if (p->state == TS_CHECK_OK)
		p->state = TS_CHECK_DAMAGED;
}

enum ts_code
check_failed(struct ts_check_part *p, const char *what, enum ts_code code, const struct ts_err *why,
	struct ts_err *err)
{
	if (!code)
		return TS_OK;
	if (ts_ends_all(code)) {
		if (err)
			*err = *why;
		return code;
	}
	if (code != TS_E_DAMAGED && p->items == 0)
		p->state = TS_CHECK_UNREADABLE;
	check_damage(p, "%s%s%s", what ? what : "", what ? ": " : "", why->msg);
	return TS_OK;
}

/* --- parts --------------------------------------------------------------------------------------- */

typedef enum ts_code check_fn(struct ts_check_part *p, struct check_run *run, struct ts_err *err);

/* A part that is not there yet; `name` is a constant, `path` (or NULL) given up. NULL: no memory. */
static struct ts_check_part *
add_part(struct check_run *run, const char *name, char *path)
{
	struct ts_check *c = run->check;
	void *array = c->part;

	if (!ts_room(&array, &c->cap, c->parts, sizeof(*c->part))) {
		free(path);
		return NULL;
	}
	c->part = array;
	c->part[c->parts] = (struct ts_check_part){.name = name,
		.path = path,
		.bytes = TS_UNKNOWN,
		.mtime = TS_UNKNOWN};
	return &c->part[c->parts++];
}

/* Look at a part whose path is known. */
static enum ts_code
look_at(struct ts_check_part *p, struct check_run *run, check_fn *check, struct ts_err *err)
{
	struct ts_files *at = run->options->files;
	struct ts_file_state before, after;
	struct ts_source *s;
	struct ts_err why = {0};
	enum ts_code code;

	code = ts_files_look(run->seen, &before, p->path, run->options->cancel, &why);
	if (!code && before.kind != TS_FILE_NONE && at)
		code = ts_files_look(at, &before, p->path, run->options->cancel, &why);
	if (before.kind == TS_FILE_NONE)
		return ts_ends_all(code) ? check_failed(p, NULL, code, &why, err) : TS_OK;
	if (before.kind == TS_FILE_DANGLING) {
		ts_notes_add(&p->notes, "a symbolic link that leads nowhere");
		return TS_OK;
	}
	p->state = TS_CHECK_OK;
	p->bytes = before.bytes;
	p->mtime = before.mtime;
	code = ts_files_open(at, &s, p->path, run->options->cancel, &why);
	if (code)
		return check_failed(p, NULL, code, &why, err);
	ts_source_close(s);
	if (p->bytes == 0)
		check_damage(p, "the file is empty");
	else
		code = check(p, run, err);
	ts_files_state(at, &after, p->path);
	if (!code && !ts_file_state_same(&before, &after))
		check_damage(p, "it was changed while it was read: check it again");
	return code;
}

static const char *
file_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

static char *
join(const char *dir, const char *name)
{
	struct ts_strbuf b;
	size_t n = strlen(dir);

	ts_strbuf_init(&b, PATH_LIMIT);
	ts_strbuf_puts(&b, dir);
	ts_strbuf_puts(&b, n > 0 && dir[n - 1] == '/' ? "" : "/");
	ts_strbuf_puts(&b, name);
	return ts_strbuf_take(&b);
}

static enum ts_code
add_and_look(struct check_run *run, const char *name, char *path, check_fn *check,
	struct ts_err *err)
{
	struct ts_check_part *p = path ? add_part(run, name, path) : NULL;

	return p ? look_at(p, run, check, err) : ts_err_nomem(err);
}

/* What is not there has no path: only a link that leads nowhere keeps it. */
static void
forget_path(struct ts_check_part *p)
{
	if (p->state != TS_CHECK_ABSENT || p->notes.count > 0)
		return;
	free(p->path);
	p->path = NULL;
}

/* --- the files of a directory -------------------------------------------------------------------- */

static const struct {
	enum ts_part part;
	const char *file, *elsewhere; /* NULL: nowhere else */
	check_fn *check;
} files[] = {
	{TS_PART_ARCHIVE, "archive.a", NULL, check_archive},
	{TS_PART_DEBUG, "debug.cbor", "../debug.cbor", check_debug},
	{TS_PART_FRAMEWORK, "framework.json", NULL, check_json},
	{TS_PART_APP, "app.json", NULL, check_json},
	{TS_PART_VARS, "vars.json", NULL, check_vars},
};

static bool
leads_somewhere(struct ts_files *at, const char *path)
{
	struct ts_file_state state = {0};

	if (path)
		ts_files_state(at, &state, path);
	return ts_file_is_there(&state);
}

/* The parts beside the profile; `archive`: the one that is opened instead of a profile, or NULL. */
static enum ts_code
look_beside(struct check_run *run, const char *dir, const char *archive, struct ts_err *err)
{
	enum ts_code code = TS_OK;

	for (size_t i = 0; !code && i < TS_COUNT(files); i++) {
		bool opened = archive && files[i].part == TS_PART_ARCHIVE;
		char *path = opened ? ts_strdup(archive) : join(dir, files[i].file);
		char *other = files[i].elsewhere ? join(dir, files[i].elsewhere) : NULL;
		struct ts_check_part *p;

		if (files[i].elsewhere &&
			(!other ||
				(!leads_somewhere(run->seen, path) &&
					leads_somewhere(run->seen, other)))) {
			char *swap = path;

			path = other;
			other = swap;
		}
		free(other);
		code = add_and_look(run, ts_part_name(files[i].part), path, files[i].check, err);
		p = run->check->parts ? &run->check->part[run->check->parts - 1] : NULL;
		if (!code)
			forget_path(p);
	}
	return code;
}

/* The database that the path means; without one it is absent. */
static enum ts_code
look_at_profile(struct check_run *run, const char *file, struct ts_err *err)
{
	struct ts_check_part *p = add_part(run, ts_part_name(TS_PART_PROFILE), NULL);

	if (!p)
		return ts_err_nomem(err);
	if (!file)
		return TS_OK;
	p->path = ts_strdup(file);
	return p->path ? look_at(p, run, check_sqlite, err) : ts_err_nomem(err);
}

static bool
is_database(const char *name)
{
	return ts_is_temporary_profile(name) || strcmp(name, "profile.pop") == 0;
}

/* The first names of databases in a directory, in the order of their names. */
struct databases {
	const char *known; /* left out */
	int count;
	char *name[OTHER_DATABASES];
	bool nomem;
};

static bool
take_database(void *ctx, const char *name, const struct ts_file_state *state)
{
	struct databases *d = ctx;
	int at = d->count;
	char *copy;

	(void)state;
	if (!is_database(name) || strcmp(name, d->known) == 0)
		return true;
	while (at > 0 && strcmp(d->name[at - 1], name) > 0)
		at--;
	if (at == OTHER_DATABASES)
		return true;
	copy = ts_strdup(name);
	d->nomem |= !copy;
	if (!copy)
		return false;
	if (d->count == OTHER_DATABASES)
		free(d->name[--d->count]);
	memmove(&d->name[at + 1], &d->name[at], (size_t)(d->count - at) * sizeof(d->name[0]));
	d->name[at] = copy;
	d->count++;
	return true;
}

/* Profiles of the directory that nobody has looked at, such as those that are being written. */
static enum ts_code
look_at_others(struct check_run *run, const char *dir, const char *file, struct ts_err *err)
{
	struct databases d = {.known = file ? file_name(file) : ""};
	struct ts_err why = {0};
	enum ts_code code = ts_files_list(run->seen, dir, take_database, &d, run->options->cancel,
		&why);

	if (!ts_ends_all(code))
		code = d.nomem ? ts_err_nomem(err) : TS_OK;
	else if (err)
		*err = why;
	for (int i = 0; i < d.count; i++) {
		if (!code)
			code = add_and_look(run, ts_part_name(TS_PART_PROFILE),
				join(dir, d.name[i]), check_sqlite, err);
		free(d.name[i]);
	}
	return code;
}

/* Files that are known by their names alone. */
static enum ts_code
name_unsupported(struct check_run *run, const char *dir, struct ts_err *err)
{
	for (size_t i = 0; i < TS_OTHER_FILES; i++) {
		const struct ts_other_file *other = &ts_other_files[i];
		char *path = join(dir, other->name);
		struct ts_check_part *p;
		struct ts_file_state state;
		enum ts_code code;

		if (!path)
			return ts_err_nomem(err);
		code = ts_files_look(run->seen, &state, path, run->options->cancel, err);
		if (state.kind == TS_FILE_NONE) {
			free(path);
			if (ts_ends_all(code))
				return code;
			continue;
		}
		p = add_part(run, other->name, path);
		if (!p)
			return ts_err_nomem(err);
		p->state = TS_CHECK_UNSUPPORTED;
		p->bytes = state.bytes;
		p->mtime = state.mtime;
		ts_notes_add(&p->notes, "%s", other->what);
	}
	return TS_OK;
}

/* --- the whole ----------------------------------------------------------------------------------- */

/* Can it be opened as a report? Why not is a note of the whole. */
static enum ts_code
open_whole(struct check_run *run, const char *path, struct ts_err *err)
{
	struct ts_report_options options = {.files = run->options->files,
		.cancel = run->options->cancel};
	struct ts_err why = {0};
	enum ts_code code = ts_report_open(&run->report, path, &options, &why);

	if (ts_ends_all(code)) {
		if (err)
			*err = why;
		return code;
	}
	run->check->is_report = !code;
	if (code)
		ts_notes_add(&run->check->notes, "cannot be opened as a report: %s", why.msg);
	else
		run->check->kind = run->report->kind;
	return TS_OK;
}

static void
note_broken(void *ctx, const char *sentence)
{
	struct ts_notes *notes = ctx;

	ts_notes_add(notes, "%s", sentence);
}

/* Do the parts belong together? */
static enum ts_code
compare(struct check_run *run, struct ts_err *err)
{
	struct ts_notes *notes = &run->check->notes;
	struct ts_archive_check checked;
	struct ts_tiles tiles = {0};
	struct ts_reader *rd;
	enum ts_code code = ts_reader_open(&rd, run->report, err);

	if (code)
		return code;
	ts_reader_set_cancel(rd, run->options->cancel);
	ts_consistency_ages(notes, run->report);
	code = ts_tiles_read(&tiles, rd, err);
	if (!code) {
		ts_consistency_vars(notes, run->vars_tiles, tiles.rows);
		if (run->archive && run->archive->tiles > 0 &&
			run->check->kind != TS_KIND_ARCHIVE) {
			ts_archive_compare(&checked, run->archive, &tiles);
			ts_archive_note_check(notes, run->archive, &checked);
		}
	}
	ts_tiles_fini(&tiles);
	if (!ts_ends_all(code))
		code = ts_consistency_ids(notes, rd, true, run->options->progress, err);
	if (!code && run->report->kind == TS_KIND_SDK)
		code = ts_profile_identities(rd->db[0], run->report->schema[0], note_broken, notes,
			err);
	ts_reader_close(rd);
	return code;
}

/* What ended this early is told by the parts that it was about. */
static enum ts_code
compare_whole(struct check_run *run, struct ts_err *err)
{
	struct ts_err why = {0};
	enum ts_code code = run->report ? compare(run, &why) : TS_OK;

	if (ts_ends_all(code)) {
		if (err)
			*err = why;
		return code;
	}
	if (code)
		ts_notes_add(&run->check->notes,
			"whether the parts belong together is not known: %s", why.msg);
	return TS_OK;
}

static enum ts_code
look_at_all(struct check_run *run, const char *dir, const char *file, struct ts_err *err)
{
	bool archive = run->report && run->report->kind == TS_KIND_ARCHIVE;
	enum ts_code code = look_at_profile(run, archive ? NULL : file, err);

	if (!code)
		code = look_beside(run, dir, archive ? file : NULL, err);
	if (!code)
		code = look_at_others(run, dir, file, err);
	if (!code)
		code = name_unsupported(run, dir, err);
	return code ? code : compare_whole(run, err);
}

static bool
is_bad(const struct ts_check_part *p)
{
	return p->state == TS_CHECK_DAMAGED || p->state == TS_CHECK_UNREADABLE;
}

/* Is it of use? A part that was asked for by its name and stands alone: when anything of it could be read. */
static void
conclude(struct ts_check *c, const char *path, bool alone)
{
	const char *asked = file_name(path);

	c->usable = c->is_report;
	for (size_t i = 0; i < c->parts; i++) {
		const struct ts_check_part *p = &c->part[i];

		c->notes.partial |= is_bad(p);
		if (alone && p->path && strcmp(file_name(p->path), asked) == 0)
			c->usable |= p->state == TS_CHECK_OK || p->items > 0;
	}
}

/* The directory of a path that is there. */
static char *
directory_of(struct ts_files *at, const char *path, bool *is_directory)
{
	const char *slash = strrchr(path, '/');
	struct ts_file_state state;

	ts_files_state(at, &state, path);
	*is_directory = state.kind == TS_FILE_DIRECTORY;
	if (*is_directory)
		return ts_strdup(path);
	if (!slash)
		return ts_strdup(".");
	return ts_strndup(path, slash == path ? 1 : (size_t)(slash - path));
}

/* Look for what there is, then at all of it. */
static enum ts_code
check_path(struct check_run *run, const char *path, struct ts_err *err)
{
	const struct ts_check_options *options = run->options;
	struct ts_check *c = run->check;
	char *file = NULL, *dir = NULL;
	struct ts_err why = {0};
	struct ts_file_state state;
	bool is_directory;
	enum ts_code code = ts_find_profile(&file, run->seen, path, options->cancel, &why);

	if (!ts_ends_all(code))
		ts_files_state(run->seen, &state, path);
	if (ts_ends_all(code) || (code && !ts_file_is_there(&state))) {
		if (err)
			*err = why;
		return code;
	}
	dir = directory_of(run->seen, path, &is_directory);
	code = dir ? open_whole(run, path, err) : ts_err_nomem(err);
	if (!code)
		code = look_at_all(run, dir, file, err);
	if (!code)
		conclude(c, path, !is_directory && !file);
	free(dir);
	free(file);
	return code;
}

enum ts_code
ts_check_read(struct ts_check *c, const char *path, const struct ts_check_options *options,
	struct ts_err *err)
{
	struct check_run run = {.options = options, .check = c, .vars_tiles = TS_UNKNOWN};
	enum ts_code code = ts_files_listed_new(&run.seen, options->files, options->cancel, err);

	*c = (struct ts_check){0};
	if (!code)
		code = check_path(&run, path, err);
	if (!code && run.seen && ts_cancelled(options->cancel))
		code = ts_err_set(err, TS_E_CANCELLED,
			"cancelled"); /* what is absent may not be so */
	ts_archive_release(run.archive);
	ts_report_close(run.report);
	ts_files_release(run.seen);
	return code;
}

void
ts_check_fini(struct ts_check *c)
{
	for (size_t i = 0; i < c->parts; i++) {
		struct ts_check_part *p = &c->part[i];

		for (size_t k = 0; k < p->items; k++) {
			free(p->item[k].name);
			free(p->item[k].damage);
		}
		free(p->item);
		free(p->path);
		ts_notes_fini(&p->damage);
		ts_notes_fini(&p->notes);
	}
	free(c->part);
	ts_notes_fini(&c->notes);
	*c = (struct ts_check){0};
}
