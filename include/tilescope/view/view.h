/* SPDX-License-Identifier: MIT */
/*
 * view - what a view is to the loop.
 *
 * A view is a constant table of functions and a state of its own. The loop gives it an area, commands
 * and answers, and asks it to draw; a view never reads a file, runs SQL or waits. What it needs it
 * asks for with a fetch (view/fetch.h) from `request`, which the loop calls after everything that
 * may have changed what is needed. Two views never call each other: they share the selection.
 */
#ifndef TS_VIEW_VIEW_H
#define TS_VIEW_VIEW_H

#include "tilescope/base/log.h"
#include "tilescope/base/option.h"
#include "tilescope/base/settings.h"
#include "tilescope/job/jobs.h"
#include "tilescope/report/figures.h"
#include "tilescope/report/index.h"
#include "tilescope/ui/canvas.h"
#include "tilescope/ui/command.h"
#include "tilescope/ui/effect.h"
#include "tilescope/view/absent.h"
#include "tilescope/view/at_cursor.h"
#include "tilescope/view/selection.h"
#include "tilescope/view/window.h"

struct ts_cache;
struct ts_candidates;
struct ts_chart_page;
struct ts_explain;
struct ts_fetch;
struct ts_files;
struct ts_host_status;
struct ts_index_status;
struct ts_keymap;
struct ts_sheet;
struct ts_table_looks;
struct ts_tabs;
struct ts_operation_graph;
struct ts_view;

/* What `reload` is told: another report, the same with other bytes, or with the same ones. */
enum ts_reload { TS_RELOAD_OTHER, TS_RELOAD_CHANGED, TS_RELOAD_SAME };

/* An expression of tiles that somebody wants worked out (ts_view_ask_tiles()); app/ sees to it. */
enum ts_tiles_state {
	TS_TILES_NOTHING,
	TS_TILES_ASKED,
	TS_TILES_SENT,
	TS_TILES_DONE,
	TS_TILES_WRONG
};

struct ts_tiles_asked {
	enum ts_tiles_state state;
	bool go; /* not to be selected: the cursor goes to the fullest of them (`goto NUMBER`) */
	char text[TS_TILE_SET_TEXT];
};

enum { TS_PLACE_TEXT = 160 };

/* Lent to every view by app/; outlives it. */
struct ts_view_env {
	const char
		*word; /* how the report is called: a path, or HOST:PATH; NULL until one is open */
	/*
	 * Which file system a word means, and which path in it (app/hosts.h): both are the caller's, to be released and freed. For
	 * the thread that draws; a host is begun, not waited for.
	 */
	enum ts_code (*find_place)(void *ctx, struct ts_files **files, char **path,
		const char *word, struct ts_err *err);
	void *find_place_ctx;
	const struct ts_host_status *hosts; /* of those that were named so far */
	int host_count;
	struct ts_report *report;   /* NULL until one is open; replaced on reload (view->reload) */
	struct ts_archive *archive; /* archive.a once it is read, else NULL; held by the program */
	enum ts_part_state archive_state;
	struct ts_index *index; /* what is built of its index, or NULL; grows (view->indexed) */
	const struct ts_cache *cache; /* NULL until it is made; outlives all jobs */
	uint64_t wanted; /* a view sets it: sections (bits) to build beyond the core ones */
	uint64_t coming; /* sections (bits) that are being built, or looked for: soon in `index` */
	bool partial;	 /* a view sets it: damage, although its questions were answered */
	bool looking;	 /* for some milliseconds it is not known what there is of an index */
	const struct ts_index_status *indexing; /* for the Jobs view; or NULL */
	struct ts_jobs *jobs;
	struct ts_window window[TS_WINDOW_COUNT]; /* of lists: what they hold, how often that did */
	enum ts_context
		help_context; /* of the view from which Help was called: its keys come first */
	const struct ts_options *options;
	struct ts_table_looks *looks; /* which columns of tables the user wants; or NULL */
	struct ts_settings *settings; /* kept for the next start; NULL: nothing is */
	struct ts_selection *selection;
	const char *rules; /* directory of the user's rules of groups; or NULL */
	struct ts_log *log;
	enum ts_reload reload;	   /* of the last one */
	struct ts_figures figures; /* of the report, as far as Summary knows them */
	bool figures_known;	   /* Summary will not know more */
	uint64_t generation; /* of the report: answers of an older one are dropped by the loop */
	char message[200];   /* for the bottom line: set it, the loop shows it until the next key */
	bool message_is_error;
	char copy[1024]; /* set by COPY: what goes to the clipboard */
	struct ts_tiles_asked tiles_asked;
	int go; /* a command (enum ts_cmd) that the program runs next; -1 = none */
	bool behind; /* what is delivered now is for a view that is not shown: it leads nowhere and marks nothing */
	char place
		[TS_PLACE_TEXT]; /* set by a view: an address to go to (taken by the loop); "" = none */
	char *rules_dir;	 /* where the user's own rules are; may be NULL */
	const char *recents;	 /* file of the reports that were opened last; or NULL */
	char *open; /* set by the list of reports: a path to open (taken by the loop) */
	/* set by EDIT: a source file to open in the editor (taken by the loop), at this line; below 1 = not known */
	char *edit;
	int64_t edit_line;
	const struct ts_keymap *keymap; /* for the help view */
};

