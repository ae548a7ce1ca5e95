/* SPDX-License-Identifier: MIT */
/*
 * The terminal, on a pseudo-terminal whose other end the test holds: what keys become, what is sent, and
 * that everything is given back. Each test runs in a process of its own, so it may use up its
 * standard input and output.
 */
#include "config.h"

#include <check.h>
#include <fcntl.h>
#include <locale.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include "tilescope/base/mem.h"
#include "tilescope/ui/tty.h"

enum { W = 80, H = 24 };

struct bench {
	int master;
	struct ts_tty *tty;
	struct ts_log *log;
	struct ts_theme theme;
	struct ts_canvas *canvas;
	struct ts_strbuf sent; /* by the program, since the last time */
	pthread_t reader;      /* of the master, as a terminal reads */
	pthread_mutex_t lock;
	struct ts_strbuf inbox; /* under the lock, like the rest */
	bool deaf, ended;
};

/* Everything that is there; call with the lock held. Asking a terminal also moves what the kernel holds back. */
static bool
read_all(struct bench *b)
{
	struct pollfd p = {b->master, POLLIN, 0};
	char buf[4096];
	bool some = false;

	while (!b->deaf && poll(&p, 1, 0) == 1) {
		ssize_t n = read(b->master, buf, sizeof(buf));

		if (n <= 0)
			break;
		ts_strbuf_add(&b->inbox, buf, (size_t)n);
		some = true;
	}
	return some;
}

static void *
read_master(void *arg)
{
	struct bench *b = arg;
	bool some, ended;

	do {
		pthread_mutex_lock(&b->lock);
		some = read_all(b);
		ended = b->ended;
		pthread_mutex_unlock(&b->lock);
		if (!some)
			usleep(1000);
	} while (!ended);
	return NULL;
}

/* Take what was sent. Returns the bytes. */
static size_t
take(struct bench *b)
{
	pthread_mutex_lock(&b->lock);
	read_all(b);
	ts_strbuf_reset(&b->sent);
	ts_strbuf_add(&b->sent, b->inbox.s, b->inbox.len);
	ts_strbuf_reset(&b->inbox);
	pthread_mutex_unlock(&b->lock);
	return b->sent.len;
}

static void
unplug(struct bench *b)
{
	pthread_mutex_lock(&b->lock);
	b->ended = true;
	pthread_mutex_unlock(&b->lock);
	pthread_join(b->reader, NULL);
	ts_strbuf_fini(&b->sent);
	ts_strbuf_fini(&b->inbox);
	close(b->master);
}

static bool
sent(const struct bench *b, const char *s)
{
	return memmem(b->sent.s, b->sent.len, s, strlen(s)) != NULL;
}

/* Standard input and output become a terminal of W by H. */
static void
plug_in(struct bench *b, const char *term)
{
	struct winsize size = {.ws_row = H, .ws_col = W};
	int slave;

	memset(b, 0, sizeof(*b));
	ts_strbuf_init(&b->sent, 1 << 22);
	ts_strbuf_init(&b->inbox, 1 << 22);
	b->master = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
	ck_assert_int_ge(b->master, 0);
	ck_assert_int_eq(grantpt(b->master), 0);
	ck_assert_int_eq(unlockpt(b->master), 0);
	slave = open(ptsname(b->master), O_RDWR | O_NOCTTY);
	ck_assert_int_ge(slave, 0);
	ioctl(slave, TIOCSWINSZ, &size);
	dup2(slave, STDIN_FILENO);
	dup2(slave, STDOUT_FILENO);
	close(slave);
	setenv("TERM", term, 1);
	unsetenv("NO_COLOR");
	unsetenv("TMUX");
	pthread_mutex_init(&b->lock, NULL);
	ck_assert_int_eq(pthread_create(&b->reader, NULL, read_master, b), 0);
}

