/* SPDX-License-Identifier: MIT */
/*
 * sftp - the transport over libssh: one session, and up to eight channels in it. No other file knows libssh.
 *
 * A state machine (`phases`): each call does what can be done without waiting and stays where it would have to wait.
 * libssh is told as little as possible: the configuration, the connection, known hosts and the order of keys are our own
 * (io/ssh_config.h, io/dial.h, io/known_hosts.h), for its parsers read less than OpenSSH does, look at the first address
 * of a host only, and do not honour @revoked. It starts no program and reads no file but the keys that are tried here.
 *
 * Of libssh 0.10.6, and why things are done so:
 * - ssh_userauth_publickey_auto() writes .pub files into ~/.ssh and gives up at the first broken one: keys are tried one by
 *   one here. ssh_userauth_agent() fails where an agent has no keys, and takes a partial success for a refusal.
 * - A read of the socket is 4 KiB, and there is no call that takes in what has come but for a channel that is read: a
 *   channel that is never opened stands for the session (`ear`), until the socket has nothing more.
 * - What a host asks of us (channels of its own) would be kept in a list without end: it is refused at once.
 * - It writes to a closed socket without MSG_NOSIGNAL: SIGPIPE is to be blocked, as it is in all our threads.
 * - Talking to the agent blocks: while that asks somebody (a touch), this host waits, and nothing else.
 */
#include "config.h"

#include <libssh/callbacks.h>
#include <libssh/libssh.h>
#include <libssh/server.h>

#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "dial.h"
#include "tilescope/base/clock.h"
#include "tilescope/base/mem.h"
#include "tilescope/base/strbuf.h"
#include "tilescope/io/known_hosts.h"
#include "tilescope/io/ssh_config.h"
#include "tilescope/io/transport.h"

enum {
	LINKS = 2 * TS_TRANSPORT_CHANNELS, /* channels, and those that are still on their way out */
	EARFULS = 256,			   /* reads of the socket in one step */
	PARTIALS = 8,			   /* factors, at most */
	ROUNDS = 32,			   /* of questions in one attempt */
	ALGORITHMS = 512,		   /* bytes of a list */
	KNOWN_FILES = 2 * TS_SSH_FILES,
	WRITE_MAX = 32 << 10,
	PATH = 4096,
	NAMES_MAX = 4096, /* bytes of both names of a host */
};

enum phase {
	DIAL,
	KEYS,
	HOST_KEY,
	NO_PROOF,
	NEXT_PROOF,
	AGENT,
	OFFER,
	LOAD,
	SIGN,
	TALK,
	PASSWORD,
	SERVE,
};

enum link_state {
	LINK_NONE,
	LINK_WAITS,  /* for the session */
	LINK_OPENS,  /* asked for */
	LINK_BEGINS, /* it is there, the SFTP server is asked for: it may be written to */
	LINK_OPEN,
	LINK_ENDED,
};

struct link {
	enum link_state state;
	int number; /* of the channel; -1: its owner has closed it, it goes when that can be done */
	ssh_channel channel;
	char why[160]; /* it ended */
};

struct sftp {
	struct ts_transport base;
	struct ts_ssh_config config;
	char *name;    /* of the host as the user said it; HostName may be another */
	char *of_whom; /* the same where somebody is asked: "name (HostName)" */
	bool ask;
	enum phase phase;
	int64_t until_us, asked_us; /* 0: any time; when the question was asked */
	struct ts_dial *dial;
	int fd; /* -1; the session's, which closes it */
	ssh_session session;
	ssh_channel ear;
	struct ssh_channel_callbacks_struct callbacks;
	char *host_key; /* base64 */
	struct link link[LINKS];

	int methods;  /* SSH_AUTH_METHOD_... that the host takes */
	int partials; /* factors that it has taken */
	bool agent_done;
	int identity;		 /* that is tried */
	bool used[TS_SSH_FILES]; /* the host has taken it */
	bool locked;		 /* some key would need its passphrase, and nobody may be asked */
	bool strange;		 /* a key lies here that libssh cannot use */
	bool told;		 /* somebody has answered with a secret */
	ssh_key public, private;
	int attempts;	      /* at a passphrase */
	int talks, passwords; /* attempts at these */
	int rounds, prompt;   /* of a talk; the next prompt, -1 = none stands */
	bool sent;	      /* the password: libssh has it */

	bool answered, refused;
	char secret[TS_ANSWER_MAX + 1];
};

static struct sftp *
of(struct ts_transport *t)
{
	return (struct sftp *)t;
}

/* --- how it ends ------------------------------------------------------------------------------ */

static void
fail(struct sftp *s, bool hopeless)
{
	s->base.state = TS_TRANSPORT_FAILED;
	s->base.hopeless = hopeless;
	explicit_bzero(s->secret, sizeof(s->secret));
}

static bool
is_lost(const struct sftp *s)
{
	return !ssh_is_connected(s->session) || (ssh_get_status(s->session) & SSH_CLOSED_ERROR);
}

/* What libssh says, or what we say for it. */
static const char *
reason(struct sftp *s, const char *otherwise)
{
	const char *text = s->session ? ssh_get_error(s->session) : NULL;

	return text && *text ? text : otherwise;
}