/*
 * An argument of a view's address (`memory?tile=12&by=category`): how its present value is said, and how it
 * is gone to again. One that has no `set` is set by a command with the value as its argument.
 */
enum ts_arg_state {
	TS_ARG_DONE,
	TS_ARG_LATER, /* what it needs is not there yet: once more after the next answer */
	TS_ARG_NO,    /* it cannot be: the message line says why */
};

#define TS_ARG_NUMBER "a number"
#define TS_ARG_RANGE "FROM-TO"
#define TS_ARG_TEXT "a text"
#define TS_ARG_YES "yes|no"

struct ts_view_arg {
	const char *name;
	const char *words; /* one of the above, or the words it may be, with | between them */
	bool (*get)(struct ts_view *v, struct ts_strbuf *out); /* false: as it is without it */
	enum ts_arg_state (*set)(struct ts_view *v, const char *value); /* of those words */
	enum ts_cmd cmd;
};

/* A command that the bottom line names: its key comes from the keymap. The last of a list has no word. */
struct ts_hint {
	enum ts_cmd cmd;
	const char *word;
};

struct ts_view_ops {
	const char *name;  /* as in `view NAME` */
	const char *title; /* of the tab */
	int number;	   /* key and tab: 1, 3, 4, 7; 0 = no tab (help, log, open) */
	enum ts_context context;

	struct ts_view *(*open)(struct ts_view_env *env); /* NULL: no memory */
	void (*close)(struct ts_view *v); /* at the end: fetches that it sent are gone by then */

	/* Another report, or the same read again: keep the place, drop the data. */
	void (*reload)(struct ts_view *v);

	/*
	 * The index has grown (env->index): ask again for what is shown and would now be exact or at
	 * once there; what is on the screen stays until the answer comes. May be NULL.
	 */
	void (*indexed)(struct ts_view *v);

	/*
	 * It is not shown, and the screen has all that it waits for: ask for what the first screen of this
	 * view would wait for longest, of a worker that nobody waits for. May be NULL.
	 */
	void (*ahead)(struct ts_view *v);

	/* The view comes to the front: take over what the selection says (a tile, a step). */
	void (*shown)(struct ts_view *v);

	/* Its area on the screen, row 0 is just below the tabs. Called before draw and after a resize. */
	void (*resize)(struct ts_view *v, struct ts_rect area);

	/* State to canvas. Pure: no allocation that can fail visibly, no I/O; bounded by cells. */
	void (*draw)(struct ts_view *v, struct ts_canvas *c);

	/* Send fetches for what is needed and neither here nor under way. */
	void (*request)(struct ts_view *v);

	/*
	 * One of its fetches comes back (of the current report; also when it was dropped or
	 * cancelled: ts_fetch_in_vain()): take the results out of it, the loop frees it. A view keeps
	 * the pointer of the newest fetch of each kind, and takes an answer only when it is that one.
	 */
	enum ts_effect (*deliver)(struct ts_view *v, struct ts_fetch *f);

