/* SPDX-License-Identifier: MIT */
/* files_host - see the header. What is asked here is what somebody waits for. */
#include "config.h"

#include <errno.h>
#include <stdlib.h>

#include "tilescope/base/mem.h"
#include "tilescope/io/files_host.h"

struct files_host {
	struct ts_files base;
	struct ts_host *host;
	char *name;
	char *keep; /* where blocks of its files are kept, or NULL */
};

static struct files_host *
self(struct ts_files *f)
{
	return (struct files_host *)(void *)f;
}

/* What a path leads to. */
static void
state_of(struct ts_file_state *s, const struct ts_host_attrs *a)
{
	static const enum ts_file_kind kinds[] = {[TS_HOST_FILE] = TS_FILE_REGULAR,
		[TS_HOST_DIRECTORY] = TS_FILE_DIRECTORY,
		[TS_HOST_LINK] = TS_FILE_DANGLING,
		[TS_HOST_OTHER] = TS_FILE_OTHER,
		[TS_HOST_UNKNOWN] = TS_FILE_UNKNOWN};

	*s = (struct ts_file_state){.kind = kinds[a->kind],
		.bytes = a->size < 0 ? 0 : a->size,
		.mtime = a->mtime};
}

static enum ts_code
host_look(struct ts_files *f, struct ts_file_state *s, const char *path,
	const struct ts_cancel *cancel, struct ts_err *err)
{
	struct ts_host_attrs a;
	enum ts_code code = ts_host_stat(self(f)->host, &a, path, true, cancel, err);

	if (code == TS_E_NOT_FOUND)
		return TS_OK;
	if (!code)
		state_of(s, &a);
	return code;
}

static enum ts_code
host_look_all(struct ts_files *f, struct ts_files_asked *asked, size_t n,
	const struct ts_cancel *cancel, struct ts_err *err)
{
	struct ts_host_look *look = ts_alloc(n, sizeof(*look));
	enum ts_code code;

	if (!look)
		return ts_err_nomem(err);
	for (size_t i = 0; i < n; i++)
		look[i].path = asked[i].path;
	code = ts_host_stat_all(self(f)->host, look, n, true, cancel, err);
	for (size_t i = 0; i < n; i++) {
		asked[i].state = (struct ts_file_state){0};
		if (!code && !look[i].code)
			state_of(&asked[i].state, &look[i].attrs);
		if (!ts_file_is_there(&asked[i].state))
			asked[i].state = (struct ts_file_state){0};
	}
	free(look);
	return code;
}

static enum ts_code
host_list(struct ts_files *f, const char *path, ts_files_entry_fn *entry, void *ctx,
	const struct ts_cancel *cancel, struct ts_err *err)
{
	static const enum ts_file_kind kinds[] = {[TS_HOST_FILE] = TS_FILE_REGULAR,
		[TS_HOST_DIRECTORY] = TS_FILE_DIRECTORY,
		[TS_HOST_LINK] = TS_FILE_UNKNOWN,
		[TS_HOST_OTHER] = TS_FILE_OTHER,
		[TS_HOST_UNKNOWN] = TS_FILE_UNKNOWN};
	struct ts_host_list l;
	enum ts_code code = ts_host_list(self(f)->host, &l, path, true, cancel, err);

	if (code == TS_E_NOT_FOUND) /* as opendir() says it */
		return ts_err_sys(err, ENOENT, "cannot read the directory");
	for (size_t i = 0; i < l.count; i++) {
		const struct ts_host_attrs *a = &l.entry[i].attrs;
		const struct ts_file_state state = {.kind = kinds[a->kind],
			.bytes = a->size,
			.mtime = a->mtime};

		if (!entry(ctx, l.entry[i].name, &state))
			break;
	}
	ts_host_list_fini(&l);
	return code;
}

static enum ts_code
host_open(struct ts_files *f, struct ts_source **s, const char *path,
	const struct ts_cancel *cancel, struct ts_err *err)
{
	return ts_source_open_host(s, self(f)->host, path, self(f)->keep, self(f)->name, cancel,
		err);
}

static char *
host_real(struct ts_files *f, const char *path)
{
	char *real;

	return ts_host_realpath(self(f)->host, &real, path, true, NULL, NULL) ? NULL : real;
}

static void
host_release(struct ts_files *f)
{
	ts_host_free(self(f)->host);
	free(self(f)->name);
	free(self(f)->keep);
	free(f);
}

static const struct ts_files_ops host_ops = {.look = host_look,
	.list = host_list,
	.open = host_open,
	.real = host_real,
	.look_all = host_look_all,
	.release = host_release};

enum ts_code
ts_files_host_new(struct ts_files **out, const char *name, const struct ts_host_spec *spec,
	struct ts_err *err)
{
	struct files_host *f = ts_alloc(1, sizeof(*f));
	enum ts_code code;

	*out = NULL;
	if (f)
		f->name = ts_strdup(name);
	if (!f || !f->name) {
		free(f);
		return ts_err_nomem(err);
	}
	code = ts_host_new(&f->host, spec, err);
	if (code) {
		free(f->name);
		free(f);
		return code;
	}
	f->base.ops = &host_ops;
	f->base.host = f->name;
	atomic_init(&f->base.uses, 1);
	*out = &f->base;
	return TS_OK;
}

enum ts_code
ts_files_host_keep(struct ts_files *f, const char *dir, struct ts_err *err)
{
	free(self(f)->keep);
	self(f)->keep = ts_strdup(dir);
	return self(f)->keep ? TS_OK : ts_err_nomem(err);
}

struct ts_host *
ts_files_host(struct ts_files *f)
{
	return self(f)->host;
}
