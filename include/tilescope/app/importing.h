/* SPDX-License-Identifier: MIT */
/*
 * importing - libpva from within the app: is it there, the offer, the import, the report opened with it.
 *
 * Once a profile that lacks relations stands on the screen, a worker finds out whether a Python can import
 * libpva. Then views offer `:import` (env->offer). What it writes is the store that `tilescope import` writes;
 * the report is opened again with it, and views keep their places.
 */
#ifndef TS_APP_IMPORTING_H
#define TS_APP_IMPORTING_H

#include <stdbool.h>
#include <stdint.h>

#include "tilescope/app/args.h"
#include "tilescope/report/report.h"

struct ts_app;
struct ts_job;

enum { TS_OFFER_TEXT = 200 };

struct ts_importing {
	int64_t ask_at_us;	  /* when to find out whether libpva is there; 0 = not */
	bool known, there;	  /* what was found out, once a run of the program */
	bool under_way;		  /* the import */
	bool failed;		  /* the last one of this report: the text says why */
	int64_t began_us;	  /* of it */
	char text[TS_OFFER_TEXT]; /* for the views: the offer, how far it is, why it failed */
	char outcome
		[TS_OFFER_TEXT]; /* said when the report has been opened with it; "" = nothing */
};

/* A report was opened. */
void ts_importing_opened(struct ts_app *app);

/* A frame of the report was drawn; a turn of the loop. */
void ts_importing_drawn(struct ts_app *app);
void ts_importing_turn(struct ts_app *app, int64_t now);

/* Write the text anew: at most 4 times a second. */
void ts_importing_tick(struct ts_app *app, int64_t now);

/* `:import`. False: it cannot be; the message line says why. */
bool ts_importing_start(struct ts_app *app);

/* A job of TS_OWNER_IMPORT came back; or is in vain. */
void ts_importing_take(struct ts_app *app, struct ts_job *job);
void ts_importing_give_back(struct ts_job *job);

/*
 * Where the import of a report is kept when nobody says where: below the caches (`cache`: --cache, or NULL),
 * whose directory is made. The caller's to free(). Errors: TS_E_USAGE: there is no cache directory, TS_E_SYS, TS_E_NOMEM.
 */
enum ts_code ts_import_place(char **path, const char *cache, const struct ts_report *r,
	struct ts_err *err) TS_WARN_UNUSED;

#endif
