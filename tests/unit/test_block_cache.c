/* SPDX-License-Identifier: MIT */
/*
 * test_block_cache - what is read through the cache is what is in the file, whoever reads and whatever happens; and it costs
 * what was planned.
 */
#include "config.h"

#include <check.h>
#include <dirent.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sftp_fake.h"
#include "tilescope/base/mem.h"
#include "tilescope/io/block_cache.h"
#include "tilescope/io/files_host.h"

enum { SIZE = 5000003, LARGE = 64 << 20, KEPT_PIECE = 32 * TS_BLOCK };

static struct ts_err err;

static struct fake_world
world(void)
{
	return (struct fake_world){.file = {{"file", SIZE, S_IFREG | 0644, 7, 0, 0},
					   {"large", LARGE, S_IFREG | 0644, 7, 0, 0},
					   {"none", 0, S_IFREG | 0644, 7, 0, 0},
					   {"fifo", 0, S_IFIFO | 0644, 7, 0, 0}},
		.max_read = 261120};
}

struct cached {
	struct fake_world w;
	struct ts_host *host;
	struct ts_host_file *file;
	struct ts_block_cache *cache;
};

static void
begin(struct cached *k, const char *path, size_t blocks)
{
	k->w = world();
	k->host = fake_host(&k->w, (struct ts_host_spec){0});
	ck_assert_int_eq(ts_host_open(k->host, &k->file, path, true, NULL, &err), TS_OK);
	ck_assert_int_eq(ts_block_cache_new(&k->cache, k->file, blocks, NULL, &err), TS_OK);
}

static void
end(struct cached *k)
{
	ts_block_cache_free(k->cache);
	ts_host_close(k->file);
	ts_host_free(k->host);
}

/* Reads, and looks at each byte. */
static bool
reads(struct ts_block_cache *c, int64_t offset, size_t n, int64_t size)
{
	unsigned char *bytes = malloc(n + 1);
	size_t got, there = offset >= size ? 0 : (size_t)ts_min_i64((int64_t)n, size - offset);
	bool right;

	right = ts_block_cache_read(c, bytes, n, offset, &got, NULL, NULL, &err) == TS_OK &&
		got == there;
	for (size_t i = 0; right && i < got; i++)
		right = bytes[i] == fake_byte((uint64_t)offset + i, 0);
	free(bytes);
	return right;
}

static uint64_t
next(uint64_t *x)
{
	*x ^= *x << 13;
	*x ^= *x >> 7;
	*x ^= *x << 17;
	return *x;
}

struct work {
	struct ts_block_cache *cache;
	uint64_t seed;
	bool failed;
};

/* Points, stretches, the end and behind it. */
static void *
at_random(void *arg)
{
	struct work *w = arg;

	for (int i = 0; i < 300 && !w->failed; i++) {
		int64_t offset = (int64_t)(next(&w->seed) % (SIZE + 10000));
		size_t n = next(&w->seed) % (i % 10 ? 9000 : 400000);

		w->failed = !reads(w->cache, offset, n, SIZE);
	}
	return NULL;
}

/* Several threads in a cache that is far too small, and the connection is cut meanwhile. */
START_TEST(same_bytes)
{
	struct work work[4];
	pthread_t t[4];
	struct cached k;

	begin(&k, "file", _i ? TS_BLOCKS_USUAL : 1);
	k.w.wrong = FAKE_CUT;
	for (int i = 0; i < 4; i++) {
		work[i] = (struct work){k.cache, (uint64_t)i * 77777 + 1, false};
		ck_assert_int_eq(pthread_create(&t[i], NULL, at_random, &work[i]), 0);
	}
	for (int i = 0; i < 5; i++) {
		usleep(10000);
		k.w.wrong_at = 10;
	}
	for (int i = 0; i < 4; i++) {
		pthread_join(t[i], NULL);
		ck_assert(!work[i].failed);
	}
	end(&k);
}
END_TEST

