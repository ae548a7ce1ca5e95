/* SPDX-License-Identifier: MIT */
/* split - see the header. */
#include "config.h"

#include "tilescope/view/split.h"

enum { TALL = 30 };

bool
ts_split_init(struct ts_split *s, struct ts_view *v, void *host,
	const struct ts_tab_ops *const ops[], int n)
{
	if (!ts_tabs_init(&s->tabs, v, host, ops, n))
		return false;
	s->tabs.quiet = true;
	return true;
}

void
ts_split_fini(struct ts_split *s)
{
	ts_tabs_fini(&s->tabs);
}

void
ts_split_layout(struct ts_split *s)
{
	struct ts_rect r = s->area;

	s->at = s->below = r;
	if (s->zoomed) {
		s->at.h = s->in_tabs ? 0 : r.h;
		s->below.h = s->in_tabs ? r.h : 0;
	} else {
		s->at = ts_rect_cut_top(&r, r.h >= TALL ? r.h * 2 / 3 : r.h * 3 / 5);
		s->below = r;
	}
	s->rule = ts_rect_cut_top(&s->at, 1);
	ts_tabs_resize(&s->tabs, s->below, s->zoomed);
}

void
ts_split_focus(struct ts_split *s, bool in_tabs)
{
	s->in_tabs = in_tabs;
	ts_split_layout(s);
}

void
ts_split_rule(const struct ts_split *s, struct ts_canvas *c, const char *title, const char *right)
{
	ts_canvas_rule(c, s->rule, s->in_tabs ? TS_ROLE_BORDER : TS_ROLE_BORDER_ACTIVE, title,
		right && right[0] ? right : NULL);
}

static enum ts_effect
next_pane(struct ts_split *s, int step)
{
	if (s->in_tabs && ts_tabs_step(&s->tabs, step))
		return TS_EFFECT_REPAINT;
	if (!s->in_tabs)
		ts_tabs_enter(&s->tabs, step);
	ts_split_focus(s, !s->in_tabs);
	return TS_EFFECT_REPAINT;
}

enum ts_effect
ts_split_command(struct ts_split *s, const struct ts_call *call)
{
	enum ts_effect effect;

	switch (call->cmd) {
	case TS_CMD_PANE_NEXT:
		return next_pane(s, 1);
	case TS_CMD_PANE_PREVIOUS:
		return next_pane(s, -1);
	case TS_CMD_PANE_ZOOM:
		s->zoomed = !s->zoomed;
		ts_split_layout(s);
		return TS_EFFECT_REPAINT;
	default:
		break;
	}
	effect = ts_tabs_switch(&s->tabs, call);
	if (effect & TS_EFFECT_UNKNOWN && s->in_tabs)
		effect = ts_tabs_command(&s->tabs, call);
	if (!(effect & TS_EFFECT_UNKNOWN) && effect & TS_EFFECT_REFLOW)
		ts_split_layout(s);
	return effect;
}

bool
ts_split_waits(const struct ts_split *s, enum ts_cmd cmd)
{
	return s->in_tabs && ts_tabs_waits(&s->tabs, cmd);
}

bool
ts_split_mouse(struct ts_split *s, int y, int wheel)
{
	bool below = !ts_rect_empty(s->below) && y >= s->below.y;

	if (!wheel && below != s->in_tabs)
		ts_split_focus(s, below);
	return below;
}
