/* SPDX-License-Identifier: MIT */
/*
 * test_host - requests to a host: what comes back, what goes wrong at each packet, what is resumed.
 *
 * The server is tests/unit/sftp_fake.h; at the end the one of OpenSSH, over a pipe, where it is installed.
 */
#include "config.h"

#include <check.h>
#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sftp_fake.h"
#include "tilescope/base/clock.h"
#include "tilescope/base/mem.h"

enum { SIZE = 3000001 };

static struct ts_err err;

static struct fake_world
world(void)
{
	return (struct fake_world){.file = {{"file", SIZE, S_IFREG | 0644, 7, 0, 0},
					   {"fifo", 0, S_IFIFO | 0644, 7, 0, 0},
					   {"tera", UINT64_C(1) << 40, S_IFREG | 0644, 7, 0, 0},
					   {"none", 0, S_IFREG | 0644, 7, 0, 0},
					   {"odd", UINT64_MAX, S_IFREG | 0644, 7, 0, 0}},
		.entries = 10};
}

static bool
is_right(const unsigned char *bytes, const struct ts_host_range *r, size_t count, uint64_t size,
	unsigned salt)
{
	for (size_t i = 0; i < count; bytes += r[i++].n) {
		uint64_t there = (uint64_t)r[i].offset < size ? size - (uint64_t)r[i].offset : 0;

		if (r[i].got != (there < r[i].n ? there : r[i].n))
			return false;
		for (size_t k = 0; k < r[i].got; k++)
			if (bytes[k] != fake_byte((uint64_t)r[i].offset + k, salt))
				return false;
	}
	return true;
}

/* Pages here and there, a stretch, the end, behind the end, nothing. */
static size_t
make_ranges(struct ts_host_range *r, uint64_t size)
{
	size_t n = 0, all = 0;

	for (uint64_t i = 0; i < 60; i++)
		r[n++] = (struct ts_host_range){(int64_t)(i * 7919 * 4096 % (size - 4096)), 4096,
			0};
	r[n++] = (struct ts_host_range){(int64_t)(size / 3), 300001, 0};
	r[n++] = (struct ts_host_range){(int64_t)size - 10, 4096, 0};
	r[n++] = (struct ts_host_range){(int64_t)size, 4096, 0};
	r[n++] = (struct ts_host_range){(int64_t)size + 5000, 10, 0};
	r[n++] = (struct ts_host_range){5, 0, 0};
	for (size_t i = 0; i < n; i++)
		all += r[i].n;
	return all;
}

enum { RANGES = 65 };

/* Opens a file, reads of it, closes it; the code of what failed first. */
static enum ts_code
read_some(struct ts_host *h, const char *path, uint64_t size, bool urgent)
{
	struct ts_host_range r[RANGES];
	size_t all = make_ranges(r, size);
	unsigned char *bytes = malloc(all);
	struct ts_host_file *f;
	enum ts_code code = ts_host_open(h, &f, path, urgent, NULL, &err);

	if (!code) {
		ck_assert_int_eq(ts_host_file_size(f), (int64_t)size);
		code = ts_host_read(f, bytes, r, RANGES, urgent, NULL, &err);
		ck_assert(code || is_right(bytes, r, RANGES, size, 0));
		ts_host_close(f);
	}
	free(bytes);
	return code;
}

START_TEST(asked_and_answered)
{
	struct fake_world w = world();
	struct ts_host *h = fake_host(&w, (struct ts_host_spec){0});
	struct ts_host_attrs a;
	struct ts_host_list l;
	char *path;

	ck_assert_int_eq(ts_host_stat(h, &a, "file", true, NULL, &err), TS_OK);
	ck_assert(a.kind == TS_HOST_FILE && a.size == SIZE && a.mtime == 7);
	ck_assert_int_eq(ts_host_stat(h, &a, "odd", true, NULL, &err), TS_OK);
	ck_assert(a.size == -1);
	ck_assert_int_eq(ts_host_stat(h, &a, "nothing", true, NULL, &err), TS_E_NOT_FOUND);
	ck_assert_int_eq(ts_host_realpath(h, &path, ".", false, NULL, &err), TS_OK);
	ck_assert_str_eq(path, "/home/me");
	free(path);
	ck_assert_int_eq(ts_host_list(h, &l, "dir", true, NULL, &err), TS_OK);
	ck_assert_uint_eq(l.count, 7);
	ck_assert_uint_eq(l.left_out, 1);
	ck_assert_str_eq(l.entry[0].name, "name3");
	ck_assert(l.entry[0].attrs.kind == TS_HOST_DIRECTORY && l.entry[1].attrs.size == 4);
	ts_host_list_fini(&l);
	ck_assert_int_eq(ts_host_list(h, &l, "nowhere", true, NULL, &err), TS_E_NOT_FOUND);
	ck_assert_uint_eq(l.count, 0);
	ts_host_free(h);
	ck_assert_int_eq(w.opens, w.closes);
	ck_assert_int_eq(w.connections, 1);
}
END_TEST

