/* SPDX-License-Identifier: MIT */
/*
 * Sections of an index: written and read back; and every file that is not one, or not this report's, is not
 * used: truncated, changed, of another report, version or machine, no plain file. Writers that are killed, that
 * meet each other, or a disk that is full.
 */
#include "config.h"

#include <check.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <xxhash.h>

#include "index_dir.h"

enum { SMALL = 40 };

static struct index_dir d;
static struct ts_report *r;
static struct ts_err err;

static void
begin(void)
{
	index_dir_begin(&d);
	r = index_dir_report(&d, "a.pop");
}

static void
end(void)
{
	ts_report_close(r);
	index_dir_end(&d);
}

/* --- what is written is read ------------------------------------------------------------------ */

enum { THREADS = 4, PIECES = 200 };

struct appender {
	pthread_t thread;
	struct ts_section_writer *w;
	int number;
	uint64_t at[PIECES];
};

static void
fill(unsigned char *bytes, size_t n, int seed)
{
	for (size_t i = 0; i < n; i++)
		bytes[i] = (unsigned char)(seed * 31 + (int)i);
}

static size_t
piece_size(int number, int i)
{
	return (size_t)(1 + (number * 37 + i * 13) % 100);
}

static void *
append(void *arg)
{
	struct appender *a = arg;
	unsigned char bytes[128];

	for (int i = 0; i < PIECES; i++) {
		size_t n = piece_size(a->number, i);

		fill(bytes, n, a->number * PIECES + i);
		if (ts_section_append(a->w, &a->at[i], bytes, n, NULL))
			return a;
	}
	return NULL;
}

static void
check_pieces(const struct ts_index *x, const struct appender *a)
{
	unsigned char bytes[128];
	size_t size;
	const void *payload = ts_index_section(x, TS_SECTION_STEPS, &size);

	ck_assert_ptr_nonnull(payload);
	for (int t = 0; t < THREADS; t++)
		for (int i = 0; i < PIECES; i++) {
			size_t n = piece_size(t, i);
			const void *at = ts_section_at(payload, size, a[t].at[i], n, 1);

			ck_assert_ptr_nonnull(at);
			ck_assert_uint_eq((uintptr_t)at % 8, 0);
			fill(bytes, n, t * PIECES + i);
			ck_assert_int_eq(memcmp(at, bytes, n), 0);
		}
}

