/* SPDX-License-Identifier: MIT */
/* sha1 - see the header. */
#include "config.h"

#include <assert.h>
#include <stdint.h>
#include <string.h>

#include "sha1.h"

enum { BLOCK = 64, ROUNDS = 80, LENGTH_AT = 56 };

struct sha1 {
	uint32_t h[5];
	uint64_t bytes;
	unsigned char block[BLOCK];
};

static uint32_t
left(uint32_t v, int by)
{
	return v << by | v >> (32 - by);
}

static void
expand(uint32_t w[ROUNDS], const unsigned char block[BLOCK])
{
	for (int i = 0; i < BLOCK / 4; i++)
		w[i] = (uint32_t)block[4 * i] << 24 | (uint32_t)block[4 * i + 1] << 16 |
			(uint32_t)block[4 * i + 2] << 8 | block[4 * i + 3];
	for (int i = BLOCK / 4; i < ROUNDS; i++)
		w[i] = left(w[i - 3] ^ w[i - 8] ^ w[i - 14] ^ w[i - 16], 1);
}

static uint32_t
mix(int round, uint32_t b, uint32_t c, uint32_t d)
{
	switch (round / 20) {
	case 0:
		return ((b & c) | (~b & d)) + 0x5a827999;
	case 1:
		return (b ^ c ^ d) + 0x6ed9eba1;
	case 2:
		return ((b & c) | (b & d) | (c & d)) + 0x8f1bbcdc;
	default:
		return (b ^ c ^ d) + 0xca62c1d6;
	}
}

static void
take_block(struct sha1 *s)
{
	uint32_t w[ROUNDS], a = s->h[0], b = s->h[1], c = s->h[2], d = s->h[3], e = s->h[4];

	expand(w, s->block);
	for (int i = 0; i < ROUNDS; i++) {
		uint32_t next = left(a, 5) + mix(i, b, c, d) + e + w[i];

		e = d;
		d = c;
		c = left(b, 30);
		b = a;
		a = next;
	}
	s->h[0] += a;
	s->h[1] += b;
	s->h[2] += c;
	s->h[3] += d;
	s->h[4] += e;
}

static void
begin(struct sha1 *s)
{
	*s = (struct sha1){.h = {0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476, 0xc3d2e1f0}};
}

static void
add(struct sha1 *s, const void *bytes, size_t n)
{
	const unsigned char *from = bytes;

	while (n-- > 0) {
		s->block[s->bytes++ % BLOCK] = *from++;
		if (s->bytes % BLOCK == 0)
			take_block(s);
	}
}

static void
end(struct sha1 *s, unsigned char out[TS_SHA1_SIZE])
{
	uint64_t bits = s->bytes * 8;

	add(s, "\x80", 1);
	while (s->bytes % BLOCK != LENGTH_AT)
		add(s, "", 1);
	for (int i = 7; i >= 0; i--)
		add(s, &(unsigned char){(unsigned char)(bits >> 8 * i)}, 1);
	for (int i = 0; i < TS_SHA1_SIZE; i++)
		out[i] = (unsigned char)(s->h[i / 4] >> 8 * (3 - i % 4));
}

/* One of the two hashes of a HMAC: of the key, changed by `with`, and what follows. */
static void
keyed(unsigned char out[TS_SHA1_SIZE], const unsigned char *key, size_t key_n, unsigned char with,
	const void *bytes, size_t n)
{
	unsigned char pad[BLOCK];
	struct sha1 s;

	for (size_t i = 0; i < BLOCK; i++)
		pad[i] = (i < key_n ? key[i] : 0) ^ with;
	begin(&s);
	add(&s, pad, sizeof(pad));
	add(&s, bytes, n);
	end(&s, out);
}

void
ts_hmac_sha1(unsigned char out[TS_SHA1_SIZE], const unsigned char *key, size_t key_n,
	const char *text, size_t n)
{
	unsigned char inner[TS_SHA1_SIZE];

	assert(key_n <= TS_SHA1_KEY);
	keyed(inner, key, key_n, 0x36, text, n);
	keyed(out, key, key_n, 0x5c, inner, sizeof(inner));
}