/* A FIFO, a directory, a file without a size: never opened, or not for long. */
START_TEST(no_files)
{
	struct fake_world w = world();
	struct ts_host *h = fake_host(&w, (struct ts_host_spec){0});
	struct ts_host_file *f;

	ck_assert_int_eq(ts_host_open(h, &f, "fifo", true, NULL, &err), TS_E_FORMAT);
	ck_assert_ptr_null(f);
	ck_assert_int_eq(w.opens, 0);
	ck_assert_int_eq(ts_host_open(h, &f, "odd", true, NULL, &err), TS_E_FORMAT);
	ck_assert_int_eq(ts_host_open(h, &f, "nothing", true, NULL, &err), TS_E_NOT_FOUND);
	ck_assert_int_eq(ts_host_open(h, &f, "none", true, NULL, &err), TS_OK);
	ck_assert_int_eq(ts_host_file_size(f), 0);
	ts_host_close(f);
	ts_host_free(h);
}
END_TEST

/* Whatever a server gives of what it is asked, and in which order. */
START_TEST(reading)
{
	for (int i = 0; i < 96; i++) {
		struct fake_world w = world();
		struct ts_host *h;

		w.handles = (enum fake_handles)(i / 32);
		w.most = (uint32_t[]){0, 1000, 4095, 65536}[i % 4];
		w.max_read = i & 4 ? 261120 : 0;
		w.backwards = i & 8;
		w.channels = i & 16 ? 1 : 0;
		h = fake_host(&w, (struct ts_host_spec){0});
		ck_assert_int_eq(read_some(h, "file", SIZE, i % 3 == 0), TS_OK);
		ck_assert_int_eq(read_some(h, "tera", UINT64_C(1) << 40, true), TS_OK);
		ts_host_free(h);
	}
}
END_TEST

/* A host with a file open. It took `bursts`, or more: a thread that comes late says hello alone, so a few are tried. */
static struct ts_host *
opened_in(struct fake_world *w, struct ts_host_file **f, const struct ts_host_opening *as,
	int bursts)
{
	struct ts_host *h;

	for (int i = 0;; i++) {
		*w = world();
		h = fake_host(w, (struct ts_host_spec){0});
		ck_assert_int_eq(ts_host_open_as(h, f, "file", as, true, NULL, &err), TS_OK);
		if (w->bursts <= bursts || i == 20)
			return h;
		ts_host_close(*f);
		ts_host_free(h);
	}
}

/* Pages that are asked together cost one round trip, as packets one burst. */
START_TEST(one_burst)
{
	const struct ts_host_opening plain = {0};
	struct fake_world w;
	struct ts_host *h;
	struct ts_host_range r[200];
	unsigned char *bytes = malloc(200 * 4096);
	struct ts_host_state before, after;
	struct ts_host_file *f;
	int bursts;

	h = opened_in(&w, &f, &plain, 3);
	ck_assert_int_eq(w.bursts, 3); /* hello and stat; open; its attributes and first page */
	for (int i = 0; i < 200; i++)
		r[i] = (struct ts_host_range){i * 3 * 4096, 4096, 0};
	do
		ts_host_state(h, &before);
	while (before.round_trips < 3);
	bursts = w.bursts;
	ck_assert_int_eq(ts_host_read(f, bytes, r, 200, true, NULL, &err), TS_OK);
	ck_assert(is_right(bytes, r, 200, SIZE, 0));
	ck_assert_int_eq(w.bursts, bursts + 1);
	do
		ts_host_state(h, &after);
	while (after.requests < before.requests + 200);
	ck_assert_int_le(after.round_trips, before.round_trips + 1);
	ts_host_close(f);
	ts_host_free(h);
	free(bytes);
}
END_TEST

/* What was seen to be a file is not looked at, and what is behind the first page comes with it, once. */
START_TEST(opened_ahead)
{
	const struct ts_host_opening as = {.regular = true, .ahead = TS_HOST_AHEAD};
	struct fake_world w;
	struct ts_host *h;
	struct ts_host_range all = {TS_HOST_FIRST_PAGE, 0, 0};
	struct ts_host_file *f;
	unsigned char *ahead;

	h = opened_in(&w, &f, &as, 2);
	ck_assert_int_eq(w.bursts, 2); /* hello and open; its attributes and pages */
	ahead = ts_host_file_take_ahead(f, &all.got);
	all.n = all.got;
	ck_assert_uint_ge(all.got, 16384);
	ck_assert_uint_le(all.got, TS_HOST_AHEAD);
	ck_assert(is_right(ahead, &all, 1, SIZE, 0));
	free(ahead);
	ck_assert_ptr_null(ts_host_file_take_ahead(f, &all.got));
	ts_host_close(f);
	ts_host_free(h);
}
END_TEST