static void
fail_lost(struct sftp *s)
{
	ts_err_set(&s->base.err, TS_E_CONNECT, "%s: %s", s->name,
		reason(s, "the connection was closed"));
	fail(s, false);
}

static void
fail_nomem(struct sftp *s)
{
	ts_err_nomem(&s->base.err);
	fail(s, false);
}

/* --- questions -------------------------------------------------------------------------------- */

static void
forget_answer(struct sftp *s)
{
	explicit_bzero(s->secret, sizeof(s->secret));
	s->answered = s->refused = false;
}

static void
ask(struct sftp *s, enum ts_question_kind kind, bool echo)
{
	struct ts_question *q = &s->base.question;

	forget_answer(s);
	q->number++;
	q->kind = kind;
	q->echo = echo;
	q->fingerprint[0] = '\0';
	s->asked_us = ts_clock_us();
	s->base.state = TS_TRANSPORT_ASKING;
}

/* True: no answer is there to go on with; refused ones end the transport. */
static bool
unanswered(struct sftp *s)
{
	if (s->answered && s->refused) {
		ts_err_set(&s->base.err, TS_E_CONNECT, "%s: given up at a question", s->name);
		fail(s, true);
	}
	return !s->answered || s->refused;
}

/* --- the connection --------------------------------------------------------------------------- */

/* Types of keys, in our order, and the algorithms of each. */
static const struct {
	const char *type, *algorithms;
} key_types[] = {
	{"ssh-ed25519", "ssh-ed25519"},
	{"ecdsa-sha2-nistp256", "ecdsa-sha2-nistp256"},
	{"ecdsa-sha2-nistp384", "ecdsa-sha2-nistp384"},
	{"ecdsa-sha2-nistp521", "ecdsa-sha2-nistp521"},
	{"ssh-rsa", "rsa-sha2-512,rsa-sha2-256"},
};

static int
known_files(const struct sftp *s, const char *files[KNOWN_FILES])
{
	const struct ts_ssh_files *own = &s->config.known_hosts, *all = &s->config.global_hosts;

	for (int i = 0; i < own->count; i++)
		files[i] = own->path[i];
	for (int i = 0; i < all->count; i++)
		files[own->count + i] = all->path[i];
	return own->count + all->count;
}

static bool
has_type(char types[][TS_KNOWN_HOSTS_TYPE], int n, const char *type)
{
	for (int i = 0; i < n; i++)
		if (strcmp(types[i], type) == 0)
			return true;
	return false;
}

/* A host has several keys: it is to show one that we know, if there is any. */
static void
order_keys(const struct sftp *s, char out[ALGORITHMS])
{
	char types[TS_KNOWN_HOSTS_TYPES][TS_KNOWN_HOSTS_TYPE];
	const char *files[KNOWN_FILES];
	int count = known_files(s, files);
	int n = ts_known_hosts_types(types, files, count, s->config.host, s->config.port);
	size_t len = 0;

	for (int known = 1; known >= 0; known--)
		for (size_t i = 0; i < TS_COUNT(key_types); i++)
			if (has_type(types, n, key_types[i].type) == known)
				len += (size_t)snprintf(out + len, ALGORITHMS - len, "%s%s",
					len ? "," : "", key_types[i].algorithms);
}

static int
refuse_message(ssh_session session, ssh_message message, void *ctx)
{
	(void)session;
	(void)message;
	(void)ctx;
	return 1;
}

/* What the server writes beside its answers is thrown away; those stay until they are read. */
static int
take_data(ssh_session session, ssh_channel channel, void *data, uint32_t n, int is_stderr,
	void *ctx)
{
	(void)session;
	(void)channel;
	(void)data;
	(void)ctx;
	return is_stderr ? (int)n : 0;
}

static bool
set_options(struct sftp *s)
{
	const int none = 0, port = s->config.port;
	const bool no = false;
	char algorithms[ALGORITHMS];
	ssh_session ssh = s->session;

	order_keys(s, algorithms);
	return ssh_options_set(ssh, SSH_OPTIONS_PROCESS_CONFIG, &no) == SSH_OK &&
		ssh_options_set(ssh, SSH_OPTIONS_LOG_VERBOSITY, &none) == SSH_OK &&
		ssh_options_set(ssh, SSH_OPTIONS_HOST, s->config.host) == SSH_OK &&
		ssh_options_set(ssh, SSH_OPTIONS_PORT, &port) == SSH_OK &&
		ssh_options_set(ssh, SSH_OPTIONS_USER, s->config.user) == SSH_OK &&
		ssh_options_set(ssh, SSH_OPTIONS_KNOWNHOSTS, "/dev/null") == SSH_OK &&
		ssh_options_set(ssh, SSH_OPTIONS_GLOBAL_KNOWNHOSTS, "/dev/null") == SSH_OK &&
		ssh_options_set(ssh, SSH_OPTIONS_HOSTKEYS, algorithms) == SSH_OK &&
		(!s->config.agent ||
			ssh_options_set(ssh, SSH_OPTIONS_IDENTITY_AGENT, s->config.agent) ==
				SSH_OK) &&
		ssh_options_set(ssh, SSH_OPTIONS_FD, &s->fd) == SSH_OK;
}

