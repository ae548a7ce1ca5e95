/* SPDX-License-Identifier: MIT */
/*
 * transport_try - a transport from outside: what tests/remote looks at.
 *
 *     transport_try libssh|ssh|auto HOST [--config FILE] [--user USER] [--port N] [--timeout S] [--ask]
 *                   [--answer KIND=TEXT]... [--channels N] [--read PATH] [--hold S] [--late] [--give-up S]
 *     transport_try config HOST [--config FILE] [--user USER] [--port N]
 *
 * Connects, answers questions (the next answer of their kind; a kind without a = refuses; none left: refuses), opens
 * channels, asks on each for the SFTP server's version and where it stands, reads a file on all of them. Each thing that
 * happens is a line. Exit 0: all was done; 5: it failed. --hold: be there for some seconds then, and say when it ends;
 * --late: questions are not answered; --give-up: leave after some seconds, whatever has been done.
 */
#include "config.h"

#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tilescope/base/clock.h"
#include "tilescope/io/host.h"
#include "tilescope/io/ssh_config.h"
#include "tilescope/io/transport.h"

enum {
	ANSWERS = 32,
	PATIENCE_S = 120, /* for what hangs; nothing is asserted about time */
	PART = 32 << 10,
	AHEAD = 8, /* reads under way on a channel */
	PACKET = 300 << 10,
	FXP_INIT = 1,
	FXP_VERSION = 2,
	FXP_OPEN = 3,
	FXP_READ = 5,
	FXP_REALPATH = 16,
	FXP_STATUS = 101,
	FXP_HANDLE = 102,
	FXP_DATA = 103,
	FXP_NAME = 104,
};

static const char *const kinds[] = {"passphrase", "password", "text", "host-key", "notice"};

struct channel {
	int number;
	unsigned char in[PACKET];
	size_t have;
	unsigned char out[4096];
	size_t left;
	unsigned char handle[256];
	size_t handle_n;
	uint32_t due, next; /* reads sent, answers seen (in order: OpenSSH's server answers so) */
	bool started, done, eof;
};

struct run {
	struct ts_transport *t;
	const char *answers[ANSWERS], *file;
	int answer_count, channel_count;
	uint64_t asked;
	struct channel *channels;
	uint64_t bytes;
	uint32_t sum; /* of all bytes read, each times its place: in any order */
	int done, give_up_s;
	bool late;
};

/* --- packets ---------------------------------------------------------------------------------- */

static void
put32(unsigned char *to, uint32_t v)
{
	for (int i = 0; i < 4; i++)
		to[i] = (unsigned char)(v >> (24 - 8 * i));
}

static uint32_t
get32(const unsigned char *from)
{
	return (uint32_t)from[0] << 24 | (uint32_t)from[1] << 16 | (uint32_t)from[2] << 8 | from[3];
}

static void
send_packet(struct channel *c, int type, const void *bytes, size_t n)
{
	if (c->left + 5 + n > sizeof(c->out))
		abort();
	put32(c->out + c->left, (uint32_t)n + 1);
	c->out[c->left + 4] = (unsigned char)type;
	memcpy(c->out + c->left + 5, bytes, n);
	c->left += 5 + n;
}

static void
send_text(struct channel *c, int type, const char *text, size_t more)
{
	unsigned char b[2048] = {0};
	size_t n = strlen(text);

	put32(b, 7);
	put32(b + 4, (uint32_t)n);
	memcpy(b + 8, text, n);
	if (more)
		put32(b + 8 + n, 1); /* for reading; no attributes */
	send_packet(c, type, b, 8 + n + more);
}

static void
send_read(const struct run *r, struct channel *c)
{
	unsigned char b[512];
	uint64_t part = (uint64_t)c->due * (unsigned)r->channel_count + (unsigned)c->number;

	put32(b, c->due++);
	put32(b + 4, (uint32_t)c->handle_n);
	memcpy(b + 8, c->handle, c->handle_n);
	put32(b + 8 + c->handle_n, (uint32_t)(part * PART >> 32));
	put32(b + 12 + c->handle_n, (uint32_t)(part * PART));
	put32(b + 16 + c->handle_n, PART);
	send_packet(c, FXP_READ, b, 20 + c->handle_n);
}

static void
add_data(struct run *r, struct channel *c, const unsigned char *bytes, size_t n)
{
	uint64_t at = ((uint64_t)c->next * (unsigned)r->channel_count + (unsigned)c->number) * PART;

	for (size_t i = 0; i < n; i++)
		r->sum += (uint32_t)(at + i + 1) * bytes[i];
	r->bytes += n;
}

static void
finish_channel(struct run *r, struct channel *c)
{
	if (!c->done)
		r->done++;
	c->done = true;
}

/* Is there as much in the packet as it says? */
static bool
is_whole(int type, const unsigned char *b, size_t n)
{
	size_t at = type == FXP_NAME ? 8 : type == FXP_HANDLE || type == FXP_DATA ? 4 : 0;

	if (at)
		return n >= at + 4 && get32(b + at) <= n - at - 4;
	return n >= (type == FXP_STATUS ? 8 : 4);
}

