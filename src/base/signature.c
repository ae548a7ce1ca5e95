/* SPDX-License-Identifier: MIT */
/* signature - see the header. */
#include "config.h"

#include <string.h>

#include "tilescope/base/signature.h"

enum { SPREAD_BITS = 8 /* of the product: 256 places */ };

#define SPREAD UINT32_C(0x9e3779b1) /* 2^32 / golden ratio, Knuth 6.4 */

static inline uint32_t
small(unsigned char c)
{
	return c >= 'A' && c <= 'Z' ? c | 0x20u : c;
}

void
ts_signature_add(struct ts_signature *of, const char *s, size_t n, size_t same)
{
	size_t from = same < TS_SIGNATURE_RUN ? 0 : same - (TS_SIGNATURE_RUN - 1);

	for (size_t i = from; i + TS_SIGNATURE_RUN <= n; i++) {
		uint32_t run = small((unsigned char)s[i]) | small((unsigned char)s[i + 1]) << 8 |
			small((unsigned char)s[i + 2]) << 16;
		uint32_t place = run * SPREAD >> (32 - SPREAD_BITS);

		of->bit[place / 64] |= UINT64_C(1) << place % 64;
	}
}

void
ts_signature_fill(struct ts_signature *of)
{
	memset(of->bit, 0xff, sizeof(of->bit));
}
