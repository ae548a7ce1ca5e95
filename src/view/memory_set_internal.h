/* SPDX-License-Identifier: MIT */
/* memory_set_internal - what memory_set.c (asking) and memory_set_table.c (drawing, writing) share. */
#ifndef TS_VIEW_MEMORY_SET_INTERNAL_H
#define TS_VIEW_MEMORY_SET_INTERNAL_H

#include <stdatomic.h>

#include "tilescope/report/set_variables.h"
#include "tilescope/view/arranged.h"
#include "tilescope/view/sheet.h"

#include "memory_set.h"

enum {
	S_NAME,
	S_CATEGORY,
	S_BYTES,
	S_SHARE,
	S_TILES,
	S_PIECES,
	S_FULLEST,
	S_FULLEST_TILE,
	S_TICK,
	S_COLUMNS
};

/* More rows than this are arranged and searched by a worker. */

/* An answer: shared, read-only when it is there. */
struct set_names {
	atomic_int uses;
	struct ts_set_variables v;
};

void memory_set_close_names(struct set_names *n); /* NULL allowed */

/* Where the name of a row is: its largest piece on the tile that has most of it. */
struct set_place {
	uint64_t data; /* struct set_tab.data that it is of; 0: of none */
	int64_t row, tile;
	bool found;  /* `piece` is known, without its name */
	bool failed; /* it could not be looked for, or that was stopped: a key asks again */
	struct ts_tile_variable piece;
};

struct set_tab {
	struct memory_asked ask;
	struct set_names *names; /* NULL: nothing is here */
	uint64_t data;
	struct ts_fetch *looking; /* at some of the tiles, while all are being read */
	int64_t some;		  /* `names` are of so many tiles only; 0: of all */
	size_t most;		  /* that `names` may have */
	struct ts_fetch *rest;	  /* all names, while the largest are here */
	bool rest_urgent;
	bool rest_failed; /* not asked for again, until the order is another one than */
	struct ts_table_wish rest_for;
	struct ts_list list;
	struct ts_table_order order;
	struct ts_arranging arranging; /* of more than TS_ARRANGED_FROM rows */
	struct ts_row_search search;
	struct set_place place;
	struct ts_fetch *placing; /* it is being looked for */
	enum ts_cmd place_then;	  /* what goes on when it is here; TS_CMD_COUNT: nothing */
};

static inline struct set_tab *
memory_set_of(const struct ts_tab *t)
{
	return t->own;
}

/* What is here; empty where nothing is. */
const struct ts_set_variables *memory_set_variables_of(const struct ts_tab *t);

/* Are the largest names here, and all can be? */
static inline bool
memory_set_lacks_names(const struct ts_tab *t)
{
	const struct set_tab *s = memory_set_of(t);

	return s->ask.here && s->some == 0 && s->most < TS_SET_NAMES &&
		memory_set_variables_of(t)->count < memory_set_variables_of(t)->names;
}

/* Are the others on their way? */
static inline bool
memory_set_waits_for_names(const struct ts_tab *t)
{
	return memory_set_lacks_names(t) && !memory_set_of(t)->rest_failed;
}

/* Are these, or names of all tiles behind a first look at some? */
static inline bool
memory_set_waits_for_all(const struct ts_tab *t)
{
	return memory_set_of(t)->ask.sent || memory_set_waits_for_names(t);
}

/* The row under the cursor, or -1. */
int64_t memory_set_row(const struct ts_tab *t);

/* --- memory_set_place.c; `kind` is that of its fetch --- */

/* Debug is in sight, and wants to know. */
void memory_set_ask_place(struct ts_tab *t, int kind);

/* OPEN, MARK, GOTO_...: at once where it is known, else when it is. */
enum ts_effect memory_set_place_command(struct ts_tab *t, int kind, enum ts_cmd cmd);
enum ts_effect memory_set_take_place(struct ts_tab *t, struct ts_fetch *f);

bool memory_set_about(const struct ts_tab *t, struct ts_debug_about *out);
void memory_set_object(const struct ts_tab *t, struct ts_at_cursor *out);

/* --- memory_set_table.c --- */
struct ts_table memory_set_table(const struct ts_tab *t);

/*
 * The rows of an answer, for any thread: it holds them, and out->free() gives them back; shares are of `whole` bytes
 * (TS_UNKNOWN: of all their bytes). False: no memory.
 */
bool memory_set_arrangeable(struct ts_arrangeable *out, struct set_names *n, int64_t whole);

/* What shares are of: the memory of the tiles where it is known, else the sum of their variables. */
int64_t memory_set_whole(const struct ts_tab *t);

/* Is the needle in the name of the row? */
bool memory_set_is_hit(const struct ts_tab *t, int64_t row, const char *needle);

/* The name under the cursor, for what-if. */
enum ts_effect memory_set_tick(struct ts_tab *t);

void memory_set_note(const struct ts_tab *t, char out[TS_TAB_NOTE]);
bool memory_set_sheet(struct ts_tab *t, struct ts_sheet *out);

/* As it stands in the table: "(no name)". */
const char *memory_set_name(const struct ts_set_variables *v, const struct ts_set_variable *r);

/* --- memory_set_explain.c --- */
void memory_set_explain(struct ts_tab *t, struct ts_explain *out);

#endif
