/* SPDX-License-Identifier: MIT */
/*
 * sftp_fake - a transport with an SFTP server behind it that does what a test wants: in memory, without a process.
 *
 * Files have bytes that follow from their offset, so they may be of any size. What goes wrong, and when, stands in
 * struct fake_world, which outlives connections. A world belongs to one host; what a test changes while a host runs is
 * atomic.
 */
#ifndef TS_TESTS_UNIT_SFTP_FAKE_H
#define TS_TESTS_UNIT_SFTP_FAKE_H

#include <check.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "tilescope/base/strbuf.h"
#include "tilescope/io/host.h"
#include "tilescope/io/sftp_wire.h"

enum { FAKE_FILES = 8, FAKE_HANDLES = 16, FAKE_OUT = 16 << 20 };

enum fake_handles {
	FAKE_NAMES,
	FAKE_NUMBERS, /* from 0 on, on each channel */
	FAKE_FROM_1,  /* the same from 1 on; 0 is the third file */
};

struct fake_file {
	const char *path;
	uint64_t size;
	uint32_t mode, mtime;
	_Atomic unsigned salt; /* other bytes */
	atomic_int gone;       /* a status; 0: it is there */
};

enum fake_wrong {
	FAKE_RIGHT,
	FAKE_OTHER_ID,
	FAKE_TWICE,
	FAKE_OTHER_TYPE,
	FAKE_TOO_MUCH,
	FAKE_HUGE_PACKET,
	FAKE_ZERO_PACKET,
	FAKE_GARBAGE,
	FAKE_FAILURE,
	FAKE_CUT,
	FAKE_SILENT,
	FAKE_WRONGS,
};

struct fake_world {
	struct fake_file file[FAKE_FILES];
	int entries;	   /* of the directory "dir"; -1: no end */
	uint32_t version;  /* 0 = 3 */
	uint32_t max_read; /* limits@openssh.com; 0: not known */
	enum fake_handles handles;
	uint32_t most;	      /* bytes of an answer; 0 = as asked */
	bool backwards;	      /* what is asked together is answered in the other order */
	int channels;	      /* that are given; 0 = all */
	atomic_bool refuse;   /* every connection */
	atomic_bool mute;     /* nothing is answered but the hello */
	atomic_bool mute_on;  /* files are opened, and behind their first page nothing is read */
	atomic_bool hold;     /* what comes is looked at later, by when something wakes the host */
	bool password;	      /* asked for: "secret" */
	atomic_int wrong_at;  /* packets from now (1 = the next one) until ... */
	atomic_int wrong;     /* ... this, once; FAKE_SILENT stays until the connection is left */
	atomic_int cut_after; /* 0; or packets that each connection lives for */
	unsigned cut_salt;    /* ... and with FAKE_CUT the first file becomes this, */
	int cut_gone; /* or this: at that packet, when others of a read have been answered */
	atomic_int connections, opens, closes, reads, packets, bursts;
	atomic_int open_channels_max;
};

struct fake_channel {
	bool used, hello;
	struct ts_strbuf in, out;
	size_t in_at, out_at;
	int opened;
	struct fake_file *handle[FAKE_HANDLES];
	uint32_t handles;
};

struct fake {
	struct ts_transport base;
	struct fake_world *w;
	bool silent, cut;
	int packets;
	struct fake_channel channel[TS_TRANSPORT_CHANNELS];
};

static inline unsigned char
fake_byte(uint64_t at, unsigned salt)
{
	return (unsigned char)((at * 2654435761u >> 13) ^ at ^ salt);
}

/* --- packets ---------------------------------------------------------------------------------- */

static inline void
fake_u32(struct ts_strbuf *b, uint64_t v)
{
	for (int i = 24; i >= 0; i -= 8)
		ts_strbuf_putc(b, (char)(v >> i));
}

static inline void
fake_text(struct ts_strbuf *b, const char *s, size_t n)
{
	fake_u32(b, n);
	ts_strbuf_add(b, s, n);
}

static inline uint32_t
fake_get(const unsigned char *p)
{
	return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
}