START_TEST(threads_append)
{
	struct appender a[THREADS] = {0};
	struct ts_section_writer *w;
	struct ts_index *x, *y;
	uint64_t head = 0, number = 12345, room_at;
	char path[INDEX_PATH];
	unsigned char *room;
	struct stat st;
	size_t size;

	ck_assert_int_eq(ts_section_create(&w, &d.c, r, TS_SECTION_STEPS, &err), TS_OK);
	ck_assert_int_eq(ts_section_append(w, &head, &head, sizeof(head), &err), TS_OK);
	ck_assert_uint_eq(head, 0);
	for (int t = 0; t < THREADS; t++) {
		a[t].w = w;
		a[t].number = t;
		ck_assert_int_eq(pthread_create(&a[t].thread, NULL, append, &a[t]), 0);
	}
	for (int t = 0; t < THREADS; t++) {
		void *failed;

		pthread_join(a[t].thread, &failed);
		ck_assert_ptr_null(failed);
	}
	ck_assert_int_eq(ts_section_room(w, &room_at, (void **)&room, 100001, &err), TS_OK);
	ck_assert_int_eq(room[0] | room[100000], 0);
	memset(room, 5, 100001);
	ck_assert_int_eq(ts_section_put(w, head, &number, sizeof(number), &err), TS_OK);
	ck_assert_int_eq(ts_section_put(w, room_at + 100001, &number, 8, &err), TS_E_LIMIT);
	ck_assert_uint_eq(index_dir_sections(&d, r, NULL), 0);
	ck_assert_int_eq(ts_section_commit(w, &err), TS_OK);

	ck_assert_int_eq(stat(index_dir_path(path, &d, r, "steps.idx"), &st), 0);
	ck_assert_int_eq(st.st_mode & 0777, 0600);
	ck_assert_int_eq(stat(index_dir_path(path, &d, r, ""), &st), 0);
	ck_assert_int_eq(st.st_mode & 0777, 0700);
	ck_assert_int_eq(index_dir_count(&d, r, ".tmp"), 0);
	ck_assert_int_eq(ts_index_open(&x, &d.c, r, NULL, NULL, &err), TS_OK);
	check_pieces(x, a);
	ck_assert_int_eq(index_dir_section(&d, r, TS_SECTION_LANES, 9, &err), TS_OK);
	ck_assert_int_eq(ts_index_with(&y, x, TS_SECTION_LANES, &d.c, r, &err), TS_OK);
	ck_assert_ptr_null(ts_index_section(x, TS_SECTION_LANES, &size));
	ck_assert_ptr_nonnull(ts_index_section(y, TS_SECTION_LANES, &size));
	ck_assert_uint_eq(size, 16);
	ck_assert_int_gt(ts_index_bytes(y), ts_index_bytes(x));
	ts_index_release(x);
	check_pieces(y, a);
	number = 0;
	memcpy(&number, ts_index_section(y, TS_SECTION_STEPS, &size), 8);
	ck_assert_uint_eq(number, 12345);
	room = (unsigned char *)(uintptr_t)ts_section_at(ts_index_section(y, TS_SECTION_STEPS,
								 &size),
		size, room_at, 100001, 1);
	ck_assert_int_eq(room[0] + room[100000], 10);
	ts_index_release(ts_index_hold(y));
	ts_index_release(y);
}
END_TEST

START_TEST(offsets_are_checked)
{
	static const uint64_t payload[8];
	const struct {
		uint64_t offset, count;
		size_t size;
		bool fits;
	} t[] = {{0, 8, 8, true}, {0, 9, 8, false}, {64, 0, 8, true}, {64, 1, 1, false},
		{72, 0, 1, false}, {8, 7, 8, true}, {4, 1, 4, false},
		{8, UINT64_MAX / 8 + 2, 8, false}, {8, UINT64_MAX, SIZE_MAX, false},
		{UINT64_MAX - 7, 1, 8, false}, {56, 8, 1, true}};

	for (size_t i = 0; i < sizeof(t) / sizeof(t[0]); i++) {
		const void *at = ts_section_at(payload, sizeof(payload), t[i].offset, t[i].count,
			t[i].size);

		ck_assert_msg((at != NULL) == t[i].fits, "line %zu", i);
		ck_assert(!at || (const char *)at == (const char *)payload + t[i].offset);
	}
	ck_assert_ptr_null(ts_section_at(NULL, 64, 0, 1, 8));
}
END_TEST

START_TEST(empty_section)
{
	struct ts_index *x;
	size_t size = 1;

	ck_assert_int_eq(index_dir_section(&d, r, TS_SECTION_STEPS, 0, &err), TS_OK);
	ck_assert_int_eq(ts_index_open(&x, &d.c, r, NULL, NULL, &err), TS_OK);
	ck_assert_ptr_nonnull(ts_index_section(x, TS_SECTION_STEPS, &size));
	ck_assert_uint_eq(size, 0);
	ts_index_release(x);
	ck_assert_ptr_null(ts_index_section(NULL, TS_SECTION_STEPS, &size));
}
END_TEST

START_TEST(cancelled)
{
	struct ts_cancel cancel = {.set = true};
	struct ts_index *x;

	ck_assert_int_eq(index_dir_section(&d, r, TS_SECTION_STEPS, 100, &err), TS_OK);
	ck_assert_int_eq(ts_index_open(&x, &d.c, r, NULL, &cancel, &err), TS_E_CANCELLED);
	ck_assert_ptr_null(x);
	ck_assert_uint_eq(index_dir_sections(&d, r, NULL), ts_section_bit(TS_SECTION_STEPS));
}
END_TEST