/* The connection is there: the session takes it. */
static void
make_session(struct sftp *s, int fd)
{
	s->fd = fd;
	s->session = ssh_new();
	if (!s->session) {
		close(fd);
		s->fd = -1;
		fail_nomem(s);
		return;
	}
	ssh_set_log_level(SSH_LOG_NOLOG);
	ssh_set_blocking(s->session, 0);
	ssh_set_message_callback(s->session, refuse_message, NULL);
	s->callbacks.channel_data_function = take_data;
	ssh_callbacks_init(&s->callbacks);
	if (!set_options(s)) {
		ts_err_set(&s->base.err, TS_E_CONNECT, "%s: %s", s->name,
			reason(s, "libssh does not take an option"));
		fail(s, true);
	} else {
		s->phase = KEYS;
	}
}

/* Where it was looked for, and then who. */
static void
fail_dial(struct sftp *s)
{
	bool other = strcmp(s->name, s->config.host) != 0;

	if (!ts_dial_looks_up(s->dial))
		ts_err_prefix(&s->base.err, "port %d: ", s->config.port);
	if (other)
		ts_err_prefix(&s->base.err, ts_dial_looks_up(s->dial) ? "%s: " : "%s ",
			s->config.host);
	ts_err_prefix(&s->base.err, "%s: ", s->name);
}

static void
dial(struct sftp *s)
{
	int fd;

	if (ts_dial_step(s->dial, &fd, &s->base.err) != TS_OK) {
		fail_dial(s);
		fail(s, false);
	} else if (fd >= 0) {
		ts_dial_free(s->dial);
		s->dial = NULL;
		make_session(s, fd);
	} else if (!ts_dial_looks_up(s->dial)) {
		s->base.doing = "connecting";
	}
}

static void
agree_on_keys(struct sftp *s)
{
	static const char disagree[] = "kex error : no match";

	switch (ssh_connect(s->session)) {
	case SSH_OK:
		s->phase = HOST_KEY;
		break;
	case SSH_AGAIN:
		if (!is_lost(s))
			break;
		/* fall through */
	default:
		s->base.beyond = strstr(reason(s, ""), disagree) != NULL;
		fail_lost(s);
	}
}

/* --- is it the host? -------------------------------------------------------------------------- */

static bool
take_host_key(struct sftp *s, char fingerprint[96])
{
	unsigned char *hash = NULL;
	char *text = NULL;
	size_t n = 0;
	ssh_key key = NULL;

	if (ssh_get_server_publickey(s->session, &key) != SSH_OK)
		return false;
	ssh_string_free_char(s->host_key);
	s->host_key = NULL;
	if (ssh_pki_export_pubkey_base64(key, &s->host_key) == SSH_OK &&
		ssh_get_publickey_hash(key, SSH_PUBLICKEY_HASH_SHA256, &hash, &n) == SSH_OK)
		text = ssh_get_fingerprint_hash(SSH_PUBLICKEY_HASH_SHA256, hash, n);
	if (text)
		snprintf(fingerprint, 96, "%s", text);
	ssh_string_free_char(text);
	ssh_clean_pubkey_hash(&hash);
	ssh_key_free(key);
	return text != NULL;
}

static void
accept_host(struct sftp *s)
{
	const struct ts_ssh_files *own = &s->config.known_hosts;
	struct ts_err err;

	/* that it cannot be kept is no reason not to go on: it is asked again next time */
	if (own->count == 0 ||
		ts_known_hosts_add(own->path[0], s->config.host, s->config.port, s->host_key,
			s->config.hash_names, &err) != TS_OK)
		s->base.doing = "the host's key could not be kept";
	s->phase = NO_PROOF;
}

static void
refuse_host(struct sftp *s, const char *what, const char *file, int line, bool old)
{
	bool plain = s->config.port == 22;
	char port[16];

	snprintf(port, sizeof(port), "]:%d", s->config.port);
	ts_err_set(&s->base.err, TS_E_CONNECT, "%s: %s: %s:%d%s%s%s%s%s%s%s", s->name, what, file,
		line, old ? " (if that is right: ssh-keygen -R '" : "", old && !plain ? "[" : "",
		old ? s->config.host : "", old && !plain ? port : "", old ? "' -f '" : "",
		old ? file : "", old ? "')" : "");
	fail(s, true);
}

static void
ask_about_host(struct sftp *s, const char *fingerprint)
{
	struct ts_question *q = &s->base.question;
	char type[TS_KNOWN_HOSTS_TYPE] = "";

	ts_known_hosts_type(type, s->host_key);
	ask(s, TS_ASK_HOST_KEY, true);
	snprintf(q->fingerprint, sizeof(q->fingerprint), "%s", fingerprint);
	snprintf(q->text, sizeof(q->text),
		"%.200s (port %d) has not been seen before. Its %s key has the fingerprint\n%s\nIs it this host (yes/no/[fingerprint])?",
		s->of_whom, s->config.port, type, fingerprint);
}

