/* SPDX-License-Identifier: MIT */
/*
 * tty - the terminal. src/ui/tty.c is the only file that knows curses.
 *
 * One terminal at a time (curses has global state). All calls from one thread, except
 * ts_tty_emergency(), which a handler of a fatal signal may call.
 *
 * Signals: curses' own SIGWINCH handler is used; the program keeps the signal blocked but during
 * ppoll(), and asks ts_tty_read() after every wake-up. SIGINT, SIGQUIT and SIGTSTP do not come
 * from keys: C-c, C-\ and C-z are keys like others.
 */
#ifndef TS_UI_TTY_H
#define TS_UI_TTY_H

#include <stdbool.h>

#include "tilescope/base/err.h"
#include "tilescope/base/log.h"
#include "tilescope/ui/canvas.h"
#include "tilescope/ui/colour.h"
#include "tilescope/ui/key.h"
#include "tilescope/ui/theme.h"

/*
 * The program sets LC_CTYPE at its start (src/app/main.c); widths and glyphs depend on it: "" as the
 * environment says; where that does not exist, C.UTF-8 if it asked for UTF-8. A codeset that is
 * not UTF-8 means ASCII glyphs. LC_NUMERIC stays C.
 */

struct ts_tty_options {
	bool ascii;    /* ASCII glyphs even though the locale has more */
	bool mouse;    /* report the mouse from the start */
	int depth;     /* enum ts_depth at most; -1 = what the terminal has. NO_COLOR wins: mono */
	int esc_delay; /* ms after Escape; -1 = 10, 100 over SSH. $ESCDELAY wins */
	struct ts_log *log; /* gets what is written to stderr meanwhile; NULL = dropped */
};

/* Filled in by ts_tty_open(). */
struct ts_tty_info {
	char term[64];	     /* terminal type that is used */
	bool replaced;	     /* it is not $TERM, which is unknown here */
	enum ts_depth depth; /* of colours */
	int colours, pairs;  /* as curses counts them */
	enum ts_glyphs glyphs;
	bool mouse; /* can be had */
};

struct ts_tty;

/*
 * Take the terminal: standard input and output where they are terminals, else /dev/tty. An unknown
 * $TERM is replaced by the nearest known one (info->replaced). Errors: TS_E_USAGE (no terminal at
 * all), TS_E_NOT_FOUND (no usable terminal type), TS_E_SYS, TS_E_NOMEM.
 */
enum ts_code ts_tty_open(struct ts_tty **out, const struct ts_tty_options *options,
	struct ts_err *err) TS_WARN_UNUSED;

/* Give the terminal back as it was, and stderr. NULL allowed. */
void ts_tty_close(struct ts_tty *t);

const struct ts_tty_info *ts_tty_info(const struct ts_tty *t);
void ts_tty_size(const struct ts_tty *t, int *w, int *h);

/* Descriptors for ppoll(): keys (POLLIN; POLLHUP = the terminal is gone), output, stderr's pipe. */
int ts_tty_fd(const struct ts_tty *t);
int ts_tty_out_fd(const struct ts_tty *t);
int ts_tty_stderr_fd(const struct ts_tty *t); /* -1 = none */

/* Has the terminal taken what was sent, so that a frame would not block? */
bool ts_tty_ready(const struct ts_tty *t);

/*
 * The next event without waiting (Escape alone may cost esc_delay). False: nothing there. A resize
 * comes as an event whether or not there are keys. Call until it says false.
 */
bool ts_tty_read(struct ts_tty *t, struct ts_event *out);

/* Move what was written to stderr into the log. */
void ts_tty_drain_stderr(struct ts_tty *t);

/* Show a canvas: one update, nothing is sent for what is unchanged. */
void ts_tty_show(struct ts_tty *t, const struct ts_canvas *c, const struct ts_theme *theme);

/* The next ts_tty_show() draws everything anew. */
void ts_tty_redraw(struct ts_tty *t);

/* Sound the bell, or flash. */
void ts_tty_bell(struct ts_tty *t);

/* Report the mouse or not; false when this terminal has none. */
bool ts_tty_mouse(struct ts_tty *t, bool on);

enum { TS_TTY_COPY_MAX = 8192 };

/*
 * Put text on the clipboard by OSC 52 (control characters left out, cut at TS_TTY_COPY_MAX bytes
 * between characters). False when the terminal does not take output now. Whether it obeys cannot be
 * known.
 */
bool ts_tty_copy(struct ts_tty *t, const char *text);

/* Give the terminal back, stop the process group, and take it again when continued. */
void ts_tty_suspend(struct ts_tty *t);

/*
 * Give the terminal back for a while (a child process uses it), and take it again. ts_tty_resume()
 * redraws everything.
 */
void ts_tty_leave(struct ts_tty *t);
void ts_tty_resume(struct ts_tty *t);

/*
 * From a handler of a fatal signal: restore modes, cursor, screen and stderr with read(), write(),
 * dup2() and tcsetattr() only; what was written to stderr and not yet read follows. Nothing else
 * may be called afterwards.
 */
void ts_tty_emergency(const struct ts_tty *t);

#endif