static void
start(struct bench *b, const char *term)
{
	struct ts_tty_options options = {.depth = -1, .esc_delay = 25};
	struct ts_err err = {.msg = ""};

	plug_in(b, term);
	b->log = options.log = ts_log_new();
	ck_assert_msg(ts_tty_open(&b->tty, &options, &err) == TS_OK, "%s", err.msg);
	ts_theme_init(&b->theme);
	b->canvas = ts_canvas_new(W, H, ts_tty_info(b->tty)->glyphs);
	ck_assert_ptr_nonnull(b->canvas);
}

static void
stop(struct bench *b)
{
	ts_tty_close(b->tty);
	ts_canvas_free(b->canvas);
	ts_log_free(b->log);
	unplug(b);
}

static void
show(struct bench *b)
{
	ts_tty_show(b->tty, b->canvas, &b->theme);
}

/* Type bytes; the events they become, by name, with blanks between; pastes in brackets. Polling moves them. */
static void
types(struct bench *b, const char *bytes, size_t n, const char *expected)
{
	struct pollfd p = {ts_tty_fd(b->tty), POLLIN, 0};
	struct ts_strbuf names;
	struct ts_event e;
	char text[TS_KEY_TEXT];

	ts_strbuf_init(&names, 10000);
	ck_assert_int_eq(write(b->master, bytes, n), (int)n);
	while (poll(&p, 1, 0) == 1)
		while (ts_tty_read(b->tty, &e)) {
			if (e.type == TS_EVENT_MOUSE)
				ts_strbuf_printf(&names, "mouse%d@%d,%d ", e.mouse, e.x, e.y);
			else if (e.type == TS_EVENT_RESIZE)
				ts_strbuf_puts(&names, "resize ");
			else if (e.type == TS_EVENT_PASTE)
				ts_strbuf_printf(&names, "[%s] ", ts_key_print(text, e.key));
			else
				ts_strbuf_printf(&names, "%s ", ts_key_print(text, e.key));
		}
	ck_assert_str_eq(names.s, expected);
	ts_strbuf_fini(&names);
}

static void
type(struct bench *b, const char *bytes, const char *expected)
{
	types(b, bytes, strlen(bytes), expected);
}

START_TEST(keys)
{
	struct bench b;

	start(&b, "xterm-256color");
	show(&b);
	take(&b);
	type(&b, "aZ \r\n\t", "a Z Space Enter Enter Tab ");
	type(&b, "\003\032\034\021\023\017", "C-c C-z C-\\ C-q C-s C-o ");
	types(&b, "\0", 1, "C-Space ");
	type(&b, "\177\010", "Backspace Backspace ");
	type(&b, "\u00e4\u5909", "\u00e4 \u5909 ");
	type(&b, "\033", "Esc ");
	type(&b, "\033x", "M-x ");
	type(&b, "\033\177", "M-Backspace ");
	type(&b, "\033OA\033OB\033OC\033OD", "Up Down Right Left ");
	type(&b, "\033[A\033[H\033[F\033[1~\033[4~", "Up Home End Home End ");
	type(&b, "\033[5~\033[6~\033[2~\033[3~", "PgUp PgDn Ins Del ");
	type(&b, "\033OP\033[15~\033[24~", "F1 F5 F12 ");
	type(&b, "\033[1;5A\033[1;2B\033[1;3D\033[5;5~", "C-Up S-Down M-Left C-PgUp ");
	type(&b, "\033[Z", "S-Tab ");
	/* what we did not ask for means nothing, and no part of it is a key */
	type(&b, "\033[I\033[O\033[?1;2c\033[<0;3;4M\033[99;7u", "");
	type(&b, "\033[200~q\r:\033[201~x", "[q] [Space] [:] x ");
	stop(&b);
}
END_TEST

START_TEST(keys_that_terminfo_does_not_know)
{
	struct bench b;

	start(&b, "vt100");
	ck_assert_int_eq(ts_tty_info(b.tty)->depth, TS_DEPTH_MONO);
	type(&b, "\033[A\033[1;5C\033[5~\033[3~\033OQ", "Up C-Right PgUp Del F2 ");
	stop(&b);
}
END_TEST

