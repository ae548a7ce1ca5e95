/* SPDX-License-Identifier: MIT */
/*
 * Which file a path means, and which reports lie below a directory.
 */
#include "config.h"

#include <check.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <unistd.h>

#include "tilescope/base/mem.h"
#include "tilescope/report/find.h"

#include "depth.h"

/* Every test has a directory of its own and works inside. */
static char dir[64];
static struct ts_found_list list;
static struct ts_err err;

static int
remove_one(const char *path, const struct stat *st, int flag, struct FTW *ftw)
{
	(void)st;
	(void)flag;
	(void)ftw;
	return remove(path);
}

static void
begin(void)
{
	snprintf(dir, sizeof(dir), "/tmp/ts-find-XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(dir));
	ck_assert_int_eq(chdir(dir), 0);
	err = (struct ts_err){0};
}

static void
end(void)
{
	ts_found_list_fini(&list);
	ck_assert_int_eq(chdir("/"), 0);
	ck_assert_int_eq(nftw(dir, remove_one, 20, FTW_DEPTH | FTW_PHYS), 0);
}

/* A file at a path whose directories are made, if that can be. */
static bool
try_put(const char *path)
{
	char part[200];
	FILE *f;

	for (const char *slash = path; (slash = strchr(slash, '/')); slash++) {
		snprintf(part, sizeof(part), "%.*s", (int)(slash - path), path);
		mkdir(part, 0700);
	}
	f = fopen(path, "w");
	if (!f)
		return false;
	fputs("something", f);
	ck_assert_int_eq(fclose(f), 0);
	return true;
}

static void
put(const char *path)
{
	ck_assert_msg(try_put(path), "%s", path);
}

static void
age(const char *path, int seconds)
{
	const struct timeval times[2] = {{1000000 - seconds, 0}, {1000000 - seconds, 0}};

	ck_assert_int_eq(utimes(path, times), 0);
}

/* Is there an entry for `path` below ".", and what is it? */
static const struct ts_found *
found(const char *path)
{
	for (int i = 0; i < list.count; i++)
		if (strcmp(list.item[i].path, path) == 0)
			return &list.item[i];
	return NULL;
}

static void
search(void)
{
	ts_found_list_fini(&list);
	ck_assert_int_eq(ts_find_reports(&list, NULL, ".", NULL, &err), TS_OK);
}

/* ---- below a directory ---- */

START_TEST(reports_are_found_three_levels_below)
{
	put("profile.pop");
	put("a/profile.pop");
	put("a/b/report.tilescope");
	put("a/b/c/profile.pop");
	put("a/b/c/d/profile.pop");
	put("other/profile.txt");
	mkdir("empty", 0700);
	search();
	ck_assert_int_eq(list.count, 4);
	ck_assert(!list.cut);
	ck_assert_ptr_nonnull(found("."));
	ck_assert_ptr_nonnull(found("./a"));
	ck_assert_ptr_nonnull(found("./a/b"));
	ck_assert_ptr_nonnull(found("./a/b/c"));
	ck_assert_int_eq(found("./a")->bytes, 9);
	ck_assert(!found("./a")->half_written);
}
END_TEST

START_TEST(the_newest_comes_first)
{
	static const char *const names[] = {"b", "a", "d", "c", "e"};
	static const int ages[] = {50, 100, 10, 100, 0};
	static const char *const order[] = {"./e", "./d", "./b", "./a", "./c"};
	char path[40];

	for (size_t i = 0; i < TS_COUNT(names); i++) {
		snprintf(path, sizeof(path), "%s/profile.pop", names[i]);
		put(path);
		age(path, ages[i]);
	}
	search();
	ck_assert_int_eq(list.count, 5);
	for (int i = 0; i < 5; i++)
		ck_assert_str_eq(list.item[i].path, order[i]);
	ck_assert_int_eq(list.item[0].mtime, 1000000);
}
END_TEST

START_TEST(links_are_followed_once)
{
	put("a/profile.pop");
	put("deep/er/profile.pop");
	ck_assert_int_eq(symlink("../a", "a/self"), 0);
	ck_assert_int_eq(symlink("..", "a/up"), 0);
	ck_assert_int_eq(symlink(".", "here"), 0);
	ck_assert_int_eq(symlink("loop", "loop"), 0);
	ck_assert_int_eq(symlink("nowhere", "dangling"), 0);
	ck_assert_int_eq(symlink("deep/er", "link"), 0);
	search();
	ck_assert_int_eq(list.count, 2);
	/* whichever of its names is seen first */
	ck_assert(found("./a") || found("./a/self") || found("./here/a"));
	ck_assert(found("./link") || found("./deep/er"));
}
END_TEST

START_TEST(what_is_no_file_is_passed_over)
{
	mkdir("a", 0700);
	ck_assert_int_eq(mkfifo("a/profile.pop", 0600), 0);
	mkdir("b", 0700);
	mkdir("b/profile.pop", 0700);
	mkdir("c", 0700);
	ck_assert_int_eq(symlink("nowhere", "c/profile.pop"), 0);
	put("d/profile.pop");
	mkdir("e", 0700);
	ck_assert_int_eq(symlink("../d/profile.pop", "e/profile.pop"), 0);
	put(".hidden/profile.pop");
	search();
	ck_assert_int_eq(list.count, 2);
	ck_assert_ptr_nonnull(found("./d"));
	ck_assert_ptr_nonnull(found("./e"));
}
END_TEST

START_TEST(half_written_profiles)
{
	put("a/profile_1a2b.pop");
	put("b/profile_1a2b.pop");
	put("b/profile.pop");
	put("c/profile_.pop");
	search();
	ck_assert_int_eq(list.count, 2);
	ck_assert(found("./a")->half_written);
	ck_assert(!found("./b")->half_written);
	ck_assert_ptr_null(found("./c"));
}
END_TEST

START_TEST(there_is_a_limit_of_reports)
{
	char path[60];

	for (int i = 0; i < TS_FIND_MAX + 5; i++) {
		snprintf(path, sizeof(path), "r%d/profile.pop", i);
		put(path);
	}
	search();
	ck_assert_int_eq(list.count, TS_FIND_MAX);
	ck_assert(list.cut);
	ts_found_list_fini(&list);
	ck_assert_int_eq(ts_find_reports(&list, NULL, "r0", NULL, &err), TS_OK);
	ck_assert_int_eq(list.count, 1);
	ck_assert(!list.cut);
}
END_TEST

START_TEST(there_is_a_limit_of_entries)
{
	char path[60];

	mkdir("a", 0700);
	for (int i = 0; i < TS_FIND_ENTRIES + 10; i++) {
		snprintf(path, sizeof(path), "a/%d", i);
		ck_assert_int_eq(symlink("nowhere", path), 0);
	}
	search();
	ck_assert_int_eq(list.count, 0);
	ck_assert(list.cut);
}
END_TEST

START_TEST(a_search_can_be_cancelled)
{
	struct ts_cancel token = {0};

	put("a/profile.pop");
	ts_cancel_set(&token);
	ck_assert_int_eq(ts_find_reports(&list, NULL, ".", &token, &err), TS_E_CANCELLED);
	ck_assert_int_eq(list.count, 0);
	ck_assert_int_eq(ts_find_reports(&list, NULL, "nowhere", NULL, &err), TS_OK);
	ck_assert_int_eq(list.count, 0);
	ck_assert_int_eq(ts_find_reports(&list, NULL, "a/profile.pop", NULL, &err), TS_OK);
	ck_assert_int_eq(list.count, 0);
}
END_TEST

START_TEST(names_may_be_anything)
{
	put("a\nb/profile.pop");
	put("\033[31m/profile.pop");
	put("\xff\xfe/profile.pop");
	search();
	ck_assert_int_eq(list.count, 3);
	ck_assert_ptr_nonnull(found("./\xff\xfe"));
	ck_assert_ptr_nonnull(found("./a\nb"));
}
END_TEST

/* ---- what a path means ---- */

static void
expect(const char *path, const char *file)
{
	char *got = NULL;

	ck_assert_msg(ts_find_profile(&got, NULL, path, NULL, &err) == TS_OK, "%s: %s", path,
		err.msg);
	ck_assert_str_eq(got, file);
	free(got);
}

static void
refuse(const char *path, enum ts_code code, const char *why)
{
	char *got = (char *)"";

	ck_assert_msg(ts_find_profile(&got, NULL, path, NULL, &err) == code, "%s: %s", path,
		err.msg);
	ck_assert_ptr_null(got);
	ck_assert_msg(strstr(err.msg, why), "%s: %s", path, err.msg);
	ck_assert_ptr_null(strchr(err.msg, '\n'));
}

static void
put_sqlite(const char *path)
{
	FILE *f;

	put(path);
	f = fopen(path, "w");
	ck_assert_ptr_nonnull(f);
	ck_assert_uint_eq(fwrite("SQLite format 3", 1, 16, f), 16);
	ck_assert_int_eq(fclose(f), 0);
}

static void
search_all(const char *below)
{
	ts_found_list_fini(&list);
	ck_assert_int_eq(ts_find_openable(&list, below, NULL, NULL, &err), TS_OK);
}

/* Parts, files under names of their own, and directories to go into. */
START_TEST(everything_openable)
{
	put("a/r/profile.pop");
	put("a/r/archive.a");
	put("a/r/app.json");
	put("a/debug.cbor");
	put("s/report.tilescope");
	put("s/vars.json");
	put("s/framework.json");
	put("s/debug.cbor");
	put("only/archive.a");
	put_sqlite("s/other.tilescope");
	put_sqlite("mine.pop");
	put("no.pop");
	put("empty/deep/er/x");
	ck_assert_int_eq(mkfifo("fifo.pop", 0600) | symlink("..", "empty/up"), 0);
	search_all(".");
	ck_assert_uint_eq(found("./a/r")->parts,
		TS_FOUND_PROFILE | TS_FOUND_ARCHIVE | TS_FOUND_DEBUG | TS_FOUND_APP);
	ck_assert_uint_eq(found("./s")->parts,
		TS_FOUND_STORE | TS_FOUND_VARS | TS_FOUND_FRAMEWORK | TS_FOUND_DEBUG);
	ck_assert_uint_eq(found("./only")->parts, TS_FOUND_ARCHIVE);
	ck_assert_uint_eq(found("./s/other.tilescope")->parts, TS_FOUND_STORE);
	ck_assert_uint_eq(found("./mine.pop")->parts, TS_FOUND_PROFILE);
	ck_assert_ptr_null(found("./no.pop"));
	ck_assert_ptr_null(found("./fifo.pop"));
	ck_assert_uint_eq(found("./a")->parts, 0);
	ck_assert_int_eq(found("./a")->below, 1);
	ck_assert_int_eq(found("./empty")->below, 0);
	ck_assert_int_eq(list.count, 7);
	ck_assert_str_eq(list.item[5].path, "./a");
	ck_assert_str_eq(list.item[6].path, "./empty");
	search(); /* who asks for reports gets no files, and no directories */
	ck_assert_int_eq(list.count, 3);
}
END_TEST

START_TEST(a_picker_is_bounded)
{
	char path[40];

	for (int i = 0; i < TS_FIND_MAX + 50; i++) {
		snprintf(path, sizeof(path), "d%d", i);
		ck_assert_int_eq(mkdir(path, 0700), 0);
	}
	put("d7/profile.pop");
	search_all(".");
	ck_assert_int_eq(list.count, TS_FIND_MAX);
	ck_assert(list.cut);
	ck_assert_str_eq(list.item[0].path, "./d7");
	search_all("nowhere");
	ck_assert_int_eq(list.count, 0);
}
END_TEST

START_TEST(the_latest)
{
	char *path;

	ck_assert_int_eq(ts_find_latest(&path, NULL, ".", NULL, &err), TS_E_NOT_FOUND);
	ck_assert_ptr_null(path);
	put("b/profile.pop");
	put("c/profile.pop");
	put("a/profile.pop");
	age("a/profile.pop", 0);
	age("b/profile.pop", -5);
	age("c/profile.pop", -5);
	for (int i = 0; i < 3; i++) {
		ck_assert_int_eq(ts_find_latest(&path, NULL, ".", NULL, &err), TS_OK);
		ck_assert_str_eq(path, "./b");
		free(path);
	}
}
END_TEST

START_TEST(a_directory_means_its_profile)
{
	put("a/report.tilescope");
	expect("a", "a/report.tilescope");
	put("a/other.tilescope");
	expect("a", "a/report.tilescope");
	put("a/profile.pop");
	expect("a", "a/profile.pop");
	expect("a/", "a/profile.pop");
	put("b/profile_x.pop");
	put("b/profile_a.pop");
	expect("b", "b/profile_a.pop");
	put("b/z.tilescope");
	expect("b", "b/z.tilescope");
	ck_assert_int_eq(chdir("a"), 0);
	expect(".", "./profile.pop");
	ck_assert_int_eq(chdir(".."), 0);
}
END_TEST

START_TEST(a_file_means_itself_or_its_profile)
{
	put("a/profile.pop");
	put("a/debug.cbor");
	put("a/whatever.db");
	put("a/archive.a");
	expect("a/profile.pop", "a/profile.pop");
	expect("a/whatever.db", "a/whatever.db");
	expect("a/debug.cbor", "a/profile.pop");
	expect("a/archive.a", "a/profile.pop");
	ck_assert_int_eq(chdir("a"), 0);
	expect("archive.a", "./profile.pop");
	ck_assert_int_eq(chdir(".."), 0);
	put("b/debug.cbor");
	refuse("b/debug.cbor", TS_E_NOT_FOUND, "missing, there is only debug.cbor (");
	put("b/archive.a");
	expect("b/debug.cbor", "b/archive.a");
	expect("b/archive.a", "b/archive.a");
	expect("b", "b/archive.a");
}
END_TEST

START_TEST(what_cannot_be_opened_has_a_reason)
{
	mkdir("empty", 0700);
	refuse("empty", TS_E_NOT_FOUND, "no graph profile found");
	refuse("nowhere", TS_E_NOT_FOUND, "no such file");
	refuse("empty/x/y", TS_E_NOT_FOUND, "no such file");
	put("file");
	refuse("file/x", TS_E_NOT_FOUND, "no such file");
	ck_assert_int_eq(symlink("gone", "dangling"), 0);
	refuse("dangling", TS_E_NOT_FOUND, "symbolic link");
	ck_assert_int_eq(symlink("loop", "loop"), 0);
	refuse("loop", TS_E_SYS, "symbolic links");
	put("old/graph.json");
	refuse("old", TS_E_FORMAT, "graph.json");
	refuse("old/graph.json", TS_E_FORMAT, "dropped");
	put("vars/vars.capnp");
	refuse("vars", TS_E_FORMAT, "not public");
	put("old/profile.pop");
	expect("old", "old/profile.pop");
	refuse("", TS_E_NOT_FOUND, "");
}
END_TEST

START_TEST(too_long_a_path)
{
	char *path = ts_alloc(100001, 1);

	memset(path, 'x', 100000);
	refuse(path, TS_E_NOT_FOUND, "too long");
	path[5000] = '\0';
	refuse(path, TS_E_SYS, "too long");
	free(path);
}
END_TEST

START_TEST(the_name_of_a_living_engine)
{
	ck_assert(ts_is_temporary_profile("profile_x.pop"));
	ck_assert(ts_is_temporary_profile("profile_1-2-3.pop"));
	ck_assert(!ts_is_temporary_profile("profile.pop"));
	ck_assert(!ts_is_temporary_profile("profile_.pop"));
	ck_assert(!ts_is_temporary_profile("profile_x.pops"));
	ck_assert(!ts_is_temporary_profile("xprofile_x.pop"));
	ck_assert(!ts_is_temporary_profile(""));
}
END_TEST

/* --- one directory of a host ------------------------------------------------------------------ */

static int looks_far; /* how often somebody asked what a path is */

/* This machine's files as a host gives them: sizes and times in lists, links not followed. */
static enum ts_code
look_far(struct ts_files *f, struct ts_file_state *s, const char *path,
	const struct ts_cancel *cancel, struct ts_err *e)
{
	(void)f;
	looks_far++;
	return ts_files_look(NULL, s, path, cancel, e);
}

struct passing {
	const char *dir;
	ts_files_entry_fn *entry;
	void *ctx;
};

static bool
pass_entry(void *ctx, const char *name, const struct ts_file_state *state)
{
	const struct passing *p = ctx;
	struct ts_file_state s = *state;
	struct stat link;
	char path[300];

	snprintf(path, sizeof(path), "%s/%s", p->dir, name);
	if (s.kind != TS_FILE_UNKNOWN)
		ts_files_state(NULL, &s, path);
	else if (lstat(path, &link) == 0)
		s.mtime = link.st_mtime;
	return p->entry(p->ctx, name, &s);
}

static enum ts_code
list_far(struct ts_files *f, const char *path, ts_files_entry_fn *entry, void *ctx,
	const struct ts_cancel *cancel, struct ts_err *e)
{
	struct passing p = {path, entry, ctx};

	(void)f;
	return ts_files_list(NULL, path, pass_entry, &p, cancel, e);
}

static char *
real_far(struct ts_files *f, const char *path)
{
	(void)f;
	return ts_files_real(NULL, path);
}

static const struct ts_files_ops far_ops = {.look = look_far, .list = list_far, .real = real_far};
static struct ts_files far = {.ops = &far_ops, .host = "far"};

static void
list_it(const char *path)
{
	ts_found_list_fini(&list);
	ck_assert_int_eq(ts_find_listing(&list, &far, path, NULL, &err), TS_OK);
}

static struct ts_found *
row(const char *path)
{
	for (int i = 0; i < list.count; i++)
		if (strcmp(list.item[i].path, path) == 0)
			return &list.item[i];
	return NULL;
}

START_TEST(a_directory_of_a_host)
{
	put("r/profile.pop");
	put("r/archive.a");
	put("r/other.pop");
	put("r/run.tilescope");
	put("r/notes.txt");
	put("r/deep/profile.pop");
	put("r/deep/app.json");
	put("r/coming/debug.cbor");
	put("r/plain/file");
	put("r/.hidden/profile.pop");
	put("r/odd\033[31m/archive.a");
	ck_assert_int_eq(symlink("deep", "r/link"), 0);
	ck_assert_int_eq(symlink("nowhere", "r/dangling"), 0);
	ck_assert_int_eq(symlink("notes.txt", "r/text"), 0);
	list_it("r");
	ck_assert_int_eq(row("r")->parts, TS_FOUND_PROFILE | TS_FOUND_ARCHIVE);
	ck_assert_int_eq(row("r/other.pop")->parts, TS_FOUND_PROFILE);
	ck_assert_int_eq(row("r/run.tilescope")->parts, TS_FOUND_STORE);
	ck_assert_ptr_null(row("r/notes.txt"));
	ck_assert_ptr_null(row("r/.hidden"));
	ck_assert_ptr_null(row("r/profile.pop"));
	ck_assert_int_eq(list.count, 3 + 4 + 3); /* files, directories, links */
	for (int i = 0; i < list.count; i++)
		ck_assert_int_eq(list.item[i].pending, list.item[i].parts == 0);
	ck_assert_int_eq(ts_find_look_into(list.item, list.count, &far, NULL, &err), TS_OK);
	ck_assert_int_eq(row("r/deep")->parts, TS_FOUND_PROFILE | TS_FOUND_APP);
	ck_assert_int_eq(row("r/link")->parts, TS_FOUND_PROFILE | TS_FOUND_APP);
	ck_assert_int_eq(row("r/odd\033[31m")->parts, TS_FOUND_ARCHIVE);
	ck_assert(row("r/coming")->incomplete && !row("r/coming")->parts);
	ck_assert(!row("r/plain")->incomplete && !row("r/plain")->parts);
	ck_assert(row("r/dangling")->hidden && row("r/text")->hidden);
	ck_assert(!row("r/link")->hidden && !row("r/other.pop")->hidden);
	for (int i = 0; i < list.count; i++)
		ck_assert(!list.item[i].pending);
}
END_TEST

/* Written at this moment: what SQLite has beside it, or a name that Poplar gives for a while. */
START_TEST(what_is_incomplete_on_a_host)
{
	FILE *f;

	put("w/profile.pop");
	put("w/profile.pop-wal");
	put("e/profile_abc.pop");
	put("n/profile.pop");
	put("n/profile.pop-wal");
	f = fopen("w/profile.pop-wal", "w");
	ck_assert_ptr_nonnull(f);
	fputs("x", f);
	fclose(f);
	f = fopen("n/profile.pop-wal", "w"); /* empty: all is in the file */
	ck_assert_ptr_nonnull(f);
	fclose(f);
	list_it(".");
	ck_assert_int_eq(ts_find_look_into(list.item, list.count, &far, NULL, &err), TS_OK);
	ck_assert(row("./w")->incomplete);
	ck_assert(!row("./n")->incomplete);
	list_it("w");
	ck_assert(row("w")->incomplete);
	list_it("e");
	ck_assert(row("e")->half_written);
}
END_TEST

START_TEST(a_listing_is_bounded)
{
	char path[64];

	for (int i = 0; i < TS_FIND_MAX + 30; i++) {
		snprintf(path, sizeof(path), "many/d%d/x", i);
		put(path);
	}
	list_it("many");
	ck_assert_int_eq(list.count, TS_FIND_MAX);
	ck_assert(list.cut);
	ck_assert_int_eq(list.left_out, 30);
	ts_found_list_fini(&list);
	ck_assert_int_eq(ts_find_listing(&list, &far, "nowhere", NULL, &err), TS_E_SYS);
}
END_TEST

/* --- below a directory of a host ---------------------------------------------------------------- */

/* A word of names that decide what a directory is. */
static const char *
some_name(unsigned *seed)
{
	static const char *const names[] = {"profile.pop", "report.tilescope", "other.tilescope",
		"profile_x.pop", "archive.a", "debug.cbor", "notes.txt", "mine.pop", "a", "b",
		".hidden", "c d"};

	*seed = *seed * 1103515245 + 12345;
	return names[(*seed >> 16) % TS_COUNT(names)];
}

/* Random directories, files and links to either, some of them the other way up. */
static void
make_tree(unsigned *seed)
{
	int made = 0;

	for (int i = 0; i < 60; i++) {
		char path[200], to[200];
		int levels = (int)((*seed >> 8) % 5);

		path[0] = '\0';
		for (int k = 0; k < levels; k++) {
			strcat(path, some_name(seed));
			strcat(path, "/");
		}
		strcat(path, some_name(seed));
		snprintf(to, sizeof(to), "%s%s", (*seed >> 20) % 3 ? "" : "../", some_name(seed));
		if ((*seed >> 24) % 5 == 0)
			made += symlink(to, path) == 0;
		else if ((*seed >> 24) % 5 == 1)
			made += mkdir(path, 0700) == 0;
		else if (access(path, F_OK) < 0)
			made += try_put(path);
	}
	ck_assert_int_gt(made, 10);
}

static int
by_path(const void *a, const void *b)
{
	const struct ts_found *x = a, *y = b;

	return strcmp(x->path, y->path);
}

/* Where a path leads, with the profile's size: two names of a directory are one report. */
static void
make_real(struct ts_found_list *l)
{
	for (int i = 0; i < l->count; i++) {
		char *real = realpath(l->item[i].path, NULL);

		ck_assert_ptr_nonnull(real);
		free(l->item[i].path);
		l->item[i].path = real;
	}
	qsort(l->item, (size_t)l->count, sizeof(l->item[0]), by_path);
}

/* Lists of a host lead to the reports that looking here leads to. */
START_TEST(reports_below_a_directory_of_a_host)
{
	static struct ts_found_list there;
	unsigned seed = (unsigned)_i * 7919 + 1;

	make_tree(&seed);
	search();
	ck_assert_int_eq(ts_find_reports(&there, &far, ".", NULL, &err), TS_OK);
	make_real(&list);
	make_real(&there);
	ck_assert_int_eq(there.count, list.count);
	for (int i = 0; i < list.count; i++) {
		ck_assert_str_eq(there.item[i].path, list.item[i].path);
		ck_assert_int_eq(there.item[i].bytes, list.item[i].bytes);
		ck_assert_int_eq(there.item[i].half_written, list.item[i].half_written);
		ck_assert(there.item[i].parts);
	}
	ts_found_list_fini(&there);
}
END_TEST

START_TEST(far_reports_are_named_and_bounded)
{
	char path[64];

	put("top/a/b/c/profile.pop");
	put("top/a/b/c/d/profile.pop"); /* four levels below */
	put("top/report.tilescope");
	ck_assert_int_eq(ts_find_reports(&list, &far, "top", NULL, &err), TS_OK);
	ck_assert_int_eq(list.count, 2);
	ck_assert(row("top") && row("top/a/b/c") && !list.cut);
	ts_found_list_fini(&list);
	ck_assert_int_eq(chdir("top"), 0);
	ck_assert_int_eq(ts_find_reports(&list, &far, ".", NULL, &err), TS_OK);
	ck_assert(row(".") && row("a/b/c"));
	ts_found_list_fini(&list);
	ck_assert_int_eq(chdir(".."), 0);
	for (int i = 0; i < TS_FIND_FAR + 10; i++) {
		snprintf(path, sizeof(path), "wide/d%d/profile.pop", i);
		put(path);
	}
	ck_assert_int_eq(ts_find_reports(&list, &far, "wide", NULL, &err), TS_OK);
	ck_assert_int_eq(list.count, TS_FIND_FAR - 1);
	ck_assert(list.cut);
	ts_found_list_fini(&list);
	ck_assert_int_eq(ts_find_reports(&list, &far, "nowhere", NULL, &err), TS_OK);
	ck_assert_int_eq(list.count, 0);
}
END_TEST

/* Of thousands of links a host is asked about the newest, and about its own profiles all the same. */
START_TEST(links_asked_about_are_bounded)
{
	const struct timespec old[2] = {{1, 0}, {1, 0}};
	const struct timespec late[2] = {{4000000000, 0}, {4000000000, 0}};

	put("away/x/profile.pop");
	put("away/y/profile.pop");
	put("links/text");
	put("links/profile.pop");
	put("links/d/profile.pop");
	for (int i = 0; i < 5000; i++) {
		char path[64];

		snprintf(path, sizeof(path), "links/%04d", i);
		ck_assert_int_eq(symlink(i == 10 ? "../away/y" : "text", path), 0);
	}
	ck_assert_int_eq(symlink("../away/x", "links/new"), 0);
	ck_assert_int_eq(utimensat(AT_FDCWD, "links/new", late, AT_SYMLINK_NOFOLLOW), 0);
	ck_assert_int_eq(utimensat(AT_FDCWD, "links/0010", old, AT_SYMLINK_NOFOLLOW), 0);
	looks_far = 0;
	ck_assert_int_eq(ts_find_reports(&list, &far, "links", NULL, &err), TS_OK);
	ck_assert_int_gt(looks_far, TS_FIND_FAR);
	ck_assert_int_lt(looks_far, 4 * TS_FIND_FAR + 10);
	ck_assert(row("links") && row("links/d") && row("links/new"));
	ck_assert_int_eq(list.count, 3); /* nobody asked about the oldest link */
	ck_assert(list.cut);
}
END_TEST

START_TEST(words_of_hosts)
{
	static const struct {
		const char *word, *path, *now, *above;
	} words[] = {
		{"box:train", "/home/me/train", "box:/home/me/train", "box:/home/me"},
		{"me@box:", "/a", "me@box:/a", "me@box:/"},
		{"sftp://box:22/x", "/a b/c", "sftp://box:22/a%20b/c", "sftp://box:22/a%20b"},
		{"box:/x", "/", "box:/", NULL},
		{"/x/y", "/a/b", "/a/b", "/a"},
	};

	for (size_t i = 0; i < TS_COUNT(words); i++) {
		char *now = ts_find_word(words[i].word, words[i].path);
		char *above = now ? ts_find_above(now) : NULL;

		ck_assert_pstr_eq(now, words[i].now);
		ck_assert_pstr_eq(above, words[i].above);
		free(above);
		free(now);
	}
	ck_assert_ptr_null(ts_find_above("box:train")); /* not known from where */
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("find");
	TCase *c = tcase_create("find");
	SRunner *r;
	int failed;

	tcase_set_timeout(c, 20);
	tcase_add_checked_fixture(c, begin, end);
	tcase_add_test(c, reports_are_found_three_levels_below);
	tcase_add_test(c, the_newest_comes_first);
	tcase_add_test(c, links_are_followed_once);
	tcase_add_test(c, what_is_no_file_is_passed_over);
	tcase_add_test(c, half_written_profiles);
	tcase_add_test(c, there_is_a_limit_of_reports);
	tcase_add_test(c, there_is_a_limit_of_entries);
	tcase_add_test(c, a_search_can_be_cancelled);
	tcase_add_test(c, names_may_be_anything);
	tcase_add_test(c, everything_openable);
	tcase_add_test(c, a_picker_is_bounded);
	tcase_add_test(c, a_directory_of_a_host);
	tcase_add_test(c, what_is_incomplete_on_a_host);
	tcase_add_test(c, a_listing_is_bounded);
	tcase_add_loop_test(c, reports_below_a_directory_of_a_host, 0, sample_of(40));
	tcase_add_test(c, far_reports_are_named_and_bounded);
	tcase_add_test(c, links_asked_about_are_bounded);
	tcase_add_test(c, words_of_hosts);
	tcase_add_test(c, the_latest);
	tcase_add_test(c, a_directory_means_its_profile);
	tcase_add_test(c, a_file_means_itself_or_its_profile);
	tcase_add_test(c, what_cannot_be_opened_has_a_reason);
	tcase_add_test(c, too_long_a_path);
	tcase_add_test(c, the_name_of_a_living_engine);
	suite_add_tcase(s, c);
	r = srunner_create(s);
	srunner_run_all(r, CK_NORMAL);
	failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
