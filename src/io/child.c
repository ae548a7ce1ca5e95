/* SPDX-License-Identifier: MIT */
/* child - see the header. */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdint.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tilescope/base/clock.h"
#include "tilescope/base/mem.h"
#include "tilescope/io/child.h"

enum {
	LOOK_MS = 20, /* between two looks at the cancel token */
	ABOVE = 32,   /* our ends lie above what a child has */
	CHUNK = 512,
};

extern char **environ;

/* --- beginning -------------------------------------------------------------------------------- */

/* Ours of one start: all of them lie at ABOVE or higher, out of the way of the child's numbers. */
struct ends {
	int out[2], err[2], given[TS_CHILD_GIVEN], input;
};

static int
open_pipe(int end[2])
{
	int raw[2], why = 0;

	if (pipe2(raw, O_CLOEXEC) < 0)
		return errno;
	for (int i = 0; i < 2; i++) {
		end[i] = fcntl(raw[i], F_DUPFD_CLOEXEC, ABOVE);
		if (end[i] < 0)
			why = errno;
		close(raw[i]);
	}
	return why;
}

static void
close_one(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

static void
close_ends(struct ends *p)
{
	for (int i = 0; i < 2; i++) {
		close_one(&p->out[i]);
		close_one(&p->err[i]);
	}
	for (int i = 0; i < TS_CHILD_GIVEN; i++)
		close_one(&p->given[i]);
	close_one(&p->input);
}

/* Another number for the same, out of the way. */
static int
lift(int *to, int fd)
{
	*to = fcntl(fd, F_DUPFD_CLOEXEC, ABOVE);
	return *to < 0 ? errno : 0;
}

static int
open_ends(struct ends *p, const struct ts_child_spec *spec)
{
	int rc = open_pipe(p->out);

	if (!rc)
		rc = open_pipe(p->err);
	if (!rc && spec->input)
		rc = lift(&p->input, spec->input);
	for (int i = 0; !rc && i < spec->given_count; i++)
		rc = lift(&p->given[i], spec->given[i]);
	return rc;
}

static int
set_files(posix_spawn_file_actions_t *files, const struct ts_child_spec *spec, const struct ends *p)
{
	int rc = p->input >= 0
		? posix_spawn_file_actions_adddup2(files, p->input, 0)
		: posix_spawn_file_actions_addopen(files, 0, "/dev/null", O_RDONLY, 0);

	if (!rc)
		rc = posix_spawn_file_actions_adddup2(files, p->out[1], 1);
	if (!rc)
		rc = posix_spawn_file_actions_adddup2(files, p->err[1], 2);
	for (int i = 0; !rc && i < spec->given_count; i++)
		rc = posix_spawn_file_actions_adddup2(files, p->given[i], TS_CHILD_FIRST + i);
	return rc;
}

/* Our threads block signals, and a mask is inherited: a child begins with none blocked, all as usual. */
static int
set_signals(posix_spawnattr_t *attributes, bool apart)
{
	const int flags = POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF |
		(apart ? POSIX_SPAWN_SETSID : 0);
	sigset_t none, usual;
	int rc;

	sigemptyset(&none);
	sigemptyset(&usual);
	sigaddset(&usual, SIGPIPE);
	sigaddset(&usual, SIGINT);
	sigaddset(&usual, SIGQUIT);
	rc = posix_spawnattr_setsigmask(attributes, &none);
	if (!rc)
		rc = posix_spawnattr_setsigdefault(attributes, &usual);
	if (!rc)
		rc = posix_spawnattr_setflags(attributes, (short)flags);
	return rc;
}

static int
spawn(pid_t *pid, const struct ts_child_spec *spec, const struct ends *p)
{
	posix_spawn_file_actions_t files;
	posix_spawnattr_t attributes;
	int rc = posix_spawn_file_actions_init(&files);

	if (rc)
		return rc;
	rc = posix_spawnattr_init(&attributes);
	if (rc) {
		posix_spawn_file_actions_destroy(&files);
		return rc;
	}
	rc = set_files(&files, spec, p);
	if (!rc)
		rc = set_signals(&attributes, spec->apart);
	if (!rc) /* its words are not written to: POSIX has them so for old programs' sake */
		rc = posix_spawnp(pid, spec->file, &files, &attributes,
			(char *const *)(uintptr_t)spec->argv,
			spec->environment ? spec->environment : environ);
	posix_spawnattr_destroy(&attributes);
	posix_spawn_file_actions_destroy(&files);
	return rc;
}

enum ts_code
ts_child_start(struct ts_child *c, const struct ts_child_spec *spec, struct ts_err *err)
{
	struct ends p = {{-1, -1}, {-1, -1}, {-1, -1, -1, -1}, -1};
	int rc;

	*c = (struct ts_child){.pid = -1, .out = -1, .err = -1};
	rc = open_ends(&p, spec);
	if (!rc)
		rc = spawn(&c->pid, spec, &p);
	if (!rc) {
		c->out = p.out[0];
		c->err = p.err[0];
		p.out[0] = p.err[0] = -1;
		fcntl(c->err, F_SETFL, O_NONBLOCK);
	} else {
		c->pid = -1;
	}
	close_ends(&p);
	return rc ? ts_err_sys(err, rc, "%s: cannot be run", spec->file) : TS_OK;
}

/* --- reading ---------------------------------------------------------------------------------- */

/* What it complains about: kept as far as there is room, else thrown away. */
static void
hear(struct ts_child *c)
{
	char chunk[CHUNK];
	ssize_t n = read(c->err, chunk, sizeof(chunk));
	size_t room = sizeof(c->complaint) - 1 - c->complaint_len;

	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	if (n <= 0) {
		close_one(&c->err);
		return;
	}
	if ((size_t)n < room)
		room = (size_t)n;
	memcpy(c->complaint + c->complaint_len, chunk, room);
	c->complaint_len += room;
}

enum ts_code
ts_child_read(struct ts_child *c, void *buffer, size_t size, size_t *got,
	const struct ts_cancel *cancel, struct ts_err *err)
{
	*got = 0;
	while (c->out >= 0) {
		struct pollfd p[] = {{.fd = c->out, .events = POLLIN},
			{.fd = c->err, .events = POLLIN}};
		ssize_t n;

		if (ts_cancelled(cancel))
			return ts_err_set(err, TS_E_CANCELLED, "cancelled");
		if (poll(p, 2, LOOK_MS) < 0 && errno != EINTR)
			return ts_err_sys(err, errno, "a pipe cannot be read");
		if (p[1].revents)
			hear(c);
		if (!p[0].revents)
			continue;
		n = read(c->out, buffer, size);
		if (n > 0) {
			*got = (size_t)n;
			return TS_OK;
		}
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return ts_err_sys(err, errno, "a pipe cannot be read");
		close_one(&c->out);
	}
	return TS_OK;
}

/* Has it ended? Waits LOOK_MS at most, listening meanwhile: one that nobody hears would never end. */
static bool
has_ended(struct ts_child *c, int *status)
{
	struct pollfd p = {.fd = c->err, .events = POLLIN};
	pid_t pid = waitpid(c->pid, status, WNOHANG);

	if (pid != 0)
		return pid > 0 || errno != EINTR;
	if (poll(&p, 1, c->err >= 0 ? LOOK_MS : 1) > 0)
		hear(c);
	return false;
}

/* What it wrote last; a grandchild may hold the pipe open. */
static void
hear_the_rest(struct ts_child *c)
{
	while (c->err >= 0) {
		struct pollfd p = {.fd = c->err, .events = POLLIN};

		if (poll(&p, 1, 0) <= 0)
			break;
		hear(c);
	}
}

int
ts_child_end(struct ts_child *c, const struct ts_cancel *cancel)
{
	int64_t patience = ts_clock_us() + TS_CHILD_PATIENCE_S * INT64_C(1000000);
	bool early = c->out >= 0, killed = false;
	int status = 0;

	if (c->pid < 0)
		return -1;
	close_one(&c->out);
	do {
		if (!killed && (early || ts_cancelled(cancel) || ts_clock_us() > patience))
			killed = kill(c->pid, SIGKILL) == 0;
	} while (!has_ended(c, &status));
	if (!early)
		hear_the_rest(c);
	close_one(&c->err);
	c->complaint[strcspn(c->complaint, "\r\n")] = '\0';
	c->pid = -1;
	return status;
}