	/* A command; TS_EFFECT_UNKNOWN when it is not the view's. */
	enum ts_effect (*command)(struct ts_view *v, const struct ts_call *call);

	/*
	 * Is what this command would act on (rows of the pane that has the keys, a graph) not there, or of something else than what is
	 * shown? Where it is being read the command waits (view/typed.h). NULL: never.
	 */
	bool (*waits)(struct ts_view *v, enum ts_cmd cmd);

	/*
	 * What the last word of a text for `cmd` (filter, search) may go on to: set out->start, add
	 * candidates. Reads no file. May be NULL.
	 */
	void (*complete)(struct ts_view *v, enum ts_cmd cmd, const char *line,
		struct ts_candidates *out);

	/* What kind of pane has the keys, for the keymap: TS_CONTEXT_LIST, TS_CONTEXT_CHART. NULL: always a list. */
	enum ts_context (*pane_context)(struct ts_view *v);

	/* What the bottom line names: of the pane that has the keys (NULL: nothing of its own), then of the view. */
	const struct ts_hint *(*pane_hints)(struct ts_view *v);
	const struct ts_hint *hints;

	/*
	 * Of what its figures are although tiles are selected, in a few words for the bottom line. NULL: it has no figures of
	 * tiles, or says on its panes which are of the selection.
	 */
	const char *not_selected;

	/* Mouse at a cell of the screen: focus, cursor; wheel (-1, 1) or 0 for a click. May be NULL. */
	enum ts_effect (*mouse)(struct ts_view *v, int x, int y, int wheel);

	/*
	 * What the figure under the cursor is, and others of the pane that has the keys (view/explain.h). Pure: the view
	 * has its numbers. May be NULL.
	 */
	void (*explain)(struct ts_view *v, struct ts_explain *out);

	/*
	 * What is under the cursor of the pane that has the keys: goto-memory and its like take it to another view. NULL: its
	 * rows are no objects that others know. `out` is about nothing before.
	 */
	void (*object)(struct ts_view *v, struct ts_at_cursor *out);

	/* The tabs of its lower pane. NULL: it has none. */
	struct ts_tabs *(*tabs)(struct ts_view *v);

	/* The table of the pane that has the keys (view/sheet.h). False: there is none. May be NULL. */
	bool (*sheet)(struct ts_view *v, struct ts_sheet *out);

	/*
	 * Is a filter in force of what `filter` would filter now? NULL, false: at most that of the order of the table that `sheet`
	 * gives. Escape takes it back, before anything else.
	 */
	bool (*filtered)(struct ts_view *v);

	/*
	 * The chart of the view, or of the pane that has the keys, at the resolution of the page (ui/chart_page.h). False:
	 * there is none; then out->without says whether a pane has the keys that never has one. May be NULL.
	 */
	bool (*chart)(struct ts_view *v, struct ts_chart_page *out);

	/* The cycles [*from, *to) that `export` writes: those that are marked, else in sight. NULL, false: there are none. */
	bool (*range)(struct ts_view *v, int64_t *from, int64_t *to);

	/* The operations that a graph of what is shown has; g->title says why not where it is false. NULL: a graph is of all. */
	bool (*graph)(struct ts_view *v, struct ts_operation_graph *g);

	/* Of its address, in the order in which they are set; the last has no name. May be NULL: none. */
	const struct ts_view_arg *args;
};

/* Every view's state begins with this. */
struct ts_view {
	const struct ts_view_ops *ops;
	struct ts_view_env *env;
	int id; /* given by the loop: owner of its jobs */
};

/* --- what a pane has to show ------------------------------------------------------------------ */

enum ts_pane_state {
	TS_PANE_EMPTY,	 /* nothing was asked for yet */
	TS_PANE_LOADING, /* asked for, nothing to show yet */
	TS_PANE_READY,
	TS_PANE_STALE,	 /* old data while new is under way */
	TS_PANE_PARTIAL, /* damaged: what could be read */
	TS_PANE_FAILED,	 /* could not be read: `reason` */
	TS_PANE_ABSENT,	 /* not recorded in this report: `reason`, `absent` */
};

