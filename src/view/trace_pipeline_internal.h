/* SPDX-License-Identifier: MIT */
/* trace_pipeline_internal - what the tabs of the stages and of their passes have in common. */
#ifndef TS_VIEW_TRACE_PIPELINE_INTERNAL_H
#define TS_VIEW_TRACE_PIPELINE_INTERNAL_H

#include "trace_pipeline.h"

#include "tilescope/report/stage_costs.h"
#include "tilescope/view/explain.h"
#include "tilescope/view/sheet.h"

/* The tab of the stages; that of the passes looks at it. */
struct stages_tab {
	struct ts_held_list l; /* first */
	struct trace_view *t;
	struct trace_heads heads;
	struct ts_pane_data pane;
	struct ts_fetch *sent;
	bool asked;
	char names[TRACE_STAGES]; /* expression; "" = by exchange */
	int64_t least_bytes;
	struct ts_pipeline *pipeline;
	char none[TRACE_NOTE]; /* why there are no stages; "" = there are */
	struct ts_rect body, total;
};

/* Parts of the cycles of a stage or a pass, in the order of their columns. */
enum part { P_COMPUTE, P_EXCHANGE, P_GLOBAL, P_IO, P_SYNC, P_IDLE, P_BUBBLE, P_COUNT };

/* Cycles of a part. */
int64_t pipeline_part_of(enum part part, const int64_t by_class[TS_CLASS_COUNT], int64_t idle);

/* Work of a regular stage's pass by that of the mean of all stages; -1: not known. */
double pipeline_factor_of(const struct ts_pipeline *p, const struct ts_pipeline_stage *s);

/* What the lines of totals of both tabs say of the cycles that the profiler inflated; "": none. */
const char *pipeline_wait_note(const struct stages_tab *s);

/* The tab with these functions, and the state of that of the stages. */
struct ts_tab *pipeline_tab_of(const struct trace_view *t, const struct ts_tab_ops *ops);
struct stages_tab *pipeline_stages_of(const struct trace_view *t);

/* What a stage is called: in `buf`, which is returned. */
const char *pipeline_stage_name(const struct stages_tab *s, int stage, char *buf, size_t size);

/* The sheet of a tab whose own state begins with a held list. */
bool pipeline_sheet_of(struct ts_sheet *out, struct ts_held_list *l, const char *title,
	const char *of);

/* --- trace_work.c --- */

/* What a stage executes: NULL = not read yet. To ask for it, unless it is here or something is under way. */
const struct ts_stage_costs *pipeline_costs_of(const struct trace_view *t, int stage);
void pipeline_ask_costs(struct trace_view *t, int stage);

/* What stands there instead. */
const char *pipeline_costs_absent(const struct trace_view *t, int stage);

/* What an entry of these is called: in `buf`, which is returned. */
const char *pipeline_cost_name(const struct ts_stage_costs *c, size_t i, char *buf, size_t size);

/* --- trace_pipeline_verdict.c --- */

/* Which stage is slow, what is lost, what would help, and on what it works most: into s->total. */
void pipeline_draw_verdict(const struct stages_tab *s, struct ts_canvas *c);

/* --- trace_pipeline_explain.c --- */

/* How the stage of a pass is known, for `=`. */
void pipeline_from_and_note(struct ts_explained *x, const struct stages_tab *s);
void pipeline_stages_explain(struct ts_tab *tab, struct ts_explain *out);

#endif