static void
meet_unknown_host(struct sftp *s, const char *fingerprint)
{
	if (s->config.strict == TS_SSH_STRICT_NEW) {
		accept_host(s);
	} else if (s->config.strict == TS_SSH_STRICT_ASK && s->ask) {
		ask_about_host(s, fingerprint);
	} else {
		ts_err_set(&s->base.err, TS_E_CONNECT, "%s: unknown host, its key is %s: %s",
			s->name, fingerprint,
			s->config.strict == TS_SSH_STRICT_YES
				? "StrictHostKeyChecking is yes"
				: "nobody may be asked here (ssh to it once)");
		fail(s, true);
	}
}

static void
check_host(struct sftp *s)
{
	static const char *const refusals[] = {
		[TS_KNOWN_REVOKED] = "its key is revoked",
		[TS_KNOWN_CHANGED] =
			"ITS KEY HAS CHANGED: somebody may be listening, or it was set up anew; the old key",
		[TS_KNOWN_OTHER] = "it shows a key of another type than the known one",
		[TS_KNOWN_AUTHORITY] = "its keys are signed, which takes transport=ssh",
	};
	const char *files[KNOWN_FILES];
	struct ts_known_host known;
	char fingerprint[96];

	if (s->answered) {
		s->refused = s->refused || strcmp(s->secret, "yes") != 0;
		if (unanswered(s))
			return;
		forget_answer(s);
		accept_host(s);
		return;
	}
	if (!take_host_key(s, fingerprint)) {
		fail_lost(s);
		return;
	}
	ts_known_hosts_look(&known, files, known_files(s, files), s->config.host, s->config.port,
		s->host_key);
	if (known.is == TS_KNOWN_OK)
		s->phase = NO_PROOF;
	else if (known.is == TS_KNOWN_UNKNOWN)
		meet_unknown_host(s, fingerprint);
	else
		refuse_host(s, refusals[known.is], files[known.file], known.line,
			known.is == TS_KNOWN_CHANGED || known.is == TS_KNOWN_OTHER);
	s->base.beyond = known.is == TS_KNOWN_AUTHORITY;
}

/* --- who one is ------------------------------------------------------------------------------- */

static void
drop_key(struct sftp *s)
{
	ssh_key_free(s->public);
	ssh_key_free(s->private);
	s->public = s->private = NULL;
	s->attempts = 0;
}

static void
next_identity(struct sftp *s)
{
	drop_key(s);
	s->identity++;
	s->phase = NEXT_PROOF;
}

/* The host has taken one factor and wants another: all ways are open again. */
static void
take_partial(struct sftp *s)
{
	drop_key(s);
	s->agent_done = false;
	s->identity = 0;
	s->talks = s->passwords = 0;
	s->methods = ssh_userauth_list(s->session, NULL);
	s->phase = NEXT_PROOF;
	if (++s->partials > PARTIALS) {
		ts_err_set(&s->base.err, TS_E_CONNECT, "%s: it wants more than %d factors", s->name,
			PARTIALS);
		fail(s, true);
	}
}

/* What all ways have in common. True: nothing is left to be done about this result. */
static bool
took(struct sftp *s, int rc)
{
	if (is_lost(s)) /* the result may be AGAIN, for ever */
		fail_lost(s);
	else if (rc == SSH_AUTH_AGAIN)
		return true;
	else if (rc == SSH_AUTH_SUCCESS)
		s->phase = SERVE;
	else if (rc == SSH_AUTH_PARTIAL)
		take_partial(s);
	else
		return false;
	return true;
}

static void
no_proof(struct sftp *s)
{
	if (took(s, ssh_userauth_none(s->session, NULL)))
		return;
	s->methods = ssh_userauth_list(s->session, NULL);
	s->phase = NEXT_PROOF;
}

static void
fail_denied(struct sftp *s)
{
	static const struct {
		int method;
		const char *name;
	} names[] = {
		{SSH_AUTH_METHOD_PUBLICKEY, "publickey"},
		{SSH_AUTH_METHOD_INTERACTIVE, "keyboard-interactive"},
		{SSH_AUTH_METHOD_PASSWORD, "password"},
		{SSH_AUTH_METHOD_GSSAPI_MIC, "gssapi-with-mic"},
		{SSH_AUTH_METHOD_HOSTBASED, "hostbased"},
	};
	char list[128] = "";
	size_t n = 0;

	for (size_t i = 0; i < TS_COUNT(names); i++)
		if (s->methods & names[i].method)
			n += (size_t)snprintf(list + n, sizeof(list) - n, "%s%s", n ? "," : "",
				names[i].name);
	ts_err_set(&s->base.err, TS_E_CONNECT, "%s@%s: permission denied (%s)%s", s->config.user,
		s->name, n ? list : "no way that we know",
		s->ask		    ? ""
			: s->locked ? "; a key has a passphrase, and nobody may be asked here"
				    : "; nobody may be asked here");
	/* who has answered is not asked the same again by another program */
	s->base.beyond = !s->told &&
		(s->strange ||
			(s->methods & (SSH_AUTH_METHOD_GSSAPI_MIC | SSH_AUTH_METHOD_HOSTBASED)));
	fail(s, true);
}

