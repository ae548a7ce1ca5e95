/* SPDX-License-Identifier: MIT */
/* test_child - other programs: what they say, how they end, what they are given. */
#include "config.h"

#include <check.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tilescope/io/child.h"

static struct ts_err err;

static enum ts_code
shell(struct ts_child *c, const char *text, int given)
{
	const char *argv[] = {"sh", "-c", text, NULL};
	struct ts_child_spec spec = {.file = "sh",
		.argv = argv,
		.given = {given},
		.given_count = given >= 0};

	return ts_child_start(c, &spec, &err);
}

/* All it says; its end in *status. */
static size_t
all_of(struct ts_child *c, char *to, size_t size, int *status)
{
	size_t n = 0, got = 1;

	while (got > 0) {
		ck_assert_int_eq(ts_child_read(c, to + n, size - 1 - n, &got, NULL, &err), TS_OK);
		n += got;
	}
	to[n] = '\0';
	*status = ts_child_end(c, NULL);
	return n;
}

START_TEST(says_something)
{
	struct ts_child c;
	char text[100];
	int status;

	ck_assert_int_eq(shell(&c, "echo one; sleep 0.1; echo two; cat; exit 7", -1), TS_OK);
	all_of(&c, text, sizeof(text), &status);
	ck_assert_str_eq(text, "one\ntwo\n");
	ck_assert(WIFEXITED(status) && WEXITSTATUS(status) == 7);
	ck_assert_str_eq(c.complaint, "");
}
END_TEST

START_TEST(complains)
{
	struct ts_child c;
	char text[1 << 12];
	int status;

	/* more than a pipe holds, so that it would hang if nobody listened */
	ck_assert_int_eq(shell(&c, "echo first >&2; yes | head -c 300000 >&2; echo done", -1),
		TS_OK);
	all_of(&c, text, sizeof(text), &status);
	ck_assert_str_eq(text, "done\n");
	ck_assert_str_eq(c.complaint, "first");
	ck_assert_int_eq(status, 0);
}
END_TEST

START_TEST(is_given_a_file)
{
	struct ts_child c;
	char text[100];
	int end[2], status;

	for (int fd = 32; fd < 100; fd++) /* who runs the tests may have left us some */
		fcntl(fd, F_SETFD, FD_CLOEXEC);
	ck_assert_int_eq(pipe2(end, O_CLOEXEC), 0);
	ck_assert_int_eq(write(end[1], "given\n", 6), 6);
	close(end[1]);
	/* our ends lie at 32 and above: none of them may be there */
	ck_assert_int_eq(shell(&c, "cat <&3; ls /proc/self/fd | grep -c '^[3-9][2-9]$'", end[0]),
		TS_OK);
	close(end[0]);
	all_of(&c, text, sizeof(text), &status);
	ck_assert_str_eq(text, "given\n0\n");
}
END_TEST

START_TEST(is_not_there)
{
	static const char *const argv[] = {"x", NULL};
	struct ts_child_spec spec = {.file = "/nowhere/at/all", .argv = argv};
	struct ts_child c;

	ck_assert_int_eq(ts_child_start(&c, &spec, &err), TS_E_SYS);
	ck_assert_int_eq(err.sys, ENOENT);
	ck_assert_int_eq(ts_child_end(&c, NULL), -1);
}
END_TEST

START_TEST(is_cancelled)
{
	struct ts_cancel cancel = {0};
	struct ts_child c;
	char text[100];
	size_t got;
	int status;

	ck_assert_int_eq(shell(&c, "echo begun; exec sleep 1000", -1), TS_OK);
	ck_assert_int_eq(ts_child_read(&c, text, sizeof(text), &got, &cancel, &err), TS_OK);
	ck_assert_int_eq(got, 6);
	ts_cancel_set(&cancel);
	ck_assert_int_eq(ts_child_read(&c, text, sizeof(text), &got, &cancel, &err),
		TS_E_CANCELLED);
	status = ts_child_end(&c, NULL);
	ck_assert(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
}
END_TEST

/* Its output is closed and it lives on, writing more complaints than a pipe holds. */
START_TEST(lives_on)
{
	struct ts_cancel cancel = {0};
	struct ts_child c;
	char text[100];
	size_t got;
	int status;

	ck_assert_int_eq(shell(&c, "exec >&-; yes | head -c 300000 >&2; exec sleep 1000", -1),
		TS_OK);
	ck_assert_int_eq(ts_child_read(&c, text, sizeof(text), &got, &cancel, &err), TS_OK);
	ck_assert_int_eq(got, 0);
	ts_cancel_set(&cancel);
	status = ts_child_end(&c, &cancel);
	ck_assert(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
	ck_assert_int_eq(shell(&c, "exec >&-; yes | head -c 300000 >&2; exit 3", -1), TS_OK);
	ck_assert_int_eq(ts_child_read(&c, text, sizeof(text), &got, NULL, &err), TS_OK);
	status = ts_child_end(&c, NULL);
	ck_assert(WIFEXITED(status) && WEXITSTATUS(status) == 3);
	ck_assert_str_eq(c.complaint, "y");
}
END_TEST

START_TEST(leaves_nothing_open)
{
	int before = dup(0), after;

	close(before);
	for (int i = 0; i < 20; i++) {
		struct ts_child c;
		char text[10];
		int status;

		ck_assert_int_eq(shell(&c, "true", -1), TS_OK);
		all_of(&c, text, sizeof(text), &status);
	}
	after = dup(0);
	close(after);
	ck_assert_int_eq(before, after);
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("child");
	TCase *t = tcase_create("child");
	SRunner *r;
	int failed;

	tcase_set_timeout(t, 120);
	tcase_add_test(t, says_something);
	tcase_add_test(t, complains);
	tcase_add_test(t, is_given_a_file);
	tcase_add_test(t, is_not_there);
	tcase_add_test(t, is_cancelled);
	tcase_add_test(t, lives_on);
	tcase_add_test(t, leaves_nothing_open);
	suite_add_tcase(s, t);
	r = srunner_create(s);
	srunner_run_all(r, CK_NORMAL);
	failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
