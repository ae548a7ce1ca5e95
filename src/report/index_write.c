/* SPDX-License-Identifier: MIT */
/*
 * index_write - a section is written under a temporary name and takes its own when it is whole.
 *
 * The head comes last: until then the file begins with zeros, so that even one that got its name by an
 * accident would not be taken for a section. Memory that is mapped for writing gets its blocks first: on a
 * full disk that is an error here instead of a signal later.
 */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tilescope/base/mem.h"
#include "tilescope/io/sync.h"

#include "index_internal.h"

enum { ROOMS = 8, TRIES = 8, SPILL_IN_MEMORY = 4 << 20 };

struct ts_section_writer {
	const struct ts_cache *cache;
	const struct ts_report *report;
	const struct ts_cancel *cancel; /* or NULL */
	enum ts_section section;
	int folder, fd;
	char name[TS_FILE_NAME]; /* the temporary one; "" = there is none */
	size_t head_bytes;
	_Atomic uint64_t end; /* of the payload */
	atomic_bool failed;
	struct {
		void *base;
		size_t size;
	} room[ROOMS];
	int rooms;
};

static enum ts_code
cannot(const struct ts_cache *cache, int why, struct ts_err *err)
{
	return ts_cache_cannot(cache, why, "written", err);
}

static void
writer_free(struct ts_section_writer *w)
{
	for (int i = 0; i < w->rooms; i++)
		munmap(w->room[i].base, w->room[i].size);
	if (w->name[0])
		unlinkat(w->folder, w->name, 0);
	if (w->fd >= 0)
		close(w->fd);
	if (w->folder >= 0)
		close(w->folder);
	free(w);
}