static void
ask_password(struct sftp *s)
{
	ask(s, TS_ASK_PASSWORD, false);
	snprintf(s->base.question.text, sizeof(s->base.question.text), "%sPassword of %s@%s",
		s->passwords ? "That was not accepted.\n" : "", s->config.user, s->of_whom);
	s->sent = false;
	s->phase = PASSWORD;
}

static void
next_proof(struct sftp *s)
{
	bool keys = s->config.public_keys && (s->methods & SSH_AUTH_METHOD_PUBLICKEY);

	if (keys && !s->agent_done)
		s->phase = AGENT;
	else if (keys && s->identity < s->config.identities.count)
		s->phase = OFFER;
	else if (s->ask && s->config.interactive && (s->methods & SSH_AUTH_METHOD_INTERACTIVE) &&
		s->talks < s->config.prompts)
		s->phase = TALK;
	else if (s->ask && s->config.passwords && (s->methods & SSH_AUTH_METHOD_PASSWORD) &&
		s->passwords < s->config.prompts)
		ask_password(s);
	else
		fail_denied(s);
}

static void
ask_agent(struct sftp *s)
{
	bool none = s->config.agent ? strcmp(s->config.agent, "none") == 0
				    : !getenv("SSH_AUTH_SOCK");
	int methods;

	if (!none && took(s, ssh_userauth_agent(s->session, NULL)))
		return;
	s->agent_done = true;
	s->phase = NEXT_PROOF;
	methods = ssh_userauth_list(s->session, NULL);
	if (!none && methods != s->methods) { /* taken, and not said */
		take_partial(s);
		s->agent_done = true;
	}
}

/* --- keys that lie here ----------------------------------------------------------------------- */

static const char *
identity(const struct sftp *s)
{
	return s->config.identities.path[s->identity];
}

/* That it is asked says that the key is locked. */
static int
passphrase_wanted(const char *prompt, char *buffer, size_t n, int echo, int verify, void *wanted)
{
	(void)prompt;
	(void)buffer;
	(void)n;
	(void)echo;
	(void)verify;
	*(bool *)wanted = true;
	return -1;
}

/* The private key with `passphrase` (NULL: without). *locked: it has one. False: there is none. */
static bool
load_private(struct sftp *s, const char *passphrase, bool *locked)
{
	*locked = false;
	return ssh_pki_import_privkey_file(identity(s), passphrase, passphrase_wanted, locked,
		       &s->private) == SSH_OK;
}

static void
load_public(struct sftp *s)
{
	char path[PATH + 8];

	snprintf(path, sizeof(path), "%s.pub", identity(s));
	if (ssh_pki_import_pubkey_file(path, &s->public) != SSH_OK &&
		ssh_pki_import_pubkey_file(identity(s), &s->public) != SSH_OK)
		s->public = NULL;
}

/*
 * Would the host take this key? It is asked where the key is locked, for then somebody would have to be asked here; one
 * that is not signs at once, a round trip less.
 */
static void
offer_key(struct sftp *s)
{
	bool locked = false;
	char signed_by[PATH + 16];
	int rc;

	if (s->used[s->identity] || access(identity(s), R_OK) != 0) {
		next_identity(s);
		return;
	}
	snprintf(signed_by, sizeof(signed_by), "%s-cert.pub", identity(s));
	s->strange = s->strange || access(signed_by, R_OK) == 0;
	if (!s->public) {
		if (load_private(s, NULL, &locked)) {
			s->phase = SIGN;
			return;
		}
		load_public(s);
	}
	if (!s->public) {
		s->strange = s->strange || !locked;
		if (locked)
			s->phase = LOAD; /* a format that says nothing without the passphrase */
		else
			next_identity(s);
		return;
	}
	rc = ssh_userauth_try_publickey(s->session, NULL, s->public);
	if (rc == SSH_AUTH_SUCCESS)
		s->phase = LOAD;
	else if (!took(s, rc))
		next_identity(s);
}

static void
ask_passphrase(struct sftp *s)
{
	ask(s, TS_ASK_PASSPHRASE, false);
	snprintf(s->base.question.text, sizeof(s->base.question.text), "%sPassphrase of the key %s",
		s->attempts ? "That was not accepted.\n" : "", identity(s));
}

static void
load_key(struct sftp *s)
{
	bool locked = false;

	if (s->private) {
		s->phase = SIGN;
	} else if (s->answered) {
		bool good = !s->refused && load_private(s, s->secret, &locked);

		s->attempts = s->refused ? s->config.prompts : s->attempts + 1;
		forget_answer(s);
		if (good)
			s->phase = SIGN;
		else if (s->attempts < s->config.prompts)
			ask_passphrase(s);
		else
			next_identity(s); /* there are other ways */
	} else if (load_private(s, NULL, &locked)) {
		s->phase = SIGN;
	} else if (locked && s->ask) {
		ask_passphrase(s);
	} else {
		s->locked = s->locked || locked;
		s->strange = s->strange || !locked;
		next_identity(s);
	}
}

static void
sign(struct sftp *s)
{
	int rc = ssh_userauth_publickey(s->session, NULL, s->private);

	if (rc == SSH_AUTH_PARTIAL)
		s->used[s->identity] = true;
	if (!took(s, rc))
		next_identity(s);
	else if (s->phase == SERVE)
		drop_key(s);
}

