/* SPDX-License-Identifier: MIT */
/*
 * host_work - the requests of a host: which packets each one needs, and what is made of the answers.
 *
 * A request stands in its queue while it has packets to send, and ends when it asks for nothing more and nothing of it is
 * out. What was lost with a channel begins anew: a listing from its start, a read with the ranges that are not whole.
 * Answers never send anything by themselves but for a file that is being opened: they put the request into the queue.
 *
 * A file is opened on a channel in two steps: OPEN, then in one burst its attributes and its first page, the first time with
 * some of what is behind it. The first time they say what the file is, afterwards they have to be the same. Where the handle
 * is known beforehand, as that of the first file of a channel is with OpenSSH's server, both are one burst: what is answered
 * to a guess counts if the handle turns out to be that one, else it is asked again.
 */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "host_internal.h"
#include "tilescope/base/mem.h"

enum {
	AHEAD_FIRST = 2, /* READDIR that are out at once; twice as many after each answer */
	AHEAD_MOST = 32,
	OPEN_PACKETS = 4,  /* of opening a file: OPEN, FSTAT, its first page, what is behind it */
	CHECK_PACKETS = 2, /* that a file is not open without: FSTAT, its first page */
	NUMBER = 4,	   /* bytes of a handle that is a number */
	BULK_PIECE = 64 << 10, /* bytes of a READ that is not urgent */
};

/* --- how requests go on ----------------------------------------------------------------------- */

void
host_queue(struct ts_host *h, struct request *rq)
{
	struct request **at = &h->queue[rq->urgent];

	if (rq->queued)
		return;
	while (*at)
		at = &(*at)->next;
	*at = rq;
	rq->next = NULL;
	rq->queued = true;
}

/* Parts that are whole stay so. */
static void
begin_anew(struct request *rq)
{
	rq->lost = false;
	rq->step = 0;
	rq->at_range = rq->at_byte = 0;
	if (rq->kind == RQ_LIST)
		ts_host_list_fini(&rq->list);
	rq->entry_cap = rq->name_bytes = 0;
	for (size_t i = 0; i < rq->read.count && rq->part; i++)
		if (rq->part[i].left > 0)
			rq->part[i].left = rq->read.range[i].got;
}

/* A file that was opened for nobody. */
static void
give_up_file(struct ts_host *h, struct request *rq)
{
	if (rq->kind == RQ_OPEN && rq->file && (rq->code || atomic_load(&rq->abandoned))) {
		host_queue(h, rq->file->closer);
		rq->file = NULL;
	}
}

static void
end(struct ts_host *h, struct request *rq)
{
	if (!rq->beside)
		h->now.round_trips += rq->reached + rq->opening;
	for (size_t i = 0; i < rq->read.count && rq->part; i++)
		if (rq->part[i].end < rq->read.range[i].got)
			rq->read.range[i].got = rq->part[i].end;
	give_up_file(h, rq);
	if (rq->kind == RQ_READ)
		atomic_fetch_sub(&rq->read.file->reads, 1);
	else if (!rq->code)
		h->tries = 0;
	host_end(h, rq);
}

/* After each answer: what now? One that stands in the queue is let go there. */
static void
settle(struct ts_host *h, struct request *rq)
{
	if (rq->out > 0 || rq->queued)
		return;
	if (rq->finished) {
		end(h, rq);
	} else if (rq->lost) {
		begin_anew(rq);
		host_queue(h, rq);
	}
}

void
host_finish(struct ts_host *h, struct request *rq)
{
	rq->finished = true;
	settle(h, rq);
}

void
host_fail(struct ts_host *h, struct request *rq, const struct ts_err *why)
{
	if (!rq->finished) {
		rq->code = why->code;
		rq->err = *why;
	}
	host_finish(h, rq);
}

static void
lose(struct ts_host *h, struct request *rq)
{
	rq->lost = true;
	settle(h, rq);
}

/* The reply is none that can be: the request is asked again, or fails with all others. */
static void
nonsense(struct ts_host *h, struct request *rq, const char *what)
{
	ts_err_set(&h->nonsense, TS_E_CONNECT, "the server %s", what);
	if (rq)
		lose(h, rq);
}

