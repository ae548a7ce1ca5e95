/* SPDX-License-Identifier: MIT */
/*
 * auth_server - an SSH server that asks: passwords, questions, several factors. OpenSSH's asks through PAM only, which
 * a test has no hands on.
 *
 *     auth_server HOST_KEY SFTP_SERVER STAGE...
 *
 * Listens on a port of its own, which it prints. A STAGE is one factor, and all are needed, in this order:
 *     password=TEXT          that password
 *     questions=A:B:...      a question for each answer, in one go; the second one and so on may be seen
 *     rounds=A:B:...         a round for each answer; an empty one has no question
 *     key=BASE64             that public key
 * Any number of connections, one after the other. What is tried is a line on standard error, without the secrets.
 */
#define SSH_SUPPRESS_DEPRECATED

#include <libssh/callbacks.h>
#include <libssh/libssh.h>
#include <libssh/server.h>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

enum { ANSWERS = 8, CHANNELS = 16, BUFFER = 32 << 10 };

struct stage {
	int method;
	bool rounds;
	char *answer[ANSWERS];
	int count;
};

struct pipe {
	ssh_channel channel;
	int to, from;
	struct ssh_channel_callbacks_struct callbacks;
};

struct server {
	const char *sftp;
	struct stage *stages;
	int stage_count, at; /* stages that are behind us */
	int round;
	ssh_session session;
	ssh_event event;
	struct pipe pipes[CHANNELS];
	int pipe_count;
};

static struct stage
read_stage(char *text)
{
	char *value = strchr(text, '=');
	struct stage s = {0};

	if (!value)
		exit(2);
	*value++ = '\0';
	s.method = strcmp(text, "password") == 0 ? SSH_AUTH_METHOD_PASSWORD
		: strcmp(text, "key") == 0	 ? SSH_AUTH_METHOD_PUBLICKEY
						 : SSH_AUTH_METHOD_INTERACTIVE;
	s.rounds = strcmp(text, "rounds") == 0;
	while (value && s.count < ANSWERS) {
		char *next = s.method == SSH_AUTH_METHOD_INTERACTIVE ? strchr(value, ':') : NULL;

		if (next)
			*next++ = '\0';
		s.answer[s.count++] = value;
		value = next;
	}
	return s;
}

/* --- who it is -------------------------------------------------------------------------------- */

static void
pass(struct server *v, ssh_message m)
{
	bool last = ++v->at == v->stage_count;

	fprintf(stderr, "stage %d passed\n", v->at);
	v->round = 0;
	if (!last)
		ssh_set_auth_methods(v->session, v->stages[v->at].method);
	ssh_message_auth_reply_success(m, !last);
}

static int
ask(struct server *v, ssh_message m, const struct stage *s)
{
	static const char *prompts[ANSWERS] = {"Code one: ", "Code two: ", "Code three: ",
		"Code four: "};
	static char echo[ANSWERS] = {0, 1, 1, 1};
	int first = s->rounds ? v->round : 0,
	    count = s->rounds ? *s->answer[first] != '\0' : s->count;

	ssh_message_auth_interactive_request(m, "Name of it", "Instruction \x1b[31mred\x07",
		(unsigned)count, prompts + first, echo + first);
	return 0;
}

static int
hear(struct server *v, ssh_message m, const struct stage *s)
{
	int count = ssh_userauth_kbdint_getnanswers(v->session), first = s->rounds ? v->round : 0;
	bool good = true;

	for (int i = 0; i < count; i++) {
		const char *is = ssh_userauth_kbdint_getanswer(v->session, (unsigned)i);

		good = good && is && strcmp(is, s->answer[first + i]) == 0;
	}
	if (!good) {
		v->round = 0;
		fprintf(stderr, "wrong answer\n");
		return 1;
	}
	if (s->rounds && ++v->round < s->count)
		return ask(v, m, s);
	pass(v, m);
	return 0;
}

static int
look_at_key(struct server *v, ssh_message m, const struct stage *s)
{
	char *is = NULL;
	bool good = ssh_pki_export_pubkey_base64(ssh_message_auth_pubkey(m), &is) == SSH_OK &&
		strcmp(is, s->answer[0]) == 0;

	ssh_string_free_char(is);
	if (!good)
		return 1;
	if (ssh_message_auth_publickey_state(m) == SSH_PUBLICKEY_STATE_VALID)
		pass(v, m);
	else
		ssh_message_auth_reply_pk_ok_simple(m);
	return 0;
}

static int
prove(struct server *v, ssh_message m)
{
	const struct stage *s = &v->stages[v->at];

	ssh_message_auth_set_methods(m, s->method);
	if (ssh_message_subtype(m) != s->method)
		return 1;
	if (s->method == SSH_AUTH_METHOD_PUBLICKEY)
		return look_at_key(v, m, s);
	if (s->method == SSH_AUTH_METHOD_INTERACTIVE)
		return ssh_message_auth_kbdint_is_response(m) ? hear(v, m, s) : ask(v, m, s);
	if (strcmp(ssh_message_auth_password(m), s->answer[0]) != 0) {
		fprintf(stderr, "wrong password\n");
		return 1;
	}
	pass(v, m);
	return 0;
}