START_TEST(spilled)
{
	unsigned char *p, *q;
	struct ts_cache none = {0};

	ck_assert_int_eq(ts_spill_new((void **)&p, &d.c, 1 << 20, &err), TS_OK);
	ck_assert_int_eq(ts_spill_new((void **)&q, &none, 0, &err), TS_OK);
	ck_assert_int_eq(p[0] | p[(1 << 20) - 1], 0);
	memset(p, 1, 1 << 20);
	ts_spill_free(p, 1 << 20);
	ts_spill_free(q, 0);
	ts_spill_free(NULL, 5);
	ts_spill_rest(NULL, 5);
	ck_assert_int_eq(ts_spill_new((void **)&p, &d.c, SIZE_MAX, &err), TS_E_SYS);
	ck_assert_ptr_null(p);
}
END_TEST

/* --- what is no section of this report -------------------------------------------------------- */

/* The file with these bytes is refused, said so in the log, and removed. */
static void
refused(const unsigned char *bytes, size_t n, const char *what, size_t at)
{
	struct ts_log *log = ts_log_new();
	char path[INDEX_PATH], line[TS_LOG_LINE_MAX];

	index_dir_put(index_dir_path(path, &d, r, "steps.idx"), bytes, n);
	ck_assert_msg(index_dir_sections(&d, r, log) == 0, "%s %zu: it is used", what, at);
	ck_assert_msg(ts_log_count(log) == 1 && ts_log_get(log, 0, line) &&
			strstr(line, "steps is not used"),
		"%s %zu: not told", what, at);
	ck_assert_msg(access(path, F_OK) < 0, "%s %zu: it is still there", what, at);
	ts_log_free(log);
}

/* The bytes of a small section. */
static unsigned char *
sound(size_t *n)
{
	char path[INDEX_PATH];

	ck_assert_int_eq(index_dir_section(&d, r, TS_SECTION_STEPS, SMALL, &err), TS_OK);
	ck_assert_uint_eq(index_dir_sections(&d, r, NULL), ts_section_bit(TS_SECTION_STEPS));
	return index_dir_read(index_dir_path(path, &d, r, "steps.idx"), n);
}

START_TEST(truncated_anywhere)
{
	size_t n;
	unsigned char *bytes = sound(&n);

	for (size_t i = 0; i < n; i++)
		refused(bytes, i, "truncated at", i);
	bytes[n] = 0;
	refused(bytes, n + 1, "longer by", 1);
	free(bytes);
}
END_TEST

START_TEST(flipped_anywhere)
{
	size_t n;
	unsigned char *bytes = sound(&n);

	for (size_t i = 0; i < n; i++) {
		unsigned char kept = bytes[i];

		bytes[i] ^= (unsigned char)(1 << i % 8);
		refused(bytes, n, "a bit of byte", i);
		bytes[i] = (unsigned char)~kept;
		refused(bytes, n, "all bits of byte", i);
		bytes[i] = kept;
	}
	index_dir_put(index_dir_path((char[INDEX_PATH]){0}, &d, r, "steps.idx"), bytes, n);
	ck_assert_uint_eq(index_dir_sections(&d, r, NULL), ts_section_bit(TS_SECTION_STEPS));
	free(bytes);
}
END_TEST

/* A head that is sound in itself, with one member changed. */
static void
forged(const unsigned char *bytes, size_t n, size_t offset, size_t width, uint64_t value)
{
	unsigned char *copy = malloc(n);
	struct ts_section_head h;

	ck_assert_ptr_nonnull(copy);
	memcpy(copy, bytes, n);
	memcpy(copy + offset, &value, width);
	memcpy(&h, copy, sizeof(h));
	memset(copy + offsetof(struct ts_section_head, head_hash), 0, 8);
	h.head_hash = XXH3_64bits(copy, h.head_bytes <= n ? h.head_bytes : n);
	memcpy(copy + offsetof(struct ts_section_head, head_hash), &h.head_hash, 8);
	refused(copy, n, "forged at", offset);
	free(copy);
}

