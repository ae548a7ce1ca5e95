/* SPDX-License-Identifier: MIT */
/*
 * host_match - names of hosts against patterns, as OpenSSH reads them: `*` is any text, `?` one character, and of a
 * list `a,!b,c` one that matches behind a `!` excludes.
 */
#ifndef TS_IO_HOST_MATCH_H
#define TS_IO_HOST_MATCH_H

#include <stddef.h>

enum ts_host_match { TS_HOST_NO, TS_HOST_YES, TS_HOST_EXCLUDED };

/* One pattern of n bytes, with or without a `!` before it. Letters match whatever their case where `nocase`. */
enum ts_host_match ts_host_match(const char *name, const char *pattern, size_t n, int nocase);

/* A list between commas. */
enum ts_host_match ts_host_match_list(const char *name, const char *list, int nocase);

#endif
