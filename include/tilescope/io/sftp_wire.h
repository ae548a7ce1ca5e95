/* SPDX-License-Identifier: MIT */
/*
 * sftp_wire - the packets of SFTP version 3, as bytes: requests are built, replies taken apart. No I/O.
 *
 * Protocol: draft-ietf-secsh-filexfer-02, and of OpenSSH's extensions limits@openssh.com. Only what reading needs.
 *
 * What a server says is hostile: a packet is at most TS_SFTP_PACKET bytes, each length in it lies within it, all of it is
 * looked at before anything of it is given out, and nothing may be left over. An answer belongs to a request that is out
 * (struct ts_sftp_flight): one that belongs to none, comes twice, or is none that the request can have, is an error, and
 * after an error nothing that follows can be trusted. Answers may come in any order. Names are given out as they are:
 * they are made safe at the screen, and whoever makes a path of one looks for '/' first (ts_sftp_name_usable()).
 */
#ifndef TS_IO_SFTP_WIRE_H
#define TS_IO_SFTP_WIRE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tilescope/base/err.h"
#include "tilescope/base/strbuf.h"

enum {
	TS_SFTP_VERSION = 3,
	TS_SFTP_DATA = 256 << 10,	      /* bytes of a file in an answer, at most */
	TS_SFTP_PACKET = TS_SFTP_DATA + 1024, /* without the four bytes of its length */
	TS_SFTP_HANDLE = 256,		      /* bytes of a handle, at most */
	TS_SFTP_READ_USUAL = 32 << 10,	      /* what every server gives in one answer */
	TS_SFTP_FLIGHT = 256, /* requests that are out at the same time, on a channel */
};

enum ts_sftp_type {
	TS_SFTP_INIT = 1,
	TS_SFTP_VERSION_IS = 2,
	TS_SFTP_OPEN = 3,
	TS_SFTP_CLOSE = 4,
	TS_SFTP_READ = 5,
	TS_SFTP_LSTAT = 7,
	TS_SFTP_FSTAT = 8,
	TS_SFTP_OPENDIR = 11,
	TS_SFTP_READDIR = 12,
	TS_SFTP_REALPATH = 16,
	TS_SFTP_STAT = 17,
	TS_SFTP_STATUS = 101,
	TS_SFTP_HANDLE_IS = 102,
	TS_SFTP_DATA_IS = 103,
	TS_SFTP_NAME = 104,
	TS_SFTP_ATTRS = 105,
	TS_SFTP_EXTENDED = 200, /* limits@openssh.com */
	TS_SFTP_EXTENDED_REPLY = 201,
};

/* Of a status; others are said as they are. */
enum ts_sftp_status {
	TS_SFTP_OK = 0,
	TS_SFTP_EOF = 1,
	TS_SFTP_NO_SUCH_FILE = 2,
	TS_SFTP_PERMISSION_DENIED = 3,
	TS_SFTP_FAILURE = 4,
	TS_SFTP_BAD_MESSAGE = 5,
	TS_SFTP_NO_CONNECTION = 6,
	TS_SFTP_CONNECTION_LOST = 7,
	TS_SFTP_UNSUPPORTED = 8,
};

/* --- requests --------------------------------------------------------------------------------- */

struct ts_sftp_request {
	enum ts_sftp_type type;
	uint32_t id;	  /* INIT has none */
	const void *text; /* a path, or the bytes of a handle; INIT and EXTENDED have none */
	size_t n;
	uint64_t offset; /* READ */
	uint32_t length; /* READ: bytes */
};

/* Append a packet; files are opened for reading. What does not fit is cut, and `out->cut` says so. */
void ts_sftp_put(struct ts_strbuf *out, const struct ts_sftp_request *rq);

/* --- which requests are out ------------------------------------------------------------------- */

/* Zeroed, none is. An id tells its slot, and how often the slot was used. */
struct ts_sftp_flight {
	int count;
	uint32_t serial;
	uint32_t id[TS_SFTP_FLIGHT];
	uint8_t type[TS_SFTP_FLIGHT]; /* 0 = the slot is free */
};

/* An id for a request of this type, and its slot (0 .. TS_SFTP_FLIGHT - 1); -1: as many as can be are out. */
int ts_sftp_flight_take(struct ts_sftp_flight *f, enum ts_sftp_type type, uint32_t *id);

/* --- replies ---------------------------------------------------------------------------------- */

struct ts_sftp_attrs {
	bool has_size, has_mode, has_times;
	uint64_t size;	/* bytes */
	uint32_t mode;	/* as st_mode: type and permissions */
	uint32_t mtime; /* seconds since 1970 */
};

/* Pointers lead into the reader, until its next call. Texts have no NUL at their end. */
struct ts_sftp_reply {
	enum ts_sftp_type type;
	uint32_t id;	 /* VERSION_IS: the server's version */
	uint32_t status; /* STATUS */
	const char *
		text; /* STATUS: its message; HANDLE_IS, DATA_IS: the bytes; NAME: the entries; others: NULL */
	size_t n;		    /* bytes of text */
	uint32_t names;		    /* NAME: how many entries */
	struct ts_sftp_attrs attrs; /* ATTRS */
	bool has_limits;	    /* VERSION_IS: the server knows limits@openssh.com */
	uint64_t max_read;	    /* EXTENDED_REPLY: bytes of one READ; 0 = it does not say */
	uint64_t max_packet;	    /* EXTENDED_REPLY: bytes of a packet; 0 = it does not say */
};

/* Zeroed before the first call. */
struct ts_sftp_reader {
	unsigned char *bytes;
	size_t from, to, cap; /* what is here and not taken yet */
};

void ts_sftp_reader_fini(struct ts_sftp_reader *r);

/* Where the next bytes of the channel go to: *room of them, at least one. NULL: no memory. */
void *ts_sftp_reader_room(struct ts_sftp_reader *r, size_t *room);

/* n of them have come. */
void ts_sftp_reader_came(struct ts_sftp_reader *r, size_t n);

/*
 * The next reply; *whole false: it is not all there yet. Error: TS_E_DAMAGED, with what is wrong in it.
 */
enum ts_code ts_sftp_next(struct ts_sftp_reply *reply, bool *whole, struct ts_sftp_reader *r,
	struct ts_err *err) TS_WARN_UNUSED;

/* Which request this answers: its slot, which is free again. Error: TS_E_DAMAGED. */
enum ts_code ts_sftp_flight_land(struct ts_sftp_flight *f, int *slot,
	const struct ts_sftp_reply *reply, struct ts_err *err) TS_WARN_UNUSED;

/* An entry of a NAME. */
struct ts_sftp_name {
	const char *name; /* raw */
	size_t n;
	struct ts_sftp_attrs attrs;
};

/* Entries one by one: *at is 0 before the first; false behind the last. */
bool ts_sftp_name_next(struct ts_sftp_name *name, size_t *at, const struct ts_sftp_reply *reply);

/* Can a path be made of it? Not of "", "." and "..", nor of one with '/' or NUL. */
bool ts_sftp_name_usable(const char *name, size_t n);

/* What a status (not OK) means: TS_E_NOT_FOUND or TS_E_SYS with an errno, and the server's words if it has some. */
enum ts_code ts_sftp_status_err(const struct ts_sftp_reply *reply, struct ts_err *err);

#endif