/* A status that says no. */
static void
fail_by(struct ts_host *h, struct request *rq, const struct ts_sftp_reply *reply)
{
	struct ts_err err = {0};

	ts_sftp_status_err(reply, &err);
	host_fail(h, rq, &err);
}

/* Where a request that needs no file goes; -1: nowhere now. */
static int
channel_for(struct ts_host *h, const struct request *rq)
{
	int channel = rq->urgent ? HOST_URGENT : host_quiet_channel(h);

	return channel >= 0 && host_room(h, channel) ? channel : -1;
}

/* --- attributes and paths --------------------------------------------------------------------- */

static void
take_attrs(struct ts_host_attrs *to, const struct ts_sftp_attrs *a)
{
	static const struct {
		mode_t type;
		enum ts_host_kind kind;
	} kinds[] = {{S_IFREG, TS_HOST_FILE}, {S_IFDIR, TS_HOST_DIRECTORY},
		{S_IFLNK, TS_HOST_LINK}};

	*to = (struct ts_host_attrs){a->has_mode ? TS_HOST_OTHER : TS_HOST_UNKNOWN, -1,
		a->has_times ? (int64_t)a->mtime : 0};
	for (size_t i = 0; i < TS_COUNT(kinds); i++)
		if (a->has_mode && (a->mode & S_IFMT) == kinds[i].type)
			to->kind = kinds[i].kind;
	if (a->has_size && a->size <= INT64_MAX)
		to->size = (int64_t)a->size;
}

static void
path_is(struct ts_host *h, int channel, const struct slot *s, const struct ts_sftp_reply *reply)
{
	struct request *rq = s->rq;
	struct ts_sftp_name name;
	struct ts_err err;
	size_t at = 0;

	(void)channel;
	if (!reply) {
		lose(h, rq);
	} else if (reply->type == TS_SFTP_STATUS) {
		fail_by(h, rq, reply);
	} else if (reply->names != 1 || !ts_sftp_name_next(&name, &at, reply) || name.n == 0 ||
		memchr(name.name, '\0', name.n)) {
		nonsense(h, rq, "gives no path where one was asked for");
	} else {
		rq->text = ts_strndup(name.name, name.n);
		if (rq->text) {
			host_finish(h, rq);
		} else {
			ts_err_nomem(&err);
			host_fail(h, rq, &err);
		}
	}
}

static void
attrs_are(struct ts_host *h, int channel, const struct slot *s, const struct ts_sftp_reply *reply)
{
	static const char *const names[] = {[TS_HOST_DIRECTORY] = "is a directory",
		[TS_HOST_LINK] = "is a link that leads nowhere",
		[TS_HOST_OTHER] = "not a regular file"};
	struct request *rq = s->rq;
	struct ts_err err;

	(void)channel;
	if (!reply) {
		lose(h, rq);
		return;
	}
	if (reply->type == TS_SFTP_STATUS) {
		fail_by(h, rq, reply);
		return;
	}
	take_attrs(&rq->attrs, &reply->attrs);
	if (rq->kind == RQ_STAT) {
		host_finish(h, rq);
	} else if (rq->attrs.kind == TS_HOST_FILE || rq->attrs.kind == TS_HOST_UNKNOWN) {
		rq->step = 1;
		host_queue(h, rq);
	} else {
		ts_err_set(&err, TS_E_FORMAT, "%s", names[rq->attrs.kind]);
		host_fail(h, rq, &err);
	}
}

/* One packet with a path, and its answer. */
static bool
ask_path(struct ts_host *h, struct request *rq, enum ts_sftp_type type, slot_fn *answered)
{
	const struct slot s = {.answered = answered, .rq = rq};
	struct ts_sftp_request packet = {.type = type, .text = rq->path, .n = strlen(rq->path)};
	int channel = channel_for(h, rq);

	if (channel < 0)
		return false;
	rq->channel = channel;
	host_send(h, channel, &s, &packet);
	return true;
}

