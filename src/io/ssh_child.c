/* SPDX-License-Identifier: MIT */
/*
 * ssh_child - a transport by `ssh -s HOST sftp`: a child for each channel, so all that OpenSSH's configuration can do works:
 * jumps, a running master, keys in hardware.
 *
 * The first child is not to ask anything (BatchMode): what an agent or a running master answers needs no question. When it
 * is told that this is not enough, and we may ask, the channel begins anew with a child whose questions come to us
 * (io/askpass.h). So it does where we may not, when the host is not known: its question has the fingerprint, and is refused. Further channels never ask: a host that wants a password for each has one channel only, unless its
 * configuration has a master.
 *
 * A child that is connected says nothing by itself, so the first byte of an answer is what tells. What was sent before it
 * is kept, for the second child.
 *
 * What ssh writes to its standard error is kept (the end of it) and looked through for the reason when it has ended; it
 * never reaches the screen. The child has no terminal, so neither do its questions.
 */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "tilescope/base/clock.h"
#include "tilescope/base/mem.h"
#include "tilescope/base/strbuf.h"
#include "tilescope/io/askpass.h"
#include "tilescope/io/child.h"
#include "tilescope/io/transport.h"

enum {
	HELD = 4 << 10, /* bytes that may be sent before there is an answer */
	SAID = 8 << 10, /* bytes of standard error that are kept, the last ones */
	WORDS = 40,	/* of a command line */
	NUMBER = 16,	/* bytes of a number as text */
	LAST_WORDS_US = 500 *
		1000, /* a child that has closed its output may complain for so long */
	NAP_MS = 20,
};

extern char **environ;

struct channel {
	bool used, asks, spoke;
	bool ending; /* its output is at its end: since then it is listened to its complaints */
	bool ended;  /* and this is over */
	bool full;   /* it did not take all that it was given */
	int input;
	struct ts_child child;
	int64_t ending_us;
	char held[HELD];
	size_t held_n, held_put;
	char said[SAID];
	size_t said_n;
	struct ts_err err; /* why it has ended */
};

struct ssh_child {
	struct ts_transport base;
	struct ts_transport_spec spec;
	char *text[5]; /* of the spec: copies */
	char *self;
	struct ts_askpass_server questions;
	struct channel channel[TS_TRANSPORT_CHANNELS];
	char answered[TS_QUESTION_TEXT]; /* the question for a secret that was answered last */
};

static struct ssh_child *
self(struct ts_transport *t)
{
	return (struct ssh_child *)(void *)t;
}

/* --- the command line ------------------------------------------------------------------------- */

struct line {
	const char *word[WORDS];
	int n;
	char port[NUMBER], timeout[2 * NUMBER];
};

static void
say(struct line *l, const char *word)
{
	if (l->n < WORDS - 1)
		l->word[l->n++] = word;
	l->word[l->n] = NULL;
}

/* Nothing but the subsystem: what sftp(1) switches off, and what could stand in its way. */
static const char *const always[] = {"-oForwardX11=no", "-oForwardAgent=no",
	"-oPermitLocalCommand=no", "-oClearAllForwardings=yes", "-oRemoteCommand=none",
	"-oRequestTTY=no", "-oEscapeChar=none"};

static void
make_line(struct line *l, const struct ts_transport_spec *spec, bool asks)
{
	l->n = 0;
	say(l, spec->program);
	if (spec->config) {
		say(l, "-F");
		say(l, spec->config);
	}
	for (size_t i = 0; i < TS_COUNT(always); i++)
		say(l, always[i]);
	if (!asks)
		say(l, "-oBatchMode=yes");
	if (spec->alone)
		say(l, "-oControlPath=none");
	if (spec->timeout_s > 0) {
		snprintf(l->timeout, sizeof(l->timeout), "-oConnectTimeout=%d", spec->timeout_s);
		say(l, l->timeout);
	}
	if (spec->port > 0) {
		snprintf(l->port, sizeof(l->port), "%d", spec->port);
		say(l, "-p");
		say(l, l->port);
	}
	if (spec->user) {
		say(l, "-l");
		say(l, spec->user);
	}
	say(l, "-s");
	say(l, "--");
	say(l, spec->host);
	say(l, "sftp");
}

