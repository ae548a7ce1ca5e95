/* SPDX-License-Identifier: MIT */
/*
 * trace_pipeline_verdict - the lines below the stages: which one is slow, how much is lost, what moving work and even tiles
 * would give, and on what the slow one works most.
 *
 * Sentences stand one after the other, and none is parted at the end of a line as long as there are lines.
 */
#include "config.h"

#include <stdio.h>
#include <string.h>

#include "trace_pipeline_internal.h"

#include "tilescope/base/mem.h"
#include "tilescope/base/utf8.h"

/* Moves of less are not worth a word. */
#define LEAST_MOVE 0.005

enum {
	GAP = 3,	     /* columns between sentences */
	SENTENCE_LEAST = 12, /* of less than that nothing is understood: it is left out */
	COST_LEAST =
		44, /* columns for each of what a stage works most on, when there are several; ... */
	COSTS_MOST = 3, /* ... so many at most */
};

/* What is left of the lines for sentences: the rest of one, and those below it. */
struct room {
	struct ts_canvas *c;
	struct ts_rect line, below;
};

static void
say(struct room *room, const char *text)
{
	int w = ts_utf8_columns(text, strlen(text));

	if (!*text)
		return;
	if (w > room->line.w && room->below.h > 0)
		room->line = ts_rect_cut_top(&room->below, 1);
	if (w <= room->line.w || room->line.w >= SENTENCE_LEAST)
		ts_rect_cut_left(&room->line,
			GAP +
				ts_canvas_field(room->c, room->line, 0, 0, room->line.w,
					TS_ROLE_TOTAL, text, strlen(text),
					TS_FIELD_CLAUSES | TS_FIELD_ELLIPSIS));
}

static void
say_slowest(const struct stages_tab *s, struct room *room)
{
	const struct ts_pipeline *p = s->pipeline;
	char n[TS_FMT_MAX], slow[64], text[160];

	if (p->slow_factor >= 0) {
		snprintf(text, sizeof(text), "slowest %s, %.2f x the mean",
			pipeline_stage_name(s, p->slowest, slow, sizeof(slow)), p->slow_factor);
		say(room, text);
	}
	if (p->bubble >= 0) {
		snprintf(text, sizeof(text), "bubble %s", ts_fmt_percent(n, p->bubble, 1));
		say(room, text);
	}
	if (p->at_once >= 0) {
		snprintf(text, sizeof(text), "%.1f of %d stages at work", p->at_once, p->stages);
		say(room, text);
	}
}

static void
say_move(const struct stages_tab *s, struct room *room)
{
	const struct ts_pipeline *p = s->pipeline;
	char n[TS_FMT_MAX], m[TS_FMT_MAX], slow[64], fast[64], text[240];

	if (p->slowest < 0)
		return;
	if (p->move < LEAST_MOVE)
		snprintf(text, sizeof(text), "the work is even: moving some of it gives nothing");
	else
		snprintf(text, sizeof(text),
			"moving %s of %s's work to %s: its pass %s shorter (estimated)",
			ts_fmt_percent(n, p->move, 1),
			pipeline_stage_name(s, p->slowest, slow, sizeof(slow)),
			pipeline_stage_name(s, p->fastest, fast, sizeof(fast)),
			ts_fmt_percent(m, p->saves, 1));
	say(room, text);
}

/* What balance of the tiles of the slowest stage saves, and how much of it until the next slowest one leads. */
static void
say_even(const struct stages_tab *s, struct room *room)
{
	const struct ts_pipeline *p = s->pipeline;
	const struct ts_stage_costs *costs = pipeline_costs_of(s->t, p->slowest);
	double saves = costs ? ts_stage_costs_lost(costs) : -1;
	const struct ts_pipeline_stage *slow = saves < 0 ? NULL : &p->stage[p->slowest];
	double lead = slow ? ts_pipeline_mean_work(slow) - p->second : 0;
	char n[TS_FMT_MAX], m[TS_FMT_MAX], name[64], text[240];

	if (!slow)
		return;
	snprintf(text, sizeof(text), "even tiles on %s: its pass %s shorter%s%s (estimated)",
		pipeline_stage_name(s, p->slowest, name, sizeof(name)),
		ts_fmt_percent(n, saves, ts_pipeline_mean_span(slow)),
		saves > lead ? ", the pipeline's " : "",
		saves > lead ? ts_fmt_percent(m, lead, ts_pipeline_mean_span(slow)) : "");
	say(room, text);
}

static void
draw_costs(const struct stages_tab *s, struct ts_canvas *c, struct ts_rect r)
{
	int slowest = s->pipeline->slowest, n, x;
	const struct ts_stage_costs *costs = pipeline_costs_of(s->t, slowest);
	char text[TS_DICTIONARY_TEXT], share[TS_FMT_MAX];

	if (slowest < 0)
		return;
	x = ts_canvas_printf(c, r, 0, 0, TS_ROLE_TOTAL,
		"%s works most on%s: ", pipeline_stage_name(s, slowest, text, 64),
		!costs			 ? ""
			: costs->partial ? " (damaged: what could be read)"
			: costs->sampled ? " (estimated)"
					 : "");
	ts_rect_cut_left(&r, x);
	if (!costs || costs->count == 0) {
		ts_canvas_text(c, r, 0, 0, TS_ROLE_TOTAL,
			costs ? "nothing" : pipeline_costs_absent(s->t, slowest));
		return;
	}
	n = (int)ts_clamp_i64(ts_min_i64(r.w / COST_LEAST, (int64_t)costs->count), 1, COSTS_MOST);
	for (int i = 0; i < n; i++) {
		struct ts_rect part = ts_rect_cut_left(&r, r.w / (n - i));

		x = ts_canvas_printf(c, part, 0, 0, TS_ROLE_TOTAL, "%s ",
			ts_fmt_percent(share, ts_stage_cost_share(costs, (size_t)i), 1));
		pipeline_cost_name(costs, (size_t)i, text, sizeof(text));
		ts_canvas_field(c, part, x, 0, part.w - x - (i + 1 < n ? GAP : 0), TS_ROLE_TOTAL,
			text, strlen(text), TS_FIELD_TAIL);
	}
}

void
pipeline_draw_verdict(const struct stages_tab *s, struct ts_canvas *c)
{
	const struct ts_pipeline *p = s->pipeline;
	struct room room = {.c = c, .below = s->total};
	struct ts_rect last = {0};

	ts_canvas_fill(c, s->total, TS_ROLE_TOTAL, ' ');
	if (s->total.h > 1)
		last = ts_rect_cut_bottom(&room.below, 1);
	room.line = ts_rect_cut_top(&room.below, 1);
	say_slowest(s, &room);
	say_move(s, &room);
	say_even(s, &room);
	say(&room, pipeline_wait_note(s));
	if (p->cut || p->partial || p->falls > 0)
		say(&room,
			p->cut		     ? "not all passes are kept"
				: p->partial ? "damaged: what could be read"
					     : "some steps stand in no order");
	if (last.h > 0)
		draw_costs(s, c, room.below.h > 0 ? ts_rect_row(room.below, 0) : last);
}