/* What was named before is asked for in one burst, exactly those blocks, and then read without asking. */
START_TEST(planned)
{
	struct ts_block_cache_stats s;
	struct ts_byte_range span[200];
	struct cached k;

	begin(&k, "large", TS_BLOCKS_USUAL);
	for (int i = 0; i < 200; i++)
		span[i] = (struct ts_byte_range){(int64_t)(i + 1) * 37 * TS_BLOCK, TS_BLOCK};
	ts_block_cache_want(k.cache, span, 200, true, NULL);
	for (int i = 0; i < 200; i++)
		ck_assert(reads(k.cache, span[i].offset, TS_BLOCK, LARGE));
	ts_block_cache_stats(k.cache, &s);
	ck_assert_int_eq(s.bursts, 1);
	ck_assert_int_eq(s.blocks, 200);
	ck_assert_int_eq(k.w.reads, 201); /* and the first page */
	ts_block_cache_want(k.cache, span, 200, true, NULL);
	ts_block_cache_stats(k.cache, &s);
	ck_assert_int_eq(s.bursts, 1);
	end(&k);
}
END_TEST

/* Spans that mean nothing. */
START_TEST(odd_spans)
{
	static const struct ts_byte_range odd[] = {{-1, 10}, {INT64_MAX, 10}, {SIZE, 1}, {10, 0},
		{SIZE - 1, SIZE_MAX}};
	struct ts_block_cache_stats s;
	struct cached k;
	unsigned char byte;
	size_t got;

	begin(&k, "file", 1);
	ts_block_cache_want(k.cache, odd, TS_COUNT(odd), true, NULL);
	ts_block_cache_stats(k.cache, &s);
	ck_assert_int_eq(s.blocks, 1);
	ck_assert_int_eq(ts_block_cache_read(k.cache, &byte, 1, -1, &got, NULL, NULL, &err),
		TS_E_FORMAT);
	ck_assert(reads(k.cache, SIZE - 1, 10, SIZE));
	ck_assert(reads(k.cache, INT64_MAX, 10, SIZE));
	end(&k);
}
END_TEST

/* Page after page: few bursts, each block once; what leads to the rows stays. */
START_TEST(scan)
{
	struct ts_block_cache_stats s, after;
	struct cached k;

	begin(&k, "large", 1024);
	for (int i = 0; i < 100; i++)
		for (int twice = 0; twice < 2; twice++)
			ck_assert(reads(k.cache, (int64_t)i * 160 * TS_BLOCK, TS_BLOCK, LARGE));
	ts_block_cache_stats(k.cache, &s);
	ck_assert_int_eq(s.blocks, 99);
	for (int64_t at = 32 << 20; at < 48 << 20; at += TS_BLOCK)
		ck_assert(reads(k.cache, at, TS_BLOCK, LARGE));
	ts_block_cache_stats(k.cache, &after);
	ck_assert_int_le(after.bursts - s.bursts, 30);
	/* an extent, of 1 MiB here, is on its way while another is read */
	ck_assert_int_ge(after.blocks - s.blocks, (17 << 20) / TS_BLOCK);
	ck_assert_int_le(after.blocks - s.blocks, (18 << 20) / TS_BLOCK);
	for (int i = 0; i < 100; i++)
		ck_assert(reads(k.cache, (int64_t)i * 160 * TS_BLOCK, TS_BLOCK, LARGE));
	ts_block_cache_stats(k.cache, &s);
	ck_assert_int_eq(s.bursts, after.bursts);
	end(&k);
}
END_TEST

/* A larger read than the cache has room for. */
START_TEST(larger)
{
	struct cached k;

	begin(&k, "file", 1);
	ck_assert(reads(k.cache, 0, SIZE, SIZE));
	ck_assert(reads(k.cache, 5, SIZE + 10, SIZE));
	end(&k);
	begin(&k, "none", 1);
	ck_assert(reads(k.cache, 0, 10, 0));
	end(&k);
}
END_TEST

START_TEST(cancelled)
{
	struct ts_cancel cancel = {0};
	unsigned char bytes[100];
	struct cached k;
	size_t got;

	begin(&k, "file", 1);
	k.w.wrong = FAKE_SILENT;
	k.w.wrong_at = 1;
	ts_cancel_set(&cancel);
	ck_assert_int_eq(ts_block_cache_read(k.cache, bytes, 100, 9000, &got, NULL, &cancel, &err),
		TS_E_CANCELLED);
	end(&k); /* with something on its way */
}
END_TEST

