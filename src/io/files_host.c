/* SPDX-License-Identifier: MIT */
/*
 * files_host - see the header. What is asked here is what somebody waits for.
 *
 * A file that is open is not opened once more: who opens it again, as a report is when its other parts are looked for, gets the
 * same blocks, those on disk too, which one cache alone may write. It has to have the size and time that it had, and nothing
 * may have gone wrong with it.
 */
#include "config.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "tilescope/base/mem.h"
#include "tilescope/io/files_host.h"

/* An open file, and how many sources are of it. */
struct shared {
	char *path;
	struct ts_source *source;
	int uses;
	struct shared *next;
};

struct files_host {
	struct ts_files base;
	struct ts_host *host;
	char *name;
	char *keep;	      /* where blocks of its files are kept, or NULL */
	pthread_mutex_t lock; /* of what is shared; never held while the host is waited for */
	struct shared *shared;
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
		look[i] = (struct ts_host_look){.path = asked[i].path, .real = asked[i].real};
	code = ts_host_stat_all(self(f)->host, look, n, true, cancel, err);
	for (size_t i = 0; i < n; i++) {
		asked[i].state = (struct ts_file_state){0};
		asked[i].code = look[i].code == TS_E_NOT_FOUND ? TS_OK : look[i].code;
		asked[i].text = look[i].text;
		if (!code && !look[i].code && !look[i].real)
			state_of(&asked[i].state, &look[i].attrs);
		if (!ts_file_is_there(&asked[i].state))
			asked[i].state = (struct ts_file_state){0};
	}
	free(look);
	return code;
}

/* What a list says of its entries. */
static void
pass_on(const struct ts_host_list *l, ts_files_entry_fn *entry, void *ctx)
{
	static const enum ts_file_kind kinds[] = {[TS_HOST_FILE] = TS_FILE_REGULAR,
		[TS_HOST_DIRECTORY] = TS_FILE_DIRECTORY,
		[TS_HOST_LINK] = TS_FILE_UNKNOWN,
		[TS_HOST_OTHER] = TS_FILE_OTHER,
		[TS_HOST_UNKNOWN] = TS_FILE_UNKNOWN};

	for (size_t i = 0; i < l->count; i++) {
		const struct ts_host_attrs *a = &l->entry[i].attrs;
		const struct ts_file_state state = {.kind = kinds[a->kind],
			.bytes = a->size,
			.mtime = a->mtime};

		if (!entry(ctx, l->entry[i].name, &state))
			break;
	}
}

static enum ts_code
host_list(struct ts_files *f, const char *path, ts_files_entry_fn *entry, void *ctx,
	const struct ts_cancel *cancel, struct ts_err *err)
{
	struct ts_host_list l;
	enum ts_code code = ts_host_list(self(f)->host, &l, path, true, cancel, err);

	if (code == TS_E_NOT_FOUND) /* as opendir() says it */
		return ts_err_sys(err, ENOENT, "cannot read the directory");
	pass_on(&l, entry, ctx);
	ts_host_list_fini(&l);
	return code;
}

static enum ts_code
host_list_all(struct ts_files *f, struct ts_files_listing *listing, size_t n,
	const struct ts_cancel *cancel, struct ts_err *err)
{
	struct ts_host_listing *all = ts_alloc(n, sizeof(*all));
	enum ts_code code;

	if (!all)
		return ts_err_nomem(err);
	for (size_t i = 0; i < n; i++)
		all[i].path = listing[i].path;
	code = ts_host_list_all(self(f)->host, all, n, true, cancel, err);
	for (size_t i = 0; i < n; i++) {
		listing[i].code = all[i].code == TS_E_NOT_FOUND ? TS_E_SYS : all[i].code;
		if (!code)
			pass_on(&all[i].list, listing[i].entry, listing[i].ctx);
		ts_host_list_fini(&all[i].list);
	}
	free(all);
	return code;
}

/* --- files that are open ---------------------------------------------------------------------- */

struct source_shared {
	struct ts_source base;
	struct files_host *files;
	struct shared *of;
};

static struct ts_source *
source_of(struct ts_source *s)
{
	return ((struct source_shared *)(void *)s)->of->source;
}

static enum ts_code
shared_read_counted(struct ts_source *s, void *buf, size_t n, int64_t offset, size_t *got,
	struct ts_source_meter *meter, const struct ts_cancel *cancel, struct ts_err *err)
{
	return ts_source_read_counted(source_of(s), buf, n, offset, got, meter, cancel, err);
}

static enum ts_code
shared_read_at(struct ts_source *s, void *buf, size_t n, int64_t offset, size_t *got,
	const struct ts_cancel *cancel, struct ts_err *err)
{
	return ts_source_read(source_of(s), buf, n, offset, got, cancel, err);
}

