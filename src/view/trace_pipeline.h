/* SPDX-License-Identifier: MIT */
/* trace_pipeline - the tabs Pipeline and Passes of the Trace view, and how stages are found. */
#ifndef TS_VIEW_TRACE_PIPELINE_H
#define TS_VIEW_TRACE_PIPELINE_H

#include "trace_internal.h"

#include "tilescope/base/strbuf.h"
#include "tilescope/report/pipeline.h"
#include "tilescope/view/held_list.h"

enum { TRACE_STAGES = 256 }; /* bytes of an expression, NUL included */

extern const struct ts_tab_ops trace_tab_stages, trace_tab_work, trace_tab_passes;

/* `breakdown [NAME]` while the tab Work is shown, whoever has the keys: whose costs it has. */
enum ts_effect trace_break_down(struct trace_view *t, const struct ts_call *call);

/*
 * `stages [TEXT]`: an expression for the names of stages, a number of bytes that an exchange has to move more than to
 * end a phase, or NULL: by exchanges of more than TS_PIPELINE_BYTES.
 */
enum ts_effect trace_set_stages(struct trace_view *t, const char *text);

/* The same for the address; false: as it is in the beginning. */
bool trace_say_stages(const struct trace_view *t, struct ts_strbuf *out);

#endif