static inline void
fake_send(struct fake_channel *c, const struct ts_strbuf *body)
{
	fake_u32(&c->out, body->len);
	ts_strbuf_add(&c->out, body->s, body->len);
}

static inline void
fake_status(struct ts_strbuf *b, uint32_t status)
{
	b->s[0] = TS_SFTP_STATUS;
	fake_u32(b, status);
	fake_text(b, "why", 3);
	fake_text(b, "", 0);
}

static inline void
fake_attrs(struct ts_strbuf *b, uint64_t size, uint32_t mode, uint32_t mtime)
{
	fake_u32(b, 0xd);
	fake_u32(b, size >> 32);
	fake_u32(b, size);
	fake_u32(b, mode);
	fake_u32(b, mtime);
	fake_u32(b, mtime);
}

static inline struct fake_file *
fake_find(struct fake_world *w, const char *path, size_t n)
{
	for (int i = 0; i < FAKE_FILES && w->file[i].path; i++)
		if (strlen(w->file[i].path) == n && memcmp(w->file[i].path, path, n) == 0)
			return &w->file[i];
	return NULL;
}

static inline void
fake_read(struct fake *f, struct ts_strbuf *b, const struct fake_file *file, const unsigned char *p)
{
	uint64_t at = (uint64_t)fake_get(p) << 32 | fake_get(p + 4);
	uint64_t n = fake_get(p + 8), most = f->w->most;
	unsigned salt = atomic_load(&file->salt);

	f->w->reads++;
	if (at >= file->size) {
		fake_status(b, TS_SFTP_EOF);
		return;
	}
	n = n > file->size - at ? file->size - at : n;
	n = most && n > most ? most : n;
	b->s[0] = TS_SFTP_DATA_IS;
	fake_u32(b, n);
	for (uint64_t i = 0; i < n;) {
		char piece[4096];
		size_t k = 0;

		for (; k < sizeof(piece) && i < n; i++)
			piece[k++] = (char)fake_byte(at + i, salt);
		ts_strbuf_add(b, piece, k);
	}
}

/* Handles are "dN" (N names were given) and "fN" (the file). */
static inline void
fake_readdir(struct fake *f, struct ts_strbuf *b, struct fake_channel *c)
{
	int left = f->w->entries < 0 ? 100 : f->w->entries - c->opened;
	int n = left < 100 ? left : 100;

	if (n <= 0) {
		fake_status(b, TS_SFTP_EOF);
		return;
	}
	b->s[0] = TS_SFTP_NAME;
	fake_u32(b, (uint32_t)n);
	for (int i = 0; i < n; i++) {
		char name[32];
		int k = c->opened++;

		snprintf(name, sizeof(name),
			k == 0		 ? "."
				: k == 1 ? ".."
				: k == 2 ? "a/b"
					 : "name%d",
			k);
		fake_text(b, name, strlen(name));
		fake_text(b, "", 0);
		fake_attrs(b, (uint64_t)k, k % 2 ? S_IFDIR | 0755 : S_IFREG | 0644, 7);
	}
}

/* The file of a handle, or NULL. */
static inline struct fake_file *
fake_of_handle(struct fake_world *w, const struct fake_channel *c, const char *text, size_t n)
{
	unsigned name = n == 2 && *text == 'f' ? (unsigned)(text[1] - '0') : FAKE_FILES;
	uint32_t number = n == 4 ? fake_get((const unsigned char *)text) : FAKE_HANDLES;

	return name < FAKE_FILES ? &w->file[name] : number < c->handles ? c->handle[number] : NULL;
}

static inline void
fake_give_handle(struct fake_world *w, struct fake_channel *c, struct ts_strbuf *b,
	struct fake_file *file)
{
	const char name[2] = {'f', (char)('0' + (file - w->file))};

	b->s[0] = TS_SFTP_HANDLE_IS;
	if (w->handles == FAKE_FROM_1 && c->handles == 0)
		c->handle[c->handles++] = &w->file[2];
	if (w->handles == FAKE_NAMES || c->handles == FAKE_HANDLES) {
		fake_text(b, name, sizeof(name));
		return;
	}
	fake_u32(b, 4);
	fake_u32(b, c->handles);
	c->handle[c->handles++] = file;
}