START_TEST(forged_heads)
{
#define MEMBER(m) offsetof(struct ts_section_head, m), sizeof(((struct ts_section_head *)0)->m)
	const struct {
		size_t offset, width;
		uint64_t value;
	} t[] = {{MEMBER(endian), 0x04030201}, {MEMBER(layout), 77}, {MEMBER(layout), 0},
		{MEMBER(version), 99}, {MEMBER(section), TS_SECTION_LANES},
		{MEMBER(section), UINT32_MAX}, {MEMBER(head_bytes), 0}, {MEMBER(head_bytes), 64},
		{MEMBER(head_bytes), UINT32_MAX}, {MEMBER(path_bytes), 0},
		{MEMBER(path_bytes), UINT32_MAX}, {MEMBER(path_bytes), 1 << 14},
		{MEMBER(payload_bytes), UINT64_MAX}, {MEMBER(payload_bytes), 0},
		{MEMBER(payload_bytes), UINT64_MAX - 127}, {MEMBER(payload_hash), 1},
		{MEMBER(bytes), 1}, {MEMBER(mtime), 1}, {MEMBER(mtime_ns), 1},
		{MEMBER(changes), 77}, {MEMBER(header), 77}};
	size_t n;
	unsigned char *bytes = sound(&n);

	for (size_t i = 0; i < sizeof(t) / sizeof(t[0]); i++)
		forged(bytes, n, t[i].offset, t[i].width, t[i].value);
	free(bytes);
}
END_TEST

START_TEST(of_another_report)
{
	struct ts_report *other = index_dir_report(&d, "b.pop");
	char path[INDEX_PATH];
	unsigned char *bytes;
	size_t n;

	ck_assert_int_eq(index_dir_section(&d, other, TS_SECTION_STEPS, SMALL, &err), TS_OK);
	ck_assert_int_eq(index_dir_section(&d, r, TS_SECTION_LANES, SMALL, &err), TS_OK);
	bytes = index_dir_read(index_dir_path(path, &d, other, "steps.idx"), &n);
	index_dir_put(index_dir_path(path, &d, r, "steps.idx"), bytes, n);
	ck_assert_uint_eq(index_dir_sections(&d, r, NULL), ts_section_bit(TS_SECTION_LANES));
	ck_assert_uint_eq(index_dir_sections(&d, other, NULL), ts_section_bit(TS_SECTION_STEPS));
	ts_report_close(other);
	free(bytes);
}
END_TEST

static void
make_odd(int kind, const char *path)
{
	char below[INDEX_PATH + 10];

	unlink(path);
	switch (kind) {
	case 0: /* a link to a section that is sound */
		ck_assert_int_eq(symlink("kept", path), 0);
		break;
	case 1:
		ck_assert_int_eq(symlink("/dev/zero", path), 0);
		break;
	case 2:
		ck_assert_int_eq(mkfifo(path, 0600), 0);
		break;
	default:
		ck_assert_int_eq(mkdir(path, 0700), 0);
		snprintf(below, sizeof(below), "%s/file", path);
		if (kind == 4)
			index_dir_put(below, "x", 1);
	}
}

