/* SPDX-License-Identifier: MIT */
/* CBOR put together by hand, for tests: what a library would not write can be written. */
#ifndef TS_TESTS_CBOR_BYTES_H
#define TS_TESTS_CBOR_BYTES_H

#include <stdint.h>
#include <string.h>

#include "tilescope/base/strbuf.h"

enum { CBOR_UINT, CBOR_NEGINT, CBOR_BYTES, CBOR_TEXT, CBOR_ARRAY, CBOR_MAP, CBOR_TAG };

static inline void
cbor_byte(struct ts_strbuf *b, unsigned char byte)
{
	ts_strbuf_putc(b, (char)byte);
}

/* The head of an item, in as many bytes as `width` says (0, 1, 2, 4, 8). */
static inline void
cbor_head_wide(struct ts_strbuf *b, int major, uint64_t n, int width)
{
	int log = width == 1 ? 24 : width == 2 ? 25 : width == 4 ? 26 : 27;

	cbor_byte(b, (unsigned char)(major << 5 | (width ? log : (int)n)));
	for (int i = width - 1; i >= 0; i--)
		cbor_byte(b, (unsigned char)(n >> 8 * i));
}

static inline void
cbor_head(struct ts_strbuf *b, int major, uint64_t n)
{
	cbor_head_wide(b, major, n,
		n < 24			  ? 0
			: n <= UINT8_MAX  ? 1
			: n <= UINT16_MAX ? 2
			: n <= UINT32_MAX ? 4
					  : 8);
}

static inline void
cbor_open(struct ts_strbuf *b, int major) /* of indefinite length */
{
	cbor_byte(b, (unsigned char)(major << 5 | 31));
}

static inline void
cbor_break(struct ts_strbuf *b)
{
	cbor_byte(b, 0xff);
}

static inline void
cbor_text(struct ts_strbuf *b, const char *s)
{
	cbor_head(b, CBOR_TEXT, strlen(s));
	ts_strbuf_puts(b, s);
}

static inline void
cbor_double(struct ts_strbuf *b, double v)
{
	uint64_t bits;

	memcpy(&bits, &v, sizeof(bits));
	cbor_byte(b, 0xfb);
	for (int i = 7; i >= 0; i--)
		cbor_byte(b, (unsigned char)(bits >> 8 * i));
}

static inline void
cbor_key_number(struct ts_strbuf *b, const char *key, uint64_t v)
{
	cbor_text(b, key);
	cbor_head(b, CBOR_UINT, v);
}

#endif
