/* SPDX-License-Identifier: MIT */
/*
 * index_cache - the cache directory: which one, may it be used, folders and locks in it.
 *
 * Whatever lies in a cache directory may have been put there by anybody who can write to it. Folders and
 * files are opened from the directory that holds them, never through a link, and are used only when they
 * are plain and our own.
 */
#include "config.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

#include "tilescope/base/clock.h"
#include "tilescope/base/mem.h"
#include "tilescope/base/strbuf.h"
#include "tilescope/io/network.h"

#include "index_internal.h"

enum { PATH_LIMIT = 1 << 14, LOCK_TRIES = 16 };

/* --- which directory -------------------------------------------------------------------------- */

/* NULL and errno. */
static char *
joined(const char *a, const char *b)
{
	struct ts_strbuf s;

	ts_strbuf_init(&s, PATH_LIMIT);
	ts_strbuf_printf(&s, "%s%s", a, b);
	errno = s.cut && !s.nomem ? ENAMETOOLONG : ENOMEM;
	if (s.cut) {
		ts_strbuf_fini(&s);
		return NULL;
	}
	return ts_strbuf_take(&s);
}

char *
ts_cache_where(const char *option)
{
	const char *dir = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");

	if (option)
		return strcmp(option, "none") == 0 ? NULL : ts_strdup(option);
	if (dir && dir[0] == '/')
		return joined(dir, "/tilescope");
	return home && home[0] == '/' ? joined(home, "/.cache/tilescope") : NULL;
}

/* 0 or errno. Existing directories stay as they are. */
static int
make_dirs(const char *path)
{
	char *copy = ts_strdup(path);
	int why = 0;

	if (!copy)
		return ENOMEM;
	for (char *p = copy + 1; !why; p++) {
		char kept = *p;

		if (kept != '/' && kept != '\0')
			continue;
		*p = '\0';
		if (mkdir(copy, 0700) < 0 && errno != EEXIST && errno != EISDIR)
			why = errno;
		*p = kept;
		if (!kept)
			break;
	}
	free(copy);
	return why;
}

/* --- the directory ---------------------------------------------------------------------------- */

/* Say why there is none, with what to do; the directory is forgotten. */
static void TS_PRINTF(2, 3) without(struct ts_cache *c, const char *fmt, ...)
{
	struct ts_strbuf b;
	va_list ap;

	ts_strbuf_init(&b, sizeof(c->why) - 1);
	va_start(ap, fmt);
	ts_strbuf_vprintf(&b, fmt, ap);
	va_end(ap);
	snprintf(c->why, sizeof(c->why), "%s", b.s);
	ts_strbuf_fini(&b);
	free(c->dir);
	c->dir = NULL;
}

static void
without_sys(struct ts_cache *c, int why)
{
	struct ts_err e;

	ts_err_sys(&e, why, "no index is kept: %.380s", c->dir);
	without(c, "%s (--cache DIR names another place)", e.msg);
}

/* Is there something besides indexes: blocks of files of hosts? */
static bool
keeps_else(const struct ts_cache *c)
{
	char *hosts = ts_cache_hosts(c);
	bool any = hosts && access(hosts, R_OK | X_OK) == 0;

	free(hosts);
	return any;
}

static enum ts_code
try_root(struct ts_cache *c, bool make, struct ts_err *err)
{
	int root = ts_cache_root(c, make), why = errno;
	const char *network;

	if (root < 0 && why == ENOMEM)
		return ts_err_nomem(err);
	if (root < 0 && !make && why == ENOENT) {
		if (keeps_else(c))
			return TS_OK;
		free(c->dir); /* nothing is kept there, and nothing has to be said */
		c->dir = NULL;
		return TS_OK;
	}
	if (root < 0 && why == EPERM) {
		without(c,
			"no index is kept: %.380s/index belongs to somebody else (--cache DIR names another place)",
			c->dir);
		return TS_OK;
	}
	if (root < 0) {
		without_sys(c, why);
		return TS_OK;
	}
	network = ts_network_file_system(root);
	if (network)
		without(c,
			"no index is kept: %.380s is on a network file system, %s (--cache DIR names another place)",
			c->dir, network);
	else if (make && faccessat(root, ".", W_OK | X_OK, AT_EACCESS) < 0)
		without_sys(c, errno);
	close(root);
	return TS_OK;
}