/* _i: what stands in the place of a section */
START_TEST(no_plain_file)
{
	char path[INDEX_PATH], kept[INDEX_PATH];
	struct ts_section_writer *w;
	enum ts_code code;
	struct stat st;
	size_t n;
	unsigned char *bytes = sound(&n);

	index_dir_put(index_dir_path(kept, &d, r, "kept"), bytes, n);
	make_odd(_i, index_dir_path(path, &d, r, "steps.idx"));
	ck_assert_uint_eq(index_dir_sections(&d, r, NULL), 0);
	if (_i < 3)
		make_odd(_i, path);
	ck_assert_int_eq(ts_section_create(&w, &d.c, r, TS_SECTION_STEPS, &err), TS_OK);
	ck_assert_int_eq(ts_section_append(w, NULL, "12345678", 8, &err), TS_OK);
	code = ts_section_commit(w, &err);
	ck_assert_int_eq(code, _i == 4 ? TS_E_SYS : TS_OK);
	ck_assert_int_eq(index_dir_count(&d, r, ".tmp"), 0);
	ck_assert_uint_eq(index_dir_sections(&d, r, NULL),
		code ? 0 : ts_section_bit(TS_SECTION_STEPS));
	ck_assert_int_eq(stat(kept, &st), 0);
	ck_assert_uint_eq((size_t)st.st_size, n);
	free(bytes);
}
END_TEST

/* _i: the folder of the report is a link, a file */
START_TEST(no_folder)
{
	char path[INDEX_PATH], elsewhere[INDEX_PATH];
	struct ts_section_writer *w;
	struct ts_index_lock *lock;
	bool got;

	snprintf(elsewhere, sizeof(elsewhere), "%s/elsewhere", d.dir);
	ck_assert_int_eq(mkdir(elsewhere, 0700), 0);
	index_dir_path(path, &d, r, "");
	if (_i == 0)
		ck_assert_int_eq(symlink(elsewhere, path), 0);
	else
		index_dir_put(path, "x", 1);
	ck_assert_uint_eq(index_dir_sections(&d, r, NULL), 0);
	ck_assert_int_eq(ts_section_create(&w, &d.c, r, TS_SECTION_STEPS, &err), TS_E_SYS);
	ck_assert_ptr_null(w);
	ck_assert_int_eq(ts_index_lock_take(&lock, &got, &d.c, r, &err), TS_E_SYS);
	ck_assert(!got && !lock);
	ck_assert_int_eq(rmdir(elsewhere), 0); /* nothing was put there */
}
END_TEST

/* --- writers ---------------------------------------------------------------------------------- */

START_TEST(two_writers)
{
	struct ts_section_writer *a, *b;
	struct ts_index_lock *lock;
	struct ts_index *x;
	char path[INDEX_PATH];
	size_t size;
	bool got;

	ck_assert_int_eq(ts_section_create(&a, &d.c, r, TS_SECTION_STEPS, &err), TS_OK);
	ck_assert_int_eq(ts_section_create(&b, &d.c, r, TS_SECTION_STEPS, &err), TS_OK);
	for (int i = 0; i < 1000; i++) {
		ck_assert_int_eq(ts_section_append(a, NULL, "aaaaaaaa", 8, &err), TS_OK);
		ck_assert_int_eq(ts_section_append(b, NULL, "bbbbbbbbbbbbbbbb", 16, &err), TS_OK);
	}
	/* a builder that comes now sweeps away what was left over, and neither of them */
	index_dir_put(index_dir_path(path, &d, r, "lanes.00.tmp"), "left over", 9);
	ck_assert_int_eq(ts_index_lock_take(&lock, &got, &d.c, r, &err), TS_OK);
	ck_assert(got);
	ts_index_lock_give(lock);
	ck_assert_int_eq(index_dir_count(&d, r, ".tmp"), 2);
	ck_assert_int_eq(ts_section_commit(b, &err), TS_OK);
	ck_assert_int_eq(ts_index_open(&x, &d.c, r, NULL, NULL, &err), TS_OK);
	ck_assert_int_eq(ts_section_commit(a, &err), TS_OK);
	/* who has the first one mapped keeps it */
	ck_assert_int_eq(((const char *)ts_index_section(x, TS_SECTION_STEPS, &size))[15999], 'b');
	ts_index_release(x);
	ck_assert_int_eq(ts_index_open(&x, &d.c, r, NULL, NULL, &err), TS_OK);
	ck_assert_int_eq(((const char *)ts_index_section(x, TS_SECTION_STEPS, &size))[7999], 'a');
	ck_assert_uint_eq(size, 8000);
	ts_index_release(x);
	ck_assert_int_eq(index_dir_count(&d, r, ".tmp"), 0);
}
END_TEST

