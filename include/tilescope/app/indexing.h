/* SPDX-License-Identifier: MIT */
/*
 * indexing - the index of the open report is mapped, and what it lacks is built behind the screen.
 *
 * Everything here is the UI thread's; what reads or writes files runs as jobs of TS_OWNER_INDEX. First a
 * look at what there is: it is sent before the views ask for anything, and what goes through whole tables
 * waits for it. Then one stage after the other, the parts of a stage side by side; when a stage is
 * finished the views have a larger index. A stage that fails is told once and left out: figures then
 * come from the rows, as they did before.
 */
#ifndef TS_APP_INDEXING_H
#define TS_APP_INDEXING_H

#include "tilescope/job/jobs.h"
#include "tilescope/report/index_build.h"
#include "tilescope/view/index_status.h"

struct ts_app;

enum ts_indexing_state {
	TS_INDEXING_OFF,       /* no report, being written, switched off, or no place to keep it */
	TS_INDEXING_LOOKING,   /* what is there, what is missing? */
	TS_INDEXING_WAITING,   /* for the first frame; then it is built */
	TS_INDEXING_BUSY,      /* another program builds: looked at again every second */
	TS_INDEXING_BEGINNING, /* of a stage */
	TS_INDEXING_PARTS,
	TS_INDEXING_FINISHING,
	TS_INDEXING_DROPPING, /* a stage that failed */
	TS_INDEXING_ENDING,   /* jobs are still coming back, then the build is freed */
	TS_INDEXING_DONE,     /* nothing more to build */
	TS_INDEXING_STOPPED,  /* by the user, or because it cannot go on */
};

/* The texts for the title row, the longest first: each always takes the same room while it is built. */
enum { TS_INDEXING_TITLE = 80, TS_INDEXING_TITLES = 5 };

struct ts_indexing {
	enum ts_indexing_state state, then; /* `then`: after ENDING */
	uint64_t epoch;			    /* results of an older one are dropped */
	struct ts_cache *cache;		    /* made by the first job; kept until the end */
	struct ts_build *build;
	struct ts_report *report; /* of the build; held */
	int stage;
	bool asked;	  /* of a report on another host: the user wants it */
	bool tell;	  /* the same of any report, and not told yet that it is there */
	uint64_t planned; /* sections that the last look was for */
	uint64_t failed;  /* sections that cannot be built */
	int under_way;	  /* jobs sent and not yet received */
	struct ts_job *part[TS_PASS_PARTS]; /* those of them that are parts, and the finish */
	int64_t ended_rows;		    /* of parts of this stage that have ended */
	int64_t build_us, stage_us;	    /* when the build and its stage began */
	bool bad;			    /* a part of this stage failed */
	bool elsewhere;			    /* another program builds */
	bool drawn;			    /* a frame of the report was drawn */
	struct ts_index
		*fresh;	    /* more than the views have, which get it when nobody types; or NULL */
	int64_t fresh_us;   /* since when */
	int64_t look_at_us; /* BUSY: when to look again; 0 = not */
	uint64_t promised;  /* what views were told is coming, since the last turn */
	char told[TS_ERR_MSG];	       /* the last complaint: said once */
	struct ts_index_status status; /* lent to the views */
	int percent;		       /* of the whole build, as shown: never less than before */
	double left_s;		       /* the same: never more; negative = not known */
	char title[TS_INDEXING_TITLES][TS_INDEXING_TITLE]; /* "" = nothing */
};

/* At the begin of the program, and at its end (all workers have ended). */
void ts_indexing_begin(struct ts_app *app);
void ts_indexing_end(struct ts_app *app);

/*
 * A report was opened, or the option was switched: look and build anew, when it may. Views that ask
 * afterwards know already that they may wait.
 */
void ts_indexing_restart(struct ts_app *app);

/* Of a report on another host it is offered: built when the user wants it (a report that is read anew: once more). */
bool ts_indexing_is_offered(const struct ts_app *app);

/* The user wants it. What to say about it. */
const char *ts_indexing_start(struct ts_app *app);

/* The report has changed: cancel what builds. `all`: and let go of what was built. */
void ts_indexing_let_go(struct ts_app *app, bool all);

/* The user says so. False: nothing was being built. */
bool ts_indexing_stop(struct ts_app *app);
bool ts_indexing_is_building(const struct ts_app *app);

/* A job of TS_OWNER_INDEX came back. */
void ts_indexing_take(struct ts_app *app, struct ts_job *job);
void ts_indexing_give_back(struct ts_job *job);

/* A frame of the report was drawn. */
void ts_indexing_drawn(struct ts_app *app);

/*
 * At every turn of the loop: another look, sections that a view asks for, and those that were built while
 * somebody typed.
 */
void ts_indexing_turn(struct ts_app *app, int64_t now);

/* When there has to be such a turn; 0 = there need not be any. */
int64_t ts_indexing_next(const struct ts_app *app);

/* Microseconds that the stage under way still takes, as it seems; 0 = cannot be told. */
int64_t ts_indexing_left(const struct ts_indexing *ix, int64_t now);

/* Write the texts of the title row and the status anew: at most 4 times a second. */
void ts_indexing_tick(struct ts_app *app, int64_t now);

/* The longest text for the title row that fits into so many columns; "" = none. */
const char *ts_indexing_title(const struct ts_indexing *ix, int columns);

#endif
