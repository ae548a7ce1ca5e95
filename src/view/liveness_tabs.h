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

/* `always` may be NULL: it is not there. */
void live_explain_group(const struct liveness *s, struct ts_explain *out, int group,
	const struct ts_always *always);

/* `id`: lowered_variable.id of a row that is a piece; TS_UNKNOWN: none is known. */
void live_explain_lifetime(const struct liveness *s, struct ts_explain *out,
	const struct ts_lifetimes *made, int64_t i, int64_t id, const char *name);

#endif
