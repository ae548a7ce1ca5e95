/* SPDX-License-Identifier: MIT */
/* notes - what the user should know about a report, each sentence once. */
#include "config.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tilescope/base/mem.h"
#include "tilescope/io/files.h"
#include "tilescope/report/report.h"

void
ts_notes_add(struct ts_notes *n, const char *fmt, ...)
{
	char text[TS_NOTE_MAX];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	for (int i = 0; i < n->count; i++)
		if (strcmp(n->note[i], text) == 0)
			return;
	if (n->count == TS_NOTES)
		return;
	n->note[n->count] = ts_strdup(text);
	n->count += n->note[n->count] != NULL;
}

void
ts_notes_copy(struct ts_notes *to, const struct ts_notes *from)
{
	for (int i = 0; i < from->count; i++)
		ts_notes_add(to, "%s", from->note[i]);
	to->partial |= from->partial;
}

enum ts_code
ts_notes_soften(struct ts_notes *n, enum ts_code code, const char *what, const struct ts_err *why,
	struct ts_err *err)
{
	if (code == TS_OK || code == TS_E_ABSENT)
		return TS_OK;
	if (ts_ends_all(code)) {
		if (err)
			*err = *why;
		return code;
	}
	n->partial = true;
	ts_notes_add(n, "%s: %s (what could be read is shown)", what, why->msg);
	return TS_OK;
}

void
ts_notes_left_out(struct ts_notes *n, const char *what, int64_t rows, const char *why)
{
	if (rows > 0)
		ts_notes_add(n, "%s: %lld row%s left out: %s", what, (long long)rows,
			rows == 1 ? "" : "s", why);
}

void
ts_notes_fini(struct ts_notes *n)
{
	for (int i = 0; i < n->count; i++)
		free(n->note[i]);
	*n = (struct ts_notes){0};
}