struct ts_pane_data {
	enum ts_pane_state state;
	char reason[200];
	enum ts_absent absent; /* what it is that may be absent */
};

/* More lowered variables than this are not gone through for each answer. */
enum { TS_VIEW_MANY_VARIABLES = 1 << 17 };

/*
 * Is it worth to wait for a section of the index? It is made in one pass by all cores: a pass of the
 * view's own would end later and delay both. `relation` is what the section is made of.
 */
static inline bool
ts_view_waits(const struct ts_view_env *env, enum ts_section section, enum ts_relation relation)
{
	return env->coming & ts_section_bit(section) && ts_report_has(env->report, relation);
}

/*
 * Are names of programs and compute sets read in no time? Not where figures of each tile stand beside them: each row
 * may then take pages of its own, and nobody has asked yet.
 */
bool ts_view_names_are_cheap(const struct ts_view_env *env);

/* What is made of lowered variables, bits of sections, is wanted of the index where these are many. */
static inline void
ts_view_wants_of_variables(struct ts_view_env *env, uint64_t sections)
{
	const struct ts_binding *b = &env->report->binding[TS_LOWERED_VARIABLE];

	if (b->bound && ts_reach_span(&b->reach) > TS_VIEW_MANY_VARIABLES)
		env->wanted |= sections;
}

/* Who asks for names or columns of all lowered variables will again. */
static inline void
ts_view_wants_columns(struct ts_view_env *env)
{
	ts_view_wants_of_variables(env, ts_section_bit(TS_SECTION_COLUMNS));
}

/* The same for who adds up rows of many tiles: names of these are those of the columns. */
static inline void
ts_view_wants_tile_rows(struct ts_view_env *env)
{
	ts_view_wants_of_variables(env,
		ts_section_bit(TS_SECTION_COLUMNS) | ts_section_bit(TS_SECTION_TILE_ROWS));
}

/* The same for who asks on which tiles names stand. */
static inline void
ts_view_wants_name_tiles(struct ts_view_env *env)
{
	ts_view_wants_of_variables(env,
		ts_section_bit(TS_SECTION_COLUMNS) | ts_section_bit(TS_SECTION_NAME_TILES));
}

/* Is there something to draw (READY, STALE, PARTIAL)? */
static inline bool
ts_pane_has(const struct ts_pane_data *d)
{
	return d->state == TS_PANE_READY || d->state == TS_PANE_STALE ||
		d->state == TS_PANE_PARTIAL;
}

/* Set the state from the code of a fetch: OK, DAMAGED (partial when `some`), ABSENT, failed. */
void ts_pane_result(struct ts_pane_data *d, enum ts_code code, const struct ts_err *err, bool some);

/* Draw the panel of a pane that has nothing to show: loading, failed, absent. */
void ts_pane_draw(struct ts_canvas *c, struct ts_rect r, const struct ts_view_env *env,
	const struct ts_pane_data *d);

/* `mark` on a variable: marked, or not any more. */
enum ts_effect ts_view_mark(struct ts_view *v, const struct ts_marked_variable *x);

/* Have tiles selected, or gone to, that an expression names; what is wrong with it is said later. */
void ts_view_ask_tiles(struct ts_view_env *env, const char *text, bool go);

/* Are some to be selected that are not known yet? What is shown is of those that were selected before. */
static inline bool
ts_view_looks_for_tiles(const struct ts_view_env *env)
{
	const struct ts_tiles_asked *q = &env->tiles_asked;

	return !q->go && (q->state == TS_TILES_ASKED || q->state == TS_TILES_SENT);
}

/* Set the message of the bottom line. */
void ts_view_say(struct ts_view_env *env, const char *fmt, ...) TS_PRINTF(2, 3);
void ts_view_say_error(struct ts_view_env *env, const char *fmt, ...) TS_PRINTF(2, 3);

/* `wrong` lines of a file of rules are none and were passed over, the first one being `problem`: in the bottom line and in Log. */
void ts_view_say_rules(struct ts_view_env *env, int wrong, const char *problem);

/* "hit 2 of 25,192" and `more` (NULL: nothing): what a search went to. */
void ts_view_say_hit(struct ts_view_env *env, int64_t number, int64_t count, const char *more);

#endif
