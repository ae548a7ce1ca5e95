/* SPDX-License-Identifier: MIT */
/* liveness_lifetimes - the tab of lifetimes, shared by liveness_lifetimes.c and liveness_bars.c. */
#ifndef TS_VIEW_LIVENESS_LIFETIMES_H
#define TS_VIEW_LIVENESS_LIFETIMES_H

#include "tilescope/report/lifetimes.h"
#include "tilescope/ui/chart_page.h"
#include "tilescope/view/marked.h"

#include "liveness_internal.h"

struct lifetimes_tab {
	struct ts_held_list l; /* first */
	struct liveness *s;
	struct ts_fetch *sent;
	struct ts_uses *uses; /* held */
	bool looked;	      /* for uses: */
	uint64_t looked_of;   /* of these lives, where they are pieces; else 0 */
	char why[TS_ERR_MSG];
	uint64_t marked, alive; /* versions that were asked for; 0 = none */
	uint64_t of;		/* lives that were asked for; 0 = none */
	bool known, of_marked;
	struct ts_lifetimes made;
	int64_t count;		/* alive at the step; of marks: as many as there are */
	struct ts_alive *names; /* what rows are called that are not marked */
	int names_count;
	char name[TS_MARKED_VARIABLES][TS_MARKED_NAME];
	int64_t number[TS_MARKED_VARIABLES];
	struct ts_rect body, bars, total;
};

/* Bars beside the rows in sight, where there is room. */
void live_draw_bars(struct ts_canvas *c, const struct lifetimes_tab *d);

/* The same bars on paper, of the rows in sight; false: nothing is listed. */
bool live_bars_chart(const struct lifetimes_tab *d, struct ts_chart_page *page);

/* What row i of `made` is called; `buf` is room for a number. */
const char *live_lifetime_name(const struct lifetimes_tab *d, int64_t i, char *buf, size_t size);

#endif