/* --- questions of the host -------------------------------------------------------------------- */

/* Ask for what prompt `s->prompt` wants to know. */
static void
ask_prompt(struct sftp *s)
{
	const char *name = ssh_userauth_kbdint_getname(s->session);
	const char *text = ssh_userauth_kbdint_getinstruction(s->session);
	const char *parts[3] = {name, text, NULL};
	char echo = 0, *out = s->base.question.text;
	size_t n = 0;

	parts[2] = ssh_userauth_kbdint_getprompt(s->session, (unsigned)s->prompt, &echo);
	ask(s, TS_ASK_TEXT, echo != 0);
	out[0] = '\0';
	for (size_t i = 0; i < TS_COUNT(parts) && n < TS_QUESTION_TEXT; i++)
		if (parts[i] && *parts[i])
			n += (size_t)snprintf(out + n, TS_QUESTION_TEXT - n, "%s%.1200s",
				n ? "\n" : "", parts[i]);
}

/* True: an answer is missing still. */
static bool
prompts(struct sftp *s)
{
	int count = ssh_userauth_kbdint_getnprompts(s->session);

	if (s->answered) {
		if (unanswered(s))
			return true;
		ssh_userauth_kbdint_setanswer(s->session, (unsigned)s->prompt, s->secret);
		forget_answer(s);
		s->prompt++;
	}
	if (s->prompt < count)
		ask_prompt(s);
	return s->prompt < count;
}

static void
talk(struct sftp *s)
{
	int rc;

	if (s->prompt >= 0 && prompts(s))
		return;
	s->prompt = -1;
	rc = ssh_userauth_kbdint(s->session, NULL, NULL);
	if (rc == SSH_AUTH_INFO && ++s->rounds <= ROUNDS) {
		s->prompt = 0;
		if (!prompts(s))
			talk(s); /* nothing was asked: so is the answer; ROUNDS bounds it */
		return;
	}
	if (took(s, rc))
		return;
	s->rounds = 0;
	s->talks = rc == SSH_AUTH_DENIED ? s->talks + 1 : s->config.prompts;
	s->phase = NEXT_PROOF;
}

static void
give_password(struct sftp *s)
{
	int rc;

	if (!s->sent && unanswered(s))
		return;
	rc = ssh_userauth_password(s->session, NULL, s->secret);
	forget_answer(s);
	s->sent = true;
	if (took(s, rc))
		return;
	s->passwords = rc == SSH_AUTH_DENIED ? s->passwords + 1 : s->config.prompts;
	s->phase = NEXT_PROOF;
}

/* --- channels --------------------------------------------------------------------------------- */

static void
end_link(struct sftp *s, struct link *l, const char *otherwise)
{
	l->state = LINK_ENDED;
	snprintf(l->why, sizeof(l->why), "%s", reason(s, otherwise));
}

static struct link *
link_of(struct sftp *s, int number)
{
	for (int i = 0; i < LINKS; i++)
		if (s->link[i].state != LINK_NONE && s->link[i].number == number)
			return &s->link[i];
	return NULL;
}

static void
begin_link(struct sftp *s, struct link *l)
{
	int rc = ssh_channel_open_session(l->channel);

	if (rc == SSH_OK)
		l->state = LINK_BEGINS;
	else if (rc != SSH_AGAIN)
		end_link(s, l, "the host opens no channel");
}

static void
free_link(struct link *l)
{
	ssh_channel_free(l->channel);
	*l = (struct link){.state = LINK_NONE};
}

static void
step_link(struct sftp *s, struct link *l)
{
	if (l->state == LINK_WAITS && l->number < 0) { /* closed before there was a session */
		free_link(l);
		return;
	}
	if (l->state == LINK_WAITS) {
		l->channel = ssh_channel_new(s->session);
		l->state = LINK_OPENS;
		if (!l->channel || ssh_set_channel_callbacks(l->channel, &s->callbacks) != SSH_OK)
			end_link(s, l, "out of memory");
	}
	if (l->state == LINK_OPENS)
		begin_link(s, l);
	if (l->state == LINK_BEGINS) {
		int rc = ssh_channel_request_subsystem(l->channel, "sftp");

		if (rc == SSH_OK)
			l->state = LINK_OPEN;
		else if (rc != SSH_AGAIN)
			end_link(s, l, "the host has no SFTP server");
	}
	/* one that is being opened must not be freed: the answer would find nobody */
	if (l->number < 0 && l->state != LINK_OPENS)
		free_link(l);
}

/* Take in what has come, and send what could not be sent before. */
static void
hear(struct sftp *s)
{
	struct pollfd p = {.fd = s->fd, .events = POLLIN};

	for (int i = 0; i < EARFULS; i++) {
		if (ssh_channel_poll(s->ear, 0) == SSH_ERROR || is_lost(s))
			break;
		if (poll(&p, 1, 0) <= 0)
			break;
	}
	if (is_lost(s))
		fail_lost(s);
}

/* While a question stands nothing is taken in; that the host hangs up is seen. */
static void
look_for_end(struct sftp *s)
{
	struct pollfd p = {.fd = s->fd, .events = POLLRDHUP};

	if (poll(&p, 1, 0) > 0) {
		ts_err_set(&s->base.err, TS_E_CONNECT, "%s: it did not wait for the answer",
			s->name);
		fail(s, false);
	}
}

