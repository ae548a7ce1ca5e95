/* SPDX-License-Identifier: MIT */
/*
 * trace_drawings - which drawings the Trace view has, and which of them is shown.
 *
 * A new one is a table of functions in a file of its own and a line here. Those that are not shown keep
 * their state and ask for nothing.
 */
#include "config.h"

#include <stdio.h>
#include <string.h>

#include "trace_blocks.h"
#include "trace_internal.h"

#include "tilescope/base/mem.h"

static const struct trace_drawing_ops *const drawings[] = {
	&trace_drawing_lanes,
	&trace_drawing_flame,
	&trace_drawing_merged,
	&trace_drawing_blocks,
	&trace_drawing_bsp,
};

bool
trace_drawings_open(struct trace_view *t)
{
	for (size_t i = 0; i < TS_COUNT(drawings); i++) {
		struct trace_drawing *d = &t->drawing[i];

		*d = (struct trace_drawing){.ops = drawings[i],
			.trace = t,
			.kind = TRACE_DRAWING_KIND + (int)i * TRACE_DRAWING_KINDS};
		t->drawings = (int)i + 1;
		if (d->ops->open && !d->ops->open(d))
			return false;
	}
	return true;
}

void
trace_drawings_close(struct trace_view *t)
{
	for (int i = 0; i < t->drawings; i++)
		if (t->drawing[i].ops->close)
			t->drawing[i].ops->close(&t->drawing[i]);
	t->drawings = 0;
}

void
trace_drawings_drop(struct trace_view *t)
{
	for (int i = 0; i < t->drawings; i++)
		if (t->drawing[i].ops->drop)
			t->drawing[i].ops->drop(&t->drawing[i]);
}

void
trace_drawings_indexed(struct trace_view *t)
{
	for (int i = 0; i < t->drawings; i++)
		if (t->drawing[i].ops->indexed)
			t->drawing[i].ops->indexed(&t->drawing[i]);
}

enum ts_effect
trace_drawings_deliver(struct trace_view *t, struct ts_fetch *f)
{
	int i = (f->job.kind - TRACE_DRAWING_KIND) / TRACE_DRAWING_KINDS;
	enum ts_effect effect;

	if (f->job.kind < TRACE_DRAWING_KIND || i >= t->drawings || !t->drawing[i].ops->deliver)
		return TS_EFFECT_UNKNOWN;
	effect = t->drawing[i].ops->deliver(&t->drawing[i], f);
	if (i == t->drawn && effect & TS_EFFECT_REPAINT)
		trace_arrange(t); /* it may want other rows, or a panel stands in its place */
	return effect;
}

void
trace_drawing_send(struct trace_drawing *d, struct ts_fetch *f, int kind, enum ts_worker_id worker,
	const char *what)
{
	ts_fetch_send(&d->trace->view, f, d->kind + kind, worker, what);
}

/* --- which is shown ---------------------------------------------------------------------------- */

bool
trace_draw_named(struct trace_view *t, const char *name)
{
	for (int i = 0; i < t->drawings; i++)
		if (strcmp(t->drawing[i].ops->name, name) == 0) {
			t->drawn = i;
			trace_arrange(t);
			return true;
		}
	return false;
}

static void
say_drawings(const struct trace_view *t)
{
	char names[TRACE_NOTE] = "";

	for (int i = 0; i < t->drawings; i++)
		snprintf(names + strlen(names), sizeof(names) - strlen(names), "%s%s",
			i > 0 ? ", " : "", t->drawing[i].ops->name);
	ts_view_say_error(t->view.env, "drawing is one of %s", names);
}

enum ts_effect
trace_draw_by(struct trace_view *t, const struct ts_call *call)
{
	const char *name = ts_call_arg(call, 0);
	int by = call->cmd == TS_CMD_DRAWING_BACK ? t->drawings - 1 : 1;

	if (name && !trace_draw_named(t, name)) {
		say_drawings(t);
		return TS_EFFECT_BELL;
	}
	if (!name)
		t->drawn = (t->drawn + by) % t->drawings;
	trace_arrange(t);
	ts_view_say(t->view.env, "%s", trace_drawn(t)->ops->title);
	return (enum ts_effect)(TS_EFFECT_REPAINT | TS_EFFECT_RECALC);
}