/* A host whose limits are known, with a file open twice; how many bursts each took, or more, as opened_in(). */
static struct ts_host *
opened_twice(struct fake_world *w, const struct fake_world *as_world, struct ts_host_file *f[2],
	const struct ts_host_opening *as, const int bursts[2], int took[2])
{
	struct ts_host_attrs a;
	struct ts_host *h;

	for (int i = 0;; i++) {
		*w = *as_world;
		h = fake_host(w, (struct ts_host_spec){0});
		for (int k = 0; k < 2; k++) /* behind the second one its limits are known */
			ck_assert_int_eq(ts_host_stat(h, &a, "file", true, NULL, &err), TS_OK);
		for (int k = 0; k < 2; k++) {
			took[k] = w->bursts;
			ck_assert_int_eq(ts_host_open_as(h, &f[k], "file", as, true, NULL, &err),
				TS_OK);
			took[k] = w->bursts - took[k];
		}
		if (i == 20 || (took[0] <= bursts[0] && took[1] <= bursts[1]))
			return h;
		ts_host_close(f[0]);
		ts_host_close(f[1]);
		ts_host_free(h);
	}
}

/* Where the handle is known before it is there, a file is opened in one burst; a handle that is another one is seen. */
START_TEST(known_handle)
{
	static const int bursts[][2] =
		{[FAKE_NAMES] = {2, 2}, [FAKE_NUMBERS] = {1, 2}, [FAKE_FROM_1] = {2, 2}};
	static const int any[2] = {INT_MAX, INT_MAX};

	for (int i = 0; i < 12; i++) {
		const struct ts_host_opening as = {.regular = true,
			.ahead = i % 2 ? TS_HOST_AHEAD : 0};
		struct fake_world like = world(), w;
		struct ts_host *h;
		struct ts_host_file *f[2];
		size_t n;
		int took[2];

		like.handles = (enum fake_handles)(i / 2 % 3);
		like.max_read = 100000;
		like.backwards = i >= 6;
		h = opened_twice(&w, &like, f, &as, like.backwards ? any : bursts[like.handles],
			took);
		for (int k = 0; k < 2; k++) {
			if (!w.backwards)
				ck_assert_int_eq(took[k], bursts[w.handles][k]);
			ck_assert_int_eq(ts_host_file_size(f[k]), SIZE);
			(void)ts_host_file_first(f[k], &n);
			ck_assert_uint_eq(n, TS_HOST_FIRST_PAGE);
			free(ts_host_file_take_ahead(f[k], &n));
			ck_assert_uint_eq(n, as.ahead);
		}
		ts_host_close(f[0]);
		ts_host_close(f[1]);
		ts_host_free(h);
	}
}
END_TEST

/* Requests that are made beside others. */
struct beside {
	pthread_t thread;
	struct ts_host *h;
	struct ts_host_file *f;
};

static void *
open_beside(void *arg)
{
	const struct ts_host_opening regular = {.regular = true};
	struct beside *b = arg;
	struct ts_err e = {0};

	return ts_host_open_as(b->h, &b->f, "file", &regular, true, NULL, &e) ? arg : NULL;
}

enum { MANY = TS_SFTP_FLIGHT + 50 };

static void *
read_beside(void *arg)
{
	struct beside *b = arg;
	struct ts_host_range r[MANY];
	unsigned char *bytes = malloc((size_t)MANY * 4096);
	struct ts_err e = {0};
	bool right;

	for (int i = 0; i < MANY; i++)
		r[i] = (struct ts_host_range){(int64_t)i * 1000003, 4096, 0};
	right = ts_host_read(b->f, bytes, r, MANY, true, NULL, &e) == TS_OK &&
		is_right(bytes, r, MANY, UINT64_C(1) << 40, 0);
	free(bytes);
	return right ? NULL : arg;
}

static void
until_requests(struct ts_host *h, int64_t n)
{
	struct ts_host_state s = {0};

	for (int i = 0; i < 20000 && s.requests < n; i++) {
		usleep(500);
		ts_host_state(h, &s);
	}
	ck_assert_int_eq(s.requests, n);
}

/* A handle comes while as much is out as can be: what cannot be looked at is closed, and opened again. */
START_TEST(no_room_to_look)
{
	const struct ts_host_opening regular = {.regular = true};
	struct fake_world w = world();
	struct ts_host *h = fake_host(&w, (struct ts_host_spec){0});
	struct beside opener = {.h = h}, reader = {.h = h};
	struct ts_host_attrs a;
	void *failed;

	ck_assert_int_eq(ts_host_open_as(h, &reader.f, "tera", &regular, true, NULL, &err), TS_OK);
	until_requests(h, 3);
	atomic_store(&w.hold, true);
	ck_assert_int_eq(pthread_create(&opener.thread, NULL, open_beside, &opener), 0);
	until_requests(h, 4);
	ck_assert_int_eq(pthread_create(&reader.thread, NULL, read_beside, &reader), 0);
	until_requests(h, 3 + TS_SFTP_FLIGHT);
	atomic_store(&w.hold, false);
	ck_assert_int_eq(ts_host_stat(h, &a, "file", true, NULL, &err), TS_OK);
	pthread_join(opener.thread, &failed);
	ck_assert_ptr_null(failed);
	pthread_join(reader.thread, &failed);
	ck_assert_ptr_null(failed);
	ck_assert_int_eq(w.opens, 3);
	ts_host_close(opener.f);
	ts_host_close(reader.f);
	for (int i = 0; i < 1000 && w.closes < w.opens; i++)
		usleep(5000);
	ck_assert_int_eq(w.opens, w.closes);
	ts_host_free(h);
}
END_TEST

