/* SPDX-License-Identifier: MIT */
/* liveness_tabs - what the tabs of Liveness say of their figures (liveness_tabs_explain.c). */
#ifndef TS_VIEW_LIVENESS_TABS_H
#define TS_VIEW_LIVENESS_TABS_H

#include "tilescope/report/always.h"
#include "tilescope/report/lifetimes.h"
#include "tilescope/report/program_details.h"
#include "tilescope/report/program_tree.h"

#include "liveness_internal.h"

/* `row` may be -1: none is under the cursor. */
void live_explain_alive(struct ts_tab *t, struct ts_explain *out);
void live_explain_always(const struct liveness *s, struct ts_explain *out,
	const struct ts_always *a, int64_t row);
void live_explain_group(const struct liveness *s, struct ts_explain *out, const char *name,
	int64_t not_always, int64_t always);
void live_explain_lifetime(const struct liveness *s, struct ts_explain *out,
	const struct ts_lifetime *r);

#endif
