/* SPDX-License-Identifier: MIT */
/*
 * shown - the rows that curses was given last.
 *
 * To give curses a row takes longer than to make it: what has not changed is not given again. A row is what its cells look like on
 * this terminal, not what they mean, so another theme, or another number for a pair of colours, is another row.
 */
#ifndef TS_UI_SHOWN_H
#define TS_UI_SHOWN_H

#include <stdbool.h>
#include <stdint.h>

enum { TS_SHOWN_COVERED = INT32_MAX /* the right half of a wide character */ };

struct ts_shown_cell {
	uint32_t cp;   /* code point; or TS_SHOWN_COVERED */
	uint32_t attr; /* of curses */
	int32_t pair;
};

struct ts_shown {
	struct ts_shown_cell *cell; /* h rows of w */
	bool *known;		    /* by row */
	int w, h;
};

/* Before the rows of a frame. Of another size than the last one none is known; nor without memory. */
void ts_shown_begin(struct ts_shown *s, int w, int h);

/* Is row y (0 .. h - 1) as it was given last? It is this one (w cells) from now on. */
bool ts_shown_is(struct ts_shown *s, int y, const struct ts_shown_cell *row);

/* Somebody else has changed what curses has. */
void ts_shown_forget(struct ts_shown *s);
void ts_shown_fini(struct ts_shown *s);

#endif