/* --- the environment -------------------------------------------------------------------------- */

static const char *const ours[] = {"SSH_ASKPASS=", "SSH_ASKPASS_REQUIRE=", TS_ASKPASS_PLACE "="};

static bool
is_ours(const char *entry)
{
	for (size_t i = 0; i < TS_COUNT(ours); i++)
		if (strncmp(entry, ours[i], strlen(ours[i])) == 0)
			return true;
	return false;
}

/* Ours with the way of its questions to us; *texts is to be freed with it. NULL: no memory. */
static char **
environment_of(const struct ssh_child *s, char *texts[TS_COUNT(ours)])
{
	const char *const value[] = {s->spec.askpass ? s->spec.askpass : s->self, "force",
		s->questions.name};
	size_t n = 0, out = 0;
	char **e;

	while (environ[n])
		n++;
	e = ts_alloc(n + TS_COUNT(ours) + 1, sizeof(*e));
	for (size_t i = 0; i < TS_COUNT(ours); i++) {
		struct ts_strbuf b;

		ts_strbuf_init(&b, PATH_MAX + 64);
		ts_strbuf_printf(&b, "%s%s", ours[i], value[i]);
		texts[i] = ts_strbuf_take(&b);
		if (!texts[i] || !e) {
			for (size_t k = 0; k <= i; k++)
				free(texts[k]);
			free(e);
			return NULL;
		}
		e[out++] = texts[i];
	}
	for (size_t i = 0; i < n; i++)
		if (!is_ours(environ[i]))
			e[out++] = environ[i];
	return e;
}

/* --- a channel's child ------------------------------------------------------------------------ */

static void
leave_input(struct channel *c)
{
	if (c->input >= 0)
		close(c->input);
	c->input = -1;
}

/* There is no such program, mostly: the host is not reached. */
static enum ts_code
not_started(const struct ssh_child *s, struct ts_err *err)
{
	ts_err_prefix(err, "%s: ", s->spec.host);
	if (err) {
		err->code = TS_E_CONNECT;
		err->sys = 0;
	}
	return TS_E_CONNECT;
}

static enum ts_code
spawn(struct ssh_child *s, struct channel *c, int input, struct ts_err *err)
{
	struct line l = {.n = 0};
	struct ts_child_spec spec = {.file = s->spec.program,
		.argv = l.word,
		.input = input,
		.apart = true};
	char *texts[TS_COUNT(ours)], **e = NULL;
	enum ts_code code;

	make_line(&l, &s->spec, c->asks);
	if (c->asks) {
		e = environment_of(s, texts);
		if (!e)
			return ts_err_nomem(err);
		spec.environment = e;
	}
	code = ts_child_start(&c->child, &spec, err);
	if (code == TS_E_SYS)
		code = not_started(s, err);
	if (e)
		for (size_t i = 0; i < TS_COUNT(ours); i++)
			free(texts[i]);
	free(e);
	return code;
}

static enum ts_code
begin(struct ssh_child *s, struct channel *c, struct ts_err *err)
{
	enum ts_code code = c->asks ? ts_askpass_server_open(&s->questions, err) : TS_OK;
	int pair[2];

	if (code)
		return code;
	/* not a pipe: writing to one that nobody reads would be a signal */
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, pair) < 0)
		return ts_err_sys(err, errno, "cannot begin a channel");
	fcntl(pair[1], F_SETFL, 0);
	code = spawn(s, c, pair[1], err);
	close(pair[1]);
	if (code) {
		close(pair[0]);
		return code;
	}
	c->input = pair[0];
	fcntl(c->child.out, F_SETFL, O_NONBLOCK);
	c->held_put = c->said_n = 0;
	c->ending = c->ended = c->full = false;
	return TS_OK;
}

/* A child that lives is killed. */
static void
end_child(struct channel *c)
{
	leave_input(c);
	if (c->child.pid > 0)
		(void)ts_child_end(&c->child, NULL);
}

