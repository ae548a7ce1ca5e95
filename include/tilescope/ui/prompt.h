/* SPDX-License-Identifier: MIT */
/*
 * prompt - one line that the user types: `:` commands, `/` searches, numbers.
 *
 * It edits UTF-8 by whole characters, remembers lines in a history that the owner keeps, and
 * completes words with a function of the owner. It does nothing by itself: keys come in as commands
 * of the context `prompt` or as characters, and ACCEPT hands the line back.
 */
#ifndef TS_UI_PROMPT_H
#define TS_UI_PROMPT_H

#include <stdbool.h>
#include <stddef.h>

#include "tilescope/ui/canvas.h"
#include "tilescope/ui/command.h"
#include "tilescope/ui/key.h"

enum {
	TS_PROMPT_MAX = 1024,	/* bytes of a line, NUL included */
	TS_PROMPT_HISTORY = 64, /* lines */
	TS_PROMPT_CANDIDATES = 64,
	TS_PROMPT_CANDIDATE = 64, /* bytes, NUL included; longer ones are not offered */
};

/* Lines typed before, oldest first; one for each kind of prompt. */
struct ts_history {
	char *line[TS_PROMPT_HISTORY];
	int count;
};

void ts_history_init(struct ts_history *h);
void ts_history_fini(struct ts_history *h);
/* Append a line unless empty; the same line earlier goes. Without memory: not remembered. */
void ts_history_add(struct ts_history *h, const char *line);

struct ts_candidates {
	size_t start; /* byte of the line where the word begins that is replaced */
	int count;
	char text[TS_PROMPT_CANDIDATES][TS_PROMPT_CANDIDATE];
};

/* Fill *out for the line up to the cursor (NUL-terminated there). */
typedef void ts_complete_fn(void *ctx, const char *line, struct ts_candidates *out);

/* Add one candidate (ignored when there is no room). For use in a ts_complete_fn. */
void ts_candidates_add(struct ts_candidates *out, const char *s);

enum ts_prompt_result {
	TS_PROMPT_IGNORED, /* not a command of the prompt */
	TS_PROMPT_EDITED,  /* repaint; the text or the cursor may be another */
	TS_PROMPT_ACCEPTED,
	TS_PROMPT_ON,	     /* as ACCEPTED, and the line stays: a search goes on, */
	TS_PROMPT_ON_BACK,   /* and backwards */
	TS_PROMPT_DISMISSED, /* also when the first character is erased from an empty line */
};

struct ts_prompt {
	char label[32];
	char text[TS_PROMPT_MAX];
	size_t len, cursor;	  /* bytes; the cursor stands on the begin of a character */
	char kept[TS_PROMPT_MAX]; /* the line being typed while older ones are looked at */
	int back;		  /* 0 = the line being typed, 1 = the newest of the history, ... */
	struct ts_history *history;
	ts_complete_fn *complete;
	void *ctx;
	bool hidden;	  /* a secret: a mark for each character is drawn */
	const char *hint; /* what may be typed, above the line; or NULL */
	struct ts_candidates found;
	int chosen; /* candidate in the line, -1 = none offered */
};

/* Begin with a label (":", "/"), a text (NULL = empty), a history and a completion (or NULL). */
void ts_prompt_open(struct ts_prompt *p, const char *label, const char *text,
	struct ts_history *history, ts_complete_fn *complete, void *ctx);

/* Say above the line what may be typed (not copied; NULL = nothing); candidates take its place. */
void ts_prompt_hint(struct ts_prompt *p, const char *hint);

/* Type one character (ts_key_is_text); control characters and what does not fit are ignored. */
enum ts_prompt_result ts_prompt_type(struct ts_prompt *p, ts_key key);

/* A command of context `prompt`. ACCEPTED, ON and ON_BACK also add the line to the history. */
enum ts_prompt_result ts_prompt_command(struct ts_prompt *p, enum ts_cmd cmd);

/*
 * Draw into the last row of r; candidates, when there are several, else the hint into the row above
 * it if r has one. Puts the terminal's cursor. A line that is too long scrolls with the cursor.
 */
void ts_prompt_draw(struct ts_canvas *c, struct ts_rect r, const struct ts_prompt *p);

#endif
