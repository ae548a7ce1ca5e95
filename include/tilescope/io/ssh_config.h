/* SPDX-License-Identifier: MIT */
/*
 * ssh_config - what OpenSSH's configuration says of a host (ssh_config(5)), as far as we follow it, and whether it says
 * more than that.
 *
 * Read are Host, Match (all, host, originalhost, user, localuser) and Include; the first value of a keyword counts.
 * Keywords are of three kinds: those below; those that change nothing for us (forwarding, logging, ...); and all others,
 * known or not, which only ssh itself can do (ProxyJump, ControlPath, IdentitiesOnly, Match exec, ...). The first of
 * these that is in force is named in `needs_ssh`, and so is a line that is not understood: then a host is better reached
 * through ssh. Without it they are left out; ProxyJump and ProxyCommand cannot be, for they are the way to the host. No
 * command is run.
 */
#ifndef TS_IO_SSH_CONFIG_H
#define TS_IO_SSH_CONFIG_H

#include <stdbool.h>

#include "tilescope/base/err.h"

enum {
	TS_SSH_FILES = 16, /* of one kind: identities, known hosts */
	TS_SSH_REASON = 256,
};

/* StrictHostKeyChecking: may the key of an unknown host be taken? */
enum ts_ssh_strict {
	TS_SSH_STRICT_ASK,
	TS_SSH_STRICT_YES, /* no */
	TS_SSH_STRICT_NEW, /* yes, without a question (accept-new, no) */
};

struct ts_ssh_files {
	char *path[TS_SSH_FILES]; /* with ~ and % replaced */
	int count;
	bool set; /* by the configuration; else they are the usual ones */
};

struct ts_ssh_config {
	char *host; /* HostName, else as it was given; in small letters */
	char *user;
	int port;
	struct ts_ssh_files
		identities; /* IdentityFile; the usual ones are named whether they are there or not */
	struct ts_ssh_files known_hosts;  /* UserKnownHostsFile; new keys go to the first */
	struct ts_ssh_files global_hosts; /* GlobalKnownHostsFile */
	char *agent; /* IdentityAgent, a socket; NULL: $SSH_AUTH_SOCK; "none": none */
	enum ts_ssh_strict strict;
	bool hash_names;	       /* HashKnownHosts */
	bool batch;		       /* BatchMode */
	bool public_keys;	       /* PubkeyAuthentication */
	bool interactive;	       /* KbdInteractiveAuthentication */
	bool passwords;		       /* PasswordAuthentication */
	int prompts;		       /* NumberOfPasswordPrompts */
	int connect_s;		       /* ConnectTimeout in seconds; 0: the system's */
	char needs_ssh[TS_SSH_REASON]; /* "ProxyJump (/home/user/.ssh/config:3)"; "" = nothing */
	char left_out[TS_SSH_REASON];  /* all of it, each once: "ProxyJump, IdentitiesOnly" */
	char way[TS_SSH_REASON]; /* as needs_ssh: what leads to the host; "" = a connection to it */
};

/*
 * What is said of `host`, with a user and a port that were given beside it (NULL, 0: not). `file`: read that alone; NULL:
 * the user's file and the system's. A file that is not there is empty, one that cannot be read is a reason for ssh.
 * Errors: TS_E_NOMEM. Free with ts_ssh_config_fini(), also after an error.
 */
enum ts_code ts_ssh_config_read(struct ts_ssh_config *c, const char *host, const char *user,
	int port, const char *file, struct ts_err *err) TS_WARN_UNUSED;
void ts_ssh_config_fini(struct ts_ssh_config *c);

#endif
