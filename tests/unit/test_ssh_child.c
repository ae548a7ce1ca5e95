/* SPDX-License-Identifier: MIT */
/*
 * test_ssh_child - a transport by children: bytes both ways, how it ends, what it asks.
 *
 * In the place of ssh are shell scripts that are told apart by the words they get; what is asked goes through the program.
 */
#include "config.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tilescope/base/clock.h"
#include "tilescope/base/mem.h"
#include "tilescope/io/transport.h"

static struct ts_err err;
static char dir[] = "/tmp/tilescope-ssh-XXXXXX";

/* A program with these lines, in the place of ssh. */
static const char *
script(const char *lines)
{
	static char path[100];
	FILE *f;

	snprintf(path, sizeof(path), "%s/ssh", dir);
	f = fopen(path, "w");
	ck_assert_ptr_nonnull(f);
	fprintf(f, "#!/bin/sh\n%s\n", lines);
	fclose(f);
	ck_assert_int_eq(chmod(path, 0700), 0);
	return path;
}

static struct ts_transport *
start(const char *lines, bool ask)
{
	struct ts_transport_spec spec = {.host = "example",
		.user = "me",
		.port = 2222,
		.ask = ask,
		.program = script(lines),
		.askpass = getenv("TILESCOPE")};
	struct ts_transport *t;

	ck_assert_int_eq(ts_transport_child_new(&t, &spec, &err), TS_OK);
	return t;
}

/* Poll and step, once. */
static void
turn(struct ts_transport *t)
{
	struct pollfd p[TS_TRANSPORT_FDS];
	int timeout, n = ts_transport_fds(t, p, &timeout);

	ck_assert_int_le(n, TS_TRANSPORT_FDS);
	poll(p, (nfds_t)n, timeout < 0 || timeout > 100 ? 100 : timeout);
	ts_transport_step(t);
}

/* Read until there are n bytes, or the channel ends. */
static enum ts_code
expect(struct ts_transport *t, int channel, char *to, size_t n)
{
	size_t have = 0, got;
	int64_t until = ts_clock_us() + 100000000;

	while (have < n && ts_clock_us() < until) {
		enum ts_code code = ts_transport_read(t, channel, to + have, n - have, &got, &err);

		if (code)
			return code;
		have += got;
		if (have < n && got == 0)
			turn(t);
	}
	ck_assert_uint_eq(have, n);
	return TS_OK;
}

static void
until_state(struct ts_transport *t, int channel, enum ts_transport_state state)
{
	int64_t until = ts_clock_us() + 100000000;
	char none[1];
	size_t got;

	while (t->state != state && ts_clock_us() < until) {
		(void)!ts_transport_read(t, channel, none, sizeof(none), &got, &err);
		if (t->state != state)
			turn(t);
	}
	ck_assert_int_eq(t->state, state);
}

START_TEST(words)
{
	/* what it is started with, a word a line, as an answer */
	struct ts_transport *t = start("for w; do echo \"$w\"; done; cat", false);
	char text[400] = "", *at = text;
	size_t put;
	int c;

	ck_assert_int_eq(ts_transport_open(t, &c, &err), TS_OK);
	ck_assert_int_eq(t->state, TS_TRANSPORT_WORKING);
	ck_assert_int_eq(ts_transport_write(t, c, "#", 1, &put, &err), TS_OK);
	do
		ck_assert_int_eq(expect(t, c, at++, 1), TS_OK);
	while (at[-1] != '#');
	at[-1] = '\0';
	ck_assert_int_eq(t->state, TS_TRANSPORT_READY);
	ck_assert_ptr_nonnull(strstr(text, "-oBatchMode=yes\n"));
	ck_assert_ptr_nonnull(strstr(text, "-p\n2222\n-l\nme\n-s\n--\nexample\nsftp\n"));
	ts_transport_free(t);
}
END_TEST