static void
serve(struct sftp *s)
{
	if (!s->ear)
		s->ear = ssh_channel_new(s->session); /* there is none before */
	if (!s->ear) {
		fail_nomem(s);
		return;
	}
	s->base.state = TS_TRANSPORT_READY;
	hear(s);
	for (int i = 0; i < LINKS && s->base.state == TS_TRANSPORT_READY; i++)
		if (s->link[i].state != LINK_NONE)
			step_link(s, &s->link[i]);
}

/* --- the transport ---------------------------------------------------------------------------- */

static const struct {
	const char *doing;
	void (*go)(struct sftp *s);
} phases[] = {
	[DIAL] = {"looking up the name", dial},
	[KEYS] = {"agreeing on keys", agree_on_keys},
	[HOST_KEY] = {"looking at the host's key", check_host},
	[NO_PROOF] = {"asking how to log in", no_proof},
	[NEXT_PROOF] = {"logging in", next_proof},
	[AGENT] = {"logging in with the agent", ask_agent},
	[OFFER] = {"logging in with a key", offer_key},
	[LOAD] = {"logging in with a key", load_key},
	[SIGN] = {"logging in with a key", sign},
	[TALK] = {"logging in", talk},
	[PASSWORD] = {"logging in", give_password},
	[SERVE] = {"", serve},
};

static bool
is_going(const struct sftp *s)
{
	return s->base.state == TS_TRANSPORT_WORKING || s->base.state == TS_TRANSPORT_READY;
}

static void
look_at_clock(struct sftp *s)
{
	if (s->base.state == TS_TRANSPORT_WORKING && s->until_us && ts_clock_us() >= s->until_us) {
		ts_err_set(&s->base.err, TS_E_CONNECT, "%s: no answer in time (%s)", s->name,
			s->base.doing);
		fail(s, false);
	}
}

static void
sftp_step(struct ts_transport *t)
{
	struct sftp *s = of(t);
	enum phase before;

	if (t->state == TS_TRANSPORT_ASKING && s->session)
		look_for_end(s);
	while (is_going(s)) {
		before = s->phase;
		phases[before].go(s);
		if (s->phase == before)
			break;
		t->doing = phases[s->phase].doing;
	}
	look_at_clock(s);
}

static int
sftp_fds(struct ts_transport *t, struct pollfd p[TS_TRANSPORT_FDS], int *timeout_ms)
{
	struct sftp *s = of(t);
	int64_t left;
	int n = 1;

	*timeout_ms = -1;
	if (t->state == TS_TRANSPORT_FAILED)
		return 0;
	if (s->dial) {
		n = ts_dial_fds(s->dial, p, timeout_ms);
	} else {
		p[0] = (struct pollfd){.fd = s->fd, .events = POLLIN};
		if (t->state == TS_TRANSPORT_ASKING)
			p[0].events = POLLRDHUP;
		if (ssh_get_poll_flags(s->session) & SSH_WRITE_PENDING)
			p[0].events |= POLLOUT;
	}
	left = (s->until_us - ts_clock_us()) / 1000 + 1;
	if (t->state == TS_TRANSPORT_WORKING && s->until_us &&
		(*timeout_ms < 0 || left < *timeout_ms))
		*timeout_ms = (int)ts_clamp_i64(left, 0, 60 * 1000);
	return n;
}

static void
sftp_answer(struct ts_transport *t, const char *text, size_t n)
{
	struct sftp *s = of(t);

	if (t->state != TS_TRANSPORT_ASKING)
		return;
	s->answered = true;
	s->told = s->told || (text && t->question.kind != TS_ASK_HOST_KEY);
	s->refused = !text || n > TS_ANSWER_MAX;
	if (!s->refused) {
		memcpy(s->secret, text, n);
		s->secret[n] = '\0';
	}
	if (s->until_us)
		s->until_us += ts_clock_us() - s->asked_us;
	t->state = TS_TRANSPORT_WORKING;
	sftp_step(t);
}

static enum ts_code
sftp_open(struct ts_transport *t, int *channel, struct ts_err *err)
{
	struct sftp *s = of(t);
	struct link *l = NULL;

	*channel = 0;
	while (*channel < TS_TRANSPORT_CHANNELS && link_of(s, *channel))
		++*channel;
	for (int i = 0; i < LINKS && !l; i++)
		if (s->link[i].state == LINK_NONE)
			l = &s->link[i];
	if (*channel == TS_TRANSPORT_CHANNELS || !l)
		return ts_err_set(err, TS_E_LIMIT, "too many channels");
	*l = (struct link){.state = LINK_WAITS, .number = *channel};
	if (t->state == TS_TRANSPORT_READY)
		step_link(s, l);
	return TS_OK;
}

static enum ts_code
ended(struct sftp *s, const struct link *l, struct ts_err *err)
{
	return ts_err_set(err, TS_E_CONNECT, "%s: %s", s->name, l ? l->why : "no such channel");
}

