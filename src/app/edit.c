/* SPDX-License-Identifier: MIT */
/*
 * edit - see the header.
 *
 * $VISUAL, else $EDITOR, split at blanks, then +LINE and the file: no shell, so no name in a report is ever more
 * than a name. The terminal is given back for as long as the editor runs; it has our process group, so that
 * suspending it suspends us. What it was sent by keys (C-c) reaches us too, and is thrown away.
 */
#include "config.h"

#include <errno.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "tilescope/app/edit.h"
#include "tilescope/base/mem.h"
#include "tilescope/base/strbuf.h"

enum { WORDS = 16, PATH_BYTES = 1 << 14 };

extern char **environ;

struct command {
	char *copy; /* the words */
	char *argv[WORDS + 3];
	char line[32];
};

/* Is it a file that is there? */
static bool
is_file(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISREG(st.st_mode);
}

/* Where the file is: as it is called, else below the report's directory. The caller's; NULL = nowhere. */
static char *
look_for(const char *file, const struct ts_report *r)
{
	struct ts_strbuf b;
	bool here = is_file(file);

	ts_strbuf_init(&b, PATH_BYTES);
	if (here && *file == '/')
		ts_strbuf_puts(&b, file);
	else if (here) /* never taken for an option */
		ts_strbuf_printf(&b, "./%s", file);
	else if (r && *file != '/')
		ts_strbuf_printf(&b, "%s/%s", r->dir, file);
	if (b.cut || !is_file(b.s)) {
		ts_strbuf_fini(&b);
		return NULL;
	}
	return ts_strbuf_take(&b);
}

static const char *
editor(void)
{
	const char *words = getenv("VISUAL");

	if (!words || !words[strspn(words, " \t")])
		words = getenv("EDITOR");
	return words && words[strspn(words, " \t")] ? words : "vi";
}

static bool
make_command(struct command *c, char *file, int64_t line)
{
	char *rest;
	int n = 0;

	c->copy = ts_strdup(editor());
	if (!c->copy)
		return false;
	for (char *w = strtok_r(c->copy, " \t", &rest); w && n < WORDS;
		w = strtok_r(NULL, " \t", &rest))
		c->argv[n++] = w;
	if (line > 0) {
		snprintf(c->line, sizeof(c->line), "+%lld", (long long)line);
		c->argv[n++] = c->line;
	}
	c->argv[n++] = file;
	c->argv[n] = NULL;
	return true;
}

/* With the terminal as its three streams, no signal blocked or ignored: 0 or errno. */
static int
spawn(pid_t *pid, const struct command *c, const struct ts_tty *tty)
{
	posix_spawn_file_actions_t files;
	posix_spawnattr_t attributes;
	sigset_t none, usual;
	int rc = posix_spawn_file_actions_init(&files);

	if (rc)
		return rc;
	rc = posix_spawnattr_init(&attributes);
	if (rc) {
		posix_spawn_file_actions_destroy(&files);
		return rc;
	}
	sigemptyset(&none);
	sigemptyset(&usual);
	sigaddset(&usual, SIGPIPE);
	sigaddset(&usual, SIGXFSZ);
	rc = posix_spawnattr_setsigmask(&attributes, &none);
	if (!rc)
		rc = posix_spawnattr_setsigdefault(&attributes, &usual);
	if (!rc)
		rc = posix_spawnattr_setflags(&attributes,
			POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
	if (!rc)
		rc = posix_spawn_file_actions_adddup2(&files, ts_tty_fd(tty), 0);
	for (int fd = 1; !rc && fd <= 2; fd++)
		rc = posix_spawn_file_actions_adddup2(&files, ts_tty_out_fd(tty), fd);
	if (!rc)
		rc = posix_spawnp(pid, c->argv[0], &files, &attributes, c->argv, environ);
	posix_spawnattr_destroy(&attributes);
	posix_spawn_file_actions_destroy(&files);
	return rc;
}

/* Until it ends; while it is stopped, so are we. The status as waitpid() gives it. */
static int
wait_for(pid_t pid)
{
	int status = 0;

	for (;;) {
		pid_t got = waitpid(pid, &status, WUNTRACED);

		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0 || !WIFSTOPPED(status))
			return status;
		kill(getpid(), SIGSTOP);
		kill(pid, SIGCONT);
	}
}

/* Signals that keys have sent to the editor, and to us with it. */
static void
forget_signals(void)
{
	static const int keys[] = {SIGINT, SIGQUIT, SIGTSTP, SIGCONT};
	struct timespec now = {0};
	sigset_t mask;

	sigemptyset(&mask);
	for (size_t i = 0; i < TS_COUNT(keys); i++)
		sigaddset(&mask, keys[i]);
	while (sigtimedwait(&mask, NULL, &now) > 0)
		;
}

static void
run(struct ts_app *app, const struct command *c)
{
	pid_t pid;
	struct ts_err why;
	int rc, status = 0;

	ts_tty_leave(app->tty);
	rc = spawn(&pid, c, app->tty);
	if (!rc)
		status = wait_for(pid);
	forget_signals();
	ts_tty_resume(app->tty);
	ts_app_layout(app);
	app->dirty = true;
	if (rc)
		ts_err_sys(&why, rc, "%.80s cannot be run", c->argv[0]);
	if (rc)
		ts_view_say_error(&app->env, "%s", why.msg);
	else if (!WIFEXITED(status) || WEXITSTATUS(status) == 127)
		ts_view_say_error(&app->env, "%.80s has failed", c->argv[0]);
}

void
ts_app_edit(struct ts_app *app)
{
	char *said = app->env.edit, *file;
	struct command c = {0};

	app->env.edit = NULL;
	if (!said)
		return;
	file = look_for(said, app->env.report);
	if (!file)
		ts_view_say(&app->env, "%.150s is not here", said);
	else if (make_command(&c, file, app->env.edit_line))
		run(app, &c);
	else
		ts_view_say_error(&app->env, "out of memory");
	free(c.copy);
	free(file);
	free(said);
}
