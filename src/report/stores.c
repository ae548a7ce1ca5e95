/* SPDX-License-Identifier: MIT */
/* stores - see the header. */
#include "config.h"

#include "tilescope/report/stores.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <xxhash.h>

#include "tilescope/base/mem.h"
#include "tilescope/base/strbuf.h"
#include "tilescope/report/import.h"

enum { PATH_LIMIT = 1 << 14, STORES = 1 << 16, DAY = 86400, HASH = TS_STORE_HASH - 1 };

static const char *const endings[] = {[TS_STORE_IMPORT] = ".tilescope", [TS_STORE_VARS] = ".vars"};

/* --- names ------------------------------------------------------------------------------------ */

void
ts_store_hash(char hash[TS_STORE_HASH], const char *real)
{
	snprintf(hash, TS_STORE_HASH, "%016llx",
		(unsigned long long)XXH3_64bits(real, strlen(real)));
}

void
ts_store_name_import(char name[TS_STORE_NAME], const char *real, const struct ts_identity *id)
{
	char hash[TS_STORE_HASH], made_of[TS_IMPORT_MADE_OF];

	ts_store_hash(hash, real);
	ts_import_made_of(made_of, id);
	snprintf(name, TS_STORE_NAME, "%s-%s%s", hash, made_of, endings[TS_STORE_IMPORT]);
}

void
ts_store_name_vars(char name[TS_STORE_NAME], const char *real, const struct ts_source *json)
{
	char hash[TS_STORE_HASH];

	ts_store_hash(hash, real);
	snprintf(name, TS_STORE_NAME, "%s-%llx-%llx-%llx%s", hash, (unsigned long long)json->size,
		(unsigned long long)json->mtime, (unsigned long long)json->mtime_ns,
		endings[TS_STORE_VARS]);
}

/* --- the path of what they were made of --------------------------------------------------------- */

void
ts_store_remember(const char *store, const char *real)
{
	const char *slash = strrchr(store, '/');
	struct ts_strbuf name;
	int fd;

	ts_strbuf_init(&name, PATH_LIMIT);
	if (slash)
		ts_strbuf_printf(&name, "%.*s/%.*s.path", (int)(slash - store), store, HASH,
			slash + 1);
	fd = slash && !name.cut
		? open(name.s, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600)
		: -1;
	if (fd >= 0) { /* half a path has another hash: it is not believed */
		(void)!write(fd, real, strlen(real));
		close(fd);
	}
	ts_strbuf_fini(&name);
}

static void
note_name(char name[TS_STORE_NAME], const struct ts_store *s)
{
	snprintf(name, TS_STORE_NAME, "%.*s.path", HASH, s->name);
}