/* The answer to a request whose id stands in b already. */
static inline void
fake_answer(struct fake *f, struct fake_channel *c, struct ts_strbuf *b, int type,
	const unsigned char *p)
{
	struct fake_world *w = f->w;
	size_t n = type == TS_SFTP_EXTENDED ? 0 : fake_get(p);
	const char *text = (const char *)p + 4;
	struct fake_file *file = fake_find(w, text, n);
	bool dir = n == 3 && memcmp(text, "dir", 3) == 0;

	if (type == TS_SFTP_READ || type == TS_SFTP_FSTAT)
		file = fake_of_handle(w, c, text, n);
	if (type == TS_SFTP_CLOSE) {
		w->closes++;
		fake_status(b, TS_SFTP_OK);
	} else if (type == TS_SFTP_EXTENDED) {
		b->s[0] = (char)TS_SFTP_EXTENDED_REPLY;
		for (int i = 0; i < 4; i++) {
			fake_u32(b, 0);
			fake_u32(b, i == 1 ? w->max_read : 0);
		}
	} else if (type == TS_SFTP_REALPATH) {
		b->s[0] = TS_SFTP_NAME;
		fake_u32(b, 1);
		fake_text(b, "/home/me", 8);
		fake_text(b, "", 0);
		fake_u32(b, 0);
	} else if (type == TS_SFTP_READDIR) {
		fake_readdir(f, b, c);
	} else if (type == TS_SFTP_OPENDIR && dir) {
		c->opened = 0;
		w->opens++;
		b->s[0] = TS_SFTP_HANDLE_IS;
		fake_text(b, "d", 1);
	} else if (!file || atomic_load(&file->gone)) {
		fake_status(b, file ? (uint32_t)atomic_load(&file->gone) : TS_SFTP_NO_SUCH_FILE);
	} else if (type == TS_SFTP_OPEN) {
		w->opens++;
		fake_give_handle(w, c, b, file);
	} else if (type == TS_SFTP_READ) {
		fake_read(f, b, file, p + 4 + n);
	} else {
		b->s[0] = TS_SFTP_ATTRS;
		fake_attrs(b, file->size, file->mode, file->mtime);
	}
}

/* Something goes wrong with this answer. */
static inline void
fake_do_wrong(struct fake *f, struct fake_channel *c, struct ts_strbuf *b, enum fake_wrong wrong)
{
	size_t at = c->out.len;

	if (wrong == FAKE_FAILURE) {
		b->len = 5;
		fake_status(b, TS_SFTP_FAILURE);
	} else if (wrong == FAKE_OTHER_TYPE) {
		b->len = 5;
		b->s[0] = TS_SFTP_HANDLE_IS;
		fake_text(b, "x", 1);
		if (fake_get((const unsigned char *)b->s + 1) == 0)
			return;
	} else if (wrong == FAKE_TOO_MUCH && b->s[0] == TS_SFTP_DATA_IS) {
		uint32_t n = TS_SFTP_DATA;

		for (int i = 0; i < 4; i++)
			b->s[5 + i] = (char)(n >> (24 - 8 * i));
		while (b->len < 9 + n)
			ts_strbuf_putc(b, 'x');
	} else if (wrong == FAKE_OTHER_ID) {
		b->s[2] ^= 0x55;
	}
	if (wrong == FAKE_CUT || wrong == FAKE_SILENT) {
		f->cut = wrong == FAKE_CUT;
		if (f->cut && f->w->cut_salt)
			atomic_store(&f->w->file[0].salt, f->w->cut_salt);
		if (f->cut && f->w->cut_gone)
			atomic_store(&f->w->file[0].gone, f->w->cut_gone);
		f->silent = wrong == FAKE_SILENT;
		return;
	}
	if (wrong == FAKE_GARBAGE)
		ts_strbuf_add(&c->out, "Welcome!\n", 9);
	fake_send(c, b);
	if (wrong == FAKE_TWICE)
		fake_send(c, b);
	if (wrong == FAKE_HUGE_PACKET)
		memset(c->out.s + at, 0x7f, 4);
	if (wrong == FAKE_ZERO_PACKET)
		memset(c->out.s + at, 0, 4);
}