START_TEST(noise_is_survived)
{
	unsigned seed = 11;
	struct bench b;
	struct ts_event e;

	start(&b, "xterm-256color");
	ts_tty_mouse(b.tty, true);
	for (int round = 0; round < 300; round++) {
		char bytes[32];

		for (size_t i = 0; i < sizeof(bytes); i++) {
			seed = seed * 1664525u + 1013904223u;
			bytes[i] = (char)(seed >> 28 ? seed >> 16 : 27);
		}
		ck_assert_int_gt(write(b.master, bytes, sizeof(bytes)), 0);
		while (ts_tty_read(b.tty, &e))
			ck_assert_int_le(e.type, TS_EVENT_RESIZE);
		if (round % 50 == 0)
			take(&b);
	}
	stop(&b);
}
END_TEST

START_TEST(the_mouse)
{
	struct bench b;

	start(&b, "xterm-256color");
	ck_assert(ts_tty_mouse(b.tty, true));
	show(&b);
	take(&b);
	type(&b, "\033[<0;5;7M\033[<0;5;7m", "mouse0@4,6 ");
	type(&b, "\033[<0;5;7M", "mouse1@4,6 "); /* twice at one place */
	type(&b, "\033[<64;1;1M\033[<65;80;24M", "mouse4@0,0 mouse5@79,23 ");
	ck_assert(ts_tty_mouse(b.tty, false));
	stop(&b);
	start(&b, "vt100");
	ck_assert(!ts_tty_mouse(b.tty, true));
	stop(&b);
}
END_TEST

START_TEST(an_unchanged_screen_sends_nothing)
{
	struct bench b;

	start(&b, "xterm-256color");
	ts_canvas_text(b.canvas, ts_canvas_rect(b.canvas), 3, 3, TS_ROLE_TITLE,
		"tilescope \u5909\u2588");
	show(&b);
	ck_assert_uint_gt(take(&b), 0);
	ck_assert(sent(&b, "tilescope \u5909\u2588"));
	for (int i = 0; i < 3; i++) {
		show(&b);
		ck_assert_uint_eq(take(&b), 0);
	}
	ts_canvas_text(b.canvas, ts_canvas_rect(b.canvas), 3, 3, TS_ROLE_TITLE, "T");
	show(&b);
	ck_assert_uint_lt(take(&b), 40);
	ts_tty_redraw(b.tty);
	show(&b);
	take(&b);
	ck_assert(sent(&b, "Tilescope"));
	/* the cursor of a prompt comes and goes */
	ts_canvas_cursor(b.canvas, ts_canvas_rect(b.canvas), 5, 5);
	show(&b);
	ck_assert_uint_gt(take(&b), 0);
	show(&b);
	ck_assert_uint_eq(take(&b), 0);
	stop(&b);
}
END_TEST

START_TEST(a_smaller_or_larger_canvas)
{
	struct bench b;

	start(&b, "xterm-256color");
	for (int i = 0; i < 4; i++) {
		ck_assert_int_eq(ts_canvas_resize(b.canvas, W - 30 + 20 * i, H - 12 + 8 * i, NULL),
			TS_OK);
		ts_canvas_fill(b.canvas, ts_canvas_rect(b.canvas), TS_ROLE_FILL,
			(uint32_t)('a' + i));
		show(&b);
		ck_assert_uint_gt(take(&b), 0);
	}
	stop(&b);
}
END_TEST

START_TEST(a_resize_is_an_event)
{
	struct winsize size = {.ws_row = 40, .ws_col = 120};
	struct bench b;
	struct ts_event e;
	int w, h;

	start(&b, "xterm-256color");
	ts_tty_size(b.tty, &w, &h);
	ck_assert_int_eq(w, W);
	ck_assert_int_eq(h, H);
	show(&b);
	ck_assert(!ts_tty_read(b.tty, &e));
	ioctl(b.master, TIOCSWINSZ, &size);
	raise(SIGWINCH);
	ck_assert(ts_tty_read(b.tty, &e));
	ck_assert_int_eq(e.type, TS_EVENT_RESIZE);
	ts_tty_size(b.tty, &w, &h);
	ck_assert_int_eq(w, 120);
	ck_assert_int_eq(h, 40);
	ck_assert(!ts_tty_read(b.tty, &e));
	stop(&b);
}
END_TEST

