/* SPDX-License-Identifier: MIT */
/* kept_text - names of rows that are kept one behind the other in one buffer, and known by their place in it. */
#ifndef TS_REPORT_KEPT_TEXT_H
#define TS_REPORT_KEPT_TEXT_H

#include <stddef.h>
#include <stdint.h>

#include "tilescope/base/strbuf.h"
#include "tilescope/report/rows.h"

/*
 * Put the text of a column of the row behind the others in `text`, at most `most` bytes of it, a NUL behind it (one inside
 * becomes `?`). Where it begins; 0: there is none, or no room for it in `limit` bytes. The caller puts something at 0.
 */
uint32_t ts_kept_text(struct ts_strbuf *text, size_t limit, struct ts_rows *rows, int column,
	size_t most);

#endif
