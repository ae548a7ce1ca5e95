/* SPDX-License-Identifier: MIT */
/*
 * host_internal - what the parts of a host share (io/host.h).
 *
 * host.c has what other threads call, the thread, and the state that is shown; host_link.c the connection: channels, packets
 * that are out, windows, what is lost; host_work.c the requests: which packets each one needs, and files on channels.
 *
 * All but `shared` and a request's `abandoned` belongs to the host's thread; a request belongs to it from when it was put
 * into the inbox until it has ended.
 */
#ifndef TS_SRC_IO_HOST_INTERNAL_H
#define TS_SRC_IO_HOST_INTERNAL_H

#include <pthread.h>
#include <stdatomic.h>

#include "tilescope/io/host.h"
#include "tilescope/io/sftp_wire.h"

enum {
	HOST_CHANNELS = TS_TRANSPORT_CHANNELS,
	HOST_URGENT = 0, /* the channel of what the screen waits for */
};

enum request_kind { RQ_STAT, RQ_LIST, RQ_REALPATH, RQ_OPEN, RQ_READ, RQ_CLOSE, RQ_KINDS };

/* Of a range of a read: where its bytes go, how many are still to come, where the file turned out to end. */
struct part {
	size_t at, left, end;
};

struct request {
	struct request *next;
	enum request_kind kind;
	bool urgent;
	bool queued; /* it has packets to send */
	bool finished; /* all was answered, or `code` says why not: it ends when nothing of it is out */
	bool lost;     /* something of it was out on a channel that ended: it begins anew */
	int opening; /* READ: round trips of opening the file that it had to wait for */
	bool beside; /* others were sent with it, one of which counts the round trips */
	int out;     /* packets */
	int reached; /* round trips, one behind another */
	enum ts_code code;
	struct ts_err err;

	char *path;
	struct ts_host_file *file;

	/* LIST */
	int step, ahead; /* how many READDIR may be out */
	int channel;
	char handle[TS_SFTP_HANDLE];
	size_t handle_n;
	size_t entry_cap, name_bytes;

	/* READ */
	struct ts_host_read read;
	struct part *part;
	size_t at_range, at_byte; /* what is sent next */

	/* results */
	struct ts_host_attrs attrs;
	struct ts_host_list list;
	char *text;

	/* with waiting */
	bool sync, ended; /* ended: under the lock */
	atomic_bool abandoned;
	void *own; /* bytes of the read */
};

enum on_channel { NOT_OPEN, OPENING, CHECKING, OPEN, REFUSED };

/* A file on a channel. */
struct opened {
	enum on_channel is;
	int left;     /* CHECKING: answers to come */
	bool guessed; /* ... which were asked for before the handle was there */
	size_t handle_n;
	char handle[TS_SFTP_HANDLE];
};

struct ts_host_file {
	struct ts_host *host;
	char *path;
	bool known; /* what follows is: from then on it must be so */
	int64_t size, mtime;
	unsigned char first[TS_HOST_FIRST_PAGE];
	size_t first_n;
	bool regular; /* so it was seen by who opened it */
	unsigned char *
		ahead; /* what was read with the first page, with room for `ahead_room` bytes; or NULL */
	size_t ahead_room, ahead_n;
	atomic_int reads;    /* that have not ended */
	atomic_bool closing; /* ... and are of no use any more */
	bool listed;	     /* among the host's files, by `next` */
	struct ts_host_file *next;
	struct request *closer; /* which closes it */
	int out;		/* packets of opening it */
	atomic_bool failed;	/* for others: `err` was set */
	struct ts_err err;	/* it cannot be opened */
	int64_t connection;	/* ... on this connection; 0 = ever */
	struct opened on[HOST_CHANNELS];
};

struct slot;
typedef void slot_fn(struct ts_host *h, int channel, const struct slot *s,
	const struct ts_sftp_reply *reply);

/* A packet that is out. */
struct slot {
	slot_fn *answered;	   /* NULL reply: it was lost */
	struct request *rq;	   /* or NULL */
	struct ts_host_file *file; /* or NULL */
	size_t range, byte, n;	   /* READ: which part of it */
	bool guessed;		   /* sent with a handle that was not there yet */
	int64_t sent_us;
	bool early; /* before the server has said anything: the connection may have to be made first */
	int depth;
};

enum channel_is { NO_CHANNEL, HELLO, SPEAKS };