static inline bool
fake_is_mute(struct fake_world *w, const unsigned char *p)
{
	const unsigned char *offset = p + 9 + (*p == TS_SFTP_READ ? fake_get(p + 5) : 0);

	if (*p == TS_SFTP_INIT)
		return false;
	return atomic_load(&w->mute) ||
		(atomic_load(&w->mute_on) && *p == TS_SFTP_READ &&
			(fake_get(offset) || fake_get(offset + 4)));
}

static inline void
fake_request(struct fake *f, struct fake_channel *c, const unsigned char *p)
{
	int wrong = FAKE_RIGHT;
	struct ts_strbuf b;

	ts_strbuf_init(&b, 1 << 20);
	ts_strbuf_putc(&b, TS_SFTP_VERSION_IS);
	f->w->packets++;
	if (*p == TS_SFTP_INIT) {
		fake_u32(&b, f->w->version ? f->w->version : 3);
		if (f->w->max_read) {
			fake_text(&b, "limits@openssh.com", 18);
			fake_text(&b, "1", 1);
		}
	} else {
		fake_u32(&b, fake_get(p + 1));
		fake_answer(f, c, &b, *p, p + 5);
	}
	if (atomic_load(&f->w->wrong_at) > 0 && atomic_fetch_sub(&f->w->wrong_at, 1) == 1)
		wrong = atomic_load(&f->w->wrong);
	if (++f->packets == atomic_load(&f->w->cut_after))
		wrong = FAKE_CUT;
	if (wrong)
		fake_do_wrong(f, c, &b, (enum fake_wrong)wrong);
	else if (!f->cut && !f->silent && !fake_is_mute(f->w, p))
		fake_send(c, &b);
	ts_strbuf_fini(&b);
}

/* What has come in answered; backwards when the world is so. */
static inline void
fake_serve(struct fake *f, struct fake_channel *c)
{
	const unsigned char *request[1024];
	int n = 0, first;

	while (c->in.len - c->in_at >= 4 && n < 1024) {
		const unsigned char *p = (const unsigned char *)c->in.s + c->in_at;
		size_t length = fake_get(p);

		if (c->in.len - c->in_at < 4 + length)
			break;
		request[n++] = p + 4;
		c->in_at += 4 + length;
	}
	f->w->bursts += n > 0;
	first = n > 0 && request[0][0] == TS_SFTP_INIT; /* what it speaks is said before all else */
	if (first)
		fake_request(f, c, request[0]);
	for (int i = first; i < n; i++)
		fake_request(f, c, request[f->w->backwards ? n - 1 - i + first : i]);
	if (c->in_at == c->in.len) {
		ts_strbuf_reset(&c->in);
		c->in_at = 0;
	}
}

/* --- the transport ---------------------------------------------------------------------------- */

static inline struct fake *
fake_self(struct ts_transport *t)
{
	return (struct fake *)(void *)t;
}

static inline void
fake_step(struct ts_transport *t)
{
	struct fake *f = fake_self(t);

	if (t->state == TS_TRANSPORT_FAILED)
		return;
	if (f->cut || f->w->refuse) {
		t->state = TS_TRANSPORT_FAILED;
		t->hopeless = f->w->refuse;
		ts_err_set(&t->err, TS_E_CONNECT, f->cut ? "cut" : "refused");
	} else if (f->w->password && t->question.number == 0) {
		t->state = TS_TRANSPORT_ASKING;
		t->question.number = 1;
		t->question.kind = TS_ASK_PASSWORD;
		snprintf(t->question.text, sizeof(t->question.text), "Password:");
	} else if (t->state == TS_TRANSPORT_WORKING) {
		t->state = TS_TRANSPORT_READY;
	}
}

static inline int
fake_fds(struct ts_transport *t, struct pollfd p[TS_TRANSPORT_FDS], int *timeout)
{
	(void)p;
	*timeout = fake_self(t)->cut ? 0 : -1; /* all that was asked is answered at once */
	return 0;
}

