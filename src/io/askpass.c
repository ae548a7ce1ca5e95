/* SPDX-License-Identifier: MIT */
/* askpass - see the header. */
#include "config.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "tilescope/base/mem.h"
#include "tilescope/io/askpass.h"

enum { BACKLOG = 4, MESSAGE = TS_QUESTION_TEXT + 32 };

/* The address of a place, and its length: an abstract one begins with a NUL and has none at its end. */
static socklen_t
address_of(struct sockaddr_un *a, const char *name)
{
	size_t n = strlen(name);

	memset(a, 0, sizeof(*a));
	a->sun_family = AF_UNIX;
	memcpy(a->sun_path + 1, name, n);
	return (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + n);
}

static bool
is_same_user(int fd)
{
	struct ucred who;
	socklen_t n = sizeof(who);

	return getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &who, &n) == 0 && who.uid == getuid();
}

/* --- the one that ssh starts ------------------------------------------------------------------ */

static int
connect_to(const char *place)
{
	struct sockaddr_un a;
	int fd;

	if (!*place || strlen(place) >= TS_ASKPASS_NAME)
		return -1;
	fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return -1;
	if (connect(fd, (struct sockaddr *)&a, address_of(&a, place)) == 0 && is_same_user(fd))
		return fd;
	close(fd);
	return -1;
}

static bool
put_all(int fd, const char *bytes, size_t n)
{
	while (n > 0) {
		ssize_t put = write(fd, bytes, n);

		if (put < 0 && errno == EINTR)
			continue;
		if (put <= 0)
			return false;
		bytes += put;
		n -= (size_t)put;
	}
	return true;
}

int
ts_askpass(const char *place, const char *prompt)
{
	const char *hint = getenv("SSH_ASKPASS_PROMPT");
	char message[MESSAGE], answer[TS_ANSWER_MAX + 2];
	int fd, n;
	ssize_t got;
	bool said;

	(void)setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
	(void)prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
	fd = connect_to(place);
	if (fd < 0)
		return 1;
	n = snprintf(message, sizeof(message), "%.16s%c%.*s", hint ? hint : "", '\0',
		TS_QUESTION_TEXT - 1, prompt);
	do
		got = send(fd, message, (size_t)n, MSG_NOSIGNAL);
	while (got < 0 && errno == EINTR);
	do
		got = recv(fd, answer, TS_ANSWER_MAX + 1, 0);
	while (got < 0 && errno == EINTR);
	close(fd);
	if (got < 1) /* an answer begins with a byte that says that it is one */
		return 1;
	answer[got] = '\n';
	said = put_all(STDOUT_FILENO, answer + 1, (size_t)got);
	explicit_bzero(answer, sizeof(answer));
	return said ? 0 : 1;
}

/* --- the one that has the screen -------------------------------------------------------------- */

void
ts_askpass_server_init(struct ts_askpass_server *s)
{
	*s = (struct ts_askpass_server){.listen = -1, .asker = -1};
}

enum ts_code
ts_askpass_server_open(struct ts_askpass_server *s, struct ts_err *err)
{
	struct sockaddr_un a = {.sun_family = AF_UNIX};
	socklen_t n = sizeof(a.sun_family); /* the kernel finds a name that nobody has */
	int fd;

	if (s->listen >= 0)
		return TS_OK;
	fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd < 0)
		return ts_err_sys(err, errno, "cannot be asked");
	if (bind(fd, (struct sockaddr *)&a, n) < 0 || listen(fd, BACKLOG) < 0 ||
		(n = sizeof(a), getsockname(fd, (struct sockaddr *)&a, &n)) < 0) {
		int why = errno;

		close(fd);
		return ts_err_sys(err, why, "cannot be asked");
	}
	n -= (socklen_t)offsetof(struct sockaddr_un, sun_path) + 1;
	if (n >= sizeof(s->name)) {
		close(fd);
		return ts_err_set(err, TS_E_LIMIT, "cannot be asked: a name of %u bytes",
			(unsigned)n);
	}
	memcpy(s->name, a.sun_path + 1, n);
	s->name[n] = '\0';
	s->listen = fd;
	return TS_OK;
}

static void
leave(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

void
ts_askpass_server_fini(struct ts_askpass_server *s)
{
	leave(&s->listen);
	leave(&s->asker);
}

/* "... key fingerprint is SHA256:abc." */
static void
take_fingerprint(struct ts_question *q)
{
	const char *at = strstr(q->text, "fingerprint is ");
	size_t n;

	if (!at)
		return;
	at += strlen("fingerprint is ");
	n = strcspn(at, " \r\n");
	if (n > 0 && at[n - 1] == '.')
		n--;
	if (n < sizeof(q->fingerprint))
		memcpy(q->fingerprint, at, n);
}

/* Which kind a prompt is of; the words are ssh's. The first line that fits. */
static const struct {
	const char *hint, *words;
	enum ts_question_kind kind;
	bool echo;
} kinds[] = {
	{"none", "", TS_ASK_NOTICE, true},
	{"", "(yes/no", TS_ASK_HOST_KEY, true},
	{"confirm", "", TS_ASK_TEXT, true},
	{"", "passphrase", TS_ASK_PASSPHRASE, false},
	{"", "'s password", TS_ASK_PASSWORD, false},
	{"", "", TS_ASK_TEXT, false},
};

static void
understand(struct ts_question *q, const char *hint)
{
	for (size_t i = 0; i < TS_COUNT(kinds); i++)
		if ((!*kinds[i].hint || strcmp(hint, kinds[i].hint) == 0) &&
			strstr(q->text, kinds[i].words)) {
			q->kind = kinds[i].kind;
			q->echo = kinds[i].echo;
			break;
		}
	if (q->kind == TS_ASK_HOST_KEY)
		take_fingerprint(q);
}

static int
hear(struct ts_askpass_server *s, struct ts_question *q)
{
	char message[MESSAGE + 1];
	ssize_t got = recv(s->asker, message, MESSAGE, MSG_DONTWAIT);
	size_t hint;

	if (got < 0 && (errno == EAGAIN || errno == EINTR))
		return 0;
	if (got <= 0) {
		leave(&s->asker);
		return -1;
	}
	message[got] = '\0';
	hint = strlen(message);
	*q = (struct ts_question){.number = q->number};
	if (hint < (size_t)got)
		snprintf(q->text, sizeof(q->text), "%s", message + hint + 1);
	understand(q, message);
	return 1;
}

int
ts_askpass_server_look(struct ts_askpass_server *s, struct ts_question *q)
{
	if (s->listen < 0)
		return 0;
	while (s->asker < 0) {
		int fd = accept4(s->listen, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);

		if (fd < 0)
			return 0;
		if (is_same_user(fd))
			s->asker = fd;
		else
			close(fd);
	}
	return hear(s, q);
}

void
ts_askpass_server_answer(struct ts_askpass_server *s, const char *text, size_t n)
{
	char message[TS_ANSWER_MAX + 1] = "+";

	if (s->asker < 0)
		return;
	if (text && n < sizeof(message)) {
		memcpy(message + 1, text, n);
		(void)!send(s->asker, message, n + 1, MSG_NOSIGNAL | MSG_DONTWAIT);
		explicit_bzero(message, sizeof(message));
	}
	leave(&s->asker);
}
