/* SPDX-License-Identifier: MIT */
/*
 * lex - the one line grammar of keymaps, themes, built-in schema maps and the configuration file.
 *
 * A line is a list of words separated by blanks. "..." quotes a word (inside it \" \\ \n \t);
 * a word that starts with # ends the line (a comment), unless at least one more character that is not
 * a blank follows it and it is not the first word: `#rrggbb` is a word, `# text` a comment.
 * Lines end with LF or CR LF. Words are cut out of the buffer in place.
 */
#ifndef TS_BASE_LEX_H
#define TS_BASE_LEX_H

#include <stdbool.h>
#include <stddef.h>

#include "tilescope/base/err.h"

enum { TS_LEX_WORDS = 32, TS_LEX_FILE_MAX = 1 << 20 };

struct ts_line {
	int number; /* 1 = first */
	int count;  /* words, 1..TS_LEX_WORDS */
	char *word[TS_LEX_WORDS];
};

/* Called for every line with words. Return false to stop. */
typedef bool ts_line_fn(void *ctx, const struct ts_line *line);

/* Called for every line that cannot be split; `reason` as in "unterminated quote". */
typedef void ts_line_bad_fn(void *ctx, int number, const char *reason);

/* Split `text` (changed in place, NUL-terminated). */
void ts_lex(char *text, ts_line_fn *each, ts_line_bad_fn *bad, void *ctx);

/*
 * Read a whole small file (at most TS_LEX_FILE_MAX bytes) into *text (the caller's, free()).
 * Errors: TS_E_NOT_FOUND, TS_E_SYS, TS_E_LIMIT, TS_E_NOMEM. NUL bytes become blanks.
 */
enum ts_code ts_lex_read(char **text, const char *path, struct ts_err *err) TS_WARN_UNUSED;

#endif
