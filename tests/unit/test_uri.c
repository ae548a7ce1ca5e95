/* SPDX-License-Identifier: MIT */
/* test_uri - what a word of the user's means: here, or where. */
#include "config.h"

#include <check.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tilescope/base/mem.h"
#include "tilescope/io/uri.h"

static struct ts_err err;

static const struct {
	const char *word, *user, *host;
	int port;
	const char *path, *text; /* NULL: as the word */
} good[] = {
	{"host:reports/training", "", "host", 0, "reports/training", NULL},
	{"host:/data/report", "", "host", 0, "/data/report", NULL},
	{"host:", "", "host", 0, ".", NULL},
	{"host:~", "", "host", 0, ".", "host:"},
	{"host:~/", "", "host", 0, ".", "host:"},
	{"host:~/a b", "", "host", 0, "a b", "host:a b"},
	{"host:~//x", "", "host", 0, "x", "host:x"},
	{"host:a:b", "", "host", 0, "a:b", NULL},
	{"host::x", "", "host", 0, ":x", NULL},
	{"host::", "", "host", 0, ":", NULL},
	{"host:22:/x", "", "host", 0, "22:/x", NULL}, /* a port takes sftp:// */
	{"host:/a:b", "", "host", 0, "/a:b", NULL},
	{"2001:db8::1:x", "", "2001", 0, "db8::1:x", NULL}, /* an address takes brackets */
	{"[::1]:22:x", "", "::1", 0, "22:x", NULL},
	{"[::1]:", "", "::1", 0, ".", NULL},
	{"me@host:x@y:z", "me", "host", 0, "x@y:z", NULL},
	{"sftp://host/a:b", "", "host", 0, "/a:b", "host:/a:b"},
	{"host:-x", "", "host", 0, "-x", NULL},
	{"me@host:x", "me", "host", 0, "x", NULL},
	{"me@corp@host.example:x", "me@corp", "host.example", 0, "x", NULL},
	{"[2001:db8::1]:x", "", "2001:db8::1", 0, "x", NULL},
	{"me@[fe80::1%eth0]:/x", "me", "fe80::1%eth0", 0, "/x", NULL},
	{"10.1.2.3:x", "", "10.1.2.3", 0, "x", NULL},
	{"my_host-2:x", "", "my_host-2", 0, "x", NULL},
	{"sftp://host/data/x", "", "host", 0, "/data/x", "host:/data/x"},
	{"SFTP://host/x", "", "host", 0, "/x", "host:/x"},
	{"sftp://me@host:2222/data/x", "me", "host", 2222, "/data/x", NULL},
	{"sftp://host:22/~/x", "", "host", 22, "x", NULL},
	{"sftp://host:22/~", "", "host", 22, ".", "sftp://host:22/~/"},
	{"sftp://host/~x", "", "host", 0, "/~x", "host:/~x"},
	{"sftp://host:22/~/~x", "", "host", 22, "~x", NULL},
	{"sftp://host/~/~x", "", "host", 0, "~x", "host:./~x"},
	{"sftp://host", "", "host", 0, ".", "host:"},
	{"sftp://[::1]:2222/x", "", "::1", 2222, "/x", NULL},
	{"sftp://[::1]/x", "", "::1", 0, "/x", "[::1]:/x"},
	{"sftp://host/a%20b%25%C3%bc", "", "host", 0, "/a b%\xc3\xbc", "host:/a b%\xc3\xbc"},
	{"sftp://host:1/a%20%3F", "", "host", 1, "/a ?", NULL},
};

START_TEST(remote)
{
	struct ts_strbuf text;
	struct ts_uri u, again;

	ck_assert_msg(ts_uri_parse(&u, good[_i].word, &err) == TS_OK, "%s: %s", good[_i].word,
		err.msg);
	ck_assert(u.remote);
	ck_assert_str_eq(u.user, good[_i].user);
	ck_assert_str_eq(u.host, good[_i].host);
	ck_assert_int_eq(u.port, good[_i].port);
	ck_assert_str_eq(u.path, good[_i].path);
	ts_strbuf_init(&text, 8192);
	ts_uri_text(&text, &u);
	ck_assert_str_eq(text.s, good[_i].text ? good[_i].text : good[_i].word);
	ck_assert_int_eq(ts_uri_parse(&again, text.s, &err), TS_OK);
	ck_assert(ts_uri_same_host(&u, &again));
	ts_strbuf_fini(&text);
}
END_TEST

