/* SPDX-License-Identifier: MIT */
/*
 * hosts - the other machines of the running program: which there are, how they are, and what they ask.
 *
 * A host is begun when a word names it first, and stays until the end of the program: another report there is opened at once.
 * Everything here is the UI thread's and never waits; whoever reads of a host does so in a worker.
 *
 * What a host asks (a password, a passphrase, an unknown key) stands in a box over the view that has the keys until the
 * question is settled (app/host_questions.c). Answers are wiped here as soon as the host has them, and once a secret was asked
 * no core of the process is written.
 */
#ifndef TS_APP_HOSTS_H
#define TS_APP_HOSTS_H

#include <poll.h>

#include "tilescope/io/files.h"
#include "tilescope/io/host.h"
#include "tilescope/io/uri.h"
#include "tilescope/ui/canvas.h"
#include "tilescope/ui/prompt.h"
#include "tilescope/view/host_status.h"

struct ts_app;

enum { TS_HOSTS_TEXT = 400 };

struct ts_app_host {
	struct ts_uri at; /* without its path */
	enum ts_way way;
	struct ts_files *files;
	struct ts_host_state state; /* as of the last turn */
	int64_t used;		    /* when it was asked for last: larger is later */
	uint64_t answered; /* the question that was answered last, and of which connection it was */
	int64_t connection;
};

/* What the box of a host is about. */
enum ts_host_box {
	TS_HOST_BOX_ASKS,  /* its question */
	TS_HOST_BOX_WAITS, /* that was answered, or has gone by itself: what becomes of it? */
	TS_HOST_BOX_VAIN,  /* the host is not reached */
};

struct ts_app_hosts {
	struct ts_app_host host[TS_HOSTS];
	struct ts_host_status status[TS_HOSTS]; /* of the same; lent to the views */
	int count;
	int64_t uses;
	int asks; /* the host whose box is shown; -1: none */
	enum ts_host_box box;
	bool seen; /* it was drawn as it is now: keys are for it */
	int wanted; /* the host that the user's last key has asked for and that is not reached yet; -1: none */
	struct ts_question question;
	int64_t connection; /* which it is of */
	struct ts_prompt answer;
	bool aside; /* one that hung was let go of: its thread may still be there */
	char trouble
		[TS_HOSTS_TEXT]; /* a file of the report there cannot be read any more; "" = it can */
	char text[TS_HOSTS_TEXT]; /* what the user should know as long as it is so; "" = nothing */
};

void ts_hosts_begin(struct ts_app *app);

/*
 * Which file system a word means (NULL: this machine's), held for the caller, and the path in it, the caller's. A host that
 * is not known yet is begun; one that was stopped or has failed is tried again. Errors: TS_E_USAGE (the word), TS_E_LIMIT
 * (TS_HOSTS are in use), TS_E_NOMEM, TS_E_SYS.
 */
enum ts_code ts_hosts_place(struct ts_app *app, struct ts_files **files, char **path,
	const char *word, struct ts_err *err) TS_WARN_UNUSED;

/* What the loop waits for; returns how many (at most TS_HOSTS). One of them is readable. */
int ts_hosts_fds(const struct ts_app *app, struct pollfd p[TS_HOSTS]);
void ts_hosts_event(struct ts_app *app);

/* The same at each tick; and does anything change with the time? */
void ts_hosts_tick(struct ts_app *app);
bool ts_hosts_ticks(const struct ts_app *app);

/* Something of a report there could not be read although its host is reached; the report was read anew. */
void ts_hosts_trouble(struct ts_app *app, const struct ts_err *err);
void ts_hosts_well(struct ts_app *app);

/* C-c: no more attempts of those that are not reached. False: there are none. */
bool ts_hosts_stop(struct ts_app *app);

/* Show the question that a host waits with. False: there is none. */
bool ts_hosts_answer(struct ts_app *app);

/* A key has come. False: it is dropped, for it was typed before the box that has the keys now was drawn. */
bool ts_hosts_take_key(struct ts_app *app);

/* The screen is drawn. */
void ts_hosts_drawn(struct ts_app *app);

/* Does a box have the keys? A command of the prompt, a character. */
bool ts_hosts_ask(const struct ts_app *app);
void ts_hosts_command(struct ts_app *app, enum ts_cmd cmd);
void ts_hosts_type(struct ts_app *app, ts_key key);
void ts_hosts_draw(struct ts_app *app, struct ts_canvas *c, struct ts_rect r);

/* For the title, in so many columns: how the report's host is reached; "" = no room, or it is here. */
void ts_hosts_title(const struct ts_app *app, int columns, char *out, size_t size);

/* The program ends: leave all at once (1), and free them when all workers have ended (2). False: one may still hang. */
void ts_hosts_leave(struct ts_app *app);
bool ts_hosts_end(struct ts_app *app);

#endif
