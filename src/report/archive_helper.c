/* SPDX-License-Identifier: MIT */
/*
 * archive_helper - start the helper, ask it, notice when it ends.
 *
 * Questions go ahead of the answers by a window, so that neither side waits for the other at every
 * tile; a window of questions fits any socket's buffer, so sending never blocks for long. Answers come in
 * order: when the helper ends, the first unanswered question is the one it ended over, and the next helper
 * is asked those behind it. Waiting is by poll(), and looks at the cancel token.
 */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "archive_helper.h"
#include "tilescope/base/mem.h"

enum { WINDOW = 64, LOOK_MS = 50, ABOVE = 10 };

/* --- the process ------------------------------------------------------------------------------ */

/* What it is given: its socket, nothing to write to, the archive; no signal blocked or ignored. */
static int
prepare(posix_spawn_file_actions_t *files, posix_spawnattr_t *attr, int socket, int archive)
{
	sigset_t none, all;
	int rc = posix_spawn_file_actions_adddup2(files, socket, TS_ELF_SOCKET);

	if (!rc)
		rc = posix_spawn_file_actions_addopen(files, STDOUT_FILENO, "/dev/null", O_WRONLY,
			0);
	if (!rc)
		rc = posix_spawn_file_actions_addopen(files, STDERR_FILENO, "/dev/null", O_WRONLY,
			0);
	if (!rc)
		rc = posix_spawn_file_actions_adddup2(files, archive, TS_ELF_ARCHIVE);
	sigemptyset(&none);
	sigfillset(&all);
	if (!rc)
		rc = posix_spawnattr_setsigmask(attr, &none);
	if (!rc)
		rc = posix_spawnattr_setsigdefault(attr, &all);
	if (!rc)
		rc = posix_spawnattr_setpgroup(attr,
			0); /* an interrupt at the terminal is not its */
	if (!rc)
		rc = posix_spawnattr_setflags(attr,
			POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP);
	return rc;
}

static int
spawn(pid_t *pid, int socket, int archive)
{
	char name[] = "tilescope", word[] = TS_ELF_HELPER_WORD;
	char *argv[] = {name, word, NULL};
	posix_spawn_file_actions_t files;
	posix_spawnattr_t attr;
	int rc = posix_spawn_file_actions_init(&files);

	if (rc)
		return rc;
	rc = posix_spawnattr_init(&attr);
	if (!rc) {
		rc = prepare(&files, &attr, socket, archive);
		if (!rc)
			rc = posix_spawn(pid, "/proc/self/exe", &files, &attr, argv, environ);
		posix_spawnattr_destroy(&attr);
	}
	posix_spawn_file_actions_destroy(&files);
	return rc;
}

/* Numbers above those that the helper is given, so that giving one does not take another away. */
static int
move_up(int fd)
{
	int up = fd < 0 ? -1 : fcntl(fd, F_DUPFD_CLOEXEC, ABOVE);

	if (fd >= 0)
		close(fd);
	return up;
}

static void
end_now(struct helper *h)
{
	if (!h->pid)
		return;
	close(h->socket);
	kill(h->pid, SIGKILL);
	while (waitpid(h->pid, NULL, 0) < 0 && errno == EINTR)
		continue;
	h->pid = 0;
}

void
helper_end(struct helper *h)
{
	end_now(h);
}

/* n bytes of an answer: TS_E_DAMAGED when the helper has ended. */
static enum ts_code
get(struct helper *h, void *out, size_t n, struct ts_err *err)
{
	struct pollfd p = {.fd = h->socket, .events = POLLIN};

	for (size_t got = 0; got < n;) {
		ssize_t r;

		if (ts_cancelled(h->cancel))
			return ts_err_set(err, TS_E_CANCELLED, "cancelled");
		if (poll(&p, 1, LOOK_MS) == 0)
			continue;
		r = recv(h->socket, (char *)out + got, n - got, MSG_DONTWAIT);
		if (r < 0 && (errno == EINTR || errno == EAGAIN))
			continue;
		if (r <= 0)
			return ts_err_set(err, TS_E_DAMAGED, "the process that reads it ended");
		got += (size_t)r;
	}
	return TS_OK;
}

