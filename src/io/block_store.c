/* SPDX-License-Identifier: MIT */
/*
 * block_store - see the header.
 *
 * The file: a head with the name of whose blocks they are, a table with an entry for each place, the places. An entry is written behind its block, so that one which
 * is there without its block has a checksum that does not agree. The head is written last when a store is emptied.
 *
 * It is opened from its directory, never through a link, and used only when it is plain and our own. Whoever holds its lock
 * writes.
 */
#include "config.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

#include "tilescope/base/mem.h"
#include "tilescope/io/block_store.h"
#include "tilescope/io/network.h"

enum {
	LAYOUT = 2,
	HEAD_BYTES = 4096,
	NAME = 40,
	FILES_MAX = 4096, /* looked at in a directory */
	BUCKETS = 2 * TS_STORE_BLOCKS,
	NOBODY = -1,
	/* first bytes of pages that lead to rows */
	INTERIOR_INDEX = 2,
	INTERIOR_TABLE = 5,
};

#define SUFFIX ".blocks"

struct head {
	char magic[8];
	uint32_t version, block;
	uint64_t places;
	int64_t size, mtime;
	uint64_t first; /* hash of the first page */
	uint64_t name_n,
		name_check; /* bytes of the name behind the head, 0 = it was too long; their hash */
	uint64_t check;	    /* of all before it */
};

enum { NAME_BYTES = HEAD_BYTES - (int)sizeof(struct head) };

struct entry {
	uint64_t unit; /* + 1; 0 = nothing is there */
	uint64_t check;
};

struct ts_block_store {
	pthread_mutex_t
		lock; /* of all that follows but the file; never held while that is read or written */
	int fd;
	bool writes;
	int used; /* places */
	int hand; /* where the next one is that has to go */
	struct entry entry[TS_STORE_BLOCKS];
	bool leads[TS_STORE_BLOCKS]; /* to rows; of those that were put here now */
	int next[TS_STORE_BLOCKS];
	int bucket[BUCKETS];
};

static const char magic[8] = "tsblock\n";

static off_t
entry_at(int place)
{
	return HEAD_BYTES + (off_t)place * (off_t)sizeof(struct entry);
}

static off_t
block_at(int place)
{
	return entry_at(TS_STORE_BLOCKS) + (off_t)place * TS_STORE_BLOCK;
}

static uint64_t
check_of(int64_t unit, const void *bytes, size_t n)
{
	return XXH3_64bits_withSeed(bytes, n, (uint64_t)unit);
}

static bool
read_all(int fd, void *to, size_t n, off_t at)
{
	return pread(fd, to, n, at) == (ssize_t)n;
}

static bool
write_all(int fd, const void *from, size_t n, off_t at)
{
	return pwrite(fd, from, n, at) == (ssize_t)n;
}

/* --- which place ------------------------------------------------------------------------------ */

static int *
bucket_of(struct ts_block_store *s, uint64_t unit)
{
	return &s->bucket[(unit * UINT64_C(0x9e3779b97f4a7c15) >> 32) % BUCKETS];
}

static int
find(struct ts_block_store *s, int64_t unit)
{
	int i = *bucket_of(s, (uint64_t)unit + 1);

	while (i != NOBODY && s->entry[i].unit != (uint64_t)unit + 1)
		i = s->next[i];
	return i;
}

static void
insert(struct ts_block_store *s, int place)
{
	int *bucket = bucket_of(s, s->entry[place].unit);

	s->next[place] = *bucket;
	*bucket = place;
}

static void
take_out(struct ts_block_store *s, int place)
{
	int *at = bucket_of(s, s->entry[place].unit);

	while (*at != NOBODY && *at != place)
		at = &s->next[*at];
	if (*at == place)
		*at = s->next[place];
	s->entry[place].unit = 0;
}

/* A place for a block; NOBODY: all have what is worth more. */
static int
free_place(struct ts_block_store *s, bool scan)
{
	if (s->used < TS_STORE_BLOCKS)
		return s->used++;
	for (int i = 0; i < TS_STORE_BLOCKS && !scan; i++) {
		int at = s->hand;

		s->hand = (s->hand + 1) % TS_STORE_BLOCKS;
		if (s->leads[at])
			continue;
		if (s->entry[at].unit)
			take_out(s, at);
		return at;
	}
	return NOBODY;
}

/* --- opening ---------------------------------------------------------------------------------- */

static uint64_t
head_check(const struct head *h)
{
	return XXH3_64bits(h, offsetof(struct head, check));
}