/* --- what it is told -------------------------------------------------------------------------- */

/* Bytes to the child: *put of them; a broken connection shows when its output ends. */
static void
put(struct channel *c, const void *buf, size_t n, size_t *done)
{
	ssize_t r;

	do
		r = send(c->input, buf, n, MSG_NOSIGNAL);
	while (r < 0 && errno == EINTR);
	*done = r > 0 ? (size_t)r : 0;
	c->full = *done < n && (r >= 0 || errno == EAGAIN);
}

/* What was held for a child that has begun anew goes first. */
static bool
put_held(struct channel *c)
{
	size_t done = 0;

	if (c->held_put < c->held_n)
		put(c, c->held + c->held_put, c->held_n - c->held_put, &done);
	c->held_put += done;
	return c->held_put == c->held_n;
}

/* --- what it complains about ------------------------------------------------------------------ */

/* The end of what it says is kept: the reason comes last. */
static void
hear(struct channel *c)
{
	char chunk[1024];
	ssize_t n;

	while (c->child.err >= 0 && (n = read(c->child.err, chunk, sizeof(chunk))) != 0) {
		size_t more = (size_t)n, over;

		if (n < 0) {
			if (errno == EINTR)
				continue;
			return;
		}
		over = c->said_n + more > SAID - 1 ? c->said_n + more - (SAID - 1) : 0;
		memmove(c->said, c->said + over, c->said_n - over);
		c->said_n -= over;
		memcpy(c->said + c->said_n, chunk, more);
		c->said_n += more;
	}
	if (c->child.err >= 0)
		close(c->child.err);
	c->child.err = -1;
}

/* What a question would bring: nothing; an answer, where we may ask; its words alone, which say what ssh keeps to itself without. */
enum asking { VAIN, ANSWERED, TELLS };

/* What is known of ssh's words. `line`: the reason is the line with these words, "" = the last of all. */
static const struct {
	const char *words, *line;
	enum asking ask;
	bool hopeless;
} complaints[] = {
	/* how the host is known stands before anything else: its other words follow from that */
	{"REMOTE HOST IDENTIFICATION HAS CHANGED", "Offending ", VAIN, true},
	{"marked as revoked", "marked as revoked", VAIN, true},
	{"requested strict checking", "requested strict checking", VAIN, true},
	{"Host key verification failed", "", TELLS, true},
	{"Permission denied", "Permission denied", ANSWERED, true},
	{"Too many authentication failures", "", ANSWERED, true},
	{"no passphrase", "", ANSWERED, true},
	{"Bad configuration option", "Bad configuration option", VAIN, true},
	{"subsystem request failed", "subsystem request failed", VAIN, true},
};

static int
find_complaint(struct channel *c)
{
	c->said[c->said_n] = '\0';
	for (size_t i = 0; i < c->said_n; i++)
		if (!c->said[i])
			c->said[i] = ' ';
	for (size_t i = 0; i < TS_COUNT(complaints); i++)
		if (strstr(c->said, complaints[i].words))
			return (int)i;
	return -1;
}

/* How the way through a jump host ends: why stands before that. */
static const char *const vague[] = {"Connection closed by UNKNOWN port",
	"kex_exchange_identification:", "stdio forwarding failed"};

static bool
is_vague(const char *line)
{
	for (size_t i = 0; i < TS_COUNT(vague); i++)
		if (strncmp(line, vague[i], strlen(vague[i])) == 0)
			return true;
	return false;
}

/* The end of the last line that says why; of the first one when none does. */
static size_t
end_of_reason(const char *said)
{
	size_t n = strlen(said), begin;

	do {
		while (n > 0 && (said[n - 1] == '\n' || said[n - 1] == '\r'))
			n--;
		for (begin = n; begin > 0 && said[begin - 1] != '\n'; begin--)
			;
		if (begin == 0 || !is_vague(said + begin))
			return n;
		n = begin;
	} while (true);
}