/* More both ways than a socket and a pipe hold together. */
START_TEST(much)
{
	enum { ALL = 4 << 20 };
	struct ts_transport *t = start("exec cat", false);
	unsigned char *bytes = malloc(ALL), *back = malloc(ALL);
	size_t put = 0, have = 0, n;
	int c;

	for (size_t i = 0; i < ALL; i++)
		bytes[i] = (unsigned char)(i * 7 ^ i >> 9);
	ck_assert_int_eq(ts_transport_open(t, &c, &err), TS_OK);
	while (have < ALL) {
		ck_assert_int_eq(ts_transport_write(t, c, bytes + put, ALL - put, &n, &err), TS_OK);
		put += n;
		ck_assert_int_eq(ts_transport_read(t, c, back + have, ALL - have, &n, &err), TS_OK);
		have += n;
		if (n == 0)
			turn(t);
	}
	ck_assert_uint_eq(put, ALL);
	ck_assert_mem_eq(bytes, back, ALL);
	free(bytes);
	free(back);
	ts_transport_free(t);
}
END_TEST

/* Ends without an answer: what is said of it, and whether trying again could help. */
static const struct {
	const char *lines, *why;
	bool hopeless;
} ends[] = {
	{"exit 0", "without a word", false},
	{"echo 'ssh: connect to host example port 22: Connection refused' >&2; exit 255",
		"Connection refused", false},
	{"printf 'banner\\r\\nme@example: Permission denied (publickey).\\r\\nmore\\r\\n' >&2; exit 255",
		"me@example: Permission denied (publickey)", true},
	{"echo 'Host key verification failed.' >&2; exit 255", "Host key verification failed",
		true},
	{"echo '@ WARNING: REMOTE HOST IDENTIFICATION HAS CHANGED! @' >&2; echo 'Offending ED25519 key in /k:3' >&2;"
	 "echo 'Host key verification failed.' >&2; exit 255",
		"may be an attack: Offending ED25519 key in /k:3", true},
	{"yes | head -c 100000 >&2; echo last >&2; exit 255", "example: last", false},
	{"echo waits >&2; exec >&-; exec sleep 1000", "example: waits", false},
};

START_TEST(ending)
{
	struct ts_transport *t = start(ends[_i].lines, false);
	char byte;
	int c;

	ck_assert_int_eq(ts_transport_open(t, &c, &err), TS_OK);
	ck_assert_int_eq(expect(t, c, &byte, 1), TS_E_CONNECT);
	ck_assert_int_eq(t->state, TS_TRANSPORT_FAILED);
	ck_assert_msg(strstr(t->err.msg, ends[_i].why) != NULL, "%s", t->err.msg);
	ck_assert_int_eq(t->hopeless, ends[_i].hopeless);
	ck_assert_int_eq(t->err.code, TS_E_CONNECT);
	ts_transport_free(t);
}
END_TEST

START_TEST(not_there)
{
	struct ts_transport_spec spec = {.host = "example", .program = "/nowhere/ssh"};
	struct ts_transport *t;
	int c;

	ck_assert_int_eq(ts_transport_child_new(&t, &spec, &err), TS_OK);
	ck_assert_int_eq(ts_transport_open(t, &c, &err), TS_E_CONNECT);
	ck_assert_int_eq(err.code, TS_E_CONNECT);
	ck_assert_str_eq(err.msg,
		"example: /nowhere/ssh: cannot be run: No such file or directory");
	ck_assert_int_eq(ts_transport_open(t, &c, NULL), TS_E_CONNECT);
	ts_transport_free(t);
}
END_TEST