/* The host fails for good: an error, for all who wait; what is here can be read. */
START_TEST(failed)
{
	unsigned char bytes[100];
	struct cached k;
	size_t got;

	begin(&k, "file", 1);
	ck_assert(reads(k.cache, 20000, 10, SIZE));
	k.w.wrong = FAKE_OTHER_ID;
	k.w.wrong_at = 1;
	ck_assert_int_eq(ts_block_cache_read(k.cache, bytes, 100, 90000, &got, NULL, NULL, &err),
		TS_E_CONNECT);
	ck_assert_int_eq(ts_block_cache_read(k.cache, bytes, 100, 90000, &got, NULL, NULL, &err),
		TS_E_CONNECT);
	ck_assert(reads(k.cache, 20000, 10, SIZE));
	ck_assert(reads(k.cache, 0, 4096, SIZE));
	end(&k);
}
END_TEST

/* A file that is shorter than it was says so by a short read, as here. */
START_TEST(shorter)
{
	unsigned char bytes[20000];
	struct cached k;
	size_t got;

	begin(&k, "file", 1);
	k.w.file[0].size = 100000;
	ck_assert_int_eq(ts_block_cache_read(k.cache, bytes, 20000, 90000, &got, NULL, NULL, &err),
		TS_OK);
	ck_assert_uint_le(got, 10000);
	ck_assert_int_eq(ts_block_cache_read(k.cache, bytes, 20000, 500000, &got, NULL, NULL, &err),
		TS_OK);
	ck_assert_uint_eq(got, 0);
	end(&k);
}
END_TEST

/* Who has no token does not wait for a host that was left. */
START_TEST(host_was_left)
{
	unsigned char bytes[4096];
	struct cached k;
	size_t got;

	begin(&k, "file", 0);
	ck_assert(ts_host_leave(k.host, 5000));
	ck_assert_int_eq(ts_block_cache_read(k.cache, bytes, 4096, 1 << 20, &got, NULL, NULL, &err),
		TS_E_CONNECT);
	end(&k);
}
END_TEST

START_TEST(source)
{
	struct fake_world w = world();
	struct ts_host *h = fake_host(&w, (struct ts_host_spec){0});
	const struct ts_byte_range span = {8192, 100};
	unsigned char bytes[100];
	struct ts_source *s;
	size_t got;

	ck_assert_int_eq(ts_source_open_host(&s, h, "nothing", false, NULL, "host", NULL, &err),
		TS_E_NOT_FOUND);
	ck_assert_int_eq(ts_source_open_host(&s, h, "fifo", false, NULL, "host", NULL, &err),
		TS_E_FORMAT);
	ck_assert_ptr_null(s);
	ck_assert_int_eq(ts_source_open_host(&s, h, "file", false, NULL, "host", NULL, &err),
		TS_OK);
	ck_assert(s->size == SIZE && s->mtime == 7 && ts_source_fd(s) == -1);
	ts_source_want(s, &span, 1, true, NULL);
	ck_assert_int_eq(ts_source_read(s, bytes, 100, 8192, &got, NULL, &err), TS_OK);
	ck_assert_uint_eq(got, 100);
	for (unsigned i = 0; i < 100; i++)
		ck_assert_uint_eq(bytes[i], fake_byte(8192 + i, 0));
	ts_source_close(s);
	ts_host_free(h);
}
END_TEST

static bool
count_entry(void *ctx, const char *name, const struct ts_file_state *state)
{
	enum ts_file_kind kind = state->kind;
	int *n = ctx;

	ck_assert_str_ne(name, "..");
	ck_assert(kind == TS_FILE_REGULAR || kind == TS_FILE_DIRECTORY);
	return ++*n < 5;
}