/* Much that is not urgent goes over other channels; a host that gives none has it on the first. */
START_TEST(many_channels)
{
	for (int given = 0; given < 3; given++) {
		struct fake_world w = world();
		struct ts_host *h;
		struct ts_host_range r = {0, 6 << 20, 0};
		unsigned char *bytes = malloc(6 << 20);
		struct ts_host_file *f;

		w.max_read = 261120;
		w.channels = given;
		h = fake_host(&w, (struct ts_host_spec){0});
		ck_assert_int_eq(ts_host_open(h, &f, "tera", true, NULL, &err), TS_OK);
		for (int i = 0; i < 2; i++) {
			r.offset = i * 12345678901;
			ck_assert_int_eq(ts_host_read(f, bytes, &r, 1, false, NULL, &err), TS_OK);
			ck_assert(is_right(bytes, &r, 1, UINT64_C(1) << 40, 0));
		}
		ck_assert_int_ge(w.open_channels_max, 2); /* it was tried */
		ts_host_close(f);
		for (int i = 0; i < 1000 && w.closes < w.opens; i++)
			usleep(5000);
		ck_assert_int_eq(w.opens, w.closes);
		ts_host_free(h);
		free(bytes);
	}
}
END_TEST

/* Large listings: asked ahead, so that a hundred answers are few round trips; without an end they are left. */
START_TEST(listing)
{
	struct fake_world w = world();
	struct ts_host *h;
	struct ts_host_list l;

	w.entries = 10000;
	h = fake_host(&w, (struct ts_host_spec){0});
	ck_assert_int_eq(ts_host_list(h, &l, "dir", true, NULL, &err), TS_OK);
	ck_assert_uint_eq(l.count, 9997);
	ck_assert_int_le(w.bursts, 12);
	ts_host_list_fini(&l);
	ts_host_free(h);

	w = world();
	w.entries = -1;
	h = fake_host(&w, (struct ts_host_spec){0});
	ck_assert_int_eq(ts_host_list(h, &l, "dir", true, NULL, &err), TS_OK);
	ck_assert_uint_eq(l.count, TS_HOST_ENTRIES);
	ck_assert_uint_gt(l.left_out, TS_HOST_ENTRIES);
	ts_host_list_fini(&l);
	ts_host_free(h);
}
END_TEST

/* Everything that can go wrong, at each of the first packets: an answer that is right, or an error; never the end. */
START_TEST(wrong)
{
	bool lost = _i == FAKE_CUT || _i == FAKE_SILENT;
	int right = 0;

	for (int at = 1; at < 90; at += at < 12 ? 1 : 7) {
		struct fake_world w = world();
		struct ts_host *h;
		struct ts_host_list l;
		enum ts_code code, list;

		w.most = at % 2 ? 0 : 3000;
		w.max_read = at % 3 ? 0 : 100000;
		w.handles = at % 2 ? FAKE_NUMBERS : FAKE_FROM_1;
		w.wrong_at = at;
		w.wrong = _i;
		h = fake_host(&w, (struct ts_host_spec){.stall_ms = 50, .connect_ms = 3000});
		code = read_some(h, "file", SIZE, at % 2);
		list = ts_host_list(h, &l, "dir", true, NULL, &err);
		ck_assert(list || l.count == 7);
		ts_host_list_fini(&l);
		ck_assert(code == TS_OK || code == TS_E_CONNECT ||
			(code == TS_E_SYS && _i == FAKE_FAILURE));
		right += !code;
		/* a connection that was there is found again, and nobody notices */
		ck_assert_msg(!lost || at == 1 || !code, "at %d: %s", at, err.msg);
		ts_host_free(h);
	}
	ck_assert(!lost || right > 10);
}
END_TEST

static void
until(struct ts_host *h, struct ts_host_state *s, enum ts_host_is is, bool asking)
{
	int64_t end = ts_clock_us() + 100000000;

	do
		ts_host_state(h, s);
	while ((s->is != is || s->asking != asking) && ts_clock_us() < end);
	ck_assert(s->is == is && s->asking == asking);
}