/* A channel that ends while others are open ends alone; all of them can be had, and no more. */
START_TEST(channels)
{
	struct ts_transport *t = start("read x; echo $x; read x; exit 3", false);
	int c[TS_TRANSPORT_CHANNELS], more;
	char back[2], byte;
	size_t put;

	for (int i = 0; i < TS_TRANSPORT_CHANNELS; i++) {
		const char text[2] = {(char)('a' + i), '\n'};

		ck_assert_int_eq(ts_transport_open(t, &c[i], &err), TS_OK);
		ck_assert_int_eq(ts_transport_write(t, c[i], text, 2, &put, &err), TS_OK);
	}
	ck_assert_int_eq(ts_transport_open(t, &more, &err), TS_E_LIMIT);
	for (int i = TS_TRANSPORT_CHANNELS - 1; i >= 0; i--) {
		ck_assert_int_eq(expect(t, c[i], back, 2), TS_OK);
		ck_assert_int_eq(back[0], 'a' + i);
	}
	ck_assert_int_eq(ts_transport_write(t, c[3], "\n", 1, &put, &err), TS_OK);
	ck_assert_int_eq(expect(t, c[3], &byte, 1), TS_E_CONNECT);
	ck_assert_int_eq(t->state, TS_TRANSPORT_READY);
	ts_transport_close(t, c[3]);
	ck_assert_int_eq(ts_transport_open(t, &more, &err), TS_OK);
	ck_assert_int_eq(more, c[3]);
	ts_transport_free(t);
}
END_TEST

/* --- questions -------------------------------------------------------------------------------- */

/* Without a word it may not ask; then it asks, as ssh does, and echoes what it is told. */
#define ASKS(prompt)                                                                                      \
	"case $* in *BatchMode*) echo 'me@example: Permission denied (password).' >&2; exit 255;; esac\n" \
	"[ \"$SSH_ASKPASS_REQUIRE\" = force ] || exit 9\n"                                                \
	"exec 7<&0 <&-; a=$(\"$SSH_ASKPASS\" \"" prompt                                                   \
	"\") || { echo no answer >&2; exit 255; }\n"                                                      \
	"exec <&7; echo \"[$a]\"; exec cat"

static const struct {
	const char *lines;
	enum ts_question_kind kind;
	bool echo;
	const char *fingerprint;
} asks[] = {
	{ASKS("me@example's password: "), TS_ASK_PASSWORD, false, ""},
	{ASKS("Enter passphrase for key '/k': "), TS_ASK_PASSPHRASE, false, ""},
	{ASKS("(me@example) Code:"), TS_ASK_TEXT, false, ""},
	{ASKS("The authenticity of host 'example' can't be established.\nED25519 key fingerprint is SHA256:a+b/c.\n"
	      "Are you sure you want to continue connecting (yes/no/[fingerprint])? "),
		TS_ASK_HOST_KEY, true, "SHA256:a+b/c"},
};

static bool
can_ask(void)
{
	if (getenv("TILESCOPE"))
		return true;
	fprintf(stderr, "no program to ask: left out\n");
	return false;
}

START_TEST(asking)
{
	struct ts_transport *t;
	char back[10];
	size_t put;
	int c;

	if (!can_ask())
		return;
	t = start(asks[_i].lines, true);
	ck_assert_int_eq(ts_transport_open(t, &c, &err), TS_OK);
	ck_assert_int_eq(ts_transport_write(t, c, "held", 4, &put, &err), TS_OK);
	ck_assert_uint_eq(put, 4);
	until_state(t, c, TS_TRANSPORT_ASKING);
	ck_assert_int_eq(t->question.kind, asks[_i].kind);
	ck_assert_int_eq(t->question.echo, asks[_i].echo);
	ck_assert_str_eq(t->question.fingerprint, asks[_i].fingerprint);
	ck_assert_uint_eq(t->question.number, 1);
	ts_transport_answer(t, "s $x'", 5);
	ck_assert_int_eq(expect(t, c, back, 8), TS_OK);
	ck_assert_mem_eq(back, "[s $x']\n", 8);
	ck_assert_int_eq(t->state, TS_TRANSPORT_READY);
	ck_assert_int_eq(expect(t, c, back, 4), TS_OK); /* what was sent before it begins anew */
	ck_assert_mem_eq(back, "held", 4);
	ts_transport_free(t);
}
END_TEST

