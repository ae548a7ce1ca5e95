/* SPDX-License-Identifier: MIT */
/* liveness_internal - the state of the Liveness view, shared by its files. */
#ifndef TS_VIEW_LIVENESS_INTERNAL_H
#define TS_VIEW_LIVENESS_INTERNAL_H

#include "tilescope/report/liveness.h"
#include "tilescope/report/lives.h"
#include "tilescope/ui/chart.h"
#include "tilescope/ui/layout.h"
#include "tilescope/ui/list.h"
#include "tilescope/ui/span.h"
#include "tilescope/ui/table.h"
#include "tilescope/view/debug.h"
#include "tilescope/view/liveness.h"

/* Those from LIVE_GRAPH on take keys. */
enum { LIVE_STRIP, LIVE_GRAPH, LIVE_TABLE, LIVE_DEBUG, LIVE_PANES };

enum { LIVE_FETCH_LINE, LIVE_FETCH_LIVES, LIVE_FETCH_ALIVE, LIVE_FETCHES };

enum { LIVE_NEEDLE = 256, LIVE_NAME = 64 };

/* Where the parts of the graph's pane are; what does not fit is empty. */
struct live_parts {
	struct ts_rect title, marks, read_out;
	struct ts_chart_frame frame;
};

/* What the columns below were worked out of: anything else, and they are old. */
struct live_key {
	int64_t from, to;
	int columns, rows;
	bool no_base;
	uint64_t data;
};

/* Values of the plot's columns, in bytes of the device. */
struct live_columns {
	struct live_key key;
	bool grouped;  /* a column holds several steps: the mean is not all there is to say */
	bool outlined; /* in some, the highest stands out from the mean */
	double base[TS_CANVAS_MAX_W], mean[TS_CANVAS_MAX_W], highest[TS_CANVAS_MAX_W];
	double strip[TS_CANVAS_MAX_W]; /* of the whole timeline */
	bool hit[TS_CANVAS_MAX_W];     /* peaks in the strip */
	struct live_key strip_key;
};

struct liveness {
	struct ts_view v;
	struct ts_rect pane[TS_LAYOUT_PANES], area;
	int focus;  /* the pane that has the keys */
	int source; /* LIVE_GRAPH or LIVE_TABLE: what the Debug tab is about */
	bool zoomed;
	bool no_base; /* the always-live base is hidden */

	struct ts_pane_data graph, table;
	struct ts_fetch *under_way[LIVE_FETCHES];
	uint64_t data; /* counts timelines that came */
	struct ts_liveness line;
	struct ts_lives *lives; /* held */
	struct ts_alive *alive;
	int64_t asked_step; /* of the newest question who is alive; -1 = none */
	bool asked_listed;

	struct ts_span span; /* points of the timeline */
	struct ts_list list; /* rows of `alive` */
	ptrdiff_t rank;	     /* peak that was walked to last */
	char needle[LIVE_NEEDLE];
	struct ts_debug debug;
	struct live_columns columns;
};

/* liveness_draw.c */
void live_parts(struct live_parts *p, const struct liveness *s);
void live_lay_out(struct liveness *s);
void live_draw(struct ts_view *v, struct ts_canvas *c);
void live_table(struct ts_table *t, struct ts_column *columns, struct liveness *s);
struct ts_rect live_table_body(const struct liveness *s, struct ts_rect *totals);

/* liveness_data.c */
void live_request(struct ts_view *v);
void live_indexed(struct ts_view *v);
enum ts_effect live_deliver(struct ts_view *v, struct ts_fetch *f);
void live_drop(struct liveness *s); /* all that was read */

/* liveness.c */

/* The cursor to the place that the selection names, else to the highest peak. */
void live_take_selection(struct liveness *s);

/* Number of the step under the cursor; TS_UNKNOWN without steps. */
int64_t live_step(const struct liveness *s);

/* Name of a row of the table: `buf` holds it where the report has none. */
const char *live_name(const struct liveness *s, int row, char buf[LIVE_NAME]);

/* --- liveness_address.c --- */
extern const struct ts_view_arg live_args[];

#endif
