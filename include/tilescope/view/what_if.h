/* SPDX-License-Identifier: MIT */
/*
 * what_if - ticking variables, `whatif`, and the tab that shows the peaks before and after.
 *
 * The changes are shared by all views (selection.h). The tab needs nothing of its host. It asks anew whenever the changes
 * are others than those that it shows; what is on the screen stays until the answer comes.
 */
#ifndef TS_VIEW_WHAT_IF_H
#define TS_VIEW_WHAT_IF_H

#include "tilescope/report/live_source.h"
#include "tilescope/report/what_if.h"
#include "tilescope/view/tab.h"

enum { TS_WHAT_IF_SIGN = 16 };

/* The user's file of groups, the caller's to free; NULL: there is none but the program's. */
char *ts_what_if_rules(const struct ts_view_env *env);

/*
 * `tick` on a variable: nothing -> removed -> halved -> in 4 -> nothing. `x` says which (of, id, text = its name);
 * of TS_WHAT_IF_VARIABLE or TS_WHAT_IF_LOWERED.
 */
enum ts_effect ts_what_if_tick(struct ts_view *v, struct ts_what_if_change *x);

/* The same of all variables of a group (groups.h), as `whatif` takes its name; "" = nothing is ticked of it. */
enum ts_effect ts_what_if_tick_group(struct ts_view *v, const char *name);
const char *ts_what_if_group_sign(const struct ts_view_env *env, const char *name,
	char out[TS_WHAT_IF_SIGN]);

/*
 * The same of all variables of a name, on all tiles: `whatif` of a pattern that matches nothing else (but other cases
 * of its letters). As with any pattern it is looked afterwards whether What-if knows variables of that name: where those
 * before lowering are recorded it goes by their names.
 */
enum ts_effect ts_what_if_tick_name(struct ts_view *v, const char *name);
const char *ts_what_if_name_sign(const struct ts_view_env *env, const char *name,
	char out[TS_WHAT_IF_SIGN]);

/* A name of n bytes, raw, into a change. */
void ts_what_if_name(struct ts_what_if_change *x, const char *name, size_t n);

/* What is ticked of a variable: "removed", "halved", "in 4"; "" = nothing. Returns `out`. */
const char *ts_what_if_sign(const struct ts_view_env *env, enum ts_what_if_of of, int64_t id,
	char out[TS_WHAT_IF_SIGN]);

/* The same of some changes: any thread. */
const char *ts_what_if_sign_in(const struct ts_what_if_changes *c, enum ts_what_if_of of,
	int64_t id, char out[TS_WHAT_IF_SIGN]);

/* `whatif remove NAMES`, `whatif halve marked`, `whatif split 8 GROUP`, `whatif clear`, `whatif` (says how many). */
enum ts_effect ts_what_if_command(struct ts_view *v, const struct ts_call *call);

/* `what-if` of an address: changes with ; between them, as `whatif` takes them. */
bool ts_what_if_get(struct ts_view *v, struct ts_strbuf *out);
enum ts_arg_state ts_what_if_set(struct ts_view *v, const char *value);

extern const struct ts_tab_ops ts_tab_what_if;

/* What the tab ts_tab_what_if knows of a peak with the changes there are. */
enum ts_what_if_known {
	TS_WHAT_IF_NONE,   /* there are no changes, or what they come to is not worked out yet */
	TS_WHAT_IF_OTHERS, /* its answer has peaks of others, but not of this source */
	TS_WHAT_IF_PEAK,
};

/* The peak that a source of the timeline comes to; *out: where it is one; its step is TS_UNKNOWN where all is always live. */
enum ts_what_if_known ts_what_if_after(const struct ts_tab *t, const struct ts_live_source *of,
	struct ts_what_if_peak *out);

/* That peak, explained; nothing where it is none. */
void ts_what_if_explain_after(struct ts_tab *t, const struct ts_live_source *of,
	struct ts_explain *out);

#endif
