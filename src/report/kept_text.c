/* SPDX-License-Identifier: MIT */
/* kept_text - see the header. */
#include "config.h"

#include "tilescope/report/kept_text.h"

uint32_t
ts_kept_text(struct ts_strbuf *text, size_t limit, struct ts_rows *rows, int column, size_t most)
{
	const char *s;
	size_t n, at = text->len;

	if (ts_rows_text(rows, column, &s, &n) != TS_VALUE_OK || n == 0)
		return 0;
	n = n < most ? n : most;
	if (text->len + n + 1 > limit)
		return 0;
	for (size_t i = 0; i < n; i++)
		ts_strbuf_putc(text, s[i] ? s[i] : '?');
	ts_strbuf_add(text, "", 1);
	return text->cut ? 0 : (uint32_t)at;
}