static enum ts_code
sftp_read(struct ts_transport *t, int channel, void *buf, size_t n, size_t *got, struct ts_err *err)
{
	struct sftp *s = of(t);
	struct link *l = link_of(s, channel);
	int rc;

	*got = 0;
	if (!l || l->state == LINK_ENDED)
		return ended(s, l, err);
	if (l->state != LINK_OPEN && l->state != LINK_BEGINS)
		return TS_OK;
	rc = ssh_channel_read_nonblocking(l->channel, buf, n > INT32_MAX ? INT32_MAX : (uint32_t)n,
		0);
	if (rc > 0)
		*got = (size_t)rc;
	else if (rc < 0 || ssh_channel_is_eof(l->channel) || ssh_channel_is_closed(l->channel))
		end_link(s, l, "the SFTP server has ended");
	return l->state == LINK_ENDED ? ended(s, l, err) : TS_OK;
}

static enum ts_code
sftp_write(struct ts_transport *t, int channel, const void *buf, size_t n, size_t *put,
	struct ts_err *err)
{
	struct sftp *s = of(t);
	struct link *l = link_of(s, channel);
	int rc;

	*put = 0;
	if (!l || l->state == LINK_ENDED)
		return ended(s, l, err);
	if (l->state != LINK_OPEN && l->state != LINK_BEGINS)
		return TS_OK;
	/* what libssh keeps for a socket that is full has no bound: none, while there is something */
	while (*put < n && !(ssh_get_poll_flags(s->session) & SSH_WRITE_PENDING)) {
		size_t part = n - *put < WRITE_MAX ? n - *put : WRITE_MAX;

		rc = ssh_channel_write(l->channel, (const char *)buf + *put, (uint32_t)part);
		if (rc < 0) {
			end_link(s, l, "the SFTP server has ended");
			return ended(s, l, err);
		}
		if (rc == 0)
			break;
		*put += (size_t)rc;
	}
	return TS_OK;
}

static void
sftp_close(struct ts_transport *t, int channel)
{
	struct sftp *s = of(t);
	struct link *l = link_of(s, channel);

	if (!l)
		return;
	l->number = -1;
	if (l->state == LINK_WAITS || l->state == LINK_ENDED || t->state == TS_TRANSPORT_READY)
		step_link(s, l);
}

static void
sftp_free(struct ts_transport *t)
{
	struct sftp *s = of(t);

	ts_dial_free(s->dial);
	drop_key(s);
	if (s->session) {
		ssh_silent_disconnect(s->session);
		ssh_free(s->session); /* with its channels */
	}
	ssh_string_free_char(s->host_key);
	ts_ssh_config_fini(&s->config);
	free(s->name);
	free(s->of_whom);
	explicit_bzero(s->secret, sizeof(s->secret));
	free(s);
}

static const struct ts_transport_ops ops = {
	"libssh",
	sftp_step,
	sftp_fds,
	sftp_answer,
	sftp_open,
	sftp_read,
	sftp_write,
	sftp_close,
	sftp_free,
};

/* Nobody who has configured a way to the host means a connection past it. */
static enum ts_code
look_at_way(const struct sftp *s, struct ts_err *err)
{
	return s->config.way[0]
		? ts_err_set(err, TS_E_CONNECT,
			  "%s: the way to it is %s, which takes transport=ssh, or auto", s->name,
			  s->config.way)
		: TS_OK;
}

static enum ts_code
name_host(struct sftp *s, const char *said, struct ts_err *err)
{
	struct ts_strbuf both;

	ts_strbuf_init(&both, NAMES_MAX);
	ts_strbuf_puts(&both, said);
	if (strcmp(said, s->config.host) != 0)
		ts_strbuf_printf(&both, " (%s)", s->config.host);
	s->name = ts_strdup(said);
	s->of_whom = ts_strbuf_take(&both);
	ts_strbuf_fini(&both);
	return s->name && s->of_whom ? TS_OK : ts_err_nomem(err);
}

enum ts_code
ts_transport_libssh_new(struct ts_transport **out, const struct ts_transport_spec *spec,
	struct ts_err *err)
{
	struct sftp *s = ts_alloc(1, sizeof(*s));
	enum ts_code code;
	int seconds;

	*out = NULL;
	if (!s)
		return ts_err_nomem(err);
	s->base.ops = &ops;
	s->base.state = TS_TRANSPORT_WORKING;
	s->base.doing = phases[DIAL].doing;
	s->fd = s->prompt = -1;
	code = ts_ssh_config_read(&s->config, spec->host, spec->user, spec->port, spec->config,
		err);
	if (code == TS_OK)
		code = name_host(s, spec->host, err);
	if (code == TS_OK)
		code = look_at_way(s, err);
	s->base.left_out = s->config.left_out;
	s->ask = spec->ask && !s->config.batch;
	seconds = spec->timeout_s > 0 ? spec->timeout_s : s->config.connect_s;
	if (seconds > 0)
		s->until_us = ts_clock_us() + seconds * INT64_C(1000000);
	if (code == TS_OK)
		code = ts_dial_new(&s->dial, s->config.host, s->config.port, seconds, err);
	if (code == TS_OK)
		*out = &s->base;
	else
		sftp_free(&s->base);
	return code;
}
