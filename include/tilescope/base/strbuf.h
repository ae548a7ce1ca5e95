/* SPDX-License-Identifier: MIT */
/*
 * strbuf - text that grows, up to a maximum that is set when it is made.
 *
 * Appending never fails in the caller's hands: what does not fit (the maximum, or no memory) is cut
 * and `cut` is set, to be looked at once at the end. `s` is always NUL-terminated, never NULL.
 */
#ifndef TS_BASE_STRBUF_H
#define TS_BASE_STRBUF_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

#include "tilescope/base/err.h"

struct ts_strbuf {
	char *s;    /* text, NUL-terminated; may hold NUL bytes inside */
	size_t len; /* bytes without the final NUL */
	size_t cap; /* bytes allocated; 0 = `s` points to a constant "" */
	size_t max; /* `len` never exceeds it */
	bool cut;   /* something did not fit */
	bool nomem; /* ... because there was no memory, not because of `max` */
};

void ts_strbuf_init(struct ts_strbuf *b, size_t max);
void ts_strbuf_fini(struct ts_strbuf *b);
void ts_strbuf_reset(struct ts_strbuf *b); /* empty again, memory kept */
void ts_strbuf_add(struct ts_strbuf *b, const char *s, size_t n);
void ts_strbuf_puts(struct ts_strbuf *b, const char *s);
void ts_strbuf_putc(struct ts_strbuf *b, char c);
void ts_strbuf_printf(struct ts_strbuf *b, const char *fmt, ...) TS_PRINTF(2, 3);
void ts_strbuf_vprintf(struct ts_strbuf *b, const char *fmt, va_list ap) TS_PRINTF(2, 0);

/* `s` as one word of a shell's line: as it is, or between single quotes. */
void ts_strbuf_shell(struct ts_strbuf *b, const char *s);

/*
 * The text, now the caller's (free() it); NULL when there was no memory for all of it. The buffer is
 * empty again.
 */
char *ts_strbuf_take(struct ts_strbuf *b) TS_WARN_UNUSED;

#endif
