/* SPDX-License-Identifier: MIT */
/*
 * tab - the lower pane of a view as a row of tabs.
 *
 * A tab is a constant table of functions, a state of its own (`own`) and a pointer to what it shares with its view
 * (`host`). A view embeds a `struct ts_tabs`, gives it a rectangle and hands on what the loop says to it; the tab line
 * (titles, which one is shown, what it is about) is drawn in one place. In a wide pane the first tab stays on the
 * left (`pair`) and the others share the right half; the tab `at` has the keys when the pane has them.
 *
 * `tab-next`, `tab-previous` and `tab NAME` change the tab, so does a click on its title. `debug` shows below the tab
 * where the object under its cursor comes from (`about`); ts_tab_debug is the same as a tab of its own.
 *
 * Everything here is the UI thread's.
 */
#ifndef TS_VIEW_TAB_H
#define TS_VIEW_TAB_H

#include "tilescope/ui/list.h"
#include "tilescope/view/debug.h"
#include "tilescope/view/fetch.h"
#include "tilescope/view/view.h"

enum {
	TS_TABS_MAX = 14,
	TS_TAB_KIND = 2000, /* of fetches of the first tab; no view has so many of its own */
	TS_TAB_KINDS = 8,   /* that each tab has: its `kind` + 0 ... 7 */
	TS_TAB_NOTE = 240,
};

struct ts_tab;
struct ts_tabs;

struct ts_tab_ops {
	const char *name;  /* as in `tab NAME` and `tab=NAME` */
	const char *title; /* in the tab line */
	const char *brief; /* where it is narrow; NULL = title */

	bool wide; /* it takes all columns of the pane: no other tab stands beside it */

	/* All but draw may be NULL: nothing to do, nothing to say, not mine. */

	bool (*open)(struct ts_tab *t); /* its own state; false: no memory */
	void (*close)(struct ts_tab *t);
	void (*drop)(struct ts_tab *t);	   /* another report, or the same read again */
	void (*indexed)(struct ts_tab *t); /* the index has grown */

	bool (*hidden)(const struct ts_tab *t); /* it is not in the line at all */
	bool (*absent)(const struct ts_tab *t); /* this report has nothing for it: a dim title */

	/* What it is about, for the right end of the line: "tile 12, by lowered variables". */
	void (*note)(const struct ts_tab *t, char out[TS_TAB_NOTE]);

	/* t->r is its rectangle from now on (empty: it is not shown), below the tab line. */
	void (*resize)(struct ts_tab *t);

	/* It is shown: ask for what is needed and neither here nor under way, with kinds t->kind + 0 ... */
	void (*request)(struct ts_tab *t);

	/* It is not shown: ask ahead for what it will show, where that is cheap and nothing on the screen waits. */
	void (*ahead)(struct ts_tab *t);

	/* One of these comes back, shown or not (as ts_view_ops.deliver). */
	enum ts_effect (*deliver)(struct ts_tab *t, struct ts_fetch *f);

	/* Into t->r; `focus`: it has the keys. */
	void (*draw)(struct ts_tab *t, struct ts_canvas *c, bool focus);

	/* A command while it has the keys; TS_EFFECT_UNKNOWN when it is not its own. */
	enum ts_effect (*command)(struct ts_tab *t, const struct ts_call *call);

	/* A cell of the screen in t->r: wheel (-1, 1), or 0 for a click. */
	enum ts_effect (*mouse)(struct ts_tab *t, int x, int y, int wheel);

	/* The kind of pane for the keymap; NULL: a list. */
	enum ts_context (*pane_context)(const struct ts_tab *t);

	/* As those of a view, while it has the keys. */
	const struct ts_hint *hints;
	/* Where they change: those of now; NULL: `hints`. */
	const struct ts_hint *(*hints_now)(const struct ts_tab *t);

	/* The object under its cursor, for Debug; false: none. */
	bool (*about)(const struct ts_tab *t, struct ts_debug_about *out);

	/* The same for other views; NULL: what `about` says. `out` is about nothing before. */
	void (*object)(const struct ts_tab *t, struct ts_at_cursor *out);

	/* As those of a view (view/view.h), of this tab while it has the keys. */
	void (*explain)(struct ts_tab *t, struct ts_explain *out);
	bool (*sheet)(struct ts_tab *t, struct ts_sheet *out);
	bool (*chart)(struct ts_tab *t, struct ts_chart_page *out);

	/* Its rows, for `row=` of the address and for up and down while the graph has the keys. `there`: all came. */
	struct ts_list *(*list)(struct ts_tab *t, bool *there);

	/* While not all came: are there rows of what is shown, so that keys need not wait for the others? NULL: no. */
	bool (*some)(const struct ts_tab *t);
};

struct ts_tab {
	const struct ts_tab_ops *ops;
	struct ts_tabs *tabs;
	struct ts_view *view;
	void *host; /* what the tabs of a view have in common */
	void *own;  /* made by `open` */
	int kind;   /* first of its fetches */
	struct ts_rect r;
};