/* The line of `said` with these words, else its last one that says something; "" when there is none. */
static void
line_with(struct ts_strbuf *out, const char *said, const char *words)
{
	const char *at = *words ? strstr(said, words) : NULL;
	size_t n;

	if (!at)
		at = said + end_of_reason(said);
	while (at > said && at[-1] != '\n')
		at--;
	n = strcspn(at, "\r\n");
	if (n > 0 && at[n - 1] == '.')
		n--;
	ts_strbuf_add(out, at, n);
}

/* Another program in the place of ssh is called by its name. */
static void
put_wordless(struct ts_strbuf *out, const struct ssh_child *s)
{
	if (s->base.state == TS_TRANSPORT_READY)
		ts_strbuf_puts(out, "the connection has ended");
	else if (strcmp(s->spec.program, "ssh") == 0)
		ts_strbuf_puts(out, "ssh has ended without a word");
	else
		ts_strbuf_printf(out,
			"%.200s, which is run as ssh (TS_SSH), has ended without a word",
			s->spec.program);
}

static void
explain(struct ssh_child *s, struct channel *c, int complaint)
{
	static const char changed[] = "its host key has changed, which may be an attack: ";
	struct ts_strbuf line;

	ts_strbuf_init(&line, TS_ERR_MSG / 2);
	line_with(&line, c->said, complaint < 0 ? "" : complaints[complaint].line);
	if (line.len == 0)
		put_wordless(&line, s);
	ts_err_set(&c->err, TS_E_CONNECT, "%s: %s%s", s->spec.host, complaint == 0 ? changed : "",
		line.s);
	ts_strbuf_fini(&line);
}

static bool
any_other(const struct ssh_child *s, const struct channel *c)
{
	for (int i = 0; i < TS_TRANSPORT_CHANNELS; i++)
		if (&s->channel[i] != c && s->channel[i].used && !s->channel[i].ended)
			return true;
	return false;
}

static void
fail(struct ssh_child *s, const struct ts_err *why, bool hopeless)
{
	if (s->base.state == TS_TRANSPORT_FAILED)
		return;
	s->base.state = TS_TRANSPORT_FAILED;
	s->base.err = *why;
	s->base.hopeless = hopeless;
}

/* Its output has ended, and its complaints: what now? */
static void
conclude(struct ssh_child *s, struct channel *c)
{
	int complaint = find_complaint(c);
	enum asking ask = complaint < 0 ? VAIN : complaints[complaint].ask;
	bool again = !c->asks && !c->spoke && s->base.state != TS_TRANSPORT_READY &&
		(s->spec.ask ? ask != VAIN : ask == TELLS);

	explain(s, c, complaint);
	end_child(c);
	if (again) {
		c->asks = true;
		if (!begin(s, c, &c->err))
			return;
	}
	c->ended = true;
	if (!any_other(s, c))
		fail(s, &c->err, complaint >= 0 && complaints[complaint].hopeless);
}

static void
step_channel(struct ssh_child *s, struct channel *c)
{
	hear(c);
	if (!c->ending)
		(void)put_held(c);
	if (c->ending && !c->ended &&
		(c->child.err < 0 || ts_clock_us() - c->ending_us > LAST_WORDS_US))
		conclude(s, c);
}

/* --- the transport ---------------------------------------------------------------------------- */

/* ssh asks for a secret that was wrong in the same words once more; on the way through another host both may. */
static void
say_if_again(struct ssh_child *s, struct ts_question *q)
{
	char text[sizeof(q->text)];
	bool secret = q->kind == TS_ASK_PASSPHRASE || q->kind == TS_ASK_PASSWORD;
	bool again = secret && strcmp(q->text, s->answered) == 0;

	snprintf(s->answered, sizeof(s->answered), "%s", secret ? q->text : "");
	if (!again)
		return;
	snprintf(text, sizeof(text),
		"Asked once more: it was not accepted, or another host asks.\n%.*s",
		(int)sizeof(text) - 64, q->text);
	memcpy(q->text, text, sizeof(text));
}