/* "HOST:PATH", zeros behind it; its length, or 0. */
static size_t
make_text(char text[NAME_BYTES], const struct ts_block_store_of *of)
{
	int n;

	memset(text, 0, NAME_BYTES);
	n = snprintf(text, NAME_BYTES, "%s:%s", of->host, of->path);
	return n > 0 && n < NAME_BYTES ? (size_t)n : 0;
}

static void
make_head(struct head *h, const struct ts_block_store_of *of, const char text[NAME_BYTES], size_t n)
{
	memset(h, 0, sizeof(*h));
	h->name_n = n;
	h->name_check = XXH3_64bits(text, n);
	memcpy(h->magic, magic, sizeof(magic));
	h->version = LAYOUT;
	h->block = TS_STORE_BLOCK;
	h->places = TS_STORE_BLOCKS;
	h->size = of->size;
	h->mtime = of->mtime;
	h->first = XXH3_64bits(of->first, of->first_n);
	h->check = head_check(h);
}

static void
make_name(char name[NAME + sizeof(SUFFIX)], const struct ts_block_store_of *of)
{
	XXH64_hash_t host = XXH3_64bits(of->host, strlen(of->host));
	XXH128_hash_t h = XXH3_128bits_withSeed(of->path, strlen(of->path), host);

	snprintf(name, NAME + sizeof(SUFFIX), "%016llx%016llx%s", (unsigned long long)h.high64,
		(unsigned long long)h.low64, SUFFIX);
}

/* The directory, our own and here; -1. */
static int
open_dir(const char *path, bool make)
{
	struct stat st;
	int fd;

	if (make && mkdir(path, 0700) < 0 && errno != EEXIST)
		return -1;
	fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd >= 0 &&
		(fstat(fd, &st) < 0 || st.st_uid != geteuid() || ts_network_file_system(fd))) {
		close(fd);
		fd = -1;
	}
	return fd;
}

static int
open_own(int dir, const char *name, int flags)
{
	int fd = openat(dir, name, flags | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK | O_NOCTTY, 0600);
	struct stat st;

	if (fd >= 0 && (fstat(fd, &st) < 0 || !S_ISREG(st.st_mode) || st.st_uid != geteuid())) {
		close(fd);
		fd = -1;
	}
	return fd;
}

/* The entries of a store of this state; those that cannot be are left out. */
static bool
read_entries(struct ts_block_store *s, const struct head *want)
{
	struct head h;
	int64_t units = want->size / TS_STORE_BLOCK + (want->size % TS_STORE_BLOCK != 0);

	if (!read_all(s->fd, &h, sizeof(h), 0) || memcmp(&h, want, sizeof(h)) != 0 ||
		!read_all(s->fd, s->entry, sizeof(s->entry), entry_at(0)))
		return false;
	for (int i = 0; i < TS_STORE_BLOCKS; i++) {
		uint64_t unit = s->entry[i].unit;

		if (unit == 0)
			continue;
		s->used = i + 1;
		if (unit > (uint64_t)units || find(s, (int64_t)unit - 1) != NOBODY)
			s->entry[i].unit = 0;
		else
			insert(s, i);
	}
	return true;
}

static bool
make_empty(struct ts_block_store *s, const struct head *h, const char *text)
{
	memset(s->entry, 0, sizeof(s->entry));
	s->used = 0;
	for (int i = 0; i < BUCKETS; i++)
		s->bucket[i] = NOBODY;
	return s->writes && ftruncate(s->fd, 0) == 0 && ftruncate(s->fd, block_at(0)) == 0 &&
		write_all(s->fd, text, h->name_n, sizeof(*h)) && write_all(s->fd, h, sizeof(*h), 0);
}

/* --- all stores of a directory ---------------------------------------------------------------- */

struct kept {
	char name[NAME + sizeof(SUFFIX)];
	int64_t bytes;
	struct timespec used;
};

static int
oldest_first(const void *a, const void *b)
{
	const struct kept *x = a, *y = b;

	if (x->used.tv_sec != y->used.tv_sec)
		return x->used.tv_sec < y->used.tv_sec ? -1 : 1;
	return (x->used.tv_nsec > y->used.tv_nsec) - (x->used.tv_nsec < y->used.tv_nsec);
}

static bool
is_store_name(const char *name)
{
	size_t n = strlen(name), suffix = sizeof(SUFFIX) - 1;

	return n < NAME + suffix && n > suffix && strcmp(name + n - suffix, SUFFIX) == 0;
}

