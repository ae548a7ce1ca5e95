/* SPDX-License-Identifier: MIT */
/* What a path means on this machine; that the host's own table is asked where there is one. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <check.h>
#include <string.h>

#include "tilescope/base/mem.h"
#include "tilescope/io/files_listed.h"

#include "depth.h"

static void
in_empty_directory(void)
{
	char dir[] = "/tmp/tilescope-files-XXXXXX";

	ck_assert_ptr_nonnull(mkdtemp(dir));
	ck_assert_int_eq(chdir(dir), 0);
	ck_assert_int_eq(close(open("plain", O_WRONLY | O_CREAT, 0600)), 0);
	ck_assert_int_eq(truncate("plain", 42), 0);
	ck_assert_int_eq(mkdir("directory", 0700), 0);
	ck_assert_int_eq(mkfifo("fifo", 0600), 0);
	ck_assert_int_eq(symlink("plain", "link"), 0);
	ck_assert_int_eq(symlink("nowhere", "dangling"), 0);
	ck_assert_int_eq(symlink("loop", "loop"), 0);
}

static const struct {
	const char *path;
	enum ts_file_kind kind;
	bool there;
	enum ts_code code;
} paths[] = {
	{"plain", TS_FILE_REGULAR, true, TS_OK},
	{"directory", TS_FILE_DIRECTORY, true, TS_OK},
	{"fifo", TS_FILE_OTHER, true, TS_OK},
	{"link", TS_FILE_REGULAR, true, TS_OK},
	{"dangling", TS_FILE_DANGLING, false, TS_OK},
	{"loop", TS_FILE_DANGLING, false, TS_E_SYS},
	{"none", TS_FILE_NONE, false, TS_OK},
	{"plain/none", TS_FILE_NONE, false, TS_OK},
};

START_TEST(a_path_means_what_it_leads_to)
{
	struct ts_file_state s, again;
	struct ts_err err;

	in_empty_directory();
	ck_assert_int_eq(ts_files_look(NULL, &s, paths[_i].path, NULL, &err), paths[_i].code);
	ck_assert_int_eq(s.kind, paths[_i].kind);
	ck_assert_int_eq(ts_file_is_there(&s), paths[_i].there);
	ck_assert_int_eq(s.bytes, s.kind == TS_FILE_REGULAR ? 42 : s.bytes);
	ts_files_state(NULL, &again, paths[_i].path);
	ck_assert_int_eq(ts_file_is_there(&again), paths[_i].there);
	ck_assert(!paths[_i].there || ts_file_state_same(&s, &again));
}
END_TEST

struct seen {
	int entries, most, plain, unknown;
};

static bool
see(void *ctx, const char *name, const struct ts_file_state *state)
{
	struct seen *s = ctx;
	enum ts_file_kind kind = state->kind;

	ck_assert_str_ne(name, ".");
	ck_assert_str_ne(name, "..");
	s->plain += strcmp(name, "plain") == 0 && kind == TS_FILE_REGULAR;
	s->unknown += kind == TS_FILE_UNKNOWN;
	return ++s->entries < s->most;
}

START_TEST(a_directory_is_listed_until_it_is_enough)
{
	struct seen all = {.most = 100}, two = {.most = 2};
	struct ts_cancel cancel = {0};
	struct ts_err err;

	in_empty_directory();
	ck_assert_int_eq(ts_files_list(NULL, ".", see, &all, NULL, &err), TS_OK);
	ck_assert_int_eq(all.entries, 6);
	ck_assert_int_eq(all.plain, 1);
	ck_assert_int_eq(all.unknown, 3); /* links */
	ck_assert_int_eq(ts_files_list(NULL, ".", see, &two, NULL, &err), TS_OK);
	ck_assert_int_eq(two.entries, 2);
	ck_assert_int_eq(ts_files_list(NULL, "none", see, &all, NULL, &err), TS_E_SYS);
	ts_cancel_set(&cancel);
	ck_assert_int_eq(ts_files_list(NULL, ".", see, &all, &cancel, &err), TS_E_CANCELLED);
}
END_TEST

/* --- another file system ---------------------------------------------------------------------- */

