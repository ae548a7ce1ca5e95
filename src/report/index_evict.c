/* SPDX-License-Identifier: MIT */
/*
 * index_evict - what lies in the cache, and what of it has to go.
 *
 * Over the cap, in this order, until it fits: folders of reports that are gone or are others now; sections that
 * were made on demand, those of the report used least recently first; whole folders of other reports. What the
 * report at hand needs stays, even where that alone exceeds the cap.
 */
#include "config.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "tilescope/base/mem.h"
#include "tilescope/base/strbuf.h"
#include "tilescope/io/block_store.h"

#include "index_internal.h"

enum { FOLDERS = 1 << 16, DAY = 86400 };

/* --- survey ----------------------------------------------------------------------------------- */

static bool
is_folder_name(const char *name)
{
	return strlen(name) == TS_FOLDER_NAME - 1 &&
		strspn(name, "0123456789abcdef") == TS_FOLDER_NAME - 1;
}

static int
section_of(const char *name)
{
	char file[TS_FILE_NAME];

	for (int s = 0; s < TS_SECTION_COUNT; s++) {
		ts_section_file(file, (enum ts_section)s);
		if (strcmp(file, name) == 0)
			return s;
	}
	return -1;
}

/* The report, as the first section says whose head is sound. */
static enum ts_code
read_path(struct ts_folder *f, int folder, int section, struct ts_err *err)
{
	char name[TS_FILE_NAME], why[TS_WHY_MAX];
	struct ts_section_head h;
	enum ts_code code;
	int fd;

	ts_section_file(name, (enum ts_section)section);
	fd = ts_open_own(folder, name, O_RDONLY);
	if (fd < 0)
		return TS_OK;
	code = ts_section_head_read(&h, &f->path, fd, (enum ts_section)section, why, err);
	close(fd);
	if (!code && f->path)
		ts_section_head_identity(&f->identity, &h);
	return code;
}

static void
look_at_file(struct ts_folder *f, int folder, const char *name)
{
	struct stat st;
	int s = section_of(name);

	if (fstatat(folder, name, &st, AT_SYMLINK_NOFOLLOW) < 0 || !S_ISREG(st.st_mode))
		return;
	f->bytes += st.st_size;
	if (s >= 0)
		f->section[s] = st.st_size;
	/* a time in the future says nothing: the clock was wrong then, or is now */
	if (strcmp(name, "used") == 0 && st.st_mtim.tv_sec <= time(NULL) + DAY) {
		f->used_s = st.st_mtim.tv_sec;
		f->used_ns = st.st_mtim.tv_nsec;
	}
}

static void
look_at_folder(struct ts_folder *f, int root, const char *name)
{
	int folder = ts_folder_open(root, name);
	DIR *d = folder < 0 ? NULL : fdopendir(folder);
	const struct dirent *e;

	*f = (struct ts_folder){0};
	memcpy(f->name, name, TS_FOLDER_NAME);
	for (int s = 0; s < TS_SECTION_COUNT; s++)
		f->section[s] = -1;
	if (!d) {
		if (folder >= 0)
			close(folder);
		return;
	}
	while ((e = readdir(d)))
		look_at_file(f, folder, e->d_name);
	closedir(d);
}