static bool
send_stat(struct ts_host *h, struct request *rq)
{
	return ask_path(h, rq, TS_SFTP_STAT, attrs_are);
}

static bool
send_realpath(struct ts_host *h, struct request *rq)
{
	return ask_path(h, rq, TS_SFTP_REALPATH, path_is);
}

/* --- listings --------------------------------------------------------------------------------- */

enum { LIST_OPEN, LIST_READ, LIST_ALL };

static void
close_handle(struct ts_host *h, int channel, const char *handle, size_t n)
{
	static const struct slot s = {.answered = host_ignored};
	struct ts_sftp_request packet = {.type = TS_SFTP_CLOSE, .text = handle, .n = n};

	if (host_room(h, channel)) /* a server that has no room for this has not much to lose */
		host_send(h, channel, &s, &packet);
}

static void
directory_is(struct ts_host *h, int channel, const struct slot *s,
	const struct ts_sftp_reply *reply)
{
	struct request *rq = s->rq;

	if (!reply) {
		lose(h, rq);
	} else if (reply->type == TS_SFTP_STATUS) {
		fail_by(h, rq, reply);
	} else if (rq->finished) {
		close_handle(h, channel, reply->text, reply->n);
		settle(h, rq);
	} else {
		memcpy(rq->handle, reply->text, reply->n);
		rq->handle_n = reply->n;
		rq->step = LIST_READ;
		rq->ahead = AHEAD_FIRST;
		host_queue(h, rq);
	}
}

/* False: no memory. What is too much is counted only. */
static bool
add_entry(struct request *rq, const struct ts_sftp_name *name)
{
	struct ts_host_list *l = &rq->list;
	void *all = l->entry;
	char *copy;

	if (name->n <= 2 && memcmp(name->name, "..", name->n) == 0 && name->n > 0)
		return true;
	if (!ts_sftp_name_usable(name->name, name->n) || l->count >= TS_HOST_ENTRIES ||
		rq->name_bytes + name->n > TS_HOST_NAMES) {
		l->left_out++;
		return true;
	}
	copy = ts_strndup(name->name, name->n);
	if (!copy || !ts_room(&all, &rq->entry_cap, l->count, sizeof(*l->entry))) {
		free(copy);
		return false;
	}
	l->entry = all;
	l->entry[l->count].name = copy;
	take_attrs(&l->entry[l->count++].attrs, &name->attrs);
	rq->name_bytes += name->n;
	return true;
}

static void
all_entries(struct ts_host *h, struct request *rq)
{
	if (rq->step == LIST_ALL)
		return;
	rq->step = LIST_ALL;
	close_handle(h, rq->channel, rq->handle, rq->handle_n);
	rq->finished = true;
}

static void
entries_are(struct ts_host *h, int channel, const struct slot *s, const struct ts_sftp_reply *reply)
{
	struct request *rq = s->rq;
	struct ts_sftp_name name;
	struct ts_err err;
	size_t at = 0;
	bool room = true;

	(void)channel;
	if (!reply) {
		lose(h, rq);
		return;
	}
	if (reply->type == TS_SFTP_STATUS) {
		if (reply->status != TS_SFTP_EOF && rq->step != LIST_ALL) {
			close_handle(h, rq->channel, rq->handle, rq->handle_n);
			rq->step = LIST_ALL;
			fail_by(h, rq, reply);
			return;
		}
		all_entries(h, rq);
		settle(h, rq);
		return;
	}
	while (room && ts_sftp_name_next(&name, &at, reply))
		room = add_entry(rq, &name);
	if (!room) {
		ts_err_nomem(&err);
		all_entries(h, rq);
		rq->finished = false;
		host_fail(h, rq, &err);
		return;
	}
	if (rq->list.left_out > TS_HOST_ENTRIES || (reply->names == 0 && rq->step != LIST_ALL))
		all_entries(h, rq); /* endless, or made of nothing */
	rq->ahead = (int)ts_min_i64(2 * rq->ahead, AHEAD_MOST);
	if (rq->step == LIST_READ)
		host_queue(h, rq);
	settle(h, rq);
}

