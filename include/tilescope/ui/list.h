/* SPDX-License-Identifier: MIT */
/*
 * list - cursor and scrolling of a list of rows, and nothing else.
 *
 * A list knows how many rows there are (or that it does not know yet), how many fit on the screen,
 * which is the first of these and which one the cursor is on. It neither holds nor draws rows: a
 * view reads ts_list_window(), asks for what ts_list_enough() says, draws with table.h.
 *
 * Rows are numbered from 0. Counts go up to TS_LIST_MAX (2^53); anything is clamped.
 */
#ifndef TS_UI_LIST_H
#define TS_UI_LIST_H

#include <stdbool.h>
#include <stdint.h>

#include "tilescope/ui/command.h"
#include "tilescope/ui/effect.h"

#define TS_LIST_MAX ((int64_t)1 << 53)
#define TS_LIST_UNKNOWN ((int64_t)-1)

struct ts_list {
	int64_t count;	/* rows, or TS_LIST_UNKNOWN */
	int64_t top;	/* first row on the screen */
	int64_t cursor; /* row under the cursor; 0 when there are no rows */
	int rows;	/* that fit on the screen; 0 before the first resize */
	int left;	/* columns that long text is moved to the left (0..TS_LIST_LEFT) */
	int travel;	/* -1, 0, 1: direction of the last move, for prefetching */
};

enum { TS_LIST_LEFT = 8192 };

void ts_list_init(struct ts_list *l);

/*
 * Set the number of rows. The cursor stays on its row where that still exists, the row under
 * the cursor stays on its line of the screen. While the count is unknown the cursor may go
 * anywhere below TS_LIST_MAX; the view learns the end and says so here.
 */
void ts_list_set_count(struct ts_list *l, int64_t count);

/* Rows that fit on the screen now. The cursor stays visible. */
void ts_list_resize(struct ts_list *l, int rows);

/* Put the cursor on a row; the screen scrolls as little as needed. */
enum ts_effect ts_list_go(struct ts_list *l, int64_t row);

/* The same, with the row in the middle of the screen when it was not visible (search, goto). */
enum ts_effect ts_list_jump(struct ts_list *l, int64_t row);

/*
 * The row under the cursor has another number now (reload, other order): follow it and keep its
 * line of the screen.
 */
void ts_list_follow(struct ts_list *l, int64_t row);

/*
 * UP, DOWN, PAGE_UP, PAGE_DOWN, HALF_UP, HALF_DOWN, FIRST, LAST, LEFT, RIGHT. REPAINT when anything
 * moved, SELECT when the cursor did, RECALC when the screen shows other rows, BELL at the ends;
 * UNKNOWN for other commands. LAST does nothing (BELL) while the count is unknown.
 */
enum ts_effect ts_list_command(struct ts_list *l, enum ts_cmd cmd);

/* The wheel: scroll by n rows (negative: up), the cursor stays on the screen. */
enum ts_effect ts_list_scroll(struct ts_list *l, int64_t n);

/* The mouse over line `line` of the list (0 = its first on the screen): the wheel (-1, 1), or a click (0). */
enum ts_effect ts_list_mouse(struct ts_list *l, int line, int wheel);

/* Rows on the screen, half-open. With an unknown count the screen is taken to be full. */
void ts_list_window(const struct ts_list *l, int64_t *from, int64_t *to);

/*
 * Are the rows [have_from, have_to) that the view holds enough? False: fetch [*from, *to), about
 * three screens, more of it in the direction of travel. True as long as the screen and half a
 * screen in the direction of travel are there (or the list ends before).
 */
bool ts_list_enough(const struct ts_list *l, int64_t have_from, int64_t have_to, int64_t *from,
	int64_t *to);

/* A hit of a search: its place (-1: there is none), and that it is the `number`th (from 1) of `count`. */
struct ts_list_hit {
	int64_t at, number, count;
};

typedef bool ts_list_is_fn(void *ctx, int64_t place);

/*
 * The next place from the cursor on in a direction (1, -1), round and round, for which `is` holds; `here`: the cursor's own comes
 * first, else last. Each place is asked once. A list of unknown length has none.
 */
struct ts_list_hit ts_list_find(const struct ts_list *l, int step, bool here, ts_list_is_fn *is,
	void *ctx);

/* The row on line y of the screen (mouse), or -1. */
int64_t ts_list_at(const struct ts_list *l, int y);

#endif
