/* SPDX-License-Identifier: MIT */
/*
 * transport - the way to a host: connecting, proving who one is, and channels to the host's SFTP server.
 *
 * A channel carries bytes; what they mean (SFTP v3) is the business of who opened it (io/sftp_wire.h): a transport
 * neither reads nor writes a packet by itself. There are two of them behind this header: libssh (io/sftp.c), whose
 * channels share one session, and `ssh -s HOST sftp` as a child (io/ssh_child.c), a child for each channel.
 *
 * Nothing here waits. Its owner (io/host.h) polls the descriptors that a transport names and calls ts_transport_step()
 * when one of them is ready or the time is over, then looks at `state`, and reads every channel until there is nothing
 * more: only then it may poll again, for what has come may already be in a buffer that poll() does not know of. A state
 * changes inside of calls only. What has FAILED stays so: it is freed, and another one made.
 *
 * Channels may be opened from the first moment on; what they are given before the host is reached waits, as far as they
 * take it.
 *
 * Questions (a password, an unknown host key) are asked by being there: the state is ASKING until one is answered,
 * refused, or of no use any more, and other channels go on meanwhile. The owner shows it elsewhere and brings the answer
 * back. Text of a question may come from the host: it is raw, bounded and NUL-terminated, and made safe at the screen.
 * Secrets are wiped (explicit_bzero) by whoever held them; no message, name or log has them.
 *
 * Threads: all calls for one transport from one thread; two transports do not know of each other.
 */
#ifndef TS_IO_TRANSPORT_H
#define TS_IO_TRANSPORT_H

#include <poll.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tilescope/base/err.h"

enum {
	TS_TRANSPORT_CHANNELS = 8, /* at the same time; their numbers are 0 .. 7 */
	TS_TRANSPORT_FDS = 32,	   /* descriptors to poll, at most */
	TS_QUESTION_TEXT = 2048,
	TS_ANSWER_MAX = 1024, /* bytes of an answer */
};

/* Where to. Texts are checked before (io/uri.h): no control characters, no leading '-'. Copied. */
struct ts_transport_spec {
	const char *host; /* a name that ~/.ssh/config may know, or an address without brackets */
	const char *user; /* NULL: as configured */
	int port;	  /* 0: as configured */
	bool ask;	  /* false: what would be a question fails (verbs) */
	int timeout_s; /* to connect; 0: as configured. Time that a question stands does not count */
	bool alone;    /* by no master of OpenSSH's, which may be as dead as what was lost */
	const char *config;  /* a file instead of ~/.ssh/config; NULL: that */
	const char *program; /* of the child: "ssh", or its path; NULL: $TS_SSH, else ssh */
	const char *askpass; /* of the child: the program that carries questions; NULL: ourselves */
};

enum ts_transport_state {
	TS_TRANSPORT_WORKING, /* on the way; `doing` says at what */
	TS_TRANSPORT_ASKING,  /* so, and `question` stands */
	TS_TRANSPORT_READY,   /* the host is reached, and it knows who one is */
	TS_TRANSPORT_FAILED,  /* `err` says why; nothing but free() has a meaning */
};

enum ts_question_kind {
	TS_ASK_PASSPHRASE, /* of a key that lies here */
	TS_ASK_PASSWORD,   /* of the user there */
	TS_ASK_TEXT,	   /* what the host wants to know (keyboard-interactive): a code, mostly */
	TS_ASK_HOST_KEY,   /* unknown: is it this one? Answered with "yes"; no answer is no */
	TS_ASK_NOTICE, /* nothing to answer (touch the key); goes away by itself, may be refused */
};

struct ts_question {
	uint64_t number; /* 1 .., each question of a transport has its own */
	enum ts_question_kind kind;
	bool echo;		     /* the answer may be seen while it is typed */
	char fingerprint[96];	     /* HOST_KEY: "SHA256:...", "" = it stands in the text */
	char text[TS_QUESTION_TEXT]; /* for people; may have several lines */
};

struct ts_transport;

struct ts_transport_ops {
	const char *name; /* for people: "libssh", "ssh" */
	void (*step)(struct ts_transport *t);
	int (*fds)(struct ts_transport *t, struct pollfd p[TS_TRANSPORT_FDS], int *timeout_ms);
	void (*answer)(struct ts_transport *t, const char *text, size_t n);
	enum ts_code (*open)(struct ts_transport *t, int *channel, struct ts_err *err);
	enum ts_code (*read)(struct ts_transport *t, int channel, void *buf, size_t n, size_t *got,
		struct ts_err *err);
	enum ts_code (*write)(struct ts_transport *t, int channel, const void *buf, size_t n,
		size_t *put, struct ts_err *err);
	void (*close)(struct ts_transport *t, int channel);
	void (*free)(struct ts_transport *t);
};