/* Cut while it is open; what it is afterwards. */
START_TEST(other_file)
{
	static const enum ts_code expected[] = {TS_OK, TS_E_STALE, TS_E_NOT_FOUND, TS_E_SYS};
	struct fake_world w = world();
	struct ts_host *h = fake_host(&w, (struct ts_host_spec){0});
	struct ts_host_range r = {100000, 4096, 0};
	unsigned char bytes[4096];
	struct ts_host_file *f;

	ck_assert_int_eq(ts_host_open(h, &f, "file", true, NULL, &err), TS_OK);
	ck_assert_int_eq(ts_host_read(f, bytes, &r, 1, true, NULL, &err), TS_OK);
	if (_i == 1)
		w.file[0].salt = 9;
	if (_i >= 2)
		w.file[0].gone = _i == 2 ? TS_SFTP_NO_SUCH_FILE : TS_SFTP_PERMISSION_DENIED;
	w.wrong = FAKE_CUT;
	w.wrong_at = 1;
	ck_assert_int_eq(ts_host_read(f, bytes, &r, 1, true, NULL, &err), expected[_i]);
	ck_assert_int_eq(w.connections, 2);
	ck_assert(_i > 0 || is_right(bytes, &r, 1, SIZE, 0));
	ck_assert_int_eq(ts_host_file_has_failed(f), _i > 0);
	ts_host_close(f);
	w.file[0].gone = 0; /* what is opened anew may be read, on the same connection */
	ck_assert_int_eq(ts_host_open(h, &f, "file", true, NULL, &err), TS_OK);
	ck_assert(!ts_host_file_has_failed(f));
	ck_assert_int_eq(ts_host_read(f, bytes, &r, 1, true, NULL, &err), TS_OK);
	ck_assert_int_eq(w.connections, 2);
	ts_host_close(f);
	ts_host_free(h);
}
END_TEST

static _Atomic int64_t slept;

static int64_t
slept_us(void)
{
	return atomic_load(&slept);
}

/* An hour of sleep: it is reached anew and reads on, without waiting for an answer first; a nap is nothing. */
START_TEST(asleep)
{
	struct fake_world w = world();
	struct ts_host *h;
	struct ts_host_file *f;
	struct ts_host_range r = {8192, 4096, 0};
	struct ts_host_state s;
	unsigned char bytes[4096];

	atomic_store(&slept, 1);
	h = fake_host(&w, (struct ts_host_spec){.slept_us = slept_us});
	ck_assert_int_eq(ts_host_open(h, &f, "file", true, NULL, &err), TS_OK);
	for (int i = 0; i < 2; i++) {
		atomic_fetch_add(&slept, i ? INT64_C(3600000000) : INT64_C(10000000));
		ck_assert_int_eq(ts_host_read(f, bytes, &r, 1, true, NULL, &err), TS_OK);
		ck_assert(is_right(bytes, &r, 1, SIZE, 0));
		ck_assert_int_eq(atomic_load(&w.connections), 1 + i);
	}
	ts_host_state(h, &s);
	for (int i = 0; i < 4000 && (s.connections < 2 || s.is != TS_HOST_CONNECTED); i++) {
		usleep(5000); /* the answer may be here before the state is told */
		ts_host_state(h, &s);
	}
	ck_assert_int_eq(s.connections, 2);
	ck_assert_int_eq(s.is, TS_HOST_CONNECTED);
	ck_assert_msg(strstr(s.err.msg, "asleep for 3600 s"), "%s", s.err.msg);
	/* and the file may be another one by then */
	atomic_fetch_add(&slept, INT64_C(3600000000));
	atomic_store(&w.file[0].salt, 1);
	ck_assert_int_eq(ts_host_read(f, bytes, &r, 1, true, NULL, &err), TS_E_STALE);
	ts_host_close(f);
	ts_host_free(h);
}
END_TEST

/* Replaced, deleted or refused while a read is out: it ends with that, and gives no bytes of either as if they were of one file. */
START_TEST(other_file_in_a_read)
{
	static const enum ts_code codes[] = {TS_E_STALE, TS_E_NOT_FOUND, TS_E_SYS};
	struct fake_world w = world();
	struct ts_host *h = fake_host(&w, (struct ts_host_spec){0});
	struct ts_host_file *f;
	struct ts_host_range r = {4096, 2 << 20, 0};
	unsigned char *bytes = malloc(2 << 20);

	w.max_read = 32768;
	ck_assert_int_eq(ts_host_open(h, &f, "file", true, NULL, &err), TS_OK);
	w.cut_salt = _i == 0;
	w.cut_gone = _i == 1 ? TS_SFTP_NO_SUCH_FILE : _i == 2 ? TS_SFTP_PERMISSION_DENIED : 0;
	atomic_store(&w.wrong, FAKE_CUT);
	atomic_store(&w.wrong_at, 20); /* of 64 pieces */
	ck_assert_int_eq(ts_host_read(f, bytes, &r, 1, true, NULL, &err), codes[_i]);
	ck_assert_int_ge(atomic_load(&w.reads), 15);
	ck_assert_int_eq(atomic_load(&w.connections), 2);
	ts_host_close(f);
	ts_host_free(h);
	free(bytes);
}
END_TEST

