/* SPDX-License-Identifier: MIT */
/*
 * Files that change in all the ways in which files change: each is heard of, and what others do beside
 * them is not.
 */
#include "config.h"

#include <check.h>
#include <fcntl.h>
#include <ftw.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tilescope/base/mem.h"
#include "tilescope/io/file_watch.h"
#include "tilescope/io/files.h"
#include "tilescope/report/watched.h"

enum { LIMIT_MS = 20000 }; /* only for what hangs */

/* Every test has a directory of its own and works inside: d/r/profile.pop, d/debug.cbor -> ../far/debug.cbor */
static char dir[64], path[128], debug[128];

static int
remove_one(const char *name, const struct stat *st, int flag, struct FTW *ftw)
{
	(void)st;
	(void)flag;
	(void)ftw;
	return remove(name);
}

static void
put(const char *name, const char *text)
{
	FILE *f = fopen(name, "w");

	ck_assert_ptr_nonnull(f);
	ck_assert_int_ge(fputs(text, f), 0);
	ck_assert_int_eq(fclose(f), 0);
}

static void
begin(void)
{
	snprintf(dir, sizeof(dir), "/tmp/ts-watch-XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(dir));
	ck_assert_int_eq(chdir(dir), 0);
	ck_assert_int_eq(mkdir("far", 0700) | mkdir("d", 0700) | mkdir("d/r", 0700), 0);
	put("far/debug.cbor", "contexts");
	put("d/r/profile.pop", "profile");
	ck_assert_int_eq(symlink("../far/debug.cbor", "d/debug.cbor"), 0);
	snprintf(path, sizeof(path), "%s/d/r/profile.pop", dir);
	snprintf(debug, sizeof(debug), "%s/d/r/../debug.cbor", dir);
}

static void
end(void)
{
	ck_assert_int_eq(chdir("/"), 0);
	ck_assert_int_eq(nftw(dir, remove_one, 20, FTW_DEPTH | FTW_PHYS), 0);
}

static struct ts_file_watch *
watch(void)
{
	const char *const paths[] = {path, NULL, debug};
	struct ts_file_watch *w = ts_file_watch_new(paths, 3);

	ck_assert_ptr_nonnull(w);
	if (ts_file_watch_fd(w) < 0) /* no instance left on this machine: then it is looked at */
		ck_assert(ts_file_watch_polls(w));
	ck_assert(!ts_file_watch_take(w));
	return w;
}

static bool
heard(struct ts_file_watch *w)
{
	struct pollfd p = {.fd = ts_file_watch_fd(w), .events = POLLIN};

	if (p.fd < 0)
		return true;
	while (poll(&p, 1, LIMIT_MS) > 0)
		if (ts_file_watch_take(w))
			return true;
	return false;
}

static void
rewrite(void)
{
	put(path, "another profile");
}

static void
replace(void)
{
	put("new", "another profile");
	ck_assert_int_eq(rename("new", path), 0);
}

static void
delete_and_make(void)
{
	ck_assert_int_eq(unlink(path), 0);
	put(path, "another profile");
}

static void
cut(void)
{
	ck_assert_int_eq(truncate(path, 3), 0);
}

static void
replace_directory(void)
{
	ck_assert_int_eq(mkdir("other", 0700), 0);
	put("other/profile.pop", "another profile");
	ck_assert_int_eq(rename("d/r", "old"), 0);
	ck_assert_int_eq(rename("other", "d/r"), 0);
}

static void
replace_above(void)
{
	ck_assert_int_eq(rename("d", "old"), 0);
	ck_assert_int_eq(mkdir("d", 0700) | mkdir("d/r", 0700), 0);
	put("d/r/profile.pop", "another profile");
}

static void
link_target(void)
{
	put("far/debug.cbor", "other contexts");
}

static void
link_replaced(void)
{
	put("far/2.cbor", "other contexts");
	ck_assert_int_eq(symlink("../far/2.cbor", "link"), 0);
	ck_assert_int_eq(rename("link", "d/debug.cbor"), 0);
}

static void
target_removed(void)
{
	ck_assert_int_eq(unlink("far/debug.cbor"), 0);
}

static const struct {
	void (*happens)(void);
	const char *file;
} ways[] = {
	{rewrite, path},
	{replace, path},
	{delete_and_make, path},
	{cut, path},
	{replace_directory, path},
	{replace_above, path},
	{link_target, debug},
	{link_replaced, debug},
	{target_removed, debug},
};

START_TEST(every_change_is_heard_and_seen)
{
	struct ts_file_state before, now;
	struct ts_file_watch *w = watch();

	ts_files_state(NULL, &before, ways[_i].file);
	ck_assert(ts_file_is_there(&before));
	ways[_i].happens();
	ck_assert(heard(w));
	ts_files_state(NULL, &now, ways[_i].file);
	ck_assert(!ts_file_state_same(&before, &now));
	ts_file_watch_free(w);
}
END_TEST

/* A file, and a whole directory, that was not there when it was watched. */
START_TEST(what_comes_is_heard)
{
	static const char *const missing[] = {"d/r/vars.json", "no/such/directory/x"};
	struct ts_file_watch *w = ts_file_watch_new(&missing[_i], 1);

	ck_assert_ptr_nonnull(w);
	if (_i == 0)
		put(missing[0], "{}");
	else
		ck_assert_int_eq(mkdir("no", 0700), 0);
	ck_assert(heard(w));
	ts_file_watch_free(w);
}
END_TEST

/* Others are read and forgotten: what comes after them is heard. */
START_TEST(others_are_not_heard)
{
	struct ts_file_watch *w = watch();
	struct pollfd p = {.fd = ts_file_watch_fd(w), .events = POLLIN};

	put("beside", "x");
	put("d/r/archive.b", "x");
	ck_assert_int_eq(unlink("beside"), 0);
	ck_assert_int_eq(rename("d/r/archive.b", "d/r/archive.c"), 0);
	while (p.fd >= 0 && poll(&p, 1, 0) > 0) /* events are there when the call returns */
		ck_assert(!ts_file_watch_take(w));
	rewrite();
	ck_assert(heard(w));
	ts_file_watch_free(w);
}
END_TEST

/* Links in a circle, names without end: the way ends, nothing hangs. */
START_TEST(hostile_paths)
{
	char endless[8000];
	const char *paths[] = {"circle", "self/self/self", endless, "", "/", "d/r/profile.pop/x",
		"a/../../../../../../../../../.."};
	struct ts_file_watch *w;

	memset(endless, 'x', sizeof(endless) - 1);
	endless[sizeof(endless) - 1] = '\0';
	ck_assert_int_eq(symlink("circle", "circle") | symlink(".", "self"), 0);
	w = ts_file_watch_new(paths, (int)TS_COUNT(paths));
	ck_assert_ptr_nonnull(w);
	put("self/circle2", "x");
	ts_file_watch_take(w);
	ts_file_watch_free(w);
}
END_TEST

/* A part that came after the report was opened and before the first look at its files is new. */
START_TEST(what_comes_before_the_first_look)
{
	struct ts_report r = {.path = (char *)"d/r",
		.file = (char *)"d/r/profile.pop",
		.dir = (char *)"d/r"};
	struct ts_part_info *known = &r.part[TS_PART_DEBUG];
	struct ts_watched opened, now = {0};
	struct ts_strbuf names;
	struct stat st;

	ck_assert_int_eq(stat("d/debug.cbor", &st), 0);
	known->path = (char *)"d/r/../debug.cbor";
	known->bytes = st.st_size;
	known->mtime = st.st_mtime;
	put("d/r/vars.json", "{}");
	ts_watched_list(&opened, &r);
	ck_assert_int_eq(ts_watched_look(&opened, &r, NULL, NULL), TS_OK);
	ts_watched_copy(&now, &opened);
	ts_watched_as_opened(&opened, &r);
	ts_strbuf_init(&names, 1000);
	ts_watched_changes(&opened, &now, &names);
	ck_assert_ptr_nonnull(strstr(names.s, "vars.json (new)"));
	ck_assert_ptr_null(strstr(names.s, "debug.cbor"));
	ck_assert_ptr_null(strstr(names.s, "app.json"));
	ts_strbuf_fini(&names);
	ts_watched_fini(&now);
	ts_watched_fini(&opened);
}
END_TEST

START_TEST(without_one)
{
	ck_assert_int_eq(ts_file_watch_fd(NULL), -1);
	ck_assert(ts_file_watch_polls(NULL));
	ck_assert(!ts_file_watch_take(NULL));
	ts_file_watch_free(NULL);
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("file_watch");
	TCase *tc = tcase_create("watch");
	SRunner *r;
	int failed;

	tcase_add_checked_fixture(tc, begin, end);
	tcase_add_loop_test(tc, every_change_is_heard_and_seen, 0, (int)TS_COUNT(ways));
	tcase_add_loop_test(tc, what_comes_is_heard, 0, 2);
	tcase_add_test(tc, others_are_not_heard);
	tcase_add_test(tc, hostile_paths);
	tcase_add_test(tc, what_comes_before_the_first_look);
	tcase_add_test(tc, without_one);
	tcase_set_timeout(tc, 60);
	suite_add_tcase(s, tc);
	r = srunner_create(s);
	srunner_run_all(r, CK_NORMAL);
	failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed ? 1 : 0;
}