/* We may not ask: a host whose key is not known is not connected to, and its key is told; anything else ssh complains about. */
static void
refuse(struct ssh_child *s, const struct ts_question *q)
{
	const char *name = strchr(q->text, '\'');
	size_t n = name ? strcspn(name + 1, "' ") : 0;
	struct ts_err why;

	ts_askpass_server_answer(&s->questions, NULL, 0);
	if (q->kind != TS_ASK_HOST_KEY || !q->fingerprint[0])
		return;
	ts_err_set(&why, TS_E_CONNECT,
		"%s: unknown host, its key is %s (%.*s): nobody may be asked here (ssh to it once)",
		s->spec.host, q->fingerprint, (int)n, n ? name + 1 : "");
	fail(s, &why, true);
}

static void
look_at_questions(struct ssh_child *s)
{
	struct ts_question *q = &s->base.question;
	int news = ts_askpass_server_look(&s->questions, q);

	if (s->base.state == TS_TRANSPORT_FAILED || news == 0)
		return;
	if (news > 0 && !s->spec.ask) {
		refuse(s, q);
	} else if (news > 0) {
		say_if_again(s, q);
		q->number++;
		s->base.state = TS_TRANSPORT_ASKING;
	} else if (s->base.state == TS_TRANSPORT_ASKING) {
		s->base.state = TS_TRANSPORT_WORKING;
	}
}

static void
child_step(struct ts_transport *t)
{
	struct ssh_child *s = self(t);

	look_at_questions(s);
	for (int i = 0; i < TS_TRANSPORT_CHANNELS; i++)
		if (s->channel[i].used && !s->channel[i].ended)
			step_channel(s, &s->channel[i]);
}

static int
child_fds(struct ts_transport *t, struct pollfd p[TS_TRANSPORT_FDS], int *timeout_ms)
{
	struct ssh_child *s = self(t);
	int n = 0;

	*timeout_ms = -1;
	for (int i = 0; i < TS_TRANSPORT_CHANNELS; i++) {
		const struct channel *c = &s->channel[i];

		if (!c->used || c->ended)
			continue;
		if (c->ending)
			*timeout_ms = NAP_MS;
		else
			p[n++] = (struct pollfd){.fd = c->child.out, .events = POLLIN};
		if (c->child.err >= 0)
			p[n++] = (struct pollfd){.fd = c->child.err, .events = POLLIN};
		if (c->full)
			p[n++] = (struct pollfd){.fd = c->input, .events = POLLOUT};
	}
	if (s->questions.asker >= 0)
		p[n++] = (struct pollfd){.fd = s->questions.asker, .events = POLLIN};
	else if (s->questions.listen >= 0)
		p[n++] = (struct pollfd){.fd = s->questions.listen, .events = POLLIN};
	return n;
}

static void
child_answer(struct ts_transport *t, const char *text, size_t n)
{
	struct ssh_child *s = self(t);
	struct ts_err why;

	if (t->state != TS_TRANSPORT_ASKING)
		return;
	ts_askpass_server_answer(&s->questions, text, n);
	t->state = TS_TRANSPORT_WORKING;
	if (text)
		return;
	ts_err_set(&why, TS_E_CONNECT,
		t->question.kind == TS_ASK_HOST_KEY ? "%s: its key was not accepted here"
						    : "%s: given up at a question",
		s->spec.host);
	fail(s, &why, true);
}

static enum ts_code
child_open(struct ts_transport *t, int *channel, struct ts_err *err)
{
	struct ssh_child *s = self(t);
	struct channel *c;
	enum ts_code code;

	for (*channel = 0; *channel < TS_TRANSPORT_CHANNELS; (*channel)++)
		if (!s->channel[*channel].used)
			break;
	if (*channel == TS_TRANSPORT_CHANNELS)
		return ts_err_set(err, TS_E_LIMIT, "all channels are open");
	c = &s->channel[*channel];
	*c = (struct channel){.used = true,
		.input = -1,
		.child = {.pid = -1, .out = -1, .err = -1}};
	code = begin(s, c, err);
	if (code)
		c->used = false;
	return code;
}