START_TEST(questions)
{
	struct fake_world w = world();
	struct ts_host *h;
	struct ts_host_state s;
	struct ts_host_attrs a;
	struct ts_question q;

	w.password = true;
	h = fake_host(&w, (struct ts_host_spec){.to = {.ask = true}, .connect_ms = 2000});
	until(h, &s, TS_HOST_CONNECTING, true);
	usleep(2500000); /* the time of a question does not count */
	ck_assert(ts_host_question(h, &q));
	ck_assert(q.kind == TS_ASK_PASSWORD && strcmp(q.text, "Password:") == 0);
	ts_host_answer(h, q.number + 1, "no", 2); /* of another one */
	ts_host_answer(h, q.number, "secret", 6);
	ck_assert_int_eq(ts_host_stat(h, &a, "file", true, NULL, &err), TS_OK);
	until(h, &s, TS_HOST_CONNECTED, false);
	ck_assert(!ts_host_question(h, &q));
	ts_host_free(h);

	h = fake_host(&w, (struct ts_host_spec){.to = {.ask = true}});
	until(h, &s, TS_HOST_CONNECTING, true);
	ck_assert(ts_host_question(h, &q));
	ts_host_answer(h, q.number, NULL, 0);
	until(h, &s, TS_HOST_FAILED, false);
	ck_assert_int_eq(ts_host_stat(h, &a, "file", true, NULL, &err), TS_E_CONNECT);
	ck_assert_str_eq(err.msg, "wrong");
	ts_host_retry(h);
	until(h, &s, TS_HOST_CONNECTING, true);
	ts_host_free(h);
}
END_TEST

START_TEST(cancelled)
{
	struct fake_world w = world();
	struct ts_host *h = fake_host(&w, (struct ts_host_spec){0});
	struct ts_cancel cancel = {0};
	struct ts_host_attrs a;
	struct ts_host_list l;
	struct ts_host_file *f;
	struct ts_host_state s;

	ck_assert_int_eq(ts_host_stat(h, &a, "file", true, NULL, &err), TS_OK);
	w.wrong = FAKE_SILENT;
	w.wrong_at = 1;
	ts_cancel_set(&cancel);
	ck_assert_int_eq(ts_host_open(h, &f, "file", true, &cancel, &err), TS_E_CANCELLED);
	ck_assert_int_eq(ts_host_list(h, &l, "dir", false, &cancel, &err), TS_E_CANCELLED);
	do
		ts_host_state(h, &s);
	while (s.is == TS_HOST_CONNECTED && s.silent_us == 0);
	ck_assert_int_eq(s.is, TS_HOST_CONNECTED);
	ts_host_stop(h);
	until(h, &s, TS_HOST_FAILED, false);
	ck_assert_int_eq(ts_host_stat(h, &a, "file", true, NULL, &err), TS_E_CONNECT);
	ts_host_retry(h);
	until(h, &s, TS_HOST_CONNECTED, false);
	ck_assert_int_eq(ts_host_stat(h, &a, "file", true, NULL, &err), TS_OK);
	for (int i = 0; i < 200;
		i++) { /* who asks behind both is answered, whatever the thread has seen of them */
		ts_host_stop(h);
		ts_host_retry(h);
		ck_assert_msg(ts_host_stat(h, &a, "file", true, NULL, &err) == TS_OK, "%d: %s", i,
			err.msg);
	}
	ts_host_free(h);
}
END_TEST

/* Lost again and again: as many attempts as are allowed, then it says so. */
START_TEST(attempts)
{
	struct fake_world w = world();
	struct ts_host *h = fake_host(&w, (struct ts_host_spec){.attempts = 1});
	struct ts_host_attrs a;

	ck_assert_int_eq(ts_host_stat(h, &a, "file", true, NULL, &err), TS_OK);
	w.refuse = true;
	w.wrong = FAKE_CUT;
	w.wrong_at = 1;
	ck_assert_int_eq(ts_host_stat(h, &a, "file", true, NULL, &err), TS_E_CONNECT);
	ck_assert_str_eq(err.msg, "refused");
	ts_host_free(h);

	w = world();
	w.refuse = true;
	h = fake_host(&w, (struct ts_host_spec){0});
	ck_assert_int_eq(ts_host_stat(h, &a, "file", true, NULL, &err), TS_E_CONNECT);
	ts_host_free(h);

	w = world();
	w.version = 2;
	h = fake_host(&w, (struct ts_host_spec){0});
	ck_assert_int_eq(ts_host_stat(h, &a, "file", true, NULL, &err), TS_E_CONNECT);
	ck_assert_ptr_nonnull(strstr(err.msg, "version 2"));
	ts_host_free(h);

	w = world();
	w.wrong = FAKE_GARBAGE;
	w.wrong_at = 1;
	h = fake_host(&w, (struct ts_host_spec){0});
	ck_assert_int_eq(ts_host_stat(h, &a, "file", true, NULL, &err), TS_E_CONNECT);
	ck_assert_ptr_nonnull(strstr(err.msg, "start-up file"));
	ts_host_free(h);
}
END_TEST

