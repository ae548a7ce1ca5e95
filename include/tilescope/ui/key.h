/* SPDX-License-Identifier: MIT */
/*
 * key - keys and other events from the terminal, and how they are written.
 *
 * A key is a number: a code point, or one of the named keys, with modifiers in the upper bits.
 * It is kept in one form: control letters are lower case with TS_KEY_CTRL, Shift is only a flag on
 * named keys (a shifted letter is another letter), C-i is Tab, C-m and C-j are Enter, C-[ is Esc,
 * C-h is Backspace, because a terminal cannot tell them apart.
 *
 * As text: `x`, `C-o`, `M-o`, `S-Tab`, `C-M-Left`, `F1`, `PgUp`. A sequence is written without
 * blanks where all keys are plain characters (`gm`), else with blanks between (`C-x C-c`).
 */
#ifndef TS_UI_KEY_H
#define TS_UI_KEY_H

#include <stdbool.h>
#include <stdint.h>

typedef uint32_t ts_key;

#define TS_KEY_SHIFT ((ts_key)1 << 24)
#define TS_KEY_CTRL ((ts_key)1 << 25)
#define TS_KEY_ALT ((ts_key)1 << 26)
#define TS_KEY_CODE(key) ((key)&0xffffffu) /* without modifiers */

/* X(ID, name). Aliases are in key.c. */
#define TS_KEYS(X)                \
	X(ESC, "Esc")             \
	X(ENTER, "Enter")         \
	X(TAB, "Tab")             \
	X(BACKSPACE, "Backspace") \
	X(UP, "Up")               \
	X(DOWN, "Down")           \
	X(LEFT, "Left")           \
	X(RIGHT, "Right")         \
	X(HOME, "Home")           \
	X(END, "End")             \
	X(PGUP, "PgUp")           \
	X(PGDN, "PgDn")           \
	X(INSERT, "Ins")          \
	X(DELETE, "Del")          \
	X(F1, "F1")               \
	X(F2, "F2")               \
	X(F3, "F3")               \
	X(F4, "F4")               \
	X(F5, "F5")               \
	X(F6, "F6")               \
	X(F7, "F7")               \
	X(F8, "F8")               \
	X(F9, "F9")               \
	X(F10, "F10")             \
	X(F11, "F11")             \
	X(F12, "F12")

enum ts_key_named {
	TS_KEY_NONE = 0,
	TS_KEY_NAMED = 0x110000, /* first above Unicode */
#define X(id, name) TS_KEY_##id,
	TS_KEYS(X)
#undef X
		TS_KEY_NAMED_END
};

enum { TS_KEY_TEXT = 24, TS_KEYS_MAX = 4, TS_KEYS_TEXT = TS_KEYS_MAX * TS_KEY_TEXT };

/* A sequence of keys. */
struct ts_keys {
	int n;
	ts_key key[TS_KEYS_MAX];
};

/* A key from a code point as the terminal sent it: control characters get their names. */
ts_key ts_key_from_char(uint32_t cp);

/* One key as text. Returns out. */
const char *ts_key_print(char out[TS_KEY_TEXT], ts_key key);
const char *ts_keys_print(char out[TS_KEYS_TEXT], const struct ts_keys *keys);

/*
 * Read one key, or a sequence. A part between blanks that is a key's name (case matters only for
 * single characters) is that key; any other part is a key per character. Names for characters
 * that are awkward in a file: Space, Hash, Quote, Backslash, Minus. False: not keys, or too many.
 */
bool ts_key_parse(const char *s, ts_key *out);
bool ts_keys_parse(const char *s, struct ts_keys *out);

/* Is it a character that can be typed into a prompt? */
bool ts_key_is_text(ts_key key);

/* ---- events ---- */

enum ts_event_type {
	TS_EVENT_KEY,
	TS_EVENT_PASTE, /* `key` was pasted, not typed: text for a prompt, never a command */
	TS_EVENT_MOUSE,
	TS_EVENT_RESIZE, /* the size is another: ts_tty_size() */
};

enum ts_mouse {
	TS_MOUSE_PRESS,	 /* left button */
	TS_MOUSE_DOUBLE, /* left button twice */
	TS_MOUSE_RIGHT,
	TS_MOUSE_MIDDLE,
	TS_MOUSE_WHEEL_UP,
	TS_MOUSE_WHEEL_DOWN,
};

struct ts_event {
	enum ts_event_type type;
	ts_key key;	     /* KEY, PASTE; MOUSE: modifiers only */
	enum ts_mouse mouse; /* MOUSE */
	int x, y;	     /* MOUSE: cell of the screen */
};

#endif