static const struct {
	const char *word, *why;
} bad[] = {
	{"-oProxyCommand=x:y", "cannot begin with -"},
	{"-l:y", "cannot begin with -"},
	{"me@-host:y", "cannot begin with -"},
	{"-me@host:y", "cannot begin with -"},
	{"ho st:y", "no such file"},
	{"ho`id`st:y", "character"},
	{"ho$(id)st:y", "character"},
	{"ho;st:y", "character"},
	{"ho\nst:y", "character"},
	{"ho\x1b[1mst:y", "address"},
	{"h\xc3\xb6st:y", "character"},
	{"m'e@host:y", "character"},
	{"@host:y", "empty user"},
	{"me@:y", "empty host"},
	{"[]:y", "address"},
	{"[host]:y", "no IPv6 address"},
	{"[-::1]:y", "cannot begin with -"},
	{"[::1]x:y", "no ]"},
	{"[::1%`id`]:y", "character"},
	{"host:a\nb", "control character"},
	{"host:a\x1b[1m", "control character"},
	{"host:a\x7f", "control character"},
	{"host:~other/x", "~NAME"},
	{"host:~other", "~NAME"},
	{"http://host/x", "only HOST:PATH and sftp://"},
	{"ssh://host/x", "only HOST:PATH and sftp://"},
	{"sftp://me:secret@host/x", "password"},
	{"sftp:///x", "empty host"},
	{"sftp://host:0/x", "port"},
	{"sftp://host:65536/x", "port"},
	{"sftp://host:99999999999999999999/x", "port"},
	{"sftp://host:2x/x", "port"},
	{"sftp://host:/x", "port"},
	{"sftp://host:", "port"},
	{"sftp://host:22:23/x", "character"},
	{"sftp://host::22/x", "character"},
	{"sftp://:22/x", "empty host"},
	{"sftp://:/x", "port"},
	{"sftp://::1/x", "character"},
	{"sftp://[::1]:/x", "port"},
	{"sftp://me@:22/x", "empty host"},
	{"sftp://host/a%", "hexadecimal"},
	{"sftp://host/a%4", "hexadecimal"},
	{"sftp://host/a%zz", "hexadecimal"},
	{"sftp://host/a%00", "hexadecimal"},
	{"sftp://host/a%0a", "control character"},
	{"sftp://-x/y", "cannot begin with -"},
	{"sftp://me@-x:22/y", "cannot begin with -"},
};

START_TEST(refused)
{
	struct ts_uri u;

	ck_assert_msg(ts_uri_parse(&u, bad[_i].word, &err) == TS_E_USAGE, "%s", bad[_i].word);
	ck_assert_msg(strstr(err.msg, bad[_i].why) != NULL, "%s: %s", bad[_i].word, err.msg);
}
END_TEST

/* Secrets of an address that was refused are not repeated. */
START_TEST(not_repeated)
{
	struct ts_uri u;

	ck_assert_int_eq(ts_uri_parse(&u, "sftp://me:secret@host/x", &err), TS_E_USAGE);
	ck_assert_ptr_null(strstr(err.msg, "secret"));
}
END_TEST

START_TEST(without_password)
{
	static const char *const words[][2] = {{"sftp://me:secret@host/x", "sftp://me:***@host/x"},
		{"ssh://me:se@cret:@host", "ssh://me:***@host"},
		{"sftp://me@host:22/a:b@c", "sftp://me@host:22/a:b@c"},
		{"sftp://[::1]:22/x", "sftp://[::1]:22/x"}, {"me@host:a@b", "me@host:a@b"},
		{"dir/a:b@c", "dir/a:b@c"}, {"", ""}};

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		struct ts_strbuf out;

		ts_strbuf_init(&out, 1 << 10);
		ts_uri_without_password(&out, words[i][0]);
		ck_assert_str_eq(out.s ? out.s : "", words[i][1]);
		ts_strbuf_fini(&out);
	}
}
END_TEST

static const char *const local[] = {"", "profile.pop", "./host:x", "/a:b", "a/b:c", "..", ":x", ":",
	"::", "::1", ":22:x", "a/:b", "[::1", "[::1/x]:y", "~/x", "[x", "[::1]", "-x",
	"dir/sftp://x"};

START_TEST(here)
{
	struct ts_strbuf text;
	struct ts_uri u;

	ck_assert_msg(ts_uri_parse(&u, local[_i], &err) == TS_OK, "%s: %s", local[_i], err.msg);
	ck_assert(!u.remote);
	ck_assert_str_eq(u.path, local[_i]);
	ck_assert_str_eq(u.host, "");
	ts_strbuf_init(&text, 8192);
	ts_uri_text(&text, &u);
	ck_assert_str_eq(text.s, local[_i]);
	ts_strbuf_fini(&text);
	ck_assert(!ts_uri_same_host(&u, &u));
}
END_TEST

