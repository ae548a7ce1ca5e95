/* SPDX-License-Identifier: MIT */
/*
 * app - the running program: what the loop, the dispatcher and the screen share.
 *
 * Everything here belongs to the UI thread.
 */
#ifndef TS_APP_APP_H
#define TS_APP_APP_H

#include "tilescope/app/address.h"
#include "tilescope/app/args.h"
#include "tilescope/app/hosts.h"
#include "tilescope/app/indexing.h"
#include "tilescope/app/popup.h"
#include "tilescope/app/recents.h"
#include "tilescope/app/settings.h"
#include "tilescope/app/report_watch.h"
#include "tilescope/app/write.h"
#include "tilescope/ui/keymap.h"
#include "tilescope/ui/prompt.h"
#include "tilescope/ui/theme.h"
#include "tilescope/ui/tty.h"
#include "tilescope/view/typed.h"
#include "tilescope/view/view.h"

enum ts_view_id {
	TS_VIEW_SUMMARY,
	TS_VIEW_INSIGHTS,
	TS_VIEW_MEMORY,
	TS_VIEW_LIVENESS,
	TS_VIEW_PROGRAMS,
	TS_VIEW_OPERATIONS,
	TS_VIEW_TRACE,
	TS_VIEW_VARIABLES,
	TS_VIEW_TABLES,
	TS_VIEW_OPEN,
	TS_VIEW_HELP,
	TS_VIEW_LOG,
	TS_VIEW_JOBS,
	TS_VIEW_SQL,
	TS_VIEW_COUNT,
	TS_OWNER_TILES = TS_VIEW_COUNT, /* owner of those that look for tiles */
	TS_OWNER_WHAT_IF,		/* of those that look what a change names */
	TS_OWNER_APP,			/* of the program's own jobs */
	TS_OWNER_INDEX,			/* and of those that build the index */
	TS_OWNER_ARCHIVE,		/* of the one that reads archive.a */
	TS_OWNER_WATCH,			/* and of looks at the files */
	TS_OWNER_RECENT,		/* of those that keep the list of recent reports */
	TS_OWNER_WRITE,			/* of those that write a file */
	TS_OWNER_FAR, /* and of the one that reads ahead of a report on another host */
};

enum ts_asking { TS_ASK_NOTHING, TS_ASK_COMMAND, TS_ASK_SEARCH, TS_ASK_SEARCH_BACK, TS_ASK_FILTER };

/* No frame shows but what a key has asked for, so soon after it. */
enum { TS_CALM_US = 100000 };

enum { TS_PLACES = 64, TS_MIN_COLUMNS = TS_SIZE_MIN_COLUMNS, TS_MIN_ROWS = TS_SIZE_MIN_ROWS };

/* Where somebody was; what is marked or selected is the same everywhere. */
struct ts_place {
	enum ts_view_id view;
	int64_t tile, ipu, step, live_step;
};

struct ts_app {
	const struct ts_args *args;
	const char *path; /* that was asked for */
	char *rules;	  /* directory of the user's rules, or NULL */
	bool chosen;	  /* it is being opened because the user says so */
	char *word;	  /* of the report that is shown, as env.word */
	char *opened;	  /* chosen in the list of reports: `path` points to it */
	struct ts_options options;
	struct ts_selection selection;
	uint64_t what_if_sent; /* the version of its changes that a worker looks at; 0: none does */
	struct ts_log *log;
	struct ts_jobs *jobs;
	struct ts_view_env env;
	struct ts_indexing indexing;
	struct ts_app_hosts hosts;
	struct ts_report_watch watch;
	struct ts_app_recents recent;
	struct ts_settings *settings; /* or NULL: nothing is kept */
	struct ts_app_popup popup;
	int writes; /* files that were asked for */

	struct ts_tty *tty;
	struct ts_canvas *canvas;
	struct ts_theme theme;
	struct ts_keymap keymap;

	struct ts_view *view[TS_VIEW_COUNT]; /* made when first shown */
	enum ts_view_id current;
	enum ts_view_id under; /* what help, log or the list covers */

	struct ts_place place[TS_PLACES]; /* for back and forward */
	int places, at_place;

	enum ts_asking asking;
	struct ts_prompt prompt;
	char sought[TS_PROMPT_MAX]; /* the text of the last search, */
	enum ts_view_id sought_in;  /* and in which view */
	bool seeking;		    /* the line is there still, and was searched for */
	struct ts_history commands, searches;
	struct ts_keys keys;   /* typed so far of a sequence */
	struct ts_typed typed; /* whole ones that wait for what is being read */
	int tab_at[TS_VIEW_COUNT],
		tab_end[TS_VIEW_COUNT]; /* columns of the tabs in the first row */

	bool waiting;	      /* it cannot be read yet and is being written */
	struct ts_err failed; /* why there is no report, or why it was not read again */
	int64_t look_at_us;   /* when to look again whether the file has changed; 0 = not */
	int64_t tick_us;      /* when progress is shown next; 0 = nothing is busy */
	int64_t key_us;	      /* the last key */
	int64_t soon_us;      /* the last answer that is to be seen soon (TS_EFFECT_SOON) */
	uint64_t ahead;	      /* generation of the report of which views have asked ahead */
	bool far_wanted;      /* far_ahead.c has not begun yet */
	bool archive_wanted;  /* archive.a beside the profile was not asked for yet */
	bool leaves; /* there is nothing to show: it ends when the box of a host is closed (hosts.h) */
	bool dirty, quit;
	enum ts_exit status;
	struct ts_address at; /* where --at leads, until it is there or a key is pressed */

