/* SPDX-License-Identifier: MIT */
/* trace_frames - what the two flame graphs of Trace share: debug contexts, boxes with names, hits. */
#ifndef TS_VIEW_TRACE_FRAMES_H
#define TS_VIEW_TRACE_FRAMES_H

#include "tilescope/report/flame.h"
#include "trace_internal.h"

/* A question of either, and what both need of the report. */
struct trace_frames_fetch {
	struct ts_fetch fetch;	/* first */
	struct ts_trace *trace; /* held */
	const struct ts_cache *cache;
	struct ts_frame_contexts *contexts; /* held; read first when they are not known yet */
	bool contexts_known;
};

/* NULL: no memory. `size` bytes, of which the first are a trace_frames_fetch. */
void *trace_frames_fetch(struct trace_drawing *d, size_t size,
	enum ts_code (*read)(struct ts_fetch *f, struct ts_reader *rd, struct ts_err *err),
	void (*fini)(struct ts_fetch *f));

/* In the worker, before all else. */
enum ts_code trace_frames_contexts(struct trace_frames_fetch *f, struct ts_reader *rd,
	struct ts_err *err) TS_WARN_UNUSED;

/* When it comes back; and in its fini. */
void trace_frames_take(struct trace_view *t, struct trace_frames_fetch *f);
void trace_frames_fini(struct trace_frames_fetch *f);

/* Nothing is known of the report any more. */
void trace_frames_drop(struct trace_view *t);

/* The frame under the cursor of the flame graph along the time; false: nothing is there. (trace_flame.c) */
bool trace_flame_cursor(const struct trace_view *t, const struct ts_frames **frames,
	uint32_t *frame);

/* A box of one row with a name in it. */
struct trace_box {
	int x, w; /* columns of the rectangle; w at least 1 */
	enum ts_step_class class_of;
	const char *name;
	size_t n;
	bool hit, cursor;
};

void trace_draw_box(struct ts_canvas *c, struct ts_rect row, const struct trace_box *b, bool focus);

/* Does a search look for this name? "" = nothing is looked for. */
bool trace_frame_hit(const struct trace_view *t, const char *name, size_t n);

/* Marks of the classes (bits) together; TS_MARK_COUNT: there is no class. */
enum ts_mark trace_frame_mark(const struct trace_view *t, unsigned classes);

/* One row that says something about a frame: figures, its path, and a mark at the right end. */
void trace_frame_line(struct ts_canvas *c, struct ts_rect row, const char *figures,
	const struct ts_frames *frames, uint32_t frame, enum ts_mark mark);

#endif