/* --- channels --------------------------------------------------------------------------------- */

static int
from_client(ssh_session session, ssh_channel channel, void *data, uint32_t n, int is_stderr,
	void *ctx)
{
	struct pipe *p = ctx;

	(void)session;
	(void)channel;
	(void)is_stderr;
	return write(p->to, data, n) == (ssize_t)n ? (int)n : 0;
}

static int
from_sftp(socket_t fd, int revents, void *ctx)
{
	struct pipe *p = ctx;
	char buffer[BUFFER];
	ssize_t n = read(fd, buffer, sizeof(buffer));

	(void)revents;
	if (n > 0)
		ssh_channel_write(p->channel, buffer, (uint32_t)n);
	return n > 0 ? 0 : -1;
}

static void
start_sftp(struct server *v, struct pipe *p)
{
	int in[2], out[2];

	if (pipe(in) || pipe(out))
		exit(1);
	if (fork() == 0) {
		dup2(in[0], 0);
		dup2(out[1], 1);
		for (int fd = 3; fd < 64; fd++)
			close(fd);
		execl(v->sftp, v->sftp, (char *)NULL);
		_exit(1);
	}
	close(in[0]);
	close(out[1]);
	p->to = in[1];
	p->from = out[0];
	p->callbacks.userdata = p;
	p->callbacks.channel_data_function = from_client;
	ssh_callbacks_init(&p->callbacks);
	ssh_set_channel_callbacks(p->channel, &p->callbacks);
	ssh_event_add_fd(v->event, p->from, POLLIN, from_sftp, p);
}

static int
take(ssh_session session, ssh_message m, void *ctx)
{
	struct server *v = ctx;

	(void)session;
	switch (ssh_message_type(m)) {
	case SSH_REQUEST_SERVICE:
		ssh_message_service_reply_success(m);
		return 0;
	case SSH_REQUEST_AUTH:
		return v->at < v->stage_count ? prove(v, m) : 1;
	case SSH_REQUEST_CHANNEL_OPEN:
		if (v->at < v->stage_count || v->pipe_count == CHANNELS)
			return 1;
		v->pipes[v->pipe_count++].channel = ssh_message_channel_request_open_reply_accept(
			m);
		return 0;
	case SSH_REQUEST_CHANNEL:
		for (int i = 0; i < v->pipe_count; i++)
			if (v->pipes[i].channel == ssh_message_channel_request_channel(m) &&
				ssh_message_subtype(m) == SSH_CHANNEL_REQUEST_SUBSYSTEM) {
				ssh_message_channel_request_reply_success(m);
				start_sftp(v, &v->pipes[i]);
				return 0;
			}
	}
	return 1;
}

static void
serve(struct server *v, ssh_bind bound, int fd)
{
	v->session = ssh_new();
	if (ssh_bind_accept_fd(bound, v->session, fd) != SSH_OK)
		exit(1);
	ssh_set_message_callback(v->session, take, v);
	ssh_set_auth_methods(v->session, v->stages[0].method);
	if (ssh_handle_key_exchange(v->session) != SSH_OK)
		exit(0);
	v->event = ssh_event_new();
	ssh_event_add_session(v->event, v->session);
	while (ssh_is_connected(v->session) && ssh_event_dopoll(v->event, -1) != SSH_ERROR)
		;
	exit(0);
}

int
main(int argc, char **argv)
{
	struct server v = {0};
	struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}};
	socklen_t n = sizeof(at);
	int listener = socket(AF_INET, SOCK_STREAM, 0), no = 0;
	ssh_bind bound = ssh_bind_new();

	signal(SIGPIPE, SIG_IGN);
	signal(SIGCHLD, SIG_IGN);
	if (argc < 4)
		return 2;
	v.sftp = argv[2];
	v.stages = calloc((size_t)argc, sizeof(*v.stages));
	for (int i = 3; i < argc; i++)
		v.stages[v.stage_count++] = read_stage(argv[i]);
	ssh_bind_options_set(bound, SSH_BIND_OPTIONS_PROCESS_CONFIG, &no);
	ssh_bind_options_set(bound, SSH_BIND_OPTIONS_HOSTKEY, argv[1]);
	if (bind(listener, (struct sockaddr *)&at, n) || listen(listener, 8) ||
		getsockname(listener, (struct sockaddr *)&at, &n))
		return 1;
	printf("%d\n", ntohs(at.sin_port));
	fflush(stdout);
	for (;;) {
		int fd = accept(listener, NULL, NULL);

		if (fd >= 0 && fork() == 0)
			serve(&v, bound, fd);
		close(fd);
	}
}
