/* SPDX-License-Identifier: MIT */
/* watched - see the header. */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "tilescope/base/mem.h"
#include "tilescope/report/find.h"
#include "tilescope/report/watched.h"

enum { PATH_LIMIT = 1 << 14 };

enum { PROFILE, WAL, JOURNAL };

/* Parts beside the profile, by the end of their paths. */
static const struct {
	enum ts_part part;
	const char *name;
} parts[] = {
	{TS_PART_ARCHIVE, "/archive.a"},
	{TS_PART_DEBUG, "/debug.cbor"},
	{TS_PART_FRAMEWORK, "/framework.json"},
	{TS_PART_APP, "/app.json"},
	{TS_PART_VARS, "/vars.json"},
};

/* --- which ------------------------------------------------------------------------------------ */

static void
add(struct ts_watched *w, const char *a, const char *b)
{
	struct ts_strbuf path;
	char *whole;

	ts_strbuf_init(&path, PATH_LIMIT);
	ts_strbuf_printf(&path, "%s%s", a, b);
	whole = path.cut ? NULL : ts_strbuf_take(&path);
	ts_strbuf_fini(&path);
	for (int i = 0; whole && i < w->count; i++)
		if (strcmp(w->path[i], whole) == 0) {
			free(whole);
			return;
		}
	if (whole && w->count < TS_WATCHED_FILES)
		w->path[w->count++] = whole;
	else
		free(whole);
}

static bool
is_directory(struct ts_files *files, const char *path)
{
	struct ts_file_state state;

	ts_files_state(files, &state, path);
	return state.kind == TS_FILE_DIRECTORY;
}

/* One directory up debug.cbor counts only where there is none in the directory. */
static bool
has_own_debug(const struct ts_report *r)
{
	const char *path = r->part[TS_PART_DEBUG].path;
	size_t n = strlen(r->dir);

	return path && strncmp(path, r->dir, n) == 0 && !strstr(path + n, "/../");
}

void
ts_watched_list(struct ts_watched *w, const struct ts_report *r)
{
	*w = (struct ts_watched){0};
	add(w, r->file, "");
	add(w, r->file, "-wal");
	add(w, r->file, "-journal");
	if (is_directory(r->files, r->path))
		add(w, r->dir, "/profile.pop");
	for (size_t i = 0; i < TS_COUNT(parts); i++)
		add(w, r->dir, parts[i].name);
	if (!has_own_debug(r))
		add(w, r->dir, "/../debug.cbor");
}

void
ts_watched_copy(struct ts_watched *to, const struct ts_watched *from)
{
	ts_watched_fini(to);
	*to = *from;
	to->count = 0;
	for (int i = 0; i < from->count; i++) {
		to->path[to->count] = ts_strdup(from->path[i]);
		to->state[to->count] = from->state[i];
		to->closed[to->count] = from->closed[i];
		to->count += to->path[to->count] != NULL;
	}
}

void
ts_watched_fini(struct ts_watched *w)
{
	for (int i = 0; i < w->count; i++)
		free(w->path[i]);
	*w = (struct ts_watched){0};
}

/* --- looking ---------------------------------------------------------------------------------- */