/* Who says hello each time and answers nothing is not reached: it ends. */
START_TEST(mute)
{
	struct fake_world w = world();
	struct ts_host *h = fake_host(&w, (struct ts_host_spec){.attempts = 2, .stall_ms = 30});
	struct ts_host_attrs a;

	atomic_store(&w.mute, true);
	ck_assert_int_eq(ts_host_stat(h, &a, "file", true, NULL, &err), TS_E_CONNECT);
	ck_assert_int_eq(atomic_load(&w.connections), 3);
	/* and is again when it speaks */
	atomic_store(&w.mute, false);
	ts_host_retry(h);
	for (int i = 0; i < 400 && ts_host_stat(h, &a, "file", true, NULL, &err); i++)
		usleep(5000);
	ck_assert_int_eq(ts_host_stat(h, &a, "file", true, NULL, &err), TS_OK);
	ts_host_free(h);
}
END_TEST

/* Who opens the file again each time, and never answers what is waited for: it ends, too. */
START_TEST(opens_then_mute)
{
	struct fake_world w = world();
	struct ts_host *h = fake_host(&w, (struct ts_host_spec){.attempts = 2, .stall_ms = 30});
	struct ts_host_range r = {100000, 4096, 0};
	unsigned char bytes[4096];
	struct ts_host_file *f;

	ck_assert_int_eq(ts_host_open(h, &f, "file", true, NULL, &err), TS_OK);
	atomic_store(&w.mute_on, true);
	ck_assert_int_eq(ts_host_read(f, bytes, &r, 1, true, NULL, &err), TS_E_CONNECT);
	ck_assert_int_eq(atomic_load(&w.connections), 3);
	ck_assert_int_eq(atomic_load(&w.opens), 3);
	ts_host_close(f);
	ts_host_free(h);
}
END_TEST

/* Lost again and again, many more times than it is tried in vain: an honest host is read on. */
START_TEST(lost_often)
{
	struct fake_world w = world();
	struct ts_host *h = fake_host(&w, (struct ts_host_spec){.attempts = 2});
	struct ts_host_file *f;
	unsigned char bytes[4096];

	ck_assert_int_eq(ts_host_open(h, &f, "file", true, NULL, &err), TS_OK);
	for (int i = 0; i < 8; i++) {
		struct ts_host_range r = {100000 + i * 4096, 4096, 0};

		atomic_store(&w.wrong, FAKE_CUT);
		atomic_store(&w.wrong_at, 1);
		ck_assert_int_eq(ts_host_read(f, bytes, &r, 1, true, NULL, &err), TS_OK);
		ck_assert(is_right(bytes, &r, 1, SIZE, 0));
		ck_assert_int_eq(atomic_load(&w.connections), 2 + i);
	}
	ts_host_close(f);
	ts_host_free(h);
}
END_TEST

/* Lost each time before what is waited for is whole, though some of it came: it ends. */
START_TEST(never_whole)
{
	struct fake_world w = world();
	struct ts_host *h = fake_host(&w, (struct ts_host_spec){.attempts = 2});
	struct ts_host_range r = {100000, 2000000, 0};
	unsigned char *bytes = malloc(r.n);
	struct ts_host_file *f;

	ck_assert_ptr_nonnull(bytes);
	ck_assert_int_eq(ts_host_open(h, &f, "file", true, NULL, &err), TS_OK);
	atomic_store(&w.cut_after, 20);
	ck_assert_int_eq(ts_host_read(f, bytes, &r, 1, true, NULL, &err), TS_E_CONNECT);
	ck_assert_int_eq(atomic_load(&w.connections), 3);
	/* and is read when the connection lasts */
	atomic_store(&w.cut_after, 0);
	ts_host_retry(h);
	for (int i = 0; i < 400 && ts_host_read(f, bytes, &r, 1, true, NULL, &err); i++)
		usleep(5000);
	ck_assert(is_right(bytes, &r, 1, SIZE, 0));
	ts_host_close(f);
	ts_host_free(h);
	free(bytes);
}
END_TEST

START_TEST(bounds)
{
	struct fake_world w = world();
	struct ts_host *h = fake_host(&w, (struct ts_host_spec){0});
	struct ts_host_range r = {-1, 10, 0};
	struct ts_host_file *f;
	char byte[10];

	ck_assert_int_eq(ts_host_open(h, &f, "file", true, NULL, &err), TS_OK);
	ck_assert_int_eq(ts_host_read(f, byte, &r, 1, true, NULL, &err), TS_E_FORMAT);
	r = (struct ts_host_range){0, TS_HOST_READ_MAX + 1, 0};
	ck_assert_int_eq(ts_host_read(f, byte, &r, 1, true, NULL, &err), TS_E_LIMIT);
	r = (struct ts_host_range){0, SIZE_MAX, 0};
	ck_assert_int_eq(ts_host_read(f, byte, &r, 1, true, NULL, &err), TS_E_LIMIT);
	r = (struct ts_host_range){INT64_MAX, 10, 0};
	ck_assert_int_eq(ts_host_read(f, byte, &r, 1, true, NULL, &err), TS_OK);
	ck_assert_uint_eq(r.got, 0);
	ts_host_close(f);
	ts_host_free(h);
}
END_TEST

