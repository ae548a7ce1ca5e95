/* SPDX-License-Identifier: MIT */
/* reader - see the header. */
#include "config.h"

#include <stdarg.h>
#include <stdlib.h>

#include "reader.h"
#include "tilescope/base/mem.h"

enum { INHERIT_DEPTH = 8 };

void
ts_reader_complain(struct ts_reader *r, const char *fmt, ...)
{
	va_list ap;

	r->count++;
	if (!r->complaints)
		return;
	ts_strbuf_printf(r->complaints, "%s:%d: ", r->file, r->line);
	va_start(ap, fmt);
	ts_strbuf_vprintf(r->complaints, fmt, ap);
	va_end(ap);
	ts_strbuf_putc(r->complaints, '\n');
}

static bool
each_line(void *ctx, const struct ts_line *line)
{
	struct ts_reader *r = ctx;

	r->line = line->number;
	return r->each(r->into, line);
}

static void
bad_line(void *ctx, int number, const char *reason)
{
	struct ts_reader *r = ctx;

	r->line = number;
	ts_reader_complain(r, "%s", reason);
}

void
ts_reader_read(struct ts_reader *r, const char *file, const char *text)
{
	char *copy = ts_strdup(text);

	r->file = file;
	r->line = 0;
	if (!copy) {
		ts_reader_complain(r, "out of memory");
		return;
	}
	ts_lex(copy, each_line, bad_line, r);
	free(copy);
}

void
ts_reader_inherit(struct ts_reader *r, const struct ts_line *line)
{
	const char *file = r->file, *text = NULL;
	int number = r->line;

	if (line->count != 2) {
		ts_reader_complain(r, "inherit takes one name");
		return;
	}
	if (r->depth + 1 >= INHERIT_DEPTH) {
		ts_reader_complain(r, "inherits in a circle, or more than %d deep", INHERIT_DEPTH);
		return;
	}
	if (r->find)
		text = r->find(r->find_ctx, line->word[1]);
	if (!text) {
		ts_reader_complain(r, "there is no \"%s\" to inherit", line->word[1]);
		return;
	}
	r->depth++;
	ts_reader_read(r, line->word[1], text);
	r->depth--;
	r->file = file;
	r->line = number;
}
