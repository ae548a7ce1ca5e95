/* SPDX-License-Identifier: MIT */
/*
 * identity - is a report still, or again, the one that was read?
 *
 * Size, time to the nanosecond, and SQLite's own header, whose change counter moves with every
 * transaction: a file that is replaced by one of the same size within the same second differs.
 */
#include "config.h"

#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "tilescope/report/find.h"
#include "tilescope/report/report.h"

void
ts_identity_set(struct ts_identity *id, const struct ts_source *source,
	const struct ts_sqlite_header *header)
{
	*id = (struct ts_identity){.bytes = source->size,
		.mtime = source->mtime,
		.mtime_ns = source->mtime_ns,
		.changes = header->changes,
		.header = header->hash,
		.device = source->device,
		.inode = source->inode};
}

/* An archive has no header that tells one from another: its first bytes stand for one. */
static enum ts_code
read_header(struct ts_sqlite_header *header, struct ts_source *source, struct ts_err *err)
{
	unsigned char head[100];
	size_t got;
	enum ts_code code = ts_source_read(source, head, sizeof(head), 0, &got, NULL, err);

	if (code)
		return code;
	if (got < 8 || memcmp(head, "!<arch>\n", 8) != 0)
		return ts_sqlite_header_read(header, source, err);
	*header = (struct ts_sqlite_header){.bytes = source->size, .hash = XXH3_64bits(head, got)};
	return TS_OK;
}

enum ts_code
ts_identity_read(struct ts_identity *id, struct ts_files *files, const char *path,
	struct ts_err *err)
{
	struct ts_sqlite_header header;
	struct ts_source *source;
	enum ts_code code = ts_files_open(files, &source, path, NULL, err);

	*id = (struct ts_identity){0};
	if (code)
		return code;
	code = read_header(&header, source, err);
	if (!code)
		ts_identity_set(id, source, &header);
	ts_source_close(source);
	return code;
}

bool
ts_identity_same(const struct ts_identity *a, const struct ts_identity *b)
{
	return a->bytes == b->bytes && a->mtime == b->mtime && a->mtime_ns == b->mtime_ns &&
		a->changes == b->changes && a->header == b->header;
}

/* A profile has come to where there was only an archive. */
static bool
has_profile_now(const struct ts_report *r)
{
	char *file = NULL;
	bool yes = r->kind == TS_KIND_ARCHIVE &&
		!ts_find_profile(&file, r->files, r->path, NULL, NULL) &&
		strcmp(file, r->file) != 0;

	free(file);
	return yes;
}

bool
ts_report_changed(const struct ts_report *r)
{
	struct ts_identity now;
	enum ts_code code = ts_identity_read(&now, r->files, r->file, NULL);

	if (ts_ends_all(code))
		return false; /* not known: asked again soon */
	if (has_profile_now(r))
		return true;
	return code || !ts_identity_same(&now, &r->identity) || now.device != r->identity.device ||
		now.inode != r->identity.inode ||
		ts_is_being_written(r->files, r->file) != r->being_written;
}
