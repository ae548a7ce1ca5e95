/* SPDX-License-Identifier: MIT */
/* frame - what curses writes for one update, sent to the terminal at once. Private to ui/. */
#ifndef TS_SRC_UI_FRAME_H
#define TS_SRC_UI_FRAME_H

#include <stdbool.h>

struct ts_frame {
	int terminal; /* the terminal, also while `out` is the file; -1 = frames are not gathered */
	int file;
	int out; /* what curses writes to */
	bool gathering;
};

/* `out` is the terminal. Where it cannot be done, frames go out as curses writes them. */
void ts_frame_open(struct ts_frame *f, int out);

/* What is written to `out` between these two goes to the terminal in one piece. */
void ts_frame_begin(struct ts_frame *f);
void ts_frame_end(struct ts_frame *f);

void ts_frame_close(struct ts_frame *f);

#endif