/* Those of a directory, which is not closed; free() them. */
static struct kept *
list_stores(int *count, int64_t *bytes, int dir)
{
	struct kept *all = ts_alloc(FILES_MAX, sizeof(*all));
	int fd = openat(dir, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *d = fd < 0 ? NULL : fdopendir(fd);
	const struct dirent *e;
	struct stat st;

	*count = 0;
	*bytes = 0;
	if (!d && fd >= 0)
		close(fd);
	while (all && d && *count < FILES_MAX && (e = readdir(d))) {
		if (!is_store_name(e->d_name) ||
			fstatat(dir, e->d_name, &st, AT_SYMLINK_NOFOLLOW) < 0 ||
			!S_ISREG(st.st_mode))
			continue;
		snprintf(all[*count].name, sizeof(all->name), "%.*s", (int)sizeof(all->name) - 1,
			e->d_name);
		all[*count].bytes = st.st_size;
		all[(*count)++].used = st.st_mtim;
		*bytes += st.st_size;
	}
	if (d)
		closedir(d);
	return all;
}

/* Remove those used least recently, but not `mine` (or NULL), until `cap` bytes are left (-1: all); what was removed. */
static int64_t
remove_oldest(int dir, int64_t cap, const char *mine, size_t *removed)
{
	int count;
	int64_t bytes, before;
	struct kept *all = list_stores(&count, &bytes, dir);

	before = bytes;
	*removed = 0;
	if (all)
		qsort(all, (size_t)count, sizeof(*all), oldest_first);
	for (int i = 0; all && i < count && bytes > cap; i++) {
		int fd;

		if (mine && strcmp(all[i].name, mine) == 0)
			continue;
		fd = open_own(dir, all[i].name, O_RDWR);
		if (fd >= 0 && flock(fd, LOCK_EX | LOCK_NB) == 0 &&
			unlinkat(dir, all[i].name, 0) == 0) {
			bytes -= all[i].bytes;
			(*removed)++;
		}
		if (fd >= 0)
			close(fd);
	}
	free(all);
	return before - bytes;
}

int64_t
ts_block_stores_clear(const char *path, size_t *removed)
{
	int dir = open_dir(path, false);
	size_t count = 0;
	int64_t n = dir < 0 ? 0 : remove_oldest(dir, -1, NULL, &count);

	if (dir >= 0)
		close(dir);
	if (removed)
		*removed = count;
	return n;
}

/* The name that stands in a store; the caller's. NULL: none, or it is not to be believed. */
static char *
read_name(int dir, const char *name)
{
	int fd = open_own(dir, name, O_RDONLY);
	char text[NAME_BYTES];
	struct head h;
	bool right = fd >= 0 && read_all(fd, &h, sizeof(h), 0) &&
		memcmp(h.magic, magic, sizeof(magic)) == 0 && h.version == LAYOUT &&
		h.check == head_check(&h) && h.name_n > 0 && h.name_n < NAME_BYTES &&
		read_all(fd, text, h.name_n, sizeof(h)) &&
		XXH3_64bits(text, h.name_n) == h.name_check && !memchr(text, 0, h.name_n);

	if (fd >= 0)
		close(fd);
	return right ? ts_strndup(text, h.name_n) : NULL;
}

enum ts_code
ts_block_stores_list(struct ts_block_store_kept **all, size_t *count, const char *path,
	struct ts_err *err)
{
	int dir = open_dir(path, false), n = 0;
	int64_t bytes;
	struct kept *stores = dir < 0 ? NULL : list_stores(&n, &bytes, dir);
	enum ts_code code = TS_OK;

	*count = 0;
	*all = ts_alloc((size_t)n, sizeof(**all));
	if ((dir >= 0 && !stores) || (n > 0 && !*all))
		code = ts_err_nomem(err);
	if (!code && n > 0)
		qsort(stores, (size_t)n, sizeof(*stores), oldest_first);
	for (int i = n; !code && i-- > 0;)
		(*all)[(*count)++] = (struct ts_block_store_kept){read_name(dir, stores[i].name),
			stores[i].bytes, stores[i].used.tv_sec};
	free(stores);
	if (dir >= 0)
		close(dir);
	return code;
}

void
ts_block_stores_free(struct ts_block_store_kept *all, size_t count)
{
	for (size_t i = 0; all && i < count; i++)
		free(all[i].of);
	free(all);
}

int64_t
ts_block_stores_bytes(const char *path)
{
	int dir = open_dir(path, false), count;
	int64_t bytes = 0;

	if (dir < 0)
		return 0;
	free(list_stores(&count, &bytes, dir));
	close(dir);
	return bytes;
}

struct ts_block_store *
ts_block_store_open(const char *path, const struct ts_block_store_of *of)
{
	char name[NAME + sizeof(SUFFIX)];
	struct ts_block_store *s = ts_alloc(1, sizeof(*s));
	int dir = s ? open_dir(path, true) : -1;
	char text[NAME_BYTES];
	struct head h;
	size_t gone;

	if (dir < 0 || pthread_mutex_init(&s->lock, NULL)) {
		if (dir >= 0)
			close(dir);
		free(s);
		return NULL;
	}
	make_name(name, of);
	make_head(&h, of, text, make_text(text, of));
	(void)remove_oldest(dir, TS_STORES_BYTES, name, &gone);
	s->fd = open_own(dir, name, O_RDWR | O_CREAT);
	close(dir);
	for (int i = 0; i < BUCKETS; i++)
		s->bucket[i] = NOBODY;
	if (s->fd >= 0) {
		s->writes = flock(s->fd, LOCK_EX | LOCK_NB) == 0;
		if (s->writes)
			(void)futimens(s->fd, NULL);
		if (read_entries(s, &h) || make_empty(s, &h, text))
			return s;
	}
	ts_block_store_close(s);
	return NULL;
}

bool
ts_block_store_is_there(const char *path, const char *host, const char *file)
{
	const struct ts_block_store_of of = {.host = host, .path = file};
	char name[NAME + sizeof(SUFFIX)];
	int dir = open_dir(path, false);
	bool there;

	make_name(name, &of);
	there = dir >= 0 && faccessat(dir, name, F_OK, AT_SYMLINK_NOFOLLOW) == 0;
	if (dir >= 0)
		close(dir);
	return there;
}

void
ts_block_store_close(struct ts_block_store *s)
{
	if (!s)
		return;
	if (s->fd >= 0)
		close(s->fd);
	pthread_mutex_destroy(&s->lock);
	free(s);
}

/* --- blocks ----------------------------------------------------------------------------------- */

static bool
is_interior(const void *bytes)
{
	int first = *(const unsigned char *)bytes;

	return first == INTERIOR_TABLE || first == INTERIOR_INDEX;
}

bool
ts_block_store_has(struct ts_block_store *s, int64_t unit)
{
	bool has;

	if (!s)
		return false;
	pthread_mutex_lock(&s->lock);
	has = find(s, unit) != NOBODY;
	pthread_mutex_unlock(&s->lock);
	return has;
}

bool
ts_block_store_get(struct ts_block_store *s, int64_t unit, void *bytes, size_t n)
{
	struct entry e = {0};
	int place;
	bool right;

	if (!s || n == 0 || n > TS_STORE_BLOCK)
		return false;
	pthread_mutex_lock(&s->lock);
	place = find(s, unit);
	if (place != NOBODY)
		e = s->entry[place];
	pthread_mutex_unlock(&s->lock);
	if (place == NOBODY)
		return false;
	right = read_all(s->fd, bytes, n, block_at(place)) && check_of(unit, bytes, n) == e.check;
	pthread_mutex_lock(&s->lock);
	/* another block may have its place by now */
	if (s->entry[place].unit == e.unit && s->entry[place].check == e.check) {
		if (right)
			s->leads[place] = is_interior(bytes);
		else
			take_out(s, place);
	}
	pthread_mutex_unlock(&s->lock);
	return right;
}

/* A place for a block that is not there yet; NOBODY: none. */
static int
take_place(struct ts_block_store *s, int64_t unit, bool scan)
{
	int place = NOBODY;

	pthread_mutex_lock(&s->lock);
	if (s->writes && find(s, unit) == NOBODY)
		place = free_place(s, scan);
	pthread_mutex_unlock(&s->lock);
	return place;
}

void
ts_block_store_put(struct ts_block_store *s, int64_t unit, const void *bytes, size_t n, bool scan)
{
	struct entry e = {(uint64_t)unit + 1, 0};
	int place = s && n > 0 && n <= TS_STORE_BLOCK ? take_place(s, unit, scan) : NOBODY;
	bool written;

	if (place == NOBODY)
		return;
	e.check = check_of(unit, bytes, n);
	written = write_all(s->fd, bytes, n, block_at(place)) &&
		write_all(s->fd, &e, sizeof(e), entry_at(place));
	pthread_mutex_lock(&s->lock);
	if (written) {
		s->entry[place] = e;
		s->leads[place] = is_interior(bytes);
		insert(s, place);
	} else {
		s->writes = false; /* no room, as a rule: what is there is still read */
	}
	pthread_mutex_unlock(&s->lock);
}