START_TEST(refusing)
{
	struct ts_transport *t;
	int c;

	if (!can_ask())
		return;
	t = start(asks[0].lines, true);
	ck_assert_int_eq(ts_transport_open(t, &c, &err), TS_OK);
	until_state(t, c, TS_TRANSPORT_ASKING);
	ts_transport_answer(t, NULL, 0);
	ck_assert_int_eq(t->state, TS_TRANSPORT_FAILED);
	ck_assert(t->hopeless);
	ts_transport_free(t);
}
END_TEST

/* A notice goes away by itself. */
START_TEST(notice)
{
	struct ts_transport *t;
	char back[3], go[100];
	int c;

	if (!can_ask())
		return;
	snprintf(go, sizeof(go), "%s/ssh.go", dir);
	t = start("case $* in *BatchMode*) echo 'Permission denied' >&2; exit 255;; esac\n"
		  "SSH_ASKPASS_PROMPT=none \"$SSH_ASKPASS\" 'Confirm user presence' <&- &\n"
		  "while [ ! -e \"$0.go\" ]; do sleep 0.05; done; kill $!; echo ok; cat",
		true);
	ck_assert_int_eq(ts_transport_open(t, &c, &err), TS_OK);
	until_state(t, c, TS_TRANSPORT_ASKING);
	ck_assert_int_eq(t->question.kind, TS_ASK_NOTICE);
	ck_assert_str_eq(t->question.text, "Confirm user presence");
	fclose(fopen(go, "w"));
	ck_assert_int_eq(expect(t, c, back, 3), TS_OK);
	ck_assert_int_eq(t->state, TS_TRANSPORT_READY);
	ts_transport_free(t);
	unlink(go);
}
END_TEST

/* What may not ask fails with the first answer. */
START_TEST(not_to_ask)
{
	struct ts_transport *t = start(asks[0].lines, false);
	char byte;
	int c;

	ck_assert_int_eq(ts_transport_open(t, &c, &err), TS_OK);
	ck_assert_int_eq(expect(t, c, &byte, 1), TS_E_CONNECT);
	ck_assert_ptr_nonnull(strstr(t->err.msg, "Permission denied (password)"));
	ck_assert(t->hopeless);
	ts_transport_free(t);
}
END_TEST

START_TEST(leaves_nothing_open)
{
	int before = dup(0), after;

	close(before);
	for (int i = 0; i < 10; i++) {
		struct ts_transport *t = start("exec cat", false);
		int c;

		ck_assert_int_eq(ts_transport_open(t, &c, &err), TS_OK);
		ts_transport_free(t);
	}
	after = dup(0);
	close(after);
	ck_assert_int_eq(before, after);
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("ssh_child");
	TCase *t = tcase_create("ssh_child");
	SRunner *r;
	char path[100];
	int failed;

	if (!mkdtemp(dir))
		return EXIT_FAILURE;
	tcase_set_timeout(t, 120);
	tcase_add_test(t, words);
	tcase_add_test(t, much);
	tcase_add_loop_test(t, ending, 0, (int)TS_COUNT(ends));
	tcase_add_test(t, not_there);
	tcase_add_test(t, channels);
	tcase_add_loop_test(t, asking, 0, (int)TS_COUNT(asks));
	tcase_add_test(t, refusing);
	tcase_add_test(t, notice);
	tcase_add_test(t, not_to_ask);
	tcase_add_test(t, leaves_nothing_open);
	suite_add_tcase(s, t);
	r = srunner_create(s);
	srunner_run_all(r, CK_NORMAL);
	failed = srunner_ntests_failed(r);
	srunner_free(r);
	snprintf(path, sizeof(path), "%s/ssh", dir);
	unlink(path);
	rmdir(dir);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
