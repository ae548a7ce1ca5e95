/* SPDX-License-Identifier: MIT */
/* strbuf - see the header. */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tilescope/base/mem.h"
#include "tilescope/base/strbuf.h"

void
ts_strbuf_init(struct ts_strbuf *b, size_t max)
{
	*b = (struct ts_strbuf){.s = (char *)"", .max = max};
}

void
ts_strbuf_fini(struct ts_strbuf *b)
{
	if (b->cap)
		free(b->s);
	ts_strbuf_init(b, b->max);
}

void
ts_strbuf_reset(struct ts_strbuf *b)
{
	b->len = 0;
	b->cut = b->nomem = false;
	if (b->cap)
		b->s[0] = '\0';
}

/* Room for n more bytes and the NUL; returns how many of the n fit. */
static size_t
make_room(struct ts_strbuf *b, size_t n)
{
	size_t want, cap;
	char *bigger;

	if (n > b->max - b->len) {
		n = b->max - b->len;
		b->cut = true;
	}
	want = b->len + n + 1;
	if (want <= b->cap)
		return n;
	cap = b->cap + b->cap / 2 + 64;
	if (cap < want)
		cap = want;
	bigger = ts_resize(b->cap ? b->s : NULL, cap, 1);
	if (!bigger) {
		b->cut = b->nomem = true;
		return 0;
	}
	bigger[b->len] = '\0';
	b->s = bigger;
	b->cap = cap;
	return n;
}

void
ts_strbuf_add(struct ts_strbuf *b, const char *s, size_t n)
{
	n = make_room(b, n);
	if (n == 0)
		return;
	memcpy(b->s + b->len, s, n);
	b->len += n;
	b->s[b->len] = '\0';
}

void
ts_strbuf_puts(struct ts_strbuf *b, const char *s)
{
	ts_strbuf_add(b, s, strlen(s));
}

void
ts_strbuf_putc(struct ts_strbuf *b, char c)
{
	ts_strbuf_add(b, &c, 1);
}

void
ts_strbuf_vprintf(struct ts_strbuf *b, const char *fmt, va_list ap)
{
	char small[256], *big;
	va_list again;
	int n;

	va_copy(again, ap);
	n = vsnprintf(small, sizeof(small), fmt, ap);
	if (n >= 0 && (size_t)n < sizeof(small)) {
		ts_strbuf_add(b, small, (size_t)n);
	} else if (n >= 0) {
		big = ts_alloc((size_t)n + 1, 1);
		if (big) {
			vsnprintf(big, (size_t)n + 1, fmt, again);
			ts_strbuf_add(b, big, (size_t)n);
			free(big);
		} else {
			b->cut = b->nomem = true;
		}
	}
	va_end(again);
}

void
ts_strbuf_printf(struct ts_strbuf *b, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	ts_strbuf_vprintf(b, fmt, ap);
	va_end(ap);
}

void
ts_strbuf_shell(struct ts_strbuf *b, const char *s)
{
	if (*s &&
		strspn(s,
			"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_/.,:=@+-") ==
			strlen(s)) {
		ts_strbuf_puts(b, s);
		return;
	}
	ts_strbuf_putc(b, '\'');
	for (; *s; s++)
		if (*s == '\'')
			ts_strbuf_puts(b, "'\\''");
		else
			ts_strbuf_putc(b, *s);
	ts_strbuf_putc(b, '\'');
}

char *
ts_strbuf_take(struct ts_strbuf *b)
{
	char *s = b->cap ? b->s : ts_alloc(1, 1);

	if (b->nomem) {
		free(s);
		s = NULL;
	}
	ts_strbuf_init(b, b->max);
	return s;
}
