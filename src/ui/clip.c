/* SPDX-License-Identifier: MIT */
/* clip - OSC 52, see the header. */
#include "config.h"

#include <string.h>

#include "clip.h"
#include "tilescope/base/utf8.h"

static void
base64(struct ts_strbuf *out, const char *s, size_t n)
{
	static const char digit[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

	for (size_t i = 0; i < n; i += 3) {
		uint32_t v = (uint32_t)(unsigned char)s[i] << 16;

		v |= i + 1 < n ? (uint32_t)(unsigned char)s[i + 1] << 8 : 0;
		v |= i + 2 < n ? (uint32_t)(unsigned char)s[i + 2] : 0;
		ts_strbuf_putc(out, digit[v >> 18]);
		ts_strbuf_putc(out, digit[v >> 12 & 63]);
		ts_strbuf_putc(out, i + 1 < n ? digit[v >> 6 & 63] : '=');
		ts_strbuf_putc(out, i + 2 < n ? digit[v & 63] : '=');
	}
}

/* The text without control characters, cut between characters. */
static void
clean_copy(struct ts_strbuf *out, const char *s, size_t max)
{
	char enc[4];
	uint32_t cp;

	for (size_t n = strlen(s), used; n > 0; s += used, n -= used) {
		size_t len;

		used = ts_utf8_next(s, n, &cp);
		len = ts_utf8_encode(cp, enc);
		if (out->len + len > max)
			break;
		if ((cp >= ' ' && cp < 0x7f) || cp >= 0xa0 || cp == '\t' || cp == '\n')
			ts_strbuf_add(out, enc, len);
	}
}

void
ts_clip_osc52(struct ts_strbuf *out, const char *text, size_t max)
{
	struct ts_strbuf plain;

	ts_strbuf_init(&plain, max);
	clean_copy(&plain, text, max);
	ts_strbuf_puts(out, "\033]52;c;");
	base64(out, plain.s, plain.len);
	ts_strbuf_puts(out, "\a");
	ts_strbuf_fini(&plain);
}
