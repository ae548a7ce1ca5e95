/* SPDX-License-Identifier: MIT */
/* insights_peak - what the tabs Peak and FP32 have in common: rows that may be many. */
#ifndef TS_VIEW_INSIGHTS_PEAK_H
#define TS_VIEW_INSIGHTS_PEAK_H

#include <inttypes.h>

#include "tilescope/view/arranged.h"

#include "insights_internal.h"

/* Rows, and what else their values are worked out of: of the view, or a worker's own. */
struct peak_look {
	const struct ts_peak_variables *found; /* the largest: where `all` is not there */
	const struct ts_peak_rows *all;
	const struct ts_what_if_changes *what_if;
	double whole; /* bytes that shares are of */
	bool halves;  /* the FP32 ones */
};

struct peak_look peak_look(const struct insights_view *s, bool halves);
int64_t peak_look_rows(const struct peak_look *k);

/* False: there is no such row. The name is not the caller's. */
bool peak_look_row(const struct peak_look *k, int64_t row, struct ts_peak_variable *out);

/* Bytes of it and of all before; not of the FP32 ones. */
double peak_look_so_far(const struct peak_look *k, int64_t row);

/* How many of the largest have `percent` percent of all; TS_UNKNOWN: more than are here. */
int64_t peak_share(const struct insights_view *s, int percent);

/* A table of them; any thread may ask for its values. The first column is bytes. */
struct peak_table_of {
	const struct insights_tab_table *table;
	const struct ts_column *column;
	const struct ts_column_facts *facts;
	int columns, name; /* name: the column of it */
	bool halves;
	bool (*value)(const struct peak_look *k, int64_t row, int column,
		struct ts_table_value *out);
};

struct peak_tab {
	struct insights_list l; /* first */
	const struct peak_table_of *of;
	struct ts_arranging arranging;
	struct ts_row_search search;
};

/* Whether a worker puts the rows in order. */
void peak_set_order(const struct insights_view *s, struct insights_list *l, bool halves);

bool peak_tab_open(struct ts_tab *t, const struct peak_table_of *of);
void peak_tab_close(struct ts_tab *t);
void peak_tab_drop(struct ts_tab *t);
void peak_tab_request(struct ts_tab *t);
enum ts_effect peak_tab_deliver(struct ts_tab *t, struct ts_fetch *f);
enum ts_effect peak_tab_command(struct ts_tab *t, const struct ts_call *call);
struct ts_list *peak_tab_list(struct ts_tab *t, bool *there);
bool peak_tab_some(const struct ts_tab *t);
bool peak_tab_sheet(struct ts_tab *t, struct ts_sheet *out);

/* insights_peak_explain.c: pieces of queries of `variable v`; PEAK_ALIVE takes the step twice. */
#define PEAK_ALIVE                                                                                       \
	"v.always_live OR v.variable IN (SELECT variable FROM liveness_variable WHERE start <= %" PRId64 \
	" AND \"end\" > %" PRId64 ")"
#define PEAK_FP32 "lower(element_type) IN ('float', 'float32', 'fp32')"
/* ... of the FP32 ones of a tile, always live or alive at a step, which it takes twice behind the tile */
#define PEAK_FP32_OF_TILE                                                                         \
	"lowered_variable WHERE tile = %" PRId64 " AND " PEAK_FP32                                \
	" AND (always_live OR class IN (SELECT class FROM class_interval WHERE start <= %" PRId64 \
	" AND \"end\" > %" PRId64 "))"
/* Is it no code or state? */
const char *peak_no_code(const struct insights_view *s);

/* Bytes of a variable on the device, and what the note says of it. */
enum { PEAK_BYTES_TEXT = 96 };
const char *peak_bytes_sql(const struct insights_view *s, char out[PEAK_BYTES_TEXT]);
void peak_note_replicas(const struct insights_view *s, struct ts_explained *x);

#define INSIGHTS_PEAK_TAB                                                                      \
	.close = peak_tab_close, .drop = peak_tab_drop, .resize = insights_table_fit,          \
	.request = peak_tab_request, .deliver = peak_tab_deliver, .command = peak_tab_command, \
	.mouse = insights_table_mouse, .list = peak_tab_list, .some = peak_tab_some,           \
	.sheet = peak_tab_sheet, .explain = insights_table_explain,                            \
	.object = insights_table_object

#endif