/* Sections again and again, each telling in its first number how the rest has to look. */
static void
write_for_ever(void)
{
	for (uint64_t seed = 1;; seed++) {
		struct ts_section_writer *w;
		struct ts_index_lock *lock;
		uint64_t count = 1 + seed * 37 % 500, *room;
		bool got;

		if (ts_index_lock_take(&lock, &got, &d.c, r, NULL) || !got)
			_exit(1);
		if (ts_section_create(&w, &d.c, r, (enum ts_section)(seed % 3), NULL))
			_exit(2);
		for (uint64_t i = 0; i < count; i++) {
			uint64_t v = i ? seed * i : seed;

			if (ts_section_append(w, NULL, &v, sizeof(v), NULL))
				_exit(3);
		}
		if (ts_section_room(w, NULL, (void **)&room, count * 8, NULL))
			_exit(4);
		for (uint64_t i = 0; i < count; i++)
			room[i] = seed * (count + i);
		if (ts_section_commit(w, NULL))
			_exit(5);
		ts_index_lock_give(lock);
	}
}

static void
check_whole(const struct ts_index *x, int *seen)
{
	for (int s = 0; s < TS_SECTION_COUNT; s++) {
		size_t size;
		const uint64_t *v = ts_index_section(x, (enum ts_section)s, &size);

		if (!v)
			continue;
		*seen += 1;
		ck_assert_uint_eq(size, (1 + v[0] * 37 % 500) * 16);
		ck_assert_int_eq((int)(v[0] % 3), s);
		for (size_t i = 1; i < size / 8; i++)
			ck_assert_uint_eq(v[i], v[0] * i);
	}
}

START_TEST(killed_at_any_moment)
{
	unsigned random = 1;
	int seen = 0;

	/* where none has come so far in that time they get more */
	for (int i = 0; i < 200 || !seen; i++) {
		struct ts_index_lock *lock;
		struct ts_index *x;
		int status;
		bool got;
		pid_t child = fork();

		ck_assert_int_ge(child, 0);
		if (child == 0)
			write_for_ever();
		random = random * 1103515245u + 12345u;
		nanosleep(&(struct timespec){i / 400, random / 65536 % 64 * 100000}, NULL);
		kill(child, SIGKILL);
		ck_assert_int_eq(waitpid(child, &status, 0), child);
		ck_assert(WIFSIGNALED(status));
		ck_assert_int_le(index_dir_count(&d, r, ".tmp"), 1);
		ck_assert_int_eq(ts_index_open(&x, &d.c, r, NULL, NULL, &err), TS_OK);
		check_whole(x, &seen);
		ts_index_release(x);
		ck_assert_int_eq(ts_index_lock_take(&lock, &got, &d.c, r, &err), TS_OK);
		ck_assert(got);
		ck_assert_int_eq(index_dir_count(&d, r, ".tmp"), 0);
		ck_assert_int_le(index_dir_count(&d, r, ""), 5);
		ts_index_lock_give(lock);
	}
}
END_TEST

/* --- no room ---------------------------------------------------------------------------------- */

static void
limit(rlim_t bytes)
{
	struct rlimit l;

	ck_assert_int_eq(getrlimit(RLIMIT_FSIZE, &l), 0);
	l.rlim_cur = bytes < l.rlim_max ? bytes : l.rlim_max;
	ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &l), 0);
}