static bool
send_list(struct ts_host *h, struct request *rq)
{
	const struct slot s = {.answered = entries_are, .rq = rq};

	if (rq->step == LIST_OPEN)
		return ask_path(h, rq, TS_SFTP_OPENDIR, directory_is);
	while (rq->step == LIST_READ && rq->out < rq->ahead) {
		struct ts_sftp_request packet = {.type = TS_SFTP_READDIR,
			.text = rq->handle,
			.n = rq->handle_n};

		if (!host_room(h, rq->channel))
			return false;
		host_send(h, rq->channel, &s, &packet);
	}
	return true;
}

/* --- files ------------------------------------------------------------------------------------ */

void
host_file_free(struct ts_host_file *f)
{
	if (!f)
		return;
	host_request_free(f->closer);
	free(f->ahead);
	free(f->path);
	free(f);
}

void
host_files_lost(struct ts_host *h, int channel)
{
	for (struct ts_host_file *f = h->files; f; f = f->next)
		f->on[channel].is = NOT_OPEN;
}

static void
forget_file(struct ts_host *h, struct ts_host_file *f)
{
	struct ts_host_file **at = &h->files;

	while (*at && *at != f)
		at = &(*at)->next;
	if (*at)
		*at = f->next;
	f->closer = NULL; /* which is what is done with it */
	host_file_free(f);
}

/*
 * It cannot be opened there: one that is another file by now for ever, others as long as this connection lasts. On a channel
 * beside the first one that may be a matter of how many handles a server gives.
 */
static void
file_fails(struct ts_host *h, struct ts_host_file *f, int channel, const struct ts_err *why)
{
	struct opened *o = &f->on[channel];

	if (o->is == CHECKING)
		close_handle(h, channel, o->handle, o->handle_n);
	o->is = REFUSED;
	if (channel != HOST_URGENT && why->code != TS_E_STALE && f->known)
		return;
	f->err = *why;
	atomic_store(&f->failed, true);
	f->connection = why->code == TS_E_STALE ? 0 : h->now.connections;
}

static void
file_changed(struct ts_host *h, struct ts_host_file *f, int channel)
{
	struct ts_err err;

	ts_err_set(&err, TS_E_STALE, "the file was changed or replaced meanwhile");
	file_fails(h, f, channel, &err);
}

/* One of the answers is there, and all right. */
static void
checked(struct ts_host_file *f, int channel)
{
	struct opened *o = &f->on[channel];

	if (o->is == CHECKING && --o->left == 0) {
		o->is = OPEN;
		f->known = true;
		if (channel == HOST_URGENT) /* what was refused on another connection */
			atomic_store(&f->failed, false);
	}
}

static bool
file_lost(struct ts_host_file *f, int channel, const struct ts_sftp_reply *reply)
{
	if (!reply)
		f->on[channel].is = NOT_OPEN;
	return !reply || f->on[channel].is == NOT_OPEN || f->on[channel].is == REFUSED;
}

static void check_file(struct ts_host *h, struct ts_host_file *f, int channel);

/* An answer about which nothing is to be done: nobody wants the file there any more, or its handle was guessed wrongly. */
static bool
says_nothing(struct ts_host *h, int channel, const struct slot *s,
	const struct ts_sftp_reply *reply)
{
	struct opened *o = &s->file->on[channel];
	bool no;

	if (file_lost(s->file, channel, reply) || (s->guessed && !o->guessed))
		return true;
	no = reply->type == TS_SFTP_STATUS && reply->status != TS_SFTP_EOF;
	if (!s->guessed || (o->is == CHECKING && !no))
		return false;
	o->guessed = false;
	if (o->is == CHECKING)
		check_file(h, s->file, channel);
	return true;
}

