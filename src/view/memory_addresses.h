/* SPDX-License-Identifier: MIT */
/* memory_addresses - what the files of the tab Address map share. */
#ifndef TS_VIEW_MEMORY_ADDRESSES_H
#define TS_VIEW_MEMORY_ADDRESSES_H

#include "memory_internal.h"
#include "tilescope/report/tile_addresses.h"

enum {
	ADDRESS_LABEL = 9,  /* columns in front of a row: "0x9bfff " */
	ADDRESS_LEGEND = 6, /* rows of the pane from which on one of them is a legend */
};

struct address_tab {
	struct ts_pane_data state;
	enum ts_pane_state were; /* when it came */
	struct ts_fetch *sent;	 /* the newest */
	int64_t wanted;		 /* tile; -1 = none */
	bool here;
	struct ts_tile_addresses a;
	int64_t at; /* address under the cursor */
	bool moved; /* somebody put it there; else it is on the largest variable of each tile */
	int zoom;   /* a row is an element divided by 2^zoom */
	int64_t walk;
	int32_t walked;	     /* variable of the last `largest`, -1 = none */
	struct ts_list list; /* rows */
};

/* A row of the map: an element, or a part of one. */
struct address_row {
	int64_t from, to;
	size_t element;
};

struct address_row memory_address_row(const struct address_tab *s, int64_t i);

/* Columns that row i has in a pane of `w` columns, and the addresses of one of them. */
int memory_address_columns(const struct address_row *row, int w);
void memory_address_cell(const struct address_row *row, int columns, int i, int64_t *from,
	int64_t *to);

/* --- memory_addresses_draw.c --- */

struct address_cell {
	int64_t bytes[TS_ADDRESS_FREE + 1]; /* of each kind */
	int32_t variable;		    /* the one with most of it; -1 = none */
};

/* What the bytes [from, to) are; *piece is where to look, and goes on. */
struct address_cell memory_address_look(const struct ts_address_map *m, size_t *piece, int64_t from,
	int64_t to);

/* The band of the graph of the variable's category, or -1. */
int memory_address_band(const struct memory_view *m, const struct ts_tile_addresses *a,
	int32_t variable);

void memory_addresses_draw(struct ts_tab *t, struct ts_canvas *c, bool focus);
void memory_addresses_note(const struct ts_tab *t, char out[TS_TAB_NOTE]);
bool memory_addresses_sheet(struct ts_tab *t, struct ts_sheet *out);
void memory_addresses_explain(struct ts_tab *t, struct ts_explain *out);

/* --- memory_addresses_page.c --- */

bool memory_addresses_chart(struct ts_tab *t, struct ts_chart_page *page);

#endif