static void
shared_want(struct ts_source *s, const struct ts_byte_range *span, size_t count, bool urgent,
	struct ts_source_meter *meter)
{
	ts_source_want(source_of(s), span, count, urgent, meter);
}

static void
shared_counts(struct ts_source *s, struct ts_source_counts *n)
{
	ts_source_counts(source_of(s), n);
}

static size_t
shared_here(struct ts_source *s, int64_t offset, size_t n)
{
	return ts_source_here(source_of(s), offset, n);
}

static bool
shared_has_failed(struct ts_source *s)
{
	return ts_source_has_failed(source_of(s));
}

/* One use less; the last one closes it. */
static void
let_go(struct files_host *f, struct shared *of)
{
	struct shared **at = &f->shared;
	bool last;

	pthread_mutex_lock(&f->lock);
	last = --of->uses == 0;
	while (last && *at && *at != of)
		at = &(*at)->next;
	if (last && *at)
		*at = of->next;
	pthread_mutex_unlock(&f->lock);
	if (!last)
		return;
	ts_source_close(of->source);
	free(of->path);
	free(of);
}

static void
shared_close(struct ts_source *s)
{
	struct source_shared *x = (struct source_shared *)(void *)s;

	let_go(x->files, x->of);
	free(x);
}

static const struct ts_source_ops shared_ops = {.read_at = shared_read_at,
	.close = shared_close,
	.want = shared_want,
	.read_counted = shared_read_counted,
	.counts = shared_counts,
	.here = shared_here,
	.has_failed = shared_has_failed};

/* The open file of that path and state that can be read, with one use more; NULL: there is none. */
static struct shared *
find_shared(struct files_host *f, const char *path, const struct ts_file_state *now)
{
	struct shared *of;

	pthread_mutex_lock(&f->lock);
	for (of = f->shared; of; of = of->next)
		if (strcmp(of->path, path) == 0 && !ts_source_has_failed(of->source) &&
			(!now ||
				(of->source->size == now->bytes &&
					of->source->mtime == now->mtime)))
			break;
	if (of && now)
		of->uses++;
	pthread_mutex_unlock(&f->lock);
	return of;
}

static enum ts_code
open_shared(struct shared **out, struct files_host *f, const char *path, bool regular,
	const struct ts_cancel *cancel, struct ts_err *err)
{
	struct shared *of = ts_alloc(1, sizeof(*of));
	enum ts_code code;

	if (of)
		of->path = ts_strdup(path);
	code = of && of->path ? ts_source_open_host(&of->source, f->host, path, regular, f->keep,
					f->name, cancel, err)
			      : ts_err_nomem(err);
	if (code) {
		if (of)
			free(of->path);
		free(of);
		return code;
	}
	of->uses = 1;
	pthread_mutex_lock(&f->lock);
	of->next = f->shared;
	f->shared = of;
	pthread_mutex_unlock(&f->lock);
	*out = of;
	return TS_OK;
}

/* seen: what it was just seen to be, or NULL. */
static enum ts_code
open_file(struct ts_files *f, struct ts_source **s, const char *path,
	const struct ts_file_state *seen, const struct ts_cancel *cancel, struct ts_err *err)
{
	struct source_shared *x = ts_alloc(1, sizeof(*x));
	struct ts_file_state now = {0};
	enum ts_code code = TS_OK;

	*s = NULL;
	if (!x)
		return ts_err_nomem(err);
	if (find_shared(self(f), path, NULL)) {
		if (seen)
			now = *seen;
		else
			code = host_look(f, &now, path, cancel, err);
		x->of = !code && now.kind == TS_FILE_REGULAR ? find_shared(self(f), path, &now)
							     : NULL;
	}
	if (!code && !x->of)
		code = open_shared(&x->of, self(f), path, seen && seen->kind == TS_FILE_REGULAR,
			cancel, err);
	if (code) {
		free(x);
		return code;
	}
	x->files = self(f);
	x->base = *x->of->source;
	x->base.ops = &shared_ops;
	*s = &x->base;
	return TS_OK;
}

static enum ts_code
host_open(struct ts_files *f, struct ts_source **s, const char *path,
	const struct ts_cancel *cancel, struct ts_err *err)
{
	return open_file(f, s, path, NULL, cancel, err);
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
	pthread_mutex_destroy(&self(f)->lock);
	free(f);
}

static const struct ts_files_ops host_ops = {.look = host_look,
	.list = host_list,
	.open = host_open,
	.real = host_real,
	.look_all = host_look_all,
	.list_all = host_list_all,
	.open_regular = open_file,
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
	if (!f || !f->name || pthread_mutex_init(&f->lock, NULL)) {
		if (f)
			free(f->name);
		free(f);
		return ts_err_nomem(err);
	}
	code = ts_host_new(&f->host, spec, err);
	if (code) {
		pthread_mutex_destroy(&f->lock);
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