static void
take_packet(struct run *r, struct channel *c, int type, const unsigned char *b, size_t n)
{
	if (!is_whole(type, b, n))
		return;
	switch (type) {
	case FXP_VERSION:
		printf("channel %d version %u\n", c->number, get32(b));
		send_text(c, FXP_REALPATH, ".", 0);
		break;
	case FXP_NAME:
		printf("channel %d stands at %.*s\n", c->number, (int)get32(b + 8),
			(const char *)b + 12);
		if (r->file)
			send_text(c, FXP_OPEN, r->file, 8);
		else
			finish_channel(r, c);
		break;
	case FXP_HANDLE:
		c->handle_n = get32(b + 4) < sizeof(c->handle) ? get32(b + 4) : 0;
		memcpy(c->handle, b + 8, c->handle_n);
		for (int i = 0; i < AHEAD; i++)
			send_read(r, c);
		break;
	case FXP_DATA:
		if (c->next == c->due)
			break; /* nobody asked */
		add_data(r, c, b + 8, get32(b + 4));
		c->next++;
		if (!c->eof)
			send_read(r, c);
		break;
	case FXP_STATUS:
		if (c->handle_n == 0)
			printf("channel %d refuses: %u\n", c->number, get32(b + 4));
		c->eof = true;
		c->next++;
		if (c->handle_n == 0 || c->next == c->due)
			finish_channel(r, c);
		break;
	}
}

static void
take_bytes(struct run *r, struct channel *c)
{
	size_t at = 0;

	while (c->have - at >= 5 && c->have - at >= 4 + (size_t)get32(c->in + at)) {
		size_t n = get32(c->in + at);

		if (n == 0)
			break;

		take_packet(r, c, c->in[at + 4], c->in + at + 5, n - 1);
		at += 4 + n;
	}
	memmove(c->in, c->in + at, c->have - at);
	c->have -= at;
}

/* True: something happened. */
static bool
work_channel(struct run *r, struct channel *c)
{
	struct ts_err err;
	size_t got = 0, put = 0;

	if (c->number < 0)
		return false;
	if (!c->started) {
		unsigned char version[4] = {0, 0, 0, 3};

		send_packet(c, FXP_INIT, version, 4);
		c->started = true;
	}
	if ((c->left &&
		    ts_transport_write(r->t, c->number, c->out, c->left, &put, &err) != TS_OK) ||
		ts_transport_read(r->t, c->number, c->in + c->have, sizeof(c->in) - c->have, &got,
			&err) != TS_OK) {
		printf("channel %d ended: %s\n", c->number, err.msg);
		ts_transport_close(r->t, c->number);
		c->number = -1;
		finish_channel(r, c);
		return true;
	}
	memmove(c->out, c->out + put, c->left - put);
	c->left -= put;
	c->have += got;
	take_bytes(r, c);
	return got > 0 || put > 0;
}

/* --- questions -------------------------------------------------------------------------------- */

static void
answer(struct run *r)
{
	const struct ts_question *q = &r->t->question;
	const char *kind = kinds[q->kind];
	size_t n = strlen(kind);

	if (q->number == r->asked)
		return;
	r->asked = q->number;
	printf("question %s%s%s%s: ", kind, q->echo ? " seen" : "", q->fingerprint[0] ? " " : "",
		q->fingerprint);
	for (const char *c = q->text; *c; c++)
		fputs(*c == '\n' ? " | " : (char[]){*c, '\0'}, stdout);
	putchar('\n');
	if (q->kind == TS_ASK_NOTICE || r->late)
		return;
	for (int i = 0; i < r->answer_count; i++) {
		const char *a = r->answers[i];

		if (!a || strncmp(a, kind, n) != 0 || (a[n] && a[n] != '='))
			continue;
		r->answers[i] = NULL;
		ts_transport_answer(r->t, a[n] ? a + n + 1 : NULL, a[n] ? strlen(a + n + 1) : 0);
		return;
	}
	ts_transport_answer(r->t, NULL, 0);
}

/* --- all of it -------------------------------------------------------------------------------- */

static void
wait_some(struct run *r, int at_most_ms)
{
	struct pollfd p[TS_TRANSPORT_FDS];
	int timeout, n = ts_transport_fds(r->t, p, &timeout);

	if (timeout < 0 || timeout > at_most_ms)
		timeout = at_most_ms;
	poll(p, (nfds_t)n, timeout);
}

static void
turn(struct run *r, const char **doing)
{
	bool busy = true;

	ts_transport_step(r->t);
	if (r->t->state == TS_TRANSPORT_WORKING && r->t->doing != *doing)
		printf("%s\n", *doing = r->t->doing);
	while (r->t->state == TS_TRANSPORT_ASKING && r->t->question.number != r->asked)
		answer(r);
	while (busy && r->t->state != TS_TRANSPORT_FAILED) {
		busy = false;
		for (int i = 0; i < r->channel_count; i++)
			busy = work_channel(r, &r->channels[i]) || busy;
	}
}