static enum ts_code
init(struct ts_cache *c, const char *dir, int64_t cap, bool make, struct ts_err *err)
{
	enum ts_code code;

	*c = (struct ts_cache){.cap = cap};
	if (dir && strcmp(dir, "none") == 0)
		return TS_OK;
	errno = 0;
	c->dir = ts_cache_where(dir);
	if (!c->dir && (dir || errno == ENOMEM))
		return ts_err_nomem(err);
	if (!c->dir) {
		without(c, "no index is kept: there is no home directory (--cache DIR)");
		return TS_OK;
	}
	if (!*c->dir) {
		without(c, "no index is kept: --cache names no directory");
		return TS_OK;
	}
	code = try_root(c, make, err);
	if (code)
		ts_cache_fini(c);
	return code;
}

enum ts_code
ts_cache_init(struct ts_cache *c, const char *dir, int64_t cap, struct ts_err *err)
{
	return init(c, dir, cap, true, err);
}

enum ts_code
ts_cache_look(struct ts_cache *c, const char *dir, struct ts_err *err)
{
	return init(c, dir, INT64_MAX, false, err);
}

void
ts_cache_fini(struct ts_cache *c)
{
	free(c->dir);
	*c = (struct ts_cache){0};
}

enum ts_code
ts_cache_cannot(const struct ts_cache *c, int why, const char *what, struct ts_err *err)
{
	if (why == ENOMEM)
		return ts_err_nomem(err);
	return ts_err_sys(err, why, "the index in %s cannot be %s", c->dir, what);
}

/* --- folders ---------------------------------------------------------------------------------- */

/* Closes fd and keeps errno as `why`. */
static int
closed(int fd, int why)
{
	close(fd);
	errno = why;
	return -1;
}