struct elsewhere {
	struct ts_files base;
	int released;
};

static enum ts_code
look_elsewhere(struct ts_files *f, struct ts_file_state *s, const char *path,
	const struct ts_cancel *cancel, struct ts_err *err)
{
	(void)f;
	(void)path;
	(void)cancel;
	(void)err;
	s->kind = TS_FILE_DIRECTORY;
	return TS_OK;
}

static void
release_elsewhere(struct ts_files *f)
{
	((struct elsewhere *)f)->released++;
}

START_TEST(a_host_is_asked_and_let_go_by_the_last)
{
	static const struct ts_files_ops ops = {.look = look_elsewhere,
		.release = release_elsewhere};
	struct elsewhere e = {.base = {.ops = &ops, .host = "far"}};
	struct ts_file_state s;

	atomic_init(&e.base.uses, 1);
	ts_files_state(&e.base, &s, "/none");
	ck_assert_int_eq(s.kind, TS_FILE_DIRECTORY);
	ck_assert_ptr_eq(ts_files_hold(&e.base), &e.base);
	ts_files_release(&e.base);
	ck_assert_int_eq(e.released, 0);
	ts_files_release(&e.base);
	ck_assert_int_eq(e.released, 1);
	ts_files_release(NULL);
	ck_assert_ptr_null(ts_files_hold(NULL));
}
END_TEST

/* --- listed instead of asked ------------------------------------------------------------------ */

/* This machine's files as another host's, with what it was asked. */
struct counted {
	struct ts_files base;
	int looks, lists;
};

static enum ts_code
look_counted(struct ts_files *f, struct ts_file_state *s, const char *name,
	const struct ts_cancel *cancel, struct ts_err *err)
{
	((struct counted *)(void *)f)->looks++;
	if (ts_cancelled(cancel))
		return ts_err_set(err, TS_E_CANCELLED, "cancelled");
	return ts_files_look(NULL, s, name, cancel, err);
}

struct passing {
	const char *dir;
	ts_files_entry_fn *entry;
	void *ctx;
};

/* As a host lists: sizes are known, links are not followed. */
static bool
pass_entry(void *ctx, const char *name, const struct ts_file_state *state)
{
	const struct passing *p = ctx;
	struct ts_file_state s = *state;
	char path[200];

	snprintf(path, sizeof(path), "%s/%s", p->dir, name);
	if (s.kind == TS_FILE_REGULAR)
		ck_assert_int_eq(ts_files_look(NULL, &s, path, NULL, NULL), TS_OK);
	return p->entry(p->ctx, name, &s);
}

static enum ts_code
list_counted(struct ts_files *f, const char *path, ts_files_entry_fn *entry, void *ctx,
	const struct ts_cancel *cancel, struct ts_err *err)
{
	struct passing p = {path, entry, ctx};

	((struct counted *)(void *)f)->lists++;
	if (ts_cancelled(cancel))
		return ts_err_set(err, TS_E_CANCELLED, "cancelled");
	return ts_files_list(NULL, path, pass_entry, &p, cancel, err);
}

static char *
real_counted(struct ts_files *f, const char *path)
{
	(void)f;
	return realpath(path, NULL);
}

static void
release_counted(struct ts_files *f)
{
	(void)f;
}

static const struct ts_files_ops counted_ops = {.look = look_counted,
	.list = list_counted,
	.real = real_counted,
	.release = release_counted};