/* More combinations than the terminal has pairs, and other ones in each frame. */
START_TEST(colour_pairs_never_run_out)
{
	struct bench b;

	start(&b, "screen");
	ck_assert_int_eq(ts_tty_info(b.tty)->pairs, 64);
	for (int i = 0; i < TS_ROLE_COUNT; i++)
		b.theme.role[i].fg = TS_COLOUR_ANSI + i % 8;
	for (int frame = 0; frame < 20; frame++) {
		for (int y = 0; y < H; y++)
			for (int x = 0; x < W; x++)
				ts_canvas_glyph2(b.canvas, ts_canvas_rect(b.canvas), x, y,
					(enum ts_role)((x + frame) % TS_ROLE_COUNT),
					(enum ts_role)(y % TS_ROLE_COUNT), 0x2584);
		show(&b);
		ck_assert_uint_gt(take(&b), 0);
		show(&b);
		ck_assert_uint_eq(take(&b), 0);
	}
	stop(&b);
}
END_TEST

/* Below a cursor's row text is another colour than a line of the same role: what is kept of looks tells them apart. */
START_TEST(text_and_lines_of_a_role_differ)
{
	struct bench b;

	start(&b, "xterm-256color");
	b.theme.role[TS_ROLE_INK].fg = 0x101010;
	b.theme.role[TS_ROLE_CURSOR_OTHER] = (struct ts_style){TS_COLOUR_KEEP, 0x303030, 0};
	ts_canvas_glyph(b.canvas, ts_canvas_rect(b.canvas), 0, 0, TS_ROLE_INK, 0x2502);
	ts_canvas_text(b.canvas, ts_canvas_rect(b.canvas), 1, 0, TS_ROLE_INK, "text");
	ts_canvas_overlay(b.canvas, (struct ts_rect){0, 0, 5, 1}, TS_ROLE_CURSOR_OTHER);
	show(&b);
	ck_assert_uint_gt(take(&b), 0);
	ck_assert_ptr_nonnull(strstr(b.sent.s, "38;5;233m"));
	ck_assert_ptr_nonnull(strstr(b.sent.s, "38;5;231m"));
	stop(&b);
}
END_TEST

START_TEST(the_terminal_is_given_back)
{
	struct termios before, raw, after;
	struct bench b;

	start(&b, "xterm-256color");
	stop(&b);
	plug_in(&b, "xterm-256color");
	tcgetattr(STDIN_FILENO, &before);
	ck_assert_int_eq(ts_tty_open(&b.tty, &(struct ts_tty_options){.depth = -1, .esc_delay = -1},
				 NULL),
		TS_OK);
	tcgetattr(STDIN_FILENO, &raw);
	ck_assert(!(raw.c_lflag & (ICANON | ECHO | ISIG)));
	b.canvas = ts_canvas_new(W, H, TS_GLYPHS_FULL);
	ts_theme_init(&b.theme);
	show(&b);
	take(&b);
	ck_assert(sent(&b, "\033[?1049h"));
	ck_assert(sent(&b, "\033[?2004h"));
	ts_tty_leave(b.tty);
	take(&b);
	ck_assert(sent(&b, "\033[?1049l"));
	ck_assert(sent(&b, "\033[?2004l"));
	tcgetattr(STDIN_FILENO, &after);
	ck_assert_uint_eq(after.c_lflag, before.c_lflag);
	ts_tty_resume(b.tty);
	show(&b);
	take(&b);
	ck_assert(sent(&b, "\033[?1049h"));
	ts_tty_emergency(b.tty);
	take(&b);
	ck_assert(sent(&b, "\033[?1049l"));
	ck_assert(sent(&b, "\033[?25h"));
	ck_assert(!sent(&b, "$<"));
	tcgetattr(STDIN_FILENO, &after);
	ck_assert_uint_eq(after.c_lflag, before.c_lflag);
	ck_assert_uint_eq(after.c_iflag, before.c_iflag);
	stop(&b);
}
END_TEST