/* What all transports begin with; the owner only reads it. */
struct ts_transport {
	const struct ts_transport_ops *ops;
	enum ts_transport_state state;
	const char *doing;	     /* WORKING: a constant for people: "connecting" */
	struct ts_question question; /* ASKING */
	const char *
		left_out; /* of the configuration: what is not done, in words ("" = nothing), or NULL */
	struct ts_err err; /* FAILED: TS_E_CONNECT, TS_E_NOMEM, TS_E_SYS */
	bool hopeless; /* FAILED: trying again would end the same (a key that changed, a refused password) */
	bool beyond; /* FAILED: the host wants what this transport cannot do, and another one may */
};

/*
 * Begin to connect. libssh refuses (TS_E_CONNECT) where the configuration names another way than a connection to the host;
 * what else it cannot do of it stands in `left_out`. Errors are those of the first moment (TS_E_NOMEM, TS_E_SYS, TS_E_CONNECT); all others come as FAILED.
 * Free with ts_transport_free().
 */
enum ts_code ts_transport_libssh_new(struct ts_transport **out,
	const struct ts_transport_spec *spec, struct ts_err *err) TS_WARN_UNUSED;
enum ts_code ts_transport_child_new(struct ts_transport **out, const struct ts_transport_spec *spec,
	struct ts_err *err) TS_WARN_UNUSED;

/*
 * Of these two libssh, but ssh where the configuration says of the host what only ssh can do (io/ssh_config.h), or where
 * it is said which program ssh is (`program`, $TS_SSH).
 */
enum ts_code ts_transport_auto_new(struct ts_transport **out, const struct ts_transport_spec *spec,
	struct ts_err *err) TS_WARN_UNUSED;

/* Close everything at once, without a farewell that would have to be waited for. NULL allowed. */
static inline void
ts_transport_free(struct ts_transport *t)
{
	if (t)
		t->ops->free(t);
}

/* Do what can be done now. */
static inline void
ts_transport_step(struct ts_transport *t)
{
	t->ops->step(t);
}

/* What to poll for; returns how many. *timeout_ms: step again after that time (-1: only when one is ready). */
static inline int
ts_transport_fds(struct ts_transport *t, struct pollfd p[TS_TRANSPORT_FDS], int *timeout_ms)
{
	return t->ops->fds(t, p, timeout_ms);
}

/*
 * Answer the question that stands: n (0 .. TS_ANSWER_MAX) bytes; NULL: refused. The text stays the caller's, who wipes it;
 * the transport wipes its copies. Without a question nothing happens.
 */
static inline void
ts_transport_answer(struct ts_transport *t, const char *text, size_t n)
{
	t->ops->answer(t, text, n);
}

/*
 * A channel to an SFTP server. Errors: TS_E_LIMIT (TS_TRANSPORT_CHANNELS are open), TS_E_CONNECT, TS_E_SYS, TS_E_NOMEM. A
 * host that refuses it later makes the channel end: that is no failure of the transport while another one is open.
 */
static inline enum ts_code TS_WARN_UNUSED
ts_transport_open(struct ts_transport *t, int *channel, struct ts_err *err)
{
	return t->ops->open(t, channel, err);
}

/* What has come: *got 0 = nothing now. TS_E_CONNECT: it has ended, here or there; close it. */
static inline enum ts_code TS_WARN_UNUSED
ts_transport_read(struct ts_transport *t, int channel, void *buf, size_t n, size_t *got,
	struct ts_err *err)
{
	return t->ops->read(t, channel, buf, n, got, err);
}

/*
 * Send as much as can be sent now: *put of n bytes; while that is less, fds() also waits for room. The bytes are the
 * caller's again at the return. TS_E_CONNECT: it has ended.
 */
static inline enum ts_code TS_WARN_UNUSED
ts_transport_write(struct ts_transport *t, int channel, const void *buf, size_t n, size_t *put,
	struct ts_err *err)
{
	return t->ops->write(t, channel, buf, n, put, err);
}

static inline void
ts_transport_close(struct ts_transport *t, int channel)
{
	t->ops->close(t, channel);
}

#endif
