/* SPDX-License-Identifier: MIT */
/*
 * elf_helper - the process that has libelf look at the members of an archive.
 *
 * It was started with the archive, questions and a way to answer, and nothing else; it gives up the right to open files, to write
 * any, to start processes, and all memory and time that a tile's file cannot need. Whatever the bytes
 * make of libelf then ends this process and costs one tile.
 *
 * The archive is mapped privately, one window at a time: most pages of a member are never looked at, and
 * a mapping for each member would cost more than reading it. An archive that becomes shorter meanwhile
 * ends the helper: the kernel ends a process that touches a page behind the end of a file.
 */
#include "config.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <unistd.h>

#include "tilescope/base/mem.h"
#include "tilescope/format/elf_helper.h"

/* Sanitizers reserve terabytes: gcc says that it has them by macros, clang by features. */
#ifndef __has_feature
#define __has_feature(x) 0
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) ||           \
	__has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || \
	__has_feature(memory_sanitizer)
#define MAPS_THE_WORLD 1
#else
#define MAPS_THE_WORLD 0
#endif

enum {
	SECONDS = 1,	   /* of the processor, for one tile */
	SECONDS_ALL = 600, /* for an archive */
	WINDOW = 16 << 20, /* bytes of the archive that are mapped at once, a larger member apart */
	MEMORY = 320
		<< 20, /* bytes of address space: a member, what libelf makes of it, ourselves */
};

/* The part of the archive that is mapped: bytes [offset, offset + size). */
struct window {
	char *map;
	int64_t offset, size;
};

bool
ts_elf_reply_check(const struct ts_elf_reply *r)
{
	bool code = r->code == TS_OK || r->code == TS_E_FORMAT || r->code == TS_E_DAMAGED ||
		r->code == TS_E_LIMIT || r->code == TS_E_SYS;

	return r->hello == TS_ELF_HELLO && code && r->text >= -1 && r->text < INT64_C(1) << 48 &&
		r->function_bytes >= 0 && r->section_count <= TS_ELF_SECTIONS &&
		r->section_count <= r->sections && r->function_count <= TS_ELF_FUNCTIONS &&
		r->function_count <= r->functions && memchr(r->why, '\0', sizeof(r->why));
}

static void
limit(int what, rlim_t to)
{
	(void)setrlimit((__rlimit_resource_t)what, &(struct rlimit){to, to});
}

/* What of it the system does not grant stays as it was: the others hold. */
static void
limit_itself(void)
{
	limit(RLIMIT_NOFILE, 0);
	limit(RLIMIT_FSIZE, 0);
	limit(RLIMIT_CORE, 0);
	limit(RLIMIT_NPROC, 0);
	limit(RLIMIT_CPU, SECONDS_ALL);
	if (!MAPS_THE_WORLD)
		limit(RLIMIT_AS, MEMORY);
	(void)prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
}

static bool
get_all(void *out, size_t n)
{
	for (size_t got = 0; got < n;) {
		ssize_t r = read(TS_ELF_QUESTIONS, (char *)out + got, n - got);

		if (r < 0 && errno == EINTR)
			continue;
		if (r <= 0)
			return false;
		got += (size_t)r;
	}
	return true;
}

static bool
put_all(const void *bytes, size_t n)
{
	for (size_t put = 0; put < n;) {
		ssize_t r = write(TS_ELF_ANSWERS, (const char *)bytes + put, n - put);

		if (r < 0 && errno == EINTR)
			continue;
		if (r <= 0)
			return false;
		put += (size_t)r;
	}
	return true;
}

/* From now on the process may use this many seconds of a processor; SIGVTALRM ends it then. */
static void
allow(int seconds)
{
	(void)setitimer(ITIMER_VIRTUAL, &(struct itimerval){{0, 0}, {seconds, 0}}, NULL);
}

/* Move the window so that bytes [offset, offset + size) of the archive are in it. */
static bool
window_move(struct window *w, int64_t offset, int64_t size)
{
	int64_t before = offset % sysconf(_SC_PAGESIZE);
	int64_t length = ts_max_i64(size + before, WINDOW);
	void *map;

	if (w->map && offset >= w->offset && size <= w->offset + w->size - offset)
		return true;
	if (w->map)
		munmap(w->map, (size_t)w->size);
	map = mmap(NULL, (size_t)length, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_NORESERVE,
		TS_ELF_ARCHIVE, offset - before);
	*w = (struct window){map == MAP_FAILED ? NULL : map, offset - before, length};
	return w->map != NULL;
}

static enum ts_code
read_member(struct ts_elf_tile *t, struct window *w, const struct ts_elf_request *q,
	struct ts_err *err)
{
	*t = (struct ts_elf_tile){.text = -1};
	if (q->offset < 0 || q->size <= 0)
		return ts_err_set(err, TS_E_DAMAGED, "an empty member");
	if (q->size > TS_ELF_BYTES_MAX)
		return ts_err_set(err, TS_E_LIMIT, "larger than %d MiB", TS_ELF_BYTES_MAX >> 20);
	if (!window_move(w, q->offset, q->size))
		return ts_err_sys(err, errno, "cannot map it");
	allow(SECONDS);
	return ts_elf_tile_read(t, w->map + (q->offset - w->offset), (size_t)q->size, q->details,
		err);
}

static bool
answer(struct window *w, const struct ts_elf_request *q)
{
	struct ts_elf_reply r = {.hello = TS_ELF_HELLO};
	struct ts_elf_tile t;
	struct ts_err err = {0};

	r.code = read_member(&t, w, q, &err);
	r.text = t.text;
	r.function_bytes = t.function_bytes;
	r.sections = t.sections;
	r.functions = t.functions;
	r.section_count = (uint32_t)t.section_count;
	r.function_count = (uint32_t)t.function_count;
	memcpy(r.why, err.msg, sizeof(r.why) - 1);
	return put_all(&r, sizeof(r)) &&
		put_all(t.section, r.section_count * sizeof(t.section[0])) &&
		put_all(t.function, r.function_count * sizeof(t.function[0]));
}

int
ts_elf_helper(void)
{
	const uint32_t hello = TS_ELF_HELLO;
	struct ts_elf_request q;
	struct window w = {0};

	limit_itself();
	if (!put_all(&hello, sizeof(hello)))
		return 1;
	while (get_all(&q, sizeof(q)) && q.hello == TS_ELF_HELLO)
		if (!answer(&w, &q))
			return 1;
	return 0;
}