	bool headless;	       /* no terminal: a picture of one view (headless.h) */
	int64_t received;      /* answers so far */
	struct ts_err trouble; /* the first of them that says that something cannot be read */
};

/*
 * Has the user to choose a report first, from the list of them? Where one is being opened, what asks for it waits.
 */
static inline bool
ts_app_has_to_choose(const struct ts_app *app)
{
	return !app->env.report && app->view[TS_VIEW_OPEN];
}

/* The views, by their numbers. */
extern const struct ts_view_ops *const ts_views[TS_VIEW_COUNT];

/* loop.c: run until the end; the exit status. */
enum ts_exit ts_app_run(const struct ts_args *args);

/* The parts of it that need no terminal: begin, hand the answers that came to their views, free. */
enum ts_code ts_app_init(struct ts_app *app, const struct ts_args *args,
	struct ts_err *err) TS_WARN_UNUSED;
void ts_app_take_answers(struct ts_app *app);
/* False when a worker hangs in a read: nothing of its memory may be freed, the process has to end so. */
bool ts_app_fini(struct ts_app *app);

/* dispatch.c: one event, one command. */
void ts_app_event(struct ts_app *app, const struct ts_event *event);
void ts_app_call(struct ts_app *app, const struct ts_call *call);
/* After answers: calls that waited for them (view/typed.h). */
void ts_app_typed_turn(struct ts_app *app);
void ts_app_effect(struct ts_app *app, enum ts_effect effect);

/* places.c: show a view. */
void ts_app_show(struct ts_app *app, enum ts_view_id id);
/* Views that are not shown ask for what they would make somebody wait for. */
void ts_app_ahead(struct ts_app *app);

/* dispatch.c: the contexts in which keys are looked up now, the nearest first; returns how many (at most 4). */
int ts_app_contexts(struct ts_app *app, enum ts_context out[4]);

/* stop.c: C-c. Stop what somebody waits for, else what runs behind the screen; and say what that was. */
void ts_app_stop(struct ts_app *app);

/* screen.c: lay out and draw the whole screen; without a terminal to the canvas alone. */
void ts_app_layout(struct ts_app *app);
void ts_app_draw(struct ts_app *app);
/* The view whose tab stands in column x of the first row, as it was drawn last; false: none does. */
bool ts_app_tab_at(enum ts_view_id *id, const struct ts_app *app, int x);
/* The view as it is laid out now, below a line that says what it is: for a file. */
void ts_app_draw_picture(struct ts_app *app, struct ts_canvas *c);

/* load.c: open the report in a worker, take it over. */
void ts_app_load(struct ts_app *app);
void ts_app_take(struct ts_app *app, struct ts_job *job);
/* Before there is a screen: nothing to show will come of this answer (then it is freed). */
bool ts_app_hopeless(struct ts_app *app, struct ts_job *job);
void ts_app_load_free(struct ts_job *job);

/* load.c: the report that is shown is called so (copied). */
void ts_app_called(struct ts_app *app, const char *word);

/* owner.c: take an answer, whosesoever it is; free one that is in vain. */
void ts_app_answer(struct ts_app *app, struct ts_job *job);
void ts_app_give_back(struct ts_job *job);

/*
 * archive_look.c: archive.a. A report was opened; a frame of it was drawn; the answer; free a job in vain.
 */
void ts_app_archive_opened(struct ts_app *app);
void ts_app_archive_drawn(struct ts_app *app);

/* far_ahead.c: a report was opened; its first screen stands; the answer. */
void ts_app_far_opened(struct ts_app *app);
void ts_app_far_drawn(struct ts_app *app);
void ts_app_far_take(struct ts_app *app, struct ts_job *job);
void ts_app_archive_take(struct ts_app *app, struct ts_job *job);
void ts_app_archive_free(struct ts_job *job);

/* tiles.c: `:tiles`; send what is asked of tiles (env.tiles_asked); the answer. */
enum ts_effect ts_app_tiles_command(struct ts_app *app, const struct ts_call *call);
/* Where the view has no marks of its own to take away: the tiles'; silent when there are none. */
enum ts_effect ts_app_tiles_clear(struct ts_app *app, const struct ts_call *call);
void ts_app_tiles_turn(struct ts_app *app);
void ts_app_tiles_take(struct ts_app *app, struct ts_job *job);

/* what_if.c: `:whatif`; look whether what was typed names anything; the answer. */
enum ts_effect ts_app_what_if_command(struct ts_app *app, const struct ts_call *call);
void ts_app_what_if_turn(struct ts_app *app);
void ts_app_what_if_take(struct ts_app *app, struct ts_job *job);

/* config.c: what the configuration file sets; what is wrong in it, a line each. */
void ts_config_read(struct ts_options *o, struct ts_strbuf *complaints);

/* config.c: theme, keymap, configuration file. Problems go to the log and the message line. */
void ts_app_configure(struct ts_app *app);
bool ts_app_use_theme(struct ts_app *app, const char *name);
bool ts_app_use_keymap(struct ts_app *app, const char *name);

/* crash.c: give the terminal back when the program dies of a fatal signal; NULL = no more. */
void ts_crash_watch(const struct ts_tty *tty);

#endif