static enum ts_code
start(struct helper *h, struct ts_err *err)
{
	int pair[2], archive = ts_source_fd(h->source), rc = 0;
	uint32_t hello = 0;
	enum ts_code code;

	if (archive < 0)
		return ts_err_set(err, TS_E_SYS, "its tiles can be read from a local file only");
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) < 0)
		return ts_err_sys(err, errno, "cannot ask a process that reads it");
	archive = fcntl(archive, F_DUPFD_CLOEXEC, ABOVE);
	pair[1] = move_up(pair[1]);
	if (archive < 0 || pair[1] < 0)
		rc = errno;
	if (!rc)
		rc = spawn(&h->pid, pair[1], archive);
	if (archive >= 0)
		close(archive);
	if (pair[1] >= 0)
		close(pair[1]);
	if (rc) {
		close(pair[0]);
		h->pid = 0;
		return ts_err_sys(err, rc, "cannot start a process that reads it");
	}
	h->socket = pair[0];
	code = get(h, &hello, sizeof(hello), err);
	if (!code && hello == TS_ELF_HELLO)
		return TS_OK;
	end_now(h);
	return code == TS_E_CANCELLED
		? code
		: ts_err_set(err, TS_E_SYS, "the process that reads it does not begin");
}

/* --- questions -------------------------------------------------------------------------------- */

/* All of it, or the helper has ended: that shows when the answer is waited for. */
static void
put(const struct helper *h, const struct ts_elf_request *q, size_t n)
{
	const char *bytes = (const char *)q;
	size_t left = n * sizeof(*q);

	while (left > 0) {
		ssize_t r = send(h->socket, bytes, left, MSG_NOSIGNAL);

		if (r < 0 && errno == EINTR)
			continue;
		if (r <= 0)
			return;
		bytes += r;
		left -= (size_t)r;
	}
}

struct answer {
	struct ts_elf_reply reply;
	struct ts_elf_section section[TS_ELF_SECTIONS];
	struct ts_elf_function function[TS_ELF_FUNCTIONS];
};

static enum ts_code
receive(struct helper *h, struct answer *a, struct ts_err *err)
{
	enum ts_code code = get(h, &a->reply, sizeof(a->reply), err);

	if (!code && !ts_elf_reply_check(&a->reply))
		code = ts_err_set(err, TS_E_DAMAGED, "the process that reads it says nonsense");
	if (!code)
		code = get(h, a->section, a->reply.section_count * sizeof(a->section[0]), err);
	if (!code)
		code = get(h, a->function, a->reply.function_count * sizeof(a->function[0]), err);
	for (uint32_t i = 0; !code && i < a->reply.section_count; i++)
		a->section[i].name[TS_ELF_SECTION_NAME - 1] = '\0';
	for (uint32_t i = 0; !code && i < a->reply.function_count; i++)
		a->function[i].name[TS_ELF_FUNCTION_NAME - 1] = '\0';
	return code;
}

enum ts_code
helper_ask(struct helper *h, const struct ts_elf_request *question, size_t n, helper_fn *each,
	void *ctx, struct ts_err *err)
{
	struct answer a;
	size_t sent = 0;
	enum ts_code code;

	for (size_t i = 0; i < n; i++) {
		struct helper_answer answer = {.reply = &a.reply,
			.section = a.section,
			.function = a.function};

		if (!h->pid) {
			if (h->ends > HELPER_ENDS_MAX)
				return ts_err_set(err, TS_E_LIMIT,
					"the process that reads it ended %d times", h->ends);
			code = start(h, err);
			if (code)
				return code;
			sent = i;
		}
		if (sent < i + WINDOW / 2 && sent < n) {
			size_t to = i + WINDOW < n ? i + WINDOW : n;

			put(h, question + sent, to - sent);
			sent = to;
		}
		code = receive(h, &a, err);
		if (code == TS_E_CANCELLED)
			return code;
		answer.code = code ? TS_E_DAMAGED : (enum ts_code)a.reply.code;
		if (code) {
			end_now(h);
			h->ends++;
			answer.reply = NULL;
		}
		each(ctx, i, &answer);
	}
	return TS_OK;
}
