/* SPDX-License-Identifier: MIT */
/*
 * what_if_tab_internal - the state of the tab "what-if": what_if_tab.c has questions and keys, what_if_table.c rows,
 * what_if_explain.c what their figures are.
 */
#ifndef TS_VIEW_WHAT_IF_TAB_INTERNAL_H
#define TS_VIEW_WHAT_IF_TAB_INTERNAL_H

#include "tilescope/view/explain.h"
#include "tilescope/view/held_list.h"
#include "tilescope/view/what_if.h"

enum {
	WHAT_IF_OTHERS = 5 +
		TS_WHAT_IF_TOUCHED, /* rows of peaks that are no device's and no IPU's */
	WHAT_IF_LABEL = TS_WHAT_IF_TEXT + 48,
};

enum {
	C_HOW,
	C_WHAT,
	C_CHANGED,
	C_REPLICAS,
	C_WORST_OF,
	C_OVER,
	C_ABOVE,
	C_LOSES,
	C_BEFORE,
	C_BEFORE_AT,
	C_TILE,
	C_STEP,
	C_AFTER,
	C_AFTER_AT,
	C_TILE_THEN,
	C_STEP_THEN,
	C_LESS,
	C_SHARE,
	C_PIECES,
	C_UNPLACED,
	WHAT_IF_COLUMNS
};

/* Rows: peaks of the device, of IPUs and of some tiles, then the changes. */
enum what_if_row {
	WHAT_IF_DEVICE,
	WHAT_IF_IPU,
	WHAT_IF_WORST,
	WHAT_IF_FULLEST,
	WHAT_IF_NEXT_TILE,
	WHAT_IF_NEXT_PEAK,
	WHAT_IF_SELECTED, /* of the tiles that are selected the one with most */
	WHAT_IF_TOUCHED_TILE,
	WHAT_IF_CHANGE,
};

/* One that there is not always. */
struct what_if_other {
	enum what_if_row kind;
	int i; /* of a touched tile */
};

struct what_if_tab {
	struct ts_held_list l; /* first */
	const struct ts_tab *t;
	struct ts_pane_data pane;
	struct ts_fetch *asking;
	uint64_t asked;			/* version of the changes, */
	uint64_t asked_tiles;		/* and of the selected tiles; */
	uint64_t answered_tiles;	/* of these `w` is */
	bool any;			/* something was asked for */
	struct ts_what_if *w;		/* the newest answer; or NULL */
	bool group[TS_WHAT_IF_CHANGES]; /* of its changes: a pattern that is the name of a group */
	int64_t limit;			/* bytes of a tile, or TS_UNKNOWN */
	int64_t ipu_limit;		/* of the tiles of an IPU, so */
	int64_t device_limit;		/* of all tiles of all replicas, so */
	int others, fitted;		/* `fitted`: that the list knows of */
	struct what_if_other other[WHAT_IF_OTHERS];
	char label[TS_WHAT_IF_CHANGES][WHAT_IF_LABEL]; /* of the changes */
	struct ts_column column[WHAT_IF_COLUMNS];      /* as wide as the units need it */
	struct ts_what_if_changes
		taken; /* by `marks-clear`: they come again by it, if nothing was changed since */
};

/* What the changes are called, once for each answer. */
void what_if_labels(struct what_if_tab *s);

/* Rows: of tiles that lose most so many as fit into `room`. Those of peaks come first, then the changes. */
void what_if_fit(struct what_if_tab *s, int room);
int what_if_rows(const struct what_if_tab *s);
int what_if_peak_rows(const struct what_if_tab *s);

/* Make s->l of the rows, to be drawn in r. */
void what_if_begin(struct what_if_tab *s, const struct ts_tab *t, struct ts_rect r);

/* Is a column one of a file? Words of the screen are not: what they are made of has columns of its own there. */
bool what_if_in_file(const struct ts_table *t, int column);

/* What a row of the tab (not a place of the list) is; *i: which IPU, touched tile or change. */
enum what_if_row what_if_kind(const struct what_if_tab *s, int64_t row, int *i);

/* The change of a row, or -1; the peaks of a row, NULL: it is a change. */
int what_if_change_at(const struct what_if_tab *s, int64_t row);
const struct ts_what_if_pair *what_if_pair_at(const struct what_if_tab *s, int64_t row);

/* Is its peak one of all tiles of the device? */
bool what_if_is_of_device(const struct what_if_tab *s, int64_t row);

/* "worst tile", "halve"; "by live bytes": of the tab, or in `buf`. */
void what_if_row_name(const struct what_if_tab *s, int64_t row, char *out, size_t size);
const char *what_if_row_of(const struct what_if_tab *s, int64_t row, enum ts_units units, char *buf,
	size_t size);

/* Bytes of a row before and after, and whole bytes for its share; TS_UNKNOWN: there are none. */
void what_if_row_bytes(const struct what_if_tab *s, int64_t row, int64_t *before, int64_t *after);

/* What the memory of a row holds, or TS_UNKNOWN; the live bytes after the changes that are above it, or 0. */
int64_t what_if_limit(const struct what_if_tab *s, int64_t row);
int64_t what_if_above(const struct what_if_tab *s, int64_t row);

/* The pair of the answer whose `after` is the peak of a source, where `before` may be another tile's; NULL: there is none. */
const struct ts_what_if_pair *what_if_pair_of(const struct what_if_tab *s,
	const struct ts_live_source *of);

void what_if_explain(struct ts_tab *t, struct ts_explain *out);

#endif
