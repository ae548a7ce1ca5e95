/* SPDX-License-Identifier: MIT */
/*
 * utf8 - text from a report, which may be anything.
 *
 * Nothing here trusts its input: what is invalid decodes to U+FFFD, one for the longest part that could
 * have begun a character (the Unicode standard's recommendation).
 */
#ifndef TS_BASE_UTF8_H
#define TS_BASE_UTF8_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tilescope/base/strbuf.h"

enum { TS_CP_REPLACEMENT = 0xfffd };

/* Decode the code point at s (n >= 1 bytes left). Returns the bytes used (1..4). */
size_t ts_utf8_next(const char *s, size_t n, uint32_t *cp);

/* Encode; returns the number of bytes (1..4). A surrogate or out-of-range value becomes U+FFFD. */
size_t ts_utf8_encode(uint32_t cp, char out[4]);

bool ts_utf8_valid(const char *s, size_t n);

/* How many of its n bytes to take, at most `most`, so that no character is cut in two. */
size_t ts_utf8_cut(const char *s, size_t n, size_t most);

/* Append s with invalid parts replaced by U+FFFD and all else as it is: for files, not for terminals. */
void ts_utf8_mend(struct ts_strbuf *out, const char *s, size_t n);

/*
 * May this code point go to a terminal as it is? False for C0, DEL, C1, bidirectional controls,
 * line and paragraph separators, zero-width and format characters, surrogates, non-characters,
 * tags, variation selectors, combining marks (width 0), and what the C library cannot measure.
 */
bool ts_cp_safe(uint32_t cp);

/* Columns of a safe code point: 1 or 2. An unsafe one counts 1: it is shown as U+FFFD. */
int ts_cp_width(uint32_t cp);

/* Append s with every unsafe code point replaced by U+FFFD. */
void ts_utf8_safe(struct ts_strbuf *out, const char *s, size_t n);

/* The same in exactly `width` columns: cut (with "~" at the end) or filled with blanks. */
void ts_utf8_pad(struct ts_strbuf *out, const char *s, size_t n, int width);

/* Columns that ts_utf8_safe()'s result takes. */
int ts_utf8_columns(const char *s, size_t n);

/* Case-insensitive (ASCII letters) search of needle in hay; both NUL-terminated. */
bool ts_contains_nocase(const char *hay, const char *needle);

#endif
