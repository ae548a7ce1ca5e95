/* SPDX-License-Identifier: MIT */
/* dispatch_internal - what dispatch.c, places.c, asking.c and commands.c ask of each other. */
#ifndef TS_APP_DISPATCH_INTERNAL_H
#define TS_APP_DISPATCH_INTERNAL_H

#include "tilescope/app/app.h"

/* places.c: the view that is shown, and whether it is one that covers those of the report. */
struct ts_view *ts_app_view(struct ts_app *app);
bool ts_app_is_cover(enum ts_view_id id);
/* Show a view of the report; where we are is remembered. */
enum ts_effect ts_app_go_view(struct ts_app *app, enum ts_view_id id);
/* To the address that a view has left in env.place, as --at would. */
void ts_app_follow_place(struct ts_app *app);
enum ts_effect ts_app_view_command(struct ts_app *app, const struct ts_call *call);
enum ts_effect ts_app_back(struct ts_app *app, const struct ts_call *call);
enum ts_effect ts_app_forward(struct ts_app *app, const struct ts_call *call);
/* jump.c: the same object in another view; and to an address, with what is said when it is there. */
enum ts_effect ts_app_goto_object(struct ts_app *app, const struct ts_call *call);
void ts_app_go_address(struct ts_app *app, const char *text, const char *says);
enum ts_effect ts_app_goto_what_if(struct ts_app *app, const struct ts_call *call);

/* asking.c: what a command wants typed (TS_ASK_NOTHING: nothing), the line for it, and what became of that. */
enum ts_asking ts_app_asking_of(enum ts_cmd cmd);
enum ts_effect ts_app_ask(struct ts_app *app, enum ts_asking asking, const char *text);
void ts_app_prompt_result(struct ts_app *app, enum ts_prompt_result result);

/* commands.c: a command that the view does not know. */
enum ts_effect ts_app_run_own(struct ts_app *app, const struct ts_call *call);

#endif
