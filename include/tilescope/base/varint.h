/* SPDX-License-Identifier: MIT */
/*
 * varint - numbers in as few bytes as they need: seven bits each, the lowest first, the highest bit set in all but the last.
 */
#ifndef TS_BASE_VARINT_H
#define TS_BASE_VARINT_H

#include <stddef.h>
#include <stdint.h>

enum { TS_VARINT_MAX = 10 /* bytes of any number */ };

/* Bytes written to `out`, which has room for TS_VARINT_MAX; for five below 2^32. */
static inline size_t
ts_varint_put(unsigned char *out, uint64_t v)
{
	size_t n = 0;

	for (; v >= 0x80; v >>= 7)
		out[n++] = (unsigned char)(v | 0x80);
	out[n++] = (unsigned char)v;
	return n;
}

/* A number that is there in full; *p goes behind it. */
static inline uint64_t
ts_varint_get(const unsigned char **p)
{
	uint64_t v = 0;

	for (int shift = 0; shift < 64; shift += 7) {
		uint64_t b = *(*p)++;

		v |= (b & 0x7f) << shift;
		if (b < 0x80)
			break;
	}
	return v;
}

#endif