static void
file_attrs_are(struct ts_host *h, int channel, const struct slot *s,
	const struct ts_sftp_reply *reply)
{
	struct ts_host_file *f = s->file;
	struct ts_host_attrs a;
	struct ts_err err = {0};

	if (says_nothing(h, channel, s, reply))
		return;
	if (reply->type == TS_SFTP_STATUS) {
		ts_sftp_status_err(reply, &err);
		file_fails(h, f, channel, &err);
		return;
	}
	take_attrs(&a, &reply->attrs);
	if (a.kind != TS_HOST_FILE && a.kind != TS_HOST_UNKNOWN) {
		ts_err_set(&err, TS_E_FORMAT, "not a regular file");
		file_fails(h, f, channel, &err);
	} else if (a.size < 0) {
		ts_err_set(&err, TS_E_FORMAT, "the host does not say how large it is");
		file_fails(h, f, channel, &err);
	} else if (f->known && (a.size != f->size || a.mtime != f->mtime)) {
		file_changed(h, f, channel);
	} else {
		if (!f->known) {
			f->size = a.size;
			f->mtime = a.mtime;
		}
		checked(f, channel);
	}
}

/* It may come short: what both times were there is compared. */
static void
first_page_is(struct ts_host *h, int channel, const struct slot *s,
	const struct ts_sftp_reply *reply)
{
	struct ts_host_file *f = s->file;
	bool end = reply && reply->type == TS_SFTP_STATUS && reply->status == TS_SFTP_EOF;
	size_t n = reply && !end ? reply->n : 0, both = n < f->first_n ? n : f->first_n;
	struct ts_err err = {0};

	if (says_nothing(h, channel, s, reply))
		return;
	if (reply->type == TS_SFTP_STATUS && !end) {
		ts_sftp_status_err(reply, &err);
		file_fails(h, f, channel, &err);
	} else if (n > sizeof(f->first)) {
		nonsense(h, NULL, "gives more than was asked for");
	} else if (f->known &&
		(both > 0 ? memcmp(f->first, reply->text, both) != 0 : n != f->first_n)) {
		file_changed(h, f, channel);
	} else {
		if (!f->known && n > 0)
			memcpy(f->first, reply->text, n);
		if (!f->known)
			f->first_n = n;
		checked(f, channel);
	}
}

/* What comes behind the first page is wanted, not needed. */
static void
ahead_is(struct ts_host *h, int channel, const struct slot *s, const struct ts_sftp_reply *reply)
{
	struct ts_host_file *f = s->file;

	if (says_nothing(h, channel, s, reply))
		return;
	if (reply->type != TS_SFTP_STATUS && reply->n > f->ahead_room) {
		nonsense(h, NULL, "gives more than was asked for");
		return;
	}
	f->ahead_n = reply->type == TS_SFTP_STATUS ? 0 : reply->n;
	if (f->ahead_n > 0)
		memcpy(f->ahead, reply->text, f->ahead_n);
	checked(f, channel);
}

/* Is it the regular file that it should be? */
static void
check_file(struct ts_host *h, struct ts_host_file *f, int channel)
{
	struct opened *o = &f->on[channel];
	struct slot s = {.answered = file_attrs_are, .file = f, .guessed = o->guessed};
	struct ts_sftp_request fstat = {.type = TS_SFTP_FSTAT}, read = {.type = TS_SFTP_READ};

	if (!host_room_for(h, channel, CHECK_PACKETS)) { /* it is opened again when there is */
		close_handle(h, channel, o->handle, o->handle_n);
		o->is = NOT_OPEN;
		return;
	}
	o->left = CHECK_PACKETS;
	fstat.text = read.text = o->handle;
	fstat.n = read.n = o->handle_n;
	host_send(h, channel, &s, &fstat);
	s.answered = first_page_is;
	read.length = sizeof(f->first);
	host_send(h, channel, &s, &read);
	if (f->known || !f->ahead || !host_room(h, channel))
		return;
	o->left++;
	s.answered = ahead_is;
	read.offset = sizeof(f->first);
	/* a guess is made of a server that gives that much, before it has said so */
	read.length = o->guessed || f->ahead_room < h->max_read ? (uint32_t)f->ahead_room
								: h->max_read;
	host_send(h, channel, &s, &read);
}

