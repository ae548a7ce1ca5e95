/* SPDX-License-Identifier: MIT */
/*
 * parts - the files beside a profile: which are there, and are they what their names say?
 *
 * They are recognised by their first bytes (the two small JSON files are parsed). A part that is there but is not
 * what its name says is a warning and a partial answer, never an end.
 */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "tilescope/base/mem.h"
#include "tilescope/base/strbuf.h"
#include "tilescope/format/debug_info.h"
#include "tilescope/format/json_file.h"
#include "tilescope/report/consistency.h"
#include "tilescope/report/find.h"

#include "report_internal.h"

enum { PATH_LIMIT = 1 << 14, DEBUG_LOOK = 64 << 10 };

char *
ts_report_join(const char *dir, const char *name)
{
	struct ts_strbuf b;

	ts_strbuf_init(&b, PATH_LIMIT);
	ts_strbuf_puts(&b, dir);
	ts_strbuf_putc(&b, '/');
	ts_strbuf_puts(&b, name);
	return ts_strbuf_take(&b);
}

static enum ts_code
check_archive(struct ts_files *files, const char *path, struct ts_err *err)
{
	struct ts_source *s;
	char magic[8];
	size_t got;
	enum ts_code code = ts_files_open(files, &s, path, NULL, err);

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
first_byte(unsigned char *byte, struct ts_files *files, const char *path, bool skip_blanks,
	struct ts_err *err)
{
	struct ts_source *s;
	unsigned char head[64];
	size_t got, i = 0;
	enum ts_code code = ts_files_open(files, &s, path, NULL, err);

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
check_debug(struct ts_files *files, const char *path, struct ts_err *err)
{
	static const struct ts_debug_visitor nobody = {.limit = DEBUG_LOOK};
	struct ts_source *s;
	enum ts_code code = ts_files_open(files, &s, path, NULL, err);

	if (code)
		return code;
	code = ts_debug_info_read(s, &nobody, err);
	ts_source_close(s);
	return code;
}

static enum ts_code
check_vars(struct ts_files *files, const char *path, struct ts_err *err)
{
	unsigned char b;
	enum ts_code code = first_byte(&b, files, path, true, err);

	if (!code && b != '{')
		code = ts_err_set(err, TS_E_DAMAGED, "does not begin with a JSON object");
	return code;
}

static enum ts_code
check_json(struct ts_files *files, const char *path, struct ts_err *err)
{
	struct ts_source *s;
	enum ts_code code = ts_files_open(files, &s, path, NULL, err);

	if (code)
		return code;
	code = ts_json_check(s, NULL, err);
	ts_source_close(s);
	return code;
}

static const struct {
	enum ts_part part;
	const char *name;
	enum ts_code (*check)(struct ts_files *files, const char *path, struct ts_err *err);
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
	enum ts_code (*check)(struct ts_files *files, const char *path, struct ts_err *err),
	struct ts_err *err)
{
	struct ts_part_info *info = &r->part[part];
	struct ts_err why = {0};
	struct ts_file_state state;
	enum ts_code code;

	if (!path)
		return ts_err_nomem(err);
	code = ts_files_look(r->files, &state, path, NULL, &why);
	if (state.kind == TS_FILE_NONE) {
		free(path);
		if (!ts_ends_all(code)) /* it is not there for us */
			return TS_OK;
		if (err)
			*err = why;
		return code;
	}
	if (state.kind == TS_FILE_DANGLING) {
		ts_notes_add(&r->notes, "%s is a symbolic link that leads nowhere", path);
		free(path);
		return TS_OK;
	}
	info->path = path;
	info->bytes = state.bytes;
	info->mtime = state.mtime;
	code = check(r->files, path, &why);
	if (ts_ends_all(code)) {
		if (err)
			*err = why;
		return code;
	}
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
		char *path = ts_report_join(r->dir, ts_other_files[i].name);
		struct ts_file_state state = {0};

		if (path)
			ts_files_state(r->files, &state, path);
		if (ts_file_is_there(&state))
			ts_notes_add(&r->notes, "%s is there: %s", ts_other_files[i].name,
				ts_other_files[i].what);
		free(path);
	}
}

enum ts_code
ts_report_probe_parts(struct ts_report *r, struct ts_err *err)
{
	enum ts_code code = TS_OK;
	const struct ts_part_info *debug = &r->part[TS_PART_DEBUG];

	for (size_t i = 0; i < TS_COUNT(parts) && !code; i++) {
		if (r->part[parts[i].part].path) /* it is what was opened */
			continue;
		code = probe_part(r, parts[i].part, ts_report_join(r->dir, parts[i].name),
			parts[i].check, err);
		/* PopART and PopTorch keep debug.cbor one directory up */
		if (!code && parts[i].part == TS_PART_DEBUG && debug->state == TS_PART_ABSENT)
			code = probe_part(r, TS_PART_DEBUG, ts_report_join(r->dir, "../debug.cbor"),
				check_debug, err);
	}
	if (code)
		return code;
	ts_consistency_ages(&r->notes, r);
	note_other_files(r);
	return TS_OK;
}