static enum ts_code
child_read(struct ts_transport *t, int channel, void *buf, size_t n, size_t *got,
	struct ts_err *err)
{
	struct ssh_child *s = self(t);
	struct channel *c = &s->channel[channel];
	ssize_t r;

	*got = 0;
	if (c->ended) {
		if (err)
			*err = c->err;
		return c->err.code;
	}
	if (c->ending)
		return TS_OK;
	do
		r = read(c->child.out, buf, n);
	while (r < 0 && errno == EINTR);
	if (r < 0 && errno == EAGAIN)
		return TS_OK;
	if (r <= 0) {
		c->ending = true;
		c->ending_us = ts_clock_us();
		return TS_OK;
	}
	*got = (size_t)r;
	if (!c->spoke) { /* what it has complained about until then (a wrong password) was no reason to end */
		hear(c);
		c->said_n = 0;
	}
	c->spoke = true;
	if (t->state == TS_TRANSPORT_WORKING || t->state == TS_TRANSPORT_ASKING)
		t->state = TS_TRANSPORT_READY;
	return TS_OK;
}

static enum ts_code
child_write(struct ts_transport *t, int channel, const void *buf, size_t n, size_t *done,
	struct ts_err *err)
{
	struct channel *c = &self(t)->channel[channel];
	size_t room = HELD - c->held_n;

	*done = 0;
	if (c->ended) {
		if (err)
			*err = c->err;
		return c->err.code;
	}
	if (c->ending)
		return TS_OK;
	if (c->spoke) {
		if (put_held(c))
			put(c, buf, n, done);
		return TS_OK;
	}
	*done = n < room ? n : room;
	memcpy(c->held + c->held_n, buf, *done);
	c->held_n += *done;
	(void)put_held(c);
	return TS_OK;
}

static void
child_close(struct ts_transport *t, int channel)
{
	struct channel *c = &self(t)->channel[channel];

	if (!c->used)
		return;
	if (!c->ended)
		end_child(c);
	c->used = false;
}

static void
child_free(struct ts_transport *t)
{
	struct ssh_child *s = self(t);

	for (int i = 0; i < TS_TRANSPORT_CHANNELS; i++)
		child_close(t, i);
	ts_askpass_server_fini(&s->questions);
	for (size_t i = 0; i < TS_COUNT(s->text); i++)
		free(s->text[i]);
	free(s->self);
	free(s);
}

static const struct ts_transport_ops child_ops = {"ssh", child_step, child_fds, child_answer,
	child_open, child_read, child_write, child_close, child_free};

/* The file of this program: /proc/self would be another process's. */
static char *
own_file(void)
{
	char path[PATH_MAX];
	ssize_t n = readlink("/proc/self/exe", path, sizeof(path) - 1);

	return n > 0 ? ts_strndup(path, (size_t)n) : NULL;
}

static bool
copy(struct ssh_child *s, int i, const char **text)
{
	if (*text && !(s->text[i] = ts_strdup(*text)))
		return false;
	*text = s->text[i];
	return true;
}

enum ts_code
ts_transport_child_new(struct ts_transport **out, const struct ts_transport_spec *spec,
	struct ts_err *err)
{
	struct ssh_child *s = ts_alloc(1, sizeof(*s));
	const char *said = getenv("TS_SSH");

	*out = NULL;
	if (!s)
		return ts_err_nomem(err);
	s->base.ops = &child_ops;
	s->base.doing = "connecting";
	s->spec = *spec;
	ts_askpass_server_init(&s->questions);
	if (!s->spec.program)
		s->spec.program = said && *said ? said : "ssh";
	s->self = own_file();
	if (!s->self || !copy(s, 0, &s->spec.host) || !copy(s, 1, &s->spec.user) ||
		!copy(s, 2, &s->spec.config) || !copy(s, 3, &s->spec.program) ||
		!copy(s, 4, &s->spec.askpass)) {
		child_free(&s->base);
		return ts_err_nomem(err);
	}
	*out = &s->base;
	return TS_OK;
}