static void
handle_is(struct ts_host *h, int channel, const struct slot *s, const struct ts_sftp_reply *reply)
{
	struct ts_host_file *f = s->file;
	struct opened *o = &f->on[channel];
	struct ts_err err = {0};

	if (file_lost(f, channel, reply)) {
		if (reply && reply->type == TS_SFTP_HANDLE_IS)
			close_handle(h, channel, reply->text, reply->n);
		return;
	}
	if (reply->type == TS_SFTP_STATUS) {
		ts_sftp_status_err(reply, &err);
		if (f->known && err.code == TS_E_NOT_FOUND)
			ts_err_set(&err, TS_E_NOT_FOUND, "the file was deleted meanwhile");
		file_fails(h, f, channel, &err);
		return;
	}
	o->is = CHECKING;
	o->guessed &= reply->n == o->handle_n && memcmp(o->handle, reply->text, reply->n) == 0;
	memcpy(o->handle, reply->text, reply->n);
	o->handle_n = reply->n;
	if (!o->guessed)
		check_file(h, f, channel);
}

bool
host_file_ready(struct ts_host *h, struct ts_host_file *f, int channel)
{
	const struct slot s = {.answered = handle_is, .file = f};
	struct ts_sftp_request packet = {.type = TS_SFTP_OPEN,
		.text = f->path,
		.n = strlen(f->path)};
	struct opened *o = &f->on[channel];

	if (o->is == NOT_OPEN && host_room(h, channel)) {
		o->is = OPENING;
		o->guessed = host_knows_handle(h, channel, OPEN_PACKETS);
		host_send(h, channel, &s, &packet);
		if (o->guessed) {
			memset(o->handle, 0, NUMBER);
			o->handle_n = NUMBER;
			check_file(h, f, channel);
		}
	}
	return o->is == OPEN;
}

/* Round trips of opening it there. */
static int
open_trips(const struct ts_host_file *f, int channel)
{
	return f->on[channel].guessed ? 1 : 2;
}

/* Why nothing can be read of it now; NULL: it can. */
static const struct ts_err *
file_error(const struct ts_host *h, const struct ts_host_file *f)
{
	return f->err.code && (!f->connection || f->connection == h->now.connections) ? &f->err
										      : NULL;
}

/* The second step of opening: wait until it is open where the first one was. */
static bool
send_open(struct ts_host *h, struct request *rq)
{
	const struct ts_err *why = file_error(h, rq->file);

	if (rq->step == 0 && !rq->file->regular)
		return send_stat(h, rq);
	if (rq->step == 0) {
		rq->channel = channel_for(h, rq);
		if (rq->channel < 0)
			return false;
		rq->step = 1;
	}
	if (!rq->file->listed) {
		rq->file->listed = true;
		rq->file->next = h->files;
		h->files = rq->file;
	}
	if (why) {
		host_fail(h, rq, why);
		return true;
	}
	if (h->channel[rq->channel].is == NO_CHANNEL) {
		rq->step = 0;
		return false;
	}
	if (!host_file_ready(h, rq->file, rq->channel))
		return false;
	rq->reached += open_trips(rq->file, rq->channel);
	host_finish(h, rq);
	return true;
}

/* The handles of a file that nothing reads of any more. */
static bool
send_close(struct ts_host *h, struct request *rq)
{
	struct ts_host_file *f = rq->file;

	if (f->out > 0 || atomic_load(&f->reads) > 0)
		return false;
	for (int i = 0; i < HOST_CHANNELS; i++)
		if (f->on[i].is == OPEN)
			close_handle(h, i, f->on[i].handle, f->on[i].handle_n);
	forget_file(h, f);
	rq->file = NULL;
	host_finish(h, rq);
	return true;
}

/* --- reads ------------------------------------------------------------------------------------ */

static void bytes_are(struct ts_host *h, int channel, const struct slot *s,
	const struct ts_sftp_reply *reply);

static void
send_part(struct ts_host *h, int channel, struct request *rq, size_t range, size_t byte, size_t n)
{
	const struct slot s = {.answered = bytes_are,
		.rq = rq,
		.range = range,
		.byte = byte,
		.n = n};
	const struct opened *o = &rq->read.file->on[channel];
	struct ts_sftp_request packet = {.type = TS_SFTP_READ,
		.text = o->handle,
		.n = o->handle_n,
		.offset = (uint64_t)rq->read.range[range].offset + byte,
		.length = (uint32_t)n};

	host_send(h, channel, &s, &packet);
}

