/* SPDX-License-Identifier: MIT */
/*
 * reader - what themes and keymaps have in common: lines that inherit, and complaints about them.
 * Private to ui/.
 */
#ifndef TS_SRC_UI_READER_H
#define TS_SRC_UI_READER_H

#include "tilescope/base/lex.h"
#include "tilescope/base/strbuf.h"
#include "tilescope/ui/theme.h"

struct ts_reader {
	ts_text_fn *find;
	void *find_ctx;
	struct ts_strbuf *complaints;
	ts_line_fn *each; /* gets `into` */
	void *into;
	const char *file; /* being read */
	int line;
	int depth; /* 0 = the file asked for, 1 = what it inherits, ... */
	int count; /* complaints */
};

/* Append "file:line: reason" (the current line). */
void ts_reader_complain(struct ts_reader *r, const char *fmt, ...) TS_PRINTF(2, 3);

/* Read a text: every line goes to r->each with r->into. */
void ts_reader_read(struct ts_reader *r, const char *file, const char *text);

/* The line `inherit NAME` of the file being read. */
void ts_reader_inherit(struct ts_reader *r, const struct ts_line *line);

#endif