static inline void
fake_take_answer(struct ts_transport *t, const char *text, size_t n)
{
	if (text && n == 6 && memcmp(text, "secret", 6) == 0) {
		t->state = TS_TRANSPORT_WORKING;
		return;
	}
	t->state = TS_TRANSPORT_FAILED;
	t->hopeless = true;
	ts_err_set(&t->err, TS_E_CONNECT, "wrong");
}

static inline enum ts_code
fake_open(struct ts_transport *t, int *channel, struct ts_err *err)
{
	struct fake *f = fake_self(t);
	int open = 0;

	*channel = -1;
	for (int i = 0; i < TS_TRANSPORT_CHANNELS; i++) {
		open += f->channel[i].used;
		if (!f->channel[i].used && *channel < 0)
			*channel = i;
	}
	if (*channel < 0)
		return ts_err_set(err, TS_E_LIMIT, "no channel left");
	f->channel[*channel] = (struct fake_channel){.used = true};
	ts_strbuf_init(&f->channel[*channel].in, FAKE_OUT);
	ts_strbuf_init(&f->channel[*channel].out, FAKE_OUT);
	if (open + 1 > f->w->open_channels_max)
		f->w->open_channels_max = open + 1;
	return TS_OK;
}

static inline enum ts_code
fake_get_bytes(struct ts_transport *t, int channel, void *buf, size_t n, size_t *got,
	struct ts_err *err)
{
	struct fake *f = fake_self(t);
	struct fake_channel *c = &f->channel[channel];

	*got = 0;
	if (f->cut || (f->w->channels && channel >= f->w->channels))
		return ts_err_set(err, TS_E_CONNECT, "cut");
	if (t->state != TS_TRANSPORT_READY)
		return TS_OK;
	if (c->out_at == c->out.len && !atomic_load(&f->w->hold))
		fake_serve(f, c);
	*got = c->out.len - c->out_at < n ? c->out.len - c->out_at : n;
	if (*got == 0)
		return TS_OK;
	memcpy(buf, c->out.s + c->out_at, *got);
	c->out_at += *got;
	if (c->out_at == c->out.len) {
		ts_strbuf_reset(&c->out);
		c->out_at = 0;
	}
	return TS_OK;
}

static inline enum ts_code
fake_put_bytes(struct ts_transport *t, int channel, const void *buf, size_t n, size_t *put,
	struct ts_err *err)
{
	struct fake *f = fake_self(t);

	*put = 0;
	if (f->cut)
		return ts_err_set(err, TS_E_CONNECT, "cut");
	ts_strbuf_add(&f->channel[channel].in, buf, n);
	*put = n;
	return TS_OK;
}

static inline void
fake_close(struct ts_transport *t, int channel)
{
	struct fake_channel *c = &fake_self(t)->channel[channel];

	if (!c->used)
		return;
	ts_strbuf_fini(&c->in);
	ts_strbuf_fini(&c->out);
	c->used = false;
}

static inline void
fake_free(struct ts_transport *t)
{
	for (int i = 0; i < TS_TRANSPORT_CHANNELS; i++)
		fake_close(t, i);
	free(t);
}

static const struct ts_transport_ops fake_ops = {"fake", fake_step, fake_fds, fake_take_answer,
	fake_open, fake_get_bytes, fake_put_bytes, fake_close, fake_free};

/* A ts_transport_new_fn; the world is spec->host (a test's own way of handing it over). */
static inline enum ts_code
fake_connect(struct ts_transport **out, const struct ts_transport_spec *spec, struct ts_err *err)
{
	struct fake *f = calloc(1, sizeof(*f));
	void *world = NULL;

	(void)err;
	ck_assert_int_eq(sscanf(spec->host, "%p", &world), 1);
	f->base.ops = &fake_ops;
	f->base.doing = "faking";
	f->w = world;
	f->w->connections++;
	*out = &f->base;
	return TS_OK;
}

static inline struct ts_host *
fake_host(struct fake_world *w, struct ts_host_spec spec)
{
	struct ts_err err = {0};
	struct ts_host *h;
	char name[32];

	snprintf(name, sizeof(name), "%p", (void *)w);
	spec.to.host = name;
	spec.connect = fake_connect;
	ck_assert_msg(ts_host_new(&h, &spec, &err) == TS_OK, "%s", err.msg);
	return h;
}

#endif
