/* SPDX-License-Identifier: MIT */
/*
 * debug - the Debug tab of a view's details: where an object comes from, through the layers of software.
 *
 * A view embeds a `struct ts_debug` and says what is under its cursor; the tab asks for the path of contexts
 * (leaf first), shows it as a folded tree, and knows the file and line for `edit`. What was read of debug.cbor
 * without an index is kept for the next object.
 */
#ifndef TS_VIEW_DEBUG_H
#define TS_VIEW_DEBUG_H

#include "tilescope/report/contexts.h"
#include "tilescope/ui/tree.h"
#include "tilescope/view/fetch.h"

enum { TS_DEBUG_KIND = 1000 }; /* of its fetches; no view has so many of its own */

/* What the tab is about. */
struct ts_debug_about {
	enum ts_relation relation; /* TS_CONTEXT: `context` is the id; TS_RELATION_COUNT: nothing */
	int64_t key; /* of the row of the relation; TS_LOWERED_VARIABLE: its tile ... */
	int64_t row; /* ... and its place among those of the tile */
	uint64_t context;
	const char *what; /* "step": constant text */
};

struct ts_debug_line;

struct ts_debug {
	bool shown;
	struct ts_debug_about asked; /* the newest question */
	struct ts_fetch *fetch;	     /* under way; or NULL */
	struct ts_contexts *contexts;
	struct ts_context_path path;
	struct ts_tree tree;
	struct ts_debug_line *line; /* what the tree's nodes say */
	size_t lines;
	struct ts_strbuf text;
	struct ts_pane_data absent;    /* ABSENT: this report does not say it */
	const struct ts_view_env *env; /* of the last question */
	char say[300]; /* why there is no path, or what is missing in it; "" = nothing */
	bool failed, waiting;
	char search[128];
};

void ts_debug_init(struct ts_debug *d);
void ts_debug_drop(struct ts_debug *d); /* another report: everything that was read */

/* Ask for what is under the cursor, if it is shown and that is another object than before. */
void ts_debug_request(struct ts_debug *d, struct ts_view *v, const struct ts_debug_about *about);

/* An answer of kind TS_DEBUG_KIND. */
enum ts_effect ts_debug_deliver(struct ts_debug *d, struct ts_view *v, struct ts_fetch *f);

/* Commands while it has the keys; UNKNOWN: not one of its own. */
enum ts_effect ts_debug_command(struct ts_debug *d, struct ts_view *v, const struct ts_call *call);

/* A click or the wheel at row y of its rectangle. */
enum ts_effect ts_debug_mouse(struct ts_debug *d, int y, int wheel);

/* Open the source of the level under the cursor (else of the first that has one) in the editor. */
enum ts_effect ts_debug_edit(const struct ts_debug *d, struct ts_view *v);

/*
 * The tab's part of a list's rectangle `r`, cut from it: none when it is not shown; all of it when it has the keys
 * and is zoomed, or when both have no room.
 */
struct ts_rect ts_debug_cut(struct ts_rect *r, const struct ts_debug *d, bool has_keys,
	bool zoomed);

/* With a rule in the first row. */
void ts_debug_resize(struct ts_debug *d, struct ts_rect r);
void ts_debug_draw(struct ts_canvas *c, struct ts_rect r, const struct ts_debug *d, bool focus);

#endif