START_TEST(stderr_goes_to_the_log)
{
	char line[TS_LOG_LINE_MAX], many[100];
	struct bench b;

	start(&b, "xterm-256color");
	fprintf(stderr, "a library\nspeaks");
	ts_tty_drain_stderr(b.tty);
	ck_assert(ts_log_get(b.log, 0, line));
	ck_assert_str_eq(line, "stderr: a library");
	memset(many, 'x', sizeof(many));
	for (int i = 0; i < 5000; i++) /* more than a pipe holds: it does not wait */
		(void)!write(STDERR_FILENO, many, sizeof(many));
	ts_tty_drain_stderr(b.tty);
	ck_assert_int_gt(ts_log_count(b.log), 2);
	ck_assert_int_ge(ts_tty_stderr_fd(b.tty), 0);
	stop(&b);
}
END_TEST

START_TEST(last_words_are_not_lost)
{
	char text[64] = "";
	struct bench b;
	int fd[2];

	ck_assert_int_eq(pipe(fd), 0);
	dup2(fd[1], STDERR_FILENO);
	start(&b, "xterm-256color");
	fprintf(stderr, "assertion failed\n");
	ts_tty_emergency(b.tty);
	ck_assert_int_gt(read(fd[0], text, sizeof(text) - 1), 0);
	ck_assert_str_eq(text, "assertion failed\n");
	stop(&b);
}
END_TEST

START_TEST(the_nearest_terminal_is_taken)
{
	static const struct {
		const char *term, *taken;
	} cases[] = {{"no-such-terminal", "xterm-256color"}, {"xterm-nonsense", "xterm"},
		{"", "xterm-256color"}, {"vt100-odd-thing", "vt100"}};

	for (size_t i = 0; i < TS_COUNT(cases); i++) {
		struct bench b;

		start(&b, cases[i].term);
		ck_assert_str_eq(ts_tty_info(b.tty)->term, cases[i].taken);
		ck_assert(ts_tty_info(b.tty)->replaced);
		stop(&b);
	}
}
END_TEST

START_TEST(a_terminal_that_cannot_place_the_cursor)
{
	struct bench b;
	struct ts_err err;

	plug_in(&b, "dumb");
	ck_assert_int_eq(ts_tty_open(&b.tty, &(struct ts_tty_options){.depth = -1}, &err),
		TS_E_NOT_FOUND);
	ck_assert_ptr_null(b.tty);
	unplug(&b);
}
END_TEST

START_TEST(colours_as_the_environment_says)
{
	static const struct {
		const char *term, *no_color;
		enum ts_depth depth;
	} cases[] = {{"xterm-256color", NULL, TS_DEPTH_256}, {"xterm", NULL, TS_DEPTH_8},
		{"linux", NULL, TS_DEPTH_8}, {"vt100", NULL, TS_DEPTH_MONO},
		{"xterm-256color", "1", TS_DEPTH_MONO}, {"xterm-256color", "", TS_DEPTH_256}};

	for (size_t i = 0; i < TS_COUNT(cases); i++) {
		struct bench b;

		plug_in(&b, cases[i].term);
		if (cases[i].no_color)
			setenv("NO_COLOR", cases[i].no_color, 1);
		ck_assert_int_eq(ts_tty_open(&b.tty,
					 &(struct ts_tty_options){.depth = -1, .ascii = i == 0},
					 NULL),
			TS_OK);
		ck_assert_int_eq(ts_tty_info(b.tty)->depth, cases[i].depth);
		ck_assert_int_eq(ts_tty_info(b.tty)->glyphs,
			i == 0					      ? TS_GLYPHS_ASCII
				: strcmp(cases[i].term, "linux") == 0 ? TS_GLYPHS_BASIC
								      : TS_GLYPHS_FULL);
		stop(&b);
	}
}
END_TEST

