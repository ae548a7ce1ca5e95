/* SPDX-License-Identifier: MIT */
/*
 * effect - what a handler of a command or an event wants to happen next.
 *
 * Handlers change their own state and return flags; only the loop lays out, asks, draws and quits.
 * Flags of several handlers are or-ed together.
 */
#ifndef TS_UI_EFFECT_H
#define TS_UI_EFFECT_H

enum ts_effect {
	TS_EFFECT_NONE = 0,	    /* handled, nothing to see */
	TS_EFFECT_REPAINT = 1 << 0, /* draw again */
	TS_EFFECT_RECALC = 1 << 1,  /* other rows or buckets are in sight: ask for them */
	TS_EFFECT_SELECT = 1 << 2,  /* another object is under the cursor: linked panes follow */
	TS_EFFECT_REFLOW = 1 << 3,  /* lay the panes out again */
	TS_EFFECT_CLOSE = 1 << 4,   /* close this view */
	TS_EFFECT_QUIT = 1 << 5,    /* leave the program */
	TS_EFFECT_BELL = 1 << 6,    /* it cannot be done from here (at the end, nothing found) */
	TS_EFFECT_UNKNOWN = 1 << 7, /* not mine: try the next handler */
	TS_EFFECT_LATER = 1 << 8,   /* draw it with the progress of the work that goes on */
	/* what was asked for is there: what comes behind it is not waited for */
	TS_EFFECT_SOON = 1 << 9,
};

#endif