/* The path whose hash stands in the store's name; NULL: it is not known. */
static enum ts_code
read_path(struct ts_store *s, int dir, struct ts_err *err)
{
	char name[TS_STORE_NAME], hash[TS_STORE_HASH], *path = ts_alloc(PATH_LIMIT, 1);
	ssize_t n = -1;
	int fd;

	if (!path)
		return ts_err_nomem(err);
	note_name(name, s);
	fd = openat(dir, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	if (fd >= 0) {
		n = read(fd, path, PATH_LIMIT - 1);
		close(fd);
	}
	path[n > 0 ? n : 0] = '\0';
	ts_store_hash(hash, path);
	if (strncmp(hash, s->name, HASH) == 0)
		s->path = ts_strdup(path);
	else
		n = 0;
	free(path);
	return n > 0 && !s->path ? ts_err_nomem(err) : TS_OK;
}

/* What a store of that file as it is now would be called; "" = it cannot be read. */
static enum ts_code
name_now(char name[TS_STORE_NAME], const struct ts_store *s)
{
	struct ts_identity id;
	struct ts_source *json;
	enum ts_code code;

	name[0] = '\0';
	if (s->kind == TS_STORE_IMPORT) {
		code = ts_identity_read(&id, NULL, s->path, NULL);
		if (!code)
			ts_store_name_import(name, s->path, &id);
		return code;
	}
	code = ts_source_open_file(&json, s->path, NULL);
	if (!code) {
		ts_store_name_vars(name, s->path, json);
		ts_source_close(json);
	}
	return code;
}

enum ts_code
ts_store_look(struct ts_store *s, int dir, struct ts_err *err)
{
	char name[TS_STORE_NAME];
	enum ts_code code = s->kind == TS_STORE_LEFT_OVER ? TS_OK : read_path(s, dir, err);

	s->gone = s->kind == TS_STORE_LEFT_OVER;
	if (code || !s->path || s->path[0] != '/') /* no host is asked for this */
		return code;
	code = name_now(name, s);
	if (code == TS_E_NOMEM)
		return ts_err_nomem(err);
	s->gone = strcmp(name, s->name) != 0;
	return TS_OK;
}

/* --- all of them ------------------------------------------------------------------------------ */

void
ts_store_use(const char *store)
{
	const struct timespec now[2] = {{.tv_nsec = UTIME_NOW}, {.tv_nsec = UTIME_OMIT}};

	(void)!utimensat(AT_FDCWD, store, now, AT_SYMLINK_NOFOLLOW);
}

static bool
is_ours(const char *name)
{
	return strlen(name) < TS_STORE_NAME && strspn(name, "0123456789abcdef") >= HASH &&
		name[HASH] == '-';
}

/* A regular file of our own that is a store, or what is left of one. */
static bool
describe(struct ts_store *s, int dir, const char *name)
{
	time_t now = time(NULL);
	struct stat st;

	if (!is_ours(name) || fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) < 0 ||
		!S_ISREG(st.st_mode) || st.st_uid != geteuid())
		return false;
	*s = (struct ts_store){.kind = TS_STORE_LEFT_OVER, .bytes = st.st_size};
	snprintf(s->name, sizeof(s->name), "%.*s", (int)sizeof(s->name) - 1, name);
	for (size_t i = 0; i < TS_COUNT(endings); i++)
		if (ts_ends_with(name, endings[i]))
			s->kind = (enum ts_store_kind)i;
	if (s->kind == TS_STORE_LEFT_OVER && st.st_mtim.tv_sec > now - DAY)
		return false;		      /* it may be being written */
	if (st.st_atim.tv_sec <= now + DAY) { /* else a clock was wrong */
		s->used_s = st.st_atim.tv_sec;
		s->used_ns = st.st_atim.tv_nsec;
	}
	return true;
}

static int
by_use(const void *a, const void *b)
{
	const struct ts_store *x = a, *y = b;

	if (x->used_s != y->used_s)
		return x->used_s < y->used_s ? 1 : -1;
	if (x->used_ns != y->used_ns)
		return x->used_ns < y->used_ns ? 1 : -1;
	return strcmp(x->name, y->name);
}

enum ts_code
ts_stores_read(struct ts_stores *v, int dir, struct ts_err *err)
{
	int fd = openat(dir, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *d = fd < 0 ? NULL : fdopendir(fd);
	const struct dirent *e;
	struct ts_store s;
	enum ts_code code = TS_OK;

	*v = (struct ts_stores){0};
	if (!d) {
		int why = errno;

		if (fd >= 0)
			close(fd);
		return ts_err_sys(err, why, "the cache directory cannot be read");
	}
	while (!code && v->count < STORES && (e = readdir(d))) {
		if (!describe(&s, dir, e->d_name))
			continue;
		if (ts_room((void **)&v->store, &v->cap, v->count, sizeof(*v->store)))
			v->store[v->count++] = s;
		else
			code = ts_err_nomem(err);
	}
	closedir(d);
	if (code)
		ts_stores_fini(v);
	else if (v->count)
		qsort(v->store, v->count, sizeof(*v->store), by_use);
	return code;
}

void
ts_stores_fini(struct ts_stores *v)
{
	for (size_t i = 0; i < v->count; i++)
		free(v->store[i].path);
	free(v->store);
	*v = (struct ts_stores){0};
}

/* Is there another store of the same file? */
static bool
has_other(int dir, const struct ts_store *s)
{
	struct ts_stores all;
	bool yes = false;

	if (ts_stores_read(&all, dir, NULL))
		return true;
	for (size_t i = 0; i < all.count; i++)
		yes |= strncmp(all.store[i].name, s->name, HASH) == 0;
	ts_stores_fini(&all);
	return yes;
}

bool
ts_store_remove(int dir, const struct ts_store *s)
{
	char note[TS_STORE_NAME];

	if (unlinkat(dir, s->name, 0) < 0)
		return false;
	note_name(note, s);
	if (!has_other(dir, s))
		unlinkat(dir, note, 0);
	return true;
}