struct channel {
	enum channel_is is;
	int number; /* of the transport */
	struct ts_strbuf out;
	size_t out_at;
	struct ts_sftp_reader reader;
	struct ts_sftp_flight flight;
	struct slot slot[TS_SFTP_FLIGHT];
	size_t bulk;  /* bytes that are out and not urgent */
	bool numbers; /* the server is OpenSSH's: it numbers handles from 0 on */
	bool handles; /* one was asked for */
};

struct ts_host {
	struct ts_host_spec spec;
	char *text[5];
	pthread_t thread;
	int wake;  /* eventfd: there is something in `shared` */
	int shown; /* eventfd: the state has changed */

	pthread_mutex_t lock;
	pthread_cond_t ended;
	struct {
		struct request *inbox, **inbox_end;
		bool quit, gone; /* to end; the thread has ended */
		bool stop, retry;
		struct ts_host_state state;
		int64_t silent_since_us;
		struct ts_question question;
		uint64_t answered; /* the question's number; 0 = no answer */
		bool refused;
		size_t answer_n;
		char answer[TS_ANSWER_MAX];
	} shared;

	/* the thread's own */
	struct ts_host_state now;
	struct ts_transport *transport;
	struct channel channel[HOST_CHANNELS];
	bool known; /* it was reached before */
	int tries; /* to reach it that came to nothing, one after another: nothing that was asked for has become whole since */
	bool beyond; /* spec.connect's transport cannot do what the host wants */
	int most;    /* channels that the host gives */
	int out;     /* packets on all */
	uint32_t max_read;
	struct request *queue[2]; /* [urgent] */
	int64_t slept_us;	  /* this machine, since it was started */
	int64_t began_us;	  /* to connect: without questions */
	int64_t asked_us, heard_us;
	struct {
		int64_t from_us;
		size_t bytes, out; /* of this epoch; out now */
		bool limited;
	} bulk;
	struct ts_host_file *files; /* all that may be open */
	struct ts_err
		nonsense; /* what makes no sense of the reply that is looked at; code 0: it does */
};

/* --- host.c */

/* A request has ended: it is no longer the thread's. */
void host_end(struct ts_host *h, struct request *rq);
void host_fail_all(struct ts_host *h, const struct ts_err *why);

/* --- host_link.c */

/* Begin to connect; what goes wrong at once is lost, too. */
void host_connect(struct ts_host *h);

/* Leave the connection: what was out begins anew on the next one. */
void host_leave(struct ts_host *h);

/* The connection is of no use: try again, or fail. */
void host_lose(struct ts_host *h, const struct ts_err *why, bool hopeless);

/* All that can be done without waiting. */
void host_turn(struct ts_host *h);

/* Time is up for something? */
void host_watch(struct ts_host *h);

/* Milliseconds until then, at most; -1: nothing is waited for. */
int host_patience(struct ts_host *h);

/*
 * Is there room for another packet on the channel? On the urgent one from its beginning on: a server takes one packet after
 * the other, so what is asked first need not wait for its version.
 */
bool host_room(const struct ts_host *h, int channel);

/* Can so many more be out on the channel at once, however much waits to be sent? */
bool host_room_for(const struct ts_host *h, int channel, int packets);

/* Is the handle of what is opened next on the channel known (0), and room for `packets`? */
bool host_knows_handle(const struct ts_host *h, int channel, int packets);

/* Send a packet. Without room it counts as lost. */
void host_send(struct ts_host *h, int channel, const struct slot *s,
	struct ts_sftp_request *packet);

/* For an answer that nobody needs. */
slot_fn host_ignored;

/* Where a request goes that is not urgent and reads nothing. */
int host_quiet_channel(const struct ts_host *h);

/* Where a packet of n bytes of answer may go that is not urgent and reads of the file; -1: nowhere now. */
int host_bulk_channel(struct ts_host *h, struct ts_host_file *f, size_t n);

/* --- host_work.c */

/* Send what can be sent of all requests; those that have ended are let go. */
void host_pump(struct ts_host *h);
void host_queue(struct ts_host *h, struct request *rq);
void host_request_free(struct request *rq);

/* Is the file open there? It begins to be when it is not. */
bool host_file_ready(struct ts_host *h, struct ts_host_file *f, int channel);
void host_file_free(struct ts_host_file *f);

/* A channel is no more: no file is open there. */
void host_files_lost(struct ts_host *h, int channel);

/* A request asks for nothing more; it ends when nothing of it is out. */
void host_finish(struct ts_host *h, struct request *rq);
void host_fail(struct ts_host *h, struct request *rq, const struct ts_err *why);

#endif