static void
bytes_are(struct ts_host *h, int channel, const struct slot *s, const struct ts_sftp_reply *reply)
{
	struct request *rq = s->rq;
	struct part *p = &rq->part[s->range];

	if (!reply) {
		lose(h, rq);
		return;
	}
	if (reply->type == TS_SFTP_DATA_IS && reply->n > s->n) {
		nonsense(h, rq, "gives more than was asked for");
		return;
	}
	if (reply->type == TS_SFTP_STATUS && reply->status != TS_SFTP_EOF) {
		fail_by(h, rq, reply);
		return;
	}
	if (reply->type == TS_SFTP_STATUS || reply->n == 0) { /* it has become shorter */
		p->end = s->byte < p->end ? s->byte : p->end;
		p->left -= s->n;
	} else {
		memcpy((char *)rq->read.bytes + p->at + s->byte, reply->text, reply->n);
		p->left -= reply->n;
		if (reply->n < s->n && !rq->finished && !rq->lost) {
			send_part(h, channel, rq, s->range, s->byte + reply->n, s->n - reply->n);
			return;
		}
	}
	if (p->left == 0)
		h->tries = 0; /* less than a whole range is asked for again */
	if (!rq->queued && rq->out == 0 && !rq->lost)
		rq->finished = true;
	settle(h, rq);
}

static bool
send_read(struct ts_host *h, struct request *rq)
{
	static const struct ts_err closed = {TS_E_CANCELLED, 0, "the file was closed"};
	const size_t most = rq->urgent || h->max_read < BULK_PIECE ? h->max_read : BULK_PIECE;
	struct ts_host_file *f = rq->read.file;
	const struct ts_err *why = file_error(h, f);

	if (why || atomic_load(&f->closing)) {
		host_fail(h, rq, why ? why : &closed);
		return true;
	}
	for (; rq->at_range < rq->read.count; rq->at_range++, rq->at_byte = 0) {
		const struct part *p = &rq->part[rq->at_range];
		size_t all = p->left > 0 ? rq->read.range[rq->at_range].got : 0;

		if (p->left == 0 && rq->at_byte == 0)
			continue;
		while (rq->at_byte < all) {
			size_t n = all - rq->at_byte < most ? all - rq->at_byte : most;
			int channel = rq->urgent ? HOST_URGENT : host_bulk_channel(h, f, n);

			if (channel < 0 || !host_room(h, channel))
				return false;
			if (!host_file_ready(h, f, channel)) {
				rq->opening = open_trips(f, channel);
				return false;
			}
			send_part(h, channel, rq, rq->at_range, rq->at_byte, n);
			rq->at_byte += n;
		}
	}
	if (rq->out == 0)
		rq->finished = true; /* nothing lies within the file */
	return true;
}

/* --- all of them ------------------------------------------------------------------------------ */

/* True: it has nothing to send now; answers put it into the queue again. */
typedef bool send_fn(struct ts_host *h, struct request *rq);

static send_fn *const senders[RQ_KINDS] = {send_stat, send_list, send_realpath, send_open,
	send_read, send_close};

static void
pump_queue(struct ts_host *h, struct request **at)
{
	while (*at) {
		struct request *rq = *at;

		if (atomic_load(&rq->abandoned)) {
			if (rq->kind == RQ_LIST && rq->step == LIST_READ)
				all_entries(h, rq);
			rq->finished = true;
		}
		if (!rq->finished && rq->lost && rq->out == 0)
			begin_anew(rq);
		if (!rq->finished && (rq->lost || !senders[rq->kind](h, rq)) && !rq->finished) {
			at = &rq->next;
			continue;
		}
		*at = rq->next;
		rq->queued = false;
		settle(h, rq);
	}
}

void
host_pump(struct ts_host *h)
{
	pump_queue(h, &h->queue[true]);
	pump_queue(h, &h->queue[false]);
}