/* Several threads, urgent and not, while the connection is cut now and then. */
static void *
reader(void *arg)
{
	struct ts_host *h = arg;

	for (int i = 0; i < 10; i++)
		if (read_some(h, "file", SIZE, i % 2))
			return arg;
	return NULL;
}

START_TEST(threads)
{
	struct fake_world w = world();
	struct ts_host *h = fake_host(&w, (struct ts_host_spec){0});
	pthread_t t[4];
	void *failed;

	w.wrong = FAKE_CUT;
	for (int i = 0; i < 4; i++)
		ck_assert_int_eq(pthread_create(&t[i], NULL, reader, h), 0);
	for (int i = 0; i < 10; i++) {
		usleep(10000);
		w.wrong_at = 20;
	}
	for (int i = 0; i < 4; i++) {
		pthread_join(t[i], &failed);
		ck_assert_ptr_null(failed);
	}
	ts_host_free(h);
}
END_TEST

/* --- OpenSSH's own ---------------------------------------------------------------------------- */

#define SERVER "/usr/lib/openssh/sftp-server"

START_TEST(a_real_server)
{
	char dir[] = "/tmp/tilescope-host-XXXXXX", path[100], ssh[100];
	struct ts_host_spec spec = {.to = {.host = "example"}, .connect = ts_transport_child_new};
	struct ts_host_range r[2] = {{4096 * 3, 4096, 0}, {0, 10 << 20, 0}};
	unsigned char *bytes = malloc(11 << 20);
	struct ts_host_list l;
	struct ts_host_file *f;
	struct ts_host *h;
	FILE *out;

	if (access(SERVER, X_OK) < 0) {
		fprintf(stderr, "no %s: left out\n", SERVER);
		free(bytes);
		return;
	}
	ck_assert_ptr_nonnull(mkdtemp(dir));
	snprintf(ssh, sizeof(ssh), "%s/ssh", dir);
	out = fopen(ssh, "w");
	fprintf(out, "#!/bin/sh\nexec " SERVER "\n");
	fclose(out);
	chmod(ssh, 0700);
	snprintf(path, sizeof(path), "%s/file", dir);
	out = fopen(path, "w");
	for (uint64_t i = 0; i < 10 << 20; i++)
		putc(fake_byte(i, 0), out);
	fclose(out);
	spec.to.program = ssh;
	ck_assert_int_eq(ts_host_new(&h, &spec, &err), TS_OK);
	ck_assert_msg(ts_host_open(h, &f, path, true, NULL, &err) == TS_OK, "%s", err.msg);
	for (int i = 0; i < 6; i++) {
		ck_assert_int_eq(ts_host_read(f, bytes, r, 2, i % 2, NULL, &err), TS_OK);
		ck_assert(is_right(bytes, r, 2, 10 << 20, 0));
	}
	ck_assert_int_eq(ts_host_list(h, &l, dir, false, NULL, &err), TS_OK);
	ck_assert_uint_eq(l.count, 2);
	ts_host_list_fini(&l);
	ts_host_close(f);
	ck_assert_int_eq(ts_host_open(h, &f, dir, true, NULL, &err), TS_E_FORMAT);
	ck_assert_str_eq(err.msg, "is a directory");
	ts_host_free(h);
	unlink(ssh);
	unlink(path);
	rmdir(dir);
	free(bytes);
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("host");
	TCase *t = tcase_create("host");
	SRunner *r;
	int failed;

	tcase_set_timeout(t, 120);
	tcase_add_test(t, asked_and_answered);
	tcase_add_test(t, no_files);
	tcase_add_test(t, reading);
	tcase_add_test(t, one_burst);
	tcase_add_test(t, opened_ahead);
	tcase_add_test(t, known_handle);
	tcase_add_test(t, no_room_to_look);
	tcase_add_test(t, many_channels);
	tcase_add_test(t, listing);
	tcase_add_loop_test(t, wrong, FAKE_RIGHT + 1, FAKE_WRONGS);
	tcase_add_loop_test(t, other_file, 0, 4);
	tcase_add_test(t, asleep);
	tcase_add_loop_test(t, other_file_in_a_read, 0, 3);
	tcase_add_test(t, questions);
	tcase_add_test(t, cancelled);
	tcase_add_test(t, attempts);
	tcase_add_test(t, mute);
	tcase_add_test(t, opens_then_mute);
	tcase_add_test(t, lost_often);
	tcase_add_test(t, never_whole);
	tcase_add_test(t, bounds);
	tcase_add_test(t, threads);
	tcase_add_test(t, a_real_server);
	suite_add_tcase(s, t);
	r = srunner_create(s);
	srunner_run_all(r, CK_NORMAL);
	failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