/* Whatever is asked, in whichever order: the same answers, from one list of each directory. */
START_TEST(listed_files_answer_the_same)
{
	static const char *const names[] = {"plain", "directory", "fifo", "link", "dangling",
		"none", "directory/inner", "directory/none", "directory/../plain", "./plain",
		"none/inner", "directory/inner", "none", "plain"};
	struct counted c = {.base = {.ops = &counted_ops, .host = "far"}};
	struct ts_file_state a, b;
	struct ts_files *listed;
	struct seen all = {.most = 100};
	struct ts_err err;

	in_empty_directory();
	ck_assert_int_eq(close(open("directory/inner", O_WRONLY | O_CREAT, 0600)), 0);
	atomic_init(&c.base.uses, 1);
	ck_assert_int_eq(ts_files_listed_new(&listed, &c.base, NULL, &err), TS_OK);
	for (size_t i = 0; i < TS_COUNT(names); i++) {
		const char *name = names[(i * 5 + (size_t)_i) % TS_COUNT(names)];

		ts_files_state(NULL, &a, name);
		ts_files_state(listed, &b, name);
		ck_assert_msg(a.kind == b.kind, "%s: %d, %d", name, (int)a.kind, (int)b.kind);
		ck_assert(a.kind != TS_FILE_REGULAR || a.bytes == b.bytes);
	}
	ck_assert_int_le(c.lists, 4); /* ".", "./.", "directory", "directory/.." */
	/* the first name of each, and links */
	ck_assert_int_le(c.looks, 5 + 3);
	c.looks = c.lists = 0;
	ck_assert_int_eq(ts_files_list(listed, ".", see, &all, NULL, &err), TS_OK);
	ck_assert_int_eq(all.entries, 6);
	ck_assert_int_eq(c.lists + c.looks, 0);
	ts_files_release(listed);
	ck_assert_int_eq(atomic_load(&c.base.uses), 1);
}
END_TEST

/* What is asked without a token has that of all: a look can be ended, and so can what asks for places and lists. */
START_TEST(listed_with_a_token)
{
	struct counted c = {.base = {.ops = &counted_ops, .host = "far"}};
	struct ts_cancel all = {0}, own = {0};
	struct ts_files *listed;
	struct ts_file_state s;
	struct ts_err err;

	in_empty_directory();
	atomic_init(&c.base.uses, 1);
	ck_assert_int_eq(ts_files_listed_new(&listed, &c.base, &all, &err), TS_OK);
	ck_assert_int_eq(ts_files_look(listed, &s, "plain", NULL, &err), TS_OK);
	ts_cancel_set(&all);
	ck_assert_int_eq(ts_files_look(listed, &s, "directory/x", NULL, &err), TS_E_CANCELLED);
	ck_assert_int_eq(ts_files_list(listed, "directory", see, NULL, NULL, &err), TS_E_CANCELLED);
	ck_assert_int_eq(ts_files_look(listed, &s, "other/x", &own, &err), TS_OK);
	ts_files_release(listed);
}
END_TEST

START_TEST(this_machine_is_not_listed)
{
	struct ts_files *listed;
	struct ts_err err;

	ck_assert_int_eq(ts_files_listed_new(&listed, NULL, NULL, &err), TS_OK);
	ck_assert_ptr_null(listed);
}
END_TEST

START_TEST(a_large_directory_is_asked_for_what_the_list_lacks)
{
	struct counted c = {.base = {.ops = &counted_ops, .host = "far"}};
	struct ts_file_state s;
	struct ts_files *listed;
	struct ts_err err;
	char name[32];

	in_empty_directory();
	for (int i = 0; i < TS_LISTED_ENTRIES + 50; i++) {
		snprintf(name, sizeof(name), "f%d", i);
		ck_assert_int_eq(close(open(name, O_WRONLY | O_CREAT, 0600)), 0);
	}
	atomic_init(&c.base.uses, 1);
	ck_assert_int_eq(ts_files_listed_new(&listed, &c.base, NULL, &err), TS_OK);
	for (int i = 0; i < TS_LISTED_ENTRIES + 50; i++) {
		snprintf(name, sizeof(name), "f%d", i);
		ts_files_state(listed, &s, name);
		ck_assert_int_eq(s.kind, TS_FILE_REGULAR);
	}
	ts_files_state(listed, &s, "none");
	ck_assert_int_eq(s.kind, TS_FILE_NONE);
	ck_assert_int_eq(c.lists, 1);
	ck_assert_int_ge(c.looks, 50);
	ts_files_release(listed);
}
END_TEST

