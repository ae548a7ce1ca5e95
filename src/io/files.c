/* SPDX-License-Identifier: MIT */
/* files - see the header: this machine's file system is here. */
#include "config.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "tilescope/base/strbuf.h"
#include "tilescope/io/files.h"

enum { NAME_MAX_ALL = 1 << 14 }; /* bytes of ts_files_name() */

bool
ts_ends_all(enum ts_code code)
{
	return code == TS_E_NOMEM || code == TS_E_CANCELLED || code == TS_E_CONNECT;
}

bool
ts_file_is_there(const struct ts_file_state *s)
{
	return s->kind != TS_FILE_NONE && s->kind != TS_FILE_DANGLING;
}

bool
ts_file_state_same(const struct ts_file_state *a, const struct ts_file_state *b)
{
	return a->kind == b->kind && a->bytes == b->bytes && a->mtime == b->mtime &&
		a->mtime_ns == b->mtime_ns && a->device == b->device && a->inode == b->inode;
}

struct ts_files *
ts_files_hold(struct ts_files *f)
{
	if (f)
		atomic_fetch_add(&f->uses, 1);
	return f;
}

void
ts_files_release(struct ts_files *f)
{
	if (f && atomic_fetch_sub(&f->uses, 1) == 1)
		f->ops->release(f);
}

/* --- this machine ----------------------------------------------------------------------------- */

static enum ts_file_kind
kind_of(mode_t mode)
{
	return S_ISREG(mode) ? TS_FILE_REGULAR : S_ISDIR(mode) ? TS_FILE_DIRECTORY : TS_FILE_OTHER;
}

/* stat() has said no. */
static enum ts_code
look_at_link(struct ts_file_state *s, const char *path, int why, struct ts_err *err)
{
	struct stat st;

	if (lstat(path, &st) == 0)
		s->kind = TS_FILE_DANGLING;
	return why == ENOENT || why == ENOTDIR ? TS_OK : ts_err_sys(err, why, "cannot open");
}

static enum ts_code
look_here(struct ts_file_state *s, const char *path, struct ts_err *err)
{
	struct stat st;

	if (stat(path, &st) < 0)
		return look_at_link(s, path, errno, err);
	*s = (struct ts_file_state){kind_of(st.st_mode), st.st_size, st.st_mtim.tv_sec,
		st.st_mtim.tv_nsec, st.st_dev, st.st_ino};
	return TS_OK;
}

static enum ts_file_kind
kind_of_entry(unsigned char type)
{
	switch (type) {
	case DT_REG:
		return TS_FILE_REGULAR;
	case DT_DIR:
		return TS_FILE_DIRECTORY;
	case DT_LNK:
	case DT_UNKNOWN:
		return TS_FILE_UNKNOWN;
	default:
		return TS_FILE_OTHER;
	}
}

static enum ts_code
list_here(const char *path, ts_files_entry_fn *entry, void *ctx, const struct ts_cancel *cancel,
	struct ts_err *err)
{
	DIR *d = opendir(path);
	bool more = true;

	if (!d)
		return ts_err_sys(err, errno, "cannot read the directory");
	for (struct dirent *e; more && !ts_cancelled(cancel) && (e = readdir(d));) {
		const struct ts_file_state state = {.kind = kind_of_entry(e->d_type), .bytes = -1};

		if (strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0)
			more = entry(ctx, e->d_name, &state);
	}
	closedir(d);
	return ts_cancelled(cancel) ? ts_err_set(err, TS_E_CANCELLED, "cancelled") : TS_OK;
}

/* --- wherever it is --------------------------------------------------------------------------- */

enum ts_code
ts_files_look(struct ts_files *f, struct ts_file_state *s, const char *path,
	const struct ts_cancel *cancel, struct ts_err *err)
{
	*s = (struct ts_file_state){0};
	return f ? f->ops->look(f, s, path, cancel, err) : look_here(s, path, err);
}

void
ts_files_state(struct ts_files *f, struct ts_file_state *s, const char *path)
{
	if (ts_files_look(f, s, path, NULL, NULL) || !ts_file_is_there(s))
		*s = (struct ts_file_state){0};
}

enum ts_code
ts_files_look_all(struct ts_files *f, struct ts_files_asked *asked, size_t n,
	const struct ts_cancel *cancel, struct ts_err *err)
{
	if (f && f->ops->look_all)
		return f->ops->look_all(f, asked, n, cancel, err);
	for (size_t i = 0; i < n; i++) {
		enum ts_code code = TS_OK;

		asked[i].text = asked[i].real ? ts_files_real(f, asked[i].path) : NULL;
		asked[i].state = (struct ts_file_state){0};
		if (!asked[i].real)
			code = ts_files_look(f, &asked[i].state, asked[i].path, cancel, err);
		asked[i].code = code;
		if (ts_ends_all(code))
			return code;
		if (code || !ts_file_is_there(&asked[i].state))
			asked[i].state = (struct ts_file_state){0};
	}
	return TS_OK;
}

enum ts_code
ts_files_list(struct ts_files *f, const char *path, ts_files_entry_fn *entry, void *ctx,
	const struct ts_cancel *cancel, struct ts_err *err)
{
	return f ? f->ops->list(f, path, entry, ctx, cancel, err)
		 : list_here(path, entry, ctx, cancel, err);
}

enum ts_code
ts_files_list_all(struct ts_files *f, struct ts_files_listing *listing, size_t n,
	const struct ts_cancel *cancel, struct ts_err *err)
{
	if (f && f->ops->list_all)
		return f->ops->list_all(f, listing, n, cancel, err);
	for (size_t i = 0; i < n; i++) {
		struct ts_files_listing *l = &listing[i];

		l->code = ts_files_list(f, l->path, l->entry, l->ctx, cancel, err);
		if (ts_ends_all(l->code))
			return l->code;
	}
	return TS_OK;
}

enum ts_code
ts_files_open(struct ts_files *f, struct ts_source **s, const char *path,
	const struct ts_cancel *cancel, struct ts_err *err)
{
	*s = NULL;
	return f ? f->ops->open(f, s, path, cancel, err) : ts_source_open_file(s, path, err);
}

enum ts_code
ts_files_open_regular(struct ts_files *f, struct ts_source **s, const char *path,
	const struct ts_file_state *seen, const struct ts_cancel *cancel, struct ts_err *err)
{
	*s = NULL;
	return f && f->ops->open_regular ? f->ops->open_regular(f, s, path, seen, cancel, err)
					 : ts_files_open(f, s, path, cancel, err);
}

char *
ts_files_real(struct ts_files *f, const char *path)
{
	return f ? f->ops->real(f, path) : realpath(path, NULL);
}

char *
ts_files_name(struct ts_files *f, const char *path)
{
	char *real = ts_files_real(f, path), *name;
	struct ts_strbuf text;

	if (!f || !real)
		return real;
	ts_strbuf_init(&text, NAME_MAX_ALL);
	ts_strbuf_printf(&text, "%s:%s", f->host, real);
	name = text.cut ? NULL : ts_strbuf_take(&text);
	ts_strbuf_fini(&text);
	free(real);
	return name;
}