/* The file system of a host, as a report sees it. */
START_TEST(files)
{
	struct fake_world w = world();
	struct ts_host_spec spec = {.connect = fake_connect};
	struct ts_file_state s;
	struct ts_source *file;
	struct ts_files *f;
	char name[32], *real;
	int n = 0;

	w.entries = 20;
	snprintf(name, sizeof(name), "%p", (void *)&w);
	spec.to.host = name;
	ck_assert_int_eq(ts_files_host_new(&f, "box", &spec, &err), TS_OK);
	ck_assert_str_eq(f->host, "box");
	ck_assert_int_eq(ts_files_look(f, &s, "file", NULL, &err), TS_OK);
	ck_assert(s.kind == TS_FILE_REGULAR && s.bytes == SIZE && s.mtime == 7);
	ck_assert_int_eq(ts_files_look(f, &s, "fifo", NULL, &err), TS_OK);
	ck_assert(s.kind == TS_FILE_OTHER);
	ck_assert_int_eq(ts_files_look(f, &s, "nothing", NULL, &err), TS_OK);
	ck_assert(s.kind == TS_FILE_NONE);
	ck_assert_int_eq(ts_files_list(f, "dir", count_entry, &n, NULL, &err), TS_OK);
	ck_assert_int_eq(n, 5);
	ck_assert_int_eq(ts_files_list(f, "nothing", count_entry, &n, NULL, &err), TS_E_SYS);
	real = ts_files_real(f, ".");
	ck_assert_str_eq(real, "/home/me");
	free(real);
	ck_assert_int_eq(ts_files_open(f, &file, "file", NULL, &err), TS_OK);
	ck_assert(file->size == SIZE);
	ts_source_close(file);
	ck_assert_ptr_nonnull(ts_files_host(f));
	ts_files_release(f);
}
END_TEST

/* As begin(), with a store of that directory. */
static void
begin_kept(struct cached *k, const char *dir, size_t blocks)
{
	struct ts_block_store_of of = {.host = "box", .path = "file", .size = SIZE, .mtime = 7};

	k->w = world();
	k->host = fake_host(&k->w, (struct ts_host_spec){0});
	ck_assert_int_eq(ts_host_open(k->host, &k->file, "file", true, NULL, &err), TS_OK);
	of.first = ts_host_file_first(k->file, &of.first_n);
	ck_assert_int_eq(ts_block_cache_new(&k->cache, k->file, blocks,
				 ts_block_store_open(dir, &of), &err),
		TS_OK);
}

static void
read_by_threads(struct cached *k, uint64_t seed)
{
	struct work work[4];
	pthread_t thread[4];

	for (int i = 0; i < 4; i++) {
		work[i] = (struct work){k->cache, seed + (uint64_t)i, false};
		ck_assert_int_eq(pthread_create(&thread[i], NULL, at_random, &work[i]), 0);
	}
	for (int i = 0; i < 4; i++) {
		pthread_join(thread[i], NULL);
		ck_assert(!work[i].failed);
	}
}

/* Some bytes of the only file of a directory are others now. */
static void
damage(const char *dir)
{
	char path[600], byte;
	struct dirent *e;
	struct stat st;
	uint64_t x = 77;
	DIR *d = opendir(dir);
	int fd;

	ck_assert_ptr_nonnull(d);
	while ((e = readdir(d)) && e->d_name[0] == '.')
		;
	ck_assert_ptr_nonnull(e);
	snprintf(path, sizeof(path), "%s/%s", dir, e->d_name);
	closedir(d);
	fd = open(path, O_RDWR | O_CLOEXEC);
	ck_assert(fd >= 0 && fstat(fd, &st) == 0);
	for (int i = 0; i < 300; i++) { /* its table stands before */
		off_t at = st.st_size - SIZE + (off_t)(next(&x) % SIZE);

		ck_assert_int_eq(pread(fd, &byte, 1, at), 1);
		byte = (char)(byte + 1); /* never back to what it was */
		ck_assert_int_eq(pwrite(fd, &byte, 1, at), 1);
	}
	close(fd);
}