START_TEST(the_clipboard)
{
	struct bench b;
	char big[3 * TS_TTY_COPY_MAX];

	start(&b, "xterm-256color");
	show(&b);
	take(&b);
	ck_assert(ts_tty_copy(b.tty, "tile\033 12"));
	take(&b);
	ck_assert(sent(&b, "\033]52;c;dGlsZSAxMg==\a"));
	memset(big, 'x', sizeof(big) - 1);
	big[sizeof(big) - 1] = '\0';
	ck_assert(ts_tty_copy(b.tty, big));
	ck_assert_uint_le(take(&b), 2 * TS_TTY_COPY_MAX);
	stop(&b);
	start(&b, "screen");
	take(&b);
	ck_assert(ts_tty_copy(b.tty, "x"));
	take(&b);
	ck_assert(sent(&b, "\033P\033]52;c;eA==\a\033\\"));
	stop(&b);
}
END_TEST

static void
deafen(struct bench *b, bool deaf)
{
	pthread_mutex_lock(&b->lock);
	b->deaf = deaf;
	pthread_mutex_unlock(&b->lock);
}

/*
 * Write until nothing more fits, and still does not after the kernel had time to move what it holds to the
 * other end, where nobody reads any more.
 */
static void
stuff(struct bench *b)
{
	static const char block[4096];
	int slave = open(ptsname(b->master), O_WRONLY | O_NOCTTY | O_NONBLOCK);
	struct pollfd p = {slave, POLLOUT, 0};

	ck_assert_int_ge(slave, 0);
	do {
		while (write(slave, block, sizeof(block)) > 0)
			;
	} while (poll(&p, 1, 500) > 0);
	close(slave);
}

START_TEST(a_terminal_that_does_not_read)
{
	struct bench b;

	start(&b, "xterm-256color");
	ck_assert(ts_tty_ready(b.tty));
	deafen(&b, true);
	stuff(&b);
	ck_assert(!ts_tty_ready(b.tty));
	ck_assert(!ts_tty_copy(b.tty, "x"));
	deafen(&b, false);
	take(&b);
	ck_assert(ts_tty_ready(b.tty));
	stop(&b);
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("ui_tty");
	TCase *c = tcase_create("all");
	setlocale(LC_CTYPE, "C.UTF-8");
	tcase_add_test(c, keys);
	tcase_add_test(c, keys_that_terminfo_does_not_know);
	tcase_add_test(c, noise_is_survived);
	tcase_add_test(c, the_mouse);
	tcase_add_test(c, an_unchanged_screen_sends_nothing);
	tcase_add_test(c, a_smaller_or_larger_canvas);
	tcase_add_test(c, a_resize_is_an_event);
	tcase_add_test(c, colour_pairs_never_run_out);
	tcase_add_test(c, text_and_lines_of_a_role_differ);
	tcase_add_test(c, the_terminal_is_given_back);
	tcase_add_test(c, stderr_goes_to_the_log);
	tcase_add_test(c, last_words_are_not_lost);
	tcase_add_test(c, the_nearest_terminal_is_taken);
	tcase_add_test(c, a_terminal_that_cannot_place_the_cursor);
	tcase_add_test(c, colours_as_the_environment_says);
	tcase_add_test(c, the_clipboard);
	tcase_add_test(c, a_terminal_that_does_not_read);
	tcase_set_timeout(c, 60);
	suite_add_tcase(s, c);
	SRunner *r = srunner_create(s);
	srunner_set_fork_status(r,
		CK_FORK); /* with sanitizers too: they end processes, or leave things behind */
	srunner_run_all(r, CK_NORMAL);
	int failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