/* A file of its own, locked so that nobody takes it for a left-over: 0 or errno. */
static int
open_temporary(struct ts_section_writer *w)
{
	char random[17];

	for (int i = 0; i < TRIES; i++) {
		ts_random_name(random);
		snprintf(w->name, sizeof(w->name), "%s.%s.tmp", ts_section_name(w->section),
			random);
		w->fd = openat(w->folder, w->name,
			O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
		if (w->fd < 0) {
			w->name[0] = '\0';
			return errno;
		}
		if (flock(w->fd, LOCK_EX | LOCK_NB) == 0 &&
			ts_still_there(w->fd, w->folder, w->name))
			return 0;
		close(w->fd); /* somebody was about to sweep it away */
		w->fd = -1;
		w->name[0] = '\0';
	}
	return EAGAIN;
}

enum ts_code
ts_section_create(struct ts_section_writer **out, const struct ts_cache *cache,
	const struct ts_report *r, enum ts_section s, struct ts_err *err)
{
	struct ts_section_writer *w;
	int why;

	*out = NULL;
	if (!cache || !cache->dir)
		return ts_err_set(err, TS_E_ABSENT, "there is no cache directory");
	if (ts_section_head_size(r) == 0)
		return ts_err_set(err, TS_E_ABSENT, "the report has no path to keep an index by");
	w = ts_alloc(1, sizeof(*w));
	if (!w)
		return ts_err_nomem(err);
	w->cache = cache;
	w->report = r;
	w->section = s;
	w->head_bytes = ts_section_head_size(r);
	w->fd = -1;
	w->folder = ts_cache_folder(cache, r, true);
	why = w->folder < 0 ? errno : open_temporary(w);
	if (why) {
		writer_free(w);
		return cannot(cache, why, err);
	}
	*out = w;
	return TS_OK;
}

/* 0 or errno. */
static int
write_whole(int fd, const void *bytes, size_t n, uint64_t offset)
{
	for (size_t done = 0; done < n;) {
		ssize_t r = pwrite(fd, (const char *)bytes + done, n - done,
			(off_t)(offset + done));

		if (r < 0 && errno == EINTR)
			continue;
		if (r <= 0)
			return r < 0 ? errno : ENOSPC;
		done += (size_t)r;
	}
	return 0;
}

static enum ts_code
write_at(struct ts_section_writer *w, uint64_t offset, const void *bytes, size_t n,
	struct ts_err *err)
{
	int why = write_whole(w->fd, bytes, n, w->head_bytes + offset);

	if (!why)
		return TS_OK;
	atomic_store(&w->failed, true);
	return cannot(w->cache, why, err);
}

/* Room at the end, a multiple of 8. */
static uint64_t
reserve(struct ts_section_writer *w, size_t n)
{
	return atomic_fetch_add(&w->end, ((uint64_t)n + 7) / 8 * 8);
}

enum ts_code
ts_section_append(struct ts_section_writer *w, uint64_t *offset, const void *bytes, size_t n,
	struct ts_err *err)
{
	uint64_t at = reserve(w, n);

	if (offset)
		*offset = at;
	return write_at(w, at, bytes, n, err);
}

enum ts_code
ts_section_put(struct ts_section_writer *w, uint64_t offset, const void *bytes, size_t n,
	struct ts_err *err)
{
	uint64_t end = atomic_load(&w->end);

	if (offset > end || n > end - offset)
		return ts_err_set(err, TS_E_LIMIT, "written behind the end of a section");
	return write_at(w, offset, bytes, n, err);
}

enum ts_code
ts_section_put_arrays(struct ts_section_writer *w, const void *head, size_t size,
	const struct ts_section_array *array, size_t arrays, struct ts_err *err)
{
	uint64_t at;
	enum ts_code code = ts_section_append(w, &at, head, size, err);

	for (size_t i = 0; !code && i < arrays; i++)
		code = ts_section_append(w, array[i].at, array[i].n ? array[i].bytes : "",
			array[i].n, err);
	return code ? code : ts_section_put(w, at, head, size, err);
}

/* Blocks for n bytes at `offset`: 0 or errno. */
static int
allocate(int fd, uint64_t offset, size_t n)
{
	int why;

	do
		why = n ? posix_fallocate(fd, (off_t)offset, (off_t)n) : 0;
	while (why == EINTR);
	return why;
}

enum ts_code
ts_section_room(struct ts_section_writer *w, uint64_t *offset, void **memory, size_t size,
	struct ts_err *err)
{
	uint64_t at = reserve(w, size), file = w->head_bytes + at;
	size_t before = (size_t)(file % (uint64_t)sysconf(_SC_PAGESIZE));
	int why = 0;
	void *base;

	*memory = NULL;
	if (offset)
		*offset = at;
	if (w->rooms == ROOMS)
		return ts_err_set(err, TS_E_LIMIT, "too many rooms in one section");
	if (size > SIZE_MAX / 4)
		why = EFBIG;
	if (!why)
		why = allocate(w->fd, file, size ? size : 1);
	base = why ? MAP_FAILED
		   : mmap(NULL, before + (size ? size : 1), PROT_READ | PROT_WRITE, MAP_SHARED,
			     w->fd, (off_t)(file - before));
	if (base == MAP_FAILED) {
		atomic_store(&w->failed, true);
		return cannot(w->cache, why ? why : errno, err);
	}
	w->room[w->rooms].base = base;
	w->room[w->rooms++].size = before + (size ? size : 1);
	*memory = (char *)base + before;
	return TS_OK;
}

void
ts_section_set_cancel(struct ts_section_writer *w, const struct ts_cancel *cancel)
{
	w->cancel = cancel;
}

/* Checksum, head, sync. */
static enum ts_code
complete(struct ts_section_writer *w, struct ts_err *err)
{
	uint64_t bytes = atomic_load(&w->end), hash;
	unsigned char *head;
	enum ts_code code;
	bool sound;
	int why;

	if (atomic_load(&w->failed))
		return ts_err_set(err, TS_E_SYS, "the index in %s could not be written",
			w->cache->dir);
	if (ftruncate(w->fd, (off_t)(w->head_bytes + bytes)) < 0)
		return cannot(w->cache, errno, err);
	code = ts_file_hash(&hash, &sound, w->fd, w->head_bytes, bytes, w->cancel, err);
	if (code)
		return code;
	if (!sound)
		return cannot(w->cache, EIO, err);
	head = ts_alloc(w->head_bytes, 1);
	if (!head)
		return ts_err_nomem(err);
	ts_section_head_make(head, w->report, w->section, bytes, hash);
	why = write_whole(w->fd, head, w->head_bytes, 0);
	free(head);
	if (!why) {
		struct ts_err own = {0};

		code = ts_sync(w->fd, w->cancel, &own);
		if (code == TS_E_CANCELLED && err)
			*err = own;
		if (code == TS_E_CANCELLED)
			return code;
		why = code ? own.sys : 0;
	}
	return why ? cannot(w->cache, why, err) : TS_OK;
}

/* Give it its name. A directory that stands in the way goes, if it is empty. */
static enum ts_code
publish(struct ts_section_writer *w, struct ts_err *err)
{
	char name[TS_FILE_NAME];

	if (ts_report_changed(w->report))
		return ts_err_set(err, TS_E_STALE, "the report has changed");
	ts_section_file(name, w->section);
	if (renameat(w->folder, w->name, w->folder, name) < 0 &&
		(errno != EISDIR || unlinkat(w->folder, name, AT_REMOVEDIR) < 0 ||
			renameat(w->folder, w->name, w->folder, name) < 0))
		return cannot(w->cache, errno, err);
	w->name[0] = '\0';
	/* a file system that cannot sync a directory loses the name, not the truth */
	(void)!fsync(w->folder);
	return TS_OK;
}

enum ts_code
ts_section_commit(struct ts_section_writer *w, struct ts_err *err)
{
	enum ts_code code;

	while (w->rooms > 0) {
		w->rooms--;
		munmap(w->room[w->rooms].base, w->room[w->rooms].size);
	}
	code = complete(w, err);
	if (!code)
		code = publish(w, err);
	if (!code) {
		ts_cache_evict(w->cache, w->report, w->section);
	}
	writer_free(w);
	return code;
}

void
ts_section_abandon(struct ts_section_writer *w)
{
	if (w)
		writer_free(w);
}

/* --- memory that is not memory ---------------------------------------------------------------- */

/* A file without a name; -1 and errno. */
static int
unnamed(int dir)
{
	char random[17], name[TS_FILE_NAME];
	int fd = openat(dir, ".", O_TMPFILE | O_RDWR | O_EXCL | O_CLOEXEC, 0600);

	if (fd >= 0)
		return fd;
	ts_random_name(random);
	snprintf(name, sizeof(name), "spill.%s.tmp", random);
	fd = openat(dir, name, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (fd >= 0)
		unlinkat(dir, name, 0);
	return fd;
}

/* A file in the cache directory or else (`cache` NULL) in that for temporary files; -1 and errno. */
static int
spill_file(const struct ts_cache *cache)
{
	const char *tmp = getenv("TMPDIR");
	int dir = cache
		? ts_cache_root(cache, true)
		: open(tmp && tmp[0] == '/' ? tmp : "/tmp", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	int fd, why;

	if (dir < 0)
		return -1;
	fd = unnamed(dir);
	why = errno;
	close(dir);
	errno = why;
	return fd;
}

/* As ts_spill_new(), in one place; returns MAP_FAILED and errno. */
static void *
spill_to(const struct ts_cache *cache, size_t size)
{
	int fd = spill_file(cache), why;
	void *base = MAP_FAILED;

	if (fd < 0)
		return base;
	why = allocate(fd, 0, size);
	if (!why) {
		base = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
		why = errno;
	}
	close(fd);
	errno = why;
	return base;
}

enum ts_code
ts_spill_new(void **memory, const struct ts_cache *cache, size_t size, struct ts_err *err)
{
	void *base = MAP_FAILED;

	*memory = NULL;
	size = size ? size : 1;
	errno = EFBIG;
	if (size <= SIZE_MAX / 4 && cache && cache->dir)
		base = spill_to(cache, size);
	if (base == MAP_FAILED && size <= SIZE_MAX / 4)
		base = spill_to(NULL, size);
	if (base == MAP_FAILED &&
		size <= SPILL_IN_MEMORY) { /* both are full: a little is had all the same */
		int why = errno;

		base = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		errno = why;
	}
	if (base == MAP_FAILED)
		return ts_err_sys(err, errno, "no room for %zu bytes of work", size);
	*memory = base;
	return TS_OK;
}

/* Small ones may have no file: their bytes would be gone. */
void
ts_spill_rest(void *memory, size_t size)
{
	if (memory && size > SPILL_IN_MEMORY)
		(void)madvise(memory, size, MADV_DONTNEED);
}

void
ts_spill_free(void *memory, size_t size)
{
	if (memory)
		munmap(memory, size ? size : 1);
}