/* One by one, where there is no better way. */
START_TEST(many_paths)
{
	struct ts_files_asked asked[TS_COUNT(paths)];
	struct ts_err err;

	in_empty_directory();
	for (size_t i = 0; i < TS_COUNT(paths); i++)
		asked[i] = (struct ts_files_asked){.path = paths[i].path};
	ck_assert_int_eq(ts_files_look_all(NULL, asked, TS_COUNT(paths), NULL, &err), TS_OK);
	for (size_t i = 0; i < TS_COUNT(paths); i++)
		ck_assert_int_eq(asked[i].state.kind,
			paths[i].there ? paths[i].kind : TS_FILE_NONE);
}
END_TEST

/* What was asked for ahead is not asked for again, and means what it would mean; what is missing is asked for, or listed. */
START_TEST(listed_ahead)
{
	static const char *const all[] = {"directory", "directory/inner", "directory/none"},
				 *const file[] = {"plain", "plain/inner"};
	struct counted c = {.base = {.ops = &counted_ops, .host = "far"}};
	struct ts_file_state a, b;
	struct ts_files *listed;
	struct ts_err err;
	char *real, *here;
	int looks;

	in_empty_directory();
	ck_assert_int_eq(close(open("directory/inner", O_WRONLY | O_CREAT, 0600)), 0);
	atomic_init(&c.base.uses, 1);
	ck_assert_int_eq(ts_files_listed_new(&listed, &c.base, NULL, &err), TS_OK);
	ck_assert_int_eq(ts_files_listed_ahead(listed, all, TS_COUNT(all), NULL, &err), TS_OK);
	looks = c.looks;
	for (size_t i = 0; i < TS_COUNT(all); i++) {
		ts_files_state(NULL, &a, all[i]);
		ts_files_state(listed, &b, all[i]);
		ck_assert_int_eq(a.kind, b.kind);
		real = ts_files_real(listed, all[i]);
		here = realpath(all[i], NULL);
		ck_assert((!real && !here) || strcmp(real, here) == 0);
		free(real);
		free(here);
	}
	ck_assert_int_eq(c.looks, looks);
	ts_files_state(listed, &b, "directory/other"); /* by the list, at once */
	ck_assert_int_eq(b.kind, TS_FILE_NONE);
	ck_assert_int_eq(c.lists, 1);
	ck_assert_int_eq(c.looks, looks);
	/* there is room for one more: what is beyond it is asked for when it is */
	ck_assert_int_eq(ts_files_listed_ahead(listed, file, TS_COUNT(file), NULL, &err), TS_OK);
	ts_files_state(listed, &b, "plain");
	ck_assert_int_eq(b.kind, TS_FILE_REGULAR);
	ts_files_state(listed, &b, "plain/inner");
	ck_assert_int_eq(b.kind, TS_FILE_NONE);
	ts_files_release(listed);
	ck_assert_int_eq(atomic_load(&c.base.uses), 1);
}
END_TEST

START_TEST(names_of_all)
{
	struct counted c = {.base = {.ops = &counted_ops, .host = "me@far:22"}};
	char *here, *there, whole[300];

	in_empty_directory();
	here = ts_files_name(NULL, "link");
	there = ts_files_name(&c.base, "link");
	snprintf(whole, sizeof(whole), "me@far:22:%s", here);
	ck_assert_str_eq(there, whole);
	ck_assert_ptr_null(ts_files_name(&c.base, "none"));
	free(here);
	free(there);
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("files");
	TCase *c = tcase_create("files");
	SRunner *r;
	int failed;

	tcase_add_loop_test(c, a_path_means_what_it_leads_to, 0, (int)TS_COUNT(paths));
	tcase_add_test(c, a_directory_is_listed_until_it_is_enough);
	tcase_add_test(c, a_host_is_asked_and_let_go_by_the_last);
	tcase_set_timeout(c, 60);
	tcase_add_loop_test(c, listed_files_answer_the_same, 0, 14);
	tcase_add_test(c, listed_with_a_token);
	tcase_add_test(c, this_machine_is_not_listed);
	tcase_add_full_test(c, a_large_directory_is_asked_for_what_the_list_lacks);
	tcase_add_test(c, many_paths);
	tcase_add_test(c, listed_ahead);
	tcase_add_test(c, names_of_all);
	suite_add_tcase(s, c);
	r = srunner_create(s);
	srunner_run_all(r, CK_NORMAL);
	failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