static int
go(struct run *r, int hold_s)
{
	int seconds = r->give_up_s ? r->give_up_s : PATIENCE_S;
	int64_t until = ts_clock_us() + seconds * INT64_C(1000000), hold = 0;
	const char *doing = NULL;
	bool ready = false;

	while (r->t->state != TS_TRANSPORT_FAILED && ts_clock_us() < until) {
		turn(r, &doing);
		if (r->t->state == TS_TRANSPORT_READY && !ready)
			ready = printf("by %s\nready\n", r->t->ops->name) > 0;
		if (r->done == r->channel_count && !hold) {
			if (r->file)
				printf("read %llu %u\n", (unsigned long long)r->bytes, r->sum);
			hold = ts_clock_us() + hold_s * INT64_C(1000000);
			puts("done");
		}
		if (hold && ts_clock_us() >= hold)
			return 0;
		fflush(stdout);
		if (r->t->state != TS_TRANSPORT_FAILED)
			wait_some(r, 100);
	}
	if (r->t->state == TS_TRANSPORT_FAILED)
		printf("failed%s: %s\n", r->t->hopeless ? " for good" : "", r->t->err.msg);
	else
		puts("hangs");
	return 5;
}

static void
print_files(const char *what, const struct ts_ssh_files *files)
{
	for (int i = 0; i < files->count; i++)
		printf("%s %s\n", what, files->path[i]);
}

static int
print_config(const struct ts_transport_spec *spec)
{
	static const char *const strict[] = {"ask", "true", "accept-new"};
	struct ts_ssh_config c;
	struct ts_err err;

	if (ts_ssh_config_read(&c, spec->host, spec->user, spec->port, spec->config, &err) != TS_OK)
		return 5;
	printf("hostname %s\nuser %s\nport %d\n", c.host, c.user, c.port);
	print_files("identityfile", &c.identities);
	print_files("userknownhostsfile", &c.known_hosts);
	print_files("globalknownhostsfile", &c.global_hosts);
	printf("identityagent %s\nstricthostkeychecking %s\n", c.agent ? c.agent : "-",
		strict[c.strict]);
	printf("hashknownhosts %d\nbatchmode %d\npubkeyauthentication %d\n", c.hash_names, c.batch,
		c.public_keys);
	printf("kbdinteractiveauthentication %d\npasswordauthentication %d\n", c.interactive,
		c.passwords);
	printf("numberofpasswordprompts %d\nconnecttimeout %d\nneeds_ssh %s\nleft_out %s\nway %s\n",
		c.prompts, c.connect_s, c.needs_ssh, c.left_out, c.way);
	ts_ssh_config_fini(&c);
	return 0;
}

static ts_transport_new_fn *
kind(const char *name)
{
	return strcmp(name, "ssh") == 0	    ? ts_transport_child_new
		: strcmp(name, "auto") == 0 ? ts_transport_auto_new
					    : ts_transport_libssh_new;
}

static int
try_transport(const char *which, const struct ts_transport_spec *spec, struct run *r, int hold_s)
{
	struct ts_err err;
	enum ts_code code = kind(which)(&r->t, spec, &err);
	int rc = 5;

	r->channels = calloc((size_t)r->channel_count + 1, sizeof(*r->channels));
	for (int i = 0; code == TS_OK && i < r->channel_count; i++)
		code = ts_transport_open(r->t, &r->channels[i].number, &err);
	if (code == TS_OK)
		rc = go(r, hold_s);
	else
		printf("failed: %s\n", err.msg);
	ts_transport_free(r->t);
	free(r->channels);
	return rc;
}

int
main(int argc, char **argv)
{
	struct run r = {.channel_count = 1};
	struct ts_transport_spec spec = {0};
	int hold_s = 0;

	signal(SIGPIPE, SIG_IGN);
	if (argc < 3)
		return 2;
	spec.host = argv[2];
	for (int i = 3; i < argc; i++) {
		const char *o = argv[i], *value = i + 1 < argc ? argv[i + 1] : "";

		if (strcmp(o, "--ask") == 0) {
			spec.ask = true;
			continue;
		}
		if (strcmp(o, "--late") == 0) {
			r.late = true;
			continue;
		}
		if (strcmp(o, "--config") == 0)
			spec.config = value;
		else if (strcmp(o, "--user") == 0)
			spec.user = value;
		else if (strcmp(o, "--port") == 0)
			spec.port = (int)strtol(value, NULL, 10);
		else if (strcmp(o, "--timeout") == 0)
			spec.timeout_s = (int)strtol(value, NULL, 10);
		else if (strcmp(o, "--answer") == 0 && r.answer_count < ANSWERS)
			r.answers[r.answer_count++] = value;
		else if (strcmp(o, "--channels") == 0)
			r.channel_count = (int)strtol(value, NULL, 10);
		else if (strcmp(o, "--read") == 0)
			r.file = value;
		else if (strcmp(o, "--give-up") == 0)
			r.give_up_s = (int)strtol(value, NULL, 10);
		else if (strcmp(o, "--hold") == 0)
			hold_s = (int)strtol(value, NULL, 10);
		else
			return 2;
		i++;
	}
	return strcmp(argv[1], "config") == 0 ? print_config(&spec)
					      : try_transport(argv[1], &spec, &r, hold_s);
}