/* The host stands once: behind a word that names it the message goes without. */
START_TEST(said_once)
{
	static const struct {
		const char *word, *message, *rest;
	} cases[] = {
		{"box:x", "box: no connection", "no connection"},
		{"me@box:x", "box: denied: box: x", "denied: box: x"},
		{"sftp://me@box:99/x", "box: port 99: no", "port 99: no"},
		{"[::1]:x", "::1: no", "no"},
		{"box:x", "boxes: no", "boxes: no"},
		{"box:x", "me@box: denied", "me@box: denied"},
		{"box:x", "box:", "box:"},
		{"box:x", "", ""},
		{"./box:x", "box: no", "box: no"},
		{"box", "box: no", "box: no"},
	};

	for (size_t i = 0; i < TS_COUNT(cases); i++)
		ck_assert_str_eq(ts_uri_reason(cases[i].word, cases[i].message), cases[i].rest);
}
END_TEST

/* A colon was forgotten, perhaps. */
START_TEST(may_be_a_host)
{
	static const struct {
		const char *word;
		bool may;
	} words[] = {{"nohost.invalid", true}, {"me@box", true}, {"10.1.2.3", true},
		{"me@[::1]", true}, {"gpu7", true}, {"train/", false}, {"./train", false},
		{"", false}, {".", false}, {"..", false}, {".hidden", false}, {"train.", false},
		{"profile.pop", false}, {"archive.a", false}, {"a.json", false},
		{"dir/host.example", false}, {"/host.example", false}, {"a b.c", false},
		{"-x.y", false}, {"me@", false}, {"@x.y", false}, {"ho;st.x", false},
		{"a:b.c", false}};

	for (size_t i = 0; i < TS_COUNT(words); i++)
		ck_assert_msg(ts_uri_may_be_host(words[i].word) == words[i].may, "%s",
			words[i].word);
}
END_TEST

START_TEST(there_is_such_a_file)
{
	char dir[] = "/tmp/tilescope-uri-XXXXXX";
	struct ts_uri u;
	int fd;

	ck_assert_ptr_nonnull(mkdtemp(dir));
	ck_assert_int_eq(chdir(dir), 0);
	ck_assert_int_eq(ts_uri_parse(&u, "host:x", &err), TS_OK);
	ck_assert(u.remote);
	fd = open("host:x", O_CREAT | O_WRONLY | O_CLOEXEC, 0600);
	ck_assert_int_ge(fd, 0);
	close(fd);
	ck_assert_int_eq(ts_uri_parse(&u, "host:x", &err), TS_OK);
	ck_assert(!u.remote);
	unlink("host:x");
	ck_assert_int_eq(chdir("/"), 0);
	rmdir(dir);
}
END_TEST

/* Bounds: one byte less than the room is taken, and no more. */
START_TEST(lengths)
{
	static char word[3 * TS_URI_PATH];
	const struct {
		const char *before;
		size_t most;
		const char *behind;
	} part[] = {{"", TS_URI_HOST - 1, ":x"}, {"", TS_URI_USER - 1, "@h:x"},
		{"h:", TS_URI_PATH - 1, ""}, {"sftp://h/", TS_URI_PATH - 2, ""},
		{"[:", TS_URI_HOST - 2, "]:x"}};

	for (size_t i = 0; i < sizeof(part) / sizeof(part[0]); i++)
		for (size_t more = 0; more < 2; more++) {
			struct ts_uri u;
			size_t n = strlen(part[i].before), fill = part[i].most + more;

			memcpy(word, part[i].before, n);
			memset(word + n, '1', fill);
			memcpy(word + n + fill, part[i].behind, strlen(part[i].behind) + 1);
			ck_assert_msg(ts_uri_parse(&u, word, &err) == (more ? TS_E_USAGE : TS_OK),
				"%zu, %zu more: %s", i, more, err.msg);
		}
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("uri");
	TCase *t = tcase_create("uri");
	SRunner *r;
	int failed;

	tcase_add_loop_test(t, remote, 0, (int)(sizeof(good) / sizeof(good[0])));
	tcase_add_loop_test(t, refused, 0, (int)(sizeof(bad) / sizeof(bad[0])));
	tcase_add_loop_test(t, here, 0, (int)(sizeof(local) / sizeof(local[0])));
	tcase_add_test(t, not_repeated);
	tcase_add_test(t, without_password);
	tcase_add_test(t, said_once);
	tcase_add_test(t, may_be_a_host);
	tcase_add_test(t, there_is_such_a_file);
	tcase_add_test(t, lengths);
	suite_add_tcase(s, t);
	r = srunner_create(s);
	srunner_run_all(r, CK_NORMAL);
	failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
