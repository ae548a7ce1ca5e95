/* SPDX-License-Identifier: MIT */
/*
 * sha1 - HMAC-SHA1 (FIPS 180-4, RFC 2104): with it names of hosts are hidden in known_hosts, and with nothing
 * else here. What a key is has a better hash.
 */
#ifndef TS_IO_SHA1_H
#define TS_IO_SHA1_H

#include <stddef.h>

enum { TS_SHA1_SIZE = 20, TS_SHA1_KEY = 64 /* bytes of a key, at most */ };

void ts_hmac_sha1(unsigned char out[TS_SHA1_SIZE], const unsigned char *key, size_t key_n,
	const char *text, size_t n);

#endif
