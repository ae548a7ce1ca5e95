/* SPDX-License-Identifier: MIT */
/*
 * split - a view of two panes: one of its own above, with a rule, and a row of tabs below.
 *
 * Which of them has the keys, how high they are, `pane-next`, `pane-zoom`, the commands that change tabs: the same in every
 * such view. The view draws and moves its upper pane in `at`.
 */
#ifndef TS_VIEW_SPLIT_H
#define TS_VIEW_SPLIT_H

#include "tilescope/view/tab.h"

struct ts_split {
	struct ts_tabs tabs;
	bool in_tabs;			      /* the lower pane has the keys */
	bool zoomed;			      /* the pane with the keys has all of the room */
	struct ts_rect area, rule, at, below; /* `at`: of the upper pane, under its rule */
};

/* As ts_tabs_init(). ts_split_fini() in every case. */
bool ts_split_init(struct ts_split *s, struct ts_view *v, void *host,
	const struct ts_tab_ops *const ops[], int n) TS_WARN_UNUSED;
void ts_split_fini(struct ts_split *s);

/* Rectangles of s->area; to be called again when the view has laid out its pane. */
void ts_split_layout(struct ts_split *s);

void ts_split_focus(struct ts_split *s, bool in_tabs);

/* The rule of the upper pane; `right` may be empty. */
void ts_split_rule(const struct ts_split *s, struct ts_canvas *c, const char *title,
	const char *right);

/* What is the panes' own, and what the tab with the keys knows; UNKNOWN: a command of the upper pane, or of the view. */
enum ts_effect ts_split_command(struct ts_split *s, const struct ts_call *call);

/* As ts_view_ops.waits, of the lower pane: false while the upper one has the keys. */
bool ts_split_waits(const struct ts_split *s, enum ts_cmd cmd);

/* A click or the wheel on the screen's row y: is it in the lower pane? A click gives the keys to its pane. */
bool ts_split_mouse(struct ts_split *s, int y, int wheel);

#endif