static const char *
name_of(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* An archive has no header that says how long it is: then only its being left alone tells. */
static bool
is_whole(struct ts_files *files, const char *file)
{
	struct ts_sqlite_header header;
	struct ts_source *source;
	char magic[8];
	size_t got;
	bool whole;

	if (ts_files_open(files, &source, file, NULL, NULL))
		return false;
	if (!ts_source_read(source, magic, sizeof(magic), 0, &got, NULL, NULL) &&
		got == sizeof(magic) && memcmp(magic, "!<arch>\n", sizeof(magic)) == 0)
		whole = true;
	else
		whole = !ts_sqlite_header_read(&header, source, NULL) && !header.truncated;
	ts_source_close(source);
	return whole;
}

static bool
may_not_be_read(const struct ts_report *r)
{
	struct ts_source *source;
	struct ts_err err = {0};
	enum ts_code code = ts_files_open(r->files, &source, r->file, NULL, &err);

	if (!code)
		ts_source_close(source);
	return code == TS_E_SYS && err.sys == EACCES;
}

enum ts_code
ts_watched_look(struct ts_watched *w, const struct ts_report *r, const struct ts_cancel *cancel,
	struct ts_err *err)
{
	char *file = NULL;

	for (int i = 0; i < w->count; i++) {
		struct ts_err why = {0};
		enum ts_code code = ts_files_look(r->files, &w->state[i], w->path[i], cancel, &why);

		if (ts_ends_all(code)) {
			if (err)
				*err = why;
			return code;
		}
		w->closed[i] = code == TS_E_SYS && why.sys == EACCES;
		if (code || !ts_file_is_there(&w->state[i]))
			w->state[i] = (struct ts_file_state){0};
	}
	w->profile = ts_report_changed(r);
	w->closed[PROFILE] |= w->profile && may_not_be_read(r);
	w->other = !ts_find_profile(&file, r->files, r->path, NULL, NULL) &&
		strcmp(file, r->file) != 0;
	w->complete = file && !ts_is_temporary_profile(name_of(file)) &&
		!ts_is_being_written(r->files, file) && is_whole(r->files, file);
	free(file);
	return TS_OK;
}

/* The part that lies at a watched path; NULL: none does. */
static const struct ts_part_info *
part_at(const struct ts_report *r, const char *path)
{
	for (size_t i = 0; i < TS_COUNT(parts); i++) {
		const struct ts_part_info *info = &r->part[parts[i].part];

		if (info->path ? strcmp(info->path, path) == 0 : ts_ends_with(path, parts[i].name))
			return info;
	}
	return NULL;
}

void
ts_watched_as_opened(struct ts_watched *w, const struct ts_report *r)
{
	for (int i = 0; i < w->count; i++) {
		const struct ts_part_info *info = part_at(r, w->path[i]);
		struct ts_file_state *s = &w->state[i];

		if (!info)
			continue;
		if (!info->path) /* it was not there: it came since */
			*s = (struct ts_file_state){0};
		else if (!ts_file_is_there(s) || s->bytes != info->bytes || s->mtime != info->mtime)
			*s = (struct ts_file_state){.kind = TS_FILE_REGULAR,
				.bytes = info->bytes,
				.mtime = info->mtime};
	}
}

bool
ts_watched_same(const struct ts_watched *a, const struct ts_watched *b)
{
	if (a->count != b->count || a->profile != b->profile || a->other != b->other ||
		a->complete != b->complete)
		return false;
	for (int i = 0; i < a->count; i++)
		if (strcmp(a->path[i], b->path[i]) != 0 || a->closed[i] != b->closed[i] ||
			!ts_file_state_same(&a->state[i], &b->state[i]))
			return false;
	return true;
}

/* How a file was before; one that was not looked at was not there. */
static struct ts_file_state
before_of(const struct ts_watched *before, const char *path)
{
	for (int i = 0; i < before->count; i++)
		if (strcmp(before->path[i], path) == 0)
			return before->state[i];
	return (struct ts_file_state){0};
}

int
ts_watched_changes(const struct ts_watched *before, const struct ts_watched *now,
	struct ts_strbuf *names)
{
	int found = 0;

	for (int i = 0; i < now->count; i++) {
		const struct ts_file_state was = before_of(before, now->path[i]);
		const struct ts_file_state *is = &now->state[i];

		if (i == WAL || i == JOURNAL ||
			(ts_file_state_same(&was, is) && !(i == PROFILE && now->profile)))
			continue;
		ts_strbuf_printf(names, "%s%s%s", found++ ? ", " : "", name_of(now->path[i]),
			now->closed[i]			  ? " (permission withdrawn)"
				: !ts_file_is_there(is)	  ? " (gone)"
				: !ts_file_is_there(&was) ? " (new)"
							  : "");
	}
	return found;
}