struct ts_tabs {
	struct ts_tab tab[TS_TABS_MAX];
	int count;
	int at;	    /* has the keys when the pane has them */
	int right;  /* shown beside the first one, where both are */
	int source; /* whose object Debug tells of */
	int home;   /* the tab that `debug` goes to from one whose rows come from nowhere */
	bool pair;  /* the view wishes the first one on the left, where there is room */
	int least;  /* columns of the pane from which on that is; 0: as many as small tables need */
	bool both;  /* two are shown */
	bool focus; /* the pane had the keys when it was drawn */
	bool quiet; /* the view's own pane takes the keys of rows unless this one has them: no cursor line in both */
	struct ts_rect line
		[2]; /* of titles: of the first tab, where both are shown; of the others, or of all */
	struct ts_debug debug;
	bool split;	  /* Debug is shown below a tab, ... */
	bool debug_focus; /* ... and has the keys of the pane */
	struct ts_rect debug_at;
};

/* The Debug tab: of the object under the cursor of the tab that was shown before. */
extern const struct ts_tab_ops ts_tab_debug;

/* `ops` is a constant list of n tables. False: no memory (ts_tabs_fini() frees what is there). */
bool ts_tabs_init(struct ts_tabs *s, struct ts_view *v, void *host,
	const struct ts_tab_ops *const ops[], int n) TS_WARN_UNUSED;
void ts_tabs_fini(struct ts_tabs *s);
void ts_tabs_drop(struct ts_tabs *s);
void ts_tabs_indexed(struct ts_tabs *s);

/* The pane's rectangle; an empty one: nothing is shown. `alone`: the tab with the keys has all of it. */
void ts_tabs_resize(struct ts_tabs *s, struct ts_rect r, bool alone);

void ts_tabs_request(struct ts_tabs *s);

/* UNKNOWN: not a fetch of a tab, nor of Debug. */
enum ts_effect ts_tabs_deliver(struct ts_tabs *s, struct ts_fetch *f);

/* `focus`: the pane has the keys. */
void ts_tabs_draw(struct ts_tabs *s, struct ts_canvas *c, bool focus);

/*
 * The pane has the keys. Commands that change the tab are these functions' own (REFLOW: the view calls
 * ts_tabs_resize() again), all others go to the tab; UNKNOWN: not one of these.
 */
enum ts_effect ts_tabs_command(struct ts_tabs *s, const struct ts_call *call);

/* As ts_view_ops.waits, while the pane has the keys: a command of rows of the tab that has them. */
bool ts_tabs_waits(const struct ts_tabs *s, enum ts_cmd cmd);

/* A command for the view that the tab stands in, as if somebody had typed it; one that has none of it does nothing. */
void ts_tab_tell_view(struct ts_tab *t, enum ts_cmd cmd, const char *fmt, ...) TS_PRINTF(3, 4);

/* What the bottom line names of the tab that has the keys; or NULL. */
const struct ts_hint *ts_tabs_hints(const struct ts_tabs *s);

/* The same for those that work whichever pane has the keys: tab-next, tab-previous, tab, debug, edit. */
enum ts_effect ts_tabs_switch(struct ts_tabs *s, const struct ts_call *call);

/* A cell of the pane. A click gives the keys to the tab there; the view gives them to the pane. */
enum ts_effect ts_tabs_mouse(struct ts_tabs *s, int x, int y, int wheel);

/* The pane has the keys: what the tab says to `=` and :write. False: nothing; a tab without charts is in out->without. */
void ts_tabs_explain(struct ts_tabs *s, struct ts_explain *out);
bool ts_tabs_sheet(struct ts_tabs *s, struct ts_sheet *out);
bool ts_tabs_chart(struct ts_tabs *s, struct ts_chart_page *out);

/* What is under the cursor of the tab that has the keys; of Debug: of the tab that it tells of. */
void ts_tabs_object(const struct ts_tabs *s, struct ts_at_cursor *out);

enum ts_context ts_tabs_context(const struct ts_tabs *s);

/* Show tab i and give it the keys of the pane; the view calls ts_tabs_resize() again. */
void ts_tabs_show(struct ts_tabs *s, int i);

/*
 * `pane-next` (step 1) and `pane-previous` (-1) inside the pane: from the left tab to the right one and to Debug.
 * False: the keys leave the pane. ts_tabs_enter() puts them where they come in: forwards, to the tab that was chosen.
 */
bool ts_tabs_step(struct ts_tabs *s, int step);
void ts_tabs_enter(struct ts_tabs *s, int step);

static inline struct ts_tab *
ts_tabs_at(struct ts_tabs *s)
{
	return &s->tab[s->at];
}

static inline bool
ts_tab_is_shown(const struct ts_tab *t)
{
	return !ts_rect_empty(t->r);
}

/* Does it have the keys of the pane? */
static inline bool
ts_tab_has_keys(const struct ts_tab *t)
{
	return &t->tabs->tab[t->tabs->at] == t && !t->tabs->debug_focus;
}

/* --- arguments of an address: tab=NAME, row=N, debug=yes -------------------------------------- */

bool ts_tabs_say(const struct ts_tabs *s, struct ts_strbuf *out);
enum ts_arg_state ts_tabs_set(struct ts_tabs *s, const char *value);
bool ts_tabs_say_row(struct ts_tabs *s, struct ts_strbuf *out);
enum ts_arg_state ts_tabs_set_row(struct ts_tabs *s, const char *value);

#endif