/* A directory of our own; -1 and errno: EPERM when it is somebody else's. */
static int
open_dir(int at, const char *name)
{
	int fd = openat(at, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	struct stat st;

	if (fd < 0)
		return -1;
	if (fstat(fd, &st) < 0)
		return closed(fd, errno);
	return st.st_uid == geteuid() ? fd : closed(fd, EPERM);
}

char *
ts_cache_hosts(const struct ts_cache *c)
{
	return c->dir ? joined(c->dir, "/hosts") : NULL;
}

int
ts_cache_root(const struct ts_cache *c, bool make)
{
	char *path = joined(c->dir, "/index");
	int why, fd;

	if (!path)
		return -1;
	fd = open_dir(AT_FDCWD, path);
	if (fd < 0 && make && errno == ENOENT) {
		why = make_dirs(path);
		errno = why;
		fd = why ? -1 : open_dir(AT_FDCWD, path);
	}
	why = errno;
	free(path);
	errno = why;
	return fd;
}

void
ts_folder_name(char name[TS_FOLDER_NAME], const struct ts_report *r)
{
	const char *host = r->files ? r->files->host : "";
	/* with another vars.json the same file is another report, and so is a path on another host */
	XXH128_hash_t h = XXH3_128bits_withSeed(r->real, strlen(r->real),
		r->composition ^ (*host ? XXH3_64bits(host, strlen(host)) : 0));

	snprintf(name, TS_FOLDER_NAME, "%016llx%016llx", (unsigned long long)h.high64,
		(unsigned long long)h.low64);
}

int
ts_folder_open(int root, const char *name)
{
	return open_dir(root, name);
}

int
ts_cache_folder(const struct ts_cache *c, const struct ts_report *r, bool make)
{
	char name[TS_FOLDER_NAME];
	int root, fd, why;

	errno = ENOENT;
	if (!c || !c->dir || !r->real)
		return -1;
	root = ts_cache_root(c, make);
	if (root < 0)
		return -1;
	ts_folder_name(name, r);
	fd = open_dir(root, name);
	if (fd < 0 && errno == ENOENT && make) {
		if (mkdirat(root, name, 0700) == 0 || errno == EEXIST)
			fd = open_dir(root, name);
		if (fd >= 0)
			ts_folder_touch(fd);
	}
	why = errno;
	close(root);
	errno = why;
	return fd;
}

int
ts_open_own(int folder, const char *name, int flags)
{
	int fd = openat(folder, name, flags | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK | O_NOCTTY, 0600);
	struct stat st;

	if (fd < 0)
		return -1;
	if (fstat(fd, &st) < 0)
		return closed(fd, errno);
	return S_ISREG(st.st_mode) && st.st_uid == geteuid() ? fd : closed(fd, EPERM);
}

void
ts_folder_touch(int folder)
{
	int fd = ts_open_own(folder, "used", O_WRONLY | O_CREAT);

	if (fd < 0)
		return;
	futimens(fd, NULL);
	close(fd);
}

void
ts_random_name(char out[17])
{
	uint64_t v;

	if (getrandom(&v, sizeof(v), GRND_NONBLOCK) != (ssize_t)sizeof(v))
		v = (uint64_t)ts_clock_us() << 20 ^ (uint64_t)getpid() << 8 ^ (uintptr_t)out;
	snprintf(out, 17, "%016llx", (unsigned long long)v);
}

/* --- locks ------------------------------------------------------------------------------------ */

bool
ts_still_there(int fd, int folder, const char *name)
{
	struct stat a, b;

	return fstat(fd, &a) == 0 && fstatat(folder, name, &b, AT_SYMLINK_NOFOLLOW) == 0 &&
		a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

int
ts_folder_lock(int folder)
{
	for (int i = 0; i < LOCK_TRIES; i++) {
		int fd = ts_open_own(folder, "lock", O_RDWR | O_CREAT);

		if (fd < 0)
			return -1;
		if (flock(fd, LOCK_EX | LOCK_NB) < 0)
			return closed(fd, errno);
		/* who clears the cache removes the lock that it holds */
		if (ts_still_there(fd, folder, "lock"))
			return fd;
		close(fd);
	}
	errno = EWOULDBLOCK;
	return -1;
}

struct ts_index_lock {
	int fd;
};

enum ts_code
ts_index_lock_take(struct ts_index_lock **lock, bool *got, const struct ts_cache *cache,
	const struct ts_report *r, struct ts_err *err)
{
	int folder, fd = -1, why;

	*lock = NULL;
	*got = false;
	if (!cache || !cache->dir || !r->real)
		return ts_err_set(err, TS_E_ABSENT, "there is no cache directory");
	for (int i = 0; fd < 0 && i < LOCK_TRIES; i++) {
		folder = ts_cache_folder(cache, r, true);
		if (folder < 0)
			return ts_cache_cannot(cache, errno, "written", err);
		fd = ts_folder_lock(folder);
		why = errno;
		if (fd >= 0)
			ts_folder_sweep(folder);
		close(folder);
		if (fd < 0 && why == EWOULDBLOCK)
			return TS_OK;
		if (fd < 0 && why != ENOENT) /* ENOENT: the folder was being removed */
			return ts_cache_cannot(cache, why, "locked", err);
	}
	if (fd < 0)
		return TS_OK;
	*lock = ts_alloc(1, sizeof(**lock));
	if (!*lock) {
		close(fd);
		return ts_err_nomem(err);
	}
	(*lock)->fd = fd;
	*got = true;
	return TS_OK;
}

void
ts_index_lock_give(struct ts_index_lock *lock)
{
	if (!lock)
		return;
	close(lock->fd);
	free(lock);
}

/* --- removing --------------------------------------------------------------------------------- */

/* A writer holds the lock of its file, and of no other is the file worth keeping. */
static bool
is_being_written(int folder, const char *name)
{
	int fd = ts_open_own(folder, name, O_RDONLY);
	bool locked = fd >= 0 && flock(fd, LOCK_EX | LOCK_NB) < 0;

	if (fd >= 0)
		close(fd);
	return locked;
}

/* Remove the files of a folder whose names end so and that nobody writes. */
static void
remove_files(int folder, const char *end)
{
	int fd = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *d = fd < 0 ? NULL : fdopendir(fd);
	const struct dirent *e;

	if (!d) {
		if (fd >= 0)
			close(fd);
		return;
	}
	while ((e = readdir(d)))
		if (ts_ends_with(e->d_name, end) && !is_being_written(folder, e->d_name))
			unlinkat(folder, e->d_name, 0);
	closedir(d);
}

void
ts_folder_sweep(int folder)
{
	remove_files(folder, ".tmp");
}

bool
ts_folder_remove(int root, const char *name)
{
	int folder = open_dir(root, name), lock;
	bool removed;

	if (folder < 0)
		return false;
	lock = ts_folder_lock(folder);
	if (lock < 0) {
		close(folder);
		return false;
	}
	remove_files(folder, ".idx");
	remove_files(folder, ".tmp");
	unlinkat(folder, "used", 0);
	unlinkat(folder, "lock", 0);
	removed = unlinkat(root, name, AT_REMOVEDIR) == 0;
	close(lock);
	close(folder);
	return removed;
}
