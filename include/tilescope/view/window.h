/* SPDX-License-Identifier: MIT */
/*
 * window - how often the rows that a list shows were there when they were wanted.
 *
 * Views keep windows of rows, each in its own way; what all of them do is counted here, for the Jobs
 * view: what they may hold at most, what they hold, how many rows of the screen were there (hits) or had to be
 * fetched (misses), and for how long the screen had to do without them (waits).
 *
 * Everything here is the UI thread's.
 */
#ifndef TS_VIEW_WINDOW_H
#define TS_VIEW_WINDOW_H

#include <stdbool.h>
#include <stdint.h>

#include "tilescope/ui/list.h"

enum ts_window_id {
	TS_WINDOW_MEMORY,
	TS_WINDOW_LIVENESS,
	TS_WINDOW_TRACE,
	TS_WINDOW_VARIABLES,
	TS_WINDOW_TABLES,
	TS_WINDOW_COUNT,
};

struct ts_view;

struct ts_window {
	int64_t most_rows, most_bytes; /* that it ever holds */
	int64_t rows, bytes;	       /* held */
	int64_t hits, misses;	       /* rows */
	int64_t waits, wait_us; /* times that frames were drawn without rows, and for how long */
	int64_t from, to;	/* rows wanted last, ... */
	uint64_t of;		/* ... and of what */
	const struct ts_view *view; /* that wants them */
	bool wanted;		    /* they are not here */
	int64_t since_us;	    /* a frame shows that; 0 = none does yet */
};

/* "Trace: steps". */
const char *ts_window_name(enum ts_window_id id);

/* Set what all of TS_WINDOW_COUNT hold at most. */
void ts_windows_init(struct ts_window *windows);

/*
 * The list of `v` shows what it shows of something (`of`: a tile, a step, whatever it is a list of), and the rows
 * [have_from, have_to) of that are here. Called as often as the view likes: the same rows count once.
 */
void ts_window_want(struct ts_view *v, enum ts_window_id id, const struct ts_list *list,
	uint64_t of, int64_t have_from, int64_t have_to);

/* It holds so much from now on. */
void ts_window_hold(struct ts_view *v, enum ts_window_id id, int64_t rows, int64_t bytes);

/* A frame with `view` was drawn (ts_clock_us()): of the windows all of TS_WINDOW_COUNT. */
void ts_window_drawn(struct ts_window *windows, const struct ts_view *view, int64_t now);

#endif