/* _i: where the writer meets the end of the disk */
START_TEST(full_disk)
{
	struct ts_section_writer *w = NULL;
	enum ts_code code, last = TS_OK;
	unsigned char bytes[1000] = {0};
	uint64_t at = 0;
	void *room = NULL;

	ck_assert_int_eq(index_dir_section(&d, r, TS_SECTION_STEPS, SMALL, &err), TS_OK);
	signal(SIGXFSZ, SIG_IGN);
	limit(_i == 0 ? 20000 : _i == 1 ? 3000 : 100);
	code = ts_section_create(&w, &d.c, r, TS_SECTION_STEPS, &err);
	if (_i == 0)
		last = code ? code : ts_section_room(w, &at, &room, 30000, &err);
	for (int i = 0; _i == 1 && !code && !last && i < 5; i++)
		last = ts_section_append(w, &at, bytes, sizeof(bytes), &err);
	if (_i == 2) /* there is room for the payload, and none for the head */
		last = code ? code : ts_section_commit(w, &err);
	else
		ck_assert_int_eq(code ? code : ts_section_commit(w, NULL), TS_E_SYS);
	code = ts_spill_new(&room, &d.c, 1 << 20, NULL); /* a little comes from memory */
	ck_assert_int_eq(code, TS_OK);
	ts_spill_free(room, 1 << 20);
	code = ts_spill_new(&room, &d.c, 1 << 23, NULL);
	limit(RLIM_INFINITY);
	ck_assert_int_eq(last, TS_E_SYS);
	ck_assert_int_eq(err.sys, EFBIG);
	ck_assert_ptr_nonnull(strstr(err.msg, d.cache));
	ck_assert_int_eq(code, TS_E_SYS);
	ck_assert_int_eq(index_dir_count(&d, r, ".tmp"), 0);
	/* what was there is still there */
	ck_assert_uint_eq(index_dir_sections(&d, r, NULL), ts_section_bit(TS_SECTION_STEPS));
}
END_TEST

/* Pages of [p, p + size) that are this program's. */
static size_t
touched(const void *p, size_t size)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE), n = 0;
	int fd = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
	uint64_t entry;

	for (size_t at = (uintptr_t)p / page; fd >= 0 && at < ((uintptr_t)p + size) / page; at++) {
		ck_assert_int_eq(pread(fd, &entry, sizeof(entry), (off_t)(at * sizeof(entry))),
			sizeof(entry));
		n += entry >> 63;
	}
	close(fd);
	return n;
}

/* What is let go of is no longer in memory, and still there: also where it has no file. */
START_TEST(rested)
{
	const size_t sizes[] = {1 << 20, 4 << 20, 8 << 20};

	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		size_t n = sizes[i];
		unsigned char *p;

		if (i < 2)
			limit(4096); /* of a file: from memory */
		signal(SIGXFSZ, SIG_IGN);
		ck_assert_int_eq(ts_spill_new((void **)&p, &d.c, n, &err), TS_OK);
		limit(RLIM_INFINITY);
		for (size_t k = 0; k < n; k++)
			p[k] = (unsigned char)(k % 251);
		ts_spill_rest(p, n);
		if (i == 2)
			ck_assert_uint_eq(touched(p, n), 0);
		for (size_t k = 0; k < n; k++)
			if (p[k] != k % 251)
				ck_abort_msg("%zu: byte %zu is another one", n, k);
		ts_spill_free(p, n);
	}
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("index");
	TCase *c = tcase_create("sections");
	SRunner *runner;
	int failed;

	tcase_set_timeout(c, 60);
	tcase_add_checked_fixture(c, begin, end);
	tcase_add_test(c, threads_append);
	tcase_add_test(c, offsets_are_checked);
	tcase_add_test(c, empty_section);
	tcase_add_test(c, cancelled);
	tcase_add_test(c, spilled);
	tcase_add_test(c, rested);
	tcase_add_test(c, truncated_anywhere);
	tcase_add_test(c, flipped_anywhere);
	tcase_add_test(c, forged_heads);
	tcase_add_test(c, of_another_report);
	tcase_add_loop_test(c, no_plain_file, 0, 5);
	tcase_add_loop_test(c, no_folder, 0, 2);
	tcase_add_test(c, two_writers);
	tcase_add_test(c, killed_at_any_moment);
	tcase_add_loop_test(c, full_disk, 0, 3);
	suite_add_tcase(s, c);
	runner = srunner_create(s);
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