/* What several threads read of the disk is what is in the file, also where some of the disk is not. */
START_TEST(kept_on_disk)
{
	char dir[] = "/tmp/tilescope-kept-XXXXXX", command[80];
	struct ts_source_counts n;
	struct cached k;
	int64_t asked[3], pieces = 0;

	ck_assert_ptr_nonnull(mkdtemp(dir));
	begin_kept(&k, dir, 4096);
	for (int64_t at = 0; at < SIZE; at += 8 * TS_BLOCK) /* not as a scan */
		ck_assert(reads(k.cache, at, 8 * TS_BLOCK, SIZE));
	end(&k);
	for (int round = 0; round < 3; round++) {
		if (round == 2)
			damage(dir);
		begin_kept(&k, dir, round == 0 ? 4096 : TS_BLOCKS_MIN);
		read_by_threads(&k, 1 + (uint64_t)round * 10);
		ts_block_cache_counts(k.cache, &n);
		asked[round] = n.requests;
		ck_assert_int_gt(n.kept, 500);
		end(&k);
	}
	ck_assert_int_eq(asked[0], 0);
	ck_assert_int_eq(asked[1], 0);
	ck_assert_int_gt(asked[2], 0);
	damage(dir);
	begin_kept(&k, dir, 4096);
	for (int64_t at = SIZE - KEPT_PIECE; at >= 0;
		at -= KEPT_PIECE, pieces++) /* nothing is read ahead */
		ck_assert(reads(k.cache, at, KEPT_PIECE, SIZE));
	ts_block_cache_counts(k.cache, &n);
	ck_assert_int_gt(n.requests, pieces); /* what is damaged of a piece comes together */
	ck_assert_int_le(n.trips, pieces);
	ck_assert_int_gt(n.kept, 500);
	end(&k);
	snprintf(command, sizeof(command), "rm -r %s", dir);
	ck_assert_int_eq(system(command), 0);
}
END_TEST

/* What is open is not opened again, but when it is another file by now; each is there until it is closed itself. */
START_TEST(opened_twice)
{
	struct fake_world w = world();
	struct ts_host_spec spec = {.connect = fake_connect};
	struct ts_source *a, *b, *other;
	struct ts_source_counts n;
	struct ts_files *f;
	unsigned char byte;
	char name[32];
	size_t got;

	snprintf(name, sizeof(name), "%p", (void *)&w);
	spec.to.host = name;
	ck_assert_int_eq(ts_files_host_new(&f, "box", &spec, &err), TS_OK);
	ck_assert_int_eq(ts_files_open(f, &a, "file", NULL, &err), TS_OK);
	ck_assert_int_eq(ts_source_read(a, &byte, 1, 70000, &got, NULL, &err), TS_OK);
	ck_assert_int_eq(ts_files_open(f, &b, "file", NULL, &err), TS_OK);
	ck_assert_int_eq(w.opens, 1);
	ck_assert(b->size == SIZE && b->mtime == 7 && ts_source_is_far(b));
	ck_assert_uint_eq(ts_source_here(b, 70000, 1), 1);
	w.file[0].mtime = 8;
	ck_assert_int_eq(ts_files_open(f, &other, "file", NULL, &err), TS_OK);
	ck_assert_int_eq(w.opens, 2);
	ck_assert_int_eq(other->mtime, 8);
	ck_assert_uint_eq(ts_source_here(other, 70000, 1), 0);
	ts_source_close(a);
	ck_assert_int_eq(ts_source_read(b, &byte, 1, 70000, &got, NULL, &err), TS_OK);
	ck_assert_uint_eq(byte, fake_byte(70000, 0));
	ts_source_counts(b, &n);
	ck_assert_int_eq(n.trips, 1);
	ts_source_close(b);
	ts_source_close(other);
	ts_files_release(f);
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("block_cache");
	TCase *t = tcase_create("block_cache");
	SRunner *r;
	int failed_tests;

	tcase_set_timeout(t, 120);
	tcase_add_loop_test(t, same_bytes, 0, 2);
	tcase_add_test(t, planned);
	tcase_add_test(t, odd_spans);
	tcase_add_test(t, scan);
	tcase_add_test(t, larger);
	tcase_add_test(t, cancelled);
	tcase_add_test(t, failed);
	tcase_add_test(t, shorter);
	tcase_add_test(t, kept_on_disk);
	tcase_add_test(t, opened_twice);
	tcase_add_test(t, host_was_left);
	tcase_add_test(t, source);
	tcase_add_test(t, files);
	suite_add_tcase(s, t);
	r = srunner_create(s);
	srunner_run_all(r, CK_NORMAL);
	failed_tests = srunner_ntests_failed(r);
	srunner_free(r);
	return failed_tests ? EXIT_FAILURE : EXIT_SUCCESS;
}