enum ts_code
ts_survey_new(struct ts_survey *v, int root, struct ts_err *err)
{
	int fd = openat(root, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *d = fd < 0 ? NULL : fdopendir(fd);
	const struct dirent *e;
	enum ts_code code = TS_OK;

	*v = (struct ts_survey){0};
	if (!d) {
		int why = errno;

		if (fd >= 0)
			close(fd);
		return ts_err_sys(err, why, "the cache directory cannot be read");
	}
	while (!code && v->count < FOLDERS && (e = readdir(d))) {
		if (!is_folder_name(e->d_name))
			continue;
		if (!ts_room((void **)&v->folder, &v->cap, v->count, sizeof(*v->folder)))
			code = ts_err_nomem(err);
		else
			look_at_folder(&v->folder[v->count++], root, e->d_name);
	}
	closedir(d);
	if (code)
		ts_survey_fini(v);
	return code;
}

void
ts_survey_fini(struct ts_survey *v)
{
	for (size_t i = 0; i < v->count; i++)
		free(v->folder[i].path);
	free(v->folder);
	*v = (struct ts_survey){0};
}

enum ts_code
ts_folder_report(struct ts_folder *f, int root, struct ts_err *err)
{
	int folder = ts_folder_open(root, f->name);
	enum ts_code code = TS_OK;

	for (int s = 0; folder >= 0 && !code && !f->path && s < TS_SECTION_COUNT; s++)
		if (f->section[s] >= 0)
			code = read_path(f, folder, s, err);
	if (folder >= 0)
		close(folder);
	if (!code && f->path && f->path[0] == '/') { /* no host is asked for this */
		struct ts_identity now;
		enum ts_code seen = ts_identity_read(&now, NULL, f->path, NULL);

		f->gone = seen != TS_E_NOMEM && (seen || !ts_identity_same(&now, &f->identity));
	}
	return code;
}

static int
by_use(const void *a, const void *b)
{
	const struct ts_folder *x = a, *y = b;

	if (x->used_s != y->used_s)
		return x->used_s < y->used_s ? 1 : -1;
	if (x->used_ns != y->used_ns)
		return x->used_ns < y->used_ns ? 1 : -1;
	return strcmp(x->name, y->name);
}

void
ts_survey_sort(struct ts_survey *v)
{
	if (v->count)
		qsort(v->folder, v->count, sizeof(*v->folder), by_use);
}

/* --- eviction --------------------------------------------------------------------------------- */

struct eviction {
	int root;
	char keep[TS_FOLDER_NAME];
	enum ts_section fresh;
	int64_t bytes, cap;
};

static void
evict_folder(struct eviction *e, struct ts_folder *f)
{
	if (e->bytes <= e->cap || strcmp(f->name, e->keep) == 0 || !f->bytes ||
		!ts_folder_remove(e->root, f->name))
		return;
	e->bytes -= f->bytes;
	f->bytes = 0;
}

static void
evict_on_demand(struct eviction *e, struct ts_folder *f)
{
	bool ours = strcmp(f->name, e->keep) == 0;
	int folder = f->bytes ? ts_folder_open(e->root, f->name) : -1;

	for (int s = TS_SECTION_LIVES; folder >= 0 && s < TS_SECTION_COUNT; s++) {
		char name[TS_FILE_NAME];

		if (e->bytes <= e->cap || f->section[s] < 0 || (ours && s == (int)e->fresh))
			continue;
		ts_section_file(name, (enum ts_section)s);
		if (unlinkat(folder, name, 0) < 0)
			continue;
		e->bytes -= f->section[s];
		f->bytes -= f->section[s];
		f->section[s] = -1;
	}
	if (folder >= 0)
		close(folder);
}

/*
 * The reports themselves are looked for only as long as something has to go, those used least recently
 * first: one of them may lie on a mount that does not answer any more.
 */
static void
evict_gone(struct eviction *e, struct ts_folder *f)
{
	if (e->bytes <= e->cap || strcmp(f->name, e->keep) == 0)
		return;
	if (!ts_folder_report(f, e->root, NULL) && (f->gone || !f->path))
		evict_folder(e, f);
}

static void
evict(struct eviction *e, struct ts_survey *v)
{
	ts_survey_sort(v);
	for (size_t i = v->count; i-- > 0;)
		evict_gone(e, &v->folder[i]);
	for (size_t i = v->count; i-- > 0;)
		if (strcmp(v->folder[i].name, e->keep) != 0)
			evict_on_demand(e, &v->folder[i]);
	for (size_t i = v->count; i-- > 0;)
		evict_on_demand(e, &v->folder[i]); /* our own, after those of all others */
	for (size_t i = v->count; i-- > 0;)
		evict_folder(e, &v->folder[i]);
}

void
ts_cache_evict(const struct ts_cache *c, const struct ts_report *r, enum ts_section fresh)
{
	struct eviction e = {.fresh = fresh, .cap = c->cap};
	struct ts_survey v;

	e.root = ts_cache_root(c, false);
	if (e.root < 0)
		return;
	ts_folder_name(e.keep, r);
	if (!ts_survey_new(&v, e.root, NULL)) {
		for (size_t i = 0; i < v.count; i++)
			e.bytes += v.folder[i].bytes;
		if (e.bytes > e.cap)
			evict(&e, &v);
		ts_survey_fini(&v);
	}
	close(e.root);
}

/* --- `tilescope cache` ------------------------------------------------------------------------ */

static void
entry_of(struct ts_cache_entry *to, struct ts_folder *f)
{
	*to = (struct ts_cache_entry){.path = f->path,
		.bytes = f->bytes,
		.used_s = f->used_s,
		.gone = f->gone};
	f->path = NULL;
	for (int s = 0; s < TS_SECTION_COUNT; s++)
		to->sections |= f->section[s] >= 0 ? ts_section_bit(s) : 0;
}

static enum ts_code
entries_of(struct ts_cache_entry **entries, size_t *count, struct ts_survey *v, struct ts_err *err)
{
	*entries = ts_alloc(v->count, sizeof(**entries));
	if (!*entries)
		return ts_err_nomem(err);
	for (size_t i = 0; i < v->count; i++) {
		if (!v->folder[i].path)
			v->folder[i].path = ts_strdup("");
		if (!v->folder[i].path) {
			ts_cache_list_free(*entries, i);
			*entries = NULL;
			*count = 0;
			return ts_err_nomem(err);
		}
		entry_of(&(*entries)[i], &v->folder[i]);
		*count = i + 1;
	}
	return TS_OK;
}

/* What there is; *root (to be closed) -1 and nothing surveyed: nothing is kept. */
static enum ts_code
survey(struct ts_survey *v, int *root, const struct ts_cache *cache, struct ts_err *err)
{
	enum ts_code code;

	*v = (struct ts_survey){0};
	*root = -1;
	if (!cache->dir)
		return TS_OK;
	*root = ts_cache_root(cache, false);
	if (*root < 0)
		return errno == ENOENT ? TS_OK : ts_cache_cannot(cache, errno, "read", err);
	code = ts_survey_new(v, *root, err);
	if (code)
		close(*root);
	return code;
}

enum ts_code
ts_cache_list(struct ts_cache_entry **entries, size_t *count, const struct ts_cache *cache,
	struct ts_err *err)
{
	struct ts_survey v;
	int root;
	enum ts_code code;

	*entries = NULL;
	*count = 0;
	code = survey(&v, &root, cache, err);
	if (code || root < 0)
		return code;
	for (size_t i = 0; !code && i < v.count; i++)
		code = ts_folder_report(&v.folder[i], root, err);
	close(root);
	ts_survey_sort(&v);
	if (!code)
		code = entries_of(entries, count, &v, err);
	ts_survey_fini(&v);
	return code;
}

void
ts_cache_list_free(struct ts_cache_entry *entries, size_t count)
{
	for (size_t i = 0; entries && i < count; i++)
		free(entries[i].path);
	free(entries);
}

/* --- blocks of other hosts --------------------------------------------------------------------- */

enum ts_code
ts_cache_files_list(struct ts_block_store_kept **all, size_t *count, const struct ts_cache *cache,
	struct ts_err *err)
{
	char *dir = ts_cache_hosts(cache);
	enum ts_code code = TS_OK;

	*all = NULL;
	*count = 0;
	if (dir)
		code = ts_block_stores_list(all, count, dir, err);
	else if (cache->dir)
		code = ts_err_nomem(err);
	free(dir);
	return code;
}

static void
clear_hosts(struct ts_cache_cleared *c, const struct ts_cache *cache)
{
	char *dir = ts_cache_hosts(cache);

	if (dir)
		c->bytes += ts_block_stores_clear(dir, &c->files);
	free(dir);
}

enum ts_code
ts_cache_clear(struct ts_cache_cleared *c, const struct ts_cache *cache, struct ts_err *err)
{
	struct ts_survey v;
	int root;
	enum ts_code code;

	*c = (struct ts_cache_cleared){0};
	code = survey(&v, &root, cache, err);
	if (code)
		return code;
	for (size_t i = 0; i < v.count; i++)
		if (ts_folder_remove(root, v.folder[i].name)) {
			c->bytes += v.folder[i].bytes;
			c->reports++;
		}
	ts_survey_fini(&v);
	if (root >= 0)
		close(root);
	clear_hosts(c, cache);
	return TS_OK;
}
