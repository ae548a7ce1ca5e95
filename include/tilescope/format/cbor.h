/* SPDX-License-Identifier: MIT */
/*
 * cbor - walk over a CBOR file item by item, in bounded memory, whatever is in it.
 *
 * libcbor decodes one item at a time; this adds the window over the file, the nesting, and the checks
 * that a hostile file needs: a depth limit, counts and lengths that cannot be, strings longer than the
 * window (given cut, then passed over), breaks where none may stand. Every error names its offset.
 */
#ifndef TS_FORMAT_CBOR_H
#define TS_FORMAT_CBOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tilescope/io/source.h"

enum { TS_CBOR_DEPTH = 64, TS_CBOR_WINDOW = 256 << 10, TS_CBOR_WINDOW_LEAST = 4096 };

enum ts_cbor_kind {
	TS_CBOR_UINT,	/* number */
	TS_CBOR_NEGINT, /* -1 - number */
	TS_CBOR_TEXT,	/* text, n; not checked to be UTF-8, no NUL behind it */
	TS_CBOR_BYTES,	/* text, n */
	TS_CBOR_REAL,	/* real */
	TS_CBOR_BOOL,	/* number 0 or 1 */
	TS_CBOR_NULL,	/* null, undefined */
	TS_CBOR_LAST_PLAIN = TS_CBOR_NULL,
	TS_CBOR_MAP,   /* keys and values follow, then CLOSE */
	TS_CBOR_ARRAY, /* items follow, then CLOSE */
	TS_CBOR_CLOSE, /* of the innermost map or array, of definite length or not */
	TS_CBOR_END,   /* the one item of the document is over */
	/* never given: */
	TS_CBOR_BREAK,
	TS_CBOR_TAG,	/* what it tags is */
	TS_CBOR_CHUNKS, /* a string of indefinite length is put together */
	TS_CBOR_CHUNKS_OF_BYTES,
};

struct ts_cbor_item {
	enum ts_cbor_kind kind;
	bool cut;	 /* of TEXT, BYTES: `text` is only the begin */
	bool indefinite; /* MAP, ARRAY, in the file; given as they are */
	uint64_t offset; /* of its first byte (without a tag) */
	uint64_t
		number; /* MAP: pairs, ARRAY: items, where not indefinite; TEXT, BYTES: all bytes */
	double real;	/* */
	const char *text; /* until the next call */
	size_t n;
};

struct ts_cbor_level {
	uint64_t left; /* items to come; of a map even before a key */
	bool map, indefinite;
};

struct ts_cbor {
	struct ts_source *source;
	const struct ts_cancel *cancel;
	unsigned char *window;
	char *chunks; /* what is put together; NULL until it is needed */
	size_t size, at, have;
	uint64_t base;	/* offset of window[0] */
	uint64_t limit; /* set it: once so many bytes were read it ends with TS_E_LIMIT; 0 = none */
	int depth;
	struct ts_cbor_level level[TS_CBOR_DEPTH + 1];
	struct ts_cbor_item item;
};

/*
 * Begin with the item at `offset`. `window` bytes (TS_CBOR_WINDOW_LEAST or more) are held; a string that does
 * not fit into them is given cut. Errors: TS_E_NOMEM.
 */
enum ts_code ts_cbor_init(struct ts_cbor *r, struct ts_source *source, uint64_t offset,
	size_t window, const struct ts_cancel *cancel, struct ts_err *err) TS_WARN_UNUSED;
void ts_cbor_fini(struct ts_cbor *r);

/*
 * The next item: r->item. Errors: TS_E_DAMAGED ("offset 12: ..."), TS_E_STALE (shorter than it was), TS_E_SYS, TS_E_CANCELLED, TS_E_NOMEM.
 * Nothing may be asked for after an error.
 */
enum ts_code ts_cbor_next(struct ts_cbor *r, struct ts_err *err) TS_WARN_UNUSED;

/* Pass over the next item with all that is in it (a CLOSE is passed over too). */
enum ts_code ts_cbor_skip(struct ts_cbor *r, struct ts_err *err) TS_WARN_UNUSED;

/* Pass over what is left of a map or array that was just opened. */
enum ts_code ts_cbor_leave(struct ts_cbor *r, struct ts_err *err) TS_WARN_UNUSED;

/* Offset of what comes next. */
static inline uint64_t
ts_cbor_offset(const struct ts_cbor *r)
{
	return r->base + r->at;
}

/*
 * A number however it is written: an integer (a negative one as its 64 bits), a float without a fraction
 * in 0 .. 2^53, digits as text. False: it is none.
 */
bool ts_cbor_number(const struct ts_cbor_item *item, uint64_t *v);

#endif
